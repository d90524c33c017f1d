"""A member that is started with fewer services than it had states why it cannot follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import CorruptError, LogMismatchError
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.checks.disk_copies import DiskCopies
from aeron_cluster.simulator.checks.member_disk import read_snapshot_sets
from aeron_cluster.simulator.endings.vain_start import start_in_vain
from aeron_cluster.simulator.model.plain_messages import LoggedMessage, read_log_entry
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.simulator.cluster import Member
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["draw_fewer_services", "start_with_fewer_services"]

_OF_SERVICES: Final = 0xFE3E5
_ONE_IN: Final = 2
_FEWEST_SERVICES: Final = 2
_FEWEST_MEMBERS: Final = 3


def draw_fewer_services(seed: int, members: int, services: int) -> bool:
    """Return whether a member is started with fewer services after the faults: in one run of two.

    Parameters
    ----------
    seed : int
        The seed of the run.
    members, services : int
        Their numbers: never with one service, nor where the others have no majority.
    """
    is_possible = services >= _FEWEST_SERVICES and members >= _FEWEST_MEMBERS
    return is_possible and SeededRandom(seed ^ _OF_SERVICES).below(_ONE_IN) == 0


def start_with_fewer_services(host: RunHost) -> None:
    """Start a follower without its last service: it must state why it cannot follow.

    Nothing is done if neither a snapshot nor the log names that service.

    Raises
    ------
    InvariantError
        It ended, or failed, for another reason.
    TimeoutExpiredError
        It states nothing, or does not catch up with all services.
    """
    cluster = host.cluster
    member = next(each for each in cluster.members if not each.is_leading)
    count = member.service_count
    if not _is_named(member, count - 1):
        return

    def change() -> Callable[[], None]:
        member.service_count = count - 1
        return lambda: setattr(member, "service_count", count)

    start_in_vain(
        host,
        member,
        change,
        rule="a member with fewer services states why it cannot follow",
        expected=(LogMismatchError, CorruptError),
    )


def _is_named(member: Member, service_id: int) -> bool:
    """Return whether the snapshots or the committed log of a member have a service."""
    copies = DiskCopies()
    disk = copies.of(member)
    if disk is not None and read_snapshot_sets(disk, DIRECTORY):
        return True  # each has all services
    messages = (read_log_entry(data) for _, data in copies.committed_log(member))
    return any(
        isinstance(each, LoggedMessage) and each.service_id == service_id for each in messages
    )
