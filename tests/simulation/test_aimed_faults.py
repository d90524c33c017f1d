"""Aimed faults: a leader is killed at a certain moment, a service fails its snapshot."""

import pytest

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.snapshots import snapshot_round
from aeron_cluster.cluster.state.recording_log import EntryType, RecordingLog
from aeron_cluster.simulator.checks.member_disk import find_log
from aeron_cluster.simulator.checks.plain_disk import read_frames_end
from aeron_cluster.simulator.faults.aimed_faults import (
    KillInSnapshot,
    LoseLeaderInCatchUp,
    LosePowerAfterSnapshot,
    LosePowerAfterVote,
)
from aeron_cluster.simulator.faults.fault_plan import FaultPlan, KillAtEvent, KillAtTermEnd
from aeron_cluster.simulator.faults.overtaken_leader import OvertakeLeader
from aeron_cluster.simulator.faults.service_events import SnapshotFails
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000


def run(*events, sync_level=0, **settings):
    settings = Settings(sync_level=sync_level, duration_ns=8 * S, **settings)
    trial = Trial(1, settings, FaultPlan(events))
    outcome = trial.run()
    assert outcome.is_good, f"{outcome.failure}\n{outcome.detail}"
    return trial, outcome


@pytest.mark.parametrize("what", ["message", "open", "timer", "offer", "schedule"])
def test_a_leader_is_killed_soon_after_an_effect_of_its_service(what):
    clients = {"clients": 3} if what == "open" else {}
    at_ns = 0 if what == "open" else S
    trial, outcome = run(KillAtEvent(at_ns, what, 3, S), members=1, **clients)
    assert outcome.counts["processes"] == 2
    assert trial.cluster.members[0].failure is None


def test_a_leader_is_killed_as_a_term_of_its_log_ends():
    trial, outcome = run(KillAtTermEnd(S, 1, S))
    assert outcome.counts["processes"] == 4
    assert trial.cluster.journals[0].end_position > 64 * 1024


def test_failed_snapshot_of_a_service_is_invalid():
    no_others = {"consensus_module": {"snapshot_interval_ns": 3600 * S}}
    trial, _ = run(SnapshotFails(4 * S, 1), options=no_others)
    errors = [str(each) for each in trial.cluster.members[1].errors]
    assert any("on_take_snapshot" in each for each in errors), errors
    for member in trial.cluster.members:
        disk = member.machine.files.copy("/data")
        with RecordingLog(disk, "/data/cluster", writable=False) as log:
            kinds = [each.entry_type for each in log.entries]
        assert (EntryType.SNAPSHOT in kinds) == (member.member_id != 1)


@pytest.mark.parametrize("members", [3, 5])
def test_an_overtaken_leader_has_the_longer_log_of_the_older_term(members, monkeypatch):
    found = []
    end = OvertakeLeader._end

    def look(event, trial, leader, other):
        found.append(
            [(log_end(each), term(each)) for each in (leader, other)]
            + [each.member_id for each in (leader, other)]
        )
        end(event, trial, leader, other)

    monkeypatch.setattr(OvertakeLeader, "_end", look)
    event = OvertakeLeader(S, 20_000_000, 16 * S, 40 * S)
    trial, outcome = run(event, members=members, speedup=5)
    ((old_end, old_term), (new_end, new_term), old_id, new_id) = found[0]
    assert old_end > new_end
    assert old_term < new_term
    assert old_id != new_id
    assert outcome.counts["processes"] == members + 1
    assert trial.cluster.members[old_id].start_count == 1


def test_a_leader_is_rejoined_if_no_member_overtakes_it():
    trial, _ = run(OvertakeLeader(S, 0, S, S // 10))
    assert all(each.start_count == 1 for each in trial.cluster.members)


def log_end(member):
    disk = member.machine.files.copy("/data")
    return read_frames_end(disk, "/data/archive", find_log(disk, "/data"))


def term(member):
    return member.counters.leadership_term_id.get()


def test_the_loss_of_all_members_is_detected(monkeypatch):
    trial = Trial(1, Settings(sync_level=0, duration_ns=S), FaultPlan(()))
    heal = trial._heal

    def end_all():
        heal()
        for member in trial.cluster.members:
            member.kill()

    monkeypatch.setattr(trial, "_heal", end_all)
    outcome = trial.run()
    assert outcome.invariant == "liveness: the majority elects after the faults"
    assert all(f"member {each} " in outcome.failure for each in range(3))


def struck(monkeypatch, event, **settings):
    """Run with an aimed fault; return the member that it struck, its state, and the leader at
    that time.
    """
    found = []
    inject = type(event)._inject

    def look(event, trial, member):
        leaders = [each for each in trial.cluster.members if each.is_leading]
        found.append((member, member.counters.election_state.get(), leaders))
        inject(event, trial, member)

    monkeypatch.setattr(type(event), "_inject", look)
    _, outcome = run(event, speedup=5, sync_level=1, **settings)
    ((member, state, leaders),) = found
    return member, state, leaders, outcome.counts["processes"]


def test_a_member_loses_power_after_its_vote(monkeypatch):
    event = LosePowerAfterVote(S, S, 8 * S)
    member, state, leaders, processes = struck(monkeypatch, event, members=3)
    assert state in (ElectionState.CANDIDATE_BALLOT, ElectionState.FOLLOWER_BALLOT)
    assert (leaders, processes) == ([], 5)
    assert member.machine.power_loss_count == 1


@pytest.mark.parametrize("members", [1, 3])
def test_a_member_loses_power_after_its_snapshot(members, monkeypatch):
    event = LosePowerAfterSnapshot(S, S, 8 * S)
    member, state, _, processes = struck(monkeypatch, event, members=members)
    assert state == ElectionState.CLOSED
    assert processes == members + 1
    assert member.machine.power_loss_count == 1


def test_a_leader_is_lost_while_a_follower_catches_up(monkeypatch):
    event = LoseLeaderInCatchUp(S, S, 8 * S, S)
    member, state, (leader,), processes = struck(monkeypatch, event, members=3)
    assert ElectionState.FOLLOWER_LOG_REPLICATION <= state <= ElectionState.FOLLOWER_CATCHUP
    assert leader.start_count == member.start_count == 2
    assert processes == 5


def killed_in_snapshots():
    """Run a single member, killed at each of the calls around the entry of its snapshot."""
    settings = Settings.of(
        "consensus", draws=1, members=1, layout="node", sync_level=0, duration_ns=3 * S
    )
    for calls in range(38, 48):
        yield Trial(3, settings, FaultPlan((KillInSnapshot(S, S // 2, 2 * S, calls),))).run()


def test_a_member_killed_in_a_snapshot_starts_from_a_complete_one():
    for outcome in killed_in_snapshots():
        assert outcome.is_good, outcome.failure
        assert outcome.counts["processes"] == 2


def test_a_snapshot_noted_before_it_is_recorded_is_detected(monkeypatch):
    monkeypatch.setattr(snapshot_round, "_await_recorded", lambda *_: iter(()))
    found = {each.invariant for each in killed_in_snapshots()}
    assert "a fault explains the end of a process" in found
