# cython: freethreading_compatible=True
"""One transmitter, which never waits for its receivers.

Agrona's ``BroadcastTransmitter``, ``BroadcastReceiver`` and ``CopyBroadcastReceiver``.
"""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport INT32_MAX, uintptr_t
from libc.string cimport memcpy

from aeron_cluster.memory.shared.atomic cimport (
    fence_acquire,
    fence_release,
    load_acquire_i64,
    load_opaque_i32,
    load_opaque_i64,
    store_opaque_i32,
    store_opaque_i64,
    store_release_i64,
)
from aeron_cluster.memory.shared.commands cimport (
    BROADCAST_TRAILER_LENGTH,
    PADDING_MESSAGE_TYPE,
    RECORD_ALIGNMENT,
    RECORD_HEADER_LENGTH,
    record_header,
)

from aeron_cluster.errors import (
    ConfigurationError,
    CorruptError,
    LappedError,
    MessageError,
)

cdef int64_t MIN_CAPACITY = 64


cdef inline int64_t align(int64_t length) noexcept nogil:
    return (length + (RECORD_ALIGNMENT - 1)) & ~<int64_t>(RECORD_ALIGNMENT - 1)


cdef inline bint is_capacity(const void *memory, int64_t capacity) noexcept nogil:
    return (
        MIN_CAPACITY <= capacity <= INT32_MAX
        and (capacity & (capacity - 1)) == 0
        and (<uintptr_t>memory & (RECORD_ALIGNMENT - 1)) == 0
    )


# A receiver copies bytes that the transmitter may be overwriting, and checks that afterwards. This
# is only defined for words that both sides access atomically; records are aligned to 8 and own the
# bytes up to the next one, so complete words can be copied.


cdef inline void copy_in(uint8_t *record, const uint8_t *data, int32_t length) noexcept nogil:
    cdef int32_t whole = length & ~7
    cdef int32_t i = 0
    cdef int64_t word
    while i < whole:
        memcpy(&word, data + i, 8)
        store_opaque_i64(record + i, word)
        i += 8
    if i < length:
        word = 0
        memcpy(&word, data + i, length - i)
        store_opaque_i64(record + i, word)


cdef inline void copy_out(uint8_t *data, const uint8_t *record, int32_t length) noexcept nogil:
    cdef int32_t whole = length & ~7
    cdef int32_t i = 0
    cdef int64_t word
    while i < whole:
        word = load_opaque_i64(record + i)
        memcpy(data + i, &word, 8)
        i += 8
    if i < length:
        word = load_opaque_i64(record + i)
        memcpy(data + i, &word, length - i)


# ---- transmitting ----


cdef int broadcast_transmitter_init(
        broadcast_transmitter *transmitter, void *memory, int64_t length) noexcept nogil:
    cdef int64_t capacity = length - BROADCAST_TRAILER_LENGTH
    if not is_capacity(memory, capacity):
        return BroadcastStatus.BROADCAST_INVALID_CAPACITY
    transmitter.buffer = <uint8_t *>memory
    transmitter.trailer = <broadcast_trailer *>(transmitter.buffer + capacity)
    transmitter.capacity = capacity
    transmitter.max_message_length = <int32_t>(capacity >> 3)
    return BroadcastStatus.BROADCAST_OK


cdef inline void announce(broadcast_trailer *trailer, int64_t position) noexcept nogil:
    """Publish the range of bytes before overwriting it."""
    store_release_i64(&trailer.tail_intent, position)
    fence_release()  # pairs with the acquire fence in is_intact


cdef inline void put_header(
        uint8_t *buffer, int64_t index, int32_t length, int32_t message_type) noexcept nogil:
    cdef record_header *record = <record_header *>(buffer + index)
    store_opaque_i32(&record.length, length)
    store_opaque_i32(&record.type, message_type)


cdef int broadcast_transmit(
        broadcast_transmitter *transmitter, int32_t message_type, const void *data,
        int32_t length) noexcept nogil:
    cdef broadcast_trailer *trailer = transmitter.trailer
    cdef int64_t tail = load_opaque_i64(&trailer.tail)
    cdef int64_t index = tail & (transmitter.capacity - 1)
    cdef int64_t to_end = transmitter.capacity - index
    cdef int64_t record_length = RECORD_HEADER_LENGTH + <int64_t>length
    cdef int64_t aligned = align(record_length)
    if message_type < 1:
        return BroadcastStatus.BROADCAST_INVALID_TYPE
    if length < 0 or length > transmitter.max_message_length:
        return BroadcastStatus.BROADCAST_MESSAGE_TOO_LONG
    if tail & (RECORD_ALIGNMENT - 1):
        return BroadcastStatus.BROADCAST_CORRUPT
    if to_end < aligned:
        announce(trailer, tail + to_end + aligned)
        put_header(transmitter.buffer, index, <int32_t>to_end, PADDING_MESSAGE_TYPE)
        tail += to_end
        index = 0
    else:
        announce(trailer, tail + aligned)
    put_header(transmitter.buffer, index, <int32_t>record_length, message_type)
    copy_in(transmitter.buffer + index + RECORD_HEADER_LENGTH, <const uint8_t *>data, length)
    store_release_i64(&trailer.latest, tail)
    store_release_i64(&trailer.tail, tail + aligned)  # pairs with the acquire in broadcast_receive
    return BroadcastStatus.BROADCAST_OK


