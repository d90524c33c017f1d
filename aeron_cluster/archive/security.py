"""Who may connect to an archive, and who may ask it for what.

``io.aeron.security.Authenticator`` and ``AuthorisationService``. The default authenticator lets
everybody in, the default service allows everything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

__all__ = [
    "AllowAllAuthenticator",
    "Authenticator",
    "AuthorisationService",
    "SessionProxy",
    "allow_all",
    "deny_all",
]

AuthorisationService: TypeAlias = Callable[[int, int, object, bytes], bool]
"""From protocol id (the schema's), action id (the template's), a type (None) and the principal."""


class SessionProxy(Protocol):
    """What an authenticator may do with the session that it is asked about."""

    @property
    def session_id(self) -> int:
        """Which one it is."""

    def challenge(self, encoded_challenge: bytes) -> bool:
        """Ask for more; False where the question could not be sent yet."""

    def authenticate(self, encoded_principal: bytes) -> bool:
        """Let it in; False where that could not be said yet."""

    def reject(self) -> None:
        """Keep it out."""


class Authenticator(Protocol):
    """Decides who may connect. Its methods run on the archive's conductor and must not wait."""

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


class AllowAllAuthenticator:
    """Lets everybody in, with an empty principal."""

    def on_connect_request(self, session_id: int, encoded_credentials: bytes, now_ms: int) -> None:
        """Nothing is asked of anybody."""

    def on_challenge_response(
        self, session_id: int, encoded_credentials: bytes, now_ms: int
    ) -> None:
        """Nothing is asked of anybody."""

    def on_connected_session(self, proxy: SessionProxy, now_ms: int) -> None:  # noqa: ARG002
        """Let it in."""
        proxy.authenticate(b"")

    def on_challenged_session(self, proxy: SessionProxy, now_ms: int) -> None:  # noqa: ARG002
        """Let it in."""
        proxy.authenticate(b"")


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
