/* Generated from schemas/node_state.xml by tools/generate_codecs.py. Edit it, run the tool. */
#ifndef AERON_CLUSTER_CODECS_NODE_STATE_H
#define AERON_CLUSTER_CODECS_NODE_STATE_H

#include "aeron_cluster/codecs/sbe.h"

enum {
    AC_NODE_STATE_SCHEMA_ID = 112,
    AC_NODE_STATE_SCHEMA_VERSION = 10,
    AC_NODE_STATE_HEADER_LENGTH = 16,
};

#define AC_NODE_STATE_SEMANTIC_VERSION "5.3"

typedef struct ac_node_state_message_header {
    uint16_t block_length;
    uint16_t template_id;
    uint16_t schema_id;
    uint16_t version;
    int32_t frame_length;
    int32_t padding;
} ac_node_state_message_header;

_Static_assert(sizeof(ac_node_state_message_header) == 16, "file");
_Static_assert(offsetof(ac_node_state_message_header, block_length) == 0, "file");
_Static_assert(offsetof(ac_node_state_message_header, template_id) == 2, "file");
_Static_assert(offsetof(ac_node_state_message_header, schema_id) == 4, "file");
_Static_assert(offsetof(ac_node_state_message_header, version) == 6, "file");
_Static_assert(offsetof(ac_node_state_message_header, frame_length) == 8, "file");
_Static_assert(offsetof(ac_node_state_message_header, padding) == 12, "file");

/* As ac_sbe_wrap; false also when the record is longer than `length`. */
static inline bool ac_node_state_wrap(ac_sbe_message *message, const uint8_t *buffer,
                                      size_t length) {
    ac_node_state_message_header header;
    if (length < sizeof(header)) {
        return false;
    }
    memcpy(&header, buffer, sizeof(header));
    if (header.frame_length < (int32_t)sizeof(header) || (size_t)header.frame_length > length) {
        return false;
    }
    const size_t body_length = (size_t)header.frame_length - sizeof(header);
    const bool is_complete = ac_sbe_wrap_block(message, buffer + sizeof(header), body_length,
                                               header.block_length, header.version);
    message->template_id = header.template_id;
    message->schema_id = header.schema_id;
    return is_complete;
}

/* nodeStateHeader */
enum {
    AC_NODE_STATE_NODE_STATE_HEADER_TEMPLATE_ID = 300,
    AC_NODE_STATE_NODE_STATE_HEADER_BLOCK_LENGTH = 8,
    AC_NODE_STATE_NODE_STATE_HEADER_VERSION_OFFSET = 0,
    AC_NODE_STATE_NODE_STATE_HEADER_PADDING_OFFSET = 4,
};

static inline int32_t ac_node_state_node_state_header_version(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 4
               ? ac_get_int32(body + AC_NODE_STATE_NODE_STATE_HEADER_VERSION_OFFSET)
               : INT32_MIN;
}

static inline void ac_node_state_node_state_header_put_version(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_NODE_STATE_NODE_STATE_HEADER_VERSION_OFFSET, value);
}

static inline int32_t ac_node_state_node_state_header_padding(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int32(body + AC_NODE_STATE_NODE_STATE_HEADER_PADDING_OFFSET)
               : INT32_MIN;
}

static inline void ac_node_state_node_state_header_put_padding(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_NODE_STATE_NODE_STATE_HEADER_PADDING_OFFSET, value);
}

static inline uint8_t *ac_node_state_node_state_header_begin(ac_sbe_writer *writer) {
    const ac_node_state_message_header header = {
        .block_length = AC_NODE_STATE_NODE_STATE_HEADER_BLOCK_LENGTH,
        .template_id = AC_NODE_STATE_NODE_STATE_HEADER_TEMPLATE_ID,
        .schema_id = AC_NODE_STATE_SCHEMA_ID,
        .version = AC_NODE_STATE_SCHEMA_VERSION,
        .frame_length = AC_NODE_STATE_HEADER_LENGTH + AC_NODE_STATE_NODE_STATE_HEADER_BLOCK_LENGTH,
    };
    uint8_t *at =
        ac_sbe_reserve(writer, sizeof(header) + AC_NODE_STATE_NODE_STATE_HEADER_BLOCK_LENGTH);
    if (at == NULL) {
        return NULL;
    }
    memcpy(at, &header, sizeof(header));
    return at + sizeof(header);
}

