"""The duty cycle times of an agent: the longest one, and the number of those above a threshold."""
from libc.stdint cimport int64_t

from aeron_cluster.memory.shared.atomic cimport add_release_i64, load_opaque_i64, store_release_i64


# Counters may be NULL: then nothing is tracked.
cdef struct cycle_tracker:
    int64_t *max_time_ns
    int64_t *exceeded_count
    int64_t threshold_ns
    int64_t last_ns


cdef inline void track_cycle(cycle_tracker *tracker, int64_t now_ns) noexcept nogil:
    cdef int64_t cycle_ns = now_ns - tracker.last_ns
    if tracker.max_time_ns == NULL:
        return
    if tracker.last_ns != 0:
        if cycle_ns > load_opaque_i64(tracker.max_time_ns):
            store_release_i64(tracker.max_time_ns, cycle_ns)
        if cycle_ns > tracker.threshold_ns:
            add_release_i64(tracker.exceeded_count, 1)
    tracker.last_ns = now_ns
