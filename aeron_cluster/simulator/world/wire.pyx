"""Datagrams between simulated hosts: delayed, lost, duplicated and corrupted by a seed.

A `Wire` joins the hosts; each host's `HostNetwork` is the network seam of its components. One
thread drives all of them.
"""

import ipaddress

cimport cython
from libc.errno cimport (
    EADDRINUSE,
    EADDRNOTAVAIL,
    EBADF,
    EDESTADDRREQ,
    EINVAL,
    EIO,
    EMSGSIZE,
    ENOMEM,
)
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from aeron_cluster.logbuffer.frames cimport data_header
from aeron_cluster.memory.system.seams cimport (
    SeededRandom,
    address_equals,
    address_from,
    datagram,
    datagram_ops,
    next_random,
    socket_options,
)

from aeron_cluster.errors import PlatformError
from aeron_cluster.memory.system.address import Address, Interface

cdef enum:
    LONGEST_DATAGRAM = 65507
    FIRST_PORT = 32768
    LAST_PORT = 60999
    # The default of Linux.
    BUFFER_LENGTH = 106496
    MAX_HOSTS = 64
    INDEX_BITS = 20
    INDEX_MASK = (1 << INDEX_BITS) - 1
    DATA_FRAME = 1
    PAD_FRAME = 0
    WHOLE = 0xC0  # a complete message: begin and end flag
    CLUSTER_SCHEMA = 111

cdef uint64_t SHARE = 1 << 32
cdef uint64_t FNV_OFFSET = 0xCBF29CE484222325u
cdef uint64_t FNV_PRIME = 0x100000001B3u

# 2026-01-01T00:00:00Z, as in the virtual clocks.
_EPOCH_NS = 1_767_225_600 * 1_000_000_000


# ---- what happened, as one number ----

cdef inline void _note(wire *wire, uint64_t what) noexcept nogil:
    wire.trace = (wire.trace ^ what) * FNV_PRIME


cdef void _note_data(wire *wire, const uint8_t *data, int32_t length) noexcept nogil:
    cdef uint64_t word
    cdef int32_t index = 0
    while index + 8 <= length:
        memcpy(&word, data + index, 8)
        _note(wire, word)
        # A product only carries upwards, so the upper half is folded into the lower.
        wire.trace ^= wire.trace >> 32
        index += 8
    word = <uint64_t>length << 56
    memcpy(&word, data + index, <size_t>(length - index))
    _note(wire, word)
    wire.trace ^= wire.trace >> 32


cdef inline bint _drawn(wire *wire, uint64_t share) noexcept nogil:
    return share > 0 and (next_random(&wire.random) >> 32) < share


# ---- the heap of what is on its way ----

cdef inline bint _is_before(const packet *one, const packet *other) noexcept nogil:
    if one.due_ns != other.due_ns:
        return one.due_ns < other.due_ns
    return one.sequence < other.sequence


cdef int _push(wire *wire, packet *item) noexcept nogil:
    cdef int64_t index
    cdef int64_t parent
    cdef int64_t capacity
    cdef packet **grown
    if wire.flying_count == wire.flying_capacity:
        capacity = max(wire.flying_capacity * 2, <int64_t>64)
        grown = <packet **>realloc(wire.flying, <size_t>capacity * sizeof(packet *))
        if grown is NULL:
            return -ENOMEM
        wire.flying = grown
        wire.flying_capacity = capacity
    index = wire.flying_count
    wire.flying_count += 1
    while index > 0:
        parent = (index - 1) // 2
        if not _is_before(item, wire.flying[parent]):
            break
        wire.flying[index] = wire.flying[parent]
        index = parent
    wire.flying[index] = item
    return 0


cdef packet *_pop(wire *wire) noexcept nogil:
    cdef packet *top = wire.flying[0]
    cdef packet *item
    cdef int64_t index = 0
    cdef int64_t child
    wire.flying_count -= 1
    item = wire.flying[wire.flying_count]
    while 2 * index + 1 < wire.flying_count:
        child = 2 * index + 1
        if (child + 1 < wire.flying_count
                and _is_before(wire.flying[child + 1], wire.flying[child])):
            child += 1
        if not _is_before(wire.flying[child], item):
            break
        wire.flying[index] = wire.flying[child]
        index = child
    if wire.flying_count > 0:
        wire.flying[index] = item
    return top


