/* Generated from schemas/cluster_mark.xml by tools/generate_codecs.py. Edit it, run the tool. */
#ifndef AERON_CLUSTER_CODECS_CLUSTER_MARK_H
#define AERON_CLUSTER_CODECS_CLUSTER_MARK_H

#include "aeron_cluster/codecs/sbe.h"

enum {
    AC_CLUSTER_MARK_SCHEMA_ID = 110,
    AC_CLUSTER_MARK_SCHEMA_VERSION = 2,
    AC_CLUSTER_MARK_HEADER_LENGTH = 8,
};

#define AC_CLUSTER_MARK_SEMANTIC_VERSION "5.4"

enum ac_cluster_mark_cluster_component_type {
    AC_CLUSTER_MARK_CLUSTER_COMPONENT_TYPE_UNKNOWN = 0,
    AC_CLUSTER_MARK_CLUSTER_COMPONENT_TYPE_CONSENSUS_MODULE = 1,
    AC_CLUSTER_MARK_CLUSTER_COMPONENT_TYPE_CONTAINER = 2,
    AC_CLUSTER_MARK_CLUSTER_COMPONENT_TYPE_BACKUP = 3,
    AC_CLUSTER_MARK_CLUSTER_COMPONENT_TYPE_STANDBY = 4,
    AC_CLUSTER_MARK_CLUSTER_COMPONENT_TYPE_NULL_VALUE = INT32_MIN,
};

/* MarkFileHeader */
enum {
    AC_CLUSTER_MARK_MARK_FILE_HEADER_TEMPLATE_ID = 200,
    AC_CLUSTER_MARK_MARK_FILE_HEADER_BLOCK_LENGTH = 128,
    AC_CLUSTER_MARK_MARK_FILE_HEADER_VERSION_OFFSET = 0,
    AC_CLUSTER_MARK_MARK_FILE_HEADER_COMPONENT_TYPE_OFFSET = 4,
    AC_CLUSTER_MARK_MARK_FILE_HEADER_ACTIVITY_TIMESTAMP_OFFSET = 8,
    AC_CLUSTER_MARK_MARK_FILE_HEADER_START_TIMESTAMP_OFFSET = 16,
    AC_CLUSTER_MARK_MARK_FILE_HEADER_PID_OFFSET = 24,
    AC_CLUSTER_MARK_MARK_FILE_HEADER_CANDIDATE_TERM_ID_OFFSET = 32,
    AC_CLUSTER_MARK_MARK_FILE_HEADER_ARCHIVE_STREAM_ID_OFFSET = 40,
    AC_CLUSTER_MARK_MARK_FILE_HEADER_SERVICE_STREAM_ID_OFFSET = 44,
    AC_CLUSTER_MARK_MARK_FILE_HEADER_CONSENSUS_MODULE_STREAM_ID_OFFSET = 48,
    AC_CLUSTER_MARK_MARK_FILE_HEADER_INGRESS_STREAM_ID_OFFSET = 52,
    AC_CLUSTER_MARK_MARK_FILE_HEADER_MEMBER_ID_OFFSET = 56,
    AC_CLUSTER_MARK_MARK_FILE_HEADER_SERVICE_ID_OFFSET = 60,
    AC_CLUSTER_MARK_MARK_FILE_HEADER_HEADER_LENGTH_OFFSET = 64,
    AC_CLUSTER_MARK_MARK_FILE_HEADER_ERROR_BUFFER_LENGTH_OFFSET = 68,
    AC_CLUSTER_MARK_MARK_FILE_HEADER_CLUSTER_ID_OFFSET = 72,
};

static inline int32_t ac_cluster_mark_mark_file_header_version(const uint8_t *body,
                                                               uint16_t acting_block_length,
                                                               uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 4
               ? ac_get_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_VERSION_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_mark_mark_file_header_put_version(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_VERSION_OFFSET, value);
}

static inline int32_t ac_cluster_mark_mark_file_header_component_type(const uint8_t *body,
                                                                      uint16_t acting_block_length,
                                                                      uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_COMPONENT_TYPE_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_mark_mark_file_header_put_component_type(uint8_t *body,
                                                                       int32_t value) {
    ac_put_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_COMPONENT_TYPE_OFFSET, value);
}

static inline int64_t ac_cluster_mark_mark_file_header_activity_timestamp(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_ACTIVITY_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_mark_mark_file_header_put_activity_timestamp(uint8_t *body,
                                                                           int64_t value) {
    ac_put_int64(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_ACTIVITY_TIMESTAMP_OFFSET, value);
}

static inline int64_t ac_cluster_mark_mark_file_header_start_timestamp(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_START_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_mark_mark_file_header_put_start_timestamp(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_START_TIMESTAMP_OFFSET, value);
}

static inline int64_t ac_cluster_mark_mark_file_header_pid(const uint8_t *body,
                                                           uint16_t acting_block_length,
                                                           uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_PID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_mark_mark_file_header_put_pid(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_PID_OFFSET, value);
}

static inline int64_t ac_cluster_mark_mark_file_header_candidate_term_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 40
               ? ac_get_int64(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_CANDIDATE_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_cluster_mark_mark_file_header_put_candidate_term_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_CANDIDATE_TERM_ID_OFFSET, value);
}

