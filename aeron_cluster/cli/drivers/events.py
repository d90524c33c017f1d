"""``aeron-cluster events``: the logged events of a driver, an archive or a member.

Upstream prints them only in the process that logs them: EventLogReaderAgent.
"""

from __future__ import annotations

import contextlib
import difflib
import fnmatch
import json
import time  # noqa: TID251 - a pause for people, not for agents
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import click

from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cli.options.member import reports_errors
from aeron_cluster.errors import CorruptError
from aeron_cluster.events.codes import EVENT_TYPES
from aeron_cluster.events.event_log import MAGIC, EventLogReader
from aeron_cluster.events.recorder import EVENT_LOG_SUFFIX
from aeron_cluster.events.text import EventRecord, decode_record
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.seams import SystemFiles

__all__ = ["events"]

_POLL_LIMIT: Final = 1024
_PAUSE_S: Final = 0.05
_NS_PER_MS: Final = 1_000_000
_GROUPS: Final = {"all": ("*",), "admin": ("*", "!FRAME_*")}


class _Log:
    """An event log that is read until its component replaces it."""

    def __init__(self, path: Path, identity: tuple[int, int] | None, memory: MappedFile) -> None:
        self.path = path
        self._identity = identity
        self._reader = EventLogReader(memory, str(path))
        self._offset_ns = self._reader.start_ms * _NS_PER_MS - self._reader.start_ns
        self._lost_count = 0
        self._dropped_count = 0

    @classmethod
    def open(cls, path: Path) -> _Log | None:
        """Open a log; None if it is missing, or its header is incomplete."""
        # A newer file may appear in between: it is opened again then.
        identity = _identity(path)
        try:
            memory = MappedFile.open(SystemFiles(), str(path))
        except FileNotFoundError:
            return None
        except CorruptError:
            return None  # empty
        with memoryview(memory) as view:
            is_complete = any(view[: len(MAGIC)])
        return cls(path, identity, memory) if is_complete else None

    @property
    def is_replaced(self) -> bool:
        return _identity(self.path) not in (None, self._identity)

    def poll(self) -> list[tuple[float, EventRecord]]:
        """Return the next events, each with its time in s since 1970."""
        found = [
            decode_record(message_type, record)
            for message_type, record in self._reader.poll(_POLL_LIMIT)
        ]
        if self._reader.lost_count != self._lost_count:
            self._lost_count = self._reader.lost_count
            click.echo(
                f"note: {self.path}: events were overwritten before they were read", err=True
            )
        dropped_count = self._reader.dropped_count
        if dropped_count != self._dropped_count:
            click.echo(
                f"note: {self.path}: {dropped_count - self._dropped_count} events were dropped: "
                "the buffer was full (aeron.event.buffer.length)",
                err=True,
            )
            self._dropped_count = dropped_count
        return [((each.time_ns + self._offset_ns) / 1e9, each) for each in found]


def _identity(path: Path) -> tuple[int, int] | None:
    with contextlib.suppress(FileNotFoundError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return None


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--follow", "-f", is_flag=True, help="Wait for further events, until Ctrl-C.")
@click.option("--json", "is_json", is_flag=True, help="Print a JSON object a line.")
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="NAMES",
    help="Only these events: names or patterns separated by commas, all, admin; a leading ! "
    "leaves events out.",
)
@reports_errors
def events(directory: Path, follow: bool, is_json: bool, filters: tuple[str, ...]) -> None:
    """Print the events that the components in DIR have logged: a driver, an archive, a member.

    They log the events that aeron.event.log, aeron.event.archive.log and aeron.event.cluster.log
    name, into files in their directories. This command reads the recent ones without removing
    them, also after a component was killed. The lines are those of Aeron's logging agent.

    \b
    Examples:
      aeron-cluster events /dev/shm/aeron-me --follow
      aeron-cluster events data/archive --filter '*_STATE_CHANGE'
      aeron-cluster events /dev/shm/aeron-me --filter 'CMD_*' --json | jq .values
    """  # noqa: D301 - \b is click's mark
    patterns = [each for text in filters for each in _patterns(text)]
    logs: dict[Path, _Log] = {}
    if not _open_new(directory, logs) and not follow:
        fail(
            f"no event log in {directory}: start its component with aeron.event.log, "
            "aeron.event.archive.log or aeron.event.cluster.log",
            ExitCode.NOT_REACHABLE,
        )
    with contextlib.suppress(KeyboardInterrupt):
        for second, event in _all_events(directory, logs, follow):
            if _is_selected(event.event, patterns):
                click.echo(json.dumps(_object(second, event)) if is_json else event.line)


def _open_new(directory: Path, logs: dict[Path, _Log]) -> bool:
    """Open the logs that appeared, and those that replaced others; return whether there are any."""
    for path in sorted(directory.glob(f"*{EVENT_LOG_SUFFIX}")):
        if path not in logs or logs[path].is_replaced:
            log = _Log.open(path)
            if log is not None:
                logs[path] = log
    return bool(logs)


def _all_events(
    directory: Path, logs: dict[Path, _Log], follow: bool
) -> Iterator[tuple[float, EventRecord]]:
    while True:
        found = [each for log in logs.values() for each in log.poll()]
        # All have the same monotonic clock.
        yield from sorted(found, key=lambda each: each[1].time_ns)
        if found:
            continue
        if not follow:
            return
        time.sleep(_PAUSE_S)
        _open_new(directory, logs)


def _patterns(text: str) -> Iterator[str]:
    """Yield the patterns of a filter; reject one that no event matches."""
    names = [event.name for kind in EVENT_TYPES.values() for event in kind]
    for each in filter(None, (part.strip() for part in text.split(","))):
        group = _GROUPS.get(each)
        if group is not None:
            yield from group
            continue
        pattern = each.removeprefix("!")
        if not fnmatch.filter(names, pattern):
            near = difflib.get_close_matches(pattern.upper(), names, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"--filter: expected the name of an event, found {each}{hint}")
        yield each


def _is_selected(name: str, patterns: Sequence[str]) -> bool:
    wanted = [each for each in patterns if not each.startswith("!")]
    unwanted = [each[1:] for each in patterns if each.startswith("!")]
    return (not wanted or any(fnmatch.fnmatchcase(name, each) for each in wanted)) and not any(
        fnmatch.fnmatchcase(name, each) for each in unwanted
    )


def _object(second: float, event: EventRecord) -> dict[str, Any]:
    found = asdict(event)
    del found["line"]
    return {"time": datetime.fromtimestamp(second).astimezone().isoformat(), **found}
