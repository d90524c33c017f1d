cimport cython
from libc.stdint cimport int64_t, uint64_t

from aeron_cluster.client.subscription cimport Subscription, subscription_poller
from aeron_cluster.memory.agents.agent cimport Agent, duty_cycle
from aeron_cluster.simulator.world.memory_files cimport disk_view
from aeron_cluster.simulator.world.virtual_clock cimport VirtualTime, virtual_time
from aeron_cluster.simulator.world.wire cimport Wire, host, host_view, wire


# Agents of one thread of one process.
cdef struct actor:
    duty_cycle *cycle  # NULL: the place is free
    const host *host  # what arrives there wakes it; never NULL
    const host_view *network  # its process's
    const disk_view *files
    int64_t seen_arrivals
    int64_t due_ns
    int64_t paused_until_ns
    int64_t step_ns  # from the last pass to the next
    int64_t longest_step_ns
    int64_t pass_count
    int64_t busy_count  # passes with work, one after the other
    bint has_failed  # and it was not reported yet


cdef struct loop:
    virtual_time *time
    wire *wire
    actor *actors
    int count
    int capacity
    int failed  # whose pass raised, or whose process stopped; -1: none
    int next  # where a round that was cut short continues
    int left  # how many of the round are still to be asked
    uint64_t order  # decides the order of the first
    int depth  # callbacks that wait, one within the other
    bint has_late  # an actor failed, or stopped, while a callback of another one waited
    void *owner  # the Loop


# Whose callback it is that waits.
cdef struct callback_wait:
    loop *loop
    duty_cycle *cycle


@cython.final
cdef class Loop:
    cdef loop c
    cdef VirtualTime _time
    cdef Wire _wire
    cdef dict _invokers  # by place
    cdef list _late  # places, and what was raised there

    cdef actor *_actor(self, int place) except NULL


@cython.final
cdef class CallbackWait(Agent):
    cdef callback_wait _place
    cdef Loop _owner  # keeps it alive


# Whether an actor written in Python has something to do.
cdef struct python_cycle:
    const virtual_time *time
    int64_t deadline_ns
    bint is_busy
    subscription_poller *egress  # or NULL
    void *agent


@cython.final
cdef class ClientAgent(Agent):
    cdef python_cycle _cycle
    cdef VirtualTime _time
    cdef Subscription _egress
    cdef object _client