# ---- addresses ----

cdef inline bint _is_group(const address *value) noexcept nogil:
    if value.family == 4:
        return (value.host[0] & 0xF0) == 0xE0
    return value.family == 6 and value.host[0] == 0xFF


cdef inline bint _is_wildcard(const address *value) noexcept nogil:
    cdef int index
    for index in range(4 if value.family == 4 else 16):
        if value.host[index] != 0:
            return False
    return True


cdef inline bint _is_loopback(const address *value) noexcept nogil:
    cdef int index
    if value.family == 4:
        return value.host[0] == 127
    for index in range(15):
        if value.host[index] != 0:
            return False
    return value.host[15] == 1


cdef inline bint _same_host(const address *one, const address *other) noexcept nogil:
    cdef address with_port = other[0]
    with_port.port = one.port
    return address_equals(one, &with_port)


cdef int32_t _owner_of(wire *wire, int32_t host, const address *value) noexcept nogil:
    cdef int32_t each
    cdef int32_t index
    if _is_loopback(value) or _is_wildcard(value):
        return host
    for each in range(wire.host_count):
        for index in range(wire.hosts[each].address_count):
            if _same_host(&wire.hosts[each].addresses[index], value):
                return each
    return -1


# ---- sockets ----

cdef inline endpoint *_endpoint(host_view *view, int64_t handle) noexcept nogil:
    cdef int64_t index = handle & INDEX_MASK
    cdef endpoint *found
    if handle < 0 or index >= view.wire.endpoint_count:
        return NULL
    found = &view.wire.endpoints[index]
    return found if found.handle == handle and found.host == view.host else NULL


cdef int _bind(host_view *view, endpoint *self, const address *wanted) noexcept nogil:
    cdef wire *wire = view.wire
    cdef endpoint *other
    cdef int32_t index
    cdef int attempts = LAST_PORT - FIRST_PORT + 1
    if not _is_group(wanted) and _owner_of(wire, view.host, wanted) != view.host:
        return -EADDRNOTAVAIL
    self.local = wanted[0]
    while attempts > 0:
        attempts -= 1
        if wanted.port == 0:
            self.local.port = <uint16_t>wire.hosts[view.host].next_port
            wire.hosts[view.host].next_port += 1
            if wire.hosts[view.host].next_port > LAST_PORT:
                wire.hosts[view.host].next_port = FIRST_PORT
        for index in range(wire.endpoint_count):
            other = &wire.endpoints[index]
            if (other is not self and other.handle >= 0 and other.host == self.host
                    and other.local.port == self.local.port
                    and other.local.family == self.local.family
                    and not (other.reuse_address and self.reuse_address)
                    and (_same_host(&other.local, &self.local) or _is_wildcard(&other.local)
                         or _is_wildcard(&self.local))):
                break
        else:
            return 0
        if wanted.port != 0:
            return -EADDRINUSE
    return -EADDRINUSE


cdef void _default_source(host_view *view, const address *target, address *source) noexcept nogil:
    cdef host *self = &view.wire.hosts[view.host]
    cdef int32_t index
    memset(source, 0, sizeof(address))
    source.family = target.family
    if _is_loopback(target):
        memcpy(source.host, target.host, 16)
        return
    for index in range(self.address_count):
        if self.addresses[index].family == target.family:
            memcpy(source.host, self.addresses[index].host, 16)
            return


