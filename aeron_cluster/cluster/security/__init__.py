"""Who may connect to a cluster and what each may request: policies, files, limits by source."""

from aeron_cluster.client.security import (
    Authenticator,
    AuthorisationService,
    DefaultAuthenticator,
    SessionProxy,
    SimpleAuthenticator,
    allow_all,
    deny_all,
)
from aeron_cluster.cluster.security.authorisation import (
    AUTHORISATION_SERVICES,
    MAX_PRINCIPAL_LENGTH,
    allow_backup,
)

__all__ = [
    "AUTHORISATION_SERVICES",
    "MAX_PRINCIPAL_LENGTH",
    "Authenticator",
    "AuthorisationService",
    "DefaultAuthenticator",
    "SessionProxy",
    "SimpleAuthenticator",
    "allow_all",
    "allow_backup",
    "deny_all",
]
