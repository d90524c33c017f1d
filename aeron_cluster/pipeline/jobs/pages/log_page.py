"""The common parts of pages about a log: its member, times and leaders.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aeron_cluster.pipeline.jobs.figures.entries import sender_ids
from aeron_cluster.pipeline.jobs.pages.plots import Mark
from aeron_cluster.pipeline.jobs.pages.texts import NOTHING, instant_text

if TYPE_CHECKING:
    from aeron_cluster.pipeline.jobs.figures.log_plan import LogOfMember

__all__ = ["marks_legend", "sender_text", "span_of", "term_marks", "when"]


def span_of(summary: Mapping[str, Any]) -> tuple[float, float]:
    """Return the times of the start and the end of a log, in seconds since 1970."""
    return (summary["begin_us"] or 0) / 1e6, (summary["end_us"] or 0) / 1e6


def term_marks(events: Iterable[Mapping[str, Any]], log: LogOfMember) -> list[Mark]:
    """Return the changes of leader: the begins of leadership terms, except the first."""
    return [
        Mark(
            row["timestamp_raw"] / log.units,
            f"term {row['leadership_term_id']}: member"
            f" {row['new_leadership_term']['leader_member_id']} leads,"
            f" {when(row['timestamp_raw'], log)}",
        )
        for row in events
        if row["position"] > log.bounds[0]
    ]


def marks_legend(marks: Sequence[Mark]) -> list[tuple[str, str]]:
    """Return the legend for the marks of a plot, if there are any."""
    return [("mark", "another leader's term begins")] if marks else []


def sender_text(sender: int) -> str:
    """Return the name of a session or service; a dash for none."""
    session, service = sender_ids(sender)
    if service is not None:
        return f"service {service}"
    return NOTHING if session is None else str(session)


def when(time: int | None, log: LogOfMember) -> str:
    """Return a raw time as text; a dash for None."""
    return NOTHING if time is None else instant_text(time / log.units)
