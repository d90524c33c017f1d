/* The table with which a native service applies each request of a surviving client once.

   It makes the same decisions and writes the same snapshot records as
   aeron_cluster.cluster.service.deduplication does for services in Python: each can load snapshots
   of the other. See requests.h for the envelope, docs/clients.md for the guarantees.

       ac_dedup *table = ac_dedup_new(cluster, NULL);             in on_start
       switch (ac_dedup_accept(table, session, timestamp, data, length, &request)) {
       case AC_DEDUP_ACCEPTED:                                       apply request.payload, then
           ac_dedup_answer(table, &request, answer, answer_length);
           break;
       case AC_DEDUP_FOREIGN:                                     a message without an envelope
           ...
       default:                                                   nothing: done with, or rejected
       }
       ac_dedup_write(table, writer);                             in on_take_snapshot
       ac_dedup_load(table, data, length);                        for each message of a snapshot

   The table is part of the service's state: only the log's messages change it. Its functions are
   called from the service's callbacks. Memory is allocated when a client is opened and when an
   answer is retained. */
#ifndef AERON_CLUSTER_DEDUPLICATION_H
#define AERON_CLUSTER_DEDUPLICATION_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "aeron_cluster/requests.h"
#include "aeron_cluster/service.h"

enum {
    AC_DEDUP_SEND_ATTEMPTS = 3,
    AC_DEDUP_EVICTIONS_AT_ONCE = 4,
    AC_DEDUP_CHUNK_LENGTH = 4096,
    AC_DEDUP_SNAPSHOT_CLIENT = 32,
    AC_DEDUP_SNAPSHOT_ANSWER = 33,
    AC_DEDUP_SNAPSHOT_END = 34,
    AC_DEDUP_CAUSE_SHIFT = 16, /* in a record of an answer: above its kind */
};

/* The outcome for a message. */
typedef enum ac_dedup_result {
    AC_DEDUP_FOREIGN = 0,  /* it has no envelope: for the service itself */
    AC_DEDUP_HANDLED = 1,  /* a duplicate, or not acceptable; its sender was notified */
    AC_DEDUP_ACCEPTED = 2, /* accepted: apply it now, answer it now or later */
    AC_DEDUP_REJECTED = 3, /* wrong version or kind: not an error, since clients can send anything
                             and an error would stop every member */
    AC_DEDUP_NO_MEMORY = -1,
    AC_DEDUP_CORRUPT = -2, /* from ac_dedup_load: no valid record at this place */
} ac_dedup_result;

typedef struct ac_dedup_options {
    int32_t max_clients;     /* 0: 1000 */
    int32_t window_length;   /* 0: 256 */
    int64_t idle_timeout_ns; /* 0: an hour of cluster time */
} ac_dedup_options;

typedef struct ac_dedup_request {
    int64_t client_id;
    int64_t sequence;
    const uint8_t *payload; /* valid as long as the message */
    int32_t payload_length;
} ac_dedup_request;

/* ---- inside ---- */

typedef struct ac_dedup_answer_ {
    uint8_t *message; /* envelope and body; NULL: not answered yet, or released */
    int32_t length;
} ac_dedup_answer_;

typedef struct ac_dedup_client {
    int64_t client_id;
    int64_t incarnation;
    int64_t last_sequence;
    int64_t acknowledged;
    int64_t activity; /* cluster time */
    int64_t cluster_session_id;
    struct ac_dedup_client *chain; /* next in the same bucket */
    struct ac_dedup_client *older; /* next older by activity */
    struct ac_dedup_client *newer;
    ac_dedup_answer_ answers[]; /* by sequence, modulo the window */
} ac_dedup_client;

typedef struct ac_dedup {
    const ac_cluster *cluster;
    int32_t max_clients;
    int32_t window_length;
    int64_t idle_timeout_ns;
    int64_t duplicate_count; /* these five are not part of the state */
    int64_t rejected_count;
    int64_t foreign_count;
    int64_t unsent_count;
    int64_t lost_count; /* requests that were answered but are missing from this member's state:
                           its log or a snapshot is damaged and must be restored */
    int32_t client_count;
    int32_t bucket_count; /* a power of two */
    ac_dedup_client **buckets;
    ac_dedup_client *oldest;
    ac_dedup_client *newest;
    int64_t loaded_count;
    uint32_t loaded_checksum;
    int32_t loading_length; /* of an answer with chunks still missing */
    int is_loaded;
} ac_dedup;

