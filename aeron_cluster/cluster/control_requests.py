"""What somebody asks of the cluster through its control toggle, done by the leader.

``checkClusterControlToggle`` of ConsensusModuleAgent, and what it leads to: snapshots and the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.cluster.control_toggle import ControlToggle, try_toggle
from aeron_cluster.cluster.module_snapshot import ModuleState
from aeron_cluster.cluster.module_status import ConsensusModuleState
from aeron_cluster.cluster.snapshot_round import take_snapshot_round
from aeron_cluster.codecs.cluster import ClusterAction
from aeron_cluster.errors import AgentTerminationError, InsufficientSpaceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.cluster.module_parts import ModuleParts
    from aeron_cluster.cluster.waiting import Waiting

__all__ = ["ControlRequests"]

_STANDBY_SNAPSHOT = 1


class ControlRequests:
    """Hears the control toggle.

    Parameters
    ----------
    parts : ModuleParts
    begin : callable
        ``begin(steps)`` has them driven with every pass.
    """

    def __init__(self, parts: ModuleParts, begin: Callable[[Waiting[None]], None]) -> None:
        self._parts = parts
        self._begin = begin

    def try_toggle_snapshot(self) -> bool:
        """Ask for a snapshot, for a client who may; False while something else is asked for."""
        return try_toggle(self._parts.counters.control_toggle, ControlToggle.SNAPSHOT)

    def check(self) -> int:
        """Do what is asked for, if anything.

        What does not fit the log, or comes while a snapshot is taken, stays asked for: the agent's
        pass sees that and calls again.
        """
        status, counter = self._parts.status, self._parts.counters.control_toggle
        if not status.is_leader:
            return 0
        # A plain number: a value that is none of ours asks for nothing.
        match counter.get(), status.state:
            case ControlToggle.SUSPEND, ConsensusModuleState.ACTIVE:
                return self._try_enter(ConsensusModuleState.SUSPENDED, ClusterAction.SUSPEND)
            case ControlToggle.RESUME, ConsensusModuleState.SUSPENDED:
                if self._try_enter(ConsensusModuleState.ACTIVE, ClusterAction.RESUME):
                    counter.set(ControlToggle.NEUTRAL)
                    return 1
            case ControlToggle.SNAPSHOT, ConsensusModuleState.ACTIVE:
                if self._try_enter(ConsensusModuleState.SNAPSHOT, ClusterAction.SNAPSHOT):
                    self._begin(self.take_snapshot(self._parts.log.position))
                    return 1
            case ControlToggle.SHUTDOWN, ConsensusModuleState.ACTIVE:
                if self._try_enter(ConsensusModuleState.SNAPSHOT, ClusterAction.SNAPSHOT):
                    self._begin(self._shut_down(self._parts.log.position))
                    return 1
            case ControlToggle.ABORT, ConsensusModuleState.ACTIVE:
                status.enter(ConsensusModuleState.TERMINATING)
                self._begin(self._terminate(self._parts.log.position))
                return 1
            case ControlToggle.STANDBY_SNAPSHOT, ConsensusModuleState.ACTIVE:
                if self._append(ClusterAction.SNAPSHOT, _STANDBY_SNAPSHOT) > 0:
                    counter.set(ControlToggle.NEUTRAL)
                    return 1
            case _:
                pass
        return 0

    def _append(self, action: ClusterAction, flags: int = 0) -> int:
        now = self._parts.context.cluster_time()
        return self._parts.log.append_cluster_action(now, action, flags)

    def _try_enter(self, state: ConsensusModuleState, action: ClusterAction) -> int:
        position = self._append(action)
        if position <= 0:
            return 0
        self._parts.status.enter_with(state, position)
        self._parts.tell_uncommitted_position()
        return 1

    # ---- snapshots ----

    def take_snapshot(self, log_position: int) -> Waiting[None]:
        """Take a snapshot at a position; one that fails is reported, and stops nothing else."""
        yield from self._try_snapshot(log_position)
        parts = self._parts
        parts.status.enter(ConsensusModuleState.ACTIVE)
        # One that was met in a replay was not asked for now.
        if parts.counters.control_toggle.get() == ControlToggle.SNAPSHOT:
            parts.counters.control_toggle.set(ControlToggle.NEUTRAL)

    def _try_snapshot(self, log_position: int) -> Waiting[None]:
        parts = self._parts
        try:
            yield from take_snapshot_round(
                parts.context,
                parts.aeron,
                parts.archive,
                parts.services,
                parts.recording_log,
                parts.counters,
                log_position,
                self._capture,
            )
        except (AgentTerminationError, InsufficientSpaceError):
            raise
        except Exception as error:  # noqa: BLE001
            parts.context.error_handler(error)
        parts.sessions.after_snapshot(parts.context.seams.clock.nano_time())

    def _capture(self, log_position: int) -> ModuleState:
        """Say what the module knows at a position, which all services have reached."""
        parts = self._parts
        return ModuleState(
            log_position=log_position,
            leadership_term_id=parts.status.leadership_term_id,
            app_version=parts.context.app_version,
            time_unit=parts.context.time_unit,
            next_session_id=parts.sessions.next_committed_session_id,
            sessions=parts.sessions.records(),
            timers=parts.timers.items(),
            trackers=[tracker.state() for tracker in parts.trackers],
        )

    # ---- the end ----

    def _shut_down(self, log_position: int) -> Waiting[None]:
        yield from self._try_snapshot(log_position)
        self._parts.status.enter(ConsensusModuleState.TERMINATING)
        yield from self._terminate(log_position)

    def _terminate(self, log_position: int) -> Waiting[None]:
        """End services and module once all have read the log up to a position.

        Raises
        ------
        AgentTerminationError
            At the end.
        """
        parts = self._parts
        yield from parts.services.terminate_at(log_position)
        yield from parts.services.await_acks(log_position)
        parts.recording_log.commit_log_position(parts.status.leadership_term_id, log_position)
        yield from parts.recording.stop()
        parts.status.enter(ConsensusModuleState.CLOSED)
        raise AgentTerminationError(
            f"the module was asked to end, at position {log_position}", is_expected=True
        )