/* candidateTerm */
enum {
    AC_NODE_STATE_CANDIDATE_TERM_TEMPLATE_ID = 301,
    AC_NODE_STATE_CANDIDATE_TERM_BLOCK_LENGTH = 24,
    AC_NODE_STATE_CANDIDATE_TERM_CANDIDATE_TERM_ID_OFFSET = 0,
    AC_NODE_STATE_CANDIDATE_TERM_TIMESTAMP_OFFSET = 8,
    AC_NODE_STATE_CANDIDATE_TERM_LOG_POSITION_OFFSET = 16,
};

static inline int64_t ac_node_state_candidate_term_candidate_term_id(const uint8_t *body,
                                                                     uint16_t acting_block_length,
                                                                     uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_NODE_STATE_CANDIDATE_TERM_CANDIDATE_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_node_state_candidate_term_put_candidate_term_id(uint8_t *body,
                                                                      int64_t value) {
    ac_put_int64(body + AC_NODE_STATE_CANDIDATE_TERM_CANDIDATE_TERM_ID_OFFSET, value);
}

static inline int64_t ac_node_state_candidate_term_timestamp(const uint8_t *body,
                                                             uint16_t acting_block_length,
                                                             uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int64(body + AC_NODE_STATE_CANDIDATE_TERM_TIMESTAMP_OFFSET)
               : INT64_MIN;
}

static inline void ac_node_state_candidate_term_put_timestamp(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_NODE_STATE_CANDIDATE_TERM_TIMESTAMP_OFFSET, value);
}

static inline int64_t ac_node_state_candidate_term_log_position(const uint8_t *body,
                                                                uint16_t acting_block_length,
                                                                uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 24
               ? ac_get_int64(body + AC_NODE_STATE_CANDIDATE_TERM_LOG_POSITION_OFFSET)
               : INT64_MIN;
}

static inline void ac_node_state_candidate_term_put_log_position(uint8_t *body, int64_t value) {
    ac_put_int64(body + AC_NODE_STATE_CANDIDATE_TERM_LOG_POSITION_OFFSET, value);
}

static inline uint8_t *ac_node_state_candidate_term_begin(ac_sbe_writer *writer) {
    const ac_node_state_message_header header = {
        .block_length = AC_NODE_STATE_CANDIDATE_TERM_BLOCK_LENGTH,
        .template_id = AC_NODE_STATE_CANDIDATE_TERM_TEMPLATE_ID,
        .schema_id = AC_NODE_STATE_SCHEMA_ID,
        .version = AC_NODE_STATE_SCHEMA_VERSION,
        .frame_length = AC_NODE_STATE_HEADER_LENGTH + AC_NODE_STATE_CANDIDATE_TERM_BLOCK_LENGTH,
    };
    uint8_t *at =
        ac_sbe_reserve(writer, sizeof(header) + AC_NODE_STATE_CANDIDATE_TERM_BLOCK_LENGTH);
    if (at == NULL) {
        return NULL;
    }
    memcpy(at, &header, sizeof(header));
    return at + sizeof(header);
}

/* ClusterMembers */
enum {
    AC_NODE_STATE_CLUSTER_MEMBERS_TEMPLATE_ID = 303,
    AC_NODE_STATE_CLUSTER_MEMBERS_BLOCK_LENGTH = 16,
    AC_NODE_STATE_CLUSTER_MEMBERS_LEADERSHIP_TERM_ID_OFFSET = 0,
    AC_NODE_STATE_CLUSTER_MEMBERS_MEMBER_ID_OFFSET = 8,
    AC_NODE_STATE_CLUSTER_MEMBERS_HIGH_MEMBER_ID_OFFSET = 12,
};

static inline int64_t ac_node_state_cluster_members_leadership_term_id(const uint8_t *body,
                                                                       uint16_t acting_block_length,
                                                                       uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 8
               ? ac_get_int64(body + AC_NODE_STATE_CLUSTER_MEMBERS_LEADERSHIP_TERM_ID_OFFSET)
               : INT64_MIN;
}

