/* A hash of a service's effects: equal on every member with the same effects, on every machine.

   An effect (an offered message, a timer, the close of a session) is a few words and a payload. The
   payload is digested, then each word is folded into the hash of everything before. A folding step
   is a bijection of the hash and, for a given hash, of the word: two runs that differ in exactly
   one word of one effect always differ in the hash. It is not cryptographic: collisions can be
   constructed.

   A digest folds 32 bytes per step into four independent lanes; the way its bytes are split into
   parts does not matter. Words are little-endian, like everything here. */
#ifndef AERON_CLUSTER_DIVERGENCE_H
#define AERON_CLUSTER_DIVERGENCE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    AC_DIVERGENCE_LANES = 4,
    AC_DIVERGENCE_STRIPE_LENGTH = 8 * AC_DIVERGENCE_LANES,
};

/* Arbitrary odd constants: multiplying by an odd number is reversible. */
#define AC_DIVERGENCE_K1 UINT64_C(0xd6e8feb86659fd93)
#define AC_DIVERGENCE_K2 UINT64_C(0xa3b195354a39b70d)

static inline uint64_t ac_divergence_fold(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * AC_DIVERGENCE_K1;
    hash ^= hash >> 32;
    return hash * AC_DIVERGENCE_K2 + 1; /* otherwise zero words would not change a zero hash */
}

/* A fold with a shorter dependency chain; sufficient within a lane. */
static inline uint64_t ac_divergence_lane(uint64_t lane, uint64_t word) {
    lane = (lane ^ word) * AC_DIVERGENCE_K1;
    return lane << 29 | lane >> 35;
}

static inline uint64_t ac_divergence_word(const uint8_t *data) {
    uint64_t word;
    memcpy(&word, data, sizeof(word));
    return word;
}

typedef struct ac_digest {
    uint64_t lanes[AC_DIVERGENCE_LANES];
    uint64_t length;
    uint8_t rest[AC_DIVERGENCE_STRIPE_LENGTH]; /* the last length % 32 bytes */
} ac_digest;

static inline void ac_digest_begin(ac_digest *digest) {
    for (int i = 0; i < AC_DIVERGENCE_LANES; i++) {
        digest->lanes[i] = AC_DIVERGENCE_K2 * (uint64_t)(2 * i + 1);
    }
    digest->length = 0;
}

static inline void ac_digest_stripe(ac_digest *digest, const uint8_t *data) {
    for (int i = 0; i < AC_DIVERGENCE_LANES; i++) {
        digest->lanes[i] = ac_divergence_lane(digest->lanes[i], ac_divergence_word(data + 8 * i));
    }
}

static inline void ac_digest_add(ac_digest *digest, const uint8_t *data, size_t length) {
    size_t buffered = (size_t)(digest->length % AC_DIVERGENCE_STRIPE_LENGTH);
    digest->length += length;
    if (length == 0) {
        return;
    }
    if (buffered > 0) {
        size_t room = AC_DIVERGENCE_STRIPE_LENGTH - buffered;
        size_t taken = length < room ? length : room;
        memcpy(digest->rest + buffered, data, taken);
        if (taken < room) {
            return;
        }
        ac_digest_stripe(digest, digest->rest);
        data += taken;
        length -= taken;
    }
    for (; length >= AC_DIVERGENCE_STRIPE_LENGTH; length -= AC_DIVERGENCE_STRIPE_LENGTH) {
        ac_digest_stripe(digest, data);
        data += AC_DIVERGENCE_STRIPE_LENGTH;
    }
    if (length > 0) {
        memcpy(digest->rest, data, length);
    }
}

static inline uint64_t ac_digest_end(ac_digest *digest) {
    size_t buffered = (size_t)(digest->length % AC_DIVERGENCE_STRIPE_LENGTH);
    size_t at = 0;
    uint64_t hash = ac_divergence_fold(0, digest->length);
    if (digest->length >= AC_DIVERGENCE_STRIPE_LENGTH) {
        for (int i = 0; i < AC_DIVERGENCE_LANES; i++) {
            hash = ac_divergence_fold(hash, digest->lanes[i]);
        }
    }
    for (; at + 8 <= buffered; at += 8) {
        hash = ac_divergence_fold(hash, ac_divergence_word(digest->rest + at));
    }
    if (at < buffered) {
        uint64_t word = 0;
        memcpy(&word, digest->rest + at, buffered - at);
        hash = ac_divergence_fold(hash, word);
    }
    return hash;
}

/* A point at which members are compared; also the record format of divergence-<service id>.dat. */
typedef struct ac_checkpoint {
    int64_t position; /* log position after the last event that it covers */
    int64_t leadership_term_id;
    int64_t previous_position; /* start of its interval */
    int64_t base_position;     /* start of the hash */
    uint64_t hash;             /* of all effects since the base */
    uint64_t interval_hash;    /* of the effects in the interval */
    uint64_t log_hash;         /* of end positions and times of the events since the base */
    uint64_t claim_hash;       /* of claimed and committed payloads in the interval */
    int64_t effect_count;      /* since the base */
    uint32_t flags;
    uint32_t check; /* checksum of all fields before: detects torn or unwritten checkpoints */
} ac_checkpoint;

enum {
    AC_CHECKPOINT_SNAPSHOT = 1, /* at the position of a snapshot */
    AC_CHECKPOINT_UNSENT = 2,   /* a claim on an egress failed: claims are not compared */
};

_Static_assert(sizeof(ac_checkpoint) == 80, "file");
_Static_assert(offsetof(ac_checkpoint, hash) == 32, "file");
_Static_assert(offsetof(ac_checkpoint, check) == 76, "file");

static inline uint32_t ac_checkpoint_check(const ac_checkpoint *checkpoint) {
    uint64_t hash = AC_DIVERGENCE_K1;
    const uint8_t *data = (const uint8_t *)checkpoint;
    for (size_t at = 0; at < 72; at += 8) {
        hash = ac_divergence_fold(hash, ac_divergence_word(data + at));
    }
    hash = ac_divergence_fold(hash, checkpoint->flags);
    return (uint32_t)(hash >> 32);
}

#endif
