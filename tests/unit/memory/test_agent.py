"""Agents driven by hand: order, errors, work counts, and nested runs in a waiting callback."""

import logging

import pytest

from aeron_cluster.errors import AgentTerminationError, ClosedError, StateError
from aeron_cluster.memory.agents.agent import (
    Agent,
    AgentInvoker,
    CompositeAgent,
    DutyCycle,
    PythonAgent,
)
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.system.seams import CachedClock, SystemClock


class Recorder:
    """An agent that records its calls."""

    def __init__(self, name, log, work=0):
        self.role_name = name
        self.log = log
        self.work = work
        self.fails = None
        self.inside = None

    def on_start(self):
        self.log.append(f"{self.role_name} start")
        if self.fails == "start":
            raise RuntimeError(self.role_name)

    def do_work(self):
        self.log.append(self.role_name)
        if self.inside is not None:
            self.inside()
        if self.fails == "work":
            raise RuntimeError(self.role_name)
        return self.work

    def on_close(self):
        self.log.append(f"{self.role_name} close")
        if self.fails == "close":
            raise RuntimeError(self.role_name)


@pytest.fixture
def log():
    return []


@pytest.fixture
def three(log):
    return [Recorder(name, log, work) for name, work in (("a", 1), ("b", 2), ("c", 4))]


def test_a_pass_is_in_order_and_counts_work(three, log):
    with AgentInvoker(three) as invoker:
        assert invoker.invoke() == 7
        assert [agent.role_name for agent in invoker.agents] == ["a", "b", "c"]
    assert log == [
        *("a start", "b start", "c start"),
        *("a", "b", "c"),
        *("c close", "b close", "a close"),
    ]


def test_failed_start_closes_the_agents_started_before(three, log):
    three[2].fails = "start"
    invoker = AgentInvoker(three)
    with pytest.raises(RuntimeError, match="c"):
        invoker.start()
    assert log == ["a start", "b start", "c start", "b close", "a close"]
    assert invoker.is_closed


def test_failed_close_of_an_agent_does_not_prevent_the_others(three, log):
    errors = []
    invoker = AgentInvoker(
        three, error_handler=lambda agent, error: errors.append((agent.role_name, str(error)))
    )
    invoker.start()
    three[1].fails = "close"
    invoker.close()
    invoker.close()
    assert log[-3:] == ["c close", "b close", "a close"]
    assert errors == [("b", "b")]


@pytest.mark.parametrize("has_handler", [True, False])
def test_failed_close_is_logged_where_no_handler_accepts_it(three, log, caplog, has_handler):
    def reject(agent, error):
        raise ValueError(agent.role_name) from error

    invoker = AgentInvoker(three, error_handler=reject if has_handler else None)
    invoker.start()
    three[1].fails = "close"
    invoker.close()
    assert log[-3:] == ["c close", "b close", "a close"]
    logged = [(each.getMessage(), str(each.exc_info[1])) for each in caplog.records]
    expected = [("the error handler failed for b", "b")] * has_handler
    assert logged == [*expected, ("b failed", "b")]
    assert [type(each.exc_info[1]) for each in caplog.records] == [
        *[ValueError] * has_handler,
        RuntimeError,
    ]


def test_a_handler_that_raises_the_agents_own_exception_has_not_failed(three, caplog):
    def raise_again(_, error):
        raise error

    invoker = AgentInvoker(three, error_handler=raise_again)
    invoker.start()
    three[1].fails = "close"
    invoker.close()
    assert [each.getMessage() for each in caplog.records] == ["b failed"]


@pytest.mark.parametrize("place", ["agent", "handler"])
def test_an_interrupt_ends_a_close(three, log, place):
    def interrupt(*_):
        raise KeyboardInterrupt

    invoker = AgentInvoker(three, error_handler=interrupt)
    invoker.start()
    three[2].fails = "close"
    if place == "agent":
        three[2].on_close = interrupt
    with pytest.raises(KeyboardInterrupt):
        invoker.close()
    assert "b close" not in log


def test_without_a_handler_the_exception_is_raised_and_the_next_pass_continues_after_it(three, log):
    with AgentInvoker(three) as invoker:
        log.clear()
        three[1].fails = "work"
        with pytest.raises(RuntimeError, match="b"):
            invoker.invoke()
        # An agent that always fails must not starve those after it.
        assert invoker.invoke() == 4
        assert log == ["a", "b", "c"]
        three[1].fails = None
        assert invoker.invoke() == 7


