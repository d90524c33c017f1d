"""The page of the job ``latency``.

Stands for nothing of Java's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.pipeline.jobs.figures.distribution import PERCENTILES, Distribution
from aeron_cluster.pipeline.jobs.pages.log_page import (
    footer,
    lead,
    sender_text,
    span_of,
    term_marks,
    time_axis,
    when,
)
from aeron_cluster.pipeline.jobs.pages.page import legend, page, section, table, tiles
from aeron_cluster.pipeline.jobs.pages.plots import (
    Bar,
    Frame,
    Line,
    Mark,
    bar_plot,
    figure,
    line_plot,
    steps,
)
from aeron_cluster.pipeline.jobs.pages.scales import (
    NOTHING,
    Scale,
    count_text,
    duration_text,
    durations,
    linear,
    linear_durations,
)

if TYPE_CHECKING:
    from aeron_cluster.pipeline.jobs.figures.egress import Answers
    from aeron_cluster.pipeline.jobs.figures.log_events import LogEvents
    from aeron_cluster.pipeline.jobs.figures.log_plan import LogOfMember
    from aeron_cluster.pipeline.jobs.figures.log_waits import LogWaits
    from aeron_cluster.pipeline.jobs.figures.term_lives import TermLife

__all__ = ["latency_page"]

_NS: Final = 1_000_000_000
_ROWS: Final = 20
_LEAST_DECADES: Final = 2


def latency_page(
    log: LogOfMember,
    summary: Mapping[str, Any],
    waits: LogWaits,
    terms: Sequence[TermLife],
    events: LogEvents,
    answers: Answers | None,
    names: Iterable[str],
) -> str:
    """Return the page, as HTML."""
    marks = term_marks(events.terms, log)
    of_log = {"any entry": waits.of_entries, "messages of sessions": waits.of_messages}
    parts = [
        tiles(_figures(summary)),
        section(
            "Time between entries",
            _resolution(log),
            _histogram(
                "waits", "How long the log waited for its next entry", waits.of_entries, log
            ),
            _percentiles("percentiles", of_log, log),
            _percentile_table(of_log, log),
        ),
        section("Longest waits over time", _over_time(summary, log, waits, marks)),
        section("Leadership terms", _steps_back(summary), _term_table(terms, log)),
        section("Longest waits", _longest_table(waits, log)),
    ]
    if answers is not None:
        parts.append(section("Egress against ingress", *_egress(log, answers)))
    title = f"Latency of the log of member {summary['member']}"
    return page(title, lead(summary), [*parts, footer(names)])


def _figures(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    def told(name: str) -> str:
        if summary[name] is None:
            return NOTHING
        return _duration(summary[name], summary["resolution_ns"])

    figures = [
        ("entries", count_text(summary["entries"])),
        ("between entries, median", told("entries_p50_ns")),
        ("between entries, 99\u00a0%", told("entries_p99_ns")),
        ("between entries, 99.9\u00a0%", told("entries_p99.9_ns")),
        ("between entries, longest", told("entries_max_ns")),
        ("leadership terms", f"{summary['leadership_terms']:,}"),
        ("longest way from leader to leader", told("longest_handover_ns")),
        ("steps back of leaders' clocks", f"{summary['steps_back']:,}"),
    ]
    if "answered" in summary:
        figures += [
            ("messages of clients", count_text(summary["asked"])),
            ("recorded answers", count_text(summary["answered"])),
            ("answers, 99\u00a0% within", told("egress_p99_ns")),
        ]
    return figures


def _duration(duration_ns: int, resolution_ns: int) -> str:
    """Return a duration for people; of what is below the clock's resolution no more is known."""
    return duration_text(duration_ns) if duration_ns else f"< {duration_text(resolution_ns)}"


def _resolution(log: LogOfMember) -> str:
    return (
        f'<p class="dim">The leader stamps entries to {duration_text(log.unit_ns)}: what is shorter'
        " counts as 0. Between entries of two leaders nothing is measured, since their clocks are"
        " two.</p>"
    )


