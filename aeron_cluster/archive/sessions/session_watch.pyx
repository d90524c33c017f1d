"""Quiet control sessions: pinged, and checked for loss, without the GIL.

The steady part of ``io.aeron.archive.ControlSession``.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.client.publication cimport (
    exclusive_publication_is_connected,
    exclusive_publication_offer,
)


cdef enum:
    SEND_ATTEMPTS = 3


cdef inline bint try_ping(session_watch *watch, int64_t now_ns) noexcept nogil:
    cdef int _attempt
    for _attempt in range(SEND_ATTEMPTS):
        if exclusive_publication_offer(watch.responses, watch.ping, watch.ping_length) > 0:
            watch.ping_ns = now_ns + watch.interval_ns
            return True
    return False


cdef bint check_sessions(session_watch *first, int64_t now_ns) noexcept nogil:
    cdef session_watch *watch = first
    cdef bint is_due = False
    while watch != NULL:
        if watch.is_quiet and (
            watch.requests.is_closed
            or not exclusive_publication_is_connected(watch.responses)
            or now_ns >= watch.ping_ns and not try_ping(watch, now_ns)
        ):
            is_due = True
        watch = watch.next
    return is_due


@cython.final
cdef class SessionWatch:
    """The state of a session without requests, for checks without the GIL.

    Parameters
    ----------
    responses : ExclusivePublication
        The publication to its client.
    requests : Image
        The image of its requests.
    ping : bytes
        The ping message.
    ping_ns : int
        The time of the first ping, on the monotonic clock.
    interval_ns : int
        The interval of pings, in ns.

    Attributes
    ----------
    is_quiet : bool
        Set by the session while nothing is queued for it: only then is it pinged here.
    ping_ns : int
        The time of the next ping.

    Notes
    -----
    On the archive conductor's thread.
    """

    def __cinit__(
            self, ExclusivePublication responses not None, Image requests not None,
            bytes ping not None, int64_t ping_ns, int64_t interval_ns):
        self._mapping = responses.hold()
        self._responses = responses
        self._requests = requests
        self._ping = ping
        self.c.responses = &responses.c
        self.c.requests = &requests.poller
        self.c.ping = <const uint8_t *>self._ping
        self.c.ping_length = <int32_t>len(ping)
        self.c.ping_ns = ping_ns
        self.c.interval_ns = interval_ns

    @property
    def is_quiet(self):
        return self.c.is_quiet

    @is_quiet.setter
    def is_quiet(self, bint is_quiet):
        self.c.is_quiet = is_quiet

    @property
    def ping_ns(self):
        return self.c.ping_ns

    @ping_ns.setter
    def ping_ns(self, int64_t ping_ns):
        self.c.ping_ns = ping_ns
