"""The page of the job ``sessions``.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.pipeline.jobs.pages.log_page import (
    marks_legend,
    sender_text,
    span_of,
    term_marks,
    when,
)
from aeron_cluster.pipeline.jobs.pages.page import Note, Part, Plot, Section, Table, page
from aeron_cluster.pipeline.jobs.pages.plots import Canvas, Lane, Mark, pictures
from aeron_cluster.pipeline.jobs.pages.texts import (
    NOTHING,
    bytes_text,
    count_text,
    duration_text,
)
from aeron_cluster.pipeline.scan.log_times import NS_PER_S

if TYPE_CHECKING:
    from aeron_cluster.pipeline.jobs.figures.log_events import LogEvents
    from aeron_cluster.pipeline.jobs.figures.log_plan import LogOfMember
    from aeron_cluster.pipeline.jobs.figures.session_flow import SessionFlows
    from aeron_cluster.pipeline.jobs.figures.session_lives import SessionLife

__all__ = ["sessions_page"]

_LANES: Final = 30
_NAME_LENGTH: Final = 7  # of a session's name; services have short names
_ROWS: Final = 50
_GAPS: Final = 20


def sessions_page(
    log: LogOfMember,
    summary: Mapping[str, Any],
    flows: SessionFlows,
    lives: Sequence[SessionLife],
    events: LogEvents,
    rates: Sequence[tuple[int, ...]],
) -> str:
    """Return the page, as HTML."""
    marks = term_marks(events.terms, log)
    busiest = sorted(lives, key=_messages, reverse=True)
    names = ["sessions", "rates", "gaps", "terms"] + ["left_out"] * bool(flows.left_out)
    sections = [
        Section("Messages", [_rate_plot(summary, log, flows, marks)]),
        Section("Open sessions", [_open_plot(summary, log, rates, marks)]),
        Section("Lives", [_lanes(summary, log, busiest, marks)]),
        Section("Sessions", [_session_table(busiest, log), _reasons(summary)]),
        Section("Longest gaps", [_gap_table(flows, log)]),
    ]
    title = f"Sessions of the log of member {summary['member']}"
    return page(title, summary, _figures(summary, flows), sections, names)


def _figures(summary: Mapping[str, Any], flows: SessionFlows) -> list[tuple[str, str]]:
    begin, end = span_of(summary)
    lasted = end - begin
    interval_s = flows.timeline.interval_ns / NS_PER_S
    most = max((messages for _, (messages, _) in flows.timeline.rows()), default=0)
    gap = summary["longest_gap_ns"]
    return [
        ("clients' sessions", f"{summary['sessions']:,}"),
        ("open at the end", f"{summary['open_at_end']:,}"),
        ("messages", count_text(summary["messages"])),
        ("of payload", bytes_text(summary["bytes"])),
        ("messages a second", count_text(summary["messages"] / lasted) if lasted > 0 else NOTHING),
        (
            f"messages a second, at most, over {duration_text(flows.timeline.interval_ns)}",
            count_text(most / interval_s),
        ),
        ("longest gap in a session", NOTHING if gap is None else duration_text(gap)),
        ("leadership terms that begin", f"{summary['leadership_terms']:,}"),
    ]


def _rate_plot(
    summary: Mapping[str, Any], log: LogOfMember, flows: SessionFlows, marks: Sequence[Mark]
) -> Part:
    drawn = flows.timeline.drawn()
    rows = drawn.rows()
    if not rows:
        return Note("No session sent anything.")
    interval_s = drawn.interval_ns / NS_PER_S
    times_s = [begin / log.units for begin, _ in rows]
    rates = [messages / interval_s for _, (messages, _) in rows]
    begin, end = span_of(summary)
    last = times_s[-1] + interval_s

    def draw(canvas: Canvas) -> None:
        canvas.times(min(begin, times_s[0]), max(end, last))
        canvas.values(max(rates))
        canvas.marks(marks)
        canvas.steps("messages", "one", times_s, rates, last)

    every = duration_text(drawn.interval_ns)
    return Plot(
        "rate",
        "Messages a second over time",
        f"From 0 to {count_text(max(rates))} messages a second, each over {every}.",
        pictures(draw),
        [("one", f"messages a second, each over {every}"), *marks_legend(marks)],
    )


def _open_plot(
    summary: Mapping[str, Any],
    log: LogOfMember,
    rates: Sequence[tuple[int, ...]],
    marks: Sequence[Mark],
) -> Part:
    if not rates:
        return Note("There was no open session.")
    times_s = [row[0] / log.units for row in rates]
    counts = [float(row[-1]) for row in rates]
    begin, end = span_of(summary)

    def draw(canvas: Canvas) -> None:
        canvas.times(min(begin, times_s[0]), max(end, times_s[-1]))
        canvas.values(max(*counts, 4), is_complete=True)
        canvas.marks(marks)
        canvas.steps("open", "one", times_s, counts, end)

    return Plot(
        "open",
        "Open clients' sessions over time",
        f"At most {max(counts):.0f} at a time, {counts[-1]:.0f} at the end.",
        pictures(draw),
        [("one", "open sessions of clients"), *marks_legend(marks)],
    )


def _lanes(
    summary: Mapping[str, Any],
    log: LogOfMember,
    busiest: Sequence[SessionLife],
    marks: Sequence[Mark],
) -> Part:
    begin, end = span_of(summary)
    shown = busiest[:_LANES]
    if not shown:
        return Note("There was no open session.")
    lanes = [_lane(life, log, begin, end) for life in shown]

    def draw(canvas: Canvas) -> None:
        canvas.times(begin, end)
        canvas.marks(marks)
        canvas.lanes(lanes)

    rest = len(busiest) - len(shown)
    return Plot(
        "lives",
        "Times in which sessions were open, and in which they sent",
        f"The {len(shown)} sessions with the most messages, the busiest first.",
        pictures(draw, len(lanes)),
        [("life", "open"), ("busy", "from the first message to the last"), *marks_legend(marks)],
        f"{rest:,} others, with fewer messages, are in the table sessions." if rest else "",
    )


def _lane(life: SessionLife, log: LogOfMember, begin: float, end: float) -> Lane:
    first = begin if life.begin_time is None else life.begin_time / log.units
    last = end if life.close_time is None else life.close_time / log.units
    text = sender_text(life.session)
    if life.is_client:
        text = (
            f"session {text}: opened {when(life.open_time, log)},"
            f" closed {when(life.close_time, log)}"
        )
    if life.close_reason is not None:
        text += f" ({life.close_reason})"
    flow = life.flow
    if flow is None:
        return Lane(_name(life), first, last, first, first, f"{text}; it sent nothing")
    text += f"; {flow.count:,} messages, {bytes_text(flow.length)}"
    busy = flow.first_time / log.units, flow.last_time / log.units
    if not life.is_client:
        first, last = busy
    return Lane(_name(life), first, last, *busy, text)


def _session_table(busiest: Sequence[SessionLife], log: LogOfMember) -> Table:
    rows = []
    for life in busiest[:_ROWS]:
        flow = life.flow
        lasted = 0 if flow is None else (flow.last_time - flow.first_time) / log.units
        rows.append(
            (
                sender_text(life.session),
                when(life.open_time, log),
                when(life.close_time, log),
                life.close_reason or NOTHING,
                NOTHING if life.life is None else duration_text(life.life * log.unit_ns),
                f"{_messages(life):,}",
                NOTHING if flow is None else bytes_text(flow.length),
                NOTHING if flow is None or lasted <= 0 else count_text((flow.count - 1) / lasted),
                NOTHING
                if flow is None or flow.count == 1
                else duration_text(flow.gap * log.unit_ns),
            )
        )
    names = (
        "session",
        "opened",
        "closed",
        "why",
        "open for",
        "messages",
        "payload",
        "a second",
        "longest gap",
    )
    caption = (
        f"{len(rows)} of {len(busiest)} sessions and services, those with most messages first;"
        f" times are UTC"
    )
    return Table(caption, names, rows, (1, 2, 3))


def _reasons(summary: Mapping[str, Any]) -> Table | None:
    reasons = summary["close_reasons"]
    if not reasons:
        return None
    rows = [(name, f"{count:,}") for name, count in sorted(reasons.items())]
    return Table("Why clients' sessions were closed", ("reason", "sessions"), rows, (0,))


def _gap_table(flows: SessionFlows, log: LogOfMember) -> Part:
    rows = [
        (
            sender_text(each.session),
            duration_text(each.length * log.unit_ns),
            when(each.time - each.length, log),
            when(each.time, log),
            f"{each.position:,}",
        )
        for each in list(flows.gaps)[:_GAPS]
    ]
    if not rows:
        return Note("No session has a gap between messages.")
    names = ("session", "gap", "from", "to", "position of the next message")
    return Table(
        "Between two messages of one session or service; times are UTC", names, rows, (2, 3)
    )


def _messages(life: SessionLife) -> int:
    return 0 if life.flow is None else life.flow.count


def _name(life: SessionLife) -> str:
    """Return a session's name, shortened for a plot."""
    text = sender_text(life.session)
    return (
        text if len(text) <= _NAME_LENGTH or not life.is_client else f"..{text[2 - _NAME_LENGTH :]}"
    )
