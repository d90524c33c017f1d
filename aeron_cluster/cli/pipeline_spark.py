"""A job of the pipeline on Spark, where the command line asks for it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

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
        help="Work side by side on Spark: local[4], or spark://HOST:PORT, whose workers find the"
        " directories under the same paths. Without it, in this process.",
    )(function)


@contextlib.contextmanager
def spark_session(master: str | None) -> Iterator[SparkSession | None]:
    """Give a session of a master, which ends with the job; None where none is asked for."""
    if master is None:
        yield None
        return
    from aeron_cluster.pipeline.spark import local_session  # noqa: PLC0415 - it takes seconds

    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    session = local_session(master, "aeron-cluster pipeline", settings)
    try:
        yield session
    finally:
        session.stop()