static inline uint32_t ac_dedup_crc32_(uint32_t crc, const uint8_t *data, size_t length) {
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc = table[(crc ^ data[i]) & 15] ^ crc >> 4;
        crc = table[(crc ^ data[i] >> 4) & 15] ^ crc >> 4;
    }
    return ~crc;
}

static inline ac_dedup_client **ac_dedup_bucket_(const ac_dedup *table, int64_t client_id) {
    const uint64_t mixed = (uint64_t)client_id * UINT64_C(0x9e3779b97f4a7c15);
    return &table->buckets[mixed >> 32 & (uint64_t)(table->bucket_count - 1)];
}

static inline ac_dedup_client *ac_dedup_find_(const ac_dedup *table, int64_t client_id) {
    ac_dedup_client *client = *ac_dedup_bucket_(table, client_id);
    while (client != NULL && client->client_id != client_id) {
        client = client->chain;
    }
    return client;
}

static inline ac_dedup_answer_ *ac_dedup_slot_(const ac_dedup *table, ac_dedup_client *client,
                                               int64_t sequence) {
    return &client->answers[sequence % table->window_length];
}

static inline void ac_dedup_unlink_(ac_dedup *table, ac_dedup_client *client) {
    *(client->older != NULL ? &client->older->newer : &table->oldest) = client->newer;
    *(client->newer != NULL ? &client->newer->older : &table->newest) = client->older;
}

static inline void ac_dedup_link_(ac_dedup *table, ac_dedup_client *client) {
    client->older = table->newest;
    client->newer = NULL;
    *(table->newest != NULL ? &table->newest->newer : &table->oldest) = client;
    table->newest = client;
}

static inline void ac_dedup_touch_(ac_dedup *table, ac_dedup_client *client, int64_t timestamp,
                                   int64_t cluster_session_id) {
    client->activity = timestamp;
    client->cluster_session_id = cluster_session_id;
    ac_dedup_unlink_(table, client);
    ac_dedup_link_(table, client);
}

static inline ac_dedup_client *ac_dedup_add_(ac_dedup *table, int64_t client_id) {
    ac_dedup_client **bucket = ac_dedup_bucket_(table, client_id);
    const size_t size =
        sizeof(ac_dedup_client) + (size_t)table->window_length * sizeof(ac_dedup_answer_);
    ac_dedup_client *client = (ac_dedup_client *)calloc(1, size);
    if (client != NULL) {
        client->client_id = client_id;
        client->chain = *bucket;
        *bucket = client;
        ac_dedup_link_(table, client);
        table->client_count++;
    }
    return client;
}

static inline void ac_dedup_drop_answers_(const ac_dedup *table, ac_dedup_client *client,
                                          int64_t acknowledged) {
    const int64_t end = acknowledged < client->last_sequence ? acknowledged : client->last_sequence;
    while (client->acknowledged < end) {
        ac_dedup_answer_ *slot = ac_dedup_slot_(table, client, ++client->acknowledged);
        free(slot->message);
        slot->message = NULL;
    }
}

static inline void ac_dedup_remove_(ac_dedup *table, ac_dedup_client *client) {
    ac_dedup_client **link = ac_dedup_bucket_(table, client->client_id);
    while (*link != client) {
        link = &(*link)->chain;
    }
    *link = client->chain;
    ac_dedup_unlink_(table, client);
    ac_dedup_drop_answers_(table, client, INT64_MAX);
    free(client);
    table->client_count--;
}

/* Never waits for a slow client: it will send its request again. */
static inline void ac_dedup_send_(ac_dedup *table, ac_session *session, const uint8_t *message,
                                  int32_t length) {
    for (int i = 0; i < AC_DEDUP_SEND_ATTEMPTS; i++) {
        if (session->is_closing) {
            return;
        }
        const int64_t result = ac_session_offer(table->cluster, session, message, length);
        if (result > 0) {
            return;
        }
        if ((result != AC_BACK_PRESSURED && result != AC_ADMIN_ACTION) ||
            table->cluster->idle(table->cluster->host, 0) < 0) {
            break;
        }
    }
    table->unsent_count++;
}

