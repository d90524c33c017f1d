"""The sockets of a receive channel, and the frames sent back through them.

``ReceiveChannelEndpoint``, ``MultiRcvDestination``.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.driver.streams.agent_queue cimport spsc_queue
from aeron_cluster.driver.streams.stream_table cimport stream_table
from aeron_cluster.memory.shared.counters cimport CountersManager
from aeron_cluster.memory.system.seams cimport Network, address, network


cdef enum:
    MAX_TRANSPORT_COUNT = 64  # sockets of one receive endpoint
    MAX_SESSION_COUNT = 65536  # stored by one receive endpoint
    MAX_PENDING_SETUP_COUNT = 1024


cdef struct receive_transport:
    bint is_used
    bint is_polled
    bint has_explicit_control
    bint is_multicast
    int32_t multicast_ttl
    int32_t batch_count  # datagrams to receive at once
    int64_t handle
    int64_t registration_id
    address control_address  # family 0: replies are sent to the source
    int64_t last_activity_ns
    int64_t setup_deadline_ns  # of the next status message that elicits setup frames
    int64_t resolution_deadline_ns


cdef struct pending_setup:
    int32_t stream_id
    int32_t session_id
    int64_t deadline_ns


cdef struct receive_dispatcher:
    stream_table streams  # by (stream id, 0)
    stream_table sessions
    pending_setup *pending
    int32_t pending_count
    int32_t session_limit


cdef struct receive_endpoint:
    network network
    int64_t registration_id
    int64_t receiver_id
    int64_t group_tag
    bint has_group_tag
    int32_t transport_count  # slots ever used
    receive_transport transports[MAX_TRANSPORT_COUNT]
    receive_dispatcher dispatcher
    int64_t *status_counter
    uint8_t *system_counters
    spsc_queue *events
    void *owner


# Send one frame back; returns whether the socket accepted it.
cdef bint send_control(
    receive_endpoint *endpoint, int32_t transport_index, const address *remote, const void *frame,
    int32_t length) noexcept nogil
cdef bint send_status(
    receive_endpoint *endpoint, int32_t transport_index, const address *remote,
    int32_t session_id, int32_t stream_id, int32_t term_id, int32_t term_offset,
    int32_t window_length, uint8_t flags) noexcept nogil
# Elicit a setup frame from the sender of a stream; session and stream 0 match any.
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
    cdef Network _network  # needed for closing the sockets
    cdef CountersManager _counters  # the struct points into it

    cdef int _check_transport(self, int32_t transport_index) except -1
    cdef int32_t used_slot_count(self) noexcept
