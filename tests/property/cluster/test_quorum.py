"""Quorum arithmetic, compared with a naive version that counts."""

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.cluster.members import quorum
from aeron_cluster.cluster.members.members import Member

TIMEOUT_NS = 10
NOW_NS = 100


def member(member_id, term, position, candidate_term, last_append, vote, closed):
    made = Member(member_id, "i:1", "c:1", "l:1", "t:1", "a:1")
    made.leadership_term_id, made.log_position = term, position
    made.candidate_term_id, made.time_of_last_append_ns = candidate_term, last_append
    made.vote, made.is_graceful_closed_leader = vote, closed
    return made


members = st.lists(
    st.builds(
        member,
        st.integers(0, 9),
        st.integers(-1, 2),
        st.sampled_from([-1, 0, 32, 64]),
        st.integers(-1, 2),
        st.sampled_from([89, 90, 91, 100]),
        st.sampled_from([None, True, False]),
        st.booleans(),
    ),
    min_size=1,
    max_size=7,
)


def majority(count):
    return next(n for n in range(count + 1) if 2 * n > count)


@given(members)
def test_a_majority_of_active_members_has_at_least_the_quorum_position(cluster):
    position = quorum.quorum_position(cluster, NOW_NS, TIMEOUT_NS)
    active = [m for m in cluster if m.time_of_last_append_ns + TIMEOUT_NS > NOW_NS]
    if len(active) < majority(len(cluster)):
        assert position == 0
    else:
        assert sum(m.log_position >= position for m in active) >= majority(len(cluster))
        above = [m.log_position for m in active if m.log_position > position]
        assert len(above) < majority(len(cluster))


@given(members)
def test_activity_needs_a_majority_within_the_timeout(cluster):
    observed = sum(1 for m in cluster if m.time_of_last_append_ns > NOW_NS - TIMEOUT_NS)
    expected = observed >= majority(len(cluster))
    assert quorum.has_active_quorum(cluster, NOW_NS, TIMEOUT_NS) is expected


def votes(voter, candidate):
    if voter.log_position == -1:
        return False
    if voter.leadership_term_id != candidate.leadership_term_id:
        return voter.leadership_term_id < candidate.leadership_term_id
    return voter.log_position <= candidate.log_position


@given(members, st.data())
def test_candidates_are_checked_by_their_voters(cluster, data):
    candidate = data.draw(st.sampled_from(cluster))
    given_votes = [votes(m, candidate) for m in cluster]
    assert quorum.is_quorum_candidate(cluster, candidate) is (
        sum(given_votes) >= majority(len(cluster))
    )
    present = [m for m in cluster if not m.is_graceful_closed_leader]
    assert quorum.is_unanimous_candidate(cluster, candidate) is (
        len(present) >= majority(len(cluster)) and all(votes(m, candidate) for m in present)
    )


@given(members, st.integers(0, 2))
def test_one_vote_against_loses_a_ballot(cluster, term):
    counted = [m for m in cluster if m.candidate_term_id == term]
    in_favour = sum(m.vote is True for m in counted)
    against = any(m.vote is False for m in counted)
    assert quorum.is_quorum_leader(cluster, term) is (
        not against and in_favour >= majority(len(cluster))
    )
    present = [m for m in cluster if not m.is_graceful_closed_leader]
    unanimous = all(m.candidate_term_id == term and m.vote is True for m in present)
    assert quorum.is_unanimous_leader(cluster, term) is (
        unanimous and len(present) >= majority(len(cluster))
    )


@given(*[st.integers(-1, 3)] * 4)
def test_logs_compare_by_term_then_position(term_a, position_a, term_b, position_b):
    result = quorum.compare_log(term_a, position_a, term_b, position_b)
    if term_a != term_b:
        assert result == (1 if term_a > term_b else -1)
    else:
        assert result == (position_a > position_b) - (position_a < position_b)


# The lengths of a leader's terms, the last one its own, and a member's log. The member's log equals
# the leader's up to some point of a term. If that term is over, it continues with entries of that
# term that the leader lacks.
@given(st.lists(st.integers(0, 4), min_size=1, max_size=5), st.data())
def test_only_the_part_of_a_members_log_equal_to_the_leaders_counts(lengths, data):
    leaders = [(term, n) for term, length in enumerate(lengths) for n in range(length)]
    log_term = data.draw(st.integers(0, len(lengths) - 1))
    is_over = log_term < len(lengths) - 1
    end = sum(lengths[: log_term + 1])
    shared = data.draw(st.integers(sum(lengths[:log_term]), end))
    added = data.draw(st.integers(0, 3)) if is_over and shared == end else 0
    members_log = leaders[:shared] + [(log_term, lengths[log_term] + n) for n in range(added)]
    counted = quorum.shared_position(
        log_term, len(members_log), len(lengths) - 1, end if is_over else None
    )
    assert counted == shared
    assert members_log[:counted] == leaders[:counted]


def test_log_of_a_term_unknown_to_the_leader_does_not_count():
    assert quorum.shared_position(log_term_id=1, log_position=64, term_id=2, term_end=None) == 0
