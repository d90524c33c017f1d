"""Requests to a cluster, or one of its members, by setting a counter.

Upstream: ClusterControl and NodeControl. A requester changes NEUTRAL into the request; the
leader, or the member, changes it back when it is done.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.client.counter import Counter

__all__ = ["ControlToggle", "NodeToggle", "try_toggle"]


class ControlToggle(IntEnum):
    """Requests to the cluster, handled only by its leader; INACTIVE: none are possible."""

    INACTIVE = 0
    NEUTRAL = 1
    SUSPEND = 2
    RESUME = 3
    SNAPSHOT = 4
    SHUTDOWN = 5
    ABORT = 6
    STANDBY_SNAPSHOT = 7


class NodeToggle(IntEnum):
    """Requests to one member, whatever its role."""

    INACTIVE = 0
    NEUTRAL = 1
    REPLICATE_STANDBY_SNAPSHOT = 2
    VALIDATE_RECORDING_LOG = 3


def try_toggle(counter: Counter, request: ControlToggle | NodeToggle) -> bool:
    """Make a request; return False if another one is in progress, or none is possible.

    Parameters
    ----------
    counter : Counter
        The control toggle.
    request : ControlToggle or NodeToggle
        RESUME may also replace SUSPEND, which stays until then.
    """
    if request is ControlToggle.RESUME and counter.compare_and_set(ControlToggle.SUSPEND, request):
        return True
    return counter.compare_and_set(type(request).NEUTRAL, request)
