"""Services in C over ``service.h`` alone: what benchmarks drive and tests hold to their word."""
