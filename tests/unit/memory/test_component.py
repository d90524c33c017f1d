"""Components that run until they are closed, by any thread."""

import contextlib
import os

import pytest

from aeron_cluster.errors import AgentTerminationError, StateError
from aeron_cluster.memory.agents.agent import Agent, PythonAgent
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.memory.agents.component import Component, started
from tests.waiting import await_true


class Worker:
    role_name = "worker"

    def __init__(self):
        self.then = lambda: 0
        self.passes = 0

    def do_work(self):
        self.passes += 1
        return self.then()


class Something(Component):
    KIND = "something"

    def __init__(self, mode="SHARED"):
        self.mode = mode
        self.worker = Worker()
        self.agent = PythonAgent(self.worker)
        self.events = []
        self.errors = []
        super().__init__()

    def _open(self, stack):
        self.events.append("open")
        stack.callback(lambda: self.events.append("given back"))
        if self.mode == "BROKEN":
            raise StateError("broken")

    @property
    def threading_mode(self):
        return self.mode

    @property
    def agents(self) -> tuple[Agent, ...]:
        return (self.agent,)

    def _make_runners(self):
        if self.mode == "SHARED":
            yield AgentRunner(self.agents, error_handler=self.on_agent_error)
        elif self.mode == "TOO MANY":
            raise StateError("no more threads")

    def _report(self, error):
        self.errors.append(error)

    def _end(self):
        self.events.append("end")


def test_threads_end_before_resources_are_released():
    something = started(Something())
    await_true(lambda: something.worker.passes > 2, "passes")
    something.worker.then = lambda: something.events.append("pass") or 0
    with something:
        await_true(lambda: "pass" in something.events, "a pass")
    assert something.is_closed
    assert [event for event in something.events if event != "pass"] == ["open", "end", "given back"]
    assert something.events[-2:] == ["end", "given back"]
    something.close()
    assert something.events[-2:] == ["end", "given back"]


def test_a_failed_creation_or_start_leaves_nothing_open():
    with pytest.raises(StateError, match="broken"):
        Something("BROKEN")
    something = Something("TOO MANY")
    with pytest.raises(StateError, match="no more threads"):
        started(something)
    assert something.events == ["open", "end", "given back"]


def test_its_user_drives_it_by_an_invoker():
    with started(Something("INVOKER")) as something:
        something.invoker.start()
        something.invoker.invoke()
        assert something.worker.passes == 1
        assert something.invoker is something.invoker
    with (
        started(Something()) as threaded,
        pytest.raises(StateError, match="something: threading_mode SHARED has no invoker"),
    ):
        threaded.invoker  # noqa: B018 - it raises


def test_an_error_is_reported_and_an_end_propagates():
    something = Something("INVOKER")
    error = ValueError("bad")
    something.on_agent_error(something.agent, error)
    assert something.errors == [error]
    with pytest.raises(AgentTerminationError):
        something.on_agent_error(something.agent, AgentTerminationError("over"))
    with pytest.raises(KeyboardInterrupt):
        something.on_agent_error(something.agent, KeyboardInterrupt())
    something.close()


def test_close_by_its_own_thread_leaves_the_rest_to_another():
    something = started(Something())
    something.worker.then = lambda: something.close() or 0
    await_true(lambda: not something._runners[0].is_running, "the end of the thread")
    assert something.events == ["open"]
    assert not something.is_closed
    something.close()
    assert something.events == ["open", "end", "given back"]


def test_forked_child_does_not_close_the_component():
    something = Something("INVOKER")
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            something.close()
        os._exit(len(something.events))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    something.close()
