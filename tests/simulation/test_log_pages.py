"""Logs without pages are never exposed; without space publishers wait, and continue later."""

import contextlib

import pytest

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import RegistrationError
from aeron_cluster.logbuffer.term_appender import AppendStatus
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.shared.commands import ErrorCode
from aeron_cluster.simulator.world.machine import World

MS = 1_000_000
S = 1_000_000_000
DIRECTORY = "/dev/shm/aeron"
TERM_LENGTH = 1 << 20
STREAM_ID = 1001
UDP = "aeron:udp?endpoint=node2:40123"
BALLAST = "/dev/shm/ballast"
CNC_FILE = f"{DIRECTORY}/cnc.dat"
PAGE = 4096


class Node:
    """A machine with a driver of sparse logs, and a client."""

    def __init__(self, world, name, address, step):
        self.machine = world.add_machine(name, address, disk_capacity=64 << 20)
        self.files = self.machine.files
        seams = self.machine.start_process()
        self.driver = MediaDriver.launch(
            seams=seams,
            environment={},
            aeron_dir=DIRECTORY,
            threading_mode="INVOKER",
            term_buffer_length=TERM_LENGTH,
            ipc_term_buffer_length=TERM_LENGTH,
            low_file_store_warning_threshold=0,
        )
        self.driver.invoker.start()
        self.client = Aeron.connect(
            aeron_dir=DIRECTORY,
            seams=seams,
            use_conductor_invoker=True,
            driver_invoker=step,
        )

    def logs(self):
        return [
            f"{DIRECTORY}/{folder}/{name}"
            for folder in ("publications", "images")
            for name in self.files.list(f"{DIRECTORY}/{folder}")
        ]

    def fill_disk(self):
        with self.files.open(BALLAST, create=True) as file:
            file.allocate(0, self.files.usable_space(DIRECTORY))
        assert self.files.usable_space(DIRECTORY) == 0

    def errors(self):
        with CncFile.open(self.files, CNC_FILE) as cnc:
            return [(each.text, each.observation_count) for each in cnc.error_log().entries()]

    def close(self):
        self.client.close()
        self.driver.close()


