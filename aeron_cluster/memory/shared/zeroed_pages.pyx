"""Zeroed memory that is allocated only when written, and needs no clearing."""

from posix.mman cimport (
    MAP_ANONYMOUS,
    MAP_FAILED,
    MAP_PRIVATE,
    PROT_READ,
    PROT_WRITE,
    mmap,
    munmap,
)


cdef void *map_zeroed_pages(int64_t length) noexcept nogil:
    cdef void *pages = mmap(
        NULL, <size_t>length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    return NULL if pages == MAP_FAILED else pages


cdef void unmap_zeroed_pages(void *pages, int64_t length) noexcept nogil:
    munmap(pages, <size_t>length)
