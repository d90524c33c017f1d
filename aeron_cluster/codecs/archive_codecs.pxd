# Generated from archive.xml and c_codecs.toml by tools/generate_codecs.py. Edit them, run it.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

from aeron_cluster.codecs.sbe cimport sbe_reader, sbe_writer


cdef extern from "aeron_cluster/codecs/archive.h" nogil:
    enum:
        SCHEMA_ID "AC_ARCHIVE_SCHEMA_ID"
        SCHEMA_VERSION "AC_ARCHIVE_SCHEMA_VERSION"

    enum:
        RECORDING_DESCRIPTOR_TEMPLATE_ID "AC_ARCHIVE_RECORDING_DESCRIPTOR_TEMPLATE_ID"
        RECORDING_DESCRIPTOR_BLOCK_LENGTH "AC_ARCHIVE_RECORDING_DESCRIPTOR_BLOCK_LENGTH"
        RECORDING_DESCRIPTOR_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_RECORDING_DESCRIPTOR_CONTROL_SESSION_ID_OFFSET"
        RECORDING_DESCRIPTOR_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_RECORDING_DESCRIPTOR_CORRELATION_ID_OFFSET"
        RECORDING_DESCRIPTOR_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_RECORDING_DESCRIPTOR_RECORDING_ID_OFFSET"
        RECORDING_DESCRIPTOR_START_TIMESTAMP_OFFSET \
            "AC_ARCHIVE_RECORDING_DESCRIPTOR_START_TIMESTAMP_OFFSET"
        RECORDING_DESCRIPTOR_STOP_TIMESTAMP_OFFSET \
            "AC_ARCHIVE_RECORDING_DESCRIPTOR_STOP_TIMESTAMP_OFFSET"
        RECORDING_DESCRIPTOR_START_POSITION_OFFSET \
            "AC_ARCHIVE_RECORDING_DESCRIPTOR_START_POSITION_OFFSET"
        RECORDING_DESCRIPTOR_STOP_POSITION_OFFSET \
            "AC_ARCHIVE_RECORDING_DESCRIPTOR_STOP_POSITION_OFFSET"
        RECORDING_DESCRIPTOR_INITIAL_TERM_ID_OFFSET \
            "AC_ARCHIVE_RECORDING_DESCRIPTOR_INITIAL_TERM_ID_OFFSET"
        RECORDING_DESCRIPTOR_SEGMENT_FILE_LENGTH_OFFSET \
            "AC_ARCHIVE_RECORDING_DESCRIPTOR_SEGMENT_FILE_LENGTH_OFFSET"
        RECORDING_DESCRIPTOR_TERM_BUFFER_LENGTH_OFFSET \
            "AC_ARCHIVE_RECORDING_DESCRIPTOR_TERM_BUFFER_LENGTH_OFFSET"
        RECORDING_DESCRIPTOR_MTU_LENGTH_OFFSET "AC_ARCHIVE_RECORDING_DESCRIPTOR_MTU_LENGTH_OFFSET"
        RECORDING_DESCRIPTOR_SESSION_ID_OFFSET "AC_ARCHIVE_RECORDING_DESCRIPTOR_SESSION_ID_OFFSET"
        RECORDING_DESCRIPTOR_STREAM_ID_OFFSET "AC_ARCHIVE_RECORDING_DESCRIPTOR_STREAM_ID_OFFSET"

    void recording_descriptor_put_control_session_id \
        "ac_archive_recording_descriptor_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    void recording_descriptor_put_correlation_id \
        "ac_archive_recording_descriptor_put_correlation_id"(uint8_t *body, int64_t value) noexcept
    int64_t recording_descriptor_recording_id "ac_archive_recording_descriptor_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_put_recording_id "ac_archive_recording_descriptor_put_recording_id"(
        uint8_t *body, int64_t value) noexcept
    void recording_descriptor_put_start_timestamp \
        "ac_archive_recording_descriptor_put_start_timestamp"(uint8_t *body, int64_t value) noexcept
    void recording_descriptor_put_stop_timestamp \
        "ac_archive_recording_descriptor_put_stop_timestamp"(uint8_t *body, int64_t value) noexcept
    void recording_descriptor_put_start_position \
        "ac_archive_recording_descriptor_put_start_position"(uint8_t *body, int64_t value) noexcept
    int64_t recording_descriptor_stop_position "ac_archive_recording_descriptor_stop_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_put_stop_position "ac_archive_recording_descriptor_put_stop_position"(
        uint8_t *body, int64_t value) noexcept
    void recording_descriptor_put_initial_term_id \
        "ac_archive_recording_descriptor_put_initial_term_id"(uint8_t *body, int32_t value) noexcept
    void recording_descriptor_put_segment_file_length \
        "ac_archive_recording_descriptor_put_segment_file_length"(
            uint8_t *body, int32_t value) noexcept
    void recording_descriptor_put_term_buffer_length \
        "ac_archive_recording_descriptor_put_term_buffer_length"(
            uint8_t *body, int32_t value) noexcept
    void recording_descriptor_put_mtu_length "ac_archive_recording_descriptor_put_mtu_length"(
        uint8_t *body, int32_t value) noexcept
    void recording_descriptor_put_session_id "ac_archive_recording_descriptor_put_session_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t recording_descriptor_stream_id "ac_archive_recording_descriptor_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_put_stream_id "ac_archive_recording_descriptor_put_stream_id"(
        uint8_t *body, int32_t value) noexcept
    int64_t recording_descriptor_read_stripped_channel \
        "ac_archive_recording_descriptor_read_stripped_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint recording_descriptor_write_stripped_channel \
        "ac_archive_recording_descriptor_write_stripped_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t recording_descriptor_read_original_channel \
        "ac_archive_recording_descriptor_read_original_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint recording_descriptor_write_original_channel \
        "ac_archive_recording_descriptor_write_original_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t recording_descriptor_read_source_identity \
        "ac_archive_recording_descriptor_read_source_identity"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint recording_descriptor_write_source_identity \
        "ac_archive_recording_descriptor_write_source_identity"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *recording_descriptor_begin "ac_archive_recording_descriptor_begin"(
        sbe_writer *writer) noexcept

    enum:
        PING_TEMPLATE_ID "AC_ARCHIVE_PING_TEMPLATE_ID"
        PING_BLOCK_LENGTH "AC_ARCHIVE_PING_BLOCK_LENGTH"