def _histogram(name: str, title: str, found: Distribution, log: LogOfMember) -> str:
    """Return how many durations are in each doubling; the first bar is of those that are 0."""
    if not found.count:
        return "<p>There is nothing to measure.</p>"
    counts: dict[int, int] = {}
    for lower_ns, _, count in found.buckets():
        doubling = (lower_ns // log.unit_ns).bit_length() - 1
        counts[doubling] = counts.get(doubling, 0) + count
    bars = []
    for doubling, count in sorted(counts.items()):
        begin, end = log.unit_ns * 2.0**doubling, log.unit_ns * 2.0 ** (doubling + 1)
        share = 100 * count / found.count
        bounds = f"below {duration_text(log.unit_ns)}"
        if doubling >= 0:
            bounds = f"{duration_text(begin)} to {duration_text(end)}"
        bars.append(Bar(begin, end, share, f"{bounds}: {count:,}, {share:.3g} %"))
    scale = durations(bars[0].begin, bars[-1].end)
    top = linear(max(bar.height for bar in bars))
    y = Scale(top.low, top.high, tuple((value, f"{text} %") for value, text in top.ticks))
    most = max(bars, key=lambda bar: bar.height)
    return figure(
        name,
        title,
        f"Most are {most.text}; the longest is {duration_text(found.max_ns)}.",
        bar_plot(lambda frame: _sparse(scale, frame), y, bars),
        f"{escape(title)}: how many of a hundred are in each doubling of the time. The first bar is"
        f" of what is shorter than {duration_text(log.unit_ns)}."
        if bars[0].begin < log.unit_ns
        else f"{escape(title)}: how many of a hundred are in each doubling of the time.",
    )


def _percentiles(name: str, lines: Mapping[str, Distribution], log: LogOfMember) -> str:
    """Return how long the slowest hundredth, thousandth and so on took."""
    shown = {text: each for text, each in lines.items() if each.count}
    if not shown:
        return ""
    most = max(each.count for each in shown.values())
    decades = max(math.ceil(math.log10(most)), _LEAST_DECADES)
    drawn = []
    for (text, each), colour in zip(shown.items(), ("one", "two"), strict=False):
        points = []
        seen = 0
        for _, upper_ns, count in each.buckets():
            points.append((_tail(seen / each.count, decades), float(upper_ns)))
            seen += count
            points.append((_tail(seen / each.count, decades), float(upper_ns)))
        drawn.append(Line(text, colour, points))
    longest = max(each.max_ns for each in shown.values())
    y = durations(log.unit_ns, max(longest, log.unit_ns))
    return figure(
        name,
        "Time by percentile",
        "; ".join(
            f"{text}: median {duration_text(each.percentile_ns(50))},"
            f" 99 % {duration_text(each.percentile_ns(99))}, longest {duration_text(each.max_ns)}"
            for text, each in shown.items()
        ),
        line_plot(lambda frame: _tails(decades, frame), y, drawn),
        legend((line.colour, line.name) for line in drawn)
        + "To the right are the slowest: each tick is a tenth of what the one before left.",
    )


def _tail(share: float, decades: int) -> float:
    """Return where a share stands on an axis on which each factor of what is left is as wide."""
    return decades if share >= 1 else min(-math.log10(1 - share), decades)


def _tails(decades: int, frame: Frame) -> Scale:
    every = -(-decades // frame.tick_count)
    ticks = [(0.0, "0 %")]
    for count in range(1, decades + 1):
        if (decades - count) % every == 0:
            digits = max(0, count - 2)
            ticks.append((float(count), f"{100 - 10.0 ** (2 - count):.{digits}f} %"))
    return Scale(0, decades, tuple(ticks))


def _sparse(scale: Scale, frame: Frame) -> Scale:
    """Return a scale with as many of its ticks as there is room for."""
    every = -(-len(scale.ticks) // (frame.tick_count + 1))
    return Scale(scale.low, scale.high, scale.ticks[::every], scale.is_log)


def _percentile_table(found: Mapping[str, Distribution], log: LogOfMember) -> str:
    rows = [
        (
            text,
            f"{each.count:,}",
            *(_duration(each.percentile_ns(percentile), log.unit_ns) for percentile in PERCENTILES),
            _duration(each.max_ns, log.unit_ns),
        )
        for text, each in found.items()
        if each.count
    ]
    if not rows:
        return ""
    names = ("between", "measured", *(f"{each:g} %" for each in PERCENTILES), "longest")
    return table("Times that so many of a hundred do not exceed", names, rows, (0,))


def _over_time(
    summary: Mapping[str, Any], log: LogOfMember, waits: LogWaits, marks: Sequence[Mark]
) -> str:
    drawn = waits.timeline.drawn()
    rows = drawn.rows()
    if not rows:
        return "<p>There is nothing to measure.</p>"
    interval_s = drawn.interval_ns / _NS
    points = [(begin / log.units, float(longest * log.unit_ns)) for begin, (_, longest) in rows]
    begin, end = span_of(summary)
    last = points[-1][0] + interval_s
    high = max(wait for _, wait in points)
    every = duration_text(drawn.interval_ns)
    line = Line("longest wait", "one", steps(points, last), True)
    entries = [("one", f"the longest wait that ended in each {every}")]
    if marks:
        entries.append(("mark", "another leader's term begins"))
    return figure(
        "over-time",
        "The longest wait over time",
        f"At most {duration_text(high)}, of each {every}.",
        line_plot(
            time_axis(min(begin, points[0][0]), max(end, last)),
            linear_durations(max(high, log.unit_ns)),
            [line],
            marks,
        ),
        legend(entries),
    )


def _steps_back(summary: Mapping[str, Any]) -> str:
    if not summary["steps_back"]:
        return ""
    return (
        f"<p>Leaders' clocks went back {summary['steps_back']:,} times, by"
        f" {duration_text(summary['largest_step_back_ns'])} at most; such waits count as 0.</p>"
    )


def _term_table(terms: Sequence[TermLife], log: LogOfMember) -> str:
    rows = [
        (
            str(each.term),
            NOTHING if each.leader is None else str(each.leader),
            when(each.flow.first_time, log),
            when(each.flow.last_time, log),
            f"{each.flow.entries:,}",
            f"{each.flow.messages:,}",
            duration_text(each.flow.longest * log.unit_ns),
            NOTHING if each.handover is None else duration_text(each.handover * log.unit_ns),
        )
        for each in terms[-_ROWS:]
    ]
    names = ("term", "leader", "from", "to", "entries", "messages", "longest wait", "handover")
    caption = (
        f"{len(rows)} of {len(terms)} terms, the last ones; times are UTC; the handover is from the"
        " last entry of the term before, by two clocks where the leader is another"
    )
    return table(caption, names, rows, (2, 3))


def _longest_table(waits: LogWaits, log: LogOfMember) -> str:
    rows = [
        (
            duration_text(each.length * log.unit_ns),
            when(each.time - each.length, log),
            when(each.time, log),
            f"{each.position:,}",
            sender_text(each.session),
        )
        for each in list(waits.longest)[:_ROWS]
    ]
    if not rows:
        return "<p>The log never waited for as long as its clock can tell.</p>"
    names = ("wait", "from", "to", "position of what ended it", "its session")
    return table("Times are UTC", names, rows, (1, 2))


def _egress(log: LogOfMember, answers: Answers) -> list[str]:
    drawn = answers.timeline.drawn()
    rows = drawn.rows()
    if not rows:
        return ["<p>Nothing was asked, nothing answered.</p>"]
    interval_s = drawn.interval_ns / _NS
    last = rows[-1][0] / log.units + interval_s
    lines = []
    for index, (text, colour) in enumerate((("asked", "one"), ("answered", "two"))):
        points = [(begin / log.units, figures[index] / interval_s) for begin, figures in rows]
        lines.append(Line(text, colour, steps(points, last)))
    high = max(value for line in lines for _, value in line.points)
    every = duration_text(drawn.interval_ns)
    rates = figure(
        "egress-rate",
        "Messages of clients and recorded answers a second, over time",
        f"At most {count_text(high)} a second, each over {every}.",
        line_plot(time_axis(rows[0][0] / log.units, last), linear(high), lines),
        legend(
            [
                ("one", f"messages of clients a second, each over {every}"),
                ("two", "recorded answers a second"),
            ]
        ),
    )
    asking = sorted(answers.sessions.items(), key=lambda each: -each[1].answered)
    listed = [
        (
            str(session),
            f"{each.asked:,}",
            f"{each.answered:,}",
            f"{each.unasked:,}",
            NOTHING
            if each.answered == each.unasked
            else duration_text(each.longest_delay * log.unit_ns),
        )
        for session, each in asking[:_ROWS]
    ]
    names = ("session", "asked", "answered", "before it asked", "longest delay")
    caption = f"{len(listed)} of {len(asking)} sessions, those with most answers first"
    return [
        '<p class="dim">A delay is the time from what a session asked last to the answer, both by'
        " the cluster's clock: 0 where the service answers at once.</p>",
        rates,
        _histogram("delays", "How late answers came", answers.delays, log),
        _percentile_table({"last message and answer": answers.delays}, log),
        table(caption, names, listed),
    ]
