"""The job ``sessions``: the times of clients' sessions, and their messages.

No counterpart in Aeron.
"""

from __future__ import annotations

from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.pipeline.files.url_files import any_files
from aeron_cluster.pipeline.jobs.figures.entries import ENTRY_COLUMNS, sender_ids
from aeron_cluster.pipeline.jobs.figures.log_events import LogEvents, find_events
from aeron_cluster.pipeline.jobs.figures.log_plan import LogOfMember
from aeron_cluster.pipeline.jobs.figures.session_flow import SessionFlows, scan_sessions
from aeron_cluster.pipeline.jobs.figures.session_lives import (
    SessionLife,
    open_changes,
    session_lives,
)
from aeron_cluster.pipeline.jobs.figures.timeline import Timeline
from aeron_cluster.pipeline.jobs.pages.sessions_page import sessions_page
from aeron_cluster.pipeline.jobs.running.job_tables import job_table, micros
from aeron_cluster.pipeline.jobs.running.passes import scan_plan
from aeron_cluster.pipeline.jobs.running.progress import Progress, no_progress
from aeron_cluster.pipeline.jobs.running.result import JobResult
from aeron_cluster.pipeline.scan.arrow import left_out_table

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.files.members import MemberPath

__all__ = ["analyze_sessions"]

_SESSIONS: Final = (
    ("cluster_session_id", "int64"),
    ("service_id", "int64"),
    ("kind", "string"),
    ("opened", "time"),
    ("open_position", "int64"),
    ("closed", "time"),
    ("close_position", "int64"),
    ("close_reason", "string"),
    ("life_ns", "int64"),
    ("principal", "binary"),
    ("response_channel", "string"),
    ("response_stream_id", "int32"),
    ("messages", "int64"),
    ("bytes", "int64"),
    ("first_message", "time"),
    ("last_message", "time"),
    ("mean_rate", "float64"),
    ("longest_gap_ns", "int64"),
    ("longest_gap_position", "int64"),
)
_RATES: Final = (
    ("begin", "time"),
    ("interval_ns", "int64"),
    ("messages", "int64"),
    ("bytes", "int64"),
    ("opened", "int64"),
    ("closed", "int64"),
    ("open_sessions", "int64"),
)
_GAPS: Final = (
    ("cluster_session_id", "int64"),
    ("service_id", "int64"),
    ("length_ns", "int64"),
    ("end", "time"),
    ("position", "int64"),
)
_TERMS: Final = (
    ("leadership_term_id", "int64"),
    ("leader_member_id", "int32"),
    ("begin", "time"),
    ("position", "int64"),
)
# Optional tables.
_OPTIONAL_TABLES: Final = ("left_out",)


def analyze_sessions(
    member: MemberPath,
    recording_id: int | None = None,
    *,
    interval_s: float | None = None,
    spark: Any = None,
    progress: Progress = no_progress,
    files: Files | None = None,
    **selection: Any,
) -> JobResult:
    """Analyze the sessions of a log.

    Parameters
    ----------
    member : path-like or MemberDirectories
        As for `read_log`.
    recording_id : int, optional
        The recording of the log, if the member's recording log does not have it.
    interval_s : float, optional
        The interval of the rates; by default the shortest with at most a thousand intervals.
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
        It has the tables ``sessions``, ``rates``, ``gaps`` (the hundred longest between messages of
        a session or service) and ``terms``; in a permissive pass also ``left_out``.

    Raises
    ------
    ConfigurationError, MissingFileError, SegmentError, CorruptError
        As for `read_log`; also if the time unit of the log is unknown.
    """
    files = files or any_files()
    log = LogOfMember.find(
        files, member, recording_id, ENTRY_COLUMNS, ("SessionMessage",), selection
    )
    flows = SessionFlows(Timeline(log.units, ("messages", "bytes"), (), interval_s))
    scan = partial(scan_sessions, log.units, interval_s)
    for each in scan_plan(log.plan, scan, "the log", progress, files=files, spark=spark):
        flows.append(each)
    events = find_events(log, progress, files, spark)
    flows.left_out += events.left_out  # the other pass read only messages
    lives = session_lives(flows, events)
    rates = _rates(flows.timeline, lives)
    tables = {
        "sessions": job_table(_SESSIONS, (_session_row(life, log) for life in lives)),
        "rates": job_table(
            _RATES,
            (
                (micros(begin, log.units), flows.timeline.interval_ns, *figures)
                for begin, *figures in rates
            ),
        ),
        "gaps": job_table(
            _GAPS,
            (
                (*sender_ids(each.session), each.length * log.unit_ns,
                 micros(each.time, log.units), each.position)
                for each in flows.gaps
            ),
        ),
        "terms": job_table(_TERMS, (_term_row(row, log) for row in events.terms)),
    }  # fmt: skip
    if flows.left_out:
        tables["left_out"] = left_out_table(flows.left_out)
    summary = _summary(log, flows, lives, events)
    page = partial(sessions_page, log, summary, flows, lives, events, rates)
    return JobResult(
        summary, tables, page, [each for each in _OPTIONAL_TABLES if each not in tables]
    )


