"""Messages of the consensus module to clients.

EgressPublisher. A message is one frame if it fits the client's MTU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.codecs.cluster import (
    AdminRequest,
    AdminResponse,
    AdminResponseCode,
    Challenge,
    EventCode,
    NewLeaderEvent,
    SessionEvent,
)
from aeron_cluster.codecs.session_protocol import PROTOCOL_VERSION

if TYPE_CHECKING:
    from aeron_cluster.cluster.sessions.cluster_session import ClusterSession

__all__ = ["EgressPublisher"]


class EgressPublisher:
    """Encodes events and sends them by the sessions' egress.

    Parameters
    ----------
    leader_heartbeat_timeout_ns : int
        Sent to clients, which wait twice as long for a new leader.

    Notes
    -----
    Each call makes three attempts; after False it must be retried in a later duty cycle, unless the
    egress has a ``failure``.
    """

    def __init__(self, leader_heartbeat_timeout_ns: int) -> None:
        self._leader_heartbeat_timeout_ns = leader_heartbeat_timeout_ns

    def send_event(
        self,
        session: ClusterSession,
        leadership_term_id: int,
        leader_member_id: int,
        code: EventCode,
        detail: str,
    ) -> bool:
        """Send the outcome of a session."""
        return self._send(
            session,
            SessionEvent.encode(
                cluster_session_id=session.session_id,
                correlation_id=session.correlation_id,
                leadership_term_id=leadership_term_id,
                leader_member_id=leader_member_id,
                code=code,
                version=PROTOCOL_VERSION,
                leader_heartbeat_timeout_ns=self._leader_heartbeat_timeout_ns,
                detail=detail,
            ),
        )

    def send_new_leader(
        self,
        session: ClusterSession,
        leadership_term_id: int,
        leader_member_id: int,
        ingress_endpoints: str,
    ) -> bool:
        """Send the new leader, and the members' endpoints."""
        return self._send(
            session,
            NewLeaderEvent.encode(
                leadership_term_id=leadership_term_id,
                cluster_session_id=session.session_id,
                leader_member_id=leader_member_id,
                ingress_endpoints=ingress_endpoints,
            ),
        )

    def send_challenge(self, session: ClusterSession, encoded_challenge: bytes) -> bool:
        """Send a challenge to a client."""
        return self._send(
            session,
            Challenge.encode(
                correlation_id=session.correlation_id,
                cluster_session_id=session.session_id,
                encoded_challenge=encoded_challenge,
            ),
        )

    def send_admin_response(
        self, session: ClusterSession, request: AdminRequest, code: AdminResponseCode, text: str
    ) -> bool:
        """Answer an administrator's request."""
        return self._send(
            session,
            AdminResponse.encode(
                cluster_session_id=session.session_id,
                correlation_id=request.correlation_id,
                request_type=request.request_type,
                response_code=code,
                message=text,
            ),
        )

    @staticmethod
    def _send(session: ClusterSession, message: bytes) -> bool:
        return session.egress is not None and session.egress.send(message)
