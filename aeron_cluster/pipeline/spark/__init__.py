"""Recordings and logs on Spark: the format ``aeron_cluster``.

It needs PySpark and PyArrow, which are requested when something is called, and Java.
"""

from aeron_cluster.pipeline.spark.session import load, local_session, register

__all__ = ["load", "local_session", "register"]
