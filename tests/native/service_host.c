/* A container without a cluster: runs a script on a service and records the service's effects.

   Built as a library it drives the table at an address; built with -DSERVICE_HOST_PROGRAM it is a
   program that loads a library, reads the script from standard input and writes the record to
   standard output, which is how a service runs under the sanitizers without Python.

   It passes everything in memory of exactly its length that is freed as soon as service.h documents
   that it may be gone, and aborts where a service breaks its side of the contract. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aeron_cluster/service.h"

/* An entry of the script or of the record, followed by `length` bytes: "<BBHIqq". */
typedef struct entry {
    uint8_t op;
    uint8_t flag;
    uint16_t reserved;
    uint32_t length;
    int64_t a;
    int64_t b;
} entry;

_Static_assert(sizeof(entry) == 24, "packed in Python");

enum {
    /* Operations of the script. */
    OP_START = 1,    /* flag 0: no snapshot, 1: of the loaded messages, 2: a truncated one */
    OP_OPEN = 2,     /* a: session, b: timestamp; the payload is its principal */
    OP_CLOSE = 3,    /* a: session, b: timestamp, flag: reason */
    OP_MESSAGE = 4,  /* a: session, -1 for none, b: timestamp */
    OP_TIMER = 5,    /* a: correlation id, b: timestamp */
    OP_SNAPSHOT = 6, /* */
    OP_LOAD = 7,     /* the payload is a message of the snapshot */
    OP_ROLE = 8,     /* a: role */
    OP_TERM = 9,     /* a: leadership term, b: timestamp */
    OP_TERMINATE = 10,
    OP_WORK = 11,      /* a: now in ns */
    OP_REJECT = 12,    /* the next b sends return a */
    OP_IDLE_ENDS = 13, /* idle returns AC_CLOSED from now on */
    /* Entries of the record. */
    DID_RETURN = 101, /* flag: the operation, a: the callback's result, b: idles meanwhile */
    DID_EGRESS = 102, /* a: session */
    DID_OFFER = 103,  /* to the cluster */
    DID_SCHEDULE = 104,
    DID_CANCEL = 105,
    DID_CLOSE = 106,
    DID_WRITE = 107, /* a message of the snapshot */
    DID_EXPLAIN = 108,
};

typedef struct bytes {
    uint8_t *data;
    size_t length;
    size_t capacity;
} bytes;

typedef struct host {
    ac_cluster table;
    ac_service service;
    ac_session **sessions;
    bytes record;
    bytes *loaded;
    size_t loaded_count;
    size_t next_loaded;
    int breaks_off;
    int callback; /* the current operation, 0 outside of one */
    int64_t rejections;
    int64_t rejection;
    int64_t idles;
    int idle_ends;
    int64_t position;
    uint8_t *claimed; /* an open claim, or NULL */
    int64_t claimed_for;
    int32_t claimed_length;
} host;

static void check(int condition, const char *rule) {
    if (!condition) {
        fprintf(stderr, "service host: %s\n", rule);
        abort();
    }
}

static void *take(size_t length) {
    void *memory = malloc(length == 0 ? 1 : length);
    check(memory != NULL, "out of memory");
    return memory;
}

static uint8_t *copy_of(const uint8_t *data, size_t length) {
    uint8_t *copy = (uint8_t *)take(length);
    if (length > 0) {
        memcpy(copy, data, length);
    }
    return copy;
}

static void append(bytes *to, const void *data, size_t length) {
    while (to->length + length > to->capacity) {
        to->capacity = to->capacity == 0 ? 4096 : 2 * to->capacity;
        to->data = (uint8_t *)realloc(to->data, to->capacity);
        check(to->data != NULL, "out of memory");
    }
    if (length > 0) {
        memcpy(to->data + to->length, data, length);
    }
    to->length += length;
}

