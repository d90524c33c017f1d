"""Virtual time, seeded network and disk behind the same seams."""

from aeron_cluster.exports import export

__all__, __getattr__, __dir__ = export(
    __name__,
    {
        "errors": (
            "CallbackPlace",
            "FailedSeedError",
        ),
        "simulator.checks.invariants": ("standard_checkers",),
        "simulator.clients.client": (
            "Load",
            "Response",
        ),
        "simulator.cluster": (
            "Checker",
            "Cluster",
        ),
        "simulator.faults.fault_plan": ("FaultPlan",),
        "simulator.trials.check": ("check",),
        "simulator.trials.outcome": ("Outcome",),
        "simulator.trials.settings": ("Settings",),
        "simulator.trials.shrinking": ("shrink",),
        "simulator.trials.trial": ("run_trial",),
        "simulator.world.link_faults": ("LinkFaults",),
    },
)
