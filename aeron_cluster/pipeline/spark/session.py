"""Creates Spark sessions with the format, and loads frames."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.pipeline.files.url_files import any_files
from aeron_cluster.pipeline.files.urls import absolute
from aeron_cluster.pipeline.optional_packages import require
from aeron_cluster.pipeline.spark.frozen import freeze
from aeron_cluster.pipeline.spark.java import require_java
from aeron_cluster.pipeline.spark.options import option_text, parse_options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["load", "local_session", "register"]

_FORMAT: Final = "aeron_cluster"


def register(spark: SparkSession) -> SparkSession:
    """Register the format ``aeron_cluster`` in a session.

    This package must be installed on workers.

    Returns
    -------
    SparkSession
        The same session.

    Raises
    ------
    MissingPackageError
        PySpark or PyArrow is not installed.
    """
    require("pyarrow", "spark")
    require("pyspark", "spark")
    source = require("aeron_cluster.pipeline.spark.source", "spark")
    spark.dataSource.register(source.AeronClusterSource)
    return spark


def local_session(
    master: str = "local[*]",
    app_name: str = "aeron_cluster",
    conf: Mapping[str, str] | None = None,
) -> SparkSession:
    """Return a Spark session that knows the format ``aeron_cluster``, on this machine by default.

    Parameters
    ----------
    master : str
        ``local[2]`` for two concurrent tasks, or a cluster's master.
    app_name : str
    conf : mapping of str, optional
        Spark's settings.

    Raises
    ------
    MissingPackageError
        PySpark or PyArrow is not installed.
    MissingJavaError
        Spark needs Java 17 or later.
    """
    require("pyspark", "spark")
    require_java()
    # By default workers would use the first Python on the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = require("pyspark.sql", "spark").SparkSession.builder.master(master).appName(app_name)
    for name, value in (conf or {}).items():
        builder = builder.config(name, value)
    return register(builder.getOrCreate())


def load(spark: SparkSession, *paths: str | os.PathLike[str], **options: Any) -> DataFrame:
    """Return rows as a frame that is independent of other loads from the same files.

    Parameters
    ----------
    spark : SparkSession
        A session with the format registered.
    *paths : str or PathLike
        A node's directory or an archive directory, or a URL of one, for each member.
    **options
        Options of the format, as Python values: ``columns=["position", "payload"]``,
        ``from_time=datetime(...)``, ``sessions=[3]``; and ``schema``.

    Returns
    -------
    DataFrame
        The rows up to the current end of the recordings.
    """
    schema = options.pop("schema", None)
    given = {name: option_text(value) for name, value in options.items() if value is not None}
    given["paths"] = json.dumps([absolute(path) for path in paths])
    reader = spark.read.format(_FORMAT)
    if schema is not None:
        reader = reader.schema(schema)
        given.setdefault("ends", json.dumps(freeze(any_files(), parse_options(given))))
    return reader.options(**given).load()
