"""Lines and records against those of the real Java agent (tests/golden/events.jsonl)."""

import json
import struct

import pytest

from aeron_cluster.events.codes import EVENT_TYPES, ArchiveEvent, ComponentType, DriverEvent
from aeron_cluster.events.layouts import LAYOUTS, MAX_CAPTURE_LENGTH
from aeron_cluster.events.text import decode_record
from tests.golden.vectors import event_vectors

VECTORS = event_vectors()


def event_of(vector):
    return EVENT_TYPES[ComponentType(vector["type"])](vector["type"] << 16 | vector["code"])


@pytest.mark.parametrize("vector", VECTORS, ids=lambda each: each["name"])
def test_a_record_is_printed_as_by_java(vector):
    record = decode_record(vector["type"] << 16 | vector["code"], bytes.fromhex(vector["hex"]))
    assert record.line == vector["line"]
    assert record.event == vector["name"] == event_of(vector).name
    json.dumps(record.values)


def test_every_event_has_a_vector_of_java():
    found = {event_of(vector) for vector in VECTORS}
    assert found == {event for events in EVENT_TYPES.values() for event in events}


@pytest.mark.parametrize(
    "vector",
    [vector for vector in VECTORS if event_of(vector) in LAYOUTS and "CMD_" not in vector["name"]],
    ids=lambda each: each["name"],
)
def test_values_are_encoded_as_by_java(vector):
    layout = LAYOUTS[event_of(vector)]
    record = bytes.fromhex(vector["hex"])
    captured, length, _ = struct.unpack_from("<iiq", record)
    values = layout.decode(record[16:])
    given = {field.keyword: _given(field.kind, values[field.name]) for field in layout.fields}
    data, encoded_length = layout.encode(given)
    if captured == length:
        assert data == record[16:]
        assert encoded_length == length
    else:
        assert len(data) == MAX_CAPTURE_LENGTH


def _given(kind, value):
    """Return what the code that records an event passes for a value."""
    if kind == "a":
        host, _, port = value.rpartition(":")
        return host.strip("[]"), int(port)
    if kind == "A":
        return None if value == "unknown-address" else value
    return value


def test_the_longest_text_is_truncated_to_the_limit():
    layout = LAYOUTS[ArchiveEvent.REPLAY_SESSION_ERROR]
    values = {"session_id": 1, "recording_id": 2, "error_message": "x" * 9000}
    data, length = layout.encode(values)
    assert (len(data), length) == (MAX_CAPTURE_LENGTH, 9020)
    assert layout.decode(data)["errorMessage"].endswith("xxx...")


def test_a_text_of_a_peer_cannot_add_a_line():
    layout = LAYOUTS[DriverEvent.TEXT_DATA]
    data, length = layout.encode({"text": "one\ntwo\x1b[2J"})
    record = struct.pack("<iiq", len(data), length, 1_500_000_000) + data
    line = decode_record(DriverEvent.TEXT_DATA, record).line
    assert line == "[1.500000000] DRIVER: TEXT_DATA [15/15]: one\\x0atwo\\x1b[2J"


@pytest.mark.parametrize("event", [DriverEvent.CMD_IN_ADD_COUNTER, ArchiveEvent.CMD_IN_CONNECT])
@pytest.mark.parametrize("length", [0, 3, 11])
def test_a_record_that_cannot_be_decoded_is_printed_in_hexadecimal(event, length):
    record = struct.pack("<iiq", length, length, 0) + b"\xff" * length
    line = decode_record(event, record).line
    assert line.endswith(f"{event.name} [{length}/{length}]: {'ff' * length}")


def test_an_unknown_type_is_printed_with_its_number():
    record = decode_record(7 << 16 | 9, struct.pack("<iiq", 0, 0, 0))
    assert record.line.startswith("[0.000000000] Unknown EventCodeType: 7: code 9 [0/0]")


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (-1, "UNKNOWN_CODE_VALUE"),
        (1, "INVALID_CHANNEL"),
        (4, "CHANNEL_ENDPOINT_ERROR"),
        (11, "GENERIC_ERROR"),
        (12, "STORAGE_SPACE"),
        (77, "UNKNOWN_CODE_VALUE"),
    ],
)
def test_error_codes_have_the_names_of_java(code, name):
    vector = next(each for each in VECTORS if each["name"] == "CMD_OUT_ERROR")
    record = bytearray.fromhex(vector["hex"])
    struct.pack_into("<i", record, 16 + 8, code)
    assert f"errorCode={name} " in decode_record(DriverEvent.CMD_OUT_ERROR, bytes(record)).line


ENTRY = struct.pack("<BBHi", 1, 128, 8050, 7) + bytes([10, 0, 0, 9]) + struct.pack("<H", 2) + b"ab"


@pytest.mark.parametrize("length", [8, 13])
def test_a_truncated_entry_of_a_resolution_frame_is_counted_in_bytes(length):
    body = ENTRY + ENTRY[:length]
    frame = struct.pack("<iBBH", 8 + 2 * len(ENTRY), 0, 0, 7) + body
    data = struct.pack("<ii", 8050, 4) + bytes([10, 0, 0, 1]) + frame
    record = struct.pack("<iiq", len(data), len(data) + len(ENTRY) - length, 0) + data
    line = decode_record(DriverEvent.FRAME_IN, record).line
    assert "address=10.0.0.1:8050 type=RES" in line
    assert line.endswith(f"address=10.0.0.9 name=ab] ... {length} bytes left")
