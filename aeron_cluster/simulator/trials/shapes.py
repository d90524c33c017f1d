"""The shapes of a campaign's clusters: numbers of members and services, clients, and options.

Each is drawn from a separate random source, so these draws do not change a seed's other random
choices.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.archive.context import CLUSTER_CHECKSUMS
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.clients.reference import MOST_CLIENTS, Reference

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.cluster.service.clustered_service import ClusteredService

__all__ = [
    "draw_member_count",
    "draw_options",
    "draw_room_for_guests",
    "draw_survivors",
    "reference_services",
]

_OF_MEMBERS: Final = 0x3E3BE5
_OF_SERVICES: Final = 0x5E4C0
_OF_SURVIVORS: Final = 0x5042
_OF_GUESTS: Final = 0x60E575
_GUESTS_ONE_IN: Final = 4
_MOST_GUESTS: Final = 4
# Weights of twenty. The duration of a run grows with its members: small clusters compensate for
# large ones.
_MEMBER_COUNTS: Final = (1,) * 4 + (2,) * 4 + (3,) * 8 + (4,) * 2 + (5,) * 2
_OF_OPTIONS: Final = 0x0B7104
_OPTIONS_ONE_IN: Final = 4
_HEAP: Final = "io.aeron.cluster.PriorityHeapTimerServiceSupplier"
_MS: Final = 1_000_000
_SERVICE_COUNTS: Final = (1,) * 6 + (2,) + (3,)
_SURVIVORS_ONE_IN: Final = 3
_OF_LARGE: Final = 0x7A26E
_LARGE_ONE_IN: Final = 64
_MANY_MEMBERS: Final = 7


def draw_member_count(seed: int, *, most: int = _MANY_MEMBERS) -> int:
    """Draw the number of members, from 1 to 5, most often 3, and now and then 7.

    Parameters
    ----------
    seed : int
        The seed of the run.
    most : int
        Below 7, 7 is not drawn.
    """
    is_large = SeededRandom(seed ^ _OF_LARGE).below(_LARGE_ONE_IN) == 0
    if is_large and most >= _MANY_MEMBERS:
        return _MANY_MEMBERS
    return _MEMBER_COUNTS[SeededRandom(seed ^ _OF_MEMBERS).below(len(_MEMBER_COUNTS))]


def reference_services(
    seed: int, count: int, *, deduplicates: bool = False, most_clients: int = MOST_CLIENTS
) -> tuple[Callable[[], ClusteredService], ...]:
    """Return reference services, of which only the first one answers.

    Parameters
    ----------
    seed : int
        The seed of the run.
    count : int
        The number; 0: drawn by the seed, mostly one, up to three.
    deduplicates : bool
        Whether the first one applies each request of surviving clients once.
    most_clients : int
        The size of its table of them.
    """
    count = count or _SERVICE_COUNTS[SeededRandom(seed ^ _OF_SERVICES).below(len(_SERVICE_COUNTS))]
    de_duplicating = partial(Reference, deduplicates=True, most_clients=most_clients)
    first = de_duplicating if deduplicates else Reference
    return (first, *(partial(Reference, number) for number in range(1, count)))


def draw_options(seed: int) -> dict[str, dict[str, Any]]:
    """Draw options of members that real clusters differ in, each in one run of four.

    The keeper of timers: a heap, or a wheel that most timers go round several times. Checksums of
    the log and of snapshots. In every other run the application has a version of its own.

    Parameters
    ----------
    seed : int
        The seed of the run.
    """
    random = SeededRandom(seed ^ _OF_OPTIONS)
    found: dict[str, dict[str, Any]] = {}
    match random.below(_OPTIONS_ONE_IN):
        case 0:
            found["consensus_module"] = {"timer_service_supplier": _HEAP}
        case 1:
            found["consensus_module"] = {
                "wheel_tick_resolution_ns": _MS << random.below(8),
                "ticks_per_wheel": 1 << random.below(6),
            }
        case _:
            pass
    if random.below(_OPTIONS_ONE_IN) == 0:
        found["archive"] = dict(CLUSTER_CHECKSUMS)
    if random.below(2):
        version = (1 + random.below(9)) << 16 | random.below(9) << 8 | random.below(9)
        for part in ("consensus_module", "container"):
            found.setdefault(part, {})["app_version"] = version
    return found


def draw_room_for_guests(seed: int) -> int:
    """Return the size of a service's table in runs with guests, one of four; 0 in the others.

    Guests are plain clients that send messages in the format of surviving clients.

    Parameters
    ----------
    seed : int
        The seed of the run.
    """
    random = SeededRandom(seed ^ _OF_GUESTS)
    return 0 if random.below(_GUESTS_ONE_IN) else 1 + random.below(_MOST_GUESTS)


def draw_survivors(seed: int, clients: int) -> tuple[bool, ...]:
    """Draw the surviving clients of a run: none in two runs of three.

    Parameters
    ----------
    seed : int
        The seed of the run.
    clients : int
        The number of clients.
    """
    random = SeededRandom(seed ^ _OF_SURVIVORS)
    if random.below(_SURVIVORS_ONE_IN):
        return (False,) * clients
    drawn = tuple(random.below(2) == 0 for _ in range(clients))
    return drawn if any(drawn) else (True, *drawn[1:])
