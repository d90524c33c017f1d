"""The loop runs other work while callbacks wait, for any nesting of waits."""

import contextlib

import pytest

from aeron_cluster.errors import PlatformError
from aeron_cluster.memory.agents.agent import AgentInvoker
from aeron_cluster.simulator.world.loop import CallbackWait, ClientAgent, Loop
from aeron_cluster.simulator.world.machine import World

STEP_NS = 10_000_000
TIMEOUT_NS = 1_000


class Waiting:
    """Waits until another actor has worked, as a service does for space in a publication."""

    role_name = "waiting"

    def __init__(self, loop, has_worked):
        self.loop = loop
        self.has_worked = has_worked
        self.wait_count = 0

    def do_work(self):
        while not self.has_worked and self.wait_count < TIMEOUT_NS:
            self.wait_count += 1
            self.loop.run_other_actors()
        return 0


class Working:
    role_name = "working"

    def __init__(self, has_worked):
        self.has_worked = has_worked

    def do_work(self):
        self.has_worked.append(True)
        return 0


@pytest.mark.parametrize("count", [1, 8, 9, 30])
def test_an_awaited_process_runs_within_the_innermost_wait(count):
    world = World(1)
    machine = world.add_machine("node0", "10.0.0.1")
    loop = Loop(world.time, world.wire, 0)
    has_worked: list[bool] = []
    waiting = [Waiting(loop, has_worked) for _ in range(count)]
    for agent in (*waiting, Working(has_worked)):
        process = machine.start()
        invoker = AgentInvoker([agent], clock=process.seams.clock)
        invoker.start()
        loop.add(invoker, process.network, process.files)
    assert loop.run(world.time.now_ns + STEP_NS)
    assert max(each.wait_count for each in waiting) < TIMEOUT_NS


def test_a_wait_within_too_many_others_only_advances_time():
    world = World(1)
    machine = world.add_machine("node0", "10.0.0.1")
    loop = Loop(world.time, world.wire, 0)
    has_worked: list[bool] = []
    waiting = [Waiting(loop, has_worked) for _ in range(70)]
    for agent in (*waiting, Working(has_worked)):
        process = machine.start()
        invoker = AgentInvoker([agent], clock=process.seams.clock)
        invoker.start()
        loop.add(invoker, process.network, process.files)
    assert loop.run(world.time.now_ns + STEP_NS)
    assert max(each.wait_count for each in waiting) == TIMEOUT_NS
    assert has_worked


class Counting:
    """Does some work in its first duty cycles."""

    role_name = "counting"

    def __init__(self, busy_count=0):
        self.busy_count = busy_count
        self.times = []
        self.time = None

    def do_work(self):
        self.times.append(self.time.now_ns)
        return int(len(self.times) <= self.busy_count)


class Raising:
    role_name = "raising"

    def do_work(self):
        raise LookupError("of the agent")


class Stopping:
    """Ends its process in a call to its disk."""

    role_name = "stopping"

    def __init__(self):
        self.files = None

    def do_work(self):
        self.files.stop_after(1)
        with contextlib.suppress(PlatformError):
            self.files.list("/tmp")
        return 1


class Run:
    """A loop with some agents, each in a process of its own."""

    def __init__(self, *agents, longest_step_ns=1_000_000):
        self.world = World(1)
        self.time = self.world.time
        machine = self.world.add_machine("node0", "10.0.0.1")
        self.loop = Loop(self.time, self.world.wire, 0)
        self.places = []
        for agent in agents:
            process = machine.start()
            if isinstance(agent, Counting):
                agent.time = self.time
            if isinstance(agent, Stopping):
                agent.files = process.files
            invoker = AgentInvoker([agent], clock=process.seams.clock)
            invoker.start()
            self.places.append(
                self.loop.add(
                    invoker, process.network, process.files, longest_step_ns=longest_step_ns
                )
            )


def test_an_agent_that_raises_ends_the_run_and_is_named():
    other = Counting()
    run = Run(other, Raising())
    with pytest.raises(LookupError, match="of the agent"):
        run.loop.run(STEP_NS)
    assert run.loop.failed == run.places[1]
    run.loop.remove(run.places[1])
    assert run.loop.run(STEP_NS)
    assert run.loop.failed == -1
    assert run.time.now_ns == STEP_NS
    assert len(other.times) == run.loop.pass_count(run.places[0])


