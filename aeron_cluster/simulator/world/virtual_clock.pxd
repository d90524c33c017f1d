cimport cython
from libc.stdint cimport int64_t

from aeron_cluster.memory.system.seams cimport Clock


cdef struct virtual_time:
    int64_t now_ns  # since the simulation began


cdef struct virtual_clock:
    const virtual_time *time
    int64_t since_ns  # the time of the readings below
    int64_t nano_time
    int64_t epoch_nanos
    int64_t nano_drift_ppm
    int64_t epoch_drift_ppm


@cython.final
cdef class VirtualTime:
    cdef virtual_time c


@cython.final
cdef class VirtualClock(Clock):
    cdef virtual_clock _readings
    cdef readonly VirtualTime time

    cdef void _settle(self) noexcept
