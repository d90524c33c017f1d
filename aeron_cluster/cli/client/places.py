"""Which cluster a client at the command line means."""

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
    """Add what a client needs: ``--to``, ``--raw``, ``--timeout``, credentials and driver."""
    for option in (
        click.option(
            "--aeron-dir",
            metavar="DIR",
            help="Use the driver there; left out, AERON_DIR's, or one of its own.",
        ),
        credentials_option,
        click.option(
            "--timeout",
            "timeout_ns",
            callback=duration_ns,
            default="15s",
            show_default=True,
            metavar="TIME",
            help="How long to wait for the cluster, and for each answer.",
        ),
        click.option(
            "--raw",
            is_flag=True,
            help="Send messages as they are, to a service without Deduplication: what comes back"
            " next is the answer, and a message may be lost with its leader.",
        ),
        click.option(
            "--to",
            "endpoints",
            metavar="HOSTS",
            envvar="AERON_CLUSTER_HOSTS",
            help="The members' ingress endpoints, host:port joined by commas; left out, those of"
            " the cluster that aeron-cluster local runs here.",
        ),
    ):
        command = option(command)
    return command


def find_endpoints(endpoints: str | None) -> str:
    """Return the endpoints that were given, or those of the only local cluster that runs."""
    if endpoints is not None:
        return endpoints
    found = announced_clusters()
    if not found:
        fail(
            "no local cluster runs: start one (aeron-cluster local 3 --service module:Class),"
            " or give --to host:port,...",
            ExitCode.NOT_REACHABLE,
        )
    if len(found) > 1:
        several = "; ".join(f"--to {each.endpoints}" for each in found)
        fail(f"{len(found)} local clusters run: choose one by {several}", ExitCode.USAGE)
    return found[0].endpoints
