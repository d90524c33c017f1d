"""Clients that requested a session: from their request until an authenticator has decided.

Upstream: the pending sessions of SessionManager; ClusterSessionProxy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.sessions.cluster_session import SessionState
from aeron_cluster.codecs.cluster import EventCode
from aeron_cluster.memory.agents.user_callback import as_exception

if TYPE_CHECKING:
    from aeron_cluster.cluster.security import Authenticator
    from aeron_cluster.cluster.sessions.cluster_session import ClusterSession
    from aeron_cluster.cluster.sessions.egress_publisher import EgressPublisher

__all__ = ["PendingSessions"]

_REJECTED: Final = "session failed authentication"
_AUTHENTICATOR: Final = "authenticator"
_UNDECIDED: Final = (SessionState.CONNECTED, SessionState.CHALLENGED)


class _Proxy:
    """The authenticator's view of a session; see `security.SessionProxy`."""

    def __init__(self, session: ClusterSession, egress_publisher: EgressPublisher) -> None:
        self._session = session
        self._egress_publisher = egress_publisher

    @property
    def session_id(self) -> int:
        return self._session.session_id

    def challenge(self, encoded_challenge: bytes) -> bool:
        if not self._egress_publisher.send_challenge(self._session, encoded_challenge):
            return False
        self._session.on_challenged()
        return True

    def authenticate(self, encoded_principal: bytes) -> bool:
        self._session.authenticate(encoded_principal)
        return True

    def reject(self) -> None:
        self._session.reject(EventCode.AUTHENTICATION_REJECTED, _REJECTED)


