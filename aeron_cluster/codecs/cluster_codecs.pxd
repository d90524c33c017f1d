# Generated from schemas/cluster.xml by tools/generate_codecs.py. Edit it, run the tool.
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t

from aeron_cluster.codecs.sbe cimport sbe_group, sbe_reader, sbe_writer


cdef extern from "aeron_cluster/codecs/cluster.h" nogil:
    enum:
        SCHEMA_ID "AC_CLUSTER_SCHEMA_ID"
        SCHEMA_VERSION "AC_CLUSTER_SCHEMA_VERSION"
        HEADER_LENGTH "AC_CLUSTER_HEADER_LENGTH"

    enum:
        BOOLEAN_TYPE_FALSE "AC_CLUSTER_BOOLEAN_TYPE_FALSE"
        BOOLEAN_TYPE_TRUE "AC_CLUSTER_BOOLEAN_TYPE_TRUE"
        BOOLEAN_TYPE_NULL_VALUE "AC_CLUSTER_BOOLEAN_TYPE_NULL_VALUE"

    enum:
        EVENT_CODE_OK "AC_CLUSTER_EVENT_CODE_OK"
        EVENT_CODE_ERROR "AC_CLUSTER_EVENT_CODE_ERROR"
        EVENT_CODE_REDIRECT "AC_CLUSTER_EVENT_CODE_REDIRECT"
        EVENT_CODE_AUTHENTICATION_REJECTED "AC_CLUSTER_EVENT_CODE_AUTHENTICATION_REJECTED"
        EVENT_CODE_CLOSED "AC_CLUSTER_EVENT_CODE_CLOSED"
        EVENT_CODE_NULL_VALUE "AC_CLUSTER_EVENT_CODE_NULL_VALUE"

    enum:
        CLOSE_REASON_CLIENT_ACTION "AC_CLUSTER_CLOSE_REASON_CLIENT_ACTION"
        CLOSE_REASON_SERVICE_ACTION "AC_CLUSTER_CLOSE_REASON_SERVICE_ACTION"
        CLOSE_REASON_TIMEOUT "AC_CLUSTER_CLOSE_REASON_TIMEOUT"
        CLOSE_REASON_NULL_VALUE "AC_CLUSTER_CLOSE_REASON_NULL_VALUE"

    enum:
        CLUSTER_ACTION_SUSPEND "AC_CLUSTER_CLUSTER_ACTION_SUSPEND"
        CLUSTER_ACTION_RESUME "AC_CLUSTER_CLUSTER_ACTION_RESUME"
        CLUSTER_ACTION_SNAPSHOT "AC_CLUSTER_CLUSTER_ACTION_SNAPSHOT"
        CLUSTER_ACTION_NULL_VALUE "AC_CLUSTER_CLUSTER_ACTION_NULL_VALUE"

    enum:
        SNAPSHOT_MARK_BEGIN "AC_CLUSTER_SNAPSHOT_MARK_BEGIN"
        SNAPSHOT_MARK_SECTION "AC_CLUSTER_SNAPSHOT_MARK_SECTION"
        SNAPSHOT_MARK_END "AC_CLUSTER_SNAPSHOT_MARK_END"
        SNAPSHOT_MARK_NULL_VALUE "AC_CLUSTER_SNAPSHOT_MARK_NULL_VALUE"

    enum:
        CHANGE_TYPE_JOIN "AC_CLUSTER_CHANGE_TYPE_JOIN"
        CHANGE_TYPE_QUIT "AC_CLUSTER_CHANGE_TYPE_QUIT"
        CHANGE_TYPE_NULL_VALUE "AC_CLUSTER_CHANGE_TYPE_NULL_VALUE"

    enum:
        CLUSTER_TIME_UNIT_MILLIS "AC_CLUSTER_CLUSTER_TIME_UNIT_MILLIS"
        CLUSTER_TIME_UNIT_MICROS "AC_CLUSTER_CLUSTER_TIME_UNIT_MICROS"
        CLUSTER_TIME_UNIT_NANOS "AC_CLUSTER_CLUSTER_TIME_UNIT_NANOS"
        CLUSTER_TIME_UNIT_NULL_VALUE "AC_CLUSTER_CLUSTER_TIME_UNIT_NULL_VALUE"

    enum:
        ADMIN_REQUEST_TYPE_SNAPSHOT "AC_CLUSTER_ADMIN_REQUEST_TYPE_SNAPSHOT"
        ADMIN_REQUEST_TYPE_NULL_VALUE "AC_CLUSTER_ADMIN_REQUEST_TYPE_NULL_VALUE"

    enum:
        ADMIN_RESPONSE_CODE_OK "AC_CLUSTER_ADMIN_RESPONSE_CODE_OK"
        ADMIN_RESPONSE_CODE_ERROR "AC_CLUSTER_ADMIN_RESPONSE_CODE_ERROR"
        ADMIN_RESPONSE_CODE_UNAUTHORISED_ACCESS "AC_CLUSTER_ADMIN_RESPONSE_CODE_UNAUTHORISED_ACCESS"
        ADMIN_RESPONSE_CODE_NULL_VALUE "AC_CLUSTER_ADMIN_RESPONSE_CODE_NULL_VALUE"

    enum:
        SESSION_MESSAGE_HEADER_TEMPLATE_ID "AC_CLUSTER_SESSION_MESSAGE_HEADER_TEMPLATE_ID"
        SESSION_MESSAGE_HEADER_BLOCK_LENGTH "AC_CLUSTER_SESSION_MESSAGE_HEADER_BLOCK_LENGTH"
        SESSION_MESSAGE_HEADER_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_SESSION_MESSAGE_HEADER_LEADERSHIP_TERM_ID_OFFSET"
        SESSION_MESSAGE_HEADER_CLUSTER_SESSION_ID_OFFSET \
            "AC_CLUSTER_SESSION_MESSAGE_HEADER_CLUSTER_SESSION_ID_OFFSET"
        SESSION_MESSAGE_HEADER_TIMESTAMP_OFFSET "AC_CLUSTER_SESSION_MESSAGE_HEADER_TIMESTAMP_OFFSET"

    int64_t session_message_header_leadership_term_id \
        "ac_cluster_session_message_header_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_message_header_put_leadership_term_id \
        "ac_cluster_session_message_header_put_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t session_message_header_cluster_session_id \
        "ac_cluster_session_message_header_cluster_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_message_header_put_cluster_session_id \
        "ac_cluster_session_message_header_put_cluster_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t session_message_header_timestamp "ac_cluster_session_message_header_timestamp"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_message_header_put_timestamp "ac_cluster_session_message_header_put_timestamp"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *session_message_header_begin "ac_cluster_session_message_header_begin"(
        sbe_writer *writer) noexcept

    enum:
        SESSION_EVENT_TEMPLATE_ID "AC_CLUSTER_SESSION_EVENT_TEMPLATE_ID"
        SESSION_EVENT_BLOCK_LENGTH "AC_CLUSTER_SESSION_EVENT_BLOCK_LENGTH"
        SESSION_EVENT_CLUSTER_SESSION_ID_OFFSET "AC_CLUSTER_SESSION_EVENT_CLUSTER_SESSION_ID_OFFSET"
        SESSION_EVENT_CORRELATION_ID_OFFSET "AC_CLUSTER_SESSION_EVENT_CORRELATION_ID_OFFSET"
        SESSION_EVENT_LEADERSHIP_TERM_ID_OFFSET "AC_CLUSTER_SESSION_EVENT_LEADERSHIP_TERM_ID_OFFSET"
        SESSION_EVENT_LEADER_MEMBER_ID_OFFSET "AC_CLUSTER_SESSION_EVENT_LEADER_MEMBER_ID_OFFSET"
        SESSION_EVENT_CODE_OFFSET "AC_CLUSTER_SESSION_EVENT_CODE_OFFSET"
        SESSION_EVENT_VERSION_OFFSET "AC_CLUSTER_SESSION_EVENT_VERSION_OFFSET"
        SESSION_EVENT_LEADER_HEARTBEAT_TIMEOUT_NS_OFFSET \
            "AC_CLUSTER_SESSION_EVENT_LEADER_HEARTBEAT_TIMEOUT_NS_OFFSET"

    int64_t session_event_cluster_session_id "ac_cluster_session_event_cluster_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_event_put_cluster_session_id "ac_cluster_session_event_put_cluster_session_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t session_event_correlation_id "ac_cluster_session_event_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_event_put_correlation_id "ac_cluster_session_event_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t session_event_leadership_term_id "ac_cluster_session_event_leadership_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_event_put_leadership_term_id "ac_cluster_session_event_put_leadership_term_id"(
        uint8_t *body, int64_t value) noexcept
    int32_t session_event_leader_member_id "ac_cluster_session_event_leader_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_event_put_leader_member_id "ac_cluster_session_event_put_leader_member_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t session_event_code "ac_cluster_session_event_code"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_event_put_code "ac_cluster_session_event_put_code"(
        uint8_t *body, int32_t value) noexcept
    int32_t session_event_version "ac_cluster_session_event_version"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_event_put_version "ac_cluster_session_event_put_version"(
        uint8_t *body, int32_t value) noexcept
    int64_t session_event_leader_heartbeat_timeout_ns \
        "ac_cluster_session_event_leader_heartbeat_timeout_ns"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_event_put_leader_heartbeat_timeout_ns \
        "ac_cluster_session_event_put_leader_heartbeat_timeout_ns"(
            uint8_t *body, int64_t value) noexcept
    int64_t session_event_read_detail "ac_cluster_session_event_read_detail"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint session_event_write_detail "ac_cluster_session_event_write_detail"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *session_event_begin "ac_cluster_session_event_begin"(sbe_writer *writer) noexcept

    enum:
        SESSION_CONNECT_REQUEST_TEMPLATE_ID "AC_CLUSTER_SESSION_CONNECT_REQUEST_TEMPLATE_ID"
        SESSION_CONNECT_REQUEST_BLOCK_LENGTH "AC_CLUSTER_SESSION_CONNECT_REQUEST_BLOCK_LENGTH"
        SESSION_CONNECT_REQUEST_CORRELATION_ID_OFFSET \
            "AC_CLUSTER_SESSION_CONNECT_REQUEST_CORRELATION_ID_OFFSET"
        SESSION_CONNECT_REQUEST_RESPONSE_STREAM_ID_OFFSET \
            "AC_CLUSTER_SESSION_CONNECT_REQUEST_RESPONSE_STREAM_ID_OFFSET"
        SESSION_CONNECT_REQUEST_VERSION_OFFSET "AC_CLUSTER_SESSION_CONNECT_REQUEST_VERSION_OFFSET"

    int64_t session_connect_request_correlation_id \
        "ac_cluster_session_connect_request_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_connect_request_put_correlation_id \
        "ac_cluster_session_connect_request_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t session_connect_request_response_stream_id \
        "ac_cluster_session_connect_request_response_stream_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_connect_request_put_response_stream_id \
        "ac_cluster_session_connect_request_put_response_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t session_connect_request_version "ac_cluster_session_connect_request_version"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_connect_request_put_version "ac_cluster_session_connect_request_put_version"(
        uint8_t *body, int32_t value) noexcept
    int64_t session_connect_request_read_response_channel \
        "ac_cluster_session_connect_request_read_response_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint session_connect_request_write_response_channel \
        "ac_cluster_session_connect_request_write_response_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t session_connect_request_read_encoded_credentials \
        "ac_cluster_session_connect_request_read_encoded_credentials"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint session_connect_request_write_encoded_credentials \
        "ac_cluster_session_connect_request_write_encoded_credentials"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t session_connect_request_read_client_info \
        "ac_cluster_session_connect_request_read_client_info"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint session_connect_request_write_client_info \
        "ac_cluster_session_connect_request_write_client_info"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *session_connect_request_begin "ac_cluster_session_connect_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        SESSION_CLOSE_REQUEST_TEMPLATE_ID "AC_CLUSTER_SESSION_CLOSE_REQUEST_TEMPLATE_ID"
        SESSION_CLOSE_REQUEST_BLOCK_LENGTH "AC_CLUSTER_SESSION_CLOSE_REQUEST_BLOCK_LENGTH"
        SESSION_CLOSE_REQUEST_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_SESSION_CLOSE_REQUEST_LEADERSHIP_TERM_ID_OFFSET"
        SESSION_CLOSE_REQUEST_CLUSTER_SESSION_ID_OFFSET \
            "AC_CLUSTER_SESSION_CLOSE_REQUEST_CLUSTER_SESSION_ID_OFFSET"

    int64_t session_close_request_leadership_term_id \
        "ac_cluster_session_close_request_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_close_request_put_leadership_term_id \
        "ac_cluster_session_close_request_put_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t session_close_request_cluster_session_id \
        "ac_cluster_session_close_request_cluster_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_close_request_put_cluster_session_id \
        "ac_cluster_session_close_request_put_cluster_session_id"(
            uint8_t *body, int64_t value) noexcept
    uint8_t *session_close_request_begin "ac_cluster_session_close_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        SESSION_KEEP_ALIVE_TEMPLATE_ID "AC_CLUSTER_SESSION_KEEP_ALIVE_TEMPLATE_ID"
        SESSION_KEEP_ALIVE_BLOCK_LENGTH "AC_CLUSTER_SESSION_KEEP_ALIVE_BLOCK_LENGTH"
        SESSION_KEEP_ALIVE_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_SESSION_KEEP_ALIVE_LEADERSHIP_TERM_ID_OFFSET"
        SESSION_KEEP_ALIVE_CLUSTER_SESSION_ID_OFFSET \
            "AC_CLUSTER_SESSION_KEEP_ALIVE_CLUSTER_SESSION_ID_OFFSET"

    int64_t session_keep_alive_leadership_term_id \
        "ac_cluster_session_keep_alive_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_keep_alive_put_leadership_term_id \
        "ac_cluster_session_keep_alive_put_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t session_keep_alive_cluster_session_id \
        "ac_cluster_session_keep_alive_cluster_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_keep_alive_put_cluster_session_id \
        "ac_cluster_session_keep_alive_put_cluster_session_id"(
            uint8_t *body, int64_t value) noexcept
    uint8_t *session_keep_alive_begin "ac_cluster_session_keep_alive_begin"(
        sbe_writer *writer) noexcept

    enum:
        NEW_LEADER_EVENT_TEMPLATE_ID "AC_CLUSTER_NEW_LEADER_EVENT_TEMPLATE_ID"
        NEW_LEADER_EVENT_BLOCK_LENGTH "AC_CLUSTER_NEW_LEADER_EVENT_BLOCK_LENGTH"
        NEW_LEADER_EVENT_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_NEW_LEADER_EVENT_LEADERSHIP_TERM_ID_OFFSET"
        NEW_LEADER_EVENT_CLUSTER_SESSION_ID_OFFSET \
            "AC_CLUSTER_NEW_LEADER_EVENT_CLUSTER_SESSION_ID_OFFSET"
        NEW_LEADER_EVENT_LEADER_MEMBER_ID_OFFSET \
            "AC_CLUSTER_NEW_LEADER_EVENT_LEADER_MEMBER_ID_OFFSET"

    int64_t new_leader_event_leadership_term_id "ac_cluster_new_leader_event_leadership_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leader_event_put_leadership_term_id \
        "ac_cluster_new_leader_event_put_leadership_term_id"(uint8_t *body, int64_t value) noexcept
    int64_t new_leader_event_cluster_session_id "ac_cluster_new_leader_event_cluster_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leader_event_put_cluster_session_id \
        "ac_cluster_new_leader_event_put_cluster_session_id"(uint8_t *body, int64_t value) noexcept
    int32_t new_leader_event_leader_member_id "ac_cluster_new_leader_event_leader_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leader_event_put_leader_member_id "ac_cluster_new_leader_event_put_leader_member_id"(
        uint8_t *body, int32_t value) noexcept
    int64_t new_leader_event_read_ingress_endpoints \
        "ac_cluster_new_leader_event_read_ingress_endpoints"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint new_leader_event_write_ingress_endpoints \
        "ac_cluster_new_leader_event_write_ingress_endpoints"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *new_leader_event_begin "ac_cluster_new_leader_event_begin"(sbe_writer *writer) noexcept

    enum:
        CHALLENGE_TEMPLATE_ID "AC_CLUSTER_CHALLENGE_TEMPLATE_ID"
        CHALLENGE_BLOCK_LENGTH "AC_CLUSTER_CHALLENGE_BLOCK_LENGTH"
        CHALLENGE_CORRELATION_ID_OFFSET "AC_CLUSTER_CHALLENGE_CORRELATION_ID_OFFSET"
        CHALLENGE_CLUSTER_SESSION_ID_OFFSET "AC_CLUSTER_CHALLENGE_CLUSTER_SESSION_ID_OFFSET"

    int64_t challenge_correlation_id "ac_cluster_challenge_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void challenge_put_correlation_id "ac_cluster_challenge_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t challenge_cluster_session_id "ac_cluster_challenge_cluster_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void challenge_put_cluster_session_id "ac_cluster_challenge_put_cluster_session_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t challenge_read_encoded_challenge "ac_cluster_challenge_read_encoded_challenge"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint challenge_write_encoded_challenge "ac_cluster_challenge_write_encoded_challenge"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *challenge_begin "ac_cluster_challenge_begin"(sbe_writer *writer) noexcept

    enum:
        CHALLENGE_RESPONSE_TEMPLATE_ID "AC_CLUSTER_CHALLENGE_RESPONSE_TEMPLATE_ID"
        CHALLENGE_RESPONSE_BLOCK_LENGTH "AC_CLUSTER_CHALLENGE_RESPONSE_BLOCK_LENGTH"
        CHALLENGE_RESPONSE_CORRELATION_ID_OFFSET \
            "AC_CLUSTER_CHALLENGE_RESPONSE_CORRELATION_ID_OFFSET"
        CHALLENGE_RESPONSE_CLUSTER_SESSION_ID_OFFSET \
            "AC_CLUSTER_CHALLENGE_RESPONSE_CLUSTER_SESSION_ID_OFFSET"

    int64_t challenge_response_correlation_id "ac_cluster_challenge_response_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void challenge_response_put_correlation_id "ac_cluster_challenge_response_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t challenge_response_cluster_session_id \
        "ac_cluster_challenge_response_cluster_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void challenge_response_put_cluster_session_id \
        "ac_cluster_challenge_response_put_cluster_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t challenge_response_read_encoded_credentials \
        "ac_cluster_challenge_response_read_encoded_credentials"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint challenge_response_write_encoded_credentials \
        "ac_cluster_challenge_response_write_encoded_credentials"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *challenge_response_begin "ac_cluster_challenge_response_begin"(
        sbe_writer *writer) noexcept

    enum:
        TIMER_EVENT_TEMPLATE_ID "AC_CLUSTER_TIMER_EVENT_TEMPLATE_ID"
        TIMER_EVENT_BLOCK_LENGTH "AC_CLUSTER_TIMER_EVENT_BLOCK_LENGTH"
        TIMER_EVENT_LEADERSHIP_TERM_ID_OFFSET "AC_CLUSTER_TIMER_EVENT_LEADERSHIP_TERM_ID_OFFSET"
        TIMER_EVENT_CORRELATION_ID_OFFSET "AC_CLUSTER_TIMER_EVENT_CORRELATION_ID_OFFSET"
        TIMER_EVENT_TIMESTAMP_OFFSET "AC_CLUSTER_TIMER_EVENT_TIMESTAMP_OFFSET"

    int64_t timer_event_leadership_term_id "ac_cluster_timer_event_leadership_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void timer_event_put_leadership_term_id "ac_cluster_timer_event_put_leadership_term_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t timer_event_correlation_id "ac_cluster_timer_event_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void timer_event_put_correlation_id "ac_cluster_timer_event_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t timer_event_timestamp "ac_cluster_timer_event_timestamp"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void timer_event_put_timestamp "ac_cluster_timer_event_put_timestamp"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *timer_event_begin "ac_cluster_timer_event_begin"(sbe_writer *writer) noexcept

    enum:
        SESSION_OPEN_EVENT_TEMPLATE_ID "AC_CLUSTER_SESSION_OPEN_EVENT_TEMPLATE_ID"
        SESSION_OPEN_EVENT_BLOCK_LENGTH "AC_CLUSTER_SESSION_OPEN_EVENT_BLOCK_LENGTH"
        SESSION_OPEN_EVENT_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_SESSION_OPEN_EVENT_LEADERSHIP_TERM_ID_OFFSET"
        SESSION_OPEN_EVENT_CORRELATION_ID_OFFSET \
            "AC_CLUSTER_SESSION_OPEN_EVENT_CORRELATION_ID_OFFSET"
        SESSION_OPEN_EVENT_CLUSTER_SESSION_ID_OFFSET \
            "AC_CLUSTER_SESSION_OPEN_EVENT_CLUSTER_SESSION_ID_OFFSET"
        SESSION_OPEN_EVENT_TIMESTAMP_OFFSET "AC_CLUSTER_SESSION_OPEN_EVENT_TIMESTAMP_OFFSET"
        SESSION_OPEN_EVENT_RESPONSE_STREAM_ID_OFFSET \
            "AC_CLUSTER_SESSION_OPEN_EVENT_RESPONSE_STREAM_ID_OFFSET"

    int64_t session_open_event_leadership_term_id \
        "ac_cluster_session_open_event_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_open_event_put_leadership_term_id \
        "ac_cluster_session_open_event_put_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t session_open_event_correlation_id "ac_cluster_session_open_event_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_open_event_put_correlation_id "ac_cluster_session_open_event_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t session_open_event_cluster_session_id \
        "ac_cluster_session_open_event_cluster_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_open_event_put_cluster_session_id \
        "ac_cluster_session_open_event_put_cluster_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t session_open_event_timestamp "ac_cluster_session_open_event_timestamp"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_open_event_put_timestamp "ac_cluster_session_open_event_put_timestamp"(
        uint8_t *body, int64_t value) noexcept
    int32_t session_open_event_response_stream_id \
        "ac_cluster_session_open_event_response_stream_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_open_event_put_response_stream_id \
        "ac_cluster_session_open_event_put_response_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int64_t session_open_event_read_response_channel \
        "ac_cluster_session_open_event_read_response_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint session_open_event_write_response_channel \
        "ac_cluster_session_open_event_write_response_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t session_open_event_read_encoded_principal \
        "ac_cluster_session_open_event_read_encoded_principal"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint session_open_event_write_encoded_principal \
        "ac_cluster_session_open_event_write_encoded_principal"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *session_open_event_begin "ac_cluster_session_open_event_begin"(
        sbe_writer *writer) noexcept

    enum:
        SESSION_CLOSE_EVENT_TEMPLATE_ID "AC_CLUSTER_SESSION_CLOSE_EVENT_TEMPLATE_ID"
        SESSION_CLOSE_EVENT_BLOCK_LENGTH "AC_CLUSTER_SESSION_CLOSE_EVENT_BLOCK_LENGTH"
        SESSION_CLOSE_EVENT_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_SESSION_CLOSE_EVENT_LEADERSHIP_TERM_ID_OFFSET"
        SESSION_CLOSE_EVENT_CLUSTER_SESSION_ID_OFFSET \
            "AC_CLUSTER_SESSION_CLOSE_EVENT_CLUSTER_SESSION_ID_OFFSET"
        SESSION_CLOSE_EVENT_TIMESTAMP_OFFSET "AC_CLUSTER_SESSION_CLOSE_EVENT_TIMESTAMP_OFFSET"
        SESSION_CLOSE_EVENT_CLOSE_REASON_OFFSET "AC_CLUSTER_SESSION_CLOSE_EVENT_CLOSE_REASON_OFFSET"

    int64_t session_close_event_leadership_term_id \
        "ac_cluster_session_close_event_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_close_event_put_leadership_term_id \
        "ac_cluster_session_close_event_put_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t session_close_event_cluster_session_id \
        "ac_cluster_session_close_event_cluster_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_close_event_put_cluster_session_id \
        "ac_cluster_session_close_event_put_cluster_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t session_close_event_timestamp "ac_cluster_session_close_event_timestamp"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_close_event_put_timestamp "ac_cluster_session_close_event_put_timestamp"(
        uint8_t *body, int64_t value) noexcept
    int32_t session_close_event_close_reason "ac_cluster_session_close_event_close_reason"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void session_close_event_put_close_reason "ac_cluster_session_close_event_put_close_reason"(
        uint8_t *body, int32_t value) noexcept
    uint8_t *session_close_event_begin "ac_cluster_session_close_event_begin"(
        sbe_writer *writer) noexcept

    enum:
        CLUSTER_ACTION_REQUEST_TEMPLATE_ID "AC_CLUSTER_CLUSTER_ACTION_REQUEST_TEMPLATE_ID"
        CLUSTER_ACTION_REQUEST_BLOCK_LENGTH "AC_CLUSTER_CLUSTER_ACTION_REQUEST_BLOCK_LENGTH"
        CLUSTER_ACTION_REQUEST_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_CLUSTER_ACTION_REQUEST_LEADERSHIP_TERM_ID_OFFSET"
        CLUSTER_ACTION_REQUEST_LOG_POSITION_OFFSET \
            "AC_CLUSTER_CLUSTER_ACTION_REQUEST_LOG_POSITION_OFFSET"
        CLUSTER_ACTION_REQUEST_TIMESTAMP_OFFSET "AC_CLUSTER_CLUSTER_ACTION_REQUEST_TIMESTAMP_OFFSET"
        CLUSTER_ACTION_REQUEST_ACTION_OFFSET "AC_CLUSTER_CLUSTER_ACTION_REQUEST_ACTION_OFFSET"
        CLUSTER_ACTION_REQUEST_FLAGS_OFFSET "AC_CLUSTER_CLUSTER_ACTION_REQUEST_FLAGS_OFFSET"

    int64_t cluster_action_request_leadership_term_id \
        "ac_cluster_cluster_action_request_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_action_request_put_leadership_term_id \
        "ac_cluster_cluster_action_request_put_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t cluster_action_request_log_position "ac_cluster_cluster_action_request_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_action_request_put_log_position \
        "ac_cluster_cluster_action_request_put_log_position"(uint8_t *body, int64_t value) noexcept
    int64_t cluster_action_request_timestamp "ac_cluster_cluster_action_request_timestamp"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_action_request_put_timestamp "ac_cluster_cluster_action_request_put_timestamp"(
        uint8_t *body, int64_t value) noexcept
    int32_t cluster_action_request_action "ac_cluster_cluster_action_request_action"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_action_request_put_action "ac_cluster_cluster_action_request_put_action"(
        uint8_t *body, int32_t value) noexcept
    int32_t cluster_action_request_flags "ac_cluster_cluster_action_request_flags"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_action_request_put_flags "ac_cluster_cluster_action_request_put_flags"(
        uint8_t *body, int32_t value) noexcept
    uint8_t *cluster_action_request_begin "ac_cluster_cluster_action_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID "AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID"
        NEW_LEADERSHIP_TERM_EVENT_BLOCK_LENGTH "AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_BLOCK_LENGTH"
        NEW_LEADERSHIP_TERM_EVENT_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_LEADERSHIP_TERM_ID_OFFSET"
        NEW_LEADERSHIP_TERM_EVENT_LOG_POSITION_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_LOG_POSITION_OFFSET"
        NEW_LEADERSHIP_TERM_EVENT_TIMESTAMP_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_TIMESTAMP_OFFSET"
        NEW_LEADERSHIP_TERM_EVENT_TERM_BASE_LOG_POSITION_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_TERM_BASE_LOG_POSITION_OFFSET"
        NEW_LEADERSHIP_TERM_EVENT_LEADER_MEMBER_ID_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_LEADER_MEMBER_ID_OFFSET"
        NEW_LEADERSHIP_TERM_EVENT_LOG_SESSION_ID_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_LOG_SESSION_ID_OFFSET"
        NEW_LEADERSHIP_TERM_EVENT_TIME_UNIT_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_TIME_UNIT_OFFSET"
        NEW_LEADERSHIP_TERM_EVENT_APP_VERSION_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_APP_VERSION_OFFSET"

    int64_t new_leadership_term_event_leadership_term_id \
        "ac_cluster_new_leadership_term_event_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_event_put_leadership_term_id \
        "ac_cluster_new_leadership_term_event_put_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t new_leadership_term_event_log_position \
        "ac_cluster_new_leadership_term_event_log_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_event_put_log_position \
        "ac_cluster_new_leadership_term_event_put_log_position"(
            uint8_t *body, int64_t value) noexcept
    int64_t new_leadership_term_event_timestamp "ac_cluster_new_leadership_term_event_timestamp"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_event_put_timestamp \
        "ac_cluster_new_leadership_term_event_put_timestamp"(uint8_t *body, int64_t value) noexcept
    int64_t new_leadership_term_event_term_base_log_position \
        "ac_cluster_new_leadership_term_event_term_base_log_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_event_put_term_base_log_position \
        "ac_cluster_new_leadership_term_event_put_term_base_log_position"(
            uint8_t *body, int64_t value) noexcept
    int32_t new_leadership_term_event_leader_member_id \
        "ac_cluster_new_leadership_term_event_leader_member_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_event_put_leader_member_id \
        "ac_cluster_new_leadership_term_event_put_leader_member_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t new_leadership_term_event_log_session_id \
        "ac_cluster_new_leadership_term_event_log_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_event_put_log_session_id \
        "ac_cluster_new_leadership_term_event_put_log_session_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t new_leadership_term_event_time_unit "ac_cluster_new_leadership_term_event_time_unit"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_event_put_time_unit \
        "ac_cluster_new_leadership_term_event_put_time_unit"(uint8_t *body, int32_t value) noexcept
    int32_t new_leadership_term_event_app_version \
        "ac_cluster_new_leadership_term_event_app_version"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_event_put_app_version \
        "ac_cluster_new_leadership_term_event_put_app_version"(
            uint8_t *body, int32_t value) noexcept
    uint8_t *new_leadership_term_event_begin "ac_cluster_new_leadership_term_event_begin"(
        sbe_writer *writer) noexcept

    enum:
        MEMBERSHIP_CHANGE_EVENT_TEMPLATE_ID "AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_TEMPLATE_ID"
        MEMBERSHIP_CHANGE_EVENT_BLOCK_LENGTH "AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_BLOCK_LENGTH"
        MEMBERSHIP_CHANGE_EVENT_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_LEADERSHIP_TERM_ID_OFFSET"
        MEMBERSHIP_CHANGE_EVENT_LOG_POSITION_OFFSET \
            "AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_LOG_POSITION_OFFSET"
        MEMBERSHIP_CHANGE_EVENT_TIMESTAMP_OFFSET \
            "AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_TIMESTAMP_OFFSET"
        MEMBERSHIP_CHANGE_EVENT_LEADER_MEMBER_ID_OFFSET \
            "AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_LEADER_MEMBER_ID_OFFSET"
        MEMBERSHIP_CHANGE_EVENT_CLUSTER_SIZE_OFFSET \
            "AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_CLUSTER_SIZE_OFFSET"
        MEMBERSHIP_CHANGE_EVENT_CHANGE_TYPE_OFFSET \
            "AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_CHANGE_TYPE_OFFSET"
        MEMBERSHIP_CHANGE_EVENT_MEMBER_ID_OFFSET \
            "AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_MEMBER_ID_OFFSET"

    int64_t membership_change_event_leadership_term_id \
        "ac_cluster_membership_change_event_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void membership_change_event_put_leadership_term_id \
        "ac_cluster_membership_change_event_put_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t membership_change_event_log_position "ac_cluster_membership_change_event_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void membership_change_event_put_log_position \
        "ac_cluster_membership_change_event_put_log_position"(uint8_t *body, int64_t value) noexcept
    int64_t membership_change_event_timestamp "ac_cluster_membership_change_event_timestamp"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void membership_change_event_put_timestamp "ac_cluster_membership_change_event_put_timestamp"(
        uint8_t *body, int64_t value) noexcept
    int32_t membership_change_event_leader_member_id \
        "ac_cluster_membership_change_event_leader_member_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void membership_change_event_put_leader_member_id \
        "ac_cluster_membership_change_event_put_leader_member_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t membership_change_event_cluster_size "ac_cluster_membership_change_event_cluster_size"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void membership_change_event_put_cluster_size \
        "ac_cluster_membership_change_event_put_cluster_size"(uint8_t *body, int32_t value) noexcept
    int32_t membership_change_event_change_type "ac_cluster_membership_change_event_change_type"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void membership_change_event_put_change_type \
        "ac_cluster_membership_change_event_put_change_type"(uint8_t *body, int32_t value) noexcept
    int32_t membership_change_event_member_id "ac_cluster_membership_change_event_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void membership_change_event_put_member_id "ac_cluster_membership_change_event_put_member_id"(
        uint8_t *body, int32_t value) noexcept
    int64_t membership_change_event_read_cluster_members \
        "ac_cluster_membership_change_event_read_cluster_members"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint membership_change_event_write_cluster_members \
        "ac_cluster_membership_change_event_write_cluster_members"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *membership_change_event_begin "ac_cluster_membership_change_event_begin"(
        sbe_writer *writer) noexcept

    enum:
        ADMIN_REQUEST_TEMPLATE_ID "AC_CLUSTER_ADMIN_REQUEST_TEMPLATE_ID"
        ADMIN_REQUEST_BLOCK_LENGTH "AC_CLUSTER_ADMIN_REQUEST_BLOCK_LENGTH"
        ADMIN_REQUEST_LEADERSHIP_TERM_ID_OFFSET "AC_CLUSTER_ADMIN_REQUEST_LEADERSHIP_TERM_ID_OFFSET"
        ADMIN_REQUEST_CLUSTER_SESSION_ID_OFFSET "AC_CLUSTER_ADMIN_REQUEST_CLUSTER_SESSION_ID_OFFSET"
        ADMIN_REQUEST_CORRELATION_ID_OFFSET "AC_CLUSTER_ADMIN_REQUEST_CORRELATION_ID_OFFSET"
        ADMIN_REQUEST_REQUEST_TYPE_OFFSET "AC_CLUSTER_ADMIN_REQUEST_REQUEST_TYPE_OFFSET"

    int64_t admin_request_leadership_term_id "ac_cluster_admin_request_leadership_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void admin_request_put_leadership_term_id "ac_cluster_admin_request_put_leadership_term_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t admin_request_cluster_session_id "ac_cluster_admin_request_cluster_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void admin_request_put_cluster_session_id "ac_cluster_admin_request_put_cluster_session_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t admin_request_correlation_id "ac_cluster_admin_request_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void admin_request_put_correlation_id "ac_cluster_admin_request_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int32_t admin_request_request_type "ac_cluster_admin_request_request_type"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void admin_request_put_request_type "ac_cluster_admin_request_put_request_type"(
        uint8_t *body, int32_t value) noexcept
    int64_t admin_request_read_payload "ac_cluster_admin_request_read_payload"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint admin_request_write_payload "ac_cluster_admin_request_write_payload"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *admin_request_begin "ac_cluster_admin_request_begin"(sbe_writer *writer) noexcept

    enum:
        ADMIN_RESPONSE_TEMPLATE_ID "AC_CLUSTER_ADMIN_RESPONSE_TEMPLATE_ID"
        ADMIN_RESPONSE_BLOCK_LENGTH "AC_CLUSTER_ADMIN_RESPONSE_BLOCK_LENGTH"
        ADMIN_RESPONSE_CLUSTER_SESSION_ID_OFFSET \
            "AC_CLUSTER_ADMIN_RESPONSE_CLUSTER_SESSION_ID_OFFSET"
        ADMIN_RESPONSE_CORRELATION_ID_OFFSET "AC_CLUSTER_ADMIN_RESPONSE_CORRELATION_ID_OFFSET"
        ADMIN_RESPONSE_REQUEST_TYPE_OFFSET "AC_CLUSTER_ADMIN_RESPONSE_REQUEST_TYPE_OFFSET"
        ADMIN_RESPONSE_RESPONSE_CODE_OFFSET "AC_CLUSTER_ADMIN_RESPONSE_RESPONSE_CODE_OFFSET"

    int64_t admin_response_cluster_session_id "ac_cluster_admin_response_cluster_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void admin_response_put_cluster_session_id "ac_cluster_admin_response_put_cluster_session_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t admin_response_correlation_id "ac_cluster_admin_response_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void admin_response_put_correlation_id "ac_cluster_admin_response_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int32_t admin_response_request_type "ac_cluster_admin_response_request_type"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void admin_response_put_request_type "ac_cluster_admin_response_put_request_type"(
        uint8_t *body, int32_t value) noexcept
    int32_t admin_response_response_code "ac_cluster_admin_response_response_code"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void admin_response_put_response_code "ac_cluster_admin_response_put_response_code"(
        uint8_t *body, int32_t value) noexcept
    int64_t admin_response_read_message "ac_cluster_admin_response_read_message"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint admin_response_write_message "ac_cluster_admin_response_write_message"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t admin_response_read_payload "ac_cluster_admin_response_read_payload"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint admin_response_write_payload "ac_cluster_admin_response_write_payload"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *admin_response_begin "ac_cluster_admin_response_begin"(sbe_writer *writer) noexcept

    enum:
        CLOSE_SESSION_TEMPLATE_ID "AC_CLUSTER_CLOSE_SESSION_TEMPLATE_ID"
        CLOSE_SESSION_BLOCK_LENGTH "AC_CLUSTER_CLOSE_SESSION_BLOCK_LENGTH"
        CLOSE_SESSION_CLUSTER_SESSION_ID_OFFSET "AC_CLUSTER_CLOSE_SESSION_CLUSTER_SESSION_ID_OFFSET"

    int64_t close_session_cluster_session_id "ac_cluster_close_session_cluster_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void close_session_put_cluster_session_id "ac_cluster_close_session_put_cluster_session_id"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *close_session_begin "ac_cluster_close_session_begin"(sbe_writer *writer) noexcept

    enum:
        SCHEDULE_TIMER_TEMPLATE_ID "AC_CLUSTER_SCHEDULE_TIMER_TEMPLATE_ID"
        SCHEDULE_TIMER_BLOCK_LENGTH "AC_CLUSTER_SCHEDULE_TIMER_BLOCK_LENGTH"
        SCHEDULE_TIMER_CORRELATION_ID_OFFSET "AC_CLUSTER_SCHEDULE_TIMER_CORRELATION_ID_OFFSET"
        SCHEDULE_TIMER_DEADLINE_OFFSET "AC_CLUSTER_SCHEDULE_TIMER_DEADLINE_OFFSET"

    int64_t schedule_timer_correlation_id "ac_cluster_schedule_timer_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void schedule_timer_put_correlation_id "ac_cluster_schedule_timer_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t schedule_timer_deadline "ac_cluster_schedule_timer_deadline"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void schedule_timer_put_deadline "ac_cluster_schedule_timer_put_deadline"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *schedule_timer_begin "ac_cluster_schedule_timer_begin"(sbe_writer *writer) noexcept

    enum:
        CANCEL_TIMER_TEMPLATE_ID "AC_CLUSTER_CANCEL_TIMER_TEMPLATE_ID"
        CANCEL_TIMER_BLOCK_LENGTH "AC_CLUSTER_CANCEL_TIMER_BLOCK_LENGTH"
        CANCEL_TIMER_CORRELATION_ID_OFFSET "AC_CLUSTER_CANCEL_TIMER_CORRELATION_ID_OFFSET"

    int64_t cancel_timer_correlation_id "ac_cluster_cancel_timer_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cancel_timer_put_correlation_id "ac_cluster_cancel_timer_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *cancel_timer_begin "ac_cluster_cancel_timer_begin"(sbe_writer *writer) noexcept

    enum:
        SERVICE_ACK_TEMPLATE_ID "AC_CLUSTER_SERVICE_ACK_TEMPLATE_ID"
        SERVICE_ACK_BLOCK_LENGTH "AC_CLUSTER_SERVICE_ACK_BLOCK_LENGTH"
        SERVICE_ACK_LOG_POSITION_OFFSET "AC_CLUSTER_SERVICE_ACK_LOG_POSITION_OFFSET"
        SERVICE_ACK_TIMESTAMP_OFFSET "AC_CLUSTER_SERVICE_ACK_TIMESTAMP_OFFSET"
        SERVICE_ACK_ACK_ID_OFFSET "AC_CLUSTER_SERVICE_ACK_ACK_ID_OFFSET"
        SERVICE_ACK_RELEVANT_ID_OFFSET "AC_CLUSTER_SERVICE_ACK_RELEVANT_ID_OFFSET"
        SERVICE_ACK_SERVICE_ID_OFFSET "AC_CLUSTER_SERVICE_ACK_SERVICE_ID_OFFSET"

    int64_t service_ack_log_position "ac_cluster_service_ack_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void service_ack_put_log_position "ac_cluster_service_ack_put_log_position"(
        uint8_t *body, int64_t value) noexcept
    int64_t service_ack_timestamp "ac_cluster_service_ack_timestamp"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void service_ack_put_timestamp "ac_cluster_service_ack_put_timestamp"(
        uint8_t *body, int64_t value) noexcept
    int64_t service_ack_ack_id "ac_cluster_service_ack_ack_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void service_ack_put_ack_id "ac_cluster_service_ack_put_ack_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t service_ack_relevant_id "ac_cluster_service_ack_relevant_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void service_ack_put_relevant_id "ac_cluster_service_ack_put_relevant_id"(
        uint8_t *body, int64_t value) noexcept
    int32_t service_ack_service_id "ac_cluster_service_ack_service_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void service_ack_put_service_id "ac_cluster_service_ack_put_service_id"(
        uint8_t *body, int32_t value) noexcept
    uint8_t *service_ack_begin "ac_cluster_service_ack_begin"(sbe_writer *writer) noexcept

    enum:
        CLUSTER_MEMBERS_QUERY_TEMPLATE_ID "AC_CLUSTER_CLUSTER_MEMBERS_QUERY_TEMPLATE_ID"
        CLUSTER_MEMBERS_QUERY_BLOCK_LENGTH "AC_CLUSTER_CLUSTER_MEMBERS_QUERY_BLOCK_LENGTH"
        CLUSTER_MEMBERS_QUERY_CORRELATION_ID_OFFSET \
            "AC_CLUSTER_CLUSTER_MEMBERS_QUERY_CORRELATION_ID_OFFSET"
        CLUSTER_MEMBERS_QUERY_EXTENDED_OFFSET "AC_CLUSTER_CLUSTER_MEMBERS_QUERY_EXTENDED_OFFSET"

    int64_t cluster_members_query_correlation_id "ac_cluster_cluster_members_query_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_query_put_correlation_id \
        "ac_cluster_cluster_members_query_put_correlation_id"(uint8_t *body, int64_t value) noexcept
    int32_t cluster_members_query_extended "ac_cluster_cluster_members_query_extended"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_query_put_extended "ac_cluster_cluster_members_query_put_extended"(
        uint8_t *body, int32_t value) noexcept
    uint8_t *cluster_members_query_begin "ac_cluster_cluster_members_query_begin"(
        sbe_writer *writer) noexcept

    enum:
        REMOVE_MEMBER_TEMPLATE_ID "AC_CLUSTER_REMOVE_MEMBER_TEMPLATE_ID"
        REMOVE_MEMBER_BLOCK_LENGTH "AC_CLUSTER_REMOVE_MEMBER_BLOCK_LENGTH"
        REMOVE_MEMBER_MEMBER_ID_OFFSET "AC_CLUSTER_REMOVE_MEMBER_MEMBER_ID_OFFSET"
        REMOVE_MEMBER_IS_PASSIVE_OFFSET "AC_CLUSTER_REMOVE_MEMBER_IS_PASSIVE_OFFSET"

    int32_t remove_member_member_id "ac_cluster_remove_member_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void remove_member_put_member_id "ac_cluster_remove_member_put_member_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t remove_member_is_passive "ac_cluster_remove_member_is_passive"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void remove_member_put_is_passive "ac_cluster_remove_member_put_is_passive"(
        uint8_t *body, int32_t value) noexcept
    uint8_t *remove_member_begin "ac_cluster_remove_member_begin"(sbe_writer *writer) noexcept

    enum:
        JOIN_LOG_TEMPLATE_ID "AC_CLUSTER_JOIN_LOG_TEMPLATE_ID"
        JOIN_LOG_BLOCK_LENGTH "AC_CLUSTER_JOIN_LOG_BLOCK_LENGTH"
        JOIN_LOG_LOG_POSITION_OFFSET "AC_CLUSTER_JOIN_LOG_LOG_POSITION_OFFSET"
        JOIN_LOG_MAX_LOG_POSITION_OFFSET "AC_CLUSTER_JOIN_LOG_MAX_LOG_POSITION_OFFSET"
        JOIN_LOG_MEMBER_ID_OFFSET "AC_CLUSTER_JOIN_LOG_MEMBER_ID_OFFSET"
        JOIN_LOG_LOG_SESSION_ID_OFFSET "AC_CLUSTER_JOIN_LOG_LOG_SESSION_ID_OFFSET"
        JOIN_LOG_LOG_STREAM_ID_OFFSET "AC_CLUSTER_JOIN_LOG_LOG_STREAM_ID_OFFSET"
        JOIN_LOG_IS_STARTUP_OFFSET "AC_CLUSTER_JOIN_LOG_IS_STARTUP_OFFSET"
        JOIN_LOG_ROLE_OFFSET "AC_CLUSTER_JOIN_LOG_ROLE_OFFSET"
        JOIN_LOG_IS_STANDBY_OFFSET "AC_CLUSTER_JOIN_LOG_IS_STANDBY_OFFSET"

    int64_t join_log_log_position "ac_cluster_join_log_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void join_log_put_log_position "ac_cluster_join_log_put_log_position"(
        uint8_t *body, int64_t value) noexcept
    int64_t join_log_max_log_position "ac_cluster_join_log_max_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void join_log_put_max_log_position "ac_cluster_join_log_put_max_log_position"(
        uint8_t *body, int64_t value) noexcept
    int32_t join_log_member_id "ac_cluster_join_log_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void join_log_put_member_id "ac_cluster_join_log_put_member_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t join_log_log_session_id "ac_cluster_join_log_log_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void join_log_put_log_session_id "ac_cluster_join_log_put_log_session_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t join_log_log_stream_id "ac_cluster_join_log_log_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void join_log_put_log_stream_id "ac_cluster_join_log_put_log_stream_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t join_log_is_startup "ac_cluster_join_log_is_startup"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void join_log_put_is_startup "ac_cluster_join_log_put_is_startup"(
        uint8_t *body, int32_t value) noexcept
    int32_t join_log_role "ac_cluster_join_log_role"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void join_log_put_role "ac_cluster_join_log_put_role"(uint8_t *body, int32_t value) noexcept
    int32_t join_log_is_standby "ac_cluster_join_log_is_standby"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void join_log_put_is_standby "ac_cluster_join_log_put_is_standby"(
        uint8_t *body, int32_t value) noexcept
    int64_t join_log_read_log_channel "ac_cluster_join_log_read_log_channel"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint join_log_write_log_channel "ac_cluster_join_log_write_log_channel"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *join_log_begin "ac_cluster_join_log_begin"(sbe_writer *writer) noexcept

    enum:
        CLUSTER_MEMBERS_RESPONSE_TEMPLATE_ID "AC_CLUSTER_CLUSTER_MEMBERS_RESPONSE_TEMPLATE_ID"
        CLUSTER_MEMBERS_RESPONSE_BLOCK_LENGTH "AC_CLUSTER_CLUSTER_MEMBERS_RESPONSE_BLOCK_LENGTH"
        CLUSTER_MEMBERS_RESPONSE_CORRELATION_ID_OFFSET \
            "AC_CLUSTER_CLUSTER_MEMBERS_RESPONSE_CORRELATION_ID_OFFSET"
        CLUSTER_MEMBERS_RESPONSE_LEADER_MEMBER_ID_OFFSET \
            "AC_CLUSTER_CLUSTER_MEMBERS_RESPONSE_LEADER_MEMBER_ID_OFFSET"

    int64_t cluster_members_response_correlation_id \
        "ac_cluster_cluster_members_response_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_response_put_correlation_id \
        "ac_cluster_cluster_members_response_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t cluster_members_response_leader_member_id \
        "ac_cluster_cluster_members_response_leader_member_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_response_put_leader_member_id \
        "ac_cluster_cluster_members_response_put_leader_member_id"(
            uint8_t *body, int32_t value) noexcept
    int64_t cluster_members_response_read_active_members \
        "ac_cluster_cluster_members_response_read_active_members"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint cluster_members_response_write_active_members \
        "ac_cluster_cluster_members_response_write_active_members"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t cluster_members_response_read_passive_followers \
        "ac_cluster_cluster_members_response_read_passive_followers"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint cluster_members_response_write_passive_followers \
        "ac_cluster_cluster_members_response_write_passive_followers"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *cluster_members_response_begin "ac_cluster_cluster_members_response_begin"(
        sbe_writer *writer) noexcept

    enum:
        SERVICE_TERMINATION_POSITION_TEMPLATE_ID \
            "AC_CLUSTER_SERVICE_TERMINATION_POSITION_TEMPLATE_ID"
        SERVICE_TERMINATION_POSITION_BLOCK_LENGTH \
            "AC_CLUSTER_SERVICE_TERMINATION_POSITION_BLOCK_LENGTH"
        SERVICE_TERMINATION_POSITION_LOG_POSITION_OFFSET \
            "AC_CLUSTER_SERVICE_TERMINATION_POSITION_LOG_POSITION_OFFSET"

    int64_t service_termination_position_log_position \
        "ac_cluster_service_termination_position_log_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void service_termination_position_put_log_position \
        "ac_cluster_service_termination_position_put_log_position"(
            uint8_t *body, int64_t value) noexcept
    uint8_t *service_termination_position_begin "ac_cluster_service_termination_position_begin"(
        sbe_writer *writer) noexcept

    enum:
        CLUSTER_MEMBERS_EXTENDED_RESPONSE_TEMPLATE_ID \
            "AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_TEMPLATE_ID"
        CLUSTER_MEMBERS_EXTENDED_RESPONSE_BLOCK_LENGTH \
            "AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_BLOCK_LENGTH"
        CLUSTER_MEMBERS_EXTENDED_RESPONSE_CORRELATION_ID_OFFSET \
            "AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_CORRELATION_ID_OFFSET"
        CLUSTER_MEMBERS_EXTENDED_RESPONSE_CURRENT_TIME_NS_OFFSET \
            "AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_CURRENT_TIME_NS_OFFSET"
        CLUSTER_MEMBERS_EXTENDED_RESPONSE_LEADER_MEMBER_ID_OFFSET \
            "AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_LEADER_MEMBER_ID_OFFSET"
        CLUSTER_MEMBERS_EXTENDED_RESPONSE_MEMBER_ID_OFFSET \
            "AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_MEMBER_ID_OFFSET"

    int64_t cluster_members_extended_response_correlation_id \
        "ac_cluster_cluster_members_extended_response_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_extended_response_put_correlation_id \
        "ac_cluster_cluster_members_extended_response_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t cluster_members_extended_response_current_time_ns \
        "ac_cluster_cluster_members_extended_response_current_time_ns"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_extended_response_put_current_time_ns \
        "ac_cluster_cluster_members_extended_response_put_current_time_ns"(
            uint8_t *body, int64_t value) noexcept
    int32_t cluster_members_extended_response_leader_member_id \
        "ac_cluster_cluster_members_extended_response_leader_member_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_extended_response_put_leader_member_id \
        "ac_cluster_cluster_members_extended_response_put_leader_member_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t cluster_members_extended_response_member_id \
        "ac_cluster_cluster_members_extended_response_member_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_extended_response_put_member_id \
        "ac_cluster_cluster_members_extended_response_put_member_id"(
            uint8_t *body, int32_t value) noexcept
    bint cluster_members_extended_response_read_active_members \
        "ac_cluster_cluster_members_extended_response_read_active_members"(
            sbe_reader *reader, sbe_group *group) noexcept
    bint cluster_members_extended_response_write_active_members \
        "ac_cluster_cluster_members_extended_response_write_active_members"(
            sbe_writer *writer, uint16_t count) noexcept
    uint8_t *cluster_members_extended_response_active_members_next \
        "ac_cluster_cluster_members_extended_response_active_members_next"(
            sbe_writer *writer) noexcept
    bint cluster_members_extended_response_read_passive_members \
        "ac_cluster_cluster_members_extended_response_read_passive_members"(
            sbe_reader *reader, sbe_group *group) noexcept
    bint cluster_members_extended_response_write_passive_members \
        "ac_cluster_cluster_members_extended_response_write_passive_members"(
            sbe_writer *writer, uint16_t count) noexcept
    uint8_t *cluster_members_extended_response_passive_members_next \
        "ac_cluster_cluster_members_extended_response_passive_members_next"(
            sbe_writer *writer) noexcept
    uint8_t *cluster_members_extended_response_begin \
        "ac_cluster_cluster_members_extended_response_begin"(sbe_writer *writer) noexcept

    enum:
        CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_BLOCK_LENGTH \
            "AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_BLOCK_LENGTH"
        CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_LEADERSHIP_TERM_ID_OFFSET"
        CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_LOG_POSITION_OFFSET \
            "AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_LOG_POSITION_OFFSET"
        CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_TIME_OF_LAST_APPEND_NS_OFFSET \
            "AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_TIME_OF_LAST_APPEND_NS_OFFSET"  # no-cython-lint
        CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_MEMBER_ID_OFFSET \
            "AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_MEMBER_ID_OFFSET"

    int64_t cluster_members_extended_response_active_members_leadership_term_id \
        "ac_cluster_cluster_members_extended_response_active_members_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_extended_response_active_members_put_leadership_term_id \
        "ac_cluster_cluster_members_extended_response_active_members_put_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t cluster_members_extended_response_active_members_log_position \
        "ac_cluster_cluster_members_extended_response_active_members_log_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_extended_response_active_members_put_log_position \
        "ac_cluster_cluster_members_extended_response_active_members_put_log_position"(
            uint8_t *body, int64_t value) noexcept
    int64_t cluster_members_extended_response_active_members_time_of_last_append_ns \
        "ac_cluster_cluster_members_extended_response_active_members_time_of_last_append_ns"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_extended_response_active_members_put_time_of_last_append_ns \
        "ac_cluster_cluster_members_extended_response_active_members_put_time_of_last_append_ns"(
            uint8_t *body, int64_t value) noexcept
    int32_t cluster_members_extended_response_active_members_member_id \
        "ac_cluster_cluster_members_extended_response_active_members_member_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_extended_response_active_members_put_member_id \
        "ac_cluster_cluster_members_extended_response_active_members_put_member_id"(
            uint8_t *body, int32_t value) noexcept
    int64_t cluster_members_extended_response_active_members_read_ingress_endpoint \
        "ac_cluster_cluster_members_extended_response_active_members_read_ingress_endpoint"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint cluster_members_extended_response_active_members_write_ingress_endpoint \
        "ac_cluster_cluster_members_extended_response_active_members_write_ingress_endpoint"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t cluster_members_extended_response_active_members_read_consensus_endpoint \
        "ac_cluster_cluster_members_extended_response_active_members_read_consensus_endpoint"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint cluster_members_extended_response_active_members_write_consensus_endpoint \
        "ac_cluster_cluster_members_extended_response_active_members_write_consensus_endpoint"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t cluster_members_extended_response_active_members_read_log_endpoint \
        "ac_cluster_cluster_members_extended_response_active_members_read_log_endpoint"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint cluster_members_extended_response_active_members_write_log_endpoint \
        "ac_cluster_cluster_members_extended_response_active_members_write_log_endpoint"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t cluster_members_extended_response_active_members_read_catchup_endpoint \
        "ac_cluster_cluster_members_extended_response_active_members_read_catchup_endpoint"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint cluster_members_extended_response_active_members_write_catchup_endpoint \
        "ac_cluster_cluster_members_extended_response_active_members_write_catchup_endpoint"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t cluster_members_extended_response_active_members_read_archive_endpoint \
        "ac_cluster_cluster_members_extended_response_active_members_read_archive_endpoint"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint cluster_members_extended_response_active_members_write_archive_endpoint \
        "ac_cluster_cluster_members_extended_response_active_members_write_archive_endpoint"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept

    enum:
        CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_BLOCK_LENGTH \
            "AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_BLOCK_LENGTH"
        CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_LEADERSHIP_TERM_ID_OFFSET"
        CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_LOG_POSITION_OFFSET \
            "AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_LOG_POSITION_OFFSET"
        CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_TIME_OF_LAST_APPEND_NS_OFFSET \
            "AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_TIME_OF_LAST_APPEND_NS_OFFSET"  # no-cython-lint
        CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_MEMBER_ID_OFFSET \
            "AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_MEMBER_ID_OFFSET"

    int64_t cluster_members_extended_response_passive_members_leadership_term_id \
        "ac_cluster_cluster_members_extended_response_passive_members_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_extended_response_passive_members_put_leadership_term_id \
        "ac_cluster_cluster_members_extended_response_passive_members_put_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t cluster_members_extended_response_passive_members_log_position \
        "ac_cluster_cluster_members_extended_response_passive_members_log_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_extended_response_passive_members_put_log_position \
        "ac_cluster_cluster_members_extended_response_passive_members_put_log_position"(
            uint8_t *body, int64_t value) noexcept
    int64_t cluster_members_extended_response_passive_members_time_of_last_append_ns \
        "ac_cluster_cluster_members_extended_response_passive_members_time_of_last_append_ns"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_extended_response_passive_members_put_time_of_last_append_ns \
        "ac_cluster_cluster_members_extended_response_passive_members_put_time_of_last_append_ns"(
            uint8_t *body, int64_t value) noexcept
    int32_t cluster_members_extended_response_passive_members_member_id \
        "ac_cluster_cluster_members_extended_response_passive_members_member_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_extended_response_passive_members_put_member_id \
        "ac_cluster_cluster_members_extended_response_passive_members_put_member_id"(
            uint8_t *body, int32_t value) noexcept
    int64_t cluster_members_extended_response_passive_members_read_ingress_endpoint \
        "ac_cluster_cluster_members_extended_response_passive_members_read_ingress_endpoint"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint cluster_members_extended_response_passive_members_write_ingress_endpoint \
        "ac_cluster_cluster_members_extended_response_passive_members_write_ingress_endpoint"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t cluster_members_extended_response_passive_members_read_consensus_endpoint \
        "ac_cluster_cluster_members_extended_response_passive_members_read_consensus_endpoint"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint cluster_members_extended_response_passive_members_write_consensus_endpoint \
        "ac_cluster_cluster_members_extended_response_passive_members_write_consensus_endpoint"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t cluster_members_extended_response_passive_members_read_log_endpoint \
        "ac_cluster_cluster_members_extended_response_passive_members_read_log_endpoint"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint cluster_members_extended_response_passive_members_write_log_endpoint \
        "ac_cluster_cluster_members_extended_response_passive_members_write_log_endpoint"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t cluster_members_extended_response_passive_members_read_catchup_endpoint \
        "ac_cluster_cluster_members_extended_response_passive_members_read_catchup_endpoint"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint cluster_members_extended_response_passive_members_write_catchup_endpoint \
        "ac_cluster_cluster_members_extended_response_passive_members_write_catchup_endpoint"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t cluster_members_extended_response_passive_members_read_archive_endpoint \
        "ac_cluster_cluster_members_extended_response_passive_members_read_archive_endpoint"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint cluster_members_extended_response_passive_members_write_archive_endpoint \
        "ac_cluster_cluster_members_extended_response_passive_members_write_archive_endpoint"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept

    enum:
        REQUEST_SERVICE_ACK_TEMPLATE_ID "AC_CLUSTER_REQUEST_SERVICE_ACK_TEMPLATE_ID"
        REQUEST_SERVICE_ACK_BLOCK_LENGTH "AC_CLUSTER_REQUEST_SERVICE_ACK_BLOCK_LENGTH"
        REQUEST_SERVICE_ACK_LOG_POSITION_OFFSET "AC_CLUSTER_REQUEST_SERVICE_ACK_LOG_POSITION_OFFSET"

    int64_t request_service_ack_log_position "ac_cluster_request_service_ack_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void request_service_ack_put_log_position "ac_cluster_request_service_ack_put_log_position"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *request_service_ack_begin "ac_cluster_request_service_ack_begin"(
        sbe_writer *writer) noexcept

    enum:
        CANVASS_POSITION_TEMPLATE_ID "AC_CLUSTER_CANVASS_POSITION_TEMPLATE_ID"
        CANVASS_POSITION_BLOCK_LENGTH "AC_CLUSTER_CANVASS_POSITION_BLOCK_LENGTH"
        CANVASS_POSITION_LOG_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_CANVASS_POSITION_LOG_LEADERSHIP_TERM_ID_OFFSET"
        CANVASS_POSITION_LOG_POSITION_OFFSET "AC_CLUSTER_CANVASS_POSITION_LOG_POSITION_OFFSET"
        CANVASS_POSITION_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_CANVASS_POSITION_LEADERSHIP_TERM_ID_OFFSET"
        CANVASS_POSITION_FOLLOWER_MEMBER_ID_OFFSET \
            "AC_CLUSTER_CANVASS_POSITION_FOLLOWER_MEMBER_ID_OFFSET"
        CANVASS_POSITION_PROTOCOL_VERSION_OFFSET \
            "AC_CLUSTER_CANVASS_POSITION_PROTOCOL_VERSION_OFFSET"

    int64_t canvass_position_log_leadership_term_id \
        "ac_cluster_canvass_position_log_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void canvass_position_put_log_leadership_term_id \
        "ac_cluster_canvass_position_put_log_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t canvass_position_log_position "ac_cluster_canvass_position_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void canvass_position_put_log_position "ac_cluster_canvass_position_put_log_position"(
        uint8_t *body, int64_t value) noexcept
    int64_t canvass_position_leadership_term_id "ac_cluster_canvass_position_leadership_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void canvass_position_put_leadership_term_id \
        "ac_cluster_canvass_position_put_leadership_term_id"(uint8_t *body, int64_t value) noexcept
    int32_t canvass_position_follower_member_id "ac_cluster_canvass_position_follower_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void canvass_position_put_follower_member_id \
        "ac_cluster_canvass_position_put_follower_member_id"(uint8_t *body, int32_t value) noexcept
    int32_t canvass_position_protocol_version "ac_cluster_canvass_position_protocol_version"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void canvass_position_put_protocol_version "ac_cluster_canvass_position_put_protocol_version"(
        uint8_t *body, int32_t value) noexcept
    uint8_t *canvass_position_begin "ac_cluster_canvass_position_begin"(sbe_writer *writer) noexcept

    enum:
        REQUEST_VOTE_TEMPLATE_ID "AC_CLUSTER_REQUEST_VOTE_TEMPLATE_ID"
        REQUEST_VOTE_BLOCK_LENGTH "AC_CLUSTER_REQUEST_VOTE_BLOCK_LENGTH"
        REQUEST_VOTE_LOG_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_REQUEST_VOTE_LOG_LEADERSHIP_TERM_ID_OFFSET"
        REQUEST_VOTE_LOG_POSITION_OFFSET "AC_CLUSTER_REQUEST_VOTE_LOG_POSITION_OFFSET"
        REQUEST_VOTE_CANDIDATE_TERM_ID_OFFSET "AC_CLUSTER_REQUEST_VOTE_CANDIDATE_TERM_ID_OFFSET"
        REQUEST_VOTE_CANDIDATE_MEMBER_ID_OFFSET "AC_CLUSTER_REQUEST_VOTE_CANDIDATE_MEMBER_ID_OFFSET"
        REQUEST_VOTE_PROTOCOL_VERSION_OFFSET "AC_CLUSTER_REQUEST_VOTE_PROTOCOL_VERSION_OFFSET"

    int64_t request_vote_log_leadership_term_id "ac_cluster_request_vote_log_leadership_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void request_vote_put_log_leadership_term_id \
        "ac_cluster_request_vote_put_log_leadership_term_id"(uint8_t *body, int64_t value) noexcept
    int64_t request_vote_log_position "ac_cluster_request_vote_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void request_vote_put_log_position "ac_cluster_request_vote_put_log_position"(
        uint8_t *body, int64_t value) noexcept
    int64_t request_vote_candidate_term_id "ac_cluster_request_vote_candidate_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void request_vote_put_candidate_term_id "ac_cluster_request_vote_put_candidate_term_id"(
        uint8_t *body, int64_t value) noexcept
    int32_t request_vote_candidate_member_id "ac_cluster_request_vote_candidate_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void request_vote_put_candidate_member_id "ac_cluster_request_vote_put_candidate_member_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t request_vote_protocol_version "ac_cluster_request_vote_protocol_version"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void request_vote_put_protocol_version "ac_cluster_request_vote_put_protocol_version"(
        uint8_t *body, int32_t value) noexcept
    uint8_t *request_vote_begin "ac_cluster_request_vote_begin"(sbe_writer *writer) noexcept

    enum:
        VOTE_TEMPLATE_ID "AC_CLUSTER_VOTE_TEMPLATE_ID"
        VOTE_BLOCK_LENGTH "AC_CLUSTER_VOTE_BLOCK_LENGTH"
        VOTE_CANDIDATE_TERM_ID_OFFSET "AC_CLUSTER_VOTE_CANDIDATE_TERM_ID_OFFSET"
        VOTE_LOG_LEADERSHIP_TERM_ID_OFFSET "AC_CLUSTER_VOTE_LOG_LEADERSHIP_TERM_ID_OFFSET"
        VOTE_LOG_POSITION_OFFSET "AC_CLUSTER_VOTE_LOG_POSITION_OFFSET"
        VOTE_CANDIDATE_MEMBER_ID_OFFSET "AC_CLUSTER_VOTE_CANDIDATE_MEMBER_ID_OFFSET"
        VOTE_FOLLOWER_MEMBER_ID_OFFSET "AC_CLUSTER_VOTE_FOLLOWER_MEMBER_ID_OFFSET"
        VOTE_VOTE_OFFSET "AC_CLUSTER_VOTE_VOTE_OFFSET"

    int64_t vote_candidate_term_id "ac_cluster_vote_candidate_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void vote_put_candidate_term_id "ac_cluster_vote_put_candidate_term_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t vote_log_leadership_term_id "ac_cluster_vote_log_leadership_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void vote_put_log_leadership_term_id "ac_cluster_vote_put_log_leadership_term_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t vote_log_position "ac_cluster_vote_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void vote_put_log_position "ac_cluster_vote_put_log_position"(
        uint8_t *body, int64_t value) noexcept
    int32_t vote_candidate_member_id "ac_cluster_vote_candidate_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void vote_put_candidate_member_id "ac_cluster_vote_put_candidate_member_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t vote_follower_member_id "ac_cluster_vote_follower_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void vote_put_follower_member_id "ac_cluster_vote_put_follower_member_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t vote_vote "ac_cluster_vote_vote"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void vote_put_vote "ac_cluster_vote_put_vote"(uint8_t *body, int32_t value) noexcept
    uint8_t *vote_begin "ac_cluster_vote_begin"(sbe_writer *writer) noexcept

    enum:
        NEW_LEADERSHIP_TERM_TEMPLATE_ID "AC_CLUSTER_NEW_LEADERSHIP_TERM_TEMPLATE_ID"
        NEW_LEADERSHIP_TERM_BLOCK_LENGTH "AC_CLUSTER_NEW_LEADERSHIP_TERM_BLOCK_LENGTH"
        NEW_LEADERSHIP_TERM_LOG_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_LOG_LEADERSHIP_TERM_ID_OFFSET"
        NEW_LEADERSHIP_TERM_NEXT_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_NEXT_LEADERSHIP_TERM_ID_OFFSET"
        NEW_LEADERSHIP_TERM_NEXT_TERM_BASE_LOG_POSITION_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_NEXT_TERM_BASE_LOG_POSITION_OFFSET"
        NEW_LEADERSHIP_TERM_NEXT_LOG_POSITION_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_NEXT_LOG_POSITION_OFFSET"
        NEW_LEADERSHIP_TERM_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_LEADERSHIP_TERM_ID_OFFSET"
        NEW_LEADERSHIP_TERM_TERM_BASE_LOG_POSITION_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_TERM_BASE_LOG_POSITION_OFFSET"
        NEW_LEADERSHIP_TERM_LOG_POSITION_OFFSET "AC_CLUSTER_NEW_LEADERSHIP_TERM_LOG_POSITION_OFFSET"
        NEW_LEADERSHIP_TERM_LEADER_RECORDING_ID_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_LEADER_RECORDING_ID_OFFSET"
        NEW_LEADERSHIP_TERM_TIMESTAMP_OFFSET "AC_CLUSTER_NEW_LEADERSHIP_TERM_TIMESTAMP_OFFSET"
        NEW_LEADERSHIP_TERM_LEADER_MEMBER_ID_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_LEADER_MEMBER_ID_OFFSET"
        NEW_LEADERSHIP_TERM_LOG_SESSION_ID_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_LOG_SESSION_ID_OFFSET"
        NEW_LEADERSHIP_TERM_APP_VERSION_OFFSET "AC_CLUSTER_NEW_LEADERSHIP_TERM_APP_VERSION_OFFSET"
        NEW_LEADERSHIP_TERM_IS_STARTUP_OFFSET "AC_CLUSTER_NEW_LEADERSHIP_TERM_IS_STARTUP_OFFSET"
        NEW_LEADERSHIP_TERM_COMMIT_POSITION_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_COMMIT_POSITION_OFFSET"

    int64_t new_leadership_term_log_leadership_term_id \
        "ac_cluster_new_leadership_term_log_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_put_log_leadership_term_id \
        "ac_cluster_new_leadership_term_put_log_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t new_leadership_term_next_leadership_term_id \
        "ac_cluster_new_leadership_term_next_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_put_next_leadership_term_id \
        "ac_cluster_new_leadership_term_put_next_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t new_leadership_term_next_term_base_log_position \
        "ac_cluster_new_leadership_term_next_term_base_log_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_put_next_term_base_log_position \
        "ac_cluster_new_leadership_term_put_next_term_base_log_position"(
            uint8_t *body, int64_t value) noexcept
    int64_t new_leadership_term_next_log_position \
        "ac_cluster_new_leadership_term_next_log_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_put_next_log_position \
        "ac_cluster_new_leadership_term_put_next_log_position"(
            uint8_t *body, int64_t value) noexcept
    int64_t new_leadership_term_leadership_term_id \
        "ac_cluster_new_leadership_term_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_put_leadership_term_id \
        "ac_cluster_new_leadership_term_put_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t new_leadership_term_term_base_log_position \
        "ac_cluster_new_leadership_term_term_base_log_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_put_term_base_log_position \
        "ac_cluster_new_leadership_term_put_term_base_log_position"(
            uint8_t *body, int64_t value) noexcept
    int64_t new_leadership_term_log_position "ac_cluster_new_leadership_term_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_put_log_position "ac_cluster_new_leadership_term_put_log_position"(
        uint8_t *body, int64_t value) noexcept
    int64_t new_leadership_term_leader_recording_id \
        "ac_cluster_new_leadership_term_leader_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_put_leader_recording_id \
        "ac_cluster_new_leadership_term_put_leader_recording_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t new_leadership_term_timestamp "ac_cluster_new_leadership_term_timestamp"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_put_timestamp "ac_cluster_new_leadership_term_put_timestamp"(
        uint8_t *body, int64_t value) noexcept
    int32_t new_leadership_term_leader_member_id "ac_cluster_new_leadership_term_leader_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_put_leader_member_id \
        "ac_cluster_new_leadership_term_put_leader_member_id"(uint8_t *body, int32_t value) noexcept
    int32_t new_leadership_term_log_session_id "ac_cluster_new_leadership_term_log_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_put_log_session_id "ac_cluster_new_leadership_term_put_log_session_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t new_leadership_term_app_version "ac_cluster_new_leadership_term_app_version"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_put_app_version "ac_cluster_new_leadership_term_put_app_version"(
        uint8_t *body, int32_t value) noexcept
    int32_t new_leadership_term_is_startup "ac_cluster_new_leadership_term_is_startup"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_put_is_startup "ac_cluster_new_leadership_term_put_is_startup"(
        uint8_t *body, int32_t value) noexcept
    int64_t new_leadership_term_commit_position "ac_cluster_new_leadership_term_commit_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void new_leadership_term_put_commit_position \
        "ac_cluster_new_leadership_term_put_commit_position"(uint8_t *body, int64_t value) noexcept
    uint8_t *new_leadership_term_begin "ac_cluster_new_leadership_term_begin"(
        sbe_writer *writer) noexcept

    enum:
        APPEND_POSITION_TEMPLATE_ID "AC_CLUSTER_APPEND_POSITION_TEMPLATE_ID"
        APPEND_POSITION_BLOCK_LENGTH "AC_CLUSTER_APPEND_POSITION_BLOCK_LENGTH"
        APPEND_POSITION_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_APPEND_POSITION_LEADERSHIP_TERM_ID_OFFSET"
        APPEND_POSITION_LOG_POSITION_OFFSET "AC_CLUSTER_APPEND_POSITION_LOG_POSITION_OFFSET"
        APPEND_POSITION_FOLLOWER_MEMBER_ID_OFFSET \
            "AC_CLUSTER_APPEND_POSITION_FOLLOWER_MEMBER_ID_OFFSET"
        APPEND_POSITION_FLAGS_OFFSET "AC_CLUSTER_APPEND_POSITION_FLAGS_OFFSET"

    int64_t append_position_leadership_term_id "ac_cluster_append_position_leadership_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void append_position_put_leadership_term_id "ac_cluster_append_position_put_leadership_term_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t append_position_log_position "ac_cluster_append_position_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void append_position_put_log_position "ac_cluster_append_position_put_log_position"(
        uint8_t *body, int64_t value) noexcept
    int32_t append_position_follower_member_id "ac_cluster_append_position_follower_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void append_position_put_follower_member_id "ac_cluster_append_position_put_follower_member_id"(
        uint8_t *body, int32_t value) noexcept
    uint8_t append_position_flags "ac_cluster_append_position_flags"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void append_position_put_flags "ac_cluster_append_position_put_flags"(
        uint8_t *body, uint8_t value) noexcept
    uint8_t *append_position_begin "ac_cluster_append_position_begin"(sbe_writer *writer) noexcept

    enum:
        COMMIT_POSITION_TEMPLATE_ID "AC_CLUSTER_COMMIT_POSITION_TEMPLATE_ID"
        COMMIT_POSITION_BLOCK_LENGTH "AC_CLUSTER_COMMIT_POSITION_BLOCK_LENGTH"
        COMMIT_POSITION_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_COMMIT_POSITION_LEADERSHIP_TERM_ID_OFFSET"
        COMMIT_POSITION_LOG_POSITION_OFFSET "AC_CLUSTER_COMMIT_POSITION_LOG_POSITION_OFFSET"
        COMMIT_POSITION_LEADER_MEMBER_ID_OFFSET "AC_CLUSTER_COMMIT_POSITION_LEADER_MEMBER_ID_OFFSET"

    int64_t commit_position_leadership_term_id "ac_cluster_commit_position_leadership_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void commit_position_put_leadership_term_id "ac_cluster_commit_position_put_leadership_term_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t commit_position_log_position "ac_cluster_commit_position_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void commit_position_put_log_position "ac_cluster_commit_position_put_log_position"(
        uint8_t *body, int64_t value) noexcept
    int32_t commit_position_leader_member_id "ac_cluster_commit_position_leader_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void commit_position_put_leader_member_id "ac_cluster_commit_position_put_leader_member_id"(
        uint8_t *body, int32_t value) noexcept
    uint8_t *commit_position_begin "ac_cluster_commit_position_begin"(sbe_writer *writer) noexcept

    enum:
        CATCHUP_POSITION_TEMPLATE_ID "AC_CLUSTER_CATCHUP_POSITION_TEMPLATE_ID"
        CATCHUP_POSITION_BLOCK_LENGTH "AC_CLUSTER_CATCHUP_POSITION_BLOCK_LENGTH"
        CATCHUP_POSITION_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_CATCHUP_POSITION_LEADERSHIP_TERM_ID_OFFSET"
        CATCHUP_POSITION_LOG_POSITION_OFFSET "AC_CLUSTER_CATCHUP_POSITION_LOG_POSITION_OFFSET"
        CATCHUP_POSITION_FOLLOWER_MEMBER_ID_OFFSET \
            "AC_CLUSTER_CATCHUP_POSITION_FOLLOWER_MEMBER_ID_OFFSET"

    int64_t catchup_position_leadership_term_id "ac_cluster_catchup_position_leadership_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void catchup_position_put_leadership_term_id \
        "ac_cluster_catchup_position_put_leadership_term_id"(uint8_t *body, int64_t value) noexcept
    int64_t catchup_position_log_position "ac_cluster_catchup_position_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void catchup_position_put_log_position "ac_cluster_catchup_position_put_log_position"(
        uint8_t *body, int64_t value) noexcept
    int32_t catchup_position_follower_member_id "ac_cluster_catchup_position_follower_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void catchup_position_put_follower_member_id \
        "ac_cluster_catchup_position_put_follower_member_id"(uint8_t *body, int32_t value) noexcept
    int64_t catchup_position_read_catchup_endpoint \
        "ac_cluster_catchup_position_read_catchup_endpoint"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint catchup_position_write_catchup_endpoint \
        "ac_cluster_catchup_position_write_catchup_endpoint"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *catchup_position_begin "ac_cluster_catchup_position_begin"(sbe_writer *writer) noexcept

    enum:
        STOP_CATCHUP_TEMPLATE_ID "AC_CLUSTER_STOP_CATCHUP_TEMPLATE_ID"
        STOP_CATCHUP_BLOCK_LENGTH "AC_CLUSTER_STOP_CATCHUP_BLOCK_LENGTH"
        STOP_CATCHUP_LEADERSHIP_TERM_ID_OFFSET "AC_CLUSTER_STOP_CATCHUP_LEADERSHIP_TERM_ID_OFFSET"
        STOP_CATCHUP_FOLLOWER_MEMBER_ID_OFFSET "AC_CLUSTER_STOP_CATCHUP_FOLLOWER_MEMBER_ID_OFFSET"

    int64_t stop_catchup_leadership_term_id "ac_cluster_stop_catchup_leadership_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_catchup_put_leadership_term_id "ac_cluster_stop_catchup_put_leadership_term_id"(
        uint8_t *body, int64_t value) noexcept
    int32_t stop_catchup_follower_member_id "ac_cluster_stop_catchup_follower_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void stop_catchup_put_follower_member_id "ac_cluster_stop_catchup_put_follower_member_id"(
        uint8_t *body, int32_t value) noexcept
    uint8_t *stop_catchup_begin "ac_cluster_stop_catchup_begin"(sbe_writer *writer) noexcept

    enum:
        ADD_PASSIVE_MEMBER_TEMPLATE_ID "AC_CLUSTER_ADD_PASSIVE_MEMBER_TEMPLATE_ID"
        ADD_PASSIVE_MEMBER_BLOCK_LENGTH "AC_CLUSTER_ADD_PASSIVE_MEMBER_BLOCK_LENGTH"
        ADD_PASSIVE_MEMBER_CORRELATION_ID_OFFSET \
            "AC_CLUSTER_ADD_PASSIVE_MEMBER_CORRELATION_ID_OFFSET"

    int64_t add_passive_member_correlation_id "ac_cluster_add_passive_member_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void add_passive_member_put_correlation_id "ac_cluster_add_passive_member_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t add_passive_member_read_member_endpoints \
        "ac_cluster_add_passive_member_read_member_endpoints"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint add_passive_member_write_member_endpoints \
        "ac_cluster_add_passive_member_write_member_endpoints"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *add_passive_member_begin "ac_cluster_add_passive_member_begin"(
        sbe_writer *writer) noexcept

    enum:
        CLUSTER_MEMBERS_CHANGE_TEMPLATE_ID "AC_CLUSTER_CLUSTER_MEMBERS_CHANGE_TEMPLATE_ID"
        CLUSTER_MEMBERS_CHANGE_BLOCK_LENGTH "AC_CLUSTER_CLUSTER_MEMBERS_CHANGE_BLOCK_LENGTH"
        CLUSTER_MEMBERS_CHANGE_CORRELATION_ID_OFFSET \
            "AC_CLUSTER_CLUSTER_MEMBERS_CHANGE_CORRELATION_ID_OFFSET"
        CLUSTER_MEMBERS_CHANGE_LEADER_MEMBER_ID_OFFSET \
            "AC_CLUSTER_CLUSTER_MEMBERS_CHANGE_LEADER_MEMBER_ID_OFFSET"

    int64_t cluster_members_change_correlation_id \
        "ac_cluster_cluster_members_change_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_change_put_correlation_id \
        "ac_cluster_cluster_members_change_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t cluster_members_change_leader_member_id \
        "ac_cluster_cluster_members_change_leader_member_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_change_put_leader_member_id \
        "ac_cluster_cluster_members_change_put_leader_member_id"(
            uint8_t *body, int32_t value) noexcept
    int64_t cluster_members_change_read_active_members \
        "ac_cluster_cluster_members_change_read_active_members"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint cluster_members_change_write_active_members \
        "ac_cluster_cluster_members_change_write_active_members"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t cluster_members_change_read_passive_members \
        "ac_cluster_cluster_members_change_read_passive_members"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint cluster_members_change_write_passive_members \
        "ac_cluster_cluster_members_change_write_passive_members"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *cluster_members_change_begin "ac_cluster_cluster_members_change_begin"(
        sbe_writer *writer) noexcept

    enum:
        SNAPSHOT_RECORDING_QUERY_TEMPLATE_ID "AC_CLUSTER_SNAPSHOT_RECORDING_QUERY_TEMPLATE_ID"
        SNAPSHOT_RECORDING_QUERY_BLOCK_LENGTH "AC_CLUSTER_SNAPSHOT_RECORDING_QUERY_BLOCK_LENGTH"
        SNAPSHOT_RECORDING_QUERY_CORRELATION_ID_OFFSET \
            "AC_CLUSTER_SNAPSHOT_RECORDING_QUERY_CORRELATION_ID_OFFSET"
        SNAPSHOT_RECORDING_QUERY_REQUEST_MEMBER_ID_OFFSET \
            "AC_CLUSTER_SNAPSHOT_RECORDING_QUERY_REQUEST_MEMBER_ID_OFFSET"

    int64_t snapshot_recording_query_correlation_id \
        "ac_cluster_snapshot_recording_query_correlation_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void snapshot_recording_query_put_correlation_id \
        "ac_cluster_snapshot_recording_query_put_correlation_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t snapshot_recording_query_request_member_id \
        "ac_cluster_snapshot_recording_query_request_member_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void snapshot_recording_query_put_request_member_id \
        "ac_cluster_snapshot_recording_query_put_request_member_id"(
            uint8_t *body, int32_t value) noexcept
    uint8_t *snapshot_recording_query_begin "ac_cluster_snapshot_recording_query_begin"(
        sbe_writer *writer) noexcept

    enum:
        SNAPSHOT_RECORDINGS_TEMPLATE_ID "AC_CLUSTER_SNAPSHOT_RECORDINGS_TEMPLATE_ID"
        SNAPSHOT_RECORDINGS_BLOCK_LENGTH "AC_CLUSTER_SNAPSHOT_RECORDINGS_BLOCK_LENGTH"
        SNAPSHOT_RECORDINGS_CORRELATION_ID_OFFSET \
            "AC_CLUSTER_SNAPSHOT_RECORDINGS_CORRELATION_ID_OFFSET"

    int64_t snapshot_recordings_correlation_id "ac_cluster_snapshot_recordings_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void snapshot_recordings_put_correlation_id "ac_cluster_snapshot_recordings_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    bint snapshot_recordings_read_snapshots "ac_cluster_snapshot_recordings_read_snapshots"(
        sbe_reader *reader, sbe_group *group) noexcept
    bint snapshot_recordings_write_snapshots "ac_cluster_snapshot_recordings_write_snapshots"(
        sbe_writer *writer, uint16_t count) noexcept
    uint8_t *snapshot_recordings_snapshots_next "ac_cluster_snapshot_recordings_snapshots_next"(
        sbe_writer *writer) noexcept
    int64_t snapshot_recordings_read_member_endpoints \
        "ac_cluster_snapshot_recordings_read_member_endpoints"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint snapshot_recordings_write_member_endpoints \
        "ac_cluster_snapshot_recordings_write_member_endpoints"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *snapshot_recordings_begin "ac_cluster_snapshot_recordings_begin"(
        sbe_writer *writer) noexcept

    enum:
        SNAPSHOT_RECORDINGS_SNAPSHOTS_BLOCK_LENGTH \
            "AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_BLOCK_LENGTH"
        SNAPSHOT_RECORDINGS_SNAPSHOTS_RECORDING_ID_OFFSET \
            "AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_RECORDING_ID_OFFSET"
        SNAPSHOT_RECORDINGS_SNAPSHOTS_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_LEADERSHIP_TERM_ID_OFFSET"
        SNAPSHOT_RECORDINGS_SNAPSHOTS_TERM_BASE_LOG_POSITION_OFFSET \
            "AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_TERM_BASE_LOG_POSITION_OFFSET"
        SNAPSHOT_RECORDINGS_SNAPSHOTS_LOG_POSITION_OFFSET \
            "AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_LOG_POSITION_OFFSET"
        SNAPSHOT_RECORDINGS_SNAPSHOTS_TIMESTAMP_OFFSET \
            "AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_TIMESTAMP_OFFSET"
        SNAPSHOT_RECORDINGS_SNAPSHOTS_SERVICE_ID_OFFSET \
            "AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_SERVICE_ID_OFFSET"

    int64_t snapshot_recordings_snapshots_recording_id \
        "ac_cluster_snapshot_recordings_snapshots_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void snapshot_recordings_snapshots_put_recording_id \
        "ac_cluster_snapshot_recordings_snapshots_put_recording_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t snapshot_recordings_snapshots_leadership_term_id \
        "ac_cluster_snapshot_recordings_snapshots_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void snapshot_recordings_snapshots_put_leadership_term_id \
        "ac_cluster_snapshot_recordings_snapshots_put_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t snapshot_recordings_snapshots_term_base_log_position \
        "ac_cluster_snapshot_recordings_snapshots_term_base_log_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void snapshot_recordings_snapshots_put_term_base_log_position \
        "ac_cluster_snapshot_recordings_snapshots_put_term_base_log_position"(
            uint8_t *body, int64_t value) noexcept
    int64_t snapshot_recordings_snapshots_log_position \
        "ac_cluster_snapshot_recordings_snapshots_log_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void snapshot_recordings_snapshots_put_log_position \
        "ac_cluster_snapshot_recordings_snapshots_put_log_position"(
            uint8_t *body, int64_t value) noexcept
    int64_t snapshot_recordings_snapshots_timestamp \
        "ac_cluster_snapshot_recordings_snapshots_timestamp"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void snapshot_recordings_snapshots_put_timestamp \
        "ac_cluster_snapshot_recordings_snapshots_put_timestamp"(
            uint8_t *body, int64_t value) noexcept
    int32_t snapshot_recordings_snapshots_service_id \
        "ac_cluster_snapshot_recordings_snapshots_service_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void snapshot_recordings_snapshots_put_service_id \
        "ac_cluster_snapshot_recordings_snapshots_put_service_id"(
            uint8_t *body, int32_t value) noexcept

    enum:
        JOIN_CLUSTER_TEMPLATE_ID "AC_CLUSTER_JOIN_CLUSTER_TEMPLATE_ID"
        JOIN_CLUSTER_BLOCK_LENGTH "AC_CLUSTER_JOIN_CLUSTER_BLOCK_LENGTH"
        JOIN_CLUSTER_LEADERSHIP_TERM_ID_OFFSET "AC_CLUSTER_JOIN_CLUSTER_LEADERSHIP_TERM_ID_OFFSET"
        JOIN_CLUSTER_MEMBER_ID_OFFSET "AC_CLUSTER_JOIN_CLUSTER_MEMBER_ID_OFFSET"

    int64_t join_cluster_leadership_term_id "ac_cluster_join_cluster_leadership_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void join_cluster_put_leadership_term_id "ac_cluster_join_cluster_put_leadership_term_id"(
        uint8_t *body, int64_t value) noexcept
    int32_t join_cluster_member_id "ac_cluster_join_cluster_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void join_cluster_put_member_id "ac_cluster_join_cluster_put_member_id"(
        uint8_t *body, int32_t value) noexcept
    uint8_t *join_cluster_begin "ac_cluster_join_cluster_begin"(sbe_writer *writer) noexcept

    enum:
        TERMINATION_POSITION_TEMPLATE_ID "AC_CLUSTER_TERMINATION_POSITION_TEMPLATE_ID"
        TERMINATION_POSITION_BLOCK_LENGTH "AC_CLUSTER_TERMINATION_POSITION_BLOCK_LENGTH"
        TERMINATION_POSITION_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_TERMINATION_POSITION_LEADERSHIP_TERM_ID_OFFSET"
        TERMINATION_POSITION_LOG_POSITION_OFFSET \
            "AC_CLUSTER_TERMINATION_POSITION_LOG_POSITION_OFFSET"

    int64_t termination_position_leadership_term_id \
        "ac_cluster_termination_position_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void termination_position_put_leadership_term_id \
        "ac_cluster_termination_position_put_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t termination_position_log_position "ac_cluster_termination_position_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void termination_position_put_log_position "ac_cluster_termination_position_put_log_position"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *termination_position_begin "ac_cluster_termination_position_begin"(
        sbe_writer *writer) noexcept

    enum:
        TERMINATION_ACK_TEMPLATE_ID "AC_CLUSTER_TERMINATION_ACK_TEMPLATE_ID"
        TERMINATION_ACK_BLOCK_LENGTH "AC_CLUSTER_TERMINATION_ACK_BLOCK_LENGTH"
        TERMINATION_ACK_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_TERMINATION_ACK_LEADERSHIP_TERM_ID_OFFSET"
        TERMINATION_ACK_LOG_POSITION_OFFSET "AC_CLUSTER_TERMINATION_ACK_LOG_POSITION_OFFSET"
        TERMINATION_ACK_MEMBER_ID_OFFSET "AC_CLUSTER_TERMINATION_ACK_MEMBER_ID_OFFSET"

    int64_t termination_ack_leadership_term_id "ac_cluster_termination_ack_leadership_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void termination_ack_put_leadership_term_id "ac_cluster_termination_ack_put_leadership_term_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t termination_ack_log_position "ac_cluster_termination_ack_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void termination_ack_put_log_position "ac_cluster_termination_ack_put_log_position"(
        uint8_t *body, int64_t value) noexcept
    int32_t termination_ack_member_id "ac_cluster_termination_ack_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void termination_ack_put_member_id "ac_cluster_termination_ack_put_member_id"(
        uint8_t *body, int32_t value) noexcept
    uint8_t *termination_ack_begin "ac_cluster_termination_ack_begin"(sbe_writer *writer) noexcept

    enum:
        BACKUP_QUERY_TEMPLATE_ID "AC_CLUSTER_BACKUP_QUERY_TEMPLATE_ID"
        BACKUP_QUERY_BLOCK_LENGTH "AC_CLUSTER_BACKUP_QUERY_BLOCK_LENGTH"
        BACKUP_QUERY_CORRELATION_ID_OFFSET "AC_CLUSTER_BACKUP_QUERY_CORRELATION_ID_OFFSET"
        BACKUP_QUERY_RESPONSE_STREAM_ID_OFFSET "AC_CLUSTER_BACKUP_QUERY_RESPONSE_STREAM_ID_OFFSET"
        BACKUP_QUERY_VERSION_OFFSET "AC_CLUSTER_BACKUP_QUERY_VERSION_OFFSET"
        BACKUP_QUERY_LOG_POSITION_OFFSET "AC_CLUSTER_BACKUP_QUERY_LOG_POSITION_OFFSET"

    int64_t backup_query_correlation_id "ac_cluster_backup_query_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_query_put_correlation_id "ac_cluster_backup_query_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int32_t backup_query_response_stream_id "ac_cluster_backup_query_response_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_query_put_response_stream_id "ac_cluster_backup_query_put_response_stream_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t backup_query_version "ac_cluster_backup_query_version"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_query_put_version "ac_cluster_backup_query_put_version"(
        uint8_t *body, int32_t value) noexcept
    int64_t backup_query_log_position "ac_cluster_backup_query_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_query_put_log_position "ac_cluster_backup_query_put_log_position"(
        uint8_t *body, int64_t value) noexcept
    int64_t backup_query_read_response_channel "ac_cluster_backup_query_read_response_channel"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint backup_query_write_response_channel "ac_cluster_backup_query_write_response_channel"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t backup_query_read_encoded_credentials \
        "ac_cluster_backup_query_read_encoded_credentials"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint backup_query_write_encoded_credentials "ac_cluster_backup_query_write_encoded_credentials"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *backup_query_begin "ac_cluster_backup_query_begin"(sbe_writer *writer) noexcept

    enum:
        BACKUP_RESPONSE_TEMPLATE_ID "AC_CLUSTER_BACKUP_RESPONSE_TEMPLATE_ID"
        BACKUP_RESPONSE_BLOCK_LENGTH "AC_CLUSTER_BACKUP_RESPONSE_BLOCK_LENGTH"
        BACKUP_RESPONSE_CORRELATION_ID_OFFSET "AC_CLUSTER_BACKUP_RESPONSE_CORRELATION_ID_OFFSET"
        BACKUP_RESPONSE_LOG_RECORDING_ID_OFFSET "AC_CLUSTER_BACKUP_RESPONSE_LOG_RECORDING_ID_OFFSET"
        BACKUP_RESPONSE_LOG_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_BACKUP_RESPONSE_LOG_LEADERSHIP_TERM_ID_OFFSET"
        BACKUP_RESPONSE_LOG_TERM_BASE_LOG_POSITION_OFFSET \
            "AC_CLUSTER_BACKUP_RESPONSE_LOG_TERM_BASE_LOG_POSITION_OFFSET"
        BACKUP_RESPONSE_LAST_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_BACKUP_RESPONSE_LAST_LEADERSHIP_TERM_ID_OFFSET"
        BACKUP_RESPONSE_LAST_TERM_BASE_LOG_POSITION_OFFSET \
            "AC_CLUSTER_BACKUP_RESPONSE_LAST_TERM_BASE_LOG_POSITION_OFFSET"
        BACKUP_RESPONSE_COMMIT_POSITION_COUNTER_ID_OFFSET \
            "AC_CLUSTER_BACKUP_RESPONSE_COMMIT_POSITION_COUNTER_ID_OFFSET"
        BACKUP_RESPONSE_LEADER_MEMBER_ID_OFFSET "AC_CLUSTER_BACKUP_RESPONSE_LEADER_MEMBER_ID_OFFSET"
        BACKUP_RESPONSE_MEMBER_ID_OFFSET "AC_CLUSTER_BACKUP_RESPONSE_MEMBER_ID_OFFSET"

    int64_t backup_response_correlation_id "ac_cluster_backup_response_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_response_put_correlation_id "ac_cluster_backup_response_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t backup_response_log_recording_id "ac_cluster_backup_response_log_recording_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_response_put_log_recording_id "ac_cluster_backup_response_put_log_recording_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t backup_response_log_leadership_term_id \
        "ac_cluster_backup_response_log_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_response_put_log_leadership_term_id \
        "ac_cluster_backup_response_put_log_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t backup_response_log_term_base_log_position \
        "ac_cluster_backup_response_log_term_base_log_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_response_put_log_term_base_log_position \
        "ac_cluster_backup_response_put_log_term_base_log_position"(
            uint8_t *body, int64_t value) noexcept
    int64_t backup_response_last_leadership_term_id \
        "ac_cluster_backup_response_last_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_response_put_last_leadership_term_id \
        "ac_cluster_backup_response_put_last_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t backup_response_last_term_base_log_position \
        "ac_cluster_backup_response_last_term_base_log_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_response_put_last_term_base_log_position \
        "ac_cluster_backup_response_put_last_term_base_log_position"(
            uint8_t *body, int64_t value) noexcept
    int32_t backup_response_commit_position_counter_id \
        "ac_cluster_backup_response_commit_position_counter_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_response_put_commit_position_counter_id \
        "ac_cluster_backup_response_put_commit_position_counter_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t backup_response_leader_member_id "ac_cluster_backup_response_leader_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_response_put_leader_member_id "ac_cluster_backup_response_put_leader_member_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t backup_response_member_id "ac_cluster_backup_response_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_response_put_member_id "ac_cluster_backup_response_put_member_id"(
        uint8_t *body, int32_t value) noexcept
    bint backup_response_read_snapshots "ac_cluster_backup_response_read_snapshots"(
        sbe_reader *reader, sbe_group *group) noexcept
    bint backup_response_write_snapshots "ac_cluster_backup_response_write_snapshots"(
        sbe_writer *writer, uint16_t count) noexcept
    uint8_t *backup_response_snapshots_next "ac_cluster_backup_response_snapshots_next"(
        sbe_writer *writer) noexcept
    int64_t backup_response_read_cluster_members "ac_cluster_backup_response_read_cluster_members"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint backup_response_write_cluster_members "ac_cluster_backup_response_write_cluster_members"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *backup_response_begin "ac_cluster_backup_response_begin"(sbe_writer *writer) noexcept

    enum:
        BACKUP_RESPONSE_SNAPSHOTS_BLOCK_LENGTH "AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_BLOCK_LENGTH"
        BACKUP_RESPONSE_SNAPSHOTS_RECORDING_ID_OFFSET \
            "AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_RECORDING_ID_OFFSET"
        BACKUP_RESPONSE_SNAPSHOTS_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_LEADERSHIP_TERM_ID_OFFSET"
        BACKUP_RESPONSE_SNAPSHOTS_TERM_BASE_LOG_POSITION_OFFSET \
            "AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_TERM_BASE_LOG_POSITION_OFFSET"
        BACKUP_RESPONSE_SNAPSHOTS_LOG_POSITION_OFFSET \
            "AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_LOG_POSITION_OFFSET"
        BACKUP_RESPONSE_SNAPSHOTS_TIMESTAMP_OFFSET \
            "AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_TIMESTAMP_OFFSET"
        BACKUP_RESPONSE_SNAPSHOTS_SERVICE_ID_OFFSET \
            "AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_SERVICE_ID_OFFSET"

    int64_t backup_response_snapshots_recording_id \
        "ac_cluster_backup_response_snapshots_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_response_snapshots_put_recording_id \
        "ac_cluster_backup_response_snapshots_put_recording_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t backup_response_snapshots_leadership_term_id \
        "ac_cluster_backup_response_snapshots_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_response_snapshots_put_leadership_term_id \
        "ac_cluster_backup_response_snapshots_put_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t backup_response_snapshots_term_base_log_position \
        "ac_cluster_backup_response_snapshots_term_base_log_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_response_snapshots_put_term_base_log_position \
        "ac_cluster_backup_response_snapshots_put_term_base_log_position"(
            uint8_t *body, int64_t value) noexcept
    int64_t backup_response_snapshots_log_position \
        "ac_cluster_backup_response_snapshots_log_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_response_snapshots_put_log_position \
        "ac_cluster_backup_response_snapshots_put_log_position"(
            uint8_t *body, int64_t value) noexcept
    int64_t backup_response_snapshots_timestamp "ac_cluster_backup_response_snapshots_timestamp"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_response_snapshots_put_timestamp \
        "ac_cluster_backup_response_snapshots_put_timestamp"(uint8_t *body, int64_t value) noexcept
    int32_t backup_response_snapshots_service_id "ac_cluster_backup_response_snapshots_service_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void backup_response_snapshots_put_service_id \
        "ac_cluster_backup_response_snapshots_put_service_id"(uint8_t *body, int32_t value) noexcept

    enum:
        HEARTBEAT_REQUEST_TEMPLATE_ID "AC_CLUSTER_HEARTBEAT_REQUEST_TEMPLATE_ID"
        HEARTBEAT_REQUEST_BLOCK_LENGTH "AC_CLUSTER_HEARTBEAT_REQUEST_BLOCK_LENGTH"
        HEARTBEAT_REQUEST_CORRELATION_ID_OFFSET "AC_CLUSTER_HEARTBEAT_REQUEST_CORRELATION_ID_OFFSET"
        HEARTBEAT_REQUEST_RESPONSE_STREAM_ID_OFFSET \
            "AC_CLUSTER_HEARTBEAT_REQUEST_RESPONSE_STREAM_ID_OFFSET"

    int64_t heartbeat_request_correlation_id "ac_cluster_heartbeat_request_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void heartbeat_request_put_correlation_id "ac_cluster_heartbeat_request_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int32_t heartbeat_request_response_stream_id "ac_cluster_heartbeat_request_response_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void heartbeat_request_put_response_stream_id \
        "ac_cluster_heartbeat_request_put_response_stream_id"(uint8_t *body, int32_t value) noexcept
    int64_t heartbeat_request_read_response_channel \
        "ac_cluster_heartbeat_request_read_response_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint heartbeat_request_write_response_channel \
        "ac_cluster_heartbeat_request_write_response_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t heartbeat_request_read_encoded_credentials \
        "ac_cluster_heartbeat_request_read_encoded_credentials"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint heartbeat_request_write_encoded_credentials \
        "ac_cluster_heartbeat_request_write_encoded_credentials"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *heartbeat_request_begin "ac_cluster_heartbeat_request_begin"(
        sbe_writer *writer) noexcept

    enum:
        HEARTBEAT_RESPONSE_TEMPLATE_ID "AC_CLUSTER_HEARTBEAT_RESPONSE_TEMPLATE_ID"
        HEARTBEAT_RESPONSE_BLOCK_LENGTH "AC_CLUSTER_HEARTBEAT_RESPONSE_BLOCK_LENGTH"
        HEARTBEAT_RESPONSE_CORRELATION_ID_OFFSET \
            "AC_CLUSTER_HEARTBEAT_RESPONSE_CORRELATION_ID_OFFSET"

    int64_t heartbeat_response_correlation_id "ac_cluster_heartbeat_response_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void heartbeat_response_put_correlation_id "ac_cluster_heartbeat_response_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *heartbeat_response_begin "ac_cluster_heartbeat_response_begin"(
        sbe_writer *writer) noexcept

    enum:
        STANDBY_SNAPSHOT_TEMPLATE_ID "AC_CLUSTER_STANDBY_SNAPSHOT_TEMPLATE_ID"
        STANDBY_SNAPSHOT_BLOCK_LENGTH "AC_CLUSTER_STANDBY_SNAPSHOT_BLOCK_LENGTH"
        STANDBY_SNAPSHOT_CORRELATION_ID_OFFSET "AC_CLUSTER_STANDBY_SNAPSHOT_CORRELATION_ID_OFFSET"
        STANDBY_SNAPSHOT_VERSION_OFFSET "AC_CLUSTER_STANDBY_SNAPSHOT_VERSION_OFFSET"
        STANDBY_SNAPSHOT_RESPONSE_STREAM_ID_OFFSET \
            "AC_CLUSTER_STANDBY_SNAPSHOT_RESPONSE_STREAM_ID_OFFSET"

    int64_t standby_snapshot_correlation_id "ac_cluster_standby_snapshot_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void standby_snapshot_put_correlation_id "ac_cluster_standby_snapshot_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int32_t standby_snapshot_version "ac_cluster_standby_snapshot_version"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void standby_snapshot_put_version "ac_cluster_standby_snapshot_put_version"(
        uint8_t *body, int32_t value) noexcept
    int32_t standby_snapshot_response_stream_id "ac_cluster_standby_snapshot_response_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void standby_snapshot_put_response_stream_id \
        "ac_cluster_standby_snapshot_put_response_stream_id"(uint8_t *body, int32_t value) noexcept
    bint standby_snapshot_read_snapshots "ac_cluster_standby_snapshot_read_snapshots"(
        sbe_reader *reader, sbe_group *group) noexcept
    bint standby_snapshot_write_snapshots "ac_cluster_standby_snapshot_write_snapshots"(
        sbe_writer *writer, uint16_t count) noexcept
    uint8_t *standby_snapshot_snapshots_next "ac_cluster_standby_snapshot_snapshots_next"(
        sbe_writer *writer) noexcept
    int64_t standby_snapshot_read_response_channel \
        "ac_cluster_standby_snapshot_read_response_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint standby_snapshot_write_response_channel \
        "ac_cluster_standby_snapshot_write_response_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t standby_snapshot_read_encoded_credentials \
        "ac_cluster_standby_snapshot_read_encoded_credentials"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint standby_snapshot_write_encoded_credentials \
        "ac_cluster_standby_snapshot_write_encoded_credentials"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *standby_snapshot_begin "ac_cluster_standby_snapshot_begin"(sbe_writer *writer) noexcept

    enum:
        STANDBY_SNAPSHOT_SNAPSHOTS_BLOCK_LENGTH "AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_BLOCK_LENGTH"
        STANDBY_SNAPSHOT_SNAPSHOTS_RECORDING_ID_OFFSET \
            "AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_RECORDING_ID_OFFSET"
        STANDBY_SNAPSHOT_SNAPSHOTS_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_LEADERSHIP_TERM_ID_OFFSET"
        STANDBY_SNAPSHOT_SNAPSHOTS_TERM_BASE_LOG_POSITION_OFFSET \
            "AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_TERM_BASE_LOG_POSITION_OFFSET"
        STANDBY_SNAPSHOT_SNAPSHOTS_LOG_POSITION_OFFSET \
            "AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_LOG_POSITION_OFFSET"
        STANDBY_SNAPSHOT_SNAPSHOTS_TIMESTAMP_OFFSET \
            "AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_TIMESTAMP_OFFSET"
        STANDBY_SNAPSHOT_SNAPSHOTS_SERVICE_ID_OFFSET \
            "AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_SERVICE_ID_OFFSET"

    int64_t standby_snapshot_snapshots_recording_id \
        "ac_cluster_standby_snapshot_snapshots_recording_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void standby_snapshot_snapshots_put_recording_id \
        "ac_cluster_standby_snapshot_snapshots_put_recording_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t standby_snapshot_snapshots_leadership_term_id \
        "ac_cluster_standby_snapshot_snapshots_leadership_term_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void standby_snapshot_snapshots_put_leadership_term_id \
        "ac_cluster_standby_snapshot_snapshots_put_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t standby_snapshot_snapshots_term_base_log_position \
        "ac_cluster_standby_snapshot_snapshots_term_base_log_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void standby_snapshot_snapshots_put_term_base_log_position \
        "ac_cluster_standby_snapshot_snapshots_put_term_base_log_position"(
            uint8_t *body, int64_t value) noexcept
    int64_t standby_snapshot_snapshots_log_position \
        "ac_cluster_standby_snapshot_snapshots_log_position"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void standby_snapshot_snapshots_put_log_position \
        "ac_cluster_standby_snapshot_snapshots_put_log_position"(
            uint8_t *body, int64_t value) noexcept
    int64_t standby_snapshot_snapshots_timestamp "ac_cluster_standby_snapshot_snapshots_timestamp"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void standby_snapshot_snapshots_put_timestamp \
        "ac_cluster_standby_snapshot_snapshots_put_timestamp"(uint8_t *body, int64_t value) noexcept
    int32_t standby_snapshot_snapshots_service_id \
        "ac_cluster_standby_snapshot_snapshots_service_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void standby_snapshot_snapshots_put_service_id \
        "ac_cluster_standby_snapshot_snapshots_put_service_id"(
            uint8_t *body, int32_t value) noexcept
    int64_t standby_snapshot_snapshots_read_archive_endpoint \
        "ac_cluster_standby_snapshot_snapshots_read_archive_endpoint"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint standby_snapshot_snapshots_write_archive_endpoint \
        "ac_cluster_standby_snapshot_snapshots_write_archive_endpoint"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept

    enum:
        SNAPSHOT_MARKER_TEMPLATE_ID "AC_CLUSTER_SNAPSHOT_MARKER_TEMPLATE_ID"
        SNAPSHOT_MARKER_BLOCK_LENGTH "AC_CLUSTER_SNAPSHOT_MARKER_BLOCK_LENGTH"
        SNAPSHOT_MARKER_TYPE_ID_OFFSET "AC_CLUSTER_SNAPSHOT_MARKER_TYPE_ID_OFFSET"
        SNAPSHOT_MARKER_LOG_POSITION_OFFSET "AC_CLUSTER_SNAPSHOT_MARKER_LOG_POSITION_OFFSET"
        SNAPSHOT_MARKER_LEADERSHIP_TERM_ID_OFFSET \
            "AC_CLUSTER_SNAPSHOT_MARKER_LEADERSHIP_TERM_ID_OFFSET"
        SNAPSHOT_MARKER_INDEX_OFFSET "AC_CLUSTER_SNAPSHOT_MARKER_INDEX_OFFSET"
        SNAPSHOT_MARKER_MARK_OFFSET "AC_CLUSTER_SNAPSHOT_MARKER_MARK_OFFSET"
        SNAPSHOT_MARKER_TIME_UNIT_OFFSET "AC_CLUSTER_SNAPSHOT_MARKER_TIME_UNIT_OFFSET"
        SNAPSHOT_MARKER_APP_VERSION_OFFSET "AC_CLUSTER_SNAPSHOT_MARKER_APP_VERSION_OFFSET"

    int64_t snapshot_marker_type_id "ac_cluster_snapshot_marker_type_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void snapshot_marker_put_type_id "ac_cluster_snapshot_marker_put_type_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t snapshot_marker_log_position "ac_cluster_snapshot_marker_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void snapshot_marker_put_log_position "ac_cluster_snapshot_marker_put_log_position"(
        uint8_t *body, int64_t value) noexcept
    int64_t snapshot_marker_leadership_term_id "ac_cluster_snapshot_marker_leadership_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void snapshot_marker_put_leadership_term_id "ac_cluster_snapshot_marker_put_leadership_term_id"(
        uint8_t *body, int64_t value) noexcept
    int32_t snapshot_marker_index "ac_cluster_snapshot_marker_index"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void snapshot_marker_put_index "ac_cluster_snapshot_marker_put_index"(
        uint8_t *body, int32_t value) noexcept
    int32_t snapshot_marker_mark "ac_cluster_snapshot_marker_mark"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void snapshot_marker_put_mark "ac_cluster_snapshot_marker_put_mark"(
        uint8_t *body, int32_t value) noexcept
    int32_t snapshot_marker_time_unit "ac_cluster_snapshot_marker_time_unit"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void snapshot_marker_put_time_unit "ac_cluster_snapshot_marker_put_time_unit"(
        uint8_t *body, int32_t value) noexcept
    int32_t snapshot_marker_app_version "ac_cluster_snapshot_marker_app_version"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void snapshot_marker_put_app_version "ac_cluster_snapshot_marker_put_app_version"(
        uint8_t *body, int32_t value) noexcept
    uint8_t *snapshot_marker_begin "ac_cluster_snapshot_marker_begin"(sbe_writer *writer) noexcept

    enum:
        CLIENT_SESSION_TEMPLATE_ID "AC_CLUSTER_CLIENT_SESSION_TEMPLATE_ID"
        CLIENT_SESSION_BLOCK_LENGTH "AC_CLUSTER_CLIENT_SESSION_BLOCK_LENGTH"
        CLIENT_SESSION_CLUSTER_SESSION_ID_OFFSET \
            "AC_CLUSTER_CLIENT_SESSION_CLUSTER_SESSION_ID_OFFSET"
        CLIENT_SESSION_RESPONSE_STREAM_ID_OFFSET \
            "AC_CLUSTER_CLIENT_SESSION_RESPONSE_STREAM_ID_OFFSET"

    int64_t client_session_cluster_session_id "ac_cluster_client_session_cluster_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void client_session_put_cluster_session_id "ac_cluster_client_session_put_cluster_session_id"(
        uint8_t *body, int64_t value) noexcept
    int32_t client_session_response_stream_id "ac_cluster_client_session_response_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void client_session_put_response_stream_id "ac_cluster_client_session_put_response_stream_id"(
        uint8_t *body, int32_t value) noexcept
    int64_t client_session_read_response_channel "ac_cluster_client_session_read_response_channel"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint client_session_write_response_channel "ac_cluster_client_session_write_response_channel"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t client_session_read_encoded_principal \
        "ac_cluster_client_session_read_encoded_principal"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint client_session_write_encoded_principal "ac_cluster_client_session_write_encoded_principal"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *client_session_begin "ac_cluster_client_session_begin"(sbe_writer *writer) noexcept

    enum:
        CLUSTER_SESSION_TEMPLATE_ID "AC_CLUSTER_CLUSTER_SESSION_TEMPLATE_ID"
        CLUSTER_SESSION_BLOCK_LENGTH "AC_CLUSTER_CLUSTER_SESSION_BLOCK_LENGTH"
        CLUSTER_SESSION_CLUSTER_SESSION_ID_OFFSET \
            "AC_CLUSTER_CLUSTER_SESSION_CLUSTER_SESSION_ID_OFFSET"
        CLUSTER_SESSION_CORRELATION_ID_OFFSET "AC_CLUSTER_CLUSTER_SESSION_CORRELATION_ID_OFFSET"
        CLUSTER_SESSION_OPENED_LOG_POSITION_OFFSET \
            "AC_CLUSTER_CLUSTER_SESSION_OPENED_LOG_POSITION_OFFSET"
        CLUSTER_SESSION_TIME_OF_LAST_ACTIVITY_OFFSET \
            "AC_CLUSTER_CLUSTER_SESSION_TIME_OF_LAST_ACTIVITY_OFFSET"
        CLUSTER_SESSION_CLOSE_REASON_OFFSET "AC_CLUSTER_CLUSTER_SESSION_CLOSE_REASON_OFFSET"
        CLUSTER_SESSION_RESPONSE_STREAM_ID_OFFSET \
            "AC_CLUSTER_CLUSTER_SESSION_RESPONSE_STREAM_ID_OFFSET"

    int64_t cluster_session_cluster_session_id "ac_cluster_cluster_session_cluster_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_session_put_cluster_session_id "ac_cluster_cluster_session_put_cluster_session_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t cluster_session_correlation_id "ac_cluster_cluster_session_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_session_put_correlation_id "ac_cluster_cluster_session_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t cluster_session_opened_log_position "ac_cluster_cluster_session_opened_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_session_put_opened_log_position \
        "ac_cluster_cluster_session_put_opened_log_position"(uint8_t *body, int64_t value) noexcept
    int64_t cluster_session_time_of_last_activity \
        "ac_cluster_cluster_session_time_of_last_activity"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_session_put_time_of_last_activity \
        "ac_cluster_cluster_session_put_time_of_last_activity"(
            uint8_t *body, int64_t value) noexcept
    int32_t cluster_session_close_reason "ac_cluster_cluster_session_close_reason"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_session_put_close_reason "ac_cluster_cluster_session_put_close_reason"(
        uint8_t *body, int32_t value) noexcept
    int32_t cluster_session_response_stream_id "ac_cluster_cluster_session_response_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_session_put_response_stream_id "ac_cluster_cluster_session_put_response_stream_id"(
        uint8_t *body, int32_t value) noexcept
    int64_t cluster_session_read_response_channel \
        "ac_cluster_cluster_session_read_response_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint cluster_session_write_response_channel "ac_cluster_cluster_session_write_response_channel"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *cluster_session_begin "ac_cluster_cluster_session_begin"(sbe_writer *writer) noexcept

    enum:
        TIMER_TEMPLATE_ID "AC_CLUSTER_TIMER_TEMPLATE_ID"
        TIMER_BLOCK_LENGTH "AC_CLUSTER_TIMER_BLOCK_LENGTH"
        TIMER_CORRELATION_ID_OFFSET "AC_CLUSTER_TIMER_CORRELATION_ID_OFFSET"
        TIMER_DEADLINE_OFFSET "AC_CLUSTER_TIMER_DEADLINE_OFFSET"

    int64_t timer_correlation_id "ac_cluster_timer_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void timer_put_correlation_id "ac_cluster_timer_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t timer_deadline "ac_cluster_timer_deadline"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void timer_put_deadline "ac_cluster_timer_put_deadline"(uint8_t *body, int64_t value) noexcept
    uint8_t *timer_begin "ac_cluster_timer_begin"(sbe_writer *writer) noexcept

    enum:
        CONSENSUS_MODULE_TEMPLATE_ID "AC_CLUSTER_CONSENSUS_MODULE_TEMPLATE_ID"
        CONSENSUS_MODULE_BLOCK_LENGTH "AC_CLUSTER_CONSENSUS_MODULE_BLOCK_LENGTH"
        CONSENSUS_MODULE_NEXT_SESSION_ID_OFFSET "AC_CLUSTER_CONSENSUS_MODULE_NEXT_SESSION_ID_OFFSET"
        CONSENSUS_MODULE_NEXT_SERVICE_SESSION_ID_OFFSET \
            "AC_CLUSTER_CONSENSUS_MODULE_NEXT_SERVICE_SESSION_ID_OFFSET"
        CONSENSUS_MODULE_LOG_SERVICE_SESSION_ID_OFFSET \
            "AC_CLUSTER_CONSENSUS_MODULE_LOG_SERVICE_SESSION_ID_OFFSET"
        CONSENSUS_MODULE_PENDING_MESSAGE_CAPACITY_OFFSET \
            "AC_CLUSTER_CONSENSUS_MODULE_PENDING_MESSAGE_CAPACITY_OFFSET"

    int64_t consensus_module_next_session_id "ac_cluster_consensus_module_next_session_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void consensus_module_put_next_session_id "ac_cluster_consensus_module_put_next_session_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t consensus_module_next_service_session_id \
        "ac_cluster_consensus_module_next_service_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void consensus_module_put_next_service_session_id \
        "ac_cluster_consensus_module_put_next_service_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t consensus_module_log_service_session_id \
        "ac_cluster_consensus_module_log_service_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void consensus_module_put_log_service_session_id \
        "ac_cluster_consensus_module_put_log_service_session_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t consensus_module_pending_message_capacity \
        "ac_cluster_consensus_module_pending_message_capacity"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void consensus_module_put_pending_message_capacity \
        "ac_cluster_consensus_module_put_pending_message_capacity"(
            uint8_t *body, int32_t value) noexcept
    uint8_t *consensus_module_begin "ac_cluster_consensus_module_begin"(sbe_writer *writer) noexcept

    enum:
        CLUSTER_MEMBERS_TEMPLATE_ID "AC_CLUSTER_CLUSTER_MEMBERS_TEMPLATE_ID"
        CLUSTER_MEMBERS_BLOCK_LENGTH "AC_CLUSTER_CLUSTER_MEMBERS_BLOCK_LENGTH"
        CLUSTER_MEMBERS_MEMBER_ID_OFFSET "AC_CLUSTER_CLUSTER_MEMBERS_MEMBER_ID_OFFSET"
        CLUSTER_MEMBERS_HIGH_MEMBER_ID_OFFSET "AC_CLUSTER_CLUSTER_MEMBERS_HIGH_MEMBER_ID_OFFSET"

    int32_t cluster_members_member_id "ac_cluster_cluster_members_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_put_member_id "ac_cluster_cluster_members_put_member_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t cluster_members_high_member_id "ac_cluster_cluster_members_high_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_put_high_member_id "ac_cluster_cluster_members_put_high_member_id"(
        uint8_t *body, int32_t value) noexcept
    int64_t cluster_members_read_cluster_members "ac_cluster_cluster_members_read_cluster_members"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint cluster_members_write_cluster_members "ac_cluster_cluster_members_write_cluster_members"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *cluster_members_begin "ac_cluster_cluster_members_begin"(sbe_writer *writer) noexcept

    enum:
        PENDING_MESSAGE_TRACKER_TEMPLATE_ID "AC_CLUSTER_PENDING_MESSAGE_TRACKER_TEMPLATE_ID"
        PENDING_MESSAGE_TRACKER_BLOCK_LENGTH "AC_CLUSTER_PENDING_MESSAGE_TRACKER_BLOCK_LENGTH"
        PENDING_MESSAGE_TRACKER_NEXT_SERVICE_SESSION_ID_OFFSET \
            "AC_CLUSTER_PENDING_MESSAGE_TRACKER_NEXT_SERVICE_SESSION_ID_OFFSET"
        PENDING_MESSAGE_TRACKER_LOG_SERVICE_SESSION_ID_OFFSET \
            "AC_CLUSTER_PENDING_MESSAGE_TRACKER_LOG_SERVICE_SESSION_ID_OFFSET"
        PENDING_MESSAGE_TRACKER_PENDING_MESSAGE_CAPACITY_OFFSET \
            "AC_CLUSTER_PENDING_MESSAGE_TRACKER_PENDING_MESSAGE_CAPACITY_OFFSET"
        PENDING_MESSAGE_TRACKER_SERVICE_ID_OFFSET \
            "AC_CLUSTER_PENDING_MESSAGE_TRACKER_SERVICE_ID_OFFSET"

    int64_t pending_message_tracker_next_service_session_id \
        "ac_cluster_pending_message_tracker_next_service_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void pending_message_tracker_put_next_service_session_id \
        "ac_cluster_pending_message_tracker_put_next_service_session_id"(
            uint8_t *body, int64_t value) noexcept
    int64_t pending_message_tracker_log_service_session_id \
        "ac_cluster_pending_message_tracker_log_service_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void pending_message_tracker_put_log_service_session_id \
        "ac_cluster_pending_message_tracker_put_log_service_session_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t pending_message_tracker_pending_message_capacity \
        "ac_cluster_pending_message_tracker_pending_message_capacity"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void pending_message_tracker_put_pending_message_capacity \
        "ac_cluster_pending_message_tracker_put_pending_message_capacity"(
            uint8_t *body, int32_t value) noexcept
    int32_t pending_message_tracker_service_id "ac_cluster_pending_message_tracker_service_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void pending_message_tracker_put_service_id "ac_cluster_pending_message_tracker_put_service_id"(
        uint8_t *body, int32_t value) noexcept
    uint8_t *pending_message_tracker_begin "ac_cluster_pending_message_tracker_begin"(
        sbe_writer *writer) noexcept
