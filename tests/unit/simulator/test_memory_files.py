"""An in-memory disk: full, failing, torn, and without its unsynced content after a power loss."""

import errno
import gc

import pytest

from aeron_cluster.errors import InsufficientSpaceError, PlatformError
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.world.memory_files import MemoryFiles

PAGE = 4096
PATH = "/tmp/file"


@pytest.fixture
def files():
    return MemoryFiles()


def forms(make, count=60):
    """Return the possible contents of a disk after a power loss, over many seeds."""
    found = set()
    for seed in range(count):
        files = MemoryFiles(random=SeededRandom(seed))
        make(files)
        files.lose_power()
        found.add(files.read(PATH) if files.is_file(PATH) else None)
    return found


def put(files, data, offset=0, *, sync=False):
    with files.open(PATH, create=True) as file:
        file.write_at(data, offset)
        if sync:
            file.sync()


def test_a_path_is_resolved_when_it_is_used(files):
    for _ in range(2):
        assert not files.is_file("/tmp/folder/file")
        files.make_directory("/tmp/folder")
        files.replace("/tmp/folder/../folder//file", b"there")
        assert files.read("/tmp/./folder/file") == b"there"
        files.rename("/tmp/folder", "/tmp/other")
        assert files.read("/tmp/other/file") == b"there"
        files.remove_tree("/tmp/other")


def test_mappings_and_writes_see_each_other(files):
    with MappedFile.create(files, PATH, 3 * PAGE) as mapped:
        with files.open(PATH, write=True) as file:
            file.write_at(b"written", PAGE - 3)
            assert bytes(mapped)[PAGE - 3 : PAGE + 4] == b"written"
            memoryview(mapped)[0:6] = b"mapped"
            assert file.read_at(6, 0) == b"mapped"
        with MappedFile.open(files, PATH) as other:
            assert bytes(other)[:6] == b"mapped"
            assert files.map_count == 2
    assert files.map_count == 0
    assert files.open_count == 0


def test_a_mapping_outlives_its_name_and_its_process(files):
    mapped = MappedFile.create(files, PATH, PAGE)
    memoryview(mapped)[:3] = b"abc"
    files.remove(PATH)
    files.end_process()
    gc.collect()
    assert bytes(mapped)[:3] == b"abc"
    mapped.close()
    assert files.map_count == 0


def test_a_file_outlives_its_name_while_it_is_open(files):
    with files.open(PATH, create=True) as file:
        file.write_at(b"abc", 0)
        files.remove(PATH)
        assert not files.exists(PATH)
        assert file.read_at(3, 0) == b"abc"
        with files.open(PATH, create=True) as other:
            assert other.length == 0


def test_a_file_grows_and_its_holes_are_zero(files):
    with files.open(PATH, create=True) as file:
        file.write_at(b"begin", 0)
        file.write_at(b"end", 50_000_000)
        assert file.length == 50_000_003
        assert file.read_at(8, 0) == b"begin\0\0\0"
        assert file.read_at(PAGE, 25_000_000) == bytes(PAGE)
        assert file.read_at(10, 49_999_999) == b"\0end"


def test_truncated_data_does_not_return(files):
    with files.open(PATH, create=True) as file:
        file.write_at(b"x" * (3 * PAGE), 0)
        file.truncate(10)
        file.truncate(2 * PAGE)
        assert file.read_at(2 * PAGE, 0) == b"x" * 10 + bytes(2 * PAGE - 10)


def test_full_disk_writes_the_fitting_part_and_raises():
    files = MemoryFiles(capacity=4 * PAGE)
    assert files.usable_space("/tmp") == 4 * PAGE
    with files.open(PATH, create=True) as file:
        with pytest.raises(InsufficientSpaceError, match=f"{4 * PAGE} of {5 * PAGE} bytes"):
            file.write_at(b"x" * (5 * PAGE), 0)
        assert file.length == files.allocated_space(PATH) == 4 * PAGE
        with pytest.raises(InsufficientSpaceError):
            file.write_at(b"x", 4 * PAGE)
        file.write_at(b"y", 0)  # an allocated page
        assert files.usable_space("/tmp") == 0
        file.truncate(PAGE)
        assert files.usable_space("/tmp") == 3 * PAGE
        with pytest.raises(InsufficientSpaceError):
            file.allocate(0, 5 * PAGE)
        assert file.length == PAGE
        file.allocate(0, 4 * PAGE)
        assert files.usable_space("/tmp") == 0
    files.remove(PATH)
    assert files.usable_space("/tmp") == 4 * PAGE
    assert files.allocated_space(PATH) == 0


def test_a_full_disk_leaves_no_partial_mapping():
    files = MemoryFiles(capacity=4 * PAGE)
    with pytest.raises(InsufficientSpaceError):
        MappedFile.create(files, PATH, 5 * PAGE)
    assert not files.exists(PATH)
    MappedFile.create(files, PATH, 100 * PAGE, allocate=False).close()
    assert files.usable_space("/tmp") == 4 * PAGE


