"""Counters that this client requested from the driver.

``io.aeron.Counter``.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.memory.shared.atomic cimport (
    compare_and_set_i64,
    get_and_add_i64,
    load_acquire_i32,
    load_acquire_i64,
    propose_max_release_i64,
    store_release_i32,
    store_release_i64,
)
from aeron_cluster.memory.shared.counters cimport (
    AtomicCounter,
    CountersReader,
    counter_address,
    counter_label,
    counter_type_id,
)

from aeron_cluster.errors import ClosedError, CorruptError


cdef int64_t *counter_word(object counter) except? NULL:
    if counter is None:
        return NULL
    if isinstance(counter, Counter):
        return (<Counter>counter).address
    return (<AtomicCounter?>counter).address


@cython.final
cdef class Counter:
    """A 64-bit number in shared memory that monitoring tools can read.

    Created by `Aeron.add_counter` and `Aeron.add_static_counter`.

    Notes
    -----
    For any thread. Every call except `close` raises `ClosedError` once the counter is closed.
    """

    def __init__(
            self, conductor, CountersReader counters not None, int32_t counter_id,
            int64_t registration_id, *, bint is_static=False):
        self.address = counter_address(&counters.reader, counter_id)
        if self.address == NULL:
            raise CorruptError(
                "counters", 0, "counter id", f"below {counters.reader.count}", counter_id)
        self.counters = counters
        self.conductor = conductor
        self.counter_id = counter_id
        self.registration_id = registration_id
        self.is_static = is_static

    cdef int _check(self) except -1:
        if load_acquire_i32(&self.is_closed_):
            raise ClosedError(f"counter {self.counter_id}: used after it was closed")
        return 0

    def get(self):
        """Return the value."""
        self._check()
        return load_acquire_i64(self.address)

    def set(self, int64_t value):
        """Store a value, with release order."""
        self._check()
        store_release_i64(self.address, value)

    def increment(self):
        """Add 1 and return the value before."""
        self._check()
        return get_and_add_i64(self.address, 1)

    def decrement(self):
        """Subtract 1 and return the value before."""
        self._check()
        return get_and_add_i64(self.address, -1)

    def get_and_set(self, int64_t value):
        """Store ``value`` and return the value before."""
        cdef int64_t before
        self._check()
        before = load_acquire_i64(self.address)
        while not compare_and_set_i64(self.address, before, value):
            before = load_acquire_i64(self.address)
        return before

    def get_and_add(self, int64_t delta):
        """Add ``delta`` and return the value before."""
        self._check()
        return get_and_add_i64(self.address, delta)

    def compare_and_set(self, int64_t expected, int64_t value):
        """Store ``value`` if the current value is ``expected``; return whether it was."""
        self._check()
        return bool(compare_and_set_i64(self.address, expected, value))

    def propose_max(self, int64_t value):
        """Raise the value, as its only writer; return whether it was lower."""
        self._check()
        return bool(propose_max_release_i64(self.address, value))

    def set_reference_id(self, int64_t reference_id):
        """Set the owner: the registration id of a publication, for monitoring tools."""
        self._check()
        store_release_i64(
            &self.counters.reader.values[self.counter_id].reference_id, reference_id)

    @property
    def type_id(self):
        """The type id."""
        self._check()
        return counter_type_id(&self.counters.reader, self.counter_id)

    @property
    def label(self):
        """The label."""
        cdef int32_t length = 0
        cdef const char *text
        self._check()
        text = <const char *>counter_label(&self.counters.reader, self.counter_id, &length)
        return text[:length].decode("ascii", "replace")

    @property
    def is_closed(self):
        """Whether it was closed: by `close`, with its client, or with the driver."""
        return bool(load_acquire_i32(&self.is_closed_))

    def mark_closed(self):
        """Reject all further calls. Called by the conductor."""
        store_release_i32(&self.is_closed_, 1)

    def close(self):
        """Close the counter; the driver frees it unless it is static. Idempotent."""
        if self.conductor is not None:
            self.conductor.close_counter(self)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __repr__(self):
        if self.is_closed:
            return f"<Counter {self.counter_id} closed>"
        return f"<Counter {self.counter_id} {self.label!r} = {self.get()}>"
