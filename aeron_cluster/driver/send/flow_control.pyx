"""Flow control: the limit of a sender, from the status messages of its receivers.

``UnicastFlowControl``, ``MaxMulticastFlowControl``, ``MinMulticastFlowControl``,
``TaggedMulticastFlowControl``.
"""
from libc.stdint cimport INT64_MAX, int32_t, int64_t
from libc.stdlib cimport calloc, free

from aeron_cluster.driver.streams.counter_values cimport value_address
from aeron_cluster.events.event_log cimport (
    EVENT_FLOW_CONTROL_RECEIVER_ADDED,
    EVENT_FLOW_CONTROL_RECEIVER_REMOVED,
    event_source,
    log_receiver,
)
from aeron_cluster.memory.shared.atomic cimport store_release_i64
from aeron_cluster.memory.shared.counters cimport CountersManager


cdef int flow_control_init(
        flow_control *control, object options, CountersManager counters, int32_t counter_id,
        const event_source *events) except -1:
    control.events = events
    control.strategy = options.strategy
    control.retransmit_window_multiple = options.retransmit_window_multiple
    control.group_min_size = options.group_min_size
    control.group_tag = options.group_tag
    control.receiver_timeout_ns = options.receiver_timeout_ns
    control.receivers_counter = value_address(counters, counter_id)
    if tracks_receivers(control):
        control.receivers = <flow_control_receiver *>calloc(
            MAX_RECEIVER_COUNT, sizeof(flow_control_receiver))
        if control.receivers == NULL:
            raise MemoryError
    return 0


cdef void flow_control_free(flow_control *control) noexcept nogil:
    free(control.receivers)
    control.receivers = NULL
    control.receiver_count = 0


cdef inline bint tracks_receivers(flow_control *control) noexcept nogil:
    return control.strategy == FLOW_CONTROL_MIN or control.strategy == FLOW_CONTROL_TAGGED


cdef inline bint matches_tag(
        flow_control *control, bint has_tag, int64_t group_tag) noexcept nogil:
    return control.strategy != FLOW_CONTROL_TAGGED or (has_tag and group_tag == control.group_tag)


cdef inline int64_t at_most_setup_limit(flow_control *control, int64_t limit) noexcept nogil:
    if control.is_setup_limited and limit > control.setup_limit:
        return control.setup_limit
    return limit


cdef inline void publish_receiver_count(flow_control *control) noexcept nogil:
    if control.receivers_counter != NULL:
        store_release_i64(control.receivers_counter, control.receiver_count)


cdef int64_t on_status_message(
        flow_control *control, int64_t position, int32_t window_length, int64_t receiver_id,
        bint is_end_of_stream, bint has_tag, int64_t group_tag, int64_t limit, int64_t now_ns
) noexcept nogil:
    cdef int64_t proposed = position + window_length
    cdef int64_t min_limit = INT64_MAX
    cdef bint is_known = False
    cdef bint is_member
    cdef flow_control_receiver *receiver
    cdef int32_t index
    if not tracks_receivers(control):
        return proposed if proposed > limit else limit
    is_member = matches_tag(control, has_tag, group_tag)
    for index in range(control.receiver_count):
        receiver = &control.receivers[index]
        if is_member and receiver.receiver_id == receiver_id:
            receiver.is_end_of_stream = is_end_of_stream
            if position > receiver.last_position:
                receiver.last_position = position
            receiver.limit = proposed
            receiver.time_ns = now_ns
            is_known = True
        if receiver.limit < min_limit:
            min_limit = receiver.limit
    if not is_known and is_member and not is_end_of_stream and may_join(
            control, proposed, min_limit, window_length):
        receiver = &control.receivers[control.receiver_count]
        receiver.receiver_id = receiver_id
        receiver.last_position = position
        receiver.limit = proposed
        receiver.time_ns = now_ns
        receiver.is_end_of_stream = False
        control.receiver_count += 1
        control.is_setup_limited = False
        control.is_setup_triggered = False
        publish_receiver_count(control)
        log_receiver(
            control.events, EVENT_FLOW_CONTROL_RECEIVER_ADDED, receiver_id, control.receiver_count)
        if proposed < min_limit:
            min_limit = proposed
    if control.receiver_count < control.group_min_size:
        return limit
    if control.receiver_count == 0:
        return proposed if proposed > limit else limit
    min_limit = at_most_setup_limit(control, min_limit)
    return min_limit if min_limit > limit else limit


cdef inline bint may_join(
        flow_control *control, int64_t proposed, int64_t min_limit, int32_t window_length
) noexcept nogil:
    # A receiver far behind the group would stop it: it must first catch up by retransmission.
    if control.receiver_count == MAX_RECEIVER_COUNT:
        return False
    return control.receiver_count == 0 or proposed >= min_limit - window_length


cdef void on_trigger_setup(
        flow_control *control, bint has_tag, int64_t group_tag, int64_t now_ns) noexcept nogil:
    if tracks_receivers(control) and matches_tag(control, has_tag, group_tag):
        if not control.is_setup_triggered:
            control.is_setup_triggered = True
            control.setup_deadline_ns = now_ns + control.receiver_timeout_ns


cdef void on_setup(flow_control *control, int64_t limit, int64_t now_ns) noexcept nogil:
    if control.is_setup_triggered and control.receiver_count > 0 and not control.is_setup_limited:
        control.is_setup_limited = True
        control.setup_limit = limit


cdef void on_error(
        flow_control *control, int64_t receiver_id, bint has_tag, int64_t group_tag
) noexcept nogil:
    cdef int32_t index
    if not tracks_receivers(control) or not matches_tag(control, has_tag, group_tag):
        return
    for index in range(control.receiver_count):
        if control.receivers[index].receiver_id == receiver_id:
            control.receivers[index].is_end_of_stream = True


cdef int64_t on_idle(flow_control *control, int64_t limit, int64_t now_ns) noexcept nogil:
    cdef int64_t min_limit = INT64_MAX
    cdef int32_t count_before = control.receiver_count
    cdef int32_t index
    cdef flow_control_receiver *receiver
    if not tracks_receivers(control):
        return limit
    for index in range(count_before - 1, -1, -1):
        receiver = &control.receivers[index]
        if receiver.is_end_of_stream or (
                now_ns - (receiver.time_ns + control.receiver_timeout_ns) > 0):
            control.receiver_count -= 1
            log_receiver(
                control.events, EVENT_FLOW_CONTROL_RECEIVER_REMOVED, receiver.receiver_id,
                control.receiver_count)
            receiver[0] = control.receivers[control.receiver_count]
        elif receiver.limit < min_limit:
            min_limit = receiver.limit
    if control.receiver_count != count_before:
        publish_receiver_count(control)
    if control.is_setup_triggered and now_ns - control.setup_deadline_ns > 0:
        control.is_setup_triggered = False
        control.is_setup_limited = False
    if control.receiver_count == 0 or control.receiver_count < control.group_min_size:
        return limit
    return at_most_setup_limit(control, min_limit)


cdef bint has_required_receivers(flow_control *control) noexcept nogil:
    return not tracks_receivers(control) or control.receiver_count >= control.group_min_size
