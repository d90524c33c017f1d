"""The counters of a CnC file: reading all of them, allocating and freeing, one counter at a time.

Agrona's ``CountersReader``, ``CountersManager`` and ``AtomicCounter``. Hot loops use the address of
a counter's value, with the accesses of ``atomic.pxd``.
"""

cimport cython
from cpython.buffer cimport Py_buffer
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.memory.shared.atomic cimport load_acquire_i64
from aeron_cluster.memory.shared.counters_layout cimport counter_metadata, counter_value


cpdef enum CountersStatus:
    COUNTERS_OK = 0
    NULL_COUNTER_ID = -1  # no such counter
    COUNTERS_FULL = -2  # no counter is free, or the freed ones cannot be reused yet
    COUNTERS_INVALID_CAPACITY = -3  # no records, different counts, or not aligned to 8
    COUNTERS_KEY_TOO_LONG = -4  # longer than 112 bytes, or of negative length
    COUNTERS_NOT_ALLOCATED = -5
    COUNTERS_NO_MEMORY = -6


cdef struct counters_reader:
    const counter_metadata *metadata
    counter_value *values
    int32_t count  # records in both buffers; ids are below it


cdef struct counters_manager:
    counters_reader reader
    int64_t reuse_timeout_ms
    int32_t high_water_mark  # the highest id used so far, or -1
    # The manager's private memory, since other processes may write to the shared one.
    int32_t *free_ids  # a ring of ids in the order in which they were freed
    int64_t *reuse_deadlines_ms  # by id
    uint8_t *allocated  # by id
    int32_t free_head
    int32_t free_count


# Called for each allocated counter; a result other than 0 ends the iteration.
ctypedef int (*counter_handler)(
    const counters_reader *reader, int32_t counter_id, void *context) noexcept nogil

# COUNTERS_OK or COUNTERS_INVALID_CAPACITY.
cdef int counters_reader_init(
    counters_reader *reader, const void *metadata, int64_t metadata_length, void *values,
    int64_t values_length) noexcept nogil


cdef inline bint counters_is_id(const counters_reader *reader, int32_t counter_id) noexcept nogil:
    return 0 <= counter_id < reader.count


cdef inline int64_t *counter_address(
        const counters_reader *reader, int32_t counter_id) noexcept nogil:
    """Return the address of the value, or NULL for an invalid id."""
    if not counters_is_id(reader, counter_id):
        return NULL
    return &reader.values[counter_id].value


cdef inline int64_t counter_get(const counters_reader *reader, int32_t counter_id) noexcept nogil:
    """Return the value, or 0 for an invalid id."""
    cdef int64_t *address = counter_address(reader, counter_id)
    return load_acquire_i64(address) if address != NULL else 0


# CounterState; COUNTER_UNUSED for an invalid id.
cdef int32_t counter_state(const counters_reader *reader, int32_t counter_id) noexcept nogil
# Only for valid ids (counters_is_id), and meant for allocated counters.
cdef int32_t counter_type_id(const counters_reader *reader, int32_t counter_id) noexcept nogil
cdef int64_t counter_registration_id(
    const counters_reader *reader, int32_t counter_id) noexcept nogil
cdef int64_t counter_owner_id(const counters_reader *reader, int32_t counter_id) noexcept nogil
cdef int64_t counter_reference_id(const counters_reader *reader, int32_t counter_id) noexcept nogil
cdef int64_t counter_reuse_deadline_ms(
    const counters_reader *reader, int32_t counter_id) noexcept nogil
# 112 bytes.
cdef const uint8_t *counter_key(const counters_reader *reader, int32_t counter_id) noexcept nogil
# The label's bytes and, by pointer, its length (0 to 380).
cdef const uint8_t *counter_label(
    const counters_reader *reader, int32_t counter_id, int32_t *length) noexcept nogil
# The allocated counter with a type and registration id, or NULL_COUNTER_ID.
cdef int32_t counters_find(
    const counters_reader *reader, int32_t type_id, int64_t registration_id) noexcept nogil
# Returns the number of handled counters.
cdef int32_t counters_for_each(
    const counters_reader *reader, counter_handler handler, void *context) noexcept nogil

# The buffers are not cleared: counters allocated by an earlier manager stay allocated.
cdef int counters_manager_init(
    counters_manager *manager, void *metadata, int64_t metadata_length, void *values,
    int64_t values_length, int64_t reuse_timeout_ms) noexcept nogil
cdef void counters_manager_free(counters_manager *manager) noexcept nogil
# Returns an id, or a status. The label is truncated to 380 bytes; value, registration, owner and
# reference ids are 0.
cdef int32_t counters_allocate(
    counters_manager *manager, int32_t type_id, const void *key, int32_t key_length,
    const char *label, int32_t label_length, int64_t now_ms) noexcept nogil
# COUNTERS_OK or COUNTERS_NOT_ALLOCATED. The id is reused after the reuse timeout.
cdef int counters_free(
    counters_manager *manager, int32_t counter_id, int64_t now_ms) noexcept nogil
cdef void counter_set_value(
    counters_manager *manager, int32_t counter_id, int64_t value) noexcept nogil
cdef void counter_set_registration_id(
    counters_manager *manager, int32_t counter_id, int64_t registration_id) noexcept nogil
cdef void counter_set_owner_id(
    counters_manager *manager, int32_t counter_id, int64_t owner_id) noexcept nogil
cdef void counter_set_reference_id(
    counters_manager *manager, int32_t counter_id, int64_t reference_id) noexcept nogil
# Both return the number of written bytes; the rest did not fit.
cdef int32_t counter_set_label(
    counters_manager *manager, int32_t counter_id, const char *label,
    int32_t length) noexcept nogil
cdef int32_t counter_append_label(
    const counters_reader *reader, int32_t counter_id, const char *text,
    int32_t length) noexcept nogil


cdef class CountersReader:
    cdef counters_reader reader
    cdef Py_buffer metadata_buffer  # exported until this is destroyed
    cdef Py_buffer values_buffer
    cdef int64_t generation  # of the process, see fork.pxd
    cdef bint is_open

    cdef int check_open(self) except -1
    cdef int check_id(self, int64_t counter_id) except -1


@cython.final
cdef class CountersManager(CountersReader):
    cdef counters_manager manager


@cython.final
cdef class AtomicCounter:
    cdef int64_t *address
    cdef readonly int32_t counter_id
    cdef readonly int64_t registration_id
    cdef CountersReader owner  # keeps the memory mapped
