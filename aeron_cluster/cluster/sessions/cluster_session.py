"""A client's session in the consensus module.

ClusterSession.

::

    INIT -> CONNECTING -> CONNECTED -> [CHALLENGED ->] AUTHENTICATED -> OPEN -> CLOSING -> CLOSED
      |         |             |             |               |            |        ^          |
      |         +-- INVALID   +- REJECTED --+---------------+            |        +----------+
      |                                                                  |     close not committed
      +----------------- replayed, or from a snapshot -------------------+

In INIT the egress publication is awaited, in CONNECTING the client's subscription to it. Every
state may change to CLOSED directly. INIT may change to REJECTED: the version or a limit is checked
before the client can be answered. A session of the main list is OPEN or CLOSING; it is CLOSING
until its close event is in the log.
"""

from __future__ import annotations

from collections import deque
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.security import MAX_PRINCIPAL_LENGTH
from aeron_cluster.codecs.cluster import CloseReason, EventCode
from aeron_cluster.errors import MessageError, StateError
from aeron_cluster.events.codes import ClusterEvent
from aeron_cluster.events.recorder import NO_EVENTS

if TYPE_CHECKING:
    from aeron_cluster.cluster.security.connect_limits import Admission
    from aeron_cluster.cluster.sessions.session_egress import SessionEgress
    from aeron_cluster.codecs.cluster import AdminRequest, AdminResponseCode
    from aeron_cluster.codecs.message import Message
    from aeron_cluster.events.recorder import EventRecorder

__all__ = ["NODE_TERMINATED", "ClusterSession", "SessionAction", "SessionState"]

NODE_TERMINATED: Final = "Cluster node terminated"
"""Why sessions are closed when the member ends."""


class SessionState(IntEnum):
    """The state of a session."""

    INIT = 0
    CONNECTING = 1
    CONNECTED = 2
    CHALLENGED = 3
    AUTHENTICATED = 4
    REJECTED = 5
    OPEN = 6
    CLOSING = 7
    INVALID = 8
    CLOSED = 9


class SessionAction(IntEnum):
    """The purpose of a session; all but CLIENT end with one answer."""

    CLIENT = 0
    BACKUP = 1
    HEARTBEAT = 2
    STANDBY_SNAPSHOT = 3


# The limit of stored responses, above what a client waits for.
_MAX_ADMIN_RESPONSES: Final = 16

_S = SessionState
_NEXT: Final[dict[SessionState, frozenset[SessionState]]] = {
    _S.INIT: frozenset({_S.CONNECTING, _S.REJECTED, _S.INVALID, _S.OPEN, _S.CLOSING, _S.CLOSED}),
    _S.CONNECTING: frozenset({_S.CONNECTED, _S.INVALID, _S.CLOSED}),
    _S.CONNECTED: frozenset({_S.CHALLENGED, _S.AUTHENTICATED, _S.REJECTED, _S.INVALID, _S.CLOSED}),
    # Challenged again: an authenticator may challenge more than once.
    _S.CHALLENGED: frozenset({_S.CHALLENGED, _S.AUTHENTICATED, _S.REJECTED, _S.INVALID, _S.CLOSED}),
    _S.AUTHENTICATED: frozenset({_S.OPEN, _S.REJECTED, _S.INVALID, _S.CLOSED}),
    _S.REJECTED: frozenset({_S.CLOSED}),
    _S.OPEN: frozenset({_S.CLOSING, _S.CLOSED}),
    _S.CLOSING: frozenset({_S.CLOSED}),
    _S.INVALID: frozenset({_S.CLOSED}),
    _S.CLOSED: frozenset({_S.CLOSING}),
}
_ADMITTED_NO_MORE: Final = frozenset({_S.OPEN, _S.CLOSED})


