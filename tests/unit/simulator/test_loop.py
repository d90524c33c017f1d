"""The loop runs other work while callbacks wait, for any nesting of waits."""

import pytest

from aeron_cluster.memory.agents.agent import AgentInvoker
from aeron_cluster.simulator.world.loop import Loop
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
