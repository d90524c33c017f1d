"""The conductor's work for all streams in each duty cycle.

``DriverConductor.trackStreamPositions``.
"""
cimport cython
from libc.stdint cimport int64_t

from aeron_cluster.driver.streams.pointer_array cimport pointer_array
from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.system.seams cimport Clock, clock


cdef struct stream_tracking:
    clock clock
    pointer_array images
    pointer_array network_publications
    pointer_array ipc_publications


# One pass; returns the number of changed positions and limits.
cdef int track_streams(stream_tracking *tracking) noexcept nogil
# The timer's checks while all streams are active and make progress; returns whether that was all.
cdef bint check_streams(stream_tracking *tracking, int64_t now_ns) noexcept nogil


@cython.final
cdef class StreamTracking(Agent):
    cdef stream_tracking c
    cdef Clock _clock
    cdef dict _retained  # by address: the objects that the arrays point to

    cdef int _add(self, pointer_array *pointers, void *item, object owner) except -1
    cdef int _remove(self, pointer_array *pointers, void *item) except -1
