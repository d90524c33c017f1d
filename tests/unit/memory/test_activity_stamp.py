"""The timestamp of an active owner: written once a second; a failure is reported once."""

import errno
import resource
import struct

import pytest

from aeron_cluster.errors import ClosedError, InsufficientSpaceError, PlatformError
from aeron_cluster.memory.shared.activity_stamp import ActivityStamp
from aeron_cluster.memory.shared.mark_file import MarkFile, MarkFileLayout
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from aeron_cluster.simulator.world.processes import ProcessTable
from aeron_cluster.simulator.world.virtual_clock import VirtualClock, VirtualTime

SECOND = 1_000_000_000
OFFSET = 16
PATH = "/mark.dat"


@pytest.fixture
def time():
    return VirtualTime()


@pytest.fixture
def files():
    return MemoryFiles(directories=["/"])


@pytest.fixture
def file(files):
    with files.open(PATH, create=True) as made:
        yield made


@pytest.fixture
def stamp(file, time):
    return ActivityStamp(file, OFFSET, VirtualClock(time=time))


def written(files):
    return struct.unpack("<q", files.read(PATH)[OFFSET : OFFSET + 8])[0]


def test_the_timestamp_is_written_immediately_and_then_every_second(files, time, stamp):
    clock = VirtualClock(time=time)
    begin_ns = time.now_ns
    stamp.update(begin_ns)
    first = written(files)
    assert first == clock.epoch_ms()
    time.advance(SECOND - 1)
    stamp.update(time.now_ns)
    assert written(files) == first
    time.advance(1)
    stamp.update(time.now_ns)
    assert written(files) == first + 1000 == clock.epoch_ms()


def test_between_two_timestamps_it_calls_no_clock(files, time, stamp):
    stamp.update(time.now_ns)
    before = files.call_count
    for _ in range(100):
        stamp.update(time.now_ns)
    assert files.call_count == before


def test_a_failure_is_reported_once_until_the_next_success(files, time, stamp):
    files.fail("write_at", errno.EIO, count=2)
    with pytest.raises(PlatformError) as raised:
        stamp.update(time.now_ns)
    assert (raised.value.errno, raised.value.filename) == (errno.EIO, PATH)
    for _ in range(3):
        time.advance(SECOND)
        stamp.update(time.now_ns)  # one write that fails, and two that succeed
    assert stamp.failure_count == 2
    files.fail("write_at", errno.EIO)
    time.advance(SECOND)
    with pytest.raises(PlatformError):
        stamp.update(time.now_ns)
    stamp.check()
    assert stamp.failure_count == 3


def test_a_full_disk_is_named(time):
    files = MemoryFiles(capacity=0, directories=["/"])
    with (
        files.open(PATH, create=True) as file,
        pytest.raises(InsufficientSpaceError, match=PATH),
    ):
        ActivityStamp(file, OFFSET, VirtualClock(time=time)).update(time.now_ns)


def test_a_timestamp_that_is_written_in_part_has_failed(tmp_path, time):
    path = str(tmp_path / "mark.dat")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with SystemFiles().open(path, create=True) as file:
        stamp = ActivityStamp(file, OFFSET, VirtualClock(time=time))
        resource.setrlimit(resource.RLIMIT_FSIZE, (OFFSET + 4, limits[1]))
        try:
            with pytest.raises(InsufficientSpaceError, match=path):
                stamp.update(time.now_ns)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert file.length == OFFSET + 4
        time.advance(SECOND)
        stamp.update(time.now_ns)
        assert stamp.failure_count == 1
        assert file.length == OFFSET + 8


def test_the_timestamp_ends_before_the_file_is_closed(files, time, stamp):
    stamp.end()
    before = files.call_count
    time.advance(10 * SECOND)
    stamp.update(time.now_ns)
    assert files.call_count == before


def test_a_closed_file_has_no_timestamp(files, time):
    file = files.open(PATH, create=True)
    file.close()
    with pytest.raises(ClosedError):
        ActivityStamp(file, OFFSET, VirtualClock(time=time))


def test_a_mark_file_provides_the_timestamp_and_ends_it(files, time):
    clock = VirtualClock(time=time)
    layout = MarkFileLayout(header_length=256, version=8, activity_timestamp=16, pid=32, owner=224)
    mark = MarkFile.claim(
        files,
        PATH,
        4096,
        layout,
        clock=clock,
        timeout_ms=10_000,
        check=lambda *_: None,
        processes=ProcessTable().spawn(),
    )
    time.advance(5 * SECOND)
    mark.activity_stamp.update(time.now_ns)
    assert mark.activity_timestamp_ms == clock.epoch_ms()
    mark.close()
    time.advance(5 * SECOND)
    mark.activity_stamp.update(time.now_ns)
    assert written(files) == -1
