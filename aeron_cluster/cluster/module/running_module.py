"""A started consensus module: its parts, its elections, and its rare work in a duty cycle.

Upstream: the rare work of ConsensusModuleAgent after its start.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.cluster.agent.member_list import MemberListCheck
from aeron_cluster.cluster.agent.members_response import members_response
from aeron_cluster.cluster.agent.module_status import ConsensusModuleState, ModuleStatus
from aeron_cluster.cluster.agent.module_timers import ModuleTimers
from aeron_cluster.cluster.agent.uncommitted_changes import UncommittedChanges
from aeron_cluster.cluster.context.extension import ConsensusModuleControl, notify_extension
from aeron_cluster.cluster.election.catchup_replays import CatchupReplays
from aeron_cluster.cluster.election.election import Election
from aeron_cluster.cluster.election.follower_log import FollowerLog
from aeron_cluster.cluster.election.host import ElectionTimes
from aeron_cluster.cluster.election.leadership import Leadership
from aeron_cluster.cluster.log.log_adapter import LogAdapter
from aeron_cluster.cluster.log.purged_log import purged_log_error
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.cluster.members.time_unit import time_unit_name
from aeron_cluster.cluster.module.backup_sessions import BackupSessions
from aeron_cluster.cluster.module.consensus_messages import ConsensusMessages
from aeron_cluster.cluster.module.control_requests import ControlRequests
from aeron_cluster.cluster.module.extension_work import (
    ExtensionWork,
    is_foreign,
    schema_id_of,
)
from aeron_cluster.cluster.module.log_events import LogEvents
from aeron_cluster.cluster.module.node_requests import NodeRequests
from aeron_cluster.cluster.module.termination import Termination
from aeron_cluster.cluster.sessions.session_manager import SessionManager
from aeron_cluster.cluster.snapshots.log_purge import LogPurge
from aeron_cluster.cluster.snapshots.peer_snapshots import PeerSnapshots
from aeron_cluster.cluster.snapshots.snapshot_schedule import SnapshotSchedule
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.errors import (
    AgentTerminationError,
    ArchiveError,
    ClusterError,
    ElectionRestartError,
    LogMismatchError,
    MessageError,
)
from aeron_cluster.events.codes import ClusterEvent
from aeron_cluster.memory.agents.user_callback import as_exception

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.image import Image
    from aeron_cluster.cluster.agent.consensus_link import ConsensusLink
    from aeron_cluster.cluster.agent.module_agent import ModuleAgent
    from aeron_cluster.cluster.context.extension import ClusterClientSession
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.log.log_publisher import LogPublisher
    from aeron_cluster.cluster.log.pending_service_messages import PendingServiceMessages
    from aeron_cluster.cluster.log.service_link import ServiceLink
    from aeron_cluster.cluster.members.member_addresses import MemberAddresses
    from aeron_cluster.cluster.members.members import Member
    from aeron_cluster.cluster.module.module_start import Started
    from aeron_cluster.cluster.module.recovery import Recovered
    from aeron_cluster.cluster.state.module_snapshot import ModuleState, SessionRecord
    from aeron_cluster.cluster.state.node_state import NodeState
    from aeron_cluster.cluster.state.recording_log import RecordingLog
    from aeron_cluster.cluster.state.session_table import SessionTable
    from aeron_cluster.codecs.archive import RecordingSignalEvent
    from aeron_cluster.codecs.message import Message
    from aeron_cluster.memory.agents.waiting import Waiting

__all__ = ["RunningModule"]

_Schedule: TypeAlias = SnapshotSchedule | LogPurge | MemberListCheck

# For a single member: no other member can supply missing data.
_MAX_ELECTION_FAILURES: Final = 5
_ENDING: Final = (
    ConsensusModuleState.TERMINATING,
    ConsensusModuleState.QUITTING,
    ConsensusModuleState.CLOSED,
)


class RunningModule:
    """A recovered member, apart from the path of messages.

    `begin` begins its first election.

    Parameters
    ----------
    context : ConsensusModuleContext
    aeron : Aeron
        The module's own client, driven on the same thread.
    agent : ModuleAgent
    table : SessionTable
    log : LogPublisher
    trackers : tuple of PendingServiceMessages
        By service id.
    members : sequence of Member
        The members, with their known progress.
    addresses : MemberAddresses
    link : ConsensusLink
    services : ServiceLink
    recording_log : RecordingLog
    node_state : NodeState
    started : Started
    begin : callable
        ``begin(steps)`` drives steps in every duty cycle.
    schedule : callable
        ``schedule(now_ns)`` sets the time of the native half's next call.
    end_unexpectedly : callable
        ``end_unexpectedly(error)`` ends the module: it raises.
    on_client_error : callable
        ``on_client_error(error)`` reports a failure outside elections.
    on_termination : callable
        ``on_termination(error)`` closes the module after an event of the log that ended it.

    Attributes
    ----------
    status : ModuleStatus
    timers : ModuleTimers
    """

    def __init__(
        self,
        *,
        context: ConsensusModuleContext,
        aeron: Aeron,
        agent: ModuleAgent,
        table: SessionTable,
        log: LogPublisher,
        trackers: tuple[PendingServiceMessages, ...],
        members: Sequence[Member],
        addresses: MemberAddresses,
        link: ConsensusLink,
        services: ServiceLink,
        recording_log: RecordingLog,
        node_state: NodeState,
        started: Started,
        begin: Callable[[Waiting[None]], None],
        schedule: Callable[[int], None],
        end_unexpectedly: Callable[[Exception], NoReturn],
        on_client_error: Callable[[Exception], None],
        on_termination: Callable[[AgentTerminationError], None],
    ) -> None:
        counters, archive, recording = started.counters, started.archive, started.recording
        recovered, extension = started.recovered, context.extension
        self._context = context
        self._aeron = aeron
        self._agent = agent
        self._members = members
        self._own_index = context.members.index(context.member)
        self._addresses = addresses
        self._link = link
        self._services = services
        self._trackers = trackers
        self._archive = archive
        self._counters = counters
        self._recording = recording
        self._extension = extension
        self._begin = begin
        self._schedule = schedule
        self._end_unexpectedly = end_unexpectedly
        self._on_client_error = on_client_error
        self._on_termination = on_termination
        self._sessions = sessions = SessionManager(
            context,
            aeron,
            table,
            log,
            counters,
            context.members,
            on_admin_snapshot=self._try_toggle_snapshot,
            forward=self._forward_to_leader,
            extension=extension,
        )
        log_adapter = LogAdapter(self._on_log_event, table, trackers, context.seams.clock)
        if extension is not None:
            log_adapter.enable_extension_schemas()
        self.status = status = ModuleStatus(
            counters, agent, sessions, context.events, context.options.member_id
        )
        self.timers = timers = ModuleTimers(context.make_timers(), log.append_timer)
        self._uncommitted = UncommittedChanges(agent, trackers, timers, sessions, status)
        self._termination = termination = Termination(
            context=context,
            agent=agent,
            log_adapter=log_adapter,
            recording=recording,
            recording_log=recording_log,
            services=services,
            status=status,
            counters=counters,
            members=members,
            link=link,
        )
        self._requests = ControlRequests(
            context=context,
            aeron=aeron,
            archive=archive,
            counters=counters,
            log=log,
            recording_log=recording_log,
            services=services,
            sessions=sessions,
            status=status,
            timers=timers,
            trackers=trackers,
            uncommitted=self._uncommitted,
            termination=termination,
            begin=begin,
        )
        self._node_requests = NodeRequests(
            context=context,
            archive=archive,
            counters=counters,
            recording_log=recording_log,
            status=status,
            standby=started.standby,
            begin=begin,
        )
        self._events = LogEvents(
            context=context,
            sessions=sessions,
            status=status,
            timers=timers,
            begin_snapshot=self._begin_snapshot,
            on_term=self._on_replay_term,
            end_unexpectedly=end_unexpectedly,
        )
        self._follower_log = follower_log = FollowerLog(
            context=context,
            aeron=aeron,
            counters=counters,
            log_adapter=log_adapter,
            recording=recording,
            services=services,
            status=status,
            link=link,
        )
        catchups = CatchupReplays(
            context=context,
            archive=archive,
            log=log,
            recording=recording,
            status=status,
            link=link,
            begin=begin,
            set_catching_up=self._set_catching_up,
        )
        self._leadership = leadership = Leadership(
            context=context,
            aeron=aeron,
            archive=archive,
            agent=agent,
            counters=counters,
            log=log,
            log_adapter=log_adapter,
            node_state=node_state,
            recording=recording,
            recording_log=recording_log,
            services=services,
            sessions=sessions,
            status=status,
            timers=timers,
            uncommitted=self._uncommitted,
            members=members,
            link=link,
            follower_log=follower_log,
            catchups=catchups,
            begin=begin,
            initial_leadership_term_id=recovered.log_leadership_term_id,
            initial_term_base_log_position=recovered.term_base_log_position,
        )
        self._backups = BackupSessions(
            context=context,
            aeron=aeron,
            counters=counters,
            recording_log=recording_log,
            sessions=sessions,
            status=status,
            members=members,
        )
        member_list = MemberListCheck(
            context=context, aeron=aeron, counters=counters, status=status, link=link
        )
        self._schedules: tuple[_Schedule, ...] = (
            member_list,
            *self._make_schedules(recording_log),
        )
        self._election: Election | None = None
        self._messages = ConsensusMessages(
            context=context,
            agent=agent,
            counters=counters,
            log=log,
            node_state=node_state,
            recording=recording,
            recording_log=recording_log,
            status=status,
            members=members,
            leadership=leadership,
            follower_log=follower_log,
            catchups=catchups,
            termination=termination,
            backups=self._backups,
            election=lambda: self._election,
            begin_election=self.begin_election_now,
            end_unexpectedly=end_unexpectedly,
            member_list=member_list,
        )
        self._extension_work: ExtensionWork | None = None

    @property
    def session_records(self) -> list[SessionRecord]:
        """The clients' sessions, open or closing, by id."""
        return self._sessions.records()

    @property
    def next_session_id(self) -> int:
        """The id of the next session after committed ones."""
        return self._sessions.next_committed_session_id

    def begin(self, recovered: Recovered) -> None:
        """Load the recovered state, and begin the first election."""
        context, snapshot = self._context, recovered.snapshot
        if snapshot is not None:
            self._load(snapshot)
        self._counters.commit_position.set(recovered.log_position)
        if snapshot is not None:
            # Not the log's last term: the replay of the log sets that, and takes snapshots in this
            # one.
            self.status.set_term(snapshot.leadership_term_id)
        if self._extension is not None:
            control = ConsensusModuleControl(
                options=context.options,
                aeron=self._aeron,
                counters=self._counters,
                archive=self._archive,
                authorisation_service=context.authorisation_service,
                member=context.member,
                time_unit=context.time_unit,
                cluster_time=context.cluster_time,
                client_session=self._client_session,
                close_client_session=self._close_client_session,
            )
            self._extension.on_start(control, recovered.extension_snapshot)
            self._extension_work = ExtensionWork(self._extension)
        self.status.enter(ConsensusModuleState.ACTIVE, "started")
        self._begin_election(
            is_node_startup=True,
            log_leadership_term_id=recovered.log_leadership_term_id,
            log_position=recovered.log_position,
            append_position=recovered.append_position,
        )

    def _load(self, snapshot: ModuleState) -> None:
        self._sessions.load(snapshot.sessions, snapshot.next_session_id)
        for state in snapshot.trackers[: len(self._trackers)]:
            self._trackers[state.service_id].load(state)
        self.timers.load(snapshot.timers, self._context.cluster_time())

    def _make_schedules(self, recording_log: RecordingLog) -> list[_Schedule]:
        """Create the schedules of snapshots and purges, if configured."""
        context, counters, options = self._context, self._counters, self._context.options
        made: list[_Schedule] = []
        if counters.next_snapshot is not None:
            made.append(
                SnapshotSchedule(
                    context=context,
                    counters=counters,
                    recording_log=recording_log,
                    status=self.status,
                    interval_ns=options.snapshot_interval_ns,
                    counter=counters.next_snapshot,
                    request=self._try_toggle_snapshot,
                )
            )
        if counters.log_start is not None:
            peer_snapshots = PeerSnapshots(
                context=context, aeron=self._aeron, link=self._link, backups=context.purge_backups
            )
            made.append(
                LogPurge(
                    context=context,
                    archive=self._archive,
                    counters=counters,
                    recording=self._recording,
                    recording_log=recording_log,
                    kept=options.snapshots_kept,
                    peer_snapshots=peer_snapshots,
                    counter=counters.log_start,
                )
            )
        return made

    # ---- a pass ----

    def do_work(self, now_ns: int, attempt: Callable[[Callable[[], int], int], int]) -> int:
        """Do what is due; return the work count.

        Parameters
        ----------
        now_ns : int
        attempt : callable
            ``attempt(work, now_ns)`` runs one part, so that the others continue if it fails.
        """
        work_count = 0
        election = self._election
        if election is not None:
            work_count += attempt(lambda: election.do_work(now_ns), now_ns)
            self._drop_closed_election()
        else:
            work_count += attempt(self._requests.check, now_ns)
            work_count += attempt(self._node_requests.check, now_ns)
            for each in (self._sessions, self._backups, *self._schedules):
                work_count += attempt(partial(each.do_work, now_ns), now_ns)
        if self._extension_work is not None:
            is_settled = self._election is None
            work = partial(self._extension_work.do_work, now_ns, is_settled=is_settled)
            work_count += attempt(work, now_ns)
        return work_count

    def set_next(self, now_ns: int) -> None:
        """Set the next call by the native half, unless steps are in progress."""
        if self._election is not None:
            next_ns = self._election.next_work_ns
            is_busy = next_ns <= now_ns or self._link.is_connecting
            self._agent.set_next(next_ns, is_busy=is_busy or self._extension is not None)
            return
        # The duty cycle detects a change of the node's toggle only once; the request may have to
        # wait.
        is_busy = self._node_requests.is_waiting or self._backups.is_busy
        is_busy |= self._extension is not None  # it works in every duty cycle
        next_ns = min(
            self._addresses.next_deadline_ns(),
            *(
                each.next_deadline_ns()
                for each in (self._sessions, self._backups, *self._schedules)
            ),
        )
        self._agent.set_next(
            next_ns, is_busy=is_busy or self._sessions.is_busy or self._link.is_connecting
        )
        self._uncommitted.publish_position()

    def on_failure(self, error: Exception, now_ns: int) -> None:
        """Report an exception of a part of the work; a failed election begins again."""
        if self._election is None:
            self._on_client_error(error)
        else:
            self._begin_election_again(self._election, error, now_ns)

    # ---- what is received ----

    def on_ingress(self, message: bytes, image: Image, now_ns: int) -> bool:
        """Handle a message of a client other than a session's; False to be called with it again."""
        if self._extension is not None and is_foreign(message):
            self._check_schema(self._extension.supported_schema_id, message)
            return self._extension.on_ingress_message(message, image)
        is_accepted = self._sessions.on_ingress(message, image, now_ns)
        self._schedule(now_ns)
        return is_accepted

    def _check_schema(self, supported: int | None, message: bytes) -> None:
        found = schema_id_of(message)
        if supported is not None and found != supported:
            raise MessageError("schema id of a message for the extension", supported, found)

    def _client_session(self, cluster_session_id: int) -> ClusterClientSession | None:
        return self._sessions.client_session(
            cluster_session_id, self._context.seams.clock.nano_time
        )

    def _close_client_session(self, cluster_session_id: int) -> None:
        now_ns = self._context.seams.clock.nano_time()
        self._sessions.on_service_close(cluster_session_id, now_ns)
        self._schedule(now_ns)

    def on_consensus_message(self, message: bytes, image: Image, now_ns: int) -> None:
        """Handle a message of another member or of a backup that the native half does not."""
        try:
            self._messages.on_message(message, image, now_ns)
        except (AgentTerminationError, MessageError):
            raise
        except Exception as error:
            if self._election is None:
                raise
            self._begin_election_again(self._election, error, now_ns)
        finally:
            self._schedule(now_ns)

    def on_request_of_service(self, message: Message, service_position: int, now_ns: int) -> None:
        """Handle a request of a service or a tool, and where in the log the service was."""
        match message:
            case codecs.ScheduleTimer():
                self.timers.schedule(message.correlation_id, message.deadline, service_position)
                self._agent.set_timer_deadline(self.timers.next_deadline)
            case codecs.CancelTimer():
                self.timers.cancel(message.correlation_id)
            case codecs.CloseSession():
                self._sessions.on_service_close(message.cluster_session_id, now_ns)
                self._schedule(now_ns)
            case codecs.ClusterMembersQuery():
                self._services.try_answer(
                    members_response(
                        message,
                        self._context,
                        leader_member_id=self.status.leader_member_id,
                        progress=self._progress(now_ns),
                        now_ns=now_ns,
                    )
                )
            case _:
                pass

    def _progress(self, now_ns: int) -> list[tuple[int, int, int]]:
        """Return each member's log position, the time of its receipt, and its term."""
        progress = [self._agent.member(index) for index in range(len(self._members))]
        position = self._counters.commit_position.get()
        progress[self._own_index] = (position, now_ns, self.status.leadership_term_id)
        return progress

    def on_timers_due(self, now_ns: int) -> int:
        """Append the events of due timers; return their number."""
        expired = 0
        try:
            expired = self.timers.poll(self._context.cluster_time())
        finally:
            # Even if a timer service of the user raises: events before that are in the log.
            self._agent.set_timer_deadline(self.timers.next_deadline)
            self._schedule(now_ns)
        return expired

    def on_committed(self, position: int) -> None:
        """Drop the undo records of committed changes."""
        self._uncommitted.on_committed(position)

    def on_termination_position(self, now_ns: int) -> None:
        """End at the leader's termination position."""
        self._begin(self._termination.end_as_follower())
        self._schedule(now_ns)

    def on_service_lost(self, service_id: int) -> None:
        """Handle the end of a service's client while the module terminates."""
        self._termination.on_service_lost(service_id)

    def on_log_ended(self, now_ns: int) -> None:
        """Start an election: the leader's log has ended."""
        is_eos = self._follower_log.is_end_of_stream
        self.enter_election(
            f"log disconnected from leader: eos={str(is_eos).lower()}",
            now_ns,
            is_closed_well=is_eos,
        )

    def on_log_lost(self, now_ns: int) -> None:
        """Replicate the rest of the log from the leader's archive: its driver no longer sends it.

        The image would end only after its liveness timeout, 10 s, and until then this member would
        not count for a majority. Upstream waits for that. An image with an invalid frame is not
        read any further.
        """
        reason = "too far behind the leader's log to receive it"
        if self._follower_log.is_given_up:
            reason = "a bad frame in what was received as the leader's log"
        self.enter_election(reason, now_ns)

    def on_recording_signal(self, signal: RecordingSignalEvent) -> None:
        """Handle a signal of the archive."""
        if self._leadership.on_signal(signal):
            return
        if not self._recording.on_signal(signal) or self._election is not None:
            return
        if self.status.state not in _ENDING:
            # The signal is not repeated: during a snapshot, a leader would otherwise wait forever
            # for the commit of its snapshot request, while its followers receive heartbeats.
            is_eos = self._follower_log.is_end_of_stream
            self.enter_election(
                f"log recording stopped: eos={str(is_eos).lower()}, recording"
                f" {signal.recording_id}",
                self._context.seams.clock.nano_time(),
                is_closed_well=is_eos,
            )

    def log_place(self) -> tuple[int, int]:
        """Return the term and the commit position."""
        counter = self._counters.commit_position
        if not counter.is_closed:
            return self.status.leadership_term_id, counter.get()
        # The driver has dropped this client: its counters stay readable until they are reused.
        reader = self._aeron.counters_reader
        is_there = reader.registration_id(counter.counter_id) == counter.registration_id
        position = reader.value(counter.counter_id) if is_there else NULL_VALUE
        return self.status.leadership_term_id, position

    # ---- elections ----

    @property
    def is_electing(self) -> bool:
        """Whether an election runs."""
        return self._election is not None

    def _begin_election(
        self,
        *,
        is_node_startup: bool,
        log_leadership_term_id: int,
        log_position: int,
        append_position: int,
        reason: str = "node started",
    ) -> None:
        self._context.events.record(
            ClusterEvent.NEW_ELECTION,
            leadership_term_id=log_leadership_term_id,
            log_position=log_position,
            append_position=append_position,
            member_id=self._context.options.member_id,
            reason=reason,
        )
        self._counters.election_count.increment()
        self.status.set_election(is_running=True)
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
            events=self._context.events,
        )

    def begin_election_now(self, reason: str) -> None:
        """Begin an election now, unless one runs."""
        self.enter_election(reason, self._context.seams.clock.nano_time())

    def enter_election(self, reason: str, now_ns: int, *, is_closed_well: bool = False) -> None:
        """Begin an election for a reason, unless one runs."""
        if self._election is not None:
            return
        self._context.error_handler(ElectionRestartError(f"WARN - {reason}"))
        for index, member in enumerate(self._members):
            progress = self._agent.member(index)
            member.log_position, member.time_of_last_append_ns, member.leadership_term_id = progress
            member.is_graceful_closed_leader = (
                is_closed_well and member.member_id == self.status.leader_member_id
            )
        self.status.set_role(Role.FOLLOWER)
        self.status.set_leader(NULL_VALUE)
        position = self._freeze_commit_position()
        self._begin_election(
            is_node_startup=False,
            log_leadership_term_id=self.status.leadership_term_id,
            log_position=position,
            append_position=position,
            reason=reason,
        )
        self._schedule(now_ns)

    def _begin_election_again(self, election: Election, error: Exception, now_ns: int) -> None:
        """Restart a failed election, or end the module if it can never succeed."""
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
                # Its own log begins too late: another leader does not change that.
                self._end_unexpectedly(purged)
            error = purged
        if not self._archive.is_connected:
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
            # The first is retried immediately: the others wait for this member.
            pause_ns = min(pause_ns, election.failure_count * options.election_status_interval_ns)
        try:
            self._context.error_handler(error)
        finally:
            # Even if a user's handler raises: the steps have ended, and nothing else would restart
            # them.
            election.restart(error, self._freeze_commit_position(), now_ns + pause_ns)

    def _freeze_commit_position(self) -> int:
        """Stop committing until a log is joined, and return the commit position.

        Services may read up to it at any time, so the election must begin there.
        """
        self.status.set_recording(None)
        return self._counters.commit_position.get()

    def _drop_closed_election(self) -> None:
        if self._election is not None and self._election.is_closed:
            self._election = None
            self.status.set_election(is_running=False)

    # ---- what the parts request ----

    def _set_catching_up(self, member_id: int, is_running: bool) -> None:
        for index, member in enumerate(self._members):
            if member.member_id == member_id:
                self._agent.set_catching_up(index, is_running)

    def _on_replay_term(self, event: codecs.NewLeadershipTermEvent) -> None:
        self._context.events.record(
            ClusterEvent.REPLAY_NEW_LEADERSHIP_TERM,
            leadership_term_id=event.leadership_term_id,
            log_position=event.log_position,
            timestamp=event.timestamp,
            term_base_log_position=event.term_base_log_position,
            member_id=self._context.options.member_id,
            app_version=event.app_version,
            is_in_election=self._election is not None,
            time_unit=time_unit_name(event.time_unit),
        )
        if self._election is not None:
            self._election.on_replay_term(event)

    def _forward_to_leader(self, message: bytes) -> None:
        self._link.send(self.status.leader_member_id, message)

    def _try_toggle_snapshot(self) -> bool:
        return self._requests.try_toggle_snapshot()

    def _on_log_event(self, message: bytes, log_position: int) -> None:
        try:
            if self._extension is not None and is_foreign(message):
                report, on_message = self._context.error_handler, self._extension.on_log_message
                notify_extension(report, on_message, message, log_position)
            else:
                self._events.on_event(message, log_position)
        except AgentTerminationError as error:
            self._on_termination(error)
            raise

    def _begin_snapshot(self, log_position: int, timestamp: int) -> None:
        self._begin(self._requests.take_snapshot(log_position, timestamp))

    # ---- the end ----

    def close(self) -> None:
        """Leave the cluster. Calling it again does nothing."""
        if self._election is not None:
            self._election.close()
        self.status.enter(ConsensusModuleState.CLOSED, "closed")
        self._leadership.close()
        self._backups.close()
        for schedule in self._schedules:
            schedule.close()
        self._sessions.close()
        if self._extension_work is not None and self._extension is not None:
            self._extension_work = None
            try:
                self._extension.close()
            except BaseException as error:  # noqa: BLE001 - the user's; the rest is closed anyway
                self._context.error_handler(as_exception("extension", error))
