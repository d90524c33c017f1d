/* Frames on the wire and in term buffers, and the metadata at the end of a log buffer file.

   The data frame header, which is also the header of a frame in a term buffer:

     0                   1                   2                   3
     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
    +---------------------------------------------------------------+
    |                         Frame Length                          |
    +-------+-------+---------------+-------------------------------+
    |    Version    |B|E|S|R| (0)   |             Type              |
    +---------------+---------------+-------------------------------+
    |                          Term Offset                          |
    +---------------------------------------------------------------+
    |                          Session ID                           |
    +---------------------------------------------------------------+
    |                           Stream ID                           |
    +---------------------------------------------------------------+
    |                            Term ID                            |
    +---------------------------------------------------------------+
    |                        Reserved Value                         |
    |                                                               |
    +---------------------------------------------------------------+
    |                          Payload ...                          | */
#ifndef AERON_CLUSTER_FRAMES_H
#define AERON_CLUSTER_FRAMES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    AC_FRAME_ALIGNMENT = 32,
    AC_DATA_HEADER_LENGTH = 32,
    AC_FRAME_HEADER_LENGTH = 8,
    AC_FRAME_VERSION = 0,
    AC_MAX_UDP_PAYLOAD_LENGTH = 65504,
    AC_MIN_MTU_LENGTH = 64, /* a header and one aligned byte of payload */
    AC_MAX_MESSAGE_LENGTH = 16777216,
    AC_MAX_ERROR_TEXT_LENGTH = 1023,
};

typedef enum ac_frame_type {
    AC_FRAME_PAD = 0x00,
    AC_FRAME_DATA = 0x01,
    AC_FRAME_NAK = 0x02,
    AC_FRAME_STATUS_MESSAGE = 0x03,
    AC_FRAME_ERROR = 0x04,
    AC_FRAME_SETUP = 0x05,
    AC_FRAME_RTT_MEASUREMENT = 0x06,
    AC_FRAME_RESOLUTION = 0x07,
    AC_FRAME_ATS_DATA = 0x08,
    AC_FRAME_RESPONSE_SETUP = 0x0B,
    AC_FRAME_EXTENSION = 0xFFFF,
} ac_frame_type;

enum {
    AC_FLAG_BEGIN = 0x80,
    AC_FLAG_END = 0x40,
    AC_FLAG_UNFRAGMENTED = 0xC0,
    AC_FLAG_EOS = 0x20,     /* on heartbeats only */
    AC_FLAG_REVOKED = 0x10, /* with EOS, on heartbeats only */
    AC_SETUP_FLAG_SEND_RESPONSE_SETUP = 0x80,
    AC_SETUP_FLAG_GROUP = 0x40,
    AC_STATUS_FLAG_SEND_SETUP = 0x80,
    AC_STATUS_FLAG_EOS = 0x40,
    AC_ERROR_FLAG_HAS_GROUP_TAG = 0x08,
    AC_RTT_FLAG_REPLY = 0x80,
    AC_RESOLUTION_FLAG_SELF = 0x80,
};

typedef struct ac_frame_header {
    int32_t frame_length;
    uint8_t version;
    uint8_t flags;
    uint16_t type;
} ac_frame_header;

typedef struct ac_data_header {
    int32_t frame_length; /* negative while being written, 0 while not written */
    uint8_t version;
    uint8_t flags;
    uint16_t type;
    int32_t term_offset;
    int32_t session_id;
    int32_t stream_id;
    int32_t term_id;
    int64_t reserved_value;
} ac_data_header;

_Static_assert(sizeof(ac_data_header) == 32, "wire");
_Static_assert(offsetof(ac_data_header, flags) == 5, "wire");
_Static_assert(offsetof(ac_data_header, type) == 6, "wire");
_Static_assert(offsetof(ac_data_header, term_offset) == 8, "wire");
_Static_assert(offsetof(ac_data_header, term_id) == 20, "wire");
_Static_assert(offsetof(ac_data_header, reserved_value) == 24, "wire");

typedef struct ac_setup_frame {
    ac_frame_header header;
    int32_t term_offset;
    int32_t session_id;
    int32_t stream_id;
    int32_t initial_term_id;
    int32_t active_term_id;
    int32_t term_length;
    int32_t mtu_length;
    int32_t ttl;
} ac_setup_frame;

_Static_assert(sizeof(ac_setup_frame) == 40, "wire");

