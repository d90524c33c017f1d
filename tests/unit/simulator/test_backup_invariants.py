"""What a backup must have while members purge old log and snapshots."""

from types import SimpleNamespace

import pytest

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks import backup_invariants
from aeron_cluster.simulator.checks.backup_invariants import BackupsArePrefixes


class Disks:
    """The content of each disk, by name: snapshots and messages by their positions."""

    def __init__(self, monkeypatch, snapshots, logs=None, log_start=0):
        names = [name for name in snapshots if name != "backup"]
        self.logs = logs or {}
        members = [SimpleNamespace(name=name, commit_position=4096) for name in names]
        self.cluster = SimpleNamespace(
            members=members, backups=[SimpleNamespace(name="backup")], sync_level=1, now_ns=0
        )
        self.snapshots = snapshots
        self.missing = ()
        monkeypatch.setattr(backup_invariants, "is_log_missing", lambda name: name in self.missing)
        monkeypatch.setattr(backup_invariants, "read_log", self._read_log)
        monkeypatch.setattr(backup_invariants, "read_log_start", lambda *_: log_start)
        monkeypatch.setattr(
            backup_invariants,
            "read_snapshots",
            lambda name, _: [(at, 0, data) for at, data in self.snapshots[name].items()],
        )

    def _read_log(self, name, _, limit):
        log = self.logs.get(name, {})
        return [(position, data) for position, data in log.items() if position <= limit]

    def of(self, who):
        return None if self.snapshots[who.name] is None else who.name


def conclude(monkeypatch, **snapshots):
    disks = Disks(monkeypatch, snapshots)
    checker = BackupsArePrefixes()
    checker._disks = disks
    checker.conclude(disks.cluster)


def test_a_member_whose_log_is_missing_for_a_while_is_not_read(monkeypatch):
    disks = Disks(monkeypatch, {"first": {4096: b"x"}, "second": {4096: b"y"}, "backup": {}})
    disks.snapshots["backup"] = {4096: b"x"}
    checker = BackupsArePrefixes()
    checker._disks = disks
    with pytest.raises(InvariantError, match="a backup's snapshots are the members'"):
        checker.conclude(disks.cluster)
    disks.missing = ("second",)
    checker.conclude(disks.cluster)


LOG = {64: b"a", 128: b"b", 192: b"c"}


def check_log(monkeypatch, backup_log, *, log_start=0, limit=4096, log=LOG):
    disks = Disks(
        monkeypatch, {"first": {}, "backup": {}}, {"first": log, "backup": backup_log}, log_start
    )
    disks.cluster.members[0].commit_position = limit
    checker = BackupsArePrefixes()
    checker._disks = disks
    checker.conclude(disks.cluster)


def test_a_log_that_is_a_prefix_passes(monkeypatch):
    check_log(monkeypatch, {64: b"a", 128: b"b"})
    check_log(monkeypatch, LOG)
    # What is not committed yet, and what members have purged, is not compared.
    check_log(monkeypatch, LOG | {192: b"x"}, limit=128)
    check_log(monkeypatch, LOG | {64: b"x"}, log_start=64)
    check_log(monkeypatch, LOG | {64: b"x"}, limit=-1)


@pytest.mark.parametrize(
    ("backup_log", "found"),
    [
        ({64: b"a", 128: b"x"}, "has 78 before 128; 4096 is committed"),
        ({64: b"a", 96: b"b"}, "has 62 before 96; 4096 is committed"),
        (LOG | {256: b"d"}, "has 64 before 256; 4096 is committed"),
    ],
)
def test_a_log_that_is_no_prefix_is_found(monkeypatch, backup_log, found):
    with pytest.raises(InvariantError, match="a backup is a prefix") as error:
        check_log(monkeypatch, backup_log)
    assert error.value.found.endswith(found)


def test_machines_without_anything_on_disk_are_not_compared(monkeypatch):
    conclude(monkeypatch, first={256: b"a"}, lagging=None, backup=None)
    with pytest.raises(InvariantError, match="at 256"):
        conclude(monkeypatch, first={256: b"a"}, lagging=None, backup={256: b"x"})


def test_disks_are_read_at_each_interval(monkeypatch):
    disks = Disks(monkeypatch, {"first": {}, "backup": {}})
    checker = BackupsArePrefixes(interval_ns=10)
    times = []
    monkeypatch.setattr(checker, "conclude", lambda cluster: times.append(cluster.now_ns))
    for now_ns in (0, 9, 10, 19, 25):
        disks.cluster.now_ns = now_ns
        checker.check(disks.cluster)
    assert times == [0, 10, 25]
    disks.cluster.backups, disks.cluster.now_ns = [], 100
    checker.check(disks.cluster)
    assert times == [0, 10, 25]


def test_log_purged_by_the_others_is_compared_with_nothing(monkeypatch):
    conclude(
        monkeypatch,
        first={1024: b"c", 1536: b"d"},
        lagging={256: b"a"},
        backup={256: b"a", 512: b"b", 1024: b"c"},
    )


def test_snapshot_never_taken_is_found(monkeypatch):
    with pytest.raises(InvariantError, match="at 1280"):
        conclude(
            monkeypatch,
            first={1024: b"c", 1536: b"d"},
            lagging={256: b"a"},
            backup={1024: b"c", 1280: b"x"},
        )


def test_a_snapshot_with_something_else_in_it_is_found(monkeypatch):
    with pytest.raises(InvariantError, match="at 256"):
        conclude(
            monkeypatch,
            first={1024: b"c"},
            lagging={256: b"a"},
            backup={256: b"x", 1024: b"c"},
        )
