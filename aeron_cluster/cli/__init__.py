"""The aeron-cluster command: argument parsing and printing only."""

from aeron_cluster.cli import warning_filters  # noqa: F401 - it applies when imported
