"""The conductor driven by hand: responses to commands, and timeouts."""

import contextlib
import shutil
import struct
from pathlib import Path

import pytest

from aeron_cluster.driver.clients.commands import decode
from aeron_cluster.errors import AgentTerminationError
from aeron_cluster.memory.shared.commands import Command, ErrorCode, Event
from aeron_cluster.memory.shared.counters_layout import ChannelStatus, CounterType, SystemCounter
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.driver.by_hand import CLIENT, MS, ByHand, S

UDP = "aeron:udp?endpoint=127.0.0.1:4000"


@pytest.fixture
def hand(shm_dir):
    by_hand = ByHand(shm_dir / "driver")
    yield by_hand
    by_hand.close()


def counter(hand, label):
    [found] = [each for each in hand.counters.counters() if each.label.startswith(label)]
    return found


def log_files(hand):
    return sorted(path.name for path in Path(hand.driver.aeron_dir).glob("*/*.logbuffer"))


# ---- clients ----


def test_the_first_resource_creates_the_client(hand):
    """Facts 1.8: a client entry is created lazily by the first command that adds a resource."""
    correlation_id = hand.add_publication("aeron:ipc")
    first, second = hand.events
    assert first.event == Event.ON_COUNTER_READY
    assert first.fields[0] == CLIENT
    assert second.event == Event.ON_PUBLICATION_READY
    assert second.fields[0] == correlation_id
    assert counter(hand, f"client-heartbeat: id={CLIENT}").value == hand.clock.epoch_ms()


@pytest.mark.parametrize("command", [Command.CLIENT_KEEPALIVE, Command.CLIENT_CLOSE])
def test_neither_keepalive_nor_close_makes_a_client(hand, command):
    assert hand.ask(command, b"") == []
    assert hand.labels() == []


def test_a_silent_client_loses_everything(hand):
    publication = hand.add_publication("aeron:ipc")
    hand.add_publication(UDP)
    hand.add_subscription(UDP)
    hand.ask(Command.ADD_COUNTER, struct.pack("<iii", 1100, 0, 1) + b"x")
    heartbeat = counter(hand, "client-heartbeat").counter_id
    hand.run(10 * S, beats=False)
    assert hand.all(Event.ON_CLIENT_TIMEOUT) == []
    hand.run(12 * S, beats=False)
    assert hand.all(Event.ON_CLIENT_TIMEOUT) == [(CLIENT,)]
    assert (CLIENT, heartbeat) in hand.all(Event.ON_UNAVAILABLE_COUNTER)
    assert hand.counters.value(SystemCounter.SYSTEM_CLIENT_TIMEOUTS) == 1
    hand.run(20 * S, step_ns=100 * MS)
    assert hand.labels() == []
    assert log_files(hand) == []
    assert hand.remove_publication(publication)[0].event == Event.ON_ERROR


def test_a_wall_clock_set_forward_makes_no_client_silent(hand):
    hand.add_publication("aeron:ipc")
    hand.run(2 * S)
    hand.clock.step_wall_clock(3600 * S)
    # A client needs up to half a second to write its heartbeat; the driver may check before that.
    hand.run(500 * MS, beats=False)
    hand.run(30 * S)
    assert hand.all(Event.ON_CLIENT_TIMEOUT) == []
    hand.clock.step_wall_clock(3600 * S)
    hand.run(12 * S, beats=False)
    assert hand.all(Event.ON_CLIENT_TIMEOUT) == [(CLIENT,)]


def test_client_dead_before_the_wall_clock_was_set_back_times_out_in_time(hand):
    hand.add_publication("aeron:ipc")
    hand.run(2 * S)
    hand.clock.step_wall_clock(-3600 * S)
    hand.run(12 * S, beats=False)
    assert hand.all(Event.ON_CLIENT_TIMEOUT) == [(CLIENT,)]


def test_a_wall_clock_set_back_makes_no_client_silent(hand):
    hand.add_publication("aeron:ipc")
    hand.run(2 * S)
    hand.clock.step_wall_clock(-3600 * S)
    hand.run(500 * MS, beats=False)
    hand.run(30 * S)
    assert hand.all(Event.ON_CLIENT_TIMEOUT) == []


def test_a_closed_client_is_removed_at_the_next_timer_without_a_timeout(hand):
    hand.add_publication("aeron:ipc")
    hand.ask(Command.CLIENT_CLOSE, b"")
    hand.run(2 * S)
    assert hand.all(Event.ON_CLIENT_TIMEOUT) == []
    assert len(hand.all(Event.ON_UNAVAILABLE_COUNTER)) == 1
    assert hand.labels() == []


def test_driver_heartbeat_is_written_each_timer_interval(hand):
    hand.run(3 * S)
    assert 0 <= hand.clock.epoch_ms() - hand.cnc.driver_heartbeat_ms <= 1010


# ---- publications ----


@pytest.mark.parametrize("channel", ["aeron:ipc", UDP])
def test_a_shared_publication_is_added_once_and_counted(hand, channel):
    """Facts 2.1: READY carries correlation id (this add) and registration id (original add)."""
    first, second = hand.add_publication(channel), hand.add_publication(channel)
    one, two = hand.ready(first), hand.ready(second)
    assert (two[0], two[1]) == (second, first)
    assert one[2:] == two[2:]
    assert len(log_files(hand)) == 1
    assert hand.remove_publication(first)[0].event == Event.ON_OPERATION_SUCCESS
    hand.run(20 * S, step_ns=100 * MS)
    assert len(log_files(hand)) == 1
    hand.remove_publication(second)
    hand.run(20 * S, step_ns=100 * MS)
    assert log_files(hand) == []


@pytest.mark.parametrize("channel", ["aeron:ipc", UDP])
def test_an_exclusive_publication_is_always_its_own(hand, channel):
    ready = [hand.ready(hand.add_publication(channel, exclusive=True)) for _ in "ab"]
    assert ready[0][1] != ready[1][1]
    assert ready[0][2] != ready[1][2]
    assert len(log_files(hand)) == 2


