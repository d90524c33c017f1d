# Generated from schemas/cluster_mark.xml by tools/generate_codecs.py. Edit it, run the tool.
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t

from aeron_cluster.codecs.sbe cimport sbe_group, sbe_reader, sbe_writer


cdef extern from "aeron_cluster/codecs/cluster_mark.h" nogil:
    enum:
        SCHEMA_ID "AC_CLUSTER_MARK_SCHEMA_ID"
        SCHEMA_VERSION "AC_CLUSTER_MARK_SCHEMA_VERSION"
        HEADER_LENGTH "AC_CLUSTER_MARK_HEADER_LENGTH"

    enum:
        CLUSTER_COMPONENT_TYPE_UNKNOWN "AC_CLUSTER_MARK_CLUSTER_COMPONENT_TYPE_UNKNOWN"
        CLUSTER_COMPONENT_TYPE_CONSENSUS_MODULE \
            "AC_CLUSTER_MARK_CLUSTER_COMPONENT_TYPE_CONSENSUS_MODULE"
        CLUSTER_COMPONENT_TYPE_CONTAINER "AC_CLUSTER_MARK_CLUSTER_COMPONENT_TYPE_CONTAINER"
        CLUSTER_COMPONENT_TYPE_BACKUP "AC_CLUSTER_MARK_CLUSTER_COMPONENT_TYPE_BACKUP"
        CLUSTER_COMPONENT_TYPE_STANDBY "AC_CLUSTER_MARK_CLUSTER_COMPONENT_TYPE_STANDBY"
        CLUSTER_COMPONENT_TYPE_NULL_VALUE "AC_CLUSTER_MARK_CLUSTER_COMPONENT_TYPE_NULL_VALUE"

    enum:
        MARK_FILE_HEADER_TEMPLATE_ID "AC_CLUSTER_MARK_MARK_FILE_HEADER_TEMPLATE_ID"
        MARK_FILE_HEADER_BLOCK_LENGTH "AC_CLUSTER_MARK_MARK_FILE_HEADER_BLOCK_LENGTH"
        MARK_FILE_HEADER_VERSION_OFFSET "AC_CLUSTER_MARK_MARK_FILE_HEADER_VERSION_OFFSET"
        MARK_FILE_HEADER_COMPONENT_TYPE_OFFSET \
            "AC_CLUSTER_MARK_MARK_FILE_HEADER_COMPONENT_TYPE_OFFSET"
        MARK_FILE_HEADER_ACTIVITY_TIMESTAMP_OFFSET \
            "AC_CLUSTER_MARK_MARK_FILE_HEADER_ACTIVITY_TIMESTAMP_OFFSET"
        MARK_FILE_HEADER_START_TIMESTAMP_OFFSET \
            "AC_CLUSTER_MARK_MARK_FILE_HEADER_START_TIMESTAMP_OFFSET"
        MARK_FILE_HEADER_PID_OFFSET "AC_CLUSTER_MARK_MARK_FILE_HEADER_PID_OFFSET"
        MARK_FILE_HEADER_CANDIDATE_TERM_ID_OFFSET \
            "AC_CLUSTER_MARK_MARK_FILE_HEADER_CANDIDATE_TERM_ID_OFFSET"
        MARK_FILE_HEADER_ARCHIVE_STREAM_ID_OFFSET \
            "AC_CLUSTER_MARK_MARK_FILE_HEADER_ARCHIVE_STREAM_ID_OFFSET"
        MARK_FILE_HEADER_SERVICE_STREAM_ID_OFFSET \
            "AC_CLUSTER_MARK_MARK_FILE_HEADER_SERVICE_STREAM_ID_OFFSET"
        MARK_FILE_HEADER_CONSENSUS_MODULE_STREAM_ID_OFFSET \
            "AC_CLUSTER_MARK_MARK_FILE_HEADER_CONSENSUS_MODULE_STREAM_ID_OFFSET"
        MARK_FILE_HEADER_INGRESS_STREAM_ID_OFFSET \
            "AC_CLUSTER_MARK_MARK_FILE_HEADER_INGRESS_STREAM_ID_OFFSET"
        MARK_FILE_HEADER_MEMBER_ID_OFFSET "AC_CLUSTER_MARK_MARK_FILE_HEADER_MEMBER_ID_OFFSET"
        MARK_FILE_HEADER_SERVICE_ID_OFFSET "AC_CLUSTER_MARK_MARK_FILE_HEADER_SERVICE_ID_OFFSET"
        MARK_FILE_HEADER_HEADER_LENGTH_OFFSET \
            "AC_CLUSTER_MARK_MARK_FILE_HEADER_HEADER_LENGTH_OFFSET"
        MARK_FILE_HEADER_ERROR_BUFFER_LENGTH_OFFSET \
            "AC_CLUSTER_MARK_MARK_FILE_HEADER_ERROR_BUFFER_LENGTH_OFFSET"
        MARK_FILE_HEADER_CLUSTER_ID_OFFSET "AC_CLUSTER_MARK_MARK_FILE_HEADER_CLUSTER_ID_OFFSET"

    int32_t mark_file_header_version "ac_cluster_mark_mark_file_header_version"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_version "ac_cluster_mark_mark_file_header_put_version"(
        uint8_t *body, int32_t value) noexcept
    int32_t mark_file_header_component_type "ac_cluster_mark_mark_file_header_component_type"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_component_type "ac_cluster_mark_mark_file_header_put_component_type"(
        uint8_t *body, int32_t value) noexcept
    int64_t mark_file_header_activity_timestamp \
        "ac_cluster_mark_mark_file_header_activity_timestamp"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_activity_timestamp \
        "ac_cluster_mark_mark_file_header_put_activity_timestamp"(
            uint8_t *body, int64_t value) noexcept
    int64_t mark_file_header_start_timestamp "ac_cluster_mark_mark_file_header_start_timestamp"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_start_timestamp \
        "ac_cluster_mark_mark_file_header_put_start_timestamp"(
            uint8_t *body, int64_t value) noexcept
    int64_t mark_file_header_pid "ac_cluster_mark_mark_file_header_pid"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_pid "ac_cluster_mark_mark_file_header_put_pid"(
        uint8_t *body, int64_t value) noexcept
    int64_t mark_file_header_candidate_term_id "ac_cluster_mark_mark_file_header_candidate_term_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_candidate_term_id \
        "ac_cluster_mark_mark_file_header_put_candidate_term_id"(
            uint8_t *body, int64_t value) noexcept
    int32_t mark_file_header_archive_stream_id "ac_cluster_mark_mark_file_header_archive_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_archive_stream_id \
        "ac_cluster_mark_mark_file_header_put_archive_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t mark_file_header_service_stream_id "ac_cluster_mark_mark_file_header_service_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_service_stream_id \
        "ac_cluster_mark_mark_file_header_put_service_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t mark_file_header_consensus_module_stream_id \
        "ac_cluster_mark_mark_file_header_consensus_module_stream_id"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_consensus_module_stream_id \
        "ac_cluster_mark_mark_file_header_put_consensus_module_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t mark_file_header_ingress_stream_id "ac_cluster_mark_mark_file_header_ingress_stream_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_ingress_stream_id \
        "ac_cluster_mark_mark_file_header_put_ingress_stream_id"(
            uint8_t *body, int32_t value) noexcept
    int32_t mark_file_header_member_id "ac_cluster_mark_mark_file_header_member_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_member_id "ac_cluster_mark_mark_file_header_put_member_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t mark_file_header_service_id "ac_cluster_mark_mark_file_header_service_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_service_id "ac_cluster_mark_mark_file_header_put_service_id"(
        uint8_t *body, int32_t value) noexcept
    int32_t mark_file_header_header_length "ac_cluster_mark_mark_file_header_header_length"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_header_length "ac_cluster_mark_mark_file_header_put_header_length"(
        uint8_t *body, int32_t value) noexcept
    int32_t mark_file_header_error_buffer_length \
        "ac_cluster_mark_mark_file_header_error_buffer_length"(
            const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_error_buffer_length \
        "ac_cluster_mark_mark_file_header_put_error_buffer_length"(
            uint8_t *body, int32_t value) noexcept
    int32_t mark_file_header_cluster_id "ac_cluster_mark_mark_file_header_cluster_id"(
        const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version) noexcept
    void mark_file_header_put_cluster_id "ac_cluster_mark_mark_file_header_put_cluster_id"(
        uint8_t *body, int32_t value) noexcept
    int64_t mark_file_header_read_aeron_directory \
        "ac_cluster_mark_mark_file_header_read_aeron_directory"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint mark_file_header_write_aeron_directory \
        "ac_cluster_mark_mark_file_header_write_aeron_directory"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t mark_file_header_read_control_channel \
        "ac_cluster_mark_mark_file_header_read_control_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint mark_file_header_write_control_channel \
        "ac_cluster_mark_mark_file_header_write_control_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t mark_file_header_read_ingress_channel \
        "ac_cluster_mark_mark_file_header_read_ingress_channel"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint mark_file_header_write_ingress_channel \
        "ac_cluster_mark_mark_file_header_write_ingress_channel"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t mark_file_header_read_service_name "ac_cluster_mark_mark_file_header_read_service_name"(
        sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint mark_file_header_write_service_name "ac_cluster_mark_mark_file_header_write_service_name"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t mark_file_header_read_authenticator \
        "ac_cluster_mark_mark_file_header_read_authenticator"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint mark_file_header_write_authenticator \
        "ac_cluster_mark_mark_file_header_write_authenticator"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    int64_t mark_file_header_read_services_cluster_dir \
        "ac_cluster_mark_mark_file_header_read_services_cluster_dir"(
            sbe_reader *reader, uint16_t acting_version, const uint8_t **data) noexcept
    bint mark_file_header_write_services_cluster_dir \
        "ac_cluster_mark_mark_file_header_write_services_cluster_dir"(
            sbe_writer *writer, const void *data, uint32_t length) noexcept
    uint8_t *mark_file_header_begin "ac_cluster_mark_mark_file_header_begin"(
        sbe_writer *writer) noexcept
