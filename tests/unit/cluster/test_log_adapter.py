"""The log as followers and recovering members read it."""

import struct

import pytest

from aeron_cluster.cluster.log.log_adapter import LogAdapter
from aeron_cluster.cluster.log.log_publisher import LogPublisher
from aeron_cluster.cluster.log.pending_service_messages import PendingServiceMessages
from aeron_cluster.cluster.state.session_table import SessionTable
from aeron_cluster.codecs.cluster import (
    ClusterAction,
    ClusterActionRequest,
    MembershipChangeEvent,
    NewLeadershipTermEvent,
    SessionCloseEvent,
    SessionOpenEvent,
    TimerEvent,
    decode,
)
from aeron_cluster.errors import (
    ClosedError,
    CorruptError,
    DamagedRecordingError,
    ForeignMessageError,
)
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.unit.cluster.module_rig import session_message

FIRST_ID = -(2**63) + 1


class Reader:
    """A log written by a leader, and an adapter that reads it."""

    def __init__(self, streams):
        self.stream = streams.stream(42, 100)
        self.log = LogPublisher()
        self.log.connect(self.stream.publication)
        self.clock = VirtualClock(500)
        self.sessions = SessionTable()
        self.trackers = [PendingServiceMessages(0), PendingServiceMessages(1)]
        self.events = []
        self.adapter = LogAdapter(
            self.on_event,
            self.sessions,
            self.trackers,
            self.clock,
        )
        self.image = self.stream.image()
        self.adapter.set_image(self.image)

    def on_event(self, message, position):
        self.events.append((type(decode(message)), position))
        self.then(position)

    def then(self, position):
        """Run the test's function in an event."""


@pytest.fixture
def reader(streams):
    return Reader(streams)


def test_events_are_delivered_with_the_position_after_them(reader):
    log = reader.log
    positions = [
        log.append_new_leadership_term(1, 0, 0, 42, 0, 1),
        log.append_session_open(1, 17, 1, 102, "aeron:ipc", bytes(3000)),
        log.append_timer(5, 1),
        log.append_session_close(17, 1, 0),
    ]
    assert reader.adapter.poll(1 << 40, 50) == 6  # two of them are further fragments
    assert reader.events == list(
        zip(
            (NewLeadershipTermEvent, SessionOpenEvent, TimerEvent, SessionCloseEvent),
            positions,
            strict=True,
        )
    )
    assert reader.adapter.position == positions[-1]


def test_session_messages_touch_sessions_without_calling_python(reader):
    reader.sessions.put(17, is_open=True, last_activity_ns=0)
    reader.log.append_session_message(17, 1, b"x")
    reader.log.append_session_message(18, 1, bytes(5000))  # "silently ignored"
    assert reader.adapter.poll(1 << 40, 50) == 5
    assert reader.sessions.last_activity_ns(17) == 500
    assert reader.events == []


def test_a_services_message_in_the_log_is_forgotten_by_its_tracker(reader):
    for _ in range(3):
        reader.trackers[1].enqueue(session_message(1, b"x"))
    second = FIRST_ID + (1 << 56) + 1
    reader.log.append_session_message(second, 1, b"x")
    reader.adapter.poll(1 << 40, 50)
    assert len(reader.trackers[1]) == 1
    assert reader.trackers[1].log_service_session_id == second


def test_a_poll_stops_after_an_action(reader):
    # "ClusterAction returns BREAK, everything else CONTINUE."
    position = reader.log.append_cluster_action(1, ClusterAction.SNAPSHOT)
    reader.log.append_timer(1, 1)
    assert reader.adapter.poll(1 << 40, 50) == 1
    assert reader.events == [(ClusterActionRequest, position)]
    assert reader.adapter.poll(1 << 40, 50) == 1
    assert len(reader.events) == 2


def test_the_adapter_reads_no_further_than_a_position(reader):
    for number in range(4):
        reader.log.append_timer(number, 1)
    assert reader.adapter.poll(128, 50) == 2
    assert not reader.adapter.is_done(129)
    assert reader.adapter.is_done(128)
    assert reader.adapter.poll(1 << 40, 1) == 1
    assert reader.adapter.position == 192


