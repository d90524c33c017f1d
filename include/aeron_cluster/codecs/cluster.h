/* Generated from schemas/cluster.xml by tools/generate_codecs.py. Edit it, run the tool. */
#ifndef AERON_CLUSTER_CODECS_CLUSTER_H
#define AERON_CLUSTER_CODECS_CLUSTER_H

#include "aeron_cluster/codecs/sbe.h"

enum {
    AC_CLUSTER_SCHEMA_ID = 111,
    AC_CLUSTER_SCHEMA_VERSION = 16,
    AC_CLUSTER_HEADER_LENGTH = 8,
};

#define AC_CLUSTER_SEMANTIC_VERSION "5.4"

enum ac_cluster_boolean_type {
    AC_CLUSTER_BOOLEAN_TYPE_FALSE = 0,
    AC_CLUSTER_BOOLEAN_TYPE_TRUE = 1,
    AC_CLUSTER_BOOLEAN_TYPE_NULL_VALUE = INT32_MIN,
};

enum ac_cluster_event_code {
    AC_CLUSTER_EVENT_CODE_OK = 0,
    AC_CLUSTER_EVENT_CODE_ERROR = 1,
    AC_CLUSTER_EVENT_CODE_REDIRECT = 2,
    AC_CLUSTER_EVENT_CODE_AUTHENTICATION_REJECTED = 3,
    AC_CLUSTER_EVENT_CODE_CLOSED = 4,
    AC_CLUSTER_EVENT_CODE_NULL_VALUE = INT32_MIN,
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

enum ac_cluster_snapshot_mark {
    AC_CLUSTER_SNAPSHOT_MARK_BEGIN = 0,
    AC_CLUSTER_SNAPSHOT_MARK_SECTION = 1,
    AC_CLUSTER_SNAPSHOT_MARK_END = 2,
    AC_CLUSTER_SNAPSHOT_MARK_NULL_VALUE = INT32_MIN,
};

enum ac_cluster_change_type {
    AC_CLUSTER_CHANGE_TYPE_JOIN = 0,
    AC_CLUSTER_CHANGE_TYPE_QUIT = 1,
    AC_CLUSTER_CHANGE_TYPE_NULL_VALUE = INT32_MIN,
};

enum ac_cluster_cluster_time_unit {
    AC_CLUSTER_CLUSTER_TIME_UNIT_MILLIS = 0,
    AC_CLUSTER_CLUSTER_TIME_UNIT_MICROS = 1,
    AC_CLUSTER_CLUSTER_TIME_UNIT_NANOS = 2,
    AC_CLUSTER_CLUSTER_TIME_UNIT_NULL_VALUE = INT32_MIN,
};

enum ac_cluster_admin_request_type {
    AC_CLUSTER_ADMIN_REQUEST_TYPE_SNAPSHOT = 0,
    AC_CLUSTER_ADMIN_REQUEST_TYPE_NULL_VALUE = INT32_MIN,
};

enum ac_cluster_admin_response_code {
    AC_CLUSTER_ADMIN_RESPONSE_CODE_OK = 0,
    AC_CLUSTER_ADMIN_RESPONSE_CODE_ERROR = 1,
    AC_CLUSTER_ADMIN_RESPONSE_CODE_UNAUTHORISED_ACCESS = 2,
    AC_CLUSTER_ADMIN_RESPONSE_CODE_NULL_VALUE = INT32_MIN,
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
    AC_CLUSTER_SESSION_EVENT_CLUSTER_SESSION_ID_OFFSET = 0,
    AC_CLUSTER_SESSION_EVENT_CORRELATION_ID_OFFSET = 8,
    AC_CLUSTER_SESSION_EVENT_LEADERSHIP_TERM_ID_OFFSET = 16,
    AC_CLUSTER_SESSION_EVENT_LEADER_MEMBER_ID_OFFSET = 24,
    AC_CLUSTER_SESSION_EVENT_CODE_OFFSET = 28,
    AC_CLUSTER_SESSION_EVENT_VERSION_OFFSET = 32,
    AC_CLUSTER_SESSION_EVENT_LEADER_HEARTBEAT_TIMEOUT_NS_OFFSET = 36,
};

static inline int64_t ac_cluster_session_event_cluster_session_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_SESSION_EVENT_CLUSTER_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_session_event_put_cluster_session_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_EVENT_CLUSTER_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_session_event_correlation_id(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_SESSION_EVENT_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_session_event_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_EVENT_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_session_event_leadership_term_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_CLUSTER_SESSION_EVENT_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_session_event_put_leadership_term_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_EVENT_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int32_t ac_cluster_session_event_leader_member_id(const uint8_t *body,
                                                                uint16_t acting_block_length,
                                                                uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(body + AC_CLUSTER_SESSION_EVENT_LEADER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_session_event_put_leader_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_SESSION_EVENT_LEADER_MEMBER_ID_OFFSET, value);
}

static inline int32_t ac_cluster_session_event_code(const uint8_t *body,
                                                    uint16_t acting_block_length,
                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32 ? ac_get_int32(body + AC_CLUSTER_SESSION_EVENT_CODE_OFFSET)
                                     : INT32_MIN;
}

static inline void ac_cluster_session_event_put_code(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_SESSION_EVENT_CODE_OFFSET, value);
}

static inline int32_t ac_cluster_session_event_version(const uint8_t *body,
                                                       uint16_t acting_block_length,
                                                       uint16_t acting_version) {

    return acting_version >= 6 && acting_block_length >= 36
               ? ac_get_int32(body + AC_CLUSTER_SESSION_EVENT_VERSION_OFFSET)
               : 0;
}

static inline void ac_cluster_session_event_put_version(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_SESSION_EVENT_VERSION_OFFSET, value);
}

