# cython: freethreading_compatible=True
"""The counters of a CnC file: reading all of them, allocating and freeing, one counter at a time.

Agrona's ``CountersReader``, ``CountersManager`` and ``AtomicCounter``.
"""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport INT32_MAX, INT64_MAX, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from aeron_cluster.memory.shared.atomic cimport (
    add_release_i64,
    compare_and_set_i64,
    fence_acquire,
    get_and_add_i64,
    load_acquire_i32,
    load_acquire_i64,
    load_opaque_i32,
    load_opaque_i64,
    propose_max_release_i64,
    store_opaque_i64,
    store_release_i32,
    store_release_i64,
)
from aeron_cluster.memory.shared.counters_layout cimport (
    COUNTER_ALLOCATED,
    COUNTER_MAX_KEY_LENGTH,
    COUNTER_MAX_LABEL_LENGTH,
    COUNTER_METADATA_LENGTH,
    COUNTER_RECLAIMED,
    COUNTER_UNUSED,
    COUNTER_VALUE_LENGTH,
)
from aeron_cluster.memory.system.fork cimport check_not_forked, fork_generation

from aeron_cluster.errors import (
    ClosedError,
    ConfigurationError,
    InsufficientSpaceError,
    MessageError,
    StateError,
)
from aeron_cluster.memory.shared.counter_descriptor import CounterDescriptor

cdef extern from "<errno.h>" nogil:
    int ENOSPC


# ---- reading ----


cdef int counters_reader_init(
        counters_reader *reader, const void *metadata, int64_t metadata_length, void *values,
        int64_t values_length) noexcept nogil:
    cdef int64_t count = values_length // COUNTER_VALUE_LENGTH
    if (
        count < 1
        or count > INT32_MAX
        # A rest shorter than a record is ignored; the metadata must match.
        or metadata_length // COUNTER_METADATA_LENGTH < count
        or (<uintptr_t>metadata | <uintptr_t>values) & 7
    ):
        return CountersStatus.COUNTERS_INVALID_CAPACITY
    reader.metadata = <const counter_metadata *>metadata
    reader.values = <counter_value *>values
    reader.count = <int32_t>count
    return CountersStatus.COUNTERS_OK


cdef int32_t counter_state(const counters_reader *reader, int32_t counter_id) noexcept nogil:
    if not counters_is_id(reader, counter_id):
        return COUNTER_UNUSED
    return load_acquire_i32(&reader.metadata[counter_id].state)  # pairs with counters_allocate


cdef int32_t counter_type_id(const counters_reader *reader, int32_t counter_id) noexcept nogil:
    return load_opaque_i32(&reader.metadata[counter_id].type_id)


cdef int64_t counter_registration_id(
        const counters_reader *reader, int32_t counter_id) noexcept nogil:
    return load_acquire_i64(&reader.values[counter_id].registration_id)


cdef int64_t counter_owner_id(const counters_reader *reader, int32_t counter_id) noexcept nogil:
    return load_opaque_i64(&reader.values[counter_id].owner_id)


cdef int64_t counter_reference_id(
        const counters_reader *reader, int32_t counter_id) noexcept nogil:
    return load_opaque_i64(&reader.values[counter_id].reference_id)


cdef int64_t counter_reuse_deadline_ms(
        const counters_reader *reader, int32_t counter_id) noexcept nogil:
    return load_opaque_i64(&reader.metadata[counter_id].free_for_reuse_deadline_ms)


cdef const uint8_t *counter_key(
        const counters_reader *reader, int32_t counter_id) noexcept nogil:
    return reader.metadata[counter_id].key


cdef const uint8_t *counter_label(
        const counters_reader *reader, int32_t counter_id, int32_t *length) noexcept nogil:
    cdef const counter_metadata *record = &reader.metadata[counter_id]
    cdef int32_t there = load_acquire_i32(&record.label_length)  # pairs with counter_append_label
    length[0] = min(max(there, 0), COUNTER_MAX_LABEL_LENGTH)
    return record.label


cdef int32_t counters_find(
        const counters_reader *reader, int32_t type_id, int64_t registration_id) noexcept nogil:
    cdef int32_t i, state
    for i in range(reader.count):
        state = counter_state(reader, i)
        if state == COUNTER_UNUSED:
            break
        if (
            state == COUNTER_ALLOCATED
            and counter_type_id(reader, i) == type_id
            and counter_registration_id(reader, i) == registration_id
        ):
            return i
    return CountersStatus.NULL_COUNTER_ID


