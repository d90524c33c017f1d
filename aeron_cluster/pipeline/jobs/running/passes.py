"""Read a plan part by part, in this process or as Spark tasks, and yield the results.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from aeron_cluster.pipeline.files.url_files import any_files
from aeron_cluster.pipeline.jobs.running.tasks import run_tasks
from aeron_cluster.pipeline.sources.plans import cut_plan

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.jobs.running.progress import Progress
    from aeron_cluster.pipeline.scan.scan_plan import Plan

__all__ = ["scan_plan"]

_Found = TypeVar("_Found")

_MIN_PART_LENGTH: Final = 32 * 1024 * 1024
_MAX_PARTS: Final = 256


def scan_plan(
    plan: Plan,
    scan: Callable[[Files, Plan], _Found],
    what: str,
    progress: Progress,
    *,
    files: Files,
    spark: Any = None,
) -> Iterator[_Found]:
    """Yield the result of each part of a plan, in the order of the log.

    Parameters
    ----------
    plan : Plan
    scan : callable
        Called with a plan of one range. On Spark it runs in tasks, so it and its result must
        support pickling.
    what : str
        The name of the step, for the progress.
    progress : callable
    files : Files
        The file seam without Spark; tasks use the files of their machine and URLs.
    spark : SparkSession, optional
        By default parts are read one by one in this process.

    Raises
    ------
    AeronClusterError
        The error of the first failing part.
    """
    total = sum(part.length for part in plan.ranges)
    parts = [
        plan.with_ranges((part,))
        for part in cut_plan(files, plan, _part_length(plan, total)).ranges
    ]
    function = partial(scan, files) if spark is None else partial(_scan_remotely, scan)
    return run_tasks(function, parts, what, progress, spark)


def _scan_remotely(scan: Callable[[Files, Plan], _Found], part: Plan) -> _Found:
    return scan(any_files(), part)


def _part_length(plan: Plan, total: int) -> int:
    """Return the length of parts: whole terms, as their boundaries are known without reading."""
    term = max((part.piece.term_length for part in plan.ranges), default=1)
    length = max(_MIN_PART_LENGTH, -(-total // _MAX_PARTS))
    return -(-length // term) * term