def test_a_new_log_has_the_metadata_clients_rely_on(hand):
    ready = hand.ready(hand.add_publication("aeron:ipc?mtu=4096|term-length=128k"))
    log = hand.log(ready[6])
    assert (log.term_length, log.mtu_length, log.page_size) == (128 << 10, 4096, 4096)
    assert (log.session_id, log.stream_id) == (ready[2], 10)
    assert log.correlation_id == ready[1]
    assert log.end_of_stream_position == 2**63 - 1
    assert not log.is_connected
    assert ready[5] == -1


def test_a_publication_starts_where_its_uri_requests(hand):
    position = "term-length=64k|init-term-id=5|term-id=7|term-offset=96"
    ready = hand.ready(hand.add_publication(f"aeron:ipc?{position}", exclusive=True))
    assert hand.log(ready[6]).producer_position == 2 * (64 << 10) + 96
    assert counter(hand, "pub-lmt").value == 2 * (64 << 10) + 96


def test_counters_have_the_labels_of_aeron(hand):
    ready = hand.ready(hand.add_publication(UDP))
    tail = f": {ready[1]} {ready[2]} 10 {UDP}"
    assert hand.labels() == [
        f"client-heartbeat: id={CLIENT}",
        f"snd-channel: {UDP} {counter(hand, 'snd-local-sockaddr').label.split()[-1]}",
        counter(hand, "snd-local-sockaddr").label,
        "pub-pos (concurrent)" + tail,
        "pub-lmt" + tail,
        "snd-pos" + tail,
        "snd-lmt" + tail,
        "snd-bpe" + tail,
        "snd-naks-received" + tail,
    ]
    key = counter(hand, "pub-lmt").key
    assert key[:20] == struct.pack("<qiii", ready[1], ready[2], 10, len(UDP))
    assert key[20 : 20 + len(UDP)] == UDP.encode()


REJECTED = [
    ("aeron:ipc?mtu=2048", "aeron:ipc?mtu=4096", ErrorCode.ERROR_GENERIC, "'mtu'"),
    ("aeron:ipc", "aeron:ipc?term-length=128k", ErrorCode.ERROR_GENERIC, "'term-length'"),
    ("aeron:ipc", "aeron:ipc?session-id=77", ErrorCode.ERROR_GENERIC, "'session-id'"),
    (UDP, f"{UDP}|ssc=true", ErrorCode.ERROR_GENERIC, "'ssc'"),
    (f"{UDP}|so-sndbuf=64k", f"{UDP}|so-sndbuf=128k", ErrorCode.ERROR_INVALID_CHANNEL, "so-sndbuf"),
    ("aeron:ipc?tags=1,2", "aeron:ipc?tags=3,2|session-id=1", ErrorCode.ERROR_GENERIC, ""),
    (None, "aeron:ipc?mtu=1400", ErrorCode.ERROR_INVALID_CHANNEL, "'mtu'"),
    (None, "aeron:tcp", ErrorCode.ERROR_INVALID_CHANNEL, "media"),
    (None, "nonsense", ErrorCode.ERROR_INVALID_CHANNEL, "'aeron:'"),
    (None, "aeron:udp", ErrorCode.ERROR_INVALID_CHANNEL, "endpoint"),
    (None, "aeron:udp?endpoint=nobody:1", ErrorCode.ERROR_INVALID_CHANNEL, "nobody"),
    (None, "aeron:udp?endpoint=127.0.0.1:0", ErrorCode.ERROR_GENERIC, "endpoint"),
    (None, "aeron:udp?control=127.0.0.1:9", ErrorCode.ERROR_GENERIC, "'control-mode'"),
    (None, "aeron:udp?tags=99", ErrorCode.ERROR_INVALID_CHANNEL, "'tags'"),
    (None, f"{UDP}|fc=max", ErrorCode.ERROR_INVALID_CHANNEL, "fc"),
    (None, f"{UDP}|session-id=tag:5", ErrorCode.ERROR_INVALID_CHANNEL, "'session-id'"),
    (None, f"{UDP}|response-correlation-id=5", ErrorCode.ERROR_GENERIC, "response"),
    (None, "aeron-spy:" + UDP, ErrorCode.ERROR_INVALID_CHANNEL, "prefix"),
]


@pytest.mark.parametrize(("before", "channel", "code", "part"), REJECTED)
def test_rejects_a_publication_and_names_the_part(hand, before, channel, code, part):
    if before is not None:
        hand.ready(hand.add_publication(before))
    logs = log_files(hand)
    found_code, text = hand.error(hand.add_publication(channel))
    assert (found_code, part in text) == (code, True), text
    assert log_files(hand) == logs
    assert hand.counters.value(SystemCounter.SYSTEM_ERRORS) == 1


@pytest.mark.parametrize("channel", ["aeron:ipc?session-id=77", f"{UDP}|session-id=77"])
def test_a_session_id_is_used_once_until_its_stream_is_over(hand, channel):
    """Facts 2.1: explicit session id already used by a not-yet-finished publication -> 1."""
    first = hand.add_publication(channel, exclusive=True)
    code, text = hand.error(hand.add_publication(channel, exclusive=True))
    assert code == ErrorCode.ERROR_INVALID_CHANNEL
    assert "'session-id'" in text
    hand.ready(hand.add_publication(channel, 11, exclusive=True))
    hand.remove_publication(first)
    hand.run(12 * S, step_ns=100 * MS)
    assert hand.ready(hand.add_publication(channel, exclusive=True))[2] == 77


def test_next_session_ids_are_not_those_in_use(hand):
    taken = hand.ready(hand.add_publication("aeron:ipc"))[2]
    [answers] = hand.ask(Command.GET_NEXT_AVAILABLE_SESSION_ID, struct.pack("<i", 10))
    assert answers.event == Event.ON_NEXT_AVAILABLE_SESSION_ID
    assert answers.fields[1] != taken


def test_tagged_session_is_the_other_publications(hand):
    first = hand.ready(hand.add_publication("aeron:ipc?tags=1,5|mtu=2048", exclusive=True))
    second = hand.ready(hand.add_publication(f"{UDP}|session-id=tag:5", 11, exclusive=True))
    assert second[2] == first[2]
    assert hand.log(second[6]).mtu_length == 2048


