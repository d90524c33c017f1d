"""Drives the agents of simulated machines, and lets time jump to what is due next.

Each actor is what one thread of one process drives. One that had work is driven again at once (a
pass takes a few microseconds of virtual time); one that had none is left alone until a datagram
arrives at its host, or for a step that grows fourfold with each idle pass up to a limit: its
deadlines are met as late as that. Between the two time jumps. All of it runs without the GIL.
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
    # So many passes with work one after the other are a wait of an actor that reports work.
    MOST_BUSY = 256
    FAILED = -1
    DONE = 0
    STOPPED = 1
    LATE = 2
    # More than the actors of any cluster here, each of which waits once; for the stack's sake.
    # A wait at that depth lets time pass, and no actor works.
    MOST_DEPTH = 64

ctypedef int (*raw_pass)(duty_cycle *cycle) noexcept nogil


cdef inline bint _is_stopped(const actor *self) noexcept nogil:
    return self.network.calls_left == 0 or self.files.calls_left == 0


cdef inline bint _is_woken(const actor *self) noexcept nogil:
    return self.host.arrivals != self.seen_arrivals


cdef void _plan(actor *self, int64_t now_ns, int work_count) noexcept nogil:
    if work_count > 0:
        self.busy_count += 1
        self.step_ns = PASS_NS
        if self.busy_count > MOST_BUSY:
            self.step_ns = min(PASS_NS * (self.busy_count // MOST_BUSY), <int64_t>LONGEST_PASS_NS)
    elif self.busy_count > 0 or self.step_ns < FIRST_STEP_NS:
        self.busy_count = 0
        self.step_ns = FIRST_STEP_NS
    else:
        self.step_ns = min(self.step_ns * STEP_GROWTH, self.longest_step_ns)
    self.due_ns = now_ns + self.step_ns


cdef int _round(loop *self) noexcept nogil:
    """Give each actor that is due a pass, beginning with any of them."""
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
    """Let time pass, and all other due actors work, while a callback of one waits."""
    cdef callback_wait *place = <callback_wait *>state
    cdef duty_cycle *cycle = place.cycle
    if cycle is NULL or cycle.next == cycle.count:
        return 0  # the end of an ordinary pass
    _run_other_actors(place.loop)
    return 0


cdef void _run_other_actors(loop *self) noexcept nogil:
    cdef actor *each
    cdef int64_t next_ns = _next_ns(self)
    cdef int index
    cdef int result
    # A wait that nothing ends otherwise comes to its deadline, a step at a time.
    self.time.now_ns += min(
        max(next_ns - self.time.now_ns, <int64_t>PASS_NS), <int64_t>LONGEST_PASS_NS)
    pump(self.wire)
    if self.depth == MOST_DEPTH:
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
    """Return when something is due next."""
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
        # At least one, lest time stands still; it may have passed meanwhile.
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
        Whose datagrams wake them.
    order : int
        Decides which actor begins each round.
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
        """Add an actor and return its place.

        Parameters
        ----------
        invoker : AgentInvoker
            Started.
        network : HostNetwork
            Of its process: what arrives at the host wakes it.
        files : ProcessFiles
            Of its process.
        longest_step_ns : int
            How late its deadlines are met at most, in ns.
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
        """Drive an actor no more."""
        self._actor(place).cycle = NULL
        self._late = [late for late in self._late if late[0] != place]
        self.c.has_late = len(self._late) > 0
        del self._invokers[place]

    def pause(self, int place, int64_t until_ns) -> None:
        """Leave an actor alone until a time, in ns, whatever arrives, as SIGSTOP would."""
        self._actor(place).paused_until_ns = until_ns

    def run_other_actors(self) -> None:
        """Let some time pass, and give a pass to all that are due and not at work, as one waits.

        An actor that fails or stops meanwhile is reported by the next `run`.
        """
        with nogil:
            _run_other_actors(&self.c)

    def wake(self, int place, int64_t due_ns) -> None:
        """Drive an actor at a time, in ns, if it would be later otherwise."""
        cdef actor *found = self._actor(place)
        found.due_ns = min(found.due_ns, due_ns)

    def has_failed(self, int place) -> bool:
        """Return whether an actor failed, or stopped, while another waited; `run` reports it."""
        return self._actor(place).has_failed

    def pass_count(self, int place) -> int:
        """Return how many passes an actor made."""
        return self._actor(place).pass_count

    @property
    def failed(self) -> int:
        """The place of the actor that ended the last `run`; -1 where none did."""
        return self.c.failed

    def run(self, int64_t until_ns) -> bool:
        """Drive the actors until a time, in ns.

        Returns
        -------
        bool
            False where the process of the actor `failed` stopped before, at one of its calls.

        Raises
        ------
        Exception
            What the agents of the actor `failed` raised. The others continue with the next `run`.
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
    """Fill memory as it is allocated, and freed, with a byte; 0 ends it.

    So no code depends on what happens to be there. Of the C library alone: the GNU one knows how.
    """
    ac_fill_allocations(value & 0xFF)


@cython.final
cdef class CallbackWait(Agent):
    """The last agent of an actor: lets the others continue while a callback of the actor waits.

    Parameters
    ----------
    loop : Loop

    Notes
    -----
    A callback that waits drives the other agents of its thread, and so this one: what it waits for
    may have to come from another machine.
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


cdef bint _has_egress(const python_cycle *cycle) noexcept nogil:
    cdef const image_list *images
    cdef int index
    if cycle.egress is NULL:
        return False
    images = cycle.egress.current
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
    """Calls a client when a message, or a time, has come for it.

    Parameters
    ----------
    client : object
        Has ``do_work()``, which returns an `int`.
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
        """Set when the client is called next: at a time, in ns, or with every pass."""
        self._cycle.deadline_ns = deadline_ns
        self._cycle.is_busy = is_busy

    def set_egress(self, Subscription egress) -> None:
        """Set which subscription's messages it is called for; None: none."""
        self._egress = egress
        self._cycle.egress = NULL if egress is None else &egress.poller
