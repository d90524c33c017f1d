import contextlib
import errno
import os
import struct
from dataclasses import replace
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.state.mark_file import (
    ClusterMarkFile,
    MarkFileContent,
    claim_directories,
    find_mark_file,
    link_mark_file,
    member_id_in,
)
from aeron_cluster.codecs.cluster_mark import ClusterComponentType, MarkFileHeader
from aeron_cluster.errors import (
    AeronClusterError,
    ConfigurationError,
    CorruptError,
    DirectoryInUseError,
    InsufficientSpaceError,
    VersionError,
)
from aeron_cluster.memory.shared.error_log import DistinctErrorLog
from aeron_cluster.memory.system.seams import Seams, SystemClock, SystemFiles
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.golden.mark_files import ERROR_LOG_OFFSET, old_mark_file

MODULE = MarkFileContent(
    component_type=ClusterComponentType.CONSENSUS_MODULE,
    member_id=2,
    ingress_stream_id=101,
    aeron_directory="/dev/shm/aeron",
    control_channel="aeron:ipc",
    ingress_channel="aeron:udp",
)
SERVICE = MarkFileContent(
    component_type=ClusterComponentType.CONTAINER, service_id=3, service_name="orders"
)


COMPONENT_TYPE_OFFSET = 12


def claim(tmp_path, content=MODULE, **options):
    return ClusterMarkFile.claim(
        SystemFiles(), str(tmp_path), content, clock=SystemClock(), **options
    )


def read(tmp_path, name="cluster-mark.dat"):
    return MarkFileHeader.decode((tmp_path / name).read_bytes()[:8192])


def test_the_header_identifies_it_once_ready(tmp_path):
    with claim(tmp_path) as mark:
        assert read(tmp_path).version == 0
        mark.signal_ready()
        header = read(tmp_path)
        assert header.version == 768
        assert header.pid == os.getpid()
        assert (header.member_id, header.service_id, header.cluster_id) == (2, -1, 0)
        assert header.component_type is ClusterComponentType.CONSENSUS_MODULE
        assert header.aeron_directory == MODULE.aeron_directory
        assert (header.header_length, header.error_buffer_length) == (8192, 1024 * 1024)
        assert header.activity_timestamp > 0
    assert read(tmp_path).activity_timestamp == -1
    assert (tmp_path / "cluster-mark.dat").stat().st_size == 1056768


def test_a_service_has_its_own_file_and_records_its_member(tmp_path):
    with claim(tmp_path, SERVICE) as mark:
        mark.signal_ready()
        mark.set_member_id(1)
        header = read(tmp_path, "cluster-mark-service-3.dat")
        assert (header.member_id, header.service_name) == (1, "orders")


def test_live_process_retains_its_directory(tmp_path):
    with claim(tmp_path) as mark:
        mark.signal_ready()
        with pytest.raises(DirectoryInUseError) as caught:
            claim(tmp_path)
        assert caught.value.pid == os.getpid()
    claim(tmp_path).close()


def test_a_failed_start_does_not_block_the_next_one(tmp_path):
    claim(tmp_path).signal_failed_start()
    assert read(tmp_path).version == -1
    claim(tmp_path).close()


def test_an_error_of_the_start_alone_is_a_failed_start(tmp_path):
    with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
        stack.push(claim(tmp_path).end)
        raise OSError
    assert read(tmp_path).version == -1
    with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
        mark = claim(tmp_path)
        stack.push(mark.end)
        mark.signal_ready()
        raise OSError
    assert (read(tmp_path).version, read(tmp_path).activity_timestamp) == (768, -1)
    with contextlib.ExitStack() as stack:
        stack.push(claim(tmp_path).end)
    assert read(tmp_path).version == 0


def test_another_components_file_is_rejected_but_a_module_takes_over_a_backups(tmp_path):
    backup = MarkFileContent(component_type=ClusterComponentType.BACKUP)
    claim(tmp_path, backup).close()
    claim(tmp_path, MODULE).close()
    before = (tmp_path / "cluster-mark.dat").read_bytes()
    with pytest.raises(CorruptError, match="component type CONSENSUS_MODULE, expected BACKUP"):
        claim(tmp_path, backup)
    assert (tmp_path / "cluster-mark.dat").read_bytes() == before


def test_a_file_of_an_archive_killed_before_its_header_does_not_block_a_start(tmp_path):
    (tmp_path / "cluster-mark.dat").write_bytes(bytes(1056768))
    with claim(tmp_path) as mark:
        assert mark.candidate_term_id == -1
        mark.signal_ready()
        assert read(tmp_path).component_type is ClusterComponentType.CONSENSUS_MODULE


