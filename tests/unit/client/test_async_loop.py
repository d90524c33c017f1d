import asyncio

import pytest

from aeron_cluster.client.async_loop import LoopDutyCycle, until
from aeron_cluster.errors import ConfigurationError


class Agent:
    """Has work in its first passes, and optionally an error in the last one."""

    def __init__(self, busy=0, error=None):
        self.passes = 0
        self.pauses = []
        self.busy = busy
        self.error = error
        self.errors = []
        self.is_waiting = False
        self.cycle = LoopDutyCycle(self.do_work, lambda: self.is_waiting, self.errors.append)

    def do_work(self):
        self.passes += 1
        self.pauses.append(self.cycle._pause_s)
        if self.passes > self.busy and self.error is not None:
            raise self.error
        return int(self.passes <= self.busy)

    async def until(self, condition):
        await until(lambda: condition(self), "10s")


def test_no_attempt_is_made_with_an_invalid_timeout():
    attempts = []

    async def run():
        with pytest.raises(ConfigurationError, match="timeout_ns"):
            await until(lambda: attempts.append(True) or True, "10")

    asyncio.run(run())
    assert attempts == []


def test_an_idle_agent_sleeps_with_growing_pauses():
    async def run():
        agent = Agent(busy=3)
        await agent.until(lambda it: it.cycle.is_sleeping)
        assert agent.passes > 3
        passes = agent.passes
        await agent.until(lambda it: it.passes >= passes + 4)
        agent.cycle.stop()
        assert agent.pauses == sorted(agent.pauses)
        assert len(set(agent.pauses)) > 2

    asyncio.run(run())


def test_pauses_stay_short_while_answers_are_pending():
    async def run():
        agent = Agent()
        agent.is_waiting = True
        await agent.until(lambda it: it.cycle.is_sleeping)
        begun = agent.cycle._pause_s
        passes = agent.passes
        await agent.until(lambda it: it.passes >= passes + 4)
        agent.cycle.stop()
        assert agent.cycle._pause_s == begun

    asyncio.run(run())


def test_wake_ends_a_pause():
    async def run():
        agent = Agent()
        await agent.until(lambda it: it.cycle.is_sleeping)
        agent.cycle.wake()
        assert not agent.cycle.is_sleeping
        passes = agent.passes
        await agent.until(lambda it: it.passes > passes)
        agent.cycle.stop()

    asyncio.run(run())


def test_no_pass_follows_a_stop_or_an_error():
    async def run():
        stopped, failed = Agent(), Agent(busy=2, error=ValueError("bad"))
        stopped.cycle.stop()
        await failed.until(lambda it: it.errors)
        other = Agent()
        await other.until(lambda it: it.cycle.is_sleeping)
        other.cycle.stop()
        assert (stopped.passes, failed.passes) == (0, 3)
        assert [str(each) for each in failed.errors] == ["bad"]

    asyncio.run(run())
