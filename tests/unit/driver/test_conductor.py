"""The conductor run pass by pass: responses to commands, and timeouts."""

import contextlib
import shutil
import struct
from pathlib import Path

import pytest

from aeron_cluster.driver.clients.commands import decode
from aeron_cluster.driver.control.deferred_commands import DeferredCommands
from aeron_cluster.driver.control.stream_factory import StreamFactory
from aeron_cluster.errors import AgentTerminationError
from aeron_cluster.memory.shared.commands import Command, ErrorCode, Event
from aeron_cluster.memory.shared.counters_layout import ChannelStatus, CounterType, SystemCounter
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.driver.driver_rig import CLIENT, MS, DriverRig, S

UDP = "aeron:udp?endpoint=127.0.0.1:4000"


@pytest.fixture
def rig(shm_dir):
    driver_rig = DriverRig(shm_dir / "driver")
    yield driver_rig
    driver_rig.close()


def counter(rig, label):
    [found] = [each for each in rig.counters.counters() if each.label.startswith(label)]
    return found


def log_files(rig):
    return sorted(path.name for path in Path(rig.driver.aeron_dir).glob("*/*.logbuffer"))


# ---- clients ----


def test_the_first_resource_creates_the_client(rig):
    """Facts 1.8: a client entry is created lazily by the first command that adds a resource."""
    correlation_id = rig.add_publication("aeron:ipc")
    first, second = rig.events
    assert first.event == Event.ON_COUNTER_READY
    assert first.fields[0] == CLIENT
    assert second.event == Event.ON_PUBLICATION_READY
    assert second.fields[0] == correlation_id
    assert counter(rig, f"client-heartbeat: id={CLIENT}").value == rig.clock.epoch_ms()


@pytest.mark.parametrize("command", [Command.CLIENT_KEEPALIVE, Command.CLIENT_CLOSE])
def test_neither_keepalive_nor_close_makes_a_client(rig, command):
    assert rig.request(command, b"") == []
    assert rig.labels() == []


def test_a_silent_client_loses_everything(rig):
    publication = rig.add_publication("aeron:ipc")
    rig.add_publication(UDP)
    rig.add_subscription(UDP)
    rig.request(Command.ADD_COUNTER, struct.pack("<iii", 1100, 0, 1) + b"x")
    heartbeat = counter(rig, "client-heartbeat").counter_id
    rig.run(10 * S, heartbeats=False)
    assert rig.all(Event.ON_CLIENT_TIMEOUT) == []
    rig.run(12 * S, heartbeats=False)
    assert rig.all(Event.ON_CLIENT_TIMEOUT) == [(CLIENT,)]
    assert (CLIENT, heartbeat) in rig.all(Event.ON_UNAVAILABLE_COUNTER)
    assert rig.counters.value(SystemCounter.SYSTEM_CLIENT_TIMEOUTS) == 1
    rig.run(20 * S, step_ns=100 * MS)
    assert rig.labels() == []
    assert log_files(rig) == []
    assert rig.remove_publication(publication)[0].event == Event.ON_ERROR


def test_a_wall_clock_set_forward_makes_no_client_silent(rig):
    rig.add_publication("aeron:ipc")
    rig.run(2 * S)
    rig.clock.step_wall_clock(3600 * S)
    # A client needs up to half a second to write its heartbeat; the driver may check before that.
    rig.run(500 * MS, heartbeats=False)
    rig.run(30 * S)
    assert rig.all(Event.ON_CLIENT_TIMEOUT) == []
    rig.clock.step_wall_clock(3600 * S)
    rig.run(12 * S, heartbeats=False)
    assert rig.all(Event.ON_CLIENT_TIMEOUT) == [(CLIENT,)]


def test_client_dead_before_the_wall_clock_was_set_back_times_out_in_time(rig):
    rig.add_publication("aeron:ipc")
    rig.run(2 * S)
    rig.clock.step_wall_clock(-3600 * S)
    rig.run(12 * S, heartbeats=False)
    assert rig.all(Event.ON_CLIENT_TIMEOUT) == [(CLIENT,)]


def test_a_wall_clock_set_back_makes_no_client_silent(rig):
    rig.add_publication("aeron:ipc")
    rig.run(2 * S)
    rig.clock.step_wall_clock(-3600 * S)
    rig.run(500 * MS, heartbeats=False)
    rig.run(30 * S)
    assert rig.all(Event.ON_CLIENT_TIMEOUT) == []


def test_a_closed_client_is_removed_at_the_next_timer_without_a_timeout(rig):
    rig.add_publication("aeron:ipc")
    rig.request(Command.CLIENT_CLOSE, b"")
    rig.run(2 * S)
    assert rig.all(Event.ON_CLIENT_TIMEOUT) == []
    assert len(rig.all(Event.ON_UNAVAILABLE_COUNTER)) == 1
    assert rig.labels() == []


def test_driver_heartbeat_is_written_each_timer_interval(rig):
    rig.run(3 * S)
    assert 0 <= rig.clock.epoch_ms() - rig.cnc.driver_heartbeat_ms <= 1010


# ---- publications ----


@pytest.mark.parametrize("channel", ["aeron:ipc", UDP])
def test_a_shared_publication_is_added_once_and_counted(rig, channel):
    """Facts 2.1: READY carries correlation id (this add) and registration id (original add)."""
    first, second = rig.add_publication(channel), rig.add_publication(channel)
    one, two = rig.ready(first), rig.ready(second)
    assert (two[0], two[1]) == (second, first)
    assert one[2:] == two[2:]
    assert len(log_files(rig)) == 1
    assert rig.remove_publication(first)[0].event == Event.ON_OPERATION_SUCCESS
    rig.run(20 * S, step_ns=100 * MS)
    assert len(log_files(rig)) == 1
    rig.remove_publication(second)
    rig.run(20 * S, step_ns=100 * MS)
    assert log_files(rig) == []


@pytest.mark.parametrize("channel", ["aeron:ipc", UDP])
def test_an_exclusive_publication_is_always_its_own(rig, channel):
    ready = [rig.ready(rig.add_publication(channel, exclusive=True)) for _ in "ab"]
    assert ready[0][1] != ready[1][1]
    assert ready[0][2] != ready[1][2]
    assert len(log_files(rig)) == 2


def test_a_new_log_has_the_metadata_clients_rely_on(rig):
    ready = rig.ready(rig.add_publication("aeron:ipc?mtu=4096|term-length=128k"))
    log = rig.log(ready[6])
    assert (log.term_length, log.mtu_length, log.page_size) == (128 << 10, 4096, 4096)
    assert (log.session_id, log.stream_id) == (ready[2], 10)
    assert log.correlation_id == ready[1]
    assert log.end_of_stream_position == 2**63 - 1
    assert not log.is_connected
    assert ready[5] == -1


def test_a_publication_starts_where_its_uri_requests(rig):
    position = "term-length=64k|init-term-id=5|term-id=7|term-offset=96"
    ready = rig.ready(rig.add_publication(f"aeron:ipc?{position}", exclusive=True))
    assert rig.log(ready[6]).producer_position == 2 * (64 << 10) + 96
    assert counter(rig, "pub-lmt").value == 2 * (64 << 10) + 96


def test_counters_have_the_labels_of_aeron(rig):
    ready = rig.ready(rig.add_publication(UDP))
    tail = f": {ready[1]} {ready[2]} 10 {UDP}"
    assert rig.labels() == [
        f"client-heartbeat: id={CLIENT}",
        f"snd-channel: {UDP} {counter(rig, 'snd-local-sockaddr').label.split()[-1]}",
        counter(rig, "snd-local-sockaddr").label,
        "pub-pos (concurrent)" + tail,
        "pub-lmt" + tail,
        "snd-pos" + tail,
        "snd-lmt" + tail,
        "snd-bpe" + tail,
        "snd-naks-received" + tail,
    ]
    key = counter(rig, "pub-lmt").key
    assert key[:20] == struct.pack("<qiii", ready[1], ready[2], 10, len(UDP))
    assert key[20 : 20 + len(UDP)] == UDP.encode()


