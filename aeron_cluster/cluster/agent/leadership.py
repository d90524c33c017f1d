"""Who leads which term, as the Python half of a consensus module gives it to the hot half."""

from __future__ import annotations

from dataclasses import dataclass

from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.members.role import Role

__all__ = ["LeadershipView"]


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
    """

    role: int = Role.FOLLOWER
    is_electing: bool = False
    leader_index: int = NULL_VALUE
    leadership_term_id: int = NULL_VALUE
    log_leader_index: int = NULL_VALUE
