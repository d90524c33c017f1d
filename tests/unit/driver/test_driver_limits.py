"""Limits of a driver: full queues, exhausted counters, and a removed directory."""

import itertools
import os
import shutil
import struct
import subprocess
import sys

import pytest

from aeron_cluster.errors import AgentTerminationError
from aeron_cluster.memory.shared.commands import Command, Event
from aeron_cluster.memory.shared.counters_layout import CounterType, SystemCounter
from tests.unit.driver.driver_rig import CLIENT, DriverRig, S, read_event

UDP = "aeron:udp?endpoint=127.0.0.1:4000"
SETUP = struct.Struct("<iBBHiiiiiiii")


@pytest.fixture
def rig(shm_dir):
    driver_rig = DriverRig(shm_dir / "driver", counters_buffer_length=1 << 20)
    yield driver_rig
    driver_rig.close()


def exhaust_counters(rig):
    payload = struct.pack("<iii", 1100, 0, 1) + b"x"
    added = []
    while (answer := rig.request(Command.ADD_COUNTER, payload)[-1]).event != Event.ON_ERROR:
        added.append(answer.fields[0])
    return added


def test_a_stream_without_counters_is_reported_and_becomes_an_image_later(rig):
    subscription = rig.add_subscription(UDP)
    added = exhaust_counters(rig)
    source = rig.network.open(bind=("127.0.0.1", 50000))
    setup = SETUP.pack(40, 0, 0, 5, 0, 7, 10, 5, 5, 64 << 10, 1408, 0)

    def announce():
        rig.network.deliver(("127.0.0.1", 50000), ("127.0.0.1", 4000), setup)
        rig.run_once()

    errors = rig.counters.value(SystemCounter.SYSTEM_ERRORS)
    announce()
    assert rig.images(subscription) == []
    assert rig.counters.value(SystemCounter.SYSTEM_ERRORS) == errors + 1
    for registration_id in added[:100]:
        rig.request(Command.REMOVE_COUNTER, struct.pack("<q", registration_id))
    rig.run(3 * S, step_ns=S)  # until their ids may be used again
    announce()
    assert [image[1] for image in rig.images(subscription)] == [7]
    assert source.receive() is not None


def test_driver_with_a_removed_directory_ends_at_the_next_stream_too(shm_dir):
    ended = []
    rig = DriverRig(shm_dir / "driver", termination_hook=lambda: ended.append(True))
    try:
        rig.add_subscription(UDP)
        shutil.rmtree(shm_dir / "driver")
        rig.network.deliver(
            ("127.0.0.1", 50000),
            ("127.0.0.1", 4000),
            SETUP.pack(40, 0, 0, 5, 0, 7, 10, 5, 5, 64 << 10, 1408, 0),
        )
        with pytest.raises(AgentTerminationError, match="it was removed"):
            rig.run_once()
        assert ended == [True]
    finally:
        rig.close()


def test_a_dead_client_with_more_streams_than_a_queue_has_space_is_freed(shm_dir):
    """Its removal is written to the queues of sender and receiver as they get space."""
    rig = DriverRig(shm_dir / "driver")
    try:
        for stream_id in range(1100):
            rig.add_subscription(UDP, stream_id)
        for stream_id in range(20):
            rig.ready(rig.add_publication(UDP, stream_id))
        assert rig.all(Event.ON_ERROR) == []
        rig.run(30 * S, step_ns=S, heartbeats=False)
        assert rig.all(Event.ON_CLIENT_TIMEOUT) == [(CLIENT,)]
        assert rig.labels() == []
        rig.add_subscription(UDP, 5)
        rig.add_publication(UDP, 5)
        rig.run(S)
        [image] = rig.all(Event.ON_AVAILABLE_IMAGE)[-1:]
        assert image[2] == 5
    finally:
        rig.close()


def free(rig, added, count):
    for _ in range(count):
        rig.request(Command.REMOVE_COUNTER, struct.pack("<q", added.pop()))
    rig.run(3 * S, step_ns=S)  # until their ids may be used again


