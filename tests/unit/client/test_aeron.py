"""The client conductor: requests, answers, rejections, errors and the close."""

import os
import re
import struct
import threading

import pytest

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.client.publication_error_frame import PublicationErrorFrame
from aeron_cluster.client.subscription import Subscription
from aeron_cluster.errors import (
    ClosedError,
    ConfigurationError,
    CorruptError,
    DriverTimeoutError,
    MessageError,
    OperationError,
    RegistrationError,
    StateError,
    VersionError,
)
from aeron_cluster.memory.agents.agent import AgentInvoker
from aeron_cluster.memory.shared.commands import Command, ErrorCode, Event
from aeron_cluster.memory.shared.counters import AtomicCounter
from aeron_cluster.memory.shared.counters_layout import ChannelStatus, CounterType
from tests.unit.client.fake_driver import FakeDriver
from tests.waiting import await_true


def turn(driver, aeron):
    """Run one pass of the driver and the client."""
    driver.do_work()
    return aeron.conductor_agent_invoker.invoke()


def until(condition, driver, aeron, passes=10_000):
    for _ in range(passes):
        if condition():
            return
        turn(driver, aeron)
    raise AssertionError("not within the passes")


def test_a_publication_command_follows_the_protocol(driver, aeron):
    publication = aeron.add_publication("aeron:udp?endpoint=localhost:4000", 1001)
    data = driver.last(Command.ADD_PUBLICATION)
    channel = b"aeron:udp?endpoint=localhost:4000"
    client_id, correlation_id, stream_id, length = struct.unpack_from("<qqii", data)
    assert client_id == aeron.client_id
    assert correlation_id == publication.registration_id
    assert (stream_id, length, data[24:]) == (1001, len(channel), channel)
    assert publication.channel == channel.decode()
    assert publication.stream_id == 1001
    assert publication.session_id == correlation_id + 100


def test_a_subscription_command_follows_the_protocol(driver, aeron):
    subscription = aeron.add_subscription("aeron:ipc", -5)
    data = driver.last(Command.ADD_SUBSCRIPTION)
    expected = struct.pack("<qqqii", aeron.client_id, subscription.registration_id, -1, -5, 9)
    assert data == expected + b"aeron:ipc"
    assert subscription.channel_status == ChannelStatus.CHANNEL_ACTIVE


def test_a_counter_names_its_owner(aeron):
    counter = aeron.add_counter(1007, "name")
    counter.set_reference_id(77)
    assert aeron.counters_reader.reference_id(counter.counter_id) == 77
    counter.close()
    with pytest.raises(ClosedError):
        counter.set_reference_id(78)


def test_a_command_is_active_until_the_driver_answers(driver, aeron):
    assert not aeron.has_active_commands
    registration_id = aeron.async_add_subscription("aeron:ipc", 5)
    assert aeron.has_active_commands
    assert aeron.is_command_active(registration_id)
    assert not aeron.is_command_active(registration_id + 1000)
    until(lambda: not aeron.has_active_commands, driver, aeron)
    assert not aeron.is_command_active(registration_id)
    assert aeron.get_subscription(registration_id) is not None


def test_handlers_can_be_added_and_removed_at_any_time(connect):
    called = []
    aeron = connect(
        available_counter_handler=lambda *_: called.append("context"),
        close_handler=lambda: called.append("closed"),
    )

    def added(*_):
        called.append("added")

    added_id = aeron.add_available_counter_handler(added)
    gone_id = aeron.add_unavailable_counter_handler(lambda *_: called.append("gone"))
    aeron.add_counter(1001, "first")
    assert called == ["context", "added"]
    assert aeron.remove_available_counter_handler(added_id)
    assert not aeron.remove_available_counter_handler(added_id)
    aeron.add_counter(1001, "second")
    assert called == ["context", "added", "context"]
    aeron.add_available_counter_handler(added)
    assert aeron.remove_available_counter_handler(added)
    assert aeron.remove_unavailable_counter_handler(gone_id)
    aeron.add_close_handler(lambda: called.append("closed as well"))
    other = aeron.add_close_handler(lambda: called.append("never"))
    assert aeron.remove_close_handler(other)
    called.clear()
    aeron.close()
    assert called == ["closed", "closed as well"]
    with pytest.raises(ClosedError):
        aeron.add_close_handler(lambda: None)


def test_label_of_a_counter_begins_at_the_aligned_end_of_its_key(driver, aeron):
    counter = aeron.add_counter(1007, "name", b"12345")
    data = driver.last(Command.ADD_COUNTER)
    assert struct.unpack_from("<ii", data, 16) == (1007, 5)
    assert data[24:32] == b"12345\0\0\0"
    assert data[32:] == struct.pack("<i", 4) + b"name"
    counter.set(3)
    assert counter.increment() == 3
    assert aeron.counters_reader.value(counter.counter_id) == 4
    assert counter.compare_and_set(4, 9)
    assert counter.propose_max(8) is False
    assert counter.get_and_add(-2) == 9
    assert counter.type_id == 1007
    assert repr(counter) == f"<Counter {counter.counter_id} 'a counter' = 7>"
    counter.close()
    assert driver.do_work()
    assert struct.unpack_from("<q", driver.last(Command.REMOVE_COUNTER), 16) == (
        counter.registration_id,
    )
    with pytest.raises(ClosedError):
        counter.set(1)
    with pytest.raises(ClosedError):
        counter.get_and_add(1)
    with pytest.raises(ClosedError):
        _ = counter.type_id
    assert repr(counter) == f"<Counter {counter.counter_id} closed>"


def test_a_static_counter_is_one_per_type_and_id(driver, aeron):
    first = aeron.add_static_counter(1008, "static", 77)
    again = aeron.add_static_counter(1008, "static", 77)
    assert first.counter_id == again.counter_id
    assert first.registration_id == 77
    first.close()
    driver.do_work()
    assert not any(kind == Command.REMOVE_COUNTER for kind, _ in driver.commands)


