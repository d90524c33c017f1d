"""Changes by uncommitted log entries that can be undone: of timers, sessions and state.

The uncommitted entries of ConsensusModuleAgent, undone by ``restoreUncommittedEntries``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.cluster.agent.module_agent import ModuleAgent
    from aeron_cluster.cluster.log.pending_service_messages import PendingServiceMessages

__all__ = ["UncommittedChanges", "UndoableChanges"]


class UndoableChanges(Protocol):
    """Changes to one part of the module, by their positions in the log."""

    @property
    def first_uncommitted_position(self) -> int:
        """The end position of the first change that may be uncommitted."""

    def on_committed(self, position: int) -> None:
        """Drop the undo records of committed changes."""

    def restore_uncommitted(self, commit_position: int) -> None:
        """Undo uncommitted changes."""


class UncommittedChanges:
    """All uncommitted changes of a module.

    Parameters
    ----------
    agent : ModuleAgent
        Calls `on_committed`.
    trackers : sequence of PendingServiceMessages
        Messages of services; the native half drops committed ones.
    parts : UndoableChanges
        The parts to undo, in this order.
    """

    def __init__(
        self,
        agent: ModuleAgent,
        trackers: Sequence[PendingServiceMessages],
        *parts: UndoableChanges,
    ) -> None:
        self._agent = agent
        self._trackers = trackers
        self._parts = parts

    def on_committed(self, position: int) -> None:
        """Drop the undo records of committed changes."""
        for part in self._parts:
            part.on_committed(position)
        self.publish_position()

    def restore(self, commit_position: int) -> None:
        """Undo uncommitted changes."""
        for tracker in self._trackers:
            tracker.restore_uncommitted(commit_position)
        for part in self._parts:
            part.restore_uncommitted(commit_position)
        self.publish_position()

    def publish_position(self) -> None:
        """Set the commit position from which the native half calls `on_committed`."""
        self._agent.set_uncommitted_position(
            min(part.first_uncommitted_position for part in self._parts)
        )
