"""Keep the messages that a service offers to the log until the log shows them."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.cluster.log.log_publisher cimport log_publisher


# A ring of whole messages in the order of their ids, which follow each other without a gap. Offsets
# only grow; in the ring they are taken modulo its capacity. One thread owns it.
cdef struct pending_messages:
    uint8_t *ring
    int64_t capacity  # bytes, a power of two
    int64_t max_capacity
    int64_t head  # the oldest message
    int64_t next  # the first that is not appended to the log
    int64_t tail
    int64_t next_service_session_id  # that the service's next message gets
    int64_t log_service_session_id  # the last one that the log is known to have
    int32_t count
    int32_t appended_count  # those between head and next
    int32_t service_id


# Whether a message of this length would be kept: if not, its service has to wait.
cdef bint pending_has_room(const pending_messages *pending, int32_t length) noexcept nogil

# Keep a message as it came from the service: 32 bytes of session header, then the payload. Returns
# 1, or 0 where the log showed its id already. Raises MessageError for a message without a header,
# InsufficientSpaceError when the ring is full and may not grow.
cdef int pending_enqueue(
    pending_messages *pending, const uint8_t *message, int32_t length
) except -1 nogil

# Append up to `limit` messages to the log, from the first that is not; returns how many. Why it
# stopped early for good, if it did, is in the log's `failure`.
cdef int pending_poll(
    pending_messages *pending, log_publisher *log, int64_t timestamp, int limit) noexcept nogil

# Pass over the message that the log did not take, where that is because no term of it has room for
# one so long: it could never be appended, and would block whatever follows. Returns how long it
# is, its header among it, or 0. It goes with what stands before it in the log, and counts: the next
# one has the next id.
cdef int32_t pending_skip_too_long(pending_messages *pending, log_publisher *log) noexcept nogil

# At the leader: forget what was appended up to a position that is committed.
cdef void pending_sweep_leader(
    pending_messages *pending, int64_t commit_position) noexcept nogil

# At a follower and in a replay: the log showed a message of this id, so forget it and those before.
cdef void pending_sweep_follower(
    pending_messages *pending, int64_t cluster_session_id) noexcept nogil


# The service whose message has this id in the log.
cdef inline int32_t service_id_of(int64_t cluster_session_id) noexcept nogil:
    return <int32_t>((cluster_session_id >> 56) & 0x7F)


@cython.final
cdef class PendingServiceMessages:
    cdef pending_messages c
