"""Names that are resolved again, with the resolver ``csv_table``: its counters choose addresses."""

import errno
import os
from concurrent.futures import Future
from pathlib import Path

import pytest

from aeron_cluster.driver.control.name_resolution import NameResolver
from aeron_cluster.events.event_log import EventLogReader
from aeron_cluster.events.text import decode_record
from aeron_cluster.memory.shared.commands import Command, Event
from aeron_cluster.memory.shared.counters_layout import ChannelStatus, CounterType, SystemCounter
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import UdpNetwork
from tests.unit.driver.driver_rig import MS, DriverRig, S
from tests.waiting import await_true

FIRST, SECOND = ("10.0.0.8", 4000), ("10.0.0.9", 4000)
STATUS_TYPE = 2001  # of the resolver's counter: 0 for the first address, 1 the second, -1 none
SOCKET_LENGTHS = slice(296, 320)  # in the metadata of a log
PUBLICATION = "aeron:udp?endpoint=there:4000"
SUBSCRIPTION = "aeron:udp?control=there:4000|control-mode=dynamic"


def launch(directory, **options):
    table = {
        "name_resolver_supplier": "csv_table",
        "name_resolver_init_args": "there,10.0.0.8,10.0.0.9",
    }
    rig = DriverRig(directory, **table | options)
    if "network" not in options:
        rig.sockets = [rig.network.open(bind=each) for each in (FIRST, SECOND)]
    return rig


@pytest.fixture
def rig(shm_dir):
    driver_rig = launch(shm_dir / "driver")
    yield driver_rig
    driver_rig.close()


def choose(rig, number):
    [entry] = [each for each in rig.counters.counters() if each.type_id == STATUS_TYPE]
    rig.counters.set_value(entry.counter_id, number)


def receivers(rig, duration_ns=7 * S):
    """Return which addresses get frames, once silent ones have been resolved again."""
    rig.run(duration_ns)
    for socket in rig.sockets:
        while socket.receive() is not None:
            pass
    rig.run(S)
    return [socket.receive() is not None for socket in rig.sockets]


def changes(rig):
    return rig.counters.value(SystemCounter.SYSTEM_RESOLUTION_CHANGES)


def test_name_that_resolves_to_its_first_address_again_is_followed(rig):
    rig.ready(rig.add_publication(PUBLICATION))
    assert receivers(rig) == [True, False]
    choose(rig, 1)
    assert receivers(rig) == [False, True]
    choose(rig, 0)
    assert receivers(rig) == [True, False]
    assert changes(rig) == 2


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"debug_send_data_loss_rate": "1e-9"}, ""),
        ({}, "|channel-snd-ts-offset=reserved"),
        ({"event_log": "FRAME_OUT"}, ""),
    ],
)
def test_stream_follows_a_name_whether_frames_are_dropped_stamped_or_recorded(
    shm_dir, options, parameter
):
    rig = launch(shm_dir / "driver", **options)
    try:
        plain = rig.ready(rig.add_publication("aeron:udp?endpoint=10.0.0.9:4001"))
        ready = rig.ready(rig.add_publication(f"{PUBLICATION}{parameter}", 11))
        lengths = [Path(each[6]).read_bytes()[-4096:][SOCKET_LENGTHS] for each in (plain, ready)]
        assert lengths[0] == lengths[1] != bytes(len(lengths[0]))
        choose(rig, 1)
        assert receivers(rig) == [False, True]
        if "event_log" in options:
            path = f"{rig.driver.aeron_dir}/driver-events.dat"
            with MappedFile.open(rig.files, path) as file:
                lines = [decode_record(*each).line for each in EventLogReader(file, path).poll(999)]
            frames = [line for line in lines if "streamId=11" in line]
            assert "10.0.0.8:4000" in frames[0]
            assert "10.0.0.9:4000" in frames[-1]
    finally:
        rig.close()


def test_tag_refers_to_a_publication_whose_name_was_resolved_again(rig):
    first = rig.ready(rig.add_publication(f"{PUBLICATION}|tags=7", 11))
    choose(rig, 1)
    assert receivers(rig) == [False, True]
    for channel in ("aeron:udp?tags=7", f"{PUBLICATION}|tags=7"):
        assert rig.ready(rig.add_publication(channel, 11))[1:3] == first[1:3]
    choose(rig, 0)  # another address than that of the open channel
    code, text = rig.error(rig.add_publication(f"{PUBLICATION}|tags=7", 11))
    assert "mismatched endpoint or control" in text, code


def test_tag_refers_to_a_subscription_whose_control_name_was_resolved_again(rig):
    rig.add_subscription(f"{SUBSCRIPTION}|tags=7")
    choose(rig, 1)
    assert receivers(rig) == [False, True]
    before = len(rig.all(Event.ON_ERROR))
    for channel in ("aeron:udp?tags=7", f"{SUBSCRIPTION}|tags=7"):
        rig.add_subscription(channel)
    assert len(rig.all(Event.ON_ERROR)) == before


