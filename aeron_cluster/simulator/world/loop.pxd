cimport cython
from libc.stdint cimport int64_t, uint64_t

from aeron_cluster.client.subscription cimport Subscription, image_list, subscription_poller
from aeron_cluster.memory.agents.agent cimport Agent, duty_cycle
from aeron_cluster.simulator.world.memory_files cimport disk_view
from aeron_cluster.simulator.world.virtual_clock cimport VirtualTime, virtual_time
from aeron_cluster.simulator.world.wire cimport Wire, host, host_view, wire


# Agents of one thread of one process.
cdef struct actor:
    duty_cycle *cycle  # NULL: the slot is free
    const host *host  # datagrams to it wake the actor; never NULL
    const host_view *network  # that of its process
    const disk_view *files
    int64_t seen_arrivals
    int64_t due_ns
    int64_t paused_until_ns
    int64_t step_ns  # time from the last duty cycle to the next
    int64_t longest_step_ns
    int64_t pass_count
    int64_t busy_count  # consecutive duty cycles with work
    bint has_failed  # an unreported failure


cdef struct loop:
    virtual_time *time
    wire *wire
    actor *actors
    int count
    int capacity
    int failed  # the actor that raised, or with a stopped process; -1: none
    int next  # where an interrupted round continues
    int left  # number of remaining actors in the round
    uint64_t order  # random state for the first actor of a round
    int depth  # nested waiting callbacks
    bint has_late  # an actor failed or stopped while a callback of another one waited
    void *owner  # the Loop


# The actor with the waiting callback.
cdef struct callback_wait:
    loop *loop
    duty_cycle *cycle


@cython.final
cdef class Loop:
    cdef loop c
    cdef VirtualTime _time
    cdef Wire _wire
    cdef dict _invokers  # by slot
    cdef list _late  # slots, with their exceptions

    cdef actor *_actor(self, int place) except NULL


@cython.final
cdef class CallbackWait(Agent):
    cdef callback_wait _place
    cdef Loop _owner  # keeps the loop alive


# Whether an actor written in Python has work.
cdef struct python_cycle:
    const virtual_time *time
    int64_t deadline_ns
    bint is_busy
    subscription_poller *egress  # or NULL
    const image_list *images  # of the egress at the last look; only compared
    void *agent


@cython.final
cdef class ClientAgent(Agent):
    cdef python_cycle _cycle
    cdef VirtualTime _time
    cdef Subscription _egress
    cdef object _client
