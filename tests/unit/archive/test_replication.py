"""A recording replicated from another archive: the copied data and the reported signals."""

import contextlib
import errno

import pytest

from aeron_cluster.archive.client.replication_params import ReplicationParams
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.replication import replication_session
from aeron_cluster.archive.waiting import list_recording
from aeron_cluster.client.security import DefaultAuthenticator
from aeron_cluster.codecs import archive as codecs
from aeron_cluster.codecs.archive import RecordingSignal
from aeron_cluster.errors import ArchiveError, MessageError
from aeron_cluster.events.codes import ArchiveEvent, ComponentType
from aeron_cluster.events.event_log import EventLog, EventLogReader
from aeron_cluster.events.recorder import EventRecorder
from aeron_cluster.events.text import decode_record
from aeron_cluster.memory.system.seams import SystemClock
from aeron_cluster.simulator.world.link_faults import LinkFaults
from tests.golden.vectors import differing_changes
from tests.unit.archive.pair_rig import CONTROL_STREAM_ID, MS, SEGMENT_LENGTH, TERM_LENGTH, Pair, S

BAD_WIRE = LinkFaults(
    loss=0.05, duplicate=0.05, truncate=0.01, min_delay_ns=MS // 20, max_delay_ns=MS
)


@pytest.fixture
def make():
    with contextlib.ExitStack() as stack:
        yield lambda *arguments, **options: stack.enter_context(
            contextlib.closing(Pair(*arguments, **options))
        )


@pytest.fixture
def pair(make):
    return make()


def replicate(pair, recording_id, **params):
    pair.dst.signals.clear()
    return pair.dst.archive.replicate(
        recording_id, CONTROL_STREAM_ID, pair.src.control_channel, ReplicationParams(**params)
    )


def signals_of(pair, replication_id):
    """Return name, recording id and position of a replication's signals, in order."""
    return [
        (name, signal.recording_id, signal.position)
        for name, signal in zip(pair.dst.signal_names(), pair.dst.signals, strict=True)
        if signal.correlation_id == replication_id
    ]


def assert_equal_recordings(pair, src_id, dst_id):
    src = pair.src.archive.list_recording(src_id)
    dst = pair.dst.archive.list_recording(dst_id)
    assert (dst.start_position, dst.stop_position) == (src.start_position, src.stop_position)
    assert pair.dst.segment_bytes(dst_id) == pair.src.segment_bytes(src_id)


def test_copies_a_stopped_recording_and_reports_it(pair):
    src_id, stop = pair.src.finished(300)
    replication_id = replicate(pair, src_id)
    pair.dst.await_signal("STOP")
    assert signals_of(pair, replication_id) == [
        ("REPLICATE", 0, 0),
        ("EXTEND", 0, 0),
        ("SYNC", 0, stop),
        ("REPLICATE_END", 0, -1),
        ("STOP", 0, stop),
    ]
    assert_equal_recordings(pair, src_id, 0)
    src = pair.src.archive.list_recording(src_id)
    dst = pair.dst.archive.list_recording(0)
    for name in ("initial_term_id", "mtu_length", "term_buffer_length", "segment_file_length"):
        assert getattr(dst, name) == getattr(src, name)
    assert dst.original_channel == src.original_channel
    assert (pair.dst.errors, pair.dst.late_errors, pair.src.errors) == ([], [], [])


def test_changes_of_states_are_those_of_a_replication_of_java(pair, monkeypatch):
    lines = []
    enter = replication_session.ReplicationSession._enter

    def on_enter(session, state, reason):
        change = f'{session.state.name} -> {state.name} reason="{reason}"'
        lines.append(f"ARCHIVE: REPLICATION_SESSION_STATE_CHANGE [0/0]: {change}")
        enter(session, state, reason)

    monkeypatch.setattr(replication_session.ReplicationSession, "_enter", on_enter)
    src_id, _ = pair.src.finished(300)
    replicate(pair, src_id)
    pair.dst.await_signal("STOP")
    assert len(lines) == 8
    assert differing_changes(lines, ()) == []


@pytest.mark.parametrize("is_stopped", [True, False])
def test_end_of_a_copy_is_in_the_event_log(pair, is_stopped):
    memory = bytearray(EventLog.file_length(65536))
    enabled = 1 << (ArchiveEvent.REPLICATION_SESSION_DONE & 0xFFFF)
    log = EventLog(memory, SystemClock(), component=ComponentType.ARCHIVE, enabled=enabled, pid=1)
    pair.dst.both.archive.context.events = EventRecorder(log)
    publication, src_id = pair.src.record()
    stop = pair.src.publish(publication, 100)
    pair.src.await_recorded(src_id, stop)
    if is_stopped:
        publication.close()
        pair.src.await_signal("STOP")
    replication_id = replicate(pair, src_id)
    pair.dst.await_signal("EXTEND")
    pair.dst.await_recorded(0, stop)
    publication.close()
    pair.dst.await_signal("STOP")
    [record] = EventLogReader(memory, "archive-events.dat").poll(10)
    text = decode_record(*record).line.partition("ARCHIVE: REPLICATION_SESSION_DONE ")[2]
    fields = dict(each.split("=") for each in text.split()[1:])
    assert fields == {
        "controlSessionId": str(pair.dst.archive.control_session_id),
        "replicationId": str(replication_id),
        "srcRecordingId": str(src_id),
        "replayPosition": "0",
        "srcStopPosition": str(stop if is_stopped else -1),
        "dstRecordingId": "0",
        "dstStopPosition": "-1",
        "position": str(stop),
        "isClosed": "false",
        "isEndOfStream": str(not is_stopped).lower(),
        "isSynced": str(is_stopped).lower(),
    }


