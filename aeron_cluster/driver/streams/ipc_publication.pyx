"""A stream between processes of one machine: limits, cleaning, unblocking.

``IpcPublication``.
"""
cimport cython
from libc.stdint cimport INT64_MAX, int32_t, int64_t

from aeron_cluster.driver.streams.counter_values cimport value_address
from aeron_cluster.driver.streams.log_pages cimport (
    ALLOCATION_LENGTH,
    allocate_pages_ahead,
    has_all_pages,
    within_pages,
)
from aeron_cluster.driver.streams.position_set cimport (
    positions_add,
    positions_free,
    positions_max,
    positions_min,
    positions_remove,
)
from aeron_cluster.driver.streams.published_log cimport is_moving, progress_init
from aeron_cluster.driver.streams.raw_log cimport RawLog
from aeron_cluster.driver.streams.stream_state cimport STREAM_ACTIVE
from aeron_cluster.logbuffer.log_buffers cimport clean_log, producer_position
from aeron_cluster.memory.shared.atomic cimport (
    load_acquire_u8,
    load_opaque_i64,
    store_release_i32,
    store_release_i64,
)
from aeron_cluster.memory.shared.counters cimport CountersManager
from aeron_cluster.memory.system.invariants cimport PLACE, holds


cdef int update_ipc_limits(ipc_publication *publication) noexcept nogil:
    cdef int64_t producer = producer_position(publication.log)
    cdef int64_t min_position
    cdef int64_t max_position
    cdef int64_t limit
    cdef int64_t trip_length = publication.window_length // 8
    cdef int work_count = 0
    if producer != load_opaque_i64(publication.publisher_position):
        store_release_i64(publication.publisher_position, producer)
    if publication.state != STREAM_ACTIVE:
        return 0
    if not holds(
        0 <= publication.subscribers.count <= publication.subscribers.capacity, PLACE,
        "each subscriber has an entry", publication.subscribers.count,
        publication.subscribers.capacity,
    ):
        return 0
    if publication.subscribers.count == 0:
        if publication.limit > publication.consumer_position:
            set_ipc_limit(publication, publication.consumer_position)
            publication.trip_limit = publication.consumer_position
            clean_ipc(publication, publication.consumer_position)
            return 1
        return 0
    max_position = positions_max(&publication.subscribers, publication.consumer_position)
    if max_position > publication.consumer_position:
        publication.consumer_position = max_position
    min_position = positions_min(&publication.subscribers, INT64_MAX)
    limit = min_position + publication.window_length
    if not has_all_pages(publication.pages):
        work_count = allocate_pages_ahead(publication.pages, producer, limit)
        limit = within_pages(publication.pages, limit)
        trip_length = min(trip_length, <int64_t>ALLOCATION_LENGTH)
    if limit < publication.trip_limit:
        return work_count
    # Cleaning comes first: the range opened by the new limit must be zero.
    clean_ipc(publication, min_position)
    set_ipc_limit(publication, limit)
    publication.trip_limit = limit + trip_length
    return 1


cdef inline void set_ipc_limit(ipc_publication *publication, int64_t limit) noexcept nogil:
    publication.limit = limit
    # Pairs with the acquire in each publisher's offer.
    store_release_i64(publication.publisher_limit, limit)


cdef inline void clean_ipc(ipc_publication *publication, int64_t limit) noexcept nogil:
    if limit > publication.clean_position:
        publication.clean_position = clean_log(
            publication.log, publication.clean_position, limit)


