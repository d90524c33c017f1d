"""The events from the sender to the conductor.

The sender writes events into a C queue; ``Sender.poll_event`` returns them as the classes here.
A *released* event means that the sender no longer has a pointer to the object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aeron_cluster.driver.streams.dropped_packets import PacketDropped

if TYPE_CHECKING:
    from aeron_cluster.driver.send.network_publication import NetworkPublication
    from aeron_cluster.driver.send.send_endpoint import SendEndpoint
    from aeron_cluster.memory.system.address import Address


class SendEndpointReleased(NamedTuple):
    """The sender released an endpoint: its sockets may be closed."""

    endpoint: SendEndpoint


class PublicationReleased(NamedTuple):
    """The sender released a publication: its log and counters may be freed."""

    publication: NetworkPublication


class SendResolutionDue(NamedTuple):
    """Nothing was received for a while: the name of an address should be resolved again."""

    endpoint: SendEndpoint
    destination_id: int
    """The registration id of a manual destination; -1 means the endpoint's own address."""


class SendAddressChanged(NamedTuple):
    """The socket of an endpoint was connected to a newly resolved address, or could not be."""

    endpoint: SendEndpoint
    address: Address
    error_number: int
    """The system's; 0 for success. After an error, its earlier address remains."""


class ResponseSetupReceived(NamedTuple):
    """A server sent the session of its response publication."""

    publication: NetworkPublication
    response_session_id: int


class ResponseConnected(NamedTuple):
    """A publication got its first receiver."""

    publication: NetworkPublication


class PublicationErrored(NamedTuple):
    """A live receiver rejected a publication's stream."""

    publication: NetworkPublication
    destination_id: int
    session_id: int
    stream_id: int
    receiver_id: int
    group_tag: int | None
    source: Address | None
    error_code: int
    text: str


SendEvent = (
    SendEndpointReleased
    | PublicationReleased
    | SendResolutionDue
    | SendAddressChanged
    | ResponseSetupReceived
    | ResponseConnected
    | PublicationErrored
    | PacketDropped
)
