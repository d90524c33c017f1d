"""Mark files of every kind and state: reported, or rejected with the place and the remedy."""

import contextlib
import struct
from pathlib import Path
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.state.mark_file import mark_file_name
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory, Presence
from aeron_cluster.codecs.cluster_mark import ClusterComponentType, MarkFileHeader
from aeron_cluster.errors import (
    AeronClusterError,
    CorruptError,
    DirectoryInUseError,
    MissingFileError,
    StateError,
    TimeoutExpiredError,
    VersionError,
)
from aeron_cluster.memory.system.seams import Seams, SystemFiles
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.golden.mark_files import old_mark_file

SECOND_NS = 1_000_000_000


@pytest.fixture
def directory(member):
    return ClusterDirectory(str(member.directory))


def patch(member, offset, form, *values, name="cluster-mark.dat"):
    path = member.directory / name
    data = bytearray(path.read_bytes())
    struct.pack_into(form, data, offset, *values)
    path.write_bytes(data)


def forget_owner(member):
    """Remove our record of the owning process, as in Java's files."""
    patch(member, 96, "<32x")


def test_reports_the_users_of_the_directory(member, directory):
    mark = member.mark()
    member.service(1)
    member.service(0)
    mark.record_error(ValueError("of the test"), 1234)
    found = directory.component()
    assert found.presence is Presence.RUNNING
    assert found.is_alive
    assert (found.header.component_type, found.header.member_id) == (
        ClusterComponentType.CONSENSUS_MODULE,
        3,
    )
    (error,) = found.errors
    assert "of the test" in error.text
    assert [each.header.service_id for each in directory.services(found)] == [0, 1]


def test_a_file_of_aeron_1_46_7_names_the_directory_of_the_services(member, directory):
    """Its strings have the layout of schema version 1, without a message header."""
    member.directory.mkdir(parents=True, exist_ok=True)
    name = "cluster-mark.dat"
    (member.directory / name).write_bytes(old_mark_file(name, -1))
    header = directory.component().header
    assert header.aeron_directory == "/dev/shm/aeron-1.46.7"
    assert header.services_cluster_dir == "/tmp/aeron-data/node0/cluster"


def test_closed_member_is_reported_closed(member, directory):
    member.mark().close()
    assert directory.component().presence is Presence.CLOSED
    assert not directory.component().is_alive


def test_starting_member_is_awaited(member, directory):
    member.mark(is_ready=False)
    assert directory.component().presence is Presence.STARTING
    with pytest.raises(TimeoutExpiredError, match="starting"):
        directory.started_component(timeout_ns=1_000_000)
    member.marks[0].signal_ready()
    assert directory.started_component(timeout_ns=SECOND_NS).presence is Presence.RUNNING


class Stages:
    """The system's files, of which each opening of the mark file shows the next content."""

    def __init__(self, path, contents):
        self.files = SystemFiles()
        self.path = str(path)
        self.contents = contents

    def __getattr__(self, name):
        return getattr(self.files, name)

    def open(self, path, **options):
        if path == self.path and self.contents:
            Path(path).write_bytes(self.contents.pop(0))
        return self.files.open(path, **options)


def stages_of_a_claim(member, service_id=None):
    """Return the path of a mark file, and its contents from its creation on."""
    if service_id is None:
        member.mark()
    else:
        member.service(service_id)
    path = member.directory / mark_file_name(service_id)
    whole = path.read_bytes()
    contents, content = [b"", bytes(len(whole))], bytearray(len(whole))
    # owner, process, activity; then the header's parts; the version last
    parts = ((96, 128), (32, 40), (16, 24), (0, 8), (12, 16), (24, 32), (40, 96), (128, 8192))
    for begin, end in (*parts, (8, 12)):
        content[begin:end] = whole[begin:end]
        contents.append(bytes(content))
    assert contents[-1] == whole
    return path, contents


def read_in_stages(directory, path, contents):
    system = directory.seams
    directory.seams = SimpleNamespace(
        files=Stages(path, contents), clock=system.clock, processes=system.processes
    )


