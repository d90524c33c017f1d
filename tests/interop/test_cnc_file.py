"""A CnC file that Java writes is read by our code, and the reverse."""

import threading
import time

import pytest

from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.shared.commands import Command, Event
from aeron_cluster.memory.shared.counters_layout import CounterType
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles


@pytest.fixture
def files():
    return SystemFiles()


def counters_of(peer):
    return {
        event["id"]: (
            event["typeId"],
            event["registrationId"],
            event["ownerId"],
            event["referenceId"],
            event["label"],
        )
        for event in peer.events
        if event["event"] == "counter"
    }


def test_reads_a_java_drivers_file(java, shm_dir, files):
    directory = shm_dir / "driver"
    java.start("Driver", dir=directory, idle="backoff").await_event("READY")
    inspected = java.run("Inspect", what="cnc", dir=directory)
    reported = inspected.await_event("cnc")

    assert CncFile.is_ready(files, directory / "cnc.dat")
    with CncFile.open(files, directory / "cnc.dat") as cnc:
        assert cnc.version == reported["version"]
        assert cnc.pid == reported["pid"]
        assert cnc.start_timestamp_ms == reported["startTimestamp"]
        assert cnc.client_liveness_timeout_ns == reported["clientLivenessTimeoutNs"]
        assert cnc.file_page_size == reported["filePageSize"]
        assert cnc.section_lengths == (
            reported["toDriverLength"],
            reported["toClientsLength"],
            reported["countersMetaDataLength"],
            reported["countersValuesLength"],
            reported["errorLogLength"],
        )
        assert cnc.is_driver_active(SystemClock().epoch_ms(), 60_000)
        found = {
            each.counter_id: (
                each.type_id,
                each.registration_id,
                each.owner_id,
                each.reference_id,
                each.label,
            )
            for each in cnc.counters_reader().counters()
        }
        assert len(found) > 40
        assert found == counters_of(inspected)
        assert cnc.error_log().entries() == []


def test_java_reads_our_file(java, shm_dir, files):
    with CncFile.create(
        files,
        shm_dir / "cnc.dat",
        client_liveness_timeout_ns=7_000_000_000,
        start_timestamp_ms=1_700_000_000_123,
        pid=4321,
        counters_values_buffer_length=1024 * 1024,
    ) as cnc:
        manager = cnc.counters_manager()
        manager.allocate("Bytes sent", 0, now_ms=0, owner_id=-1, value=12)
        freed = manager.allocate("freed", 1, now_ms=0)
        manager.allocate(
            "snd-pos: 5 6 7 aeron:udp?endpoint=localhost:1",
            CounterType.COUNTER_TYPE_SENDER_POSITION,
            b"key",
            now_ms=0,
            registration_id=5,
            owner_id=2**62,
            reference_id=-9,
            value=-1,
        )
        manager.free(freed, now_ms=0)
        heartbeat = manager.allocate("client-heartbeat: id=1", 11, now_ms=1000)
        manager.append_to_label(heartbeat, " name=x")
        log = cnc.error_log()
        log.record("first", now_ms=10)
        log.record(ValueError("second"), now_ms=20)
        log.record("first", now_ms=30)
        cnc.signal_ready(1)

    inspected = java.run("Inspect", what="cnc", dir=shm_dir)

    reported = inspected.await_event("cnc")
    assert reported["version"] == 512
    assert reported["pid"] == 4321
    assert reported["startTimestamp"] == 1_700_000_000_123
    assert reported["clientLivenessTimeoutNs"] == 7_000_000_000
    assert reported["filePageSize"] == 4096
    assert reported["countersValuesLength"] == 1024 * 1024
    assert counters_of(inspected) == {
        0: (0, 0, -1, 0, "Bytes sent"),
        1: (11, 0, 0, 0, "client-heartbeat: id=1 name=x"),
        2: (2, 5, 2**62, -9, "snd-pos: 5 6 7 aeron:udp?endpoint=localhost:1"),
    }
    values = {each["id"]: each["value"] for each in inspected.events if each["event"] == "counter"}
    assert values == {0: 12, 1: 0, 2: -1}
    logged = [each for each in inspected.events if each["event"] == "loggedError"]
    assert [(each["observations"], each["first"], each["last"]) for each in logged] == [
        (2, 10, 30),
        (1, 20, 20),
    ]
    assert [each["message"] for each in logged] == ["first", "ValueError: second"]


def await_value(read, timeout_s=120.0):
    """Poll until a value is found; return it."""
    deadline = time.monotonic() + timeout_s
    pause = threading.Event()
    while not (found := read()):
        assert time.monotonic() < deadline, "timeout"
        pause.wait(0.001)
    return found


def test_a_java_driver_answers_a_command_in_our_ring(java, shm_dir, files):
    directory = shm_dir / "driver"
    # This client sends no keepalive. The timeout must be below that of unblocking publications,
    # 15 s by default.
    driver = java.start("Driver", dir=directory, idle="backoff", clientLivenessMs=14_000)
    driver.await_event("READY")
    with CncFile.open(files, directory / "cnc.dat") as cnc:
        ring = cnc.to_driver()
        events = cnc.to_clients_receiver()
        counters = cnc.counters_reader()
        client_id = ring.next_correlation_id()
        assert client_id == 1

        # Add a counter: type, key, label.
        correlation_id = ring.next_correlation_id()
        key, label = b"\1\2\3\4", b"ours in Java's driver"
        command = client_id.to_bytes(8, "little") + correlation_id.to_bytes(8, "little")
        command += (1234).to_bytes(4, "little") + len(key).to_bytes(4, "little") + key
        command += len(label).to_bytes(4, "little") + label
        assert ring.write(Command.ADD_COUNTER, command)

        # The driver's first answer is the client's heartbeat counter, under the client's id.
        kind, body = await_value(events.receive)
        assert kind == Event.ON_COUNTER_READY
        heartbeat_id = int.from_bytes(body[8:12], "little")
        assert counters.type_id(heartbeat_id) == CounterType.COUNTER_TYPE_CLIENT_HEARTBEAT
        assert counters.label(heartbeat_id) == "client-heartbeat: id=1"
        kind, body = await_value(events.receive)
        assert kind == Event.ON_COUNTER_READY
        assert int.from_bytes(body[:8], "little") == correlation_id
        counter_id = int.from_bytes(body[8:12], "little")
        assert counters.find(1234, correlation_id) == counter_id
        assert counters.label(counter_id) == label.decode()
        assert counters.key(counter_id)[:4] == key
        assert counters.owner_id(counter_id) == client_id

        # An invalid command is answered too, and appears in the error log that we read.
        ring.write(0x7777, command[:16])
        kind, body = await_value(events.receive)
        assert kind == Event.ON_ERROR
        assert await_value(cnc.error_log().entries)[0].observation_count == 1
        # The driver advances the head of the ring after its answers.
        assert await_value(lambda: ring.size == 0)
        before = ring.consumer_heartbeat_ms
        assert await_value(lambda: ring.consumer_heartbeat_ms > before)
