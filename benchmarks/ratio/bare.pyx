"""Round trips of the bare machine, the lower bound of all others: one cache line, or two sockets.

Two threads exchange numbers: over a word in memory that both spin on, or over UDP sockets of the
loopback interface that both poll. The same schedules as the rigs', and no message format, flow
control or loss detection.
"""
cimport cython
from cpython.array cimport array, clone
from libc.errno cimport EAGAIN, ENOBUFS, errno
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memset

from aeron_cluster.memory.shared.atomic cimport (
    load_acquire_i32,
    load_acquire_i64,
    store_release_i32,
    store_release_i64,
)
from aeron_cluster.memory.system.check cimport raise_errno
from aeron_cluster.memory.system.seams cimport SystemClock, clock, nano_time
from benchmarks.ratio.schedule cimport intended_ns, schedule


cdef extern from "<stdlib.h>" nogil:
    int posix_memalign(void **memory, size_t alignment, size_t size)

cdef extern from "<sys/socket.h>" nogil:
    enum: MSG_DONTWAIT
    ssize_t send(int fd, const void *data, size_t length, int flags)
    ssize_t recv(int fd, void *data, size_t length, int flags)

cdef enum:
    LINE_LENGTH = 128  # two cache lines, which are fetched in pairs
    MESSAGE_LENGTH = 2048
    LINE_SPINS = 32  # reads of the line between two reads of the clock
    OUTSTANDING = 64  # datagrams, which fit into the smallest socket buffers

cdef array LONGS = array("q")


# Both ends. The line's word is 2 n + 1 after number n was sent, and 2 n + 2 after its return.
cdef struct exchange:
    int64_t *line  # NULL: sockets
    int ping_fd
    int pong_fd
    int32_t size
    int64_t window
    int32_t is_stopped
    const clock *time
    uint8_t ping_message[MESSAGE_LENGTH]
    uint8_t pong_message[MESSAGE_LENGTH]


cdef inline bint would_block() noexcept nogil:
    return errno == EAGAIN or errno == ENOBUFS


cdef inline int put(exchange *one, int64_t number) except -1 nogil:
    """Send a number; return 0 if there is no room for it."""
    if one.line != NULL:
        # Pairs with the acquire of the other end.
        store_release_i64(one.line, 2 * number + 1)
        return 1
    (<int64_t *>one.ping_message)[0] = number
    if send(one.ping_fd, one.ping_message, one.size, MSG_DONTWAIT) >= 0:
        return 1
    return 0 if would_block() else raise_errno(errno, b"send")


cdef inline int take(exchange *one, int64_t number) except -1 nogil:
    """Return whether the next number has been returned."""
    if one.line != NULL:
        for _ in range(LINE_SPINS):
            if load_acquire_i64(one.line) == 2 * number + 2:
                return 1
        return 0
    if recv(one.ping_fd, one.ping_message, MESSAGE_LENGTH, MSG_DONTWAIT) >= 0:
        return (<int64_t *>one.ping_message)[0] == number
    return 0 if would_block() else raise_errno(errno, b"recv")


cdef int64_t ping(
    exchange *one, int64_t count, int64_t rate, int64_t timeout_ns, int64_t *times
) except -1 nogil:
    cdef int64_t now = nano_time(one.time)
    cdef int64_t progress_ns = now
    cdef int64_t sent = 0
    cdef int64_t echoed = 0
    cdef int64_t due
    cdef int64_t window = one.window if rate > 0 else 1
    cdef schedule plan
    plan.begin_ns = now
    plan.rate = rate
    while echoed < count:
        now = nano_time(one.time)
        while sent < count and sent - echoed < window:
            due = intended_ns(&plan, sent, now)
            if due > now:
                if sent == echoed:
                    progress_ns = now
                break
            times[sent] = due
            if not put(one, sent):
                break
            sent += 1
        if sent > echoed and take(one, echoed):
            times[echoed] = nano_time(one.time) - times[echoed]
            echoed += 1
            progress_ns = now
        elif now - progress_ns > timeout_ns:
            break
    return echoed


cdef int pong(exchange *one) except -1 nogil:
    cdef int64_t value
    cdef ssize_t length
    while not load_acquire_i32(&one.is_stopped):
        if one.line != NULL:
            value = load_acquire_i64(one.line)
            if value & 1:
                store_release_i64(one.line, value + 1)
            continue
        length = recv(one.pong_fd, one.pong_message, MESSAGE_LENGTH, MSG_DONTWAIT)
        if length < 0:
            if not would_block():
                return raise_errno(errno, b"recv")
            continue
        while send(one.pong_fd, one.pong_message, length, MSG_DONTWAIT) < 0:
            if not would_block():
                return raise_errno(errno, b"send")
            if load_acquire_i32(&one.is_stopped):
                break
    return 0


@cython.final
cdef class Exchange:
    """The two ends of a cache line, or of two given sockets that are connected to each other.

    Parameters
    ----------
    ping_fd, pong_fd : int
        Datagram sockets; -1 for the line.
    size : int
        The length of a datagram, 8 to 2048 bytes.
    """

    cdef exchange c
    cdef SystemClock clock

    def __cinit__(self, int ping_fd=-1, int pong_fd=-1, int32_t size=32):
        if not 8 <= size <= MESSAGE_LENGTH:
            raise ValueError(f"size: expected 8 to {MESSAGE_LENGTH}, found {size}")
        self.clock = SystemClock()
        self.c.time = &self.clock.c
        self.c.ping_fd = ping_fd
        self.c.pong_fd = pong_fd
        self.c.size = size
        self.c.window = OUTSTANDING
        if ping_fd < 0:
            self.c.window = 1
            if posix_memalign(<void **>&self.c.line, LINE_LENGTH, LINE_LENGTH) != 0:
                self.c.line = NULL
                raise MemoryError
            memset(self.c.line, 0, LINE_LENGTH)

    def __dealloc__(self):
        free(self.c.line)

    def stop(self):
        """End the loop of `pong`."""
        store_release_i32(&self.c.is_stopped, 1)

    def pong(self):
        """Answer until stopped."""
        with nogil:
            pong(&self.c)

    def ping(self, int64_t count, int64_t rate, int64_t timeout_ns):
        """Send numbers at a rate per second or, at rate 0, each after the answer to the previous
        one.

        Returns
        -------
        array of int
            The times to the answers in ns, each from the intended time of sending.

        Raises
        ------
        TimeoutError
            No answer came for `timeout_ns`.
        """
        cdef array times = clone(LONGS, count, zero=False)
        cdef int64_t *out = <int64_t *>times.data.as_longlongs
        cdef int64_t echoed
        if self.c.line != NULL:
            store_release_i64(self.c.line, 0)
        with nogil:
            echoed = ping(&self.c, count, rate, timeout_ns, out)
        if echoed < count:
            raise TimeoutError(f"expected {count} answers, {echoed} arrived")
        return times
