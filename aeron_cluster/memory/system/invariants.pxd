"""Checks of what must hold in our own state, in every build; a broken one stops its agent.

A check never looks at what comes from elsewhere, a peer or a file: that is input, which is counted,
rejected or reported. It stands where the state is used, before anything is written by it:

- ``require(...)`` in a function that may raise: it raises, and nothing after it is done;
- ``if not holds(...): return ...`` in one that may not: it leaves the violation to the thread, and
  the function ends without doing its work. What drives the agent raises it after the pass, and
  never drives the agent again; a method of Python's calls `check_violations` where no agent's pass
  surrounds it.

Each names its PLACE, what must hold, what was found and what that was compared with.
"""
from libc.stdint cimport int32_t, int64_t


cdef extern from "aeron_cluster/check.h" nogil:
    const char *PLACE "AC_PLACE"
    bint IS_DEBUG "AC_IS_DEBUG"
    bint likely "ac_likely"(bint condition) noexcept

cdef extern from "aeron_cluster/atomic.h" nogil:
    int32_t ac_load_opaque_i32(const void *address) noexcept


# How many threads of the process have a violation that was not raised yet: no other state is
# shared, and passes without one pay no more than this load.
cdef int32_t violation_count

# Leave a violation to the thread, the first one it is; False.
cdef bint record_violation(
    const char *place, const char *invariant, int64_t found, int64_t bound) noexcept nogil
# Whether one is left to the thread.
cdef bint has_violation() noexcept nogil
# Raise InvariantViolatedError, for one that was left or for this one.
cdef int raise_recorded_violation() except -1 with gil
cdef int raise_violation(
    const char *place, const char *invariant, int64_t found, int64_t bound) except -1 with gil


cdef inline bint holds(
    bint condition, const char *place, const char *invariant, int64_t found, int64_t bound
) noexcept nogil:
    """Return whether an invariant holds; where it does not, leave that to the thread."""
    return likely(condition) or record_violation(place, invariant, found, bound)


cdef inline int require(
    bint condition, const char *place, const char *invariant, int64_t found, int64_t bound
) except -1 nogil:
    """Raise where an invariant does not hold."""
    if not likely(condition):
        return raise_violation(place, invariant, found, bound)
    return 0


cdef inline int check_violations() except -1 nogil:
    """Raise what a call left to the thread."""
    if not likely(ac_load_opaque_i32(&violation_count) == 0) and has_violation():
        return raise_recorded_violation()
    return 0
