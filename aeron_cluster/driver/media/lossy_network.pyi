from typing import Self, final

from aeron_cluster.memory.system.seams import Network

@final
class LossyNetwork(Network):
    def __new__(cls, inner: Network) -> Self: ...
    def lose_at_random(
        self, rate: float, seed: int, type_mask: int, *, is_outgoing: bool = False
    ) -> None: ...
    def lose_range(self, term_id: int, offset: int, length: int) -> None: ...
    def lose_repeatedly(
        self, term_id: int, radix_bits: int, length: int, last_limit: int
    ) -> None: ...
