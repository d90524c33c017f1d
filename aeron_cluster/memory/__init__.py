"""Mapped memory, atomics, ring buffers, counters, clocks, agents and the seams."""

from aeron_cluster.exports import export

__all__, __getattr__, __dir__ = export(
    __name__,
    {
        "memory.agents.agent": (
            "Agent",
            "AgentInvoker",
            "PythonAgent",
        ),
        "memory.agents.agent_runner": ("AgentRunner",),
        "memory.agents.idle_strategy": ("IdleStrategy",),
        "memory.shared.cnc_file": ("CncFile",),
        "memory.shared.counters": ("CountersReader",),
        "memory.system.affinity": ("parse_cpus",),
        "memory.system.seams": (
            "Seams",
            "SystemFiles",
        ),
        "memory.system.signals": ("ShutdownSignalBarrier",),
    },
)