def test_errors_follow_the_header_and_are_removed_at_the_next_start(tmp_path):
    with claim(tmp_path) as mark:
        for _ in range(2):
            mark.record_error(ValueError("of the test"), 1234)
    data = (tmp_path / "cluster-mark.dat").read_bytes()[8192:]
    length, count, last, first = struct.unpack_from("<iiqq", data)
    assert (count, last, first) == (2, 1234, 1234)
    assert b"ValueError" in data[24:length]
    claim(tmp_path).close()
    assert not any((tmp_path / "cluster-mark.dat").read_bytes()[8192:])


def test_too_long_strings_are_rejected_before_anything_is_written(tmp_path):
    content = MarkFileContent(
        component_type=ClusterComponentType.CONTAINER, service_name="x" * 8192
    )
    with pytest.raises(ConfigurationError, match="mark file strings"):
        claim(tmp_path, content)
    assert not (tmp_path / "cluster-mark.dat").exists()


def test_another_major_version_is_rejected(tmp_path):
    claim(tmp_path).close()
    path = tmp_path / "cluster-mark.dat"
    data = bytearray(path.read_bytes())
    struct.pack_into("<i", data, 8, 1 << 16)
    path.write_bytes(data)
    with pytest.raises(VersionError):
        claim(tmp_path)
    assert path.read_bytes() == bytes(data)


def test_candidate_term_of_an_older_version_is_retained(tmp_path):
    # "candidateTermId legacy; new files -1, kept across restarts"
    with claim(tmp_path) as mark:
        assert mark.candidate_term_id == -1
        assert read(tmp_path).candidate_term_id == -1
    with (tmp_path / "cluster-mark.dat").open("r+b") as file:
        file.seek(40)
        file.write(struct.pack("<q", 6))
    for _ in range(2):
        with claim(tmp_path) as mark:
            assert mark.candidate_term_id == 6
            assert read(tmp_path).candidate_term_id == 6


@pytest.mark.parametrize(
    ("service_id", "link", "name"),
    [
        (None, "cluster-mark.lnk", "cluster-mark.dat"),
        (2, "cluster-mark-service-2.lnk", "cluster-mark-service-2.dat"),
    ],
)
def test_a_link_leads_to_the_mark_file(tmp_path, service_id, link, name):
    # "a link file ... holds the canonical mark directory path as ASCII without newline; when
    # equal, an old link is deleted"
    files, here, there = SystemFiles(), str(tmp_path), str(tmp_path / "marks")
    assert find_mark_file(files, here, service_id) == f"{here}/{name}"
    link_mark_file(files, here, there, service_id)
    assert (tmp_path / link).read_bytes() == there.encode()
    assert find_mark_file(files, here, service_id) == f"{there}/{name}"
    for _ in range(2):
        link_mark_file(files, here, here, service_id)
        assert not (tmp_path / link).exists()
    assert find_mark_file(files, here, service_id) == f"{here}/{name}"


# ---- files of Aeron up to 1.46.7 ----

OLD = {"cluster-mark.dat": MODULE, "cluster-mark-service-0.dat": replace(SERVICE, service_id=0)}
CLOSED = -1


@pytest.mark.parametrize("name", OLD)
@pytest.mark.parametrize("age_ms", [None, 10_000], ids=["closed", "silent"])
def test_a_file_without_a_message_header_is_taken_over(tmp_path, name, age_ms):
    # ClusterMarkFile of 1.51.0 reads the fields from offset 0 where the ids of template and schema
    # are missing.
    timestamp = CLOSED if age_ms is None else SystemClock().epoch_ms() - age_ms
    (tmp_path / name).write_bytes(old_mark_file(name, timestamp))
    with claim(tmp_path, OLD[name]) as mark:
        assert mark.candidate_term_id == -1
        mark.signal_ready()
        header = read(tmp_path, name)
        assert (header.version, header.pid) == (768, os.getpid())
        assert header.component_type is OLD[name].component_type
        assert header.service_name == OLD[name].service_name
        assert (header.header_length, header.error_buffer_length) == (8192, 1024 * 1024)
    with claim(tmp_path, OLD[name]):
        pass


@pytest.mark.parametrize("name", OLD)
def test_a_file_without_a_message_header_is_rejected_while_its_owner_is_active(tmp_path, name):
    data = old_mark_file(name, SystemClock().epoch_ms(), pid=("<q", 24, 4711))
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DirectoryInUseError) as caught:
        claim(tmp_path, OLD[name])
    assert caught.value.pid == 4711
    assert (tmp_path / name).read_bytes() == data


