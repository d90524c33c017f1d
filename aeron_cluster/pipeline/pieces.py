"""What a pass over recordings reads, as plain values: they are made once and can be pickled.

Stands for nothing of Java's.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal, Self

from aeron_cluster.archive.segments import base_position
from aeron_cluster.codecs.cluster import ClusterTimeUnit

if TYPE_CHECKING:
    from aeron_cluster.pipeline.columns import Column
    from aeron_cluster.pipeline.payload_columns import PayloadColumns

__all__ = ["MAX_POSITION", "LeftOut", "Mode", "Piece", "Plan", "Range", "Selection"]

MAX_POSITION: Final = 2**63 - 1

Mode = Literal["strict", "permissive"]


@dataclass(frozen=True, slots=True)
class Piece:
    """One recording of one archive, as it was when the plan was made.

    Parameters
    ----------
    archive_dir : str
    recording_id : int
    start_position, end_position : int
        Where it begins and ends, in bytes of the stream; of one that goes on, where it ended then.
    initial_term_id : int
    term_length, segment_length : int
        Bytes.
    session_id, stream_id : int
        The session is the last one that it was recorded from.
    has_checksums : bool
        Whether frames have a checksum in the place of their session's id.
    member : int
        Whose log it is; -1 where nobody says so.
    time_unit : ClusterTimeUnit
        Of a log; `NULL_VALUE` where it is not known.
    committed_position : int
        Up to where a log is known to be committed; -1: nowhere.
    is_known_beyond : bool
        Whether what lies behind is known not to be.
    """

    archive_dir: str
    recording_id: int
    start_position: int
    end_position: int
    initial_term_id: int
    term_length: int
    segment_length: int
    session_id: int
    stream_id: int
    has_checksums: bool = False
    member: int = -1
    time_unit: ClusterTimeUnit = ClusterTimeUnit.NULL_VALUE
    committed_position: int = -1
    is_known_beyond: bool = False

    def term_begin(self, position: int) -> int:
        """Return where the term of a position begins."""
        return position - position % self.term_length

    def segment_base(self, position: int) -> int:
        """Return the position of the first byte of the segment that holds a position."""
        return base_position(self.start_position, position, self.term_length, self.segment_length)


@dataclass(frozen=True, slots=True)
class Range:
    """A part of a piece: the frames that begin in it.

    Parameters
    ----------
    piece : Piece
    from_position, to_position : int
        The first is where a frame begins.
    told_from : int
        What a permissive pass leaves out before that is told by who read what comes before.
    """

    piece: Piece
    from_position: int
    to_position: int
    told_from: int = 0

    @property
    def length(self) -> int:
        """How many bytes of the stream it is."""
        return self.to_position - self.from_position


@dataclass(frozen=True, slots=True)
class Selection:
    """Which rows of a range are wanted; those without the field that is asked for are not.

    Parameters
    ----------
    terms : tuple of int, optional
        From, and up to but not with, of leadership terms; of logs alone.
    times : tuple of int, optional
        The same of times in the cluster's unit.
    template_ids : int
        A bit for each kind of entry of a log; bit 0 for what is none; 0: all.
    sessions : tuple of int, optional
        Of the cluster where it is a log, else of the stream.
    """

    terms: tuple[int, int] | None = None
    times: tuple[int, int] | None = None
    template_ids: int = 0
    sessions: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part of a recording that a permissive pass could not read.

    Parameters
    ----------
    recording_id, member : int
    segment : str
        The file.
    offset : int
        What was wrong there, in bytes of the file.
    from_position, to_position : int
        What was left out, in bytes of the stream.
    what, expected, found : str
    """

    recording_id: int
    member: int
    segment: str
    offset: int
    from_position: int
    to_position: int
    what: str
    expected: str
    found: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a pass reads and builds.

    Parameters
    ----------
    ranges : tuple of Range
        In the order of the rows; each can be read on its own.
    columns : tuple of Column
        What is scanned; where payloads are decoded, not what the rows have.
    is_log : bool
    is_assembled : bool
        Whether rows are messages or frames.
    selection : Selection
    mode : str
        ``strict`` raises at the first damage, ``permissive`` leaves out what cannot be read and
        says so.
    max_rows : int
        Of a batch.
    max_length : int
        Of a batch, in bytes of payload; a longer message is a batch of its own.
    payload : PayloadColumns, optional
        What is made of the scanned columns.
    checksum : str
        By which each frame is checked; empty where none is.
    left_out : tuple of LeftOut
        Recordings that a permissive plan could not have ranges of.
    """

    ranges: tuple[Range, ...]
    columns: tuple[Column, ...]
    is_log: bool
    is_assembled: bool
    selection: Selection = field(default_factory=Selection)
    mode: Mode = "strict"
    max_rows: int = 16384
    max_length: int = 4 * 1024 * 1024
    payload: PayloadColumns | None = None
    checksum: str = ""
    left_out: tuple[LeftOut, ...] = ()

    def with_ranges(self, ranges: tuple[Range, ...]) -> Self:
        """Return the same plan over other ranges."""
        return replace(self, ranges=ranges)

    def parts(self) -> list[Self]:
        """Return a plan for each range, and one without any for what is left out already."""
        parts = [replace(self, ranges=(part,), left_out=()) for part in self.ranges]
        return [*parts, self.with_ranges(())] if self.left_out else parts