def test_a_counter_is_added_without_waiting(driver, aeron):
    waiting = [
        aeron.async_add_static_counter(1008, "static", 77),
        aeron.async_add_counter(1009, "own"),
    ]
    assert [aeron.get_counter(each) for each in waiting] == [None, None]
    turn(driver, aeron)
    added = [aeron.get_counter(each) for each in waiting]
    assert [each.registration_id for each in added] == [77, waiting[1]]
    for counter, registration_id in zip(added, waiting, strict=True):
        counter.close()
        with pytest.raises(StateError, match=f"registration {registration_id}"):
            aeron.get_counter(registration_id)


def test_too_long_key_or_label_is_rejected_before_the_driver_receives_it(driver, aeron):
    with pytest.raises(MessageError, match="112"):
        aeron.add_counter(1, "x", bytes(113))
    with pytest.raises(MessageError, match="380"):
        aeron.add_counter(1, "x" * 381)
    assert driver.do_work() == 0


def test_logs_can_be_touched_when_they_are_mapped(driver, connect):
    aeron = connect(pre_touch_mapped_memory=True)
    publication = aeron.add_exclusive_publication("aeron:ipc", 1001)
    subscription = aeron.add_subscription("aeron:ipc", 1001)
    path = driver.directory / f"{publication.registration_id}.logbuffer"
    before = path.read_bytes()
    driver.available_image(subscription.registration_id, publication.registration_id, path)
    turn(driver, aeron)
    assert path.read_bytes() == before
    assert publication.offer(b"x") == 64
    assert subscription.poll(lambda *_: None) == 1


def test_an_asynchronous_request_takes_two_passes(driver, aeron):
    registration_id = aeron.async_add_publication("aeron:ipc", 3)
    assert aeron.get_publication(registration_id) is None
    turn(driver, aeron)
    publication = aeron.get_publication(registration_id)
    assert publication.registration_id == registration_id
    assert aeron.get_publication(registration_id) is publication
    publication.close()
    with pytest.raises(StateError, match=str(registration_id)):
        aeron.get_publication(registration_id)


@pytest.mark.parametrize("kind", ["exclusive_publication", "subscription", "counter"])
def test_each_kind_has_an_asynchronous_form(kind, driver, aeron):
    arguments = (1001, "label") if kind == "counter" else ("aeron:ipc", 3)
    registration_id = getattr(aeron, f"async_add_{kind}")(*arguments)
    turn(driver, aeron)
    found = getattr(aeron, f"get_{kind}")(registration_id)
    assert found.registration_id == registration_id


def test_rejection_names_the_request_and_the_drivers_text(driver, aeron):
    driver.answers[Command.ADD_SUBSCRIPTION] = lambda data: driver.reject(data, 1, b"odd channel")
    with pytest.raises(RegistrationError, match=r"aeron:ipc stream=1: odd channel") as raised:
        aeron.add_subscription("aeron:ipc", 1)
    assert raised.value.code == ErrorCode.ERROR_INVALID_CHANNEL
    registration_id = aeron.async_add_subscription("aeron:ipc", 2)
    turn(driver, aeron)
    with pytest.raises(RegistrationError, match="odd channel"):
        aeron.get_subscription(registration_id)


def test_unresponsive_driver_is_a_timeout(driver, connect):
    aeron = connect(driver_timeout_ns=30_000_000, keepalive_interval_ns=600_000_000_000)
    late = []
    driver.answers[Command.ADD_PUBLICATION] = late.append
    with pytest.raises(DriverTimeoutError, match=r"within 0\.0 s: .*aeron:ipc stream=1"):
        aeron.add_publication("aeron:ipc", 1)
    # A resource created too late is removed.
    driver.publication_ready(late[0], is_exclusive=False)
    turn(driver, aeron)
    driver.do_work()
    assert struct.unpack_from("<q", driver.last(Command.REMOVE_PUBLICATION), 16) == (
        struct.unpack_from("<q", late[0], 8)
    )


def test_too_long_command_is_rejected_before_the_driver_receives_it(shm_dir, connect):
    driver = FakeDriver(shm_dir / "small", to_driver_buffer_length=8192 + 768)
    aeron = connect(aeron_dir=driver.directory, driver_invoker=driver.do_work)
    with pytest.raises(MessageError, match="command: expected at most 1024 bytes"):
        aeron.add_publication(f"aeron:ipc?alias={'x' * 1024}", 1)
    assert driver.do_work() == 0
    assert aeron.add_publication("aeron:ipc", 1).is_connected


def test_invalid_command_ring_is_reported(driver, aeron):
    tail = 128 + 65536 + 128  # past the header, the records, and a part of the trailer
    with (driver.directory / "cnc.dat").open("r+b") as file:
        file.seek(tail)
        valid = file.read(8)
        file.seek(tail)
        file.write(struct.pack("<q", 4))
        file.flush()
        with pytest.raises(CorruptError, match="command ring -5, expected records"):
            aeron.add_publication("aeron:ipc", 1)
        file.seek(tail)
        file.write(valid)
    assert aeron.add_publication("aeron:ipc", 1).is_connected


REMOVALS = {
    "publication": Command.REMOVE_PUBLICATION,
    "exclusive_publication": Command.REMOVE_PUBLICATION,
    "subscription": Command.REMOVE_SUBSCRIPTION,
    "counter": Command.REMOVE_COUNTER,
}


