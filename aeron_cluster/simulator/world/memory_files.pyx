"""Files in memory, behind the same table as real ones: they can fail, be torn, or lose data.

Written data is visible to every reader and mapping immediately, as in a page cache. `lose_power`
sets the disk to a state that a real one might have afterwards: each unsynced page is new, old, or
torn between two sectors; the last unsynced changes of a directory may be missing.
"""

import functools
import os
import posixpath

cimport cython
from libc.errno cimport (
    EACCES,
    EAGAIN,
    EBADF,
    EBUSY,
    EEXIST,
    EFBIG,
    EINVAL,
    EIO,
    EISDIR,
    ENOENT,
    ENOMEM,
    ENOSPC,
    ENOTDIR,
    ENOTEMPTY,
)
from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from aeron_cluster.memory.shared.zeroed_pages cimport map_zeroed_pages, unmap_zeroed_pages
from aeron_cluster.memory.system.seams cimport (
    FILE_CREATE,
    FILE_EXCLUSIVE,
    FILE_READ,
    FILE_TRUNCATE,
    FILE_WRITE,
    SYNC_DATA,
    SYNC_NONE,
    SeededRandom,
    c_bool,
    file_ops,
    next_random,
)

cdef enum:
    PAGE = 4096
    SECTOR = 512
    MIN_RESERVED = 1 << 23
    INDEX_BITS = 20
    INDEX_MASK = (1 << INDEX_BITS) - 1
    PATH_COUNT = 4096

cdef uint64_t FNV_OFFSET = 0xCBF29CE484222325u
cdef uint64_t FNV_PRIME = 0x100000001B3u
cdef int64_t LONGEST_FILE = 1 << 40

_OPERATIONS = {
    "open": operation.OPEN,
    "read_at": operation.READ,
    "write_at": operation.WRITE,
    "truncate": operation.TRUNCATE,
    "allocate": operation.ALLOCATE,
    "sync": operation.SYNC,
    "map": operation.MAP,
    "rename": operation.RENAME,
    "remove": operation.REMOVE,
    "make_directory": operation.MAKE_DIRECTORY,
    "sync_directory": operation.SYNC_DIRECTORY,
    "list": operation.LIST,
}


# ---- contents ----

cdef inline int64_t _pages(int64_t length) noexcept nogil:
    return (length + PAGE - 1) // PAGE


cdef int64_t _allocated_pages(const content *self) noexcept nogil:
    cdef int64_t page
    cdef int64_t count = 0
    for page in range(self.page_end):
        count += self.has_page[page]
    return count


cdef inline bint _is_hole(const content *self, int64_t page) noexcept nogil:
    # Untouched memory: reading it would make the kernel allocate it.
    return not (self.has_page[page] or self.was_mapped)


cdef bint _is_zero(const uint8_t *page) noexcept nogil:
    return page[0] == 0 and memcmp(page, page + 1, PAGE - 1) == 0


cdef void _unmap_content(content *self) noexcept nogil:
    if self.data is not NULL:
        unmap_zeroed_pages(self.data, self.reserved)


cdef int _reserve(content *self, int64_t length) noexcept nogil:
    cdef int64_t reserved = max(self.reserved, <int64_t>MIN_RESERVED)
    cdef int64_t page
    cdef void *data
    cdef uint8_t *has_page
    cdef uint8_t **before
    if length <= self.reserved:
        return 0
    if length > LONGEST_FILE:
        return -EFBIG
    if self.map_count > 0:
        # Users of the mapping would keep the old memory.
        return -ENOMEM
    while reserved < length:
        reserved *= 2
    data = map_zeroed_pages(reserved)
    has_page = <uint8_t *>calloc(<size_t>_pages(reserved), 1)
    before = <uint8_t **>calloc(<size_t>_pages(reserved), sizeof(uint8_t *))
    if data is NULL or has_page is NULL or before is NULL:
        if data is not NULL:
            unmap_zeroed_pages(data, reserved)
        free(has_page)
        free(before)
        return -ENOMEM
    for page in range(_pages(self.reserved)):
        # Holes stay untouched, so that they use no memory.
        if not _is_hole(self, page):
            memcpy(<uint8_t *>data + page * PAGE, self.data + page * PAGE, PAGE)
        has_page[page] = self.has_page[page]
        before[page] = self.before[page]
    _unmap_content(self)
    free(self.has_page)
    free(self.before)
    self.data = <uint8_t *>data
    self.reserved = reserved
    self.has_page = has_page
    self.before = before
    return 0


