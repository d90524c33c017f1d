"""How a member becomes leader, from its start or from a failure on.

Stands for Election and ElectionState. The numbers are those of the election state counter. A
cluster of one member takes the short way::

    INIT -> LEADER_LOG_REPLICATION -> LEADER_REPLAY -> LEADER_INIT -> LEADER_READY -> CLOSED

An error anywhere on the way begins again with INIT, after a pause: what failed because something is
not there yet will succeed, and what cannot succeed is not tried hundreds of times a second.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Protocol

from aeron_cluster.cluster.waiting import Task

if TYPE_CHECKING:
    from aeron_cluster.cluster.waiting import Waiting

__all__ = ["Election", "ElectionHost", "ElectionState", "Role"]

NULL_VALUE = -1
_AT_ONCE = -(2**63)


class ElectionState(IntEnum):
    """Where an election stands; CLOSED is none."""

    INIT = 0
    CANVASS = 1
    NOMINATE = 2
    CANDIDATE_BALLOT = 3
    FOLLOWER_BALLOT = 4
    LEADER_LOG_REPLICATION = 5
    LEADER_REPLAY = 6
    LEADER_INIT = 7
    LEADER_READY = 8
    FOLLOWER_LOG_REPLICATION = 9
    FOLLOWER_REPLAY = 10
    FOLLOWER_CATCHUP_INIT = 11
    FOLLOWER_CATCHUP_AWAIT = 12
    FOLLOWER_CATCHUP = 13
    FOLLOWER_LOG_INIT = 14
    FOLLOWER_LOG_AWAIT = 15
    FOLLOWER_READY = 16
    CLOSED = 17


class Role(IntEnum):
    """What a member is to the others."""

    FOLLOWER = 0
    CANDIDATE = 1
    LEADER = 2


class ElectionHost(Protocol):
    """What an election asks of the consensus module."""

    def on_election_state(self, state: ElectionState, reason: str) -> None:
        """Publish the state."""

    def set_role(self, role: Role) -> None:
        """Publish the role."""

    def prepare_for_new_leadership(self, log_position: int) -> Waiting[int]:
        """Undo what was not committed; return where the log's recording ends."""

    def begin_candidate_term(self, leadership_term_id: int, log_position: int) -> int:
        """Promise a term that is above this one and all that were ever promised, and return it."""

    def add_log_publication(self, leadership_term_id: int, append_position: int) -> Waiting[None]:
        """Add the publication of the log, which goes on at a position."""

    def replay_log(self, start_position: int, stop_position: int) -> Waiting[None]:
        """Let the module and its services read what they have not seen of the log."""

    def join_log_as_leader(self, log_position: int, *, is_startup: bool) -> Waiting[None]:
        """Record the log, and have the services read it."""

    def append_term(self, leadership_term_id: int, term_base_log_position: int) -> None:
        """Note the term in the recording log."""

    def try_append_term_event(self, term_base_log_position: int) -> bool:
        """Begin the term in the log."""

    def complete_election(self, log_position: int, *, is_startup: bool) -> Waiting[None]:
        """Take up the leader's work."""


class Election:
    """One election, until it is CLOSED.

    Parameters
    ----------
    host : ElectionHost
    is_node_startup : bool
        Whether it is the first since the process began.
    log_leadership_term_id : int
        The term of the log's last entry, or -1.
    log_position : int
        Up to where module and services have read the log.
    append_position : int
        Where the log's recording ends.

    Attributes
    ----------
    state : ElectionState
    leadership_term_id : int
        The term that is about to begin.
    failure_count : int
        How often it began again.
    """

    def __init__(
        self,
        host: ElectionHost,
        *,
        is_node_startup: bool,
        log_leadership_term_id: int,
        log_position: int,
        append_position: int,
    ) -> None:
        self._host = host
        self._is_node_startup = is_node_startup
        self._is_prepared = is_node_startup
        self._is_leader_startup = False
        self._log_position = log_position
        self._append_position = append_position
        self._begin_ns = _AT_ONCE
        self.failure_count = 0
        self.state = ElectionState.INIT
        self.leadership_term_id = log_leadership_term_id
        host.on_election_state(self.state, "node started" if is_node_startup else "begun")
        self._task = Task(self._work())

    def __repr__(self) -> str:
        return (
            f"<Election {self.state.name} term {self.leadership_term_id} log"
            f" {self._log_position} of {self._append_position}>"
        )

    @property
    def is_closed(self) -> bool:
        """Whether it is over."""
        return self.state is ElectionState.CLOSED

    @property
    def begin_ns(self) -> int:
        """When it goes on, on the monotonic clock."""
        return self._begin_ns

    def do_work(self, now_ns: int) -> int:
        """Take the next step of the state; nothing before the pause after an error is over."""
        if now_ns < self._begin_ns:
            return 0
        if self._task.is_done:
            self._task = Task(self._work())
        return self._task.do_work()

    def restart(self, log_position: int, begin_ns: int) -> None:
        """Begin again after an error, from what is committed, at a time."""
        self._task.close()
        self.failure_count += 1
        self._begin_ns = begin_ns
        self._log_position = log_position
        self._is_prepared = False
        self._enter(ElectionState.INIT, "an error")

    def close(self) -> None:
        """Give up, as the module does when it ends."""
        self._task.close()

    def _enter(self, state: ElectionState, reason: str) -> None:
        self.state = state
        if state is ElectionState.LEADER_LOG_REPLICATION:
            self._host.set_role(Role.LEADER)
        self._host.on_election_state(state, reason)

    def _work(self) -> Waiting[None]:
        match self.state:
            case ElectionState.INIT:
                return self._init()
            case ElectionState.LEADER_LOG_REPLICATION:
                return self._leader_log_replication()
            case ElectionState.LEADER_REPLAY:
                return self._leader_replay()
            case ElectionState.LEADER_INIT:
                return self._leader_init()
            case ElectionState.LEADER_READY:
                return self._leader_ready()
            case _:
                raise AssertionError(f"{self!r}: no work in this state")

    def _init(self) -> Waiting[None]:
        if not self._is_prepared:
            self._append_position = yield from self._host.prepare_for_new_leadership(
                self._log_position
            )
            self._is_prepared = True
        # "INIT short-circuits": the only member needs nobody's vote.
        self.leadership_term_id = self._host.begin_candidate_term(
            self.leadership_term_id, self._append_position
        )
        self._enter(ElectionState.LEADER_LOG_REPLICATION, "the only member")

    def _leader_log_replication(self) -> Waiting[None]:
        yield from self._host.add_log_publication(self.leadership_term_id, self._append_position)
        self._enter(ElectionState.LEADER_REPLAY, "a quorum has the log")

    def _leader_replay(self) -> Waiting[None]:
        self._is_leader_startup = self._is_node_startup
        if self._log_position < self._append_position:
            yield from self._host.replay_log(self._log_position, self._append_position)
            self._log_position = self._append_position
        self._enter(ElectionState.LEADER_INIT, "the log is read")

    def _leader_init(self) -> Waiting[None]:
        yield from self._host.join_log_as_leader(
            self._log_position, is_startup=self._is_leader_startup
        )
        self._host.append_term(self.leadership_term_id, self._log_position)
        self._enter(ElectionState.LEADER_READY, "the log is recorded and joined")

    def _leader_ready(self) -> Waiting[None]:
        while not self._host.try_append_term_event(self._log_position):
            yield
        yield from self._host.complete_election(
            self._log_position, is_startup=self._is_leader_startup
        )
        self._is_node_startup = False
        self._enter(ElectionState.CLOSED, "the term has begun")
