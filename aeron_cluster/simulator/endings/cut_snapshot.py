"""A snapshot that lacks its end: the member that should load it states so, and does not wait."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import ServiceCallbackError, ServiceError, SnapshotError, StateError
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.checks.disk_copies import DiskCopies
from aeron_cluster.simulator.checks.member_disk import read_snapshot_sets
from aeron_cluster.simulator.checks.plain_disk import (
    read_messages,
    read_recordings,
    stop_position_offset,
)
from aeron_cluster.simulator.endings.vain_start import start_in_vain
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.memory.system.seams import Random
    from aeron_cluster.simulator.cluster import Member
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["cut_snapshot", "draw_cut"]

_OF_CUTS: Final = 0xC075
_ONE_IN: Final = 2
_FEWEST_MEMBERS: Final = 3
_ARCHIVE: Final = f"{DIRECTORY}/archive"
_POSITION: Final = struct.Struct("<q")


def draw_cut(seed: int, members: int) -> Random | None:
    """Return what chooses the snapshot to cut, in one run of two with three members or more.

    Parameters
    ----------
    seed : int
        The seed of the run.
    members : int
        Their number.
    """
    random = SeededRandom(seed ^ _OF_CUTS)
    return None if members < _FEWEST_MEMBERS or random.below(_ONE_IN) else random


def cut_snapshot(host: RunHost, random: Random) -> None:
    """Start a follower whose latest snapshot lacks its end, and then with the whole one.

    Nothing is done if it has none, or its archive does not have it.

    Raises
    ------
    InvariantError
        It ended, or failed, for another reason.
    TimeoutExpiredError
        It states nothing, or does not catch up with the whole snapshot.
    """
    member = next(each for each in host.cluster.members if not each.is_leading)
    disk = DiskCopies().of(member)
    if disk is None or not (sets := read_snapshot_sets(disk, DIRECTORY)):
        return
    # A service that was killed after its snapshot was stored takes it again: the latest is loaded.
    latest = list({each.service_id: each for each in sets[-1]}.values())
    recording_id = latest[random.below(len(latest))].recording_id
    if recording_id not in read_recordings(disk, _ARCHIVE):
        return
    start_in_vain(
        host,
        member,
        lambda: _cut(member, recording_id, random),
        rule="a member states that its snapshot lacks its end",
        expected=(SnapshotError, ServiceError, ServiceCallbackError, StateError),
    )


def _cut(member: Member, recording_id: int, random: Random) -> Callable[[], None]:
    """Let a recording end after some of its messages; return what undoes that."""
    files = member.machine.files
    recording = read_recordings(files, _ARCHIVE)[recording_id]
    ends = [end for _, end in read_messages(files, _ARCHIVE, recording)]
    end = ends[random.below(len(ends) - 1)]
    name, begin = recording.segment(end)
    catalog, segment = f"{_ARCHIVE}/archive.catalog", f"{_ARCHIVE}/{name}"
    stop_offset = stop_position_offset(files, _ARCHIVE, recording_id)
    with files.open(segment) as file:
        lost = file.read_at(recording.stop_position - end, begin)

    def write(position: int, data: bytes) -> None:
        for path, part, offset in (
            (segment, data, begin),
            (catalog, _POSITION.pack(position), stop_offset),
        ):
            with files.open(path, write=True) as file:
                file.write_at(part, offset)
                file.sync()

    write(end, bytes(len(lost)))
    return lambda: write(recording.stop_position, lost)