static inline int64_t ac_cluster_session_event_leader_heartbeat_timeout_ns(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {

    return acting_version >= 13 && acting_block_length >= 44
               ? ac_get_int64(body + AC_CLUSTER_SESSION_EVENT_LEADER_HEARTBEAT_TIMEOUT_NS_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_session_event_put_leader_heartbeat_timeout_ns(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_EVENT_LEADER_HEARTBEAT_TIMEOUT_NS_OFFSET, value);
}

static inline int64_t ac_cluster_session_event_read_detail(ac_sbe_reader *reader,
                                                           uint16_t acting_version,
                                                           const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_session_event_write_detail(ac_sbe_writer *writer, const void *data,
                                                         uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_session_event_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_SESSION_EVENT_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_SESSION_EVENT_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* SessionConnectRequest */
enum {
    AC_CLUSTER_SESSION_CONNECT_REQUEST_TEMPLATE_ID = 3,
    AC_CLUSTER_SESSION_CONNECT_REQUEST_BLOCK_LENGTH = 16,
    AC_CLUSTER_SESSION_CONNECT_REQUEST_CORRELATION_ID_OFFSET = 0,
    AC_CLUSTER_SESSION_CONNECT_REQUEST_RESPONSE_STREAM_ID_OFFSET = 8,
    AC_CLUSTER_SESSION_CONNECT_REQUEST_VERSION_OFFSET = 12,
};

static inline int64_t
ac_cluster_session_connect_request_correlation_id(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_SESSION_CONNECT_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_session_connect_request_put_correlation_id(uint8_t *body,
                                                                         int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_CONNECT_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int32_t ac_cluster_session_connect_request_response_stream_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 12
               ? ac_get_int32(body + AC_CLUSTER_SESSION_CONNECT_REQUEST_RESPONSE_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_session_connect_request_put_response_stream_id(uint8_t *body,
                                                                             int32_t value) {
    ac_put_int32(body + AC_CLUSTER_SESSION_CONNECT_REQUEST_RESPONSE_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_cluster_session_connect_request_version(const uint8_t *body,
                                                                 uint16_t acting_block_length,
                                                                 uint16_t acting_version) {

    return acting_version >= 2 && acting_block_length >= 16
               ? ac_get_int32(body + AC_CLUSTER_SESSION_CONNECT_REQUEST_VERSION_OFFSET)
               : 0;
}

static inline void ac_cluster_session_connect_request_put_version(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_SESSION_CONNECT_REQUEST_VERSION_OFFSET, value);
}

static inline int64_t ac_cluster_session_connect_request_read_response_channel(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_session_connect_request_write_response_channel(ac_sbe_writer *writer,
                                                                             const void *data,
                                                                             uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_cluster_session_connect_request_read_encoded_credentials(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool
ac_cluster_session_connect_request_write_encoded_credentials(ac_sbe_writer *writer,
                                                             const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_cluster_session_connect_request_read_client_info(ac_sbe_reader *reader,
                                                                          uint16_t acting_version,
                                                                          const uint8_t **data) {
    if (acting_version < 14) {
        *data = NULL;
        return 0;
    }
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_session_connect_request_write_client_info(ac_sbe_writer *writer,
                                                                        const void *data,
                                                                        uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_session_connect_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_SESSION_CONNECT_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_SESSION_CONNECT_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* SessionCloseRequest */
enum {
    AC_CLUSTER_SESSION_CLOSE_REQUEST_TEMPLATE_ID = 4,
    AC_CLUSTER_SESSION_CLOSE_REQUEST_BLOCK_LENGTH = 16,
    AC_CLUSTER_SESSION_CLOSE_REQUEST_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_SESSION_CLOSE_REQUEST_CLUSTER_SESSION_ID_OFFSET = 8,
};

static inline int64_t ac_cluster_session_close_request_leadership_term_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_SESSION_CLOSE_REQUEST_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_session_close_request_put_leadership_term_id(uint8_t *body,
                                                                           int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_CLOSE_REQUEST_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_session_close_request_cluster_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_SESSION_CLOSE_REQUEST_CLUSTER_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_session_close_request_put_cluster_session_id(uint8_t *body,
                                                                           int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_CLOSE_REQUEST_CLUSTER_SESSION_ID_OFFSET, value);
}

static inline uint8_t *ac_cluster_session_close_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_SESSION_CLOSE_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_SESSION_CLOSE_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

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

static inline void ac_cluster_session_keep_alive_put_leadership_term_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_KEEP_ALIVE_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_session_keep_alive_cluster_session_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_SESSION_KEEP_ALIVE_CLUSTER_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_session_keep_alive_put_cluster_session_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_KEEP_ALIVE_CLUSTER_SESSION_ID_OFFSET, value);
}

static inline uint8_t *ac_cluster_session_keep_alive_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_SESSION_KEEP_ALIVE_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_SESSION_KEEP_ALIVE_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* NewLeaderEvent */
enum {
    AC_CLUSTER_NEW_LEADER_EVENT_TEMPLATE_ID = 6,
    AC_CLUSTER_NEW_LEADER_EVENT_BLOCK_LENGTH = 20,
    AC_CLUSTER_NEW_LEADER_EVENT_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_NEW_LEADER_EVENT_CLUSTER_SESSION_ID_OFFSET = 8,
    AC_CLUSTER_NEW_LEADER_EVENT_LEADER_MEMBER_ID_OFFSET = 16,
};

static inline int64_t ac_cluster_new_leader_event_leadership_term_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_NEW_LEADER_EVENT_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_new_leader_event_put_leadership_term_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_CLUSTER_NEW_LEADER_EVENT_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_new_leader_event_cluster_session_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_NEW_LEADER_EVENT_CLUSTER_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_new_leader_event_put_cluster_session_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_CLUSTER_NEW_LEADER_EVENT_CLUSTER_SESSION_ID_OFFSET, value);
}

static inline int32_t ac_cluster_new_leader_event_leader_member_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20
               ? ac_get_int32(body + AC_CLUSTER_NEW_LEADER_EVENT_LEADER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_new_leader_event_put_leader_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_NEW_LEADER_EVENT_LEADER_MEMBER_ID_OFFSET, value);
}

static inline int64_t ac_cluster_new_leader_event_read_ingress_endpoints(ac_sbe_reader *reader,
                                                                         uint16_t acting_version,
                                                                         const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_new_leader_event_write_ingress_endpoints(ac_sbe_writer *writer,
                                                                       const void *data,
                                                                       uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_new_leader_event_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_NEW_LEADER_EVENT_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_NEW_LEADER_EVENT_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* Challenge */
enum {
    AC_CLUSTER_CHALLENGE_TEMPLATE_ID = 7,
    AC_CLUSTER_CHALLENGE_BLOCK_LENGTH = 16,
    AC_CLUSTER_CHALLENGE_CORRELATION_ID_OFFSET = 0,
    AC_CLUSTER_CHALLENGE_CLUSTER_SESSION_ID_OFFSET = 8,
};

static inline int64_t ac_cluster_challenge_correlation_id(const uint8_t *body,
                                                          uint16_t acting_block_length,
                                                          uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_CHALLENGE_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_challenge_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CHALLENGE_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_challenge_cluster_session_id(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_CHALLENGE_CLUSTER_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_challenge_put_cluster_session_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CHALLENGE_CLUSTER_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_challenge_read_encoded_challenge(ac_sbe_reader *reader,
                                                                  uint16_t acting_version,
                                                                  const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_challenge_write_encoded_challenge(ac_sbe_writer *writer,
                                                                const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_challenge_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_CHALLENGE_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_CHALLENGE_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* ChallengeResponse */
enum {
    AC_CLUSTER_CHALLENGE_RESPONSE_TEMPLATE_ID = 8,
    AC_CLUSTER_CHALLENGE_RESPONSE_BLOCK_LENGTH = 16,
    AC_CLUSTER_CHALLENGE_RESPONSE_CORRELATION_ID_OFFSET = 0,
    AC_CLUSTER_CHALLENGE_RESPONSE_CLUSTER_SESSION_ID_OFFSET = 8,
};

static inline int64_t ac_cluster_challenge_response_correlation_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_CHALLENGE_RESPONSE_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_challenge_response_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CHALLENGE_RESPONSE_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_challenge_response_cluster_session_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_CHALLENGE_RESPONSE_CLUSTER_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_challenge_response_put_cluster_session_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CHALLENGE_RESPONSE_CLUSTER_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_challenge_response_read_encoded_credentials(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_challenge_response_write_encoded_credentials(ac_sbe_writer *writer,
                                                                           const void *data,
                                                                           uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_challenge_response_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_CHALLENGE_RESPONSE_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_CHALLENGE_RESPONSE_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

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

static inline void ac_cluster_session_open_event_put_leadership_term_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_OPEN_EVENT_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_session_open_event_correlation_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_SESSION_OPEN_EVENT_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_session_open_event_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_OPEN_EVENT_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_session_open_event_cluster_session_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_CLUSTER_SESSION_OPEN_EVENT_CLUSTER_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_session_open_event_put_cluster_session_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_OPEN_EVENT_CLUSTER_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_session_open_event_timestamp(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_CLUSTER_SESSION_OPEN_EVENT_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_session_open_event_put_timestamp(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SESSION_OPEN_EVENT_TIMESTAMP_OFFSET, value);
}

static inline int32_t ac_cluster_session_open_event_response_stream_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 36
               ? ac_get_int32(body + AC_CLUSTER_SESSION_OPEN_EVENT_RESPONSE_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_session_open_event_put_response_stream_id(uint8_t *body,
                                                                        int32_t value) {
    ac_put_int32(body + AC_CLUSTER_SESSION_OPEN_EVENT_RESPONSE_STREAM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_session_open_event_read_response_channel(ac_sbe_reader *reader,
                                                                          uint16_t acting_version,
                                                                          const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_session_open_event_write_response_channel(ac_sbe_writer *writer,
                                                                        const void *data,
                                                                        uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_cluster_session_open_event_read_encoded_principal(ac_sbe_reader *reader,
                                                                           uint16_t acting_version,
                                                                           const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_session_open_event_write_encoded_principal(ac_sbe_writer *writer,
                                                                         const void *data,
                                                                         uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_session_open_event_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_SESSION_OPEN_EVENT_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_SESSION_OPEN_EVENT_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
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

/* MembershipChangeEvent */
enum {
    AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_TEMPLATE_ID = 25,
    AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_BLOCK_LENGTH = 40,
    AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_LOG_POSITION_OFFSET = 8,
    AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_TIMESTAMP_OFFSET = 16,
    AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_LEADER_MEMBER_ID_OFFSET = 24,
    AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_CLUSTER_SIZE_OFFSET = 28,
    AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_CHANGE_TYPE_OFFSET = 32,
    AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_MEMBER_ID_OFFSET = 36,
};

static inline int64_t ac_cluster_membership_change_event_leadership_term_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_membership_change_event_put_leadership_term_id(uint8_t *body,
                                                                             int64_t value) {
    ac_put_int64(body + AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_membership_change_event_log_position(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_membership_change_event_put_log_position(uint8_t *body,
                                                                       int64_t value) {
    ac_put_int64(body + AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_membership_change_event_timestamp(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_membership_change_event_put_timestamp(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_TIMESTAMP_OFFSET, value);
}

static inline int32_t ac_cluster_membership_change_event_leader_member_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(body + AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_LEADER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_membership_change_event_put_leader_member_id(uint8_t *body,
                                                                           int32_t value) {
    ac_put_int32(body + AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_LEADER_MEMBER_ID_OFFSET, value);
}

static inline int32_t ac_cluster_membership_change_event_cluster_size(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int32(body + AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_CLUSTER_SIZE_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_membership_change_event_put_cluster_size(uint8_t *body,
                                                                       int32_t value) {
    ac_put_int32(body + AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_CLUSTER_SIZE_OFFSET, value);
}

static inline int32_t ac_cluster_membership_change_event_change_type(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 36
               ? ac_get_int32(body + AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_CHANGE_TYPE_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_membership_change_event_put_change_type(uint8_t *body,
                                                                      int32_t value) {
    ac_put_int32(body + AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_CHANGE_TYPE_OFFSET, value);
}

static inline int32_t ac_cluster_membership_change_event_member_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 40
               ? ac_get_int32(body + AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_membership_change_event_put_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_MEMBER_ID_OFFSET, value);
}

static inline int64_t ac_cluster_membership_change_event_read_cluster_members(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_membership_change_event_write_cluster_members(ac_sbe_writer *writer,
                                                                            const void *data,
                                                                            uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_membership_change_event_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_MEMBERSHIP_CHANGE_EVENT_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* AdminRequest */
enum {
    AC_CLUSTER_ADMIN_REQUEST_TEMPLATE_ID = 26,
    AC_CLUSTER_ADMIN_REQUEST_BLOCK_LENGTH = 28,
    AC_CLUSTER_ADMIN_REQUEST_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_ADMIN_REQUEST_CLUSTER_SESSION_ID_OFFSET = 8,
    AC_CLUSTER_ADMIN_REQUEST_CORRELATION_ID_OFFSET = 16,
    AC_CLUSTER_ADMIN_REQUEST_REQUEST_TYPE_OFFSET = 24,
};

static inline int64_t ac_cluster_admin_request_leadership_term_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_ADMIN_REQUEST_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_admin_request_put_leadership_term_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_ADMIN_REQUEST_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_admin_request_cluster_session_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_ADMIN_REQUEST_CLUSTER_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_admin_request_put_cluster_session_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_ADMIN_REQUEST_CLUSTER_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_admin_request_correlation_id(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_CLUSTER_ADMIN_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_admin_request_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_ADMIN_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int32_t ac_cluster_admin_request_request_type(const uint8_t *body,
                                                            uint16_t acting_block_length,
                                                            uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(body + AC_CLUSTER_ADMIN_REQUEST_REQUEST_TYPE_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_admin_request_put_request_type(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_ADMIN_REQUEST_REQUEST_TYPE_OFFSET, value);
}

static inline int64_t ac_cluster_admin_request_read_payload(ac_sbe_reader *reader,
                                                            uint16_t acting_version,
                                                            const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_admin_request_write_payload(ac_sbe_writer *writer, const void *data,
                                                          uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_admin_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_ADMIN_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_ADMIN_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* AdminResponse */
enum {
    AC_CLUSTER_ADMIN_RESPONSE_TEMPLATE_ID = 27,
    AC_CLUSTER_ADMIN_RESPONSE_BLOCK_LENGTH = 24,
    AC_CLUSTER_ADMIN_RESPONSE_CLUSTER_SESSION_ID_OFFSET = 0,
    AC_CLUSTER_ADMIN_RESPONSE_CORRELATION_ID_OFFSET = 8,
    AC_CLUSTER_ADMIN_RESPONSE_REQUEST_TYPE_OFFSET = 16,
    AC_CLUSTER_ADMIN_RESPONSE_RESPONSE_CODE_OFFSET = 20,
};

static inline int64_t ac_cluster_admin_response_cluster_session_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_ADMIN_RESPONSE_CLUSTER_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_admin_response_put_cluster_session_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_ADMIN_RESPONSE_CLUSTER_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_admin_response_correlation_id(const uint8_t *body,
                                                               uint16_t acting_block_length,
                                                               uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_ADMIN_RESPONSE_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_admin_response_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_ADMIN_RESPONSE_CORRELATION_ID_OFFSET, value);
}

static inline int32_t ac_cluster_admin_response_request_type(const uint8_t *body,
                                                             uint16_t acting_block_length,
                                                             uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20
               ? ac_get_int32(body + AC_CLUSTER_ADMIN_RESPONSE_REQUEST_TYPE_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_admin_response_put_request_type(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_ADMIN_RESPONSE_REQUEST_TYPE_OFFSET, value);
}

static inline int32_t ac_cluster_admin_response_response_code(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int32(body + AC_CLUSTER_ADMIN_RESPONSE_RESPONSE_CODE_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_admin_response_put_response_code(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_ADMIN_RESPONSE_RESPONSE_CODE_OFFSET, value);
}

static inline int64_t ac_cluster_admin_response_read_message(ac_sbe_reader *reader,
                                                             uint16_t acting_version,
                                                             const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_admin_response_write_message(ac_sbe_writer *writer, const void *data,
                                                           uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_cluster_admin_response_read_payload(ac_sbe_reader *reader,
                                                             uint16_t acting_version,
                                                             const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_admin_response_write_payload(ac_sbe_writer *writer, const void *data,
                                                           uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_admin_response_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_ADMIN_RESPONSE_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_ADMIN_RESPONSE_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* CloseSession */
enum {
    AC_CLUSTER_CLOSE_SESSION_TEMPLATE_ID = 30,
    AC_CLUSTER_CLOSE_SESSION_BLOCK_LENGTH = 8,
    AC_CLUSTER_CLOSE_SESSION_CLUSTER_SESSION_ID_OFFSET = 0,
};

static inline int64_t ac_cluster_close_session_cluster_session_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_CLOSE_SESSION_CLUSTER_SESSION_ID_OFFSET)
               : INT64_MIN;
}

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

static inline int64_t ac_cluster_schedule_timer_correlation_id(const uint8_t *body,
                                                               uint16_t acting_block_length,
                                                               uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_SCHEDULE_TIMER_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_schedule_timer_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SCHEDULE_TIMER_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_schedule_timer_deadline(const uint8_t *body,
                                                         uint16_t acting_block_length,
                                                         uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_SCHEDULE_TIMER_DEADLINE_OFFSET)
               : INT64_MIN;
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

static inline int64_t ac_cluster_cancel_timer_correlation_id(const uint8_t *body,
                                                             uint16_t acting_block_length,
                                                             uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_CANCEL_TIMER_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

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
    AC_CLUSTER_SERVICE_ACK_LOG_POSITION_OFFSET = 0,
    AC_CLUSTER_SERVICE_ACK_TIMESTAMP_OFFSET = 8,
    AC_CLUSTER_SERVICE_ACK_ACK_ID_OFFSET = 16,
    AC_CLUSTER_SERVICE_ACK_RELEVANT_ID_OFFSET = 24,
    AC_CLUSTER_SERVICE_ACK_SERVICE_ID_OFFSET = 32,
};

static inline int64_t ac_cluster_service_ack_log_position(const uint8_t *body,
                                                          uint16_t acting_block_length,
                                                          uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_SERVICE_ACK_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_service_ack_put_log_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SERVICE_ACK_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_service_ack_timestamp(const uint8_t *body,
                                                       uint16_t acting_block_length,
                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16 ? ac_get_int64(body + AC_CLUSTER_SERVICE_ACK_TIMESTAMP_OFFSET)
                                     : INT64_MIN;
}

static inline void ac_cluster_service_ack_put_timestamp(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SERVICE_ACK_TIMESTAMP_OFFSET, value);
}

static inline int64_t ac_cluster_service_ack_ack_id(const uint8_t *body,
                                                    uint16_t acting_block_length,
                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24 ? ac_get_int64(body + AC_CLUSTER_SERVICE_ACK_ACK_ID_OFFSET)
                                     : INT64_MIN;
}

static inline void ac_cluster_service_ack_put_ack_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SERVICE_ACK_ACK_ID_OFFSET, value);
}

static inline int64_t ac_cluster_service_ack_relevant_id(const uint8_t *body,
                                                         uint16_t acting_block_length,
                                                         uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_CLUSTER_SERVICE_ACK_RELEVANT_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_service_ack_put_relevant_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SERVICE_ACK_RELEVANT_ID_OFFSET, value);
}

static inline int32_t ac_cluster_service_ack_service_id(const uint8_t *body,
                                                        uint16_t acting_block_length,
                                                        uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 36 ? ac_get_int32(body + AC_CLUSTER_SERVICE_ACK_SERVICE_ID_OFFSET)
                                     : INT32_MIN;
}

static inline void ac_cluster_service_ack_put_service_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_SERVICE_ACK_SERVICE_ID_OFFSET, value);
}

static inline uint8_t *ac_cluster_service_ack_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_SERVICE_ACK_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_SERVICE_ACK_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* ClusterMembersQuery */
enum {
    AC_CLUSTER_CLUSTER_MEMBERS_QUERY_TEMPLATE_ID = 34,
    AC_CLUSTER_CLUSTER_MEMBERS_QUERY_BLOCK_LENGTH = 12,
    AC_CLUSTER_CLUSTER_MEMBERS_QUERY_CORRELATION_ID_OFFSET = 0,
    AC_CLUSTER_CLUSTER_MEMBERS_QUERY_EXTENDED_OFFSET = 8,
};

static inline int64_t ac_cluster_cluster_members_query_correlation_id(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_CLUSTER_MEMBERS_QUERY_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_cluster_members_query_put_correlation_id(uint8_t *body,
                                                                       int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CLUSTER_MEMBERS_QUERY_CORRELATION_ID_OFFSET, value);
}

static inline int32_t ac_cluster_cluster_members_query_extended(const uint8_t *body,
                                                                uint16_t acting_block_length,
                                                                uint16_t acting_version) {

    return acting_version >= 5 && acting_block_length >= 12
               ? ac_get_int32(body + AC_CLUSTER_CLUSTER_MEMBERS_QUERY_EXTENDED_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_cluster_members_query_put_extended(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_CLUSTER_MEMBERS_QUERY_EXTENDED_OFFSET, value);
}

static inline uint8_t *ac_cluster_cluster_members_query_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_CLUSTER_MEMBERS_QUERY_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_CLUSTER_MEMBERS_QUERY_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* RemoveMember, deprecated since version 12 */
enum {
    AC_CLUSTER_REMOVE_MEMBER_TEMPLATE_ID = 35,
    AC_CLUSTER_REMOVE_MEMBER_BLOCK_LENGTH = 8,
    AC_CLUSTER_REMOVE_MEMBER_MEMBER_ID_OFFSET = 0,
    AC_CLUSTER_REMOVE_MEMBER_IS_PASSIVE_OFFSET = 4,
};

static inline int32_t ac_cluster_remove_member_member_id(const uint8_t *body,
                                                         uint16_t acting_block_length,
                                                         uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 4 ? ac_get_int32(body + AC_CLUSTER_REMOVE_MEMBER_MEMBER_ID_OFFSET)
                                    : INT32_MIN;
}

static inline void ac_cluster_remove_member_put_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_REMOVE_MEMBER_MEMBER_ID_OFFSET, value);
}

static inline int32_t ac_cluster_remove_member_is_passive(const uint8_t *body,
                                                          uint16_t acting_block_length,
                                                          uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int32(body + AC_CLUSTER_REMOVE_MEMBER_IS_PASSIVE_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_remove_member_put_is_passive(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_REMOVE_MEMBER_IS_PASSIVE_OFFSET, value);
}

static inline uint8_t *ac_cluster_remove_member_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_REMOVE_MEMBER_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_REMOVE_MEMBER_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* JoinLog */
enum {
    AC_CLUSTER_JOIN_LOG_TEMPLATE_ID = 40,
    AC_CLUSTER_JOIN_LOG_BLOCK_LENGTH = 40,
    AC_CLUSTER_JOIN_LOG_LOG_POSITION_OFFSET = 0,
    AC_CLUSTER_JOIN_LOG_MAX_LOG_POSITION_OFFSET = 8,
    AC_CLUSTER_JOIN_LOG_MEMBER_ID_OFFSET = 16,
    AC_CLUSTER_JOIN_LOG_LOG_SESSION_ID_OFFSET = 20,
    AC_CLUSTER_JOIN_LOG_LOG_STREAM_ID_OFFSET = 24,
    AC_CLUSTER_JOIN_LOG_IS_STARTUP_OFFSET = 28,
    AC_CLUSTER_JOIN_LOG_ROLE_OFFSET = 32,
    AC_CLUSTER_JOIN_LOG_IS_STANDBY_OFFSET = 36,
};

static inline int64_t ac_cluster_join_log_log_position(const uint8_t *body,
                                                       uint16_t acting_block_length,
                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8 ? ac_get_int64(body + AC_CLUSTER_JOIN_LOG_LOG_POSITION_OFFSET)
                                    : INT64_MIN;
}

static inline void ac_cluster_join_log_put_log_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_JOIN_LOG_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_join_log_max_log_position(const uint8_t *body,
                                                           uint16_t acting_block_length,
                                                           uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_JOIN_LOG_MAX_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_join_log_put_max_log_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_JOIN_LOG_MAX_LOG_POSITION_OFFSET, value);
}

static inline int32_t ac_cluster_join_log_member_id(const uint8_t *body,
                                                    uint16_t acting_block_length,
                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20 ? ac_get_int32(body + AC_CLUSTER_JOIN_LOG_MEMBER_ID_OFFSET)
                                     : INT32_MIN;
}

static inline void ac_cluster_join_log_put_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_JOIN_LOG_MEMBER_ID_OFFSET, value);
}

static inline int32_t ac_cluster_join_log_log_session_id(const uint8_t *body,
                                                         uint16_t acting_block_length,
                                                         uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int32(body + AC_CLUSTER_JOIN_LOG_LOG_SESSION_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_join_log_put_log_session_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_JOIN_LOG_LOG_SESSION_ID_OFFSET, value);
}

static inline int32_t ac_cluster_join_log_log_stream_id(const uint8_t *body,
                                                        uint16_t acting_block_length,
                                                        uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28 ? ac_get_int32(body + AC_CLUSTER_JOIN_LOG_LOG_STREAM_ID_OFFSET)
                                     : INT32_MIN;
}

static inline void ac_cluster_join_log_put_log_stream_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_JOIN_LOG_LOG_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_cluster_join_log_is_startup(const uint8_t *body,
                                                     uint16_t acting_block_length,
                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32 ? ac_get_int32(body + AC_CLUSTER_JOIN_LOG_IS_STARTUP_OFFSET)
                                     : INT32_MIN;
}

static inline void ac_cluster_join_log_put_is_startup(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_JOIN_LOG_IS_STARTUP_OFFSET, value);
}

static inline int32_t ac_cluster_join_log_role(const uint8_t *body, uint16_t acting_block_length,
                                               uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 36 ? ac_get_int32(body + AC_CLUSTER_JOIN_LOG_ROLE_OFFSET)
                                     : INT32_MIN;
}

static inline void ac_cluster_join_log_put_role(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_JOIN_LOG_ROLE_OFFSET, value);
}

static inline int32_t ac_cluster_join_log_is_standby(const uint8_t *body,
                                                     uint16_t acting_block_length,
                                                     uint16_t acting_version) {

    return acting_version >= 16 && acting_block_length >= 40
               ? ac_get_int32(body + AC_CLUSTER_JOIN_LOG_IS_STANDBY_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_join_log_put_is_standby(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_JOIN_LOG_IS_STANDBY_OFFSET, value);
}

static inline int64_t ac_cluster_join_log_read_log_channel(ac_sbe_reader *reader,
                                                           uint16_t acting_version,
                                                           const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_join_log_write_log_channel(ac_sbe_writer *writer, const void *data,
                                                         uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_join_log_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_JOIN_LOG_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_JOIN_LOG_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* ClusterMembersResponse */
enum {
    AC_CLUSTER_CLUSTER_MEMBERS_RESPONSE_TEMPLATE_ID = 41,
    AC_CLUSTER_CLUSTER_MEMBERS_RESPONSE_BLOCK_LENGTH = 12,
    AC_CLUSTER_CLUSTER_MEMBERS_RESPONSE_CORRELATION_ID_OFFSET = 0,
    AC_CLUSTER_CLUSTER_MEMBERS_RESPONSE_LEADER_MEMBER_ID_OFFSET = 8,
};

static inline int64_t ac_cluster_cluster_members_response_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_CLUSTER_MEMBERS_RESPONSE_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_cluster_members_response_put_correlation_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CLUSTER_MEMBERS_RESPONSE_CORRELATION_ID_OFFSET, value);
}

static inline int32_t ac_cluster_cluster_members_response_leader_member_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 12
               ? ac_get_int32(body + AC_CLUSTER_CLUSTER_MEMBERS_RESPONSE_LEADER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_cluster_members_response_put_leader_member_id(uint8_t *body,
                                                                            int32_t value) {
    ac_put_int32(body + AC_CLUSTER_CLUSTER_MEMBERS_RESPONSE_LEADER_MEMBER_ID_OFFSET, value);
}

static inline int64_t ac_cluster_cluster_members_response_read_active_members(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_cluster_members_response_write_active_members(ac_sbe_writer *writer,
                                                                            const void *data,
                                                                            uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_cluster_cluster_members_response_read_passive_followers(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool
ac_cluster_cluster_members_response_write_passive_followers(ac_sbe_writer *writer, const void *data,
                                                            uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_cluster_members_response_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer,
                        (ac_message_header){
                            .block_length = AC_CLUSTER_CLUSTER_MEMBERS_RESPONSE_BLOCK_LENGTH,
                            .template_id = AC_CLUSTER_CLUSTER_MEMBERS_RESPONSE_TEMPLATE_ID,
                            .schema_id = AC_CLUSTER_SCHEMA_ID,
                            .version = AC_CLUSTER_SCHEMA_VERSION,
                        });
}

/* ServiceTerminationPosition */
enum {
    AC_CLUSTER_SERVICE_TERMINATION_POSITION_TEMPLATE_ID = 42,
    AC_CLUSTER_SERVICE_TERMINATION_POSITION_BLOCK_LENGTH = 8,
    AC_CLUSTER_SERVICE_TERMINATION_POSITION_LOG_POSITION_OFFSET = 0,
};

static inline int64_t ac_cluster_service_termination_position_log_position(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_SERVICE_TERMINATION_POSITION_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_service_termination_position_put_log_position(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SERVICE_TERMINATION_POSITION_LOG_POSITION_OFFSET, value);
}

static inline uint8_t *ac_cluster_service_termination_position_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer,
                        (ac_message_header){
                            .block_length = AC_CLUSTER_SERVICE_TERMINATION_POSITION_BLOCK_LENGTH,
                            .template_id = AC_CLUSTER_SERVICE_TERMINATION_POSITION_TEMPLATE_ID,
                            .schema_id = AC_CLUSTER_SCHEMA_ID,
                            .version = AC_CLUSTER_SCHEMA_VERSION,
                        });
}

/* ClusterMembersExtendedResponse */
enum {
    AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_TEMPLATE_ID = 43,
    AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_BLOCK_LENGTH = 24,
    AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_CORRELATION_ID_OFFSET = 0,
    AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_CURRENT_TIME_NS_OFFSET = 8,
    AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_LEADER_MEMBER_ID_OFFSET = 16,
    AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_MEMBER_ID_OFFSET = 20,
};

static inline int64_t ac_cluster_cluster_members_extended_response_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body +
                              AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_cluster_members_extended_response_put_correlation_id(uint8_t *body,
                                                                                   int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_cluster_members_extended_response_current_time_ns(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body +
                              AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_CURRENT_TIME_NS_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_cluster_members_extended_response_put_current_time_ns(uint8_t *body,
                                                                                    int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_CURRENT_TIME_NS_OFFSET, value);
}

static inline int32_t ac_cluster_cluster_members_extended_response_leader_member_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20
               ? ac_get_int32(body +
                              AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_LEADER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void
ac_cluster_cluster_members_extended_response_put_leader_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_LEADER_MEMBER_ID_OFFSET,
                 value);
}

static inline int32_t ac_cluster_cluster_members_extended_response_member_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int32(body + AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_cluster_members_extended_response_put_member_id(uint8_t *body,
                                                                              int32_t value) {
    ac_put_int32(body + AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_MEMBER_ID_OFFSET, value);
}

/* activeMembers */
enum {
    AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_BLOCK_LENGTH = 28,
    AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_LOG_POSITION_OFFSET = 8,
    AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_TIME_OF_LAST_APPEND_NS_OFFSET = 16,
    AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_MEMBER_ID_OFFSET = 24,
};

static inline int64_t
ac_cluster_cluster_members_extended_response_active_members_leadership_term_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(
                     body +
                     AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void
ac_cluster_cluster_members_extended_response_active_members_put_leadership_term_id(uint8_t *body,
                                                                                   int64_t value) {
    ac_put_int64(
        body +
            AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_LEADERSHIP_TERM_ID_OFFSET,
        value);
}

static inline int64_t ac_cluster_cluster_members_extended_response_active_members_log_position(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(
                     body +
                     AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void
ac_cluster_cluster_members_extended_response_active_members_put_log_position(uint8_t *body,
                                                                             int64_t value) {
    ac_put_int64(
        body + AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_LOG_POSITION_OFFSET,
        value);
}

static inline int64_t
ac_cluster_cluster_members_extended_response_active_members_time_of_last_append_ns(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(
                     body +
                     AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_TIME_OF_LAST_APPEND_NS_OFFSET)
               : INT64_MIN;
}

static inline void
ac_cluster_cluster_members_extended_response_active_members_put_time_of_last_append_ns(
    uint8_t *body, int64_t value) {
    ac_put_int64(
        body +
            AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_TIME_OF_LAST_APPEND_NS_OFFSET,
        value);
}

static inline int32_t ac_cluster_cluster_members_extended_response_active_members_member_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(
                     body +
                     AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void
ac_cluster_cluster_members_extended_response_active_members_put_member_id(uint8_t *body,
                                                                          int32_t value) {
    ac_put_int32(
        body + AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_MEMBER_ID_OFFSET, value);
}

static inline int64_t
ac_cluster_cluster_members_extended_response_active_members_read_ingress_endpoint(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool
ac_cluster_cluster_members_extended_response_active_members_write_ingress_endpoint(
    ac_sbe_writer *writer, const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t
ac_cluster_cluster_members_extended_response_active_members_read_consensus_endpoint(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool
ac_cluster_cluster_members_extended_response_active_members_write_consensus_endpoint(
    ac_sbe_writer *writer, const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_cluster_cluster_members_extended_response_active_members_read_log_endpoint(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_cluster_members_extended_response_active_members_write_log_endpoint(
    ac_sbe_writer *writer, const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t
ac_cluster_cluster_members_extended_response_active_members_read_catchup_endpoint(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool
ac_cluster_cluster_members_extended_response_active_members_write_catchup_endpoint(
    ac_sbe_writer *writer, const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t
ac_cluster_cluster_members_extended_response_active_members_read_archive_endpoint(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool
ac_cluster_cluster_members_extended_response_active_members_write_archive_endpoint(
    ac_sbe_writer *writer, const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline bool
ac_cluster_cluster_members_extended_response_read_active_members(ac_sbe_reader *reader,
                                                                 ac_sbe_group *group) {
    return ac_sbe_read_group(reader, group);
}

static inline bool
ac_cluster_cluster_members_extended_response_write_active_members(ac_sbe_writer *writer,
                                                                  uint16_t count) {
    return ac_sbe_write_group(
        writer, AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_BLOCK_LENGTH, count);
}

static inline uint8_t *
ac_cluster_cluster_members_extended_response_active_members_next(ac_sbe_writer *writer) {
    return ac_sbe_reserve(writer,
                          AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_ACTIVE_MEMBERS_BLOCK_LENGTH);
}

/* passiveMembers */
enum {
    AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_BLOCK_LENGTH = 28,
    AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_LOG_POSITION_OFFSET = 8,
    AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_TIME_OF_LAST_APPEND_NS_OFFSET = 16,
    AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_MEMBER_ID_OFFSET = 24,
};

static inline int64_t
ac_cluster_cluster_members_extended_response_passive_members_leadership_term_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(
                     body +
                     AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void
ac_cluster_cluster_members_extended_response_passive_members_put_leadership_term_id(uint8_t *body,
                                                                                    int64_t value) {
    ac_put_int64(
        body +
            AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_LEADERSHIP_TERM_ID_OFFSET,
        value);
}

static inline int64_t ac_cluster_cluster_members_extended_response_passive_members_log_position(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(
                     body +
                     AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void
ac_cluster_cluster_members_extended_response_passive_members_put_log_position(uint8_t *body,
                                                                              int64_t value) {
    ac_put_int64(
        body + AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_LOG_POSITION_OFFSET,
        value);
}

static inline int64_t
ac_cluster_cluster_members_extended_response_passive_members_time_of_last_append_ns(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(
                     body +
                     AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_TIME_OF_LAST_APPEND_NS_OFFSET)
               : INT64_MIN;
}

static inline void
ac_cluster_cluster_members_extended_response_passive_members_put_time_of_last_append_ns(
    uint8_t *body, int64_t value) {
    ac_put_int64(
        body +
            AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_TIME_OF_LAST_APPEND_NS_OFFSET,
        value);
}

static inline int32_t ac_cluster_cluster_members_extended_response_passive_members_member_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(
                     body +
                     AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void
ac_cluster_cluster_members_extended_response_passive_members_put_member_id(uint8_t *body,
                                                                           int32_t value) {
    ac_put_int32(body +
                     AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_MEMBER_ID_OFFSET,
                 value);
}

static inline int64_t
ac_cluster_cluster_members_extended_response_passive_members_read_ingress_endpoint(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool
ac_cluster_cluster_members_extended_response_passive_members_write_ingress_endpoint(
    ac_sbe_writer *writer, const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t
ac_cluster_cluster_members_extended_response_passive_members_read_consensus_endpoint(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool
ac_cluster_cluster_members_extended_response_passive_members_write_consensus_endpoint(
    ac_sbe_writer *writer, const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t
ac_cluster_cluster_members_extended_response_passive_members_read_log_endpoint(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_cluster_members_extended_response_passive_members_write_log_endpoint(
    ac_sbe_writer *writer, const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t
ac_cluster_cluster_members_extended_response_passive_members_read_catchup_endpoint(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool
ac_cluster_cluster_members_extended_response_passive_members_write_catchup_endpoint(
    ac_sbe_writer *writer, const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t
ac_cluster_cluster_members_extended_response_passive_members_read_archive_endpoint(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool
ac_cluster_cluster_members_extended_response_passive_members_write_archive_endpoint(
    ac_sbe_writer *writer, const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline bool
ac_cluster_cluster_members_extended_response_read_passive_members(ac_sbe_reader *reader,
                                                                  ac_sbe_group *group) {
    return ac_sbe_read_group(reader, group);
}

static inline bool
ac_cluster_cluster_members_extended_response_write_passive_members(ac_sbe_writer *writer,
                                                                   uint16_t count) {
    return ac_sbe_write_group(
        writer, AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_BLOCK_LENGTH, count);
}

static inline uint8_t *
ac_cluster_cluster_members_extended_response_passive_members_next(ac_sbe_writer *writer) {
    return ac_sbe_reserve(
        writer, AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_PASSIVE_MEMBERS_BLOCK_LENGTH);
}

static inline uint8_t *ac_cluster_cluster_members_extended_response_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(
        writer, (ac_message_header){
                    .block_length = AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_BLOCK_LENGTH,
                    .template_id = AC_CLUSTER_CLUSTER_MEMBERS_EXTENDED_RESPONSE_TEMPLATE_ID,
                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                    .version = AC_CLUSTER_SCHEMA_VERSION,
                });
}

/* requestServiceAck */
enum {
    AC_CLUSTER_REQUEST_SERVICE_ACK_TEMPLATE_ID = 108,
    AC_CLUSTER_REQUEST_SERVICE_ACK_BLOCK_LENGTH = 8,
    AC_CLUSTER_REQUEST_SERVICE_ACK_LOG_POSITION_OFFSET = 0,
};

static inline int64_t ac_cluster_request_service_ack_log_position(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_REQUEST_SERVICE_ACK_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_request_service_ack_put_log_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_REQUEST_SERVICE_ACK_LOG_POSITION_OFFSET, value);
}

static inline uint8_t *ac_cluster_request_service_ack_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_REQUEST_SERVICE_ACK_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_REQUEST_SERVICE_ACK_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* CanvassPosition */
enum {
    AC_CLUSTER_CANVASS_POSITION_TEMPLATE_ID = 50,
    AC_CLUSTER_CANVASS_POSITION_BLOCK_LENGTH = 32,
    AC_CLUSTER_CANVASS_POSITION_LOG_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_CANVASS_POSITION_LOG_POSITION_OFFSET = 8,
    AC_CLUSTER_CANVASS_POSITION_LEADERSHIP_TERM_ID_OFFSET = 16,
    AC_CLUSTER_CANVASS_POSITION_FOLLOWER_MEMBER_ID_OFFSET = 24,
    AC_CLUSTER_CANVASS_POSITION_PROTOCOL_VERSION_OFFSET = 28,
};

static inline int64_t ac_cluster_canvass_position_log_leadership_term_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_CANVASS_POSITION_LOG_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_canvass_position_put_log_leadership_term_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CANVASS_POSITION_LOG_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_canvass_position_log_position(const uint8_t *body,
                                                               uint16_t acting_block_length,
                                                               uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_CANVASS_POSITION_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_canvass_position_put_log_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CANVASS_POSITION_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_canvass_position_leadership_term_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_CLUSTER_CANVASS_POSITION_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_canvass_position_put_leadership_term_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CANVASS_POSITION_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int32_t ac_cluster_canvass_position_follower_member_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(body + AC_CLUSTER_CANVASS_POSITION_FOLLOWER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_canvass_position_put_follower_member_id(uint8_t *body,
                                                                      int32_t value) {
    ac_put_int32(body + AC_CLUSTER_CANVASS_POSITION_FOLLOWER_MEMBER_ID_OFFSET, value);
}

static inline int32_t ac_cluster_canvass_position_protocol_version(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {

    return acting_version >= 9 && acting_block_length >= 32
               ? ac_get_int32(body + AC_CLUSTER_CANVASS_POSITION_PROTOCOL_VERSION_OFFSET)
               : 0;
}

static inline void ac_cluster_canvass_position_put_protocol_version(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_CANVASS_POSITION_PROTOCOL_VERSION_OFFSET, value);
}

static inline uint8_t *ac_cluster_canvass_position_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_CANVASS_POSITION_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_CANVASS_POSITION_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* RequestVote */
enum {
    AC_CLUSTER_REQUEST_VOTE_TEMPLATE_ID = 51,
    AC_CLUSTER_REQUEST_VOTE_BLOCK_LENGTH = 32,
    AC_CLUSTER_REQUEST_VOTE_LOG_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_REQUEST_VOTE_LOG_POSITION_OFFSET = 8,
    AC_CLUSTER_REQUEST_VOTE_CANDIDATE_TERM_ID_OFFSET = 16,
    AC_CLUSTER_REQUEST_VOTE_CANDIDATE_MEMBER_ID_OFFSET = 24,
    AC_CLUSTER_REQUEST_VOTE_PROTOCOL_VERSION_OFFSET = 28,
};

static inline int64_t ac_cluster_request_vote_log_leadership_term_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_REQUEST_VOTE_LOG_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_request_vote_put_log_leadership_term_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_CLUSTER_REQUEST_VOTE_LOG_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_request_vote_log_position(const uint8_t *body,
                                                           uint16_t acting_block_length,
                                                           uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_REQUEST_VOTE_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_request_vote_put_log_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_REQUEST_VOTE_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_request_vote_candidate_term_id(const uint8_t *body,
                                                                uint16_t acting_block_length,
                                                                uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_CLUSTER_REQUEST_VOTE_CANDIDATE_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_request_vote_put_candidate_term_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_REQUEST_VOTE_CANDIDATE_TERM_ID_OFFSET, value);
}

static inline int32_t ac_cluster_request_vote_candidate_member_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(body + AC_CLUSTER_REQUEST_VOTE_CANDIDATE_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_request_vote_put_candidate_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_REQUEST_VOTE_CANDIDATE_MEMBER_ID_OFFSET, value);
}

static inline int32_t ac_cluster_request_vote_protocol_version(const uint8_t *body,
                                                               uint16_t acting_block_length,
                                                               uint16_t acting_version) {

    return acting_version >= 9 && acting_block_length >= 32
               ? ac_get_int32(body + AC_CLUSTER_REQUEST_VOTE_PROTOCOL_VERSION_OFFSET)
               : 0;
}

static inline void ac_cluster_request_vote_put_protocol_version(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_REQUEST_VOTE_PROTOCOL_VERSION_OFFSET, value);
}

static inline uint8_t *ac_cluster_request_vote_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_REQUEST_VOTE_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_REQUEST_VOTE_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* Vote */
enum {
    AC_CLUSTER_VOTE_TEMPLATE_ID = 52,
    AC_CLUSTER_VOTE_BLOCK_LENGTH = 36,
    AC_CLUSTER_VOTE_CANDIDATE_TERM_ID_OFFSET = 0,
    AC_CLUSTER_VOTE_LOG_LEADERSHIP_TERM_ID_OFFSET = 8,
    AC_CLUSTER_VOTE_LOG_POSITION_OFFSET = 16,
    AC_CLUSTER_VOTE_CANDIDATE_MEMBER_ID_OFFSET = 24,
    AC_CLUSTER_VOTE_FOLLOWER_MEMBER_ID_OFFSET = 28,
    AC_CLUSTER_VOTE_VOTE_OFFSET = 32,
};

static inline int64_t ac_cluster_vote_candidate_term_id(const uint8_t *body,
                                                        uint16_t acting_block_length,
                                                        uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8 ? ac_get_int64(body + AC_CLUSTER_VOTE_CANDIDATE_TERM_ID_OFFSET)
                                    : INT64_MIN;
}

static inline void ac_cluster_vote_put_candidate_term_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_VOTE_CANDIDATE_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_vote_log_leadership_term_id(const uint8_t *body,
                                                             uint16_t acting_block_length,
                                                             uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_VOTE_LOG_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_vote_put_log_leadership_term_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_VOTE_LOG_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_vote_log_position(const uint8_t *body,
                                                   uint16_t acting_block_length,
                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24 ? ac_get_int64(body + AC_CLUSTER_VOTE_LOG_POSITION_OFFSET)
                                     : INT64_MIN;
}

static inline void ac_cluster_vote_put_log_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_VOTE_LOG_POSITION_OFFSET, value);
}

static inline int32_t ac_cluster_vote_candidate_member_id(const uint8_t *body,
                                                          uint16_t acting_block_length,
                                                          uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(body + AC_CLUSTER_VOTE_CANDIDATE_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_vote_put_candidate_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_VOTE_CANDIDATE_MEMBER_ID_OFFSET, value);
}

static inline int32_t ac_cluster_vote_follower_member_id(const uint8_t *body,
                                                         uint16_t acting_block_length,
                                                         uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int32(body + AC_CLUSTER_VOTE_FOLLOWER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_vote_put_follower_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_VOTE_FOLLOWER_MEMBER_ID_OFFSET, value);
}

static inline int32_t ac_cluster_vote_vote(const uint8_t *body, uint16_t acting_block_length,
                                           uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 36 ? ac_get_int32(body + AC_CLUSTER_VOTE_VOTE_OFFSET) : INT32_MIN;
}

static inline void ac_cluster_vote_put_vote(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_VOTE_VOTE_OFFSET, value);
}

static inline uint8_t *ac_cluster_vote_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_VOTE_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_VOTE_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* NewLeadershipTerm */
enum {
    AC_CLUSTER_NEW_LEADERSHIP_TERM_TEMPLATE_ID = 53,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_BLOCK_LENGTH = 96,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_LOG_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_NEXT_LEADERSHIP_TERM_ID_OFFSET = 8,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_NEXT_TERM_BASE_LOG_POSITION_OFFSET = 16,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_NEXT_LOG_POSITION_OFFSET = 24,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_LEADERSHIP_TERM_ID_OFFSET = 32,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_TERM_BASE_LOG_POSITION_OFFSET = 40,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_LOG_POSITION_OFFSET = 48,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_LEADER_RECORDING_ID_OFFSET = 56,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_TIMESTAMP_OFFSET = 64,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_LEADER_MEMBER_ID_OFFSET = 72,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_LOG_SESSION_ID_OFFSET = 76,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_APP_VERSION_OFFSET = 80,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_IS_STARTUP_OFFSET = 84,
    AC_CLUSTER_NEW_LEADERSHIP_TERM_COMMIT_POSITION_OFFSET = 88,
};

static inline int64_t ac_cluster_new_leadership_term_log_leadership_term_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_LOG_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_new_leadership_term_put_log_leadership_term_id(uint8_t *body,
                                                                             int64_t value) {
    ac_put_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_LOG_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_new_leadership_term_next_leadership_term_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_NEXT_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_new_leadership_term_put_next_leadership_term_id(uint8_t *body,
                                                                              int64_t value) {
    ac_put_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_NEXT_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_new_leadership_term_next_term_base_log_position(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body +
                              AC_CLUSTER_NEW_LEADERSHIP_TERM_NEXT_TERM_BASE_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_new_leadership_term_put_next_term_base_log_position(uint8_t *body,
                                                                                  int64_t value) {
    ac_put_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_NEXT_TERM_BASE_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_new_leadership_term_next_log_position(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_NEXT_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_new_leadership_term_put_next_log_position(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_NEXT_LOG_POSITION_OFFSET, value);
}

static inline int64_t
ac_cluster_new_leadership_term_leadership_term_id(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 40
               ? ac_get_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_new_leadership_term_put_leadership_term_id(uint8_t *body,
                                                                         int64_t value) {
    ac_put_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_new_leadership_term_term_base_log_position(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 48
               ? ac_get_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_TERM_BASE_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_new_leadership_term_put_term_base_log_position(uint8_t *body,
                                                                             int64_t value) {
    ac_put_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_TERM_BASE_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_new_leadership_term_log_position(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 56
               ? ac_get_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_new_leadership_term_put_log_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_new_leadership_term_leader_recording_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 64
               ? ac_get_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_LEADER_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_new_leadership_term_put_leader_recording_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_LEADER_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_cluster_new_leadership_term_timestamp(const uint8_t *body,
                                                               uint16_t acting_block_length,
                                                               uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 72
               ? ac_get_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_new_leadership_term_put_timestamp(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_TIMESTAMP_OFFSET, value);
}

static inline int32_t ac_cluster_new_leadership_term_leader_member_id(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 76
               ? ac_get_int32(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_LEADER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_new_leadership_term_put_leader_member_id(uint8_t *body,
                                                                       int32_t value) {
    ac_put_int32(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_LEADER_MEMBER_ID_OFFSET, value);
}

static inline int32_t ac_cluster_new_leadership_term_log_session_id(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 80
               ? ac_get_int32(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_LOG_SESSION_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_new_leadership_term_put_log_session_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_LOG_SESSION_ID_OFFSET, value);
}

static inline int32_t ac_cluster_new_leadership_term_app_version(const uint8_t *body,
                                                                 uint16_t acting_block_length,
                                                                 uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 84
               ? ac_get_int32(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_APP_VERSION_OFFSET)
               : 0;
}

static inline void ac_cluster_new_leadership_term_put_app_version(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_APP_VERSION_OFFSET, value);
}

static inline int32_t ac_cluster_new_leadership_term_is_startup(const uint8_t *body,
                                                                uint16_t acting_block_length,
                                                                uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 88
               ? ac_get_int32(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_IS_STARTUP_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_new_leadership_term_put_is_startup(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_IS_STARTUP_OFFSET, value);
}

static inline int64_t ac_cluster_new_leadership_term_commit_position(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {

    return acting_version >= 15 && acting_block_length >= 96
               ? ac_get_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_COMMIT_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_new_leadership_term_put_commit_position(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_CLUSTER_NEW_LEADERSHIP_TERM_COMMIT_POSITION_OFFSET, value);
}

static inline uint8_t *ac_cluster_new_leadership_term_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_NEW_LEADERSHIP_TERM_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_NEW_LEADERSHIP_TERM_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
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
    AC_CLUSTER_CATCHUP_POSITION_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_CATCHUP_POSITION_LOG_POSITION_OFFSET = 8,
    AC_CLUSTER_CATCHUP_POSITION_FOLLOWER_MEMBER_ID_OFFSET = 16,
};

static inline int64_t ac_cluster_catchup_position_leadership_term_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_CATCHUP_POSITION_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_catchup_position_put_leadership_term_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CATCHUP_POSITION_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_catchup_position_log_position(const uint8_t *body,
                                                               uint16_t acting_block_length,
                                                               uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_CATCHUP_POSITION_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_catchup_position_put_log_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CATCHUP_POSITION_LOG_POSITION_OFFSET, value);
}

static inline int32_t ac_cluster_catchup_position_follower_member_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20
               ? ac_get_int32(body + AC_CLUSTER_CATCHUP_POSITION_FOLLOWER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_catchup_position_put_follower_member_id(uint8_t *body,
                                                                      int32_t value) {
    ac_put_int32(body + AC_CLUSTER_CATCHUP_POSITION_FOLLOWER_MEMBER_ID_OFFSET, value);
}

static inline int64_t ac_cluster_catchup_position_read_catchup_endpoint(ac_sbe_reader *reader,
                                                                        uint16_t acting_version,
                                                                        const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_catchup_position_write_catchup_endpoint(ac_sbe_writer *writer,
                                                                      const void *data,
                                                                      uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_catchup_position_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_CATCHUP_POSITION_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_CATCHUP_POSITION_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* StopCatchup */
enum {
    AC_CLUSTER_STOP_CATCHUP_TEMPLATE_ID = 57,
    AC_CLUSTER_STOP_CATCHUP_BLOCK_LENGTH = 12,
    AC_CLUSTER_STOP_CATCHUP_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_STOP_CATCHUP_FOLLOWER_MEMBER_ID_OFFSET = 8,
};

static inline int64_t ac_cluster_stop_catchup_leadership_term_id(const uint8_t *body,
                                                                 uint16_t acting_block_length,
                                                                 uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_STOP_CATCHUP_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_stop_catchup_put_leadership_term_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_STOP_CATCHUP_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int32_t ac_cluster_stop_catchup_follower_member_id(const uint8_t *body,
                                                                 uint16_t acting_block_length,
                                                                 uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 12
               ? ac_get_int32(body + AC_CLUSTER_STOP_CATCHUP_FOLLOWER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_stop_catchup_put_follower_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_STOP_CATCHUP_FOLLOWER_MEMBER_ID_OFFSET, value);
}

static inline uint8_t *ac_cluster_stop_catchup_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_STOP_CATCHUP_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_STOP_CATCHUP_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* AddPassiveMember, deprecated since version 12 */
enum {
    AC_CLUSTER_ADD_PASSIVE_MEMBER_TEMPLATE_ID = 70,
    AC_CLUSTER_ADD_PASSIVE_MEMBER_BLOCK_LENGTH = 8,
    AC_CLUSTER_ADD_PASSIVE_MEMBER_CORRELATION_ID_OFFSET = 0,
};

static inline int64_t ac_cluster_add_passive_member_correlation_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_ADD_PASSIVE_MEMBER_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_add_passive_member_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_ADD_PASSIVE_MEMBER_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_add_passive_member_read_member_endpoints(ac_sbe_reader *reader,
                                                                          uint16_t acting_version,
                                                                          const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_add_passive_member_write_member_endpoints(ac_sbe_writer *writer,
                                                                        const void *data,
                                                                        uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_add_passive_member_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_ADD_PASSIVE_MEMBER_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_ADD_PASSIVE_MEMBER_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* ClusterMembersChange, deprecated since version 12 */
enum {
    AC_CLUSTER_CLUSTER_MEMBERS_CHANGE_TEMPLATE_ID = 71,
    AC_CLUSTER_CLUSTER_MEMBERS_CHANGE_BLOCK_LENGTH = 12,
    AC_CLUSTER_CLUSTER_MEMBERS_CHANGE_CORRELATION_ID_OFFSET = 0,
    AC_CLUSTER_CLUSTER_MEMBERS_CHANGE_LEADER_MEMBER_ID_OFFSET = 8,
};

static inline int64_t ac_cluster_cluster_members_change_correlation_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_CLUSTER_MEMBERS_CHANGE_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_cluster_members_change_put_correlation_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CLUSTER_MEMBERS_CHANGE_CORRELATION_ID_OFFSET, value);
}

static inline int32_t ac_cluster_cluster_members_change_leader_member_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 12
               ? ac_get_int32(body + AC_CLUSTER_CLUSTER_MEMBERS_CHANGE_LEADER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_cluster_members_change_put_leader_member_id(uint8_t *body,
                                                                          int32_t value) {
    ac_put_int32(body + AC_CLUSTER_CLUSTER_MEMBERS_CHANGE_LEADER_MEMBER_ID_OFFSET, value);
}

static inline int64_t ac_cluster_cluster_members_change_read_active_members(ac_sbe_reader *reader,
                                                                            uint16_t acting_version,
                                                                            const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_cluster_members_change_write_active_members(ac_sbe_writer *writer,
                                                                          const void *data,
                                                                          uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_cluster_cluster_members_change_read_passive_members(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_cluster_members_change_write_passive_members(ac_sbe_writer *writer,
                                                                           const void *data,
                                                                           uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_cluster_members_change_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_CLUSTER_MEMBERS_CHANGE_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_CLUSTER_MEMBERS_CHANGE_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* SnapshotRecordingQuery, deprecated since version 12 */
enum {
    AC_CLUSTER_SNAPSHOT_RECORDING_QUERY_TEMPLATE_ID = 72,
    AC_CLUSTER_SNAPSHOT_RECORDING_QUERY_BLOCK_LENGTH = 12,
    AC_CLUSTER_SNAPSHOT_RECORDING_QUERY_CORRELATION_ID_OFFSET = 0,
    AC_CLUSTER_SNAPSHOT_RECORDING_QUERY_REQUEST_MEMBER_ID_OFFSET = 8,
};

static inline int64_t ac_cluster_snapshot_recording_query_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_SNAPSHOT_RECORDING_QUERY_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_snapshot_recording_query_put_correlation_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SNAPSHOT_RECORDING_QUERY_CORRELATION_ID_OFFSET, value);
}

static inline int32_t ac_cluster_snapshot_recording_query_request_member_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 12
               ? ac_get_int32(body + AC_CLUSTER_SNAPSHOT_RECORDING_QUERY_REQUEST_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_snapshot_recording_query_put_request_member_id(uint8_t *body,
                                                                             int32_t value) {
    ac_put_int32(body + AC_CLUSTER_SNAPSHOT_RECORDING_QUERY_REQUEST_MEMBER_ID_OFFSET, value);
}

static inline uint8_t *ac_cluster_snapshot_recording_query_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer,
                        (ac_message_header){
                            .block_length = AC_CLUSTER_SNAPSHOT_RECORDING_QUERY_BLOCK_LENGTH,
                            .template_id = AC_CLUSTER_SNAPSHOT_RECORDING_QUERY_TEMPLATE_ID,
                            .schema_id = AC_CLUSTER_SCHEMA_ID,
                            .version = AC_CLUSTER_SCHEMA_VERSION,
                        });
}

/* SnapshotRecordings, deprecated since version 12 */
enum {
    AC_CLUSTER_SNAPSHOT_RECORDINGS_TEMPLATE_ID = 73,
    AC_CLUSTER_SNAPSHOT_RECORDINGS_BLOCK_LENGTH = 8,
    AC_CLUSTER_SNAPSHOT_RECORDINGS_CORRELATION_ID_OFFSET = 0,
};

static inline int64_t ac_cluster_snapshot_recordings_correlation_id(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_SNAPSHOT_RECORDINGS_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_snapshot_recordings_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SNAPSHOT_RECORDINGS_CORRELATION_ID_OFFSET, value);
}

/* snapshots */
enum {
    AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_BLOCK_LENGTH = 44,
    AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_RECORDING_ID_OFFSET = 0,
    AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_LEADERSHIP_TERM_ID_OFFSET = 8,
    AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_TERM_BASE_LOG_POSITION_OFFSET = 16,
    AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_LOG_POSITION_OFFSET = 24,
    AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_TIMESTAMP_OFFSET = 32,
    AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_SERVICE_ID_OFFSET = 40,
};

static inline int64_t ac_cluster_snapshot_recordings_snapshots_recording_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_snapshot_recordings_snapshots_put_recording_id(uint8_t *body,
                                                                             int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_cluster_snapshot_recordings_snapshots_leadership_term_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body +
                              AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_snapshot_recordings_snapshots_put_leadership_term_id(uint8_t *body,
                                                                                   int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_snapshot_recordings_snapshots_term_base_log_position(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(
                     body + AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_TERM_BASE_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void
ac_cluster_snapshot_recordings_snapshots_put_term_base_log_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_TERM_BASE_LOG_POSITION_OFFSET,
                 value);
}

static inline int64_t ac_cluster_snapshot_recordings_snapshots_log_position(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_snapshot_recordings_snapshots_put_log_position(uint8_t *body,
                                                                             int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_snapshot_recordings_snapshots_timestamp(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 40
               ? ac_get_int64(body + AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_snapshot_recordings_snapshots_put_timestamp(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_TIMESTAMP_OFFSET, value);
}

static inline int32_t ac_cluster_snapshot_recordings_snapshots_service_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 44
               ? ac_get_int32(body + AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_SERVICE_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_snapshot_recordings_snapshots_put_service_id(uint8_t *body,
                                                                           int32_t value) {
    ac_put_int32(body + AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_SERVICE_ID_OFFSET, value);
}

static inline bool ac_cluster_snapshot_recordings_read_snapshots(ac_sbe_reader *reader,
                                                                 ac_sbe_group *group) {
    return ac_sbe_read_group(reader, group);
}

static inline bool ac_cluster_snapshot_recordings_write_snapshots(ac_sbe_writer *writer,
                                                                  uint16_t count) {
    return ac_sbe_write_group(writer, AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_BLOCK_LENGTH, count);
}

static inline uint8_t *ac_cluster_snapshot_recordings_snapshots_next(ac_sbe_writer *writer) {
    return ac_sbe_reserve(writer, AC_CLUSTER_SNAPSHOT_RECORDINGS_SNAPSHOTS_BLOCK_LENGTH);
}

static inline int64_t ac_cluster_snapshot_recordings_read_member_endpoints(ac_sbe_reader *reader,
                                                                           uint16_t acting_version,
                                                                           const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_snapshot_recordings_write_member_endpoints(ac_sbe_writer *writer,
                                                                         const void *data,
                                                                         uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_snapshot_recordings_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_SNAPSHOT_RECORDINGS_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_SNAPSHOT_RECORDINGS_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* JoinCluster, deprecated since version 12 */
enum {
    AC_CLUSTER_JOIN_CLUSTER_TEMPLATE_ID = 74,
    AC_CLUSTER_JOIN_CLUSTER_BLOCK_LENGTH = 12,
    AC_CLUSTER_JOIN_CLUSTER_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_JOIN_CLUSTER_MEMBER_ID_OFFSET = 8,
};

static inline int64_t ac_cluster_join_cluster_leadership_term_id(const uint8_t *body,
                                                                 uint16_t acting_block_length,
                                                                 uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_JOIN_CLUSTER_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_join_cluster_put_leadership_term_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_JOIN_CLUSTER_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int32_t ac_cluster_join_cluster_member_id(const uint8_t *body,
                                                        uint16_t acting_block_length,
                                                        uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 12 ? ac_get_int32(body + AC_CLUSTER_JOIN_CLUSTER_MEMBER_ID_OFFSET)
                                     : INT32_MIN;
}

static inline void ac_cluster_join_cluster_put_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_JOIN_CLUSTER_MEMBER_ID_OFFSET, value);
}

static inline uint8_t *ac_cluster_join_cluster_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_JOIN_CLUSTER_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_JOIN_CLUSTER_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* TerminationPosition */
enum {
    AC_CLUSTER_TERMINATION_POSITION_TEMPLATE_ID = 75,
    AC_CLUSTER_TERMINATION_POSITION_BLOCK_LENGTH = 16,
    AC_CLUSTER_TERMINATION_POSITION_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_TERMINATION_POSITION_LOG_POSITION_OFFSET = 8,
};

static inline int64_t ac_cluster_termination_position_leadership_term_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_TERMINATION_POSITION_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_termination_position_put_leadership_term_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_CLUSTER_TERMINATION_POSITION_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_termination_position_log_position(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_TERMINATION_POSITION_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_termination_position_put_log_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_TERMINATION_POSITION_LOG_POSITION_OFFSET, value);
}

static inline uint8_t *ac_cluster_termination_position_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_TERMINATION_POSITION_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_TERMINATION_POSITION_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* TerminationAck */
enum {
    AC_CLUSTER_TERMINATION_ACK_TEMPLATE_ID = 76,
    AC_CLUSTER_TERMINATION_ACK_BLOCK_LENGTH = 20,
    AC_CLUSTER_TERMINATION_ACK_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_CLUSTER_TERMINATION_ACK_LOG_POSITION_OFFSET = 8,
    AC_CLUSTER_TERMINATION_ACK_MEMBER_ID_OFFSET = 16,
};

static inline int64_t ac_cluster_termination_ack_leadership_term_id(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_TERMINATION_ACK_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_termination_ack_put_leadership_term_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_TERMINATION_ACK_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_termination_ack_log_position(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_TERMINATION_ACK_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_termination_ack_put_log_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_TERMINATION_ACK_LOG_POSITION_OFFSET, value);
}

static inline int32_t ac_cluster_termination_ack_member_id(const uint8_t *body,
                                                           uint16_t acting_block_length,
                                                           uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20
               ? ac_get_int32(body + AC_CLUSTER_TERMINATION_ACK_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_termination_ack_put_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_TERMINATION_ACK_MEMBER_ID_OFFSET, value);
}

static inline uint8_t *ac_cluster_termination_ack_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_TERMINATION_ACK_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_TERMINATION_ACK_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* BackupQuery */
enum {
    AC_CLUSTER_BACKUP_QUERY_TEMPLATE_ID = 77,
    AC_CLUSTER_BACKUP_QUERY_BLOCK_LENGTH = 24,
    AC_CLUSTER_BACKUP_QUERY_CORRELATION_ID_OFFSET = 0,
    AC_CLUSTER_BACKUP_QUERY_RESPONSE_STREAM_ID_OFFSET = 8,
    AC_CLUSTER_BACKUP_QUERY_VERSION_OFFSET = 12,
    AC_CLUSTER_BACKUP_QUERY_LOG_POSITION_OFFSET = 16,
};

static inline int64_t ac_cluster_backup_query_correlation_id(const uint8_t *body,
                                                             uint16_t acting_block_length,
                                                             uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_BACKUP_QUERY_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_backup_query_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_BACKUP_QUERY_CORRELATION_ID_OFFSET, value);
}

static inline int32_t ac_cluster_backup_query_response_stream_id(const uint8_t *body,
                                                                 uint16_t acting_block_length,
                                                                 uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 12
               ? ac_get_int32(body + AC_CLUSTER_BACKUP_QUERY_RESPONSE_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_backup_query_put_response_stream_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_BACKUP_QUERY_RESPONSE_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_cluster_backup_query_version(const uint8_t *body,
                                                      uint16_t acting_block_length,
                                                      uint16_t acting_version) {

    return acting_version >= 2 && acting_block_length >= 16
               ? ac_get_int32(body + AC_CLUSTER_BACKUP_QUERY_VERSION_OFFSET)
               : 0;
}

static inline void ac_cluster_backup_query_put_version(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_BACKUP_QUERY_VERSION_OFFSET, value);
}

static inline int64_t ac_cluster_backup_query_log_position(const uint8_t *body,
                                                           uint16_t acting_block_length,
                                                           uint16_t acting_version) {

    return acting_version >= 16 && acting_block_length >= 24
               ? ac_get_int64(body + AC_CLUSTER_BACKUP_QUERY_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_backup_query_put_log_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_BACKUP_QUERY_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_backup_query_read_response_channel(ac_sbe_reader *reader,
                                                                    uint16_t acting_version,
                                                                    const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_backup_query_write_response_channel(ac_sbe_writer *writer,
                                                                  const void *data,
                                                                  uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_cluster_backup_query_read_encoded_credentials(ac_sbe_reader *reader,
                                                                       uint16_t acting_version,
                                                                       const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_backup_query_write_encoded_credentials(ac_sbe_writer *writer,
                                                                     const void *data,
                                                                     uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_backup_query_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_BACKUP_QUERY_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_BACKUP_QUERY_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* BackupResponse */
enum {
    AC_CLUSTER_BACKUP_RESPONSE_TEMPLATE_ID = 78,
    AC_CLUSTER_BACKUP_RESPONSE_BLOCK_LENGTH = 60,
    AC_CLUSTER_BACKUP_RESPONSE_CORRELATION_ID_OFFSET = 0,
    AC_CLUSTER_BACKUP_RESPONSE_LOG_RECORDING_ID_OFFSET = 8,
    AC_CLUSTER_BACKUP_RESPONSE_LOG_LEADERSHIP_TERM_ID_OFFSET = 16,
    AC_CLUSTER_BACKUP_RESPONSE_LOG_TERM_BASE_LOG_POSITION_OFFSET = 24,
    AC_CLUSTER_BACKUP_RESPONSE_LAST_LEADERSHIP_TERM_ID_OFFSET = 32,
    AC_CLUSTER_BACKUP_RESPONSE_LAST_TERM_BASE_LOG_POSITION_OFFSET = 40,
    AC_CLUSTER_BACKUP_RESPONSE_COMMIT_POSITION_COUNTER_ID_OFFSET = 48,
    AC_CLUSTER_BACKUP_RESPONSE_LEADER_MEMBER_ID_OFFSET = 52,
    AC_CLUSTER_BACKUP_RESPONSE_MEMBER_ID_OFFSET = 56,
};

static inline int64_t ac_cluster_backup_response_correlation_id(const uint8_t *body,
                                                                uint16_t acting_block_length,
                                                                uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_BACKUP_RESPONSE_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_backup_response_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_BACKUP_RESPONSE_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_backup_response_log_recording_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_BACKUP_RESPONSE_LOG_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_backup_response_put_log_recording_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_BACKUP_RESPONSE_LOG_RECORDING_ID_OFFSET, value);
}

static inline int64_t
ac_cluster_backup_response_log_leadership_term_id(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_CLUSTER_BACKUP_RESPONSE_LOG_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_backup_response_put_log_leadership_term_id(uint8_t *body,
                                                                         int64_t value) {
    ac_put_int64(body + AC_CLUSTER_BACKUP_RESPONSE_LOG_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_backup_response_log_term_base_log_position(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_CLUSTER_BACKUP_RESPONSE_LOG_TERM_BASE_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_backup_response_put_log_term_base_log_position(uint8_t *body,
                                                                             int64_t value) {
    ac_put_int64(body + AC_CLUSTER_BACKUP_RESPONSE_LOG_TERM_BASE_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_backup_response_last_leadership_term_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 40
               ? ac_get_int64(body + AC_CLUSTER_BACKUP_RESPONSE_LAST_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_backup_response_put_last_leadership_term_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_CLUSTER_BACKUP_RESPONSE_LAST_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_backup_response_last_term_base_log_position(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 48
               ? ac_get_int64(body + AC_CLUSTER_BACKUP_RESPONSE_LAST_TERM_BASE_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_backup_response_put_last_term_base_log_position(uint8_t *body,
                                                                              int64_t value) {
    ac_put_int64(body + AC_CLUSTER_BACKUP_RESPONSE_LAST_TERM_BASE_LOG_POSITION_OFFSET, value);
}

static inline int32_t ac_cluster_backup_response_commit_position_counter_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 52
               ? ac_get_int32(body + AC_CLUSTER_BACKUP_RESPONSE_COMMIT_POSITION_COUNTER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_backup_response_put_commit_position_counter_id(uint8_t *body,
                                                                             int32_t value) {
    ac_put_int32(body + AC_CLUSTER_BACKUP_RESPONSE_COMMIT_POSITION_COUNTER_ID_OFFSET, value);
}

static inline int32_t ac_cluster_backup_response_leader_member_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 56
               ? ac_get_int32(body + AC_CLUSTER_BACKUP_RESPONSE_LEADER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_backup_response_put_leader_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_BACKUP_RESPONSE_LEADER_MEMBER_ID_OFFSET, value);
}

static inline int32_t ac_cluster_backup_response_member_id(const uint8_t *body,
                                                           uint16_t acting_block_length,
                                                           uint16_t acting_version) {

    return acting_version >= 10 && acting_block_length >= 60
               ? ac_get_int32(body + AC_CLUSTER_BACKUP_RESPONSE_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_backup_response_put_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_BACKUP_RESPONSE_MEMBER_ID_OFFSET, value);
}

/* snapshots */
enum {
    AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_BLOCK_LENGTH = 44,
    AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_RECORDING_ID_OFFSET = 0,
    AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_LEADERSHIP_TERM_ID_OFFSET = 8,
    AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_TERM_BASE_LOG_POSITION_OFFSET = 16,
    AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_LOG_POSITION_OFFSET = 24,
    AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_TIMESTAMP_OFFSET = 32,
    AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_SERVICE_ID_OFFSET = 40,
};

static inline int64_t
ac_cluster_backup_response_snapshots_recording_id(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_backup_response_snapshots_put_recording_id(uint8_t *body,
                                                                         int64_t value) {
    ac_put_int64(body + AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_cluster_backup_response_snapshots_leadership_term_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_backup_response_snapshots_put_leadership_term_id(uint8_t *body,
                                                                               int64_t value) {
    ac_put_int64(body + AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_backup_response_snapshots_term_base_log_position(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body +
                              AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_TERM_BASE_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_backup_response_snapshots_put_term_base_log_position(uint8_t *body,
                                                                                   int64_t value) {
    ac_put_int64(body + AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_TERM_BASE_LOG_POSITION_OFFSET, value);
}

static inline int64_t
ac_cluster_backup_response_snapshots_log_position(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_backup_response_snapshots_put_log_position(uint8_t *body,
                                                                         int64_t value) {
    ac_put_int64(body + AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_backup_response_snapshots_timestamp(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 40
               ? ac_get_int64(body + AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_backup_response_snapshots_put_timestamp(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_TIMESTAMP_OFFSET, value);
}

static inline int32_t ac_cluster_backup_response_snapshots_service_id(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 44
               ? ac_get_int32(body + AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_SERVICE_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_backup_response_snapshots_put_service_id(uint8_t *body,
                                                                       int32_t value) {
    ac_put_int32(body + AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_SERVICE_ID_OFFSET, value);
}

static inline bool ac_cluster_backup_response_read_snapshots(ac_sbe_reader *reader,
                                                             ac_sbe_group *group) {
    return ac_sbe_read_group(reader, group);
}

static inline bool ac_cluster_backup_response_write_snapshots(ac_sbe_writer *writer,
                                                              uint16_t count) {
    return ac_sbe_write_group(writer, AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_BLOCK_LENGTH, count);
}

static inline uint8_t *ac_cluster_backup_response_snapshots_next(ac_sbe_writer *writer) {
    return ac_sbe_reserve(writer, AC_CLUSTER_BACKUP_RESPONSE_SNAPSHOTS_BLOCK_LENGTH);
}

static inline int64_t ac_cluster_backup_response_read_cluster_members(ac_sbe_reader *reader,
                                                                      uint16_t acting_version,
                                                                      const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_backup_response_write_cluster_members(ac_sbe_writer *writer,
                                                                    const void *data,
                                                                    uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_backup_response_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_BACKUP_RESPONSE_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_BACKUP_RESPONSE_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* HeartbeatRequest */
enum {
    AC_CLUSTER_HEARTBEAT_REQUEST_TEMPLATE_ID = 79,
    AC_CLUSTER_HEARTBEAT_REQUEST_BLOCK_LENGTH = 12,
    AC_CLUSTER_HEARTBEAT_REQUEST_CORRELATION_ID_OFFSET = 0,
    AC_CLUSTER_HEARTBEAT_REQUEST_RESPONSE_STREAM_ID_OFFSET = 8,
};

static inline int64_t ac_cluster_heartbeat_request_correlation_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_HEARTBEAT_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_heartbeat_request_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_HEARTBEAT_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int32_t ac_cluster_heartbeat_request_response_stream_id(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 12
               ? ac_get_int32(body + AC_CLUSTER_HEARTBEAT_REQUEST_RESPONSE_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_heartbeat_request_put_response_stream_id(uint8_t *body,
                                                                       int32_t value) {
    ac_put_int32(body + AC_CLUSTER_HEARTBEAT_REQUEST_RESPONSE_STREAM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_heartbeat_request_read_response_channel(ac_sbe_reader *reader,
                                                                         uint16_t acting_version,
                                                                         const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_heartbeat_request_write_response_channel(ac_sbe_writer *writer,
                                                                       const void *data,
                                                                       uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_cluster_heartbeat_request_read_encoded_credentials(ac_sbe_reader *reader,
                                                                            uint16_t acting_version,
                                                                            const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_heartbeat_request_write_encoded_credentials(ac_sbe_writer *writer,
                                                                          const void *data,
                                                                          uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_heartbeat_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_HEARTBEAT_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_HEARTBEAT_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* HeartbeatResponse */
enum {
    AC_CLUSTER_HEARTBEAT_RESPONSE_TEMPLATE_ID = 80,
    AC_CLUSTER_HEARTBEAT_RESPONSE_BLOCK_LENGTH = 8,
    AC_CLUSTER_HEARTBEAT_RESPONSE_CORRELATION_ID_OFFSET = 0,
};

static inline int64_t ac_cluster_heartbeat_response_correlation_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_HEARTBEAT_RESPONSE_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_heartbeat_response_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_HEARTBEAT_RESPONSE_CORRELATION_ID_OFFSET, value);
}

static inline uint8_t *ac_cluster_heartbeat_response_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_HEARTBEAT_RESPONSE_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_HEARTBEAT_RESPONSE_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* StandbySnapshot, since version 11 */
enum {
    AC_CLUSTER_STANDBY_SNAPSHOT_TEMPLATE_ID = 81,
    AC_CLUSTER_STANDBY_SNAPSHOT_BLOCK_LENGTH = 16,
    AC_CLUSTER_STANDBY_SNAPSHOT_CORRELATION_ID_OFFSET = 0,
    AC_CLUSTER_STANDBY_SNAPSHOT_VERSION_OFFSET = 8,
    AC_CLUSTER_STANDBY_SNAPSHOT_RESPONSE_STREAM_ID_OFFSET = 12,
};

static inline int64_t ac_cluster_standby_snapshot_correlation_id(const uint8_t *body,
                                                                 uint16_t acting_block_length,
                                                                 uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_STANDBY_SNAPSHOT_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_standby_snapshot_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_STANDBY_SNAPSHOT_CORRELATION_ID_OFFSET, value);
}

static inline int32_t ac_cluster_standby_snapshot_version(const uint8_t *body,
                                                          uint16_t acting_block_length,
                                                          uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 12
               ? ac_get_int32(body + AC_CLUSTER_STANDBY_SNAPSHOT_VERSION_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_standby_snapshot_put_version(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_STANDBY_SNAPSHOT_VERSION_OFFSET, value);
}

static inline int32_t ac_cluster_standby_snapshot_response_stream_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int32(body + AC_CLUSTER_STANDBY_SNAPSHOT_RESPONSE_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_standby_snapshot_put_response_stream_id(uint8_t *body,
                                                                      int32_t value) {
    ac_put_int32(body + AC_CLUSTER_STANDBY_SNAPSHOT_RESPONSE_STREAM_ID_OFFSET, value);
}

/* snapshots */
enum {
    AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_BLOCK_LENGTH = 44,
    AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_RECORDING_ID_OFFSET = 0,
    AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_LEADERSHIP_TERM_ID_OFFSET = 8,
    AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_TERM_BASE_LOG_POSITION_OFFSET = 16,
    AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_LOG_POSITION_OFFSET = 24,
    AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_TIMESTAMP_OFFSET = 32,
    AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_SERVICE_ID_OFFSET = 40,
};

static inline int64_t ac_cluster_standby_snapshot_snapshots_recording_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_standby_snapshot_snapshots_put_recording_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_cluster_standby_snapshot_snapshots_leadership_term_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body +
                              AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_standby_snapshot_snapshots_put_leadership_term_id(uint8_t *body,
                                                                                int64_t value) {
    ac_put_int64(body + AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_standby_snapshot_snapshots_term_base_log_position(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body +
                              AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_TERM_BASE_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_standby_snapshot_snapshots_put_term_base_log_position(uint8_t *body,
                                                                                    int64_t value) {
    ac_put_int64(body + AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_TERM_BASE_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_standby_snapshot_snapshots_log_position(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_standby_snapshot_snapshots_put_log_position(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_standby_snapshot_snapshots_timestamp(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 40
               ? ac_get_int64(body + AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_standby_snapshot_snapshots_put_timestamp(uint8_t *body,
                                                                       int64_t value) {
    ac_put_int64(body + AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_TIMESTAMP_OFFSET, value);
}

static inline int32_t ac_cluster_standby_snapshot_snapshots_service_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 44
               ? ac_get_int32(body + AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_SERVICE_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_standby_snapshot_snapshots_put_service_id(uint8_t *body,
                                                                        int32_t value) {
    ac_put_int32(body + AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_SERVICE_ID_OFFSET, value);
}

static inline int64_t ac_cluster_standby_snapshot_snapshots_read_archive_endpoint(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool
ac_cluster_standby_snapshot_snapshots_write_archive_endpoint(ac_sbe_writer *writer,
                                                             const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline bool ac_cluster_standby_snapshot_read_snapshots(ac_sbe_reader *reader,
                                                              ac_sbe_group *group) {
    return ac_sbe_read_group(reader, group);
}

static inline bool ac_cluster_standby_snapshot_write_snapshots(ac_sbe_writer *writer,
                                                               uint16_t count) {
    return ac_sbe_write_group(writer, AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_BLOCK_LENGTH, count);
}

static inline uint8_t *ac_cluster_standby_snapshot_snapshots_next(ac_sbe_writer *writer) {
    return ac_sbe_reserve(writer, AC_CLUSTER_STANDBY_SNAPSHOT_SNAPSHOTS_BLOCK_LENGTH);
}

static inline int64_t ac_cluster_standby_snapshot_read_response_channel(ac_sbe_reader *reader,
                                                                        uint16_t acting_version,
                                                                        const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_standby_snapshot_write_response_channel(ac_sbe_writer *writer,
                                                                      const void *data,
                                                                      uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_cluster_standby_snapshot_read_encoded_credentials(ac_sbe_reader *reader,
                                                                           uint16_t acting_version,
                                                                           const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_standby_snapshot_write_encoded_credentials(ac_sbe_writer *writer,
                                                                         const void *data,
                                                                         uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_standby_snapshot_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_STANDBY_SNAPSHOT_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_STANDBY_SNAPSHOT_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* SnapshotMarker */
enum {
    AC_CLUSTER_SNAPSHOT_MARKER_TEMPLATE_ID = 100,
    AC_CLUSTER_SNAPSHOT_MARKER_BLOCK_LENGTH = 40,
    AC_CLUSTER_SNAPSHOT_MARKER_TYPE_ID_OFFSET = 0,
    AC_CLUSTER_SNAPSHOT_MARKER_LOG_POSITION_OFFSET = 8,
    AC_CLUSTER_SNAPSHOT_MARKER_LEADERSHIP_TERM_ID_OFFSET = 16,
    AC_CLUSTER_SNAPSHOT_MARKER_INDEX_OFFSET = 24,
    AC_CLUSTER_SNAPSHOT_MARKER_MARK_OFFSET = 28,
    AC_CLUSTER_SNAPSHOT_MARKER_TIME_UNIT_OFFSET = 32,
    AC_CLUSTER_SNAPSHOT_MARKER_APP_VERSION_OFFSET = 36,
};

static inline int64_t ac_cluster_snapshot_marker_type_id(const uint8_t *body,
                                                         uint16_t acting_block_length,
                                                         uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8 ? ac_get_int64(body + AC_CLUSTER_SNAPSHOT_MARKER_TYPE_ID_OFFSET)
                                    : INT64_MIN;
}

static inline void ac_cluster_snapshot_marker_put_type_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SNAPSHOT_MARKER_TYPE_ID_OFFSET, value);
}

static inline int64_t ac_cluster_snapshot_marker_log_position(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_SNAPSHOT_MARKER_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_snapshot_marker_put_log_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SNAPSHOT_MARKER_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_snapshot_marker_leadership_term_id(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_CLUSTER_SNAPSHOT_MARKER_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_snapshot_marker_put_leadership_term_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_SNAPSHOT_MARKER_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int32_t ac_cluster_snapshot_marker_index(const uint8_t *body,
                                                       uint16_t acting_block_length,
                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28 ? ac_get_int32(body + AC_CLUSTER_SNAPSHOT_MARKER_INDEX_OFFSET)
                                     : INT32_MIN;
}

static inline void ac_cluster_snapshot_marker_put_index(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_SNAPSHOT_MARKER_INDEX_OFFSET, value);
}

static inline int32_t ac_cluster_snapshot_marker_mark(const uint8_t *body,
                                                      uint16_t acting_block_length,
                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32 ? ac_get_int32(body + AC_CLUSTER_SNAPSHOT_MARKER_MARK_OFFSET)
                                     : INT32_MIN;
}

static inline void ac_cluster_snapshot_marker_put_mark(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_SNAPSHOT_MARKER_MARK_OFFSET, value);
}

static inline int32_t ac_cluster_snapshot_marker_time_unit(const uint8_t *body,
                                                           uint16_t acting_block_length,
                                                           uint16_t acting_version) {

    return acting_version >= 4 && acting_block_length >= 36
               ? ac_get_int32(body + AC_CLUSTER_SNAPSHOT_MARKER_TIME_UNIT_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_snapshot_marker_put_time_unit(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_SNAPSHOT_MARKER_TIME_UNIT_OFFSET, value);
}

static inline int32_t ac_cluster_snapshot_marker_app_version(const uint8_t *body,
                                                             uint16_t acting_block_length,
                                                             uint16_t acting_version) {

    return acting_version >= 4 && acting_block_length >= 40
               ? ac_get_int32(body + AC_CLUSTER_SNAPSHOT_MARKER_APP_VERSION_OFFSET)
               : 0;
}

static inline void ac_cluster_snapshot_marker_put_app_version(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_SNAPSHOT_MARKER_APP_VERSION_OFFSET, value);
}

static inline uint8_t *ac_cluster_snapshot_marker_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_SNAPSHOT_MARKER_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_SNAPSHOT_MARKER_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* ClientSession */
enum {
    AC_CLUSTER_CLIENT_SESSION_TEMPLATE_ID = 102,
    AC_CLUSTER_CLIENT_SESSION_BLOCK_LENGTH = 12,
    AC_CLUSTER_CLIENT_SESSION_CLUSTER_SESSION_ID_OFFSET = 0,
    AC_CLUSTER_CLIENT_SESSION_RESPONSE_STREAM_ID_OFFSET = 8,
};

static inline int64_t ac_cluster_client_session_cluster_session_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_CLIENT_SESSION_CLUSTER_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_client_session_put_cluster_session_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CLIENT_SESSION_CLUSTER_SESSION_ID_OFFSET, value);
}

static inline int32_t ac_cluster_client_session_response_stream_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 12
               ? ac_get_int32(body + AC_CLUSTER_CLIENT_SESSION_RESPONSE_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_client_session_put_response_stream_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_CLIENT_SESSION_RESPONSE_STREAM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_client_session_read_response_channel(ac_sbe_reader *reader,
                                                                      uint16_t acting_version,
                                                                      const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_client_session_write_response_channel(ac_sbe_writer *writer,
                                                                    const void *data,
                                                                    uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_cluster_client_session_read_encoded_principal(ac_sbe_reader *reader,
                                                                       uint16_t acting_version,
                                                                       const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_client_session_write_encoded_principal(ac_sbe_writer *writer,
                                                                     const void *data,
                                                                     uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_client_session_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_CLIENT_SESSION_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_CLIENT_SESSION_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* ClusterSession */
enum {
    AC_CLUSTER_CLUSTER_SESSION_TEMPLATE_ID = 103,
    AC_CLUSTER_CLUSTER_SESSION_BLOCK_LENGTH = 40,
    AC_CLUSTER_CLUSTER_SESSION_CLUSTER_SESSION_ID_OFFSET = 0,
    AC_CLUSTER_CLUSTER_SESSION_CORRELATION_ID_OFFSET = 8,
    AC_CLUSTER_CLUSTER_SESSION_OPENED_LOG_POSITION_OFFSET = 16,
    AC_CLUSTER_CLUSTER_SESSION_TIME_OF_LAST_ACTIVITY_OFFSET = 24,
    AC_CLUSTER_CLUSTER_SESSION_CLOSE_REASON_OFFSET = 32,
    AC_CLUSTER_CLUSTER_SESSION_RESPONSE_STREAM_ID_OFFSET = 36,
};

static inline int64_t ac_cluster_cluster_session_cluster_session_id(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_CLUSTER_SESSION_CLUSTER_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_cluster_session_put_cluster_session_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CLUSTER_SESSION_CLUSTER_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_cluster_session_correlation_id(const uint8_t *body,
                                                                uint16_t acting_block_length,
                                                                uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_CLUSTER_SESSION_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_cluster_session_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CLUSTER_SESSION_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_cluster_session_opened_log_position(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_CLUSTER_CLUSTER_SESSION_OPENED_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_cluster_session_put_opened_log_position(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CLUSTER_SESSION_OPENED_LOG_POSITION_OFFSET, value);
}

static inline int64_t ac_cluster_cluster_session_time_of_last_activity(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_CLUSTER_CLUSTER_SESSION_TIME_OF_LAST_ACTIVITY_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_cluster_session_put_time_of_last_activity(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CLUSTER_SESSION_TIME_OF_LAST_ACTIVITY_OFFSET, value);
}

static inline int32_t ac_cluster_cluster_session_close_reason(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 36
               ? ac_get_int32(body + AC_CLUSTER_CLUSTER_SESSION_CLOSE_REASON_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_cluster_session_put_close_reason(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_CLUSTER_SESSION_CLOSE_REASON_OFFSET, value);
}

static inline int32_t ac_cluster_cluster_session_response_stream_id(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 40
               ? ac_get_int32(body + AC_CLUSTER_CLUSTER_SESSION_RESPONSE_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_cluster_session_put_response_stream_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_CLUSTER_SESSION_RESPONSE_STREAM_ID_OFFSET, value);
}

static inline int64_t ac_cluster_cluster_session_read_response_channel(ac_sbe_reader *reader,
                                                                       uint16_t acting_version,
                                                                       const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_cluster_session_write_response_channel(ac_sbe_writer *writer,
                                                                     const void *data,
                                                                     uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_cluster_session_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_CLUSTER_SESSION_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_CLUSTER_SESSION_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* Timer */
enum {
    AC_CLUSTER_TIMER_TEMPLATE_ID = 104,
    AC_CLUSTER_TIMER_BLOCK_LENGTH = 16,
    AC_CLUSTER_TIMER_CORRELATION_ID_OFFSET = 0,
    AC_CLUSTER_TIMER_DEADLINE_OFFSET = 8,
};

static inline int64_t ac_cluster_timer_correlation_id(const uint8_t *body,
                                                      uint16_t acting_block_length,
                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8 ? ac_get_int64(body + AC_CLUSTER_TIMER_CORRELATION_ID_OFFSET)
                                    : INT64_MIN;
}

static inline void ac_cluster_timer_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_TIMER_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_timer_deadline(const uint8_t *body, uint16_t acting_block_length,
                                                uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16 ? ac_get_int64(body + AC_CLUSTER_TIMER_DEADLINE_OFFSET)
                                     : INT64_MIN;
}

static inline void ac_cluster_timer_put_deadline(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_TIMER_DEADLINE_OFFSET, value);
}

static inline uint8_t *ac_cluster_timer_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_TIMER_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_TIMER_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* ConsensusModule */
enum {
    AC_CLUSTER_CONSENSUS_MODULE_TEMPLATE_ID = 105,
    AC_CLUSTER_CONSENSUS_MODULE_BLOCK_LENGTH = 28,
    AC_CLUSTER_CONSENSUS_MODULE_NEXT_SESSION_ID_OFFSET = 0,
    AC_CLUSTER_CONSENSUS_MODULE_NEXT_SERVICE_SESSION_ID_OFFSET = 8,
    AC_CLUSTER_CONSENSUS_MODULE_LOG_SERVICE_SESSION_ID_OFFSET = 16,
    AC_CLUSTER_CONSENSUS_MODULE_PENDING_MESSAGE_CAPACITY_OFFSET = 24,
};

static inline int64_t ac_cluster_consensus_module_next_session_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_CLUSTER_CONSENSUS_MODULE_NEXT_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_consensus_module_put_next_session_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CONSENSUS_MODULE_NEXT_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_consensus_module_next_service_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {

    return acting_version >= 3 && acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_CONSENSUS_MODULE_NEXT_SERVICE_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_consensus_module_put_next_service_session_id(uint8_t *body,
                                                                           int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CONSENSUS_MODULE_NEXT_SERVICE_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_consensus_module_log_service_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {

    return acting_version >= 3 && acting_block_length >= 24
               ? ac_get_int64(body + AC_CLUSTER_CONSENSUS_MODULE_LOG_SERVICE_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_consensus_module_put_log_service_session_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_CLUSTER_CONSENSUS_MODULE_LOG_SERVICE_SESSION_ID_OFFSET, value);
}

static inline int32_t ac_cluster_consensus_module_pending_message_capacity(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {

    return acting_version >= 3 && acting_block_length >= 28
               ? ac_get_int32(body + AC_CLUSTER_CONSENSUS_MODULE_PENDING_MESSAGE_CAPACITY_OFFSET)
               : 0;
}

static inline void ac_cluster_consensus_module_put_pending_message_capacity(uint8_t *body,
                                                                            int32_t value) {
    ac_put_int32(body + AC_CLUSTER_CONSENSUS_MODULE_PENDING_MESSAGE_CAPACITY_OFFSET, value);
}

static inline uint8_t *ac_cluster_consensus_module_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_CONSENSUS_MODULE_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_CONSENSUS_MODULE_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* ClusterMembers */
enum {
    AC_CLUSTER_CLUSTER_MEMBERS_TEMPLATE_ID = 106,
    AC_CLUSTER_CLUSTER_MEMBERS_BLOCK_LENGTH = 8,
    AC_CLUSTER_CLUSTER_MEMBERS_MEMBER_ID_OFFSET = 0,
    AC_CLUSTER_CLUSTER_MEMBERS_HIGH_MEMBER_ID_OFFSET = 4,
};

static inline int32_t ac_cluster_cluster_members_member_id(const uint8_t *body,
                                                           uint16_t acting_block_length,
                                                           uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 4
               ? ac_get_int32(body + AC_CLUSTER_CLUSTER_MEMBERS_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_cluster_members_put_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_CLUSTER_MEMBERS_MEMBER_ID_OFFSET, value);
}

static inline int32_t ac_cluster_cluster_members_high_member_id(const uint8_t *body,
                                                                uint16_t acting_block_length,
                                                                uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int32(body + AC_CLUSTER_CLUSTER_MEMBERS_HIGH_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_cluster_members_put_high_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_CLUSTER_MEMBERS_HIGH_MEMBER_ID_OFFSET, value);
}

static inline int64_t ac_cluster_cluster_members_read_cluster_members(ac_sbe_reader *reader,
                                                                      uint16_t acting_version,
                                                                      const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_cluster_members_write_cluster_members(ac_sbe_writer *writer,
                                                                    const void *data,
                                                                    uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_cluster_members_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_CLUSTER_MEMBERS_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_CLUSTER_MEMBERS_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

/* PendingMessageTracker */
enum {
    AC_CLUSTER_PENDING_MESSAGE_TRACKER_TEMPLATE_ID = 107,
    AC_CLUSTER_PENDING_MESSAGE_TRACKER_BLOCK_LENGTH = 24,
    AC_CLUSTER_PENDING_MESSAGE_TRACKER_NEXT_SERVICE_SESSION_ID_OFFSET = 0,
    AC_CLUSTER_PENDING_MESSAGE_TRACKER_LOG_SERVICE_SESSION_ID_OFFSET = 8,
    AC_CLUSTER_PENDING_MESSAGE_TRACKER_PENDING_MESSAGE_CAPACITY_OFFSET = 16,
    AC_CLUSTER_PENDING_MESSAGE_TRACKER_SERVICE_ID_OFFSET = 20,
};

static inline int64_t ac_cluster_pending_message_tracker_next_service_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body +
                              AC_CLUSTER_PENDING_MESSAGE_TRACKER_NEXT_SERVICE_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_pending_message_tracker_put_next_service_session_id(uint8_t *body,
                                                                                  int64_t value) {
    ac_put_int64(body + AC_CLUSTER_PENDING_MESSAGE_TRACKER_NEXT_SERVICE_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_cluster_pending_message_tracker_log_service_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body +
                              AC_CLUSTER_PENDING_MESSAGE_TRACKER_LOG_SERVICE_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_pending_message_tracker_put_log_service_session_id(uint8_t *body,
                                                                                 int64_t value) {
    ac_put_int64(body + AC_CLUSTER_PENDING_MESSAGE_TRACKER_LOG_SERVICE_SESSION_ID_OFFSET, value);
}

static inline int32_t ac_cluster_pending_message_tracker_pending_message_capacity(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20
               ? ac_get_int32(body +
                              AC_CLUSTER_PENDING_MESSAGE_TRACKER_PENDING_MESSAGE_CAPACITY_OFFSET)
               : 0;
}

static inline void ac_cluster_pending_message_tracker_put_pending_message_capacity(uint8_t *body,
                                                                                   int32_t value) {
    ac_put_int32(body + AC_CLUSTER_PENDING_MESSAGE_TRACKER_PENDING_MESSAGE_CAPACITY_OFFSET, value);
}

static inline int32_t ac_cluster_pending_message_tracker_service_id(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int32(body + AC_CLUSTER_PENDING_MESSAGE_TRACKER_SERVICE_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_pending_message_tracker_put_service_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_PENDING_MESSAGE_TRACKER_SERVICE_ID_OFFSET, value);
}

static inline uint8_t *ac_cluster_pending_message_tracker_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_PENDING_MESSAGE_TRACKER_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_PENDING_MESSAGE_TRACKER_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_SCHEMA_ID,
                                    .version = AC_CLUSTER_SCHEMA_VERSION,
                                });
}

#endif
