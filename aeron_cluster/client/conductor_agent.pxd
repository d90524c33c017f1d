"""The part of the client conductor that checks, without the GIL, whether anything is due."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.shared.broadcast cimport broadcast_receiver
from aeron_cluster.memory.shared.cnc_file cimport CncFile
from aeron_cluster.memory.shared.counters cimport counters_reader
from aeron_cluster.memory.shared.heartbeat_watch cimport heartbeat_watch
from aeron_cluster.memory.shared.ring_buffer cimport many_to_one_ring
from aeron_cluster.memory.system.seams cimport Clock, clock


# Events for the Python half.
cpdef enum ConductorEvent:
    NO_EVENT = 0
    HEARTBEAT_FOUND = 1  # the heartbeat counter of this client exists, and needs its label
    HEARTBEAT_LOST = 2
    DRIVER_CLOSED = 3
    DRIVER_TIMED_OUT = 4
    SERVICE_GAP = 5  # no duty cycle for longer than the driver's client liveness timeout


# Two threads may run a duty cycle at the same time: the agent's own, without a lock, and a user's
# in a blocking call, which holds the conductor's lock. Fields used by both are atomic; others are
# as commented.
cdef struct conductor_pass:
    broadcast_receiver receiver  # under the lock
    many_to_one_ring to_driver
    counters_reader counters
    clock clock
    int64_t client_id
    int64_t next_position  # of the receiver, for the thread without the lock
    int64_t deadline_ns  # when to call the Python half next
    # The times of the last duty cycles of both threads; each has a single writer, so that no late
    # store hides another.
    int64_t agent_pass_ns
    int64_t caller_pass_ns
    int64_t gap_limit_ns
    # Whether a thread is in `check_driver`, the only writer of the fields from here to the event.
    int32_t is_checking
    int64_t keepalive_deadline_ns
    int64_t keepalive_interval_ns
    heartbeat_watch driver
    int32_t heartbeat_id  # -1 until the driver has created it
    int64_t gap_ns  # between two duty cycles; of a SERVICE_GAP
    int64_t silence_ns  # since the driver's heartbeat changed; of a DRIVER_TIMED_OUT
    int32_t event  # written if it is NO_EVENT, and reset by its consumer
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
    # of the last consumed event
    cdef int64_t taken_gap_ns
    cdef int64_t taken_silence_ns

    cdef int _dispatch(self, int32_t kind, int32_t length) except -1