def test_a_header_that_is_not_written_yet_is_awaited(member, directory):
    path, contents = stages_of_a_claim(member)
    read_in_stages(directory, path, contents)
    found = directory.started_component(timeout_ns=60 * SECOND_NS)
    assert (found.presence, found.header.member_id) == (Presence.RUNNING, 3)
    assert contents == []


@pytest.mark.parametrize("stage", range(8))
def test_a_header_that_is_never_written_is_named(member, directory, stage):
    path, contents = stages_of_a_claim(member)
    path.write_bytes(contents[stage])
    with pytest.raises(CorruptError, match=r"cluster-mark\.dat at 0: .*expected a header"):
        directory.component()
    with pytest.raises(TimeoutExpiredError, match=r"cluster-mark\.dat: no header"):
        directory.started_component(timeout_ns=1_000_000)


def test_the_header_of_a_service_that_is_not_written_yet_is_awaited(member, directory):
    path, contents = stages_of_a_claim(member, service_id=0)
    read_in_stages(directory, path, contents)
    (found,) = directory.services(timeout_ns=60 * SECOND_NS)
    assert (found.presence, found.header.service_id) == (Presence.RUNNING, 0)
    assert found.header.service_name == "service-0"
    assert contents == []


@pytest.mark.parametrize("timeout_ns", [0, 1_000_000])
def test_the_header_of_a_service_that_is_never_written_is_named(member, directory, timeout_ns):
    path, contents = stages_of_a_claim(member, service_id=0)
    path.write_bytes(contents[1])
    with pytest.raises(
        CorruptError, match=r"cluster-mark-service-0\.dat at 0: .*expected a header"
    ):
        directory.services(timeout_ns=timeout_ns)


@pytest.mark.parametrize("content", [b"torn", b"something else entirely" * 500])
def test_another_file_is_rejected_without_a_wait(member, directory, content):
    path = member.directory / "cluster-mark.dat"
    path.write_bytes(content)
    contents = [content] * 2
    read_in_stages(directory, path, contents)
    with pytest.raises(CorruptError):
        directory.component(60 * SECOND_NS)
    assert len(contents) == 1


def test_starting_java_member_is_reported_starting(member, directory):
    member.mark()
    forget_owner(member)
    patch(member, 16, "<q", 2**63 - 1)
    assert directory.component().presence is Presence.STARTING


def test_a_failed_start_is_reported(member, directory):
    member.mark().signal_failed_start()
    assert directory.component().presence is Presence.FAILED_TO_START
    with pytest.raises(StateError, match="failed to start"):
        directory.started_component()


def test_a_member_without_a_sign_of_life_is_silent(member):
    member.mark()
    forget_owner(member)
    clock = VirtualClock(SECOND_NS, 1_700_000_000 * SECOND_NS)
    directory = ClusterDirectory(str(member.directory), Seams(clock=clock))
    now_ms = clock.epoch_ms()
    patch(member, 16, "<q", now_ms - 5_000)
    assert directory.component().presence is Presence.RUNNING
    patch(member, 16, "<q", now_ms - 11_000)
    assert directory.component().presence is Presence.SILENT


def test_killed_member_of_ours_is_silent_immediately(member, directory, dead_process):
    member.mark()
    patch(member, 32, "<q", dead_process.pid)
    patch(member, 124, "<i", dead_process.pid)
    assert directory.component().presence is Presence.SILENT


def test_java_member_after_one_of_ours_is_running(member, directory, dead_process):
    # It leaves our record of the previous owner where it is.
    member.mark()
    patch(member, 32, "<q", dead_process.pid)
    assert directory.component().presence is Presence.RUNNING


def test_reads_the_form_without_a_message_header(member, directory):
    member.mark(ingress_channel="aeron:udp")
    path = member.directory / "cluster-mark.dat"
    data = path.read_bytes()
    path.write_bytes(data[8:8192] + bytes(8) + data[8192:])
    forget = bytearray(path.read_bytes())
    forget[88:120] = bytes(32)
    path.write_bytes(forget)
    found = directory.component()
    assert found.schema_version == -1
    assert (found.header.member_id, found.header.ingress_channel) == (3, "aeron:udp")
    assert found.header.services_cluster_dir == ""


