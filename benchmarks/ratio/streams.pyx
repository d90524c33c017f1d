"""The loops of the stream benchmarks, without the GIL, equivalent to Java's ``PingPong`` and
``Throughput``.
"""
cimport cython
from cpython.array cimport array, clone
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free

from aeron_cluster.client.publication cimport (
    ExclusivePublication,
    exclusive_publication,
    exclusive_publication_offer,
    exclusive_publication_try_claim,
)
from aeron_cluster.client.subscription cimport (
    Subscription,
    subscription_poll,
    subscription_poller,
)
from aeron_cluster.logbuffer.image_poller cimport frame_view
from aeron_cluster.logbuffer.term_appender cimport buffer_claim, claim_commit, claim_payload
from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.agents.idle_strategy cimport IdleStrategy, idle, idle_strategy
from aeron_cluster.memory.shared.atomic cimport load_acquire_i32, store_release_i32
from aeron_cluster.memory.system.seams cimport SystemClock, clock, nano_time
from benchmarks.ratio.schedule cimport intended_ns, schedule

cdef enum:
    FRAGMENT_LIMIT = 8
    CHECK_INTERVAL = 0xFFFF  # passes between two reads of the clock

cdef array LONGS = array("q")


# One side of a stream pair, and the other agents of its thread.
cdef struct side:
    exclusive_publication *to
    subscription_poller *source
    idle_strategy waiting
    uint8_t *message
    int32_t size
    int32_t is_stopped
    int64_t seen
    int64_t received
    int64_t out_of_order
    const clock *time
    int64_t echoed  # echoes of the messages sent at a rate
    int64_t *times  # the intended times of sending, then the round trips
    void **agents  # driven by this thread: Agent
    int agent_count


cdef int drive(side *one) except -1 nogil:
    """Run a pass of each agent without its own thread."""
    cdef int i, work = 0
    for i in range(one.agent_count):
        work += (<Agent>one.agents[i]).do_work_fn((<Agent>one.agents[i]).state)
    return work


