"""The counts are correct, and the steady state of nodes has none."""

import time
from threading import Event

import pytest

from aeron_cluster.archive.client.archive_client import AeronArchive
from aeron_cluster.client import Aeron
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from benchmarks.native.build import build_service
from tests.native.counted import Counts

MESSAGES = 20_000
ECHOES = 100_000
WINDOW = 64
BOUND_S = 120.0
RECORDING_POSITION = 100

SPY = """
import ctypes, json, sys, threading
from aeron_cluster.memory.agents.agent_runner import AgentRunner

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
    driver={"aeron_dir": directory + "/driver", "threading_mode": mode},
    archive={"archive_dir": directory + "/archive", "control_channel_enabled": False,
     "replication_channel": "aeron:udp?endpoint=localhost:0"},
    idle_strategy="backoff",
):
    print(json.dumps("up"), flush=True)
    sys.stdin.readline()
"""

NODE = """
import json, sys
from aeron_cluster.cluster.assembly import ClusterNode, local_member
from aeron_cluster.cluster.service.native_service import NativeService

directory, library, port, threads, interval = sys.argv[1:]
with ClusterNode.launch(
    NativeService.load(library, "echo_service"),
    directory=directory + "/data",
    members=local_member(base_port=int(port)),
    threads=threads,
    driver={"aeron_dir": directory + "/driver"},
    container={"divergence_interval": int(interval)},
    # Sessions are checked in Python only once in this time.
    consensus_module={"session_timeout_ns": 600_000_000_000},
):
    print(json.dumps("up"), flush=True)
    sys.stdin.readline()
"""


def await_true(condition):
    deadline = time.monotonic() + BOUND_S
    pause = Event()
    while not condition():
        assert time.monotonic() < deadline, "timeout"
        pause.wait(0.001)


def noted(program, run):
    """Return the sites that took the GIL or memory while a function ran."""
    with program.armed():
        run()
    return [str(site) for site in program.sites()]


def test_uses_of_each_thread_are_counted(start_counted):
    program = start_counted("-c", SPY)
    assert program.receive() == "up"
    await_true(lambda: program.threads() == {"main", "spying"})
    await_true(lambda: program.counts().get("spying", Counts()).gil > 10)
    before = program.counts()
    program.emit("go on")
    assert program.receive() == "done"
    await_true(lambda: program.counts()["spying"].gil > before["spying"].gil + 10)
    done = program.counts()["spying"] - before["spying"]
    # one list per pass; the first and the last may be counted partly
    assert done.taken >= done.gil - 2
    assert program.counts()["main"].taken > before["main"].taken


def test_the_origin_of_each_use_is_reported(start_counted):
    program = start_counted("-c", SPY)
    assert program.receive() == "up"
    await_true(lambda: "spying" in program.counts())
    with program.armed():
        before = program.counts()["spying"]
        await_true(lambda: program.counts()["spying"].gil > before.gil + 10)
    agents = program.agents()
    # Uses between two calls of the work function, which a busy machine shows, have another name.
    of_spy = [kinds for name, kinds in agents.items() if name.startswith("spying")]
    spy = max(of_spy, key=lambda kinds: kinds.get("GIL", 0))
    assert spy["GIL"] >= 10
    assert spy["taken"] >= 10
    assert any("PythonAgent" in str(site) or "python" in str(site) for site in program.sites())


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", ["INVOKER", "SHARED", "DEDICATED"])
def test_steady_recording_uses_neither_the_gil_nor_memory(start_counted, shm_dir, mode):
    program = start_counted("-c", RECORDING, str(shm_dir), mode)
    assert program.receive() == "up"
    options = {"aeron_dir": shm_dir / "driver"}
    with Aeron.connect(**options) as aeron:
        archive = AeronArchive.connect(
            aeron=aeron,
            control_channel="aeron:ipc",
            control_response_channel="aeron:ipc",
            message_timeout_ns=120_000_000_000,
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

        def record():
            send(MESSAGES)
            position = publication.position
            await_true(lambda: counters.value(recorded) == position)

        # Memory of the start is freed seconds later, during one of the runs.
        for _ in range(20):
            if (found := noted(program, record)) == []:
                break
        assert found == []


class Counter(EgressListener):
    """Counts echoes and the wrong ones among them."""

    def __init__(self):
        self.count = self.wrong = 0

    def on_message(self, timestamp, message, header):  # noqa: ARG002
        self.wrong += int.from_bytes(message[:8], "little") != self.count
        self.count += 1


def echo(client, counter, count):
    """Send messages, each with the number of earlier ones, and receive each back."""
    sent, end = counter.count, counter.count + count
    deadline, known = time.monotonic() + BOUND_S, counter.count
    while counter.count < end:
        if counter.count != known:  # progress renews the timeout
            deadline, known = time.monotonic() + BOUND_S, counter.count
        if (
            sent < end
            and sent - counter.count < WINDOW
            and client.offer(sent.to_bytes(8, "little") + bytes(56))
        ):
            sent += 1
        client.poll_egress(WINDOW)
        assert time.monotonic() < deadline, f"{end - counter.count} echoes are missing"
    assert counter.wrong == 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("threads", "interval"), [("one", 0), ("one", 65536), ("two", 0), ("each", 0)]
)
def test_a_node_with_a_native_service_uses_neither_gil_nor_memory_for_100_000_messages(
    start_counted, shm_dir, free_port, tmp_path, threads, interval
):
    library = build_service("echo_service", tmp_path)
    port = free_port(10)
    program = start_counted(
        "-c", NODE, str(shm_dir), str(library), str(port), threads, str(interval)
    )
    assert program.receive() == "up"
    counter = Counter()
    with AeronCluster.connect(
        aeron_dir=shm_dir / "driver",
        ingress_channel="aeron:udp",
        ingress_endpoints=f"0=localhost:{port + 1}",
        egress_channel="aeron:udp?endpoint=localhost:0",
        message_timeout_ns=120_000_000_000,
        listener=counter,
    ) as client:
        echo(client, counter, 1000)
        # Memory of the start is freed seconds later, during one of the runs.
        for _ in range(5):
            if (found := noted(program, lambda: echo(client, counter, ECHOES))) == []:
                break
        assert found == []


def test_leader_and_follower_use_neither_gil_nor_memory_for_messages_and_positions(
    start_counted, shm_dir
):
    """AppendPosition and CommitPosition with each message, and their heartbeats."""
    program = start_counted("-m", "tests.native.two_members", str(shm_dir))
    assert program.receive() == "up"

    def send():
        program.emit(MESSAGES // 4)
        assert program.receive() == "done"

    send()
    # Both once looked up the source of the first messages.
    assert program.counts()["members"].gil > 0
    with program.armed():
        send()
    assert [str(site) for site in program.sites() if site.thread == "members"] == []
