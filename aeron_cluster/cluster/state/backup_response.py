"""Describe the log and the snapshots: the response to a backup's query.

Upstream: the fields of BackupResponse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.codecs.cluster import BackupResponse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aeron_cluster.cluster.state.recording_log import Entry

__all__ = ["backup_response"]


def backup_response(
    correlation_id: int,
    term: Entry | None,
    snapshots: Iterable[Entry],
    *,
    commit_position_counter_id: int = NULL_VALUE,
    leader_member_id: int = NULL_VALUE,
    member_id: int = NULL_VALUE,
    cluster_members: str = "",
) -> bytes:
    """Encode the answer.

    Parameters
    ----------
    correlation_id : int
        The correlation id of the query.
    term : Entry, optional
        The last term, if there is a log.
    snapshots : Iterable of Entry
        The services' from the highest id down, then the consensus module's.
    commit_position_counter_id, leader_member_id, member_id : int
        The id of the responding member; a backup has none.
    cluster_members : str
        The members' ids and endpoints.
    """
    term_id = term.leadership_term_id if term else NULL_VALUE
    base_position = term.term_base_log_position if term else NULL_VALUE
    return BackupResponse.encode(
        correlation_id=correlation_id,
        log_recording_id=term.recording_id if term else NULL_VALUE,
        log_leadership_term_id=term_id,
        log_term_base_log_position=base_position,
        last_leadership_term_id=term_id,
        last_term_base_log_position=base_position,
        commit_position_counter_id=commit_position_counter_id,
        leader_member_id=leader_member_id,
        member_id=member_id,
        snapshots=[
            BackupResponse.Snapshots(
                recording_id=entry.recording_id,
                leadership_term_id=entry.leadership_term_id,
                term_base_log_position=entry.term_base_log_position,
                log_position=entry.log_position,
                timestamp=entry.timestamp,
                service_id=entry.service_id,
            )
            for entry in snapshots
        ],
        cluster_members=cluster_members,
    )