cdef int64_t _open(void *state, const socket_options *options) noexcept nogil:
    cdef host_view *view = <host_view *>state
    cdef wire *wire = view.wire
    cdef endpoint *self
    cdef endpoint *grown
    cdef address wanted
    cdef int64_t use
    cdef int32_t index
    cdef int32_t capacity
    cdef int result
    pump(wire)
    for index in range(wire.endpoint_count):
        if wire.endpoints[index].handle < 0:
            break
    else:
        index = wire.endpoint_count
        if index == wire.endpoint_capacity:
            capacity = max(wire.endpoint_capacity * 2, 64)
            grown = <endpoint *>realloc(wire.endpoints, <size_t>capacity * sizeof(endpoint))
            if grown is NULL:
                return -ENOMEM
            wire.endpoints = grown
            wire.endpoint_capacity = capacity
        memset(&wire.endpoints[index], 0, sizeof(endpoint))
        wire.endpoint_count += 1
    self = &wire.endpoints[index]
    use = self.use + 1
    memset(self, 0, sizeof(endpoint))
    self.handle = -1
    self.use = use
    self.host = view.host
    self.process = view.process
    self.reuse_address = options.reuse_address
    self.receive_time_stamps = options.receive_time_stamps
    self.send_buffer_length = options.send_buffer_length or BUFFER_LENGTH
    self.receive_buffer_length = options.receive_buffer_length or BUFFER_LENGTH
    self.group = options.multicast_group
    wanted = options.bind
    if wanted.family == 0:
        # A kernel binds such a socket at its first send; here it is bound immediately.
        memset(&wanted, 0, sizeof(address))
        wanted.family = options.connect.family or options.multicast_group.family or <uint8_t>4
    result = _bind(view, self, &wanted)
    if result == 0 and options.connect.family != 0:
        result = _connect_endpoint(view, self, &options.connect)
    if result < 0:
        return result
    self.handle = (use << INDEX_BITS) | index
    _note(wire, <uint64_t>self.handle)
    return self.handle


cdef void _drop_queue(endpoint *self) noexcept nogil:
    cdef packet *item
    while self.first is not NULL:
        item = self.first
        self.first = item.next
        free(item)
    self.last = NULL
    self.queued_bytes = 0


cdef int _close(void *state, int64_t handle) noexcept nogil:
    cdef host_view *view = <host_view *>state
    cdef endpoint *self = _endpoint(view, handle)
    if self is NULL:
        return -EBADF
    pump(view.wire)
    _drop_queue(self)
    self.handle = -1
    return 0


cdef int _connect(void *state, int64_t handle, const address *target) noexcept nogil:
    cdef host_view *view = <host_view *>state
    cdef endpoint *self = _endpoint(view, handle)
    if self is NULL:
        return -EBADF
    pump(view.wire)
    return _connect_endpoint(view, self, target)


cdef int _connect_endpoint(host_view *view, endpoint *self, const address *target) noexcept nogil:
    cdef address source
    if target.family != 0 and target.family != self.local.family:
        return -EINVAL
    self.peer = target[0]
    if target.family != 0 and _is_wildcard(&self.local):
        _default_source(view, target, &source)
        source.port = self.local.port
        self.local = source
    return 0


cdef int _local_address(void *state, int64_t handle, address *found) noexcept nogil:
    cdef endpoint *self = _endpoint(<host_view *>state, handle)
    if self is NULL:
        return -EBADF
    found[0] = self.local
    return 0


cdef int _buffer_lengths(void *state, int64_t handle, int32_t *send,
                         int32_t *receive) noexcept nogil:
    cdef endpoint *self = _endpoint(<host_view *>state, handle)
    if self is NULL:
        return -EBADF
    send[0] = self.send_buffer_length
    receive[0] = self.receive_buffer_length
    return 0


# ---- on the way ----

cdef int _send_through(
        wire *wire, const link *way, const datagram *item, const address *source,
        const address *target, int32_t host) noexcept nogil:
    cdef packet *copy = <packet *>malloc(sizeof(packet) + <size_t>item.length)
    cdef uint64_t width
    cdef bint is_complete = True
    if copy is NULL:
        return -ENOMEM
    copy.next = NULL
    copy.source = source[0]
    copy.target = target[0]
    copy.host = host
    copy.length = item.length
    memcpy(copy.data, item.data, <size_t>item.length)
    copy.due_ns = wire.time.now_ns + way.min_delay_ns
    if way.max_delay_ns > way.min_delay_ns:
        width = <uint64_t>(way.max_delay_ns - way.min_delay_ns) + 1
        copy.due_ns += <int64_t>(next_random(&wire.random) % width)
    copy.due_ns = max(copy.due_ns, way.clogged_until_ns)
    if copy.length > 0 and _drawn(wire, way.corrupt):
        # A byte is changed to a different value.
        copy.data[next_random(&wire.random) % <uint64_t>copy.length] ^= (
            <uint8_t>(1 + next_random(&wire.random) % 255))
        wire.counts.corrupted += 1
        is_complete = False
    if copy.length > 0 and _drawn(wire, way.truncate):
        copy.length = <int32_t>(next_random(&wire.random) % <uint64_t>copy.length)
        wire.counts.truncated += 1
        is_complete = False
    if wire.has_checksums and not is_complete:
        wire.counts.discarded += 1
        _note(wire, 2)
        free(copy)
        return 0
    wire.sequence += 1
    copy.sequence = wire.sequence
    _note(wire, <uint64_t>copy.due_ns)
    _note_data(wire, copy.data, copy.length)
    if _push(wire, copy) < 0:
        free(copy)
        return -ENOMEM
    return 0


