"""The Spark format ``aeron_cluster`` for recordings and logs.

It requires Java, and PySpark and PyArrow, which are imported when a function is called.
"""

from aeron_cluster.pipeline.spark.session import load, local_session, register

__all__ = ["load", "local_session", "register"]