def test_continues_a_copy_from_its_end(pair):
    src_id, stop = pair.src.finished(300)
    replicate(pair, src_id, stop_position=stop // 2)
    pair.dst.await_signal("STOP")
    middle = pair.dst.archive.get_stop_position(0)
    assert stop // 2 <= middle < stop // 2 + 1056
    replication_id = replicate(pair, src_id, dst_recording_id=0)
    pair.dst.await_signal("STOP")
    assert signals_of(pair, replication_id) == [
        ("EXTEND", 0, middle),
        ("SYNC", 0, stop),
        ("REPLICATE_END", 0, -1),
        ("STOP", 0, stop),
    ]
    assert_equal_recordings(pair, src_id, 0)


@pytest.mark.parametrize("count", [101, 130, 200])
def test_continued_copy_ends_at_its_stop_position(pair, count):
    src_id, _ = pair.src.finished(300)
    replicate(pair, src_id, stop_position=100 * 1056)
    pair.dst.await_signal("STOP")
    terms, rest = divmod(count, TERM_LENGTH // 1056)
    stop = terms * TERM_LENGTH + rest * 1056
    replicate(pair, src_id, dst_recording_id=0, stop_position=stop)
    pair.dst.await_signal("STOP")
    assert pair.dst.archive.get_stop_position(0) == stop


def test_ends_at_a_stop_position_without_being_in_sync(pair):
    src_id, stop = pair.src.finished(300)
    position = 10 * 1056
    replication_id = replicate(pair, src_id, stop_position=position)
    pair.dst.await_signal("STOP")
    assert stop > position
    assert signals_of(pair, replication_id) == [
        ("REPLICATE", 0, 0),
        ("EXTEND", 0, 0),
        ("REPLICATE_END", 0, -1),
        ("STOP", 0, position),
    ]


def test_a_complete_copy_is_in_sync_at_once(pair):
    src_id, stop = pair.src.finished(20)
    replicate(pair, src_id)
    pair.dst.await_signal("STOP")
    replication_id = replicate(pair, src_id, dst_recording_id=0)
    pair.dst.await_signal("REPLICATE_END")
    assert signals_of(pair, replication_id) == [("SYNC", 0, stop), ("REPLICATE_END", 0, -1)]


def test_an_empty_recording_is_copied_without_a_replay(pair):
    src_id, stop = pair.src.finished(0)
    replication_id = replicate(pair, src_id)
    pair.dst.await_signal("REPLICATE_END")
    assert signals_of(pair, replication_id) == [
        ("REPLICATE", 0, 0),
        ("SYNC", 0, stop),
        ("REPLICATE_END", 0, -1),
    ]
    assert pair.dst.archive.get_stop_position(0) == 0


def test_an_empty_copy_takes_its_descriptor_from_the_source(pair):
    src_id, stop = pair.src.finished(50, stream_id=7)
    dst_id, _ = pair.dst.finished(0, stream_id=8)
    pair.dst.finished(10, stream_id=9)
    replicate(pair, src_id, dst_recording_id=dst_id)
    pair.dst.await_signal("STOP")
    assert_equal_recordings(pair, src_id, dst_id)
    assert pair.dst.archive.list_recording(dst_id).stream_id == 7
    assert pair.dst.archive.get_stop_position(dst_id) == stop
    assert pair.dst.archive.list_recording(1).stream_id == 9


@pytest.mark.parametrize("dst_position", [0, 4096, 3 * TERM_LENGTH])
@pytest.mark.parametrize("src_position", [0, 4096, 2 * TERM_LENGTH])
def test_an_empty_copy_begins_where_its_source_does(pair, src_position, dst_position):
    src_id, _ = pair.src.finished(50, channel=beginning_at(src_position))
    dst_id, _ = pair.dst.finished(0, channel=beginning_at(dst_position))
    assert pair.dst.archive.get_stop_position(dst_id) == dst_position
    replicate(pair, src_id, dst_recording_id=dst_id)
    pair.dst.await_signal("STOP")
    assert pair.dst.archive.get_start_position(dst_id) == src_position
    assert_equal_recordings(pair, src_id, dst_id)


def beginning_at(position):
    """Return a channel for a stream that begins at a position."""
    term_id, offset = divmod(position, TERM_LENGTH)
    return f"aeron:ipc?init-term-id=0|term-id={term_id}|term-offset={offset}|term-length=64k"


def test_follows_a_live_recording_to_its_end(pair):
    publication, src_id = pair.src.record()
    pair.src.publish(publication, 100)
    replication_id = replicate(pair, src_id)
    pair.dst.await_signal("EXTEND")
    stop = pair.src.publish(publication, 100)
    pair.dst.await_recorded(0, stop)
    publication.close()
    pair.dst.await_signal("STOP")
    assert signals_of(pair, replication_id)[2:] == [
        ("REPLICATE_END", 0, -1),
        ("STOP", 0, stop),
    ]
    assert_equal_recordings(pair, src_id, 0)


def test_end_of_a_live_recording_is_copied_at_once(pair):
    """The end of the stream is received: no timeout of a lost stream has to pass."""
    publication, src_id = pair.src.record()
    stop = pair.src.publish(publication, 100)
    replicate(pair, src_id)
    pair.dst.await_signal("EXTEND")
    pair.dst.await_recorded(0, stop)
    publication.close()
    pair.src.await_signal("STOP")
    ended_ns = pair.world.time.now_ns
    pair.dst.await_signal("STOP")
    assert pair.world.time.now_ns - ended_ns < S
    assert pair.dst.archive.get_stop_position(0) == stop


LIVE = "aeron:udp?control=src:40456|control-mode=dynamic"


@pytest.mark.parametrize("tags", [{}, {"channel_tag_id": 5, "subscription_tag_id": 6}])
def test_merges_with_a_live_stream_and_continues_with_it(pair, tags):
    publication, src_id = pair.src.record(channel=f"{LIVE}|term-length=64k|fc=max|ssc=true")
    pair.src.publish(publication, 100)
    replication_id = replicate(pair, src_id, live_destination=f"{LIVE}|endpoint=dst:0", **tags)
    sent = 100
    while "REPLICATE_END" not in pair.dst.signal_names():
        assert sent < 1000
        pair.src.publish(publication, 1, start=sent)
        sent += 1
        next_ns = pair.world.time.now_ns + 20 * MS
        pair.run_until(lambda next_ns=next_ns: pair.world.time.now_ns >= next_ns)
    found = signals_of(pair, replication_id)
    assert [name for name, _, _ in found] == ["REPLICATE", "EXTEND", "MERGE", "REPLICATE_END"]
    assert found[2][2] <= publication.position
    stop = pair.src.publish(publication, 50)
    pair.dst.await_recorded(0, stop)
    publication.close()
    pair.dst.await_signal("STOP")
    assert signals_of(pair, replication_id)[-1] == ("STOP", 0, stop)
    assert_equal_recordings(pair, src_id, 0)


def test_live_stream_is_joined_within_a_quarter_of_a_term(pair):
    """Further ahead it would be beyond the window, or a flow control would slow it down for it."""
    publication, src_id = pair.src.record(channel=f"{LIVE}|term-length=64k|fc=max|ssc=true")
    pair.src.publish(publication, 100)
    hosts = [side.machine.network for side in (pair.src, pair.dst)]
    delay = LinkFaults(min_delay_ns=50 * MS, max_delay_ns=50 * MS)
    pair.world.wire.set_faults(*hosts, delay)
    replicate(pair, src_id, live_destination=f"{LIVE}|endpoint=dst:0")
    pair.dst.await_signal("EXTEND")
    drive_for(pair, 100 * MS)
    socket_count = pair.world.wire.open_sockets(hosts[1])
    sent = 100
    while sent < 1100:
        # Faster than it is replayed: the copy is always further behind than a quarter.
        pair.src.publish(publication, 7, start=sent)
        sent += 7
        drive_for(pair, 10 * MS)
        assert pair.world.wire.open_sockets(hosts[1]) == socket_count
    pair.dst.await_signal("MERGE")
    pair.dst.await_recorded(0, publication.position)


def test_live_merge_with_a_stopped_recording_is_rejected(pair):
    src_id, _ = pair.src.finished(10)
    replication_id = replicate(pair, src_id, live_destination=f"{LIVE}|endpoint=dst:0")
    pair.dst.await_signal("REPLICATE_END")
    assert_failed(pair, replication_id, ArchiveErrorCode.GENERIC, "without active source")


def assert_failed(pair, replication_id, code, text):
    [error] = [each for each in pair.dst.late_errors if each.correlation_id == replication_id]
    pair.dst.late_errors.clear()
    assert error.code == code, error
    assert text in str(error)
    assert signals_of(pair, replication_id)[-1][0] == "REPLICATE_END"
    pair.run_until(
        lambda: not pair.dst.archive.list_recording_subscriptions(channel_fragment="aeron:udp")
    )


def test_an_unknown_source_recording_is_named(pair):
    replication_id = replicate(pair, 7)
    pair.dst.await_signal("REPLICATE_END")
    assert_failed(
        pair, replication_id, ArchiveErrorCode.UNKNOWN_RECORDING, "unknown src recording id 7"
    )


def test_a_missing_source_archive_is_named(make):
    pair = make(dst={"archive_client": {"message_timeout_ns": S}})
    replication_id = pair.dst.archive.replicate(0, CONTROL_STREAM_ID, "aeron:udp?endpoint=src:8999")
    pair.dst.await_signal("REPLICATE_END")
    assert_failed(
        pair, replication_id, ArchiveErrorCode.REPLICATION_CONNECTION_FAILURE, "timed out"
    )


@pytest.mark.parametrize("is_stopped", [True, False])
def test_dead_source_ends_the_copy_and_its_part_is_retained(pair, is_stopped):
    publication, src_id = pair.src.record()
    stop = pair.src.publish(publication, 300)
    if is_stopped:
        pair.src.archive.try_stop_recording_by_identity(src_id)
    replication_id = replicate(pair, src_id)
    pair.dst.await_signal("EXTEND")
    pair.src.kill()
    pair.dst.await_signal("REPLICATE_END")
    pair.dst.await_signal("STOP")
    names = [name for name, _, _ in signals_of(pair, replication_id)]
    assert names[2:] == ["REPLICATE_END", "STOP"]
    assert pair.dst.archive.get_stop_position(0) <= stop


def test_source_that_cannot_send_to_the_copy_reports_it(make):
    """As behind a firewall: the archives reach each other, but the replay does not arrive."""
    pair = make(src={"connect_timeout_ns": S})
    src_id, _ = pair.src.finished(10)
    block(pair, "src", "dst", port=40500)
    replication_id = replicate(pair, src_id, replication_channel="aeron:udp?endpoint=dst:40500")
    pair.dst.await_signal("REPLICATE_END")
    text = "no connection established for replayChannel=aeron:udp?endpoint=dst:40500"
    assert_failed(pair, replication_id, ArchiveErrorCode.GENERIC, text)


def test_copy_whose_replay_fails_is_not_in_sync_and_its_requester_learns_why(pair):
    src_id, _ = pair.src.finished(300)
    pair.src.machine.files.remove(f"/data/{src_id}-{SEGMENT_LENGTH}.rec")
    replication_id = replicate(pair, src_id)
    pair.dst.await_signal("STOP")
    names = [name for name, *_ in signals_of(pair, replication_id)]
    assert names == ["REPLICATE", "EXTEND", "REPLICATE_END", "STOP"]
    assert 0 < pair.dst.archive.get_stop_position(0) <= SEGMENT_LENGTH
    [error] = pair.dst.late_errors
    assert (error.correlation_id, error.code) == (replication_id, ArchiveErrorCode.GENERIC)
    assert f"{src_id}-{SEGMENT_LENGTH}.rec" in str(error)


def test_live_merge_whose_source_stops_recording_ends_with_an_error(pair):
    publication, src_id = pair.src.record(channel=f"{LIVE}|term-length=64k|fc=max|ssc=true")
    pair.src.publish(publication, 100)
    block(pair, "src", "dst", port=40458)
    replication_id = replicate(pair, src_id, live_destination=f"{LIVE}|endpoint=dst:40458")
    pair.dst.await_signal("EXTEND")
    drive_for(pair, S)
    assert pair.src.archive.try_stop_recording_by_identity(src_id)
    pair.dst.await_signal("REPLICATE_END")
    text = "cannot live merge without active source recording"
    assert_failed(pair, replication_id, ArchiveErrorCode.GENERIC, text)


@pytest.mark.parametrize("is_lost", [True, False])
def test_live_merge_whose_replay_ends_reports_an_error_unless_it_was_stopped(pair, is_lost):
    publication, src_id = pair.src.record(channel=f"{LIVE}|term-length=64k|fc=max|ssc=true")
    pair.src.publish(publication, 100)
    block(pair, "src", "dst", port=40458)
    replication_id = replicate(pair, src_id, live_destination=f"{LIVE}|endpoint=dst:40458")
    pair.dst.await_signal("EXTEND")
    drive_for(pair, S)
    if is_lost:
        pair.src.archive.stop_all_replays(src_id)
    else:
        assert pair.dst.archive.try_stop_recording_by_identity(0)
    pair.dst.await_signal("STOP")
    names = [name for name, *_ in signals_of(pair, replication_id)]
    assert names == ["REPLICATE", "EXTEND", "REPLICATE_END", "STOP"]
    errors = [(each.correlation_id, str(each)) for each in pair.dst.late_errors]
    if is_lost:
        [(correlation_id, text)] = errors
        assert correlation_id == replication_id
        assert "replication image closed unexpectedly" in text
    else:
        assert errors == []


def test_lost_control_session_with_the_source_ends_the_copy_with_an_error(pair):
    """The replay may still be open: nothing would report its errors."""
    publication, src_id = pair.src.record()
    position = pair.src.publish(publication, 10)
    replication_id = replicate(pair, src_id, src_response_channel="aeron:udp?endpoint=dst:40501")
    pair.dst.await_signal("EXTEND")
    pair.dst.await_recorded(0, position)
    block(pair, "src", "dst", port=40501)
    pair.dst.await_signal("REPLICATE_END")
    assert_failed(pair, replication_id, ArchiveErrorCode.GENERIC, "archive is not connected")
    pair.dst.await_signal("STOP")
    assert pair.dst.archive.get_stop_position(0) == position


def test_live_merge_ends_if_the_source_answers_no_request_for_its_position(make):
    """The replay goes on: only the requests are lost."""
    pair = make(dst={"archive_client": {"message_timeout_ns": S}})
    publication, src_id = pair.src.record(channel=f"{LIVE}|term-length=64k|fc=max|ssc=true")
    pair.src.publish(publication, 100)
    block(pair, "src", "dst", port=40458)
    replication_id = replicate(pair, src_id, live_destination=f"{LIVE}|endpoint=dst:40458")
    pair.dst.await_signal("EXTEND")
    drive_for(pair, S)
    assert "REPLICATE_END" not in pair.dst.signal_names()
    block(pair, "dst", "src", port=8010)
    blocked_ns = pair.world.time.now_ns
    pair.dst.await_signal("REPLICATE_END")
    assert pair.world.time.now_ns - blocked_ns < 5 * S
    text = "no answer to RecordingPositionRequest in time"
    assert_failed(pair, replication_id, ArchiveErrorCode.GENERIC, text)


def test_replay_that_does_not_arrive_in_time_is_an_error(make):
    pair = make(dst={"archive_client": {"message_timeout_ns": S}})
    src_id, _ = pair.src.finished(20)
    block(pair, "src", "dst", port=40502)
    channel = "aeron:udp?endpoint=dst:40502"
    replication_id = replicate(pair, src_id, replication_channel=channel)
    pair.dst.await_signal("REPLICATE_END")
    text = "failed get replay image for sessionId="
    assert_failed(pair, replication_id, ArchiveErrorCode.GENERIC, text)


def block(pair, source, target, port):
    """Lose all datagrams to a port."""
    hosts = [getattr(pair, name).machine.network for name in (source, target)]
    pair.world.wire.block(*hosts, port=port)


def drive_for(pair, duration_ns):
    """Drive everything for a virtual time."""
    end_ns = pair.world.time.now_ns + duration_ns
    pair.run_until(lambda: pair.world.time.now_ns >= end_ns, 2 * duration_ns)


def test_can_be_stopped(pair):
    publication, src_id = pair.src.record()
    pair.src.publish(publication, 100)
    replication_id = replicate(pair, src_id)
    pair.dst.await_signal("EXTEND")
    assert pair.dst.archive.try_stop_replication(replication_id)
    pair.dst.await_signal("STOP")
    assert signals_of(pair, replication_id)[2][0] == "REPLICATE_END"
    assert not pair.dst.archive.try_stop_replication(replication_id)
    with pytest.raises(ArchiveError, match="unknown replication id") as raised:
        pair.dst.archive.stop_replication(replication_id)
    assert raised.value.code == ArchiveErrorCode.UNKNOWN_REPLICATION
    pair.run_until(lambda: pair.src.counter("Archive Replay Sessions") == 0)


def test_a_recording_of_the_same_archive_can_be_copied(pair):
    src_id, stop = pair.dst.finished(100)
    pair.dst.signals.clear()
    replication_id = pair.dst.archive.replicate(src_id, CONTROL_STREAM_ID, pair.dst.control_channel)
    pair.dst.await_signal("STOP")
    assert [name for name, _, _ in signals_of(pair, replication_id)][2:] == [
        "SYNC",
        "REPLICATE_END",
        "STOP",
    ]
    assert pair.dst.archive.get_stop_position(1) == stop
    assert pair.dst.segment_bytes(1) == pair.dst.segment_bytes(src_id)


def test_a_recording_is_in_sync_with_itself(pair):
    src_id, stop = pair.dst.finished(100)
    pair.dst.signals.clear()
    replication_id = pair.dst.archive.replicate(
        src_id,
        CONTROL_STREAM_ID,
        pair.dst.control_channel,
        ReplicationParams(dst_recording_id=src_id),
    )
    pair.dst.await_signal("REPLICATE_END")
    assert signals_of(pair, replication_id) == [
        ("SYNC", src_id, stop),
        ("REPLICATE_END", src_id, -1),
    ]


def test_the_copy_can_have_its_own_session(pair):
    src_id, _ = pair.src.finished(100)
    replicate(pair, src_id, replication_session_id=-77)
    pair.dst.await_signal("STOP")
    assert pair.dst.archive.list_recording(0).session_id == -77
    assert_equal_recordings(pair, src_id, 0)


@pytest.mark.parametrize("attempts", [None, 1])
def test_replays_through_a_response_channel(make, attempts):
    """Even if a request is offered only once: it waits for room in its stream."""
    pair = make(dst={"archive_client": {"message_retry_attempts": attempts}})
    src_id, _ = pair.src.finished(100)
    replication_id = replicate(
        pair,
        src_id,
        replication_channel="aeron:udp?control-mode=response|control=src:10002",
        src_response_channel="aeron:udp?control-mode=response|control=src:10002",
    )
    pair.dst.await_signal("STOP")
    assert [name for name, _, _ in signals_of(pair, replication_id)] == [
        "REPLICATE",
        "EXTEND",
        "SYNC",
        "REPLICATE_END",
        "STOP",
    ]
    assert_equal_recordings(pair, src_id, 0)


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        (codecs.ReplicateRequest, {}),
        (codecs.TaggedReplicateRequest, {"channel_tag_id": 5, "subscription_tag_id": 6}),
        (codecs.TaggedReplicateRequest, {"channel_tag_id": -1, "subscription_tag_id": -1}),
    ],
)
def test_accepts_requests_of_older_clients(pair, kind, more):
    src_id, _ = pair.src.finished(30)
    replication_id = pair.dst.archive._request_relevant_id(
        kind,
        src_recording_id=src_id,
        dst_recording_id=-1,
        src_control_stream_id=CONTROL_STREAM_ID,
        src_control_channel=pair.src.control_channel,
        live_destination="",
        **more,
    )
    pair.dst.await_signal("STOP")
    assert signals_of(pair, replication_id)[2][0] == "SYNC"
    assert_equal_recordings(pair, src_id, 0)


