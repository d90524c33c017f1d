"""Retain a service's messages until they are committed in the log."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.cluster.log.log_publisher cimport log_publisher


# A ring of complete messages in the order of their ids, which are consecutive. Offsets only grow,
# and are used modulo the capacity. Owned by one thread.
cdef struct pending_messages:
    uint8_t *ring
    int64_t capacity  # bytes, a power of two
    int64_t max_capacity
    int64_t head  # the oldest message
    int64_t next  # the first message that is not appended yet
    int64_t tail
    int64_t next_service_session_id  # id of the service's next message
    int64_t log_service_session_id  # id of the last message known to be in the log
    int32_t count
    int32_t appended_count  # messages between head and next
    int32_t service_id


# Whether there is space for a message of this length; if not, its service must wait.
cdef bint pending_has_room(const pending_messages *pending, int32_t length) noexcept nogil

# Retain a message of the service: 32 bytes of session header, then the payload. Returns 1, or 0 if
# its id is already in the log. Raises MessageError for a message without a header,
# InsufficientSpaceError if the ring is full and may not grow.
cdef int pending_enqueue(
    pending_messages *pending, const uint8_t *message, int32_t length
) except -1 nogil

# Append up to `limit` messages to the log, from the first that is not appended; returns their
# number. A permanent failure is stored in the log's `failure`.
cdef int pending_poll(
    pending_messages *pending, log_publisher *log, int64_t timestamp, int limit) noexcept nogil

# Skip the message that the log rejected, if it is too long for a term: it could never be appended,
# and would block all later messages. Returns its length including the header, or 0. It is dropped
# together with the messages before it, and its id stays used.
cdef int32_t pending_skip_too_long(pending_messages *pending, log_publisher *log) noexcept nogil

# At the leader: drop messages that were appended up to a committed position.
cdef void pending_sweep_leader(
    pending_messages *pending, int64_t commit_position) noexcept nogil

# At a follower and in a replay: drop the messages up to this id, which was read in the log.
cdef void pending_sweep_follower(
    pending_messages *pending, int64_t cluster_session_id) noexcept nogil


# The id of the service with this message id in the log.
cdef inline int32_t service_id_of(int64_t cluster_session_id) noexcept nogil:
    return <int32_t>((cluster_session_id >> 56) & 0x7F)


@cython.final
cdef class PendingServiceMessages:
    cdef pending_messages c
