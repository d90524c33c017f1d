"""``aeron-cluster pipeline state-at``."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from aeron_cluster.cli.exit_codes import exit_code, fail
from aeron_cluster.cli.options.console import console
from aeron_cluster.cli.options.member import json_option, print_json, recording_option
from aeron_cluster.cli.options.progress import shown_progress
from aeron_cluster.cli.options.services import (
    current_directory_on_path,
    load_service,
    offline_options,
)
from aeron_cluster.cli.pipeline.spark import spark_option, spark_session
from aeron_cluster.config import parse_digits
from aeron_cluster.errors import AeronClusterError, ConfigurationError, ServiceCallbackError
from aeron_cluster.pipeline.jobs.state_at import state_at as keep_states

if TYPE_CHECKING:
    from aeron_cluster.pipeline.jobs.state_at import StateAt

__all__ = ["load_export", "state_at"]


def load_export(what: str) -> Callable[[Any], object]:
    """Return the function named by a text: ``module:function``.

    Raises
    ------
    ConfigurationError
        The text does not name a function.
    """
    module, colon, name = what.partition(":")
    try:
        with current_directory_on_path():
            found = getattr(importlib.import_module(module), name) if colon and module else None
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigurationError("--export", "module:function", what, str(error)) from None
    if not callable(found):
        raise ConfigurationError("--export", "module:function", what)
    return found  # type: ignore[no-any-return]


class _Export:
    """Calls an export function; the process of each task loads it by name."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __call__(self, service: object) -> object:
        return load_export(self._what)(service)


@click.command("state-at")
@click.argument("directory", metavar="DIR")
@offline_options
@click.option(
    "--position",
    "positions",
    type=int,
    multiple=True,
    metavar="N",
    help="Position of the log, in bytes.",
)
@click.option(
    "--time",
    "times",
    multiple=True,
    metavar="TIME",
    help="ISO 8601 with an offset, or a number in the cluster's unit.",
)
@click.option("--to", required=True, metavar="OUT", help="Directory for the states.")
@click.option(
    "--export",
    metavar="WHAT",
    help="module:function that takes the service and returns an object to write as JSON.",
)
@recording_option
@spark_option
@json_option
def state_at(
    directory: str,
    service: str,
    positions: tuple[int, ...],
    times: tuple[str, ...],
    to: str,
    export: str | None,
    service_id: int,
    member_id: int,
    recording_id: int | None,
    master: str | None,
    is_json: bool,
) -> None:
    """Rebuild the state of a service at positions or times of the log.

    DIR is a node's directory, of this project or of Java, or a URL of it. Your service runs offline
    from the nearest snapshot up to each position: it receives the same input as in the cluster, and
    its output is discarded. Its state is written as a snapshot to OUT/state-<position>.snapshot;
    "aeron-cluster replay --from-snapshot" can continue from it.

    The state at a position includes all entries that end at or before it; the state at a time
    includes all entries before the first one with that time or a later one.

    Exit codes: 0 if all states are written, 1 if the service failed or that part of the log is
    purged, 2 if the log ends before, 3 if there is no log, 4 if a file is damaged.

    \b
    Examples:
      aeron-cluster pipeline state-at node0 --service my_service:MyService --position 81920 --to out
      aeron-cluster pipeline state-at node0 --service my_service:MyService --to out \\
          --time 2026-03-02T09:30:00+00:00 --time 2026-03-02T16:00:00+00:00 \\
          --export my_service:positions --spark 'local[4]'
    """  # noqa: D301 - \b is click's mark
    if not positions and not times:
        raise click.UsageError("expected --position or --time, found neither")
    try:
        load_service(service)  # so that it is rejected before the job starts
        if export is not None:
            load_export(export)
        with spark_session(master) as spark, shown_progress() as progress:
            found = keep_states(
                directory,
                partial(load_service, service),
                to,
                positions=positions,
                times=[_time(each) for each in times],
                export=None if export is None else _Export(export),
                service_id=service_id,
                member_id=member_id,
                recording_id=recording_id,
                spark=spark,
                progress=progress,
            )
    except ServiceCallbackError as error:
        fail(f"{error}: {type(error.__cause__).__name__}: {error.__cause__}", exit_code(error))
    except (AeronClusterError, OSError) as error:
        fail(error)
    if is_json:
        print_json(states=found)
    else:
        console().print(_table(found))


def _time(text: str) -> int | str:
    return text if parse_digits(text.removeprefix("-")) is None else int(text)


def _table(found: list[StateAt]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    names = ("requested", "log position", "time", "term", "from snapshot", "sessions", "kept in")
    for name in names:
        table.add_column(name, justify="left" if name in ("requested", "kept in") else "right")
    for each in found:
        base = "the log" if each.snapshot_position < 0 else f"{each.snapshot_position:,}"
        table.add_row(
            each.requested,
            f"{each.log_position:,}",
            f"{each.timestamp} {each.time_unit.lower()}",
            str(each.leadership_term_id),
            base,
            str(each.session_count),
            each.export_path or each.path,
        )
    return table
