"""Bit flips on a disk, as events of a plan."""

from __future__ import annotations

import posixpath
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.codecs.frame_layout import FRAME_ALIGNMENT, FRAME_HEADER_LENGTH
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.faults.events import MemberEvent
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aeron_cluster.memory.system.seams import Random
    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.members.member import Member
    from aeron_cluster.simulator.world.memory_files import MemoryFiles

__all__ = ["FlipBit", "FlipRecordedBit"]

_PARTS: Final = ("archive", "cluster")
_HEADERS_LENGTH: Final = 1024
_HEADER: Final = struct.Struct("<ixxH")  # frame length, type
_FRAME_TYPE_OFFSET: Final = 6
_DATA_FRAME: Final = 1
_PADDING_ONE_IN: Final = 4


@dataclass(frozen=True)
class FlipBit(MemberEvent):
    """Any bit on a member's disk flips while the member is down.

    Parameters
    ----------
    choice : int
        Determines the bit.
    down_ns : int
    """

    template = "a bit of {member} flips on its disk (choice {choice}), down for {down_ns}"

    choice: int
    down_ns: int

    def _happen(self, trial: EventHost, member: Member) -> None:
        member.kill()
        files = member.machine.files
        if files.is_directory(DIRECTORY):
            place = self._choose(files.copy(DIRECTORY), SeededRandom(self.choice))
            if place is not None:
                files.flip_bit(*place)
        trial.start_later(member, self.down_ns)

    def _choose(self, disk: MemoryFiles, random: Random) -> tuple[str, int, int] | None:
        """Return a path, an offset and a bit."""
        found = [(path, len(data)) for path, data in _files_of(disk) if data]
        if not found:
            return None
        path, length = found[random.below(len(found))]
        # Half of the flips are in headers, at the start of files.
        room = length if random.below(2) else min(length, _HEADERS_LENGTH)
        return path, random.below(room), random.below(8)


@dataclass(frozen=True)
class FlipRecordedBit(FlipBit):
    """A bit of a recorded message flips while the member is down, or its frame becomes padding.

    Parameters
    ----------
    choice, down_ns : int
        As for `FlipBit`.
    may_pad : bool
        Whether a quarter of the choices makes padding.
    """

    template = (
        "a bit of what {member} recorded flips (choice {choice}, padding {may_pad}), down for"
        " {down_ns}"
    )

    may_pad: bool = False

    def _choose(self, disk: MemoryFiles, random: Random) -> tuple[str, int, int] | None:
        found = [
            (path, offset, length)
            for path, data in _files_of(disk)
            if path.endswith(".rec")
            for offset, length in _messages_of(data)
        ]
        if not found:
            return None
        path, offset, length = found[random.below(len(found))]
        place, bit = random.below(length), random.below(8)
        if self.may_pad and place % _PADDING_ONE_IN == 0:
            # The bit that a data frame's type differs in from padding, which readers skip.
            return path, offset - FRAME_HEADER_LENGTH + _FRAME_TYPE_OFFSET, 0
        return path, offset + place, bit


def _files_of(disk: MemoryFiles) -> Iterator[tuple[str, bytes]]:
    for part in _PARTS:
        directory = posixpath.join(DIRECTORY, part)
        for name in disk.list(directory) if disk.is_directory(directory) else ():
            path = posixpath.join(directory, name)
            if disk.is_file(path):
                yield path, disk.read(path)


def _messages_of(segment: bytes) -> Iterator[tuple[int, int]]:
    """Find the offsets and lengths of messages in a segment, without their headers."""
    offset = 0
    while offset + FRAME_HEADER_LENGTH <= len(segment):
        frame_length, frame_type = _HEADER.unpack_from(segment, offset)
        if frame_length < FRAME_HEADER_LENGTH:
            return
        if frame_type == _DATA_FRAME and frame_length > FRAME_HEADER_LENGTH:
            yield offset + FRAME_HEADER_LENGTH, frame_length - FRAME_HEADER_LENGTH
        offset += -(-frame_length // FRAME_ALIGNMENT) * FRAME_ALIGNMENT
