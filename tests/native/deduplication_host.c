/* A cluster without members around a native table of requests: what the table sends is kept as
   records of session id, length and bytes, for the test to read. */
#include <stdlib.h>
#include <string.h>

#include "aeron_cluster/deduplication.h"

enum {
    SESSIONS = 16,
    CAPACITY = 1 << 20,
};

typedef struct host {
    ac_cluster cluster;
    ac_session sessions[SESSIONS]; /* id 0: unused */
    int64_t offer_result;          /* the result of the next offer, if not 0 */
    int32_t idle_count;
    int32_t length;
    uint8_t output[CAPACITY];
} host;

static void put(host *self, int64_t session_id, const uint8_t *data, int32_t length) {
    if (self->length + 12 + length > CAPACITY) {
        abort();
    }
    memcpy(self->output + self->length, &session_id, 8);
    memcpy(self->output + self->length + 8, &length, 4);
    memcpy(self->output + self->length + 12, data, (size_t)length);
    self->length += 12 + length;
}

static int64_t session_offer(void *self, ac_session *session, const uint8_t *data, int32_t length) {
    host *own = self;
    const int64_t result = own->offer_result;
    if (result != 0) {
        own->offer_result = 0;
        return result;
    }
    put(own, session->id, data, length);
    return 64;
}

static int64_t snapshot_offer(void *self, ac_snapshot_writer *writer, const uint8_t *data,
                              int32_t length) {
    host *own = self;
    own->idle_count ^= 1; /* every second offer has no room */
    if (own->idle_count & 1) {
        return AC_BACK_PRESSURED;
    }
    put(own, 0, data, length);
    return 64;
}

static ac_session *session_by_id(void *self, int64_t session_id) {
    host *own = self;
    for (int i = 0; i < SESSIONS; i++) {
        if (session_id != 0 && own->sessions[i].id == session_id) {
            return &own->sessions[i];
        }
    }
    return NULL;
}

static int idle(void *self, int32_t work_count) {
    return 0;
}

AC_SERVICE_EXPORT host *host_new(void) {
    host *self = calloc(1, sizeof(host));
    self->cluster.host = self;
    self->cluster.time_unit = AC_TIME_MILLIS;
    self->cluster.session_offer = session_offer;
    self->cluster.snapshot_offer = snapshot_offer;
    self->cluster.session_by_id = session_by_id;
    self->cluster.idle = idle;
    return self;
}

AC_SERVICE_EXPORT void host_free(host *self) {
    free(self);
}

AC_SERVICE_EXPORT void host_open(host *self, int64_t session_id) {
    for (int i = 0; i < SESSIONS; i++) {
        if (self->sessions[i].id == 0) {
            self->sessions[i].id = session_id;
            return;
        }
    }
    abort();
}

AC_SERVICE_EXPORT void host_close(host *self, int64_t session_id) {
    session_by_id(self, session_id)->id = 0;
}

AC_SERVICE_EXPORT void host_reject(host *self, int64_t result) {
    self->offer_result = result;
}

AC_SERVICE_EXPORT int32_t host_take_output(host *self, uint8_t *into) {
    const int32_t length = self->length;
    memcpy(into, self->output, (size_t)length);
    self->length = 0;
    return length;
}

AC_SERVICE_EXPORT ac_dedup *table_new(const host *self, int32_t max_clients, int32_t window_length,
                                      int64_t idle_timeout_ns) {
    const ac_dedup_options options = {max_clients, window_length, idle_timeout_ns};
    return ac_dedup_new(&self->cluster, &options);
}

AC_SERVICE_EXPORT void table_free(ac_dedup *table) {
    ac_dedup_free(table);
}

AC_SERVICE_EXPORT int table_take(ac_dedup *table, host *self, int64_t session_id, int64_t timestamp,
                                 const uint8_t *data, int32_t length, ac_dedup_request *request) {
    return ac_dedup_accept(table, session_by_id(self, session_id), timestamp, data, length,
                           request);
}

AC_SERVICE_EXPORT int table_answer(ac_dedup *table, const ac_dedup_request *request,
                                   const uint8_t *body, int32_t length) {
    return ac_dedup_answer(table, request, body, length);
}

AC_SERVICE_EXPORT int table_fail(ac_dedup *table, const ac_dedup_request *request,
                                 const char *reason) {
    return ac_dedup_fail(table, request, reason);
}

AC_SERVICE_EXPORT int table_reject(ac_dedup *table, const ac_dedup_request *request,
                                   const char *reason) {
    return ac_dedup_reject(table, request, reason);
}

AC_SERVICE_EXPORT int table_write(const ac_dedup *table) {
    return ac_dedup_write(table, NULL);
}

AC_SERVICE_EXPORT int table_load(ac_dedup *table, const uint8_t *data, int32_t length) {
    return ac_dedup_load(table, data, length);
}

AC_SERVICE_EXPORT int table_is_loaded(const ac_dedup *table) {
    return table->is_loaded;
}

AC_SERVICE_EXPORT int64_t table_count(const ac_dedup *table, int which) {
    const int64_t counts[] = {table->duplicate_count, table->rejected_count, table->unsent_count,
                              table->client_count, table->lost_count};
    return counts[which];
}
