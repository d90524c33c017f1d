import errno
import zlib
from pathlib import Path

import pytest

from aeron_cluster.archive.recording.recorder import RecordingEnd
from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.errors import ConfigurationError, CorruptError
from tests.unit.archive.recordings_rig import SEGMENT_LENGTH, TERM_LENGTH, Rig
from tests.unit.cluster.streams import Streams


@pytest.fixture
def rig(tmp_path):
    made = Rig(tmp_path)
    yield made
    made.recorder.on_close()


def test_frames_in_the_file_equal_those_in_the_log(rig):
    log = rig.log()
    session = rig.record(log)
    for number in range(100):
        log.offer(b"%d" % number * 10)
    rig.drain()
    recorded = rig.segment(0)
    assert session.position == log.producer_position
    assert recorded[: session.position] == bytes(memoryview(log)[: session.position])
    assert len(recorded) == SEGMENT_LENGTH
    assert not any(recorded[session.position :])


def test_a_block_is_written_with_one_pass(rig):
    log = rig.log()
    rig.record(log)
    for _ in range(50):
        log.offer(b"x" * 100)
    assert rig.recorder.do_work() == 2  # the work count: a session added and a block written
    assert rig.recorder.do_work() == 0


def test_of_a_padding_frame_only_the_header_is_written(rig):
    log = rig.log()
    session = rig.record(log)
    log.offer(b"first")
    log.append_padding(1000)
    # The log has old bytes after the padding's header, as a reused term does.
    memoryview(log)[64 + 32 : 64 + 1032] = b"\xee" * 1000
    log.offer(b"second")
    rig.drain()
    recorded = rig.segment(0)
    assert recorded[64:96] == bytes(memoryview(log)[64:96])
    assert not any(recorded[96 : 64 + 1056])
    assert session.position == log.producer_position == 64 + 1056 + 64


def test_next_segment_exists_once_one_is_full(rig):
    log = rig.log()
    session = rig.record(log)
    while session.position < SEGMENT_LENGTH:
        log.offer(b"x" * (1024 - 32))
        rig.drain()
    assert sorted(each.name for each in Path(rig.directory).iterdir()) == [
        "0-0.rec",
        f"0-{SEGMENT_LENGTH}.rec",
    ]
    assert not any(rig.segment(SEGMENT_LENGTH))


def test_existing_segment_ends_the_recording(rig):
    log = rig.log()
    session = rig.record(log)
    rig.drain()
    Path(rig.directory, f"0-{SEGMENT_LENGTH}.rec").write_bytes(b"somebody's")
    while session.position < SEGMENT_LENGTH:
        log.offer(b"x" * (1024 - 32))
        rig.drain()
    assert rig.recorder.take_finished() == [session]
    assert session.end is RecordingEnd.RECORDING_OPEN_FAILED
    assert session.error_number == errno.EEXIST
    assert session.final_position == SEGMENT_LENGTH
    assert "already exists" in session.error_text(rig.directory)
    assert rig.segment(SEGMENT_LENGTH) == b"somebody's"


def test_a_recording_ends_with_its_image(rig):
    log = rig.log()
    session = rig.record(log)
    log.offer(b"last")
    rig.drain()
    log.close_image()
    rig.drain()
    assert rig.recorder.has_finished
    assert rig.recorder.take_finished() == [session]
    assert session.end is RecordingEnd.RECORDING_STREAM_ENDED
    assert session.final_position == 64
    assert not rig.recorder.has_finished


def test_aborted_recording_retains_its_written_part(rig):
    log = rig.log()
    session = rig.record(log)
    log.offer(b"kept")
    rig.drain()
    session.abort()
    log.offer(b"not any more")
    rig.drain()
    assert rig.recorder.take_finished() == [session]
    assert session.end is RecordingEnd.RECORDING_ABORTED
    assert session.final_position == session.position == 64


def test_a_missing_directory_is_an_error_with_its_errno(tmp_path):
    rig = Rig(tmp_path / "missing")
    session = rig.record(rig.log())
    rig.drain()
    assert rig.recorder.take_finished() == [session]
    assert session.end is RecordingEnd.RECORDING_OPEN_FAILED
    assert session.error_number == errno.ENOENT
    assert "missing/0-0.rec" in session.error_text(rig.directory)


