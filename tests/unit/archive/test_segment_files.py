"""The file agent creates the next segment in advance; unused segments are removed."""

import errno

import pytest

from aeron_cluster.archive.recording.recorder import RecordingEnd
from aeron_cluster.archive.storage.segments import remove_unfinished
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from tests.unit.archive.recordings_rig import SEGMENT_LENGTH, TERM_LENGTH, Rig, clean

PAGE = 4096
MESSAGE = bytes(range(1, 225))
FRAME_LENGTH = 256
DIRECTORY = "/archive"


@pytest.fixture
def rig():
    made = Rig(DIRECTORY, files=MemoryFiles(directories=[DIRECTORY]))
    yield made
    made.recorder.on_close()
    made.segment_files.on_close()


def offer(rig, log, session, length):
    """Offer complete frames of the given total length, and record them without the file agent."""
    end = session.position + length
    while session.position < end:
        log.offer(MESSAGE)
        while rig.recorder.do_work():
            pass
        clean(log, session.position)


def names(rig):
    return sorted(rig.files.list(DIRECTORY))


def test_it_is_requested_when_half_of_the_segment_is_full(rig):
    log = rig.log()
    session = rig.record(log)
    offer(rig, log, session, SEGMENT_LENGTH // 2 - FRAME_LENGTH)
    assert rig.segment_files.do_work() == 0
    offer(rig, log, session, FRAME_LENGTH)
    assert rig.segment_files.do_work() == 1
    assert names(rig) == ["0-0.rec", f"0-{SEGMENT_LENGTH}.rec.new"]
    new = f"{DIRECTORY}/0-{SEGMENT_LENGTH}.rec.new"
    assert rig.files.page_count(new) * PAGE == SEGMENT_LENGTH
    offer(rig, log, session, SEGMENT_LENGTH // 2)
    assert names(rig) == ["0-0.rec", f"0-{SEGMENT_LENGTH}.rec"]
    open_before = rig.files.open_count
    assert rig.segment_files.do_work() == 1  # closes the full segment
    assert rig.files.open_count == open_before - 1


def test_recorder_creates_a_segment_if_the_file_thread_is_late(rig):
    log = rig.log()
    session = rig.record(log)
    offer(rig, log, session, 4 * SEGMENT_LENGTH + FRAME_LENGTH)
    assert [f"0-{base * SEGMENT_LENGTH}.rec" for base in range(5)] == names(rig)
    while rig.segment_files.do_work():
        pass
    assert rig.files.open_count == 1
    offer(rig, log, session, SEGMENT_LENGTH)
    rig.segment_files.do_work()
    session.abort()
    rig.drain()
    assert rig.recorder.take_finished() == [session]
    assert rig.files.open_count == 0


def test_prepared_segments_are_removed_with_the_recording(rig):
    log = rig.log()
    session = rig.record(log)
    offer(rig, log, session, SEGMENT_LENGTH // 2)
    rig.segment_files.do_work()
    assert len(names(rig)) == 2
    session.abort()
    rig.recorder.do_work()
    assert not rig.recorder.has_finished  # the file agent ends it
    rig.segment_files.do_work()
    assert rig.recorder.take_finished() == [session]
    assert session.end is RecordingEnd.RECORDING_ABORTED
    assert names(rig) == ["0-0.rec"]
    assert rig.files.open_count == 0


def test_ending_recording_cancels_its_next_segment(rig):
    log = rig.log()
    session = rig.record(log)
    offer(rig, log, session, SEGMENT_LENGTH // 2)
    session.abort()
    rig.recorder.do_work()
    rig.segment_files.do_work()
    assert rig.recorder.take_finished() == [session]
    assert names(rig) == ["0-0.rec"]


def test_low_space_prevents_preparing_a_segment():
    rig = Rig(
        DIRECTORY,
        files=MemoryFiles(directories=[DIRECTORY], capacity=SEGMENT_LENGTH * 2),
    )
    log = rig.log()
    session = rig.record(log)
    offer(rig, log, session, SEGMENT_LENGTH // 2)
    rig.segment_files.do_work()
    assert rig.files.page_count(f"{DIRECTORY}/0-{SEGMENT_LENGTH}.rec.new") == 0
    offer(rig, log, session, SEGMENT_LENGTH // 2 + TERM_LENGTH)
    assert session.position == SEGMENT_LENGTH + TERM_LENGTH
    rig.recorder.on_close()
    rig.segment_files.on_close()


@pytest.mark.parametrize("operation", ["open", "truncate", "allocate"])
def test_failed_segment_is_retried_when_needed(rig, operation):
    log = rig.log()
    session = rig.record(log)
    offer(rig, log, session, SEGMENT_LENGTH // 2)
    rig.files.fail(operation, errno.EIO)
    rig.segment_files.do_work()
    assert names(rig) == ["0-0.rec"]
    assert rig.files.open_count == 1
    offer(rig, log, session, SEGMENT_LENGTH)
    assert session.end is RecordingEnd.RECORDING_ACTIVE
    assert names(rig) == ["0-0.rec", f"0-{SEGMENT_LENGTH}.rec"]


def test_existing_segment_is_not_replaced(rig):
    log = rig.log()
    session = rig.record(log)
    offer(rig, log, session, SEGMENT_LENGTH // 2)
    rig.segment_files.do_work()
    with rig.files.open(f"{DIRECTORY}/0-{SEGMENT_LENGTH}.rec", create=True) as file:
        file.write_at(b"somebody's", 0)
    offer(rig, log, session, SEGMENT_LENGTH // 2)
    rig.drain()
    assert rig.recorder.take_finished() == [session]
    assert session.end is RecordingEnd.RECORDING_OPEN_FAILED
    assert session.error_number == errno.EEXIST
    assert rig.files.read(f"{DIRECTORY}/0-{SEGMENT_LENGTH}.rec") == b"somebody's"
    assert len(names(rig)) == 2
    assert rig.files.open_count == 0


def test_segments_prepared_by_a_killed_archive_are_removed(rig):
    log = rig.log()
    session = rig.record(log)
    offer(rig, log, session, SEGMENT_LENGTH // 2)
    rig.segment_files.do_work()
    remove_unfinished(rig.files, DIRECTORY)
    assert names(rig) == ["0-0.rec"]


def test_the_agent_of_files_is_named(rig):
    assert rig.segment_files.role_name == "archive-files"
