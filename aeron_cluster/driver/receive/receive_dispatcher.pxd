"""Dispatch datagrams to images, and handle those without one.

``DataPacketDispatcher``.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.driver.receive.publication_image cimport publication_image
from aeron_cluster.driver.receive.receive_endpoint cimport receive_endpoint
from aeron_cluster.memory.system.seams cimport address


# All functions are for the receiver.

# Dispatch one datagram; lengths and version are checked here.
cdef void dispatch_packet(
    receive_endpoint *endpoint, int32_t transport_index, const uint8_t *packet, int32_t length,
    const address *source, int64_t now_ns) noexcept nogil

# Add interest in a stream, or in one session of it. Returns False if memory is exhausted.
cdef bint add_interest(
    receive_endpoint *endpoint, int32_t stream_id, bint has_session, int32_t session_id
) noexcept nogil
cdef void remove_interest(
    receive_endpoint *endpoint, int32_t stream_id, bint has_session, int32_t session_id,
    int64_t now_ns) noexcept nogil
cdef bint has_interest(receive_endpoint *endpoint) noexcept nogil

cdef bint dispatch_to_image(publication_image *image) noexcept nogil
cdef void forget_image(publication_image *image) noexcept nogil
cdef void forget_init_in_progress(
    receive_endpoint *endpoint, int32_t stream_id, int32_t session_id) noexcept nogil
cdef void forget_cool_down(
    receive_endpoint *endpoint, int32_t stream_id, int32_t session_id) noexcept nogil

# Pending setup frames expire; setup frames are elicited again from explicit control addresses.
cdef int check_setups(receive_endpoint *endpoint, int64_t now_ns) noexcept nogil