static inline void ac_node_state_cluster_members_put_leadership_term_id(uint8_t *body,
                                                                        int64_t value) {
    ac_put_int64(body + AC_NODE_STATE_CLUSTER_MEMBERS_LEADERSHIP_TERM_ID_OFFSET, value);
}

static inline int32_t ac_node_state_cluster_members_member_id(const uint8_t *body,
                                                              uint16_t acting_block_length,
                                                              uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 12
               ? ac_get_int32(body + AC_NODE_STATE_CLUSTER_MEMBERS_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_node_state_cluster_members_put_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_NODE_STATE_CLUSTER_MEMBERS_MEMBER_ID_OFFSET, value);
}

static inline int32_t ac_node_state_cluster_members_high_member_id(const uint8_t *body,
                                                                   uint16_t acting_block_length,
                                                                   uint16_t acting_version) {
    (void)acting_version;
    return acting_block_length >= 16
               ? ac_get_int32(body + AC_NODE_STATE_CLUSTER_MEMBERS_HIGH_MEMBER_ID_OFFSET)
               : INT32_MIN;
}

static inline void ac_node_state_cluster_members_put_high_member_id(uint8_t *body, int32_t value) {
    ac_put_int32(body + AC_NODE_STATE_CLUSTER_MEMBERS_HIGH_MEMBER_ID_OFFSET, value);
}

static inline int64_t ac_node_state_cluster_members_read_cluster_members(ac_sbe_reader *reader,
                                                                         uint16_t acting_version,
                                                                         const uint8_t **data) {
    (void)acting_version;
    return ac_sbe_read_data(reader, data);
}

static inline bool ac_node_state_cluster_members_write_cluster_members(ac_sbe_writer *writer,
                                                                       const void *data,
                                                                       uint32_t length) {
    return ac_sbe_write_data(writer, data, length);
}

static inline uint8_t *ac_node_state_cluster_members_begin(ac_sbe_writer *writer) {
    const ac_node_state_message_header header = {
        .block_length = AC_NODE_STATE_CLUSTER_MEMBERS_BLOCK_LENGTH,
        .template_id = AC_NODE_STATE_CLUSTER_MEMBERS_TEMPLATE_ID,
        .schema_id = AC_NODE_STATE_SCHEMA_ID,
        .version = AC_NODE_STATE_SCHEMA_VERSION,
        .frame_length = AC_NODE_STATE_HEADER_LENGTH + AC_NODE_STATE_CLUSTER_MEMBERS_BLOCK_LENGTH,
    };
    uint8_t *at =
        ac_sbe_reserve(writer, sizeof(header) + AC_NODE_STATE_CLUSTER_MEMBERS_BLOCK_LENGTH);
    if (at == NULL) {
        return NULL;
    }
    memcpy(at, &header, sizeof(header));
    return at + sizeof(header);
}

/* nodeStateFooter */
enum {
    AC_NODE_STATE_NODE_STATE_FOOTER_TEMPLATE_ID = 304,
    AC_NODE_STATE_NODE_STATE_FOOTER_BLOCK_LENGTH = 0,
};

static inline uint8_t *ac_node_state_node_state_footer_begin(ac_sbe_writer *writer) {
    const ac_node_state_message_header header = {
        .block_length = AC_NODE_STATE_NODE_STATE_FOOTER_BLOCK_LENGTH,
        .template_id = AC_NODE_STATE_NODE_STATE_FOOTER_TEMPLATE_ID,
        .schema_id = AC_NODE_STATE_SCHEMA_ID,
        .version = AC_NODE_STATE_SCHEMA_VERSION,
        .frame_length = AC_NODE_STATE_HEADER_LENGTH + AC_NODE_STATE_NODE_STATE_FOOTER_BLOCK_LENGTH,
    };
    uint8_t *at =
        ac_sbe_reserve(writer, sizeof(header) + AC_NODE_STATE_NODE_STATE_FOOTER_BLOCK_LENGTH);
    if (at == NULL) {
        return NULL;
    }
    memcpy(at, &header, sizeof(header));
    return at + sizeof(header);
}

#endif
