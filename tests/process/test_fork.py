"""In a forked child every object is closed, and closing it again changes nothing shared."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.conftest import PYTHON_PATH, ROOT

BOUND_S = 120.0


def run(program, **options):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": PYTHON_PATH},
        capture_output=True,
        text=True,
        timeout=BOUND_S,
        check=False,
        **options,
    )


AGENT = """
import os, sys, threading
from aeron_cluster.memory.agents.agent import AgentInvoker
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.errors import ClosedError

class Agent:
    def __init__(self):
        self.worked = threading.Event()
    def do_work(self):
        self.worked.set()
        return 0
    def on_close(self):
        print("closed in", "parent" if os.getpid() == parent else "child", flush=True)

parent = os.getpid()
agent, driven = Agent(), Agent()
runner, invoker = AgentRunner([agent]), AgentInvoker([driven])
"""


def test_runners_and_invokers_are_dead_in_the_child():
    done = run(
        AGENT
        + """
runner.start()
invoker.start()
invoker.invoke()
assert agent.worked.wait(100)
child = os.fork()
if child == 0:
    for call in (runner.start, runner.run, invoker.start, invoker.invoke):
        try:
            call()
        except ClosedError as error:
            print("rejected", error, flush=True)
    print("running", runner.is_running, runner.close(), invoker.close(), flush=True)
    sys.exit(0)
os.waitpid(child, 0)
print("parent", runner.is_running, invoker.invoke(), flush=True)
runner.close()
invoker.close()
"""
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == [
        *["rejected"] * 4,
        "running",
        "parent",
        "closed",
        "closed",
    ]
    assert "running False True None" in lines
    assert "parent True 0" in lines
    assert all("closed in parent" in line for line in lines if line.startswith("closed"))
    assert "forked" in lines[0]


def test_a_running_runner_is_closed_at_interpreter_exit():
    done = run(AGENT + "runner.start()\nassert agent.worked.wait(100)\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "closed in parent\n"
    assert done.stderr == ""


def test_an_exception_at_the_end_still_closes_the_runner():
    done = run(AGENT + "runner.start()\nassert agent.worked.wait(100)\nraise SystemExit(3)\n")
    assert done.returncode == 3
    assert done.stdout == "closed in parent\n"


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_barrier_opens_on_a_signal_and_restores_the_handlers(name):
    program = f"""
    import os, signal, sys
    from aeron_cluster.memory.system.signals import ShutdownSignalBarrier
    before = signal.getsignal(signal.{name})
    with ShutdownSignalBarrier() as barrier:
        os.kill(os.getpid(), signal.{name})
        assert barrier.wait(100.0)
    assert barrier.received is signal.{name}
    assert signal.getsignal(signal.{name}) is before
    with ShutdownSignalBarrier() as barrier:
        assert not barrier.wait(0.0)
        barrier.signal()
        assert barrier.wait()
    """
    done = run(program)
    assert done.returncode == 0, done.stderr


def test_import_starts_nothing_and_is_quick():
    program = """
    import sys, threading, signal, time
    before = signal.getsignal(signal.SIGINT)
    begin = time.process_time()
    import aeron_cluster.memory.agents.agent_runner
    import aeron_cluster.memory.system.seams
    assert time.process_time() - begin < 1.0
    assert threading.active_count() == 1
    assert signal.getsignal(signal.SIGINT) is before
    assert not {"numpy", "rich", "click", "asyncio"} & set(sys.modules)
    """
    done = run(program)
    assert done.returncode == 0, done.stderr


def test_end_of_a_forked_child_does_not_drive_the_node(tmp_path, free_port):
    done = run(
        f"""
        import os, sys
        from aeron_cluster.cluster.assembly import ClusterNode, local_member
        from aeron_cluster.cluster.service.clustered_service import ClusteredService
        node = ClusterNode(
            [ClusteredService()],
            {str(tmp_path)!r},
            members=local_member(0, "localhost", {free_port(10)}),
            threads="none",
        )
        pids = []
        node._resources.callback(lambda: pids.append(os.getpid()))
        child = os.fork()
        if child == 0:
            node.close()
            print("released in the child:", pids, flush=True)
            sys.exit(0)  # runs the interpreter's exit handlers
        print("status", os.waitpid(child, 0)[1], flush=True)
        directory = node.driver.aeron_dir
        assert os.path.isdir(directory)
        node.close()
        assert not os.path.isdir(directory)
        """
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["released in the child: []", "status 0"]
    assert "Traceback" not in done.stderr


def test_open_driver_removes_its_directory_at_exit():
    done = run(
        """
        from aeron_cluster.driver.media_driver import MediaDriver
        print(MediaDriver.launch(threading_mode="SHARED").aeron_dir)
        """
    )
    assert done.returncode == 0, done.stderr
    directory = Path(done.stdout.strip())
    assert directory.is_absolute()
    assert not directory.exists()
    assert done.stderr == ""