static inline void ac_dedup_reply_(ac_dedup *table, ac_session *session,
                                   const ac_request_envelope *envelope, uint16_t kind,
                                   int64_t sequence) {
    uint8_t message[AC_REQUEST_ENVELOPE_LENGTH + 8];
    int32_t length = AC_REQUEST_ENVELOPE_LENGTH;
    ac_request_write(message, envelope, kind, sequence);
    if (kind == AC_REQUEST_OPENED) {
        const int32_t body[2] = {table->window_length, 0};
        memcpy(message + length, body, sizeof body);
        length += (int32_t)sizeof body;
    }
    ac_dedup_send_(table, session, message, length);
}

static inline void ac_dedup_send_answer_(ac_dedup *table, const ac_dedup_client *client,
                                         const ac_dedup_answer_ *answer) {
    const ac_cluster *cluster = table->cluster;
    ac_session *session = cluster->session_by_id(cluster->host, client->cluster_session_id);
    if (session != NULL) {
        ac_dedup_send_(table, session, answer->message, answer->length);
    }
}

/* Make room for one more client if needed, in a bounded number of steps. */
static inline int ac_dedup_has_room_(ac_dedup *table, int64_t timestamp) {
    static const int64_t ns_a_unit[] = {1000000, 1000, 1};
    const ac_cluster *cluster = table->cluster;
    const int64_t timeout = table->idle_timeout_ns / ns_a_unit[cluster->time_unit];
    for (int i = 0; i < AC_DEDUP_EVICTIONS_AT_ONCE; i++) {
        ac_dedup_client *oldest = table->oldest;
        if (table->client_count < table->max_clients) {
            return 1;
        }
        if (oldest->activity + timeout > timestamp) {
            return 0;
        }
        if (cluster->session_by_id(cluster->host, oldest->cluster_session_id) == NULL) {
            ac_dedup_remove_(table, oldest);
        } else {
            ac_dedup_touch_(table, oldest, timestamp, oldest->cluster_session_id);
        }
    }
    return table->client_count < table->max_clients;
}

static inline ac_dedup_result ac_dedup_open_(ac_dedup *table, ac_session *session,
                                             int64_t timestamp,
                                             const ac_request_envelope *envelope) {
    ac_dedup_client *client = ac_dedup_find_(table, envelope->client_id);
    if (client == NULL) {
        if (envelope->sequence > 0) {
            ac_dedup_reply_(table, session, envelope, AC_REQUEST_UNKNOWN_CLIENT, 0);
            return AC_DEDUP_HANDLED;
        }
        if (!ac_dedup_has_room_(table, timestamp)) {
            table->rejected_count++;
            ac_dedup_reply_(table, session, envelope, AC_REQUEST_NO_ROOM, 0);
            return AC_DEDUP_HANDLED;
        }
        client = ac_dedup_add_(table, envelope->client_id);
        if (client == NULL) {
            return AC_DEDUP_NO_MEMORY;
        }
        client->incarnation = envelope->incarnation;
    } else if (envelope->incarnation < client->incarnation) {
        ac_dedup_reply_(table, session, envelope, AC_REQUEST_SUPERSEDED, client->last_sequence);
        return AC_DEDUP_HANDLED;
    } else if (client->last_sequence < envelope->sequence) {
        ac_dedup_reply_(table, session, envelope, AC_REQUEST_UNKNOWN_CLIENT, client->last_sequence);
        return AC_DEDUP_HANDLED;
    } else if (envelope->incarnation > client->incarnation) {
        /* A new process: the answers of the earlier one are not needed. */
        client->incarnation = envelope->incarnation;
        ac_dedup_drop_answers_(table, client, client->last_sequence);
    }
    ac_dedup_touch_(table, client, timestamp, session->id);
    ac_dedup_reply_(table, session, envelope, AC_REQUEST_OPENED, client->last_sequence);
    return AC_DEDUP_HANDLED;
}

