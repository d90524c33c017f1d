"""Simulated machines on one wire, each with the seams of its components."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from aeron_cluster.errors import TimeoutExpiredError
from aeron_cluster.memory.agents.agent import AgentInvoker
from aeron_cluster.memory.system.seams import Random, Seams, SeededRandom
from aeron_cluster.simulator.world.memory_files import MemoryFiles, ProcessFiles
from aeron_cluster.simulator.world.processes import ProcessTable
from aeron_cluster.simulator.world.virtual_clock import VirtualClock, VirtualTime
from aeron_cluster.simulator.world.wire import HostNetwork, Wire

__all__ = ["AERON_DIR", "DIRECTORY", "ENVIRONMENT", "Machine", "MachineProcess", "World"]

AERON_DIR: Final = "/dev/shm/aeron"  # noqa: S108 - on a simulated disk
DIRECTORY: Final = "/data"
"""Of a member or backup: its archive and cluster directories are in it."""

ENVIRONMENT: Final = {"AERON_DIR": AERON_DIR}
"""The environment variables of simulated processes."""

_TRACE_PRIME: Final = 0x100000001B3
_ALL_BITS: Final = 2**64 - 1
_NEVER_NS: Final = 2**63 - 1
_WITH_METADATA: Final = 2  # a sync level


class World:
    """Virtual time, the wire, and the machines on it; the seed determines everything.

    Parameters
    ----------
    seed : int
        The seed; only its lowest 64 bits are used.

    Attributes
    ----------
    time : VirtualTime
        The time of all machines.
    wire : Wire
        The network of the machines.
    random : Random
        The random source of faults; the wire, the disks and the components have their own.
    """

    def __init__(self, seed: int) -> None:
        source = SeededRandom(seed)
        self.time = VirtualTime()
        self.wire = Wire(self.time, source.split())
        self.random: Random = source.split()
        self._source = source
        self._machines: list[Machine] = []

    @property
    def machines(self) -> tuple[Machine, ...]:
        """The machines, in the order in which they were added."""
        return tuple(self._machines)

    @property
    def trace(self) -> int:
        """A hash of everything that happened on networks and disks."""
        trace = self.wire.trace ^ self.time.now_ns
        for machine in self._machines:
            trace = (trace * _TRACE_PRIME ^ machine.files.trace) & _ALL_BITS
        return trace

    def run_until(
        self,
        is_done: Callable[[], bool],
        invokers: Sequence[AgentInvoker],
        *,
        timeout_ns: int,
        pass_ns: int = 1_000,
        idle_ns: int = 1_000_000,
    ) -> None:
        """Drive agents until a condition holds.

        Parameters
        ----------
        is_done : callable
            The condition, checked before each duty cycle.
        invokers : sequence of AgentInvoker
            The agents, driven in order.
        timeout_ns : int
            The virtual timeout, in ns.
        pass_ns : int
            The duration of a duty cycle, in ns.
        idle_ns : int
            The longest jump of time while no agent has work and no datagram arrives, in ns:
            deadlines may be late by that.

        Raises
        ------
        TimeoutExpiredError
            It does not hold in time.
        """
        time = self.time
        deadline_ns = time.now_ns + timeout_ns
        while not is_done():
            if time.now_ns >= deadline_ns:
                raise TimeoutExpiredError(f"not within {timeout_ns} ns of virtual time")
            if sum(invoker.invoke() for invoker in invokers) > 0:
                time.advance(pass_ns)
                continue
            arrival_ns = self.wire.next_due_ns
            jump_ns = idle_ns if arrival_ns is None else arrival_ns - time.now_ns
            time.advance(min(max(jump_ns, pass_ns), idle_ns))

    def add_machine(self, name: str, *addresses: str, disk_capacity: int = 1 << 40) -> Machine:
        """Add a machine with an empty disk, and resolve its name to its addresses.

        Parameters
        ----------
        name : str
            Its name for other machines.
        addresses : str
            Its literal addresses.
        disk_capacity : int
            The capacity of its disk, in bytes.
        """
        random = self._source.split()
        network = self.wire.add_host(*addresses)
        self.wire.set_name(name, *addresses)
        files = MemoryFiles(capacity=disk_capacity, random=random.split())
        machine = Machine(name, self.wire, network, files, VirtualClock(time=self.time), random)
        self._machines.append(machine)
        return machine


class MachineProcess:
    """A process on a machine, created by `Machine.start`.

    Attributes
    ----------
    seams : Seams
        The seams of all components in it.
    files : ProcessFiles
        Its open files.
    network : HostNetwork
        Its sockets.
    """

    def __init__(
        self,
        wire: Wire,
        table: ProcessTable,
        files: ProcessFiles,
        network: HostNetwork,
        clock: VirtualClock,
        random: Random,
    ) -> None:
        self.files = files
        self.network = network
        self._wire = wire
        self._table = table
        self._identity = table.spawn()
        self.seams = Seams(
            clock=clock, random=random, network=network, files=files, processes=self._identity
        )

    @property
    def is_stopped(self) -> bool:
        """Whether it was ended at one of its calls: `stop_after`."""
        return self.files.is_stopped or self._wire.is_stopped(self.network)

    @property
    def pid(self) -> int:
        """Its process id on its machine."""
        return self._identity.own_identity().pid

    def stop_after(self, calls: int, *, is_network: bool = False) -> None:
        """End it at its n-th call from now, to files or to the network; -1 means never."""
        if is_network:
            self._wire.stop_after(self.network, calls)
        else:
            self.files.stop_after(calls)

    @property
    def open(self) -> dict[str, int]:
        """The number of its files and sockets."""
        return {
            "files": self.files.open_count,
            "sockets": self._wire.open_sockets(self.network),
        }

    def end(self) -> None:
        """Kill it: files and sockets are closed, written data remains."""
        self._table.end(self._identity)
        self._wire.close_host(self.network)
        self.files.end_process()


class Machine:
    """A machine: clocks, disk and network outlive the processes on it.

    Created by `World.add_machine`.

    Attributes
    ----------
    name : str
        Its name for other machines.
    clock : VirtualClock
        Its clocks, which may be set wrong.
    files : MemoryFiles
        Its disk, which may fail.
    network : HostNetwork
        The host that its sockets belong to.
    power_loss_count : int
        The number of power losses, at which its disk may have lost unsynced data.
    has_wrong_clock : bool
        Whether a clock was ever set, or made fast or slow, even if it is right again.
    has_boots : bool
        Whether it has another boot id after each power loss, as a real one.
    disk_fails_from_ns : int
        When calls to its disk may first have failed, or found it full, in virtual ns.
    """

    def __init__(
        self,
        name: str,
        wire: Wire,
        network: HostNetwork,
        files: MemoryFiles,
        clock: VirtualClock,
        random: SeededRandom,
    ) -> None:
        self.name = name
        self.clock = clock
        self.files = files
        self.network = network
        self.power_loss_count = 0
        self.has_wrong_clock = False
        self.has_boots = False
        self.disk_fails_from_ns = _NEVER_NS
        self._wire = wire
        self._random = random
        self._table = ProcessTable()
        self._processes: list[MachineProcess] = []
        self._only: MachineProcess | None = None

    def note_disk_failure(self, now_ns: int) -> None:
        """Record that calls to the disk may fail, or find it full, from now on."""
        self.disk_fails_from_ns = min(self.disk_fails_from_ns, now_ns)

    def start(self) -> MachineProcess:
        """Start another process, which ends by itself or with the machine's power."""
        process = MachineProcess(
            self._wire,
            self._table,
            self.files.process(),
            self.network.process(),
            self.clock,
            self._random.split(),
        )
        self._processes.append(process)
        return process

    def start_process(self) -> Seams:
        """Start the machine's only process and return the seams of its components.

        An earlier process is killed. It uses `files` and `network` directly.
        """
        self.kill_process()
        self._only = MachineProcess(
            self._wire, self._table, self.files, self.network, self.clock, self._random.split()
        )
        return self._only.seams

    def kill_process(self) -> None:
        """Kill the only process: files and sockets are closed, written data remains."""
        if self._only is not None:
            self._only.end()
            self._only = None

    def write_back(self, directory: str) -> None:
        """Write all of a directory to the disk, as a system does after a while."""
        for name in self.files.list(directory):
            path = f"{directory}/{name}"
            if self.files.is_file(path):
                with self.files.open(path) as file:
                    file.sync(_WITH_METADATA)
            else:
                self.write_back(path)
        self.files.sync_directory(directory)

    def lose_power(self) -> None:
        """End all processes; the disk loses unsynced data, or a part of it."""
        self.kill_process()
        self.power_loss_count += 1
        for process in self._processes:
            process.end()
        self._processes.clear()
        if self.has_boots:
            self._table.reboot()
        self.files.lose_power()
