from aeron_cluster.memory.agents.agent import (
    Agent as Agent,
)
from aeron_cluster.memory.agents.agent import (
    AgentInvoker as AgentInvoker,
)
from aeron_cluster.memory.agents.agent import (
    PythonAgent as PythonAgent,
)
from aeron_cluster.memory.agents.agent_runner import AgentRunner as AgentRunner
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy as IdleStrategy
from aeron_cluster.memory.shared.cnc_file import CncFile as CncFile
from aeron_cluster.memory.shared.counters import CountersReader as CountersReader
from aeron_cluster.memory.system.affinity import parse_cpus as parse_cpus
from aeron_cluster.memory.system.seams import (
    Seams as Seams,
)
from aeron_cluster.memory.system.seams import (
    SystemFiles as SystemFiles,
)
from aeron_cluster.memory.system.signals import ShutdownSignalBarrier as ShutdownSignalBarrier

__all__ = [
    "Agent",
    "AgentInvoker",
    "AgentRunner",
    "CncFile",
    "CountersReader",
    "IdleStrategy",
    "PythonAgent",
    "Seams",
    "ShutdownSignalBarrier",
    "SystemFiles",
    "parse_cpus",
]
