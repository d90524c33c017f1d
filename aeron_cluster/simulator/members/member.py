"""A member of a simulated cluster: a machine, and the processes on it."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final, Protocol

from aeron_cluster.cluster.assembly import ClusterNode
from aeron_cluster.cluster.service.container import ClusteredServiceContainer
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import StateError
from aeron_cluster.simulator.members.layouts import plan_processes
from aeron_cluster.simulator.members.member_process import MemberProcess, MemberState
from aeron_cluster.simulator.members.native_bridge import native
from aeron_cluster.simulator.members.neighbour import Neighbour
from aeron_cluster.simulator.members.service_faults import ServiceFaults
from aeron_cluster.simulator.world.process_host import ProcessHost

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from aeron_cluster.cluster.module.consensus_module import ConsensusModule
    from aeron_cluster.cluster.service.clustered_service import ClusteredService
    from aeron_cluster.cluster.service.native_service import NativeService
    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.memory.shared.counter_descriptor import CounterDescriptor
    from aeron_cluster.memory.system.seams import Random
    from aeron_cluster.simulator.members.layouts import Layout
    from aeron_cluster.simulator.members.load_watch import LoadedState
    from aeron_cluster.simulator.world.machine import Machine

__all__ = ["Member", "MemberHost", "MemberState", "ignore"]

_DEVICE_DIR: Final = "/dev/shm"  # noqa: S108 - on a simulated disk
# The blocking wait of a client for an ended driver, which must not restart meanwhile.
_BLIND_NS: Final = 20_000_000


class MemberHost(ProcessHost, Protocol):
    """The interface of a `Cluster` for its members."""

    def node_options(self, member: Member, /) -> dict[str, Any]:
        """Return the keywords of `ClusterNode.launch` for a member."""

    @property
    def native_services(self) -> Collection[int]:
        """The ids of the services that containers call as native ones."""

    def make_service(self, member: Member, service_id: int, /) -> ClusteredService:
        """Create a service of a process of a member, observed by its journal."""


class Member:
    """One member of a `Cluster`: a machine, and the process or processes on it.

    Attributes
    ----------
    member_id : int
    machine : Machine
        The machine: disk, clocks and network.
    processes : tuple of MemberProcess
        One process for everything, or one for each component, the driver first.
    process_of_module, process_of_driver : MemberProcess
        Those that have the consensus module, and the media driver.
    services : tuple of ClusteredService
        The services of the current or last processes.
    errors : list of Exception
        The errors of archive, module and services, of all processes so far.
    on_service : callable
        ``on_service(what)`` is called for each event and request of its services: the kinds of
        `Entry`, and ``offer`` and ``schedule``.
    service_faults : ServiceFaults
        The faults of its services.
    service_count : int
        The number of services that it starts with; changed only for members of one process.
    neighbour : Neighbour or None
        The last application besides it that used its driver.
    """

    def __init__(
        self,
        cluster: MemberHost,
        member_id: int,
        machine: Machine,
        layout: Layout,
        service_count: int,
    ) -> None:
        self.member_id = member_id
        self.machine = machine
        self.services: tuple[ClusteredService, ...] = ()
        self.errors: list[Exception] = []
        self.on_service: Callable[[str], object] = ignore
        self.service_faults = ServiceFaults(lambda: cluster.now_ns)
        self._cluster = cluster
        self.service_count = service_count
        self.neighbour: Neighbour | None = None
        self.processes = tuple(
            MemberProcess(cluster, machine, plan)
            for plan in plan_processes(layout, self, service_count)
        )
        # Found once, since they are read in each check.
        is_one = len(self.processes) == 1
        self.process_of_module = self.process("node" if is_one else "module")
        self.process_of_driver = self.process("node" if is_one else "driver")

    def __repr__(self) -> str:
        return f"<Member {self.member_id} {self.state.value}>"

    # ---- what it is ----

    @property
    def state(self) -> MemberState:
        """The state of its processes: running while all of them run."""
        states = {each.state for each in self.processes}
        if MemberState.ENDED in states:
            return MemberState.ENDED
        return MemberState.DOWN if MemberState.DOWN in states else MemberState.RUNNING

    @property
    def is_running(self) -> bool:
        """Whether all its processes exist, paused or not."""
        for each in self.processes:  # noqa: SIM110 - called at each check: no generator
            if not each.is_running:
                return False
        return True

    @property
    def is_gone(self) -> bool:
        """Whether none of its processes exists."""
        for each in self.processes:  # noqa: SIM110 - called at each check: no generator
            if each.is_running:
                return False
        return True

    @property
    def is_paused(self) -> bool:
        """Whether one of its processes is paused."""
        now_ns = self._cluster.now_ns
        for each in self.processes:  # noqa: SIM110 - called at each check: no generator
            if now_ns < each.paused_until_ns:
                return True
        return False

    @property
    def failure(self) -> BaseException | None:
        """The last error that ended one of its processes unexpectedly."""
        return next((each.failure for each in self.processes if each.failure is not None), None)

    @property
    def start_count(self) -> int:
        """The number of process starts; with several processes, the highest."""
        processes = self.processes
        if len(processes) == 1:
            return processes[0].start_count
        return max([each.start_count for each in processes])

    def process(self, name: str) -> MemberProcess:
        """Return the process ``driver``, ``archive``, ``module``, ``service-0`` or ``node``."""
        for each in self.processes:
            if each.name == name:
                return each
        raise StateError(f"member {self.member_id}: it has no process {name}")

    def process_of_service(self, service_id: int) -> MemberProcess:
        """Return the process that has a service."""
        return self.process("node" if len(self.processes) == 1 else f"service-{service_id}")

    @property
    def node(self) -> ClusterNode | None:
        """The running node, if the member is one process."""
        part = self.processes[0].part
        return part if isinstance(part, ClusterNode) else None

    @property
    def running_module(self) -> ConsensusModule | None:
        """The consensus module, if one runs."""
        return self.process_of_module.module

    @property
    def loaded(self) -> LoadedState | None:
        """What its module loaded at its last start; None until it has."""
        return self.process_of_module.loaded

    @property
    def module(self) -> ConsensusModule:
        """The running consensus module.

        Raises
        ------
        StateError
            None runs.
        """
        module = self.running_module
        if module is None:
            raise StateError(f"member {self.member_id}: {self.state.value}, it has no module")
        return module

    @property
    def containers(self) -> tuple[ClusteredServiceContainer, ...]:
        """The running service containers."""
        if self.node is not None:
            return self.node.containers
        parts = (each.part for each in self.processes)
        return tuple(part for part in parts if isinstance(part, ClusteredServiceContainer))

    @property
    def is_leading(self) -> bool:
        """Whether it is running, leads, and serves clients."""
        module = self.process_of_module.module
        return module is not None and module.is_leading

    @property
    def counters(self) -> ModuleCounters | None:
        """The counters of its module; None if it is not running, or its driver has ended."""
        module = self.process_of_module.module
        return None if module is None else module.counters

    def driver_counters(self, type_id: int | None = None) -> Iterable[CounterDescriptor]:
        """Return the counters of its driver, of one type or of all; none without a driver."""
        driver = self.processes[0].part if self.node is None else self.node.driver
        return driver.counters.counters(type_id) if isinstance(driver, MediaDriver) else ()

    @property
    def commit_position(self) -> int:
        """The commit position, in bytes; -1 if nothing runs, or unknown."""
        counters = self.counters
        return -1 if counters is None else counters.commit_position.get()

    # ---- parts of its processes ----

    @property
    def options(self) -> dict[str, Any]:
        """The keywords of `ClusterNode.launch`."""
        return self._cluster.node_options(self)

    def make_service(self, service_id: int) -> ClusteredService | NativeService:
        """Create a service, observed by the journals, and store it in `services`.

        Returns
        -------
        ClusteredService or NativeService
            What its container calls.
        """
        made = self._cluster.make_service(self, service_id)
        kept = self.services or (made,) * self.service_count
        self.services = (*kept[:service_id], made, *kept[service_id + 1 :])
        return native(made) if service_id in self._cluster.native_services else made

    def make_services(self) -> tuple[ClusteredService | NativeService, ...]:
        """Create all services of a process that has them all."""
        return tuple([self.make_service(each) for each in range(self.service_count)])

    def run_driver(self) -> None:
        """Advance time with all other processes, while one waits for another's driver."""
        until_ns = self._cluster.now_ns + (1 if self.processes[0].is_working else _BLIND_NS)
        while self._cluster.now_ns < until_ns:
            self._cluster.loop.run_other_actors()

    # ---- what may be done to it ----

    def start(self) -> None:
        """Start the stopped processes; if all are running, restart all.

        A process that cannot start has ended: see `failure`. Processes that need a driver are not
        started before it runs.
        """
        if self.is_running:
            self.kill()
        for process in self.processes:
            if not process.is_running and self.can_start(process):
                process.start()

    def can_start(self, process: MemberProcess) -> bool:
        """Whether the driver that one of its processes needs is available."""
        return not process.needs_driver or self.processes[0].is_running

    def kill(self) -> None:
        """Kill all its processes, as by SIGKILL: written data remains."""
        for process in self.processes:
            process.kill()

    def stop_after(self, calls: int, *, is_network: bool = False) -> None:
        """Kill each of its processes at its n-th call from now; -1 means never."""
        for process in self.processes:
            process.stop_after(calls, is_network=is_network)

    def stop_at_padding(self, stream_id: int, calls: int) -> None:
        """Kill it some sends after it sends the end of a term of a stream."""
        for process in self.processes:
            process.stop_at_padding(stream_id, calls)

    def lose_power(self) -> None:
        """Switch the machine off: the disk loses unsynced data, or a part of it."""
        self.kill()
        if self.neighbour is not None:
            self.neighbour.process.kill()
        # That directory is in memory, and created when the machine starts.
        files = self.machine.files
        files.remove_tree(_DEVICE_DIR)
        files.sync_directory(posixpath.dirname(_DEVICE_DIR))
        self.machine.lose_power()
        files.make_directory(_DEVICE_DIR, parents=True)

    def pause(self, duration_ns: int) -> None:
        """Pause its processes for a time, as by SIGSTOP, in ns."""
        for process in self.processes:
            process.pause(duration_ns)

    def add_neighbour(self, random: Random) -> None:
        """Start another application that keeps requests in its running driver.

        Parameters
        ----------
        random : Random
            Draws how many.
        """
        self.end_neighbour()
        self.neighbour = Neighbour(self._cluster, self, random)
        self.neighbour.process.start()

    def end_neighbour(self) -> None:
        """Close that application in order, if it runs."""
        if self.neighbour is not None and self.neighbour.process.is_running:
            self.neighbour.process.close()

    def resume(self) -> None:
        """Resume its processes."""
        for process in self.processes:
            process.resume()

    def close(self) -> None:
        """Close its processes in order, as by SIGTERM; the driver last."""
        self.end_neighbour()
        for process in reversed(self.processes):
            process.close()


def ignore(what: str) -> None:
    """Ignore it."""