cdef int32_t counters_for_each(
        const counters_reader *reader, counter_handler handler, void *context) noexcept nogil:
    cdef int32_t i, state
    cdef int32_t handled = 0
    for i in range(reader.count):
        state = counter_state(reader, i)
        if state == COUNTER_UNUSED:
            break
        if state == COUNTER_ALLOCATED:
            handled += 1
            if handler(reader, i, context) != 0:
                break
    return handled


# ---- managing ----


cdef inline counter_metadata *metadata_of(
        const counters_reader *reader, int32_t counter_id) noexcept nogil:
    return <counter_metadata *>&reader.metadata[counter_id]


cdef inline void put_free(
        counters_manager *manager, int32_t counter_id, int64_t deadline_ms) noexcept nogil:
    cdef int64_t slot = (<int64_t>manager.free_head + manager.free_count) % manager.reader.count
    manager.free_ids[slot] = counter_id
    manager.reuse_deadlines_ms[counter_id] = deadline_ms
    manager.allocated[counter_id] = False
    manager.free_count += 1


cdef int counters_manager_init(
        counters_manager *manager, void *metadata, int64_t metadata_length, void *values,
        int64_t values_length, int64_t reuse_timeout_ms) noexcept nogil:
    cdef int status, state
    cdef int32_t i
    memset(manager, 0, sizeof(counters_manager))
    status = counters_reader_init(
        &manager.reader, metadata, metadata_length, values, values_length)
    if status != CountersStatus.COUNTERS_OK:
        return status
    manager.reuse_timeout_ms = reuse_timeout_ms
    manager.free_ids = <int32_t *>calloc(manager.reader.count, sizeof(int32_t))
    manager.reuse_deadlines_ms = <int64_t *>calloc(manager.reader.count, sizeof(int64_t))
    manager.allocated = <uint8_t *>calloc(manager.reader.count, 1)
    if (
        manager.free_ids == NULL
        or manager.reuse_deadlines_ms == NULL
        or manager.allocated == NULL
    ):
        counters_manager_free(manager)
        return CountersStatus.COUNTERS_NO_MEMORY
    manager.high_water_mark = -1
    for i in range(manager.reader.count):
        state = counter_state(&manager.reader, i)
        if state == COUNTER_UNUSED:
            break
        manager.high_water_mark = i
        if state == COUNTER_ALLOCATED:
            manager.allocated[i] = True
        else:
            put_free(manager, i, counter_reuse_deadline_ms(&manager.reader, i))
    return CountersStatus.COUNTERS_OK


cdef void counters_manager_free(counters_manager *manager) noexcept nogil:
    free(manager.free_ids)
    free(manager.reuse_deadlines_ms)
    free(manager.allocated)
    manager.free_ids = NULL
    manager.reuse_deadlines_ms = NULL
    manager.allocated = NULL
    manager.reader.count = 0


cdef int32_t next_id(counters_manager *manager, int64_t now_ms) noexcept nogil:
    """Reuse the counter that was freed first, after its reuse timeout, or a new one."""
    cdef int32_t counter_id
    if manager.free_count > 0:
        # The ring is in the order of freeing: if the first is not reusable yet, none is. If the
        # wall clock was set back, its time begins again, so that it does not hold up the others.
        counter_id = manager.free_ids[manager.free_head]
        if manager.reuse_deadlines_ms[counter_id] > now_ms + manager.reuse_timeout_ms:
            manager.reuse_deadlines_ms[counter_id] = now_ms + manager.reuse_timeout_ms
        if manager.reuse_deadlines_ms[counter_id] <= now_ms:
            manager.free_head = (manager.free_head + 1) % manager.reader.count
            manager.free_count -= 1
            return counter_id
    if manager.high_water_mark + 1 >= manager.reader.count:
        return CountersStatus.COUNTERS_FULL
    manager.high_water_mark += 1
    return manager.high_water_mark