def test_calls_fail_when_configured(files):
    put(files, b"abc")
    files.fail("write_at", errno.EIO, after=1, count=2)
    with files.open(PATH, write=True) as file:
        file.write_at(b"1", 0)
        for _ in range(2):
            with pytest.raises(PlatformError):
                file.write_at(b"2", 0)
        file.write_at(b"3", 0)
        files.fail("sync", errno.EIO)
        with pytest.raises(PlatformError):
            file.sync()
        file.sync()
    files.fail("open", errno.EMFILE)
    with pytest.raises(PlatformError, match=r"[Tt]oo many"):
        files.open(PATH)
    files.fail("rename", errno.EIO)
    files.fail("rename", errno.EIO, count=0)
    files.rename(PATH, "/tmp/other")
    with pytest.raises(KeyError):
        files.fail("nothing", errno.EIO)


def test_syncs_are_counted_and_unsynced_pages_known(files):
    directories = files.sync_counts[2]
    with files.open(PATH, create=True) as file:
        file.write_at(b"x" * (2 * PAGE), 0)
        assert files.unsynced(PATH) == 2
        file.sync(0)
        assert files.unsynced(PATH) == 2
        file.sync(1)
        assert files.unsynced(PATH) == 0
        file.write_at(b"y", PAGE)
        assert files.unsynced(PATH) == 1
        file.sync()
    files.sync_directory("/tmp")
    assert files.sync_counts == (1, 1, directories + 1)


def test_the_data_at_risk_in_a_power_loss_is_known(files):
    with files.open(PATH, create=True) as file:
        file.write_at(b"x" * PAGE, 0)
        assert files.may_lose(PATH, 1)
        file.sync(2)
        assert files.may_lose(PATH, 1)  # the name of the file
        files.sync_directory("/tmp")
        assert not files.may_lose(PATH)
        file.write_at(b"xxyy", PAGE - 4)
        assert not files.may_lose(PATH, PAGE - 2)
        assert files.may_lose(PATH, PAGE - 1)
        file.write_at(b"x" * 8, PAGE)
        file.write_at(b"x" * 4, PAGE - 4)
        assert not files.may_lose(PATH, PAGE)
        assert files.may_lose(PATH, PAGE + 1)
        assert files.may_lose(PATH)
        file.sync(1)
        assert not files.may_lose(PATH)


def test_ended_process_loses_only_its_handles(files):
    file = files.open(PATH, create=True)
    file.write_at(b"abc", 0)
    files.end_process()
    with pytest.raises(PlatformError):
        file.read_at(1, 0)
    with files.open(PATH) as other:
        # The stale handle is invalid, although its place is reused.
        with pytest.raises(PlatformError):
            file.read_at(1, 0)
        assert other.read_at(3, 0) == b"abc"
    assert files.read(PATH) == b"abc"


def test_data_synced_with_its_name_survives():
    def make(files):
        put(files, b"safe", sync=True)
        files.sync_directory("/tmp")

    assert forms(make) == {b"safe"}


def test_unsynced_name_may_be_lost_with_everything():
    assert forms(lambda files: put(files, b"safe", sync=True)) == {b"safe", None}


def test_unsynced_page_is_new_old_or_torn_between_sectors():
    def make(files):
        put(files, b"a" * PAGE, sync=True)
        files.sync_directory("/tmp")
        put(files, b"b" * PAGE)

    found = forms(make, 200)
    assert b"a" * PAGE in found
    assert b"b" * PAGE in found
    torn = found - {b"a" * PAGE, b"b" * PAGE}
    assert torn
    for data in torn:
        new = data.count(b"b")
        assert new % 512 == 0
        assert data == b"b" * new + b"a" * (PAGE - new)


def test_pages_of_some_files_are_never_torn():
    def make(files):
        files.whole_pages = (".other", PATH[-4:])
        put(files, b"a" * PAGE, sync=True)
        files.sync_directory("/tmp")
        put(files, b"b" * PAGE)

    assert forms(make, 200) == {b"a" * PAGE, b"b" * PAGE}


def test_pages_are_lost_in_any_subset():
    def make(files):
        put(files, bytes(4 * PAGE), sync=True)
        files.sync_directory("/tmp")
        for page in range(4):
            put(files, b"n" * PAGE, page * PAGE)

    whole = set()
    for data in forms(make, 300):
        whole.add(tuple(data[page * PAGE : (page + 1) * PAGE] == b"n" * PAGE for page in range(4)))
    assert (True, False, True, False) in whole or (False, True, False, True) in whole
    assert len(whole) > 8


def test_unsynced_length_is_old_or_new():
    def make(files):
        put(files, b"a" * 100, sync=True)
        files.sync_directory("/tmp")
        put(files, b"b" * PAGE, PAGE)

    assert {len(data) for data in forms(make)} == {100, 2 * PAGE}


def test_synced_replacement_is_the_old_or_the_new_file():
    def make(files):
        put(files, b"old", sync=True)
        files.sync_directory("/tmp")
        with files.open("/tmp/new", create=True) as file:
            file.write_at(b"new", 0)
            file.sync()
        files.rename("/tmp/new", PATH)

    assert forms(make) == {b"old", b"new"}

    def replace(files):
        put(files, b"old", sync=True)
        files.sync_directory("/tmp")
        files.replace(PATH, b"new")

    assert forms(replace) == {b"new"}


