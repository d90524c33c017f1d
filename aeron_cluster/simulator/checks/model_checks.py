"""Members compared with a plain model that reads what they recorded, entry by entry.

Services received exactly the log. What modules and containers recorded at a position, field by
field, and the terms and snapshots in a member's recording log follow from the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.disk_copies import DiskChecker
from aeron_cluster.simulator.checks.journal_progress import JournalProgress, check_events
from aeron_cluster.simulator.checks.log_follower import LogFollower
from aeron_cluster.simulator.checks.log_progress import LogProgress
from aeron_cluster.simulator.checks.member_disk import (
    read_snapshot_messages,
    read_valid_entries,
)
from aeron_cluster.simulator.checks.plain_disk import read_candidate_term, read_recordings
from aeron_cluster.simulator.checks.recorded_entries import check_backup_log, check_recording_log
from aeron_cluster.simulator.model.plain_messages import (
    ABSENT_REASON,
    REASONS,
    SERVICE_ACTION,
    PlainSession,
    first_service_id,
    read_module_snapshot,
    read_service_snapshot,
)
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aeron_cluster.simulator.checks.disk_copies import DiskCopies
    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.members.journal import Journal
    from aeron_cluster.simulator.model.plain_cluster import PlainCluster, Requested, Seen
    from aeron_cluster.simulator.model.plain_messages import (
        PlainModuleSnapshot,
        PlainServiceSnapshot,
    )
    from aeron_cluster.simulator.world.memory_files import MemoryFiles

__all__ = [
    "MembersFollowTheModel",
    "check_journal",
    "check_module_snapshot",
    "check_service_closes",
    "check_service_snapshot",
    "check_time",
    "closes_requested",
]

_ARCHIVE: Final = f"{DIRECTORY}/archive"
_CLUSTER: Final = f"{DIRECTORY}/cluster"
_S: Final = 1_000_000_000
_NEVER: Final = 2**63 - 1


class MembersFollowTheModel(DiskChecker):
    """What members recorded of log, snapshots and terms is what a plain model makes of the log.

    The log is read, and what services saw and offered, and the members' logs, are compared with it
    as it grows.

    Parameters
    ----------
    disks : DiskCopies, optional
        That others look at, too.
    interval_ns : int
        How often the log is read, in ns: more often than any part of it is purged.
    """

    def __init__(self, disks: DiskCopies | None = None, interval_ns: int = _S) -> None:
        super().__init__(disks)
        self._follower = LogFollower(self._disks)
        self._journals = JournalProgress()
        self._logs = LogProgress(self._disks)
        self._interval_ns = interval_ns
        self._next_ns = interval_ns

    @property
    def model(self) -> PlainCluster | None:
        """The model; None before there is anything, and once it is lost."""
        return self._follower.model

    @property
    def is_lost(self) -> bool:
        """Whether there is no model any more: see `LogFollower.lost`."""
        return bool(self._follower.lost)

    def model_at(self, cluster: Cluster, position: int) -> PlainCluster | None:
        """Return the model if it has come to a position, up to which the log is read now."""
        if self.model is None or self.model.position < position:
            self._follow(cluster)
        model = self.model
        return None if model is None or model.position < position else model

    def counts(self) -> dict[str, int]:
        """Count the models that were lost, by the reason."""
        return {f"models lost by a {self._follower.lost}": 1} if self._follower.lost else {}

    def check(self, cluster: Cluster) -> None:
        """Compare what is new."""
        if cluster.now_ns >= self._next_ns:
            self._next_ns = cluster.now_ns + self._interval_ns
            self._follow(cluster)
            if self.model is not None:
                self._logs.check(cluster, self._follower.messages, self.model.position)

    def _follow(self, cluster: Cluster) -> None:
        self._follower.follow(cluster)
        if self.model is not None:
            self._journals.check(cluster.journals, self.model)

    def conclude(self, cluster: Cluster) -> None:
        """Compare all that is there with the model."""
        self._follow(cluster)
        model = self.model
        if model is None:
            return
        members = cluster.members
        check_time(model, lambda member_id: not members[member_id].machine.has_wrong_clock)
        for journal in cluster.journals:
            check_journal(journal, model.seen)
        if all(each.entries for each in cluster.journals):
            check_service_closes(model, closes_requested(cluster.journals))
        for member in cluster.members:
            name = f"member {member.member_id}"
            disk = self.with_snapshots(cluster, member)
            _check_snapshots(cluster, name, disk, model)
            self._check_recording_log(cluster, name, member, model)
        for backup in cluster.backups:
            disk = self._disks.of(backup)
            _check_snapshots(cluster, backup.machine.name, disk, model)
            if disk is not None:
                entries = read_valid_entries(disk, DIRECTORY)
                check_backup_log(backup.machine.name, entries, model, len(cluster.journals))

    def _check_recording_log(
        self, cluster: Cluster, name: str, member: Member, model: PlainCluster
    ) -> None:
        disk = self._disks.of(member)
        if disk is None:
            return
        entries = read_valid_entries(disk, DIRECTORY)
        recordings = read_recordings(disk, _ARCHIVE)
        service_count = len(cluster.journals)
        check_recording_log(member.member_id, entries, model, service_count, recordings)
        if member.is_leading and member.commit_position == model.position:
            voted = read_candidate_term(disk, _CLUSTER)
            if voted != model.term_id:
                raise InvariantError(
                    "a leader voted for itself",
                    f"{name} leads in {model.term_id}, its disk has {voted}",
                )


def _check_snapshots(
    cluster: Cluster, name: str, disk: MemoryFiles | None, model: PlainCluster
) -> None:
    if disk is None:
        return
    journals = cluster.journals
    for entry, messages in read_snapshot_messages(disk, DIRECTORY):
        requested = model.requested.get(entry.log_position)
        if requested is None:
            raise InvariantError(
                "snapshots were requested", f"{name}: {entry}, not at {[*model.requested]}"
            )
        where = f"{name} at {entry.log_position}"
        if entry.service_id >= 0:
            check_service_snapshot(where, read_service_snapshot(messages), requested)
        else:
            check_module_snapshot(
                where, read_module_snapshot(messages), requested, journals, model.fired
            )


def check_time(model: PlainCluster, is_right: Callable[[int], bool]) -> None:
    """Check that cluster time does not fall, but between leaders whose clocks were set.

    Raises
    ------
    InvariantError
        Cluster time falls.
    """
    for regression in model.time_regressions:
        if all(map(is_right, regression.leader_ids)):
            raise InvariantError("cluster time does not fall", f"{regression}")


def check_journal(journal: Journal, seen: Sequence[Seen]) -> None:
    """Compare what services saw with the log.

    Raises
    ------
    InvariantError
        Something was not seen, or seen differently, or is not in the log.
    """
    entries = journal.entries
    count = check_events(journal, seen)
    if len(entries) > count:
        raise InvariantError(
            "services see the log",
            f"service {journal.service_id} saw {entries[count]}, the log ends before that",
        )


def closes_requested(journals: Sequence[Journal]) -> dict[int, int]:
    """Return which sessions services requested the end of, and at which position first."""
    found: dict[int, int] = {}
    for journal in journals:
        for session_id, position in journal.closes.items():
            found[session_id] = min(position, found.get(session_id, position))
    return found


def check_service_closes(model: PlainCluster, requested: Mapping[int, int]) -> None:
    """Compare the sessions that services requested the end of with those that ended for it.

    Parameters
    ----------
    model : PlainCluster
    requested : mapping of int to int
        The position of the request, by session.

    Raises
    ------
    InvariantError
        One is open still, or was closed for a service that did not request it.
    """
    for session_id, position in requested.items():
        if session_id in model.sessions:
            raise InvariantError(
                "services close sessions",
                f"{model.sessions[session_id]} is open, its end was requested at {position}",
            )
    for session_id, event in model.closes.items():
        is_of_service = event.reason == SERVICE_ACTION
        if is_of_service and not requested.get(session_id, _NEVER) < model.closed_at[session_id]:
            raise InvariantError(
                "closes have their reason",
                f"{event}, requested at {requested.get(session_id)}",
            )


def check_service_snapshot(
    where: str, snapshot: PlainServiceSnapshot, requested: Requested
) -> None:
    """Compare what a container wrote of a service's snapshot with the state there.

    Raises
    ------
    InvariantError
        It is of something else, or has other sessions.
    """
    _check_place(where, (snapshot.log_position, snapshot.term_id), requested)
    expected = [
        (session_id, event.stream_id, event.channel, event.principal)
        for session_id, (_, event) in sorted(requested.sessions.items())
    ]
    if snapshot.sessions != expected:
        raise InvariantError(
            "services' snapshots hold the sessions",
            f"{where}: {snapshot.sessions}, open are {expected}",
        )


def check_module_snapshot(
    where: str,
    snapshot: PlainModuleSnapshot,
    requested: Requested,
    journals: Sequence[Journal],
    fired: Mapping[int, Sequence[tuple[int, int]]],
) -> None:
    """Compare a snapshot of a consensus module with the state there, field by field.

    Parameters
    ----------
    where : str
        Whose it is, for the error.
    snapshot : PlainModuleSnapshot
    requested : Requested
        The state at its position.
    journals : sequence of Journal
        Of all services: what they requested.
    fired : mapping
        Position and timestamp of each event of a timer, by its correlation id.

    Raises
    ------
    InvariantError
        They differ.
    """
    _check_place(where, (snapshot.log_position, snapshot.term_id), requested)
    found = [each._replace(reason=ABSENT_REASON) for each in snapshot.sessions]
    expected = [
        PlainSession(
            session_id, event.correlation_id, at, ABSENT_REASON, event.stream_id, event.channel
        )
        for session_id, (at, event) in sorted(requested.sessions.items())
    ]
    if found != expected:
        raise InvariantError(
            "snapshots hold the sessions", f"{where}: {found}, open are {expected}"
        )
    for session in snapshot.sessions:
        if session.reason not in (ABSENT_REASON, *REASONS):
            raise InvariantError("closes have a reason", f"{where}: {session}")
    if snapshot.next_session_id != requested.next_session_id:
        raise InvariantError(
            "session ids are given once",
            f"{where}: the next is {snapshot.next_session_id}, of the log"
            f" {requested.next_session_id}",
        )
    # What native services request is not observed.
    if journals and all(each.entries for each in journals):
        _check_closing(where, snapshot, closes_requested(journals))
        _check_trackers(where, snapshot, requested, journals)
        _check_timers(where, snapshot, journals[0].settings, fired)


def _check_place(where: str, found: tuple[int, int], requested: Requested) -> None:
    expected = requested.event.log_position, requested.event.term_id
    if found != expected:
        raise InvariantError(
            "snapshots are of their position", f"{where}: {found}, requested at {expected}"
        )


def _check_closing(where: str, snapshot: PlainModuleSnapshot, requested: Mapping[int, int]) -> None:
    for session in snapshot.sessions:
        is_requested = requested.get(session.session_id, _NEVER) <= snapshot.log_position
        # A leader may have closed it before, for another reason.
        if is_requested != (session.reason == SERVICE_ACTION) and (
            session.reason in (ABSENT_REASON, SERVICE_ACTION)
        ):
            raise InvariantError(
                "snapshots hold why sessions close",
                f"{where}: {session}, requested at {requested.get(session.session_id)}",
            )


def _check_trackers(
    where: str,
    snapshot: PlainModuleSnapshot,
    requested: Requested,
    journals: Sequence[Journal],
) -> None:
    trackers = {}
    messages = []
    for journal in journals:
        base = first_service_id(journal.service_id)
        logged = requested.logged.get(journal.service_id, 0)
        offered = [
            journal.offers[each]
            for each in sorted(journal.offers)
            if each[0] <= snapshot.log_position
        ]
        trackers[journal.service_id] = base + 1 + len(offered), base + logged
        messages += [
            (base + number, offer) for number, offer in enumerate(offered, 1) if number > logged
        ]
    if snapshot.trackers != trackers:
        raise InvariantError(
            "snapshots number the services' messages",
            f"{where}: {snapshot.trackers}, expected {trackers}",
        )
    found = [(each.session_id, each.payload) for each in snapshot.messages]
    if found != messages:
        raise InvariantError(
            "snapshots hold the services' messages", f"{where}: {found}, expected {messages}"
        )


def _check_timers(
    where: str,
    snapshot: PlainModuleSnapshot,
    settings: Mapping[tuple[int, int], int | None],
    fired: Mapping[int, Sequence[tuple[int, int]]],
) -> None:
    """Compare the timers with those that services requested; a lost one is another check's."""
    position = snapshot.log_position
    requests: dict[int, list[tuple[int, Any]]] = {}
    for (at, correlation_id), deadline in settings.items():
        if at <= position and correlation_id in snapshot.timers:
            requests.setdefault(correlation_id, []).append((at, deadline))
    for correlation_id, deadline in snapshot.timers.items():
        own = requests.get(correlation_id)
        at, latest = max(own) if own else (-1, None)
        if latest != deadline:
            raise InvariantError(
                "snapshots hold the timers that are set",
                f"{where}: {correlation_id} is set for {deadline}, the last request there was"
                f" for {latest}",
            )
        # One that was moved may have fired for the time that it had before.
        assert own is not None
        if len(own) == 1 and any(
            at < each <= position for each, _ in fired.get(correlation_id, ())
        ):
            raise InvariantError(
                "snapshots hold the timers that are set",
                f"{where}: {correlation_id}, which fired at {fired[correlation_id]}",
            )