# ---- invalid requests ----


RESPONSE = "aeron:udp?control-mode=response|control=src:10002"


@pytest.mark.parametrize(
    ("params", "code", "text"),
    [
        ({"dst_recording_id": 9}, ArchiveErrorCode.UNKNOWN_RECORDING, "recording id 9"),
        ({"dst_recording_id": -2}, ArchiveErrorCode.UNKNOWN_RECORDING, "recording id -2"),
        ({"replication_channel": "aeron:ipc"}, ArchiveErrorCode.GENERIC, "aeron:udp"),
        ({"replication_channel": "no channel"}, ArchiveErrorCode.GENERIC, "aeron:"),
        ({"replication_channel": "aeron:udp?x=1"}, ArchiveErrorCode.GENERIC, "x"),
        ({"live_destination": "nonsense"}, ArchiveErrorCode.GENERIC, "aeron:"),
        ({"src_response_channel": "nonsense"}, ArchiveErrorCode.GENERIC, "aeron:"),
        (
            {"replication_channel": RESPONSE, "live_destination": "aeron:udp?endpoint=dst:1"},
            ArchiveErrorCode.GENERIC,
            "response channels can't be used with live destinations",
        ),
        (
            {"replication_channel": RESPONSE, "channel_tag_id": 4},
            ArchiveErrorCode.GENERIC,
            "response channels can't be used with tagged replication",
        ),
        (
            {"replication_channel": "aeron:udp?control=dst:1", "channel_tag_id": 4},
            ArchiveErrorCode.GENERIC,
            "an endpoint",
        ),
    ],
)
def test_rejects_invalid_values(pair, params, code, text):
    with pytest.raises(ArchiveError) as raised:
        replicate(pair, 0, **params)
    assert raised.value.code == code
    assert text in str(raised.value)


