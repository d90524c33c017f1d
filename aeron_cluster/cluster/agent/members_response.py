"""The response to tools that query a member's view of its cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.codecs.cluster import (
    BooleanType,
    ClusterMembersExtendedResponse,
    ClusterMembersResponse,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.codecs.cluster import ClusterMembersQuery

__all__ = ["members_response"]


def members_response(
    query: ClusterMembersQuery,
    context: ConsensusModuleContext,
    *,
    leader_member_id: int,
    progress: Sequence[tuple[int, int, int]],
    now_ns: int,
) -> bytes:
    """Answer a query of the members.

    Parameters
    ----------
    leader_member_id : int
        -1 without one.
    progress : sequence
        For each member its log position, the time of its receipt, and its term; -1 for unknown.
    now_ns : int
        The clock of the receipt times of members' messages.
    """
    members = context.members
    if query.extended is not BooleanType.TRUE:
        return ClusterMembersResponse.encode(
            correlation_id=query.correlation_id,
            leader_member_id=leader_member_id,
            active_members="|".join(str(member) for member in members),
            passive_followers="",
        )
    own = context.options.member_id
    active = [
        ClusterMembersExtendedResponse.ActiveMembers(
            leadership_term_id=leadership_term_id,
            log_position=log_position,
            time_of_last_append_ns=received_ns,
            member_id=member.member_id,
            ingress_endpoint=member.ingress_endpoint,
            consensus_endpoint=member.consensus_endpoint,
            log_endpoint=member.log_endpoint,
            catchup_endpoint=member.catchup_endpoint,
            archive_endpoint=member.archive_endpoint,
        )
        for member, (log_position, received_ns, leadership_term_id) in zip(
            members, progress, strict=True
        )
    ]
    return ClusterMembersExtendedResponse.encode(
        correlation_id=query.correlation_id,
        current_time_ns=now_ns,
        leader_member_id=leader_member_id,
        member_id=own,
        active_members=active,
        passive_members=[],
    )
