# cython: freethreading_compatible=True
"""The event log of a component: a file with a ring buffer of many producers.

``io.aeron.agent.EventConfiguration``, ``CommonEventEncoder`` and ``EventLogReaderAgent``.
"""

import struct

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memcpy, memset

from aeron_cluster.memory.shared.atomic cimport (
    add_release_i64,
    fence_acquire,
    fence_release,
    load_acquire_i32,
    load_acquire_i64,
    load_opaque_i32,
    store_release_i64,
)
from aeron_cluster.memory.shared.commands cimport (
    PADDING_MESSAGE_TYPE,
    RECORD_ALIGNMENT,
    RECORD_HEADER_LENGTH,
    RING_TRAILER_LENGTH,
    record_header,
)
from aeron_cluster.memory.shared.ring_buffer cimport (
    RingStatus,
    ring_commit,
    ring_consumer_position,
    ring_init,
    ring_producer_position,
    ring_try_claim,
)
from aeron_cluster.memory.system.seams cimport Clock, address, nano_time

from aeron_cluster.errors import CorruptError, VersionError

cdef enum:
    FILE_HEADER_LENGTH = 4096
    DROPPED_OFFSET = 64
    FREED_OFFSET = 128

MAGIC = b"AERONEVT"
VERSION = 1
# magic, version, component, capacity, start time in ns, start time in epoch ms, process
LAYOUT = struct.Struct("<8siiqqqq")
assert LAYOUT.size <= DROPPED_OFFSET


# ---- writing ----


cdef uint8_t *begin_event(event_log *log, int event, int32_t length) noexcept nogil:
    cdef int32_t captured = min(length, <int32_t>MAX_CAPTURE_LENGTH)
    cdef int64_t offset = ring_try_claim(
        &log.ring, event, EVENT_HEADER_LENGTH + captured)
    cdef uint8_t *record
    if offset < 0:
        add_release_i64(log.dropped, 1)
        return NULL
    record = log.ring.buffer + offset
    (<int32_t *>record)[0] = captured
    (<int32_t *>(record + 4))[0] = length
    (<int64_t *>(record + 8))[0] = nano_time(&log.clock)
    return record + EVENT_HEADER_LENGTH


cdef void end_event(event_log *log, const uint8_t *captured) noexcept nogil:
    ring_commit(&log.ring, captured - EVENT_HEADER_LENGTH - log.ring.buffer)


cdef void write_event(
        event_log *log, int event, const void *data, int32_t length) noexcept nogil:
    cdef uint8_t *captured = begin_event(log, event, length)
    if captured != NULL:
        memcpy(captured, data, min(length, <int32_t>MAX_CAPTURE_LENGTH))
        end_event(log, captured)


cdef inline int32_t address_length(const address *peer) noexcept nogil:
    return 4 if peer.family == 4 else 16 if peer.family == 6 else 0


cdef void write_frame_event(
        event_log *log, int event, const address *peer, const uint8_t *data, int32_t length
) noexcept nogil:
    cdef int32_t host_length = address_length(peer)
    cdef int32_t prefix_length = 8 + host_length
    cdef uint8_t *captured = begin_event(log, event, prefix_length + length)
    if captured == NULL:
        return
    (<int32_t *>captured)[0] = peer.port
    (<int32_t *>(captured + 4))[0] = host_length
    memcpy(captured + 8, peer.host, host_length)
    memcpy(
        captured + prefix_length, data,
        min(length, <int32_t>MAX_CAPTURE_LENGTH - prefix_length))
    end_event(log, captured)


cdef void write_source_event(
        const event_source *source, int event, const void *fields, int32_t fields_length
) noexcept nogil:
    cdef int32_t prefix_length = fields_length + 4
    cdef int32_t limit = MAX_CAPTURE_LENGTH - prefix_length
    cdef int32_t channel_length = min(source.channel_length, limit)
    cdef uint8_t *captured = begin_event(
        source.log, event, prefix_length + source.channel_length)
    if captured == NULL:
        return
    memcpy(captured, fields, fields_length)
    memcpy(captured + fields_length, &channel_length, 4)
    memcpy(captured + prefix_length, source.channel, channel_length)
    if channel_length < source.channel_length:
        memcpy(captured + prefix_length + channel_length - 3, "...", 3)
    end_event(source.log, captured)


cdef void write_resend(
        const event_source *source, int32_t term_id, int32_t term_offset, int32_t length
) noexcept nogil:
    cdef int32_t[5] fields
    fields[0] = source.session_id
    fields[1] = source.stream_id
    fields[2] = term_id
    fields[3] = term_offset
    fields[4] = length
    write_source_event(source, EVENT_RESEND, fields, sizeof(fields))


cdef void write_receiver(
        const event_source *source, int event, int64_t receiver_id, int32_t receiver_count
) noexcept nogil:
    cdef int32_t[5] fields
    fields[0] = receiver_count
    memcpy(&fields[1], &receiver_id, sizeof(receiver_id))
    fields[3] = source.session_id
    fields[4] = source.stream_id
    write_source_event(source, event, fields, sizeof(fields))


