"""Run a job of the pipeline on Spark, if the command line requests it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from aeron_cluster.errors import OperationError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["spark_option", "spark_session"]

_F = TypeVar("_F", bound=Callable[..., Any])


def spark_option(function: _F) -> _F:
    """Add ``--spark``, as ``master``."""
    return click.option(
        "--spark",
        "master",
        metavar="MASTER",
        help="Run in parallel on Spark: local[4], or spark://HOST:PORT, whose workers need the"
        " directories under the same paths. Without it, in this process.",
    )(function)


@contextlib.contextmanager
def spark_session(master: str | None) -> Iterator[SparkSession | None]:
    """Yield a Spark session that ends with the job; None if Spark was not requested.

    Raises
    ------
    OperationError
        An error of Spark itself, on connecting or in the job: its master, a worker, or its JVM.
    """
    if master is None:
        yield None
        return
    from aeron_cluster.pipeline.spark import local_session  # noqa: PLC0415 - it takes seconds

    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    try:
        session = local_session(master, "aeron-cluster pipeline", settings)
        try:
            yield session
        finally:
            session.stop()
    except Exception as error:
        if not _is_of_spark(error):
            raise
        raise OperationError(f"Spark with master {master}: {_text(error)}") from error


def _is_of_spark(error: Exception) -> bool:
    """Return whether an error is from Spark or its JVM bridge, which may not be installed."""
    return any(each.__module__.split(".")[0] in ("pyspark", "py4j") for each in type(error).__mro__)


def _text(error: Exception) -> str:
    """Return the error's text, without the stack trace of the JVM."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    texts = [line.lstrip(": ") for line in lines if not line.startswith(("at ", "... "))]
    # The cause follows "An error occurred while calling".
    which = texts[1:2] if texts and texts[0].startswith("An error occurred while") else texts[:1]
    return "".join(which) or type(error).__name__
