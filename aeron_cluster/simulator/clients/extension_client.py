"""Clients of extensions of the consensus module: their messages are of another schema."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster_client.cluster_client import ClientState
from aeron_cluster.simulator.clients.client import Client, Load

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.memory.system.seams import Random

__all__ = ["ExtensionClient", "ExtensionLoad"]

_MESSAGE: Final = struct.Struct("<HHHHqqq")  # SBE header, number of client and message, session
_BLOCK_LENGTH: Final = 24
_OF_CLIENT: Final = 1
_LONGEST_PADDING: Final = 100


class ExtensionLoad(Load):
    """Sends numbered messages, which are not answered.

    Parameters
    ----------
    number : int
        The number of the client.
    random : Random
    schema_id : int
        Of the messages.
    interval_ns : int
        The average time between two of them, in ns.

    Attributes
    ----------
    count : int
        The number of messages so far.
    """

    is_answered = False

    def __init__(self, number: int, random: Random, schema_id: int, interval_ns: int) -> None:
        self.count = 0
        self.session_id = -1
        self._number = number
        self._random = random
        self._schema_id = schema_id
        self._interval_ns = interval_ns
        self._next_ns = 0

    @property
    def next_due_ns(self) -> int:
        """The time of the next message, in ns."""
        return self._next_ns

    def next_request(self, now_ns: int) -> bytes | None:
        """Return the message to send now, or None."""
        if now_ns < self._next_ns:
            return None
        self._next_ns = now_ns + 1 + self._random.below(2 * self._interval_ns)
        self.count += 1
        return b"%d" % self.count + bytes(self._random.below(_LONGEST_PADDING))

    def encode(self, request: bytes, session_id: int) -> bytes:
        """Return a request as a message of a session."""
        count, _, padding = request.partition(b"\0")
        fields = _BLOCK_LENGTH, _OF_CLIENT, self._schema_id, 0, self._number, int(count), session_id
        return _MESSAGE.pack(*fields) + padding


class ExtensionClient(Client):
    """A client that sends the messages of an `ExtensionLoad`."""

    def _send_requests(self, offer: Callable[[bytes], int], now_ns: int) -> int:
        del offer
        return super()._send_requests(self._offer_encoded, now_ns)

    def _offer_encoded(self, request: bytes) -> int:
        session, load = self.session, self.load
        assert isinstance(load, ExtensionLoad)
        if session is None or session.state is not ClientState.CONNECTED:
            return 0
        message = load.encode(request, session.cluster_session_id)
        return int(session.ingress_publication.offer(message) > 0)
