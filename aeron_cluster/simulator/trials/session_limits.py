"""Limits of sessions, and clients beyond them, drawn from a separate random source.

In one run of five. All other clients have room, and a few visitors besides; more visitors come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.clients.reference import ReferenceService
from aeron_cluster.simulator.faults.client_events import superseded_count
from aeron_cluster.simulator.faults.damage import Damage
from aeron_cluster.simulator.trials.added_loads import draw_quiet_clients
from aeron_cluster.simulator.trials.settings import WITHOUT_LIMITS

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.fault_plan import FaultPlan
    from aeron_cluster.simulator.trials.settings import Settings

__all__ = ["SessionLimit", "draw_session_limit", "limit_options"]

_SALT: Final = 0x11417
_ONE_IN: Final = 5
_MAX_ROOM: Final = 2
_FEWEST_BEYOND: Final = 1
_MAX_BEYOND: Final = 2
_S: Final = 1_000_000_000
_INTERVAL_NS: Final = 3 * _S


class SessionLimit(NamedTuple):
    """The limit of a run, and the random sources of its visitors.

    Parameters
    ----------
    max_sessions : int
    visitors : tuple of SeededRandom
    interval_ns : int
        From one visit to the next, in ns.
    """

    max_sessions: int
    visitors: tuple[SeededRandom, ...]
    interval_ns: int


def draw_session_limit(seed: int, settings: Settings, plan: FaultPlan) -> SessionLimit | None:
    """Return the limit of sessions in one run of five; None in the others.

    Parameters
    ----------
    seed : int
    settings : Settings
        With all clients of the run, but for quiet ones.
    plan : FaultPlan
        Nothing is limited with its damage.
    """
    is_whole = plan.damage is Damage.NOTHING and settings.is_joined and not settings.is_judged
    if not is_whole or settings.draws <= WITHOUT_LIMITS:
        return None
    given = settings.options.get("consensus_module", {})
    if settings.services != (ReferenceService,) or "max_sessions" in given:
        return None
    random = SeededRandom(seed ^ _SALT)
    if random.below(_ONE_IN):
        return None
    room = 1 + random.below(_MAX_ROOM)
    count = room + _FEWEST_BEYOND + random.below(_MAX_BEYOND)
    return SessionLimit(
        settings.clients + len(draw_quiet_clients(seed)) + superseded_count(plan) + room,
        tuple(random.split() for _ in range(count)),
        _INTERVAL_NS // settings.speedup,
    )


def limit_options(limit: SessionLimit | None) -> dict[str, dict[str, Any]]:
    """Return the options of members with a limit of sessions."""
    return {} if limit is None else {"consensus_module": {"max_sessions": limit.max_sessions}}