REJECTED = [
    ("aeron:ipc?mtu=2048", "aeron:ipc?mtu=4096", ErrorCode.ERROR_GENERIC, "'mtu'"),
    ("aeron:ipc", "aeron:ipc?term-length=128k", ErrorCode.ERROR_GENERIC, "'term-length'"),
    ("aeron:ipc", "aeron:ipc?session-id=77", ErrorCode.ERROR_GENERIC, "'session-id'"),
    (UDP, f"{UDP}|ssc=true", ErrorCode.ERROR_GENERIC, "'ssc'"),
    (f"{UDP}|so-sndbuf=64k", f"{UDP}|so-sndbuf=128k", ErrorCode.ERROR_INVALID_CHANNEL, "so-sndbuf"),
    ("aeron:ipc?tags=1,2", "aeron:ipc?tags=3,2|session-id=1", ErrorCode.ERROR_GENERIC, ""),
    (None, "aeron:ipc?mtu=1400", ErrorCode.ERROR_GENERIC, "'mtu'"),
    (None, "aeron:tcp", ErrorCode.ERROR_INVALID_CHANNEL, "media"),
    (None, "nonsense", ErrorCode.ERROR_INVALID_CHANNEL, "'aeron:'"),
    (None, "aeron:udp", ErrorCode.ERROR_INVALID_CHANNEL, "endpoint"),
    (None, "aeron:udp?endpoint=nobody:1", ErrorCode.ERROR_INVALID_CHANNEL, "nobody"),
    (None, "aeron:udp?endpoint=127.0.0.1:0", ErrorCode.ERROR_GENERIC, "endpoint"),
    (None, "aeron:udp?control=127.0.0.1:9", ErrorCode.ERROR_GENERIC, "'control-mode'"),
    (None, "aeron:udp?tags=99", ErrorCode.ERROR_INVALID_CHANNEL, "'tags'"),
    (None, f"{UDP}|fc=max", ErrorCode.ERROR_GENERIC, "fc"),
    (None, f"{UDP}|session-id=tag:5", ErrorCode.ERROR_INVALID_CHANNEL, "'session-id'"),
    (None, f"{UDP}|response-correlation-id=5", ErrorCode.ERROR_GENERIC, "response"),
    (None, "aeron-spy:" + UDP, ErrorCode.ERROR_INVALID_CHANNEL, "prefix"),
]


@pytest.mark.parametrize(("before", "channel", "code", "part"), REJECTED)
def test_rejects_a_publication_and_names_the_part(rig, before, channel, code, part):
    if before is not None:
        rig.ready(rig.add_publication(before))
    logs = log_files(rig)
    found_code, text = rig.error(rig.add_publication(channel))
    assert (found_code, part in text) == (code, True), text
    assert log_files(rig) == logs
    assert rig.counters.value(SystemCounter.SYSTEM_ERRORS) == 1


@pytest.mark.parametrize("channel", ["aeron:ipc?session-id=77", f"{UDP}|session-id=77"])
def test_a_session_id_is_used_once_until_its_stream_is_over(rig, channel):
    """Facts 2.1: explicit session id already used by a not-yet-finished publication -> 1."""
    first = rig.add_publication(channel, exclusive=True)
    code, text = rig.error(rig.add_publication(channel, exclusive=True))
    assert code == ErrorCode.ERROR_INVALID_CHANNEL
    assert "'session-id'" in text
    rig.ready(rig.add_publication(channel, 11, exclusive=True))
    rig.remove_publication(first)
    rig.run(12 * S, step_ns=100 * MS)
    assert rig.ready(rig.add_publication(channel, exclusive=True))[2] == 77


def test_next_session_ids_are_not_those_in_use(rig):
    taken = rig.ready(rig.add_publication("aeron:ipc"))[2]
    [answers] = rig.request(Command.GET_NEXT_AVAILABLE_SESSION_ID, struct.pack("<i", 10))
    assert answers.event == Event.ON_NEXT_AVAILABLE_SESSION_ID
    assert answers.fields[1] != taken


def test_tagged_session_is_the_other_publications(rig):
    first = rig.ready(rig.add_publication("aeron:ipc?tags=1,5|mtu=2048", exclusive=True))
    second = rig.ready(rig.add_publication(f"{UDP}|session-id=tag:5", 11, exclusive=True))
    assert second[2] == first[2]
    assert rig.log(second[6]).mtu_length == 2048


# ---- IPC ----


@pytest.mark.parametrize("subscription_first", [True, False])
def test_ipc_publications_and_subscriptions_find_each_other(rig, subscription_first):
    if subscription_first:
        subscription = rig.add_subscription("aeron:ipc")
    ready = rig.ready(rig.add_publication("aeron:ipc"))
    if not subscription_first:
        subscription = rig.add_subscription("aeron:ipc")
    assert (subscription, -1) in rig.all(Event.ON_SUBSCRIPTION_READY)
    [image] = rig.images(subscription)
    assert image == (ready[1], ready[2], 10, subscription, image[4], ready[6], "aeron:ipc")
    rig.run(20 * MS)
    assert rig.log(ready[6]).is_connected
    assert counter(rig, "pub-lmt").value == 32 << 10
    position = counter(rig, "sub-pos")
    assert position.counter_id == image[4]
    assert position.label.endswith(f"sub-pos: {subscription} {ready[2]} 10 aeron:ipc @0")
    assert (position.registration_id, position.reference_id) == (subscription, ready[1])


def test_ipc_subscriptions_choose_their_stream_and_session(rig):
    rig.add_publication("aeron:ipc?session-id=7", 10, exclusive=True)
    rig.add_publication("aeron:ipc?session-id=8", 10, exclusive=True)
    rig.add_publication("aeron:ipc?session-id=8", 11, exclusive=True)
    assert [f[1:3] for f in rig.images(rig.add_subscription("aeron:ipc"))] == [(7, 10), (8, 10)]
    narrow = rig.add_subscription("aeron:ipc?session-id=8")
    assert [f[1:3] for f in rig.images(narrow)] == [(8, 10)]
    assert rig.images(rig.add_subscription("aeron:ipc", 12)) == []


def test_a_removed_subscription_notifies_no_unavailable_images(rig):
    """Facts 1.10: removing a subscription does not broadcast ON_UNAVAILABLE_IMAGE."""
    ready = rig.ready(rig.add_publication("aeron:ipc"))
    subscription = rig.add_subscription("aeron:ipc")
    [answers] = rig.remove_subscription(subscription)
    assert answers.event == Event.ON_OPERATION_SUCCESS
    assert rig.labels(CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION) == []
    rig.run(20 * MS)
    assert not rig.log(ready[6]).is_connected


def test_an_ipc_stream_drains_before_it_is_freed(rig):
    subscription = rig.add_subscription("aeron:ipc")
    publication = rig.add_publication("aeron:ipc")
    ready = rig.ready(publication)
    end = rig.publish(ready, b"to be read")
    rig.remove_publication(publication)
    assert rig.log(ready[6]).end_of_stream_position == end
    rig.run(5 * S)
    assert rig.lost_images(subscription) == []
    rig.counters.set_value(counter(rig, "sub-pos").counter_id, end)
    rig.run(1100 * MS)
    assert rig.lost_images(subscription) == [(ready[1], subscription, 10, "aeron:ipc")]
    rig.run(2 * S)
    assert log_files(rig) == []
    assert rig.labels() == [f"client-heartbeat: id={CLIENT}"]


def test_a_revoked_ipc_stream_does_not_wait(rig):
    subscription = rig.add_subscription("aeron:ipc")
    publication = rig.add_publication("aeron:ipc", exclusive=True)
    rig.publish(rig.ready(publication), b"not to be read")
    rig.remove_publication(publication, revoke=True)
    rig.run(1100 * MS)
    assert len(rig.lost_images(subscription)) == 1
    assert rig.counters.value(SystemCounter.SYSTEM_PUBLICATIONS_REVOKED) == 1
    rig.run(2 * S)
    assert log_files(rig) == []