cdef int _send_to_host(host_view *view, const datagram *item, const address *source,
                       const address *target, int32_t host) noexcept nogil:
    cdef wire *wire = view.wire
    cdef const link *way = &wire.links[view.host * wire.host_capacity + host]
    cdef int result
    if way.is_blocked or (way.blocked_port != 0 and way.blocked_port == target.port):
        wire.counts.blocked += 1
        return 0
    if _drawn(wire, way.loss):
        wire.counts.lost += 1
        _note(wire, 1)
        return 0
    result = _send_through(wire, way, item, source, target, host)
    if result == 0 and _drawn(wire, way.duplicate):
        wire.counts.duplicated += 1
        result = _send_through(wire, way, item, source, target, host)
    return result


cdef int _send_one(host_view *view, endpoint *self, const datagram *item) noexcept nogil:
    cdef wire *wire = view.wire
    cdef address source
    cdef const address *target = &item.address
    cdef int32_t host
    cdef int result = 0
    if target.family == 0:
        target = &self.peer
    if target.family == 0:
        return -EDESTADDRREQ
    if target.family != self.local.family or target.port == 0:
        return -EINVAL
    if item.length > LONGEST_DATAGRAM:
        return -EMSGSIZE
    if _is_wildcard(&self.local) or _is_group(&self.local):
        _default_source(view, target, &source)
        source.port = self.local.port
    else:
        source = self.local
    wire.counts.sent += 1
    if wire.is_tapped:
        _tap(wire, view.host, item)
    if _is_group(target):
        for host in range(wire.host_count):
            result = _send_to_host(view, item, &source, target, host)
            if result < 0:
                return result
        return 0
    host = _owner_of(wire, view.host, target)
    if host < 0:
        wire.counts.undeliverable += 1
        return 0
    return _send_to_host(view, item, &source, target, host)


cdef bint _has_stopped(host_view *self) noexcept nogil:
    if self.calls_left == 0:
        return True
    self.call_count += 1
    if self.calls_left > 0:
        self.calls_left -= 1
    return self.calls_left == 0


cdef void _keep(wire *wire, int32_t host, const data_header *frame, int32_t length) noexcept nogil:
    cdef int64_t needed = wire.tapped_length + <int64_t>sizeof(tapped) + length
    cdef uint8_t *grown
    cdef tapped entry
    if needed > wire.tapped_capacity:
        grown = <uint8_t *>realloc(wire.tapped, <size_t>(2 * needed))
        if grown is NULL:
            return
        wire.tapped = grown
        wire.tapped_capacity = 2 * needed
    entry.time_ns = wire.time.now_ns
    entry.host = host
    entry.stream_id = frame.stream_id
    entry.session_id = frame.session_id
    entry.term_id = frame.term_id
    entry.term_offset = frame.term_offset
    entry.length = length
    memcpy(wire.tapped + wire.tapped_length, &entry, sizeof(tapped))
    memcpy(wire.tapped + wire.tapped_length + sizeof(tapped), <const uint8_t *>frame + 32,
           <size_t>length)
    wire.tapped_length = needed


cdef void _tap(wire *wire, int32_t host, const datagram *item) noexcept nogil:
    # Copy complete cluster messages of the tapped kinds, in any frame of the datagram.
    cdef const data_header *frame
    cdef uint16_t *message
    cdef int32_t offset = 0
    cdef int32_t length
    while offset + 40 <= item.length:
        frame = <const data_header *>(item.data + offset)
        length = frame.frame_length
        if length < 40 or offset + length > item.length or frame.type != DATA_FRAME:
            return
        message = <uint16_t *>(<uint8_t *>frame + 32)
        if (frame.flags & WHOLE == WHOLE and message[2] == CLUSTER_SCHEMA and message[1] < 256
                and wire.tap_templates[message[1] >> 6] >> (message[1] & 63) & 1):
            _keep(wire, host, frame, length - 32)
        offset += (length + 31) & ~31


