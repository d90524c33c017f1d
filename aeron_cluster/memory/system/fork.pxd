from libc.stdint cimport int64_t


# The number of forks between the import of the module and this process. An object stores the number
# at its creation; a different number now means that it belongs to the parent.
cdef int64_t fork_generation() noexcept nogil
cdef int check_not_forked(int64_t generation, object what) except -1
