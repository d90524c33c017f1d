"""Uncommitted changes of a leader's sessions.

Upstream: SessionManager's uncommitted closed sessions and next committed session ids.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from aeron_cluster.cluster.sessions.cluster_session import ClusterSession

__all__ = ["NO_POSITION", "UncommittedSessions"]

NO_POSITION: Final = 2**63 - 1
"""Beyond every position: nothing is uncommitted."""


class UncommittedSessions:
    """Opened and closed sessions, in the order of their log positions."""

    def __init__(self) -> None:
        self._opened: deque[ClusterSession] = deque()
        self._closed: deque[ClusterSession] = deque()

    @property
    def first_position(self) -> int:
        """The commit position that settles the first of them, or `NO_POSITION`."""
        return min(
            self._opened[0].opened_log_position if self._opened else NO_POSITION,
            self._closed[0].closed_log_position if self._closed else NO_POSITION,
        )

    def add_opened(self, session: ClusterSession) -> None:
        """Add a session with an appended open event."""
        self._opened.append(session)

    def add_closed(self, session: ClusterSession) -> None:
        """Add a session with an appended close event."""
        self._closed.append(session)

    def sweep(self, commit_position: int) -> int:
        """Drop committed changes; return the highest id of a session that they opened, or -1."""
        session_id = -1
        while self._opened and self._opened[0].opened_log_position <= commit_position:
            session_id = max(session_id, self._opened.popleft().session_id)
        while self._closed and self._closed[0].closed_log_position <= commit_position:
            self._closed.popleft()
        return session_id

    def restore(self) -> list[ClusterSession]:
        """Drop all other changes; return their closed sessions."""
        closed = list(self._closed)
        self._opened.clear()
        self._closed.clear()
        return closed