cdef bint _has_padding(const datagram *item, int32_t stream_id) noexcept nogil:
    """Return whether a datagram of a stream contains the end of a term."""
    cdef const data_header *frame
    cdef int32_t offset = 0
    while offset + 32 <= item.length:
        frame = <const data_header *>(item.data + offset)
        if frame.frame_length < 32 or frame.stream_id != stream_id:
            return False
        if frame.type == PAD_FRAME:
            return True
        if frame.type != DATA_FRAME:
            return False
        offset += (frame.frame_length + 31) & ~31
    return False


cdef void _scan_for_padding(host_view *self, const datagram *datagrams, int count) noexcept nogil:
    cdef int index
    for index in range(count):
        if _has_padding(&datagrams[index], self.padded_stream_id):
            self.calls_left = self.calls_from_padding
            self.calls_from_padding = 0
            return


cdef int _send(void *state, int64_t handle, datagram *datagrams, int count) noexcept nogil:
    cdef host_view *view = <host_view *>state
    cdef endpoint *self = _endpoint(view, handle)
    cdef int index
    cdef int result
    if self is NULL:
        return -EBADF
    if view.calls_from_padding > 0:
        _scan_for_padding(view, datagrams, count)
    if _has_stopped(view):
        return -EIO
    for index in range(count):
        result = _send_one(view, self, &datagrams[index])
        if result < 0:
            return index if index > 0 else result
    return count


cdef bint _accepts(const endpoint *self, const packet *item) noexcept nogil:
    if self.handle < 0 or self.host != item.host or self.local.port != item.target.port:
        return False
    if self.peer.family != 0 and not _is_group(&self.peer) and (
            not address_equals(&self.peer, &item.source)):
        return False
    if _is_group(&item.target):
        return (self.group.family != 0 and _same_host(&self.group, &item.target)
                and (_is_wildcard(&self.local) or _same_host(&self.local, &item.target)))
    return self.local.family == item.target.family and (
        _is_wildcard(&self.local) or _same_host(&self.local, &item.target))


cdef void _queue(wire *wire, endpoint *self, packet *item) noexcept nogil:
    if self.queued_bytes + item.length > self.receive_buffer_length and self.first is not NULL:
        wire.counts.overflowed += 1
        free(item)
        return
    item.next = NULL
    if self.first is NULL:
        self.first = item
    else:
        self.last.next = item
    self.last = item
    self.queued_bytes += item.length
    wire.hosts[self.host].arrivals += 1
    wire.counts.delivered += 1


cdef void _deliver(wire *wire, packet *item) noexcept nogil:
    cdef endpoint *best = NULL
    cdef endpoint *each
    cdef packet *copy
    cdef int32_t index
    cdef bint is_received = False
    _note(wire, item.sequence)
    if not _is_group(&item.target):
        # The kernel's choice: a connected socket first, then the last opened one.
        for index in range(wire.endpoint_count):
            each = &wire.endpoints[index]
            if _accepts(each, item) and (
                    best is NULL or each.peer.family != 0 or best.peer.family == 0):
                best = each
        if best is not NULL:
            _queue(wire, best, item)
            return
    else:
        for index in range(wire.endpoint_count):
            each = &wire.endpoints[index]
            if not _accepts(each, item):
                continue
            is_received = True
            copy = <packet *>malloc(sizeof(packet) + <size_t>item.length)
            if copy is not NULL:
                memcpy(copy, item, sizeof(packet) + <size_t>item.length)
                _queue(wire, each, copy)
    if not is_received:
        wire.counts.undeliverable += 1
    free(item)


cdef void pump(wire *wire) noexcept nogil:
    # Due datagrams are delivered before any socket changes or is read.
    while wire.flying_count > 0 and wire.flying[0].due_ns <= wire.time.now_ns:
        _deliver(wire, _pop(wire))


