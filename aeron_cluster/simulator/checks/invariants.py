"""The invariants of a cluster, at all times and at the end.

A checker is called every 10 ms of virtual time, and once more after the faults, when nothing is in
progress. It raises an `InvariantError` for a violation.
"""

from __future__ import annotations

import struct
import traceback
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

from aeron_cluster.codecs.cluster import (
    AppendPosition,
    BackupResponse,
    CanvassPosition,
    CatchupPosition,
    CommitPosition,
    NewLeaderEvent,
    NewLeadershipTerm,
    RequestVote,
    SessionConnectRequest,
    SessionEvent,
    TerminationAck,
    TerminationPosition,
    Vote,
)
from aeron_cluster.errors import InvariantError, ServiceInvariantError
from aeron_cluster.simulator.checks.archive_recordings import ArchivesRecordTheLogAlone
from aeron_cluster.simulator.checks.archive_requests import ArchivesAnswer
from aeron_cluster.simulator.checks.backup_answers import AnswersToBackupsAreRight
from aeron_cluster.simulator.checks.ballots import (
    LeadersAreElected,
    LeadersHaveWhatIsCommitted,
    VotesAreFollowed,
)
from aeron_cluster.simulator.checks.complete_snapshots import (
    SnapshotsAreRightWhenComplete,
    check_snapshots,
)
from aeron_cluster.simulator.checks.disk_copies import DiskChecker, DiskCopies
from aeron_cluster.simulator.checks.egress import AnswersMatchTheLog, NoticesMatchTheLog
from aeron_cluster.simulator.checks.loaded_sessions import LoadedSessionsAreThoseOfTheSnapshot
from aeron_cluster.simulator.checks.loaded_states import LoadedStatesAreThoseOfTheModel
from aeron_cluster.simulator.checks.lost_ingress import LossesOfIngressAreNoticed
from aeron_cluster.simulator.checks.member_disk import (
    read_log_start,
    read_module_snapshots,
    read_snapshots,
)
from aeron_cluster.simulator.checks.model_checks import MembersFollowTheModel
from aeron_cluster.simulator.checks.module_sessions import ModulesHoldTheSessions
from aeron_cluster.simulator.checks.module_snapshots import (
    check_against_journal,
    check_equal,
    check_held_timers,
)
from aeron_cluster.simulator.checks.plain_requests import PlainRequests
from aeron_cluster.simulator.checks.promises import (
    Listener,
    LogTermsNeverFall,
    NothingIsSeenBeyondCommit,
    SentPositionsArePersisted,
    SentPositionsAreSynced,
    VotesArePersisted,
)
from aeron_cluster.simulator.checks.recording_logs import RecordingLogsHaveTheirTimes
from aeron_cluster.simulator.checks.recording_times import RecordingsHaveTheirTimes
from aeron_cluster.simulator.checks.replicas import LogEnd, Replicas, is_majority
from aeron_cluster.simulator.checks.reported_terms import ReportedTermsAreRecorded
from aeron_cluster.simulator.checks.request_ids import RequestIdsAreUsedOnce
from aeron_cluster.simulator.checks.request_tables import TablesFollowTheLog, max_clients_of
from aeron_cluster.simulator.checks.resent_requests import RequestsAreResentWithPauses
from aeron_cluster.simulator.checks.rest import MembersAreAtRest
from aeron_cluster.simulator.checks.service_failures import FailuresAreReported, RolesAreRight
from aeron_cluster.simulator.checks.service_messages import check_service_messages
from aeron_cluster.simulator.checks.session_limits import SessionsAreLimited
from aeron_cluster.simulator.checks.session_timeouts import SessionsTimeOutByTheLog
from aeron_cluster.simulator.checks.sessions import SessionsAreGivenOnce
from aeron_cluster.simulator.checks.terminations import EndsAreRequestedInTheirTerm
from aeron_cluster.simulator.checks.timer_events import TimersFireOnce
from aeron_cluster.simulator.clients.reference import (
    MAX_CLIENTS,
    WINDOW_LENGTH,
    Operation,
    ReferenceService,
    ReferenceState,
    Request,
)
from aeron_cluster.simulator.clients.survivor import Survivor
from aeron_cluster.simulator.cluster import Checker
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from aeron_cluster.simulator.checks.module_snapshots import ModuleContent
    from aeron_cluster.simulator.cluster import Cluster
    from aeron_cluster.simulator.members.journal import Journal, Violation

