"""What a backup must have while members purge old log and snapshots."""

from types import SimpleNamespace

import pytest

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks import backup_invariants
from aeron_cluster.simulator.checks.backup_invariants import BackupsArePrefixes


class Disks:
    """The content of each disk, by name: snapshots by their positions."""

    def __init__(self, monkeypatch, snapshots):
        names = [name for name in snapshots if name != "backup"]
        members = [SimpleNamespace(name=name, commit_position=4096) for name in names]
        self.cluster = SimpleNamespace(
            members=members, backups=[SimpleNamespace(name="backup")], now_ns=0
        )
        self.snapshots = snapshots
        monkeypatch.setattr(backup_invariants, "read_log", lambda *_: [])
        monkeypatch.setattr(backup_invariants, "read_log_start", lambda *_: 0)
        monkeypatch.setattr(
            backup_invariants,
            "read_snapshots",
            lambda name, _: [(at, 0, data) for at, data in self.snapshots[name].items()],
        )

    def of(self, who):
        return who.name


def conclude(monkeypatch, **snapshots):
    disks = Disks(monkeypatch, snapshots)
    checker = BackupsArePrefixes()
    checker._disks = disks
    checker.conclude(disks.cluster)


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
