"""Snapshots compared when they are complete: a wrong one is found though it is gone in the end."""

from dataclasses import dataclass, replace

import pytest

from aeron_cluster.cluster.module.control_requests import ControlRequests
from aeron_cluster.cluster.service import service_conductor
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.simulator.checks.complete_snapshots import SnapshotsAreRightWhenComplete
from aeron_cluster.simulator.cluster import Checker
from aeron_cluster.simulator.faults.events import Event, Operate
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import run_trial
from aeron_cluster.simulator.world.machine import DIRECTORY

S = 1_000_000_000
SETTINGS = Settings.of("consensus", draws=3, members=1, service_count=1, damages=())


@dataclass(frozen=True)
class Invalidate(Event):
    """An operator invalidates all snapshots of a member that is stopped for it."""

    template = "invalidate all snapshots"

    def begin(self, trial):
        (member,) = trial.cluster.members
        member.kill()
        with RecordingLog(member.machine.files, f"{DIRECTORY}/cluster") as recording_log:
            while recording_log.invalidate_latest_snapshot():
                pass
        trial.start_later(member, S // 10)


PLAN = FaultPlan((Operate(2 * S, ControlToggle.SNAPSHOT), Invalidate(3 * S)))


def outcome():
    return run_trial(1, SETTINGS, PLAN)


def test_right_snapshots_are_compared():
    found = outcome()
    assert found.is_good, f"{found.failure}\n{found.detail}"
    assert found.counts["snapshots compared"] >= 2


def with_first_state(monkeypatch, change):
    """Change what is written of a module's state in its first snapshot."""
    capture = ControlRequests._capture
    left = [1]

    def altered(self, leadership_term_id, log_position):
        state = capture(self, leadership_term_id, log_position)
        return change(state) if left and left.pop() else state

    monkeypatch.setattr(ControlRequests, "_capture", altered)


def with_first_container(monkeypatch):
    write = service_conductor.snapshot_messages
    left = [1]

    def altered(sessions, **place):
        return write([] if left and left.pop() else sessions, **place)

    monkeypatch.setattr(service_conductor, "snapshot_messages", altered)


def of_state(**changes):
    return lambda patch: with_first_state(patch, lambda state: replace(state, **changes))


FAULTS = {
    "snapshots hold the sessions": of_state(sessions=()),
    "session ids are given once": of_state(next_session_id=77),
    "snapshots hold the timers": of_state(timers=((77, 2**62),)),
    "snapshots number the services' messages": of_state(trackers=()),
    "services' snapshots hold the sessions": with_first_container,
}


@pytest.mark.parametrize("invariant", FAULTS)
def test_a_wrong_snapshot_that_is_gone_in_the_end_is_found(invariant, monkeypatch):
    FAULTS[invariant](monkeypatch)
    found = outcome()
    assert found.invariant == invariant, found.failure
    assert found.virtual_ns < 60 * S
    # What is checked in the end alone finds none of these.
    monkeypatch.undo()
    monkeypatch.setattr(SnapshotsAreRightWhenComplete, "check", Checker.check)
    FAULTS[invariant](monkeypatch)
    assert outcome().is_good


def test_a_set_of_which_a_part_is_known_is_compared_as_a_whole(monkeypatch):
    """A member that copied it again may have a part of it in the same recordings as before."""
    compare = SnapshotsAreRightWhenComplete._compare_new
    found = []

    def compare_twice(checker, cluster, member):
        if not compare(checker, cluster, member):
            return False
        of_services = {each for each in checker._compared if each[1].service_id >= 0}
        found.append(len(of_services))
        checker._compared -= of_services
        return compare(checker, cluster, member)

    monkeypatch.setattr(SnapshotsAreRightWhenComplete, "_compare_new", compare_twice)
    run = outcome()
    assert run.is_good, f"{run.failure}\n{run.detail}"
    assert max(found) >= 1
