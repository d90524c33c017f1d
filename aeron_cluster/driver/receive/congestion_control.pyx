"""Congestion control: the receiver window.

``StaticWindowCongestionControl``, ``CubicCongestionControl``.
"""
from libc.math cimport cbrt
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.driver.streams.counter_values cimport value_address
from aeron_cluster.memory.shared.atomic cimport store_release_i64
from aeron_cluster.memory.shared.counters cimport CountersManager

from aeron_cluster.errors import ConfigurationError

cdef enum:
    INITIAL_CONGESTION_WINDOW = 10
    RTT_INTERVAL_MULTIPLE = 4

cdef double CUBIC_C = 0.4
cdef double CUBIC_B = 0.2


cdef int congestion_control_init(
        congestion_control *control, object options, CountersManager counters,
        int32_t mtu_length, int32_t term_length, int64_t now_ns
) except -1:
    control.strategy = options.strategy
    if control.strategy not in (CONGESTION_CONTROL_STATIC, CONGESTION_CONTROL_CUBIC):
        raise ConfigurationError("cc", "static or cubic", options.strategy)
    control.mtu_length = mtu_length
    control.max_window_length = min(<int32_t>options.window_length, term_length // 2)
    control.is_tcp_mode = options.is_tcp_mode
    control.measures_rtt = options.measures_rtt
    control.rtt_counter = value_address(counters, options.rtt_counter_id)
    control.window_counter = value_address(counters, options.window_counter_id)
    control.max_congestion_window = max(control.max_window_length // mtu_length, 1)
    control.congestion_window = min(INITIAL_CONGESTION_WINDOW, control.max_congestion_window)
    control.loss_window = control.max_congestion_window
    control.k = cbrt(control.loss_window * CUBIC_B / CUBIC_C)
    control.initial_rtt_ns = options.initial_rtt_ns
    control.rtt_ns = control.initial_rtt_ns
    control.last_loss_ns = now_ns
    control.update_deadline_ns = now_ns + control.initial_rtt_ns
    control.last_rtt_request_ns = now_ns
    return 0


cdef int32_t update_window(
        congestion_control *control, int64_t now_ns, bint is_loss_found,
        bint has_consumption_moved, bint *is_forced) noexcept nogil:
    cdef double elapsed
    cdef int32_t window
    cdef int32_t tcp_window
    is_forced[0] = False
    if control.strategy == CONGESTION_CONTROL_STATIC:
        return control.max_window_length
    if is_loss_found:
        control.loss_window = control.congestion_window
        control.k = cbrt(control.loss_window * CUBIC_B / CUBIC_C)
        control.congestion_window = max(
            1, <int32_t>(control.congestion_window * (1.0 - CUBIC_B)))
        control.last_loss_ns = now_ns
        is_forced[0] = True
    elif (control.congestion_window < control.max_congestion_window
            and now_ns - control.update_deadline_ns >= 0):
        elapsed = <double>(now_ns - control.last_loss_ns) / 1e9 - control.k
        # Long after the last loss the cube would overflow an int32; it is limited before that.
        elapsed = min(elapsed, 1000.0)
        window = control.loss_window + <int32_t>(CUBIC_C * elapsed * elapsed * elapsed)
        control.congestion_window = min(max(window, 1), control.max_congestion_window)
        if control.is_tcp_mode and control.rtt_ns > 0:
            tcp_window = <int32_t>min(
                control.loss_window * (1.0 - CUBIC_B) + (3.0 * CUBIC_B / (2.0 - CUBIC_B)) * (
                    <double>(now_ns - control.last_loss_ns) / <double>control.rtt_ns),
                <double>control.max_congestion_window)
            control.congestion_window = max(control.congestion_window, tcp_window)
        control.update_deadline_ns = now_ns + control.initial_rtt_ns
    elif control.congestion_window == 1 and has_consumption_moved:
        is_forced[0] = True
    window = control.congestion_window * control.mtu_length
    if control.window_counter != NULL:
        store_release_i64(control.window_counter, window)
    return window


cdef bint should_measure_rtt(congestion_control *control, int64_t now_ns) noexcept nogil:
    cdef int64_t interval
    if control.strategy == CONGESTION_CONTROL_STATIC or not control.measures_rtt:
        return False
    interval = RTT_INTERVAL_MULTIPLE * max(control.rtt_ns, control.initial_rtt_ns)
    if now_ns - (control.last_rtt_request_ns + interval) < 0:
        return False
    control.last_rtt_request_ns = now_ns
    return True


cdef void on_rtt_measurement(congestion_control *control, int64_t rtt_ns) noexcept nogil:
    if rtt_ns < 0:
        return
    control.rtt_ns = rtt_ns
    if control.rtt_counter != NULL:
        store_release_i64(control.rtt_counter, rtt_ns)