def test_the_candidate_term_and_the_errors_of_an_old_file_are_retained(tmp_path):
    path = tmp_path / "cluster-mark.dat"
    data = old_mark_file(path.name, CLOSED, candidate_term_id=("<q", 32, 6))
    DistinctErrorLog(memoryview(data)[ERROR_LOG_OFFSET:]).record(ValueError("of before"), now_ms=5)
    path.write_bytes(data)
    with claim(tmp_path) as mark:
        assert mark.candidate_term_id == 6
        assert not any(path.read_bytes()[ERROR_LOG_OFFSET:])
    assert read(tmp_path).candidate_term_id == 6
    (saved,) = tmp_path.glob("*-error.log")
    assert "of before" in saved.read_text()


def test_an_old_file_of_a_failed_start_does_not_block_a_start(tmp_path):
    path = tmp_path / "cluster-mark.dat"
    path.write_bytes(old_mark_file(path.name, CLOSED, version=("<i", 0, -1)))
    claim(tmp_path).close()


@pytest.mark.parametrize(
    ("field", "error"),
    [
        (("<i", 0, 1 << 16), VersionError),
        (("<i", 4, ClusterComponentType.CONTAINER), CorruptError),
        (("<i", 4, 7), AeronClusterError),
        (("<i", 64, 7), AeronClusterError),
    ],
    ids=["another major version", "another component", "no component type", "no header length"],
)
def test_another_old_file_is_rejected_and_left_unchanged(tmp_path, field, error):
    path = tmp_path / "cluster-mark.dat"
    data = old_mark_file(path.name, CLOSED, field=field)
    path.write_bytes(data)
    with pytest.raises(error):
        claim(tmp_path)
    assert path.read_bytes() == data


def test_an_old_file_with_unreadable_strings_is_taken_over(tmp_path):
    """A component does not need those strings."""
    path = tmp_path / "cluster-mark.dat"
    path.write_bytes(old_mark_file(path.name, CLOSED, length=("<i", 128, -5)))
    claim(tmp_path).close()


def test_an_old_file_names_its_directory(tmp_path):
    name = "cluster-mark.dat"
    (tmp_path / name).write_bytes(old_mark_file(name, CLOSED, member_id=("<i", 56, 3)))
    assert member_id_in(SystemFiles(), str(tmp_path)) == 3


def test_directory_is_emptied_only_while_no_process_uses_it(tmp_path):
    context = SimpleNamespace(
        cluster_dir=str(tmp_path),
        mark_file_dir=str(tmp_path),
        seams=Seams(),
        mark_file_content=lambda: MarkFileContent(component_type=ClusterComponentType.BACKUP),
    )
    (tmp_path / "recording.log").write_bytes(b"old")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").touch()

    def claim(stack):
        claim_directories(stack, context, error_buffer_length=1 << 16, is_emptied=True)

    before = sorted(each.name for each in tmp_path.iterdir())
    with contextlib.ExitStack() as stack:
        claim_directories(stack, context, error_buffer_length=1 << 16).signal_ready()
        with pytest.raises(DirectoryInUseError), contextlib.ExitStack() as other:
            claim(other)
        assert sorted(each.name for each in tmp_path.iterdir()) == ["cluster-mark.dat", *before]
    with contextlib.ExitStack() as stack:
        claim(stack)
        assert [each.name for each in tmp_path.iterdir()] == ["cluster-mark.dat"]


def test_an_unknown_kind_of_component_is_rejected(tmp_path):
    claim(tmp_path).close()
    path = tmp_path / "cluster-mark.dat"
    content = bytearray(path.read_bytes())
    struct.pack_into("<i", content, COMPONENT_TYPE_OFFSET, 99)
    path.write_bytes(content)
    with pytest.raises(CorruptError, match="component type 99"):
        claim(tmp_path)
    assert path.read_bytes() == content


def test_a_claim_that_fails_releases_the_file():
    failures = 0
    while True:
        files = MemoryFiles()
        files.make_directory("/data", parents=True)
        files.fail("write_at", errno.ENOSPC, after=failures)
        try:
            ClusterMarkFile.claim(files, "/data", MODULE, clock=VirtualClock())
        except InsufficientSpaceError:
            failures += 1
        else:
            break
        ClusterMarkFile.claim(files, "/data", MODULE, clock=VirtualClock()).close()
    assert failures > 4  # each write of a claim
