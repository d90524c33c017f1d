/* The latencies of a node's stages: a file in the driver's directory, written by the node.
 *
 *   0        header: magic, version, counts; started_ms; epoch
 *   128      a histogram for each stage of AC_STAGE_...
 *            the stamps that wait for the stage after theirs: a queue for each stage but the last
 *
 * A stamp is a position of the log, and when the stage had reached it. A stage takes the stamps of
 * the stage before it up to its own position, counts how long each took, and passes them on. Each
 * histogram and each end of a queue has one writer. All words are little-endian. */
#ifndef AERON_CLUSTER_LATENCY_H
#define AERON_CLUSTER_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aeron_cluster/atomic.h"

enum {
    AC_LATENCY_VERSION = 1,
    /* A duration of more than 8 bits is counted by its highest 8 bits: the error is below 1/128. */
    AC_LATENCY_BITS = 7,
    AC_LATENCY_BUCKET_COUNT = 3712,
    AC_LATENCY_QUEUE_LENGTH = 1024, /* a power of two */
    AC_LATENCY_MAX_BATCH = 64,
};

#define AC_LATENCY_MAGIC ((int64_t)0x3159434e4554414c) /* "LATENCY1" */
#define AC_LATENCY_LONGEST_NS ((int64_t)0x7ffffffff)   /* 34 s; longer ones are counted there */

typedef enum ac_stage {
    AC_STAGE_LOG = 0,   /* from the ingress to the log of the leader */
    AC_STAGE_RECORDED,  /* until its archive has recorded it */
    AC_STAGE_COMMITTED, /* until a majority has recorded it */
    AC_STAGE_SERVICE,   /* until the service has processed it */
    AC_STAGE_EGRESS,    /* until the driver has sent the service's answer */
    AC_STAGE_TOTAL,     /* from the ingress to the last stage of the node */
    AC_STAGE_COUNT,
    AC_QUEUE_COUNT = AC_STAGE_EGRESS,
} ac_stage;

typedef struct ac_latency_header {
    int64_t magic; /* stored last */
    int32_t version;
    int32_t stage_count;
    int32_t bucket_bits;
    int32_t bucket_count;
    int64_t started_ms;
    int64_t epoch; /* changes with the leadership: stamps with another epoch are dropped */
    uint8_t padding[88];
} ac_latency_header;

typedef struct ac_latency_histogram {
    int64_t count;
    int64_t longest_ns;
    int64_t sum_ns;
    int64_t dropped; /* stamps for which the queue to this stage had no room */
    uint8_t padding[96];
    int64_t buckets[AC_LATENCY_BUCKET_COUNT];
} ac_latency_histogram;

typedef struct ac_latency_stamp {
    int64_t position;
    int64_t time_ns;  /* when the stage had reached the position */
    int64_t begin_ns; /* lower bound of the time at which its first message arrived */
    int64_t epoch;
} ac_latency_stamp;

typedef struct ac_latency_queue {
    int64_t tail; /* written by the stage that adds stamps */
    uint8_t padding[120];
    int64_t head; /* written by the next stage */
    uint8_t more_padding[120];
    ac_latency_stamp stamps[AC_LATENCY_QUEUE_LENGTH];
} ac_latency_queue;

typedef struct ac_latency_file {
    ac_latency_header header;
    ac_latency_histogram histograms[AC_STAGE_COUNT];
    ac_latency_queue queues[AC_QUEUE_COUNT];
} ac_latency_file;

_Static_assert(sizeof(ac_latency_header) == 128, "file");
_Static_assert(offsetof(ac_latency_header, started_ms) == 24, "file");
_Static_assert(offsetof(ac_latency_histogram, buckets) == 128, "file");
_Static_assert(sizeof(ac_latency_histogram) == 128 + 8 * AC_LATENCY_BUCKET_COUNT, "file");
_Static_assert(sizeof(ac_latency_stamp) == 32, "file");
_Static_assert(offsetof(ac_latency_queue, stamps) == 256, "file");
_Static_assert(offsetof(ac_latency_file, histograms) == 128, "file");

