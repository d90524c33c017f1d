"""A member's operations to become leader or follower, on behalf of its election.

The parts of ConsensusModuleAgent that Election calls.
"""

from __future__ import annotations

import ipaddress
import logging
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.client.replication_params import ReplicationParams
from aeron_cluster.archive.waiting import send_request
from aeron_cluster.client.waiting import await_image, await_subscription
from aeron_cluster.cluster.agent.leadership import JoinedLog
from aeron_cluster.cluster.agent.log_reader import ReplayedLogReader
from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.context.extension import ConsensusControlState
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.election.host import ElectionHost
from aeron_cluster.cluster.log.log_replay import replay_log
from aeron_cluster.cluster.log.recording_replication import RecordingReplication
from aeron_cluster.cluster.log.replication_events import done_recorder
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.members.quorum import shared_position
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.cluster.state.control_toggle import ControlToggle, NodeToggle
from aeron_cluster.cluster.state.term_bound import MAX_TERMS_AHEAD
from aeron_cluster.codecs.archive import StopAllReplaysRequest, TruncateRecordingRequest
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import LeadershipTermError, LogMismatchError
from aeron_cluster.memory.agents.waiting import Waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Unpack

    from aeron_cluster.archive.client.archive_client import AeronArchive
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.cluster.agent.consensus_link import ConsensusLink
    from aeron_cluster.cluster.agent.leadership import LeadershipChanges
    from aeron_cluster.cluster.agent.module_agent import ModuleAgent
    from aeron_cluster.cluster.agent.module_status import ModuleStatus
    from aeron_cluster.cluster.agent.module_timers import ModuleTimers
    from aeron_cluster.cluster.agent.uncommitted_changes import UncommittedChanges
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.election.catchup_replays import CatchupReplays
    from aeron_cluster.cluster.election.follower_log import FollowerLog
    from aeron_cluster.cluster.log.log_adapter import LogAdapter
    from aeron_cluster.cluster.log.log_publisher import LogPublisher
    from aeron_cluster.cluster.log.log_recording import LogChannel, LogRecording
    from aeron_cluster.cluster.log.service_link import ServiceLink
    from aeron_cluster.cluster.members.members import Member
    from aeron_cluster.cluster.sessions.session_manager import SessionManager
    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.cluster.state.node_state import NodeState
    from aeron_cluster.cluster.state.recording_log import Entry, RecordingLog
    from aeron_cluster.codecs.archive import RecordingSignalEvent

__all__ = ["Leadership"]

_LOGGER: Final = logging.getLogger("aeron_cluster.cluster")
_LIVE_LOG_END: Final = 2**63 - 1


