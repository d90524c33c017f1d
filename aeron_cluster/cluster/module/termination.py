"""The end of a cluster on request: every member ends at the same position of the log.

Upstream: ClusterTermination, and the handling of TerminationPosition and TerminationAck in
ConsensusModuleAgent. The leader sends the position to its followers, and waits for them up to
``aeron.cluster.termination.timeout``; a follower ends when it has read the log up to the position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.codecs.cluster import TerminationAck, TerminationPosition
from aeron_cluster.errors import AgentTerminationError, ClusterError, ServiceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.cluster.agent.consensus_link import ConsensusLink
    from aeron_cluster.cluster.agent.module_agent import ModuleAgent
    from aeron_cluster.cluster.agent.module_status import ModuleStatus
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.log.log_adapter import LogAdapter
    from aeron_cluster.cluster.log.log_recording import LogRecording
    from aeron_cluster.cluster.log.service_link import ServiceLink
    from aeron_cluster.cluster.members.members import Member
    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.cluster.state.recording_log import RecordingLog
    from aeron_cluster.memory.agents.waiting import Waiting

__all__ = ["Termination"]


class Termination:
    """Ends a member along with the others.

    Parameters
    ----------
    context : ConsensusModuleContext
    agent : ModuleAgent
    log_adapter : LogAdapter
    recording : LogRecording
    recording_log : RecordingLog
    services : ServiceLink
    status : ModuleStatus
    counters : ModuleCounters
    members : sequence of Member
    link : ConsensusLink
    """

    def __init__(
        self,
        *,
        context: ConsensusModuleContext,
        agent: ModuleAgent,
        log_adapter: LogAdapter,
        recording: LogRecording,
        recording_log: RecordingLog,
        services: ServiceLink,
        status: ModuleStatus,
        counters: ModuleCounters,
        members: Sequence[Member],
        link: ConsensusLink,
    ) -> None:
        self._context = context
        self._agent = agent
        self._log_adapter = log_adapter
        self._recording = recording
        self._recording_log = recording_log
        self._services = services
        self._status = status
        self._counters = counters
        self._link = link
        self._own_id = context.options.member_id
        self._others = frozenset(member.member_id for member in members) - {self._own_id}
        self._awaited: set[int] = set()  # followers that have not ended yet
        self._position = NULL_VALUE
        self._leadership_term_id = NULL_VALUE  # of the request
        self._deadline_ns = 0
        self._lost_services: dict[int, int] = {}  # until when each is waited for, in ns

    def _begin(self, log_position: int) -> None:
        self._position = log_position
        self._leadership_term_id = self._status.leadership_term_id
        # Set on the leader too: if it becomes a follower before, it still ends there.
        self._agent.set_termination_position(log_position)

    # ---- as the leader ----

    def notify_followers(self, log_position: int) -> None:
        """Send the termination position to all; an unreachable member is waited for by timeout."""
        self._begin(log_position)
        self._awaited = set(self._others)
        self._renew_deadline()
        message = TerminationPosition.encode(
            leadership_term_id=self._leadership_term_id, log_position=log_position
        )
        for member_id in sorted(self._others):
            if not self._link.send(member_id, message):
                self._context.error_handler(
                    ClusterError(
                        f"failed to send termination position to member={member_id}:"
                        f" logPosition={log_position} leadershipTermId={self._leadership_term_id},"
                        " end it by hand"
                    )
                )

    def _renew_deadline(self) -> None:
        timeout_ns = self._context.options.termination_timeout_ns
        self._deadline_ns = self._context.seams.clock.nano_time() + timeout_ns

    def on_ack(self, message: TerminationAck) -> None:
        """Record that a follower has ended; an unrequested acknowledgement is ignored."""
        status = self._status
        if (
            status.is_leader
            and message.leadership_term_id == status.leadership_term_id
            and message.log_position >= self._position
        ):
            self._awaited.discard(message.member_id)

    def end_as_leader(self, log_position: int) -> Waiting[None]:
        """End services and module, and wait for the followers until the timeout.

        A leader that is replaced before the position is committed continues as a follower: its
        services must join the next leader's log first. It ends once it comes to the position.

        Raises
        ------
        AgentTerminationError
            At the end.
        """
        self._renew_deadline()
        steps = self._end_services(log_position)
        try:
            for work_count in steps:
                if self._is_replaced_before(log_position):
                    steps.close()
                    yield from self._services.terminate_at(NULL_VALUE)
                    self._status.enter(ConsensusModuleState.ACTIVE, "replaced before its end")
                    return
                yield work_count
        finally:
            steps.close()
        clock = self._context.seams.clock
        while self._awaited and clock.nano_time() < self._deadline_ns:
            yield
        yield from self._end(log_position)

    def _is_replaced_before(self, log_position: int) -> bool:
        """Whether another member leads, and the services cannot have read up to a position."""
        commit_position = self._counters.commit_position
        return (
            not self._status.is_leader
            and not commit_position.is_closed
            and commit_position.get() < log_position
        )

    # ---- as a follower ----

    def on_position(self, message: TerminationPosition, now_ns: int) -> None:
        """Handle the termination position of this term's leader."""
        status = self._status
        if status.is_leader or message.leadership_term_id != status.leadership_term_id:
            return
        self._begin(message.log_position)
        self._agent.set_last_leader_update_ns(now_ns)

    def end_as_follower(self) -> Waiting[None]:
        """End services and module, now that the log is read up to the position.

        Raises
        ------
        AgentTerminationError
            At the end.
        """
        # An election may have read beyond it.
        position = max(self._position, self._log_adapter.position)
        self._status.enter(
            ConsensusModuleState.TERMINATING, f"terminationPosition={self._position}"
        )
        yield from self._end_services(position)
        yield from self._acknowledge(position)
        yield from self._end(position)

    def _acknowledge(self, log_position: int) -> Waiting[None]:
        """Acknowledge to the leader, with retries; only if it is the one that requested it."""
        term_id = self._status.leadership_term_id
        if term_id != self._leadership_term_id:
            self._context.error_handler(
                ClusterError(
                    "termination ack not sent - different leadership term to request: this member"
                    f" ends at position {log_position} as requested by the leader of term"
                    f" {self._leadership_term_id}, now the term is {term_id}"
                )
            )
            return
        message = TerminationAck.encode(
            leadership_term_id=term_id, log_position=log_position, member_id=self._own_id
        )
        clock = self._context.seams.clock
        end_ns = clock.nano_time() + self._context.options.leader_heartbeat_interval_ns
        while not self._link.send(self._status.leader_member_id, message):
            if clock.nano_time() >= end_ns:
                return
            yield

    # ---- as either ----

    def on_service_lost(self, service_id: int) -> None:
        """Wait no longer than the timeout for a service that has ended.

        Its acknowledgement may be on its way: services end after it. Upstream's module waits for
        ever if there is none.
        """
        timeout_ns = self._context.options.termination_timeout_ns
        self._lost_services[service_id] = self._context.seams.clock.nano_time() + timeout_ns

    def _end_services(self, log_position: int) -> Waiting[None]:
        steps = self._await_services(log_position)
        try:
            for work_count in steps:
                lost = self._find_lost_service()
                if lost is not None:
                    self._report_lost(lost, log_position)
                    return
                yield work_count
        finally:
            steps.close()

    def _await_services(self, log_position: int) -> Waiting[None]:
        yield from self._services.terminate_at(log_position)
        yield from self._services.await_acks(log_position)

    def _find_lost_service(self) -> int | None:
        """Return a service that ended, and that sent no acknowledgement in time."""
        if not self._lost_services:
            return None
        now_ns = self._context.seams.clock.nano_time()
        for service_id, deadline_ns in self._lost_services.items():
            if now_ns >= deadline_ns and not self._services.has_acknowledged(service_id):
                return service_id
        return None

    def _report_lost(self, service_id: int, log_position: int) -> None:
        self._context.error_handler(
            ServiceError(
                f"service {service_id}: expected it to acknowledge the end, found its container"
                " ended without",
                member_id=self._own_id,
                leadership_term_id=self._status.leadership_term_id,
                log_position=log_position,
                remedy="its error log has the cause; start the member again",
            )
        )

    def _end(self, log_position: int) -> Waiting[None]:
        try:
            # A later leader's term goes on: the next term would be recorded with a wrong base.
            if self._status.leadership_term_id == self._leadership_term_id:
                self._recording_log.commit_log_position(self._leadership_term_id, log_position)
            yield from self._recording.stop()
        except Exception as error:  # noqa: BLE001 - the services have ended: it ends in any case
            self._context.error_handler(error)
        self._status.enter(ConsensusModuleState.CLOSED, "expected termination")
        raise AgentTerminationError(
            f"the module was requested to end, at position {log_position}", is_expected=True
        )