def test_with_a_handler_the_pass_continues(three, log):
    errors = []
    with AgentInvoker(three, error_handler=lambda *what: errors.append(what)) as invoker:
        log.clear()
        three[1].fails = "work"
        assert invoker.invoke() == 5
        assert log == ["a", "b", "c"]
    ((agent, error),) = errors
    assert agent.role_name == "b"
    assert isinstance(error, RuntimeError)


def test_an_exception_of_the_handler_ends_the_pass(three, log):
    def reject(agent, error):
        raise ValueError(agent.role_name) from error

    with AgentInvoker(three, error_handler=reject) as invoker:
        log.clear()
        three[0].fails = "work"
        with pytest.raises(ValueError, match="a"):
            invoker.invoke()
        assert log == ["a"]


def test_waiting_callback_runs_only_agents_outside_of_the_call_stack(three, log):
    with AgentInvoker(three) as invoker:
        a, b, c = invoker.agents
        log.clear()
        counts = []
        three[2].inside = lambda: counts.append(c.run_others())
        assert invoker.invoke() == 7
        assert log == ["a", "b", "c", "a", "b"]
        assert counts == [3]
        log.clear()
        three[2].inside = None

        # Nested: b waits inside a's callback, so both are on the stack.
        def wait_in_a():
            three[0].inside = None
            a.run_others()

        three[0].inside = wait_in_a
        three[1].inside = lambda: counts.append(b.run_others())
        invoker.invoke()
        assert log == ["a", "b", "c", "c", "b", "a", "c", "c"]
        assert counts[-2:] == [4, 5]


@pytest.mark.parametrize("is_composite", [False, True])
@pytest.mark.parametrize("is_outside", [False, True])
def test_end_of_an_agent_within_anothers_callback_ends_the_passes(three, is_composite, is_outside):
    """The callback may handle the error as its own, as a service does, and continue."""

    def end():
        raise AgentTerminationError("it ends")

    def wait():
        ending = three[0] if is_outside else three[1]
        ending.inside = end
        with pytest.raises(AgentTerminationError, match="it ends"):
            waiting.run_others()

    agents = [three[0], CompositeAgent(three[1:], role_name="inner")] if is_composite else three
    with AgentInvoker(agents) as invoker:
        waiting = invoker.agents[1].agents[1] if is_composite else invoker.agents[2]
        three[2].inside = wait
        with pytest.raises(AgentTerminationError, match="it ends"):
            invoker.invoke()


def test_passes_stay_ended_after_the_end_of_an_agent_within_anothers_callback(three, log):
    ended = AgentTerminationError("it ends")

    def end():
        raise ended

    cycle = DutyCycle(three)
    a, _, c = cycle.agents
    raised = []

    def run_others(waiting):
        for _ in range(2):
            with pytest.raises(AgentTerminationError) as caught:
                waiting.run_others()
            raised.append(caught.value)

    # c waits, and runs a; a waits, and runs b, which ends.
    def wait_in_c():
        three[0].inside = lambda: run_others(a)
        three[1].inside = end
        run_others(c)

    three[2].inside = wait_in_c
    assert cycle.violation is None
    with pytest.raises(AgentTerminationError):
        cycle.do_pass()
    assert raised == [ended] * 4
    assert cycle.violation is ended
    log.clear()
    with pytest.raises(AgentTerminationError):
        a.run_others()
    assert log == []
    cycle.close()


def test_stopped_cycle_is_stopping(three):
    cycle = DutyCycle(three)
    assert not cycle.is_stopping
    cycle.stop()
    assert cycle.is_stopping
    cycle.run(IdleStrategy("noop"))  # ends immediately
    cycle.close()


def test_inside_a_composite_all_agents_of_the_thread_run(three, log):
    inner = CompositeAgent(three[1:], role_name="inner")
    with AgentInvoker([three[0], inner]) as invoker:
        log.clear()
        b = PythonAgent(three[1])
        assert b.run_others() == 0  # this agent is not driven
        counts = []
        waiting = inner.agents[1]
        three[2].inside = lambda: counts.append(waiting.run_others())
        invoker.invoke()
        assert log == ["a", "b", "c", "b", "a"]
        assert counts == [3]


def test_composite_within_a_composite_runs_all_agents_of_the_thread(three, log):
    innermost = CompositeAgent(three[2:], role_name="innermost")
    inner = CompositeAgent([three[1], innermost], role_name="inner")
    with AgentInvoker([three[0], inner]) as invoker:
        log.clear()
        counts = []
        waiting = innermost.agents[0]
        three[2].inside = lambda: counts.append(waiting.run_others())
        assert invoker.invoke() == 7
        assert log == ["a", "b", "c", "b", "a"]
        assert counts == [3]
        assert [name for name, *_ in invoker.accounts()] == ["a", "b", "c"]


