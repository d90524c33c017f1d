"""The addresses of counters' values, and adding to system counters."""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.memory.shared.atomic cimport add_release_i64
from aeron_cluster.memory.shared.counters cimport CountersManager
from aeron_cluster.memory.shared.counters_layout cimport COUNTER_VALUE_LENGTH


cdef inline int64_t *system_counter(uint8_t *system_counters, int32_t counter_id) noexcept nogil:
    return <int64_t *>(system_counters + counter_id * COUNTER_VALUE_LENGTH)


# A system counter may have two writers (sender and receiver): upstream's drivers also add without a
# lock, since shared counters are only statistics.
cdef inline void count(uint8_t *system_counters, int32_t counter_id, int64_t delta) noexcept nogil:
    add_release_i64(system_counter(system_counters, counter_id), delta)


# Return the address of a counter's value; raises for an invalid id. NULL for an id of -1.
cdef int64_t *value_address(CountersManager counters, int32_t counter_id) except? NULL
