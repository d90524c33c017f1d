from libc.stdint cimport int64_t

from aeron_cluster.memory.idle_strategy cimport IdleStrategy, idle_strategy
from aeron_cluster.memory.seams cimport Clock, clock


# One pass. Returns the work count; -1 where code that took the GIL set a Python exception.
ctypedef int (*work_function)(void *state) except -1 nogil


# A component that a runner or its user drives. A subclass sets both fields before it is driven and
# keeps what `state` points to alive; it overrides on_start, on_close and role_name.
cdef class Agent:
    cdef work_function do_work_fn
    cdef void *state
    cdef readonly bint takes_gil  # each pass
    cdef DutyCycle _cycle  # that drives it


cdef struct agent_slot:
    work_function do_work_fn
    void *state
    bint is_running  # it is on the call stack
    int64_t max_pass_ns
    int64_t stall_count  # its passes longer than the threshold


# Several agents in order on one thread, and the account of how long each one took.
cdef class DutyCycle:
    cdef agent_slot *_slots
    cdef int _count
    cdef int _failed  # the slot whose exception is set
    cdef int64_t _stall_threshold_ns
    cdef clock _clock
    cdef Clock _clock_owner
    cdef tuple _agents
    cdef Agent _parent  # the composite that this is the inside of

    cdef int run_pass(self) except -1 nogil
    cdef int run_others(self) except -1 nogil