def test_destination_without_an_address_is_added_and_resolved_later(rig):
    publication = rig.add_publication("aeron:udp?control=127.0.0.1:4100|control-mode=manual")
    choose(rig, -1)
    rig.destination(Command.ADD_DESTINATION, publication, PUBLICATION)
    assert rig.all(Event.ON_ERROR) == []
    assert rig.counters.value(SystemCounter.SYSTEM_ERRORS) == 0
    rig.run(2 * S)
    assert [socket.receive() for socket in rig.sockets] == [None, None]
    choose(rig, 0)
    assert receivers(rig) == [True, False]
    assert changes(rig) == 1


@pytest.mark.parametrize("number", [1, -1])
def test_destination_is_removed_wherever_its_name_leads_by_then(rig, number):
    publication = rig.add_publication("aeron:udp?control=127.0.0.1:4100|control-mode=manual")
    rig.destination(Command.ADD_DESTINATION, publication, PUBLICATION)
    assert receivers(rig, S) == [True, False]
    choose(rig, number)
    removed = rig.destination(Command.REMOVE_DESTINATION, publication, PUBLICATION)
    assert (removed,) in rig.all(Event.ON_OPERATION_SUCCESS)
    assert receivers(rig) == [False, False]


def test_destination_is_removed_by_another_name_of_its_address(rig):
    publication = rig.add_publication("aeron:udp?control=127.0.0.1:4100|control-mode=manual")
    rig.destination(Command.ADD_DESTINATION, publication, PUBLICATION)
    choose(rig, 1)
    assert receivers(rig) == [False, True]
    for address, expected in (("10.0.0.8", True), ("10.0.0.9", False)):
        channel = f"aeron:udp?endpoint={address}:4000"
        rig.destination(Command.REMOVE_DESTINATION, publication, channel)
        assert receivers(rig, S) == [False, expected]


def test_a_subscriptions_destination_is_removed_while_its_name_has_no_address(rig):
    subscription = rig.add_subscription("aeron:udp?control-mode=manual")
    channel = "aeron:udp?endpoint=there:4001"
    rig.destination(Command.ADD_RCV_DESTINATION, subscription, channel)
    [_] = rig.labels(CounterType.COUNTER_TYPE_LOCAL_SOCKET_ADDRESS)
    choose(rig, -1)
    removed = rig.destination(Command.REMOVE_RCV_DESTINATION, subscription, channel)
    rig.run(50 * MS)
    assert (removed,) in rig.all(Event.ON_OPERATION_SUCCESS)
    assert rig.labels(CounterType.COUNTER_TYPE_LOCAL_SOCKET_ADDRESS) == []


def test_failed_lookup_is_reported_with_upstreams_text_and_the_name(rig):
    rig.ready(rig.add_publication(PUBLICATION))
    choose(rig, -1)
    rig.run(7 * S)
    texts = [each.text for each in rig.cnc.error_log().entries()]
    assert any("Unable to resolve host" in each and "endpoint=there" in each for each in texts)


def test_a_name_outside_the_table_is_a_host_name(rig):
    rig.ready(rig.add_publication("aeron:udp?endpoint=localhost:4000"))
    _, text = rig.error(rig.add_publication("aeron:udp?endpoint=nobody:4000", 11))
    assert text.startswith("unknown host nobody: ")


def test_names_are_not_resolved_again_without_an_interval(shm_dir):
    rig = launch(shm_dir / "driver", driver_reresolution_check_interval_ns=0)
    try:
        rig.ready(rig.add_publication(PUBLICATION))
        choose(rig, 1)
        assert receivers(rig, 8 * S) == [True, False]
        assert changes(rig) == 0
    finally:
        rig.close()


def test_literal_addresses_are_not_resolved_again(rig):
    publication = rig.add_publication("aeron:udp?control=127.0.0.1:4100|control-mode=manual")
    rig.destination(Command.ADD_DESTINATION, publication, "aeron:udp?endpoint=10.0.0.8:4000")
    rig.add_subscription("aeron:udp?control=10.0.0.9:4000|control-mode=dynamic", 11)
    assert receivers(rig, 20 * S) == [True, True]
    assert changes(rig) == 0
    assert rig.counters.value(SystemCounter.SYSTEM_ERRORS) == 0


@pytest.fixture
def lookup(monkeypatch):
    """The result of further look-ups of names that are resolved again: the test ends them."""
    pending = Future()
    look_up = NameResolver.lookup

    def held_up(resolver, hosts, *, is_again=False):
        return pending if is_again else look_up(resolver, hosts)

    def hold_up():
        monkeypatch.setattr(NameResolver, "lookup", held_up)
        return pending

    return hold_up


