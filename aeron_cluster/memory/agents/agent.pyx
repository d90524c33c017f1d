"""Components as duty cycles: a work function, a context and a name.

Upstream: Agrona's Agent, AgentInvoker and CompositeAgent; the runner with its thread is in
agent_runner.py.
"""

import logging

from cpython.exc cimport PyErr_CheckSignals
from libc.stdlib cimport calloc, free

from aeron_cluster.memory.agents.idle_strategy cimport idle
from aeron_cluster.memory.system.fork cimport check_not_forked, fork_generation
from aeron_cluster.memory.system.invariants cimport check_violations
from aeron_cluster.memory.system.seams cimport SystemClock, nano_time

from aeron_cluster.errors import (
    AgentTerminationError,
    ClosedError,
    InvariantViolatedError,
    StateError,
)

_LOGGER = logging.getLogger("aeron_cluster.agent")


cdef extern from "aeron_cluster/atomic.h" nogil:
    int32_t ac_load_acquire_i32(const void *address) noexcept
    int64_t ac_load_opaque_i64(const void *address) noexcept
    void ac_store_opaque_i64(void *address, int64_t value) noexcept
    void ac_store_release_i32(void *address, int32_t value) noexcept


cdef enum:
    SIGNAL_INTERVAL_NS = 10_000_000

# Returns -1 without raising: the exception stays set until it is checked.
ctypedef int (*raw_work_function)(void *state) noexcept nogil


cdef inline int _run_slot(duty_cycle *cycle, agent_slot *slot) noexcept nogil:
    cdef int64_t begin = 0
    cdef int64_t taken
    cdef int result
    if cycle.stall_threshold_ns > 0:
        begin = nano_time(&cycle.clock)
    slot.is_running = True
    result = (<raw_work_function>slot.do_work_fn)(slot.state)
    slot.is_running = False
    if cycle.stall_threshold_ns > 0:
        taken = nano_time(&cycle.clock) - begin
        if taken > slot.max_pass_ns:
            ac_store_opaque_i64(&slot.max_pass_ns, taken)
        if taken > cycle.stall_threshold_ns:
            ac_store_opaque_i64(&slot.stall_count, slot.stall_count + 1)
    # A violation has precedence over an exception in the same pass, since it may be its cause.
    if (<int (*)() noexcept nogil>_raise_violation)() < 0:
        return -1
    return result


cdef int _raise_violation() except -1 nogil:
    return check_violations()


cdef int _raise_broken(duty_cycle *cycle) except -1 with gil:
    raise (<DutyCycle>cycle.owner).violation


cdef int _pending_exception() except -1:
    return -1


cdef int _hand_over(duty_cycle *cycle, int index) except -1 with gil:
    return (<DutyCycle>cycle.owner).on_failure(index)


cdef int run_pass(duty_cycle *cycle) except -1 nogil:
    cdef int work_count = 0
    cdef int index
    cdef int result
    if cycle.is_broken:
        return _raise_broken(cycle)
    if cycle.is_running:  # a callback drives its own runner
        return run_others(cycle)
    cycle.is_running = True
    while cycle.next < cycle.count:
        index = cycle.next
        cycle.next += 1
        result = _run_slot(cycle, &cycle.slots[index])
        if result >= 0:
            work_count += result
        elif _fails(cycle, index):
            cycle.is_running = False
            return -1
        if cycle.is_broken:  # by an agent that ran within the last one's callback
            cycle.is_running = False
            return _raise_broken(cycle)
    cycle.next = 0
    cycle.is_running = False
    return work_count


cdef int run_others(duty_cycle *cycle) except -1 nogil:
    cdef int work_count = 0
    cdef int index
    cdef int result
    if cycle.is_broken:
        return _raise_broken(cycle)
    for index in range(cycle.count):
        if cycle.slots[index].is_running:
            continue
        result = _run_slot(cycle, &cycle.slots[index])
        if result >= 0:
            work_count += result
        elif _fails(cycle, index):
            return -1
        if cycle.is_broken:
            return _raise_broken(cycle)
    if cycle.parent is not NULL:
        result = run_others(cycle.parent)
        work_count += result
    return work_count


cdef bint is_any_running(const duty_cycle *cycle) noexcept nogil:
    """Whether an agent is on the call stack."""
    cdef int index
    for index in range(cycle.count):
        if cycle.slots[index].is_running:
            return True
    return False


