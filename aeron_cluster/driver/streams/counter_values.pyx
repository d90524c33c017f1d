"""The addresses of counters' values."""
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.memory.shared.counters cimport CountersManager, counter_address

from aeron_cluster.errors import ConfigurationError


cdef int64_t *value_address(CountersManager counters, int32_t counter_id) except? NULL:
    cdef int64_t *found
    if counter_id == -1:
        return NULL
    found = counter_address(&counters.reader, counter_id)
    if found == NULL:
        raise ConfigurationError(
            "counter id", f"-1 or below {counters.reader.count}", counter_id)
    return found
