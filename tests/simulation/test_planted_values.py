"""Wrong values in counters, mark files and recording logs of a cluster at rest: each is found."""

import struct

import pytest

from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.invariants import Checker
from aeron_cluster.simulator.checks.model_checks import MembersFollowTheModel
from aeron_cluster.simulator.checks.plain_disk import read_entries
from aeron_cluster.simulator.checks.recording_logs import RecordingLogsHaveTheirTimes
from aeron_cluster.simulator.checks.rest import MembersAreAtRest
from aeron_cluster.simulator.faults.events import Operate
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000
DAY_MS = 86_400_000
COUNTERS = {
    "module_state": (0, 2, 5),
    "node_role": (1,),
    "control_toggle": (3, 4),
    "commit_position": (-999, 0, 1 << 40),
    "snapshot_count": (-7, 2),
    "election_state": (1, 16),
    "errors": (-1, 99),
    "timed_out_clients": (-1,),
    "max_cycle_time": (-1, 1 << 60),
    "cycle_exceeded": (-1, 5),
    "node_toggle": (0, 2),
    "max_snapshot_duration": (-1, 1 << 60),
    "snapshot_duration_exceeded": (-1, 1),
    "election_count": (0, -1),
    "leadership_term_id": (-1, 99),
    "rejected_connects": (-1,),
    "rejected_sources": (-1,),
    "leader_activity": (0, 1 << 60),
}
MARKS = ("cluster-mark.dat", "cluster-mark-service-0.dat")
# Format and offset of each field, and a wrong value.
FIELDS = {
    "block length": ("<H", 0, 120),
    "template": ("<H", 2, 201),
    "schema": ("<H", 4, 111),
    "schema's version": ("<H", 6, 1),
    "version": ("<i", 8, 769),
    "component": ("<i", 12, 3),
    "activity": ("<q", 16, 1),
    "start": ("<q", 24, 1_767_225_600_000 - DAY_MS),
    "pid": ("<q", 32, 1),
    "candidate term": ("<q", 40, 5),
    "archive stream": ("<i", 48, 100),
    "service stream": ("<i", 52, 105),
    "module stream": ("<i", 56, 104),
    "ingress stream": ("<i", 60, 102),
    "member": ("<i", 64, 9),
    "service": ("<i", 68, 9),
    "header length": ("<i", 72, 4096),
    "error length": ("<i", 76, 8192),
    "cluster": ("<i", 80, 1),
    "directory": ("<14s", 140, b"/dev/shm/other"),
}
ENTRY_FIELDS = {
    "recording": ("<q", 0, 99),
    "term": ("<q", 8, 77),
    "base": ("<q", 16, 32),
    "position": ("<q", 24, 1 << 40),
    "timestamp": ("<q", 32, -123_456_789),
    "service": ("<i", 40, 5),
    "type": ("<I", 44, 0),  # of a snapshot; a term becomes a snapshot
}
LOG = "/data/cluster/recording.log"


class Planting(Checker):
    """In place of some checks: plants each value, and checks that they find it, and nothing else.

    Parameters
    ----------
    checks : list of Checker
        In their order; they are called before and after each value, too.
    plants : callable
        Yields, for a member, names and functions that set and restore a value.
    """

    def __init__(self, checks, plants):
        self.checks = checks
        self.plants = plants
        self.found = {}

    def check(self, cluster):
        for each in self.checks:
            each.check(cluster)

    def conclude(self, cluster):
        self._conclude(cluster)
        for member in cluster.members:
            for name, plant, restore in self.plants(member):
                plant()
                try:
                    self._conclude(cluster)
                except InvariantError as error:
                    self.found.setdefault(name, []).append(error.invariant)
                restore()
        self._conclude(cluster)

    def _conclude(self, cluster):
        for each in self.checks:
            each.conclude(cluster)


def find(kinds, plants):
    settings = Settings.of(
        "consensus", draws=1, members=3, layout="node", sync_level=0, duration_ns=4 * S
    )
    trial = Trial(3, settings, FaultPlan((Operate(S, ControlToggle.SNAPSHOT),)))
    checkers = trial.cluster.checkers
    replaced = [each for each in checkers if isinstance(each, kinds)]
    assert len(replaced) == (len(kinds) if isinstance(kinds, tuple) else 1)
    planting = Planting(replaced, plants)
    trial.cluster.checkers = [*(each for each in checkers if each not in replaced), planting]
    outcome = trial.run()
    assert outcome.is_good, outcome.failure
    return planting.found


def of_counters(member):
    for name, values in COUNTERS.items():
        counter = getattr(member.counters, name)
        right = counter.get()
        for value in values:
            if value != right:
                yield (
                    (name, value),
                    lambda counter=counter, value=value: counter.set(value),
                    lambda counter=counter, right=right: counter.set(right),
                )


def in_file(member, path, offset, layout, value):
    """Return functions that write a value into a file, and what it had before."""
    files = member.machine.files
    with files.open(path) as file:
        right = file.read_at(struct.calcsize(layout), offset)

    def write(data):
        with files.open(path, write=True) as file:
            file.write_at(data, offset)

    return lambda: write(struct.pack(layout, value)), lambda: write(right)


def of_marks(member):
    for mark in MARKS:
        for name, (layout, offset, value) in FIELDS.items():
            path = f"/data/cluster/{mark}"
            yield (mark, name), *in_file(member, path, offset, layout, value)


def of_recording_logs(member):
    count = len(read_entries(member.machine.files.copy("/data/cluster"), LOG))
    for index in range(count):
        for name, (layout, offset, value) in ENTRY_FIELDS.items():
            planted = 1 if name == "type" and index == 0 else value
            yield (index, name), *in_file(member, LOG, 64 * index + offset, layout, planted)


def test_each_wrong_counter_is_found():
    found = find(MembersAreAtRest, of_counters)
    planted = {(name, value) for name, values in COUNTERS.items() for value in values}
    assert found.keys() == planted
    assert {len(each) for each in found.values()} == {3}
    assert {name for names in found.values() for name in names} == {"counters are right at rest"}


def test_each_wrong_field_of_a_mark_file_is_found():
    found = find(MembersAreAtRest, of_marks)
    assert found.keys() == {(mark, name) for mark in MARKS for name in FIELDS}
    assert {len(each) for each in found.values()} == {3}
    assert {name for names in found.values() for name in names} == {
        "mark files name their owner",
        "mark files have the start of their owner",
        "mark files are young",
    }


@pytest.mark.timeout(120)
def test_each_wrong_field_of_a_recording_log_is_found():
    found = find((MembersFollowTheModel, RecordingLogsHaveTheirTimes), of_recording_logs)
    # A term, and a snapshot of the service and of the module.
    assert found.keys() == {(index, name) for index in range(3) for name in ENTRY_FIELDS}
    assert {len(each) for each in found.values()} == {3}
