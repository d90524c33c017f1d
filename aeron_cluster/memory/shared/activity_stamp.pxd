"""Saying in a mark file that its owner is alive, once a second, without the GIL."""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.memory.system.seams cimport Clock, File, clock, files


# An agent keeps a pointer to it beside a reference to the ActivityStamp, and calls stamp_activity
# with each pass. One thread.
cdef struct activity_stamp:
    files files
    int64_t handle
    int64_t offset  # of the timestamp in the file
    clock clock  # the wall clock that is written
    int64_t interval_ns
    int64_t deadline_ns  # when it is written next; the largest number: no more
    int64_t failure_count
    int32_t error_number  # of a failed write that was not reported yet; or 0
    int32_t is_failing  # the write before failed


# Write the time; whether it failed as the one before did not.
cdef bint write_activity(activity_stamp *stamp, int64_t now_ns) noexcept nogil


cdef inline bint stamp_activity(activity_stamp *stamp, int64_t now_ns) noexcept nogil:
    """Write the timestamp where it is due.

    Whether to notify Python of a failure (ActivityStamp.check): once, until a write succeeded
    again.
    """
    return now_ns >= stamp.deadline_ns and write_activity(stamp, now_ns)


@cython.final
cdef class ActivityStamp:
    cdef activity_stamp c
    cdef File _file  # keeps the handle open
    cdef Clock _clock