@cython.final
cdef class IpcPublication(PublishedLog):
    """One stream between processes of this machine; only for the conductor.

    It starts in ACTIVE, without a subscriber, with its limit at the start position.
    """

    def __cinit__(
        self,
        RawLog log not None,
        CountersManager counters not None,
        *,
        int64_t registration_id,
        int32_t session_id,
        int32_t stream_id,
        int32_t window_length,
        int64_t start_position,
        int32_t publisher_position_id,
        int32_t publisher_limit_id,
        bint is_exclusive,
        int64_t unblock_timeout_ns=15_000_000_000,
        int64_t now_ns,
    ):
        cdef ipc_publication *c = &self.c
        c.log = log.pointer()
        c.pages = &log.pages
        self._log = log
        self._counters = counters
        self._progress = &c.progress
        self.registration_id = registration_id
        self.session_id = session_id
        self.stream_id = stream_id
        c.window_length = window_length
        self._system_counters = <uint8_t *>value_address(counters, 0)
        c.publisher_position = value_address(counters, publisher_position_id)
        c.publisher_limit = value_address(counters, publisher_limit_id)
        c.clean_position = start_position
        c.consumer_position = start_position
        progress_init(&c.progress, start_position, unblock_timeout_ns, is_exclusive, now_ns)
        c.trip_limit = start_position
        c.state = STREAM_ACTIVE
        set_ipc_limit(c, start_position)
        store_release_i64(c.publisher_position, start_position)

    def __dealloc__(self):
        positions_free(&self.c.subscribers)

    cdef ipc_publication *_open(self) except NULL:
        self._check_open()
        return &self.c

    cdef int64_t _read_position(self) noexcept:
        self.c.consumer_position = positions_max(&self.c.subscribers, self.c.consumer_position)
        return self.c.consumer_position

    @property
    def state(self):
        """Return a ``StreamState``."""
        return self.c.state

    @state.setter
    def state(self, int32_t value):
        self.c.state = value

    @property
    def consumer_position(self):
        """Return the position of the most advanced subscriber."""
        self._check_open()
        return self._read_position()

    @property
    def publisher_limit(self):
        return self.c.limit

    @property
    def clean_position(self):
        return self.c.clean_position

    @property
    def join_position(self):
        """Return the start position of a new subscriber."""
        cdef int64_t consumed = self.consumer_position
        return positions_min(&self.c.subscribers, consumed)

    @property
    def subscriber_count(self):
        return self.c.subscribers.count

    def add_subscriber(self, int32_t counter_id):
        """Count a subscriber's position from now on; the connected flag follows."""
        cdef ipc_publication *c = self._open()
        if positions_add(&c.subscribers, value_address(self._counters, counter_id)) < 0:
            raise MemoryError
        store_release_i32(&c.log.metadata.is_connected, 1)

    def remove_subscriber(self, int32_t counter_id):
        """Remove a subscriber's position, after recording what it consumed."""
        cdef ipc_publication *c = self._open()
        c.consumer_position = positions_max(&c.subscribers, c.consumer_position)
        positions_remove(&c.subscribers, value_address(self._counters, counter_id))
        if c.subscribers.count == 0:
            store_release_i32(&c.log.metadata.is_connected, 0)

    def set_publisher_limit(self, int64_t position):
        """Set the limit, regardless of the subscribers' positions."""
        set_ipc_limit(self._open(), position)

    def set_connected(self, bint is_connected):
        store_release_i32(&self._open().log.metadata.is_connected, is_connected)

    def are_subscribers_at(self, int64_t position):
        """Return whether every subscriber has consumed up to a position."""
        return positions_min(&self._open().subscribers, position) >= position

    def update_limits(self):
        """Publish the publisher's position and limit, clean consumed terms; return a work count."""
        return update_ipc_limits(self._open())

    def close(self):
        """Release log and counters; only after stream tracking has dropped the publication."""
        positions_free(&self.c.subscribers)
        PublishedLog.close(self)


cdef bint check_ipc_publication(ipc_publication *publication, int64_t now_ns) noexcept nogil:
    if (
        publication.state != STREAM_ACTIVE
        or load_acquire_u8(&publication.log.metadata.is_publication_revoked)
    ):
        return False
    if publication.progress.is_exclusive:
        return True
    publication.consumer_position = positions_max(
        &publication.subscribers, publication.consumer_position)
    return is_moving(
        &publication.progress, publication.log, publication.consumer_position, now_ns)
