"""The sockets of a receive channel, and the frames sent back through them.

``ReceiveChannelEndpoint``, ``MultiRcvDestination``.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from aeron_cluster.driver.streams.agent_events cimport TEXT_CAPACITY
from aeron_cluster.driver.streams.counter_values cimport count, value_address
from aeron_cluster.driver.streams.stream_table cimport table_free
from aeron_cluster.logbuffer.frames cimport (
    ERROR_FLAG_HAS_GROUP_TAG,
    FRAME_ERROR,
    FRAME_NAK,
    FRAME_RESPONSE_SETUP,
    FRAME_RTT_MEASUREMENT,
    FRAME_STATUS_MESSAGE,
    FRAME_VERSION,
    STATUS_FLAG_SEND_SETUP,
    STATUS_FRAME_WITH_TAG_LENGTH,
    error_frame,
    frame_header,
    nak_frame,
    response_setup_frame,
    rtt_frame,
    status_frame,
)
from aeron_cluster.memory.shared.counters cimport CountersManager
from aeron_cluster.memory.shared.counters_layout cimport SYSTEM_SHORT_SENDS
from aeron_cluster.memory.system.check cimport check
from aeron_cluster.memory.system.seams cimport (
    Network,
    address,
    address_from,
    address_to,
    datagram,
    socket_options,
)

from aeron_cluster.errors import ConfigurationError


cdef bint send_control(
        receive_endpoint *endpoint, int32_t transport_index, const address *remote,
        const void *frame, int32_t length) noexcept nogil:
    cdef datagram item
    cdef receive_transport *transport = &endpoint.transports[transport_index]
    if not transport.is_used or transport.handle < 0 or remote.family == 0:
        return False
    item.data = <uint8_t *>frame
    item.length = length
    item.address = remote[0]
    if endpoint.network.ops.send(endpoint.network.state, transport.handle, &item, 1) == 1:
        return True
    count(endpoint.system_counters, SYSTEM_SHORT_SENDS, 1)
    return False


cdef inline void set_header(
        frame_header *header, int32_t length, uint8_t flags, int type) noexcept nogil:
    header.frame_length = length
    header.version = FRAME_VERSION
    header.flags = flags
    header.type = <unsigned short>type


cdef bint send_status(
        receive_endpoint *endpoint, int32_t transport_index, const address *remote,
        int32_t session_id, int32_t stream_id, int32_t term_id, int32_t term_offset,
        int32_t window_length, uint8_t flags) noexcept nogil:
    cdef uint8_t packet[STATUS_FRAME_WITH_TAG_LENGTH]
    cdef status_frame *frame = <status_frame *>packet
    cdef int32_t length = sizeof(status_frame)
    if endpoint.has_group_tag:
        length = STATUS_FRAME_WITH_TAG_LENGTH
        memcpy(packet + sizeof(status_frame), &endpoint.group_tag, sizeof(int64_t))
    set_header(&frame.header, length, flags, FRAME_STATUS_MESSAGE)
    frame.session_id = session_id
    frame.stream_id = stream_id
    frame.consumption_term_id = term_id
    frame.consumption_term_offset = term_offset
    frame.receiver_window_length = window_length
    frame.receiver_id = endpoint.receiver_id
    return send_control(endpoint, transport_index, remote, packet, length)


cdef bint elicit_setup(
        receive_endpoint *endpoint, int32_t transport_index, const address *remote,
        int32_t session_id, int32_t stream_id) noexcept nogil:
    return send_status(
        endpoint, transport_index, remote, session_id, stream_id, 0, 0, 0,
        STATUS_FLAG_SEND_SETUP)


cdef bint send_nak(
        receive_endpoint *endpoint, int32_t transport_index, const address *remote,
        int32_t session_id, int32_t stream_id, int32_t term_id, int32_t term_offset,
        int32_t length) noexcept nogil:
    cdef nak_frame frame
    set_header(&frame.header, sizeof(nak_frame), 0, FRAME_NAK)
    frame.session_id = session_id
    frame.stream_id = stream_id
    frame.term_id = term_id
    frame.term_offset = term_offset
    frame.length = length
    return send_control(endpoint, transport_index, remote, &frame, sizeof(nak_frame))


cdef bint send_rtt(
        receive_endpoint *endpoint, int32_t transport_index, const address *remote,
        int32_t session_id, int32_t stream_id, int64_t echo_timestamp_ns, int64_t receiver_id,
        uint8_t flags) noexcept nogil:
    cdef rtt_frame frame
    set_header(&frame.header, sizeof(rtt_frame), flags, FRAME_RTT_MEASUREMENT)
    frame.session_id = session_id
    frame.stream_id = stream_id
    frame.echo_timestamp_ns = echo_timestamp_ns
    frame.reception_delta_ns = 0
    frame.receiver_id = receiver_id
    return send_control(endpoint, transport_index, remote, &frame, sizeof(rtt_frame))


cdef bint send_response_setup(
        receive_endpoint *endpoint, int32_t transport_index, const address *remote,
        int32_t session_id, int32_t stream_id, int32_t response_session_id) noexcept nogil:
    cdef response_setup_frame frame
    set_header(&frame.header, sizeof(response_setup_frame), 0, FRAME_RESPONSE_SETUP)
    frame.session_id = session_id
    frame.stream_id = stream_id
    frame.response_session_id = response_session_id
    return send_control(
        endpoint, transport_index, remote, &frame, sizeof(response_setup_frame))


cdef bint send_error(
        receive_endpoint *endpoint, int32_t transport_index, const address *remote,
        int32_t session_id, int32_t stream_id, int32_t error_code, const uint8_t *text,
        int32_t text_length) noexcept nogil:
    cdef uint8_t packet[40 + TEXT_CAPACITY]
    cdef error_frame *frame = <error_frame *>packet
    text_length = min(text_length, <int32_t>TEXT_CAPACITY)
    memset(packet, 0, sizeof(error_frame))
    set_header(
        &frame.header, <int32_t>sizeof(error_frame) + text_length,
        ERROR_FLAG_HAS_GROUP_TAG if endpoint.has_group_tag else 0, FRAME_ERROR)
    frame.session_id = session_id
    frame.stream_id = stream_id
    frame.receiver_id = endpoint.receiver_id
    frame.group_tag = endpoint.group_tag if endpoint.has_group_tag else 0
    frame.error_code = error_code
    frame.error_length = text_length
    memcpy(packet + sizeof(error_frame), text, text_length)
    return send_control(
        endpoint, transport_index, remote, packet, <int32_t>sizeof(error_frame) + text_length)


@cython.final
@cython.no_gc_clear  # the network is needed for closing sockets
cdef class ReceiveEndpoint:
    """The sockets of one receive channel, and the dispatcher of received datagrams.

    Parameters
    ----------
    network
        The network that opens sockets.
    counters
        The driver's counters.
    registration_id
        The registration id of the command that opened the endpoint.
    receiver_id
        The receiver id, by which senders identify this receiver.
    group_tag
        The group tag that it sends, if any.
    status_counter_id
        The channel's counter; -1 for none.
    session_limit
        The highest number of images of one stream.
    """

    def __cinit__(
        self,
        Network network not None,
        CountersManager counters not None,
        *,
        int64_t registration_id,
        int64_t receiver_id,
        group_tag=None,
        int32_t status_counter_id=-1,
        int32_t session_limit=0x7FFFFFFF,
    ):
        cdef receive_endpoint *c = <receive_endpoint *>calloc(1, sizeof(receive_endpoint))
        if c == NULL:
            raise MemoryError
        self.c = c
        c.network = network.c
        self._network = network
        self._counters = counters
        c.owner = <void *>self
        c.registration_id = registration_id
        c.receiver_id = receiver_id
        if group_tag is not None:
            c.has_group_tag = True
            c.group_tag = group_tag
        c.system_counters = <uint8_t *>value_address(counters, 0)
        c.status_counter = value_address(counters, status_counter_id)
        c.dispatcher.session_limit = session_limit
        c.dispatcher.pending = <pending_setup *>calloc(
            MAX_PENDING_SETUP_COUNT, sizeof(pending_setup))
        if c.dispatcher.pending == NULL:
            raise MemoryError

    def __dealloc__(self):
        if self.c != NULL:
            self.close()
            table_free(&self.c.dispatcher.streams)
            table_free(&self.c.dispatcher.sessions)
            free(self.c.dispatcher.pending)
            free(self.c)
            self.c = NULL

    @property
    def registration_id(self):
        return self.c.registration_id

    @property
    def receiver_id(self):
        return self.c.receiver_id

    def open_transport(
        self,
        *,
        bind,
        multicast_group=None,
        multicast_interface=None,
        control_address=None,
        bint has_explicit_control=False,
        int32_t multicast_ttl=0,
        int32_t send_buffer_length=0,
        int32_t receive_buffer_length=0,
        int64_t registration_id=-1,
    ):
        """Open a socket in a free slot and return the slot, which ``Receiver.add_transport`` takes.

        `control_address` is the destination of status messages; None means the source.
        `has_explicit_control` means that the channel contains it: then setup frames are elicited
        from the sender.

        Raises
        ------
        OSError
            The system rejected it; nothing remains open.
        ConfigurationError
            No slot is free.
        """
        cdef socket_options options
        cdef receive_transport *transport = NULL
        cdef int32_t index = 0
        cdef int64_t handle
        for index in range(MAX_TRANSPORT_COUNT):
            if not self.c.transports[index].is_used:
                transport = &self.c.transports[index]
                break
        if transport == NULL:
            raise ConfigurationError(
                "destination", f"at most {MAX_TRANSPORT_COUNT} of a subscription", bind)
        memset(&options, 0, sizeof(options))
        address_from(bind, &options.bind)
        address_from(multicast_group, &options.multicast_group)
        address_from(multicast_interface, &options.multicast_interface)
        options.multicast_ttl = multicast_ttl
        options.send_buffer_length = send_buffer_length
        options.receive_buffer_length = receive_buffer_length
        options.reuse_address = multicast_group is not None
        handle = check(
            self.c.network.ops.open(self.c.network.state, &options), f"receive endpoint {bind}")
        memset(transport, 0, sizeof(receive_transport))
        try:
            address_from(control_address, &transport.control_address)
        except BaseException:
            self.c.network.ops.close(self.c.network.state, handle)
            raise
        transport.handle = handle
        transport.registration_id = registration_id
        transport.has_explicit_control = has_explicit_control
        transport.is_multicast = multicast_group is not None
        transport.multicast_ttl = multicast_ttl
        transport.is_used = True
        return index

    cdef int32_t used_slot_count(self) noexcept:
        """Return the number of slots up to the last that is in use."""
        cdef int32_t index
        for index in range(MAX_TRANSPORT_COUNT, 0, -1):
            if self.c.transports[index - 1].is_used:
                return index
        return 0

    cdef int _check_transport(self, int32_t transport_index) except -1:
        if not 0 <= transport_index < MAX_TRANSPORT_COUNT or (
                not self.c.transports[transport_index].is_used):
            raise ConfigurationError("transport", "an open one's index", transport_index)
        return 0

    def close_transport(self, int32_t transport_index):
        """Close a socket; only after the receiver has released it."""
        self._check_transport(transport_index)
        self.c.network.ops.close(
            self.c.network.state, self.c.transports[transport_index].handle)
        self.c.transports[transport_index].handle = -1
        self.c.transports[transport_index].is_used = False

    def local_address(self, int32_t transport_index):
        """Return the bound address of a transport's socket."""
        cdef address local
        self._check_transport(transport_index)
        check(
            self.c.network.ops.local_address(
                self.c.network.state, self.c.transports[transport_index].handle, &local),
            "local address")
        return address_to(&local)

    def buffer_lengths(self, int32_t transport_index):
        """Return SO_SNDBUF and SO_RCVBUF of a transport's socket, bytes."""
        cdef int32_t send = 0
        cdef int32_t receive = 0
        self._check_transport(transport_index)
        check(
            self.c.network.ops.buffer_lengths(
                self.c.network.state, self.c.transports[transport_index].handle, &send, &receive),
            "socket buffer lengths")
        return send, receive

    @property
    def transport_count(self):
        """Return the number of open sockets."""
        cdef int32_t index
        cdef int32_t result = 0
        for index in range(MAX_TRANSPORT_COUNT):
            result += self.c.transports[index].is_used
        return result

    def close(self):
        """Close all sockets; only after the receiver has released the endpoint."""
        cdef int32_t index
        for index in range(MAX_TRANSPORT_COUNT - 1, -1, -1):
            if self.c.transports[index].is_used:
                self.close_transport(index)
