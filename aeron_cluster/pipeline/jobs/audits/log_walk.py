"""Read a whole log to find the begins of terms and unreadable parts.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.codecs.cluster import NewLeadershipTermEvent
from aeron_cluster.pipeline.columns.column_definitions import LOG_COLUMNS, Column
from aeron_cluster.pipeline.scan.frame_boundaries import cut
from aeron_cluster.pipeline.scan.pieces import LeftOut, Piece, Range, Selection
from aeron_cluster.pipeline.scan.range_scan import scan_range
from aeron_cluster.pipeline.scan.scan_plan import Plan

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.jobs.running.progress import Progress

__all__ = ["LogWalk", "TermBegin", "walk_log"]

_STEP: Final = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class TermBegin:
    """A log entry that begins a leadership term.

    Parameters
    ----------
    position : int
        The position of the entry, in bytes of the log.
    leadership_term_id : int
    term_base_log_position : int
        The base position of the term in the entry.
    """

    position: int
    leadership_term_id: int
    term_base_log_position: int


@dataclass(frozen=True, slots=True)
class LogWalk:
    """The result of a walk.

    Parameters
    ----------
    terms : tuple of TermBegin
        The terms in the order of the log.
    damage : tuple of LeftOut
    """

    terms: tuple[TermBegin, ...]
    damage: tuple[LeftOut, ...]

    def term_at(self, position: int) -> int:
        """Return the leadership term of a position; -1 if the term began before the log."""
        started = [each.leadership_term_id for each in self.terms if each.position <= position]
        return started[-1] if started else -1

    def is_damaged(self, position: int) -> bool:
        """Return whether a position could not be read."""
        return any(each.from_position <= position < each.to_position for each in self.damage)


def _columns() -> tuple[Column, ...]:
    by_name = {each.name: each for each in LOG_COLUMNS}
    fields = {each.name: each for each in by_name["new_leadership_term"].fields}
    return (
        by_name["position"],
        by_name["leadership_term_id"],
        fields["term_base_log_position"],
    )


def walk_log(files: Files, piece: Piece, name: str, progress: Progress) -> LogWalk:
    """Read each frame of a log.

    Parameters
    ----------
    files : Files
    piece : Piece
    name : str
        The name of the log, for the progress.
    progress : callable
    """
    plan = Plan(
        (Range(piece, piece.start_position, piece.end_position),),
        _columns(),
        is_log=True,
        is_assembled=True,
        selection=Selection(template_ids=1 << NewLeadershipTermEvent.template_id),
        mode="permissive",
        max_rows=1024,
    )
    terms: list[TermBegin] = []
    damage: list[LeftOut] = []
    length = plan.ranges[0].length
    for part in cut(files, plan.ranges[0], max(_STEP, piece.term_length)):
        progress(f"read {name}", part.from_position - piece.start_position, length)
        for row_count, filled in scan_range(files, plan, part, damage):
            values: Sequence[memoryview] = [
                memoryview(column[2]).cast("q")[:row_count] for column in filled
            ]
            terms += [TermBegin(*row) for row in zip(*values, strict=True)]
    progress(f"read {name}", length, length)
    return LogWalk(tuple(terms), tuple(damage))
