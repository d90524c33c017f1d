# cython: freethreading_compatible=True
"""Ring buffers in shared memory: many-to-one and one-to-one.

Agrona's ``ManyToOneRingBuffer`` and ``OneToOneRingBuffer``.
"""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport INT32_MAX, uint64_t, uintptr_t
from libc.string cimport memcpy, memset

from aeron_cluster.memory.shared.atomic cimport (
    compare_and_set_i64,
    fence_release,
    get_and_add_i64,
    load_acquire_i32,
    load_acquire_i64,
    load_opaque_i32,
    load_opaque_i64,
    store_opaque_i64,
    store_release_i32,
    store_release_i64,
)
from aeron_cluster.memory.shared.commands cimport (
    PADDING_MESSAGE_TYPE,
    RECORD_ALIGNMENT,
    RECORD_HEADER_LENGTH,
    RING_TRAILER_LENGTH,
    record_header,
)
from aeron_cluster.memory.system.invariants cimport IS_DEBUG, PLACE, holds, likely

from aeron_cluster.errors import ConfigurationError, CorruptError, MessageError

# The smallest capacity with space for the longest message and the header after it.
cdef int64_t MIN_CAPACITY = 64


cdef inline int64_t align(int64_t length) noexcept nogil:
    return (length + (RECORD_ALIGNMENT - 1)) & ~<int64_t>(RECORD_ALIGNMENT - 1)


cdef inline bint is_aligned(int64_t position) noexcept nogil:
    return (position & (RECORD_ALIGNMENT - 1)) == 0


cdef inline record_header *record_at(ring_buffer *ring, int64_t index) noexcept nogil:
    return <record_header *>(ring.buffer + index)


cdef inline bint is_record_length(int32_t length, int64_t available) noexcept nogil:
    """Return whether a record of a length fits from here to the buffer's end."""
    return length >= RECORD_HEADER_LENGTH and align(length) <= available


cdef inline int64_t readable_length(
        ring_buffer *ring, int64_t head, int64_t contiguous) noexcept nogil:
    """Return the bytes after head that producers have claimed, up to the buffer's end."""
    return min(load_acquire_i64(&ring.trailer.tail_position) - head, contiguous)


cdef int ring_init(ring_buffer *ring, void *memory, int64_t length) noexcept nogil:
    cdef int64_t capacity = length - RING_TRAILER_LENGTH
    cdef int64_t longest = capacity >> 3
    if (
        capacity < MIN_CAPACITY
        or capacity > INT32_MAX
        or capacity & (capacity - 1)
        or not is_aligned(<int64_t><uintptr_t>memory)
    ):
        return RingStatus.RING_INVALID_CAPACITY
    ring.buffer = <uint8_t *>memory
    ring.trailer = <ring_trailer *>(ring.buffer + capacity)
    ring.capacity = capacity
    ring.max_message_length = <int32_t>longest
    return RingStatus.RING_OK


# ---- writing ----


cdef inline int check_message(
        ring_buffer *ring, int32_t message_type, int32_t length) noexcept nogil:
    if message_type < 1:
        return RingStatus.RING_INVALID_TYPE
    if length < 0 or length > ring.max_message_length:
        return RingStatus.RING_MESSAGE_TOO_LONG
    return RingStatus.RING_OK


cdef inline void begin_record(record_header *record, int32_t length) noexcept nogil:
    """Mark the space as in use before anything else is written to it."""
    store_release_i32(&record.length, -length)
    # Neither type nor payload may become visible before the negative length, which an unblocking
    # consumer checks.
    fence_release()


cdef inline void write_padding(ring_buffer *ring, int64_t index, int32_t length) noexcept nogil:
    cdef record_header *record = record_at(ring, index)
    # Only in debug builds, as in free_records.
    if IS_DEBUG and not holds(
        RECORD_HEADER_LENGTH <= length <= ring.capacity - index, PLACE,
        "padding ends with the ring", length, ring.capacity - index,
    ):
        return
    begin_record(record, length)
    record.type = PADDING_MESSAGE_TYPE
    store_release_i32(&record.length, length)  # pairs with the acquire in read_records