def test_obsolete_messages_are_skipped(reader):
    reader.stream.publication.offer(
        MembershipChangeEvent.encode(
            leadership_term_id=1,
            log_position=0,
            timestamp=0,
            leader_member_id=0,
            cluster_size=1,
            change_type=0,
            member_id=0,
            cluster_members="",
        )
    )
    assert reader.adapter.poll(1 << 40, 50) == 1
    assert reader.events == []


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (b"", CorruptError),
        (b"1234567", CorruptError),
        (session_message(1, b"")[:31], CorruptError),
        (b"\x10\x00" + session_message(1, b"")[2:], CorruptError),
        (
            session_message(1, b"")[:4] + b"\x70\x00" + session_message(1, b"")[6:],
            ForeignMessageError,
        ),
        (session_message(FIRST_ID + (2 << 56), b""), ForeignMessageError),
    ],
)
def test_message_no_leader_writes_is_an_error(message, kind, reader):
    reader.stream.publication.offer(message)
    reader.log.append_timer(1, 1)
    with pytest.raises(CorruptError) as caught:
        reader.adapter.poll(1 << 40, 50)
    assert type(caught.value) is kind
    assert caught.value.offset == reader.adapter.position
    assert reader.adapter.poll(1 << 40, 50) == 1


def test_an_exception_of_an_event_is_raised_after_it(reader):
    def fail(position):
        raise RuntimeError(position)

    reader.then = fail
    reader.log.append_timer(1, 1)
    with pytest.raises(RuntimeError, match="64"):
        reader.adapter.poll(1 << 40, 50)
    assert reader.adapter.position == 64


def test_an_event_may_change_the_image(reader, streams):
    reader.then = lambda _: reader.adapter.set_image(None)
    reader.log.append_session_open(1, 17, 1, 102, "aeron:ipc", bytes(3000))
    assert reader.adapter.poll(1 << 40, 50) == 3
    assert (reader.adapter.image, reader.adapter.position) == (None, -1)
    assert reader.adapter.poll(1 << 40, 50) == 0
    assert reader.adapter.is_done(1)
    other = streams.stream(43, 100).image()
    reader.adapter.set_image(other)
    assert reader.adapter.image is other


def test_a_closed_image_is_read_no_further(reader, streams):
    reader.log.append_timer(1, 1)
    reader.image.mark_closed()
    assert reader.adapter.poll(1 << 40, 50) == 0
    assert reader.adapter.is_done(64)
    gone = streams.stream().image()
    gone.mark_closed()
    gone.release()
    with pytest.raises(ClosedError):
        reader.adapter.set_image(gone)


@pytest.mark.parametrize("fragments", [1, 2])
@pytest.mark.parametrize("session_id", [42, 43])
def test_a_partial_message_continues_in_the_next_image(session_id, fragments, reader, streams):
    """A recorded log that ends inside a message continues in the leader's, of another session."""
    end = reader.log.append_session_open(1, 17, 1, 102, "aeron:ipc", bytes(3000))
    assert reader.adapter.poll(1 << 40, fragments) == fragments
    following = streams.stream(session_id, 100)
    following.bytes[:end] = reader.stream.bytes[:end]
    for begin in frames_of(reader.stream, end):
        struct.pack_into("<i", following.bytes, begin + 12, session_id)
    reader.adapter.set_image(following.image(reader.adapter.position))
    assert reader.adapter.poll(1 << 40, 50) == 3 - fragments
    assert reader.events == [(SessionOpenEvent, end)]


@pytest.mark.parametrize(("fragments", "kept"), [(0, 2), (1, 1), (2, 1), (3, 1), (4, 0)])
def test_former_leader_continues_a_message_with_a_committed_begin(reader, fragments, kept):
    """It does not receive the start again, and would append the service's message a second time."""
    for payload in (b"before", bytes(3000)):
        reader.trackers[0].enqueue(session_message(1, payload))
    assert reader.trackers[0].poll(reader.log, 1) == 2
    committed = reader.stream.image()
    for _ in range(fragments):
        committed.poll(lambda *_: None, 1)

    reader.trackers[0].restore_uncommitted(committed.position)
    assert len(reader.trackers[0]) == kept
    reader.adapter.resume_mid_message(reader.log, committed.position)
    reader.log.disconnect()
    reader.adapter.set_image(committed)
    reader.adapter.poll(1 << 40, 50)
    assert len(reader.trackers[0]) == 0
    assert reader.trackers[0].log_service_session_id == FIRST_ID + 1


