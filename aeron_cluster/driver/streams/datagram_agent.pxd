"""The common part of sender and receiver: queues to the conductor, endpoints, buffers."""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.driver.streams.agent_commands cimport command
from aeron_cluster.driver.streams.agent_queue cimport spsc_queue
from aeron_cluster.driver.streams.datagram_limits cimport MAX_RECEIVE_COUNT
from aeron_cluster.driver.streams.pointer_array cimport pointer_array
from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.agents.cycle_tracker cimport cycle_tracker
from aeron_cluster.memory.shared.counters cimport CountersManager
from aeron_cluster.memory.system.seams cimport Clock, clock, datagram


cdef struct datagram_agent:
    clock clock
    uint8_t *system_counters  # the value of counter 0
    spsc_queue commands
    spsc_queue events
    pointer_array endpoints
    cycle_tracker tracker
    int64_t resolution_interval_ns
    int64_t resolution_deadline_ns
    uint8_t *buffers
    datagram batch[MAX_RECEIVE_COUNT]


# Whether to check for inactive addresses in this duty cycle.
cdef bint is_resolution_due(datagram_agent *agent, int64_t now_ns) noexcept nogil


cdef class DatagramAgent(Agent):
    cdef datagram_agent *common  # in the struct of the subclass
    cdef int32_t full_queue_counter  # the system counter of commands that did not fit
    cdef Clock _clock
    cdef CountersManager _counters  # the struct points into it
    cdef dict _retained  # by address: the objects that the agent may still use

    cdef int begin(
        self, datagram_agent *common, Clock clock, CountersManager counters,
        int32_t batch_count, int64_t resolution_interval_ns, int64_t cycle_threshold_ns
    ) except -1
    cdef int count_with(
        self, int32_t max_cycle_time, int32_t cycle_time_exceeded, int32_t full_queue) except -1
    cdef command *_command(self, int32_t type, void *subject) except? NULL
