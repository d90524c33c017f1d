import os
from typing import final

from typing_extensions import disjoint_base

from aeron_cluster.cluster.agent.module_agent import ModuleAgent
from aeron_cluster.cluster.service.service_agent import ServiceAgent
from aeron_cluster.memory.agents.agent import Agent
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.seams import Clock, Files

def create_latency_file(files: Files, path: str | os.PathLike[str], clock: Clock) -> MappedFile: ...
def bucket_of(duration_ns: int) -> int: ...

@disjoint_base
class StageAgent(Agent): ...

@final
class LogStage(StageAgent):
    def __init__(self, mapping: MappedFile, clock: Clock, module: ModuleAgent) -> None: ...

@final
class RecordedStage(StageAgent):
    def __init__(self, mapping: MappedFile, clock: Clock, module: ModuleAgent) -> None: ...

@final
class CommittedStage(StageAgent):
    def __init__(
        self, mapping: MappedFile, clock: Clock, module: ModuleAgent, is_last: bool = False
    ) -> None: ...

@final
class ServiceStage(StageAgent):
    def __init__(self, mapping: MappedFile, clock: Clock, service: ServiceAgent) -> None: ...

@final
class EgressStage(StageAgent):
    def __init__(
        self, mapping: MappedFile, clock: Clock, is_sender_after_service: bool
    ) -> None: ...
