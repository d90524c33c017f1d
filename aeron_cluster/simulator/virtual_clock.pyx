"""Time that moves when it is told to."""
cimport cython
from libc.stdint cimport int64_t

from aeron_cluster.memory.seams cimport Clock, cached_clock


cdef int64_t virtual_nano_time(void *state) noexcept nogil:
    return (<cached_clock *>state).nano_time


cdef int64_t virtual_epoch_nanos(void *state) noexcept nogil:
    return (<cached_clock *>state).epoch_nanos


@cython.final
cdef class VirtualClock(Clock):
    """Both clocks of a simulated machine: they stand still until `advance`.

    Parameters
    ----------
    nano_time : int
        The monotonic reading to start from, ns.
    epoch_nanos : int
        The wall clock's, ns since 1970.
    """

    def __cinit__(self, int64_t nano_time=0, int64_t epoch_nanos=1_700_000_000_000_000_000):
        self.readings.nano_time = nano_time
        self.readings.epoch_nanos = epoch_nanos
        self.c.nano_time = virtual_nano_time
        self.c.epoch_nanos = virtual_epoch_nanos
        self.c.state = &self.readings

    def advance(self, int64_t duration_ns):
        """Let both clocks go on by a duration, ns."""
        self.readings.nano_time += duration_ns
        self.readings.epoch_nanos += duration_ns

    def step_wall_clock(self, int64_t duration_ns):
        """Move the wall clock alone, either way, ns."""
        self.readings.epoch_nanos += duration_ns
