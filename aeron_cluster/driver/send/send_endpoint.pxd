"""The sockets of a send channel, and the destinations of its datagrams.

``SendChannelEndpoint``, ``MultiSndDestination``.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.driver.streams.agent_queue cimport spsc_queue
from aeron_cluster.driver.streams.stream_table cimport stream_table
from aeron_cluster.memory.shared.counters cimport CountersManager
from aeron_cluster.memory.system.seams cimport Network, address, datagram, network


cpdef enum SendMode:
    SEND_CONNECTED = 0  # to one receiver or a multicast group
    SEND_MANUAL = 1  # to destinations added by command
    SEND_DYNAMIC = 2  # to destinations added by status messages
    SEND_RESPONSE = 3  # to the receiver that requested the setup frame


cpdef enum:
    MAX_DESTINATION_COUNT = 1024  # of one multi-destination endpoint


cdef struct send_destination:
    address address  # family 0: its name has not been resolved
    int64_t registration_id
    int64_t receiver_id
    int64_t last_activity_ns
    int64_t resolution_deadline_ns
    bint has_receiver_id


cdef struct send_endpoint:
    network network
    int64_t registration_id
    int64_t handle  # -1: closed
    int64_t control_handle  # for a multicast channel; else -1
    int32_t mode
    bint has_group_semantics
    bint is_multicast
    bint is_resolvable  # its remote address is a name
    send_destination *destinations
    int32_t destination_count
    int32_t destination_start
    int64_t *destinations_counter  # NULL: none is kept
    int64_t *status_counter
    uint8_t *system_counters
    int64_t last_status_message_ns
    stream_table publications
    spsc_queue *events  # to the conductor
    void *owner  # the Python object


# Send to all destinations; returns the number of datagrams, from the first, that every
# destination's socket accepted. A response is sent to the receiver that requested it (family 0:
# none yet).
cdef int send_datagrams(
    send_endpoint *endpoint, const address *response_address, datagram *datagrams, int count,
    int64_t now_ns) noexcept nogil

# Handle a status message: its sender is added to a dynamic endpoint, or marked as active in a
# manual one.
cdef void track_destination(
    send_endpoint *endpoint, int64_t receiver_id, const address *source, int64_t now_ns
) noexcept nogil

cdef bint add_destination(
    send_endpoint *endpoint, const address *remote, int64_t registration_id, int64_t now_ns
) noexcept nogil
cdef bint remove_destination(
    send_endpoint *endpoint, int64_t registration_id) noexcept nogil
# The manual destination with an address or an id, or NULL.
cdef send_destination *destination_of_receiver(
    send_endpoint *endpoint, int64_t receiver_id, const address *source) noexcept nogil
cdef send_destination *destination_of_id(
    send_endpoint *endpoint, int64_t registration_id) noexcept nogil


@cython.final
cdef class SendEndpoint:
    cdef send_endpoint c
    cdef Network _network  # needed for closing the sockets
    cdef CountersManager _counters  # the struct points into it

    cdef int _close_sockets(self) except? -1
