"""The common prefix of two logs, compared with written-out logs."""

import itertools

import pytest

from aeron_cluster.simulator.checks.replicas import LogEnd, Replicas, is_majority


def test_majority_is_more_than_half():
    majorities = {
        members: min(count for count in range(members + 1) if is_majority(count, members))
        for members in range(1, 8)
    }
    assert majorities == {1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 6: 4, 7: 4}


# The leader of each term and the log before it; the leaders of terms 2 and 4 lack some.
TERMS = {0: (0, (-1, 0)), 1: (1, (0, 3)), 2: (2, (0, 5)), 3: (0, (2, 6)), 4: (1, (1, 9))}


def written_out(end):
    """Return the log as the term of each position."""
    term_id, position = end
    if term_id < 0:
        return []
    log = written_out(TERMS[term_id][1])
    return [*log, *[term_id] * position][:position] if position > len(log) else log[:position]


def prefix_length(one, other):
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in same)


@pytest.fixture
def replicas():
    made = Replicas()
    for term_id, (leader, log_end) in TERMS.items():
        made.on_candidate(term_id, leader, LogEnd(*log_end))
        made.on_candidate(term_id, 7, LogEnd(-1, 0))  # a candidate that was not elected
        made.on_leader(term_id, leader)
    return made


ENDS = [LogEnd(term_id, position) for term_id in range(-1, 5) for position in (0, 2, 4, 6, 8, 12)]


@pytest.mark.parametrize("one", [each for each in ENDS if each.term_id >= 0 or not each.position])
def test_common_prefix_equals_that_of_the_written_out_logs(replicas, one):
    for other in ENDS:
        if other.term_id < 0 and other.position:
            continue
        expected = prefix_length(written_out(one), written_out(other))
        assert replicas.common(one, other) == expected, (one, other)


def test_end_is_the_last_reported_one(replicas):
    replicas.on_end(5, LogEnd(3, 90))
    replicas.on_end(5, LogEnd(3, 40))
    assert replicas.ends[5] == LogEnd(3, 40)
    assert replicas.highest_end(5, 3) == LogEnd(3, 90)


def test_term_that_nobody_led_adds_nothing(replicas):
    replicas.on_end(5, LogEnd(3, 90))
    replicas.on_end(5, LogEnd(5, 90))
    assert replicas.ends[5] == LogEnd(3, 90)
    replicas.on_end(5, LogEnd(5, 122))  # reported by a leader that was never seen
    assert replicas.ends[5] == LogEnd(5, 122)


def test_candidate_whose_log_ends_with_a_term_that_nobody_led_has_the_log_before_it(replicas):
    replicas.on_candidate(6, 5, LogEnd(3, 12))
    replicas.on_leader(6, 5)
    replicas.on_end(5, LogEnd(6, 12))
    # It ended after it had stored term 5 as one without entries, and before term 6 was stored.
    replicas.on_candidate(8, 5, LogEnd(5, 12))
    replicas.on_leader(8, 5)
    assert replicas.common(LogEnd(8, 12), LogEnd(3, 12)) == 12
    assert replicas.is_traced(LogEnd(8, 12))
    replicas.on_candidate(9, 5, LogEnd(7, 20))  # of a leader that was never seen
    assert replicas.ends[5] == LogEnd(7, 20)
