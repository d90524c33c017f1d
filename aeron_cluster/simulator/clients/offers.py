"""The ways in which a plain client sends its messages: in parts, or in space that it claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from aeron_cluster.client.publication import BufferClaim
from aeron_cluster.codecs.session_protocol import SESSION_HEADER_LENGTH

if TYPE_CHECKING:
    from aeron_cluster.cluster_client.cluster_client import AeronCluster
    from aeron_cluster.memory.system.seams import Random

__all__ = ["ClaimedOffers", "Offers", "PartedOffers"]

_MOST_PARTS: Final = 4
_LONGEST_CLAIM: Final = 1024  # within one fragment


class Offers(Protocol):
    """A way of sending."""

    def offer(self, session: AeronCluster, message: bytes) -> int:
        """Send a message; return the result of the session."""


class PartedOffers:
    """Sends each message from one to four buffers, of which some are empty.

    Parameters
    ----------
    random : Random
    """

    def __init__(self, random: Random) -> None:
        self._random = random

    def offer(self, session: AeronCluster, message: bytes) -> int:
        """Send a message; return the result of the session."""
        random = self._random
        cuts = sorted(random.below(len(message) + 1) for _ in range(random.below(_MOST_PARTS)))
        ends = [*cuts, len(message)]
        return session.offer_vectored(
            [message[begin:end] for begin, end in zip([0, *cuts], ends, strict=True)]
        )


class ClaimedOffers:
    """Writes short messages into the stream; offers long ones."""

    def __init__(self) -> None:
        self._claim = BufferClaim()

    def offer(self, session: AeronCluster, message: bytes) -> int:
        """Send a message; return the result of the session."""
        if len(message) > _LONGEST_CLAIM:
            return session.offer(message)
        result = session.try_claim(len(message), self._claim)
        if result:
            self._claim.put(message, SESSION_HEADER_LENGTH)
            self._claim.commit()
        return result