cdef int32_t counters_allocate(
        counters_manager *manager, int32_t type_id, const void *key, int32_t key_length,
        const char *label, int32_t label_length, int64_t now_ms) noexcept nogil:
    cdef counter_metadata *record
    cdef counter_value *value
    cdef int32_t counter_id
    if key_length < 0 or key_length > COUNTER_MAX_KEY_LENGTH:
        return CountersStatus.COUNTERS_KEY_TOO_LONG
    counter_id = next_id(manager, now_ms)
    if counter_id < 0:
        return counter_id
    value = &manager.reader.values[counter_id]
    store_release_i64(&value.registration_id, 0)
    store_release_i64(&value.owner_id, 0)
    store_release_i64(&value.reference_id, 0)
    store_release_i64(&value.value, 0)
    record = metadata_of(&manager.reader, counter_id)
    record.type_id = type_id
    if key_length > 0:
        memcpy(record.key, key, key_length)
    memset(record.key + key_length, 0, COUNTER_MAX_KEY_LENGTH - key_length)
    record.free_for_reuse_deadline_ms = INT64_MAX
    label_length = min(max(label_length, 0), COUNTER_MAX_LABEL_LENGTH)
    if label_length > 0:
        memcpy(record.label, label, label_length)
    store_release_i32(&record.label_length, label_length)
    manager.allocated[counter_id] = True
    store_release_i32(&record.state, COUNTER_ALLOCATED)  # pairs with the acquire in counter_state
    return counter_id


cdef int counters_free(
        counters_manager *manager, int32_t counter_id, int64_t now_ms) noexcept nogil:
    cdef counter_metadata *record
    if not counters_is_id(&manager.reader, counter_id) or not manager.allocated[counter_id]:
        return CountersStatus.COUNTERS_NOT_ALLOCATED
    record = metadata_of(&manager.reader, counter_id)
    store_release_i32(&record.state, COUNTER_RECLAIMED)
    memset(record.key, 0, COUNTER_MAX_KEY_LENGTH)
    put_free(manager, counter_id, now_ms + manager.reuse_timeout_ms)
    store_opaque_i64(&record.free_for_reuse_deadline_ms, now_ms + manager.reuse_timeout_ms)
    return CountersStatus.COUNTERS_OK


cdef void counter_set_value(
        counters_manager *manager, int32_t counter_id, int64_t value) noexcept nogil:
    store_release_i64(&manager.reader.values[counter_id].value, value)


cdef void counter_set_registration_id(
        counters_manager *manager, int32_t counter_id, int64_t registration_id) noexcept nogil:
    # Pairs with counter_registration_id: a reader that finds a counter by it also observes the
    # owner.
    store_release_i64(&manager.reader.values[counter_id].registration_id, registration_id)


cdef void counter_set_owner_id(
        counters_manager *manager, int32_t counter_id, int64_t owner_id) noexcept nogil:
    store_release_i64(&manager.reader.values[counter_id].owner_id, owner_id)


cdef void counter_set_reference_id(
        counters_manager *manager, int32_t counter_id, int64_t reference_id) noexcept nogil:
    store_release_i64(&manager.reader.values[counter_id].reference_id, reference_id)


cdef int32_t put_label(
        counter_metadata *record, int32_t offset, const char *text, int32_t length) noexcept nogil:
    length = min(max(length, 0), COUNTER_MAX_LABEL_LENGTH - offset)
    if length > 0:
        memcpy(record.label + offset, text, length)
    store_release_i32(&record.label_length, offset + length)  # pairs with counter_label
    return length


cdef int32_t counter_set_label(
        counters_manager *manager, int32_t counter_id, const char *label,
        int32_t length) noexcept nogil:
    return put_label(metadata_of(&manager.reader, counter_id), 0, label, length)


cdef int32_t counter_append_label(
        const counters_reader *reader, int32_t counter_id, const char *text,
        int32_t length) noexcept nogil:
    cdef int32_t there
    counter_label(reader, counter_id, &there)
    return put_label(metadata_of(reader, counter_id), there, text, length)


# ---- for Python ----