static inline int32_t ac_cluster_mark_mark_file_header_archive_stream_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 44
               ? ac_get_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_ARCHIVE_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_mark_mark_file_header_put_archive_stream_id(uint8_t *body,
                                                                          int32_t value) {
    ac_put_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_ARCHIVE_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_cluster_mark_mark_file_header_service_stream_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 48
               ? ac_get_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_SERVICE_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_mark_mark_file_header_put_service_stream_id(uint8_t *body,
                                                                          int32_t value) {
    ac_put_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_SERVICE_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_cluster_mark_mark_file_header_consensus_module_stream_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 52
               ? ac_get_int32(body +
                              AC_CLUSTER_MARK_MARK_FILE_HEADER_CONSENSUS_MODULE_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_mark_mark_file_header_put_consensus_module_stream_id(uint8_t *body,
                                                                                   int32_t value) {
    ac_put_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_CONSENSUS_MODULE_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_cluster_mark_mark_file_header_ingress_stream_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 56
               ? ac_get_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_INGRESS_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_mark_mark_file_header_put_ingress_stream_id(uint8_t *body,
                                                                          int32_t value) {
    ac_put_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_INGRESS_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_cluster_mark_mark_file_header_member_id(const uint8_t *body,
                                                                 uint16_t acting_block_length,
                                                                 uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 60
               ? ac_get_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_mark_mark_file_header_put_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_MEMBER_ID_OFFSET, value);
}

static inline int32_t ac_cluster_mark_mark_file_header_service_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 64
               ? ac_get_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_SERVICE_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_mark_mark_file_header_put_service_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_SERVICE_ID_OFFSET, value);
}

static inline int32_t ac_cluster_mark_mark_file_header_header_length(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 68
               ? ac_get_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_HEADER_LENGTH_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_mark_mark_file_header_put_header_length(uint8_t *body,
                                                                      int32_t value) {
    ac_put_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_HEADER_LENGTH_OFFSET, value);
}

static inline int32_t ac_cluster_mark_mark_file_header_error_buffer_length(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 72
               ? ac_get_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_ERROR_BUFFER_LENGTH_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_mark_mark_file_header_put_error_buffer_length(uint8_t *body,
                                                                            int32_t value) {
    ac_put_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_ERROR_BUFFER_LENGTH_OFFSET, value);
}

static inline int32_t ac_cluster_mark_mark_file_header_cluster_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 76
               ? ac_get_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_CLUSTER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_cluster_mark_mark_file_header_put_cluster_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_CLUSTER_MARK_MARK_FILE_HEADER_CLUSTER_ID_OFFSET, value);
}

static inline int64_t ac_cluster_mark_mark_file_header_read_aeron_directory(ac_sbe_reader *reader,
                                                                            uint16_t acting_version,
                                                                            const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_mark_mark_file_header_write_aeron_directory(ac_sbe_writer *writer,
                                                                          const void *data,
                                                                          uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_cluster_mark_mark_file_header_read_control_channel(ac_sbe_reader *reader,
                                                                            uint16_t acting_version,
                                                                            const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_mark_mark_file_header_write_control_channel(ac_sbe_writer *writer,
                                                                          const void *data,
                                                                          uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_cluster_mark_mark_file_header_read_ingress_channel(ac_sbe_reader *reader,
                                                                            uint16_t acting_version,
                                                                            const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_mark_mark_file_header_write_ingress_channel(ac_sbe_writer *writer,
                                                                          const void *data,
                                                                          uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_cluster_mark_mark_file_header_read_service_name(ac_sbe_reader *reader,
                                                                         uint16_t acting_version,
                                                                         const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_mark_mark_file_header_write_service_name(ac_sbe_writer *writer,
                                                                       const void *data,
                                                                       uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_cluster_mark_mark_file_header_read_authenticator(ac_sbe_reader *reader,
                                                                          uint16_t acting_version,
                                                                          const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_cluster_mark_mark_file_header_write_authenticator(ac_sbe_writer *writer,
                                                                        const void *data,
                                                                        uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_cluster_mark_mark_file_header_read_services_cluster_dir(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    if (acting_version < 1) {
        *data = NULL;
        return 0;
    }
    return ac_sbe_read_data(reader, data);
}

static inline bool
ac_cluster_mark_mark_file_header_write_services_cluster_dir(ac_sbe_writer *writer, const void *data,
                                                            uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_cluster_mark_mark_file_header_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_CLUSTER_MARK_MARK_FILE_HEADER_BLOCK_LENGTH,
                                    .template_id = AC_CLUSTER_MARK_MARK_FILE_HEADER_TEMPLATE_ID,
                                    .schema_id = AC_CLUSTER_MARK_SCHEMA_ID,
                                    .version = AC_CLUSTER_MARK_SCHEMA_VERSION,
                                });
}

#endif