@pytest.mark.parametrize("is_answered", [True, False])
@pytest.mark.parametrize("kind", REMOVALS)
def test_an_abandoned_wait_is_released(kind, is_answered, driver, aeron):
    arguments = (1001, "label") if kind == "counter" else ("aeron:ipc", 3)
    registration_id = getattr(aeron, f"async_add_{kind}")(*arguments)
    if is_answered:
        turn(driver, aeron)
    aeron.abandon(registration_id)
    turn(driver, aeron)
    driver.do_work()
    assert driver.commands[-1][0] == REMOVALS[kind]
    assert struct.unpack_from("<q", driver.commands[-1][1], 16) == (registration_id,)
    with pytest.raises(StateError, match=str(registration_id)):
        getattr(aeron, f"get_{kind}")(registration_id)
    aeron.abandon(registration_id)  # no longer known


def test_an_invalid_channel_is_rejected_with_its_part(aeron):
    with pytest.raises(ConfigurationError, match="udp"):
        aeron.add_publication("aeron:upd?endpoint=localhost:1", 1)


def test_name_too_long_for_the_heartbeat_is_rejected(connect):
    assert connect(client_name="n" * 100).context.client_name == "n" * 100
    with pytest.raises(ConfigurationError, match=r"^clientName length must <= 100: client_name: "):
        connect(client_name="n" * 101)


def test_the_heartbeat_counter_gets_the_time_and_the_name(driver, connect):
    aeron = connect(client_name="tester", keepalive_interval_ns=1)
    aeron.add_counter(1, "x")
    found = driver.counters.find(CounterType.COUNTER_TYPE_CLIENT_HEARTBEAT, aeron.client_id)
    until(lambda: "tester" in driver.counters.label(found), driver, aeron)
    before = driver.counters.value(found)
    assert abs(before - driver.clock.epoch_ms()) < 60_000
    assert driver.counters.label(found).startswith("client-heartbeat name=tester")
    until(lambda: driver.counters.value(found) > before, driver, aeron, 10_000_000)


def test_a_lost_heartbeat_counter_closes_the_client(driver, connect):
    errors = []
    aeron = connect(keepalive_interval_ns=1, error_handler=errors.append)
    aeron.add_counter(1, "x")
    turn(driver, aeron)
    found = driver.counters.find(CounterType.COUNTER_TYPE_CLIENT_HEARTBEAT, aeron.client_id)
    driver.counters.free(found, now_ms=0)
    until(lambda: aeron.is_closed, driver, aeron)
    assert "heartbeat" in str(errors[0])


def test_heartbeat_reused_for_another_counter_closes_the_client(driver, connect):
    errors = []
    aeron = connect(keepalive_interval_ns=1, error_handler=errors.append)
    aeron.add_counter(1, "x")
    turn(driver, aeron)
    found = driver.counters.find(CounterType.COUNTER_TYPE_CLIENT_HEARTBEAT, aeron.client_id)
    driver.counters.free(found, now_ms=0)
    reused = driver.counters.allocate(
        "another", 1001, now_ms=1_000_000, registration_id=aeron.client_id, value=-7
    )
    assert reused == found
    until(lambda: aeron.is_closed, driver, aeron)
    assert "heartbeat" in str(errors[0])
    assert driver.counters.value(reused) == -7


def test_driver_shutdown_closes_the_client(driver, connect):
    errors = []
    aeron = connect(keepalive_interval_ns=1, error_handler=errors.append)
    publication = aeron.add_publication("aeron:ipc", 1)
    driver.ring.consumer_heartbeat_ms = -1
    aeron.conductor_agent_invoker.invoke()
    assert aeron.is_closed
    assert publication.is_closed
    assert isinstance(errors[0], DriverTimeoutError)
    with pytest.raises(ClosedError, match="has been shutdown") as raised:
        aeron.add_publication("aeron:ipc", 1)
    assert raised.value.__cause__ is errors[0]
    with pytest.raises(ClosedError):
        publication.offer(b"x")


def test_wait_drives_the_client_unless_a_runner_drives_it(driver, connect):
    aeron = connect(keepalive_interval_ns=1)
    with AgentInvoker([aeron.conductor_agent]):
        driver.ring.consumer_heartbeat_ms = -1
        aeron.drive()
        assert not aeron.is_closed
    aeron.drive()
    assert aeron.is_closed


@pytest.mark.parametrize("wrong_by_ms", [0, 3_600_000, -3_600_000])
def test_a_driver_that_is_silent_closes_the_client(driver, connect, wrong_by_ms):
    errors = []
    aeron = connect(
        keepalive_interval_ns=1, driver_timeout_ns=500_000_000, error_handler=errors.append
    )
    driver.ring.consumer_heartbeat_ms = driver.clock.epoch_ms() + wrong_by_ms
    aeron.conductor_agent_invoker.invoke()
    assert not aeron.is_closed  # it is alive, whatever its clock shows
    until_ns = driver.clock.nano_time() + 120_000_000_000
    while not aeron.is_closed and driver.clock.nano_time() < until_ns:
        aeron.conductor_agent_invoker.invoke()
    assert re.search(r"keepalive: no heartbeat for \d{3,} ms, timeout=500ms", str(errors[0]))


def test_client_not_driven_for_too_long_closes(shm_dir):
    driver = FakeDriver(shm_dir / "strict", client_liveness_timeout_ns=1)
    errors = []
    aeron = Aeron.connect(
        aeron_dir=driver.directory, use_conductor_invoker=True, error_handler=errors.append
    )
    aeron.conductor_agent_invoker.invoke()
    assert aeron.is_closed
    assert "service interval exceeded" in str(errors[0])


def test_client_timed_out_by_the_driver_closes(driver, connect):
    errors = []
    aeron = connect(error_handler=errors.append)
    driver.event(Event.ON_CLIENT_TIMEOUT, "<q", aeron.client_id + 1)
    turn(driver, aeron)
    assert not aeron.is_closed
    driver.event(Event.ON_CLIENT_TIMEOUT, "<q", aeron.client_id)
    turn(driver, aeron)
    assert aeron.is_closed
    assert isinstance(errors[0], ClosedError)


