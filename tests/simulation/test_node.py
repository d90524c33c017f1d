"""A whole node and a client on simulated machines, in one thread, from a seed."""

import contextlib
import random
import struct
import sys

import pytest

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.assembly import ClusterNode, local_member
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AeronClusterError, AgentTerminationError, CorruptError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.simulator.world.link_faults import LinkFaults
from aeron_cluster.simulator.world.machine import World
from tests.conftest import SEED
from tests.unit.cluster.module_rig import session_message

MS = 1_000_000
S = 1_000_000_000
BAD_WIRE = LinkFaults(
    loss=0.05, duplicate=0.05, truncate=0.01, min_delay_ns=MS // 20, max_delay_ns=MS
)
ENTRY = struct.Struct("<q")
MEMBER = str(local_member(0, "node"))
LOG = {"log_channel": "aeron:udp?term-length=64k"}


class Ledger(ClusteredService):
    """Records each received number and echoes it."""

    def __init__(self):
        self.numbers = []

    def on_start(self, cluster, snapshot_image):
        self.cluster = cluster
        self.numbers.clear()
        if snapshot_image is None:
            return

        def load_number(message, _):
            self.numbers.append(ENTRY.unpack(message)[0])

        while not snapshot_image.is_end_of_stream:
            cluster.idle(snapshot_image.poll(load_number, 10))

    def on_session_message(self, session, timestamp, message, header):  # noqa: ARG002
        self.numbers.append(ENTRY.unpack_from(message)[0])
        while session.offer(bytes(message)) == -2:
            self.cluster.idle()

    def on_take_snapshot(self, snapshot_publication):
        for number in self.numbers:
            while not snapshot_publication.offer(ENTRY.pack(number)):
                self.cluster.idle()


class Acknowledgements(EgressListener):
    def __init__(self):
        self.numbers = []

    def on_message(self, timestamp, message, header):  # noqa: ARG002
        self.numbers.append(ENTRY.unpack_from(message)[0])


