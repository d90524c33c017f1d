"""Append to the log of the cluster as its leader."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from aeron_cluster.client.publication cimport (
    ExclusivePublication,
    exclusive_publication,
    exclusive_publication_offer_vectored,
    exclusive_publication_try_claim,
)
from aeron_cluster.codecs.session_header cimport SESSION_HEADER_LENGTH, put_session_header
from aeron_cluster.logbuffer.term_appender cimport (
    ADMIN_ACTION,
    CLOSED,
    buffer_claim,
    byte_vector,
    claim_commit,
    claim_payload,
)
from aeron_cluster.memory.shared.mapped_file cimport MappedFile


cdef enum:
    # The second attempt continues after a term rotation; the third is for concurrent publishers.
    APPEND_ATTEMPTS = 3


# One thread owns it.
cdef struct log_publisher:
    exclusive_publication *to  # NULL: not connected
    int64_t leadership_term_id
    # The status below ADMIN_ACTION of a failed append, for which retrying does not help. 0: none.
    int64_t failure


# Append a message in several frames.
cdef int64_t append_fragmented(
    log_publisher *log, int64_t cluster_session_id, int64_t timestamp, const uint8_t *payload,
    int32_t length
) noexcept nogil


cdef inline int64_t append_session_message(
        log_publisher *log, int64_t cluster_session_id, int64_t timestamp,
        const uint8_t *payload, int32_t length) noexcept nogil:
    """Append a message of a client or, with a negative id, of a service.

    Return the position after it, or an AppendStatus; one below ADMIN_ACTION is stored in `failure`.
    """
    cdef exclusive_publication *to = log.to
    cdef buffer_claim claim
    cdef uint8_t *at
    cdef int64_t position = CLOSED
    if to != NULL:
        if length > to.appender.log.max_payload_length - SESSION_HEADER_LENGTH:
            return append_fragmented(log, cluster_session_id, timestamp, payload, length)
        for _ in range(APPEND_ATTEMPTS):
            position = exclusive_publication_try_claim(to, length + SESSION_HEADER_LENGTH, &claim)
            if position > 0:
                at = claim_payload(&claim)
                put_session_header(at, log.leadership_term_id, cluster_session_id, timestamp)
                memcpy(at + SESSION_HEADER_LENGTH, payload, length)
                claim_commit(&claim)
                return position
            if position != ADMIN_ACTION:
                break
    if position < ADMIN_ACTION:
        log.failure = position
    return position


# Raise the `failure`, and clear it.
cdef int raise_log_failure(log_publisher *log) except -1 with gil


@cython.final
cdef class LogPublisher:
    cdef log_publisher c
    cdef ExclusivePublication publication_  # None: not connected
    cdef MappedFile mapping  # of its log

    cdef int64_t claim(self, int32_t length, buffer_claim *claim) except? -1
