import errno
from pathlib import Path

import pytest

from aeron_cluster.archive.replay.replayer import ReplayEnd
from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from tests.unit.archive.recordings_rig import MAX, SEGMENT_LENGTH, Rig, messages_of

MESSAGES = [b"%05d" % number * (1 + number % 150) for number in range(700)]


@pytest.fixture
def rig(tmp_path):
    rig = Rig(tmp_path)
    yield rig
    rig.recorder.on_close()
    rig.replayer.on_close()


def record_all(rig, messages=MESSAGES):
    log = rig.log(session_id=1, stream_id=10)
    counter = rig.counter()
    session = rig.record(log, counter=counter)
    for message in messages:
        while log.offer(message) < 0:
            pass
        rig.drain()
    return session, counter


def run(rig, session, target, received, passes=10000):
    """Run a replay to its end; return the messages, appended to those received before."""
    for _ in range(passes):
        rig.replayer.do_work()
        messages_of(target, received)
        if rig.replayer.has_finished:
            assert rig.replayer.take_finished() == [session]
            return received
    raise AssertionError(f"{session} never ends")


def test_a_replay_is_the_recording_under_its_own_session_and_stream(rig):
    recorded, _ = record_all(rig)
    target = rig.log(session_id=9, stream_id=20)
    session = rig.replay(target, 0, recorded.position)
    for _ in range(3):
        rig.replayer.do_work()
    headers = set()
    got = []

    def on_message(view, header):
        got.append(bytes(view))
        headers.add((header.session_id, header.stream_id))

    target.poll(on_message, 1000)
    assert headers == {(9, 20)}
    run(rig, session, target, got)
    assert session.end is ReplayEnd.REPLAY_COMPLETE
    assert b"".join(got) == b"".join(MESSAGES)
    assert session.final_position == recorded.position


def test_replay_from_the_middle_begins_with_that_frame(rig):
    recorded, _ = record_all(rig, [b"a" * 100, b"b" * 100, b"c" * 100])
    target = rig.log(position=160)
    got = run(rig, rig.replay(target, 160, recorded.position), target, [])
    assert got == [b"b" * 100, b"c" * 100]


def test_a_length_is_rounded_up_to_the_end_of_a_frame(rig):
    recorded, _ = record_all(rig, [b"a" * 100, b"b" * 100, b"c" * 100])
    target = rig.log()
    session = rig.replay(target, 0, recorded.position, replay_limit=161)
    assert run(rig, session, target, []) == [b"a" * 100, b"b" * 100]
    assert session.final_position == 320


def test_a_replay_stays_within_the_window(rig):
    recorded, _ = record_all(rig)
    target = rig.log()
    target.position_limit = 0
    rig.replay(target, 0, recorded.position)
    for _ in range(10):
        rig.replayer.do_work()
    assert target.producer_position == 0
    target.position_limit = 8192
    for _ in range(10):
        rig.replayer.do_work()
    assert 0 < target.producer_position <= 8192


def test_replay_follows_a_growing_recording_and_ends_at_its_stop(rig):
    recorded, counter = record_all(rig, [b"first"])
    target = rig.log()
    session = rig.replay(
        target,
        0,
        recorded.position,
        MAX,
        counters=rig.counters,
        limit_counter_id=counter.counter_id,
        limit_registration_id=counter.registration_id,
    )
    got = []
    for _ in range(5):
        rig.replayer.do_work()
    assert messages_of(target, got) == [b"first"]
    recorded.source.offer(b"second")
    rig.drain()
    session.set_final_limit(recorded.position)
    assert run(rig, session, target, got) == [b"first", b"second"]
    assert session.end is ReplayEnd.REPLAY_COMPLETE


def test_a_freed_limit_counter_ends_the_replay(rig):
    recorded, counter = record_all(rig, [b"first"])
    target = rig.log()
    session = rig.replay(
        target,
        0,
        recorded.position,
        MAX,
        counters=rig.counters,
        limit_counter_id=counter.counter_id,
        limit_registration_id=counter.registration_id,
    )
    rig.counters.free(counter.counter_id, now_ms=0)
    assert run(rig, session, target, []) == [b"first"]
    assert session.final_position == recorded.position


