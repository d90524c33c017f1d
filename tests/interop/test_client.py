"""Our client with a running Java driver."""

import time
from pathlib import Path

import pytest

from aeron_cluster.client import (
    Action,
    Aeron,
    BufferClaim,
    ControlledFragmentAssembler,
    FragmentAssembler,
)
from aeron_cluster.errors import ClosedError, DriverTimeoutError, RegistrationError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.shared.commands import ErrorCode
from aeron_cluster.memory.shared.counters_layout import ChannelStatus, CounterType
from tests.interop.java_peer import JavaPeer, JavaPeers

TIMEOUT_S = 120.0


@pytest.fixture
def driver(java: JavaPeers, shm_dir: Path) -> JavaPeer:
    peer = java.start("Driver", dir=shm_dir / "driver")
    peer.await_event("READY")
    return peer


@pytest.fixture
def aeron(driver, shm_dir):  # noqa: ARG001 - the driver runs in its directory
    with Aeron.connect(aeron_dir=shm_dir / "driver", client_name="tested") as client:
        yield client


def until(condition, timeout=TIMEOUT_S):
    deadline = time.monotonic() + timeout
    idle_strategy = IdleStrategy("backoff")
    while not (value := condition()):
        assert time.monotonic() < deadline, "timeout"
        idle_strategy.idle()
    return value


def connected(publication, subscription):
    until(lambda: publication.is_connected and subscription.is_connected)


class Receiver:
    """Collects complete messages."""

    def __init__(self, subscription):
        self.subscription = subscription
        self.messages = []
        self._assembler = FragmentAssembler(self._take)

    def _take(self, message, _header):
        self.messages.append(bytes(message))

    def poll(self):
        return self.subscription.poll(self._assembler)

    def await_count(self, count):
        deadline = time.monotonic() + TIMEOUT_S
        while len(self.messages) < count:
            if self.poll() == 0:
                assert time.monotonic() < deadline, f"{len(self.messages)} of {count}"
        return self.messages


def channels(free_port):
    port = free_port()
    return ["aeron:ipc?term-length=64k", f"aeron:udp?endpoint=localhost:{port}|term-length=64k"]


@pytest.mark.parametrize("kind", ["publication", "exclusive_publication"])
@pytest.mark.parametrize("transport", [0, 1], ids=["ipc", "udp"])
def test_messages_of_all_lengths_arrive_completely_and_in_order(aeron, free_port, kind, transport):
    channel = channels(free_port)[transport]
    subscription = aeron.add_subscription(channel, 1001)
    publication = getattr(aeron, f"add_{kind}")(channel, 1001)
    connected(publication, subscription)
    receiver = Receiver(subscription)
    sent = [b"%d," % n * (n * 7 % 500) for n in range(2000)]
    for message in sent:
        while not publication.offer(message):
            receiver.poll()
    assert receiver.await_count(len(sent)) == sent
    assert subscription.images[0].position == publication.position


@pytest.mark.parametrize("transport", [0, 1], ids=["ipc", "udp"])
def test_claims_and_gathered_messages_arrive(aeron, free_port, transport):
    channel = channels(free_port)[transport]
    subscription = aeron.add_subscription(channel, 1001)
    publication = aeron.add_exclusive_publication(channel, 1001)
    connected(publication, subscription)
    receiver = Receiver(subscription)
    claim = BufferClaim()
    sent = []
    for number in range(200):
        message = b"%d" % number * 5
        if number % 3 == 0:
            while not publication.try_claim(len(message), claim):
                receiver.poll()
            claim.put(message)
            claim.reserved_value = number
            claim.commit()
        elif number % 3 == 1:
            while not publication.offer_vectored([message[:2], b"", message[2:]]):
                receiver.poll()
        else:
            while not publication.try_claim(4, claim):
                receiver.poll()
            claim.abort()
            while not publication.offer_vectored([message, bytes(3000)]):
                receiver.poll()
            message += bytes(3000)
        sent.append(message)
    assert receiver.await_count(len(sent)) == sent


def test_headers_carry_the_publishers_values(aeron):
    subscription = aeron.add_subscription("aeron:ipc?term-length=64k", 1001)
    publication = aeron.add_publication("aeron:ipc?term-length=64k", 1001)
    connected(publication, subscription)
    position = until(lambda: publication.offer(b"marked", 0x0102030405060708))
    seen = []
    until(lambda: subscription.poll(lambda _, header: seen.append(header)))
    (header,) = seen
    assert header.reserved_value == 0x0102030405060708
    assert header.session_id == publication.session_id
    assert header.stream_id == 1001
    assert header.position == position == publication.position


