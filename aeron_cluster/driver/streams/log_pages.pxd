"""The pages of sparse logs, allocated ahead of the limits up to which clients may write.

A write to a page that the file system has no room for is a bus error to the writer: a client,
perhaps. So no limit moves to where the pages are not there yet; no room is then back pressure.
"""
cimport cython
from libc.stdint cimport INT64_MAX, int32_t, int64_t

from aeron_cluster.memory.system.seams cimport Clock, Files, clock, files


cdef enum:
    PIECE_LENGTH = 262144  # of one pass and log: some 50 us
    BLOCK_LENGTH = 1048576  # a foreign archive's replay goes so far beyond the limit


# One for all logs of a driver; the conductor's thread alone touches it.
cdef struct page_allocator:
    files files
    clock clock
    int32_t error_number  # of a failure that is not reported yet; 0: none


# In the order of positions, from where the stream began to three terms on: that is the whole file.
cdef struct log_pages:
    page_allocator *allocator
    const char *path
    int64_t end  # up to which position the pages are there; INT64_MAX: all of them
    int64_t last  # the position at which all are
    int64_t slack  # what may be written beyond a limit, and the page after it, which is read
    int64_t ahead  # how far a publisher may come in one pass
    int64_t retry_ns
    int32_t term_length
    int32_t shift
    int32_t unit_length  # of a page
    bint is_failing


# Make pages from `end` on, no further than `wanted` rounded up to a whole page and the end of a
# term; the errno of a failure, or 0.
cdef int make_piece(log_pages *pages, int64_t wanted) noexcept nogil

# Make one piece more towards a position; 1 where it was made.
cdef int make_pages(log_pages *pages, int64_t wanted) noexcept nogil


cdef inline bint has_all_pages(const log_pages *pages) noexcept nogil:
    return pages.end == INT64_MAX


cdef inline int make_pages_ahead(
        log_pages *pages, int64_t producer, int64_t limit) noexcept nogil:
    """Make one piece where a publisher that stands at `producer` will soon want it."""
    cdef int64_t wanted = min(limit, producer + pages.ahead) + pages.slack
    return 0 if wanted <= pages.end else make_pages(pages, wanted)


cdef inline int64_t within_pages(const log_pages *pages, int64_t limit) noexcept nogil:
    """The limit, or how far it may go with the pages that are there."""
    return limit if pages.end == INT64_MAX else min(limit, pages.end - pages.slack)


@cython.final
cdef class PageAllocator:
    cdef page_allocator c
    cdef readonly str directory
    cdef Files _files
    cdef Clock _clock

    cdef object error(self, int32_t error_number)