__all__ = [
    "AnswersAreRight",
    "Checker",
    "CommitHasAMajority",
    "LoadsDoNotRaise",
    "LogsAreEqual",
    "ModuleSnapshotsAreRight",
    "ModulesHoldTheTimers",
    "OneLeaderATerm",
    "ReferenceLog",
    "ServiceMessagesAreRetained",
    "ServicesSeeTheSame",
    "SnapshotsAreEqual",
    "SnapshotsHaveTheirLog",
    "SnapshotsHoldTheTimers",
    "StatesAreRight",
    "SurvivorsAreAnsweredOnce",
    "TimersFire",
    "TimersFireOnce",
    "check_answers",
    "check_logs",
    "check_snapshots",
    "raise_violation",
    "standard_checkers",
]

_HEADER_LENGTH: Final = 8
_APPEND: Final = struct.Struct("<qqi")  # term, position, member
_TERMINATION: Final = struct.Struct("<qq")  # term, position
_FLAGS: Final = _HEADER_LENGTH + 20  # of an append position
_CATCHING_UP: Final = 1
_NOTICES: Final = (SessionEvent.template_id, NewLeaderEvent.template_id)
_CANVASS: Final = struct.Struct("<qqqi")  # term of the log, position, term, member
_LONGEST_TIMER_DELAY_MS: Final = 5_000
_NOTHING: Final = LogEnd(-1, 0)
_ALL_TERMS: Final = 2**32 - 1
_HALF_OF_TERMS: Final = 2**31


def raise_violation(invariant: str, violation: Violation) -> NoReturn:
    """Raise a violation that a journal found.

    Parameters
    ----------
    invariant : str
        The invariant that is violated.
    violation : Violation
    """
    if violation.place is None:
        raise InvariantError(invariant, violation.text)
    raise ServiceInvariantError(invariant, violation.text, violation.place)


class ServicesSeeTheSame(Checker):
    """At each log position all services saw the same events, in order, and no timer too early."""

    def check(self, cluster: Cluster) -> None:
        """Check what must hold at all times."""
        for journal in cluster.journals:
            if journal.violations:
                raise_violation("services see the same", journal.violations[0])


class OneLeaderATerm(Checker):
    """A term has one leader, and a member votes for one candidate per term, across restarts.

    A request for votes is the candidate's vote for itself. Only messages on the network are
    checked.
    """

    def __init__(self) -> None:
        self._leaders: dict[int, int] = {}
        self._votes: dict[tuple[int, int], int] = {}
        self._logs: dict[tuple[int, int], LogEnd] = {}

    def on_request(self, term_id: int, candidate_id: int, log_end: LogEnd) -> None:
        """Handle a request for votes: one log per term, and the candidate's own vote."""
        self.on_vote(term_id, candidate_id, candidate_id)
        known = self._logs.setdefault((term_id, candidate_id), log_end)
        if known != log_end:
            raise InvariantError(
                "a candidate stands once a term",
                f"member {candidate_id} in {term_id}, with its log up to {known} and {log_end}",
            )

    def on_vote(self, candidate_term_id: int, member_id: int, candidate_id: int) -> None:
        """Handle a vote for a candidate."""
        known = self._votes.setdefault((candidate_term_id, member_id), candidate_id)
        if known != candidate_id:
            raise InvariantError(
                "a member votes once a term",
                f"member {member_id} voted for {known} and {candidate_id} in {candidate_term_id}",
            )

    def on_leader(self, term_id: int, member_id: int) -> None:
        """Handle a message from a leader."""
        known = self._leaders.setdefault(term_id, member_id)
        if known != member_id:
            raise InvariantError(
                "one leader a term", f"members {known} and {member_id} in term {term_id}"
            )


