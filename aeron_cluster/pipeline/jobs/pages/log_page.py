"""What pages about a log have in common: whose it is, its times, and its leaders.

Stands for nothing of Java's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from aeron_cluster.pipeline.jobs.figures.entries import sender_ids
from aeron_cluster.pipeline.jobs.pages.plots import Frame, Mark, Scaled
from aeron_cluster.pipeline.jobs.pages.scales import NOTHING, Scale, instant_text, times

if TYPE_CHECKING:
    from aeron_cluster.pipeline.jobs.figures.log_plan import LogOfMember

__all__ = ["footer", "lead", "sender_text", "span_of", "term_marks", "time_axis", "when"]


def lead(summary: Mapping[str, Any]) -> str:
    """Return what a page is about, as HTML: the log, the part of it, and its times."""
    places = f"positions {summary['from_position']:,} to {summary['to_position']:,}"
    text = (
        f"Member {summary['member']}, recording {summary['recording']} in"
        f" <code>{escape(summary['archive'])}</code>, {places}"
    )
    if summary["begin_us"] is None:
        return f"{text}."
    begin, end = (instant_text(summary[name] / 1e6) for name in ("begin_us", "end_us"))
    text += f".<br>{begin} to {end} UTC, by the leaders' clocks."
    if summary["left_out"]:
        text += (
            f"<br><strong>{summary['left_out']} damaged parts are left out</strong>:"
            " see the table <code>left_out</code>."
        )
    return text


def footer(names: Iterable[str]) -> str:
    """Return where the numbers are, as HTML."""
    listed = ", ".join(f"<code>{escape(name)}.parquet</code>" for name in names)
    return f'<footer class="dim">All numbers are in {listed}, beside this page.</footer>'


def span_of(summary: Mapping[str, Any]) -> tuple[float, float]:
    """Return from when to when a log goes, in seconds since 1970."""
    return (summary["begin_us"] or 0) / 1e6, (summary["end_us"] or 0) / 1e6


def time_axis(begin_s: float, end_s: float) -> Scaled:
    """Return an axis of time that has room on any frame."""

    def scaled(frame: Frame) -> Scale:
        return times(begin_s, end_s, frame.tick_count)

    return scaled


def term_marks(events: Iterable[Mapping[str, Any]], log: LogOfMember) -> list[Mark]:
    """Return when leaders changed: where leadership terms begin, but for the begin of all."""
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


def sender_text(sender: int) -> str:
    """Return a session's id, or which service it is; a dash for none."""
    session, service = sender_ids(sender)
    if service is not None:
        return f"service {service}"
    return NOTHING if session is None else str(session)


def when(time: int | None, log: LogOfMember) -> str:
    """Return a raw time for people, a dash for None."""
    return NOTHING if time is None else instant_text(time / log.units)
