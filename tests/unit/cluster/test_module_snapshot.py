"""A consensus module's snapshot: the content of its stream, and invalid streams."""

import struct

import pytest

from aeron_cluster.cluster.log.pending_service_messages import PendingServiceMessages
from aeron_cluster.cluster.state.module_snapshot import (
    SNAPSHOT_TYPE_ID,
    ModuleSnapshotReader,
    ModuleState,
    SessionRecord,
    TrackerState,
    encode_module_snapshot,
    load_module_snapshot,
    take_module_snapshot,
    write_snapshot,
)
from aeron_cluster.codecs.cluster import (
    CloseReason,
    ClusterMembers,
    ClusterSession,
    ClusterTimeUnit,
    ConsensusModule,
    PendingMessageTracker,
    SessionMessageHeader,
    SnapshotMark,
    SnapshotMarker,
    Timer,
    decode,
)
from aeron_cluster.errors import ClosedError, ClusterError, CorruptError, VersionError
from aeron_cluster.memory.agents.waiting import Task
from tests.unit.cluster.streams import messages

BASE_0 = -(2**63)
BASE_1 = BASE_0 | 1 << 56
NULL_INT64 = -(2**63)


def tracker(service_id=0, shown=0, count=0, length=5):
    """Return the state of a tracker with the given number of messages."""
    made = PendingServiceMessages(service_id)
    base = made.log_service_session_id
    made.sweep_follower(base + shown)
    header = SessionMessageHeader.encode(
        leadership_term_id=4, cluster_session_id=service_id, timestamp=0
    )
    for index in range(shown + count):
        made.enqueue(header + (b"%d" % index).ljust(length, b"."))
    return made.state()


def session(cluster_session_id, close_reason=CloseReason.NULL_VALUE, channel="aeron:ipc"):
    return SessionRecord(
        cluster_session_id=cluster_session_id,
        correlation_id=cluster_session_id + 100,
        opened_log_position=cluster_session_id * 32,
        response_stream_id=102,
        response_channel=channel,
        close_reason=close_reason,
    )


def state(**changed):
    return ModuleState(
        **{
            "log_position": 4096,
            "leadership_term_id": 4,
            "app_version": 1 << 16 | 2,
            "time_unit": ClusterTimeUnit.MILLIS,
            "next_session_id": 9,
            "sessions": (session(3), session(7, CloseReason.TIMEOUT)),
            "timers": ((1, 1000), (-5, 2**62)),
            "trackers": (tracker(0, 2, 3), tracker(1)),
            **changed,
        }
    )


def marker(mark=SnapshotMark.BEGIN, **changed):
    return SnapshotMarker.encode(
        **{
            "type_id": SNAPSHOT_TYPE_ID,
            "log_position": 0,
            "leadership_term_id": 0,
            "index": 0,
            "mark": mark,
            "time_unit": ClusterTimeUnit.MILLIS,
            "app_version": 1,
            **changed,
        }
    )


MODULE = ConsensusModule.encode(next_session_id=1)
END = marker(SnapshotMark.END)


def read(*parts, **wanted):
    reader = ModuleSnapshotReader("snapshot", **wanted)
    for index, part in enumerate(parts):
        reader.on_message(part, index * 64)
    return reader.state


@pytest.fixture
def stream(streams):
    return streams.stream(session_id=11, stream_id=107)


def run(steps):
    """Run a task to its end; return its result and the number of passes."""
    task = Task(steps)
    passes = 0
    while not task.is_done:
        task.do_work()
        passes += 1
        assert passes < 10_000
    return task.result, passes


