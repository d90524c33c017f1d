"""Update the activity timestamp of a mark file once a second, without the GIL."""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.memory.system.seams cimport Clock, File, clock, files


# An agent has a pointer to it and a reference to the ActivityStamp, and calls stamp_activity in
# every duty cycle. For one thread.
cdef struct activity_stamp:
    files files
    int64_t handle
    int64_t offset  # of the timestamp in the file
    clock clock  # the wall clock to write
    int64_t interval_ns
    int64_t deadline_ns  # time of the next write; INT64_MAX: never
    int64_t failure_count
    int32_t error_number  # of an unreported failed write; or 0
    int32_t is_failing  # the previous write failed


# Write the time; returns whether it failed although the previous write succeeded.
cdef bint write_activity(activity_stamp *stamp, int64_t now_ns) noexcept nogil


cdef inline bint stamp_activity(activity_stamp *stamp, int64_t now_ns) noexcept nogil:
    """Write the timestamp if it is due.

    Returns whether to report a failure in Python (ActivityStamp.check): once until a write
    succeeds.
    """
    return now_ns >= stamp.deadline_ns and write_activity(stamp, now_ns)


@cython.final
cdef class ActivityStamp:
    cdef activity_stamp c
    cdef File _file  # keeps the handle open
    cdef Clock _clock
