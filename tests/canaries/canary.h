/*
 * The switch of the canaries that have to be compiled: they are built together, and the one that
 * the environment names is on. In no other build.
 */
#ifndef AERON_CLUSTER_CANARY_H
#define AERON_CLUSTER_CANARY_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool ac_canary(const char *name) {
    const char *const on = getenv("AERON_CLUSTER_CANARY");
    return on != NULL && strcmp(on, name) == 0;
}

#endif
