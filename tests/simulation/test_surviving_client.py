"""A surviving client and a node killed under load, on simulated machines, from a seed."""

import contextlib
import struct

import pytest

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.assembly import ClusterNode
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.deduplication import Deduplication
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster_client.request_listener import RequestListener
from aeron_cluster.cluster_client.survival_state import SurvivalState
from aeron_cluster.cluster_client.surviving_client import SurvivingClient
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import NotReconnectedError, UnknownClientError
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.memory.agents.agent import AgentInvoker, PythonAgent
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.simulator.world.machine import World
from tests.simulation.test_node import BAD_WIRE, LOG, MEMBER, MS, S

ENTRY = struct.Struct("<q")


class Ledger(ClusteredService):
    """Records each received number, and answers with their count."""

    def __init__(self):
        self.numbers = []

    def on_start(self, cluster, snapshot_image):
        self.cluster = cluster
        self.requests = Deduplication(cluster, window_length=32)
        self.numbers.clear()
        if snapshot_image is None:
            return

        def take(message, _):
            if not self.requests.load(message):
                self.numbers.append(ENTRY.unpack_from(message)[0])

        assembler = FragmentAssembler(take)
        while not snapshot_image.is_end_of_stream:
            cluster.idle(snapshot_image.poll(assembler, 10))
        self.requests.check_loaded()

    def on_session_message(self, session, timestamp, message, header):  # noqa: ARG002
        self.requests.handle(session, timestamp, message, self.enter)

    def enter(self, request):
        self.numbers.append(ENTRY.unpack_from(request.payload)[0])
        return ENTRY.pack(len(self.numbers))

    def on_take_snapshot(self, snapshot_publication):
        for number in self.numbers:
            while not snapshot_publication.offer(ENTRY.pack(number)):
                self.cluster.idle()
        self.requests.write_snapshot(snapshot_publication)


class Answers(RequestListener):
    """Records the client's callbacks."""

    def __init__(self):
        self.answered = {}
        self.states = []

    def on_answer(self, sequence, body):
        assert sequence not in self.answered, "answered twice"
        self.answered[sequence] = ENTRY.unpack(body)[0]

    def on_state_change(self, state, reason):  # noqa: ARG002
        self.states.append(state)


class Run:
    """One member on a machine, one surviving client on another."""

    def __init__(self, seed, faults=None):
        self.world = World(seed)
        self.node_machine = self.world.add_machine("node", "10.0.0.1")
        self.client_machine = self.world.add_machine("client", "10.0.0.2")
        if faults is not None:
            self.world.wire.set_faults(None, None, faults)
        self.errors = []
        self.node = None
        self.client = None
        self.sent = 0
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
            driver_invoker=self.driver.invoker.invoke,
        )
        self.invokers.append(self.aeron.conductor_agent_invoker)
        self.listener = Answers()

    def start_client(self, **options):
        self.client = SurvivingClient.start(
            aeron=self.aeron,
            idle_strategy=IdleStrategy("noop"),
            ingress_channel="aeron:udp",
            ingress_endpoints="0=node:9001",
            egress_channel="aeron:udp?endpoint=client:0",
            listener=self.listener,
            **options,
        )
        agent = AgentInvoker([PythonAgent(self.client)], error_handler=self.on_error)
        agent.start()
        self.invokers.append(agent)

    def on_error(self, _agent, error):
        self.errors.append(error)

    def start_node(self):
        self.ledger = Ledger()
        self.node = ClusterNode.launch(
            self.ledger,
            directory="/data",
            members=MEMBER,
            threads="none",
            seams=self.node_machine.start_process(),
            driver={
                "aeron_dir": "/dev/shm/node",
                "environment": {},
                "term_buffer_length": "64k",
                "ipc_term_buffer_length": "64k",
            },
            archive={"segment_file_length": 256 * 1024, "error_handler": self.errors.append},
            consensus_module={"error_handler": self.errors.append, **LOG},
            container={"error_handler": self.errors.append},
        )
        self.node.invoker.start()

    def kill_node(self):
        self.node_machine.kill_process()
        self.node = None

    def run_until(self, is_done, timeout_ns=120 * S):
        invokers = [*self.invokers, *([self.node.invoker] if self.node else [])]
        self.world.run_until(is_done, invokers, timeout_ns=timeout_ns)

    def run_for(self, duration_ns):
        end_ns = self.world.time.now_ns + duration_ns
        self.run_until(lambda: self.world.time.now_ns >= end_ns)

    def feed(self, count):
        """Send numbers with the client, as its window allows."""
        end = self.sent + count

        def is_done():
            while self.sent < end and (sequence := self.client.send(ENTRY.pack(self.sent))):
                self.sent += 1
                assert sequence == self.sent
            return self.sent == end

        self.run_until(is_done)

    def await_answers(self):
        self.run_until(lambda: not self.client.unanswered_count and not self.client._deliveries)
        assert self.ledger.numbers == list(range(self.sent))
        # The n-th request was applied as the n-th.
        assert self.listener.answered == {n: n for n in range(1, self.sent + 1)}

    def close(self):
        with contextlib.ExitStack() as stack:
            stack.callback(self.driver.close)
            stack.callback(self.aeron.close)
            if self.node is not None:
                stack.callback(self.node.close)
            if self.client is not None:
                stack.callback(self.client.close)


