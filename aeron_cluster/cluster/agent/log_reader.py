"""The log as a module reads it during a replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.cluster.agent.module_status import ModuleStatus
    from aeron_cluster.cluster.log.log_adapter import LogAdapter

__all__ = ["ReplayedLogReader"]


class ReplayedLogReader:
    """Reads the log for a replay, and pauses while the module takes a snapshot.

    Parameters
    ----------
    log_adapter : LogAdapter
    status : ModuleStatus
    """

    def __init__(self, log_adapter: LogAdapter, status: ModuleStatus) -> None:
        self._adapter = log_adapter
        self._status = status
        self.set_image = self._adapter.set_image
        self.check_fragments = self._adapter.check_fragments
        self.poll = self._adapter.poll

    @property
    def position(self) -> int:
        """The position up to which the image was read."""
        return self._adapter.position

    @property
    def is_ready(self) -> bool:
        """Whether the next message may be read."""
        return self._status.can_read_log
