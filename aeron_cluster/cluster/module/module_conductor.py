"""The Python half of the consensus module: its rare work, and the order of that.

Upstream: ConsensusModuleAgent. Its native half (`ModuleAgent`, `CommitAgent`) appends ingress to
the log and advances the commit position by itself. It calls this half when a deadline has passed,
for a message that is not a session's, after a change of a toggle, and in every duty cycle while a
task is in progress: the start, an election, a snapshot, the end. Each of those is a `Task`, so
nothing here ever blocks.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from aeron_cluster.archive.protocol.error_codes import is_out_of_space
from aeron_cluster.cluster.agent.consensus_link import ConsensusLink
from aeron_cluster.cluster.agent.module_agent import CommitAgent, ModuleAgent
from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.log.log_publisher import LogPublisher
from aeron_cluster.cluster.log.pending_service_messages import PendingServiceMessages
from aeron_cluster.cluster.log.service_link import ServiceLink
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.cluster.members.time_unit import time_unit_name
from aeron_cluster.cluster.module.module_start import ModuleStart
from aeron_cluster.cluster.module.running_module import RunningModule
from aeron_cluster.cluster.state.session_table import SessionTable
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.errors import (
    AgentTerminationError,
    ClusterError,
    ConductorServiceTimeoutError,
    ServiceError,
    StalledError,
    UnknownMessageError,
)
from aeron_cluster.events.codes import ClusterEvent
from aeron_cluster.memory.agents.user_callback import call_termination_hook, call_user
from aeron_cluster.memory.agents.waiting import Task, Waiting
from aeron_cluster.memory.shared.counters_layout import CounterType

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.image import Image
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.state.mark_file import ClusterMarkFile
    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.cluster.state.module_snapshot import SessionRecord
    from aeron_cluster.cluster.state.node_state import NodeState
    from aeron_cluster.cluster.state.recording_log import RecordingLog
    from aeron_cluster.codecs.archive import RecordingSignalEvent

__all__ = ["ModuleConductor"]

_M = TypeVar("_M", bound="Callable[..., Any]")

_ENDING: Final = (
    ConsensusModuleState.TERMINATING,
    ConsensusModuleState.QUITTING,
    ConsensusModuleState.CLOSED,
)


def _ending(method: _M) -> _M:
    """Wrap a method that the native half calls: whatever ends the module is raised through one."""

    @wraps(method)
    def call(self: ModuleConductor, *arguments: object) -> object:
        try:
            return method(self, *arguments)
        except AgentTerminationError as error:
            self.on_termination(error)
            raise

    return cast("_M", call)


class ModuleConductor:
    """All work of one member outside the path of session messages.

    Parameters
    ----------
    context : ConsensusModuleContext
    aeron : Aeron
        The module's own client, driven on the same thread.
    recording_log : RecordingLog
    node_state : NodeState
    mark_file : ClusterMarkFile
        Signals that the module is ready after its recovery, and that it is active.

    Attributes
    ----------
    agent : ModuleAgent
    commit_agent : CommitAgent
    """

    def __init__(
        self,
        context: ConsensusModuleContext,
        aeron: Aeron,
        recording_log: RecordingLog,
        node_state: NodeState,
        mark_file: ClusterMarkFile,
    ) -> None:
        self._context = context
        self._aeron = aeron
        self._recording_log = recording_log
        self._node_state = node_state
        self._mark_file = mark_file
        self._table = SessionTable()
        self._log = LogPublisher()
        self._trackers = tuple(map(PendingServiceMessages, range(context.options.service_count)))
        self._members = tuple(member.fresh() for member in context.members)
        self.agent = ModuleAgent(
            self,
            context,
            self._table,
            self._log,
            self._trackers,
            member_ids=[member.member_id for member in self._members],
            stamp=mark_file.activity_stamp,
            accepts_extension_schemas=context.extension is not None,
            user_clock=self._read_time if context.has_user_clock else None,
            time_consumer=self._pass_time if context.cluster_time_consumer is not None else None,
            events=context.events.log,
        )
        self.commit_agent = CommitAgent(self.agent)
        self._addresses = context.make_member_addresses(self._log_place)
        self._link = ConsensusLink(
            context, aeron, self.agent, self._members, self._addresses.accepts_image
        )
        self._has_unchecked_images = not self._addresses.is_resolved
        self._services = ServiceLink(context, aeron)
        self._service_clients: dict[int, int] = {}
        self._start = ModuleStart(
            context=context,
            aeron=aeron,
            agent=self.agent,
            recording_log=recording_log,
            services=self._services,
            on_signal=self._on_recording_signal,
            on_counters=self._on_counters,
        )
        self._running: RunningModule | None = None
        self._failure: AgentTerminationError | None = None
        self._is_terminated = False
        self._stall: StalledError | None = None
        self._tasks: list[Task[None]] = [Task(self._run_start())]
        self.agent.set_next(0, is_busy=True)

    # ---- what the native half calls ----

    @_ending
    def do_work(self, now_ns: int) -> int:
        """Do what is due; return the work count."""
        try:
            work_count = self._do_work(now_ns)
        except AgentTerminationError:
            raise  # nothing is due any more
        except Exception:
            self._schedule(now_ns)
            raise
        self._schedule(now_ns)
        return work_count

    def _do_work(self, now_ns: int) -> int:
        self._check_failure()
        work_count = self._attempt(self._poll_archive, now_ns)
        archive = self._start.archive
        if archive is not None and work_count == 0 and not archive.is_connected:
            # Nothing is recorded any more: a leader could never commit again.
            self._end_unexpectedly(ClusterError("local archive is not connected"))
        work_count += self._attempt(self._link.do_work, now_ns)
        work_count += self._attempt(self._check_addresses, now_ns)
        if self._running is not None:
            work_count += self._running.do_work(now_ns, self._attempt)
        for task in tuple(self._tasks):
            work_count += self._attempt(task.do_work, now_ns)
            if task.is_done and task in self._tasks:
                self._tasks.remove(task)
        return work_count

    def _check_addresses(self) -> int:
        work_count = self._addresses.do_work()
        if self._has_unchecked_images and self._addresses.is_resolved:
            self._has_unchecked_images = False
            self._link.drop_rejected_images()
        return work_count

    def _poll_archive(self) -> int:
        return 0 if self._start.archive is None else self._start.archive.poll()

    def _attempt(self, work: Callable[[], int], now_ns: int) -> int:
        """Do a part of the work; if it fails, the other parts are still done in this pass.

        A failure in an election restarts it, one in the start ends the module.
        """
        try:
            return work()
        except AgentTerminationError:
            raise
        except Exception as error:  # noqa: BLE001 - of one part
            if is_out_of_space(error):
                self._end_unexpectedly(error.with_traceback(None))  # the reason is its text
            if self._running is None:
                self._end_unexpectedly(error)
            self._running.on_failure(error, now_ns)
        return 0

    @property
    def _module(self) -> RunningModule:
        """The running module, for calls that are only made by a running one."""
        assert self._running is not None
        return self._running

    @_ending
    def _read_time(self) -> int:
        return self._context.cluster_time()

    @_ending
    def _pass_time(self, timestamp: int) -> None:
        consumer = self._context.cluster_time_consumer
        assert consumer is not None
        call_user("cluster_time_consumer", consumer, timestamp)

    @_ending
    def on_ingress(self, message: bytes, image: Image, now_ns: int) -> bool:
        """Handle a message of a client other than a session's; False to be called with it again."""
        return self._running is None or self._running.on_ingress(message, image, now_ns)

    @_ending
    def authorized_members(self, image: Image) -> int:
        """Return the members that may send by a consensus image, as bits by index."""
        source = image.source_identity
        if self._addresses.is_member(source):
            ids = self._addresses.members_at(source)
            return sum(
                1 << index for index, member in enumerate(self._members) if member.member_id in ids
            )
        # Names may have to be resolved again, and the source reported, even if nothing else is due.
        self._schedule(self._context.seams.clock.nano_time())
        return 0

    @_ending
    def on_member_id_mismatch(self, image: Image, member_id: int) -> None:
        """Report a member that claims another id, or one that is not in the list."""
        self._addresses.reject_id(image.source_identity, member_id)

    @_ending
    def on_consensus_message(self, message: bytes, image: Image, now_ns: int) -> None:
        """Handle a message of another member or of a backup that the native half does not."""
        if self._running is not None:
            self._running.on_consensus_message(message, image, now_ns)

    @_ending
    def on_leader_timeout(self, now_ns: int) -> None:
        """Start an election: nothing was received from the leader for too long."""
        self._module.enter_election("leader heartbeat timeout", now_ns)

    @_ending
    def on_quorum_lost(self, now_ns: int) -> None:
        """Stop leading: nothing was received from a majority for too long."""
        self._module.enter_election("inactive follower quorum", now_ns)

    @_ending
    def on_log_ended(self, now_ns: int) -> None:
        """Start an election: the leader's log has ended."""
        self._module.on_log_ended(now_ns)

    @_ending
    def on_log_lost(self, now_ns: int) -> None:
        """Replicate the missing log from the leader's archive: its driver no longer sends it."""
        self._module.on_log_lost(now_ns)

    @_ending
    def on_termination_position(self, now_ns: int) -> None:
        """End at the leader's termination position."""
        self._module.on_termination_position(now_ns)

    @_ending
    def on_service_message(self, message: bytes, service_position: int, now_ns: int) -> None:
        """Handle a request of a service or a tool, other than messages for the log.

        `service_position` is the log position of the service's event; negative if unknown.
        """
        try:
            decoded = codecs.decode(message)
        except UnknownMessageError as error:
            self._context.error_handler(error)
            return
        if isinstance(decoded, codecs.ServiceAck):
            self._context.events.record(
                ClusterEvent.SERVICE_ACK,
                log_position=decoded.log_position,
                timestamp=decoded.timestamp,
                ack_id=decoded.ack_id,
                relevant_id=decoded.relevant_id,
                member_id=self._context.options.member_id,
                service_id=decoded.service_id,
                time_unit=time_unit_name(self._context.time_unit),
            )
            self._services.on_ack(decoded)
        elif self._running is not None:
            self._running.on_request_of_service(decoded, service_position, now_ns)

    def _log_place(self) -> tuple[int, int]:
        """Return the term and the commit position; -1 for each that is not known yet."""
        return (NULL_VALUE, NULL_VALUE) if self._running is None else self._running.log_place()

    @_ending
    def on_timers_due(self, now_ns: int) -> int:
        """Append the events of due timers."""
        return self._module.on_timers_due(now_ns)

    @_ending
    def on_committed(self, position: int) -> None:
        """Drop the undo records of committed changes."""
        self._module.on_committed(position)

    def on_unavailable_counter(self, registration_id: int) -> None:
        """End the module when a service's client has ended."""
        service_id = self._service_clients.get(registration_id)
        if service_id is None:
            return
        if self.state is ConsensusModuleState.TERMINATING:
            self._module.on_service_lost(service_id)
        elif self.state not in _ENDING:
            term_id, position = self._log_place()
            limit_s = self._aeron.conductor_agent.gap_limit_ns / 1e9
            self._end_later(
                ServiceError(
                    f"Aeron client in service closed unexpectedly: serviceId={service_id}, client"
                    f" {registration_id}: its container ended, or a callback took longer than its"
                    f" driver waits for clients ({limit_s:.1f} s)",
                    member_id=self._context.options.member_id,
                    leadership_term_id=term_id,
                    log_position=position,
                    remedy="its error log has the cause; start the member again",
                )
            )

    def _end_without_services(self) -> None:
        """End the module where a service ended after its acknowledgement, before it was taken.

        No notice of it follows: it came while the client was not known yet.
        """
        counters = self._aeron.counters_reader
        for client_id in self._service_clients:
            if counters.find(CounterType.COUNTER_TYPE_CLIENT_HEARTBEAT, client_id) is None:
                self.on_unavailable_counter(client_id)

    def _schedule(self, now_ns: int) -> None:
        """Set the time of the next call: in every duty cycle while a task is in progress."""
        is_ending = self._failure is not None or self._aeron.is_closed
        if self._running is None or self._tasks or is_ending:
            self.agent.set_next(now_ns, is_busy=True)
        else:
            self._running.set_next(now_ns)

    def _begin(self, steps: Waiting[None]) -> None:
        self._tasks.append(Task(steps))
        self.agent.set_next(0, is_busy=True)

    # ---- the start ----

    def _on_counters(self, counters: ModuleCounters) -> None:
        self._addresses.count_by(counters.rejected_sources.increment)

    def _run_start(self) -> Waiting[None]:
        started = yield from self._start.run()
        # Set before any step that takes a duty cycle: the end of a client is notified only once.
        self._service_clients = started.recovered.service_client_ids
        self._end_without_services()
        yield from self._link.open()
        self._running = running = RunningModule(
            context=self._context,
            aeron=self._aeron,
            agent=self.agent,
            table=self._table,
            log=self._log,
            trackers=self._trackers,
            members=self._members,
            addresses=self._addresses,
            link=self._link,
            services=self._services,
            recording_log=self._recording_log,
            node_state=self._node_state,
            started=started,
            begin=self._begin,
            schedule=self._schedule,
            end_unexpectedly=self._end_unexpectedly,
            on_client_error=self.on_client_error,
            on_termination=self.on_termination,
        )
        try:
            running.begin(started.recovered)
            # Without its version the file is not read, and nobody would write it later.
            self._mark_file.signal_ready()
        except AgentTerminationError:
            raise
        except Exception as error:  # noqa: BLE001 - as any failure of the start
            self._end_unexpectedly(error)

    def _on_recording_signal(self, signal: RecordingSignalEvent) -> None:
        if self._running is not None:
            self._running.on_recording_signal(signal)

    # ---- the end ----

    @property
    def state(self) -> ConsensusModuleState:
        """The state of the module."""
        return ConsensusModuleState.INIT if self._running is None else self._running.status.state

    @property
    def role(self) -> Role:
        """The role of this member."""
        return Role.FOLLOWER if self._running is None else self._running.status.role

    @property
    def leader_member_id(self) -> int:
        """The member id of the leader known to this member; -1 if unknown."""
        return -1 if self._running is None else self._running.status.leader_member_id

    @property
    def is_leading(self) -> bool:
        """Whether this member leads, and no election runs."""
        running = self._running
        return running is not None and running.status.is_leader and not running.is_electing

    @property
    def counters(self) -> ModuleCounters | None:
        """The module's counters, once the driver has added them and until its client is closed."""
        counters = self._start.counters
        return None if counters is None or counters.commit_position.is_closed else counters

    @property
    def timers(self) -> dict[int, int] | None:
        """The deadline of each pending timer, by its id; None until the state is loaded."""
        return None if self._running is None else dict(self._running.timers.items())

    @property
    def sessions(self) -> list[SessionRecord] | None:
        """The clients' sessions, open or closing, by id; None until the state is loaded."""
        return None if self._running is None else self._running.session_records

    @property
    def next_session_id(self) -> int | None:
        """The id of the next session after committed ones; None until the state is loaded."""
        return None if self._running is None else self._running.next_session_id

    def count_error(self) -> None:
        """Count an error that was reported."""
        counters = self._start.counters
        if counters is not None and not counters.errors.is_closed:
            counters.errors.increment()

    def _check_failure(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._aeron.is_closed:
            failure = self._aeron.failure
            if isinstance(failure, ConductorServiceTimeoutError):
                self.on_client_error(failure)  # a client provided by the user does not report it
                failure = self._stall
            self._failure = AgentTerminationError(
                f"unexpected Aeron close in the consensus module: {failure or 'not by the module'}"
            )
            raise self._failure from failure

    def on_client_error(self, error: Exception) -> None:
        """Report a client's error; after a stall, with the place that caused it."""
        if not isinstance(error, ConductorServiceTimeoutError):
            self._context.error_handler(error)
        elif self._stall is None:
            self._stall = self._stalled(error)
            self._context.error_handler(self._stall)

    def _stalled(self, failure: ConductorServiceTimeoutError) -> StalledError:
        term_id, position = self._log_place()
        stalled = StalledError(
            "consensus module",
            failure.gap_ns,
            failure.limit_ns,
            "a callback of a service on its thread took too long, or the process was stopped",
            member_id=self._context.options.member_id,
            leadership_term_id=term_id,
            log_position=position,
        )
        stalled.__cause__ = failure
        return stalled

    def _end_later(self, error: Exception) -> None:
        self._context.error_handler(error)
        self._failure = AgentTerminationError(str(error))
        self._failure.__cause__ = error
        self.agent.set_next(0, is_busy=True)

    def _end_unexpectedly(self, error: Exception) -> NoReturn:
        """Notify the services, and stop driving this module.

        Raises
        ------
        AgentTerminationError
            Always.
        """
        self._context.error_handler(error)
        self._services.try_terminate_now()
        raise AgentTerminationError(str(error)) from error

    def on_termination(self, error: AgentTerminationError) -> None:
        """Close the module and notify its user, once, whatever raised the error.

        The client of further requests may be closed.
        """
        if self._is_terminated:
            return
        self._is_terminated = True
        self._enter_closed(str(error))
        call_termination_hook(self._context.termination_hook, self._context.error_handler)

    def _enter_closed(self, reason: str) -> None:
        counters = self._start.counters
        if self._running is not None:
            self._running.status.enter(ConsensusModuleState.CLOSED, reason)
        elif counters is not None and not counters.module_state.is_closed:
            counters.module_state.set(ConsensusModuleState.CLOSED)

    def close(self) -> None:
        """Leave the cluster. Calling it again does nothing."""
        for task in self._tasks:
            task.close()
        self._tasks.clear()
        if self._running is None:
            self._enter_closed("closed")
        else:
            self._running.close()
        self._addresses.close()
        self._services.close()
        if self._start.archive is not None:
            self._start.archive.close()
