"""Calls that a disk rejects: each error is that of a real one, and nothing is changed."""

import errno

import pytest

from aeron_cluster.errors import InsufficientSpaceError, PlatformError
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.seams import File, SystemFiles
from aeron_cluster.simulator.world.memory_files import MemoryFiles

PAGE = 4096
PATH = "/tmp/file"


@pytest.fixture
def files():
    made = MemoryFiles()
    made.replace(PATH, b"content")
    return made


def write_only_where_readable(files, base):
    with files.open(f"{base}/file") as file:
        file.write_at(b"x", 0)


def allocate_only_where_readable(files, base):
    with files.open(f"{base}/file") as file:
        file.allocate(0, 10)


def truncate_only_where_readable(files, base):
    with files.open(f"{base}/file") as file:
        file.truncate(0)


def with_writable(call):
    def do(files, base):
        with files.open(f"{base}/file", write=True) as file:
            call(file)

    return do


CALLS = {
    "a directory into itself": lambda f, b: f.rename(f"{b}/full", f"{b}/full/inner"),
    "a directory onto a file": lambda f, b: f.rename(f"{b}/empty", f"{b}/file"),
    "a directory onto a full one": lambda f, b: f.rename(f"{b}/empty", f"{b}/full"),
    "a full directory onto an empty one": lambda f, b: f.rename(f"{b}/full", f"{b}/empty"),
    "a file onto a directory": lambda f, b: f.rename(f"{b}/file", f"{b}/empty"),
    "a file to another directory": lambda f, b: f.rename(f"{b}/file", f"{b}/full/moved"),
    "a file onto itself": lambda f, b: f.rename(f"{b}/file", f"{b}/file"),
    "nothing": lambda f, b: f.rename(f"{b}/nothing", f"{b}/there"),
    "opening a directory": lambda f, b: f.open(f"{b}/full", write=True).close(),
    "opening nothing": lambda f, b: f.open(f"{b}/nothing").close(),
    "creating what is there": lambda f, b: f.open(f"{b}/file", exclusive=True).close(),
    "a name under a file": lambda f, b: f.open(f"{b}/file/name", create=True).close(),
    "removing nothing": lambda f, b: f.remove(f"{b}/nothing"),
    "making what is there": lambda f, b: f.make_directory(f"{b}/file"),
    "making without parents": lambda f, b: f.make_directory(f"{b}/nothing/inner"),
    "listing a file": lambda f, b: f.list(f"{b}/file"),
    "listing nothing": lambda f, b: f.list(f"{b}/nothing"),
    "syncing nothing": lambda f, b: f.sync_directory(f"{b}/nothing"),
    "the space of nothing": lambda f, b: f.usable_space(f"{b}/nothing"),
    "writing what is read": write_only_where_readable,
    "allocating what is read": allocate_only_where_readable,
    "truncating what is read": truncate_only_where_readable,
    "reading before the beginning": with_writable(lambda file: file.read_at(1, -1)),
    "writing before the beginning": with_writable(lambda file: file.write_at(b"x", -1)),
    "allocating before the beginning": with_writable(lambda file: file.allocate(-1, 10)),
    "allocating nothing": with_writable(lambda file: file.allocate(0, 0)),
    "truncating to less than nothing": with_writable(lambda file: file.truncate(-1)),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_has_the_result_of_a_real_disk(name, tmp_path):
    base = str(tmp_path)
    results = []
    for files in (SystemFiles(), MemoryFiles(directories=[base])):
        files.replace(f"{base}/file", b"content")
        files.make_directory(f"{base}/empty")
        files.make_directory(f"{base}/full")
        files.replace(f"{base}/full/inside", b"inside")
        try:
            CALLS[name](files, base)
            failure = None
        except (PlatformError, ValueError) as error:
            failure = type(error), getattr(error, "errno", None)
        places = [base, f"{base}/empty", f"{base}/full"]
        names = [sorted(files.list(each)) if files.is_directory(each) else None for each in places]
        results.append((failure, names, files.is_file(f"{base}/file")))
    assert results[0] == results[1]


def code_of(call):
    with pytest.raises(PlatformError) as raised:
        call()
    return raised.value.errno


def test_the_root_can_be_neither_opened_nor_renamed_nor_removed(files):
    assert code_of(lambda: files.open("/", write=True)) == errno.EISDIR
    assert code_of(lambda: files.rename("/", "/tmp/root")) == errno.EBUSY
    assert code_of(lambda: files.remove("/")) == errno.EBUSY
    assert code_of(lambda: files.make_directory("/")) == errno.EEXIST


@pytest.mark.parametrize(
    "call",
    [
        lambda file: file.read_at(1, 0),
        lambda file: file.write_at(b"x", 0),
        lambda file: file.length,
        lambda file: file.truncate(0),
        lambda file: file.allocate(0, 1),
        lambda file: file.sync(),
        lambda file: file.lock(),
        lambda file: MappedFile.of(file, 0, 1),
        lambda file: file.close(),
    ],
    ids=["read", "write", "length", "truncate", "allocate", "sync", "lock", "map", "close"],
)
def test_the_handles_of_an_ended_process_are_invalid(files, call):
    process = files.process()
    ended = process.open(PATH, write=True)
    process.end_process()
    again = process.open(PATH, write=True)  # at the same place
    assert code_of(lambda: call(ended)) == errno.EBADF
    unknown = File(files, PATH, 1 << 20)
    assert code_of(lambda: call(unknown)) == errno.EBADF
    again.close()
    assert files.read(PATH) == b"content"


@pytest.mark.parametrize(
    ("offset", "length", "code"),
    [(1, 1, errno.EINVAL), (-PAGE, 1, errno.EINVAL)],
)
def test_a_mapping_begins_at_a_page(files, offset, length, code):
    with files.open(PATH, write=True) as file:
        assert code_of(lambda: MappedFile.of(file, offset, length)) == code


def test_a_file_opened_for_reading_has_no_writable_mapping(files):
    with files.open(PATH) as file:
        assert code_of(lambda: MappedFile.of(file, writable=True)) == errno.EACCES
        with MappedFile.of(file) as mapped:
            assert bytes(mapped) == b"content"


def test_a_mapped_file_grows_to_what_is_reserved(files):
    large = 1 << 30
    with files.open(PATH, write=True) as file, MappedFile.of(file):
        assert code_of(lambda: file.truncate(large)) == errno.ENOMEM
        assert code_of(lambda: file.allocate(0, large)) == errno.ENOMEM
        assert file.length == 7


def test_a_file_is_at_most_a_tebibyte_long(files):
    longest = 1 << 40
    with files.open(PATH, write=True) as file:
        assert code_of(lambda: file.truncate(longest + 1)) == errno.EFBIG
        assert code_of(lambda: file.write_at(b"x", longest)) == errno.EFBIG
        assert code_of(lambda: file.allocate(1, longest)) == errno.EFBIG
        assert file.length == 7


@pytest.mark.parametrize(("offset", "length"), [(0, 11 * PAGE), (8 * PAGE, 4 * PAGE)])
def test_an_allocation_beyond_the_capacity_takes_nothing(offset, length):
    files = MemoryFiles(capacity=10 * PAGE)
    with files.open(PATH, create=True) as file:
        file.allocate(0, 7 * PAGE)
        with pytest.raises(InsufficientSpaceError):
            file.allocate(offset, length)
        assert (file.length, files.used) == (7 * PAGE, 7 * PAGE)
        assert files.capacity == 10 * PAGE


@pytest.mark.parametrize(
    ("operation", "call"),
    [
        ("open", lambda f: f.open(PATH)),
        ("read_at", lambda f: f.read(PATH)),
        ("truncate", lambda f: f.open(PATH, write=True).truncate(0)),
        ("allocate", lambda f: f.open(PATH, write=True).allocate(0, 10)),
        ("sync", lambda f: f.open(PATH, write=True).sync()),
        ("map", lambda f: MappedFile.open(f, PATH)),
        ("rename", lambda f: f.rename(PATH, "/tmp/other")),
        ("remove", lambda f: f.remove(PATH)),
        ("make_directory", lambda f: f.make_directory("/tmp/new")),
        ("sync_directory", lambda f: f.sync_directory("/tmp")),
        ("list", lambda f: f.list("/tmp")),
    ],
)
def test_each_operation_fails_when_configured(files, operation, call):
    files.fail(operation, errno.EIO)
    assert code_of(lambda: call(files)) == errno.EIO
    assert files.read(PATH) == b"content"
    assert sorted(files.list("/tmp")) == ["file"]


def test_a_short_read_changes_the_rest_of_the_buffer_when_configured(files):
    buffer = bytearray(b"old-old-old-old-")
    with files.open(PATH) as file:
        assert file.read_into(buffer, 0) == 7
        assert buffer == b"content" + b"old-old-old-old-"[7:]
        assert not files.fills
        files.fills = True
        assert file.read_into(buffer, 0) == 7
    assert files.fills
    (filled,) = set(buffer[7:])
    assert buffer[:7] == b"content"
    assert filled % 2 == 1


def test_pages_written_without_being_allocated_are_counted(files):
    with files.open("/tmp/sparse", create=True) as file:
        file.truncate(3 * PAGE)
        assert files.written_holes("/tmp/sparse") == 0
        with MappedFile.of(file, writable=True) as mapped:
            memoryview(mapped)[PAGE] = 7
            assert files.written_holes("/tmp/sparse") == 1
        file.allocate(0, 3 * PAGE)
    assert files.written_holes("/tmp/sparse") == 0


@pytest.mark.parametrize(("offset", "bit"), [(7, 0), (-1, 0), (0, 8), (0, -1)])
def test_a_bit_outside_of_a_file_is_not_flipped(files, offset, bit):
    with pytest.raises(ValueError, match=f"/tmp/file: no bit {bit} at {offset} of 7"):
        files.flip_bit(PATH, offset, bit)
    assert files.read(PATH) == b"content"
    files.flip_bit(PATH, 6, 1)
    assert files.read(PATH) == b"contenv"
