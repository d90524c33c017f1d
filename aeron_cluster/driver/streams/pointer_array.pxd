"""An array of pointers that an agent walks."""
from libc.stdint cimport int32_t


cdef struct pointer_array:
    void **items
    int32_t count
    int32_t capacity


# Called on control events only; -1 without memory.
cdef int pointers_add(pointer_array *pointers, void *item) noexcept nogil
cdef bint pointers_remove(pointer_array *pointers, void *item) noexcept nogil
cdef void pointers_free(pointer_array *pointers) noexcept nogil