def test_position_in_a_revoked_ipc_stream_is_retained_while_its_client_may_write_it(rig):
    """A handler may still run, and its client writes the position after it."""
    subscription = rig.add_subscription("aeron:ipc")
    publications = [rig.add_publication("aeron:ipc") for _ in range(2)]
    rig.publish(rig.ready(publications[0]), b"not to be read")
    rig.remove_publication(publications[0], revoke=True)
    rig.run_until(lambda: rig.lost_images(subscription))
    rig.run(3 * S)
    assert counter(rig, "sub-pos").counter_id == rig.images(subscription)[0][4]
    rig.remove_publication(publications[1])
    rig.run_until(lambda: not rig.labels(CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION))
    assert len(rig.lost_images(subscription)) == 1


@pytest.mark.parametrize("channel", ["aeron:ipc", UDP])
def test_a_revoked_publication_is_retained_until_its_last_reference(rig, channel):
    subscription = rig.add_subscription(channel)
    first, second = rig.add_publication(channel), rig.add_publication(channel)
    rig.run_until(lambda: rig.images(subscription))
    rig.remove_publication(first, revoke=True)
    rig.run_until(lambda: rig.lost_images(subscription))
    rig.run(20 * S, step_ns=100 * MS)
    assert Path(rig.ready(second)[6]).exists()
    rig.remove_publication(second)
    rig.run(2 * S)
    assert log_files(rig) == []


def test_a_rejected_ipc_image_returns_after_the_liveness_timeout(rig):
    subscription = rig.add_subscription("aeron:ipc")
    ready = rig.ready(rig.add_publication("aeron:ipc"))
    reason = b"no such order"
    payload = struct.pack("<qqi", ready[1], 0, len(reason)) + reason
    assert rig.request(Command.REJECT_IMAGE, payload)[-1].event == Event.ON_OPERATION_SUCCESS
    [error] = rig.all(Event.ON_PUBLICATION_ERROR)
    assert error[0] == ready[1]
    assert error[-2:] == (ErrorCode.ERROR_IMAGE_REJECTED, "no such order")
    assert rig.counters.value(SystemCounter.SYSTEM_ERRORS) == 1
    assert len(rig.lost_images(subscription)) == 1
    rig.run(9 * S, step_ns=100 * MS)
    assert len(rig.images(subscription)) == 1
    rig.run(3 * S, step_ns=100 * MS)
    assert len(rig.images(subscription)) == 2


# ---- untethered ----


def test_a_lagging_untethered_subscriber_is_dropped_and_returns(rig):
    """Facts 3.10: ACTIVE 5 s -> LINGER 5 s -> RESTING 10 s -> ACTIVE at the join position."""
    slow = rig.add_subscription("aeron:ipc?tether=false")
    ready = rig.ready(rig.add_publication("aeron:ipc?term-length=64k"))
    fast = rig.add_subscription("aeron:ipc")
    image = {f[3]: f[4] for f in rig.images(slow) + rig.images(fast)}
    for _ in range(40):
        end = rig.publish(ready, bytes(1000))
        rig.counters.set_value(image[fast], end)
        rig.run(10 * MS)
    rig.run(7 * S, step_ns=100 * MS)
    assert len(rig.lost_images(slow)) == 1
    held = counter(rig, "pub-lmt").value
    rig.run(6 * S, step_ns=100 * MS)
    assert counter(rig, "pub-lmt").value > held
    rig.run(12 * S, step_ns=100 * MS)
    first, again = rig.images(slow)
    assert again == first
    assert rig.counters.value(image[slow]) == end
    assert rig.lost_images(fast) == []


@pytest.mark.parametrize(
    ("slow_channel", "limited"),
    [(f"{UDP}|tether=false", "snd-pos"), (f"aeron-spy:{UDP}|tether=false", "pub-lmt")],
)
def test_a_lagging_untethered_subscriber_of_the_network_is_dropped_and_returns(
    rig, slow_channel, limited
):
    slow = rig.add_subscription(slow_channel)
    fast = rig.add_subscription(UDP)
    ready = rig.ready(rig.add_publication(UDP))
    rig.run_until(lambda: rig.images(slow) and rig.images(fast))
    position, fast_position = rig.images(slow)[0][4], rig.images(fast)[0][4]

    def publish(count):
        for _ in range(count):
            end = rig.publish(ready, bytes(1000))
            rig.run(10 * MS)
            rig.counters.set_value(fast_position, counter(rig, "rcv-pos").value)
        return end

    begin = publish(8)
    rig.counters.set_value(position, begin)
    rig.run(7 * S, step_ns=100 * MS)
    assert rig.lost_images(slow) == []  # within a quarter of the window
    end = publish(40)
    rig.run(7 * S, step_ns=100 * MS)
    assert len(rig.lost_images(slow)) == 1
    held = counter(rig, limited).value
    rig.run(6 * S, step_ns=100 * MS)
    assert counter(rig, limited).value > held
    assert counter(rig, "snd-pos").value == end
    rig.counters.set_value(fast_position, end)
    rig.run(12 * S, step_ns=100 * MS)
    first, again = rig.images(slow)
    assert again == first
    assert rig.counters.value(position) == end
    assert rig.lost_images(fast) == []


def test_untethered_subscriber_without_rejoin_does_not_return(rig):
    slow = rig.add_subscription("aeron:ipc?tether=false|rejoin=false")
    ready = rig.ready(rig.add_publication("aeron:ipc?term-length=64k"))
    fast = rig.add_subscription("aeron:ipc")
    position = rig.images(fast)[0][4]
    for _ in range(40):
        rig.counters.set_value(position, rig.publish(ready, bytes(1000)))
        rig.run(10 * MS)
    rig.run(30 * S, step_ns=100 * MS)
    assert (len(rig.images(slow)), len(rig.lost_images(slow))) == (1, 1)
    assert len(rig.labels(CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION)) == 1


@pytest.mark.parametrize("is_resting", [False, True])
def test_a_dropped_untethered_subscriber_is_removed_without_another_event(rig, is_resting):
    slow = rig.add_subscription("aeron:ipc?tether=false")
    publication = rig.add_publication("aeron:ipc?term-length=64k")
    ready = rig.ready(publication)
    fast = rig.add_subscription("aeron:ipc")
    position = rig.images(fast)[0][4]
    for _ in range(40):
        end = rig.publish(ready, bytes(1000))
        rig.counters.set_value(position, end)
        rig.run(10 * MS)
    rig.run((13 if is_resting else 7) * S, step_ns=100 * MS)
    assert len(rig.lost_images(slow)) == 1
    rig.remove_publication(publication, revoke=not is_resting)  # a lingering one is waited for
    rig.run(S)
    assert len(rig.lost_images(fast)) == 1
    assert len(rig.lost_images(slow)) == 1
    rig.run(3 * S)
    assert rig.labels() == [f"client-heartbeat: id={CLIENT}"]


# ---- network ----


def test_the_last_message_is_retransmitted_after_another_receiver_left(rig):
    publication = rig.add_publication(UDP)
    ready = rig.ready(publication)
    receiver = rig.network.open(bind=("127.0.0.1", 4000))
    rig.run(200 * MS)
    _, source = receiver.receive()[:2]
    term_id = rig.log(ready[6]).initial_term_id

    def send(frame):
        rig.network.deliver(("127.0.0.1", 4000), source, frame)
        rig.run(10 * MS)

    def status(receiver_id, flags=0):
        send(
            struct.pack(
                "<iBBHiiiiiq",
                *(36, 0, flags, 3, ready[2], ready[3], term_id, 0, 32768, receiver_id),
            )
        )

    status(1)
    status(1, flags=0x40)
    status(2)
    end = rig.publish(ready, b"the last message")
    rig.run(200 * MS)
    rig.remove_publication(publication)
    status(2)
    rig.run(3 * S)
    while receiver.receive() is not None:
        pass
    send(struct.pack("<iBBHiiiii", 28, 0, 0, 2, ready[2], ready[3], term_id, 0, end))
    sent = []
    while (received := receiver.receive()) is not None:
        sent.append(received[0])
    assert any(b"the last message" in each for each in sent)


