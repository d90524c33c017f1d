/* Native clustered services: a state machine behind a table of C function pointers.

   The container drives an ac_service from its agent's thread and never takes Python's GIL for it;
   the service replies through the ac_cluster that it received in on_start. Nothing here needs
   Python: a service is written in C, C++, Cython, Rust, Zig or Numba (cfunc), against this header
   alone.

       container  -- on_session_message(state, session, ...) -->  ac_service   (the user's)
       container  <-- session_offer(host, session, ...) --------  ac_cluster   (the container's)

   Threads. All callbacks run on the one thread of the container's agent, one at a time, and the
   functions of ac_cluster may be called only from within a callback. The exception is
   do_background_work: while a callback waits in `idle`, it may be called before the first one has
   returned.

   Determinism. Every member runs the same callbacks over the same log and must come to the same
   state. State may change only in on_start (from the snapshot) and by log events: on_session_open,
   on_session_close, on_session_message, on_timer_event, on_new_leadership_term_event. Time is
   ac_cluster.time, never a clock; nothing may depend on addresses, threads or random numbers.

   Pointers. Arguments of a callback (payload, header, snapshot reader or writer) are valid until it
   returns, and a payload is read-only: it is the log itself. An ac_session lives until its
   on_session_close has returned, or, when the container ends, until destroy. An ac_cluster lives
   from on_start until destroy. Arguments of ac_cluster's functions are read before they return, and
   are not retained.

   Units. Lengths and positions are bytes; log positions count from the log's beginning. Timestamps
   and deadlines are in ac_cluster.time_unit since 1970.

   Versions. AC_SERVICE_VERSION is major << 16 | minor. Within a major version tables and structs
   grow only at their end, each growth is a new minor version, and existing members keep their
   meaning; another major version is rejected. Each table has its version and its size: the
   container treats the later callbacks of a shorter ac_service as missing, and does not call the
   later part of a longer one; a service checks AC_CLUSTER_HAS before it calls functions newer
   than 1.0. A service that requires such a function returns a failure from on_start. Structs
   without a size (ac_session and the arguments of callbacks) come from the container and are of
   the version that its ac_cluster states. */