@cython.no_gc_clear  # a collection would drop the buffer without releasing it
cdef class CountersReader:
    """Read the counters of a driver.

    Parameters
    ----------
    metadata, values : writable buffer
        The two sections: 512 and 128 bytes for each counter. They are retained while this object or
        one of its counters exists.

    Raises
    ------
    ConfigurationError
        The buffers have no space for a counter, do not match, or are not aligned to 8.
    """

    def __init__(self, object metadata not None, object values not None) -> None:
        if self.metadata_buffer.buf != NULL:
            raise RuntimeError("counters are initialised once")
        PyObject_GetBuffer(metadata, &self.metadata_buffer, PyBUF_SIMPLE | PyBUF_WRITABLE)
        PyObject_GetBuffer(values, &self.values_buffer, PyBUF_SIMPLE | PyBUF_WRITABLE)
        cdef int status = counters_reader_init(
            &self.reader, self.metadata_buffer.buf, self.metadata_buffer.len,
            self.values_buffer.buf, self.values_buffer.len)
        if status != CountersStatus.COUNTERS_OK:
            raise ConfigurationError(
                "counters buffer lengths",
                f"{COUNTER_METADATA_LENGTH} and {COUNTER_VALUE_LENGTH} bytes a counter, aligned "
                "to 8",
                (self.metadata_buffer.len, self.values_buffer.len),
            )
        self.generation = fork_generation()
        self.is_open = True

    def __dealloc__(self) -> None:
        PyBuffer_Release(&self.values_buffer)
        PyBuffer_Release(&self.metadata_buffer)

    def close(self) -> None:
        """Reject every further call; the memory is released with this object and its counters."""
        self.is_open = False

    @property
    def closed(self) -> bool:
        """Whether this was closed."""
        return not self.is_open

    def __len__(self) -> int:
        """Return the maximum number of counters; ids are below it."""
        return self.reader.count

    def state(self, int32_t counter_id) -> int:
        """Return the ``CounterState`` of an id."""
        self.check_id(counter_id)
        return counter_state(&self.reader, counter_id)

    def value(self, int32_t counter_id) -> int:
        """Return the value of an id, whether it is allocated or not."""
        self.check_id(counter_id)
        return counter_get(&self.reader, counter_id)

    def type_id(self, int32_t counter_id) -> int:
        """Return the type of a counter: a ``CounterType``, or one of another program."""
        self.check_id(counter_id)
        return counter_type_id(&self.reader, counter_id)

    def registration_id(self, int32_t counter_id) -> int:
        """Return the registration id of the resource of a counter."""
        self.check_id(counter_id)
        return counter_registration_id(&self.reader, counter_id)

    def owner_id(self, int32_t counter_id) -> int:
        """Return the client that a counter belongs to, or -1."""
        self.check_id(counter_id)
        return counter_owner_id(&self.reader, counter_id)

    def reference_id(self, int32_t counter_id) -> int:
        """Return the id of another resource that a counter refers to."""
        self.check_id(counter_id)
        return counter_reference_id(&self.reader, counter_id)

    def free_for_reuse_deadline_ms(self, int32_t counter_id) -> int:
        """Return when a freed id may be reused, in ms since 1970."""
        self.check_id(counter_id)
        return counter_reuse_deadline_ms(&self.reader, counter_id)

    def key(self, int32_t counter_id) -> bytes:
        """Return the 112 bytes of a counter's key."""
        self.check_id(counter_id)
        return (<const char *>counter_key(&self.reader, counter_id))[:COUNTER_MAX_KEY_LENGTH]

    def label(self, int32_t counter_id) -> str:
        """Return a counter's label; bytes that are not ASCII are replaced."""
        self.check_id(counter_id)
        cdef int32_t length = 0
        cdef const uint8_t *label = counter_label(&self.reader, counter_id, &length)
        return (<const char *>label)[:length].decode("ascii", "replace")

    def find(self, int32_t type_id, int64_t registration_id) -> int | None:
        """Return the id of the allocated counter with a type and registration id, or None."""
        self.check_open()
        cdef int32_t found
        with nogil:
            found = counters_find(&self.reader, type_id, registration_id)
        return found if found >= 0 else None

    def counters(self, type_id: int | None = None) -> list[CounterDescriptor]:
        """Return a description of each allocated counter, in the order of their ids.

        Parameters
        ----------
        type_id : int, optional
            Only counters of this type; by default all.
        """
        cdef int32_t kind = 0
        cdef bint is_any = type_id is None
        self.check_open()
        if not is_any:
            kind = type_id
        cdef int32_t i, state
        result = []
        for i in range(self.reader.count):
            state = counter_state(&self.reader, i)
            if state == COUNTER_UNUSED:
                break
            if state != COUNTER_ALLOCATED:
                continue
            if not is_any and counter_type_id(&self.reader, i) != kind:
                continue
            found = CounterDescriptor(
                counter_id=i,
                type_id=self.type_id(i),
                value=self.value(i),
                registration_id=self.registration_id(i),
                owner_id=self.owner_id(i),
                reference_id=self.reference_id(i),
                key=self.key(i),
                label=self.label(i),
            )
            fence_acquire()  # the reads above must not happen after the counter was freed
            if counter_state(&self.reader, i) == COUNTER_ALLOCATED:
                result.append(found)
        return result

    cdef int check_open(self) except -1:
        if not self.is_open:
            raise ClosedError(f"{type(self).__name__}: expected an open one, found it closed")
        return check_not_forked(self.generation, type(self).__name__)

    cdef int check_id(self, int64_t counter_id) except -1:
        self.check_open()
        if not 0 <= counter_id < self.reader.count:
            raise MessageError("counter id", f"0 to {self.reader.count - 1}", counter_id)
        return 0


