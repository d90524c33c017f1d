"""Virtual time, seeded network and disk behind the same seams."""

from aeron_cluster.simulator.checks.invariants import standard_checkers
from aeron_cluster.simulator.clients.client import Load
from aeron_cluster.simulator.cluster import Checker, Cluster

__all__ = ["Checker", "Cluster", "Load", "standard_checkers"]
