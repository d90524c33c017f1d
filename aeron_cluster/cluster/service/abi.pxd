"""The ABI of native services: ``service.h``, which documents it, under other names."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t


cdef extern from "aeron_cluster/service.h" nogil:
    enum:
        SERVICE_VERSION_MAJOR "AC_SERVICE_VERSION_MAJOR"
        SERVICE_VERSION_MINOR "AC_SERVICE_VERSION_MINOR"
        SERVICE_VERSION "AC_SERVICE_VERSION"
        SERVICE_SIZE_1_0 "AC_SERVICE_SIZE_1_0"
        CLUSTER_SIZE_1_0 "AC_CLUSTER_SIZE_1_0"

        SENT "AC_SENT"
        MOCKED_OFFER "AC_MOCKED_OFFER"
        NOT_CONNECTED "AC_NOT_CONNECTED"
        BACK_PRESSURED "AC_BACK_PRESSURED"
        ADMIN_ACTION "AC_ADMIN_ACTION"
        CLOSED "AC_CLOSED"
        MAX_POSITION_EXCEEDED "AC_MAX_POSITION_EXCEEDED"
        INVALID "AC_INVALID"

        SERVICE_OK "AC_SERVICE_OK"
        SERVICE_FAILED "AC_SERVICE_FAILED"
        SERVICE_TERMINATE "AC_SERVICE_TERMINATE"
        SNAPSHOT_END "AC_SNAPSHOT_END"

        ROLE_FOLLOWER "AC_ROLE_FOLLOWER"
        ROLE_CANDIDATE "AC_ROLE_CANDIDATE"
        ROLE_LEADER "AC_ROLE_LEADER"
        CLOSE_CLIENT_ACTION "AC_CLOSE_CLIENT_ACTION"
        CLOSE_SERVICE_ACTION "AC_CLOSE_SERVICE_ACTION"
        CLOSE_TIMEOUT "AC_CLOSE_TIMEOUT"
        TIME_MILLIS "AC_TIME_MILLIS"
        TIME_MICROS "AC_TIME_MICROS"
        TIME_NANOS "AC_TIME_NANOS"

    ctypedef struct session "ac_session":
        int64_t id
        const char *response_channel
        const uint8_t *encoded_principal
        int32_t response_channel_length
        int32_t encoded_principal_length
        int32_t response_stream_id
        int32_t is_closing

    ctypedef struct log_header "ac_log_header":
        int64_t position
        int64_t leadership_term_id
        int64_t cluster_session_id

    ctypedef struct leadership_term "ac_leadership_term":
        int64_t leadership_term_id
        int64_t log_position
        int64_t timestamp
        int64_t term_base_log_position
        int32_t leader_member_id
        int32_t log_session_id
        int32_t time_unit
        int32_t app_version

    ctypedef struct vector "ac_vector":
        const uint8_t *data
        int32_t length
        int32_t reserved

    ctypedef struct claim "ac_claim":
        uint8_t *data
        int32_t length
        int32_t reserved
        void *host[2]

    ctypedef struct snapshot_writer "ac_snapshot_writer":
        pass

    ctypedef struct snapshot_reader "ac_snapshot_reader":
        pass

    ctypedef int (*snapshot_handler "ac_snapshot_handler")(
        void *context, const uint8_t *data, int32_t length
    ) noexcept nogil

    ctypedef struct cluster_table "ac_cluster":
        uint32_t version
        uint32_t size
        void *host
        int64_t time
        int64_t log_position
        int64_t leadership_term_id
        int32_t member_id
        int32_t role
        int32_t time_unit
        int32_t service_id
        int32_t session_count
        int32_t reserved
        int64_t (*session_offer)(void *host, session *session, const uint8_t *data,
                                 int32_t length) noexcept nogil
        int64_t (*session_offerv)(void *host, session *session, const vector *vectors,
                                  int32_t count) noexcept nogil
        int64_t (*session_try_claim)(void *host, session *session, int32_t length,
                                     claim *claim) noexcept nogil
        int64_t (*cluster_offer)(void *host, const uint8_t *data, int32_t length) noexcept nogil
        int64_t (*cluster_offerv)(void *host, const vector *vectors,
                                  int32_t count) noexcept nogil
        int64_t (*cluster_try_claim)(void *host, int32_t length, claim *claim) noexcept nogil
        int (*claim_commit)(void *host, claim *claim) noexcept nogil
        int (*claim_abort)(void *host, claim *claim) noexcept nogil
        int64_t (*schedule_timer)(void *host, int64_t correlation_id,
                                  int64_t deadline) noexcept nogil
        int64_t (*cancel_timer)(void *host, int64_t correlation_id) noexcept nogil
        session *(*session_by_id)(void *host, int64_t cluster_session_id) noexcept nogil
        session *(*session_at)(void *host, int32_t index) noexcept nogil
        int64_t (*close_session)(void *host, int64_t cluster_session_id) noexcept nogil
        int (*idle)(void *host, int32_t work_count) noexcept nogil
        void (*explain)(void *host, const char *text, int32_t length) noexcept nogil
        int64_t (*snapshot_offer)(void *host, snapshot_writer *writer, const uint8_t *data,
                                  int32_t length) noexcept nogil
        int (*snapshot_poll)(void *host, snapshot_reader *reader, snapshot_handler handler,
                             void *context, int32_t limit) noexcept nogil

    ctypedef struct service_table "ac_service":
        uint32_t version
        uint32_t size
        const char *name
        void *state
        int (*on_start)(void *state, const cluster_table *cluster,
                        snapshot_reader *snapshot) noexcept nogil
        int (*on_session_open)(void *state, session *session, int64_t timestamp) noexcept nogil
        int (*on_session_close)(void *state, session *session, int64_t timestamp,
                                int32_t close_reason) noexcept nogil
        int (*on_session_message)(void *state, session *session, int64_t timestamp,
                                  const uint8_t *data, int32_t length,
                                  const log_header *header) noexcept nogil
        int (*on_timer_event)(void *state, int64_t correlation_id,
                              int64_t timestamp) noexcept nogil
        int (*on_take_snapshot)(void *state, snapshot_writer *writer) noexcept nogil
        int (*on_role_change)(void *state, int32_t new_role) noexcept nogil
        int (*on_new_leadership_term_event)(void *state,
                                            const leadership_term *term) noexcept nogil
        int (*on_terminate)(void *state) noexcept nogil
        int (*do_background_work)(void *state, int64_t now_ns) noexcept nogil
        void (*destroy)(void *state) noexcept nogil

    ctypedef struct option "ac_option":
        const char *name
        const char *value

    ctypedef struct service_request "ac_service_request":
        uint32_t version
        uint32_t size
        const option *options
        int32_t option_count
        int32_t error_capacity
        char *error

    ctypedef const service_table *(*service_factory "ac_service_factory")(
        const service_request *request
    ) noexcept nogil

    const char *SERVICE_CAPSULE "AC_SERVICE_CAPSULE"

    ctypedef enum service_fault "ac_service_fault":
        SERVICE_FITS "AC_SERVICE_FITS"
        SERVICE_BAD_VERSION "AC_SERVICE_BAD_VERSION"
        SERVICE_BAD_SIZE "AC_SERVICE_BAD_SIZE"
        SERVICE_NO_START "AC_SERVICE_NO_START"
        SERVICE_NO_SESSION_MESSAGE "AC_SERVICE_NO_SESSION_MESSAGE"
        SERVICE_NO_TAKE_SNAPSHOT "AC_SERVICE_NO_TAKE_SNAPSHOT"

    # For hosts.
    service_fault copy_service "ac_service_copy"(service_table *own,
                                                 const service_table *given) noexcept

    # For services.
    int64_t session_offer "ac_session_offer"(const cluster_table *cluster, session *session,
                                             const void *data, int32_t length) noexcept
    int64_t session_offerv "ac_session_offerv"(const cluster_table *cluster, session *session,
                                               const vector *vectors, int32_t count) noexcept
    int64_t session_try_claim "ac_session_try_claim"(const cluster_table *cluster,
                                                     session *session, int32_t length,
                                                     claim *claim) noexcept
    int64_t cluster_offer "ac_cluster_offer"(const cluster_table *cluster, const void *data,
                                             int32_t length) noexcept
    int64_t cluster_offerv "ac_cluster_offerv"(const cluster_table *cluster,
                                               const vector *vectors, int32_t count) noexcept
    int64_t cluster_try_claim "ac_cluster_try_claim"(const cluster_table *cluster,
                                                     int32_t length, claim *claim) noexcept
    int claim_commit "ac_claim_commit"(const cluster_table *cluster, claim *claim) noexcept
    int claim_abort "ac_claim_abort"(const cluster_table *cluster, claim *claim) noexcept
    int64_t schedule_timer "ac_schedule_timer"(const cluster_table *cluster,
                                               int64_t correlation_id,
                                               int64_t deadline) noexcept
    int64_t cancel_timer "ac_cancel_timer"(const cluster_table *cluster,
                                           int64_t correlation_id) noexcept
    session *session_by_id "ac_session_by_id"(const cluster_table *cluster,
                                              int64_t cluster_session_id) noexcept
    session *session_at "ac_session_at"(const cluster_table *cluster, int32_t index) noexcept
    int64_t close_session "ac_close_session"(const cluster_table *cluster,
                                             int64_t cluster_session_id) noexcept
    int idle "ac_idle"(const cluster_table *cluster, int32_t work_count) noexcept
    void explain "ac_explain"(const cluster_table *cluster, const char *text) noexcept
    int64_t snapshot_offer "ac_snapshot_offer"(const cluster_table *cluster,
                                               snapshot_writer *writer, const void *data,
                                               int32_t length) noexcept
    int snapshot_poll "ac_snapshot_poll"(const cluster_table *cluster, snapshot_reader *reader,
                                         snapshot_handler handler, void *context,
                                         int32_t limit) noexcept
