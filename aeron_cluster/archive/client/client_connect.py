"""Open a control session with an archive, a step at a time.

``io.aeron.archive.client.AeronArchive.AsyncConnect``. One deadline bounds all steps::

    ADD_RESPONSES -> ADD_REQUESTS -> AWAIT_CONNECTED
        -> SEND_REQUEST -> AWAIT_RESPONSE -> SEND_KEEP_ALIVE -> DONE
               ^               |
               +-- challenge --+
               +-- archive id -+
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final, Unpack

from aeron_cluster.archive.client.client_context import PROTOCOL_VERSION, ArchiveClientContext
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.codecs.archive import (
    ArchiveIdRequest,
    AuthConnectRequest,
    Challenge,
    ChallengeResponse,
    ControlResponse,
    ControlResponseCode,
    KeepAliveRequest,
    decode,
)
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.errors import (
    ArchiveError,
    AuthenticationError,
    TimeoutExpiredError,
    UnknownMessageError,
)
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler

if TYPE_CHECKING:
    from contextlib import ExitStack

    from aeron_cluster.client.options import ClientOptions
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.codecs.message import Message
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["ArchiveConnect", "ArchiveConnectStep", "transport_client"]

_ARCHIVE_ID_VERSION: Final = 1 << 16 | 11 << 8
_RESPONSE_MODE: Final = "response"


def transport_client(
    context: ArchiveClientContext, stack: ExitStack, **options: Unpack[ClientOptions]
) -> Aeron:
    """Return the transport client of an archive client; if none is given, a new one.

    Parameters
    ----------
    context : ArchiveClientContext
    stack : ExitStack
        Closes a new one.
    **options
        How a new one is driven.
    """
    if context.aeron is not None:
        return context.aeron
    client_name = context.client_name or "archive-client"
    options = {"aeron_dir": context.aeron_dir, "client_name": client_name, **options}
    return stack.enter_context(Aeron.connect(**options))


class ArchiveConnectStep(IntEnum):
    """The steps of a connect."""

    ADD_RESPONSES = 0
    ADD_REQUESTS = 1
    AWAIT_CONNECTED = 2
    SEND_REQUEST = 3
    AWAIT_RESPONSE = 4
    SEND_KEEP_ALIVE = 5
    DONE = 6


class ArchiveConnect:
    """A connect in progress.

    Parameters
    ----------
    context : ArchiveClientContext
    aeron : Aeron
    now_ns : int
        The deadline counts from here.
    session_id : int, optional
        The session id of the request stream, which the archive also uses for its responses, so that
        clients on one response channel do not receive each other's messages.
    """

    def __init__(
        self,
        context: ArchiveClientContext,
        aeron: Aeron,
        now_ns: int,
        session_id: int | None = None,
    ) -> None:
        self.step = ArchiveConnectStep.ADD_RESPONSES
        self.responses: Subscription | None = None
        self.requests: ExclusivePublication | None = None
        self.control_session_id = NULL_VALUE
        self.archive_id = NULL_VALUE
        self._context = context
        self._aeron = aeron
        self._deadline_ns = now_ns + context.message_timeout_ns
        self._request_channel = ChannelUri.parse(context.control_channel)
        response_channel = ChannelUri.parse(context.control_response_channel)
        if response_channel.get("control-mode") != _RESPONSE_MODE and session_id is not None:
            self._request_channel = self._request_channel.with_params(session_id=session_id)
            response_channel = response_channel.with_params(session_id=session_id)
        self._response_channel = response_channel
        self._message = b""
        self._correlation_id = NULL_VALUE
        self._answer: Message | None = None
        self._assembler = FragmentAssembler(self._on_message)
        self._responses_id = aeron.async_add_subscription(
            response_channel, context.control_response_stream_id
        )
        self._requests_id = NULL_VALUE

    def __repr__(self) -> str:
        return f"ArchiveConnect({self.step.name}, {self._request_channel})"

    def close(self) -> None:
        """Cancel: close all resources, including those that the driver has yet to create."""
        for registration_id in (self._requests_id, self._responses_id):
            if registration_id != NULL_VALUE:
                self._aeron.abandon(registration_id)

    def poll(self, now_ns: int) -> bool:
        """Take the next step if it is possible now.

        Returns
        -------
        bool
            Whether the session is open.

        Raises
        ------
        TimeoutExpiredError
            It was not open by the deadline; the text names the step and the channels.
        AuthenticationError, ArchiveError
            The archive rejected it.
        RegistrationError
            The driver rejected a channel.
        """
        if now_ns > self._deadline_ns:
            raise TimeoutExpiredError(
                f"archive connect timed out: step {self.step.name}, requests "
                f"{self._request_channel}, responses {self._response_channel}"
            )
        match self.step:
            case ArchiveConnectStep.ADD_RESPONSES:
                self._add_responses()
            case ArchiveConnectStep.ADD_REQUESTS:
                self.requests = self._aeron.get_exclusive_publication(self._requests_id)
                if self.requests is not None:
                    self.step = ArchiveConnectStep.AWAIT_CONNECTED
            case ArchiveConnectStep.AWAIT_CONNECTED:
                self._await_connected()
            case ArchiveConnectStep.SEND_REQUEST:
                if self._offer(self._message):
                    self.step = ArchiveConnectStep.AWAIT_RESPONSE
            case ArchiveConnectStep.AWAIT_RESPONSE:
                self._await_response()
            case ArchiveConnectStep.SEND_KEEP_ALIVE:
                self._send_keep_alive()
            case ArchiveConnectStep.DONE:
                pass
        return self.step is ArchiveConnectStep.DONE

    def _add_responses(self) -> None:
        self.responses = self._aeron.get_subscription(self._responses_id)
        if self.responses is None:
            return
        if self._response_channel.get("control-mode") == _RESPONSE_MODE:
            self._request_channel = self._request_channel.with_params(
                response_correlation_id=self.responses.registration_id
            )
        self._requests_id = self._aeron.async_add_exclusive_publication(
            self._request_channel, self._context.control_stream_id
        )
        self.step = ArchiveConnectStep.ADD_REQUESTS

    def _await_connected(self) -> None:
        assert self.responses is not None
        assert self.requests is not None
        channel = self.responses.try_resolve_channel_endpoint_port()
        if channel is None or not self.requests.is_connected:
            return
        name = self._context.client_name
        self._send(
            AuthConnectRequest,
            response_stream_id=self._context.control_response_stream_id,
            version=PROTOCOL_VERSION,
            response_channel=channel,
            encoded_credentials=self._context.credentials.encoded_credentials(),
            client_info=f"name={name} version=1.51.0 commit=aeron_cluster",
        )

    def _send(self, kind: type[Message], **values: object) -> None:
        self._correlation_id = self._aeron.next_correlation_id()
        self._message = kind.encode(correlation_id=self._correlation_id, **values)
        self.step = ArchiveConnectStep.SEND_REQUEST

    def _offer(self, message: bytes) -> bool:
        assert self.requests is not None
        result = self.requests.offer(message)
        if result == NotSent.NOT_CONNECTED:
            raise ArchiveError(f"lost the connection to the archive: {self!r}")
        return bool(result)

    def _await_response(self) -> None:
        answer = self._poll_answer()
        if isinstance(answer, Challenge):
            self._send(
                ChallengeResponse,
                control_session_id=answer.control_session_id,
                encoded_credentials=self._context.credentials.on_challenge(
                    answer.encoded_challenge
                ),
            )
        elif isinstance(answer, ControlResponse):
            self._on_response(answer)

    def _poll_answer(self) -> Message | None:
        assert self.responses is not None
        self.responses.poll(self._assembler, 1)
        answer, self._answer = self._answer, None
        return answer

    def _on_message(self, message: MessageView, _: Header) -> None:
        try:
            decoded = decode(bytes(message))
        except UnknownMessageError:
            return
        if (
            isinstance(decoded, ControlResponse | Challenge)
            and decoded.correlation_id == self._correlation_id
        ):
            self._answer = decoded

    def _on_response(self, response: ControlResponse) -> None:
        if response.code is not ControlResponseCode.OK:
            kind = (
                AuthenticationError
                if response.relevant_id == ArchiveErrorCode.AUTHENTICATION_REJECTED
                else ArchiveError
            )
            raise kind(response.error_message, response.relevant_id, response.correlation_id)
        if self.control_session_id != NULL_VALUE:
            self.archive_id = response.relevant_id
            self.step = ArchiveConnectStep.SEND_KEEP_ALIVE
            return
        self.control_session_id = response.control_session_id
        if response.version >= _ARCHIVE_ID_VERSION:
            self._send(ArchiveIdRequest, control_session_id=self.control_session_id)
        else:
            self.step = ArchiveConnectStep.SEND_KEEP_ALIVE

    def _send_keep_alive(self) -> None:
        message = KeepAliveRequest.encode(
            control_session_id=self.control_session_id, correlation_id=NULL_VALUE
        )
        if self._offer(message):
            self.step = ArchiveConnectStep.DONE
