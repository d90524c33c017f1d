"""``aeron-cluster driver pid|terminate|errors``.

Upstream: DriverTool and ErrorStat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.console import Group
from rich.text import Text

from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cli.options.driver import driver_command, open_driver
from aeron_cluster.cli.options.member import (
    confirm_change,
    confirmation_options,
    error_text,
    json_option,
    print_json,
)
from aeron_cluster.cli.options.watching import show, watch_options
from aeron_cluster.client.driver_proxy import DriverProxy
from aeron_cluster.memory.shared.mark_file import SILENT_AFTER_MS
from aeron_cluster.memory.system.seams import SystemClock

if TYPE_CHECKING:
    from aeron_cluster.memory.shared.error_text import ErrorLogEntry

__all__ = ["errors", "pid", "show_errors", "terminate"]


@click.command()
@driver_command
@json_option
def pid(directory: str, is_json: bool) -> None:
    """Print the process id of a driver, from its CnC file.

    \b
    Examples:
      aeron-cluster driver pid
      kill $(aeron-cluster driver pid /dev/shm/my-driver)
    """  # noqa: D301 - \b is click's mark
    with open_driver(directory) as cnc:
        is_active = cnc.is_driver_active(SystemClock().epoch_ms(), SILENT_AFTER_MS)
        if is_json:
            print_json(pid=cnc.pid, is_active=is_active, path=cnc.path)
        else:
            click.echo(cnc.pid)


@click.command()
@driver_command
@click.option(
    "--token", default="", metavar="TEXT", help="The token for the driver's termination validator."
)
@confirmation_options
@json_option
def terminate(directory: str, token: str, yes: bool, dry_run: bool, is_json: bool) -> None:
    """Request a driver (ours, Java's or C's) to terminate; all its clients are disconnected.

    A driver terminates only if its termination validator allows it
    (aeron.driver.termination.validator), and the default one does not; there is no reply. Asks for
    confirmation; without a terminal --yes is required. Exits with 3 if no driver is active.

    \b
    Examples:
      aeron-cluster driver terminate /dev/shm/my-driver --yes
    """  # noqa: D301 - \b is click's mark
    with open_driver(directory) as cnc:
        if not cnc.is_driver_active(SystemClock().epoch_ms(), SILENT_AFTER_MS):
            fail(f"no driver is active in {directory}", ExitCode.NOT_REACHABLE)
        if not is_json:
            click.echo(f"driver in {directory}, process {cnc.pid}")
        is_done = confirm_change(yes, dry_run, "All clients of the driver are disconnected.")
        if is_done:
            DriverProxy(cnc).terminate_driver(token.encode())
        if is_json:
            print_json(is_requested=is_done, pid=cnc.pid)
        elif is_done:
            click.echo("requested")


@click.command()
@driver_command
@watch_options
def errors(directory: str, interval: float | None, is_json: bool) -> None:
    """Show the errors of a driver, ours, Java's or C's.

    Each distinct error is shown once, with its count and times.

    \b
    Examples:
      aeron-cluster driver errors
      aeron-cluster driver errors /dev/shm/my-driver --watch
      aeron-cluster driver errors --json | jq '.errors | length'
    """  # noqa: D301 - \b is click's mark
    show_errors(directory, is_json=is_json, interval=interval)


def show_errors(directory: str, *, is_json: bool, interval: float | None = None) -> None:
    """Print the errors of a driver, once or at an interval."""
    with open_driver(directory) as cnc:
        show(
            lambda: cnc.error_log().entries(),
            lambda found: {"path": cnc.path, "errors": found},
            _errors_view,
            is_json=is_json,
            interval=interval,
        )


def _errors_view(found: list[ErrorLogEntry]) -> Group:
    lines = [Text(error_text(each)) for each in found]
    return Group(*lines, f"{len(found)} distinct errors observed")
