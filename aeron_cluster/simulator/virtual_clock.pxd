"""Time that moves when it is told to."""
cimport cython

from aeron_cluster.memory.seams cimport Clock, cached_clock


@cython.final
cdef class VirtualClock(Clock):
    cdef cached_clock readings