cdef int64_t claim_shared(many_to_one_ring *ring, int32_t record_length) noexcept nogil:
    """Move the tail over a record, past the end of the buffer if necessary; return its index."""
    cdef ring_trailer *trailer = ring.trailer
    cdef int64_t capacity = ring.capacity
    cdef int64_t mask = capacity - 1
    cdef int64_t required = align(record_length)
    cdef int64_t head = load_acquire_i64(&trailer.head_cache_position)
    cdef int64_t tail, index, padding
    while True:
        tail = load_acquire_i64(&trailer.tail_position)
        if not is_aligned(tail):
            return RingStatus.RING_CORRUPT
        # A cached head beyond the tail is damage: the unsigned difference is then too large.
        if <uint64_t>(tail - head) > <uint64_t>(capacity - required):
            head = load_acquire_i64(&trailer.head_position)
            if required > capacity - (tail - head):
                return RingStatus.RING_INSUFFICIENT_CAPACITY
            # Pairs with the acquire above in other producers, so that they also observe the
            # consumer's zeros below head.
            store_release_i64(&trailer.head_cache_position, head)
        index = tail & mask
        padding = 0
        if not likely(required <= capacity - index):
            if required > (head & mask):
                head = load_acquire_i64(&trailer.head_position)
                if required > (head & mask):
                    return RingStatus.RING_INSUFFICIENT_CAPACITY
                store_release_i64(&trailer.head_cache_position, head)
            padding = capacity - index
        if compare_and_set_i64(&trailer.tail_position, tail, tail + required + padding):
            break
    if padding:
        write_padding(ring, index, <int32_t>padding)
        return 0
    return index


cdef int64_t claim_alone(one_to_one_ring *ring, int32_t record_length) noexcept nogil:
    """As above for a single producer, which also zeroes the header after its record.

    The consumer of this kind does not clear records: a zero length was written by the producer.
    """
    cdef ring_trailer *trailer = ring.trailer
    cdef int64_t capacity = ring.capacity
    cdef int64_t mask = capacity - 1
    cdef int64_t aligned = align(record_length)
    cdef int64_t required = aligned + RECORD_HEADER_LENGTH
    cdef int64_t head = load_opaque_i64(&trailer.head_cache_position)
    cdef int64_t tail = load_opaque_i64(&trailer.tail_position)
    cdef int64_t index = tail & mask
    cdef int64_t to_end = capacity - index
    if not is_aligned(tail):
        return RingStatus.RING_CORRUPT
    if <uint64_t>(tail - head) > <uint64_t>(capacity - required):
        head = load_acquire_i64(&trailer.head_position)
        if required > capacity - (tail - head):
            return RingStatus.RING_INSUFFICIENT_CAPACITY
        store_opaque_i64(&trailer.head_cache_position, head)
    if aligned == to_end:
        store_opaque_i64(ring.buffer, 0)
        store_release_i64(&trailer.tail_position, tail + aligned)
        return index
    if not likely(required <= to_end):
        if required > (head & mask):
            head = load_acquire_i64(&trailer.head_position)
            if required > (head & mask):
                return RingStatus.RING_INSUFFICIENT_CAPACITY
            store_opaque_i64(&trailer.head_cache_position, head)
        store_opaque_i64(ring.buffer, 0)
        store_opaque_i64(ring.buffer + aligned, 0)
        store_release_i64(&trailer.tail_position, tail + to_end + aligned)
        write_padding(ring, index, <int32_t>to_end)
        return 0
    store_opaque_i64(ring.buffer + index + aligned, 0)
    store_release_i64(&trailer.tail_position, tail + aligned)
    return index