class _Listeners:
    """The methods of listeners that do something, by name: most handle few kinds of messages."""

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self.on_notice = [each.on_notice for each in _overriding(listeners, "on_notice")]
        self.on_append = [each.on_append for each in _overriding(listeners, "on_append")]
        self.on_new_append = [
            each.on_new_append for each in _overriding(listeners, "on_new_append")
        ]
        self.on_canvass = [each.on_canvass for each in _overriding(listeners, "on_canvass")]
        self.on_log_end = [each.on_log_end for each in _overriding(listeners, "on_log_end")]
        self.on_commit = [each.on_commit for each in _overriding(listeners, "on_commit")]
        self.on_new_term = [each.on_new_term for each in _overriding(listeners, "on_new_term")]
        self.on_request = [each.on_request for each in _overriding(listeners, "on_request")]
        self.on_ballot = [each.on_ballot for each in _overriding(listeners, "on_ballot")]
        self.on_vote = [each.on_vote for each in _overriding(listeners, "on_vote")]
        self.on_termination_position = [
            each.on_termination_position
            for each in _overriding(listeners, "on_termination_position")
        ]
        self.on_termination_ack = [
            each.on_termination_ack for each in _overriding(listeners, "on_termination_ack")
        ]
        self.on_session_request = [
            each.on_session_request for each in _overriding(listeners, "on_session_request")
        ]
        self.on_backup_response = [
            each.on_backup_response for each in _overriding(listeners, "on_backup_response")
        ]
        self.observe = [each.observe for each in _overriding(listeners, "observe")]


def _overriding(listeners: Sequence[Listener], name: str) -> list[Listener]:
    default = getattr(Listener, name)
    return [
        each for each in listeners if getattr(getattr(each, name), "__func__", None) is not default
    ]


