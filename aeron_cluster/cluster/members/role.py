"""The role of a member.

Upstream: Cluster.Role. The numbers are those of the node role counter.
"""

from enum import IntEnum

__all__ = ["Role"]


class Role(IntEnum):
    """The role of a member, with the values of the node role counter."""

    FOLLOWER = 0
    CANDIDATE = 1
    LEADER = 2
