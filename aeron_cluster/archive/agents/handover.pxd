"""Sessions passed from one thread to another, in order."""
from libc.stdint cimport int64_t, intptr_t

from aeron_cluster.memory.shared.atomic cimport compare_and_set_i64, load_acquire_i64


# Embedded in the passed session, so that nothing is allocated.
cdef struct handover_node:
    handover_node *next
    void *session  # the struct that it is part of
    void *owner  # and the object that it belongs to, borrowed


# One thread puts sessions in, another takes them out.
cdef struct handover:
    int64_t newest  # a handover_node *, as a word


cdef inline void handover_put(handover *queue, handover_node *node) noexcept nogil:
    cdef int64_t newest
    cdef bint is_put = False
    # Loops only if the other thread emptied the list in between.
    while not is_put:
        newest = load_acquire_i64(&queue.newest)
        node.next = <handover_node *><intptr_t>newest
        # Releases the session's fields; pairs with the compare-and-set in `handover_take`.
        is_put = compare_and_set_i64(&queue.newest, newest, <int64_t><intptr_t>node)


cdef inline bint handover_is_empty(const handover *queue) noexcept nogil:
    return load_acquire_i64(&queue.newest) == 0


cdef inline handover_node *handover_take(handover *queue) noexcept nogil:
    """Take all sessions out, in the order in which they were put in."""
    cdef int64_t newest
    cdef bint is_done = False
    cdef handover_node *node
    cdef handover_node *following
    cdef handover_node *first = NULL
    while not is_done:
        newest = load_acquire_i64(&queue.newest)
        is_done = newest == 0 or compare_and_set_i64(&queue.newest, newest, 0)
    node = <handover_node *><intptr_t>newest
    while node != NULL:
        following = node.next
        node.next = first
        first = node
        node = following
    return first
