/* Generated from archive.xml and c_codecs.toml by tools/generate_codecs.py. Edit them, run it. */
#ifndef AERON_CLUSTER_CODECS_ARCHIVE_H
#define AERON_CLUSTER_CODECS_ARCHIVE_H

#include "aeron_cluster/codecs/sbe.h"

enum {
    AC_ARCHIVE_SCHEMA_ID = 101,
    AC_ARCHIVE_SCHEMA_VERSION = 13,
};

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

static inline void ac_archive_recording_descriptor_put_control_session_id(uint8_t *body,
                                                                          int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_CONTROL_SESSION_ID_OFFSET, value);
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

static inline void ac_archive_recording_descriptor_put_start_timestamp(uint8_t *body,
                                                                       int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_START_TIMESTAMP_OFFSET, value);
}

static inline void ac_archive_recording_descriptor_put_stop_timestamp(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_STOP_TIMESTAMP_OFFSET, value);
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

static inline void ac_archive_recording_descriptor_put_initial_term_id(uint8_t *body,
                                                                       int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_INITIAL_TERM_ID_OFFSET, value);
}

static inline void ac_archive_recording_descriptor_put_segment_file_length(uint8_t *body,
                                                                           int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_SEGMENT_FILE_LENGTH_OFFSET, value);
}

static inline void ac_archive_recording_descriptor_put_term_buffer_length(uint8_t *body,
                                                                          int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_TERM_BUFFER_LENGTH_OFFSET, value);
}

static inline void ac_archive_recording_descriptor_put_mtu_length(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_RECORDING_DESCRIPTOR_MTU_LENGTH_OFFSET, value);
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

/* Ping: archive to client, since version 11 */
enum {
    AC_ARCHIVE_PING_TEMPLATE_ID = 106,
    AC_ARCHIVE_PING_BLOCK_LENGTH = 8,
};

#endif