def connected(rig, publication_channel=UDP, subscription_channel=UDP, **more):
    """Publish and subscribe over the in-memory network; return both ids and the image."""
    subscription = rig.add_subscription(subscription_channel)
    publication = rig.add_publication(publication_channel, **more)
    rig.run_until(lambda: rig.images(subscription))
    return publication, subscription, rig.images(subscription)[0]


def test_a_stream_over_the_network_becomes_an_image(rig):
    publication, subscription, image = connected(rig)
    ready = rig.ready(publication)
    assert image[1:3] == (ready[2], 10)
    assert image[6] == counter(rig, "snd-local-sockaddr").label.split()[-1].replace(
        "0.0.0.0", "127.0.0.1"
    )
    rig.run(50 * MS)
    assert rig.log(ready[6]).is_connected
    end = rig.publish(ready, b"over the wire")
    rig.run_until(lambda: counter(rig, "rcv-pos").value == end)
    assert Path(image[5]).read_bytes()[32 : 32 + 13] == b"over the wire"
    labels = rig.labels()
    for name in ("rcv-channel: ", "rcv-local-sockaddr: ", "rcv-hwm: ", "rcv-naks-sent: "):
        assert any(label.startswith(name) for label in labels), name
    assert counter(rig, "rcv-pos").registration_id == image[0]
    assert subscription


def test_the_source_of_an_image_marks_its_port(rig):
    channel = "aeron:udp?endpoint=[::1]:40123"
    _, _, image = connected(rig, channel, channel)
    host, _, port = image[6].rpartition(":")
    assert host == "[::1]"
    assert 0 < int(port) < 65536


def test_the_end_of_a_stream_frees_its_image_and_both_channels(rig):
    publication, subscription, image = connected(rig)
    ready = rig.ready(publication)
    end = rig.publish(ready, b"the last")
    rig.run_until(lambda: counter(rig, "rcv-pos").value == end)
    rig.counters.set_value(image[4], end)
    rig.remove_publication(publication)
    rig.run_until(lambda: rig.lost_images(subscription))
    assert rig.lost_images(subscription) == [(image[0], subscription, 10, UDP)]
    rig.remove_subscription(subscription)
    rig.run_until(lambda: rig.labels() == [f"client-heartbeat: id={CLIENT}"])
    assert log_files(rig) == []
    assert rig.counters.value(SystemCounter.SYSTEM_ERRORS) == 0


def test_cubic_congestion_control_has_its_own_counters(rig):
    connected(rig, UDP, f"{UDP}|cc=cubic")
    labels = rig.labels(CounterType.COUNTER_TYPE_PER_IMAGE)
    assert [label.split(":")[0] for label in labels] == ["rcv-cc-cubic-rtt", "rcv-cc-cubic-wnd"]


def test_an_unknown_congestion_control_makes_no_image_and_is_reported_once(rig):
    subscription = rig.add_subscription(f"{UDP}|cc=vegas")
    rig.add_publication(UDP)
    rig.run(3 * S)
    assert rig.images(subscription) == []
    [entry] = rig.cnc.error_log().entries()
    assert "expected static or cubic" in entry.text


def test_a_rejected_image_notifies_its_publisher_and_ends(rig):
    """Facts 3.9: every SM timeout an ERR frame replaces the SM; image dies by liveness."""
    publication, subscription, image = connected(rig)
    payload = struct.pack("<qqi", image[0], 0, 2) + b"no"
    assert rig.request(Command.REJECT_IMAGE, payload)[-1].event == Event.ON_OPERATION_SUCCESS
    rig.run_until(lambda: rig.all(Event.ON_PUBLICATION_ERROR))
    [error] = rig.all(Event.ON_PUBLICATION_ERROR)
    assert error[:4] == (publication, -1, image[1], 10)
    assert error[-2:] == (ErrorCode.ERROR_IMAGE_REJECTED, "no")
    rig.run_until(lambda: rig.lost_images(subscription))
    assert rig.counters.value(SystemCounter.SYSTEM_IMAGES_REJECTED) == 1


def test_repeated_rejections_leave_space_for_other_events(rig):
    """A source alternating status messages and error frames causes one event per pair."""
    publication = rig.add_publication(UDP)
    ready = rig.ready(publication)
    session_id, stream_id = ready[2], ready[3]
    receiver = rig.network.open(bind=("127.0.0.1", 4000))
    rig.run(200 * MS)  # until a setup frame
    _, source = receiver.receive()[:2]
    term_id = rig.log(ready[6]).initial_term_id
    status = struct.pack("<iBBHiiiiiq", 36, 0, 0, 3, session_id, stream_id, term_id, 0, 4096, 7)
    error = struct.pack("<iBBHiiqqii", 42, 0, 0, 4, session_id, stream_id, 7, 0, 13, 2) + b"no"
    for _ in range(200):
        rig.network.deliver(("127.0.0.1", 4000), source, status)
        rig.network.deliver(("127.0.0.1", 4000), source, error)
        rig.run(MS, step_ns=MS)
    assert rig.counters.value(SystemCounter.SYSTEM_ERROR_FRAMES_RECEIVED) == 200
    assert len(rig.all(Event.ON_PUBLICATION_ERROR)) == 16
    rig.run(2 * S)
    rig.network.deliver(("127.0.0.1", 4000), source, status)
    rig.network.deliver(("127.0.0.1", 4000), source, error)
    rig.run(10 * MS)
    assert len(rig.all(Event.ON_PUBLICATION_ERROR)) == 17


def test_a_revoked_stream_ends_although_data_is_missing(rig):
    subscription = rig.add_subscription(UDP)
    source, target = ("127.0.0.1", 50000), ("127.0.0.1", 4000)
    rig.network.open(bind=source)
    setup = struct.pack("<iBBHiiiiiiii", 40, 0, 0, 5, 0, 7, 10, 5, 5, 64 << 10, 1408, 0)
    rig.network.deliver(source, target, setup)
    rig.run_until(lambda: rig.images(subscription))
    later = struct.pack("<iBBHiiiiq", 64, 0, 0xC0, 1, 64, 7, 10, 5, 0) + bytes(32)
    rig.network.deliver(source, target, later)
    rig.run(10 * MS)
    revoked = struct.pack("<iBBHiiiiq", 0, 0, 0xF0, 1, 128, 7, 10, 5, 0)
    rig.network.deliver(source, target, revoked)
    rig.run(2 * S)
    assert len(rig.lost_images(subscription)) == 1
    assert rig.counters.value(SystemCounter.SYSTEM_PUBLICATION_IMAGES_REVOKED) == 1


def test_a_rejected_image_ends_without_consumption(rig):
    publication, subscription, image = connected(rig)
    end = rig.publish(rig.ready(publication), b"of no use")
    rig.run_until(lambda: counter(rig, "rcv-pos").value == end)
    rig.request(Command.REJECT_IMAGE, struct.pack("<qqi", image[0], 0, 2) + b"no")
    rig.run_until(lambda: rig.lost_images(subscription))
    assert rig.lost_images(subscription)[0][0] == image[0]


@pytest.mark.parametrize("is_removed", [False, True])
def test_position_of_an_unavailable_image_is_retained_while_its_client_may_write_it(
    rig, is_removed
):
    """A handler may still run, and its client writes the position after it."""
    publication, subscription, image = connected(rig)

    def positions():
        kind = CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION
        return [each.counter_id for each in rig.counters.counters() if each.type_id == kind]

    rig.remove_publication(publication, revoke=True)
    rig.run_until(lambda: rig.lost_images(subscription))
    rig.run(9 * S)
    assert positions() == [image[4]]
    if is_removed:
        rig.remove_subscription(subscription)
        assert positions() == []
    rig.run(3 * S)
    assert positions() == []
    assert len(rig.lost_images(subscription)) == 1
    assert log_files(rig) == []


def test_an_unknown_image_cannot_be_rejected(rig):
    [answers] = rig.request(Command.REJECT_IMAGE, struct.pack("<qqi", 99, 0, 0))
    assert answers.fields[1] == ErrorCode.ERROR_GENERIC


