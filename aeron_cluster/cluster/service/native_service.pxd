"""A native service's table, and what keeps it alive."""
cimport cython
from libc.stdint cimport int64_t

from aeron_cluster.cluster.service.abi cimport service_table


# The driver of `table` retains the object, and closes it after its last callback returned. What it
# keeps must be there still when it is destroyed: so no collector clears it.
@cython.final
@cython.no_gc_clear
cdef class NativeService:
    cdef service_table table  # our copy: NULL for each callback that the service does not have
    cdef readonly str name
    cdef readonly str source
    cdef readonly tuple version
    cdef readonly bint is_closed
    cdef int64_t _generation
    cdef object _kept  # what the table points to


# Take over a table; `source` names its origin, `kept` owns what it points to.
cdef NativeService take_service(const service_table *given, str source, object kept)