class Cluster:
    """One member on a machine, one client on another."""

    def __init__(self, seed, faults=None, node_options=None):
        self.world = World(seed)
        self.node_machine = self.world.add_machine("node", "10.0.0.1")
        self.client_machine = self.world.add_machine("client", "10.0.0.2")
        if faults is not None:
            self.world.wire.set_faults(None, None, faults)
        self.node_options = node_options or {}
        self.errors = []
        self.acknowledged = []
        self.next_number = 0
        self.node = None
        self.client = None
        seams = self.client_machine.start_process()
        self.driver = MediaDriver.launch(
            seams=seams,
            environment={},
            aeron_dir="/dev/shm/client",
            threading_mode="INVOKER",
            term_buffer_length="64k",
        )
        self.driver.invoker.start()
        self.invokers = [self.driver.invoker]
        self.aeron = Aeron.connect(
            aeron_dir="/dev/shm/client",
            seams=seams,
            use_conductor_invoker=True,
            driver_invoker=self.drive,
        )
        self.invokers.append(self.aeron.conductor_agent_invoker)

    # ---- the node ----

    def start(self):
        self.ledger = Ledger()
        seams = self.node_machine.start_process()
        self.node = ClusterNode.launch(
            self.ledger,
            directory="/data",
            members=MEMBER,
            threads="none",
            seams=seams,
            driver={
                "aeron_dir": "/dev/shm/node",
                "environment": {},
                "term_buffer_length": "64k",
                "ipc_term_buffer_length": "64k",
            },
            archive={
                "segment_file_length": 256 * 1024,
                "error_handler": self.errors.append,
                **self.node_options.get("archive", {}),
            },
            consensus_module={
                "error_handler": self.errors.append,
                **LOG,
                **self.node_options.get("consensus_module", {}),
            },
            container={"error_handler": self.errors.append},
            latency=self.node_options.get("latency", False),
        )
        self.node.invoker.start()
        self.run_until(lambda: self.module.is_leading)

    @property
    def module(self):
        return self.node.consensus_module

    def drive(self):
        for invoker in self.all_invokers():
            invoker.invoke()
        self.world.time.advance(MS // 10)

    def all_invokers(self):
        return [*self.invokers, *([self.node.invoker] if self.node else [])]

    def run_until(self, is_done, timeout_ns=60 * S):
        self.world.run_until(is_done, self.all_invokers(), timeout_ns=timeout_ns)

    # ---- the client ----

    def connect(self):
        self.listener = Acknowledgements()
        self.client = AeronCluster.connect(
            aeron=self.aeron,
            agent_invoker=self.drive,
            idle_strategy=IdleStrategy("noop"),
            message_timeout_ns=30 * S,
            ingress_channel="aeron:udp",
            ingress_endpoints="0=node:9001",
            egress_channel="aeron:udp?endpoint=client:0",
            listener=self.listener,
        )

    def send(self, count, acknowledge=True):
        """Send numbers and wait for the service's answers."""
        end = self.next_number + count
        sent = len(self.listener.numbers) + count

        def is_done():
            self.client.poll_egress()
            while self.next_number < end and self.client.offer(ENTRY.pack(self.next_number)):
                self.next_number += 1
            if not acknowledge:
                return self.next_number == end
            return len(self.listener.numbers) == sent

        self.run_until(is_done)

    def record_acknowledged_and_disconnect(self):
        """Record the acknowledged numbers and discard the session, which was lost with the node."""
        self.node = None
        self.acknowledged += self.listener.numbers
        with contextlib.suppress(AeronClusterError):
            self.client.close()
        self.client = None

    def await_acknowledged(self):
        """Wait until the ledger has every acknowledged number; no number may occur twice."""
        numbers = self.ledger.numbers
        self.run_until(lambda: set(self.acknowledged) <= set(numbers))
        assert numbers == sorted(set(numbers))

    def close(self):
        with contextlib.ExitStack() as stack:
            stack.callback(self.driver.close)
            stack.callback(self.aeron.close)
            if self.node is not None:
                stack.callback(self.node.close)


@pytest.fixture
def make():
    with contextlib.ExitStack() as stack:
        yield lambda *arguments, **options: stack.enter_context(
            contextlib.closing(Cluster(*arguments, **options))
        )


def test_a_node_serves_a_client(make):
    cluster = make(1)
    cluster.start()
    cluster.connect()
    cluster.send(100)
    assert cluster.ledger.numbers == list(range(100))
    assert cluster.errors == []


def test_dropped_datagrams_are_counted_and_are_no_error(make):
    cluster = make(1)
    cluster.start()
    cluster.connect()
    stray = cluster.aeron.add_publication("aeron:udp?endpoint=node:9001", 101)
    cluster.run_until(lambda: stray.is_connected)
    session_id = cluster.client.cluster_session_id
    for message in (session_message(session_id, b"late", term_id=99), b"no message", b"nor this"):
        stray.offer(message)
    ignored = {"stale_term": 1, "malformed": 2}
    cluster.run_until(lambda: {k: n for k, n in cluster.module.ignored.items() if n} == ignored)
    cluster.send(10)
    assert cluster.ledger.numbers == list(range(10))
    assert cluster.module.counters.errors.get() == 0
    assert cluster.errors == []


@pytest.mark.parametrize("seed", range(4))
def test_serves_over_a_bad_wire(make, seed):
    cluster = make(seed, BAD_WIRE)
    cluster.start()
    cluster.connect()
    cluster.send(200)
    assert cluster.ledger.numbers == list(range(200))


def test_the_seed_decides_a_whole_run(make):
    def run(seed):
        cluster = make(seed, BAD_WIRE)
        cluster.start()
        cluster.connect()
        cluster.send(50)
        return cluster.world.wire.trace, cluster.world.time.now_ns

    first = run(3)
    assert run(3) == first
    assert run(4) != first


def test_a_pause_longer_than_the_drivers_timeout_ends_the_node_and_loses_nothing(make):
    cluster = make(1)
    cluster.start()
    cluster.connect()
    cluster.send(10)
    cluster.world.time.advance(13 * S)
    with pytest.raises(AgentTerminationError, match=r"interval=13\.0s"):
        cluster.run_until(lambda: False)
    cluster.node.close()
    cluster.record_acknowledged_and_disconnect()
    cluster.start()
    cluster.await_acknowledged()


def test_a_requested_shutdown_stores_the_state_in_a_snapshot(make):
    cluster = make(2)
    cluster.start()
    cluster.connect()
    cluster.send(10)
    assert cluster.module.try_toggle(ControlToggle.SHUTDOWN)
    with pytest.raises(AgentTerminationError, match="requested to end") as ended:
        cluster.run_until(lambda: False)
    assert ended.value.is_expected
    cluster.node.close()
    cluster.record_acknowledged_and_disconnect()
    cluster.start()
    assert cluster.ledger.numbers == list(range(10))


def test_a_damaged_log_ends_the_node_and_is_left_unchanged(make):
    cluster = make(1)
    cluster.start()
    cluster.connect()
    cluster.send(10)
    cluster.node_machine.kill_process()
    cluster.record_acknowledged_and_disconnect()
    files = cluster.node_machine.files
    with files.open("/data/archive/0-0.rec", write=True) as segment:
        segment.write_at(b"\xff" * 32, 128)
        damaged = segment.read_at(1024, 0)
    with pytest.raises(
        AgentTerminationError, match=r"damaged.*position=96.*0-0\.rec.*start it from"
    ):
        cluster.start()
    assert 1 <= len(cluster.errors) <= 20
    cluster.node.close()
    assert files.read("/data/archive/0-0.rec")[:1024] == damaged


def test_a_node_without_its_log_does_not_start_with_an_empty_log(make):
    cluster = make(1)
    cluster.start()
    cluster.connect()
    cluster.send(10)
    cluster.node_machine.kill_process()
    cluster.record_acknowledged_and_disconnect()
    cluster.node_machine.files.remove("/data/archive/0-0.rec")
    with pytest.raises(CorruptError, match=r"segments of recording 0.*may have been published"):
        cluster.start()


@pytest.mark.parametrize("left", [None, 0, 10])
def test_a_node_without_its_recording_log_does_not_start_with_an_empty_log(make, left):
    cluster = make(1)
    cluster.start()
    cluster.connect()
    cluster.send(10)
    cluster.node_machine.kill_process()
    cluster.record_acknowledged_and_disconnect()
    files = cluster.node_machine.files
    path = "/data/cluster/recording.log"
    whole = files.read(path)
    files.remove(path)
    if left is not None:
        with files.open(path, write=True, create=True) as file:
            file.write_at(whole[:left], 0)
    with pytest.raises(AgentTerminationError, match=r"recording\.log: expected the terms of rec"):
        cluster.start()
    cluster.node.close()
    cluster.node = None
    assert files.read(path) == whole[: left or 0]
    files.remove(path)
    with files.open(path, write=True, create=True) as file:
        file.write_at(whole, 0)
    cluster.start()
    cluster.await_acknowledged()


def test_node_with_a_log_lost_by_its_archive_names_the_file(make):
    cluster = make(1)
    cluster.start()
    cluster.connect()
    cluster.send(10)
    cluster.node_machine.kill_process()
    cluster.record_acknowledged_and_disconnect()
    cluster.node_machine.files.remove_tree("/data/archive")
    with pytest.raises(
        AgentTerminationError, match=r"recording\.log: .*found 0, which it does not"
    ):
        cluster.start()


def test_node_failing_to_bind_its_ingress_reports_it_and_ends(make, monkeypatch):
    # An election that fails in its last state, after services have read the term's beginning.
    monkeypatch.setattr(
        sys.modules[__name__], "MEMBER", MEMBER.replace("node:9001", "10.9.9.9:9001")
    )
    cluster = make(1)
    with pytest.raises(AgentTerminationError, match=r"failed 5 times in a row.*10\.9\.9\.9:9001"):
        cluster.start()
    assert len({str(error) for error in cluster.errors}) <= 2


def survive(cluster, end_process, rounds=4):
    """End a node at random moments under load; check that acknowledged numbers are retained."""
    rng = cluster.world.random
    for _ in range(rounds):
        cluster.start()
        cluster.await_acknowledged()
        cluster.connect()
        cluster.send(1 + rng.below(80))
        if rng.below(2):
            assert cluster.module.try_toggle(ControlToggle.SNAPSHOT)
            if rng.below(2):
                cluster.run_until(lambda: cluster.module.counters.snapshot_count.get() == 1)
        cluster.send(1 + rng.below(40), acknowledge=False)
        for _ in range(rng.below(200)):
            cluster.drive()
            cluster.client.poll_egress()
        end_process()
        cluster.record_acknowledged_and_disconnect()
    cluster.start()
    cluster.await_acknowledged()


@pytest.mark.parametrize("seed", range(8))
def test_repeatedly_killed_node_retains_acknowledged_messages(make, seed):
    cluster = make(seed, BAD_WIRE)
    survive(cluster, cluster.node_machine.kill_process)


class Ended(BaseException):
    """The process ended in the middle of an operation."""


def test_node_killed_at_any_file_call_of_its_first_start_can_start_again(make, monkeypatch):
    cluster = make(1)
    cluster.start()
    count = cluster.node_machine.files.call_count
    drive = ClusterNode._invoke_unassigned_agents

    def drive_until_killed(node):
        drive(node)
        if node._seams.files.is_stopped:
            raise Ended  # otherwise the constructor would wait forever

    monkeypatch.setattr(ClusterNode, "_invoke_unassigned_agents", drive_until_killed)
    for call in random.Random(SEED).sample(range(1, count), 25):
        cluster = make(call)
        machine = cluster.node_machine
        files, start_process = machine.files, machine.start_process
        with monkeypatch.context() as patch:

            def start_and_kill(call=call, start_process=start_process, files=files):
                seams = start_process()
                files.stop_after(call)
                return seams

            def invokers(self=cluster, files=files):
                if files.is_stopped:
                    raise Ended
                return Cluster.all_invokers(self)

            patch.setattr(machine, "start_process", start_and_kill)
            patch.setattr(cluster, "all_invokers", invokers)
            with contextlib.suppress(Exception, Ended):
                cluster.start()
        machine.kill_process()
        files.stop_after(-1)
        cluster.node = None
        cluster.start()
        assert cluster.module.is_leading, f"killed at call {call}"


SYNCED = {
    "archive": {"file_sync_level": 2, "catalog_file_sync_level": 2},
    "consensus_module": {"file_sync_level": 2},
}


@pytest.mark.parametrize("seed", range(8))
def test_node_retains_acknowledged_messages_after_a_power_loss(make, seed):
    cluster = make(seed, BAD_WIRE, SYNCED)
    machine = cluster.node_machine

    def lose_power():
        machine.lose_power()
        # /dev/shm is in memory: empty after a power loss.
        if machine.files.is_directory("/dev/shm"):
            machine.files.remove_tree("/dev/shm")
        machine.files.make_directory("/dev/shm", parents=True)

    survive(cluster, lose_power)