# ---- receiving ----


cdef int broadcast_receiver_init(
        broadcast_receiver *receiver, const void *memory, int64_t length) noexcept nogil:
    cdef int64_t capacity = length - BROADCAST_TRAILER_LENGTH
    if not is_capacity(memory, capacity):
        return BroadcastStatus.BROADCAST_INVALID_CAPACITY
    receiver.buffer = <const uint8_t *>memory
    receiver.trailer = <const broadcast_trailer *>(receiver.buffer + capacity)
    receiver.capacity = capacity
    receiver.next_position = load_acquire_i64(&receiver.trailer.latest)
    receiver.lapped_count = 0
    receiver.required_length = 0
    return BroadcastStatus.BROADCAST_OK


cdef inline bint is_intact(const broadcast_receiver *receiver, int64_t position) noexcept nogil:
    """Whether nothing from a position on was overwritten while it was read."""
    fence_acquire()  # the reads stay before the check of the intent
    return position + receiver.capacity >= load_opaque_i64(&receiver.trailer.tail_intent)


cdef inline int32_t lapped(broadcast_receiver *receiver) noexcept nogil:
    receiver.lapped_count += 1
    receiver.next_position = load_acquire_i64(&receiver.trailer.latest)
    return BroadcastStatus.BROADCAST_LAPPED


cdef inline int32_t status_if_intact(
        broadcast_receiver *receiver, int64_t cursor, int32_t status) noexcept nogil:
    """Return the status, unless its record was overwritten meanwhile."""
    return status if is_intact(receiver, cursor) else lapped(receiver)


cdef int32_t broadcast_receive(
        broadcast_receiver *receiver, int32_t *message_type, uint8_t *scratch,
        int32_t scratch_capacity) noexcept nogil:
    cdef int64_t mask = receiver.capacity - 1
    cdef int64_t cursor = receiver.next_position
    cdef int64_t position = cursor
    cdef int64_t index = 0
    cdef int32_t length = 0
    cdef int32_t type_ = PADDING_MESSAGE_TYPE
    cdef int records = 0
    cdef const record_header *record
    if load_acquire_i64(&receiver.trailer.tail) <= cursor:
        return BroadcastStatus.BROADCAST_NOTHING
    if not is_intact(receiver, cursor):
        return lapped(receiver)
    if cursor & (RECORD_ALIGNMENT - 1):
        return BroadcastStatus.BROADCAST_CORRUPT
    # Padding extends to the physical end, and a message follows it.
    while type_ == PADDING_MESSAGE_TYPE and records < 2:
        records += 1
        index = position & mask
        record = <const record_header *>(receiver.buffer + index)
        length = load_opaque_i32(&record.length)
        type_ = load_opaque_i32(&record.type)
        if length < RECORD_HEADER_LENGTH or align(length) > receiver.capacity - index:
            type_ = 0
            break
        position += align(length)
    if type_ < 1:
        # Overwritten meanwhile by the transmitter, or damaged.
        return status_if_intact(receiver, cursor, BroadcastStatus.BROADCAST_CORRUPT)
    length -= RECORD_HEADER_LENGTH
    if length > scratch_capacity:
        receiver.required_length = length
        return status_if_intact(receiver, cursor, BroadcastStatus.BROADCAST_SCRATCH_TOO_SMALL)
    copy_out(scratch, receiver.buffer + index + RECORD_HEADER_LENGTH, length)
    if not is_intact(receiver, cursor):
        return lapped(receiver)
    receiver.next_position = position
    message_type[0] = type_
    return length


# ---- for Python ----