cdef void write_nak(
        const event_source *source, int event, const address *peer, const uint8_t *frame
) noexcept nogil:
    cdef uint8_t[8 + 16 + 20] fields
    cdef int32_t port = peer.port
    cdef int32_t host_length = address_length(peer)
    memcpy(fields, &port, 4)
    memcpy(fields + 4, &host_length, 4)
    memcpy(fields + 8, peer.host, host_length)
    # Session, stream, term, offset and length follow the frame's header.
    memcpy(fields + 8 + host_length, frame + 8, 20)
    write_source_event(source, event, fields, 8 + host_length + 20)


@cython.final
cdef class EventSource:
    """A stream or a channel whose agents record events.

    Parameters
    ----------
    log : EventLog or None
        None if no event is enabled.
    channel : str
    session_id, stream_id : int, optional
    """

    def __cinit__(
        self, EventLog log, str channel not None, int32_t session_id=0, int32_t stream_id=0
    ):
        self._log = log
        self._channel = channel.encode("ascii", "replace")
        self.c.log = NULL if log is None else &log.c
        self.c.channel = <const uint8_t *><const char *>self._channel
        self.c.channel_length = <int32_t>len(self._channel)
        self.c.session_id = session_id
        self.c.stream_id = stream_id


@cython.final
cdef class EventLog(BufferMemory):
    """The writing side of an event log.

    Parameters
    ----------
    memory : writable buffer
        A new file of `EventLog.file_length` bytes.
    clock : Clock
        The clock of the records' times.
    component : int
        The number of the component in message types.
    enabled : int
        The bits of the enabled codes.
    pid : int
        The process.

    Notes
    -----
    Any thread may write, and never waits: without space a record is dropped and counted.
    """

    @staticmethod
    def file_length(int64_t capacity) -> int:
        """Return the length of a file whose buffer has a capacity, in bytes."""
        return FILE_HEADER_LENGTH + capacity + RING_TRAILER_LENGTH

    def __init__(
        self,
        object memory not None,
        Clock clock not None,
        *,
        int component,
        uint64_t enabled,
        int64_t pid,
    ) -> None:
        self.hold(memory, PyBUF_SIMPLE | PyBUF_WRITABLE)
        cdef uint8_t *start = <uint8_t *>self.memory.buf
        cdef int64_t length = self.memory.len - FILE_HEADER_LENGTH
        if ring_init(&self.c.ring, start + FILE_HEADER_LENGTH, length) != RingStatus.RING_OK:
            raise ValueError(f"event log of {self.memory.len} bytes")
        self._clock = clock
        self.c.clock = clock.c
        self.c.enabled = enabled
        self.c.dropped = <int64_t *>(start + DROPPED_OFFSET)
        cdef bytes header = LAYOUT.pack(
            MAGIC, VERSION, component, self.c.ring.capacity, clock.nano_time(), clock.epoch_ms(),
            pid)
        # The magic number last: a reader that observes it also observes the other fields.
        memcpy(start + 8, <const char *>header + 8, len(header) - 8)
        store_release_i64(start, (<int64_t *><const char *>header)[0])
        self.is_open = True

    @property
    def dropped_count(self) -> int:
        """The number of records that were dropped."""
        return load_acquire_i64(self.c.dropped)

    def is_enabled(self, int event) -> bool:
        """Return whether an event is recorded."""
        return is_event_enabled(&self.c, event)

    def write(self, int event, object data not None, int32_t length=-1) -> None:
        """Write a record, whether or not the event is enabled.

        Parameters
        ----------
        event : int
        data : bytes-like
            The captured bytes; more than the limit are not written.
        length : int
            The length before something was left out; by default that of the data.
        """
        cdef Py_buffer view
        cdef uint8_t *captured
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
        try:
            captured = begin_event(&self.c, event, <int32_t>view.len)
            if captured != NULL:
                memcpy(captured, view.buf, min(view.len, <Py_ssize_t>MAX_CAPTURE_LENGTH))
                if length >= 0:
                    (<int32_t *>(captured - EVENT_HEADER_LENGTH + 4))[0] = length
                end_event(&self.c, captured)
        finally:
            PyBuffer_Release(&view)


# ---- reading ----


cdef inline int64_t align(int64_t length) noexcept nogil:
    return (length + (RECORD_ALIGNMENT - 1)) & ~<int64_t>(RECORD_ALIGNMENT - 1)


cdef inline record_header *record_at(ring_buffer *ring, int64_t position) noexcept nogil:
    return <record_header *>(ring.buffer + (position & (ring.capacity - 1)))


