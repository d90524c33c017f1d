"""How far a sender may go, by what its receivers say.

``UnicastFlowControl``, ``MaxMulticastFlowControl``, ``MinMulticastFlowControl``,
``TaggedMulticastFlowControl``. All take positions that the caller has checked.
"""
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.driver.streams.data_plane cimport flow_control
from aeron_cluster.memory.counters cimport CountersManager


cdef int flow_control_init(
    flow_control *control, object options, CountersManager counters, int32_t counter_id
) except -1
cdef void flow_control_free(flow_control *control) noexcept nogil

# The sender's new limit after a status message.
cdef int64_t on_status_message(
    flow_control *control, int64_t position, int32_t window_length, int64_t receiver_id,
    bint is_end_of_stream, bint has_tag, int64_t group_tag, int64_t limit, int64_t now_ns
) noexcept nogil

# A receiver asked for a set-up; then: the set-up was sent.
cdef void on_trigger_setup(
    flow_control *control, bint has_tag, int64_t group_tag, int64_t now_ns) noexcept nogil
cdef void on_setup(flow_control *control, int64_t limit, int64_t now_ns) noexcept nogil

# A receiver refused the stream.
cdef void on_error(
    flow_control *control, int64_t receiver_id, bint has_tag, int64_t group_tag) noexcept nogil

# The limit on a pass that sent nothing; it may be lower than before.
cdef int64_t on_idle(flow_control *control, int64_t limit, int64_t now_ns) noexcept nogil

cdef bint has_required_receivers(flow_control *control) noexcept nogil