def test_data_after_the_position_is_erased_when_a_recording_is_extended(rig):
    position = 2 * TERM_LENGTH + 64
    Path(rig.directory, f"0-{2 * TERM_LENGTH}.rec").write_bytes(b"\x11" * SEGMENT_LENGTH)
    rig.record(rig.log(position=position), position=position)
    rig.drain()
    recorded = rig.segment(2 * TERM_LENGTH)
    assert recorded == b"\x11" * 64 + bytes(SEGMENT_LENGTH - 64)


@pytest.mark.parametrize("name", ["CRC-32", "io.aeron.archive.checksum.Crc32"])
def test_a_checksum_replaces_the_session_id(tmp_path, name):
    rig = Rig(tmp_path, checksum=Checksum(name))
    log = rig.log(session_id=77)
    rig.record(log)
    log.offer(b"payload that is not a multiple of anything")
    log.append_padding(64)
    rig.drain()
    recorded = rig.segment(0)
    expected = zlib.crc32(recorded[32:96])
    assert int.from_bytes(recorded[12:16], "little") == expected
    assert int.from_bytes(recorded[96 + 12 : 96 + 16], "little") == 77
    assert int.from_bytes(bytes(memoryview(log)[12:16]), "little") == 77


def test_crc_32c_of_the_standard_vector():
    assert Checksum("CRC-32C")(b"123456789") & 0xFFFFFFFF == 0xE3069283
    assert Checksum("CRC-32")(b"123456789") & 0xFFFFFFFF == zlib.crc32(b"123456789")


def test_an_unknown_checksum_is_rejected_with_the_nearest_one():
    with pytest.raises(ConfigurationError, match="did you mean CRC-32C"):
        Checksum("CRC-33C")


def test_written_bytes_are_counted(tmp_path):
    rig = Rig(tmp_path)
    counters = [rig.counter() for _ in range(3)]
    rig = Rig(tmp_path, counters=counters)
    log = rig.log()
    session = rig.record(log)
    begin_ns = rig.clock.nano_time()
    for _ in range(3):
        log.offer(b"x" * 500)
        rig.drain()
    longest, total_bytes, total_time = (counter.get() for counter in counters)
    assert total_bytes == session.position
    assert 0 < longest < total_time <= rig.clock.nano_time() - begin_ns


@pytest.mark.parametrize("is_bad_first", [True, False])
def test_an_image_with_a_bad_frame_ends_its_recording_and_no_other(rig, tmp_path, is_bad_first):
    (tmp_path / "streams").mkdir()
    streams = Streams(tmp_path / "streams")
    bad, good = streams.stream(1), streams.stream(2)
    for recording_id, stream in enumerate((bad, good) if is_bad_first else (good, bad)):
        stream.session = rig.record(stream.image(), recording_id=recording_id)
        stream.publication.offer(b"first")
    rig.drain()
    bad.bytes[64:68] = (7).to_bytes(4, "little")
    good.publication.offer(b"second")
    with pytest.raises(CorruptError):
        rig.recorder.do_work()
    assert good.session.position == 128
    assert rig.recorder.take_finished() == [bad.session]
    assert bad.session.end is RecordingEnd.RECORDING_STREAM_ENDED
    assert bad.session.final_position == 64
    good.publication.offer(b"third")
    rig.recorder.do_work()
    assert good.session.position == 192


def test_each_of_two_bad_images_in_a_pass_is_raised(rig, tmp_path):
    (tmp_path / "streams").mkdir()
    streams = Streams(tmp_path / "streams")
    for recording_id in range(2):
        stream = streams.stream(recording_id)
        rig.record(stream.image(), recording_id=recording_id)
        stream.bytes[:4] = (7).to_bytes(4, "little")
    raised = []
    for _ in range(2):
        with pytest.raises(CorruptError) as caught:
            rig.recorder.do_work()
        raised.append(str(caught.value))
    assert len(set(raised)) == 2
    assert rig.recorder.do_work() == 0
