"""The streams of a client whose messages are sent and checked by C functions, without the GIL."""
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memcpy
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from aeron_cluster.client.publication cimport (
    ExclusivePublication,
    Publication,
    exclusive_publication,
    exclusive_publication_offer,
    exclusive_publication_try_claim,
    publication,
    publication_offer,
    publication_try_claim,
)
from aeron_cluster.client.subscription cimport Subscription, subscription_poll, subscription_poller
from aeron_cluster.logbuffer.fragment_assembler cimport (
    assemble,
    assembler_free,
    assembler_init,
    fragment_assembler,
)
from aeron_cluster.logbuffer.frames cimport DATA_HEADER_LENGTH
from aeron_cluster.logbuffer.image_poller cimport frame_view
from aeron_cluster.logbuffer.term_appender cimport CLOSED, buffer_claim, claim_commit
from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.shared.mapped_file cimport MappedFile

from aeron_cluster.errors import ClosedError


cdef extern from "messages.h":
    enum:
        MIXED_MAX_LENGTH

    ctypedef struct mixed_expected:
        int32_t session_id
        int64_t publisher
        int64_t next

    ctypedef struct mixed_image:
        pass

    ctypedef struct mixed_checks:
        bint is_reliable
        mixed_image *images
        int expected_count
        mixed_expected *expected
        int64_t message_count
        int64_t byte_count
        int64_t gap_count
        char *fault

    int32_t mixed_encode(
        uint8_t *message, int64_t publisher, int64_t sequence, int64_t previous_start) nogil
    int64_t mixed_framed_length(int32_t length, int32_t max_payload_length) nogil
    void mixed_on_image(mixed_checks *checks, int32_t session_id, int64_t join_position)
    void mixed_on_image_end(mixed_checks *checks, int32_t session_id)
    void mixed_check(
        mixed_checks *checks, int32_t session_id, const uint8_t *message, int32_t length) nogil


cdef enum:
    MAX_STREAM_COUNT = 64


cdef struct publishing:
    publication *shared
    exclusive_publication *exclusive  # or NULL
    int64_t publisher
    int64_t sequence
    int64_t previous_start
    int64_t interval_ns
    int64_t due_ns
    int32_t max_payload_length


cdef struct receiving:
    subscription_poller *poller
    fragment_assembler assembler
    mixed_checks checks