def test_the_stream_has_the_order_of_the_format():
    written = [decode(part) for part in encode_module_snapshot(state())]
    assert [type(part) for part in written] == [
        SnapshotMarker,
        ConsensusModule,
        ClusterSession,
        ClusterSession,
        Timer,
        Timer,
        PendingMessageTracker,
        SessionMessageHeader,
        SessionMessageHeader,
        SessionMessageHeader,
        PendingMessageTracker,
        SnapshotMarker,
    ]
    begin, module, first, second, timer, _, own, kept, *_, end = written
    assert (begin.type_id, begin.mark, end.mark) == (1, SnapshotMark.BEGIN, SnapshotMark.END)
    assert (begin.log_position, begin.leadership_term_id, begin.index) == (4096, 4, 0)
    assert (begin.time_unit, begin.app_version) == (ClusterTimeUnit.MILLIS, 65538)
    # "next committed session id, tracker 0 figures"
    assert module.next_session_id == 9
    assert (module.next_service_session_id, module.log_service_session_id) == (
        BASE_0 + 6,
        BASE_0 + 2,
    )
    # "timeOfLastActivity = -1 always", the null value as close reason of an open session
    assert (first.cluster_session_id, first.time_of_last_activity) == (3, -1)
    assert (first.close_reason, second.close_reason) == (
        CloseReason.NULL_VALUE,
        CloseReason.TIMEOUT,
    )
    assert (timer.correlation_id, timer.deadline) == (1, 1000)
    # "a byte-size hint (ring buffer size incl. 8-byte headers, 8-aligned)"
    assert own.pending_message_capacity == 3 * 48
    assert (own.service_id, own.next_service_session_id) == (0, BASE_0 + 6)
    # "Long.MAX = not appended yet"
    assert (kept.cluster_session_id, kept.timestamp) == (BASE_0 + 3, 2**63 - 1)


def test_sessions_are_written_by_id():
    written = encode_module_snapshot(state(sessions=[session(5), session(2), session(3)]))
    ids = [m.cluster_session_id for m in map(decode, written) if isinstance(m, ClusterSession)]
    assert ids == [2, 3, 5]


def test_without_services_the_figures_are_zero():
    # "(all 0 without services)"
    written = [decode(part) for part in encode_module_snapshot(state(trackers=()))]
    module = written[1]
    assert (module.next_service_session_id, module.log_service_session_id) == (0, 0)
    assert module.pending_message_capacity == 0
    assert read(*encode_module_snapshot(state(trackers=()))).trackers == ()


def test_loaded_snapshot_equals_the_taken_one(stream):
    taken = state()
    _, passes = run(take_module_snapshot(stream.publication, taken))
    assert passes == 2  # one pass writes, and one finds nothing left to write
    loaded, _ = run(load_module_snapshot(stream.image(), 1 << 16, ClusterTimeUnit.MILLIS))
    assert loaded == taken


def test_long_messages_go_in_fragments(stream):
    taken = state(
        sessions=(session(1, channel="aeron:udp?endpoint=" + "x" * 3000),),
        trackers=(tracker(0, 0, 4, length=6000),),
    )
    run(take_module_snapshot(stream.publication, taken))
    assert run(load_module_snapshot(stream.image()))[0] == taken


def test_a_retained_message_without_room_in_the_stream_is_rejected_by_service_and_remedy(stream):
    most = stream.publication.max_message_length
    fitting = state(trackers=(tracker(0, 0, 1), tracker(1, 0, 1, length=most - 32)))
    run(take_module_snapshot(stream.publication, fitting))
    written = stream.publication.position
    longer = state(trackers=(tracker(0, 0, 1), tracker(1, 0, 1, length=most - 31)))
    with pytest.raises(ClusterError) as caught:
        run(take_module_snapshot(stream.publication, longer))
    assert str(caught.value) == (
        "snapshot at 4096: a message of service 1 that the log does not show yet: expected at most"
        f" 8192 bytes, an eighth of a term of {stream.publication.channel}, found 8193; give"
        " aeron.cluster.snapshot.channel a term-length of 131072 or more"
    )
    assert stream.publication.position == written  # an unloadable snapshot is not started


def test_an_extension_cannot_write_beyond_the_streams_room(stream):
    with pytest.raises(ClusterError, match=r"snapshot at 64: a message: .* found 8193; give"):
        run(write_snapshot(stream.publication, [b"x" * 8193], 64))


def test_a_pass_does_a_bounded_amount_of_work(stream):
    taken = state(timers=tuple((index, index) for index in range(200)))
    _, passes = run(take_module_snapshot(stream.publication, taken))
    assert passes > 200 // 32
    loaded, passes = run(load_module_snapshot(stream.image()))
    assert loaded == taken
    assert passes > 200 // 32


