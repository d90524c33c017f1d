"""The conductor as an agent: finds out in C whether there is something for it to do.

The other half of this agent's thread is `StreamTracking`.
"""
cimport cython
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memset

from aeron_cluster.driver.data_plane cimport queue_peek
from aeron_cluster.driver.log_pages cimport PageAllocator
from aeron_cluster.driver.receiver cimport Receiver
from aeron_cluster.driver.sender cimport Sender
from aeron_cluster.memory.atomic cimport (
    add_release_i64,
    load_acquire_i32,
    load_acquire_i64,
    propose_max_release_i64,
)
from aeron_cluster.memory.counters cimport CountersManager, counter_address
from aeron_cluster.memory.counters_layout cimport (
    SYSTEM_CONDUCTOR_CYCLE_TIME_EXCEEDED,
    SYSTEM_CONDUCTOR_MAX_CYCLE_TIME,
)
from aeron_cluster.memory.ring_buffer cimport ManyToOneRingBuffer
from aeron_cluster.memory.seams cimport Clock, nano_time


cdef inline bint has_command(conductor_state *state) noexcept nogil:
    """Return whether the next record of the ring is whole; one being written is nobody's yet."""
    cdef int64_t head = load_acquire_i64(&state.ring.trailer.head_position)
    cdef uint8_t *record = state.ring.buffer + (head & (state.ring.capacity - 1) & ~7)
    return load_acquire_i32(record) > 0


cdef int do_work(void *context) except -1 nogil:
    cdef conductor_state *state = <conductor_state *>context
    cdef int64_t now_ns = nano_time(&state.clock)
    cdef int64_t elapsed_ns = now_ns - state.last_pass_ns
    state.last_pass_ns = now_ns
    propose_max_release_i64(state.max_cycle_time, elapsed_ns)
    if elapsed_ns > state.cycle_threshold_ns:
        add_release_i64(state.cycle_time_exceeded, 1)
    if (
        now_ns >= state.deadline_ns
        or (state.accepts_commands and has_command(state))
        or queue_peek(state.sender_events) != NULL
        or queue_peek(state.receiver_events) != NULL
        or state.allocator.error_number != 0
    ):
        return run_conductor(state)
    return 0


cdef int run_conductor(conductor_state *state) except -1 with gil:
    return (<ConductorAgent>state.owner).run()


@cython.final
cdef class ConductorAgent(Agent):
    """Drives a `Conductor` whenever there is a command, an event or a deadline.

    Parameters
    ----------
    conductor : Conductor
    clock : Clock
    ring : ManyToOneRingBuffer
        Where clients leave commands.
    counters : CountersManager
    sender, receiver : Sender, Receiver
        Whose events are the conductor's.
    allocator : PageAllocator
        Whose failures are.
    cycle_threshold_ns : int
        A longer time from pass to pass is counted.
    """

    def __cinit__(
        self,
        conductor,
        Clock clock not None,
        ManyToOneRingBuffer ring not None,
        CountersManager counters not None,
        Sender sender not None,
        Receiver receiver not None,
        PageAllocator allocator not None,
        *,
        int64_t cycle_threshold_ns,
    ):
        memset(&self.c, 0, sizeof(self.c))
        self._ring = ring
        self.c.ring = ring.ring
        self._conductor = conductor
        self._clock = clock
        self._counters = counters
        self._sender = sender
        self._receiver = receiver
        self._allocator = allocator
        self.c.allocator = &allocator.c
        self.c.clock = clock.c
        self.c.sender_events = &sender.c.events
        self.c.receiver_events = &receiver.c.events
        self.c.accepts_commands = True
        self.c.cycle_threshold_ns = cycle_threshold_ns
        self.c.max_cycle_time = counter_address(
            &counters.reader, SYSTEM_CONDUCTOR_MAX_CYCLE_TIME)
        self.c.cycle_time_exceeded = counter_address(
            &counters.reader, SYSTEM_CONDUCTOR_CYCLE_TIME_EXCEEDED)
        self.c.owner = <void *>self
        self.do_work_fn = do_work
        self.state = &self.c

    @property
    def role_name(self):
        """What the agent is called."""
        return "conductor"

    def on_start(self):
        """Begin to time the passes."""
        self.c.last_pass_ns = nano_time(&self.c.clock)

    cdef int run(self) except -1:
        cdef int work_count = self._conductor.do_work()
        self.c.deadline_ns = self._conductor.deadline_ns
        self.c.accepts_commands = self._conductor.accepts_commands
        return work_count