def test_a_silent_publisher_loses_its_image_and_may_return(rig, shm_dir):
    long_timeouts = {"client_liveness_timeout_ns": 60 * S, "publication_unblock_timeout_ns": 90 * S}
    other = DriverRig(
        shm_dir / "other", network=rig.network, clock=rig.clock, seed=2, **long_timeouts
    )
    try:
        subscription = rig.add_subscription(UDP)
        other.add_publication(UDP)
        for _ in range(100):
            rig.run(10 * MS)
            other.run_once()
        assert len(rig.images(subscription)) == 1
        rig.run(14 * S, step_ns=100 * MS)  # the other one has stopped
        assert len(rig.lost_images(subscription)) == 1
        for _ in range(300):
            rig.run(10 * MS)
            other.run_once()
        assert len(rig.images(subscription)) == 2
    finally:
        other.close()


def test_a_later_subscription_joins_existing_images(rig):
    publication, first, image = connected(rig)
    end = rig.publish(rig.ready(publication), b"before")
    rig.run_until(lambda: counter(rig, "rcv-pos").value == end)
    rig.counters.set_value(image[4], end)
    second = rig.add_subscription(UDP)
    [joined] = rig.images(second)
    assert (joined[0], joined[5]) == (image[0], image[5])
    assert rig.counters.value(joined[4]) == end
    assert first != second


def test_an_image_that_failed_unexpectedly_is_created_at_the_next_setup_frame(rig, monkeypatch):
    def fail(*_):
        raise MemoryError

    subscription = rig.add_subscription(UDP)
    with monkeypatch.context() as patch:
        patch.setattr(StreamFactory, "new_image", fail)
        rig.add_publication(UDP)
        rig.run(S)
    assert rig.counters.value(SystemCounter.SYSTEM_ERRORS) > 0
    rig.run(S)
    assert len(rig.images(subscription)) == 1


def test_a_subscription_after_the_last_one_was_removed_gets_a_new_image_soon(rig):
    _publication, first, image = connected(rig)
    rig.remove_subscription(first)
    second = rig.add_subscription(UDP)
    rig.run(500 * MS)
    [later] = rig.images(second)
    assert later[1] == image[1]
    assert later[0] != image[0]
    rig.run(20 * S)
    assert rig.lost_images(second) == []
    assert len(log_files(rig)) == 2  # of the publication, and of its image


def test_a_subscription_gets_one_image_of_a_session_that_was_requested_twice(rig):
    """Once for the previous subscription, and again while the conductor handled other events."""
    _sender, conductor, receiver, _tracking = rig.driver.agents
    source = ("127.0.0.1", 50000)

    def announce(session_id):
        fields = (40, 0, 0, 5, 0, session_id, 10, 5, 5, 64 << 10, 1408, 0)
        rig.network.deliver(source, ("127.0.0.1", 4000), struct.pack("<iBBHiiiiiiii", *fields))
        receiver.do_work()

    first = rig.add_subscription("aeron:udp?endpoint=127.0.0.1:4000")
    for session_id in (*range(100, 116), 7):  # the conductor handles 16 events in a duty cycle
        announce(session_id)
    rig.send(Command.REMOVE_SUBSCRIPTION, struct.pack("<q", first))
    channel = b"aeron:udp?endpoint=127.0.0.1:4000"
    second = rig.send(Command.ADD_SUBSCRIPTION, struct.pack("<qii", -1, 10, len(channel)) + channel)
    conductor.do_work()
    for _ in range(4):
        receiver.do_work()  # at most 8 commands each
    announce(7)
    rig.run_once()
    assert [fields[1] for fields in rig.images(second)] == [7]


def test_a_subscription_for_one_session_gets_no_other(rig):
    narrow = rig.add_subscription(f"{UDP}|session-id=7")
    rig.add_publication(f"{UDP}|session-id=8", exclusive=True)
    rig.run(S)
    assert rig.images(narrow) == []
    rig.add_publication(f"{UDP}|session-id=7", exclusive=True)
    rig.run_until(lambda: rig.images(narrow))
    assert [f[1] for f in rig.images(narrow)] == [7]


def test_a_wildcard_port_is_reported_by_a_counter(rig):
    rig.add_subscription("aeron:udp?endpoint=127.0.0.1:0")
    rig.add_subscription("aeron:udp?endpoint=127.0.0.1:0")
    bound = [
        label.split()[-1] for label in rig.labels(CounterType.COUNTER_TYPE_LOCAL_SOCKET_ADDRESS)
    ]
    assert len(set(bound)) == 2
    assert all(not address.endswith(":0") for address in bound)


def test_a_tag_names_an_open_channel(rig):
    rig.add_publication(f"{UDP}|tags=5", 10)
    ready = rig.ready(rig.add_publication("aeron:udp?tags=5", 11))
    assert len(rig.labels(CounterType.COUNTER_TYPE_SEND_CHANNEL_STATUS)) == 1
    assert ready[5] == counter(rig, "snd-channel").counter_id


def pass_until_closing(rig, channel, count=2_000):
    """Remove a channel's only publication and run passes; return those up to its end."""
    rig.remove_publication(rig.add_publication(channel))
    status = counter(rig, "snd-channel").counter_id
    for number in range(count):
        if rig.counters.value(status) == ChannelStatus.CHANNEL_CLOSING:
            return number
        rig.clock.advance(10 * MS)
        rig.invoker.invoke()
    return None


@pytest.fixture
def hand_before_closing(shm_dir):
    """Return a function that creates a driver which closes a channel in its next pass."""
    with contextlib.ExitStack() as stack:

        def make(channel):
            first = stack.enter_context(contextlib.closing(DriverRig(shm_dir / "first")))
            count = pass_until_closing(first, channel)
            second = stack.enter_context(contextlib.closing(DriverRig(shm_dir / "second")))
            assert pass_until_closing(second, channel, count - 1) is None
            second.clock.advance(10 * MS)
            return second

        yield make


def test_a_publication_need_not_wait_until_a_channel_like_its_own_is_closed(hand_before_closing):
    rig = hand_before_closing(UDP)
    ready = rig.ready(rig.add_publication(UDP))
    rig.run(S)
    assert ready[5] == counter(rig, "snd-channel").counter_id  # the other one has been removed
    assert rig.counters.value(ready[5]) == ChannelStatus.CHANNEL_ACTIVE
    assert rig.counters.value(SystemCounter.SYSTEM_ERRORS) == 0


def test_a_publication_waits_until_a_channel_that_binds_its_port_is_closed(hand_before_closing):
    channel = "aeron:udp?control=127.0.0.1:4001|control-mode=dynamic"
    rig = hand_before_closing(channel)
    added = rig.add_publication(channel)
    rig.run(20 * MS)
    ready = rig.ready(added)
    assert rig.counters.value(ready[5]) == ChannelStatus.CHANNEL_ACTIVE
    assert rig.all(Event.ON_ERROR) == []


def test_subscriptions_of_one_image_must_want_the_same(rig):
    rig.add_subscription(UDP)
    code, text = rig.error(rig.add_subscription(f"{UDP}|reliable=false"))
    assert code == ErrorCode.ERROR_INVALID_CHANNEL
    assert "'reliable'" in text


def test_an_address_in_use_is_an_error_and_leaves_nothing_open(rig, shm_dir):
    other = DriverRig(shm_dir / "other", network=rig.network, clock=rig.clock)
    try:
        rig.add_subscription(UDP)
        code, text = other.error(other.add_subscription(UDP))
        assert code == ErrorCode.ERROR_GENERIC
        assert text.startswith("channel error - ")
        assert "Address already in use" in text
        assert UDP in text
        assert other.labels(CounterType.COUNTER_TYPE_RECEIVE_CHANNEL_STATUS) == []
    finally:
        other.close()


