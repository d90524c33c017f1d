from typing import final

from aeron_cluster.memory.shared.counters import CountersManager
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import Network

@final
class ReceiveEndpoint:
    def __new__(
        cls,
        network: Network,
        counters: CountersManager,
        *,
        registration_id: int,
        receiver_id: int,
        group_tag: int | None = None,
        status_counter_id: int = -1,
        session_limit: int = 0x7FFFFFFF,
    ) -> ReceiveEndpoint: ...
    registration_id: int
    receiver_id: int
    def open_transport(
        self,
        *,
        bind: Address | None,
        multicast_group: Address | None = None,
        multicast_interface: Address | None = None,
        control_address: Address | None = None,
        has_explicit_control: bool = False,
        multicast_ttl: int = 0,
        send_buffer_length: int = 0,
        receive_buffer_length: int = 0,
        registration_id: int = -1,
    ) -> int: ...
    def close_transport(self, transport_index: int) -> None: ...
    def local_address(self, transport_index: int) -> Address | None: ...
    def buffer_lengths(self, transport_index: int) -> tuple[int, int]: ...
    @property
    def transport_count(self) -> int: ...
    def close(self) -> None: ...
