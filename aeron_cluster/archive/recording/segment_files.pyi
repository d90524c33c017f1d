from typing import Self, final

from aeron_cluster.memory.agent import Agent
from aeron_cluster.memory.seams import Files

@final
class SegmentFiles(Agent):
    def __new__(cls, files: Files, directory: str) -> Self: ...