@pytest.mark.parametrize("fragments", [1, 2])
def test_a_former_leader_receives_a_partly_committed_message(reader, fragments):
    position = reader.log.append_session_open(1, 17, 1, 102, "aeron:ipc", bytes(3000))
    committed = reader.stream.image()
    committed.poll(lambda *_: None, fragments)
    reader.adapter.resume_mid_message(reader.log, committed.position)
    reader.adapter.set_image(committed)
    assert reader.adapter.poll(1 << 40, 50) == 3 - fragments
    assert reader.events == [(SessionOpenEvent, position)]


def test_a_former_leader_drops_a_partial_message_missing_in_the_log(reader):
    reader.log.append_session_open(1, 17, 1, 102, "aeron:ipc", bytes(3000))
    committed = reader.stream.image()
    committed.poll(lambda *_: None, 1)
    reader.stream.bytes[: committed.position] = bytes(committed.position)
    reader.adapter.resume_mid_message(reader.log, committed.position)
    reader.adapter.set_image(committed)
    assert reader.adapter.poll(1 << 40, 50) == 2
    assert reader.events == []


def test_member_that_did_not_lead_has_no_partial_message(reader):
    reader.adapter.resume_mid_message(LogPublisher(), 4096)
    reader.log.append_timer(5, 1)
    assert reader.adapter.poll(1 << 40, 50) == 1


def test_a_partial_message_is_dropped_where_the_next_image_lacks_a_part(reader):
    reader.log.append_session_open(1, 17, 1, 102, "aeron:ipc", bytes(3000))
    assert reader.adapter.poll(1 << 40, 1) == 1
    image = reader.stream.image()
    image.poll(lambda *_: None, 2)
    reader.adapter.set_image(image)
    assert reader.adapter.poll(1 << 40, 50) == 1
    assert reader.events == []


# ---- replays of this member's own log ----

BEGIN, END = 0x80, 0x40
LAST = 1 << 40


