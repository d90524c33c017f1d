from aeron_cluster.errors import (
    CallbackPlace as CallbackPlace,
)
from aeron_cluster.errors import (
    FailedSeedError as FailedSeedError,
)
from aeron_cluster.simulator.checks.invariants import standard_checkers as standard_checkers
from aeron_cluster.simulator.clients.client import (
    Load as Load,
)
from aeron_cluster.simulator.clients.client import (
    Response as Response,
)
from aeron_cluster.simulator.cluster import (
    Checker as Checker,
)
from aeron_cluster.simulator.cluster import (
    Cluster as Cluster,
)
from aeron_cluster.simulator.faults.fault_plan import FaultPlan as FaultPlan
from aeron_cluster.simulator.trials.check import check as check
from aeron_cluster.simulator.trials.outcome import Outcome as Outcome
from aeron_cluster.simulator.trials.settings import Settings as Settings
from aeron_cluster.simulator.trials.shrinking import shrink as shrink
from aeron_cluster.simulator.trials.trial import run_trial as run_trial
from aeron_cluster.simulator.world.link_faults import LinkFaults as LinkFaults

__all__ = [
    "CallbackPlace",
    "Checker",
    "Cluster",
    "FailedSeedError",
    "FaultPlan",
    "LinkFaults",
    "Load",
    "Outcome",
    "Response",
    "Settings",
    "check",
    "run_trial",
    "shrink",
    "standard_checkers",
]