@pytest.mark.parametrize("channel", ["nonsense", "aeron:tcp", "aeron:udp?x=1", "aeron:udp?mtu=7"])
def test_rejects_an_invalid_control_channel_of_the_source(pair, channel):
    """In the answer to the request: no replication begins."""
    with pytest.raises(ArchiveError) as raised:
        pair.dst.archive.replicate(0, CONTROL_STREAM_ID, channel)
    assert raised.value.code == ArchiveErrorCode.GENERIC
    assert pair.dst.signal_names() == []


def test_archive_without_a_control_channel_needs_a_channel_for_responses(make):
    pair = make(dst={"control_channel_enabled": False})
    with pytest.raises(ArchiveError, match=r"control\.?[rR]esponse\.?[cC]hannel") as raised:
        replicate(pair, 0)
    assert raised.value.code == ArchiveErrorCode.GENERIC


def test_rejects_replication_to_an_active_recording(pair):
    _, dst_id = pair.dst.record()
    with pytest.raises(ArchiveError, match="cannot replicate to active recording") as raised:
        replicate(pair, 0, dst_recording_id=dst_id)
    assert raised.value.code == ArchiveErrorCode.ACTIVE_RECORDING


def test_rejects_replication_to_a_recording_whose_end_is_not_stored(pair):
    """Its end is unknown to the catalog until the disk works again."""
    publication, dst_id = pair.dst.record()
    stop = pair.dst.publish(publication, 10)
    pair.dst.await_recorded(dst_id, stop)
    src_id, _ = pair.src.finished(20)
    pair.dst.machine.files.fail("write_at", errno.EIO)
    publication.close()
    pair.dst.await_signal("STOP")
    with pytest.raises(ArchiveError, match="cannot replicate to active recording") as raised:
        replicate(pair, src_id, dst_recording_id=dst_id)
    assert raised.value.code == ArchiveErrorCode.ACTIVE_RECORDING


