"""Report log positions to other members.

The frequent messages of ``io.aeron.cluster.ConsensusPublisher``. Each function returns whether the
message was sent; without a publication (NULL) it never is.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.client.publication cimport (
    exclusive_publication,
    exclusive_publication_try_claim,
)
from aeron_cluster.codecs.cluster_codecs cimport (
    APPEND_POSITION_BLOCK_LENGTH,
    COMMIT_POSITION_BLOCK_LENGTH,
    append_position_begin,
    append_position_put_flags,
    append_position_put_follower_member_id,
    append_position_put_leadership_term_id,
    append_position_put_log_position,
    commit_position_begin,
    commit_position_put_leader_member_id,
    commit_position_put_leadership_term_id,
    commit_position_put_log_position,
)
from aeron_cluster.codecs.sbe cimport MESSAGE_HEADER_LENGTH, sbe_writer
from aeron_cluster.logbuffer.term_appender cimport (
    ADMIN_ACTION,
    buffer_claim,
    claim_commit,
    claim_payload,
)


cdef enum:
    # The second attempt continues after a term rotation.
    SEND_ATTEMPTS = 2


cdef inline bint claim_message(
        exclusive_publication *to, int32_t block_length, buffer_claim *claim,
        sbe_writer *writer) noexcept nogil:
    cdef int32_t length = MESSAGE_HEADER_LENGTH + block_length
    cdef int64_t position
    if to == NULL:
        return False
    for _ in range(SEND_ATTEMPTS):
        position = exclusive_publication_try_claim(to, length, claim)
        if position > 0:
            writer.at = claim_payload(claim)
            writer.limit = writer.at + length
            return True
        if position != ADMIN_ACTION:
            break
    return False


cdef inline bint send_append_position(
        exclusive_publication *to, int64_t leadership_term_id, int64_t log_position,
        int32_t member_id, uint8_t flags) noexcept nogil:
    """Report a follower's append position to the leader."""
    cdef buffer_claim claim
    cdef sbe_writer writer
    cdef uint8_t *body
    if not claim_message(to, APPEND_POSITION_BLOCK_LENGTH, &claim, &writer):
        return False
    body = append_position_begin(&writer)
    append_position_put_leadership_term_id(body, leadership_term_id)
    append_position_put_log_position(body, log_position)
    append_position_put_follower_member_id(body, member_id)
    append_position_put_flags(body, flags)
    claim_commit(&claim)
    return True


cdef inline bint send_commit_position(
        exclusive_publication *to, int64_t leadership_term_id, int64_t log_position,
        int32_t member_id) noexcept nogil:
    """Send the commit position to a follower."""
    cdef buffer_claim claim
    cdef sbe_writer writer
    cdef uint8_t *body
    if not claim_message(to, COMMIT_POSITION_BLOCK_LENGTH, &claim, &writer):
        return False
    body = commit_position_begin(&writer)
    commit_position_put_leadership_term_id(body, leadership_term_id)
    commit_position_put_log_position(body, log_position)
    commit_position_put_leader_member_id(body, member_id)
    claim_commit(&claim)
    return True
