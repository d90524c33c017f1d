"""Runs a service over a recorded log, without a cluster, a driver or an archive.

No counterpart in Aeron. The service receives the same events, at the same positions and times, as
in the cluster; its effects are hashed, and passed to an observer.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from aeron_cluster.archive.storage.segments import base_position, segment_name
from aeron_cluster.client.image import Image
from aeron_cluster.client.publication import ExclusivePublication
from aeron_cluster.cluster.service.batch_calls import calls_of
from aeron_cluster.cluster.service.checked_service import checked
from aeron_cluster.cluster.service.checkpoint import CALLBACKS_OF_THE_LOG
from aeron_cluster.cluster.service.client_session import ClientSession
from aeron_cluster.cluster.service.cluster import ClusterState
from aeron_cluster.cluster.service.clustered_service import ClusteredService, LeadershipTerm
from aeron_cluster.cluster.service.divergence_guard import (
    DEFAULT_CAPACITY,
    DEFAULT_INTERVAL,
    DivergenceGuard,
    Effect,
)
from aeron_cluster.cluster.service.native_calls import NativeCalls
from aeron_cluster.cluster.service.native_service import NativeService
from aeron_cluster.cluster.service.offline.log import OfflineLog, create_log, end_log, log_length
from aeron_cluster.cluster.service.service_calls import PythonCalls
from aeron_cluster.cluster.service.service_snapshot import SnapshotLoader, snapshot_messages
from aeron_cluster.codecs.cluster import ClusterAction
from aeron_cluster.codecs.frame_layout import (
    FRAME_HEADER_LENGTH,
    MAX_TERM_LENGTH,
    MIN_TERM_LENGTH,
    NULL_VALUE,
)
from aeron_cluster.config import default_aeron_dir
from aeron_cluster.errors import (
    AgentTerminationError,
    ConfigurationError,
    CorruptError,
    ServiceCallbackError,
    StateError,
)
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.memory.shared.counters import CountersManager
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.memory.system.seams import Seams

if TYPE_CHECKING:
    from aeron_cluster.client.conductor import ClientConductor
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.cluster.service.cluster import Cluster
    from aeron_cluster.cluster.service.offline.source import OfflineSource, SnapshotPlace
    from aeron_cluster.codecs.cluster import (
        ClusterActionRequest,
        NewLeadershipTermEvent,
        SessionCloseEvent,
        SessionOpenEvent,
    )
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["EffectRecord", "OfflineHost"]

_END_OF_TIME: Final = 2**63 - 1
_BLOCK_LENGTH: Final = 1 << 20
_FRAGMENT_LIMIT: Final = 256
_COUNTER_COUNT: Final = 2
_directories = itertools.count(1)


@dataclass(frozen=True, slots=True)
class EffectRecord:
    """An effect of a service.

    Parameters
    ----------
    log_position : int
        The log position after the event that caused it, in bytes.
    timestamp : int
        The cluster's time of that event, in its time unit.
    effect : Effect
    id : int
        The session of an egress or a close, the service of a message to the cluster, the timer.
    value : int
        The deadline of a timer; the length of a claim in bytes.
    payload : bytes or None
    hash : int
        The hash of all effects so far, 64 bits unsigned.
    """

    log_position: int
    timestamp: int
    effect: Effect
    id: int
    value: int
    payload: bytes | None
    hash: int


class OfflineHost(Closeable):
    """Runs one service over the log of a member.

    Parameters
    ----------
    service : ClusteredService or NativeService
        The service; it receives `on_start`, the log's events, and `on_terminate` on close. Its
        `Cluster.aeron` is None, and its role is follower: nothing is sent.
    source : OfflineSource
        The log, and snapshots to start from.
    snapshot : SnapshotPlace, optional
        The snapshot to start from; by default the beginning of the recording.
    messages : iterable of bytes, optional
        The messages of the snapshot, if they are not in the source's archive.
    service_id, member_id : int
        The service id.
    interval : int
        The interval of the guard's checkpoints, in bytes of log; 1 makes one after every event.
    capacity : int
        The number of retained checkpoints.
    check_determinism : bool
        Reject nondeterministic calls (Python services only).
    on_effect : callable, optional
        Called with an `EffectRecord` for each effect; an exception ends the run.
    on_failure : callable, optional
        Called with a `ServiceCallbackError` for each failed callback, after which the run
        continues; by default the first one is raised.
    work_dir : str, optional
        The directory for unpacking snapshots; created and removed by the host.
    seams : Seams, optional

    Attributes
    ----------
    guard : DivergenceGuard
        The guard with the hash and its checkpoints.
    cluster : Cluster
        The cluster interface of the service.

    Notes
    -----
    Only for one thread. Snapshot requests in the log are not passed to the service.

    Raises
    ------
    ConfigurationError
        An argument is invalid.
    StateError
        The recording begins after the snapshot's position.
    """

    def __init__(
        self,
        service: ClusteredService | NativeService,
        source: OfflineSource,
        *,
        snapshot: SnapshotPlace | None = None,
        messages: Iterable[bytes] | None = None,
        service_id: int = 0,
        member_id: int = 0,
        interval: int = DEFAULT_INTERVAL,
        capacity: int = DEFAULT_CAPACITY,
        check_determinism: bool = False,
        on_effect: Callable[[EffectRecord], object] | None = None,
        on_failure: Callable[[ServiceCallbackError], object] | None = None,
        work_dir: str | None = None,
        seams: Seams | None = None,
    ) -> None:
        if isinstance(service, NativeService):
            if check_determinism:
                raise ConfigurationError("check_determinism", "a service in Python", service.name)
        elif check_determinism:
            service = checked(service)
        self._source = source
        self._log = source.log
        self._files = (Seams() if seams is None else seams).files
        self._on_effect = on_effect
        self._on_failure = on_failure
        self._is_closed = False
        name = f"{default_aeron_dir()}-offline-{os.getpid()}-{next(_directories)}"
        self._work_dir = work_dir or name
        self._has_work_dir = False
        self._names = itertools.count(1)
        self.guard = DivergenceGuard(interval=interval, capacity=capacity)
        self._loop = OfflineLog(self, self.guard, service_id)
        self.cluster: Cluster = self._loop.cluster
        self._state = ClusterState(self.cluster)
        self._state.set_member_id(member_id)
        self._calls: PythonCalls | NativeCalls
        if isinstance(service, NativeService):
            self._calls = NativeCalls(self.cluster, self._on_callback_failure, service)
        else:
            self._calls = calls_of(self.cluster, self._on_callback_failure, service)
        self._loop.set_service(self._calls)
        if on_effect is not None:
            self._loop.set_observer(self._emit_effect)
        self._position = self._log.start_position if snapshot is None else snapshot.log_position
        self._check_start(snapshot)
        try:
            self._start(snapshot, messages)
        except BaseException:
            self._clean()
            raise

    def _check_start(self, snapshot: SnapshotPlace | None) -> None:
        first = self._log.start_position
        if snapshot is None and first > 0:
            raise StateError(
                f"recording {self._log.recording_id}: begins at {first}, expected a snapshot at or"
                " after that to begin with"
            )
        if self._position < first:
            raise StateError(
                f"recording {self._log.recording_id}: begins at {first}, expected to find what"
                f" follows the snapshot at {self._position}"
            )

    # ---- the run ----

    @property
    def position(self) -> int:
        """The position up to which the log was read, in bytes."""
        return self._position

    def run(self, until: int | None = None) -> int:
        """Run the service over the log.

        Parameters
        ----------
        until : int, optional
            Events that end after this position are not delivered; by default all recorded events
            are.

        Returns
        -------
        int
            The position after the last event.

        Raises
        ------
        ServiceCallbackError
            A callback failed, and there is no handler of failures.
        CorruptError
            A frame is damaged, or a segment ends before it should.
        """
        end = _END_OF_TIME if until is None else until
        if self._log.stop_position != NULL_VALUE:
            end = min(end, self._log.stop_position)
        while self._position < end and self._run_segment(end):
            pass
        self.guard.mark(self.cluster.leadership_term_id)
        return self.cluster.log_position

    def _run_segment(self, end: int) -> bool:
        """Run to the end of a segment file; return False at the end of the log."""
        log = self._log
        length = log.segment_file_length
        base = base_position(log.start_position, self._position, log.term_buffer_length, length)
        path = f"{self._source.archive_dir}/{segment_name(log.recording_id, base)}"
        if log.stop_position == NULL_VALUE and not self._source.files.exists(path):
            return False
        bits = log.term_buffer_length.bit_length() - 1
        with self._source.files.open(path) as file:
            while self._position < min(end, base + length):
                # A new block each time: the service may keep a view of the previous one.
                block = bytearray(min(_BLOCK_LENGTH, base + length - self._position))
                there = file.read_into(block, self._position - base)
                if there < len(block):
                    del block[there:]
                taken, is_end = self._loop.feed(
                    block,
                    self._position,
                    end,
                    initial_term_id=log.initial_term_id,
                    position_bits_to_shift=bits,
                )
                self._position += taken
                if is_end:
                    if log.stop_position == end and self._position < end:
                        raise CorruptError(
                            path, self._position - base, "frame", f"up to {end}", None
                        )
                    return False
                if taken == 0:
                    raise CorruptError(path, self._position - base, "frame", "a whole one", there)
        return True

    def _emit_effect(self, effect: Effect, subject: int, value: int, payload: bytes | None) -> None:
        assert self._on_effect is not None
        cluster = self.cluster
        self._on_effect(
            EffectRecord(
                cluster.log_position,
                cluster.time,
                effect,
                subject,
                value,
                payload,
                self.guard.hash,
            )
        )

    # ---- events of the log ----

    def on_session_open(self, event: SessionOpenEvent) -> None:
        """Open a session. Called by the loop."""
        if self.cluster.get_client_session(event.cluster_session_id) is None:
            session = self._state.add_session(event)
            self._call(self._calls.on_session_open, session)

    def on_session_close(self, event: SessionCloseEvent) -> None:
        """Close a session. Called by the loop."""
        session = self._state.remove_session(event.cluster_session_id)
        if session is not None:
            self._call(self._calls.on_session_close, session, event.close_reason)

    def on_new_leadership_term(self, event: NewLeadershipTermEvent) -> None:
        """Begin a term. Called by the loop."""
        term = LeadershipTerm.of(event)
        self._state.begin_term(term.leadership_term_id, term.timestamp, term.time_unit)
        self._call(self._calls.on_new_leadership_term_event, term)

    def on_action(self, event: ClusterActionRequest) -> None:
        """Mark the position of a snapshot of the cluster. Called by the loop."""
        if event.action is ClusterAction.SNAPSHOT:
            self.guard.mark_snapshot(event.leadership_term_id)

    def _call(self, callback: Callable[..., object], *arguments: object) -> None:
        try:
            callback(*arguments)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a service raises
            sessions = (each.id for each in arguments if isinstance(each, ClientSession))
            self._on_callback_failure(error, callback.__name__, next(sessions, None))

    def _on_callback_failure(
        self, error: BaseException, callback: str, cluster_session_id: int | None = None
    ) -> None:
        if isinstance(error, AgentTerminationError):
            raise error
        if callback in CALLBACKS_OF_THE_LOG:
            self.guard.note_failure(CALLBACKS_OF_THE_LOG[callback], self.cluster.time)
        failure = ServiceCallbackError(
            f"service {self.cluster.service_id}",
            callback,
            self.cluster.log_position,
            cluster_session_id,
            member_id=self.cluster.member_id,
            leadership_term_id=self.cluster.leadership_term_id,
        )
        failure.__cause__ = error
        if self._on_failure is None:
            raise failure from error
        self._on_failure(failure)

    # ---- snapshots ----

    def _start(self, snapshot: SnapshotPlace | None, messages: Iterable[bytes] | None) -> None:
        if snapshot is None:
            self._begin(self._position, 0, -1)
            self._calls.on_start(None)
            return
        self._begin(snapshot.log_position, snapshot.timestamp, snapshot.leadership_term_id)
        image = self._unpack(
            list(self._source.read_snapshot(snapshot) if messages is None else messages)
        )
        loader = SnapshotLoader(self._state.add_session)
        while not loader.is_done:
            if loader.poll(image) == 0 and image.is_end_of_stream:
                raise StateError(
                    f"snapshot {snapshot.recording_id}: expected the end of its sessions, found the"
                    f" end of the recording at {image.position}"
                )
        self._state.set_time_unit(loader.time_unit)
        self._calls.on_start(image)

    def _begin(self, log_position: int, time: int, leadership_term_id: int) -> None:
        self._state.begin(log_position, time, leadership_term_id)
        self.guard.begin(log_position)

    def _make_log(
        self, term_length: int
    ) -> tuple[MappedFile, ExclusivePublication, CountersManager]:
        if not self._has_work_dir:
            self._files.make_directory(self._work_dir, parents=True)
            self._has_work_dir = True
        path = f"{self._work_dir}/{next(self._names)}.logbuffer"
        mapping = MappedFile.create(self._files, path, log_length(term_length), allocate=False)
        self._files.remove(path)  # its content stays mapped
        create_log(mapping, term_length)
        counters = CountersManager(bytearray(512 * _COUNTER_COUNT), bytearray(128 * _COUNTER_COUNT))
        limit = counters.allocate("limit", 1, now_ms=0)
        counters.set_value(limit, 3 * term_length - FRAME_HEADER_LENGTH)
        publication = ExclusivePublication(
            cast("ClientConductor", _Closer()),
            mapping,
            counters,
            channel="aeron:ipc",
            registration_id=1,
            original_registration_id=1,
            limit_counter_id=limit,
            channel_status_id=-1,
        )
        return mapping, publication, counters

    def _image_of(self, mapping: MappedFile, counters: CountersManager) -> Image:
        return Image(
            cast("Subscription", None),  # only used for rejecting the image
            mapping,
            counters,
            correlation_id=1,
            subscriber_position_id=counters.allocate("position", 1, now_ms=0),
            source_identity="aeron:ipc",
        )

    def _unpack(self, messages: list[bytes]) -> Image:
        """Return an image with all messages."""
        # At most a frame header per 8 KiB and per message, and padding at the end of a term.
        length = sum(
            len(each) + FRAME_HEADER_LENGTH * (2 + len(each) // 4096) + 32 for each in messages
        )
        term_length = max(MIN_TERM_LENGTH, 8 << max(map(len, messages), default=1).bit_length())
        term_length = min(max(term_length, 1 << length.bit_length()), MAX_TERM_LENGTH)
        mapping, publication, counters = self._make_log(term_length)
        for message in messages:
            for _ in range(2):  # the first attempt may reach the end of a term
                if publication.offer(message):
                    break
            else:
                raise StateError(
                    f"snapshot: expected at most {publication.position_limit} bytes, found more"
                )
        end_log(mapping, publication.position)
        return self._image_of(mapping, counters)

    def take_snapshot(self, *, app_version: int = 1) -> Iterator[bytes]:
        """Call the service to write its state, and yield the messages of the snapshot.

        Parameters
        ----------
        app_version : int
            The version of the service, as ``major << 16 | minor << 8 | patch``.

        Raises
        ------
        BaseException
            Raised by the service.
        StateError
            The service idles for space after 3 GiB, the largest snapshot.
        """
        mapping, publication, counters = self._make_log(MAX_TERM_LENGTH)
        self._loop.snapshot_publication = publication
        try:
            self._calls.on_take_snapshot(publication)
        finally:
            self._loop.snapshot_publication = None
        end_log(mapping, publication.position)
        yield from snapshot_messages(
            self.cluster.client_sessions,
            log_position=self.cluster.log_position,
            leadership_term_id=self.cluster.leadership_term_id,
            time_unit=self.cluster.time_unit,
            app_version=app_version,
        )
        found: list[bytes] = []

        def keep(message: MessageView, _: Header) -> None:
            found.append(bytes(message))

        image = self._image_of(mapping, counters)
        assembler = FragmentAssembler(keep)
        while not image.is_end_of_stream:
            image.poll(assembler, _FRAGMENT_LIMIT)
            yield from found
            found.clear()

    @property
    def sessions(self) -> tuple[ClientSession, ...]:
        """The open sessions, in ascending order of their ids."""
        return self.cluster.client_sessions

    # ---- the end ----

    def close(self) -> None:
        """Notify the service of the end. Closing again does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            self._calls.on_terminate()
        finally:
            self._clean()

    def _clean(self) -> None:
        self._is_closed = True
        self._calls.close()
        self.guard.close()
        if self._has_work_dir:
            self._files.remove_tree(self._work_dir)


class _Closer:
    """The part of a client's conductor that closes publications."""

    def close_publication(self, publication: ExclusivePublication, _revoke: object) -> None:
        publication.mark_closed()
        publication.release()
