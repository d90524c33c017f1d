"""Drives the agents of simulated machines, and advances time to the next due event.

An actor is the set of agents that one thread of a process drives. An actor that did work is driven
again immediately (a duty cycle takes a few microseconds of virtual time). An idle one is driven
again when a datagram arrives at its host, or after a step that grows fourfold with each idle duty
cycle up to a limit, so its deadlines may be late by that. In between, time jumps. All of it runs
without the GIL.
"""
cimport cython
from libc.stdint cimport INT64_MAX
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from aeron_cluster.client.image cimport has_frames
from aeron_cluster.client.subscription cimport image_list
from aeron_cluster.memory.agents.agent cimport AgentInvoker, run_pass
from aeron_cluster.simulator.world.memory_files cimport ProcessFiles
from aeron_cluster.simulator.world.wire cimport HostNetwork, pump

cdef extern from *:
    """
    #include <stdlib.h>
    #ifdef __GLIBC__
    #include <malloc.h>
    static void ac_fill_allocations(int value) { mallopt(M_PERTURB, value); }
    #else
    static void ac_fill_allocations(int value) { (void)value; }
    #endif
    """
    void ac_fill_allocations(int value) noexcept nogil

cdef enum:
    PASS_NS = 2_000
    LONGEST_PASS_NS = 200_000
    FIRST_STEP_NS = 20_000
    STEP_GROWTH = 4
    # After this many consecutive duty cycles with work, an actor counts as waiting in a busy loop.
    MAX_BUSY = 256
    FAILED = -1
    DONE = 0
    STOPPED = 1
    LATE = 2
    # More than the actors of any cluster, each of which waits at most once; limits the stack depth.
    # A wait at that depth only advances time, without driving actors.
    MAX_DEPTH = 64

ctypedef int (*raw_pass)(duty_cycle *cycle) noexcept nogil


cdef inline bint _is_stopped(const actor *self) noexcept nogil:
    return self.network.calls_left == 0 or self.files.calls_left == 0


cdef inline bint _is_woken(const actor *self) noexcept nogil:
    return self.host.arrivals != self.seen_arrivals


