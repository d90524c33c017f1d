"""Extensions of the consensus modules compared with the model: their calls and snapshots."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.disk_copies import DiskChecker
from aeron_cluster.simulator.checks.extension_order import CallOrder
from aeron_cluster.simulator.checks.extension_progress import (
    ExtensionProgress,
    ExtensionView,
    check_snapshot,
)
from aeron_cluster.simulator.checks.member_disk import read_snapshot_messages
from aeron_cluster.simulator.members.extension_calls import EXTENSION_SCHEMA
from aeron_cluster.simulator.model.plain_messages import Template, schema_of
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.simulator.checks.disk_copies import DiskCopies
    from aeron_cluster.simulator.checks.model_checks import MembersFollowTheModel
    from aeron_cluster.simulator.cluster import Cluster
    from aeron_cluster.simulator.members.extension_calls import ExtensionLife

__all__ = ["ExtensionsFollowTheModel", "check_client_messages", "check_reports", "rest_of_snapshot"]

_MODULE: Final = -1
_OF_CLIENT: Final = 1
_CLIENT_MESSAGE: Final = struct.Struct("<HHHHqqq")


class ExtensionsFollowTheModel(DiskChecker):
    """Each extension is called in order, sees exactly the log, and starts from what it wrote.

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
        self._orders: dict[ExtensionLife, CallOrder] = {}
        self._progress: dict[ExtensionLife, ExtensionProgress] = {}
        self._view: ExtensionView | None = None
        self._counts = {"extension snapshots compared": 0, "extension errors reported": 0}

    def counts(self) -> dict[str, int]:
        """Count what was compared."""
        messages = sum(each.message_count for each in self._progress.values())
        return {**self._counts, "extension messages compared": messages}

    def check(self, cluster: Cluster) -> None:
        """Compare what is new."""
        lives = self._lives(cluster)
        for life in lives:
            order = self._orders.get(life)
            if order is None:
                order = self._orders[life] = CallOrder(life)
            order.check()
        model = self._followed.model
        if model is None:
            return
        if self._view is None:
            self._view = ExtensionView(model)
        self._view.update()
        for life in lives:
            progress = self._progress.get(life)
            if progress is None:
                progress = self._progress[life] = ExtensionProgress(life, self._view)
            progress.check()

    def _lives(self, cluster: Cluster) -> Sequence[ExtensionLife]:
        return () if cluster.extensions is None else cluster.extensions.lives

    def conclude(self, cluster: Cluster) -> None:
        """Compare all with the log, and snapshots on disks."""
        self._followed.model_at(cluster, max(each.commit_position for each in cluster.members))
        self.check(cluster)
        self._check_reports(cluster)
        view = self._view
        if view is None or self._followed.is_lost:
            return
        check_client_messages([each[4] for each in view.items if each[1] == "foreign"])
        last = [
            None if cluster.extensions is None else cluster.extensions.last_life(each.member_id)
            for each in cluster.members
        ]
        for life, progress in self._progress.items():
            if life in last:
                progress.check_end(cluster.members[life.member_id].commit_position)
            else:
                progress.check_ended()
        for member in cluster.members:
            disk = self.with_snapshots(cluster, member)
            for entry, messages in () if disk is None else read_snapshot_messages(disk, DIRECTORY):
                if entry.service_id == _MODULE and messages:
                    where = f"member {member.member_id} at {entry.log_position}"
                    rest = rest_of_snapshot(messages)
                    check_snapshot(where, rest, view, entry.log_position)
                    self._counts["extension snapshots compared"] += 1

    def _check_reports(self, cluster: Cluster) -> None:
        for life in self._lives(cluster):
            check_reports(life, cluster.members[life.member_id].errors)
            self._counts["extension errors reported"] += len(life.raised)


def rest_of_snapshot(messages: Sequence[bytes]) -> tuple[bytes, ...]:
    """Return what a module's snapshot has after its own end: the messages of its extension."""
    markers = [
        index
        for index, each in enumerate(messages)
        if schema_of(each) != EXTENSION_SCHEMA and each[2] == Template.MARKER
    ]
    return tuple(messages[markers[-1] + 1 :]) if markers else ()


def check_reports(life: ExtensionLife, errors: Sequence[Exception]) -> None:
    """Check that what an extension raised in callbacks was reported, once.

    Raises
    ------
    InvariantError
        It was not.
    """
    for error in life.raised:
        count = sum(each is error for each in errors)
        if count != 1:
            raise InvariantError(
                "what extensions raise is reported", f"{life}: {error} was reported {count} times"
            )


def check_client_messages(messages: Sequence[bytes]) -> None:
    """Check that the log has each message of a client once, in the order of those of its session.

    What a client that was cut off has sent may arrive after the messages of its next session.

    Raises
    ------
    InvariantError
        One comes again, or after a later one.
    """
    last: dict[tuple[int, int], int] = {}
    seen: set[tuple[int, int]] = set()
    for data in messages:
        if data[2] != _OF_CLIENT:
            continue
        *_, client, number, session_id = _CLIENT_MESSAGE.unpack_from(data)
        before = last.get((client, session_id), 0)
        if number <= before or (client, number) in seen:
            raise InvariantError(
                "clients' messages come to extensions once",
                f"message {number} of client {client} in session {session_id}, after {before}",
            )
        last[client, session_id] = number
        seen.add((client, number))
