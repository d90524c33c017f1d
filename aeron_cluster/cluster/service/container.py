"""A container that runs a clustered service, driven by a consensus module's log.

``io.aeron.cluster.service.ClusteredServiceContainer``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Self, Unpack

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.client.context import ClientContext
from aeron_cluster.cluster.service.checkpoint import divergence_file_name
from aeron_cluster.cluster.service.container_context import ContainerContext
from aeron_cluster.cluster.service.divergence_guard import DivergenceGuard
from aeron_cluster.cluster.service.service_conductor import ServiceConductor
from aeron_cluster.cluster.service.service_counters import ServiceCounters
from aeron_cluster.cluster.state.mark_file import ClusterMarkFile, MarkFileContent, link_mark_file
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.errors import AgentTerminationError, CorruptError
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.memory.agents.component import Component, started
from aeron_cluster.memory.agents.guarded_handler import guarded_handler
from aeron_cluster.memory.system.file_access import check_directory

if TYPE_CHECKING:
    from aeron_cluster.cluster.service.cluster import Cluster
    from aeron_cluster.cluster.service.options import ServiceContainerOptions
    from aeron_cluster.memory.agents.agent import Agent

__all__ = ["ClusteredServiceContainer"]


class ClusteredServiceContainer(Component):
    """Runs one service of a member.

    Created by `launch`; close it, or use it in a ``with``.

    Attributes
    ----------
    context : ContainerContext
        The options.

    Notes
    -----
    Any thread may close it. It ends when the consensus module requests it or ends, when the service
    cannot be started, and when a callback raises an `AgentTerminationError`; then the context's
    ``termination_hook`` is called. In the child of a fork it counts as closed.
    """

    KIND = "service container"

    def __init__(self, context: ContainerContext) -> None:
        self.context = context
        self._damages: list[CorruptError] = []
        super().__init__()

    @classmethod
    def launch(
        cls,
        *,
        properties: Mapping[str, str] | None = None,
        **options: Unpack[ServiceContainerOptions],
    ) -> Self:
        """Start a container on a running driver; the consensus module may start later.

        Parameters
        ----------
        properties : Mapping of str to str, optional
            Properties by Aeron's names, for options without a keyword.
        **options
            The keywords of ``SERVICE_CONTAINER_OPTIONS`` (``aeron_dir``, ``cluster_dir``,
            ``service_id`` and so on) and the fields of `ContainerContext`: ``service`` first.

        Raises
        ------
        ConfigurationError
            An option is invalid.
        DirectoryInUseError
            An active container uses the directory and service id.
        CorruptError, VersionError
            The mark file belongs to another component; nothing is overwritten.
        DriverTimeoutError
            No active driver was found.
        """
        return started(cls(ContainerContext.of(properties=properties, **options)))

    def _open(self, stack: contextlib.ExitStack) -> None:
        context = self.context
        context.error_handler = guarded_handler(context.error_handler)
        options, seams = context.options, context.seams
        for directory in (context.cluster_dir, context.mark_file_dir):
            # It is also the module's directory.
            check_directory(seams.files, directory, "cluster directory", is_warned=False)
            seams.files.make_directory(directory, parents=True)
        aeron = self._connect(stack)
        archive = context.local_archive(aeron, context.error_handler)
        mark_file = ClusterMarkFile.claim(
            seams.files,
            context.mark_file_dir,
            MarkFileContent(
                component_type=ClusterComponentType.CONTAINER,
                cluster_id=context.cluster_id,
                service_id=context.service_id,
                archive_stream_id=archive.control_stream_id,
                service_stream_id=options.service_stream_id,
                consensus_module_stream_id=options.consensus_module_stream_id,
                aeron_directory=aeron.context.aeron_dir,
                control_channel=options.control_channel,
                service_name=context.service_name,
            ),
            clock=seams.clock,
            error_buffer_length=options.service_error_buffer_length,
            processes=seams.processes,
        )
        stack.push(mark_file.end)
        link_mark_file(seams.files, context.cluster_dir, context.mark_file_dir, context.service_id)
        counters = ServiceCounters.add(context, aeron)
        self._guard = self._open_guard(stack)
        self._conductor = ServiceConductor(
            context,
            aeron,
            mark_file,
            counters,
            self._guard,
            aeron.add_publication(options.control_channel, options.consensus_module_stream_id),
            aeron.add_subscription(options.control_channel, options.service_stream_id),
        )
        self._conductor.agent.set_cycle_counters(
            counters.max_cycle_time,
            counters.cycle_time_exceeded,
            options.service_cycle_threshold_ns,
        )
        self._aeron = aeron
        for error in self._damages:
            self._conductor.report(error)
        mark_file.signal_ready()

    def _open_guard(self, stack: contextlib.ExitStack) -> DivergenceGuard | None:
        context = self.context
        if context.options.divergence_interval == 0:
            return None
        files = context.seams.files
        path = f"{context.cluster_dir}/{divergence_file_name(context.service_id)}"
        open_guard = partial(
            DivergenceGuard.open,
            files,
            path,
            cluster_id=context.cluster_id,
            service_id=context.service_id,
            interval=context.options.divergence_interval,
        )
        try:
            guard = open_guard()
        except CorruptError as error:
            # A failing diagnostic does not prevent the start.
            files.rename(path, f"{path}.damaged")
            self._damages.append(error)
            guard = open_guard()
        stack.callback(guard.close)
        return guard

    def _connect(self, stack: contextlib.ExitStack) -> Aeron:
        context = self.context
        if context.aeron is not None:
            return context.aeron
        aeron = Aeron(
            ClientContext.of(
                aeron_dir=context.options.aeron_dir,
                client_name=context.service_name,
                seams=context.seams,
                use_conductor_invoker=True,
                driver_invoker=context.driver_invoker,
                error_handler=self._report,
            )
        )
        stack.callback(aeron.close)
        return aeron

    def _report(self, error: Exception) -> None:
        self._conductor.on_client_error(error)

    # ---- driving ----

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The agents, in the order of a duty cycle on one thread: the client's, then the service's.

        For a container with ``threading_mode="INVOKER"`` whose user drives them among other agents.
        """
        return (self._aeron.conductor_agent, self._conductor.agent)

    @property
    def threading_mode(self) -> str:
        """``"SHARED"`` (a thread of its own), or ``"INVOKER"`` (its user drives its agents)."""
        return self.context.threading_mode

    def _make_runners(self) -> Iterable[AgentRunner]:
        return self._one_runner(self.context.options.idle_strategy, self.context.service_name)

    # ---- state ----

    @property
    def cluster(self) -> Cluster:
        """The `Cluster` passed to the service; other threads may only read it."""
        return self._conductor.agent.cluster

    @property
    def divergence_guard(self) -> DivergenceGuard | None:
        """The guard that hashes the service's effects, if ``divergence_interval`` is set."""
        return self._guard

    @property
    def is_terminated(self) -> bool:
        """Whether it ended without `close`."""
        return self._conductor.failure is not None

    @property
    def failure(self) -> AgentTerminationError | None:
        """The error with which it ended without `close`, or None."""
        return self._conductor.failure

    def __repr__(self) -> str:
        state = " closed" if self._is_closed else " terminated" if self.is_terminated else ""
        return f"<ClusteredServiceContainer {self.context.service_name}{state}>"

    def _end(self) -> None:
        self._conductor.close()
