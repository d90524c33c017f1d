"""Recordings are read back unchanged: files compared with the log, replays with the messages."""

import tempfile

from hypothesis import given, settings
from hypothesis import strategies as st

from aeron_cluster.archive.replay.replayer import ReplayEnd
from aeron_cluster.archive.storage.checksum import Checksum
from tests.unit.archive.recordings_rig import TERM_LENGTH, Rig, messages_of

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("offer"), st.integers(0, 1376)),
        st.tuples(st.just("offer"), st.integers(1377, 8000)),
        st.tuples(st.just("pad"), st.integers(0, 3000)),
        st.tuples(st.just("record"), st.integers(1, 3)),
    ),
    max_size=120,
)


@settings(max_examples=60, deadline=None)
@given(
    STEPS,
    st.integers(0, 3 * TERM_LENGTH // 32).map(lambda n: n * 32),
    st.sampled_from([None, "CRC-32"]),
    st.integers(1, 20000),
)
def test_a_stream_of_fragments_and_padding_is_replayed_as_it_was(steps, start, checksum, window):
    with tempfile.TemporaryDirectory(prefix="aeron-cluster-test-") as directory:
        rig = Rig(directory, checksum=Checksum(checksum) if checksum else None)
        log = rig.log(position=start)
        recorded = rig.record(log, position=start)
        rig.drain()
        sent = []
        for number, (kind, size) in enumerate(steps):
            if kind == "offer":
                message = bytes([number % 256]) * size
                while (result := log.offer(message)) < 0:
                    assert result == -3
                sent.append(message)
            elif kind == "pad":
                while log.append_padding(size) < 0:
                    pass
            if kind == "record" or log.producer_position - recorded.position > TERM_LENGTH:
                rig.drain()
        rig.drain()
        assert recorded.position == log.producer_position

        target = rig.log(position=start, session_id=99, stream_id=98)
        session = rig.replay(
            target, start, recorded.position, segment_base=start - start % TERM_LENGTH
        )
        received = []
        for _ in range(100_000):
            target.position_limit = target.subscriber_position + window
            rig.replayer.do_work()
            messages_of(target, received)
            if rig.replayer.has_finished:
                break
        assert rig.replayer.take_finished() == [session]
        assert session.end is ReplayEnd.REPLAY_COMPLETE
        assert session.final_position == recorded.position == target.producer_position
        assert b"".join(received) == b"".join(sent)
        rig.recorder.on_close()
