"""Reject implausibly high leadership terms in promises and messages.

No counterpart in Aeron, as `term_bound`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.state.term_bound import MAX_TERMS_AHEAD, is_credible
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.errors import CorruptError, LeadershipTermError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.cluster.agent.module_status import ModuleStatus
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.cluster.state.node_state import NodeState
    from aeron_cluster.cluster.state.recording_log import RecordingLog
    from aeron_cluster.codecs.message import Message

__all__ = ["TermFilter", "check_promise"]


def check_promise(
    path: str, candidate_term_id: int, recording_log: RecordingLog, member_id: int
) -> None:
    """Reject a promise that no election can have requested, before it is sent to other members.

    Raises
    ------
    LeadershipTermError
        It is too far ahead of the recording log.
    CorruptError
        The recording log is too far ahead of it.
    """
    entries = recording_log.entries
    last = entries[-1] if entries else None  # they are sorted by term
    if last is not None and not is_credible(last.leadership_term_id, candidate_term_id):
        raise CorruptError(
            recording_log.path,
            last.offset,
            "leadership term id",
            f"at most {candidate_term_id + MAX_TERMS_AHEAD}, by {path}",
            last.leadership_term_id,
        )
    if last is not None and not is_credible(candidate_term_id, last.leadership_term_id):
        raise LeadershipTermError(
            f"{path}: candidate term",
            last.leadership_term_id + MAX_TERMS_AHEAD,
            candidate_term_id,
            member_id=member_id,
            leadership_term_id=last.leadership_term_id,
            log_position=max(last.log_position, last.term_base_log_position),
        )


def _claimed(message: Message) -> tuple[int, Sequence[int]]:
    """Return the sender's id and the terms in a message."""
    match message:
        case codecs.CanvassPosition():
            return message.follower_member_id, (
                message.log_leadership_term_id,
                message.leadership_term_id,
            )
        case codecs.RequestVote():
            return message.candidate_member_id, (
                message.log_leadership_term_id,
                message.candidate_term_id,
            )
        case codecs.Vote():
            return message.follower_member_id, (
                message.log_leadership_term_id,
                message.candidate_term_id,
            )
        case codecs.NewLeadershipTerm():
            return message.leader_member_id, (
                message.log_leadership_term_id,
                message.next_leadership_term_id,
                message.leadership_term_id,
            )
        case codecs.CommitPosition():
            return message.leader_member_id, (message.leadership_term_id,)
        case codecs.AppendPosition():
            return message.follower_member_id, (message.leadership_term_id,)
        case _:
            return NULL_VALUE, ()


class TermFilter:
    """Accepts or drops messages of members by their terms.

    A term too far ahead is not promised, voted in, followed or recorded, as it would spread. All
    other messages of its sender are dropped as well, until it has sent no such term for the leader
    heartbeat timeout: it would vote against every candidate, and one such vote is enough to fail an
    election. For the others it is like a disconnected member.

    Parameters
    ----------
    context : ConsensusModuleContext
    counters : ModuleCounters
    node_state : NodeState
    recording_log : RecordingLog
    status : ModuleStatus
    """

    def __init__(
        self,
        *,
        context: ConsensusModuleContext,
        counters: ModuleCounters,
        node_state: NodeState,
        recording_log: RecordingLog,
        status: ModuleStatus,
    ) -> None:
        self._context = context
        self._counters = counters
        self._node_state = node_state
        self._recording_log = recording_log
        self._status = status
        self._reported: set[int] = set()
        self._dropped_until_ns: dict[int, int] = {}  # by member

    def accepts(self, message: Message, now_ns: int) -> bool:
        """Return whether to handle a message; the sender of a dropped one is reported once."""
        member_id, terms = _claimed(message)
        if not terms:
            return True
        known, found = self._known_term_id(), max(terms)
        is_accepted = is_credible(found, known)
        if known == NULL_VALUE and isinstance(message, codecs.RequestVote):
            # This member is new: use the term of the candidate's log, if it has one.
            known = message.log_leadership_term_id
            is_accepted = found - known <= MAX_TERMS_AHEAD
        if is_accepted:
            return now_ns >= self._dropped_until_ns.get(member_id, now_ns)
        timeout_ns = self._context.options.leader_heartbeat_timeout_ns
        self._dropped_until_ns[member_id] = now_ns + timeout_ns
        if member_id not in self._reported:
            self._reported.add(member_id)
            self._context.error_handler(
                LeadershipTermError(
                    f"{type(message).__name__} rejected",
                    known + MAX_TERMS_AHEAD,
                    found,
                    member_id=member_id,
                    leadership_term_id=known,
                    log_position=self._counters.commit_position.get(),
                )
            )
        return False

    def _known_term_id(self) -> int:
        """Return the highest term that this member recorded, was in, or promised."""
        last = self._recording_log.find_last_term()
        return max(
            self._status.leadership_term_id,
            self._node_state.candidate_term.candidate_term_id,
            NULL_VALUE if last is None else last.leadership_term_id,
        )
