from typing_extensions import disjoint_base

from aeron_cluster.memory.agents.agent import Agent

@disjoint_base
class DatagramAgent(Agent):
    @property
    def free_command_count(self) -> int: ...
