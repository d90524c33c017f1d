"""What the agents of a consensus module look at in each pass, without Python."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from aeron_cluster.memory.cycle_tracker cimport cycle_tracker
from aeron_cluster.client.publication cimport exclusive_publication
from aeron_cluster.client.subscription cimport subscription_poller
from aeron_cluster.cluster.log_adapter cimport log_adapter
from aeron_cluster.cluster.log_publisher cimport log_publisher
from aeron_cluster.cluster.member_progress cimport member_progress
from aeron_cluster.cluster.pending_service_messages cimport pending_messages
from aeron_cluster.cluster.session_table cimport session_table
from aeron_cluster.logbuffer.fragment_assembler cimport fragment_assembler
from aeron_cluster.logbuffer.image_poller cimport CONTINUE
from aeron_cluster.memory.activity_stamp cimport activity_stamp
from aeron_cluster.memory.atomic cimport load_acquire_i32, load_acquire_i64
from aeron_cluster.memory.seams cimport clock, epoch_nanos


cdef enum:
    MAX_INGRESS = 2  # of the network, of this machine
    MAX_MEMBERS = 64
    MAX_VERDICTS = 32
    NO_MEMBER = -1
    ROLE_LEADER = 2  # values of the counters 201 and 200
    STATE_ACTIVE = 1
    STATE_SUSPENDED = 2


# Why a message of a client, of a service for the log, or of a member was dropped.
cdef enum:
    IGNORED_MALFORMED
    IGNORED_FOREIGN_SCHEMA
    IGNORED_UNKNOWN_TEMPLATE
    IGNORED_NOT_LEADER
    IGNORED_STALE_TERM
    IGNORED_UNKNOWN_SESSION
    IGNORED_CLOSED_SESSION
    IGNORED_TOO_LONG
    IGNORED_UNKNOWN_SERVICE
    IGNORED_NOT_A_MEMBER
    IGNORED_UNKNOWN_MEMBER
    IGNORED_FOREIGN_MEMBER
    IGNORED_NOT_THE_LEADER
    IGNORED_STALE_POSITION
    IGNORED_COUNT


# Which members may speak by an image of the consensus stream.
cdef struct image_verdict:
    const void *image  # where it is, for as long as the images stay the same; or NULL
    int64_t correlation_id
    uint64_t members  # bits by place


# One thread owns it. The Python half sets the first part; the pass keeps the second.
cdef struct module_pass:
    int64_t deadline_ns  # when the conductor wants to be called
    int64_t timer_deadline  # cluster time of the next timer
    int64_t uncommitted_position  # of the first thing to forget once it is committed
    const int64_t *control_toggle  # NULL before there is one
    const int64_t *node_toggle
    const int64_t *recorded_position  # of the log; NULL while nothing records it
    int64_t stopped_position  # where its recording ended, while nothing does
    int64_t *commit_position
    const int32_t *is_closed  # of the counters that it stores to; NULL: they stay
    int64_t commit_bound  # commit no further
    int64_t leadership_term_id  # of the leader below; -1: none
    int64_t notified_commit_position  # as the leader said; never falls
    int64_t last_leader_update_ns  # when it was last heard of
    int64_t sent_append_position  # what the leader was told last, or the log's join position
    int64_t append_position_deadline_ns  # when it is told again
    int64_t lost_position  # where the recording waits, too far behind for a retransmission; or -1
    int64_t lost_deadline_ns  # when that is given up
    int64_t commit_position_deadline_ns  # when the members are
    int64_t backtrack_commit_position  # at which a fall of the quorum position was reported last
    int64_t termination_position  # a follower ends there; the largest number: none
    member_progress *members
    exclusive_publication **peers  # to each member; NULL: none, as to oneself
    subscription_poller *consensus  # what members say; or NULL
    log_adapter *log_adapter  # the log as a follower reads it; or NULL
    subscription_poller *ingress[MAX_INGRESS]
    subscription_poller *control  # what services say; or NULL
    subscription_poller *archive  # what the archive answers; or NULL
    activity_stamp *stamp  # or NULL
    session_table *sessions
    log_publisher *log
    pending_messages **trackers  # by service id
    clock clock
    int64_t time_unit_ns  # of cluster time
    int64_t heartbeat_timeout_ns
    int64_t heartbeat_interval_ns
    void *conductor  # the ModuleConductor, borrowed
    void *agent  # the ModuleAgent, borrowed
    int32_t is_busy  # the conductor wants to be called with each pass
    int32_t is_electing
    int32_t role
    int32_t state
    int32_t ingress_count
    int32_t ingress_limit  # fragments of each subscription in a pass
    int32_t tracker_count
    int32_t member_count
    int32_t own_index
    int32_t leader_index  # NO_MEMBER: none
    int32_t log_leader_index  # of the leader whose log is received, or was last; or NO_MEMBER
    int32_t log_limit  # fragments of the log in a pass

    image_verdict verdicts[MAX_VERDICTS]
    int32_t verdict_count
    int64_t verdict_version  # of the images that they are of
    fragment_assembler consensus_assembler
    fragment_assembler ingress_assemblers[MAX_INGRESS]
    fragment_assembler control_assembler
    cycle_tracker tracker
    int64_t now_ns
    int64_t timestamp  # cluster time
    int64_t seen_node_toggle
    int64_t ignored[IGNORED_COUNT]
    uint32_t reported  # the kinds that were reported, as bits
    uint32_t unreported
    bint has_timestamp
    bint has_failed  # a step of this pass raised, which its end raises
    bint is_polling  # and Python is called from within
    bint is_termination_told
    bint takes_foreign  # messages of clients of another schema are an extension's


cdef inline int64_t timestamp_of(module_pass *module) noexcept nogil:
    """Return cluster time: that of the pass, or of the last call of Python in it."""
    if not module.has_timestamp:
        module.timestamp = epoch_nanos(&module.clock) // module.time_unit_ns
        module.has_timestamp = True
    return module.timestamp


cdef inline bint may_count(const module_pass *module) noexcept nogil:
    """Return whether its counters are its own still: the client may have been closed."""
    return module.is_closed == NULL or not load_acquire_i32(module.is_closed)


cdef inline bint is_leading(const module_pass *module) noexcept nogil:
    return module.role == ROLE_LEADER and not module.is_electing


cdef inline int64_t recorded_position(const module_pass *module) noexcept nogil:
    """Return up to where the log is recorded here."""
    if module.recorded_position == NULL:
        return module.stopped_position
    # Pairs with the release of the recorder: what was written is in the file.
    return load_acquire_i64(module.recorded_position)


cdef inline bint has_others(const module_pass *module) noexcept nogil:
    """Return whether there are others to agree with, and no election to agree in."""
    return module.member_count > 1 and not module.is_electing


cdef inline bint reads_log(const module_pass *module) noexcept nogil:
    """Return whether its state lets a follower read on."""
    return module.state == STATE_ACTIVE or module.state == STATE_SUSPENDED


cdef inline int ignore_message(module_pass *module, int kind) noexcept nogil:
    """Drop a message: count it, and have the first one of its kind reported."""
    module.ignored[kind] += 1
    module.unreported |= ~module.reported & <uint32_t>1 << kind
    return CONTINUE
