"""Sessions from open to close, with their messages.

No counterpart in Aeron.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.pipeline.jobs.figures.log_events import LogEvents
    from aeron_cluster.pipeline.jobs.figures.session_flow import SessionFlow, SessionFlows

__all__ = ["SessionLife", "open_changes", "session_lives"]


@dataclass(slots=True)
class SessionLife:
    """One session; values outside the part of the log, and invalid times, are None.

    Parameters
    ----------
    session : int
        The session id; for a service, which has no session, -1 - its id.
    open_time, open_position : int, optional
    close_time, close_position : int, optional
    close_reason : str, optional
    principal : bytes, optional
    response_channel : str, optional
    response_stream_id : int, optional
    flow : SessionFlow, optional
        Its messages.
    """

    session: int
    open_time: int | None = None
    open_position: int | None = None
    close_time: int | None = None
    close_position: int | None = None
    close_reason: str | None = None
    principal: bytes | None = None
    response_channel: str | None = None
    response_stream_id: int | None = None
    flow: SessionFlow | None = None

    @property
    def is_client(self) -> bool:
        """Whether it is a client's session."""
        return self.session >= 0

    @property
    def begin_time(self) -> int | None:
        """The open time; if it is invalid, the time of the first message, or else of the close.

        None if the session was opened before this part of the log, or none of them is known.
        """
        if self.open_position is None or self.open_time is not None:
            return self.open_time
        return self.close_time if self.flow is None else self.flow.first_time

    @property
    def life(self) -> int | None:
        """The time from open to close, in the log's unit; None unless both are known."""
        if self.open_time is None or self.close_time is None:
            return None
        return self.close_time - self.open_time


def session_lives(flows: SessionFlows, events: LogEvents) -> list[SessionLife]:
    """Return every session of a log, ordered by its first occurrence."""
    lives: dict[int, SessionLife] = {}
    for row in events.opens:
        life = _life(lives, row["cluster_session_id"])
        life.open_time, life.open_position = row["timestamp_raw"], row["position"]
        fields = row["session_open"]
        life.principal = fields["encoded_principal"]
        life.response_channel = fields["response_channel"]
        life.response_stream_id = fields["response_stream_id"]
    for session, position in events.untimed_opens.items():
        _life(lives, session).open_position = position
    for row in events.closes:
        life = _life(lives, row["cluster_session_id"])
        life.close_time, life.close_position = row["timestamp_raw"], row["position"]
        life.close_reason = row["session_close"]["close_reason"]
    for session, flow in flows.sessions.items():
        _life(lives, session).flow = flow
    return sorted(lives.values(), key=_first_position)


def open_changes(lives: list[SessionLife]) -> tuple[int, list[tuple[int, int]]]:
    """Return the number of clients' sessions that are open at the start, and its changes.

    Returns
    -------
    tuple of int and list
        The number, and pairs of (time, 1 or -1), sorted by time.
    """
    clients = [life for life in lives if life.is_client]
    before = sum(life.open_position is None for life in clients)
    changes = [(life.begin_time, 1) for life in clients if life.begin_time is not None]
    # By the clock of a later leader a session may be closed before it was opened.
    changes += [
        (life.close_time if life.begin_time is None else max(life.begin_time, life.close_time), -1)
        for life in clients
        if life.close_time is not None
    ]
    return before, sorted(changes)


def _life(lives: dict[int, SessionLife], session: int) -> SessionLife:
    return lives.setdefault(session, SessionLife(session))


def _first_position(life: SessionLife) -> int:
    places = [life.open_position, life.close_position]
    if life.flow is not None:
        places.append(life.flow.first_position)
    return min(place for place in places if place is not None)