class Stream:
    """Two machines, and one stream from the first one."""

    def __init__(self, channel, *, exclusive, message_length):
        self.world = World(7)
        self.nodes = []
        for index in (1, 2):
            self.nodes.append(Node(self.world, f"node{index}", f"10.0.0.{index}", self.step))
        sender, receiver = self.nodes
        subscriber = sender if channel.startswith("aeron:ipc") else receiver
        self.subscription = subscriber.client.add_subscription(channel, STREAM_ID)
        client = sender.client
        add = client.add_exclusive_publication if exclusive else client.add_publication
        self.publication = add(channel, STREAM_ID)
        self.message_length = message_length
        self.sent = self.received = 0
        self.statuses = set()

    def step(self):
        for node in self.nodes:
            node.driver.invoker.invoke()
            if hasattr(node, "client"):
                node.client.conductor_agent_invoker.invoke()
        self.world.time.advance(MS // 10)

    def offer(self):
        result = self.publication.offer(bytes([1 + self.sent % 255]) * self.message_length)
        if result > 0:
            self.sent += 1
        else:
            self.statuses.add(AppendStatus(result))
        return result > 0

    def poll(self):
        def on_fragment(_message, header):
            self.received += bool(header.flags & 0x40)

        self.subscription.poll(on_fragment, 1000)

    def run(self, steps, *, offer=True):
        for _ in range(steps):
            while offer and self.offer():
                pass
            assert self.written_holes() == 0
            self.step()
            self.poll()
        assert self.written_holes() == 0

    def written_holes(self):
        return sum(node.files.written_holes(log) for node in self.nodes for log in node.logs())

    def connect(self):
        for _ in range(10_000):
            if self.publication.is_connected and self.subscription.is_connected:
                return
            self.step()
        raise AssertionError("not connected")

    def close(self):
        for node in self.nodes:
            assert node.files.written_holes(CNC_FILE) == 0
            node.close()


@pytest.fixture(params=["ipc", "udp"])
def media(request):
    return {"ipc": "aeron:ipc", "udp": UDP}[request.param]


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("message_length", [100, 1000, TERM_LENGTH // 8])
def test_written_data_has_its_pages(media, exclusive, message_length):
    with contextlib.closing(
        Stream(media, exclusive=exclusive, message_length=message_length)
    ) as stream:
        stream.connect()
        while stream.publication.position < 5 * TERM_LENGTH:
            stream.run(20)
        stream.run(200, offer=False)
        assert stream.received == stream.sent


def test_stream_with_few_messages_has_few_pages():
    with contextlib.closing(Stream("aeron:ipc", exclusive=True, message_length=100)) as stream:
        files = stream.nodes[0].files
        (log,) = stream.nodes[0].logs()
        stream.connect()
        stream.offer()
        stream.run(100, offer=False)
        # At most the longest block past the limit, and the bytes of one pass.
        assert files.page_count(log) * PAGE <= TERM_LENGTH + (1 << 20)
        stream.nodes[0].client.add_exclusive_publication("aeron:ipc", STREAM_ID + 1)
        (other,) = set(stream.nodes[0].logs()) - {log}
        assert files.page_count(other) == 2  # the first page and the page of the metadata


def test_without_space_publishers_wait_and_the_driver_names_its_directory(media):
    with contextlib.closing(Stream(media, exclusive=False, message_length=1000)) as stream:
        stream.connect()
        stream.run(2)
        for node in stream.nodes:
            node.fill_disk()
        stream.run(200)
        sent = stream.sent
        assert sent > 0
        stream.run(2000)
        assert stream.sent == sent == stream.received
        assert AppendStatus.BACK_PRESSURED in stream.statuses
        errors = [error for node in stream.nodes for error in node.errors()]
        # Each log reports it once, however often it retried.
        assert errors
        for text, count in errors:
            assert "No space left on device" in text
            assert DIRECTORY in text
            assert count == 1
        for node in stream.nodes:
            node.files.remove(BALLAST)
        while stream.publication.position < 5 * TERM_LENGTH:
            stream.run(100)
        stream.run(200, offer=False)
        assert stream.received == stream.sent > sent


def test_image_without_space_is_created_once_space_is_free():
    with contextlib.closing(Stream(UDP, exclusive=True, message_length=1000)) as stream:
        receiver = stream.nodes[1]
        receiver.fill_disk()
        for _ in range(20_000):
            stream.step()
        assert receiver.logs() == []
        assert not stream.subscription.is_connected
        assert any(DIRECTORY in text for text, _ in receiver.errors())
        receiver.files.remove(BALLAST)
        stream.connect()
        stream.run(100)
        assert stream.received > 0


def test_counters_get_their_pages_before_they_are_used():
    with contextlib.closing(Stream("aeron:ipc", exclusive=True, message_length=100)) as stream:
        node = stream.nodes[0]
        page_count = node.files.page_count(CNC_FILE)
        assert page_count * PAGE < node.files.open(CNC_FILE).length // 6
        counters = [node.client.add_counter(1101, f"counter {i}") for i in range(700)]
        for index, counter in enumerate(counters):
            counter.set(1 + index)
        assert node.files.page_count(CNC_FILE) > page_count


def test_counter_without_space_is_created_once_space_is_free():
    with contextlib.closing(Stream("aeron:ipc", exclusive=True, message_length=100)) as stream:
        node = stream.nodes[0]
        node.fill_disk()
        count = 0

        def add_some():
            nonlocal count
            for index in range(600):
                node.client.add_counter(1101, f"counter {index}")
                count = index

        with pytest.raises(RegistrationError, match=DIRECTORY) as raised:
            add_some()
        assert raised.value.code == ErrorCode.ERROR_STORAGE_SPACE
        assert 100 < count < 256
        node.files.remove(BALLAST)
        node.client.add_counter(1101, "one more")
