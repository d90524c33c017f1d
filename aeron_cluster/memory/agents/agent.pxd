from libc.stdint cimport int32_t, int64_t

from aeron_cluster.memory.agents.idle_strategy cimport IdleStrategy, idle_strategy
from aeron_cluster.memory.system.seams cimport Clock, clock


# One duty cycle. Returns the work count; -1 if code that took the GIL set a Python exception.
ctypedef int (*work_function)(void *state) except -1 nogil


cdef struct agent_slot:
    work_function do_work_fn
    void *state
    bint is_running  # it is on the call stack
    int64_t max_pass_ns
    int64_t stall_count  # its duty cycles longer than the threshold


# Several agents in order on one thread, with their times.
cdef struct duty_cycle:
    agent_slot *slots
    int count
    int next  # where a pass interrupted by an error continues
    bint is_running
    bint is_broken  # its state was invalid, or it ended within a callback: none is driven again
    int32_t is_stopping  # set by any thread
    int64_t stall_threshold_ns  # 0: passes are not timed
    clock clock
    duty_cycle *parent  # the cycle that drives this one as an agent, or NULL
    void *owner  # the DutyCycle


# One pass over all agents; returns their work count. An exception of an agent goes to the cycle's
# error handler; an exception of the handler ends the pass. An InvariantViolatedError always ends
# it, and each pass after it.
cdef int run_pass(duty_cycle *cycle) except -1 nogil

# One pass over the agents that are not on the call stack: run by a callback that waits.
cdef int run_others(duty_cycle *cycle) except -1 nogil


# A component driven by a runner, an invoker or its user. A subclass sets do_work_fn and state in
# its __cinit__ or __init__, keeps the memory of state alive and in place, and may override
# role_name, on_start and on_close.
cdef class Agent:
    cdef work_function do_work_fn
    cdef void *state
    cdef duty_cycle *cycle  # the cycle that drives it, or NULL
    cdef DutyCycle _driver  # keeps the cycle alive
    cdef readonly bint takes_gil  # in every duty cycle


cdef class PythonAgent(Agent):
    cdef object _delegate


cdef class DutyCycle:
    cdef duty_cycle c
    cdef readonly tuple agents
    cdef object _error_handler
    cdef Clock _clock
    cdef readonly object violation  # the error that ended the passes within a callback, or None

    cdef int join(self, DutyCycle parent) except -1
    cdef int on_failure(self, int index) except -1
    cdef int _break(self, violation, int index, handler) except -1


cdef class CompositeAgent(Agent):
    cdef DutyCycle _inner
    cdef str _role_name


cdef class AgentInvoker:
    cdef DutyCycle _cycle
    cdef int64_t _generation
    cdef readonly bint is_started
    cdef readonly bint is_closed
