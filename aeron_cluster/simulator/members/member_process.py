"""A process of a member, which is started, killed, paused and ended separately."""

from __future__ import annotations

import contextlib
from enum import Enum
from typing import TYPE_CHECKING

from aeron_cluster.config import assumed_environment
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.agents.agent import AgentInvoker
from aeron_cluster.simulator.members.layouts import DRIVERS, module_of
from aeron_cluster.simulator.members.load_watch import LoadWatch
from aeron_cluster.simulator.members.starved_passes import StarvedPasses
from aeron_cluster.simulator.world.loop import CallbackWait
from aeron_cluster.simulator.world.machine import ENVIRONMENT

if TYPE_CHECKING:
    from aeron_cluster.cluster.module.consensus_module import ConsensusModule
    from aeron_cluster.memory.system.seams import Random
    from aeron_cluster.simulator.members.layouts import Part, ProcessPlan
    from aeron_cluster.simulator.members.load_watch import LoadedState
    from aeron_cluster.simulator.world.machine import Machine, MachineProcess
    from aeron_cluster.simulator.world.process_host import ProcessHost

__all__ = ["MemberProcess", "MemberState"]


class MemberState(Enum):
    """The state of a process."""

    DOWN = "down"  # never started, killed, or without power
    RUNNING = "running"
    ENDED = "ended"  # ended unexpectedly: `MemberProcess.failure` has the reason


