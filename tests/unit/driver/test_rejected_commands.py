"""Commands that the driver rejects, and those that are executed once or for a known object only."""

import struct

import pytest

from aeron_cluster.memory.shared.commands import Command, ErrorCode, Event
from aeron_cluster.memory.shared.counters_layout import CounterType, SystemCounter
from aeron_cluster.memory.system.seams import SystemFiles, UdpNetwork
from tests.unit.driver.driver_rig import CLIENT, MS, DriverRig, S

UDP = "aeron:udp?endpoint=127.0.0.1:4000"
MANUAL = "aeron:udp?control-mode=manual|control=127.0.0.1:4100"
RESPONSES = "aeron:udp?control=127.0.0.1:4300|control-mode=response"
POSITION = "term-length=64k|init-term-id=5|term-id={}|term-offset={}"


@pytest.fixture
def rig(shm_dir):
    driver_rig = DriverRig(shm_dir / "driver")
    yield driver_rig
    driver_rig.close()


def counter(rig, label):
    [found] = [each for each in rig.counters.counters() if each.label.startswith(label)]
    return found


def add_counter(rig, type_id=1100):
    [*_, answer] = rig.request(Command.ADD_COUNTER, struct.pack("<iii", type_id, 0, 1) + b"x")
    return answer


# ---- clients ----


def test_keepalives_are_heartbeats_of_a_known_client(rig):
    rig.add_publication("aeron:ipc")
    heartbeat = counter(rig, "client-heartbeat").counter_id
    for _ in range(20):
        rig.run(S, step_ns=100 * MS, heartbeats=False)
        assert rig.request(Command.CLIENT_KEEPALIVE, b"") == []
        assert rig.counters.value(heartbeat) == rig.clock.epoch_ms()
    assert rig.all(Event.ON_CLIENT_TIMEOUT) == []
    rig.run(12 * S, step_ns=100 * MS, heartbeats=False)
    assert rig.all(Event.ON_CLIENT_TIMEOUT) == [(CLIENT,)]


def test_a_static_counter_is_not_a_counter_of_a_client(rig):
    registration_id, counter_id = add_counter(rig).fields
    payload = struct.pack("<qii", registration_id, 1100, 0) + struct.pack("<i", 5) + b"label"
    [answer] = rig.request(Command.ADD_STATIC_COUNTER, payload)
    assert answer.event == Event.ON_ERROR
    assert answer.fields[1] == ErrorCode.ERROR_GENERIC
    assert answer.fields[2] == (
        f"cannot add static counter, because a non-static counter exists (counterId={counter_id})"
        f" for typeId=1100 and registrationId={registration_id}"
    )
    assert "label" not in rig.labels()


def test_a_hook_without_a_validator_permits_no_termination(shm_dir):
    ended = []
    rig = DriverRig(shm_dir / "driver", termination_hook=lambda: ended.append(True))
    try:
        assert rig.request(Command.TERMINATE_DRIVER, struct.pack("<i", 0)) == []
        assert ended == []
        assert rig.counters.value(SystemCounter.SYSTEM_ERRORS) == 1
    finally:
        rig.close()


# ---- publications ----


@pytest.mark.parametrize("channel", ["aeron:ipc?", f"{UDP}|"])
@pytest.mark.parametrize(
    ("position", "part"),
    [
        ("term-length=64k|init-term-id=6|term-id=6|term-offset=96", "init-term-id"),
        (POSITION.format(6, 96), "term-id"),
        (POSITION.format(5, 64), "term-offset"),
    ],
)
def test_a_shared_publication_begins_at_one_position(rig, channel, position, part):
    first = rig.ready(rig.add_publication(channel + POSITION.format(5, 96)))
    again = rig.ready(rig.add_publication(channel + POSITION.format(5, 96)))
    assert again[1] == first[1]
    code, text = rig.error(rig.add_publication(channel + position))
    assert code == ErrorCode.ERROR_GENERIC
    assert f"parameter '{part}'" in text


@pytest.mark.parametrize("channel", ["aeron:ipc?tags=1,5", f"{UDP}|tags=1,5"])
def test_an_entity_tag_is_that_of_one_publication(rig, channel):
    rig.ready(rig.add_publication(channel, exclusive=True))
    code, text = rig.error(rig.add_publication(channel, 11, exclusive=True))
    assert code == ErrorCode.ERROR_INVALID_CHANNEL
    assert text.startswith("5 entityTag already in use: channel=")


@pytest.mark.parametrize("channel", ["aeron:ipc?control-mode=response", RESPONSES])
def test_a_prototype_of_responses_needs_no_request_and_little_memory(rig, channel):
    prototype = f"{channel}|response-correlation-id=prototype|term-length=1m"
    ready = rig.ready(rig.add_publication(prototype, 20, exclusive=True))
    assert rig.log(ready[6]).term_length == 64 << 10
    assert rig.counters.value(SystemCounter.SYSTEM_ERRORS) == 0


def test_a_rejected_ipc_image_is_unavailable_to_later_subscriptions_too(rig):
    ready = rig.ready(rig.add_publication("aeron:ipc"))
    first = rig.add_subscription("aeron:ipc")
    rig.request(Command.REJECT_IMAGE, struct.pack("<qqi", ready[1], 0, 2) + b"no")
    later = rig.add_subscription("aeron:ipc")
    rig.run(9 * S, step_ns=100 * MS)
    assert (len(rig.images(first)), len(rig.images(later))) == (1, 0)
    rig.run(3 * S, step_ns=100 * MS)
    assert (len(rig.images(first)), len(rig.images(later))) == (2, 1)


