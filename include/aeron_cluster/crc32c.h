/* CRC-32C with the processor's instruction, if it has one.

   The values equal those of the tables in aeron_cluster.archive.storage.checksum. The processor is
   queried once, when a checksum is created, not for each frame. */
#ifndef AERON_CLUSTER_CRC32C_H
#define AERON_CLUSTER_CRC32C_H

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <nmmintrin.h>

static inline int ac_has_crc32c(void) {
    return __builtin_cpu_supports("sse4.2") != 0;
}

__attribute__((target("sse4.2"))) static inline uint32_t
ac_crc32c(uint32_t value, const uint8_t *data, int64_t length) {
    uint64_t wide = value;
    uint64_t word;
    for (; length >= 8; data += 8, length -= 8) {
        memcpy(&word, data, sizeof word);
        wide = _mm_crc32_u64(wide, word);
    }
    value = (uint32_t)wide;
    for (; length > 0; data++, length--) {
        value = _mm_crc32_u8(value, *data);
    }
    return value;
}

#elif defined(__ARM_FEATURE_CRC32)

#include <arm_acle.h>

static inline int ac_has_crc32c(void) {
    return 1;
}

static inline uint32_t ac_crc32c(uint32_t value, const uint8_t *data, int64_t length) {
    uint64_t word;
    for (; length >= 8; data += 8, length -= 8) {
        memcpy(&word, data, sizeof word);
        value = __crc32cd(value, word);
    }
    for (; length > 0; data++, length--) {
        value = __crc32cb(value, *data);
    }
    return value;
}

#else

static inline int ac_has_crc32c(void) {
    return 0;
}

static inline uint32_t ac_crc32c(uint32_t value, const uint8_t *data, int64_t length) {
    (void)data;
    (void)length;
    return value;
}

#endif

#endif
