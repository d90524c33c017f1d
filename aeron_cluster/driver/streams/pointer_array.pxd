"""An array of pointers that an agent iterates over."""
from libc.stdint cimport int32_t


cdef struct pointer_array:
    void **items
    int32_t count
    int32_t capacity


# Only for control events; returns -1 if memory is exhausted.
cdef int pointers_add(pointer_array *pointers, void *item) noexcept nogil
cdef bint pointers_remove(pointer_array *pointers, void *item) noexcept nogil
cdef void pointers_free(pointer_array *pointers) noexcept nogil
