"""The Python half of the consensus module: what happens rarely, and in which order.

Stands for ConsensusModuleAgent. Its hot half (`ModuleAgent`, `CommitAgent`) takes ingress into the
log and the log to the commit position by itself, and calls in here when a deadline has come, a
message is not a session's, a toggle moved, or something is under way that goes on with every pass:
the start, an election, a snapshot, the end. Each of those is a `Task`, so nothing here ever waits.
"""

from __future__ import annotations

import logging
from collections import deque
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.control_toggle import ControlToggle
from aeron_cluster.cluster.election import Election, ElectionState, Role
from aeron_cluster.cluster.log_adapter import LogAdapter
from aeron_cluster.cluster.log_publisher import LogPublisher
from aeron_cluster.cluster.log_recording import LogRecording
from aeron_cluster.cluster.log_replay import replay_log
from aeron_cluster.cluster.members import NULL_VALUE
from aeron_cluster.cluster.members_response import members_response
from aeron_cluster.cluster.module_agent import CommitAgent, ModuleAgent
from aeron_cluster.cluster.module_counters import ModuleCounters
from aeron_cluster.cluster.module_snapshot import ModuleState
from aeron_cluster.cluster.module_timers import ModuleTimers
from aeron_cluster.cluster.pending_service_messages import PendingServiceMessages
from aeron_cluster.cluster.recovery import recover
from aeron_cluster.cluster.service_link import ServiceLink
from aeron_cluster.cluster.session_manager import SessionManager
from aeron_cluster.cluster.session_table import SessionTable
from aeron_cluster.cluster.snapshot_round import take_snapshot_round
from aeron_cluster.cluster.waiting import Task, Waiting, await_subscription, connect_archive
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.cluster import ClusterAction
from aeron_cluster.errors import (
    AgentTerminationError,
    ClusterError,
    InsufficientSpaceError,
    UnknownMessageError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.archive.archive_client import AeronArchive
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.cluster.log_recording import LogChannel
    from aeron_cluster.cluster.mark_file import ClusterMarkFile
    from aeron_cluster.cluster.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.node_state import NodeState
    from aeron_cluster.cluster.recording_log import RecordingLog
    from aeron_cluster.codecs.archive import RecordingSignalEvent
    from aeron_cluster.codecs.message import Message

__all__ = ["ConsensusModuleState", "ModuleConductor"]

_LOGGER: Final = logging.getLogger("aeron_cluster.cluster")
_LIVE_LOG_END: Final = 2**63 - 1


class ConsensusModuleState(IntEnum):
    """What the module does; the numbers are those of its counter."""

    INIT = 0
    ACTIVE = 1
    SUSPENDED = 2
    SNAPSHOT = 3
    QUITTING = 4
    TERMINATING = 5
    CLOSED = 6


class ModuleConductor:
    """Everything of one member that is not the way of a message.

    Parameters
    ----------
    context : ConsensusModuleContext
    aeron : Aeron
        The module's own client, driven on the same thread.
    mark_file : ClusterMarkFile
    recording_log : RecordingLog
    node_state : NodeState
    on_ready : callable
        Called once the module has recovered and its first election begins.
    """

    def __init__(
        self,
        context: ConsensusModuleContext,
        aeron: Aeron,
        mark_file: ClusterMarkFile,
        recording_log: RecordingLog,
        node_state: NodeState,
        on_ready: Callable[[], object],
    ) -> None:
        self._context = context
        self._aeron = aeron
        self._mark_file = mark_file
        self._recording_log = recording_log
        self._node_state = node_state
        self._on_ready = on_ready
        self._sessions_table = SessionTable()
        self._log = LogPublisher()
        self._trackers = tuple(
            PendingServiceMessages(service_id)
            for service_id in range(context.options.service_count)
        )
        self._log_reader = _ReplayReader(
            self, LogAdapter(self._on_log_event, self._sessions_table, self._trackers)
        )
        self.agent = ModuleAgent(self, context, self._sessions_table, self._log, self._trackers)
        self.commit_agent = CommitAgent(self.agent)
        self._services = ServiceLink(context, aeron)
        self._timers = ModuleTimers(context.make_timers(), self._append_timer)
        self._counters: ModuleCounters | None = None
        self._sessions: SessionManager | None = None
        self._archive: AeronArchive | None = None
        self._recording: LogRecording | None = None
        self._log_channel: LogChannel | None = None
        self._ingress: list[Subscription] = []
        self._service_clients: frozenset[int] = frozenset()
        self._state = ConsensusModuleState.INIT
        self._role = Role.FOLLOWER
        self._leadership_term_id = NULL_VALUE
        self._initial_term = (NULL_VALUE, 0)
        # States before changes that are in the log but not committed, with where they are there.
        self._uncommitted_states: deque[tuple[int, ConsensusModuleState]] = deque()
        self._election: Election | None = None
        self._failure: BaseException | None = None
        self._tasks: list[Task[None]] = [Task(self._start())]
        self.agent.set_next(0, is_busy=True)

    # ---- what the hot half calls ----

    def do_work(self, now_ns: int) -> int:
        """Do what is due; return the work count."""
        work_count = 0
        try:
            self._check_failure()
            if self._archive is not None:
                work_count += self._archive.poll()
            if self._sessions is not None and self._election is None:
                work_count += self._sessions.do_work(now_ns)
                if self._state in (ConsensusModuleState.ACTIVE, ConsensusModuleState.SUSPENDED):
                    work_count += self._check_control_toggle()
            if self._election is not None:
                work_count += self._election.do_work()
                self._drop_closed_election()
            work_count += self._advance_tasks()
        except AgentTerminationError:
            self._set_state(ConsensusModuleState.CLOSED)
            raise
        except InsufficientSpaceError as error:
            self._end_unexpectedly(error)
        except Exception as error:
            if self._election is None:
                if self._state is ConsensusModuleState.INIT:
                    self._fail_start(error)
                raise
            self._context.error_handler(error)
            self._election.restart(self._commit_position)
        finally:
            self._schedule(now_ns)
        return work_count

    def on_ingress(self, message: bytes, image: Image, now_ns: int) -> bool:
        """Take a message of a client that is none of a session; False to be given it again."""
        if self._sessions is None:
            return True
        is_taken = self._sessions.on_ingress(message, image, now_ns)
        self._schedule(now_ns)
        return is_taken

    def on_service_message(self, message: bytes, now_ns: int) -> None:
        """Take what a service or a tool says to the module, other than messages for the log."""
        match self._decode(message):
            case codecs.ServiceAck() as ack:
                self._services.on_ack(ack)
            case codecs.ScheduleTimer() as timer:
                self._timers.schedule(timer.correlation_id, timer.deadline)
                self.agent.set_timer_deadline(self._timers.next_deadline)
            case codecs.CancelTimer() as timer:
                self._timers.cancel(timer.correlation_id)
            case codecs.CloseSession() as close:
                if self._sessions is not None:
                    self._sessions.on_service_close(close.cluster_session_id, now_ns)
            case codecs.ClusterMembersQuery() as query:
                self._services.try_answer(
                    members_response(
                        query,
                        self._context,
                        leader_member_id=self._leader_member_id,
                        leadership_term_id=self._leadership_term_id,
                        log_position=self._commit_position,
                        now_ns=now_ns,
                    )
                )
            case _:
                pass

    def on_timers_due(self, now_ns: int) -> int:
        """Append the events of timers that are due."""
        expired = self._timers.poll(self._context.cluster_time())
        self.agent.set_timer_deadline(self._timers.next_deadline)
        if expired:
            self._schedule(now_ns)
        return expired

    def on_committed(self, position: int) -> None:
        """Forget how to undo what is committed now."""
        assert self._sessions is not None
        self._timers.on_committed(position)
        self._sessions.on_committed(position)
        while self._uncommitted_states and self._uncommitted_states[0][0] <= position:
            self._uncommitted_states.popleft()
        self._tell_uncommitted_position()

    def on_unavailable_counter(self, registration_id: int) -> None:
        """End the module when a service's client is gone."""
        if registration_id not in self._service_clients:
            return
        if self._state not in (
            ConsensusModuleState.TERMINATING,
            ConsensusModuleState.QUITTING,
            ConsensusModuleState.CLOSED,
        ):
            self._end_later(ClusterError(f"service client {registration_id} is gone"))

    def _schedule(self, now_ns: int) -> None:
        if self._tasks or self._election is not None or self._failure is not None:
            self.agent.set_next(now_ns, is_busy=True)
            return
        deadline_ns, is_busy = _LIVE_LOG_END, False
        if self._sessions is not None:
            deadline_ns = self._sessions.next_deadline_ns()
            is_busy = self._sessions.is_busy
        self.agent.set_next(deadline_ns, is_busy=is_busy)
        self._tell_uncommitted_position()

    def _decode(self, message: bytes) -> Message | None:
        try:
            return codecs.decode(message)
        except UnknownMessageError as error:
            self._context.error_handler(error)
            return None

    # ---- the parts that go on pass after pass ----

    def _begin(self, steps: Waiting[None]) -> None:
        self._tasks.append(Task(steps))
        self.agent.set_next(0, is_busy=True)

    def _advance_tasks(self) -> int:
        work_count = 0
        for task in tuple(self._tasks):
            try:
                work_count += task.do_work()
            finally:
                if task.is_done and task in self._tasks:
                    self._tasks.remove(task)
        return work_count

    @property
    def _is_leader(self) -> bool:
        return self._role is Role.LEADER

    @property
    def _leader_member_id(self) -> int:
        return self._context.options.member_id if self._is_leader else NULL_VALUE

    @property
    def _commit_position(self) -> int:
        assert self._counters is not None
        return self._counters.commit_position.get()

    # ---- the start ----

    def _start(self) -> Waiting[None]:
        context, aeron = self._context, self._aeron
        self._counters = counters = yield from ModuleCounters.add(context, aeron)
        self.agent.set_counters(
            counters.commit_position,
            counters.control_toggle,
            counters.node_toggle,
            counters.max_cycle_time,
            counters.cycle_exceeded,
            context.options.cycle_threshold_ns,
        )
        self._set_state(ConsensusModuleState.INIT)
        yield from self._services.open()
        self.agent.set_control(self._services.subscription)
        archive_context = context.archive_client_context(self._on_recording_signal)
        self._archive = archive = yield from connect_archive(archive_context, aeron)
        self.agent.set_archive(archive.responses)
        self._sessions = sessions = SessionManager(
            context,
            aeron,
            self._sessions_table,
            self._log,
            counters,
            context.members,
            on_admin_snapshot=self._try_toggle_snapshot,
        )
        self._recording = LogRecording(
            context, aeron, archive, self._recording_log.find_last_term_recording_id()
        )
        recovered = yield from recover(
            context, aeron, archive, self._recording_log, self._recording, self._services
        )
        self._service_clients = recovered.service_client_ids
        self._initial_term = (recovered.log_leadership_term_id, recovered.term_base_log_position)
        self._leadership_term_id = recovered.log_leadership_term_id
        if recovered.snapshot is not None:
            snapshot = recovered.snapshot
            sessions.load(snapshot.sessions, snapshot.next_session_id)
            for tracker, state in zip(self._trackers, snapshot.trackers, strict=False):
                tracker.load(state)
            self._timers.load(snapshot.timers, context.cluster_time())
        counters.commit_position.set(recovered.log_position)
        counters.leadership_term_id.set(self._leadership_term_id)
        self._set_state(ConsensusModuleState.ACTIVE)
        self._begin_election(
            is_node_startup=True,
            log_position=recovered.log_position,
            append_position=recovered.append_position,
        )
        self._on_ready()

    def _fail_start(self, error: Exception) -> None:
        self._mark_file.record_error(error, self._context.epoch_ms())
        self._end_unexpectedly(error)

    # ---- elections ----

    def _begin_election(
        self, *, is_node_startup: bool, log_position: int, append_position: int
    ) -> None:
        assert self._counters is not None
        self._counters.election_count.increment()
        self.agent.set_election(is_running=True)
        if self._sessions is not None:
            self._sessions.set_active(is_active=False)
        self._election = Election(
            self,
            is_node_startup=is_node_startup,
            log_leadership_term_id=self._leadership_term_id,
            log_position=log_position,
            append_position=append_position,
        )

    def _enter_election(self, reason: str) -> None:
        self._context.error_handler(ClusterError(f"new election: {reason}"))
        for task in self._tasks:
            task.close()
        self._tasks.clear()
        self.set_role(Role.FOLLOWER)
        self._begin_election(
            is_node_startup=False,
            log_position=self._commit_position,
            append_position=self._commit_position,
        )

    def _drop_closed_election(self) -> None:
        if self._election is not None and self._election.is_closed:
            self._election = None
            self.agent.set_election(is_running=False)
            self._tell_sessions()

    def on_election_state(self, state: ElectionState, reason: str) -> None:
        """Publish the state of the election."""
        assert self._counters is not None
        _LOGGER.debug("election %s: %s", state.name, reason)
        self._counters.election_state.set(state)

    def set_role(self, role: Role) -> None:
        """Publish the role."""
        assert self._counters is not None
        self._role = role
        self._counters.node_role.set(role)
        self.agent.set_role(role)

    def prepare_for_new_leadership(self, log_position: int) -> Waiting[int]:
        """Undo what was not committed; return where the log's recording ends."""
        assert self._counters is not None
        assert self._recording is not None
        assert self._sessions is not None
        self.set_role(Role.FOLLOWER)
        self._close_ingress()
        self.agent.set_recorded_position(None)
        self._log.disconnect()
        self._counters.control_toggle.set(ControlToggle.INACTIVE)
        descriptor = yield from self._recording.stop()
        self._sessions.prepare_for_new_leadership(log_position)
        self._counters.commit_position.set(log_position)
        self._restore_uncommitted(log_position)
        return log_position if descriptor is None else descriptor.stop_position

    def _restore_uncommitted(self, commit_position: int) -> None:
        assert self._sessions is not None
        self._timers.restore_uncommitted(commit_position)
        for tracker in self._trackers:
            tracker.restore_uncommitted(commit_position)
        self._sessions.restore_uncommitted(commit_position)
        if self._uncommitted_states and self._state is not ConsensusModuleState.CLOSED:
            self._set_state(self._uncommitted_states[0][1])
        self._uncommitted_states.clear()

    def begin_candidate_term(self, leadership_term_id: int, log_position: int) -> int:
        """Promise a term that is above this one and all that were ever promised, and return it."""
        promised = self._node_state.candidate_term.candidate_term_id
        candidate_term_id = max(promised, leadership_term_id) + 1
        self._node_state.update(candidate_term_id, log_position, self._context.epoch_ms())
        return candidate_term_id

    def add_log_publication(self, leadership_term_id: int, append_position: int) -> Waiting[None]:
        """Add the publication of the log, which goes on at a position."""
        assert self._recording is not None
        self._log.disconnect()
        self._log_channel = yield from self._recording.add_publication(append_position)
        self._log.leadership_term_id = leadership_term_id
        self._log.connect(self._log_channel.publication)

    def replay_log(self, start_position: int, stop_position: int) -> Waiting[None]:
        """Let the module and its services read what they have not seen of the log."""
        assert self._archive is not None
        assert self._counters is not None
        assert self._recording is not None
        return replay_log(
            self._context,
            self._aeron,
            self._archive,
            self._services,
            self._log_reader,
            self._counters.commit_position,
            recording_id=self._recording.recording_id,
            start_position=start_position,
            stop_position=stop_position,
        )

    def join_log_as_leader(self, log_position: int, *, is_startup: bool) -> Waiting[None]:
        """Record the log, and have the services read it."""
        assert self._log_channel is not None
        assert self._recording is not None
        channel = self._log_channel
        yield from self._recording.start(channel.local, channel.publication.session_id)
        yield from self._services.join_log(
            log_position=log_position,
            max_log_position=_LIVE_LOG_END,
            log_session_id=channel.publication.session_id,
            log_stream_id=self._context.options.log_stream_id,
            log_channel=channel.spy,
            is_startup=is_startup,
            role=Role.LEADER,
        )
        self.agent.set_recorded_position(self._recording.counter_id)

    def append_term(self, leadership_term_id: int, term_base_log_position: int) -> None:
        """Note the term in the recording log."""
        assert self._counters is not None
        assert self._recording is not None
        self._leadership_term_id = leadership_term_id
        self._counters.leadership_term_id.set(leadership_term_id)
        self._make_coherent(leadership_term_id, term_base_log_position)

    def _make_coherent(self, leadership_term_id: int, term_base_log_position: int) -> None:
        assert self._recording is not None
        initial_term_id, initial_base = self._initial_term
        self._recording_log.ensure_coherent(
            self._recording.recording_id,
            initial_term_id,
            initial_base,
            leadership_term_id,
            term_base_log_position,
            NULL_VALUE,
            self._context.cluster_time(),
        )

    def try_append_term_event(self, term_base_log_position: int) -> bool:
        """Begin the term in the log."""
        position = self._log.append_new_leadership_term(
            self._context.cluster_time(),
            term_base_log_position,
            self._context.options.member_id,
            self._log.session_id,
            self._context.time_unit,
            self._context.app_version,
        )
        return position > 0

    def complete_election(self, log_position: int, *, is_startup: bool) -> Waiting[None]:
        """Take up the leader's work."""
        assert self._counters is not None
        assert self._sessions is not None
        now_ns = self._context.seams.clock.nano_time()
        self._sessions.become_leader(
            self._leadership_term_id, is_startup=is_startup, now_ns=now_ns
        )
        self._timers.move_to(self._context.cluster_time())
        self.agent.set_timer_deadline(self._timers.next_deadline)
        self._counters.commit_position.propose_max(log_position)
        yield from self._open_ingress()
        self._counters.control_toggle.set(ControlToggle.NEUTRAL)
        self._counters.node_toggle.set(ControlToggle.NEUTRAL)
        _LOGGER.info(
            "member %d leads term %d from position %d",
            self._context.options.member_id,
            self._leadership_term_id,
            log_position,
        )

    def _open_ingress(self) -> Waiting[None]:
        assert self._sessions is not None
        sessions, options = self._sessions, self._context.options
        channel = ChannelUri.parse(options.ingress_channel)
        if not channel.is_ipc and "endpoint" not in channel:
            channel = channel.with_params(endpoint=self._context.member.ingress_endpoint)
        channels = [str(channel.with_params(reliable=True, rejoin=False))]
        if options.ingress_ipc_allowed and not channel.is_ipc:
            channels.append("aeron:ipc")

        def gone(image: Image) -> None:
            sessions.on_image_unavailable(image.correlation_id)
            self.agent.set_next(0, is_busy=True)

        for each in channels:
            self._ingress.append(
                (
                    yield from await_subscription(
                        self._aeron,
                        each,
                        options.ingress_stream_id,
                        unavailable_image_handler=gone,
                    )
                )
            )
        self.agent.set_ingress(self._ingress)

    def _close_ingress(self) -> None:
        self.agent.set_ingress(())
        for subscription in self._ingress:
            subscription.close()
        self._ingress.clear()

    def _on_recording_signal(self, signal: RecordingSignalEvent) -> None:
        if self._recording is None or not self._recording.on_signal(signal):
            return
        if self._state is ConsensusModuleState.ACTIVE and self._election is None:
            self._enter_election(f"the log's recording {signal.recording_id} stopped")

    # ---- the log, read again ----

    def can_read_log(self) -> bool:
        """Whether the next message of a replay may be taken."""
        return self._state in (ConsensusModuleState.ACTIVE, ConsensusModuleState.SUSPENDED)

    def _on_log_event(self, message: bytes, position: int) -> None:
        assert self._sessions is not None
        match self._decode(message):
            case codecs.SessionOpenEvent() as event:
                self._sessions.on_replay_open(event, position)
            case codecs.SessionCloseEvent() as event:
                self._sessions.on_replay_close(event)
            case codecs.TimerEvent() as event:
                self._timers.on_replay(event.correlation_id)
            case codecs.ClusterActionRequest() as event:
                self._on_replay_action(event)
            case codecs.NewLeadershipTermEvent() as event:
                self._on_replay_term(event)
            case _:
                pass

    def _on_replay_action(self, event: codecs.ClusterActionRequest) -> None:
        if event.leadership_term_id != self._leadership_term_id:
            return
        match event.action:
            case ClusterAction.SUSPEND:
                self._set_state(ConsensusModuleState.SUSPENDED)
            case ClusterAction.RESUME:
                self._set_state(ConsensusModuleState.ACTIVE)
            case ClusterAction.SNAPSHOT if not event.flags:
                # The log is not read on before it is taken.
                self._set_state(ConsensusModuleState.SNAPSHOT)
                self._begin(self._snapshot(event.log_position))
            case _:
                pass

    def _on_replay_term(self, event: codecs.NewLeadershipTermEvent) -> None:
        assert self._counters is not None
        context = self._context
        if event.app_version >> 16 != context.app_version >> 16:
            self._end_unexpectedly(
                ClusterError(
                    f"term {event.leadership_term_id}: expected application version"
                    f" {context.app_version >> 16}.x, found {event.app_version >> 16}.x"
                )
            )
        if event.time_unit != context.time_unit:
            self._end_unexpectedly(
                ClusterError(
                    f"term {event.leadership_term_id}: expected times in {context.time_unit!r},"
                    f" found {event.time_unit!r}"
                )
            )
        self._leadership_term_id = event.leadership_term_id
        self._counters.leadership_term_id.set(event.leadership_term_id)

    # ---- the control toggle ----

    def _try_toggle_snapshot(self) -> bool:
        assert self._counters is not None
        return self._counters.control_toggle.compare_and_set(
            ControlToggle.NEUTRAL, ControlToggle.SNAPSHOT
        )

    def _check_control_toggle(self) -> int:
        assert self._counters is not None
        if not self._is_leader:
            return 0
        toggle = ControlToggle(self._counters.control_toggle.get())
        match toggle, self._state:
            case ControlToggle.SUSPEND, ConsensusModuleState.ACTIVE:
                return self._try_change(ClusterAction.SUSPEND, ConsensusModuleState.SUSPENDED)
            case ControlToggle.RESUME, ConsensusModuleState.SUSPENDED:
                if self._try_change(ClusterAction.RESUME, ConsensusModuleState.ACTIVE):
                    self._counters.control_toggle.set(ControlToggle.NEUTRAL)
                    return 1
            case ControlToggle.SNAPSHOT, ConsensusModuleState.ACTIVE:
                if self._try_change(ClusterAction.SNAPSHOT, ConsensusModuleState.SNAPSHOT):
                    self._begin(self._snapshot(self._log.position))
                    return 1
            case ControlToggle.SHUTDOWN, ConsensusModuleState.ACTIVE:
                if self._try_change(ClusterAction.SNAPSHOT, ConsensusModuleState.SNAPSHOT):
                    self._begin(self._shut_down(self._log.position))
                    return 1
            case ControlToggle.ABORT, ConsensusModuleState.ACTIVE:
                self._begin(self._terminate(self._log.position))
                return 1
            case ControlToggle.STANDBY_SNAPSHOT, ConsensusModuleState.ACTIVE:
                if self._append_action(ClusterAction.SNAPSHOT, flags=1) > 0:
                    self._counters.control_toggle.set(ControlToggle.NEUTRAL)
                    return 1
            case _:
                pass
        return 0

    def _append_action(self, action: ClusterAction, flags: int = 0) -> int:
        return self._log.append_cluster_action(self._context.cluster_time(), action, flags)

    def _try_change(self, action: ClusterAction, state: ConsensusModuleState) -> int:
        before = self._state
        position = self._append_action(action)
        if position <= 0:
            return 0
        self._uncommitted_states.append((position, before))
        self._set_state(state)
        self._tell_uncommitted_position()
        return 1

    # ---- snapshots ----

    def _snapshot(self, log_position: int) -> Waiting[None]:
        assert self._counters is not None
        assert self._sessions is not None
        assert self._archive is not None
        self._set_state(ConsensusModuleState.SNAPSHOT)
        try:
            yield from take_snapshot_round(
                self._context,
                self._aeron,
                self._archive,
                self._services,
                self._recording_log,
                self._counters,
                log_position,
                self._capture,
            )
        except (AgentTerminationError, InsufficientSpaceError):
            raise
        except Exception as error:  # noqa: BLE001 - a failed snapshot stops nothing else
            self._context.error_handler(error)
        now_ns = self._context.seams.clock.nano_time()
        self._sessions.after_snapshot(now_ns)
        if self._is_leader and self._election is None:
            self._counters.control_toggle.set(ControlToggle.NEUTRAL)
        self._set_state(ConsensusModuleState.ACTIVE)

    def _capture(self, log_position: int) -> ModuleState:
        """Say what the module knows at a position, which all services have reached."""
        assert self._sessions is not None
        return ModuleState(
            log_position=log_position,
            leadership_term_id=self._leadership_term_id,
            app_version=self._context.app_version,
            time_unit=self._context.time_unit,
            next_session_id=self._sessions.next_committed_session_id,
            sessions=self._sessions.records(),
            timers=self._timers.items(),
            trackers=[tracker.state() for tracker in self._trackers],
        )

    # ---- the end ----

    def _shut_down(self, log_position: int) -> Waiting[None]:
        yield from self._snapshot(log_position)
        yield from self._terminate(log_position)

    def _terminate(self, log_position: int) -> Waiting[None]:
        self._set_state(ConsensusModuleState.TERMINATING)
        yield from self._services.terminate_at(log_position)
        yield from self._services.await_acks(log_position)
        self._recording_log.commit_log_position(self._leadership_term_id, log_position)
        if self._recording is not None:
            yield from self._recording.stop()
        self._set_state(ConsensusModuleState.CLOSED)
        raise AgentTerminationError(f"the module was asked to end, at position {log_position}")

    def _check_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _end_later(self, error: Exception) -> None:
        self._failure = AgentTerminationError(str(error))
        self._failure.__cause__ = error
        self.agent.set_next(0, is_busy=True)

    def _end_unexpectedly(self, error: Exception) -> None:
        """Tell the services, and stop driving this module.

        Raises
        ------
        AgentTerminationError
            Always.
        """
        self._context.error_handler(error)
        self._services.try_terminate_now()
        self._set_state(ConsensusModuleState.CLOSED)
        raise AgentTerminationError(str(error)) from error

    def close(self) -> None:
        """Leave the cluster: the log's end is the first thing that others see."""
        for task in self._tasks:
            task.close()
        self._tasks.clear()
        if self._election is not None:
            self._election.close()
        self._set_state(ConsensusModuleState.CLOSED)
        self._log.disconnect()
        self._close_ingress()
        if self._sessions is not None:
            self._sessions.close()
        self._services.close()
        if self._archive is not None:
            self._archive.close()

    # ---- small things ----

    @property
    def state(self) -> ConsensusModuleState:
        """What the module does."""
        return self._state

    def count_error(self) -> None:
        """Count an error that was reported."""
        if self._counters is not None and not self._counters.errors.is_closed:
            self._counters.errors.increment()

    def _set_state(self, state: ConsensusModuleState) -> None:
        self._state = state
        self.agent.set_state(state)
        self._tell_sessions()
        if self._counters is not None and not self._counters.module_state.is_closed:
            self._counters.module_state.set(state)

    def _tell_sessions(self) -> None:
        if self._sessions is not None:
            is_active = self._state is ConsensusModuleState.ACTIVE and self._election is None
            self._sessions.set_active(is_active)

    def _append_timer(self, correlation_id: int) -> int:
        return self._log.append_timer(correlation_id, self._context.cluster_time())

    def _tell_uncommitted_position(self) -> None:
        position = _LIVE_LOG_END
        if self._uncommitted_states:
            position = self._uncommitted_states[0][0]
        position = min(position, self._timers.first_uncommitted_position)
        if self._sessions is not None:
            position = min(position, self._sessions.first_uncommitted_position)
        self.agent.set_uncommitted_position(position)


class _ReplayReader:
    """Reads the log for a replay, and stops while the module takes a snapshot it met there."""

    def __init__(self, conductor: ModuleConductor, adapter: LogAdapter) -> None:
        self._conductor = conductor
        self._adapter = adapter

    @property
    def position(self) -> int:
        return self._adapter.position

    @property
    def is_ready(self) -> bool:
        return self._conductor.can_read_log()

    def set_image(self, image: Image | None) -> None:
        self._adapter.set_image(image)

    def poll(self, limit_position: int, fragment_limit: int) -> int:
        return self._adapter.poll(limit_position, fragment_limit)
