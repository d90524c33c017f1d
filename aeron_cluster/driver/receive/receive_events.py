"""The events from the receiver to the conductor.

The receiver writes events into a C queue; ``Receiver.poll_event`` returns them as the classes here.
A *released* event means that the receiver no longer has a pointer to the object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aeron_cluster.driver.streams.dropped_packets import PacketDropped

if TYPE_CHECKING:
    from aeron_cluster.driver.receive.publication_image import PublicationImage
    from aeron_cluster.driver.receive.receive_endpoint import ReceiveEndpoint
    from aeron_cluster.memory.system.address import Address


class ImageRequested(NamedTuple):
    """A setup frame arrived for a subscribed stream without an image.

    The dispatcher ignores the session until ``Receiver.add_image`` or
    ``Receiver.remove_init_in_progress`` is called.
    """

    endpoint: ReceiveEndpoint
    transport_index: int
    session_id: int
    stream_id: int
    initial_term_id: int
    active_term_id: int
    term_offset: int
    term_length: int
    mtu_length: int
    ttl: int
    flags: int
    source: Address | None
    control_address: Address | None
    """The address for status messages and NAKs."""


class ReceiveEndpointReleased(NamedTuple):
    """The receiver released an endpoint: its sockets may be closed."""

    endpoint: ReceiveEndpoint


class TransportReleased(NamedTuple):
    """The receiver no longer polls a destination's socket: it may be closed."""

    endpoint: ReceiveEndpoint
    transport_index: int


class ImageReleased(NamedTuple):
    """The receiver released an image: its log and counters may be freed."""

    image: PublicationImage


class ReceiveResolutionDue(NamedTuple):
    """Nothing was received from an explicit control address: resolve its name again."""

    endpoint: ReceiveEndpoint
    transport_index: int


ReceiveEvent = (
    ImageRequested
    | ReceiveEndpointReleased
    | TransportReleased
    | ImageReleased
    | ReceiveResolutionDue
    | PacketDropped
)
