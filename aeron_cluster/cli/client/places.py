"""The options that select a cluster for a client on the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cli.options.credentials import credentials_option
from aeron_cluster.cli.options.member import duration_ns
from aeron_cluster.cli.processes.port_claim import announced_clusters

__all__ = ["client_options", "find_endpoints"]

_F = TypeVar("_F", bound=Callable[..., Any])


def client_options(command: _F) -> _F:
    """Add the options of a client: ``--to``, ``--raw``, ``--timeout``, credentials, driver."""
    for option in (
        click.option(
            "--aeron-dir",
            metavar="DIR",
            help="Use the driver in this directory; by default the one in AERON_DIR, or an"
            " embedded one.",
        ),
        credentials_option,
        click.option(
            "--timeout",
            "timeout_ns",
            callback=duration_ns,
            default="15s",
            show_default=True,
            metavar="TIME",
            help="How long to wait for the cluster and for each answer.",
        ),
        click.option(
            "--raw",
            is_flag=True,
            help="Send unnumbered messages, to a service without Deduplication: the next message"
            " received is the answer, and a message may be lost when its leader fails.",
        ),
        click.option(
            "--to",
            "endpoints",
            metavar="HOSTS",
            envvar="AERON_CLUSTER_HOSTS",
            help="The members' ingress endpoints, host:port separated by commas; by default"
            " those of the cluster that aeron-cluster local runs here.",
        ),
    ):
        command = option(command)
    return command


def find_endpoints(endpoints: str | None) -> str:
    """Return the given endpoints, or those of the only local cluster that is running."""
    if endpoints is not None:
        return endpoints
    found = announced_clusters()
    if not found:
        fail(
            "no local cluster is running: start one (aeron-cluster local 3 --service module:Class),"
            " or give --to host:port,...",
            ExitCode.NOT_REACHABLE,
        )
    if len(found) > 1:
        several = "; ".join(f"--to {each.endpoints}" for each in found)
        fail(f"{len(found)} local clusters are running: choose one with {several}", ExitCode.USAGE)
    return found[0].endpoints
