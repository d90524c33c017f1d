# Generated from cluster.xml and c_codecs.toml by tools/generate_codecs.py. Edit them, run it.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

from aeron_cluster.codecs.sbe cimport sbe_reader, sbe_writer


cdef extern from "aeron_cluster/codecs/cluster.h" nogil:
    enum:
        SCHEMA_ID "AC_CLUSTER_SCHEMA_ID"
        SCHEMA_VERSION "AC_CLUSTER_SCHEMA_VERSION"

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
        CLUSTER_TIME_UNIT_MILLIS "AC_CLUSTER_CLUSTER_TIME_UNIT_MILLIS"
        CLUSTER_TIME_UNIT_MICROS "AC_CLUSTER_CLUSTER_TIME_UNIT_MICROS"
        CLUSTER_TIME_UNIT_NANOS "AC_CLUSTER_CLUSTER_TIME_UNIT_NANOS"
        CLUSTER_TIME_UNIT_NULL_VALUE "AC_CLUSTER_CLUSTER_TIME_UNIT_NULL_VALUE"

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

    enum:
        SESSION_CONNECT_REQUEST_TEMPLATE_ID "AC_CLUSTER_SESSION_CONNECT_REQUEST_TEMPLATE_ID"
        SESSION_CONNECT_REQUEST_BLOCK_LENGTH "AC_CLUSTER_SESSION_CONNECT_REQUEST_BLOCK_LENGTH"

    enum:
        SESSION_CLOSE_REQUEST_TEMPLATE_ID "AC_CLUSTER_SESSION_CLOSE_REQUEST_TEMPLATE_ID"
        SESSION_CLOSE_REQUEST_BLOCK_LENGTH "AC_CLUSTER_SESSION_CLOSE_REQUEST_BLOCK_LENGTH"

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
    int64_t session_keep_alive_cluster_session_id \
        "ac_cluster_session_keep_alive_cluster_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept

    enum:
        CHALLENGE_TEMPLATE_ID "AC_CLUSTER_CHALLENGE_TEMPLATE_ID"
        CHALLENGE_BLOCK_LENGTH "AC_CLUSTER_CHALLENGE_BLOCK_LENGTH"

    enum:
        CHALLENGE_RESPONSE_TEMPLATE_ID "AC_CLUSTER_CHALLENGE_RESPONSE_TEMPLATE_ID"
        CHALLENGE_RESPONSE_BLOCK_LENGTH "AC_CLUSTER_CHALLENGE_RESPONSE_BLOCK_LENGTH"

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
    int64_t session_open_event_correlation_id "ac_cluster_session_open_event_correlation_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    int64_t session_open_event_cluster_session_id \
        "ac_cluster_session_open_event_cluster_session_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    int64_t session_open_event_timestamp "ac_cluster_session_open_event_timestamp"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    int32_t session_open_event_response_stream_id \
        "ac_cluster_session_open_event_response_stream_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    int64_t session_open_event_read_response_channel \
        "ac_cluster_session_open_event_read_response_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    int64_t session_open_event_read_encoded_principal \
        "ac_cluster_session_open_event_read_encoded_principal"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept

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
        ADMIN_REQUEST_TEMPLATE_ID "AC_CLUSTER_ADMIN_REQUEST_TEMPLATE_ID"
        ADMIN_REQUEST_BLOCK_LENGTH "AC_CLUSTER_ADMIN_REQUEST_BLOCK_LENGTH"

    enum:
        CLOSE_SESSION_TEMPLATE_ID "AC_CLUSTER_CLOSE_SESSION_TEMPLATE_ID"
        CLOSE_SESSION_BLOCK_LENGTH "AC_CLUSTER_CLOSE_SESSION_BLOCK_LENGTH"
        CLOSE_SESSION_CLUSTER_SESSION_ID_OFFSET "AC_CLUSTER_CLOSE_SESSION_CLUSTER_SESSION_ID_OFFSET"

    void close_session_put_cluster_session_id "ac_cluster_close_session_put_cluster_session_id"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *close_session_begin "ac_cluster_close_session_begin"(sbe_writer *writer) noexcept

    enum:
        SCHEDULE_TIMER_TEMPLATE_ID "AC_CLUSTER_SCHEDULE_TIMER_TEMPLATE_ID"
        SCHEDULE_TIMER_BLOCK_LENGTH "AC_CLUSTER_SCHEDULE_TIMER_BLOCK_LENGTH"
        SCHEDULE_TIMER_CORRELATION_ID_OFFSET "AC_CLUSTER_SCHEDULE_TIMER_CORRELATION_ID_OFFSET"
        SCHEDULE_TIMER_DEADLINE_OFFSET "AC_CLUSTER_SCHEDULE_TIMER_DEADLINE_OFFSET"

    void schedule_timer_put_correlation_id "ac_cluster_schedule_timer_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    void schedule_timer_put_deadline "ac_cluster_schedule_timer_put_deadline"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *schedule_timer_begin "ac_cluster_schedule_timer_begin"(sbe_writer *writer) noexcept

    enum:
        CANCEL_TIMER_TEMPLATE_ID "AC_CLUSTER_CANCEL_TIMER_TEMPLATE_ID"
        CANCEL_TIMER_BLOCK_LENGTH "AC_CLUSTER_CANCEL_TIMER_BLOCK_LENGTH"
        CANCEL_TIMER_CORRELATION_ID_OFFSET "AC_CLUSTER_CANCEL_TIMER_CORRELATION_ID_OFFSET"

    void cancel_timer_put_correlation_id "ac_cluster_cancel_timer_put_correlation_id"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *cancel_timer_begin "ac_cluster_cancel_timer_begin"(sbe_writer *writer) noexcept

    enum:
        SERVICE_ACK_TEMPLATE_ID "AC_CLUSTER_SERVICE_ACK_TEMPLATE_ID"
        SERVICE_ACK_BLOCK_LENGTH "AC_CLUSTER_SERVICE_ACK_BLOCK_LENGTH"

    enum:
        CANVASS_POSITION_TEMPLATE_ID "AC_CLUSTER_CANVASS_POSITION_TEMPLATE_ID"
        CANVASS_POSITION_BLOCK_LENGTH "AC_CLUSTER_CANVASS_POSITION_BLOCK_LENGTH"
        CANVASS_POSITION_FOLLOWER_MEMBER_ID_OFFSET \
            "AC_CLUSTER_CANVASS_POSITION_FOLLOWER_MEMBER_ID_OFFSET"

    int32_t canvass_position_follower_member_id "ac_cluster_canvass_position_follower_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept

    enum:
        REQUEST_VOTE_TEMPLATE_ID "AC_CLUSTER_REQUEST_VOTE_TEMPLATE_ID"
        REQUEST_VOTE_BLOCK_LENGTH "AC_CLUSTER_REQUEST_VOTE_BLOCK_LENGTH"
        REQUEST_VOTE_CANDIDATE_MEMBER_ID_OFFSET "AC_CLUSTER_REQUEST_VOTE_CANDIDATE_MEMBER_ID_OFFSET"

    int32_t request_vote_candidate_member_id "ac_cluster_request_vote_candidate_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept

    enum:
        VOTE_TEMPLATE_ID "AC_CLUSTER_VOTE_TEMPLATE_ID"
        VOTE_BLOCK_LENGTH "AC_CLUSTER_VOTE_BLOCK_LENGTH"
        VOTE_FOLLOWER_MEMBER_ID_OFFSET "AC_CLUSTER_VOTE_FOLLOWER_MEMBER_ID_OFFSET"

    int32_t vote_follower_member_id "ac_cluster_vote_follower_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept

    enum:
        NEW_LEADERSHIP_TERM_TEMPLATE_ID "AC_CLUSTER_NEW_LEADERSHIP_TERM_TEMPLATE_ID"
        NEW_LEADERSHIP_TERM_BLOCK_LENGTH "AC_CLUSTER_NEW_LEADERSHIP_TERM_BLOCK_LENGTH"
        NEW_LEADERSHIP_TERM_LEADER_MEMBER_ID_OFFSET \
            "AC_CLUSTER_NEW_LEADERSHIP_TERM_LEADER_MEMBER_ID_OFFSET"

    int32_t new_leadership_term_leader_member_id "ac_cluster_new_leadership_term_leader_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept

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
        CATCHUP_POSITION_FOLLOWER_MEMBER_ID_OFFSET \
            "AC_CLUSTER_CATCHUP_POSITION_FOLLOWER_MEMBER_ID_OFFSET"

    int32_t catchup_position_follower_member_id "ac_cluster_catchup_position_follower_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept

    enum:
        STOP_CATCHUP_TEMPLATE_ID "AC_CLUSTER_STOP_CATCHUP_TEMPLATE_ID"
        STOP_CATCHUP_BLOCK_LENGTH "AC_CLUSTER_STOP_CATCHUP_BLOCK_LENGTH"

    enum:
        TERMINATION_POSITION_TEMPLATE_ID "AC_CLUSTER_TERMINATION_POSITION_TEMPLATE_ID"
        TERMINATION_POSITION_BLOCK_LENGTH "AC_CLUSTER_TERMINATION_POSITION_BLOCK_LENGTH"

    enum:
        TERMINATION_ACK_TEMPLATE_ID "AC_CLUSTER_TERMINATION_ACK_TEMPLATE_ID"
        TERMINATION_ACK_BLOCK_LENGTH "AC_CLUSTER_TERMINATION_ACK_BLOCK_LENGTH"
        TERMINATION_ACK_MEMBER_ID_OFFSET "AC_CLUSTER_TERMINATION_ACK_MEMBER_ID_OFFSET"

    int32_t termination_ack_member_id "ac_cluster_termination_ack_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept

    enum:
        BACKUP_QUERY_TEMPLATE_ID "AC_CLUSTER_BACKUP_QUERY_TEMPLATE_ID"
        BACKUP_QUERY_BLOCK_LENGTH "AC_CLUSTER_BACKUP_QUERY_BLOCK_LENGTH"

    enum:
        BACKUP_RESPONSE_TEMPLATE_ID "AC_CLUSTER_BACKUP_RESPONSE_TEMPLATE_ID"
        BACKUP_RESPONSE_BLOCK_LENGTH "AC_CLUSTER_BACKUP_RESPONSE_BLOCK_LENGTH"

    enum:
        HEARTBEAT_REQUEST_TEMPLATE_ID "AC_CLUSTER_HEARTBEAT_REQUEST_TEMPLATE_ID"
        HEARTBEAT_REQUEST_BLOCK_LENGTH "AC_CLUSTER_HEARTBEAT_REQUEST_BLOCK_LENGTH"

    enum:
        STANDBY_SNAPSHOT_TEMPLATE_ID "AC_CLUSTER_STANDBY_SNAPSHOT_TEMPLATE_ID"
        STANDBY_SNAPSHOT_BLOCK_LENGTH "AC_CLUSTER_STANDBY_SNAPSHOT_BLOCK_LENGTH"
