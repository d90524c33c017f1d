# Generated from schemas/node_state.xml by tools/generate_codecs.py. Edit it, run the tool.
from libc.stddef cimport size_t
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t

from aeron_cluster.codecs.sbe cimport sbe_group, sbe_message, sbe_reader, sbe_writer


cdef extern from "aeron_cluster/codecs/node_state.h" nogil:
    enum:
        SCHEMA_ID "AC_NODE_STATE_SCHEMA_ID"
        SCHEMA_VERSION "AC_NODE_STATE_SCHEMA_VERSION"
        HEADER_LENGTH "AC_NODE_STATE_HEADER_LENGTH"

    ctypedef struct message_header "ac_node_state_message_header":
        uint16_t block_length
        uint16_t template_id
        uint16_t schema_id
        uint16_t version
        int32_t frame_length
        int32_t padding

    bint wrap "ac_node_state_wrap"(
        sbe_message *message, const uint8_t *buffer, size_t length) noexcept

    enum:
        NODE_STATE_HEADER_TEMPLATE_ID "AC_NODE_STATE_NODE_STATE_HEADER_TEMPLATE_ID"
        NODE_STATE_HEADER_BLOCK_LENGTH "AC_NODE_STATE_NODE_STATE_HEADER_BLOCK_LENGTH"
        NODE_STATE_HEADER_VERSION_OFFSET "AC_NODE_STATE_NODE_STATE_HEADER_VERSION_OFFSET"
        NODE_STATE_HEADER_PADDING_OFFSET "AC_NODE_STATE_NODE_STATE_HEADER_PADDING_OFFSET"

    int32_t node_state_header_version "ac_node_state_node_state_header_version"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void node_state_header_put_version "ac_node_state_node_state_header_put_version"(
        uint8_t *body, int32_t value) noexcept
    int32_t node_state_header_padding "ac_node_state_node_state_header_padding"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void node_state_header_put_padding "ac_node_state_node_state_header_put_padding"(
        uint8_t *body, int32_t value) noexcept
    uint8_t *node_state_header_begin "ac_node_state_node_state_header_begin"(
        sbe_writer *writer) noexcept

    enum:
        CANDIDATE_TERM_TEMPLATE_ID "AC_NODE_STATE_CANDIDATE_TERM_TEMPLATE_ID"
        CANDIDATE_TERM_BLOCK_LENGTH "AC_NODE_STATE_CANDIDATE_TERM_BLOCK_LENGTH"
        CANDIDATE_TERM_CANDIDATE_TERM_ID_OFFSET \
            "AC_NODE_STATE_CANDIDATE_TERM_CANDIDATE_TERM_ID_OFFSET"
        CANDIDATE_TERM_TIMESTAMP_OFFSET "AC_NODE_STATE_CANDIDATE_TERM_TIMESTAMP_OFFSET"
        CANDIDATE_TERM_LOG_POSITION_OFFSET "AC_NODE_STATE_CANDIDATE_TERM_LOG_POSITION_OFFSET"

    int64_t candidate_term_candidate_term_id "ac_node_state_candidate_term_candidate_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void candidate_term_put_candidate_term_id "ac_node_state_candidate_term_put_candidate_term_id"(
        uint8_t *body, int64_t value) noexcept
    int64_t candidate_term_timestamp "ac_node_state_candidate_term_timestamp"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void candidate_term_put_timestamp "ac_node_state_candidate_term_put_timestamp"(
        uint8_t *body, int64_t value) noexcept
    int64_t candidate_term_log_position "ac_node_state_candidate_term_log_position"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void candidate_term_put_log_position "ac_node_state_candidate_term_put_log_position"(
        uint8_t *body, int64_t value) noexcept
    uint8_t *candidate_term_begin "ac_node_state_candidate_term_begin"(sbe_writer *writer) noexcept

    enum:
        CLUSTER_MEMBERS_TEMPLATE_ID "AC_NODE_STATE_CLUSTER_MEMBERS_TEMPLATE_ID"
        CLUSTER_MEMBERS_BLOCK_LENGTH "AC_NODE_STATE_CLUSTER_MEMBERS_BLOCK_LENGTH"
        CLUSTER_MEMBERS_LEADERSHIP_TERM_ID_OFFSET \
            "AC_NODE_STATE_CLUSTER_MEMBERS_LEADERSHIP_TERM_ID_OFFSET"
        CLUSTER_MEMBERS_MEMBER_ID_OFFSET "AC_NODE_STATE_CLUSTER_MEMBERS_MEMBER_ID_OFFSET"
        CLUSTER_MEMBERS_HIGH_MEMBER_ID_OFFSET "AC_NODE_STATE_CLUSTER_MEMBERS_HIGH_MEMBER_ID_OFFSET"

    int64_t cluster_members_leadership_term_id "ac_node_state_cluster_members_leadership_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_put_leadership_term_id \
        "ac_node_state_cluster_members_put_leadership_term_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t cluster_members_member_id "ac_node_state_cluster_members_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_put_member_id "ac_node_state_cluster_members_put_member_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t cluster_members_high_member_id "ac_node_state_cluster_members_high_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void cluster_members_put_high_member_id "ac_node_state_cluster_members_put_high_member_id"(
        uint8_t *body, int32_t value) noexcept
    int64_t cluster_members_read_cluster_members \
        "ac_node_state_cluster_members_read_cluster_members"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint cluster_members_write_cluster_members \
        "ac_node_state_cluster_members_write_cluster_members"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *cluster_members_begin "ac_node_state_cluster_members_begin"(
        sbe_writer *writer) noexcept

    enum:
        NODE_STATE_FOOTER_TEMPLATE_ID "AC_NODE_STATE_NODE_STATE_FOOTER_TEMPLATE_ID"
        NODE_STATE_FOOTER_BLOCK_LENGTH "AC_NODE_STATE_NODE_STATE_FOOTER_BLOCK_LENGTH"

    uint8_t *node_state_footer_begin "ac_node_state_node_state_footer_begin"(
        sbe_writer *writer) noexcept
