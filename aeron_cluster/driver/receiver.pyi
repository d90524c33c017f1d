from typing import final

from aeron_cluster.driver.events import Address, Event
from aeron_cluster.driver.publication_image import PublicationImage
from aeron_cluster.driver.receive_endpoint import ReceiveEndpoint
from aeron_cluster.memory.agent import Agent
from aeron_cluster.memory.counters import CountersManager
from aeron_cluster.memory.seams import Clock

@final
class Receiver(Agent):
    """The agent that receives: datagrams into images, status messages and NAKs out.

    The methods are the conductor's: each leaves a command and returns False where the queue is
    full (try again on the next pass).
    """

    def __new__(
        cls,
        clock: Clock,
        counters: CountersManager,
        *,
        resolution_interval_ns: int = 1_000_000_000,
        cycle_threshold_ns: int = 100_000_000,
    ) -> Receiver: ...
    def add_endpoint(self, endpoint: ReceiveEndpoint) -> bool: ...
    def remove_endpoint(self, endpoint: ReceiveEndpoint) -> bool:
        """Answered by ``ReceiveEndpointReleased``."""
    def add_transport(self, endpoint: ReceiveEndpoint, transport_index: int) -> bool: ...
    def remove_transport(self, endpoint: ReceiveEndpoint, transport_index: int) -> bool:
        """Answered by ``TransportReleased``."""
    def change_control_address(
        self, endpoint: ReceiveEndpoint, transport_index: int, address: Address
    ) -> bool: ...
    def add_subscription(
        self, endpoint: ReceiveEndpoint, stream_id: int, session_id: int | None = None
    ) -> bool:
        """Want a stream, or one session of it."""
    def remove_subscription(
        self, endpoint: ReceiveEndpoint, stream_id: int, session_id: int | None = None
    ) -> bool: ...
    def request_setup(self, endpoint: ReceiveEndpoint, stream_id: int, session_id: int) -> bool:
        """Ask the explicit control address for a set-up frame."""
    def add_image(self, image: PublicationImage) -> bool:
        """Answered, once the receiver dropped the image by itself, by ``ImageReleased``."""
    def remove_init_in_progress(
        self, endpoint: ReceiveEndpoint, stream_id: int, session_id: int
    ) -> bool:
        """No image was made for an ``ImageRequested``."""
    def remove_cool_down(
        self, endpoint: ReceiveEndpoint, stream_id: int, session_id: int
    ) -> bool: ...
    def reject_image(self, image: PublicationImage, reason: str) -> bool: ...
    def has_events(self) -> bool: ...
    def poll_event(self) -> Event | None: ...
    @property
    def free_command_count(self) -> int: ...
