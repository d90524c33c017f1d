"""Replays from the request to the end of their publication.

``io.aeron.archive.ArchiveConductor.startReplay``, ``CreateReplayPublicationSession`` and the ends
of ``ReplaySession``. A request is checked, and its publication requested; once that and the first
segment are available, the client gets its response and the replayer the session.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.archive.protocol.channels import is_response_channel, stripped_channel
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.protocol.replay_lengths import REPLAY_ALL_AND_FOLLOW, REPLAY_ALL_AND_STOP
from aeron_cluster.archive.replay.replayer import ReplayEnd, ReplaySession
from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.archive.storage.segments import base_position, segment_name
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.frame_layout import FRAME_ALIGNMENT, MAX_POSITION, NULL_VALUE
from aeron_cluster.errors import (
    AgentTerminationError,
    ConfigurationError,
    DriverTimeoutError,
    OperationError,
    RegistrationError,
)
from aeron_cluster.events.codes import ArchiveEvent
from aeron_cluster.memory.shared.counters_layout import CounterState

if TYPE_CHECKING:
    from aeron_cluster.archive.context import ArchiveContext
    from aeron_cluster.archive.recording.recordings import Recordings
    from aeron_cluster.archive.replay.replayer import Replayer
    from aeron_cluster.archive.sessions.control_session import ControlSession
    from aeron_cluster.archive.sessions.orphans import Orphans
    from aeron_cluster.archive.storage.catalog import Catalog, FrameChecksums
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.codecs.archive import RecordingDescriptor

__all__ = ["Replays", "RequestedReplay", "frame_problem"]

_END_REASONS: Final[Mapping[ReplayEnd, str]] = {
    ReplayEnd.REPLAY_ABORTED: "replay aborted",
    ReplayEnd.REPLAY_CLOSED: "stream closed before replay complete",
    ReplayEnd.REPLAY_DISCONNECTED: "publication is not connected",
}
# Length, version, flags, type, term offset, session id, stream id, term id.
_FRAME: Final = struct.Struct("<iBBHiiii")


def _end_reason(session: ReplaySession) -> str:
    if session.end is not ReplayEnd.REPLAY_COMPLETE:
        return _END_REASONS.get(session.end, "")
    if session.replay_limit == 0:
        return "empty replay"
    return f"position ({session.final_position}) past limit ({session.replay_limit})"


class _ReplayPhase(IntEnum):
    """The states of a replay, with upstream's names."""

    INIT = 0
    REPLAY = 1
    INACTIVE = 2
    DONE = 3


class RequestedReplay(NamedTuple):
    """The parameters of a replay request."""

    session: ControlSession
    correlation_id: int
    recording_id: int
    position: int
    length: int
    stream_id: int
    channel: str
    file_io_max_length: int
    limit_counter_id: int  # of a bounded replay, else -1
    image: Image  # of the request


class _Limit(NamedTuple):
    """The counter that limits a replay, and its value when it was requested."""

    counter_id: int
    registration_id: int
    position: int


@dataclass(slots=True, eq=False)
class _Replay:
    request: RequestedReplay
    descriptor: RecordingDescriptor
    position: int
    limit: int
    replay_limit: int
    counter: _Limit | None
    publication_id: int
    frames: FrameChecksums | None
    stream_limit: int
    publication: ExclusivePublication | None = None
    replay_session_id: int = NULL_VALUE
    session: ReplaySession | None = None
    phase: _ReplayPhase = _ReplayPhase.INIT


class _StopRequest(NamedTuple):
    """A request to stop replays, which is answered when all of them have ended."""

    session: ControlSession
    correlation_id: int
    replay_ids: frozenset[int]