@pytest.mark.parametrize(("subscribers", "free_count"), [(1, 3), (2, 4)])
def test_image_whose_subscribers_have_no_counters_becomes_one_later(rig, subscribers, free_count):
    subscriptions = [rig.add_subscription(UDP) for _ in range(subscribers)]
    added = exhaust_counters(rig)
    free(rig, added, free_count)
    source = rig.network.open(bind=("127.0.0.1", 50000))
    setup = SETUP.pack(40, 0, 0, 5, 0, 7, 10, 5, 5, 64 << 10, 1408, 0)

    def announce():
        rig.network.deliver(("127.0.0.1", 50000), ("127.0.0.1", 4000), setup)
        rig.run_once()

    announce()
    assert [rig.images(each) for each in subscriptions] == [[]] * subscribers
    free(rig, added, 100)
    announce()
    for each in subscriptions:
        assert [image[1] for image in rig.images(each)] == [7]
    assert source.receive() is not None


def test_publication_without_a_counter_for_its_address_leaves_none(rig):
    added = exhaust_counters(rig)
    free(rig, added, 1)
    rig.error(rig.add_publication(UDP))
    rig.run(3 * S, step_ns=S)
    rig.request(Command.ADD_COUNTER, struct.pack("<iii", 1100, 0, 1) + b"x")
    assert rig.events[-1].event != Event.ON_ERROR


def test_destination_without_a_counter_for_its_address_can_be_added_later(rig):
    subscription = rig.add_subscription("aeron:udp?control-mode=manual")
    added = exhaust_counters(rig)
    rig.error(rig.destination(Command.ADD_RCV_DESTINATION, subscription, UDP))
    free(rig, added, 100)
    rig.destination(Command.ADD_RCV_DESTINATION, subscription, UDP)
    assert rig.events[-1].event == Event.ON_OPERATION_SUCCESS


class Flood:
    """A stranger's set-up frames, which the conductor rejects: the MTU exceeds the window."""

    PORTS = (4000, 4001)  # a pass receives 16 datagrams of each, and handles 16 events

    def __init__(self, rig):
        self.rig = rig
        self.session_ids = itertools.count(1)
        for port in self.PORTS:
            rig.add_subscription(f"aeron:udp?endpoint=127.0.0.1:{port}|rcv-wnd=4k")

    def run(self, passes, step_ns=0):
        for _ in range(passes):
            for port in self.PORTS:
                for session_id in itertools.islice(self.session_ids, 16):
                    frame = SETUP.pack(40, 0, 0, 5, 0, session_id, 10, 7, 7, 64 << 10, 8192, 0)
                    self.rig.network.deliver(("127.0.0.1", 9000), ("127.0.0.1", port), frame)
            self.rig.clock.advance(step_ns)
            self.rig.invoker.invoke()


@pytest.fixture
def flood(shm_dir):
    flood = Flood(DriverRig(shm_dir / "driver"))
    yield flood
    flood.rig.close()


def test_driver_goes_on_after_a_client_died_in_a_flood_of_set_up_frames(flood):
    flood.run(400)
    flood.run(20, S)  # the client dies
    flood.run(1200)
    rig = flood.rig
    rig.run(20 * S)
    assert rig.all(Event.ON_CLIENT_TIMEOUT) == [(CLIENT,)]
    assert rig.ready(rig.add_publication("aeron:ipc", client=2000))
    assert rig.labels(CounterType.COUNTER_TYPE_RECEIVE_CHANNEL_STATUS) == []


def test_channels_of_a_dead_client_are_released_in_a_flood_of_set_up_frames(flood):
    """A channel's removal waits for space for its event; more commands follow than have space."""
    rig = flood.rig
    for stream_id in range(1200):
        rig.add_subscription("aeron:udp?endpoint=127.0.0.1:5000", stream_id)
    flood.run(400)
    flood.run(20, S)  # the client dies
    flood.run(400)
    assert rig.labels(CounterType.COUNTER_TYPE_RECEIVE_CHANNEL_STATUS) == []


def test_commands_of_clients_are_executed_in_a_flood_of_set_up_frames(flood):
    rig = flood.rig
    flood.run(400)
    head = struct.pack("<ii", 10, len("aeron:ipc"))
    publication = rig.send(Command.ADD_PUBLICATION, head + b"aeron:ipc")
    flood.run(100)
    while (received := rig.receiver.receive()) is not None:
        rig.events.append(read_event(*received))
    assert rig.ready(publication)


