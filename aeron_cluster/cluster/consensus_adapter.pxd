"""Take what the other members say."""
from aeron_cluster.cluster.module_pass cimport module_pass
from libc.stdint cimport int32_t


cdef void consensus_init(module_pass *module) noexcept nogil
cdef void consensus_free(module_pass *module) noexcept nogil
# Forget what began to come of a message in an image that is gone.
cdef void consensus_drop(module_pass *module, int32_t image_session_id) noexcept nogil

# One poll of stream 108; returns how many fragments there were.
cdef int poll_consensus(module_pass *module) except -1 nogil
