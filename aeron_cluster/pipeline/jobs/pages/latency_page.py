"""The page of the job ``latency``.

No counterpart in Aeron.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.pipeline.jobs.figures.distribution import PERCENTILES, Distribution
from aeron_cluster.pipeline.jobs.pages.log_page import (
    marks_legend,
    sender_text,
    span_of,
    term_marks,
    when,
)
from aeron_cluster.pipeline.jobs.pages.page import Note, Part, Plot, Section, Table, page
from aeron_cluster.pipeline.jobs.pages.plots import Bar, Canvas, Mark, pictures
from aeron_cluster.pipeline.jobs.pages.texts import NOTHING, count_text, duration_text
from aeron_cluster.pipeline.scan.log_times import NS_PER_S

if TYPE_CHECKING:
    from aeron_cluster.pipeline.jobs.figures.egress import Answers
    from aeron_cluster.pipeline.jobs.figures.log_events import LogEvents
    from aeron_cluster.pipeline.jobs.figures.log_plan import LogOfMember
    from aeron_cluster.pipeline.jobs.figures.log_waits import LogWaits
    from aeron_cluster.pipeline.jobs.figures.term_lives import TermLife

__all__ = ["latency_page"]

_ROWS: Final = 20
_MIN_DECADES: Final = 2


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
    between = [
        _resolution(log),
        _histogram("waits", "Times between log entries", waits.of_entries, log),
        _percentiles("percentiles", of_log, log),
        _percentile_table(of_log, log),
    ]
    sections = [
        Section("Time between entries", between),
        Section("Longest waits over time", [_over_time(summary, log, waits, marks)]),
        Section("Leadership terms", [_steps_back(summary), _term_table(terms, log)]),
        Section("Longest waits", [_longest_table(waits, log)]),
    ]
    if answers is not None:
        sections.append(Section("Egress against ingress", _egress(log, answers)))
    title = f"Latency of the log of member {summary['member']}"
    return page(title, summary, _figures(summary), sections, names)


def _figures(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    def value_of(name: str) -> str:
        if summary[name] is None:
            return NOTHING
        return _duration(summary[name], summary["resolution_ns"])

    figures = [
        ("entries", count_text(summary["entries"])),
        ("between entries, median", value_of("entries_p50_ns")),
        ("between entries, 99\u00a0%", value_of("entries_p99_ns")),
        ("between entries, 99.9\u00a0%", value_of("entries_p99.9_ns")),
        ("between entries, longest", value_of("entries_max_ns")),
        ("leadership terms", f"{summary['leadership_terms']:,}"),
        ("longest change of leader", value_of("longest_handover_ns")),
        ("steps back of leaders' clocks", f"{summary['steps_back']:,}"),
    ]
    if "answered" in summary:
        figures += [
            ("messages of clients", count_text(summary["requested"])),
            ("recorded answers", count_text(summary["answered"])),
            ("answers, 99\u00a0% within", value_of("egress_p99_ns")),
        ]
    return figures


def _duration(duration_ns: int, resolution_ns: int) -> str:
    """Format a duration; mark it if it is below the clock's resolution."""
    return duration_text(duration_ns) if duration_ns else f"< {duration_text(resolution_ns)}"


def _resolution(log: LogOfMember) -> Note:
    return Note(
        f"Timestamps have a resolution of {duration_text(log.unit_ns)}: shorter times count as 0."
        f" Times between entries of two leaders are not measured, as their clocks differ.",
        is_dim=True,
    )


def _histogram(name: str, title: str, found: Distribution, log: LogOfMember) -> Part:
    """Return a histogram by doublings; the first bar is for durations of 0."""
    if not found.count:
        return Note("There is nothing to measure.")
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

    def draw(canvas: Canvas) -> None:
        canvas.durations(bars[0].begin, bars[-1].end, is_below=True)
        canvas.values(max(bar.height for bar in bars), lambda value: f"{value:g} %")
        canvas.bars(bars)

    most = max(bars, key=lambda bar: bar.height)
    caption = f"{title}: the percentage in each doubling of the time."
    if bars[0].begin < log.unit_ns:
        caption += f" The first bar counts times below {duration_text(log.unit_ns)}."
    return Plot(
        name,
        title,
        f"Most are {most.text}; the longest is {duration_text(found.max_ns)}.",
        pictures(draw),
        caption=caption,
    )


def _percentiles(name: str, lines: Mapping[str, Distribution], log: LogOfMember) -> Plot | None:
    """Return a plot of the durations of the slowest hundredth, thousandth and so on."""
    shown = {text: each for text, each in lines.items() if each.count}
    if not shown:
        return None
    most = max(each.count for each in shown.values())
    decades = max(math.ceil(math.log10(most)), _MIN_DECADES)
    coloured = list(zip(shown.items(), ("one", "two"), strict=False))
    longest = max(each.max_ns for each in shown.values())

    def draw(canvas: Canvas) -> None:
        _tails(decades, canvas)
        canvas.durations(log.unit_ns, max(longest, log.unit_ns))
        for (text, each), colour in coloured:
            shares, times_ns = [], []
            seen = 0
            for _, upper_ns, count in each.buckets():
                shares += [_tail(part / each.count, decades) for part in (seen, seen + count)]
                times_ns += [float(max(upper_ns, log.unit_ns))] * 2
                seen += count
            canvas.line(text, colour, shares, times_ns)

    return Plot(
        name,
        "Time by percentile",
        "; ".join(
            f"{text}: median {duration_text(each.percentile_ns(50))},"
            f" 99 % {duration_text(each.percentile_ns(99))}, longest {duration_text(each.max_ns)}"
            for text, each in shown.items()
        ),
        pictures(draw),
        [(colour, text) for (text, _), colour in coloured],
        "The slowest are on the right: each tick leaves a tenth of the entries that the previous"
        " one leaves.",
    )


