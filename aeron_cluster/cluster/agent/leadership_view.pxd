"""Leader and term, as the agents of a module see them: a copy of the LeadershipView."""
from libc.stdint cimport int32_t, int64_t


cdef enum:
    NO_MEMBER = -1
    ROLE_LEADER = 2  # a value of the counter 201


cdef struct leadership_view:
    int64_t leadership_term_id  # -1: none
    int32_t leader_index  # NO_MEMBER: none
    int32_t log_leader_index  # of the log's current or last leader; or NO_MEMBER
    int32_t role
    bint is_electing


cdef inline bint is_leading(const leadership_view *leadership) noexcept nogil:
    return leadership.role == ROLE_LEADER and not leadership.is_electing
