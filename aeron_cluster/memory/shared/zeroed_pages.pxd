from libc.stdint cimport int64_t


# Zeroed memory that is allocated only when written; NULL if there is no memory.
cdef void *map_zeroed_pages(int64_t length) noexcept nogil
cdef void unmap_zeroed_pages(void *pages, int64_t length) noexcept nogil