cdef inline int64_t claim(
        ring_buffer *ring, int32_t message_type, int32_t length, bint shared) noexcept nogil:
    """Claim a record, mark it as being written, and return its index, or a status."""
    cdef int64_t index = check_message(ring, message_type, length)
    if index < 0:
        return index
    length += RECORD_HEADER_LENGTH
    index = claim_shared(ring, length) if shared else claim_alone(ring, length)
    if index >= 0:
        begin_record(record_at(ring, index), length)
    return index


cdef inline int write(
        ring_buffer *ring, int32_t message_type, const void *data, int32_t length,
        bint shared) noexcept nogil:
    cdef int64_t index = claim(ring, message_type, length, shared)
    cdef record_header *record
    if index < 0:
        return <int>index
    record = record_at(ring, index)
    memcpy(record + 1, data, length)
    record.type = message_type
    # Pairs with the acquire in read_records.
    store_release_i32(&record.length, length + RECORD_HEADER_LENGTH)
    return RingStatus.RING_OK


cdef inline int64_t try_claim(
        ring_buffer *ring, int32_t message_type, int32_t length, bint shared) noexcept nogil:
    cdef int64_t index = claim(ring, message_type, length, shared)
    if index < 0:
        return index
    record_at(ring, index).type = message_type
    return index + RECORD_HEADER_LENGTH


cdef int ring_write(
        many_to_one_ring *ring, int32_t message_type, const void *data,
        int32_t length) noexcept nogil:
    return write(ring, message_type, data, length, True)


cdef int64_t ring_try_claim(
        many_to_one_ring *ring, int32_t message_type, int32_t length) noexcept nogil:
    return try_claim(ring, message_type, length, True)


cdef int one_to_one_write(
        one_to_one_ring *ring, int32_t message_type, const void *data,
        int32_t length) noexcept nogil:
    return write(ring, message_type, data, length, False)


cdef int64_t one_to_one_try_claim(
        one_to_one_ring *ring, int32_t message_type, int32_t length) noexcept nogil:
    return try_claim(ring, message_type, length, False)


cdef record_header *claimed_record(ring_buffer *ring, int64_t offset) noexcept nogil:
    """Return the record of an open claim, or NULL."""
    cdef int64_t index = offset - RECORD_HEADER_LENGTH
    cdef record_header *record
    if index < 0 or index >= ring.capacity or not is_aligned(index):
        return NULL
    record = record_at(ring, index)
    if load_opaque_i32(&record.length) > -RECORD_HEADER_LENGTH:
        return NULL
    return record


cdef int ring_commit(ring_buffer *ring, int64_t offset) noexcept nogil:
    cdef record_header *record = claimed_record(ring, offset)
    if record == NULL:
        return RingStatus.RING_NOT_CLAIMED
    store_release_i32(&record.length, -load_opaque_i32(&record.length))
    return RingStatus.RING_OK


cdef int ring_abort(ring_buffer *ring, int64_t offset) noexcept nogil:
    cdef record_header *record = claimed_record(ring, offset)
    if record == NULL:
        return RingStatus.RING_NOT_CLAIMED
    record.type = PADDING_MESSAGE_TYPE
    store_release_i32(&record.length, -load_opaque_i32(&record.length))
    return RingStatus.RING_OK


# ---- reading ----


cdef inline void free_records(
        ring_buffer *ring, int64_t head, int64_t length, bint shared) noexcept nogil:
    """Release the bytes after head to the producers."""
    # Only in debug builds: a message of 64 bytes takes 180 instructions, and this check four of
    # them.
    if IS_DEBUG and not holds(
        0 < length <= ring.capacity - (head & (ring.capacity - 1)), PLACE,
        "freed bytes do not go past the end of the ring", length, ring.capacity,
    ):
        return
    if shared:
        # Producers of this kind detect a free slot only by its zero length.
        memset(ring.buffer + (head & (ring.capacity - 1)), 0, length)
    store_release_i64(&ring.trailer.head_position, head + length)  # pairs with claim_*


