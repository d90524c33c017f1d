"""The part of the archive's conductor that checks, without the GIL, whether anything is due."""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.archive.agents.handover cimport handover
from aeron_cluster.archive.sessions.session_watch cimport session_watch
from aeron_cluster.client.subscription cimport Subscription, subscription_poller
from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.agents.cycle_tracker cimport cycle_tracker
from aeron_cluster.memory.shared.activity_stamp cimport ActivityStamp, activity_stamp
from aeron_cluster.memory.system.seams cimport Clock, clock


cdef enum:
    MAX_CONTROL_SUBSCRIPTIONS = 2


cdef struct conductor_state:
    const handover *recordings
    const handover *replays
    subscription_poller *control[2]
    int32_t control_count
    int32_t is_busy  # something waits for driver or flow control: every duty cycle calls Python
    int64_t deadline_ns  # when to call the Python half next
    session_watch *sessions  # active sessions, which may be quiet; or NULL
    clock clock
    cycle_tracker tracker
    activity_stamp *stamp
    void *agent  # ArchiveConductorAgent


@cython.final
cdef class ArchiveConductorAgent(Agent):
    cdef conductor_state c
    cdef object conductor
    cdef Clock clock
    cdef object recorder  # keeps the structs alive that the state points to
    cdef object replayer
    cdef list control
    cdef tuple watches
    cdef ActivityStamp stamp
    cdef tuple counters
