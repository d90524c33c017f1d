from libc.stdint cimport int64_t


# Memory of zeros that takes none until it is written; NULL where there is no room.
cdef void *map_zeroed_pages(int64_t length) noexcept nogil
cdef void unmap_zeroed_pages(void *pages, int64_t length) noexcept nogil
