"""Retransmits in progress, and how long repeated NAKs are ignored.

``RetransmitHandler``.
"""
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.memory.shared.atomic cimport add_release_i64
from aeron_cluster.memory.system.invariants cimport PLACE, holds


cdef void on_nak(
        retransmit_handler *handler, int32_t term_id, int32_t term_offset, int32_t length,
        int32_t term_length, int32_t max_length, int64_t now_ns, resend_function resend,
        void *context
) noexcept nogil:
    cdef retransmit_action *action
    if not holds(
        0 <= term_offset < term_length, PLACE, "a retransmit begins in its term",
        term_offset, term_length,
    ):
        return
    if length == 0 or is_covered(handler, term_id, term_offset):
        return
    action = take_action(handler)
    if action == NULL:
        add_release_i64(handler.overflows, 1)
        return
    action.term_id = term_id
    action.term_offset = term_offset
    action.length = min(length, min(term_length - term_offset, max_length))
    if handler.delay_ns == 0:
        resend(context, action.term_id, action.term_offset, action.length)
        action.state = RETRANSMIT_LINGERING
        action.deadline_ns = now_ns + handler.linger_ns
    else:
        action.state = RETRANSMIT_DELAYED
        action.deadline_ns = now_ns + handler.delay_ns


cdef inline bint is_covered(
        retransmit_handler *handler, int32_t term_id, int32_t term_offset) noexcept nogil:
    cdef int32_t index
    cdef retransmit_action *action
    if handler.active_count == 0:
        return False
    for index in range(handler.action_count):
        action = &handler.actions[index]
        if (action.state != RETRANSMIT_INACTIVE and action.term_id == term_id
                and action.term_offset <= term_offset < action.term_offset + action.length):
            return True
    return False


cdef inline retransmit_action *take_action(retransmit_handler *handler) noexcept nogil:
    cdef int32_t index
    if not handler.has_group_semantics:
        # A single receiver has one gap at a time: a new gap replaces the previous one.
        handler.active_count = 1
        return &handler.actions[0]
    for index in range(handler.action_count):
        if handler.actions[index].state == RETRANSMIT_INACTIVE:
            handler.active_count += 1
            return &handler.actions[index]
    return NULL


cdef void process_retransmit_timeouts(
        retransmit_handler *handler, int64_t now_ns, resend_function resend, void *context
) noexcept nogil:
    cdef int32_t index
    cdef retransmit_action *action
    if handler.active_count == 0:
        return
    if not holds(
        0 < handler.active_count <= handler.action_count <= MAX_RESEND_COUNT, PLACE,
        "each retransmission has an entry", handler.active_count, handler.action_count,
    ):
        return
    for index in range(handler.action_count):
        action = &handler.actions[index]
        if action.state == RETRANSMIT_INACTIVE or now_ns - action.deadline_ns < 0:
            continue
        if action.state == RETRANSMIT_DELAYED:
            resend(context, action.term_id, action.term_offset, action.length)
            action.state = RETRANSMIT_LINGERING
            action.deadline_ns = now_ns + handler.linger_ns
        else:
            action.state = RETRANSMIT_INACTIVE
            handler.active_count -= 1