static void did(host *host, int op, int64_t a, int64_t b, const void *data, size_t length) {
    entry entry = {.op = (uint8_t)op, .flag = (uint8_t)host->callback, .length = (uint32_t)length};
    entry.a = a;
    entry.b = b;
    append(&host->record, &entry, sizeof entry);
    append(&host->record, data, length);
}

/* ---- ac_cluster ---- */

static int may_send(const host *host) {
    return host->callback == OP_OPEN || host->callback == OP_CLOSE ||
           host->callback == OP_MESSAGE || host->callback == OP_TIMER || host->callback == OP_TERM;
}

/* Above zero if the caller may continue. */
static int64_t admitted(host *host) {
    check(host->callback != 0, "called outside a callback");
    check(host->claimed == NULL, "sends with a claim open");
    if (!may_send(host)) {
        return AC_INVALID;
    }
    if (host->rejections > 0) {
        host->rejections--;
        return host->rejection;
    }
    return 1;
}

static int64_t sent(host *host, int op, int64_t a, const ac_vector *vectors, int32_t count) {
    bytes whole = {0};
    for (int32_t index = 0; index < count; index++) {
        append(&whole, vectors[index].data, (size_t)vectors[index].length);
    }
    did(host, op, a, 0, whole.data, whole.length);
    free(whole.data);
    host->position += 64;
    return host->position;
}

static ac_session *session_at(void *state, int32_t index) {
    host *self = (host *)state;
    return index >= 0 && index < self->table.session_count ? self->sessions[index] : NULL;
}

static ac_session *session_by_id(void *state, int64_t id) {
    ac_session *found = NULL;
    for (int32_t index = 0; (found = session_at(state, index)) != NULL && found->id != id;) {
        index++;
    }
    return found;
}

static int64_t session_offerv(void *state, ac_session *session, const ac_vector *vectors,
                              int32_t count) {
    host *self = (host *)state;
    int64_t status = admitted(self);
    if (status < 0) {
        return status;
    }
    if (session_by_id(state, session->id) != session) {
        return AC_INVALID;
    }
    if (self->table.role != AC_ROLE_LEADER) {
        return AC_MOCKED_OFFER;
    }
    return self->callback == OP_CLOSE ? AC_NOT_CONNECTED
                                      : sent(self, DID_EGRESS, session->id, vectors, count);
}

static int64_t session_offer(void *state, ac_session *session, const uint8_t *data,
                             int32_t length) {
    ac_vector vector = {.data = data, .length = length};
    return session_offerv(state, session, &vector, 1);
}

static int64_t claim_for(host *host, int64_t id, int32_t length, ac_claim *claim) {
    int64_t status = admitted(host);
    if (status < 0) {
        return status;
    }
    if (length < 0 || length > 1344) {
        return AC_INVALID;
    }
    host->claimed = (uint8_t *)take((size_t)length);
    host->claimed_for = id;
    host->claimed_length = length;
    *claim = (ac_claim){.data = host->claimed, .length = length, .host = {host, NULL}};
    return host->position + 64;
}

static int64_t session_try_claim(void *state, ac_session *session, int32_t length,
                                 ac_claim *claim) {
    return claim_for((host *)state, session->id, length, claim);
}

static int64_t cluster_try_claim(void *state, int32_t length, ac_claim *claim) {
    return claim_for((host *)state, -1, length, claim);
}

static int end_claim(host *host, ac_claim *claim, int is_commit) {
    if (host->claimed == NULL || claim->data != host->claimed) {
        return AC_INVALID;
    }
    ac_vector vector = {.data = host->claimed, .length = host->claimed_length};
    if (is_commit) {
        sent(host, host->claimed_for < 0 ? DID_OFFER : DID_EGRESS, host->claimed_for, &vector, 1);
    }
    free(host->claimed);
    host->claimed = NULL;
    return 0;
}

static int claim_commit(void *state, ac_claim *claim) {
    return end_claim((host *)state, claim, 1);
}

static int claim_abort(void *state, ac_claim *claim) {
    return end_claim((host *)state, claim, 0);
}

