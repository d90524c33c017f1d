"""Registers the format ``aeron_cluster`` with PySpark, which imports modules of such names.

PySpark imports it for every data source in Python, so it must not fail for users of another one.
"""

import contextlib

with contextlib.suppress(ImportError):
    from aeron_cluster.pipeline.spark.source import AeronClusterSource as DefaultSource

    __all__ = ["DefaultSource"]
