"""Agents of a user's extension that use the client's C functions and never take the GIL."""
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from aeron_cluster.client.publication cimport (
    ExclusivePublication,
    exclusive_publication,
    exclusive_publication_is_connected,
    exclusive_publication_limit,
    exclusive_publication_offer,
    exclusive_publication_position,
)
from aeron_cluster.client.subscription cimport (
    Subscription,
    subscription_is_connected,
    subscription_poll,
    subscription_poller,
)
from aeron_cluster.logbuffer.image_poller cimport frame_view
from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.shared.atomic cimport (
    add_release_i64,
    load_acquire_i32,
    load_acquire_i64,
    store_release_i32,
    store_release_i64,
)
from aeron_cluster.memory.shared.mapped_file cimport MappedFile


cdef struct polling:
    subscription_poller *poller
    int64_t passes
    int64_t messages
    int64_t sum  # of every byte, so that each is read
    int32_t was_connected


cdef int add_bytes(
        void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    cdef polling *self = <polling *>context
    cdef int32_t i
    add_release_i64(&self.messages, 1)
    for i in range(length):
        self.sum += payload[i]
    return 0


cdef int polling_do_work(void *state) except -1 nogil:
    cdef polling *self = <polling *>state
    add_release_i64(&self.passes, 1)
    if subscription_is_connected(self.poller):
        store_release_i32(&self.was_connected, 1)
    return subscription_poll(self.poller, add_bytes, self, 10)


cdef class PollingAgent(Agent):
    """Polls a subscription."""

    cdef polling c
    cdef Subscription subscription

    def __init__(self, Subscription subscription not None):
        self.subscription = subscription
        self.c.poller = &subscription.poller
        self.do_work_fn = polling_do_work
        self.state = &self.c

    def on_start(self):
        self.subscription.pin()

    def on_close(self):
        self.subscription.unpin()

    @property
    def passes(self):
        return load_acquire_i64(&self.c.passes)

    @property
    def messages(self):
        return load_acquire_i64(&self.c.messages)

    @property
    def was_connected(self):
        return bool(load_acquire_i32(&self.c.was_connected))


cdef struct offering:
    exclusive_publication *to
    int64_t accepted
    int64_t last_result
    int64_t position
    int64_t limit
    int32_t is_connected


cdef int offering_do_work(void *state) except -1 nogil:
    cdef offering *self = <offering *>state
    cdef int64_t number = self.accepted
    cdef uint8_t message[8]
    memcpy(message, &number, 8)
    cdef int64_t result = exclusive_publication_offer(self.to, message, 8)
    store_release_i64(&self.last_result, result)
    store_release_i64(&self.position, exclusive_publication_position(self.to))
    store_release_i64(&self.limit, exclusive_publication_limit(self.to))
    store_release_i32(&self.is_connected, exclusive_publication_is_connected(self.to))
    if result > 0:
        add_release_i64(&self.accepted, 1)
        return 1
    return 0


cdef class OfferingAgent(Agent):
    """Offers numbers to a publication, which may be closed meanwhile."""

    cdef offering c
    cdef ExclusivePublication publication
    cdef MappedFile held

    def __init__(self, ExclusivePublication publication not None):
        self.publication = publication
        self.held = publication.hold()
        self.c.to = &publication.c
        self.do_work_fn = offering_do_work
        self.state = &self.c

    @property
    def accepted(self):
        return load_acquire_i64(&self.c.accepted)

    @property
    def last_result(self):
        return load_acquire_i64(&self.c.last_result)

    @property
    def position(self):
        return load_acquire_i64(&self.c.position)

    @property
    def limit(self):
        return load_acquire_i64(&self.c.limit)

    @property
    def is_connected(self):
        return bool(load_acquire_i32(&self.c.is_connected))
