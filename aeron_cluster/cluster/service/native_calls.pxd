"""Calls of a service with a table of C functions, and the calls that it may make."""
cimport cython

from aeron_cluster.cluster.service.abi cimport service_table
from aeron_cluster.cluster.service.host cimport cluster_host
from aeron_cluster.cluster.service.native_service cimport NativeService
from aeron_cluster.cluster.service.service_calls cimport ServiceCalls


cdef enum:
    EXPLANATION_LENGTH = 255


# Errors of a callback in C, to be reported once it has returned.
cdef struct native_state:
    service_table table
    cluster_host *host
    int explanation_length
    char explanation[EXPLANATION_LENGTH]
    bint has_exception  # one raised during a wait is stored in `calls`
    void *calls  # NativeCalls


@cython.final
cdef class NativeCalls(ServiceCalls):
    cdef native_state n
    cdef NativeService service
    cdef object exception  # raised during a wait, until the callback has returned

    cdef int check(self, const char *callback, int result) except -1
