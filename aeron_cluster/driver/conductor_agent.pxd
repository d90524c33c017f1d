cimport cython
from libc.stdint cimport int64_t

from aeron_cluster.driver.data_plane cimport spsc_queue
from aeron_cluster.driver.log_pages cimport page_allocator
from aeron_cluster.memory.agent cimport Agent
from aeron_cluster.memory.ring_buffer cimport ManyToOneRingBuffer, many_to_one_ring
from aeron_cluster.memory.seams cimport Clock, clock


cdef struct conductor_state:
    clock clock
    many_to_one_ring ring
    spsc_queue *sender_events
    spsc_queue *receiver_events
    page_allocator *allocator
    bint accepts_commands
    int64_t deadline_ns
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
    cdef ManyToOneRingBuffer _ring  # keeps its memory mapped, as the next four do
    cdef object _counters
    cdef object _sender
    cdef object _receiver
    cdef object _allocator

    cdef int run(self) except -1
