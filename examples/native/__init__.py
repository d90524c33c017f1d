"""One service, a sum that all members keep, in C and in Cython; neither ever has the GIL."""
