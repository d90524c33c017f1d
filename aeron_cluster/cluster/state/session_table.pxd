"""The open and closing sessions of a cluster, for the hot paths."""
cimport cython
from libc.stdint cimport int64_t, uint64_t


# The fields of a session that are needed for each message; the others are in Python.
cdef struct session_entry:
    int64_t id
    int64_t last_activity_ns
    int64_t ingress_image  # the correlation id of the image of its messages, or -1
    bint is_open
    bint is_used


# Open addressing, at most half full. Owned by one thread; a pointer into it is valid until the next
# session is put or removed.
cdef struct session_table:
    session_entry *entries
    uint64_t mask  # the capacity, a power of two, less 1
    int64_t count


cdef inline uint64_t session_slot(const session_table *table, int64_t id) noexcept nogil:
    """Return the slot at which the search for an id begins."""
    # Ids are sequential; those of services differ in their highest bits as well.
    return ((<uint64_t>id * <uint64_t>0x9E3779B97F4A7C15) >> 32) & table.mask


cdef inline session_entry *session_find(session_table *table, int64_t id) noexcept nogil:
    """Return the entry of a session, or NULL."""
    cdef uint64_t slot = session_slot(table, id)
    while table.entries[slot].is_used:  # half of them are not
        if table.entries[slot].id == id:
            return &table.entries[slot]
        slot = (slot + 1) & table.mask
    return NULL


@cython.final
cdef class SessionTable:
    cdef session_table c

    cdef int grow(self) except -1
    cdef session_entry *entry_of(self, int64_t cluster_session_id) except NULL
