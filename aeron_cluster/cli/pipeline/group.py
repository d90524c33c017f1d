"""``aeron-cluster pipeline``: jobs over recordings of archives."""

from __future__ import annotations

from typing import Final

import click

from aeron_cluster.cli.options.lazy_verbs import LazyVerbs

__all__ = ["pipeline"]

# Modules in this folder, imported when needed: only some use PyArrow, which is slow to import.
_VERBS: Final = {
    "audit": (
        "audit",
        "Check whether members have the same log, terms and snapshots.",
    ),
    "compact": (
        "compact",
        "Write the committed part of a log as Parquet, incrementally.",
    ),
    "latency": (
        "latency",
        "Show how long the log waited, as tables and a page.",
    ),
    "sessions": (
        "sessions",
        "Show clients' sessions, as tables and a page.",
    ),
    "state-at": (
        "state_at",
        "Rebuild the state of a service at positions or times.",
    ),
    "verify": (
        "verify",
        "Check that compact wrote all of the log.",
    ),
}


@click.group(cls=LazyVerbs, package="aeron_cluster.cli.pipeline", sections={"Jobs": _VERBS})
def pipeline() -> None:
    """Jobs over recordings: they read the files of Java's members and ours.

    The members may be running, stopped, or copied from another machine; nothing is written to their
    directories.

    \b
    Examples:
      aeron-cluster pipeline audit node0 node1 node2
      aeron-cluster pipeline compact node0 --to lake
      aeron-cluster pipeline verify lake node0
      aeron-cluster pipeline sessions node0 --out sessions
      aeron-cluster pipeline latency node0 --out latency
      aeron-cluster pipeline state-at node0 --service my_service:MyService --position 81920 --to out
    """  # noqa: D301 - \b is click's mark
