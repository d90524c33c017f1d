"""Rare events of a log: opened and closed sessions, and changes of leader.

No counterpart in Aeron.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.pipeline.jobs.figures.outlier_times import without_outlier_times
from aeron_cluster.pipeline.jobs.running.passes import scan_plan
from aeron_cluster.pipeline.scan.arrow import arrow_batches, plan_schema

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.jobs.figures.log_plan import LogOfMember
    from aeron_cluster.pipeline.jobs.running.progress import Progress
    from aeron_cluster.pipeline.scan.pieces import LeftOut
    from aeron_cluster.pipeline.scan.scan_plan import Plan

__all__ = ["LogEvents", "find_events"]

_TYPES: Final = ("SessionOpenEvent", "SessionCloseEvent", "NewLeadershipTermEvent")
_COLUMNS: Final = (
    "position",
    "frame_length",
    "message_type",
    "leadership_term_id",
    "cluster_session_id",
    "timestamp_raw",
    "session_open",
    "session_close",
    "new_leadership_term",
)


@dataclass(slots=True)
class LogEvents:
    """The rows of each kind, in log order.

    Parameters
    ----------
    opens, closes, terms : list of dict
        The events of sessions, and the begins of leadership terms.
    untimed_opens : dict of int to int
        The positions of opens with invalid times, by session id.
    left_out : list of LeftOut
        The rows with invalid times.
    """

    opens: list[dict[str, Any]] = field(default_factory=list)
    closes: list[dict[str, Any]] = field(default_factory=list)
    terms: list[dict[str, Any]] = field(default_factory=list)
    untimed_opens: dict[int, int] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)


def find_events(log: LogOfMember, progress: Progress, files: Files, spark: Any) -> LogEvents:
    """Return the rare events of a log."""
    found = LogEvents()
    by_type = dict(zip(_TYPES, (found.opens, found.closes, found.terms), strict=True))
    plan = log.rarer(_COLUMNS, _TYPES)
    parts = scan_plan(plan, _rows, "its events", progress, files=files, spark=spark)
    for rows, untimed_opens, left_out in parts:
        found.untimed_opens |= untimed_opens
        found.left_out += left_out
        for row in rows:
            by_type[row["message_type"]].append(row)
    return found


def _rows(files: Files, plan: Plan) -> tuple[list[dict[str, Any]], dict[int, int], list[LeftOut]]:
    schema = plan_schema(plan)
    rows: list[dict[str, Any]] = []
    untimed_opens: dict[int, int] = {}
    left_out: list[LeftOut] = []
    # The pass over all entries reports the unreadable parts.
    for batch in arrow_batches(files, plan, plan.ranges[0], [], schema):
        timed = without_outlier_times(files, plan, batch, left_out)
        positions = set(timed.column("position").to_pylist())
        for row in batch.to_pylist():
            session, position = row["cluster_session_id"], row["position"]
            if position in positions:
                rows.append(row)
            elif row["message_type"] == "SessionOpenEvent" and session is not None:
                untimed_opens[session] = position
    return rows, untimed_opens, left_out
