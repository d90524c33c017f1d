"""The events that a driver logs, with real clients on its command ring and over loopback."""

import contextlib
import re
from pathlib import Path

import pytest

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.events.codes import DriverEvent
from aeron_cluster.events.event_log import EventLogReader
from aeron_cluster.events.text import decode_record
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.seams import SystemFiles

STREAM = 1001


class Logged:
    """A driver that logs all events, and a client of it."""

    def __init__(self, directory, stack, **options):
        self.driver = stack.enter_context(
            MediaDriver.launch(aeron_dir=str(directory), threading_mode="INVOKER", **options)
        )
        self.driver.invoker.start()
        self.aeron = stack.enter_context(
            Aeron.connect(
                aeron_dir=str(directory),
                use_conductor_invoker=True,
                driver_invoker=self.driver.invoker.invoke,
            )
        )

    def step(self):
        self.driver.invoker.invoke()
        self.aeron.conductor_agent_invoker.invoke()

    def until(self, condition):
        while not condition():
            self.step()

    def echo(self, subscription, publication, count=3):
        """Send messages until all are received."""
        received = []
        for _ in range(count):
            self.until(lambda: publication.offer(b"hello") > 0)
        while len(received) < count:
            self.step()
            subscription.poll(lambda *message: received.append(message), 10)


@pytest.fixture
def logged(shm_dir):
    @contextlib.contextmanager
    def open_driver(enabled="all", **options):
        with contextlib.ExitStack() as stack:
            lines = shm_dir / "lines.txt"
            yield Logged(
                shm_dir / "driver",
                stack,
                event_log=enabled,
                event_log_filename=str(lines),
                **options,
            )

    return open_driver


def events_of(directory):
    path = str(Path(directory) / "driver-events.dat")
    reader = EventLogReader(MappedFile.open(SystemFiles(), path), path)
    return [decode_record(*each) for each in reader.poll(100_000)]


def lines_of(events, name):
    return [event.line for event in events if event.event == name]


def test_streams_and_their_ends_are_logged(logged, shm_dir, free_port):
    port = free_port()
    channel = f"aeron:udp?endpoint=127.0.0.1:{port}|term-length=64k"
    with logged() as running:
        aeron = running.aeron
        subscription = aeron.add_subscription(channel, STREAM)
        publication = aeron.add_exclusive_publication(channel, STREAM)
        spy = aeron.add_subscription(f"aeron-spy:{channel}", STREAM)
        running.echo(subscription, publication)
        session_id = publication.session_id
        counter = aeron.add_counter(1100, "a counter")
        counter.close()
        publication.revoke()
        running.until(
            lambda: lines_of(events_of(running.driver.aeron_dir), "PUBLICATION_IMAGE_REVOKE")
        )
        subscription.close()
        spy.close()
        aeron.close()
        events = []

        def has_ended():
            running.driver.invoker.invoke()
            events[:] = events_of(running.driver.aeron_dir)
            return lines_of(events, "RECEIVE_CHANNEL_CLOSE")

        while not has_ended():
            pass
    names = {event.event for event in events}
    assert names >= {
        "CMD_IN_ADD_SUBSCRIPTION",
        "CMD_OUT_SUBSCRIPTION_READY",
        "CMD_IN_ADD_EXCLUSIVE_PUBLICATION",
        "CMD_OUT_EXCLUSIVE_PUBLICATION_READY",
        "CMD_OUT_AVAILABLE_IMAGE",
        "CMD_IN_ADD_COUNTER",
        "CMD_OUT_COUNTER_READY",
        "CMD_IN_REMOVE_COUNTER",
        "CMD_OUT_ON_UNAVAILABLE_COUNTER",
        "CMD_OUT_ON_OPERATION_SUCCESS",
        "CMD_IN_REMOVE_PUBLICATION",
        "CMD_IN_REMOVE_SUBSCRIPTION",
        "CMD_IN_CLIENT_CLOSE",
        "SEND_CHANNEL_CREATION",
        "RECEIVE_CHANNEL_CREATION",
        "PUBLICATION_REVOKE",
        "PUBLICATION_IMAGE_REVOKE",
        "REMOVE_SUBSCRIPTION_CLEANUP",
        "FRAME_IN",
        "FRAME_OUT",
    }
    (line,) = lines_of(events, "RECEIVE_CHANNEL_CREATION")
    assert line.endswith(f": localData: 0.0.0.0:0, remoteData: 127.0.0.1:{port}, ttl: 0")
    (line,) = lines_of(events, "PUBLICATION_REVOKE")
    assert line.endswith(f"sessionId={session_id} streamId={STREAM} channel={channel}")
    (line,) = lines_of(events, "PUBLICATION_IMAGE_REVOKE")
    assert line.endswith(f"sessionId={session_id} streamId={STREAM} channel={channel}")
    sent = [line for line in lines_of(events, "FRAME_OUT") if "type=SETUP" in line]
    received = [line for line in lines_of(events, "FRAME_IN") if "type=SETUP" in line]
    for line in (*sent, *received):
        assert f"sessionId={session_id} streamId={STREAM}" in line
    assert all(f"address=127.0.0.1:{port} " in line for line in sent)
    assert {"SETUP", "DATA", "SM"} <= {
        event.values["type"] for event in events if event.event == "FRAME_IN"
    }
    # The file has the same lines, after the first one.
    written = (shm_dir / "lines.txt").read_text().splitlines()[1:]
    assert written[: len(events)] == [event.line for event in events]


