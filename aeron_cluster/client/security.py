"""Authentication and authorisation of clients of an archive or a cluster.

``io.aeron.security``: Authenticator, SessionProxy, AuthorisationService.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Protocol, Self, TypeAlias

from aeron_cluster.config import named_object
from aeron_cluster.errors import ConfigurationError

__all__ = [
    "UNDECIDED_MS",
    "Authenticator",
    "AuthorisationService",
    "DefaultAuthenticator",
    "SessionProxy",
    "SimpleAuthenticator",
    "SimpleAuthorisationService",
    "allow_all",
    "deny_all",
    "named_authenticator_supplier",
    "named_authorisation_service",
]

AuthorisationService: TypeAlias = Callable[[int, int, object, bytes], bool]
"""Called with protocol id (of the schema), action id (of the template), type or None, principal."""

# The time after which an undecided session is dropped, since archives do not notify of its end.
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
    If it has a method ``close``, that is called when the consensus module closes. If it has a
    method ``on_session_ended(session_id)``, that is called for each client of a cluster that ends
    before its session is open; an archive does not call it.
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

    def on_session_ended(self, session_id: int) -> None:
        """Drop the credentials of a session that ended before it was decided."""
        self._undecided.pop(session_id, None)

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


class SimpleAuthorisationService:
    """An authorisation service of rules, for one principal or for all.

    Upstream creates it by a builder, with ``addPrincipalRule`` and ``addGeneralRule``.

    Parameters
    ----------
    default : AuthorisationService
        It decides if no rule fits.

    Notes
    -----
    The rules of a principal come before those for all, and the rules of a type before those of an
    action, before those of a protocol. Of two rules that allow and reject the same type, the one
    that allows applies, as upstream.

    >>> service = SimpleAuthorisationService().allow(101).reject(101, 45, principal=b"guest")
    >>> service(101, 45, None, b"guest"), service(101, 45, None, b"admin")
    (False, True)
    """

    def __init__(self, default: AuthorisationService = deny_all) -> None:
        self._default = default
        # By principal (None: all), protocol, action and type; None for a rule of all of them.
        self._rules: dict[tuple[bytes | None, int, int | None, object], bool] = {}

    def allow(
        self,
        protocol_id: int,
        action_id: int | None = None,
        type_: object = None,
        *,
        principal: bytes | None = None,
    ) -> Self:
        """Add a rule that allows requests; return itself.

        Parameters
        ----------
        protocol_id : int
            The id of their schema.
        action_id : int, optional
            The id of their template; by default all.
        type_ : object, optional
            Their type, such as that of an admin request; by default all.
        principal : bytes, optional
            The encoded principal; by default all.
        """
        return self._add(protocol_id, action_id, type_, principal, is_allowed=True)

    def reject(
        self,
        protocol_id: int,
        action_id: int | None = None,
        type_: object = None,
        *,
        principal: bytes | None = None,
    ) -> Self:
        """Add a rule that rejects requests; return itself. See `allow`."""
        return self._add(protocol_id, action_id, type_, principal, is_allowed=False)

    def _add(
        self,
        protocol_id: int,
        action_id: int | None,
        type_: object,
        principal: bytes | None,
        *,
        is_allowed: bool,
    ) -> Self:
        if action_id is None and type_ is not None:
            raise ConfigurationError("action_id", "an action for a rule of a type", None)
        rule = (principal, protocol_id, action_id, type_)
        if type_ is not None:
            is_allowed = is_allowed or self._rules.get(rule, False)
        self._rules[rule] = is_allowed
        return self

    def __call__(
        self, protocol_id: int, action_id: int, type_: object, encoded_principal: bytes
    ) -> bool:
        """Return whether a principal may make a request."""
        principal = bytes(encoded_principal)
        rules = self._rules
        for each in (principal, None):
            for rule in (
                (each, protocol_id, action_id, type_),
                (each, protocol_id, action_id, None),
                (each, protocol_id, None, None),
            ):
                is_allowed = rules.get(rule)
                if is_allowed is not None:
                    return is_allowed
        return self._default(protocol_id, action_id, type_, encoded_principal)


def named_authenticator_supplier(option: str, name: str) -> Callable[[], Authenticator]:
    """Return a supplier of authenticators by its name, ``module:function``.

    Raises
    ------
    ConfigurationError
        There is no such function.
    """
    expected = (
        "module:function that returns an Authenticator, or the keyword authenticator_supplier"
    )
    supplier = named_object(option, name, expected)
    if not callable(supplier):
        raise ConfigurationError(option, expected, name, f"it is {supplier!r}")
    return supplier  # type: ignore[no-any-return]


def named_authorisation_service(option: str, name: str) -> AuthorisationService:
    """Return the authorisation service of a supplier, by its name ``module:function``.

    Raises
    ------
    ConfigurationError
        There is no such function, or it does not return a service.
    """
    expected = (
        "ALLOW_ALL, DENY_ALL, module:function that returns an AuthorisationService, or the keyword"
        " authorisation_service"
    )
    supplier = named_object(option, name, expected)
    service = supplier() if callable(supplier) else supplier
    if not callable(service):
        raise ConfigurationError(option, expected, name, f"its result is {service!r}")
    return service  # type: ignore[no-any-return]