cdef int on_echo(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    cdef side *one = <side *>context
    if length == one.size:
        one.seen = (<const int64_t *>payload)[0]
    return 0


cdef int on_timed_echo(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    cdef side *one = <side *>context
    cdef int64_t sequence = (<const int64_t *>payload)[0]
    if length == one.size and sequence == one.echoed:
        one.times[sequence] = nano_time(one.time) - one.times[sequence]
        one.echoed += 1
    return 0


cdef int on_ping(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    cdef side *one = <side *>context
    while not load_acquire_i32(&one.is_stopped):
        if exclusive_publication_offer(one.to, payload, length) > 0:
            break
        idle(&one.waiting, drive(one))
    return 0


cdef int on_sequence(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    cdef side *one = <side *>context
    cdef int64_t sequence = (<const int64_t *>payload)[0]
    if sequence != one.seen:
        one.out_of_order += 1
    one.seen = sequence + 1
    one.received += 1
    return 0


@cython.final
cdef class Side:
    """One end: a publication, a subscription and an idle strategy."""

    cdef side c
    cdef SystemClock clock
    cdef ExclusivePublication publication
    cdef Subscription subscription
    cdef tuple agents

    def __cinit__(
        self, ExclusivePublication publication, Subscription subscription, int32_t size,
        str wait not None, tuple agents not None,
    ):
        cdef int index
        self.clock = SystemClock()
        self.c.time = &self.clock.c
        self.publication = publication
        self.subscription = subscription
        self.agents = agents
        self.c.size = size
        self.c.waiting = (<IdleStrategy>IdleStrategy(wait)).c
        self.c.message = <uint8_t *>calloc(1, max(size, 16))
        self.c.agents = <void **>calloc(max(len(agents), 1), sizeof(void *))
        if self.c.message == NULL or self.c.agents == NULL:
            raise MemoryError
        if publication is not None:
            self.c.to = &publication.c
        if subscription is not None:
            self.c.source = &subscription.poller
            subscription.pin()
        self.c.agent_count = <int>len(agents)
        for index in range(self.c.agent_count):
            self.c.agents[index] = <void *><Agent?>agents[index]

    def __dealloc__(self):
        free(self.c.message)
        free(self.c.agents)

    def close(self):
        if self.subscription is not None:
            self.subscription.unpin()
            self.subscription = None

    def stop(self):
        """End a loop of this side, from another thread."""
        store_release_i32(&self.c.is_stopped, 1)

    def ping(self, int64_t count, int64_t timeout_ns):
        """Send one message after the other, each after its echo; return the round trips in ns."""
        cdef array times = clone(LONGS, count, zero=False)
        cdef int64_t *out = <int64_t *>times.data.as_longlongs
        cdef int64_t done
        with nogil:
            done = ping(&self.c, count, timeout_ns, out)
        if done < count:
            raise TimeoutError(f"expected {count} echoes, the one after {done} is missing")
        return times

    def ping_at_rate(self, int64_t count, int64_t rate, int64_t timeout_ns):
        """Send messages at a rate per second; return the times to their echoes in ns.

        Each time counts from the intended time of sending.
        """
        cdef array times = clone(LONGS, count, zero=False)
        self.c.times = <int64_t *>times.data.as_longlongs
        with nogil:
            ping_at_rate(&self.c, count, rate, timeout_ns)
        if self.c.echoed < count:
            raise TimeoutError(f"expected {count} echoes, {self.c.echoed} arrived")
        return times

    def pong(self):
        """Echo until stopped."""
        with nogil:
            while not load_acquire_i32(&self.c.is_stopped):
                idle(
                    &self.c.waiting,
                    subscription_poll(self.c.source, on_ping, &self.c, FRAGMENT_LIMIT)
                    + drive(&self.c),
                )

    def publish(self, bint claiming):
        """Send numbered messages until stopped; return their number."""
        cdef int64_t sent
        with nogil:
            sent = publish(&self.c, claiming)
        return sent

    def receive(self, int64_t duration_ns, int limit):
        """Receive messages for a duration; return (count, seconds, total out of order)."""
        cdef int64_t before = self.c.received
        cdef int64_t elapsed_ns
        with nogil:
            elapsed_ns = receive(&self.c, duration_ns, limit)
        return self.c.received - before, elapsed_ns / 1e9, self.c.out_of_order


cdef int64_t ping(side *one, int64_t count, int64_t timeout_ns, int64_t *out) except -1 nogil:
    cdef int64_t i, sent_ns, passes
    for i in range(count):
        one.seen = -1
        (<int64_t *>one.message)[0] = i
        sent_ns = nano_time(one.time)
        while exclusive_publication_offer(one.to, one.message, one.size) < 0:
            drive(one)
            if nano_time(one.time) - sent_ns > timeout_ns:
                return i
        passes = 0
        while one.seen != i:
            idle(
                &one.waiting,
                subscription_poll(one.source, on_echo, one, FRAGMENT_LIMIT) + drive(one),
            )
            passes += 1
            if passes & CHECK_INTERVAL == 0 and nano_time(one.time) - sent_ns > timeout_ns:
                return i
        out[i] = nano_time(one.time) - sent_ns
    return count


cdef int ping_at_rate(side *one, int64_t count, int64_t rate, int64_t timeout_ns) except -1 nogil:
    cdef int64_t now = nano_time(one.time)
    cdef int64_t progress_ns = now
    cdef int64_t sent = 0
    cdef int64_t due, echoed
    cdef int work
    cdef schedule plan
    plan.begin_ns = now
    plan.rate = rate
    one.echoed = 0
    while one.echoed < count:
        work = 0
        echoed = one.echoed
        now = nano_time(one.time)
        while sent < count:
            due = intended_ns(&plan, sent, now)
            if due > now:
                break
            (<int64_t *>one.message)[0] = sent
            one.times[sent] = due
            if exclusive_publication_offer(one.to, one.message, one.size) < 0:
                break
            sent += 1
            work += 1
        work += subscription_poll(one.source, on_timed_echo, one, FRAGMENT_LIMIT) + drive(one)
        if one.echoed != echoed or (sent == echoed and intended_ns(&plan, sent, now) > now):
            progress_ns = now
        elif now - progress_ns > timeout_ns:
            break
        idle(&one.waiting, work)
    return 0


cdef int64_t publish(side *one, bint claiming) except -1 nogil:
    cdef buffer_claim claim
    cdef int64_t sequence = 0
    cdef int64_t position
    while not load_acquire_i32(&one.is_stopped):
        if claiming:
            position = exclusive_publication_try_claim(one.to, one.size, &claim)
            if position > 0:
                (<int64_t *>claim_payload(&claim))[0] = sequence
                claim_commit(&claim)
        else:
            (<int64_t *>one.message)[0] = sequence
            position = exclusive_publication_offer(one.to, one.message, one.size)
        if position > 0:
            sequence += 1
            if sequence & 0x3FF == 0:
                drive(one)
        else:
            idle(&one.waiting, drive(one))
    return sequence


cdef int64_t receive(side *one, int64_t duration_ns, int limit) except -1 nogil:
    cdef int64_t began = nano_time(one.time)
    cdef int64_t now = began
    while now - began < duration_ns:
        for _ in range(32):
            idle(&one.waiting, subscription_poll(one.source, on_sequence, one, limit))
        drive(one)
        now = nano_time(one.time)
    return now - began
