"""A log buffer in shared memory, with the steps of a publisher in plain arithmetic.

Written from Aeron's description of log buffers: three terms, then metadata in the last 4096 bytes
of the file. A publisher of a shared publication adds the length of a frame to the tail of the
active term, writes the frame's header with a negative length, and the length when the frame is
complete. The publisher whose frame does not fit pads the term, and begins the next one.
"""

from __future__ import annotations

import errno
import posixpath
import struct
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from aeron_cluster.simulator.world.machine import AERON_DIR

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from aeron_cluster.memory.shared.counter_descriptor import CounterDescriptor
    from aeron_cluster.simulator.world.memory_files import MemoryFiles

__all__ = ["PUBLISHER_LIMIT", "ClaimStep", "PlainLog", "Stream", "frame_room", "latest_stream"]

PUBLISHER_LIMIT: Final = 1
"""The type of the counters that name a driver's publications."""

_METADATA_LENGTH: Final = 4096
_TERMS: Final = 3
_ALIGNMENT: Final = 32
_HEADER_LENGTH: Final = 32
_TAIL: Final = struct.Struct("<q")
_COUNT: Final = struct.Struct("<i")
_COUNT_OFFSET: Final = 24
_TERM_LENGTH_OFFSET: Final = 276
_STREAM: Final = struct.Struct("<ii")  # session and stream, in the default header
_STREAM_OFFSET: Final = 332
_FRAME: Final = struct.Struct("<iBBHiiiiq")
_BEGIN_LENGTH: Final = 8  # of what is written together with the length
_PADDING: Final = 0
_DATA: Final = 1
_UNFRAGMENTED: Final = 0xC0
_LONGEST_PADDING: Final = 1024  # less than the default MTU
_STREAM_OF_LABEL: Final = 3
_MASK: Final = 0xFFFFFFFF


class ClaimStep(Enum):
    """What a publisher has done for a frame."""

    ADDED = "no header"
    """It has only moved the tail: the length is 0."""

    BEGUN = "a begun header"
    """It has written the negative length, with the type."""

    CLAIMED = "a header of negative length"
    COMPLETE = "a complete frame"

    def __str__(self) -> str:
        return self.value


def frame_room(payload_length: int) -> int:
    """Return the room that a frame takes in its term, in bytes."""
    return -(-(_HEADER_LENGTH + payload_length) // _ALIGNMENT) * _ALIGNMENT


class Stream(NamedTuple):
    """A publication of a driver."""

    registration_id: int
    limit: int
    """Up to where flow control allows claims, in bytes since the stream began."""


def latest_stream(counters: Iterable[CounterDescriptor], stream_id: int) -> Stream | None:
    """Find the latest publication of a stream, which replaces earlier ones; None if there is none.

    Parameters
    ----------
    counters : iterable of CounterDescriptor
        Those of the driver, of the type `PUBLISHER_LIMIT` at least.
    stream_id : int
    """
    # A label names the publication and the session before the stream.
    return max(
        (
            Stream(each.registration_id, each.value)
            for each in counters
            if each.type_id == PUBLISHER_LIMIT
            and each.label.split()[_STREAM_OF_LABEL] == str(stream_id)
        ),
        default=None,
    )


class PlainLog:
    """The log of a shared publication.

    Parameters
    ----------
    files : MemoryFiles
    registration_id : int
        Of the publication, by which its file is named.
    """

    def __init__(self, files: MemoryFiles, registration_id: int) -> None:
        for operation in ("open", "read_at", "write_at"):
            files.fail(operation, errno.EIO, count=0)  # memory does not fail
        path = posixpath.join(AERON_DIR, "publications", f"{registration_id}.logbuffer")
        self._file = files.open(path, write=True)
        self._metadata = self._file.length - _METADATA_LENGTH
        (self.term_length,) = self._read(_COUNT, self._metadata + _TERM_LENGTH_OFFSET)
        self._stream = self._read(_STREAM, self._metadata + _STREAM_OFFSET)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    @property
    def position(self) -> int:
        """Up to where it is claimed, in bytes since the stream began."""
        count, tail = self._active()
        return count * self.term_length + min(tail & _MASK, self.term_length)

    @property
    def room(self) -> int:
        """The rest of the active term, in bytes; 0 if it has ended."""
        return max(0, self.term_length - (self._active()[1] & _MASK))

    def append(self, payload_length: int, step: ClaimStep, *, is_padding: bool = False) -> None:
        """Append a frame up to a step; one that does not fit, as padding to the term's end.

        The next term is not begun.

        Parameters
        ----------
        payload_length : int
        step : ClaimStep
        is_padding : bool
            Whether the frame is padding itself, as an aborted claim leaves it.
        """
        count, tail = self._active()
        index = count % _TERMS
        offset = tail & _MASK
        length = _HEADER_LENGTH + payload_length
        aligned = frame_room(payload_length)
        # What is in memory changes at once, before another process works.
        self._file.write_at(_TAIL.pack(tail + aligned), self._metadata + _TAIL.size * index)
        room = self.term_length - offset
        if aligned > room:
            length, is_padding = room, True
        if step is ClaimStep.ADDED:
            return
        session_id, stream_id = self._stream
        header = _FRAME.pack(
            length if step is ClaimStep.COMPLETE else -length,
            0,
            _UNFRAGMENTED,
            _PADDING if is_padding else _DATA,
            offset,
            session_id,
            stream_id,
            tail >> 32,
            0,
        )
        end = _BEGIN_LENGTH if step is ClaimStep.BEGUN else len(header)
        self._file.write_at(header[:end], index * self.term_length + offset)

    def leave_claim(
        self, payload_length: int, step: ClaimStep, limit: int, *, is_at_end: bool
    ) -> int | None:
        """Leave a claim open, or move on to the end of the term as far as flow control allows.

        Parameters
        ----------
        payload_length : int
        step : ClaimStep
        limit : int
            Up to where claims are allowed, in bytes since the stream began.
        is_at_end : bool
            Whether the frame must not fit in its term.

        Returns
        -------
        int or None
            The position of the claim; None if there is none yet.
        """
        while self.room > 0 and self.position < limit:
            excess = self.room - frame_room(payload_length)
            if not is_at_end or excess < 0:
                position = self.position
                self.append(payload_length, step)
                return position
            # As a claim that is aborted leaves it. Some of the term remains.
            self.append(min(_LONGEST_PADDING, excess), ClaimStep.COMPLETE, is_padding=True)
        return None

    def length_at(self, position: int) -> int:
        """Return the length of the frame at a position: 0 before its header, negative in a claim.

        Parameters
        ----------
        position : int
        """
        count, offset = divmod(position, self.term_length)
        (length,) = self._read(_COUNT, count % _TERMS * self.term_length + offset)
        return int(length)

    def _active(self) -> tuple[int, int]:
        """Return the number of the active term, and its tail with the term id."""
        (count,) = self._read(_COUNT, self._metadata + _COUNT_OFFSET)
        (tail,) = self._read(_TAIL, self._metadata + _TAIL.size * (count % _TERMS))
        return count, tail

    def _read(self, fields: struct.Struct, offset: int) -> tuple[int, ...]:
        return fields.unpack(self._file.read_at(fields.size, offset))
