"""Records of the CnC file, its header, and the messages between clients and the driver.

The names are those of ``aeron_cluster/commands.h`` without their prefix.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t

cdef extern from "aeron_cluster/commands.h" nogil:
    enum:
        CNC_VERSION "AC_CNC_VERSION"
        CNC_HEADER_LENGTH "AC_CNC_HEADER_LENGTH"
        CONTROL_PROTOCOL_VERSION "AC_CONTROL_PROTOCOL_VERSION"
        RING_TRAILER_LENGTH "AC_RING_TRAILER_LENGTH"
        BROADCAST_TRAILER_LENGTH "AC_BROADCAST_TRAILER_LENGTH"
        RECORD_HEADER_LENGTH "AC_RECORD_HEADER_LENGTH"
        RECORD_ALIGNMENT "AC_RECORD_ALIGNMENT"
        PADDING_MESSAGE_TYPE "AC_PADDING_MESSAGE_TYPE"

    cpdef enum Command "ac_command":
        ADD_PUBLICATION "AC_ADD_PUBLICATION"
        REMOVE_PUBLICATION "AC_REMOVE_PUBLICATION"
        ADD_EXCLUSIVE_PUBLICATION "AC_ADD_EXCLUSIVE_PUBLICATION"
        ADD_SUBSCRIPTION "AC_ADD_SUBSCRIPTION"
        REMOVE_SUBSCRIPTION "AC_REMOVE_SUBSCRIPTION"
        CLIENT_KEEPALIVE "AC_CLIENT_KEEPALIVE"
        ADD_DESTINATION "AC_ADD_DESTINATION"
        REMOVE_DESTINATION "AC_REMOVE_DESTINATION"
        ADD_COUNTER "AC_ADD_COUNTER"
        REMOVE_COUNTER "AC_REMOVE_COUNTER"
        CLIENT_CLOSE "AC_CLIENT_CLOSE"
        ADD_RCV_DESTINATION "AC_ADD_RCV_DESTINATION"
        REMOVE_RCV_DESTINATION "AC_REMOVE_RCV_DESTINATION"
        TERMINATE_DRIVER "AC_TERMINATE_DRIVER"
        ADD_STATIC_COUNTER "AC_ADD_STATIC_COUNTER"
        REJECT_IMAGE "AC_REJECT_IMAGE"
        REMOVE_DESTINATION_BY_ID "AC_REMOVE_DESTINATION_BY_ID"
        GET_NEXT_AVAILABLE_SESSION_ID "AC_GET_NEXT_AVAILABLE_SESSION_ID"

    cpdef enum Event "ac_event":
        ON_ERROR "AC_ON_ERROR"
        ON_AVAILABLE_IMAGE "AC_ON_AVAILABLE_IMAGE"
        ON_PUBLICATION_READY "AC_ON_PUBLICATION_READY"
        ON_OPERATION_SUCCESS "AC_ON_OPERATION_SUCCESS"
        ON_UNAVAILABLE_IMAGE "AC_ON_UNAVAILABLE_IMAGE"
        ON_EXCLUSIVE_PUBLICATION_READY "AC_ON_EXCLUSIVE_PUBLICATION_READY"
        ON_SUBSCRIPTION_READY "AC_ON_SUBSCRIPTION_READY"
        ON_COUNTER_READY "AC_ON_COUNTER_READY"
        ON_UNAVAILABLE_COUNTER "AC_ON_UNAVAILABLE_COUNTER"
        ON_CLIENT_TIMEOUT "AC_ON_CLIENT_TIMEOUT"
        ON_STATIC_COUNTER "AC_ON_STATIC_COUNTER"
        ON_PUBLICATION_ERROR "AC_ON_PUBLICATION_ERROR"
        ON_NEXT_AVAILABLE_SESSION_ID "AC_ON_NEXT_AVAILABLE_SESSION_ID"

    cpdef enum ErrorCode "ac_error_code":
        ERROR_UNKNOWN_CODE_VALUE "AC_ERROR_UNKNOWN_CODE_VALUE"
        ERROR_UNUSED "AC_ERROR_UNUSED"
        ERROR_INVALID_CHANNEL "AC_ERROR_INVALID_CHANNEL"
        ERROR_UNKNOWN_SUBSCRIPTION "AC_ERROR_UNKNOWN_SUBSCRIPTION"
        ERROR_UNKNOWN_PUBLICATION "AC_ERROR_UNKNOWN_PUBLICATION"
        ERROR_CHANNEL_ENDPOINT "AC_ERROR_CHANNEL_ENDPOINT"
        ERROR_UNKNOWN_COUNTER "AC_ERROR_UNKNOWN_COUNTER"
        ERROR_UNKNOWN_COMMAND_TYPE_ID "AC_ERROR_UNKNOWN_COMMAND_TYPE_ID"
        ERROR_MALFORMED_COMMAND "AC_ERROR_MALFORMED_COMMAND"
        ERROR_NOT_SUPPORTED "AC_ERROR_NOT_SUPPORTED"
        ERROR_UNKNOWN_HOST "AC_ERROR_UNKNOWN_HOST"
        ERROR_RESOURCE_TEMPORARILY_UNAVAILABLE "AC_ERROR_RESOURCE_TEMPORARILY_UNAVAILABLE"
        ERROR_GENERIC "AC_ERROR_GENERIC"
        ERROR_STORAGE_SPACE "AC_ERROR_STORAGE_SPACE"
        ERROR_IMAGE_REJECTED "AC_ERROR_IMAGE_REJECTED"
        ERROR_PUBLICATION_REVOKED "AC_ERROR_PUBLICATION_REVOKED"

    ctypedef struct cnc_header "ac_cnc_header":
        int32_t cnc_version
        int32_t to_driver_buffer_length
        int32_t to_clients_buffer_length
        int32_t counters_metadata_buffer_length
        int32_t counters_values_buffer_length
        int32_t error_log_buffer_length
        int64_t client_liveness_timeout_ns
        int64_t start_timestamp_ms
        int64_t pid
        int32_t file_page_size

    ctypedef struct record_header "ac_record_header":
        int32_t length
        int32_t type

    ctypedef struct ring_trailer "ac_ring_trailer":
        int64_t tail_position
        int64_t head_cache_position
        int64_t head_position
        int64_t correlation_counter
        int64_t consumer_heartbeat_ms

    ctypedef struct broadcast_trailer "ac_broadcast_trailer":
        int64_t tail_intent
        int64_t tail
        int64_t latest

    ctypedef struct correlated_command "ac_correlated_command":
        int64_t client_id
        int64_t correlation_id

    ctypedef struct publication_command "ac_publication_command":
        correlated_command correlated
        int32_t stream_id
        int32_t channel_length

    ctypedef struct subscription_command "ac_subscription_command":
        correlated_command correlated
        int64_t registration_correlation_id
        int32_t stream_id
        int32_t channel_length

    ctypedef struct remove_command "ac_remove_command":
        correlated_command correlated
        int64_t registration_id

    ctypedef struct remove_publication_command "ac_remove_publication_command":
        correlated_command correlated
        int64_t registration_id
        int64_t flags

    ctypedef struct destination_command "ac_destination_command":
        correlated_command correlated
        int64_t registration_id
        int32_t channel_length

    ctypedef struct destination_by_id_command "ac_destination_by_id_command":
        correlated_command correlated
        int64_t resource_registration_id
        int64_t destination_registration_id

    ctypedef struct counter_command "ac_counter_command":
        correlated_command correlated
        int32_t type_id
        int32_t key_length

    ctypedef struct static_counter_command "ac_static_counter_command":
        correlated_command correlated
        int64_t registration_id
        int32_t type_id
        int32_t key_length

    ctypedef struct terminate_driver_command "ac_terminate_driver_command":
        correlated_command correlated
        int32_t token_length

    ctypedef struct reject_image_command "ac_reject_image_command":
        correlated_command correlated
        int64_t image_correlation_id
        int64_t position
        int32_t reason_length

    ctypedef struct next_session_id_command "ac_next_session_id_command":
        correlated_command correlated
        int32_t stream_id

    ctypedef struct error_event "ac_error_event":
        int64_t offending_correlation_id
        int32_t error_code
        int32_t message_length

    ctypedef struct available_image_event "ac_available_image_event":
        int64_t correlation_id
        int32_t session_id
        int32_t stream_id
        int64_t subscription_registration_id
        int32_t subscriber_position_id
        int32_t log_file_length

    ctypedef struct publication_ready_event "ac_publication_ready_event":
        int64_t correlation_id
        int64_t registration_id
        int32_t session_id
        int32_t stream_id
        int32_t publication_limit_counter_id
        int32_t channel_status_id
        int32_t log_file_length

    ctypedef struct operation_success_event "ac_operation_success_event":
        int64_t correlation_id

    ctypedef struct unavailable_image_event "ac_unavailable_image_event":
        int64_t correlation_id
        int64_t subscription_registration_id
        int32_t stream_id
        int32_t channel_length

    ctypedef struct subscription_ready_event "ac_subscription_ready_event":
        int64_t correlation_id
        int32_t channel_status_id

    ctypedef struct counter_event "ac_counter_event":
        int64_t correlation_id
        int32_t counter_id

    ctypedef struct client_timeout_event "ac_client_timeout_event":
        int64_t client_id

    ctypedef struct publication_error_event "ac_publication_error_event":
        int64_t registration_id
        int64_t destination_registration_id
        int32_t session_id
        int32_t stream_id
        int64_t receiver_id
        int64_t group_tag
        int16_t address_type
        uint16_t port
        uint8_t address[16]
        int32_t error_code
        int32_t message_length

    ctypedef struct next_session_id_event "ac_next_session_id_event":
        int64_t correlation_id
        int32_t session_id
