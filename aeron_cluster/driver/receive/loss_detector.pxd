"""The time at which a gap counts as lost.

``LossDetector``, ``StaticDelayGenerator``, ``OptimalMulticastDelayGenerator``.
"""
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.logbuffer.gap_scanner cimport gap
from aeron_cluster.memory.system.seams cimport random


# The delay before a NAK for a gap; random only for groups.
cdef struct loss_delay:
    bint is_multicast
    int64_t delay_ns
    int64_t retry_delay_ns
    double max_backoff_ns
    double group_size
    random *random


cdef struct loss_detector:
    loss_delay delay
    bint is_active
    int32_t term_id
    int32_t term_offset
    int32_t length
    int64_t deadline_ns


cdef enum loss_finding:
    LOSS_NONE = 0
    LOSS_FOUND = 1  # a new gap
    LOSS_DUE = 2  # its NAK is due


# `found` is the first gap of a scan, with length 0 without gaps; returns a set of findings.
cdef int detect_loss(loss_detector *detector, const gap *found, int64_t now_ns) noexcept nogil