class Replays:
    """All replays.

    Parameters
    ----------
    context : ArchiveContext
    aeron : Aeron
        The archive's own client.
    catalog : Catalog
    replayer : Replayer
    recordings : Recordings
        The active recordings.
    orphans : Orphans
        Closes driver resources that are no longer needed when they arrive.
    count : Callable[[int], object]
        Notified of the count whenever it changes.
    """

    def __init__(
        self,
        context: ArchiveContext,
        aeron: Aeron,
        catalog: Catalog,
        replayer: Replayer,
        recordings: Recordings,
        orphans: Orphans,
        count: Callable[[int], object],
    ) -> None:
        self._context = context
        self._aeron = aeron
        self._catalog = catalog
        self._replayer = replayer
        self._recordings = recordings
        self._orphans = orphans
        self._count = count
        self._awaited: list[_Replay] = []
        self._by_id: dict[int, _Replay] = {}
        self._stop_requests: list[_StopRequest] = []
        self._number = 0

    @property
    def is_busy(self) -> bool:
        """Whether there may be work in every pass."""
        return bool(self._awaited)

    def positions(self, recording_id: int) -> list[int]:
        """Return the base of the segment that each replay of a recording reads."""
        reading = [
            each.session.segment_base
            for each in self._by_id.values()
            if each.request.recording_id == recording_id and each.session is not None
        ]
        reading += [
            self._base(each) for each in self._awaited if each.request.recording_id == recording_id
        ]
        return reading

    def active_on(self, recording_id: int) -> int | None:
        """Return the id of a replay of a recording, -1 of one that has not begun, or None."""
        # Those that wait for their publication have the limit of their request already.
        for each in (*self._by_id.values(), *self._awaited):
            if each.request.recording_id == recording_id:
                return each.replay_session_id
        return None

    # ---- requests ----

    def start(self, request: RequestedReplay) -> None:
        """Check a request and request its publication.

        Raises
        ------
        OperationError
            The request is rejected, with the code for the client.
        """
        options = self._context.options
        # Those whose publication is pending count too.
        if len(self._by_id) + len(self._awaited) >= options.max_concurrent_replays:
            raise OperationError(
                f"max concurrent replays reached {options.max_concurrent_replays}",
                ArchiveErrorCode.MAX_REPLAYS,
            )
        recording = self._catalog.get(request.recording_id)
        descriptor = recording.descriptor
        counter = self._limit_of(request)
        position = self._checked_position(request, descriptor)
        self._check_buffer(request, descriptor)
        limit, replay_limit = _limits(request, descriptor, position, counter)
        channel = self._channel(request, descriptor, position)
        try:
            publication_id = self._aeron.async_add_exclusive_publication(channel, request.stream_id)
        except ConfigurationError as error:
            raise _channel_error(error) from error
        self._awaited.append(
            _Replay(
                request,
                descriptor,
                position,
                limit,
                replay_limit,
                counter,
                publication_id,
                recording.frames if self._context.verifies_recorded_checksums else None,
                stream_limit=(
                    MAX_POSITION
                    if descriptor.stop_position == NULL_VALUE
                    else descriptor.stop_position
                ),
            )
        )

    def _limit_of(self, request: RequestedReplay) -> _Limit | None:
        counters = self._aeron.counters_reader
        counter_id = request.limit_counter_id
        if counter_id == NULL_VALUE:
            active = self._recordings.active.get(request.recording_id)
            if active is None:
                return None
            if active.counter is None:
                return _Limit(NULL_VALUE, NULL_VALUE, active.position)  # its counter is pending
            return _Limit(
                active.counter.counter_id, active.counter.registration_id, active.position
            )
        if not (
            0 <= counter_id < len(counters)
            and counters.state(counter_id) == CounterState.COUNTER_ALLOCATED
        ):
            raise OperationError(
                f"unable to create replay limit counter id= {counter_id}", ArchiveErrorCode.GENERIC
            )
        registration_id = counters.registration_id(counter_id)
        limit = counters.value(counter_id)
        return None if limit == NULL_VALUE else _Limit(counter_id, registration_id, limit)

    def _checked_position(self, request: RequestedReplay, descriptor: RecordingDescriptor) -> int:
        position = request.position
        if position == NULL_VALUE:
            return descriptor.start_position
        if position % FRAME_ALIGNMENT:
            raise OperationError(
                f"requested replay start position={position} is not a multiple of FRAME_ALIGNMENT"
                f" ({FRAME_ALIGNMENT}) for recording {request.recording_id}",
                ArchiveErrorCode.GENERIC,
            )
        if position < descriptor.start_position:
            raise OperationError(
                f"requested replay start position={position} is less than recording start"
                f" position={descriptor.start_position} for recording {request.recording_id}",
                ArchiveErrorCode.INVALID_POSITION,
            )
        stop_position = descriptor.stop_position
        if NULL_VALUE != stop_position <= position:
            raise _beyond(position, stop_position, request.recording_id)
        return position

    def _check_buffer(self, request: RequestedReplay, descriptor: RecordingDescriptor) -> None:
        for length in (request.file_io_max_length, self._context.options.file_io_max_length):
            if 0 < length < descriptor.mtu_length:
                raise OperationError(
                    f"fileIoMaxLength={length} < mtuLength={descriptor.mtu_length}"
                    f" for recording {request.recording_id}",
                    ArchiveErrorCode.GENERIC,
                )

    def _channel(
        self, request: RequestedReplay, descriptor: RecordingDescriptor, position: int
    ) -> ChannelUri:
        linger_ns: int = self._context.options.replay_linger_timeout_ns
        try:
            requested = ChannelUri.parse(request.channel).validate()
            channel = (
                stripped_channel(requested)
                .initial_position(
                    position, descriptor.initial_term_id, descriptor.term_buffer_length
                )
                .with_params(
                    mtu=descriptor.mtu_length,
                    linger=requested.duration_ns("linger", linger_ns),
                    eos=requested.boolean("eos", None),
                    sparse=requested.boolean("sparse", None),
                )
            )
        except ConfigurationError as error:
            raise _channel_error(error) from error
        if is_response_channel(requested):
            channel = channel.with_params(response_correlation_id=request.image.correlation_id)
        return channel

    def stop(self, session: ControlSession, correlation_id: int, replay_session_id: int) -> None:
        """Stop a replay, and respond when it has ended; an unknown one has ended already."""
        replay = self._by_id.get(replay_session_id)
        self._stop(session, correlation_id, () if replay is None else (replay,))

    def stop_all(self, session: ControlSession, correlation_id: int, recording_id: int) -> None:
        """Stop all replays of a recording, or with -1 all; respond when they have ended."""
        for replay in tuple(self._awaited):
            if recording_id in (NULL_VALUE, replay.request.recording_id):
                self._awaited.remove(replay)
                self._orphans.drop(self._aeron.get_exclusive_publication, replay.publication_id)
                replay.request.session.send_error(
                    replay.request.correlation_id,
                    ArchiveErrorCode.GENERIC,
                    "all replays were stopped before this one began: recording"
                    f" {replay.request.recording_id}",
                )
        stopped = [
            replay
            for replay in self._by_id.values()
            if recording_id in (NULL_VALUE, replay.request.recording_id)
        ]
        self._stop(session, correlation_id, stopped)

    def _stop(
        self, session: ControlSession, correlation_id: int, replays: Sequence[_Replay]
    ) -> None:
        """Abort replays, and respond when they have ended: until then they count as active."""
        for replay in replays:
            assert replay.session is not None
            replay.session.abort()
        ids = frozenset(replay.replay_session_id for replay in replays)
        self._stop_requests.append(_StopRequest(session, correlation_id, ids))
        self._answer_stops()

    def _answer_stops(self) -> None:
        waiting = []
        for request in self._stop_requests:
            if request.replay_ids.isdisjoint(self._by_id):
                request.session.send_ok(request.correlation_id)
            else:
                waiting.append(request)
        self._stop_requests = waiting

    def on_recording_stopped(self, recording_id: int, position: int) -> None:
        """Set the end of replays that follow a recording to its stop position."""
        for replay in (*self._by_id.values(), *self._awaited):
            request = replay.request
            if request.recording_id != recording_id:
                continue
            replay.stream_limit = min(replay.stream_limit, position)
            if replay.session is not None:
                replay.session.set_stream_limit(replay.stream_limit)
            if request.limit_counter_id != NULL_VALUE:
                continue
            if replay.session is not None:
                replay.session.set_final_limit(position)
            elif replay.counter is not None:
                replay.limit = position
                replay.replay_limit = min(replay.replay_limit, position)
                replay.counter = None

    # ---- the passes ----

    def do_work(self) -> int:
        """Advance the replays; return the work count."""
        work_count = 0
        for replay in tuple(self._awaited):
            work_count += self._poll_publication(replay)
        if self._replayer.has_finished:
            for session in self._replayer.take_finished():
                self._attempt_end(session)
                work_count += 1
            self._answer_stops()
        return work_count

    def _poll_publication(self, replay: _Replay) -> int:
        request = replay.request
        if replay.counter is not None and replay.counter.counter_id == NULL_VALUE:
            replay.counter = self._limit_of(request)
            if replay.counter is not None and replay.counter.counter_id == NULL_VALUE:
                return 0
        try:
            publication = self._aeron.get_exclusive_publication(replay.publication_id)
        except (RegistrationError, DriverTimeoutError, OSError) as error:
            self._awaited.remove(replay)
            request.session.send_error(
                request.correlation_id,
                ArchiveErrorCode.GENERIC,
                f"failed to create replay publication: {error}",
            )
            return 1
        if publication is None:
            return 0
        self._awaited.remove(replay)
        replay.publication = publication
        self._number += 1
        replay.replay_session_id = self._number << 32 | publication.session_id & 0xFFFF_FFFF
        try:
            self._check_first_frame(replay)
        except OperationError as error:
            publication.revoke()
            request.session.send_error(request.correlation_id, error.code, error.message)
            return 1
        replay.session = ReplaySession(
            publication,
            recording_id=request.recording_id,
            position=replay.position,
            limit=replay.limit,
            replay_limit=replay.replay_limit,
            segment_base=self._base(replay),
            segment_length=replay.descriptor.segment_file_length,
            read_length_limit=(
                request.file_io_max_length
                if request.file_io_max_length > 0
                else self._context.options.file_io_max_length
            ),
            connect_deadline_ns=self._context.seams.clock.nano_time()
            + self._context.connect_timeout_ns,
            counters=None if replay.counter is None else self._aeron.counters_reader,
            limit_counter_id=-1 if replay.counter is None else replay.counter.counter_id,
            limit_registration_id=(
                -1 if replay.counter is None else replay.counter.registration_id
            ),
            checksum=None if replay.frames is None else Checksum.of_code(replay.frames.code),
            checksum_position=0 if replay.frames is None else replay.frames.position,
            stream_position=(
                MAX_POSITION if replay.frames is None else replay.frames.stream_position
            ),
            stream_limit=replay.stream_limit,
        )
        self._by_id[replay.replay_session_id] = replay
        self._enter(replay, _ReplayPhase.REPLAY, "")
        self._count(len(self._by_id))
        request.session.send_ok(request.correlation_id, replay.replay_session_id)
        self._replayer.add(replay.session)
        return 1

    def _base(self, replay: _Replay) -> int:
        descriptor = replay.descriptor
        return base_position(
            descriptor.start_position,
            replay.position,
            descriptor.term_buffer_length,
            descriptor.segment_file_length,
        )

    def _check_first_frame(self, replay: _Replay) -> None:
        descriptor = replay.descriptor
        if replay.position in (descriptor.start_position, replay.limit):
            return
        base = self._base(replay)
        name = segment_name(replay.request.recording_id, base)
        try:
            with self._context.seams.files.open(f"{self._context.archive_dir}/{name}") as segment:
                header = segment.read_at(_FRAME.size, replay.position - base)
        except FileNotFoundError as error:
            raise OperationError(
                f"recording segment file not created: {name}", ArchiveErrorCode.GENERIC
            ) from error
        except OSError as error:
            raise OperationError(
                f"cannot read segment file {name}: {error}", ArchiveErrorCode.GENERIC
            ) from error
        if problem := frame_problem(header, descriptor, replay.position):
            raise OperationError(
                f"replayPosition={replay.position} does not point to a valid frame: {problem}",
                ArchiveErrorCode.INVALID_POSITION,
            )

    def _attempt_end(self, session: ReplaySession) -> None:
        """End a replay; if that fails, the others still end."""
        try:
            self._on_finished(session)
        except AgentTerminationError:
            raise
        except Exception as error:  # noqa: BLE001 - of one replay
            self._context.error_handler(error)

    def _on_finished(self, session: ReplaySession) -> None:
        replay_id, replay = next(
            (replay_id, each) for replay_id, each in self._by_id.items() if each.session is session
        )
        del self._by_id[replay_id]
        self._count(len(self._by_id))
        request = replay.request
        assert replay.publication is not None
        text = session.error_text()
        if session.end is ReplayEnd.REPLAY_NOT_CONNECTED:
            text = (
                f"no connection established for replayChannel={replay.publication.channel},"
                f" replayStreamId={request.stream_id}"
            )
        if text:
            name = segment_name(request.recording_id, session.segment_base)
            text += (
                f", recordingId={request.recording_id}, replaySessionId={replay_id},"
                f" segmentFile={name}"
            )
            request.session.send_error(request.correlation_id, ArchiveErrorCode.GENERIC, text)
            self._context.events.record(
                ArchiveEvent.REPLAY_SESSION_ERROR,
                session_id=replay_id,
                recording_id=request.recording_id,
                error_message=text,
            )
        self._enter(replay, _ReplayPhase.INACTIVE, text or _end_reason(session))
        self._enter(replay, _ReplayPhase.DONE, "")
        if session.end in (ReplayEnd.REPLAY_COMPLETE, ReplayEnd.REPLAY_CLOSED):
            replay.publication.close()
        elif not replay.publication.is_closed:
            replay.publication.revoke()

    def _enter(self, replay: _Replay, phase: _ReplayPhase, reason: str) -> None:
        old, replay.phase = replay.phase, phase
        if not self._context.events.is_enabled(ArchiveEvent.REPLAY_SESSION_STATE_CHANGE):
            return
        publication = replay.publication
        is_open = publication is not None and not publication.is_closed
        self._context.events.record(
            ArchiveEvent.REPLAY_SESSION_STATE_CHANGE,
            replay_session_id=replay.replay_session_id,
            recording_id=replay.request.recording_id,
            position=publication.position if publication is not None and is_open else NULL_VALUE,
            states=(old, phase),
            reason=reason,
        )

    def close(self) -> None:
        """Close the publications; the replayer is closed already."""
        for session in self._replayer.take_finished():
            self._attempt_end(session)
        for replay in self._awaited:
            self._orphans.drop(self._aeron.get_exclusive_publication, replay.publication_id)
        self._awaited.clear()


