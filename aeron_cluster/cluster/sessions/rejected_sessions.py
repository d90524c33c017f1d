"""Clients that get one response and no session: redirected to the leader, or rejected.

Upstream: the redirected and rejected sessions of SessionManager.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.cluster.sessions.cluster_session import NODE_TERMINATED, SessionState

if TYPE_CHECKING:
    from aeron_cluster.cluster.sessions.cluster_session import ClusterSession
    from aeron_cluster.cluster.sessions.egress_publisher import EgressPublisher

__all__ = ["RejectedSessions"]


class RejectedSessions:
    """Sessions that wait until their responses can be sent.

    Parameters
    ----------
    egress_publisher : EgressPublisher
    session_timeout_ns : int
        The longest time to wait for each.
    """

    def __init__(self, egress_publisher: EgressPublisher, session_timeout_ns: int) -> None:
        self._egress_publisher = egress_publisher
        self._session_timeout_ns = session_timeout_ns
        self._sessions: list[ClusterSession] = []

    def __len__(self) -> int:
        return len(self._sessions)

    def add(self, session: ClusterSession) -> None:
        """Add a session that is REJECTED, or has a redirect to deliver."""
        self._sessions.append(session)

    def do_work(self, now_ns: int, leadership_term_id: int, leader_member_id: int) -> int:
        """Send responses, and drop timed-out sessions; return the number of completed ones."""
        waiting = [
            session
            for session in self._sessions
            if not self._is_over(session, now_ns, leadership_term_id, leader_member_id)
        ]
        count = len(self._sessions) - len(waiting)
        self._sessions = waiting
        return count

    def _is_over(
        self,
        session: ClusterSession,
        now_ns: int,
        leadership_term_id: int,
        leader_member_id: int,
    ) -> bool:
        egress = session.egress
        assert egress is not None
        is_connected = egress.poll()
        if session.state is SessionState.INIT and egress.is_known:
            session.on_connecting(now_ns)
        is_sent = is_connected and self._egress_publisher.send_event(
            session, leadership_term_id, leader_member_id, session.event_code, session.event_detail
        )
        # The driver answers in any case, so one in INIT does not wait forever.
        is_late = (
            session.state is not SessionState.INIT
            and now_ns > session.last_activity_ns + self._session_timeout_ns
        )
        if is_sent:
            session.close(session.event_code.name)
        elif is_late:
            session.close("session timed out")
        elif egress.failure is not None:
            session.close("invalid")
        else:
            return False
        return True

    def close(self) -> None:
        """Release all."""
        for session in self._sessions:
            session.close(NODE_TERMINATED)
        self._sessions.clear()
