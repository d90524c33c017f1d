from libc.stdint cimport int64_t


# Seam functions return a negated errno value on failure. Only these functions convert such a value
# to an exception.

# Returns the result if it is not negative; otherwise raises for `what` (a path, an address).
cdef int64_t check(int64_t result, object what) except -1

# The same for a caller without the GIL; `what` is UTF-8 and may be NULL.
cdef int raise_errno(int errno_, const char *what) except -1 with gil


cdef inline int64_t check_nogil(int64_t result, const char *what) except -1 nogil:
    if result < 0:
        raise_errno(<int>-result, what)
        return -1
    return result
