"""``aeron-cluster stat``: the counters of a driver.

Upstream: AeronStat.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from rich.console import Group
from rich.table import Table
from rich.text import Text

from aeron_cluster.cli.options.driver import driver_command, open_driver
from aeron_cluster.cli.options.member import format_time
from aeron_cluster.cli.options.watching import show, watch_options
from aeron_cluster.memory.shared.counters_layout import CounterType
from aeron_cluster.memory.shared.stream_counters import stream_key
from aeron_cluster.memory.system.seams import SystemClock

if TYPE_CHECKING:
    from aeron_cluster.memory.shared.cnc_file import CncFile
    from aeron_cluster.memory.shared.counter_descriptor import CounterDescriptor

__all__ = ["stat"]

_F = TypeVar("_F", bound=Callable[..., Any])

_I32: Final = struct.Struct("<i")
# Counter types with a key of registration id, session, stream and channel.
_OF_STREAMS: Final = frozenset(
    (
        *range(
            CounterType.COUNTER_TYPE_PUBLISHER_LIMIT,
            CounterType.COUNTER_TYPE_RECEIVER_POSITION + 1,
        ),
        CounterType.COUNTER_TYPE_SENDER_LIMIT,
        CounterType.COUNTER_TYPE_PER_IMAGE,
        CounterType.COUNTER_TYPE_PUBLISHER_POSITION,
    )
)
_OF_CHANNELS: Final = (
    CounterType.COUNTER_TYPE_SEND_CHANNEL_STATUS,
    CounterType.COUNTER_TYPE_RECEIVE_CHANNEL_STATUS,
)


def _pattern(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> re.Pattern[str] | None:
    """Compile a regular expression; a plain number matches only the whole value."""
    if text is None:
        return None
    try:
        return re.compile(rf"\A{text}\Z" if re.fullmatch(r"-?\d+", text) else text)
    except re.error as error:
        raise click.BadParameter(f"{text!r} is not a regular expression: {error}") from None


def _filter_option(name: str, help_text: str) -> Callable[[_F], _F]:
    return click.option(f"--{name}", callback=_pattern, metavar="PATTERN", help=help_text)


class _Filter:
    """Which counters are shown."""

    def __init__(self, **patterns: re.Pattern[str] | None) -> None:
        self._patterns = patterns

    def _matches(self, name: str, value: object) -> bool:
        pattern = self._patterns[name]
        return pattern is None or pattern.search(str(value)) is not None

    def accepts(self, counter: CounterDescriptor) -> bool:
        """Return whether a counter is shown; filters on values that it lacks do not exclude it."""
        if not self._matches("type", counter.type_id):
            return False
        if counter.type_id == CounterType.COUNTER_TYPE_SYSTEM:
            return self._matches("identity", _I32.unpack_from(counter.key)[0])
        if counter.type_id in _OF_STREAMS:
            registration_id, key = stream_key(counter)
            return (
                self._matches("identity", registration_id)
                and self._matches("session", key.session_id)
                and self._matches("stream", key.stream_id)
                and self._matches("channel", key.channel)
            )
        if counter.type_id in _OF_CHANNELS:
            (length,) = _I32.unpack_from(counter.key)
            channel = counter.key[_I32.size : _I32.size + max(0, length)]
            return self._matches("channel", channel.decode("ascii", "replace"))
        return True


@click.command()
@driver_command
@watch_options
@_filter_option("type", "Only counters of this type id.")
@_filter_option("identity", "Only this system counter, or counters with this registration id.")
@_filter_option("session", "Of stream counters, only those with this session id.")
@_filter_option("stream", "Of stream counters, only those with this stream id.")
@_filter_option("channel", "Of stream and channel counters, only those with this channel.")
def stat(
    directory: str,
    interval: float | None,
    is_json: bool,
    **patterns: re.Pattern[str] | None,
) -> None:
    """Show the counters of a running driver: ours, Java's or C's.

    Without a directory and AERON_DIR it is the driver in the default directory, or else the only
    running one, such as a node's.

    The filters are those of AeronStat: regular expressions that match anywhere in the value; a
    plain number matches only the whole value. Counters without the filtered value are still shown:
    add --type to exclude them.

    \b
    Examples:
      aeron-cluster stat
      aeron-cluster stat --dir /dev/shm/my-driver --watch
      aeron-cluster stat --type '^([1-5]|9|1[02])$' --stream 10 --channel 'endpoint=localhost'
      aeron-cluster stat --json | jq '.counters[] | select(.type_id == 0)'
    """  # noqa: D301 - \b is click's mark
    wanted = _Filter(**patterns)
    with open_driver(directory) as cnc:
        reader = cnc.counters_reader()
        show(
            lambda: [each for each in reader.counters() if wanted.accepts(each)],
            lambda found: _object(cnc, found),
            lambda found: _view(cnc, found),
            is_json=is_json,
            interval=interval,
        )


def _object(cnc: CncFile, found: list[CounterDescriptor]) -> dict[str, object]:
    return {
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
            for each in found
        ],
    }


def _view(cnc: CncFile, found: list[CounterDescriptor]) -> Group:
    started = format_time(cnc.start_timestamp_ms)
    age_ms = max(0, SystemClock().epoch_ms() - cnc.driver_heartbeat_ms)
    alive = "closed" if cnc.driver_heartbeat_ms < 0 else f"heartbeat {age_ms} ms ago"
    table = Table(box=None, header_style="bold")
    table.add_column("id", justify="right")
    table.add_column("type", justify="right")
    table.add_column("value", justify="right")
    table.add_column("label", overflow="fold")
    for each in found:
        table.add_row(str(each.counter_id), str(each.type_id), f"{each.value:,}", Text(each.label))
    head = f"{cnc.path}: process {cnc.pid}, started {started}, {alive}"
    return Group(head, table)