def test_rejects_reads_shorter_than_a_frame(pair):
    src_id, _ = pair.src.finished(10)
    replication_id = replicate(pair, src_id, file_io_max_length=32)
    pair.dst.await_signal("REPLICATE_END")
    assert_failed(pair, replication_id, ArchiveErrorCode.GENERIC, "fileIoMaxLength (32)")


def test_copy_longer_than_its_source_is_left_unchanged(pair):
    src_id, _ = pair.src.finished(10)
    dst_id, stop = pair.dst.finished(20)
    replication_id = replicate(pair, src_id, dst_recording_id=dst_id)
    pair.dst.await_signal("REPLICATE_END")
    assert_failed(pair, replication_id, ArchiveErrorCode.GENERIC, "position")
    assert pair.dst.archive.get_stop_position(dst_id) == stop


def test_a_copy_of_another_stream_is_left_unchanged(pair):
    src_id, _ = pair.src.finished(20)
    dst_id, stop = pair.dst.finished(10, stream_id=9)
    replication_id = replicate(pair, src_id, dst_recording_id=dst_id)
    pair.dst.await_signal("REPLICATE_END")
    assert_failed(pair, replication_id, ArchiveErrorCode.UNKNOWN_RECORDING, "streamId=1001")
    assert pair.dst.archive.get_stop_position(dst_id) == stop