class PendingSessions:
    """The pending sessions.

    Parameters
    ----------
    authenticator : Authenticator
        If it has a method ``on_session_ended(session_id)``, that is called for each session that
        ends, whether rejected or not, before it is open.
    egress_publisher : EgressPublisher
    session_timeout_ns : int
        How long the client may take for each step, in ns.
    epoch_ms : Callable
        The wall clock, for the authenticator.
    report : Callable
        Called with errors of the authenticator and the driver.
    count_timed_out : Callable
        Called for each client that was too slow.
    """

    def __init__(
        self,
        authenticator: Authenticator,
        egress_publisher: EgressPublisher,
        session_timeout_ns: int,
        epoch_ms: Callable[[], int],
        report: Callable[[Exception], object],
        count_timed_out: Callable[[], object],
    ) -> None:
        self._authenticator = authenticator
        self._egress_publisher = egress_publisher
        self._session_timeout_ns = session_timeout_ns
        self._epoch_ms = epoch_ms
        self._report = report
        self._count_timed_out = count_timed_out
        self._sessions: dict[int, ClusterSession] = {}
        self._is_closed = False

    def __len__(self) -> int:
        return len(self._sessions)

    def add(self, session: ClusterSession, encoded_credentials: bytes) -> None:
        """Add a newly requested session."""
        self._sessions[session.session_id] = session
        try:
            self._authenticator.on_connect_request(
                session.session_id, encoded_credentials, self._epoch_ms()
            )
        except BaseException as error:  # noqa: BLE001 - the user's; raising does not accept
            self._report(as_exception(_AUTHENTICATOR, error))
            session.reject(EventCode.AUTHENTICATION_REJECTED, _REJECTED)

    def on_challenge_response(
        self,
        session_id: int,
        correlation_id: int,
        encoded_credentials: bytes,
        now_ns: int,
        image_correlation_id: int,
    ) -> bool:
        """Handle a challenge response; return whether it was expected, from the same image."""
        session = self._sessions.get(session_id)
        if session is None or session.state is not SessionState.CHALLENGED:
            return False
        if session.ingress_image not in (NULL_VALUE, image_correlation_id):
            return False
        session.on_challenge_response(correlation_id, now_ns)
        try:
            self._authenticator.on_challenge_response(
                session_id, encoded_credentials, self._epoch_ms()
            )
        except BaseException as error:  # noqa: BLE001 - the user's; raising does not accept
            self._report(as_exception(_AUTHENTICATOR, error))
            session.reject(EventCode.AUTHENTICATION_REJECTED, _REJECTED)
        return True

    def do_work(
        self,
        now_ns: int,
        open_session: Callable[[ClusterSession], bool],
        on_rejected: Callable[[ClusterSession], object],
    ) -> int:
        """Advance each session, in order of arrival.

        Parameters
        ----------
        now_ns : int
        open_session : Callable
            Called with an authenticated session; returns False if it could not be opened yet.
        on_rejected : Callable
            Called with a rejected session.

        Returns
        -------
        int
            The work count.
        """
        work_count = 0
        for session_id, session in list(self._sessions.items()):
            before = session.state
            self._advance(session, now_ns)
            if session.state is SessionState.AUTHENTICATED:
                if open_session(session):
                    del self._sessions[session_id]
            elif session.state is SessionState.REJECTED:
                self._remove(session_id)
                on_rejected(session)
            elif session.state is SessionState.CLOSED:
                self._remove(session_id)
            work_count += session.state is not before
        return work_count

    def _advance(self, session: ClusterSession, now_ns: int) -> None:
        if session.state is SessionState.REJECTED:
            return
        egress = session.egress
        assert egress is not None
        is_connected = egress.poll()
        if egress.failure is not None:
            # Clients choose their channels, so their errors are reported only up to a limit.
            report = self._report if session.admission is None else session.admission.report
            report(egress.failure)
            session.invalidate()
            session.close("invalid session")
            return
        if session.state is SessionState.INIT and egress.is_known:
            session.on_connecting(now_ns)
        if (
            session.state is not SessionState.INIT
            and now_ns > session.last_activity_ns + self._session_timeout_ns
        ):
            self._count_timed_out()
            session.close("session timed out")
            return
        if not is_connected:
            return
        if session.state is SessionState.CONNECTING:
            session.on_connected()
        if session.state in _UNDECIDED:
            self._authenticate(session)

    def _authenticate(self, session: ClusterSession) -> None:
        proxy = _Proxy(session, self._egress_publisher)
        try:
            if session.state is SessionState.CONNECTED:
                self._authenticator.on_connected_session(proxy, self._epoch_ms())
            # A session that was just challenged is checked again immediately.
            if session.state is SessionState.CHALLENGED:
                self._authenticator.on_challenged_session(proxy, self._epoch_ms())
        except BaseException as error:  # noqa: BLE001 - the user's; raising does not accept
            self._report(as_exception(_AUTHENTICATOR, error))
            if session.state in _UNDECIDED:
                session.reject(EventCode.AUTHENTICATION_REJECTED, _REJECTED)

    def find(self, session_id: int) -> ClusterSession | None:
        """Return a pending session."""
        return self._sessions.get(session_id)

    def of_image(self, image_correlation_id: int) -> list[ClusterSession]:
        """Remove the sessions of an image."""
        found = [
            session
            for session in self._sessions.values()
            if session.ingress_image == image_correlation_id
        ]
        for session in found:
            self._remove(session.session_id)
        return found

    def _remove(self, session_id: int) -> None:
        """Remove a session that ends, and notify the authenticator, if it supports that."""
        del self._sessions[session_id]
        on_session_ended = getattr(self._authenticator, "on_session_ended", None)
        if on_session_ended is None:
            return
        try:
            on_session_ended(session_id)
        except BaseException as error:  # noqa: BLE001 - the user's; the session ends anyway
            self._report(as_exception(_AUTHENTICATOR, error))

    def close(self) -> None:
        """Close the authenticator, if it supports that. Calling it again does nothing."""
        close = getattr(self._authenticator, "close", None)
        if close is None or self._is_closed:
            return
        self._is_closed = True
        try:
            close()
        except BaseException as error:  # noqa: BLE001 - the user's; the rest is closed anyway
            self._report(as_exception(_AUTHENTICATOR, error))

    def remove_all(self) -> list[ClusterSession]:
        """Remove all sessions."""
        sessions = list(self._sessions.values())
        for session in sessions:
            self._remove(session.session_id)
        return sessions
