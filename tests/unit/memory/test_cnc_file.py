"""The CnC file: Aeron's layout, and invalid files."""

import struct

import pytest

from aeron_cluster.errors import (
    ClosedError,
    ConfigurationError,
    CorruptError,
    InsufficientSpaceError,
    VersionError,
)
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.shared.error_log import read_error_log
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.simulator.world.memory_files import MemoryFiles

SMALL = {
    "to_driver_buffer_length": 1024 + 768,
    "to_clients_buffer_length": 2048 + 128,
    "counters_values_buffer_length": 128 * 8,
    "error_log_buffer_length": 1024,
    "client_liveness_timeout_ns": 10_000_000_000,
    "start_timestamp_ms": 1_700_000_000_000,
    "pid": 4321,
}
LENGTH = 12288  # 128 + 1792 + 2176 + 4096 + 1024 + 1024 in whole pages


@pytest.fixture
def files():
    return SystemFiles()


@pytest.fixture
def path(shm_dir):
    return shm_dir / "cnc.dat"


def create_file(files, path, **changed):
    return CncFile.create(files, path, **{**SMALL, **changed})


def test_header_has_aerons_layout(files, path):
    cnc = create_file(files, path)
    data = path.read_bytes()

    assert len(data) == cnc.length == LENGTH
    assert struct.unpack_from("<6i3qi", data) == (
        *(0, 1792, 2176, 4096, 1024, 1024),
        *(10_000_000_000, 1_700_000_000_000, 4321),
        4096,
    )
    assert not any(data[52:])

    cnc.signal_ready(1234)
    data = path.read_bytes()
    assert struct.unpack_from("<i", data) == (512,)
    assert struct.unpack_from("<q", data, 128 + 1024 + 640) == (1234,)
    assert cnc.to_driver().next_correlation_id() == 1


def test_sections_follow_each_other(files, path):
    with create_file(files, path) as cnc:
        cnc.signal_ready(1)
        cnc.to_driver().write(1, b"command")
        cnc.to_clients_transmitter().transmit(2, b"event")
        cnc.counters_manager().allocate("label", 3, b"key", now_ms=0, value=99)
        cnc.error_log().record("error", now_ms=5)

    data = path.read_bytes()
    to_clients = 128 + 1792
    metadata = to_clients + 2176
    values = metadata + 4096
    assert data[128:][:15] == struct.pack("<ii7s", 15, 1, b"command")
    assert data[to_clients:][:13] == struct.pack("<ii5s", 13, 2, b"event")
    assert struct.unpack_from("<ii", data, metadata) == (1, 3)
    assert struct.unpack_from("<q", data, values) == (99,)
    assert data[values + 1024 :][24:29] == b"error"


def test_client_reads_the_drivers_file(files, path):
    driver = create_file(files, path)
    driver.signal_ready(1000)
    driver.to_clients_transmitter().transmit(2, b"event")
    driver.counters_manager().allocate("label", 3, now_ms=0, registration_id=7)

    with CncFile.open(files, path) as client:
        assert client.version == 512
        assert client.client_liveness_timeout_ns == SMALL["client_liveness_timeout_ns"]
        assert client.start_timestamp_ms == SMALL["start_timestamp_ms"]
        assert client.pid == SMALL["pid"]
        assert client.file_page_size == 4096
        assert client.section_lengths == (1792, 2176, 4096, 1024, 1024)
        assert client.counters_reader().find(3, 7) == 0
        assert client.to_clients_receiver().receive() == (2, b"event")
        client.to_driver().write(9, b"hello")
        assert client.driver_heartbeat_ms == 1000
        assert client.is_driver_active(11_000, 10_000)
        assert not client.is_driver_active(11_001, 10_000)

    seen = []
    driver.to_driver().read(lambda *message: seen.append(message))
    assert seen == [(9, b"hello")]
    driver.to_driver().consumer_heartbeat_ms = -1
    assert not driver.is_driver_active(0, 10_000)


def test_file_is_ready_once_its_version_is_set(files, path):
    assert not CncFile.is_ready(files, path)
    cnc = create_file(files, path)
    assert not CncFile.is_ready(files, path)
    with pytest.raises(CorruptError, match="not finished"):
        CncFile.open(files, path)
    cnc.signal_ready(1)
    assert CncFile.is_ready(files, path)


def test_file_that_is_removed_meanwhile_is_not_ready(path):
    class Removing(SystemFiles):
        def is_file(self, _path):
            return True

    assert not CncFile.is_ready(Removing(), path)


@pytest.mark.parametrize("length", [0, 1, 128])
def test_incomplete_file_is_not_ready(files, path, length):
    path.write_bytes(b"\1" * length)
    assert not CncFile.is_ready(files, path)
    with pytest.raises(CorruptError, match="length"):
        CncFile.open(files, path)


