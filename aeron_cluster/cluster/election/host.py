"""The interfaces of the consensus module for its elections.

Work that takes more than one duty cycle is a sequence of steps (`waiting`). The product's host is
`leadership.Leadership`; tests have others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from aeron_cluster.cluster.election.election_state import ElectionState
    from aeron_cluster.cluster.members.members import Member
    from aeron_cluster.cluster.members.role import Role
    from aeron_cluster.cluster.state.recording_log import Entry
    from aeron_cluster.memory.agents.waiting import Waiting

__all__ = ["ElectionHost", "ElectionTimes", "FollowerLog", "LogReplication"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ElectionTimes:
    """The timeouts of an election, in nanoseconds.

    Parameters
    ----------
    startup_canvass_ns : int
        The longest wait for all members after the start.
    ballot_ns : int
        The longest wait for votes; half of it limits the random delay of a nomination.
    status_interval_ns : int
        The interval of canvass positions.
    heartbeat_timeout_ns : int
        The longest wait for a leader, and for most other steps.
    heartbeat_interval_ns : int
        The interval of a leader's repeated messages.
    """

    startup_canvass_ns: int
    ballot_ns: int
    status_interval_ns: int
    heartbeat_timeout_ns: int
    heartbeat_interval_ns: int


class LogReplication(Protocol):
    """The replication of missing log from the leader's archive; RecordingReplication."""

    @property
    def position(self) -> int:
        """The replicated position."""

    @property
    def recording_id(self) -> int:
        """The id of the local recording; -1 if unknown."""

    @property
    def is_done(self) -> bool:
        """Whether the archive has finished, and the local recording has stopped."""

    def poll(self, now_ns: int) -> int:
        """Advance it."""

    def close(self) -> None:
        """Stop it unless it is complete."""


class FollowerLog(Protocol):
    """The live log of a leader, and the replay before it, as a follower receives them."""

    @property
    def is_open(self) -> bool:
        """Whether there is a subscription."""

    @property
    def has_live_destination(self) -> bool:
        """Whether the live log is received."""

    @property
    def has_catchup_destination(self) -> bool:
        """Whether a replay is still received."""

    def open(self, leader: Member, log_session_id: int) -> Waiting[None]:
        """Subscribe to the log of a leader's session, without destinations yet."""

    def add_catchup_destination(self) -> Waiting[str]:
        """Receive a replay; return the endpoint for the leader's replay."""

    def add_live_destination(self) -> Waiting[None]:
        """Receive the leader's live log."""

    def await_image(self, log_position: int) -> Waiting[None]:
        """Wait for the log, which begins at a position, and record it.

        Raises
        ------
        ClusterError
            It begins at another position, or cannot be received.
        """

    def join(self, log_position: int, *, is_startup: bool) -> Waiting[None]:
        """Wait until the services joined it, and read it from now on.

        Raises
        ------
        ClusterError
            It ended before they could join.
        """

    def is_near(self, position: int) -> bool:
        """Whether it is close enough to a position to join the live log."""

    def poll_catchup(self, limit_position: int, now_ns: int) -> int:
        """Read and commit some of the recorded log, up to a position, and notify the leader.

        Raises
        ------
        ClusterError
            The recording or the image ended, or there was no progress for too long.
        """


class ElectionHost(Protocol):
    """The operations that an election requests of the module."""

    follower_log: FollowerLog

    # ---- what is published ----

    def on_election_state(self, state: ElectionState, reason: str) -> None:
        """Publish the state."""

    def set_role(self, role: Role) -> None:
        """Publish the role."""

    # ---- what is known ----

    @property
    def last_leader_update_ns(self) -> int:
        """The time of the last activity of a leader of this or a later term."""

    @property
    def candidate_term_id(self) -> int:
        """The highest term in which this member ever voted."""

    @property
    def commit_position(self) -> int:
        """The commit position, up to which module and services may have read the log."""

    @property
    def is_taking_snapshot(self) -> bool:
        """Whether a snapshot requested by the log is in progress."""

    @property
    def log_recording_id(self) -> int:
        """The recording of the log; -1 before the first."""

    def find_term(self, leadership_term_id: int) -> Entry | None:
        """Return the recording log's entry of a term."""

    def find_term_end(self, leadership_term_id: int, open_end: int) -> int | None:
        """Return the end of a term in the log; `open_end` if unknown, None without such a term."""

    @property
    def app_version(self) -> int:
        """The version of the services' messages."""

    def random(self) -> float:
        """Return a number from 0 up to 1."""

    def cluster_time(self) -> int:
        """Return the cluster time."""

    # ---- the other members ----

    def connect_peers(self) -> None:
        """Retry connecting to unreachable members."""

    def send(self, member: Member, message: bytes) -> bool:
        """Send a message to a member; return False if it cannot be sent now."""

    # ---- terms ----

    def prepare_for_new_leadership(self, log_position: int) -> Waiting[int]:
        """Undo uncommitted changes; return the end of the log's recording."""

    def begin_candidate_term(self, leadership_term_id: int, log_position: int) -> int:
        """Promise a term above the given one and all earlier promises, and return it."""

    def propose_candidate_term(self, candidate_term_id: int, log_position: int) -> int:
        """Promise a term unless a later one was promised already; return the later of the two."""

    def append_term(self, leadership_term_id: int, term_base: int, log_position: int = -1) -> None:
        """Record a term, and its end if it ended, in the recording log."""

    def drop_terms_after(self, leadership_term_id: int) -> None:
        """Remove later terms, in which nothing was appended, from the recording log."""

    # ---- the log ----

    def truncate_log(self, leadership_term_id: int, position: int) -> Waiting[None]:
        """Truncate the part of the log that the leader of a later term does not have."""

    def replicate_log(
        self, leader: Member, recording_id: int, stop_position: int, now_ns: int
    ) -> LogReplication:
        """Begin to copy the missing part of the log from the leader's archive."""

    def replay_log(self, start_position: int, stop_position: int) -> Waiting[None]:
        """Replay the part of the log that the module and its services have not read."""

    def add_log_publication(self, leadership_term_id: int, append_position: int) -> Waiting[int]:
        """Add the publication of the log, which continues at a position; return its session."""

    def join_log_as_leader(
        self, leadership_term_id: int, log_position: int, *, is_startup: bool
    ) -> Waiting[None]:
        """Record the log, and wait until the services read it."""

    def try_append_term_event(self, term_base_log_position: int) -> bool:
        """Append the start of the term to the log."""

    # ---- the end ----

    def complete_as_leader(
        self, leadership_term_id: int, log_position: int, *, is_startup: bool
    ) -> Waiting[None]:
        """Become the leader."""

    def complete_as_follower(
        self,
        leader: Member,
        leadership_term_id: int,
        log_position: int,
        notified_commit_position: int,
    ) -> Waiting[None]:
        """Become a follower."""
