"""The conductor as an agent: checks in C whether there is work for it.

The other half of this agent's thread is `StreamTracking`.
"""
cimport cython
from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from aeron_cluster.driver.control.stream_tracking cimport StreamTracking, check_streams
from aeron_cluster.driver.media.resolution_socket cimport ResolutionSocket, poll_resolutions
from aeron_cluster.driver.receive.receiver cimport Receiver
from aeron_cluster.driver.send.sender cimport Sender
from aeron_cluster.driver.streams.agent_queue cimport queue_peek
from aeron_cluster.driver.streams.log_pages cimport PageAllocator
from aeron_cluster.memory.shared.atomic cimport (
    add_release_i64,
    load_acquire_i32,
    load_acquire_i64,
    propose_max_release_i64,
)
from aeron_cluster.memory.shared.counters cimport CountersManager, counter_address
from aeron_cluster.memory.shared.counters_layout cimport (
    SYSTEM_CONDUCTOR_CYCLE_TIME_EXCEEDED,
    SYSTEM_CONDUCTOR_MAX_CYCLE_TIME,
)
from aeron_cluster.memory.shared.heartbeat_watch cimport HeartbeatWatch, is_silent
from aeron_cluster.memory.shared.ring_buffer cimport (
    ManyToOneRingBuffer,
    ring_consumer_position,
    ring_producer_position,
    ring_set_consumer_heartbeat_ms,
)
from aeron_cluster.memory.system.seams cimport Clock, epoch_ms, nano_time


cdef inline bint has_command(conductor_state *state) noexcept nogil:
    """Return whether the next record of the ring is complete; it may still be written."""
    cdef int64_t head = load_acquire_i64(&state.ring.trailer.head_position)
    cdef uint8_t *record = state.ring.buffer + (head & (state.ring.capacity - 1) & ~7)
    return load_acquire_i32(record) > 0


cdef bint do_clients_live(conductor_state *state, int64_t now_ns) noexcept nogil:
    cdef client_heartbeat *each
    cdef int64_t heartbeat_ms
    cdef int index
    for index in range(state.heartbeat_count):
        each = &state.heartbeats[index]
        heartbeat_ms = load_acquire_i64(each.value)
        if heartbeat_ms == 0 or is_silent(each.watch, heartbeat_ms, now_ns):
            return False
    return True


cdef inline bint is_ring_empty(const conductor_state *state) noexcept nogil:
    """Return whether the ring is empty: no command, no unfinished claim, no damage."""
    cdef int64_t head = ring_consumer_position(&state.ring)
    return head == ring_producer_position(&state.ring) and head & 7 == 0


cdef bint run_timer(conductor_state *state, int64_t now_ns) noexcept nogil:
    """Do the timer's work; return whether that was all, or the Python half must run."""
    ring_set_consumer_heartbeat_ms(&state.ring, epoch_ms(&state.clock))
    return (
        is_ring_empty(state)
        and do_clients_live(state, now_ns)
        and check_streams(state.tracking, now_ns)
    )


cdef int do_work(void *context) except -1 nogil:
    cdef conductor_state *state = <conductor_state *>context
    cdef int64_t now_ns = nano_time(&state.clock)
    cdef int64_t elapsed_ns = now_ns - state.last_pass_ns
    state.last_pass_ns = now_ns
    propose_max_release_i64(state.max_cycle_time, elapsed_ns)
    if elapsed_ns > state.cycle_threshold_ns:
        add_release_i64(state.cycle_time_exceeded, 1)
    if now_ns >= state.deadline_ns and state.may_run_timer and run_timer(state, now_ns):
        state.last_timer_ns = now_ns
        state.deadline_ns = now_ns + state.timer_interval_ns
    if (
        now_ns >= state.deadline_ns
        or (state.accepts_commands and has_command(state))
        or queue_peek(state.sender_events) != NULL
        or queue_peek(state.receiver_events) != NULL
        or state.allocator.error_number != 0
        or (state.names != NULL and poll_resolutions(state.names, now_ns))
    ):
        return run_conductor(state)
    return 0


cdef int run_conductor(conductor_state *state) except -1 with gil:
    return (<ConductorAgent>state.owner).run()


@cython.final
cdef class ConductorAgent(Agent):
    """Drives a `Conductor` for a command, an event or a deadline.

    Parameters
    ----------
    conductor : Conductor
    clock : Clock
    ring : ManyToOneRingBuffer
        The command ring of clients.
    counters : CountersManager
    sender, receiver : Sender, Receiver
        Their events are handled by the conductor.
    allocator : PageAllocator
        Its failures are handled by the conductor.
    tracking : StreamTracking
        All streams.
    names : ResolutionSocket or None
        The socket of names of other drivers; its datagrams are handled by the conductor.
    cycle_threshold_ns : int
        A longer duty cycle is counted.
    timer_interval_ns : int
        The interval of checks of streams and clients, in ns.
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
        StreamTracking tracking not None,
        ResolutionSocket names,
        *,
        int64_t cycle_threshold_ns,
        int64_t timer_interval_ns,
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
        self._tracking = tracking
        self.c.tracking = &tracking.c
        self._names = names
        if names is not None:
            self.c.names = &names.c
        self.c.timer_interval_ns = timer_interval_ns
        self.c.clock = clock.c
        # A caller that waits for the driver may drive it before it is started.
        self.c.last_pass_ns = nano_time(&self.c.clock)
        self.c.sender_events = &sender.c.common.events
        self.c.receiver_events = &receiver.c.common.events
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
        """The name of the agent."""
        return "conductor"

    def on_start(self):
        """Begin to time duty cycles."""
        self.c.last_pass_ns = nano_time(&self.c.clock)

    def __dealloc__(self):
        free(self.c.heartbeats)

    cdef int run(self) except -1:
        cdef int work_count
        self.c.may_run_timer = False
        if self.c.last_timer_ns != 0:
            self._conductor.on_timer_run(self.c.last_timer_ns)
            self.c.last_timer_ns = 0
        work_count = self._conductor.do_work()
        self.c.deadline_ns = self._conductor.deadline_ns
        self.c.accepts_commands = self._conductor.accepts_commands
        self.watch(self._conductor.heartbeats)
        return work_count

    cdef int watch(self, list heartbeats) except -1:
        cdef client_heartbeat *grown
        cdef HeartbeatWatch watch
        cdef int count, index, counter_id
        if heartbeats is None:
            return 0
        count = <int>len(heartbeats)
        if count > self.c.heartbeat_capacity:
            grown = <client_heartbeat *>realloc(
                self.c.heartbeats, 2 * count * sizeof(client_heartbeat))
            if grown == NULL:
                raise MemoryError
            self.c.heartbeats = grown
            self.c.heartbeat_capacity = 2 * count
        for index in range(count):
            counter_id, watch = heartbeats[index]
            self.c.heartbeats[index].value = counter_address(&self._counters.reader, counter_id)
            self.c.heartbeats[index].watch = &watch.c
        self._watched = heartbeats
        self.c.heartbeat_count = count
        self.c.may_run_timer = True
        return 0
