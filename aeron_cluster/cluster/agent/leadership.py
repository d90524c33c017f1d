"""The leader and its term, passed from the Python half of a consensus module to the native one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.members.role import Role

if TYPE_CHECKING:
    from aeron_cluster.cluster.log.log_adapter import LogAdapter

__all__ = ["JoinedLog", "LeadershipChanges", "LeadershipView"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadershipView:
    """An immutable view of the leadership; a change installs another view as a whole.

    Parameters
    ----------
    role : int
        The role of the member; the values are those of its counter.
    is_electing : bool
        Whether an election runs: until it ends, nothing is appended to the log.
    leader_index : int
        The leader's index in the list of members; -1 while there is no known leader.
    leadership_term_id : int
        The leader's term, which messages between members must match; -1 for none.
    log_leader_index : int
        The member from which the log is, or was last, received: only it may send messages of a
        log's leader, even during elections; -1 for none.
    log_reader : LogAdapter or None
        Reads the leader's log; None: nothing is read.
    recorded_counter_id : int or None
        The counter of the log's recorded position; None: nothing is committed or read.
    """

    role: int = Role.FOLLOWER
    is_electing: bool = False
    leader_index: int = NULL_VALUE
    leadership_term_id: int = NULL_VALUE
    log_leader_index: int = NULL_VALUE
    log_reader: LogAdapter | None = None
    recorded_counter_id: int | None = None


class LeadershipChanges(TypedDict, total=False):
    """Fields of a `LeadershipView` that differ from the view before it."""

    role: int
    is_electing: bool
    leader_index: int
    leadership_term_id: int
    log_leader_index: int
    log_reader: LogAdapter | None
    recorded_counter_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedLog:
    """The position at which a follower joins its leader's log.

    Parameters
    ----------
    position : int
        In bytes; this or a higher position is sent to the leader immediately and from then on.
    commit_position : int
        The leader's commit position; one below the known position changes nothing.
    leader_update_ns : int
        When the leader was last active.
    """

    position: int
    commit_position: int
    leader_update_ns: int
