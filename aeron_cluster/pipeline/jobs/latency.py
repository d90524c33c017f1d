"""The job ``latency``: times between log entries, and delays of answers.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.pipeline.files.url_files import any_files
from aeron_cluster.pipeline.jobs.figures.distribution import PERCENTILES, Distribution
from aeron_cluster.pipeline.jobs.figures.egress import (
    Answers,
    EgressRecording,
    Moment,
    compare_egress,
)
from aeron_cluster.pipeline.jobs.figures.entries import (
    ENTRY_COLUMNS,
    ENTRY_TYPES,
    Entries,
    read_entries,
    sender_ids,
)
from aeron_cluster.pipeline.jobs.figures.log_events import find_events
from aeron_cluster.pipeline.jobs.figures.log_plan import LogOfMember
from aeron_cluster.pipeline.jobs.figures.log_waits import LogWaits, scan_waits
from aeron_cluster.pipeline.jobs.figures.term_lives import TermLife, term_lives
from aeron_cluster.pipeline.jobs.figures.timeline import Timeline
from aeron_cluster.pipeline.jobs.pages.latency_page import latency_page
from aeron_cluster.pipeline.jobs.running.job_tables import job_table, micros
from aeron_cluster.pipeline.jobs.running.passes import scan_plan
from aeron_cluster.pipeline.jobs.running.progress import Progress, no_progress
from aeron_cluster.pipeline.jobs.running.result import JobResult
from aeron_cluster.pipeline.scan.arrow import left_out_table

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.files.members import MemberPath

__all__ = ["analyze_latency"]

_PERCENTILES: Final = (
    ("of", "string"),
    ("percentile", "float64"),
    ("duration_ns", "int64"),
)
_DISTRIBUTIONS: Final = (
    ("of", "string"),
    ("from_ns", "int64"),
    ("to_ns", "int64"),
    ("count", "int64"),
)
_TIMELINE: Final = (
    ("begin", "time"),
    ("interval_ns", "int64"),
    ("entries", "int64"),
    ("longest_wait_ns", "int64"),
)
_TERMS: Final = (
    ("leadership_term_id", "int64"),
    ("leader_member_id", "int32"),
    ("first_position", "int64"),
    ("last_position", "int64"),
    ("begin", "time"),
    ("end", "time"),
    ("entries", "int64"),
    ("messages", "int64"),
    ("bytes", "int64"),
    ("longest_wait_ns", "int64"),
    ("handover_ns", "int64"),
)
_LONGEST: Final = (
    ("wait_ns", "int64"),
    ("end", "time"),
    ("position", "int64"),
    ("cluster_session_id", "int64"),
    ("service_id", "int64"),
    ("leadership_term_id", "int64"),
)
_EGRESS: Final = (
    ("cluster_session_id", "int64"),
    ("requested", "int64"),
    ("answered", "int64"),
    ("unrequested", "int64"),
    ("mean_delay_ns", "int64"),
    ("longest_delay_ns", "int64"),
)
_FROM: Final = ("from_position", "from_term", "from_time")
_TO: Final = ("to_position", "to_term", "to_time")
_NEVER: Final = Moment(2**63 - 1, 2**63 - 1)
# Optional tables.
_OPTIONAL_TABLES: Final = ("egress", "left_out")


def analyze_latency(
    member: MemberPath,
    recording_id: int | None = None,
    *,
    egress: Iterable[EgressRecording] = (),
    interval_s: float | None = None,
    spark: Any = None,
    progress: Progress = no_progress,
    files: Files | None = None,
    **selection: Any,
) -> JobResult:
    """Measure the times between log entries, by leaders' clocks, and delays of answers.

    Parameters
    ----------
    member : path-like or MemberDirectories
        As for `read_log`.
    recording_id : int, optional
        The recording of the log, if the member's recording log does not have it.
    egress : iterable of EgressRecording
        Recordings of egress, which are compared with the requests in one pass in this process. For
        a part of the log, only egress of that time is used.
    interval_s : float, optional
        The interval of the timeline; by default the shortest with at most a thousand intervals.
    spark : SparkSession, optional
        Reads parts of the log as tasks; by default this process reads them.
    progress : callable, optional
        Called with the name of the current step, its completed parts and its total parts.
    files : Files, optional
        The file seam, unless Spark is used.
    **selection
        Options in `log_plan.SELECTION`, as for `read_log`.

    Returns
    -------
    JobResult
        It has the tables ``percentiles`` and ``distributions`` (of ``entries``: between consecutive
        entries of a leader; of ``messages``: between consecutive session messages; of ``egress``:
        from a session's last request to an answer), ``timeline``, ``terms``, ``longest`` (the
        hundred longest waits); with egress also ``egress``; in a permissive pass also ``left_out``.

    Raises
    ------
    ConfigurationError, MissingFileError, SegmentError, CorruptError
        As for `read_log`; also if the time unit of the log is unknown.
    """
    files = files or any_files()
    log = LogOfMember.find(files, member, recording_id, ENTRY_COLUMNS, ENTRY_TYPES, selection)
    waits = LogWaits.empty(log.units, interval_s)
    scan = partial(scan_waits, log.units, interval_s)
    for each in scan_plan(log.plan, scan, "the log", progress, files=files, spark=spark):
        waits.append(each)
    events = find_events(log, progress, files, spark)
    terms = term_lives(waits, events)
    answers = None
    recordings = list(egress)
    if recordings:
        timeline = Timeline(log.units, ("requested", "answered"), (), interval_s)
        answers = compare_egress(
            files,
            _entries(files, log),
            recordings,
            log.unit_ns,
            timeline,
            *_moments(terms, selection),
        )
    tables = _tables(log, waits, terms, answers)
    summary = _summary(log, waits, terms, answers)
    page = partial(latency_page, log, summary, waits, terms, events, answers, list(tables))
    return JobResult(
        summary, tables, page, [each for each in _OPTIONAL_TABLES if each not in tables]
    )


def _entries(files: Files, log: LogOfMember) -> Iterator[Entries]:
    for part in log.plan.ranges:
        # The other pass reports skipped parts.
        yield from read_entries(files, log.plan.with_ranges((part,)), [])


def _moments(
    terms: list[TermLife], selection: Mapping[str, Any]
) -> tuple[Moment | None, Moment | None]:
    """Return the times of the start and the end of the part, each if it is selected."""
    is_later = any(selection.get(each) is not None for each in _FROM)
    is_earlier = any(selection.get(each) is not None for each in _TO)
    is_earlier |= bool(selection.get("only_committed"))
    if not terms:
        return (_NEVER if is_later or is_earlier else None), None
    first, last = terms[0], terms[-1]
    return (
        Moment(first.term, first.flow.first_time) if is_later else None,
        Moment(last.term, last.flow.last_time) if is_earlier else None,
    )


def _distributions(waits: LogWaits, answers: Answers | None) -> dict[str, Distribution]:
    found = {"entries": waits.of_entries, "messages": waits.of_messages}
    if answers is not None:
        found["egress"] = answers.delays
    return found


def _tables(
    log: LogOfMember, waits: LogWaits, terms: list[TermLife], answers: Answers | None
) -> dict[str, Any]:
    units, unit_ns = log.units, log.unit_ns
    distributions = _distributions(waits, answers)
    percentiles = [
        (name, percentile, each.percentile_ns(percentile))
        for name, each in distributions.items()
        if each.count
        for percentile in (*PERCENTILES, 100.0)
    ]
    buckets = [(name, *bucket) for name, each in distributions.items() for bucket in each.buckets()]
    timeline = [
        (micros(begin, units), waits.timeline.interval_ns, entries, longest * unit_ns)
        for begin, (entries, longest) in waits.timeline.rows()
    ]
    longest = [
        (each.length * unit_ns, micros(each.time, units), each.position, *sender_ids(each.session),
         _term_at(terms, each.position))
        for each in waits.longest
    ]  # fmt: skip
    tables = {
        "percentiles": job_table(_PERCENTILES, percentiles),
        "distributions": job_table(_DISTRIBUTIONS, buckets),
        "timeline": job_table(_TIMELINE, timeline),
        "terms": job_table(_TERMS, (_term_row(each, log) for each in terms)),
        "longest": job_table(_LONGEST, longest),
    }
    if answers is not None:
        tables["egress"] = job_table(_EGRESS, _egress_rows(answers))
    if waits.left_out:
        tables["left_out"] = left_out_table(waits.left_out)
    return tables


def _term_at(terms: list[TermLife], position: int) -> int:
    """Return the leadership term of an entry."""
    return next(each.term for each in reversed(terms) if each.flow.first_position <= position)


def _term_row(life: TermLife, log: LogOfMember) -> tuple[Any, ...]:
    flow = life.flow
    return (
        life.term,
        life.leader,
        flow.first_position,
        flow.last_position,
        micros(flow.first_time, log.units),
        micros(flow.last_time, log.units),
        flow.entries,
        flow.messages,
        flow.length,
        flow.longest * log.unit_ns,
        None if life.handover is None else life.handover * log.unit_ns,
    )


def _egress_rows(answers: Answers) -> Iterator[tuple[Any, ...]]:
    for session, each in sorted(answers.sessions.items()):
        count = each.answered - each.unrequested
        mean = each.total_delay * answers.unit_ns // count if count else None
        longest = each.longest_delay * answers.unit_ns if count else None
        yield session, each.requested, each.answered, each.unrequested, mean, longest


def _summary(
    log: LogOfMember, waits: LogWaits, terms: list[TermLife], answers: Answers | None
) -> dict[str, Any]:
    times = [time for each in terms for time in (each.flow.first_time, each.flow.last_time)]
    handovers = [each.handover for each in terms if each.handover is not None]
    from_position, to_position = log.bounds
    summary: dict[str, Any] = {
        "member": log.member,
        "archive": log.archive_dir,
        "recording": log.recording_id,
        "from_position": from_position,
        "to_position": to_position,
        "begin_us": micros(min(times, default=None), log.units),
        "end_us": micros(max(times, default=None), log.units),
        "entries": sum(each.flow.entries for each in terms),
        "messages": sum(each.flow.messages for each in terms),
        "resolution_ns": log.unit_ns,
        "leadership_terms": len(terms),
        "longest_handover_ns": max(handovers) * log.unit_ns if handovers else None,
        "steps_back": waits.steps_back,
        "largest_step_back_ns": waits.largest_step_back * log.unit_ns,
        "interval_ns": waits.timeline.interval_ns,
        "left_out": len(waits.left_out),
    }
    for name, each in _distributions(waits, answers).items():
        for percentile in PERCENTILES:
            summary[f"{name}_p{percentile:g}_ns"] = (
                each.percentile_ns(percentile) if each.count else None
            )
        summary[f"{name}_max_ns"] = each.max_ns if each.count else None
    if answers is not None:
        sessions = answers.sessions.values()
        summary["requested"] = sum(each.requested for each in sessions)
        summary["answered"] = sum(each.answered for each in sessions)
        summary["unrequested"] = sum(each.unrequested for each in sessions)
    return summary
