"""``aeron-cluster streams`` and ``backlog``: the streams of a driver, by their counters.

Upstream: StreamStat and BacklogStat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click
from rich.console import Group
from rich.table import Table
from rich.text import Text

from aeron_cluster.cli.options.driver import driver_command, open_driver
from aeron_cluster.cli.options.watching import show, watch_options
from aeron_cluster.memory.shared.stream_counters import Stream, StreamBacklog, backlogs
from aeron_cluster.memory.shared.stream_counters import streams as find_streams

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import RenderableType

    from aeron_cluster.memory.shared.counter_descriptor import CounterDescriptor

__all__ = ["backlog", "streams"]

_T = TypeVar("_T", Stream, StreamBacklog)


@click.command()
@driver_command
@watch_options
def streams(directory: str, interval: float | None, is_json: bool) -> None:
    """Show the streams of a driver, ours, Java's or C's, each with its positions and limits.

    \b
    Examples:
      aeron-cluster streams
      aeron-cluster streams /dev/shm/my-driver --watch
      aeron-cluster streams --json | jq '.streams[] | select(.stream_id == 10)'
    """  # noqa: D301 - \b is click's mark
    _show(
        directory, find_streams, _stream_object, _streams_view, is_json=is_json, interval=interval
    )


def _show(
    directory: str,
    find: Callable[[list[CounterDescriptor]], list[_T]],
    as_object: Callable[[_T], dict[str, object]],
    as_view: Callable[[list[_T]], RenderableType],
    *,
    is_json: bool,
    interval: float | None,
) -> None:
    """Show what is found of the streams of a driver among its counters."""
    with open_driver(directory) as cnc:
        reader = cnc.counters_reader()
        show(
            lambda: find(reader.counters()),
            lambda found: {"path": cnc.path, "streams": [as_object(each) for each in found]},
            as_view,
            is_json=is_json,
            interval=interval,
        )


def _stream_object(stream: Stream) -> dict[str, object]:
    return {
        "session_id": stream.key.session_id,
        "stream_id": stream.key.stream_id,
        "channel": stream.channel,
        "positions": stream.positions,
    }


def _streams_view(found: list[Stream]) -> Table:
    table = Table(box=None, header_style="bold")
    for name in ("session", "stream"):
        table.add_column(name, justify="right")
    table.add_column("channel", overflow="fold")
    table.add_column("counter")
    for name in ("of", "value"):
        table.add_column(name, justify="right")
    for stream in found:
        head = str(stream.key.session_id), str(stream.key.stream_id), Text(stream.channel)
        for each in stream.positions:
            table.add_row(*head, each.name, str(each.registration_id), f"{each.value:,}")
            head = "", "", Text()
    return table


@click.command()
@driver_command
@watch_options
def backlog(directory: str, interval: float | None, is_json: bool) -> None:
    """Show the bytes of each stream of a driver that are not yet sent, received or read.

    Positions are read one after the other while they advance, so figures of a busy stream are
    approximate.

    \b
    Examples:
      aeron-cluster backlog --watch
      aeron-cluster backlog --json | jq '.streams[] | select(.publisher_window == 0)'
    """  # noqa: D301 - \b is click's mark
    _show(directory, backlogs, _backlog_object, _backlog_view, is_json=is_json, interval=interval)


def _backlog_object(each: StreamBacklog) -> dict[str, object]:
    return {
        "session_id": each.key.session_id,
        "stream_id": each.key.stream_id,
        "channel": each.key.channel,
        "publisher_id": each.publisher_id,
        "publisher_position": each.publisher_position,
        "publisher_limit": each.publisher_limit,
        "publisher_window": each.publisher_window,
        "sender_id": each.sender_id,
        "sender_position": each.sender_position,
        "sender_limit": each.sender_limit,
        "sender_backlog": each.sender_backlog,
        "sender_window": each.sender_window,
        "receiver_id": each.receiver_id,
        "receiver_position": each.receiver_position,
        "receiver_hwm": each.receiver_hwm,
        "subscribers": [
            {
                "registration_id": registration_id,
                "position": position,
                "backlog": each.subscriber_backlog(registration_id),
            }
            for registration_id, position in each.subscribers.items()
        ],
    }


def _backlog_view(found: list[StreamBacklog]) -> RenderableType:
    return Group(*(Text("\n".join(_backlog_lines(each)) + "\n") for each in found))


def _backlog_lines(each: StreamBacklog) -> list[str]:
    key = each.key
    lines = [f"session {key.session_id} stream {key.stream_id} {key.channel}"]
    if each.publisher_position is not None:
        lines.append(
            f"  publisher {each.publisher_id} at {each.publisher_position:,}"
            + _bytes(each.publisher_window, "before back pressure")
        )
    if each.sender_position is not None:
        lines.append(
            f"  sender {each.sender_id} at {each.sender_position:,}"
            + _bytes(each.sender_backlog, "to send")
            + _bytes(each.sender_window, "of its window left")
        )
    if each.receiver_position is not None:
        lines.append(f"  receiver {each.receiver_id} at {each.receiver_position:,}")
    for registration_id, position in each.subscribers.items():
        behind = each.subscriber_backlog(registration_id)
        lines.append(f"  subscriber {registration_id} at {position:,}" + _bytes(behind, "to read"))
    return lines


def _bytes(length: int | None, what: str) -> str:
    return "" if length is None else f", {length:,} bytes {what}"
