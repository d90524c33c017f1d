"""The cluster interface of services."""
cimport cython
from libc.stdint cimport int64_t

from aeron_cluster.client.publication cimport Publication
from aeron_cluster.cluster.service.client_session cimport ClientSession
from aeron_cluster.cluster.service.host cimport cluster_host
from aeron_cluster.memory.shared.mapped_file cimport MappedFile


@cython.final
cdef class Cluster:
    cdef cluster_host c
    cdef Publication to_module  # keeps c.to_module alive; None for an offline host
    cdef MappedFile module_log  # keeps the log of to_module mapped
    cdef readonly object aeron
    cdef public object context  # the container's; None for an offline host
    cdef public object watch  # a DeterminismTrap for the service's callbacks, or None
    cdef readonly list unreported  # errors that callbacks did not raise
    cdef list sessions  # keeps the sessions alive that c.sessions points to, in the same order

    cdef int insert(self, ClientSession session) except -1
    cdef ClientSession remove(self, int64_t cluster_session_id)
    cdef object _sent(self, int64_t result, Py_ssize_t length)
    cdef int _idle(self, int work_count) except -1


@cython.final
cdef class ClusterState:
    cdef Cluster cluster
