"""Requests by the cluster's control toggle, executed by the leader.

Upstream: ``checkClusterControlToggle`` of ConsensusModuleAgent, with snapshots and the shutdown.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from aeron_cluster.archive.protocol.error_codes import is_out_of_space
from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.snapshots.snapshot_round import take_snapshot_round
from aeron_cluster.cluster.state.control_toggle import ControlToggle, try_toggle
from aeron_cluster.cluster.state.module_snapshot import ModuleState
from aeron_cluster.codecs.cluster import ClusterAction
from aeron_cluster.errors import AgentTerminationError
from aeron_cluster.memory.agents.waiting import Task, until

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.archive.client.archive_client import AeronArchive
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.cluster.agent.module_status import ModuleStatus
    from aeron_cluster.cluster.agent.module_timers import ModuleTimers
    from aeron_cluster.cluster.agent.uncommitted_changes import UncommittedChanges
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.log.log_publisher import LogPublisher
    from aeron_cluster.cluster.log.pending_service_messages import PendingServiceMessages
    from aeron_cluster.cluster.log.service_link import ServiceLink
    from aeron_cluster.cluster.module.termination import Termination
    from aeron_cluster.cluster.sessions.session_manager import SessionManager
    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.cluster.state.recording_log import RecordingLog
    from aeron_cluster.memory.agents.waiting import Waiting

__all__ = ["ControlRequests"]

_STANDBY_SNAPSHOT = 1


class ControlRequests:
    """Handles the control toggle.

    Parameters
    ----------
    context : ConsensusModuleContext
    aeron : Aeron
    archive : AeronArchive
    counters : ModuleCounters
    log : LogPublisher
    recording_log : RecordingLog
    services : ServiceLink
    sessions : SessionManager
    status : ModuleStatus
    timers : ModuleTimers
    trackers : tuple of PendingServiceMessages
    uncommitted : UncommittedChanges
    termination : Termination
    begin : callable
        ``begin(steps)`` drives steps in every duty cycle.
    """

    def __init__(
        self,
        *,
        context: ConsensusModuleContext,
        aeron: Aeron,
        archive: AeronArchive,
        counters: ModuleCounters,
        log: LogPublisher,
        recording_log: RecordingLog,
        services: ServiceLink,
        sessions: SessionManager,
        status: ModuleStatus,
        timers: ModuleTimers,
        trackers: tuple[PendingServiceMessages, ...],
        uncommitted: UncommittedChanges,
        termination: Termination,
        begin: Callable[[Waiting[None]], None],
    ) -> None:
        self._context = context
        self._aeron = aeron
        self._archive = archive
        self._counters = counters
        self._log = log
        self._recording_log = recording_log
        self._services = services
        self._sessions = sessions
        self._status = status
        self._timers = timers
        self._trackers = trackers
        self._uncommitted = uncommitted
        self._termination = termination
        self._begin = begin

    def try_toggle_snapshot(self) -> bool:
        """Request a snapshot for an authorised client; False while another request is pending."""
        return try_toggle(self._counters.control_toggle, ControlToggle.SNAPSHOT)

    def check(self) -> int:
        """Execute the pending request, if any.

        A request that does not fit the log, or arrives during a snapshot, stays pending: the
        agent's duty cycle calls again.
        """
        status, counter = self._status, self._counters.control_toggle
        if not status.is_leader:
            return 0
        # A plain number: an unknown value requests nothing.
        match counter.get(), status.state:
            case ControlToggle.SUSPEND, ConsensusModuleState.ACTIVE:
                return self._try_enter(
                    ConsensusModuleState.SUSPENDED, ClusterAction.SUSPEND, ControlToggle.SUSPEND
                )
            case ControlToggle.RESUME, ConsensusModuleState.SUSPENDED:
                if self._try_enter(
                    ConsensusModuleState.ACTIVE, ClusterAction.RESUME, ControlToggle.RESUME
                ):
                    counter.set(ControlToggle.NEUTRAL)
                    return 1
            case ControlToggle.RESUME, ConsensusModuleState.ACTIVE:
                # It was requested before the suspension, and would block other requests.
                counter.set(ControlToggle.NEUTRAL)
                return 1
            case ControlToggle.SNAPSHOT, ConsensusModuleState.ACTIVE:
                if self._try_enter(
                    ConsensusModuleState.SNAPSHOT, ClusterAction.SNAPSHOT, ControlToggle.SNAPSHOT
                ):
                    self._begin(self.take_snapshot(self._log.position))
                    return 1
            case ControlToggle.SHUTDOWN, ConsensusModuleState.ACTIVE:
                if self._try_enter(
                    ConsensusModuleState.SNAPSHOT, ClusterAction.SNAPSHOT, ControlToggle.SHUTDOWN
                ):
                    self._termination.notify_followers(self._log.position)
                    self._begin(self._shut_down(self._log.position))
                    return 1
            case ControlToggle.ABORT, ConsensusModuleState.ACTIVE:
                status.enter(ConsensusModuleState.TERMINATING, _reason(ControlToggle.ABORT))
                self._termination.notify_followers(self._log.position)
                self._begin(self._termination.end_as_leader(self._log.position))
                return 1
            case ControlToggle.STANDBY_SNAPSHOT, ConsensusModuleState.ACTIVE:
                if self._append(ClusterAction.SNAPSHOT, _STANDBY_SNAPSHOT) > 0:
                    counter.set(ControlToggle.NEUTRAL)
                    return 1
            case _:
                pass
        return 0

    def _append(self, action: ClusterAction, flags: int = 0) -> int:
        now = self._context.cluster_time()
        return self._log.append_cluster_action(now, action, flags)

    def _try_enter(
        self, state: ConsensusModuleState, action: ClusterAction, toggle: ControlToggle
    ) -> int:
        position = self._append(action)
        if position <= 0:
            return 0
        self._status.enter_with(state, position, _reason(toggle))
        self._uncommitted.publish_position()
        return 1

    # ---- snapshots ----

    def take_snapshot(self, log_position: int, timestamp: int | None = None) -> Waiting[None]:
        """Take a snapshot at a position; a failure is only reported.

        Parameters
        ----------
        log_position : int
        timestamp : int, optional
            The cluster time of the action in the log that is read; None for a leader's request.
        """
        if not (yield from self._try_snapshot(log_position, timestamp)):
            return
        self._status.enter(ConsensusModuleState.ACTIVE, "snapshot complete")
        # A snapshot in a replay was not requested now.
        if self._counters.control_toggle.get() == ControlToggle.SNAPSHOT:
            self._counters.control_toggle.set(ControlToggle.NEUTRAL)

    def _try_snapshot(self, log_position: int, timestamp: int | None = None) -> Waiting[bool]:
        """Take it; return False if its action was undone, since it was not committed."""
        clock = self._context.seams.clock
        begin_ns = clock.nano_time()
        task = Task(self._run_round(log_position, timestamp))
        try:
            while not task.is_done:
                if self._status.state is not ConsensusModuleState.SNAPSHOT:
                    return False
                work_count = task.do_work()
                if not task.is_done:
                    yield work_count
        except AgentTerminationError:
            raise
        except Exception as error:
            if is_out_of_space(error):
                raise
            self._context.error_handler(error)
        finally:
            task.close()
        self._sessions.after_snapshot(begin_ns, clock.nano_time())
        return True

    def _run_round(self, log_position: int, timestamp: int | None) -> Waiting[None]:
        # That of the action: an election may end before all services have reached it.
        leadership_term_id = self._status.leadership_term_id
        if timestamp is None:
            if not self._context.options.service_count:
                # Services read only up to the commit position.
                commit_position = self._counters.commit_position
                yield from until(lambda: commit_position.get() >= log_position or None)
            timestamp = self._context.cluster_time()
        yield from take_snapshot_round(
            self._context,
            self._aeron,
            self._archive,
            self._services,
            self._recording_log,
            self._counters,
            log_position,
            timestamp,
            partial(self._capture, leadership_term_id),
        )

    def _capture(self, leadership_term_id: int, log_position: int) -> ModuleState:
        """Return the module's state at a position, which all services have reached."""
        self._timers.clear_early()
        return ModuleState(
            log_position=log_position,
            leadership_term_id=leadership_term_id,
            app_version=self._context.app_version,
            time_unit=self._context.time_unit,
            next_session_id=self._sessions.next_committed_session_id,
            sessions=self._sessions.records(),
            timers=self._timers.snapshot(),
            trackers=[tracker.state() for tracker in self._trackers],
        )

    # ---- the end ----

    def _shut_down(self, log_position: int) -> Waiting[None]:
        if (yield from self._try_snapshot(log_position)):
            self._status.enter(ConsensusModuleState.TERMINATING, "null != clusterTermination")
            yield from self._termination.end_as_leader(log_position)


def _reason(toggle: ControlToggle) -> str:
    return f"ClusterControl.{toggle.name}"
