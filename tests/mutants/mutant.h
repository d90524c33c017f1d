/*
 * The switch of compiled mutants: many are built together, and the one whose
 * number the environment has is on; 0 for none. Not part of other builds.
 */
#ifndef AERON_CLUSTER_MUTANT_H
#define AERON_CLUSTER_MUTANT_H

#include <stdlib.h>

static int ac_mutant;

/* Read once, before any function of the module runs. */
__attribute__((constructor)) static void ac_read_mutant(void) {
    const char *const number = getenv("AERON_CLUSTER_MUTANT");
    ac_mutant = number == NULL ? 0 : atoi(number);
}

#endif
