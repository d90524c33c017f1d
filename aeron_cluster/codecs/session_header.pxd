"""The header before each message of a session: in ingress, in the log and in egress."""
from libc.stdint cimport int64_t, uint8_t

from aeron_cluster.codecs.cluster_codecs cimport (
    session_message_header_begin,
    session_message_header_put_cluster_session_id,
    session_message_header_put_leadership_term_id,
    session_message_header_put_timestamp,
)
from aeron_cluster.codecs.sbe cimport sbe_writer


cdef enum:
    SESSION_HEADER_LENGTH = 32  # message header and SessionMessageHeader


cdef inline void put_session_header(
        uint8_t *at, int64_t leadership_term_id, int64_t cluster_session_id,
        int64_t timestamp) noexcept nogil:
    cdef sbe_writer writer
    cdef uint8_t *body
    writer.at = at
    writer.limit = at + SESSION_HEADER_LENGTH
    body = session_message_header_begin(&writer)
    session_message_header_put_leadership_term_id(body, leadership_term_id)
    session_message_header_put_cluster_session_id(body, cluster_session_id)
    session_message_header_put_timestamp(body, timestamp)
