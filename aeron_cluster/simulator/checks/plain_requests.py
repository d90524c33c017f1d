"""The requests of surviving clients that a de-duplicating service must apply, from the log alone.

A second, plain version of the decisions of `Deduplication`, to check it. The envelope's layout is
drawn in ``include/aeron_cluster/requests.h``.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["PlainAnswer", "PlainClient", "PlainRequests", "RequestName", "read_table"]

_ENVELOPE: Final = struct.Struct("<4sHHqqqq")
_MAGIC: Final = b"ACRQ"
_OPEN: Final = 1
_REQUEST: Final = 2
_FORGET: Final = 3
# Records of the table in a snapshot; see `Deduplication`.
_CLIENT: Final = 32
_PART_OF_ANSWER: Final = 33
_KIND_BITS: Final = 16  # the bits above have the cause of a failure
_KIND_MASK: Final = (1 << _KIND_BITS) - 1
_CLIENT_BODY: Final = struct.Struct("<qq")


@dataclass
class _Client:
    incarnation: int
    last: int = 0
    acknowledged: int = 0
    activity: int = 0
    session_id: int = 0


class PlainClient(NamedTuple):
    """A client in the table."""

    incarnation: int
    last: int
    acknowledged: int
    activity: int
    session_id: int


class RequestName(NamedTuple):
    """What identifies a request."""

    client_id: int
    incarnation: int
    sequence: int


class PlainAnswer(NamedTuple):
    """An answer in the table: its kind, the cause of a failure, and the body."""

    kind: int
    cause: int
    body: bytes


class PlainRequests:
    """The table of clients of a service, built from the log.

    Parameters
    ----------
    window_length : int
        The highest number of unacknowledged requests of a client.
    max_clients : int
        The size of the table; a client that it has no room for is not known. None is replaced.

    Attributes
    ----------
    applied : dict
        The requests that were applied, by client id and sequence.
    """

    def __init__(self, window_length: int, max_clients: int = 1 << 30) -> None:
        self._window_length = window_length
        self._max_clients = max_clients
        self._clients: dict[int, _Client] = {}
        self.applied: dict[tuple[int, int], bytes] = {}

    @staticmethod
    def is_enveloped(message: bytes) -> bool:
        """Return whether a message is one of a surviving client."""
        return len(message) >= _ENVELOPE.size and message.startswith(_MAGIC)

    @classmethod
    def name_of(cls, message: bytes) -> RequestName | None:
        """Return what identifies a surviving client's request; None of another message."""
        if not cls.is_enveloped(message):
            return None
        _, _, kind, client_id, incarnation, sequence, _ = _ENVELOPE.unpack_from(message)
        return RequestName(client_id, incarnation, sequence) if kind == _REQUEST else None

    @property
    def table(self) -> dict[int, PlainClient]:
        """The clients that are known, by id."""
        return {
            key: PlainClient(
                each.incarnation, each.last, each.acknowledged, each.activity, each.session_id
            )
            for key, each in self._clients.items()
        }

    def accept(self, message: bytes, session_id: int = 0, timestamp: int = 0) -> bytes | None:
        """Return the request of a message if it is to be applied, or None.

        Parameters
        ----------
        message : bytes
        session_id, timestamp : int
            Of the message in the log.
        """
        _, _, kind, client_id, incarnation, sequence, acknowledged = _ENVELOPE.unpack_from(message)
        client = self._clients.get(client_id)
        if kind == _OPEN:
            if self._open(client, client_id, incarnation, sequence):
                self._record_activity(client_id, session_id, timestamp)
        elif kind == _FORGET and client is not None and client.incarnation == incarnation:
            del self._clients[client_id]
        elif (
            kind == _REQUEST
            and client is not None
            and client.incarnation == incarnation
            and 0 <= acknowledged < sequence
        ):
            self._record_activity(client_id, session_id, timestamp)
            if self._is_next(client, sequence, acknowledged):
                client.last = sequence
                request = self.applied[client_id, sequence] = message[_ENVELOPE.size :]
                return request
        return None

    def _record_activity(self, client_id: int, session_id: int, timestamp: int) -> None:
        self._clients[client_id].session_id = session_id
        self._clients[client_id].activity = timestamp

    def _open(
        self, client: _Client | None, client_id: int, incarnation: int, sequence: int
    ) -> bool:
        """Return whether the client is accepted."""
        if client is None:
            if sequence > 0 or len(self._clients) >= self._max_clients:
                return False
            self._clients[client_id] = _Client(incarnation)
            return True
        if incarnation < client.incarnation or sequence > client.last:
            return False
        if incarnation > client.incarnation:
            client.incarnation = incarnation
            client.acknowledged = client.last
        return True

    def _is_next(self, client: _Client, sequence: int, acknowledged: int) -> bool:
        client.acknowledged = max(client.acknowledged, min(acknowledged, client.last))
        within = sequence - client.acknowledged <= self._window_length
        return sequence == client.last + 1 and within


def read_table(
    messages: Iterable[bytes],
) -> tuple[dict[int, PlainClient], dict[int, dict[int, PlainAnswer]]]:
    """Return the table in a service's snapshot: clients, and the answers retained, by client.

    Parameters
    ----------
    messages : iterable of bytes
        Those of the whole snapshot; what is not of the table is skipped.
    """
    clients: dict[int, PlainClient] = {}
    answers: dict[int, dict[int, PlainAnswer]] = {}
    for message in messages:
        if not PlainRequests.is_enveloped(message):
            continue
        _, _, kind, client_id, second, sequence, acknowledged = _ENVELOPE.unpack_from(message)
        body = message[_ENVELOPE.size :]
        if kind == _CLIENT:
            activity, session_id = _CLIENT_BODY.unpack(body)
            clients[client_id] = PlainClient(second, sequence, acknowledged, activity, session_id)
            answers[client_id] = {}
        elif kind == _PART_OF_ANSWER:
            # A long answer has several parts.
            known = answers[client_id].get(sequence)
            first = b"" if known is None else known.body
            answers[client_id][sequence] = PlainAnswer(
                second & _KIND_MASK, second >> _KIND_BITS, first + body
            )
    return clients, answers
