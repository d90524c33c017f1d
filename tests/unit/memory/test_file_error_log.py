"""An error log in a part of a file, and its reuse by the next process."""

import errno

import pytest

from aeron_cluster.errors import PlatformError
from aeron_cluster.memory.agents.file_error_log import FileErrorLog, save_errors
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from aeron_cluster.simulator.world.virtual_clock import VirtualClock

PAGE = 4096
OFFSET, LENGTH = PAGE, 64 << 10
NOW_MS = 1_700_000_000_123


def disk(pages=64):
    files = MemoryFiles(directories=["/"], capacity=pages * PAGE)
    file = files.open("/mark.dat", create=True)
    file.allocate(0, OFFSET + LENGTH)
    return files, file


def test_recorded_data_is_in_the_file():
    files, file = disk()
    log = FileErrorLog(file, OFFSET, LENGTH, VirtualClock())
    for now_ms in (1, 2):
        log.record(ValueError("bad"), now_ms)
    log.record(KeyError("worse"), 3)
    first, second = FileErrorLog.read(files.open("/mark.dat"), OFFSET)
    assert (first.observation_count, first.first_observation_ms) == (2, 1)
    assert "ValueError: bad" in first.text
    assert "worse" in second.text


def test_log_longer_than_a_block_is_read_to_its_end_and_cleared():
    files, file = disk(pages=128)
    log = FileErrorLog(file, OFFSET, 4 * LENGTH, VirtualClock())
    for number in range(80):
        log.record(ValueError(f"{'x' * number} {'long' * 500}"), number)
    texts = [each.text for each in FileErrorLog.read(file, OFFSET)]
    assert len(texts) == 80
    assert f"ValueError: {'x' * 79} long" in texts[-1]
    FileErrorLog(file, OFFSET, 4 * LENGTH, VirtualClock())
    assert files.read("/mark.dat")[OFFSET:].count(0) == file.length - OFFSET


def test_empty_log_is_not_written():
    files, file = disk()
    files.fail("write_at", errno.EIO)
    FileErrorLog(file, OFFSET, LENGTH, VirtualClock())


def test_earlier_errors_are_saved_in_a_separate_file():
    files, file = disk()
    FileErrorLog(file, OFFSET, LENGTH, VirtualClock()).record(ValueError("bad"), 7)
    save_errors(files, "/archive", FileErrorLog.read(file, OFFSET), NOW_MS)
    FileErrorLog(file, OFFSET, LENGTH, VirtualClock())
    assert FileErrorLog.read(file, OFFSET) == []
    (name,) = [each for each in files.list("/") if each.endswith("-error.log")]
    assert name == "archive-2023-11-14-22-13-20-123+0000-error.log"
    text = files.read(f"/{name}").decode()
    assert text.startswith("1 observations from 7 to 7 for:\n ValueError: bad")


def test_no_errors_leave_no_file():
    files, file = disk()
    save_errors(files, "/archive", FileErrorLog.read(file, OFFSET), NOW_MS)
    assert files.list("/") == ["mark.dat"]
    with files.open("/short", create=True) as short:
        assert FileErrorLog.read(short, OFFSET) == []


def test_without_room_errors_are_logged(caplog):
    files, file = disk(pages=17)
    FileErrorLog(file, OFFSET, LENGTH, VirtualClock()).record(ValueError("bad"), 7)
    save_errors(files, "/archive", FileErrorLog.read(file, OFFSET), NOW_MS)
    assert "ValueError: bad" in caplog.text
    assert files.list("/") == ["mark.dat"]


def test_another_failure_is_raised():
    files, file = disk()
    FileErrorLog(file, OFFSET, LENGTH, VirtualClock()).record(ValueError("bad"), 7)
    files.fail("write_at", errno.EIO)
    with pytest.raises(PlatformError):
        save_errors(files, "/archive", FileErrorLog.read(file, OFFSET), NOW_MS)


def test_repeated_and_varied_errors_neither_fill_the_log_nor_keep_the_disk_busy():
    files, file = disk()
    clock = VirtualClock()
    log = FileErrorLog(file, OFFSET, LENGTH, clock)
    writes = []

    class CountingFile:
        def write_at(self, data, offset):
            writes.append(len(data))
            return file.write_at(data, offset)

    log._file = CountingFile()
    for second in range(600):
        for number in range(100):
            log.record(ValueError(f"image {second * 100 + number} is bad"), second)
        clock.advance(1_000_000_000)
    log.record(KeyError("another"), 600)
    entries = FileErrorLog.read(files.open("/mark.dat"), OFFSET)
    assert len(entries) == 4
    assert sum(each.observation_count for each in entries[:3]) == 60_000
    assert len(writes) < 20


def test_long_texts_of_errors_are_cut_where_they_are_logged_and_retained():
    files, file = disk()
    log = FileErrorLog(file, OFFSET, LENGTH, VirtualClock())
    for number in range(600):
        log.record(ValueError(f"{'y' * (number % 300)}: {'x' * 1_000_000}"), number)
    first, *_ = FileErrorLog.read(files.open("/mark.dat"), OFFSET)
    assert first.text.startswith("ValueError: : xxx")
    assert "... (1000002 characters)" in first.text
    assert len(log._first_texts) <= 256
    assert max(map(len, log._first_texts.values())) < 2048
