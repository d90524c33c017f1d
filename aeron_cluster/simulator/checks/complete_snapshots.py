"""Snapshots compared as soon as a member has a complete set: later ones replace them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError, ServiceInvariantError
from aeron_cluster.simulator.checks.disk_copies import DiskChecker
from aeron_cluster.simulator.checks.member_disk import (
    is_log_missing,
    read_snapshot_messages,
    read_snapshot_sets,
    read_valid_entries,
)
from aeron_cluster.simulator.checks.model_checks import (
    check_module_snapshot,
    check_service_snapshot,
)
from aeron_cluster.simulator.checks.module_snapshots import (
    check_against_journal,
    check_equal,
    check_held_timers,
    read_content,
)
from aeron_cluster.simulator.checks.recorded_entries import check_bases, check_sets
from aeron_cluster.simulator.members.source_lines import place_of_callback
from aeron_cluster.simulator.model.plain_messages import read_module_snapshot, read_service_snapshot
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aeron_cluster.simulator.checks.disk_copies import DiskCopies
    from aeron_cluster.simulator.checks.model_checks import MembersFollowTheModel
    from aeron_cluster.simulator.checks.module_snapshots import ModuleContent
    from aeron_cluster.simulator.checks.plain_disk import PlainEntry
    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.model.plain_cluster import PlainCluster

__all__ = ["SnapshotsAreRightWhenComplete", "check_snapshots"]

_EQUAL: Final = "snapshots are equal"
_RETRY_NS: Final = 100_000_000


class SnapshotsAreRightWhenComplete(DiskChecker):
    """Each snapshot is what the model has of its position, and equals those of other members.

    A member's recording log is read when it counts another snapshot, and after each start.

    Parameters
    ----------
    followed : MembersFollowTheModel
        Has the model.
    disks : DiskCopies, optional
        That others look at, too.
    """

    def __init__(self, followed: MembersFollowTheModel, disks: DiskCopies | None = None) -> None:
        super().__init__(disks)
        self._followed = followed
        self._counts: dict[int, tuple[int, int]] = {}  # by member
        self._due_ns: dict[int, int] = {}
        self._compared: set[tuple[int, PlainEntry]] = set()
        self._modules: dict[int, tuple[int, ModuleContent]] = {}  # by position: the first one
        self._services: dict[tuple[int, int], tuple[int, bytes]] = {}

    def counts(self) -> dict[str, int]:
        """Count what was compared."""
        return {"snapshots compared": len(self._compared)}

    def check(self, cluster: Cluster) -> None:
        """Compare the snapshots that are complete since the last check."""
        if not cluster.is_joined or self._followed.is_lost:
            return
        for member in cluster.members:
            counters = member.counters
            if counters is None:
                continue
            count = member.start_count, counters.snapshot_count.get()
            member_id = member.member_id
            if count == self._counts.get(member_id) or (
                cluster.now_ns < self._due_ns.get(member_id, 0)
            ):
                continue
            if self._compare_new(cluster, member):
                self._counts[member_id] = count
            else:
                self._due_ns[member_id] = cluster.now_ns + _RETRY_NS

    def _compare_new(self, cluster: Cluster, member: Member) -> bool:
        """Compare a member's snapshots that are new; return whether that is done."""
        disk = self._disks.of(member)
        if disk is None or is_log_missing(member.machine.files):
            return False
        sets = read_snapshot_sets(disk, DIRECTORY)
        # Complete sets: one that was copied again may have some entries as they were before.
        new = [
            each
            for entries in sets
            if any((member.member_id, each) not in self._compared for each in entries)
            for each in entries
        ]
        if not new:
            return True
        model = self._followed.model_at(cluster, max(each.log_position for each in new))
        if model is None:
            return self._followed.is_lost
        name = f"member {member.member_id}"
        terms = [each for each in read_valid_entries(disk, DIRECTORY) if each.is_term]
        check_bases(name, terms, model)
        check_sets(name, new, model, len(cluster.journals), member.member_id)
        for entry, messages in read_snapshot_messages(disk, DIRECTORY, new):
            if not messages:
                continue  # its recording is gone: that is judged in the end
            self._compare(cluster, member, entry, messages, model)
            self._compared.add((member.member_id, entry))
        return True

    def _compare(
        self,
        cluster: Cluster,
        member: Member,
        entry: PlainEntry,
        messages: list[bytes],
        model: PlainCluster,
    ) -> None:
        position, member_id = entry.log_position, member.member_id
        requested = model.requested[position]
        where = f"member {member_id} at {position}"
        if entry.service_id >= 0:
            check_service_snapshot(where, read_service_snapshot(messages), requested)
            self._compare_service(cluster, member_id, entry, b"".join(messages))
        else:
            journals = cluster.journals
            content = read_content(messages)
            check_against_journal(position, member_id, content, journals)
            check_held_timers(position, member_id, content, journals)
            snapshot = read_module_snapshot(messages)
            check_module_snapshot(where, snapshot, requested, journals, model.fired)
            known = self._modules.setdefault(position, (member_id, content))
            check_equal(position, *known, member_id, content)

    def _compare_service(
        self, cluster: Cluster, member_id: int, entry: PlainEntry, data: bytes
    ) -> None:
        position, service_id = entry.log_position, entry.service_id
        other_id, known = self._services.setdefault((position, service_id), (member_id, data))
        if known == data or other_id == member_id:
            return
        service = cluster.latest_services[service_id]
        place = place_of_callback(service, "on_take_snapshot", position, member_id)
        raise ServiceInvariantError(
            _EQUAL,
            f"{_difference(other_id, known, member_id, data, service_id, position)}: {place}",
            place,
        )


def check_snapshots(snapshots: Mapping[int, Iterable[tuple[int, int, bytes]]]) -> None:
    """Compare the services' snapshots of several members, by member id.

    Raises
    ------
    InvariantError
        Two members have different snapshots of the same service and position.
    """
    first: dict[tuple[int, int], tuple[int, bytes]] = {}
    for member_id, each in snapshots.items():
        for position, service_id, data in each:
            other, known = first.setdefault((service_id, position), (member_id, data))
            if known != data:
                raise InvariantError(
                    _EQUAL, _difference(other, known, member_id, data, service_id, position)
                )


def _difference(
    one_id: int, one: bytes, other_id: int, other: bytes, service_id: int, position: int
) -> str:
    return (
        f"members {one_id} and {other_id}, service {service_id} at {position}: {len(one)} and"
        f" {len(other)} bytes"
    )
