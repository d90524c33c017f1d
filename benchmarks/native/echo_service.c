/* A service that sends each message back to its session: a minimal service,
   so what is measured with it is the cluster. It has no state and no options. */
#include <stdio.h>
#include <stdlib.h>

#include "aeron_cluster/service.h"

#include "send.h"

typedef struct echo {
    ac_service table;
    const ac_cluster *cluster;
} echo;

static int on_start(void *state, const ac_cluster *cluster, ac_snapshot_reader *snapshot) {
    ((echo *)state)->cluster = cluster;
    return AC_SERVICE_OK;
}

static int on_session_message(void *state, ac_session *session, int64_t timestamp,
                              const uint8_t *data, int32_t length, const ac_log_header *header) {
    const echo *self = (const echo *)state;
    if (session == NULL) {
        return AC_SERVICE_OK;
    }
    return send_to_session(self->cluster, session, data, length);
}

static int on_take_snapshot(void *state, ac_snapshot_writer *writer) {
    return AC_SERVICE_OK;
}

AC_SERVICE_EXPORT const ac_service *echo_service(const ac_service_request *request) {
    if (request->option_count > 0) {
        snprintf(request->error, (size_t)request->error_capacity, "no option %s",
                 request->options[0].name);
        return NULL;
    }
    echo *self = (echo *)calloc(1, sizeof *self);
    if (self == NULL) {
        snprintf(request->error, (size_t)request->error_capacity, "out of memory");
        return NULL;
    }
    self->table = (ac_service){
        .version = AC_SERVICE_VERSION,
        .size = sizeof(ac_service),
        .name = "echo",
        .state = self,
        .on_start = on_start,
        .on_session_message = on_session_message,
        .on_take_snapshot = on_take_snapshot,
        .destroy = free,
    };
    return &self->table;
}
