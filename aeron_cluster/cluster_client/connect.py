"""Open a session with a cluster, a step at a time.

Upstream: AeronCluster.AsyncConnect. One deadline bounds all steps, redirects and challenges
included; nothing is sent twice within a step::

    ADD_EGRESS -> ADD_INGRESS -> AWAIT_CONNECTED -> SEND_REQUEST -> AWAIT_RESPONSE -> DONE
                                       ^                                |
                                       +----------- redirect -----------+
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.cluster_client.context import (
    ClusterClientContext,
    leader_endpoint,
    parse_ingress_endpoints,
)
from aeron_cluster.cluster_client.egress_adapter import EgressAdapter
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.cluster import (
    Challenge,
    ChallengeResponse,
    EventCode,
    SessionConnectRequest,
    SessionEvent,
    decode,
)
from aeron_cluster.codecs.session_protocol import PROTOCOL_VERSION
from aeron_cluster.errors import (
    AeronClusterError,
    AuthenticationError,
    ClosedError,
    ClusterError,
    CorruptError,
    MessageError,
    RegistrationError,
    TimeoutExpiredError,
)
from aeron_cluster.memory.shared.commands import ErrorCode

if TYPE_CHECKING:
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication, Publication
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["ClientConnect", "ConnectStep", "IngressPublication"]

_NO_MEMBER = -1


class ConnectStep(IntEnum):
    """The steps of a connect; the numbers are upstream's."""

    ADD_EGRESS = -1
    ADD_INGRESS = 0
    AWAIT_CONNECTED = 1
    SEND_REQUEST = 2
    AWAIT_RESPONSE = 3
    DONE = 5


class IngressPublication:
    """A publication to one member's ingress, pending or added.

    Parameters
    ----------
    aeron : Aeron
    channel : str
    stream_id : int
    is_exclusive : bool
    endpoint : str
        The member's endpoint, or empty if the channel contains it.
    """

    def __init__(
        self, aeron: Aeron, channel: str, stream_id: int, *, is_exclusive: bool, endpoint: str
    ) -> None:
        self.endpoint = endpoint
        self.failure: AeronClusterError | OSError | None = None
        self.publication: Publication | ExclusivePublication | None = None
        self._aeron = aeron
        self._is_exclusive = is_exclusive
        if is_exclusive:
            self._registration_id = aeron.async_add_exclusive_publication(channel, stream_id)
        else:
            self._registration_id = aeron.async_add_publication(channel, stream_id)

    @property
    def is_known(self) -> bool:
        """Whether the driver has answered."""
        return self.publication is not None or self.failure is not None

    @property
    def is_connected(self) -> bool:
        """Whether it is connected to a member."""
        publication = self.publication
        return publication is not None and not publication.is_closed and publication.is_connected

    def poll(self) -> bool:
        """Check whether the driver has answered; a failure, also of its mapping, is kept."""
        if not self.is_known:
            try:
                if self._is_exclusive:
                    self.publication = self._aeron.get_exclusive_publication(self._registration_id)
                else:
                    self.publication = self._aeron.get_publication(self._registration_id)
            except (AeronClusterError, OSError) as error:
                self.failure = error
        return self.is_known

    def close(self) -> None:
        """Close the publication, or cancel the pending request for it."""
        self._aeron.abandon(self._registration_id)


