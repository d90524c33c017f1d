/* The CnC file's header, and the commands and events that clients and the driver exchange in it.

   Each structure is the fixed part of a message; text follows at the stated offset. Offsets count
   from the end of the ring or broadcast record header. */
#ifndef AERON_CLUSTER_COMMANDS_H
#define AERON_CLUSTER_COMMANDS_H

#include <stddef.h>
#include <stdint.h>

enum {
    AC_CNC_VERSION = 512, /* 0.2.0 */
    AC_CNC_HEADER_LENGTH = 128,
    AC_CONTROL_PROTOCOL_VERSION = 65536, /* 1.0.0 */
    AC_RING_TRAILER_LENGTH = 768,
    AC_BROADCAST_TRAILER_LENGTH = 128,
    AC_RECORD_HEADER_LENGTH = 8,
    AC_RECORD_ALIGNMENT = 8,
    AC_PADDING_MESSAGE_TYPE = -1,
};

typedef struct ac_cnc_header {
    int32_t cnc_version; /* stored last */
    int32_t to_driver_buffer_length;
    int32_t to_clients_buffer_length;
    int32_t counters_metadata_buffer_length;
    int32_t counters_values_buffer_length;
    int32_t error_log_buffer_length;
    int64_t client_liveness_timeout_ns;
    int64_t start_timestamp_ms;
    int64_t pid;
    int32_t file_page_size;
    uint8_t padding[76];
} ac_cnc_header;

_Static_assert(sizeof(ac_cnc_header) == AC_CNC_HEADER_LENGTH, "file");
_Static_assert(offsetof(ac_cnc_header, client_liveness_timeout_ns) == 24, "file");
_Static_assert(offsetof(ac_cnc_header, file_page_size) == 48, "file");

typedef struct ac_record_header {
    int32_t length; /* 8 + payload; negative while being written (ring only), 0: no record yet */
    int32_t type;
} ac_record_header;

/* Trailers, relative to the capacity. */
typedef struct ac_ring_trailer {
    uint8_t padding_0[128];
    int64_t tail_position; /* producers */
    uint8_t padding_1[120];
    int64_t head_cache_position; /* producers */
    uint8_t padding_2[120];
    int64_t head_position; /* consumer */
    uint8_t padding_3[120];
    int64_t correlation_counter;
    uint8_t padding_4[120];
    int64_t consumer_heartbeat_ms; /* consumer */
    uint8_t padding_5[120];
} ac_ring_trailer;

_Static_assert(sizeof(ac_ring_trailer) == AC_RING_TRAILER_LENGTH, "file");
_Static_assert(offsetof(ac_ring_trailer, tail_position) == 128, "file");
_Static_assert(offsetof(ac_ring_trailer, consumer_heartbeat_ms) == 640, "file");

typedef struct ac_broadcast_trailer {
    int64_t tail_intent;
    int64_t tail;
    int64_t latest;
    uint8_t padding[104];
} ac_broadcast_trailer;

_Static_assert(sizeof(ac_broadcast_trailer) == AC_BROADCAST_TRAILER_LENGTH, "file");

typedef enum ac_command {
    AC_ADD_PUBLICATION = 0x01,
    AC_REMOVE_PUBLICATION = 0x02,
    AC_ADD_EXCLUSIVE_PUBLICATION = 0x03,
    AC_ADD_SUBSCRIPTION = 0x04,
    AC_REMOVE_SUBSCRIPTION = 0x05,
    AC_CLIENT_KEEPALIVE = 0x06,
    AC_ADD_DESTINATION = 0x07,
    AC_REMOVE_DESTINATION = 0x08,
    AC_ADD_COUNTER = 0x09,
    AC_REMOVE_COUNTER = 0x0A,
    AC_CLIENT_CLOSE = 0x0B,
    AC_ADD_RCV_DESTINATION = 0x0C,
    AC_REMOVE_RCV_DESTINATION = 0x0D,
    AC_TERMINATE_DRIVER = 0x0E,
    AC_ADD_STATIC_COUNTER = 0x0F,
    AC_REJECT_IMAGE = 0x10,
    AC_REMOVE_DESTINATION_BY_ID = 0x11,
    AC_GET_NEXT_AVAILABLE_SESSION_ID = 0x12,
} ac_command;