def frames_of(stream, end):
    """Return the positions of a log's frames, up to a position."""
    offset, found = 0, []
    while offset < end:
        found.append(offset)
        offset += -(-int.from_bytes(stream.bytes[offset : offset + 4], "little") // 32) * 32
    return found


@pytest.mark.parametrize("flag", [BEGIN, END])
def test_flipped_flag_in_the_own_log_is_an_error(flag, streams):
    for index in range(7):
        reader = Reader(streams)
        reader.log.append_new_leadership_term(1, 0, 0, 42, 0, 1)
        reader.log.append_session_message(17, 1, b"x")
        reader.log.append_session_open(1, 17, 1, 102, "aeron:ipc", bytes(3000))
        reader.log.append_session_message(17, 1, b"y")
        end = reader.log.append_timer(5, 1)
        frames = frames_of(reader.stream, end)
        assert len(frames) == 7
        reader.stream.bytes[frames[index] + 5] ^= flag
        reader.adapter.check_fragments(3)
        with pytest.raises(DamagedRecordingError, match="recording 3: damaged frame") as caught:
            reader.adapter.poll(LAST, 50)
        assert caught.value.position in frames[index : index + 2]
        assert "flags" in str(caught.value)


@pytest.mark.parametrize("flag", [BEGIN, END])
@pytest.mark.parametrize("split", range(1, 7))
def test_flipped_flag_is_an_error_after_a_replay_up_to_any_frame(split, flag, streams):
    """A replay ends at the commit position, and the next one continues there."""
    for index in range(split, 7):
        reader = Reader(streams)
        reader.log.append_new_leadership_term(1, 0, 0, 42, 0, 1)
        reader.log.append_session_message(17, 1, b"x")
        reader.log.append_session_open(1, 17, 1, 102, "aeron:ipc", bytes(3000))
        reader.log.append_session_message(17, 1, b"y")
        end = reader.log.append_timer(5, 1)
        frames = frames_of(reader.stream, end)
        begin = frames[split]
        rest = reader.stream.bytes[begin:end]
        reader.stream.bytes[begin:end] = bytes(len(rest))
        reader.adapter.check_fragments(3)
        assert reader.adapter.poll(LAST, 50) == split
        reader.stream.bytes[begin:end] = rest
        reader.stream.bytes[frames[index] + 5] ^= flag
        reader.adapter.set_image(reader.stream.image(begin))
        reader.adapter.check_fragments(3)
        with pytest.raises(DamagedRecordingError, match="recording 3: damaged frame") as caught:
            reader.adapter.poll(LAST, 50)
        assert caught.value.position in frames[index : index + 2]


def test_complete_fragments_are_joined(reader):
    reader.log.append_new_leadership_term(1, 0, 0, 42, 0, 1)
    reader.log.append_session_open(1, 17, 1, 102, "aeron:ipc", bytes(3000))
    position = reader.log.append_timer(5, 1)
    reader.adapter.check_fragments(3)
    for _ in range(5):
        assert reader.adapter.poll(LAST, 1) == 1
    assert reader.adapter.position == position


@pytest.mark.parametrize("is_term", [True, False])
@pytest.mark.parametrize("fragments", [1, 2])
def test_a_leader_may_end_in_the_middle_of_a_message_where_a_term_follows(
    fragments, is_term, reader
):
    """Other members have a part of its last message, followed by the next term."""
    reader.log.append_session_open(1, 17, 1, 102, "aeron:ipc", bytes(3000))
    end = reader.stream.publication.position
    begin = frames_of(reader.stream, end)[fragments]
    reader.stream.bytes[begin:end] = bytes(end - begin)
    message = (
        NewLeadershipTermEvent.encode(
            leadership_term_id=2,
            log_position=0,
            timestamp=0,
            term_base_log_position=begin,
            leader_member_id=0,
            log_session_id=42,
            time_unit=0,
            app_version=0,
        )
        if is_term
        else TimerEvent.encode(leadership_term_id=2, correlation_id=0, timestamp=0)
    )
    frame = len(message) + 32
    header = struct.pack("<iBBHiiiiq", frame, 0, 0xC0, 1, begin, 42, 100, 0, 0)
    reader.stream.bytes[begin + 32 : begin + frame] = message
    reader.stream.bytes[begin + 4 : begin + 32] = header[4:32]
    reader.stream.bytes[begin : begin + 4] = header[:4]
    reader.adapter.check_fragments(3)
    if is_term:
        assert reader.adapter.poll(LAST, 50) == fragments + 1
        assert [kind for kind, _ in reader.events] == [NewLeadershipTermEvent]
    else:
        with pytest.raises(DamagedRecordingError, match="a further fragment"):
            reader.adapter.poll(LAST, 50)


@pytest.mark.parametrize("fragments", [1, 2])
def test_replay_continuing_a_message_joins_its_fragments(fragments, reader):
    """A message of one replay up to the commit position and another replay after it is complete."""
    reader.log.append_session_open(1, 17, 1, 102, "aeron:ipc", bytes(3000))
    reader.adapter.check_fragments(3)
    assert reader.adapter.poll(LAST, fragments) == fragments
    again = reader.stream.image()
    again.poll(lambda *_: None, fragments)
    reader.adapter.set_image(again)
    reader.adapter.check_fragments(3)
    assert reader.adapter.poll(LAST, 50) == 3 - fragments
    assert [kind for kind, _ in reader.events] == [SessionOpenEvent]


def test_a_replay_after_the_members_own_term_may_begin_in_a_message(reader):
    reader.log.append_session_open(1, 17, 1, 102, "aeron:ipc", bytes(3000))
    committed = reader.stream.image()
    committed.poll(lambda *_: None, 1)
    reader.adapter.resume_mid_message(reader.log, committed.position)
    reader.adapter.set_image(committed)
    reader.adapter.check_fragments(3)
    assert reader.adapter.poll(LAST, 50) == 2
    assert [kind for kind, _ in reader.events] == [SessionOpenEvent]


def test_the_next_image_is_not_checked(reader):
    reader.log.append_timer(5, 1)
    reader.stream.bytes[5] ^= BEGIN
    reader.adapter.check_fragments(3)
    reader.adapter.set_image(reader.stream.image())
    assert reader.adapter.poll(LAST, 50) == 1


@pytest.mark.parametrize("is_enabled", [True, False])
def test_events_of_an_extension_are_only_delivered_where_there_is_one(reader, is_enabled):
    foreign = struct.pack("<HHHH", 8, 1, 999, 0) + bytes(8)
    found = []
    reader.adapter = LogAdapter(
        lambda message, position: found.append((bytes(message), position)),
        reader.sessions,
        reader.trackers,
        reader.clock,
    )
    reader.adapter.set_image(reader.image)
    if is_enabled:
        reader.adapter.enable_extension_schemas()
    position = reader.stream.publication.offer(foreign)
    if is_enabled:
        assert reader.adapter.poll(1 << 40, 50) == 1
        assert found == [(foreign, position)]
    else:
        with pytest.raises(CorruptError, match="schema id of a message 999, expected 111"):
            reader.adapter.poll(1 << 40, 50)
        assert found == []