def test_a_copy_with_other_terms_is_left_unchanged(pair):
    src_id, _ = pair.src.finished(20)
    publication, dst_id = pair.dst.record(channel="aeron:ipc?term-length=128k")
    stop = pair.dst.publish(publication, 10)
    pair.dst.await_recorded(dst_id, stop)
    publication.close()
    pair.dst.await_signal("STOP")
    replication_id = replicate(pair, src_id, dst_recording_id=dst_id)
    pair.dst.await_signal("REPLICATE_END")
    assert_failed(pair, replication_id, ArchiveErrorCode.INVALID_EXTENSION, "cannot extend")
    assert pair.dst.archive.get_stop_position(dst_id) == stop


def test_a_request_may_name_the_replication_channel(make):
    pair = make(dst={"replication_channel": "aeron:udp?endpoint=elsewhere:0"})
    src_id, _ = pair.src.finished(10)
    replicate(pair, src_id, replication_channel="aeron:udp?endpoint=dst:0")
    pair.dst.await_signal("STOP")


def test_continues_after_the_requester_closed(pair):
    src_id, stop = pair.src.finished(300)
    replicate(pair, src_id)
    pair.dst.archive.close()
    pair.dst.connect()
    pair.run_until(lambda: pair.dst.archive.list_recording(0) is not None)
    pair.run_until(lambda: pair.dst.archive.get_stop_position(0) == stop)