def test_an_interface_of_another_machine_is_named(shm_dir):
    rig = DriverRig(shm_dir / "driver", network=UdpNetwork())
    channel = "aeron:udp?endpoint=224.20.30.39:24326|interface=203.0.113.1"
    try:
        for added in (rig.add_publication(channel), rig.add_subscription(channel)):
            code, text = rig.error(added)
            assert code == ErrorCode.ERROR_INVALID_CHANNEL
            assert "parameter 'interface': expected an address of this machine" in text
        assert rig.labels(CounterType.COUNTER_TYPE_SEND_CHANNEL_STATUS) == []
        assert rig.labels(CounterType.COUNTER_TYPE_RECEIVE_CHANNEL_STATUS) == []
    finally:
        rig.close()


class DamagedFiles(SystemFiles):
    """A machine whose disk fails for logs of streams."""

    def open(self, path, **options):
        if str(path).endswith(".logbuffer"):
            raise OSError(5, "Input/output error")
        return super().open(path, **options)


def test_a_failure_of_the_disk_is_sent_with_its_type(shm_dir):
    rig = DriverRig(shm_dir / "driver", files=DamagedFiles())
    try:
        for channel in ("aeron:ipc", UDP):
            code, text = rig.error(rig.add_publication(channel))
            assert code == ErrorCode.ERROR_GENERIC
            assert text == "OSError: [Errno 5] Input/output error"
        rig.run(S)
        assert rig.labels() == [f"client-heartbeat: id={CLIENT}"]
    finally:
        rig.close()


# ---- subscriptions ----


def test_an_unknown_subscription_cannot_be_removed(rig):
    [answer] = rig.remove_subscription(99)
    assert answer.event == Event.ON_ERROR
    assert answer.fields[1:] == (ErrorCode.ERROR_UNKNOWN_SUBSCRIPTION, "unknown subscription: 99")


def test_a_subscription_needs_the_port_of_its_control_address(rig):
    channel = "aeron:udp?endpoint=127.0.0.1:4000|control=127.0.0.1:0|control-mode=dynamic"
    code, text = rig.error(rig.add_subscription(channel))
    assert code == ErrorCode.ERROR_GENERIC
    assert text.startswith(f"control has port=0 for subscription: channel={channel}")
    assert rig.labels(CounterType.COUNTER_TYPE_RECEIVE_CHANNEL_STATUS) == []


def test_a_response_subscription_without_a_response_is_removed_with_its_channel(rig):
    subscription = rig.add_subscription(RESPONSES, 20)
    assert len(rig.labels(CounterType.COUNTER_TYPE_RECEIVE_CHANNEL_STATUS)) == 1
    [answer] = rig.remove_subscription(subscription)
    assert answer.event == Event.ON_OPERATION_SUCCESS
    rig.run(S)
    assert rig.labels() == [f"client-heartbeat: id={CLIENT}"]


def test_a_window_fits_the_systems_receive_buffer_unless_no_socket_is_open(shm_dir):
    rig = DriverRig(shm_dir / "driver", socket_so_rcvbuf=0, socket_so_sndbuf=0)
    try:
        _, text = rig.error(rig.add_subscription(f"{UDP}|rcv-wnd=1g"))
        assert text.startswith("Initial window greater than SO_RCVBUF for channel: rcv-wnd=107374")
        assert "(OS default)" in text
        rig.add_subscription("aeron:udp?control-mode=manual|rcv-wnd=1g", 11)
        assert len(rig.all(Event.ON_SUBSCRIPTION_READY)) == 1
    finally:
        rig.close()


# ---- destinations ----


def test_a_destination_is_removed_by_its_address_alone(rig):
    channels = [f"aeron:udp?endpoint=127.0.0.1:{port}" for port in (4001, 4002, 4003)]
    publication = rig.add_publication(MANUAL)
    for channel in channels:
        rig.destination(Command.ADD_DESTINATION, publication, channel)
    for channel, left in ((channels[1], 2), (channels[1], 2), (UDP, 2), (channels[2], 1)):
        removed = rig.destination(Command.REMOVE_DESTINATION, publication, channel)
        rig.run(10 * MS)
        assert (removed,) in rig.all(Event.ON_OPERATION_SUCCESS)
        assert counter(rig, "mdc-num-dest").value == left


@pytest.mark.parametrize("channel", [UDP, "aeron:ipc", f"aeron-spy:{UDP}"])
def test_a_subscriptions_destination_is_removed_once(rig, channel):
    subscription = rig.add_subscription("aeron:udp?control-mode=manual")
    rig.add_subscription(channel)  # of the same channel, but no destination
    other = "aeron:udp?endpoint=127.0.0.1:4001"
    rig.destination(Command.ADD_RCV_DESTINATION, subscription, other)
    code, text = rig.error(rig.destination(Command.REMOVE_RCV_DESTINATION, subscription, channel))
    assert code == ErrorCode.ERROR_INVALID_CHANNEL
    assert text == f"subscription {subscription}: no destination {channel}"
    removed = rig.destination(Command.REMOVE_RCV_DESTINATION, subscription, other)
    assert (removed,) in rig.all(Event.ON_OPERATION_SUCCESS)
    rig.run(50 * MS)
    rig.error(rig.destination(Command.REMOVE_RCV_DESTINATION, subscription, other))
