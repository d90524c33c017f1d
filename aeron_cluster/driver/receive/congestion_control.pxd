"""How far a receiver lets its sender run ahead.

``StaticWindowCongestionControl``, ``CubicCongestionControl``.
"""
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.driver.streams.data_plane cimport congestion_control
from aeron_cluster.memory.counters cimport CountersManager


cdef int congestion_control_init(
    congestion_control *control, object options, CountersManager counters, int32_t mtu_length,
    int32_t term_length, int64_t now_ns
) except -1

# The conductor's, each time the image moved: the window; `is_forced` asks for a status message.
cdef int32_t update_window(
    congestion_control *control, int64_t now_ns, bint is_loss_found, bint has_consumption_moved,
    bint *is_forced
) noexcept nogil

# The receiver's: whether to ask for the round trip time now, and what the answer said.
cdef bint should_measure_rtt(congestion_control *control, int64_t now_ns) noexcept nogil
cdef void on_rtt_measurement(congestion_control *control, int64_t rtt_ns) noexcept nogil
