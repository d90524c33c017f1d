/* The envelope of messages between a surviving client, which outlives its sessions, and a service
   that applies each of its requests once. Upstream has no equivalent.

   In Python, aeron_cluster.cluster_client.surviving_client is one end and
   aeron_cluster.cluster.service.deduplication the other. It is the payload of a session message in
   either direction, so any cluster carries it. All fields are little-endian, without padding; the
   body follows to the message's end.

      0                   1                   2                   3
      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
     +---------------------------------------------------------------+
     |                        Magic "ACRQ"                           |   0
     +-------------------------------+-------------------------------+
     |            Version            |             Kind              |   4
     +-------------------------------+-------------------------------+
     |                                                               |   8
     |                          Client id                            |
     +---------------------------------------------------------------+
     |                                                               |  16
     |                         Incarnation                           |
     +---------------------------------------------------------------+
     |                                                               |  24
     |                          Sequence                             |
     +---------------------------------------------------------------+
     |                                                               |  32
     |                        Acknowledged                           |
     +---------------------------------------------------------------+
     |                            Body                              ...  40

   A client first sends OPEN until it receives OPENED, then REQUESTs, numbered without gaps from the
   sequence after OPENED's, each repeatedly until an ANSWER or FAILURE with its sequence arrives.
   After a change of leader or session it sends all unanswered requests again, in order.

   For each client a service retains its incarnation, the last accepted sequence, the sequence up to
   which the client has all answers, and the answers after it. It accepts a REQUEST with the next
   sequence, and sends the answer to an earlier one again. All decisions follow from the log alone.

   kind            sequence                         acknowledged      body
   OPEN            last that the client has an      the same          -
                   answer to; 0: none
   REQUEST         its own, from 1                  every answer up   the payload
                                                    to here is there
   FORGET          last taken                       the same          -
   OPENED          last taken                       0                 int32 window, int32 longest
   ANSWER          of the request                   0                 the service's result
   FAILURE         of the request                   1: rejected,      why, in UTF-8; it was applied
                                                    2: it failed,
                                                    0: one of both
   PENDING         of the request: it was taken     0                 -
                   and has no answer yet
   GAP             last taken: the next is missing  0                 -
   UNKNOWN_CLIENT  last taken: fewer than the       0                 -
                   client has answers to, or 0
   SUPERSEDED      last taken: a later incarnation  0                 -
                   was opened
   NO_ROOM         0                                0                 -

   After repeating requests a client queries what was accepted, by a REQUEST with a sequence beyond
   every window: the reply is a GAP or an UNKNOWN_CLIENT.

   The longest message, including its envelope, is in bytes, or 0 if the service does not know the
   limit of the cluster's log: a leader drops longer messages before any service receives them.

   The kinds from 32 on are records of the table in a service's snapshot, with other uses of the
   fields: see aeron_cluster.cluster.service.deduplication. */
#ifndef AERON_CLUSTER_REQUESTS_H
#define AERON_CLUSTER_REQUESTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
#define AC_REQUESTS_LAYOUT(condition) static_assert(condition, "request envelope")
#else
#define AC_REQUESTS_LAYOUT(condition) _Static_assert(condition, "request envelope")
#endif

enum {
    AC_REQUEST_MAGIC = 0x51524341,
    AC_REQUEST_VERSION = 1,
    AC_REQUEST_ENVELOPE_LENGTH = 40,
};

enum {
    AC_REQUEST_OPEN = 1,
    AC_REQUEST_REQUEST = 2,
    AC_REQUEST_FORGET = 3,
    AC_REQUEST_OPENED = 16,
    AC_REQUEST_ANSWER = 17,
    AC_REQUEST_FAILURE = 18,
    AC_REQUEST_PENDING = 19,
    AC_REQUEST_GAP = 20,
    AC_REQUEST_UNKNOWN_CLIENT = 21,
    AC_REQUEST_SUPERSEDED = 22,
    AC_REQUEST_NO_ROOM = 23,
};

/* Why a request failed: `acknowledged` of an AC_REQUEST_FAILURE. Services of earlier versions send
   0. */
enum {
    AC_REQUEST_CAUSE_UNKNOWN = 0,
    AC_REQUEST_CAUSE_REJECTED = 1, /* the service rejected it */
    AC_REQUEST_CAUSE_FAILED = 2,   /* the service could not handle it */
};

typedef struct ac_request_envelope {
    uint32_t magic;
    uint16_t version;
    uint16_t kind;
    int64_t client_id;    /* above 0; random, or stored by the client */
    int64_t incarnation;  /* of the client's process: higher for a later process */
    int64_t sequence;     /* see the table above */
    int64_t acknowledged; /* the client has all answers up to here; of a FAILURE, the cause */
} ac_request_envelope;

AC_REQUESTS_LAYOUT(sizeof(ac_request_envelope) == AC_REQUEST_ENVELOPE_LENGTH);
AC_REQUESTS_LAYOUT(offsetof(ac_request_envelope, version) == 4);
AC_REQUESTS_LAYOUT(offsetof(ac_request_envelope, kind) == 6);
AC_REQUESTS_LAYOUT(offsetof(ac_request_envelope, client_id) == 8);
AC_REQUESTS_LAYOUT(offsetof(ac_request_envelope, incarnation) == 16);
AC_REQUESTS_LAYOUT(offsetof(ac_request_envelope, sequence) == 24);
AC_REQUESTS_LAYOUT(offsetof(ac_request_envelope, acknowledged) == 32);

/* Whether a message begins with an envelope's magic, of any version. */
static inline int ac_request_is_envelope(const uint8_t *message, size_t length) {
    uint32_t magic;
    if (length < offsetof(ac_request_envelope, client_id)) {
        return 0;
    }
    memcpy(&magic, message, sizeof magic);
    return magic == AC_REQUEST_MAGIC;
}

/* Read the envelope of a message: 1 if it has one of this version, else 0. */
static inline int ac_request_read(const uint8_t *message, size_t length,
                                  ac_request_envelope *into) {
    if (length < AC_REQUEST_ENVELOPE_LENGTH) {
        return 0;
    }
    memcpy(into, message, AC_REQUEST_ENVELOPE_LENGTH); /* a payload may lie at any address */
    return into->magic == AC_REQUEST_MAGIC && into->version == AC_REQUEST_VERSION;
}

/* Write the envelope of a reply, before its body. */
static inline void ac_request_write(uint8_t *at, const ac_request_envelope *envelope, uint16_t kind,
                                    int64_t sequence) {
    const ac_request_envelope reply = {
        AC_REQUEST_MAGIC,      AC_REQUEST_VERSION, kind, envelope->client_id,
        envelope->incarnation, sequence,           0};
    memcpy(at, &reply, AC_REQUEST_ENVELOPE_LENGTH);
}

#endif