def test_closing_the_archive_stops_it(pair):
    publication, src_id = pair.src.record()
    pair.src.publish(publication, 100)
    replicate(pair, src_id)
    pair.dst.await_signal("EXTEND")
    pair.dst.restart()
    pair.dst.connect()
    assert pair.dst.archive.get_stop_position(0) >= 0
    assert pair.dst.errors == []


class Secret(DefaultAuthenticator):
    """Accepts the secret as credentials or as a challenge response."""

    def on_connect_request(self, session_id, encoded_credentials, now_ms):  # noqa: ARG002
        self.is_known = encoded_credentials == b"secret"
        self.expects_answers = encoded_credentials == b"ask"

    def on_connected_session(self, session, now_ms):  # noqa: ARG002
        if self.expects_answers:
            session.challenge(b"who?")
        elif self.is_known:
            session.authenticate(b"principal")
        else:
            session.reject()

    def on_challenged_session(self, session, now_ms):
        pass


@pytest.mark.parametrize("credentials", [b"secret", b"wrong", b"ask"])
def test_shows_the_source_the_requesters_credentials(make, credentials):
    pair = make(dst={})
    src_id, _ = pair.src.finished(10)
    pair.src.options = {"authenticator_supplier": Secret}
    pair.src.restart()
    replication_id = replicate(pair, src_id, encoded_credentials=credentials)
    pair.dst.await_signal("REPLICATE_END")
    if credentials == b"secret":
        assert signals_of(pair, replication_id)[2][0] == "SYNC"
    else:
        text = "Replication connection failed="
        if credentials == b"ask":
            text += "Replication does not support challenge/response authentication"
        assert_failed(pair, replication_id, ArchiveErrorCode.REPLICATION_CONNECTION_FAILURE, text)


@pytest.mark.parametrize("seed", range(3))
def test_copies_over_a_bad_wire(make, seed):
    pair = make(seed)
    src_id, stop = pair.src.finished(200)
    pair.world.wire.set_faults(None, None, BAD_WIRE)
    replicate(pair, src_id)
    pair.dst.await_signal("STOP")
    assert pair.dst.archive.get_stop_position(0) == stop
    assert_equal_recordings(pair, src_id, 0)


# ---- failures during a replication ----


@pytest.mark.parametrize("side", ["src", "dst"])
@pytest.mark.parametrize("seed", range(3))
def test_continues_after_a_kill(make, side, seed):
    pair = make(seed)
    src_id, stop = pair.src.finished(400)
    pair.world.wire.set_faults(None, None, BAD_WIRE)
    replicate(pair, src_id)
    pair.dst.await_signal("EXTEND")
    part = pair.world.random.below(stop)
    pair.run_until(lambda: pair.dst.archive.get_max_recorded_position(0) >= part)
    victim = getattr(pair, side)
    victim.kill()
    if side == "src":
        pair.dst.await_signal("STOP")
    victim.start()
    victim.connect()
    assert part <= pair.dst.archive.get_stop_position(0) <= stop
    replicate(pair, src_id, dst_recording_id=0)
    pair.dst.await_signal("REPLICATE_END")
    pair.run_until(lambda: pair.dst.archive.get_stop_position(0) == stop)
    assert_equal_recordings(pair, src_id, 0)


