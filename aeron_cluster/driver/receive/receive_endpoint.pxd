"""The sockets of a receive channel and the frames that go back through them.

``ReceiveChannelEndpoint``, ``MultiRcvDestination``.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.driver.streams.data_plane cimport receive_endpoint
from aeron_cluster.memory.counters cimport CountersManager
from aeron_cluster.memory.seams cimport Network, address


# Send one frame back; whether the socket took it.
cdef bint send_control(
    receive_endpoint *endpoint, int32_t transport_index, const address *remote, const void *frame,
    int32_t length) noexcept nogil
cdef bint send_status(
    receive_endpoint *endpoint, int32_t transport_index, const address *remote,
    int32_t session_id, int32_t stream_id, int32_t term_id, int32_t term_offset,
    int32_t window_length, uint8_t flags) noexcept nogil
# Ask the sender of a stream for a set-up frame; session and stream 0 ask for any.
cdef bint elicit_setup(
    receive_endpoint *endpoint, int32_t transport_index, const address *remote,
    int32_t session_id, int32_t stream_id) noexcept nogil
cdef bint send_nak(
    receive_endpoint *endpoint, int32_t transport_index, const address *remote,
    int32_t session_id, int32_t stream_id, int32_t term_id, int32_t term_offset,
    int32_t length) noexcept nogil
cdef bint send_rtt(
    receive_endpoint *endpoint, int32_t transport_index, const address *remote,
    int32_t session_id, int32_t stream_id, int64_t echo_timestamp_ns, int64_t receiver_id,
    uint8_t flags) noexcept nogil
cdef bint send_response_setup(
    receive_endpoint *endpoint, int32_t transport_index, const address *remote,
    int32_t session_id, int32_t stream_id, int32_t response_session_id) noexcept nogil
cdef bint send_error(
    receive_endpoint *endpoint, int32_t transport_index, const address *remote,
    int32_t session_id, int32_t stream_id, int32_t error_code, const uint8_t *text,
    int32_t text_length) noexcept nogil


@cython.final
cdef class ReceiveEndpoint:
    cdef receive_endpoint *c
    cdef Network _network  # its table closes the sockets
    cdef CountersManager _counters  # the struct points into it

    cdef int _check_transport(self, int32_t transport_index) except -1
