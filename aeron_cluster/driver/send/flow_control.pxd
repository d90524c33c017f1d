"""The limit of a sender, from the status messages of its receivers.

``UnicastFlowControl``, ``MaxMulticastFlowControl``, ``MinMulticastFlowControl``,
``TaggedMulticastFlowControl``. The positions in all functions are checked by the caller.
"""
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.events.event_log cimport event_source
from aeron_cluster.memory.shared.counters cimport CountersManager


cpdef enum FlowControlStrategy:
    FLOW_CONTROL_UNICAST = 0
    FLOW_CONTROL_MAX = 1
    FLOW_CONTROL_MIN = 2
    FLOW_CONTROL_TAGGED = 3


cdef enum:
    MAX_RECEIVER_COUNT = 1024  # stored by one publication


cdef struct flow_control_receiver:
    int64_t receiver_id
    int64_t last_position
    int64_t limit  # last position + window
    int64_t time_ns
    bint is_end_of_stream


cdef struct flow_control:
    int32_t strategy
    int32_t retransmit_window_multiple
    int32_t group_min_size
    int32_t receiver_count
    flow_control_receiver *receivers
    int64_t group_tag
    int64_t receiver_timeout_ns
    int64_t *receivers_counter  # NULL: none is kept
    # A setup frame was elicited while there are receivers: the limit is kept until another one is
    # admitted.
    bint is_setup_triggered
    bint is_setup_limited
    int64_t setup_limit
    int64_t setup_deadline_ns
    const event_source *events  # the stream's, for added and removed receivers


cdef int flow_control_init(
    flow_control *control, object options, CountersManager counters, int32_t counter_id,
    const event_source *events) except -1
cdef void flow_control_free(flow_control *control) noexcept nogil

# Handle a status message; returns the sender's new limit.
cdef int64_t on_status_message(
    flow_control *control, int64_t position, int32_t window_length, int64_t receiver_id,
    bint is_end_of_stream, bint has_tag, int64_t group_tag, int64_t limit, int64_t now_ns
) noexcept nogil

# A receiver elicited a setup frame; the setup frame was sent.
cdef void on_trigger_setup(
    flow_control *control, bint has_tag, int64_t group_tag, int64_t now_ns) noexcept nogil
cdef void on_setup(flow_control *control, int64_t limit, int64_t now_ns) noexcept nogil

# A receiver rejected the stream.
cdef void on_error(
    flow_control *control, int64_t receiver_id, bint has_tag, int64_t group_tag) noexcept nogil

# Returns the limit in a duty cycle that sent nothing; it may be lower than before.
cdef int64_t on_idle(flow_control *control, int64_t limit, int64_t now_ns) noexcept nogil

cdef bint has_required_receivers(flow_control *control) noexcept nogil
