/* Checks of what must hold in our own state, in every build: a broken one stops its agent. */
#ifndef AERON_CLUSTER_CHECK_H
#define AERON_CLUSTER_CHECK_H

#include <stdint.h>

/* What a check found broken. */
typedef struct {
    const char *place; /* the function, as the compiler names it; NULL: nothing was found */
    const char *invariant;
    int64_t found;
    int64_t bound; /* what it was compared with */
} ac_violation;

/* The function that a check stands in. */
#define AC_PLACE __func__

/* Return a condition that is expected to be true. */
__attribute__((unused)) static inline int ac_likely(int condition) {
    return __builtin_expect(condition != 0, 1);
}

/* Whether the checks are on that a measured loop is too short for. */
#ifdef AC_DEBUG
#define AC_IS_DEBUG 1
#else
#define AC_IS_DEBUG 0
#endif

#endif
