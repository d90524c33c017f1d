"""Check messages between members against their disks: promises must be stored before they are sent.

A cluster is correct only if a vote survives a restart of the voter, and a position that counted for
a commit is stored on a disk. A violation causes a loss only with a second failure at the right
moment, so the disks are checked directly. These reads do not count as calls to the disks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.member_disk import find_log, is_log_missing
from aeron_cluster.simulator.checks.plain_disk import (
    PlainRecording,
    read_candidate_term,
    read_frames_end,
)
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from aeron_cluster.codecs.cluster import NewLeadershipTerm
    from aeron_cluster.simulator.checks.replicas import LogEnd
    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.members.member_process import MemberProcess

__all__ = [
    "Listener",
    "LogTermsNeverFall",
    "NothingIsSeenBeyondCommit",
    "SentPositionsArePersisted",
    "SentPositionsAreSynced",
    "VotesArePersisted",
]

_ARCHIVE_DIR: Final = f"{DIRECTORY}/archive"
_CLUSTER_DIR: Final = f"{DIRECTORY}/cluster"
_NOT_COMPARED: Final = 2**63
_PROMISE: Final = f"{DIRECTORY}/cluster/node-state.dat"


class Listener:
    """Receives the messages between members. Override the methods of interest."""

    def on_vote(self, cluster: Cluster, term_id: int, member_id: int) -> None:
        """Handle a member's vote in a term, including a candidate's for itself."""

    def on_request(self, term_id: int, candidate_id: int, log_end: LogEnd) -> None:
        """Handle a candidate's request for votes, with the end of its log."""

    def on_ballot(self, term_id: int, member_id: int, candidate_id: int, log_end: LogEnd) -> None:
        """Handle a member's vote for another one, with the end of the voter's log."""

    def on_append(self, term_id: int, position: int, member_id: int) -> None:
        """Handle the append position of a follower."""

    def on_new_append(self, cluster: Cluster, term_id: int, position: int, member_id: int) -> None:
        """Handle an append position that is not sent again, of a member that is not behind."""

    def on_canvass(self, term_id: int, position: int, member_id: int) -> None:
        """Record the log end that a canvassing member reports, once for each message."""

    def on_log_end(self, cluster: Cluster, log_term_id: int, position: int, member_id: int) -> None:
        """Record the term and log end that a canvassing member reports."""

    def on_commit(self, term_id: int, position: int, leader_id: int) -> None:
        """Record the position that a leader reports as committed."""

    def on_new_term(self, term: NewLeadershipTerm) -> None:
        """Record a leader's new leadership term."""

    def on_termination_position(self, term_id: int, position: int) -> None:
        """Record the position at which a leader requests the members to end."""

    def on_termination_ack(self, term_id: int, position: int, member_id: int) -> None:
        """Record the end of a follower."""

    def on_notice(self, host: int, message: bytes) -> None:
        """Record a session event or a new leader event that a host sent to a client."""

    def on_session_request(self, host: int, message: bytes) -> None:
        """Record a client's new request for a session."""

    def on_backup_response(
        self, cluster: Cluster, host: int, session_id: int, message: bytes
    ) -> None:
        """Check what a host answers to a backup's query, in a session of a publication."""

    def observe(self, cluster: Cluster) -> None:
        """Check the members after all messages so far."""


class VotesArePersisted(Listener):
    """A vote is on the member's disk before it is sent, and with syncs survives a loss of power."""

    def on_vote(self, cluster: Cluster, term_id: int, member_id: int) -> None:
        """Handle a vote for a candidate."""
        member = cluster.members[member_id]
        if not member.machine.files.is_directory(_CLUSTER_DIR):
            return
        found = read_candidate_term(member.machine.files.copy(_CLUSTER_DIR), _CLUSTER_DIR)
        if found < term_id:
            raise InvariantError(
                "a vote is persisted",
                f"member {member_id} voted in {term_id}, its disk has {found}",
            )
        # A later promise of a process that was killed may be between its write and its sync.
        is_synced = not cluster.sync_level or member.running_module is None or found != term_id
        if not is_synced and member.machine.files.may_lose(_PROMISE):
            raise InvariantError(
                "a vote is persisted",
                f"member {member_id} voted in {term_id}, and a loss of power may undo it",
            )


