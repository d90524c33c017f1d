"""Messages as Python objects: encoding, decoding, rejected values."""

import mmap
import struct

import pytest

from aeron_cluster.codecs import archive, archive_mark, cluster, cluster_mark, node_state
from aeron_cluster.codecs.message import MAX_DATA_LENGTH
from aeron_cluster.errors import MessageError, UnknownMessageError

KEEP_ALIVE = {"leadership_term_id": 3, "cluster_session_id": 4}


def test_a_message_begins_with_its_header():
    encoded = cluster.SessionKeepAlive.encode(**KEEP_ALIVE)
    assert struct.unpack_from("<HHHHqq", encoded) == (16, 5, 111, 16, 3, 4)
    assert len(encoded) == 24


def test_decodes_by_template_into_the_class_of_the_message():
    message = cluster.decode(cluster.SessionKeepAlive.encode(**KEEP_ALIVE))
    assert type(message) is cluster.SessionKeepAlive
    assert (message.name, message.template_id) == ("SessionKeepAlive", 5)
    assert (message.leadership_term_id, message.cluster_session_id) == (3, 4)
    assert (message.acting_version, message.encoded_length) == (16, 24)
    assert message == cluster.SessionKeepAlive(**KEEP_ALIVE)
    assert repr(message) == "SessionKeepAlive(leadership_term_id=3, cluster_session_id=4)"


def test_matches_as_a_class_pattern():
    message = cluster.decode(cluster.SessionKeepAlive.encode(**KEEP_ALIVE))
    match message:
        case cluster.SessionKeepAlive(cluster_session_id=session_id):
            assert session_id == 4
        case _:
            pytest.fail("no match")


def test_omitted_fields_are_null_or_empty():
    message = cluster.decode(
        cluster.SessionConnectRequest.encode(correlation_id=1, response_stream_id=2)
    )
    assert message.version == 0
    assert message.response_channel == ""
    assert message.encoded_credentials == b""
    event = cluster.SessionEvent(
        cluster_session_id=1, correlation_id=2, leadership_term_id=3, leader_member_id=4, code=0
    )
    assert event.leader_heartbeat_timeout_ns == -(2**63)
    assert event.code is not cluster.EventCode.OK  # the given value, before encoding
    assert cluster.SessionEvent.decode(event.to_bytes()).code is cluster.EventCode.OK


def test_groups_hold_entries_or_mappings():
    entry = {
        "recording_id": 1,
        "leadership_term_id": 2,
        "term_base_log_position": 3,
        "log_position": 4,
        "timestamp": 5,
        "service_id": -1,
        "archive_endpoint": "host:1",
    }
    request = {"correlation_id": 1, "response_stream_id": 2, "version": 3}
    first = cluster.StandbySnapshot.encode(**request, snapshots=[entry, entry])
    entries = [cluster.StandbySnapshot.Snapshots(**entry)] * 2
    assert first == cluster.StandbySnapshot.encode(**request, snapshots=iter(entries))
    decoded = cluster.StandbySnapshot.decode(first)
    assert decoded.snapshots == entries
    assert decoded.as_dict()["snapshots"] == [entry, entry]
    with pytest.raises(MessageError, match="snapshots"):
        cluster.StandbySnapshot.encode(**request, snapshots=[decoded])
    with pytest.raises(MessageError, match="at most 65535"):
        cluster.StandbySnapshot.encode(**request, snapshots=[entry] * 65536)


def test_text_is_ascii_as_java_writes_and_reads_it():
    encoded = archive.StopRecordingRequest.encode(
        control_session_id=1, correlation_id=2, stream_id=3, channel="aeron:é"
    )
    assert encoded.endswith(b"\x07\0\0\0aeron:?")
    foreign = encoded[:-1] + b"\xe9"
    assert archive.StopRecordingRequest.decode(foreign).channel == "aeron:\ufffd"


def test_a_null_truth_value_is_false():
    assert not cluster.BooleanType.NULL_VALUE
    assert not cluster.BooleanType.FALSE
    assert cluster.BooleanType.TRUE


