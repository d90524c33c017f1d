# Generated from schemas/archive_mark.xml by tools/generate_codecs.py. Edit it, run the tool.
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t

from aeron_cluster.codecs.sbe cimport sbe_group, sbe_reader, sbe_writer


cdef extern from "aeron_cluster/codecs/archive_mark.h" nogil:
    enum:
        SCHEMA_ID "AC_ARCHIVE_MARK_SCHEMA_ID"
        SCHEMA_VERSION "AC_ARCHIVE_MARK_SCHEMA_VERSION"
        HEADER_LENGTH "AC_ARCHIVE_MARK_HEADER_LENGTH"

    enum:
        MARK_FILE_HEADER_TEMPLATE_ID "AC_ARCHIVE_MARK_MARK_FILE_HEADER_TEMPLATE_ID"
        MARK_FILE_HEADER_BLOCK_LENGTH "AC_ARCHIVE_MARK_MARK_FILE_HEADER_BLOCK_LENGTH"
        MARK_FILE_HEADER_VERSION_OFFSET "AC_ARCHIVE_MARK_MARK_FILE_HEADER_VERSION_OFFSET"
        MARK_FILE_HEADER_ACTIVITY_TIMESTAMP_OFFSET \
            "AC_ARCHIVE_MARK_MARK_FILE_HEADER_ACTIVITY_TIMESTAMP_OFFSET"
        MARK_FILE_HEADER_START_TIMESTAMP_OFFSET \
            "AC_ARCHIVE_MARK_MARK_FILE_HEADER_START_TIMESTAMP_OFFSET"
        MARK_FILE_HEADER_PID_OFFSET "AC_ARCHIVE_MARK_MARK_FILE_HEADER_PID_OFFSET"
        MARK_FILE_HEADER_CONTROL_STREAM_ID_OFFSET \
            "AC_ARCHIVE_MARK_MARK_FILE_HEADER_CONTROL_STREAM_ID_OFFSET"
        MARK_FILE_HEADER_LOCAL_CONTROL_STREAM_ID_OFFSET \
            "AC_ARCHIVE_MARK_MARK_FILE_HEADER_LOCAL_CONTROL_STREAM_ID_OFFSET"
        MARK_FILE_HEADER_EVENTS_STREAM_ID_OFFSET \
            "AC_ARCHIVE_MARK_MARK_FILE_HEADER_EVENTS_STREAM_ID_OFFSET"
        MARK_FILE_HEADER_HEADER_LENGTH_OFFSET \
            "AC_ARCHIVE_MARK_MARK_FILE_HEADER_HEADER_LENGTH_OFFSET"
        MARK_FILE_HEADER_ERROR_BUFFER_LENGTH_OFFSET \
            "AC_ARCHIVE_MARK_MARK_FILE_HEADER_ERROR_BUFFER_LENGTH_OFFSET"
        MARK_FILE_HEADER_ARCHIVE_ID_OFFSET "AC_ARCHIVE_MARK_MARK_FILE_HEADER_ARCHIVE_ID_OFFSET"

    int32_t mark_file_header_version "ac_archive_mark_mark_file_header_version"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_version "ac_archive_mark_mark_file_header_put_version"(
        uint8_t *body, int32_t value) noexcept
    int64_t mark_file_header_activity_timestamp \
        "ac_archive_mark_mark_file_header_activity_timestamp"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_activity_timestamp \
        "ac_archive_mark_mark_file_header_put_activity_timestamp"(
            uint8_t *body, int64_t value) noexcept
    int64_t mark_file_header_start_timestamp "ac_archive_mark_mark_file_header_start_timestamp"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_start_timestamp \
        "ac_archive_mark_mark_file_header_put_start_timestamp"(
            uint8_t *body, int64_t value) noexcept
    int64_t mark_file_header_pid "ac_archive_mark_mark_file_header_pid"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_pid "ac_archive_mark_mark_file_header_put_pid"(
        uint8_t *body, int64_t value) noexcept
    int32_t mark_file_header_control_stream_id "ac_archive_mark_mark_file_header_control_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_control_stream_id \
        "ac_archive_mark_mark_file_header_put_control_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t mark_file_header_local_control_stream_id \
        "ac_archive_mark_mark_file_header_local_control_stream_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_local_control_stream_id \
        "ac_archive_mark_mark_file_header_put_local_control_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t mark_file_header_events_stream_id "ac_archive_mark_mark_file_header_events_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_events_stream_id \
        "ac_archive_mark_mark_file_header_put_events_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t mark_file_header_header_length "ac_archive_mark_mark_file_header_header_length"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_header_length "ac_archive_mark_mark_file_header_put_header_length"(
        uint8_t *body, int32_t value) noexcept
    int32_t mark_file_header_error_buffer_length \
        "ac_archive_mark_mark_file_header_error_buffer_length"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_error_buffer_length \
        "ac_archive_mark_mark_file_header_put_error_buffer_length"(
            uint8_t *body, int32_t value) noexcept
    int64_t mark_file_header_archive_id "ac_archive_mark_mark_file_header_archive_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_archive_id "ac_archive_mark_mark_file_header_put_archive_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t mark_file_header_read_control_channel \
        "ac_archive_mark_mark_file_header_read_control_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint mark_file_header_write_control_channel \
        "ac_archive_mark_mark_file_header_write_control_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t mark_file_header_read_local_control_channel \
        "ac_archive_mark_mark_file_header_read_local_control_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint mark_file_header_write_local_control_channel \
        "ac_archive_mark_mark_file_header_write_local_control_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t mark_file_header_read_events_channel \
        "ac_archive_mark_mark_file_header_read_events_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint mark_file_header_write_events_channel \
        "ac_archive_mark_mark_file_header_write_events_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t mark_file_header_read_aeron_directory \
        "ac_archive_mark_mark_file_header_read_aeron_directory"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint mark_file_header_write_aeron_directory \
        "ac_archive_mark_mark_file_header_write_aeron_directory"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *mark_file_header_begin "ac_archive_mark_mark_file_header_begin"(
        sbe_writer *writer) noexcept
