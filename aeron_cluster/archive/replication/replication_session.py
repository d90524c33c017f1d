"""The replication of one recording of another archive.

``io.aeron.archive.ReplicationSession``. The other archive replays, and this one records the replay
as an extension of an existing or new recording. Its states, where those in brackets are optional::

    CONNECT -> REPLICATE_DESCRIPTOR -> [SRC_RECORDING_POSITION] -> EXTEND -> [REPLAY_TOKEN
        -> GET_ARCHIVE_PROXY] -> REPLAY -> AWAIT_IMAGE -> REPLICATE                 -> DONE
                                                       -> CATCHUP -> ATTEMPT_LIVE_JOIN -> DONE
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, TypeVar

from aeron_cluster.archive.client.replay_merge import LIVE_ADD_MAX_WINDOW, MERGED_TRANSPORT_COUNT
from aeron_cluster.archive.protocol.channels import is_response_channel
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.storage.catalog import range_problem
from aeron_cluster.archive.waiting import connect_archive, list_recording, send_request
from aeron_cluster.client.waiting import await_exclusive_publication
from aeron_cluster.codecs.archive import (
    RecordingPositionRequest,
    RecordingSignal,
    ReplayRequest,
    ReplayTokenRequest,
    SourceLocation,
    StopReplayRequest,
)
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.errors import (
    AeronClusterError,
    AgentTerminationError,
    ArchiveError,
    OperationError,
    TimeoutExpiredError,
)
from aeron_cluster.events.codes import ArchiveEvent
from aeron_cluster.events.recorder import NO_EVENTS
from aeron_cluster.memory.agents.waiting import Task, Waiting, until

if TYPE_CHECKING:
    from aeron_cluster.archive.client.archive_client import AeronArchive
    from aeron_cluster.archive.client.client_context import ArchiveClientContext
    from aeron_cluster.archive.recording.active_recording import RecordingSubscription
    from aeron_cluster.archive.recording.recordings import Recordings
    from aeron_cluster.archive.sessions.control_session import ControlSession
    from aeron_cluster.archive.storage.catalog import Catalog
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.codecs.archive import RecordingDescriptor
    from aeron_cluster.events.recorder import EventRecorder

__all__ = ["ReplicationSession", "ReplicationState", "RequestedReplication"]

_T = TypeVar("_T")

_LIVE_POSITION_ATTEMPTS: Final = 3
_REQUEST_TERM_LENGTH: Final = 64 * 1024
_IMAGE_CLOSED: Final = "replication image closed unexpectedly"
_SOURCE_POLL_INTERVAL_NS: Final = 100_000_000
# The longest delay until the end of a copy is detected: the interval of checks.
_CHECK_INTERVAL_NS: Final = 1_000_000


class ReplicationState(IntEnum):
    """What a replication waits for."""

    CONNECT = 0
    REPLICATE_DESCRIPTOR = 1
    SRC_RECORDING_POSITION = 2
    EXTEND = 3
    REPLAY_TOKEN = 4
    GET_ARCHIVE_PROXY = 5
    REPLAY = 6
    AWAIT_IMAGE = 7
    REPLICATE = 8
    CATCHUP = 9
    ATTEMPT_LIVE_JOIN = 10
    DONE = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedReplication:
    """The parameters of a request; -1 and the empty string mean unset."""

    session: ControlSession
    src_recording_id: int
    src_control_stream_id: int
    src_control_channel: str
    dst_recording_id: int
    replication_channel: str
    stop_position: int = NULL_VALUE
    channel_tag_id: int = NULL_VALUE
    subscription_tag_id: int = NULL_VALUE
    live_destination: str = ""
    file_io_max_length: int = NULL_VALUE
    replication_session_id: int = NULL_VALUE
    encoded_credentials: bytes = b""
    src_response_channel: str = ""

    @property
    def is_tagged(self) -> bool:
        """Whether the requester controls the subscription's destinations."""
        return (self.channel_tag_id, self.subscription_tag_id) != (NULL_VALUE, NULL_VALUE)


class _RecordingEndedError(Exception):
    """The copy's recording has ended: it was stopped, or the reason was reported to its owner."""


