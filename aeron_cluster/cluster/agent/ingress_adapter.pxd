"""Handle messages of clients to the leader."""
from libc.stdint cimport int32_t

from aeron_cluster.client.subscription cimport subscription_poller
from aeron_cluster.cluster.agent.leadership_view cimport leadership_view
from aeron_cluster.cluster.agent.module_core cimport module_core
from aeron_cluster.cluster.log.log_publisher cimport log_publisher
from aeron_cluster.cluster.state.session_table cimport session_table
from aeron_cluster.logbuffer.fragment_assembler cimport fragment_assembler


cdef enum:
    MAX_INGRESS = 2  # over UDP and over IPC


# One thread owns it.
cdef struct ingress_state:
    module_core *core
    const leadership_view *leadership
    session_table *sessions
    log_publisher *log
    subscription_poller *subscriptions[MAX_INGRESS]
    int32_t count
    int32_t fragment_limit  # of each subscription per duty cycle
    bint accepts_extension_schemas  # messages of other schemas go to an extension
    fragment_assembler assemblers[MAX_INGRESS]


# Set up the reassembly of each subscription's fragments; free its buffers.
cdef void ingress_init(ingress_state *ingress) noexcept nogil
cdef void ingress_free(ingress_state *ingress) noexcept nogil
# Drop the partial message of a closed image.
cdef void ingress_drop(ingress_state *ingress, int32_t image_session_id) noexcept nogil

# One poll of an ingress subscription; returns the number of fragments.
cdef int poll_ingress(ingress_state *ingress, int index) except -1 nogil
