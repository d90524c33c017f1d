"""The start of an election: INIT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.members.members import NULL_VALUE

if TYPE_CHECKING:
    from aeron_cluster.cluster.election.progress import ElectionProgress
    from aeron_cluster.memory.agents.waiting import Waiting

__all__ = ["init"]


def init(election: ElectionProgress) -> Waiting[None]:
    """Undo uncommitted changes, unless the node has just started."""
    if election.truncate_position is not None:
        position, election.truncate_position = election.truncate_position, None
        yield from election.host.truncate_log(election.log_leadership_term_id, position)
    if not election.is_prepared:
        election.append_position = yield from election.host.prepare_for_new_leadership(
            election.log_position
        )
        election.is_prepared = True
        election.log_session_id = None
        election.catchup_join_position = NULL_VALUE
        election.missing = None
    election.notified_commit_position = 0
    election.published_commit_position = NULL_VALUE
    if not election.others:
        election.leadership_term_id = election.host.begin_candidate_term(
            election.leadership_term_id, election.log_position
        )
        election.candidate_term_id = election.leadership_term_id
        election.leader = election.this_member
        election.enter(ElectionState.LEADER_LOG_REPLICATION, "single-node cluster leader")
    else:
        election.candidate_term_id = max(
            election.host.candidate_term_id, election.leadership_term_id
        )
        election.enter(ElectionState.CANVASS, "")