class ReplicationSession:
    """A replication in progress.

    Parameters
    ----------
    request : RequestedReplication
    replication_id : int
        The correlation id of all responses to its requester.
    aeron : Aeron
        The archive's own client.
    source : ArchiveClientContext
        The connection options of the other archive.
    catalog : Catalog
    recordings : Recordings
    on_error : Callable[[Exception], object]
        Called with errors that the requester did not cause.
    events : EventRecorder, optional
        The archive's event log.
    """

    def __init__(
        self,
        request: RequestedReplication,
        replication_id: int,
        aeron: Aeron,
        source: ArchiveClientContext,
        catalog: Catalog,
        recordings: Recordings,
        on_error: Callable[[Exception], object],
        events: EventRecorder = NO_EVENTS,
    ) -> None:
        self._events = events
        self.replication_id = replication_id
        self.state = ReplicationState.CONNECT
        self._request = request
        self._aeron = aeron
        self._source_context = replace(source, error_handler=self._on_source_error)
        self._catalog = catalog
        self._recordings = recordings
        self._on_error = on_error
        self._dst_recording_id = request.dst_recording_id
        self._position = NULL_VALUE  # where the source's replay begins
        self._src_stop_position = NULL_VALUE
        self._source: AeronArchive | None = None
        self._source_error: Exception | None = None
        self._source_poll_ns = 0
        self._src_replay_session_id: int | None = None
        self._recording: RecordingSubscription | None = None
        self._merged_image: Image | None = None  # that of a live merge
        self._response_requests: ExclusivePublication | None = None
        self._next_ns = 0
        self._has_signalled_end = False
        self._task = Task(self._steps())

    def __repr__(self) -> str:
        return (
            f"<ReplicationSession {self.replication_id} {self.state.name} recording"
            f" {self._request.src_recording_id} of {self._request.src_control_channel} into"
            f" {self._dst_recording_id}>"
        )

    @property
    def is_done(self) -> bool:
        """Whether it has ended."""
        return self.state is ReplicationState.DONE

    @property
    def next_ns(self) -> int:
        """The time of the next check, on the monotonic clock."""
        return self._next_ns

    def _enter(self, state: ReplicationState, reason: str) -> None:
        self._events.record(
            ArchiveEvent.REPLICATION_SESSION_STATE_CHANGE,
            replication_id=self.replication_id,
            src_recording_id=self._request.src_recording_id,
            dst_recording_id=self._dst_recording_id,
            position=self._position,
            states=(self.state, state),
            reason=reason,
        )
        self.state = state

    # ---- the passes ----

    def do_work(self, now_ns: int) -> int:
        """Advance; return the work count."""
        if self.is_done:
            return 0
        state = self.state
        self._next_ns = now_ns
        try:
            self._check_source(now_ns)
            self._task.do_work()
        except _RecordingEndedError:
            self._end("recording subscription closed")
        except AgentTerminationError:
            raise
        except Exception as error:  # noqa: BLE001 - of one replication: the others continue
            self._fail(error)
        if self._task.is_done:
            self._end()
        return int(self.state is not state)

    def _fail(self, error: Exception) -> None:
        """End with an error, which the requester receives; one that it caused is not logged."""
        state = self.state
        self._end(str(error))
        if state is ReplicationState.CONNECT and isinstance(error, AeronClusterError):
            code = ArchiveErrorCode.REPLICATION_CONNECTION_FAILURE
            self._send_error(code, f"Replication connection failed={error}")
        elif type(error) is OperationError:
            self._send_error(error.code, error.message)
        else:
            text = error.message if isinstance(error, OperationError) else str(error)
            self._send_error(ArchiveErrorCode.GENERIC, text)
            self._on_error(error)

    def _steps(self) -> Waiting[None]:
        request = self._request
        self._source = source = yield from connect_archive(self._source_context, self._aeron)
        self._enter(ReplicationState.REPLICATE_DESCRIPTOR, "connected to the Archive")
        descriptor = yield from list_recording(source, request.src_recording_id)
        if descriptor is None:
            raise OperationError(
                f"unknown src recording id {request.src_recording_id}",
                ArchiveErrorCode.UNKNOWN_RECORDING,
            )
        self._src_stop_position = descriptor.stop_position
        if not self._on_descriptor(descriptor):
            self._signal(RecordingSignal.SYNC, descriptor.stop_position)
            return
        src_position = NULL_VALUE
        if request.live_destination:
            self._enter(ReplicationState.SRC_RECORDING_POSITION, "")
            src_position = yield from self._request_live_position(source)
        self._enter(ReplicationState.EXTEND, "")
        session_id = self._replay_session_id(descriptor)
        subscription = yield from self._extend(descriptor.stream_id, session_id)
        replay_destination = yield from self._add_replay_destination(subscription)
        added = "replay destination added"
        self._enter(
            ReplicationState.REPLAY_TOKEN,
            added if replay_destination is None else f"{added}: {replay_destination}",
        )
        token = yield from self._prepare_response_channel(source, subscription)
        self._enter(ReplicationState.REPLAY, "" if token == NULL_VALUE else "ArchiveProxy created")
        yield from self._replay(source, subscription, descriptor.stream_id, session_id, token)
        self._enter(
            ReplicationState.AWAIT_IMAGE, f"srcReplaySessionId={self._src_replay_session_id}"
        )
        image = yield from self._await_image(subscription)
        if not request.live_destination:
            self._enter(ReplicationState.REPLICATE, _image_text(image))
            yield from self._copy(image)
            return
        assert replay_destination is not None
        self._merged_image = image
        self._enter(ReplicationState.CATCHUP, _image_text(image))
        yield from self._catch_up(image, src_position)
        self._enter(
            ReplicationState.ATTEMPT_LIVE_JOIN,
            f"image position ({image.position}) >= srcRecordingPosition ({src_position})",
        )
        yield from self._join_live(source, subscription, image, replay_destination)

    # ---- the source ----

    def _on_source_error(self, error: Exception) -> None:
        self._source_error = error

    def _check_source(self, now_ns: int) -> None:
        """Poll the source's unsolicited messages, unless the steps of an open request poll."""
        if self._source is None or now_ns < self._source_poll_ns:
            return
        self._source_poll_ns = now_ns + _SOURCE_POLL_INTERVAL_NS
        self._source.poll()
        if self._source_error is not None:
            raise ArchiveError(str(self._source_error))
        if not self._source.is_connected:
            raise ArchiveError("subscription to archive is not connected")

    def _request_live_position(self, source: AeronArchive) -> Waiting[int]:
        position = yield from send_request(
            source, RecordingPositionRequest, recording_id=self._request.src_recording_id
        )
        if position == NULL_VALUE:
            raise ArchiveError("cannot live merge without active source recording")
        return position

    # ---- the descriptor ----

    def _replay_session_id(self, descriptor: RecordingDescriptor) -> int:
        request = self._request
        if request.live_destination or request.replication_session_id == NULL_VALUE:
            return descriptor.session_id
        return request.replication_session_id

    def _on_descriptor(self, descriptor: RecordingDescriptor) -> bool:
        """Create the copy's descriptor; return whether there is anything to copy."""
        request = self._request
        if (problem := range_problem(descriptor)) is not None:
            # If it were stored here, this archive could not start again.
            what, expected, value = problem
            raise OperationError(
                f"src recording {request.src_recording_id} has an invalid descriptor:"
                f" {what} {value}, expected {expected}",
                ArchiveErrorCode.GENERIC,
            )
        if NULL_VALUE != request.file_io_max_length < descriptor.mtu_length:
            raise OperationError(
                f"Replication fileIoMaxLength ({request.file_io_max_length}) is less than the"
                f" recording mtuLength ({descriptor.mtu_length})",
                ArchiveErrorCode.GENERIC,
            )
        start = descriptor.start_position
        if self._dst_recording_id == NULL_VALUE:
            self._position = start
            self._dst_recording_id = self._catalog.add(**_copied_fields(descriptor))
            self._signal(RecordingSignal.REPLICATE, start)
        else:
            found = self._catalog.get(self._dst_recording_id).descriptor
            self._position = found.stop_position
            if found.start_position == found.stop_position:
                self._position = start
                self._catalog.replace(self._dst_recording_id, **_copied_fields(descriptor))
        stop = descriptor.stop_position
        if request.live_destination and stop != NULL_VALUE:
            raise OperationError(
                "cannot live merge without active source recording", ArchiveErrorCode.GENERIC
            )
        return stop not in (start, self._position)

    # ---- the recording of the copy ----

    def _extend(self, stream_id: int, session_id: int) -> Waiting[Subscription]:
        request = self._request
        channel = ChannelUri.parse(request.replication_channel).with_params(rejoin=False)
        if not is_response_channel(channel):
            channel = channel.with_params(session_id=session_id)
        if self._has_destinations:
            tags = [
                self.replication_id if tag == NULL_VALUE else tag
                for tag in (request.channel_tag_id, request.subscription_tag_id)
            ]
            channel = channel.with_params(
                {"endpoint": None, "tags": f"{tags[0]},{tags[1]}", "control-mode": "manual"}
            )
        recording = self._recordings.start(
            request.session,
            self.replication_id,
            stream_id,
            str(channel),
            SourceLocation.REMOTE,
            auto_stop=True,
            extended_id=self._dst_recording_id,
        )
        self._recording = recording
        recording.before_stop = self._before_stop
        while recording.subscription is None:
            self._check_recorded()
            yield
        return recording.subscription

    @property
    def _has_destinations(self) -> bool:
        return self._request.is_tagged or bool(self._request.live_destination)

    def _add_replay_destination(self, subscription: Subscription) -> Waiting[str | None]:
        if not self._has_destinations:
            return None
        channel = ChannelUri.parse(self._request.replication_channel)
        destination = str(channel.destination(channel.params["endpoint"]))
        yield from self._await_done(subscription.async_add_destination(destination))
        return destination

    def _await_done(self, correlation_id: int) -> Waiting[None]:
        while not self._aeron.is_done(correlation_id):
            yield

    # ---- the replay ----

    def _prepare_response_channel(
        self, source: AeronArchive, subscription: Subscription
    ) -> Waiting[int]:
        """Create the response publication for the replay; return the token that requests it."""
        if not is_response_channel(ChannelUri.parse(self._request.replication_channel)):
            self._enter(ReplicationState.GET_ARCHIVE_PROXY, "")
            return NULL_VALUE
        token = yield from send_request(
            source, ReplayTokenRequest, recording_id=self._request.src_recording_id
        )
        self._enter(ReplicationState.GET_ARCHIVE_PROXY, "")
        channel = ChannelUri.parse(self._request.src_control_channel).with_params(
            {
                "response-correlation-id": subscription.registration_id,
                "term-id": None,
                "init-term-id": None,
                "term-offset": None,
                "term-length": _REQUEST_TERM_LENGTH,
            }
        )
        requests = yield from self._in_time(
            await_exclusive_publication(self._aeron, channel, self._request.src_control_stream_id),
            f"no publication for requests on {channel}",
        )
        self._response_requests = requests
        yield from self._in_time(
            until(lambda: (requests.is_connected and requests.available_window > 0) or None),
            f"the source receives no requests on {channel}",
        )
        return token

    def _replay(
        self,
        source: AeronArchive,
        subscription: Subscription,
        stream_id: int,
        session_id: int,
        token: int,
    ) -> Waiting[None]:
        request = self._request
        endpoint = yield from self._in_time(
            until(lambda: subscription.resolved_endpoint),
            f"failed to resolve subscription endpoint: channel={subscription.channel}",
        )
        channel = ChannelUri.parse(request.replication_channel)
        if "endpoint" in channel:
            channel = channel.with_resolved_port(endpoint)
        if request.live_destination:
            # Java's archive only accepts digits here, without a unit.
            channel = channel.with_params(linger="0", eos=False)
        if is_response_channel(channel):
            channel = channel.with_params(response_correlation_id=subscription.registration_id)
        else:
            channel = channel.with_params(session_id=session_id)
        stop = request.stop_position
        self._src_replay_session_id = yield from send_request(
            source,
            ReplayRequest,
            self._response_requests,
            recording_id=request.src_recording_id,
            position=self._position,
            length=NULL_VALUE if stop == NULL_VALUE else stop - self._position,
            replay_stream_id=stream_id,
            file_io_max_length=request.file_io_max_length,
            replay_token=token,
            replay_channel=str(channel),
        )

    def _await_image(self, subscription: Subscription) -> Waiting[Image]:
        assert self._src_replay_session_id is not None
        low = self._src_replay_session_id & 0xFFFF_FFFF
        session_id = low - (1 << 32) if low >> 31 else low

        def find() -> Image | None:
            self._check_recorded()
            return subscription.image_by_session_id(session_id)

        return (
            yield from self._in_time(
                until(find),
                f"failed get replay image for sessionId={session_id} on"
                f" channel={subscription.channel}",
            )
        )

    def _check_recorded(self) -> None:
        assert self._recording is not None
        if self._recording.is_stopped:
            raise _RecordingEndedError

    # ---- the copy ----

    def _recorded_position(self) -> int:
        """Return the recorded position of the copy: the image may be ahead if a write fails."""
        recording_id = self._dst_recording_id
        if recording_id in self._recordings.active:
            return self._recordings.position(recording_id)
        return self._catalog.get(recording_id).descriptor.stop_position

    def _copy(self, image: Image) -> Waiting[None]:
        stop = self._request.stop_position
        while True:
            # Read before the position, which then no longer changes.
            has_ended = image.is_end_of_stream or image.is_closed
            position = self._recorded_position()
            if has_ended or self._is_synced(position) or NULL_VALUE != stop <= position:
                break
            self._next_ns += _CHECK_INTERVAL_NS
            yield
        self._events.record(
            ArchiveEvent.REPLICATION_SESSION_DONE,
            control_session_id=self._request.session.session_id,
            replication_id=self.replication_id,
            src_recording_id=self._request.src_recording_id,
            replay_position=self._position,
            src_stop_position=self._src_stop_position,
            dst_recording_id=self._dst_recording_id,
            dst_stop_position=stop,
            position=position,
            is_closed=image.is_closed,
            is_end_of_stream=has_ended,
            is_synced=self._is_synced(position),
        )
        self._src_replay_session_id = None  # it ends on its own
        self._finish(position)

    def _is_synced(self, position: int) -> bool:
        return NULL_VALUE != self._src_stop_position <= position

    def _finish(self, position: int) -> None:
        if self._is_synced(position):
            self._signal(RecordingSignal.SYNC, position)
            self._end("sync")
        elif (error := self._error_of_replay()) is not None:
            self._end(str(error))
            self._send_error(ArchiveErrorCode.GENERIC, str(error))
        else:
            self._end("done")

    def _error_of_replay(self) -> Exception | None:
        """Return the source's reason for ending its replay early, which it sends before that."""
        if self._source is not None and self._source.is_connected:
            self._source.poll()
        return self._source_error

    def _before_stop(self, position: int) -> None:
        """End this replication before the copy's recording signals its end."""
        if self.is_done:
            return
        try:
            if self._is_merge_lost:
                self._fail(ArchiveError(_IMAGE_CLOSED))
            else:
                self._finish(position)
        except AgentTerminationError:
            raise
        except Exception as error:  # noqa: BLE001 - of one replication: the recording ends
            self._fail(error)
        self._signal_end()

    @property
    def _is_merge_lost(self) -> bool:
        """Whether a live merge lost its image, while nobody stopped the recording."""
        image, recording = self._merged_image, self._recording
        if image is None or recording is None or recording.is_stopped:
            return False
        return image.is_closed or image.is_end_of_stream

    def _catch_up(self, image: Image, src_position: int) -> Waiting[None]:
        while True:
            self._check_open(image)
            if image.position >= src_position:
                return
            self._next_ns += _CHECK_INTERVAL_NS
            yield

    def _check_open(self, image: Image) -> None:
        self._check_recorded()
        if image.is_closed:
            raise ArchiveError(_IMAGE_CLOSED)

    def _join_live(
        self,
        source: AeronArchive,
        subscription: Subscription,
        image: Image,
        replay_destination: str,
    ) -> Waiting[None]:
        window = min(image.term_buffer_length // 4, LIVE_ADD_MAX_WINDOW)
        is_live_added = False
        attempts = _LIVE_POSITION_ATTEMPTS
        while True:
            try:
                src_position = yield from self._while_open(
                    image, self._request_live_position(source)
                )
            except TimeoutExpiredError:
                attempts -= 1
                if attempts == 0:
                    raise
                continue
            attempts = _LIVE_POSITION_ATTEMPTS
            lag = src_position - image.position
            if not is_live_added and lag <= window:
                added = subscription.async_add_destination(self._request.live_destination)
                yield from self._while_open(image, self._await_done(added))
                is_live_added = True
            elif (
                is_live_added
                and lag <= 0
                and image.active_transport_count >= MERGED_TRANSPORT_COUNT
            ):
                break
            self._next_ns += _CHECK_INTERVAL_NS
            yield
        yield from self._await_done(subscription.async_remove_destination(replay_destination))
        # It continues without this session.
        assert self._recording is not None
        self._recording.before_stop = None
        self._recording = None
        self._signal(RecordingSignal.MERGE, image.position)
        self._end("merge")

    def _while_open(self, image: Image, steps: Waiting[_T]) -> Waiting[_T]:
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            self._check_open(image)
            yield

    def _in_time(self, steps: Waiting[_T], what: str) -> Waiting[_T]:
        context = self._aeron.context
        deadline_ns = context.now_ns() + self._source_context.message_timeout_ns
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            if context.now_ns() >= deadline_ns:
                steps.close()
                raise TimeoutExpiredError(what)
            yield

    # ---- what is sent to the requester ----

    def _signal(self, signal: RecordingSignal, position: int) -> None:
        subscription_id = NULL_VALUE
        if self._recording is not None:
            subscription_id = self._recording.registration_id
        self._request.session.send_signal(
            self.replication_id, self._dst_recording_id, subscription_id, position, signal
        )

    def _signal_end(self) -> None:
        if not self._has_signalled_end:
            self._has_signalled_end = True
            self._recording = None
            self._signal(RecordingSignal.REPLICATE_END, NULL_VALUE)

    def _send_error(self, code: int, message: str) -> None:
        self._request.session.send_error(self.replication_id, code, message)

    # ---- the end ----

    def stop(self) -> None:
        """End it with the next pass."""
        self._end("abort")

    def _end(self, reason: str = "") -> None:
        if not self.is_done:
            self._enter(ReplicationState.DONE, reason)

    def close(self) -> None:
        """Stop the copy, and signal the end."""
        self._end("closed")
        self._task.close()
        if self._recording is not None and not self._recording.is_stopped:
            self._recordings.stop(self._recording)
        if self._source is not None:
            if self._src_replay_session_id is not None and self._source.is_connected:
                self._source.post(StopReplayRequest, replay_session_id=self._src_replay_session_id)
            self._source.close()
        if self._response_requests is not None:
            self._response_requests.close()
        self._signal_end()


def _image_text(image: Image) -> str:
    return (
        f"image.correlationId={image.correlation_id}, image.sessionId={image.session_id},"
        f" image.joinPosition={image.join_position}"
    )


def _copied_fields(descriptor: RecordingDescriptor) -> dict[str, Any]:
    """Return the descriptor for the copy: the source's, with its end equal to its start."""
    return {
        "start_position": descriptor.start_position,
        "stop_position": descriptor.start_position,
        "start_timestamp": descriptor.start_timestamp,
        "stop_timestamp": descriptor.start_timestamp,
        "initial_term_id": descriptor.initial_term_id,
        "segment_file_length": descriptor.segment_file_length,
        "term_buffer_length": descriptor.term_buffer_length,
        "mtu_length": descriptor.mtu_length,
        "session_id": descriptor.session_id,
        "stream_id": descriptor.stream_id,
        "stripped_channel": descriptor.stripped_channel,
        "original_channel": descriptor.original_channel,
        "source_identity": descriptor.source_identity,
    }
