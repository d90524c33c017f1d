/*
 * The switch of compiled canaries: they are built together, and the one that
 * the environment names is on. Not part of other builds.
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
