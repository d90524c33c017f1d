"""Send a client's messages to the cluster under its session's header."""
cimport cython
from libc.stdint cimport int64_t, uint8_t

from aeron_cluster.client.publication cimport LogPublication
from aeron_cluster.codecs.session_header cimport SESSION_HEADER_LENGTH


@cython.final
cdef class SessionIngress:
    cdef uint8_t header[SESSION_HEADER_LENGTH]
    cdef readonly LogPublication publication
    cdef bint is_exclusive
    cdef readonly int64_t cluster_session_id
    cdef readonly int64_t leadership_term_id
