from aeron_cluster.client.security import (
    Authenticator as Authenticator,
)
from aeron_cluster.client.security import (
    AuthorisationService as AuthorisationService,
)
from aeron_cluster.client.security import (
    DefaultAuthenticator as DefaultAuthenticator,
)
from aeron_cluster.client.security import (
    SessionProxy as SessionProxy,
)
from aeron_cluster.client.security import (
    SimpleAuthenticator as SimpleAuthenticator,
)
from aeron_cluster.client.security import (
    SimpleAuthorisationService as SimpleAuthorisationService,
)
from aeron_cluster.client.security import (
    allow_all as allow_all,
)
from aeron_cluster.client.security import (
    deny_all as deny_all,
)
from aeron_cluster.cluster.security.authorisation import (
    AUTHORISATION_SERVICES as AUTHORISATION_SERVICES,
)
from aeron_cluster.cluster.security.authorisation import (
    MAX_PRINCIPAL_LENGTH as MAX_PRINCIPAL_LENGTH,
)
from aeron_cluster.cluster.security.authorisation import (
    allow_backup as allow_backup,
)
from aeron_cluster.cluster.security.file_authenticator import (
    FileAuthenticator as FileAuthenticator,
)
from aeron_cluster.cluster.security.file_authenticator import (
    FileAuthenticatorSupplier as FileAuthenticatorSupplier,
)
from aeron_cluster.cluster.security.file_credentials import FileCredentials as FileCredentials
from aeron_cluster.cluster.security.policy_file import PolicyFile as PolicyFile

__all__ = [
    "AUTHORISATION_SERVICES",
    "MAX_PRINCIPAL_LENGTH",
    "Authenticator",
    "AuthorisationService",
    "DefaultAuthenticator",
    "FileAuthenticator",
    "FileAuthenticatorSupplier",
    "FileCredentials",
    "PolicyFile",
    "SessionProxy",
    "SimpleAuthenticator",
    "SimpleAuthorisationService",
    "allow_all",
    "allow_backup",
    "deny_all",
]
