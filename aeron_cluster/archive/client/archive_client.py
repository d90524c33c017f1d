"""A client of an archive.

``io.aeron.archive.client.AeronArchive``. There are two forms of each request: a method that waits
for the answer, for users; and :meth:`AeronArchive.request` with :meth:`AeronArchive.poll` and
:meth:`AeronArchive.take_answer`, for agents, which never block.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, Self, TypedDict, TypeVar, Unpack

from aeron_cluster.archive.client.async_connect import AsyncConnect
from aeron_cluster.archive.client.client_connect import ArchiveConnect
from aeron_cluster.archive.client.client_context import ArchiveClientContext
from aeron_cluster.archive.client.replication_params import ReplicationParams
from aeron_cluster.archive.protocol.channels import is_response_channel
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.protocol.replay_lengths import REPLAY_ALL_AND_FOLLOW
from aeron_cluster.archive.storage import segments
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.codecs import archive as codecs
from aeron_cluster.codecs.archive import (
    ControlResponse,
    ControlResponseCode,
    RecordingDescriptor,
    RecordingSignalEvent,
    RecordingSubscriptionDescriptor,
    SourceLocation,
)
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.errors import (
    ArchiveError,
    ClosedError,
    ConfigurationError,
    MaxPositionExceededError,
    StateError,
    TimeoutExpiredError,
    UnknownMessageError,
)
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.memory.system.closeable import Closeable

if TYPE_CHECKING:
    from aeron_cluster.archive.client.options import ArchiveClientOptions
    from aeron_cluster.client.publication import ExclusivePublication, Publication
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.codecs.message import Message
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["AeronArchive", "Answer", "ReplayOptions"]

_P = TypeVar("_P", "Publication", "ExclusivePublication")

_POLL_LIMIT = 10
_LIST_ENDS: Final = (
    ControlResponseCode.RECORDING_UNKNOWN,
    ControlResponseCode.SUBSCRIPTION_UNKNOWN,
)


class ReplayOptions(TypedDict, total=False):
    """The options of a replay, as those of `AeronArchive.start_replay`."""

    position: int
    length: int
    limit_counter_id: int | None
    file_io_max_length: int


@dataclass(slots=True)
class Answer:
    """The responses to a request so far.

    Parameters
    ----------
    expected : int
        The number of descriptors after which it is complete; 0: a control response completes it.
    descriptors : list
        The descriptors of recordings or subscriptions, in the order of arrival.
    response : ControlResponse, optional
        The control response that completed it.
    """

    expected: int = 0
    descriptors: list[RecordingDescriptor | RecordingSubscriptionDescriptor] = field(
        default_factory=list
    )
    response: ControlResponse | None = None

    @property
    def is_complete(self) -> bool:
        """Whether it is complete."""
        return self.response is not None or 0 < self.expected <= len(self.descriptors)


class AeronArchive(Closeable):
    """An open control session with an archive.

    Parameters
    ----------
    context : ArchiveClientContext
    aeron : Aeron
    connect : ArchiveConnect
        A completed connect.

    Notes
    -----
    One thread uses it. Handlers must not call methods that wait.

    Examples
    --------
    >>> with AeronArchive.connect(  # doctest: +SKIP
    ...     control_channel="aeron:udp?endpoint=localhost:8010",
    ...     control_response_channel="aeron:udp?endpoint=localhost:0",
    ... ) as archive:
    ...     for recording in archive.list_recordings():
    ...         print(recording.recording_id, recording.original_channel)
    """

    def __init__(
        self, context: ArchiveClientContext, aeron: Aeron, connect: ArchiveConnect
    ) -> None:
        assert connect.requests is not None
        assert connect.responses is not None
        self._context = context
        self._aeron = aeron
        self._requests: ExclusivePublication = connect.requests
        self._responses: Subscription = connect.responses
        self._control_session_id = connect.control_session_id
        self._archive_id = connect.archive_id
        self._owns_aeron = False
        self._assembler = FragmentAssembler(self._on_message)
        self._answers: dict[int, Answer] = {}
        self._undos: dict[int, Callable[[int], object]] = {}
        # The errors that belong to no request, during `poll_for_error_response`.
        self._unclaimed: list[ArchiveError] | None = None
        self._signal_count = 0
        self._error_handlers: dict[int, Callable[[ArchiveError], object]] = {}
        self._unsent: deque[tuple[type[Message], dict[str, object]]] = deque()
        self._is_closed = False
        self._is_polling = False

    @classmethod
    def connect(
        cls, *, properties: Mapping[str, str] | None = None, **options: Unpack[ArchiveClientOptions]
    ) -> Self:
        """Open a control session, and wait until it is open.

        Parameters
        ----------
        properties : Mapping[str, str], optional
            Properties by Aeron's names.
        **options
            The fields of `ArchiveClientContext`: ``control_channel``,
            ``control_response_channel``, ``aeron_dir`` and so on.

        Raises
        ------
        TimeoutExpiredError
            No answer within the message timeout; the text has the last step.
        AuthenticationError, ArchiveError
            The archive rejected the session.
        ConfigurationError, RegistrationError, DriverTimeoutError
            An option or channel is invalid, or the driver is not usable.
        """
        with cls.async_connect(properties=properties, **options) as connecting:
            context = connecting.context
            context.idle_strategy.reset()
            while (client := connecting.poll()) is None:
                _drive(context, connecting.aeron)
                context.idle_strategy.idle()
            return client

    @classmethod
    def async_connect(
        cls, *, properties: Mapping[str, str] | None = None, **options: Unpack[ArchiveClientOptions]
    ) -> AsyncConnect[Self]:
        """Begin to open a control session without waiting, with the parameters of `connect`.

        Returns
        -------
        AsyncConnect
            Its ``poll()`` takes the next step, and returns the client once the session is open.

        Raises
        ------
        ConfigurationError, DriverTimeoutError
            An option or channel is invalid, or the driver is not usable.

        Examples
        --------
        >>> with AeronArchive.async_connect(**options) as connecting:  # doctest: +SKIP
        ...     while (archive := connecting.poll()) is None:
        ...         do_other_work()
        """
        return AsyncConnect(
            cls._of_connect, ArchiveClientContext.of(properties=properties, **options)
        )

    @classmethod
    def _of_connect(
        cls, context: ArchiveClientContext, aeron: Aeron, connect: ArchiveConnect
    ) -> Self:
        client = cls(context, aeron, connect)
        client._owns_aeron = context.aeron is None
        return client

    def __repr__(self) -> str:
        state = "closed" if self._is_closed else "connected" if self.is_connected else "lost"
        return f"<AeronArchive {self._archive_id} session {self._control_session_id} {state}>"

    @property
    def context(self) -> ArchiveClientContext:
        """The options."""
        return self._context

    @property
    def archive_id(self) -> int:
        """The archive id, or -1 if the archive is too old to send it."""
        return self._archive_id

    @property
    def control_session_id(self) -> int:
        """The control session id."""
        return self._control_session_id

    @property
    def aeron(self) -> Aeron:
        """The transport client."""
        return self._aeron

    @property
    def responses(self) -> Subscription:
        """The subscription to responses; an agent may check it before it calls `poll`."""
        return self._responses

    @property
    def is_closed(self) -> bool:
        """Whether :meth:`close` was called."""
        return self._is_closed

    @property
    def is_connected(self) -> bool:
        """Whether the archive is connected."""
        return not self._is_closed and self._requests.is_connected and self._responses.is_connected

    def close(self) -> None:
        """Close the session and its resources. Calling it again does nothing."""
        if self._is_closed:
            return
        self._request_close()
        self._is_closed = True
        self._answers.clear()
        self._undos.clear()
        self._unsent.clear()
        self._requests.close()
        self._responses.close()
        if self._owns_aeron:
            self._aeron.close()

    def _request_close(self) -> None:
        if not self.is_connected:
            return
        # If it is not sent, the archive ends the session once its responses are unavailable.
        with contextlib.suppress(ClosedError, MaxPositionExceededError):
            self._requests.offer(
                codecs.CloseSessionRequest.encode(control_session_id=self._control_session_id)
            )

    # ---- requests that do not wait ----

    def request(
        self,
        kind: type[Message],
        expected: int = 0,
        via: ExclusivePublication | None = None,
        /,
        **values: object,
    ) -> int | None:
        """Send a request.

        Parameters
        ----------
        kind : type of Message
            One of ``aeron_cluster.codecs.archive``.
        expected : int
            The number of requested descriptors, if it requests any.
        via : ExclusivePublication, optional
            The publication to send it by, instead of the session's own.
        **values
            Its fields, without the two ids.

        Returns
        -------
        int or None
            Its correlation id; None under back pressure: retry later.

        Raises
        ------
        ClosedError
            The session is closed, or the archive is no longer connected.
        """
        if self._is_closed:
            raise ClosedError(f"{self!r} was closed")
        requests = self._requests if via is None else via
        if not requests.is_connected:
            raise ClosedError(f"{self!r}: the archive is no longer connected")
        correlation_id = self._aeron.next_correlation_id()
        message = kind.encode(
            control_session_id=self._control_session_id, correlation_id=correlation_id, **values
        )
        try:
            if not requests.offer(message):
                return None
        except MaxPositionExceededError as error:
            raise ClosedError(f"{self!r}: no more requests fit its stream") from error
        self._answers[correlation_id] = Answer(expected)
        return correlation_id

    def poll(self) -> int:
        """Poll for responses and store them; signals are passed to their handler.

        Returns
        -------
        int
            The work count: fragments polled and deferred requests sent.
        """
        if self._is_closed:
            return 0
        self._check_outside_handlers()
        self._is_polling = True
        try:
            fragments = self._responses.poll(self._assembler, _POLL_LIMIT)
        finally:
            self._is_polling = False
        return fragments + self._send_unsent()

    def _check_outside_handlers(self) -> None:
        if self._is_polling:
            raise StateError(f"{self!r}: expected no call from within a handler")

    def poll_for_error_response(self) -> str | None:
        """Poll; return the text of an error that belongs to no pending request, or None.

        Further ones are passed to the error handler.
        """
        self._check_outside_handlers()
        self._unclaimed = []
        try:
            self.poll()
        finally:
            unclaimed, self._unclaimed = self._unclaimed, None
        for error in unclaimed[1:]:
            self._context.error_handler(error)
        return str(unclaimed[0]) if unclaimed else None

    def poll_for_recording_signals(self) -> int:
        """Poll; return the number of recording signals that were passed to their handler."""
        before = self._signal_count
        self.poll()
        return self._signal_count - before

    def take_answer(self, correlation_id: int) -> Answer | None:
        """Return and remove the answer of a request once it is complete."""
        answer = self._answers.get(correlation_id)
        if answer is None:
            raise StateError(f"{self!r}: no request {correlation_id} is open")
        return self._answers.pop(correlation_id) if answer.is_complete else None

    def forget(self, correlation_id: int, undo: Callable[[int], object] | None = None) -> None:
        """Stop expecting an answer to a request.

        Parameters
        ----------
        correlation_id : int
            The request.
        undo : Callable[[int], object], optional
            Called with the relevant id if the archive still executes the request.
        """
        answer = self._answers.pop(correlation_id, None)
        if answer is None or undo is None:
            return
        if answer.response is None:
            self._undos[correlation_id] = undo
        elif answer.response.code is ControlResponseCode.OK:
            undo(answer.response.relevant_id)

    def post(self, kind: type[Message], /, **values: object) -> None:
        """Send a request without waiting for the response, now or in a later `poll`.

        Parameters
        ----------
        kind : type of Message
            One of ``aeron_cluster.codecs.archive``.
        **values
            Its fields, without the two ids.
        """
        self._unsent.append((kind, values))
        if not self._is_polling:
            self._send_unsent()

    def _send_unsent(self) -> int:
        sent = 0
        while self._unsent and self._requests.is_connected and not self._is_closed:
            kind, values = self._unsent[0]
            correlation_id = self.request(kind, **values)
            if correlation_id is None:
                break
            self.forget(correlation_id, lambda _: None)
            self._unsent.popleft()
            sent += 1
        return sent

    def route_errors(
        self, correlation_id: int, handler: Callable[[ArchiveError], object] | None
    ) -> None:
        """Set a handler of errors that arrive for an id after its request was answered.

        Parameters
        ----------
        correlation_id : int
            The correlation id of a request, or an id that the archive assigned for it.
        handler : Callable[[ArchiveError], object], optional
            By default, the context's error handler.
        """
        if handler is None:
            self._error_handlers.pop(correlation_id, None)
        else:
            self._error_handlers[correlation_id] = handler

    def _on_message(self, message: MessageView, _: Header) -> None:
        try:
            decoded = codecs.decode(bytes(message))
        except UnknownMessageError:
            return
        if getattr(decoded, "control_session_id", None) != self._control_session_id:
            return
        match decoded:
            case RecordingSignalEvent():
                self._signal_count += 1
                if self._context.recording_signal_handler is not None:
                    self._context.recording_signal_handler(decoded)
            case ControlResponse():
                self._on_response(decoded)
            case RecordingDescriptor() | RecordingSubscriptionDescriptor():
                answer = self._answers.get(decoded.correlation_id)
                if answer is not None:
                    answer.descriptors.append(decoded)
            case _:
                pass

    def _on_response(self, response: ControlResponse) -> None:
        answer = self._answers.get(response.correlation_id)
        if answer is not None and answer.response is None:
            answer.response = response
        elif (undo := self._undos.pop(response.correlation_id, None)) is not None:
            if response.code is ControlResponseCode.OK:
                undo(response.relevant_id)
        elif response.code is ControlResponseCode.ERROR:
            handler = self._error_handlers.get(response.correlation_id)
            error = _error(response)
            if handler is not None:
                handler(error)
            elif self._unclaimed is not None:
                self._unclaimed.append(error)
            else:
                self._context.error_handler(error)

    # ---- requests that wait ----

    def _request_and_wait(
        self,
        kind: type[Message],
        expected: int,
        via: ExclusivePublication | None = None,
        /,
        **values: object,
    ) -> Answer:
        self._check_outside_handlers()  # nothing would read the answer
        deadline_ns = self._aeron.context.now_ns() + self._context.message_timeout_ns
        correlation_id = self._offer_until_accepted(kind, deadline_ns, expected, via, **values)
        seen = 0
        try:
            while (answer := self.take_answer(correlation_id)) is None:
                if self.poll() == 0:
                    self._check_connected_and_in_time(kind, deadline_ns)
                    self._idle()
                waiting = self._answers.get(correlation_id)
                if waiting is not None and len(waiting.descriptors) > seen:
                    # A long listing may take longer than one timeout.
                    seen = len(waiting.descriptors)
                    deadline_ns = self._aeron.context.now_ns() + self._context.message_timeout_ns
        finally:
            self.forget(correlation_id)
        return checked(answer)

    def _offer_until_accepted(
        self,
        kind: type[Message],
        deadline_ns: int,
        expected: int,
        via: ExclusivePublication | None,
        /,
        **values: object,
    ) -> int:
        attempts = 0
        while (correlation_id := self.request(kind, expected, via, **values)) is None:
            self._check_connected_and_in_time(kind, deadline_ns)
            attempts += 1
            self._context.check_attempts(attempts, kind)
            self._idle()
        return correlation_id

    def _check_connected_and_in_time(self, kind: type[Message], deadline_ns: int) -> None:
        if not self._responses.is_connected:
            raise ClosedError(f"{self!r}: the archive closed the session")
        if self._aeron.context.now_ns() > deadline_ns:
            raise TimeoutExpiredError(f"{self!r}: no answer to {kind.__name__} in time")

    def _idle(self) -> None:
        _drive(self._context, self._aeron)
        self._context.idle_strategy.idle()

    def _request_relevant_id(
        self,
        kind: type[Message],
        via: ExclusivePublication | None = None,
        /,
        **values: object,
    ) -> int:
        """Return the relevant id of the answer."""
        answer = self._request_and_wait(kind, 0, via, **values)
        assert answer.response is not None
        if answer.response.code in _LIST_ENDS:
            raise _error(answer.response)
        return answer.response.relevant_id

    # ---- recording ----

    def start_recording(
        self,
        channel: str | ChannelUri,
        stream_id: int,
        source_location: SourceLocation = SourceLocation.LOCAL,
        *,
        auto_stop: bool = False,
    ) -> int:
        """Record every image of a stream, each into a separate recording.

        Parameters
        ----------
        channel : str or ChannelUri
        stream_id : int
        source_location : SourceLocation
            ``LOCAL`` if the publisher uses the archive's driver: it is recorded by a spy.
        auto_stop : bool
            Stop with the first image that ends.

        Returns
        -------
        int
            The recording subscription's id, for `stop_recording`.

        Raises
        ------
        ArchiveError
            The archive rejected it; ``code`` has the reason.
        """
        return self._request_relevant_id(
            codecs.StartRecordingRequest2,
            channel=str(channel),
            stream_id=stream_id,
            source_location=source_location,
            auto_stop=auto_stop,
        )

    def extend_recording(
        self,
        recording_id: int,
        channel: str | ChannelUri,
        stream_id: int,
        source_location: SourceLocation = SourceLocation.LOCAL,
        *,
        auto_stop: bool = False,
    ) -> int:
        """Extend a recording that stopped, from an image that begins where it ended."""
        return self._request_relevant_id(
            codecs.ExtendRecordingRequest2,
            recording_id=recording_id,
            channel=str(channel),
            stream_id=stream_id,
            source_location=source_location,
            auto_stop=auto_stop,
        )

    def add_recorded_publication(self, channel: str | ChannelUri, stream_id: int) -> Publication:
        """Add a publication, and record it.

        Raises
        ------
        ArchiveError
            A client of this driver has added this publication already: what was sent before would
            not be recorded.
        """
        return self._record(self._aeron.add_publication(channel, stream_id), channel)

    def add_recorded_exclusive_publication(
        self, channel: str | ChannelUri, stream_id: int
    ) -> ExclusivePublication:
        """Add an exclusive publication, and record it."""
        return self._record(self._aeron.add_exclusive_publication(channel, stream_id), channel)

    def _record(self, publication: _P, channel: str | ChannelUri) -> _P:
        try:
            check_original(publication)
            self.start_recording(
                _parsed(channel).with_params(session_id=publication.session_id),
                publication.stream_id,
            )
        except BaseException:
            publication.close()
            raise
        return publication

    def stop_recording(self, subscription_id: int) -> None:
        """Stop a recording subscription of `start_recording` or `extend_recording`.

        An archive of this package answers when the recordings have ended, after their STOP
        signals; Java's may answer before that.
        """
        self._request_relevant_id(
            codecs.StopRecordingSubscriptionRequest, subscription_id=subscription_id
        )

    def try_stop_recording(self, subscription_id: int) -> bool:
        """Stop it; return False if it does not exist."""
        try:
            self.stop_recording(subscription_id)
        except ArchiveError as error:
            if error.code != ArchiveErrorCode.UNKNOWN_SUBSCRIPTION:
                raise
            return False
        return True

    def stop_recording_channel(self, channel: str | ChannelUri, stream_id: int) -> None:
        """Stop recording a stream."""
        self._request_relevant_id(
            codecs.StopRecordingRequest, channel=str(channel), stream_id=stream_id
        )

    def try_stop_recording_channel(self, channel: str | ChannelUri, stream_id: int) -> bool:
        """Stop recording a stream; return False if it was not recorded."""
        try:
            self.stop_recording_channel(channel, stream_id)
        except ArchiveError as error:
            if error.code != ArchiveErrorCode.UNKNOWN_SUBSCRIPTION:
                raise
            return False
        return True

    def stop_recording_publication(self, publication: Publication | ExclusivePublication) -> None:
        """Stop the recording of a publication that `add_recorded_publication` began."""
        channel = ChannelUri.parse(publication.channel)
        self.stop_recording_channel(
            channel.with_params(session_id=publication.session_id), publication.stream_id
        )

    def try_stop_recording_by_identity(self, recording_id: int) -> bool:
        """Stop one recording; return False if it was not active."""
        return (
            self._request_relevant_id(
                codecs.StopRecordingByIdentityRequest, recording_id=recording_id
            )
            != 0
        )

    # ---- replay ----

    def start_replay(
        self,
        recording_id: int,
        replay_channel: str | ChannelUri,
        replay_stream_id: int,
        *,
        position: int = NULL_VALUE,
        length: int = REPLAY_ALL_AND_FOLLOW,
        limit_counter_id: int | None = None,
        file_io_max_length: int = NULL_VALUE,
        subscription_registration_id: int | None = None,
    ) -> int:
        """Replay a recording.

        Parameters
        ----------
        recording_id : int
        replay_channel : str or ChannelUri
        replay_stream_id : int
        position : int
            The position to begin at, in bytes; -1 for the start of the recording.
        length : int
            The length in bytes; -1 follows an active recording, -2 ends at its current position.
        limit_counter_id : int, optional
            The id of a counter that limits the replay of an active recording.
        file_io_max_length : int
            The longest read, in bytes; -1: the archive's default.
        subscription_registration_id : int, optional
            That of the receiving subscription, if the channel has ``control-mode=response``.

        Returns
        -------
        int
            The replay session's id; its lower 32 bits are the session id of the image.

        Raises
        ------
        ArchiveError
            The archive rejected it; ``code`` has the reason.
        ConfigurationError
            A response channel without the subscription's registration id.
        """
        values: dict[str, object] = {
            "recording_id": recording_id,
            "position": position,
            "length": length,
            "replay_stream_id": replay_stream_id,
            "file_io_max_length": file_io_max_length,
            "replay_token": NULL_VALUE,
            "replay_channel": str(replay_channel),
        }
        kind: type[Message] = codecs.ReplayRequest
        if limit_counter_id is not None:
            kind = codecs.BoundedReplayRequest
            values["limit_counter_id"] = limit_counter_id
        if not is_response_channel(_parsed(replay_channel)):
            return self._request_relevant_id(kind, **values)
        if subscription_registration_id is None:
            raise ConfigurationError(
                "subscription_registration_id",
                "that of the subscription on the response channel",
                subscription_registration_id,
            )
        return self._start_replay_by_token(kind, subscription_registration_id, values)

    def _start_replay_by_token(
        self, kind: type[Message], subscription_id: int, values: dict[str, object]
    ) -> int:
        """Request over a separate publication, to whose image the archive replays."""
        context = self._context
        token = self._request_relevant_id(
            codecs.ReplayTokenRequest, recording_id=values["recording_id"]
        )
        channel = replay_request_channel(context, subscription_id)
        with self._aeron.add_exclusive_publication(channel, context.control_stream_id) as requests:
            deadline_ns = self._aeron.context.now_ns() + context.message_timeout_ns
            while not (requests.is_connected and requests.available_window > 0):
                self.poll()
                self._check_connected_and_in_time(kind, deadline_ns)
                self._idle()
            return self._request_relevant_id(kind, requests, **values | {"replay_token": token})

    def replay(
        self,
        recording_id: int,
        replay_channel: str | ChannelUri,
        replay_stream_id: int,
        **options: Unpack[ReplayOptions],
    ) -> Subscription:
        """Start a replay, with options as for `start_replay`, and subscribe to its stream only."""
        start = partial(
            self.start_replay, recording_id, replay_channel, replay_stream_id, **options
        )
        uri = _parsed(replay_channel)
        if is_response_channel(uri):
            subscription = self._aeron.add_subscription(replay_channel, replay_stream_id)
            try:
                start(subscription_registration_id=subscription.registration_id)
            except BaseException:
                subscription.close()
                raise
            return subscription
        return self._aeron.add_subscription(
            uri.with_params(session_id=as_session_id(start())), replay_stream_id
        )

    def stop_replay(self, replay_session_id: int) -> None:
        """Stop a replay; an ended one is not an error."""
        self._request_relevant_id(codecs.StopReplayRequest, replay_session_id=replay_session_id)

    def stop_all_replays(self, recording_id: int = NULL_VALUE) -> None:
        """Stop the replays of one recording or of all."""
        self._request_relevant_id(codecs.StopAllReplaysRequest, recording_id=recording_id)

    # ---- listing ----

    def list_recordings(
        self, from_recording_id: int = 0, record_count: int = 2**31 - 1
    ) -> list[RecordingDescriptor]:
        """Return the recordings from an id on, ascending."""
        return self._list(
            codecs.ListRecordingsRequest,
            record_count,
            from_recording_id=from_recording_id,
            record_count=record_count,
        )

    def list_recordings_for_uri(
        self,
        channel_fragment: str,
        stream_id: int,
        from_recording_id: int = 0,
        record_count: int = 2**31 - 1,
    ) -> list[RecordingDescriptor]:
        """Return the recordings of a stream whose original channel contains a text."""
        return self._list(
            codecs.ListRecordingsForUriRequest,
            record_count,
            from_recording_id=from_recording_id,
            record_count=record_count,
            stream_id=stream_id,
            channel=channel_fragment,
        )

    def list_recording(self, recording_id: int) -> RecordingDescriptor | None:
        """Return one recording, or None if it is unknown."""
        found = self._list(codecs.ListRecordingRequest, 1, recording_id=recording_id)
        return found[0] if found else None

    def _list(
        self, kind: type[Message], expected: int, **values: object
    ) -> list[RecordingDescriptor]:
        answer = self._request_and_wait(kind, expected, **values)
        return [entry for entry in answer.descriptors if isinstance(entry, RecordingDescriptor)]

    def list_recording_subscriptions(
        self,
        pseudo_index: int = 0,
        subscription_count: int = 2**31 - 1,
        *,
        channel_fragment: str = "",
        stream_id: int | None = None,
    ) -> list[RecordingSubscriptionDescriptor]:
        """Return the active recording subscriptions."""
        answer = self._request_and_wait(
            codecs.ListRecordingSubscriptionsRequest,
            subscription_count,
            pseudo_index=pseudo_index,
            subscription_count=subscription_count,
            apply_stream_id=stream_id is not None,
            stream_id=stream_id or 0,
            channel=channel_fragment,
        )
        return [
            entry
            for entry in answer.descriptors
            if isinstance(entry, RecordingSubscriptionDescriptor)
        ]

    def find_last_matching_recording(
        self, min_recording_id: int, channel_fragment: str, stream_id: int, session_id: int
    ) -> int:
        """Return the highest id that matches, or -1."""
        return self._request_relevant_id(
            codecs.FindLastMatchingRecordingRequest,
            min_recording_id=min_recording_id,
            channel=channel_fragment,
            stream_id=stream_id,
            session_id=session_id,
        )

    def get_start_position(self, recording_id: int) -> int:
        """Return the start position of a recording, in bytes."""
        return self._request_relevant_id(codecs.StartPositionRequest, recording_id=recording_id)

    def get_recording_position(self, recording_id: int) -> int:
        """Return the recorded position of an active recording, in bytes, or -1 if inactive."""
        return self._request_relevant_id(codecs.RecordingPositionRequest, recording_id=recording_id)

    def get_stop_position(self, recording_id: int) -> int:
        """Return the stop position of a recording, in bytes, or -1 if it is active."""
        return self._request_relevant_id(codecs.StopPositionRequest, recording_id=recording_id)

    def get_max_recorded_position(self, recording_id: int) -> int:
        """Return the recorded or stop position of a recording, in bytes."""
        return self._request_relevant_id(
            codecs.MaxRecordedPositionRequest, recording_id=recording_id
        )

    # ---- maintenance ----

    def truncate_recording(self, recording_id: int, position: int) -> int:
        """Truncate a stopped recording at a frame; return how many files will be deleted."""
        return self._request_relevant_id(
            codecs.TruncateRecordingRequest, recording_id=recording_id, position=position
        )

    def purge_recording(self, recording_id: int) -> int:
        """Delete a stopped recording; return how many files will be deleted."""
        return self._request_relevant_id(codecs.PurgeRecordingRequest, recording_id=recording_id)

    def detach_segments(self, recording_id: int, new_start_position: int) -> None:
        """Move the start of a recording to a later segment; the files before it stay."""
        self._request_relevant_id(
            codecs.DetachSegmentsRequest,
            recording_id=recording_id,
            new_start_position=new_start_position,
        )

    def delete_detached_segments(self, recording_id: int) -> int:
        """Delete the files before a recording's start; return how many will be deleted."""
        return self._request_relevant_id(
            codecs.DeleteDetachedSegmentsRequest, recording_id=recording_id
        )

    def purge_segments(self, recording_id: int, new_start_position: int) -> int:
        """Detach and delete; return how many files will be deleted."""
        return self._request_relevant_id(
            codecs.PurgeSegmentsRequest,
            recording_id=recording_id,
            new_start_position=new_start_position,
        )

    def attach_segments(self, recording_id: int) -> int:
        """Move the start of a recording back over existing files; return how many were attached."""
        return self._request_relevant_id(codecs.AttachSegmentsRequest, recording_id=recording_id)

    def migrate_segments(self, src_recording_id: int, dst_recording_id: int) -> int:
        """Migrate all segments of a recording to an adjacent one; return how many."""
        return self._request_relevant_id(
            codecs.MigrateSegmentsRequest,
            src_recording_id=src_recording_id,
            dst_recording_id=dst_recording_id,
        )

    def update_channel(self, recording_id: int, channel: str | ChannelUri) -> None:
        """Change the channel stored for a recording."""
        self._request_relevant_id(
            codecs.UpdateChannelRequest, recording_id=recording_id, channel=str(channel)
        )

    # ---- replication ----

    def replicate(
        self,
        src_recording_id: int,
        src_control_stream_id: int,
        src_control_channel: str | ChannelUri,
        params: ReplicationParams | None = None,
    ) -> int:
        """Request that the archive replicate a recording of another one; signals report progress.

        Parameters
        ----------
        src_recording_id, src_control_stream_id : int
        src_control_channel : str or ChannelUri
            The control channel of the other archive.
        params : ReplicationParams, optional
            By default, the whole recording is replicated into a new one.

        Returns
        -------
        int
            The replication id: the correlation id of its signals, and of an error that the
            context's error handler receives if it fails.

        Raises
        ------
        ArchiveError
            The archive rejected it; ``code`` has the reason.
        ConfigurationError
            The params contradict each other.
        """
        params = ReplicationParams() if params is None else params
        fields = params.fields(src_recording_id, src_control_stream_id, str(src_control_channel))
        return self._request_relevant_id(codecs.ReplicateRequest2, **fields)

    def stop_replication(self, replication_id: int) -> None:
        """Stop a replication; the replicated part stays."""
        self._request_relevant_id(codecs.StopReplicationRequest, replication_id=replication_id)

    def try_stop_replication(self, replication_id: int) -> bool:
        """Stop it; return False if it does not exist."""
        try:
            self.stop_replication(replication_id)
        except ArchiveError as error:
            if error.code != ArchiveErrorCode.UNKNOWN_REPLICATION:
                raise
            return False
        return True

    @staticmethod
    def segment_base_position(
        start_position: int, position: int, term_length: int, segment_length: int
    ) -> int:
        """Return the base position of the segment that contains a position."""
        return segments.base_position(start_position, position, term_length, segment_length)

    def __iter__(self) -> Iterator[RecordingDescriptor]:
        return iter(self.list_recordings())


