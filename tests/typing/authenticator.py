"""A user decides which clients may connect to a cluster and an archive; mypy accepts it."""

from aeron_cluster.archive.context import ArchiveContext
from aeron_cluster.client.security import (
    Authenticator,
    AuthorisationService,
    SessionProxy,
    SimpleAuthenticator,
)
from aeron_cluster.cluster.context.module_context import ConsensusModuleContext


class Challenger:
    """Challenges every client."""

    def __init__(self) -> None:
        self._answers: dict[int, bytes] = {}

    def on_connect_request(self, session_id: int, encoded_credentials: bytes, now_ms: int) -> None:
        """Check the credentials of the connect request."""

    def on_connected_session(self, proxy: SessionProxy, now_ms: int) -> None:
        """Challenge the session; a challenge that cannot be sent now is repeated."""
        del now_ms
        proxy.challenge(b"and?")

    def on_challenge_response(
        self, session_id: int, encoded_credentials: bytes, now_ms: int
    ) -> None:
        """Keep the response."""
        del now_ms
        self._answers[session_id] = encoded_credentials

    def on_challenged_session(self, proxy: SessionProxy, now_ms: int) -> None:
        """Decide."""
        del now_ms
        answer = self._answers.pop(proxy.session_id, None)
        if answer == b"please":
            proxy.authenticate(b"a polite one")
        elif answer is not None:
            proxy.reject()


def may_snapshot(protocol_id: int, action_id: int, type_: object, principal: bytes) -> bool:
    """Authorize one administrator to request snapshots."""
    return (protocol_id, action_id) == (111, 26) and type_ == 0 and principal == b"root"


AUTHENTICATOR: Authenticator = Challenger()
SERVICE: AuthorisationService = may_snapshot

ConsensusModuleContext.of(authenticator_supplier=Challenger, authorisation_service=may_snapshot)
ArchiveContext.of(authenticator_supplier=lambda: SimpleAuthenticator({b"user:word": b"user"}))
