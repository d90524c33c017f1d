/* Invariant checks of internal state, in every build: a violation stops its agent. */
#ifndef AERON_CLUSTER_CHECK_H
#define AERON_CLUSTER_CHECK_H

#include <stdint.h>

/* The violation that a check found. */
typedef struct {
    const char *place; /* the function, as the compiler names it; NULL: no violation */
    const char *invariant;
    int64_t found;
    int64_t bound; /* the limit that it was compared with */
} ac_violation;

/* The function that contains a check. */
#define AC_PLACE __func__

/* Return a condition that is expected to be true. */
__attribute__((unused)) static inline int ac_likely(int condition) {
    return __builtin_expect(condition != 0, 1);
}

/* Whether the checks are enabled that would slow a short hot loop. */
#ifdef AC_DEBUG
#define AC_IS_DEBUG 1
#else
#define AC_IS_DEBUG 0
#endif

#endif
