"""Runs a function over things one after another, or side by side on Spark.

Stands for nothing of Java's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from aeron_cluster.errors import AeronClusterError, OperationError
from aeron_cluster.pipeline.jobs.progress import Progress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["run_tasks"]

_T = TypeVar("_T")
_R = TypeVar("_R")


def run_tasks(
    function: Callable[[_T], _R],
    things: Sequence[_T],
    what: str,
    progress: Progress,
    spark: SparkSession | None = None,
) -> Iterator[_R]:
    """Yield what a function makes of each thing, in their order.

    Parameters
    ----------
    function : callable
        On Spark it is pickled to where tasks run, and what it returns from there.
    things : sequence
    what : str
        For the progress.
    progress : callable
    spark : SparkSession, optional
        A task for each; the results come when all are done.

    Raises
    ------
    AeronClusterError
        What the function raises, on Spark, too.
    """
    progress(what, 0, len(things))
    if spark is not None and things:
        tasks = spark.sparkContext.parallelize(things, len(things)).map(_Told(function))
        for result, failure in tasks.collect():
            if failure is not None:
                raise failure.error()
            yield result
        progress(what, len(things), len(things))
        return
    for index, thing in enumerate(things):
        result = function(thing)
        progress(what, index + 1, len(things))
        yield result


class _Told:
    """Returns an error of ours in the place of raising it: Spark would keep its text alone."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def __call__(self, thing: Any) -> tuple[Any, _Failure | None]:
        try:
            return self._function(thing), None
        except AeronClusterError as error:
            cause = error.__cause__
            text = "" if cause is None else f"{type(cause).__name__}: {cause}"
            return None, _Failure(type(error), error.args, dict(vars(error)), text)


@dataclass(frozen=True, slots=True)
class _Failure:
    """An error, as what it is made of: those with arguments of their own cannot be pickled."""

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
