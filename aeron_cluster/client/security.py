"""Who may connect to an archive or a cluster, and what each may request.

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
"""From protocol id (the schema's), action id (the template's), a type or None, the principal."""

# There is no notification of a session that closed before it could be answered.
UNDECIDED_MS: Final = 600_000


class SessionProxy(Protocol):
    """What an authenticator may do with the session that it is asked about."""

    @property
    def session_id(self) -> int:
        """Which one it is."""

    def challenge(self, encoded_challenge: bytes) -> bool:
        """Request more; False where the question could not be sent yet."""

    def authenticate(self, encoded_principal: bytes) -> bool:
        """Accept it; False where that could not be sent yet."""

    def reject(self) -> None:
        """Keep it out."""


class Authenticator(Protocol):
    """Decides which clients may connect. It runs on the conductor's agent and must not wait.

    Notes
    -----
    One that has a method ``close`` is closed with the consensus module.
    """

    def on_connect_request(self, session_id: int, encoded_credentials: bytes, now_ms: int) -> None:
        """Take the credentials that a session came with; ms since 1970."""

    def on_challenge_response(
        self, session_id: int, encoded_credentials: bytes, now_ms: int
    ) -> None:
        """Take the answer to a challenge; ms since 1970."""

    def on_connected_session(self, proxy: SessionProxy, now_ms: int) -> None:
        """Decide about a session that can be answered now; called again until it is decided."""

    def on_challenged_session(self, proxy: SessionProxy, now_ms: int) -> None:
        """Decide about a session that was challenged; called again until it is decided."""


class DefaultAuthenticator:
    """Lets everybody in, with an empty principal."""

    def on_connect_request(self, session_id: int, encoded_credentials: bytes, now_ms: int) -> None:
        """Accept without credentials."""

    def on_challenge_response(
        self, session_id: int, encoded_credentials: bytes, now_ms: int
    ) -> None:
        """Accept without credentials."""

    def on_connected_session(self, proxy: SessionProxy, now_ms: int) -> None:  # noqa: ARG002
        """Let it in."""
        proxy.authenticate(b"")

    def on_challenged_session(self, proxy: SessionProxy, now_ms: int) -> None:  # noqa: ARG002
        """Let it in."""
        proxy.authenticate(b"")


class SimpleAuthenticator:
    """Accepts clients with known credentials, and never challenges.

    Parameters
    ----------
    principals : Mapping of bytes to bytes
        The principal of each credentials.
    """

    def __init__(self, principals: Mapping[bytes, bytes]) -> None:
        self._principals = dict(principals)
        # By session id, oldest first: the principal, None of unknown credentials, and since when.
        self._undecided: dict[int, tuple[bytes | None, int]] = {}

    def on_connect_request(self, session_id: int, encoded_credentials: bytes, now_ms: int) -> None:
        """Look the credentials up."""
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
        """Let it in, or keep it out."""
        principal, _ = self._undecided.get(proxy.session_id, (None, now_ms))
        if principal is None:
            proxy.reject()
        elif not proxy.authenticate(principal):
            return  # asked again
        self._undecided.pop(proxy.session_id, None)

    def on_challenged_session(self, proxy: SessionProxy, now_ms: int) -> None:  # noqa: ARG002
        """Keep it out: it was not this authenticator that challenged it."""
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
