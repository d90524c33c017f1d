"""The callbacks of a service that takes several messages of the log at once."""
cimport cython
from libc.stdint cimport int32_t, uint8_t

from aeron_cluster.cluster.service.service_calls cimport PythonCalls
from aeron_cluster.cluster.service.session_batch cimport session_row


@cython.final
cdef class BatchCalls(PythonCalls):
    cdef object on_session_messages
    cdef session_row *collected  # COLLECTED_LIMIT
    cdef int32_t count
    cdef const uint8_t *begin  # the payload of the first one
    cdef object log  # keeps it mapped
    cdef bint is_assembled
    cdef bint is_failed  # a message was skipped: no later one may be delivered
