"""The snapshot of a consensus module, and its stream of messages.

Upstream: ConsensusModuleSnapshotTaker and ConsensusModuleSnapshotAdapter. In this order: a marker
BEGIN, the module's own fields, the sessions, the timers, for each service its fields and its
messages that are not in the log yet, a marker END.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.archive.storage.recording_reader import read_recording
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.members.time_unit import time_unit_of
from aeron_cluster.cluster.state.app_version import (
    SEMANTIC_VERSIONING_VALIDATOR,
    AppVersionValidator,
    expected_version,
    is_compatible,
    version_text,
)
from aeron_cluster.codecs.cluster import (
    SCHEMA,
    CloseReason,
    ClusterSession,
    ClusterTimeUnit,
    ConsensusModule,
    PendingMessageTracker,
    SessionMessageHeader,
    SnapshotMark,
    SnapshotMarker,
    Timer,
)
from aeron_cluster.codecs.session_protocol import SESSION_HEADER_LENGTH
from aeron_cluster.errors import (
    ClusterError,
    CorruptError,
    MessageError,
    VersionError,
)
from aeron_cluster.logbuffer.fragment_assembler import (
    ControlledFragmentAssembler,
    FragmentAssembler,
)
from aeron_cluster.logbuffer.image_poller import Action

if TYPE_CHECKING:
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.logbuffer.message_view import Header, MessageView
    from aeron_cluster.memory.agents.waiting import Waiting
    from aeron_cluster.memory.system.seams import Files

__all__ = [
    "SNAPSHOT_TYPE_ID",
    "ModuleSnapshotReader",
    "ModuleState",
    "SessionRecord",
    "TrackerState",
    "encode_module_snapshot",
    "load_module_snapshot",
    "read_module_snapshot",
    "read_rest",
    "take_module_snapshot",
    "term_length_for",
    "write_snapshot",
]

SNAPSHOT_TYPE_ID: Final = 1
"""The type id of a consensus module's snapshot, in its markers; a service's is 2."""

# The limit per duty cycle for a long snapshot: messages written, fragments read.
_MESSAGES_A_PASS: Final = 32
_FRAGMENTS_A_PASS: Final = 32
_INT64_MIN: Final = -(2**63)
_CLUSTER_SESSION_ID: Final = struct.Struct("<16xq")
# A pending message in the ring of an upstream module, preceded by its length and type.
_RING_HEADER_LENGTH: Final = 8
_MAX_SERVICE_ID: Final = 127
# A message is at most an eighth of a term.
_TERMS_A_MESSAGE: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """A client's session, open or about to be closed.

    Parameters
    ----------
    cluster_session_id : int
    correlation_id : int
        The correlation id of its connect request.
    opened_log_position : int
        The log position after its open event, in bytes.
    response_stream_id : int
    response_channel : str
        The response channel of the client.
    close_reason : CloseReason
        The close reason; its null value while the session is open.
    """

    cluster_session_id: int
    correlation_id: int
    opened_log_position: int
    response_stream_id: int
    response_channel: str
    close_reason: CloseReason = CloseReason.NULL_VALUE


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackerState:
    """The messages that a service offered and that are not in the log yet.

    Parameters
    ----------
    service_id : int
    next_service_session_id : int
        The number of the service's next message.
    log_service_session_id : int
        The number of its last message in the log.
    messages : Sequence of bytes
        Each with its session header of 32 bytes, the oldest first.
    """

    service_id: int
    next_service_session_id: int
    log_service_session_id: int
    messages: Sequence[bytes] = ()

    @property
    def longest_message(self) -> int:
        """The length of the longest message, its session header counted, in bytes."""
        return max(map(len, self.messages), default=0)

    @property
    def missed_count(self) -> int:
        """The number of messages in the log that this service never offered."""
        if self.messages:
            return 0
        return max(0, self.log_service_session_id + 1 - self.next_service_session_id)

    def corrected(self) -> TrackerState:
        """Return the state with its next number after those in the log."""
        return TrackerState(
            service_id=self.service_id,
            next_service_session_id=self.next_service_session_id + self.missed_count,
            log_service_session_id=self.log_service_session_id,
            messages=self.messages,
        )

    def verify(self, path: str = "pending service messages", offset: int = 0) -> None:
        """Check that the numbers are consecutive, starting after the log's.

        Raises
        ------
        CorruptError
            They are not.
        """
        expected = self.log_service_session_id
        for message in self.messages:
            expected += 1
            (found,) = _CLUSTER_SESSION_ID.unpack_from(message)
            if found != expected:
                what = f"id of a message of service {self.service_id}"
                raise CorruptError(path, offset, what, expected, found)
        if self.next_service_session_id != expected + 1:
            what = f"next id of service {self.service_id}"
            raise CorruptError(path, offset, what, expected + 1, self.next_service_session_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleState:
    """The state of a consensus module at a position of the log.

    Parameters
    ----------
    log_position : int
        The log position, in bytes.
    leadership_term_id : int
    app_version : int
        The application version: major, minor and patch in a byte each.
    time_unit : ClusterTimeUnit
        The unit of the timers' deadlines.
    next_session_id : int
        The id for the next committed session.
    sessions : Sequence of SessionRecord
    timers : Sequence of tuple
        Correlation id and deadline of each.
    trackers : Sequence of TrackerState
        By service id.
    """

    log_position: int
    leadership_term_id: int
    app_version: int
    time_unit: ClusterTimeUnit
    next_session_id: int
    sessions: Sequence[SessionRecord] = ()
    timers: Sequence[tuple[int, int]] = ()
    trackers: Sequence[TrackerState] = ()


# ---- writing ----


def encode_module_snapshot(state: ModuleState) -> Iterator[bytes]:
    """Yield the messages of a snapshot in order.

    Raises
    ------
    MessageError
        A value does not fit its field.
    """
    trackers = [tracker.corrected() for tracker in state.trackers]
    first = next((tracker for tracker in trackers if tracker.service_id == 0), None)
    yield _marker(state, SnapshotMark.BEGIN)
    yield ConsensusModule.encode(
        next_session_id=state.next_session_id,
        next_service_session_id=first.next_service_session_id if first else 0,
        log_service_session_id=first.log_service_session_id if first else 0,
        pending_message_capacity=_capacity(first) if first else 0,
    )
    for session in sorted(state.sessions, key=lambda session: session.cluster_session_id):
        yield ClusterSession.encode(
            cluster_session_id=session.cluster_session_id,
            correlation_id=session.correlation_id,
            opened_log_position=session.opened_log_position,
            time_of_last_activity=NULL_VALUE,
            close_reason=session.close_reason,
            response_stream_id=session.response_stream_id,
            response_channel=session.response_channel,
        )
    for correlation_id, deadline in state.timers:
        yield Timer.encode(correlation_id=correlation_id, deadline=deadline)
    for tracker in trackers:
        yield PendingMessageTracker.encode(
            next_service_session_id=tracker.next_service_session_id,
            log_service_session_id=tracker.log_service_session_id,
            pending_message_capacity=_capacity(tracker),
            service_id=tracker.service_id,
        )
        yield from tracker.messages
    yield _marker(state, SnapshotMark.END)


def _marker(state: ModuleState, mark: SnapshotMark) -> bytes:
    return SnapshotMarker.encode(
        type_id=SNAPSHOT_TYPE_ID,
        log_position=state.log_position,
        leadership_term_id=state.leadership_term_id,
        index=0,
        mark=mark,
        time_unit=state.time_unit,
        app_version=state.app_version,
    )


def _capacity(tracker: TrackerState) -> int:
    """Return the bytes that the messages take in an upstream module's ring."""
    return sum(_RING_HEADER_LENGTH + (len(message) + 7) // 8 * 8 for message in tracker.messages)


def take_module_snapshot(
    publication: ExclusivePublication,
    state: ModuleState,
    report: Callable[[Exception], object] | None = None,
) -> Waiting[None]:
    """Write a snapshot to a stream that is being recorded.

    Parameters
    ----------
    publication : ExclusivePublication
    state : ModuleState
    report : callable, optional
        Called with a `ClusterError` for each service that offered fewer messages than there are in
        the log: it differs from other members' services.

    Raises
    ------
    ClusterError
        The stream is no longer recorded, or a message of a service does not fit.
    ClosedError
        The publication was closed.
    """
    # Checked before anything is written, since a partial recording is useless.
    for tracker in state.trackers:
        _check_length(
            publication,
            tracker.longest_message,
            f"a message of service {tracker.service_id} that the log does not show yet",
            state.log_position,
        )
        if tracker.missed_count and report is not None:
            report(
                ClusterError(
                    f"service {tracker.service_id}: expected to offer what the log shows, found "
                    f"{tracker.missed_count} message(s) missing; check that it is deterministic"
                )
            )
    yield from write_snapshot(publication, encode_module_snapshot(state), state.log_position)


def write_snapshot(
    publication: ExclusivePublication, messages: Iterable[bytes], log_position: int
) -> Waiting[None]:
    """Write messages of a snapshot, a few in each duty cycle.

    Parameters
    ----------
    publication : ExclusivePublication
        The publication of a stream that is being recorded.
    messages : iterable of bytes
    log_position : int
        The log position of the snapshot, for the error.

    Raises
    ------
    ClusterError
        The stream is no longer recorded, or a message does not fit.
    """
    rest = iter(messages)
    while batch := list(islice(rest, _MESSAGES_A_PASS)):
        for message in batch:
            _check_length(publication, len(message), "a message", log_position)
            while not publication.offer(message):
                if not publication.is_connected:
                    raise ClusterError(
                        f"snapshot at {log_position}: expected a recording of stream "
                        f"{publication.stream_id}, session {publication.session_id}, found none"
                    )
                yield
        yield len(batch)


def term_length_for(message_length: int) -> int:
    """Return the shortest term of a stream that takes a message, in bytes: a power of two."""
    return 1 << max(_TERMS_A_MESSAGE * message_length - 1, 0).bit_length()


def _check_length(
    publication: ExclusivePublication, length: int, what: str, log_position: int
) -> None:
    if length > publication.max_message_length:
        raise ClusterError(
            f"snapshot at {log_position}: {what}: expected at most"
            f" {publication.max_message_length} bytes, an eighth of a term of"
            f" {publication.channel}, found {length}; give aeron.cluster.snapshot.channel a"
            f" term-length of {term_length_for(length)} or more"
        )


# ---- reading ----


class ModuleSnapshotReader:
    """Reads the messages of a snapshot one by one.

    Parameters
    ----------
    path : str
        The source of the messages, for errors.
    app_version : int, optional
        The application version, with which the snapshot's must be compatible; by default any.
    time_unit : ClusterTimeUnit, optional
        The unit of the cluster's clock, which must match the snapshot's; by default any.
    validator : AppVersionValidator
        Decides which versions are compatible.

    Attributes
    ----------
    is_done : bool
        Whether the END was read.
    """

    def __init__(
        self,
        path: str,
        app_version: int | None = None,
        time_unit: ClusterTimeUnit | None = None,
        validator: AppVersionValidator = SEMANTIC_VERSIONING_VALIDATOR,
    ) -> None:
        self._path = path
        self._app_version = app_version
        self._validator = validator
        self._time_unit = time_unit
        self._begin: SnapshotMarker | None = None
        self._next_session_id: int | None = None
        self._sessions: list[SessionRecord] = []
        self._timers: list[tuple[int, int]] = []
        self._trackers: dict[int, PendingMessageTracker | ConsensusModule] = {}
        self._messages: dict[int, list[bytes]] = {}
        self._position = 0
        self.is_done = False

    def on_message(self, data: bytes, position: int) -> bool:
        """Read the next message.

        Parameters
        ----------
        data : bytes
        position : int
            The position after it in the recording, in bytes.

        Returns
        -------
        bool
            Whether it was the last.

        Raises
        ------
        CorruptError
            It is not a message of a consensus module's snapshot, or not allowed here.
        VersionError
            The snapshot is of another major version of the application.
        """
        self._position = position
        try:
            self._on_message(data)
        except MessageError as error:
            raise self._error(error.message, error.expected, error.found) from error
        return self.is_done

    @property
    def state(self) -> ModuleState:
        """The content of the snapshot; known once it is done."""
        begin = self._begin
        assert self.is_done
        assert begin is not None
        assert self._next_session_id is not None
        return ModuleState(
            log_position=begin.log_position,
            leadership_term_id=begin.leadership_term_id,
            app_version=begin.app_version,
            time_unit=time_unit_of(begin.time_unit),
            next_session_id=max(
                self._next_session_id,
                max((session.cluster_session_id + 1 for session in self._sessions), default=0),
            ),
            sessions=tuple(self._sessions),
            timers=tuple(self._timers),
            trackers=tuple(self._tracker(service_id) for service_id in sorted(self._trackers)),
        )

    def _tracker(self, service_id: int) -> TrackerState:
        record = self._trackers[service_id]
        return TrackerState(
            service_id=service_id,
            next_service_session_id=record.next_service_session_id,
            log_service_session_id=record.log_service_session_id,
            messages=tuple(self._messages.get(service_id, ())),
        )

    def _error(self, what: str, expected: object, found: object) -> CorruptError:
        return CorruptError(self._path, self._position, what, expected, found)

    def _on_message(self, data: bytes) -> None:
        # An unknown template is from a newer writer, and skipped; another schema is an error.
        if SCHEMA.template_id_of(data) not in SCHEMA.messages:
            return
        message = SCHEMA.decode(data)
        if isinstance(message, SnapshotMarker):
            self._on_marker(message)
            return
        if self._begin is None:
            raise self._error("first message", "SnapshotMarker", message.name)
        match message:
            case ConsensusModule():
                self._on_module(message)
            case ClusterSession():
                self._on_session(message)
            case Timer():
                self._timers.append((message.correlation_id, message.deadline))
            case PendingMessageTracker():
                self._on_tracker(message)
            case SessionMessageHeader():
                self._on_pending_message(message, data)
            case _:
                pass

    def _on_marker(self, marker: SnapshotMarker) -> None:
        if marker.type_id != SNAPSHOT_TYPE_ID:
            raise self._error("snapshot type", SNAPSHOT_TYPE_ID, marker.type_id)
        match marker.mark:
            case SnapshotMark.BEGIN:
                if self._begin is not None:
                    raise self._error("mark", "END", "BEGIN a second time")
                self._check_versions(marker)
                self._begin = marker
            case SnapshotMark.END:
                if self._begin is None:
                    raise self._error("mark", "BEGIN", "END")
                if self._next_session_id is None:
                    raise self._error("record before END", ConsensusModule.name, None)
                for service_id in self._trackers:
                    self._tracker(service_id).verify(self._path, self._position)
                self.is_done = True
            case _:
                pass

    def _check_versions(self, begin: SnapshotMarker) -> None:
        wanted = self._app_version
        validator, found = self._validator, begin.app_version
        if wanted is not None and not is_compatible(validator, wanted, found):
            raise VersionError(
                self._path,
                self._position,
                "application version",
                expected_version(validator, wanted),
                version_text(found),
            )
        if self._time_unit is not None and time_unit_of(begin.time_unit) is not self._time_unit:
            raise self._error("time unit", self._time_unit.name, time_unit_of(begin.time_unit).name)

    def _on_module(self, record: ConsensusModule) -> None:
        self._next_session_id = record.next_session_id
        # From an older module without tracker records. Without services the fields are 0; the null
        # value of a still older one is never a next id.
        if _INT64_MIN < record.next_service_session_id < 0:
            self._check_capacity(record.pending_message_capacity)
            self._trackers[0] = record

    def _on_session(self, record: ClusterSession) -> None:
        self._sessions.append(
            SessionRecord(
                cluster_session_id=record.cluster_session_id,
                correlation_id=record.correlation_id,
                opened_log_position=record.opened_log_position,
                response_stream_id=record.response_stream_id,
                response_channel=record.response_channel,
                close_reason=record.close_reason,
            )
        )

    def _on_tracker(self, record: PendingMessageTracker) -> None:
        if not 0 <= record.service_id <= _MAX_SERVICE_ID:
            raise self._error("service id", f"0 to {_MAX_SERVICE_ID}", record.service_id)
        self._check_capacity(record.pending_message_capacity)
        self._trackers[record.service_id] = record
        self._messages.pop(record.service_id, None)

    def _check_capacity(self, capacity: int) -> None:
        if capacity < 0:
            raise self._error("capacity for pending messages", "at least 0", capacity)

    def _on_pending_message(self, header: SessionMessageHeader, data: bytes) -> None:
        service_id = (header.cluster_session_id >> 56) & 0x7F
        if service_id not in self._trackers:
            raise self._error("service of a pending message", sorted(self._trackers), service_id)
        if header.encoded_length != SESSION_HEADER_LENGTH:
            # A newer writer's header is longer; the payload still follows it.
            data = header.to_bytes() + data[header.encoded_length :]
        self._messages.setdefault(service_id, []).append(data)


def load_module_snapshot(
    image: Image,
    app_version: int | None = None,
    time_unit: ClusterTimeUnit | None = None,
    *,
    validator: AppVersionValidator = SEMANTIC_VERSIONING_VALIDATOR,
    path: str = "consensus module snapshot",
) -> Waiting[ModuleState]:
    """Read a snapshot from a replay of its recording.

    Parameters
    ----------
    image : Image
        The image, at the start of the recording.
    app_version, time_unit, validator, path
        As for `ModuleSnapshotReader`.

    Raises
    ------
    CorruptError, VersionError
        As for `ModuleSnapshotReader`; also if the recording ends before the snapshot.
    """
    reader = ModuleSnapshotReader(path, app_version, time_unit, validator)

    def on_message(message: MessageView, header: Header) -> Action:
        is_last = reader.on_message(bytes(message), header.position)
        return Action.BREAK if is_last else Action.CONTINUE

    assembler = ControlledFragmentAssembler(on_message)
    while not reader.is_done:
        work_count = image.controlled_poll(assembler, _FRAGMENTS_A_PASS)
        if work_count == 0 and (image.is_closed or image.is_end_of_stream):
            raise CorruptError(path, image.position, "end", "after the mark END", "before it")
        if not reader.is_done:
            yield work_count
    return reader.state


def read_rest(image: Image) -> Waiting[tuple[bytes, ...]]:
    """Read the extension's part after the module's part, up to the recording's end."""
    messages: list[bytes] = []
    assembler = FragmentAssembler(lambda message, _: messages.append(bytes(message)))
    while not image.is_end_of_stream and not image.is_closed:
        yield image.poll(assembler, _FRAGMENTS_A_PASS)
    return tuple(messages)


def read_module_snapshot(files: Files, archive_dir: str, recording_id: int) -> ModuleState:
    """Read a snapshot from an archive's files, whether the archive runs or not.

    Parameters
    ----------
    files : Files
    archive_dir : str
    recording_id : int
        The recording, as in the recording log.

    Raises
    ------
    OperationError
        The archive does not have the recording.
    CorruptError
        The recording is not a complete snapshot of a consensus module.
    """
    with Catalog(files, archive_dir, writable=False) as catalog:
        descriptor = catalog.get(recording_id).descriptor
    path = f"{archive_dir}: recording {recording_id}"
    reader = ModuleSnapshotReader(path)
    position = descriptor.start_position
    for message, position in read_recording(files, archive_dir, descriptor):
        if reader.on_message(message, position):
            return reader.state
    raise CorruptError(path, position, "end", "after the mark END", "before it")