cdef inline bint _fails(duty_cycle *cycle, int index) noexcept nogil:
    # True if the handler raised; its exception stays set.
    return (<int (*)(duty_cycle *, int) noexcept nogil>_hand_over)(cycle, index) < 0


cdef class Agent:
    """A component that is driven one pass at a time."""

    @property
    def role_name(self) -> str:
        """The role name, for thread names, logs and counters."""
        return type(self).__name__

    @property
    def is_driven(self) -> bool:
        """Whether a runner, an invoker or a composite agent drives it."""
        return self.cycle is not NULL

    def on_start(self) -> None:
        """Prepare, on the thread that will drive it, before the first pass."""

    def do_work(self) -> int:
        """Run one duty cycle without the GIL and return the work count."""
        cdef int work_count
        if self.do_work_fn is NULL:
            raise StateError(f"{self.role_name}: no work function is set")
        with nogil:
            work_count = self.do_work_fn(self.state)
            check_violations()
        return work_count

    def on_close(self) -> None:
        """Release everything, on the thread that drove it, after the last pass."""

    def run_others(self) -> int:
        """Run one pass over the other agents of the thread that are not on the call stack.

        Returns
        -------
        int
            Their work count; 0 if this agent is not driven.

        Notes
        -----
        For a callback that waits: the driver and the archive on the same thread continue.
        """
        cdef int work_count = 0
        if self.cycle is not NULL:
            with nogil:
                work_count = run_others(self.cycle)
        return work_count


cdef int _do_python_work(void *state) except -1 with gil:
    cdef int work_count = (<PythonAgent>state)._delegate.do_work()
    # A negative count would be mistaken for an exception.
    return work_count if work_count > 0 else 0


cdef class PythonAgent(Agent):
    """An agent written in Python; it takes the GIL in every duty cycle.

    Parameters
    ----------
    delegate : object
        An object with ``do_work()``, which returns an `int`, and optionally ``role_name``,
        ``on_start()`` and ``on_close()``.
    """

    def __cinit__(self, delegate):
        if not callable(getattr(delegate, "do_work", None)):
            raise TypeError(f"{delegate!r}: expected an object with do_work()")
        self._delegate = delegate
        self.do_work_fn = _do_python_work
        self.state = <void *>self
        self.takes_gil = True

    @property
    def role_name(self) -> str:
        name = getattr(self._delegate, "role_name", None)
        if name is None:
            return type(self._delegate).__name__
        return name() if callable(name) else name

    def on_start(self) -> None:
        if hasattr(self._delegate, "on_start"):
            self._delegate.on_start()

    def on_close(self) -> None:
        if hasattr(self._delegate, "on_close"):
            self._delegate.on_close()


