cimport cython
from libc.stdint cimport int64_t

from aeron_cluster.driver.control.stream_tracking cimport stream_tracking
from aeron_cluster.driver.media.resolution_socket cimport ResolutionSocket, resolution_socket
from aeron_cluster.driver.streams.agent_queue cimport spsc_queue
from aeron_cluster.driver.streams.log_pages cimport page_allocator
from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.shared.counters cimport CountersManager
from aeron_cluster.memory.shared.heartbeat_watch cimport heartbeat_watch
from aeron_cluster.memory.shared.ring_buffer cimport ManyToOneRingBuffer, many_to_one_ring
from aeron_cluster.memory.system.seams cimport Clock, clock


cdef struct client_heartbeat:
    int64_t *value  # of its counter; 0: the client has closed
    heartbeat_watch *watch


cdef struct conductor_state:
    clock clock
    many_to_one_ring ring
    spsc_queue *sender_events
    spsc_queue *receiver_events
    page_allocator *allocator
    stream_tracking *tracking
    bint accepts_commands
    int64_t deadline_ns
    # The timer, while it only has to check active streams and clients.
    bint may_run_timer  # the next deadline belongs to this timer
    client_heartbeat *heartbeats
    int heartbeat_count
    int heartbeat_capacity
    resolution_socket *names  # of other drivers; NULL: names are not exchanged
    int64_t timer_interval_ns
    int64_t last_timer_ns  # time of the last run in C; 0: none since the Python code ran
    int64_t last_pass_ns
    int64_t cycle_threshold_ns
    int64_t *max_cycle_time  # counters
    int64_t *cycle_time_exceeded
    void *owner  # the ConductorAgent


@cython.final
cdef class ConductorAgent(Agent):
    cdef conductor_state c
    cdef object _conductor
    cdef Clock _clock
    cdef ManyToOneRingBuffer _ring  # keeps its memory mapped, like the next four
    cdef CountersManager _counters
    cdef object _sender
    cdef object _receiver
    cdef object _allocator
    cdef object _tracking
    cdef list _watched  # keeps the watches of the heartbeats
    cdef ResolutionSocket _names

    cdef int run(self) except -1
    cdef int watch(self, list heartbeats) except -1
