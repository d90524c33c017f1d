"""The default authorisation of a cluster, and the ones selected by property.

The defaults of ConsensusModule.Configuration.
"""

from __future__ import annotations

from typing import Final

from aeron_cluster.client.security import AuthorisationService, allow_all, deny_all
from aeron_cluster.codecs.cluster import (
    SCHEMA,
    BackupQuery,
    HeartbeatRequest,
    StandbySnapshot,
)

__all__ = ["AUTHORISATION_SERVICES", "MAX_PRINCIPAL_LENGTH", "allow_backup"]

MAX_PRINCIPAL_LENGTH: Final = 4096
"""In bytes: a session's principal is written into the log, and into every snapshot."""

_BACKUP_REQUESTS: Final = frozenset(
    message.template_id for message in (BackupQuery, HeartbeatRequest, StandbySnapshot)
)


def allow_backup(
    protocol_id: int,
    action_id: int,
    type_: object,  # noqa: ARG001
    encoded_principal: bytes,  # noqa: ARG001
) -> bool:
    """Allow only the requests of backups and standbys."""
    return protocol_id == SCHEMA.schema_id and action_id in _BACKUP_REQUESTS


AUTHORISATION_SERVICES: Final[dict[str | None, AuthorisationService]] = {
    None: allow_backup,
    "ALLOW_ALL": allow_all,
    "DENY_ALL": deny_all,
}
"""Authorisation services by the value of ``aeron.cluster.authorisation.service.supplier``."""
