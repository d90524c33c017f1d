"""Ends of members compared with the requests of their term, and how an end comes to be late."""

from collections import Counter

import pytest

from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.codecs.cluster import TerminationAck, TerminationPosition
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.invariants import CommitHasAMajority, OneLeaderATerm
from aeron_cluster.simulator.checks.terminations import EndsAreRequestedInTheirTerm
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.faults.late_terminations import (
    HoldUpTermination,
    add_late_terminations,
    options_of_terminations,
)

S = 1_000_000_000
RUN = {"members": 3, "duration_ns": 30 * S, "speedup": 1}
MANY = 800


def observed(*messages):
    """Pass messages on as the check of the network does."""
    checker = CommitHasAMajority(OneLeaderATerm(), [EndsAreRequestedInTheirTerm()])
    for each in messages:
        checker._on_message(None, each, is_new=True)


def request(term_id, position):
    return TerminationPosition.encode(leadership_term_id=term_id, log_position=position)


def end(term_id, position):
    return TerminationAck.encode(leadership_term_id=term_id, log_position=position, member_id=1)


def test_an_end_at_or_beyond_the_requested_position_passes():
    observed(
        request(3, 640), end(3, 640), end(3, 704), request(3, 640), request(3, 960), end(3, 640)
    )


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        ([end(3, 640)], "no end"),
        ([request(2, 640), end(3, 640)], "no end"),
        ([request(4, 640), end(3, 640)], "no end"),
        ([request(3, 640), end(3, 608)], "640"),
    ],
    ids=["unrequested", "of an earlier term", "of a later term", "before the position"],
)
def test_an_end_that_its_leader_did_not_request_is_detected(messages, found):
    with pytest.raises(
        InvariantError, match=f"member 1 ends at .* in term 3, .* requested {found}"
    ):
        observed(*messages)


def test_an_end_is_held_up_in_one_run_of_eight_with_enough_members():
    plans = [add_late_terminations(FaultPlan(), seed, **RUN) for seed in range(MANY)]
    found = [event for each in plans for event in each.events]
    assert MANY // 11 < len(found) < MANY // 6
    assert all(each.families == ("aimed",) for each in plans if each.events)
    assert {each.request for each in found} == {ControlToggle.SHUTDOWN, ControlToggle.ABORT}
    assert {each.has_unchecked_sources for each in found} == {True, False}
    ways = Counter(each.is_of_members for each in found)
    assert 2 * ways[True] < ways[False] < 5 * ways[True]
    assert all(10 * S < each.duration_ns < 20 * S for each in found)
    few = RUN | {"members": 2}
    assert not any(add_late_terminations(FaultPlan(), seed, **few).events for seed in range(50))


@pytest.mark.parametrize("is_unchecked", [True, False])
def test_images_outlive_the_election_only_in_such_runs(is_unchecked):
    event = HoldUpTermination(S, ControlToggle.ABORT, False, 3 * S, 8 * S, is_unchecked)
    assert options_of_terminations(FaultPlan(), S) == {}
    options = options_of_terminations(FaultPlan((event,)), S)
    module = {"consensus_module": {"consensus_source_check": False}} if is_unchecked else {}
    assert options == {"driver": {"image_liveness_timeout_ns": 2 * S}} | module
