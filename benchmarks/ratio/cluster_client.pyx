"""The loop of a cluster client, without the GIL, equivalent to Java's ``ClusterClient`` with
echoes.
"""
cimport cython
from cpython.array cimport array, clone
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free

from aeron_cluster.client.publication cimport (
    ExclusivePublication,
    exclusive_publication,
    exclusive_publication_offer,
)
from aeron_cluster.client.subscription cimport (
    Subscription,
    subscription_poll,
    subscription_poller,
)
from aeron_cluster.codecs.cluster_codecs cimport (
    SCHEMA_ID,
    SESSION_MESSAGE_HEADER_TEMPLATE_ID,
    session_message_header_cluster_session_id,
)
from aeron_cluster.codecs.sbe cimport sbe_message, sbe_wrap
from aeron_cluster.codecs.session_header cimport SESSION_HEADER_LENGTH, put_session_header
from aeron_cluster.logbuffer.image_poller cimport frame_view
from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.agents.idle_strategy cimport IdleStrategy, idle, idle_strategy
from aeron_cluster.memory.system.seams cimport SystemClock, clock, nano_time
from benchmarks.ratio.schedule cimport intended_ns, schedule

cdef enum:
    SERVICE_HEADER_LENGTH = 24  # command, reserved, sequence, time of sending
    FRAGMENT_LIMIT = 256
    BURST = 64

cdef array LONGS = array("q")


# One session, and the other agents of its thread.
cdef struct session:
    exclusive_publication *ingress
    subscription_poller *egress
    idle_strategy waiting
    uint8_t *message  # with its session header
    int32_t size
    int64_t cluster_session_id
    int64_t sent
    int64_t received
    int64_t bad
    int64_t *times  # of the current round: the intended time of sending, then the round trip
    int64_t first  # sequence of the round's first message
    const clock *time
    void **agents  # driven by this thread: Agent
    int agent_count


cdef int drive(session *one) except -1 nogil:
    """Run a pass of each agent without its own thread."""
    cdef int i, work = 0
    for i in range(one.agent_count):
        work += (<Agent>one.agents[i]).do_work_fn((<Agent>one.agents[i]).state)
    return work


cdef int on_egress(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    """Check an echo: session, sequence and length."""
    cdef session *one = <session *>context
    cdef sbe_message message
    cdef int64_t sequence
    if not sbe_wrap(&message, payload, length) or message.schema_id != SCHEMA_ID:
        return 0
    if message.template_id != SESSION_MESSAGE_HEADER_TEMPLATE_ID:
        return 0
    if session_message_header_cluster_session_id(
        message.body, message.block_length, message.version
    ) != one.cluster_session_id:
        return 0
    sequence = (<const int64_t *>(payload + SESSION_HEADER_LENGTH + 8))[0]
    if sequence != one.received or length != SESSION_HEADER_LENGTH + one.size:
        one.bad += 1
        return 0
    one.times[sequence - one.first] = nano_time(one.time) - one.times[sequence - one.first]
    one.received += 1
    return 0


@cython.final
cdef class EchoSession:
    """An open session that sends numbered messages and receives their echoes.

    Parameters
    ----------
    ingress : ExclusivePublication
    egress : Subscription
    leadership_term_id, cluster_session_id : int
    size : int
        The length of a message, at least 24 bytes.
    wait : str
        The idle strategy of a pass without work.
    agents : tuple of Agent
        The other agents that the thread drives.
    """

    cdef session c
    cdef SystemClock clock
    cdef ExclusivePublication ingress
    cdef Subscription egress
    cdef tuple agents

    def __cinit__(
        self, ExclusivePublication ingress not None, Subscription egress not None,
        int64_t leadership_term_id, int64_t cluster_session_id, int32_t size,
        str wait not None, tuple agents not None,
    ):
        cdef int index
        if size < SERVICE_HEADER_LENGTH:
            raise ValueError(f"message of {size} bytes, expected at least {SERVICE_HEADER_LENGTH}")
        self.clock = SystemClock()
        self.c.time = &self.clock.c
        self.ingress = ingress
        self.egress = egress
        self.agents = agents
        self.c.ingress = &ingress.c
        self.c.egress = &egress.poller
        self.c.size = size
        self.c.cluster_session_id = cluster_session_id
        self.c.waiting = (<IdleStrategy>IdleStrategy(wait)).c
        self.c.message = <uint8_t *>calloc(1, SESSION_HEADER_LENGTH + size)
        self.c.agents = <void **>calloc(max(len(agents), 1), sizeof(void *))
        if self.c.message == NULL or self.c.agents == NULL:
            raise MemoryError
        put_session_header(self.c.message, leadership_term_id, cluster_session_id, 0)
        self.c.agent_count = <int>len(agents)
        for index in range(self.c.agent_count):
            self.c.agents[index] = <void *><Agent?>agents[index]
        egress.pin()

    def __dealloc__(self):
        free(self.c.message)
        free(self.c.agents)

    def close(self):
        if self.egress is not None:
            self.egress.unpin()
            self.egress = None

    def echo(self, int64_t count, int64_t window, int64_t timeout_ns, int64_t rate=0):
        """Send `count` messages, at most `window` of them unanswered.

        With a rate, messages are sent per second, and a round trip counts from the intended time of
        sending.

        Returns
        -------
        array of int
            The round trips in ns.

        Raises
        ------
        TimeoutError
            No echo came for `timeout_ns`.
        ValueError
            An echo was not the expected one.
        """
        cdef array times = clone(LONGS, count, zero=False)
        self.c.times = <int64_t *>times.data.as_longlongs
        self.c.first = self.c.sent
        with nogil:
            echo(&self.c, count, window, timeout_ns, rate)
        if self.c.bad:
            raise ValueError(f"{self.c.bad} echoes that were not the next one")
        if self.c.received < self.c.first + count:
            raise TimeoutError(f"expected {count} echoes, {self.c.received - self.c.first} arrived")
        return times


cdef int echo(
    session *one, int64_t count, int64_t window, int64_t timeout_ns, int64_t rate
) except -1 nogil:
    cdef int64_t end = one.first + count
    cdef int64_t *numbers = <int64_t *>(one.message + SESSION_HEADER_LENGTH)
    cdef int64_t now = nano_time(one.time)
    cdef int64_t progress_ns = now
    cdef int64_t received, due
    cdef int work, sent
    cdef schedule plan
    plan.begin_ns = now
    plan.rate = rate
    while one.received < end and one.bad == 0:
        sent = 0
        received = one.received
        now = nano_time(one.time)
        while sent < BURST and one.sent < end and one.sent - received < window:
            due = intended_ns(&plan, one.sent - one.first, now)
            if due > now:
                break
            numbers[1] = one.sent
            numbers[2] = due
            one.times[one.sent - one.first] = due
            if exclusive_publication_offer(
                one.ingress, one.message, SESSION_HEADER_LENGTH + one.size
            ) < 0:
                break
            one.sent += 1
            sent += 1
            now = nano_time(one.time)
        work = drive(one)
        work += subscription_poll(one.egress, on_egress, one, FRAGMENT_LIMIT)
        if one.received != received or sent > 0 or (
            one.sent == received and intended_ns(&plan, one.sent - one.first, now) > now
        ):
            progress_ns = now
        elif now - progress_ns > timeout_ns:
            break
        idle(&one.waiting, work + sent)
    return 0
