"""A stream that the sender sends: data, set-ups, heartbeats, retransmits, and who listens.

``NetworkPublication``.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.driver.streams.data_plane cimport network_publication
from aeron_cluster.driver.streams.raw_log cimport RawLog
from aeron_cluster.driver.send.send_endpoint cimport SendEndpoint
from aeron_cluster.memory.counters cimport CountersManager
from aeron_cluster.memory.seams cimport address


# ---- the sender's; frames have been checked for their length ----

# The publication's share of a pass: the bytes of data (with padding) or of a heartbeat.
cdef int send_publication(network_publication *publication, int64_t now_ns) noexcept nogil
cdef void on_publication_status(
    network_publication *publication, const uint8_t *packet, int32_t length,
    const address *source, int64_t now_ns) noexcept nogil
# Whether a status message is too far from the sender's position to be of this stream.
cdef bint is_status_rejected(
    network_publication *publication, const uint8_t *packet) noexcept nogil
# False where the range lies outside its term.
cdef bint on_publication_nak(
    network_publication *publication, const uint8_t *packet, int64_t now_ns) noexcept nogil
cdef void on_publication_error(
    network_publication *publication, const uint8_t *packet, int32_t length,
    const address *source, int64_t now_ns) noexcept nogil
cdef void on_publication_rtt(
    network_publication *publication, const uint8_t *packet, int64_t now_ns) noexcept nogil

# ---- the conductor's ----

# Position, limit, cleaning; the count of limits moved.
cdef int update_publication_limits(network_publication *publication) noexcept nogil
# What is to be done now and then while it is active and moves; whether that was all.
cdef bint tend_network_publication(
    network_publication *publication, int64_t now_ns) noexcept nogil


@cython.final
cdef class NetworkPublication:
    cdef network_publication *c
    cdef RawLog _log  # the struct points into it
    cdef CountersManager _counters  # the same
    cdef SendEndpoint _endpoint  # the same
    cdef bint _is_closed

    cdef network_publication *_open(self) except NULL
