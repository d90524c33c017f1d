"""The pages of sparse logs, allocated ahead of the limits up to which clients may write.

In Aeron the first writer allocates them, with a bus error if there is no space.
"""
cimport cython
from libc.errno cimport EDQUOT, EINVAL, ENOSPC

from aeron_cluster.logbuffer.frames cimport index_of_position
from aeron_cluster.memory.system.invariants cimport PLACE, holds
from aeron_cluster.memory.system.seams cimport FILE_WRITE, nano_time

import os

from aeron_cluster.errors import InsufficientSpaceError, PlatformError

# The interval of allocation retries on a full file system.
cdef int64_t RETRY_INTERVAL_NS = 100_000_000


cdef int allocate_pages(log_pages *pages, int64_t wanted) noexcept nogil:
    cdef page_allocator *allocator = pages.allocator
    cdef int64_t offset = pages.end & (pages.term_length - 1)
    cdef int64_t length = wanted - pages.end
    cdef int64_t handle
    cdef int result
    length += -length & (pages.unit_length - 1)
    length = min(length, pages.term_length - offset)
    if not holds(
        0 < length <= pages.term_length - offset, PLACE, "pages are allocated ahead, within a term",
        length, pages.term_length - offset,
    ):
        return EINVAL
    # Opened each time: a driver with many logs would run out of handles.
    handle = allocator.files.ops.open(allocator.files.state, pages.path, FILE_WRITE)
    if handle < 0:
        return <int>-handle
    offset += <int64_t>index_of_position(pages.end, pages.shift) * pages.term_length
    result = allocator.files.ops.allocate(allocator.files.state, handle, offset, length)
    allocator.files.ops.close(allocator.files.state, handle)
    if result < 0:
        return -result
    pages.end += length
    if pages.end >= pages.last:
        pages.end = INT64_MAX
    return 0


cdef int allocate_next_pages(log_pages *pages, int64_t wanted) noexcept nogil:
    cdef int32_t allocation_length = max(<int32_t>ALLOCATION_LENGTH, pages.unit_length)
    cdef int64_t now_ns
    cdef int failure
    if wanted <= pages.end:
        return 0
    if pages.is_failing and nano_time(&pages.allocator.clock) < pages.retry_ns:
        return 0
    failure = allocate_pages(
        pages, pages.end + allocation_length - (pages.end & (allocation_length - 1)))
    if failure == 0:
        pages.is_failing = False
        return 1
    now_ns = nano_time(&pages.allocator.clock)
    pages.retry_ns = now_ns + RETRY_INTERVAL_NS
    if not pages.is_failing:
        pages.is_failing = True
        pages.allocator.error_number = failure
    return 0


@cython.final
cdef class PageAllocator:
    """Allocates the pages of a driver's logs.

    Parameters
    ----------
    files : Files
    clock : Clock
        The clock, for retries.
    directory : str
        The driver's directory, for errors.
    """

    def __cinit__(self, Files files not None, Clock clock not None, str directory not None):
        self._files = files
        self._clock = clock
        self.directory = directory
        self.c.files = files.c
        self.c.clock = clock.c

    def take_error(self):
        """Return the reason why writers of a log wait, once, or None."""
        cdef int32_t error_number = self.c.error_number
        if error_number == 0:
            return None
        self.c.error_number = 0
        return self.error(error_number)

    cdef object error(self, int32_t error_number):
        kind = InsufficientSpaceError if error_number in (ENOSPC, EDQUOT) else PlatformError
        return kind(
            error_number,
            f"{os.strerror(error_number)}: writers of a log wait for its pages",
            self.directory)
