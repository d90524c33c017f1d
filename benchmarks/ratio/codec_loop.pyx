"""Encode and decode two messages in place, as ``tests/interop/java/Codec.java`` does."""

from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memset
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from aeron_cluster.codecs.archive_codecs cimport (
    RECORDING_DESCRIPTOR_TEMPLATE_ID,
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


cdef int64_t now_ns() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec * 1_000_000_000 + now.tv_nsec


cdef int64_t session_headers(uint8_t *buffer, int64_t count) noexcept nogil:
    cdef int64_t i
    cdef int64_t total = 0
    cdef uint8_t *at
    cdef uint8_t *body
    cdef sbe_writer writer
    cdef sbe_message message
    for i in range(count):
        at = buffer + (i & 63) * 32
        writer.at = at
        writer.limit = at + 32
        body = session_message_header_begin(&writer)
        if body == NULL:
            return -1
        session_message_header_put_leadership_term_id(body, i)
        session_message_header_put_cluster_session_id(body, i + 1)
        session_message_header_put_timestamp(body, i + 2)
        if not sbe_wrap(&message, buffer + ((i + 32) & 63) * 32, 32):
            return -1
        if message.template_id == SESSION_MESSAGE_HEADER_TEMPLATE_ID:
            total += session_message_header_leadership_term_id(
                message.body, message.block_length, message.version)
            total += session_message_header_cluster_session_id(
                message.body, message.block_length, message.version)
            total += session_message_header_timestamp(
                message.body, message.block_length, message.version)
    return total


cdef int64_t text_value(const uint8_t *text, int64_t length) noexcept nogil:
    # Both ends are looked at, so that the text must be there.
    return length + text[0] + text[length - 1]


cdef struct texts:
    const char *stripped
    const char *original
    const char *source
    uint32_t stripped_length
    uint32_t original_length
    uint32_t source_length


cdef int64_t descriptors(uint8_t *buffer, int64_t count, const texts *text_of) noexcept nogil:
    cdef int64_t i
    cdef int64_t length
    cdef int64_t total = 0
    cdef uint8_t *at
    cdef uint8_t *body
    cdef const uint8_t *text
    cdef sbe_writer writer
    cdef sbe_reader reader
    cdef sbe_message message
    for i in range(count):
        at = buffer + (i & 7) * 1024
        writer.at = at
        writer.limit = at + 1024
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
        if not (recording_descriptor_write_stripped_channel(
                    &writer, text_of.stripped, text_of.stripped_length)
                and recording_descriptor_write_original_channel(
                    &writer, text_of.original, text_of.original_length)
                and recording_descriptor_write_source_identity(
                    &writer, text_of.source, text_of.source_length)):
            return -1
        if not sbe_wrap(&message, at, 1024):
            return -1
        if message.template_id != RECORDING_DESCRIPTOR_TEMPLATE_ID:
            continue
        total += recording_descriptor_recording_id(
            message.body, message.block_length, message.version)
        total += recording_descriptor_stop_position(
            message.body, message.block_length, message.version)
        total += recording_descriptor_stream_id(
            message.body, message.block_length, message.version)
        reader = sbe_reader_after(&message)
        length = recording_descriptor_read_stripped_channel(&reader, message.version, &text)
        if length <= 0:
            return -1
        total += text_value(text, length)
        length = recording_descriptor_read_original_channel(&reader, message.version, &text)
        if length <= 0:
            return -1
        total += text_value(text, length)
        length = recording_descriptor_read_source_identity(&reader, message.version, &text)
        if length <= 0:
            return -1
        total += text_value(text, length)
    return total


def session_message_header_ns(int64_t count):
    """Return the nanoseconds of one encode and decode, and a sum over what was read."""
    cdef uint8_t[4096] buffer
    memset(buffer, 0, sizeof(buffer))
    cdef int64_t begin
    cdef int64_t end
    cdef int64_t total
    with nogil:
        begin = now_ns()
        total = session_headers(buffer, count)
        end = now_ns()
    return (end - begin) / <double>count, total


def recording_descriptor_ns(int64_t count):
    """Return the nanoseconds of one encode and decode, and a sum over what was read.

    The texts are read where they lie; Java makes a ``String`` of each.
    """
    stripped = bytes("aeron:udp?endpoint=localhost:20121", "ascii")
    original = stripped + b"|term-length=64m"
    source = bytes("127.0.0.1:40123", "ascii")
    cdef texts text_of = texts(
        stripped, original, source, len(stripped), len(original), len(source))
    cdef uint8_t[8192] buffer
    memset(buffer, 0, sizeof(buffer))
    cdef int64_t begin
    cdef int64_t end
    cdef int64_t total
    with nogil:
        begin = now_ns()
        total = descriptors(buffer, count, &text_of)
        end = now_ns()
    return (end - begin) / <double>count, total
