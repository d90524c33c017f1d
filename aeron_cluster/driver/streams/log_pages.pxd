"""The pages of sparse logs, allocated ahead of the limits up to which clients may write.

Writing to a page for which the file system has no space is a bus error in the writer, such as a
client. So a limit never moves beyond allocated pages; lack of space causes back pressure.
"""
cimport cython
from libc.stdint cimport INT64_MAX, int32_t, int64_t

from aeron_cluster.memory.system.seams cimport Clock, Files, clock, files


cdef enum:
    ALLOCATION_LENGTH = 262144  # per duty cycle and log: about 50 us
    BLOCK_LENGTH = 1048576  # another archive's replay may exceed the limit by this much


# One for all logs of a driver; only for the conductor's thread.
cdef struct page_allocator:
    files files
    clock clock
    int32_t error_number  # of an unreported failure; 0: none


# Pages are allocated in the order of positions, from the start of the stream to three terms later,
# which is the complete file.
cdef struct log_pages:
    page_allocator *allocator
    const char *path
    int64_t end  # the position up to which pages are allocated; INT64_MAX: all of them
    int64_t last  # the position at which all pages are allocated
    int64_t slack  # bytes that may be written beyond a limit, and a page
    int64_t ahead  # bytes that a publisher may advance in one duty cycle
    int64_t retry_ns
    int32_t term_length
    int32_t shift
    int32_t unit_length  # of a page
    bint is_failing


# Allocate pages from `end` to `wanted`, rounded up to a page, at most to the end of a term; returns
# the errno of a failure, or 0.
cdef int allocate_pages(log_pages *pages, int64_t wanted) noexcept nogil

# Allocate the next ALLOCATION_LENGTH bytes if the log has no page at a position yet; returns 1 if
# they were allocated.
cdef int allocate_next_pages(log_pages *pages, int64_t wanted) noexcept nogil


cdef inline bint has_all_pages(const log_pages *pages) noexcept nogil:
    return pages.end == INT64_MAX


cdef inline int allocate_pages_ahead(
        log_pages *pages, int64_t producer, int64_t limit) noexcept nogil:
    """Allocate the pages that a publisher at `producer` will soon need."""
    cdef int64_t wanted = min(limit, producer + pages.ahead) + pages.slack
    return 0 if wanted <= pages.end else allocate_next_pages(pages, wanted)


cdef inline int64_t within_pages(const log_pages *pages, int64_t limit) noexcept nogil:
    """Return the limit, restricted to allocated pages."""
    return limit if pages.end == INT64_MAX else min(limit, pages.end - pages.slack)


@cython.final
cdef class PageAllocator:
    cdef page_allocator c
    cdef readonly str directory
    cdef Files _files
    cdef Clock _clock

    cdef object error(self, int32_t error_number)