def test_naks_and_resends_are_logged(logged, free_port):
    channel = f"aeron:udp?endpoint=127.0.0.1:{free_port()}|term-length=64k|nak-delay=1us"
    enabled = "NAK_SENT,NAK_RECEIVED,RESEND"
    with logged(
        enabled,
        debug_receive_data_loss_rate="0.3",
        debug_receive_data_loss_seed=7,
    ) as running:
        subscription = running.aeron.add_subscription(channel, STREAM)
        publication = running.aeron.add_publication(channel, STREAM)
        found = []
        while len({event.event for event in found}) < 3:
            running.echo(subscription, publication, 20)
            found = events_of(running.driver.aeron_dir)
    for event in found:
        assert event.values["sessionId"] == publication.session_id
        assert event.values["streamId"] == STREAM
        assert event.values["channel"] == channel
        assert event.values["length"] > 0
    assert re.search(r" address=127\.0\.0\.1:\d+ sessionId=", lines_of(found, "NAK_SENT")[0])


def test_receivers_of_flow_control_are_logged(logged, free_port):
    control = f"control=127.0.0.1:{free_port()}|control-mode=dynamic"
    channel = f"aeron:udp?{control}|fc=min|term-length=64k"
    receiving = f"aeron:udp?endpoint=127.0.0.1:{free_port()}|{control}"
    enabled = "FLOW_CONTROL_RECEIVER_ADDED,FLOW_CONTROL_RECEIVER_REMOVED"
    with logged(enabled) as running:
        subscription = running.aeron.add_subscription(receiving, STREAM)
        publication = running.aeron.add_publication(channel, STREAM)
        running.echo(subscription, publication)
        subscription.close()
        found = []
        while len(found) < 2:
            running.step()
            found = events_of(running.driver.aeron_dir)
    added, removed = found
    assert (added.event, added.values["receiverCount"]) == ("FLOW_CONTROL_RECEIVER_ADDED", 1)
    assert (removed.event, removed.values["receiverCount"]) == ("FLOW_CONTROL_RECEIVER_REMOVED", 0)
    assert added.values["receiverId"] == removed.values["receiverId"] != 0
    assert added.values["channel"] == channel
    assert added.values["sessionId"] == publication.session_id


