"""Loops over one hot function each, without the GIL, on a populated structure.

The instruction counts (``counts.py``) and the codec ratio (``benchmarks.ratio``) run the same ones.
Each does `count` operations on its arena and returns something that depends on all of them, so
that no compiler leaves any out.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport strlen

from aeron_cluster.codecs.archive_codecs cimport (
    recording_descriptor_begin,
    recording_descriptor_put_control_session_id,
    recording_descriptor_put_correlation_id,
    recording_descriptor_put_initial_term_id,
    recording_descriptor_put_mtu_length,
    recording_descriptor_put_recording_id,
    recording_descriptor_put_segment_file_length,
    recording_descriptor_put_session_id,
    recording_descriptor_put_start_position,
    recording_descriptor_put_start_timestamp,
    recording_descriptor_put_stop_position,
    recording_descriptor_put_stop_timestamp,
    recording_descriptor_put_stream_id,
    recording_descriptor_put_term_buffer_length,
    recording_descriptor_read_original_channel,
    recording_descriptor_read_source_identity,
    recording_descriptor_read_stripped_channel,
    recording_descriptor_recording_id,
    recording_descriptor_stop_position,
    recording_descriptor_stream_id,
    recording_descriptor_write_original_channel,
    recording_descriptor_write_source_identity,
    recording_descriptor_write_stripped_channel,
)
from aeron_cluster.codecs.cluster_codecs cimport (
    SESSION_MESSAGE_HEADER_TEMPLATE_ID,
    session_message_header_begin,
    session_message_header_cluster_session_id,
    session_message_header_leadership_term_id,
    session_message_header_put_cluster_session_id,
    session_message_header_put_leadership_term_id,
    session_message_header_put_timestamp,
    session_message_header_timestamp,
)
from aeron_cluster.codecs.sbe cimport (
    sbe_message,
    sbe_reader,
    sbe_reader_after,
    sbe_wrap,
    sbe_writer,
)
from aeron_cluster.memory.broadcast cimport (
    broadcast_receive,
    broadcast_receiver,
    broadcast_receiver_init,
    broadcast_transmit,
    broadcast_transmitter,
    broadcast_transmitter_init,
)
from aeron_cluster.memory.ring_buffer cimport (
    one_to_one_read,
    one_to_one_write,
    ring_buffer,
    ring_init,
    ring_read,
    ring_write,
)
from aeron_cluster.memory.seams cimport SystemClock, nano_time

cdef enum:
    ARENA_LENGTH = 1 << 20
    RING_LENGTH = (1 << 16) + 768
    BROADCAST_LENGTH = (1 << 16) + 128
    MESSAGE_LENGTH = 64

ctypedef int64_t (*loop)(uint8_t *arena, int64_t count) noexcept nogil


cdef int64_t bench_session_message_header(uint8_t *arena, int64_t count) noexcept nogil:
    """Write one header of a session message, read another: each message of a cluster pays it."""
    cdef int64_t i, seen = 0
    cdef sbe_writer writer
    cdef sbe_message message
    cdef uint8_t *body
    for i in range(count):
        writer.at = arena + (i & 63) * 32
        writer.limit = writer.at + 32
        body = session_message_header_begin(&writer)
        if body == NULL:
            return -1
        session_message_header_put_leadership_term_id(body, i)
        session_message_header_put_cluster_session_id(body, i + 1)
        session_message_header_put_timestamp(body, i + 2)
        if not sbe_wrap(&message, arena + ((i + 32) & 63) * 32, 32):
            continue
        if message.template_id == SESSION_MESSAGE_HEADER_TEMPLATE_ID:
            seen += (
                session_message_header_leadership_term_id(
                    message.body, message.block_length, message.version)
                + session_message_header_cluster_session_id(
                    message.body, message.block_length, message.version)
                + session_message_header_timestamp(
                    message.body, message.block_length, message.version)
            )
    return seen


cdef int64_t bench_recording_descriptor(uint8_t *arena, int64_t count) noexcept nogil:
    """Write and read the archive's longest common message, with its three texts in place."""
    cdef int64_t i, seen = 0
    cdef const char *stripped = b"aeron:udp?endpoint=localhost:20121"
    cdef const char *original = b"aeron:udp?endpoint=localhost:20121|term-length=64m"
    cdef const char *source = b"127.0.0.1:40123"
    cdef sbe_writer writer
    cdef sbe_reader reader
    cdef sbe_message message
    cdef const uint8_t *text = NULL
    cdef uint8_t *body
    for i in range(count):
        writer.at = arena + (i & 7) * 1024
        writer.limit = writer.at + 1024
        body = recording_descriptor_begin(&writer)
        if body == NULL:
            return -1
        recording_descriptor_put_control_session_id(body, 1)
        recording_descriptor_put_correlation_id(body, i)
        recording_descriptor_put_recording_id(body, i)
        recording_descriptor_put_start_timestamp(body, 1)
        recording_descriptor_put_stop_timestamp(body, 2)
        recording_descriptor_put_start_position(body, 0)
        recording_descriptor_put_stop_position(body, i)
        recording_descriptor_put_initial_term_id(body, 3)
        recording_descriptor_put_segment_file_length(body, 1 << 27)
        recording_descriptor_put_term_buffer_length(body, 1 << 26)
        recording_descriptor_put_mtu_length(body, 1408)
        recording_descriptor_put_session_id(body, 7)
        recording_descriptor_put_stream_id(body, 8)
        recording_descriptor_write_stripped_channel(&writer, stripped, <int32_t>strlen(stripped))
        recording_descriptor_write_original_channel(&writer, original, <int32_t>strlen(original))
        recording_descriptor_write_source_identity(&writer, source, <int32_t>strlen(source))

        if not sbe_wrap(&message, arena + (i & 7) * 1024, 1024):
            continue
        reader = sbe_reader_after(&message)
        seen += (
            recording_descriptor_recording_id(message.body, message.block_length, message.version)
            + recording_descriptor_stop_position(
                message.body, message.block_length, message.version)
            + recording_descriptor_stream_id(message.body, message.block_length, message.version)
        )
        seen += recording_descriptor_read_stripped_channel(&reader, message.version, &text)
        seen += recording_descriptor_read_original_channel(&reader, message.version, &text)
        seen += recording_descriptor_read_source_identity(&reader, message.version, &text)
    return seen


