from enum import IntEnum
from typing import final

from aeron_cluster.memory.shared.counters import CountersManager
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import Network

MAX_DESTINATION_COUNT: int

class SendMode(IntEnum):
    SEND_CONNECTED = 0
    SEND_MANUAL = 1
    SEND_DYNAMIC = 2
    SEND_RESPONSE = 3

@final
class SendEndpoint:
    def __new__(
        cls,
        network: Network,
        counters: CountersManager,
        *,
        registration_id: int,
        mode: int,
        has_group_semantics: bool = False,
        is_multicast: bool = False,
        is_resolvable: bool = False,
        status_counter_id: int = -1,
        destinations_counter_id: int = -1,
    ) -> SendEndpoint: ...
    registration_id: int
    mode: int
    def open(
        self,
        *,
        bind: Address | None = None,
        connect: Address | None = None,
        control_bind: Address | None = None,
        control_group: Address | None = None,
        multicast_interface: Address | None = None,
        multicast_ttl: int = 0,
        send_buffer_length: int = 0,
        receive_buffer_length: int = 0,
    ) -> None: ...
    @property
    def local_address(self) -> Address | None: ...
    @property
    def buffer_lengths(self) -> tuple[int, int]: ...
    @property
    def destination_count(self) -> int: ...
    @property
    def is_open(self) -> bool: ...
    def close(self) -> None: ...
