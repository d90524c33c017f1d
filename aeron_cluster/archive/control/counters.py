"""The counters of an archive, other than recording positions.

``io.aeron.archive.ArchiveCounters``.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from aeron_cluster.errors import ClosedError, DirectoryInUseError
from aeron_cluster.memory.system.version import VERSION_TEXT

if TYPE_CHECKING:
    from aeron_cluster.archive.context import ArchiveContext
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.counter import Counter

__all__ = ["ArchiveCounters"]

_ERRORS = 101
_CONTROL_SESSIONS = 102
_MAX_CYCLE_TIME = 103
_CYCLE_TIME_EXCEEDED = 104
_RECORDING_SESSIONS = 111
_REPLAY_SESSIONS = 112


class ArchiveCounters(NamedTuple):
    """The counters of one archive, all closed with its client."""

    errors: Counter
    control_sessions: Counter
    recording_sessions: Counter
    replay_sessions: Counter
    write: tuple[Counter, Counter, Counter]  # longest ns, bytes, ns
    read: tuple[Counter, Counter, Counter]
    cycles: dict[str, tuple[Counter, Counter]]  # by agent: longest ns, how often too long

    @classmethod
    def add(cls, context: ArchiveContext, aeron: Aeron) -> ArchiveCounters:
        """Request all of them from the driver; blocks until it has answered.

        Raises
        ------
        DirectoryInUseError
            If an active archive of the same id uses the driver.
        """
        archive_id = context.archive_id
        key = struct.pack("<q", archive_id)
        options = context.options
        for found in aeron.counters_reader.counters(_ERRORS):
            if found.key[:8] == key:
                raise DirectoryInUseError(
                    context.archive_dir, 0, f"an archive with archiveId={archive_id} is running"
                )

        def add(type_id: int, label: str) -> Counter:
            return aeron.add_counter(type_id, f"{label} - archiveId={archive_id}", key)

        def add_three(first: int, agent: str, verb: str) -> tuple[Counter, Counter, Counter]:
            return (
                add(first, f"{agent} max {verb} time in ns"),
                add(first + 1, f"{agent} total {verb} bytes"),
                add(first + 2, f"{agent} total {verb} time in ns"),
            )

        errors = aeron.add_counter(
            _ERRORS, f"Archive Errors - archiveId={archive_id} {VERSION_TEXT}", key
        )
        mode = options.threading_mode
        agents = ["archive-conductor"]
        if mode == "DEDICATED":
            agents += ["archive-recorder", "archive-replayer"]
        cycles = {}
        for agent in agents:
            threshold_ns = options[f"{agent.removeprefix('archive-')}_cycle_threshold_ns"]
            cycles[agent] = (
                add(_MAX_CYCLE_TIME, f"{agent} max cycle time in ns: {mode}"),
                add(
                    _CYCLE_TIME_EXCEEDED,
                    f"{agent} work cycle time exceeded count:"
                    f" threshold={threshold_ns // 1_000_000}ms {mode}",
                ),
            )
        return cls(
            errors=errors,
            control_sessions=add(_CONTROL_SESSIONS, "Archive Control Sessions"),
            recording_sessions=add(_RECORDING_SESSIONS, "Archive Recording Sessions"),
            replay_sessions=add(_REPLAY_SESSIONS, "Archive Replay Sessions"),
            write=add_three(105, "archive-recorder", "write"),
            read=add_three(108, "archive-replayer", "read"),
            cycles=cycles,
        )

    def count_error(self) -> None:
        """Count one more error."""
        with suppress(ClosedError):
            self.errors.increment()
