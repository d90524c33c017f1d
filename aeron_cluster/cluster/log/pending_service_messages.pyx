"""Retain a service's messages until they are committed in the log.

Upstream: PendingServiceMessageTracker. Every member's service offers the same messages in the same
order to its own consensus module, which numbers them: the sign bit, the service's id in bits 56 to
62, and a count. The leader appends them to the log; each member drops a message once it is
committed, so none is lost with the leader.

In the ring a message follows its length, aligned to 8 bytes, and never crosses the ring's end,
which is filled with padding. The timestamp of its header is its end position in the log, or
INT64_MAX until it is appended::

     0 length i32, of the header and the payload
     4 is padding i32
     8 session header, 32 bytes
    40 payload
"""
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.errno cimport ENOSPC
from libc.stdint cimport INT32_MAX, INT64_MAX, INT64_MIN
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from aeron_cluster.client.publication cimport exclusive_publication_position
from aeron_cluster.cluster.log.log_publisher cimport (
    LogPublisher,
    append_session_message,
    log_publisher,
    raise_log_failure,
)
from aeron_cluster.codecs.cluster_codecs cimport (
    session_message_header_put_cluster_session_id,
    session_message_header_put_timestamp,
)
from aeron_cluster.codecs.sbe cimport MESSAGE_HEADER_LENGTH, get_int64
from aeron_cluster.codecs.session_header cimport SESSION_HEADER_LENGTH
from aeron_cluster.logbuffer.payload cimport payload, release_payload, acquire_payload
from aeron_cluster.logbuffer.term_appender cimport INVALID_ARGUMENT
from aeron_cluster.memory.system.invariants cimport PLACE, holds, require

from aeron_cluster.cluster.state.module_snapshot import TrackerState
from aeron_cluster.errors import InsufficientSpaceError, MessageError


cdef enum:
    CLUSTER_SESSION_ID_OFFSET = 8  # in the header's block
    TIMESTAMP_OFFSET = 16
    RECORD_HEADER_LENGTH = 8
    INITIAL_CAPACITY = 64 * 1024
    MAX_CAPACITY = 1 << 30


cdef struct pending_record:
    int32_t length
    int32_t is_padding


cdef inline int64_t record_length(int32_t length) noexcept nogil:
    return RECORD_HEADER_LENGTH + ((<int64_t>length + 7) & ~7)


cdef inline pending_record *record_at(
        const pending_messages *pending, int64_t offset) noexcept nogil:
    return <pending_record *>(pending.ring + (offset & (pending.capacity - 1)))


cdef inline pending_record *message_at(
        const pending_messages *pending, int64_t *offset) noexcept nogil:
    """Return the message at an offset or after the padding there; it must exist."""
    cdef pending_record *record = record_at(pending, offset[0])
    if record.is_padding:
        offset[0] += record_length(record.length)
        record = record_at(pending, offset[0])
    return record


cdef inline pending_record *first_message(pending_messages *pending) noexcept nogil:
    """Return the oldest message; the ring must not be empty."""
    cdef pending_record *record = message_at(pending, &pending.head)
    if pending.next < pending.head:
        # `next` pointed at padding that the head has skipped; that space may be reused.
        pending.next = pending.head
    return record


cdef inline uint8_t *header_block(pending_record *record) noexcept nogil:
    return <uint8_t *>record + RECORD_HEADER_LENGTH + MESSAGE_HEADER_LENGTH


cdef inline int64_t session_id_of(pending_record *record) noexcept nogil:
    return get_int64(header_block(record) + CLUSTER_SESSION_ID_OFFSET)


cdef inline int64_t append_position_of(pending_record *record) noexcept nogil:
    return get_int64(header_block(record) + TIMESTAMP_OFFSET)


cdef bint is_consistent(const pending_messages *pending) noexcept nogil:
    """Check that the ring's offsets and counts are consistent."""
    return holds(
        pending.head <= pending.next <= pending.tail, PLACE,
        "the next message lies between head and tail", pending.next, pending.tail,
    ) and holds(
        pending.tail - pending.head <= pending.capacity, PLACE, "messages fit the ring",
        pending.tail - pending.head, pending.capacity,
    ) and holds(
        0 <= pending.appended_count <= pending.count, PLACE,
        "no more messages are appended than retained", pending.appended_count, pending.count,
    )


