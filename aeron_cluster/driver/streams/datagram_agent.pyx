"""The common part of sender and receiver: queues to the conductor, endpoints, buffers."""
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from aeron_cluster.driver.streams.agent_commands cimport COMMAND_CAPACITY
from aeron_cluster.driver.streams.agent_events cimport EVENT_CAPACITY, event
from aeron_cluster.driver.streams.agent_queue cimport (
    queue_claim,
    queue_free,
    queue_free_count,
    queue_init,
)
from aeron_cluster.driver.streams.counter_values cimport count, system_counter, value_address
from aeron_cluster.driver.streams.datagram_limits cimport RECEIVE_BUFFER_LENGTH
from aeron_cluster.driver.streams.pointer_array cimport pointers_free
from aeron_cluster.memory.system.seams cimport nano_time


cdef bint is_resolution_due(datagram_agent *agent, int64_t now_ns) noexcept nogil:
    if agent.resolution_interval_ns <= 0 or now_ns - agent.resolution_deadline_ns < 0:
        return False
    agent.resolution_deadline_ns = now_ns + agent.resolution_interval_ns
    return True


cdef class DatagramAgent(Agent):
    """An agent with a queue for commands and a queue for events."""

    cdef int begin(
            self, datagram_agent *common, Clock clock, CountersManager counters,
            int32_t batch_count, int64_t resolution_interval_ns, int64_t cycle_threshold_ns
    ) except -1:
        cdef int64_t now_ns
        cdef int index
        self.common = common
        self._retained = {}
        self._clock = clock
        self._counters = counters
        common.clock = clock.c
        now_ns = nano_time(&common.clock)
        common.system_counters = <uint8_t *>value_address(counters, 0)
        common.resolution_interval_ns = resolution_interval_ns
        common.resolution_deadline_ns = now_ns + resolution_interval_ns
        common.tracker.threshold_ns = cycle_threshold_ns
        common.tracker.last_ns = now_ns
        queue_init(&common.commands, sizeof(command), COMMAND_CAPACITY)
        queue_init(&common.events, sizeof(event), EVENT_CAPACITY)
        common.buffers = <uint8_t *>calloc(batch_count, RECEIVE_BUFFER_LENGTH)
        if common.buffers == NULL:
            raise MemoryError
        for index in range(batch_count):
            memset(&common.batch[index], 0, sizeof(datagram))
            common.batch[index].data = common.buffers + index * RECEIVE_BUFFER_LENGTH
            common.batch[index].capacity = RECEIVE_BUFFER_LENGTH
        return 0

    cdef int count_with(
            self, int32_t max_cycle_time, int32_t cycle_time_exceeded, int32_t full_queue
    ) except -1:
        cdef uint8_t *counters = self.common.system_counters
        self.common.tracker.max_time_ns = system_counter(counters, max_cycle_time)
        self.common.tracker.exceeded_count = system_counter(counters, cycle_time_exceeded)
        self.full_queue_counter = full_queue
        return 0

    def __dealloc__(self):
        if self.common == NULL:
            return
        queue_free(&self.common.commands)
        queue_free(&self.common.events)
        pointers_free(&self.common.endpoints)
        free(self.common.buffers)

    cdef command *_command(self, int32_t type, void *subject) except? NULL:
        """Return a slot of the queue for a command, to be published after filling it."""
        cdef command *item = <command *>queue_claim(&self.common.commands)
        if item == NULL:
            count(self.common.system_counters, self.full_queue_counter, 1)
            return NULL
        memset(item, 0, sizeof(command))
        item.type = type
        item.subject = subject
        return item

    @property
    def free_command_count(self):
        """Return the number of commands that fit now."""
        return queue_free_count(&self.common.commands)
