"""A driver on a busy machine, while an operator asks the archive that uses it again and again.

It makes a pass only now and then, and another application always has requests before it. So what
the archive requests together for a session of the operator is executed in several passes, and the
archive works in between: it has a part of it, and lacks the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.faults.events import Event
from aeron_cluster.simulator.members.standby import archive_of

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.faults.fault_plan import FaultPlan
    from aeron_cluster.simulator.members.archive_operator import ArchiveOperator
    from aeron_cluster.simulator.members.member import Member

__all__ = ["StarveDriver", "add_starved_drivers"]

_MS: Final = 1_000_000
_S: Final = 1000 * _MS
_SALT: Final = 0x57A12ED
_ONE_IN: Final = 6
_INTERVAL_NS: Final = 2 * _MS
_PATIENCE_NS: Final = 100 * _MS  # after which the operator asks again


@dataclass(frozen=True)
class StarveDriver(Event):
    """A driver is starved and has other requests, while an operator asks its member's archive.

    Parameters
    ----------
    at_ns, member : int
    duration_ns : int
        How long that lasts.
    longest_gap_ns : int
        The longest time from one pass of the driver to the next.
    order : int
        Determines these times, and the other requests.
    """

    template = (
        "the driver of {member} makes a pass each {longest_gap_ns} at most, and has requests of"
        " another application, while its archive is asked for what it records; for {duration_ns}"
    )

    member: int
    duration_ns: int
    longest_gap_ns: int
    order: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        member = trial.cluster.members[self.member]
        driver = member.process_of_driver
        # An operator does not expect damaged answers.
        if not driver.is_working or not trial.cluster.world.wire.has_checksums:
            return
        random = SeededRandom(self.order)
        driver.starve(random.split(), self.longest_gap_ns, self.duration_ns)
        member.add_neighbour(random.split())
        scene = _Scene(member, trial.cluster.add_archive_operator())
        scene.ask(trial, trial.cluster.now_ns + self.duration_ns)


@dataclass
class _Scene:
    """A member whose driver is starved, and the operator that queries its archive."""

    member: Member
    operator: ArchiveOperator
    asked_ns: int = 0

    def ask(self, trial: EventHost, until_ns: int) -> None:
        """Ask again once there is an answer, or none for a while."""
        now_ns = trial.cluster.now_ns
        if now_ns >= until_ns or not self.operator.process.is_running:
            self.operator.close()
            self.member.end_neighbour()
            return
        if not self.asked_ns or now_ns >= self.asked_ns + _PATIENCE_NS or self._is_answered():
            self.operator.ask(archive_of(self.member))
            self.asked_ns = now_ns
        trial.later(_INTERVAL_NS, partial(self.ask, trial, until_ns))

    def _is_answered(self) -> bool:
        return self.operator.poll() is not None


def add_starved_drivers(
    plan: FaultPlan, seed: int, *, members: int, duration_ns: int, speedup: int
) -> FaultPlan:
    """Starve the driver of a member, in one run of six.

    Parameters
    ----------
    plan : FaultPlan
    seed, members, duration_ns, speedup : int
        Of the run, as of `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _SALT)
    if random.below(_ONE_IN):
        return plan
    at_ns = random.below(duration_ns * 3 // 4)
    lasting_ns = (2 * _S + random.below(3 * _S)) // speedup
    gap_ns = (400 + random.below(600)) * 1000
    event = StarveDriver(at_ns, random.below(members), lasting_ns, gap_ns, random.next())
    return plan.plus("aimed", [event])
