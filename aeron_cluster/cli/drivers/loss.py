"""``aeron-cluster loss``: the loss report of a driver.

Upstream: LossStat.
"""

from __future__ import annotations

from typing import Final

import click
from rich.console import Group
from rich.table import Table
from rich.text import Text

from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cli.options.driver import driver_command
from aeron_cluster.cli.options.member import format_time
from aeron_cluster.cli.options.watching import show, watch_options
from aeron_cluster.driver.loss_report_reader import LossEntry, read_loss_report
from aeron_cluster.memory.system.seams import SystemFiles

__all__ = ["loss"]

_COLUMNS: Final = ("observed", "bytes", "session", "stream")


@click.command()
@driver_command
@watch_options
def loss(directory: str, interval: float | None, is_json: bool) -> None:
    """Show the network loss that a driver (ours, Java's or C's) observed.

    One entry per image with loss: the number of losses, total bytes, first and last time, and the
    source. Lost data was retransmitted, except on unreliable streams.

    \b
    Examples:
      aeron-cluster loss
      aeron-cluster loss /dev/shm/my-driver --watch
      aeron-cluster loss --json | jq '[.entries[].total_bytes_lost] | add'
    """  # noqa: D301 - \b is click's mark
    try:
        read_loss_report(SystemFiles(), directory)
    except FileNotFoundError:
        fail(f"no loss report in {directory}: is it a driver's directory?", ExitCode.NOT_REACHABLE)
    show(
        lambda: read_loss_report(SystemFiles(), directory),
        lambda found: {"path": directory, "entries": found},
        _view,
        is_json=is_json,
        interval=interval,
    )


def _view(found: list[LossEntry]) -> Group:
    table = Table(box=None, header_style="bold")
    for name in _COLUMNS:
        table.add_column(name, justify="right")
    for name in ("first", "last", "channel", "source"):
        table.add_column(name, overflow="fold")
    for each in found:
        table.add_row(
            str(each.observation_count),
            f"{each.total_bytes_lost:,}",
            str(each.session_id),
            str(each.stream_id),
            format_time(each.first_observation_ms),
            format_time(each.last_observation_ms),
            Text(each.channel),
            Text(each.source),
        )
    return Group(table, f"{len(found)} loss entries")