def test_a_lagging_untethered_subscription_is_logged(logged):
    channel = "aeron:ipc?term-length=64k"
    with logged(
        "UNTETHERED_SUBSCRIPTION_STATE_CHANGE",
        untethered_window_limit_timeout_ns="20ms",
        untethered_linger_timeout_ns="20ms",
        untethered_resting_timeout_ns="20ms",
        timer_interval_ns="1ms",
    ) as running:
        fast = running.aeron.add_subscription(channel, STREAM)
        slow = running.aeron.add_subscription(f"{channel}|tether=false", STREAM)
        publication = running.aeron.add_publication(channel, STREAM)
        found = []
        while len(found) < 3:
            running.echo(fast, publication, 1)
            publication.offer(bytes(1024))
            fast.poll(lambda *_: None, 10)
            found = events_of(running.driver.aeron_dir)
    assert [event.values["states"] for event in found[:3]] == [
        "ACTIVE -> LINGER",
        "LINGER -> RESTING",
        "RESTING -> ACTIVE",
    ]
    assert {event.values["subscriptionId"] for event in found} == {slow.registration_id}


def test_names_and_rejected_commands_are_logged(logged, free_port):
    endpoint = f"localhost:{free_port()}"
    enabled = "NAME_RESOLUTION_RESOLVE,NAME_RESOLUTION_LOOKUP,CMD_OUT_ERROR"
    with logged(enabled) as running:
        running.aeron.add_subscription(f"aeron:udp?endpoint={endpoint}", STREAM)
        with pytest.raises(AeronClusterError):
            running.aeron.add_subscription("aeron:udp?endpoint=no.such.host.invalid:1", STREAM)
        found = events_of(running.driver.aeron_dir)
    resolved = [event.values for event in found if event.event == "NAME_RESOLUTION_RESOLVE"]
    assert [(each["name"], each["address"], each["resolver"]) for each in resolved] == [
        ("localhost", "127.0.0.1", "default"),
        ("no.such.host.invalid", "unknown-address", "default"),
    ]
    assert all(each["durationNs"] > 0 and not each["isReResolution"] for each in resolved)
    # As a line of Java's: resolver=DefaultNameResolver durationNs=1083 name=localhost:24000
    # isReLookup=false resolvedName=localhost:24000
    names = [line.partition("]: ")[2] for line in lines_of(found, "NAME_RESOLUTION_LOOKUP")]
    assert names == [
        f"resolver=default durationNs=0 name={name} isReLookup=false resolvedName={name}"
        for name in (endpoint, "no.such.host.invalid:1")
    ]
    (line,) = lines_of(found, "CMD_OUT_ERROR")
    assert "errorCode=INVALID_CHANNEL message=" in line


def test_events_are_enabled_by_the_environment_of_the_c_driver(shm_dir, capsys):
    lines = shm_dir / "lines.txt"
    environment = {
        "AERON_EVENT_LOG": "admin,bogus",
        "AERON_EVENT_LOG_DISABLE": "CMD_OUT_ERROR",
        "AERON_EVENT_LOG_FILENAME": str(lines),
    }
    with MediaDriver.launch(
        aeron_dir=str(shm_dir / "driver"), threading_mode="INVOKER", environment=environment
    ):
        pass
    assert capsys.readouterr().err == "unknown event code: bogus\n"
    assert "enabled loggers: {DRIVER: version=1.51.0" in lines.read_text()


def test_a_driver_without_logged_events_has_no_log(shm_dir):
    with MediaDriver.launch(aeron_dir=str(shm_dir / "driver"), threading_mode="INVOKER"):
        assert not (shm_dir / "driver" / "driver-events.dat").exists()


def test_events_recorded_in_c_have_the_codes_of_the_table():
    codes = {
        name: int(code)
        for name, code in re.findall(
            r"EVENT_([A-Z_]+) = (\d+)",
            Path("aeron_cluster/events/event_log.pxd").read_text(),
        )
        if name in DriverEvent.__members__
    }
    assert len(codes) >= 7
    assert codes == {name: DriverEvent[name] for name in codes}