@pytest.fixture
def make():
    with contextlib.ExitStack() as stack:
        yield lambda *arguments, **options: stack.enter_context(
            contextlib.closing(Run(*arguments, **options))
        )


def test_client_waits_for_a_missing_cluster(make):
    run = make(1)
    run.start_client(message_timeout_ns=300 * MS)
    run.run_for(4 * S)
    assert run.client.state is SurvivalState.CONNECTING
    assert run.client.send(ENTRY.pack(0)) == -1
    assert 4 <= run.client.attempt_count <= 8
    assert "not connected" in str(run.client.last_error)
    run.start_node()
    run.run_until(lambda: run.client.is_connected)
    run.feed(40)
    run.await_answers()
    assert run.listener.states == [SurvivalState.OPENING, SurvivalState.CONNECTED]
    assert run.errors == []


@pytest.mark.parametrize("seed", range(4))
def test_each_request_is_applied_once_across_repeated_kills(make, seed):
    run = make(seed, BAD_WIRE)
    random = run.world.random
    run.start_node()
    run.start_client()
    run.run_until(lambda: run.client.is_connected)
    for _ in range(3):
        run.feed(1 + random.below(80))
        if random.below(2):
            run.node.consensus_module.try_toggle(ControlToggle.SNAPSHOT)
            run.run_for(random.below(200) * MS)
        run.feed(1 + random.below(20))
        run.kill_node()
        run.run_for(random.below(3000) * MS)
        run.start_node()
    run.feed(10)
    run.await_answers()
    assert run.client.session_count > 1
    assert run.client.resend_count > 0


def test_temporarily_cut_link_only_delays(make):
    run = make(3)
    run.start_node()
    run.start_client(resend_timeout_ns=300 * MS, silence_timeout_ns=S)
    run.run_until(lambda: run.client.is_connected)
    run.feed(20)
    run.await_answers()
    wire = run.world.wire
    wire.partition([run.node_machine.network], [run.client_machine.network])
    run.feed(20)
    run.run_for(3 * S)
    assert run.client.state is SurvivalState.CONNECTING
    assert run.client.unanswered_count == 20
    wire.heal()
    run.await_answers()


def test_client_stops_reconnecting_after_the_configured_time(make):
    run = make(4)
    run.start_node()
    run.start_client(reconnect_timeout_ns=2 * S)
    run.run_until(lambda: run.client.is_connected)
    run.feed(5)
    run.await_answers()
    run.run_for(3 * S)
    # an idle client receives nothing, and this is no reason to reconnect
    assert run.client.is_connected
    run.kill_node()
    run.feed(3)
    run.run_until(lambda: run.errors)
    (error,) = {type(error): error for error in run.errors}.values()
    assert isinstance(error, NotReconnectedError)
    assert error.in_doubt == (6, 7, 8)
    assert "in doubt: 6-8" in str(error)
    assert run.client.failure is error
    with pytest.raises(NotReconnectedError):
        run.client.send(b"more")


def test_cluster_with_lost_state_is_detected(make):
    run = make(5)
    run.start_node()
    run.start_client()
    run.run_until(lambda: run.client.is_connected)
    run.feed(5)
    run.await_answers()
    run.kill_node()
    run.node_machine.files.remove_tree("/data")
    run.start_node()
    run.feed(1)
    run.run_until(lambda: run.errors)
    assert isinstance(run.errors[0], UnknownClientError)
    assert run.errors[0].in_doubt == (6,)


def test_restarted_client_continues_after_the_applied_requests(make):
    run = make(6)
    run.start_node()
    run.start_client(client_id=4711)
    run.run_until(lambda: run.client.is_connected)
    run.feed(10)
    run.await_answers()
    first = run.client
    run.world.time.advance(MS)
    run.start_client(client_id=4711, last_sequence=first.last_answered)
    run.run_until(lambda: run.client.is_connected)
    assert run.client.last_sequence == 10
    run.feed(10)
    run.await_answers()
    assert first.send(b"late but polite")
    run.run_until(lambda: run.errors)
    assert "another process took over its id" in str(run.errors[0])