class CommitHasAMajority(Checker):
    """No leader commits a position that a majority of logs has not reached, as seen on the wire.

    Truncated parts of a member's log do not count; a log of another term counts up to the position
    where the logs of the two terms' leaders differ. The observed messages are also passed to a
    `OneLeaderATerm` and to listeners.
    """

    def __init__(
        self,
        leaders: OneLeaderATerm,
        listeners: Sequence[Listener] = (),
        replicas: Replicas | None = None,
    ) -> None:
        self._leaders = leaders
        self._listeners = _Listeners(listeners)
        self._replicas = replicas or Replicas()
        self._committed: dict[int, int] = {}  # by term
        self._sent: dict[tuple[int, int, int], tuple[int, int]] = {}
        self._caught_up: dict[int, int] = {}  # by member, the term of the requested log

    def begin(self, cluster: Cluster) -> None:
        """Begin observing the network."""
        kinds = (
            Vote,
            RequestVote,
            NewLeadershipTerm,
            AppendPosition,
            CommitPosition,
            CanvassPosition,
            CatchupPosition,
            SessionConnectRequest,
            SessionEvent,
            NewLeaderEvent,
            BackupResponse,
            TerminationPosition,
            TerminationAck,
        )
        cluster.world.wire.tap([each.template_id for each in kinds])

    def check(self, cluster: Cluster) -> None:
        """Check what must hold at all times."""
        if not cluster.is_joined:
            cluster.world.wire.take_tapped()
            return
        for _, host, stream_id, session_id, place, message in cluster.world.wire.take_tapped():
            is_new = self._is_new(host, stream_id, session_id, place)
            template_id = int.from_bytes(message[2:4], "little")
            if template_id == BackupResponse.template_id:
                for on_backup_response in self._listeners.on_backup_response if is_new else ():
                    on_backup_response(cluster, host, session_id, message)
            elif template_id == SessionConnectRequest.template_id:
                for on_session_request in self._listeners.on_session_request if is_new else ():
                    on_session_request(host, message)
            elif template_id not in _NOTICES:
                self._on_message(cluster, message, is_new=is_new)
            elif is_new:
                for on_notice in self._listeners.on_notice:
                    on_notice(host, message)
        for observe in self._listeners.observe:
            observe(cluster)

    def _is_new(self, host: int, stream_id: int, session_id: int, place: tuple[int, int]) -> bool:
        """Return whether a message is sent for the first time: retransmissions are outdated."""
        stream = host, stream_id, session_id
        known = self._sent.get(stream)
        if known is not None:
            terms = (place[0] - known[0]) & _ALL_TERMS
            if terms > _HALF_OF_TERMS or (terms == 0 and place[1] <= known[1]):
                return False
        self._sent[stream] = place
        return True

    def _on_message(self, cluster: Cluster, message: bytes, *, is_new: bool) -> None:
        template_id = int.from_bytes(message[2:4], "little")
        if template_id == AppendPosition.template_id:
            term_id, position, member_id = _APPEND.unpack_from(message, _HEADER_LENGTH)
            if message[_FLAGS] & _CATCHING_UP:
                # It has the log of the term that it requested, but reports the term that it has
                # read.
                term_id = max(term_id, self._caught_up.get(member_id, term_id))
            if is_new:
                self._replicas.on_appended(member_id, LogEnd(term_id, position))
            for on_append in self._listeners.on_append:
                on_append(term_id, position, member_id)
            if is_new and not message[_FLAGS] & _CATCHING_UP:
                for on_new_append in self._listeners.on_new_append:
                    on_new_append(cluster, term_id, position, member_id)
        elif template_id == CatchupPosition.template_id:
            term_id, _, member_id = _APPEND.unpack_from(message, _HEADER_LENGTH)
            if is_new:
                self._caught_up[member_id] = term_id
        elif template_id == CanvassPosition.template_id:
            log_term_id, position, term_id, member_id = _CANVASS.unpack_from(
                message, _HEADER_LENGTH
            )
            if is_new:
                self._replicas.on_end(member_id, LogEnd(log_term_id, position))
                for on_canvass in self._listeners.on_canvass:
                    on_canvass(term_id, position, member_id)
            for on_log_end in self._listeners.on_log_end:
                on_log_end(cluster, log_term_id, position, member_id)
        elif template_id == CommitPosition.template_id:
            term_id, position, leader_id = _APPEND.unpack_from(message, _HEADER_LENGTH)
            self._leaders.on_leader(term_id, leader_id)
            self._on_commit(cluster, term_id, position, leader_id)
            for on_commit in self._listeners.on_commit:
                on_commit(term_id, position, leader_id)
        elif template_id == Vote.template_id:
            self._on_vote(cluster, Vote.decode(message), is_new=is_new)
        elif template_id == RequestVote.template_id:
            self._on_request(cluster, RequestVote.decode(message), is_new=is_new)
        elif template_id == TerminationPosition.template_id:
            for on_position in self._listeners.on_termination_position:
                on_position(*_TERMINATION.unpack_from(message, _HEADER_LENGTH))
        elif template_id == TerminationAck.template_id:
            for on_ack in self._listeners.on_termination_ack:
                on_ack(*_APPEND.unpack_from(message, _HEADER_LENGTH))
        else:
            term = NewLeadershipTerm.decode(message)
            self._leaders.on_leader(term.leadership_term_id, term.leader_member_id)
            self._replicas.on_leader(term.leadership_term_id, term.leader_member_id)
            for on_new_term in self._listeners.on_new_term:
                on_new_term(term)

    def _on_request(self, cluster: Cluster, request: RequestVote, *, is_new: bool) -> None:
        if not request.protocol_version:
            # Not a candidacy: it notifies a leader of a term later than the leader's own. A vote in
            # reply still counts.
            return
        term_id, candidate_id = request.candidate_term_id, request.candidate_member_id
        log_end = LogEnd(request.log_leadership_term_id, request.log_position)
        self._leaders.on_request(term_id, candidate_id, log_end)
        if is_new:
            self._replicas.on_candidate(term_id, candidate_id, log_end)
        for on_request in self._listeners.on_request:
            on_request(term_id, candidate_id, log_end)
        for on_vote in self._listeners.on_vote:
            on_vote(cluster, term_id, candidate_id)

    def _on_vote(self, cluster: Cluster, vote: Vote, *, is_new: bool) -> None:
        if not vote.vote:
            return
        term_id, member_id = vote.candidate_term_id, vote.follower_member_id
        log_end = LogEnd(vote.log_leadership_term_id, vote.log_position)
        if is_new:
            self._replicas.on_end(member_id, log_end)
        self._leaders.on_vote(term_id, member_id, vote.candidate_member_id)
        for on_ballot in self._listeners.on_ballot:
            on_ballot(term_id, member_id, vote.candidate_member_id, log_end)
        for on_vote in self._listeners.on_vote:
            on_vote(cluster, term_id, member_id)

    def _on_commit(self, cluster: Cluster, term_id: int, position: int, leader_id: int) -> None:
        if position <= self._committed.get(term_id, -1):
            return  # it was checked then
        replicas = self._replicas
        replicas.on_leader(term_id, leader_id)
        committed = LogEnd(term_id, position)
        having = 0
        for member in cluster.members:
            member_id = member.member_id
            ends = [replicas.ends.get(member_id, _NOTHING)]
            if member.machine.power_loss_count and not cluster.sync_level:
                # Without syncs a member may lose data that it reported and the leader counted.
                ends.append(replicas.highest_end(member_id, term_id))
            is_own = member_id == leader_id
            having += is_own or any(replicas.common(each, committed) >= position for each in ends)
        if not is_majority(having, len(cluster.members)):
            raise InvariantError(
                "commit has a majority",
                f"leader {leader_id} commits {position} in term {term_id}; members have"
                f" {replicas.ends}",
            )
        self._committed[term_id] = position
        replicas.on_end(leader_id, committed)


