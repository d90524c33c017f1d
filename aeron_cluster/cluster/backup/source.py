"""How a backup handles a response: whether to accept it, what to copy, where to continue.

Pure functions. Upstream: parts of ClusterBackupAgent and LogSourceValidator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.state.recording_log import CONSENSUS_MODULE_SERVICE_ID

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aeron_cluster.cluster.state.recording_log import Entry
    from aeron_cluster.codecs.cluster import BackupResponse

__all__ = ["first_replay_position", "is_acceptable", "missing_snapshots", "new_terms"]


def is_acceptable(source_type: str, leader_member_id: int, member_id: int) -> bool:
    """Return whether a member may supply the log: LEADER, FOLLOWER or ANY."""
    match source_type:
        case "LEADER":
            return leader_member_id != NULL_VALUE and leader_member_id == member_id
        case "FOLLOWER":
            return leader_member_id != member_id
        case _:
            return True


def missing_snapshots(
    entries: Sequence[Entry], offered: Iterable[BackupResponse.Snapshots]
) -> list[BackupResponse.Snapshots]:
    """Return the offered snapshots that differ from the last local one of their service."""
    latest: dict[int, int] = {}
    for entry in entries:
        if entry.is_valid_snapshot:
            known = latest.get(entry.service_id, NULL_VALUE)
            latest[entry.service_id] = max(known, entry.log_position)
    return [each for each in offered if latest.get(each.service_id) != each.log_position]


def first_replay_position(replay_start: str, snapshots: Iterable[BackupResponse.Snapshots]) -> int:
    """Return the start of the log of a new backup; -1 for the start of the source's log.

    Parameters
    ----------
    replay_start : str
        BEGINNING or LATEST_SNAPSHOT.
    snapshots : iterable of BackupResponse.Snapshots
        The copied snapshots.
    """
    if replay_start == "BEGINNING":
        return NULL_VALUE
    positions = [
        each.log_position for each in snapshots if each.service_id == CONSENSUS_MODULE_SERVICE_ID
    ]
    return max(positions, default=NULL_VALUE)


def new_terms(
    entries: Sequence[Entry],
    response: BackupResponse,
    snapshots: Sequence[BackupResponse.Snapshots],
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the terms to append before and after the snapshots, as (term, base position).

    Notes
    -----
    A snapshot is valid only after its term: for one of the log's term or a later one, the term
    comes first.
    """
    known = {entry.leadership_term_id for entry in entries if entry.is_valid_term}
    before, after = [], []
    log_term = (response.log_leadership_term_id, response.log_term_base_log_position)
    last_term = (response.last_leadership_term_id, response.last_term_base_log_position)
    if snapshots and log_term[0] not in known and log_term[0] <= snapshots[0].leadership_term_id:
        before.append(log_term)
        known.add(log_term[0])
    if last_term[0] not in known:
        after.append(last_term)
    return before, after