def test_reused_limit_counter_ends_the_replay_at_the_last_known_limit(rig):
    recorded, counter = record_all(rig, [b"first"])
    end = recorded.position
    target = rig.log()
    session = rig.replay(
        target,
        0,
        end,
        MAX,
        counters=rig.counters,
        limit_counter_id=counter.counter_id,
        limit_registration_id=counter.registration_id,
    )
    rig.counters.free(counter.counter_id, now_ms=0)
    other = rig.counters.allocate("rec-pos", 100, now_ms=1 << 40, registration_id=8)
    assert other == counter.counter_id
    rig.counters.set_value(other, 1 << 20)
    assert run(rig, session, target, []) == [b"first"]
    assert session.final_position == end


def test_replay_that_ends_before_its_recording_is_not_extended_by_its_end(rig):
    recorded, counter = record_all(rig, [b"a" * 100, b"b" * 100, b"c" * 100])
    end = recorded.position
    counter.set(0)
    target = rig.log()
    session = rig.replay(
        target,
        0,
        0,
        320,
        counters=rig.counters,
        limit_counter_id=counter.counter_id,
        limit_registration_id=counter.registration_id,
    )
    session.set_final_limit(end)
    assert run(rig, session, target, []) == [b"a" * 100, b"b" * 100]
    assert (session.final_position, session.replay_limit) == (320, 320)


@pytest.mark.parametrize(
    ("operation", "number", "end", "text"),
    [
        ("open", errno.EACCES, "REPLAY_READ_FAILED", "cannot read at position=0: Permission deni"),
        ("open", errno.ENOENT, "REPLAY_SEGMENT_MISSING", "recording segment not found"),
        ("read_at", errno.EIO, "REPLAY_READ_FAILED", "cannot read at position=0: Input/output er"),
    ],
)
def test_replay_of_an_unreadable_segment_ends_with_the_error(operation, number, end, text):
    rig = Rig("/archive", files=MemoryFiles(directories=["/archive"]))
    recorded, _ = record_all(rig, [b"first"])
    target = rig.log()
    session = rig.replay(target, 0, recorded.position)
    rig.files.fail(operation, number)
    assert run(rig, session, target, []) == []
    assert session.end is ReplayEnd[end]
    assert session.error_number == number
    assert session.error_text().startswith(text)
    assert session.final_position == 0
    assert run(rig, (again := rig.replay(target, 0, recorded.position)), target, []) == [b"first"]
    assert again.end is ReplayEnd.REPLAY_COMPLETE
    rig.recorder.on_close()
    assert rig.files.open_count == 0


@pytest.mark.parametrize("beyond", [32, 64])
def test_limit_inside_a_frame_delays_that_frame(rig, beyond):
    recorded, _ = record_all(rig, [b"first", b"x" * 100, b"last"])
    limit = rig.counter(64 + beyond)
    target = rig.log()
    session = rig.replay(
        target,
        0,
        limit.get(),
        MAX,
        counters=rig.counters,
        limit_counter_id=limit.counter_id,
        limit_registration_id=limit.registration_id,
    )
    got = []
    for _ in range(5):
        rig.replayer.do_work()
    assert messages_of(target, got) == [b"first"]
    limit.set(recorded.position - 32)
    for _ in range(5):
        rig.replayer.do_work()
    assert messages_of(target, got) == [b"first", b"x" * 100]
    rig.counters.free(limit.counter_id, now_ms=0)
    assert run(rig, session, target, got) == [b"first", b"x" * 100]
    assert session.end is ReplayEnd.REPLAY_COMPLETE


def test_a_replay_without_a_subscriber_ends_at_the_connect_deadline(rig):
    recorded, _ = record_all(rig, [b"first"])
    target = rig.log()
    target.is_connected = False
    session = rig.replay(target, 0, recorded.position, connect_deadline_ns=0)
    run(rig, session, target, [])
    assert session.end is ReplayEnd.REPLAY_NOT_CONNECTED


def test_a_lost_subscriber_ends_the_replay(rig):
    recorded, _ = record_all(rig, [b"first"])
    target = rig.log()
    target.position_limit = 0
    session = rig.replay(target, 0, recorded.position)
    assert session.recording_id == 0
    rig.replayer.do_work()
    assert rig.replayer.session_count == 1
    target.is_connected = False
    run(rig, session, target, [])
    assert session.end is ReplayEnd.REPLAY_DISCONNECTED