def test_unsynced_replacement_may_be_neither():
    def make(files):
        put(files, b"old", sync=True)
        files.sync_directory("/tmp")
        with files.open("/tmp/new", create=True) as file:
            file.write_at(b"new", 0)
        files.rename("/tmp/new", PATH)

    assert forms(make, 200) > {b"old", b"new"}


def test_a_directory_retains_a_prefix_of_its_changes():
    found = set()
    for seed in range(100):
        files = MemoryFiles(random=SeededRandom(seed))
        for name in "abc":
            files.open(f"/tmp/{name}", create=True).close()
        files.remove("/tmp/a")
        files.lose_power()
        found.add("".join(files.list("/tmp")))
    assert found == {"", "a", "ab", "abc", "bc"}


def test_remainder_after_a_power_loss_survives_the_next(files):
    put(files, b"x" * (5 * PAGE))
    files.lose_power()
    before = files.read(PATH) if files.is_file(PATH) else None
    for _ in range(5):
        files.lose_power()
    assert (files.read(PATH) if files.is_file(PATH) else None) == before


def test_usable_space_is_correct_after_a_power_loss():
    for seed in range(50):
        files = MemoryFiles(capacity=100 * PAGE, random=SeededRandom(seed))
        put(files, b"x" * (5 * PAGE), sync=True)
        files.sync_directory("/tmp")
        put(files, b"y" * (3 * PAGE), 5 * PAGE)
        with files.open(PATH, write=True) as file:
            file.truncate(2 * PAGE)
        files.lose_power()
        files.remove_tree("/tmp")
        files.sync_directory("/")
        assert files.usable_space("/") == 100 * PAGE


def test_a_process_ends_at_any_call_and_its_write_is_torn_between_pages():
    lengths = set()
    second = bytes(index % 251 for index in range(2 * PAGE + 1000))
    for seed in range(40):
        files = MemoryFiles(random=SeededRandom(seed))
        with files.open(PATH, create=True) as file:
            files.stop_after(2)
            file.write_at(b"first", 0)
            with pytest.raises(PlatformError):
                file.write_at(second, 5)
            assert files.is_stopped
            with pytest.raises(PlatformError):
                file.write_at(b"third", 5 + len(second))
            with pytest.raises(PlatformError):
                files.open(PATH)
        files.end_process()
        assert not files.is_stopped
        data = files.read(PATH)
        assert (b"first" + second).startswith(data)
        lengths.add(len(data))
    assert lengths == {5, PAGE, 2 * PAGE}


def test_seed_decides_the_remainder():
    def left(seed):
        files = MemoryFiles(random=SeededRandom(seed))
        for index in range(20):
            with files.open(f"/tmp/{index}", create=True) as file:
                file.write_at(bytes([index]) * (3 * PAGE), 0)
        files.lose_power()
        return {name: files.read(f"/tmp/{name}") for name in files.list("/tmp")}

    assert left(1) == left(1)
    assert left(1) != left(2)


def test_a_lock_is_one_handles_until_it_is_closed(files):
    with files.open(PATH, create=True) as one:
        assert one.lock()
        assert one.lock()
        with files.open(PATH) as other:
            assert not other.lock()
    with files.open(PATH) as other:
        assert other.lock()


def test_a_mapped_file_does_not_move(files):
    with (
        files.open(PATH, create=True) as file,
    ):
        file.write_at(b"abc", 0)
        with MappedFile.of(file) as mapped:
            file.write_at(b"d", 1000)
            assert bytes(mapped) == b"abc"
            with pytest.raises(PlatformError):
                file.write_at(b"e", 1 << 30)
            assert file.read_at(3, 0) == b"abc"
        file.write_at(b"e", 1 << 30)


def test_replacement_interrupted_anywhere_leaves_the_old_or_the_new_file():
    outcomes = set()
    for calls in range(1, 12):
        for seed in range(20):
            files = MemoryFiles(random=SeededRandom(seed))
            put(files, b"old" * 1000, sync=True)
            files.sync_directory("/tmp")
            files.stop_after(calls)
            try:
                files.replace(PATH, b"new" * 2000)
            except PlatformError:
                assert files.is_stopped
            files.lose_power()
            left = files.read(PATH)
            assert left in (b"old" * 1000, b"new" * 2000)
            outcomes.add((calls, left[:3]))
            # The rest of an interrupted replacement does not prevent another.
            files.replace(PATH, b"next")
            assert files.read(PATH) == b"next"
    assert (1, b"old") in outcomes
    assert (11, b"new") in outcomes


def test_a_missing_name_under_a_file_is_rejected_before_a_file(files):
    files.open(PATH, write=True, create=True).close()
    with pytest.raises(PlatformError) as raised:
        files.rename("/tmp/nothing", f"{PATH}/name")
    assert raised.value.errno == errno.ENOTDIR