cdef inline int read_records(
        ring_buffer *ring, message_handler handler, void *context, int limit,
        bint shared) noexcept nogil:
    cdef int64_t head = load_opaque_i64(&ring.trailer.head_position)
    cdef int64_t index = head & (ring.capacity - 1)
    cdef int64_t contiguous = ring.capacity - index  # one call never goes past the physical end
    cdef int64_t readable = 0
    cdef int64_t consumed = 0
    cdef int messages = 0
    cdef bint corrupt = not is_aligned(head)
    cdef record_header *record
    cdef int32_t length, message_type
    while messages < limit and consumed < contiguous and not corrupt:
        record = record_at(ring, index + consumed)
        length = load_acquire_i32(&record.length)  # pairs with the release that completes a record
        if length <= 0:
            break
        if not is_record_length(length, readable - consumed):
            # The tail is in another core's cache line: read only if the cached value does not
            # suffice.
            readable = readable_length(ring, head, contiguous)
            if not is_record_length(length, readable - consumed):
                corrupt = True
                break
        message_type = load_opaque_i32(&record.type)
        consumed += align(length)
        if message_type == PADDING_MESSAGE_TYPE:
            continue
        messages += 1
        handler(
            message_type, <const uint8_t *>(record + 1), length - RECORD_HEADER_LENGTH, context)
    if consumed:
        free_records(ring, head, consumed, shared)
    return RingStatus.RING_CORRUPT if corrupt and messages == 0 else messages


cdef inline int controlled_read_records(
        ring_buffer *ring, controlled_message_handler handler, void *context, int limit,
        bint shared) noexcept nogil:
    cdef int64_t head = load_opaque_i64(&ring.trailer.head_position)
    cdef int64_t index = head & (ring.capacity - 1)
    cdef int64_t contiguous = ring.capacity - index
    cdef int64_t readable = 0
    cdef int64_t consumed = 0
    cdef int64_t freed = 0
    cdef int messages = 0
    cdef bint corrupt = not is_aligned(head)
    cdef record_header *record
    cdef int32_t length, message_type
    cdef ControlledReadAction action
    while messages < limit and consumed < contiguous and not corrupt:
        record = record_at(ring, index + consumed)
        length = load_acquire_i32(&record.length)
        if length <= 0:
            break
        if not is_record_length(length, readable - consumed):
            # The tail is in another core's cache line: read only if the cached value does not
            # suffice.
            readable = readable_length(ring, head, contiguous)
            if not is_record_length(length, readable - consumed):
                corrupt = True
                break
        message_type = load_opaque_i32(&record.type)
        if message_type == PADDING_MESSAGE_TYPE:
            consumed += align(length)
            continue
        action = handler(
            message_type, <const uint8_t *>(record + 1), length - RECORD_HEADER_LENGTH, context)
        if action == ControlledReadAction.READ_ABORT:
            break
        messages += 1
        consumed += align(length)
        if action == ControlledReadAction.READ_BREAK:
            break
        if action == ControlledReadAction.READ_COMMIT:
            free_records(ring, head + freed, consumed - freed, shared)
            freed = consumed
    if consumed > freed:
        free_records(ring, head + freed, consumed - freed, shared)
    return RingStatus.RING_CORRUPT if corrupt and messages == 0 else messages


cdef int ring_read(
        many_to_one_ring *ring, message_handler handler, void *context, int limit) noexcept nogil:
    return read_records(ring, handler, context, limit, True)


cdef int ring_controlled_read(
        many_to_one_ring *ring, controlled_message_handler handler, void *context,
        int limit) noexcept nogil:
    return controlled_read_records(ring, handler, context, limit, True)


cdef int one_to_one_read(
        one_to_one_ring *ring, message_handler handler, void *context, int limit) noexcept nogil:
    return read_records(ring, handler, context, limit, False)


cdef int one_to_one_controlled_read(
        one_to_one_ring *ring, controlled_message_handler handler, void *context,
        int limit) noexcept nogil:
    return controlled_read_records(ring, handler, context, limit, False)


