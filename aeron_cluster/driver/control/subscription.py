"""Subscriptions, and the streams that they match.

``io.aeron.driver.SubscriptionLink`` and its kinds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from aeron_cluster.driver.control.managed_image import ManagedImage
from aeron_cluster.driver.control.managed_ipc_publication import ManagedIpcPublication
from aeron_cluster.driver.control.managed_network_publication import ManagedNetworkPublication

if TYPE_CHECKING:
    from aeron_cluster.driver.clients.stream_params import SubscriptionParams
    from aeron_cluster.driver.clients.udp_channel import UdpChannel
    from aeron_cluster.driver.control.managed_stream import ManagedStream
    from aeron_cluster.driver.control.receive_channel import ReceiveChannel

__all__ = ["IpcSubscription", "NetworkSubscription", "SpySubscription", "Subscription"]


class Subscription(ABC):
    """One client's subscription to a stream.

    A subscription with several destinations has one of these for each destination that is not UDP,
    all with the same registration id.
    """

    def __init__(
        self,
        registration_id: int,
        client_id: int,
        stream_id: int,
        channel: str,
        params: SubscriptionParams,
    ) -> None:
        self.registration_id = registration_id
        self.client_id = client_id
        self.stream_id = stream_id
        self.channel = channel
        self.params = params
        self.session_id = params.session_id
        self.streams: list[ManagedStream] = []

    @abstractmethod
    def matches(self, stream: ManagedStream) -> bool:
        """Return whether the subscription matches `stream`."""

    def _matches_ids(self, stream: ManagedStream) -> bool:
        return self.accepts(stream.session_id, stream.stream_id)

    def accepts(self, session_id: int, stream_id: int) -> bool:
        """Return whether the subscription matches a session of a stream."""
        if self.params.is_response and self.session_id is None:
            return False  # the session is not yet known
        return self.stream_id == stream_id and self.session_id in {None, session_id}

    def unlink(self) -> None:
        """Unlink it from every stream."""
        for stream in list(self.streams):
            stream.unlink(self)


class IpcSubscription(Subscription):
    """A subscription to publications in shared memory."""

    def matches(self, stream: ManagedStream) -> bool:
        """Return whether `stream` is in shared memory and has the ids."""
        return isinstance(stream, ManagedIpcPublication) and self._matches_ids(stream)


class SpySubscription(Subscription):
    """A subscription to streams that this driver sends over the network."""

    def __init__(
        self,
        registration_id: int,
        client_id: int,
        stream_id: int,
        channel: str,
        params: SubscriptionParams,
        udp_channel: UdpChannel,
    ) -> None:
        super().__init__(registration_id, client_id, stream_id, channel, params)
        self._udp_channel = udp_channel

    def matches(self, stream: ManagedStream) -> bool:
        """Return whether `stream` is sent on the channel."""
        if not isinstance(stream, ManagedNetworkPublication) or stream.stream_id != self.stream_id:
            return False
        channel = stream.send_channel.udp_channel
        if self._udp_channel.tag is not None and self._udp_channel.tag == channel.tag:
            return True
        return self._matches_ids(stream) and (
            self._udp_channel.canonical_form == channel.canonical_form
        )


class NetworkSubscription(Subscription):
    """A subscription to streams that an endpoint of this driver receives."""

    def __init__(
        self,
        registration_id: int,
        client_id: int,
        stream_id: int,
        channel: str,
        params: SubscriptionParams,
        receive_channel: ReceiveChannel,
    ) -> None:
        super().__init__(registration_id, client_id, stream_id, channel, params)
        self.receive_channel = receive_channel

    def matches(self, stream: ManagedStream) -> bool:
        """Return whether `stream` is received by the subscription's endpoint."""
        return (
            isinstance(stream, ManagedImage)
            and stream.receive_channel is self.receive_channel
            and self.accepts(stream.session_id, stream.stream_id)
        )
