from libc.stdint cimport int64_t


# Every seam function returns a negated errno value where it failed. These are the only doors
# through which such a value becomes an exception.

# Returns a result that is not negative; raises for `what` (a path, an address) otherwise.
cdef int64_t check(int64_t result, object what) except -1

# The same for a caller without the GIL; `what` is UTF-8 and may be NULL.
cdef int raise_errno(int errno_, const char *what) except -1 with gil


cdef inline int64_t check_nogil(int64_t result, const char *what) except -1 nogil:
    if result < 0:
        raise_errno(<int>-result, what)
        return -1
    return result
