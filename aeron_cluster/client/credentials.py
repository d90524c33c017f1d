"""Authenticate the client to an archive or a cluster.

``io.aeron.security.CredentialsSupplier``.
"""

__all__ = ["Credentials"]


class Credentials:
    """Empty credentials, as the default authenticators accept; override to supply others."""

    def encoded_credentials(self) -> bytes:
        """Return the credentials for the connect request."""
        return b""

    def on_challenge(self, encoded_challenge: bytes) -> bytes:
        """Return the answer to an authenticator's challenge."""
        del encoded_challenge
        return b""
