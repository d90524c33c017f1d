"""Messages of a recording, read from its segment files."""

import struct

import pytest

from aeron_cluster.archive.storage.catalog import Catalog, FrameChecksums
from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.archive.storage.recording_reader import read_recording
from aeron_cluster.errors import CorruptError, PlatformError
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.archive.recordings_rig import (
    DESCRIPTION,
    SEGMENT_LENGTH,
    TERM_LENGTH,
    Recorded,
    Rig,
)


class Readable(Recorded):
    """Recorded messages, to be read and damaged."""

    def read(self):
        return list(read_recording(SystemFiles(), str(self.path), self.descriptor))

    def damage(self, offset, data, base=0):
        with (self.path / f"0-{base}.rec").open("r+b") as file:
            file.seek(offset)
            file.write(data)


@pytest.mark.parametrize("start", [0, 4096, TERM_LENGTH * 3 + 96])
def test_reads_messages_of_any_length_across_segments(tmp_path, start):
    messages = [bytes([index % 256]) * (index * 37 % 7000) for index in range(120)]
    recorded = Readable(tmp_path, messages, start)
    assert recorded.stop > start + 2 * SEGMENT_LENGTH
    assert recorded.read() == list(zip(messages, recorded.positions, strict=True))


def test_a_recording_without_an_end_is_read_to_its_last_frame(tmp_path):
    recorded = Readable(tmp_path, [b"one", b"two"])
    recorded.descriptor.stop_position = -1
    assert [message for message, _ in recorded.read()] == [b"one", b"two"]


def test_end_at_the_end_of_a_segment_is_read(tmp_path):
    messages = [bytes(992)] * (SEGMENT_LENGTH // 1024)
    recorded = Readable(tmp_path, messages)
    assert recorded.stop == SEGMENT_LENGTH
    assert len(recorded.read()) == len(messages)
    recorded.descriptor.stop_position = -1
    assert len(recorded.read()) == len(messages)


def test_open_recording_ends_with_its_last_segment_or_where_that_is_cut(tmp_path):
    messages = [bytes(992)] * (2 * SEGMENT_LENGTH // 1024)
    recorded = Readable(tmp_path, messages)
    recorded.descriptor.stop_position = -1
    (tmp_path / f"0-{2 * SEGMENT_LENGTH}.rec").unlink()
    assert len(recorded.read()) == len(messages)
    with (tmp_path / f"0-{SEGMENT_LENGTH}.rec").open("r+b") as file:
        file.truncate(3 * 1024 + 8)
    assert len(recorded.read()) == len(messages) // 2 + 3


@pytest.mark.parametrize("kept", [8, 32, 100])  # within the header, at its end, in the payload
def test_a_segment_that_ends_within_a_frame_is_too_short(tmp_path, kept):
    recorded = Readable(tmp_path, [b"a" * 992, b"b" * 992])
    with (tmp_path / "0-0.rec").open("r+b") as file:
        file.truncate(1024 + kept)
    with pytest.raises(CorruptError, match=r"0-0\.rec at 1024: "):
        recorded.read()
    recorded.descriptor.stop_position = -1
    assert [message for message, _ in recorded.read()] == [b"a" * 992]


def test_an_empty_recording_has_no_messages(tmp_path):
    assert Readable(tmp_path, []).read() == []


def test_omits_messages_cut_at_either_end(tmp_path):
    recorded = Readable(tmp_path, [b"a" * 3000, b"b", b"c" * 3000])
    recorded.descriptor.start_position = 1408
    recorded.descriptor.stop_position -= 288  # the last fragment: 32 + 3000 - 2 * 1376, aligned
    assert [message for message, _ in recorded.read()] == [b"b"]


@pytest.mark.parametrize(
    ("offset", "data", "reported"),
    [
        (64, struct.pack("<i", 31), "frame length 31, expected 32 to 65472"),
        (64, struct.pack("<i", -64), "frame length -64"),
        (64, struct.pack("<i", 70000), "frame length 70000"),
        (64, struct.pack("<i", 1000), "end of frame 1088, expected <= 128"),
        (64, struct.pack("<i", 0), "frame None, expected up to 128"),
        (72, struct.pack("<i", 96), "term offset 96, expected 64"),
        (70, struct.pack("<H", 9), "frame type 9, expected 0 or 1"),
    ],
)
def test_reports_where_a_frame_is_invalid(tmp_path, offset, data, reported):
    recorded = Readable(tmp_path, [b"one", b"two"])
    recorded.damage(offset, data)
    with pytest.raises(CorruptError, match=r"0-0\.rec at ") as raised:
        recorded.read()
    assert reported in str(raised.value)


def test_a_missing_segment_raises(tmp_path):
    recorded = Readable(tmp_path, [b"one"])
    (tmp_path / "0-0.rec").unlink()
    with pytest.raises(PlatformError):
        recorded.read()


def test_verifies_checksums_from_their_start(tmp_path):
    with Catalog(SystemFiles(), str(tmp_path), capacity=4096) as catalog:
        catalog.add(start_position=0, **DESCRIPTION)
        rig = Rig(tmp_path, checksum=Checksum("CRC-32C"))
        log = rig.log()
        session = rig.record(log)
        for number in range(10):
            assert log.offer(b"%02d" % number * 50) > 0
        rig.drain()
        rig.recorder.on_close()
        catalog.stop(0, session.position, 1)
        descriptor = catalog.get(0).descriptor

    def read(frames):
        return list(read_recording(SystemFiles(), str(tmp_path), descriptor, frames))

    assert len(read(FrameChecksums(2, 0))) == 10
    with (tmp_path / "0-0.rec").open("r+b") as file:
        file.seek(4 * 160 + 40)
        file.write(b"!")
    assert len(read(None)) == len(read(FrameChecksums(2, 5 * 160))) == 10
    with pytest.raises(CorruptError, match=r"0-0\.rec at 640: frame: checksum"):
        read(FrameChecksums(2, 0))
