/* Generated from cluster.xml and c_codecs.toml by tools/generate_codecs.py. Edit them, run it. */
#ifndef AERON_CLUSTER_CODECS_CLUSTER_H
#define AERON_CLUSTER_CODECS_CLUSTER_H

#include "aeron_cluster/codecs/sbe.h"

enum {
    AC_CLUSTER_SCHEMA_ID = 111,
    AC_CLUSTER_SCHEMA_VERSION = 16,
};

enum ac_cluster_close_reason {
    AC_CLUSTER_CLOSE_REASON_CLIENT_ACTION = 0,
    AC_CLUSTER_CLOSE_REASON_SERVICE_ACTION = 1,
    AC_CLUSTER_CLOSE_REASON_TIMEOUT = 2,
    AC_CLUSTER_CLOSE_REASON_NULL_VALUE = INT32_MIN,
};

enum ac_cluster_cluster_action {
    AC_CLUSTER_CLUSTER_ACTION_SUSPEND = 0,
    AC_CLUSTER_CLUSTER_ACTION_RESUME = 1,
    AC_CLUSTER_CLUSTER_ACTION_SNAPSHOT = 2,
    AC_CLUSTER_CLUSTER_ACTION_NULL_VALUE = INT32_MIN,
};

enum ac_cluster_cluster_time_unit {
    AC_CLUSTER_CLUSTER_TIME_UNIT_MILLIS = 0,
    AC_CLUSTER_CLUSTER_TIME_UNIT_MICROS = 1,
    AC_CLUSTER_CLUSTER_TIME_UNIT_NANOS = 2,
    AC_CLUSTER_CLUSTER_TIME_UNIT_NULL_VALUE = INT32_MIN,
};

/* SessionMessageHeader */
enum {
    AC_CLUSTER_SESSION_MESSAGE_HEADER_TEMPLATE_ID = 1,
    AC_CLUSTER_SESSION_MESSAGE_HEADER_BLOCK_LENGTH = 24,
    AC_CLUSTER_SESSION_MESSAGE_HEADER_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_SESSION_MESSAGE_HEADER_CLUSTER_SESSION_ID_OFFSET = 8,
    AC_CLUSTER_SESSION_MESSAGE_HEADER_TIMESTAMP_OFFSET = 16,
};

static inline int64_t ac_cluster_session_message_header_leadership_term_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_SESSION_MESSAGE_HEADER_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_session_message_header_put_leadership_term_id(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_MESSAGE_HEADER_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_session_message_header_cluster_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_SESSION_MESSAGE_HEADER_CLUSTER_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_session_message_header_put_cluster_session_id(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_MESSAGE_HEADER_CLUSTER_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_session_message_header_timestamp(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_CLUSTER_SESSION_MESSAGE_HEADER_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_session_message_header_put_timestamp(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_MESSAGE_HEADER_TIMESTAMP_OFFSET, value);
}

static inline uint8_t *ac_cluster_session_message_header_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_SESSION_MESSAGE_HEADER_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_SESSION_MESSAGE_HEADER_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* SessionEvent */
enum {
    AC_CLUSTER_SESSION_EVENT_TEMPLATE_ID = 2,
    AC_CLUSTER_SESSION_EVENT_BLOCK_LENGTH = 44,
};

/* SessionConnectRequest */
enum {
    AC_CLUSTER_SESSION_CONNECT_REQUEST_TEMPLATE_ID = 3,
    AC_CLUSTER_SESSION_CONNECT_REQUEST_BLOCK_LENGTH = 16,
};

/* SessionCloseRequest */
enum {
    AC_CLUSTER_SESSION_CLOSE_REQUEST_TEMPLATE_ID = 4,
    AC_CLUSTER_SESSION_CLOSE_REQUEST_BLOCK_LENGTH = 16,
};

/* SessionKeepAlive */
enum {
    AC_CLUSTER_SESSION_KEEP_ALIVE_TEMPLATE_ID = 5,
    AC_CLUSTER_SESSION_KEEP_ALIVE_BLOCK_LENGTH = 16,
    AC_CLUSTER_SESSION_KEEP_ALIVE_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_SESSION_KEEP_ALIVE_CLUSTER_SESSION_ID_OFFSET = 8,
};

static inline int64_t ac_cluster_session_keep_alive_leadership_term_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_SESSION_KEEP_ALIVE_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline int64_t ac_cluster_session_keep_alive_cluster_session_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_SESSION_KEEP_ALIVE_CLUSTER_SESSION_ID_OFFSET)
               : INT64_MIN;
}

