"""Members compared at equal positions."""

from dataclasses import replace

import pytest

from aeron_cluster.cluster.service.checkpoint import Checkpoint
from aeron_cluster.cluster.service.divergence_guard import DivergenceGuard
from aeron_cluster.cluster.service.offline.divergence import (
    MemberCheckpoints,
    compare,
    compare_snapshots,
    read_member,
)
from aeron_cluster.cluster.service.offline.source import SnapshotPlace
from aeron_cluster.errors import StateError
from aeron_cluster.memory.system.seams import SystemFiles


def checkpoints(count, *, first=0, base=0, diverge_at=None, of_log=False):
    """Return a checkpoint every 64 bytes; from the given one on, the hash differs."""
    found = []
    for index in range(first, count):
        is_odd = diverge_at is not None and index >= diverge_at
        found.append(
            Checkpoint(
                position=64 * (index + 1),
                leadership_term_id=index // 4,
                previous_position=64 * index,
                base_position=base,
                hash=1000 * base + index + (500 if is_odd else 0),
                interval_hash=index + (500 if index == diverge_at else 0),
                log_hash=7 * base + index + (500 if is_odd and of_log else 0),
                claim_hash=0,
                effect_count=index,
            )
        )
    return tuple(found)


def member(number, found, service_id=0):
    return MemberCheckpoints(f"member {number}", service_id, 64, found)


def test_members_with_the_same_effects_are_equal():
    found = compare([member(0, checkpoints(9)), member(1, checkpoints(7)), member(2, ())])
    assert found.difference is None
    assert (found.position_count, found.first_position, found.last_position) == (7, 64, 448)


@pytest.mark.parametrize("diverge_at", [0, 1, 5, 8])
def test_the_first_differing_position_is_named(diverge_at):
    found = compare(
        [
            member(0, checkpoints(9)),
            member(1, checkpoints(9, diverge_at=diverge_at)),
            member(2, checkpoints(9)),
        ]
    )
    difference = found.difference
    assert (difference.agreed_position, difference.position) == (
        64 * diverge_at,
        64 * (diverge_at + 1),
    )
    assert difference.leadership_term_id == diverge_at // 4
    assert difference.diverged == ("member 1",)
    assert difference.hashes["member 0"] == difference.hashes["member 2"]
    error = difference.error()
    assert (error.service_id, error.position) == (0, 64 * (diverge_at + 1))
    assert f"between log positions {64 * diverge_at} and {64 * (diverge_at + 1)}" in str(difference)
    assert "member 1 diverged" in str(difference)


def test_differing_logs_are_distinguished_from_differing_services():
    other = checkpoints(9, diverge_at=3, of_log=True)
    found = compare([member(0, checkpoints(9)), member(1, other), member(2, checkpoints(9))])
    difference = found.difference
    assert difference.is_of_logs
    assert (difference.position, difference.diverged) == (256, ("member 1",))
    assert str(difference).startswith("log of service 0: ")


def test_neither_of_two_members_is_named_as_diverged():
    found = compare([member(0, checkpoints(9)), member(1, checkpoints(9, diverge_at=3))])
    assert found.difference.diverged == ()
    assert "diverged" not in str(found.difference)


def test_members_that_differ_in_committed_claims_alone_are_named_with_these():
    odd = tuple(
        replace(each, claim_hash=1) if each.position == 256 else each for each in checkpoints(9)
    )
    found = compare([member(0, checkpoints(9)), member(1, odd), member(2, checkpoints(9))])
    assert found.difference.hashes == {"member 0": 0, "member 1": 1, "member 2": 0}
    assert (found.difference.position, found.difference.diverged) == (256, ("member 1",))


class Archive:
    """Has a snapshot of service 0 at each of the given positions."""

    def __init__(self, snapshots):
        self.snapshots = snapshots

    def snapshots_of(self, service_id):
        assert service_id == 0
        return [SnapshotPlace(position, 3, 1, position) for position in sorted(self.snapshots)]

    def read_snapshot(self, place):
        return iter(self.snapshots[place.log_position])


EQUAL = {64: [b"a", b"b"], 128: [b"c"], 256: [b"d"]}
ODD = {64: [b"a", b"b"], 128: [b"other"], 256: [b"e"]}


@pytest.mark.parametrize(
    ("archives", "diverged"),
    [
        ([EQUAL, ODD, EQUAL], ("member 1",)),
        ([ODD, EQUAL, ODD], ("member 1",)),
        ([EQUAL, ODD], ()),
    ],
)
def test_the_first_differing_snapshot_is_named(archives, diverged):
    sources = {f"member {number}": Archive(each) for number, each in enumerate(archives)}
    found = compare_snapshots(sources, 0)
    assert (found.position_count, found.first_position, found.last_position) == (3, 64, 256)
    difference = found.difference
    assert (difference.agreed_position, difference.position) == (64, 128)
    assert (difference.leadership_term_id, difference.diverged) == (3, diverged)
    assert difference.hashes.keys() == sources.keys()


def test_snapshots_at_other_positions_are_not_compared():
    sources = {"member 0": Archive({64: [b"a"], 96: [b"b"]}), "member 1": Archive({64: [b"a"]})}
    found = compare_snapshots(sources, 0)
    assert (found.position_count, found.last_position, found.difference) == (1, 64, None)


def test_member_started_from_a_snapshot_is_compared_by_intervals():
    late = checkpoints(9, first=4, base=256)
    assert compare([member(0, checkpoints(9)), member(1, late)]).difference is None
    diverge_at = compare(
        [member(0, checkpoints(9)), member(1, checkpoints(9, first=4, base=256, diverge_at=6))]
    )
    assert (diverge_at.difference.agreed_position, diverge_at.difference.position) == (384, 448)


def test_members_without_equal_positions_are_not_compared():
    moved = tuple(replace(each, position=each.position + 32) for each in checkpoints(4))
    found = compare([member(0, checkpoints(4)), member(1, moved)])
    assert (found.position_count, found.first_position, found.difference) == (0, -1, None)


def test_reads_the_services_of_a_member(tmp_path):
    files = SystemFiles()
    (tmp_path / "cluster").mkdir()
    for service_id in (0, 1):
        guard = DivergenceGuard.open(
            files,
            tmp_path / "cluster" / f"divergence-{service_id}.dat",
            service_id=service_id,
            interval=64,
        )
        guard.begin(0)
        guard.set_member_id(2)
        guard.close()
    for place in (tmp_path, tmp_path / "cluster"):
        found = read_member(files, str(place))
        assert [(each.name, each.service_id) for each in found] == [
            ("member 2", 0),
            ("member 2", 1),
        ]


def test_a_member_without_a_guard_is_named(tmp_path):
    with pytest.raises(StateError, match=r"expected divergence-<service id>\.dat"):
        read_member(SystemFiles(), str(tmp_path))
