"""Who leads which term, as the Python half of a consensus module gives it to the hot half."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.members.role import Role

if TYPE_CHECKING:
    from aeron_cluster.cluster.log.log_adapter import LogAdapter

__all__ = ["JoinedLog", "LeadershipView"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadershipView:
    """An immutable view of the leadership; a change installs another view as a whole.

    Parameters
    ----------
    role : int
        The role of the member, by the values of its counter.
    is_electing : bool
        Whether an election runs: until it is over, nothing goes to the log.
    leader_index : int
        The leader's index in the list of members; -1 while there is no known leader.
    leadership_term_id : int
        The term that it leads, which messages between members must match; -1 for none.
    log_leader_index : int
        The member whose log is received, or was last: it alone may send what only the leader of a
        log sends, in elections too; -1 for none.
    log_reader : LogAdapter or None
        What reads the log of a leader; None: nothing is read.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedLog:
    """Where a follower joins the log of its leader.

    Parameters
    ----------
    position : int
        In bytes; the leader gets this or a higher position from then on, and at once.
    commit_position : int
        Up to where the leader has it committed; a lower one than was known changes nothing.
    leader_update_ns : int
        When the leader was last active.
    """

    position: int
    commit_position: int
    leader_update_ns: int
