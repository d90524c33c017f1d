"""The memory of columns: lent to readers, and reused once they release it.

No counterpart in Aeron.
"""
cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, malloc, realloc


@cython.final
cdef class SpareBlocks:
    """Released blocks for the next batch: allocating new ones costs more than filling them."""

    def __dealloc__(self):
        cdef int32_t i
        for i in range(self.count):
            free(self.blocks[i].data)

    cdef void *take(self, int64_t capacity, int64_t *taken) noexcept:
        """Return a block of `capacity` to twice that many bytes; NULL if memory is exhausted."""
        cdef int32_t i
        cdef void *data
        for i in range(self.count):
            if capacity <= self.blocks[i].capacity <= 2 * capacity:
                data = self.blocks[i].data
                taken[0] = self.blocks[i].capacity
                self.count -= 1
                self.blocks[i] = self.blocks[self.count]
                return data
        taken[0] = capacity
        return malloc(capacity)

    cdef void give(self, void *data, int64_t capacity) noexcept:
        """Return a block for reuse; NULL is ignored."""
        if data != NULL and self.count < MAX_SPARE_BLOCKS:
            self.blocks[self.count].data = data
            self.blocks[self.count].capacity = capacity
            self.count += 1
        else:
            free(data)


@cython.final
cdef class Buffer:
    """Memory of one column that lives as long as it is used."""

    def __dealloc__(self):
        if self.spares is not None:
            self.spares.give(self.data, self.capacity)
        else:
            free(self.data)

    def __len__(self):
        return self.length

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, self.data, self.length, True, flags)


cdef Buffer new_buffer(
        SpareBlocks spares, void *data, Py_ssize_t length, Py_ssize_t capacity):
    cdef Buffer buffer = Buffer.__new__(Buffer)
    cdef void *shorter = NULL
    buffer.data = data
    buffer.length = length
    buffer.capacity = capacity
    buffer.spares = spares
    if length < capacity // 2:
        # The last batch of a range: shrink it, so that a reader retains only the used length.
        shorter = realloc(data, length if length > 0 else 1)
    if shorter != NULL:
        buffer.data = shorter
        buffer.spares = None
    return buffer


cdef Buffer zeros_of(Py_ssize_t length):
    cdef Buffer buffer = Buffer.__new__(Buffer)
    buffer.data = calloc(length, 1)
    if buffer.data == NULL:
        raise MemoryError
    buffer.length = length
    return buffer


cdef Buffer repeated_i32(int32_t value, int32_t count):
    cdef Buffer buffer = zeros_of(<Py_ssize_t>count * <Py_ssize_t>sizeof(int32_t))
    cdef int32_t i
    for i in range(count):
        (<int32_t *>buffer.data)[i] = value
    return buffer


cdef Buffer repeated_i64(int64_t value, int32_t count):
    cdef Buffer buffer = zeros_of(<Py_ssize_t>count * <Py_ssize_t>sizeof(int64_t))
    cdef int32_t i
    for i in range(count):
        (<int64_t *>buffer.data)[i] = value
    return buffer
