"""Lets PySpark find the format ``aeron_cluster`` by itself: it looks into modules of such names.

It does so for everybody who uses any source of Python's, and none of them may fail for this one.
"""

import contextlib

with contextlib.suppress(ImportError):
    from aeron_cluster.pipeline.spark.source import AeronClusterSource as DefaultSource

    __all__ = ["DefaultSource"]
