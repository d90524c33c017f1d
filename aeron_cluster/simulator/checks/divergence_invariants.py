"""Invariants of the guards that hash the effects of services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.service.offline.divergence import compare, read_member
from aeron_cluster.errors import DivergenceError, InvariantError
from aeron_cluster.simulator.checks.disk_copies import DiskChecker
from aeron_cluster.simulator.checks.invariants import Checker
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from aeron_cluster.cluster.service.checkpoint import Checkpoint
    from aeron_cluster.cluster.service.divergence_guard import DivergenceGuard
    from aeron_cluster.simulator.cluster import Cluster, Member

__all__ = ["GuardsAgree", "GuardsNameDivergedMembers"]

_INTERVAL: Final = 512
_CHECK_EVERY: Final = 16  # each check copies everything that guards retain


class GuardsAgree(Checker):
    """At equal positions the services of all members had the same effects, also across restarts.

    Parameters
    ----------
    interval : int
        The checkpoint interval of the members' guards, in bytes of log.

    Attributes
    ----------
    interval : int
    compared : int
        The number of checkpoints compared between two members.
    """

    def __init__(self, interval: int = _INTERVAL) -> None:
        self.interval = interval
        self.compared = 0
        self._known: dict[tuple[int, int, int], dict[int, Checkpoint]] = {}
        self._check_count = 0

    def check(self, cluster: Cluster) -> None:
        """Check what must hold at all times."""
        self._check_count += 1
        if self._check_count % _CHECK_EVERY == 0:
            self.conclude(cluster)

    def conclude(self, cluster: Cluster) -> None:
        """Check now."""
        for member in cluster.members:
            for error in member.errors:
                if isinstance(error, DivergenceError):
                    raise InvariantError("a member does what it did", str(error))
            group = 0 if cluster.is_joined else member.member_id
            for service_id, container in enumerate(member.containers):
                guard = container.divergence_guard
                for found in () if guard is None else reversed(guard.checkpoints()):
                    by = self._known.setdefault((group, service_id, found.position), {})
                    if by.get(member.member_id) == found:
                        break  # and so do all checkpoints that it was computed from
                    by[member.member_id] = found
                    self._compare(member.member_id, found, by)

    def compare_replay(
        self, cluster: Cluster, member: Member, service_id: int, guard: DivergenceGuard
    ) -> None:
        """Compare the effects of a replay with those of the members.

        Parameters
        ----------
        cluster : Cluster
        member : Member
            The member with the replayed log.
        service_id : int
        guard : DivergenceGuard
            The guard of the replay.
        """
        group = 0 if cluster.is_joined else member.member_id
        for found in guard.checkpoints():
            for other, there in self._known.get((group, service_id, found.position), {}).items():
                self.compared += 1
                if found.differs_from(there):
                    raise InvariantError(
                        "replays do the same", f"a replay {found}, member {other} {there}"
                    )

    def _compare(self, member_id: int, found: Checkpoint, by: dict[int, Checkpoint]) -> None:
        for other, there in by.items():
            self.compared += other != member_id
            if found.differs_from(there):
                raise InvariantError("members do the same", f"{member_id} {found}, {other} {there}")


class GuardsNameDivergedMembers(DiskChecker):
    """Services of all members had the same effects, except the diverged one, which is named."""

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        diverged = [each for each in cluster.members if each.service_faults.diverged_position >= 0]
        found = [
            next(service for service in read_member(disk, DIRECTORY) if service.service_id == 0)
            for each in cluster.members
            if (disk := self._disks.of(each)) is not None
        ]
        difference = compare(found).difference
        expected = tuple(f"member {each.member_id}" for each in diverged)
        names = () if difference is None else difference.diverged
        if names != expected:
            raise InvariantError(
                "guards name the diverged member", f"expected {expected}, found {difference}"
            )
        if difference is not None and not (
            difference.agreed_position <= _position(diverged) <= difference.position
        ):
            raise InvariantError(
                "guards name where a member diverged",
                f"expected {_position(diverged)}, found {difference}",
            )


def _position(diverged: list[Member]) -> int:
    return min(each.service_faults.diverged_position for each in diverged)
