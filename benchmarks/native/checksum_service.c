/* A service that combines the CRC-32 of each message into a checksum, like the peers', and sends
   the message back. It has no snapshot and no options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aeron_cluster/service.h"

#include "send.h"

#define POLYNOMIAL 0xEDB88320u
#define SLICES 8

typedef struct checksum {
    ac_service table;
    const ac_cluster *cluster;
    uint64_t sum;
    uint32_t crc[SLICES][256];
} checksum;

static void make_tables(checksum *self) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t value = byte;
        for (int bit = 0; bit < 8; bit++) {
            value = value >> 1 ^ (value & 1 ? POLYNOMIAL : 0);
        }
        self->crc[0][byte] = value;
    }
    for (int slice = 1; slice < SLICES; slice++) {
        for (int byte = 0; byte < 256; byte++) {
            uint32_t before = self->crc[slice - 1][byte];
            self->crc[slice][byte] = before >> 8 ^ self->crc[0][before & 0xFF];
        }
    }
}

/* Eight bytes per step: the CRC of each is looked up as if zeros followed it. */
static uint32_t crc32_of(const checksum *self, const uint8_t *data, int32_t length) {
    uint32_t value = 0xFFFFFFFFu;
    for (; length >= SLICES; length -= SLICES, data += SLICES) {
        uint64_t word;
        memcpy(&word, data, sizeof word);
        word ^= value;
        value = 0;
        for (int at = 0; at < SLICES; at++) {
            value ^= self->crc[SLICES - 1 - at][word >> 8 * at & 0xFF];
        }
    }
    for (; length > 0; length--, data++) {
        value = value >> 8 ^ self->crc[0][(value ^ *data) & 0xFF];
    }
    return value ^ 0xFFFFFFFFu;
}

static int on_start(void *state, const ac_cluster *cluster, ac_snapshot_reader *snapshot) {
    ((checksum *)state)->cluster = cluster;
    return AC_SERVICE_OK;
}

static int on_session_message(void *state, ac_session *session, int64_t timestamp,
                              const uint8_t *data, int32_t length, const ac_log_header *header) {
    checksum *self = (checksum *)state;
    self->sum = self->sum * 6364136223846793005u + crc32_of(self, data, length);
    if (session == NULL) {
        return AC_SERVICE_OK;
    }
    return send_to_session(self->cluster, session, data, length);
}

static int on_take_snapshot(void *state, ac_snapshot_writer *writer) {
    return AC_SERVICE_OK;
}

AC_SERVICE_EXPORT const ac_service *checksum_service(const ac_service_request *request) {
    if (request->option_count > 0) {
        snprintf(request->error, (size_t)request->error_capacity, "no option %s",
                 request->options[0].name);
        return NULL;
    }
    checksum *self = (checksum *)calloc(1, sizeof *self);
    if (self == NULL) {
        snprintf(request->error, (size_t)request->error_capacity, "out of memory");
        return NULL;
    }
    make_tables(self);
    self->table = (ac_service){
        .version = AC_SERVICE_VERSION,
        .size = sizeof(ac_service),
        .name = "checksum",
        .state = self,
        .on_start = on_start,
        .on_session_message = on_session_message,
        .on_take_snapshot = on_take_snapshot,
        .destroy = free,
    };
    return &self->table;
}
