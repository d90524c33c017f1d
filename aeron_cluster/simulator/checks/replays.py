"""Replay a member's log through its services: they must have the same effects as before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.offline.host import OfflineHost
from aeron_cluster.cluster.service.offline.source import OfflineSource
from aeron_cluster.codecs.cluster import SnapshotMarker
from aeron_cluster.errors import (
    CallbackPlace,
    ServiceCallbackError,
    ServiceInvariantError,
)
from aeron_cluster.simulator.checks.invariants import Checker, raise_violation
from aeron_cluster.simulator.checks.service_errors import service_invariant_error
from aeron_cluster.simulator.cluster import ignore
from aeron_cluster.simulator.members.journal import CALLBACKS
from aeron_cluster.simulator.members.service_faults import ServiceFaults
from aeron_cluster.simulator.members.source_lines import place_of_callback
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from aeron_cluster.cluster.service.offline.source import SnapshotPlace
    from aeron_cluster.simulator.checks.divergence_invariants import GuardsAgree
    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.members.journal import Journal

__all__ = ["Replay", "ReplaysAgree", "first_difference", "place_of_entry", "state_of"]

_SNAPSHOTS: Final = "snapshots are equal"
_RESTORED: Final = "snapshots have the state"
_REPLAYED: Final = "replays do the same"
_SHOWN: Final = 24


def _source_of(member: Member) -> OfflineSource:
    files = member.machine.files.copy(DIRECTORY)
    return OfflineSource.of_member(files, f"{DIRECTORY}/cluster", f"{DIRECTORY}/archive")


class _Replica:
    """A replica stand-in that replays a log: it has no failures."""

    def __init__(self, member_id: int) -> None:
        self.member_id = member_id
        self.on_service: Callable[[str], object] = ignore
        self.service_faults = ServiceFaults(lambda: 0)


@dataclass(frozen=True)
class Replay:
    """A run of a service over the log of a member, from its beginning.

    Parameters
    ----------
    cluster : Cluster
    member : Member
        The member with the replayed log.
    source : OfflineSource
    service_id : int
    until : int
        The log position at which it ended, in bytes.
    place_of_snapshot : CallbackPlace
        The place of the snapshot that is taken at the end.
    """

    cluster: Cluster
    member: Member
    source: OfflineSource
    service_id: int
    until: int
    place_of_snapshot: CallbackPlace

    @property
    def journal(self) -> Journal:
        """The journal of the services' effects over this log."""
        return self.cluster.journals_of(self.member)[self.service_id]


class ReplaysAgree(Checker):
    """A replay of the log has the same effects as the members, and so has one from each snapshot.

    A service that replays the log from its beginning makes the same replies, offers and requests,
    and writes the same snapshots. A service started from any snapshot does the same after it, and
    ends in the same state.

    Parameters
    ----------
    guards : GuardsAgree
        Retains the effects of the members.
    allowed : tuple of type
        The exceptions that callbacks may raise.
    on_replay : callable, optional
        Called with each `Replay` of a log from its beginning.
    """

    def __init__(
        self,
        guards: GuardsAgree,
        *,
        allowed: tuple[type[BaseException], ...] = (),
        on_replay: Callable[[Replay], object] | None = None,
    ) -> None:
        self._guards = guards
        self._allowed = allowed
        self._on_replay = on_replay
        self._kept: dict[int, tuple[tuple[int, SnapshotPlace], ...]] = {}

    def keep_snapshots(self, member: Member) -> None:
        """Retain a member's snapshots before its recording log drops them."""
        self._kept[member.member_id] = _source_of(member).snapshots

    def conclude(self, cluster: Cluster) -> None:
        """Look once more, when nothing is under way."""
        for member in cluster.members[:1] if cluster.is_joined else cluster.members:
            source = _source_of(member)
            if source.log.start_position > 0:
                continue  # purged
            kept = self._kept.get(member.member_id, ())
            source = replace(source, snapshots=tuple(dict.fromkeys((*kept, *source.snapshots))))
            for service_id, service in enumerate(member.services):
                if isinstance(service, ClusteredService):
                    self._check(cluster, member, source, service_id)

    def _check(
        self, cluster: Cluster, member: Member, source: OfflineSource, service_id: int
    ) -> None:
        until = member.commit_position
        # The recording log may name a missing snapshot: it was replaced, or its recording failed.
        places = [
            each
            for each in source.snapshots_of(service_id)
            if each.log_position <= until and each.recording_id in source.descriptors
        ]
        run = _Run(cluster, member, source, service_id, self._allowed, self._guards)
        expected = run.replay(None, until, places)
        if self._on_replay is not None:
            place_of_snapshot = run.place_at("on_take_snapshot", until)
            self._on_replay(Replay(cluster, member, source, service_id, until, place_of_snapshot))
        for place in places:
            found = run.replay(place, until, ())
            if found != expected:
                raise ServiceInvariantError(
                    _RESTORED,
                    "on_take_snapshot wrote, after a start from the snapshot at log position"
                    f" {place.log_position}, {first_difference(found, expected)} after a replay of"
                    f" all the log: {(at := run.place_at('on_take_snapshot', until))}",
                    at,
                )