static inline ac_dedup_result ac_dedup_request_(ac_dedup *table, ac_session *session,
                                                int64_t timestamp,
                                                const ac_request_envelope *envelope) {
    const int64_t sequence = envelope->sequence;
    ac_dedup_client *client = ac_dedup_find_(table, envelope->client_id);
    if (client == NULL || envelope->incarnation > client->incarnation) {
        table->rejected_count++;
        ac_dedup_reply_(table, session, envelope, AC_REQUEST_UNKNOWN_CLIENT, 0);
        return AC_DEDUP_HANDLED;
    }
    if (envelope->incarnation < client->incarnation) {
        table->rejected_count++;
        ac_dedup_reply_(table, session, envelope, AC_REQUEST_SUPERSEDED, client->last_sequence);
        return AC_DEDUP_HANDLED;
    }
    if (envelope->acknowledged < 0 || envelope->acknowledged >= sequence) {
        table->rejected_count++;
        return AC_DEDUP_REJECTED;
    }
    ac_dedup_touch_(table, client, timestamp, session->id);
    if (envelope->acknowledged > client->last_sequence) {
        /* It has answers to requests that this member never applied. Later requests are accepted
           anyway. */
        ac_dedup_reply_(table, session, envelope, AC_REQUEST_UNKNOWN_CLIENT, client->last_sequence);
        table->lost_count += envelope->acknowledged - client->last_sequence;
        ac_dedup_drop_answers_(table, client, client->last_sequence);
        client->last_sequence = client->acknowledged = envelope->acknowledged;
    }
    ac_dedup_drop_answers_(table, client, envelope->acknowledged);
    if (sequence <= client->last_sequence) {
        table->duplicate_count++;
        if (sequence > client->acknowledged) {
            const ac_dedup_answer_ *answer = ac_dedup_slot_(table, client, sequence);
            if (answer->message != NULL) {
                ac_dedup_send_answer_(table, client, answer);
            } else {
                ac_dedup_reply_(table, session, envelope, AC_REQUEST_PENDING, sequence);
            }
        }
        return AC_DEDUP_HANDLED;
    }
    if (sequence != client->last_sequence + 1 ||
        sequence - client->acknowledged > table->window_length) {
        table->rejected_count++;
        ac_dedup_reply_(table, session, envelope, AC_REQUEST_GAP, client->last_sequence);
        return AC_DEDUP_HANDLED;
    }
    client->last_sequence = sequence;
    return AC_DEDUP_ACCEPTED;
}

static inline ac_dedup_result ac_dedup_conclude_(ac_dedup *table, const ac_dedup_request *request,
                                                 uint16_t kind, int64_t cause, const void *body,
                                                 int32_t length) {
    ac_dedup_client *client = ac_dedup_find_(table, request->client_id);
    if (client == NULL || request->sequence <= client->acknowledged ||
        request->sequence > client->last_sequence) {
        return AC_DEDUP_HANDLED; /* the client was removed or restarted meanwhile */
    }
    ac_dedup_answer_ *answer = ac_dedup_slot_(table, client, request->sequence);
    if (answer->message != NULL) {
        return AC_DEDUP_HANDLED; /* already answered */
    }
    answer->length = AC_REQUEST_ENVELOPE_LENGTH + length;
    answer->message = (uint8_t *)malloc((size_t)answer->length);
    if (answer->message == NULL) {
        return AC_DEDUP_NO_MEMORY;
    }
    const ac_request_envelope envelope = {
        AC_REQUEST_MAGIC,    AC_REQUEST_VERSION, kind, client->client_id,
        client->incarnation, request->sequence,  cause};
    memcpy(answer->message, &envelope, sizeof envelope);
    if (length > 0) {
        memcpy(answer->message + AC_REQUEST_ENVELOPE_LENGTH, body, (size_t)length);
    }
    ac_dedup_send_answer_(table, client, answer);
    return AC_DEDUP_HANDLED;
}

/* ---- for services ---- */

/* An empty table, or NULL if memory is exhausted. `options` may be NULL; they must be the same on
   every member. */
