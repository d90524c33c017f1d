"""Sessions of a consensus module after a start, compared with the snapshot that it started from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aeron_cluster.errors import CorruptError, InvariantError
from aeron_cluster.simulator.checks.disk_copies import DiskChecker
from aeron_cluster.simulator.checks.member_disk import read_snapshot_messages, read_valid_entries
from aeron_cluster.simulator.checks.unsynced_data import may_lack_unsynced_data
from aeron_cluster.simulator.model.plain_messages import (
    ABSENT_REASON,
    SERVICE_ACTION,
    PlainSession,
    read_module_snapshot,
)
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aeron_cluster.simulator.cluster import Cluster, Member

__all__ = ["LoadedSessionsAreThoseOfTheSnapshot", "check_loaded"]


class LoadedSessionsAreThoseOfTheSnapshot(DiskChecker):
    """A module that was started has the sessions of its snapshot, until the log closes them.

    One that a service requested the end of closes for that reason, whatever leader does it.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - as of the base
        super().__init__(*arguments, **options)
        self._starts: dict[int, int] = {}
        self._loading: dict[int, dict[int, PlainSession]] = {}
        self._changes = -1

    def check(self, cluster: Cluster) -> None:
        """Compare the sessions of each module that has just loaded its state."""
        if cluster.process_changes != self._changes:
            self._changes = cluster.process_changes
            for member in cluster.members:
                # Not the module itself: it would be kept.
                count = sum(each.start_count for each in member.processes)
                if count != self._starts.get(member.member_id):
                    self._loading.pop(member.member_id, None)
                    if member.running_module is not None:
                        self._starts[member.member_id] = count
                        sessions = self._snapshot_of(cluster, member)
                        if sessions is not None:
                            self._loading[member.member_id] = sessions
        for member_id in [*self._loading]:
            module = cluster.members[member_id].running_module
            loaded = None if module is None else module.sessions
            if loaded is not None:
                snapshot = self._loading.pop(member_id)
                check_loaded(f"member {member_id}", loaded, snapshot)

    def _snapshot_of(self, cluster: Cluster, member: Member) -> dict[int, PlainSession] | None:
        """Return the sessions of the latest snapshot; None if it is damaged, which ends a start."""
        disk = self._disks.of(member)
        if disk is None:
            return {}
        entries = read_valid_entries(disk, DIRECTORY)
        modules = [each for each in entries if not each.is_term and each.service_id < 0]
        if not modules:
            return {}
        latest = max(modules, key=lambda each: each.log_position)
        try:
            ((_, messages),) = read_snapshot_messages(disk, DIRECTORY, [latest])
            snapshot = read_module_snapshot(messages)
        except InvariantError:
            return None
        except CorruptError:
            if not may_lack_unsynced_data(cluster, member):
                raise
            return None
        return {each.session_id: each for each in snapshot.sessions}


def check_loaded(name: str, found: Iterable[Any], snapshot: Mapping[int, PlainSession]) -> None:
    """Compare a module's sessions with those of the snapshot that it has loaded.

    Parameters
    ----------
    name : str
        Whose they are, for the error.
    found : iterable
        The module's sessions; some may be of the log after the snapshot.
    snapshot : mapping of int to PlainSession
        By id.

    Raises
    ------
    InvariantError
        One has another client, or does not close though its end was requested.
    """
    for session in found:
        expected = snapshot.get(session.cluster_session_id)
        if expected is None:
            continue
        loaded = PlainSession(
            session.cluster_session_id,
            session.correlation_id,
            session.opened_log_position,
            int(session.close_reason),
            session.response_stream_id,
            session.response_channel.encode(),
        )
        # A leader closes others at its start, and may have done so by now.
        if loaded._replace(reason=ABSENT_REASON) != expected._replace(reason=ABSENT_REASON) or (
            expected.reason == SERVICE_ACTION and loaded.reason != SERVICE_ACTION
        ):
            raise InvariantError(
                "sessions are loaded from the snapshot", f"{name}: {loaded}, expected {expected}"
            )
