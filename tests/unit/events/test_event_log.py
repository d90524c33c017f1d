"""The file of an event log: its producers, its consumer and readers of other processes."""

import struct

import pytest

from aeron_cluster.codecs import archive as codecs
from aeron_cluster.errors import CorruptError, VersionError
from aeron_cluster.events.codes import ArchiveEvent, ComponentType
from aeron_cluster.events.event_log import EventLog, EventLogReader
from aeron_cluster.events.text import decode_record
from aeron_cluster.memory.system.seams import SystemClock

CAPACITY = 65536
HEADER = struct.Struct("<iiq")


def new_log(enabled=1 << 3, capacity=CAPACITY):
    memory = bytearray(EventLog.file_length(capacity))
    return memory, EventLog(memory, SystemClock(), component=2, enabled=enabled, pid=42)


def consumer(memory):
    return EventLogReader(memory, "log", is_consumer=True)


def bodies(records):
    return [record[HEADER.size :] for _, record in records]


def test_a_record_has_its_type_its_lengths_and_its_time():
    memory, log = new_log()
    begin_ns = SystemClock().nano_time()
    log.write(3, b"abc")
    log.write(4, b"defg", 9000)
    (first, record), (second, other) = EventLogReader(memory, "log").poll(10)
    assert (first, second) == (3, 4)
    captured, length, time_ns = HEADER.unpack_from(record)
    assert (captured, length, record[16:]) == (3, 3, b"abc")
    assert begin_ns <= time_ns <= SystemClock().nano_time()
    assert HEADER.unpack_from(other)[:2] == (4, 9000)


def test_the_header_names_component_process_and_times():
    memory, _ = new_log()
    reader = EventLogReader(memory, "log")
    assert (reader.component, reader.pid) == (2, 42)
    assert 0 <= SystemClock().epoch_ms() - reader.start_ms < 60_000
    assert 0 <= SystemClock().nano_time() - reader.start_ns < 60 * 10**9


@pytest.mark.parametrize("length", [CAPACITY - 8, 3 << 15, 0])
def test_memory_of_an_impossible_length_is_rejected(length):
    memory = bytearray(EventLog.file_length(length))
    with pytest.raises(ValueError, match=f"event log of {len(memory)} bytes"):
        EventLog(memory, SystemClock(), component=2, enabled=1, pid=42)


def test_only_the_given_events_are_enabled():
    _, log = new_log(enabled=1 << 3 | 1 << 60)
    assert [event for event in range(1, 64) if log.is_enabled(event)] == [3, 60]
    assert log.is_enabled(1 << 16 | 3)


def test_more_than_the_limit_is_not_captured():
    memory, log = new_log()
    log.write(3, bytes(9000))
    ((_, record),) = consumer(memory).poll(1)
    assert HEADER.unpack_from(record)[:2] == (4079, 9000)
    assert len(record) == 16 + 4079


def test_a_full_buffer_drops_and_counts():
    memory, log = new_log()
    for _ in range(2 * CAPACITY // 128):
        log.write(3, bytes(104))
    assert log.dropped_count == CAPACITY // 128
    reader = consumer(memory)
    assert reader.dropped_count == log.dropped_count
    assert len(reader.poll(10_000)) == CAPACITY // 128
    log.write(3, b"again")
    assert bodies(reader.poll(10)) == [b"again"]


def test_every_record_is_read_in_order_over_many_wraps():
    memory, log = new_log()
    reader = consumer(memory)
    found = []
    for number in range(5000):
        log.write(3, struct.pack("<i", number) + bytes(number % 700))
        if number % 7 == 0:
            found += bodies(reader.poll(100))
    found += bodies(reader.poll(100))
    assert [struct.unpack_from("<i", each)[0] for each in found] == list(range(5000))
    assert log.dropped_count == reader.lost_count == 0


def test_another_process_reads_what_the_consumer_has_read():
    memory, log = new_log()
    reader = consumer(memory)
    for number in range(1000):
        log.write(3, struct.pack("<i", number) + bytes(100))
        reader.poll(100)
    found = bodies(EventLogReader(bytes(memory), "log").poll(10_000))
    numbers = [struct.unpack_from("<i", each)[0] for each in found]
    assert numbers == list(range(1000 - len(numbers), 1000))
    assert len(numbers) * 136 > CAPACITY // 4


def test_a_slow_reader_continues_with_the_oldest_record_and_is_notified():
    memory, log = new_log()
    owner, other = consumer(memory), EventLogReader(memory, "log")
    log.write(3, b"first")
    assert bodies(other.poll(1)) == [b"first"]
    for number in range(2000):
        log.write(3, struct.pack("<i", number) + bytes(100))
        owner.poll(100)
    numbers = [struct.unpack_from("<i", each)[0] for each in bodies(other.poll(10_000))]
    assert other.lost_count == 1
    assert numbers == list(range(numbers[0], 2000))
    assert numbers[0] > 0


def test_a_record_that_is_still_written_is_awaited():
    memory, log = new_log()
    reader = EventLogReader(memory, "log")
    log.write(3, b"one")
    struct.pack_into("<i", memory, 4096, -27)
    assert reader.poll(1) == []
    struct.pack_into("<i", memory, 4096, 27)
    assert bodies(reader.poll(1)) == [b"one"]


def test_a_log_of_a_process_killed_while_releasing_is_read():
    memory, log = new_log()
    for number in range(10):
        log.write(3, struct.pack("<i", number) + bytes(4))
    # 32 bytes a record: three are released, their bytes are zero, the consumer's position is not.
    struct.pack_into("<q", memory, 128, 96)
    memory[4096 : 4096 + 96] = bytes(96)
    found = bodies(EventLogReader(memory, "log").poll(100))
    assert [struct.unpack_from("<i", each)[0] for each in found] == list(range(3, 10))


@pytest.mark.parametrize("length", [0, 100, 4096, 4096 + 768, EventLog.file_length(CAPACITY) - 1])
def test_a_truncated_file_is_rejected(length):
    memory, _ = new_log()
    with pytest.raises(CorruptError, match="log at"):
        EventLogReader(bytes(memory[:length]), "log")


def test_another_file_is_rejected():
    with pytest.raises(CorruptError, match="magic number"):
        EventLogReader(b"#!/bin/sh\n" * 7000, "log")


def test_another_version_is_rejected():
    memory, _ = new_log()
    struct.pack_into("<i", memory, 8, 2)
    with pytest.raises(VersionError, match="version 2"):
        EventLogReader(memory, "log")


@pytest.mark.parametrize("length", [-8, 0, 3, 7, 2**31 - 1, 70000])
def test_a_damaged_length_never_leads_outside(length):
    memory, log = new_log()
    log.write(3, b"one")
    struct.pack_into("<i", memory, 4096, length)
    assert EventLogReader(memory, "log").poll(10) == []


def test_a_record_of_an_event_with_another_message_is_shown_as_bytes():
    message = codecs.StopReplicationRequest.encode(
        control_session_id=1, correlation_id=2, replication_id=3
    )
    record = HEADER.pack(len(message), len(message), 0) + message
    code = ComponentType.ARCHIVE << 16 | ArchiveEvent.CMD_IN_REPLICATE & 0xFFFF
    found = decode_record(code, record)
    assert found.values == {"hex": message.hex()}
