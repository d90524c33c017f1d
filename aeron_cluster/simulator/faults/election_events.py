"""Faults that are aimed at elections: at one of their states, at the answers of a ballot, at a log.

Elections take a part of a run, and their states a part of that: what is to happen in one of them
waits for it. An election comes of the loss of a leader, with which each of these begins.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.member_disk import (
    AWAY,
    find_log,
    is_log_missing,
    read_valid_entries,
)
from aeron_cluster.simulator.checks.plain_disk import read_frames_end
from aeron_cluster.simulator.faults.events import Event, MemberEvent, end_disk_failures
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.members.member import Member
    from aeron_cluster.simulator.world.memory_files import MemoryFiles

__all__ = [
    "MISSING_PARTS",
    "RECORDING_LOG",
    "HoldUpVotes",
    "KillInElection",
    "MissingFiles",
    "OlderArchive",
    "put_back",
]

_CHECK_INTERVAL_NS: Final = 2_000_000
_LEADER_STATES: Final = (
    ElectionState.LEADER_LOG_REPLICATION,
    ElectionState.LEADER_REPLAY,
    ElectionState.LEADER_INIT,
    ElectionState.LEADER_READY,
)
MISSING_PARTS: Final = ("archive", "archive/archive.catalog")
"""What `MissingFiles` takes: a directory that is not mounted, a file that was not restored."""
RECORDING_LOG: Final = "cluster/recording.log"
"""What `MissingFiles` takes from a single member: no other member has the log that it names."""


def _state_of(member: Member) -> ElectionState | None:
    counters = member.counters
    return None if counters is None else ElectionState(counters.election_state.get())


def _leader(trial: EventHost) -> Member | None:
    """Return the member that leads, or is about to."""
    members = trial.cluster.members
    leading = next((each for each in members if each.is_leading), None)
    return leading or next((each for each in members if _state_of(each) in _LEADER_STATES), None)


def _lose_leader(trial: EventHost, down_ns: int) -> None:
    leader = _leader(trial)
    if leader is not None:
        leader.kill()
        trial.start_later(leader, down_ns)


@dataclass(frozen=True)
class KillInElection(Event):
    """The leader is lost; in a state of the election that follows, a member is killed.

    Parameters
    ----------
    at_ns : int
    state : ElectionState
    is_of_leader : bool
        Whether the leader of the time is killed, otherwise the member in that state.
    calls : int
        At which call from then on.
    is_network : bool
        Whether that is a send, otherwise a call to files.
    is_power_lost : bool
        Whether its machine loses power then.
    first_down_ns : int
        How long the first leader is down.
    down_ns : int
    limit_ns : int
        How long the state is waited for.
    """

    template = (
        "kill the leader, start it again {first_down_ns} later; when a member is in {state}, within"
        " {limit_ns}, kill {is_of_leader} at its {is_network} call {calls} from there"
        " (power lost: {is_power_lost}), start again {down_ns} later"
    )

    state: ElectionState
    is_of_leader: bool
    calls: int
    is_network: bool
    is_power_lost: bool
    first_down_ns: int
    down_ns: int
    limit_ns: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        _lose_leader(trial, self.first_down_ns)
        self._await_target(trial, trial.cluster.now_ns + self.limit_ns)

    def _await_target(self, trial: EventHost, until_ns: int) -> None:
        found = next((m for m in trial.cluster.members if self._is_reached(m)), None)
        if found is None:
            if trial.cluster.now_ns < until_ns:
                trial.later(_CHECK_INTERVAL_NS, partial(self._await_target, trial, until_ns))
            return
        target = (_leader(trial) if self.is_of_leader else None) or found
        trial.set_down_time(target, self.down_ns)
        target.stop_after(self.calls, is_network=self.is_network)
        if self.is_power_lost:
            self._await_end(trial, target, target.start_count, until_ns)

    def _is_reached(self, member: Member) -> bool:
        """Return whether a member is in the state, or in one that soon follows it."""
        state = _state_of(member)
        if state is None or self.state <= ElectionState.FOLLOWER_BALLOT:
            return state is self.state
        is_of_leader = self.state <= ElectionState.LEADER_READY
        last = ElectionState.LEADER_READY if is_of_leader else ElectionState.FOLLOWER_READY
        return self.state <= state <= last

    def _await_end(self, trial: EventHost, target: Member, start_count: int, until_ns: int) -> None:
        if target.start_count != start_count:
            return
        if not target.is_running:
            target.lose_power()
            trial.start_later(target, self.down_ns)
            trial.on_power_lost()
        elif trial.cluster.now_ns < until_ns:
            trial.later(
                _CHECK_INTERVAL_NS, partial(self._await_end, trial, target, start_count, until_ns)
            )


@dataclass(frozen=True)
class HoldUpVotes(Event):
    """The leader is lost; what some members send is held up in the ballot, and arrives after it.

    Votes, rejections and requests of one term so arrive in the next one, where they count no more.

    Parameters
    ----------
    at_ns : int
    ways : tuple of tuple of int
        From which member to which.
    first_down_ns : int
        How long the leader is down.
    duration_ns : int
    limit_ns : int
        How long a candidate is waited for.
    """

    template = (
        "kill the leader, start it again {first_down_ns} later; when a member is to stand, within"
        " {limit_ns}, hold up what is sent from and to {ways}, for {duration_ns}"
    )

    ways: tuple[tuple[int, int], ...]
    first_down_ns: int
    duration_ns: int
    limit_ns: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        _lose_leader(trial, self.first_down_ns)
        self._await_target(trial, trial.cluster.now_ns + self.limit_ns)

    def _await_target(self, trial: EventHost, until_ns: int) -> None:
        members = trial.cluster.members
        if not any(_state_of(each) is ElectionState.NOMINATE for each in members):
            if trial.cluster.now_ns < until_ns:
                trial.later(_CHECK_INTERVAL_NS, partial(self._await_target, trial, until_ns))
            return
        wire = trial.cluster.world.wire
        for source, target in self.ways:
            networks = members[source].machine.network, members[target].machine.network
            wire.clog(*networks, self.duration_ns)


@dataclass(frozen=True)
class MissingFiles(MemberEvent):
    """A member starts without a part of its log, which comes back later.

    It has acknowledged what is missing, and must not take part as one that never had it.

    Parameters
    ----------
    at_ns, member : int
    part : str
        Of `MISSING_PARTS`, or the `RECORDING_LOG` of a single member.
    down_ns : int
        How long the member is down.
    missing_ns : int
        How long the part is missing then.
    """

    template = "{member} starts without {part} after {down_ns}, which is back {missing_ns} later"

    part: str
    down_ns: int
    missing_ns: int

    def _happen(self, trial: EventHost, member: Member) -> None:
        path = posixpath.join(DIRECTORY, self.part)
        files = member.machine.files
        member.kill()
        trial.start_later(member, self.down_ns)
        if is_log_missing(files) or not _has_log(files):
            return
        end_disk_failures(files)
        files.rename(path, path + AWAY)
        count = member.start_count + 1 if self.part == RECORDING_LOG else -1
        end = partial(self._end, trial, member, rejected_start=count)
        trial.later(self.down_ns + self.missing_ns, end)

    def _end(self, trial: EventHost, member: Member, *, rejected_start: int) -> None:
        module = member.running_module
        state = _state_of(member)
        away = posixpath.join(DIRECTORY, self.part) + AWAY
        # A loss of power undoes a renaming.
        is_missing = member.machine.files.exists(away)
        if is_missing and module is not None and state not in (None, ElectionState.INIT):
            raise InvariantError(
                "a member without its log does not take part",
                f"member {member.member_id} is in {state}, without its {self.part}",
            )
        # With separate processes a start may have to wait for the others.
        is_alone = len(member.processes) == 1 and member.is_running and not member.is_paused
        if is_missing and is_alone and member.start_count == rejected_start:
            raise InvariantError(
                "a start without a log is rejected",
                f"member {member.member_id} runs, without its {self.part}",
            )
        member.kill()
        put_back(member)
        trial.start_later(member, 0)


@dataclass(frozen=True)
class OlderArchive(MissingFiles):
    """A member starts with a copy of its archive that ends before its last term begins.

    The leader is killed after the copy, so that there is such a term. The archive comes back later.

    Parameters
    ----------
    at_ns, member, part, down_ns, missing_ns : int
        As for `MissingFiles`.
    age_ns : int
        How long after the copy the leader is killed.
    limit_ns : int
        How long the next term is waited for.
    """

    template = (
        "copy the {part} of {member}; kill the leader {age_ns} later, start it again after"
        " {down_ns}; when {member} has the next term, within {limit_ns}, it starts with the copy"
        " after {down_ns}; the {part} is back {missing_ns} later"
    )

    age_ns: int
    limit_ns: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        files = trial.cluster.members[self.member].machine.files
        if is_log_missing(files) or not _has_log(files):
            return
        trial.later(self.age_ns, partial(self._lose_leader, trial, files.copy(DIRECTORY)))

    def _lose_leader(self, trial: EventHost, copy: MemoryFiles) -> None:
        _lose_leader(trial, self.down_ns)
        self._await_term(trial, copy, trial.cluster.now_ns + self.limit_ns)

    def _await_term(
        self, trial: EventHost, copy: MemoryFiles, until_ns: int, compared_term: int = -1
    ) -> None:
        member = trial.cluster.members[self.member]
        term_id = _settled_term(member, compared_term)
        # Disks are compared once a term: it takes long.
        if term_id != compared_term and _lacks_a_term(copy, member.machine.files):
            member.kill()
            trial.start_later(member, self.down_ns)
            self._exchange(member.machine.files, copy)
            count = member.start_count + 1
            end = partial(self._end, trial, member, rejected_start=count)
            trial.later(self.down_ns + self.missing_ns, end)
        elif trial.cluster.now_ns < until_ns:
            again = partial(self._await_term, trial, copy, until_ns, term_id)
            trial.later(_CHECK_INTERVAL_NS, again)

    def _exchange(self, files: MemoryFiles, copy: MemoryFiles) -> None:
        directory = posixpath.join(DIRECTORY, self.part)
        end_disk_failures(files)
        # The copy takes room that a full disk does not have.
        capacity, files.capacity = files.capacity, files.capacity + files.used
        files.rename(directory, directory + AWAY)
        files.make_directory(directory)
        for name in copy.list(directory):
            path = posixpath.join(directory, name)
            if copy.is_file(path):
                files.replace(path, copy.read(path))
        files.capacity = capacity


def _settled_term(member: Member, otherwise: int) -> int:
    """Return the term of a member that is in no election, or another value."""
    counters = member.counters
    if not member.is_running or counters is None or _state_of(member) is not ElectionState.CLOSED:
        return otherwise
    return int(counters.leadership_term_id.get())


def _lacks_a_term(copy: MemoryFiles, files: MemoryFiles) -> bool:
    """Return whether a copied log ends before the last term begins, by the recording log."""
    if is_log_missing(files) or not files.is_directory(DIRECTORY):
        return False
    disk = files.copy(DIRECTORY)
    terms = [each for each in read_valid_entries(disk, DIRECTORY) if each.is_term]
    log, copied = find_log(disk, DIRECTORY), find_log(copy, DIRECTORY)
    if log is None or copied is None or log.recording_id != copied.recording_id:
        return False
    archive = posixpath.join(DIRECTORY, "archive")
    return read_frames_end(copy, archive, copied) < terms[-1].base_position


def put_back(member: Member) -> None:
    """Put back what `MissingFiles` has taken from a member, which must not run."""
    files = member.machine.files
    end_disk_failures(files)
    for part in (*MISSING_PARTS, RECORDING_LOG):
        path = posixpath.join(DIRECTORY, part)
        if not files.exists(path + AWAY):
            continue
        if files.is_file(path):
            files.remove(path)
        elif files.is_directory(path):
            files.remove_tree(path)
        files.rename(path + AWAY, path)
        # After a power loss the part would be missing again, and nothing would put it back.
        files.sync_directory(DIRECTORY)


def _has_log(files: MemoryFiles) -> bool:
    """Return whether a member's disk has a log that its recording log names."""
    return files.is_directory(DIRECTORY) and find_log(files.copy(DIRECTORY), DIRECTORY) is not None
