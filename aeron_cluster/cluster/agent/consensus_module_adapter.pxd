"""Handle messages of services to the consensus module of their node."""
from libc.stdint cimport int32_t

from aeron_cluster.client.subscription cimport subscription_poller
from aeron_cluster.cluster.agent.module_core cimport module_core
from aeron_cluster.cluster.log.pending_service_messages cimport pending_messages
from aeron_cluster.logbuffer.fragment_assembler cimport fragment_assembler


# One thread owns it.
cdef struct control_state:
    module_core *core
    pending_messages **trackers  # by service id
    int32_t tracker_count
    subscription_poller *subscription  # or NULL
    fragment_assembler assembler


cdef void control_init(control_state *control) noexcept nogil
cdef void control_free(control_state *control) noexcept nogil

# One poll of stream 105; returns the number of fragments.
cdef int poll_control(control_state *control) except -1 nogil
