"""Backups as events of a plan; faults of their processes are in `events`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.simulator.faults.events import Event

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.event_host import EventHost

__all__ = ["OPTIONS", "StartBackup"]

_S: Final = 1_000_000_000
# Short intervals, so that there are several backup rounds in a run.
OPTIONS: Final = {
    "backup": {
        "backup_interval_ns": 2 * _S,
        "backup_cool_down_interval_ns": _S,
        "backup_response_timeout_ns": _S,
    }
}


@dataclass(frozen=True)
class StartBackup(Event):
    """A backup is added to the cluster, on a separate machine."""

    template = "start a backup"

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        trial.cluster.add_backup(options=OPTIONS)
