"""The input of a pass over recordings, as plain values that can be pickled.

No counterpart in Aeron.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from aeron_cluster.archive.storage.segments import base_position
from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.codecs.frame_layout import MAX_POSITION

__all__ = ["MAX_POSITION", "LeftOut", "Mode", "Piece", "Range", "Selection"]


Mode = Literal["strict", "permissive"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A recording of an archive at the time of the plan.

    Parameters
    ----------
    archive_dir : str
    recording_id : int
    start_position, end_position : int
        The start and end positions; for an active recording, the end at that time.
    initial_term_id : int
    term_length, segment_length : int
        Bytes.
    session_id, stream_id : int
        The session is the last one that was recorded.
    has_checksums : bool
        Whether frames have a checksum in place of the session id.
    member : int
        The member of the log; -1 if unknown.
    time_unit : ClusterTimeUnit
        The time unit of a log; `NULL_VALUE` if unknown.
    committed_position : int
        The known commit position of a log; -1 if unknown.
    is_rest_uncommitted : bool
        Whether later entries are known not to be committed.
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
    is_rest_uncommitted: bool = False

    def term_begin(self, position: int) -> int:
        """Return the start of the term that contains a position."""
        return position - position % self.term_length

    def segment_base(self, position: int) -> int:
        """Return the position of the first byte of the segment that contains a position."""
        return base_position(self.start_position, position, self.term_length, self.segment_length)


@dataclass(frozen=True, slots=True)
class Range:
    """A part of a piece: the frames that begin in the range.

    Parameters
    ----------
    piece : Piece
    from_position, to_position : int
        The first one is the start of a frame.
    reported_from : int
        Damage before this position is reported by the reader of the previous range.
    """

    piece: Piece
    from_position: int
    to_position: int
    reported_from: int = 0

    @property
    def length(self) -> int:
        """Its length, in bytes of the stream."""
        return self.to_position - self.from_position


@dataclass(frozen=True, slots=True)
class Selection:
    """Selects rows of a range; rows without a requested field are excluded.

    Parameters
    ----------
    terms : tuple of int, optional
        The start and the excluded end of leadership terms; only for logs.
    times : tuple of int, optional
        The start and the excluded end of times in the cluster's unit.
    template_ids : int
        A bit for each kind of log entry; bit 0 for other messages; 0 for all.
    sessions : tuple of int, optional
        The session ids: cluster sessions for a log, otherwise sessions of the stream.
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
        The offset of the problem in the file, in bytes.
    from_position, to_position : int
        The skipped range, in bytes of the stream.
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
