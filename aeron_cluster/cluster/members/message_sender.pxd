"""The member id in a consensus message."""
from libc.stdint cimport int32_t

from aeron_cluster.codecs.cluster_codecs cimport (
    APPEND_POSITION_TEMPLATE_ID,
    CANVASS_POSITION_TEMPLATE_ID,
    CATCHUP_POSITION_TEMPLATE_ID,
    COMMIT_POSITION_TEMPLATE_ID,
    NEW_LEADERSHIP_TERM_TEMPLATE_ID,
    REQUEST_VOTE_TEMPLATE_ID,
    TERMINATION_ACK_TEMPLATE_ID,
    VOTE_TEMPLATE_ID,
    append_position_follower_member_id,
    canvass_position_follower_member_id,
    catchup_position_follower_member_id,
    commit_position_leader_member_id,
    new_leadership_term_leader_member_id,
    request_vote_candidate_member_id,
    termination_ack_member_id,
    vote_follower_member_id,
)
from aeron_cluster.codecs.sbe cimport sbe_message


cdef enum:
    NO_SENDER = -0x8000_0000  # SBE's null: the message has no id, or is truncated


cdef inline int32_t sender_id(const sbe_message *message) noexcept nogil:
    """Return the sender's member id in a message, or NO_SENDER."""
    cdef int32_t found = NO_SENDER
    if message.template_id == APPEND_POSITION_TEMPLATE_ID:
        found = append_position_follower_member_id(
            message.body, message.block_length, message.version)
    elif message.template_id == COMMIT_POSITION_TEMPLATE_ID:
        found = commit_position_leader_member_id(
            message.body, message.block_length, message.version)
    elif message.template_id == CANVASS_POSITION_TEMPLATE_ID:
        found = canvass_position_follower_member_id(
            message.body, message.block_length, message.version)
    elif message.template_id == REQUEST_VOTE_TEMPLATE_ID:
        found = request_vote_candidate_member_id(
            message.body, message.block_length, message.version)
    elif message.template_id == VOTE_TEMPLATE_ID:
        found = vote_follower_member_id(message.body, message.block_length, message.version)
    elif message.template_id == NEW_LEADERSHIP_TERM_TEMPLATE_ID:
        found = new_leadership_term_leader_member_id(
            message.body, message.block_length, message.version)
    elif message.template_id == CATCHUP_POSITION_TEMPLATE_ID:
        found = catchup_position_follower_member_id(
            message.body, message.block_length, message.version)
    elif message.template_id == TERMINATION_ACK_TEMPLATE_ID:
        found = termination_ack_member_id(message.body, message.block_length, message.version)
    return found