cdef int raise_no_header(int32_t length) except -1 with gil:
    raise MessageError(
        "service message length", f"at least {SESSION_HEADER_LENGTH}, the header", length)


cdef int raise_full(const pending_messages *pending) except -1 with gil:
    raise InsufficientSpaceError(
        ENOSPC,
        f"pending messages of service {pending.service_id}: expected at most "
        f"{pending.max_capacity} bytes, found {pending.count} messages in "
        f"{pending.tail - pending.head} bytes")


cdef int raise_no_memory(int64_t length) except -1 with gil:
    raise MemoryError(f"{length} bytes for pending service messages")


cdef inline int64_t padding_before(const pending_messages *pending, int64_t needed) noexcept nogil:
    """Return the length of the ring's end if it is too short for a record, else 0."""
    cdef int64_t remaining = pending.capacity - (pending.tail & (pending.capacity - 1))
    return remaining if needed > remaining else 0


cdef inline bint fits(const pending_messages *pending, int64_t needed) noexcept nogil:
    cdef int64_t used = pending.tail - pending.head
    return used + padding_before(pending, needed) + needed <= pending.capacity


cdef inline bint may_grow(const pending_messages *pending, int64_t needed) noexcept nogil:
    if pending.capacity == pending.max_capacity:
        return False
    return pending.tail - pending.head + needed <= pending.max_capacity


cdef bint pending_has_room(const pending_messages *pending, int32_t length) noexcept nogil:
    cdef int64_t needed = record_length(length)
    return fits(pending, needed) or may_grow(pending, needed)


cdef int grow_ring(pending_messages *pending, int64_t needed) except -1 nogil:
    """Grow the ring for `needed` more contiguous bytes; `may_grow` must have allowed it."""
    cdef int64_t capacity = pending.capacity << 1
    cdef int64_t offset = pending.head
    cdef int64_t end = 0
    cdef int64_t next_ = 0
    cdef pending_record *record
    cdef uint8_t *ring
    cdef int32_t count
    while capacity - (pending.tail - pending.head) < needed:
        capacity <<= 1
    ring = <uint8_t *>malloc(capacity)
    if ring == NULL:
        return raise_no_memory(capacity)
    for count in range(pending.count):
        record = message_at(pending, &offset)
        memcpy(ring + end, record, RECORD_HEADER_LENGTH + record.length)
        offset += record_length(record.length)
        end += record_length(record.length)
        if count < pending.appended_count:
            next_ = end
    free(pending.ring)
    pending.ring = ring
    pending.capacity = capacity
    pending.head = 0
    pending.next = next_
    pending.tail = end
    return 0


cdef pending_record *reserve(pending_messages *pending, int32_t length) except NULL nogil:
    """Return space for a message after the tail."""
    cdef int64_t needed = record_length(length)
    cdef int64_t padding
    cdef pending_record *record
    require(
        0 <= pending.tail - pending.head <= pending.capacity, PLACE, "messages fit the ring",
        pending.tail - pending.head, pending.capacity)
    if not fits(pending, needed):
        if not may_grow(pending, needed):
            raise_full(pending)
        grow_ring(pending, needed)
    padding = padding_before(pending, needed)
    if padding > 0:
        record = record_at(pending, pending.tail)
        record.length = <int32_t>(padding - RECORD_HEADER_LENGTH)
        record.is_padding = True
        pending.tail += padding
    record = record_at(pending, pending.tail)
    record.length = length
    record.is_padding = False
    pending.tail += needed
    pending.count += 1
    return record


cdef int pending_enqueue(
        pending_messages *pending, const uint8_t *message, int32_t length) except -1 nogil:
    cdef int64_t cluster_session_id = pending.next_service_session_id
    cdef pending_record *record
    if length < SESSION_HEADER_LENGTH:
        return raise_no_header(length)
    if cluster_session_id <= pending.log_service_session_id:
        pending.next_service_session_id += 1
        return 0
    # Without space the number is not used: the same message may be passed again.
    record = reserve(pending, length)
    pending.next_service_session_id += 1
    memcpy(<uint8_t *>record + RECORD_HEADER_LENGTH, message, length)
    session_message_header_put_cluster_session_id(header_block(record), cluster_session_id)
    session_message_header_put_timestamp(header_block(record), INT64_MAX)
    return 1