def test_controlled_poll_redelivers_aborted_messages(aeron):
    subscription = aeron.add_subscription("aeron:ipc?term-length=64k", 1001)
    publication = aeron.add_exclusive_publication("aeron:ipc?term-length=64k", 1001)
    connected(publication, subscription)
    message = bytes(range(250)) * 20
    until(lambda: publication.offer(message))
    answers = [Action.ABORT, Action.COMMIT]
    seen = []

    def handler(whole, _header):
        seen.append(bytes(whole))
        return answers[len(seen) - 1]

    assembler = ControlledFragmentAssembler(handler)
    until(lambda: subscription.controlled_poll(assembler) == 0 and len(seen) == 2)
    assert seen == [message, message]


def test_two_clients_share_a_publication_but_not_an_exclusive_one(aeron, shm_dir):
    with Aeron.connect(aeron_dir=shm_dir / "driver") as other:
        assert other.client_id != aeron.client_id
        subscription = aeron.add_subscription("aeron:ipc?term-length=64k", 7)
        first = aeron.add_publication("aeron:ipc?term-length=64k", 7)
        second = other.add_publication("aeron:ipc?term-length=64k", 7)
        third = other.add_exclusive_publication("aeron:ipc?term-length=64k", 7)
        assert second.session_id == first.session_id
        assert second.original_registration_id == first.registration_id
        assert third.session_id != first.session_id
        until(lambda: len(subscription.images) == 2)
        receiver = Receiver(subscription)
        for publication in (first, second, third):
            assert until(lambda publication=publication: publication.offer(b"x")) > 0
        assert receiver.await_count(3) == [b"x"] * 3
        first.close()
        assert until(lambda: second.offer(b"still there"))
        assert receiver.await_count(4)[3] == b"still there"


def test_asynchronous_requests_are_answered(aeron):
    registration_id = aeron.async_add_exclusive_publication("aeron:ipc?term-length=64k", 9)
    publication = until(lambda: aeron.get_exclusive_publication(registration_id))
    assert publication.stream_id == 9
    registration_id = aeron.async_add_subscription("aeron:ipc?term-length=64k", 9)
    subscription = until(lambda: aeron.get_subscription(registration_id))
    connected(publication, subscription)


def test_counters_are_visible_to_all_clients(aeron, shm_dir):
    gone = []
    with Aeron.connect(
        aeron_dir=shm_dir / "driver",
        unavailable_counter_handler=lambda _, registration_id, __: gone.append(registration_id),
    ) as other:
        counter = aeron.add_counter(1077, "a counter", b"key")
        counter.set(5)
        found = other.counters_reader.find(1077, counter.registration_id)
        assert found == counter.counter_id
        assert other.counters_reader.value(found) == 5
        assert other.counters_reader.label(found) == counter.label == "a counter"
        assert other.counters_reader.key(found)[:4] == b"key\0"
        static = aeron.add_static_counter(1078, "static", 4711)
        assert other.add_static_counter(1078, "static", 4711).counter_id == static.counter_id
        counter.close()
        until(lambda: counter.registration_id in gone)


def test_heartbeat_counter_has_the_clients_name(aeron):
    aeron.add_counter(1077, "first contact")
    reader = aeron.counters_reader

    def label():
        found = reader.find(CounterType.COUNTER_TYPE_CLIENT_HEARTBEAT, aeron.client_id)
        return found is not None and "name=tested" in reader.label(found)

    until(label)


def test_session_ids_are_allocated_by_the_driver(aeron):
    first, second = aeron.next_session_id(3), aeron.next_session_id(3)
    assert first != second
    publication = aeron.add_exclusive_publication(f"aeron:ipc?session-id={second}", 3)
    assert publication.session_id == second


def test_images_follow_their_publication(aeron, shm_dir):
    observed = []
    subscription = aeron.add_subscription(
        "aeron:ipc?term-length=64k",
        11,
        available_image_handler=lambda image: observed.append(("there", image.session_id)),
        unavailable_image_handler=lambda image: observed.append(("gone", image.session_id)),
    )
    with Aeron.connect(aeron_dir=shm_dir / "driver") as other:
        publication = other.add_exclusive_publication("aeron:ipc?term-length=64k", 11)
        connected(publication, subscription)
        until(lambda: publication.offer(b"last words"))
        (image,) = subscription.images
        publication.close()
        receiver = Receiver(subscription)
        assert receiver.await_count(1) == [b"last words"]
        until(lambda: image.is_closed)
        assert image.is_end_of_stream
        assert not image.is_publication_revoked
        assert image.position == 64
        until(lambda: ("gone", publication.session_id) in observed)
    assert observed == [("there", publication.session_id), ("gone", publication.session_id)]
    assert subscription.images == ()


def test_a_revoked_stream_ends_at_once(aeron):
    subscription = aeron.add_subscription("aeron:ipc?term-length=64k", 11)
    publication = aeron.add_exclusive_publication("aeron:ipc?term-length=64k", 11)
    connected(publication, subscription)
    (image,) = subscription.images
    publication.revoke()
    until(lambda: image.is_closed)
    assert image.is_publication_revoked


