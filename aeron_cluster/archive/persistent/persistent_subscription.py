"""Read a recorded stream from any position: first its recording, then the live stream.

``io.aeron.archive.client.PersistentSubscription``, with its states. Replay and live stream are two
images with the same positions. The one that is behind is read up to the position of the other; when
they meet, only the live stream is read::

    AWAIT_ARCHIVE_CONNECTION -> SEND_ -> AWAIT_LIST_RECORDING_RESPONSE <---------+
                                          |              |                       |
          (older positions: a replay) <---+              v  (nothing to replay)  |
             |                                  ADD_LIVE_SUBSCRIPTION            |
             v                                           v                       |
          REPLAY <-> ATTEMPT_SWITCH -> LIVE <------- AWAIT_LIVE                  |
             |             |            |                |                       |
             +-------------+------------+----------------+-----------------------+
                              what was lost, or is ahead
    any -> FAILED
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final, NamedTuple, Self, TypeVar, Unpack, assert_never

from aeron_cluster.archive.client.archive_client import as_session_id, replay_request_channel
from aeron_cluster.archive.persistent.context import FROM_LIVE, FROM_START
from aeron_cluster.archive.persistent.context import PersistentSubscriptionContext as Context
from aeron_cluster.archive.persistent.reconnecting_session import ReconnectingSession
from aeron_cluster.archive.persistent.state import PersistentSubscriptionState as State
from aeron_cluster.archive.protocol.channels import is_response_channel
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.protocol.replay_lengths import REPLAY_ALL_AND_FOLLOW
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.codecs.archive import (
    ControlResponse,
    ControlResponseCode,
    ListRecordingRequest,
    MaxRecordedPositionRequest,
    RecordingDescriptor,
    ReplayRequest,
    ReplayTokenRequest,
    StopReplayRequest,
)
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.config import format_duration_ns
from aeron_cluster.errors import (
    ArchiveError,
    ClosedError,
    DriverTimeoutError,
    PersistentSubscriptionError,
    PersistentSubscriptionReason,
    RegistrationError,
    StateError,
    TimeoutExpiredError,
)
from aeron_cluster.logbuffer.fragment_assembler import StreamAssembler
from aeron_cluster.memory.shared.commands import ErrorCode
from aeron_cluster.memory.system.closeable import Closeable

if TYPE_CHECKING:
    from aeron_cluster.archive.client.archive_client import Answer
    from aeron_cluster.archive.persistent.options import PersistentSubscriptionOptions
    from aeron_cluster.client.counter import Counter
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.codecs.message import Message
    from aeron_cluster.logbuffer.image_poller import Action
    from aeron_cluster.logbuffer.message_view import Header, MessageView

    _Handler = Callable[[MessageView, Header], object]
    _ControlledHandler = Callable[[MessageView, Header], Action]

__all__ = ["PersistentSubscription"]

_T = TypeVar("_T")

_NO_LIMIT: Final = 2**63 - 1
_NO_DIFFERENCE: Final = -(2**63)
# The most fragments of the live stream to skip in a pass, as the replay already had them.
_SKIP_LIMIT: Final = 256
# The interval between replay requests for a part that the archive has not recorded yet.
_RETRY_INTERVAL_NS: Final = 100_000_000
_COUNTERS: Final = {
    "state_counter": (114, "Persistent Subscription State"),
    "join_difference_counter": (115, "Persistent Subscription Join Difference"),
    "live_left_counter": (116, "Persistent Subscription Live Left Count"),
    "live_joined_counter": (117, "Persistent Subscription Live Joined Count"),
}
_REASONS: Final[dict[int, PersistentSubscriptionReason]] = {
    ArchiveErrorCode.INVALID_POSITION: PersistentSubscriptionReason.INVALID_START_POSITION,
    ArchiveErrorCode.UNKNOWN_RECORDING: PersistentSubscriptionReason.RECORDING_NOT_FOUND,
}


class _Request(NamedTuple):
    correlation_id: int
    deadline_ns: int


class PersistentSubscription(Closeable):
    """A subscription to a recorded stream: it delivers each message from a position once.

    Parameters
    ----------
    context : PersistentSubscriptionContext

    Notes
    -----
    Created by `create`. Call `poll` or `controlled_poll` in each duty cycle, on one thread; it
    works only in these calls. Handlers receive complete messages. If the live stream is lost (the
    network fails, the subscriber is too slow for its flow control, or the publisher ends), the
    recording is replayed from that position, and the live stream is joined again.

    Errors are passed to the listener; after a permanent error, `has_failed` is true.

    Examples
    --------
    >>> with PersistentSubscription.create(  # doctest: +SKIP
    ...     recording_id=0,
    ...     start_position=FROM_START,
    ...     live_channel="aeron:udp?control=localhost:2000|control-mode=dynamic",
    ...     live_stream_id=1001,
    ...     replay_channel="aeron:udp?endpoint=localhost:0",
    ...     replay_stream_id=1002,
    ...     control_channel="aeron:udp?endpoint=localhost:8010",
    ...     control_response_channel="aeron:udp?endpoint=localhost:0",
    ... ) as subscription:
    ...     while not subscription.has_failed:
    ...         subscription.poll(handler)
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._archive_context = context.archive
        self._listener = context.listener
        with ExitStack() as stack:
            aeron = context.archive.aeron
            self._owns_aeron = aeron is None
            if aeron is None:
                aeron = stack.enter_context(
                    Aeron.connect(
                        aeron_dir=context.archive.aeron_dir,
                        client_name="PersistentSubscription",
                        use_conductor_invoker=True,
                        driver_invoker=context.archive.agent_invoker,
                    )
                )
            self._aeron: Aeron = aeron
            self._counters = {name: stack.enter_context(self._counter(name)) for name in _COUNTERS}
            self._resources = stack.pop_all()
        self._clock = aeron.context
        self._session = ReconnectingSession(
            context.archive, aeron, self._on_archive_lost, self._listener.on_error
        )
        self._replay_uri = ChannelUri.parse(context.replay_channel)
        self._is_response = is_response_channel(self._replay_uri)
        endpoint = self._replay_uri.get("endpoint") or ""
        self._is_any_port = not self._is_response and endpoint.endswith(":0")
        self._assembler = StreamAssembler(_ignore)
        self._is_polling = False
        self._is_closed = False
        self._failure: Exception | None = None

        self._state = State.AWAIT_ARCHIVE_CONNECTION
        self._request: _Request | None = None
        self._image: Image | None = None  # the image that is read
        self._limit_position = _NO_LIMIT
        self._position = context.start_position  # the next position, without an image
        self._has_read = False
        self._observed_live_position = NULL_VALUE
        self._join_difference = _NO_DIFFERENCE
        self._retry_until_ns: int | None = None
        self._not_before_ns = 0

        self._term_length = 0
        self._initial_term_id = 0
        self._replay_channel = self._replay_uri
        self._replay_subscription_id: int | None = None
        self._replay_subscription: Subscription | None = None
        self._replay_session_id: int | None = None
        self._replay_request_id: int | None = None
        self._requests_id: int | None = None
        self._requests: ExclusivePublication | None = None
        self._replay_token = NULL_VALUE
        self._deadline_ns = 0  # of the state's wait
        self._edge_request: _Request | None = None
        self._recorded_position: int | None = None

        self._live_subscription_id: int | None = None
        self._live_subscription: Subscription | None = None
        self._live_image: Image | None = None
        self._live_deadline_ns: int | None = None
        self._set("state_counter", self._state)
        self._set_join_difference(_NO_DIFFERENCE)

    @classmethod
    def create(
        cls,
        *,
        properties: Mapping[str, str] | None = None,
        **options: Unpack[PersistentSubscriptionOptions],
    ) -> Self:
        """Create a subscription; its polls connect to the archive and do all other work.

        Parameters
        ----------
        properties : Mapping[str, str], optional
            Properties of the session with the archive, by Aeron's names.
        **options
            The fields of `PersistentSubscriptionContext` and of `ArchiveClientContext`.

        Raises
        ------
        ConfigurationError
            An option is unknown, missing or invalid.
        DriverTimeoutError, RegistrationError
            The driver is not usable.

        Notes
        -----
        Without an ``aeron`` it creates one, which the polls invoke. It waits for the driver.
        """
        return cls(Context.of(properties=properties, **options))

    def _counter(self, name: str) -> Counter:
        context = self._context
        given: Counter | None = getattr(context, name)
        if given is not None:
            return given
        type_id, title = _COUNTERS[name]
        where = f"{context.replay_stream_id} {context.replay_channel}"
        label = f"{title}: {where} {context.live_stream_id} {context.live_channel}"
        return self._aeron.add_counter(type_id, label)

    def __repr__(self) -> str:
        state = "closed" if self._is_closed else self._state.name
        return (
            f"<PersistentSubscription {state} recording {self._context.recording_id} position"
            f" {self.position}>"
        )

    # ---- state ----

    @property
    def context(self) -> Context:
        """The options."""
        return self._context

    @property
    def aeron(self) -> Aeron:
        """The transport client."""
        return self._aeron

    @property
    def state(self) -> State:
        """The state."""
        return self._state

    @property
    def is_live(self) -> bool:
        """Whether the live stream is being read."""
        return self._state is State.LIVE

    @property
    def is_replaying(self) -> bool:
        """Whether the recording is being read."""
        return self._state in (State.REPLAY, State.ATTEMPT_SWITCH)

    @property
    def has_failed(self) -> bool:
        """Whether the subscription has ended with an error; see `failure`."""
        return self._state is State.FAILED

    @property
    def failure(self) -> Exception | None:
        """The error that ended the subscription, or None."""
        return self._failure

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return self._is_closed

    @property
    def position(self) -> int:
        """The position of the next fragment, in bytes; or ``start_position`` until it is known."""
        return self._position if self._image is None else self._image.position

    @property
    def join_difference(self) -> int:
        """The distance from the replay to the live stream when it was found, in bytes.

        -2**63 while no live stream was found.
        """
        return self._join_difference

    # ---- polling ----

    def poll(self, handler: _Handler, fragment_limit: int = 10) -> int:
        """Advance, and call ``handler`` with the next messages.

        Parameters
        ----------
        handler : Callable[[MessageView, Header], object]
            Called with each complete message.
        fragment_limit : int
            The highest number of fragments.

        Returns
        -------
        int
            The work count: 0 if there was nothing to do.

        Raises
        ------
        CorruptError
            As `Image.poll`.
        BaseException
            An exception of the handler or the listener.
        """
        return self._poll(handler, fragment_limit, is_controlled=False)

    def controlled_poll(self, handler: _ControlledHandler, fragment_limit: int = 10) -> int:
        """Poll with a handler that returns an `Action` for each message; otherwise as `poll`."""
        return self._poll(handler, fragment_limit, is_controlled=True)

    def _poll(self, handler: _Handler, fragment_limit: int, *, is_controlled: bool) -> int:
        if self._is_polling:
            raise StateError(f"{self!r}: expected no call from within a handler")
        self._is_polling = True
        try:
            work_count = self._advance()
            image = self._image
            if image is None:
                return work_count
            read = image.bounded_controlled_poll if is_controlled else image.bounded_poll
            assembler = self._assembler.set_handler(handler, is_controlled)
            return work_count + read(assembler, self._limit_position, fragment_limit)
        finally:
            self._is_polling = False

    def _advance(self) -> int:
        if self._is_closed or self._state is State.FAILED:
            return 0
        if self._aeron.is_closed:
            error = ClosedError(f"{self._aeron!r}: closed")
            error.__cause__ = self._aeron.failure
            return self._fail(error)
        self._aeron.drive()
        return self._session.poll() + self._step()

    def _step(self) -> int:
        match self._state:
            case State.AWAIT_ARCHIVE_CONNECTION:
                return self._await_archive()
            case State.SEND_LIST_RECORDING_REQUEST:
                return self._send_list_request()
            case State.AWAIT_LIST_RECORDING_RESPONSE:
                return self._await_recording()
            case State.SEND_REPLAY_REQUEST:
                return self._send_replay_request()
            case State.AWAIT_REPLAY_RESPONSE:
                return self._await_replay_response()
            case State.ADD_REPLAY_SUBSCRIPTION:
                return self._add_replay_subscription()
            case State.AWAIT_REPLAY_SUBSCRIPTION:
                return self._await_replay_subscription()
            case State.AWAIT_REPLAY_CHANNEL_ENDPOINT:
                return self._await_replay_endpoint()
            case State.ADD_REQUEST_PUBLICATION:
                return self._add_requests()
            case State.AWAIT_REQUEST_PUBLICATION:
                return self._await_requests()
            case State.SEND_REPLAY_TOKEN_REQUEST:
                return self._send_token_request()
            case State.AWAIT_REPLAY_TOKEN:
                return self._await_token()
            case State.REPLAY:
                return self._replay()
            case State.ATTEMPT_SWITCH:
                return self._attempt_switch()
            case State.ADD_LIVE_SUBSCRIPTION:
                return self._enter(State.AWAIT_LIVE) if self._add_live_subscription() else 0
            case State.AWAIT_LIVE:
                return self._await_live()
            case State.LIVE:
                return self._live()
            case State.FAILED:
                return 0
            case _:
                assert_never(self._state)

    def _enter(self, state: State) -> int:
        if state is not self._state:
            self._state = state
            self._set("state_counter", state)
        return 1

    def _set_join_difference(self, difference: int) -> None:
        self._join_difference = difference
        self._set("join_difference_counter", difference)

    def _set(self, name: str, value: int) -> None:
        counter = self._counters[name]
        if not counter.is_closed:  # closed if the driver has ended
            counter.set(value)

    def _count(self, name: str) -> None:
        counter = self._counters[name]
        if not counter.is_closed:
            counter.increment()

    def _read(self, image: Image, limit_position: int = _NO_LIMIT) -> None:
        if image is not self._image:
            self._image = image
            self._has_read = True
            self._assembler.continue_in(image.session_id)
        self._limit_position = limit_position

    def _stop_reading(self) -> None:
        if self._image is not None:
            self._position = self._image.position
            self._image = None

    def _fail(self, error: Exception) -> int:
        self._release_all()
        self._failure = error
        self._enter(State.FAILED)
        self._session.close()
        self._listener.on_error(error)
        return 1

    # ---- the archive ----

    def _on_archive_lost(self) -> None:
        self._request = self._edge_request = None
        self._replay_request_id = self._replay_session_id = None
        if self._state not in (State.ATTEMPT_SWITCH, State.LIVE):
            self._look_up_recording()

    def _await_archive(self) -> int:
        if self._session.archive is None:
            return 0
        return self._enter(State.SEND_LIST_RECORDING_REQUEST)

    def _look_up_recording(self) -> int:
        """Begin again with the archive's current state of the recording."""
        self._release_all()
        self._set_join_difference(_NO_DIFFERENCE)
        if self._session.archive is None:
            return self._enter(State.AWAIT_ARCHIVE_CONNECTION)
        return self._enter(State.SEND_LIST_RECORDING_REQUEST)

    def _begin_request(
        self,
        kind: type[Message],
        expected: int = 0,
        via: ExclusivePublication | None = None,
        /,
        **values: object,
    ) -> _Request | None:
        archive = self._session.archive
        if archive is None or not archive.is_connected:
            return None  # the session's next poll detects it
        correlation_id = archive.request(kind, expected, via, **values)
        if correlation_id is None:
            return None
        return _Request(correlation_id, self._clock.now_ns() + self._timeout_ns)

    @property
    def _timeout_ns(self) -> int:
        return self._archive_context.message_timeout_ns

    def _send(
        self,
        following: State,
        kind: type[Message],
        expected: int = 0,
        via: ExclusivePublication | None = None,
        /,
        **values: object,
    ) -> int:
        self._request = self._begin_request(kind, expected, via, **values)
        return 0 if self._request is None else self._enter(following)

    def _answer(self, request: _Request) -> Answer | None:
        archive = self._session.archive
        return None if archive is None else archive.take_answer(request.correlation_id)

    def _poll_answer(self) -> Answer | None:
        """Return the awaited answer, if it has arrived; begin again after a timeout."""
        request = self._request
        assert request is not None
        answer = self._answer(request)
        if answer is not None:
            self._request = None
        elif self._clock.now_ns() >= request.deadline_ns:
            self._look_up_recording()
        return answer

    def _poll_response(self) -> ControlResponse | None:
        answer = self._poll_answer()
        return None if answer is None else answer.response

    # ---- the recording ----

    def _send_list_request(self) -> int:
        if self._clock.now_ns() < self._not_before_ns:
            return 0
        return self._send(
            State.AWAIT_LIST_RECORDING_RESPONSE,
            ListRecordingRequest,
            1,
            recording_id=self._context.recording_id,
        )

    def _await_recording(self) -> int:
        answer = self._poll_answer()
        if answer is None:
            return 0
        response = answer.response
        if response is not None and response.code is ControlResponseCode.ERROR:
            return self._fail(_error(response, "list recording request failed"))
        found = answer.descriptors[0] if answer.descriptors else None
        recording = found if isinstance(found, RecordingDescriptor) else None
        if (problem := self._problem_of(recording)) is not None:
            return self._fail(problem)
        assert recording is not None
        self._term_length = recording.term_buffer_length
        self._initial_term_id = recording.initial_term_id
        if self._position == FROM_START:
            self._position = recording.start_position
        if self._position == FROM_LIVE or NULL_VALUE != recording.stop_position == self._position:
            return self._enter(State.ADD_LIVE_SUBSCRIPTION)
        self._recorded_position = None
        self._replay_channel = self._replay_uri
        return self._enter(
            State.ADD_REPLAY_SUBSCRIPTION
            if self._is_response or self._is_any_port
            else State.SEND_REPLAY_REQUEST
        )

    def _problem_of(
        self, recording: RecordingDescriptor | None
    ) -> PersistentSubscriptionError | None:
        context = self._context
        if recording is None:
            return PersistentSubscriptionError(
                PersistentSubscriptionReason.RECORDING_NOT_FOUND,
                f"unknown recording id: {context.recording_id}",
            )
        if recording.stream_id != context.live_stream_id:
            return PersistentSubscriptionError(
                PersistentSubscriptionReason.STREAM_ID_MISMATCH,
                f"Requested live stream with ID: {context.live_stream_id} does not match stream ID:"
                f" {recording.stream_id} for recording: {context.recording_id}",
            )
        stop = recording.stop_position
        if NULL_VALUE != stop < self._observed_live_position:
            problem = (
                f"recording {context.recording_id} stopped at position={stop} which is earlier than"
                f" last observed live position={self._observed_live_position}"
            )
        elif 0 <= self._position < recording.start_position:
            problem = (
                f"requested replay start position={self._position} is less than recording start"
                f" position={recording.start_position} for recording {context.recording_id}"
            )
        elif NULL_VALUE != stop < self._position:
            problem = (
                f"requested replay start position={self._position} must be less than the limit"
                f" position={stop} for recording {context.recording_id}"
            )
        else:
            return None
        return PersistentSubscriptionError(
            PersistentSubscriptionReason.INVALID_START_POSITION, problem
        )

    # ---- the replay ----

    def _add_replay_subscription(self) -> int:
        channel = self._replay_uri
        if self._replay_session_id is not None:
            channel = channel.with_params(session_id=as_session_id(self._replay_session_id))
        self._replay_subscription_id = self._aeron.async_add_subscription(
            channel, self._context.replay_stream_id
        )
        return self._enter(State.AWAIT_REPLAY_SUBSCRIPTION)

    def _registered(
        self, get: Callable[[int], _T | None], registration_id: int | None
    ) -> _T | None:
        """Return the added subscription or publication; begin again or fail if it was rejected."""
        assert registration_id is not None
        try:
            return get(registration_id)
        except (RegistrationError, DriverTimeoutError) as error:
            if not _is_temporary(error):
                self._fail(error)
            else:
                self._look_up_recording()
                self._not_before_ns = self._clock.now_ns() + _RETRY_INTERVAL_NS
                self._listener.on_error(error)
            return None

    def _await_replay_subscription(self) -> int:
        subscription = self._registered(self._aeron.get_subscription, self._replay_subscription_id)
        if subscription is None:
            return 0
        self._replay_subscription = subscription
        self._deadline_ns = self._clock.now_ns() + self._timeout_ns
        if self._is_response:
            return self._enter(State.ADD_REQUEST_PUBLICATION)
        if self._is_any_port:
            return self._enter(State.AWAIT_REPLAY_CHANNEL_ENDPOINT)
        return self._enter(State.REPLAY)

    def _await_replay_endpoint(self) -> int:
        assert self._replay_subscription is not None
        if not self._replay_uri.is_ipc:
            channel = self._replay_subscription.try_resolve_channel_endpoint_port()
            if channel is None:
                return 0
            endpoint = ChannelUri.parse(channel).get("endpoint")
            if endpoint is not None:
                self._replay_channel = self._replay_uri.with_params(endpoint=endpoint)
        return self._enter(State.SEND_REPLAY_REQUEST)

    def _add_requests(self) -> int:
        assert self._replay_subscription is not None
        self._requests_id = self._aeron.async_add_exclusive_publication(
            replay_request_channel(
                self._archive_context, self._replay_subscription.registration_id
            ),
            self._archive_context.control_stream_id,
        )
        return self._enter(State.AWAIT_REQUEST_PUBLICATION)

    def _await_requests(self) -> int:
        self._requests = self._registered(self._aeron.get_exclusive_publication, self._requests_id)
        if self._requests is None:
            return 0
        self._deadline_ns = self._clock.now_ns() + self._timeout_ns
        return self._enter(State.SEND_REPLAY_TOKEN_REQUEST)

    def _send_token_request(self) -> int:
        return self._send(
            State.AWAIT_REPLAY_TOKEN, ReplayTokenRequest, recording_id=self._context.recording_id
        )

    def _await_token(self) -> int:
        response = self._poll_response()
        if response is None:
            return 0
        if response.code is not ControlResponseCode.OK:
            return self._fail(_error(response, "replay token request failed"))
        self._replay_token = response.relevant_id
        return self._enter(State.AWAIT_REPLAY_CHANNEL_ENDPOINT)

    def _send_replay_request(self) -> int:
        requests = self._requests
        if requests is not None and not (requests.is_connected and requests.available_window > 0):
            if self._clock.now_ns() >= self._deadline_ns:
                return self._look_up_recording()
            return 0
        return self._send(
            State.AWAIT_REPLAY_RESPONSE,
            ReplayRequest,
            0,
            requests,
            recording_id=self._context.recording_id,
            position=self._position,
            length=REPLAY_ALL_AND_FOLLOW,
            replay_stream_id=self._context.replay_stream_id,
            file_io_max_length=NULL_VALUE,
            replay_token=NULL_VALUE if requests is None else self._replay_token,
            replay_channel=str(self._replay_channel),
        )

    def _await_replay_response(self) -> int:
        response = self._poll_response()
        if response is None:
            return 0
        if response.code is not ControlResponseCode.OK:
            return self._on_replay_rejected(response)
        self._retry_until_ns = None
        self._replay_session_id = response.relevant_id
        self._replay_request_id = response.correlation_id
        archive = self._session.archive
        assert archive is not None
        archive.route_errors(response.correlation_id, self._listener.on_error)
        self._release_requests()
        self._deadline_ns = self._clock.now_ns() + self._timeout_ns
        if self._replay_subscription is None:
            return self._enter(State.ADD_REPLAY_SUBSCRIPTION)
        return self._enter(State.REPLAY)

    def _on_replay_rejected(self, response: ControlResponse) -> int:
        now_ns = self._clock.now_ns()
        if response.relevant_id == ArchiveErrorCode.INVALID_POSITION and self._has_read:
            # The live stream was read beyond the recorded position, or the recording has just
            # ended.
            if self._retry_until_ns is None:
                self._retry_until_ns = now_ns + self._timeout_ns
            if now_ns < self._retry_until_ns:
                self._not_before_ns = now_ns + _RETRY_INTERVAL_NS
                return self._look_up_recording()
        return self._fail(
            PersistentSubscriptionError(
                _REASONS.get(response.relevant_id, PersistentSubscriptionReason.GENERIC),
                f"ERROR - replay request failed: {response.error_message}",
            )
        )

    def _replay(self) -> int:
        image = self._image
        if image is None:
            assert self._replay_subscription is not None
            assert self._replay_session_id is not None
            image = self._replay_subscription.image_by_session_id(
                as_session_id(self._replay_session_id)
            )
            if image is not None:
                self._read(image)
            elif self._clock.now_ns() >= self._deadline_ns:
                return self._look_up_recording()
            else:
                return 0
        if image.is_closed:
            return self._look_up_recording()
        if self._live_subscription_id is None:
            is_due = self._clock.now_ns() >= self._not_before_ns
            if is_due and self._is_caught_up(image.position):
                self._add_live_subscription()
            return 0
        live_image = self._find_live_image()
        if live_image is None:
            return 0
        self._live_image = live_image
        self._set_join_difference(live_image.position - image.position)
        self._enter(State.ATTEMPT_SWITCH)
        return 1 + self._attempt_switch()

    def _is_caught_up(self, position: int) -> bool:
        """Return whether the rest of the recording after a position fits into a term.

        When the last known end is reached, the current end is requested.
        """
        request = self._edge_request
        if request is None:
            if self._recorded_position is None or position >= self._recorded_position:
                self._edge_request = self._begin_request(
                    MaxRecordedPositionRequest, recording_id=self._context.recording_id
                )
            return False
        answer = self._answer(request)
        if answer is None:
            if self._clock.now_ns() >= request.deadline_ns:
                self._forget(request)
                self._edge_request = None
            return False
        self._edge_request = None
        response = answer.response
        assert response is not None
        if response.code is not ControlResponseCode.OK:
            self._fail(_error(response, "get max position request failed"))
            return False
        self._recorded_position = response.relevant_id
        return position >= response.relevant_id - self._term_length // 4

    def _attempt_switch(self) -> int:
        image, live_image = self._image, self._live_image
        assert image is not None
        assert live_image is not None
        if live_image.position < image.position and not live_image.is_closed:
            live_image.bounded_poll(_ignore, image.position, _SKIP_LIMIT)
        position, live_position = image.position, live_image.position
        if position == live_position:
            return self._join_live(live_image)
        if image.is_closed:
            self._observe_live(live_position)
            return self._look_up_recording()
        if live_image.is_closed:
            self._release_live()
            self._recorded_position = None
            self._set_join_difference(_NO_DIFFERENCE)
            self._read(image)
            return self._enter(State.REPLAY)
        self._read(image, live_position if live_position > position else _NO_LIMIT)
        return 0

    # ---- the live stream ----

    def _add_live_subscription(self) -> bool:
        if self._clock.now_ns() < self._not_before_ns:
            return False
        self._live_deadline_ns = None
        self._live_subscription_id = self._aeron.async_add_subscription(
            self._context.live_channel, self._context.live_stream_id
        )
        return True

    def _find_live_image(self) -> Image | None:
        """Return the image of the recorded stream, or None until it arrives; report a timeout."""
        if self._live_subscription is None and not self._await_live_subscription():
            return None
        assert self._live_subscription is not None
        images = self._live_subscription.images
        for image in images:
            if image.initial_term_id == self._initial_term_id:
                return image
        if self._live_deadline_ns is not None and self._clock.now_ns() >= self._live_deadline_ns:
            self._live_deadline_ns = None
            others = f" Found streams that are not the recorded one: {images}." if images else ""
            self._listener.on_error(
                TimeoutExpiredError(
                    "No image became available on the live subscription within"
                    f" {format_duration_ns(self._timeout_ns)}. This could be caused by the"
                    " publisher being down, or by a misconfiguration of the subscriber or a"
                    f" firewall between them.{others}"
                )
            )
        return None

    def _await_live_subscription(self) -> bool:
        assert self._live_subscription_id is not None
        now_ns = self._clock.now_ns()
        try:
            self._live_subscription = self._aeron.get_subscription(self._live_subscription_id)
        except (RegistrationError, DriverTimeoutError) as error:
            if not _is_temporary(error):
                self._fail(error)
                return False
            self._release_live()
            self._not_before_ns = now_ns + _RETRY_INTERVAL_NS
            if self._state is State.AWAIT_LIVE:
                self._enter(State.ADD_LIVE_SUBSCRIPTION)
            self._listener.on_error(error)
            return False
        self._live_deadline_ns = now_ns + self._timeout_ns
        return self._live_subscription is not None

    def _await_live(self) -> int:
        image = self._find_live_image()
        if image is None:
            return 0
        self._observe_live(image.position)
        if 0 <= self._position < image.position:
            return self._look_up_recording()
        if image.position < self._position:
            # The recording is ahead of the live stream: skip fragments that were already replayed.
            return image.bounded_poll(_ignore, self._position, _SKIP_LIMIT)
        self._set_join_difference(0)
        return self._join_live(image)

    def _join_live(self, image: Image) -> int:
        self._release_replay()
        self._live_image = image
        self._read(image)
        self._enter(State.LIVE)
        self._count("live_joined_counter")
        self._listener.on_live_joined()
        return 1

    def _live(self) -> int:
        assert self._image is not None
        if not self._image.is_closed:
            return 0
        self._observe_live(self._image.position)
        self._look_up_recording()
        self._count("live_left_counter")
        self._listener.on_live_left()
        return 1

    def _observe_live(self, position: int) -> None:
        self._observed_live_position = max(self._observed_live_position, position)

    # ---- releasing ----

    def _forget(self, request: _Request, undo: Callable[[int], object] | None = None) -> None:
        if self._session.archive is not None:
            self._session.archive.forget(request.correlation_id, undo)

    def _release_all(self) -> None:
        self._stop_reading()
        if self._request is not None:
            is_replay = self._state is State.AWAIT_REPLAY_RESPONSE
            self._forget(self._request, self._stop_replay if is_replay else None)
            self._request = None
        self._release_replay()
        self._release_live()

    def _release_replay(self) -> None:
        if self._edge_request is not None:
            self._forget(self._edge_request)
            self._edge_request = None
        if self._replay_request_id is not None and self._session.archive is not None:
            self._session.archive.route_errors(self._replay_request_id, None)
        self._replay_request_id = None
        if self._replay_session_id is not None:
            self._stop_replay(self._replay_session_id)
            self._replay_session_id = None
        self._release_requests()
        if self._replay_subscription_id is not None:
            self._aeron.abandon(self._replay_subscription_id)
        self._replay_subscription_id = self._replay_subscription = None

    def _stop_replay(self, replay_session_id: int) -> None:
        archive = self._session.archive
        if archive is not None and archive.is_connected:
            archive.post(StopReplayRequest, replay_session_id=replay_session_id)

    def _release_requests(self) -> None:
        if self._requests_id is not None:
            self._aeron.abandon(self._requests_id)
        self._requests_id = self._requests = None

    def _release_live(self) -> None:
        if self._live_subscription_id is not None:
            self._aeron.abandon(self._live_subscription_id)
        self._live_subscription_id = self._live_subscription = self._live_image = None

    def close(self) -> None:
        """Close the subscription, its session with the archive, its counters and its own ``aeron``.

        Calling it again does nothing.
        """
        if self._is_closed:
            return
        self._release_all()
        self._is_closed = True
        self._session.close()
        self._resources.close()


def _is_temporary(error: RegistrationError | DriverTimeoutError) -> bool:
    """Whether the same request may succeed later."""
    if isinstance(error, DriverTimeoutError):
        return True
    return error.code == ErrorCode.ERROR_RESOURCE_TEMPORARILY_UNAVAILABLE


def _ignore(*_: object) -> None:
    pass


def _error(response: ControlResponse, what: str) -> ArchiveError:
    return ArchiveError(
        f"{what}: {response.error_message}", response.relevant_id, response.correlation_id
    )