/* Challenge */
enum {
    AC_CLUSTER_CHALLENGE_TEMPLATE_ID = 7,
    AC_CLUSTER_CHALLENGE_BLOCK_LENGTH = 16,
};

/* ChallengeResponse */
enum {
    AC_CLUSTER_CHALLENGE_RESPONSE_TEMPLATE_ID = 8,
    AC_CLUSTER_CHALLENGE_RESPONSE_BLOCK_LENGTH = 16,
};

/* TimerEvent */
enum {
    AC_CLUSTER_TIMER_EVENT_TEMPLATE_ID = 20,
    AC_CLUSTER_TIMER_EVENT_BLOCK_LENGTH = 24,
    AC_CLUSTER_TIMER_EVENT_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_TIMER_EVENT_CORRELATION_ID_OFFSET = 8,
    AC_CLUSTER_TIMER_EVENT_TIMESTAMP_OFFSET = 16,
};

static inline int64_t ac_cluster_timer_event_leadership_term_id(const uint8_t *body,
                                                                uint16_t acting_block_length,
                                                                uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_TIMER_EVENT_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_timer_event_put_leadership_term_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_TIMER_EVENT_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_timer_event_correlation_id(const uint8_t *body,
                                                            uint16_t acting_block_length,
                                                            uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_TIMER_EVENT_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_timer_event_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_TIMER_EVENT_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_timer_event_timestamp(const uint8_t *body,
                                                       uint16_t acting_block_length,
                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24 ? ac_get_int64(body + AC_CLUSTER_TIMER_EVENT_TIMESTAMP_OFFSET)
                                     : INT64_MIN;
}

static inline void ac_cluster_timer_event_put_timestamp(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_TIMER_EVENT_TIMESTAMP_OFFSET, value);
}

static inline uint8_t *ac_cluster_timer_event_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_TIMER_EVENT_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_TIMER_EVENT_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* SessionOpenEvent */
enum {
    AC_CLUSTER_SESSION_OPEN_EVENT_TEMPLATE_ID = 21,
    AC_CLUSTER_SESSION_OPEN_EVENT_BLOCK_LENGTH = 36,
    AC_CLUSTER_SESSION_OPEN_EVENT_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_SESSION_OPEN_EVENT_CORRELATION_ID_OFFSET = 8,
    AC_CLUSTER_SESSION_OPEN_EVENT_CLUSTER_SESSION_ID_OFFSET = 16,
    AC_CLUSTER_SESSION_OPEN_EVENT_TIMESTAMP_OFFSET = 24,
    AC_CLUSTER_SESSION_OPEN_EVENT_RESPONSE_STREAM_ID_OFFSET = 32,
};

static inline int64_t ac_cluster_session_open_event_leadership_term_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_SESSION_OPEN_EVENT_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline int64_t ac_cluster_session_open_event_correlation_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_SESSION_OPEN_EVENT_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline int64_t ac_cluster_session_open_event_cluster_session_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_CLUSTER_SESSION_OPEN_EVENT_CLUSTER_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline int64_t ac_cluster_session_open_event_timestamp(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_CLUSTER_SESSION_OPEN_EVENT_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline int32_t ac_cluster_session_open_event_response_stream_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 36
               ? ac_get_int32(body + AC_CLUSTER_SESSION_OPEN_EVENT_RESPONSE_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline int64_t ac_cluster_session_open_event_read_response_channel(ac_sbe_reader *reader,
                                                                          uint16_t acting_version,
                                                                          const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline int64_t ac_cluster_session_open_event_read_encoded_principal(ac_sbe_reader *reader,
                                                                           uint16_t acting_version,
                                                                           const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

/* SessionCloseEvent */
enum {
    AC_CLUSTER_SESSION_CLOSE_EVENT_TEMPLATE_ID = 22,
    AC_CLUSTER_SESSION_CLOSE_EVENT_BLOCK_LENGTH = 28,
    AC_CLUSTER_SESSION_CLOSE_EVENT_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_SESSION_CLOSE_EVENT_CLUSTER_SESSION_ID_OFFSET = 8,
    AC_CLUSTER_SESSION_CLOSE_EVENT_TIMESTAMP_OFFSET = 16,
    AC_CLUSTER_SESSION_CLOSE_EVENT_CLOSE_REASON_OFFSET = 24,
};

static inline int64_t
ac_cluster_session_close_event_leadership_term_id(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_SESSION_CLOSE_EVENT_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_session_close_event_put_leadership_term_id(uint8_t *body,
                                                                         int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_CLOSE_EVENT_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t
ac_cluster_session_close_event_cluster_session_id(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_SESSION_CLOSE_EVENT_CLUSTER_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_session_close_event_put_cluster_session_id(uint8_t *body,
                                                                         int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_CLOSE_EVENT_CLUSTER_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_session_close_event_timestamp(const uint8_t *body,
                                                               uint16_t acting_block_length,
                                                               uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_CLUSTER_SESSION_CLOSE_EVENT_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_session_close_event_put_timestamp(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_CLOSE_EVENT_TIMESTAMP_OFFSET, value);
}

static inline int32_t ac_cluster_session_close_event_close_reason(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(body + AC_CLUSTER_SESSION_CLOSE_EVENT_CLOSE_REASON_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_session_close_event_put_close_reason(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_SESSION_CLOSE_EVENT_CLOSE_REASON_OFFSET, value);
}

static inline uint8_t *ac_cluster_session_close_event_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_SESSION_CLOSE_EVENT_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_SESSION_CLOSE_EVENT_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* ClusterActionRequest */
enum {
    AC_CLUSTER_CLUSTER_ACTION_REQUEST_TEMPLATE_ID = 23,
    AC_CLUSTER_CLUSTER_ACTION_REQUEST_BLOCK_LENGTH = 32,
    AC_CLUSTER_CLUSTER_ACTION_REQUEST_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_CLUSTER_ACTION_REQUEST_LOG_POSITION_OFFSET = 8,
    AC_CLUSTER_CLUSTER_ACTION_REQUEST_TIMESTAMP_OFFSET = 16,
    AC_CLUSTER_CLUSTER_ACTION_REQUEST_ACTION_OFFSET = 24,
    AC_CLUSTER_CLUSTER_ACTION_REQUEST_FLAGS_OFFSET = 28,
};

static inline int64_t ac_cluster_cluster_action_request_leadership_term_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_CLUSTER_ACTION_REQUEST_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_cluster_action_request_put_leadership_term_id(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CLUSTER_ACTION_REQUEST_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_cluster_action_request_log_position(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_CLUSTER_ACTION_REQUEST_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_cluster_action_request_put_log_position(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CLUSTER_ACTION_REQUEST_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_cluster_action_request_timestamp(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_CLUSTER_CLUSTER_ACTION_REQUEST_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_cluster_action_request_put_timestamp(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CLUSTER_ACTION_REQUEST_TIMESTAMP_OFFSET, value);
}

static inline int32_t ac_cluster_cluster_action_request_action(const uint8_t *body,
                                                               uint16_t acting_block_length,
                                                               uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(body + AC_CLUSTER_CLUSTER_ACTION_REQUEST_ACTION_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_cluster_action_request_put_action(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_CLUSTER_ACTION_REQUEST_ACTION_OFFSET, value);
}

static inline int32_t ac_cluster_cluster_action_request_flags(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {

    return acting_version >= 11 && acting_block_length >= 32
               ? ac_get_int32(body + AC_CLUSTER_CLUSTER_ACTION_REQUEST_FLAGS_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_cluster_action_request_put_flags(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_CLUSTER_ACTION_REQUEST_FLAGS_OFFSET, value);
}

static inline uint8_t *ac_cluster_cluster_action_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_CLUSTER_ACTION_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_CLUSTER_ACTION_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* NewLeadershipTermEvent */
enum {
    AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID = 24,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_BLOCK_LENGTH = 48,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_LOG_POSITION_OFFSET = 8,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_TIMESTAMP_OFFSET = 16,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_TERM_BASE_LOG_POSITION_OFFSET = 24,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_LEADER_MEMBER_ID_OFFSET = 32,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_LOG_SESSION_ID_OFFSET = 36,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_TIME_UNIT_OFFSET = 40,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_APP_VERSION_OFFSET = 44,
};

static inline int64_t ac_cluster_new_leadership_term_event_leadership_term_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_new_leadership_term_event_put_leadership_term_id(uint8_t *body,
                                                                               int64_t value) {
    ac_put_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t
ac_cluster_new_leadership_term_event_log_position(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_new_leadership_term_event_put_log_position(uint8_t *body,
                                                                         int64_t value) {
    ac_put_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_new_leadership_term_event_timestamp(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_new_leadership_term_event_put_timestamp(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_TIMESTAMP_OFFSET, value);
}

static inline int64_t ac_cluster_new_leadership_term_event_term_base_log_position(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body +
                              AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_TERM_BASE_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_new_leadership_term_event_put_term_base_log_position(uint8_t *body,
                                                                                   int64_t value) {
    ac_put_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_TERM_BASE_LOG_POSITION_OFFSET, value);
}

static inline int32_t ac_cluster_new_leadership_term_event_leader_member_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 36
               ? ac_get_int32(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_LEADER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_new_leadership_term_event_put_leader_member_id(uint8_t *body,
                                                                             int32_t value) {
    ac_put_int32(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_LEADER_MEMBER_ID_OFFSET, value);
}

static inline int32_t ac_cluster_new_leadership_term_event_log_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 40
               ? ac_get_int32(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_LOG_SESSION_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_new_leadership_term_event_put_log_session_id(uint8_t *body,
                                                                           int32_t value) {
    ac_put_int32(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_LOG_SESSION_ID_OFFSET, value);
}

static inline int32_t ac_cluster_new_leadership_term_event_time_unit(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {

    return acting_version >= 4 && acting_block_length >= 44
               ? ac_get_int32(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_TIME_UNIT_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_new_leadership_term_event_put_time_unit(uint8_t *body,
                                                                      int32_t value) {
    ac_put_int32(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_TIME_UNIT_OFFSET, value);
}

static inline int32_t ac_cluster_new_leadership_term_event_app_version(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {

    return acting_version >= 4 && acting_block_length >= 48
               ? ac_get_int32(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_APP_VERSION_OFFSET)
               : 0;
}

static inline void ac_cluster_new_leadership_term_event_put_app_version(uint8_t *body,
                                                                        int32_t value) {
    ac_put_int32(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_APP_VERSION_OFFSET, value);
}

static inline uint8_t *ac_cluster_new_leadership_term_event_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer,
                        (ac_message_header){
                            .block_length = AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_BLOCK_LENGTH,
                            .template_id = AC_CLUSTER_NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID,
                            .schema_id = AC_CLUSTER_SCHEMA_ID,
                            .version = AC_CLUSTER_SCHEMA_VERSION,
                        });
}

/* AdminRequest */
enum {
    AC_CLUSTER_ADMIN_REQUEST_TEMPLATE_ID = 26,
    AC_CLUSTER_ADMIN_REQUEST_BLOCK_LENGTH = 28,
};

/* CloseSession */
enum {
    AC_CLUSTER_CLOSE_SESSION_TEMPLATE_ID = 30,
    AC_CLUSTER_CLOSE_SESSION_BLOCK_LENGTH = 8,
    AC_CLUSTER_CLOSE_SESSION_CLUSTER_SESSION_ID_OFFSET = 0,
};

static inline void ac_cluster_close_session_put_cluster_session_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CLOSE_SESSION_CLUSTER_SESSION_ID_OFFSET, value);
}

static inline uint8_t *ac_cluster_close_session_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_CLOSE_SESSION_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_CLOSE_SESSION_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* ScheduleTimer */
enum {
    AC_CLUSTER_SCHEDULE_TIMER_TEMPLATE_ID = 31,
    AC_CLUSTER_SCHEDULE_TIMER_BLOCK_LENGTH = 16,
    AC_CLUSTER_SCHEDULE_TIMER_CORRELATION_ID_OFFSET = 0,
    AC_CLUSTER_SCHEDULE_TIMER_DEADLINE_OFFSET = 8,
};

static inline void ac_cluster_schedule_timer_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SCHEDULE_TIMER_CORRELATION_ID_OFFSET, value);
}

static inline void ac_cluster_schedule_timer_put_deadline(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SCHEDULE_TIMER_DEADLINE_OFFSET, value);
}

static inline uint8_t *ac_cluster_schedule_timer_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_SCHEDULE_TIMER_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_SCHEDULE_TIMER_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* CancelTimer */
enum {
    AC_CLUSTER_CANCEL_TIMER_TEMPLATE_ID = 32,
    AC_CLUSTER_CANCEL_TIMER_BLOCK_LENGTH = 8,
    AC_CLUSTER_CANCEL_TIMER_CORRELATION_ID_OFFSET = 0,
};

static inline void ac_cluster_cancel_timer_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CANCEL_TIMER_CORRELATION_ID_OFFSET, value);
}

static inline uint8_t *ac_cluster_cancel_timer_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_CANCEL_TIMER_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_CANCEL_TIMER_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* ServiceAck */
enum {
    AC_CLUSTER_SERVICE_ACK_TEMPLATE_ID = 33,
    AC_CLUSTER_SERVICE_ACK_BLOCK_LENGTH = 36,
};

/* CanvassPosition */
enum {
    AC_CLUSTER_CANVASS_POSITION_TEMPLATE_ID = 50,
    AC_CLUSTER_CANVASS_POSITION_BLOCK_LENGTH = 32,
    AC_CLUSTER_CANVASS_POSITION_FOLLOWER_MEMBER_ID_OFFSET = 24,
};

static inline int32_t ac_cluster_canvass_position_follower_member_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(body + AC_CLUSTER_CANVASS_POSITION_FOLLOWER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

/* RequestVote */
enum {
    AC_CLUSTER_REQUEST_VOTE_TEMPLATE_ID = 51,
    AC_CLUSTER_REQUEST_VOTE_BLOCK_LENGTH = 32,
    AC_CLUSTER_REQUEST_VOTE_CANDIDATE_MEMBER_ID_OFFSET = 24,
};

static inline int32_t ac_cluster_request_vote_candidate_member_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(body + AC_CLUSTER_REQUEST_VOTE_CANDIDATE_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

/* Vote */
enum {
    AC_CLUSTER_VOTE_TEMPLATE_ID = 52,
    AC_CLUSTER_VOTE_BLOCK_LENGTH = 36,
    AC_CLUSTER_VOTE_FOLLOWER_MEMBER_ID_OFFSET = 28,
};

static inline int32_t ac_cluster_vote_follower_member_id(const uint8_t *body,
                                                         uint16_t acting_block_length,
                                                         uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int32(body + AC_CLUSTER_VOTE_FOLLOWER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

/* NewLeadershipTerm */
enum {
    AC_CLUSTER_NEW_LEADERSHIP_TERM_TEMPLATE_ID = 53,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_BLOCK_LENGTH = 96,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_LEADER_MEMBER_ID_OFFSET = 72,
};

static inline int32_t ac_cluster_new_leadership_term_leader_member_id(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 76
               ? ac_get_int32(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_LEADER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

/* AppendPosition */
enum {
    AC_CLUSTER_APPEND_POSITION_TEMPLATE_ID = 54,
    AC_CLUSTER_APPEND_POSITION_BLOCK_LENGTH = 21,
    AC_CLUSTER_APPEND_POSITION_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_APPEND_POSITION_LOG_POSITION_OFFSET = 8,
    AC_CLUSTER_APPEND_POSITION_FOLLOWER_MEMBER_ID_OFFSET = 16,
    AC_CLUSTER_APPEND_POSITION_FLAGS_OFFSET = 20,
};

static inline int64_t ac_cluster_append_position_leadership_term_id(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_APPEND_POSITION_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_append_position_put_leadership_term_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_APPEND_POSITION_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_append_position_log_position(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_APPEND_POSITION_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_append_position_put_log_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_APPEND_POSITION_LOG_POSITION_OFFSET, value);
}

static inline int32_t ac_cluster_append_position_follower_member_id(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20
               ? ac_get_int32(body + AC_CLUSTER_APPEND_POSITION_FOLLOWER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_append_position_put_follower_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_APPEND_POSITION_FOLLOWER_MEMBER_ID_OFFSET, value);
}

static inline uint8_t ac_cluster_append_position_flags(const uint8_t *body,
                                                       uint16_t acting_block_length,
                                                       uint16_t acting_version) {

    return acting_version >= 8 && acting_block_length >= 21
               ? ac_get_uint8(body + AC_CLUSTER_APPEND_POSITION_FLAGS_OFFSET)
               : UINT8_MAX;
}

static inline void ac_cluster_append_position_put_flags(uint8_t *body, uint8_t value) {
    ac_put_uint8(body + AC_CLUSTER_APPEND_POSITION_FLAGS_OFFSET, value);
}

static inline uint8_t *ac_cluster_append_position_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_APPEND_POSITION_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_APPEND_POSITION_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* CommitPosition */
enum {
    AC_CLUSTER_COMMIT_POSITION_TEMPLATE_ID = 55,
    AC_CLUSTER_COMMIT_POSITION_BLOCK_LENGTH = 20,
    AC_CLUSTER_COMMIT_POSITION_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_COMMIT_POSITION_LOG_POSITION_OFFSET = 8,
    AC_CLUSTER_COMMIT_POSITION_LEADER_MEMBER_ID_OFFSET = 16,
};

static inline int64_t ac_cluster_commit_position_leadership_term_id(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_COMMIT_POSITION_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_commit_position_put_leadership_term_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_COMMIT_POSITION_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_commit_position_log_position(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_COMMIT_POSITION_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_commit_position_put_log_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_COMMIT_POSITION_LOG_POSITION_OFFSET, value);
}

static inline int32_t ac_cluster_commit_position_leader_member_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20
               ? ac_get_int32(body + AC_CLUSTER_COMMIT_POSITION_LEADER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_commit_position_put_leader_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_COMMIT_POSITION_LEADER_MEMBER_ID_OFFSET, value);
}

static inline uint8_t *ac_cluster_commit_position_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_COMMIT_POSITION_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_COMMIT_POSITION_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* CatchupPosition */
enum {
    AC_CLUSTER_CATCHUP_POSITION_TEMPLATE_ID = 56,
    AC_CLUSTER_CATCHUP_POSITION_BLOCK_LENGTH = 20,
    AC_CLUSTER_CATCHUP_POSITION_FOLLOWER_MEMBER_ID_OFFSET = 16,
};

static inline int32_t ac_cluster_catchup_position_follower_member_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20
               ? ac_get_int32(body + AC_CLUSTER_CATCHUP_POSITION_FOLLOWER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

/* StopCatchup */
enum {
    AC_CLUSTER_STOP_CATCHUP_TEMPLATE_ID = 57,
    AC_CLUSTER_STOP_CATCHUP_BLOCK_LENGTH = 12,
};

/* TerminationPosition */
enum {
    AC_CLUSTER_TERMINATION_POSITION_TEMPLATE_ID = 75,
    AC_CLUSTER_TERMINATION_POSITION_BLOCK_LENGTH = 16,
};

/* TerminationAck */
enum {
    AC_CLUSTER_TERMINATION_ACK_TEMPLATE_ID = 76,
    AC_CLUSTER_TERMINATION_ACK_BLOCK_LENGTH = 20,
    AC_CLUSTER_TERMINATION_ACK_MEMBER_ID_OFFSET = 16,
};

static inline int32_t ac_cluster_termination_ack_member_id(const uint8_t *body,
                                                           uint16_t acting_block_length,
                                                           uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20
               ? ac_get_int32(body + AC_CLUSTER_TERMINATION_ACK_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

/* BackupQuery */
enum {
    AC_CLUSTER_BACKUP_QUERY_TEMPLATE_ID = 77,
    AC_CLUSTER_BACKUP_QUERY_BLOCK_LENGTH = 24,
};

/* BackupResponse */
enum {
    AC_CLUSTER_BACKUP_RESPONSE_TEMPLATE_ID = 78,
    AC_CLUSTER_BACKUP_RESPONSE_BLOCK_LENGTH = 60,
};

/* HeartbeatRequest */
enum {
    AC_CLUSTER_HEARTBEAT_REQUEST_TEMPLATE_ID = 79,
    AC_CLUSTER_HEARTBEAT_REQUEST_BLOCK_LENGTH = 12,
};

/* StandbySnapshot, since version 11 */
enum {
    AC_CLUSTER_STANDBY_SNAPSHOT_TEMPLATE_ID = 81,
    AC_CLUSTER_STANDBY_SNAPSHOT_BLOCK_LENGTH = 16,
};

#endif
