"""The wall clock without recent steps, for comparing heartbeats."""
cimport cython
from libc.stdint cimport int64_t

from aeron_cluster.memory.system.seams cimport Clock

cdef enum:
    NANOS_A_MILLISECOND = 1_000_000
    # Smaller differences are drift, or the time between the readings of two clocks.
    SHORTEST_STEP_MS = 100


cdef struct step_watch:
    int64_t timeout_ns  # timeout of heartbeats
    int64_t timeout_ms
    int64_t last_ns  # the previous readings; 0: none
    int64_t last_ms
    int64_t step_ms  # how far the wall clock was set forward within the last `timeout_ns`
    int64_t until_ns  # when every active process has sent a heartbeat by the current clock


cdef inline void step_watch_init(step_watch *self, int64_t timeout_ns) noexcept nogil:
    self.timeout_ns = timeout_ns
    self.timeout_ms = max(<int64_t>1, timeout_ns // NANOS_A_MILLISECOND)
    self.last_ns = self.last_ms = self.step_ms = self.until_ns = 0


cdef inline void observe(step_watch *self, int64_t now_ns, int64_t now_ms) noexcept nogil:
    """Read both clocks; heartbeats are compared with these readings until the next call."""
    cdef int64_t jump_ms = (
        now_ms - self.last_ms - (now_ns - self.last_ns) // NANOS_A_MILLISECOND)
    if self.last_ms == 0:
        self.until_ns = now_ns + self.timeout_ns
    elif jump_ms > SHORTEST_STEP_MS or jump_ms < -SHORTEST_STEP_MS:
        self.step_ms = max(self.step_ms + jump_ms, <int64_t>0)
        self.until_ns = now_ns + self.timeout_ns
    if now_ns >= self.until_ns:
        self.step_ms = 0
    self.last_ns = now_ns
    self.last_ms = now_ms


cdef inline bint is_silent(const step_watch *self, int64_t heartbeat_ms) noexcept nogil:
    """Return whether the writer of a heartbeat has been silent for longer than the timeout."""
    return (
        self.last_ms - self.step_ms > heartbeat_ms + self.timeout_ms
        # In the future: written before the clock was set back, and not replaced since.
        or (heartbeat_ms > self.last_ms + self.timeout_ms and self.last_ns >= self.until_ns)
    )


@cython.final
cdef class StepWatch:
    cdef step_watch c
    cdef Clock _clock
