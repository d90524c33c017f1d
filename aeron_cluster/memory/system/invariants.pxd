"""Invariant checks of internal state, in every build; a violation stops its agent.

A check never covers input from a peer or a file, which is counted, rejected or reported instead. It
is placed where the state is used, before anything is written with it:

- ``require(...)`` in a function that may raise: it raises, and nothing after it is done;
- ``if not holds(...): return ...`` in a function that may not: it records the violation for the
  thread, and the function returns without doing its work. The driver of the agent raises it after
  the duty cycle, and never drives the agent again; a Python method outside a duty cycle calls
  `check_violations`.

Each check states its PLACE, the invariant, the found value and the limit that it was compared with.
"""
from libc.stdint cimport int32_t, int64_t


cdef extern from "aeron_cluster/check.h" nogil:
    const char *PLACE "AC_PLACE"
    bint IS_DEBUG "AC_IS_DEBUG"
    bint likely "ac_likely"(bint condition) noexcept

cdef extern from "aeron_cluster/atomic.h" nogil:
    int32_t ac_load_opaque_i32(const void *address) noexcept


# The number of threads with a violation that was not raised yet: the only shared state, so a duty
# cycle without a violation only costs this load.
cdef int32_t violation_count

# Record a violation for the thread, if it is the first; returns False.
cdef bint record_violation(
    const char *place, const char *invariant, int64_t found, int64_t bound) noexcept nogil
# Whether the thread has a recorded violation.
cdef bint has_violation() noexcept nogil
# Raise InvariantViolatedError, for a recorded violation or this one.
cdef int raise_recorded_violation() except -1 with gil
cdef int raise_violation(
    const char *place, const char *invariant, int64_t found, int64_t bound) except -1 with gil


cdef inline bint holds(
    bint condition, const char *place, const char *invariant, int64_t found, int64_t bound
) noexcept nogil:
    """Return whether an invariant holds; if not, record the violation for the thread."""
    return likely(condition) or record_violation(place, invariant, found, bound)


cdef inline int require(
    bint condition, const char *place, const char *invariant, int64_t found, int64_t bound
) except -1 nogil:
    """Raise if an invariant does not hold."""
    if not likely(condition):
        return raise_violation(place, invariant, found, bound)
    return 0


cdef inline int check_violations() except -1 nogil:
    """Raise the recorded violation of a call, if any."""
    if not likely(ac_load_opaque_i32(&violation_count) == 0) and has_violation():
        return raise_recorded_violation()
    return 0