def patched(files, path, offset, layout, value):
    create_file(files, path).signal_ready(1)
    data = bytearray(path.read_bytes())
    struct.pack_into(layout, data, offset, value)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("version", "text"), [(256, "0.1.0"), (65536, "1.0.0"), (17, "0.0.17"), (-1, "-1.255.255")]
)
def test_rejects_another_version_and_spells_both(files, path, version, text):
    patched(files, path, 0, "<i", version)
    with pytest.raises(VersionError, match=r"expected 0\.2\.0 or a later 0\.x") as raised:
        CncFile.open(files, path)
    assert raised.value.path == str(path)
    assert raised.value.offset == 0
    assert raised.value.found == f"{text} ({version})"


@pytest.mark.parametrize("version", [512, 513, 768])
def test_accepts_later_minor_versions(files, path, version):
    patched(files, path, 0, "<i", version)
    with CncFile.open(files, path) as cnc:
        assert cnc.version == version


@pytest.mark.parametrize(
    ("offset", "value", "name"),
    [
        (4, 0, "to_driver_buffer_length"),
        (4, 1791, "to_driver_buffer_length"),
        (4, -(2**31), "to_driver_buffer_length"),
        (8, 2175, "to_clients_buffer_length"),
        (8, 128 + 32, "to_clients_buffer_length"),
        (12, 4095, "counters_metadata_buffer_length"),
        (12, -1, "counters_metadata_buffer_length"),
        (16, 127, "counters_values_buffer_length"),
        (16, -5, "counters_values_buffer_length"),
        (16, 2048, "counters_metadata_buffer_length"),
        (20, 23, "error_log_buffer_length"),
        (20, -8, "error_log_buffer_length"),
        (20, LENGTH, "length of the sections"),
        (12, 2**31 - 1, "length of the sections"),
    ],
)
def test_rejects_invalid_lengths(files, path, offset, value, name):
    patched(files, path, offset, "<i", value)
    with pytest.raises(CorruptError, match=name) as raised:
        CncFile.open(files, path)
    assert raised.value.path == str(path)


def test_rejects_a_truncated_file(files, path):
    create_file(files, path).signal_ready(1)
    with path.open("r+b") as file:
        file.truncate(LENGTH - 4096)
    with pytest.raises(CorruptError, match="length of the sections"):
        CncFile.open(files, path)


def test_old_files_have_no_page_size(files, path):
    patched(files, path, 48, "<i", 0)
    with CncFile.open(files, path) as cnc:
        assert cnc.file_page_size == 4096


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("to_driver_buffer_length", 1025),
        ("to_clients_buffer_length", 1025),
        ("counters_values_buffer_length", 100),
        ("counters_values_buffer_length", -1),
        ("error_log_buffer_length", 10),
        ("file_page_size", 4097),
        ("file_page_size", 0),
    ],
)
def test_a_driver_with_odd_lengths_makes_no_file(files, path, name, value):
    with pytest.raises(ConfigurationError) as raised:
        create_file(files, path, **{name: value})
    assert (raised.value.name, raised.value.found) == (name, value)
    assert not path.exists()


def test_a_driver_does_not_overwrite_an_existing_file(files, path):
    path.write_bytes(b"somebody's")
    with pytest.raises(OSError, match="exists"):
        create_file(files, path)
    assert path.read_bytes() == b"somebody's"


def test_full_disk_leaves_no_file():
    files = MemoryFiles(capacity=8 * 4096)
    with pytest.raises(InsufficientSpaceError):
        create_file(files, "/tmp/cnc.dat", to_driver_buffer_length=65536 + 768)
    assert not files.exists("/tmp/cnc.dat")
    assert files.usable_space("/tmp") == 8 * 4096


def test_a_file_may_not_exceed_an_int(files, path):
    with pytest.raises(ConfigurationError, match="CnC file length"):
        create_file(files, path, counters_values_buffer_length=2**29)


def test_parts_outlive_a_closed_file(files, path):
    cnc = create_file(files, path)
    ring = cnc.to_driver()
    assert repr(cnc) == f"<CncFile {path}, open>"
    cnc.close()
    cnc.close()

    assert cnc.closed
    assert repr(cnc) == f"<CncFile {path}, closed>"
    with pytest.raises(ClosedError):
        cnc.counters_reader()
    with pytest.raises(ClosedError):
        _ = cnc.pid
    del cnc
    ring.write(1, b"still there")
    assert path.read_bytes()[136:147] == b"still there"


def test_is_made_by_its_factories():
    with pytest.raises(TypeError, match="create or open"):
        CncFile()
    bare = CncFile.__new__(CncFile)
    assert bare.closed
    assert bare.path is None
    bare.close()
    with pytest.raises(ClosedError):
        _ = bare.version


def test_the_log_of_a_killed_driver_can_be_read(files, path):
    create_file(files, path).error_log().record("last words", now_ms=1)
    log = path.read_bytes()[128 + 1792 + 2176 + 4096 + 1024 :][:1024]
    assert [entry.text for entry in read_error_log(log)] == ["last words"]
