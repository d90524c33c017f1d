from typing import Generic, Self, TypeVar

from typing_extensions import disjoint_base

from aeron_cluster.client.counter import Counter
from aeron_cluster.memory.agents.agent import Agent

_S = TypeVar("_S", bound=Session)

@disjoint_base
class PathBuffer:
    def __new__(cls, directory: str) -> Self: ...

@disjoint_base
class Session: ...

@disjoint_base
class SessionAgent(Agent, Generic[_S]):
    def set_cycle_counters(
        self, max_time: Counter, exceeded: Counter, threshold_ns: int
    ) -> None: ...
    @property
    def session_count(self) -> int: ...
    @property
    def has_finished(self) -> bool: ...
    def add(self, session: _S) -> None: ...
    def take_finished(self) -> list[_S]: ...
