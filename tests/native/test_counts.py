"""What is counted is what happened; a steady driver and archive do neither for a message.

The figures of a whole node stand on the same counts.
"""

import time
from threading import Event

import pytest

from aeron_cluster.archive.archive_client import AeronArchive
from aeron_cluster.client import Aeron
from tests.native.counted import Counts

MESSAGES = 20_000
BOUND_S = 30.0
RECORDING_POSITION = 100
CONTROL_SESSION = 113
ALLOCATED = 1

SPY = """
import ctypes, json, sys, threading
from aeron_cluster.memory.agent_runner import AgentRunner

class Spy:
    role_name = "spy"
    def do_work(self):
        return len([0] * 100) and 0

with AgentRunner([Spy()], name="spying", idle_strategy="sleep"):
    print(json.dumps("up"), flush=True)
    for line in sys.stdin:
        kept = bytearray(1 << 20)
        print(json.dumps("done"), flush=True)
"""

RECORDING = """
import json, sys
from aeron_cluster.archive.assembly import ArchivingMediaDriver

directory, mode = sys.argv[1:]
with ArchivingMediaDriver.launch(
    {"aeron_dir": directory + "/driver", "threading_mode": mode},
    {"archive_dir": directory + "/archive", "control_channel_enabled": False},
    idle_strategy="backoff",
):
    print(json.dumps("up"), flush=True)
    sys.stdin.readline()
"""

# The driver's conductor sees to its clients and streams in Python, once a second.
SLOW_TICK = "driver/conductor_agent:conductor_agent.do_work"


def await_true(condition):
    deadline = time.monotonic() + BOUND_S
    pause = Event()
    while not condition():
        assert time.monotonic() < deadline, "not within the bound"
        pause.wait(0.001)


def noted(program, run):
    """Return where the GIL or memory was taken while something ran, but for the slow tick."""
    with program.armed():
        run()
    return [str(site) for site in program.sites() if site.agent != SLOW_TICK]


def test_each_threads_own_doings_are_counted(start_counted):
    program = start_counted("-c", SPY)
    assert program.hear() == "up"
    await_true(lambda: program.threads() == {"main", "spying"})
    await_true(lambda: program.counts().get("spying", Counts()).gil > 10)
    before = program.counts()
    program.say("go on")
    assert program.hear() == "done"
    await_true(lambda: program.counts()["spying"].gil > before["spying"].gil + 10)
    done = program.counts()["spying"] - before["spying"]
    assert done.taken >= done.gil  # a list a pass
    assert program.counts()["main"].taken > before["main"].taken


def test_it_is_said_where_it_came_from(start_counted):
    program = start_counted("-c", SPY)
    assert program.hear() == "up"
    await_true(lambda: "spying" in program.counts())
    with program.armed():
        before = program.counts()["spying"]
        await_true(lambda: program.counts()["spying"].gil > before.gil + 10)
    agents = program.agents()
    (spy,) = (kinds for name, kinds in agents.items() if name.startswith("spying"))
    assert spy["GIL"] >= 10
    assert spy["taken"] >= 10
    assert any("PythonAgent" in str(site) or "python" in str(site) for site in program.sites())


@pytest.mark.parametrize("mode", ["INVOKER", "SHARED", "DEDICATED"])
def test_steady_recording_takes_neither_the_gil_nor_memory(start_counted, shm_dir, mode):
    program = start_counted("-c", RECORDING, str(shm_dir), mode)
    assert program.hear() == "up"
    options = {"aeron_dir": shm_dir / "driver"}
    with Aeron.connect(**options) as aeron:
        archive = AeronArchive.connect(
            aeron=aeron,
            control_channel="aeron:ipc",
            control_response_channel="aeron:ipc",
        )
        publication = archive.add_recorded_exclusive_publication("aeron:ipc?term-length=1m", 1001)
        await_true(lambda: publication.is_connected)

        def send(count):
            for _ in range(count):
                await_true(lambda: publication.offer(bytes(64)) > 0)

        counters = aeron.counters_reader

        def recording():
            found = [one for one in counters.counters() if one.type_id == RECORDING_POSITION]
            return found[0].counter_id if found else None

        send(1000)
        await_true(lambda: recording() is not None)
        recorded = recording()
        await_true(lambda: counters.value(recorded) == publication.position)
        # Control sessions are looked at in Python, a hundred times a second.
        sessions = [one for one in counters.counters() if one.type_id == CONTROL_SESSION]
        archive.close()
        await_true(lambda: counters.state(sessions[0].counter_id) != ALLOCATED)

        def record():
            send(MESSAGES)
            position = publication.position
            await_true(lambda: counters.value(recorded) == position)

        # What the session left behind is let go seconds later, in some run's midst.
        for _ in range(20):
            if (found := noted(program, record)) == []:
                break
        assert found == []
