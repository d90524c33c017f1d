"""Datagrams between sockets of one process.

A plain network: datagrams arrive immediately and in order, unless its creator intercepts them.
"""
cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.errno cimport EADDRINUSE, EAFNOSUPPORT, EBADF, EMSGSIZE
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from aeron_cluster.memory.system.seams cimport (
    Network,
    address,
    address_from,
    address_to,
    datagram,
    datagram_ops,
    socket_options,
)

from collections import deque

from aeron_cluster.memory.system.address import Address

cdef enum:
    FIRST_PORT = 32768
    LAST_PORT = 60999
    DEFAULT_BUFFER_LENGTH = 212992
    QUEUE_LIMIT = 4096  # datagrams queued in one socket; more are lost, as in a kernel
    MAX_DATAGRAM_LENGTH = 65507


class _Socket:
    """A socket: its address, its peer, and its queue of datagrams."""

    __slots__ = ("buffers", "group", "is_shared", "local", "peer", "waiting")

    def __init__(self, local, peer, group, is_shared, buffers):
        self.local = local
        self.peer = peer
        self.group = group
        self.is_shared = is_shared
        self.buffers = buffers
        self.waiting = deque()

    def accepts(self, source, target):
        if self.peer is not None and self.peer != source and self.group is None:
            return False
        if self.local.port != target.port:
            return False
        return target.host in (self.local.host, self.group) or (
            self.local.host in ("0.0.0.0", "::") and not _is_multicast(target.host))


def _is_multicast(host):
    if ":" in host:
        return host.startswith("ff")
    return 224 <= int(host.partition(".")[0] or 0) <= 239


@cython.final
@cython.no_gc_clear  # needed for closing sockets
cdef class MemoryNetwork(Network):
    """A network in this process: sockets of any host, without simulated links.

    Parameters
    ----------
    intercept : callable, optional
        Called with each datagram as ``(source, target, data)``; returns an iterable of the payloads
        to deliver instead: an empty one drops it, two duplicate it. To delay it, call `deliver`
        later.

    Notes
    -----
    For one thread at a time. If the callable raises, the datagram is lost, and Python reports the
    exception.
    """

    def __cinit__(self, intercept=None):
        self._sockets = {}
        self._intercept = intercept
        self._next_port = FIRST_PORT
        self.c.ops = &memory_datagram_ops
        self.c.state = <void *>self

    def deliver(self, source, target, bytes data not None):
        """Deliver a datagram to every socket that accepts it; return their number."""
        source = Address(*source)
        target = Address(*target)
        reached = 0
        for each in self._sockets.values():
            if each.accepts(source, target) and len(each.waiting) < QUEUE_LIMIT:
                each.waiting.append((source, data))
                reached += 1
        return reached

    def resolve(self, str host not None, int family=0):
        """Return a literal address unchanged; the only known name is localhost."""
        if host == "localhost":
            return ["127.0.0.1"]
        return Network.resolve(self, host, family)


cdef MemoryNetwork network_of(void *state):
    return <MemoryNetwork>state


cdef object free_port(MemoryNetwork network, str host):
    used = {each.local.port for each in network._sockets.values()}
    for _ in range(FIRST_PORT, LAST_PORT + 1):
        port = network._next_port
        network._next_port = FIRST_PORT if port == LAST_PORT else port + 1
        if port not in used:
            return Address(host, port)
    return None


cdef int64_t memory_open(void *state, const socket_options *options) noexcept with gil:
    cdef MemoryNetwork network = network_of(state)
    local = address_to(&options.bind)
    peer = address_to(&options.connect)
    group = address_to(&options.multicast_group)
    if local is None:
        local = Address("127.0.0.1" if peer is None or ":" not in peer.host else "::1", 0)
    if local.port == 0:
        # A connected socket sends from its own address.
        host = local.host
        if peer is not None and host in ("0.0.0.0", "::"):
            host = "::1" if ":" in host else "127.0.0.1"
        local = free_port(network, host)
        if local is None:
            return -EADDRINUSE
    for each in network._sockets.values():
        if each.local == local and not (each.is_shared and options.reuse_address):
            return -EADDRINUSE
    network._next_handle += 1
    network._sockets[network._next_handle] = _Socket(
        local, peer, None if group is None else group.host, bool(options.reuse_address),
        (options.send_buffer_length or DEFAULT_BUFFER_LENGTH,
         options.receive_buffer_length or DEFAULT_BUFFER_LENGTH))
    return network._next_handle


cdef int memory_close(void *state, int64_t handle) noexcept with gil:
    if network_of(state)._sockets.pop(handle, None) is None:
        return -EBADF
    return 0


cdef int memory_send(
        void *state, int64_t handle, datagram *datagrams, int item_count) noexcept with gil:
    cdef MemoryNetwork network = network_of(state)
    cdef int index
    sender = network._sockets.get(handle)
    if sender is None:
        return -EBADF
    for index in range(item_count):
        target = address_to(&datagrams[index].address) or sender.peer
        if datagrams[index].length > MAX_DATAGRAM_LENGTH:
            return -EMSGSIZE
        data = PyBytes_FromStringAndSize(
            <char *>datagrams[index].data, datagrams[index].length)
        if network._intercept is None:
            network.deliver(sender.local, target, data)
        else:
            for arriving in network._intercept(sender.local, target, data):
                network.deliver(sender.local, target, arriving)
    return item_count


cdef int memory_receive(
        void *state, int64_t handle, datagram *datagrams, int item_count) noexcept with gil:
    cdef int index = 0
    cdef int32_t length
    receiver = network_of(state)._sockets.get(handle)
    if receiver is None:
        return -EBADF
    while index < item_count and receiver.waiting:
        source, data = receiver.waiting.popleft()
        length = <int32_t>PyBytes_GET_SIZE(data)
        if length > datagrams[index].capacity:
            length = 0
        memcpy(datagrams[index].data, PyBytes_AS_STRING(data), length)
        datagrams[index].length = length
        datagrams[index].receive_epoch_nanos = 0
        address_from(source, &datagrams[index].address)
        index += 1
    return index


cdef int memory_connect(void *state, int64_t handle, const address *remote) noexcept with gil:
    found = network_of(state)._sockets.get(handle)
    if found is None:
        return -EBADF
    peer = address_to(remote)
    if peer is not None and (":" in peer.host) != (":" in found.local.host):
        return -EAFNOSUPPORT
    found.peer = peer
    return 0


cdef int memory_local_address(void *state, int64_t handle, address *local) noexcept with gil:
    found = network_of(state)._sockets.get(handle)
    if found is None:
        return -EBADF
    address_from(found.local, local)
    return 0


cdef int memory_buffer_lengths(
        void *state, int64_t handle, int32_t *send, int32_t *receive) noexcept with gil:
    found = network_of(state)._sockets.get(handle)
    if found is None:
        return -EBADF
    send[0], receive[0] = found.buffers
    return 0


cdef datagram_ops memory_datagram_ops
memory_datagram_ops.open = memory_open
memory_datagram_ops.close = memory_close
memory_datagram_ops.send = memory_send
memory_datagram_ops.receive = memory_receive
memory_datagram_ops.connect = memory_connect
memory_datagram_ops.local_address = memory_local_address
memory_datagram_ops.buffer_lengths = memory_buffer_lengths
