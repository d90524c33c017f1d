"""Which gaps are being sent again, and for how long a repeated NAK is not heard.

``RetransmitHandler``.
"""
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.driver.streams.data_plane cimport retransmit_handler


# Sends a range of the log again.
ctypedef void (*resend_function)(
    void *context, int32_t term_id, int32_t term_offset, int32_t length) noexcept nogil

# The range lies within its term; `max_length` bounds what one NAK may ask for.
cdef void on_nak(
    retransmit_handler *handler, int32_t term_id, int32_t term_offset, int32_t length,
    int32_t term_length, int32_t max_length, int64_t now_ns, resend_function resend, void *context
) noexcept nogil

cdef void process_retransmit_timeouts(
    retransmit_handler *handler, int64_t now_ns, resend_function resend, void *context
) noexcept nogil