cdef int pending_poll(
        pending_messages *pending, log_publisher *log, int64_t timestamp, int limit
) noexcept nogil:
    cdef int appended = 0
    cdef int64_t position
    cdef pending_record *record
    if not is_consistent(pending):
        return 0
    while appended < limit and pending.appended_count < pending.count:
        record = message_at(pending, &pending.next)
        position = append_session_message(
            log, session_id_of(record), timestamp,
            <uint8_t *>record + RECORD_HEADER_LENGTH + SESSION_HEADER_LENGTH,
            record.length - SESSION_HEADER_LENGTH)
        if position <= 0:
            break
        session_message_header_put_timestamp(header_block(record), position)
        pending.next += record_length(record.length)
        pending.appended_count += 1
        appended += 1
    return appended


cdef int32_t pending_skip_too_long(pending_messages *pending, log_publisher *log) noexcept nogil:
    cdef pending_record *record
    if log.failure != INVALID_ARGUMENT:
        return 0
    log.failure = 0
    record = message_at(pending, &pending.next)
    session_message_header_put_timestamp(
        header_block(record), exclusive_publication_position(log.to))
    pending.next += record_length(record.length)
    pending.appended_count += 1
    return record.length


cdef inline void drop_first(pending_messages *pending, pending_record *record) noexcept nogil:
    """Drop the message at the head."""
    pending.head += record_length(record.length)
    pending.count -= 1
    if pending.appended_count > 0:
        pending.appended_count -= 1
    else:
        pending.next = pending.head
    if pending.count == 0:
        # An empty ring starts over at its beginning, where the caches are warm.
        pending.head = pending.next = pending.tail = 0


cdef void pending_sweep_leader(
        pending_messages *pending, int64_t commit_position) noexcept nogil:
    cdef pending_record *record
    if pending.count == 0 or not is_consistent(pending):
        return
    while pending.appended_count > 0:
        record = first_message(pending)
        if append_position_of(record) > commit_position:
            break
        pending.log_service_session_id = session_id_of(record)
        drop_first(pending, record)


cdef void pending_sweep_follower(
        pending_messages *pending, int64_t cluster_session_id) noexcept nogil:
    cdef pending_record *record
    if not is_consistent(pending):
        return
    pending.log_service_session_id = cluster_session_id
    while pending.count > 0:
        record = first_message(pending)
        if session_id_of(record) > cluster_session_id:
            break
        drop_first(pending, record)