def test_a_rejected_image_notifies_its_publisher(driver, shm_dir, free_port):
    del driver
    frames = []
    with Aeron.connect(
        aeron_dir=shm_dir / "driver", publication_error_handler=frames.append
    ) as aeron:
        channel = f"aeron:udp?endpoint=localhost:{free_port()}|term-length=64k"
        subscription = aeron.add_subscription(channel, 12)
        publication = aeron.add_publication(channel, 12)
        connected(publication, subscription)
        subscription.images[0].reject("not this one")
        (frame,) = until(lambda: frames)[:1]
        assert frame.error_message == "not this one"
        assert frame.registration_id == publication.registration_id
        assert frame.source_address == b"\x7f\0\0\1"


def test_manual_destinations_receive(aeron, free_port):
    ends = [f"aeron:udp?endpoint=localhost:{free_port()}" for _ in range(2)]
    subscriptions = [aeron.add_subscription(end, 13) for end in ends]
    publication = aeron.add_publication("aeron:udp?control-mode=manual|term-length=64k", 13)
    first = publication.add_destination(ends[0])
    publication.add_destination(ends[1])
    for subscription in subscriptions:
        connected(publication, subscription)
    receivers = [Receiver(subscription) for subscription in subscriptions]
    assert until(lambda: publication.offer(b"to all"))
    for receiver in receivers:
        assert receiver.await_count(1) == [b"to all"]
    publication.remove_destination(first)
    publication.remove_destination(ends[1])


def test_a_subscription_of_many_destinations_receives(aeron, free_port):
    ends = [f"aeron:udp?endpoint=localhost:{free_port()}" for _ in range(2)]
    subscription = aeron.add_subscription("aeron:udp?control-mode=manual", 14)
    for end in ends:
        subscription.add_destination(end)
    publications = [aeron.add_publication(f"{end}|term-length=64k", 14) for end in ends]
    for publication in publications:
        connected(publication, subscription)
        until(lambda publication=publication: publication.offer(b"x"))
    assert Receiver(subscription).await_count(2) == [b"x", b"x"]
    pending = subscription.async_remove_destination(ends[0])
    until(lambda: aeron.is_done(pending))


def test_spy_receives_sent_messages(aeron, free_port):
    channel = f"aeron:udp?endpoint=localhost:{free_port()}|term-length=64k"
    subscription = aeron.add_subscription(channel, 15)
    spy = aeron.add_subscription(f"aeron-spy:{channel}", 15)
    publication = aeron.add_publication(channel, 15)
    connected(publication, subscription)
    until(lambda: spy.is_connected and publication.offer(b"seen"))
    assert Receiver(spy).await_count(1) == [b"seen"]


def test_bound_port_is_resolved(aeron):
    subscription = aeron.add_subscription("aeron:udp?endpoint=localhost:0", 16)
    until(lambda: subscription.channel_status == ChannelStatus.CHANNEL_ACTIVE)
    resolved = until(subscription.try_resolve_channel_endpoint_port)
    assert resolved.startswith("aeron:udp?endpoint=localhost:")
    assert not resolved.endswith(":0")
    assert subscription.resolved_endpoint.endswith(resolved.rpartition(":")[2])
    publication = aeron.add_publication(resolved, 16)
    connected(publication, subscription)
    until(lambda: publication.channel_status == ChannelStatus.CHANNEL_ACTIVE)
    assert publication.local_socket_addresses


def test_a_rejection_by_the_driver_is_raised(aeron, free_port):
    channel = f"aeron:udp?endpoint=localhost:{free_port()}"
    aeron.add_publication(f"{channel}|term-length=64k", 17)
    with pytest.raises(RegistrationError, match="term-length") as raised:
        aeron.add_publication(f"{channel}|term-length=128k", 17)
    assert raised.value.code in {ErrorCode.ERROR_INVALID_CHANNEL, ErrorCode.ERROR_GENERIC}


def test_one_thread_drives_a_client(driver, shm_dir):
    del driver
    with Aeron.connect(aeron_dir=shm_dir / "driver", use_conductor_invoker=True) as aeron:
        invoker = aeron.conductor_agent_invoker
        subscription = aeron.add_subscription("aeron:ipc?term-length=64k", 18)
        publication = aeron.add_publication("aeron:ipc?term-length=64k", 18)

        def both():
            invoker.invoke()
            return publication.is_connected and subscription.is_connected

        until(both)
        # Connected does not mean a limit yet: the driver sets it in a later duty cycle.
        assert until(lambda: publication.offer(b"x")) == 64


