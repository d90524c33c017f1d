/* The messages of a mixed run and their checks, for the clients in C and in Cython.
 *
 * messages.py and StreamClient.java do the same. A message, little-endian:
 *
 *   0 publisher id   8 sequence number   16 previous start   24 length   28 CRC-32 of the rest
 *
 * The previous start is the position at which the publisher's previous message starts, -1 if it is
 * the first: an image must contain each message that starts at or after its join position.
 */
#ifndef MIXED_MESSAGES_H
#define MIXED_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIXED_HEADER_LENGTH 32
#define MIXED_MAX_LENGTH 5056
#define MIXED_PATTERN_LENGTH 8192
#define MIXED_FRAME_HEADER_LENGTH 32

static inline uint32_t mixed_crc32(uint32_t crc, const uint8_t *data, size_t length) {
    static uint32_t table[256];
    if (table[1] == 0) {
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t value = i;
            for (int bit = 0; bit < 8; bit++) {
                value = (value >> 1) ^ (value & 1 ? 0xEDB88320u : 0);
            }
            table[i] = value;
        }
    }
    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc = table[(crc ^ data[i]) & 0xFF] ^ (crc >> 8);
    }
    return ~crc;
}

static inline uint32_t mixed_checksum(const uint8_t *message, int32_t length) {
    const uint32_t crc = mixed_crc32(0, message, 28);
    return mixed_crc32(crc, message + MIXED_HEADER_LENGTH, (size_t)(length - MIXED_HEADER_LENGTH));
}

/* Most messages are short; one of sixteen may be longer than a datagram. */
static inline int32_t mixed_length(int64_t sequence) {
    const uint32_t mixed = (uint32_t)sequence * 2654435761u >> 8;
    return MIXED_HEADER_LENGTH + (int32_t)(sequence % 16 == 15 ? mixed % 5000 : mixed % 225);
}

static inline int32_t mixed_encode(uint8_t *message, int64_t publisher, int64_t sequence,
                                   int64_t previous_start) {
    const int32_t length = mixed_length(sequence);
    memcpy(message, &publisher, 8);
    memcpy(message + 8, &sequence, 8);
    memcpy(message + 16, &previous_start, 8);
    memcpy(message + 24, &length, 4);
    for (int32_t i = MIXED_HEADER_LENGTH; i < length; i++) {
        const int64_t place = sequence % 1024 + i - MIXED_HEADER_LENGTH;
        message[i] = (uint8_t)(place * 7 + (place >> 8));
    }
    const uint32_t checksum = mixed_checksum(message, length);
    memcpy(message + 28, &checksum, 4);
    return length;
}

/* The length in the log of a message, which may be fragmented. */
static inline int64_t mixed_framed_length(int32_t length, int32_t max_payload_length) {
    const int64_t count = length / max_payload_length;
    const int64_t rest = length % max_payload_length;
    int64_t framed = count * (max_payload_length + MIXED_FRAME_HEADER_LENGTH);
    if (rest > 0) {
        framed += (rest + MIXED_FRAME_HEADER_LENGTH + 31) & ~INT64_C(31);
    }
    return framed;
}

/* An image, and what it is expected to contain next of each publisher. */
typedef struct {
    int32_t session_id;
    int64_t join_position;
} mixed_image;

typedef struct {
    int32_t session_id;
    int64_t publisher;
    int64_t next;
} mixed_expected;

/* The checks of one subscription. */
typedef struct {
    bool is_reliable;
    int image_count;
    mixed_image *images;
    int expected_count;
    mixed_expected *expected;
    int64_t message_count;
    int64_t byte_count;
    int64_t gap_count;
    char fault[256]; /* the first one */
} mixed_checks;

static inline void *mixed_grow(void *items, int count, size_t length) {
    if ((count & (count - 1)) == 0) {
        items = realloc(items, (size_t)(count == 0 ? 1 : 2 * count) * length);
        if (items == NULL) {
            abort();
        }
    }
    return items;
}

static inline void mixed_on_image(mixed_checks *checks, int32_t session_id, int64_t join_position) {
    checks->images =
        (mixed_image *)mixed_grow(checks->images, checks->image_count, sizeof(mixed_image));
    checks->images[checks->image_count].session_id = session_id;
    checks->images[checks->image_count].join_position = join_position;
    checks->image_count++;
}

static inline void mixed_on_image_end(mixed_checks *checks, int32_t session_id) {
    int kept = 0;
    for (int i = 0; i < checks->image_count; i++) {
        if (checks->images[i].session_id != session_id) {
            checks->images[kept++] = checks->images[i];
        }
    }
    checks->image_count = kept;
    kept = 0;
    for (int i = 0; i < checks->expected_count; i++) {
        if (checks->expected[i].session_id != session_id) {
            checks->expected[kept++] = checks->expected[i];
        }
    }
    checks->expected_count = kept;
}

static inline void mixed_fault(mixed_checks *checks, const char *what, int32_t session_id,
                               int64_t publisher, int64_t expected, int64_t found) {
    if (checks->fault[0] == '\0') {
        snprintf(checks->fault, sizeof(checks->fault),
                 "%s: session %d publisher %lld: expected %lld, found %lld", what, session_id,
                 (long long)publisher, (long long)expected, (long long)found);
    }
}

static inline void mixed_check(mixed_checks *checks, int32_t session_id, const uint8_t *message,
                               int32_t length) {
    int64_t publisher = -1, sequence = -1, previous_start = -1;
    int32_t written_length = -1;
    uint32_t checksum = 0;
    if (length >= MIXED_HEADER_LENGTH) {
        memcpy(&publisher, message, 8);
        memcpy(&sequence, message + 8, 8);
        memcpy(&previous_start, message + 16, 8);
        memcpy(&written_length, message + 24, 4);
        memcpy(&checksum, message + 28, 4);
    }
    if (written_length != length) {
        mixed_fault(checks, "length", session_id, publisher, written_length, length);
        return;
    }
    if (checksum != mixed_checksum(message, length)) {
        mixed_fault(checks, "checksum", session_id, publisher, checksum,
                    mixed_checksum(message, length));
        return;
    }
    checks->message_count++;
    checks->byte_count += length;
    for (int i = 0; i < checks->expected_count; i++) {
        mixed_expected *of = &checks->expected[i];
        if (of->session_id != session_id || of->publisher != publisher) {
            continue;
        }
        if (sequence < of->next) {
            mixed_fault(checks, "repeated or reordered", session_id, publisher, of->next, sequence);
        } else if (sequence > of->next && checks->is_reliable) {
            mixed_fault(checks, "lost", session_id, publisher, of->next, sequence);
        }
        checks->gap_count += sequence > of->next;
        of->next = sequence + 1;
        return;
    }
    for (int i = 0; i < checks->image_count && checks->is_reliable; i++) {
        const mixed_image *image = &checks->images[i];
        if (image->session_id == session_id && previous_start >= image->join_position) {
            mixed_fault(checks, "lost after the join position", session_id, publisher, sequence - 1,
                        sequence);
        }
    }
    checks->expected = (mixed_expected *)mixed_grow(checks->expected, checks->expected_count,
                                                    sizeof(mixed_expected));
    mixed_expected *made = &checks->expected[checks->expected_count++];
    made->session_id = session_id;
    made->publisher = publisher;
    made->next = sequence + 1;
}

#endif
