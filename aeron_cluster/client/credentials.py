"""Authenticate the client to an archive or a cluster.

``io.aeron.security.CredentialsSupplier``.
"""

__all__ = ["Credentials"]


class Credentials:
    """Proves nothing, which the default authenticators accept; override to prove something."""

    def encoded_credentials(self) -> bytes:
        """Return what goes into the connect request."""
        return b""

    def on_challenge(self, encoded_challenge: bytes) -> bytes:
        """Return the answer to an authenticator's challenge."""
        del encoded_challenge
        return b""