# ---- IPC ----


@pytest.mark.parametrize("subscription_first", [True, False])
def test_ipc_publications_and_subscriptions_find_each_other(hand, subscription_first):
    if subscription_first:
        subscription = hand.add_subscription("aeron:ipc")
    ready = hand.ready(hand.add_publication("aeron:ipc"))
    if not subscription_first:
        subscription = hand.add_subscription("aeron:ipc")
    assert (subscription, -1) in hand.all(Event.ON_SUBSCRIPTION_READY)
    [image] = hand.images(subscription)
    assert image == (ready[1], ready[2], 10, subscription, image[4], ready[6], "aeron:ipc")
    hand.run(20 * MS)
    assert hand.log(ready[6]).is_connected
    assert counter(hand, "pub-lmt").value == 32 << 10
    position = counter(hand, "sub-pos")
    assert position.counter_id == image[4]
    assert position.label.endswith(f"sub-pos: {subscription} {ready[2]} 10 aeron:ipc @0")
    assert (position.registration_id, position.reference_id) == (subscription, ready[1])


def test_ipc_subscriptions_choose_their_stream_and_session(hand):
    hand.add_publication("aeron:ipc?session-id=7", 10, exclusive=True)
    hand.add_publication("aeron:ipc?session-id=8", 10, exclusive=True)
    hand.add_publication("aeron:ipc?session-id=8", 11, exclusive=True)
    assert [f[1:3] for f in hand.images(hand.add_subscription("aeron:ipc"))] == [(7, 10), (8, 10)]
    narrow = hand.add_subscription("aeron:ipc?session-id=8")
    assert [f[1:3] for f in hand.images(narrow)] == [(8, 10)]
    assert hand.images(hand.add_subscription("aeron:ipc", 12)) == []


def test_a_removed_subscription_notifies_no_unavailable_images(hand):
    """Facts 1.10: removing a subscription does not broadcast ON_UNAVAILABLE_IMAGE."""
    ready = hand.ready(hand.add_publication("aeron:ipc"))
    subscription = hand.add_subscription("aeron:ipc")
    [answers] = hand.remove_subscription(subscription)
    assert answers.event == Event.ON_OPERATION_SUCCESS
    assert hand.labels(CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION) == []
    hand.run(20 * MS)
    assert not hand.log(ready[6]).is_connected


def test_an_ipc_stream_drains_before_it_is_freed(hand):
    subscription = hand.add_subscription("aeron:ipc")
    publication = hand.add_publication("aeron:ipc")
    ready = hand.ready(publication)
    end = hand.publish(ready, b"to be read")
    hand.remove_publication(publication)
    assert hand.log(ready[6]).end_of_stream_position == end
    hand.run(5 * S)
    assert hand.lost_images(subscription) == []
    hand.counters.set_value(counter(hand, "sub-pos").counter_id, end)
    hand.run(1100 * MS)
    assert hand.lost_images(subscription) == [(ready[1], subscription, 10, "aeron:ipc")]
    hand.run(2 * S)
    assert log_files(hand) == []
    assert hand.labels() == [f"client-heartbeat: id={CLIENT}"]


def test_a_revoked_ipc_stream_does_not_wait(hand):
    subscription = hand.add_subscription("aeron:ipc")
    publication = hand.add_publication("aeron:ipc", exclusive=True)
    hand.publish(hand.ready(publication), b"not to be read")
    hand.remove_publication(publication, revoke=True)
    hand.run(1100 * MS)
    assert len(hand.lost_images(subscription)) == 1
    assert hand.counters.value(SystemCounter.SYSTEM_PUBLICATIONS_REVOKED) == 1
    hand.run(2 * S)
    assert log_files(hand) == []


def test_a_rejected_ipc_image_returns_after_the_liveness_timeout(hand):
    subscription = hand.add_subscription("aeron:ipc")
    ready = hand.ready(hand.add_publication("aeron:ipc"))
    reason = b"no such order"
    payload = struct.pack("<qqi", ready[1], 0, len(reason)) + reason
    assert hand.ask(Command.REJECT_IMAGE, payload)[-1].event == Event.ON_OPERATION_SUCCESS
    [error] = hand.all(Event.ON_PUBLICATION_ERROR)
    assert error[0] == ready[1]
    assert error[-2:] == (ErrorCode.ERROR_IMAGE_REJECTED, "no such order")
    assert hand.counters.value(SystemCounter.SYSTEM_ERRORS) == 1
    assert len(hand.lost_images(subscription)) == 1
    hand.run(9 * S, step_ns=100 * MS)
    assert len(hand.images(subscription)) == 1
    hand.run(3 * S, step_ns=100 * MS)
    assert len(hand.images(subscription)) == 2


# ---- untethered ----


def test_a_lagging_untethered_subscriber_is_dropped_and_returns(hand):
    """Facts 3.10: ACTIVE 5 s -> LINGER 5 s -> RESTING 10 s -> ACTIVE at the join position."""
    slow = hand.add_subscription("aeron:ipc?tether=false")
    ready = hand.ready(hand.add_publication("aeron:ipc?term-length=64k"))
    fast = hand.add_subscription("aeron:ipc")
    image = {f[3]: f[4] for f in hand.images(slow) + hand.images(fast)}
    for _ in range(40):
        end = hand.publish(ready, bytes(1000))
        hand.counters.set_value(image[fast], end)
        hand.run(10 * MS)
    hand.run(7 * S, step_ns=100 * MS)
    assert len(hand.lost_images(slow)) == 1
    held = counter(hand, "pub-lmt").value
    hand.run(6 * S, step_ns=100 * MS)
    assert counter(hand, "pub-lmt").value > held
    hand.run(12 * S, step_ns=100 * MS)
    first, again = hand.images(slow)
    assert again == first
    assert hand.counters.value(image[slow]) == end
    assert hand.lost_images(fast) == []


