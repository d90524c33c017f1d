"""Losses of power right after an append or within a snapshot, added to plans of runs that sync."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.faults.fault_plan import draw_duration_ns
from aeron_cluster.simulator.faults.power_losses import LosePowerAfterAppend, LosePowerInSnapshot

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.events import Event
    from aeron_cluster.simulator.faults.fault_plan import FaultPlan

__all__ = ["add_power_losses"]

_SALT: Final = 0x9031055
_ONE_IN: Final = 3
_S: Final = 1_000_000_000
_CALLS_AFTER_APPEND: Final = 8
# The entries of a snapshot come some 20 to 40 calls after its recording has begun.
_FIRST_CALL: Final = 14
_CALLS: Final = 28


def add_power_losses(
    plan: FaultPlan, seed: int, *, members: int, duration_ns: int, speedup: int, sync_level: int
) -> FaultPlan:
    """Lose power right after an append, or within a snapshot, in one of three runs that sync.

    One machine, in one of four a majority, and in one of four all.

    Parameters
    ----------
    plan : FaultPlan
    seed, members, duration_ns, speedup, sync_level : int
        Of the run, as of `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _SALT)
    if sync_level == 0 or random.below(_ONE_IN):
        return plan
    events: list[Event] = []
    for _ in range(1 + random.below(2)):
        at_ns = random.below(duration_ns * 3 // 4)
        down_ns = draw_duration_ns(random, 5, speedup)
        counts = (1, 1, members // 2 + 1, members)
        count = counts[random.below(len(counts))]
        is_network = random.below(2) == 0
        if random.below(3) == 0:
            calls = _FIRST_CALL + random.below(_CALLS)
            events.append(LosePowerInSnapshot(at_ns, down_ns, _S, calls, False, count))
        else:
            calls = 1 + random.below(_CALLS_AFTER_APPEND)
            is_of_leader = members == 1 or random.below(2) == 0
            events.append(
                LosePowerAfterAppend(at_ns, down_ns, _S, calls, is_network, count, is_of_leader)
            )
    return plan.plus("aimed", events)