class LogsAreEqual(DiskChecker):
    """The committed logs of all members are the same, byte for byte.

    Only a frame's session and stream may differ: they are those of the recorded publication.
    """

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        logs = {each.member_id: self._disks.committed_log(each) for each in cluster.members}
        if cluster.is_joined:
            check_logs(logs)


class SnapshotsAreEqual(DiskChecker):
    """Snapshots that services took at the same position of the log are the same."""

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        snapshots = {
            each.member_id: read_snapshots(disk, DIRECTORY)
            for each in cluster.members
            if (disk := self.with_snapshots(cluster, each)) is not None
        }
        if cluster.is_joined:
            check_snapshots(snapshots)


class SnapshotsHaveTheirLog(DiskChecker):
    """No log was purged after a snapshot that a member may recover from."""

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        for member in cluster.members:
            disk = self.with_snapshots(cluster, member)
            if disk is None:
                continue
            start = read_log_start(disk, DIRECTORY)
            for position, _ in read_module_snapshots(disk, DIRECTORY):
                if position < start:
                    raise InvariantError(
                        "snapshots have their log",
                        f"member {member.member_id} has a snapshot at {position}, its log begins"
                        f" at {start}",
                    )


class SnapshotsHoldTheTimers(DiskChecker):
    """The consensus module's part of a snapshot has the timers pending at its position.

    Others only if a service is native: its requests are not observed.
    """

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        for member in cluster.members:
            disk = self.with_snapshots(cluster, member)
            for position, held in () if disk is None else read_module_snapshots(disk, DIRECTORY):
                check_held_timers(position, member.member_id, held, cluster.journals_of(member))


class ModuleSnapshotsAreRight(DiskChecker):
    """All members' modules write equal snapshots of a position, with the sessions open there."""

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        first: dict[int, tuple[int, ModuleContent]] = {}
        for member in cluster.members:
            disk = self.with_snapshots(cluster, member)
            member_id = member.member_id
            for position, found in () if disk is None else read_module_snapshots(disk, DIRECTORY):
                check_against_journal(position, member_id, found, cluster.journals_of(member))
                if cluster.is_joined:
                    known = first.setdefault(position, (member_id, found))
                    check_equal(position, *known, member_id, found)


class ModulesHoldTheTimers(Checker):
    """Each consensus module has all pending timers: it may become the leader."""

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        modules = [each.running_module for each in cluster.members]
        now = max((each.context.cluster_time() for each in modules if each is not None), default=0)
        for member, module in zip(cluster.members, modules, strict=True):
            held = None if module is None else module.timers
            if held is None:
                continue
            for journal in cluster.journals_of(member):
                lost = [
                    correlation_id
                    for correlation_id, deadline in journal.deadlines_at(
                        journal.end_position
                    ).items()
                    if deadline > now and held.get(correlation_id) != deadline
                ]
                if lost:
                    raise InvariantError(
                        "modules hold the timers",
                        f"member {member.member_id} does not have {sorted(lost)}",
                    )


class TimersFire(Checker):
    """All timers that were due long ago have fired, even if an id was scheduled several times."""

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        for journal in cluster.journals:
            if not journal.entries:
                continue
            now = journal.entries[-1].timestamp
            for correlation_id, deadline in journal.deadlines_at(journal.end_position).items():
                if deadline + _LONGEST_TIMER_DELAY_MS < now:
                    raise InvariantError(
                        "timers fire", f"{correlation_id}, due at {deadline}, not until {now}"
                    )


class ServiceMessagesAreRetained(DiskChecker):
    """Each message that a service offered is in the log once, in the order of the offers.

    Offers of native services are not observed.
    """

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        for member in cluster.members:
            disk = self._disks.of(member)
            if disk is None:
                continue
            check_service_messages(
                self._disks.committed_log(member),
                {
                    each.service_id: each.offered()
                    for each in cluster.journals_of(member)
                    if each.entries
                },
                read_log_start(disk, DIRECTORY),
            )