def test_untethered_subscriber_without_rejoin_does_not_return(hand):
    slow = hand.add_subscription("aeron:ipc?tether=false|rejoin=false")
    ready = hand.ready(hand.add_publication("aeron:ipc?term-length=64k"))
    fast = hand.add_subscription("aeron:ipc")
    position = hand.images(fast)[0][4]
    for _ in range(40):
        hand.counters.set_value(position, hand.publish(ready, bytes(1000)))
        hand.run(10 * MS)
    hand.run(30 * S, step_ns=100 * MS)
    assert (len(hand.images(slow)), len(hand.lost_images(slow))) == (1, 1)
    assert len(hand.labels(CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION)) == 1


# ---- network ----


def connected(hand, publication_channel=UDP, subscription_channel=UDP, **more):
    """Publish and subscribe over the in-memory network; return both ids and the image."""
    subscription = hand.add_subscription(subscription_channel)
    publication = hand.add_publication(publication_channel, **more)
    hand.run_until(lambda: hand.images(subscription))
    return publication, subscription, hand.images(subscription)[0]


def test_a_stream_over_the_network_becomes_an_image(hand):
    publication, subscription, image = connected(hand)
    ready = hand.ready(publication)
    assert image[1:3] == (ready[2], 10)
    assert image[6] == counter(hand, "snd-local-sockaddr").label.split()[-1].replace(
        "0.0.0.0", "127.0.0.1"
    )
    hand.run(50 * MS)
    assert hand.log(ready[6]).is_connected
    end = hand.publish(ready, b"over the wire")
    hand.run_until(lambda: counter(hand, "rcv-pos").value == end)
    assert Path(image[5]).read_bytes()[32 : 32 + 13] == b"over the wire"
    labels = hand.labels()
    for name in ("rcv-channel: ", "rcv-local-sockaddr: ", "rcv-hwm: ", "rcv-naks-sent: "):
        assert any(label.startswith(name) for label in labels), name
    assert counter(hand, "rcv-pos").registration_id == image[0]
    assert subscription


def test_the_source_of_an_image_marks_its_port(hand):
    channel = "aeron:udp?endpoint=[::1]:40123"
    _, _, image = connected(hand, channel, channel)
    host, _, port = image[6].rpartition(":")
    assert host == "[::1]"
    assert 0 < int(port) < 65536


def test_the_end_of_a_stream_frees_its_image_and_both_channels(hand):
    publication, subscription, image = connected(hand)
    ready = hand.ready(publication)
    end = hand.publish(ready, b"the last")
    hand.run_until(lambda: counter(hand, "rcv-pos").value == end)
    hand.counters.set_value(image[4], end)
    hand.remove_publication(publication)
    hand.run_until(lambda: hand.lost_images(subscription))
    assert hand.lost_images(subscription) == [(image[0], subscription, 10, UDP)]
    hand.remove_subscription(subscription)
    hand.run_until(lambda: hand.labels() == [f"client-heartbeat: id={CLIENT}"])
    assert log_files(hand) == []
    assert hand.counters.value(SystemCounter.SYSTEM_ERRORS) == 0


def test_cubic_congestion_control_has_its_own_counters(hand):
    connected(hand, UDP, f"{UDP}|cc=cubic")
    labels = hand.labels(CounterType.COUNTER_TYPE_PER_IMAGE)
    assert [label.split(":")[0] for label in labels] == ["rcv-cc-cubic-rtt", "rcv-cc-cubic-wnd"]


def test_an_unknown_congestion_control_makes_no_image_and_is_reported_once(hand):
    subscription = hand.add_subscription(f"{UDP}|cc=vegas")
    hand.add_publication(UDP)
    hand.run(3 * S)
    assert hand.images(subscription) == []
    [entry] = hand.cnc.error_log().entries()
    assert "expected static or cubic" in entry.text


def test_a_rejected_image_notifies_its_publisher_and_ends(hand):
    """Facts 3.9: every SM timeout an ERR frame replaces the SM; image dies by liveness."""
    publication, subscription, image = connected(hand)
    payload = struct.pack("<qqi", image[0], 0, 2) + b"no"
    assert hand.ask(Command.REJECT_IMAGE, payload)[-1].event == Event.ON_OPERATION_SUCCESS
    hand.run_until(lambda: hand.all(Event.ON_PUBLICATION_ERROR))
    [error] = hand.all(Event.ON_PUBLICATION_ERROR)
    assert error[:4] == (publication, -1, image[1], 10)
    assert error[-2:] == (ErrorCode.ERROR_IMAGE_REJECTED, "no")
    hand.run_until(lambda: hand.lost_images(subscription))
    assert hand.counters.value(SystemCounter.SYSTEM_IMAGES_REJECTED) == 1


def test_repeated_rejections_leave_space_for_other_events(hand):
    """A source alternating status messages and error frames causes one event per pair."""
    publication = hand.add_publication(UDP)
    ready = hand.ready(publication)
    session_id, stream_id = ready[2], ready[3]
    receiver = hand.network.open(bind=("127.0.0.1", 4000))
    hand.run(200 * MS)  # until a setup frame
    _, source = receiver.receive()[:2]
    term_id = hand.log(ready[6]).initial_term_id
    status = struct.pack("<iBBHiiiiiq", 36, 0, 0, 3, session_id, stream_id, term_id, 0, 4096, 7)
    error = struct.pack("<iBBHiiqqii", 42, 0, 0, 4, session_id, stream_id, 7, 0, 13, 2) + b"no"
    for _ in range(200):
        hand.network.deliver(("127.0.0.1", 4000), source, status)
        hand.network.deliver(("127.0.0.1", 4000), source, error)
        hand.run(MS, step_ns=MS)
    assert hand.counters.value(SystemCounter.SYSTEM_ERROR_FRAMES_RECEIVED) == 200
    assert len(hand.all(Event.ON_PUBLICATION_ERROR)) == 16
    hand.run(2 * S)
    hand.network.deliver(("127.0.0.1", 4000), source, status)
    hand.network.deliver(("127.0.0.1", 4000), source, error)
    hand.run(10 * MS)
    assert len(hand.all(Event.ON_PUBLICATION_ERROR)) == 17


