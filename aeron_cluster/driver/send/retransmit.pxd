"""Retransmits in progress, and how long repeated NAKs are ignored.

``RetransmitHandler``.
"""
from libc.stdint cimport int32_t, int64_t


cdef enum:
    MAX_RESEND_COUNT = 256


cdef enum retransmit_state:
    RETRANSMIT_INACTIVE = 0
    RETRANSMIT_DELAYED = 1
    RETRANSMIT_LINGERING = 2


cdef struct retransmit_action:
    int32_t state
    int32_t term_id
    int32_t term_offset
    int32_t length
    int64_t deadline_ns


cdef struct retransmit_handler:
    int32_t action_count  # number of slots
    int32_t active_count
    bint has_group_semantics
    int64_t delay_ns
    int64_t linger_ns
    int64_t *overflows
    retransmit_action actions[MAX_RESEND_COUNT]


# Sends a range of the log again.
ctypedef void (*resend_function)(
    void *context, int32_t term_id, int32_t term_offset, int32_t length) noexcept nogil

# The range is within its term; `max_length` limits the range of one NAK.
cdef void on_nak(
    retransmit_handler *handler, int32_t term_id, int32_t term_offset, int32_t length,
    int32_t term_length, int32_t max_length, int64_t now_ns, resend_function resend, void *context
) noexcept nogil

cdef void process_retransmit_timeouts(
    retransmit_handler *handler, int64_t now_ns, resend_function resend, void *context
) noexcept nogil
