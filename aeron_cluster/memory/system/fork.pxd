from libc.stdint cimport int64_t


# How often this process is the child of a fork since the module was imported. An object keeps the
# number it was made under; another number now means that it belongs to the parent.
cdef int64_t fork_generation() noexcept nogil
cdef int check_not_forked(int64_t generation, object what) except -1
