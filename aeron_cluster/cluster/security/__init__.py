"""Authentication and authorisation of clients: policies, files, limits by source."""

from aeron_cluster.exports import export

__all__, __getattr__, __dir__ = export(
    __name__,
    {
        "client.security": (
            "Authenticator",
            "AuthorisationService",
            "DefaultAuthenticator",
            "SessionProxy",
            "SimpleAuthenticator",
            "SimpleAuthorisationService",
            "allow_all",
            "deny_all",
        ),
        "cluster.security.authorisation": (
            "AUTHORISATION_SERVICES",
            "MAX_PRINCIPAL_LENGTH",
            "allow_backup",
        ),
        "cluster.security.file_authenticator": (
            "FileAuthenticator",
            "FileAuthenticatorSupplier",
        ),
        "cluster.security.file_credentials": ("FileCredentials",),
        "cluster.security.policy_file": ("PolicyFile",),
    },
)
