from enum import IntEnum
from typing import Self

from typing_extensions import disjoint_base

from aeron_cluster.config import Duration

class IdleKind(IntEnum):
    BUSY_SPIN = 0
    YIELDING = 1
    BACKOFF = 2
    SLEEPING = 3
    NO_OP = 4

def idle_kind(name: str) -> IdleKind: ...

@disjoint_base
class IdleStrategy:
    def __new__(
        cls,
        name: str = "backoff",
        *,
        max_spins: int = 10,
        max_yields: int = 20,
        min_park_period_ns: Duration = 1_000,
        max_park_period_ns: Duration = 1_000_000,
        sleep_period_ns: Duration = 1_000,
    ) -> Self: ...
    @property
    def kind(self) -> IdleKind: ...
    def idle(self, work_count: int = 0) -> None: ...
    def reset(self) -> None: ...

def as_strategy(given: IdleStrategy | str, option: str = ...) -> IdleStrategy: ...