def frame_problem(header: bytes, descriptor: RecordingDescriptor, position: int) -> str:
    """Return the problem of a frame's header at a position; empty if it has none."""
    if len(header) < _FRAME.size:
        return "the file ends"
    length, _, _, _, term_offset, _, stream_id, term_id = _FRAME.unpack_from(header)
    term_length = descriptor.term_buffer_length
    expected_term_id = descriptor.initial_term_id + position // term_length
    expected_term_id = (expected_term_id + 2**31) % 2**32 - 2**31
    if length <= 0:
        return f"frame length {length}"
    for name, found, expected in (
        ("term id", term_id, expected_term_id),
        ("term offset", term_offset, position % term_length),
        ("stream id", stream_id, descriptor.stream_id),
    ):
        if found != expected:
            return f"{name} does not match: actual={found} expected={expected}"
    return ""


def _beyond(position: int, limit: int, recording_id: int) -> OperationError:
    return OperationError(
        f"requested replay start position={position} must be less than the limit"
        f" position={limit} for recording {recording_id}",
        ArchiveErrorCode.INVALID_POSITION,
    )


def _channel_error(error: ConfigurationError) -> OperationError:
    return OperationError(f"failed to process replayChannel - {error}", ArchiveErrorCode.GENERIC)


def _limits(
    request: RequestedReplay,
    descriptor: RecordingDescriptor,
    position: int,
    counter: _Limit | None,
) -> tuple[int, int]:
    """Return the known end of the recording, and the position at which the replay ends."""
    if counter is not None:
        if position > counter.position:
            raise _beyond(position, counter.position, request.recording_id)
        limit = counter.position
        max_length = MAX_POSITION - position
    else:
        limit = descriptor.stop_position
        max_length = limit - position
    match request.length:
        case length if length == REPLAY_ALL_AND_FOLLOW:
            length = max_length
        case length if length == REPLAY_ALL_AND_STOP:
            length = limit - position
            if length == 0:
                raise OperationError(
                    "When replaying and stopping the replay length must be non-zero,"
                    f" recordingId={request.recording_id}",
                    ArchiveErrorCode.EMPTY_RECORDING,
                )
        case length:
            length = min(length, max_length)
    if length < 0:
        raise OperationError(
            f"replay length must be positive: replayLength={length}, length={request.length}",
            ArchiveErrorCode.GENERIC,
        )
    return limit, position + length