typedef enum ac_event {
    AC_ON_ERROR = 0x0F01,
    AC_ON_AVAILABLE_IMAGE = 0x0F02,
    AC_ON_PUBLICATION_READY = 0x0F03,
    AC_ON_OPERATION_SUCCESS = 0x0F04,
    AC_ON_UNAVAILABLE_IMAGE = 0x0F05,
    AC_ON_EXCLUSIVE_PUBLICATION_READY = 0x0F06,
    AC_ON_SUBSCRIPTION_READY = 0x0F07,
    AC_ON_COUNTER_READY = 0x0F08,
    AC_ON_UNAVAILABLE_COUNTER = 0x0F09,
    AC_ON_CLIENT_TIMEOUT = 0x0F0A,
    AC_ON_STATIC_COUNTER = 0x0F0B,
    AC_ON_PUBLICATION_ERROR = 0x0F0C,
    AC_ON_NEXT_AVAILABLE_SESSION_ID = 0x0F0D,
} ac_event;

typedef enum ac_error_code {
    AC_ERROR_UNKNOWN_CODE_VALUE = -1,
    AC_ERROR_UNUSED = 0,
    AC_ERROR_INVALID_CHANNEL = 1,
    AC_ERROR_UNKNOWN_SUBSCRIPTION = 2,
    AC_ERROR_UNKNOWN_PUBLICATION = 3,
    AC_ERROR_CHANNEL_ENDPOINT = 4,
    AC_ERROR_UNKNOWN_COUNTER = 5,
    AC_ERROR_UNKNOWN_COMMAND_TYPE_ID = 6,
    AC_ERROR_MALFORMED_COMMAND = 7,
    AC_ERROR_NOT_SUPPORTED = 8,
    AC_ERROR_UNKNOWN_HOST = 9,
    AC_ERROR_RESOURCE_TEMPORARILY_UNAVAILABLE = 10,
    AC_ERROR_GENERIC = 11,
    AC_ERROR_STORAGE_SPACE = 12,
    AC_ERROR_IMAGE_REJECTED = 13,
    AC_ERROR_PUBLICATION_REVOKED = 14,
} ac_error_code;

/* ---- client to driver; every command starts with client_id and correlation_id ---- */
typedef struct ac_correlated_command {
    int64_t client_id;
    int64_t correlation_id;
} ac_correlated_command;

typedef struct ac_publication_command {
    ac_correlated_command correlated;
    int32_t stream_id;
    int32_t channel_length; /* channel at 24 */
} ac_publication_command;

#pragma pack(push, 4)
typedef struct ac_subscription_command {
    ac_correlated_command correlated;
    int64_t registration_correlation_id; /* always -1 from clients */
    int32_t stream_id;
    int32_t channel_length; /* channel at 32 */
} ac_subscription_command;

typedef struct ac_remove_command {
    ac_correlated_command correlated;
    int64_t registration_id;
} ac_remove_command;

typedef struct ac_remove_publication_command {
    ac_correlated_command correlated;
    int64_t registration_id;
    int64_t flags; /* bit 0: revoke */
} ac_remove_publication_command;

typedef struct ac_destination_command {
    ac_correlated_command correlated;
    int64_t registration_id;
    int32_t channel_length; /* channel at 28 */
} ac_destination_command;

typedef struct ac_destination_by_id_command {
    ac_correlated_command correlated;
    int64_t resource_registration_id;
    int64_t destination_registration_id;
} ac_destination_by_id_command;

typedef struct ac_counter_command {
    ac_correlated_command correlated;
    int32_t type_id;
    int32_t key_length; /* key at 24, then label length and label at align(24 + key_length, 4) */
} ac_counter_command;

typedef struct ac_static_counter_command {
    ac_correlated_command correlated;
    int64_t registration_id;
    int32_t type_id;
    int32_t key_length; /* key at 32, then as above */
} ac_static_counter_command;