def test_waits_at_a_full_window(stream):
    stream.limit.set(256)
    task = Task(take_module_snapshot(stream.publication, state()))
    for _ in range(5):
        task.do_work()
    assert not task.is_done
    written = stream.publication.position
    assert written <= 512
    stream.limit.set(1 << 20)
    while not task.is_done:
        task.do_work()
    assert run(load_module_snapshot(stream.image()))[0] == state()


def test_ends_when_the_recording_stopped(stream):
    stream.limit.set(0)
    task = Task(take_module_snapshot(stream.publication, state()))
    task.do_work()
    is_connected = 3 * stream.term_length + 136
    assert stream.bytes[is_connected] == 1
    stream.bytes[is_connected] = 0
    with pytest.raises(ClusterError, match="expected a recording of stream 107, session 11"):
        task.do_work()


def test_ends_when_the_publication_is_closed(stream):
    stream.limit.set(0)
    task = Task(take_module_snapshot(stream.publication, state()))
    task.do_work()
    stream.publication.mark_closed()
    with pytest.raises(ClosedError):
        task.do_work()


def test_waits_for_the_rest_of_a_replay(stream):
    parts = list(encode_module_snapshot(state()))
    task = Task(load_module_snapshot(stream.image()))
    for part in parts:
        task.do_work()
        assert not task.is_done
        stream.publication.offer(part)
    task.do_work()
    assert task.result == state()


def test_reads_nothing_after_the_end(stream):
    # "extension data, if any"
    image = stream.image()
    run(take_module_snapshot(stream.publication, state()))
    stream.publication.offer(b"an extension's own, of no schema at all")
    assert run(load_module_snapshot(image))[0] == state()
    assert [data[:2] for data, _ in messages(image)] == [b"an"]


def test_replay_ending_too_soon_raises(stream):
    image = stream.image()
    stream.publication.offer(marker())
    task = Task(load_module_snapshot(image, path="recording 4"))
    task.do_work()
    task.do_work()
    image.mark_closed()
    with pytest.raises(CorruptError, match=r"recording 4 at .*: end before it, expected after"):
        task.do_work()


def test_follower_lacking_messages_records_their_count_and_reports_it(stream):
    # "the snapshot writes a corrected next id (log id + 1 when nothing is kept) and reports an
    # error"
    behind = PendingServiceMessages(0)
    behind.enqueue(
        SessionMessageHeader.encode(leadership_term_id=0, cluster_session_id=0, timestamp=0)
    )
    behind.sweep_follower(BASE_0 + 4)
    reports = []
    run(
        take_module_snapshot(
            stream.publication, state(trackers=(behind.state(), tracker(1))), reports.append
        )
    )
    (report,) = reports
    assert isinstance(report, ClusterError)
    assert "service 0" in str(report)
    assert "3 message(s) missing" in str(report)
    loaded, _ = run(load_module_snapshot(stream.image()))
    assert loaded.trackers[0].next_service_session_id == BASE_0 + 5
    behind.load(loaded.trackers[0])
    assert behind.next_service_session_id == BASE_0 + 5


def test_another_major_version_of_the_application_is_rejected():
    begin = marker(app_version=2 << 16)
    with pytest.raises(VersionError, match=r"application version 2\.0\.0, expected 1\.x\.y"):
        read(begin, app_version=1 << 16 | 5)
    assert read(begin, MODULE, END, app_version=2 << 16 | 7).app_version == 2 << 16


def test_another_time_unit_is_rejected():
    begin = marker(time_unit=ClusterTimeUnit.NANOS)
    with pytest.raises(CorruptError, match="time unit NANOS, expected MILLIS"):
        read(begin, time_unit=ClusterTimeUnit.MILLIS)
    assert read(begin, MODULE, END).time_unit is ClusterTimeUnit.NANOS


def test_an_absent_time_unit_means_milliseconds():
    begin = marker(time_unit=ClusterTimeUnit.NULL_VALUE)
    found = read(begin, MODULE, END, time_unit=ClusterTimeUnit.MILLIS)
    assert found.time_unit is ClusterTimeUnit.MILLIS


def test_a_loaded_session_raises_the_next_id():
    record = ClusterSession.encode(
        cluster_session_id=41,
        correlation_id=0,
        opened_log_position=0,
        time_of_last_activity=-1,
        close_reason=CloseReason.NULL_VALUE,
        response_stream_id=102,
    )
    assert read(marker(), MODULE, record, END).next_session_id == 42


