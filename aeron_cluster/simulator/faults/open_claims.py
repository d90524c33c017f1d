"""A service container that is killed within a claim of space in its stream to the module.

The containers of a member share that stream. A claim that is left open blocks the others, and the
container's own successor, until the driver completes it by padding after a timeout. The steps of
the publisher that dies are the simulator's own, as no call to files or network is between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.faults.events import Event
from aeron_cluster.simulator.faults.fault_plan import draw_duration_ns
from aeron_cluster.simulator.world.plain_log import (
    PUBLISHER_LIMIT,
    ClaimStep,
    PlainLog,
    latest_stream,
)

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.faults.fault_plan import FaultPlan
    from aeron_cluster.simulator.members.member import Member

__all__ = ["KillInClaim", "add_open_claims", "draw_open_claims", "draw_sharing_services"]

_S: Final = 1_000_000_000
_SALT: Final = 0x09E7C1A1
_ONE_IN: Final = 2
_MOST: Final = 3
_MOST_SERVICES: Final = 3
_INTERVAL_NS: Final = 1_000_000
_LIMIT_NS: Final = 2 * _S
_LONGEST: Final = 1024  # less than the default MTU of such streams
_MODULE_STREAM: Final = 105
_SHARING: Final = 2
_LEAST_SPACE: Final = 1 << 13  # what is written on two new pages
_STEPS: Final = tuple(ClaimStep)


@dataclass(frozen=True)
class KillInClaim(Event):
    """A service container is killed within a claim.

    Parameters
    ----------
    at_ns, member, service : int
    length : int
        Of the claimed payload, in bytes.
    step : ClaimStep
        What it has done for the frame. A complete one is left only at the end of a term, where the
        next term is not begun.
    is_at_end : bool
        Whether the frame does not fit in its term, so that padding is to be written.
    down_ns : int
        How long the container is down.
    limit_ns : int
        How long a term's end is waited for.
    """

    template = (
        "kill the container of service {service} of {member} within a claim of {length}"
        " bytes, with {step} (at the end of a term: {is_at_end}), start it again after {down_ns}"
    )

    member: int
    service: int
    length: int
    step: ClaimStep
    is_at_end: bool
    down_ns: int
    limit_ns: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        self._try(trial, trial.cluster.now_ns + self.limit_ns)

    def _try(self, trial: EventHost, until_ns: int) -> None:
        member = trial.cluster.members[self.member]
        process = member.process_of_service(self.service % member.service_count)
        if process.is_working and member.process_of_driver.is_running and self._claims(member):
            process.kill()
            trial.start_process_later(process, self.down_ns)
        elif trial.cluster.now_ns < until_ns:
            trial.later(_INTERVAL_NS, partial(self._try, trial, until_ns))

    def _claims(self, member: Member) -> bool:
        """Claim space, or move on towards the term's end; return whether a claim is left open."""
        stream = latest_stream(member.driver_counters(PUBLISHER_LIMIT), _MODULE_STREAM)
        files = member.machine.files
        if stream is None or files.capacity - files.used < _LEAST_SPACE:
            return False
        with PlainLog(files, stream.registration_id) as log:
            position = log.leave_claim(
                self.length, self.step, stream.limit, is_at_end=self.is_at_end
            )
            return position is not None


def draw_open_claims(seed: int) -> bool:
    """Draw whether containers are killed within claims: in one of two runs with separate processes.

    Parameters
    ----------
    seed : int
        The seed of the run.
    """
    return SeededRandom(seed ^ _SALT).below(_ONE_IN) == 0


def draw_sharing_services(seed: int) -> int:
    """Draw the number of services of such a run: two in one of two, otherwise 0 for the usual ones.

    Parameters
    ----------
    seed : int
        The seed of the run.
    """
    random = SeededRandom(seed ^ _SALT)
    random.next()
    return _SHARING * random.below(2)


def add_open_claims(
    plan: FaultPlan, seed: int, *, members: int, duration_ns: int, speedup: int
) -> FaultPlan:
    """Kill one to three containers within claims.

    Parameters
    ----------
    plan : FaultPlan
    seed, members, duration_ns, speedup : int
        Of the run, as of `FaultPlan.draw`.
    """
    random = SeededRandom(SeededRandom(seed ^ _SALT).next())
    events = []
    for _ in range(1 + random.below(_MOST)):
        step = _STEPS[random.below(len(_STEPS))]
        events.append(
            KillInClaim(
                random.below(duration_ns),
                random.below(members),
                random.below(_MOST_SERVICES),
                1 + random.below(_LONGEST),
                step,
                random.below(2) == 0 or step is ClaimStep.COMPLETE,
                draw_duration_ns(random, 5, speedup),
                _LIMIT_NS,
            )
        )
    return plan.plus("aimed", events)