class MemberProcess:
    """One process of a member, which can be restarted.

    Parameters
    ----------
    cluster : ProcessHost
    machine : Machine
    plan : ProcessPlan

    Attributes
    ----------
    name : str
    state : MemberState
    is_running : bool
        Whether it exists, paused or not.
    part : object or None
        The running `ClusterNode`, or component of one, or None.
    module : ConsensusModule or None
        The consensus module in it, or None.
    failure : Exception or None
        The last error that ended it unexpectedly.
    failure_count : int
        How often it ended unexpectedly.
    start_count : int
        The number of starts.
    launched_ns : tuple of int
        The wall clock's readings before and after the last launch, in ns since 1970.
    started_at_ns : int
        When it was last started, in ns since the simulation began.
    leaks : dict of str to int
        The resources that it had open after it was last closed in order.
    """

    def __init__(self, cluster: ProcessHost, machine: Machine, plan: ProcessPlan) -> None:
        self.name = plan.name
        self.needs_driver = plan.needs_driver
        self.state = MemberState.DOWN
        self.is_running = False
        self.part: Part | None = None
        self.module: ConsensusModule | None = None
        self.failure: BaseException | None = None
        self.failure_count = 0
        self.start_count = 0
        self.launched_ns = (0, 0)
        self.started_at_ns = 0
        self.leaks: dict[str, int] = {}
        self.paused_until_ns = 0
        self._cluster = cluster
        self._machine = machine
        self._time = machine.clock.time
        self._launch = plan.launch
        self._process: MachineProcess | None = None
        self._closed: MachineProcess | None = None
        self._invoker: AgentInvoker | None = None
        self._place = -1
        self._watch: LoadWatch | None = None
        self._starved = StarvedPasses(self._time, self._delay_next_pass)

    def __repr__(self) -> str:
        return f"<{self._machine.name} {self.name} {self.state.value}>"

    @property
    def is_stopped(self) -> bool:
        """Whether it reached the call at which it is to be killed."""
        return self._process is not None and self._process.is_stopped

    @property
    def is_working(self) -> bool:
        """Whether it is running, not paused."""
        process = self._process
        return (
            self.is_running
            and process is not None
            and not process.is_stopped
            and self._time.now_ns >= self.paused_until_ns
            and not self._cluster.loop.has_failed(self._place)
        )

    @property
    def loaded(self) -> LoadedState | None:
        """What its consensus module loaded at its last start; None until it has."""
        return None if self._watch is None else self._watch.loaded

    @property
    def pid(self) -> int:
        """Its process id; -1 if it does not exist."""
        return -1 if self._process is None else self._process.pid

    @property
    def map_count(self) -> int:
        """The mapped length after it was last closed in order."""
        return 0 if self._closed is None else self._closed.files.map_count

    def start(self) -> None:
        """Start it. If it cannot start, it has ended, and `failure` has the reason."""
        self.start_count += 1
        self._watch = None
        self._cluster.on_changed()
        self._process = process = self._machine.start()
        self.started_at_ns = self._cluster.now_ns
        before_ns = self._machine.clock.epoch_nanos()
        try:
            with assumed_environment(ENVIRONMENT):
                self.part = part = self._launch(process.seams)
            self.module = module_of(part)
            agents = [*part.agents]
            if self.module is not None:
                self._watch = LoadWatch(self.module, self._time)
                agents.append(self._watch.agent)
            if self.name in DRIVERS:
                agents.append(self._starved.new_agent())
            self._invoker = AgentInvoker(
                [*agents, CallbackWait(self._cluster.loop)],
                error_handler=part.on_agent_error,
                clock=process.seams.clock,
            )
            self._invoker.start()
        except Exception as error:  # noqa: BLE001 - whatever ends a process is kept
            self._end(error)
            return
        self.launched_ns = before_ns, self._machine.clock.epoch_nanos()
        self._enter(MemberState.RUNNING)
        self.paused_until_ns = 0
        self._place = self._cluster.loop.add(
            self._invoker,
            process.network,
            process.files,
            longest_step_ns=self._cluster.longest_step_ns,
        )
        self._cluster.on_started(self, self._place)

    def _enter(self, state: MemberState) -> None:
        self.state = state
        self.is_running = state is MemberState.RUNNING
        self._cluster.on_changed()

    def kill(self) -> None:
        """Kill it, as by SIGKILL: written data remains."""
        process = self._process
        self._forget()
        self._enter(MemberState.DOWN)
        if process is not None:
            process.end()

    def stop_after(self, calls: int, *, is_network: bool = False) -> None:
        """Kill it at its n-th call from now to files or network; -1 means never."""
        if self._process is not None:
            self._process.stop_after(calls, is_network=is_network)

    def stop_at_padding(self, stream_id: int, calls: int) -> None:
        """Kill it some sends after it sends the end of a term of a stream."""
        if self._process is not None:
            network = self._process.network
            network.wire.stop_at_padding(network, stream_id, calls)

    def pause(self, duration_ns: int) -> None:
        """Pause it for a time, as by SIGSTOP, in ns; without an effect while it is paused."""
        if self.is_running and self._cluster.now_ns >= self.paused_until_ns:
            self.paused_until_ns = self._cluster.now_ns + duration_ns
            self._cluster.loop.pause(self._place, self.paused_until_ns)

    def starve(self, random: Random, longest_gap_ns: int, duration_ns: int) -> None:
        """Let a process with a driver make a pass only now and then, as on a busy machine.

        Parameters
        ----------
        random : Random
            Draws the time to each next pass.
        longest_gap_ns, duration_ns : int
        """
        if self.is_running:
            self._starved.begin(random, longest_gap_ns, self._cluster.now_ns + duration_ns)

    def _delay_next_pass(self, until_ns: int) -> None:
        self._cluster.loop.pause(self._place, max(until_ns, self.paused_until_ns))

    def resume(self) -> None:
        """Resume it, with all its passes."""
        self._starved.end()
        if self.is_running:
            self.paused_until_ns = 0
            self._cluster.loop.pause(self._place, 0)

    def close(self) -> None:
        """Close it in order, as by SIGTERM."""
        self._close(MemberState.DOWN)

    def on_stopped(self, error: BaseException | None) -> None:
        """Remove it after the loop detected its end.

        Parameters
        ----------
        error : Exception or None
            The error of its agents; None if it was killed at a call.
        """
        if error is None or self.is_stopped:
            self.kill()
        else:
            self._end(error)

    def _end(self, error: BaseException) -> None:
        self.failure = error
        self.failure_count += 1
        self._close(MemberState.ENDED)

    def _close(self, state: MemberState) -> None:
        """Close its resources, in any state."""
        process, invoker, part = self._process, self._invoker, self.part
        self._forget()
        self._enter(state)
        for each in (invoker, part):
            if each is not None:
                with contextlib.suppress(AeronClusterError, OSError):
                    each.close()
        if process is not None:
            self.leaks = {kind: count for kind, count in process.open.items() if count}
            self._closed = process
            process.end()

    def _forget(self) -> None:
        if self._place >= 0:
            self._cluster.loop.remove(self._place)
            self._cluster.on_ended(self._place)
            self._place = -1
        self._process = None
        self._invoker = None
        self.part = None
        self.module = None
        if self.loaded is None:
            self._watch = None  # it holds the module