class _Run:
    """Replays a log through a service, and compares snapshots along the way."""

    def __init__(
        self,
        cluster: Cluster,
        member: Member,
        source: OfflineSource,
        service_id: int,
        allowed: tuple[type[BaseException], ...],
        guards: GuardsAgree,
    ) -> None:
        self._cluster = cluster
        self._member = member
        self._source = source
        self._service_id = service_id
        self._allowed = allowed
        self._guards = guards
        self._journal = cluster.journals_of(member)[service_id]

    @property
    def _latest_service(self) -> object:
        return self._cluster.latest_services[self._service_id]

    def place_at(self, callback: str, position: int) -> CallbackPlace:
        """Return the place of a finding that belongs to no source line."""
        return place_of_callback(self._latest_service, callback, position, self._member.member_id)

    def replay(
        self, place: SnapshotPlace | None, until: int, compared: Iterable[SnapshotPlace]
    ) -> list[bytes]:
        """Run a new service from a snapshot, or from the beginning, and return its final state."""
        name = (
            "a replay of the log"
            if place is None
            else f"a start from the snapshot at {place.log_position}"
        )
        invariant = _REPLAYED if place is None else _RESTORED
        member_id = self._member.member_id
        service = self._cluster.make_observed_service(
            self._member, self._service_id, _Replica(member_id), name
        )
        try:
            host = OfflineHost(
                service,
                self._source,
                snapshot=place,
                service_id=self._service_id,
                member_id=member_id,
                interval=self._guards.interval,
                on_failure=self._on_failure,
            )
        except Exception as cause:
            position = 0 if place is None else place.log_position
            raise self._failed("on_start", position, cause) from cause
        with host:
            if place is not None:
                self._compare_loaded(place, host)
            for each in compared:
                host.run(each.log_position)
                self._check_journal(invariant)
                self._compare_snapshot(each, host)
            host.run(until)
            self._check_journal(invariant)
            self._guards.compare_replay(self._cluster, self._member, self._service_id, host.guard)
            return self._take(host)

    def _check_journal(self, invariant: str) -> None:
        if self._journal.violations:
            raise_violation(invariant, self._journal.violations[0])

    def _take(self, host: OfflineHost) -> list[bytes]:
        try:
            return state_of(host.take_snapshot())
        except Exception as cause:
            raise self._failed("on_take_snapshot", host.cluster.log_position, cause) from cause

    def _failed(self, callback: str, position: int, cause: Exception) -> ServiceInvariantError:
        error = ServiceCallbackError(
            type(self._latest_service).__name__,
            callback,
            position,
            None,
            member_id=self._member.member_id,
            leadership_term_id=-1,
        )
        error.__cause__ = cause
        return service_invariant_error(error, self._latest_service)

    def _compare_snapshot(self, place: SnapshotPlace, host: OfflineHost) -> None:
        recorded = state_of(self._source.read_snapshot(place))
        found = self._take(host)
        if found != recorded:
            at = self.place_at("on_take_snapshot", place.log_position)
            raise ServiceInvariantError(
                _SNAPSHOTS,
                f"on_take_snapshot wrote {first_difference(recorded, found)} in a replay of the"
                f" log: {at}",
                at,
            )

    def _compare_loaded(self, place: SnapshotPlace, host: OfflineHost) -> None:
        """Check that a service that has just loaded a snapshot would write the same one."""
        recorded = state_of(self._source.read_snapshot(place))
        found = self._take(host)
        if found != recorded:
            at = self.place_at("on_take_snapshot", place.log_position)
            raise ServiceInvariantError(
                _RESTORED,
                "on_take_snapshot wrote, right after a start from a snapshot,"
                f" {first_difference(found, recorded)} before: {at}",
                at,
            )

    def _on_failure(self, error: ServiceCallbackError) -> None:
        if not isinstance(error.__cause__, self._allowed):
            raise service_invariant_error(error, self._latest_service) from error


def state_of(messages: Iterable[bytes]) -> list[bytes]:
    """Return the service's part of a snapshot: all messages after the container's second marker.

    Parameters
    ----------
    messages : iterable of bytes
        All messages of the snapshot.
    """
    found = list(messages)
    marks = [
        index
        for index, each in enumerate(found)
        if int.from_bytes(each[2:4], "little") == SnapshotMarker.template_id
    ]
    return found[marks[1] + 1 :] if len(marks) > 1 else found


def first_difference(found: Iterable[bytes], other: Iterable[bytes]) -> str:
    """Describe where two snapshots differ.

    Parameters
    ----------
    found, other : iterable of bytes
        Their messages.
    """
    these, those = list(found), list(other)
    if len(these) != len(those):
        return f"{len(these)} messages where it wrote {len(those)}"
    for index, (one, two) in enumerate(zip(these, those, strict=True)):
        if one != two:
            at = next(
                (at for at, pair in enumerate(zip(one, two, strict=False)) if pair[0] != pair[1]),
                min(len(one), len(two)),
            )
            begin = max(0, at - _SHOWN // 2)
            return (
                f"{_shown(one, begin)} at byte {begin} of message {index} where it wrote"
                f" {_shown(two, begin)}"
            )
    return "the same"


def _shown(message: bytes, begin: int) -> str:
    if begin >= len(message):
        return "nothing"
    return repr(message[begin : begin + _SHOWN])


def place_of_entry(
    cluster: Cluster,
    journal: Journal,
    position: int,
    member_id: int,
    line: tuple[str, int] = ("", 0),
) -> CallbackPlace:
    """Return the place of the event that ends at a position of the log.

    Parameters
    ----------
    cluster : Cluster
    journal : Journal
        The journal of the service.
    position : int
        In bytes.
    member_id : int
    line : tuple
        The service's file and line, if known.
    """
    index = journal.index_after(position) - 1
    kind = journal.entries[index].kind if index >= 0 else ""
    callback = CALLBACKS.get(kind, "on_start")
    service = cluster.latest_services[journal.service_id]
    if not line[0]:
        return place_of_callback(service, callback, position, member_id)
    return CallbackPlace(type(service).__name__, callback, position, member_id, *line)
