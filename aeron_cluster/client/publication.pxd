"""Publications: `aeron_cluster.logbuffer.term_appender` after a check that they are open."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from aeron_cluster.client.mapped_log cimport MappedLog
from aeron_cluster.logbuffer.term_appender cimport (
    CLOSED,
    buffer_claim,
    byte_vector,
    concurrent_appender,
    concurrent_offer,
    concurrent_offer_vectored,
    concurrent_position,
    concurrent_try_claim,
    exclusive_appender,
    exclusive_offer,
    exclusive_offer_vectored,
    exclusive_position,
    exclusive_try_claim,
    reserved_value_supplier,
)
from aeron_cluster.memory.shared.atomic cimport load_acquire_i32, load_acquire_i64
from aeron_cluster.memory.shared.counters cimport CountersReader
from aeron_cluster.memory.shared.mapped_file cimport MappedFile


# A loop without the GIL uses a pointer to one of these two, and keeps the object that contains it
# and the mapping returned by `hold` alive until it has stopped.
cdef struct publication:
    concurrent_appender appender
    int32_t is_closed  # by any thread


cdef struct exclusive_publication:
    exclusive_appender appender
    int32_t is_closed


cdef inline int64_t publication_offer(
        publication *to, const uint8_t *message, int32_t length) noexcept nogil:
    """Return the position, or an AppendStatus."""
    if load_acquire_i32(&to.is_closed):
        return CLOSED
    return concurrent_offer(&to.appender, message, length)


cdef inline int64_t publication_offer_vectored(
        publication *to, const byte_vector *vectors, int32_t count) noexcept nogil:
    if load_acquire_i32(&to.is_closed):
        return CLOSED
    return concurrent_offer_vectored(&to.appender, vectors, count)


cdef inline int64_t publication_try_claim(
        publication *to, int32_t length, buffer_claim *claim) noexcept nogil:
    if load_acquire_i32(&to.is_closed):
        return CLOSED
    return concurrent_try_claim(&to.appender, length, claim)


cdef inline int64_t publication_position(publication *to) noexcept nogil:
    if load_acquire_i32(&to.is_closed):
        return CLOSED
    return concurrent_position(&to.appender)


cdef inline int64_t exclusive_publication_offer(
        exclusive_publication *to, const uint8_t *message, int32_t length) noexcept nogil:
    if load_acquire_i32(&to.is_closed):
        return CLOSED
    return exclusive_offer(&to.appender, message, length)


cdef inline int64_t exclusive_publication_offer_vectored(
        exclusive_publication *to, const byte_vector *vectors, int32_t count) noexcept nogil:
    if load_acquire_i32(&to.is_closed):
        return CLOSED
    return exclusive_offer_vectored(&to.appender, vectors, count)


cdef inline int64_t exclusive_publication_try_claim(
        exclusive_publication *to, int32_t length, buffer_claim *claim) noexcept nogil:
    if load_acquire_i32(&to.is_closed):
        return CLOSED
    return exclusive_try_claim(&to.appender, length, claim)


cdef inline int64_t exclusive_publication_position(const exclusive_publication *to) noexcept nogil:
    if load_acquire_i32(&to.is_closed):
        return CLOSED
    return exclusive_position(&to.appender)


cdef inline int64_t exclusive_publication_limit(const exclusive_publication *to) noexcept nogil:
    if load_acquire_i32(&to.is_closed):
        return CLOSED
    return load_acquire_i64(to.appender.position_limit)


cdef inline bint exclusive_publication_is_connected(
        const exclusive_publication *to) noexcept nogil:
    if load_acquire_i32(&to.is_closed):
        return False
    return load_acquire_i32(&to.appender.log.metadata.is_connected) == 1


# What both kinds of publication have in common.
cdef class LogPublication(MappedLog):
    cdef int32_t *closed_flag  # that of the struct
    cdef const int64_t *limit
    cdef CountersReader counters  # keeps `limit` mapped
    cdef object conductor
    cdef readonly str channel
    cdef readonly int64_t registration_id
    cdef readonly int64_t original_registration_id
    cdef readonly int32_t channel_status_id
    cdef bint revoke_on_close_
    cdef uint32_t yield_calls  # see gil_yield.pxd

    cdef MappedFile hold(self)
    # Implemented by each kind; the last three return the position after the message, or an
    # AppendStatus.
    cdef void _begin(self) noexcept
    cdef int64_t _position(self) noexcept nogil
    cdef int64_t _offer(self, const uint8_t *message, int32_t length) noexcept nogil
    cdef int64_t _offer_vectored(
        self, const byte_vector *vectors, int32_t count, reserved_value_supplier supplier,
        void *context) noexcept nogil
    cdef int64_t _try_claim(self, int32_t length, buffer_claim *claim) noexcept nogil
    cdef object _sent(self, int64_t result, Py_ssize_t length)


@cython.final
cdef class Publication(LogPublication):
    cdef publication c


@cython.final
cdef class ExclusivePublication(LogPublication):
    cdef exclusive_publication c


# Called with a claimed frame before it is committed.
ctypedef void (*commit_observer)(void *context, buffer_claim *claim) noexcept nogil


@cython.final
cdef class BufferClaim:
    cdef buffer_claim c
    cdef MappedFile mapping  # None: nothing is claimed
    cdef Py_ssize_t exports
    cdef commit_observer observer  # of this claim only, or NULL
    cdef object owner  # keeps alive what c or observer_context points to, or None
    cdef void *observer_context

    cdef int _check(self) except -1
    cdef int _end(self) except -1
    cdef void _detach(self) noexcept
