"""Services in C that use only ``service.h``, for benchmarks and tests."""
