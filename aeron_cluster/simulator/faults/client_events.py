"""Events of surviving clients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.faults.events import Event

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.faults.fault_plan import FaultPlan

__all__ = ["SupersedeClient", "add_superseded_clients", "superseded_count"]

_OF_SUPERSEDED: Final = 0x50BE45
_ONE_IN: Final = 2
_MOST: Final = 3


@dataclass(frozen=True)
class SupersedeClient(Event):
    """Another process takes over the id of a surviving client, which continues as well."""

    template = "another process takes over the id of surviving client {client}"

    client: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        clients = [each for each in trial.cluster.clients if each.load.is_surviving]
        if clients:
            clients[self.client % len(clients)].take_over()


def add_superseded_clients(plan: FaultPlan, seed: int, *, duration_ns: int) -> FaultPlan:
    """Take over the ids of surviving clients in one of two runs that have some.

    Parameters
    ----------
    plan : FaultPlan
    seed, duration_ns : int
        Of the run, as of `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _OF_SUPERSEDED)
    if random.below(_ONE_IN):
        return plan
    count = 1 + random.below(_MOST)
    events = [SupersedeClient(random.below(duration_ns), random.below(8)) for _ in range(count)]
    return plan.plus("leave", events)


def superseded_count(plan: FaultPlan) -> int:
    """Return how often an id is taken over: each time two processes have a session for a while."""
    return sum(isinstance(each, SupersedeClient) for each in plan.events)