# ---- recovery ----


cdef bint is_zero_between(ring_buffer *ring, int64_t first, int64_t limit) noexcept nogil:
    """Return whether all lengths in a gap are zero, scanning from its end to its beginning.

    Producers fill records from the front: a record written after the forward scan passed is found
    on the way back.
    """
    cdef int64_t i = limit - RECORD_ALIGNMENT
    while i >= first:
        if load_acquire_i32(&record_at(ring, i).length) != 0:
            return False
        i -= RECORD_ALIGNMENT
    return True


cdef int ring_unblock(many_to_one_ring *ring) noexcept nogil:
    cdef int64_t capacity = ring.capacity
    cdef int64_t head = load_opaque_i64(&ring.trailer.head_position)
    cdef int64_t tail = load_acquire_i64(&ring.trailer.tail_position)
    cdef int64_t index = head & (capacity - 1)
    cdef int64_t limit = capacity
    cdef record_header *record = record_at(ring, index)
    cdef int64_t i
    cdef int32_t length
    if head == tail:
        return 0
    if not is_aligned(head) or not is_aligned(tail) or not 0 <= tail - head <= capacity:
        return RingStatus.RING_CORRUPT
    length = load_acquire_i32(&record.length)
    if length > 0:
        return 0
    if length < 0:
        if length == -INT32_MAX - 1 or not is_record_length(-length, capacity - index):
            return RingStatus.RING_CORRUPT
        record.type = PADDING_MESSAGE_TYPE
        store_release_i32(&record.length, -length)
        return 1
    # A producer died between moving the tail and marking its record. The gap ends at the next
    # record, or at the physical end if the tail wrapped.
    if tail - head < capacity - index:
        limit = index + (tail - head)
    i = index + RECORD_ALIGNMENT
    while i < limit and load_acquire_i32(&record_at(ring, i).length) == 0:
        i += RECORD_ALIGNMENT
    if i >= limit and tail - head <= capacity - index:
        return 0
    if not is_zero_between(ring, index, i):
        return 0
    record.type = PADDING_MESSAGE_TYPE
    store_release_i32(&record.length, <int32_t>(i - index))
    return 1


cdef int64_t ring_skip_corrupt(ring_buffer *ring) noexcept nogil:
    cdef int64_t capacity = ring.capacity
    cdef int64_t head = load_opaque_i64(&ring.trailer.head_position)
    cdef int64_t tail = load_acquire_i64(&ring.trailer.tail_position)
    cdef int64_t index = head & (capacity - 1)
    cdef int64_t dropped = tail - head
    cdef int64_t first
    if is_aligned(head) and is_aligned(tail) and 0 <= dropped <= capacity:
        first = min(dropped, capacity - index)
        memset(ring.buffer + index, 0, first)
        memset(ring.buffer, 0, dropped - first)
        store_release_i64(&ring.trailer.head_cache_position, tail)
        store_release_i64(&ring.trailer.head_position, tail)
        return dropped
    # The positions themselves are damaged: start again with an empty buffer.
    memset(ring.buffer, 0, capacity)
    head = align(tail)
    store_release_i64(&ring.trailer.head_cache_position, head)
    store_release_i64(&ring.trailer.head_position, head)
    compare_and_set_i64(&ring.trailer.tail_position, tail, head)
    return capacity


# ---- the trailer ----


cdef int64_t ring_next_correlation_id(ring_buffer *ring) noexcept nogil:
    return get_and_add_i64(&ring.trailer.correlation_counter, 1)


cdef int64_t ring_consumer_heartbeat_ms(const ring_buffer *ring) noexcept nogil:
    return load_acquire_i64(&ring.trailer.consumer_heartbeat_ms)


cdef void ring_set_consumer_heartbeat_ms(ring_buffer *ring, int64_t now_ms) noexcept nogil:
    # Pairs with the acquire above: a client that observes an active driver also observes its
    # initialised memory.
    store_release_i64(&ring.trailer.consumer_heartbeat_ms, now_ms)


