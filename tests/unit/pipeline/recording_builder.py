"""Recordings written frame by frame, and a slow and plain reader."""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.archive.storage.segments import base_position, segment_name
from aeron_cluster.memory.system.seams import SystemFiles

TERM = 64 * 1024
HEADER = struct.Struct("<iBBHiiiiq")
PAD, DATA = 0, 1
BEGIN, END, WHOLE = 0x80, 0x40, 0xC0


def aligned(length: int) -> int:
    return -(-length // 32) * 32


@dataclass
class Frame:
    position: int
    kind: int
    flags: int
    length: int
    reserved: int
    payload: bytes


# Position, end position, flags and payload.
Row = tuple[int, int, int, bytes]


class RecordingBuilder:
    """A recording built in memory, then written into an archive's directory.

    Parameters
    ----------
    start
        The start position.
    term_length, terms_per_segment
        The term length, and the number of terms per segment.
    max_payload
        The longest payload of a frame.
    """

    def __init__(
        self,
        start: int = 0,
        *,
        term_length: int = TERM,
        terms_per_segment: int = 2,
        initial_term_id: int = 7,
        session_id: int = 11,
        stream_id: int = 100,
        max_payload: int = 1376,
    ) -> None:
        self.start = self.position = start
        self.term_length = term_length
        self.segment_length = term_length * terms_per_segment
        self.initial_term_id = initial_term_id
        self.session_id = session_id
        self.stream_id = stream_id
        self.max_payload = max_payload
        self.frames: list[Frame] = []

    @property
    def room(self) -> int:
        return self.term_length - self.position % self.term_length

    def frame(
        self,
        payload: bytes = b"",
        flags: int = WHOLE,
        kind: int = DATA,
        length: int | None = None,
        reserved: int = 0,
    ) -> Self:
        """Write a frame of any kind."""
        length = length or 32 + len(payload)
        assert aligned(length) <= self.room
        self.frames.append(Frame(self.position, kind, flags, length, reserved, payload))
        self.position += aligned(length)
        return self

    def message(self, payload: bytes, reserved: int = 0) -> Self:
        """Write a message as a publication does: in fragments, never across the end of a term."""
        parts = [
            payload[at : at + self.max_payload] for at in range(0, len(payload), self.max_payload)
        ] or [b""]
        if sum(aligned(32 + len(part)) for part in parts) > self.room:
            self.aborted(self.room)
        for index, part in enumerate(parts):
            flags = (BEGIN if index == 0 else 0) | (END if index == len(parts) - 1 else 0)
            self.frame(part, flags, reserved=reserved)
        return self

    def aborted(self, length: int) -> Self:
        """Write an aborted claim or the padding of a term."""
        return self.frame(kind=PAD, length=length)

    def header(self, frame: Frame) -> bytes:
        term_id = self.initial_term_id + frame.position // self.term_length
        return HEADER.pack(
            frame.length,
            0,
            frame.flags,
            frame.kind,
            frame.position % self.term_length,
            self.session_id,
            self.stream_id,
            (term_id + 2**31) % 2**32 - 2**31,
            frame.reserved,
        )

    def base(self, position: int) -> int:
        return base_position(self.start, position, self.term_length, self.segment_length)

    def put(
        self,
        path: Path,
        *,
        is_stopped: bool = True,
        checksum: Callable[[bytes], int] | None = None,
    ) -> int:
        """Add it to an archive's catalog and write its segments; return its id."""
        path.mkdir(parents=True, exist_ok=True)
        with Catalog(SystemFiles(), str(path), capacity=4096, checksum=checksum) as catalog:
            recording_id = catalog.add(
                start_position=self.start,
                start_timestamp=1,
                initial_term_id=self.initial_term_id,
                segment_file_length=self.segment_length,
                term_buffer_length=self.term_length,
                mtu_length=self.max_payload + 32,
                session_id=self.session_id,
                stream_id=self.stream_id,
                stripped_channel="aeron:ipc",
                original_channel="aeron:ipc",
                source_identity="aeron:ipc",
            )
            if is_stopped:
                catalog.stop(recording_id, self.position, 99)
        by_base: dict[int, list[Frame]] = {}
        for frame in self.frames:
            by_base.setdefault(self.base(frame.position), []).append(frame)
        for base, frames in by_base.items():
            with (path / segment_name(recording_id, base)).open("wb") as file:
                file.truncate(self.segment_length)
                for frame in frames:
                    file.seek(frame.position - base)
                    file.write(self.header(frame) + frame.payload)
        return recording_id

    def segment(self, path: Path, position: int, recording_id: int = 0) -> Path:
        """Return the path of the segment file of a position."""
        return path / segment_name(recording_id, self.base(position))

    def damage(self, path: Path, position: int, data: bytes, recording_id: int = 0) -> None:
        """Overwrite a part of the files."""
        with self.segment(path, position, recording_id).open("r+b") as file:
            file.seek(position - self.base(position))
            file.write(data)

    # ---- the plain reader ----

    def whole_frames(self, begin: int = 0, end: int = 2**63) -> list[Row]:
        """Return (position, end position, flags, payload) of each data frame."""
        return [
            (frame.position, frame.position + aligned(frame.length), frame.flags, frame.payload)
            for frame in self.frames
            if frame.kind == DATA and begin <= frame.position < end
        ]

    def messages(self, begin: int = 0, end: int = 2**63) -> list[Row]:
        """Return the same values of each message."""
        found: list[Row] = []
        parts: list[bytes] | None = None
        first = flags = expected = -1
        for frame in self.frames:
            behind = frame.position + aligned(frame.length)
            if frame.kind == PAD:
                parts = None
                continue
            if frame.flags & BEGIN:
                parts, first, flags = [], frame.position, 0
            elif (
                parts is None or frame.position != expected or not frame.position % self.term_length
            ):
                parts = None
                continue
            parts.append(frame.payload)
            flags |= frame.flags
            expected = behind
            if frame.flags & END:
                found.append((first, behind, flags, b"".join(parts)))
                parts = None
        return [each for each in found if begin <= each[0] < end]