#ifndef AERON_CLUSTER_SERVICE_H
#define AERON_CLUSTER_SERVICE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
#define AC_LAYOUT(condition) static_assert(condition, "service ABI")
extern "C" {
#else
#define AC_LAYOUT(condition) _Static_assert(condition, "service ABI")
#endif

enum {
    AC_SERVICE_VERSION_MAJOR = 1,
    AC_SERVICE_VERSION_MINOR = 0,
    AC_SERVICE_VERSION = AC_SERVICE_VERSION_MAJOR << 16 | AC_SERVICE_VERSION_MINOR,
};

/* ---- codes ---- */

/* Negative results of offers, claims and requests are Aeron's codes. A positive result is success:
   for an offer or a claim the new position of the stream, else AC_SENT. */
enum {
    AC_SENT = 1,
    AC_MOCKED_OFFER = 1,    /* nothing is sent: not the leader, or its egress can never take it */
    AC_NOT_CONNECTED = -1,  /* the client's egress is not connected; the message is lost */
    AC_BACK_PRESSURED = -2, /* call idle and try again */
    AC_ADMIN_ACTION = -3,   /* a term was being rotated; call idle and try again */
    AC_CLOSED = -4,         /* the publication, or the node, is closed */
    AC_MAX_POSITION_EXCEEDED = -5,
    AC_INVALID = -6, /* not allowed from this callback, no such session, bad length */
};

/* The result of a callback. Zero or more is success. A negative one is a failure: it is reported,
   with the callback, the log position, the session, the code and the text given to `explain`, to
   the error log, the error counter and the error handler. The log event counts as consumed and the
   next one follows; but a failed on_start ends the container, and a failed on_take_snapshot leaves
   no snapshot. A status of ac_cluster may be returned unchanged; other negative values are the
   service's own. AC_SERVICE_TERMINATE is not a failure: the container ends in an orderly way. */
enum {
    AC_SERVICE_OK = 0,
    AC_SERVICE_FAILED = -7,
    AC_SERVICE_TERMINATE = -100,
};

typedef enum ac_role {
    AC_ROLE_FOLLOWER = 0,
    AC_ROLE_CANDIDATE = 1,
    AC_ROLE_LEADER = 2,
} ac_role;

typedef enum ac_close_reason {
    AC_CLOSE_CLIENT_ACTION = 0,
    AC_CLOSE_SERVICE_ACTION = 1,
    AC_CLOSE_TIMEOUT = 2,
} ac_close_reason;

typedef enum ac_time_unit {
    AC_TIME_MILLIS = 0,
    AC_TIME_MICROS = 1,
    AC_TIME_NANOS = 2,
} ac_time_unit;

/* ---- arguments of callbacks and calls ---- */

/* A client's session. The container creates and changes it. */
typedef struct ac_session {
    int64_t id;                       /* unique in the life of the cluster, ascending */
    const char *response_channel;     /* null-terminated */
    const uint8_t *encoded_principal; /* as the authenticator set it */
    int32_t response_channel_length;
    int32_t encoded_principal_length; /* 0: none */
    int32_t response_stream_id;
    int32_t is_closing; /* 1 once its close was requested by this service */
} ac_session;

/* The place of a message in the log. */
typedef struct ac_log_header {
    int64_t position;           /* after the message: ac_cluster.log_position */
    int64_t leadership_term_id; /* of the term in which it was logged */
    int64_t cluster_session_id; /* as logged; also set for a service's message */
} ac_log_header;

typedef struct ac_leadership_term {
    int64_t leadership_term_id;
    int64_t log_position;           /* log position after this event */
    int64_t timestamp;              /* of the new term */
    int64_t term_base_log_position; /* start of the term */
    int32_t leader_member_id;
    int32_t log_session_id;
    int32_t time_unit;   /* an ac_time_unit: of all timestamps from now on */
    int32_t app_version; /* of the consensus module: major << 16 | minor << 8 | patch */
} ac_leadership_term;

/* A part of a message. */
typedef struct ac_vector {
    const uint8_t *data;
    int32_t length;
    int32_t reserved;
} ac_vector;

/* Space for a message to be written in place: `data` begins after the session's header. A claim
   must be committed or aborted before the callback returns or waits. */
typedef struct ac_claim {
    uint8_t *data;
    int32_t length;
    int32_t reserved;
    void *host[2]; /* the container's */
} ac_claim;

typedef struct ac_snapshot_writer ac_snapshot_writer;
typedef struct ac_snapshot_reader ac_snapshot_reader;

enum {
    AC_SNAPSHOT_END = -20, /* from snapshot_poll: all messages were delivered */
};

/* Handles one complete message of the snapshot; the bytes are valid until it returns. Returns 0 to
   continue, or a negative value to end the poll, which then returns that value. */
typedef int (*ac_snapshot_handler)(void *context, const uint8_t *data, int32_t length);

/* ---- calls of a service ---- */

/* Called with `host` as the first argument, or through the inline functions below. "log events"
   stands for the five callbacks named above under Determinism; a call from any other callback
   returns AC_INVALID and is recorded in the error log. */
typedef struct ac_cluster {
    uint32_t version;
    uint32_t size;
    void *host;

    /* Written by the container before each callback, and read-only. */
    int64_t time;               /* of the current log event, in time_unit */
    int64_t log_position;       /* after the current event */
    int64_t leadership_term_id; /* of the current event; -1 before the first term */
    int32_t member_id;          /* -1 until the first log was joined; for debugging */
    int32_t role;               /* an ac_role */
    int32_t time_unit;          /* an ac_time_unit */
    int32_t service_id;         /* of this service in its container, from 0 */
    int32_t session_count;      /* open sessions */
    int32_t reserved;

    /* Egress, from log events. Never waits. Returns the stream's new position, AC_MOCKED_OFFER if
       this member is not the leader, or a status; if the message matters, a service retries on
       AC_BACK_PRESSURED and AC_ADMIN_ACTION, with idle in between. The limit of an offer is the
       stream's maximum message length, an eighth of its term length and at most 16 MiB. Only the
       leader knows it, and the client chooses it: a longer message, or one after the stream's last
       position, counts as sent, as on other members (AC_MOCKED_OFFER), and is recorded in the error
       log, once per session. */
    int64_t (*session_offer)(void *host, ac_session *session, const uint8_t *data, int32_t length);
    int64_t (*session_offerv)(void *host, ac_session *session, const ac_vector *vectors,
                              int32_t count);
    /* Up to the stream's maximum payload length: its MTU less 64 bytes of headers. If this member
       is not the leader, or the length is above the stream's limit, the claim is scratch memory
       that is never sent, valid as long as the host. AC_INVALID above the limit of all streams. */
    int64_t (*session_try_claim)(void *host, ac_session *session, int32_t length, ac_claim *claim);

    /* Offer a message from this service to the log, from log events; it is delivered as an
       on_session_message without a session, on every member. Must be retried, idling, until the
       result is positive: a member that gave up would differ from the others. AC_NOT_CONNECTED and
       AC_CLOSED: the consensus module has ended, or the client of the driver was closed, and so
       does the container; the callback must then return AC_SERVICE_TERMINATE immediately. */
    int64_t (*cluster_offer)(void *host, const uint8_t *data, int32_t length);
    int64_t (*cluster_offerv)(void *host, const ac_vector *vectors, int32_t count);
    int64_t (*cluster_try_claim)(void *host, int32_t length, ac_claim *claim);

    /* 0, or AC_INVALID for a claim that is not open. */
    int (*claim_commit)(void *host, ac_claim *claim);
    int (*claim_abort)(void *host, ac_claim *claim);

    /* Timers, from log events: AC_SENT or a status, to be retried like cluster_offer. The service
       chooses the correlation id, except INT64_MAX; scheduling it again moves the timer. The
       deadline is a time in time_unit, not a duration. A cancelled timer may still fire: the
       request races with it. */
    int64_t (*schedule_timer)(void *host, int64_t correlation_id, int64_t deadline);
    int64_t (*cancel_timer)(void *host, int64_t correlation_id);

    /* Sessions, from any callback. By id: NULL if no open session has it. By index: in ascending
       order of id, NULL from session_count on. The order is the same on every member. */
    ac_session *(*session_by_id)(void *host, int64_t cluster_session_id);
    ac_session *(*session_at)(void *host, int32_t index);
    /* Request a session's close, from log events: AC_SENT (also if it was requested before), or a
       status. The session lives until its on_session_close. */
    int64_t (*close_session)(void *host, int64_t cluster_session_id);

    /* Idle, from any callback except do_background_work: runs one duty cycle of the other agents on
       this thread, driver and archive first, and idles by the container's strategy if work_count is
       0 and they did no work either. Returns 0 to continue waiting, or AC_CLOSED when the node is
       ending: the callback must then return AC_SERVICE_TERMINATE immediately. */
    int (*idle)(void *host, int32_t work_count);

    /* Describe the failure that this callback is about to return: UTF-8, `length`
       bytes, of which the first 255 are kept. From any callback. */
    void (*explain)(void *host, const char *text, int32_t length);

    /* From on_take_snapshot only: returns the position of the snapshot's stream, or a status to be
       retried with idle in between. The limit is the stream's maximum message length. */
    int64_t (*snapshot_offer)(void *host, ac_snapshot_writer *writer, const uint8_t *data,
                              int32_t length);
    /* From on_start only: passes up to `limit` messages to the handler, in the order of their
       offers, and returns their number; 0 if none has arrived yet (idle and retry); AC_SNAPSHOT_END
       after the last; AC_CLOSED if the stream ended early; or the handler's negative result. */
    int (*snapshot_poll)(void *host, ac_snapshot_reader *reader, ac_snapshot_handler handler,
                         void *context, int32_t limit);
} ac_cluster;

/* ---- a service ---- */

/* Members are called with `state` as the first argument. Those marked "must" are required; any
   other may be NULL, and its event is then ignored. Results are described above at AC_SERVICE_OK.
   */
typedef struct ac_service {
    uint32_t version; /* AC_SERVICE_VERSION, as the service was compiled */
    uint32_t size;    /* sizeof(ac_service), as the service was compiled */
    const char *name; /* shown in messages, or NULL */
    void *state;

    /* Must. Once, before all others. `snapshot` is NULL without one. The sessions of the snapshot
       are already open; offers, timers and closing are not allowed yet. */
    int (*on_start)(void *state, const ac_cluster *cluster, ac_snapshot_reader *snapshot);

    /* The egress is connected before on_session_open and disconnected before on_session_close, in
       which offers return AC_NOT_CONNECTED. */
    int (*on_session_open)(void *state, ac_session *session, int64_t timestamp);
    int (*on_session_close)(void *state, ac_session *session, int64_t timestamp,
                            int32_t close_reason);

    /* Must. `session` is NULL for a message that a service offered to the cluster. `data` has no
       alignment. */
    int (*on_session_message)(void *state, ac_session *session, int64_t timestamp,
                              const uint8_t *data, int32_t length, const ac_log_header *header);

    /* Timers of other services are delivered here too. */
    int (*on_timer_event)(void *state, int64_t correlation_id, int64_t timestamp);

    /* Must; a service without state returns 0. Offers everything that on_start needs to restore
       this state, and nothing that differs between members. */
    int (*on_take_snapshot)(void *state, ac_snapshot_writer *writer);

    /* Not a log event: each member calls it at a different log position, a new leader before the
       term event. The role is ac_cluster.role as well. */
    int (*on_role_change)(void *state, int32_t new_role);
    int (*on_new_leadership_term_event)(void *state, const ac_leadership_term *term);

    /* Last, after a successful on_start, unless the node was aborted. */
    int (*on_terminate)(void *state);

    /* In every duty cycle, and in idle; for work outside of the state, such as a connection to
       another system. `now_ns` is monotonic time, unrelated to ac_cluster.time. Returns the work
       count, 0 for none. It must not wait. */
    int (*do_background_work)(void *state, int64_t now_ns);

    /* Frees `state`. Called exactly once, after everything else, even if the service was never
       started; on any thread. Not called for a rejected table. */
    void (*destroy)(void *state);
} ac_service;

/* ---- a service in a shared library ---- */

typedef struct ac_option {
    const char *name;
    const char *value;
} ac_option;

/* The arguments of a library's factory, valid until it returns. */
typedef struct ac_service_request {
    uint32_t version; /* of the host */
    uint32_t size;
    const ac_option *options; /* as the user wrote them, in that order */
    int32_t option_count;
    int32_t error_capacity; /* bytes at `error` */
    char *error;            /* a failing factory writes the reason here, null-terminated */
} ac_service_request;

/* The symbol that a library exports, one for each kind of service in it; called once for each
   service that is started, on any thread. Returns a table that stays valid until destroy is called
   with its state, or NULL with a text in request->error. */
typedef const ac_service *(*ac_service_factory)(const ac_service_request *request);

#if defined(__GNUC__)
#define AC_SERVICE_EXPORT __attribute__((visibility("default")))
#else
#define AC_SERVICE_EXPORT
#endif

/* The name of a PyCapsule of an ac_service *. */
#define AC_SERVICE_CAPSULE "aeron_cluster.ac_service"

/* ---- layouts of 1.0: later versions assert that these still hold ---- */
AC_LAYOUT(sizeof(void *) == 8);
AC_LAYOUT(sizeof(int) == 4);
AC_LAYOUT(sizeof(ac_session) == 40);
AC_LAYOUT(offsetof(ac_session, response_channel_length) == 24);
AC_LAYOUT(offsetof(ac_session, is_closing) == 36);
AC_LAYOUT(sizeof(ac_log_header) == 24);
AC_LAYOUT(sizeof(ac_leadership_term) == 48);
AC_LAYOUT(offsetof(ac_leadership_term, leader_member_id) == 32);
AC_LAYOUT(sizeof(ac_vector) == 16);
AC_LAYOUT(sizeof(ac_claim) == 32);
AC_LAYOUT(offsetof(ac_claim, length) == 8);
AC_LAYOUT(offsetof(ac_cluster, host) == 8);
AC_LAYOUT(offsetof(ac_cluster, time) == 16);
AC_LAYOUT(offsetof(ac_cluster, log_position) == 24);
AC_LAYOUT(offsetof(ac_cluster, leadership_term_id) == 32);
AC_LAYOUT(offsetof(ac_cluster, member_id) == 40);
AC_LAYOUT(offsetof(ac_cluster, session_count) == 56);
AC_LAYOUT(offsetof(ac_cluster, session_offer) == 64);
AC_LAYOUT(offsetof(ac_cluster, cluster_offer) == 88);
AC_LAYOUT(offsetof(ac_cluster, claim_commit) == 112);
AC_LAYOUT(offsetof(ac_cluster, schedule_timer) == 128);
AC_LAYOUT(offsetof(ac_cluster, session_by_id) == 144);
AC_LAYOUT(offsetof(ac_cluster, idle) == 168);
AC_LAYOUT(offsetof(ac_cluster, snapshot_offer) == 184);
AC_LAYOUT(sizeof(ac_cluster) == 200);
AC_LAYOUT(offsetof(ac_service, name) == 8);
AC_LAYOUT(offsetof(ac_service, on_start) == 24);
AC_LAYOUT(offsetof(ac_service, on_session_message) == 48);
AC_LAYOUT(offsetof(ac_service, on_take_snapshot) == 64);
AC_LAYOUT(offsetof(ac_service, on_terminate) == 88);
AC_LAYOUT(offsetof(ac_service, destroy) == 104);
AC_LAYOUT(sizeof(ac_service) == 112);
AC_LAYOUT(sizeof(ac_option) == 16);
AC_LAYOUT(sizeof(ac_service_request) == 32);

enum {
    AC_SERVICE_SIZE_1_0 = 112,
    AC_CLUSTER_SIZE_1_0 = 200,
};

/* Whether the container supports a member of ac_cluster that is newer than 1.0. */
#define AC_CLUSTER_HAS(cluster, member)                                                            \
    ((cluster)->size >= offsetof(ac_cluster, member) + sizeof((cluster)->member))

/* ---- for hosts ---- */

/* The reason for rejecting a table. */
typedef enum ac_service_fault {
    AC_SERVICE_FITS = 0,
    AC_SERVICE_BAD_VERSION = 1, /* another major version */
    AC_SERVICE_BAD_SIZE = 2,    /* shorter than version 1.0, or than its minor version requires */
    AC_SERVICE_NO_START = 3,
    AC_SERVICE_NO_SESSION_MESSAGE = 4,
    AC_SERVICE_NO_TAKE_SNAPSHOT = 5,
} ac_service_fault;

/* Copy a table of any minor version into the host's own; callbacks that the service lacks are NULL,
   and those unknown to the host are dropped. */
static inline ac_service_fault ac_service_copy(ac_service *own, const ac_service *given) {
    memset(own, 0, sizeof *own);
    if (given->version >> 16 != AC_SERVICE_VERSION_MAJOR) {
        return AC_SERVICE_BAD_VERSION;
    }
    if (given->size < AC_SERVICE_SIZE_1_0 ||
        (given->version >= AC_SERVICE_VERSION && given->size < sizeof *own)) {
        return AC_SERVICE_BAD_SIZE;
    }
    memcpy(own, given, given->size < sizeof *own ? given->size : sizeof *own);
    if (own->on_start == NULL) {
        return AC_SERVICE_NO_START;
    }
    if (own->on_session_message == NULL) {
        return AC_SERVICE_NO_SESSION_MESSAGE;
    }
    return own->on_take_snapshot == NULL ? AC_SERVICE_NO_TAKE_SNAPSHOT : AC_SERVICE_FITS;
}

/* ---- for services ---- */

static inline int64_t ac_session_offer(const ac_cluster *cluster, ac_session *session,
                                       const void *data, int32_t length) {
    return cluster->session_offer(cluster->host, session, (const uint8_t *)data, length);
}

static inline int64_t ac_session_offerv(const ac_cluster *cluster, ac_session *session,
                                        const ac_vector *vectors, int32_t count) {
    return cluster->session_offerv(cluster->host, session, vectors, count);
}

static inline int64_t ac_session_try_claim(const ac_cluster *cluster, ac_session *session,
                                           int32_t length, ac_claim *claim) {
    return cluster->session_try_claim(cluster->host, session, length, claim);
}

static inline int64_t ac_cluster_offer(const ac_cluster *cluster, const void *data,
                                       int32_t length) {
    return cluster->cluster_offer(cluster->host, (const uint8_t *)data, length);
}

static inline int64_t ac_cluster_offerv(const ac_cluster *cluster, const ac_vector *vectors,
                                        int32_t count) {
    return cluster->cluster_offerv(cluster->host, vectors, count);
}

static inline int64_t ac_cluster_try_claim(const ac_cluster *cluster, int32_t length,
                                           ac_claim *claim) {
    return cluster->cluster_try_claim(cluster->host, length, claim);
}

static inline int ac_claim_commit(const ac_cluster *cluster, ac_claim *claim) {
    return cluster->claim_commit(cluster->host, claim);
}

static inline int ac_claim_abort(const ac_cluster *cluster, ac_claim *claim) {
    return cluster->claim_abort(cluster->host, claim);
}

static inline int64_t ac_schedule_timer(const ac_cluster *cluster, int64_t correlation_id,
                                        int64_t deadline) {
    return cluster->schedule_timer(cluster->host, correlation_id, deadline);
}

static inline int64_t ac_cancel_timer(const ac_cluster *cluster, int64_t correlation_id) {
    return cluster->cancel_timer(cluster->host, correlation_id);
}

static inline ac_session *ac_session_by_id(const ac_cluster *cluster, int64_t cluster_session_id) {
    return cluster->session_by_id(cluster->host, cluster_session_id);
}

static inline ac_session *ac_session_at(const ac_cluster *cluster, int32_t index) {
    return cluster->session_at(cluster->host, index);
}

static inline int64_t ac_close_session(const ac_cluster *cluster, int64_t cluster_session_id) {
    return cluster->close_session(cluster->host, cluster_session_id);
}

static inline int ac_idle(const ac_cluster *cluster, int32_t work_count) {
    return cluster->idle(cluster->host, work_count);
}

static inline void ac_explain(const ac_cluster *cluster, const char *text) {
    cluster->explain(cluster->host, text, (int32_t)strlen(text));
}

static inline int64_t ac_snapshot_offer(const ac_cluster *cluster, ac_snapshot_writer *writer,
                                        const void *data, int32_t length) {
    return cluster->snapshot_offer(cluster->host, writer, (const uint8_t *)data, length);
}

static inline int ac_snapshot_poll(const ac_cluster *cluster, ac_snapshot_reader *reader,
                                   ac_snapshot_handler handler, void *context, int32_t limit) {
    return cluster->snapshot_poll(cluster->host, reader, handler, context, limit);
}

#ifdef __cplusplus
}
#endif

#endif
