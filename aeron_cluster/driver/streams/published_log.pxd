"""What the streams of a driver have in common: the log, and what publications do to it."""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.driver.streams.raw_log cimport RawLog
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.memory.shared.counters cimport CountersManager


# The progress of reading: without progress a publisher may have died between claim and commit.
cdef struct publisher_progress:
    int64_t position  # read position at the last check
    int64_t time_ns  # time of the last progress
    int64_t unblock_timeout_ns
    bint is_exclusive  # an exclusive publication ends with its only publisher


cdef void progress_init(
    publisher_progress *progress, int64_t position, int64_t unblock_timeout_ns, bint is_exclusive,
    int64_t now_ns) noexcept nogil
# Whether there was progress since the last check, or nothing to read.
cdef bint is_moving(
    publisher_progress *progress, log_buffers *log, int64_t position, int64_t now_ns
) noexcept nogil


# Of images and publications.
cdef class StreamLog:
    cdef RawLog _log  # the struct of a subclass points into it
    cdef CountersManager _counters  # the same
    cdef bint _is_closed
    cdef readonly int32_t session_id
    cdef readonly int32_t stream_id

    cdef int _check_open(self) except -1
    cdef log_buffers *_buffers(self) except NULL


# Of IPC and network publications.
cdef class PublishedLog(StreamLog):
    cdef publisher_progress *_progress
    cdef uint8_t *_system_counters
    cdef readonly int64_t registration_id

    # Up to where it is read, by its sender or its subscribers.
    cdef int64_t _read_position(self) noexcept