class Leadership(ElectionHost):
    """The host of a member's elections.

    Parameters
    ----------
    context : ConsensusModuleContext
    aeron : Aeron
    archive : AeronArchive
    agent : ModuleAgent
    counters : ModuleCounters
    log : LogPublisher
    log_adapter : LogAdapter
    node_state : NodeState
    recording : LogRecording
    recording_log : RecordingLog
    services : ServiceLink
    sessions : SessionManager
    status : ModuleStatus
    timers : ModuleTimers
    uncommitted : UncommittedChanges
    members : sequence of Member
        The counter of the election state.
    link : ConsensusLink
    follower_log : FollowerLog
    catchups : CatchupReplays
    begin : callable
        ``begin(steps)`` runs steps in parallel with the election.
    initial_leadership_term_id, initial_term_base_log_position : int
        The start of the member's log before its first election, for a recording log without terms.
    """

    def __init__(
        self,
        *,
        context: ConsensusModuleContext,
        aeron: Aeron,
        archive: AeronArchive,
        agent: ModuleAgent,
        counters: ModuleCounters,
        log: LogPublisher,
        log_adapter: LogAdapter,
        node_state: NodeState,
        recording: LogRecording,
        recording_log: RecordingLog,
        services: ServiceLink,
        sessions: SessionManager,
        status: ModuleStatus,
        timers: ModuleTimers,
        uncommitted: UncommittedChanges,
        members: Sequence[Member],
        link: ConsensusLink,
        follower_log: FollowerLog,
        catchups: CatchupReplays,
        begin: Callable[[Waiting[None]], None],
        initial_leadership_term_id: int,
        initial_term_base_log_position: int,
    ) -> None:
        self.follower_log = follower_log
        self._context = context
        self._aeron = aeron
        self._archive = archive
        self._agent = agent
        self._counters = counters
        self._log = log
        self._log_adapter = log_adapter
        self._node_state = node_state
        self._recording = recording
        self._recording_log = recording_log
        self._services = services
        self._sessions = sessions
        self._status = status
        self._timers = timers
        self._uncommitted = uncommitted
        self._members = members
        self._link = link
        self._catchups = catchups
        self._begin = begin
        self._initial_term = (initial_leadership_term_id, initial_term_base_log_position)
        self._log_channel: LogChannel | None = None
        self._ingress: list[Subscription] = []
        self._extension_log: Subscription | None = None  # read by a leader's extension
        self._replication: RecordingReplication | None = None

    def close(self) -> None:
        """End the log first, so that other members are notified, and stop polling clients."""
        self._log.disconnect()
        self._close_ingress()
        self._close_extension_log()

    def _close_extension_log(self) -> None:
        if self._extension_log is not None:
            self._extension_log.close()
            self._extension_log = None

    def on_signal(self, signal: RecordingSignalEvent) -> bool:
        """Handle a signal of the archive; return whether it belongs to a copy from a leader."""
        replication = self._replication
        if replication is None or not replication.on_signal(signal):
            return False
        if replication.recording_id != NULL_VALUE:
            self._recording.recording_id = replication.recording_id
        return True

    # ---- what is published ----

    def on_election_state(self, state: ElectionState, reason: str) -> None:
        """Publish the state."""
        _LOGGER.debug(
            "member %d: election %s: %s",
            self._context.options.member_id,
            state.name,
            reason or "as it goes",
        )
        self._counters.election_state.set(state)

    def set_role(self, role: Role) -> None:
        """Publish the role."""
        self._status.set_role(role)

    # ---- what is known ----

    @property
    def last_leader_update_ns(self) -> int:
        """The time of the last activity of a leader of this or a later term."""
        return self._agent.last_leader_update_ns

    @property
    def candidate_term_id(self) -> int:
        """The highest term in which this member ever voted."""
        return self._node_state.candidate_term.candidate_term_id

    @property
    def commit_position(self) -> int:
        """The commit position, up to which module and services may have read the log."""
        return self._counters.commit_position.get()

    @property
    def is_taking_snapshot(self) -> bool:
        """Whether a snapshot requested by the log is in progress."""
        return self._status.state is ConsensusModuleState.SNAPSHOT

    @property
    def log_recording_id(self) -> int:
        """The recording of the log; -1 before the first."""
        return self._recording.recording_id

    @property
    def app_version(self) -> int:
        """The version of the services' messages."""
        return self._context.app_version

    def find_term(self, leadership_term_id: int) -> Entry | None:
        """Return the recording log's entry of a term."""
        return self._recording_log.find_term(leadership_term_id)

    def find_term_end(self, leadership_term_id: int, open_end: int) -> int | None:
        """Return the end of a term in the log; `open_end` if unknown, None without such a term."""
        return self._recording_log.find_term_end(leadership_term_id, open_end)

    def shared_position(self, log_term_id: int, log_position: int) -> int:
        """Return the position up to which a member's log is known to equal this leader's."""
        term_id, recording_log = self._status.leadership_term_id, self._recording_log
        if log_term_id == term_id:
            return log_position
        base = recording_log.get_term(term_id).term_base_log_position
        return shared_position(
            log_term_id, log_position, term_id, recording_log.find_term_end(log_term_id, base)
        )

    def random(self) -> float:
        """Return a number from 0 up to 1."""
        return self._context.seams.random.uniform()

    def cluster_time(self) -> int:
        """Return the cluster time."""
        return self._context.cluster_time()

    # ---- the other members ----

    def connect_peers(self) -> None:
        """Retry connecting to unreachable members."""
        self._link.connect()
        channel = self._log_channel
        if channel is not None and channel.destinations.is_incomplete:
            self._begin(channel.destinations.add())

    def send(self, member: Member, message: bytes) -> bool:
        """Send a message to a member; return False if it cannot be sent now."""
        return self._link.send(member.member_id, message)

    # ---- terms ----

    def prepare_for_new_leadership(self, log_position: int) -> Waiting[int]:
        """Undo uncommitted changes; return the end of the log's recording."""
        self.set_role(Role.FOLLOWER)
        self._close_ingress()
        self._catchups.stop_all()
        self._status.clear_leader()
        registration_id = self.follower_log.close()
        self._log_adapter.resume_mid_message(self._log, log_position)
        self._log.disconnect()
        if self._context.extension is not None:
            # It may read the rest of the committed log until its subscription is closed.
            self._context.extension.on_prepare_for_new_leadership()
        self._close_extension_log()
        self._counters.control_toggle.set(ControlToggle.INACTIVE)
        descriptor = yield from self._recording.stop()
        self._sessions.prepare_for_new_leadership(log_position)
        self._counters.commit_position.set(log_position)
        self._uncommitted.restore(log_position)
        yield from self.follower_log.await_free(registration_id)
        return log_position if descriptor is None else descriptor.stop_position

    def begin_candidate_term(self, leadership_term_id: int, log_position: int) -> int:
        """Promise a term above the given one and all earlier promises, and return it."""
        node_state = self._node_state
        promised = node_state.candidate_term.candidate_term_id
        candidate_term_id = max(promised, leadership_term_id) + 1
        node_state.update(candidate_term_id, log_position, self._context.epoch_ms())
        return candidate_term_id

    def propose_candidate_term(self, candidate_term_id: int, log_position: int) -> int:
        """Promise a term unless a later one was promised already; return the later of the two."""
        return self._node_state.propose(candidate_term_id, log_position, self._context.epoch_ms())

    def append_term(
        self, leadership_term_id: int, term_base: int, log_position: int = NULL_VALUE
    ) -> None:
        """Record a term, and its end if it ended, in the recording log.

        Raises
        ------
        LeadershipTermError
            The term is implausibly far ahead: every earlier term would have been recorded.
        """
        last = self._recording_log.find_last_term()
        known = last.leadership_term_id if last else max(-1, self._initial_term[0])
        if leadership_term_id - known > MAX_TERMS_AHEAD:
            raise LeadershipTermError(
                self._recording_log.path,
                known + MAX_TERMS_AHEAD,
                leadership_term_id,
                member_id=self._context.options.member_id,
                leadership_term_id=known,
                log_position=self._counters.commit_position.get(),
            )
        self._recording_log.ensure_coherent(
            self._recording.recording_id,
            *self._initial_term,
            leadership_term_id,
            term_base,
            log_position,
            self._context.cluster_time(),
        )

    def drop_terms_after(self, leadership_term_id: int) -> None:
        """Remove later terms, in which nothing was appended, from the recording log."""
        self._recording_log.invalidate_terms_after(leadership_term_id)

    # ---- the log ----

    def truncate_log(self, leadership_term_id: int, position: int) -> Waiting[None]:
        """Truncate the part of the log that the leader of a later term does not have.

        Raises
        ------
        LogMismatchError
            The services have read some of the truncated part, and cannot continue.
        """
        recording_id = self._recording.recording_id
        if position < self.commit_position:
            raise LogMismatchError(
                f"the leader's log continues from there, expected it to have what the services have"
                f" read here, up to {self.commit_position}",
                member_id=self._context.options.member_id,
                leadership_term_id=leadership_term_id,
                log_position=position,
                remedy="start it again: it reads the log from its snapshot on; one that was taken"
                " after that position has to be invalidated first"
                " (aeron-cluster invalidate-latest-snapshot)",
            )
        yield from send_request(self._archive, StopAllReplaysRequest, recording_id=recording_id)
        yield from send_request(
            self._archive, TruncateRecordingRequest, recording_id=recording_id, position=position
        )
        if leadership_term_id != NULL_VALUE:  # a copy may have ended before its term was recorded
            self._recording_log.commit_log_position(leadership_term_id, position)

    def replicate_log(
        self, leader: Member, recording_id: int, stop_position: int, now_ns: int
    ) -> RecordingReplication:
        """Begin to copy the missing part of the log from the leader's archive."""
        options = self._context.options
        control_channel = ChannelUri.parse(options.leader_archive_control_channel)
        replication_channel = ChannelUri.parse(options.replication_channel)
        response_channel = ""
        if leader.archive_response_endpoint:
            replication_channel = replication_channel.with_params(
                {
                    "endpoint": None,
                    "control": leader.archive_response_endpoint,
                    "control-mode": "response",
                }
            )
            response_channel = str(replication_channel)
        session_id = (self._aeron.next_correlation_id() + 2**31) % 2**32 - 2**31
        self._replication = RecordingReplication(
            self._archive,
            recording_id,
            self._archive.context.control_stream_id,
            str(control_channel.destination(leader.archive_endpoint)),
            ReplicationParams(
                dst_recording_id=self._recording.recording_id,
                stop_position=stop_position,
                replication_session_id=session_id,
                replication_channel=str(replication_channel),
                src_response_channel=response_channel,
            ),
            progress_timeout_ns=options.leader_heartbeat_timeout_ns,
            progress_interval_ns=options.leader_heartbeat_interval_ns,
            now_ns=now_ns,
            on_done=done_recorder(self._context, "ELECTION"),
        )
        return self._replication

    def add_log_publication(self, leadership_term_id: int, append_position: int) -> Waiting[int]:
        """Add the publication of the log, which continues at a position; return its session."""
        log = self._log
        log.disconnect()
        self._log_channel = yield from self._recording.add_publication(append_position)
        log.leadership_term_id = leadership_term_id
        log.connect(self._log_channel.publication)
        return self._log_channel.publication.session_id

    def replay_log(self, start_position: int, stop_position: int) -> Waiting[None]:
        """Replay the part of the log that the module and its services have not read."""
        return replay_log(
            self._context,
            self._aeron,
            self._archive,
            self._services,
            ReplayedLogReader(self._log_adapter, self._status),
            self._counters.commit_position,
            recording_id=self._recording.recording_id,
            start_position=start_position,
            stop_position=stop_position,
        )

    def join_log_as_leader(
        self, leadership_term_id: int, log_position: int, *, is_startup: bool
    ) -> Waiting[None]:
        """Record the log, and wait until the services read it."""
        assert self._log_channel is not None
        channel = self._log_channel
        self._status.set_term(leadership_term_id)
        session_id = channel.publication.session_id
        yield from self._recording.start(channel.local, session_id)
        yield from self._services.join_log(
            log_position=log_position,
            max_log_position=_LIVE_LOG_END,
            log_session_id=session_id,
            log_stream_id=self._context.options.log_stream_id,
            log_channel=channel.spy,
            is_startup=is_startup,
            role=Role.LEADER,
            is_gone=lambda: channel.publication.is_closed,
        )
        if self._context.extension is not None:
            self._extension_log = yield from await_subscription(
                self._aeron, channel.spy, self._context.options.log_stream_id
            )
            yield from await_image(self._extension_log, session_id)
        self._status.set_recording(self._recording.counter_id)

    def try_append_term_event(self, term_base_log_position: int) -> bool:
        """Append the start of the term to the log."""
        position = self._log.append_new_leadership_term(
            self._context.cluster_time(),
            term_base_log_position,
            self._context.options.member_id,
            self._log.session_id,
            self._context.time_unit,
            self._context.app_version,
        )
        return position > 0

    # ---- the end ----

    def complete_as_leader(
        self, leadership_term_id: int, log_position: int, *, is_startup: bool
    ) -> Waiting[None]:
        """Begin the leader's work."""
        own_id = self._context.options.member_id
        now_ns = self._context.seams.clock.nano_time()
        self._status.set_leader(own_id)
        self._sessions.become_leader(leadership_term_id, is_startup=is_startup, now_ns=now_ns)
        self._timers.move_to(self._context.cluster_time())
        self._agent.set_timer_deadline(self._timers.next_deadline)
        self._install_result(own_id, leadership_term_id=leadership_term_id)
        self._counters.commit_position.propose_max(log_position)
        yield from self._open_ingress()
        self._install_later_progress()
        self._counters.control_toggle.set(ControlToggle.NEUTRAL)
        self._complete("leads", own_id, leadership_term_id, log_position)

    def complete_as_follower(
        self,
        leader: Member,
        leadership_term_id: int,
        log_position: int,
        notified_commit_position: int,
    ) -> Waiting[None]:
        """Begin a follower's work."""
        self._status.set_leader(leader.member_id)
        self._status.set_term(leadership_term_id)
        self._sessions.set_role(
            is_leader=False,
            leader_member_id=leader.member_id,
            leadership_term_id=leadership_term_id,
        )
        self._install_result(
            leader.member_id,
            JoinedLog(
                position=log_position,
                commit_position=max(notified_commit_position, log_position),
                leader_update_ns=self._context.seams.clock.nano_time(),
            ),
            leadership_term_id=leadership_term_id,
            log_reader=self._log_adapter,
            recorded_counter_id=self._recording.counter_id,
        )
        self._counters.commit_position.propose_max(log_position)
        yield from self._open_ingress()
        what = f"follows member {leader.member_id}"
        self._complete(what, leader.member_id, leadership_term_id, log_position)

    def _install_result(
        self,
        leader_id: int,
        joined: JoinedLog | None = None,
        **changes: Unpack[LeadershipChanges],
    ) -> None:
        """Pass the results of the election to the native half."""
        progress = self._progress(is_leader=leader_id == self._context.options.member_id)
        changes["leader_index"] = next(
            i for i, each in enumerate(self._members) if each.member_id == leader_id
        )
        self._status.install_leader(progress, joined, **changes)

    def _progress(self, *, is_leader: bool) -> list[tuple[int, int, int]]:
        """Return each member's position that counts, the time of its receipt, and its term."""
        progress = []
        for member in self._members:
            position = member.log_position
            if is_leader:
                position = self.shared_position(member.leadership_term_id, position)
            progress.append((position, member.time_of_last_append_ns, member.leadership_term_id))
        return progress

    def _install_later_progress(self) -> None:
        """Pass on the positions that followers reported while the ingress was opened.

        They are not reported again before the next heartbeat, and the first commit may need them.
        """
        for index, each in enumerate(self._progress(is_leader=True)):
            if each[1] > self._agent.member(index)[1]:
                self._agent.set_member(index, *each)

    def _complete(
        self, what: str, leader_member_id: int, leadership_term_id: int, log_position: int
    ) -> None:
        self._counters.node_toggle.set(NodeToggle.NEUTRAL)
        if (extension := self._context.extension) is not None:
            is_leader = leader_member_id == self._context.options.member_id
            channel = self._log_channel
            extension.on_election_complete(
                ConsensusControlState(
                    leadership_term_id=leadership_term_id,
                    leader_member_id=leader_member_id,
                    log_position=log_position,
                    log_publication=channel.publication if is_leader and channel else None,
                    log_subscription=self._extension_log,
                )
            )
        _LOGGER.info(
            "member %d %s in term %d from position %d",
            self._context.options.member_id,
            what,
            leadership_term_id,
            log_position,
        )

    # ---- ingress ----

    def _open_ingress(self) -> Waiting[None]:
        options = self._context.options
        channel = ChannelUri.parse(options.ingress_channel)
        if not channel.is_ipc and "endpoint" not in channel:
            channel = channel.with_params(endpoint=self._context.member.ingress_endpoint)
        channels = [str(channel.with_params(reliable=True, rejoin=False))]
        if self._status.is_leader:
            if options.ingress_ipc_allowed and not channel.is_ipc:
                channels.append("aeron:ipc")
        elif _is_multicast(channel):
            return  # the leader receives messages sent to all members
        for each in channels:
            self._ingress.append(
                (
                    yield from await_subscription(
                        self._aeron,
                        each,
                        options.ingress_stream_id,
                        unavailable_image_handler=self._on_image_unavailable,
                    )
                )
            )
        self._agent.set_ingress(self._ingress)

    def _on_image_unavailable(self, image: Image) -> None:
        self._agent.drop_ingress_image(image.session_id)
        self._sessions.on_image_unavailable(image.correlation_id)
        self._agent.set_next(0, is_busy=True)

    def _close_ingress(self) -> None:
        self._agent.set_ingress(())
        for subscription in self._ingress:
            subscription.close()
        self._ingress.clear()


def _is_multicast(channel: ChannelUri) -> bool:
    host = (channel.get("endpoint") or "").rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_multicast
    except ValueError:
        return False  # a name, or no address
