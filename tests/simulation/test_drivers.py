"""Whole drivers and clients on simulated machines, in one thread, from a seed."""

import contextlib

import pytest

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import DirectoryInUseError, TimeoutExpiredError
from aeron_cluster.memory.agents.agent import AgentInvoker
from aeron_cluster.simulator.world.link_faults import LinkFaults
from aeron_cluster.simulator.world.machine import World

MS = 1_000_000
S = 1_000_000_000
DIRECTORY = "/dev/shm/aeron"
STREAM_ID = 1001


class Node:
    """A driver and a client on their own machine."""

    def __init__(self, world, name, address):
        self.world = world
        self.machine = world.add_machine(name, address)
        self.start()

    def start(self):
        self.seams = self.machine.start_process()
        self.driver = self.launch()
        self.driver.invoker.start()
        self.invokers = [self.driver.invoker]
        self.client = Aeron.connect(
            aeron_dir=DIRECTORY,
            seams=self.seams,
            use_conductor_invoker=True,
            driver_invoker=self.invoke_all,
        )
        self.invokers.append(self.client.conductor_agent_invoker)

    def launch(self):
        return MediaDriver.launch(
            seams=self.seams,
            environment={},
            aeron_dir=DIRECTORY,
            threading_mode="INVOKER",
            term_buffer_length="64k",
            ipc_term_buffer_length="64k",
        )

    def invoke_all(self):
        for node in self.world.nodes:
            for invoker in node.invokers:
                invoker.invoke()
        self.world.time.advance(MS)

    def close(self):
        with contextlib.ExitStack() as stack:
            stack.callback(self.driver.close)
            stack.callback(self.client.close)


class Pair:
    """Two nodes, and messages from the first to the second."""

    def __init__(self, seed, faults=None):
        self.world = World(seed)
        self.world.nodes = []
        for index in (1, 2):
            self.world.nodes.append(Node(self.world, f"node{index}", f"10.0.0.{index}"))
        self.one, self.other = self.world.nodes
        if faults is not None:
            self.world.wire.set_faults(None, None, faults)
        channel = "aeron:udp?endpoint=node2:40123"
        self.subscription = self.other.client.add_subscription(channel, STREAM_ID)
        self.publication = self.one.client.add_publication(channel, STREAM_ID)
        self.received = []
        self.sent = 0

    def invokers(self):
        return [invoker for node in self.world.nodes for invoker in node.invokers]

    def run_until(self, is_done, timeout_ns=60 * S):
        self.world.run_until(is_done, self.invokers(), timeout_ns=timeout_ns)

    def offer(self, count):
        while self.sent < count:
            message = self.sent.to_bytes(4, "little") * (1 + self.sent % 300)
            if self.publication.offer(message) < 0:
                return
            self.sent += 1

    def poll(self):
        self.subscription.poll(lambda message, _: self.received.append(bytes(message)), 10)

    def send_all(self, count, timeout_ns=60 * S):
        def is_done():
            self.offer(count)
            self.poll()
            return len(self.received) >= count

        self.run_until(is_done, timeout_ns)

    def close(self):
        for node in self.world.nodes:
            node.close()


def expected(count):
    return [index.to_bytes(4, "little") * (1 + index % 300) for index in range(count)]


@pytest.fixture
def pair():
    with contextlib.closing(Pair(1)) as pair:
        yield pair


def test_messages_arrive_once_and_in_order(pair):
    pair.send_all(500)
    assert pair.received == expected(500)
    assert pair.subscription.images[0].source_identity.startswith("10.0.0.1:")


FAULTS = LinkFaults(
    loss=0.1, duplicate=0.1, corrupt=0.0, truncate=0.02, min_delay_ns=MS // 10, max_delay_ns=2 * MS
)


@pytest.mark.parametrize("seed", range(20))
def test_messages_arrive_once_and_in_order_over_a_bad_wire(seed):
    with contextlib.closing(Pair(seed, FAULTS)) as pair:
        pair.send_all(300)
        assert pair.received == expected(300)
        counts = pair.world.wire.counts
        assert counts["lost"] > 0
        assert counts["duplicated"] > 0
        assert counts["truncated"] > 0


def test_the_seed_decides_a_whole_run():
    def run(seed):
        with contextlib.closing(Pair(seed, FAULTS)) as pair:
            pair.send_all(200)
            return pair.world.wire.trace, pair.world.time.now_ns

    first = run(3)
    assert run(3) == first
    assert run(4) != first


def test_a_short_partition_delays_and_loses_nothing(pair):
    pair.send_all(50)
    wire = pair.world.wire
    wire.partition([pair.one.machine.network], [pair.other.machine.network])
    with pytest.raises(TimeoutExpiredError):
        pair.send_all(150, 2 * S)
    assert len(pair.received) < 150
    wire.heal()
    pair.send_all(150)
    assert pair.received == expected(150)


def test_a_long_partition_ends_the_image_and_a_new_one_begins(pair):
    pair.send_all(50)
    wire = pair.world.wire
    wire.partition([pair.one.machine.network], [pair.other.machine.network])
    pair.run_until(lambda: not pair.subscription.images and not pair.publication.is_connected)
    assert pair.world.time.now_ns >= 5 * S
    wire.heal()
    pair.run_until(lambda: pair.publication.is_connected and bool(pair.subscription.images))


def test_a_killed_driver_is_replaced_at_once_a_live_one_is_not(pair):
    one = pair.one
    with pytest.raises(DirectoryInUseError):
        one.launch()
    one.machine.kill_process()
    one.start()
    publication = one.client.add_publication("aeron:udp?endpoint=node2:40123", STREAM_ID)
    pair.run_until(lambda: publication.is_connected)
    found = []

    def is_done():
        pair.subscription.poll(lambda message, _: found.append(bytes(message)), 10)
        return bool(found)

    pair.run_until(lambda: publication.offer(b"again") > 0)
    pair.run_until(is_done)
    assert found == [b"again"]


def test_a_partition_at_the_end_of_a_stream_does_not_cut_it_off(pair):
    """Without status messages for a while the rest is unsent, and the end of the stream as well."""
    pair.send_all(50)
    wire = pair.world.wire
    wire.partition([pair.one.machine.network], [pair.other.machine.network])
    pair.offer(1000)
    offered = pair.sent
    pair.publication.close()
    closed_ns = pair.world.time.now_ns
    (image,) = pair.subscription.images
    pair.world.run_until(
        lambda: pair.world.time.now_ns >= closed_ns + 7 * S, pair.invokers(), timeout_ns=8 * S
    )
    wire.heal()

    def is_over():
        pair.poll()
        return image.is_end_of_stream or image.is_closed

    pair.run_until(is_over)
    assert pair.received == expected(offered)


def test_a_driver_closed_after_its_publication_ends_the_image(pair):
    """Its last duty cycle is before the heartbeat that would have had the end of the stream."""
    pair.send_all(50)
    (image,) = pair.subscription.images
    pair.publication.close()
    end = image.position
    for invoker in pair.one.invokers:
        invoker.invoke()
    pair.one.close()
    rest = pair.other.invokers
    pair.world.run_until(lambda: image.is_end_of_stream, rest, timeout_ns=50 * MS)
    assert image.end_of_stream_position == end


def test_virtual_time_is_much_faster_than_real_time(pair):
    pair.send_all(10)
    begin = pair.world.time.now_ns
    with pytest.raises(TimeoutExpiredError):
        pair.run_until(lambda: False, 20 * S)
    assert pair.world.time.now_ns - begin >= 20 * S
    assert all(isinstance(invoker, AgentInvoker) for invoker in pair.invokers())
