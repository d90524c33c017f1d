"""Requests in the format of surviving clients, sent by plain clients in any order.

A surviving client numbers its requests, sends few of them twice, and ends in order. Guests of a
de-duplicating service also come in numbers that its table does not take, end while they are known,
come back as a later process or after they ended, and repeat or skip requests. What they state as
answered was answered.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from aeron_cluster.simulator.clients.reference import Request, Verb

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Random

__all__ = ["Guests", "is_enveloped"]

# Drawn in include/aeron_cluster/requests.h.
_ENVELOPE: Final = struct.Struct("<4sHHqqqq")
_MAGIC: Final = b"ACRQ"
_VERSION: Final = 1
_OPEN, _REQUEST, _FORGET = 1, 2, 3
_OPENED, _ANSWER, _NO_ROOM = 16, 17, 23
_FIRST_ID: Final = 1 << 20
_IDS_APART: Final = 1 << 16
_FIRST_CLIENT: Final = 1 << 16  # of requests: other clients have small numbers
_VERBS: Final = (Verb.WRITE, Verb.NEXT, Verb.PUSH, Verb.READ)
_ONE_IN: Final = 3
_CHANGE_ONE_IN: Final = 6
_ODD_ONE_IN: Final = 4


def is_enveloped(message: bytes) -> bool:
    """Return whether a message is in the format of surviving clients."""
    return len(message) >= _ENVELOPE.size and message.startswith(_MAGIC)


class Guests:
    """The guests of one plain client, one after the other.

    Parameters
    ----------
    client : int
        The number of the client.
    random : Random
    has_late : bool
        Whether some requests are of a verb that services may answer late.
    """

    def __init__(self, client: int, random: Random, *, has_late: bool = False) -> None:
        self._client = client
        self._verbs = (*_VERBS, Verb.RELAY) if has_late else _VERBS
        self._random = random
        self._id = 0
        self._count = 0
        self._incarnation = 1
        self._next = 1
        self._answered = 0
        self._answers: set[int] = set()
        self._number = 0
        self._ended: list[tuple[int, int, int]] = []
        self._left: list[tuple[int, int]] = []  # in the table, of no use any more
        self._is_full = False

    def draw(self) -> bytes | None:
        """Return a message of a guest, or None: another request is to be sent."""
        random = self._random
        if random.below(_ONE_IN):
            return None
        if self._is_full and self._left and random.below(2):
            # Make room; until then new guests are rejected.
            self._is_full = False
            client_id, incarnation = self._left.pop(random.below(len(self._left)))
            return self._envelope(_FORGET, client_id, incarnation)
        if not self._id:
            return self._come()
        if random.below(_CHANGE_ONE_IN) == 0:
            match random.below(5):
                case 0:
                    return self._come()  # the one before stays in the table
                case 1:
                    return self._leave()
                case 2 if self._ended:
                    return self._of_ended(*self._ended[random.below(len(self._ended))])
                case 3:
                    # Of an earlier process, and nothing is forgotten.
                    return self._envelope(_FORGET, self._id, self._incarnation - 1)
                case _:
                    return self._come_back()
        return self._request()

    def _come(self) -> bytes:
        if self._id:
            self._left.append((self._id, self._incarnation))
        self._count += 1
        self._id = _FIRST_ID + _IDS_APART * self._client + self._count
        self._incarnation = 1 + self._random.below(3)
        self._next, self._answered = 1, 0
        self._answers.clear()
        return self._envelope(_OPEN, self._id, self._incarnation)

    def _come_back(self) -> bytes:
        """Open again: as the same process, or as a later one."""
        self._incarnation += self._random.below(2)
        return self._envelope(_OPEN, self._id, self._incarnation, self._answered, self._answered)

    def _leave(self) -> bytes:
        message = self._envelope(
            _FORGET, self._id, self._incarnation, self._answered, self._answered
        )
        # Its id is not used again: late answers to it would count for another one.
        self._ended.append((self._id, self._incarnation, self._answered))
        self._id = 0
        return message

    def _of_ended(self, client_id: int, incarnation: int, answered: int) -> bytes:
        """End again, or come back as a client that no service knows any more."""
        if client_id % 2 and answered:
            return self._envelope(_OPEN, client_id, incarnation, answered, answered)
        return self._envelope(_FORGET, client_id, incarnation)

    def _request(self) -> bytes:
        random = self._random
        sequence = self._next
        if random.below(_ODD_ONE_IN) == 0:
            # Again, or one too many.
            sequence = self._answered + 1 + random.below(self._next - self._answered + 1)
        self._next = max(self._next, min(sequence, self._next) + 1)
        self._number += 1
        verb = self._verbs[random.below(len(self._verbs))]
        request = Request(_FIRST_CLIENT + self._client, self._number, verb, random.below(10))
        return (
            self._envelope(_REQUEST, self._id, self._incarnation, sequence, self._answered)
            + request.encode()
        )

    def on_message(self, message: bytes) -> None:
        """Handle a reply: count what was answered, and continue after what was accepted."""
        _, _, kind, client_id, incarnation, sequence, _ = _ENVELOPE.unpack_from(message)
        if (client_id, incarnation) != (self._id, self._incarnation):
            return
        if kind == _NO_ROOM:
            self._is_full = True
            self._id = 0
        elif kind == _OPENED:
            # Requests before it are not sent again, as a surviving client. It may come late.
            self._answered = max(self._answered, sequence)
            self._next = self._answered + 1
        elif kind == _ANSWER:
            self._answers.add(sequence)
            while self._answered + 1 in self._answers:
                self._answered += 1
            self._next = max(self._next, self._answered + 1)

    def _envelope(
        self, kind: int, client_id: int, incarnation: int, sequence: int = 0, answered: int = 0
    ) -> bytes:
        return _ENVELOPE.pack(_MAGIC, _VERSION, kind, client_id, incarnation, sequence, answered)