class AnswersAreRight(Checker):
    """Each answered request of the reference service is in the log once and has the right answer.

    The order of the log must be consistent with the clients' observations: a request that was
    answered before another one was sent comes first. Such a history is linearizable.
    """

    def __init__(self, operations: Sequence[Sequence[Operation]]) -> None:
        self._operations = operations

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        logs = [
            ReferenceLog(each, max_clients_of(cluster, each))
            for each in cluster.journals
            if each.service_id == 0
        ]
        check_answers(logs, self._operations)


class LoadsDoNotRaise(Checker):
    """No load raises, neither for a request nor for a response: so a load can check answers."""

    def check(self, cluster: Cluster) -> None:
        """Check what must hold at all times."""
        for client in cluster.clients:
            for error in client.load_failures:
                trace = "".join(traceback.format_exception(error)).strip()
                raise InvariantError("loads do not raise", f"{client}: {trace}")


class SurvivorsAreAnsweredOnce(Checker):
    """Surviving clients do not fail, and receive one answer to each request.

    One whose id is taken over by another process is given its requests that are in doubt.

    `AnswersAreRight` checks the answers, and that each request is in the log once.
    """

    def check(self, cluster: Cluster) -> None:
        """Check what must hold at all times."""
        for client in cluster.clients:
            if isinstance(client, Survivor) and client.violations:
                raise InvariantError(
                    "surviving clients are answered once", f"{client}: {client.violations[0]}"
                )

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        self.check(cluster)
        for client in cluster.clients:
            if isinstance(client, Survivor) and client.is_waiting:
                raise InvariantError(
                    "surviving clients are answered once",
                    f"{client} has no answer to {sorted(client.pending)[:8]}",
                )


class StatesAreRight(Checker):
    """Services that processed the whole log have the state that results from it."""

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        expected: dict[int, bytes] = {}  # by the identity of a journal
        for member in cluster.members:
            for journal in cluster.journals_of(member):
                service: Any = member.services[journal.service_id]
                if type(getattr(service, "service", None)) is not ReferenceService:
                    continue
                if service.seen_count != len(journal.entries):
                    continue
                if id(journal) not in expected:
                    expected[id(journal)] = ReferenceLog(
                        journal, service.service.max_clients
                    ).state.encode()
                found = service.state.encode()
                if found != expected[id(journal)]:
                    raise InvariantError(
                        "states are right",
                        f"member {member.member_id}, service {journal.service_id} has {found!r},"
                        f" the log leads to {expected[id(journal)]!r}",
                    )


def check_logs(logs: Mapping[int, Sequence[tuple[int, bytes]]]) -> None:
    """Compare the messages of several members' logs, by member id, with the position after each.

    Raises
    ------
    InvariantError
        Two members have different messages at the same place.
    """
    first_id, first = max(logs.items(), key=lambda item: len(item[1]), default=(0, ()))
    for member_id, log in logs.items():
        # Messages that one of them purged are not compared.
        begin = max((each[0][0] for each in (first, log) if each), default=0)
        expected = [each for each in first if each[0] >= begin]
        found = [each for each in log if each[0] >= begin]
        for index, (one, other) in enumerate(zip(found, expected, strict=False)):
            if one != other:
                raise InvariantError(
                    "committed logs are equal",
                    f"message {index}: member {member_id} has {one[1][:40].hex()} before"
                    f" {one[0]}, member {first_id} {other[1][:40].hex()} before {other[0]}",
                )


class ReferenceLog:
    """The result of running the reference state machine over the log.

    Parameters
    ----------
    journal : Journal
    max_clients : int
        The size of the service's table of surviving clients.

    Attributes
    ----------
    places : dict
        The index of the journal's entry, and the right answer, by the request's name.
    twice : list of Request
        The requests that are in the log more than once.
    state : ReferenceState
        The final state of the service.
    """

    def __init__(self, journal: Journal, max_clients: int = MAX_CLIENTS) -> None:
        self.places: dict[tuple[int, int], tuple[int, int]] = {}
        self.twice: list[Request] = []
        state = self.state = ReferenceState()
        requests = PlainRequests(WINDOW_LENGTH, max_clients)
        for index, entry in enumerate(journal.entries):
            if entry.kind == "timer":
                state.on_timer(entry.key)
            elif entry.kind == "message" and entry.key < 0:
                state.on_relayed(Request.decode(entry.payload))
            elif entry.kind == "message":
                payload: bytes | None = entry.payload
                if PlainRequests.is_enveloped(entry.payload):
                    # Enveloped requests are only for the first service.
                    payload = None if journal.service_id else requests.accept(entry.payload)
                if payload is None:
                    continue
                request = Request.decode(payload)
                name = (request.client, request.number)
                if name in self.places:
                    self.twice.append(request)
                self.places[name] = (index, state.apply(request))