cdef class DutyCycle:
    """Agents in order on one thread: the common part of runners, invokers and composites.

    Parameters
    ----------
    agents : sequence
        Each an `Agent`, or an object that `PythonAgent` can wrap.
    error_handler : callable, optional
        Called with the agent and its exception. An exception of the handler ends the pass; without
        a handler the agent's exception does.
    clock : Clock, optional
        The clock for timing passes.
    stall_threshold_ns : int
        Longer duty cycles of an agent are counted, in ns; 0 disables that.

    Attributes
    ----------
    violation : InvariantViolatedError or None
        The error of an agent with an invalid state; each later pass raises it.
    """

    def __cinit__(self, agents, *, error_handler=None, Clock clock=None,
                  int64_t stall_threshold_ns=0):
        cdef Agent agent
        cdef int index
        self.agents = tuple([
            each if isinstance(each, Agent) else PythonAgent(each) for each in agents
        ])
        self._error_handler = error_handler
        self._clock = SystemClock() if clock is None else clock
        self.c.clock = self._clock.c
        self.c.stall_threshold_ns = stall_threshold_ns
        self.c.owner = <void *>self
        if not self.agents:
            raise ValueError("agents: expected at least one, found none")
        for agent in self.agents:
            if agent.do_work_fn is NULL:
                raise StateError(f"{agent.role_name}: no work function is set")
            if agent.cycle is not NULL:
                raise StateError(f"{agent.role_name}: another runner drives it already")
        self.c.slots = <agent_slot *>calloc(len(self.agents), sizeof(agent_slot))
        if self.c.slots is NULL:
            raise MemoryError()
        self.c.count = len(self.agents)
        python = [agent.role_name for agent in self.agents if agent.takes_gil]
        if python and len(python) < len(self.agents):
            _LOGGER.warning(
                "%s: takes the GIL in each pass, and so delays the agents on the same thread",
                ", ".join(python))
        for index, agent in enumerate(self.agents):
            self.c.slots[index].do_work_fn = agent.do_work_fn
            self.c.slots[index].state = agent.state
            agent.cycle = &self.c
            agent._driver = self
            if isinstance(agent, CompositeAgent):
                (<CompositeAgent>agent)._inner.join(self)

    def __dealloc__(self):
        free(self.c.slots)

    cdef int join(self, DutyCycle parent) except -1:
        self.c.parent = &parent.c
        self._clock = parent._clock
        self.c.clock = parent.c.clock
        self.c.stall_threshold_ns = parent.c.stall_threshold_ns
        for agent in self.agents:
            if isinstance(agent, CompositeAgent):
                (<CompositeAgent>agent)._inner.join(self)
        return 0

    def release(self) -> None:
        """Yield to the other agents of the thread."""
        cdef Agent agent
        for agent in self.agents:
            if agent.cycle is &self.c:
                agent.cycle = NULL
                agent._driver = None
                if isinstance(agent, CompositeAgent):
                    (<CompositeAgent>agent)._inner.c.parent = NULL

    def start(self) -> None:
        """Start the agents in order; if one fails, close the started ones in reverse."""
        started = []
        try:
            for agent in self.agents:
                agent.on_start()
                started.append(agent)
        except BaseException:
            self._close(started)
            raise

    def close(self) -> None:
        """Close the agents in reverse; exceptions go to the error handler, so that all are."""
        self._close(self.agents)

    def _close(self, agents):
        for agent in reversed(agents):
            try:
                agent.on_close()
            except Exception as exception:
                self.report(agent, exception)
        self.release()

    def report(self, agent, exception) -> None:
        """Pass an exception to the error handler without raising it."""
        try:
            if self._error_handler is not None:
                self._error_handler(agent, exception)
                return
        except Exception as raised:
            if raised is not exception:
                _LOGGER.exception("the error handler failed for %s", agent.role_name)
        _LOGGER.error("%s failed", agent.role_name, exc_info=exception)

    cdef int on_failure(self, int index) except -1:
        cdef duty_cycle *cycle = &self.c
        # A composite's agents have the handler of the composite's driver.
        while (<DutyCycle>cycle.owner)._error_handler is None and cycle.parent is not NULL:
            cycle = cycle.parent
        handler = (<DutyCycle>cycle.owner)._error_handler
        try:
            _pending_exception()
        except InvariantViolatedError as violation:
            self._break(violation, index, handler)
            raise
        except Exception as exception:
            try:
                if handler is None:
                    raise
                handler(self.agents[index], exception)
            except AgentTerminationError as termination:
                # The agent in whose callback it ran may take the end for its own.
                if is_any_running(&self.c):
                    self.violation = termination
                    self.c.is_broken = True
                raise
        return 0

    cdef int _break(self, violation, int index, handler) except -1:
        """Stop driving all agents; the error is reported for the agent that raised it."""
        is_new = not violation.is_reported
        violation.is_reported = True
        self.violation = violation
        self.c.is_broken = True
        if handler is not None and is_new:
            try:
                handler(self.agents[index], violation)
            except InvariantViolatedError:
                pass  # raised by the caller
        return 0

    def do_pass(self) -> int:
        """Do one pass over all agents without the GIL and return the work count."""
        cdef int work_count
        with nogil:
            work_count = run_pass(&self.c)
        return work_count

    def run(self, IdleStrategy strategy not None, bint check_signals=False) -> None:
        """Do passes until `stop`, without the GIL.

        Parameters
        ----------
        strategy : IdleStrategy
            How to idle after a pass without work.
        check_signals : bool
            Whether to handle signals every 10 ms: on the main thread.
        """
        with nogil:
            _drive(&self.c, &strategy.c, check_signals)

    def stop(self) -> None:
        """End `run` after its pass. Any thread may call it."""
        ac_store_release_i32(&self.c.is_stopping, 1)  # pairs with the acquire in _drive

    @property
    def is_stopping(self) -> bool:
        """Whether `stop` was called."""
        return ac_load_acquire_i32(&self.c.is_stopping) != 0

    def accounts(self) -> list[tuple[str, int, int]]:
        """Return each agent's name, its longest duty cycle in ns, and the number of stalls.

        A composite is replaced by its agents. Any thread may call it.
        """
        found = []
        for index, agent in enumerate(self.agents):
            if isinstance(agent, CompositeAgent):
                found += (<CompositeAgent>agent)._inner.accounts()
            else:
                found.append((agent.role_name,
                              ac_load_opaque_i64(&self.c.slots[index].max_pass_ns),
                              ac_load_opaque_i64(&self.c.slots[index].stall_count)))
        return found