def test_a_rejected_image_ends_without_consumption(hand):
    publication, subscription, image = connected(hand)
    end = hand.publish(hand.ready(publication), b"of no use")
    hand.run_until(lambda: counter(hand, "rcv-pos").value == end)
    hand.ask(Command.REJECT_IMAGE, struct.pack("<qqi", image[0], 0, 2) + b"no")
    hand.run_until(lambda: hand.lost_images(subscription))
    assert hand.lost_images(subscription)[0][0] == image[0]


def test_an_unknown_image_cannot_be_rejected(hand):
    [answers] = hand.ask(Command.REJECT_IMAGE, struct.pack("<qqi", 99, 0, 0))
    assert answers.fields[1] == ErrorCode.ERROR_GENERIC


def test_a_silent_publisher_loses_its_image_and_may_return(hand, shm_dir):
    long_timeouts = {"client_liveness_timeout_ns": 60 * S, "publication_unblock_timeout_ns": 90 * S}
    other = ByHand(
        shm_dir / "other", network=hand.network, clock=hand.clock, seed=2, **long_timeouts
    )
    try:
        subscription = hand.add_subscription(UDP)
        other.add_publication(UDP)
        for _ in range(100):
            hand.run(10 * MS)
            other.run_once()
        assert len(hand.images(subscription)) == 1
        hand.run(14 * S, step_ns=100 * MS)  # the other one has stopped
        assert len(hand.lost_images(subscription)) == 1
        for _ in range(300):
            hand.run(10 * MS)
            other.run_once()
        assert len(hand.images(subscription)) == 2
    finally:
        other.close()


def test_a_later_subscription_joins_existing_images(hand):
    publication, first, image = connected(hand)
    end = hand.publish(hand.ready(publication), b"before")
    hand.run_until(lambda: counter(hand, "rcv-pos").value == end)
    hand.counters.set_value(image[4], end)
    second = hand.add_subscription(UDP)
    [joined] = hand.images(second)
    assert (joined[0], joined[5]) == (image[0], image[5])
    assert hand.counters.value(joined[4]) == end
    assert first != second


def test_a_subscription_for_one_session_gets_no_other(hand):
    narrow = hand.add_subscription(f"{UDP}|session-id=7")
    hand.add_publication(f"{UDP}|session-id=8", exclusive=True)
    hand.run(S)
    assert hand.images(narrow) == []
    hand.add_publication(f"{UDP}|session-id=7", exclusive=True)
    hand.run_until(lambda: hand.images(narrow))
    assert [f[1] for f in hand.images(narrow)] == [7]


def test_a_wildcard_port_is_reported_by_a_counter(hand):
    hand.add_subscription("aeron:udp?endpoint=127.0.0.1:0")
    hand.add_subscription("aeron:udp?endpoint=127.0.0.1:0")
    bound = [
        label.split()[-1] for label in hand.labels(CounterType.COUNTER_TYPE_LOCAL_SOCKET_ADDRESS)
    ]
    assert len(set(bound)) == 2
    assert all(not address.endswith(":0") for address in bound)


def test_a_tag_names_an_open_channel(hand):
    hand.add_publication(f"{UDP}|tags=5", 10)
    ready = hand.ready(hand.add_publication("aeron:udp?tags=5", 11))
    assert len(hand.labels(CounterType.COUNTER_TYPE_SEND_CHANNEL_STATUS)) == 1
    assert ready[5] == counter(hand, "snd-channel").counter_id


def pass_until_closing(hand, channel, count=2_000):
    """Remove a channel's only publication and run passes; return those up to its end."""
    hand.remove_publication(hand.add_publication(channel))
    status = counter(hand, "snd-channel").counter_id
    for number in range(count):
        if hand.counters.value(status) == ChannelStatus.CHANNEL_CLOSING:
            return number
        hand.clock.advance(10 * MS)
        hand.invoker.invoke()
    return None


@pytest.fixture
def hand_before_closing(shm_dir):
    """Return a function that creates a driver which closes a channel in its next pass."""
    with contextlib.ExitStack() as stack:

        def make(channel):
            first = stack.enter_context(contextlib.closing(ByHand(shm_dir / "first")))
            count = pass_until_closing(first, channel)
            second = stack.enter_context(contextlib.closing(ByHand(shm_dir / "second")))
            assert pass_until_closing(second, channel, count - 1) is None
            second.clock.advance(10 * MS)
            return second

        yield make


def test_a_publication_need_not_wait_until_a_channel_like_its_own_is_closed(hand_before_closing):
    hand = hand_before_closing(UDP)
    ready = hand.ready(hand.add_publication(UDP))
    hand.run(S)
    assert ready[5] == counter(hand, "snd-channel").counter_id  # the other one has been removed
    assert hand.counters.value(ready[5]) == ChannelStatus.CHANNEL_ACTIVE
    assert hand.counters.value(SystemCounter.SYSTEM_ERRORS) == 0


def test_a_publication_waits_until_a_channel_that_binds_its_port_is_closed(hand_before_closing):
    channel = "aeron:udp?control=127.0.0.1:4001|control-mode=dynamic"
    hand = hand_before_closing(channel)
    added = hand.add_publication(channel)
    hand.run(20 * MS)
    ready = hand.ready(added)
    assert hand.counters.value(ready[5]) == ChannelStatus.CHANNEL_ACTIVE
    assert hand.all(Event.ON_ERROR) == []


def test_subscriptions_of_one_image_must_want_the_same(hand):
    hand.add_subscription(UDP)
    code, text = hand.error(hand.add_subscription(f"{UDP}|reliable=false"))
    assert code == ErrorCode.ERROR_INVALID_CHANNEL
    assert "'reliable'" in text


def test_an_address_in_use_is_an_error_and_leaves_nothing_open(hand, shm_dir):
    other = ByHand(shm_dir / "other", network=hand.network, clock=hand.clock)
    try:
        hand.add_subscription(UDP)
        code, text = other.error(other.add_subscription(UDP))
        assert code == ErrorCode.ERROR_GENERIC
        assert text.startswith("channel error - ")
        assert "Address already in use" in text
        assert UDP in text
        assert other.labels(CounterType.COUNTER_TYPE_RECEIVE_CHANNEL_STATUS) == []
    finally:
        other.close()


