"""Handle messages of other members."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from aeron_cluster.client.subscription cimport subscription_poller
from aeron_cluster.cluster.agent.follower_pass cimport follower_state
from aeron_cluster.cluster.agent.leadership_view cimport leadership_view
from aeron_cluster.cluster.agent.module_core cimport module_core
from aeron_cluster.cluster.members.member_progress cimport cluster_members
from aeron_cluster.events.event_log cimport event_log
from aeron_cluster.logbuffer.fragment_assembler cimport fragment_assembler


cdef enum:
    MAX_AUTHORIZATIONS = 32


# The members that may send on an image of the consensus stream.
cdef struct sender_authorization:
    const void *image  # its address, valid while the images stay the same; or NULL
    int64_t correlation_id
    uint64_t members  # bits by index of a member


# One thread owns it.
cdef struct consensus_state:
    module_core *core
    const leadership_view *leadership
    cluster_members *members
    follower_state *follower
    subscription_poller *subscription  # or NULL
    sender_authorization authorizations[MAX_AUTHORIZATIONS]
    int32_t authorization_count
    int64_t image_list_version  # version of the image list that they belong to
    fragment_assembler assembler
    # Only with `consensus_log_positions`.
    event_log *events
    int32_t own_id


cdef void consensus_init(consensus_state *consensus) noexcept nogil
# Record all positions of members that are received as events.
cdef void consensus_log_positions(
    consensus_state *consensus, event_log *events, int32_t own_id) noexcept nogil
cdef void consensus_free(consensus_state *consensus) noexcept nogil
# Drop the partial message of a closed image.
cdef void consensus_drop(consensus_state *consensus, int32_t image_session_id) noexcept nogil

# One poll of stream 108; returns the number of fragments.
cdef int poll_consensus(consensus_state *consensus) except -1 nogil
