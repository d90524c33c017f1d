"""The memory of columns: lent to readers, and reused once they release it."""
cimport cython
from libc.stdint cimport int32_t, int64_t


cdef enum:
    MAX_SPARE_BLOCKS = 128  # enough for one batch with every column, and a few more


cdef struct block:
    void *data
    int64_t capacity


@cython.final
cdef class SpareBlocks:
    cdef block blocks[MAX_SPARE_BLOCKS]
    cdef int32_t count

    cdef void *take(self, int64_t capacity, int64_t *taken) noexcept
    cdef void give(self, void *data, int64_t capacity) noexcept


@cython.final
cdef class Buffer:
    cdef void *data
    cdef Py_ssize_t length
    cdef int64_t capacity
    cdef SpareBlocks spares  # gets the memory back after its last use


# Take ownership of `capacity` bytes of memory, of which `length` are used.
cdef Buffer new_buffer(SpareBlocks spares, void *data, Py_ssize_t length, Py_ssize_t capacity)
cdef Buffer zeros_of(Py_ssize_t length)

# A buffer of one repeated value.
cdef Buffer repeated_i32(int32_t value, int32_t count)
cdef Buffer repeated_i64(int64_t value, int32_t count)
