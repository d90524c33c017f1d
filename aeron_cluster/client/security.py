"""Authentication and authorisation of clients of an archive or a cluster.

``io.aeron.security``: Authenticator, SessionProxy, AuthorisationService.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Protocol, TypeAlias

__all__ = [
    "UNDECIDED_MS",
    "Authenticator",
    "AuthorisationService",
    "DefaultAuthenticator",
    "SessionProxy",
    "SimpleAuthenticator",
    "allow_all",
    "deny_all",
]

AuthorisationService: TypeAlias = Callable[[int, int, object, bytes], bool]
"""Called with protocol id (of the schema), action id (of the template), type or None, principal."""

# The time after which an undecided session is dropped, since its close is not notified.
UNDECIDED_MS: Final = 600_000


class SessionProxy(Protocol):
    """The operations of an authenticator on a session."""

    @property
    def session_id(self) -> int:
        """The session id."""

    def challenge(self, encoded_challenge: bytes) -> bool:
        """Send a challenge; False if it could not be sent yet."""

    def authenticate(self, encoded_principal: bytes) -> bool:
        """Accept the session; False if the reply could not be sent yet."""

    def reject(self) -> None:
        """Reject the session."""


class Authenticator(Protocol):
    """Decides which clients may connect. It runs on the conductor's agent and must not block.

    Notes
    -----
    If it has a method ``close``, that is called when the consensus module closes.
    """

    def on_connect_request(self, session_id: int, encoded_credentials: bytes, now_ms: int) -> None:
        """Receive the credentials of a connect request; the time is in ms since 1970."""

    def on_challenge_response(
        self, session_id: int, encoded_credentials: bytes, now_ms: int
    ) -> None:
        """Receive the answer to a challenge; the time is in ms since 1970."""

    def on_connected_session(self, proxy: SessionProxy, now_ms: int) -> None:
        """Decide about a session that can be answered; called repeatedly until it is decided."""

    def on_challenged_session(self, proxy: SessionProxy, now_ms: int) -> None:
        """Decide about a challenged session; called repeatedly until it is decided."""


class DefaultAuthenticator:
    """Accepts every client, with an empty principal."""

    def on_connect_request(self, session_id: int, encoded_credentials: bytes, now_ms: int) -> None:
        """Accept without credentials."""

    def on_challenge_response(
        self, session_id: int, encoded_credentials: bytes, now_ms: int
    ) -> None:
        """Accept without credentials."""

    def on_connected_session(self, proxy: SessionProxy, now_ms: int) -> None:  # noqa: ARG002
        """Accept the session."""
        proxy.authenticate(b"")

    def on_challenged_session(self, proxy: SessionProxy, now_ms: int) -> None:  # noqa: ARG002
        """Accept the session."""
        proxy.authenticate(b"")


class SimpleAuthenticator:
    """Accepts clients with known credentials, and never challenges.

    Parameters
    ----------
    principals : Mapping of bytes to bytes
        The principals by their credentials.
    """

    def __init__(self, principals: Mapping[bytes, bytes]) -> None:
        self._principals = dict(principals)
        # By session id, oldest first: the principal (None for unknown credentials), and the time.
        self._undecided: dict[int, tuple[bytes | None, int]] = {}

    def on_connect_request(self, session_id: int, encoded_credentials: bytes, now_ms: int) -> None:
        """Look up the credentials."""
        while self._undecided:
            oldest = next(iter(self._undecided))
            if now_ms - self._undecided[oldest][1] < UNDECIDED_MS:
                break
            del self._undecided[oldest]
        self._undecided[session_id] = self._principals.get(bytes(encoded_credentials)), now_ms

    def on_challenge_response(
        self, session_id: int, encoded_credentials: bytes, now_ms: int
    ) -> None:
        """Do nothing: it never challenges."""

    def on_connected_session(self, proxy: SessionProxy, now_ms: int) -> None:
        """Accept or reject the session."""
        principal, _ = self._undecided.get(proxy.session_id, (None, now_ms))
        if principal is None:
            proxy.reject()
        elif not proxy.authenticate(principal):
            return  # called again
        self._undecided.pop(proxy.session_id, None)

    def on_challenged_session(self, proxy: SessionProxy, now_ms: int) -> None:  # noqa: ARG002
        """Reject the session: this authenticator never challenges."""
        proxy.reject()


def allow_all(
    protocol_id: int,  # noqa: ARG001
    action_id: int,  # noqa: ARG001
    type_: object,  # noqa: ARG001
    encoded_principal: bytes,  # noqa: ARG001
) -> bool:
    """Allow everything."""
    return True


def deny_all(
    protocol_id: int,  # noqa: ARG001
    action_id: int,  # noqa: ARG001
    type_: object,  # noqa: ARG001
    encoded_principal: bytes,  # noqa: ARG001
) -> bool:
    """Allow nothing."""
    return False
