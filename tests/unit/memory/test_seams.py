"""The real clocks, random numbers and files, and address parsing."""

import errno
import os
import stat

import pytest

from aeron_cluster.errors import ClosedError, ConfigurationError, PlatformError
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import (
    CachedClock,
    GroupFiles,
    Seams,
    SeededRandom,
    SystemClock,
    SystemFiles,
    SystemRandom,
    UdpNetwork,
)
from aeron_cluster.simulator.world.memory_files import MemoryFiles


@pytest.fixture
def files():
    return SystemFiles()


def test_time_does_not_go_back():
    clock = SystemClock()
    readings = [clock.nano_time() for _ in range(100)]
    assert readings == sorted(readings)
    before, between, after = clock.epoch_ms(), clock.epoch_nanos() // 1_000_000, clock.epoch_ms()
    assert before - 1_000 <= between <= after + 1_000


def test_a_cached_clock_does_not_advance_until_it_is_updated():
    clock = CachedClock(SystemClock())
    before = clock.nano_time(), clock.epoch_nanos(), clock.epoch_ms()
    assert (clock.nano_time(), clock.epoch_nanos(), clock.epoch_ms()) == before
    while clock.nano_time() == before[0]:
        clock.update()
    assert clock.nano_time() > before[0]


def test_the_seed_decides_the_sequence():
    one, same, other = SeededRandom(7), SeededRandom(7), SeededRandom(8)
    sequence = [one.next() for _ in range(100)]
    assert sequence == [same.next() for _ in range(100)]
    assert sequence != [other.next() for _ in range(100)]
    # The first of SplitMix64's published test values for the seed 1234567.
    assert SeededRandom(1234567).next() == 6457827717110365317


def test_a_split_sequence_is_decided_by_the_first_and_differs_from_it():
    one, same = SeededRandom(7), SeededRandom(7)
    first, second = one.split(), same.split()
    assert [first.next() for _ in range(10)] == [second.next() for _ in range(10)]
    assert first.next() != one.next()


