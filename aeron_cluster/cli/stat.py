"""``aeron-cluster stat``."""

from __future__ import annotations

import contextlib
import json
import os
import time  # noqa: TID251 - a pause for people, not for agents
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table

from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cli.options.durations import Seconds
from aeron_cluster.config import default_aeron_dir
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles

if TYPE_CHECKING:
    from aeron_cluster.memory.shared.counter_descriptor import CounterDescriptor
    from aeron_cluster.memory.shared.counters import CountersReader

__all__ = ["stat"]

_SILENT_AFTER_MS: Final = 10_000


@click.command()
@click.option("--dir", "directory", metavar="DIR", help="The driver's directory (aeron.dir).")
@click.option("--watch", is_flag=True, help="Show them again and again, until Ctrl-C.")
@click.option(
    "--interval",
    default=1.0,
    show_default=True,
    type=Seconds(0.01, 3600.0),
    help="Seconds between two looks with --watch.",
)
@click.option("--type", "type_id", type=int, help="Only counters of this type id.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (a line a look).")
def stat(
    directory: str | None, watch: bool, interval: float, type_id: int | None, as_json: bool
) -> None:
    """Show the counters of a running driver: ours, Java's or C's.

    Without --dir and AERON_DIR it is the one in the default directory, or else the only one that
    runs, such as a node's.

    \b
    Examples:
      aeron-cluster stat
      aeron-cluster stat --dir /dev/shm/my-driver --watch
      aeron-cluster stat --json | jq '.counters[] | select(.type_id == 0)'
    """  # noqa: D301 - \b is click's mark
    place = directory or os.environ.get("AERON_DIR")
    if place is None:
        place = default_aeron_dir()
        others = _drivers_beside(place)
        if len(others) == 1 and not (Path(place) / "cnc.dat").exists():
            (place,) = others
            click.echo(f"note: the driver in {place}, the only one that runs", err=True)
    path = f"{place}/cnc.dat"
    try:
        with CncFile.open(SystemFiles(), path) as cnc:
            reader = cnc.counters_reader()
            if as_json:
                _print_json(cnc, reader, type_id, interval if watch else None)
            else:
                _print_table(cnc, reader, type_id, interval if watch else None)
    except FileNotFoundError:
        place = path.removesuffix("/cnc.dat")
        others = _drivers_beside(place)
        hint = f"; there are drivers in {', '.join(others)}: give --dir" if others else ""
        fail(f"no driver in {place}{hint}", ExitCode.NOT_REACHABLE)
    except AeronClusterError as error:
        fail(error)
    except KeyboardInterrupt:
        pass


def _drivers_beside(place: str) -> list[str]:
    """Return the directories of running drivers that lie where drivers put theirs."""
    found = []
    for parent in dict.fromkeys((Path(place).parent, Path(default_aeron_dir()).parent)):
        for path in sorted(parent.glob("aeron-*/cnc.dat")):
            with contextlib.suppress(AeronClusterError), CncFile.open(SystemFiles(), path) as cnc:
                if cnc.is_driver_active(SystemClock().epoch_ms(), _SILENT_AFTER_MS):
                    found.append(str(path.parent))
    return found


def _counters(reader: CountersReader, type_id: int | None) -> list[CounterDescriptor]:
    return reader.counters(type_id)


def _print_json(
    cnc: CncFile, reader: CountersReader, type_id: int | None, interval: float | None
) -> None:
    while True:
        click.echo(
            json.dumps(
                {
                    "pid": cnc.pid,
                    "path": cnc.path,
                    "start_timestamp_ms": cnc.start_timestamp_ms,
                    "driver_heartbeat_ms": cnc.driver_heartbeat_ms,
                    "counters": [
                        {
                            "id": each.counter_id,
                            "type_id": each.type_id,
                            "value": each.value,
                            "registration_id": each.registration_id,
                            "owner_id": each.owner_id,
                            "label": each.label,
                        }
                        for each in _counters(reader, type_id)
                    ],
                }
            )
        )
        if interval is None:
            return
        time.sleep(interval)


def _print_table(
    cnc: CncFile, reader: CountersReader, type_id: int | None, interval: float | None
) -> None:
    console = Console()
    if interval is None:
        console.print(_view(cnc, reader, type_id))
        return
    with Live(_view(cnc, reader, type_id), console=console, screen=console.is_terminal) as live:
        while True:
            time.sleep(interval)
            live.update(_view(cnc, reader, type_id), refresh=True)


def _view(cnc: CncFile, reader: CountersReader, type_id: int | None) -> Group:
    started = datetime.fromtimestamp(cnc.start_timestamp_ms / 1000, UTC)
    age_ms = max(0, SystemClock().epoch_ms() - cnc.driver_heartbeat_ms)
    alive = "closed" if cnc.driver_heartbeat_ms < 0 else f"heartbeat {age_ms} ms ago"
    table = Table(box=None, header_style="bold")
    table.add_column("id", justify="right")
    table.add_column("type", justify="right")
    table.add_column("value", justify="right")
    table.add_column("label", overflow="fold")
    for each in _counters(reader, type_id):
        table.add_row(
            str(each.counter_id), str(each.type_id), f"{each.value:,}", each.label, style=None
        )
    head = f"{cnc.path}: process {cnc.pid}, started {started:%Y-%m-%d %H:%M:%S} UTC, {alive}"
    return Group(head, table)
