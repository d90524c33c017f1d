"""A mounted disk keeps what was synced, and only that for certain, when it loses power."""

import mmap
import os
import subprocess
import sys

import pytest

from tests.soak.disks import FILLER, NoDisksError, remove_stale
from tests.soak.power.disk import PowerDisk

PAGE = 4096


@pytest.fixture
def make(tmp_path):
    made = []

    def make(seed=1, megabytes=64, **options):
        try:
            made.append(PowerDisk(tmp_path / f"disk-{len(made)}", megabytes, seed, **options))
        except NoDisksError as error:
            pytest.skip(f"no disk can be mounted: {error}")
        return made[-1], tmp_path / f"disk-{len(made) - 1}"

    yield make
    for disk in made:
        disk.close()


def sync(path, flags=os.O_RDONLY):
    descriptor = os.open(path, flags)
    os.fsync(descriptor)
    os.close(descriptor)


def write_synced(path, data):
    path.write_bytes(data)
    sync(path)
    sync(path.parent)


def test_it_is_a_file_system(make):
    _, folder = make()
    (folder / "a" / "b").mkdir(parents=True)
    path = folder / "a" / "b" / "file"
    path.write_bytes(b"one" * 100_000)
    with path.open("r+b") as file:
        file.seek(3)
        file.write(b"two")
        os.posix_fallocate(file.fileno(), 0, 1 << 20)
        file.truncate(2 << 20)
    assert path.read_bytes() == b"onetwo" + b"one" * 99_998 + bytes((2 << 20) - 300_000)
    path.rename(folder / "moved")
    (folder / "a" / "c").mkdir()
    (folder / "a" / "b").rename(folder / "a" / "c" / "d")
    (folder / "a" / "c" / "d" / "other").write_bytes(b"x")
    assert sorted(each.name for each in folder.iterdir()) == ["a", "moved"]
    assert [each.name for each in (folder / "a").rglob("*")] == ["c", "d", "other"]
    assert (folder / "a" / "c").is_dir()
    (folder / "replaced").write_bytes(b"old")
    (folder / "moved").replace(folder / "replaced")
    assert (folder / "replaced").stat().st_size == 2 << 20
    with (folder / "replaced").open("rb") as file:
        (folder / "replaced").unlink()
        assert file.read(6) == b"onetwo"
    with pytest.raises(FileNotFoundError):
        (folder / "replaced").stat()
    with pytest.raises(OSError, match="not empty"):
        (folder / "a").rmdir()
    for index in range(500):
        (folder / f"{index}-{'x' * 200}").touch()
    assert len([*folder.iterdir()]) == 501


def test_synced_data_survives(make):
    disk, folder = make()
    (folder / "sub").mkdir()
    sync(folder)
    write_synced(folder / "sub" / "file", b"kept" * 5000)
    with (folder / "sub" / "mapped").open("w+b") as file:
        file.truncate(3 * PAGE)
        sync(folder / "sub")
        with mmap.mmap(file.fileno(), 0) as mapped:
            mapped[:4] = b"here"
            mapped.flush()
    for is_written_back in (True, False):
        disk.lose_power(is_written_back=is_written_back)
        assert (folder / "sub" / "file").read_bytes() == b"kept" * 5000
        assert (folder / "sub" / "mapped").read_bytes() == b"here" + bytes(3 * PAGE - 4)


def test_what_was_not_synced_may_be_lost(make):
    """Some seeds keep it, others lose it, or tear it between sectors."""
    found = set()
    for seed in range(12):
        disk, folder = make(seed)
        write_synced(folder / "file", b"a" * PAGE)
        with (folder / "file").open("r+b") as file:
            file.write(b"b" * PAGE)
        (folder / "unsynced").write_bytes(b"c")
        disk.lose_power(is_written_back=True)
        content = (folder / "file").read_bytes()
        new = content.count(b"b")
        assert content == b"b" * new + b"a" * (PAGE - new)
        assert new % 512 == 0
        found.add({0: "lost", PAGE: "kept"}.get(new, "torn"))
        found.add(f"named: {(folder / 'unsynced').exists()}")
    assert found == {"lost", "kept", "torn", "named: True", "named: False"}


