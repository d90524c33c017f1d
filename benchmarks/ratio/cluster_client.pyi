from array import array
from typing import Self

from aeron_cluster.client.publication import ExclusivePublication
from aeron_cluster.client.subscription import Subscription
from aeron_cluster.memory.agents.agent import Agent

class EchoSession:
    def __new__(
        cls,
        ingress: ExclusivePublication,
        egress: Subscription,
        leadership_term_id: int,
        cluster_session_id: int,
        size: int,
        wait: str,
        agents: tuple[Agent, ...],
    ) -> Self: ...
    def close(self) -> None: ...
    def echo(self, count: int, window: int, timeout_ns: int, rate: int = 0) -> array[int]: ...
