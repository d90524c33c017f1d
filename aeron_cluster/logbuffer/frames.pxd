"""Frames on the wire and in terms, log metadata and position arithmetic: ``frames.h``, renamed."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t


cdef extern from "aeron_cluster/frames.h" nogil:
    enum:
        FRAME_ALIGNMENT "AC_FRAME_ALIGNMENT"
        DATA_HEADER_LENGTH "AC_DATA_HEADER_LENGTH"
        FRAME_HEADER_LENGTH "AC_FRAME_HEADER_LENGTH"
        FRAME_VERSION "AC_FRAME_VERSION"
        MAX_UDP_PAYLOAD_LENGTH "AC_MAX_UDP_PAYLOAD_LENGTH"
        MIN_MTU_LENGTH "AC_MIN_MTU_LENGTH"
        MAX_MESSAGE_LENGTH "AC_MAX_MESSAGE_LENGTH"
        MAX_ERROR_TEXT_LENGTH "AC_MAX_ERROR_TEXT_LENGTH"

        FRAME_PAD "AC_FRAME_PAD"
        FRAME_DATA "AC_FRAME_DATA"
        FRAME_NAK "AC_FRAME_NAK"
        FRAME_STATUS_MESSAGE "AC_FRAME_STATUS_MESSAGE"
        FRAME_ERROR "AC_FRAME_ERROR"
        FRAME_SETUP "AC_FRAME_SETUP"
        FRAME_RTT_MEASUREMENT "AC_FRAME_RTT_MEASUREMENT"
        FRAME_RESOLUTION "AC_FRAME_RESOLUTION"
        FRAME_ATS_DATA "AC_FRAME_ATS_DATA"
        FRAME_RESPONSE_SETUP "AC_FRAME_RESPONSE_SETUP"
        FRAME_EXTENSION "AC_FRAME_EXTENSION"

        FLAG_BEGIN "AC_FLAG_BEGIN"
        FLAG_END "AC_FLAG_END"
        FLAG_UNFRAGMENTED "AC_FLAG_UNFRAGMENTED"
        FLAG_EOS "AC_FLAG_EOS"
        FLAG_REVOKED "AC_FLAG_REVOKED"
        SETUP_FLAG_SEND_RESPONSE_SETUP "AC_SETUP_FLAG_SEND_RESPONSE_SETUP"
        SETUP_FLAG_GROUP "AC_SETUP_FLAG_GROUP"
        STATUS_FLAG_SEND_SETUP "AC_STATUS_FLAG_SEND_SETUP"
        STATUS_FLAG_EOS "AC_STATUS_FLAG_EOS"
        ERROR_FLAG_HAS_GROUP_TAG "AC_ERROR_FLAG_HAS_GROUP_TAG"
        RTT_FLAG_REPLY "AC_RTT_FLAG_REPLY"
        RESOLUTION_FLAG_SELF "AC_RESOLUTION_FLAG_SELF"

        STATUS_FRAME_WITH_TAG_LENGTH "AC_STATUS_FRAME_WITH_TAG_LENGTH"

        PARTITION_COUNT "AC_PARTITION_COUNT"
        LOG_METADATA_LENGTH "AC_LOG_METADATA_LENGTH"
        TERM_MIN_LENGTH "AC_TERM_MIN_LENGTH"
        TERM_MAX_LENGTH "AC_TERM_MAX_LENGTH"
        PAGE_MIN_LENGTH "AC_PAGE_MIN_LENGTH"
        PAGE_MAX_LENGTH "AC_PAGE_MAX_LENGTH"
        DEFAULT_FRAME_HEADER_MAX_LENGTH "AC_DEFAULT_FRAME_HEADER_MAX_LENGTH"

        LOG_CONCURRENT_PUBLICATION "AC_LOG_CONCURRENT_PUBLICATION"
        LOG_EXCLUSIVE_PUBLICATION "AC_LOG_EXCLUSIVE_PUBLICATION"
        LOG_IMAGE "AC_LOG_IMAGE"

    ctypedef struct frame_header "ac_frame_header":
        int32_t frame_length
        uint8_t version
        uint8_t flags
        uint16_t type

    ctypedef struct data_header "ac_data_header":
        int32_t frame_length
        uint8_t version
        uint8_t flags
        uint16_t type
        int32_t term_offset
        int32_t session_id
        int32_t stream_id
        int32_t term_id
        int64_t reserved_value

    ctypedef struct setup_frame "ac_setup_frame":
        frame_header header
        int32_t term_offset
        int32_t session_id
        int32_t stream_id
        int32_t initial_term_id
        int32_t active_term_id
        int32_t term_length
        int32_t mtu_length
        int32_t ttl

    ctypedef struct nak_frame "ac_nak_frame":
        frame_header header
        int32_t session_id
        int32_t stream_id
        int32_t term_id
        int32_t term_offset
        int32_t length

    ctypedef struct status_frame "ac_status_frame":
        frame_header header
        int32_t session_id
        int32_t stream_id
        int32_t consumption_term_id
        int32_t consumption_term_offset
        int32_t receiver_window_length
        int64_t receiver_id

    ctypedef struct error_frame "ac_error_frame":
        frame_header header
        int32_t session_id
        int32_t stream_id
        int64_t receiver_id
        int64_t group_tag
        int32_t error_code
        int32_t error_length

    ctypedef struct rtt_frame "ac_rtt_frame":
        frame_header header
        int32_t session_id
        int32_t stream_id
        int64_t echo_timestamp_ns
        int64_t reception_delta_ns
        int64_t receiver_id

    ctypedef struct response_setup_frame "ac_response_setup_frame":
        frame_header header
        int32_t session_id
        int32_t stream_id
        int32_t response_session_id

    ctypedef struct log_metadata "ac_log_metadata":
        int64_t tail_counters[3]
        int32_t active_term_count
        int64_t end_of_stream_position
        int32_t is_connected
        int32_t active_transport_count
        int64_t correlation_id
        int32_t initial_term_id
        int32_t default_frame_header_length
        int32_t mtu_length
        int32_t term_length
        int32_t page_size
        int32_t publication_window_length
        int32_t receiver_window_length
        int32_t socket_sndbuf_length
        int32_t os_default_socket_sndbuf_length
        int32_t os_max_socket_sndbuf_length
        int32_t socket_rcvbuf_length
        int32_t os_default_socket_rcvbuf_length
        int32_t os_max_socket_rcvbuf_length
        int32_t max_resend
        uint8_t default_frame_header[128]
        int64_t entity_tag
        int64_t response_correlation_id
        int64_t linger_timeout_ns
        int64_t untethered_window_limit_timeout_ns
        int64_t untethered_resting_timeout_ns
        uint8_t group
        uint8_t is_response
        uint8_t rejoin
        uint8_t reliable
        uint8_t sparse
        uint8_t signal_eos
        uint8_t spies_simulate_connection
        uint8_t tether
        uint8_t is_publication_revoked
        uint8_t type
        int64_t untethered_linger_timeout_ns

    int64_t align_i64 "ac_align_i64"(int64_t value, int64_t alignment) noexcept
    int32_t align "ac_align"(int32_t value, int32_t alignment) noexcept
    int32_t align_frame "ac_align_frame"(int32_t length) noexcept
    int32_t number_of_bits "ac_number_of_bits"(int32_t term_length) noexcept
    int32_t tail_term_id "ac_tail_term_id"(int64_t raw_tail) noexcept
    int32_t tail_term_offset "ac_tail_term_offset"(int64_t raw_tail, int32_t term_length) noexcept
    int64_t pack_tail "ac_pack_tail"(int32_t term_id, int32_t term_offset) noexcept
    int32_t compute_term_count "ac_term_count"(int32_t term_id, int32_t initial_term_id) noexcept
    int64_t compute_position "ac_position"(
        int32_t term_id, int32_t term_offset, int32_t bits_to_shift, int32_t initial_term_id
    ) noexcept
    int32_t term_id_of_position "ac_term_id_of_position"(
        int64_t position, int32_t bits_to_shift, int32_t initial_term_id
    ) noexcept
    int32_t index_of_position "ac_index_of_position"(
        int64_t position, int32_t bits_to_shift
    ) noexcept
    int32_t index_of_term_count "ac_index_of_term_count"(int32_t term_count) noexcept
    int64_t max_possible_position "ac_max_possible_position"(int32_t term_length) noexcept
    int32_t compute_max_message_length "ac_max_message_length"(int32_t term_length) noexcept
    int64_t fragmented_length "ac_fragmented_length"(
        int64_t length, int32_t max_payload_length
    ) noexcept
    int64_t log_file_length "ac_log_file_length"(int32_t term_length, int32_t page_size) noexcept
