/* Invariants that stay on in release builds: better no node than a wrong one. */
#ifndef AERON_CLUSTER_CHECK_H
#define AERON_CLUSTER_CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline, noreturn, cold, unused)) static void
ac_assert_failed(const char *file, int line, const char *condition, int64_t position) {
    fprintf(stderr, "%s:%d: assertion failed: %s (position %lld)\n", file, line, condition,
            (long long)position);
    fflush(stderr);
    abort();
}

/* It guards invariants only, never input. */
#define ac_assert(condition) ac_assert_at(condition, -1)
#define ac_assert_at(condition, position)                                                          \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0)) {                                                   \
            ac_assert_failed(__FILE__, __LINE__, #condition, (position));                          \
        }                                                                                          \
    } while (0)

#endif