class ClusterSession:
    """One session.

    Parameters
    ----------
    session_id : int
        -1 for a redirected client, which the leader did not number; lower for a backup.
    response_stream_id : int
    response_channel : str
        The response channel of its client.
    correlation_id : int
        The correlation id of the client's last request.
    action : SessionAction
    events : EventRecorder, optional
        The event log of the member.
    member_id : int, optional
        The member, for the event log.

    Attributes
    ----------
    egress : SessionEgress or None
        None if none was requested, as in a follower's sessions.
    admission : Admission or None
        Its admission as a pending request, released as soon as it is OPEN or CLOSED.
    last_activity_ns : int
        The time of the last activity until it is OPEN; later it is in the session table.
    ingress_image : int
        Until then, the correlation id of the image of its connect request, or -1.
    opened_log_position, closed_log_position : int
        The log positions after its open and close event, or -1.
    close_reason : CloseReason
        The reason of CLOSING; its null value in every earlier state.
    event_code, event_detail
        The detail that is sent to a rejected client.
    is_open_event_pending, is_new_leader_event_pending, admin_responses
        The pending response to its client.
    encoded_principal : bytes
        Its principal, from the authenticator.
    request : Message or None
        The request of a backup's session.
    """

    def __init__(
        self,
        session_id: int,
        response_stream_id: int,
        response_channel: str,
        correlation_id: int = NULL_VALUE,
        *,
        action: SessionAction = SessionAction.CLIENT,
        events: EventRecorder = NO_EVENTS,
        member_id: int = NULL_VALUE,
    ) -> None:
        self._events = events
        self._member_id = member_id
        self.session_id = session_id
        self.response_stream_id = response_stream_id
        self.response_channel = response_channel
        self.correlation_id = correlation_id
        self.action = action
        self.egress: SessionEgress | None = None
        self.admission: Admission | None = None
        self.last_activity_ns = 0
        self.ingress_image = NULL_VALUE
        self.opened_log_position = NULL_VALUE
        self.closed_log_position = NULL_VALUE
        self.close_reason = CloseReason.NULL_VALUE
        self.event_code = EventCode.OK
        self.event_detail = ""
        self.is_open_event_pending = True
        self.is_new_leader_event_pending = False
        self.encoded_principal = b""
        self.request: Message | None = None
        self.admin_responses: deque[tuple[AdminRequest, AdminResponseCode, str]] = deque(
            maxlen=_MAX_ADMIN_RESPONSES
        )
        self._log_change(None, SessionState.INIT, "")
        self._state = SessionState.INIT

    def __repr__(self) -> str:
        return f"<ClusterSession {self.session_id} {self._state.name}>"

    @property
    def state(self) -> SessionState:
        """The state."""
        return self._state

    @property
    def is_open(self) -> bool:
        """Whether its client's messages are accepted."""
        return self._state is SessionState.OPEN

    @property
    def is_settled(self) -> bool:
        """Whether it is idle until its client sends a message or times out."""
        return (
            self.is_open
            and (self.egress is None or self.egress.is_settled)
            and not self.is_open_event_pending
            and not self.is_new_leader_event_pending
            and not self.admin_responses
        )

    # ---- from state to state ----

    def _enter(self, state: SessionState, reason: str) -> None:
        if state not in _NEXT[self._state]:
            raise StateError(
                f"session {self.session_id}: expected one of"
                f" {', '.join(sorted(s.name for s in _NEXT[self._state]))}"
                f" after {self._state.name}, found {state.name}"
            )
        self._log_change(self._state, state, reason)
        self._state = state
        if self.admission is not None and state in _ADMITTED_NO_MORE:
            self.admission.release(is_accepted=state is SessionState.OPEN)
            self.admission = None

    def _log_change(self, old: SessionState | None, new: SessionState, reason: str) -> None:
        self._events.record(
            ClusterEvent.CLUSTER_SESSION_STATE_CHANGE,
            session_id=self.session_id,
            member_id=self._member_id,
            action=self.action,
            states=(old, new),
            reason=reason,
        )

    def redirect(self, ingress_endpoints: str) -> None:
        """Redirect the client to the leader, once its egress is connected."""
        self.event_code = EventCode.REDIRECT
        self.event_detail = ingress_endpoints

    def reject(self, code: EventCode, detail: str) -> None:
        """Reject the client, once its egress is connected."""
        self._enter(SessionState.REJECTED, f"{code.name}: {detail}" if detail else code.name)
        self.event_code = code
        self.event_detail = detail

    def on_connecting(self, now_ns: int) -> None:
        """Record that the driver has added the publication."""
        self._enter(SessionState.CONNECTING, "connecting")
        self.last_activity_ns = now_ns

    def on_connected(self) -> None:
        """Record that the client's egress is connected."""
        self._enter(SessionState.CONNECTED, "connected")

    def on_challenged(self) -> None:
        """Record that the client was challenged."""
        self._enter(SessionState.CHALLENGED, "challenged")

    def on_challenge_response(self, correlation_id: int, now_ns: int) -> None:
        """Record the challenge response: the next message to the client has its correlation id."""
        self.correlation_id = correlation_id
        self.last_activity_ns = now_ns

    def authenticate(self, encoded_principal: bytes) -> None:
        """Accept the session.

        Raises
        ------
        MessageError
            The principal is longer than 4096 bytes.
        """
        if len(encoded_principal) > MAX_PRINCIPAL_LENGTH:
            raise MessageError(
                f"principal of session {self.session_id}",
                f"at most {MAX_PRINCIPAL_LENGTH} bytes",
                len(encoded_principal),
            )
        self._enter(SessionState.AUTHENTICATED, "authenticated")
        self.encoded_principal = bytes(encoded_principal)

    def invalidate(self) -> None:
        """Record that its client can never be reached."""
        self._enter(SessionState.INVALID, "responsePublication is null")

    def open(self, opened_log_position: int) -> None:
        """Accept its client's messages from now on."""
        self._enter(SessionState.OPEN, f"openedLogPosition={opened_log_position}")
        self.opened_log_position = opened_log_position

    def closing(self, reason: CloseReason) -> None:
        """Stop accepting messages; the close is not in the log yet."""
        self._enter(SessionState.CLOSING, reason.name)
        self.close_reason = reason
        self.drop_pending_events()

    def close(self, reason: str) -> None:
        """Close it for a reason, and release its egress."""
        if self._state is not SessionState.CLOSED:
            self._enter(SessionState.CLOSED, reason)
        self.disconnect()

    def restore_closing(self) -> None:
        """Restore the state before the close event, which was not committed."""
        self._enter(SessionState.CLOSING, "uncommitted session")
        self.closed_log_position = NULL_VALUE

    def add_admin_response(self, request: AdminRequest, code: AdminResponseCode, text: str) -> None:
        """Store a response until it can be sent to the client."""
        self.admin_responses.append((request, code, text))

    def drop_pending_events(self) -> None:
        """Drop all pending messages to its client."""
        self.is_open_event_pending = self.is_new_leader_event_pending = False
        self.admin_responses.clear()

    def disconnect(self) -> None:
        """Close its egress."""
        egress, self.egress = self.egress, None
        if egress is not None:
            egress.close()
