/* A sum: each message is an amount, each answer the sum so far. The table of callbacks and the
   calls that a service may make are described in aeron_cluster/service.h. */
#include <stdio.h>
#include <stdlib.h>

#include "aeron_cluster/service.h"

typedef struct total {
    ac_service table;
    const ac_cluster *cluster;
    int64_t sum;
} total;

/* A snapshot is one message: the sum. */
static int load(void *context, const uint8_t *data, int32_t length) {
    total *self = (total *)context;
    if (length != (int32_t)sizeof self->sum) {
        return AC_SERVICE_FAILED;
    }
    memcpy(&self->sum, data, sizeof self->sum);
    return AC_SERVICE_OK;
}

static int on_start(void *state, const ac_cluster *cluster, ac_snapshot_reader *snapshot) {
    total *self = (total *)state;
    self->cluster = cluster;
    while (snapshot != NULL) {
        int found = ac_snapshot_poll(cluster, snapshot, load, self, 1);
        if (found == AC_SNAPSHOT_END) {
            break;
        }
        if (found < 0) {
            return found;
        }
        if (ac_idle(cluster, found) < 0) {
            return AC_SERVICE_TERMINATE;
        }
    }
    return AC_SERVICE_OK;
}

static int on_session_message(void *state, ac_session *session, int64_t timestamp,
                              const uint8_t *data, int32_t length, const ac_log_header *header) {
    total *self = (total *)state;
    int64_t amount;
    if (session == NULL || length != (int32_t)sizeof amount) {
        ac_explain(self->cluster, "expected an amount of 8 bytes");
        return AC_SERVICE_FAILED;
    }
    memcpy(&amount, data, sizeof amount); /* the log has no alignment */
    self->sum += amount; /* built with -fwrapv: an overflow wraps, on every member alike */
    for (;;) {
        int64_t sent = ac_session_offer(self->cluster, session, &self->sum, sizeof self->sum);
        if (sent != AC_BACK_PRESSURED && sent != AC_ADMIN_ACTION) {
            return AC_SERVICE_OK; /* sent, or the client has gone */
        }
        if (ac_idle(self->cluster, 0) < 0) {
            return AC_SERVICE_TERMINATE;
        }
    }
}

static int on_take_snapshot(void *state, ac_snapshot_writer *writer) {
    const total *self = (const total *)state;
    for (;;) {
        int64_t sent = ac_snapshot_offer(self->cluster, writer, &self->sum, sizeof self->sum);
        if (sent > 0) {
            return AC_SERVICE_OK;
        }
        if (sent != AC_BACK_PRESSURED && sent != AC_ADMIN_ACTION) {
            return (int)sent;
        }
        if (ac_idle(self->cluster, 0) < 0) {
            return AC_SERVICE_TERMINATE;
        }
    }
}

/* The factory, which `aeron-cluster node --service ./total.so:total_service` calls. */
AC_SERVICE_EXPORT const ac_service *total_service(const ac_service_request *request) {
    total *self = (total *)calloc(1, sizeof *self);
    if (self == NULL) {
        snprintf(request->error, (size_t)request->error_capacity, "out of memory");
        return NULL;
    }
    self->table = (ac_service){
        .version = AC_SERVICE_VERSION,
        .size = sizeof(ac_service),
        .name = "total",
        .state = self,
        .on_start = on_start,
        .on_session_message = on_session_message,
        .on_take_snapshot = on_take_snapshot,
        .destroy = free,
    };
    return &self->table;
}