def test_large_random_numbers_are_equally_likely():
    third = 2**61
    random = SeededRandom(1)
    found = [random.below(3 * third) for _ in range(6000)]
    shares = [sum(each // third == part for each in found) / len(found) for part in range(3)]
    # The remainder of 64 bits alone would give the first two thirds 3/8 each.
    assert shares == pytest.approx([1 / 3] * 3, abs=0.02)


def test_random_numbers_cover_the_range_below_the_limit():
    random = SeededRandom(1)
    assert {random.below(6) for _ in range(1000)} == set(range(6))
    assert random.below(1) == 0
    assert all(0 <= random.uniform() < 1 for _ in range(1000))
    with pytest.raises(ValueError, match="limit"):
        random.below(0)


def test_the_system_seeds_each_randomly():
    assert SystemRandom().next() != SystemRandom().next()


def test_default_seams_are_the_real_ones():
    random = SeededRandom(1)
    seams = Seams(random=random)
    assert seams.random is random
    assert isinstance(seams.clock, SystemClock)
    assert isinstance(seams.network, UdpNetwork)
    assert isinstance(seams.files, SystemFiles)


def test_an_address_is_written_as_users_write_it():
    assert str(Address("10.0.0.1", 40123)) == "10.0.0.1:40123"
    assert str(Address("::1", 40123)) == "[::1]:40123"
    assert str(Address("fe80::1", 1, 3)) == "[fe80::1%3]:1"


def test_reads_the_written_bytes(files, tmp_path):
    path = tmp_path / "file"
    with files.open(path, create=True) as file:
        file.write_at(b"hello", 3)
        assert file.length == 8
        assert file.read_at(100, 0) == b"\0\0\0hello"
        assert file.read_at(2, 4) == b"el"
        assert file.read_at(10, 8) == b""
        block = bytearray(4)
        assert file.read_into(block, 6) == 2
        assert block == b"lo\0\0"
        file.truncate(5)
        file.sync(0)
        file.sync(1)
        file.sync()
    assert files.read(path) == b"\0\0\0he"


def test_allocating_retains_the_content_and_extends(files, tmp_path):
    with files.open(tmp_path / "file", create=True) as file:
        file.write_at(b"abc", 0)
        file.allocate(0, 8192)
        assert file.length == 8192
        assert file.read_at(4, 0) == b"abc\0"
        assert (tmp_path / "file").stat().st_blocks * 512 >= 8192


def test_a_closed_file_raises(files, tmp_path):
    file = files.open(tmp_path / "file", create=True)
    file.close()
    file.close()
    assert file.handle == -1
    with pytest.raises(ClosedError, match="file: closed"):
        file.read_at(1, 0)
    with pytest.raises(ClosedError):
        _ = file.length


def test_a_missing_file_an_existing_one_and_a_directory_are_rejected(files, tmp_path):
    path = tmp_path / "file"
    with pytest.raises(FileNotFoundError) as raised:
        files.open(path)
    assert raised.value.filename == str(path)
    with pytest.raises(FileNotFoundError):
        files.open(path, write=True)
    files.open(path, exclusive=True).close()
    with pytest.raises(FileExistsError):
        files.open(path, exclusive=True)
    with pytest.raises(IsADirectoryError):
        files.open(tmp_path)
    with pytest.raises(IsADirectoryError):
        files.open(tmp_path, write=True)


def test_a_file_opened_for_reading_is_not_written(files, tmp_path):
    (tmp_path / "file").write_bytes(b"abc")
    with files.open(tmp_path / "file") as file, pytest.raises(PlatformError):
        file.write_at(b"x", 0)


@pytest.mark.parametrize(
    ("call", "number"),
    [
        (lambda file: file.write_at(b"x", 0), errno.EBADF),
        (lambda file: file.truncate(1), errno.EINVAL),
        (lambda file: file.allocate(0, 4096), errno.EBADF),
        (lambda file: file.read_at(1, -1), errno.EINVAL),
    ],
)
def test_a_rejected_operation_has_the_systems_number_and_the_files_name(
    files, tmp_path, call, number
):
    (tmp_path / "file").write_bytes(b"abc")
    with files.open(tmp_path / "file") as file, pytest.raises(PlatformError) as raised:
        call(file)
    assert (raised.value.errno, raised.value.filename) == (number, str(tmp_path / "file"))
    assert (tmp_path / "file").read_bytes() == b"abc"


def test_whether_a_name_exists_that_no_file_can_have_is_an_error(files, tmp_path):
    with pytest.raises(PlatformError) as raised:
        files.exists(tmp_path / ("x" * 300))
    assert raised.value.errno == errno.ENAMETOOLONG


def test_a_link_does_not_lead_writes_astray(files, tmp_path):
    victim, trap = tmp_path / "victim", tmp_path / "trap"
    victim.write_bytes(b"precious")
    trap.symlink_to(victim)
    with pytest.raises(PlatformError):
        files.open(trap, create=True, truncate=True)
    assert victim.read_bytes() == b"precious"
    assert files.read(trap) == b"precious"


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o277, 0o777])
def test_created_files_are_private(files, tmp_path, umask):
    before = os.umask(umask)
    try:
        files.make_directory(tmp_path / "a" / "b", parents=True)
        files.open(tmp_path / "a" / "file", create=True).close()
    finally:
        os.umask(before)
    for name, mode in (("a", 0o700), ("a/b", 0o700), ("a/file", 0o600)):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == mode


def test_an_existing_file_retains_its_mode(files, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x")
    path.chmod(0o640)
    for options in ({"create": True}, {"create": True, "truncate": True}, {"write": True}):
        files.open(path, **options).close()
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    with pytest.raises(FileExistsError):
        files.open(path, exclusive=True)
    assert path.read_bytes() == b""


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777])
def test_a_group_may_access_new_files(tmp_path, umask):
    group = max(os.getgroups() or [os.getgid()])
    shared = GroupFiles(str(group))
    before = os.umask(umask)
    try:
        shared.make_directory(tmp_path / "a" / "b", parents=True)
        shared.open(tmp_path / "a" / "b" / "file", create=True).close()
        shared.replace(tmp_path / "a" / "whole", b"x")
    finally:
        os.umask(before)
    for name, mode in (("a", 0o2770), ("a/b", 0o2770), ("a/b/file", 0o660), ("a/whole", 0o660)):
        found = (tmp_path / name).stat()
        assert (stat.S_IMODE(found.st_mode), found.st_gid) == (mode, group)