@cython.final
cdef class BroadcastTransmitter(BufferMemory):
    """Send messages to all receivers, without waiting for any of them.

    Parameters
    ----------
    buffer : writable buffer
        A power of two of at least 64 bytes, and 128 bytes of trailer, aligned to 8. It is retained
        while this object exists.

    Raises
    ------
    ConfigurationError
        The length or the alignment of the buffer is invalid.
    BufferError
        The buffer is read-only.
    """

    def __init__(self, object buffer not None) -> None:
        self.hold(buffer, PyBUF_SIMPLE | PyBUF_WRITABLE)
        cdef int status = broadcast_transmitter_init(
            &self.transmitter, self.memory.buf, self.memory.len)
        if status != BroadcastStatus.BROADCAST_OK:
            raise invalid_capacity(self.memory.len)
        self.is_open = True

    @property
    def capacity(self) -> int:
        """Bytes for records, without the trailer."""
        return self.transmitter.capacity

    @property
    def max_message_length(self) -> int:
        """Bytes of the longest payload: an eighth of the capacity."""
        return self.transmitter.max_message_length

    def transmit(self, int32_t message_type, object data not None) -> None:
        """Send a message.

        Parameters
        ----------
        message_type : int
            The type, from 1.
        data : bytes-like
            The payload.

        Raises
        ------
        MessageError
            The type is below 1 or the payload longer than ``max_message_length``.
        CorruptError
            The tail position is not a record boundary.

        Notes
        -----
        For one thread.
        """
        self.check_open()
        cdef Py_buffer source
        cdef int32_t length
        cdef int status
        PyObject_GetBuffer(data, &source, PyBUF_SIMPLE)
        length = <int32_t>min(source.len, <Py_ssize_t>INT32_MAX)
        with nogil:
            status = broadcast_transmit(&self.transmitter, message_type, source.buf, length)
        PyBuffer_Release(&source)
        if status == BroadcastStatus.BROADCAST_INVALID_TYPE:
            raise MessageError("message type", "1 or more", message_type)
        if status == BroadcastStatus.BROADCAST_MESSAGE_TOO_LONG:
            raise MessageError(
                "message length", f"0 to {self.transmitter.max_message_length} bytes", length)
        if status == BroadcastStatus.BROADCAST_CORRUPT:
            raise CorruptError(
                "broadcast buffer", self.transmitter.capacity + 8, "tail position",
                f"a multiple of {RECORD_ALIGNMENT}",
                load_opaque_i64(&self.transmitter.trailer.tail))


@cython.final
cdef class BroadcastReceiver(BufferMemory):
    """Receive a transmitter's messages, without loss while the receiver lags less than the buffer.

    Parameters
    ----------
    buffer : buffer
        The transmitter's buffer. It is retained while this object exists.

    Raises
    ------
    ConfigurationError
        The length or the alignment of the buffer is invalid.

    Notes
    -----
    The first received message is the newest earlier one, if any.
    """

    def __init__(self, object buffer not None) -> None:
        self.hold(buffer, PyBUF_SIMPLE)
        cdef int status = broadcast_receiver_init(
            &self.receiver, self.memory.buf, self.memory.len)
        if status != BroadcastStatus.BROADCAST_OK:
            raise invalid_capacity(self.memory.len)
        self.scratch_capacity = <int32_t>(self.receiver.capacity >> 3)
        self.scratch = <uint8_t *>PyMem_Malloc(self.scratch_capacity)
        if self.scratch == NULL:
            raise MemoryError
        self.is_open = True

    def __dealloc__(self) -> None:
        PyMem_Free(self.scratch)

    @property
    def capacity(self) -> int:
        """Bytes for records, without the trailer."""
        return self.receiver.capacity

    @property
    def lapped_count(self) -> int:
        """The number of times that messages were lost."""
        return self.receiver.lapped_count

    def receive(self) -> tuple[int, bytes] | None:
        """Return the next message.

        Returns
        -------
        tuple of int and bytes, or None
            The message type and the payload; None if there is no new message.

        Raises
        ------
        LappedError
            Messages were lost; the next call continues with the newest.
        CorruptError
            The content of the buffer is not a record.

        Notes
        -----
        For one thread.
        """
        self.check_open()
        cdef int32_t message_type = 0
        cdef int32_t length
        cdef int64_t cursor = self.receiver.next_position
        with nogil:
            length = broadcast_receive(
                &self.receiver, &message_type, self.scratch, self.scratch_capacity)
        if length >= 0:
            return message_type, (<const char *>self.scratch)[:length]
        if length == BroadcastStatus.BROADCAST_NOTHING:
            return None
        if length == BroadcastStatus.BROADCAST_LAPPED:
            raise LappedError(
                f"broadcast buffer at {cursor}: expected it to be intact for "
                f"{self.receiver.capacity} bytes, found it overwritten: too slow to keep up")
        raise CorruptError(
            "broadcast buffer", cursor & (self.receiver.capacity - 1), "record length",
            f"{RECORD_HEADER_LENGTH} to {self.scratch_capacity + RECORD_HEADER_LENGTH}",
            load_opaque_i32(
                self.receiver.buffer + (cursor & (self.receiver.capacity - RECORD_ALIGNMENT))))


cdef object invalid_capacity(Py_ssize_t length):
    return ConfigurationError(
        "broadcast buffer length",
        f"a power of two from {MIN_CAPACITY}, and {BROADCAST_TRAILER_LENGTH}, aligned to 8",
        length,
    )
