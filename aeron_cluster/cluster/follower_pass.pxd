"""What a member does with each pass that follows a leader."""
from aeron_cluster.cluster.module_pass cimport module_pass


# Read on in the log, and commit what was read; returns how many fragments there were.
cdef int follow_log(module_pass *module) except -1 nogil

# Tell the leader how far the log is recorded, where there is something new, or it is time.
cdef int tell_append_position(module_pass *module) noexcept nogil