@pytest.mark.parametrize("name", ["no such group", "a\0b", "9" * 30])
def test_an_unknown_group_is_rejected(name):
    with pytest.raises(ConfigurationError, match="a group of this machine") as raised:
        GroupFiles(name)
    assert raised.value.found == name


def test_identifies_a_files_owner(files, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "file").chmod(0o604)
    (tmp_path / "link").symlink_to("nowhere")
    found = files.access(tmp_path / "file")
    assert (found.owner, found.user, found.mode) == (os.geteuid(), os.geteuid(), 0o604)
    assert not found.is_link
    assert files.access(tmp_path / "link").is_link
    assert files.access(tmp_path / "none") is None
    assert files.access(tmp_path / "file" / "none") is None


def test_directories_are_created_listed_and_rejected(files, tmp_path):
    with pytest.raises(FileNotFoundError):
        files.make_directory(tmp_path / "a" / "b")
    files.make_directory(tmp_path / "a" / "b", parents=True)
    files.make_directory(tmp_path / "a" / "b", parents=True)
    with pytest.raises(FileExistsError):
        files.make_directory(tmp_path / "a" / "b")
    files.open(tmp_path / "a" / "file", create=True).close()
    assert files.list(tmp_path / "a") == ["b", "file"]
    assert files.is_directory(tmp_path / "a")
    assert files.is_file(tmp_path / "a" / "file")
    assert not files.exists(tmp_path / "c")
    assert not files.exists(tmp_path / "a" / "file" / "below")
    with pytest.raises(FileExistsError):
        files.make_directory(tmp_path / "a" / "file", parents=True)
    with pytest.raises(NotADirectoryError):
        files.list(tmp_path / "a" / "file")
    for parents in (False, True):
        with pytest.raises(FileNotFoundError):
            files.make_directory("", parents=parents)
    files.sync_directory(tmp_path / "a")
    assert files.usable_space(tmp_path) > 0


def test_allocation_takes_space(files, tmp_path):
    with files.open(tmp_path / "sparse", create=True) as file:
        file.truncate(1 << 30)
        assert files.allocated_space(tmp_path / "sparse") < 1 << 20
        file.allocate(0, 1 << 20)
        assert 1 << 20 <= files.allocated_space(tmp_path / "sparse") < 2 << 20
    assert files.allocated_space(tmp_path / "nowhere") == 0


def test_the_space_of_a_file_that_cannot_be_opened_is_unknown():
    files = MemoryFiles(directories=["/"])
    files.open("/file", create=True).close()
    assert files.allocated_space("/nowhere") == 0
    files.fail("open", errno.EIO)
    with pytest.raises(PlatformError) as raised:
        files.allocated_space("/file")
    assert raised.value.errno == errno.EIO


def test_rename_replaces(files, tmp_path):
    (tmp_path / "old").write_bytes(b"1")
    (tmp_path / "new").write_bytes(b"2")
    files.rename(tmp_path / "old", tmp_path / "new")
    assert files.list(tmp_path) == ["new"]
    assert files.read(tmp_path / "new") == b"1"
    files.replace(tmp_path / "new", b"3")
    assert files.list(tmp_path) == ["new"]
    assert files.read(tmp_path / "new") == b"3"


def test_removing_a_tree_follows_no_link(files, tmp_path):
    outside, tree = tmp_path / "outside", tmp_path / "tree"
    outside.mkdir()
    (outside / "precious").write_bytes(b"x")
    (tree / "deep" / "deeper").mkdir(parents=True)
    (tree / "deep" / "file").write_bytes(b"x")
    (tree / "trap").symlink_to(outside, target_is_directory=True)
    with pytest.raises(PlatformError):
        files.remove(tree)
    files.remove_tree(tree)
    assert not tree.exists()
    assert (outside / "precious").exists()
    files.remove_tree(tree)
    (tmp_path / "trap").symlink_to(outside, target_is_directory=True)
    files.remove_tree(tmp_path / "trap")
    assert files.list(tmp_path) == ["outside"]


def test_names_in_other_encodings_than_utf8_are_retained(files, tmp_path):
    name = os.fsdecode(b"odd-\xff")
    files.open(tmp_path / name, create=True).close()
    assert files.list(tmp_path) == [name]
    files.remove(tmp_path / name)
    assert files.list(tmp_path) == []
