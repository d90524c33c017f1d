/* Egress that is repeated until the client has it or is disconnected. */
#ifndef BENCHMARKS_SEND_H
#define BENCHMARKS_SEND_H

#include "aeron_cluster/service.h"

/* Returns AC_SERVICE_OK also if the client is not connected: the reply is dropped. */
static inline int send_to_session(const ac_cluster *cluster, ac_session *session, const void *data,
                                  int32_t length) {
    for (;;) {
        int64_t result = ac_session_offer(cluster, session, data, length);
        if (result > 0 || result == AC_NOT_CONNECTED) {
            return AC_SERVICE_OK;
        }
        if (result != AC_BACK_PRESSURED && result != AC_ADMIN_ACTION) {
            return (int)result;
        }
        if (ac_idle(cluster, 0) < 0) {
            return AC_SERVICE_TERMINATE;
        }
    }
}

static inline int send_to_snapshot(const ac_cluster *cluster, ac_snapshot_writer *writer,
                                   const void *data, int32_t length) {
    for (;;) {
        int64_t result = ac_snapshot_offer(cluster, writer, data, length);
        if (result > 0) {
            return AC_SERVICE_OK;
        }
        if (result != AC_BACK_PRESSURED && result != AC_ADMIN_ACTION) {
            return (int)result;
        }
        if (ac_idle(cluster, 0) < 0) {
            return AC_SERVICE_TERMINATE;
        }
    }
}

#endif