cdef int on_message(
        void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    mixed_check(<mixed_checks *>context, header.frame.session_id, payload, length)
    return 0


cdef int64_t append(
        publishing *self, const uint8_t *message, int32_t length, bint is_claimed) noexcept nogil:
    cdef buffer_claim claim
    cdef int64_t position
    if not is_claimed:
        if self.exclusive != NULL:
            return exclusive_publication_offer(self.exclusive, message, length)
        return publication_offer(self.shared, message, length)
    if self.exclusive != NULL:
        position = exclusive_publication_try_claim(self.exclusive, length, &claim)
    else:
        position = publication_try_claim(self.shared, length, &claim)
    if position > 0:
        memcpy(<uint8_t *>claim.frame + DATA_HEADER_LENGTH, message, length)
        claim_commit(&claim)
    return position


cdef int publish(publishing *self, int64_t now_ns) except -1 nogil:
    cdef uint8_t[MIXED_MAX_LENGTH] message
    cdef int32_t length
    cdef int64_t position
    if now_ns < self.due_ns:
        return 0
    length = mixed_encode(message, self.publisher, self.sequence, self.previous_start)
    position = append(
        self, message, length, self.sequence % 4 == 0 and length <= self.max_payload_length)
    if position == CLOSED:
        with gil:
            raise ClosedError("publication")
    if position <= 0:
        return 0
    self.previous_start = position - mixed_framed_length(length, self.max_payload_length)
    self.sequence += 1
    self.due_ns = max(self.due_ns, now_ns - 10 * self.interval_ns) + self.interval_ns
    return 1


cdef class NativePublisher:
    """A publication and its state."""

    cdef publishing c
    cdef object owner
    cdef MappedFile held

    def __init__(self, owner, int64_t publisher, int64_t interval_us):
        self.owner = owner
        if isinstance(owner, ExclusivePublication):
            self.held = (<ExclusivePublication>owner).hold()
            self.c.exclusive = &(<ExclusivePublication>owner).c
        else:
            self.held = (<Publication?>owner).hold()
            self.c.shared = &(<Publication>owner).c
        self.c.publisher = publisher
        self.c.previous_start = -1
        self.c.interval_ns = 1000 * interval_us
        self.c.max_payload_length = owner.max_payload_length

    @property
    def sent(self):
        return self.c.sequence

    def close(self):
        self.owner.close()


cdef class NativeSubscriber:
    """A subscription and its checks; `on_image` and `on_image_end` are its handlers."""

    cdef receiving c
    cdef Subscription subscription
    cdef object notify

    def __cinit__(self):
        assembler_init(&self.c.assembler, on_message, &self.c.checks, NULL)

    def __init__(self, bint is_reliable, notify):
        self.c.checks.is_reliable = is_reliable
        self.notify = notify

    def open(self, Subscription subscription not None):
        self.subscription = subscription
        subscription.pin()
        self.c.poller = &subscription.poller

    def __dealloc__(self):
        assembler_free(&self.c.assembler)
        free(self.c.checks.images)
        free(self.c.checks.expected)

    def on_image(self, image):
        mixed_on_image(&self.c.checks, image.session_id, image.join_position)

    def on_image_end(self, image):
        cdef int32_t session_id = image.session_id
        self.notify(session_id, self.next_by_publisher(session_id))
        mixed_on_image_end(&self.c.checks, session_id)

    def next_by_publisher(self, session_id=None):
        cdef int i
        cdef mixed_expected *each
        found = {}
        for i in range(self.c.checks.expected_count):
            each = &self.c.checks.expected[i]
            if session_id is None or each.session_id == session_id:
                found[each.publisher] = each.next
        return found

    @property
    def message_count(self):
        return self.c.checks.message_count

    @property
    def byte_count(self):
        return self.c.checks.byte_count

    @property
    def gap_count(self):
        return self.c.checks.gap_count

    @property
    def fault(self):
        return self.c.checks.fault.decode()

    def close(self):
        self.subscription.unpin()
        self.subscription.close()


cdef struct streams:
    publishing *publishers[MAX_STREAM_COUNT]
    receiving *subscribers[MAX_STREAM_COUNT]
    int publisher_count
    int subscriber_count


cdef int streams_do_work(void *state) except -1 nogil:
    cdef streams *self = <streams *>state
    cdef timespec now
    cdef int64_t now_ns
    cdef int work = 0
    cdef int i
    clock_gettime(CLOCK_MONOTONIC, &now)
    now_ns = now.tv_sec * <int64_t>1_000_000_000 + now.tv_nsec
    for i in range(self.subscriber_count):
        work += subscription_poll(
            self.subscribers[i].poller, assemble, &self.subscribers[i].assembler, 50)
    for i in range(self.publisher_count):
        work += publish(self.publishers[i], now_ns)
    return work


cdef class NativeStreams(Agent):
    """Polls and publishes all streams of a client; `publishers` and `subscribers` by name."""

    cdef streams c
    cdef readonly dict publishers
    cdef readonly dict subscribers

    def __init__(self):
        self.publishers = {}
        self.subscribers = {}
        self.do_work_fn = streams_do_work
        self.state = &self.c

    def update(self):
        """Use the streams as they are in the dictionaries now."""
        cdef NativePublisher publisher
        cdef NativeSubscriber subscriber
        assert max(len(self.publishers), len(self.subscribers)) <= MAX_STREAM_COUNT
        self.c.publisher_count = self.c.subscriber_count = 0
        for publisher in self.publishers.values():
            self.c.publishers[self.c.publisher_count] = &publisher.c
            self.c.publisher_count += 1
        for subscriber in self.subscribers.values():
            self.c.subscribers[self.c.subscriber_count] = &subscriber.c
            self.c.subscriber_count += 1