def test_response_finds_the_subscription_named_by_the_request(rig):
    """Facts 2.13: the request names a subscription, the response the request's image."""
    back = "aeron:udp?control=127.0.0.1:4300|control-mode=response"
    responses = rig.add_subscription(back, 20)
    requests = rig.add_subscription(UDP, 10)
    rig.ready(rig.add_publication(f"{UDP}|response-correlation-id={responses}", 10))
    rig.run_until(lambda: rig.images(requests))
    image_id = rig.images(requests)[0][0]
    response = rig.ready(
        rig.add_publication(f"{back}|response-correlation-id={image_id}", 20, exclusive=True)
    )
    rig.run_until(lambda: rig.images(responses))
    assert rig.images(responses)[0][1] == response[2]
    rig.run(S)
    assert rig.log(response[6]).is_connected
    assert rig.counters.value(SystemCounter.SYSTEM_ERRORS) == 0


def test_a_response_without_its_subscription_has_no_effect(rig):
    back = "aeron:udp?control=127.0.0.1:4300|control-mode=response"
    responses = rig.add_subscription(back, 20)
    requests = rig.add_subscription(UDP, 10)
    rig.ready(rig.add_publication(f"{UDP}|response-correlation-id={responses}", 10))
    rig.run_until(lambda: rig.images(requests))
    rig.remove_subscription(responses)
    image_id = rig.images(requests)[0][0]
    rig.ready(rig.add_publication(f"{back}|response-correlation-id={image_id}", 20, exclusive=True))
    rig.run(2 * S)
    assert len(rig.labels(CounterType.COUNTER_TYPE_RECEIVE_CHANNEL_STATUS)) == 1  # of requests
    assert rig.counters.value(SystemCounter.SYSTEM_ERRORS) == 0


def test_responses_on_one_channel_go_to_their_own_requesters(rig, shm_dir):
    back = "aeron:udp?control=127.0.0.1:4300|control-mode=response"
    other = DriverRig(shm_dir / "other", network=rig.network, clock=rig.clock, seed=2)
    try:
        requests = rig.add_subscription(UDP, 10)
        sources = {}
        for driver in (rig, other):
            responses = driver.add_subscription(back, 20)
            request = driver.ready(
                driver.add_publication(f"{UDP}|response-correlation-id={responses}", 10)
            )
            sources[request[2]] = (driver, responses)
        rig.run_until(lambda: other.run_once() or len(rig.images(requests)) == 2)
        answers = {
            image[1]: rig.ready(
                rig.add_publication(
                    f"{back}|response-correlation-id={image[0]}", 20, exclusive=True
                )
            )
            for image in rig.images(requests)
        }
        rig.run_until(
            lambda: (
                other.run_once()
                or all(driver.images(responses) for driver, responses in sources.values())
            )
        )
        for session_id, (driver, responses) in sources.items():
            assert [each[1] for each in driver.images(responses)] == [answers[session_id][2]]
        for answer in answers.values():
            rig.run_until(lambda: other.run_once() or rig.log(answer[6]).is_connected)  # noqa: B023
    finally:
        other.close()


def test_a_response_over_ipc_reaches_its_own_requester_alone(rig):
    requests = rig.add_subscription("aeron:ipc", 10)
    responses = [
        rig.add_subscription(f"aeron:ipc?control-mode=response|alias={name}", 20) for name in "ab"
    ]
    for each in responses:
        rig.ready(rig.add_publication(f"aeron:ipc?response-correlation-id={each}", 10))
    images = [image[0] for image in rig.images(requests)]
    assert len(images) == 2
    rig.ready(rig.add_publication("aeron:ipc", 20))  # of a session without a request
    for each, image_id in zip(responses, images, strict=True):
        answer = rig.ready(
            rig.add_publication(
                f"aeron:ipc?control-mode=response|response-correlation-id={image_id}", 20
            )
        )
        assert [image[1] for image in rig.images(each)] == [answer[2]]


@pytest.mark.parametrize("media", [UDP, "aeron:ipc"])
def test_response_needs_an_image_of_a_request(rig, media):
    subscription = rig.add_subscription(media, 10)
    rig.ready(rig.add_publication(media, 10))
    rig.run_until(lambda: rig.images(subscription))
    back = "aeron:ipc?control-mode=response"
    if media == UDP:
        back = "aeron:udp?control=127.0.0.1:4300|control-mode=response"
    image_id = rig.images(subscription)[0][0]
    for end, expected in (
        (
            f"|response-correlation-id={image_id}",
            f"image.correlationId={image_id} did not request a response channel",
        ),
        ("|response-correlation-id=999", "image.correlationId=999 not found"),
        ("", "control-mode=response was specified, but no response-correlation-id set"),
    ):
        code, text = rig.error(rig.add_publication(f"{back}{end}", 20))
        assert (code, text.startswith(expected)) == (ErrorCode.ERROR_GENERIC, True), text


def test_low_space_is_recorded_in_the_error_log_once(shm_dir):
    rig = DriverRig(shm_dir / "a", low_file_store_warning_threshold=1 << 60)
    try:
        for stream_id in (10, 11):
            rig.ready(rig.add_publication("aeron:ipc", stream_id))
        [entry] = rig.cnc.error_log().entries()
        assert f"WARN - space is running low: threshold={1 << 60} usable=" in entry.text
        assert entry.observation_count == 1
    finally:
        rig.close()


# Upstream's tools and tests match these texts; the rest names the part.
UPSTREAM_TEXTS = [
    ("aeron:ipc?mtu=2048", "aeron:ipc?mtu=4096", "existing publication has different 'mtu': exist"),
    (
        None,
        f"aeron:ipc?alias={'x' * 4096}",
        "URI length (4112) exceeds max supported length (4095)",
    ),
    (None, "nonsense", "Aeron URIs must start with 'aeron:', found: nonsense: "),
    (None, "aeron:udp?endpoint=127.0.0.1:0", "endpoint has port=0 for publication: channel=aeron:"),
    (None, "aeron:udp?control=127.0.0.1:9", "'control' parameter requires that either 'endpoint'"),
    (None, f"{UDP}|interface={{none}}", "unknown interface none: "),
    (
        None,
        f"{UDP}|response-correlation-id=-2",
        "invalid response-correlation-id, must be a number",
    ),
    (None, f"{UDP}|response-correlation-id=5", "unable to find response subscription for response"),
    (None, f"{UDP}|mtu=8k|so-sndbuf=4k", "MTU greater than SO_SNDBUF for channel: mtu=8192 so-snd"),
    (
        None,
        f"{UDP}|mtu=16k|term-length=64k",
        "MTU greater than max message length for term length:",
    ),
    (
        f"{UDP}|so-sndbuf=64k",
        f"{UDP}|so-sndbuf=128k",
        "so-sndbuf=131072 does not match existing va",
    ),
    (
        "aeron:udp?endpoint=127.0.0.1:4000|tags=7",
        "aeron:udp?endpoint=127.0.0.1:4001|tags=7",
        "matching tag=7 has mismatched endpoint or control: aeron:udp",
    ),
]


@pytest.mark.parametrize(("before", "channel", "text"), UPSTREAM_TEXTS)
def test_a_rejection_of_a_publication_begins_as_upstreams(rig, before, channel, text):
    if before is not None:
        rig.ready(rig.add_publication(before))
    _, found = rig.error(rig.add_publication(channel))
    assert found.startswith(text), found


@pytest.mark.parametrize(
    ("before", "channel", "text"),
    [
        (None, f"{UDP}|rcv-wnd=8k|so-rcvbuf=4k", "Initial window greater than SO_RCVBUF for chan"),
        (f"{UDP}|so-rcvbuf=128k", f"{UDP}|so-rcvbuf=256k", "so-rcvbuf=262144 does not match exis"),
        (UDP, f"{UDP}|reliable=false", "option conflicts with existing subscription: reliable=fal"),
        (
            UDP,
            f"{UDP}|control-mode=response",
            "option conflicts with existing subscription: isResponse=true existingChannel="
            f"{UDP} channel={UDP}|control-mode=response",
        ),
    ],
)
def test_a_rejection_of_a_subscription_begins_as_upstreams(rig, before, channel, text):
    if before is not None:
        rig.add_subscription(before)
    _, found = rig.error(rig.add_subscription(channel))
    assert found.startswith(text), found


