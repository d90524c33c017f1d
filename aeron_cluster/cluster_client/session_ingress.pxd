"""Send a client's messages to the cluster under its session's header."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.client.publication cimport LogPublication
from aeron_cluster.codecs.session_header cimport SESSION_HEADER_LENGTH
from aeron_cluster.logbuffer.term_appender cimport byte_vector


@cython.final
cdef class SessionIngress:
    cdef uint8_t header[SESSION_HEADER_LENGTH]
    cdef readonly LogPublication publication
    cdef bint is_exclusive
    cdef readonly int64_t cluster_session_id
    cdef readonly int64_t leadership_term_id

    cdef int64_t _offer(
        self, LogPublication publication, byte_vector *vectors, int32_t count) except? -1
