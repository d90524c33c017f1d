"""Pages of sparse logs are allocated ahead: writers wait while the disk is full."""

import errno
import struct

import pytest

from aeron_cluster.memory.shared.commands import ErrorCode
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from tests.unit.driver.driver_rig import CLIENT, MS, DriverRig, S

IPC = "aeron:ipc?term-length=4m"
UDP = "aeron:udp?endpoint=127.0.0.1:4000|term-length=4m"
TERM_LENGTH = 4 << 20


@pytest.fixture
def rig():
    driver_rig = DriverRig("/dev/shm/driver", files=MemoryFiles())
    yield driver_rig
    driver_rig.files.fail("allocate", 0, count=0)
    driver_rig.close()


def limit(rig):
    [found] = [each.value for each in rig.counters.counters() if each.label.startswith("pub-lmt")]
    return found


def claim_until(rig, path, position):
    """Move the tail of a log's first term, as a publisher that claims the bytes before it."""
    with MappedFile.open(rig.files, path, writable=True) as file:
        at = len(memoryview(file)) - 4096
        [tail] = struct.unpack_from("<q", file, at)
        struct.pack_into("<q", file, at, (tail >> 32 << 32) + position)


@pytest.mark.parametrize(
    ("operation", "number", "text"),
    [
        ("allocate", errno.ENOSPC, "InsufficientSpaceError: [Errno 28] No space left on device"),
        ("allocate", errno.EDQUOT, "InsufficientSpaceError: [Errno 122] Disk quota exceeded"),
        ("open", errno.EMFILE, "PlatformError: [Errno 24] Too many open files"),
    ],
)
def test_a_publisher_waits_for_pages_and_the_reason_is_reported_once(rig, operation, number, text):
    ready = rig.ready(rig.add_publication(IPC))
    subscription = rig.add_subscription(IPC)
    rig.run(S)
    held = limit(rig)
    assert 0 < held < TERM_LENGTH // 2
    claim_until(rig, ready[6], held)
    rig.files.fail(operation, number, count=1 << 40)
    rig.run(S)
    assert limit(rig) == held
    [entry] = rig.cnc.error_log().entries()
    assert entry.text.startswith(text)
    assert "writers of a log wait for its pages" in entry.text
    assert "/dev/shm/driver" in entry.text
    assert entry.observation_count == 1
    rig.files.fail(operation, 0, count=0)
    rig.run(90 * MS)
    rig.run(20 * MS)  # it is tried again every 100 ms
    assert limit(rig) > held
    assert len(rig.images(subscription)) == 1
    assert rig.counters.value(SystemCounter.SYSTEM_ERRORS) == 1


@pytest.mark.parametrize("channel", [IPC, UDP])
def test_a_log_without_space_for_its_first_pages_is_an_error_and_is_removed(rig, channel):
    used = rig.files.used
    rig.files.fail("allocate", errno.ENOSPC, after=1, count=1 << 40)
    code, text = rig.error(rig.add_publication(channel))
    assert code == ErrorCode.ERROR_STORAGE_SPACE
    assert "No space left on device: writers of a log wait for its pages" in text
    rig.run(S)
    assert rig.labels() == [f"client-heartbeat: id={CLIENT}"]
    assert rig.files.used == used
    rig.files.fail("allocate", 0, count=0)
    rig.ready(rig.add_publication(channel))


@pytest.mark.parametrize("options", [{"term_buffer_sparse_file": False}, {}])
def test_all_pages_are_allocated_at_once_unless_the_log_is_sparse(options):
    rig = DriverRig("/dev/shm/driver", files=MemoryFiles(), **options)
    try:
        before = rig.files.used
        rig.ready(rig.add_publication(IPC))
        has_all = rig.files.used - before >= 3 * TERM_LENGTH
        assert has_all is bool(options)
    finally:
        rig.close()


@pytest.mark.parametrize("checks", [True, False])
def test_space_is_checked_if_configured(checks):
    files = MemoryFiles()
    rig = DriverRig("/dev/shm/driver", files=files, perform_storage_checks=checks)
    try:
        files.capacity = files.used + TERM_LENGTH
        added = rig.add_publication(IPC)
        if checks:
            code, text = rig.error(added)
            assert code == ErrorCode.ERROR_STORAGE_SPACE
            assert f"no room for a log of {3 * TERM_LENGTH + 4096} bytes" in text
        else:
            rig.ready(added)
    finally:
        rig.close()