/* Return the bucket of a duration. */
__attribute__((unused)) static inline int32_t ac_latency_bucket(int64_t duration_ns) {
    int shift;
    if (duration_ns < ((int64_t)1 << (AC_LATENCY_BITS + 1))) {
        return duration_ns < 0 ? 0 : (int32_t)duration_ns;
    }
    if (duration_ns > AC_LATENCY_LONGEST_NS) {
        duration_ns = AC_LATENCY_LONGEST_NS;
    }
    shift = 63 - __builtin_clzll((unsigned long long)duration_ns) - AC_LATENCY_BITS;
    return (shift << AC_LATENCY_BITS) + (int32_t)(duration_ns >> shift);
}

/* Count a duration; its histogram has one writer. */
__attribute__((unused)) static inline void ac_latency_record(ac_latency_histogram *histogram,
                                                             int64_t duration_ns) {
    int64_t *bucket = &histogram->buckets[ac_latency_bucket(duration_ns)];
    if (duration_ns < 0) {
        duration_ns = 0;
    }
    ac_store_opaque_i64(bucket, *bucket + 1);
    ac_store_opaque_i64(&histogram->sum_ns, histogram->sum_ns + duration_ns);
    if (duration_ns > histogram->longest_ns) {
        ac_store_opaque_i64(&histogram->longest_ns, duration_ns);
    }
    ac_store_opaque_i64(&histogram->count, histogram->count + 1);
}

/* Put a stamp into the queue of a stage; if it is full, count a dropped stamp. */
__attribute__((unused)) static inline void ac_latency_put(ac_latency_file *file, int stage,
                                                          const ac_latency_stamp *stamp) {
    ac_latency_queue *queue = &file->queues[stage];
    /* Pairs with the release of the stage that takes stamps: it has read the slot. */
    if (queue->tail - ac_load_acquire_i64(&queue->head) == AC_LATENCY_QUEUE_LENGTH) {
        int64_t *dropped = &file->histograms[stage].dropped;
        ac_store_opaque_i64(dropped, *dropped + 1);
        return;
    }
    queue->stamps[queue->tail & (AC_LATENCY_QUEUE_LENGTH - 1)] = *stamp;
    ac_store_release_i64(&queue->tail, queue->tail + 1);
}

/* Return whether stamps wait for a stage. */
__attribute__((unused)) static inline bool ac_latency_is_awaited(const ac_latency_file *file,
                                                                 int stage) {
    const ac_latency_queue *queue = &file->queues[stage - 1];
    return ac_load_acquire_i64(&queue->tail) != queue->head;
}

/* Return the end of the stamps for a stage. */
__attribute__((unused)) static inline int64_t ac_latency_end(const ac_latency_file *file,
                                                             int stage) {
    return ac_load_acquire_i64(&file->queues[stage - 1].tail);
}

/* Take and count the stamps that a stage has reached; return their number. */
__attribute__((unused)) static inline int ac_latency_take(ac_latency_file *file, int stage,
                                                          int64_t end, int64_t position,
                                                          int64_t now_ns, bool is_last) {
    ac_latency_queue *queue = &file->queues[stage - 1];
    int64_t head = queue->head;
    int64_t epoch = ac_load_acquire_i64(&file->header.epoch);
    int taken = 0;
    while (head != end && taken < AC_LATENCY_MAX_BATCH) {
        ac_latency_stamp stamp = queue->stamps[head & (AC_LATENCY_QUEUE_LENGTH - 1)];
        if (stamp.epoch == epoch) {
            if (stamp.position > position) {
                break;
            }
            ac_latency_record(&file->histograms[stage], now_ns - stamp.time_ns);
            if (is_last) {
                ac_latency_record(&file->histograms[AC_STAGE_TOTAL], now_ns - stamp.begin_ns);
            } else {
                stamp.time_ns = now_ns;
                ac_latency_put(file, stage, &stamp);
            }
        }
        head += 1;
        taken += 1;
    }
    if (taken > 0) {
        ac_store_release_i64(&queue->head, head);
    }
    return taken;
}

#endif
