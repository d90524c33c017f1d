"""Runs a function over items, one after another, or in parallel on Spark.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar
from uuid import uuid4

from aeron_cluster.errors import AeronClusterError, OperationError
from aeron_cluster.pipeline.jobs.running.progress import Progress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["run_tasks"]

_T = TypeVar("_T")
_R = TypeVar("_R")
# The least number of concurrent tasks: Spark may add workers only if tasks are pending.
_MIN_WAITING: Final = 8


def run_tasks(
    function: Callable[[_T], _R],
    items: Sequence[_T],
    what: str,
    progress: Progress,
    spark: SparkSession | None = None,
) -> Iterator[_R]:
    """Yield the result of a function for each item, in order.

    Parameters
    ----------
    function : callable
        On Spark the function and its results are pickled.
    items : sequence
    what : str
        The name of the step, for the progress.
    progress : callable
    spark : SparkSession, optional
        Runs a task for each item; each result is yielded when it and all before it are done.

    Raises
    ------
    AeronClusterError
        The exception of the function, also on Spark.
    """
    progress(what, 0, len(items))
    results = map(function, items) if spark is None else _side_by_side(function, items, spark)
    for index, result in enumerate(results):
        progress(what, index + 1, len(items))
        yield result


def _side_by_side(
    function: Callable[[_T], _R], items: Sequence[_T], spark: SparkSession
) -> Iterator[_R]:
    """Yield results of tasks; each is a Spark job, as a job returns all results at its end."""
    context = spark.sparkContext
    tag = f"aeron_cluster-{uuid4()}"
    caller = _ReturnedError(function)

    def run(item: _T) -> tuple[Any, _Failure | None]:
        (outcome,) = context.parallelize([item], 1).map(caller).collect()
        return outcome

    count = max(1, min(len(items), max(_MIN_WAITING, 2 * context.defaultParallelism)))
    threads = ThreadPoolExecutor(count, initializer=context.addJobTag, initargs=(tag,))
    try:
        for outcome in threads.map(run, items):
            yield _returned(*outcome)
    except BaseException:
        threads.shutdown(wait=False, cancel_futures=True)
        context.cancelJobsWithTag(tag)
        raise
    finally:
        threads.shutdown()


def _returned(result: Any, failure: _Failure | None) -> Any:
    if failure is not None:
        raise failure.error()
    return result


class _ReturnedError:
    """Returns an error of this package instead of raising it: Spark would keep only its text."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def __call__(self, item: Any) -> tuple[Any, _Failure | None]:
        try:
            return self._function(item), None
        except AeronClusterError as error:
            cause = error.__cause__
            text = "" if cause is None else f"{type(cause).__name__}: {cause}"
            return None, _Failure(type(error), error.args, dict(vars(error)), text)


@dataclass(frozen=True, slots=True)
class _Failure:
    """The parts of an error, as errors with their own arguments cannot be pickled."""

    kind: type[AeronClusterError]
    arguments: tuple[Any, ...]
    attributes: dict[str, Any]
    cause: str

    def error(self) -> AeronClusterError:
        error = self.kind.__new__(self.kind, *self.arguments)
        error.args = self.arguments
        vars(error).update(self.attributes)
        error.__cause__ = OperationError(self.cause) if self.cause else None
        return error
