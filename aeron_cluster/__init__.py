"""Aeron Cluster for Python."""

from aeron_cluster.native import get_include

__all__ = ["get_include"]
