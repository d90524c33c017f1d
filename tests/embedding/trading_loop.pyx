"""A user's trading loop: prices in, orders out, without the GIL.

An exchange publishes prices on one stream and receives orders on another. A strategy polls the
prices and puts an order into a ring for each one below its limit; a gateway takes the orders from
the ring and publishes them. Built against the installed headers and ``.pxd`` files.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.client.image cimport Image
from aeron_cluster.client.publication cimport (
    ExclusivePublication,
    Publication,
    exclusive_publication,
    exclusive_publication_try_claim,
    publication,
    publication_offer,
)
from aeron_cluster.client.subscription cimport (
    Subscription,
    subscription_controlled_poll,
    subscription_poller,
)
from aeron_cluster.logbuffer.image_poller cimport Action, frame_view, image_poller, poll
from aeron_cluster.logbuffer.term_appender cimport buffer_claim, claim_commit, claim_payload
from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.agents.idle_strategy cimport IdleStrategy, idle, idle_strategy
from aeron_cluster.memory.shared.mapped_file cimport MappedFile
from aeron_cluster.memory.shared.ring_buffer cimport (
    ControlledReadAction,
    OneToOneRingBuffer,
    one_to_one_controlled_read,
    one_to_one_ring,
    one_to_one_write,
)
from aeron_cluster.memory.system.seams cimport SystemClock, nano_time

cdef enum:
    ORDER = 1  # type of a message in the ring
    LIMIT = 16  # fragments a pass
    WAIT_NS = 60000000000


# The payload of a price, and of the order that answers it.
cdef struct quote:
    int64_t number
    int64_t price


cdef struct strategy:
    subscription_poller *prices
    one_to_one_ring *orders
    int64_t limit


cdef int on_price(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    cdef strategy *self = <strategy *>context
    cdef const quote *price = <const quote *>payload
    if price.price < self.limit and one_to_one_write(self.orders, ORDER, payload, length) < 0:
        return Action.ABORT  # no room in the ring: the price is polled again in the next pass
    return Action.CONTINUE


cdef int strategy_do_work(void *state) except -1 nogil:
    cdef strategy *self = <strategy *>state
    return subscription_controlled_poll(self.prices, on_price, self, LIMIT)


@cython.final
cdef class Strategy(Agent):
    """Polls prices, writes orders into a ring."""

    cdef strategy c
    cdef Subscription prices
    cdef OneToOneRingBuffer orders

    def __init__(
        self, Subscription prices not None, OneToOneRingBuffer orders not None, int64_t limit
    ):
        self.prices = prices
        self.orders = orders
        self.c.prices = &prices.poller
        self.c.orders = &orders.ring
        self.c.limit = limit
        self.do_work_fn = strategy_do_work
        self.state = &self.c

    def on_start(self):
        self.prices.pin()

    def on_close(self):
        self.prices.unpin()


cdef struct gateway:
    one_to_one_ring *orders
    exclusive_publication *to


cdef ControlledReadAction on_order(
    int32_t message_type, const uint8_t *data, int32_t length, void *context
) noexcept nogil:
    """Publish an order; leave it in the ring if the publication has no room."""
    cdef gateway *self = <gateway *>context
    cdef buffer_claim claim
    if exclusive_publication_try_claim(self.to, length, &claim) < 0:
        return ControlledReadAction.READ_ABORT
    (<quote *>claim_payload(&claim))[0] = (<const quote *>data)[0]
    claim_commit(&claim)
    return ControlledReadAction.READ_CONTINUE


cdef int gateway_do_work(void *state) except -1 nogil:
    cdef gateway *self = <gateway *>state
    return one_to_one_controlled_read(self.orders, on_order, self, LIMIT)


@cython.final
cdef class Gateway(Agent):
    """Reads orders from a ring, publishes them."""

    cdef gateway c
    cdef OneToOneRingBuffer orders
    cdef ExclusivePublication publication
    cdef MappedFile held

    def __init__(
        self, OneToOneRingBuffer orders not None, ExclusivePublication to not None
    ):
        self.orders = orders
        self.publication = to
        self.held = to.hold()
        self.c.orders = &orders.ring
        self.c.to = &to.c
        self.do_work_fn = gateway_do_work
        self.state = &self.c


cdef struct exchange:
    publication *prices
    image_poller *orders
    idle_strategy waiting
    int64_t received
    int64_t sum  # of the prices of the orders


cdef int on_received(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    cdef exchange *self = <exchange *>context
    self.received += 1
    self.sum += (<const quote *>payload).price
    return 0


cdef int64_t trade(
    exchange *self, SystemClock clock, int64_t count, int64_t wanted
) except -1 nogil:
    """Publish prices 0, 1, ... and poll orders; return how many arrived in time."""
    cdef int64_t deadline_ns = nano_time(&clock.c) + WAIT_NS
    cdef quote price
    cdef int work
    price.number = 0
    while self.received < wanted or price.number < count:
        work = 0
        if price.number < count:
            price.price = price.number
            if publication_offer(self.prices, <const uint8_t *>&price, sizeof(quote)) > 0:
                price.number += 1
                work += 1
        work += poll(self.orders, on_received, self, LIMIT)
        if work == 0 and nano_time(&clock.c) > deadline_ns:
            break
        idle(&self.waiting, work)
    return self.received


def run(Publication prices not None, Image orders not None, int64_t count, int64_t wanted):
    """Publish prices until so many orders came; return (orders, sum of their prices)."""
    cdef exchange one
    cdef SystemClock clock = SystemClock()
    cdef MappedFile kept_prices = prices.hold()
    cdef MappedFile kept_orders = orders.hold()
    one.prices = &prices.c
    one.orders = &orders.poller
    one.waiting = (<IdleStrategy>IdleStrategy("yield")).c
    one.received = 0
    one.sum = 0
    with nogil:
        trade(&one, clock, count, wanted)
    del kept_prices, kept_orders
    return one.received, one.sum
