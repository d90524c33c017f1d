"""What the parts of a running consensus module share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.archive.archive_client import AeronArchive
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.cluster.log_adapter import LogAdapter
    from aeron_cluster.cluster.log_publisher import LogPublisher
    from aeron_cluster.cluster.log_recording import LogRecording
    from aeron_cluster.cluster.module_agent import ModuleAgent
    from aeron_cluster.cluster.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.module_counters import ModuleCounters
    from aeron_cluster.cluster.module_status import ModuleStatus
    from aeron_cluster.cluster.module_timers import ModuleTimers
    from aeron_cluster.cluster.node_state import NodeState
    from aeron_cluster.cluster.pending_service_messages import PendingServiceMessages
    from aeron_cluster.cluster.recording_log import RecordingLog
    from aeron_cluster.cluster.service_link import ServiceLink
    from aeron_cluster.cluster.session_manager import SessionManager

__all__ = ["ModuleParts"]

_NEVER = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleParts:
    """One of each; they exist from the module's start to its end."""

    context: ConsensusModuleContext
    aeron: Aeron
    archive: AeronArchive
    agent: ModuleAgent
    counters: ModuleCounters
    log: LogPublisher
    log_adapter: LogAdapter
    node_state: NodeState
    recording: LogRecording
    recording_log: RecordingLog
    services: ServiceLink
    sessions: SessionManager
    status: ModuleStatus
    timers: ModuleTimers
    trackers: tuple[PendingServiceMessages, ...]

    # What is in the log can be undone until it is committed: four parts know how.

    def on_committed(self, position: int) -> None:
        """Forget how to undo what is committed now."""
        for part in (self.timers, self.sessions, self.status):
            part.on_committed(position)
        self.tell_uncommitted_position()

    def restore_uncommitted(self, commit_position: int) -> None:
        """Undo what was not committed."""
        for tracker in self.trackers:
            tracker.restore_uncommitted(commit_position)
        for part in (self.timers, self.sessions, self.status):
            part.restore_uncommitted(commit_position)
        self.tell_uncommitted_position()

    def tell_uncommitted_position(self) -> None:
        """Tell the hot half at which commit position there is something to forget."""
        self.agent.set_uncommitted_position(
            min(
                part.first_uncommitted_position
                for part in (self.timers, self.sessions, self.status)
            )
        )
