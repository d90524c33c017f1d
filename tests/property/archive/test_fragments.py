"""Streams that stop inside messages and continue each other: every part can be replayed."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.archive.replay.replayer import ReplayEnd
from tests.unit.archive.test_replayer import MTU, flags_of, overwrite, record_parts, verified_replay

PART = MTU - 32
LENGTHS = st.sampled_from([0, 1, 100, PART - 1, PART, PART + 1, 2 * PART, 3 * PART + 5])


def fragments(messages):
    return sum(max(1, -(-len(each) // PART)) for each in messages)


@st.composite
def streams(draw):
    """Messages, and the number of their recorded fragments."""
    messages = [bytes([1]) * each for each in draw(st.lists(LENGTHS, min_size=1, max_size=4))]
    return messages, draw(st.integers(1, fragments(messages)))


@given(st.lists(streams(), min_size=1, max_size=4), st.data())
def test_every_part_of_consecutive_streams_is_replayed(parts, data):
    with tempfile.TemporaryDirectory() as directory:
        rig, begins, end = record_parts(Path(directory), *parts)
        places = [*(each for each in flags_of(rig) if each < end), end]
        begin = data.draw(st.sampled_from(places[:-1]))
        limit = data.draw(st.sampled_from([each for each in places if each > begin]))
        session, _ = verified_replay(rig, limit, begin, stream_position=begins[-1])
        assert session.end is ReplayEnd.REPLAY_COMPLETE, session.error_text()
        rig.recorder.on_close()
        rig.replayer.on_close()


@given(streams(), st.data())
def test_flipped_flag_of_one_stream_is_rejected_except_in_a_last_full_frame(part, data):
    with tempfile.TemporaryDirectory() as directory:
        rig, _, end = record_parts(Path(directory), part)
        frames = flags_of(rig)
        offset = data.draw(st.sampled_from(sorted(frames)))
        flags, length = frames[offset]
        flag = data.draw(st.sampled_from([0x80, 0x40]))
        overwrite(rig, offset + 5, bytes([flags ^ flag]))
        session, _ = verified_replay(rig, end)
        if flag == 0x40 and length == MTU and offset == max(frames):
            return  # the stream may have stopped here
        assert session.end is ReplayEnd.REPLAY_CORRUPT
