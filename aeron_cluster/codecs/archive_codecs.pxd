# Generated from schemas/archive.xml by tools/generate_codecs.py. Edit it, run the tool.
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t

from aeron_cluster.codecs.sbe cimport sbe_group, sbe_reader, sbe_writer


cdef extern from "aeron_cluster/codecs/archive.h" nogil:
    enum:
        SCHEMA_ID "AC_ARCHIVE_SCHEMA_ID"
        SCHEMA_VERSION "AC_ARCHIVE_SCHEMA_VERSION"
        HEADER_LENGTH "AC_ARCHIVE_HEADER_LENGTH"

    enum:
        CONTROL_RESPONSE_CODE_OK "AC_ARCHIVE_CONTROL_RESPONSE_CODE_OK"
        CONTROL_RESPONSE_CODE_ERROR "AC_ARCHIVE_CONTROL_RESPONSE_CODE_ERROR"
        CONTROL_RESPONSE_CODE_RECORDING_UNKNOWN "AC_ARCHIVE_CONTROL_RESPONSE_CODE_RECORDING_UNKNOWN"
        CONTROL_RESPONSE_CODE_SUBSCRIPTION_UNKNOWN \
            "AC_ARCHIVE_CONTROL_RESPONSE_CODE_SUBSCRIPTION_UNKNOWN"
        CONTROL_RESPONSE_CODE_NULL_VALUE "AC_ARCHIVE_CONTROL_RESPONSE_CODE_NULL_VALUE"

    enum:
        SOURCE_LOCATION_LOCAL "AC_ARCHIVE_SOURCE_LOCATION_LOCAL"
        SOURCE_LOCATION_REMOTE "AC_ARCHIVE_SOURCE_LOCATION_REMOTE"
        SOURCE_LOCATION_NULL_VALUE "AC_ARCHIVE_SOURCE_LOCATION_NULL_VALUE"

    enum:
        BOOLEAN_TYPE_FALSE "AC_ARCHIVE_BOOLEAN_TYPE_FALSE"
        BOOLEAN_TYPE_TRUE "AC_ARCHIVE_BOOLEAN_TYPE_TRUE"
        BOOLEAN_TYPE_NULL_VALUE "AC_ARCHIVE_BOOLEAN_TYPE_NULL_VALUE"

    enum:
        RECORDING_SIGNAL_START "AC_ARCHIVE_RECORDING_SIGNAL_START"
        RECORDING_SIGNAL_STOP "AC_ARCHIVE_RECORDING_SIGNAL_STOP"
        RECORDING_SIGNAL_EXTEND "AC_ARCHIVE_RECORDING_SIGNAL_EXTEND"
        RECORDING_SIGNAL_REPLICATE "AC_ARCHIVE_RECORDING_SIGNAL_REPLICATE"
        RECORDING_SIGNAL_MERGE "AC_ARCHIVE_RECORDING_SIGNAL_MERGE"
        RECORDING_SIGNAL_SYNC "AC_ARCHIVE_RECORDING_SIGNAL_SYNC"
        RECORDING_SIGNAL_DELETE "AC_ARCHIVE_RECORDING_SIGNAL_DELETE"
        RECORDING_SIGNAL_REPLICATE_END "AC_ARCHIVE_RECORDING_SIGNAL_REPLICATE_END"
        RECORDING_SIGNAL_NULL_VALUE "AC_ARCHIVE_RECORDING_SIGNAL_NULL_VALUE"

    enum:
        RECORDING_STATE_INVALID "AC_ARCHIVE_RECORDING_STATE_INVALID"
        RECORDING_STATE_VALID "AC_ARCHIVE_RECORDING_STATE_VALID"
        RECORDING_STATE_DELETED "AC_ARCHIVE_RECORDING_STATE_DELETED"
        RECORDING_STATE_NULL_VALUE "AC_ARCHIVE_RECORDING_STATE_NULL_VALUE"

    enum:
        CONTROL_RESPONSE_TEMPLATE_ID "AC_ARCHIVE_CONTROL_RESPONSE_TEMPLATE_ID"
        CONTROL_RESPONSE_BLOCK_LENGTH "AC_ARCHIVE_CONTROL_RESPONSE_BLOCK_LENGTH"
        CONTROL_RESPONSE_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_CONTROL_RESPONSE_CONTROL_SESSION_ID_OFFSET"
        CONTROL_RESPONSE_CORRELATION_ID_OFFSET "AC_ARCHIVE_CONTROL_RESPONSE_CORRELATION_ID_OFFSET"
        CONTROL_RESPONSE_RELEVANT_ID_OFFSET "AC_ARCHIVE_CONTROL_RESPONSE_RELEVANT_ID_OFFSET"
        CONTROL_RESPONSE_CODE_OFFSET "AC_ARCHIVE_CONTROL_RESPONSE_CODE_OFFSET"
        CONTROL_RESPONSE_VERSION_OFFSET "AC_ARCHIVE_CONTROL_RESPONSE_VERSION_OFFSET"

    int64_t control_response_control_session_id "ac_archive_control_response_control_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void control_response_put_control_session_id \
        "ac_archive_control_response_put_control_session_id"(uint8_t *body, int64_t value) noexcept
    int64_t control_response_correlation_id "ac_archive_control_response_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void control_response_put_correlation_id "ac_archive_control_response_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t control_response_relevant_id "ac_archive_control_response_relevant_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void control_response_put_relevant_id "ac_archive_control_response_put_relevant_id"(
        uint8_t *body, int64_t value) noexcept
    int32_t control_response_code "ac_archive_control_response_code"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void control_response_put_code "ac_archive_control_response_put_code"(
        uint8_t *body, int32_t value) noexcept
    int32_t control_response_version "ac_archive_control_response_version"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void control_response_put_version "ac_archive_control_response_put_version"(
        uint8_t *body, int32_t value) noexcept
    int64_t control_response_read_error_message "ac_archive_control_response_read_error_message"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint control_response_write_error_message "ac_archive_control_response_write_error_message"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *control_response_begin "ac_archive_control_response_begin"(sbe_writer *writer) noexcept

    enum:
        CONNECT_REQUEST_TEMPLATE_ID "AC_ARCHIVE_CONNECT_REQUEST_TEMPLATE_ID"
        CONNECT_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_CONNECT_REQUEST_BLOCK_LENGTH"
        CONNECT_REQUEST_CORRELATION_ID_OFFSET "AC_ARCHIVE_CONNECT_REQUEST_CORRELATION_ID_OFFSET"
        CONNECT_REQUEST_RESPONSE_STREAM_ID_OFFSET \
            "AC_ARCHIVE_CONNECT_REQUEST_RESPONSE_STREAM_ID_OFFSET"
        CONNECT_REQUEST_VERSION_OFFSET "AC_ARCHIVE_CONNECT_REQUEST_VERSION_OFFSET"

    int64_t connect_request_correlation_id "ac_archive_connect_request_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void connect_request_put_correlation_id "ac_archive_connect_request_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int32_t connect_request_response_stream_id "ac_archive_connect_request_response_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void connect_request_put_response_stream_id "ac_archive_connect_request_put_response_stream_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t connect_request_version "ac_archive_connect_request_version"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void connect_request_put_version "ac_archive_connect_request_put_version"(
        uint8_t *body, int32_t value) noexcept
    int64_t connect_request_read_response_channel \
        "ac_archive_connect_request_read_response_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint connect_request_write_response_channel "ac_archive_connect_request_write_response_channel"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *connect_request_begin "ac_archive_connect_request_begin"(sbe_writer *writer) noexcept

    enum:
        CLOSE_SESSION_REQUEST_TEMPLATE_ID "AC_ARCHIVE_CLOSE_SESSION_REQUEST_TEMPLATE_ID"
        CLOSE_SESSION_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_CLOSE_SESSION_REQUEST_BLOCK_LENGTH"
        CLOSE_SESSION_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_CLOSE_SESSION_REQUEST_CONTROL_SESSION_ID_OFFSET"

    int64_t close_session_request_control_session_id \
        "ac_archive_close_session_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void close_session_request_put_control_session_id \
        "ac_archive_close_session_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    uint8_t *close_session_request_begin "ac_archive_close_session_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        START_RECORDING_REQUEST_TEMPLATE_ID "AC_ARCHIVE_START_RECORDING_REQUEST_TEMPLATE_ID"
        START_RECORDING_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_START_RECORDING_REQUEST_BLOCK_LENGTH"
        START_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_START_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET"
        START_RECORDING_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_START_RECORDING_REQUEST_CORRELATION_ID_OFFSET"
        START_RECORDING_REQUEST_STREAM_ID_OFFSET \
            "AC_ARCHIVE_START_RECORDING_REQUEST_STREAM_ID_OFFSET"
        START_RECORDING_REQUEST_SOURCE_LOCATION_OFFSET \
            "AC_ARCHIVE_START_RECORDING_REQUEST_SOURCE_LOCATION_OFFSET"

    int64_t start_recording_request_control_session_id \
        "ac_archive_start_recording_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void start_recording_request_put_control_session_id \
        "ac_archive_start_recording_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t start_recording_request_correlation_id \
        "ac_archive_start_recording_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void start_recording_request_put_correlation_id \
        "ac_archive_start_recording_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t start_recording_request_stream_id "ac_archive_start_recording_request_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void start_recording_request_put_stream_id "ac_archive_start_recording_request_put_stream_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t start_recording_request_source_location \
        "ac_archive_start_recording_request_source_location"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void start_recording_request_put_source_location \
        "ac_archive_start_recording_request_put_source_location"(
            uint8_t *body, int32_t value) noexcept
    int64_t start_recording_request_read_channel "ac_archive_start_recording_request_read_channel"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint start_recording_request_write_channel "ac_archive_start_recording_request_write_channel"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *start_recording_request_begin "ac_archive_start_recording_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        STOP_RECORDING_REQUEST_TEMPLATE_ID "AC_ARCHIVE_STOP_RECORDING_REQUEST_TEMPLATE_ID"
        STOP_RECORDING_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_STOP_RECORDING_REQUEST_BLOCK_LENGTH"
        STOP_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_STOP_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET"
        STOP_RECORDING_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_STOP_RECORDING_REQUEST_CORRELATION_ID_OFFSET"
        STOP_RECORDING_REQUEST_STREAM_ID_OFFSET "AC_ARCHIVE_STOP_RECORDING_REQUEST_STREAM_ID_OFFSET"

    int64_t stop_recording_request_control_session_id \
        "ac_archive_stop_recording_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_recording_request_put_control_session_id \
        "ac_archive_stop_recording_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t stop_recording_request_correlation_id \
        "ac_archive_stop_recording_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_recording_request_put_correlation_id \
        "ac_archive_stop_recording_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t stop_recording_request_stream_id "ac_archive_stop_recording_request_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_recording_request_put_stream_id "ac_archive_stop_recording_request_put_stream_id"(
        uint8_t *body, int32_t value) noexcept
    int64_t stop_recording_request_read_channel "ac_archive_stop_recording_request_read_channel"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint stop_recording_request_write_channel "ac_archive_stop_recording_request_write_channel"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *stop_recording_request_begin "ac_archive_stop_recording_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        REPLAY_REQUEST_TEMPLATE_ID "AC_ARCHIVE_REPLAY_REQUEST_TEMPLATE_ID"
        REPLAY_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_REPLAY_REQUEST_BLOCK_LENGTH"
        REPLAY_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_REPLAY_REQUEST_CONTROL_SESSION_ID_OFFSET"
        REPLAY_REQUEST_CORRELATION_ID_OFFSET "AC_ARCHIVE_REPLAY_REQUEST_CORRELATION_ID_OFFSET"
        REPLAY_REQUEST_RECORDING_ID_OFFSET "AC_ARCHIVE_REPLAY_REQUEST_RECORDING_ID_OFFSET"
        REPLAY_REQUEST_POSITION_OFFSET "AC_ARCHIVE_REPLAY_REQUEST_POSITION_OFFSET"
        REPLAY_REQUEST_LENGTH_OFFSET "AC_ARCHIVE_REPLAY_REQUEST_LENGTH_OFFSET"
        REPLAY_REQUEST_REPLAY_STREAM_ID_OFFSET "AC_ARCHIVE_REPLAY_REQUEST_REPLAY_STREAM_ID_OFFSET"
        REPLAY_REQUEST_FILE_IO_MAX_LENGTH_OFFSET \
            "AC_ARCHIVE_REPLAY_REQUEST_FILE_IO_MAX_LENGTH_OFFSET"
        REPLAY_REQUEST_REPLAY_TOKEN_OFFSET "AC_ARCHIVE_REPLAY_REQUEST_REPLAY_TOKEN_OFFSET"

    int64_t replay_request_control_session_id "ac_archive_replay_request_control_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replay_request_put_control_session_id "ac_archive_replay_request_put_control_session_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t replay_request_correlation_id "ac_archive_replay_request_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replay_request_put_correlation_id "ac_archive_replay_request_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t replay_request_recording_id "ac_archive_replay_request_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replay_request_put_recording_id "ac_archive_replay_request_put_recording_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t replay_request_position "ac_archive_replay_request_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replay_request_put_position "ac_archive_replay_request_put_position"(
        uint8_t *body, int64_t value) noexcept
    int64_t replay_request_length "ac_archive_replay_request_length"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replay_request_put_length "ac_archive_replay_request_put_length"(
        uint8_t *body, int64_t value) noexcept
    int32_t replay_request_replay_stream_id "ac_archive_replay_request_replay_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replay_request_put_replay_stream_id "ac_archive_replay_request_put_replay_stream_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t replay_request_file_io_max_length "ac_archive_replay_request_file_io_max_length"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replay_request_put_file_io_max_length "ac_archive_replay_request_put_file_io_max_length"(
        uint8_t *body, int32_t value) noexcept
    int64_t replay_request_replay_token "ac_archive_replay_request_replay_token"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replay_request_put_replay_token "ac_archive_replay_request_put_replay_token"(
        uint8_t *body, int64_t value) noexcept
    int64_t replay_request_read_replay_channel "ac_archive_replay_request_read_replay_channel"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint replay_request_write_replay_channel "ac_archive_replay_request_write_replay_channel"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *replay_request_begin "ac_archive_replay_request_begin"(sbe_writer *writer) noexcept

    enum:
        STOP_REPLAY_REQUEST_TEMPLATE_ID "AC_ARCHIVE_STOP_REPLAY_REQUEST_TEMPLATE_ID"
        STOP_REPLAY_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_STOP_REPLAY_REQUEST_BLOCK_LENGTH"
        STOP_REPLAY_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_STOP_REPLAY_REQUEST_CONTROL_SESSION_ID_OFFSET"
        STOP_REPLAY_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_STOP_REPLAY_REQUEST_CORRELATION_ID_OFFSET"
        STOP_REPLAY_REQUEST_REPLAY_SESSION_ID_OFFSET \
            "AC_ARCHIVE_STOP_REPLAY_REQUEST_REPLAY_SESSION_ID_OFFSET"

    int64_t stop_replay_request_control_session_id \
        "ac_archive_stop_replay_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_replay_request_put_control_session_id \
        "ac_archive_stop_replay_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t stop_replay_request_correlation_id "ac_archive_stop_replay_request_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_replay_request_put_correlation_id "ac_archive_stop_replay_request_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t stop_replay_request_replay_session_id \
        "ac_archive_stop_replay_request_replay_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_replay_request_put_replay_session_id \
        "ac_archive_stop_replay_request_put_replay_session_id"(
            uint8_t *body, int64_t value) noexcept
    uint8_t *stop_replay_request_begin "ac_archive_stop_replay_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        LIST_RECORDINGS_REQUEST_TEMPLATE_ID "AC_ARCHIVE_LIST_RECORDINGS_REQUEST_TEMPLATE_ID"
        LIST_RECORDINGS_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_LIST_RECORDINGS_REQUEST_BLOCK_LENGTH"
        LIST_RECORDINGS_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_LIST_RECORDINGS_REQUEST_CONTROL_SESSION_ID_OFFSET"
        LIST_RECORDINGS_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_LIST_RECORDINGS_REQUEST_CORRELATION_ID_OFFSET"
        LIST_RECORDINGS_REQUEST_FROM_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_LIST_RECORDINGS_REQUEST_FROM_RECORDING_ID_OFFSET"
        LIST_RECORDINGS_REQUEST_RECORD_COUNT_OFFSET \
            "AC_ARCHIVE_LIST_RECORDINGS_REQUEST_RECORD_COUNT_OFFSET"

    int64_t list_recordings_request_control_session_id \
        "ac_archive_list_recordings_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recordings_request_put_control_session_id \
        "ac_archive_list_recordings_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t list_recordings_request_correlation_id \
        "ac_archive_list_recordings_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recordings_request_put_correlation_id \
        "ac_archive_list_recordings_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t list_recordings_request_from_recording_id \
        "ac_archive_list_recordings_request_from_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recordings_request_put_from_recording_id \
        "ac_archive_list_recordings_request_put_from_recording_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t list_recordings_request_record_count "ac_archive_list_recordings_request_record_count"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recordings_request_put_record_count \
        "ac_archive_list_recordings_request_put_record_count"(uint8_t *body, int32_t value) noexcept
    uint8_t *list_recordings_request_begin "ac_archive_list_recordings_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        LIST_RECORDINGS_FOR_URI_REQUEST_TEMPLATE_ID \
            "AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_TEMPLATE_ID"
        LIST_RECORDINGS_FOR_URI_REQUEST_BLOCK_LENGTH \
            "AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_BLOCK_LENGTH"
        LIST_RECORDINGS_FOR_URI_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_CONTROL_SESSION_ID_OFFSET"
        LIST_RECORDINGS_FOR_URI_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_CORRELATION_ID_OFFSET"
        LIST_RECORDINGS_FOR_URI_REQUEST_FROM_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_FROM_RECORDING_ID_OFFSET"
        LIST_RECORDINGS_FOR_URI_REQUEST_RECORD_COUNT_OFFSET \
            "AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_RECORD_COUNT_OFFSET"
        LIST_RECORDINGS_FOR_URI_REQUEST_STREAM_ID_OFFSET \
            "AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_STREAM_ID_OFFSET"

    int64_t list_recordings_for_uri_request_control_session_id \
        "ac_archive_list_recordings_for_uri_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recordings_for_uri_request_put_control_session_id \
        "ac_archive_list_recordings_for_uri_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t list_recordings_for_uri_request_correlation_id \
        "ac_archive_list_recordings_for_uri_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recordings_for_uri_request_put_correlation_id \
        "ac_archive_list_recordings_for_uri_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t list_recordings_for_uri_request_from_recording_id \
        "ac_archive_list_recordings_for_uri_request_from_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recordings_for_uri_request_put_from_recording_id \
        "ac_archive_list_recordings_for_uri_request_put_from_recording_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t list_recordings_for_uri_request_record_count \
        "ac_archive_list_recordings_for_uri_request_record_count"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recordings_for_uri_request_put_record_count \
        "ac_archive_list_recordings_for_uri_request_put_record_count"(
            uint8_t *body, int32_t value) noexcept
    int32_t list_recordings_for_uri_request_stream_id \
        "ac_archive_list_recordings_for_uri_request_stream_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recordings_for_uri_request_put_stream_id \
        "ac_archive_list_recordings_for_uri_request_put_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int64_t list_recordings_for_uri_request_read_channel \
        "ac_archive_list_recordings_for_uri_request_read_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint list_recordings_for_uri_request_write_channel \
        "ac_archive_list_recordings_for_uri_request_write_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *list_recordings_for_uri_request_begin \
        "ac_archive_list_recordings_for_uri_request_begin"(sbe_writer *writer) noexcept

    enum:
        LIST_RECORDING_REQUEST_TEMPLATE_ID "AC_ARCHIVE_LIST_RECORDING_REQUEST_TEMPLATE_ID"
        LIST_RECORDING_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_LIST_RECORDING_REQUEST_BLOCK_LENGTH"
        LIST_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_LIST_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET"
        LIST_RECORDING_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_LIST_RECORDING_REQUEST_CORRELATION_ID_OFFSET"
        LIST_RECORDING_REQUEST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_LIST_RECORDING_REQUEST_RECORDING_ID_OFFSET"

    int64_t list_recording_request_control_session_id \
        "ac_archive_list_recording_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recording_request_put_control_session_id \
        "ac_archive_list_recording_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t list_recording_request_correlation_id \
        "ac_archive_list_recording_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recording_request_put_correlation_id \
        "ac_archive_list_recording_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t list_recording_request_recording_id "ac_archive_list_recording_request_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recording_request_put_recording_id \
        "ac_archive_list_recording_request_put_recording_id"(uint8_t *body, int64_t value) noexcept
    uint8_t *list_recording_request_begin "ac_archive_list_recording_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        EXTEND_RECORDING_REQUEST_TEMPLATE_ID "AC_ARCHIVE_EXTEND_RECORDING_REQUEST_TEMPLATE_ID"
        EXTEND_RECORDING_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_EXTEND_RECORDING_REQUEST_BLOCK_LENGTH"
        EXTEND_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_EXTEND_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET"
        EXTEND_RECORDING_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_EXTEND_RECORDING_REQUEST_CORRELATION_ID_OFFSET"
        EXTEND_RECORDING_REQUEST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_EXTEND_RECORDING_REQUEST_RECORDING_ID_OFFSET"
        EXTEND_RECORDING_REQUEST_STREAM_ID_OFFSET \
            "AC_ARCHIVE_EXTEND_RECORDING_REQUEST_STREAM_ID_OFFSET"
        EXTEND_RECORDING_REQUEST_SOURCE_LOCATION_OFFSET \
            "AC_ARCHIVE_EXTEND_RECORDING_REQUEST_SOURCE_LOCATION_OFFSET"

    int64_t extend_recording_request_control_session_id \
        "ac_archive_extend_recording_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void extend_recording_request_put_control_session_id \
        "ac_archive_extend_recording_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t extend_recording_request_correlation_id \
        "ac_archive_extend_recording_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void extend_recording_request_put_correlation_id \
        "ac_archive_extend_recording_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t extend_recording_request_recording_id \
        "ac_archive_extend_recording_request_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void extend_recording_request_put_recording_id \
        "ac_archive_extend_recording_request_put_recording_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t extend_recording_request_stream_id "ac_archive_extend_recording_request_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void extend_recording_request_put_stream_id "ac_archive_extend_recording_request_put_stream_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t extend_recording_request_source_location \
        "ac_archive_extend_recording_request_source_location"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void extend_recording_request_put_source_location \
        "ac_archive_extend_recording_request_put_source_location"(
            uint8_t *body, int32_t value) noexcept
    int64_t extend_recording_request_read_channel \
        "ac_archive_extend_recording_request_read_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint extend_recording_request_write_channel "ac_archive_extend_recording_request_write_channel"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *extend_recording_request_begin "ac_archive_extend_recording_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        RECORDING_POSITION_REQUEST_TEMPLATE_ID "AC_ARCHIVE_RECORDING_POSITION_REQUEST_TEMPLATE_ID"
        RECORDING_POSITION_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_RECORDING_POSITION_REQUEST_BLOCK_LENGTH"
        RECORDING_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_RECORDING_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET"
        RECORDING_POSITION_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_RECORDING_POSITION_REQUEST_CORRELATION_ID_OFFSET"
        RECORDING_POSITION_REQUEST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_RECORDING_POSITION_REQUEST_RECORDING_ID_OFFSET"

    int64_t recording_position_request_control_session_id \
        "ac_archive_recording_position_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_position_request_put_control_session_id \
        "ac_archive_recording_position_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t recording_position_request_correlation_id \
        "ac_archive_recording_position_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_position_request_put_correlation_id \
        "ac_archive_recording_position_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t recording_position_request_recording_id \
        "ac_archive_recording_position_request_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_position_request_put_recording_id \
        "ac_archive_recording_position_request_put_recording_id"(
            uint8_t *body, int64_t value) noexcept
    uint8_t *recording_position_request_begin "ac_archive_recording_position_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        TRUNCATE_RECORDING_REQUEST_TEMPLATE_ID "AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_TEMPLATE_ID"
        TRUNCATE_RECORDING_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_BLOCK_LENGTH"
        TRUNCATE_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET"
        TRUNCATE_RECORDING_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_CORRELATION_ID_OFFSET"
        TRUNCATE_RECORDING_REQUEST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_RECORDING_ID_OFFSET"
        TRUNCATE_RECORDING_REQUEST_POSITION_OFFSET \
            "AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_POSITION_OFFSET"

    int64_t truncate_recording_request_control_session_id \
        "ac_archive_truncate_recording_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void truncate_recording_request_put_control_session_id \
        "ac_archive_truncate_recording_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t truncate_recording_request_correlation_id \
        "ac_archive_truncate_recording_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void truncate_recording_request_put_correlation_id \
        "ac_archive_truncate_recording_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t truncate_recording_request_recording_id \
        "ac_archive_truncate_recording_request_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void truncate_recording_request_put_recording_id \
        "ac_archive_truncate_recording_request_put_recording_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t truncate_recording_request_position "ac_archive_truncate_recording_request_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void truncate_recording_request_put_position \
        "ac_archive_truncate_recording_request_put_position"(uint8_t *body, int64_t value) noexcept
    uint8_t *truncate_recording_request_begin "ac_archive_truncate_recording_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        STOP_RECORDING_SUBSCRIPTION_REQUEST_TEMPLATE_ID \
            "AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_TEMPLATE_ID"
        STOP_RECORDING_SUBSCRIPTION_REQUEST_BLOCK_LENGTH \
            "AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_BLOCK_LENGTH"
        STOP_RECORDING_SUBSCRIPTION_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_CONTROL_SESSION_ID_OFFSET"
        STOP_RECORDING_SUBSCRIPTION_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_CORRELATION_ID_OFFSET"
        STOP_RECORDING_SUBSCRIPTION_REQUEST_SUBSCRIPTION_ID_OFFSET \
            "AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_SUBSCRIPTION_ID_OFFSET"

    int64_t stop_recording_subscription_request_control_session_id \
        "ac_archive_stop_recording_subscription_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_recording_subscription_request_put_control_session_id \
        "ac_archive_stop_recording_subscription_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t stop_recording_subscription_request_correlation_id \
        "ac_archive_stop_recording_subscription_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_recording_subscription_request_put_correlation_id \
        "ac_archive_stop_recording_subscription_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t stop_recording_subscription_request_subscription_id \
        "ac_archive_stop_recording_subscription_request_subscription_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_recording_subscription_request_put_subscription_id \
        "ac_archive_stop_recording_subscription_request_put_subscription_id"(
            uint8_t *body, int64_t value) noexcept
    uint8_t *stop_recording_subscription_request_begin \
        "ac_archive_stop_recording_subscription_request_begin"(sbe_writer *writer) noexcept

    enum:
        STOP_POSITION_REQUEST_TEMPLATE_ID "AC_ARCHIVE_STOP_POSITION_REQUEST_TEMPLATE_ID"
        STOP_POSITION_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_STOP_POSITION_REQUEST_BLOCK_LENGTH"
        STOP_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_STOP_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET"
        STOP_POSITION_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_STOP_POSITION_REQUEST_CORRELATION_ID_OFFSET"
        STOP_POSITION_REQUEST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_STOP_POSITION_REQUEST_RECORDING_ID_OFFSET"

    int64_t stop_position_request_control_session_id \
        "ac_archive_stop_position_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_position_request_put_control_session_id \
        "ac_archive_stop_position_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t stop_position_request_correlation_id "ac_archive_stop_position_request_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_position_request_put_correlation_id \
        "ac_archive_stop_position_request_put_correlation_id"(uint8_t *body, int64_t value) noexcept
    int64_t stop_position_request_recording_id "ac_archive_stop_position_request_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_position_request_put_recording_id "ac_archive_stop_position_request_put_recording_id"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *stop_position_request_begin "ac_archive_stop_position_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        FIND_LAST_MATCHING_RECORDING_REQUEST_TEMPLATE_ID \
            "AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_TEMPLATE_ID"
        FIND_LAST_MATCHING_RECORDING_REQUEST_BLOCK_LENGTH \
            "AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_BLOCK_LENGTH"
        FIND_LAST_MATCHING_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET"
        FIND_LAST_MATCHING_RECORDING_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_CORRELATION_ID_OFFSET"
        FIND_LAST_MATCHING_RECORDING_REQUEST_MIN_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_MIN_RECORDING_ID_OFFSET"
        FIND_LAST_MATCHING_RECORDING_REQUEST_SESSION_ID_OFFSET \
            "AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_SESSION_ID_OFFSET"
        FIND_LAST_MATCHING_RECORDING_REQUEST_STREAM_ID_OFFSET \
            "AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_STREAM_ID_OFFSET"

    int64_t find_last_matching_recording_request_control_session_id \
        "ac_archive_find_last_matching_recording_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void find_last_matching_recording_request_put_control_session_id \
        "ac_archive_find_last_matching_recording_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t find_last_matching_recording_request_correlation_id \
        "ac_archive_find_last_matching_recording_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void find_last_matching_recording_request_put_correlation_id \
        "ac_archive_find_last_matching_recording_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t find_last_matching_recording_request_min_recording_id \
        "ac_archive_find_last_matching_recording_request_min_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void find_last_matching_recording_request_put_min_recording_id \
        "ac_archive_find_last_matching_recording_request_put_min_recording_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t find_last_matching_recording_request_session_id \
        "ac_archive_find_last_matching_recording_request_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void find_last_matching_recording_request_put_session_id \
        "ac_archive_find_last_matching_recording_request_put_session_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t find_last_matching_recording_request_stream_id \
        "ac_archive_find_last_matching_recording_request_stream_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void find_last_matching_recording_request_put_stream_id \
        "ac_archive_find_last_matching_recording_request_put_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int64_t find_last_matching_recording_request_read_channel \
        "ac_archive_find_last_matching_recording_request_read_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint find_last_matching_recording_request_write_channel \
        "ac_archive_find_last_matching_recording_request_write_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *find_last_matching_recording_request_begin \
        "ac_archive_find_last_matching_recording_request_begin"(sbe_writer *writer) noexcept

    enum:
        LIST_RECORDING_SUBSCRIPTIONS_REQUEST_TEMPLATE_ID \
            "AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_TEMPLATE_ID"
        LIST_RECORDING_SUBSCRIPTIONS_REQUEST_BLOCK_LENGTH \
            "AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_BLOCK_LENGTH"
        LIST_RECORDING_SUBSCRIPTIONS_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_CONTROL_SESSION_ID_OFFSET"
        LIST_RECORDING_SUBSCRIPTIONS_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_CORRELATION_ID_OFFSET"
        LIST_RECORDING_SUBSCRIPTIONS_REQUEST_PSEUDO_INDEX_OFFSET \
            "AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_PSEUDO_INDEX_OFFSET"
        LIST_RECORDING_SUBSCRIPTIONS_REQUEST_SUBSCRIPTION_COUNT_OFFSET \
            "AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_SUBSCRIPTION_COUNT_OFFSET"
        LIST_RECORDING_SUBSCRIPTIONS_REQUEST_APPLY_STREAM_ID_OFFSET \
            "AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_APPLY_STREAM_ID_OFFSET"
        LIST_RECORDING_SUBSCRIPTIONS_REQUEST_STREAM_ID_OFFSET \
            "AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_STREAM_ID_OFFSET"

    int64_t list_recording_subscriptions_request_control_session_id \
        "ac_archive_list_recording_subscriptions_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recording_subscriptions_request_put_control_session_id \
        "ac_archive_list_recording_subscriptions_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t list_recording_subscriptions_request_correlation_id \
        "ac_archive_list_recording_subscriptions_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recording_subscriptions_request_put_correlation_id \
        "ac_archive_list_recording_subscriptions_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t list_recording_subscriptions_request_pseudo_index \
        "ac_archive_list_recording_subscriptions_request_pseudo_index"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recording_subscriptions_request_put_pseudo_index \
        "ac_archive_list_recording_subscriptions_request_put_pseudo_index"(
            uint8_t *body, int32_t value) noexcept
    int32_t list_recording_subscriptions_request_subscription_count \
        "ac_archive_list_recording_subscriptions_request_subscription_count"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recording_subscriptions_request_put_subscription_count \
        "ac_archive_list_recording_subscriptions_request_put_subscription_count"(
            uint8_t *body, int32_t value) noexcept
    int32_t list_recording_subscriptions_request_apply_stream_id \
        "ac_archive_list_recording_subscriptions_request_apply_stream_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recording_subscriptions_request_put_apply_stream_id \
        "ac_archive_list_recording_subscriptions_request_put_apply_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t list_recording_subscriptions_request_stream_id \
        "ac_archive_list_recording_subscriptions_request_stream_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void list_recording_subscriptions_request_put_stream_id \
        "ac_archive_list_recording_subscriptions_request_put_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int64_t list_recording_subscriptions_request_read_channel \
        "ac_archive_list_recording_subscriptions_request_read_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint list_recording_subscriptions_request_write_channel \
        "ac_archive_list_recording_subscriptions_request_write_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *list_recording_subscriptions_request_begin \
        "ac_archive_list_recording_subscriptions_request_begin"(sbe_writer *writer) noexcept

    enum:
        BOUNDED_REPLAY_REQUEST_TEMPLATE_ID "AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_TEMPLATE_ID"
        BOUNDED_REPLAY_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_BLOCK_LENGTH"
        BOUNDED_REPLAY_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_CONTROL_SESSION_ID_OFFSET"
        BOUNDED_REPLAY_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_CORRELATION_ID_OFFSET"
        BOUNDED_REPLAY_REQUEST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_RECORDING_ID_OFFSET"
        BOUNDED_REPLAY_REQUEST_POSITION_OFFSET "AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_POSITION_OFFSET"
        BOUNDED_REPLAY_REQUEST_LENGTH_OFFSET "AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_LENGTH_OFFSET"
        BOUNDED_REPLAY_REQUEST_LIMIT_COUNTER_ID_OFFSET \
            "AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_LIMIT_COUNTER_ID_OFFSET"
        BOUNDED_REPLAY_REQUEST_REPLAY_STREAM_ID_OFFSET \
            "AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_REPLAY_STREAM_ID_OFFSET"
        BOUNDED_REPLAY_REQUEST_FILE_IO_MAX_LENGTH_OFFSET \
            "AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_FILE_IO_MAX_LENGTH_OFFSET"
        BOUNDED_REPLAY_REQUEST_REPLAY_TOKEN_OFFSET \
            "AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_REPLAY_TOKEN_OFFSET"

    int64_t bounded_replay_request_control_session_id \
        "ac_archive_bounded_replay_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void bounded_replay_request_put_control_session_id \
        "ac_archive_bounded_replay_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t bounded_replay_request_correlation_id \
        "ac_archive_bounded_replay_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void bounded_replay_request_put_correlation_id \
        "ac_archive_bounded_replay_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t bounded_replay_request_recording_id "ac_archive_bounded_replay_request_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void bounded_replay_request_put_recording_id \
        "ac_archive_bounded_replay_request_put_recording_id"(uint8_t *body, int64_t value) noexcept
    int64_t bounded_replay_request_position "ac_archive_bounded_replay_request_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void bounded_replay_request_put_position "ac_archive_bounded_replay_request_put_position"(
        uint8_t *body, int64_t value) noexcept
    int64_t bounded_replay_request_length "ac_archive_bounded_replay_request_length"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void bounded_replay_request_put_length "ac_archive_bounded_replay_request_put_length"(
        uint8_t *body, int64_t value) noexcept
    int32_t bounded_replay_request_limit_counter_id \
        "ac_archive_bounded_replay_request_limit_counter_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void bounded_replay_request_put_limit_counter_id \
        "ac_archive_bounded_replay_request_put_limit_counter_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t bounded_replay_request_replay_stream_id \
        "ac_archive_bounded_replay_request_replay_stream_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void bounded_replay_request_put_replay_stream_id \
        "ac_archive_bounded_replay_request_put_replay_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t bounded_replay_request_file_io_max_length \
        "ac_archive_bounded_replay_request_file_io_max_length"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void bounded_replay_request_put_file_io_max_length \
        "ac_archive_bounded_replay_request_put_file_io_max_length"(
            uint8_t *body, int32_t value) noexcept
    int64_t bounded_replay_request_replay_token "ac_archive_bounded_replay_request_replay_token"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void bounded_replay_request_put_replay_token \
        "ac_archive_bounded_replay_request_put_replay_token"(uint8_t *body, int64_t value) noexcept
    int64_t bounded_replay_request_read_replay_channel \
        "ac_archive_bounded_replay_request_read_replay_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint bounded_replay_request_write_replay_channel \
        "ac_archive_bounded_replay_request_write_replay_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *bounded_replay_request_begin "ac_archive_bounded_replay_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        STOP_ALL_REPLAYS_REQUEST_TEMPLATE_ID "AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_TEMPLATE_ID"
        STOP_ALL_REPLAYS_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_BLOCK_LENGTH"
        STOP_ALL_REPLAYS_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_CONTROL_SESSION_ID_OFFSET"
        STOP_ALL_REPLAYS_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_CORRELATION_ID_OFFSET"
        STOP_ALL_REPLAYS_REQUEST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_RECORDING_ID_OFFSET"

    int64_t stop_all_replays_request_control_session_id \
        "ac_archive_stop_all_replays_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_all_replays_request_put_control_session_id \
        "ac_archive_stop_all_replays_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t stop_all_replays_request_correlation_id \
        "ac_archive_stop_all_replays_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_all_replays_request_put_correlation_id \
        "ac_archive_stop_all_replays_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t stop_all_replays_request_recording_id \
        "ac_archive_stop_all_replays_request_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_all_replays_request_put_recording_id \
        "ac_archive_stop_all_replays_request_put_recording_id"(
            uint8_t *body, int64_t value) noexcept
    uint8_t *stop_all_replays_request_begin "ac_archive_stop_all_replays_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        CATALOG_HEADER_TEMPLATE_ID "AC_ARCHIVE_CATALOG_HEADER_TEMPLATE_ID"
        CATALOG_HEADER_BLOCK_LENGTH "AC_ARCHIVE_CATALOG_HEADER_BLOCK_LENGTH"
        CATALOG_HEADER_VERSION_OFFSET "AC_ARCHIVE_CATALOG_HEADER_VERSION_OFFSET"
        CATALOG_HEADER_LENGTH_OFFSET "AC_ARCHIVE_CATALOG_HEADER_LENGTH_OFFSET"
        CATALOG_HEADER_NEXT_RECORDING_ID_OFFSET "AC_ARCHIVE_CATALOG_HEADER_NEXT_RECORDING_ID_OFFSET"
        CATALOG_HEADER_ALIGNMENT_OFFSET "AC_ARCHIVE_CATALOG_HEADER_ALIGNMENT_OFFSET"
        CATALOG_HEADER_RESERVED_OFFSET "AC_ARCHIVE_CATALOG_HEADER_RESERVED_OFFSET"

    int32_t catalog_header_version "ac_archive_catalog_header_version"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void catalog_header_put_version "ac_archive_catalog_header_put_version"(
        uint8_t *body, int32_t value) noexcept
    int32_t catalog_header_length "ac_archive_catalog_header_length"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void catalog_header_put_length "ac_archive_catalog_header_put_length"(
        uint8_t *body, int32_t value) noexcept
    int64_t catalog_header_next_recording_id "ac_archive_catalog_header_next_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void catalog_header_put_next_recording_id "ac_archive_catalog_header_put_next_recording_id"(
        uint8_t *body, int64_t value) noexcept
    int32_t catalog_header_alignment "ac_archive_catalog_header_alignment"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void catalog_header_put_alignment "ac_archive_catalog_header_put_alignment"(
        uint8_t *body, int32_t value) noexcept
    int8_t catalog_header_reserved "ac_archive_catalog_header_reserved"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void catalog_header_put_reserved "ac_archive_catalog_header_put_reserved"(
        uint8_t *body, int8_t value) noexcept
    uint8_t *catalog_header_begin "ac_archive_catalog_header_begin"(sbe_writer *writer) noexcept

    enum:
        RECORDING_DESCRIPTOR_HEADER_TEMPLATE_ID "AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_TEMPLATE_ID"
        RECORDING_DESCRIPTOR_HEADER_BLOCK_LENGTH \
            "AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_BLOCK_LENGTH"
        RECORDING_DESCRIPTOR_HEADER_LENGTH_OFFSET \
            "AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_LENGTH_OFFSET"
        RECORDING_DESCRIPTOR_HEADER_STATE_OFFSET \
            "AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_STATE_OFFSET"
        RECORDING_DESCRIPTOR_HEADER_CHECKSUM_OFFSET \
            "AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_CHECKSUM_OFFSET"
        RECORDING_DESCRIPTOR_HEADER_RESERVED_OFFSET \
            "AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_RESERVED_OFFSET"

    int32_t recording_descriptor_header_length "ac_archive_recording_descriptor_header_length"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_header_put_length "ac_archive_recording_descriptor_header_put_length"(
        uint8_t *body, int32_t value) noexcept
    int32_t recording_descriptor_header_state "ac_archive_recording_descriptor_header_state"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_header_put_state "ac_archive_recording_descriptor_header_put_state"(
        uint8_t *body, int32_t value) noexcept
    int32_t recording_descriptor_header_checksum "ac_archive_recording_descriptor_header_checksum"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_header_put_checksum \
        "ac_archive_recording_descriptor_header_put_checksum"(uint8_t *body, int32_t value) noexcept
    int8_t recording_descriptor_header_reserved "ac_archive_recording_descriptor_header_reserved"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_header_put_reserved \
        "ac_archive_recording_descriptor_header_put_reserved"(uint8_t *body, int8_t value) noexcept
    uint8_t *recording_descriptor_header_begin "ac_archive_recording_descriptor_header_begin"(
        sbe_writer *writer) noexcept

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

    int64_t recording_descriptor_control_session_id \
        "ac_archive_recording_descriptor_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_put_control_session_id \
        "ac_archive_recording_descriptor_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t recording_descriptor_correlation_id "ac_archive_recording_descriptor_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_put_correlation_id \
        "ac_archive_recording_descriptor_put_correlation_id"(uint8_t *body, int64_t value) noexcept
    int64_t recording_descriptor_recording_id "ac_archive_recording_descriptor_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_put_recording_id "ac_archive_recording_descriptor_put_recording_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t recording_descriptor_start_timestamp "ac_archive_recording_descriptor_start_timestamp"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_put_start_timestamp \
        "ac_archive_recording_descriptor_put_start_timestamp"(uint8_t *body, int64_t value) noexcept
    int64_t recording_descriptor_stop_timestamp "ac_archive_recording_descriptor_stop_timestamp"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_put_stop_timestamp \
        "ac_archive_recording_descriptor_put_stop_timestamp"(uint8_t *body, int64_t value) noexcept
    int64_t recording_descriptor_start_position "ac_archive_recording_descriptor_start_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_put_start_position \
        "ac_archive_recording_descriptor_put_start_position"(uint8_t *body, int64_t value) noexcept
    int64_t recording_descriptor_stop_position "ac_archive_recording_descriptor_stop_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_put_stop_position "ac_archive_recording_descriptor_put_stop_position"(
        uint8_t *body, int64_t value) noexcept
    int32_t recording_descriptor_initial_term_id "ac_archive_recording_descriptor_initial_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_put_initial_term_id \
        "ac_archive_recording_descriptor_put_initial_term_id"(uint8_t *body, int32_t value) noexcept
    int32_t recording_descriptor_segment_file_length \
        "ac_archive_recording_descriptor_segment_file_length"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_put_segment_file_length \
        "ac_archive_recording_descriptor_put_segment_file_length"(
            uint8_t *body, int32_t value) noexcept
    int32_t recording_descriptor_term_buffer_length \
        "ac_archive_recording_descriptor_term_buffer_length"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_put_term_buffer_length \
        "ac_archive_recording_descriptor_put_term_buffer_length"(
            uint8_t *body, int32_t value) noexcept
    int32_t recording_descriptor_mtu_length "ac_archive_recording_descriptor_mtu_length"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_descriptor_put_mtu_length "ac_archive_recording_descriptor_put_mtu_length"(
        uint8_t *body, int32_t value) noexcept
    int32_t recording_descriptor_session_id "ac_archive_recording_descriptor_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
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
        RECORDING_SUBSCRIPTION_DESCRIPTOR_TEMPLATE_ID \
            "AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_TEMPLATE_ID"
        RECORDING_SUBSCRIPTION_DESCRIPTOR_BLOCK_LENGTH \
            "AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_BLOCK_LENGTH"
        RECORDING_SUBSCRIPTION_DESCRIPTOR_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_CONTROL_SESSION_ID_OFFSET"
        RECORDING_SUBSCRIPTION_DESCRIPTOR_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_CORRELATION_ID_OFFSET"
        RECORDING_SUBSCRIPTION_DESCRIPTOR_SUBSCRIPTION_ID_OFFSET \
            "AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_SUBSCRIPTION_ID_OFFSET"
        RECORDING_SUBSCRIPTION_DESCRIPTOR_STREAM_ID_OFFSET \
            "AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_STREAM_ID_OFFSET"

    int64_t recording_subscription_descriptor_control_session_id \
        "ac_archive_recording_subscription_descriptor_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_subscription_descriptor_put_control_session_id \
        "ac_archive_recording_subscription_descriptor_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t recording_subscription_descriptor_correlation_id \
        "ac_archive_recording_subscription_descriptor_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_subscription_descriptor_put_correlation_id \
        "ac_archive_recording_subscription_descriptor_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t recording_subscription_descriptor_subscription_id \
        "ac_archive_recording_subscription_descriptor_subscription_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_subscription_descriptor_put_subscription_id \
        "ac_archive_recording_subscription_descriptor_put_subscription_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t recording_subscription_descriptor_stream_id \
        "ac_archive_recording_subscription_descriptor_stream_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_subscription_descriptor_put_stream_id \
        "ac_archive_recording_subscription_descriptor_put_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int64_t recording_subscription_descriptor_read_stripped_channel \
        "ac_archive_recording_subscription_descriptor_read_stripped_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint recording_subscription_descriptor_write_stripped_channel \
        "ac_archive_recording_subscription_descriptor_write_stripped_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *recording_subscription_descriptor_begin \
        "ac_archive_recording_subscription_descriptor_begin"(sbe_writer *writer) noexcept

    enum:
        RECORDING_SIGNAL_EVENT_TEMPLATE_ID "AC_ARCHIVE_RECORDING_SIGNAL_EVENT_TEMPLATE_ID"
        RECORDING_SIGNAL_EVENT_BLOCK_LENGTH "AC_ARCHIVE_RECORDING_SIGNAL_EVENT_BLOCK_LENGTH"
        RECORDING_SIGNAL_EVENT_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_RECORDING_SIGNAL_EVENT_CONTROL_SESSION_ID_OFFSET"
        RECORDING_SIGNAL_EVENT_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_RECORDING_SIGNAL_EVENT_CORRELATION_ID_OFFSET"
        RECORDING_SIGNAL_EVENT_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_RECORDING_SIGNAL_EVENT_RECORDING_ID_OFFSET"
        RECORDING_SIGNAL_EVENT_SUBSCRIPTION_ID_OFFSET \
            "AC_ARCHIVE_RECORDING_SIGNAL_EVENT_SUBSCRIPTION_ID_OFFSET"
        RECORDING_SIGNAL_EVENT_POSITION_OFFSET "AC_ARCHIVE_RECORDING_SIGNAL_EVENT_POSITION_OFFSET"
        RECORDING_SIGNAL_EVENT_SIGNAL_OFFSET "AC_ARCHIVE_RECORDING_SIGNAL_EVENT_SIGNAL_OFFSET"

    int64_t recording_signal_event_control_session_id \
        "ac_archive_recording_signal_event_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_signal_event_put_control_session_id \
        "ac_archive_recording_signal_event_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t recording_signal_event_correlation_id \
        "ac_archive_recording_signal_event_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_signal_event_put_correlation_id \
        "ac_archive_recording_signal_event_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t recording_signal_event_recording_id "ac_archive_recording_signal_event_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_signal_event_put_recording_id \
        "ac_archive_recording_signal_event_put_recording_id"(uint8_t *body, int64_t value) noexcept
    int64_t recording_signal_event_subscription_id \
        "ac_archive_recording_signal_event_subscription_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_signal_event_put_subscription_id \
        "ac_archive_recording_signal_event_put_subscription_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t recording_signal_event_position "ac_archive_recording_signal_event_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_signal_event_put_position "ac_archive_recording_signal_event_put_position"(
        uint8_t *body, int64_t value) noexcept
    int32_t recording_signal_event_signal "ac_archive_recording_signal_event_signal"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_signal_event_put_signal "ac_archive_recording_signal_event_put_signal"(
        uint8_t *body, int32_t value) noexcept
    uint8_t *recording_signal_event_begin "ac_archive_recording_signal_event_begin"(
        sbe_writer *writer) noexcept

    enum:
        REPLICATE_REQUEST_TEMPLATE_ID "AC_ARCHIVE_REPLICATE_REQUEST_TEMPLATE_ID"
        REPLICATE_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_REPLICATE_REQUEST_BLOCK_LENGTH"
        REPLICATE_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_REPLICATE_REQUEST_CONTROL_SESSION_ID_OFFSET"
        REPLICATE_REQUEST_CORRELATION_ID_OFFSET "AC_ARCHIVE_REPLICATE_REQUEST_CORRELATION_ID_OFFSET"
        REPLICATE_REQUEST_SRC_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_REPLICATE_REQUEST_SRC_RECORDING_ID_OFFSET"
        REPLICATE_REQUEST_DST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_REPLICATE_REQUEST_DST_RECORDING_ID_OFFSET"
        REPLICATE_REQUEST_SRC_CONTROL_STREAM_ID_OFFSET \
            "AC_ARCHIVE_REPLICATE_REQUEST_SRC_CONTROL_STREAM_ID_OFFSET"

    int64_t replicate_request_control_session_id "ac_archive_replicate_request_control_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replicate_request_put_control_session_id \
        "ac_archive_replicate_request_put_control_session_id"(uint8_t *body, int64_t value) noexcept
    int64_t replicate_request_correlation_id "ac_archive_replicate_request_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replicate_request_put_correlation_id "ac_archive_replicate_request_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t replicate_request_src_recording_id "ac_archive_replicate_request_src_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replicate_request_put_src_recording_id "ac_archive_replicate_request_put_src_recording_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t replicate_request_dst_recording_id "ac_archive_replicate_request_dst_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replicate_request_put_dst_recording_id "ac_archive_replicate_request_put_dst_recording_id"(
        uint8_t *body, int64_t value) noexcept
    int32_t replicate_request_src_control_stream_id \
        "ac_archive_replicate_request_src_control_stream_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replicate_request_put_src_control_stream_id \
        "ac_archive_replicate_request_put_src_control_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int64_t replicate_request_read_src_control_channel \
        "ac_archive_replicate_request_read_src_control_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint replicate_request_write_src_control_channel \
        "ac_archive_replicate_request_write_src_control_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t replicate_request_read_live_destination \
        "ac_archive_replicate_request_read_live_destination"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint replicate_request_write_live_destination \
        "ac_archive_replicate_request_write_live_destination"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *replicate_request_begin "ac_archive_replicate_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        STOP_REPLICATION_REQUEST_TEMPLATE_ID "AC_ARCHIVE_STOP_REPLICATION_REQUEST_TEMPLATE_ID"
        STOP_REPLICATION_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_STOP_REPLICATION_REQUEST_BLOCK_LENGTH"
        STOP_REPLICATION_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_STOP_REPLICATION_REQUEST_CONTROL_SESSION_ID_OFFSET"
        STOP_REPLICATION_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_STOP_REPLICATION_REQUEST_CORRELATION_ID_OFFSET"
        STOP_REPLICATION_REQUEST_REPLICATION_ID_OFFSET \
            "AC_ARCHIVE_STOP_REPLICATION_REQUEST_REPLICATION_ID_OFFSET"

    int64_t stop_replication_request_control_session_id \
        "ac_archive_stop_replication_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_replication_request_put_control_session_id \
        "ac_archive_stop_replication_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t stop_replication_request_correlation_id \
        "ac_archive_stop_replication_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_replication_request_put_correlation_id \
        "ac_archive_stop_replication_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t stop_replication_request_replication_id \
        "ac_archive_stop_replication_request_replication_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_replication_request_put_replication_id \
        "ac_archive_stop_replication_request_put_replication_id"(
            uint8_t *body, int64_t value) noexcept
    uint8_t *stop_replication_request_begin "ac_archive_stop_replication_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        START_POSITION_REQUEST_TEMPLATE_ID "AC_ARCHIVE_START_POSITION_REQUEST_TEMPLATE_ID"
        START_POSITION_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_START_POSITION_REQUEST_BLOCK_LENGTH"
        START_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_START_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET"
        START_POSITION_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_START_POSITION_REQUEST_CORRELATION_ID_OFFSET"
        START_POSITION_REQUEST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_START_POSITION_REQUEST_RECORDING_ID_OFFSET"

    int64_t start_position_request_control_session_id \
        "ac_archive_start_position_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void start_position_request_put_control_session_id \
        "ac_archive_start_position_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t start_position_request_correlation_id \
        "ac_archive_start_position_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void start_position_request_put_correlation_id \
        "ac_archive_start_position_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t start_position_request_recording_id "ac_archive_start_position_request_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void start_position_request_put_recording_id \
        "ac_archive_start_position_request_put_recording_id"(uint8_t *body, int64_t value) noexcept
    uint8_t *start_position_request_begin "ac_archive_start_position_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        DETACH_SEGMENTS_REQUEST_TEMPLATE_ID "AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_TEMPLATE_ID"
        DETACH_SEGMENTS_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_BLOCK_LENGTH"
        DETACH_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET"
        DETACH_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET"
        DETACH_SEGMENTS_REQUEST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_RECORDING_ID_OFFSET"
        DETACH_SEGMENTS_REQUEST_NEW_START_POSITION_OFFSET \
            "AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_NEW_START_POSITION_OFFSET"

    int64_t detach_segments_request_control_session_id \
        "ac_archive_detach_segments_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void detach_segments_request_put_control_session_id \
        "ac_archive_detach_segments_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t detach_segments_request_correlation_id \
        "ac_archive_detach_segments_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void detach_segments_request_put_correlation_id \
        "ac_archive_detach_segments_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t detach_segments_request_recording_id "ac_archive_detach_segments_request_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void detach_segments_request_put_recording_id \
        "ac_archive_detach_segments_request_put_recording_id"(uint8_t *body, int64_t value) noexcept
    int64_t detach_segments_request_new_start_position \
        "ac_archive_detach_segments_request_new_start_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void detach_segments_request_put_new_start_position \
        "ac_archive_detach_segments_request_put_new_start_position"(
            uint8_t *body, int64_t value) noexcept
    uint8_t *detach_segments_request_begin "ac_archive_detach_segments_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        DELETE_DETACHED_SEGMENTS_REQUEST_TEMPLATE_ID \
            "AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_TEMPLATE_ID"
        DELETE_DETACHED_SEGMENTS_REQUEST_BLOCK_LENGTH \
            "AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_BLOCK_LENGTH"
        DELETE_DETACHED_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET"
        DELETE_DETACHED_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET"
        DELETE_DETACHED_SEGMENTS_REQUEST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_RECORDING_ID_OFFSET"

    int64_t delete_detached_segments_request_control_session_id \
        "ac_archive_delete_detached_segments_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void delete_detached_segments_request_put_control_session_id \
        "ac_archive_delete_detached_segments_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t delete_detached_segments_request_correlation_id \
        "ac_archive_delete_detached_segments_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void delete_detached_segments_request_put_correlation_id \
        "ac_archive_delete_detached_segments_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t delete_detached_segments_request_recording_id \
        "ac_archive_delete_detached_segments_request_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void delete_detached_segments_request_put_recording_id \
        "ac_archive_delete_detached_segments_request_put_recording_id"(
            uint8_t *body, int64_t value) noexcept
    uint8_t *delete_detached_segments_request_begin \
        "ac_archive_delete_detached_segments_request_begin"(sbe_writer *writer) noexcept

    enum:
        PURGE_SEGMENTS_REQUEST_TEMPLATE_ID "AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_TEMPLATE_ID"
        PURGE_SEGMENTS_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_BLOCK_LENGTH"
        PURGE_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET"
        PURGE_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET"
        PURGE_SEGMENTS_REQUEST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_RECORDING_ID_OFFSET"
        PURGE_SEGMENTS_REQUEST_NEW_START_POSITION_OFFSET \
            "AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_NEW_START_POSITION_OFFSET"

    int64_t purge_segments_request_control_session_id \
        "ac_archive_purge_segments_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void purge_segments_request_put_control_session_id \
        "ac_archive_purge_segments_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t purge_segments_request_correlation_id \
        "ac_archive_purge_segments_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void purge_segments_request_put_correlation_id \
        "ac_archive_purge_segments_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t purge_segments_request_recording_id "ac_archive_purge_segments_request_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void purge_segments_request_put_recording_id \
        "ac_archive_purge_segments_request_put_recording_id"(uint8_t *body, int64_t value) noexcept
    int64_t purge_segments_request_new_start_position \
        "ac_archive_purge_segments_request_new_start_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void purge_segments_request_put_new_start_position \
        "ac_archive_purge_segments_request_put_new_start_position"(
            uint8_t *body, int64_t value) noexcept
    uint8_t *purge_segments_request_begin "ac_archive_purge_segments_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        ATTACH_SEGMENTS_REQUEST_TEMPLATE_ID "AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_TEMPLATE_ID"
        ATTACH_SEGMENTS_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_BLOCK_LENGTH"
        ATTACH_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET"
        ATTACH_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET"
        ATTACH_SEGMENTS_REQUEST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_RECORDING_ID_OFFSET"

    int64_t attach_segments_request_control_session_id \
        "ac_archive_attach_segments_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void attach_segments_request_put_control_session_id \
        "ac_archive_attach_segments_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t attach_segments_request_correlation_id \
        "ac_archive_attach_segments_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void attach_segments_request_put_correlation_id \
        "ac_archive_attach_segments_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t attach_segments_request_recording_id "ac_archive_attach_segments_request_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void attach_segments_request_put_recording_id \
        "ac_archive_attach_segments_request_put_recording_id"(uint8_t *body, int64_t value) noexcept
    uint8_t *attach_segments_request_begin "ac_archive_attach_segments_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        MIGRATE_SEGMENTS_REQUEST_TEMPLATE_ID "AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_TEMPLATE_ID"
        MIGRATE_SEGMENTS_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_BLOCK_LENGTH"
        MIGRATE_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET"
        MIGRATE_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET"
        MIGRATE_SEGMENTS_REQUEST_SRC_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_SRC_RECORDING_ID_OFFSET"
        MIGRATE_SEGMENTS_REQUEST_DST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_DST_RECORDING_ID_OFFSET"

    int64_t migrate_segments_request_control_session_id \
        "ac_archive_migrate_segments_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void migrate_segments_request_put_control_session_id \
        "ac_archive_migrate_segments_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t migrate_segments_request_correlation_id \
        "ac_archive_migrate_segments_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void migrate_segments_request_put_correlation_id \
        "ac_archive_migrate_segments_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t migrate_segments_request_src_recording_id \
        "ac_archive_migrate_segments_request_src_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void migrate_segments_request_put_src_recording_id \
        "ac_archive_migrate_segments_request_put_src_recording_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t migrate_segments_request_dst_recording_id \
        "ac_archive_migrate_segments_request_dst_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void migrate_segments_request_put_dst_recording_id \
        "ac_archive_migrate_segments_request_put_dst_recording_id"(
            uint8_t *body, int64_t value) noexcept
    uint8_t *migrate_segments_request_begin "ac_archive_migrate_segments_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        AUTH_CONNECT_REQUEST_TEMPLATE_ID "AC_ARCHIVE_AUTH_CONNECT_REQUEST_TEMPLATE_ID"
        AUTH_CONNECT_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_AUTH_CONNECT_REQUEST_BLOCK_LENGTH"
        AUTH_CONNECT_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_AUTH_CONNECT_REQUEST_CORRELATION_ID_OFFSET"
        AUTH_CONNECT_REQUEST_RESPONSE_STREAM_ID_OFFSET \
            "AC_ARCHIVE_AUTH_CONNECT_REQUEST_RESPONSE_STREAM_ID_OFFSET"
        AUTH_CONNECT_REQUEST_VERSION_OFFSET "AC_ARCHIVE_AUTH_CONNECT_REQUEST_VERSION_OFFSET"

    int64_t auth_connect_request_correlation_id "ac_archive_auth_connect_request_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void auth_connect_request_put_correlation_id \
        "ac_archive_auth_connect_request_put_correlation_id"(uint8_t *body, int64_t value) noexcept
    int32_t auth_connect_request_response_stream_id \
        "ac_archive_auth_connect_request_response_stream_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void auth_connect_request_put_response_stream_id \
        "ac_archive_auth_connect_request_put_response_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t auth_connect_request_version "ac_archive_auth_connect_request_version"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void auth_connect_request_put_version "ac_archive_auth_connect_request_put_version"(
        uint8_t *body, int32_t value) noexcept
    int64_t auth_connect_request_read_response_channel \
        "ac_archive_auth_connect_request_read_response_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint auth_connect_request_write_response_channel \
        "ac_archive_auth_connect_request_write_response_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t auth_connect_request_read_encoded_credentials \
        "ac_archive_auth_connect_request_read_encoded_credentials"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint auth_connect_request_write_encoded_credentials \
        "ac_archive_auth_connect_request_write_encoded_credentials"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t auth_connect_request_read_client_info \
        "ac_archive_auth_connect_request_read_client_info"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint auth_connect_request_write_client_info "ac_archive_auth_connect_request_write_client_info"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *auth_connect_request_begin "ac_archive_auth_connect_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        CHALLENGE_TEMPLATE_ID "AC_ARCHIVE_CHALLENGE_TEMPLATE_ID"
        CHALLENGE_BLOCK_LENGTH "AC_ARCHIVE_CHALLENGE_BLOCK_LENGTH"
        CHALLENGE_CONTROL_SESSION_ID_OFFSET "AC_ARCHIVE_CHALLENGE_CONTROL_SESSION_ID_OFFSET"
        CHALLENGE_CORRELATION_ID_OFFSET "AC_ARCHIVE_CHALLENGE_CORRELATION_ID_OFFSET"
        CHALLENGE_VERSION_OFFSET "AC_ARCHIVE_CHALLENGE_VERSION_OFFSET"

    int64_t challenge_control_session_id "ac_archive_challenge_control_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void challenge_put_control_session_id "ac_archive_challenge_put_control_session_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t challenge_correlation_id "ac_archive_challenge_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void challenge_put_correlation_id "ac_archive_challenge_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int32_t challenge_version "ac_archive_challenge_version"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void challenge_put_version "ac_archive_challenge_put_version"(
        uint8_t *body, int32_t value) noexcept
    int64_t challenge_read_encoded_challenge "ac_archive_challenge_read_encoded_challenge"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint challenge_write_encoded_challenge "ac_archive_challenge_write_encoded_challenge"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *challenge_begin "ac_archive_challenge_begin"(sbe_writer *writer) noexcept

    enum:
        CHALLENGE_RESPONSE_TEMPLATE_ID "AC_ARCHIVE_CHALLENGE_RESPONSE_TEMPLATE_ID"
        CHALLENGE_RESPONSE_BLOCK_LENGTH "AC_ARCHIVE_CHALLENGE_RESPONSE_BLOCK_LENGTH"
        CHALLENGE_RESPONSE_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_CHALLENGE_RESPONSE_CONTROL_SESSION_ID_OFFSET"
        CHALLENGE_RESPONSE_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_CHALLENGE_RESPONSE_CORRELATION_ID_OFFSET"

    int64_t challenge_response_control_session_id \
        "ac_archive_challenge_response_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void challenge_response_put_control_session_id \
        "ac_archive_challenge_response_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t challenge_response_correlation_id "ac_archive_challenge_response_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void challenge_response_put_correlation_id "ac_archive_challenge_response_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t challenge_response_read_encoded_credentials \
        "ac_archive_challenge_response_read_encoded_credentials"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint challenge_response_write_encoded_credentials \
        "ac_archive_challenge_response_write_encoded_credentials"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *challenge_response_begin "ac_archive_challenge_response_begin"(
        sbe_writer *writer) noexcept

    enum:
        KEEP_ALIVE_REQUEST_TEMPLATE_ID "AC_ARCHIVE_KEEP_ALIVE_REQUEST_TEMPLATE_ID"
        KEEP_ALIVE_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_KEEP_ALIVE_REQUEST_BLOCK_LENGTH"
        KEEP_ALIVE_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_KEEP_ALIVE_REQUEST_CONTROL_SESSION_ID_OFFSET"
        KEEP_ALIVE_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_KEEP_ALIVE_REQUEST_CORRELATION_ID_OFFSET"

    int64_t keep_alive_request_control_session_id \
        "ac_archive_keep_alive_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void keep_alive_request_put_control_session_id \
        "ac_archive_keep_alive_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t keep_alive_request_correlation_id "ac_archive_keep_alive_request_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void keep_alive_request_put_correlation_id "ac_archive_keep_alive_request_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *keep_alive_request_begin "ac_archive_keep_alive_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        TAGGED_REPLICATE_REQUEST_TEMPLATE_ID "AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_TEMPLATE_ID"
        TAGGED_REPLICATE_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_BLOCK_LENGTH"
        TAGGED_REPLICATE_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_CONTROL_SESSION_ID_OFFSET"
        TAGGED_REPLICATE_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_CORRELATION_ID_OFFSET"
        TAGGED_REPLICATE_REQUEST_SRC_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_SRC_RECORDING_ID_OFFSET"
        TAGGED_REPLICATE_REQUEST_DST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_DST_RECORDING_ID_OFFSET"
        TAGGED_REPLICATE_REQUEST_CHANNEL_TAG_ID_OFFSET \
            "AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_CHANNEL_TAG_ID_OFFSET"
        TAGGED_REPLICATE_REQUEST_SUBSCRIPTION_TAG_ID_OFFSET \
            "AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_SUBSCRIPTION_TAG_ID_OFFSET"
        TAGGED_REPLICATE_REQUEST_SRC_CONTROL_STREAM_ID_OFFSET \
            "AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_SRC_CONTROL_STREAM_ID_OFFSET"

    int64_t tagged_replicate_request_control_session_id \
        "ac_archive_tagged_replicate_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void tagged_replicate_request_put_control_session_id \
        "ac_archive_tagged_replicate_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t tagged_replicate_request_correlation_id \
        "ac_archive_tagged_replicate_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void tagged_replicate_request_put_correlation_id \
        "ac_archive_tagged_replicate_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t tagged_replicate_request_src_recording_id \
        "ac_archive_tagged_replicate_request_src_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void tagged_replicate_request_put_src_recording_id \
        "ac_archive_tagged_replicate_request_put_src_recording_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t tagged_replicate_request_dst_recording_id \
        "ac_archive_tagged_replicate_request_dst_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void tagged_replicate_request_put_dst_recording_id \
        "ac_archive_tagged_replicate_request_put_dst_recording_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t tagged_replicate_request_channel_tag_id \
        "ac_archive_tagged_replicate_request_channel_tag_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void tagged_replicate_request_put_channel_tag_id \
        "ac_archive_tagged_replicate_request_put_channel_tag_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t tagged_replicate_request_subscription_tag_id \
        "ac_archive_tagged_replicate_request_subscription_tag_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void tagged_replicate_request_put_subscription_tag_id \
        "ac_archive_tagged_replicate_request_put_subscription_tag_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t tagged_replicate_request_src_control_stream_id \
        "ac_archive_tagged_replicate_request_src_control_stream_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void tagged_replicate_request_put_src_control_stream_id \
        "ac_archive_tagged_replicate_request_put_src_control_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int64_t tagged_replicate_request_read_src_control_channel \
        "ac_archive_tagged_replicate_request_read_src_control_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint tagged_replicate_request_write_src_control_channel \
        "ac_archive_tagged_replicate_request_write_src_control_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t tagged_replicate_request_read_live_destination \
        "ac_archive_tagged_replicate_request_read_live_destination"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint tagged_replicate_request_write_live_destination \
        "ac_archive_tagged_replicate_request_write_live_destination"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *tagged_replicate_request_begin "ac_archive_tagged_replicate_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        START_RECORDING_REQUEST2_TEMPLATE_ID "AC_ARCHIVE_START_RECORDING_REQUEST2_TEMPLATE_ID"
        START_RECORDING_REQUEST2_BLOCK_LENGTH "AC_ARCHIVE_START_RECORDING_REQUEST2_BLOCK_LENGTH"
        START_RECORDING_REQUEST2_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_START_RECORDING_REQUEST2_CONTROL_SESSION_ID_OFFSET"
        START_RECORDING_REQUEST2_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_START_RECORDING_REQUEST2_CORRELATION_ID_OFFSET"
        START_RECORDING_REQUEST2_STREAM_ID_OFFSET \
            "AC_ARCHIVE_START_RECORDING_REQUEST2_STREAM_ID_OFFSET"
        START_RECORDING_REQUEST2_SOURCE_LOCATION_OFFSET \
            "AC_ARCHIVE_START_RECORDING_REQUEST2_SOURCE_LOCATION_OFFSET"
        START_RECORDING_REQUEST2_AUTO_STOP_OFFSET \
            "AC_ARCHIVE_START_RECORDING_REQUEST2_AUTO_STOP_OFFSET"

    int64_t start_recording_request2_control_session_id \
        "ac_archive_start_recording_request2_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void start_recording_request2_put_control_session_id \
        "ac_archive_start_recording_request2_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t start_recording_request2_correlation_id \
        "ac_archive_start_recording_request2_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void start_recording_request2_put_correlation_id \
        "ac_archive_start_recording_request2_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t start_recording_request2_stream_id "ac_archive_start_recording_request2_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void start_recording_request2_put_stream_id "ac_archive_start_recording_request2_put_stream_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t start_recording_request2_source_location \
        "ac_archive_start_recording_request2_source_location"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void start_recording_request2_put_source_location \
        "ac_archive_start_recording_request2_put_source_location"(
            uint8_t *body, int32_t value) noexcept
    int32_t start_recording_request2_auto_stop "ac_archive_start_recording_request2_auto_stop"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void start_recording_request2_put_auto_stop "ac_archive_start_recording_request2_put_auto_stop"(
        uint8_t *body, int32_t value) noexcept
    int64_t start_recording_request2_read_channel \
        "ac_archive_start_recording_request2_read_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint start_recording_request2_write_channel "ac_archive_start_recording_request2_write_channel"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *start_recording_request2_begin "ac_archive_start_recording_request2_begin"(
        sbe_writer *writer) noexcept

    enum:
        EXTEND_RECORDING_REQUEST2_TEMPLATE_ID "AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_TEMPLATE_ID"
        EXTEND_RECORDING_REQUEST2_BLOCK_LENGTH "AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_BLOCK_LENGTH"
        EXTEND_RECORDING_REQUEST2_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_CONTROL_SESSION_ID_OFFSET"
        EXTEND_RECORDING_REQUEST2_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_CORRELATION_ID_OFFSET"
        EXTEND_RECORDING_REQUEST2_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_RECORDING_ID_OFFSET"
        EXTEND_RECORDING_REQUEST2_STREAM_ID_OFFSET \
            "AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_STREAM_ID_OFFSET"
        EXTEND_RECORDING_REQUEST2_SOURCE_LOCATION_OFFSET \
            "AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_SOURCE_LOCATION_OFFSET"
        EXTEND_RECORDING_REQUEST2_AUTO_STOP_OFFSET \
            "AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_AUTO_STOP_OFFSET"

    int64_t extend_recording_request2_control_session_id \
        "ac_archive_extend_recording_request2_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void extend_recording_request2_put_control_session_id \
        "ac_archive_extend_recording_request2_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t extend_recording_request2_correlation_id \
        "ac_archive_extend_recording_request2_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void extend_recording_request2_put_correlation_id \
        "ac_archive_extend_recording_request2_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t extend_recording_request2_recording_id \
        "ac_archive_extend_recording_request2_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void extend_recording_request2_put_recording_id \
        "ac_archive_extend_recording_request2_put_recording_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t extend_recording_request2_stream_id "ac_archive_extend_recording_request2_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void extend_recording_request2_put_stream_id \
        "ac_archive_extend_recording_request2_put_stream_id"(uint8_t *body, int32_t value) noexcept
    int32_t extend_recording_request2_source_location \
        "ac_archive_extend_recording_request2_source_location"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void extend_recording_request2_put_source_location \
        "ac_archive_extend_recording_request2_put_source_location"(
            uint8_t *body, int32_t value) noexcept
    int32_t extend_recording_request2_auto_stop "ac_archive_extend_recording_request2_auto_stop"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void extend_recording_request2_put_auto_stop \
        "ac_archive_extend_recording_request2_put_auto_stop"(uint8_t *body, int32_t value) noexcept
    int64_t extend_recording_request2_read_channel \
        "ac_archive_extend_recording_request2_read_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint extend_recording_request2_write_channel \
        "ac_archive_extend_recording_request2_write_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *extend_recording_request2_begin "ac_archive_extend_recording_request2_begin"(
        sbe_writer *writer) noexcept

    enum:
        STOP_RECORDING_BY_IDENTITY_REQUEST_TEMPLATE_ID \
            "AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_TEMPLATE_ID"
        STOP_RECORDING_BY_IDENTITY_REQUEST_BLOCK_LENGTH \
            "AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_BLOCK_LENGTH"
        STOP_RECORDING_BY_IDENTITY_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_CONTROL_SESSION_ID_OFFSET"
        STOP_RECORDING_BY_IDENTITY_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_CORRELATION_ID_OFFSET"
        STOP_RECORDING_BY_IDENTITY_REQUEST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_RECORDING_ID_OFFSET"

    int64_t stop_recording_by_identity_request_control_session_id \
        "ac_archive_stop_recording_by_identity_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_recording_by_identity_request_put_control_session_id \
        "ac_archive_stop_recording_by_identity_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t stop_recording_by_identity_request_correlation_id \
        "ac_archive_stop_recording_by_identity_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_recording_by_identity_request_put_correlation_id \
        "ac_archive_stop_recording_by_identity_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t stop_recording_by_identity_request_recording_id \
        "ac_archive_stop_recording_by_identity_request_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_recording_by_identity_request_put_recording_id \
        "ac_archive_stop_recording_by_identity_request_put_recording_id"(
            uint8_t *body, int64_t value) noexcept
    uint8_t *stop_recording_by_identity_request_begin \
        "ac_archive_stop_recording_by_identity_request_begin"(sbe_writer *writer) noexcept

    enum:
        REPLICATE_REQUEST2_TEMPLATE_ID "AC_ARCHIVE_REPLICATE_REQUEST2_TEMPLATE_ID"
        REPLICATE_REQUEST2_BLOCK_LENGTH "AC_ARCHIVE_REPLICATE_REQUEST2_BLOCK_LENGTH"
        REPLICATE_REQUEST2_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_REPLICATE_REQUEST2_CONTROL_SESSION_ID_OFFSET"
        REPLICATE_REQUEST2_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_REPLICATE_REQUEST2_CORRELATION_ID_OFFSET"
        REPLICATE_REQUEST2_SRC_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_REPLICATE_REQUEST2_SRC_RECORDING_ID_OFFSET"
        REPLICATE_REQUEST2_DST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_REPLICATE_REQUEST2_DST_RECORDING_ID_OFFSET"
        REPLICATE_REQUEST2_STOP_POSITION_OFFSET "AC_ARCHIVE_REPLICATE_REQUEST2_STOP_POSITION_OFFSET"
        REPLICATE_REQUEST2_CHANNEL_TAG_ID_OFFSET \
            "AC_ARCHIVE_REPLICATE_REQUEST2_CHANNEL_TAG_ID_OFFSET"
        REPLICATE_REQUEST2_SUBSCRIPTION_TAG_ID_OFFSET \
            "AC_ARCHIVE_REPLICATE_REQUEST2_SUBSCRIPTION_TAG_ID_OFFSET"
        REPLICATE_REQUEST2_SRC_CONTROL_STREAM_ID_OFFSET \
            "AC_ARCHIVE_REPLICATE_REQUEST2_SRC_CONTROL_STREAM_ID_OFFSET"
        REPLICATE_REQUEST2_FILE_IO_MAX_LENGTH_OFFSET \
            "AC_ARCHIVE_REPLICATE_REQUEST2_FILE_IO_MAX_LENGTH_OFFSET"
        REPLICATE_REQUEST2_REPLICATION_SESSION_ID_OFFSET \
            "AC_ARCHIVE_REPLICATE_REQUEST2_REPLICATION_SESSION_ID_OFFSET"

    int64_t replicate_request2_control_session_id \
        "ac_archive_replicate_request2_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replicate_request2_put_control_session_id \
        "ac_archive_replicate_request2_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t replicate_request2_correlation_id "ac_archive_replicate_request2_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replicate_request2_put_correlation_id "ac_archive_replicate_request2_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t replicate_request2_src_recording_id "ac_archive_replicate_request2_src_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replicate_request2_put_src_recording_id \
        "ac_archive_replicate_request2_put_src_recording_id"(uint8_t *body, int64_t value) noexcept
    int64_t replicate_request2_dst_recording_id "ac_archive_replicate_request2_dst_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replicate_request2_put_dst_recording_id \
        "ac_archive_replicate_request2_put_dst_recording_id"(uint8_t *body, int64_t value) noexcept
    int64_t replicate_request2_stop_position "ac_archive_replicate_request2_stop_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replicate_request2_put_stop_position "ac_archive_replicate_request2_put_stop_position"(
        uint8_t *body, int64_t value) noexcept
    int64_t replicate_request2_channel_tag_id "ac_archive_replicate_request2_channel_tag_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replicate_request2_put_channel_tag_id "ac_archive_replicate_request2_put_channel_tag_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t replicate_request2_subscription_tag_id \
        "ac_archive_replicate_request2_subscription_tag_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replicate_request2_put_subscription_tag_id \
        "ac_archive_replicate_request2_put_subscription_tag_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t replicate_request2_src_control_stream_id \
        "ac_archive_replicate_request2_src_control_stream_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replicate_request2_put_src_control_stream_id \
        "ac_archive_replicate_request2_put_src_control_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t replicate_request2_file_io_max_length \
        "ac_archive_replicate_request2_file_io_max_length"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replicate_request2_put_file_io_max_length \
        "ac_archive_replicate_request2_put_file_io_max_length"(
            uint8_t *body, int32_t value) noexcept
    int32_t replicate_request2_replication_session_id \
        "ac_archive_replicate_request2_replication_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replicate_request2_put_replication_session_id \
        "ac_archive_replicate_request2_put_replication_session_id"(
            uint8_t *body, int32_t value) noexcept
    int64_t replicate_request2_read_src_control_channel \
        "ac_archive_replicate_request2_read_src_control_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint replicate_request2_write_src_control_channel \
        "ac_archive_replicate_request2_write_src_control_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t replicate_request2_read_live_destination \
        "ac_archive_replicate_request2_read_live_destination"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint replicate_request2_write_live_destination \
        "ac_archive_replicate_request2_write_live_destination"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t replicate_request2_read_replication_channel \
        "ac_archive_replicate_request2_read_replication_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint replicate_request2_write_replication_channel \
        "ac_archive_replicate_request2_write_replication_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t replicate_request2_read_encoded_credentials \
        "ac_archive_replicate_request2_read_encoded_credentials"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint replicate_request2_write_encoded_credentials \
        "ac_archive_replicate_request2_write_encoded_credentials"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t replicate_request2_read_src_response_channel \
        "ac_archive_replicate_request2_read_src_response_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint replicate_request2_write_src_response_channel \
        "ac_archive_replicate_request2_write_src_response_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *replicate_request2_begin "ac_archive_replicate_request2_begin"(
        sbe_writer *writer) noexcept

    enum:
        MAX_RECORDED_POSITION_REQUEST_TEMPLATE_ID \
            "AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_TEMPLATE_ID"
        MAX_RECORDED_POSITION_REQUEST_BLOCK_LENGTH \
            "AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_BLOCK_LENGTH"
        MAX_RECORDED_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET"
        MAX_RECORDED_POSITION_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_CORRELATION_ID_OFFSET"
        MAX_RECORDED_POSITION_REQUEST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_RECORDING_ID_OFFSET"

    int64_t max_recorded_position_request_control_session_id \
        "ac_archive_max_recorded_position_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void max_recorded_position_request_put_control_session_id \
        "ac_archive_max_recorded_position_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t max_recorded_position_request_correlation_id \
        "ac_archive_max_recorded_position_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void max_recorded_position_request_put_correlation_id \
        "ac_archive_max_recorded_position_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t max_recorded_position_request_recording_id \
        "ac_archive_max_recorded_position_request_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void max_recorded_position_request_put_recording_id \
        "ac_archive_max_recorded_position_request_put_recording_id"(
            uint8_t *body, int64_t value) noexcept
    uint8_t *max_recorded_position_request_begin "ac_archive_max_recorded_position_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        ARCHIVE_ID_REQUEST_TEMPLATE_ID "AC_ARCHIVE_ARCHIVE_ID_REQUEST_TEMPLATE_ID"
        ARCHIVE_ID_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_ARCHIVE_ID_REQUEST_BLOCK_LENGTH"
        ARCHIVE_ID_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_ARCHIVE_ID_REQUEST_CONTROL_SESSION_ID_OFFSET"
        ARCHIVE_ID_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_ARCHIVE_ID_REQUEST_CORRELATION_ID_OFFSET"

    int64_t archive_id_request_control_session_id \
        "ac_archive_archive_id_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void archive_id_request_put_control_session_id \
        "ac_archive_archive_id_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t archive_id_request_correlation_id "ac_archive_archive_id_request_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void archive_id_request_put_correlation_id "ac_archive_archive_id_request_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *archive_id_request_begin "ac_archive_archive_id_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        RECORDING_STARTED_TEMPLATE_ID "AC_ARCHIVE_RECORDING_STARTED_TEMPLATE_ID"
        RECORDING_STARTED_BLOCK_LENGTH "AC_ARCHIVE_RECORDING_STARTED_BLOCK_LENGTH"
        RECORDING_STARTED_RECORDING_ID_OFFSET "AC_ARCHIVE_RECORDING_STARTED_RECORDING_ID_OFFSET"
        RECORDING_STARTED_START_POSITION_OFFSET "AC_ARCHIVE_RECORDING_STARTED_START_POSITION_OFFSET"
        RECORDING_STARTED_SESSION_ID_OFFSET "AC_ARCHIVE_RECORDING_STARTED_SESSION_ID_OFFSET"
        RECORDING_STARTED_STREAM_ID_OFFSET "AC_ARCHIVE_RECORDING_STARTED_STREAM_ID_OFFSET"

    int64_t recording_started_recording_id "ac_archive_recording_started_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_started_put_recording_id "ac_archive_recording_started_put_recording_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t recording_started_start_position "ac_archive_recording_started_start_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_started_put_start_position "ac_archive_recording_started_put_start_position"(
        uint8_t *body, int64_t value) noexcept
    int32_t recording_started_session_id "ac_archive_recording_started_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_started_put_session_id "ac_archive_recording_started_put_session_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t recording_started_stream_id "ac_archive_recording_started_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_started_put_stream_id "ac_archive_recording_started_put_stream_id"(
        uint8_t *body, int32_t value) noexcept
    int64_t recording_started_read_channel "ac_archive_recording_started_read_channel"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint recording_started_write_channel "ac_archive_recording_started_write_channel"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t recording_started_read_source_identity \
        "ac_archive_recording_started_read_source_identity"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint recording_started_write_source_identity \
        "ac_archive_recording_started_write_source_identity"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *recording_started_begin "ac_archive_recording_started_begin"(
        sbe_writer *writer) noexcept

    enum:
        RECORDING_PROGRESS_TEMPLATE_ID "AC_ARCHIVE_RECORDING_PROGRESS_TEMPLATE_ID"
        RECORDING_PROGRESS_BLOCK_LENGTH "AC_ARCHIVE_RECORDING_PROGRESS_BLOCK_LENGTH"
        RECORDING_PROGRESS_RECORDING_ID_OFFSET "AC_ARCHIVE_RECORDING_PROGRESS_RECORDING_ID_OFFSET"
        RECORDING_PROGRESS_START_POSITION_OFFSET \
            "AC_ARCHIVE_RECORDING_PROGRESS_START_POSITION_OFFSET"
        RECORDING_PROGRESS_POSITION_OFFSET "AC_ARCHIVE_RECORDING_PROGRESS_POSITION_OFFSET"

    int64_t recording_progress_recording_id "ac_archive_recording_progress_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_progress_put_recording_id "ac_archive_recording_progress_put_recording_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t recording_progress_start_position "ac_archive_recording_progress_start_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_progress_put_start_position "ac_archive_recording_progress_put_start_position"(
        uint8_t *body, int64_t value) noexcept
    int64_t recording_progress_position "ac_archive_recording_progress_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_progress_put_position "ac_archive_recording_progress_put_position"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *recording_progress_begin "ac_archive_recording_progress_begin"(
        sbe_writer *writer) noexcept

    enum:
        RECORDING_STOPPED_TEMPLATE_ID "AC_ARCHIVE_RECORDING_STOPPED_TEMPLATE_ID"
        RECORDING_STOPPED_BLOCK_LENGTH "AC_ARCHIVE_RECORDING_STOPPED_BLOCK_LENGTH"
        RECORDING_STOPPED_RECORDING_ID_OFFSET "AC_ARCHIVE_RECORDING_STOPPED_RECORDING_ID_OFFSET"
        RECORDING_STOPPED_START_POSITION_OFFSET "AC_ARCHIVE_RECORDING_STOPPED_START_POSITION_OFFSET"
        RECORDING_STOPPED_STOP_POSITION_OFFSET "AC_ARCHIVE_RECORDING_STOPPED_STOP_POSITION_OFFSET"

    int64_t recording_stopped_recording_id "ac_archive_recording_stopped_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_stopped_put_recording_id "ac_archive_recording_stopped_put_recording_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t recording_stopped_start_position "ac_archive_recording_stopped_start_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_stopped_put_start_position "ac_archive_recording_stopped_put_start_position"(
        uint8_t *body, int64_t value) noexcept
    int64_t recording_stopped_stop_position "ac_archive_recording_stopped_stop_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void recording_stopped_put_stop_position "ac_archive_recording_stopped_put_stop_position"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *recording_stopped_begin "ac_archive_recording_stopped_begin"(
        sbe_writer *writer) noexcept

    enum:
        PURGE_RECORDING_REQUEST_TEMPLATE_ID "AC_ARCHIVE_PURGE_RECORDING_REQUEST_TEMPLATE_ID"
        PURGE_RECORDING_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_PURGE_RECORDING_REQUEST_BLOCK_LENGTH"
        PURGE_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_PURGE_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET"
        PURGE_RECORDING_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_PURGE_RECORDING_REQUEST_CORRELATION_ID_OFFSET"
        PURGE_RECORDING_REQUEST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_PURGE_RECORDING_REQUEST_RECORDING_ID_OFFSET"

    int64_t purge_recording_request_control_session_id \
        "ac_archive_purge_recording_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void purge_recording_request_put_control_session_id \
        "ac_archive_purge_recording_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t purge_recording_request_correlation_id \
        "ac_archive_purge_recording_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void purge_recording_request_put_correlation_id \
        "ac_archive_purge_recording_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t purge_recording_request_recording_id "ac_archive_purge_recording_request_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void purge_recording_request_put_recording_id \
        "ac_archive_purge_recording_request_put_recording_id"(uint8_t *body, int64_t value) noexcept
    uint8_t *purge_recording_request_begin "ac_archive_purge_recording_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        REPLAY_TOKEN_REQUEST_TEMPLATE_ID "AC_ARCHIVE_REPLAY_TOKEN_REQUEST_TEMPLATE_ID"
        REPLAY_TOKEN_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_REPLAY_TOKEN_REQUEST_BLOCK_LENGTH"
        REPLAY_TOKEN_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_REPLAY_TOKEN_REQUEST_CONTROL_SESSION_ID_OFFSET"
        REPLAY_TOKEN_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_REPLAY_TOKEN_REQUEST_CORRELATION_ID_OFFSET"
        REPLAY_TOKEN_REQUEST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_REPLAY_TOKEN_REQUEST_RECORDING_ID_OFFSET"

    int64_t replay_token_request_control_session_id \
        "ac_archive_replay_token_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replay_token_request_put_control_session_id \
        "ac_archive_replay_token_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t replay_token_request_correlation_id "ac_archive_replay_token_request_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replay_token_request_put_correlation_id \
        "ac_archive_replay_token_request_put_correlation_id"(uint8_t *body, int64_t value) noexcept
    int64_t replay_token_request_recording_id "ac_archive_replay_token_request_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void replay_token_request_put_recording_id "ac_archive_replay_token_request_put_recording_id"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *replay_token_request_begin "ac_archive_replay_token_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        PING_TEMPLATE_ID "AC_ARCHIVE_PING_TEMPLATE_ID"
        PING_BLOCK_LENGTH "AC_ARCHIVE_PING_BLOCK_LENGTH"
        PING_CONTROL_SESSION_ID_OFFSET "AC_ARCHIVE_PING_CONTROL_SESSION_ID_OFFSET"

    int64_t ping_control_session_id "ac_archive_ping_control_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void ping_put_control_session_id "ac_archive_ping_put_control_session_id"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *ping_begin "ac_archive_ping_begin"(sbe_writer *writer) noexcept

    enum:
        UPDATE_CHANNEL_REQUEST_TEMPLATE_ID "AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_TEMPLATE_ID"
        UPDATE_CHANNEL_REQUEST_BLOCK_LENGTH "AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_BLOCK_LENGTH"
        UPDATE_CHANNEL_REQUEST_CONTROL_SESSION_ID_OFFSET \
            "AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_CONTROL_SESSION_ID_OFFSET"
        UPDATE_CHANNEL_REQUEST_CORRELATION_ID_OFFSET \
            "AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_CORRELATION_ID_OFFSET"
        UPDATE_CHANNEL_REQUEST_RECORDING_ID_OFFSET \
            "AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_RECORDING_ID_OFFSET"

    int64_t update_channel_request_control_session_id \
        "ac_archive_update_channel_request_control_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void update_channel_request_put_control_session_id \
        "ac_archive_update_channel_request_put_control_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t update_channel_request_correlation_id \
        "ac_archive_update_channel_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void update_channel_request_put_correlation_id \
        "ac_archive_update_channel_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t update_channel_request_recording_id "ac_archive_update_channel_request_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void update_channel_request_put_recording_id \
        "ac_archive_update_channel_request_put_recording_id"(uint8_t *body, int64_t value) noexcept
    int64_t update_channel_request_read_channel "ac_archive_update_channel_request_read_channel"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint update_channel_request_write_channel "ac_archive_update_channel_request_write_channel"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *update_channel_request_begin "ac_archive_update_channel_request_begin"(
        sbe_writer *writer) noexcept
