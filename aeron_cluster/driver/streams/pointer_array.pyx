"""An array of pointers that an agent iterates over."""
from libc.stdint cimport int32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from aeron_cluster.memory.system.invariants cimport PLACE, holds


cdef int pointers_add(pointer_array *pointers, void *item) noexcept nogil:
    cdef void **grown
    cdef int32_t capacity
    if not holds(
        0 <= pointers.count <= pointers.capacity, PLACE, "each pointer has an entry",
        pointers.count, pointers.capacity,
    ):
        return -1
    if pointers.count == pointers.capacity:
        capacity = 8 if pointers.capacity == 0 else pointers.capacity * 2
        grown = <void **>realloc(pointers.items, capacity * sizeof(void *))
        if grown == NULL:
            return -1
        pointers.items = grown
        pointers.capacity = capacity
    pointers.items[pointers.count] = item
    pointers.count += 1
    return 0


cdef bint pointers_remove(pointer_array *pointers, void *item) noexcept nogil:
    cdef int32_t index
    if not holds(
        0 <= pointers.count <= pointers.capacity, PLACE, "each pointer has an entry",
        pointers.count, pointers.capacity,
    ):
        return False
    for index in range(pointers.count):
        if pointers.items[index] == item:
            pointers.count -= 1
            pointers.items[index] = pointers.items[pointers.count]
            return True
    return False


cdef void pointers_free(pointer_array *pointers) noexcept nogil:
    free(pointers.items)
    memset(pointers, 0, sizeof(pointer_array))