cdef int64_t ring_producer_position(const ring_buffer *ring) noexcept nogil:
    return load_acquire_i64(&ring.trailer.tail_position)


cdef int64_t ring_consumer_position(const ring_buffer *ring) noexcept nogil:
    return load_acquire_i64(&ring.trailer.head_position)


cdef int64_t ring_size(const ring_buffer *ring) noexcept nogil:
    # Two words cannot be read atomically: repeat until the head is unchanged around the tail's
    # read.
    cdef int64_t head = load_acquire_i64(&ring.trailer.head_position)
    cdef int64_t before = head - 1
    cdef int64_t size = 0
    cdef int attempts = 0
    while head != before and attempts < 16:
        attempts += 1
        before = head
        size = load_acquire_i64(&ring.trailer.tail_position) - before
        head = load_acquire_i64(&ring.trailer.head_position)
    return min(max(size, <int64_t>0), ring.capacity)


# ---- for Python ----


cdef ControlledReadAction call_python(
        int32_t message_type, const uint8_t *data, int32_t length,
        void *context) noexcept with gil:
    """Call the function of a read; the context is ``[function, is controlled, its exception]``."""
    cdef list call = <list>context
    try:
        action = call[0](message_type, (<const char *>data)[:length])
        if call[1]:
            return <ControlledReadAction><int>action
    except BaseException as error:  # raised again once the ring is consistent
        call[2] = error
        return ControlledReadAction.READ_BREAK
    return ControlledReadAction.READ_CONTINUE


