"""A log in the process's private memory, with the functions of publisher, subscriber and driver."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from aeron_cluster.logbuffer.image_poller cimport image_poller
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.logbuffer.message_view cimport HandlerCall
from aeron_cluster.logbuffer.term_appender cimport (
    buffer_claim,
    concurrent_appender,
    exclusive_appender,
)
from aeron_cluster.logbuffer.term_rebuilder cimport term_rebuilder


@cython.final
cdef class LocalLog:
    cdef log_buffers log
    cdef concurrent_appender shared
    cdef exclusive_appender exclusive
    cdef image_poller poller
    cdef term_rebuilder rebuilder  # of an image: for inserts
    cdef uint8_t *address
    cdef int64_t limit  # in place of the counter pub-lmt
    cdef int64_t position  # in place of the counter sub-pos
    cdef uint32_t turns
    cdef readonly int type
    cdef HandlerCall call
    cdef object reserved_value_supplier

    cdef HandlerCall call_of(self, object handler)
    cdef int64_t offer_bytes(self, const uint8_t *data, int32_t length) noexcept nogil


@cython.final
cdef class LocalClaim:
    cdef buffer_claim claim
    cdef Py_ssize_t exports
    cdef LocalLog owner  # of the memory; None once committed or aborted

    cdef int check_open(self) except -1
