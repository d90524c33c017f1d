"""What a member is to the others.

Upstream: Cluster.Role. The numbers are those of the node role counter.
"""

from enum import IntEnum

__all__ = ["Role"]


class Role(IntEnum):
    """What a member is to the others; the values of the node role counter."""

    FOLLOWER = 0
    CANDIDATE = 1
    LEADER = 2