def test_response_finds_the_subscription_named_by_the_request(hand):
    """Facts 2.13: the request names a subscription, the response the request's image."""
    back = "aeron:udp?control=127.0.0.1:4300|control-mode=response"
    responses = hand.add_subscription(back, 20)
    requests = hand.add_subscription(UDP, 10)
    hand.ready(hand.add_publication(f"{UDP}|response-correlation-id={responses}", 10))
    hand.run_until(lambda: hand.images(requests))
    image_id = hand.images(requests)[0][0]
    response = hand.ready(
        hand.add_publication(f"{back}|response-correlation-id={image_id}", 20, exclusive=True)
    )
    hand.run_until(lambda: hand.images(responses))
    assert hand.images(responses)[0][1] == response[2]
    hand.run(S)
    assert hand.log(response[6]).is_connected
    assert hand.counters.value(SystemCounter.SYSTEM_ERRORS) == 0


def test_responses_on_one_channel_go_to_their_own_requesters(hand, shm_dir):
    back = "aeron:udp?control=127.0.0.1:4300|control-mode=response"
    other = ByHand(shm_dir / "other", network=hand.network, clock=hand.clock, seed=2)
    try:
        requests = hand.add_subscription(UDP, 10)
        sources = {}
        for driver in (hand, other):
            responses = driver.add_subscription(back, 20)
            request = driver.ready(
                driver.add_publication(f"{UDP}|response-correlation-id={responses}", 10)
            )
            sources[request[2]] = (driver, responses)
        hand.run_until(lambda: other.run_once() or len(hand.images(requests)) == 2)
        answers = {
            image[1]: hand.ready(
                hand.add_publication(
                    f"{back}|response-correlation-id={image[0]}", 20, exclusive=True
                )
            )
            for image in hand.images(requests)
        }
        hand.run_until(
            lambda: (
                other.run_once()
                or all(driver.images(responses) for driver, responses in sources.values())
            )
        )
        for session_id, (driver, responses) in sources.items():
            assert [each[1] for each in driver.images(responses)] == [answers[session_id][2]]
        for answer in answers.values():
            hand.run_until(lambda: other.run_once() or hand.log(answer[6]).is_connected)  # noqa: B023
    finally:
        other.close()


def test_a_response_over_ipc_reaches_its_own_requester_alone(hand):
    requests = hand.add_subscription("aeron:ipc", 10)
    responses = [
        hand.add_subscription(f"aeron:ipc?control-mode=response|alias={name}", 20) for name in "ab"
    ]
    for each in responses:
        hand.ready(hand.add_publication(f"aeron:ipc?response-correlation-id={each}", 10))
    images = [image[0] for image in hand.images(requests)]
    assert len(images) == 2
    hand.ready(hand.add_publication("aeron:ipc", 20))  # of a session without a request
    for each, image_id in zip(responses, images, strict=True):
        answer = hand.ready(
            hand.add_publication(
                f"aeron:ipc?control-mode=response|response-correlation-id={image_id}", 20
            )
        )
        assert [image[1] for image in hand.images(each)] == [answer[2]]


@pytest.mark.parametrize("media", [UDP, "aeron:ipc"])
def test_response_needs_an_image_of_a_request(hand, media):
    subscription = hand.add_subscription(media, 10)
    hand.ready(hand.add_publication(media, 10))
    hand.run_until(lambda: hand.images(subscription))
    back = "aeron:ipc?control-mode=response"
    if media == UDP:
        back = "aeron:udp?control=127.0.0.1:4300|control-mode=response"
    image_id = hand.images(subscription)[0][0]
    for end, expected in (
        (
            f"|response-correlation-id={image_id}",
            f"image.correlationId={image_id} did not request a response channel",
        ),
        ("|response-correlation-id=999", "image.correlationId=999 not found"),
        ("", "control-mode=response was specified, but no response-correlation-id set"),
    ):
        code, text = hand.error(hand.add_publication(f"{back}{end}", 20))
        assert (code, text.startswith(expected)) == (ErrorCode.ERROR_GENERIC, True), text


def test_low_space_is_recorded_in_the_error_log_once(shm_dir):
    hand = ByHand(shm_dir / "a", low_file_store_warning_threshold=1 << 60)
    try:
        for stream_id in (10, 11):
            hand.ready(hand.add_publication("aeron:ipc", stream_id))
        [entry] = hand.cnc.error_log().entries()
        assert f"WARN - space is running low: threshold={1 << 60} usable=" in entry.text
        assert entry.observation_count == 1
    finally:
        hand.close()


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
def test_a_rejection_of_a_publication_begins_as_upstreams(hand, before, channel, text):
    if before is not None:
        hand.ready(hand.add_publication(before))
    _, found = hand.error(hand.add_publication(channel))
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
def test_a_rejection_of_a_subscription_begins_as_upstreams(hand, before, channel, text):
    if before is not None:
        hand.add_subscription(before)
    _, found = hand.error(hand.add_subscription(channel))
    assert found.startswith(text), found


def test_buffer_lengths_of_the_context_are_those_of_a_channel(shm_dir):
    hand = ByHand(shm_dir / "a", socket_so_sndbuf=128 << 10, socket_so_rcvbuf=128 << 10)
    try:
        hand.ready(hand.add_publication(UDP))
        hand.ready(hand.add_publication(f"{UDP}|so-sndbuf=128k|so-rcvbuf=128k", 11))
        _, text = hand.error(hand.add_publication(f"{UDP}|so-rcvbuf=64k", 12))
        assert "does not match existing value of 131072" in text
        subscribed = "aeron:udp?endpoint=127.0.0.1:4001"
        hand.add_subscription(subscribed)
        hand.add_subscription(f"{subscribed}|so-sndbuf=128k|so-rcvbuf=128k", 11)
        _, text = hand.error(hand.add_subscription(f"{subscribed}|rcv-wnd=256k", 12))
        assert "rcv-wnd" in text
    finally:
        hand.close()


