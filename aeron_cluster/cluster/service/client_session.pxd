"""A client's session, for a service."""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.client.publication cimport Publication
from aeron_cluster.cluster.service.host cimport client_session, cluster_host
from aeron_cluster.memory.shared.mapped_file cimport MappedFile


@cython.final
cdef class ClientSession:
    cdef client_session c
    cdef cluster_host *host
    cdef object cluster  # the Cluster, which keeps the host alive
    cdef Publication egress  # keeps c.egress alive; None while not connected
    cdef MappedFile egress_log  # keeps the log of the egress mapped
    cdef bytes channel  # keeps the memory alive that c points to
    cdef bytes principal
    cdef bint is_failure_reported  # that the egress can never send a message

    cdef object _not_sent(self, int64_t result, Py_ssize_t length)
    cdef int _report_failure(self, object error, int64_t log_position) except -1
    # Report the first message of a native service that the egress can never take, if there is one.
    cdef int report_unsendable(self) except -1


# Text and principal are retained; `cluster` keeps the host alive.
cdef ClientSession new_session(
    cluster_host *host, object cluster, int64_t cluster_session_id, int32_t response_stream_id,
    bytes response_channel, bytes encoded_principal)

# The error for a call from a callback that may not send.
cdef object rejection(const char *callback)
