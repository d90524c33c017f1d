"""Messages of other members and backups, outside elections and in them.

The ``on...`` methods of ConsensusModuleAgent for the consensus stream. While no election runs, the
native half retains positions by itself; the messages here are rare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from aeron_cluster.cluster.agent.term_filter import TermFilter
from aeron_cluster.cluster.election.ballots import PROTOCOL_VERSION
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.members.message_events import log_message
from aeron_cluster.cluster.state.app_version import (
    expected_version,
    is_compatible,
    version_text,
)
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.cluster import BooleanType
from aeron_cluster.errors import AgentTerminationError, MemberVersionError, UnknownMessageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aeron_cluster.client.image import Image
    from aeron_cluster.cluster.agent.member_list import MemberListCheck
    from aeron_cluster.cluster.agent.module_agent import ModuleAgent
    from aeron_cluster.cluster.agent.module_status import ModuleStatus
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.election.catchup_replays import CatchupReplays
    from aeron_cluster.cluster.election.election import Election
    from aeron_cluster.cluster.election.follower_log import FollowerLog
    from aeron_cluster.cluster.election.leadership import Leadership
    from aeron_cluster.cluster.log.log_publisher import LogPublisher
    from aeron_cluster.cluster.log.log_recording import LogRecording
    from aeron_cluster.cluster.members.members import Member
    from aeron_cluster.cluster.module.backup_sessions import BackupSessions
    from aeron_cluster.cluster.module.termination import Termination
    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.cluster.state.node_state import NodeState
    from aeron_cluster.cluster.state.recording_log import RecordingLog
    from aeron_cluster.codecs.message import Message

__all__ = ["ConsensusMessages"]

_M = TypeVar("_M")


class ConsensusMessages:
    """Handles messages of members.

    Parameters
    ----------
    context : ConsensusModuleContext
    agent : ModuleAgent
    counters : ModuleCounters
    log : LogPublisher
    node_state : NodeState
    recording : LogRecording
    recording_log : RecordingLog
    status : ModuleStatus
    members : sequence of Member
    leadership : Leadership
    follower_log : FollowerLog
    catchups : CatchupReplays
    termination : Termination
    backups : BackupSessions
    election : callable
        Returns the running election, or None.
    begin_election : callable
        ``begin_election(reason)`` begins an election.
    end_unexpectedly : callable
        ``end_unexpectedly(error)`` ends the module.
    member_list : MemberListCheck
    """

    def __init__(
        self,
        *,
        context: ConsensusModuleContext,
        agent: ModuleAgent,
        counters: ModuleCounters,
        log: LogPublisher,
        node_state: NodeState,
        recording: LogRecording,
        recording_log: RecordingLog,
        status: ModuleStatus,
        members: Sequence[Member],
        leadership: Leadership,
        follower_log: FollowerLog,
        catchups: CatchupReplays,
        termination: Termination,
        backups: BackupSessions,
        election: Callable[[], Election | None],
        begin_election: Callable[[str], None],
        end_unexpectedly: Callable[[Exception], None],
        member_list: MemberListCheck,
    ) -> None:
        self._context = context
        self._agent = agent
        self._counters = counters
        self._log = log
        self._node_state = node_state
        self._recording = recording
        self._recording_log = recording_log
        self._status = status
        self._members = members
        self._indices = {member.member_id: index for index, member in enumerate(members)}
        self._own_id = context.options.member_id
        self._leadership = leadership
        self._follower_log = follower_log
        self._catchups = catchups
        self._termination = termination
        self._backups = backups
        self._election = election
        self._begin_election = begin_election
        self._end_unexpectedly = end_unexpectedly
        self._member_list = member_list
        self._incompatible_members: set[int] = set()
        self._term_filter = TermFilter(
            context=context,
            counters=counters,
            node_state=node_state,
            recording_log=recording_log,
            status=status,
        )

    def on_message(self, data: bytes, image: Image, now_ns: int) -> None:
        """Handle a message.

        Raises
        ------
        MessageError
            It is truncated, or contains an invalid value.
        """
        try:
            message = codecs.decode(data)
        except UnknownMessageError as error:
            self._context.error_handler(error)
            return
        log_message(self._context.events, message, self._own_id)
        if not self._is_understood(message):
            return
        if not self._term_filter.accepts(message, now_ns):
            return
        self._note_leader(message, now_ns)
        election = self._election()
        if election is not None:
            election.on_message(message, now_ns)
        match message:
            case codecs.CanvassPosition():
                self._leadership.connect_peers()
                if election is None:
                    self._answer(message, now_ns)
            case codecs.RequestVote() if election is None:
                self._on_request_vote(message)
            case codecs.NewLeadershipTerm() | codecs.CommitPosition() if election is None:
                self._on_leader(message)
            case codecs.AppendPosition():
                self._on_append_position(message, now_ns, is_electing=election is not None)
            case codecs.CatchupPosition():
                if self._leads(message.leadership_term_id) and self._is_other(
                    message.follower_member_id
                ):
                    self._catchups.on_catchup_position(message)
            case codecs.StopCatchup():
                is_current = message.leadership_term_id == self._status.leadership_term_id
                if is_current and message.follower_member_id == self._own_id:
                    self._follower_log.remove_catchup_destination()
            case codecs.TerminationPosition():
                self._termination.on_position(message, now_ns)
            case codecs.TerminationAck():
                self._termination.on_ack(message)
            case codecs.BackupQuery() | codecs.HeartbeatRequest() | codecs.StandbySnapshot():
                if election is None:
                    self._on_backup(self._backups.on_request, message, image, now_ns)
            case codecs.ChallengeResponse():
                self._on_backup(self._backups.on_challenge_response, message, image, now_ns)
            case codecs.BackupResponse() | codecs.Challenge() | codecs.SessionEvent():
                self._member_list.on_answer(message)
            case _:
                pass

    def _on_backup(
        self,
        handle: Callable[[_M, Image, int], None],
        message: _M,
        image: Image,
        now_ns: int,
    ) -> None:
        """Handle a message of a non-member: it never restarts an election."""
        try:
            handle(message, image, now_ns)
        except AgentTerminationError:
            raise
        except Exception as error:  # noqa: BLE001 - of one requester; the others continue
            self._context.error_handler(error)

    def _is_other(self, member_id: int) -> bool:
        return member_id != self._own_id and member_id in self._indices

    def _leads(self, leadership_term_id: int) -> bool:
        status = self._status
        return status.is_leader and leadership_term_id <= status.leadership_term_id

    def _note_leader(self, message: Message, now_ns: int) -> None:
        """Record a leader of this term or a later one that can be followed."""
        match message:
            case codecs.NewLeadershipTerm():
                self._check_version(message)
            case codecs.CommitPosition():
                pass
            case _:
                return
        status, term_id = self._status, message.leadership_term_id
        is_another = message.leader_member_id != status.leader_member_id
        if term_id == status.leadership_term_id and is_another and self._election() is None:
            return  # the message of another member does not show that the leader is alive
        if term_id >= status.leadership_term_id:
            self._agent.set_last_leader_update_ns(now_ns)

    def _check_version(self, message: codecs.NewLeadershipTerm) -> None:
        context = self._context
        validator, own = context.app_version_validator, context.app_version
        if not is_compatible(validator, own, message.app_version):
            self._end_unexpectedly(
                MemberVersionError(
                    f"it leads, and has application version {version_text(message.app_version)},"
                    f" expected {expected_version(validator, own)} as member {self._own_id} has",
                    member_id=message.leader_member_id,
                    leadership_term_id=message.leadership_term_id,
                    log_position=message.log_position,
                    remedy="run the same version of the services on every member",
                )
            )

    def _is_understood(self, message: Message) -> bool:
        """Return whether a member has this version of the protocol; another version is reported."""
        match message:
            case codecs.CanvassPosition():
                member_id, term_id = message.follower_member_id, message.leadership_term_id
            case codecs.RequestVote():
                member_id, term_id = message.candidate_member_id, message.candidate_term_id
            case _:
                return True
        # Before schema version 9 the field is missing.
        found = (message.protocol_version or PROTOCOL_VERSION) >> 16
        if found == PROTOCOL_VERSION >> 16:
            self._incompatible_members.discard(member_id)
            return True
        if member_id not in self._incompatible_members:  # once, and not with each of its canvasses
            self._incompatible_members.add(member_id)
            self._context.error_handler(
                MemberVersionError(
                    f"it uses version {found}.x of the consensus protocol, expected"
                    f" {PROTOCOL_VERSION >> 16}.x: it has no vote here and receives none",
                    member_id=member_id,
                    leadership_term_id=term_id,
                    log_position=message.log_position,
                    remedy="run the same version on every member",
                )
            )
        return False

    # ---- outside elections ----

    def _on_request_vote(self, message: codecs.RequestVote) -> None:
        status, member_id = self._status, message.candidate_member_id
        if self._is_other(member_id) and message.candidate_term_id > status.leadership_term_id:
            self._begin_election(
                f"unexpected vote request: this.leadershipTermId={status.leadership_term_id}"
                f" candidateTermId={message.candidate_term_id}, from member {member_id}"
            )

    def _on_leader(self, message: codecs.NewLeadershipTerm | codecs.CommitPosition) -> None:
        status, member_id = self._status, message.leader_member_id
        if not self._is_other(member_id):
            return
        if message.leadership_term_id > status.leadership_term_id:
            is_commit = isinstance(message, codecs.CommitPosition)
            kind = (
                "commit position from new leader -" if is_commit else "new leadership term event:"
            )
            self._begin_election(
                f"unexpected {kind} this.leadershipTermId={status.leadership_term_id}"
                f" newLeadershipTermId={message.leadership_term_id}, from member {member_id}"
            )
        elif (
            isinstance(message, codecs.NewLeadershipTerm)
            and message.leadership_term_id == status.leadership_term_id
            and member_id == status.leader_member_id
        ):
            # Null before schema version 15: the smallest number, so the position is unchanged.
            self._agent.set_notified_commit_position(message.commit_position)

    def _on_append_position(
        self, message: codecs.AppendPosition, now_ns: int, *, is_electing: bool
    ) -> None:
        member_id, term_id = message.follower_member_id, message.leadership_term_id
        if not self._is_other(member_id) or not self._leads(term_id):
            return
        if not is_electing:
            position = message.log_position
            if not self._catchups.is_copying(member_id):
                position = self._leadership.shared_position(term_id, position)
            self._agent.set_member(self._indices[member_id], position, now_ns, term_id)
        self._catchups.on_append_position(message)

    def _answer(self, message: codecs.CanvassPosition, now_ns: int) -> None:
        """Notify a member in an election of its leader, and of the next term for its log."""
        member_id = message.follower_member_id
        term_id, log_term_id = self._status.leadership_term_id, message.log_leadership_term_id
        if not self._is_other(member_id) or not self._leads(log_term_id):
            return
        index = self._indices[member_id]
        position = self._leadership.shared_position(log_term_id, message.log_position)
        self._agent.set_member(index, position, now_ns, log_term_id)
        self._catchups.stop(member_id)
        term_base = self._recording_log.get_term(term_id).term_base_log_position
        next_term_id = next_base = next_end = NULL_VALUE
        if log_term_id < term_id:
            next_term = self._recording_log.find_term(log_term_id + 1)
            next_term_id, next_base = term_id, term_base
            if next_term is not None:
                next_term_id = next_term.leadership_term_id
                next_base = next_term.term_base_log_position
                next_end = next_term.log_position
        self._leadership.send(
            self._members[index],
            codecs.NewLeadershipTerm.encode(
                log_leadership_term_id=log_term_id,
                next_leadership_term_id=next_term_id,
                next_term_base_log_position=next_base,
                next_log_position=next_end,
                leadership_term_id=term_id,
                term_base_log_position=term_base,
                log_position=self._log.position,
                leader_recording_id=self._recording.recording_id,
                timestamp=self._context.cluster_time(),
                leader_member_id=self._own_id,
                log_session_id=self._log.session_id,
                app_version=self._context.app_version,
                is_startup=BooleanType.FALSE,
                commit_position=self._counters.commit_position.get(),
            ),
        )
