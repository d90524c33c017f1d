"""Limits of a driver: full queues, exhausted counters, and a removed directory."""

import shutil
import struct

import pytest

from aeron_cluster.errors import AgentTerminationError
from aeron_cluster.memory.shared.commands import Command, Event
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from tests.unit.driver.driver_rig import CLIENT, DriverRig, S

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
