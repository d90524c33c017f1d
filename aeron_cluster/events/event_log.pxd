"""The event log of a component: a file with a ring buffer of many producers.

Agrona's ``ManyToOneRingBuffer`` as ``io.aeron.agent.EventConfiguration`` has one, here in a file::

    0     header: magic, version, component, lengths, process, times (see event_log.pyx)
    64    number of records that were dropped because the buffer was full
    128   position below which records may be overwritten
    4096  ring buffer: capacity, and its trailer

A record is upstream's: captured length i32, length i32, time in ns i64, then the captured bytes.
Its message type is the component's number << 16, and the event's code.

Producers never wait. One consumer, in the same process, reads the records and releases them only
when half of the buffer is used, so that other processes can read the recent ones too.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from aeron_cluster.memory.shared.buffer_memory cimport BufferMemory
from aeron_cluster.memory.shared.ring_buffer cimport many_to_one_ring, ring_buffer
from aeron_cluster.memory.system.seams cimport Clock, address, clock


# The events that agents record without the GIL, as in codes.py.
cdef enum:
    EVENT_FRAME_IN = 1
    EVENT_FRAME_OUT = 2
    EVENT_FLOW_CONTROL_RECEIVER_ADDED = 48
    EVENT_FLOW_CONTROL_RECEIVER_REMOVED = 49
    EVENT_NAK_SENT = 54
    EVENT_RESEND = 55
    EVENT_NAK_RECEIVED = 58
    EVENT_APPEND_POSITION = 0x2000B
    EVENT_COMMIT_POSITION = 0x2000C

cdef enum:
    EVENT_HEADER_LENGTH = 16
    MAX_CAPTURE_LENGTH = 4079  # upstream's: a line of text without its end, and the header


cdef struct event_log:
    many_to_one_ring ring
    clock clock
    uint64_t enabled  # a bit per event code
    int64_t *dropped


# What events of a stream's agent need: the log (NULL: off) and the stream.
cdef struct event_source:
    event_log *log
    const uint8_t *channel
    int32_t channel_length
    int32_t session_id
    int32_t stream_id


cdef inline bint is_event_enabled(const event_log *log, int event) noexcept nogil:
    return log != NULL and (log.enabled >> (event & 63)) & 1


# Begin a record of an enabled event; returns where its captured bytes are written, or NULL if it
# was dropped. The captured length is limited by the length and MAX_CAPTURE_LENGTH.
cdef uint8_t *begin_event(event_log *log, int event, int32_t length) noexcept nogil
cdef void end_event(event_log *log, const uint8_t *captured) noexcept nogil

# A whole record of an enabled event.
cdef void write_event(
    event_log *log, int event, const void *data, int32_t length) noexcept nogil
# The same with a socket address before the data, such as a frame.
cdef void write_frame_event(
    event_log *log, int event, const address *peer, const uint8_t *data, int32_t length
) noexcept nogil


# Fields, and the channel of a source after them.
cdef void write_source_event(
    const event_source *source, int event, const void *fields, int32_t fields_length
) noexcept nogil


# If the log is off, these only check that.
cdef inline void log_resend(
        const event_source *source, int32_t term_id, int32_t term_offset, int32_t length
) noexcept nogil:
    if is_event_enabled(source.log, EVENT_RESEND):
        write_resend(source, term_id, term_offset, length)


cdef inline void log_receiver(
        const event_source *source, int event, int64_t receiver_id, int32_t receiver_count
) noexcept nogil:
    if is_event_enabled(source.log, event):
        write_receiver(source, event, receiver_id, receiver_count)


cdef void write_resend(
    const event_source *source, int32_t term_id, int32_t term_offset, int32_t length
) noexcept nogil
cdef void write_receiver(
    const event_source *source, int event, int64_t receiver_id, int32_t receiver_count
) noexcept nogil

# A NAK frame of a peer, with the channel of a source.
cdef void write_nak(
    const event_source *source, int event, const address *peer, const uint8_t *frame
) noexcept nogil


@cython.final
cdef class EventSource:
    cdef event_source c
    cdef EventLog _log  # the struct points into it
    cdef bytes _channel  # the same


@cython.final
cdef class EventLog(BufferMemory):
    cdef event_log c
    cdef Clock _clock  # the struct points into it


@cython.final
cdef class EventLogReader(BufferMemory):
    cdef ring_buffer ring
    cdef uint8_t *header
    cdef readonly int64_t position
    cdef readonly int64_t lost_count
    cdef bint _is_consumer

    cdef bint _is_intact(self) noexcept
    cdef void _skip_overwritten(self) noexcept
    cdef void _release(self) noexcept
