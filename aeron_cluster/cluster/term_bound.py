"""How far ahead of what a member knows a leadership term may be.

Stands for nothing of Java's, whose members take every term for true and note each one in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.members import NULL_VALUE
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.errors import CorruptError, LeadershipTermError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.cluster.module_parts import ModuleParts
    from aeron_cluster.cluster.recording_log import RecordingLog
    from aeron_cluster.codecs.message import Message

__all__ = ["MAX_TERMS_AHEAD", "CredibleTerms", "check_promise", "is_credible"]

MAX_TERMS_AHEAD: Final = 1 << 20
"""More terms than elections bring while a member is away or hears nothing.

Who stands has heard that a majority canvasses, and goes one term up; no sooner than after a ballot
does anybody stand again, a second as Java's members are configured too. So these are about twelve
days without a leader for longer than a moment, or, with one that is lost as soon as it leads, some
months: a member that is reached meanwhile learns of every ballot. Java's members, which have no
bound, would note each of so many terms, and be silent for as long as that takes. What is further
ahead comes from a damaged file: all bits from here up of a term id that is not.
"""


def is_credible(leadership_term_id: int, known_term_id: int) -> bool:
    """Tell whether elections may have brought a term, where another is known.

    Parameters
    ----------
    leadership_term_id, known_term_id : int
        A member that knows no term, -1, may come to a cluster of any age.
    """
    return known_term_id == NULL_VALUE or leadership_term_id - known_term_id <= MAX_TERMS_AHEAD


def check_promise(
    path: str, candidate_term_id: int, recording_log: RecordingLog, member_id: int
) -> None:
    """Refuse a promise that no election asked for, before others hear of it.

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
    """Return who speaks, and the terms that he speaks of."""
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


class CredibleTerms:
    """Tells which messages of members are heard, by the terms they speak of.

    A term too far ahead is not promised, voted in, followed or noted: whoever has it would spread
    it. Nor is he heard otherwise until he has not spoken of it for as long as a leader may be
    silent: he votes against everybody, and one such vote is enough. To the others, who go on
    without him, that is a member that is cut off.

    Parameters
    ----------
    parts : ModuleParts
    """

    def __init__(self, parts: ModuleParts) -> None:
        self._parts = parts
        self._named: set[int] = set()
        self._silent_until_ns: dict[int, int] = {}  # by member

    def is_heard(self, message: Message, now_ns: int) -> bool:
        """Tell whether a message is to be taken; who says one that is not is named, once."""
        member_id, terms = _claimed(message)
        if not terms:
            return True
        known, found = self._known_term_id(), max(terms)
        is_heard = is_credible(found, known)
        if known == NULL_VALUE and isinstance(message, codecs.RequestVote):
            # This member is new; the one that stands knows the term of its own log, if it has one.
            known = message.log_leadership_term_id
            is_heard = found - known <= MAX_TERMS_AHEAD
        if is_heard:
            return now_ns >= self._silent_until_ns.get(member_id, now_ns)
        timeout_ns = self._parts.context.options.leader_heartbeat_timeout_ns
        self._silent_until_ns[member_id] = now_ns + timeout_ns
        if member_id not in self._named:
            self._named.add(member_id)
            self._parts.context.error_handler(
                LeadershipTermError(
                    f"{type(message).__name__} refused",
                    known + MAX_TERMS_AHEAD,
                    found,
                    member_id=member_id,
                    leadership_term_id=known,
                    log_position=self._parts.counters.commit_position.get(),
                )
            )
        return False

    def _known_term_id(self) -> int:
        """Return the highest term that this member has, was in, or promised."""
        parts = self._parts
        last = parts.recording_log.find_last_term()
        return max(
            parts.status.leadership_term_id,
            parts.node_state.candidate_term.candidate_term_id,
            NULL_VALUE if last is None else last.leadership_term_id,
        )
