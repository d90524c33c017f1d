"""The sockets of a send channel and where its datagrams go.

``SendChannelEndpoint``, ``MultiSndDestination``.
"""
cimport cython
from libc.stdint cimport int64_t

from aeron_cluster.driver.streams.data_plane cimport send_destination, send_endpoint
from aeron_cluster.memory.counters cimport CountersManager
from aeron_cluster.memory.seams cimport Network, address, datagram


# Send to everyone; how many datagrams, from the first, everyone's socket took.
cdef int send_datagrams(
    send_endpoint *endpoint, datagram *datagrams, int count, int64_t now_ns) noexcept nogil

# A status message came: a dynamic endpoint gains its sender, a manual one knows it is alive.
cdef void track_destination(
    send_endpoint *endpoint, int64_t receiver_id, const address *source, int64_t now_ns
) noexcept nogil

cdef bint add_destination(
    send_endpoint *endpoint, const address *remote, int64_t registration_id, int64_t now_ns
) noexcept nogil
cdef bint remove_destination(send_endpoint *endpoint, const address *remote) noexcept nogil
cdef bint remove_destination_by_id(
    send_endpoint *endpoint, int64_t registration_id) noexcept nogil
# The manual destination of a receiver or an id, or NULL.
cdef send_destination *destination_of_receiver(
    send_endpoint *endpoint, int64_t receiver_id, const address *source) noexcept nogil
cdef send_destination *destination_of_id(
    send_endpoint *endpoint, int64_t registration_id) noexcept nogil


@cython.final
cdef class SendEndpoint:
    cdef send_endpoint c
    cdef Network _network  # its table closes the sockets
    cdef CountersManager _counters  # the struct points into it

    cdef int _close_sockets(self) except? -1
