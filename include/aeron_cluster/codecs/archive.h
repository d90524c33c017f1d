/* Generated from schemas/archive.xml by tools/generate_codecs.py. Edit it, run the tool. */
#ifndef AERON_CLUSTER_CODECS_ARCHIVE_H
#define AERON_CLUSTER_CODECS_ARCHIVE_H

#include "aeron_cluster/codecs/sbe.h"

enum {
    AC_ARCHIVE_SCHEMA_ID = 101,
    AC_ARCHIVE_SCHEMA_VERSION = 13,
    AC_ARCHIVE_HEADER_LENGTH = 8,
};

#define AC_ARCHIVE_SEMANTIC_VERSION "5.2"

enum ac_archive_control_response_code {
    AC_ARCHIVE_CONTROL_RESPONSE_CODE_OK = 0,
    AC_ARCHIVE_CONTROL_RESPONSE_CODE_ERROR = 1,
    AC_ARCHIVE_CONTROL_RESPONSE_CODE_RECORDING_UNKNOWN = 2,
    AC_ARCHIVE_CONTROL_RESPONSE_CODE_SUBSCRIPTION_UNKNOWN = 3,
    AC_ARCHIVE_CONTROL_RESPONSE_CODE_NULL_VALUE = INT32_MIN,
};

enum ac_archive_source_location {
    AC_ARCHIVE_SOURCE_LOCATION_LOCAL = 0,
    AC_ARCHIVE_SOURCE_LOCATION_REMOTE = 1,
    AC_ARCHIVE_SOURCE_LOCATION_NULL_VALUE = INT32_MIN,
};

enum ac_archive_boolean_type {
    AC_ARCHIVE_BOOLEAN_TYPE_FALSE = 0,
    AC_ARCHIVE_BOOLEAN_TYPE_TRUE = 1,
    AC_ARCHIVE_BOOLEAN_TYPE_NULL_VALUE = INT32_MIN,
};

enum ac_archive_recording_signal {
    AC_ARCHIVE_RECORDING_SIGNAL_START = 0,
    AC_ARCHIVE_RECORDING_SIGNAL_STOP = 1,
    AC_ARCHIVE_RECORDING_SIGNAL_EXTEND = 2,
    AC_ARCHIVE_RECORDING_SIGNAL_REPLICATE = 3,
    AC_ARCHIVE_RECORDING_SIGNAL_MERGE = 4,
    AC_ARCHIVE_RECORDING_SIGNAL_SYNC = 5,
    AC_ARCHIVE_RECORDING_SIGNAL_DELETE = 6,
    AC_ARCHIVE_RECORDING_SIGNAL_REPLICATE_END = 7,
    AC_ARCHIVE_RECORDING_SIGNAL_NULL_VALUE = INT32_MIN,
};

enum ac_archive_recording_state {
    AC_ARCHIVE_RECORDING_STATE_INVALID = 0,
    AC_ARCHIVE_RECORDING_STATE_VALID = 1,
    AC_ARCHIVE_RECORDING_STATE_DELETED = 2,
    AC_ARCHIVE_RECORDING_STATE_NULL_VALUE = INT32_MIN,
};

/* ControlResponse: archive to client */
enum {
    AC_ARCHIVE_CONTROL_RESPONSE_TEMPLATE_ID = 1,
    AC_ARCHIVE_CONTROL_RESPONSE_BLOCK_LENGTH = 32,
    AC_ARCHIVE_CONTROL_RESPONSE_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_CONTROL_RESPONSE_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_CONTROL_RESPONSE_RELEVANT_ID_OFFSET = 16,
    AC_ARCHIVE_CONTROL_RESPONSE_CODE_OFFSET = 24,
    AC_ARCHIVE_CONTROL_RESPONSE_VERSION_OFFSET = 28,
};

static inline int64_t ac_archive_control_response_control_session_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_CONTROL_RESPONSE_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_control_response_put_control_session_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_CONTROL_RESPONSE_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_control_response_correlation_id(const uint8_t *body,
                                                                 uint16_t acting_block_length,
                                                                 uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_CONTROL_RESPONSE_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_control_response_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_CONTROL_RESPONSE_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_control_response_relevant_id(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_CONTROL_RESPONSE_RELEVANT_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_control_response_put_relevant_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_CONTROL_RESPONSE_RELEVANT_ID_OFFSET, value);
}

static inline int32_t ac_archive_control_response_code(const uint8_t *body,
                                                       uint16_t acting_block_length,
                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28 ? ac_get_int32(body + AC_ARCHIVE_CONTROL_RESPONSE_CODE_OFFSET)
                                     : INT32_MIN;
}

static inline void ac_archive_control_response_put_code(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_CONTROL_RESPONSE_CODE_OFFSET, value);
}

static inline int32_t ac_archive_control_response_version(const uint8_t *body,
                                                          uint16_t acting_block_length,
                                                          uint16_t acting_version) {

    return acting_version >= 4 && acting_block_length >= 32
               ? ac_get_int32(body + AC_ARCHIVE_CONTROL_RESPONSE_VERSION_OFFSET)
               : 0;
}

static inline void ac_archive_control_response_put_version(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_CONTROL_RESPONSE_VERSION_OFFSET, value);
}

