"""The agents of a consensus module."""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.client.subscription cimport Subscription, subscription_poller
from aeron_cluster.cluster.agent.commit_pass cimport commit_state
from aeron_cluster.cluster.agent.consensus_adapter cimport consensus_state
from aeron_cluster.cluster.agent.consensus_module_adapter cimport control_state
from aeron_cluster.cluster.agent.follower_pass cimport follower_state
from aeron_cluster.cluster.agent.ingress_adapter cimport ingress_state
from aeron_cluster.cluster.agent.leadership_view cimport leadership_view
from aeron_cluster.cluster.agent.module_core cimport module_core
from aeron_cluster.cluster.log.log_adapter cimport LogAdapter
from aeron_cluster.cluster.log.log_publisher cimport LogPublisher
from aeron_cluster.cluster.members.member_progress cimport cluster_members
from aeron_cluster.cluster.state.session_table cimport SessionTable
from aeron_cluster.events.event_log cimport EventLog
from aeron_cluster.memory.agents.agent cimport Agent
from aeron_cluster.memory.agents.cycle_tracker cimport cycle_tracker
from aeron_cluster.memory.shared.activity_stamp cimport ActivityStamp, activity_stamp
from aeron_cluster.memory.shared.counters cimport CountersReader
from aeron_cluster.memory.system.seams cimport Clock


# The state that the agents of a consensus module use in each duty cycle without Python. Owned by
# one thread.
cdef struct module_state:
    module_core core
    leadership_view leadership
    cluster_members members
    ingress_state ingress
    control_state control
    consensus_state consensus
    commit_state commit
    follower_state follower
    int64_t deadline_ns  # when to call the conductor
    int64_t timer_deadline  # cluster time of the next timer
    const int64_t *control_toggle  # NULL until it is set
    const int64_t *node_toggle
    int64_t seen_node_toggle
    subscription_poller *archive  # responses of the archive; or NULL
    activity_stamp *stamp  # or NULL
    cycle_tracker tracker
    bint has_time_consumer  # call it at the end of every duty cycle
    bint is_busy  # call the conductor in every duty cycle
    int64_t *leader_activity  # counter: ms since 1970 of the leader's last message; or NULL


# Link the parts of a zeroed state to each other.
cdef void module_state_init(module_state *module) noexcept nogil

# The duty cycles of the two agents, over a module_state.
cdef int module_do_work(void *context) except -1 nogil
cdef int commit_do_work(void *context) except -1 nogil


@cython.final
cdef class ModuleAgent(Agent):
    cdef module_state c
    cdef object conductor
    cdef object context
    cdef Clock clock  # keeps the memory alive that the state points to
    cdef SessionTable sessions
    cdef LogPublisher log
    cdef tuple trackers
    cdef list ingress
    cdef Subscription control
    cdef Subscription consensus
    cdef Subscription archive
    cdef LogAdapter log_reader
    cdef list peers  # by index: a publication and its mapping
    cdef ActivityStamp stamp
    cdef tuple counters
    cdef CountersReader reader
    cdef object user_clock  # returns the cluster time, or None
    cdef object time_consumer  # receives it, or None
    cdef EventLog events  # the state points to it; or None
    cdef object view  # the last installed LeadershipView
    cdef object failure  # the first exception of a step in this duty cycle

    cdef int check_not_polling(self, str what) except -1
    cdef int check_index(self, int32_t index) except -1
    cdef int set_members(self, tuple ids, own_id) except -1
    cdef int set_log_reader(self, LogAdapter reader) except -1
    cdef const int64_t *recorded_position_of(self, counter_id) except? NULL
    cdef int64_t timer_due_ns(self) except? -1
    cdef int64_t member_due_ns(self) except? -1


@cython.final
cdef class CommitAgent(Agent):
    cdef ModuleAgent agent
