"""What losses of power may undo in a run that does not sync."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Cluster, Member

__all__ = ["may_lack_unsynced_data", "may_lose_what_is_committed"]


def may_lack_unsynced_data(cluster: Cluster, member: Member) -> bool:
    """Return whether a member's machine lost power in a run that does not sync."""
    return not cluster.sync_level and member.machine.power_loss_count > 0


def may_lose_what_is_committed(cluster: Cluster) -> bool:
    """Return whether losses of power may have undone what was committed."""
    is_lacking = any(may_lack_unsynced_data(cluster, each) for each in cluster.members)
    return is_lacking and not cluster.loses_one_at_a_time