# ---- spies ----


def test_spy_receives_sent_messages_and_limits_the_publisher(hand):
    spy = hand.add_subscription(f"aeron-spy:{UDP}")
    publication, _, _ = connected(hand)
    ready = hand.ready(publication)
    [image] = hand.images(spy)
    assert image == (ready[1], ready[2], 10, spy, image[4], ready[6], "aeron:ipc")
    assert (spy, -1) in hand.all(Event.ON_SUBSCRIPTION_READY)
    hand.publish(ready, bytes(1000))
    hand.run(50 * MS)
    assert counter(hand, "pub-lmt").value == 32 << 10
    hand.remove_subscription(spy)
    hand.run(50 * MS)
    assert counter(hand, "pub-lmt").value > 32 << 10


def test_a_spy_alone_connects_only_where_the_publication_allows_it(hand):
    """Facts 2.12: without ssc a spy does not make the publisher connected."""
    for channel, stream_id, is_connected in ((UDP, 10, False), (f"{UDP}|ssc=true", 11, True)):
        ready = hand.ready(hand.add_publication(channel, stream_id))
        hand.add_subscription(f"aeron-spy:{UDP}", stream_id)
        hand.run(50 * MS)
        assert hand.log(ready[6]).is_connected is is_connected


# ---- destinations ----

MANUAL = "aeron:udp?control-mode=manual|control=127.0.0.1:4100"


def test_a_manual_publication_sends_to_its_destinations(hand):
    channels = [f"aeron:udp?endpoint=127.0.0.1:{port}" for port in (4001, 4002)]
    subscriptions = [hand.add_subscription(channel) for channel in channels]
    publication = hand.add_publication(MANUAL)
    added = [
        hand.destination(Command.ADD_DESTINATION, publication, channel) for channel in channels
    ]
    assert all((each,) in hand.all(Event.ON_OPERATION_SUCCESS) for each in added)
    hand.run_until(lambda: all(hand.images(each) for each in subscriptions))
    assert counter(hand, "mdc-num-dest").value == 2
    hand.destination(Command.REMOVE_DESTINATION, publication, channels[0])
    payload = struct.pack("<qq", publication, added[1])
    assert hand.ask(Command.REMOVE_DESTINATION_BY_ID, payload)[-1].event == (
        Event.ON_OPERATION_SUCCESS
    )
    hand.run(50 * MS)
    assert counter(hand, "mdc-num-dest").value == 0


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
def test_rejects_an_invalid_destination(hand, channel, code):
    publication = hand.add_publication(MANUAL)
    assert hand.error(hand.destination(Command.ADD_DESTINATION, publication, channel))[0] == code


def test_destinations_belong_to_manual_channels(hand):
    publication = hand.add_publication(UDP)
    subscription = hand.add_subscription(UDP)
    for command, owner, code in (
        (Command.ADD_DESTINATION, publication, ErrorCode.ERROR_INVALID_CHANNEL),
        (Command.ADD_DESTINATION, 999, ErrorCode.ERROR_UNKNOWN_PUBLICATION),
        (Command.ADD_RCV_DESTINATION, subscription, ErrorCode.ERROR_INVALID_CHANNEL),
        (Command.ADD_RCV_DESTINATION, 999, ErrorCode.ERROR_UNKNOWN_SUBSCRIPTION),
    ):
        assert hand.error(hand.destination(command, owner, UDP))[0] == code


def test_a_subscription_listens_at_its_destinations(hand):
    subscription = hand.add_subscription("aeron:udp?control-mode=manual")
    assert hand.labels(CounterType.COUNTER_TYPE_LOCAL_SOCKET_ADDRESS) == []
    hand.add_publication(UDP)
    hand.run(S)
    assert hand.images(subscription) == []
    hand.destination(Command.ADD_RCV_DESTINATION, subscription, UDP)
    assert any("rcv-local-sockaddr" in label for label in hand.labels())
    hand.run_until(lambda: hand.images(subscription))
    hand.destination(Command.REMOVE_RCV_DESTINATION, subscription, UDP)
    hand.run(50 * MS)
    assert not any("rcv-local-sockaddr" in label for label in hand.labels())


@pytest.mark.parametrize("channel", ["aeron:ipc", f"aeron-spy:{UDP}"])
def test_a_destination_may_be_of_this_driver(hand, channel):
    """Facts 3.11: IPC and spy channels may be destinations; those get ON_UNAVAILABLE_IMAGE."""
    subscription = hand.add_subscription("aeron:udp?control-mode=manual")
    ready = hand.ready(hand.add_publication(channel.removeprefix("aeron-spy:")))
    hand.destination(Command.ADD_RCV_DESTINATION, subscription, channel)
    [image] = hand.images(subscription)
    assert image[0] == ready[1]
    hand.destination(Command.REMOVE_RCV_DESTINATION, subscription, channel)
    assert hand.lost_images(subscription) == [(ready[1], subscription, 10, channel)]
    assert hand.labels(CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION) == []


# ---- counters ----


def test_counters_of_clients_are_added_and_removed(hand):
    payload = struct.pack("<ii", 1100, 3) + b"key\0" + struct.pack("<i", 5) + b"label"
    answers = hand.ask(Command.ADD_COUNTER, payload)
    assert answers[-1].event == Event.ON_COUNTER_READY
    registration_id, counter_id = answers[-1].fields
    found = counter(hand, "label")
    assert (found.counter_id, found.type_id, found.key[:4]) == (counter_id, 1100, b"key\0")
    assert (found.registration_id, found.owner_id) == (registration_id, CLIENT)
    answers = hand.ask(Command.REMOVE_COUNTER, struct.pack("<q", registration_id))
    assert [each.event for each in answers] == [
        Event.ON_OPERATION_SUCCESS,
        Event.ON_UNAVAILABLE_COUNTER,
    ]
    [answers] = hand.ask(Command.REMOVE_COUNTER, struct.pack("<q", registration_id))
    assert answers.fields[1] == ErrorCode.ERROR_UNKNOWN_COUNTER


