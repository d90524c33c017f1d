"""The Python half of the consensus module: what happens rarely, and in which order.

Stands for ConsensusModuleAgent. Its hot half (`ModuleAgent`, `CommitAgent`) takes ingress into the
log and the log to the commit position by itself, and calls in here when a deadline has come, a
message is not a session's, a toggle moved, or something is under way that goes on with every pass:
the start, an election, a snapshot, the end. Each of those is a `Task`, so nothing here ever waits.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from aeron_cluster.archive.error_codes import ArchiveErrorCode, is_out_of_space
from aeron_cluster.archive.waiting import connect_archive
from aeron_cluster.cluster.backup_sessions import BackupSessions
from aeron_cluster.cluster.catchup_replays import CatchupReplays
from aeron_cluster.cluster.consensus_link import ConsensusLink
from aeron_cluster.cluster.consensus_messages import ConsensusMessages
from aeron_cluster.cluster.control_requests import ControlRequests
from aeron_cluster.cluster.election import Election
from aeron_cluster.cluster.election_host import ElectionTimes
from aeron_cluster.cluster.extension import ConsensusModuleControl
from aeron_cluster.cluster.extension_work import ExtensionWork, is_foreign
from aeron_cluster.cluster.follower_log import FollowerLog
from aeron_cluster.cluster.held_snapshots import HeldSnapshots
from aeron_cluster.cluster.leadership import Leadership
from aeron_cluster.cluster.log_adapter import LogAdapter
from aeron_cluster.cluster.log_events import LogEvents
from aeron_cluster.cluster.log_publisher import LogPublisher
from aeron_cluster.cluster.log_purge import LogPurge
from aeron_cluster.cluster.log_recording import LogRecording
from aeron_cluster.cluster.member_list import MemberListCheck
from aeron_cluster.cluster.members import NULL_VALUE
from aeron_cluster.cluster.members_response import members_response
from aeron_cluster.cluster.module_agent import CommitAgent, ModuleAgent
from aeron_cluster.cluster.module_counters import ModuleCounters
from aeron_cluster.cluster.module_parts import ModuleParts
from aeron_cluster.cluster.module_status import ConsensusModuleState, ModuleStatus
from aeron_cluster.cluster.module_timers import ModuleTimers
from aeron_cluster.cluster.node_requests import NodeRequests
from aeron_cluster.cluster.pending_service_messages import PendingServiceMessages
from aeron_cluster.cluster.purged_log import purged_log_error
from aeron_cluster.cluster.recovery import Recovered, recover
from aeron_cluster.cluster.role import Role
from aeron_cluster.cluster.service_link import ServiceLink
from aeron_cluster.cluster.session_manager import SessionManager
from aeron_cluster.cluster.session_table import SessionTable
from aeron_cluster.cluster.snapshot_schedule import SnapshotSchedule
from aeron_cluster.cluster.standby_replication import StandbyReplication
from aeron_cluster.cluster.termination import Termination
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.errors import (
    AgentTerminationError,
    ArchiveError,
    ClusterError,
    ConductorServiceTimeoutError,
    LogMismatchError,
    MessageError,
    ServiceError,
    StalledError,
    UnknownMessageError,
)
from aeron_cluster.memory.user_callback import as_exception
from aeron_cluster.memory.waiting import Task, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.archive.archive_client import AeronArchive
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.image import Image
    from aeron_cluster.cluster.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.node_state import NodeState
    from aeron_cluster.cluster.recording_log import RecordingLog
    from aeron_cluster.codecs.archive import RecordingSignalEvent
    from aeron_cluster.codecs.message import Message

__all__ = ["ModuleConductor"]

_Schedule: TypeAlias = SnapshotSchedule | LogPurge | MemberListCheck

# Of the only member: no other can mend what it lacks.
_MAX_ELECTION_FAILURES: Final = 5
_ENDING: Final = (
    ConsensusModuleState.TERMINATING,
    ConsensusModuleState.QUITTING,
    ConsensusModuleState.CLOSED,
)


class ModuleConductor:
    """Everything of one member that is not the way of a message.

    Parameters
    ----------
    context : ConsensusModuleContext
    aeron : Aeron
        The module's own client, driven on the same thread.
    recording_log : RecordingLog
    node_state : NodeState
    on_ready : callable
        Called once the module has recovered and its first election begins.

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
        on_ready: Callable[[], object],
    ) -> None:
        self._context = context
        self._aeron = aeron
        self._recording_log = recording_log
        self._node_state = node_state
        self._on_ready = on_ready
        self._table = SessionTable()
        self._log = LogPublisher()
        self._trackers = tuple(map(PendingServiceMessages, range(context.options.service_count)))
        self.agent = ModuleAgent(self, context, self._table, self._log, self._trackers)
        self.commit_agent = CommitAgent(self.agent)
        self._extension = context.extension
        self._extension_work: ExtensionWork | None = None
        if self._extension is not None:
            self.agent.take_foreign()
        self._members = tuple(member.fresh() for member in context.members)
        self._own_index = context.members.index(context.member)
        self._addresses = context.make_member_addresses(self._log_place)
        self.agent.set_members(
            len(self._members), self._own_index, [member.member_id for member in self._members]
        )
        self._link = ConsensusLink(
            context, aeron, self.agent, self._members, self._addresses.accepts_image
        )
        self._has_unjudged_images = not self._addresses.is_resolved
        self._services = ServiceLink(context, aeron)
        self._service_clients: dict[int, int] = {}
        self._counters: ModuleCounters | None = None
        self._archive: AeronArchive | None = None
        self._standby: StandbyReplication | None = None
        # These are there once the start is through.
        self._parts: ModuleParts | None = None
        self._requests: ControlRequests | None = None
        self._node_requests: NodeRequests | None = None
        self._events: LogEvents | None = None
        self._leadership: Leadership | None = None
        self._follower_log: FollowerLog | None = None
        self._messages: ConsensusMessages | None = None
        self._termination: Termination | None = None
        self._backups: BackupSessions | None = None
        self._schedules: tuple[_Schedule, ...] = ()
        self._election: Election | None = None
        self._failure: AgentTerminationError | None = None
        self._stall: StalledError | None = None
        self._tasks: list[Task[None]] = [Task(self._start())]
        self.agent.set_next(0, is_busy=True)

    # ---- what the hot half calls ----

    def do_work(self, now_ns: int) -> int:
        """Do what is due; return the work count."""
        try:
            work_count = self._do_work(now_ns)
        except AgentTerminationError:
            # Nothing is due any more, and what would be asked for it may be closed.
            self._enter_closed()
            self._call_hook()
            raise
        except Exception:
            self._schedule(now_ns)
            raise
        self._schedule(now_ns)
        return work_count

    def _do_work(self, now_ns: int) -> int:
        self._check_failure()
        work_count = self._attempt(self._poll_archive, now_ns)
        if self._archive is not None and work_count == 0 and not self._archive.is_connected:
            # Nothing is recorded any more: a leader that stays would commit nothing for ever.
            self._end_unexpectedly(ClusterError("the local archive is not connected"))
        work_count += self._attempt(self._link.do_work, now_ns)
        work_count += self._attempt(self._look_at_addresses, now_ns)
        election, parts = self._election, self._parts
        if election is not None:
            work_count += self._attempt(lambda: election.do_work(now_ns), now_ns)
            self._drop_closed_election()
        elif parts is not None and self._requests is not None:
            work_count += self._attempt(self._requests.check, now_ns)
            if self._node_requests is not None:
                work_count += self._attempt(self._node_requests.check, now_ns)
            work_count += self._attempt(lambda: parts.sessions.do_work(now_ns), now_ns)
            for each in (self._backups, *self._schedules):
                if each is not None:
                    work_count += self._attempt(partial(each.do_work, now_ns), now_ns)
        if self._extension_work is not None:
            is_settled = self._election is None
            work = partial(self._extension_work.do_work, now_ns, is_settled=is_settled)
            work_count += self._attempt(work, now_ns)
        for task in tuple(self._tasks):
            work_count += self._attempt(task.do_work, now_ns)
            if task.is_done and task in self._tasks:
                self._tasks.remove(task)
        return work_count

    def _look_at_addresses(self) -> int:
        work_count = self._addresses.do_work()
        if self._has_unjudged_images and self._addresses.is_resolved:
            self._has_unjudged_images = False
            self._link.drop_refused_images()
        return work_count

    def _poll_archive(self) -> int:
        return 0 if self._archive is None else self._archive.poll()

    def _attempt(self, work: Callable[[], int], now_ns: int) -> int:
        """Do a part of the work; where it fails, the other parts are done in the same pass.

        A failure in an election has it begin again, one in the start ends the module.
        """
        try:
            return work()
        except AgentTerminationError:
            raise
        except Exception as error:  # noqa: BLE001 - of one part
            if self._parts is None or is_out_of_space(error):
                self._end_unexpectedly(error)
            elif self._election is None:
                self.on_client_error(error)
            else:
                self._begin_election_again(self._parts, self._election, error, now_ns)
        return 0

    def on_ingress(self, message: bytes, image: Image, now_ns: int) -> bool:
        """Take a message of a client that is none of a session; False to be given it again."""
        if self._parts is None:
            return True
        if self._extension is not None and is_foreign(message):
            return self._extension.on_ingress_message(message, image)
        is_taken = self._parts.sessions.on_ingress(message, image, now_ns)
        self._schedule(now_ns)
        return is_taken

    def members_of(self, image: Image) -> int:
        """Return who may speak by an image of the consensus stream, as bits by place; 0: nobody."""
        source = image.source_identity
        if self._addresses.is_member(source):
            ids = self._addresses.members_at(source)
            return sum(
                1 << index for index, member in enumerate(self._members) if member.member_id in ids
            )
        # Its names may be resolved again, and it named, when nothing else is due.
        self._schedule(self._context.seams.clock.nano_time())
        return 0

    def on_foreign_id(self, image: Image, member_id: int) -> None:
        """Name a member that says it is another, or one that is not in the list."""
        self._addresses.refuse_id(image.source_identity, member_id)

    def on_consensus_message(self, message: bytes, image: Image, now_ns: int) -> None:
        """Take what another member says, or a backup, other than what the hot half takes."""
        if self._messages is None or self._parts is None:
            return
        try:
            self._messages.on_message(message, image, now_ns)
        except (AgentTerminationError, MessageError):
            raise
        except Exception as error:
            if self._election is None:
                raise
            self._begin_election_again(self._parts, self._election, error, now_ns)
        finally:
            self._schedule(now_ns)

    def on_leader_silent(self, now_ns: int) -> None:
        """Look for a leader, having heard nothing of the last one for too long."""
        self._enter_election("the leader is silent", now_ns)

    def on_quorum_lost(self, now_ns: int) -> None:
        """Lead no more, having heard nothing of a majority for too long."""
        self._enter_election("the followers are silent", now_ns)

    def on_log_ended(self, now_ns: int) -> None:
        """Look for a leader, the log of the last one having ended."""
        assert self._follower_log is not None
        self._enter_election(
            "the leader's log ended", now_ns, is_closed_well=self._follower_log.is_end_of_stream
        )

    def on_log_lost(self, now_ns: int) -> None:
        """Get what is missing of the log from the leader's archive: its driver sends it no more.

        The image would only end after its liveness time-out, 10 s, until when this member counts
        for no majority; upstream's members wait for that. One with a bad frame is read no further.
        """
        assert self._follower_log is not None
        reason = "too far behind the leader's log to receive it"
        if self._follower_log.is_given_up:
            reason = "a bad frame in what was received as the leader's log"
        self._enter_election(reason, now_ns)

    def on_termination_position(self, now_ns: int) -> None:
        """End where the leader asked all to end."""
        assert self._termination is not None
        self._begin(self._termination.end_as_follower())
        self._schedule(now_ns)

    def on_service_message(self, message: bytes, now_ns: int) -> None:
        """Take what a service or a tool says to the module, other than messages for the log."""
        try:
            decoded = codecs.decode(message)
        except UnknownMessageError as error:
            self._context.error_handler(error)
            return
        if isinstance(decoded, codecs.ServiceAck):
            self._services.on_ack(decoded)
        elif self._parts is not None:
            self._on_request_of_service(self._parts, decoded, now_ns)

    def _on_request_of_service(self, parts: ModuleParts, message: Message, now_ns: int) -> None:
        match message:
            case codecs.ScheduleTimer():
                parts.timers.schedule(message.correlation_id, message.deadline)
                parts.agent.set_timer_deadline(parts.timers.next_deadline)
            case codecs.CancelTimer():
                parts.timers.cancel(message.correlation_id)
            case codecs.CloseSession():
                parts.sessions.on_service_close(message.cluster_session_id, now_ns)
                self._schedule(now_ns)
            case codecs.ClusterMembersQuery():
                self._services.try_answer(
                    members_response(
                        message,
                        self._context,
                        leader_member_id=parts.status.leader_member_id,
                        progress=self._progress(parts, now_ns),
                        now_ns=now_ns,
                    )
                )
            case _:
                pass

    def _log_place(self) -> tuple[int, int]:
        """Return the term and how far the log is committed; -1 each before there is one."""
        parts = self._parts
        if parts is None:
            return NULL_VALUE, NULL_VALUE
        counter = parts.counters.commit_position
        if not counter.is_closed:
            return parts.status.leadership_term_id, counter.get()
        # The driver gave this client up: its counters stand for a while, until others take them.
        reader = self._aeron.counters_reader
        is_there = reader.registration_id(counter.counter_id) == counter.registration_id
        position = reader.value(counter.counter_id) if is_there else NULL_VALUE
        return parts.status.leadership_term_id, position

    def _progress(self, parts: ModuleParts, now_ns: int) -> list[tuple[int, int, int]]:
        """Say how far each member is: log position, when that was heard, and the term."""
        progress = [self.agent.member(index) for index in range(len(self._members))]
        position = parts.counters.commit_position.get()
        progress[self._own_index] = (position, now_ns, parts.status.leadership_term_id)
        return progress

    def on_timers_due(self, now_ns: int) -> int:
        """Append the events of timers that are due."""
        if self._parts is None:
            return 0
        timers = self._parts.timers
        expired = timers.poll(self._context.cluster_time())
        self.agent.set_timer_deadline(timers.next_deadline)
        if expired:
            self._schedule(now_ns)
        return expired

    def on_committed(self, position: int) -> None:
        """Forget how to undo what is committed now."""
        if self._parts is not None:
            self._parts.on_committed(position)

    def on_unavailable_counter(self, registration_id: int) -> None:
        """End the module when a service's client is gone."""
        if registration_id in self._service_clients and self.state not in _ENDING:
            term_id, position = self._log_place()
            limit_s = self._aeron.conductor_agent.gap_limit_ns / 1e9
            self._end_later(
                ServiceError(
                    f"service {self._service_clients[registration_id]}: its client"
                    f" {registration_id} is gone: its container ended, or a callback of it took"
                    f" longer than its driver waits for clients ({limit_s:.1f} s)",
                    member_id=self._context.options.member_id,
                    leadership_term_id=term_id,
                    log_position=position,
                    remedy="its error log says why; start the member again",
                )
            )

    def _schedule(self, now_ns: int) -> None:
        """Say when to be called again: with each pass while anything is under way."""
        parts = self._parts
        is_ending = self._failure is not None or self._aeron.is_closed
        if parts is None or self._tasks or is_ending:
            self.agent.set_next(now_ns, is_busy=True)
            return
        if self._election is not None:
            next_ns = self._election.next_work_ns
            is_busy = next_ns <= now_ns or self._link.is_connecting
            self.agent.set_next(next_ns, is_busy=is_busy or self._extension is not None)
            return
        # The pass sees that the node's toggle moves, once; what is asked for then may have to wait.
        is_busy = self._node_requests is not None and self._node_requests.is_waiting
        is_busy |= self._extension is not None  # which works in each pass
        next_ns = min(parts.sessions.next_deadline_ns(), self._addresses.next_deadline_ns())
        if self._backups is not None:
            is_busy |= self._backups.is_busy
            next_ns = min(next_ns, self._backups.next_deadline_ns())
        for schedule in self._schedules:
            next_ns = min(next_ns, schedule.next_deadline_ns())
        self.agent.set_next(
            next_ns, is_busy=is_busy or parts.sessions.is_busy or self._link.is_connecting
        )
        parts.tell_uncommitted_position()

    def _begin(self, steps: Waiting[None]) -> None:
        self._tasks.append(Task(steps))
        self.agent.set_next(0, is_busy=True)

    # ---- the start ----

    def _start(self) -> Waiting[None]:
        context, aeron = self._context, self._aeron
        self._counters = counters = yield from ModuleCounters.add(context, aeron)
        self._addresses.count_by(counters.refused_sources.increment)
        self.agent.set_counters(
            counters.commit_position,
            counters.control_toggle,
            counters.node_toggle,
            counters.max_cycle_time,
            counters.cycle_exceeded,
            context.options.cycle_threshold_ns,
        )
        yield from self._services.open()
        self.agent.set_control(self._services.subscription)
        self._archive = archive = yield from connect_archive(
            context.archive_client_context(self._on_recording_signal), aeron
        )
        self.agent.set_archive(archive.responses)
        self._standby = StandbyReplication(context, archive, self._recording_log)
        yield from self._standby.run(counters.snapshot_count.increment)
        recording = LogRecording(
            context, aeron, archive, self._recording_log.find_last_term_recording_id()
        )
        recovered = yield from recover(
            context, aeron, archive, self._recording_log, recording, self._services
        )
        self._service_clients = recovered.service_client_ids
        yield from self._link.open()
        self._parts = self._make_parts(counters, archive, recording)
        self._take_up(self._parts, recovered)
        self._on_ready()

    def _make_parts(
        self, counters: ModuleCounters, archive: AeronArchive, recording: LogRecording
    ) -> ModuleParts:
        context = self._context
        sessions = SessionManager(
            context,
            self._aeron,
            self._table,
            self._log,
            counters,
            context.members,
            on_admin_snapshot=self._try_toggle_snapshot,
            forward=self._forward_to_leader,
            extension=self._extension,
        )
        log_adapter = LogAdapter(
            self._on_log_event, self._table, self._trackers, context.seams.clock
        )
        if self._extension is not None:
            log_adapter.take_foreign()
        return ModuleParts(
            context=context,
            aeron=self._aeron,
            archive=archive,
            agent=self.agent,
            counters=counters,
            log=self._log,
            log_adapter=log_adapter,
            node_state=self._node_state,
            recording=recording,
            recording_log=self._recording_log,
            services=self._services,
            sessions=sessions,
            status=ModuleStatus(counters, self.agent, sessions),
            timers=ModuleTimers(context.make_timers(), self._append_timer),
            trackers=self._trackers,
        )

    def _take_up(self, parts: ModuleParts, recovered: Recovered) -> None:
        """Know again what was known, and begin the first election."""
        snapshot = recovered.snapshot
        if snapshot is not None:
            parts.sessions.load(snapshot.sessions, snapshot.next_session_id)
            for state in snapshot.trackers[: len(parts.trackers)]:
                parts.trackers[state.service_id].load(state)
            parts.timers.load(snapshot.timers, self._context.cluster_time())
        parts.counters.commit_position.set(recovered.log_position)
        if snapshot is not None:
            # Not the log's last term: the replay tells of that, and asks for this one's snapshots.
            parts.status.set_term(snapshot.leadership_term_id)
        self._termination = Termination(parts, self._members, self._link)
        self._requests = ControlRequests(parts, self._termination, self._begin)
        assert self._standby is not None
        self._node_requests = NodeRequests(parts, self._standby, self._begin)
        self._events = LogEvents(
            parts, self._begin_snapshot, self._on_replay_term, self._end_unexpectedly
        )
        self._follower_log = follower_log = FollowerLog(parts, self._link)
        catchups = CatchupReplays(parts, self._link, self._begin, self._set_catching_up)
        self._leadership = Leadership(
            parts,
            self._members,
            self._link,
            follower_log,
            catchups,
            self._begin,
            recovered.log_leadership_term_id,
            recovered.term_base_log_position,
        )
        self._backups = BackupSessions(parts, self._members)
        member_list = MemberListCheck(parts, self._link)
        self._schedules = (member_list, *self._make_schedules(parts))
        self._messages = ConsensusMessages(
            parts,
            self._members,
            self._leadership,
            follower_log,
            catchups,
            self._termination,
            self._backups,
            lambda: self._election,
            self._begin_election_now,
            self._end_unexpectedly,
            member_list,
        )
        if self._extension is not None:
            control = ConsensusModuleControl(
                context=self._context, aeron=self._aeron, counters=parts.counters
            )
            self._extension.on_start(control, recovered.extension_snapshot)
            self._extension_work = ExtensionWork(self._extension)
        parts.status.enter(ConsensusModuleState.ACTIVE)
        self._begin_election(
            is_node_startup=True,
            log_leadership_term_id=recovered.log_leadership_term_id,
            log_position=recovered.log_position,
            append_position=recovered.append_position,
        )

    def _make_schedules(self, parts: ModuleParts) -> tuple[_Schedule, ...]:
        """Make what takes and removes snapshots by itself, where that is configured."""
        options, counters = parts.context.options, parts.counters
        made: list[_Schedule] = []
        if counters.next_snapshot is not None:
            made.append(
                SnapshotSchedule(
                    parts,
                    options.snapshot_interval_ns,
                    counters.next_snapshot,
                    self._try_toggle_snapshot,
                )
            )
        if counters.log_start is not None:
            held = HeldSnapshots(parts, self._link, parts.context.purge_backups)
            made.append(LogPurge(parts, options.snapshots_kept, held, counters.log_start))
        return tuple(made)

    # ---- elections ----

    def _begin_election(
        self,
        *,
        is_node_startup: bool,
        log_leadership_term_id: int,
        log_position: int,
        append_position: int,
    ) -> None:
        assert self._parts is not None
        assert self._leadership is not None
        self._parts.counters.election_count.increment()
        self._parts.status.set_election(is_running=True)
        options = self._context.options
        self._election = Election(
            self._leadership,
            ElectionTimes(
                startup_canvass_ns=options.startup_canvass_timeout_ns,
                ballot_ns=options.election_timeout_ns,
                status_interval_ns=options.election_status_interval_ns,
                heartbeat_timeout_ns=options.leader_heartbeat_timeout_ns,
                heartbeat_interval_ns=options.leader_heartbeat_interval_ns,
            ),
            self._members,
            options.member_id,
            is_node_startup=is_node_startup,
            log_leadership_term_id=log_leadership_term_id,
            log_position=log_position,
            append_position=append_position,
            appointed_leader_id=options.appointed_leader_id,
        )

    def _begin_election_now(self, reason: str) -> None:
        self._enter_election(reason, self._context.seams.clock.nano_time())

    def _enter_election(self, reason: str, now_ns: int, *, is_closed_well: bool = False) -> None:
        """Begin an election because of something that happened."""
        parts = self._parts
        assert parts is not None
        if self._election is not None:
            return
        self._context.error_handler(ClusterError(f"new election: {reason}"))
        for index, member in enumerate(self._members):
            progress = self.agent.member(index)
            member.log_position, member.time_of_last_append_ns, member.leadership_term_id = progress
            member.is_graceful_closed_leader = (
                is_closed_well and member.member_id == parts.status.leader_member_id
            )
        parts.status.set_role(Role.FOLLOWER)
        parts.status.set_leader(NULL_VALUE)
        position = self._freeze_commit_position(parts)
        self._begin_election(
            is_node_startup=False,
            log_leadership_term_id=parts.status.leadership_term_id,
            log_position=position,
            append_position=position,
        )
        self._schedule(now_ns)

    def _set_catching_up(self, member_id: int, is_running: bool) -> None:
        for index, member in enumerate(self._members):
            if member.member_id == member_id:
                self.agent.set_catching_up(index, is_running)

    def _on_replay_term(self, event: codecs.NewLeadershipTermEvent) -> None:
        if self._election is not None:
            self._election.on_replay_term(event)

    def _begin_election_again(
        self, parts: ModuleParts, election: Election, error: Exception, now_ns: int
    ) -> None:
        """Have a failed election begin again, or end the module where it never succeeds."""
        is_alone = len(self._members) == 1
        if isinstance(error, LogMismatchError):
            self._end_unexpectedly(error)
        purged = purged_log_error(
            error,
            member_id=self._context.options.member_id,
            leadership_term_id=election.log_leadership_term_id,
            log_position=election.log_position,
        )
        if purged is not None:
            if isinstance(error, ArchiveError) and error.code == ArchiveErrorCode.INVALID_POSITION:
                # Its own log, copied from what was left: no other leader mends that.
                self._end_unexpectedly(purged)
            error = purged
        if self._archive is not None and not self._archive.is_connected:
            self._end_unexpectedly(error)
        if is_alone and election.failure_count + 1 == _MAX_ELECTION_FAILURES:
            self._end_unexpectedly(
                ClusterError(
                    f"an election failed {_MAX_ELECTION_FAILURES} times in a row, at last with:"
                    f" {error}"
                )
            )
        options = self._context.options
        pause_ns = options.election_timeout_ns
        if not is_alone:
            # The first is tried again at once: the others wait for this member.
            pause_ns = min(pause_ns, election.failure_count * options.election_status_interval_ns)
        try:
            self._context.error_handler(error)
        finally:
            # Whatever a user's handler raises: the steps are over, and nothing else goes on.
            election.restart(self._freeze_commit_position(parts), now_ns + pause_ns)

    def _freeze_commit_position(self, parts: ModuleParts) -> int:
        """Return the commit position, behind which nothing is committed until a log is joined.

        Services may read up to it at any time: the election must begin where they end.
        """
        self.agent.set_recorded_position(None)
        return parts.counters.commit_position.get()

    def _drop_closed_election(self) -> None:
        if self._election is not None and self._election.is_closed and self._parts is not None:
            self._election = None
            self._parts.status.set_election(is_running=False)

    def _on_recording_signal(self, signal: RecordingSignalEvent) -> None:
        parts = self._parts
        if self._standby is not None and self._standby.on_signal(signal):
            return
        if self._leadership is not None and self._leadership.on_signal(signal):
            return
        if parts is None or not parts.recording.on_signal(signal) or self._election is not None:
            return
        if parts.status.state not in _ENDING:
            # Not told again: a leader that takes a snapshot would wait for ever for the commit of
            # what it asked its services for, and its followers hear it.
            self._enter_election(
                f"the log's recording {signal.recording_id} stopped",
                self._context.seams.clock.nano_time(),
                is_closed_well=self._follower_log is not None
                and self._follower_log.is_end_of_stream,
            )

    # ---- what the parts ask for ----

    def _append_timer(self, correlation_id: int, timestamp: int) -> int:
        return self._log.append_timer(correlation_id, timestamp)

    def _forward_to_leader(self, message: bytes) -> None:
        if self._parts is not None:
            self._link.send(self._parts.status.leader_member_id, message)

    def _try_toggle_snapshot(self) -> bool:
        return self._requests is not None and self._requests.try_toggle_snapshot()

    def _on_log_event(self, message: bytes, log_position: int) -> None:
        assert self._events is not None
        if self._extension is not None and is_foreign(message):
            self._extension.on_log_message(message, log_position)
        else:
            self._events.on_event(message, log_position)

    def _begin_snapshot(self, log_position: int) -> None:
        assert self._requests is not None
        self._begin(self._requests.take_snapshot(log_position))

    # ---- the end ----

    @property
    def state(self) -> ConsensusModuleState:
        """What the module does."""
        return ConsensusModuleState.INIT if self._parts is None else self._parts.status.state

    @property
    def role(self) -> Role:
        """What this member is to the others."""
        return Role.FOLLOWER if self._parts is None else self._parts.status.role

    @property
    def is_leading(self) -> bool:
        """Whether this member leads, and no election runs."""
        return self.role is Role.LEADER and self._election is None

    @property
    def counters(self) -> ModuleCounters | None:
        """The module's counters, from when the driver has made them until its client is closed."""
        counters = self._counters
        return None if counters is None or counters.commit_position.is_closed else counters

    @property
    def timers(self) -> dict[int, int] | None:
        """The deadline of each timer that is set, by its id; None until it has its state."""
        return None if self._parts is None else dict(self._parts.timers.items())

    def count_error(self) -> None:
        """Count an error that was reported."""
        if self._counters is not None and not self._counters.errors.is_closed:
            self._counters.errors.increment()

    def _check_failure(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._aeron.is_closed:
            failure = self._aeron.failure
            if isinstance(failure, ConductorServiceTimeoutError):
                self.on_client_error(failure)  # which a client of the user's own does not
                failure = self._stall
            self._failure = AgentTerminationError(f"consensus module: {failure}")
            raise self._failure from failure

    def on_client_error(self, error: Exception) -> None:
        """Report what the client found; of a stall that closed it, say where."""
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

    def _call_hook(self) -> None:
        """Tell the user; whatever that raises, the module ends for its own reason."""
        if self._context.termination_hook is None:
            return
        try:
            self._context.termination_hook()
        except AgentTerminationError:
            raise
        except BaseException as error:  # noqa: BLE001 - the user's
            self._context.error_handler(as_exception("termination_hook", error))

    def _end_later(self, error: Exception) -> None:
        self._context.error_handler(error)
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
        raise AgentTerminationError(str(error)) from error

    def _enter_closed(self) -> None:
        if self._parts is not None:
            self._parts.status.enter(ConsensusModuleState.CLOSED)
        elif self._counters is not None and not self._counters.module_state.is_closed:
            self._counters.module_state.set(ConsensusModuleState.CLOSED)

    def close(self) -> None:
        """Leave the cluster. Calling it again does nothing."""
        for task in self._tasks:
            task.close()
        self._tasks.clear()
        if self._election is not None:
            self._election.close()
        self._enter_closed()
        if self._leadership is not None:
            self._leadership.close()
        self._addresses.close()
        if self._backups is not None:
            self._backups.close()
        for schedule in self._schedules:
            schedule.close()
        if self._parts is not None:
            self._parts.sessions.close()
        if self._extension_work is not None and self._extension is not None:
            self._extension_work = None
            self._extension.close()
        self._services.close()
        if self._archive is not None:
            self._archive.close()
