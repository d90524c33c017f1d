"""What the sender and the receiver have to tell the conductor.

They leave events in C queues; ``Sender.poll_event`` and ``Receiver.poll_event`` hand them out as
the classes here. A *released* event says that the agent holds no pointer to the thing any more.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from aeron_cluster.driver.network_publication import NetworkPublication
    from aeron_cluster.driver.publication_image import PublicationImage
    from aeron_cluster.driver.receive_endpoint import ReceiveEndpoint
    from aeron_cluster.driver.send_endpoint import SendEndpoint
    from aeron_cluster.memory.address import Address


class SendEndpointReleased(NamedTuple):
    """The sender let go of an endpoint: its sockets may be closed."""

    endpoint: SendEndpoint


class PublicationReleased(NamedTuple):
    """The sender let go of a publication: its log and counters may be freed."""

    publication: NetworkPublication


class SendResolutionDue(NamedTuple):
    """Nobody answered for a while: the name behind an address should be resolved again."""

    endpoint: SendEndpoint
    destination_id: int
    """The registration id of a manual destination; -1 means the endpoint's own address."""


class ResponseSetupReceived(NamedTuple):
    """A server named the session of its response publication."""

    publication: NetworkPublication
    response_session_id: int


class ResponseConnected(NamedTuple):
    """A publication found its first receiver."""

    publication: NetworkPublication


class PublicationErrored(NamedTuple):
    """A live receiver refused a publication's stream."""

    publication: NetworkPublication
    destination_id: int
    session_id: int
    stream_id: int
    receiver_id: int
    group_tag: int | None
    source: Address | None
    error_code: int
    text: str


class ImageRequested(NamedTuple):
    """A set-up frame arrived for a stream that is subscribed and has no image yet.

    The dispatcher ignores the session until ``Receiver.add_image`` or
    ``Receiver.remove_init_in_progress`` answers.
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
    """Where status messages and NAKs go."""


class ReceiveEndpointReleased(NamedTuple):
    """The receiver let go of an endpoint: its sockets may be closed."""

    endpoint: ReceiveEndpoint


class TransportReleased(NamedTuple):
    """The receiver polls a destination's socket no longer: it may be closed."""

    endpoint: ReceiveEndpoint
    transport_index: int


class ImageReleased(NamedTuple):
    """The receiver let go of an image: its log and counters may be freed."""

    image: PublicationImage


class ReceiveResolutionDue(NamedTuple):
    """An explicit control address was silent for a while: resolve its name again."""

    endpoint: ReceiveEndpoint
    transport_index: int


class Fault(IntEnum):
    """Why a datagram was dropped."""

    LENGTH = 0
    """It is shorter than its type's frame."""
    VERSION = 1
    CONTENT = 2
    """A field is outside its range."""
    SESSION_LIMIT = 3
    """A stream has as many images as it may."""


class PacketDropped(NamedTuple):
    """A datagram was dropped, the first of its kind; the counter says how many there were."""

    endpoint: SendEndpoint | ReceiveEndpoint
    source: Address | None
    frame_type: int
    """15 stands for every type beyond, and for a datagram too short to have one."""
    length: int
    fault: Fault


Event = (
    SendEndpointReleased
    | PublicationReleased
    | SendResolutionDue
    | ResponseSetupReceived
    | ResponseConnected
    | PublicationErrored
    | ImageRequested
    | ReceiveEndpointReleased
    | TransportReleased
    | ImageReleased
    | ReceiveResolutionDue
    | PacketDropped
)