cdef int _check_signals() except -1 with gil:
    return PyErr_CheckSignals()


cdef int _drive(duty_cycle *cycle, idle_strategy *strategy,
                bint check_signals) except -1 nogil:
    cdef int64_t deadline_ns = nano_time(&cycle.clock) + SIGNAL_INTERVAL_NS
    cdef int64_t now_ns
    cdef int work_count
    # Pairs with the release in DutyCycle.stop.
    while ac_load_acquire_i32(&cycle.is_stopping) == 0:
        work_count = run_pass(cycle)
        idle(strategy, work_count)
        if check_signals:
            now_ns = nano_time(&cycle.clock)
            if now_ns >= deadline_ns:
                deadline_ns = now_ns + SIGNAL_INTERVAL_NS
                _check_signals()
    return 0


cdef int _do_composite_work(void *state) except -1 nogil:
    return run_pass(<duty_cycle *>state)


cdef class CompositeAgent(Agent):
    """Several agents in order as one.

    Parameters
    ----------
    agents : sequence
        Each an `Agent`, or an object that `PythonAgent` can wrap.
    role_name : str, optional
        By default the agents' role names, joined.

    Notes
    -----
    Its agents are timed by its driver, and their exceptions go to its driver's handler.
    """

    def __cinit__(self, agents, *, str role_name=None):
        self._inner = DutyCycle(agents)
        self._role_name = role_name or "+".join(
            [agent.role_name for agent in self._inner.agents])
        self.do_work_fn = _do_composite_work
        self.state = &self._inner.c
        self.takes_gil = all([agent.takes_gil for agent in self._inner.agents])

    @property
    def role_name(self) -> str:
        return self._role_name

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The driven agents, in order."""
        return self._inner.agents

    def on_start(self) -> None:
        self._inner.start()

    def on_close(self) -> None:
        self._inner.close()


cdef class AgentInvoker:
    """Agents that are driven by the user.

    Parameters
    ----------
    agents : sequence
        Each an `Agent`, or an object that `PythonAgent` can wrap.
    error_handler : callable, optional
        Called with the agent and its exception; an exception of the handler is raised by `invoke`.
        By default the exception itself does.
    clock : Clock, optional
        The clock for timing passes.
    stall_threshold_ns : int
        Longer duty cycles of an agent are counted, in ns; 0 disables that.
    """

    def __cinit__(self, agents, *, error_handler=None, Clock clock=None,
                  int64_t stall_threshold_ns=0):
        self._generation = fork_generation()
        self._cycle = DutyCycle(agents, error_handler=error_handler, clock=clock,
                                stall_threshold_ns=stall_threshold_ns)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exc_info):
        self.close()

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The driven agents, in order."""
        return self._cycle.agents

    def start(self) -> None:
        """Start the agents in order, on this thread."""
        check_not_forked(self._generation, "invoker")
        if self.is_started or self.is_closed:
            raise StateError("invoker: started or closed already")
        try:
            self._cycle.start()
        except BaseException:
            self.is_closed = True
            raise
        self.is_started = True

    def invoke(self) -> int:
        """Do one pass over all agents without the GIL.

        Returns
        -------
        int
            The work count.

        Raises
        ------
        ClosedError
            The invoker was closed, or inherited over a fork.
        """
        cdef int work_count
        check_not_forked(self._generation, "invoker")
        if self.is_closed or not self.is_started:
            raise ClosedError("invoker: not started, or closed")
        with nogil:
            work_count = run_pass(&self._cycle.c)
        return work_count

    def close(self) -> None:
        """Close the agents in reverse; more than once, or after a fork, does nothing."""
        if self.is_closed or self._generation != fork_generation():
            return
        self.is_closed = True
        if self.is_started:
            self._cycle.close()
        else:
            self._cycle.release()

    def accounts(self) -> list[tuple[str, int, int]]:
        """Return each agent's name, its longest duty cycle in ns, and the number of stalls."""
        return self._cycle.accounts()
