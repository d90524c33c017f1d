"""Restarts of all members from a snapshot, soon after it: the log since then is replayed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.faults.aimed_faults import LosePowerAfterSnapshot
from aeron_cluster.simulator.faults.fault_plan import draw_duration_ns

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.faults.fault_plan import FaultPlan
    from aeron_cluster.simulator.members.member import Member

__all__ = ["KillAllAfterSnapshot", "add_restarts"]

_S: Final = 1_000_000_000
_OF_RESTARTS: Final = 0x4E57A4
_MOST: Final = 3
_SHORTEST_DELAY_NS: Final = _S // 2
_LIMIT_NS: Final = 40 * _S


@dataclass(frozen=True)
class KillAllAfterSnapshot(LosePowerAfterSnapshot):
    """A snapshot is requested; a while after the first member has it all are killed.

    Parameters
    ----------
    at_ns, down_ns, limit_ns : int
        As for `LosePowerAfterSnapshot`.
    delay_ns : int
        How long the log grows after the snapshot.
    """

    template = (
        "snapshot; {delay_ns} after the first member has it, within {limit_ns}, all are killed, and"
        " start again {down_ns} later"
    )

    delay_ns: int

    def _inject(self, trial: EventHost, member: Member) -> None:  # noqa: ARG002
        trial.later(self.delay_ns, partial(self._kill_all, trial))

    def _kill_all(self, trial: EventHost) -> None:
        for each in trial.cluster.members:
            each.kill()
            trial.start_later(each, self.down_ns)


def add_restarts(plan: FaultPlan, seed: int, *, duration_ns: int, speedup: int) -> FaultPlan:
    """Restart all members one to three times, each time soon after a snapshot.

    Parameters
    ----------
    plan : FaultPlan
    seed, duration_ns, speedup : int
        Of the run, as of `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _OF_RESTARTS)
    events = []
    for _ in range(1 + random.below(_MOST)):
        at_ns = random.below(duration_ns * 3 // 4)
        delay_ns = (_SHORTEST_DELAY_NS + random.below(4 * _S)) // speedup
        down_ns = draw_duration_ns(random, 1, speedup)
        limit_ns = _LIMIT_NS // speedup
        events.append(KillAllAfterSnapshot(at_ns, down_ns, limit_ns, delay_ns))
    return plan.plus("aimed", events)
