/* Generated from schemas/archive_mark.xml by tools/generate_codecs.py. Edit it, run the tool. */
#ifndef AERON_CLUSTER_CODECS_ARCHIVE_MARK_H
#define AERON_CLUSTER_CODECS_ARCHIVE_MARK_H

#include "aeron_cluster/codecs/sbe.h"

enum {
    AC_ARCHIVE_MARK_SCHEMA_ID = 100,
    AC_ARCHIVE_MARK_SCHEMA_VERSION = 2,
    AC_ARCHIVE_MARK_HEADER_LENGTH = 8,
};

#define AC_ARCHIVE_MARK_SEMANTIC_VERSION "5.2"

/* MarkFileHeader: a record in a file */
enum {
    AC_ARCHIVE_MARK_MARK_FILE_HEADER_TEMPLATE_ID = 200,
    AC_ARCHIVE_MARK_MARK_FILE_HEADER_BLOCK_LENGTH = 128,
    AC_ARCHIVE_MARK_MARK_FILE_HEADER_VERSION_OFFSET = 0,
    AC_ARCHIVE_MARK_MARK_FILE_HEADER_ACTIVITY_TIMESTAMP_OFFSET = 8,
    AC_ARCHIVE_MARK_MARK_FILE_HEADER_START_TIMESTAMP_OFFSET = 16,
    AC_ARCHIVE_MARK_MARK_FILE_HEADER_PID_OFFSET = 24,
    AC_ARCHIVE_MARK_MARK_FILE_HEADER_CONTROL_STREAM_ID_OFFSET = 32,
    AC_ARCHIVE_MARK_MARK_FILE_HEADER_LOCAL_CONTROL_STREAM_ID_OFFSET = 36,
    AC_ARCHIVE_MARK_MARK_FILE_HEADER_EVENTS_STREAM_ID_OFFSET = 40,
    AC_ARCHIVE_MARK_MARK_FILE_HEADER_HEADER_LENGTH_OFFSET = 44,
    AC_ARCHIVE_MARK_MARK_FILE_HEADER_ERROR_BUFFER_LENGTH_OFFSET = 48,
    AC_ARCHIVE_MARK_MARK_FILE_HEADER_ARCHIVE_ID_OFFSET = 56,
};

static inline int32_t ac_archive_mark_mark_file_header_version(const uint8_t *body,
                                                               uint16_t acting_block_length,
                                                               uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 4
               ? ac_get_int32(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_VERSION_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_mark_mark_file_header_put_version(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_VERSION_OFFSET, value);
}

static inline int64_t ac_archive_mark_mark_file_header_activity_timestamp(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_ACTIVITY_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_mark_mark_file_header_put_activity_timestamp(uint8_t *body,
                                                                           int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_ACTIVITY_TIMESTAMP_OFFSET, value);
}

static inline int64_t ac_archive_mark_mark_file_header_start_timestamp(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_START_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_mark_mark_file_header_put_start_timestamp(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_START_TIMESTAMP_OFFSET, value);
}

static inline int64_t ac_archive_mark_mark_file_header_pid(const uint8_t *body,
                                                           uint16_t acting_block_length,
                                                           uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 32
               ? ac_get_int64(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_PID_OFFSET)
               : INT64_MIN;
}

static inline void ac_archive_mark_mark_file_header_put_pid(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_PID_OFFSET, value);
}

static inline int32_t ac_archive_mark_mark_file_header_control_stream_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 36
               ? ac_get_int32(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_CONTROL_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_mark_mark_file_header_put_control_stream_id(uint8_t *body,
                                                                          int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_CONTROL_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_archive_mark_mark_file_header_local_control_stream_id(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 40
               ? ac_get_int32(body +
                              AC_ARCHIVE_MARK_MARK_FILE_HEADER_LOCAL_CONTROL_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_mark_mark_file_header_put_local_control_stream_id(uint8_t *body,
                                                                                int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_LOCAL_CONTROL_STREAM_ID_OFFSET, value);
}

static inline int32_t
ac_archive_mark_mark_file_header_events_stream_id(const uint8_t *body, uint16_t acting_block_length,
                                                  uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 44
               ? ac_get_int32(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_EVENTS_STREAM_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_archive_mark_mark_file_header_put_events_stream_id(uint8_t *body,
                                                                         int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_EVENTS_STREAM_ID_OFFSET, value);
}

static inline int32_t ac_archive_mark_mark_file_header_header_length(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {

    return acting_version >= 1 && acting_block_length >= 48
               ? ac_get_int32(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_HEADER_LENGTH_OFFSET)
               : 0;
}

static inline void ac_archive_mark_mark_file_header_put_header_length(uint8_t *body,
                                                                      int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_HEADER_LENGTH_OFFSET, value);
}

static inline int32_t ac_archive_mark_mark_file_header_error_buffer_length(
    const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) {

    return acting_version >= 1 && acting_block_length >= 52
               ? ac_get_int32(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_ERROR_BUFFER_LENGTH_OFFSET)
               : 0;
}

static inline void ac_archive_mark_mark_file_header_put_error_buffer_length(uint8_t *body,
                                                                            int32_t value) {
    ac_put_int32(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_ERROR_BUFFER_LENGTH_OFFSET, value);
}

static inline int64_t ac_archive_mark_mark_file_header_archive_id(const uint8_t *body,
                                                                  uint16_t acting_block_length,
                                                                  uint16_t acting_version) {

    return acting_version >= 2 && acting_block_length >= 64
               ? ac_get_int64(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_ARCHIVE_ID_OFFSET)
               : -1;
}

static inline void ac_archive_mark_mark_file_header_put_archive_id(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_ARCHIVE_MARK_MARK_FILE_HEADER_ARCHIVE_ID_OFFSET, value);
}

static inline int64_t ac_archive_mark_mark_file_header_read_control_channel(ac_sbe_reader *reader,
                                                                            uint16_t acting_version,
                                                                            const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_mark_mark_file_header_write_control_channel(ac_sbe_writer *writer,
                                                                          const void *data,
                                                                          uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_archive_mark_mark_file_header_read_local_control_channel(
    ac_sbe_reader *reader, uint16_t acting_version, const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool
ac_archive_mark_mark_file_header_write_local_control_channel(ac_sbe_writer *writer,
                                                             const void *data, uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_archive_mark_mark_file_header_read_events_channel(ac_sbe_reader *reader,
                                                                           uint16_t acting_version,
                                                                           const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_mark_mark_file_header_write_events_channel(ac_sbe_writer *writer,
                                                                         const void *data,
                                                                         uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline int64_t ac_archive_mark_mark_file_header_read_aeron_directory(ac_sbe_reader *reader,
                                                                            uint16_t acting_version,
                                                                            const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_archive_mark_mark_file_header_write_aeron_directory(ac_sbe_writer *writer,
                                                                          const void *data,
                                                                          uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_archive_mark_mark_file_header_begin(ac_sbe_writer *writer) {
    return ac_sbe_begin(writer, (ac_message_header){
                                    .block_length = AC_ARCHIVE_MARK_MARK_FILE_HEADER_BLOCK_LENGTH,
                                    .template_id = AC_ARCHIVE_MARK_MARK_FILE_HEADER_TEMPLATE_ID,
                                    .schema_id = AC_ARCHIVE_MARK_SCHEMA_ID,
                                    .version = AC_ARCHIVE_MARK_SCHEMA_VERSION,
                                });
}

#endif