static inline ac_dedup *ac_dedup_new(const ac_cluster *cluster, const ac_dedup_options *options) {
    ac_dedup *table = (ac_dedup *)calloc(1, sizeof(ac_dedup));
    if (table == NULL) {
        return NULL;
    }
    table->cluster = cluster;
    table->max_clients = options != NULL && options->max_clients > 0 ? options->max_clients : 1000;
    table->window_length =
        options != NULL && options->window_length > 0 ? options->window_length : 256;
    table->idle_timeout_ns = options != NULL && options->idle_timeout_ns > 0
                                 ? options->idle_timeout_ns
                                 : INT64_C(3600000000000);
    table->bucket_count = 16;
    while (table->bucket_count < table->max_clients && table->bucket_count < 1 << 24) {
        table->bucket_count *= 2;
    }
    table->buckets =
        (ac_dedup_client **)calloc((size_t)table->bucket_count, sizeof(ac_dedup_client *));
    if (table->buckets == NULL) {
        free(table);
        return NULL;
    }
    return table;
}

/* Free a table; NULL is ignored. */
static inline void ac_dedup_free(ac_dedup *table) {
    if (table == NULL) {
        return;
    }
    while (table->oldest != NULL) {
        ac_dedup_remove_(table, table->oldest);
    }
    free(table->buckets);
    free(table);
}

/* Decide how to handle a message of on_session_message. */
static inline ac_dedup_result ac_dedup_accept(ac_dedup *table, ac_session *session,
                                              int64_t timestamp, const uint8_t *data,
                                              int32_t length, ac_dedup_request *request) {
    ac_request_envelope envelope;
    ac_dedup_client *client;
    if (!ac_request_is_envelope(data, (size_t)length)) {
        table->foreign_count++;
        return AC_DEDUP_FOREIGN;
    }
    if (!ac_request_read(data, (size_t)length, &envelope)) {
        table->rejected_count++;
        return AC_DEDUP_REJECTED;
    }
    if (session != NULL && envelope.kind == AC_REQUEST_OPEN) {
        return ac_dedup_open_(table, session, timestamp, &envelope);
    }
    if (session != NULL && envelope.kind == AC_REQUEST_REQUEST) {
        const ac_dedup_result result = ac_dedup_request_(table, session, timestamp, &envelope);
        if (result == AC_DEDUP_ACCEPTED) {
            request->client_id = envelope.client_id;
            request->sequence = envelope.sequence;
            request->payload = data + AC_REQUEST_ENVELOPE_LENGTH;
            request->payload_length = length - AC_REQUEST_ENVELOPE_LENGTH;
        }
        return result;
    }
    if (session != NULL && envelope.kind == AC_REQUEST_FORGET) {
        client = ac_dedup_find_(table, envelope.client_id);
        if (client != NULL && client->incarnation == envelope.incarnation) {
            if (envelope.acknowledged > client->last_sequence) {
                table->lost_count += envelope.acknowledged - client->last_sequence;
            }
            ac_dedup_remove_(table, client);
        }
        return AC_DEDUP_HANDLED;
    }
    table->rejected_count++;
    return AC_DEDUP_REJECTED;
}

/* Send the answer to a request, and retain it until the client acknowledges it: AC_DEDUP_HANDLED,
   or AC_DEDUP_NO_MEMORY. */
static inline ac_dedup_result ac_dedup_answer(ac_dedup *table, const ac_dedup_request *request,
                                              const void *body, int32_t length) {
    return ac_dedup_conclude_(table, request, AC_REQUEST_ANSWER, 0, body, length);
}

/* The same for a request that the service rejects; `reason` is UTF-8, and the same on every
   member. */
static inline ac_dedup_result ac_dedup_reject(ac_dedup *table, const ac_dedup_request *request,
                                              const char *reason) {
    return ac_dedup_conclude_(table, request, AC_REQUEST_FAILURE, AC_REQUEST_CAUSE_REJECTED, reason,
                              (int32_t)strlen(reason));
}

/* The same for a request that the service could not handle, by an error of its own. */
static inline ac_dedup_result ac_dedup_fail(ac_dedup *table, const ac_dedup_request *request,
                                            const char *reason) {
    return ac_dedup_conclude_(table, request, AC_REQUEST_FAILURE, AC_REQUEST_CAUSE_FAILED, reason,
                              (int32_t)strlen(reason));
}

/* ---- snapshots ---- */