typedef struct ac_nak_frame {
    ac_frame_header header;
    int32_t session_id;
    int32_t stream_id;
    int32_t term_id;
    int32_t term_offset;
    int32_t length;
} ac_nak_frame;

_Static_assert(sizeof(ac_nak_frame) == 28, "wire");

#pragma pack(push, 4)
typedef struct ac_status_frame {
    ac_frame_header header;
    int32_t session_id;
    int32_t stream_id;
    int32_t consumption_term_id;
    int32_t consumption_term_offset;
    int32_t receiver_window_length;
    int64_t receiver_id; /* not aligned to 8 */
} ac_status_frame;       /* followed by an int64 group tag if frame_length is 44 */
#pragma pack(pop)

_Static_assert(sizeof(ac_status_frame) == 36, "wire");
_Static_assert(offsetof(ac_status_frame, receiver_id) == 28, "wire");

enum { AC_STATUS_FRAME_WITH_TAG_LENGTH = 44 };

typedef struct ac_error_frame {
    ac_frame_header header;
    int32_t session_id;
    int32_t stream_id;
    int64_t receiver_id;
    int64_t group_tag;
    int32_t error_code;
    int32_t error_length; /* followed by that many bytes of ASCII */
} ac_error_frame;

_Static_assert(sizeof(ac_error_frame) == 40, "wire");

typedef struct ac_rtt_frame {
    ac_frame_header header;
    int32_t session_id;
    int32_t stream_id;
    int64_t echo_timestamp_ns;
    int64_t reception_delta_ns;
    int64_t receiver_id;
} ac_rtt_frame;

_Static_assert(sizeof(ac_rtt_frame) == 40, "wire");

typedef struct ac_response_setup_frame {
    ac_frame_header header;
    int32_t session_id;
    int32_t stream_id;
    int32_t response_session_id;
} ac_response_setup_frame;

_Static_assert(sizeof(ac_response_setup_frame) == 20, "wire");

/* ---- log buffer file: three terms, slack up to the page, metadata in the last 4096 bytes ---- */
enum {
    AC_PARTITION_COUNT = 3,
    AC_LOG_METADATA_LENGTH = 4096,
    AC_TERM_MIN_LENGTH = 65536,
    AC_TERM_MAX_LENGTH = 1073741824,
    AC_PAGE_MIN_LENGTH = 4096,
    AC_PAGE_MAX_LENGTH = 1073741824,
    AC_DEFAULT_FRAME_HEADER_MAX_LENGTH = 128,
};

typedef enum ac_log_type {
    AC_LOG_CONCURRENT_PUBLICATION = 0,
    AC_LOG_EXCLUSIVE_PUBLICATION = 1,
    AC_LOG_IMAGE = 2,
} ac_log_type;

#pragma pack(push, 4)
typedef struct ac_log_metadata {
    int64_t tail_counters[3];  /* (term id << 32) + offset; publisher */
    int32_t active_term_count; /* publisher */
    uint8_t padding_0[100];
    int64_t end_of_stream_position; /* driver; INT64_MAX until known */
    int32_t is_connected;           /* driver; publications only */
    int32_t active_transport_count; /* driver; images only */
    uint8_t padding_1[112];
    int64_t correlation_id;
    int32_t initial_term_id;
    int32_t default_frame_header_length;
    int32_t mtu_length;
    int32_t term_length;
    int32_t page_size;
    int32_t publication_window_length;
    int32_t receiver_window_length;
    int32_t socket_sndbuf_length;
    int32_t os_default_socket_sndbuf_length;
    int32_t os_max_socket_sndbuf_length;
    int32_t socket_rcvbuf_length;
    int32_t os_default_socket_rcvbuf_length;
    int32_t os_max_socket_rcvbuf_length;
    int32_t max_resend;
    uint8_t default_frame_header[AC_DEFAULT_FRAME_HEADER_MAX_LENGTH];
    int64_t entity_tag;
    int64_t response_correlation_id;
    int64_t linger_timeout_ns;
    int64_t untethered_window_limit_timeout_ns;
    int64_t untethered_resting_timeout_ns;
    uint8_t group;
    uint8_t is_response;
    uint8_t rejoin;
    uint8_t reliable;
    uint8_t sparse;
    uint8_t signal_eos;
    uint8_t spies_simulate_connection;
    uint8_t tether;
    uint8_t is_publication_revoked; /* driver; stored before end_of_stream_position */
    uint8_t type;
    uint8_t padding_2[2];
    int64_t untethered_linger_timeout_ns; /* not aligned to 8 */
} ac_log_metadata;
#pragma pack(pop)

