"""The agent that receives.

``Receiver``.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.driver.streams.agent_commands cimport command
from aeron_cluster.driver.streams.agent_queue cimport spsc_queue
from aeron_cluster.driver.streams.datagram_limits cimport MAX_RECEIVE_COUNT
from aeron_cluster.driver.streams.pointer_array cimport pointer_array
from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.shared.counters cimport CountersManager
from aeron_cluster.memory.system.seams cimport Clock, clock, datagram


cdef struct receiver:
    clock clock
    uint8_t *system_counters
    spsc_queue commands
    spsc_queue events
    pointer_array endpoints
    pointer_array images
    int64_t resolution_interval_ns
    int64_t resolution_deadline_ns
    int64_t cycle_threshold_ns
    int64_t last_cycle_ns
    uint8_t *buffers
    int32_t max_batch_count  # of what is received at once
    datagram batch[MAX_RECEIVE_COUNT]


@cython.final
cdef class Receiver(Agent):
    cdef receiver c
    cdef Clock _clock
    cdef CountersManager _counters  # the struct points into it
    cdef dict _held  # by address: what the agent may still point to

    cdef command *_command(self, int32_t type, void *subject) except? NULL
