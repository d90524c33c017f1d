from typing import Self, final

from aeron_cluster.memory.seams import Clock

@final
class StepWatch:
    def __new__(cls, clock: Clock, timeout_ns: int) -> Self: ...
    def now_ms(self) -> int: ...