cdef class RingBuffer(BufferMemory):
    """The common part of both kinds of ring buffer; never instantiated.

    Parameters
    ----------
    buffer : writable buffer
        A power of two of at least 64 bytes, and 768 bytes of trailer, aligned to 8. It is retained
        as long as this object lives.

    Raises
    ------
    ConfigurationError
        The length or the alignment of the buffer is invalid.
    BufferError
        The buffer is read-only.
    """

    def __init__(self, object buffer not None) -> None:
        if type(self) is RingBuffer:
            raise TypeError("RingBuffer: expected ManyToOneRingBuffer or OneToOneRingBuffer")
        self.hold(buffer, PyBUF_SIMPLE | PyBUF_WRITABLE)
        if ring_init(&self.ring, self.memory.buf, self.memory.len) != RingStatus.RING_OK:
            raise ConfigurationError(
                "ring buffer length",
                f"a power of two from {MIN_CAPACITY}, and {RING_TRAILER_LENGTH}, aligned to 8",
                self.memory.len,
            )
        self.is_open = True

    @property
    def capacity(self) -> int:
        """Bytes for records, without the trailer."""
        return self.ring.capacity

    @property
    def max_message_length(self) -> int:
        """Bytes of the longest payload: an eighth of the capacity."""
        return self.ring.max_message_length

    @property
    def size(self) -> int:
        """Bytes that are claimed or written and not yet read."""
        self.check_open()
        return ring_size(&self.ring)

    @property
    def producer_position(self) -> int:
        """The number of bytes that producers have claimed so far."""
        self.check_open()
        return ring_producer_position(&self.ring)

    @property
    def consumer_position(self) -> int:
        """The number of bytes that the consumer has freed so far."""
        self.check_open()
        return ring_consumer_position(&self.ring)

    @property
    def consumer_heartbeat_ms(self) -> int:
        """The consumer's last activity, in ms since 1970; -1 once it has closed."""
        self.check_open()
        return ring_consumer_heartbeat_ms(&self.ring)

    @consumer_heartbeat_ms.setter
    def consumer_heartbeat_ms(self, int64_t now_ms) -> None:
        self.check_open()
        ring_set_consumer_heartbeat_ms(&self.ring, now_ms)

    def next_correlation_id(self) -> int:
        """Return a number that is unique among the users of the buffer."""
        self.check_open()
        return ring_next_correlation_id(&self.ring)

    def write(self, int32_t message_type, object data not None) -> bool:
        """Append a message.

        Parameters
        ----------
        message_type : int
            The type, from 1.
        data : bytes-like
            The payload.

        Returns
        -------
        bool
            False if the consumer must free space first.

        Raises
        ------
        MessageError
            The type is below 1 or the payload longer than ``max_message_length``.
        CorruptError
            The tail position is not a record boundary.
        """
        self.check_open()
        cdef bint shared = isinstance(self, ManyToOneRingBuffer)
        cdef Py_buffer source
        cdef int32_t length
        cdef int status
        PyObject_GetBuffer(data, &source, PyBUF_SIMPLE)
        length = <int32_t>min(source.len, <Py_ssize_t>INT32_MAX)
        with nogil:
            status = write(&self.ring, message_type, source.buf, length, shared)
        PyBuffer_Release(&source)
        if status == RingStatus.RING_INSUFFICIENT_CAPACITY:
            return False
        self.check_status(status, message_type, length)
        return True

    def try_claim(self, int32_t message_type, int32_t length) -> int:
        """Claim space for a message that the caller writes into the buffer directly.

        Parameters
        ----------
        message_type : int
            The type, from 1.
        length : int
            The length of the payload, in bytes.

        Returns
        -------
        int
            The offset of the payload in the buffer, for ``commit`` or ``abort``; -2 if the consumer
            must free space first.

        Raises
        ------
        MessageError
            The type is below 1 or the length above ``max_message_length``.
        CorruptError
            The tail position is not a record boundary.
        """
        self.check_open()
        cdef bint shared = isinstance(self, ManyToOneRingBuffer)
        cdef int64_t offset = try_claim(&self.ring, message_type, length, shared)
        if offset < 0 and offset != RingStatus.RING_INSUFFICIENT_CAPACITY:
            self.check_status(<int>offset, message_type, length)
        return offset

    def commit(self, int64_t offset) -> None:
        """Commit a claimed message for the consumer.

        Raises
        ------
        MessageError
            The offset is not that of an open claim.
        """
        self.check_open()
        self.check_claim(ring_commit(&self.ring, offset), offset)

    def abort(self, int64_t offset) -> None:
        """Abort a claim: the consumer skips it.

        Raises
        ------
        MessageError
            The offset is not that of an open claim.
        """
        self.check_open()
        self.check_claim(ring_abort(&self.ring, offset), offset)

    def read(self, handler: object, int limit=INT32_MAX) -> int:
        """Call a function for messages, up to the buffer's physical end.

        Parameters
        ----------
        handler : callable
            Called with the message type and a copy of the payload as ``bytes``. An exception ends
            the read and is raised here; the message counts as read.
        limit : int
            The maximum number of messages to handle.

        Returns
        -------
        int
            The number of handled messages.

        Raises
        ------
        CorruptError
            The next record is invalid; ``skip_corrupt`` continues after it.

        Notes
        -----
        Only for the consumer.
        """
        return self.read_with(handler, limit, False)

    def controlled_read(self, handler: object, int limit=INT32_MAX) -> int:
        """Pass messages to a function whose result controls the read.

        Parameters
        ----------
        handler : callable
            As in ``read``; returns a ``ControlledReadAction``.
        limit : int
            The maximum number of messages to handle.

        Returns
        -------
        int
            The number of handled messages, without an aborted one.

        Raises
        ------
        CorruptError
            The next record is invalid; ``skip_corrupt`` continues after it.
        """
        return self.read_with(handler, limit, True)

    def skip_corrupt(self) -> int:
        """Drop everything claimed so far, after a ``CorruptError``.

        Returns
        -------
        int
            The number of dropped bytes.

        Notes
        -----
        Only for the consumer. A producer that is writing meanwhile may leave another invalid
        record.
        """
        self.check_open()
        return ring_skip_corrupt(&self.ring)

    cdef int check_status(self, int status, int32_t message_type, int32_t length) except -1:
        if status == RingStatus.RING_INVALID_TYPE:
            raise MessageError("message type", "1 or more", message_type)
        if status == RingStatus.RING_MESSAGE_TOO_LONG:
            raise MessageError(
                "message length", f"0 to {self.ring.max_message_length} bytes", length)
        if status == RingStatus.RING_CORRUPT:
            raise self.corrupt_tail(ring_producer_position(&self.ring))
        return 0

    cdef int check_claim(self, int status, int64_t offset) except -1:
        if status == RingStatus.RING_NOT_CLAIMED:
            raise MessageError("claim", "the offset of an open claim", offset)
        return 0

    cdef object corrupt_tail(self, int64_t tail):
        return CorruptError(
            "ring buffer", self.ring.capacity + 128, "tail position",
            f"a multiple of {RECORD_ALIGNMENT}", tail)

    cdef object corrupt_head(self, int64_t head):
        return CorruptError(
            "ring buffer", self.ring.capacity + 384, "head position",
            f"a multiple of {RECORD_ALIGNMENT}, at most the tail position", head)

    cdef int read_with(self, object function, int limit, bint controlled) except -1:
        self.check_open()
        cdef list call = [function, controlled, None]
        cdef void *context = <void *>call
        cdef bint shared = isinstance(self, ManyToOneRingBuffer)
        cdef int count
        cdef int64_t head
        with nogil:
            count = controlled_read_records(&self.ring, call_python, context, limit, shared)
        if call[2] is not None:
            raise call[2]
        if count == RingStatus.RING_CORRUPT:
            head = ring_consumer_position(&self.ring)
            if not is_aligned(head):
                raise self.corrupt_head(head)
            head &= self.ring.capacity - 1
            raise CorruptError(
                "ring buffer", head, "record length",
                f"{RECORD_HEADER_LENGTH} to {self.ring.capacity - head}",
                load_acquire_i32(&record_at(&self.ring, head).length))
        return count


