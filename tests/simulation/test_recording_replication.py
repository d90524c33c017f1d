"""A member's replication of another member's recording: two archives in virtual time."""

import contextlib

import pytest

from aeron_cluster.archive.client.replication_params import ReplicationParams
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.cluster.log.recording_replication import RecordingReplication
from aeron_cluster.codecs.archive import RecordingSignal
from aeron_cluster.errors import ArchiveError, ClusterError
from tests.unit.archive.pair_rig import CONTROL_STREAM_ID, MS, Pair, S


@pytest.fixture
def pair():
    with contextlib.closing(Pair(dst={"archive_client": {"message_timeout_ns": 2 * S}})) as made:
        yield made


def replicate(pair, recording_id, channel=None, timeout_ns=10 * S, **params):
    pair.dst.signals.clear()
    pair.dst.late_errors.clear()
    return RecordingReplication(
        pair.dst.archive,
        recording_id,
        CONTROL_STREAM_ID,
        channel or pair.src.control_channel,
        ReplicationParams(**params),
        progress_timeout_ns=timeout_ns,
        progress_interval_ns=10 * MS,
        now_ns=pair.world.time.now_ns,
    )


def run(pair, replication, is_done):
    """Do an owner's work until a condition holds."""
    taken = 0

    def step():
        nonlocal taken
        pair.dst.archive.poll()
        while taken < len(pair.dst.signals):
            taken += 1
            replication.on_signal(pair.dst.signals[taken - 1])
        replication.poll(pair.world.time.now_ns)
        return is_done()

    pair.run_until(step)


def test_a_term_of_the_log_is_replicated_up_to_its_end(pair):
    src_id, stop = pair.src.finished(300)
    dst_id = -1
    for end in (stop // 3 // 32 * 32, stop):
        replication = replicate(pair, src_id, dst_recording_id=dst_id, stop_position=end)
        run(
            pair,
            replication,
            lambda each=replication: each.is_done,
        )
        dst_id = replication.recording_id
        assert replication.position >= end
        assert replication.position == pair.dst.archive.get_stop_position(dst_id)
        assert replication.last_signal is RecordingSignal.STOP
        assert replication.error is None
    assert replication.has_synced
    assert pair.dst.segment_bytes(dst_id) == pair.src.segment_bytes(src_id)


def test_reports_its_position_while_it_follows(pair):
    publication, src_id = pair.src.record()
    replication = replicate(pair, src_id)
    for count in (50, 100):
        position = pair.src.publish(publication, 50, start=count - 50)
        run(pair, replication, lambda position=position: replication.position == position)
    assert not replication.has_replication_ended
    replication.close()
    pair.dst.await_signal("STOP")
    assert pair.dst.archive.get_stop_position(replication.recording_id) == position


def test_stuck_replication_is_abandoned_and_stopped(pair):
    publication, src_id = pair.src.record()
    pair.src.publish(publication, 10)
    replication = replicate(pair, src_id, timeout_ns=S, stop_position=1 << 20)
    with pytest.raises(ClusterError, match="has not progressed"):
        run(pair, replication, lambda: False)
    pair.dst.await_signal("STOP")
    pair.run_until(lambda: pair.src.counter("Archive Replay Sessions") == 0)


def test_an_immediate_close_leaves_nothing_open(pair):
    publication, src_id = pair.src.record()
    pair.src.publish(publication, 10)
    replication = replicate(pair, src_id)
    replication.close()
    pair.dst.await_signal("REPLICATE_END")
    assert not pair.dst.archive.list_recording_subscriptions()


def test_reports_why_it_ended(pair):
    replication = replicate(pair, 99)
    with pytest.raises(ArchiveError, match="unknown src recording id 99") as failure:
        run(pair, replication, lambda: False)
    assert failure.value.code == ArchiveErrorCode.UNKNOWN_RECORDING
    assert not replication.has_synced
    assert pair.dst.late_errors == []
    replication = replicate(pair, 0, channel="aeron:udp?endpoint=src:8999")
    with pytest.raises(ArchiveError, match="connection failed") as failure:
        run(pair, replication, lambda: False)
    assert failure.value.code == ArchiveErrorCode.REPLICATION_CONNECTION_FAILURE
    replication = replicate(pair, 0, dst_recording_id=99)
    with pytest.raises(ArchiveError, match="unknown destination recording id 99"):
        run(pair, replication, lambda: False)