def test_buffer_lengths_of_the_context_are_those_of_a_channel(shm_dir):
    rig = DriverRig(shm_dir / "a", socket_so_sndbuf=128 << 10, socket_so_rcvbuf=128 << 10)
    try:
        rig.ready(rig.add_publication(UDP))
        rig.ready(rig.add_publication(f"{UDP}|so-sndbuf=128k|so-rcvbuf=128k", 11))
        _, text = rig.error(rig.add_publication(f"{UDP}|so-rcvbuf=64k", 12))
        assert "does not match existing value of 131072" in text
        subscribed = "aeron:udp?endpoint=127.0.0.1:4001"
        rig.add_subscription(subscribed)
        rig.add_subscription(f"{subscribed}|so-sndbuf=128k|so-rcvbuf=128k", 11)
        _, text = rig.error(rig.add_subscription(f"{subscribed}|rcv-wnd=256k", 12))
        assert "rcv-wnd" in text
    finally:
        rig.close()


# ---- spies ----


def test_spy_receives_sent_messages_and_limits_the_publisher(rig):
    spy = rig.add_subscription(f"aeron-spy:{UDP}")
    publication, _, _ = connected(rig)
    ready = rig.ready(publication)
    [image] = rig.images(spy)
    assert image == (ready[1], ready[2], 10, spy, image[4], ready[6], "aeron:ipc")
    assert (spy, -1) in rig.all(Event.ON_SUBSCRIPTION_READY)
    rig.publish(ready, bytes(1000))
    rig.run(50 * MS)
    assert counter(rig, "pub-lmt").value == 32 << 10
    rig.remove_subscription(spy)
    rig.run(50 * MS)
    assert counter(rig, "pub-lmt").value > 32 << 10


def test_a_spy_alone_connects_only_where_the_publication_allows_it(rig):
    """Facts 2.12: without ssc a spy does not make the publisher connected."""
    for channel, stream_id, is_connected in ((UDP, 10, False), (f"{UDP}|ssc=true", 11, True)):
        ready = rig.ready(rig.add_publication(channel, stream_id))
        rig.add_subscription(f"aeron-spy:{UDP}", stream_id)
        rig.run(50 * MS)
        assert rig.log(ready[6]).is_connected is is_connected


# ---- destinations ----

MANUAL = "aeron:udp?control-mode=manual|control=127.0.0.1:4100"


def test_a_manual_publication_sends_to_its_destinations(rig):
    channels = [f"aeron:udp?endpoint=127.0.0.1:{port}" for port in (4001, 4002)]
    subscriptions = [rig.add_subscription(channel) for channel in channels]
    publication = rig.add_publication(MANUAL)
    added = [rig.destination(Command.ADD_DESTINATION, publication, channel) for channel in channels]
    assert all((each,) in rig.all(Event.ON_OPERATION_SUCCESS) for each in added)
    rig.run_until(lambda: all(rig.images(each) for each in subscriptions))
    assert counter(rig, "mdc-num-dest").value == 2
    rig.destination(Command.REMOVE_DESTINATION, publication, channels[0])
    payload = struct.pack("<qq", publication, added[1])
    assert rig.request(Command.REMOVE_DESTINATION_BY_ID, payload)[-1].event == (
        Event.ON_OPERATION_SUCCESS
    )
    rig.run(50 * MS)
    assert counter(rig, "mdc-num-dest").value == 0


def test_of_equal_destinations_the_same_one_is_removed_everywhere(rig):
    channel = "aeron:udp?endpoint=127.0.0.1:4002"
    publication = rig.add_publication(MANUAL)
    first, _, third = (
        rig.destination(Command.ADD_DESTINATION, publication, each)
        for each in (UDP, channel, channel)
    )

    def remove(destination):
        rig.request(Command.REMOVE_DESTINATION_BY_ID, struct.pack("<qq", publication, destination))

    remove(first)
    rig.destination(Command.REMOVE_DESTINATION, publication, channel)
    remove(third)
    rig.run(50 * MS)
    assert counter(rig, "mdc-num-dest").value == 0


@pytest.mark.parametrize(
    ("channel", "code"),
    [
        ("aeron:udp?endpoint=127.0.0.1:0", ErrorCode.ERROR_INVALID_CHANNEL),
        (f"{UDP}|mtu=2048", ErrorCode.ERROR_INVALID_CHANNEL),
        (f"{UDP}|control-mode=response", ErrorCode.ERROR_INVALID_CHANNEL),
        ("aeron:ipc", ErrorCode.ERROR_INVALID_CHANNEL),
        (f"aeron-spy:{UDP}", ErrorCode.ERROR_INVALID_CHANNEL),
    ],
)
def test_rejects_an_invalid_destination(rig, channel, code):
    publication = rig.add_publication(MANUAL)
    assert rig.error(rig.destination(Command.ADD_DESTINATION, publication, channel))[0] == code


def test_destinations_belong_to_manual_channels(rig):
    publication = rig.add_publication(UDP)
    subscription = rig.add_subscription(UDP)
    for command, owner, code in (
        (Command.ADD_DESTINATION, publication, ErrorCode.ERROR_INVALID_CHANNEL),
        (Command.ADD_DESTINATION, 999, ErrorCode.ERROR_UNKNOWN_PUBLICATION),
        (Command.ADD_RCV_DESTINATION, subscription, ErrorCode.ERROR_INVALID_CHANNEL),
        (Command.ADD_RCV_DESTINATION, 999, ErrorCode.ERROR_UNKNOWN_SUBSCRIPTION),
    ):
        assert rig.error(rig.destination(command, owner, UDP))[0] == code


def test_a_subscription_listens_at_its_destinations(rig):
    subscription = rig.add_subscription("aeron:udp?control-mode=manual")
    assert rig.labels(CounterType.COUNTER_TYPE_LOCAL_SOCKET_ADDRESS) == []
    rig.add_publication(UDP)
    rig.run(S)
    assert rig.images(subscription) == []
    rig.destination(Command.ADD_RCV_DESTINATION, subscription, UDP)
    assert any("rcv-local-sockaddr" in label for label in rig.labels())
    rig.run_until(lambda: rig.images(subscription))
    rig.destination(Command.REMOVE_RCV_DESTINATION, subscription, UDP)
    rig.run(50 * MS)
    assert not any("rcv-local-sockaddr" in label for label in rig.labels())


def test_a_destination_removed_twice_is_released_once(rig, monkeypatch):
    """The second release could close a socket that was opened in its slot in between."""
    requested, enqueue = [], DeferredCommands.enqueue

    def record(commands, send):
        requested.append(send.func.__name__)
        enqueue(commands, send)

    subscription = rig.add_subscription("aeron:udp?control-mode=manual")
    rig.destination(Command.ADD_RCV_DESTINATION, subscription, UDP)
    monkeypatch.setattr(DeferredCommands, "enqueue", record)
    removal = struct.pack("<qi", subscription, len(UDP)) + UDP.encode()
    for _ in range(2):
        rig.send(Command.REMOVE_RCV_DESTINATION, removal)
    rig.run_once()
    assert requested == ["remove_transport"]


def test_no_destination_is_added_to_an_endpoint_after_its_removal(rig, monkeypatch):
    """The sender may execute the removal first, and then the endpoint is freed."""
    requested, enqueue = [], DeferredCommands.enqueue

    def record(commands, send):
        requested.append(send.func.__name__)
        enqueue(commands, send)

    monkeypatch.setattr(DeferredCommands, "enqueue", record)
    publication = rig.add_publication(MANUAL)
    rig.remove_publication(publication)
    addition = struct.pack("<qi", publication, len(UDP)) + UDP.encode()

    def is_rejected():
        rig.send(Command.ADD_DESTINATION, addition)
        return rig.all(Event.ON_ERROR)

    rig.run_until(is_rejected)
    assert requested[-2:] == ["remove_publication", "remove_endpoint"]
    assert rig.all(Event.ON_ERROR)[0][1] == ErrorCode.ERROR_UNKNOWN_PUBLICATION


