"""Faults aimed at elections strike the intended states; forbidden consequences are detected."""

import pytest

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.errors import CorruptError, LogMismatchError
from aeron_cluster.simulator.faults.election_events import (
    MISSING_PARTS,
    HoldUpVotes,
    KillInElection,
    MissingFiles,
)
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.faults.overtaken_leader import OvertakeWithSessions
from aeron_cluster.simulator.members.member import Member
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

MS = 1_000_000
S = 1000 * MS


def run(event, members=3, sync_level=0, duration_ns=6 * S):
    settings = Settings.of(
        "consensus",
        draws=1,
        members=members,
        layout="node",
        sync_level=sync_level,
        duration_ns=duration_ns,
    )
    trial = Trial(3, settings, FaultPlan((event,)))
    return trial, trial.run()


def strike(state, **given):
    usual = {
        "is_of_leader": False,
        "calls": 1,
        "is_network": False,
        "is_power_lost": False,
        "first_down_ns": 3 * S,
        "down_ns": S,
        "limit_ns": 5 * S,
    }
    return KillInElection(S // 10, state=state, **{**usual, **given})


@pytest.mark.parametrize("state", [ElectionState.CANVASS, ElectionState.NOMINATE])
@pytest.mark.parametrize("is_power_lost", [False, True])
def test_a_member_is_killed_in_a_state_of_an_election(monkeypatch, state, is_power_lost):
    seen = []
    stop_after = Member.stop_after

    def look(member, calls, *, is_network=False):
        if calls > 0:
            seen.append((ElectionState(member.counters.election_state.get()), is_network))
        stop_after(member, calls, is_network=is_network)

    monkeypatch.setattr(Member, "stop_after", look)
    event = strike(state, is_network=True, is_power_lost=is_power_lost)
    trial, outcome = run(event, sync_level=1)
    assert outcome.is_good, outcome.failure
    assert seen == [(state, True)]
    assert outcome.counts["processes"] == 5
    lost = [each.machine.power_loss_count for each in trial.cluster.members]
    assert sorted(lost) == [0, 0, int(is_power_lost)]
    assert "power lost" in str(event)


def test_the_next_leader_is_killed_while_another_member_catches_up():
    event = strike(ElectionState.FOLLOWER_CATCHUP_INIT, is_of_leader=True, first_down_ns=3 * S)
    _, outcome = run(event)
    assert outcome.is_good, outcome.failure
    assert outcome.counts["processes"] == 5


def test_delayed_votes_arrive_after_the_ballot():
    ways = ((1, 2), (2, 1), (0, 1), (1, 0), (0, 2), (2, 0))
    _, usual = run(HoldUpVotes(S // 10, (), 3 * S, S, 5 * S))
    trial, outcome = run(HoldUpVotes(S // 10, ways, 3 * S, S, 5 * S))
    assert usual.is_good, usual.failure
    assert outcome.is_good, outcome.failure
    # Its requests come too late for two ballots at least.
    assert term(trial) > 1
    assert str(ways) in str(trial.plan)


def term(trial):
    disk = trial.cluster.members[0].machine.files.copy("/data")
    return recovery_term(disk)


def recovery_term(disk):
    with disk.open("/data/cluster/node-state.dat") as file:
        return int.from_bytes(file.read_at(8, 24), "little", signed=True)


@pytest.mark.parametrize("is_closed", [True, False])
def test_a_session_change_of_an_overtaken_leader_is_not_committed(is_closed):
    event = OvertakeWithSessions(S, 20 * MS, 3 * S, 8 * S, client=0, is_closed=is_closed)
    trial, outcome = run(event, duration_ns=8 * S)
    assert outcome.is_good, outcome.failure
    assert outcome.counts["sessions"] > 1
    assert f"closes its session first: {is_closed}" in str(trial.plan)


@pytest.mark.parametrize("part", MISSING_PARTS)
def test_a_member_without_part_of_its_log_does_not_start(monkeypatch, part):
    seen = []
    check_error = Trial._check_error

    def look(trial, owner, error):
        seen.append((owner.member_id, type(error)))
        check_error(trial, owner, error)

    monkeypatch.setattr(Trial, "_check_error", look)
    trial, outcome = run(MissingFiles(S, 1, part, 100 * MS, 2 * S))
    assert outcome.is_good, outcome.failure
    member = trial.cluster.members[1]
    rejection = LogMismatchError if part == "archive" else CorruptError
    assert (1, rejection) in seen
    assert member.machine.files.is_file("/data/archive/archive.catalog")
    assert not member.machine.files.exists(f"/data/{part}.away")


def test_missing_files_are_restored_at_the_end():
    _, outcome = run(MissingFiles(5 * S, 1, MISSING_PARTS[0], 100 * MS, 60 * S))
    assert outcome.is_good, outcome.failure


def test_a_member_taking_part_without_its_log_is_detected():
    # A member that is not needed for a majority.
    _, outcome = run(MissingFiles(S, 1, "archive/archive-mark.dat", 100 * MS, 2 * S))
    assert outcome.invariant == "a member without its log does not take part"
