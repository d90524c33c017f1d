"""The archive's mark file, and those of earlier versions."""

import contextlib
import errno
import os
import struct

import pytest

from aeron_cluster.archive.context import ArchiveContext
from aeron_cluster.archive.control.mark_file import ArchiveMarkFile
from aeron_cluster.codecs.archive_mark import MarkFileHeader
from aeron_cluster.errors import AeronClusterError, DirectoryInUseError, VersionError
from aeron_cluster.memory.shared.error_log import DistinctErrorLog
from aeron_cluster.memory.system.process import ProcessIdentity
from aeron_cluster.memory.system.seams import Seams, SystemClock
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from tests.golden.mark_files import ERROR_LOG_OFFSET, old_mark_file

NAME = "archive-mark.dat"
CLOSED = -1


@pytest.fixture
def context(tmp_path):
    return ArchiveContext.of(
        archive_dir=str(tmp_path),
        control_channel="aeron:udp?endpoint=localhost:0",
        replication_channel="aeron:udp?endpoint=localhost:0",
        archive_id=7,
    )


def write_old(tmp_path, timestamp, **fields):
    data = old_mark_file(NAME, timestamp, **fields)
    (tmp_path / NAME).write_bytes(data)
    return data


def read(tmp_path):
    return MarkFileHeader.decode((tmp_path / NAME).read_bytes()[:8192])


def claim(context):
    mark = ArchiveMarkFile.claim(context)
    mark.write_header(context, "/dev/shm/aeron")
    mark.signal_ready()
    return mark


@pytest.mark.parametrize("age_ms", [None, 10_000], ids=["closed", "silent"])
@pytest.mark.parametrize("header_length", [0, 8192], ids=["schema 0", "schema 1"])
def test_a_file_without_a_message_header_is_taken_over(tmp_path, context, age_ms, header_length):
    # ArchiveMarkFile of 1.51.0 reads the fields from offset 0 where the ids of template and schema
    # are missing.
    timestamp = CLOSED if age_ms is None else SystemClock().epoch_ms() - age_ms
    write_old(tmp_path, timestamp, header_length=("<i", 44, header_length))
    for _ in range(2):
        mark = claim(context)
        header = read(tmp_path)
        assert (header.version, header.pid, header.archive_id) == (0x30100, os.getpid(), 7)
        assert header.aeron_directory == "/dev/shm/aeron"
        assert mark.acknowledged == {}
        mark.close()


def test_a_file_without_a_message_header_is_rejected_while_its_owner_is_active(tmp_path, context):
    data = write_old(tmp_path, SystemClock().epoch_ms(), pid=("<q", 24, 4711))
    with pytest.raises(DirectoryInUseError) as caught:
        ArchiveMarkFile.claim(context)
    assert caught.value.pid == 4711
    assert (tmp_path / NAME).read_bytes() == data


def test_the_errors_of_an_old_file_are_retained(tmp_path, context):
    data = old_mark_file(NAME, CLOSED)
    DistinctErrorLog(memoryview(data)[ERROR_LOG_OFFSET:]).record(ValueError("of before"), now_ms=5)
    (tmp_path / NAME).write_bytes(data)
    claim(context).close()
    (saved,) = tmp_path.glob("*-error.log")
    assert "of before" in saved.read_text()


@pytest.mark.parametrize(
    ("field", "error"),
    [
        (("<i", 0, 2 << 16), VersionError),
        (("<i", 4, 1), AeronClusterError),
        (("<i", 44, 7), AeronClusterError),
    ],
    ids=["another major version", "no padding", "no header length"],
)
def test_another_old_file_is_rejected_and_left_unchanged(tmp_path, context, field, error):
    data = write_old(tmp_path, CLOSED, field=field)
    with pytest.raises(error):
        ArchiveMarkFile.claim(context)
    assert (tmp_path / NAME).read_bytes() == data


def test_archive_without_a_written_header_is_active(context):
    """It may repair recordings for a while before it writes the header."""
    mark = ArchiveMarkFile.claim(context)
    with pytest.raises(DirectoryInUseError) as caught:
        ArchiveMarkFile.claim(context)
    assert caught.value.pid == os.getpid()
    mark.close()
    claim(context).close()


def test_an_old_archive_killed_while_starting_does_not_block_a_start(tmp_path, context):
    write_old(tmp_path, SystemClock().epoch_ms() - 10_000, version=("<i", 0, 0))
    claim(context).close()


def test_its_path_is_that_of_the_mark_file_directory(tmp_path, context):
    mark = claim(context)
    assert mark.path == str(tmp_path / NAME)
    mark.close()


@pytest.mark.parametrize("is_foreign", [False, True])
def test_positions_that_another_owner_did_not_store_are_not_used(tmp_path, context, is_foreign):
    # Upstream's archive leaves the positions of one of ours that was killed before.
    mark = claim(context)
    mark.slots.note(3, 4096)
    mark.close()
    if is_foreign:
        with (tmp_path / NAME).open("r+b") as file:
            file.seek(32)
            file.write(struct.pack("<q", os.getppid()))
    again = ArchiveMarkFile.claim(context)
    assert again.acknowledged == ({} if is_foreign else {3: 4096})
    again.close()


class Machine:
    """The processes of a machine: each earlier one has ended."""

    def __init__(self):
        self.boot = self.pid = 1

    def own_identity(self):
        return ProcessIdentity(self.pid, start_ticks=self.pid, namespace=1, boot=self.boot)

    def is_alive(self, _):
        return False


@pytest.mark.parametrize("calls", range(1, 12))
def test_positions_of_an_earlier_boot_are_not_used_after_a_start_that_was_killed(calls):
    files, machine = MemoryFiles(directories=["/data"]), Machine()
    context = ArchiveContext.of(
        archive_dir="/data",
        control_channel="aeron:udp?endpoint=localhost:0",
        replication_channel="aeron:udp?endpoint=localhost:0",
        archive_id=7,
        seams=Seams(files=files, processes=machine),
    )
    claim(context).slots.note(3, 4096)
    machine.boot, machine.pid = 2, 2
    files.fail("write_at", errno.EIO, after=calls)
    with contextlib.suppress(OSError):
        ArchiveMarkFile.claim(context)
    files.fail("write_at", errno.EIO, count=0)
    machine.pid = 3
    assert ArchiveMarkFile.claim(context).acknowledged == {}


@pytest.mark.parametrize("more", range(16))
def test_positions_in_the_place_of_a_long_header_are_not_used(more):
    files, machine = MemoryFiles(directories=["/data"]), Machine()

    def context(name):
        return ArchiveContext.of(
            archive_dir="/data",
            control_channel=f"aeron:udp?endpoint=localhost:0|alias={name}",
            replication_channel="aeron:udp?endpoint=localhost:0",
            archive_id=7,
            seams=Seams(files=files, processes=machine),
        )

    long_name = "a" * (4000 + more)
    mark = claim(context("short"))
    positions = dict.fromkeys(range(256), 4096)
    for recording_id, position in positions.items():
        mark.slots.note(recording_id, position)
    machine.pid = 2
    mark = claim(context(long_name))
    assert (mark.acknowledged, mark.slots) == (positions, None)
    machine.pid = 3
    assert ArchiveMarkFile.claim(context("short")).acknowledged == {}