@cython.final
cdef class CountersManager(CountersReader):
    """Allocate and free counters; one for each pair of buffers.

    Parameters
    ----------
    metadata, values : writable buffer
        The two sections: 512 and 128 bytes for each counter. Allocated counters in them stay
        allocated.
    reuse_timeout_ms : int
        The time before a freed id is reused, in ms.

    Raises
    ------
    ConfigurationError
        The buffers have no space for a counter, do not match, or are not aligned to 8.

    Notes
    -----
    For one thread, the driver's conductor; any thread may read.
    """

    def __init__(
        self, object metadata not None, object values not None, int64_t reuse_timeout_ms=1000
    ) -> None:
        CountersReader.__init__(self, metadata, values)
        cdef int status = counters_manager_init(
            &self.manager, self.metadata_buffer.buf, self.metadata_buffer.len,
            self.values_buffer.buf, self.values_buffer.len, reuse_timeout_ms)
        if status == CountersStatus.COUNTERS_NO_MEMORY:
            raise MemoryError

    def __dealloc__(self) -> None:
        counters_manager_free(&self.manager)

    def allocate(
        self,
        str label not None,
        int32_t type_id,
        object key not None=b"",
        *,
        int64_t now_ms,
        int64_t registration_id=0,
        int64_t owner_id=0,
        int64_t reference_id=0,
        int64_t value=0,
    ) -> int:
        """Allocate a counter.

        Parameters
        ----------
        label : str
            The label, in ASCII, truncated to 380 bytes.
        type_id : int
            The type id.
        key : bytes-like
            The binary key, up to 112 bytes.
        now_ms : int
            The time, in ms since 1970.
        registration_id : int
            The registration id of the counter's resource.
        owner_id : int
            The client that the counter belongs to.
        reference_id : int
            The id of another resource that the counter refers to.
        value : int
            The initial value.

        Returns
        -------
        int
            The id.

        Raises
        ------
        MessageError
            The key is too long.
        InsufficientSpaceError
            All counters are in use, or were freed too recently.
        """
        self.check_open()
        cdef bytes text = label.encode("ascii", "replace")
        cdef bytes key_bytes = bytes(key)
        if len(key_bytes) > COUNTER_MAX_KEY_LENGTH:
            raise MessageError(
                "counter key length", f"0 to {COUNTER_MAX_KEY_LENGTH} bytes", len(key_bytes))
        cdef int32_t counter_id = counters_allocate(
            &self.manager, type_id, <const char *>key_bytes, <int32_t>len(key_bytes),
            <const char *>text, <int32_t>min(len(text), COUNTER_MAX_LABEL_LENGTH), now_ms)
        if counter_id < 0:
            raise InsufficientSpaceError(
                ENOSPC,
                f"counter {label!r}: expected room, found all {self.reader.count} counters in use "
                "or freed just now")
        counter_set_value(&self.manager, counter_id, value)
        counter_set_owner_id(&self.manager, counter_id, owner_id)
        counter_set_reference_id(&self.manager, counter_id, reference_id)
        counter_set_registration_id(&self.manager, counter_id, registration_id)
        return counter_id

    @property
    def used_count(self) -> int:
        """The number of ids used so far: a new counter has this id, or a lower one."""
        return self.manager.high_water_mark + 1

    def free(self, int32_t counter_id, *, int64_t now_ms) -> None:
        """Free a counter; its id is not reused before the reuse timeout.

        Parameters
        ----------
        counter_id : int
            The id of an allocated counter.
        now_ms : int
            The time, in ms since 1970.

        Raises
        ------
        StateError
            It is not allocated.
        """
        self.check_id(counter_id)
        if counters_free(&self.manager, counter_id, now_ms) != CountersStatus.COUNTERS_OK:
            raise StateError(f"counter {counter_id}: expected it allocated, found it is not")

    def set_value(self, int32_t counter_id, int64_t value) -> None:
        """Set the value of a counter."""
        self.check_id(counter_id)
        counter_set_value(&self.manager, counter_id, value)

    def set_registration_id(self, int32_t counter_id, int64_t registration_id) -> None:
        """Set the registration id of the resource of a counter."""
        self.check_id(counter_id)
        counter_set_registration_id(&self.manager, counter_id, registration_id)

    def set_owner_id(self, int32_t counter_id, int64_t owner_id) -> None:
        """Set the client that a counter belongs to; -1 for none."""
        self.check_id(counter_id)
        counter_set_owner_id(&self.manager, counter_id, owner_id)

    def set_reference_id(self, int32_t counter_id, int64_t reference_id) -> None:
        """Set the id of another resource that a counter refers to."""
        self.check_id(counter_id)
        counter_set_reference_id(&self.manager, counter_id, reference_id)

    def set_label(self, int32_t counter_id, str label not None) -> None:
        """Replace a counter's label; in ASCII, truncated to 380 bytes."""
        self.check_id(counter_id)
        cdef bytes text = label.encode("ascii", "replace")
        counter_set_label(
            &self.manager, counter_id, <const char *>text,
            <int32_t>min(len(text), COUNTER_MAX_LABEL_LENGTH))

    def append_to_label(self, int32_t counter_id, str text not None) -> int:
        """Append to a counter's label.

        Returns
        -------
        int
            The number of appended bytes; the label is truncated to 380 bytes.
        """
        self.check_id(counter_id)
        cdef bytes suffix = text.encode("ascii", "replace")
        return counter_append_label(
            &self.reader, counter_id, <const char *>suffix,
            <int32_t>min(len(suffix), COUNTER_MAX_LABEL_LENGTH))