# ---- locations ----


def test_a_nodes_directory_means_the_cluster_directory_in_it(member):
    member.mark()
    found = ClusterDirectory(str(member.directory.parent))
    assert found.path == str(member.directory)


def test_follows_the_links_to_mark_files_elsewhere(member, directory, tmp_path):
    elsewhere = tmp_path / "marks"
    member.mark()
    member.service(0)
    member.directory.rename(elsewhere)
    member.directory.mkdir()
    for name in ("cluster-mark", "cluster-mark-service-0"):
        (member.directory / f"{name}.lnk").write_text(f"{elsewhere}\n")
    found = directory.component()
    assert found.path == str(elsewhere / "cluster-mark.dat")
    assert [each.header.service_id for each in directory.services(found)] == [0]


def test_finds_the_services_by_the_modules_directory(member, directory, tmp_path):
    services = tmp_path / "services"
    member.mark(services_cluster_dir=str(services))
    assert directory.services(directory.component()) == []
    services.mkdir()
    member.directory, cluster = services, member.directory
    member.service(0)
    member.directory = cluster
    assert len(directory.services(directory.component())) == 1
    assert directory.services() == []


# ---- rejected directories ----


def test_a_missing_directory_is_rejected(tmp_path):
    with pytest.raises(MissingFileError, match="nowhere"):
        ClusterDirectory(str(tmp_path / "nowhere"))


def test_an_unused_directory_is_distinguished_from_a_damaged_one(directory):
    assert not directory.has_component
    with pytest.raises(MissingFileError, match=r"cluster-mark\.dat"):
        directory.component()
    with pytest.raises(MissingFileError, match=r"recording\.log"):
        directory.open_recording_log()


@pytest.mark.parametrize(
    "content",
    [b"", b"torn", bytes(100), bytes(8192), b"\xff" * 8192, b"something else entirely" * 500],
)
def test_another_file_is_rejected(member, directory, content):
    (member.directory / "cluster-mark.dat").write_bytes(content)
    with pytest.raises(CorruptError, match=r"cluster-mark\.dat at 0"):
        directory.component()


@pytest.mark.parametrize(
    ("offset", "form", "value", "error"),
    [
        (8, "<i", 1 << 16, VersionError),
        (12, "<i", 77, CorruptError),
        (72, "<i", 3, CorruptError),
        (72, "<i", 1 << 30, CorruptError),
        (76, "<i", -1, CorruptError),
        (136, "<I", 1 << 29, CorruptError),
    ],
)
def test_a_damaged_header_is_rejected_with_its_offset(
    member, directory, offset, form, value, error
):
    member.mark()
    patch(member, offset, form, value)
    with pytest.raises(error, match=r"cluster-mark\.dat at \d+"):
        directory.component()


def test_a_torn_error_log_has_the_errors_before_the_tear(member, directory):
    mark = member.mark()
    mark.record_error(ValueError("first"), 1)
    path = member.directory / "cluster-mark.dat"
    path.write_bytes(path.read_bytes()[:8300])
    assert len(directory.component().errors) <= 1
    path.write_bytes(path.read_bytes()[:8192])
    assert directory.component().errors == ()


def test_every_length_of_a_mark_file_is_read_or_rejected(member, directory):
    member.mark()
    path = member.directory / "cluster-mark.dat"
    whole = path.read_bytes()
    for length in range(0, 400, 7):
        path.write_bytes(whole[:length])
        with contextlib.suppress(AeronClusterError):
            assert isinstance(directory.component().header, MarkFileHeader)


def test_files_in_use_are_not_changed(member, directory):
    directory.check_not_in_use()
    mark = member.mark()
    with pytest.raises(DirectoryInUseError, match="stop the member"):
        directory.check_not_in_use()
    mark.close()
    directory.check_not_in_use()
