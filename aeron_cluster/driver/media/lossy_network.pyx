"""A network that drops datagrams by rules, to test the recovery of streams.

The interceptors ``loss``, ``fixed-loss`` and ``multi-gap-loss`` of the C driver
(``aeron_udp_channel_transport_loss.c`` and its siblings), ``DebugSendChannelEndpoint`` and
``DebugReceiveChannelEndpoint``. Endpoints have one of these only if the context has rules.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from aeron_cluster.logbuffer.frames cimport DATA_HEADER_LENGTH, FRAME_DATA, data_header
from aeron_cluster.memory.system.seams cimport (
    Network,
    address,
    datagram,
    datagram_ops,
    network,
    socket_options,
)

from aeron_cluster.errors import ConfigurationError

cdef enum:
    MAX_RULE_COUNT = 16
    MAX_TRACKED_COUNT = 256  # streams for which a positional rule records its progress

    RULE_RANDOM = 0
    RULE_FIXED = 1
    RULE_MULTI_GAP = 2

cdef uint64_t RANDOM_MASK = (<uint64_t>1 << 48) - 1


cdef struct tracked_stream:
    int32_t stream_id
    int32_t session_id
    int64_t offset  # end of the frames of the term that were dropped or passed


cdef struct loss_rule:
    int kind
    bint is_outgoing
    # RULE_RANDOM: these frame types, by drand48's sequence.
    uint32_t type_mask
    double rate
    uint64_t seed
    # Other rules: each offset of one term once.
    int32_t term_id
    int32_t offset
    int32_t length
    int32_t radix_bits
    int32_t last_limit
    int32_t tracked_count
    tracked_stream *tracked


cdef struct lossy_network:
    network inner
    int rule_count
    loss_rule rules[MAX_RULE_COUNT]


cdef tracked_stream *track(loss_rule *rule, const data_header *frame) noexcept nogil:
    cdef int32_t index
    cdef tracked_stream *stream
    for index in range(rule.tracked_count):
        stream = &rule.tracked[index]
        if stream.stream_id == frame.stream_id and stream.session_id == frame.session_id:
            return stream
    if rule.tracked_count == MAX_TRACKED_COUNT:
        return NULL
    stream = &rule.tracked[rule.tracked_count]
    rule.tracked_count += 1
    stream.stream_id = frame.stream_id
    stream.session_id = frame.session_id
    stream.offset = frame.term_offset
    return stream


cdef bint is_in_fixed_gap(
        loss_rule *rule, const data_header *frame, int32_t length,
        const tracked_stream *stream) noexcept nogil:
    return (
        stream.offset < <int64_t>rule.offset + rule.length
        and frame.term_offset <= stream.offset
        and stream.offset < <int64_t>frame.term_offset + length)


cdef bint is_in_repeated_gap(
        loss_rule *rule, const data_header *frame, int32_t length,
        const tracked_stream *stream) noexcept nogil:
    cdef int64_t offset = frame.term_offset
    cdef int64_t previous = offset >> rule.radix_bits << rule.radix_bits
    cdef int64_t following = previous + (<int64_t>1 << rule.radix_bits)
    if offset > rule.last_limit or stream.offset > offset:
        return False
    if previous > 0 and (offset == previous or offset < previous + rule.length):
        return True
    return offset + length > following


cdef bint loses(loss_rule *rule, const datagram *item) noexcept nogil:
    cdef const data_header *frame = <const data_header *>item.data
    cdef tracked_stream *stream
    cdef bint is_lost
    if item.length < 8:
        return False
    if rule.kind == RULE_RANDOM:
        if frame.type > 31 or not rule.type_mask >> frame.type & 1:
            return False
        rule.seed = (rule.seed * <uint64_t>0x5DEECE66D + 0xB) & RANDOM_MASK
        return <double>rule.seed / <double>(RANDOM_MASK + 1) <= rule.rate
    if (frame.type != FRAME_DATA or item.length < DATA_HEADER_LENGTH
            or frame.term_id != rule.term_id):
        return False
    stream = track(rule, frame)
    if stream == NULL:
        return False
    if rule.kind == RULE_FIXED:
        is_lost = is_in_fixed_gap(rule, frame, item.length, stream)
    else:
        is_lost = is_in_repeated_gap(rule, frame, item.length, stream)
    if is_lost:
        stream.offset = <int64_t>frame.term_offset + item.length
    return is_lost


cdef bint is_lost_by(lossy_network *c, const datagram *item, bint is_outgoing) noexcept nogil:
    cdef int index
    for index in range(c.rule_count):
        if c.rules[index].is_outgoing == is_outgoing and loses(&c.rules[index], item):
            return True
    return False


cdef int64_t lossy_open(void *state, const socket_options *options) noexcept nogil:
    cdef lossy_network *c = <lossy_network *>state
    return c.inner.ops.open(c.inner.state, options)


cdef int lossy_close(void *state, int64_t handle) noexcept nogil:
    cdef lossy_network *c = <lossy_network *>state
    return c.inner.ops.close(c.inner.state, handle)


cdef int lossy_send(
        void *state, int64_t handle, datagram *datagrams, int item_count) noexcept nogil:
    cdef lossy_network *c = <lossy_network *>state
    cdef int index
    cdef int sent
    for index in range(item_count):
        if is_lost_by(c, &datagrams[index], True):
            continue
        sent = c.inner.ops.send(c.inner.state, handle, &datagrams[index], 1)
        if sent < 1:
            return index if index > 0 else sent
    return item_count


cdef int lossy_receive(
        void *state, int64_t handle, datagram *datagrams, int item_count) noexcept nogil:
    cdef lossy_network *c = <lossy_network *>state
    cdef int received = c.inner.ops.receive(c.inner.state, handle, datagrams, item_count)
    cdef int kept = 0
    cdef int index
    cdef datagram item
    for index in range(received):
        if is_lost_by(c, &datagrams[index], False):
            continue
        if kept < index:
            # Swapped, so that each buffer stays in the batch.
            item = datagrams[kept]
            datagrams[kept] = datagrams[index]
            datagrams[index] = item
        kept += 1
    return kept if received > 0 else received


cdef int lossy_connect(void *state, int64_t handle, const address *remote) noexcept nogil:
    cdef lossy_network *c = <lossy_network *>state
    return c.inner.ops.connect(c.inner.state, handle, remote)


cdef int lossy_local_address(void *state, int64_t handle, address *local) noexcept nogil:
    cdef lossy_network *c = <lossy_network *>state
    return c.inner.ops.local_address(c.inner.state, handle, local)


cdef int lossy_buffer_lengths(
        void *state, int64_t handle, int32_t *send, int32_t *receive) noexcept nogil:
    cdef lossy_network *c = <lossy_network *>state
    return c.inner.ops.buffer_lengths(c.inner.state, handle, send, receive)


cdef datagram_ops lossy_ops
lossy_ops.open = lossy_open
lossy_ops.close = lossy_close
lossy_ops.send = lossy_send
lossy_ops.receive = lossy_receive
lossy_ops.connect = lossy_connect
lossy_ops.local_address = lossy_local_address
lossy_ops.buffer_lengths = lossy_buffer_lengths


@cython.final
cdef class LossyNetwork(Network):
    """Sockets that drop datagrams by rules; for one agent.

    Parameters
    ----------
    inner : Network
    """

    cdef lossy_network _lossy
    cdef Network _inner  # the struct points into it

    def __cinit__(self, Network inner not None):
        self._inner = inner
        self._lossy.inner = inner.c
        self.c.ops = &lossy_ops
        self.c.state = <void *>&self._lossy

    def __dealloc__(self):
        cdef int index
        for index in range(self._lossy.rule_count):
            free(self._lossy.rules[index].tracked)

    cdef loss_rule *_add(self, int kind, bint is_outgoing) except NULL:
        cdef loss_rule *rule
        if self._lossy.rule_count == MAX_RULE_COUNT:
            raise ConfigurationError(
                "loss rules", f"at most {MAX_RULE_COUNT}", MAX_RULE_COUNT + 1)
        rule = &self._lossy.rules[self._lossy.rule_count]
        rule.tracked = <tracked_stream *>calloc(MAX_TRACKED_COUNT, sizeof(tracked_stream))
        if rule.tracked == NULL:
            raise MemoryError
        rule.kind = kind
        rule.is_outgoing = is_outgoing
        self._lossy.rule_count += 1
        return rule

    def lose_at_random(
        self, double rate, uint64_t seed, uint32_t type_mask, *, bint is_outgoing=False
    ):
        """Drop a share (0 to 1) of the frames with types in a bit mask."""
        cdef loss_rule *rule = self._add(RULE_RANDOM, is_outgoing)
        rule.rate = rate
        rule.type_mask = type_mask
        # As in the C driver: the lowest 16 bits first.
        rule.seed = (
            (seed & 0xFFFF) << 32 | (seed >> 16 & 0xFFFF) << 16 | (seed >> 32 & 0xFFFF))

    def lose_range(self, int32_t term_id, int32_t offset, int32_t length):
        """Drop each byte of a term up to the end of a range once, on receipt."""
        cdef loss_rule *rule = self._add(RULE_FIXED, False)
        rule.term_id = term_id
        rule.offset = offset
        rule.length = length

    def lose_repeatedly(
        self, int32_t term_id, int32_t radix_bits, int32_t length, int32_t last_limit
    ):
        """Drop bytes of a term once, at each multiple of a power of two up to a limit."""
        cdef loss_rule *rule = self._add(RULE_MULTI_GAP, False)
        rule.term_id = term_id
        rule.radix_bits = radix_bits
        rule.length = length
        rule.last_limit = last_limit
