"""A network that records the datagrams of a channel as events.

The agent's interceptor of the C driver (``aeron_driver_agent.c``). Endpoints have one of these only
if such events are enabled.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.events.event_log cimport (
    EVENT_FRAME_IN,
    EVENT_FRAME_OUT,
    EVENT_NAK_RECEIVED,
    EVENT_NAK_SENT,
    EventSource,
    event_source,
    is_event_enabled,
    write_frame_event,
    write_nak,
)
from aeron_cluster.logbuffer.frames cimport FRAME_NAK, data_header
from aeron_cluster.memory.system.seams cimport (
    Network,
    address,
    datagram,
    datagram_ops,
    network,
    socket_options,
)

cdef enum:
    NAK_LENGTH = 28


cdef struct logged_network:
    network inner
    event_source source
    address connected  # of the connected socket, which sends without addresses


cdef void log_datagram(
        logged_network *c, const datagram *item, const address *peer, int frame_event, int nak_event
) noexcept nogil:
    if item.length <= 0:
        return
    if is_event_enabled(c.source.log, frame_event):
        write_frame_event(c.source.log, frame_event, peer, item.data, item.length)
    if (
        is_event_enabled(c.source.log, nak_event)
        and item.length >= NAK_LENGTH
        and (<const data_header *>item.data).type == FRAME_NAK
    ):
        write_nak(&c.source, nak_event, peer, item.data)


cdef int64_t logged_open(void *state, const socket_options *options) noexcept nogil:
    cdef logged_network *c = <logged_network *>state
    if options.connect.family != 0:
        c.connected = options.connect
    return c.inner.ops.open(c.inner.state, options)


cdef int logged_close(void *state, int64_t handle) noexcept nogil:
    cdef logged_network *c = <logged_network *>state
    return c.inner.ops.close(c.inner.state, handle)


cdef int logged_send(
        void *state, int64_t handle, datagram *datagrams, int item_count) noexcept nogil:
    cdef logged_network *c = <logged_network *>state
    cdef int sent = c.inner.ops.send(c.inner.state, handle, datagrams, item_count)
    cdef const address *peer
    cdef int index
    for index in range(sent):
        peer = &datagrams[index].address
        log_datagram(
            c, &datagrams[index], peer if peer.family != 0 else &c.connected, EVENT_FRAME_OUT,
            EVENT_NAK_SENT)
    return sent


cdef int logged_receive(
        void *state, int64_t handle, datagram *datagrams, int item_count) noexcept nogil:
    cdef logged_network *c = <logged_network *>state
    cdef int received = c.inner.ops.receive(c.inner.state, handle, datagrams, item_count)
    cdef int index
    for index in range(received):
        log_datagram(
            c, &datagrams[index], &datagrams[index].address, EVENT_FRAME_IN, EVENT_NAK_RECEIVED)
    return received


cdef int logged_connect(void *state, int64_t handle, const address *remote) noexcept nogil:
    cdef logged_network *c = <logged_network *>state
    cdef int result = c.inner.ops.connect(c.inner.state, handle, remote)
    if result == 0:
        c.connected = remote[0]
    return result


cdef int logged_local_address(void *state, int64_t handle, address *local) noexcept nogil:
    cdef logged_network *c = <logged_network *>state
    return c.inner.ops.local_address(c.inner.state, handle, local)


cdef int logged_buffer_lengths(
        void *state, int64_t handle, int32_t *send, int32_t *receive) noexcept nogil:
    cdef logged_network *c = <logged_network *>state
    return c.inner.ops.buffer_lengths(c.inner.state, handle, send, receive)


cdef datagram_ops logged_ops
logged_ops.open = logged_open
logged_ops.close = logged_close
logged_ops.send = logged_send
logged_ops.receive = logged_receive
logged_ops.connect = logged_connect
logged_ops.local_address = logged_local_address
logged_ops.buffer_lengths = logged_buffer_lengths


@cython.final
cdef class LoggedNetwork(Network):
    """The sockets of one channel, whose datagrams are recorded as events.

    Parameters
    ----------
    inner : Network
    source : EventSource
        The log and the channel.

    Notes
    -----
    Sent datagrams are recorded once the system took them; received ones before they are dropped by
    injected loss.
    """

    cdef logged_network _logged
    cdef Network _inner  # the struct points into it
    cdef EventSource _source  # the same

    def __cinit__(self, Network inner not None, EventSource source not None):
        self._inner = inner
        self._source = source
        self._logged.inner = inner.c
        self._logged.source = source.c
        self.c.ops = &logged_ops
        self.c.state = <void *>&self._logged
