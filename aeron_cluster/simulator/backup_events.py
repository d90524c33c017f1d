"""Backups, and what happens to their processes, as events of a plan."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.simulator.events import Event

if TYPE_CHECKING:
    from aeron_cluster.simulator.member_process import MemberProcess
    from aeron_cluster.simulator.trial import Trial

__all__ = ["BackupEvent", "KillBackup", "KillBackupAtCall", "PauseBackup", "StartBackup"]

_S: Final = 1_000_000_000
# Often enough that there are several backups in a run.
_OPTIONS: Final = {
    "backup": {
        "backup_interval_ns": 2 * _S,
        "backup_cool_down_interval_ns": _S,
        "backup_response_timeout_ns": _S,
    }
}


@dataclass(frozen=True)
class StartBackup(Event):
    """A backup is added to the cluster, on a machine of its own."""

    says = "start a backup"

    def begin(self, trial: Trial) -> None:
        """Do it."""
        trial.cluster.add_backup(options=_OPTIONS)


@dataclass(frozen=True)
class BackupEvent(Event):
    """One that happens to the backups there are."""

    def begin(self, trial: Trial) -> None:
        """Do it."""
        for backup in trial.cluster.backups:
            if backup.process.is_running:
                self._harm(trial, backup.process)

    @abstractmethod
    def _harm(self, trial: Trial, process: MemberProcess) -> None:
        """Do it to a process."""


@dataclass(frozen=True)
class KillBackup(BackupEvent):
    """The backup's process is killed, and started again later."""

    says = "kill the backup, start it again after {down_ns}"

    down_ns: int

    def _harm(self, trial: Trial, process: MemberProcess) -> None:
        process.kill()
        trial.start_process_later(process, self.down_ns)


@dataclass(frozen=True)
class KillBackupAtCall(BackupEvent):
    """The backup's process is killed at one of its next file or network calls."""

    says = (
        "kill the backup at its {is_network} call {calls} from here, start it again {down_ns} later"
    )

    calls: int
    is_network: bool
    down_ns: int

    def _harm(self, trial: Trial, process: MemberProcess) -> None:
        trial.set_process_down_time(process, self.down_ns)
        process.stop_after(self.calls, is_network=self.is_network)


@dataclass(frozen=True)
class PauseBackup(BackupEvent):
    """The backup's process gets no time."""

    says = "pause the backup for {duration_ns}"

    duration_ns: int

    def _harm(self, trial: Trial, process: MemberProcess) -> None:  # noqa: ARG002
        process.pause(self.duration_ns)
