"""The receiver window, which limits the sender.

``StaticWindowCongestionControl``, ``CubicCongestionControl``.
"""
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.memory.shared.counters cimport CountersManager


cpdef enum CongestionControlStrategy:
    CONGESTION_CONTROL_STATIC = 0
    CONGESTION_CONTROL_CUBIC = 1


cdef struct congestion_control:
    int32_t strategy
    int32_t mtu_length
    int32_t max_window_length
    int32_t max_congestion_window  # in datagrams, like the next two
    int32_t congestion_window
    int32_t loss_window
    bint is_tcp_mode
    bint measures_rtt
    double k
    int64_t initial_rtt_ns
    int64_t rtt_ns
    int64_t update_deadline_ns
    int64_t last_loss_ns
    int64_t last_rtt_request_ns
    int64_t *rtt_counter  # NULL: none is kept
    int64_t *window_counter


cdef int congestion_control_init(
    congestion_control *control, object options, CountersManager counters, int32_t mtu_length,
    int32_t term_length, int64_t now_ns
) except -1

# Called by the conductor after each progress of the image; returns the window; `is_forced` requests
# a status message.
cdef int32_t update_window(
    congestion_control *control, int64_t now_ns, bint is_loss_found, bint has_consumption_moved,
    bint *is_forced
) noexcept nogil

# Called by the receiver: whether to measure the round trip time now, and the measurement.
cdef bint should_measure_rtt(congestion_control *control, int64_t now_ns) noexcept nogil
cdef void on_rtt_measurement(congestion_control *control, int64_t rtt_ns) noexcept nogil