class ClientConnect:
    """A connect in progress.

    Parameters
    ----------
    context : ClusterClientContext
    aeron : Aeron
    now_ns : int
        The deadline counts from here.
    """

    def __init__(self, context: ClusterClientContext, aeron: Aeron, now_ns: int) -> None:
        self.step = ConnectStep.ADD_EGRESS
        self.egress: Subscription | None = None
        self.egress_image: Image | None = None
        self.ingress: Publication | ExclusivePublication | None = None
        self.opened: SessionEvent | None = None
        self.ingress_endpoints = context.ingress_endpoints or ""
        self._context = context
        self._aeron = aeron
        self._deadline_ns = now_ns + context.message_timeout_ns
        self._leader_member_id = _NO_MEMBER
        self._members: dict[int, IngressPublication] = {}
        self._chosen: IngressPublication | None = None
        self._response_channel = ""
        self._correlation_id = 0
        self._request = b""
        self._adapter = EgressAdapter(_ignore_message, self._on_event)
        self._answer: SessionEvent | Challenge | None = None
        self._egress_registration_id = self._add_egress()

    def __repr__(self) -> str:
        return f"ClientConnect({self.step.name}, members={sorted(self._members)})"

    def close(self) -> None:
        """Cancel: close all resources, including those that the driver has yet to create."""
        for member in self._members.values():
            member.close()
        self._aeron.abandon(self._egress_registration_id)

    def poll(self, now_ns: int) -> bool:
        """Take the steps that are possible now.

        Returns
        -------
        bool
            Whether the session is open.

        Raises
        ------
        TimeoutExpiredError
            It was not open by the deadline; the text names the step and the publications.
        AuthenticationError, ClusterError
            The cluster rejected it.
        RegistrationError
            The driver rejected a channel.
        PlatformError
            No publication to the cluster could be mapped.
        """
        if now_ns > self._deadline_ns:
            raise TimeoutExpiredError(f"cluster connect timed out: {self._describe()}")
        match self.step:
            case ConnectStep.ADD_EGRESS:
                self._await_egress()
            case ConnectStep.ADD_INGRESS:
                self._await_ingress()
            case ConnectStep.AWAIT_CONNECTED:
                self._await_connected()
            case ConnectStep.SEND_REQUEST:
                self._send()
            case ConnectStep.AWAIT_RESPONSE:
                self._await_response()
            case ConnectStep.DONE:
                pass
        return self.step is ConnectStep.DONE

    def _describe(self) -> str:
        parts = [f"step {self.step.name}", f"egress {self._context.egress_channel}"]
        for member_id, member in self._members.items():
            if member.failure is not None:
                state = f"rejected: {member.failure}"
            elif member.publication is None:
                state = "not yet added"
            else:
                state = "connected" if member.is_connected else "not connected"
            name = f"member {member_id}" if member_id != _NO_MEMBER else "ingress"
            parts.append(f"{name} {member.endpoint or self._context.ingress_channel} {state}")
        return ", ".join(parts)

    # ---- steps ----

    def _add_egress(self) -> int:
        uri = ChannelUri.parse(self._context.egress_channel)
        if uri.is_udp:
            uri = uri.with_params(rejoin=False)
        return self._aeron.async_add_subscription(uri, self._context.egress_stream_id)

    def _await_egress(self) -> None:
        try:
            self.egress = self._aeron.get_subscription(self._egress_registration_id)
        except RegistrationError as error:
            if error.code != ErrorCode.ERROR_RESOURCE_TEMPORARILY_UNAVAILABLE:
                raise
            self._egress_registration_id = self._add_egress()
            return
        if self.egress is not None:
            self._add_ingress()
            self.step = ConnectStep.ADD_INGRESS

    def _add_ingress(self) -> None:
        if not self.ingress_endpoints:
            self._members = {_NO_MEMBER: self._publication_to("")}
        else:
            self._members = {
                member_id: self._publication_to(endpoint)
                for member_id, endpoint in parse_ingress_endpoints(self.ingress_endpoints).items()
            }

    def _publication_to(self, endpoint: str) -> IngressPublication:
        return add_ingress(self._context, self._aeron, endpoint)

    def _await_ingress(self) -> None:
        for member in self._members.values():
            member.poll()
            if member.failure is not None and len(self._members) == 1:
                raise member.failure
        if all(member.is_known for member in self._members.values()):
            if all(member.failure is not None for member in self._members.values()):
                raise next(m.failure for m in self._members.values() if m.failure is not None)
            self.step = ConnectStep.AWAIT_CONNECTED

    def _await_connected(self) -> None:
        assert self.egress is not None
        channel = self.egress.try_resolve_channel_endpoint_port()
        if channel is None:
            return
        candidates = (
            [self._members[self._leader_member_id]]
            if self._leader_member_id in self._members
            else self._members.values()
        )
        for member in candidates:
            member.poll()
            if member.failure is not None and len(self._members) == 1:
                raise member.failure
            if member.is_connected:
                self._chosen = member
                self._response_channel = channel
                self._correlation_id = self._aeron.next_correlation_id()
                self._request = self._connect_request()
                self.step = ConnectStep.SEND_REQUEST
                return

    def _connect_request(self) -> bytes:
        name = self._context.client_name
        return SessionConnectRequest.encode(
            correlation_id=self._correlation_id,
            response_stream_id=self._context.egress_stream_id,
            version=PROTOCOL_VERSION,
            response_channel=self._response_channel,
            encoded_credentials=self._context.credentials.encoded_credentials(),
            client_info=f"name={name} version=1.51.0 commit=aeron_cluster",
        )

    def _send(self) -> None:
        assert self._chosen is not None
        publication = self._chosen.publication
        if publication is None or publication.is_closed:
            raise ClosedError(f"ingress to {self._chosen.endpoint} was closed while connecting")
        result = publication.offer(self._request)
        if result == NotSent.NOT_CONNECTED:
            raise ClusterError(f"lost the connection to the cluster: {self._describe()}")
        if result:
            self.step = ConnectStep.AWAIT_RESPONSE

    def _await_response(self) -> None:
        answer = self._poll_answer()
        if isinstance(answer, Challenge):
            self._correlation_id = self._aeron.next_correlation_id()
            self._request = ChallengeResponse.encode(
                correlation_id=self._correlation_id,
                cluster_session_id=answer.cluster_session_id,
                encoded_credentials=self._context.credentials.on_challenge(
                    answer.encoded_challenge
                ),
            )
            self.step = ConnectStep.SEND_REQUEST
        elif answer is not None:
            self._on_session_event(answer)

    def _poll_answer(self) -> SessionEvent | Challenge | None:
        assert self.egress is not None
        try:
            self.egress.poll(self._adapter, 1)
        except CorruptError as error:
            # An invalid image was given up: any host may send to this port.
            self._context.error_handler(error)
        answer, self._answer = self._answer, None
        return answer

    def _on_event(self, data: bytes, header: Header) -> None:
        try:
            message = decode(data)
        except MessageError:
            return
        if (
            isinstance(message, SessionEvent | Challenge)
            and message.correlation_id == self._correlation_id
        ):
            self._answer = message
            image = header.context
            self.egress_image = image  # type: ignore[assignment]

    def _on_session_event(self, event: SessionEvent) -> None:
        match event.code:
            case EventCode.OK:
                self._conclude(event)
            case EventCode.REDIRECT:
                self._redirect(event)
            case EventCode.AUTHENTICATION_REJECTED:
                raise AuthenticationError(event.detail, event.code, event.correlation_id)
            case _:
                raise ClusterError(event.detail, event.code, event.correlation_id)

    def _conclude(self, event: SessionEvent) -> None:
        assert self._chosen is not None
        for member in self._members.values():
            if member is not self._chosen:
                member.close()
        self._members = {}
        self.opened = event
        self.ingress = self._chosen.publication
        self.step = ConnectStep.DONE

    def _redirect(self, event: SessionEvent) -> None:
        endpoint = leader_endpoint(event.detail, event.leader_member_id)
        self.ingress_endpoints = event.detail
        self._leader_member_id = event.leader_member_id
        known = self._members.get(event.leader_member_id)
        for member in self._members.values():
            if member is not known:
                member.close()
        if known is None or known.endpoint != endpoint or known.failure is not None:
            if known is not None:
                known.close()
            known = self._publication_to(endpoint)
        self._members = {event.leader_member_id: known}
        self.step = ConnectStep.AWAIT_CONNECTED


def add_ingress(context: ClusterClientContext, aeron: Aeron, endpoint: str) -> IngressPublication:
    """Request a publication to a member's ingress; without an endpoint, to the channel itself."""
    uri = ChannelUri.parse(context.ingress_channel)
    if endpoint and uri.is_udp:
        uri = uri.with_params(endpoint=endpoint)
    return IngressPublication(
        aeron,
        str(uri),
        context.ingress_stream_id,
        is_exclusive=context.is_ingress_exclusive,
        endpoint=endpoint,
    )


def _ignore_message(timestamp: int, message: MessageView, header: Header) -> None:
    del timestamp, message, header