class SentPositionsArePersisted(Listener):
    """Positions that counted for a commit are on the disk of each member that acknowledged them.

    Checked once a process has ended: while it runs, only it knows what it still has to write. When
    it canvasses, it reports its position itself.
    """

    def __init__(self) -> None:
        self._committed: dict[int, int] = {}
        self._processes: dict[int, _Process] = {}
        # What was found holds until a process starts or ends, or, for those that have ended, until
        # more is committed.
        self._is_due = True
        self._are_some_gone = False
        self._changes = -1

    def _process(self, member_id: int) -> _Process:
        process = self._processes.get(member_id)
        if process is None:
            process = self._processes[member_id] = _Process()
            self._is_due = True
        return process

    def on_append(self, term_id: int, position: int, member_id: int) -> None:
        """Handle the append position of a follower."""
        sent = self._process(member_id).sent
        sent[term_id] = max(position, sent.get(term_id, 0))
        self._is_due |= self._are_some_gone

    def on_canvass(self, term_id: int, position: int, member_id: int) -> None:
        """Record the log end that a canvassing member reports."""
        process = self._process(member_id)
        if (term_id, position) in process.canvassed:
            return  # possibly sent late, from when the log was shorter
        process.canvassed.add((term_id, position))
        claim = process.claim(self._committed)
        if position < claim:
            raise InvariantError(
                "sent positions are persisted",
                f"member {member_id} sent {claim}, and has {position} in an election",
            )

    def on_commit(self, term_id: int, position: int, leader_id: int) -> None:
        """Record the position that a leader reports as committed by a majority and itself."""
        self._committed[term_id] = max(position, self._committed.get(term_id, 0))
        self.on_append(term_id, position, leader_id)

    def observe(self, cluster: Cluster) -> None:
        """Check the disks of members that are not running."""
        processes = self._processes
        if not processes:
            return  # nothing was sent, or no member received it
        if not self._is_due and self._changes == cluster.process_changes:
            return
        self._is_due, self._changes = False, cluster.process_changes
        self._are_some_gone = False
        for member in cluster.members:
            is_gone = member.is_gone
            self._are_some_gone |= is_gone
            process = processes.get(member.member_id)
            if process is None:
                continue
            if not is_gone:
                if process.start_count != member.start_count:
                    self._processes[member.member_id] = _Process(member.start_count)
                continue
            if member.machine.power_loss_count and not cluster.sync_level:
                continue
            claim = process.claim(self._committed)
            if process.disk_end is None:
                process.disk_end = _log_end(member)
            if process.disk_end < claim:
                raise InvariantError(
                    "sent positions are persisted",
                    f"member {member.member_id} sent {claim}, its disk has {process.disk_end}",
                )


class SentPositionsAreSynced(Listener):
    """If a run syncs, a position that a follower reports as appended survives a loss of power.

    Checked while it runs, in the next pass after it was sent: until then its loss is no violation.
    """

    def __init__(self) -> None:
        self._sent: dict[int, int] = {}
        self._logs: dict[
            int, tuple[int, PlainRecording]
        ] = {}  # by member, with the number of its start

    def on_new_append(
        self,
        cluster: Cluster,
        term_id: int,  # noqa: ARG002
        position: int,
        member_id: int,
    ) -> None:
        """Record what a follower reports."""
        if cluster.sync_level:
            self._sent[member_id] = position

    def observe(self, cluster: Cluster) -> None:
        """Check the disks of the followers that reported positions since the last call."""
        while self._sent:
            member_id, position = self._sent.popitem()
            member = cluster.members[member_id]
            # One that has ended may truncate what it reported.
            log = self._log_of(member) if member.running_module is not None else None
            if log is None or position <= log.start_position:
                continue
            name, offset = log.segment(position - 1)
            path = f"{_ARCHIVE_DIR}/{name}"
            files = member.machine.files
            if files.is_file(path) and files.may_lose(path, offset + 1):
                raise InvariantError(
                    "sent positions are synced",
                    f"member {member_id} sent {position}, and a loss of power may undo it",
                )

    def _log_of(self, member: Member) -> PlainRecording | None:
        known = self._logs.get(member.member_id)
        if known is None or known[0] != member.start_count:
            found = find_log(member.machine.files.copy(DIRECTORY), DIRECTORY)
            if found is None:
                return None
            known = self._logs[member.member_id] = member.start_count, found
        return known[1]


