"""The half of the client conductor that finds out, without the GIL, that nothing is due."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.memory.agent cimport Agent
from aeron_cluster.memory.broadcast cimport broadcast_receiver
from aeron_cluster.memory.cnc_file cimport CncFile
from aeron_cluster.memory.counters cimport counters_reader
from aeron_cluster.memory.ring_buffer cimport many_to_one_ring
from aeron_cluster.memory.seams cimport Clock, clock
from aeron_cluster.memory.step_watch cimport step_watch


# What the Python half has to see to.
cpdef enum ConductorNews:
    NO_NEWS = 0
    HEARTBEAT_FOUND = 1  # the counter that says that this client lives: it wants its label
    HEARTBEAT_LOST = 2
    DRIVER_CLOSED = 3
    DRIVER_TIMED_OUT = 4
    SERVICE_GAP = 5  # no pass for longer than the driver forgives


cdef struct conductor_pass:
    broadcast_receiver receiver
    many_to_one_ring to_driver
    counters_reader counters
    clock clock
    int64_t client_id
    int64_t deadline_ns  # when the Python half wants to be called next
    int64_t keepalive_deadline_ns
    int64_t keepalive_interval_ns
    step_watch steps  # of the wall clock: they make no driver older
    int64_t last_pass_ns
    int64_t gap_ns  # the one that is the news
    int64_t gap_limit_ns
    int32_t heartbeat_id  # -1 until the driver made it
    int32_t news
    int32_t is_closed
    int32_t is_service_requested
    void *agent  # ConductorAgent


@cython.final
cdef class ConductorAgent(Agent):
    cdef conductor_pass c
    cdef uint8_t *scratch
    cdef int32_t scratch_length
    cdef Clock clock_owner
    cdef CncFile cnc  # keeps the sections mapped
    cdef object conductor

    cdef int _dispatch(self, int32_t kind, int32_t length) except -1
