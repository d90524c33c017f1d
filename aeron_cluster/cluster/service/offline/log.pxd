"""A recorded log, fed block by block to the loop of a service container."""
cimport cython
from libc.stdint cimport int64_t

from aeron_cluster.cluster.service.cluster cimport Cluster
from aeron_cluster.cluster.service.divergence_guard cimport DivergenceGuard
from aeron_cluster.cluster.service.service_agent cimport container_state
from aeron_cluster.cluster.service.service_calls cimport ServiceCalls


@cython.final
cdef class OfflineLog:
    cdef container_state c
    cdef readonly Cluster cluster
    cdef DivergenceGuard guard
    # Keep the objects alive that the state points to.
    cdef object conductor
    cdef ServiceCalls calls
    cdef object observer
    # The publication of a snapshot in progress; None otherwise.
    cdef public object snapshot_publication
    cdef readonly object failure
    cdef int64_t end