def test_a_static_counter_is_one_and_outlives_its_client(hand):
    payload = struct.pack("<qii", 55, 1100, 0) + struct.pack("<i", 5) + b"label"
    first = hand.ask(Command.ADD_STATIC_COUNTER, payload)[-1]
    second = hand.ask(Command.ADD_STATIC_COUNTER, payload, client=CLIENT + 1)[-1]
    assert first.event == second.event == Event.ON_STATIC_COUNTER
    assert first.fields[1] == second.fields[1]
    hand.run(15 * S, step_ns=100 * MS, beats=False)
    assert hand.labels() == ["label"]


# ---- hostile or invalid input ----


def test_an_unreadable_command_is_answered_counted_and_reported_once_a_kind(hand):
    for length in (0, 3, 8, 17, 23):
        assert hand.ring.write(Command.ADD_PUBLICATION, bytes(length) or b"x")
    assert hand.ring.write(0x7777, bytes(16))
    hand.run(20 * MS)
    codes = [fields[1] for fields in hand.all(Event.ON_ERROR)]
    assert codes == [ErrorCode.ERROR_MALFORMED_COMMAND] * 5 + [
        ErrorCode.ERROR_UNKNOWN_COMMAND_TYPE_ID
    ]
    assert hand.counters.value(SystemCounter.SYSTEM_ERRORS) == 6
    entries = hand.cnc.error_log().entries()
    assert [each.observation_count for each in entries] == [5, 1]


def test_a_command_half_written_by_a_dead_client_is_stepped_over(hand):
    claimed = hand.ring.try_claim(Command.CLIENT_KEEPALIVE, 16)
    assert claimed >= 0
    correlation_id = hand.send(Command.GET_NEXT_AVAILABLE_SESSION_ID, struct.pack("<i", 10))
    hand.run(9 * S, step_ns=100 * MS)
    assert hand.all(Event.ON_NEXT_AVAILABLE_SESSION_ID) == []
    hand.run(4 * S, step_ns=100 * MS)
    assert [f[0] for f in hand.all(Event.ON_NEXT_AVAILABLE_SESSION_ID)] == [correlation_id]
    assert hand.counters.value(SystemCounter.SYSTEM_UNBLOCKED_COMMANDS) == 1


def test_the_driver_rejects_termination_commands_unless_allowed(hand, shm_dir):
    assert hand.ask(Command.TERMINATE_DRIVER, struct.pack("<i", 0)) == []
    assert hand.counters.value(SystemCounter.SYSTEM_ERRORS) == 1
    assert hand.ready(hand.add_publication("aeron:ipc"))
    ended = []
    mild = ByHand(
        shm_dir / "mild",
        driver_termination_validator="allow",
        termination_hook=lambda: ended.append(True),
    )
    try:
        assert mild.ask(Command.TERMINATE_DRIVER, struct.pack("<i", 0)) == []
        assert ended == [True]
    finally:
        mild.close()


def test_a_validator_decides_about_termination_by_the_token(shm_dir):
    ended, seen = [], []

    def may_terminate(directory, token):
        seen.append((directory, token))
        if token == b"raise":
            raise ValueError("of the validator")
        return token == b"secret"

    hand = ByHand(
        shm_dir / "mild",
        termination_validator=may_terminate,
        termination_hook=lambda: ended.append(True),
    )
    try:
        for token in (b"guess", b"raise"):
            hand.ask(Command.TERMINATE_DRIVER, struct.pack("<i", len(token)) + token)
        assert ended == []
        errors = [each.text for each in hand.cnc.error_log().entries()]
        assert any("of the validator" in text for text in errors), errors
        hand.ask(Command.TERMINATE_DRIVER, struct.pack("<i", 6) + b"secret")
        assert ended == [True]
        assert seen == [(str(shm_dir / "mild"), each) for each in (b"guess", b"raise", b"secret")]
    finally:
        hand.close()


class FullFiles(SystemFiles):
    """A machine without free space."""

    usable = 100 << 10

    def usable_space(self, _path):
        return self.usable


def test_log_without_space_is_an_error_naming_the_directory(shm_dir):
    files = FullFiles()
    hand = ByHand(shm_dir / "driver", files=files)
    try:
        code, text = hand.error(hand.add_publication("aeron:ipc"))
        assert code == ErrorCode.ERROR_STORAGE_SPACE
        assert str(shm_dir / "driver") in text
        assert log_files(hand) == []
        files.usable = 1 << 30
        assert hand.ready(hand.add_publication("aeron:ipc"))
    finally:
        hand.close()


def test_driver_with_a_removed_directory_ends(shm_dir):
    ended = []
    hand = ByHand(shm_dir / "driver", termination_hook=lambda: ended.append(True))
    try:
        shutil.rmtree(shm_dir / "driver")
        with pytest.raises(AgentTerminationError, match="it was removed"):
            hand.ready(hand.add_publication("aeron:ipc"))
        assert ended == [True]
        (entry,) = hand.cnc.error_log().entries()
        assert "expected the driver's directory, found none" in entry.text
    finally:
        hand.close()


def test_exhausted_counters_are_an_error_and_leave_no_log(shm_dir):
    hand = ByHand(shm_dir / "driver", counters_buffer_length=1 << 20)
    try:
        added = 0
        payload = struct.pack("<iii", 1100, 0, 1) + b"x"
        while hand.ask(Command.ADD_COUNTER, payload)[-1].event != Event.ON_ERROR:
            added += 1
        assert added > 8000
        code, _ = hand.error(hand.add_publication("aeron:ipc"))
        assert code in {ErrorCode.ERROR_STORAGE_SPACE, ErrorCode.ERROR_GENERIC}
        hand.run(20 * MS)
        assert log_files(hand) == []
    finally:
        hand.close()


def test_commands_decode_the_harnesss_writes(hand):
    """Check the test's own writer."""
    hand.send(Command.ADD_SUBSCRIPTION, struct.pack("<qii", -1, 10, 9) + b"aeron:ipc")
    seen = []
    hand.ring.read(lambda type_id, data: seen.append(decode(type_id, data)), 1)
    assert seen[0].channel == "aeron:ipc"
