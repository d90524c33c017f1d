"""The load for a service without a load of its own: seeded bytes."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.service.deduplication import Deduplication
from aeron_cluster.simulator.clients.client import Load

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Random

__all__ = ["ByteLoad", "uses_deduplication"]

_INTERVAL_NS: Final = 40_000_000
_WORD_COUNT: Final = 12
_WORD_LENGTH: Final = 10
_LONG_ONE_IN: Final = 24
_SHORTEST_LONG: Final = 1500  # of two fragments at least
_LONGEST: Final = 4000
_DEPTH: Final = 4  # a service's attributes, their attributes, and contents of containers
_MAX_OBJECTS: Final = 5000
_BYTES: Final = 256


class ByteLoad(Load):
    """Sends payloads for any service: repeated words, numbers, and random bytes.

    About two dozen per second, mostly short ones, sometimes one of several fragments or an empty
    one. Answers are neither expected nor checked, except those of surviving clients.

    Parameters
    ----------
    number : int
        The random source of the client.
    random : Random
    """

    is_answered = False

    def __init__(self, number: int, random: Random) -> None:
        self._number = number
        self._random = random
        self._due_ns = 0
        letters = [97 + random.below(26) for _ in range(_WORD_LENGTH)]
        # Clients share most of their words, so that they use common keys.
        self._words = [bytes(letters[: 1 + random.below(_WORD_LENGTH)]) for _ in range(4)]
        self._words += [b"word%d" % each for each in range(_WORD_COUNT)]

    @property
    def next_due_ns(self) -> int:
        """The time of the next request, in ns."""
        return self._due_ns

    def next_request(self, now_ns: int) -> bytes | None:
        """Return the request to send now, or None."""
        if now_ns < self._due_ns:
            return None
        random = self._random
        self._due_ns = now_ns + 1 + random.below(2 * _INTERVAL_NS)
        if random.below(_LONG_ONE_IN) == 0:
            length = _SHORTEST_LONG + random.below(_LONGEST - _SHORTEST_LONG)
            return self._random_bytes(length) if random.below(4) else b""
        match random.below(4):
            case 0:
                return b"%d" % random.below(1000)
            case 1:
                return self._random_bytes(1 + random.below(64))
            case 2:
                return b"%b %d" % (self._word(), random.below(100))
            case _:
                return self._word()

    def _word(self) -> bytes:
        return self._words[self._random.below(len(self._words))]

    def _random_bytes(self, length: int) -> bytes:
        return bytes(self._random.below(_BYTES) for _ in range(length))


def uses_deduplication(service: object) -> bool:
    """Return whether an object contains a `Deduplication`.

    Parameters
    ----------
    service : object
        A started service.
    """
    level, seen = [service], {id(service)}
    for _ in range(_DEPTH):
        if any(isinstance(each, Deduplication) for each in level):
            return True
        following = []
        for each in gc.get_referents(*level):
            if id(each) not in seen and _may_hold(each) and len(seen) < _MAX_OBJECTS:
                seen.add(id(each))
                following.append(each)
        level = following
    return any(isinstance(each, Deduplication) for each in level)


def _may_hold(each: object) -> bool:
    if isinstance(each, Deduplication):
        return True
    # The cluster's objects in a service would lead to every object.
    is_of_package = type(each).__module__.startswith("aeron_cluster.")
    return not (is_of_package or isinstance(each, (type, str, bytes, int, float)))