static int64_t cluster_offerv(void *state, const ac_vector *vectors, int32_t count) {
    int64_t status = admitted((host *)state);
    return status < 0 ? status : sent((host *)state, DID_OFFER, 0, vectors, count);
}

static int64_t cluster_offer(void *state, const uint8_t *data, int32_t length) {
    ac_vector vector = {.data = data, .length = length};
    return cluster_offerv(state, &vector, 1);
}

static int64_t asked(host *host, int op, int64_t a, int64_t b) {
    int64_t status = admitted(host);
    if (status > 0) {
        did(host, op, a, b, NULL, 0);
    }
    return status > 0 ? AC_SENT : status;
}

static int64_t schedule_timer(void *state, int64_t correlation_id, int64_t deadline) {
    return correlation_id == INT64_MAX
               ? AC_INVALID
               : asked((host *)state, DID_SCHEDULE, correlation_id, deadline);
}

static int64_t cancel_timer(void *state, int64_t correlation_id) {
    return asked((host *)state, DID_CANCEL, correlation_id, 0);
}

static int64_t close_session(void *state, int64_t id) {
    ac_session *session = session_by_id(state, id);
    if (session == NULL) {
        return AC_INVALID;
    }
    session->is_closing = 1;
    return asked((host *)state, DID_CLOSE, id, 0);
}

static int idle(void *state, int32_t work_count) {
    host *self = (host *)state;
    check(self->callback != 0 && self->callback != OP_WORK, "idles where it must not");
    check(self->claimed == NULL, "idles with a claim open");
    check(self->idles++ < 1000000, "idles forever");
    return self->idle_ends ? AC_CLOSED : 0;
}

static void explain(void *state, const char *text, int32_t length) {
    did((host *)state, DID_EXPLAIN, 0, 0, text, (size_t)length);
}

static int64_t snapshot_offer(void *state, ac_snapshot_writer *writer, const uint8_t *data,
                              int32_t length) {
    host *self = (host *)state;
    check(self->callback == OP_SNAPSHOT && (void *)writer == state, "writes no snapshot");
    if (self->rejections > 0) {
        self->rejections--;
        return self->rejection;
    }
    did(self, DID_WRITE, 0, 0, data, (size_t)length);
    return self->position += 64;
}

static int snapshot_poll(void *state, ac_snapshot_reader *reader, ac_snapshot_handler handler,
                         void *context, int32_t limit) {
    host *self = (host *)state;
    check(self->callback == OP_START && (void *)reader == state, "reads no snapshot");
    if (self->rejections > 0) {
        self->rejections--;
        return 0;
    }
    int count = 0;
    for (; count < limit && self->next_loaded < self->loaded_count; count++) {
        const bytes *message = &self->loaded[self->next_loaded++];
        uint8_t *copy = copy_of(message->data, message->length);
        int result = handler(context, copy, (int32_t)message->length);
        free(copy);
        if (result < 0) {
            return result;
        }
    }
    return count > 0 ? count : self->breaks_off ? AC_CLOSED : AC_SNAPSHOT_END;
}

/* ---- the script ---- */

static void free_session(ac_session *session) {
    free((void *)(uintptr_t)session->response_channel);
    free((void *)(uintptr_t)session->encoded_principal);
    free(session);
}

static ac_session *add_session(host *host, int64_t id, const uint8_t *principal, uint32_t length) {
    static const char channel[] = "aeron:udp?endpoint=localhost:0";
    ac_session *session = (ac_session *)take(sizeof *session);
    char *own_channel = (char *)take(sizeof channel);
    uint8_t *own_principal = copy_of(principal, length);
    memcpy(own_channel, channel, sizeof channel);
    *session = (ac_session){
        .id = id,
        .response_channel = own_channel,
        .encoded_principal = own_principal,
        .response_channel_length = sizeof channel - 1,
        .encoded_principal_length = (int32_t)length,
        .response_stream_id = 102,
    };
    int32_t count = host->table.session_count;
    check(count == 0 || host->sessions[count - 1]->id < id, "the script opens sessions in order");
    host->sessions =
        (ac_session **)realloc(host->sessions, (size_t)(count + 1) * sizeof *host->sessions);
    check(host->sessions != NULL, "out of memory");
    host->sessions[count] = session;
    host->table.session_count = count + 1;
    return session;
}