def end(rig, pending):
    pending.set_result({"there": SECOND[0]})
    rig.run(S)
    assert [each.text for each in rig.cnc.error_log().entries()] == []
    assert changes(rig) == 0


def test_look_up_that_ends_after_its_publication_is_dropped(rig, lookup):
    publication = rig.ready(rig.add_publication(PUBLICATION))[0]
    pending = lookup()
    rig.run(7 * S)
    rig.remove_publication(publication)
    rig.run(10 * S)
    assert rig.labels(CounterType.COUNTER_TYPE_SEND_CHANNEL_STATUS) == []
    end(rig, pending)


@pytest.mark.parametrize("is_replaced", [True, False])
def test_look_up_that_ends_after_its_destination_is_dropped(rig, lookup, is_replaced):
    subscription = rig.add_subscription("aeron:udp?control-mode=manual")
    old = "aeron:udp?endpoint=127.0.0.1:5000|control=there:4000"
    rig.destination(Command.ADD_RCV_DESTINATION, subscription, old)
    pending = lookup()
    rig.run(7 * S)
    rig.destination(Command.REMOVE_RCV_DESTINATION, subscription, old)
    if not is_replaced:
        end(rig, pending)
        return
    rig.run(S)
    new = "aeron:udp?endpoint=127.0.0.1:5001|control=10.0.0.8:4000"  # has the socket's place
    rig.destination(Command.ADD_RCV_DESTINATION, subscription, new)
    end(rig, pending)
    assert receivers(rig) == [True, False]


def test_look_up_that_ends_after_its_sending_destination_is_dropped(rig, lookup):
    publication = rig.add_publication("aeron:udp?control=127.0.0.1:4100|control-mode=manual")
    rig.destination(Command.ADD_DESTINATION, publication, PUBLICATION)
    pending = lookup()
    rig.run(7 * S)
    rig.destination(Command.REMOVE_DESTINATION, publication, PUBLICATION)
    end(rig, pending)


def test_look_up_that_ends_while_its_subscription_is_closing_is_dropped(rig, lookup):
    subscription = rig.add_subscription(SUBSCRIPTION)
    pending = lookup()
    rig.run(7 * S)
    pending.set_result({"there": SECOND[0]})
    rig.remove_subscription(subscription)
    rig.run(S)
    assert [each.text for each in rig.cnc.error_log().entries()] == []
    assert changes(rig) == 0


def test_rejected_address_is_reported_and_tried_again(shm_dir):
    rig = launch(shm_dir / "driver", name_resolver_init_args="there,10.0.0.8,::1")
    try:
        status = rig.ready(rig.add_publication(PUBLICATION))[5]
        choose(rig, 1)
        assert receivers(rig) == [True, False]
        assert rig.counters.value(status) == ChannelStatus.CHANNEL_ERRORED
        [entry] = rig.cnc.error_log().entries()
        reason = os.strerror(errno.EAFNOSUPPORT)
        assert f"channel error - {reason}: [::1]:4000: {PUBLICATION}" in entry.text
        assert receivers(rig) == [True, False]
        [again] = rig.cnc.error_log().entries()
        assert again.observation_count > entry.observation_count
        assert changes(rig) == 0
        choose(rig, 0)
        assert receivers(rig) == [True, False]
        assert rig.counters.value(status) == ChannelStatus.CHANNEL_ACTIVE
    finally:
        rig.close()


def test_local_address_of_a_socket_that_was_connected_again_is_published(shm_dir, lookup):
    network = UdpNetwork()
    addresses = [each.address for each in network.interfaces() if not each.is_loopback]
    # From loopback, the socket's own address stays the same.
    second = next((each.host for each in addresses if ":" not in each.host), "127.0.0.2")
    rig = launch(
        shm_dir / "driver",
        network=network,
        name_resolver_init_args=f"there,127.0.0.1,{second}",
    )
    try:
        with network.open(bind=Address(second, 0)) as receiver:
            channel = f"aeron:udp?endpoint=there:{receiver.local_address.port}"
            rig.add_publication(channel)
            await_true(
                lambda: rig.run(10 * MS) or rig.all(Event.ON_PUBLICATION_READY), "a publication"
            )
            lookup().set_result({"there": second})
            rig.run(7 * S)
            assert changes(rig) == 1
            source = receiver.receive()[1]
        [label] = rig.labels(CounterType.COUNTER_TYPE_LOCAL_SOCKET_ADDRESS)
        assert label.split()[-1] == str(source)
        [status] = rig.labels(CounterType.COUNTER_TYPE_SEND_CHANNEL_STATUS)
        assert status == f"snd-channel: {channel} {source}"
    finally:
        rig.close()
