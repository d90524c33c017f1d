/* Native clustered services: a state machine behind a table of C function pointers.

   The container drives an ac_service from its agent's thread and never takes Python's GIL for it;
   the service answers through the ac_cluster that it was given in on_start. Nothing here needs
   Python: a service is written in C, C++, Cython, Rust, Zig or Numba (cfunc), against this header
   alone.

       container  -- on_session_message(state, session, ...) -->  ac_service   (the user's)
       container  <-- session_offer(host, session, ...) --------  ac_cluster   (the container's)

   Threads. Every callback comes on the one thread of the container's agent, one at a time, and the
   functions of ac_cluster may be called from within a callback only. The exception is
   do_background_work: while a callback waits in `idle`, it may be called before the first one has
   returned.

   Determinism. Every member runs the same callbacks over the same log and must come to the same
   state. State is changed only in on_start (from the snapshot) and by log events: on_session_open,
   on_session_close, on_session_message, on_timer_event, on_new_leadership_term_event. Time is
   ac_cluster.time, never a clock; nothing may hang on addresses, threads or random numbers.

   Pointers. What a callback is handed (payload, header, snapshot reader or writer) lives until the
   callback returns, and a payload is read-only: it is the log itself. An ac_session lives until its
   on_session_close has returned, or, when the container ends, until destroy. An ac_cluster lives
   from on_start until destroy. What is given to a function of ac_cluster is read before it returns
   and not kept.

   Units. Lengths and positions are bytes; log positions count from the log's beginning. Timestamps
   and deadlines are in ac_cluster.time_unit since 1970.

   Versions. AC_SERVICE_VERSION is major << 16 | minor. Within a major version tables and structs
   only ever grow at their end, each growth is a new minor version, and nothing that was there
   changes its meaning; another major version is rejected. Each table has its version and its size:
   the container takes a shorter ac_service as one that lacks the later callbacks, and the later
   part of a longer one is not called; a service asks AC_CLUSTER_HAS before it calls what is newer
   than 1.0. A service that cannot do without it returns a failure from on_start. Structs without a
   size (ac_session and the arguments of callbacks) come from the container and are of the version
   that its ac_cluster states. */
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

/* What offers, claims and requests return below zero: Aeron's own codes. Above zero is success: for
   an offer or a claim the new position of the stream, else AC_SENT. */
enum {
    AC_SENT = 1,
    AC_MOCKED_OFFER = 1,    /* egress of a member that is not the leader: nothing is sent */
    AC_NOT_CONNECTED = -1,  /* the client's egress is not there; the message is gone */
    AC_BACK_PRESSURED = -2, /* call idle and try again */
    AC_ADMIN_ACTION = -3,   /* a term was being rotated; call idle and try again */
    AC_CLOSED = -4,         /* the publication, or the node, is closed */
    AC_MAX_POSITION_EXCEEDED = -5,
    AC_INVALID = -6, /* not allowed from this callback, no such session, bad length */
};

/* What a callback returns. Zero or more is success. Below zero is a failure: it is reported, with
   the callback, the log position, the session, the code and the text given to `explain`, to the
   error log, the error counter and the error handler. The log event counts as consumed and the next
   one follows; but a failed on_start ends the container, and a failed on_take_snapshot leaves no
   snapshot. A status of ac_cluster may be passed on as it is; other negative values are
   the service's own. AC_SERVICE_TERMINATE is no failure: the container ends in an orderly way. */
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

/* ---- what callbacks and calls are given ---- */

/* A client's session. The container makes and changes it. */
typedef struct ac_session {
    int64_t id;                       /* unique in the life of the cluster, ascending */
    const char *response_channel;     /* ends in a zero byte, which is not counted */
    const uint8_t *encoded_principal; /* as the authenticator set it */
    int32_t response_channel_length;
    int32_t encoded_principal_length; /* 0: none */
    int32_t response_stream_id;
    int32_t is_closing; /* 1 once its close was requested by this service */
} ac_session;

/* Where in the log a message stands. */
typedef struct ac_log_header {
    int64_t position;           /* behind the message: ac_cluster.log_position */
    int64_t leadership_term_id; /* of the term it was logged in */
    int64_t cluster_session_id; /* as logged; of a service's message too, whose session is NULL */
} ac_log_header;

typedef struct ac_leadership_term {
    int64_t leadership_term_id;
    int64_t log_position;           /* that the log has reached with this event */
    int64_t timestamp;              /* of the new term */
    int64_t term_base_log_position; /* at which the term begins */
    int32_t leader_member_id;
    int32_t log_session_id;
    int32_t time_unit;   /* an ac_time_unit: of the timestamps from here on */
    int32_t app_version; /* of the consensus module: major << 16 | minor << 8 | patch */
} ac_leadership_term;

/* A part of a message. */
typedef struct ac_vector {
    const uint8_t *data;
    int32_t length;
    int32_t reserved;
} ac_vector;

