from typing import Self, final

from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import Network

@final
class ResolutionSocket:
    def __new__(
        cls,
        network: Network,
        bind: Address,
        *,
        poll_interval_ns: int,
        send_buffer_length: int = 0,
        receive_buffer_length: int = 0,
    ) -> Self: ...
    @property
    def local_address(self) -> Address: ...
    def take(self) -> tuple[bytes, Address] | None: ...
    def send(self, data: bytes, to: Address) -> bool: ...
    def close(self) -> None: ...
