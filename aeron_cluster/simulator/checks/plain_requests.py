"""The requests of surviving clients that a de-duplicating service must apply, from the log alone.

A second, plain version of the decisions of `Deduplication`, to check it. The envelope's layout is
drawn in ``include/aeron_cluster/requests.h``.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

__all__ = ["PlainRequests"]

_ENVELOPE: Final = struct.Struct("<4sHHqqqq")
_MAGIC: Final = b"ACRQ"
_OPEN: Final = 1
_REQUEST: Final = 2
_FORGET: Final = 3


@dataclass
class _Client:
    incarnation: int
    last: int = 0
    acknowledged: int = 0


class PlainRequests:
    """The table of clients of a service, built from the log.

    Parameters
    ----------
    window_length : int
        The highest number of unacknowledged requests of a client.
    """

    def __init__(self, window_length: int) -> None:
        self._window_length = window_length
        self._clients: dict[int, _Client] = {}

    @staticmethod
    def is_enveloped(message: bytes) -> bool:
        """Return whether a message is one of a surviving client."""
        return len(message) >= _ENVELOPE.size and message.startswith(_MAGIC)

    def accept(self, message: bytes) -> bytes | None:
        """Return the request of a message if it is to be applied, or None."""
        _, _, kind, client_id, incarnation, sequence, acknowledged = _ENVELOPE.unpack_from(message)
        client = self._clients.get(client_id)
        if kind == _OPEN:
            self._open(client, client_id, incarnation, sequence)
        elif kind == _FORGET and client is not None and client.incarnation == incarnation:
            del self._clients[client_id]
        elif (
            kind == _REQUEST
            and client is not None
            and client.incarnation == incarnation
            and 0 <= acknowledged < sequence
            and self._is_next(client, sequence, acknowledged)
        ):
            client.last = sequence
            return message[_ENVELOPE.size :]
        return None

    def _open(
        self, client: _Client | None, client_id: int, incarnation: int, sequence: int
    ) -> None:
        if client is None:
            if sequence == 0:
                self._clients[client_id] = _Client(incarnation)
        elif incarnation > client.incarnation and sequence <= client.last:
            client.incarnation = incarnation
            client.acknowledged = client.last

    def _is_next(self, client: _Client, sequence: int, acknowledged: int) -> bool:
        client.acknowledged = max(client.acknowledged, min(acknowledged, client.last))
        within = sequence - client.acknowledged <= self._window_length
        return sequence == client.last + 1 and within