@cython.final
cdef class ManyToOneRingBuffer(RingBuffer):
    """A queue of messages from any number of producers to one consumer.

    Parameters
    ----------
    buffer : writable buffer
        A power of two of at least 64 bytes, and 768 bytes of trailer, aligned to 8. It is retained
        as long as this object lives.

    Raises
    ------
    ConfigurationError
        The length or the alignment of the buffer is invalid.
    BufferError
        The buffer is read-only.
    """

    def unblock(self) -> bool:
        """Turn an unfinished record of a producer into padding.

        Returns
        -------
        bool
            Whether there was an unfinished record.

        Raises
        ------
        CorruptError
            There is no unfinished record.

        Notes
        -----
        Only for the consumer, after no progress for longer than a producer may take.
        """
        self.check_open()
        cdef int64_t head, tail
        cdef int unblocked = ring_unblock(&self.ring)
        if unblocked == RingStatus.RING_CORRUPT:
            head = ring_consumer_position(&self.ring)
            tail = ring_producer_position(&self.ring)
            if not is_aligned(tail):
                raise self.corrupt_tail(tail)
            if not is_aligned(head) or not 0 <= tail - head <= self.ring.capacity:
                raise self.corrupt_head(head)
            head &= self.ring.capacity - 1
            raise CorruptError(
                "ring buffer", head, "record length of an unfinished record",
                f"-{RECORD_HEADER_LENGTH} to -{self.ring.capacity - head}",
                load_acquire_i32(&record_at(&self.ring, head).length))
        return unblocked == 1


@cython.final
cdef class OneToOneRingBuffer(RingBuffer):
    """A queue of messages from one producer to one consumer.

    Parameters
    ----------
    buffer : writable buffer
        A power of two of at least 64 bytes, and 768 bytes of trailer, aligned to 8. It is retained
        as long as this object lives.

    Raises
    ------
    ConfigurationError
        The length or the alignment of the buffer is invalid.
    BufferError
        The buffer is read-only.
    """