def test_changes_of_a_mapping_that_the_system_had_not_written_are_lost(make):
    disk, folder = make()
    write_synced(folder / "mapped", bytes(PAGE))
    change = (
        "import mmap, signal, sys\n"
        "file = open(sys.argv[1], 'r+b')\n"
        "mapped = mmap.mmap(file.fileno(), 0)\n"
        "mapped[:4] = b'lost'\n"
        "print(flush=True)\n"
        "signal.pause()"
    )
    command = [sys.executable, "-c", change, folder / "mapped"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        disk.lose_power(is_written_back=False)
        process.kill()
    assert (folder / "mapped").read_bytes() == bytes(PAGE)


def test_its_pages_are_whole_where_they_must_be(make):
    for seed in range(8):
        disk, folder = make(seed, whole_pages=(".rec",))
        write_synced(folder / "0-0.rec", b"a" * 2 * PAGE)
        with (folder / "0-0.rec").open("r+b") as file:
            file.write(b"b" * 2 * PAGE)
        disk.lose_power(is_written_back=True)
        content = (folder / "0-0.rec").read_bytes()
        assert all(len({*content[at : at + PAGE]}) == 1 for at in (0, PAGE))


def test_it_is_full_and_freed(make):
    disk, folder = make(megabytes=4)
    disk.fill()
    with pytest.raises(OSError, match="No space left"), (folder / "file").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, 1 << 20)
    with pytest.raises(OSError, match="No space left"):
        (folder / "file").write_bytes(bytes(1 << 20))
    os.truncate(folder / FILLER, (folder / FILLER).stat().st_size - PAGE)
    with (folder / "short").open("wb", buffering=0) as file:
        assert file.write(b"x" * 2 * PAGE) == PAGE
    assert (folder / "short").read_bytes() == b"x" * PAGE
    disk.free()
    (folder / "after").write_bytes(bytes(1 << 20))


def test_a_freed_disk_stays_free(make):
    for seed in range(8):
        disk, folder = make(seed, megabytes=4)
        disk.fill()
        disk.free()
        write_synced(folder / "file", b"x" * 1_000_000)
        (folder / "file").write_bytes(b"")
        (folder / "other").write_bytes(bytes(3_500_000))
        disk.lose_power(is_written_back=True)
        assert FILLER not in {each.name for each in folder.iterdir()}
        assert os.statvfs(folder).f_bavail >= 0


def test_a_removed_file_is_readable_while_it_is_known(make):
    _, folder = make()
    write_synced(folder / "file", b"content")
    with (folder / "file").open("rb") as file:
        (folder / "other").write_bytes(b"other")
        (folder / "other").replace(folder / "file")
        assert os.fstat(file.fileno()).st_nlink == 0
        assert file.read() == b"content"
    assert (folder / "file").read_bytes() == b"other"


def test_the_end_of_its_process_is_an_error(make):
    disk, folder = make()
    disk._process.kill()
    with pytest.raises(NoDisksError, match="ended with -9"):
        disk.lose_power(is_written_back=False)
    with pytest.raises(OSError, match="not connected"):
        disk.close()
    remove_stale()
    assert not os.path.ismount(folder)


def test_its_content_stays_in_the_folder(make):
    disk, folder = make()
    (folder / "file").write_bytes(b"x")
    disk.close()
    disk.close()
    assert not os.path.ismount(folder)
    assert (folder / "file").read_bytes() == b"x"


def test_a_disk_that_cannot_be_mounted_names_why(tmp_path):
    with pytest.raises(NoDisksError, match=r"ValueError.*'none'"):
        PowerDisk(tmp_path / "disk", "none", 1)
