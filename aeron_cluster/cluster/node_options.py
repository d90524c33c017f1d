"""The types of the options of a node, by keyword."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aeron_cluster.archive.options import ArchiveOptions
    from aeron_cluster.cluster.context.options import ConsensusModuleOptions
    from aeron_cluster.cluster.members.members import Member
    from aeron_cluster.cluster.service.options import ServiceContainerOptions
    from aeron_cluster.driver.options import DriverOptions
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["NodeOptions"]


class NodeOptions(TypedDict, total=False):
    """The options of `ClusterNode.launch` other than the services and their directory."""

    members: str | Member | None
    """All members, as ``id,ingress,consensus,log,catchup,archive`` joined by ``|``."""
    member_id: int | None
    """The id of this member."""
    threads: Literal["one", "two", "each", "none"]
    """The number of its threads."""
    idle_strategy: str
    """The idle strategy of the threads."""
    cpus: Sequence[int]
    """The processors to pin the threads to, in order, repeated if there are fewer."""
    driver: DriverOptions | None
    """More options of the media driver."""
    archive: ArchiveOptions | None
    """More options of the archive."""
    consensus_module: ConsensusModuleOptions | None
    """More options of the consensus module."""
    container: ServiceContainerOptions | None
    """More options of each service's container."""
    seams: Seams | None
    """Time, randomness, network and files; by default the system's."""
    latency: bool
    """Whether to measure how long the leader's messages take in each stage."""
    termination_hook: Callable[[], object] | None
    """Called on an agent's thread when the module or a service ends by itself."""