@cython.final
cdef class EventLogReader(BufferMemory):
    """Reads the records of an event log, from the oldest that was not overwritten.

    Parameters
    ----------
    memory : buffer
        The file.
    path : str
        Its path, for errors.
    is_consumer : bool
        Whether this is the consumer of the component's process, which releases records.

    Attributes
    ----------
    position : int
        The position of the next record, in bytes.
    lost_count : int
        The number of times that records were overwritten before they were read.

    Raises
    ------
    CorruptError
        The file is no event log.
    VersionError
        The version of its format is unknown.
    """

    def __init__(
        self, object memory not None, str path not None, *, bint is_consumer=False
    ) -> None:
        self.hold(memory, PyBUF_SIMPLE | (PyBUF_WRITABLE if is_consumer else 0))
        self.header = <uint8_t *>self.memory.buf
        self._is_consumer = is_consumer
        cdef int64_t length = self.memory.len
        if length < FILE_HEADER_LENGTH:
            raise CorruptError(path, 0, "length", f">= {FILE_HEADER_LENGTH}", length)
        load_acquire_i64(self.header)
        magic, version, _, capacity, *_ = LAYOUT.unpack(
            (<const char *>self.header)[:LAYOUT.size])
        if magic != MAGIC:
            raise CorruptError(path, 0, "magic number", MAGIC, magic)
        if version != VERSION:
            raise VersionError(path, 8, "version", VERSION, version)
        if EventLog.file_length(capacity) != length or ring_init(
                &self.ring, self.header + FILE_HEADER_LENGTH,
                length - FILE_HEADER_LENGTH) != RingStatus.RING_OK:
            raise CorruptError(path, 16, "capacity", "that of the file", capacity)
        self.position = ring_consumer_position(&self.ring)
        self.is_open = True

    @property
    def component(self) -> int:
        """The number of the component."""
        return self._field(2)

    @property
    def start_ns(self) -> int:
        """The time at which the component opened the log, by the clock of the records, in ns."""
        return self._field(4)

    @property
    def start_ms(self) -> int:
        """The same, in ms since 1970."""
        return self._field(5)

    @property
    def pid(self) -> int:
        """The process of the component."""
        return self._field(6)

    @property
    def dropped_count(self) -> int:
        """The number of records that were dropped because the buffer was full."""
        return load_acquire_i64(self.header + DROPPED_OFFSET)

    def _field(self, int index):
        return LAYOUT.unpack((<const char *>self.header)[:LAYOUT.size])[index]

    def poll(self, int limit) -> list[tuple[int, bytes]]:
        """Return the next records, at most a number: their message types and their bytes."""
        self.check_open()
        cdef list found = []
        cdef record_header *record
        cdef int64_t available
        cdef int32_t length, message_type
        while len(found) < limit:
            self._skip_overwritten()
            if self.position >= ring_producer_position(&self.ring):
                break
            # The record may be overwritten at any time, which is checked after the reads.
            available = self.ring.capacity - (self.position & (self.ring.capacity - 1))
            record = record_at(&self.ring, self.position)
            length = load_acquire_i32(&record.length)
            if length < RECORD_HEADER_LENGTH or align(length) > available:
                if self._is_intact():
                    break  # it is still being written
                continue
            message_type = load_opaque_i32(&record.type)
            data = PyBytes_FromStringAndSize(
                <const char *>(record + 1), length - RECORD_HEADER_LENGTH)
            if not self._is_intact():
                continue
            self.position += align(length)
            if message_type != PADDING_MESSAGE_TYPE:
                found.append((message_type, data))
        if self._is_consumer and self.position - ring_consumer_position(
                &self.ring) > self.ring.capacity >> 1:
            self._release()
        return found

    cdef bint _is_intact(self) noexcept:
        """Whether nothing from the position on was overwritten before the reads until now."""
        fence_acquire()  # pairs with the fence in _release
        return self.position >= load_acquire_i64(self.header + FREED_OFFSET)

    cdef void _skip_overwritten(self) noexcept:
        # The process may have ended between the two stores of _release.
        cdef int64_t oldest = max(
            ring_consumer_position(&self.ring), load_acquire_i64(self.header + FREED_OFFSET))
        if self.position < oldest:
            self.position = oldest
            self.lost_count += 1

    cdef void _release(self) noexcept:
        """Release the older half of what was read to the producers."""
        cdef int64_t capacity = self.ring.capacity
        cdef int64_t head = ring_consumer_position(&self.ring)
        cdef int64_t target = head + (self.position - head >> 1)
        cdef int64_t limit = head
        cdef int64_t index = head & (capacity - 1)
        cdef int64_t first
        while limit < target:
            limit += align(load_opaque_i32(&record_at(&self.ring, limit).length))
        store_release_i64(self.header + FREED_OFFSET, limit)
        fence_release()
        # Producers detect a free slot by its zero length.
        first = min(limit - head, capacity - index)
        memset(self.ring.buffer + index, 0, first)
        memset(self.ring.buffer, 0, limit - head - first)
        store_release_i64(&self.ring.trailer.head_position, limit)