cdef int _remember(content *self, int64_t page) noexcept nogil:
    self.page_end = max(self.page_end, page + 1)
    if self.before[page] is NULL:
        self.before[page] = <uint8_t *>malloc(PAGE)
        if self.before[page] is NULL:
            return -ENOMEM
        memcpy(self.before[page], self.data + page * PAGE, PAGE)
    return 0


cdef void _forget(content *self) noexcept nogil:
    cdef int64_t page
    for page in range(self.page_end):
        free(self.before[page])
        self.before[page] = NULL
    self.durable_length = self.length


cdef int _truncate_content(disk *device, content *self, int64_t length) noexcept nogil:
    cdef int64_t page
    cdef int64_t begin
    cdef int result
    if length >= self.length:
        result = _reserve(self, length)
        if result == 0:
            self.length = length
        return result
    for page in range(length // PAGE, _pages(self.length)):
        if _is_hole(self, page):
            continue
        result = _remember(self, page)
        if result < 0:
            return result
        begin = max(length - page * PAGE, <int64_t>0)
        memset(self.data + page * PAGE + begin, 0, <size_t>(PAGE - begin))
        if begin == 0 and self.has_page[page]:
            self.has_page[page] = 0
            device.page_count -= 1
    self.length = length
    return 0


cdef void _tear(disk *device, content *self, bint is_split) noexcept nogil:
    """Make each unsynced page new or old or, if split, torn between sectors."""
    cdef int64_t page
    cdef int64_t length = self.length
    cdef uint64_t fate
    cdef size_t sectors
    for page in range(self.page_end):
        if self.before[page] is NULL:
            continue
        fate = next_random(&device.random) % 3
        if fate == 0:
            memcpy(self.data + page * PAGE, self.before[page], PAGE)
        elif fate == 1:
            sectors = next_random(&device.random) % (PAGE // SECTOR)
            if not is_split:
                sectors = 0 if sectors < PAGE // SECTOR // 2 else PAGE // SECTOR
            memcpy(self.data + page * PAGE + sectors * SECTOR,
                   self.before[page] + sectors * SECTOR, PAGE - sectors * SECTOR)
    if self.durable_length != self.length and next_random(&device.random) % 2 == 0:
        length = self.durable_length
    # Pages beyond the end are free, and pages before it are allocated.
    self.length = min(max(self.length, self.durable_length), self.reserved)
    for page in range(self.page_end):
        if self.before[page] is not NULL and not self.has_page[page]:
            self.has_page[page] = 1
            device.page_count += 1
    _truncate_content(device, self, length)
    _forget(self)


# ---- what was done, as one number ----

cdef inline void _note(disk *device, uint64_t what) noexcept nogil:
    device.trace = (device.trace ^ what) * FNV_PRIME
    # A product only carries upwards, so the upper half is folded into the lower.
    device.trace ^= device.trace >> 32


cdef void _note_data(disk *device, const uint8_t *data, int64_t length) noexcept nogil:
    cdef uint64_t word = 0
    cdef int64_t index = 0
    while index + 8 <= length:
        memcpy(&word, data + index, 8)
        _note(device, word)
        index += 8
    word = <uint64_t>length << 56
    memcpy(&word, data + index, <size_t>(length - index))
    _note(device, word)


# ---- the table ----

cdef int _fault(disk_view *view, int kind) noexcept nogil:
    cdef fault *fault = &view.device.faults[kind]
    if view.calls_left == 0:
        return -EIO
    view.call_count += 1
    _note(view.device, <uint64_t>kind)
    if view.calls_left > 0:
        view.calls_left -= 1
        if view.calls_left == 0:
            return -EIO
    if fault.count > 0:
        if fault.after > 0:
            fault.after -= 1
        else:
            fault.count -= 1
            return -fault.errno_
    return 0


cdef inline open_file *_opened(disk *device, int64_t handle) noexcept nogil:
    cdef int64_t index = handle & INDEX_MASK
    if handle < 0 or index >= device.opened_count or device.opened[index].handle != handle:
        return NULL
    return &device.opened[index]


cdef void _copy_out(const content *self, uint8_t *data, int64_t length,
                    int64_t offset) noexcept nogil:
    cdef int64_t done = 0
    cdef int64_t page
    cdef int64_t step
    while done < length:
        page = (offset + done) // PAGE
        step = min(length - done, (page + 1) * PAGE - offset - done)
        if _is_hole(self, page):
            memset(data + done, 0, <size_t>step)
        else:
            memcpy(data + done, self.data + offset + done, <size_t>step)
        done += step


cdef int64_t _read_at(void *state, int64_t handle, void *data, int64_t length,
                      int64_t offset) noexcept nogil:
    cdef disk_view *view = <disk_view *>state
    cdef disk *device = view.device
    cdef open_file *file = _opened(device, handle)
    cdef int64_t wanted_length
    cdef int result
    if file is NULL:
        return -EBADF
    if length < 0 or offset < 0:
        return -EINVAL
    result = _fault(view, READ)
    if result < 0:
        return result
    wanted_length = length
    length = max(min(length, file.content.length - offset), <int64_t>0)
    _copy_out(file.content, <uint8_t *>data, length, offset)
    if device.fills and length < wanted_length:
        # The buffer's old content must not be mistaken for the file's content.
        memset(<uint8_t *>data + length, <int>(next_random(&device.random) | 1) & 0xFF,
               <size_t>(wanted_length - length))
    return length


cdef int64_t _write_at(void *state, int64_t handle, const void *data, int64_t length,
                       int64_t offset) noexcept nogil:
    cdef disk_view *view = <disk_view *>state
    cdef disk *device = view.device
    cdef open_file *file = _opened(device, handle)
    cdef content *target
    cdef int64_t done = 0
    cdef int64_t page
    cdef int64_t step
    cdef int failure
    cdef int result = 0
    if length == 0:
        return 0  # an empty request is not a call
    if file is NULL or not file.is_writable:
        return -EBADF
    if length < 0 or offset < 0:
        return -EINVAL
    if view.calls_left == 0:
        return -EIO
    failure = _fault(view, WRITE)
    if failure < 0:
        # A killed process, or a failed disk, may have written a part, up to a page boundary: the
        # page cache has all of a write within a page, or nothing.
        done = <int64_t>(next_random(&device.random) % <uint64_t>(length + 1))
        if done < length:
            length = max((offset + done) // PAGE * PAGE - offset, <int64_t>0)
        done = 0
    target = file.content
    _note(device, <uint64_t>offset)
    _note_data(device, <const uint8_t *>data, length)
    if length > 0:
        result = _reserve(target, offset + length)
        if result < 0:
            return result
    while done < length:
        page = (offset + done) // PAGE
        step = min(length - done, (page + 1) * PAGE - offset - done)
        if not target.has_page[page]:
            if device.page_count >= device.page_capacity:
                result = -ENOSPC
                break
            device.page_count += 1
            target.has_page[page] = 1
        result = _remember(target, page)
        if result < 0:
            break
        memcpy(target.data + offset + done, <const uint8_t *>data + done, <size_t>step)
        done += step
    if done > 0 and offset + done > target.length:
        target.length = offset + done
    if failure < 0:
        return failure
    return done if done > 0 else result


cdef int64_t _length(void *state, int64_t handle) noexcept nogil:
    cdef open_file *file = _opened((<disk_view *>state).device, handle)
    return -EBADF if file is NULL else file.content.length


cdef int _truncate(void *state, int64_t handle, int64_t length) noexcept nogil:
    cdef disk_view *view = <disk_view *>state
    cdef disk *device = view.device
    cdef open_file *file = _opened(device, handle)
    cdef int result
    if file is NULL:
        return -EBADF
    if length < 0 or not file.is_writable:
        return -EINVAL
    result = _fault(view, TRUNCATE)
    return result if result < 0 else _truncate_content(device, file.content, length)


cdef int _allocate(void *state, int64_t handle, int64_t offset, int64_t length) noexcept nogil:
    cdef disk_view *view = <disk_view *>state
    cdef disk *device = view.device
    cdef open_file *file = _opened(device, handle)
    cdef int64_t page
    cdef int64_t missing = 0
    cdef int result
    if file is NULL:
        return -EBADF
    if offset < 0 or length <= 0:
        return -EINVAL
    if not file.is_writable:
        return -EBADF
    if length > LONGEST_FILE - offset:
        return -EFBIG
    result = _fault(view, ALLOCATE)
    if result < 0:
        return result
    if _pages(length) > device.page_capacity:
        return -ENOSPC
    result = _reserve(file.content, offset + length)
    if result < 0:
        return result
    for page in range(offset // PAGE, _pages(offset + length)):
        missing += not file.content.has_page[page]
    if device.page_count + missing > device.page_capacity:
        return -ENOSPC
    for page in range(offset // PAGE, _pages(offset + length)):
        file.content.has_page[page] = 1
    file.content.page_end = max(file.content.page_end, _pages(offset + length))
    device.page_count += missing
    file.content.length = max(file.content.length, offset + length)
    return 0


cdef int _sync(void *state, int64_t handle, int level) noexcept nogil:
    cdef disk_view *view = <disk_view *>state
    cdef disk *device = view.device
    cdef open_file *file = _opened(device, handle)
    cdef int result
    if file is NULL:
        return -EBADF
    if level == SYNC_NONE:
        return 0
    result = _fault(view, SYNC)
    if result < 0:
        return result
    if level == SYNC_DATA:
        device.data_sync_count += 1
    else:
        device.full_sync_count += 1
    _forget(file.content)
    return 0


cdef int _lock(void *state, int64_t handle) noexcept nogil:
    cdef disk *device = (<disk_view *>state).device
    cdef open_file *file = _opened(device, handle)
    cdef int32_t index
    if file is NULL:
        return -EBADF
    for index in range(device.opened_count):
        if (device.opened[index].handle >= 0 and device.opened[index].is_locked
                and device.opened[index].content is file.content
                and device.opened[index].handle != handle):
            return -EAGAIN
    file.is_locked = True
    return 0


cdef int64_t _open(void *state, const char *path, int flags) noexcept with gil:
    cdef disk_view *view = <disk_view *>state
    cdef disk *device = view.device
    cdef int64_t result = _fault(view, OPEN)
    if result < 0:
        return result
    try:
        return (<MemoryFiles>device.owner)._open_file(os.fsdecode(<bytes>path), flags, view.process)
    except OSError as error:
        return -error.errno
    except MemoryError:
        return -ENOMEM


cdef int _close(void *state, int64_t handle) noexcept with gil:
    cdef disk *device = (<disk_view *>state).device
    cdef open_file *file = _opened(device, handle)
    if file is NULL:
        return -EBADF
    file.handle = -1
    files = <MemoryFiles>device.owner
    files._settle(files._inodes.pop(handle & INDEX_MASK))
    return 0


cdef int _map(void *state, int64_t handle, int64_t offset, int64_t length, c_bool writable,
              void **address) noexcept with gil:
    cdef disk_view *view = <disk_view *>state
    cdef disk *device = view.device
    cdef open_file *file = _opened(device, handle)
    cdef int result
    if file is NULL:
        return -EBADF
    if length <= 0 or offset < 0 or offset % PAGE != 0:
        return -EINVAL
    if writable and not file.is_writable:
        return -EACCES
    result = _fault(view, MAP)
    if result == 0:
        result = _reserve(file.content, offset + length)
    if result < 0:
        return result
    file.content.map_count += 1
    view.map_count += 1
    file.content.was_mapped = file.content.was_mapped or writable
    address[0] = file.content.data + offset
    files = <MemoryFiles>device.owner
    place = <uintptr_t>address[0]
    inode, count = files._mapped.get(place, (files._inodes[handle & INDEX_MASK], 0))
    files._mapped[place] = (inode, count + 1)
    return 0


cdef int _unmap(void *state, void *address, int64_t length) noexcept with gil:
    files = <MemoryFiles>(<disk_view *>state).device.owner
    place = <uintptr_t>address
    if place not in files._mapped:
        return -EINVAL
    inode, count = files._mapped.pop(place)
    (<Inode>inode).c.map_count -= 1
    (<disk_view *>state).map_count -= 1
    if count > 1:
        files._mapped[place] = (inode, count - 1)
    return 0


cdef int _rename(void *state, const char *source, const char *target) noexcept with gil:
    cdef disk_view *view = <disk_view *>state
    cdef disk *device = view.device
    cdef int result = _fault(view, RENAME)
    if result < 0:
        return result
    try:
        (<MemoryFiles>device.owner)._rename_entry(
            os.fsdecode(<bytes>source), os.fsdecode(<bytes>target))
    except OSError as error:
        return -error.errno
    return 0


cdef int _remove(void *state, const char *path) noexcept with gil:
    cdef disk_view *view = <disk_view *>state
    cdef disk *device = view.device
    cdef int result = _fault(view, REMOVE)
    if result < 0:
        return result
    try:
        (<MemoryFiles>device.owner)._remove_entry(os.fsdecode(<bytes>path))
    except OSError as error:
        return -error.errno
    return 0


cdef int _make_directory(void *state, const char *path) noexcept with gil:
    cdef disk_view *view = <disk_view *>state
    cdef disk *device = view.device
    cdef int result = _fault(view, MAKE_DIRECTORY)
    if result < 0:
        return result
    try:
        (<MemoryFiles>device.owner)._make_directory_entry(os.fsdecode(<bytes>path))
    except OSError as error:
        return -error.errno
    return 0


cdef int _sync_directory(void *state, const char *path) noexcept with gil:
    cdef disk_view *view = <disk_view *>state
    cdef disk *device = view.device
    cdef int result = _fault(view, SYNC_DIRECTORY)
    if result < 0:
        return result
    try:
        (<MemoryFiles>device.owner)._directory(os.fsdecode(<bytes>path)).sync()
    except OSError as error:
        return -error.errno
    device.directory_sync_count += 1
    return 0


cdef int _kind(void *state, const char *path) noexcept with gil:
    try:
        found = (<MemoryFiles>(<disk_view *>state).device.owner)._find(os.fsdecode(<bytes>path))
    except OSError:
        return 0
    return 1 if isinstance(found, Inode) else 2


cdef int64_t _usable_space(void *state, const char *path) noexcept with gil:
    cdef disk *device = (<disk_view *>state).device
    try:
        (<MemoryFiles>device.owner)._find(os.fsdecode(<bytes>path))
    except OSError as error:
        return -error.errno
    return (device.page_capacity - device.page_count) * PAGE


cdef int _list(void *state, const char *path,
               void (*entry)(void *context, const char *name) noexcept nogil,
               void *context) noexcept with gil:
    cdef disk_view *view = <disk_view *>state
    cdef disk *device = view.device
    cdef int result = _fault(view, LIST)
    cdef bytes name
    if result < 0:
        return result
    try:
        names = list((<MemoryFiles>device.owner)._directory(os.fsdecode(<bytes>path)).entries)
    except OSError as error:
        return -error.errno
    for each in names:
        name = os.fsencode(each)
        entry(context, name)
    return 0


cdef file_ops _OPS
_OPS.open = _open
_OPS.close = _close
_OPS.read_at = _read_at
_OPS.write_at = _write_at
_OPS.length = _length
_OPS.truncate = _truncate
_OPS.allocate = _allocate
_OPS.sync = _sync
_OPS.lock = _lock
_OPS.map = _map
_OPS.unmap = _unmap
_OPS.rename = _rename
_OPS.remove = _remove
_OPS.make_directory = _make_directory
_OPS.sync_directory = _sync_directory
_OPS.kind = _kind
_OPS.usable_space = _usable_space
_OPS.list = _list


# ---- names ----

class Directory:
    """The names in a directory, current and at its last sync."""

    def __init__(self):
        self.entries = {}
        self.durable = {}
        self.pending = []  # changes since the last sync, each of one or more names, in order

    def put(self, *changes):
        """Change names atomically: pairs of a name and its entry, or None to remove it."""
        _apply(self.entries, changes)
        self.pending.append(changes)

    def sync(self):
        """Make the changes so far durable."""
        self.durable = dict(self.entries)
        self.pending = []


def _apply(entries, changes):
    for name, node in changes:
        if node is None:
            entries.pop(name, None)
        else:
            entries[name] = node


def _os_error(code):
    return OSError(code, os.strerror(code))


@cython.final
cdef class Inode:
    """A file's content, with any number of names, handles and mappings."""

    def __dealloc__(self):
        cdef int64_t page
        if self.is_counted:
            self._disk.page_count -= _allocated_pages(&self.c)
        for page in range(self.c.page_end):
            free(self.c.before[page])
        _unmap_content(&self.c)
        free(self.c.has_page)
        free(self.c.before)


@cython.no_gc_clear  # needed for closing files
cdef class ProcessFiles(Files):
    """The open files of one process on a simulated disk. Created by `MemoryFiles.process`."""

    def __cinit__(self, *_, **__):
        self._view.calls_left = -1
        self.c.ops = &_OPS
        self.c.state = &self._view

    def stop_after(self, int64_t calls) -> None:
        """End the process at its n-th call from now.

        If that call writes, it writes a part; it and all later calls fail with EIO, until
        `end_process`.

        Parameters
        ----------
        calls : int
            1 is the next one; -1 means never.
        """
        self._view.calls_left = calls

    @property
    def is_stopped(self) -> bool:
        """Whether the process was ended by `stop_after`."""
        return self._view.calls_left == 0

    @property
    def call_count(self) -> int:
        """The number of calls counted by `stop_after`."""
        return self._view.call_count

    @property
    def open_count(self) -> int:
        """The number of open files of the process."""
        cdef disk *device = self._view.device
        cdef int32_t index
        count = 0
        for index in range(device.opened_count):
            count += (device.opened[index].handle >= 0
                      and device.opened[index].process == self._view.process)
        return count

    @property
    def map_count(self) -> int:
        """How many mappings the process has; those from a killed restore go with its objects."""
        return self._view.map_count

    def end_process(self) -> None:
        """Close all its files, as at the end of the process; written data remains."""
        cdef disk *device = self._view.device
        cdef int32_t index
        self._view.calls_left = -1
        for index in range(device.opened_count):
            if (device.opened[index].handle >= 0
                    and device.opened[index].process == self._view.process):
                _close(&self._view, device.opened[index].handle)


@functools.lru_cache(PATH_COUNT)
def _steps(path):
    """Return the names in a path; cached, since most paths are used repeatedly."""
    return tuple([step for step in posixpath.normpath(path).split("/") if step not in ("", ".")])


@cython.final
@cython.no_gc_clear  # needed for closing files
cdef class MemoryFiles(ProcessFiles):
    """A simulated machine's disk.

    Parameters
    ----------
    capacity : int
        The capacity in bytes, in pages of 4096; beyond it writes fail with ENOSPC.
    directories : sequence of str
        The initial directories.
    random : Random, optional
        Determines the result of a power loss; by default seeded with 0.

    Attributes
    ----------
    whole_pages : tuple of str
        The endings of names of files whose pages a power loss never tears.

    Notes
    -----
    For one thread. A mapped file can grow to 8 MiB, or twice its length, then fails with ENOMEM.
    """

    def __cinit__(self, *, int64_t capacity=1 << 40, directories=("/tmp", "/dev/shm"),
                  Random random=None):
        self._random = SeededRandom(0) if random is None else random
        self._disk.random = self._random.c
        self._disk.page_capacity = capacity // PAGE
        self._disk.trace = FNV_OFFSET
        self._disk.owner = <void *>self
        self._root = Directory()
        self._inodes = {}
        self._mapped = {}
        self.whole_pages = ()
        self._view.device = &self._disk
        for path in directories:
            self.make_directory(path, parents=True)
        _sync_tree(self._root)

    def __dealloc__(self):
        free(self._disk.opened)

    # ---- what is where ----

    def _find(self, path):
        return self._walk(_steps(path))

    def _walk(self, steps):
        found = self._root
        for step in steps:
            if not isinstance(found, Directory):
                raise _os_error(ENOTDIR)
            if step not in found.entries:
                raise _os_error(ENOENT)
            found = found.entries[step]
        return found

    def _directory(self, path):
        return self._directory_at(_steps(path))

    def _directory_at(self, steps):
        found = self._walk(steps)
        if not isinstance(found, Directory):
            raise _os_error(ENOTDIR)
        return found

    def _place(self, path):
        steps = _steps(path)
        if not steps:
            raise _os_error(EBUSY)
        return self._directory_at(steps[:-1]), steps[-1]

    def _open_file(self, path, flags, process):
        cdef Inode inode
        if not flags & FILE_WRITE and flags != FILE_READ:
            raise _os_error(EINVAL)
        if not _steps(path):
            raise _os_error(EISDIR)
        parent, name = self._place(path)
        found = parent.entries.get(name)
        if found is not None and flags & FILE_EXCLUSIVE:
            raise _os_error(EEXIST)
        if isinstance(found, Directory):
            raise _os_error(EISDIR)
        if found is None:
            if not flags & (FILE_CREATE | FILE_EXCLUSIVE):
                raise _os_error(ENOENT)
            inode = Inode.__new__(Inode)
            inode._disk = &self._disk
            inode.is_named = inode.is_counted = True
            parent.put((name, inode))
        else:
            inode = found
            if flags & FILE_TRUNCATE:
                _truncate_content(&self._disk, &inode.c, 0)
        return self._take_place(inode, flags & FILE_WRITE != 0, process)

    def _take_place(self, Inode inode not None, bint is_writable, int32_t process):
        cdef int32_t index
        cdef int32_t capacity
        cdef open_file *grown
        cdef open_file *file
        for index in range(self._disk.opened_count):
            if self._disk.opened[index].handle < 0:
                break
        else:
            index = self._disk.opened_count
            if index == self._disk.opened_capacity:
                capacity = max(self._disk.opened_capacity * 2, 64)
                grown = <open_file *>realloc(
                    self._disk.opened, <size_t>capacity * sizeof(open_file))
                if grown is NULL:
                    raise MemoryError()
                self._disk.opened = grown
                self._disk.opened_capacity = capacity
            memset(&self._disk.opened[index], 0, sizeof(open_file))
            self._disk.opened_count += 1
        file = &self._disk.opened[index]
        file.use += 1
        file.handle = (file.use << INDEX_BITS) | index
        file.content = &inode.c
        file.is_writable = is_writable
        file.is_locked = False
        file.process = process
        self._inodes[index] = inode
        return file.handle

    def _make_directory_entry(self, path):
        if not _steps(path):
            raise _os_error(EEXIST)
        parent, name = self._place(path)
        if name in parent.entries:
            raise _os_error(EEXIST)
        parent.put((name, Directory()))

    def _remove_entry(self, path):
        parent, name = self._place(path)
        if name not in parent.entries:
            raise _os_error(ENOENT)
        found = parent.entries[name]
        if isinstance(found, Directory) and found.entries:
            raise _os_error(ENOTEMPTY)
        parent.put((name, None))
        self._unname(found)

    def _unname(self, node):
        if isinstance(node, Inode):
            (<Inode>node).is_named = False
            self._settle(node)

    def _settle(self, Inode inode not None):
        """Count the space of a file while it has a name or is open."""
        cdef int32_t index
        cdef bint counts = inode.is_named
        for index in range(self._disk.opened_count):
            if self._disk.opened[index].handle >= 0:
                counts = counts or self._disk.opened[index].content is &inode.c
        if counts != inode.is_counted:
            inode.is_counted = counts
            page_count = _allocated_pages(&inode.c)
            self._disk.page_count += page_count if counts else -page_count

    def _rename_entry(self, source, target):
        # Both directories are checked first, as a system does.
        parent, name = self._place(source)
        new_parent, new_name = self._place(target)
        if name not in parent.entries:
            raise _os_error(ENOENT)
        node = parent.entries[name]
        there = new_parent.entries.get(new_name)
        if there is node:
            return
        if isinstance(node, Directory):
            if _steps(target)[:len(_steps(source))] == _steps(source):
                raise _os_error(EINVAL)
            if isinstance(there, Inode):
                raise _os_error(ENOTDIR)
            if there is not None and there.entries:
                raise _os_error(ENOTEMPTY)
        elif isinstance(there, Directory):
            raise _os_error(EISDIR)
        if parent is new_parent:
            parent.put((name, None), (new_name, node))
        else:
            new_parent.put((new_name, node))
            parent.put((name, None))
        self._unname(there)

    # ---- what a test may do to it ----

    def fail(self, str operation not None, int errno_, *, int64_t after=0,
             int64_t count=1) -> None:
        """Make calls fail.

        Parameters
        ----------
        operation : str
            The name of a function of the table.
        errno_ : int
            The positive errno values.
        after : int
            The number of such calls that succeed before.
        count : int
            The number of failing calls after that; 0 cancels an earlier call of this method.
        """
        cdef fault *fault = &self._disk.faults[<int>_OPERATIONS[operation]]
        fault.errno_ = errno_
        fault.after = after
        fault.count = count

    def process(self) -> ProcessFiles:
        """Return the seam of another process, with files of its own."""
        cdef ProcessFiles other = ProcessFiles.__new__(ProcessFiles)
        self._disk.process_count += 1
        other._view.process = self._disk.process_count
        other._view.device = &self._disk
        other._owner = self
        return other

    @property
    def trace(self) -> int:
        """A hash of all calls."""
        return self._disk.trace

    @property
    def fills(self) -> bool:
        """Whether a short read overwrites the rest of the caller's buffer."""
        return self._disk.fills

    @fills.setter
    def fills(self, bint fills):
        self._disk.fills = fills

    @property
    def capacity(self) -> int:
        """The capacity of the disk, in bytes."""
        return self._disk.page_capacity * PAGE

    @capacity.setter
    def capacity(self, int64_t capacity):
        self._disk.page_capacity = capacity // PAGE

    @property
    def used(self) -> int:
        """The used bytes of the disk."""
        return self._disk.page_count * PAGE

    @property
    def sync_counts(self) -> tuple[int, int, int]:
        """The numbers of data syncs, full syncs, and directory syncs."""
        return (self._disk.data_sync_count, self._disk.full_sync_count,
                self._disk.directory_sync_count)

    def copy(self, path) -> MemoryFiles:
        """Return a separate disk with a copy of a directory.

        It does not count as calls to this disk.
        """
        node = self._root
        for step in _steps(os.fspath(path)):
            node = node.entries[step]
        other = MemoryFiles(directories=())
        other.make_directory(os.fspath(path), parents=True)
        _copy_tree(node, other, os.fspath(path))
        return other

    def flip_bit(self, path, int64_t offset, int bit) -> None:
        """Flip a bit of a file, on the disk and in all mappings."""
        cdef Inode inode = self._find(os.fspath(path))
        if not 0 <= offset < inode.c.length or not 0 <= bit < 8:
            raise ValueError(f"{path}: no bit {bit} at {offset} of {inode.c.length}")
        inode.c.data[offset] ^= <uint8_t>(1 << bit)
        _note(&self._disk, <uint64_t>(8 * offset + bit))

    def unsynced(self, path) -> int:
        """Return the number of pages of a file that a power loss could revert."""
        cdef Inode inode = self._find(os.fspath(path))
        cdef int64_t page
        count = 0
        for page in range(inode.c.page_end):
            count += inode.c.before[page] is not NULL
        return count

    def may_lose(self, path, int64_t end=1 << 40) -> bool:
        """Return whether a loss of power could take, or change, what a file has before an offset.

        Parameters
        ----------
        path : path-like
        end : int
            By default, all of it counts.
        """
        steps = _steps(os.fspath(path))
        directory = self._walk(steps[:-1])
        cdef Inode inode = self._walk(steps)
        cdef int64_t page
        if directory.durable.get(steps[-1]) is not inode:
            return True
        end = min(end, inode.c.length)
        if inode.c.durable_length < end:
            return True
        for page in range(min(inode.c.page_end, _pages(end))):
            if inode.c.before[page] is not NULL and memcmp(
                    inode.c.before[page], inode.c.data + page * PAGE,
                    <size_t>min(<int64_t>PAGE, end - page * PAGE)) != 0:
                return True
        return False

    def written_holes(self, path) -> int:
        """Return the number of pages written without being allocated: bus errors on a full disk."""
        cdef Inode inode = self._find(os.fspath(path))
        cdef int64_t page
        count = 0
        for page in range(_pages(inode.c.length)):
            count += not inode.c.has_page[page] and not _is_zero(inode.c.data + page * PAGE)
        return count

    def page_count(self, path) -> int:
        """Return the number of allocated pages of a file."""
        cdef Inode inode = self._find(os.fspath(path))
        return _allocated_pages(&inode.c)

    def lose_power(self) -> None:
        """End all processes, and set the disk to a state that a real one might have now.

        Existing mappings have the same content.
        """
        cdef int32_t index
        self._view.calls_left = -1
        for index in range(self._disk.opened_count):
            self._disk.opened[index].handle = -1
        while self._inodes:
            self._settle(self._inodes.popitem()[1])
        for inode in _inodes_of(self._root):
            (<Inode>inode).is_named = False
            self._settle(inode)
        self._lose(self._root)

    def _lose(self, directory):
        entries = dict(directory.durable)
        kept = next_random(&self._disk.random) % (len(directory.pending) + 1)
        for changes in directory.pending[:kept]:
            _apply(entries, changes)
        directory.entries = entries
        directory.sync()
        # In the order of the names, so that only the seed decides.
        for name in sorted(entries):
            node = entries[name]
            if isinstance(node, Inode):
                (<Inode>node).is_named = True
                self._settle(node)
                _tear(&self._disk, &(<Inode>node).c, not name.endswith(self.whole_pages))
            else:
                self._lose(node)


def _inodes_of(directory):
    """Find every file in a directory, including those that may return after a power loss."""
    changed = [node for changes in directory.pending for _, node in changes if node is not None]
    found = []
    for node in [*directory.entries.values(), *directory.durable.values(), *changed]:
        found += [node] if isinstance(node, Inode) else _inodes_of(node)
    return found


def _copy_tree(directory, MemoryFiles target, path):
    cdef Inode inode
    for name in sorted(directory.entries):
        node = directory.entries[name]
        place = posixpath.join(path, name)
        if isinstance(node, Inode):
            inode = node
            target.open(place, write=True, create=True).close()
            _copy_content(&inode.c, target, target._find(place))
        else:
            target.make_directory(place)
            _copy_tree(node, target, place)


cdef int _copy_content(const content *source, MemoryFiles target, Inode inode) except -1:
    cdef int64_t page
    cdef const uint8_t *data
    if _reserve(&inode.c, source.length) < 0:
        raise MemoryError()
    for page in range(_pages(source.length)):
        data = source.data + page * PAGE
        if not (_is_hole(source, page) or _is_zero(data)):
            memcpy(inode.c.data + page * PAGE, data,
                   <size_t>min(source.length - page * PAGE, <int64_t>PAGE))
            inode.c.has_page[page] = 1
            inode.c.page_end = page + 1
            target._disk.page_count += 1
    inode.c.length = inode.c.durable_length = source.length
    return 0


def _sync_tree(directory):
    directory.sync()
    for node in directory.entries.values():
        if isinstance(node, Directory):
            _sync_tree(node)
