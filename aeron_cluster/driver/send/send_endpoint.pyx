"""The sockets of a send channel, and the destinations of its datagrams.

``SendChannelEndpoint``, ``MultiSndDestination``.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from aeron_cluster.driver.streams.counter_values cimport count, value_address
from aeron_cluster.driver.streams.stream_table cimport table_free
from aeron_cluster.memory.shared.atomic cimport store_release_i64
from aeron_cluster.memory.shared.counters cimport CountersManager
from aeron_cluster.memory.shared.counters_layout cimport SYSTEM_SHORT_SENDS
from aeron_cluster.memory.system.check cimport check
from aeron_cluster.memory.system.invariants cimport PLACE, holds
from aeron_cluster.memory.system.seams cimport (
    Network,
    address,
    address_equals,
    address_from,
    address_to,
    datagram,
    socket_options,
)

from aeron_cluster.errors import ConfigurationError

# Not an enumerator: one beyond the range of int would make its expressions unsigned.
cdef int64_t DESTINATION_TIMEOUT_NS = 5_000_000_000


cdef int send_datagrams(
        send_endpoint *endpoint, const address *response_address, datagram *datagrams,
        int item_count, int64_t now_ns) noexcept nogil:
    cdef int sent
    cdef int index
    if endpoint.mode == SEND_CONNECTED:
        sent = endpoint.network.ops.send(
            endpoint.network.state, endpoint.handle, datagrams, item_count)
        # A socket error is not an error of the stream: the receiver is missing, or the network is
        # down.
        return sent if sent > 0 else 0
    if endpoint.mode == SEND_RESPONSE:
        if response_address.family == 0:
            return 0
        for index in range(item_count):
            datagrams[index].address = response_address[0]
        sent = endpoint.network.ops.send(
            endpoint.network.state, endpoint.handle, datagrams, item_count)
        return sent if sent > 0 else 0
    return send_to_destinations(endpoint, datagrams, item_count, now_ns)


cdef int send_to_destinations(
        send_endpoint *endpoint, datagram *datagrams, int item_count, int64_t now_ns
) noexcept nogil:
    cdef int32_t position
    cdef int32_t index
    cdef int item
    cdef int sent
    cdef int fewest = item_count
    cdef send_destination *destination
    if not holds(
        0 <= endpoint.destination_count <= MAX_DESTINATION_COUNT, PLACE,
        "each destination has an entry", endpoint.destination_count, MAX_DESTINATION_COUNT,
    ):
        return 0
    if endpoint.mode == SEND_DYNAMIC:
        expire_destinations(endpoint, now_ns)
    if endpoint.destination_start >= endpoint.destination_count:
        endpoint.destination_start = 0
    for position in range(endpoint.destination_count):
        index = endpoint.destination_start + position
        if index >= endpoint.destination_count:
            index -= endpoint.destination_count
        destination = &endpoint.destinations[index]
        if destination.address.family == 0:
            continue
        for item in range(item_count):
            datagrams[item].address = destination.address
        sent = endpoint.network.ops.send(
            endpoint.network.state, endpoint.handle, datagrams, item_count)
        if sent < 0:
            # A destination without a route must not stop the others: it recovers lost data by NAKs.
            count(endpoint.system_counters, SYSTEM_SHORT_SENDS, 1)
        elif sent < fewest:
            fewest = sent
    endpoint.destination_start += 1
    return fewest


cdef inline void publish_destination_count(send_endpoint *endpoint) noexcept nogil:
    if endpoint.destinations_counter != NULL:
        store_release_i64(endpoint.destinations_counter, endpoint.destination_count)


cdef inline void drop_destination(send_endpoint *endpoint, int32_t index) noexcept nogil:
    if not holds(
        0 <= index < endpoint.destination_count, PLACE, "a dropped entry is in its list", index,
        endpoint.destination_count,
    ):
        return
    endpoint.destination_count -= 1
    endpoint.destinations[index] = endpoint.destinations[endpoint.destination_count]
    publish_destination_count(endpoint)


cdef void expire_destinations(send_endpoint *endpoint, int64_t now_ns) noexcept nogil:
    cdef int32_t index
    for index in range(endpoint.destination_count - 1, -1, -1):
        if now_ns - (endpoint.destinations[index].last_activity_ns + DESTINATION_TIMEOUT_NS) > 0:
            drop_destination(endpoint, index)


cdef void track_destination(
        send_endpoint *endpoint, int64_t receiver_id, const address *source, int64_t now_ns
) noexcept nogil:
    cdef send_destination *destination
    if endpoint.mode == SEND_DYNAMIC:
        destination = destination_of_receiver(endpoint, receiver_id, source)
        if destination == NULL:
            if not add_destination(endpoint, source, -1, now_ns):
                return
            destination = &endpoint.destinations[endpoint.destination_count - 1]
            destination.receiver_id = receiver_id
            destination.has_receiver_id = True
        destination.last_activity_ns = now_ns
    elif endpoint.mode == SEND_MANUAL:
        destination = destination_of_receiver(endpoint, receiver_id, source)
        if destination != NULL:
            destination.receiver_id = receiver_id
            destination.has_receiver_id = True
            destination.last_activity_ns = now_ns


cdef bint add_destination(
        send_endpoint *endpoint, const address *remote, int64_t registration_id, int64_t now_ns
) noexcept nogil:
    cdef send_destination *destination
    if endpoint.destination_count == MAX_DESTINATION_COUNT:
        return False
    destination = &endpoint.destinations[endpoint.destination_count]
    memset(destination, 0, sizeof(send_destination))
    destination.address = remote[0]
    destination.registration_id = registration_id
    destination.last_activity_ns = now_ns
    destination.resolution_deadline_ns = now_ns + DESTINATION_TIMEOUT_NS
    endpoint.destination_count += 1
    publish_destination_count(endpoint)
    return True


cdef bint remove_destination(
        send_endpoint *endpoint, int64_t registration_id) noexcept nogil:
    cdef send_destination *destination = destination_of_id(endpoint, registration_id)
    if destination == NULL:
        return False
    drop_destination(endpoint, <int32_t>(destination - endpoint.destinations))
    return True


cdef send_destination *destination_of_receiver(
        send_endpoint *endpoint, int64_t receiver_id, const address *source) noexcept nogil:
    cdef int32_t index
    cdef send_destination *destination
    cdef send_destination *by_address = NULL
    for index in range(endpoint.destination_count):
        destination = &endpoint.destinations[index]
        if (destination.has_receiver_id and destination.receiver_id == receiver_id
                and destination.address.port == source.port):
            return destination
        # A receiver that was started again has another id.
        if by_address == NULL and address_equals(&destination.address, source):
            by_address = destination
    return by_address


cdef send_destination *destination_of_id(
        send_endpoint *endpoint, int64_t registration_id) noexcept nogil:
    cdef int32_t index
    for index in range(endpoint.destination_count):
        if endpoint.destinations[index].registration_id == registration_id:
            return &endpoint.destinations[index]
    return NULL


@cython.final
@cython.no_gc_clear  # the network is needed for closing sockets
cdef class SendEndpoint:
    """The sockets of one send channel, and the destinations of its datagrams.

    Parameters
    ----------
    network
        The network that opens sockets.
    counters
        The driver's counters.
    registration_id
        The registration id of the command that opened the endpoint.
    mode
        A ``SendMode``.
    has_group_semantics
        Whether there may be more than one receiver.
    is_multicast
        Whether the remote address is a group.
    is_resolvable
        Whether the remote address is a name, to be resolved again when inactive.
    status_counter_id, destinations_counter_id
        The channel's counters; -1 for none.
    """

    def __cinit__(
        self,
        Network network not None,
        CountersManager counters not None,
        *,
        int64_t registration_id,
        int32_t mode,
        bint has_group_semantics=False,
        bint is_multicast=False,
        bint is_resolvable=False,
        int32_t status_counter_id=-1,
        int32_t destinations_counter_id=-1,
    ):
        cdef send_endpoint *c = &self.c
        c.handle = -1
        c.control_handle = -1
        c.network = network.c
        self._network = network
        self._counters = counters
        c.owner = <void *>self
        c.registration_id = registration_id
        if mode not in (SEND_CONNECTED, SEND_MANUAL, SEND_DYNAMIC, SEND_RESPONSE):
            raise ConfigurationError("mode", "a SendMode", mode)
        c.mode = mode
        c.has_group_semantics = has_group_semantics
        c.is_multicast = is_multicast
        c.is_resolvable = is_resolvable
        c.system_counters = <uint8_t *>value_address(counters, 0)
        c.status_counter = value_address(counters, status_counter_id)
        c.destinations_counter = value_address(counters, destinations_counter_id)
        if mode == SEND_MANUAL or mode == SEND_DYNAMIC:
            c.destinations = <send_destination *>calloc(
                MAX_DESTINATION_COUNT, sizeof(send_destination))
            if c.destinations == NULL:
                raise MemoryError

    def __dealloc__(self):
        self._close_sockets()
        free(self.c.destinations)
        table_free(&self.c.publications)

    cdef int _close_sockets(self) except? -1:
        if self.c.control_handle >= 0:
            self.c.network.ops.close(self.c.network.state, self.c.control_handle)
            self.c.control_handle = -1
        if self.c.handle >= 0:
            self.c.network.ops.close(self.c.network.state, self.c.handle)
            self.c.handle = -1
        return 0

    @property
    def registration_id(self):
        return self.c.registration_id

    @property
    def mode(self):
        """Return the ``SendMode``."""
        return self.c.mode

    def open(
        self,
        *,
        bind=None,
        connect=None,
        control_bind=None,
        control_group=None,
        multicast_interface=None,
        int32_t multicast_ttl=0,
        int32_t send_buffer_length=0,
        int32_t receive_buffer_length=0,
    ):
        """Open the data socket, and the control socket of a multicast channel.

        Addresses are ``(host, port)`` with a literal host, lengths bytes.

        Raises
        ------
        OSError
            The system rejected it; nothing remains open.
        """
        cdef socket_options options
        memset(&options, 0, sizeof(options))
        address_from(bind, &options.bind)
        address_from(connect, &options.connect)
        address_from(multicast_interface, &options.multicast_interface)
        options.multicast_ttl = multicast_ttl
        options.send_buffer_length = send_buffer_length
        options.receive_buffer_length = receive_buffer_length
        self.c.handle = check(
            self.c.network.ops.open(self.c.network.state, &options),
            f"send endpoint {bind} to {connect}")
        if control_group is None:
            return
        memset(&options.connect, 0, sizeof(address))
        address_from(control_bind, &options.bind)
        address_from(control_group, &options.multicast_group)
        options.reuse_address = True
        try:
            self.c.control_handle = check(
                self.c.network.ops.open(self.c.network.state, &options),
                f"control socket {control_bind} of group {control_group}")
        except OSError:
            self._close_sockets()
            raise

    @property
    def local_address(self):
        """Return the bound address of the data socket, or None if it is closed."""
        cdef address local
        if self.c.handle < 0:
            return None
        check(
            self.c.network.ops.local_address(self.c.network.state, self.c.handle, &local),
            "local address")
        return address_to(&local)

    @property
    def buffer_lengths(self):
        """Return SO_SNDBUF and SO_RCVBUF of the data socket, bytes."""
        cdef int32_t send = 0
        cdef int32_t receive = 0
        if self.c.handle >= 0:
            check(
                self.c.network.ops.buffer_lengths(
                    self.c.network.state, self.c.handle, &send, &receive),
                "socket buffer lengths")
        return send, receive

    @property
    def destination_count(self):
        return self.c.destination_count

    @property
    def is_open(self):
        return self.c.handle >= 0

    def close(self):
        """Close the sockets; only after the sender has released the endpoint."""
        self._close_sockets()
