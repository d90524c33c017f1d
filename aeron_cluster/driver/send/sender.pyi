from typing import final

from aeron_cluster.driver.send.network_publication import NetworkPublication
from aeron_cluster.driver.send.send_endpoint import SendEndpoint
from aeron_cluster.driver.send.send_events import SendEvent
from aeron_cluster.driver.streams.datagram_agent import DatagramAgent
from aeron_cluster.memory.shared.counters import CountersManager
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import Clock

@final
class Sender(DatagramAgent):
    def __new__(
        cls,
        clock: Clock,
        counters: CountersManager,
        *,
        status_poll_ratio: int = 6,
        control_interval_ns: int = 10_000,
        resolution_interval_ns: int = ...,
        cycle_threshold_ns: int = ...,
    ) -> Sender: ...
    def send_unsent_ends(self) -> None: ...
    def add_endpoint(self, endpoint: SendEndpoint) -> bool: ...
    def remove_endpoint(self, endpoint: SendEndpoint) -> bool: ...
    def add_publication(self, publication: NetworkPublication) -> bool: ...
    def remove_publication(self, publication: NetworkPublication) -> bool: ...
    def add_destination(
        self, endpoint: SendEndpoint, address: Address | None, registration_id: int
    ) -> bool: ...
    def remove_destination(self, endpoint: SendEndpoint, registration_id: int) -> bool: ...
    def change_address(
        self, endpoint: SendEndpoint, address: Address, destination_id: int = -1
    ) -> bool: ...
    def poll_event(self) -> SendEvent | None: ...
