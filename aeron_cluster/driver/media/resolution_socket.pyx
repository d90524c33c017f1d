"""The socket over which drivers announce names to each other.

``io.aeron.driver.media.UdpNameResolutionTransport``. It is polled without the GIL, at most once per
interval; only received datagrams are passed to Python.
"""
cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from aeron_cluster.driver.streams.datagram_limits cimport RECEIVE_BUFFER_LENGTH
from aeron_cluster.memory.system.check cimport check
from aeron_cluster.memory.system.seams cimport Network, address_to, datagram


cdef bint poll_resolutions(resolution_socket *c, int64_t now_ns) noexcept nogil:
    cdef int received
    if now_ns < c.poll_deadline_ns:
        return False
    c.poll_deadline_ns = now_ns + c.poll_interval_ns
    if c.taken_count == c.received_count:
        c.taken_count = 0
        received = c.network.ops.receive(
            c.network.state, c.handle, c.batch, RESOLUTION_BATCH_COUNT)
        c.error_number = -received if received < 0 else 0
        c.received_count = received if received > 0 else 0
    return c.taken_count != c.received_count or c.error_number != 0


@cython.final
cdef class ResolutionSocket:
    """A socket whose datagrams are received in the duty cycle of the conductor.

    Parameters
    ----------
    network : Network
    bind : Address
        The local address; port 0 leaves the port to the system.
    poll_interval_ns : int
        The time between two polls.
    send_buffer_length, receive_buffer_length : int
        In bytes; 0 for the system's default.

    Raises
    ------
    PlatformError
        The address is in use, or does not belong to this machine.

    Notes
    -----
    Owned by the conductor.
    """

    def __cinit__(
        self,
        Network network not None,
        bind not None,
        *,
        int64_t poll_interval_ns,
        int send_buffer_length=0,
        int receive_buffer_length=0,
    ):
        cdef int index
        memset(&self.c, 0, sizeof(self.c))
        self._buffers = <uint8_t *>calloc(RESOLUTION_BATCH_COUNT, RECEIVE_BUFFER_LENGTH)
        if self._buffers == NULL:
            raise MemoryError
        for index in range(RESOLUTION_BATCH_COUNT):
            self.c.batch[index].data = self._buffers + index * RECEIVE_BUFFER_LENGTH
            self.c.batch[index].capacity = RECEIVE_BUFFER_LENGTH
        self._network = network
        self._socket = network.open(
            bind=bind,
            send_buffer_length=send_buffer_length,
            receive_buffer_length=receive_buffer_length,
        )
        self.c.network = network.c
        self.c.handle = self._socket.handle
        self.c.poll_interval_ns = poll_interval_ns

    def __dealloc__(self):
        free(self._buffers)

    @property
    def local_address(self):
        """The bound address."""
        return self._socket.local_address

    def take(self):
        """Return the next datagram of the last poll and its source; None if there is no other.

        Raises
        ------
        PlatformError
            The system rejected the poll.
        """
        cdef datagram *item
        cdef int error_number = self.c.error_number
        if error_number != 0:
            self.c.error_number = 0
            check(-error_number, None)
        if self.c.taken_count == self.c.received_count:
            return None
        item = &self.c.batch[self.c.taken_count]
        self.c.taken_count += 1
        data = PyBytes_FromStringAndSize(<const char *>item.data, item.length)
        return data, address_to(&item.address)

    def send(self, bytes data not None, to not None):
        """Send a datagram; return False if the system has no space for it.

        Raises
        ------
        PlatformError
            The system rejected it.
        """
        return self._socket.send(data, to)

    def close(self):
        """Close the socket; calling it again does nothing."""
        self._socket.close()
