from typing import final

from aeron_cluster.driver.events import Address, Event
from aeron_cluster.driver.network_publication import NetworkPublication
from aeron_cluster.driver.send_endpoint import SendEndpoint
from aeron_cluster.memory.agent import Agent
from aeron_cluster.memory.counters import CountersManager
from aeron_cluster.memory.seams import Clock

@final
class Sender(Agent):
    """The agent that sends: data, set-ups, heartbeats, retransmits; and hears status messages.

    The methods are the conductor's: each leaves a command and returns False where the queue is
    full (try again on the next pass). A command never waits.
    """

    def __new__(
        cls,
        clock: Clock,
        counters: CountersManager,
        *,
        status_poll_ratio: int = 6,
        status_message_timeout_ns: int = 200_000_000,
        resolution_interval_ns: int = 1_000_000_000,
        cycle_threshold_ns: int = 100_000_000,
    ) -> Sender: ...
    def add_endpoint(self, endpoint: SendEndpoint) -> bool: ...
    def remove_endpoint(self, endpoint: SendEndpoint) -> bool:
        """Answered by ``SendEndpointReleased``."""
    def add_publication(self, publication: NetworkPublication) -> bool: ...
    def remove_publication(self, publication: NetworkPublication) -> bool:
        """Answered by ``PublicationReleased``."""
    def add_destination(
        self, endpoint: SendEndpoint, address: Address, registration_id: int
    ) -> bool: ...
    def remove_destination(self, endpoint: SendEndpoint, address: Address) -> bool: ...
    def remove_destination_by_id(self, endpoint: SendEndpoint, registration_id: int) -> bool: ...
    def change_address(
        self, endpoint: SendEndpoint, address: Address, destination_id: int = -1
    ) -> bool:
        """Send to a newly resolved address from now on."""
    def has_events(self) -> bool: ...
    def poll_event(self) -> Event | None: ...
    @property
    def free_command_count(self) -> int: ...