static void remove_session(host *host, ac_session *session) {
    int32_t index = 0;
    while (host->sessions[index] != session) {
        index++;
    }
    host->table.session_count--;
    for (; index < host->table.session_count; index++) {
        host->sessions[index] = host->sessions[index + 1];
    }
    free_session(session);
}

static int on_message(host *host, const entry *entry, const uint8_t *payload) {
    ac_session *session = entry->a < 0 ? NULL : session_by_id(host, entry->a);
    ac_log_header *header = (ac_log_header *)take(sizeof *header);
    *header = (ac_log_header){
        .position = host->table.log_position,
        .leadership_term_id = host->table.leadership_term_id,
        .cluster_session_id = entry->a,
    };
    uint8_t *data = copy_of(payload, entry->length);
    int result = host->service.on_session_message(host->service.state, session, entry->b, data,
                                                  (int32_t)entry->length, header);
    free(data);
    free(header);
    return result;
}

static int call(host *host, const entry *entry, const uint8_t *payload) {
    ac_service *service = &host->service;
    ac_session *session;
    int result = 0;
    switch (entry->op) {
    case OP_START:
        host->breaks_off = entry->flag == 2;
        return service->on_start(service->state, &host->table,
                                 entry->flag == 0 ? NULL : (ac_snapshot_reader *)host);
    case OP_OPEN:
        session = add_session(host, entry->a, payload, entry->length);
        return service->on_session_open == NULL
                   ? 0
                   : service->on_session_open(service->state, session, entry->b);
    case OP_CLOSE:
        session = session_by_id(host, entry->a);
        if (service->on_session_close != NULL) {
            result = service->on_session_close(service->state, session, entry->b, entry->flag);
        }
        remove_session(host, session);
        return result;
    case OP_MESSAGE:
        return on_message(host, entry, payload);
    case OP_TIMER:
        return service->on_timer_event == NULL
                   ? 0
                   : service->on_timer_event(service->state, entry->a, entry->b);
    case OP_SNAPSHOT:
        return service->on_take_snapshot(service->state, (ac_snapshot_writer *)host);
    case OP_ROLE:
        host->table.role = (int32_t)entry->a;
        return service->on_role_change == NULL
                   ? 0
                   : service->on_role_change(service->state, (int32_t)entry->a);
    case OP_TERM:
        host->table.leadership_term_id = entry->a;
        return service->on_new_leadership_term_event == NULL
                   ? 0
                   : service->on_new_leadership_term_event(
                         service->state, &(ac_leadership_term){.leadership_term_id = entry->a,
                                                               .timestamp = entry->b});
    case OP_TERMINATE:
        return service->on_terminate == NULL ? 0 : service->on_terminate(service->state);
    case OP_WORK:
        return service->do_background_work == NULL
                   ? 0
                   : service->do_background_work(service->state, entry->a);
    }
    check(0, "an op that the script does not have");
    return 0;
}

static void step(host *host, const entry *entry, const uint8_t *payload) {
    switch (entry->op) {
    case OP_LOAD:
        host->loaded =
            (bytes *)realloc(host->loaded, (host->loaded_count + 1) * sizeof *host->loaded);
        check(host->loaded != NULL, "out of memory");
        host->loaded[host->loaded_count] = (bytes){0};
        append(&host->loaded[host->loaded_count++], payload, entry->length);
        return;
    case OP_REJECT:
        host->rejection = entry->a;
        host->rejections = entry->b;
        return;
    case OP_IDLE_ENDS:
        host->idle_ends = 1;
        return;
    }
    host->callback = entry->op;
    host->idles = 0;
    host->table.time = entry->b;
    host->table.log_position += 64;
    int result = call(host, entry, payload);
    check(host->claimed == NULL, "returns with a claim open");
    did(host, DID_RETURN, result, host->idles, NULL, 0);
    host->callback = 0;
}

