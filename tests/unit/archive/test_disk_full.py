"""A full disk ends a recording with that error; the recorded part can be read."""

import errno

import pytest

from aeron_cluster.archive.recording.recorder import RecordingEnd
from aeron_cluster.archive.replay.replayer import ReplayEnd
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from tests.unit.archive.recordings_rig import Rig, messages_of

PAGE = 4096


@pytest.fixture
def rig():
    made = Rig("/archive", files=MemoryFiles(capacity=24 * PAGE, directories=["/archive"]))
    yield made
    made.recorder.on_close()
    made.replayer.on_close()


def fill(rig):
    """Record until the disk is full; return the session and the accepted messages."""
    log = rig.log()
    session = rig.record(log)
    sent = []
    while not rig.recorder.has_finished:
        message = b"%06d" % len(sent) * 150
        while log.offer(message) < 0:
            pass
        sent.append(message)
        rig.drain()
        assert len(sent) < 1000
    assert rig.recorder.take_finished() == [session]
    return session, sent


def test_the_recording_ends_with_the_error_of_the_disk(rig):
    session, _ = fill(rig)
    assert session.end is RecordingEnd.RECORDING_WRITE_FAILED
    assert session.error_number == errno.ENOSPC
    assert "No space left on device" in session.error_text("/archive")
    assert session.final_position == session.position > 0


def test_recorded_data_can_be_replayed(rig):
    session, sent = fill(rig)
    target = rig.log()
    replay = rig.replay(target, 0, session.final_position)
    got = []
    for _ in range(1000):
        rig.replayer.do_work()
        messages_of(target, got)
        if rig.replayer.has_finished:
            break
    assert rig.replayer.take_finished() == [replay]
    assert replay.end is ReplayEnd.REPLAY_COMPLETE
    # The message that did not fit was never reported.
    assert got == sent[:-1]


@pytest.mark.parametrize(
    ("operation", "end"),
    [
        ("open", RecordingEnd.RECORDING_OPEN_FAILED),
        ("truncate", RecordingEnd.RECORDING_OPEN_FAILED),
        ("write_at", RecordingEnd.RECORDING_WRITE_FAILED),
    ],
)
def test_each_failing_call_is_an_end_with_its_errno(rig, operation, end):
    log = rig.log()
    rig.files.fail(operation, errno.EIO)
    session = rig.record(log)
    log.offer(b"lost")
    rig.drain()
    assert rig.recorder.take_finished() == [session]
    assert (session.end, session.error_number) == (end, errno.EIO)
    assert session.position == 0


def test_a_failing_sync_is_an_end_and_nothing_is_acknowledged(rig):
    synced = Rig("/archive", files=rig.files, sync_level=1)
    log = synced.log()
    session = synced.record(log)
    synced.drain()
    rig.files.fail("sync", errno.EIO)
    log.offer(b"not safe")
    synced.drain()
    assert synced.recorder.take_finished() == [session]
    assert session.end is RecordingEnd.RECORDING_SYNC_FAILED
    assert session.position == 0


def test_a_sync_level_syncs_each_block_before_it_is_acknowledged(rig):
    synced = Rig("/archive", files=rig.files, sync_level=2)
    log = synced.log()
    session = synced.record(log)
    for _ in range(5):
        log.offer(b"safe")
        synced.drain()
    assert session.position == 5 * 64
    assert rig.files.unsynced("/archive/0-0.rec") == 0
    synced.recorder.on_close()