def test_killed_driver_is_detected(driver, shm_dir):
    errors = []
    closed = []
    with Aeron.connect(
        aeron_dir=shm_dir / "driver",
        error_handler=errors.append,
        close_handler=lambda: closed.append(True),
    ) as aeron:
        subscription = aeron.add_subscription("aeron:ipc?term-length=64k", 19)
        publication = aeron.add_publication("aeron:ipc?term-length=64k", 19)
        connected(publication, subscription)
        driver.kill()
        # It reports the reason after all else is closed.
        until(lambda: errors)
        assert aeron.is_closed
        assert isinstance(aeron.failure, DriverTimeoutError)
        assert errors == [aeron.failure]
        assert closed == [True]
        with pytest.raises(ClosedError):
            publication.offer(b"x")
        with pytest.raises(ClosedError):
            subscription.poll(print)
    with pytest.raises(DriverTimeoutError, match="has ended"):
        Aeron.connect(aeron_dir=shm_dir / "driver", driver_timeout_ns=1_000_000)


def test_closed_driver_is_detected(driver, shm_dir):
    with Aeron.connect(aeron_dir=shm_dir / "driver") as aeron:
        aeron.add_publication("aeron:ipc?term-length=64k", 19)
        code = driver.stop()
        assert code in (0, 143), driver.report()  # Java's after SIGTERM; -9: it had not ended
        until(lambda: aeron.is_closed)
        assert "has been shutdown" in str(aeron.failure)


def test_closed_client_leaves_no_counters(aeron, shm_dir):
    with Aeron.connect(aeron_dir=shm_dir / "driver") as other:
        other.add_publication("aeron:ipc?term-length=64k", 20)
        client_id = other.client_id
    reader = aeron.counters_reader
    until(lambda: reader.find(CounterType.COUNTER_TYPE_CLIENT_HEARTBEAT, client_id) is None)


# ---- with Java's client at the other end ----


@pytest.mark.parametrize("transport", ["ipc", "udp"])
def test_java_echoes_our_pings(java, aeron, shm_dir, free_port, transport):
    port = free_port(2)
    java.start(
        "PingPong",
        role="pong",
        transport=transport,
        port=port,
        dir=shm_dir / "driver",
        wait="yield",
    ).await_event("READY")
    ping, pong = (
        ("aeron:ipc", "aeron:ipc")
        if transport == "ipc"
        else tuple(f"aeron:udp?endpoint=localhost:{port + n}" for n in range(2))
    )
    subscription = aeron.add_subscription(pong, 1102)
    publication = aeron.add_exclusive_publication(ping, 1101)
    connected(publication, subscription)
    receiver = Receiver(subscription)
    for number in range(500):
        message = b"%d " % number * (1 + number % 40 * 50)
        while not publication.offer(message):
            receiver.poll()
        assert receiver.await_count(number + 1)[-1] == message


@pytest.mark.parametrize("transport", ["ipc", "udp"])
def test_our_client_echoes_javas_pings(java, aeron, shm_dir, free_port, transport):
    port = free_port(2)
    ping, pong = (
        ("aeron:ipc", "aeron:ipc")
        if transport == "ipc"
        else tuple(f"aeron:udp?endpoint=localhost:{port + n}" for n in range(2))
    )
    subscription = aeron.add_subscription(ping, 1101)
    publication = aeron.add_exclusive_publication(pong, 1102)

    def echo(message, _header):
        while not publication.offer(message):
            pass

    assembler = FragmentAssembler(echo)
    peer = java.start(
        "PingPong",
        role="ping",
        transport=transport,
        port=port,
        dir=shm_dir / "driver",
        wait="yield",
        size=3000,
        count=2000,
        warmup=100,
        runs=1,
    )
    peer.await_event("READY")
    deadline = time.monotonic() + TIMEOUT_S
    while not any(event["event"] == "result" for event in peer.events):
        subscription.poll(assembler)
        peer.read()
        assert time.monotonic() < deadline
    assert peer.await_event("result")["count"] == 2000


@pytest.mark.parametrize("kind", ["exclusive", "concurrent", "exclusive-claim"])
def test_our_client_receives_everything_java_publishes(java, aeron, shm_dir, kind):
    subscription = aeron.add_subscription("aeron:ipc?term-length=256k", 1201)
    peer = java.start(
        "Throughput",
        role="pub",
        transport="ipc",
        params="term-length=256k",
        kind=kind,
        dir=shm_dir / "driver",
        pubWait="yield",
        size=64,
    )
    numbers = []

    def handler(message, _header):
        numbers.append(int.from_bytes(message[:8], "little"))

    deadline = time.monotonic() + TIMEOUT_S
    while len(numbers) < 200_000:
        subscription.poll(handler, 1000)
        assert time.monotonic() < deadline
    assert numbers == list(range(len(numbers)))
    subscription.close()
    peer.await_event("publisher")