cdef class PendingServiceMessages:
    """The messages of one service that are not appended, or not known to be committed.

    Parameters
    ----------
    service_id : int
    max_capacity : int
        The limit of retained bytes, including 8 bytes per message and its header; a power of two.

    Notes
    -----
    Only for the thread of the consensus module's agent.
    """

    def __cinit__(self, int service_id, *, int64_t max_capacity=MAX_CAPACITY):
        if not 0 <= service_id <= 127:
            raise ValueError(f"service id: expected 0 to 127, found {service_id}")
        if (
                not INITIAL_CAPACITY <= max_capacity <= MAX_CAPACITY
                or max_capacity & (max_capacity - 1)):
            raise ValueError(
                f"max capacity: expected a power of two from {INITIAL_CAPACITY} to {MAX_CAPACITY}, "
                f"found {max_capacity}")
        self.c.ring = <uint8_t *>malloc(INITIAL_CAPACITY)
        if self.c.ring == NULL:
            raise MemoryError("pending service messages")
        self.c.capacity = INITIAL_CAPACITY
        self.c.max_capacity = max_capacity
        self.c.service_id = service_id
        self.c.log_service_session_id = INT64_MIN | (<int64_t>service_id << 56)
        self.c.next_service_session_id = self.c.log_service_session_id + 1

    def __dealloc__(self):
        free(self.c.ring)

    def __len__(self):
        return self.c.count

    def __repr__(self):
        return (
            f"PendingServiceMessages(service_id={self.c.service_id}, count={self.c.count}, "
            f"appended_count={self.c.appended_count})")

    @property
    def service_id(self):
        """The id of the service."""
        return self.c.service_id

    @property
    def next_service_session_id(self):
        """The number of the service's next message."""
        return self.c.next_service_session_id

    @property
    def log_service_session_id(self):
        """The number of the last message known to be in the log."""
        return self.c.log_service_session_id

    @property
    def appended_count(self):
        """The number of messages that are appended, but not known to be committed."""
        return self.c.appended_count

    def has_room(self, int32_t length):
        """Return whether a message of a length, with its header, would be retained."""
        return pending_has_room(&self.c, length)

    def enqueue(self, message):
        """Number and retain a message of the service, unless it is already in the log.

        Parameters
        ----------
        message : bytes-like
            32 bytes of session header, then the payload.

        Returns
        -------
        bool
            Whether it is retained.

        Raises
        ------
        MessageError
            It is shorter than its header.
        InsufficientSpaceError
            There is no space; nothing changed, so it may be passed again.
        """
        cdef payload buffer
        cdef bint is_retained = False
        acquire_payload(&buffer, message)
        try:
            if buffer.length > INT32_MAX - SESSION_HEADER_LENGTH:
                raise MessageError("service message length", "below 2 GiB", buffer.length)
            is_retained = pending_enqueue(&self.c, buffer.data, <int32_t>buffer.length)
        finally:
            release_payload(&buffer)
        return is_retained

    def poll(self, LogPublisher log not None, int64_t timestamp, int limit=20):
        """Append messages to the log, from the first that is not appended.

        Parameters
        ----------
        log : LogPublisher
        timestamp : int
            In the cluster's time unit.
        limit : int
            The maximum number of messages to append.

        Returns
        -------
        int
            The number of appended messages; below `limit` if fewer are pending, or if the log is
            back-pressured.

        Raises
        ------
        ClosedError, MaxPositionExceededError, MessageError
            The log accepts no more messages, or none of this length.
        """
        cdef int appended = pending_poll(&self.c, &log.c, timestamp, limit)
        if log.c.failure < 0:
            raise_log_failure(&log.c)
        return appended

    def sweep_leader(self, int64_t commit_position):
        """Drop messages that are committed up to a position."""
        pending_sweep_leader(&self.c, commit_position)

    def sweep_follower(self, int64_t cluster_session_id):
        """Drop messages up to the number of a message in the log."""
        pending_sweep_follower(&self.c, cluster_session_id)

    def restore_uncommitted(self, int64_t commit_position):
        """Treat uncommitted messages as not appended: the next leader appends them again."""
        cdef int64_t offset
        cdef int32_t _
        cdef pending_record *record
        pending_sweep_leader(&self.c, commit_position)
        offset = self.c.head
        for _ in range(self.c.appended_count):
            record = message_at(&self.c, &offset)
            session_message_header_put_timestamp(header_block(record), INT64_MAX)
            offset += record_length(record.length)
        self.c.next = self.c.head
        self.c.appended_count = 0

    def state(self):
        """Return a copy of the state, for a snapshot.

        Returns
        -------
        TrackerState
        """
        cdef list messages = []
        cdef int64_t offset = self.c.head
        cdef pending_record *record
        cdef int32_t _
        for _ in range(self.c.count):
            record = message_at(&self.c, &offset)
            messages.append(PyBytes_FromStringAndSize(
                <char *>record + RECORD_HEADER_LENGTH, record.length))
            offset += record_length(record.length)
        return TrackerState(
            service_id=self.c.service_id,
            next_service_session_id=self.c.next_service_session_id,
            log_service_session_id=self.c.log_service_session_id,
            messages=tuple(messages))

    def load(self, state not None):
        """Replace the state with that of a snapshot.

        Parameters
        ----------
        state : TrackerState
            The state of this service.

        Raises
        ------
        CorruptError
            Its numbers are not consecutive.
        InsufficientSpaceError
            There is no space for its messages.
        """
        state.verify()
        if state.service_id != self.c.service_id:
            raise ValueError(
                f"service id: expected {self.c.service_id}, found {state.service_id}")
        self.c.head = self.c.next = self.c.tail = 0
        self.c.count = self.c.appended_count = 0
        self.c.log_service_session_id = state.log_service_session_id
        self.c.next_service_session_id = state.log_service_session_id + 1
        for message in state.messages:
            self.enqueue(message)
