"""A native service's table, and the object that keeps it alive."""
cimport cython
from libc.stdint cimport int64_t

from aeron_cluster.cluster.service.abi cimport service_table


# The container retains the object, and closes it after its last callback has returned. Objects that
# it keeps must still exist when it is destroyed, so the garbage collector must not clear it.
@cython.final
@cython.no_gc_clear
cdef class NativeService:
    cdef service_table table  # our copy: NULL for each missing callback
    cdef readonly str name
    cdef readonly str source
    cdef readonly tuple version
    cdef readonly bint is_closed
    cdef int64_t _generation
    cdef object _kept  # owns the memory that the table points to


# Wrap a table; `source` names its origin, `kept` owns the memory that it points to.
cdef NativeService new_native_service(const service_table *given, str source, object kept)