class Failing(Stopping):
    """Fails for the end of its process."""

    def do_work(self):
        self.files.stop_after(1)
        return len(self.files.list("/tmp"))


def test_a_failure_for_the_end_of_its_process_is_raised():
    run = Run(Failing())
    with pytest.raises(PlatformError):
        run.loop.run(STEP_NS)
    assert run.loop.failed == run.places[0]


def late(agent):
    """Return a run in which an agent has just failed while another one waited."""
    run = Run(agent)
    run.loop.run_other_actors()
    assert run.loop.has_failed(run.places[0])
    return run


def test_what_failed_while_another_waited_is_not_driven_until_it_is_reported():
    run = late(Raising())
    run.loop.run_other_actors()
    assert run.loop.pass_count(run.places[0]) == 1
    with pytest.raises(LookupError, match="of the agent"):
        run.loop.run(run.time.now_ns + 1)
    assert run.loop.failed == run.places[0]
    assert not run.loop.has_failed(run.places[0])


def test_a_process_that_ended_while_another_waited_is_reported():
    run = late(Stopping())
    assert not run.loop.run(run.time.now_ns + 1)
    assert run.loop.failed == run.places[0]
    assert not run.loop.has_failed(run.places[0])


def test_a_removed_actor_is_not_reported():
    run = late(Raising())
    run.loop.remove(run.places[0])
    assert run.loop.run(run.time.now_ns + 1)
    for call in (run.loop.has_failed, run.loop.pass_count, run.loop.remove):
        with pytest.raises(KeyError):
            call(run.places[0])


def test_an_actor_that_is_always_busy_slows_down():
    counting = Counting(busy_count=2000)
    run = Run(counting)
    assert run.loop.run(STEP_NS)
    steps = [after - at for at, after in zip(counting.times, counting.times[1:], strict=False)]
    assert set(steps[:200]) == {2_000}
    assert 2_000 < steps[1000] <= steps[1500] <= 200_000


def test_an_idle_actor_waits_longer_up_to_its_longest_step():
    counting = Counting()
    run = Run(counting, longest_step_ns=500_000)
    assert run.loop.run(STEP_NS)
    steps = [after - at for at, after in zip(counting.times, counting.times[1:], strict=False)]
    assert steps[:4] == [20_000, 80_000, 320_000, 500_000]
    assert set(steps[4:-1]) == {500_000}


def test_a_woken_actor_is_driven_at_its_time_and_a_paused_one_later():
    counting = Counting()
    run = Run(counting, longest_step_ns=STEP_NS)
    run.loop.run(7 * STEP_NS)
    before = len(counting.times)
    due_ns = run.time.now_ns + 1_000
    run.loop.wake(run.places[0], due_ns)
    run.loop.run(due_ns + 1)
    assert counting.times[before:] == [due_ns]
    run.loop.pause(run.places[0], due_ns + 5 * STEP_NS)
    run.loop.run(due_ns + 6 * STEP_NS)
    assert counting.times[before + 1] >= due_ns + 5 * STEP_NS


def test_an_actor_is_of_the_loops_own_wire():
    run = Run(Counting())
    process = World(1).add_machine("node0", "10.0.0.1").start()
    invoker = AgentInvoker([Working([])], clock=process.seams.clock)
    with pytest.raises(ValueError, match="network: not on this wire"):
        run.loop.add(invoker, process.network, process.files)


def test_many_actors_are_driven_and_a_free_place_is_used_again():
    counting = [Counting() for _ in range(40)]
    run = Run(*counting)
    assert run.loop.run(STEP_NS)
    assert all(each.times for each in counting)
    run.loop.remove(run.places[3])
    process = run.world.add_machine("node1", "10.0.0.2").start()
    working = []
    invoker = AgentInvoker([Working(working)], clock=process.seams.clock)
    invoker.start()
    assert run.loop.add(invoker, process.network, process.files) == run.places[3]
    assert run.loop.run(2 * STEP_NS)
    assert working


def test_agents_of_the_simulator_are_named():
    run = Run()
    assert CallbackWait(run.loop).role_name == "callback wait"
    assert ClientAgent(object(), run.time).role_name == "simulated-client"