def test_a_full_disk_ends_the_copy_with_an_error(pair):
    src_id, stop = pair.src.finished(300)
    replication_id = replicate(pair, src_id)
    pair.dst.await_signal("EXTEND")
    pair.dst.machine.files.fail("write_at", errno.ENOSPC, count=1)
    pair.dst.await_signal("STOP")
    names = [name for name, _, _ in signals_of(pair, replication_id)]
    assert names == ["REPLICATE", "EXTEND", "REPLICATE_END", "STOP"]
    [error] = pair.dst.late_errors
    assert (error.correlation_id, error.code) == (replication_id, ArchiveErrorCode.STORAGE_SPACE)
    assert pair.dst.archive.get_stop_position(0) < stop
    replicate(pair, src_id, dst_recording_id=0)
    pair.dst.await_signal("STOP")
    assert_equal_recordings(pair, src_id, 0)


def test_several_copies_at_a_time(pair):
    recordings = [pair.src.finished(50 * (1 + index), stream_id=index)[0] for index in range(4)]
    ids = [
        pair.dst.archive.replicate(recording_id, CONTROL_STREAM_ID, pair.src.control_channel)
        for recording_id in recordings
    ]
    assert len(set(ids)) == len(ids)
    pair.run_until(lambda: pair.dst.signal_names().count("STOP") == len(recordings))
    copies = {
        signal.correlation_id: signal.recording_id
        for signal in pair.dst.signals
        if signal.signal is RecordingSignal.REPLICATE
    }
    for recording_id, replication_id in zip(recordings, ids, strict=True):
        assert_equal_recordings(pair, recording_id, copies[replication_id])
    assert pair.src.counter("Archive Control Sessions") == 1
    assert pair.dst.errors + pair.src.errors == []


def test_stopping_the_copys_recording_ends_the_replication(pair):
    publication, src_id = pair.src.record()
    pair.src.publish(publication, 20)
    replication_id = replicate(pair, src_id)
    pair.dst.await_signal("EXTEND")
    assert pair.dst.archive.try_stop_recording_by_identity(0)
    pair.dst.await_signal("STOP")
    names = [name for name, _, _ in signals_of(pair, replication_id)]
    assert names == ["REPLICATE", "EXTEND", "REPLICATE_END", "STOP"]
    pair.run_until(lambda: pair.src.counter("Archive Replay Sessions") == 0)
    assert pair.dst.late_errors == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("term_buffer_length", 12345),
        ("segment_file_length", 0),
        ("mtu_length", 1 << 20),
        ("start_position", 7),
        ("stop_position", 8),
    ],
)
@pytest.mark.parametrize("is_into_one", [False, True])
def test_rejects_an_invalid_recording_of_the_source(pair, monkeypatch, is_into_one, field, value):
    """At its next start the archive would reject the catalog entry, and all recordings with it."""

    def list_falsely(source, recording_id):
        found = yield from list_recording(source, recording_id)
        setattr(found, field, value)
        return found

    monkeypatch.setattr(replication_session, "list_recording", list_falsely)
    src_id, _ = pair.src.finished(20)
    params = {"dst_recording_id": pair.dst.finished(0)[0]} if is_into_one else {}
    before = pair.dst.machine.files.open("/data/archive.catalog").read_at(4096, 0)
    replicate(pair, src_id, **params)
    pair.dst.await_signal("REPLICATE_END")
    assert pair.dst.signal_names() == ["REPLICATE_END"]
    assert "has an invalid descriptor" in str(pair.dst.late_errors[-1])
    assert pair.dst.machine.files.open("/data/archive.catalog").read_at(4096, 0) == before


def test_exception_of_one_replication_reaches_its_requester_and_others_continue(pair, monkeypatch):
    """A source may send any answer."""
    src_id, _ = pair.src.finished(20)
    broken = []

    def fail_once(source, recording_id):
        if not broken:
            broken.append(recording_id)
            raise OverflowError("a field of the source")
        return (yield from list_recording(source, recording_id))

    monkeypatch.setattr(replication_session, "list_recording", fail_once)
    first, second = replicate(pair, src_id), replicate(pair, src_id)
    pair.run_until(lambda: pair.dst.signal_names().count("REPLICATE_END") == 2)
    assert [str(each) for each in pair.dst.errors] == ["a field of the source"]
    assert "a field of the source" in str(pair.dst.late_errors[-1])
    counts = sorted(len(signals_of(pair, each)) for each in (first, second))
    assert counts[0] == 1  # only the end of a replication
    assert counts[1] > 1


def test_a_copy_ends_although_the_sources_reason_cannot_be_read(pair, monkeypatch):
    src_id, _ = pair.src.finished(300)
    pair.src.machine.files.remove(f"/data/{src_id}-{SEGMENT_LENGTH}.rec")

    def fail(_):
        raise MessageError("a message of the source", "one of the schema", "an unknown one")

    replication_id = replicate(pair, src_id)
    pair.dst.await_signal("EXTEND")
    monkeypatch.setattr(replication_session.ReplicationSession, "_error_of_replay", fail)
    pair.dst.await_signal("STOP")
    names = [name for name, *_ in signals_of(pair, replication_id)]
    assert names == ["REPLICATE", "EXTEND", "REPLICATE_END", "STOP"]
    [error] = pair.dst.late_errors
    assert "a message of the source" in str(error)
    pair.run_until(lambda: pair.dst.counter("Archive Recording Sessions") == 0)
