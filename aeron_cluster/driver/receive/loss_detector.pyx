"""Loss detection: when to send a NAK for a gap.

``LossDetector``, ``StaticDelayGenerator``, ``OptimalMulticastDelayGenerator``.
"""
from libc.math cimport exp, log
from libc.stdint cimport int64_t

from aeron_cluster.logbuffer.gap_scanner cimport gap
from aeron_cluster.memory.system.seams cimport next_random


cdef int detect_loss(loss_detector *detector, const gap *found, int64_t now_ns) noexcept nogil:
    cdef int findings = LOSS_NONE
    if found.length == 0:
        detector.is_active = False
        return LOSS_NONE
    if not detector.is_active or (
            found.term_id != detector.term_id or found.term_offset != detector.term_offset
            or found.length != detector.length):
        detector.is_active = True
        detector.term_id = found.term_id
        detector.term_offset = found.term_offset
        detector.length = found.length
        detector.deadline_ns = now_ns + first_delay_ns(&detector.delay)
        findings |= LOSS_FOUND
    if now_ns - detector.deadline_ns >= 0:
        detector.deadline_ns = now_ns + retry_delay_ns(&detector.delay)
        findings |= LOSS_DUE
    return findings


cdef inline int64_t first_delay_ns(loss_delay *delay) noexcept nogil:
    return group_delay_ns(delay) if delay.is_multicast else delay.delay_ns


cdef inline int64_t retry_delay_ns(loss_delay *delay) noexcept nogil:
    return group_delay_ns(delay) if delay.is_multicast else delay.retry_delay_ns


cdef int64_t group_delay_ns(loss_delay *delay) noexcept nogil:
    # Most members draw late times and few early ones, so that usually one NAK serves the group.
    cdef double lambda_ = log(delay.group_size) + 1
    cdef double uniform = <double>(next_random(delay.random) >> 11) / 9007199254740992.0
    return <int64_t>(
        delay.max_backoff_ns / lambda_ * log(1 + uniform * (exp(lambda_) - 1)))
