"""Take what services say to the consensus module beside them."""
from aeron_cluster.cluster.module_pass cimport module_pass


cdef void control_init(module_pass *module) noexcept nogil
cdef void control_free(module_pass *module) noexcept nogil

# One poll of stream 105; returns how many fragments there were.
cdef int poll_control(module_pass *module) except -1 nogil