static inline int64_t ac_dedup_put_(const ac_dedup *table, ac_snapshot_writer *writer,
                                    const uint8_t *record, int32_t length) {
    const ac_cluster *cluster = table->cluster;
    int64_t result;
    while ((result = cluster->snapshot_offer(cluster->host, writer, record, length)) <= 0) {
        if (result != AC_BACK_PRESSURED && result != AC_ADMIN_ACTION &&
            result != AC_NOT_CONNECTED) {
            return result;
        }
        if (cluster->idle(cluster->host, 0) < 0) {
            return AC_SERVICE_TERMINATE;
        }
    }
    return AC_SERVICE_OK;
}

/* Write the table, alone or between other messages of the service's snapshot: AC_SERVICE_OK, or the
   value that on_take_snapshot must return. */
static inline int ac_dedup_write(const ac_dedup *table, ac_snapshot_writer *writer) {
    uint8_t record[AC_REQUEST_ENVELOPE_LENGTH + AC_DEDUP_CHUNK_LENGTH];
    ac_request_envelope head = {AC_REQUEST_MAGIC, AC_REQUEST_VERSION, 0, 0, 0, 0, 0};
    uint32_t checksum = 0;
    int64_t count = 0;
    int64_t result;
    for (const ac_dedup_client *client = table->oldest; client != NULL; client = client->newer) {
        const int64_t body[2] = {client->activity, client->cluster_session_id};
        head.kind = AC_DEDUP_SNAPSHOT_CLIENT;
        head.client_id = client->client_id;
        head.incarnation = client->incarnation;
        head.sequence = client->last_sequence;
        head.acknowledged = client->acknowledged;
        memcpy(record, &head, sizeof head);
        memcpy(record + sizeof head, body, sizeof body);
        int32_t length = (int32_t)(sizeof head + sizeof body);
        checksum = ac_dedup_crc32_(checksum, record, (size_t)length);
        count++;
        if ((result = ac_dedup_put_(table, writer, record, length)) != AC_SERVICE_OK) {
            return (int)result;
        }
        for (int64_t sequence = client->acknowledged + 1; sequence <= client->last_sequence;
             sequence++) {
            const ac_dedup_answer_ *answer = &client->answers[sequence % table->window_length];
            if (answer->message == NULL) {
                continue;
            }
            ac_request_envelope sent;
            memcpy(&sent, answer->message, sizeof sent);
            const int32_t whole = answer->length - AC_REQUEST_ENVELOPE_LENGTH;
            head.kind = AC_DEDUP_SNAPSHOT_ANSWER;
            head.incarnation = sent.kind | sent.acknowledged << AC_DEDUP_CAUSE_SHIFT;
            head.sequence = sequence;
            head.acknowledged = whole;
            memcpy(record, &head, sizeof head);
            int32_t offset = 0;
            do {
                const int32_t rest = whole - offset;
                const int32_t chunk =
                    rest < AC_DEDUP_CHUNK_LENGTH ? rest : (int32_t)AC_DEDUP_CHUNK_LENGTH;
                memcpy(record + sizeof head, answer->message + AC_REQUEST_ENVELOPE_LENGTH + offset,
                       (size_t)chunk);
                length = (int32_t)sizeof head + chunk;
                checksum = ac_dedup_crc32_(checksum, record, (size_t)length);
                count++;
                if ((result = ac_dedup_put_(table, writer, record, length)) != AC_SERVICE_OK) {
                    return (int)result;
                }
                offset += chunk;
            } while (offset < whole);
        }
    }
    head.kind = AC_DEDUP_SNAPSHOT_END;
    head.client_id = count;
    head.incarnation = checksum;
    head.sequence = table->client_count;
    head.acknowledged = 0;
    memcpy(record, &head, sizeof head);
    return (int)ac_dedup_put_(table, writer, record, (int32_t)sizeof head);
}

