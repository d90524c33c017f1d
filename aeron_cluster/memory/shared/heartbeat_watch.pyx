"""Whether another process replaces its heartbeat, judged by the observer's monotonic clock.

Heartbeats in shared memory are wall clock readings, so that other processes can compute their age.
When that clock is set, their ages are wrong: Aeron's clients and drivers then consider each other
dead, or somebody who died before a step back alive until the clock has reached that time again.
Here only a change of the heartbeat counts, whatever its value. Steps of the wall clock between two
observations, also those that cancel each other, cannot be computed from its readings.
"""
cimport cython
from libc.stdint cimport int64_t


@cython.final
cdef class HeartbeatWatch:
    """Detects that a process has been silent.

    Parameters
    ----------
    timeout_ns : int
        After how long without another heartbeat it is silent, in ns.
    heartbeat_ms : int
        The heartbeat now, in ms since 1970.
    now_ns : int
        The monotonic time, in ns.

    Notes
    -----
    Observe more often than the timeout. Agents in C use the struct. One thread.
    """

    def __cinit__(self, int64_t timeout_ns, int64_t heartbeat_ms, int64_t now_ns):
        heartbeat_watch_init(&self.c, timeout_ns, heartbeat_ms, now_ns)

    def is_silent(self, int64_t heartbeat_ms, int64_t now_ns):
        """Return whether it has been silent for too long, given the heartbeat and the time."""
        return is_silent(&self.c, heartbeat_ms, now_ns)
