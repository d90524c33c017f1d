"""A network that writes timestamps into data frames, as requested by a channel.

``aeron_timestamps.c``, ``SendChannelEndpoint``, ``ReceiveChannelEndpoint``. Only endpoints of such
a channel have one of these around the driver's network; others have no overhead.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FLAG_BEGIN,
    FRAME_DATA,
    data_header,
)
from aeron_cluster.memory.system.seams cimport (
    Clock,
    Network,
    address,
    clock as clock_table,
    datagram,
    datagram_ops,
    epoch_nanos,
    network,
    socket_options,
)

from aeron_cluster.codecs.channel_uri import RESERVED_OFFSET

cdef enum:
    NO_STAMP = -1
    STAMP_RESERVED = -8  # in the frame's reserved value instead of its payload
    STAMP_LENGTH = 8

assert STAMP_RESERVED == RESERVED_OFFSET


cdef struct stamped_network:
    network inner
    clock_table clock
    int32_t send_offset
    int32_t receive_offset
    int32_t media_receive_offset


# Write into the first frame of a datagram, if a message begins in it and has space.
cdef void stamp(
        uint8_t *packet, int32_t length, int32_t offset, int64_t time_ns) noexcept nogil:
    cdef data_header *frame = <data_header *>packet
    cdef int32_t payload_length
    if (length < DATA_HEADER_LENGTH or frame.type != FRAME_DATA or not frame.flags & FLAG_BEGIN
            or frame.frame_length == 0):
        return
    if offset == STAMP_RESERVED:
        frame.reserved_value = time_ns
        return
    payload_length = min(length, frame.frame_length) - DATA_HEADER_LENGTH
    if 0 <= offset <= payload_length - STAMP_LENGTH:
        memcpy(packet + DATA_HEADER_LENGTH + offset, &time_ns, STAMP_LENGTH)


cdef int64_t stamped_open(void *state, const socket_options *options) noexcept nogil:
    cdef stamped_network *c = <stamped_network *>state
    cdef socket_options changed = options[0]
    changed.receive_time_stamps = c.media_receive_offset != NO_STAMP
    return c.inner.ops.open(c.inner.state, &changed)


cdef int stamped_close(void *state, int64_t handle) noexcept nogil:
    cdef stamped_network *c = <stamped_network *>state
    return c.inner.ops.close(c.inner.state, handle)


cdef int stamped_send(
        void *state, int64_t handle, datagram *datagrams, int item_count) noexcept nogil:
    cdef stamped_network *c = <stamped_network *>state
    cdef int64_t time_ns
    cdef int index
    if c.send_offset != NO_STAMP:
        time_ns = epoch_nanos(&c.clock)
        for index in range(item_count):
            stamp(datagrams[index].data, datagrams[index].length, c.send_offset, time_ns)
    return c.inner.ops.send(c.inner.state, handle, datagrams, item_count)


cdef int stamped_receive(
        void *state, int64_t handle, datagram *datagrams, int item_count) noexcept nogil:
    cdef stamped_network *c = <stamped_network *>state
    cdef int received = c.inner.ops.receive(c.inner.state, handle, datagrams, item_count)
    cdef int64_t time_ns
    cdef int index
    if received <= 0:
        return received
    time_ns = epoch_nanos(&c.clock)
    for index in range(received):
        if c.media_receive_offset != NO_STAMP and datagrams[index].receive_epoch_nanos != 0:
            stamp(
                datagrams[index].data, datagrams[index].length, c.media_receive_offset,
                datagrams[index].receive_epoch_nanos)
        if c.receive_offset != NO_STAMP:
            stamp(datagrams[index].data, datagrams[index].length, c.receive_offset, time_ns)
    return received


cdef int stamped_connect(void *state, int64_t handle, const address *remote) noexcept nogil:
    cdef stamped_network *c = <stamped_network *>state
    return c.inner.ops.connect(c.inner.state, handle, remote)


cdef int stamped_local_address(void *state, int64_t handle, address *local) noexcept nogil:
    cdef stamped_network *c = <stamped_network *>state
    return c.inner.ops.local_address(c.inner.state, handle, local)


cdef int stamped_buffer_lengths(
        void *state, int64_t handle, int32_t *send, int32_t *receive) noexcept nogil:
    cdef stamped_network *c = <stamped_network *>state
    return c.inner.ops.buffer_lengths(c.inner.state, handle, send, receive)


cdef datagram_ops stamped_ops
stamped_ops.open = stamped_open
stamped_ops.close = stamped_close
stamped_ops.send = stamped_send
stamped_ops.receive = stamped_receive
stamped_ops.connect = stamped_connect
stamped_ops.local_address = stamped_local_address
stamped_ops.buffer_lengths = stamped_buffer_lengths


@cython.final
cdef class StampedNetwork(Network):
    """Sockets with timestamps in data frames, in ns since 1970.

    Parameters
    ----------
    inner : Network
        The driver's network.
    clock : Clock
    send_offset, receive_offset, media_receive_offset : int, optional
        The offsets in a frame's payload of the send time, the receive time, and the kernel's
        receive time; `RESERVED_OFFSET` for the reserved value; by default not written.
    """

    cdef stamped_network _stamped
    cdef Network _inner  # the struct points into it
    cdef Clock _clock  # the same

    def __cinit__(
        self,
        Network inner not None,
        Clock clock not None,
        *,
        send_offset=None,
        receive_offset=None,
        media_receive_offset=None,
    ):
        cdef stamped_network *s = &self._stamped
        self._inner = inner
        self._clock = clock
        s.inner = inner.c
        s.clock = clock.c
        s.send_offset = NO_STAMP if send_offset is None else send_offset
        s.receive_offset = NO_STAMP if receive_offset is None else receive_offset
        s.media_receive_offset = (
            NO_STAMP if media_receive_offset is None else media_receive_offset)
        self.c.ops = &stamped_ops
        self.c.state = <void *>s
