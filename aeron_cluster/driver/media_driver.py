"""A media driver in this process.

``io.aeron.driver.MediaDriver``.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import sys
from functools import partial
from typing import TYPE_CHECKING, Final, Self, Unpack

from aeron_cluster.driver.clients.client_proxy import ClientProxy
from aeron_cluster.driver.context import DriverContext
from aeron_cluster.driver.control.announced_names import AnnouncedNames
from aeron_cluster.driver.control.conductor import Conductor
from aeron_cluster.driver.control.conductor_agent import ConductorAgent
from aeron_cluster.driver.control.error_recorder import ErrorRecorder
from aeron_cluster.driver.control.name_resolution import NameResolver
from aeron_cluster.driver.control.stream_factory import StreamFactory
from aeron_cluster.driver.control.stream_tracking import StreamTracking
from aeron_cluster.driver.directory import (
    LOSS_REPORT_FILE,
    claim_directory,
)
from aeron_cluster.driver.media.interceptors import Interceptors
from aeron_cluster.driver.media.name_table import NameTable
from aeron_cluster.driver.private_directories import private_directory, remove_abandoned
from aeron_cluster.driver.receive.loss_report import LossReport
from aeron_cluster.driver.receive.receiver import Receiver
from aeron_cluster.driver.send.sender import Sender
from aeron_cluster.driver.streams.driver_counters import DriverCounters
from aeron_cluster.driver.streams.log_factory import LogFactory
from aeron_cluster.driver.streams.log_pages import PageAllocator
from aeron_cluster.driver.streams.system_counters import SystemCounters
from aeron_cluster.events.codes import ComponentType
from aeron_cluster.events.recorder import EventOptions, EventRecorder
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.memory.agents.component import Component, started
from aeron_cluster.memory.shared.cnc_file import CNC_FILE_NAME, CncFile
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.seams import UdpNetwork

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from aeron_cluster.driver.options import DriverOptions
    from aeron_cluster.memory.agents.agent import Agent
    from aeron_cluster.memory.shared.counters import CountersManager

__all__ = ["MediaDriver"]

_log = logging.getLogger(__name__)
_CLOSED_HEARTBEAT: Final = -1


class MediaDriver(Component):
    """Moves messages between processes of this machine and other machines.

    Created by `launch`; close it, or use it in a ``with``.

    Attributes
    ----------
    aeron_dir : str
        The directory in which clients find it.
    context : DriverContext
        The options.

    Notes
    -----
    Any thread may close it. In the child of a fork, closing it does nothing.
    """

    KIND = "media driver"

    def __init__(self, context: DriverContext) -> None:
        self.context = context
        self._interceptors = Interceptors(context)
        self._seams = seams = context.seams
        self._is_private = not context.is_given("aeron_dir")
        self.aeron_dir: str = (
            private_directory(seams.random) if self._is_private else context.aeron_dir
        )
        super().__init__()
        if self._is_private and isinstance(seams.network, UdpNetwork):
            # Remove the directory of a driver that is still open at the interpreter's exit.
            atexit.register(self.close)

    @classmethod
    def launch(
        cls, *, properties: Mapping[str, str] | None = None, **options: Unpack[DriverOptions]
    ) -> Self:
        """Start a driver.

        Parameters
        ----------
        properties : Mapping of str to str, optional
            Properties by Aeron's names, for options without a keyword.
        **options
            The keywords of ``DRIVER_OPTIONS``, such as ``threading_mode="SHARED"``, and of
            `DriverContext`: ``seams``, ``environment``, ``termination_hook`` (it must be closed by
            another thread). Without ``aeron_dir`` the driver has a private directory, which is
            removed on close; directories left by killed processes of this user are removed too.

        Raises
        ------
        ConfigurationError
            An invalid option.
        DirectoryInUseError
            An active driver uses the directory.
        InsufficientSpaceError
            There is no space for the driver's files.
        """
        return started(cls(DriverContext.of(properties=properties, **options)))

    def _open(self, stack: contextlib.ExitStack) -> None:
        context, seams = self.context, self._seams
        if self._is_private:
            remove_abandoned(seams.files, seams.processes)
        claim_directory(seams.files, context, self.aeron_dir, seams.clock, seams.processes)
        stack.callback(self._remove_directory)
        cnc = stack.enter_context(
            CncFile.create(
                seams.files,
                f"{self.aeron_dir}/{CNC_FILE_NAME}",
                to_driver_buffer_length=context.conductor_buffer_length,
                to_clients_buffer_length=context.clients_buffer_length,
                counters_values_buffer_length=context.counters_buffer_length,
                error_log_buffer_length=context.error_buffer_length,
                client_liveness_timeout_ns=context.client_liveness_timeout_ns,
                start_timestamp_ms=seams.clock.epoch_ms(),
                pid=seams.processes.own_identity().pid,
                file_page_size=context.file_page_size,
            )
        )
        loss_file = stack.enter_context(
            MappedFile.create(
                seams.files,
                f"{self.aeron_dir}/{LOSS_REPORT_FILE}",
                context.loss_report_buffer_length,
            )
        )
        loss_report = LossReport(loss_file)
        stack.callback(loss_report.close)
        self._cnc = cnc
        self._ring = ring = cnc.to_driver()
        stack.callback(ring.close)
        transmitter = cnc.to_clients_transmitter()
        stack.callback(transmitter.close)
        reuse_timeout_ms = max(1, context.counters_free_to_reuse_timeout_ns // 1_000_000)
        self._manager: CountersManager = cnc.counters_manager(reuse_timeout_ms)
        stack.callback(self._manager.close)
        error_log = cnc.error_log()
        stack.callback(error_log.close)
        counters = DriverCounters(
            self._manager, seams.clock, partial(cnc.make_counters_room, seams.files)
        )
        system_counters = SystemCounters(counters, context)
        system_counters.add(
            SystemCounter.SYSTEM_BYTES_CURRENTLY_MAPPED,
            cnc.length + context.loss_report_buffer_length,
        )
        self._errors = ErrorRecorder(error_log, system_counters, seams.clock)
        events = EventRecorder.open(
            stack,
            ComponentType.DRIVER,
            self.aeron_dir,
            seams,
            EventOptions(
                context.event_log,
                context.event_log_disable,
                context.event_log_filename,
                context.event_buffer_length,
            ),
            self._report,
        )
        clients = ClientProxy(transmitter.transmit, transmitter.max_message_length, events)
        allocator = PageAllocator(seams.files, seams.clock, self.aeron_dir)
        logs = LogFactory(
            seams.files,
            self.aeron_dir,
            context,
            system_counters,
            allocator,
            self._errors.record,
        )
        streams = StreamFactory(
            context,
            counters,
            system_counters,
            clients,
            logs,
            loss_report,
            seams.random,
            ring.next_correlation_id,
        )
        self._sender = Sender(
            seams.clock,
            self._manager,
            status_poll_ratio=context.send_to_status_poll_ratio,
            resolution_interval_ns=context.driver_reresolution_check_interval_ns,
            cycle_threshold_ns=context.driver_sender_cycle_threshold_ns,
        )
        self._receiver = Receiver(
            seams.clock,
            self._manager,
            resolution_interval_ns=context.driver_reresolution_check_interval_ns,
            cycle_threshold_ns=context.driver_receiver_cycle_threshold_ns,
            max_batch_count=context.receiver_io_vector_capacity,
        )
        self._tracking = StreamTracking(seams.clock)
        resolve: Callable[[str], Iterable[str]] = seams.network.resolve
        if context.name_resolver_supplier == "csv_table":
            table = NameTable(context.name_resolver_init_args, resolve, counters)
            resolve = table.resolve
        is_threaded = context.driver_async_executor_enabled and isinstance(
            seams.network, UdpNetwork
        )
        names = None
        if context.driver_resolver_interface is not None:
            names = AnnouncedNames(context.driver_resolver_neighbor_timeout_ns)
        conductor = Conductor(
            context,
            seams,
            ring,
            clients,
            counters,
            system_counters,
            self._errors,
            logs,
            streams,
            self._sender,
            self._receiver,
            self._tracking,
            allocator,
            NameResolver(
                resolve,
                is_threaded=is_threaded,
                name=context.name_resolver_supplier if names is None else "driver",
                clock=seams.clock,
                events=events,
                find=None if names is None else names.find,
            ),
            names,
            self._interceptors,
            context.termination_hook,
            partial(context.allows_termination, self.aeron_dir),
        )
        stack.callback(conductor.close)
        self._conductor_agent = ConductorAgent(
            conductor,
            seams.clock,
            ring,
            self._manager,
            self._sender,
            self._receiver,
            allocator,
            self._tracking,
            conductor.resolution_socket,
            cycle_threshold_ns=context.driver_conductor_cycle_threshold_ns,
            timer_interval_ns=context.timer_interval_ns,
        )
        ring.next_correlation_id()  # ids begin at 1
        cnc.signal_ready(seams.clock.epoch_ms())
        if context.print_configuration:
            sys.stdout.write(f"{context.description()}\n")
            sys.stdout.flush()

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The agents, in the order of a duty cycle on one thread.

        Agents after them in a duty cycle read messages that have just been received, and the next
        duty cycle first sends what they publish.

        For a driver with ``threading_mode="INVOKER"`` whose user drives them among other agents.
        """
        return (self._sender, self._conductor_agent, self._receiver, self._tracking)

    @property
    def threading_mode(self) -> str:
        """``"INVOKER"``: its user drives its agents; the others run on their own threads."""
        return str(self.context.threading_mode)

    @property
    def counters(self) -> CountersManager:
        """The driver's counters."""
        return self._manager

    def _make_runners(self) -> Iterable[AgentRunner]:
        context = self.context
        conductor: tuple[Agent, ...] = (self._tracking, self._conductor_agent)
        match context.threading_mode:
            case "DEDICATED":
                return (
                    self._runner(conductor, "conductor", "conductor"),
                    self._runner((self._sender,), "sender", "sender"),
                    self._runner((self._receiver,), "receiver", "receiver"),
                )
            case "SHARED_NETWORK":
                network: tuple[Agent, ...] = (self._sender, self._receiver)
                return (
                    self._runner(conductor, "conductor", "conductor"),
                    self._runner(network, "sharednetwork", "sender"),
                )
            case "SHARED":
                return (self._runner(self.agents, "shared", "conductor"),)
            case _:
                return ()

    def _runner(self, agents: tuple[Agent, ...], idle_role: str, role: str) -> AgentRunner:
        cpu = self.context[f"{role}_cpu_affinity"]
        return AgentRunner(
            agents,
            idle_strategy=self.context.idle_strategy(idle_role),
            cpus=None if cpu < 0 else (cpu,),
            error_handler=self.on_agent_error,
            clock=self._seams.clock,
        )

    def on_agent_error(self, agent: Agent, error: BaseException) -> None:
        """Log and count an exception of an agent; called by the agents' driver."""
        _log.debug("%s failed", agent.role_name, exc_info=error)
        super().on_agent_error(agent, error)

    def _report(self, error: Exception) -> None:
        self._errors.record(error)

    def close(self) -> None:
        """End the threads, and release everything. Calling it again does nothing."""
        super().close()
        if self.is_closed:
            atexit.unregister(self.close)

    def _end(self) -> None:
        if self.failure is None:
            self._sender.send_unsent_ends()
        self._ring.consumer_heartbeat_ms = _CLOSED_HEARTBEAT  # clients detect that it has ended

    def _remove_directory(self) -> None:
        if self._is_private or self.context.dir_delete_on_shutdown:
            self._seams.files.remove_tree(self.aeron_dir)
