"""Requests to end arrive after another leader was elected: no member ends by them."""

import pytest

from aeron_cluster.cluster.module.termination import Termination
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.faults.late_terminations import HoldUpTermination
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000


def run(request, *, is_of_members=False, is_unchecked=True):
    event = HoldUpTermination(S // 2, request, is_of_members, 3 * S, 8 * S, is_unchecked)
    settings = Settings.of("consensus", draws=11, members=3, layout="node", duration_ns=9 * S // 2)
    trial = Trial(4, settings, FaultPlan((event,)))
    return trial, trial.run()


@pytest.fixture
def received(monkeypatch):
    """Record the terms of requests to end, and of the members that receive them."""
    terms = []
    on_position = Termination.on_position

    def record(termination, message, now_ns):
        terms.append((message.leadership_term_id, termination._status.leadership_term_id))
        on_position(termination, message, now_ns)

    monkeypatch.setattr(Termination, "on_position", record)
    return terms


@pytest.mark.parametrize("request_", [ControlToggle.SHUTDOWN, ControlToggle.ABORT])
def test_a_request_of_an_earlier_term_ends_no_member(received, request_):
    trial, outcome = run(request_)
    assert outcome.is_good, outcome.failure
    assert any(sent < own for sent, own in received)
    assert f"{request_.name.lower()} once there is a leader" in str(trial.plan)


def test_members_that_check_sources_ignore_it(received):
    _, outcome = run(ControlToggle.ABORT, is_unchecked=False)
    assert outcome.is_good, outcome.failure
    assert received == []


def test_late_acknowledgements_end_nothing(received):
    _, outcome = run(ControlToggle.SHUTDOWN, is_of_members=True)
    assert outcome.is_good, outcome.failure
    assert len(received) == 2  # of the other members, in time
    assert all(sent == own for sent, own in received)


def test_a_member_that_ends_by_a_request_of_an_earlier_term_is_detected(monkeypatch):
    def on_position(termination, message, now_ns):
        if not termination._status.is_leader:
            termination._begin(message.log_position)
            termination._agent.set_last_leader_update_ns(now_ns)

    monkeypatch.setattr(Termination, "on_position", on_position)
    _, outcome = run(ControlToggle.ABORT)
    assert outcome.invariant == "members end as the leader of their term requests"
