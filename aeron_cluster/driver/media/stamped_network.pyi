from typing import Self, final

from aeron_cluster.memory.system.seams import Clock, Network

RESERVED_OFFSET: int

@final
class StampedNetwork(Network):
    def __new__(
        cls,
        inner: Network,
        clock: Clock,
        *,
        send_offset: int | None = None,
        receive_offset: int | None = None,
        media_receive_offset: int | None = None,
    ) -> Self: ...