static void free_all(host *host) {
    for (int32_t index = 0; index < host->table.session_count; index++) {
        free_session(host->sessions[index]);
    }
    for (size_t index = 0; index < host->loaded_count; index++) {
        free(host->loaded[index].data);
    }
    free(host->sessions);
    free(host->loaded);
}

/* Runs a script; the record is the caller's, who gives it to service_host_free. 0, or why the table
   does not fit. Destroying the service is left to the caller as well. */
__attribute__((visibility("default"))) int service_host_run(const ac_service *given,
                                                            const uint8_t *script, size_t length,
                                                            uint8_t **record,
                                                            size_t *record_length) {
    host *self = (host *)calloc(1, sizeof *self);
    check(self != NULL, "out of memory");
    int fault = ac_service_copy(&self->service, given);
    self->table = (ac_cluster){
        .version = AC_SERVICE_VERSION,
        .size = sizeof(ac_cluster),
        .host = self,
        .leadership_term_id = -1,
        .member_id = -1,
        .session_offer = session_offer,
        .session_offerv = session_offerv,
        .session_try_claim = session_try_claim,
        .cluster_offer = cluster_offer,
        .cluster_offerv = cluster_offerv,
        .cluster_try_claim = cluster_try_claim,
        .claim_commit = claim_commit,
        .claim_abort = claim_abort,
        .schedule_timer = schedule_timer,
        .cancel_timer = cancel_timer,
        .session_by_id = session_by_id,
        .session_at = session_at,
        .close_session = close_session,
        .idle = idle,
        .explain = explain,
        .snapshot_offer = snapshot_offer,
        .snapshot_poll = snapshot_poll,
    };
    for (size_t at = 0; fault == 0 && at < length;) {
        entry entry;
        check(length - at >= sizeof entry, "a script that is cut short");
        memcpy(&entry, script + at, sizeof entry);
        check(length - at - sizeof entry >= entry.length, "a script that is cut short");
        step(self, &entry, script + at + sizeof entry);
        at += sizeof entry + entry.length;
    }
    *record = self->record.data;
    *record_length = self->record.length;
    free_all(self);
    free(self);
    return fault;
}

__attribute__((visibility("default"))) void service_host_free(uint8_t *record) {
    free(record);
}

#ifdef SERVICE_HOST_PROGRAM
int main(int count, char **arguments) {
    check(count >= 3, "service_host LIBRARY SYMBOL [NAME VALUE]... < SCRIPT > RECORD");
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    check(library != NULL, "a library that does not load");
    ac_service_factory factory;
    void *symbol = dlsym(library, arguments[2]);
    check(symbol != NULL, "a library without the symbol");
    memcpy(&factory, &symbol, sizeof factory);
    ac_option options[16];
    char error[256] = "";
    ac_service_request request = {
        .version = AC_SERVICE_VERSION,
        .size = sizeof request,
        .options = options,
        .error_capacity = sizeof error,
        .error = error,
    };
    for (int index = 3; index + 1 < count && request.option_count < 16; index += 2) {
        options[request.option_count++] =
            (ac_option){.name = arguments[index], .value = arguments[index + 1]};
    }
    const ac_service *service = factory(&request);
    check(service != NULL, error);
    bytes script = {0};
    uint8_t block[65536];
    for (size_t got; (got = fread(block, 1, sizeof block, stdin)) > 0;) {
        append(&script, block, got);
    }
    uint8_t *record;
    size_t length;
    check(service_host_run(service, script.data, script.length, &record, &length) == 0,
          "a table that does not fit");
    fwrite(record, 1, length, stdout);
    free(record);
    free(script.data);
    if (service->destroy != NULL) {
        service->destroy(service->state);
    }
    return 0;
}
#endif
