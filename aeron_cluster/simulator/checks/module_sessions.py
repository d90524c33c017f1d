"""Sessions of consensus modules that follow, compared with those that services saw.

A former leader has sessions that were never committed, or has closed some before that is committed.
The next term undoes both, which later entries of the log hide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.cluster import Checker

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.members.journal import Entry, Journal

__all__ = ["ModulesHoldTheSessions", "check_sessions", "sessions_at"]

_FIRST_ID: Final = 1


class ModulesHoldTheSessions(Checker):
    """A module has the sessions of the log once it follows, after a start and each election.

    Sessions with ids of closed ones would be taken for these: it also knows which ids were given.
    """

    def __init__(self) -> None:
        self._checked: dict[int, tuple[int, int]] = {}

    def check(self, cluster: Cluster) -> None:
        """Check each module that follows since the last check."""
        if not cluster.is_joined:
            return
        for member in cluster.members:
            counters = member.counters
            if counters is None:
                continue
            count = member.process_of_module.start_count, counters.election_count.get()
            if self._checked.get(member.member_id) == count:
                continue
            if member.is_leading or counters.election_state.get() != ElectionState.CLOSED:
                continue
            position = counters.commit_position.get()
            journal = cluster.journals[0]
            # Services may be behind the module, and entries of no service may follow.
            if journal.end_position >= position > 0 and _check(member, journal, position):
                self._checked[member.member_id] = count


def _check(member: Member, journal: Journal, position: int) -> bool:
    """Check a member's module; return whether it has loaded its sessions."""
    module = member.module
    found, next_id = module.sessions, module.next_session_id
    if found is None or next_id is None:
        return False
    expected, last_id = sessions_at(journal.entries, position)
    check_sessions(
        f"member {member.member_id} at {position}",
        [each.cluster_session_id for each in found],
        expected,
        next_id,
        last_id,
    )
    return True


def sessions_at(entries: Sequence[Entry], position: int) -> tuple[set[int], int]:
    """Return the sessions that are open at a log position, and the last id that was given."""
    found: set[int] = set()
    last_id = _FIRST_ID - 1
    for entry in entries:
        if entry.position > position:
            break
        if entry.kind == "open":
            found.add(entry.key)
            last_id = max(last_id, entry.key)
        elif entry.kind == "close":
            found.discard(entry.key)
    return found, last_id


def check_sessions(
    name: str, found: Collection[int], expected: Collection[int], next_id: int, last_id: int
) -> None:
    """Compare a module's sessions with those of the log.

    Parameters
    ----------
    name : str
        The member and the position, for the error.
    found, expected : collection of int
        The ids of open sessions.
    next_id, last_id : int
        The next id by the module, and the last by the log.

    Raises
    ------
    InvariantError
        It has others, or would give an id again.
    """
    if {*found} != {*expected}:
        raise InvariantError(
            "modules hold the sessions", f"{name}: {sorted(found)}, expected {sorted(expected)}"
        )
    if next_id <= last_id:
        raise InvariantError(
            "modules know the ids that were given", f"{name}: {next_id} is next, after {last_id}"
        )