static inline int64_t ac_archive_control_response_read_error_message(ac_sbe_reader *reader,
                                                                     uint16_t acting_version,
                                                                     const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_control_response_write_error_message(ac_sbe_writer *writer,
                                                                   const void *data,
                                                                   uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_control_response_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_CONTROL_RESPONSE_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_CONTROL_RESPONSE_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* ConnectRequest: client to archive */
enum {
    AC_ARCHIVE_CONNECT_REQUEST_TEMPLATE_ID = 2,
    AC_ARCHIVE_CONNECT_REQUEST_BLOCK_LENGTH = 16,
    AC_ARCHIVE_CONNECT_REQUEST_CORRELATION_ID_OFFSET = 0,
    AC_ARCHIVE_CONNECT_REQUEST_RESPONSE_STREAM_ID_OFFSET = 8,
    AC_ARCHIVE_CONNECT_REQUEST_VERSION_OFFSET = 12,
};

static inline int64_t ac_archive_connect_request_correlation_id(const uint8_t *body,
                                                                uint16_t acting_block_length,
                                                                uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_CONNECT_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_connect_request_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_CONNECT_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int32_t ac_archive_connect_request_response_stream_id(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 12
               ? ac_get_int32(body + AC_ARCHIVE_CONNECT_REQUEST_RESPONSE_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_connect_request_put_response_stream_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_CONNECT_REQUEST_RESPONSE_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_archive_connect_request_version(const uint8_t *body,
                                                         uint16_t acting_block_length,
                                                         uint16_t acting_version) {

    return acting_version >= 2 && acting_block_length >= 16
               ? ac_get_int32(body + AC_ARCHIVE_CONNECT_REQUEST_VERSION_OFFSET)
               : 0;
}

static inline void ac_archive_connect_request_put_version(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_CONNECT_REQUEST_VERSION_OFFSET, value);
}

static inline int64_t ac_archive_connect_request_read_response_channel(ac_sbe_reader *reader,
                                                                       uint16_t acting_version,
                                                                       const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_connect_request_write_response_channel(ac_sbe_writer *writer,
                                                                     const void *data,
                                                                     uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_connect_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_CONNECT_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_CONNECT_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* CloseSessionRequest: client to archive */
enum {
    AC_ARCHIVE_CLOSE_SESSION_REQUEST_TEMPLATE_ID = 3,
    AC_ARCHIVE_CLOSE_SESSION_REQUEST_BLOCK_LENGTH = 8,
    AC_ARCHIVE_CLOSE_SESSION_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
};

static inline int64_t ac_archive_close_session_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_CLOSE_SESSION_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_close_session_request_put_control_session_id(uint8_t *body,
                                                                           int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_CLOSE_SESSION_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_close_session_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_CLOSE_SESSION_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_CLOSE_SESSION_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* StartRecordingRequest: client to archive */
enum {
    AC_ARCHIVE_START_RECORDING_REQUEST_TEMPLATE_ID = 4,
    AC_ARCHIVE_START_RECORDING_REQUEST_BLOCK_LENGTH = 24,
    AC_ARCHIVE_START_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_START_RECORDING_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_START_RECORDING_REQUEST_STREAM_ID_OFFSET = 16,
    AC_ARCHIVE_START_RECORDING_REQUEST_SOURCE_LOCATION_OFFSET = 20,
};

static inline int64_t ac_archive_start_recording_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_START_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_start_recording_request_put_control_session_id(uint8_t *body,
                                                                             int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_START_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t
ac_archive_start_recording_request_correlation_id(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_START_RECORDING_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_start_recording_request_put_correlation_id(uint8_t *body,
                                                                         int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_START_RECORDING_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int32_t ac_archive_start_recording_request_stream_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20
               ? ac_get_int32(body + AC_ARCHIVE_START_RECORDING_REQUEST_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_start_recording_request_put_stream_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_START_RECORDING_REQUEST_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_archive_start_recording_request_source_location(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int32(body + AC_ARCHIVE_START_RECORDING_REQUEST_SOURCE_LOCATION_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_start_recording_request_put_source_location(uint8_t *body,
                                                                          int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_START_RECORDING_REQUEST_SOURCE_LOCATION_OFFSET, value);
}

static inline int64_t ac_archive_start_recording_request_read_channel(ac_sbe_reader *reader,
                                                                      uint16_t acting_version,
                                                                      const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_start_recording_request_write_channel(ac_sbe_writer *writer,
                                                                    const void *data,
                                                                    uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_start_recording_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_START_RECORDING_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_START_RECORDING_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* StopRecordingRequest: client to archive */
enum {
    AC_ARCHIVE_STOP_RECORDING_REQUEST_TEMPLATE_ID = 5,
    AC_ARCHIVE_STOP_RECORDING_REQUEST_BLOCK_LENGTH = 20,
    AC_ARCHIVE_STOP_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_STOP_RECORDING_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_STOP_RECORDING_REQUEST_STREAM_ID_OFFSET = 16,
};

static inline int64_t ac_archive_stop_recording_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_STOP_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_stop_recording_request_put_control_session_id(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_stop_recording_request_correlation_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_STOP_RECORDING_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_stop_recording_request_put_correlation_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_RECORDING_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int32_t ac_archive_stop_recording_request_stream_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20
               ? ac_get_int32(body + AC_ARCHIVE_STOP_RECORDING_REQUEST_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_stop_recording_request_put_stream_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_STOP_RECORDING_REQUEST_STREAM_ID_OFFSET, value);
}

static inline int64_t ac_archive_stop_recording_request_read_channel(ac_sbe_reader *reader,
                                                                     uint16_t acting_version,
                                                                     const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_stop_recording_request_write_channel(ac_sbe_writer *writer,
                                                                   const void *data,
                                                                   uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_stop_recording_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_STOP_RECORDING_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_STOP_RECORDING_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* ReplayRequest: client to archive */
enum {
    AC_ARCHIVE_REPLAY_REQUEST_TEMPLATE_ID = 6,
    AC_ARCHIVE_REPLAY_REQUEST_BLOCK_LENGTH = 56,
    AC_ARCHIVE_REPLAY_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_REPLAY_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_REPLAY_REQUEST_RECORDING_ID_OFFSET = 16,
    AC_ARCHIVE_REPLAY_REQUEST_POSITION_OFFSET = 24,
    AC_ARCHIVE_REPLAY_REQUEST_LENGTH_OFFSET = 32,
    AC_ARCHIVE_REPLAY_REQUEST_REPLAY_STREAM_ID_OFFSET = 40,
    AC_ARCHIVE_REPLAY_REQUEST_FILE_IO_MAX_LENGTH_OFFSET = 44,
    AC_ARCHIVE_REPLAY_REQUEST_REPLAY_TOKEN_OFFSET = 48,
};

static inline int64_t ac_archive_replay_request_control_session_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_REPLAY_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replay_request_put_control_session_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLAY_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_replay_request_correlation_id(const uint8_t *body,
                                                               uint16_t acting_block_length,
                                                               uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_REPLAY_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replay_request_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLAY_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_replay_request_recording_id(const uint8_t *body,
                                                             uint16_t acting_block_length,
                                                             uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_REPLAY_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replay_request_put_recording_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLAY_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_archive_replay_request_position(const uint8_t *body,
                                                         uint16_t acting_block_length,
                                                         uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_ARCHIVE_REPLAY_REQUEST_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replay_request_put_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLAY_REQUEST_POSITION_OFFSET, value);
}

static inline int64_t ac_archive_replay_request_length(const uint8_t *body,
                                                       uint16_t acting_block_length,
                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 40 ? ac_get_int64(body + AC_ARCHIVE_REPLAY_REQUEST_LENGTH_OFFSET)
                                     : INT64_MIN;
}

static inline void ac_archive_replay_request_put_length(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLAY_REQUEST_LENGTH_OFFSET, value);
}

static inline int32_t ac_archive_replay_request_replay_stream_id(const uint8_t *body,
                                                                 uint16_t acting_block_length,
                                                                 uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 44
               ? ac_get_int32(body + AC_ARCHIVE_REPLAY_REQUEST_REPLAY_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_replay_request_put_replay_stream_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_REPLAY_REQUEST_REPLAY_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_archive_replay_request_file_io_max_length(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {

    return acting_version >= 7 && acting_block_length >= 48
               ? ac_get_int32(body + AC_ARCHIVE_REPLAY_REQUEST_FILE_IO_MAX_LENGTH_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_replay_request_put_file_io_max_length(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_REPLAY_REQUEST_FILE_IO_MAX_LENGTH_OFFSET, value);
}

static inline int64_t ac_archive_replay_request_replay_token(const uint8_t *body,
                                                             uint16_t acting_block_length,
                                                             uint16_t acting_version) {

    return acting_version >= 10 && acting_block_length >= 56
               ? ac_get_int64(body + AC_ARCHIVE_REPLAY_REQUEST_REPLAY_TOKEN_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replay_request_put_replay_token(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLAY_REQUEST_REPLAY_TOKEN_OFFSET, value);
}

static inline int64_t ac_archive_replay_request_read_replay_channel(ac_sbe_reader *reader,
                                                                    uint16_t acting_version,
                                                                    const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_replay_request_write_replay_channel(ac_sbe_writer *writer,
                                                                  const void *data,
                                                                  uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_replay_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_REPLAY_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_REPLAY_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* StopReplayRequest: client to archive */
enum {
    AC_ARCHIVE_STOP_REPLAY_REQUEST_TEMPLATE_ID = 7,
    AC_ARCHIVE_STOP_REPLAY_REQUEST_BLOCK_LENGTH = 24,
    AC_ARCHIVE_STOP_REPLAY_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_STOP_REPLAY_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_STOP_REPLAY_REQUEST_REPLAY_SESSION_ID_OFFSET = 16,
};

static inline int64_t
ac_archive_stop_replay_request_control_session_id(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_STOP_REPLAY_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_stop_replay_request_put_control_session_id(uint8_t *body,
                                                                         int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_REPLAY_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_stop_replay_request_correlation_id(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_STOP_REPLAY_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_stop_replay_request_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_REPLAY_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_stop_replay_request_replay_session_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_STOP_REPLAY_REQUEST_REPLAY_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_stop_replay_request_put_replay_session_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_REPLAY_REQUEST_REPLAY_SESSION_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_stop_replay_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_STOP_REPLAY_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_STOP_REPLAY_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* ListRecordingsRequest: client to archive */
enum {
    AC_ARCHIVE_LIST_RECORDINGS_REQUEST_TEMPLATE_ID = 8,
    AC_ARCHIVE_LIST_RECORDINGS_REQUEST_BLOCK_LENGTH = 28,
    AC_ARCHIVE_LIST_RECORDINGS_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_LIST_RECORDINGS_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_LIST_RECORDINGS_REQUEST_FROM_RECORDING_ID_OFFSET = 16,
    AC_ARCHIVE_LIST_RECORDINGS_REQUEST_RECORD_COUNT_OFFSET = 24,
};

static inline int64_t ac_archive_list_recordings_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_LIST_RECORDINGS_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_list_recordings_request_put_control_session_id(uint8_t *body,
                                                                             int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_LIST_RECORDINGS_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t
ac_archive_list_recordings_request_correlation_id(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_LIST_RECORDINGS_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_list_recordings_request_put_correlation_id(uint8_t *body,
                                                                         int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_LIST_RECORDINGS_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_list_recordings_request_from_recording_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_LIST_RECORDINGS_REQUEST_FROM_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_list_recordings_request_put_from_recording_id(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_LIST_RECORDINGS_REQUEST_FROM_RECORDING_ID_OFFSET, value);
}

static inline int32_t ac_archive_list_recordings_request_record_count(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(body + AC_ARCHIVE_LIST_RECORDINGS_REQUEST_RECORD_COUNT_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_list_recordings_request_put_record_count(uint8_t *body,
                                                                       int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_LIST_RECORDINGS_REQUEST_RECORD_COUNT_OFFSET, value);
}

static inline uint8_t *ac_archive_list_recordings_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_LIST_RECORDINGS_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_LIST_RECORDINGS_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* ListRecordingsForUriRequest: client to archive */
enum {
    AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_TEMPLATE_ID = 9,
    AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_BLOCK_LENGTH = 32,
    AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_FROM_RECORDING_ID_OFFSET = 16,
    AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_RECORD_COUNT_OFFSET = 24,
    AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_STREAM_ID_OFFSET = 28,
};

static inline int64_t ac_archive_list_recordings_for_uri_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body +
                              AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void
ac_archive_list_recordings_for_uri_request_put_control_session_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_CONTROL_SESSION_ID_OFFSET,
                 value);
}

static inline int64_t ac_archive_list_recordings_for_uri_request_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body +
                              AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_list_recordings_for_uri_request_put_correlation_id(uint8_t *body,
                                                                                 int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_list_recordings_for_uri_request_from_recording_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body +
                              AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_FROM_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_list_recordings_for_uri_request_put_from_recording_id(uint8_t *body,
                                                                                    int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_FROM_RECORDING_ID_OFFSET, value);
}

static inline int32_t ac_archive_list_recordings_for_uri_request_record_count(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(body + AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_RECORD_COUNT_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_list_recordings_for_uri_request_put_record_count(uint8_t *body,
                                                                               int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_RECORD_COUNT_OFFSET, value);
}

static inline int32_t ac_archive_list_recordings_for_uri_request_stream_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int32(body + AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_list_recordings_for_uri_request_put_stream_id(uint8_t *body,
                                                                            int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_STREAM_ID_OFFSET, value);
}

static inline int64_t ac_archive_list_recordings_for_uri_request_read_channel(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_list_recordings_for_uri_request_write_channel(ac_sbe_writer *writer,
                                                                            const void *data,
                                                                            uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_list_recordings_for_uri_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer,
                        (ac_message_header){
                            .block_length = AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_BLOCK_LENGTH,
                            .template_id = AC_ARCHIVE_LIST_RECORDINGS_FOR_URI_REQUEST_TEMPLATE_ID,
                            .schema_id = AC_ARCHIVE_SCHEMA_ID,
                            .version = AC_ARCHIVE_SCHEMA_VERSION,
                        });
}

/* ListRecordingRequest: client to archive */
enum {
    AC_ARCHIVE_LIST_RECORDING_REQUEST_TEMPLATE_ID = 10,
    AC_ARCHIVE_LIST_RECORDING_REQUEST_BLOCK_LENGTH = 24,
    AC_ARCHIVE_LIST_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_LIST_RECORDING_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_LIST_RECORDING_REQUEST_RECORDING_ID_OFFSET = 16,
};

static inline int64_t ac_archive_list_recording_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_LIST_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_list_recording_request_put_control_session_id(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_LIST_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_list_recording_request_correlation_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_LIST_RECORDING_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_list_recording_request_put_correlation_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_LIST_RECORDING_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_list_recording_request_recording_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_LIST_RECORDING_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_list_recording_request_put_recording_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_LIST_RECORDING_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_list_recording_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_LIST_RECORDING_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_LIST_RECORDING_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* ExtendRecordingRequest: client to archive */
enum {
    AC_ARCHIVE_EXTEND_RECORDING_REQUEST_TEMPLATE_ID = 11,
    AC_ARCHIVE_EXTEND_RECORDING_REQUEST_BLOCK_LENGTH = 32,
    AC_ARCHIVE_EXTEND_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_EXTEND_RECORDING_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_EXTEND_RECORDING_REQUEST_RECORDING_ID_OFFSET = 16,
    AC_ARCHIVE_EXTEND_RECORDING_REQUEST_STREAM_ID_OFFSET = 24,
    AC_ARCHIVE_EXTEND_RECORDING_REQUEST_SOURCE_LOCATION_OFFSET = 28,
};

static inline int64_t ac_archive_extend_recording_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_extend_recording_request_put_control_session_id(uint8_t *body,
                                                                              int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_extend_recording_request_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_extend_recording_request_put_correlation_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_extend_recording_request_recording_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_extend_recording_request_put_recording_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline int32_t ac_archive_extend_recording_request_stream_id(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_extend_recording_request_put_stream_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_archive_extend_recording_request_source_location(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int32(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST_SOURCE_LOCATION_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_extend_recording_request_put_source_location(uint8_t *body,
                                                                           int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST_SOURCE_LOCATION_OFFSET, value);
}

static inline int64_t ac_archive_extend_recording_request_read_channel(ac_sbe_reader *reader,
                                                                       uint16_t acting_version,
                                                                       const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_extend_recording_request_write_channel(ac_sbe_writer *writer,
                                                                     const void *data,
                                                                     uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_extend_recording_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer,
                        (ac_message_header){
                            .block_length = AC_ARCHIVE_EXTEND_RECORDING_REQUEST_BLOCK_LENGTH,
                            .template_id = AC_ARCHIVE_EXTEND_RECORDING_REQUEST_TEMPLATE_ID,
                            .schema_id = AC_ARCHIVE_SCHEMA_ID,
                            .version = AC_ARCHIVE_SCHEMA_VERSION,
                        });
}

/* RecordingPositionRequest: client to archive */
enum {
    AC_ARCHIVE_RECORDING_POSITION_REQUEST_TEMPLATE_ID = 12,
    AC_ARCHIVE_RECORDING_POSITION_REQUEST_BLOCK_LENGTH = 24,
    AC_ARCHIVE_RECORDING_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_RECORDING_POSITION_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_RECORDING_POSITION_REQUEST_RECORDING_ID_OFFSET = 16,
};

static inline int64_t ac_archive_recording_position_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body +
                              AC_ARCHIVE_RECORDING_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_position_request_put_control_session_id(uint8_t *body,
                                                                                int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_recording_position_request_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_POSITION_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_position_request_put_correlation_id(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_POSITION_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_recording_position_request_recording_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_POSITION_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_position_request_put_recording_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_POSITION_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_recording_position_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer,
                        (ac_message_header){
                            .block_length = AC_ARCHIVE_RECORDING_POSITION_REQUEST_BLOCK_LENGTH,
                            .template_id = AC_ARCHIVE_RECORDING_POSITION_REQUEST_TEMPLATE_ID,
                            .schema_id = AC_ARCHIVE_SCHEMA_ID,
                            .version = AC_ARCHIVE_SCHEMA_VERSION,
                        });
}

/* TruncateRecordingRequest: client to archive */
enum {
    AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_TEMPLATE_ID = 13,
    AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_BLOCK_LENGTH = 32,
    AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_RECORDING_ID_OFFSET = 16,
    AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_POSITION_OFFSET = 24,
};

static inline int64_t ac_archive_truncate_recording_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body +
                              AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_truncate_recording_request_put_control_session_id(uint8_t *body,
                                                                                int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_truncate_recording_request_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_truncate_recording_request_put_correlation_id(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_truncate_recording_request_recording_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_truncate_recording_request_put_recording_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_archive_truncate_recording_request_position(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_truncate_recording_request_put_position(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_POSITION_OFFSET, value);
}

static inline uint8_t *ac_archive_truncate_recording_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer,
                        (ac_message_header){
                            .block_length = AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_BLOCK_LENGTH,
                            .template_id = AC_ARCHIVE_TRUNCATE_RECORDING_REQUEST_TEMPLATE_ID,
                            .schema_id = AC_ARCHIVE_SCHEMA_ID,
                            .version = AC_ARCHIVE_SCHEMA_VERSION,
                        });
}

/* StopRecordingSubscriptionRequest: client to archive */
enum {
    AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_TEMPLATE_ID = 14,
    AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_BLOCK_LENGTH = 24,
    AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_SUBSCRIPTION_ID_OFFSET = 16,
};

static inline int64_t ac_archive_stop_recording_subscription_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(
                     body +
                     AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void
ac_archive_stop_recording_subscription_request_put_control_session_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_CONTROL_SESSION_ID_OFFSET,
                 value);
}

static inline int64_t ac_archive_stop_recording_subscription_request_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body +
                              AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void
ac_archive_stop_recording_subscription_request_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_CORRELATION_ID_OFFSET,
                 value);
}

static inline int64_t ac_archive_stop_recording_subscription_request_subscription_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body +
                              AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_SUBSCRIPTION_ID_OFFSET)
               : INT64_MIN;
}

static inline void
ac_archive_stop_recording_subscription_request_put_subscription_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_SUBSCRIPTION_ID_OFFSET,
                 value);
}

static inline uint8_t *ac_archive_stop_recording_subscription_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(
        writer, (ac_message_header){
                    .block_length = AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_BLOCK_LENGTH,
                    .template_id = AC_ARCHIVE_STOP_RECORDING_SUBSCRIPTION_REQUEST_TEMPLATE_ID,
                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                });
}

/* StopPositionRequest: client to archive */
enum {
    AC_ARCHIVE_STOP_POSITION_REQUEST_TEMPLATE_ID = 15,
    AC_ARCHIVE_STOP_POSITION_REQUEST_BLOCK_LENGTH = 24,
    AC_ARCHIVE_STOP_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_STOP_POSITION_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_STOP_POSITION_REQUEST_RECORDING_ID_OFFSET = 16,
};

static inline int64_t ac_archive_stop_position_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_STOP_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_stop_position_request_put_control_session_id(uint8_t *body,
                                                                           int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_stop_position_request_correlation_id(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_STOP_POSITION_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_stop_position_request_put_correlation_id(uint8_t *body,
                                                                       int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_POSITION_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_stop_position_request_recording_id(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_STOP_POSITION_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_stop_position_request_put_recording_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_POSITION_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_stop_position_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_STOP_POSITION_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_STOP_POSITION_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* FindLastMatchingRecordingRequest: client to archive */
enum {
    AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_TEMPLATE_ID = 16,
    AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_BLOCK_LENGTH = 32,
    AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_MIN_RECORDING_ID_OFFSET = 16,
    AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_SESSION_ID_OFFSET = 24,
    AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_STREAM_ID_OFFSET = 28,
};

static inline int64_t ac_archive_find_last_matching_recording_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(
                     body +
                     AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void
ac_archive_find_last_matching_recording_request_put_control_session_id(uint8_t *body,
                                                                       int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET,
                 value);
}

static inline int64_t ac_archive_find_last_matching_recording_request_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body +
                              AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void
ac_archive_find_last_matching_recording_request_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_CORRELATION_ID_OFFSET,
                 value);
}

static inline int64_t ac_archive_find_last_matching_recording_request_min_recording_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(
                     body + AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_MIN_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void
ac_archive_find_last_matching_recording_request_put_min_recording_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_MIN_RECORDING_ID_OFFSET,
                 value);
}

static inline int32_t ac_archive_find_last_matching_recording_request_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(body +
                              AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_SESSION_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_find_last_matching_recording_request_put_session_id(uint8_t *body,
                                                                                  int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_SESSION_ID_OFFSET, value);
}

static inline int32_t ac_archive_find_last_matching_recording_request_stream_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int32(body +
                              AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_find_last_matching_recording_request_put_stream_id(uint8_t *body,
                                                                                 int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_STREAM_ID_OFFSET, value);
}

static inline int64_t ac_archive_find_last_matching_recording_request_read_channel(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool
ac_archive_find_last_matching_recording_request_write_channel(ac_sbe_writer *writer,
                                                              const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *
ac_archive_find_last_matching_recording_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(
        writer, (ac_message_header){
                    .block_length = AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_BLOCK_LENGTH,
                    .template_id = AC_ARCHIVE_FIND_LAST_MATCHING_RECORDING_REQUEST_TEMPLATE_ID,
                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                });
}

/* ListRecordingSubscriptionsRequest: client to archive */
enum {
    AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_TEMPLATE_ID = 17,
    AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_BLOCK_LENGTH = 32,
    AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_PSEUDO_INDEX_OFFSET = 16,
    AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_SUBSCRIPTION_COUNT_OFFSET = 20,
    AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_APPLY_STREAM_ID_OFFSET = 24,
    AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_STREAM_ID_OFFSET = 28,
};

static inline int64_t ac_archive_list_recording_subscriptions_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(
                     body +
                     AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void
ac_archive_list_recording_subscriptions_request_put_control_session_id(uint8_t *body,
                                                                       int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_CONTROL_SESSION_ID_OFFSET,
                 value);
}

static inline int64_t ac_archive_list_recording_subscriptions_request_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body +
                              AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void
ac_archive_list_recording_subscriptions_request_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_CORRELATION_ID_OFFSET,
                 value);
}

static inline int32_t ac_archive_list_recording_subscriptions_request_pseudo_index(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20
               ? ac_get_int32(body +
                              AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_PSEUDO_INDEX_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_list_recording_subscriptions_request_put_pseudo_index(uint8_t *body,
                                                                                    int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_PSEUDO_INDEX_OFFSET, value);
}

static inline int32_t ac_archive_list_recording_subscriptions_request_subscription_count(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int32(
                     body +
                     AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_SUBSCRIPTION_COUNT_OFFSET)
               : INT32_MIN;
}

static inline void
ac_archive_list_recording_subscriptions_request_put_subscription_count(uint8_t *body,
                                                                       int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_SUBSCRIPTION_COUNT_OFFSET,
                 value);
}

static inline int32_t ac_archive_list_recording_subscriptions_request_apply_stream_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(
                     body + AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_APPLY_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void
ac_archive_list_recording_subscriptions_request_put_apply_stream_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_APPLY_STREAM_ID_OFFSET,
                 value);
}

static inline int32_t ac_archive_list_recording_subscriptions_request_stream_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int32(body +
                              AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_list_recording_subscriptions_request_put_stream_id(uint8_t *body,
                                                                                 int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_STREAM_ID_OFFSET, value);
}

static inline int64_t ac_archive_list_recording_subscriptions_request_read_channel(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool
ac_archive_list_recording_subscriptions_request_write_channel(ac_sbe_writer *writer,
                                                              const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *
ac_archive_list_recording_subscriptions_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(
        writer, (ac_message_header){
                    .block_length = AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_BLOCK_LENGTH,
                    .template_id = AC_ARCHIVE_LIST_RECORDING_SUBSCRIPTIONS_REQUEST_TEMPLATE_ID,
                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                });
}

/* BoundedReplayRequest: client to archive */
enum {
    AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_TEMPLATE_ID = 18,
    AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_BLOCK_LENGTH = 60,
    AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_RECORDING_ID_OFFSET = 16,
    AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_POSITION_OFFSET = 24,
    AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_LENGTH_OFFSET = 32,
    AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_LIMIT_COUNTER_ID_OFFSET = 40,
    AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_REPLAY_STREAM_ID_OFFSET = 44,
    AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_FILE_IO_MAX_LENGTH_OFFSET = 48,
    AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_REPLAY_TOKEN_OFFSET = 52,
};

static inline int64_t ac_archive_bounded_replay_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_bounded_replay_request_put_control_session_id(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_bounded_replay_request_correlation_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_bounded_replay_request_put_correlation_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_bounded_replay_request_recording_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_bounded_replay_request_put_recording_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_archive_bounded_replay_request_position(const uint8_t *body,
                                                                 uint16_t acting_block_length,
                                                                 uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_bounded_replay_request_put_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_POSITION_OFFSET, value);
}

static inline int64_t ac_archive_bounded_replay_request_length(const uint8_t *body,
                                                               uint16_t acting_block_length,
                                                               uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 40
               ? ac_get_int64(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_LENGTH_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_bounded_replay_request_put_length(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_LENGTH_OFFSET, value);
}

static inline int32_t ac_archive_bounded_replay_request_limit_counter_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 44
               ? ac_get_int32(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_LIMIT_COUNTER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_bounded_replay_request_put_limit_counter_id(uint8_t *body,
                                                                          int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_LIMIT_COUNTER_ID_OFFSET, value);
}

static inline int32_t ac_archive_bounded_replay_request_replay_stream_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 48
               ? ac_get_int32(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_REPLAY_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_bounded_replay_request_put_replay_stream_id(uint8_t *body,
                                                                          int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_REPLAY_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_archive_bounded_replay_request_file_io_max_length(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {

    return acting_version >= 7 && acting_block_length >= 52
               ? ac_get_int32(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_FILE_IO_MAX_LENGTH_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_bounded_replay_request_put_file_io_max_length(uint8_t *body,
                                                                            int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_FILE_IO_MAX_LENGTH_OFFSET, value);
}

static inline int64_t ac_archive_bounded_replay_request_replay_token(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {

    return acting_version >= 10 && acting_block_length >= 60
               ? ac_get_int64(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_REPLAY_TOKEN_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_bounded_replay_request_put_replay_token(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_REPLAY_TOKEN_OFFSET, value);
}

static inline int64_t ac_archive_bounded_replay_request_read_replay_channel(ac_sbe_reader *reader,
                                                                            uint16_t acting_version,
                                                                            const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_bounded_replay_request_write_replay_channel(ac_sbe_writer *writer,
                                                                          const void *data,
                                                                          uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_bounded_replay_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_BOUNDED_REPLAY_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* StopAllReplaysRequest: client to archive */
enum {
    AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_TEMPLATE_ID = 19,
    AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_BLOCK_LENGTH = 24,
    AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_RECORDING_ID_OFFSET = 16,
};

static inline int64_t ac_archive_stop_all_replays_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_stop_all_replays_request_put_control_session_id(uint8_t *body,
                                                                              int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_stop_all_replays_request_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_stop_all_replays_request_put_correlation_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_stop_all_replays_request_recording_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_stop_all_replays_request_put_recording_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_stop_all_replays_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer,
                        (ac_message_header){
                            .block_length = AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_BLOCK_LENGTH,
                            .template_id = AC_ARCHIVE_STOP_ALL_REPLAYS_REQUEST_TEMPLATE_ID,
                            .schema_id = AC_ARCHIVE_SCHEMA_ID,
                            .version = AC_ARCHIVE_SCHEMA_VERSION,
                        });
}

/* CatalogHeader: a record in a file */
enum {
    AC_ARCHIVE_CATALOG_HEADER_TEMPLATE_ID = 20,
    AC_ARCHIVE_CATALOG_HEADER_BLOCK_LENGTH = 32,
    AC_ARCHIVE_CATALOG_HEADER_VERSION_OFFSET = 0,
    AC_ARCHIVE_CATALOG_HEADER_LENGTH_OFFSET = 4,
    AC_ARCHIVE_CATALOG_HEADER_NEXT_RECORDING_ID_OFFSET = 8,
    AC_ARCHIVE_CATALOG_HEADER_ALIGNMENT_OFFSET = 16,
    AC_ARCHIVE_CATALOG_HEADER_RESERVED_OFFSET = 31,
};

static inline int32_t ac_archive_catalog_header_version(const uint8_t *body,
                                                        uint16_t acting_block_length,
                                                        uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 4 ? ac_get_int32(body + AC_ARCHIVE_CATALOG_HEADER_VERSION_OFFSET)
                                    : INT32_MIN;
}

static inline void ac_archive_catalog_header_put_version(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_CATALOG_HEADER_VERSION_OFFSET, value);
}

static inline int32_t ac_archive_catalog_header_length(const uint8_t *body,
                                                       uint16_t acting_block_length,
                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8 ? ac_get_int32(body + AC_ARCHIVE_CATALOG_HEADER_LENGTH_OFFSET)
                                    : INT32_MIN;
}

static inline void ac_archive_catalog_header_put_length(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_CATALOG_HEADER_LENGTH_OFFSET, value);
}

static inline int64_t ac_archive_catalog_header_next_recording_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_CATALOG_HEADER_NEXT_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_catalog_header_put_next_recording_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_CATALOG_HEADER_NEXT_RECORDING_ID_OFFSET, value);
}

static inline int32_t ac_archive_catalog_header_alignment(const uint8_t *body,
                                                          uint16_t acting_block_length,
                                                          uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20
               ? ac_get_int32(body + AC_ARCHIVE_CATALOG_HEADER_ALIGNMENT_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_catalog_header_put_alignment(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_CATALOG_HEADER_ALIGNMENT_OFFSET, value);
}

static inline int8_t ac_archive_catalog_header_reserved(const uint8_t *body,
                                                        uint16_t acting_block_length,
                                                        uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32 ? ac_get_int8(body + AC_ARCHIVE_CATALOG_HEADER_RESERVED_OFFSET)
                                     : INT8_MIN;
}

static inline void ac_archive_catalog_header_put_reserved(uint8_t *body, int8_t value) {
    ac_put_int8(body + AC_ARCHIVE_CATALOG_HEADER_RESERVED_OFFSET, value);
}

static inline uint8_t *ac_archive_catalog_header_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_CATALOG_HEADER_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_CATALOG_HEADER_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* RecordingDescriptorHeader: a record in a file */
enum {
    AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_TEMPLATE_ID = 21,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_BLOCK_LENGTH = 32,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_LENGTH_OFFSET = 0,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_STATE_OFFSET = 4,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_CHECKSUM_OFFSET = 8,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_RESERVED_OFFSET = 31,
};

static inline int32_t ac_archive_recording_descriptor_header_length(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 4
               ? ac_get_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_LENGTH_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_recording_descriptor_header_put_length(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_LENGTH_OFFSET, value);
}

static inline int32_t ac_archive_recording_descriptor_header_state(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_STATE_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_recording_descriptor_header_put_state(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_STATE_OFFSET, value);
}

static inline int32_t ac_archive_recording_descriptor_header_checksum(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 12
               ? ac_get_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_CHECKSUM_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_recording_descriptor_header_put_checksum(uint8_t *body,
                                                                       int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_CHECKSUM_OFFSET, value);
}

static inline int8_t ac_archive_recording_descriptor_header_reserved(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int8(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_RESERVED_OFFSET)
               : INT8_MIN;
}

static inline void ac_archive_recording_descriptor_header_put_reserved(uint8_t *body,
                                                                       int8_t value) {
    ac_put_int8(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_RESERVED_OFFSET, value);
}

static inline uint8_t *ac_archive_recording_descriptor_header_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer,
                        (ac_message_header){
                            .block_length = AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_BLOCK_LENGTH,
                            .template_id = AC_ARCHIVE_RECORDING_DESCRIPTOR_HEADER_TEMPLATE_ID,
                            .schema_id = AC_ARCHIVE_SCHEMA_ID,
                            .version = AC_ARCHIVE_SCHEMA_VERSION,
                        });
}

/* RecordingDescriptor: archive to client */
enum {
    AC_ARCHIVE_RECORDING_DESCRIPTOR_TEMPLATE_ID = 22,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_BLOCK_LENGTH = 80,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_RECORDING_ID_OFFSET = 16,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_START_TIMESTAMP_OFFSET = 24,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_STOP_TIMESTAMP_OFFSET = 32,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_START_POSITION_OFFSET = 40,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_STOP_POSITION_OFFSET = 48,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_INITIAL_TERM_ID_OFFSET = 56,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_SEGMENT_FILE_LENGTH_OFFSET = 60,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_TERM_BUFFER_LENGTH_OFFSET = 64,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_MTU_LENGTH_OFFSET = 68,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_SESSION_ID_OFFSET = 72,
    AC_ARCHIVE_RECORDING_DESCRIPTOR_STREAM_ID_OFFSET = 76,
};

static inline int64_t ac_archive_recording_descriptor_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_descriptor_put_control_session_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_recording_descriptor_correlation_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_descriptor_put_correlation_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_recording_descriptor_recording_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_descriptor_put_recording_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_archive_recording_descriptor_start_timestamp(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_START_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_descriptor_put_start_timestamp(uint8_t *body,
                                                                       int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_START_TIMESTAMP_OFFSET, value);
}

static inline int64_t ac_archive_recording_descriptor_stop_timestamp(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 40
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_STOP_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_descriptor_put_stop_timestamp(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_STOP_TIMESTAMP_OFFSET, value);
}

static inline int64_t ac_archive_recording_descriptor_start_position(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 48
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_START_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_descriptor_put_start_position(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_START_POSITION_OFFSET, value);
}

static inline int64_t ac_archive_recording_descriptor_stop_position(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 56
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_STOP_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_descriptor_put_stop_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_STOP_POSITION_OFFSET, value);
}

static inline int32_t ac_archive_recording_descriptor_initial_term_id(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 60
               ? ac_get_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_INITIAL_TERM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_recording_descriptor_put_initial_term_id(uint8_t *body,
                                                                       int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_INITIAL_TERM_ID_OFFSET, value);
}

static inline int32_t ac_archive_recording_descriptor_segment_file_length(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 64
               ? ac_get_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_SEGMENT_FILE_LENGTH_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_recording_descriptor_put_segment_file_length(uint8_t *body,
                                                                           int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_SEGMENT_FILE_LENGTH_OFFSET, value);
}

static inline int32_t ac_archive_recording_descriptor_term_buffer_length(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 68
               ? ac_get_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_TERM_BUFFER_LENGTH_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_recording_descriptor_put_term_buffer_length(uint8_t *body,
                                                                          int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_TERM_BUFFER_LENGTH_OFFSET, value);
}

static inline int32_t ac_archive_recording_descriptor_mtu_length(const uint8_t *body,
                                                                 uint16_t acting_block_length,
                                                                 uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 72
               ? ac_get_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_MTU_LENGTH_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_recording_descriptor_put_mtu_length(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_MTU_LENGTH_OFFSET, value);
}

static inline int32_t ac_archive_recording_descriptor_session_id(const uint8_t *body,
                                                                 uint16_t acting_block_length,
                                                                 uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 76
               ? ac_get_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_SESSION_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_recording_descriptor_put_session_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_SESSION_ID_OFFSET, value);
}

static inline int32_t ac_archive_recording_descriptor_stream_id(const uint8_t *body,
                                                                uint16_t acting_block_length,
                                                                uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 80
               ? ac_get_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_recording_descriptor_put_stream_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_STREAM_ID_OFFSET, value);
}

static inline int64_t ac_archive_recording_descriptor_read_stripped_channel(ac_sbe_reader *reader,
                                                                            uint16_t acting_version,
                                                                            const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_recording_descriptor_write_stripped_channel(ac_sbe_writer *writer,
                                                                          const void *data,
                                                                          uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_archive_recording_descriptor_read_original_channel(ac_sbe_reader *reader,
                                                                            uint16_t acting_version,
                                                                            const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_recording_descriptor_write_original_channel(ac_sbe_writer *writer,
                                                                          const void *data,
                                                                          uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_archive_recording_descriptor_read_source_identity(ac_sbe_reader *reader,
                                                                           uint16_t acting_version,
                                                                           const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_recording_descriptor_write_source_identity(ac_sbe_writer *writer,
                                                                         const void *data,
                                                                         uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_recording_descriptor_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_RECORDING_DESCRIPTOR_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_RECORDING_DESCRIPTOR_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* RecordingSubscriptionDescriptor: archive to client */
enum {
    AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_TEMPLATE_ID = 23,
    AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_BLOCK_LENGTH = 28,
    AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_SUBSCRIPTION_ID_OFFSET = 16,
    AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_STREAM_ID_OFFSET = 24,
};

static inline int64_t ac_archive_recording_subscription_descriptor_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(
                     body + AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void
ac_archive_recording_subscription_descriptor_put_control_session_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_CONTROL_SESSION_ID_OFFSET,
                 value);
}

static inline int64_t ac_archive_recording_subscription_descriptor_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body +
                              AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_subscription_descriptor_put_correlation_id(uint8_t *body,
                                                                                   int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_recording_subscription_descriptor_subscription_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body +
                              AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_SUBSCRIPTION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_subscription_descriptor_put_subscription_id(uint8_t *body,
                                                                                    int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_SUBSCRIPTION_ID_OFFSET, value);
}

static inline int32_t ac_archive_recording_subscription_descriptor_stream_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(body + AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_recording_subscription_descriptor_put_stream_id(uint8_t *body,
                                                                              int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_STREAM_ID_OFFSET, value);
}

static inline int64_t ac_archive_recording_subscription_descriptor_read_stripped_channel(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_recording_subscription_descriptor_write_stripped_channel(
    ac_sbe_writer *writer, const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_recording_subscription_descriptor_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(
        writer, (ac_message_header){
                    .block_length = AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_BLOCK_LENGTH,
                    .template_id = AC_ARCHIVE_RECORDING_SUBSCRIPTION_DESCRIPTOR_TEMPLATE_ID,
                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                });
}

/* RecordingSignalEvent: archive to client */
enum {
    AC_ARCHIVE_RECORDING_SIGNAL_EVENT_TEMPLATE_ID = 24,
    AC_ARCHIVE_RECORDING_SIGNAL_EVENT_BLOCK_LENGTH = 44,
    AC_ARCHIVE_RECORDING_SIGNAL_EVENT_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_RECORDING_SIGNAL_EVENT_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_RECORDING_SIGNAL_EVENT_RECORDING_ID_OFFSET = 16,
    AC_ARCHIVE_RECORDING_SIGNAL_EVENT_SUBSCRIPTION_ID_OFFSET = 24,
    AC_ARCHIVE_RECORDING_SIGNAL_EVENT_POSITION_OFFSET = 32,
    AC_ARCHIVE_RECORDING_SIGNAL_EVENT_SIGNAL_OFFSET = 40,
};

static inline int64_t ac_archive_recording_signal_event_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_SIGNAL_EVENT_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_signal_event_put_control_session_id(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_SIGNAL_EVENT_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_recording_signal_event_correlation_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_SIGNAL_EVENT_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_signal_event_put_correlation_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_SIGNAL_EVENT_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_recording_signal_event_recording_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_SIGNAL_EVENT_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_signal_event_put_recording_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_SIGNAL_EVENT_RECORDING_ID_OFFSET, value);
}

static inline int64_t
ac_archive_recording_signal_event_subscription_id(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_SIGNAL_EVENT_SUBSCRIPTION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_signal_event_put_subscription_id(uint8_t *body,
                                                                         int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_SIGNAL_EVENT_SUBSCRIPTION_ID_OFFSET, value);
}

static inline int64_t ac_archive_recording_signal_event_position(const uint8_t *body,
                                                                 uint16_t acting_block_length,
                                                                 uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 40
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_SIGNAL_EVENT_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_signal_event_put_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_SIGNAL_EVENT_POSITION_OFFSET, value);
}

static inline int32_t ac_archive_recording_signal_event_signal(const uint8_t *body,
                                                               uint16_t acting_block_length,
                                                               uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 44
               ? ac_get_int32(body + AC_ARCHIVE_RECORDING_SIGNAL_EVENT_SIGNAL_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_recording_signal_event_put_signal(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_RECORDING_SIGNAL_EVENT_SIGNAL_OFFSET, value);
}

static inline uint8_t *ac_archive_recording_signal_event_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_RECORDING_SIGNAL_EVENT_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_RECORDING_SIGNAL_EVENT_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* ReplicateRequest: client to archive */
enum {
    AC_ARCHIVE_REPLICATE_REQUEST_TEMPLATE_ID = 50,
    AC_ARCHIVE_REPLICATE_REQUEST_BLOCK_LENGTH = 36,
    AC_ARCHIVE_REPLICATE_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_REPLICATE_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_REPLICATE_REQUEST_SRC_RECORDING_ID_OFFSET = 16,
    AC_ARCHIVE_REPLICATE_REQUEST_DST_RECORDING_ID_OFFSET = 24,
    AC_ARCHIVE_REPLICATE_REQUEST_SRC_CONTROL_STREAM_ID_OFFSET = 32,
};

static inline int64_t ac_archive_replicate_request_control_session_id(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_REPLICATE_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replicate_request_put_control_session_id(uint8_t *body,
                                                                       int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLICATE_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_replicate_request_correlation_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_REPLICATE_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replicate_request_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLICATE_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_replicate_request_src_recording_id(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_REPLICATE_REQUEST_SRC_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replicate_request_put_src_recording_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLICATE_REQUEST_SRC_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_archive_replicate_request_dst_recording_id(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_ARCHIVE_REPLICATE_REQUEST_DST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replicate_request_put_dst_recording_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLICATE_REQUEST_DST_RECORDING_ID_OFFSET, value);
}

static inline int32_t ac_archive_replicate_request_src_control_stream_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 36
               ? ac_get_int32(body + AC_ARCHIVE_REPLICATE_REQUEST_SRC_CONTROL_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_replicate_request_put_src_control_stream_id(uint8_t *body,
                                                                          int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_REPLICATE_REQUEST_SRC_CONTROL_STREAM_ID_OFFSET, value);
}

static inline int64_t ac_archive_replicate_request_read_src_control_channel(ac_sbe_reader *reader,
                                                                            uint16_t acting_version,
                                                                            const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_replicate_request_write_src_control_channel(ac_sbe_writer *writer,
                                                                          const void *data,
                                                                          uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_archive_replicate_request_read_live_destination(ac_sbe_reader *reader,
                                                                         uint16_t acting_version,
                                                                         const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_replicate_request_write_live_destination(ac_sbe_writer *writer,
                                                                       const void *data,
                                                                       uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_replicate_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_REPLICATE_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_REPLICATE_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* StopReplicationRequest: client to archive */
enum {
    AC_ARCHIVE_STOP_REPLICATION_REQUEST_TEMPLATE_ID = 51,
    AC_ARCHIVE_STOP_REPLICATION_REQUEST_BLOCK_LENGTH = 24,
    AC_ARCHIVE_STOP_REPLICATION_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_STOP_REPLICATION_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_STOP_REPLICATION_REQUEST_REPLICATION_ID_OFFSET = 16,
};

static inline int64_t ac_archive_stop_replication_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_STOP_REPLICATION_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_stop_replication_request_put_control_session_id(uint8_t *body,
                                                                              int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_REPLICATION_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_stop_replication_request_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_STOP_REPLICATION_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_stop_replication_request_put_correlation_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_REPLICATION_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_stop_replication_request_replication_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_STOP_REPLICATION_REQUEST_REPLICATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_stop_replication_request_put_replication_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_REPLICATION_REQUEST_REPLICATION_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_stop_replication_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer,
                        (ac_message_header){
                            .block_length = AC_ARCHIVE_STOP_REPLICATION_REQUEST_BLOCK_LENGTH,
                            .template_id = AC_ARCHIVE_STOP_REPLICATION_REQUEST_TEMPLATE_ID,
                            .schema_id = AC_ARCHIVE_SCHEMA_ID,
                            .version = AC_ARCHIVE_SCHEMA_VERSION,
                        });
}

/* StartPositionRequest: client to archive */
enum {
    AC_ARCHIVE_START_POSITION_REQUEST_TEMPLATE_ID = 52,
    AC_ARCHIVE_START_POSITION_REQUEST_BLOCK_LENGTH = 24,
    AC_ARCHIVE_START_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_START_POSITION_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_START_POSITION_REQUEST_RECORDING_ID_OFFSET = 16,
};

static inline int64_t ac_archive_start_position_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_START_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_start_position_request_put_control_session_id(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_START_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_start_position_request_correlation_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_START_POSITION_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_start_position_request_put_correlation_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_START_POSITION_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_start_position_request_recording_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_START_POSITION_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_start_position_request_put_recording_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_START_POSITION_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_start_position_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_START_POSITION_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_START_POSITION_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* DetachSegmentsRequest: client to archive */
enum {
    AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_TEMPLATE_ID = 53,
    AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_BLOCK_LENGTH = 32,
    AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_RECORDING_ID_OFFSET = 16,
    AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_NEW_START_POSITION_OFFSET = 24,
};

static inline int64_t ac_archive_detach_segments_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_detach_segments_request_put_control_session_id(uint8_t *body,
                                                                             int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t
ac_archive_detach_segments_request_correlation_id(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_detach_segments_request_put_correlation_id(uint8_t *body,
                                                                         int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_detach_segments_request_recording_id(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_detach_segments_request_put_recording_id(uint8_t *body,
                                                                       int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_archive_detach_segments_request_new_start_position(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_NEW_START_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_detach_segments_request_put_new_start_position(uint8_t *body,
                                                                             int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_NEW_START_POSITION_OFFSET, value);
}

static inline uint8_t *ac_archive_detach_segments_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_DETACH_SEGMENTS_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* DeleteDetachedSegmentsRequest: client to archive */
enum {
    AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_TEMPLATE_ID = 54,
    AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_BLOCK_LENGTH = 24,
    AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_RECORDING_ID_OFFSET = 16,
};

static inline int64_t ac_archive_delete_detached_segments_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body +
                              AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void
ac_archive_delete_detached_segments_request_put_control_session_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET,
                 value);
}

static inline int64_t ac_archive_delete_detached_segments_request_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body +
                              AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_delete_detached_segments_request_put_correlation_id(uint8_t *body,
                                                                                  int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_delete_detached_segments_request_recording_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body +
                              AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_delete_detached_segments_request_put_recording_id(uint8_t *body,
                                                                                int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_delete_detached_segments_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(
        writer, (ac_message_header){
                    .block_length = AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_BLOCK_LENGTH,
                    .template_id = AC_ARCHIVE_DELETE_DETACHED_SEGMENTS_REQUEST_TEMPLATE_ID,
                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                });
}

/* PurgeSegmentsRequest: client to archive */
enum {
    AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_TEMPLATE_ID = 55,
    AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_BLOCK_LENGTH = 32,
    AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_RECORDING_ID_OFFSET = 16,
    AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_NEW_START_POSITION_OFFSET = 24,
};

static inline int64_t ac_archive_purge_segments_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_purge_segments_request_put_control_session_id(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_purge_segments_request_correlation_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_purge_segments_request_put_correlation_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_purge_segments_request_recording_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_purge_segments_request_put_recording_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_archive_purge_segments_request_new_start_position(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_NEW_START_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_purge_segments_request_put_new_start_position(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_NEW_START_POSITION_OFFSET, value);
}

static inline uint8_t *ac_archive_purge_segments_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_PURGE_SEGMENTS_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* AttachSegmentsRequest: client to archive */
enum {
    AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_TEMPLATE_ID = 56,
    AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_BLOCK_LENGTH = 24,
    AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_RECORDING_ID_OFFSET = 16,
};

static inline int64_t ac_archive_attach_segments_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_attach_segments_request_put_control_session_id(uint8_t *body,
                                                                             int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t
ac_archive_attach_segments_request_correlation_id(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_attach_segments_request_put_correlation_id(uint8_t *body,
                                                                         int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_attach_segments_request_recording_id(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_attach_segments_request_put_recording_id(uint8_t *body,
                                                                       int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_attach_segments_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_ATTACH_SEGMENTS_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* MigrateSegmentsRequest: client to archive */
enum {
    AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_TEMPLATE_ID = 57,
    AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_BLOCK_LENGTH = 32,
    AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_SRC_RECORDING_ID_OFFSET = 16,
    AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_DST_RECORDING_ID_OFFSET = 24,
};

static inline int64_t ac_archive_migrate_segments_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_migrate_segments_request_put_control_session_id(uint8_t *body,
                                                                              int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_migrate_segments_request_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_migrate_segments_request_put_correlation_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_migrate_segments_request_src_recording_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_SRC_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_migrate_segments_request_put_src_recording_id(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_SRC_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_archive_migrate_segments_request_dst_recording_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_DST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_migrate_segments_request_put_dst_recording_id(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_DST_RECORDING_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_migrate_segments_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer,
                        (ac_message_header){
                            .block_length = AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_BLOCK_LENGTH,
                            .template_id = AC_ARCHIVE_MIGRATE_SEGMENTS_REQUEST_TEMPLATE_ID,
                            .schema_id = AC_ARCHIVE_SCHEMA_ID,
                            .version = AC_ARCHIVE_SCHEMA_VERSION,
                        });
}

/* AuthConnectRequest: client to archive */
enum {
    AC_ARCHIVE_AUTH_CONNECT_REQUEST_TEMPLATE_ID = 58,
    AC_ARCHIVE_AUTH_CONNECT_REQUEST_BLOCK_LENGTH = 16,
    AC_ARCHIVE_AUTH_CONNECT_REQUEST_CORRELATION_ID_OFFSET = 0,
    AC_ARCHIVE_AUTH_CONNECT_REQUEST_RESPONSE_STREAM_ID_OFFSET = 8,
    AC_ARCHIVE_AUTH_CONNECT_REQUEST_VERSION_OFFSET = 12,
};

static inline int64_t ac_archive_auth_connect_request_correlation_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_AUTH_CONNECT_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_auth_connect_request_put_correlation_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_AUTH_CONNECT_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int32_t ac_archive_auth_connect_request_response_stream_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 12
               ? ac_get_int32(body + AC_ARCHIVE_AUTH_CONNECT_REQUEST_RESPONSE_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_auth_connect_request_put_response_stream_id(uint8_t *body,
                                                                          int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_AUTH_CONNECT_REQUEST_RESPONSE_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_archive_auth_connect_request_version(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int32(body + AC_ARCHIVE_AUTH_CONNECT_REQUEST_VERSION_OFFSET)
               : 0;
}

static inline void ac_archive_auth_connect_request_put_version(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_AUTH_CONNECT_REQUEST_VERSION_OFFSET, value);
}

static inline int64_t ac_archive_auth_connect_request_read_response_channel(ac_sbe_reader *reader,
                                                                            uint16_t acting_version,
                                                                            const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_auth_connect_request_write_response_channel(ac_sbe_writer *writer,
                                                                          const void *data,
                                                                          uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_archive_auth_connect_request_read_encoded_credentials(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_auth_connect_request_write_encoded_credentials(ac_sbe_writer *writer,
                                                                             const void *data,
                                                                             uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_archive_auth_connect_request_read_client_info(ac_sbe_reader *reader,
                                                                       uint16_t acting_version,
                                                                       const uint8_t **data) {
    if (acting_version < 12) {
        *data = NULL;
        return 0;
    }
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_auth_connect_request_write_client_info(ac_sbe_writer *writer,
                                                                     const void *data,
                                                                     uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_auth_connect_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_AUTH_CONNECT_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_AUTH_CONNECT_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* Challenge: archive to client */
enum {
    AC_ARCHIVE_CHALLENGE_TEMPLATE_ID = 59,
    AC_ARCHIVE_CHALLENGE_BLOCK_LENGTH = 20,
    AC_ARCHIVE_CHALLENGE_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_CHALLENGE_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_CHALLENGE_VERSION_OFFSET = 16,
};

static inline int64_t ac_archive_challenge_control_session_id(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_CHALLENGE_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_challenge_put_control_session_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_CHALLENGE_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_challenge_correlation_id(const uint8_t *body,
                                                          uint16_t acting_block_length,
                                                          uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_CHALLENGE_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_challenge_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_CHALLENGE_CORRELATION_ID_OFFSET, value);
}

static inline int32_t ac_archive_challenge_version(const uint8_t *body,
                                                   uint16_t acting_block_length,
                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20 ? ac_get_int32(body + AC_ARCHIVE_CHALLENGE_VERSION_OFFSET) : 0;
}

static inline void ac_archive_challenge_put_version(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_CHALLENGE_VERSION_OFFSET, value);
}

static inline int64_t ac_archive_challenge_read_encoded_challenge(ac_sbe_reader *reader,
                                                                  uint16_t acting_version,
                                                                  const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_challenge_write_encoded_challenge(ac_sbe_writer *writer,
                                                                const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_challenge_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_CHALLENGE_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_CHALLENGE_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* ChallengeResponse: client to archive */
enum {
    AC_ARCHIVE_CHALLENGE_RESPONSE_TEMPLATE_ID = 60,
    AC_ARCHIVE_CHALLENGE_RESPONSE_BLOCK_LENGTH = 16,
    AC_ARCHIVE_CHALLENGE_RESPONSE_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_CHALLENGE_RESPONSE_CORRELATION_ID_OFFSET = 8,
};

static inline int64_t ac_archive_challenge_response_control_session_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_CHALLENGE_RESPONSE_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_challenge_response_put_control_session_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_CHALLENGE_RESPONSE_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_challenge_response_correlation_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_CHALLENGE_RESPONSE_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_challenge_response_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_CHALLENGE_RESPONSE_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_challenge_response_read_encoded_credentials(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_challenge_response_write_encoded_credentials(ac_sbe_writer *writer,
                                                                           const void *data,
                                                                           uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_challenge_response_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_CHALLENGE_RESPONSE_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_CHALLENGE_RESPONSE_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* KeepAliveRequest: client to archive */
enum {
    AC_ARCHIVE_KEEP_ALIVE_REQUEST_TEMPLATE_ID = 61,
    AC_ARCHIVE_KEEP_ALIVE_REQUEST_BLOCK_LENGTH = 16,
    AC_ARCHIVE_KEEP_ALIVE_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_KEEP_ALIVE_REQUEST_CORRELATION_ID_OFFSET = 8,
};

static inline int64_t ac_archive_keep_alive_request_control_session_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_KEEP_ALIVE_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_keep_alive_request_put_control_session_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_KEEP_ALIVE_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_keep_alive_request_correlation_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_KEEP_ALIVE_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_keep_alive_request_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_KEEP_ALIVE_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_keep_alive_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_KEEP_ALIVE_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_KEEP_ALIVE_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* TaggedReplicateRequest: client to archive */
enum {
    AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_TEMPLATE_ID = 62,
    AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_BLOCK_LENGTH = 52,
    AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_SRC_RECORDING_ID_OFFSET = 16,
    AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_DST_RECORDING_ID_OFFSET = 24,
    AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_CHANNEL_TAG_ID_OFFSET = 32,
    AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_SUBSCRIPTION_TAG_ID_OFFSET = 40,
    AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_SRC_CONTROL_STREAM_ID_OFFSET = 48,
};

static inline int64_t ac_archive_tagged_replicate_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_tagged_replicate_request_put_control_session_id(uint8_t *body,
                                                                              int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_tagged_replicate_request_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_tagged_replicate_request_put_correlation_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_tagged_replicate_request_src_recording_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_SRC_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_tagged_replicate_request_put_src_recording_id(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_SRC_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_archive_tagged_replicate_request_dst_recording_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_DST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_tagged_replicate_request_put_dst_recording_id(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_DST_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_archive_tagged_replicate_request_channel_tag_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 40
               ? ac_get_int64(body + AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_CHANNEL_TAG_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_tagged_replicate_request_put_channel_tag_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_CHANNEL_TAG_ID_OFFSET, value);
}

static inline int64_t ac_archive_tagged_replicate_request_subscription_tag_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 48
               ? ac_get_int64(body + AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_SUBSCRIPTION_TAG_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_tagged_replicate_request_put_subscription_tag_id(uint8_t *body,
                                                                               int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_SUBSCRIPTION_TAG_ID_OFFSET, value);
}

static inline int32_t ac_archive_tagged_replicate_request_src_control_stream_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 52
               ? ac_get_int32(body +
                              AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_SRC_CONTROL_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_tagged_replicate_request_put_src_control_stream_id(uint8_t *body,
                                                                                 int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_SRC_CONTROL_STREAM_ID_OFFSET, value);
}

static inline int64_t ac_archive_tagged_replicate_request_read_src_control_channel(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool
ac_archive_tagged_replicate_request_write_src_control_channel(ac_sbe_writer *writer,
                                                              const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_archive_tagged_replicate_request_read_live_destination(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_tagged_replicate_request_write_live_destination(ac_sbe_writer *writer,
                                                                              const void *data,
                                                                              uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_tagged_replicate_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer,
                        (ac_message_header){
                            .block_length = AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_BLOCK_LENGTH,
                            .template_id = AC_ARCHIVE_TAGGED_REPLICATE_REQUEST_TEMPLATE_ID,
                            .schema_id = AC_ARCHIVE_SCHEMA_ID,
                            .version = AC_ARCHIVE_SCHEMA_VERSION,
                        });
}

/* StartRecordingRequest2: client to archive */
enum {
    AC_ARCHIVE_START_RECORDING_REQUEST2_TEMPLATE_ID = 63,
    AC_ARCHIVE_START_RECORDING_REQUEST2_BLOCK_LENGTH = 28,
    AC_ARCHIVE_START_RECORDING_REQUEST2_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_START_RECORDING_REQUEST2_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_START_RECORDING_REQUEST2_STREAM_ID_OFFSET = 16,
    AC_ARCHIVE_START_RECORDING_REQUEST2_SOURCE_LOCATION_OFFSET = 20,
    AC_ARCHIVE_START_RECORDING_REQUEST2_AUTO_STOP_OFFSET = 24,
};

static inline int64_t ac_archive_start_recording_request2_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_START_RECORDING_REQUEST2_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_start_recording_request2_put_control_session_id(uint8_t *body,
                                                                              int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_START_RECORDING_REQUEST2_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_start_recording_request2_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_START_RECORDING_REQUEST2_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_start_recording_request2_put_correlation_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_START_RECORDING_REQUEST2_CORRELATION_ID_OFFSET, value);
}

static inline int32_t ac_archive_start_recording_request2_stream_id(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20
               ? ac_get_int32(body + AC_ARCHIVE_START_RECORDING_REQUEST2_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_start_recording_request2_put_stream_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_START_RECORDING_REQUEST2_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_archive_start_recording_request2_source_location(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int32(body + AC_ARCHIVE_START_RECORDING_REQUEST2_SOURCE_LOCATION_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_start_recording_request2_put_source_location(uint8_t *body,
                                                                           int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_START_RECORDING_REQUEST2_SOURCE_LOCATION_OFFSET, value);
}

static inline int32_t ac_archive_start_recording_request2_auto_stop(const uint8_t *body,
                                                                    uint16_t acting_block_length,
                                                                    uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(body + AC_ARCHIVE_START_RECORDING_REQUEST2_AUTO_STOP_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_start_recording_request2_put_auto_stop(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_START_RECORDING_REQUEST2_AUTO_STOP_OFFSET, value);
}

static inline int64_t ac_archive_start_recording_request2_read_channel(ac_sbe_reader *reader,
                                                                       uint16_t acting_version,
                                                                       const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_start_recording_request2_write_channel(ac_sbe_writer *writer,
                                                                     const void *data,
                                                                     uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_start_recording_request2_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer,
                        (ac_message_header){
                            .block_length = AC_ARCHIVE_START_RECORDING_REQUEST2_BLOCK_LENGTH,
                            .template_id = AC_ARCHIVE_START_RECORDING_REQUEST2_TEMPLATE_ID,
                            .schema_id = AC_ARCHIVE_SCHEMA_ID,
                            .version = AC_ARCHIVE_SCHEMA_VERSION,
                        });
}

/* ExtendRecordingRequest2: client to archive */
enum {
    AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_TEMPLATE_ID = 64,
    AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_BLOCK_LENGTH = 36,
    AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_RECORDING_ID_OFFSET = 16,
    AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_STREAM_ID_OFFSET = 24,
    AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_SOURCE_LOCATION_OFFSET = 28,
    AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_AUTO_STOP_OFFSET = 32,
};

static inline int64_t ac_archive_extend_recording_request2_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_extend_recording_request2_put_control_session_id(uint8_t *body,
                                                                               int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_extend_recording_request2_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_extend_recording_request2_put_correlation_id(uint8_t *body,
                                                                           int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_CORRELATION_ID_OFFSET, value);
}

static inline int64_t
ac_archive_extend_recording_request2_recording_id(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_extend_recording_request2_put_recording_id(uint8_t *body,
                                                                         int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_RECORDING_ID_OFFSET, value);
}

static inline int32_t ac_archive_extend_recording_request2_stream_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 28
               ? ac_get_int32(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_extend_recording_request2_put_stream_id(uint8_t *body,
                                                                      int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_archive_extend_recording_request2_source_location(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int32(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_SOURCE_LOCATION_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_extend_recording_request2_put_source_location(uint8_t *body,
                                                                            int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_SOURCE_LOCATION_OFFSET, value);
}

static inline int32_t ac_archive_extend_recording_request2_auto_stop(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 36
               ? ac_get_int32(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_AUTO_STOP_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_extend_recording_request2_put_auto_stop(uint8_t *body,
                                                                      int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_AUTO_STOP_OFFSET, value);
}

static inline int64_t ac_archive_extend_recording_request2_read_channel(ac_sbe_reader *reader,
                                                                        uint16_t acting_version,
                                                                        const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_extend_recording_request2_write_channel(ac_sbe_writer *writer,
                                                                      const void *data,
                                                                      uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_extend_recording_request2_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer,
                        (ac_message_header){
                            .block_length = AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_BLOCK_LENGTH,
                            .template_id = AC_ARCHIVE_EXTEND_RECORDING_REQUEST2_TEMPLATE_ID,
                            .schema_id = AC_ARCHIVE_SCHEMA_ID,
                            .version = AC_ARCHIVE_SCHEMA_VERSION,
                        });
}

/* StopRecordingByIdentityRequest: client to archive */
enum {
    AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_TEMPLATE_ID = 65,
    AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_BLOCK_LENGTH = 24,
    AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_RECORDING_ID_OFFSET = 16,
};

static inline int64_t ac_archive_stop_recording_by_identity_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(
                     body + AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void
ac_archive_stop_recording_by_identity_request_put_control_session_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_CONTROL_SESSION_ID_OFFSET,
                 value);
}

static inline int64_t ac_archive_stop_recording_by_identity_request_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body +
                              AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_stop_recording_by_identity_request_put_correlation_id(uint8_t *body,
                                                                                    int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_stop_recording_by_identity_request_recording_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body +
                              AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_stop_recording_by_identity_request_put_recording_id(uint8_t *body,
                                                                                  int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_stop_recording_by_identity_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(
        writer, (ac_message_header){
                    .block_length = AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_BLOCK_LENGTH,
                    .template_id = AC_ARCHIVE_STOP_RECORDING_BY_IDENTITY_REQUEST_TEMPLATE_ID,
                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                });
}

/* ReplicateRequest2: client to archive, since version 6 */
enum {
    AC_ARCHIVE_REPLICATE_REQUEST2_TEMPLATE_ID = 66,
    AC_ARCHIVE_REPLICATE_REQUEST2_BLOCK_LENGTH = 68,
    AC_ARCHIVE_REPLICATE_REQUEST2_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_REPLICATE_REQUEST2_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_REPLICATE_REQUEST2_SRC_RECORDING_ID_OFFSET = 16,
    AC_ARCHIVE_REPLICATE_REQUEST2_DST_RECORDING_ID_OFFSET = 24,
    AC_ARCHIVE_REPLICATE_REQUEST2_STOP_POSITION_OFFSET = 32,
    AC_ARCHIVE_REPLICATE_REQUEST2_CHANNEL_TAG_ID_OFFSET = 40,
    AC_ARCHIVE_REPLICATE_REQUEST2_SUBSCRIPTION_TAG_ID_OFFSET = 48,
    AC_ARCHIVE_REPLICATE_REQUEST2_SRC_CONTROL_STREAM_ID_OFFSET = 56,
    AC_ARCHIVE_REPLICATE_REQUEST2_FILE_IO_MAX_LENGTH_OFFSET = 60,
    AC_ARCHIVE_REPLICATE_REQUEST2_REPLICATION_SESSION_ID_OFFSET = 64,
};

static inline int64_t ac_archive_replicate_request2_control_session_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_REPLICATE_REQUEST2_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replicate_request2_put_control_session_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLICATE_REQUEST2_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_replicate_request2_correlation_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_REPLICATE_REQUEST2_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replicate_request2_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLICATE_REQUEST2_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_replicate_request2_src_recording_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_REPLICATE_REQUEST2_SRC_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replicate_request2_put_src_recording_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLICATE_REQUEST2_SRC_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_archive_replicate_request2_dst_recording_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_ARCHIVE_REPLICATE_REQUEST2_DST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replicate_request2_put_dst_recording_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLICATE_REQUEST2_DST_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_archive_replicate_request2_stop_position(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 40
               ? ac_get_int64(body + AC_ARCHIVE_REPLICATE_REQUEST2_STOP_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replicate_request2_put_stop_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLICATE_REQUEST2_STOP_POSITION_OFFSET, value);
}

static inline int64_t ac_archive_replicate_request2_channel_tag_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 48
               ? ac_get_int64(body + AC_ARCHIVE_REPLICATE_REQUEST2_CHANNEL_TAG_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replicate_request2_put_channel_tag_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLICATE_REQUEST2_CHANNEL_TAG_ID_OFFSET, value);
}

static inline int64_t
ac_archive_replicate_request2_subscription_tag_id(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 56
               ? ac_get_int64(body + AC_ARCHIVE_REPLICATE_REQUEST2_SUBSCRIPTION_TAG_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replicate_request2_put_subscription_tag_id(uint8_t *body,
                                                                         int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLICATE_REQUEST2_SUBSCRIPTION_TAG_ID_OFFSET, value);
}

static inline int32_t ac_archive_replicate_request2_src_control_stream_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 60
               ? ac_get_int32(body + AC_ARCHIVE_REPLICATE_REQUEST2_SRC_CONTROL_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_replicate_request2_put_src_control_stream_id(uint8_t *body,
                                                                           int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_REPLICATE_REQUEST2_SRC_CONTROL_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_archive_replicate_request2_file_io_max_length(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {

    return acting_version >= 7 && acting_block_length >= 64
               ? ac_get_int32(body + AC_ARCHIVE_REPLICATE_REQUEST2_FILE_IO_MAX_LENGTH_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_replicate_request2_put_file_io_max_length(uint8_t *body,
                                                                        int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_REPLICATE_REQUEST2_FILE_IO_MAX_LENGTH_OFFSET, value);
}

static inline int32_t ac_archive_replicate_request2_replication_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {

    return acting_version >= 8 && acting_block_length >= 68
               ? ac_get_int32(body + AC_ARCHIVE_REPLICATE_REQUEST2_REPLICATION_SESSION_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_replicate_request2_put_replication_session_id(uint8_t *body,
                                                                            int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_REPLICATE_REQUEST2_REPLICATION_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_replicate_request2_read_src_control_channel(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_replicate_request2_write_src_control_channel(ac_sbe_writer *writer,
                                                                           const void *data,
                                                                           uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_archive_replicate_request2_read_live_destination(ac_sbe_reader *reader,
                                                                          uint16_t acting_version,
                                                                          const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_replicate_request2_write_live_destination(ac_sbe_writer *writer,
                                                                        const void *data,
                                                                        uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_archive_replicate_request2_read_replication_channel(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_replicate_request2_write_replication_channel(ac_sbe_writer *writer,
                                                                           const void *data,
                                                                           uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_archive_replicate_request2_read_encoded_credentials(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    if (acting_version < 8) {
        *data = NULL;
        return 0;
    }
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_replicate_request2_write_encoded_credentials(ac_sbe_writer *writer,
                                                                           const void *data,
                                                                           uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_archive_replicate_request2_read_src_response_channel(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    if (acting_version < 10) {
        *data = NULL;
        return 0;
    }
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_replicate_request2_write_src_response_channel(ac_sbe_writer *writer,
                                                                            const void *data,
                                                                            uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_replicate_request2_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_REPLICATE_REQUEST2_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_REPLICATE_REQUEST2_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* MaxRecordedPositionRequest: client to archive, since version 9 */
enum {
    AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_TEMPLATE_ID = 67,
    AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_BLOCK_LENGTH = 24,
    AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_RECORDING_ID_OFFSET = 16,
};

static inline int64_t ac_archive_max_recorded_position_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body +
                              AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_max_recorded_position_request_put_control_session_id(uint8_t *body,
                                                                                   int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_max_recorded_position_request_correlation_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_max_recorded_position_request_put_correlation_id(uint8_t *body,
                                                                               int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_max_recorded_position_request_recording_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_max_recorded_position_request_put_recording_id(uint8_t *body,
                                                                             int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_max_recorded_position_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer,
                        (ac_message_header){
                            .block_length = AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_BLOCK_LENGTH,
                            .template_id = AC_ARCHIVE_MAX_RECORDED_POSITION_REQUEST_TEMPLATE_ID,
                            .schema_id = AC_ARCHIVE_SCHEMA_ID,
                            .version = AC_ARCHIVE_SCHEMA_VERSION,
                        });
}

/* ArchiveIdRequest: client to archive, since version 9 */
enum {
    AC_ARCHIVE_ARCHIVE_ID_REQUEST_TEMPLATE_ID = 68,
    AC_ARCHIVE_ARCHIVE_ID_REQUEST_BLOCK_LENGTH = 16,
    AC_ARCHIVE_ARCHIVE_ID_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_ARCHIVE_ID_REQUEST_CORRELATION_ID_OFFSET = 8,
};

static inline int64_t ac_archive_archive_id_request_control_session_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_ARCHIVE_ID_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_archive_id_request_put_control_session_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_ARCHIVE_ID_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_archive_id_request_correlation_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_ARCHIVE_ID_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_archive_id_request_put_correlation_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_ARCHIVE_ID_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_archive_id_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_ARCHIVE_ID_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_ARCHIVE_ID_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* RecordingStarted: archive to subscribers of recording events */
enum {
    AC_ARCHIVE_RECORDING_STARTED_TEMPLATE_ID = 101,
    AC_ARCHIVE_RECORDING_STARTED_BLOCK_LENGTH = 24,
    AC_ARCHIVE_RECORDING_STARTED_RECORDING_ID_OFFSET = 0,
    AC_ARCHIVE_RECORDING_STARTED_START_POSITION_OFFSET = 8,
    AC_ARCHIVE_RECORDING_STARTED_SESSION_ID_OFFSET = 16,
    AC_ARCHIVE_RECORDING_STARTED_STREAM_ID_OFFSET = 20,
};

static inline int64_t ac_archive_recording_started_recording_id(const uint8_t *body,
                                                                uint16_t acting_block_length,
                                                                uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_STARTED_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_started_put_recording_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_STARTED_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_archive_recording_started_start_position(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_STARTED_START_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_started_put_start_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_STARTED_START_POSITION_OFFSET, value);
}

static inline int32_t ac_archive_recording_started_session_id(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 20
               ? ac_get_int32(body + AC_ARCHIVE_RECORDING_STARTED_SESSION_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_recording_started_put_session_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_RECORDING_STARTED_SESSION_ID_OFFSET, value);
}

static inline int32_t ac_archive_recording_started_stream_id(const uint8_t *body,
                                                             uint16_t acting_block_length,
                                                             uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int32(body + AC_ARCHIVE_RECORDING_STARTED_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_recording_started_put_stream_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_RECORDING_STARTED_STREAM_ID_OFFSET, value);
}

static inline int64_t ac_archive_recording_started_read_channel(ac_sbe_reader *reader,
                                                                uint16_t acting_version,
                                                                const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_recording_started_write_channel(ac_sbe_writer *writer,
                                                              const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_archive_recording_started_read_source_identity(ac_sbe_reader *reader,
                                                                        uint16_t acting_version,
                                                                        const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_recording_started_write_source_identity(ac_sbe_writer *writer,
                                                                      const void *data,
                                                                      uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_recording_started_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_RECORDING_STARTED_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_RECORDING_STARTED_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* RecordingProgress: archive to subscribers of recording events */
enum {
    AC_ARCHIVE_RECORDING_PROGRESS_TEMPLATE_ID = 102,
    AC_ARCHIVE_RECORDING_PROGRESS_BLOCK_LENGTH = 24,
    AC_ARCHIVE_RECORDING_PROGRESS_RECORDING_ID_OFFSET = 0,
    AC_ARCHIVE_RECORDING_PROGRESS_START_POSITION_OFFSET = 8,
    AC_ARCHIVE_RECORDING_PROGRESS_POSITION_OFFSET = 16,
};

static inline int64_t ac_archive_recording_progress_recording_id(const uint8_t *body,
                                                                 uint16_t acting_block_length,
                                                                 uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_PROGRESS_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_progress_put_recording_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_PROGRESS_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_archive_recording_progress_start_position(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_PROGRESS_START_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_progress_put_start_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_PROGRESS_START_POSITION_OFFSET, value);
}

static inline int64_t ac_archive_recording_progress_position(const uint8_t *body,
                                                             uint16_t acting_block_length,
                                                             uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_PROGRESS_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_progress_put_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_PROGRESS_POSITION_OFFSET, value);
}

static inline uint8_t *ac_archive_recording_progress_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_RECORDING_PROGRESS_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_RECORDING_PROGRESS_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* RecordingStopped: archive to subscribers of recording events */
enum {
    AC_ARCHIVE_RECORDING_STOPPED_TEMPLATE_ID = 103,
    AC_ARCHIVE_RECORDING_STOPPED_BLOCK_LENGTH = 24,
    AC_ARCHIVE_RECORDING_STOPPED_RECORDING_ID_OFFSET = 0,
    AC_ARCHIVE_RECORDING_STOPPED_START_POSITION_OFFSET = 8,
    AC_ARCHIVE_RECORDING_STOPPED_STOP_POSITION_OFFSET = 16,
};

static inline int64_t ac_archive_recording_stopped_recording_id(const uint8_t *body,
                                                                uint16_t acting_block_length,
                                                                uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_STOPPED_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_stopped_put_recording_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_STOPPED_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_archive_recording_stopped_start_position(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_STOPPED_START_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_stopped_put_start_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_STOPPED_START_POSITION_OFFSET, value);
}

static inline int64_t ac_archive_recording_stopped_stop_position(const uint8_t *body,
                                                                 uint16_t acting_block_length,
                                                                 uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_RECORDING_STOPPED_STOP_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_recording_stopped_put_stop_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_STOPPED_STOP_POSITION_OFFSET, value);
}

static inline uint8_t *ac_archive_recording_stopped_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_RECORDING_STOPPED_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_RECORDING_STOPPED_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* PurgeRecordingRequest: client to archive, since version 5 */
enum {
    AC_ARCHIVE_PURGE_RECORDING_REQUEST_TEMPLATE_ID = 104,
    AC_ARCHIVE_PURGE_RECORDING_REQUEST_BLOCK_LENGTH = 24,
    AC_ARCHIVE_PURGE_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_PURGE_RECORDING_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_PURGE_RECORDING_REQUEST_RECORDING_ID_OFFSET = 16,
};

static inline int64_t ac_archive_purge_recording_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_PURGE_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_purge_recording_request_put_control_session_id(uint8_t *body,
                                                                             int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_PURGE_RECORDING_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t
ac_archive_purge_recording_request_correlation_id(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_PURGE_RECORDING_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_purge_recording_request_put_correlation_id(uint8_t *body,
                                                                         int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_PURGE_RECORDING_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_purge_recording_request_recording_id(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_PURGE_RECORDING_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_purge_recording_request_put_recording_id(uint8_t *body,
                                                                       int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_PURGE_RECORDING_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_purge_recording_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_PURGE_RECORDING_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_PURGE_RECORDING_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* ReplayTokenRequest: client to archive, since version 10 */
enum {
    AC_ARCHIVE_REPLAY_TOKEN_REQUEST_TEMPLATE_ID = 105,
    AC_ARCHIVE_REPLAY_TOKEN_REQUEST_BLOCK_LENGTH = 24,
    AC_ARCHIVE_REPLAY_TOKEN_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_REPLAY_TOKEN_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_REPLAY_TOKEN_REQUEST_RECORDING_ID_OFFSET = 16,
};

static inline int64_t ac_archive_replay_token_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_REPLAY_TOKEN_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replay_token_request_put_control_session_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLAY_TOKEN_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_replay_token_request_correlation_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_REPLAY_TOKEN_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replay_token_request_put_correlation_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLAY_TOKEN_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_replay_token_request_recording_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_REPLAY_TOKEN_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_replay_token_request_put_recording_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_REPLAY_TOKEN_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_replay_token_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_REPLAY_TOKEN_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_REPLAY_TOKEN_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* Ping: archive to client, since version 11 */
enum {
    AC_ARCHIVE_PING_TEMPLATE_ID = 106,
    AC_ARCHIVE_PING_BLOCK_LENGTH = 8,
    AC_ARCHIVE_PING_CONTROL_SESSION_ID_OFFSET = 0,
};

static inline int64_t ac_archive_ping_control_session_id(const uint8_t *body,
                                                         uint16_t acting_block_length,
                                                         uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8 ? ac_get_int64(body + AC_ARCHIVE_PING_CONTROL_SESSION_ID_OFFSET)
                                    : INT64_MIN;
}

static inline void ac_archive_ping_put_control_session_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_PING_CONTROL_SESSION_ID_OFFSET, value);
}

static inline uint8_t *ac_archive_ping_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_PING_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_PING_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

/* UpdateChannelRequest: client to archive, since version 13 */
enum {
    AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_TEMPLATE_ID = 107,
    AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_BLOCK_LENGTH = 24,
    AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_CONTROL_SESSION_ID_OFFSET = 0,
    AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_CORRELATION_ID_OFFSET = 8,
    AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_RECORDING_ID_OFFSET = 16,
};

static inline int64_t ac_archive_update_channel_request_control_session_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_CONTROL_SESSION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_update_channel_request_put_control_session_id(uint8_t *body,
                                                                            int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_CONTROL_SESSION_ID_OFFSET, value);
}

static inline int64_t ac_archive_update_channel_request_correlation_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_CORRELATION_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_update_channel_request_put_correlation_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_CORRELATION_ID_OFFSET, value);
}

static inline int64_t ac_archive_update_channel_request_recording_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_RECORDING_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_update_channel_request_put_recording_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_RECORDING_ID_OFFSET, value);
}

static inline int64_t ac_archive_update_channel_request_read_channel(ac_sbe_reader *reader,
                                                                     uint16_t acting_version,
                                                                     const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_update_channel_request_write_channel(ac_sbe_writer *writer,
                                                                   const void *data,
                                                                   uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_update_channel_request_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_UPDATE_CHANNEL_REQUEST_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_SCHEMA_ID,
                                    .version = AC_ARCHIVE_SCHEMA_VERSION,
                                });
}

#endif
