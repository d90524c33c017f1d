"""Each member's log position, as known to the leader, and the publication to it."""
from libc.stdint cimport INT64_MIN, int32_t, int64_t

from aeron_cluster.client.publication cimport exclusive_publication


cdef enum:
    MAX_MEMBERS = 64


cdef struct member_progress:
    int64_t log_position
    int64_t time_of_last_append_ns  # time of its last receipt; -1: never
    int64_t leadership_term_id
    int32_t member_id
    bint is_catching_up  # from a replay by this member


# All members of the cluster, by their index in its list.
cdef struct cluster_members:
    member_progress *progress
    exclusive_publication **peers  # publications to each member; NULL: none, as for the own index
    int32_t count
    int32_t own_index
    int64_t heartbeat_timeout_ns
    int64_t heartbeat_interval_ns


cdef inline void member_init(member_progress *member, int32_t member_id) noexcept nogil:
    """Initialise a member's progress as unknown."""
    member.log_position = -1
    member.time_of_last_append_ns = -1
    member.leadership_term_id = -1
    member.member_id = member_id
    member.is_catching_up = False


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


cdef inline bint has_active_quorum(
        const member_progress *members, int32_t count, int32_t own_index, int64_t now_ns,
        int64_t timeout_ns) noexcept nogil:
    """Return whether a majority is active, including the own member."""
    cdef int32_t i, active = 0
    for i in range(count):
        if i == own_index or member_is_active(&members[i], now_ns, timeout_ns):
            active += 1
    return active > count // 2


cdef inline int64_t quorum_end_ns(
        const member_progress *members, int32_t count, int32_t own_index,
        int64_t timeout_ns) noexcept nogil:
    """Return when the majority becomes inactive without messages; INT64_MIN if never active."""
    cdef int64_t found = INT64_MIN
    cdef int64_t end_ns
    cdef int32_t i, j, active
    for i in range(count):
        if i == own_index or members[i].time_of_last_append_ns == -1:
            continue
        end_ns = members[i].time_of_last_append_ns + timeout_ns
        active = 1
        for j in range(count):
            if j != own_index and members[j].time_of_last_append_ns != -1 and (
                    members[j].time_of_last_append_ns + timeout_ns >= end_ns):
                active += 1
        if active > count // 2 and end_ns > found:
            found = end_ns
    return found
