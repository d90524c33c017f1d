"""Compare the logs of members, and report which ones have diverged.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.pipeline.scan.log_agreement import find_difference
from aeron_cluster.pipeline.scan.pieces import MAX_POSITION
from aeron_cluster.pipeline.scan.segment_reader import SegmentReader
from aeron_cluster.pipeline.sources.commit import Lenient, proven_position

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.jobs.member_log import MemberLog
    from aeron_cluster.pipeline.jobs.running.progress import Progress
    from aeron_cluster.pipeline.scan.pieces import Piece

__all__ = ["LogComparison", "compare_logs"]

_STEP: Final = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class LogComparison:
    """The common parts of members' logs, between two positions.

    Parameters
    ----------
    ends : tuple of int
        The end of each member's log.
    reference : int
        The index of the reference: the log with the longest part that a majority has.
    majority_position : int
        The position up to which a majority equals the reference.
    committed_position : int
        The position up to which a majority or a recording log proves it committed; -1: none.
    same_up_to : tuple of int
        For each member, the position up to which its log equals the reference: that of the first
        differing frame, or the end of the shorter log.
    compared_length : int
    """

    ends: tuple[int, ...]
    reference: int
    majority_position: int
    committed_position: int
    same_up_to: tuple[int, ...]
    compared_length: int

    @property
    def has_majority(self) -> bool:
        """Whether a majority equals the reference up to the commit position."""
        return self.has_majority_at(self.committed_position - 1)

    def has_majority_at(self, position: int) -> bool:
        """Return whether a majority equals the reference beyond a position."""
        return position < self.majority_position

    def differs(self, index: int) -> bool:
        """Return whether the log of a member differs; False if it only ends earlier."""
        return self.same_up_to[index] < min(self.ends[index], self.ends[self.reference])


def compare_logs(
    files: Files,
    logs: Sequence[MemberLog],
    progress: Progress,
    begin: int,
    limit: int = MAX_POSITION,
) -> LogComparison:
    """Compare logs byte by byte, except for session and stream ids.

    Each log is compared with the longest one; logs that differ from it at the same position are
    then compared with each other from that position.

    Parameters
    ----------
    files : Files
    logs : sequence of MemberLog
        The logs; they have the same term length, and none is purged after `begin`.
    progress : callable
    begin, limit : int
        The positions to compare between; each log that reaches the first one has a frame there.
    """
    pieces = [each.piece for each in logs]
    count = len(pieces)
    ends = [min(each.end_position, limit) for each in pieces]
    longest = ends.index(max(ends))
    same = [[min(ends[i], ends[j]) for j in range(count)] for i in range(count)]
    compared = 0
    for j in range(count):
        if j == longest:
            continue
        what = f"compare {logs[j].name} with {logs[longest].name}"
        end = min(ends[longest], ends[j])
        same[longest][j] = same[j][longest] = _agreement(
            files, pieces[longest], pieces[j], (begin, end), what, progress
        )
        compared += max(0, same[longest][j] - begin)
    for i in range(count):
        for j in range(i):
            if longest in (i, j):
                continue
            a, b = same[longest][i], same[longest][j]
            if a == b and a < min(ends[i], ends[j]):
                what = f"compare {logs[i].name} with {logs[j].name}"
                end = min(ends[i], ends[j])
                found = _agreement(files, pieces[i], pieces[j], (a, end), what, progress)
            else:
                found = min(a, b)  # up to there both equal the longest one
            same[i][j] = same[j][i] = found
    shared = [sorted(row, reverse=True)[count // 2] for row in same]
    by_majority = max(shared) if count > 1 else -1
    proven = max(
        min(proven_position(each.entries, each.piece.end_position), each.piece.end_position)
        for each in logs
    )
    committed = max(by_majority, proven)
    reference = max(range(count), key=lambda index: (shared[index], ends[index], -index))
    return LogComparison(
        tuple(ends), reference, shared[reference], committed, tuple(same[reference]), compared
    )


def _agreement(
    files: Files,
    first: Piece,
    second: Piece,
    places: tuple[int, int],
    what: str,
    progress: Progress,
) -> int:
    """Return the position up to which two logs are equal, beginning at a frame."""
    begin, end = places
    position = begin
    with SegmentReader(files, first) as one, SegmentReader(files, second) as other:
        while position < end:
            progress(what, position - begin, end - begin)
            limit = min(position + _STEP, end)
            position = find_difference(Lenient(one), Lenient(other), position, limit)
            if position < limit:
                return position
    progress(what, max(0, end - begin), max(0, end - begin))
    return end