static inline ac_dedup_result ac_dedup_load_answer_(ac_dedup *table,
                                                    const ac_request_envelope *head,
                                                    const uint8_t *body, int32_t length) {
    ac_dedup_client *client = ac_dedup_find_(table, head->client_id);
    const int64_t kind = head->incarnation & ((1 << AC_DEDUP_CAUSE_SHIFT) - 1);
    const int64_t cause = head->incarnation >> AC_DEDUP_CAUSE_SHIFT;
    const int64_t last_cause = kind == AC_REQUEST_FAILURE ? AC_REQUEST_CAUSE_FAILED : 0;
    if (client == NULL || head->sequence <= client->acknowledged ||
        head->sequence > client->last_sequence || head->acknowledged < 0 ||
        (kind != AC_REQUEST_ANSWER && kind != AC_REQUEST_FAILURE) || cause < 0 ||
        cause > last_cause || head->acknowledged > INT32_MAX - AC_REQUEST_ENVELOPE_LENGTH ||
        table->loading_length + length > head->acknowledged) {
        return AC_DEDUP_CORRUPT;
    }
    ac_dedup_answer_ *answer = ac_dedup_slot_(table, client, head->sequence);
    if (table->loading_length == 0) {
        ac_request_envelope envelope = *head;
        if (answer->message != NULL) {
            return AC_DEDUP_CORRUPT;
        }
        answer->length = AC_REQUEST_ENVELOPE_LENGTH + (int32_t)head->acknowledged;
        answer->message = (uint8_t *)malloc((size_t)answer->length);
        if (answer->message == NULL) {
            return AC_DEDUP_NO_MEMORY;
        }
        envelope.kind = (uint16_t)kind;
        envelope.incarnation = client->incarnation;
        envelope.acknowledged = cause;
        memcpy(answer->message, &envelope, sizeof envelope);
    } else if (answer->message == NULL ||
               answer->length != AC_REQUEST_ENVELOPE_LENGTH + head->acknowledged) {
        return AC_DEDUP_CORRUPT;
    }
    memcpy(answer->message + AC_REQUEST_ENVELOPE_LENGTH + table->loading_length, body,
           (size_t)length);
    table->loading_length += length;
    if (table->loading_length == head->acknowledged) {
        table->loading_length = 0;
    }
    return AC_DEDUP_HANDLED;
}

/* Load a snapshot message if ac_dedup_write, or Python's write_snapshot, wrote it; return
   AC_DEDUP_FOREIGN for the service's own messages. After the last record `is_loaded` is 1; if it is
   not at the snapshot's end, the snapshot is truncated. */
static inline ac_dedup_result ac_dedup_load(ac_dedup *table, const uint8_t *data, int32_t length) {
    const uint8_t *body = data + AC_REQUEST_ENVELOPE_LENGTH;
    const int32_t body_length = length - AC_REQUEST_ENVELOPE_LENGTH;
    ac_dedup_result result = AC_DEDUP_HANDLED;
    ac_request_envelope head;
    if (!ac_request_read(data, (size_t)length, &head)) {
        return AC_DEDUP_FOREIGN;
    }
    if (table->is_loaded) {
        return AC_DEDUP_CORRUPT;
    }
    if (head.kind == AC_DEDUP_SNAPSHOT_CLIENT) {
        int64_t values[2];
        if (body_length != (int32_t)sizeof values ||
            ac_dedup_find_(table, head.client_id) != NULL || head.acknowledged < 0 ||
            head.acknowledged > head.sequence ||
            head.sequence - head.acknowledged > table->window_length) {
            return AC_DEDUP_CORRUPT;
        }
        ac_dedup_client *client = ac_dedup_add_(table, head.client_id);
        if (client == NULL) {
            return AC_DEDUP_NO_MEMORY;
        }
        memcpy(values, body, sizeof values);
        client->incarnation = head.incarnation;
        client->last_sequence = head.sequence;
        client->acknowledged = head.acknowledged;
        client->activity = values[0];
        client->cluster_session_id = values[1];
    } else if (head.kind == AC_DEDUP_SNAPSHOT_ANSWER) {
        result = ac_dedup_load_answer_(table, &head, body, body_length);
    } else if (head.kind == AC_DEDUP_SNAPSHOT_END) {
        if (head.client_id != table->loaded_count ||
            head.incarnation != (int64_t)table->loaded_checksum ||
            head.sequence != table->client_count || table->loading_length != 0) {
            return AC_DEDUP_CORRUPT;
        }
        table->is_loaded = 1;
    } else {
        return AC_DEDUP_CORRUPT;
    }
    table->loaded_count++;
    table->loaded_checksum = ac_dedup_crc32_(table->loaded_checksum, data, (size_t)length);
    return result;
}

#endif
