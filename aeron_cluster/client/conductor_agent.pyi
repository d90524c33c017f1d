from enum import IntEnum
from typing import final

from aeron_cluster.client.conductor import ClientConductor
from aeron_cluster.memory.agent import Agent
from aeron_cluster.memory.cnc_file import CncFile
from aeron_cluster.memory.seams import Clock

class ConductorNews(IntEnum):
    NO_NEWS = 0
    HEARTBEAT_FOUND = 1
    HEARTBEAT_LOST = 2
    DRIVER_CLOSED = 3
    DRIVER_TIMED_OUT = 4
    SERVICE_GAP = 5

@final
class ConductorAgent(Agent):
    def __init__(
        self,
        cnc: CncFile,
        clock: Clock,
        conductor: ClientConductor,
        *,
        client_id: int,
        keepalive_interval_ns: int,
        driver_timeout_ns: int,
    ) -> None: ...
    @property
    def role_name(self) -> str: ...
    @property
    def gap_ns(self) -> int: ...
    @property
    def gap_limit_ns(self) -> int: ...
    @property
    def heartbeat_id(self) -> int: ...
    def on_close(self) -> None: ...
    def set_deadline(self, deadline_ns: int) -> None: ...
    def keep_alive(self) -> None: ...
    def take_news(self) -> ConductorNews: ...
    def append_to_heartbeat_label(self, text: bytes) -> None: ...
    def receive(self) -> bool: ...
    def close(self) -> None: ...
