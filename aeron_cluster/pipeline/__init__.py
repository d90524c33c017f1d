"""Reads what archives recorded, and the log of clusters among it, as columns."""

from aeron_cluster.pipeline.files.members import MemberDirectories
from aeron_cluster.pipeline.read import Rows, read_log, read_recording

__all__ = ["MemberDirectories", "Rows", "read_log", "read_recording"]
