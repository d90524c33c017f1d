"""Rare loads of clients, drawn from a separate random source.

So a seed draws the same other loads as before these were added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.codecs.frame_layout import FRAME_ALIGNMENT
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.clients.guests import Guests
from aeron_cluster.simulator.clients.moved_timers import MovedTimers
from aeron_cluster.simulator.clients.offers import ClaimedOffers, PartedOffers
from aeron_cluster.simulator.clients.reference import RARE_VERBS, RareRequests, Verb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.memory.system.seams import Random
    from aeron_cluster.simulator.clients.offers import Offers

__all__ = [
    "draw_closes",
    "draw_egress_options",
    "draw_failed_requests",
    "draw_guests",
    "draw_moved_timers",
    "draw_offers",
    "draw_quiet_clients",
    "draw_rare_requests",
]

_OF_LOADS: Final = 0x10AD5
_OF_EGRESS: Final = 0xE64E55
_OF_CLOSES: Final = 0xC105E5
_OF_GUESTS: Final = 0x9E575
_OF_QUIET: Final = 0x9E1E7
_OF_FAILED: Final = 0xFA11ED
_OF_MOVED: Final = 0x30BED
_OF_OFFERS: Final = 0x0FFE45
_OFFERS_ONE_IN: Final = 8
_MOVED_ONE_IN: Final = 8
_LONGEST_WAIT_NS: Final = 2_000_000_000
_QUIET_ONE_IN: Final = 6
_FEWEST_QUIET: Final = 4
_CLOSES_ONE_IN: Final = 4
_USUAL: Final = tuple(each for each in RARE_VERBS if each is not Verb.MANY)
_MANY_ONE_IN: Final = 64
_SHORTEST_MTU: Final = 96


def draw_rare_requests(seed: int, client: int, services: int = 1) -> RareRequests | None:
    """Return rare requests for clients in one run of eight; None in the others.

    In one run of 64 one of them schedules thousands of timers at once, in all services together:
    a callback that waits returns only after the others that began meanwhile.

    Parameters
    ----------
    seed : int
        The seed of the run.
    client : int
        The number of the client.
    services : int
        The number of services of all members.
    """
    random = SeededRandom(seed ^ _OF_LOADS)
    is_many = random.below(_MANY_ONE_IN) == 0
    verbs: Sequence[Verb] = [each for each in _USUAL if random.below(2)] or _USUAL
    many = (1000 + random.below(2000)) // services if is_many and client == 0 else 0
    if not is_many and random.below(8):
        return None
    own = SeededRandom(random.next() + client)
    return RareRequests(own, verbs, many)


def draw_closes(seed: int, client: int) -> Random | None:
    """Return what decides when a service closes a client's session, in one run of four.

    Parameters
    ----------
    seed : int
        The seed of the run.
    client : int
        The number of the client.
    """
    random = SeededRandom(seed ^ _OF_CLOSES)
    return None if random.below(_CLOSES_ONE_IN) else SeededRandom(random.next() + client)


def draw_failed_requests(seed: int, client: int) -> Random | None:
    """Return what decides which requests of a surviving client fail, in one run of two.

    Parameters
    ----------
    seed : int
        The seed of the run.
    client : int
        The number of the client.
    """
    random = SeededRandom(seed ^ _OF_FAILED)
    return None if random.below(2) else SeededRandom(random.next() + client)


def draw_guests(seed: int, client: int, *, has_late: bool = False) -> Guests:
    """Return the guests of a client in a run that has room for some.

    Parameters
    ----------
    seed : int
        The seed of the run.
    client : int
        The number of the client.
    has_late : bool
        Whether the service answers some requests late.
    """
    own = SeededRandom(SeededRandom(seed ^ _OF_GUESTS).next() + client)
    return Guests(client, own, has_late=has_late)


def draw_moved_timers(seed: int, client: int, speedup: int = 1) -> MovedTimers | None:
    """Return timers that a client sets for later and moves, in one run of eight; else None.

    Parameters
    ----------
    seed : int
        The seed of the run.
    client : int
        The number of the client.
    speedup : int
        The factor by which the waits are shorter.
    """
    random = SeededRandom(seed ^ _OF_MOVED)
    if random.below(_MOVED_ONE_IN):
        return None
    return MovedTimers(client, SeededRandom(random.next() + client), _LONGEST_WAIT_NS // speedup)


def draw_offers(seed: int, client: int) -> Offers | None:
    """Return how a plain client sends: in parts or in claimed space in one run of eight; else None.

    Parameters
    ----------
    seed : int
        The seed of the run.
    client : int
        The number of the client.
    """
    random = SeededRandom(seed ^ _OF_OFFERS)
    if random.below(_OFFERS_ONE_IN):
        return None
    own = SeededRandom(random.next() + client)
    return PartedOffers(own) if own.below(2) else ClaimedOffers()


def draw_quiet_clients(seed: int) -> list[SeededRandom]:
    """Return the random sources of four to six quiet clients in one run of six, else of none.

    Parameters
    ----------
    seed : int
        The seed of the run.
    """
    random = SeededRandom(seed ^ _OF_QUIET)
    if random.below(_QUIET_ONE_IN):
        return []
    return [random.split() for _ in range(_FEWEST_QUIET + random.below(3))]


def draw_egress_options(seed: int, client: int) -> str:
    """Return egress options with short datagrams in one run of 16.

    Parameters
    ----------
    seed : int
        The seed of the run.
    client : int
        The number of the client.
    """
    random = SeededRandom(seed ^ _OF_EGRESS)
    if random.below(16):
        return ""
    random = SeededRandom(random.next() + client)
    return f"|mtu={_SHORTEST_MTU + FRAME_ALIGNMENT * random.below(20)}"
