"""Take what clients say to their leader."""
from aeron_cluster.cluster.module_pass cimport module_pass
from libc.stdint cimport int32_t


# Set up what puts the fragments of each ingress subscription together; give its buffers back.
cdef void ingress_init(module_pass *module) noexcept nogil
cdef void ingress_free(module_pass *module) noexcept nogil
# Forget what began to come of a message in an image that is gone.
cdef void ingress_drop(module_pass *module, int32_t image_session_id) noexcept nogil

# One poll of an ingress subscription; returns how many fragments there were.
cdef int poll_ingress(module_pass *module, int index) except -1 nogil