# The first socket is read in full batches. A wrong version in a frame of each type causes 16
# events: as many as the conductor handles in one pass, so it does not see the set-up frame of the
# second socket before the command.
REMOVED_WITH_A_PENDING_SET_UP = """
import struct, sys
from aeron_cluster.memory.shared.commands import Command
from tests.unit.driver.driver_rig import DriverRig
from tests.unit.driver.harness import SETUP

rig = DriverRig(sys.argv[1])
rig.add_subscription("aeron:udp?endpoint=127.0.0.1:4000")
subscription = rig.add_subscription("aeron:udp?endpoint=127.0.0.1:4001")
source = ("127.0.0.1", 9000)
for _ in range(2):
    rig.network.deliver(source, ("127.0.0.1", 4000), b"short")
    rig.invoker.invoke()
for frame_type in range(16):
    rig.network.deliver(source, ("127.0.0.1", 4000), struct.pack("<iBBH", 8, 9, 0, frame_type))
setup = SETUP.pack(40, 0, 0, 5, 0, 99, 10, 7, 7, 65536, 1408, 0)
rig.network.deliver(source, ("127.0.0.1", 4001), setup)
rig.invoker.invoke()
rig.send(Command.REMOVE_SUBSCRIPTION, struct.pack("<q", subscription))
for _ in range(5):
    rig.invoker.invoke()
rig.close()
"""


def test_subscription_is_removed_while_a_set_up_frame_of_its_stream_is_pending(shm_dir):
    ended = subprocess.run(
        [
            sys.executable,
            "-X",
            "faulthandler",
            "-c",
            REMOVED_WITH_A_PENDING_SET_UP,
            f"{shm_dir}/driver",
        ],
        env={**os.environ, "MALLOC_PERTURB_": "165"},  # freed memory is overwritten
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr


def test_a_destination_beyond_the_limit_of_sockets_uses_no_port(shm_dir):
    rig = DriverRig(shm_dir / "driver", receiver_wildcard_port_range="20700 20764")  # 65 ports
    try:
        subscription = rig.add_subscription("aeron:udp?control-mode=manual")
        wildcard = "aeron:udp?endpoint=127.0.0.1:0"
        for _ in range(64):
            rig.destination(Command.ADD_RCV_DESTINATION, subscription, wildcard)
            assert rig.events[-1].event == Event.ON_OPERATION_SUCCESS
        refused = rig.destination(Command.ADD_RCV_DESTINATION, subscription, wildcard)
        assert "at most 64" in rig.error(refused)[1]
        other = rig.add_subscription(wildcard, 11)
        assert [fields[0] for fields in rig.all(Event.ON_SUBSCRIPTION_READY)][-1] == other
    finally:
        rig.close()


def test_a_destination_that_the_sender_has_no_space_for_is_rejected(rig):
    publication = rig.add_publication("aeron:udp?control-mode=manual")
    rig.ready(publication)
    for port in range(1, 1026):
        channel = f"aeron:udp?endpoint=127.0.0.1:{port}"
        last = rig.destination(Command.ADD_DESTINATION, publication, channel)
    assert "at most 1024" in rig.error(last)[1]
    assert len(rig.all(Event.ON_ERROR)) == 1
    rig.destination(Command.REMOVE_DESTINATION, publication, "aeron:udp?endpoint=127.0.0.1:1")
    rig.destination(Command.ADD_DESTINATION, publication, channel)
    assert rig.events[-1].event == Event.ON_OPERATION_SUCCESS


def test_a_hook_that_raises_does_not_replace_the_end_of_the_driver(shm_dir):
    def raise_error():
        raise ValueError("of the user")

    rig = DriverRig(shm_dir / "driver", termination_hook=raise_error)
    try:
        shutil.rmtree(shm_dir / "driver")
        rig.send(Command.ADD_PUBLICATION, struct.pack("<ii", 10, len(UDP)) + UDP.encode())
        with pytest.raises(AgentTerminationError, match="it was removed"):
            rig.run_once()
    finally:
        rig.close()
