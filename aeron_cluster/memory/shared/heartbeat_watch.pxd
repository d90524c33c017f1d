"""When a heartbeat was last replaced, by the monotonic clock."""
cimport cython
from libc.stdint cimport int64_t


cdef struct heartbeat_watch:
    int64_t timeout_ns
    int64_t last_ms  # the previous reading
    int64_t changed_ns  # when it was first seen


cdef inline void heartbeat_watch_init(
        heartbeat_watch *self, int64_t timeout_ns, int64_t heartbeat_ms, int64_t now_ns
        ) noexcept nogil:
    self.timeout_ns = timeout_ns
    self.last_ms = heartbeat_ms
    self.changed_ns = now_ns


cdef inline bint is_silent(
        heartbeat_watch *self, int64_t heartbeat_ms, int64_t now_ns) noexcept nogil:
    """Return whether the heartbeat has been the same for longer than the timeout."""
    if heartbeat_ms != self.last_ms:
        self.last_ms = heartbeat_ms
        self.changed_ns = now_ns
        return False
    return now_ns - self.changed_ns > self.timeout_ns


@cython.final
cdef class HeartbeatWatch:
    cdef heartbeat_watch c
