"""An agent that detects invalid state of its own stops, with all other agents of its runner."""

import threading
from pathlib import Path

import pytest

from aeron_cluster.errors import (
    AgentTerminationError,
    InvariantError,
    InvariantViolatedError,
)
from aeron_cluster.memory.agents.agent import AgentInvoker, CompositeAgent
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from tests.waiting import await_true


class Other:
    """An agent on the same thread."""

    role_name = "other"

    def __init__(self):
        self.passes = 0
        self.closed = 0
        self.inside = lambda: None

    def do_work(self):
        self.passes += 1
        self.inside()
        return 0

    def on_close(self):
        self.closed += 1


@pytest.fixture(scope="module")
def checked_agent(build_extension):
    return build_extension(Path(__file__).parent / "checked_agent.pyx").CheckedAgent


@pytest.fixture(params=[False, True], ids=["left by the test", "raised"])
def agent(request, checked_agent):
    return checked_agent(request.param)


def test_passing_check_costs_nothing_else(agent):
    with AgentInvoker([agent]) as invoker:
        assert [invoker.invoke() for _ in range(3)] == [1, 1, 1]
    assert agent.written == 3


def test_a_violation_names_invariant_place_and_values(agent):
    agent.set_position(-64)
    with AgentInvoker([agent]) as invoker, pytest.raises(InvariantViolatedError) as raised:
        invoker.invoke()
    error = raised.value
    assert isinstance(error, InvariantError)
    assert isinstance(error, AgentTerminationError)
    assert not error.is_expected
    assert (error.invariant, error.value, error.bound) == ("a position never falls", -64, 0)
    assert error.place.startswith("tests.native.checked_agent.advance")
    assert str(error) == (f"a position never falls: found -64, compared with 0, in {error.place}")
    assert agent.written == 0


def test_no_agent_of_a_broken_invoker_runs_again(agent):
    other = Other()
    errors = []
    invoker = AgentInvoker([agent, other], error_handler=lambda *given: errors.append(given))
    invoker.start()
    invoker.invoke()
    assert (agent.passes, other.passes) == (1, 1)
    agent.set_position(-1)
    with pytest.raises(InvariantViolatedError) as first:
        invoker.invoke()
    agent.set_position(0)  # valid state again makes no difference
    with pytest.raises(InvariantViolatedError) as second:
        invoker.invoke()
    assert second.value is first.value
    assert (agent.passes, other.passes) == (2, 1)
    assert errors == [(agent, first.value)]  # reported once, although the handler did not raise it
    invoker.close()
    assert other.closed == 1


def test_a_composite_ends_with_one_of_its_agents(agent):
    other = Other()
    errors = []
    inner = CompositeAgent([agent])
    with AgentInvoker([inner, other], error_handler=lambda *given: errors.append(given)) as invoker:
        agent.set_position(-1)
        for _ in range(2):
            with pytest.raises(InvariantViolatedError):
                invoker.invoke()
    assert (agent.passes, other.passes) == (1, 0)
    assert [given for given, _ in errors] == [agent]


def test_waiting_callback_is_not_served_by_a_broken_runner(agent):
    other = Other()
    with AgentInvoker([other, agent]) as invoker:
        agent.set_position(-1)

        def wait():
            with pytest.raises(InvariantViolatedError):
                invoker.agents[0].run_others()

        other.inside = wait
        with pytest.raises(InvariantViolatedError):
            invoker.invoke()
    assert agent.passes == 1


def test_runner_ends_and_reports_the_reason(agent, caplog):
    other = Other()
    errors = []
    runner = AgentRunner(
        [agent, other],
        idle_strategy="yield",
        error_handler=lambda *given: errors.append(given),
        name="broken",
    )
    runner.start()
    await_true(lambda: agent.passes > 10, "passes")
    agent.set_position(-32)
    await_true(lambda: not runner.is_running, "the end of the runner")
    error = runner.termination
    assert isinstance(error, InvariantViolatedError)
    assert runner.unexpected_end is error
    assert errors == [(agent, error)]
    assert runner.error_count == 1
    assert other.closed == 1
    passes = agent.passes
    assert "stopped, its own state is wrong: a position never falls" in caplog.text
    assert runner.close()
    assert agent.passes == passes


def test_call_outside_a_pass_raises_the_violation(checked_agent):
    agent = checked_agent()
    assert agent.advance() == 1
    agent.set_position(-1)
    with pytest.raises(InvariantViolatedError) as raised:
        agent.advance()
    assert raised.value.place == "tests.native.checked_agent.advance"
    agent.set_position(0)
    assert agent.advance() == 1  # a raised violation is not raised again by a later call


def test_first_of_two_violations_is_raised(checked_agent):
    agent = checked_agent()
    agent.set_position(-5)
    with pytest.raises(InvariantViolatedError) as raised:
        agent.advance_twice()
    assert raised.value.value == -5


def test_violation_affects_only_its_thread(checked_agent):
    broken, sound = checked_agent(), checked_agent()
    broken.set_position(-1)
    raised = []

    def fail():
        try:
            broken.advance()
        except InvariantViolatedError as error:
            raised.append(error)

    with AgentInvoker([sound]) as invoker:
        thread = threading.Thread(target=fail)
        thread.start()
        while thread.is_alive():
            assert invoker.invoke() == 1
        thread.join()
        assert invoker.invoke() == 1
    assert len(raised) == 1
