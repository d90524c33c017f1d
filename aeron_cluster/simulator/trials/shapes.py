"""The shapes of a campaign's clusters: numbers of members and services, clients, and options.

Each is drawn from a separate random source, so these draws do not change a seed's other random
choices.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.archive.context import CLUSTER_CHECKSUMS
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.clients.reference import MAX_CLIENTS, ReferenceService

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.cluster.service.clustered_service import ClusteredService
    from aeron_cluster.simulator.members.layouts import Layout

__all__ = [
    "draw_guest_capacity",
    "draw_late_answers",
    "draw_layout",
    "draw_member_count",
    "draw_native_services",
    "draw_options",
    "draw_survivors",
    "reference_services",
]

_MEMBERS_SALT: Final = 0x3E3BE5
_SERVICES_SALT: Final = 0x5E4C0
_SURVIVORS_SALT: Final = 0x5042
_GUESTS_SALT: Final = 0x60E575
_LATE_SALT: Final = 0x1A7EA5
_LATE_ONE_IN: Final = 2
_NATIVE_SALT: Final = 0x4A71FE
_NATIVE_ONE_IN: Final = 4
_LAYOUT_SALT: Final = 0xA9A47
_APART_ONE_IN: Final = 4
_GUESTS_ONE_IN: Final = 4
_MAX_GUESTS: Final = 4
# Weights of twenty. The duration of a run grows with its members: small clusters compensate for
# large ones.
_MEMBER_COUNTS: Final = (1,) * 4 + (2,) * 4 + (3,) * 8 + (4,) * 2 + (5,) * 2
_OPTIONS_SALT: Final = 0x0B7104
_OPTIONS_ONE_IN: Final = 4
_HEAP: Final = "io.aeron.cluster.PriorityHeapTimerServiceSupplier"
_MS: Final = 1_000_000
_SERVICE_COUNTS: Final = (1,) * 6 + (2,) + (3,)
_SURVIVORS_ONE_IN: Final = 3
_LARGE_SALT: Final = 0x7A26E
_LARGE_ONE_IN: Final = 64
_MANY_MEMBERS: Final = 7


def draw_member_count(seed: int, *, max_count: int = _MANY_MEMBERS) -> int:
    """Draw the number of members: 1 to 5, most often 3, and in one run of 64 7.

    Parameters
    ----------
    seed : int
        The seed of the run.
    max_count : int
        If it is below 7, at most 5 are drawn.
    """
    is_large = SeededRandom(seed ^ _LARGE_SALT).below(_LARGE_ONE_IN) == 0
    if is_large and max_count >= _MANY_MEMBERS:
        return _MANY_MEMBERS
    return _MEMBER_COUNTS[SeededRandom(seed ^ _MEMBERS_SALT).below(len(_MEMBER_COUNTS))]


def reference_services(
    seed: int,
    count: int,
    *,
    deduplicates: bool = False,
    max_clients: int = MAX_CLIENTS,
    answers_late: bool = False,
) -> tuple[Callable[[], ClusteredService], ...]:
    """Return reference services, of which only the first one answers.

    Parameters
    ----------
    seed : int
        The seed of the run.
    count : int
        The number of services; if 0, one to three are drawn, mostly one.
    deduplicates : bool
        Whether the first one applies each request of surviving clients once.
    max_clients : int
        The size of its table of surviving clients.
    answers_late : bool
        Whether it answers some of their requests in later callbacks.
    """
    count = (
        count or _SERVICE_COUNTS[SeededRandom(seed ^ _SERVICES_SALT).below(len(_SERVICE_COUNTS))]
    )
    deduplicating = partial(
        ReferenceService, deduplicates=True, max_clients=max_clients, answers_late=answers_late
    )
    first = deduplicating if deduplicates else ReferenceService
    return (first, *(partial(ReferenceService, number) for number in range(1, count)))


def draw_native_services(seed: int, count: int) -> frozenset[int]:
    """Draw the ids of services that are called as native ones: some or all in one run of four.

    Parameters
    ----------
    seed : int
        The seed of the run.
    count : int
        The number of services.
    """
    random = SeededRandom(seed ^ _NATIVE_SALT)
    if random.below(_NATIVE_ONE_IN):
        return frozenset()
    drawn = frozenset(each for each in range(count) if random.below(2))
    return drawn or frozenset(range(count))


def draw_options(seed: int) -> dict[str, dict[str, Any]]:
    """Draw options of the members: each is set in one run of four, the version in one of two.

    The timer service: a heap, or a wheel that most timers pass several times. Checksums of the log
    and of snapshots. A version of the application.

    Parameters
    ----------
    seed : int
        The seed of the run.
    """
    random = SeededRandom(seed ^ _OPTIONS_SALT)
    options: dict[str, dict[str, Any]] = {}
    match random.below(_OPTIONS_ONE_IN):
        case 0:
            options["consensus_module"] = {"timer_service_supplier": _HEAP}
        case 1:
            options["consensus_module"] = {
                "wheel_tick_resolution_ns": _MS << random.below(8),
                "ticks_per_wheel": 1 << random.below(6),
            }
        case _:
            pass
    if random.below(_OPTIONS_ONE_IN) == 0:
        options["archive"] = dict(CLUSTER_CHECKSUMS)
    if random.below(2):
        version = (1 + random.below(9)) << 16 | random.below(9) << 8 | random.below(9)
        for part in ("consensus_module", "container"):
            options.setdefault(part, {})["app_version"] = version
    return options


def draw_guest_capacity(seed: int) -> int:
    """Draw the size of a service's client table in one run of four, with guests; else return 0.

    Guests are plain clients that send messages in the format of surviving clients.

    Parameters
    ----------
    seed : int
        The seed of the run.
    """
    random = SeededRandom(seed ^ _GUESTS_SALT)
    return 0 if random.below(_GUESTS_ONE_IN) else 1 + random.below(_MAX_GUESTS)


def draw_late_answers(seed: int) -> bool:
    """Draw whether a deduplicating service answers some requests late: in one run of two.

    Parameters
    ----------
    seed : int
        The seed of the run.
    """
    return SeededRandom(seed ^ _LATE_SALT).below(_LATE_ONE_IN) == 0


def draw_layout(seed: int) -> Layout:
    """Draw the layout of the members' processes: in one run of four they are apart.

    Independently of the implementation, which differs little between the layouts.

    Parameters
    ----------
    seed : int
        The seed of the run.
    """
    return "node" if SeededRandom(seed ^ _LAYOUT_SALT).below(_APART_ONE_IN) else "apart"


def draw_survivors(seed: int, clients: int) -> tuple[bool, ...]:
    """Draw which clients of a run are surviving ones: none in two runs of three.

    Parameters
    ----------
    seed : int
        The seed of the run.
    clients : int
        The number of clients.
    """
    random = SeededRandom(seed ^ _SURVIVORS_SALT)
    if random.below(_SURVIVORS_ONE_IN):
        return (False,) * clients
    drawn = tuple(random.below(2) == 0 for _ in range(clients))
    return drawn if any(drawn) else (True, *drawn[1:])
