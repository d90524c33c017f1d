"""Parts of logs that are lost, or that a new leader has alone: wrong consequences are detected."""

import pytest

from aeron_cluster.cluster.election import leader as leader_states
from aeron_cluster.cluster.members import quorum
from aeron_cluster.cluster.module import recovery
from aeron_cluster.cluster.state.recovery_plan import RecoveryPlan
from aeron_cluster.errors import LogMismatchError
from aeron_cluster.simulator.faults.election_events import RECORDING_LOG, MissingFiles, OlderArchive
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.faults.overtaken_leader import LeadAloneAhead
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

MS = 1_000_000
S = 1000 * MS
WITHOUT = MissingFiles(S, 0, RECORDING_LOG, 100 * MS, S)


def older(member):
    return OlderArchive(S, member, "archive", 100 * MS, S, S // 2, 5 * S)


def run(event, members=3, layout="node"):
    settings = Settings.of(
        "consensus", draws=1, members=members, layout=layout, sync_level=0, duration_ns=8 * S
    )
    trial = Trial(3, settings, FaultPlan((event,)))
    return trial, trial.run()


@pytest.mark.parametrize("layout", ["node", "apart"])
@pytest.mark.parametrize(
    ("event", "members"),
    [(WITHOUT, 1), (older(0), 1), (older(1), 3)],
    ids=["recording-log", "1", "3"],
)
def test_a_start_with_a_part_of_the_log_is_rejected(monkeypatch, event, members, layout):
    seen = []
    check_error = Trial._check_error

    def look(trial, owner, error):
        seen.append((owner.member_id, type(error)))
        check_error(trial, owner, error)

    monkeypatch.setattr(Trial, "_check_error", look)
    trial, outcome = run(event, members, layout)
    assert outcome.is_good, outcome.failure
    assert (event.member, LogMismatchError) in seen
    files = trial.cluster.members[event.member].machine.files
    assert not files.exists("/data/archive.away")
    assert not files.exists("/data/cluster/recording.log.away")


def test_a_blank_start_without_the_recording_log_is_detected(monkeypatch):
    def find_none(*_):
        yield from ()
        return []

    monkeypatch.setattr(recovery, "list_recordings_for_uri", find_none)
    _, outcome = run(WITHOUT, 1)
    assert outcome.invariant == "services see the same"


@pytest.mark.parametrize("members", [1, 3])
def test_a_start_with_a_log_that_ends_too_early_is_detected(monkeypatch, members):
    monkeypatch.setattr(RecoveryPlan, "check_replay", lambda *_: None)
    _, outcome = run(older(0), members)
    # The single one leads; another one is notified of terms that it does not know.
    expected = "services see the same" if members == 1 else "a start without a log is rejected"
    assert outcome.invariant == expected


def test_a_leader_that_alone_has_its_log_commits_nothing():
    trial, outcome = run(LeadAloneAhead(S, S, 4 * S, 5 * S))
    assert outcome.is_good, outcome.failure
    assert outcome.counts["terms"] > 1
    assert "cut off" in str(trial.plan)


def test_a_majority_of_the_active_members_alone_is_detected(monkeypatch):
    def of_active(members, now_ns, timeout_ns, position_of=lambda each: each.log_position):
        active = [
            position_of(each)
            for each in members
            if quorum.is_active(each.time_of_last_append_ns, now_ns, timeout_ns)
        ]
        return sorted(active, reverse=True)[len(active) // 2] if active else -1

    monkeypatch.setattr(leader_states, "quorum_position", of_active)
    _, outcome = run(LeadAloneAhead(S, S, 4 * S, 5 * S))
    assert outcome.invariant == "services see the same"