/* Room for a message, to be written in place: `data` begins behind the session's header. It must be
   committed or aborted before the callback returns or waits. */
typedef struct ac_claim {
    uint8_t *data;
    int32_t length;
    int32_t reserved;
    void *host[2]; /* the container's */
} ac_claim;

typedef struct ac_snapshot_writer ac_snapshot_writer;
typedef struct ac_snapshot_reader ac_snapshot_reader;

enum {
    AC_SNAPSHOT_END = -20, /* from snapshot_poll: all there was has been delivered */
};

/* Takes one message of the snapshot, whole as it was offered; the bytes live until it returns. 0 to
   continue, or below zero to end the poll, which then returns that. */
typedef int (*ac_snapshot_handler)(void *context, const uint8_t *data, int32_t length);

/* ---- what a service may ask ---- */

/* Called with `host` as the first argument, or through the inline functions below. "log events"
   stands for the five callbacks named above under Determinism; a call from a callback not named
   returns AC_INVALID and is put down in the error log. */
typedef struct ac_cluster {
    uint32_t version;
    uint32_t size;
    void *host;

    /* Written by the container before each callback, and read-only. */
    int64_t time;               /* of the log event in hand, in time_unit */
    int64_t log_position;       /* that the log has reached with the event in hand */
    int64_t leadership_term_id; /* of the event in hand; -1 before the first term */
    int32_t member_id;          /* -1 until the first log was joined; for debugging */
    int32_t role;               /* an ac_role */
    int32_t time_unit;          /* an ac_time_unit */
    int32_t service_id;         /* of this service in its container, from 0 */
    int32_t session_count;      /* open sessions */
    int32_t reserved;

    /* Egress, from log events. Never waits. Returns the stream's new position, AC_MOCKED_OFFER
       where this member does not lead, or a status; a service tries again on AC_BACK_PRESSURED and
       AC_ADMIN_ACTION if the message matters, with idle between. An offer takes up to the stream's
       maximum message length, an eighth of its term length and at most 16 MiB. */
    int64_t (*session_offer)(void *host, ac_session *session, const uint8_t *data, int32_t length);
    int64_t (*session_offerv)(void *host, ac_session *session, const ac_vector *vectors,
                              int32_t count);
    /* Up to the stream's maximum payload length: its MTU less 64 bytes of headers. Where this
       member does not lead, it hands out memory that goes nowhere. */
    int64_t (*session_try_claim)(void *host, ac_session *session, int32_t length, ac_claim *claim);

    /* A message to the log in the name of this service, from log events; it comes back as an
       on_session_message without a session, on every member. Must be tried again, idling, until it
       is above zero: a member that gave up would differ from the others. */
    int64_t (*cluster_offer)(void *host, const uint8_t *data, int32_t length);
    int64_t (*cluster_offerv)(void *host, const ac_vector *vectors, int32_t count);
    int64_t (*cluster_try_claim)(void *host, int32_t length, ac_claim *claim);

    /* 0, or AC_INVALID for a claim that is not open. */
    int (*claim_commit)(void *host, ac_claim *claim);
    int (*claim_abort)(void *host, ac_claim *claim);

    /* Timers, from log events: AC_SENT or a status, to be tried again as cluster_offer is. The
       correlation id is the service's own choice, except INT64_MAX; scheduling it again moves the
       timer. The deadline is a time in time_unit, not a duration. A cancelled timer may still fire:
       the request races with it. */
    int64_t (*schedule_timer)(void *host, int64_t correlation_id, int64_t deadline);
    int64_t (*cancel_timer)(void *host, int64_t correlation_id);

    /* Sessions, from any callback. By id: NULL where no open session has it. By index: in ascending
       order of id, NULL at session_count and beyond. The order is the same on every member. */
    ac_session *(*session_by_id)(void *host, int64_t cluster_session_id);
    ac_session *(*session_at)(void *host, int32_t index);
    /* Request a session's close, from log events: AC_SENT (also where it was requested before), or
       a status. The session lives until its on_session_close. */
    int64_t (*close_session)(void *host, int64_t cluster_session_id);

    /* Wait a moment, from any callback except do_background_work: runs one pass of the other agents
       on this thread, driver and archive first, and idles by the container's strategy where
       work_count is 0 and they had nothing to do either. 0 to continue waiting; AC_CLOSED when the
       node is ending: the callback then returns AC_SERVICE_TERMINATE at once. */
    int (*idle)(void *host, int32_t work_count);

    /* Describe the failure that this callback is about to return: UTF-8, `length`
       bytes, of which the first 255 are kept. From any callback. */
    void (*explain)(void *host, const char *text, int32_t length);

    /* From on_take_snapshot only: the position of the snapshot's stream or a status, to be tried
       again with idle between. A message has at most its maximum message length. */
    int64_t (*snapshot_offer)(void *host, ac_snapshot_writer *writer, const uint8_t *data,
                              int32_t length);
    /* From on_start only: hands up to `limit` messages to the handler, in the order they were
       offered in, and returns how many; 0 where none has arrived yet (idle, then again);
       AC_SNAPSHOT_END behind the last; AC_CLOSED where the stream broke off before; what the
       handler returned below zero. */
    int (*snapshot_poll)(void *host, ac_snapshot_reader *reader, ac_snapshot_handler handler,
                         void *context, int32_t limit);
} ac_cluster;