cdef void on_message(
        int32_t message_type, const uint8_t *data, int32_t length, void *context) noexcept nogil:
    (<int64_t *>context)[0] += length + data[0] + message_type


cdef int64_t bench_many_to_one_ring(uint8_t *arena, int64_t count) noexcept nogil:
    """Write 64 bytes to the command ring and read them: each request of a client to its driver."""
    cdef ring_buffer ring
    cdef uint8_t message[MESSAGE_LENGTH]
    cdef int64_t i, seen = 0
    ring_init(&ring, arena, RING_LENGTH)
    for i in range(count):
        message[0] = <uint8_t>i
        ring_write(&ring, 7, message, MESSAGE_LENGTH)
        ring_read(&ring, on_message, &seen, 1)
    return seen


cdef int64_t bench_one_to_one_ring(uint8_t *arena, int64_t count) noexcept nogil:
    """Write 64 bytes to a ring of one producer and read them: commands between two agents."""
    cdef ring_buffer ring
    cdef uint8_t message[MESSAGE_LENGTH]
    cdef int64_t i, seen = 0
    ring_init(&ring, arena, RING_LENGTH)
    for i in range(count):
        message[0] = <uint8_t>i
        one_to_one_write(&ring, 7, message, MESSAGE_LENGTH)
        one_to_one_read(&ring, on_message, &seen, 1)
    return seen


cdef int64_t bench_broadcast(uint8_t *arena, int64_t count) noexcept nogil:
    """Transmit 64 bytes and receive them: each answer of a driver to its clients."""
    cdef broadcast_transmitter transmitter
    cdef broadcast_receiver receiver
    cdef uint8_t message[MESSAGE_LENGTH]
    cdef uint8_t scratch[MESSAGE_LENGTH]
    cdef int32_t message_type = 0
    cdef int64_t i, seen = 0
    broadcast_transmitter_init(&transmitter, arena, BROADCAST_LENGTH)
    broadcast_receiver_init(&receiver, arena, BROADCAST_LENGTH)
    for i in range(count):
        message[0] = <uint8_t>i
        broadcast_transmit(&transmitter, 7, message, MESSAGE_LENGTH)
        seen += broadcast_receive(&receiver, &message_type, scratch, MESSAGE_LENGTH)
    return seen


cdef struct named_loop:
    const char *name
    loop run


cdef named_loop[5] LOOPS
LOOPS[0] = named_loop(b"session_message_header", bench_session_message_header)
LOOPS[1] = named_loop(b"recording_descriptor", bench_recording_descriptor)
LOOPS[2] = named_loop(b"many_to_one_ring", bench_many_to_one_ring)
LOOPS[3] = named_loop(b"one_to_one_ring", bench_one_to_one_ring)
LOOPS[4] = named_loop(b"broadcast", bench_broadcast)

NAMES = tuple((<bytes>LOOPS[index].name).decode() for index in range(5))


def run(str name not None, int64_t count):
    """Do `count` operations; return the nanoseconds they took."""
    cdef loop operation = LOOPS[NAMES.index(name)].run
    cdef SystemClock clock = SystemClock()
    cdef int64_t began, elapsed
    cdef uint8_t *arena = <uint8_t *>calloc(1, ARENA_LENGTH)
    if arena is NULL:
        raise MemoryError
    try:
        with nogil:
            began = nano_time(&clock.c)
            operation(arena, count)
            elapsed = nano_time(&clock.c) - began
    finally:
        free(arena)
    return elapsed