class LogTermsNeverFall(Listener):
    """A member's log ends in the term that it reported, or in a later one, also after a restart.

    Positions that it acknowledged may have counted for a commit. A member that reports an earlier
    term than that of its log would vote for members with a shorter log, which then truncate it. A
    term of which its log has nothing may be left out: a later leader that lacks it is queried so.
    """

    def __init__(self) -> None:
        self._terms: dict[int, int] = {}
        self._bases: dict[int, int] = {}  # by term, where its leader began it
        self._ends: set[tuple[int, int, int]] = set()
        self._gone: list[Member] = []
        self._changes = -1

    def on_new_term(self, term: NewLeadershipTerm) -> None:
        """Record a leader's new leadership term."""
        self._bases[term.leadership_term_id] = term.term_base_log_position

    def on_log_end(self, cluster: Cluster, log_term_id: int, position: int, member_id: int) -> None:
        """Record the term and log end that a canvassing member reports."""
        end = (member_id, log_term_id, position)
        power_lost = cluster.members[member_id].machine.power_loss_count
        # An empty log has no term. A retransmission may report an earlier one.
        if not position or end in self._ends or (power_lost and not cluster.sync_level):
            return
        self._ends.add(end)
        known = self._terms.get(member_id, log_term_id)
        left_out = range(log_term_id + 1, known + 1)
        if any(self._bases.get(each, position) < position for each in left_out):
            raise InvariantError(
                "the term of a log never falls",
                f"member {member_id}: a log up to {position} was of term {known}, and is of"
                f" {log_term_id}",
            )
        self._terms[member_id] = log_term_id

    def observe(self, cluster: Cluster) -> None:
        """Drop members with removed directories."""
        if self._changes != cluster.process_changes:
            self._changes = cluster.process_changes
            self._gone = [each for each in cluster.members if each.is_gone]
        for member in self._gone:
            if not member.machine.files.is_directory(_CLUSTER_DIR):
                self._terms.pop(member.member_id, None)


@dataclass
class _Process:
    """The positions that a process sent, by term, and the end of its log on disk once it ended."""

    start_count: int = 0
    sent: dict[int, int] = field(default_factory=dict)
    canvassed: set[tuple[int, int]] = field(default_factory=set)
    disk_end: int | None = None

    def claim(self, committed: dict[int, int]) -> int:
        """Return the highest committed position that it acknowledged; never truncated."""
        return max(
            (min(position, committed.get(term_id, 0)) for term_id, position in self.sent.items()),
            default=0,
        )


class NothingIsSeenBeyondCommit(Listener):
    """No follower's services read beyond the commit positions that leaders sent."""

    def __init__(self) -> None:
        self._committed = 0
        # Those with a module, which may be freed when they end.
        self._processes: list[tuple[Member, MemberProcess]] = []
        self._changes = -1

    def on_commit(self, term_id: int, position: int, leader_id: int) -> None:  # noqa: ARG002
        """Record the position that a leader reports as committed."""
        self._committed = max(position, self._committed)

    def on_new_term(self, term: NewLeadershipTerm) -> None:
        """Record the commit position in a leader's new leadership term."""
        self._committed = max(term.commit_position, self._committed)

    def observe(self, cluster: Cluster) -> None:
        """Check the position up to which services may read."""
        committed = self._committed
        if not committed:
            return  # nothing was sent, or no member received it
        if self._changes != cluster.process_changes:
            self._changes = cluster.process_changes
            self._processes = [
                (member, process)
                for member in cluster.members
                for process in member.processes
                if process.module is not None
            ]
        for member, process in self._processes:
            module = process.module
            counters = None if module is None else module.counters
            if module is None or counters is None:
                continue  # not there yet, or any more
            position = counters.commit_position.get()
            if (
                position > committed
                and module.role is Role.FOLLOWER
                and counters.election_state.get() == ElectionState.CLOSED
            ):
                raise InvariantError(
                    "nothing is seen beyond commit",
                    f"member {member.member_id} reads up to {position}, leaders sent"
                    f" {self._committed}",
                )


def _log_end(member: Member) -> int:
    """Return the end of the log's frames on a member's disk; without it nothing is compared.

    Messages that are under way may still raise what the member has sent.
    """
    files = member.machine.files
    if not files.is_directory(_CLUSTER_DIR) or is_log_missing(files):
        return _NOT_COMPARED
    disk = files.copy(DIRECTORY)
    log = find_log(disk, DIRECTORY)
    return 0 if log is None else read_frames_end(disk, _ARCHIVE_DIR, log)
