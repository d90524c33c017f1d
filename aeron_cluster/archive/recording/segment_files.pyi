from typing import Self, final

from aeron_cluster.memory.agents.agent import Agent
from aeron_cluster.memory.system.seams import Files

@final
class SegmentFiles(Agent):
    def __new__(cls, files: Files, directory: str) -> Self: ...