def test_lost_events_close_the_client(driver, connect):
    errors = []
    aeron = connect(error_handler=errors.append)
    for _ in range(65536 // 16 * 2):
        driver.event(Event.ON_OPERATION_SUCCESS, "<q", -9)
    turn(driver, aeron)
    assert aeron.is_closed
    assert "lost" in str(errors[0])


def test_invalid_event_buffer_is_reported(driver, connect):
    errors = []
    aeron = connect(error_handler=errors.append)
    driver.event(Event.ON_OPERATION_SUCCESS, "<q", -9)
    with (driver.directory / "cnc.dat").open("r+b") as file:
        file.seek(128 + 65536 + 768)  # past the header and the command ring
        file.write(struct.pack("<i", -3))
    turn(driver, aeron)
    assert isinstance(errors[0], CorruptError)
    assert str(errors[0]).startswith(f"{driver.directory}/cnc.dat at ")
    assert "event buffer" in str(errors[0])


@pytest.mark.parametrize(
    ("event", "data"),
    [
        (Event.ON_AVAILABLE_IMAGE, b"short"),
        (Event.ON_AVAILABLE_IMAGE, struct.pack("<qiiqii", 1, 2, 3, 4, 5, 1 << 30)),
        (Event.ON_PUBLICATION_READY, struct.pack("<qqiiiii", 1, 1, 1, 1, 1, -1, -7)),
        (Event.ON_ERROR, struct.pack("<qii", 1, 1, 99)),
        (Event.ON_OPERATION_SUCCESS, b""),
        (Event.ON_PUBLICATION_ERROR, bytes(40)),
    ],
)
def test_a_malformed_event_is_reported_and_dropped(event, data, driver, connect):
    errors = []
    aeron = connect(error_handler=errors.append)
    driver.events.transmit(event, data)
    driver.events.transmit(0x7FFF, b"of an unknown kind")
    turn(driver, aeron)
    assert isinstance(errors.pop(), MessageError)
    assert errors == []
    aeron.add_subscription("aeron:ipc", 1)


@pytest.mark.parametrize(
    ("kind", "address", "expected"),
    [
        (1, b"\x7f\0\0\1" + bytes(12), b"\x7f\0\0\1"),
        (2, bytes(15) + b"\1", bytes(15) + b"\1"),
    ],
    ids=["IPv4", "IPv6"],
)
def test_publication_error_reaches_the_publishing_client(driver, connect, kind, address, expected):
    frames = []
    aeron = connect(publication_error_handler=frames.append)
    publication = aeron.add_publication("aeron:ipc", 1)
    for registration_id in (publication.registration_id, 12345):
        driver.event(
            Event.ON_PUBLICATION_ERROR,
            "<qqiiqqhH16sii",
            *(registration_id, -1, 7, 1, 99, -1, kind, 4000, address, 13, 3),
            text=b"bad",
        )
    turn(driver, aeron)
    assert frames == [
        PublicationErrorFrame(
            *(publication.registration_id, -1, 7, 1, 99, -1, expected, 4000, 13, "bad")
        )
    ]


def test_error_of_a_channel_is_reported_for_each_of_its_streams(driver, connect):
    errors = []
    aeron = connect(error_handler=errors.append)
    status_id = driver.counters.allocate("rcv-channel", 7, now_ms=0, value=1)
    aeron.add_subscription("aeron:ipc", 1)
    driver.answers[Command.ADD_SUBSCRIPTION] = lambda data: driver.event(
        Event.ON_SUBSCRIPTION_READY, "<qi", *struct.unpack_from("<q", data, 8), status_id
    )
    streams = [aeron.add_subscription("aeron:udp?endpoint=localhost:4000", n) for n in (2, 3)]
    code = ErrorCode.ERROR_CHANNEL_ENDPOINT
    driver.event(Event.ON_ERROR, "<qii", status_id, code, 6, text=b"broken")
    turn(driver, aeron)
    assert [type(error) for error in errors] == [RegistrationError] * 2
    assert [error.code for error in errors] == [code] * 2
    for error, stream in zip(errors, streams, strict=True):
        assert repr(stream) in str(error)
        assert "broken" in str(error)
        assert not stream.is_closed


@pytest.mark.parametrize("raised", [ValueError("mine"), SystemExit(3)], ids=repr)
def test_failing_error_handler_is_logged(driver, connect, caplog, raised):
    def fail(_):
        raise raised

    aeron = connect(error_handler=fail)
    driver.events.transmit(Event.ON_AVAILABLE_IMAGE, b"short")
    turn(driver, aeron)
    (record,) = [each for each in caplog.records if "the error handler failed" in each.message]
    assert record.exc_info[1] is raised
    assert aeron.add_subscription("aeron:ipc", 1).channel == "aeron:ipc"


def test_interrupt_in_an_error_handler_is_raised(driver, connect):
    def interrupt(_):
        raise KeyboardInterrupt

    aeron = connect(error_handler=interrupt)
    driver.events.transmit(Event.ON_AVAILABLE_IMAGE, b"short")
    with pytest.raises(KeyboardInterrupt):
        turn(driver, aeron)


def test_errors_without_a_handler_are_logged(driver, connect, caplog):
    aeron = connect()
    driver.events.transmit(Event.ON_AVAILABLE_IMAGE, b"short")
    turn(driver, aeron)
    (record,) = [each for each in caplog.records if each.name == "aeron_cluster.client"]
    assert isinstance(record.exc_info[1], MessageError)


@pytest.mark.parametrize("kind", ["publication", "exclusive_publication"])
def test_publication_without_its_limit_is_removed(kind, driver, aeron, monkeypatch):
    monkeypatch.setattr(driver, "_count", lambda *_: 10_000)
    with pytest.raises(CorruptError, match=r"publisher limit counter .*10000"):
        getattr(aeron, f"add_{kind}")("aeron:ipc", 1)
    driver.do_work()
    (registration_id,) = driver.limits
    removed = driver.last(Command.REMOVE_PUBLICATION)
    assert struct.unpack_from("<q", removed, 16) == (registration_id,)


def test_image_with_a_counter_of_an_unknown_id_is_reported(driver, connect, monkeypatch):
    errors = []
    aeron = connect(error_handler=errors.append)
    subscription = aeron.add_subscription("aeron:ipc", 1001)
    monkeypatch.setattr(driver, "_count", lambda *_: 10_000)
    path = driver.log(500, "concurrent", 7, 1001)
    driver.available_image(subscription.registration_id, 500, path)
    turn(driver, aeron)
    assert [type(error) for error in errors] == [CorruptError]
    assert "subscriber position counter" in str(errors[0])
    assert "10000" in str(errors[0])
    assert subscription.images == ()


@pytest.mark.parametrize(
    ("add", "is_removed"),
    [
        (lambda aeron: aeron.add_counter(1001, "mine"), True),
        (lambda aeron: aeron.add_static_counter(1001, "one for all", 5), False),
    ],
    ids=["own", "static"],
)
def test_counter_of_an_unknown_id_is_an_error_of_its_request(
    driver, connect, monkeypatch, add, is_removed
):
    aeron = connect(error_handler=pytest.fail)
    monkeypatch.setattr(driver, "_count", lambda *_: 10_000)
    with pytest.raises(CorruptError, match=r"counter id.*10000"):
        add(aeron)
    driver.do_work()
    assert (Command.REMOVE_COUNTER in [kind for kind, _ in driver.commands]) is is_removed


def test_a_client_of_a_driver_that_reads_no_commands_is_closed(shm_dir):
    """Its driver, if there is still one, finds it gone after the liveness timeout."""
    driver = FakeDriver(shm_dir / "full", to_driver_buffer_length=8192 + 768)
    errors = []
    aeron = Aeron.connect(aeron_dir=driver.directory, error_handler=errors.append)
    for length in (300, 0):
        while driver.ring.write(1, bytes(length)):
            pass
    aeron.close()
    assert aeron.is_closed
    assert not aeron._runner.is_running
    assert [type(error) for error in errors] == [OperationError]


def fill(ring):
    for length in (300, 0):
        while ring.write(Command.CLIENT_KEEPALIVE, bytes(length)):
            pass


def removals_after_space(driver, aeron, kind):
    """Read the driver's full ring; return the registration ids that the client then removes."""
    while driver.ring.read(lambda *_: None):
        pass

    def removed():
        turn(driver, aeron)
        return [
            struct.unpack_from("<q", data, 16)[0] for each, data in driver.commands if each == kind
        ]

    await_true(removed, "the removal is sent")
    return removed()


@pytest.mark.parametrize(
    ("add", "kind"),
    [
        (lambda aeron: aeron.add_publication("aeron:ipc", 1), Command.REMOVE_PUBLICATION),
        (lambda aeron: aeron.add_subscription("aeron:ipc", 1), Command.REMOVE_SUBSCRIPTION),
        (lambda aeron: aeron.add_counter(1001, "mine"), Command.REMOVE_COUNTER),
    ],
    ids=["publication", "subscription", "counter"],
)
def test_a_removal_without_space_is_sent_later(driver, connect, add, kind):
    errors = []
    aeron = connect(error_handler=errors.append)
    resource = add(aeron)
    fill(driver.ring)
    resource.close()
    assert resource.is_closed
    assert removals_after_space(driver, aeron, kind) == [resource.registration_id]
    assert errors == []


def test_an_abandoned_resource_is_removed_although_its_answer_finds_no_space(driver, connect):
    errors = []
    aeron = connect(error_handler=errors.append)
    registration_id = aeron.async_add_subscription("aeron:ipc", 1)
    driver.do_work()
    aeron.abandon(registration_id)
    fill(driver.ring)
    aeron.conductor_agent_invoker.invoke()
    assert removals_after_space(driver, aeron, Command.REMOVE_SUBSCRIPTION) == [registration_id]
    assert errors == []


def test_a_revocation_without_space_is_sent_before_its_client_closes(driver, connect):
    errors = []
    aeron = connect(error_handler=errors.append)
    publication = aeron.add_exclusive_publication("aeron:ipc", 1)
    fill(driver.ring)
    publication.revoke()
    while driver.ring.read(lambda *_: None):
        pass
    aeron.close()
    driver.do_work()
    assert [kind for kind, _ in driver.commands[-2:]] == [
        Command.REMOVE_PUBLICATION,
        Command.CLIENT_CLOSE,
    ]
    assert errors == []


def test_client_in_use_by_another_thread_is_not_serviced(driver, connect):
    in_use, released = threading.Event(), threading.Event()

    def on_counter(*_):
        in_use.set()
        released.wait()

    aeron = connect(available_counter_handler=on_counter)
    thread = threading.Thread(target=aeron.add_counter, args=(1001, "mine"))
    thread.start()
    try:
        in_use.wait()
        driver.event(Event.ON_CLIENT_TIMEOUT, "<q", aeron.client_id)
        assert aeron.conductor_agent_invoker.invoke() == 0
        assert not aeron.is_closed
        assert (
            not aeron._conductor._is_in_own_callback()
        )  # so this thread may wait, unlike the handler
    finally:
        released.set()
        thread.join()
    aeron.conductor_agent_invoker.invoke()
    assert aeron.is_closed


def test_a_thread_may_wait_once_another_threads_handler_has_ended(aeron):
    conductor = aeron._conductor
    lock = conductor._lock

    class ReleasedLock:
        """The lock, which the other thread releases just before this one tries to acquire it."""

        def acquire(self, blocking=True):
            conductor._is_in_callback = False
            return lock.acquire(blocking)

        def release(self):
            lock.release()

        def __enter__(self):
            return lock.__enter__()

        def __exit__(self, *exception):
            lock.__exit__(*exception)

    conductor._lock = ReleasedLock()
    conductor._is_in_callback = True  # the other thread's
    assert aeron.add_counter(1001, "mine").get() == 0


@pytest.mark.parametrize("is_waiting", [False, True])
def test_handlers_are_not_called_within_a_handler(driver, connect, is_waiting):
    calls = []
    aeron = connect()

    def on_image(image):
        calls.append(("begin", image.correlation_id))
        aeron.drive()
        calls.append(("end", image.correlation_id))

    subscription = aeron.add_subscription("aeron:ipc", 1001, available_image_handler=on_image)
    path = driver.log(500, "concurrent", 7, 1001)
    for image_id in (500, 501):
        driver.available_image(subscription.registration_id, image_id, path)
    if is_waiting:
        aeron.add_counter(1001, "mine")
    else:
        turn(driver, aeron)
    assert calls == [("begin", 500), ("end", 500), ("begin", 501), ("end", 501)]


def test_counter_handlers_are_called_for_every_counter(driver, connect):
    observed = []
    connect(
        available_counter_handler=lambda _, *ids: observed.append(("there", *ids)),
        unavailable_counter_handler=lambda _, *ids: observed.append(("gone", *ids)),
    )
    aeron = connect()
    listener = connect(
        available_counter_handler=lambda _, *ids: observed.append(("there", *ids)),
        unavailable_counter_handler=lambda _, *ids: observed.append(("gone", *ids)),
    )
    counter = aeron.add_counter(1, "x")
    driver.event(Event.ON_UNAVAILABLE_COUNTER, "<qi", counter.registration_id, 5)
    turn(driver, listener)
    assert observed == [
        ("there", counter.registration_id, counter.counter_id),
        ("gone", counter.registration_id, 5),
    ]


def test_a_handler_may_send_requests_but_not_wait(driver, connect):
    aeron = connect()
    outcome = []

    def on_image(_image):
        outcome.append(aeron.async_add_subscription("aeron:ipc", 9))
        with pytest.raises(StateError, match="async"):
            aeron.add_subscription("aeron:ipc", 10)
        outcome.append("rejected")

    subscription = aeron.add_subscription("aeron:ipc", 1001, available_image_handler=on_image)
    log = driver.log(500, "concurrent", 7, 1001)
    driver.available_image(subscription.registration_id, 500, log)
    turn(driver, aeron)
    turn(driver, aeron)
    assert outcome[1] == "rejected"
    assert aeron.get_subscription(outcome[0]).stream_id == 9


def test_a_wait_rejected_in_a_handler_requests_nothing(driver, connect):
    aeron = connect()

    def on_image(_image):
        with pytest.raises(StateError, match="async"):
            aeron.add_exclusive_publication("aeron:ipc", 10)

    subscription = aeron.add_subscription("aeron:ipc", 1001, available_image_handler=on_image)
    log = driver.log(500, "concurrent", 7, 1001)
    driver.available_image(subscription.registration_id, 500, log)
    for _ in range(5):
        turn(driver, aeron)
    assert Command.ADD_EXCLUSIVE_PUBLICATION not in [kind for kind, _ in driver.commands]


def test_an_interrupted_wait_leaves_nothing_open(driver, connect):
    interrupts = [KeyboardInterrupt()]

    def invoke():
        driver.do_work()
        kinds = [kind for kind, _ in driver.commands]
        if interrupts and Command.ADD_EXCLUSIVE_PUBLICATION in kinds:
            raise interrupts.pop()

    aeron = connect(driver_invoker=invoke)
    with pytest.raises(KeyboardInterrupt):
        aeron.add_exclusive_publication("aeron:ipc", 10)
    for _ in range(5):
        turn(driver, aeron)
    assert Command.REMOVE_PUBLICATION in [kind for kind, _ in driver.commands]


def test_a_handler_may_not_wait_after_another_handler_ran_within_it(driver, connect):
    aeron, outcome = connect(), []
    other = aeron.add_subscription("aeron:ipc", 1002, unavailable_image_handler=lambda _: None)
    log = driver.log(400, "concurrent", 7, 1002)
    driver.available_image(other.registration_id, 400, log)
    turn(driver, aeron)

    def on_image(image):
        outcome.append(("begin", image.correlation_id))
        other.close()
        with pytest.raises(StateError, match="async"):
            aeron.add_counter(1, "x")
        outcome.append(("end", image.correlation_id))

    subscription = aeron.add_subscription("aeron:ipc", 1001, available_image_handler=on_image)
    log = driver.log(500, "concurrent", 7, 1001)
    for image_id in (500, 501):
        driver.available_image(subscription.registration_id, image_id, log)
    turn(driver, aeron)
    turn(driver, aeron)
    assert outcome == [("begin", 500), ("end", 500), ("begin", 501), ("end", 501)]


def test_a_handlers_error_is_passed_to_the_error_handler(driver, connect):
    errors = []
    aeron = connect(error_handler=errors.append)

    def on_image(_image):
        raise ValueError("mine")

    subscription = aeron.add_subscription("aeron:ipc", 1001, available_image_handler=on_image)
    driver.available_image(
        subscription.registration_id, 500, driver.log(500, "concurrent", 7, 1001)
    )
    turn(driver, aeron)
    assert [str(error) for error in errors] == ["mine"]
    assert len(subscription.images) == 1


@pytest.mark.parametrize("raised", [SystemExit(3), KeyboardInterrupt()], ids=repr)
def test_process_ending_exception_is_raised_to_the_clients_invoker(driver, connect, raised):
    errors = []
    aeron = connect(error_handler=errors.append)

    def on_image(_image):
        raise raised

    subscription = aeron.add_subscription("aeron:ipc", 1001, available_image_handler=on_image)
    log = driver.log(500, "concurrent", 7, 1001)
    driver.available_image(subscription.registration_id, 500, log)
    with pytest.raises(type(raised)):
        turn(driver, aeron)
    assert errors == []
    assert len(subscription.images) == 1


def test_destinations_are_added_and_removed(driver, aeron):
    publication = aeron.add_publication("aeron:udp?control-mode=manual", 1)
    destination = publication.add_destination("aeron:udp?endpoint=localhost:4001")
    data = driver.last(Command.ADD_DESTINATION)
    assert struct.unpack_from("<qqi", data, 8) == (destination, publication.registration_id, 33)
    assert data[28:] == b"aeron:udp?endpoint=localhost:4001"
    publication.remove_destination("aeron:udp?endpoint=localhost:4001")
    assert driver.last(Command.REMOVE_DESTINATION)[28:] == data[28:]
    publication.remove_destination(destination)
    data = driver.last(Command.REMOVE_DESTINATION_BY_ID)
    assert struct.unpack_from("<qq", data, 16) == (publication.registration_id, destination)

    subscription = aeron.add_subscription("aeron:udp?control-mode=manual", 1)
    subscription.add_destination("aeron:udp?endpoint=localhost:4002")
    assert driver.last(Command.ADD_RCV_DESTINATION)[28:] == b"aeron:udp?endpoint=localhost:4002"
    pending = subscription.async_remove_destination("aeron:udp?endpoint=localhost:4002")
    assert not aeron.is_done(pending)
    turn(driver, aeron)
    assert aeron.is_done(pending)


def test_removed_destination_is_awaited_or_polled(driver, aeron):
    subscription = aeron.add_subscription("aeron:udp?control-mode=manual", 1)
    subscription.remove_destination("aeron:udp?endpoint=localhost:4002")
    data = driver.last(Command.REMOVE_RCV_DESTINATION)
    assert struct.unpack_from("<qi", data, 16) == (subscription.registration_id, 33)
    assert data[28:] == b"aeron:udp?endpoint=localhost:4002"
    publication = aeron.add_publication("aeron:udp?control-mode=manual", 1)
    pending = publication.async_remove_destination("aeron:udp?endpoint=localhost:4001")
    assert not aeron.is_done(pending)
    turn(driver, aeron)
    assert driver.last(Command.REMOVE_DESTINATION)[28:] == b"aeron:udp?endpoint=localhost:4001"
    assert [aeron.is_done(pending) for _ in range(2)] == [True, True]


def test_a_rejected_destination_raises(driver, aeron):
    publication = aeron.add_publication("aeron:udp?control-mode=manual", 1)
    driver.answers[Command.ADD_DESTINATION] = driver.reject
    with pytest.raises(RegistrationError):
        publication.add_destination("aeron:udp?endpoint=localhost:4001")
    pending = publication.async_add_destination("aeron:udp?endpoint=localhost:4001")
    turn(driver, aeron)
    with pytest.raises(RegistrationError):
        aeron.is_done(pending)


def test_session_id_is_requested_if_the_driver_supports_it(driver, aeron):
    assert -(2**31) <= aeron.next_session_id(5) < 2**31  # an older driver: random
    found = {aeron.async_next_session_id(5)() for _ in range(4)}
    assert len(found) > 1
    assert all(-(2**31) <= each < 2**31 for each in found)
    driver.cnc.counters_reader()
    driver.answers[Command.GET_NEXT_AVAILABLE_SESSION_ID] = lambda data: driver.event(
        Event.ON_NEXT_AVAILABLE_SESSION_ID, "<qi", *struct.unpack_from("<q", data, 8), -77
    )
    AtomicCounter(driver.counters, 43).set(65536)
    assert aeron.next_session_id(5) == -77


def test_local_addresses_belong_to_the_channels_status(driver, aeron):
    status_id = driver.counters.allocate("rcv-channel", 7, now_ms=0, value=1)

    def subscription(channel):
        return Subscription(
            aeron._conductor,
            channel=channel,
            stream_id=1,
            registration_id=1,
            channel_status_id=status_id,
        )

    for status, text, value in ((status_id, b"127.0.0.1:4567", 1), (status_id, b"x:1", 0)):
        key = struct.pack("<ii", status, len(text)) + text
        driver.counters.allocate("rcv-local-sockaddr", 14, key, now_ms=0, value=value)
    bound = subscription("aeron:udp?endpoint=localhost:0")
    assert bound.local_socket_addresses == ["127.0.0.1:4567"]
    assert bound.try_resolve_channel_endpoint_port() == "aeron:udp?endpoint=localhost:4567"
    bound.mark_closed()
    assert bound.local_socket_addresses == []
    assert bound.try_resolve_channel_endpoint_port() is None
    # Without an endpoint, without a port, or with destinations, the channel is unchanged.
    for channel in (
        "aeron:udp?endpoint=localhost:4444",
        "aeron:udp?control-mode=response|control=localhost:4445",
        "aeron:udp?endpoint=localhost:0|control-mode=manual",
    ):
        assert subscription(channel).try_resolve_channel_endpoint_port() == channel


def test_channel_without_a_status_yet_is_initialising(driver, aeron):
    driver.answers[Command.ADD_SUBSCRIPTION] = lambda data: driver.event(
        Event.ON_SUBSCRIPTION_READY, "<qi", *struct.unpack_from("<q", data, 8), 0
    )
    subscription = aeron.add_subscription("aeron:udp?endpoint=localhost:0", 1)
    assert subscription.channel_status is ChannelStatus.CHANNEL_INITIALIZING
    assert subscription.local_socket_addresses == []
    assert subscription.try_resolve_channel_endpoint_port() is None


def test_close_ends_everything_and_notifies_the_driver(driver, connect):
    closed = []
    aeron = connect(close_handler=lambda: closed.append(True))
    publication = aeron.add_publication("aeron:ipc", 1)
    subscription = aeron.add_subscription("aeron:ipc", 1)
    counter = aeron.add_counter(1, "x")
    aeron.close()
    aeron.close()
    driver.do_work()
    assert driver.commands[-1] == (
        Command.CLIENT_CLOSE,
        struct.pack("<qq", aeron.client_id, -1),
    )
    assert publication.is_closed
    assert subscription.is_closed
    assert counter.is_closed
    assert closed == [True]
    driver.event(Event.ON_CLIENT_TIMEOUT, "<q", aeron.client_id)
    assert aeron.conductor_agent.receive() is False
    publication.close()
    subscription.close()
    counter.close()
    with pytest.raises(ClosedError):
        aeron.next_correlation_id()


def test_objects_are_closed_in_a_forked_child(driver, aeron):
    publication = aeron.add_exclusive_publication("aeron:ipc", 1)
    subscription = aeron.add_subscription("aeron:ipc", 1001)
    driver.available_image(
        subscription.registration_id, 500, driver.log(500, "concurrent", 7, 1001)
    )
    turn(driver, aeron)
    counter = aeron.add_counter(1, "x")
    written = driver.ring.producer_position
    child = os.fork()
    if child == 0:
        dead = 0
        for call in (
            lambda: publication.offer(b"x"),
            lambda: subscription.poll(print),
            lambda: counter.set(1),
            lambda: aeron.add_publication("aeron:ipc", 1),
        ):
            try:
                call()
            except ClosedError:
                dead += 1
        aeron.close()
        publication.close()
        os._exit(dead)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 4
    assert driver.ring.producer_position == written
    assert publication.offer(b"x")


# ---- connecting ----


def test_a_missing_directory_is_a_timeout_with_the_cause(shm_dir):
    none = shm_dir / "none"
    start = re.escape(f"CnC file not created: {none}/cnc.dat: expected")
    remedy = (
        rf"start one \(aeron-cluster driver --dir {none}\), name the directory of one that runs"
    )
    with pytest.raises(DriverTimeoutError, match=f"^{start}.*found no directory; {remedy}"):
        Aeron.connect(aeron_dir=none, driver_timeout_ns=5_000_000)
    with pytest.raises(DriverTimeoutError, match="no such file"):
        Aeron.connect(aeron_dir=shm_dir, driver_timeout_ns=5_000_000)


def test_the_drivers_invoker_is_called_until_its_file_exists(shm_dir):
    calls = []
    with pytest.raises(DriverTimeoutError):
        Aeron.connect(
            aeron_dir=shm_dir,
            driver_timeout_ns=5_000_000,
            use_conductor_invoker=True,
            driver_invoker=lambda: calls.append(True),
        )
    assert calls


def test_an_unfinished_file_is_a_timeout_with_the_cause(shm_dir):
    (shm_dir / "cnc.dat").write_bytes(bytes(4096))
    with pytest.raises(DriverTimeoutError, match="not initialised"):
        Aeron.connect(aeron_dir=shm_dir, driver_timeout_ns=5_000_000)


def test_a_foreign_file_is_rejected(shm_dir):
    (shm_dir / "cnc.dat").write_bytes(struct.pack("<i", 512) + b"\xff" * 8188)
    with pytest.raises(CorruptError, match=r"cnc\.dat at 4"):
        Aeron.connect(aeron_dir=shm_dir, driver_timeout_ns=5_000_000)
    (shm_dir / "cnc.dat").write_bytes(b"\x7fELF" + bytes(8188))
    with pytest.raises(VersionError):
        Aeron.connect(aeron_dir=shm_dir, driver_timeout_ns=5_000_000)


@pytest.mark.parametrize(("heartbeat_ms", "found"), [(-1, "shut down"), (0, "none"), (5, "old")])
def test_a_dead_driver_is_a_timeout_with_the_cause(heartbeat_ms, found, driver):
    driver.ring.consumer_heartbeat_ms = heartbeat_ms
    with pytest.raises(DriverTimeoutError, match=found) as raised:
        Aeron.connect(aeron_dir=driver.directory, driver_timeout_ns=5_000_000)
    assert "process 1" in str(raised.value)


def test_an_unknown_option_is_rejected(driver):
    with pytest.raises(ConfigurationError, match="aeron_dir"):
        Aeron.connect(aeron_directory=driver.directory)


def test_a_separate_thread_drives_the_client(driver):
    with Aeron.connect(aeron_dir=driver.directory, driver_invoker=driver.do_work) as aeron:
        assert aeron.add_publication("aeron:ipc", 1).is_connected
    assert aeron.is_closed


def test_unexpected_error_on_the_clients_thread_is_reported(driver, connect, monkeypatch):
    errors = []
    aeron = connect(use_conductor_invoker=False, error_handler=errors.append)
    service = aeron._conductor.try_service

    def fail():
        monkeypatch.setattr(aeron._conductor, "try_service", service)
        raise LookupError("unexpected")

    monkeypatch.setattr(aeron._conductor, "try_service", fail)
    driver.event(Event.ON_OPERATION_SUCCESS, "<q", -9)
    await_true(lambda: errors, "the error is reported")
    assert [str(error) for error in errors] == ["unexpected"]
    driver.event(Event.ON_CLIENT_TIMEOUT, "<q", aeron.client_id)
    await_true(lambda: aeron.is_closed, "the thread continues")


def test_a_handler_may_close_the_client(driver, connect):
    aeron = connect()
    subscription = aeron.add_subscription(
        "aeron:ipc", 1001, available_image_handler=lambda _: aeron.close()
    )
    driver.available_image(
        subscription.registration_id, 500, driver.log(500, "concurrent", 7, 1001)
    )
    turn(driver, aeron)
    assert aeron.is_closed
    assert subscription.images == ()