def test_data_longer_than_a_field_may_be_is_rejected():
    untouched = mmap.mmap(-1, MAX_DATA_LENGTH + 1)  # no memory is used
    with pytest.raises(MessageError, match=f"at most {MAX_DATA_LENGTH} bytes") as raised:
        archive.ChallengeResponse.encode(
            control_session_id=1, correlation_id=2, encoded_credentials=untouched
        )
    assert raised.value.found == MAX_DATA_LENGTH + 1


def test_encodes_into_a_writable_buffer():
    buffer = bytearray(b"\xff" * 32)
    length = cluster.SessionKeepAlive.encode_into(buffer, 4, **KEEP_ALIVE)
    assert length == 24
    assert buffer[:4] == buffer[28:] == b"\xff" * 4
    assert cluster.decode(buffer, 4).cluster_session_id == 4
    with pytest.raises(MessageError, match="room for 24 bytes"):
        cluster.SessionKeepAlive.encode_into(buffer, 9, **KEEP_ALIVE)
    with pytest.raises(MessageError, match="room for 24 bytes"):
        cluster.SessionKeepAlive.encode_into(buffer, -1, **KEEP_ALIVE)
    with pytest.raises(MessageError, match="a writable buffer"):
        cluster.SessionKeepAlive.encode_into(bytes(32), **KEEP_ALIVE)


def test_a_record_without_a_header():
    body = archive.CatalogHeader.encode_body(
        version=196864, length=32, next_recording_id=5, alignment=64, reserved=0
    )
    assert body == struct.pack("<iiqi12x", 196864, 32, 5, 64)
    header = archive.CatalogHeader.decode_body(b"--" + body, 2)
    assert header.next_recording_id == 5
    assert header.encoded_length == 32


def test_a_record_with_its_length_in_the_header():
    encoded = node_state.CandidateTerm.encode(candidate_term_id=-1, timestamp=-1, log_position=-1)
    assert struct.unpack_from("<HHHHii", encoded) == (24, 301, 112, 10, 40, 0)
    assert node_state.decode(encoded + bytes(24)).encoded_length == 40
    assert node_state.NodeStateFooter.encode() == struct.pack("<HHHHii", 0, 304, 112, 10, 16, 0)
    with pytest.raises(MessageError, match="a frame length"):
        node_state.decode(encoded[:-1])
    with pytest.raises(MessageError, match="a frame length"):
        node_state.decode(encoded[:8] + bytes(32))


def test_the_block_of_a_mark_file_is_longer_than_its_fields():
    assert cluster_mark.MarkFileHeader.block_length == 128
    assert archive_mark.MarkFileHeader.block_length == 128
    encoded = archive_mark.MarkFileHeader.encode(
        version=1,
        activity_timestamp=2,
        start_timestamp=3,
        pid=4,
        control_stream_id=5,
        local_control_stream_id=6,
        events_stream_id=7,
        archive_id=8,
        control_channel="a",
    )
    assert struct.unpack_from("<HHHH", encoded) == (128, 200, 100, 2)
    assert encoded[8 + 64 : 8 + 128] == bytes(64)
    assert encoded[8 + 128 :] == b"\x01\0\0\0a" + bytes(12)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"leadership_term_id": 3}, "cluster_session_id"),
        (KEEP_ALIVE | {"session_id": 1}, "session_id"),
        (KEEP_ALIVE | {"cluster_session_id": 2**63}, "integer of 64 bits"),
        (KEEP_ALIVE | {"cluster_session_id": "1"}, "integer of 64 bits"),
        (KEEP_ALIVE | {"cluster_session_id": 1.0}, "integer of 64 bits"),
        (KEEP_ALIVE | {"cluster_session_id": None}, "integer of 64 bits"),
    ],
)
def test_rejects_unfit_values(values, expected):
    with pytest.raises(MessageError, match=expected) as caught:
        cluster.SessionKeepAlive.encode(**values)
    assert isinstance(caught.value, ValueError)
    assert caught.value.message.startswith("cluster.SessionKeepAlive")


def test_rejects_variable_parts_of_the_wrong_type():
    with pytest.raises(MessageError, match="encoded_challenge: expected bytes"):
        cluster.Challenge.encode(correlation_id=1, cluster_session_id=2, encoded_challenge="text")
    with pytest.raises(MessageError, match="detail: expected str or bytes"):
        cluster.SessionEvent.encode(
            cluster_session_id=1,
            correlation_id=1,
            leadership_term_id=1,
            leader_member_id=1,
            code=cluster.EventCode.OK,
            detail=7,
        )