_Static_assert(sizeof(ac_log_metadata) == 508, "file");
_Static_assert(offsetof(ac_log_metadata, active_term_count) == 24, "file");
_Static_assert(offsetof(ac_log_metadata, end_of_stream_position) == 128, "file");
_Static_assert(offsetof(ac_log_metadata, correlation_id) == 256, "file");
_Static_assert(offsetof(ac_log_metadata, max_resend) == 316, "file");
_Static_assert(offsetof(ac_log_metadata, default_frame_header) == 320, "file");
_Static_assert(offsetof(ac_log_metadata, entity_tag) == 448, "file");
_Static_assert(offsetof(ac_log_metadata, group) == 488, "file");
_Static_assert(offsetof(ac_log_metadata, type) == 497, "file");
_Static_assert(offsetof(ac_log_metadata, untethered_linger_timeout_ns) == 500, "file");

/* ---- shared arithmetic; term ids wrap as signed 32-bit ---- */
static inline int64_t ac_align_i64(int64_t value, int64_t alignment) {
    return (value + (alignment - 1)) & ~(alignment - 1);
}

static inline int32_t ac_align(int32_t value, int32_t alignment) {
    return (value + (alignment - 1)) & ~(alignment - 1);
}

static inline int32_t ac_align_frame(int32_t length) {
    return ac_align(length, AC_FRAME_ALIGNMENT);
}

static inline int32_t ac_number_of_bits(int32_t term_length) {
    return __builtin_ctz((uint32_t)term_length);
}

static inline int32_t ac_tail_term_id(int64_t raw_tail) {
    return (int32_t)(raw_tail >> 32);
}

/* The tail of a concurrent log can overshoot the term: clamp it before computing a position. */
static inline int32_t ac_tail_term_offset(int64_t raw_tail, int32_t term_length) {
    int64_t offset = raw_tail & 0xFFFFFFFFLL;
    return (int32_t)(offset < term_length ? offset : term_length);
}

static inline int64_t ac_pack_tail(int32_t term_id, int32_t term_offset) {
    return (int64_t)((uint64_t)(uint32_t)term_id << 32) + term_offset;
}

static inline int32_t ac_term_count(int32_t term_id, int32_t initial_term_id) {
    return (int32_t)((uint32_t)term_id - (uint32_t)initial_term_id);
}

static inline int64_t ac_position(int32_t term_id, int32_t term_offset, int32_t bits_to_shift,
                                  int32_t initial_term_id) {
    int64_t count = ac_term_count(term_id, initial_term_id);
    return (int64_t)((uint64_t)count << bits_to_shift) + term_offset;
}

static inline int32_t ac_term_id_of_position(int64_t position, int32_t bits_to_shift,
                                             int32_t initial_term_id) {
    return (int32_t)((uint32_t)((uint64_t)position >> bits_to_shift) + (uint32_t)initial_term_id);
}

static inline int32_t ac_index_of_position(int64_t position, int32_t bits_to_shift) {
    return (int32_t)(((uint64_t)position >> bits_to_shift) % AC_PARTITION_COUNT);
}

static inline int32_t ac_index_of_term_count(int32_t term_count) {
    return term_count % AC_PARTITION_COUNT;
}

static inline int64_t ac_max_possible_position(int32_t term_length) {
    return (int64_t)term_length << 31;
}

static inline int32_t ac_max_message_length(int32_t term_length) {
    int32_t eighth = term_length >> 3;
    return eighth < AC_MAX_MESSAGE_LENGTH ? eighth : AC_MAX_MESSAGE_LENGTH;
}

/* The log bytes of a message of the given length, in fragments of max_payload bytes. */
static inline int64_t ac_fragmented_length(int64_t length, int32_t max_payload) {
    int64_t full = length / max_payload;
    int32_t rest = (int32_t)(length % max_payload);
    int64_t last = rest > 0 ? ac_align_frame(rest + AC_DATA_HEADER_LENGTH) : 0;
    return full * (max_payload + AC_DATA_HEADER_LENGTH) + last;
}

static inline int64_t ac_log_file_length(int32_t term_length, int32_t page_size) {
    return ac_align_i64((int64_t)term_length * AC_PARTITION_COUNT + AC_LOG_METADATA_LENGTH,
                        page_size);
}

#endif
