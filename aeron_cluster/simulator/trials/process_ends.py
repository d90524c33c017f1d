"""Ends of processes: a fault of the plan explains each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.faults.damage import Damage
from aeron_cluster.simulator.faults.disk_events import FlipBit
from aeron_cluster.simulator.faults.election_events import MissingFiles
from aeron_cluster.simulator.faults.events import DiskFails, DiskFull
from aeron_cluster.simulator.members.extension_recorder import SimulatedExtensionError

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Member
    from aeron_cluster.simulator.faults.fault_plan import FaultPlan
    from aeron_cluster.simulator.members.member_process import MemberProcess

__all__ = ["ProcessEnds"]

_OF_DISKS: Final = (DiskFails, DiskFull, FlipBit, MissingFiles)


class ProcessEnds:
    """The ends of processes in which all components of a member run.

    A process that is killed or loses power is started again, and continues. One that ends by
    itself has a disk that fails, is full or lacks files, an operator ended the cluster, or its
    extension failed to start. No wall clock that is set ends one. A service that raises, and one
    that fails to take a snapshot, ends no process. With a process for each component, the end or a
    pause of one may end the others, which is not judged.

    Parameters
    ----------
    plan : FaultPlan

    Attributes
    ----------
    is_requested : bool
        Whether an operator has requested the end of all members.
    is_power_lost : bool
        Whether a disk may have lost data, which may prevent a start.
    """

    def __init__(self, plan: FaultPlan) -> None:
        self.is_requested = False
        self.is_power_lost = False
        self._is_damaged = plan.damage is not Damage.NOTHING
        self._with_faulty_disks = {
            event.member for event in plan.events if isinstance(event, _OF_DISKS)
        }
        # Not the errors: their tracebacks would keep alive what the process has mapped.
        self._seen: dict[MemberProcess, int] = {}

    def check(self, member: Member) -> None:
        """Check a member whose process may have ended.

        Raises
        ------
        InvariantError
            It ended, and no fault explains that.
        """
        if len(member.processes) > 1:
            return
        (process,) = member.processes
        failure = process.failure
        count = process.failure_count
        if failure is None or process.is_running or self._seen.get(process) == count:
            return
        self._seen[process] = count
        if (
            self._is_damaged
            or self.is_requested
            or self.is_power_lost
            or member.member_id in self._with_faulty_disks
            or isinstance(failure.__cause__, SimulatedExtensionError)
        ):
            return
        raise InvariantError(
            "a fault explains the end of a process", f"{member}: {failure!r}"
        ) from failure
