"""A cluster node in one process: media driver, archive, consensus module and services.

Upstream: ClusteredMediaDriver together with ClusteredServiceContainer.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self, Unpack, assert_never

from aeron_cluster.archive.archive import Archive
from aeron_cluster.archive.context import ArchiveContext, cluster_checksums
from aeron_cluster.archive.control.conductor_agent import ArchiveConductorAgent
from aeron_cluster.archive.recording.recorder import Recorder
from aeron_cluster.archive.replay.replayer import Replayer
from aeron_cluster.cluster.agent.module_agent import CommitAgent, ModuleAgent
from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
from aeron_cluster.cluster.latency.latency_file import FILE_NAME as LATENCY_FILE_NAME
from aeron_cluster.cluster.latency.stage_agents import (
    CommittedStage,
    EgressStage,
    LogStage,
    RecordedStage,
    ServiceStage,
    create_latency_file,
)
from aeron_cluster.cluster.members.members import Member, any_port, find_member, parse_members
from aeron_cluster.cluster.module.consensus_module import ConsensusModule
from aeron_cluster.cluster.module.start_checks import check_log_buffer, check_room, find_port_in_use
from aeron_cluster.cluster.node_options import NodeOptions
from aeron_cluster.cluster.service.container import ClusteredServiceContainer
from aeron_cluster.cluster.service.container_context import ContainerContext
from aeron_cluster.cluster.service.service_agent import ServiceAgent
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.config import (
    MEMBERSHIP_OPTIONS,
    check_keywords,
    resolve,
    unless_configured,
)
from aeron_cluster.driver.context import DriverContext
from aeron_cluster.driver.control.conductor_agent import ConductorAgent as DriverConductorAgent
from aeron_cluster.driver.control.stream_tracking import StreamTracking
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.driver.receive.receiver import Receiver
from aeron_cluster.driver.send.sender import Sender
from aeron_cluster.driver.streams.raw_log import RawLog
from aeron_cluster.errors import ConfigurationError, RegistrationError, StateError
from aeron_cluster.memory.agents.agent import AgentInvoker
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.memory.system.affinity import check_cpus
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.memory.system.fork import generation, is_forked
from aeron_cluster.memory.system.seams import Seams, UdpNetwork

if TYPE_CHECKING:
    from aeron_cluster.cluster.service.clustered_service import ClusteredService
    from aeron_cluster.cluster.service.native_service import NativeService
    from aeron_cluster.memory.agents.agent import Agent

__all__ = ["ClusterNode", "in_pass_order", "local_member"]

Layout = Literal["one", "two", "each", "none"]
"""The threads of a node; with "none" its user drives its agents."""

_PORTS_A_MEMBER: Final = 10

# One for the conductor to close a publication, and one for the sender.
_LAST_PASSES: Final = 2

# A received message is logged, recorded, committed, applied and answered within one duty cycle.
# Agents with occasional work come before these; first the clients' conductors (all types not
# listed), since agents are closed in reverse order and need their client until then.
_PASS_ORDER: Final[tuple[type[Agent], ...]] = (
    DriverConductorAgent,
    ArchiveConductorAgent,
    Replayer,
    Receiver,
    StreamTracking,
    ModuleAgent,
    LogStage,
    Recorder,
    RecordedStage,
    CommitAgent,
    CommittedStage,
    ServiceAgent,
    ServiceStage,
    Sender,
    EgressStage,
)

# The stages whose agents must share a thread with another agent: they read its state.
_MEASURED: Final[dict[type[Agent], type[Agent]]] = {
    LogStage: ModuleAgent,
    RecordedStage: ModuleAgent,
    CommittedStage: ModuleAgent,
    ServiceStage: ServiceAgent,
    EgressStage: Sender,
}

# Agents with a thread each; the others share the thread of their component.
_ALONE: Final[tuple[type[Agent], ...]] = (Sender, Receiver, Replayer, Recorder)


def local_member(member_id: int = 0, host: str = "localhost", base_port: int = 9000) -> Member:
    """Return a member with five consecutive ports.

    Parameters
    ----------
    member_id : int
        The member id, which also selects its block of ten ports.
    host : str
        The host of its endpoints.
    base_port : int
        The first port of the first member's block: the next is ingress, then consensus, log,
        catch-up and archive.
    """
    first = base_port + _PORTS_A_MEMBER * member_id
    endpoints = ",".join(f"{host}:{first + offset}" for offset in range(1, 6))
    return Member.parse(f"{member_id},{endpoints}")


def in_pass_order(agents: Iterable[Agent]) -> list[Agent]:
    """Return agents in the order in which one thread drives them."""

    def place(agent: Agent) -> int:
        kinds = (isinstance(agent, kind) for kind in _PASS_ORDER)
        return next(itertools.compress(itertools.count(), kinds), -1)

    return sorted(agents, key=place)


class ClusterNode(Closeable):
    """A member of a cluster, with all of its components, in this process.

    Created by `launch`; close it, or use it in a ``with``.

    Attributes
    ----------
    driver : MediaDriver
    archive : Archive
    consensus_module : ConsensusModule
    containers : tuple of ClusteredServiceContainer
        One container for each service.
    member : Member
        The member, with its endpoints.
    directory : str
        The data directory: archive data is in ``archive``, the rest in ``cluster``.

    Notes
    -----
    Any thread may close it. In the child of a fork, closing it does nothing.

    Examples
    --------
    >>> with ClusterNode.launch(Echo(), directory="data") as node:  # doctest: +SKIP
    ...     print("clients connect to", node.member.ingress_endpoint)
    """

    def __init__(
        self,
        services: Sequence[ClusteredService | NativeService],
        directory: str | os.PathLike[str],
        *,
        members: str | Member | None = None,
        member_id: int | None = None,
        threads: Layout = "two",
        idle_strategy: str = "backoff",
        cpus: Sequence[int] = (),
        driver: Mapping[str, Any] | None = None,
        archive: Mapping[str, Any] | None = None,
        consensus_module: Mapping[str, Any] | None = None,
        container: Mapping[str, Any] | None = None,
        seams: Seams | None = None,
        properties: Mapping[str, str] | None = None,
        termination_hook: Callable[[], object] | None = None,
        latency: bool = False,
    ) -> None:
        if not services and not (consensus_module or {}).get("extension"):
            raise ConfigurationError("services", "at least one", "none")
        self.directory = os.fspath(directory)
        self._properties = properties or {}
        self._check_places()
        resolved = resolve(
            MEMBERSHIP_OPTIONS,
            {"cluster_members": members and str(members), "member_id": member_id},
            self._properties,
        )
        self._members = resolved.cluster_members or str(local_member(resolved.member_id))
        self.member = find_member(parse_members(self._members), resolved.member_id)
        self._seams = Seams() if seams is None else seams
        self._threads = threads
        self._idle_strategy = idle_strategy
        self._cpus = tuple(cpus)
        self._termination_hook = termination_hook
        self._generation = generation()
        self._runners: list[AgentRunner] = []
        self._invoker: AgentInvoker | None = None
        # Agents without a thread: a caller that waits for them must drive them.
        self._unassigned_agents: list[Agent] = []
        driver = {**(driver or {}), "threading_mode": "INVOKER", "seams": self._seams}
        archive, consensus_module, container = (
            each or {} for each in (archive, consensus_module, container)
        )
        # invalid options are rejected before anything is created.
        if self._cpus:
            check_cpus(self._cpus)
        self._aeron_dir = DriverContext.of(properties=self._properties, **driver).aeron_dir
        is_driver_new = not self._seams.files.exists(self._aeron_dir)

        def make_contexts() -> tuple[
            ArchiveContext, ConsensusModuleContext, list[ContainerContext]
        ]:
            return (
                self._archive_context(archive),
                self._module_context(consensus_module, len(services)),
                [
                    self._container_context(container, service_id, service)
                    for service_id, service in enumerate(services)
                ],
            )

        contexts = make_contexts()
        # Checked before the components bind their ports; a directory in use is reported in
        # preference.
        self._port_in_use = find_port_in_use(
            self._seams.network,
            self.member,
            has_peers=len(parse_members(self._members)) > 1,
        )
        # A node that cannot be created leaves no new driver directory.
        with contextlib.ExitStack() as undo, contextlib.ExitStack() as stack:
            self.driver = MediaDriver.launch(properties=self._properties, **driver)
            if is_driver_new:
                undo.callback(self._seams.files.remove_tree, self.driver.aeron_dir)
            stack.callback(self.driver.close)
            stack.callback(self._send_remaining)
            if self.driver.aeron_dir != self._aeron_dir:  # a private directory with a new name
                self._aeron_dir = self.driver.aeron_dir
                contexts = make_contexts()
            archive_context, module_context, container_contexts = contexts
            self._unassigned_agents = in_pass_order(self.driver.agents)
            try:
                self.archive = Archive(archive_context)
            except RegistrationError as error:
                raise self._port_in_use or error from error
            stack.callback(self.archive.close)
            self._unassigned_agents = in_pass_order((*self.driver.agents, *self.archive.agents))
            self.consensus_module = ConsensusModule(module_context)
            stack.callback(self.consensus_module.close)
            containers = []
            for context in container_contexts:
                containers.append(ClusteredServiceContainer(context))
                stack.callback(containers[-1].close)
            self.containers = tuple(containers)
            self._stages = self._make_stages(stack) if latency else ()
            self._resources = stack.pop_all()
            undo.pop_all()
        if isinstance(
            self._seams.network, UdpNetwork
        ):  # except in a simulation, which kills processes itself
            # Remove the directory of a node that is still open at the interpreter's exit.
            atexit.register(self.close)

    @classmethod
    def launch(
        cls,
        *services: ClusteredService | NativeService,
        directory: str | os.PathLike[str],
        properties: Mapping[str, str] | None = None,
        **options: Unpack[NodeOptions],
    ) -> Self:
        """Start a node.

        Parameters
        ----------
        *services : ClusteredService or NativeService
            The services, in the order of their service ids from 0.
        directory : path-like
            Its data directory. A restarted node continues from it.
        properties : Mapping of str to str, optional
            Properties by Aeron's names, for options without a keyword.
        **options
            ``members`` : all members as ``id,ingress,consensus,log,catchup,archive``, joined by
            ``|``; by default the property, or only this member, on this machine's ports
            9001 to 9005.
            ``member_id`` : the id of this member; by default the property, or 0.
            ``threads`` : ``"one"``, for a process with only this node; ``"two"`` (the default),
            driver and archive on the first, module and services on the second; ``"each"``, one for
            each agent; ``"none"``, the user drives `agents`, or `invoker`.
            ``idle_strategy`` : the idle strategy of the threads.
            ``cpus`` : the processors to pin the threads to, in order, repeated if there are fewer.
            ``driver``, ``archive``, ``consensus_module``, ``container`` : mappings with more
            keywords of `MediaDriver.launch`, `Archive.launch`, `ConsensusModule.launch` and
            `ClusteredServiceContainer.launch`. Without ``aeron_dir`` among the driver's, it has a
            private directory that is removed with it.
            ``seams`` : time, randomness, network and files; the machine's by default.
            ``latency`` : measure how long the leader's messages take in each stage
            (``docs/metrics.md``).
            ``termination_hook`` : called on an agent's thread when the module or a service ends by
            itself; the node must be closed by another thread.

        Raises
        ------
        ConfigurationError
            An option is invalid.
        DirectoryInUseError
            An active process uses one of the directories.
        PortInUseError
            One of the member's ports is in use.
        InsufficientSpaceError
            There is not enough space for the log, or memory for its buffer.
        CorruptError, VersionError
            A file is damaged or unsupported; nothing is overwritten.
        """
        check_keywords(options, NodeOptions.__annotations__)
        node = cls(services, directory, properties=properties, **options)
        try:
            node._check_start()
            node.start()
        except BaseException:
            node.close()
            raise
        return node

    def _check_start(self) -> None:
        """Raise errors that would otherwise occur only in elections, one after the other."""
        if self._port_in_use is not None:
            raise self._port_in_use
        if isinstance(self._seams.network, UdpNetwork):
            options = self.archive.context.options
            check_room(
                self._seams.files,
                self.archive.context.archive_dir,
                options.low_storage_space_threshold,
            )
            driver = self.driver.context
            if driver.perform_storage_checks:
                channel = ChannelUri.parse(self.consensus_module.context.options.log_channel)
                term_length = channel.size("term-length", driver.term_buffer_length)
                length = RawLog.file_length(term_length, driver.file_page_size)
                check_log_buffer(self._seams.files, self.driver.aeron_dir, length)

    def _check_places(self) -> None:
        """Reject directory properties that differ from the node's: its data would be missing."""
        for name, place in (("aeron.cluster.dir", "cluster"), ("aeron.archive.dir", "archive")):
            expected = f"{self.directory}/{place}"
            found = self._properties.get(name, expected)
            if Path(found).absolute() != Path(expected).absolute():
                raise ConfigurationError(name, f"{expected}, as in the node's directory", found)

    # ---- the parts ----

    def _archive_context(self, given: Mapping[str, Any]) -> ArchiveContext:
        defaults = unless_configured(
            self._properties,
            archive_id=self.member.member_id,
            control_channel=f"aeron:udp?endpoint={self.member.archive_endpoint}",
            replication_channel=f"aeron:udp?endpoint={any_port(self.member.archive_endpoint)}",
            **cluster_checksums(self._properties),
        )
        return ArchiveContext.of(
            properties=self._properties,
            archive_dir=f"{self.directory}/archive",
            **self._node_options({**defaults, **given}),
        )

    def _module_context(
        self, given: Mapping[str, Any], service_count: int
    ) -> ConsensusModuleContext:
        defaults = unless_configured(
            self._properties,
            ingress_channel="aeron:udp",
            replication_channel=f"aeron:udp?endpoint={any_port(self.member.archive_endpoint)}",
        )
        if self._termination_hook is not None:
            defaults["termination_hook"] = self._termination_hook
        return ConsensusModuleContext.of(
            properties=self._properties,
            cluster_dir=f"{self.directory}/cluster",
            cluster_members=self._members,
            member_id=self.member.member_id,
            service_count=service_count,
            **self._node_options({**defaults, **given}),
        )

    def _container_context(
        self, given: Mapping[str, Any], service_id: int, service: ClusteredService | NativeService
    ) -> ContainerContext:
        # No hook: the module ends when a service does, and then the node.
        defaults = unless_configured(self._properties)
        return ContainerContext.of(
            properties=self._properties,
            cluster_dir=f"{self.directory}/cluster",
            service_id=service_id,
            service=service,
            **self._node_options({**defaults, **given}),
        )

    def _node_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return {
            **options,
            "seams": self._seams,
            "aeron_dir": self._aeron_dir,
            "driver_invoker": self._invoke_unassigned_agents,
            "threading_mode": "INVOKER",
        }

    def _make_stages(self, stack: contextlib.ExitStack) -> tuple[Agent, ...]:
        """Return the agents that measure the stages, in the order of a pass."""
        clock = self._seams.clock
        mapping = create_latency_file(
            self._seams.files, f"{self._aeron_dir}/{LATENCY_FILE_NAME}", clock
        )
        # Closed last: the agents do not write any more.
        stack.callback(mapping.close)
        agents = self.consensus_module.agents
        module = next(each for each in agents if isinstance(each, ModuleAgent))
        stages: list[Agent] = [
            LogStage(mapping, clock, module),
            RecordedStage(mapping, clock, module),
            CommittedStage(mapping, clock, module, is_last=not self.containers),
        ]
        if self.containers:
            agents = self.containers[-1].agents
            service = next(each for each in agents if isinstance(each, ServiceAgent))
            is_one_thread = self._threads in ("one", "none")
            stages += [
                ServiceStage(mapping, clock, service),
                EgressStage(mapping, clock, is_sender_after_service=is_one_thread),
            ]
        for stage in stages:
            stack.callback(stage.on_close)
        return tuple(stages)

    def _invoke_unassigned_agents(self) -> None:
        for agent in self._unassigned_agents:
            agent.do_work()

    def _send_remaining(self) -> None:
        """Signal the end of the driver's streams, so that no peer waits for a timeout."""
        for _ in range(_LAST_PASSES):
            for agent in in_pass_order(self.driver.agents):
                try:
                    agent.do_work()
                except Exception as error:  # noqa: BLE001 - it ends in any case
                    self.driver.on_agent_error(agent, error)

    # ---- driving ----

    @property
    def _parts(
        self,
    ) -> tuple[MediaDriver | Archive | ConsensusModule | ClusteredServiceContainer, ...]:
        return (self.driver, self.archive, self.consensus_module, *self.containers)

    def on_agent_error(self, agent: Agent, error: BaseException) -> None:
        """Log and count what one of the agents raised: for the thread that drives them."""
        for part in self._parts:
            if agent in part.agents:
                part.on_agent_error(agent, error)

    @property
    def agents(self) -> tuple[Agent, ...]:
        """All agents, in the order of a duty cycle on one thread."""
        own = (agent for part in self._parts for agent in part.agents)
        return tuple(in_pass_order((*own, *self._stages)))

    @property
    def invoker(self) -> AgentInvoker:
        """The invoker that drives all agents, with ``threads="none"``.

        Raises
        ------
        StateError
            The node has threads.
        """
        if self._threads != "none":
            raise StateError(f"cluster node: threads {self._threads!r} have no invoker")
        if self._invoker is None:
            self._invoker = AgentInvoker(
                self.agents, error_handler=self.on_agent_error, clock=self._seams.clock
            )
        return self._invoker

    def start(self) -> None:
        """Start the threads."""
        cpus = itertools.cycle([(each,) for each in self._cpus] or [None])
        runners = [
            AgentRunner(
                in_pass_order(agents),
                idle_strategy=self._idle_strategy,
                name=name,
                cpus=cpu,
                error_handler=self.on_agent_error,
                clock=self._seams.clock,
            )
            for (name, agents), cpu in zip(self._groups(), cpus, strict=False)
        ]
        if runners:
            self._unassigned_agents.clear()
        for runner in runners:
            self._runners.append(runner)
            runner.start()

    def _groups(self) -> list[tuple[str, Iterable[Agent]]]:
        """Return the name and the agents of each thread."""
        match self._threads:
            case "none":
                return []
            case "one":
                return [("cluster-node", self.agents)]
            case "two":
                below = (*self.driver.agents, *self.archive.agents)
                above = itertools.chain(*(each.agents for each in self._parts[2:]))
                return [
                    ("driver+archive", self._with_stages(below)),
                    ("cluster", self._with_stages(above)),
                ]
            case "each":
                groups: list[tuple[str, Iterable[Agent]]] = []
                for part, name in zip(self._parts, self._part_names(), strict=True):
                    shared = [one for one in part.agents if not _is_alone(one)]
                    groups.append((name, self._with_stages(shared)))
                    groups += [
                        (one.role_name, self._with_stages((one,)))
                        for one in part.agents
                        if _is_alone(one)
                    ]
                return groups
            case _:
                assert_never(self._threads)

    def _with_stages(self, agents: Iterable[Agent]) -> list[Agent]:
        """Return a thread's agents with those that measure their stages."""
        found = list(agents)
        for stage in self._stages:
            kind = _MEASURED[type(stage)]
            # Of several services the last one is measured.
            whole = self.containers[-1].agents if kind is ServiceAgent else found
            if any(isinstance(each, kind) and each in whole for each in found):
                found.append(stage)
        return found

    def _part_names(self) -> tuple[str, ...]:
        services = (f"service-{each.context.service_id}" for each in self.containers)
        return ("driver-conductor", "archive-conductor", "consensus-module", *services)

    @property
    def is_running(self) -> bool:
        """Whether all threads run; False if one ended, and before `start` or after `close`."""
        return bool(self._runners) and all(each.is_running for each in self._runners)

    @property
    def failure(self) -> BaseException | None:
        """The error of an unexpectedly ended thread, or None; also None after a shutdown."""
        for container in self.containers:
            if container.failure is not None and not container.failure.is_expected:
                return container.failure
        for runner in self._runners:
            if runner.unexpected_end is not None:
                return runner.unexpected_end
        return None

    def __repr__(self) -> str:
        return f"<ClusterNode member {self.member.member_id} in {self.directory}>"

    # ---- the end ----

    def close(self) -> None:
        """Stop the threads, then close the services, the module, the archive and the driver.

        In the child of a fork it does nothing: the node belongs to the parent.
        """
        if is_forked(self._generation):
            return
        for runner in reversed(self._runners):
            runner.close()
        if self._invoker is not None:
            self._invoker.close()
        self._unassigned_agents = in_pass_order(self.driver.agents)
        self._resources.close()
        atexit.unregister(self.close)


def _is_alone(agent: Agent) -> bool:
    return isinstance(agent, _ALONE)
