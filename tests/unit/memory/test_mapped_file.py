"""Mappings, and the buffers over them."""

import pytest

from aeron_cluster.errors import BufferUsageError, CorruptError
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.seams import SystemFiles


@pytest.fixture
def files():
    return SystemFiles()


def test_two_mappings_of_a_file_see_each_other(files, tmp_path):
    path = tmp_path / "file"
    with MappedFile.create(files, path, 8192) as first, MappedFile.open(files, path) as second:
        memoryview(first)[4096:4099] = b"abc"
        assert bytes(second)[4096:4099] == b"abc"
        assert len(second) == second.length == 8192
        assert (first.writable, second.writable) == (True, False)
    assert path.read_bytes()[4096:4099] == b"abc"


def test_shows_its_path_length_and_state(files, tmp_path):
    path = tmp_path / "file"
    with MappedFile.create(files, path, 8192) as first, MappedFile.open(files, path) as second:
        assert repr(first) == f"<MappedFile {path} 8192 bytes, writable>"
        assert repr(second) == f"<MappedFile {path} 8192 bytes, read-only>"
    assert repr(second) == f"<MappedFile {path} 8192 bytes, closed>"


def test_a_read_only_mapping_gives_no_writable_buffer(files, tmp_path):
    MappedFile.create(files, tmp_path / "file", 4096).close()
    with (
        files.open(tmp_path / "file") as file,
        MappedFile.of(file) as mapped,
    ):
        assert memoryview(mapped).readonly
        with pytest.raises(BufferError, match="read-only"):
            file.read_into(mapped, 0)


def test_positioned_writes_show_in_a_mapping(files, tmp_path):
    MappedFile.create(files, tmp_path / "file", 4096).close()
    with (
        files.open(tmp_path / "file", write=True) as file,
        MappedFile.of(file) as mapped,
    ):
        file.write_at(b"seen", 100)
        assert bytes(mapped)[100:104] == b"seen"


def test_a_part_is_mapped_at_its_offset(files, tmp_path):
    (tmp_path / "file").write_bytes(bytes(4096) + b"x" * 4096)
    with files.open(tmp_path / "file") as file:
        with MappedFile.of(file, 4096, 10) as mapped:
            assert bytes(mapped) == b"x" * 10
        with MappedFile.of(file, 4096) as mapped:
            assert mapped.length == 4096


def test_only_an_allocated_file_uses_blocks(files, tmp_path):
    length = 1 << 20
    MappedFile.create(files, tmp_path / "sparse", length, allocate=False).close()
    MappedFile.create(files, tmp_path / "full", length).close()
    assert (tmp_path / "sparse").stat().st_blocks == 0
    assert (tmp_path / "full").stat().st_blocks * 512 >= length


def test_buffers_outlive_close(files, tmp_path):
    mapped = MappedFile.create(files, tmp_path / "file", 4096)
    view = memoryview(mapped)
    view[:3] = b"abc"
    mapped.close()
    mapped.close()
    assert mapped.is_closed
    assert mapped.exports == 1
    assert bytes(view[:3]) == b"abc"
    with pytest.raises(BufferError, match="closed"):
        memoryview(mapped)
    view.release()
    assert mapped.exports == 0


def test_closing_a_mapping_again_does_nothing(files, tmp_path):
    mapped = MappedFile.create(files, tmp_path / "file", 4096)
    for _ in range(2):
        mapped.close()
        assert mapped.is_closed


def test_a_shorter_or_empty_file_is_rejected_not_a_bus_error(files, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"")
    with pytest.raises(CorruptError) as raised:
        MappedFile.open(files, path)
    assert raised.value.path == str(path)
    path.write_bytes(b"1234")
    with files.open(path) as file:
        with pytest.raises(CorruptError, match="length 4, expected >= 5"):
            MappedFile.of(file, 0, 5)
        with pytest.raises(CorruptError):
            MappedFile.of(file, 4096)


def test_creating_rejects_an_existing_file_and_leaves_nothing_when_it_fails(files, tmp_path):
    path = tmp_path / "file"
    MappedFile.create(files, path, 4096).close()
    with pytest.raises(FileExistsError):
        MappedFile.create(files, path, 4096)
    with pytest.raises(OSError, match="huge"):
        MappedFile.create(files, tmp_path / "huge", 1 << 62)
    assert files.list(tmp_path) == ["file"]


def test_a_missing_file_raises_file_not_found(files, tmp_path):
    with pytest.raises(FileNotFoundError):
        MappedFile.open(files, tmp_path / "file")


@pytest.mark.parametrize("writable", [True, False])
def test_touching_changes_nothing(tmp_path, writable):
    path = tmp_path / "file"
    data = bytes(range(1, 256)) * 100
    path.write_bytes(data)
    mapping = MappedFile.open(SystemFiles(), path, writable=writable)
    mapping.touch()
    assert path.read_bytes() == data
    mapping.close()
    with pytest.raises(BufferUsageError):
        mapping.touch()
