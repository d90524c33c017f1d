from collections.abc import Callable, Iterable
from typing import Self, final

from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import Network

@final
class MemoryNetwork(Network):
    def __new__(
        cls, intercept: Callable[[Address, Address, bytes], Iterable[bytes]] | None = None
    ) -> Self: ...
    def deliver(
        self, source: Address | tuple[str, int], target: Address | tuple[str, int], data: bytes
    ) -> int: ...
