"""Events of replications of another member's recordings.

``logReplicationEnded`` of ConsensusModuleAgent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.events.codes import ClusterEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.log.recording_replication import RecordingReplication

__all__ = ["done_recorder"]


def done_recorder(
    context: ConsensusModuleContext, purpose: str
) -> Callable[[RecordingReplication, int], None]:
    """Return a function that records the end of a replication with a purpose."""

    def record(replication: RecordingReplication, src_recording_id: int) -> None:
        context.events.record(
            ClusterEvent.REPLICATION_ENDED,
            src_recording_id=src_recording_id,
            dst_recording_id=replication.recording_id,
            position=replication.position,
            member_id=context.options.member_id,
            has_synced=replication.has_synced,
            purpose=purpose,
            channel=replication.src_control_channel,
        )

    return record
