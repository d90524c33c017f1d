"""The settings of connections to the cluster into which rows are written.

No counterpart in Aeron.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from aeron_cluster.cluster.security.file_credentials import FileCredentials
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.cluster.tools.membership import query_membership
from aeron_cluster.memory.system.seams import Seams

__all__ = ["ClusterTarget", "locate"]

_ANY_PORT: Final = "aeron:udp?endpoint=localhost:0"
_S: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class ClusterTarget:
    """The settings of connections to a cluster, for each writing machine.

    Parameters
    ----------
    ingress_channel : str
    ingress_endpoints : str, optional
        ``id=host:port`` separated by commas; not for IPC.
    egress_channel : str
        The egress channel of a machine; port 0: any free port.
    aeron_dir : str, optional
        The directory of the driver on each writing machine.
    credentials_file : str, optional
        The file of credentials on each writing machine.
    timeout_ns : int
        How long to wait for a message of the cluster.
    """

    ingress_channel: str = "aeron:udp"
    ingress_endpoints: str | None = None
    egress_channel: str = _ANY_PORT
    aeron_dir: str | None = None
    credentials_file: str | None = None
    timeout_ns: int = 30 * _S

    def client_options(self, seams: Seams) -> dict[str, Any]:
        """Return the arguments of a client of the cluster.

        Raises
        ------
        AccessFileError
            The file of credentials is invalid.
        """
        options: dict[str, Any] = {
            "ingress_channel": self.ingress_channel,
            "egress_channel": self.egress_channel,
            "client_name": "aeron-cluster-pipeline",
        }
        if self.ingress_endpoints is not None:
            options["ingress_endpoints"] = self.ingress_endpoints
        if self.aeron_dir is not None:
            options["aeron_dir"] = self.aeron_dir
        if self.credentials_file is not None:
            options["credentials"] = FileCredentials(seams.files, self.credentials_file)
        return options


def locate(seams: Seams, cluster_dir: str, target: ClusterTarget) -> ClusterTarget:
    """Complete a target from a running member on this machine.

    Parameters
    ----------
    seams : Seams
    cluster_dir : str
        The member's cluster directory.
    target : ClusterTarget
        The target; its given values are kept.

    Raises
    ------
    TimeoutExpiredError
        The member is not running, or does not answer.
    MissingFileError, CorruptError, VersionError, DriverTimeoutError, StateError
        The directory is not a member's, or its driver has ended.
    """
    component = ClusterDirectory(cluster_dir, seams).started_component(target.timeout_ns)
    endpoints = target.ingress_endpoints
    if endpoints is None:
        members = query_membership(seams, component, target.timeout_ns).active_members
        endpoints = ",".join(f"{each.member_id}={each.ingress_endpoint}" for each in members)
    aeron_dir = target.aeron_dir or component.header.aeron_directory
    return replace(target, ingress_endpoints=endpoints, aeron_dir=aeron_dir)