typedef struct ac_terminate_driver_command {
    ac_correlated_command correlated;
    int32_t token_length; /* token at 20 */
} ac_terminate_driver_command;

typedef struct ac_reject_image_command {
    ac_correlated_command correlated;
    int64_t image_correlation_id;
    int64_t position;
    int32_t reason_length; /* reason at 36 */
} ac_reject_image_command;

typedef struct ac_next_session_id_command {
    ac_correlated_command correlated;
    int32_t stream_id;
} ac_next_session_id_command;

/* ---- driver to clients ---- */
typedef struct ac_error_event {
    int64_t offending_correlation_id;
    int32_t error_code;
    int32_t message_length; /* message at 16 */
} ac_error_event;

typedef struct ac_available_image_event {
    int64_t correlation_id;
    int32_t session_id;
    int32_t stream_id;
    int64_t subscription_registration_id;
    int32_t subscriber_position_id;
    int32_t log_file_length; /* log file at 32, source identity at 32 + align(length, 4) */
} ac_available_image_event;

typedef struct ac_publication_ready_event {
    int64_t correlation_id;
    int64_t registration_id;
    int32_t session_id;
    int32_t stream_id;
    int32_t publication_limit_counter_id;
    int32_t channel_status_id; /* -1: IPC */
    int32_t log_file_length;   /* log file at 36 */
} ac_publication_ready_event;

typedef struct ac_operation_success_event {
    int64_t correlation_id;
} ac_operation_success_event;

typedef struct ac_unavailable_image_event {
    int64_t correlation_id;
    int64_t subscription_registration_id;
    int32_t stream_id;
    int32_t channel_length; /* channel at 24 */
} ac_unavailable_image_event;

typedef struct ac_subscription_ready_event {
    int64_t correlation_id;
    int32_t channel_status_id;
} ac_subscription_ready_event;

/* counter ready, static counter, unavailable counter (where the id is the registration id) */
typedef struct ac_counter_event {
    int64_t correlation_id;
    int32_t counter_id;
} ac_counter_event;

typedef struct ac_client_timeout_event {
    int64_t client_id;
} ac_client_timeout_event;

typedef struct ac_publication_error_event {
    int64_t registration_id;
    int64_t destination_registration_id; /* -1: none */
    int32_t session_id;
    int32_t stream_id;
    int64_t receiver_id;
    int64_t group_tag;
    int16_t address_type; /* 1: IPv4, 2: IPv6 */
    uint16_t port;        /* host order */
    uint8_t address[16];
    int32_t error_code;
    int32_t message_length; /* message at 68 */
} ac_publication_error_event;

typedef struct ac_next_session_id_event {
    int64_t correlation_id;
    int32_t session_id;
} ac_next_session_id_event;
#pragma pack(pop)

_Static_assert(sizeof(ac_publication_command) == 24, "protocol");
_Static_assert(sizeof(ac_subscription_command) == 32, "protocol");
_Static_assert(sizeof(ac_remove_publication_command) == 32, "protocol");
_Static_assert(sizeof(ac_destination_command) == 28, "protocol");
_Static_assert(sizeof(ac_counter_command) == 24, "protocol");
_Static_assert(sizeof(ac_static_counter_command) == 32, "protocol");
_Static_assert(sizeof(ac_terminate_driver_command) == 20, "protocol");
_Static_assert(sizeof(ac_reject_image_command) == 36, "protocol");
_Static_assert(sizeof(ac_next_session_id_command) == 20, "protocol");
_Static_assert(sizeof(ac_error_event) == 16, "protocol");
_Static_assert(sizeof(ac_available_image_event) == 32, "protocol");
_Static_assert(sizeof(ac_publication_ready_event) == 36, "protocol");
_Static_assert(sizeof(ac_unavailable_image_event) == 24, "protocol");
_Static_assert(sizeof(ac_subscription_ready_event) == 12, "protocol");
_Static_assert(sizeof(ac_publication_error_event) == 68, "protocol");
_Static_assert(sizeof(ac_next_session_id_event) == 12, "protocol");

#endif
