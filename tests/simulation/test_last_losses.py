"""Losses at the end of a run: the required consequences follow, or a check fails."""

from dataclasses import replace

import pytest

from aeron_cluster.cluster.election import ballots, messages
from aeron_cluster.cluster.module.termination import Termination
from aeron_cluster.cluster.sessions.cluster_session import ClusterSession
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.simulator.endings import last_loss, run_end
from aeron_cluster.simulator.endings.failover import ends_with_a_failover
from aeron_cluster.simulator.endings.last_loss import LastLoss, draw_last_loss
from aeron_cluster.simulator.endings.run_end import Ending
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.members.member import Member
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000


def run(loss, members=3, layout="node"):
    settings = Settings.of("consensus", members=members, layout=layout, duration_ns=S // 10)
    trial = Trial(7, settings, FaultPlan())
    trial.ending = Ending(last_loss=loss)
    return trial, trial.run()


@pytest.mark.parametrize("loss", list(LastLoss))
def test_a_trial_with_each_loss_passes(loss):
    trial, outcome = run(loss)
    assert outcome.is_good, outcome.failure
    if loss in (LastLoss.SHUTDOWN, LastLoss.ABORT):
        assert outcome.counts["processes"] == 6
        return
    terms = outcome.counts["terms"]
    # A leader that lost its majority may be elected by it again.
    assert terms == (3 if loss is LastLoss.LEADER_IN_CATCH_UP else 2)
    starts = sorted(each.start_count for each in trial.cluster.members)
    assert (
        starts
        == {
            LastLoss.LEADER: [1, 1, 2],
            LastLoss.LEADER_CUT_OFF: [1, 1, 1],
            LastLoss.MAJORITY: [1, 2, 2],
            LastLoss.LEADER_IN_CATCH_UP: starts,
            LastLoss.TERM: [1, 2, 2],
            LastLoss.ONE_AHEAD: [2, 2, 2],
        }[loss]
    )


def test_a_majority_has_time_for_a_ballot_without_all_votes():
    # That ballot is longer than the heartbeat timeout.
    options = {"consensus_module": {"election_timeout_ns": 3 * S}}
    settings = Settings.of("consensus", members=3, layout="node", duration_ns=S // 10)
    settings = replace(settings, options=options)
    trial = Trial(7, settings, FaultPlan())
    trial.ending = Ending(last_loss=LastLoss.ONE_AHEAD)
    outcome = trial.run()
    assert outcome.is_good, outcome.failure


def test_losses_are_drawn_by_the_number_of_members():
    drawn = {members: {draw_last_loss(s, members, 2) for s in range(64)} for members in (1, 2, 3)}
    assert drawn == {
        1: {None, LastLoss.SHUTDOWN, LastLoss.ABORT},
        2: {None, LastLoss.SHUTDOWN, LastLoss.ABORT, LastLoss.MAJORITY},
        3: {None, *LastLoss},
    }
    assert run(LastLoss.MAJORITY, members=2)[1].is_good
    assert run(LastLoss.SHUTDOWN, members=1)[1].is_good


@pytest.mark.parametrize("loss", [LastLoss.LEADER, LastLoss.SHUTDOWN])
def test_separate_processes_recover_too(loss):
    _, outcome = run(loss, layout="apart")
    assert outcome.is_good, outcome.failure


def test_a_member_that_ends_only_by_a_timeout_is_detected(monkeypatch):
    monkeypatch.setattr(Termination, "on_ack", lambda *_: None)
    _, outcome = run(LastLoss.ABORT)
    assert outcome.invariant == (
        "liveness: all members end without a timeout: the cluster is aborted"
    )


def test_a_shutdown_without_a_snapshot_is_detected(monkeypatch):
    monkeypatch.setitem(last_loss._REQUESTS, LastLoss.SHUTDOWN, ControlToggle.ABORT)
    _, outcome = run(LastLoss.SHUTDOWN)
    assert outcome.invariant == "a shutdown ends with a snapshot of all"


def planted(monkeypatch, plant):
    """Plant a fault that begins with the last loss."""
    lose = run_end.lose_once_more

    def lose_wrongly(host, loss):
        plant()
        lose(host, loss)

    monkeypatch.setattr(run_end, "lose_once_more", lose_wrongly)


def test_members_that_never_become_candidates_are_detected(monkeypatch):
    def plant():
        for name in ("is_unanimous_candidate", "is_quorum_candidate"):
            monkeypatch.setattr(ballots, name, lambda *_: False)

    planted(monkeypatch, plant)
    _, outcome = run(LastLoss.LEADER)
    assert outcome.invariant == "liveness: the others elect: the leader is killed"


@pytest.mark.parametrize("loss", [LastLoss.MAJORITY, LastLoss.LEADER_CUT_OFF])
def test_a_leader_that_does_not_step_down_is_detected(monkeypatch, loss):
    planted(monkeypatch, lambda: monkeypatch.setattr(Member, "is_leading", True))
    _, outcome = run(loss)
    assert outcome.invariant == "a leader without a majority leads no longer"


def test_a_missing_notification_of_a_new_leader_is_detected(monkeypatch):
    ignored = property(lambda _: False, lambda _, __: None)
    planted(
        monkeypatch,
        lambda: monkeypatch.setattr(
            ClusterSession, "is_new_leader_event_pending", ignored, raising=False
        ),
    )
    _, outcome = run(LastLoss.LEADER)
    assert outcome.invariant == "clients keep their sessions"
    assert "then needed 1 more" in outcome.failure


def test_a_client_that_follows_no_leader_is_detected_in_the_final_failover(monkeypatch):
    seed = next(each for each in range(99) if ends_with_a_failover(each))
    settings = Settings.of("consensus", draws=3, members=3, layout="node", duration_ns=S // 10)
    assert Trial(seed, settings, FaultPlan()).run().is_good
    ignored = property(lambda _: False, lambda _, __: None)
    monkeypatch.setattr(ClusterSession, "is_new_leader_event_pending", ignored, raising=False)
    outcome = Trial(seed, settings, FaultPlan()).run()
    assert outcome.invariant == "sessions outlive their leader"
    assert "then needed 1 more" in outcome.failure


def test_a_member_that_follows_only_after_a_timeout_is_detected(monkeypatch):
    handle = messages._on_commit_position

    def ignore_the_leader(election, message):
        leader, election.leader = election.leader, None
        handle(election, message)
        election.leader = leader

    monkeypatch.setattr(messages, "_on_commit_position", ignore_the_leader)
    _, outcome = run(LastLoss.ONE_AHEAD)
    assert outcome.invariant.startswith("liveness: a majority elects without a timeout: all are")


def test_a_member_that_never_follows_a_later_term_is_detected(monkeypatch):
    planted(
        monkeypatch,
        lambda: monkeypatch.setattr(messages, "_on_new_leadership_term", lambda *_: None),
    )
    _, outcome = run(LastLoss.TERM)
    assert outcome.invariant.startswith("liveness: the others elect: the leader is restarted")


def test_a_catch_up_is_visible_while_it_runs(monkeypatch):
    seen = []
    is_catching_up = last_loss._is_catching_up

    def look(member):
        seen.append(is_catching_up(member))
        return seen[-1]

    monkeypatch.setattr(last_loss, "_is_catching_up", look)
    assert run(LastLoss.LEADER_IN_CATCH_UP)[1].is_good
    assert seen[-1]