@cython.final
cdef class AtomicCounter:
    """One counter's value, read and written in place.

    Parameters
    ----------
    counters : CountersReader
        The counters; retained while this object exists.
    counter_id : int
        The counter id.

    Attributes
    ----------
    counter_id : int
        The counter id.
    registration_id : int
        The counter's registration id when this object was created.

    Raises
    ------
    MessageError
        The id is invalid.
    """

    def __cinit__(self, CountersReader counters not None, int32_t counter_id) -> None:
        counters.check_id(counter_id)
        self.owner = counters
        self.counter_id = counter_id
        self.address = counter_address(&counters.reader, counter_id)
        self.registration_id = counter_registration_id(&counters.reader, counter_id)

    @property
    def is_current(self) -> bool:
        """Whether the id still belongs to the same counter."""
        self.owner.check_open()
        return (
            counter_state(&self.owner.reader, self.counter_id) == COUNTER_ALLOCATED
            and counter_registration_id(
                &self.owner.reader, self.counter_id) == self.registration_id
        )

    @property
    def label(self) -> str:
        """The counter's label."""
        return self.owner.label(self.counter_id)

    @property
    def type_id(self) -> int:
        """The type id."""
        return self.owner.type_id(self.counter_id)

    def get(self) -> int:
        """Return the value, with acquire ordering."""
        self.owner.check_open()
        return load_acquire_i64(self.address)

    def set(self, int64_t value) -> None:
        """Set the value, with release ordering."""
        self.owner.check_open()
        store_release_i64(self.address, value)

    def add(self, int64_t delta) -> None:
        """Add to a counter that only this thread writes."""
        self.owner.check_open()
        add_release_i64(self.address, delta)

    def get_and_set(self, int64_t value) -> int:
        """Set a counter that several threads write; return the previous value."""
        cdef int64_t before
        self.owner.check_open()
        before = load_acquire_i64(self.address)
        while not compare_and_set_i64(self.address, before, value):
            before = load_acquire_i64(self.address)
        return before

    def get_and_add(self, int64_t delta) -> int:
        """Add to a counter that several threads write; return the previous value."""
        self.owner.check_open()
        return get_and_add_i64(self.address, delta)

    def compare_and_set(self, int64_t expected, int64_t desired) -> bool:
        """Set the value if it is the expected one; return whether it was."""
        self.owner.check_open()
        return compare_and_set_i64(self.address, expected, desired)

    def propose_max(self, int64_t value) -> bool:
        """Raise a counter that only this thread writes; return whether it was lower."""
        self.owner.check_open()
        return propose_max_release_i64(self.address, value)