def test_rejects_a_value_outside_of_its_enumeration():
    values = {"leadership_term_id": 1, "cluster_session_id": 2, "timestamp": 3}
    with pytest.raises(MessageError, match=r"close_reason: expected CloseReason: CLIENT_ACTION"):
        cluster.SessionCloseEvent.encode(**values, close_reason=9)
    encoded = bytearray(cluster.SessionCloseEvent.encode(**values, close_reason=2))
    struct.pack_into("<i", encoded, len(encoded) - 4, 9)
    with pytest.raises(MessageError, match="CloseReason") as caught:
        cluster.decode(encoded)
    assert (caught.value.found, caught.value.offset) == (9, len(encoded) - 4)


def test_rejects_foreign_and_unknown_messages():
    encoded = cluster.SessionKeepAlive.encode(**KEEP_ALIVE)
    with pytest.raises(UnknownMessageError, match="schema id 101"):
        archive.decode(encoded)
    with pytest.raises(UnknownMessageError, match="template id 6"):
        cluster.NewLeaderEvent.decode(encoded)
    with pytest.raises(UnknownMessageError, match="a known template id, found 9999"):
        cluster.decode(struct.pack("<HHHH", 0, 9999, 111, 16))
    assert cluster.template_id_of(struct.pack("<HHHH", 0, 9999, 111, 16)) == 9999


@pytest.mark.parametrize("bounds", [(-1, None), (0, 25), (25, None), (0, -1), (4, 24)])
def test_rejects_bounds_outside_of_the_buffer(bounds):
    with pytest.raises(MessageError):
        cluster.decode(cluster.SessionKeepAlive.encode(**KEEP_ALIVE), *bounds)


def test_an_older_sender_has_no_newer_fields():
    # A version 1 connect request: before `version` (2) and `clientInfo` (14) were added.
    encoded = struct.pack("<HHHHqi", 12, 3, 111, 1, 7, 8)
    encoded += b"\x01\0\0\0c" + b"\x02\0\0\0xy"
    message = cluster.SessionConnectRequest.decode(encoded)
    assert message.as_dict() == {
        "correlation_id": 7,
        "response_stream_id": 8,
        "version": 0,
        "response_channel": "c",
        "encoded_credentials": b"xy",
        "client_info": "",
    }
    assert message.acting_version == 1


def test_a_field_newer_than_the_version_is_null_even_inside_the_block():
    encoded = bytearray(
        cluster.NewLeadershipTermEvent.encode(
            leadership_term_id=1,
            log_position=2,
            timestamp=3,
            term_base_log_position=4,
            leader_member_id=5,
            log_session_id=6,
            time_unit=cluster.ClusterTimeUnit.NANOS,
            app_version=7,
        )
    )
    struct.pack_into("<H", encoded, 6, 3)
    message = cluster.NewLeadershipTermEvent.decode(encoded)
    assert message.time_unit is cluster.ClusterTimeUnit.NULL_VALUE
    assert message.app_version == 0


def test_fields_added_by_a_newer_sender_are_skipped():
    encoded = struct.pack("<HHHHqqqq", 32, 1, 111, 99, 1, 2, 3, 4)
    message = cluster.SessionMessageHeader.decode(encoded)
    assert (message.timestamp, message.acting_version, message.encoded_length) == (3, 99, 40)


def test_entry_count_beyond_the_message_is_rejected():
    header = cluster.StandbySnapshot.encode(correlation_id=1, version=2, response_stream_id=3)[:-12]
    for block_length in (0, 44):
        with pytest.raises(MessageError, match="snapshots at"):
            cluster.decode(header + struct.pack("<HH", block_length, 65535) + bytes(64))


def test_every_template_is_known_once():
    counts = {
        schema.SCHEMA.name: len(schema.SCHEMA.messages)
        for schema in (archive, archive_mark, cluster, cluster_mark, node_state)
    }
    assert counts == {
        "archive": 50,
        "archive_mark": 1,
        "cluster": 54,
        "cluster_mark": 1,
        "node_state": 4,
    }