def overwrite(rig, offset, data, base=0):
    with Path(rig.directory, f"0-{base}.rec").open("r+b") as file:
        file.seek(offset)
        file.write(data)


def test_a_hole_in_the_middle_is_an_unexpected_end(rig):
    recorded, _ = record_all(rig, [b"a" * 100, b"b" * 100])
    overwrite(rig, 160, bytes(160))
    target = rig.log()
    session = rig.replay(target, 0, recorded.position)
    run(rig, session, target, [])
    assert session.end is ReplayEnd.REPLAY_UNEXPECTED_END
    expected = "unexpected end of recording at position=160 (segmentOffset=160): frame length 0"
    assert session.error_text() == expected


@pytest.mark.parametrize("length", [0, 1, 31, 32, 100, 159, 160, 161, 192, 319])
def test_shortened_segment_is_an_unexpected_end_after_its_complete_frames(rig, length):
    recorded, _ = record_all(rig, [b"a" * 100, b"b" * 100])
    with Path(rig.directory, "0-0.rec").open("r+b") as file:
        file.truncate(length)
    target = rig.log()
    session = rig.replay(target, 0, recorded.position)
    assert run(rig, session, target, []) == [b"a" * 100][: length // 160]
    assert session.end is ReplayEnd.REPLAY_UNEXPECTED_END
    end = length // 160 * 160
    assert session.error_text().startswith(f"unexpected end of recording at position={end} ")


@pytest.mark.parametrize("length", [1, 31, -(2**31), 2**31 - 1, SEGMENT_LENGTH])
def test_a_damaged_length_is_an_error(rig, length):
    recorded, _ = record_all(rig, [b"a" * 100, b"b" * 100])
    overwrite(rig, 0, length.to_bytes(4, "little", signed=True))
    target = rig.log()
    session = rig.replay(target, 0, recorded.position)
    assert run(rig, session, target, []) == []
    assert session.end in (ReplayEnd.REPLAY_CORRUPT, ReplayEnd.REPLAY_UNEXPECTED_END)


def test_a_missing_segment_is_an_error(rig):
    recorded, _ = record_all(rig, [b"a" * 100])
    target = rig.log()
    session = rig.replay(target, 0, recorded.position, segment_base=-SEGMENT_LENGTH)
    run(rig, session, target, [])
    # The replay begins at the end of the missing segment, so it reads only the next one.
    assert session.end is ReplayEnd.REPLAY_COMPLETE
    target = rig.log(position=3 * SEGMENT_LENGTH)
    session = rig.replay(target, 3 * SEGMENT_LENGTH, 4 * SEGMENT_LENGTH)
    run(rig, session, target, [])
    assert session.end is ReplayEnd.REPLAY_SEGMENT_MISSING
    assert session.error_text() == "recording segment not found"


def test_a_wrong_checksum_is_an_error(tmp_path):
    rig = Rig(tmp_path, checksum=Checksum("CRC-32C"))
    recorded, _ = record_all(rig, [b"a" * 100, b"b" * 100])
    target = rig.log()
    assert run(rig, rig.replay(target, 0, recorded.position), target, []) == [
        b"a" * 100,
        b"b" * 100,
    ]
    overwrite(rig, 40, b"!")
    target = rig.log()
    session = rig.replay(target, 0, recorded.position)
    assert run(rig, session, target, []) == []
    assert session.end is ReplayEnd.REPLAY_CHECKSUM_MISMATCH


def test_wrong_checksum_is_reported_at_its_own_frame(tmp_path):
    rig = Rig(tmp_path, checksum=Checksum("CRC-32C"))
    recorded, _ = record_all(rig, [b"%03d" % number * 32 for number in range(100)])
    before = rig.segment(0)
    overwrite(rig, 57 * 128 + 40, b"!")
    target = rig.log()
    session = rig.replay(target, 0, recorded.position)
    assert run(rig, session, target, []) == []
    assert session.fault_position == 57 * 128
    expected = int.from_bytes(before[57 * 128 + 12 :][:4], "little", signed=True)
    text = f"CRC checksum mismatch at position={57 * 128} (segmentOffset={57 * 128}): recorded"
    assert session.error_text().startswith(f"{text} checksum={expected}, computed checksum=")


def record_mixed(tmp_path, *, is_first_checked):
    """Record the first half without checksums and the second with them, or the other way round."""
    checksum = Checksum("CRC-32C")
    halves = [b"a" * 100] * 20, [b"b" * 100] * 20
    position = 0
    for half, is_checked in zip(halves, (is_first_checked, not is_first_checked), strict=True):
        rig = Rig(tmp_path, checksum=checksum if is_checked else None)
        log = rig.log(session_id=5, position=position)
        session = rig.record(log, position=position)
        for message in half:
            while log.offer(message) < 0:
                pass
        rig.drain()
        position = session.position
        rig.recorder.on_close()
    return Rig(tmp_path), checksum, position


def test_frames_written_before_checksums_are_read_and_later_ones_verified(tmp_path):
    rig, checksum, end = record_mixed(tmp_path, is_first_checked=False)
    half = end // 2
    known = {"checksum": checksum, "checksum_position": half}
    target = rig.log()
    got = run(rig, rig.replay(target, 0, end, **known), target, [])
    assert got == [b"a" * 100] * 20 + [b"b" * 100] * 20
    overwrite(rig, half + 160 + 50, b"!")
    target = rig.log()
    session = rig.replay(target, 0, end, **known)
    run(rig, session, target, [])
    assert session.end is ReplayEnd.REPLAY_CHECKSUM_MISMATCH
    assert session.fault_position == half + 160


def test_frames_before_checksums_fail_if_verified(tmp_path):
    rig, checksum, end = record_mixed(tmp_path, is_first_checked=False)
    target = rig.log()
    session = rig.replay(target, 0, end, checksum=checksum, checksum_position=0)
    assert run(rig, session, target, []) == []
    assert session.end is ReplayEnd.REPLAY_CHECKSUM_MISMATCH


# The checksum does not cover a frame's header. Positions, type and version must have the expected
# values, and so must the flags that begin and end messages. Bits that cannot be checked: other
# flags, the reserved value, and those of the length that only add trailing zeros to a message.
UNCHECKED_BITS = {*range(5 * 8, 5 * 8 + 6), *range(24 * 8, 32 * 8), 0, 1, 3, 4}
STREAM_ID_BITS = range(16 * 8, 20 * 8)  # a replay replaces the stream id


def test_each_flipped_bit_of_a_frame_is_detected_there(tmp_path):
    rig = Rig(tmp_path, checksum=Checksum("CRC-32C"))
    messages = [b"%03d" % number * 33 + b"!" for number in range(5)]
    recorded, _ = record_all(rig, messages)
    segment = Path(rig.directory, "0-0.rec")
    whole = segment.read_bytes()
    begin = 2 * 160
    for bit in range(160 * 8):
        offset = begin + bit // 8
        overwrite(rig, offset, bytes([whole[offset] ^ 1 << bit % 8]))
        target = rig.log()
        session = rig.replay(target, 0, recorded.position)
        got = run(rig, session, target, [])
        if bit not in UNCHECKED_BITS and bit not in STREAM_ID_BITS:
            assert session.end is not ReplayEnd.REPLAY_COMPLETE, (bit, got)
            assert session.fault_position == begin
            assert f"at position={begin} " in session.error_text()
        elif bit in STREAM_ID_BITS:
            assert got == messages
        overwrite(rig, offset, whole[offset : offset + 1])


def test_padding_at_the_end_of_a_term_is_not_damage(tmp_path):
    rig = Rig(tmp_path, checksum=Checksum("CRC-32C"))
    recorded, _ = record_all(rig)
    target = rig.log()
    got = run(rig, rig.replay(target, 0, recorded.position), target, [])
    assert b"".join(got) == b"".join(MESSAGES)


MTU = 1408
PARTS = 3
BEGIN, MIDDLE, END, WHOLE = 0x80, 0, 0x40, 0xC0


def flags_of(rig):
    """Return the flags and lengths of all frames of the first segment, by offset."""
    segment, offset, found = rig.segment(0), 0, {}
    while (length := int.from_bytes(segment[offset : offset + 4], "little")) > 0:
        found[offset] = segment[offset + 5], length
        offset += -(-length // 32) * 32
    return found


def verified_replay(rig, limit, position=0, **known):
    """Replay with all checks; return the session and the messages."""
    target = rig.log(position=position)
    known = {"checksum": Checksum("CRC-32C"), "stream_position": 0, **known}
    session = rig.replay(target, position, limit, **known)
    return session, run(rig, session, target, [])


@pytest.mark.parametrize("flag", [BEGIN, END])
def test_flipped_flag_is_detected_at_that_frame_or_the_next(tmp_path, flag):
    """Unfragmented and fragmented messages, and one exactly as long as a fragment."""
    rig = Rig(tmp_path, checksum=Checksum("CRC-32C"))
    part = MTU - 32
    messages = [b"a", b"b" * part * PARTS, b"c" * 100, b"d" * part, b"e" * (part + 1), b"f"]
    recorded, _ = record_all(rig, messages)
    frames = flags_of(rig)
    assert [each for each, _ in frames.values()] == [
        *(WHOLE, BEGIN, MIDDLE, END, WHOLE, WHOLE, BEGIN, END, WHOLE),
    ]
    session, got = verified_replay(rig, recorded.position)
    assert (b"".join(got), session.end) == (b"".join(messages), ReplayEnd.REPLAY_COMPLETE)
    following = dict(zip(frames, list(frames)[1:], strict=False))
    for offset, (flags, _) in frames.items():
        overwrite(rig, offset + 5, bytes([flags ^ flag]))
        session, _ = verified_replay(rig, recorded.position)
        assert session.end is ReplayEnd.REPLAY_CORRUPT, offset
        assert session.fault_position in (offset, following.get(offset))
        assert "flags" in session.error_text()
        overwrite(rig, offset + 5, bytes([flags]))


def record_parts(tmp_path, *parts):
    """Record consecutive streams; the last one ends after the given number of fragments.

    Each part is a list of messages and the number of fragments recorded before the stream stops.
    """
    position, begins = 0, []
    for messages, count in parts:
        rig = Rig(tmp_path, checksum=Checksum("CRC-32C"))
        log = rig.log(session_id=5 + len(begins), position=position)
        begins.append(position)
        for message in messages:
            log.offer(message)
        rig.record(log, position=position)
        rig.drain()
        frames = [each for each in flags_of(rig) if each >= position]
        limit = [*frames, log.producer_position][count]
        overwrite(rig, limit, bytes(log.producer_position - limit))
        rig.recorder.on_close()
        position = limit
    return Rig(tmp_path), begins, position


LONG = b"x" * (MTU - 32) * PARTS


@pytest.mark.parametrize("count", range(PARTS + 1))
def test_stream_stopped_in_a_message_before_another_is_not_damage(tmp_path, count):
    rig, begins, end = record_parts(tmp_path, ([LONG], count), ([b"new", LONG], PARTS + 1))
    session, got = verified_replay(rig, end, stream_position=begins[1])
    assert session.end is ReplayEnd.REPLAY_COMPLETE, session.error_text()
    assert got[count:] == [b"new", *[LONG[: MTU - 32]] * PARTS]
    if 0 < count < PARTS:
        # Within one stream it is damage.
        session, _ = verified_replay(rig, end)
        assert (session.end, session.fault_position) == (ReplayEnd.REPLAY_CORRUPT, begins[1])
        session, _ = verified_replay(rig, end, stream_limit=begins[1])
        assert session.end is ReplayEnd.REPLAY_COMPLETE


@pytest.mark.parametrize("count", range(1, PARTS))
def test_end_of_the_stream_may_be_set_while_it_is_replayed(tmp_path, count):
    """A replay that another counter limits continues into the next stream of its recording."""
    rig, begins, end = record_parts(tmp_path, ([LONG], count), ([b"new"], 1))
    target = rig.log()
    limit = rig.counter(begins[1])
    session = rig.replay(
        target,
        0,
        begins[1],
        end,
        counters=rig.counters,
        limit_counter_id=limit.counter_id,
        limit_registration_id=7,
        checksum=Checksum("CRC-32C"),
        stream_position=0,
    )
    got = []
    for _ in range(5):
        rig.replayer.do_work()
    session.set_stream_limit(begins[1])
    limit.set(end)
    run(rig, session, target, got)
    assert session.end is ReplayEnd.REPLAY_COMPLETE, session.error_text()
    assert got == [*[LONG[: MTU - 32]] * count, b"new"]


@pytest.mark.parametrize("length", range(129, 132))
def test_shortened_frame_with_data_after_its_end_is_damaged(tmp_path, length):
    """The checksum includes the alignment, so that it is correct."""
    rig = Rig(tmp_path, checksum=Checksum("CRC-32C"))
    recorded, _ = record_all(rig, [b"a" * 100, b"b"])
    overwrite(rig, 0, length.to_bytes(4, "little"))
    session, got = verified_replay(rig, recorded.position)
    assert (session.end, session.fault_position, got) == (ReplayEnd.REPLAY_CORRUPT, 0, [])
    assert f" {length}, expected " in session.error_text()


def test_a_replay_may_begin_and_end_in_a_message(tmp_path):
    rig = Rig(tmp_path, checksum=Checksum("CRC-32C"))
    recorded, _ = record_all(rig, [LONG, b"a", LONG])
    frames = list(flags_of(rig))
    for begin in frames:
        for end in [*frames, recorded.position]:
            if begin < end:
                session, _ = verified_replay(rig, end, begin)
                assert session.end is ReplayEnd.REPLAY_COMPLETE, (begin, end)


def test_padding_may_replace_the_rest_of_a_message(tmp_path):
    """As in an unblocked log after the publisher was killed between two fragments."""
    rig = Rig(tmp_path, checksum=Checksum("CRC-32C"))
    recorded, _ = record_all(rig, [LONG, b"a"])
    overwrite(rig, MTU, (2 * MTU).to_bytes(4, "little"))
    overwrite(rig, MTU + 6, bytes(2))
    overwrite(rig, MTU + 12, bytes(4))
    session, got = verified_replay(rig, recorded.position)
    assert (session.end, got[1:]) == (ReplayEnd.REPLAY_COMPLETE, [b"a"])


def test_flags_are_not_checked_where_checksums_are_unknown(rig):
    recorded, _ = record_all(rig, [b"a", b"b"])
    overwrite(rig, 5, bytes([END]))
    target = rig.log()
    session = rig.replay(target, 0, recorded.position)
    run(rig, session, target, [])
    assert session.end is ReplayEnd.REPLAY_COMPLETE


@pytest.mark.parametrize(
    ("offset", "length"), [(6, 2), (8, 4), (20, 4)], ids=["type", "term offset", "term id"]
)
def test_frame_of_another_type_or_place_is_an_error(rig, offset, length):
    recorded, _ = record_all(rig, [b"x" * 32] * 4)
    overwrite(rig, 64 + offset, (4096).to_bytes(length, "little"))
    target = rig.log(position=64)
    session = rig.replay(target, 64, recorded.position)
    assert run(rig, session, target, []) == []
    assert session.end is ReplayEnd.REPLAY_CORRUPT


def test_a_limit_inside_padding_does_not_end_the_replay(rig):
    log, counter = rig.log(session_id=1, stream_id=10), rig.counter()
    recorded = rig.record(log, counter=counter)
    sent = [b"%04d" % number * 300 for number in range(120)]
    for each in sent:
        while log.offer(each) < 0:
            pass
        rig.drain()
    segment, padding = rig.segment(0), 0
    while int.from_bytes(segment[padding + 6 : padding + 8], "little") != 0:
        padding += -(-int.from_bytes(segment[padding : padding + 4], "little") // 32) * 32
    limit, target, got = rig.counter(padding + 32), rig.log(), []
    rig.replay(
        target,
        0,
        limit.get(),
        MAX,
        counters=rig.counters,
        limit_counter_id=limit.counter_id,
        limit_registration_id=limit.registration_id,
    )
    for value in (padding + 32, recorded.position):
        limit.set(value)
        for _ in range(1000):
            rig.replayer.do_work()
            messages_of(target, got)
    assert got == sent
