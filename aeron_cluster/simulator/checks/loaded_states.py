"""What a member loads at its start, compared with the model's state at the snapshot's position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.disk_copies import DiskChecker
from aeron_cluster.simulator.checks.member_disk import read_snapshot_sets
from aeron_cluster.simulator.checks.model_checks import check_module_snapshot
from aeron_cluster.simulator.members.journal import LoadedSessions
from aeron_cluster.simulator.model.plain_messages import (
    LoggedMessage,
    PlainModuleSnapshot,
    PlainSession,
    first_service_id,
)
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from aeron_cluster.simulator.checks.disk_copies import DiskCopies
    from aeron_cluster.simulator.checks.model_checks import MembersFollowTheModel
    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.members.load_watch import LoadedState
    from aeron_cluster.simulator.model.plain_cluster import Requested

__all__ = [
    "LoadedStatesAreThoseOfTheModel",
    "as_snapshot",
    "check_service_sessions",
    "check_without_snapshot",
]

_RETRY_NS: Final = 100_000_000
_FIRST_SESSION_ID: Final = 1
_MESSAGE: Final = 32  # of a session's header, after which its payload begins


class LoadedStatesAreThoseOfTheModel(DiskChecker):
    """A module that was started has what its snapshot should have: field by field.

    Sessions with their reasons, the next session id, timers with their deadlines, and the messages
    and numbers of services; without a snapshot it has nothing. It is the latest one of its disk.
    Its services begin with the same sessions.

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
        self._known: dict[int, LoadedState] = {}
        self._due_ns: dict[int, int] = {}
        self._counts = {
            "starts compared": 0,
            "starts from snapshots compared": 0,
            "services loaded and compared": 0,
        }

    def counts(self) -> dict[str, int]:
        """Count what was compared."""
        return self._counts

    def check(self, cluster: Cluster) -> None:
        """Compare what was loaded since the last check."""
        if not cluster.is_joined:
            return
        for member in cluster.members:
            loaded, member_id = member.loaded, member.member_id
            if loaded is None or loaded is self._known.get(member_id):
                continue
            if member_id not in self._due_ns:
                self._check_latest(member, loaded.position)
            if cluster.now_ns < self._due_ns.get(member_id, 0):
                continue
            if self._is_compared(cluster, member, loaded):
                self._known[member_id] = loaded
                self._due_ns.pop(member_id, None)
            else:
                self._due_ns[member_id] = cluster.now_ns + _RETRY_NS

    def _check_latest(self, member: Member, position: int) -> None:
        """Check that what was loaded is of the latest snapshot, unless it took another since."""
        disk, counters = self._disks.of(member), member.counters
        if disk is None or counters is None or counters.snapshot_count.get():
            return
        sets = read_snapshot_sets(disk, DIRECTORY)
        latest = sets[-1][-1].log_position if sets else 0
        if position != latest:
            raise InvariantError(
                "members start from their latest snapshot",
                f"member {member.member_id} loaded that at {position}, it has one at {latest}",
            )

    def _is_compared(self, cluster: Cluster, member: Member, loaded: LoadedState) -> bool:
        """Compare what a member loaded, unless the log up to there is not read yet."""
        name = f"member {member.member_id}"
        if loaded.position == 0:
            check_without_snapshot(name, loaded)
        elif self._followed.is_lost:
            return True
        else:
            model = self._followed.model_at(cluster, loaded.position)
            if model is None:
                return False
            where = f"{name} loaded at {loaded.position}"
            requested = model.requested.get(loaded.position)
            if requested is None:
                raise InvariantError("snapshots were requested", where)
            snapshot = as_snapshot(loaded)
            check_module_snapshot(where, snapshot, requested, cluster.journals, model.fired)
            for service_id, service in enumerate(member.services):
                sessions = getattr(service, "loaded", None)  # native ones are not observed
                if isinstance(sessions, LoadedSessions) and sessions.position == loaded.position:
                    check_service_sessions(f"{where}, service {service_id}", sessions, requested)
                    self._counts["services loaded and compared"] += 1
            self._counts["starts from snapshots compared"] += 1
        self._counts["starts compared"] += 1
        return True


def as_snapshot(loaded: LoadedState) -> PlainModuleSnapshot:
    """Return what was loaded in the form of a snapshot."""
    return PlainModuleSnapshot(
        loaded.position,
        loaded.term_id,
        loaded.next_session_id,
        [
            PlainSession(
                each.cluster_session_id,
                each.correlation_id,
                each.opened_log_position,
                int(each.close_reason),
                each.response_stream_id,
                each.response_channel.encode(),
            )
            for each in sorted(loaded.sessions, key=lambda each: each.cluster_session_id)
        ],
        dict(loaded.timers),
        {
            each.service_id: (each.next_service_session_id, each.log_service_session_id)
            for each in loaded.trackers
        },
        [_message(each) for tracker in loaded.trackers for each in tracker.messages],
    )


def _message(data: bytes) -> LoggedMessage:
    term_id, session_id, timestamp = (
        int.from_bytes(data[offset : offset + 8], "little", signed=True) for offset in (8, 16, 24)
    )
    return LoggedMessage(term_id, session_id, timestamp, data[_MESSAGE:])


def check_service_sessions(where: str, loaded: LoadedSessions, requested: Requested) -> None:
    """Compare the sessions that a service began with with those that were open.

    Raises
    ------
    InvariantError
        It has others, or a field of one is another.
    """
    expected = [
        (session_id, event.stream_id, event.channel, event.principal)
        for session_id, (_, event) in sorted(requested.sessions.items())
    ]
    if loaded.sessions != expected:
        raise InvariantError(
            "services begin with the sessions of their snapshot",
            f"{where}: {loaded.sessions}, open are {expected}",
        )


def check_without_snapshot(name: str, loaded: LoadedState) -> None:
    """Check that a member without a snapshot begins with nothing.

    Raises
    ------
    InvariantError
        It has something.
    """
    numbers = [
        (each.next_service_session_id, each.log_service_session_id, len(each.messages))
        for each in loaded.trackers
    ]
    bases = [first_service_id(each.service_id) for each in loaded.trackers]
    is_empty = not loaded.sessions and not loaded.timers
    is_first = loaded.next_session_id == _FIRST_SESSION_ID
    if not is_empty or not is_first or numbers != [(base + 1, base, 0) for base in bases]:
        raise InvariantError("a member without a snapshot begins with nothing", f"{name}: {loaded}")
