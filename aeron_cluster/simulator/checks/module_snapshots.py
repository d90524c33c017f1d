"""The consensus module's part of snapshots, compared field by field.

At a log position all members have the same state: their snapshots must be equal, whichever member
leads, and the events that services saw until then determine the open sessions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.codecs.cluster import (
    CloseReason,
    ClusterSession,
    ConsensusModule,
    PendingMessageTracker,
    SessionMessageHeader,
    Timer,
)
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.sessions import open_sessions
from aeron_cluster.simulator.members.extension_calls import EXTENSION_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aeron_cluster.simulator.members.journal import Journal

__all__ = [
    "ModuleContent",
    "check_against_journal",
    "check_equal",
    "check_held_timers",
    "read_content",
]

_HEADER_LENGTH: Final = 32
# The leader closes such sessions: a follower learns of it only from the log.
_OF_LEADER: Final = (CloseReason.TIMEOUT, CloseReason.CLIENT_ACTION)


@dataclass(kw_only=True)
class ModuleContent:
    """The contents of a consensus module's snapshot.

    Attributes
    ----------
    next_session_id : int
    sessions : dict
        By id, the fields of each session except its close reason.
    closing : dict
        By id, the reason why a session closes.
    timers : dict
        Deadlines, by correlation id.
    trackers : dict
        By service id, the number of its next message and of its last message in the log.
    messages : list
        Number and content of messages that services offered and the log does not contain yet.
    """

    next_session_id: int = 0
    sessions: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    closing: dict[int, CloseReason] = field(default_factory=dict)
    timers: dict[int, int] = field(default_factory=dict)
    trackers: dict[int, tuple[int, int]] = field(default_factory=dict)
    messages: list[tuple[int, bytes]] = field(default_factory=list)


def read_content(messages: Iterable[bytes]) -> ModuleContent:
    """Decode the messages of a module's snapshot."""
    found = ModuleContent()
    for message in messages:
        if int.from_bytes(message[4:6], "little") == EXTENSION_SCHEMA:
            continue  # it follows the module's part
        match int.from_bytes(message[2:4], "little"):
            case ConsensusModule.template_id:
                found.next_session_id = ConsensusModule.decode(message).next_session_id
            case ClusterSession.template_id:
                session = ClusterSession.decode(message)
                session_id = session.cluster_session_id
                found.sessions[session_id] = (
                    session.correlation_id,
                    session.opened_log_position,
                    session.response_stream_id,
                    session.response_channel,
                )
                if session.close_reason is not CloseReason.NULL_VALUE:
                    found.closing[session_id] = session.close_reason
            case Timer.template_id:
                timer = Timer.decode(message)
                found.timers[timer.correlation_id] = timer.deadline
            case PendingMessageTracker.template_id:
                tracker = PendingMessageTracker.decode(message)
                found.trackers[tracker.service_id] = (
                    tracker.next_service_session_id,
                    tracker.log_service_session_id,
                )
            case SessionMessageHeader.template_id:
                number = SessionMessageHeader.decode(message).cluster_session_id
                found.messages.append((number, message[_HEADER_LENGTH:]))
            case _:
                pass
    return found


def check_equal(
    position: int,
    one_id: int,
    one: ModuleContent,
    other_id: int,
    other: ModuleContent,
) -> None:
    """Compare the snapshots of two members at the same position.

    Parameters
    ----------
    position, one_id, one, other_id, other : int, int, ModuleContent, int, ModuleContent
        Where it is of, and what either has.

    Raises
    ------
    InvariantError
        They differ.
    """
    for name in ("next_session_id", "sessions", "timers", "trackers", "messages"):
        first, second = getattr(one, name), getattr(other, name)
        if first != second:
            raise InvariantError(
                "module snapshots are equal",
                f"at {position}: {name} of member {one_id} are {first}, of member {other_id}"
                f" {second}",
            )
    for session_id in one.sessions:
        reasons = one.closing.get(session_id), other.closing.get(session_id)
        if reasons[0] != reasons[1] and not any(each in _OF_LEADER for each in reasons):
            raise InvariantError(
                "module snapshots are equal",
                f"at {position}: session {session_id} closes for {reasons[0]!r} at member {one_id},"
                f" for {reasons[1]!r} at member {other_id}",
            )


def check_against_journal(
    position: int, member_id: int, content: ModuleContent, journals: Sequence[Journal]
) -> None:
    """Compare a snapshot's sessions with the events that services saw up to its position.

    Raises
    ------
    InvariantError
        The sessions differ, or the next session id was used before.
    """
    for journal in journals:
        if not journal.entries:
            continue  # native services are not observed
        opened = open_sessions(journal.entries[: journal.index_after(position)])
        expected = {key for key, is_open in opened.items() if is_open}
        if content.sessions.keys() != expected:
            raise InvariantError(
                "snapshots hold the sessions",
                f"member {member_id}, at {position}: {sorted(content.sessions)}, open are"
                f" {sorted(expected)}",
            )
        if opened and content.next_session_id != max(opened) + 1:
            raise InvariantError(
                "session ids are given once",
                f"member {member_id}, at {position}: the next is {content.next_session_id}, the"
                f" last was {max(opened)}",
            )


def check_held_timers(
    position: int, member_id: int, content: ModuleContent, journals: Sequence[Journal]
) -> None:
    """Compare a snapshot's timers with those that are pending at its position.

    Parameters
    ----------
    position, member_id : int
        Where it is of, and whose.
    content : ModuleContent
    journals : sequence of Journal
        Of all services. Those of native ones are empty: their requests are not observed.

    Raises
    ------
    InvariantError
        One is missing, or is not pending.
    """
    is_observed = all(each.entries for each in journals)
    pending = set[int]().union(*(each.timers_at(position) for each in journals))
    lost, extra = pending - content.timers.keys(), content.timers.keys() - pending
    if lost or (extra and is_observed):
        raise InvariantError(
            "snapshots hold the timers",
            f"member {member_id}, at {position}: {sorted(lost)} are not there, {sorted(extra)}"
            " are not pending",
        )