@pytest.mark.parametrize("channel", ["aeron:ipc", f"aeron-spy:{UDP}"])
def test_a_destination_may_be_of_this_driver(rig, channel):
    """Facts 3.11: IPC and spy channels may be destinations; those get ON_UNAVAILABLE_IMAGE."""
    subscription = rig.add_subscription("aeron:udp?control-mode=manual")
    ready = rig.ready(rig.add_publication(channel.removeprefix("aeron-spy:")))
    rig.destination(Command.ADD_RCV_DESTINATION, subscription, channel)
    [image] = rig.images(subscription)
    assert image[0] == ready[1]
    rig.destination(Command.REMOVE_RCV_DESTINATION, subscription, channel)
    assert rig.lost_images(subscription) == [(ready[1], subscription, 10, channel)]
    assert rig.labels(CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION) == []


# ---- counters ----


def test_counters_of_clients_are_added_and_removed(rig):
    payload = struct.pack("<ii", 1100, 3) + b"key\0" + struct.pack("<i", 5) + b"label"
    answers = rig.request(Command.ADD_COUNTER, payload)
    assert answers[-1].event == Event.ON_COUNTER_READY
    registration_id, counter_id = answers[-1].fields
    found = counter(rig, "label")
    assert (found.counter_id, found.type_id, found.key[:4]) == (counter_id, 1100, b"key\0")
    assert (found.registration_id, found.owner_id) == (registration_id, CLIENT)
    answers = rig.request(Command.REMOVE_COUNTER, struct.pack("<q", registration_id))
    assert [each.event for each in answers] == [
        Event.ON_OPERATION_SUCCESS,
        Event.ON_UNAVAILABLE_COUNTER,
    ]
    [answers] = rig.request(Command.REMOVE_COUNTER, struct.pack("<q", registration_id))
    assert answers.fields[1] == ErrorCode.ERROR_UNKNOWN_COUNTER


def test_a_static_counter_is_one_and_outlives_its_client(rig):
    payload = struct.pack("<qii", 55, 1100, 0) + struct.pack("<i", 5) + b"label"
    first = rig.request(Command.ADD_STATIC_COUNTER, payload)[-1]
    second = rig.request(Command.ADD_STATIC_COUNTER, payload, client=CLIENT + 1)[-1]
    assert first.event == second.event == Event.ON_STATIC_COUNTER
    assert first.fields[1] == second.fields[1]
    rig.run(15 * S, step_ns=100 * MS, heartbeats=False)
    assert rig.labels() == ["label"]


# ---- hostile or invalid input ----


def test_an_unreadable_command_is_answered_counted_and_reported_once_a_kind(rig):
    for length in (0, 3, 8, 17, 23):
        assert rig.ring.write(Command.ADD_PUBLICATION, bytes(length) or b"x")
    assert rig.ring.write(0x7777, bytes(16))
    rig.run(20 * MS)
    codes = [fields[1] for fields in rig.all(Event.ON_ERROR)]
    assert codes == [ErrorCode.ERROR_MALFORMED_COMMAND] * 5 + [
        ErrorCode.ERROR_UNKNOWN_COMMAND_TYPE_ID
    ]
    assert rig.counters.value(SystemCounter.SYSTEM_ERRORS) == 6
    entries = rig.cnc.error_log().entries()
    assert [each.observation_count for each in entries] == [5, 1]


def test_a_command_half_written_by_a_dead_client_is_stepped_over(rig):
    claimed = rig.ring.try_claim(Command.CLIENT_KEEPALIVE, 16)
    assert claimed >= 0
    correlation_id = rig.send(Command.GET_NEXT_AVAILABLE_SESSION_ID, struct.pack("<i", 10))
    rig.run(9 * S, step_ns=100 * MS)
    assert rig.all(Event.ON_NEXT_AVAILABLE_SESSION_ID) == []
    rig.run(4 * S, step_ns=100 * MS)
    assert [f[0] for f in rig.all(Event.ON_NEXT_AVAILABLE_SESSION_ID)] == [correlation_id]
    assert rig.counters.value(SystemCounter.SYSTEM_UNBLOCKED_COMMANDS) == 1


def test_the_driver_rejects_termination_commands_unless_allowed(rig, shm_dir):
    assert rig.request(Command.TERMINATE_DRIVER, struct.pack("<i", 0)) == []
    assert rig.counters.value(SystemCounter.SYSTEM_ERRORS) == 1
    assert rig.ready(rig.add_publication("aeron:ipc"))
    ended = []
    for name, options, expected in (
        ("strict", {}, []),
        ("mild", {"driver_termination_validator": "allow"}, [True]),
    ):
        other = DriverRig(shm_dir / name, termination_hook=lambda: ended.append(True), **options)
        try:
            assert other.request(Command.TERMINATE_DRIVER, struct.pack("<i", 0)) == []
            assert ended == expected
        finally:
            other.close()


def test_a_validator_decides_about_termination_by_the_token(shm_dir):
    ended, seen = [], []

    def may_terminate(directory, token):
        seen.append((directory, token))
        if token == b"raise":
            raise ValueError("of the validator")
        return token == b"secret"

    rig = DriverRig(
        shm_dir / "mild",
        termination_validator=may_terminate,
        termination_hook=lambda: ended.append(True),
    )
    try:
        for token in (b"guess", b"raise"):
            rig.request(Command.TERMINATE_DRIVER, struct.pack("<i", len(token)) + token)
        assert ended == []
        errors = [each.text for each in rig.cnc.error_log().entries()]
        assert any("of the validator" in text for text in errors), errors
        rig.request(Command.TERMINATE_DRIVER, struct.pack("<i", 6) + b"secret")
        assert ended == [True]
        assert seen == [(str(shm_dir / "mild"), each) for each in (b"guess", b"raise", b"secret")]
    finally:
        rig.close()


class FullFiles(SystemFiles):
    """A machine without free space."""

    usable = 100 << 10

    def usable_space(self, _path):
        return self.usable


def test_log_without_space_is_an_error_naming_the_directory(shm_dir):
    files = FullFiles()
    rig = DriverRig(shm_dir / "driver", files=files)
    try:
        code, text = rig.error(rig.add_publication("aeron:ipc"))
        assert code == ErrorCode.ERROR_STORAGE_SPACE
        assert str(shm_dir / "driver") in text
        assert log_files(rig) == []
        files.usable = 1 << 30
        assert rig.ready(rig.add_publication("aeron:ipc"))
    finally:
        rig.close()


def test_driver_with_a_removed_directory_ends(shm_dir):
    ended = []
    rig = DriverRig(shm_dir / "driver", termination_hook=lambda: ended.append(True))
    try:
        shutil.rmtree(shm_dir / "driver")
        with pytest.raises(AgentTerminationError, match="it was removed"):
            rig.ready(rig.add_publication("aeron:ipc"))
        assert ended == [True]
        (entry,) = rig.cnc.error_log().entries()
        assert "expected the driver's directory, found none" in entry.text
    finally:
        rig.close()


def test_exhausted_counters_are_an_error_and_leave_no_log(shm_dir):
    rig = DriverRig(shm_dir / "driver", counters_buffer_length=1 << 20)
    try:
        added = 0
        payload = struct.pack("<iii", 1100, 0, 1) + b"x"
        while rig.request(Command.ADD_COUNTER, payload)[-1].event != Event.ON_ERROR:
            added += 1
        assert added > 8000
        code, _ = rig.error(rig.add_publication("aeron:ipc"))
        assert code in {ErrorCode.ERROR_STORAGE_SPACE, ErrorCode.ERROR_GENERIC}
        rig.run(20 * MS)
        assert log_files(rig) == []
    finally:
        rig.close()


def test_commands_decode_the_harnesss_writes(rig):
    """Check the test's own writer."""
    rig.send(Command.ADD_SUBSCRIPTION, struct.pack("<qii", -1, 10, 9) + b"aeron:ipc")
    seen = []
    rig.ring.read(lambda type_id, data: seen.append(decode(type_id, data)), 1)
    assert seen[0].channel == "aeron:ipc"