def test_agent_invoking_its_own_invoker_runs_the_others(three, log):
    with AgentInvoker(three) as invoker:
        log.clear()
        three[0].inside = invoker.invoke
        assert invoker.invoke() == 7
        assert log == ["a", "b", "c", "b", "c"]


def test_a_composite_passes_errors_to_the_outer_handler_and_names_the_agent(three):
    errors = []
    inner = CompositeAgent(three[1:])
    assert inner.role_name == "b+c"
    with AgentInvoker(
        [three[0], inner], error_handler=lambda agent, _: errors.append(agent.role_name)
    ) as invoker:
        three[2].fails = "work"
        assert invoker.invoke() == 3
    assert errors == ["c"]


def test_long_passes_are_counted_by_agent(three):
    source = CachedClock(SystemClock())
    three[1].inside = source.update
    with AgentInvoker(
        [three[0], CompositeAgent(three[1:])], clock=source, stall_threshold_ns=1
    ) as invoker:
        invoker.invoke()
        invoker.invoke()
        accounts = {name: (longest, stalls) for name, longest, stalls in invoker.accounts()}
    assert accounts["a"] == (0, 0)
    assert accounts["b"][0] > 0
    assert accounts["b"][1] == 2
    assert accounts["c"] == (0, 0)


def test_runner_has_its_agents_and_their_accounts(three):
    with AgentRunner(three[:2], idle_strategy="yield") as runner:
        assert [agent.role_name for agent in runner.agents] == ["a", "b"]
        assert [name for name, *_ in runner.accounts()] == ["a", "b"]
    assert not runner.is_running


def test_agent_has_only_one_runner(three):
    agent = PythonAgent(three[0])
    assert not agent.is_driven
    first = AgentInvoker([agent])
    assert agent.is_driven
    with pytest.raises(StateError, match="a: another runner"):
        AgentInvoker([agent])
    first.close()
    assert not agent.is_driven
    with AgentInvoker([agent]) as second:
        assert second.invoke() == 1


def test_a_released_agent_stays_with_its_next_runner(three):
    agent = PythonAgent(three[0])
    first = DutyCycle([agent])
    first.release()
    second = DutyCycle([agent])
    first.release()
    assert agent.is_driven
    second.release()
    assert not agent.is_driven


def test_agents_may_come_from_an_iterator(three):
    with AgentInvoker(iter(three)) as invoker:
        assert invoker.invoke() == 7


def test_states_are_retained(three):
    invoker = AgentInvoker(three)
    assert not invoker.is_started
    with pytest.raises(ClosedError):
        invoker.invoke()
    invoker.start()
    assert invoker.is_started
    with pytest.raises(StateError):
        invoker.start()
    invoker.close()
    with pytest.raises(ClosedError):
        invoker.invoke()
    with pytest.raises(ValueError, match="agents"):
        AgentInvoker([])
    with pytest.raises(TypeError, match="do_work"):
        AgentInvoker([object()])
    with pytest.raises(StateError, match="work function"):
        AgentInvoker([Agent()])
    with pytest.raises(StateError, match="work function"):
        Agent().do_work()


def test_a_negative_count_is_no_exception(log):
    agent = PythonAgent(Recorder("a", log, -1))
    assert agent.do_work() == 0
    assert agent.takes_gil


def test_a_wrapped_object_needs_only_do_work():
    class Bare:
        def do_work(self):
            return 3

    agent = PythonAgent(Bare())
    assert agent.role_name == "Bare"
    agent.on_start()
    assert agent.do_work() == 3
    agent.on_close()


def test_role_name_may_be_a_method():
    class Named:
        def role_name(self):
            return "named"

        def do_work(self):
            return 0

    assert PythonAgent(Named()).role_name == "named"


def test_an_interrupt_is_no_exception_of_an_agent(three):
    def interrupt():
        raise KeyboardInterrupt

    three[0].inside = interrupt
    with (
        AgentInvoker(three, error_handler=lambda *_: None) as invoker,
        pytest.raises(KeyboardInterrupt),
    ):
        invoker.invoke()


def test_nothing_is_logged_where_all_agents_take_the_gil(three, caplog):
    with caplog.at_level(logging.WARNING), AgentInvoker(three):
        pass
    assert not caplog.records
