"""The record of a violated invariant, and its exception."""
import re

from cpython.exc cimport PyErr_Occurred

from aeron_cluster.errors import InvariantViolatedError


cdef extern from "aeron_cluster/check.h" nogil:
    ctypedef struct ac_violation:
        const char *place
        const char *invariant
        int64_t found
        int64_t bound


cdef extern from "aeron_cluster/atomic.h" nogil:
    int32_t ac_get_and_add_i32(void *address, int32_t value) noexcept


cdef extern from *:
    """
    static _Thread_local ac_violation ac_violation_of_thread;
    """
    ac_violation ac_violation_of_thread


cdef bint record_violation(
    const char *place, const char *invariant, int64_t found, int64_t bound
) noexcept nogil:
    if ac_violation_of_thread.place == NULL:  # later violations are only consequences
        ac_violation_of_thread.place = place
        ac_violation_of_thread.invariant = invariant
        ac_violation_of_thread.found = found
        ac_violation_of_thread.bound = bound
        ac_get_and_add_i32(&violation_count, 1)
    return False


cdef bint has_violation() noexcept nogil:
    return ac_violation_of_thread.place != NULL


cdef int raise_recorded_violation() except -1 with gil:
    cdef ac_violation found = ac_violation_of_thread
    ac_violation_of_thread.place = NULL
    ac_get_and_add_i32(&violation_count, -1)
    return raise_violation(found.place, found.invariant, found.found, found.bound)


cdef int _pending_exception() except -1:
    return -1


cdef int raise_violation(
    const char *place, const char *invariant, int64_t found, int64_t bound
) except -1 with gil:
    cause = None
    if PyErr_Occurred() is not NULL:  # the same pass also raised an exception
        try:
            _pending_exception()
        except BaseException as exception:
            cause = exception
    raise InvariantViolatedError(
        invariant.decode("utf-8"), _dotted(place.decode("ascii")), found, bound) from cause


cdef object _dotted(str name):
    """Return module and function of a compiler-generated name."""
    parts = []
    rest = re.sub(r"^__pyx_f_", "", name)
    while rest != name and (match := re.match(r"(\d+)", rest)):
        rest = rest[match.end():]
        parts.append(rest[:int(match[1])])
        rest = rest[int(match[1]):].removeprefix("_")
    return ".".join([*parts, rest])