def test_skips_unknown_content():
    unknown = struct.pack("<HHHH", 4, 999, 111, 30) + bytes(4)
    members = ClusterMembers.encode(member_id=0, high_member_id=0, cluster_members="0,a")
    section = marker(SnapshotMark.SECTION)
    assert read(marker(), unknown, members, section, MODULE, END).next_session_id == 1


@pytest.mark.parametrize(
    ("parts", "reported"),
    [
        ([marker(type_id=2)], "snapshot type 2, expected 1"),
        ([marker(), marker()], "mark BEGIN a second time"),
        ([END], "mark END, expected BEGIN"),
        ([MODULE], "first message ConsensusModule, expected SnapshotMarker"),
        ([marker(), END], "record before END None, expected ConsensusModule"),
        ([b"\0\0\0"], "expected a header"),
        ([struct.pack("<HHHH", 4, 1, 77, 1) + bytes(4)], "schema id 111"),
        ([marker()[:-1]], "SnapshotMarker"),
        (
            [
                marker(),
                PendingMessageTracker.encode(
                    next_service_session_id=0, log_service_session_id=0, service_id=-3
                ),
            ],
            "service id -3",
        ),
        (
            [
                marker(),
                PendingMessageTracker.encode(
                    next_service_session_id=0,
                    log_service_session_id=0,
                    service_id=0,
                    pending_message_capacity=-8,
                ),
            ],
            "at least 0",
        ),
        (
            [
                marker(),
                SessionMessageHeader.encode(
                    leadership_term_id=0, cluster_session_id=BASE_1, timestamp=0
                ),
            ],
            "service of a pending message 1",
        ),
        (
            [
                marker(),
                MODULE,
                PendingMessageTracker.encode(
                    next_service_session_id=BASE_1 + 3, log_service_session_id=BASE_1, service_id=1
                ),
                END,
            ],
            "next id of service 1",
        ),
        (
            [
                marker(),
                MODULE,
                PendingMessageTracker.encode(
                    next_service_session_id=BASE_1 + 2, log_service_session_id=BASE_1, service_id=1
                ),
                SessionMessageHeader.encode(
                    leadership_term_id=0, cluster_session_id=BASE_1 + 2, timestamp=0
                ),
                END,
            ],
            "id of a message of service 1",
        ),
    ],
)
def test_reports_the_fault_of_a_stream(parts, reported):
    with pytest.raises(CorruptError, match=r"^snapshot at ") as raised:
        read(*parts)
    assert reported in str(raised.value)
    assert raised.value.offset == (len(parts) - 1) * 64


def test_the_single_tracker_of_an_older_module_is_read():
    old = ConsensusModule.encode(
        next_session_id=1,
        next_service_session_id=BASE_0 + 3,
        log_service_session_id=BASE_0 + 1,
        pending_message_capacity=48,
    )
    kept = SessionMessageHeader.encode(
        leadership_term_id=0, cluster_session_id=BASE_0 + 2, timestamp=12
    )
    (found,) = read(marker(), old, kept, END).trackers
    assert found == TrackerState(
        service_id=0,
        next_service_session_id=BASE_0 + 3,
        log_service_session_id=BASE_0 + 1,
        messages=(kept,),
    )


def test_a_record_of_an_even_older_module_without_tracker_is_read():
    oldest = ConsensusModule.encode(
        next_session_id=1,
        next_service_session_id=NULL_INT64,
        log_service_session_id=NULL_INT64,
    )
    assert read(marker(), oldest, END).trackers == ()


def test_a_longer_session_header_of_a_newer_writer_is_cut_to_ours():
    header = struct.pack("<HHHHqqqq", 32, 1, 111, 30, 4, BASE_0 + 1, 2**63 - 1, -1)
    own = PendingMessageTracker.encode(
        next_service_session_id=BASE_0 + 2, log_service_session_id=BASE_0, service_id=0
    )
    (found,) = read(marker(), MODULE, own, header + b"payload", END).trackers
    assert found.messages[0][32:] == b"payload"
    made = PendingServiceMessages(0)
    made.load(found)
    assert len(made) == 1