cdef void _plan(actor *self, int64_t now_ns, int work_count) noexcept nogil:
    if work_count > 0:
        self.busy_count += 1
        self.step_ns = PASS_NS
        if self.busy_count > MAX_BUSY:
            self.step_ns = min(PASS_NS * (self.busy_count // MAX_BUSY), <int64_t>LONGEST_PASS_NS)
    elif self.busy_count > 0 or self.step_ns < FIRST_STEP_NS:
        self.busy_count = 0
        self.step_ns = FIRST_STEP_NS
    else:
        self.step_ns = min(self.step_ns * STEP_GROWTH, self.longest_step_ns)
    self.due_ns = now_ns + self.step_ns


cdef int _round(loop *self) noexcept nogil:
    """Drive each due actor, beginning with a random one."""
    cdef int64_t now_ns = self.time.now_ns
    cdef actor *each
    cdef int result
    if self.left == 0:
        pump(self.wire)
        self.order = self.order * 6364136223846793005u + 1442695040888963407u
        self.next = <int>((self.order >> 33) % <uint64_t>max(self.count, 1))
        self.left = self.count
    while self.left > 0:
        each = &self.actors[self.next]
        self.failed = self.next
        self.next = (self.next + 1) % self.count
        self.left -= 1
        if (each.cycle is NULL or each.has_failed or now_ns < each.paused_until_ns
                or (now_ns < each.due_ns and not _is_woken(each))):
            continue
        each.seen_arrivals = each.host.arrivals
        each.pass_count += 1
        result = (<raw_pass>run_pass)(each.cycle)
        if _is_stopped(each):
            return FAILED if result < 0 else STOPPED
        if result < 0:
            each.due_ns = now_ns + PASS_NS
            return FAILED
        _plan(each, now_ns, result)
    self.failed = -1
    return DONE


cdef int _continue(void *state) except -1 nogil:
    """Advance time and drive all other due actors, while a callback of one waits."""
    cdef callback_wait *place = <callback_wait *>state
    cdef duty_cycle *cycle = place.cycle
    if cycle is NULL or cycle.next == cycle.count:
        return 0  # the end of an ordinary duty cycle
    _run_other_actors(place.loop)
    return 0


cdef void _run_other_actors(loop *self) noexcept nogil:
    cdef actor *each
    cdef int64_t next_ns = _next_ns(self)
    cdef int index
    cdef int result
    # A wait without other events reaches its deadline step by step.
    self.time.now_ns += min(
        max(next_ns - self.time.now_ns, <int64_t>PASS_NS), <int64_t>LONGEST_PASS_NS)
    pump(self.wire)
    if self.depth == MAX_DEPTH:
        return
    self.depth += 1
    for index in range(self.count):
        each = &self.actors[index]
        if (each.cycle is NULL or each.cycle.is_running or each.has_failed
                or self.time.now_ns < each.paused_until_ns
                or (self.time.now_ns < each.due_ns and not _is_woken(each))):
            continue
        each.seen_arrivals = each.host.arrivals
        each.pass_count += 1
        result = (<raw_pass>run_pass)(each.cycle)
        if result < 0 or _is_stopped(each):
            each.has_failed = True
            self.has_late = True
            _keep_for_later(self, index, result < 0)
        else:
            _plan(each, self.time.now_ns, result)
    self.depth -= 1


cdef void _keep_for_later(loop *self, int place, bint is_raised) noexcept with gil:
    error = None
    if is_raised:
        try:
            _raise_pending()
        except BaseException as raised:
            error = raised
    (<Loop>self.owner)._late.append((place, error))


cdef int64_t _next_ns(const loop *self) noexcept nogil:
    """Return the time of the next due event."""
    cdef int64_t found_ns = INT64_MAX
    cdef const actor *each
    cdef int index
    if self.wire.flying_count > 0:
        found_ns = self.wire.flying[0].due_ns
    for index in range(self.count):
        each = &self.actors[index]
        if each.cycle is NULL or each.cycle.is_running or each.has_failed:
            continue
        if _is_woken(each):
            found_ns = min(found_ns, max(self.time.now_ns + PASS_NS, each.paused_until_ns))
        found_ns = min(found_ns, max(each.due_ns, each.paused_until_ns))
    return found_ns


cdef int _run(loop *self, int64_t until_ns) noexcept nogil:
    cdef int result
    cdef int64_t next_ns
    while self.time.now_ns < until_ns:
        result = _round(self)
        if result != DONE:
            return result
        if self.has_late:
            return LATE
        # At least 1 ns, so that time advances; it may have passed already.
        next_ns = max(_next_ns(self), self.time.now_ns + 1)
        self.time.now_ns = max(self.time.now_ns, min(next_ns, until_ns))
    return DONE


@cython.final
cdef class Loop:
    """Drives actors on virtual time.

    Parameters
    ----------
    time : VirtualTime
    wire : Wire
        The network with the datagrams that wake actors.
    order : int
        Determines the first actor of each round.
    """

    def __cinit__(self, VirtualTime time not None, Wire wire not None, uint64_t order=0):
        self._time = time
        self._wire = wire
        self._invokers = {}
        self._late = []
        self.c.owner = <void *>self
        self.c.time = &time.c
        self.c.wire = &wire.c
        self.c.order = order
        self.c.failed = -1

    def __dealloc__(self):
        free(self.c.actors)

    cdef actor *_actor(self, int place) except NULL:
        if place not in self._invokers:
            raise KeyError(place)
        return &self.c.actors[place]

    def add(self, AgentInvoker invoker not None, HostNetwork network not None,
            ProcessFiles files not None, *, int64_t longest_step_ns=1_000_000) -> int:
        """Add an actor and return its slot.

        Parameters
        ----------
        invoker : AgentInvoker
            The started invoker of its agents.
        network : HostNetwork
            The network of its process; datagrams to the host wake it.
        files : ProcessFiles
            The files of its process.
        longest_step_ns : int
            The highest lateness of its deadlines, in ns.
        """
        cdef actor *grown
        cdef actor *place
        cdef int index
        if network.wire is not self._wire:
            raise ValueError("network: not on this wire")
        for index in range(self.c.count):
            if self.c.actors[index].cycle is NULL:
                break
        else:
            index = self.c.count
            if index == self.c.capacity:
                grown = <actor *>realloc(
                    self.c.actors, <size_t>(2 * index + 16) * sizeof(actor))
                if grown is NULL:
                    raise MemoryError()
                self.c.actors = grown
                self.c.capacity = 2 * index + 16
            self.c.count += 1
        place = &self.c.actors[index]
        memset(place, 0, sizeof(actor))
        place.cycle = &invoker._cycle.c
        place.host = &self._wire.c.hosts[network._view.host]
        place.network = &network._view
        place.files = &files._view
        place.seen_arrivals = place.host.arrivals
        place.due_ns = self.c.time.now_ns
        place.step_ns = PASS_NS
        place.longest_step_ns = longest_step_ns
        self._invokers[index] = (invoker, network, files)
        return index

    def remove(self, int place) -> None:
        """Stop driving an actor."""
        self._actor(place).cycle = NULL
        self._late = [late for late in self._late if late[0] != place]
        self.c.has_late = len(self._late) > 0
        del self._invokers[place]

    def pause(self, int place, int64_t until_ns) -> None:
        """Pause an actor until a time, in ns, as SIGSTOP would."""
        self._actor(place).paused_until_ns = until_ns

    def run_other_actors(self) -> None:
        """Advance time and drive all due actors that are not on the call stack, while one waits.

        An actor that fails or stops meanwhile is reported by the next `run`.
        """
        with nogil:
            _run_other_actors(&self.c)

    def wake(self, int place, int64_t due_ns) -> None:
        """Drive an actor at a time, in ns, unless it is driven earlier."""
        cdef actor *found = self._actor(place)
        found.due_ns = min(found.due_ns, due_ns)

    def has_failed(self, int place) -> bool:
        """Return whether an actor failed or stopped while another one waited; `run` reports it."""
        return self._actor(place).has_failed

    def pass_count(self, int place) -> int:
        """Return the number of duty cycles of an actor."""
        return self._actor(place).pass_count

    @property
    def failed(self) -> int:
        """The slot of the actor that ended the last `run`; -1 if none did."""
        return self.c.failed

    def run(self, int64_t until_ns) -> bool:
        """Drive the actors until a time, in ns.

        Returns
        -------
        bool
            False if the process of the actor `failed` stopped before, at one of its calls.

        Raises
        ------
        Exception
            Raised by an agent of the actor `failed`. The other actors continue with the next `run`.
        """
        cdef int result
        with nogil:
            result = _run(&self.c, until_ns)
        if result == FAILED:
            _raise_pending()
        if result == LATE:
            self.c.failed, error = self._late.pop(0)
            self.c.has_late = len(self._late) > 0
            self._actor(self.c.failed).has_failed = False
            if error is not None:
                raise error
        return result == DONE


cdef int _raise_pending() except -1:
    return -1


def fill_allocations(int value) -> None:
    """Fill memory with a byte when it is allocated and freed; 0 ends it.

    So that no code depends on uninitialised memory. Supported only by the GNU C library.
    """
    ac_fill_allocations(value & 0xFF)


@cython.final
cdef class CallbackWait(Agent):
    """The last agent of an actor: runs other actors while a callback of the actor waits.

    Parameters
    ----------
    loop : Loop

    Notes
    -----
    A waiting callback drives the other agents of its thread, including this one: it may wait for a
    message of another machine.
    """

    def __cinit__(self, Loop loop not None):
        self._owner = loop
        self._place.loop = &loop.c
        self.do_work_fn = _continue
        self.state = <void *>&self._place

    def on_start(self):
        self._place.cycle = self.cycle

    @property
    def role_name(self):
        return "callback wait"


cdef bint _has_egress(python_cycle *cycle) noexcept nogil:
    """Return whether there is a message, or an image came or went."""
    cdef const image_list *images
    cdef int index
    if cycle.egress is NULL:
        return False
    images = cycle.egress.current
    if images is not cycle.images:
        cycle.images = images
        return True
    if images is NULL:
        return False
    for index in range(images.count):
        if has_frames(images.pollers[index]):
            return True
    return False


cdef int run_python_cycle(void *state) except -1 nogil:
    cdef python_cycle *cycle = <python_cycle *>state
    if cycle.is_busy or cycle.time.now_ns >= cycle.deadline_ns or _has_egress(cycle):
        return _call_client(cycle)
    return 0


cdef int _call_client(python_cycle *cycle) except -1 with gil:
    return (<ClientAgent>cycle.agent)._client.do_work()


@cython.final
cdef class ClientAgent(Agent):
    """Calls a client for a received message or a deadline.

    Parameters
    ----------
    client : object
        The client, with ``do_work()`` that returns an `int`.
    time : VirtualTime
    """

    def __cinit__(self, client not None, VirtualTime time not None):
        self._client = client
        self._time = time
        self._cycle.time = &time.c
        self._cycle.agent = <void *>self
        self.do_work_fn = run_python_cycle
        self.state = <void *>&self._cycle

    @property
    def role_name(self):
        return "simulated-client"

    def set_next(self, int64_t deadline_ns, bint is_busy) -> None:
        """Set the next call of the client: at a time, in ns, or in every duty cycle."""
        self._cycle.deadline_ns = deadline_ns
        self._cycle.is_busy = is_busy

    def set_egress(self, Subscription egress) -> None:
        """Set the subscription with messages for the client, or None."""
        self._egress = egress
        self._cycle.egress = NULL if egress is None else &egress.poller
