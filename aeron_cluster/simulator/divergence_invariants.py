"""What has to hold of the guards that hash what services do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.divergence import compare, read_member
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.invariants import DiskChecker

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Cluster, Member

__all__ = ["GuardsNameWhoWentAstray"]

_DIRECTORY: Final = "/data"


class GuardsNameWhoWentAstray(DiskChecker):
    """What members' services did is the same, but for the one that went astray: it is named."""

    def conclude(self, cluster: Cluster) -> None:
        """Look once more, when nothing is under way."""
        astray = [each for each in cluster.members if each.service_faults.astray_position >= 0]
        found = [
            next(service for service in read_member(disk, _DIRECTORY) if service.service_id == 0)
            for each in cluster.members
            if (disk := self._disks.of(each)) is not None
        ]
        difference = compare(found).difference
        expected = tuple(f"member {each.member_id}" for each in astray)
        names = () if difference is None else difference.astray
        if names != expected:
            raise InvariantError(
                "guards name who went astray", f"expected {expected}, found {difference}"
            )
        if difference is not None and not (
            difference.agreed_position <= _position(astray) <= difference.position
        ):
            raise InvariantError(
                "guards name where somebody went astray",
                f"expected {_position(astray)}, found {difference}",
            )


def _position(astray: list[Member]) -> int:
    return min(each.service_faults.astray_position for each in astray)
