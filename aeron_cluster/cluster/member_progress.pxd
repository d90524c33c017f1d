"""How far each member's log is, as a settled leader knows it."""
from libc.stdint cimport int32_t, int64_t


cdef struct member_progress:
    int64_t log_position
    int64_t time_of_last_append_ns  # when it was last heard of; -1: never
    int64_t leadership_term_id


cdef inline bint member_is_active(
        const member_progress *member, int64_t now_ns, int64_t timeout_ns) noexcept nogil:
    return (
        member.time_of_last_append_ns != -1
        and member.time_of_last_append_ns + timeout_ns > now_ns
    )


cdef inline int64_t quorum_position(
        const member_progress *members, int32_t count, int64_t now_ns,
        int64_t timeout_ns) noexcept nogil:
    """Return the largest position that a majority has reached, counting active members; or 0.

    The same as ``quorum.quorum_position``, for a handful of members.
    """
    cdef int64_t found = 0
    cdef int64_t position
    cdef int32_t i, j, reached
    cdef bint is_found = False
    for i in range(count):
        if not member_is_active(&members[i], now_ns, timeout_ns):
            continue
        position = members[i].log_position
        if is_found and position <= found:
            continue
        reached = 0
        for j in range(count):
            if members[j].log_position >= position and member_is_active(
                    &members[j], now_ns, timeout_ns):
                reached += 1
        if reached > count // 2:
            found = position
            is_found = True
    return found