def _tail(share: float, decades: int) -> float:
    """Return the location of a share on a logarithmic axis of the remaining share."""
    return decades if share >= 1 else min(-math.log10(1 - share), decades)


def _tails(decades: int, canvas: Canvas) -> None:
    """Label the shares with a remainder of a tenth, a hundredth and so on."""
    every = -(-decades // (10 if canvas.is_wide else 3))
    ticks = [count for count in range(1, decades + 1) if (decades - count) % every == 0]
    texts = [f"{100 - 10.0 ** (2 - count):.{max(0, count - 2)}f} %" for count in ticks]
    canvas.axes.set_xticks([0, *ticks], ["0 %", *texts])
    canvas.axes.set_xlim(0, decades)


def _percentile_table(found: Mapping[str, Distribution], log: LogOfMember) -> Table | None:
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
        return None
    names = ("between", "measured", *(f"{each:g} %" for each in PERCENTILES), "longest")
    return Table("Percentiles of the times", names, rows, (0,))


def _over_time(
    summary: Mapping[str, Any], log: LogOfMember, waits: LogWaits, marks: Sequence[Mark]
) -> Part:
    drawn = waits.timeline.drawn()
    rows = drawn.rows()
    if not rows:
        return Note("There is nothing to measure.")
    times_s = [begin / log.units for begin, _ in rows]
    longest = [float(each * log.unit_ns) for _, (_, each) in rows]
    begin, end = span_of(summary)
    last = times_s[-1] + drawn.interval_ns / NS_PER_S

    def draw(canvas: Canvas) -> None:
        canvas.times(min(begin, times_s[0]), max(end, last))
        canvas.values(max(*longest, log.unit_ns), duration_text)
        canvas.marks(marks)
        canvas.steps("longest wait", "one", times_s, longest, last)

    every = duration_text(drawn.interval_ns)
    legend = [("one", f"the longest wait that ended in each {every}"), *marks_legend(marks)]
    return Plot(
        "over-time",
        "The longest wait over time",
        f"At most {duration_text(max(longest))}; one value for each {every}.",
        pictures(draw),
        legend,
    )


def _steps_back(summary: Mapping[str, Any]) -> Note | None:
    if not summary["steps_back"]:
        return None
    return Note(
        f"Leaders' clocks went back {summary['steps_back']:,} times, by"
        f" {duration_text(summary['largest_step_back_ns'])} at most; such waits count as 0."
    )


def _term_table(terms: Sequence[TermLife], log: LogOfMember) -> Table:
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
        f"{len(rows)} of {len(terms)} terms, the last ones; times are UTC; the handover is the"
        f" time since the last entry of the previous term, by two clocks if the leader changed"
    )
    return Table(caption, names, rows, (2, 3))


def _longest_table(waits: LogWaits, log: LogOfMember) -> Part:
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
        return Note("All waits are below the resolution of the log's clock.")
    names = ("wait", "from", "to", "position of the next entry", "its session")
    return Table("Times are UTC", names, rows, (1, 2))


def _egress(log: LogOfMember, answers: Answers) -> list[Part | None]:
    drawn = answers.timeline.drawn()
    rows = drawn.rows()
    if not rows:
        return [Note("There are no requests and no answers.")]
    interval_s = drawn.interval_ns / NS_PER_S
    times_s = [begin / log.units for begin, _ in rows]
    last = times_s[-1] + interval_s
    requested, answered = ([figures[index] / interval_s for _, figures in rows] for index in (0, 1))
    high = max(*requested, *answered)

    def draw(canvas: Canvas) -> None:
        canvas.times(times_s[0], last)
        canvas.values(high)
        canvas.steps("requested", "one", times_s, requested, last, is_filled=False)
        canvas.steps("answered", "two", times_s, answered, last, is_filled=False)

    every = duration_text(drawn.interval_ns)
    rates = Plot(
        "egress-rate",
        "Messages of clients and recorded answers a second, over time",
        f"At most {count_text(high)} a second, each over {every}.",
        pictures(draw),
        [
            ("one", f"messages of clients a second, each over {every}"),
            ("two", "recorded answers a second"),
        ],
    )
    sessions = sorted(answers.sessions.items(), key=lambda each: -each[1].answered)
    listed = [
        (
            str(session),
            f"{each.requested:,}",
            f"{each.answered:,}",
            f"{each.unrequested:,}",
            NOTHING
            if each.answered == each.unrequested
            else duration_text(each.longest_delay * log.unit_ns),
        )
        for session, each in sessions[:_ROWS]
    ]
    names = ("session", "requested", "answered", "before a request", "longest delay")
    caption = f"{len(listed)} of {len(sessions)} sessions, those with most answers first"
    return [
        Note(
            "A delay is the time from a session's last request to the answer, both by the"
            " cluster's clock: 0 if the service answers while it processes the request.",
            is_dim=True,
        ),
        rates,
        _histogram("delays", "Delays of answers", answers.delays, log),
        _percentile_table({"last message and answer": answers.delays}, log),
        Table(caption, names, listed),
    ]
