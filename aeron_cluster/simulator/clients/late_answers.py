"""Requests of surviving clients that a service answers later than in their callback.

One that sets a timer is answered when that fires, one that is relayed when the service's own
message arrives. Until then its client may send it again, or be replaced by another process.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["LateAnswer", "LateAnswers"]


class LateAnswer(NamedTuple):
    """An answer that is not given yet."""

    client_id: int
    sequence: int
    session_id: int
    """The session that sent the request."""
    timestamp: int
    """The time of the request in the log."""
    is_timed: bool
    """Whether it waits for a timer, otherwise for a message."""
    answer: int


class LateAnswers:
    """The answers that a service has not given yet, by client and number of the request.

    They are a part of its state.
    """

    def __init__(self) -> None:
        self._waiting: dict[tuple[int, int], LateAnswer] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def names(self) -> Collection[tuple[int, int]]:
        """The ids and sequences of the clients' requests."""
        return {(each.client_id, each.sequence) for each in self._waiting.values()}

    def add(self, client: int, number: int, answer: LateAnswer) -> None:
        """Retain an answer until its event.

        Parameters
        ----------
        client, number : int
            Of the request.
        answer : LateAnswer
        """
        self._waiting[client, number] = answer

    def take(self, client: int, number: int) -> LateAnswer | None:
        """Return the answer whose event comes, once; None without one."""
        return self._waiting.pop((client, number), None)

    def take_overdue(self, timestamp: int) -> list[tuple[int, int, LateAnswer]]:
        """Return the answers to requests from after a time, with client and number of each, once.

        The clock was set back, maybe by days, and their timers fire so much later.

        Parameters
        ----------
        timestamp : int
            The current time of the log.
        """
        overdue = [
            (*name, each)
            for name, each in self._waiting.items()
            if each.is_timed and each.timestamp > timestamp
        ]
        for client, number, _ in overdue:
            del self._waiting[client, number]
        return overdue

    def encode(self) -> bytes:
        """Return the answers as bytes, equal for equal ones."""
        waiting = [[*name, *each] for name, each in self._waiting.items()]
        return json.dumps(waiting, separators=(",", ":")).encode()

    @classmethod
    def decode(cls, data: bytes) -> LateAnswers:
        """Load the result of `encode`."""
        late = cls()
        for client, number, *fields in json.loads(data):
            late.add(client, number, LateAnswer(*fields))
        return late