/* ---- a service ---- */

/* Members are called with `state` as the first argument. Those marked "must" are never NULL; where
   another is, the event passes unseen. What they return stands above at AC_SERVICE_OK. */
typedef struct ac_service {
    uint32_t version; /* AC_SERVICE_VERSION, as the service was compiled */
    uint32_t size;    /* sizeof(ac_service), as the service was compiled */
    const char *name; /* for messages to people, or NULL */
    void *state;

    /* Must. Once, before all others. `snapshot` is NULL without one. The sessions of the
       snapshot are open already; offers, timers and closing are not allowed yet. */
    int (*on_start)(void *state, const ac_cluster *cluster, ac_snapshot_reader *snapshot);

    /* The egress is connected before the first and disconnected before the second, in which offers
       return AC_NOT_CONNECTED. */
    int (*on_session_open)(void *state, ac_session *session, int64_t timestamp);
    int (*on_session_close)(void *state, ac_session *session, int64_t timestamp,
                            int32_t close_reason);

    /* Must. `session` is NULL for a message that a service offered to the cluster. `data` has no
       alignment. */
    int (*on_session_message)(void *state, ac_session *session, int64_t timestamp,
                              const uint8_t *data, int32_t length, const ac_log_header *header);

    /* Timers that another service scheduled come here too. */
    int (*on_timer_event)(void *state, int64_t correlation_id, int64_t timestamp);

    /* Must; a service without state returns 0. Offers everything that on_start needs in order to
       come to this state again, and nothing that differs between members. */
    int (*on_take_snapshot)(void *state, ac_snapshot_writer *writer);

    /* Not a log event: it comes at another point of the log on each member, before the term event
       on a new leader. The role is ac_cluster.role as well. */
    int (*on_role_change)(void *state, int32_t new_role);
    int (*on_new_leadership_term_event)(void *state, const ac_leadership_term *term);

    /* Last, after a successful on_start, unless the node was aborted. */
    int (*on_terminate)(void *state);

    /* In every pass, and in idle; for what is no part of the state, such as a connection to another
       system. `now_ns` is monotonic time, with nothing to do with ac_cluster.time. Returns how much
       was done, 0 for nothing. It must not wait. */
    int (*do_background_work)(void *state, int64_t now_ns);

    /* Frees `state`. Exactly once, after everything else, also where the service was never started;
       on any thread. Not for a table that was refused. */
    void (*destroy)(void *state);
} ac_service;

/* ---- a service in a shared library ---- */

typedef struct ac_option {
    const char *name;
    const char *value;
} ac_option;

/* What a library's factory is given. It lives until the factory returns. */
typedef struct ac_service_request {
    uint32_t version; /* of the host */
    uint32_t size;
    const ac_option *options; /* as the user wrote them, in that order */
    int32_t option_count;
    int32_t error_capacity; /* bytes at `error` */
    char *error;            /* where a failing factory writes the reason, ending in a zero byte */
} ac_service_request;

/* The symbol that a library exports, once for each kind of service in it; called once for each
   service that is started, on any thread. Returns a table that stays where it is until destroy
   was called with its state, or NULL with words in request->error. */
typedef const ac_service *(*ac_service_factory)(const ac_service_request *request);

#if defined(__GNUC__)
#define AC_SERVICE_EXPORT __attribute__((visibility("default")))
#else
#define AC_SERVICE_EXPORT
#endif

/* The name that a PyCapsule of an ac_service * bears. */
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

/* Whether the container has a member of ac_cluster that is newer than 1.0. */
#define AC_CLUSTER_HAS(cluster, member)                                                            \
    ((cluster)->size >= offsetof(ac_cluster, member) + sizeof((cluster)->member))

/* ---- for hosts ---- */

/* Why a table cannot be driven. */
typedef enum ac_service_fault {
    AC_SERVICE_FITS = 0,
    AC_SERVICE_BAD_VERSION = 1, /* another major version */
    AC_SERVICE_BAD_SIZE = 2,    /* shorter than 1.0, or than its minor version is known to be */
    AC_SERVICE_NO_START = 3,
    AC_SERVICE_NO_SESSION_MESSAGE = 4,
    AC_SERVICE_NO_TAKE_SNAPSHOT = 5,
} ac_service_fault;

/* Copy a table of any minor version into one of the host's own, in which NULL stands for each
   callback that the service does not know; what the host does not know is left behind. */
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
