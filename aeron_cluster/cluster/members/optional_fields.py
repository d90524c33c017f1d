"""Defaults for fields that are missing in the sender's schema version.

Upstream: the mapping of null values in LogAdapter, BoundedLogAdapter and ConsensusAdapter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.codecs.cluster import BackupQuery, ClusterActionRequest

if TYPE_CHECKING:
    from aeron_cluster.codecs.message import Message

__all__ = ["DEFAULT_ACTION_FLAGS", "action_flags", "null_of", "queried_log_position"]

DEFAULT_ACTION_FLAGS: Final = 0
LATEST: Final = 2**63 - 1


def null_of(message: type[Message], name: str) -> int:
    """Return the value of a field that the sender's schema version does not have."""
    return next(field.null for field in message.fields if field.name == name)


_NO_FLAGS: Final = null_of(ClusterActionRequest, "flags")
_NO_POSITION: Final = null_of(BackupQuery, "log_position")


def action_flags(event: ClusterActionRequest) -> int:
    """Return an action's flags: the default ones before schema version 11."""
    return DEFAULT_ACTION_FLAGS if event.flags == _NO_FLAGS else event.flags


def queried_log_position(query: BackupQuery) -> int:
    """Return the highest snapshot position for the response: unlimited before schema version 16."""
    is_any = query.log_position in (_NO_POSITION, NULL_VALUE)
    return LATEST if is_any else query.log_position
