/* The base of all generated codecs: in-place access to values, and bounds-checked cursors.

   A message is a header, a block of fixed fields, groups, then variable data:

    +--------+--------------------+-----------------------------+----------------------+
    | header | block              | groups                      | data                 |
    | 8      | header.block_length| {u16 length, u16 count,     | {u32 length, bytes}  |
    |        |                    |  count x (block, data)} ... | ...                  |
    +--------+--------------------+-----------------------------+----------------------+

   Reading: `ac_sbe_wrap` locates header and block within the given bytes. Then fields are read by
   generated accessors, which return the null value for a field that the sender's version or block
   lacks, and the rest through an `ac_sbe_reader`. Every step of a cursor is checked against
   `limit`; a step beyond it fails and leaves the cursor in place, so that each later step fails
   too.

   Writing: an `ac_sbe_writer` covers the writable bytes; a step that does not fit fails in the same
   way.

   Messages with groups are read and written only in Python. */
#ifndef AERON_CLUSTER_CODECS_SBE_H
#define AERON_CLUSTER_CODECS_SBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "aeron_cluster: expected a little-endian machine"
#endif

enum {
    AC_MESSAGE_HEADER_LENGTH = 8,
    AC_SBE_DATA_HEADER_LENGTH = 4,
    AC_SBE_MAX_DATA_LENGTH = 1073741824,
};

typedef struct ac_message_header {
    uint16_t block_length;
    uint16_t template_id;
    uint16_t schema_id;
    uint16_t version;
} ac_message_header;

_Static_assert(sizeof(ac_message_header) == AC_MESSAGE_HEADER_LENGTH, "wire");
_Static_assert(offsetof(ac_message_header, template_id) == 2, "wire");
_Static_assert(offsetof(ac_message_header, schema_id) == 4, "wire");
_Static_assert(offsetof(ac_message_header, version) == 6, "wire");

/* A message with header and block within the given bytes. */
typedef struct ac_sbe_message {
    const uint8_t *body;  /* the block of fixed fields */
    const uint8_t *limit; /* the first byte after the readable ones */
    uint16_t block_length;
    uint16_t template_id;
    uint16_t schema_id;
    uint16_t version;
} ac_sbe_message;

typedef struct ac_sbe_reader {
    const uint8_t *at;
    const uint8_t *limit;
} ac_sbe_reader;

typedef struct ac_sbe_writer {
    uint8_t *at;
    uint8_t *limit;
} ac_sbe_writer;

/* Values: memcpy of a constant length is one load or store, at any alignment. */

static inline int8_t ac_get_int8(const uint8_t *at) {
    return (int8_t)at[0];
}

static inline uint8_t ac_get_uint8(const uint8_t *at) {
    return at[0];
}

static inline uint16_t ac_get_uint16(const uint8_t *at) {
    uint16_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static inline int32_t ac_get_int32(const uint8_t *at) {
    int32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static inline uint32_t ac_get_uint32(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static inline int64_t ac_get_int64(const uint8_t *at) {
    int64_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static inline void ac_put_int8(uint8_t *at, int8_t value) {
    at[0] = (uint8_t)value;
}

static inline void ac_put_uint8(uint8_t *at, uint8_t value) {
    at[0] = value;
}

static inline void ac_put_uint16(uint8_t *at, uint16_t value) {
    memcpy(at, &value, sizeof(value));
}

static inline void ac_put_int32(uint8_t *at, int32_t value) {
    memcpy(at, &value, sizeof(value));
}

static inline void ac_put_uint32(uint8_t *at, uint32_t value) {
    memcpy(at, &value, sizeof(value));
}

static inline void ac_put_int64(uint8_t *at, int64_t value) {
    memcpy(at, &value, sizeof(value));
}

/* Reading. */

/* False if the header, or the block with the length it states, exceeds `length` bytes. */
static inline bool ac_sbe_wrap(ac_sbe_message *message, const uint8_t *buffer, size_t length) {
    ac_message_header header;
    if (length < sizeof(header)) {
        return false;
    }
    memcpy(&header, buffer, sizeof(header));
    *message = (ac_sbe_message){.body = buffer + sizeof(header),
                                .limit = buffer + length,
                                .block_length = header.block_length,
                                .template_id = header.template_id,
                                .schema_id = header.schema_id,
                                .version = header.version};
    return header.block_length <= length - sizeof(header);
}

/* The cursor after the block of a wrapped message: at the first group or variable part. */
static inline ac_sbe_reader ac_sbe_reader_after(const ac_sbe_message *message) {
    return (ac_sbe_reader){.at = message->body + message->block_length, .limit = message->limit};
}

/* The next variable part: returns its length, or -1 if it is incomplete. */
static inline int64_t ac_sbe_read_data(ac_sbe_reader *reader, const uint8_t **data) {
    const size_t remaining = (size_t)(reader->limit - reader->at);
    if (remaining < AC_SBE_DATA_HEADER_LENGTH) {
        return -1;
    }
    const uint32_t length = ac_get_uint32(reader->at);
    if (length > AC_SBE_MAX_DATA_LENGTH || length > remaining - AC_SBE_DATA_HEADER_LENGTH) {
        return -1;
    }
    *data = reader->at + AC_SBE_DATA_HEADER_LENGTH;
    reader->at = *data + length;
    return (int64_t)length;
}

/* Writing. */

/* The next `length` bytes, zeroed; NULL if they do not fit. */
static inline uint8_t *ac_sbe_reserve(ac_sbe_writer *writer, size_t length) {
    uint8_t *at = writer->at;
    if (length > (size_t)(writer->limit - at)) {
        return NULL;
    }
    memset(at, 0, length);
    writer->at += length;
    return at;
}

/* Write a message header and a zeroed block; returns the block, or NULL if they do not fit. */
static inline uint8_t *ac_sbe_begin(ac_sbe_writer *writer, ac_message_header header) {
    uint8_t *at = ac_sbe_reserve(writer, sizeof(header) + header.block_length);
    if (at == NULL) {
        return NULL;
    }
    memcpy(at, &header, sizeof(header));
    return at + sizeof(header);
}

/* Returns false without writing if the part does not fit. `data` may be NULL if `length` is 0.
 */
static inline bool ac_sbe_write_data(ac_sbe_writer *writer, const void *data, uint32_t length) {
    const size_t room = (size_t)(writer->limit - writer->at);
    if (length > AC_SBE_MAX_DATA_LENGTH || room < AC_SBE_DATA_HEADER_LENGTH ||
        length > room - AC_SBE_DATA_HEADER_LENGTH) {
        return false;
    }
    ac_put_uint32(writer->at, length);
    if (length > 0) {
        memcpy(writer->at + AC_SBE_DATA_HEADER_LENGTH, data, length);
    }
    writer->at += AC_SBE_DATA_HEADER_LENGTH + length;
    return true;
}

#endif