def _session_row(life: SessionLife, log: LogOfMember) -> tuple[Any, ...]:
    flow, units = life.flow, log.units
    sent: tuple[Any, ...] = (0, 0, None, None, None, None, None)
    if flow is not None:
        lasted = flow.last_time - flow.first_time
        sent = (
            flow.count,
            flow.length,
            micros(flow.first_time, units),
            micros(flow.last_time, units),
            (flow.count - 1) * units / lasted if lasted > 0 else None,
            flow.gap * log.unit_ns if flow.count > 1 else None,
            flow.gap_position if flow.gap_position >= 0 else None,
        )
    return (
        *sender_ids(life.session),
        "client" if life.is_client else "service",
        micros(life.open_time, units),
        life.open_position,
        micros(life.close_time, units),
        life.close_position,
        life.close_reason,
        None if life.life is None else life.life * log.unit_ns,
        life.principal,
        life.response_channel,
        life.response_stream_id,
        *sent,
    )


def _term_row(row: dict[str, Any], log: LogOfMember) -> tuple[Any, ...]:
    leader = row["new_leadership_term"]["leader_member_id"]
    begin = micros(row["timestamp_raw"], log.units)
    return row["leadership_term_id"], leader, begin, row["position"]


def _rates(timeline: Timeline, lives: list[SessionLife]) -> list[tuple[int, ...]]:
    """Return the start, messages, bytes and open sessions of each non-empty interval."""
    interval = timeline.interval
    counts: dict[int, list[int]] = {}
    for begin, (messages, length) in timeline.rows():
        counts[begin] = [messages, length, 0, 0]
    before, changes = open_changes(lives)
    for time, change in changes:
        row = counts.setdefault(time - time % interval, [0, 0, 0, 0])
        row[2 if change > 0 else 3] += 1
    begins = sorted(counts)
    still_open = accumulate(
        (counts[begin][2] - counts[begin][3] for begin in begins), initial=before
    )
    next(still_open)
    return [(begin, *counts[begin], now) for begin, now in zip(begins, still_open, strict=True)]


def _summary(
    log: LogOfMember, flows: SessionFlows, lives: list[SessionLife], events: LogEvents
) -> dict[str, Any]:
    times = [
        row["timestamp_raw"] for rows in (events.opens, events.closes, events.terms) for row in rows
    ]
    for flow in flows.sessions.values():
        times += [flow.first_time, flow.last_time]
    clients = [life for life in lives if life.is_client]
    reasons: dict[str, int] = {}
    for life in clients:
        if life.close_reason is not None:
            reasons[life.close_reason] = reasons.get(life.close_reason, 0) + 1
    gap = max((life.flow.gap for life in clients if life.flow is not None), default=0)
    begin, end = (min(times), max(times)) if times else (None, None)
    from_position, to_position = log.bounds
    return {
        "member": log.member,
        "archive": log.archive_dir,
        "recording": log.recording_id,
        "from_position": from_position,
        "to_position": to_position,
        "begin_us": micros(begin, log.units),
        "end_us": micros(end, log.units),
        "sessions": len(clients),
        "open_at_end": sum(life.close_time is None for life in clients),
        "close_reasons": reasons,
        "messages": sum(flow.count for flow in flows.sessions.values()),
        "bytes": sum(flow.length for flow in flows.sessions.values()),
        "leadership_terms": len(events.terms),
        "longest_gap_ns": gap * log.unit_ns if gap else None,
        "interval_ns": flows.timeline.interval_ns,
        "left_out": len(flows.left_out),
    }
