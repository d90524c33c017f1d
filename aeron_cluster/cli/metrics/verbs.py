"""``aeron-cluster metrics``, ``ready`` and ``live``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cli.metrics.health import find_target, liveness_problem, readiness_problem
from aeron_cluster.cli.metrics.option import exporting, otlp_option
from aeron_cluster.cli.options.lines import Lines
from aeron_cluster.cli.options.member import json_option, print_json, reports_errors
from aeron_cluster.memory.system.signals import ShutdownSignalBarrier

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.cli.metrics.health import Target

__all__ = ["live", "metrics", "ready"]

_directory_argument = click.argument(
    "directory", metavar="[DIR]", default="aeron-cluster", envvar="AERON_CLUSTER_DIR"
)


@click.command()
@_directory_argument
@click.option(
    "--listen",
    default="localhost:9100",
    show_default=True,
    metavar="[HOST]:PORT",
    help="The address to serve at; without a host, on all addresses of this machine.",
)
@otlp_option
@reports_errors
def metrics(directory: str, listen: str, otlp: str | None) -> None:
    """Serve the metrics of a running driver or member, ours or Java's, from a separate process.

    DIR is the directory of a driver, of a member or of a node; it may start later. The server has
    /metrics (Prometheus), /ready and /live. The commands node, driver and archive do the same in
    their own process with --metrics; a separate process never delays a service in Python.

    \b
    Examples:
      aeron-cluster metrics data --listen :9100
      aeron-cluster metrics /dev/shm/aeron-me
      aeron-cluster metrics data --otlp http://localhost:4318
    """  # noqa: D301 - \b is click's mark
    # Only here: it imports http.server.
    from aeron_cluster.cli.metrics.server import MetricsServer  # noqa: PLC0415

    lines = Lines()

    def find() -> Target:
        return find_target(directory)

    with (
        ShutdownSignalBarrier() as barrier,
        MetricsServer(listen, find, option="--listen") as server,
        exporting(otlp, find, lines),
    ):
        lines.print(f"metrics of {directory} at {server.url}/metrics")
        lines.print("Ctrl-C ends it", style="dim")
        barrier.wait()
    lines.print("closed")


@click.command()
@_directory_argument
@json_option
@reports_errors
def ready(directory: str, is_json: bool) -> None:
    """Exit code 0 if a driver or a member serves its clients, 1 if not, with the reason.

    A leader or follower is ready while no election is running: a follower redirects clients to its
    leader. Exit code 3 if nothing ever ran in DIR.

    \b
    Examples:
      aeron-cluster ready data
      until aeron-cluster ready data; do sleep 1; done
    """  # noqa: D301 - \b is click's mark
    _probe(directory, readiness_problem, is_json, "is_ready")


@click.command()
@_directory_argument
@json_option
@reports_errors
def live(directory: str, is_json: bool) -> None:
    """Exit code 0 if a driver and the member on it are alive, 1 if not, with the reason.

    They are alive if they were active within ten seconds; otherwise restart them. Exit code 3 if
    nothing ever ran in DIR.

    \b
    Examples:
      aeron-cluster live data
    """  # noqa: D301 - \b is click's mark
    _probe(directory, liveness_problem, is_json, "is_live")


def _probe(directory: str, check: Callable[[Target], str | None], is_json: bool, name: str) -> None:
    problem = check(find_target(directory))
    if is_json:
        print_json(**{name: problem is None, "problem": problem})
        if problem is not None:
            raise SystemExit(ExitCode.NO)
    elif problem is not None:
        fail(problem, ExitCode.NO)