def check_answers(logs: Sequence[ReferenceLog], operations: Sequence[Sequence[Operation]]) -> None:
    """Compare what clients received with the logs.

    Raises
    ------
    InvariantError
        A request is in the log twice, an answered one is missing, an answer is wrong, one failed
        that must not or in another way, or two requests are in an order that their clients could
        not have observed.
    """
    for log in logs:
        if log.twice:
            raise InvariantError("a request is in the log once", f"{log.twice[0]} twice")
        _check_order(log, operations)
    for operation in (each for client in operations for each in client):
        if operation.answered_ns < 0:
            continue
        if operation.answer_count > 1:
            raise InvariantError("one answer a request", f"{operation}")
        name = (operation.request.client, operation.request.number)
        places = [log.places[name] for log in logs if name in log.places]
        if len(places) != 1:
            raise InvariantError(
                "an answered request is in the log", f"{operation} {len(places)} times"
            )
        expected = operation.request.failure
        if operation.failure != expected:
            raise InvariantError(
                "requests fail as their service decides", f"{operation}, expected {expected}"
            )
        if expected is None and places[0][1] != operation.answer:
            raise InvariantError("answers are right", f"{operation}, expected {places[0][1]}")


def _check_order(log: ReferenceLog, operations: Sequence[Sequence[Operation]]) -> None:
    by_name = {
        (each.request.client, each.request.number): each for some in operations for each in some
    }
    latest: Operation | None = None
    for name in sorted(log.places, key=lambda each: log.places[each][0]):
        operation = by_name.get(name)
        if operation is None:
            continue
        if latest is not None and 0 <= operation.answered_ns < latest.sent_ns:
            raise InvariantError(
                "the history is linearizable",
                f"{operation} was answered before {latest} was sent, and follows it in the log",
            )
        if latest is None or operation.sent_ns > latest.sent_ns:
            latest = operation


def standard_checkers() -> list[Checker]:
    """Return the checkers for any service, in the order of their calls."""
    leaders = OneLeaderATerm()
    replicas = Replicas()
    disks = DiskCopies()
    followed = MembersFollowTheModel(disks)
    written = RecordingLogsHaveTheirTimes()
    notices = NoticesMatchTheLog(followed)
    timeouts = SessionsTimeOutByTheLog()
    return [
        ServicesSeeTheSame(),
        CommitHasAMajority(
            leaders,
            [
                VotesArePersisted(),
                LeadersAreElected(),
                LeadersHaveWhatIsCommitted(replicas),
                VotesAreFollowed(),
                SentPositionsArePersisted(),
                SentPositionsAreSynced(),
                LogTermsNeverFall(),
                ReportedTermsAreRecorded(),
                NothingIsSeenBeyondCommit(),
                AnswersToBackupsAreRight(followed),
                RequestIdsAreUsedOnce(),
                EndsAreRequestedInTheirTerm(),
                notices,
                timeouts,
            ],
            replicas,
        ),
        leaders,
        LogsAreEqual(disks),
        SnapshotsAreEqual(disks),
        SnapshotsHaveTheirLog(disks),
        SnapshotsHoldTheTimers(disks),
        ModuleSnapshotsAreRight(disks),
        SessionsAreGivenOnce(),
        timeouts,
        SessionsAreLimited(timeouts),
        ModulesHoldTheTimers(),
        ModulesHoldTheSessions(),
        TimersFire(),
        TimersFireOnce(),
        FailuresAreReported(),
        RolesAreRight(),
        ServiceMessagesAreRetained(disks),
        LoadsDoNotRaise(),
        SurvivorsAreAnsweredOnce(),
        RequestsAreResentWithPauses(),
        LossesOfIngressAreNoticed(),
        followed,
        SnapshotsAreRightWhenComplete(followed, disks),
        LoadedStatesAreThoseOfTheModel(followed, disks),
        notices,
        written,
        MembersAreAtRest(followed, written, disks),
        AnswersMatchTheLog(),
        TablesFollowTheLog(disks),
        LoadedSessionsAreThoseOfTheSnapshot(disks),
        RecordingsHaveTheirTimes(disks),
        ArchivesAnswer(),
        ArchivesRecordTheLogAlone(disks),
    ]