cdef int _receive(void *state, int64_t handle, datagram *datagrams, int count) noexcept nogil:
    cdef host_view *view = <host_view *>state
    cdef wire *wire = view.wire
    cdef endpoint *self = _endpoint(view, handle)
    cdef packet *item
    cdef datagram *place
    cdef int filled = 0
    pump(wire)
    if self is NULL:
        return -EBADF
    while filled < count and self.first is not NULL:
        item = self.first
        self.first = item.next
        self.queued_bytes -= item.length
        place = &datagrams[filled]
        filled += 1
        place.length = item.length if item.length <= place.capacity else 0
        memcpy(place.data, item.data, <size_t>place.length)
        place.address = item.source
        place.receive_epoch_nanos = (
            wire.epoch_nanos + item.due_ns if self.receive_time_stamps else 0)
        free(item)
    return filled


cdef datagram_ops _OPS
_OPS.open = _open
_OPS.close = _close
_OPS.send = _send
_OPS.receive = _receive
_OPS.connect = _connect
_OPS.local_address = _local_address
_OPS.buffer_lengths = _buffer_lengths


@cython.final
@cython.no_gc_clear  # needed for closing sockets
cdef class Wire:
    """The wire that connects simulated hosts.

    Parameters
    ----------
    time : VirtualTime
        The virtual time of datagrams.
    random : Random, optional
        Determines the faults; by default seeded with 0.
    """

    def __cinit__(self, VirtualTime time not None, Random random=None):
        self._time = time
        self._random = SeededRandom(0) if random is None else random
        self._names = {}
        self._hosts = []
        self.c.time = &time.c
        self.c.epoch_nanos = _EPOCH_NS
        self.c.random = self._random.c
        self.c.trace = FNV_OFFSET
        self.c.host_capacity = MAX_HOSTS
        self.c.hosts = <host *>calloc(MAX_HOSTS, sizeof(host))
        self.c.links = <link *>calloc(MAX_HOSTS * MAX_HOSTS, sizeof(link))
        if self.c.hosts is NULL or self.c.links is NULL:
            raise MemoryError()

    def __dealloc__(self):
        cdef int64_t index
        for index in range(self.c.flying_count):
            free(self.c.flying[index])
        free(self.c.flying)
        for index in range(self.c.endpoint_count):
            _drop_queue(&self.c.endpoints[index])
        free(self.c.endpoints)
        free(self.c.tapped)
        for index in range(self.c.host_count):
            free(self.c.hosts[index].addresses)
        free(self.c.hosts)
        free(self.c.links)

    def add_host(self, *addresses) -> HostNetwork:
        """Add a host and return the network seam of its components.

        Parameters
        ----------
        addresses : str
            Its literal addresses, besides its private 127.0.0.1 and ::1.
        """
        cdef host *added = &self.c.hosts[self.c.host_count]
        cdef int index
        cdef address parsed
        if self.c.host_count == MAX_HOSTS:
            raise ValueError(f"hosts: expected <= {MAX_HOSTS}, found one more")
        for text in addresses:
            address_from((text, 0), &parsed)
            if _is_loopback(&parsed) or _owner_of(&self.c, -1, &parsed) >= 0:
                raise ValueError(f"address: {text} is taken")
        added.addresses = <address *>calloc(max(len(addresses), 1), sizeof(address))
        if added.addresses is NULL:
            raise MemoryError()
        for index, text in enumerate(addresses):
            address_from((text, 0), &added.addresses[index])
        added.address_count = len(addresses)
        added.next_port = FIRST_PORT
        self.c.host_count += 1
        network = HostNetwork.__new__(HostNetwork)
        (<HostNetwork>network)._join(self, self.c.host_count - 1, addresses)
        self._hosts.append(network)
        return network

    @property
    def hosts(self) -> tuple[HostNetwork, ...]:
        """The hosts, in the order in which they were added."""
        return tuple(self._hosts)

    cdef int32_t _host_of(self, HostNetwork network) except -1:
        if network is None or network._view.wire is not &self.c:
            raise ValueError("host: not on this wire")
        return network._view.host

    def set_name(self, str name not None, *addresses) -> None:
        """Set the addresses of a name; without any it does not resolve."""
        self._names[name] = [str(ipaddress.ip_address(each)) for each in addresses]

    def set_faults(self, HostNetwork source, HostNetwork target, faults) -> None:
        """Set the faults of datagrams from one host to another.

        Parameters
        ----------
        source, target : HostNetwork
            The direction; None for every host.
        faults : LinkFaults
            The faults.
        """
        cdef link *way
        for one in self._hosts if source is None else [source]:
            for other in self._hosts if target is None else [target]:
                if one is other and not (source is target and source is not None):
                    continue  # a host's datagrams to itself have no faults, unless set explicitly
                way = &self.c.links[self._host_of(one) * MAX_HOSTS + self._host_of(other)]
                way.loss = <uint64_t>(<double>faults.loss * <double>SHARE)
                way.duplicate = <uint64_t>(<double>faults.duplicate * <double>SHARE)
                way.corrupt = <uint64_t>(<double>faults.corrupt * <double>SHARE)
                way.truncate = <uint64_t>(<double>faults.truncate * <double>SHARE)
                way.min_delay_ns = faults.min_delay_ns
                way.max_delay_ns = faults.max_delay_ns

    def block(self, HostNetwork source not None, HostNetwork target not None,
              bint is_blocked=True, *, uint16_t port=0) -> None:
        """Block one direction, or unblock it.

        Datagrams already on their way arrive.

        Parameters
        ----------
        source, target : HostNetwork
            The direction.
        is_blocked : bool
        port : int
            The only blocked port of the target, replacing an earlier one; 0 for all ports, also
            when unblocking.
        """
        cdef link *way = &self.c.links[
            self._host_of(source) * MAX_HOSTS + self._host_of(target)]
        if port != 0:
            way.blocked_port = port if is_blocked else <uint16_t>0
            return
        way.is_blocked = is_blocked
        if not is_blocked:
            way.blocked_port = 0

    def clog(self, HostNetwork source not None, HostNetwork target not None,
             int64_t duration_ns) -> None:
        """Delay datagrams of one direction for a time, in ns; then all arrive together."""
        cdef link *way = &self.c.links[
            self._host_of(source) * MAX_HOSTS + self._host_of(target)]
        way.clogged_until_ns = self.c.time.now_ns + duration_ns

    def partition(self, *sides) -> None:
        """Drop datagrams between hosts of different sides.

        Parameters
        ----------
        sides : sequence of HostNetwork
            The sides; a host on several sides is a bridge, one on none is isolated.
        """
        for one in self._hosts:
            for other in self._hosts:
                together = one is other or any([one in side and other in side for side in sides])
                self.block(one, other, not together)

    def heal(self) -> None:
        """Remove all blocks and delays of `block` and `clog`; other faults stay."""
        cdef int index
        self.partition(self._hosts)
        for index in range(MAX_HOSTS * MAX_HOSTS):
            self.c.links[index].clogged_until_ns = 0

    @property
    def has_checksums(self) -> bool:
        """Whether corrupted and truncated datagrams are discarded, as by UDP's checksum."""
        return self.c.has_checksums

    @has_checksums.setter
    def has_checksums(self, bint has_checksums):
        self.c.has_checksums = has_checksums

    def tap(self, templates) -> None:
        """Copy cluster messages when they are sent, for `take_tapped`.

        Parameters
        ----------
        templates : iterable of int
            The template ids of the messages; without any it ends.
        """
        memset(self.c.tap_templates, 0, sizeof(self.c.tap_templates))
        self.c.is_tapped = False
        for template in templates:
            self.c.tap_templates[template // 64] |= <uint64_t>1 << (template % 64)
            self.c.is_tapped = True

    def take_tapped(self) -> list[tuple[int, int, int, int, tuple[int, int], bytes]]:
        """Return and clear the copied messages.

        Returns
        -------
        list of tuple
            The send time in ns, the index of the sending host, the stream id, session id, term id
            and offset of the frame, and the message. A retransmission has the same place as the
            original.
        """
        cdef tapped *entry
        cdef int64_t offset = 0
        taken = []
        while offset < self.c.tapped_length:
            entry = <tapped *>(self.c.tapped + offset)
            offset += <int64_t>sizeof(tapped)
            taken.append((entry.time_ns, entry.host, entry.stream_id, entry.session_id,
                          (entry.term_id, entry.term_offset),
                          (<const char *>self.c.tapped + offset)[:entry.length]))
            offset += entry.length
        self.c.tapped_length = 0
        return taken

    def stop_after(self, HostNetwork network not None, int64_t calls) -> None:
        """End a process at its n-th send from now: that send and all later ones fail.

        Parameters
        ----------
        network : HostNetwork
            The network of the process.
        calls : int
            1 is the next one; -1 means never.
        """
        self._host_of(network)
        network._view.calls_left = calls
        network._view.calls_from_padding = 0

    def stop_at_padding(
        self, HostNetwork network not None, int32_t stream_id, int64_t calls
    ) -> None:
        """End a process when it sends the end of a term of a stream.

        Parameters
        ----------
        network : HostNetwork
        stream_id : int
        calls : int
            As for `stop_after`; 1 is the send with the padding at the term's end.
        """
        self._host_of(network)
        network._view.calls_from_padding = calls
        network._view.padded_stream_id = stream_id

    def is_stopped(self, HostNetwork network not None) -> bool:
        """Return whether a process was ended by `stop_after`."""
        return network._view.calls_left == 0

    def call_count(self, HostNetwork network not None) -> int:
        """Return the number of a process's calls counted by `stop_after`."""
        return network._view.call_count

    def open_sockets(self, HostNetwork network not None) -> int:
        """Return the number of a process's open sockets."""
        cdef int32_t host = self._host_of(network)
        cdef int32_t index
        count = 0
        for index in range(self.c.endpoint_count):
            count += (self.c.endpoints[index].host == host
                      and self.c.endpoints[index].process == network._view.process
                      and self.c.endpoints[index].handle >= 0)
        return count

    def close_host(self, HostNetwork network not None) -> None:
        """Close all sockets of a process, as its end would."""
        cdef int32_t host = self._host_of(network)
        cdef int32_t index
        cdef endpoint *each
        network._view.calls_left = -1
        network._view.calls_from_padding = 0
        for index in range(self.c.endpoint_count):
            each = &self.c.endpoints[index]
            if each.host == host and each.process == network._view.process:
                _close(&network._view, each.handle)

    @property
    def next_due_ns(self) -> int | None:
        """The arrival of the next datagram, in ns of virtual time, or None."""
        return self.c.flying[0].due_ns if self.c.flying_count > 0 else None

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of datagrams by outcome."""
        return dict(self.c.counts)

    @property
    def trace(self) -> int:
        """A hash of all events."""
        return self.c.trace


@cython.final
@cython.no_gc_clear  # needed for closing sockets
cdef class HostNetwork(Network):
    """The sockets of one simulated host or of one of its processes. Created by `Wire.add_host`.

    Attributes
    ----------
    wire : Wire
        The wire of the host.
    addresses : tuple of str
        The addresses of the host.
    """

    cdef int _join(self, Wire wire, int32_t host, tuple addresses) except -1:
        self.wire = wire
        self.addresses = addresses
        self._view.wire = &wire.c
        self._view.host = host
        self._view.calls_left = -1
        self.c.ops = &_OPS
        self.c.state = &self._view
        return 0

    def process(self) -> HostNetwork:
        """Return the network seam of another process of the host, with sockets of its own."""
        cdef HostNetwork other = HostNetwork.__new__(HostNetwork)
        other._join(self.wire, self._view.host, self.addresses)
        self.wire.c.hosts[self._view.host].process_count += 1
        other._view.process = self.wire.c.hosts[self._view.host].process_count
        return other

    def interfaces(self) -> list[Interface]:
        literals = ["127.0.0.1", *self.addresses]
        return [
            Interface(f"sim{index}", Address(literal, 0), 24 if index else 8, index == 0, True)
            for index, literal in enumerate(literals)
        ]

    def resolve(self, str host not None, int family=0) -> list[str]:
        try:
            found = [str(ipaddress.ip_address(host))]
        except ValueError:
            found = self.wire._names.get(host, [])
        found = [each for each in found if family in (0, ipaddress.ip_address(each).version)]
        if not found:
            raise PlatformError(EADDRNOTAVAIL, "name not known", host)
        return found
