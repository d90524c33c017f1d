"""Layouts of a member's processes: one for everything, or one for each component."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, get_args

from aeron_cluster.archive.archive import Archive
from aeron_cluster.archive.context import ArchiveContext
from aeron_cluster.cluster.assembly import ClusterNode
from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
from aeron_cluster.cluster.members.members import find_member, parse_members
from aeron_cluster.cluster.module.consensus_module import ConsensusModule
from aeron_cluster.cluster.service.container import ClusteredServiceContainer
from aeron_cluster.cluster.service.container_context import ContainerContext
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AgentTerminationError

if TYPE_CHECKING:
    from aeron_cluster.cluster.service.clustered_service import ClusteredService
    from aeron_cluster.cluster.service.native_service import NativeService
    from aeron_cluster.memory.agents.agent import Agent
    from aeron_cluster.memory.system.seams import Seams

__all__ = [
    "DRIVERS",
    "LAYOUTS",
    "Layout",
    "Part",
    "PlannedMember",
    "ProcessPlan",
    "module_of",
    "plan_processes",
]

Layout = Literal["node", "apart"]
LAYOUTS: Final = get_args(Layout)
DRIVERS: Final = ("driver", "node")
"""The names of processes of members that have a media driver."""


class Part(Protocol):
    """A component of a process."""

    @property
    def agents(self) -> tuple[Agent, ...]:
        """Its agents, in the order of a duty cycle."""

    def on_agent_error(self, agent: Agent, error: BaseException) -> None:
        """Handle an exception of one of them."""

    def close(self) -> None:
        """End it in order."""


class PlannedMember(Protocol):
    """The interface of a `Member` for its processes."""

    @property
    def member_id(self) -> int:
        """The member id."""

    @property
    def options(self) -> dict[str, Any]:
        """The keywords of `ClusterNode.launch`."""

    def make_service(self, service_id: int, /) -> ClusteredService | NativeService:
        """Create one of its services."""

    def make_services(self) -> tuple[ClusteredService | NativeService, ...]:
        """Create all services of a process that has them all."""

    def run_driver(self) -> None:
        """Advance time with all other processes, while one waits for another's driver."""


@dataclass(frozen=True)
class ProcessPlan:
    """The start of one of a member's processes.

    Parameters
    ----------
    name : str
    launch : callable
        Creates the component from the seams of the process.
    needs_driver : bool
        Whether it uses the driver of another process.
    """

    name: str
    launch: Callable[[Seams], Part]
    needs_driver: bool = True


def plan_processes(
    layout: Layout, member: PlannedMember, service_count: int
) -> tuple[ProcessPlan, ...]:
    """Return the processes of a member, in the order in which they are started.

    Parameters
    ----------
    layout : str
        ``node``: one process with everything. ``apart``: media driver, archive, consensus module
        and each service container are processes of their own.
    member : PlannedMember
    service_count : int
    """
    if layout == "node":
        return (ProcessPlan("node", partial(_node, member), needs_driver=False),)
    return (
        ProcessPlan("driver", partial(_driver, member), needs_driver=False),
        ProcessPlan("archive", partial(_archive, member)),
        ProcessPlan("module", partial(_module, member, service_count)),
        *(
            ProcessPlan(f"service-{each}", partial(_container, member, each))
            for each in range(service_count)
        ),
    )


def module_of(part: Part) -> ConsensusModule | None:
    """Return the consensus module of a process's component, or None."""
    if isinstance(part, ClusterNode):
        return part.consensus_module
    return part if isinstance(part, ConsensusModule) else None


def _node(member: PlannedMember, seams: Seams) -> ClusterNode:
    return ClusterNode.launch(*member.make_services(), **member.options, seams=seams)


def _driver(member: PlannedMember, seams: Seams) -> MediaDriver:
    options = {**member.options["driver"], "threading_mode": "INVOKER"}
    return MediaDriver.launch(seams=seams, **options)


def _archive(member: PlannedMember, seams: Seams) -> Archive:
    options = member.options
    own = find_member(parse_members(options["members"]), member.member_id)
    return Archive(
        ArchiveContext.of(
            archive_dir=f"{options['directory']}/archive",
            archive_id=member.member_id,
            control_channel=f"aeron:udp?endpoint={own.archive_endpoint}",
            **_client_options(member, seams),
            **options["archive"],
        )
    )


def _module(member: PlannedMember, service_count: int, seams: Seams) -> ConsensusModule:
    options = member.options
    return ConsensusModule(
        ConsensusModuleContext.of(
            cluster_dir=f"{options['directory']}/cluster",
            cluster_members=options["members"],
            member_id=member.member_id,
            service_count=service_count,
            **_client_options(member, seams),
            **{"ingress_channel": "aeron:udp", **options["consensus_module"]},
        )
    )


def _container(member: PlannedMember, service_id: int, seams: Seams) -> ClusteredServiceContainer:
    options = member.options
    return ClusteredServiceContainer(
        ContainerContext.of(
            cluster_dir=f"{options['directory']}/cluster",
            service_id=service_id,
            service=member.make_service(service_id),
            **_client_options(member, seams),
            **{"termination_hook": _end_process, **options["container"]},
        )
    )


def _end_process() -> None:
    # With another process's driver, the end of a container must end its own process.
    raise AgentTerminationError("the service container has ended")


def _client_options(member: PlannedMember, seams: Seams) -> dict[str, Any]:
    return {
        "seams": seams,
        "aeron_dir": member.options["driver"]["aeron_dir"],
        "driver_invoker": member.run_driver,
        "threading_mode": "INVOKER",
    }