def replay_request_channel(context: ArchiveClientContext, subscription_id: int) -> ChannelUri:
    """Return the channel for a request by token, to whose image the archive replays.

    Parameters
    ----------
    context : ArchiveClientContext
    subscription_id : int
        The registration id of the subscription on the response channel.
    """
    return ChannelUri.parse(context.control_channel).with_params(
        {
            "session-id": None,
            "response-correlation-id": subscription_id,
            "term-id": None,
            "init-term-id": None,
            "term-offset": None,
            "term-length": context.control_term_buffer_length,
        }
    )


def as_session_id(replay_session_id: int) -> int:
    """Return the transport session id in a replay session's id, 32 bits signed."""
    low = replay_session_id & 0xFFFFFFFF
    return low - (1 << 32) if low >> 31 else low


def check_original(publication: Publication | ExclusivePublication) -> None:
    """Reject a publication that was added before: its earlier messages would not be recorded.

    Raises
    ------
    ArchiveError
        As ``AeronArchive.addRecordedPublication`` rejects it.
    """
    if not publication.is_original:
        raise ArchiveError(
            f"publication already added for channel={publication.channel}"
            f" streamId={publication.stream_id}"
        )


def _parsed(channel: str | ChannelUri) -> ChannelUri:
    return channel if isinstance(channel, ChannelUri) else ChannelUri.parse(channel)


def checked(answer: Answer) -> Answer:
    """Return the answer; raise ArchiveError if it is an error."""
    response = answer.response
    if response is not None and response.code not in (ControlResponseCode.OK, *_LIST_ENDS):
        raise _error(response)
    return answer


def _error(response: ControlResponse) -> ArchiveError:
    code = (
        response.relevant_id
        if response.code is ControlResponseCode.ERROR
        else ArchiveErrorCode.UNKNOWN_RECORDING
    )
    return ArchiveError(response.error_message or "rejected", code, response.correlation_id)


def _drive(context: ArchiveClientContext, aeron: Aeron) -> None:
    """Drive the components that have no thread."""
    if context.agent_invoker is not None:
        context.agent_invoker()
    aeron.drive()
