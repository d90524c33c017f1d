"""When a gap is said to be lost.

``LossDetector``, ``StaticDelayGenerator``, ``OptimalMulticastDelayGenerator``.
"""
from libc.stdint cimport int64_t

from aeron_cluster.driver.streams.data_plane cimport loss_detector
from aeron_cluster.logbuffer.gap_scanner cimport gap


cdef enum loss_finding:
    LOSS_NONE = 0
    LOSS_FOUND = 1  # a gap that was not there before
    LOSS_DUE = 2  # its time has come


# `found` is the first gap of a scan, with length 0 where nothing is missing; a set of findings.
cdef int detect_loss(loss_detector *detector, const gap *found, int64_t now_ns) noexcept nogil
