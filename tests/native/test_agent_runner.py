"""Runners with real threads, agents without the GIL, and another thread that holds the GIL."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from aeron_cluster.errors import (
    AgentTerminationError,
    ClosedError,
    ConfigurationError,
    PlatformError,
    StateError,
)
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.memory.system.affinity import parse_cpus

BOUND_S = 120.0


@pytest.fixture(scope="module")
def counting(build_extension):
    return build_extension(Path(__file__).parent / "counting_agent.pyx").CountingAgent


def await_true(condition):
    deadline = time.monotonic() + BOUND_S
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, "timeout"
        pause.wait(0.0005)


class Probe:
    """An agent in Python that records its thread."""

    role_name = "probe"

    def __init__(self):
        self.thread = None
        self.passes = 0
        self.error = None
        self.closed = 0

    def on_start(self):
        self.thread = threading.current_thread()

    def do_work(self):
        self.passes += 1
        if self.error is not None:
            raise self.error
        return 0

    def on_close(self):
        self.closed += 1


def test_a_separate_thread_drives_the_agents_until_close():
    probe = Probe()
    runner = AgentRunner([probe], name="worker")
    assert not runner.is_running
    runner.start()
    await_true(lambda: probe.passes > 10)
    assert runner.is_running
    assert probe.thread.name == "worker"
    assert probe.thread is not threading.current_thread()
    assert runner.close(BOUND_S)
    assert not runner.is_running
    assert probe.closed == 1
    assert runner.close()
    with pytest.raises(ClosedError):
        runner.start()


@pytest.mark.parametrize("strategy", ["spin", "yield", "backoff", "sleep", "noop"])
def test_each_strategy_drives(counting, strategy):
    agent = counting()
    with AgentRunner([agent], idle_strategy=strategy):
        await_true(lambda: agent.passes > 100)


def test_passes_continue_while_another_thread_holds_the_gil(counting):
    agent = counting()
    interval = sys.getswitchinterval()
    with AgentRunner([agent], idle_strategy="noop"):
        await_true(lambda: agent.passes > 0)
        # The GIL is not released in this call: passes counted meanwhile ran without it.
        sys.setswitchinterval(BOUND_S)
        try:
            before = agent.passes
            deadline = time.monotonic() + BOUND_S
            while agent.passes < before + 10_000 and time.monotonic() < deadline:
                pass
            assert agent.passes >= before + 10_000
        finally:
            sys.setswitchinterval(interval)


def test_an_exception_is_counted_reported_and_the_passes_continue(counting):
    agent = counting()
    found = []
    runner = AgentRunner([agent], error_handler=lambda *what: found.append(what))
    agent.fail_at(5)
    with runner:
        await_true(lambda: agent.passes > 10)
    assert runner.error_count == 1
    ((culprit, error),) = found
    assert culprit is agent
    assert isinstance(error, PlatformError)
    assert isinstance(error, FileNotFoundError)
    assert error.filename == "counting"
    assert runner.failure is None


def test_exception_ends_the_runner_if_configured(counting):
    agent, beside = counting(), Probe()
    runner = AgentRunner([beside, agent], stop_on_error=True)
    agent.fail_at(5)
    runner.start()
    await_true(lambda: not runner.is_running)
    assert isinstance(runner.failure, FileNotFoundError)
    assert beside.passes == 5
    assert beside.closed == 1
    runner.close()


def test_an_agent_may_end_its_runner():
    probe = Probe()
    probe.error = AgentTerminationError("done")
    runner = AgentRunner([probe])
    runner.start()
    await_true(lambda: not runner.is_running)
    assert runner.failure is None
    assert runner.error_count == 0
    assert probe.closed == 1
    runner.close()


def test_a_failing_handler_ends_the_runner():
    probe = Probe()
    probe.error = RuntimeError("work")

    def fail(_agent, error):
        raise ValueError("handler") from error

    runner = AgentRunner([probe], error_handler=fail)
    runner.start()
    await_true(lambda: not runner.is_running)
    assert isinstance(runner.failure, ValueError)
    runner.close()


def test_failed_start_of_an_agent_is_the_failure():
    class Broken(Probe):
        def on_start(self):
            raise RuntimeError("broken")

    first = Probe()
    runner = AgentRunner([first, Broken()])
    runner.start()
    await_true(lambda: not runner.is_running)
    assert str(runner.failure) == "broken"
    assert (first.passes, first.closed) == (0, 1)
    runner.close()


def test_an_agent_may_close_its_runner():
    class Closing(Probe):
        def do_work(self):
            self.passes += 1
            assert not runner.close()
            return 0

    agent = Closing()
    runner = AgentRunner([agent])
    runner.start()
    await_true(lambda: not runner.is_running)
    assert (agent.passes, agent.closed) == (1, 1)


def test_python_beside_agents_without_the_gil_is_logged(counting, caplog):
    AgentRunner([counting(), Probe()]).close()
    assert "probe: takes the GIL" in caplog.text
    caplog.clear()
    AgentRunner([Probe(), Probe()]).close()
    AgentRunner([counting()]).close()
    assert not caplog.records


@pytest.mark.skipif(sys.platform != "linux", reason="no pinning")
def test_the_thread_is_pinned_and_named():
    cpu = min(os.sched_getaffinity(0))
    seen = []

    class Pinned(Probe):
        def on_start(self):
            seen.append(os.sched_getaffinity(0))
            seen.append(Path(f"/proc/self/task/{threading.get_native_id()}/comm").read_text())

    with AgentRunner([Pinned()], name="a-rather-long-name", cpus=[cpu]):
        await_true(lambda: len(seen) == 2)
    assert seen[0] == {cpu}
    assert seen[1] == "a-rather-long-n\n"


@pytest.mark.skipif(sys.platform != "linux", reason="no pinning")
def test_a_missing_processor_is_the_failure():
    runner = AgentRunner([Probe()], cpus=[1 << 20])
    runner.start()
    await_true(lambda: not runner.is_running)
    assert isinstance(runner.failure, ConfigurationError)
    runner.close()


def test_list_of_processors_is_parsed_or_rejected():
    assert parse_cpus("0,2-4") == {0, 2, 3, 4}
    for text in ("", "a", "1-", "-1", "3-1"):
        with pytest.raises(ConfigurationError):
            parse_cpus(text)


def test_processors_that_no_system_has_are_rejected():
    assert parse_cpus("8190-8191") == {8190, 8191}
    for text in ("8192", "0-8192", "8192-0", "1,9" + "0" * 90):
        with pytest.raises(ConfigurationError, match="below 8192"):
            parse_cpus(text)


def test_signal_ends_a_runner_on_the_main_thread_soon(counting):
    agent = counting()
    runner = AgentRunner([agent], idle_strategy="noop")
    main = threading.main_thread().ident

    def interrupt():
        await_true(lambda: agent.passes > 0)
        signal.pthread_kill(main, signal.SIGINT)

    helper = threading.Thread(target=interrupt)
    # A shell ignores SIGINT in background jobs, such as these tests may be.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        helper.start()
        with pytest.raises(KeyboardInterrupt):
            runner.run()
    finally:
        signal.signal(signal.SIGINT, before)
    helper.join(BOUND_S)
    assert not runner.is_running
    with pytest.raises(StateError):
        runner.start()
    assert runner.close()


def test_close_by_another_thread_ends_run(counting):
    agent = counting()
    runner = AgentRunner([agent])

    def stop():
        await_true(lambda: agent.passes > 0)
        runner.close(BOUND_S)

    helper = threading.Thread(target=stop)
    helper.start()
    runner.run()
    helper.join(BOUND_S)
    assert not runner.is_running


def test_many_runners_start_and_close_without_leaving_threads(counting):
    before = threading.active_count()
    for _ in range(50):
        agents = [counting() for _ in range(3)]
        runners = [AgentRunner([agent], idle_strategy="sleep") for agent in agents]
        for runner in runners:
            runner.start()
        await_true(lambda agents=agents: all(agent.passes > 0 for agent in agents))
        for runner in reversed(runners):
            assert runner.close(BOUND_S)
    await_true(lambda: threading.active_count() <= before)
