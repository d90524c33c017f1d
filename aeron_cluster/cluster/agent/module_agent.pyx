"""The agents of a consensus module: one handles received messages, one commits.

The duty cycle of ``io.aeron.cluster.ConsensusModuleAgent`` without its rare work, which is done by
the conductor, in Python, called only when needed.
"""
cimport cython
from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t, uint32_t
from libc.stdlib cimport calloc, free

from aeron_cluster.archive.client.pending_responses cimport skip_pings
from aeron_cluster.client.counter cimport Counter, counter_word
from aeron_cluster.client.publication cimport ExclusivePublication, exclusive_publication
from aeron_cluster.client.subscription cimport Subscription
from aeron_cluster.cluster.agent.commit_pass cimport commit_as_leader, may_count
from aeron_cluster.cluster.agent.consensus_adapter cimport (
    consensus_drop,
    consensus_free,
    consensus_init,
    consensus_log_positions,
    poll_consensus,
)
from aeron_cluster.cluster.agent.consensus_module_adapter cimport (
    control_free,
    control_init,
    poll_control,
)
from aeron_cluster.cluster.agent.follower_pass cimport follow_log, report_append_position
from aeron_cluster.cluster.agent.ingress_adapter cimport (
    MAX_INGRESS,
    ingress_drop,
    ingress_free,
    ingress_init,
    poll_ingress,
)
from aeron_cluster.cluster.agent.leadership_view cimport (
    NO_MEMBER,
    ROLE_LEADER,
    is_leading,
    leadership_view,
)
from aeron_cluster.cluster.agent.module_core cimport (
    IGNORED_COUNT,
    IGNORED_STALE_POSITION,
    STATE_ACTIVE,
    STATE_SUSPENDED,
    read_user_clock,
    reads_log,
    timestamp_of,
)
from aeron_cluster.cluster.log.log_adapter cimport LogAdapter
from aeron_cluster.cluster.log.log_publisher cimport raise_log_failure
from aeron_cluster.cluster.log.pending_service_messages cimport (
    PendingServiceMessages,
    pending_messages,
    pending_poll,
    pending_skip_too_long,
)
from aeron_cluster.cluster.members.member_progress cimport (
    MAX_MEMBERS,
    has_active_quorum,
    member_init,
    member_progress,
    quorum_end_ns,
    quorum_position,
)
from aeron_cluster.codecs.session_header cimport SESSION_HEADER_LENGTH
from aeron_cluster.events.event_log cimport (
    EVENT_APPEND_POSITION,
    EVENT_COMMIT_POSITION,
    EventLog,
    is_event_enabled,
)
from aeron_cluster.memory.agents.cycle_tracker cimport track_cycle
from aeron_cluster.memory.shared.activity_stamp cimport stamp_activity
from aeron_cluster.memory.shared.atomic cimport load_acquire_i64, store_opaque_i64
from aeron_cluster.memory.shared.counters cimport AtomicCounter, counter_address
from aeron_cluster.memory.shared.mapped_file cimport MappedFile
from aeron_cluster.memory.system.invariants cimport PLACE, require
from aeron_cluster.memory.system.seams cimport epoch_ms, epoch_nanos, nano_time

from aeron_cluster.cluster.agent.leadership import LeadershipView
from aeron_cluster.cluster.members.time_unit import NS_PER_UNIT
from aeron_cluster.errors import (
    AgentTerminationError,
    ClusterError,
    ConfigurationError,
    IgnoredMessageError,
    ServiceError,
    StateError,
)


cdef enum:
    TRACKER_LIMIT = 20  # messages of each service per duty cycle
    TOGGLE_SUSPEND = 2  # values of the counter 202
    TOGGLE_RESUME = 3
    TOGGLE_STANDBY_SNAPSHOT = 7

# By the numbers of module_core.pxd: the kind, and the message that was expected.
IGNORED = (
    ("malformed", "a well-formed message"),
    ("foreign_schema", "a message of the cluster's schema"),
    ("unknown_template", "a message of a known kind"),
    ("not_leader", "no message of a session, as this member is not the leader"),
    ("stale_term", "a message of the leader's term"),
    ("unknown_session", "a message of a known session"),
    ("closed_session", "a message of an open session"),
    ("too_long", "a message that fits a term of the log"),
    ("unknown_service", "a message of a service of this node"),
    ("not_a_member", "a message from a member's address"),
    ("unknown_member", "a message with the id of another member"),
    ("foreign_member", "a message with the id of a member of that address"),
    ("not_from_leader", "a message of the term's leader"),
    ("stale_position", "a position for this member's role and term"),
)


# Steps of the duty cycle are called through these types: an exception is deferred without the GIL,
# and the later steps still run in the same duty cycle.
ctypedef int (*plain_step)(module_state *module) noexcept nogil
ctypedef int (*plain_follower_step)(follower_state *follower) noexcept nogil
ctypedef int (*plain_consensus_poll)(consensus_state *consensus) noexcept nogil
ctypedef int (*plain_control_poll)(control_state *control) noexcept nogil
ctypedef int (*plain_conductor_call)(module_state *module, bint is_stamp_failing) noexcept nogil
ctypedef int (*plain_ingress_poll)(ingress_state *ingress, int index) noexcept nogil


# ---- what takes the GIL ----

cdef int raise_pending() except -1:
    return -1


cdef int defer_failure(module_state *module) except -1 with gil:
    """Retain a step's error until the end of the duty cycle; raise one that ends the module now."""
    try:
        raise_pending()
    except AgentTerminationError:
        raise
    except Exception as error:
        (<ModuleAgent>module.core.agent).defer_error(error)
    return 1


cdef int raise_failure(module_state *module) except -1 with gil:
    cdef ModuleAgent agent = <ModuleAgent>module.core.agent
    failure, agent.failure = agent.failure, None
    module.core.has_failed = False
    raise failure


cdef inline int outcome(module_state *module, int result) except -1 nogil:
    """Return a step's work count, even if it raised."""
    return result if result != -1 else defer_failure(module)


cdef int begin_with_user_clock(module_state *module) except -1 with gil:
    """Read the user's clock: without a time, nothing of this duty cycle is done, as upstream."""
    module.core.timestamp = (<ModuleAgent>module.core.agent).read_cluster_time()
    module.core.has_timestamp = True
    return 0


cdef int call_time_consumer(module_state *module) except -1 with gil:
    (<ModuleAgent>module.core.agent).time_consumer(timestamp_of(&module.core))
    return 0


cdef int call_module_conductor(module_state *module, bint is_stamp_failing) except -1 with gil:
    module.core.has_timestamp = False
    if is_stamp_failing:
        (<ModuleAgent>module.core.agent).stamp.check()
    return (<object>module.core.conductor).do_work(module.core.now_ns)


cdef int call_on_timers_due(module_state *module) except -1 with gil:
    module.core.has_timestamp = False
    return (<object>module.core.conductor).on_timers_due(module.core.now_ns)


cdef int call_on_quorum_lost(module_state *module) except -1 with gil:
    (<object>module.core.conductor).on_quorum_lost(module.core.now_ns)
    return 1


cdef int call_on_leader_timeout(module_state *module) except -1 with gil:
    (<object>module.core.conductor).on_leader_timeout(module.core.now_ns)
    return 1


cdef int report_ignored(module_state *module) except -1 with gil:
    cdef ModuleAgent agent = <ModuleAgent>module.core.agent
    cdef uint32_t kinds = module.core.unreported
    cdef int kind
    module.core.unreported = 0
    module.core.reported |= kinds
    for kind in range(IGNORED_COUNT):
        if kinds >> kind & 1:
            name, expected = IGNORED[kind]
            agent.context.error_handler(IgnoredMessageError(
                "message to the consensus module", f"{expected}; such are counted from now on",
                name))
    return 0


cdef int report_too_long(
    module_state *module, int32_t service_id, int32_t length
) except -1 with gil:
    cdef ModuleAgent agent = <ModuleAgent>module.core.agent
    most = agent.log.publication.max_message_length - SESSION_HEADER_LENGTH
    agent.context.error_handler(ServiceError(
        f"service {service_id}: a message of {length - SESSION_HEADER_LENGTH} bytes for the"
        f" cluster, of which the log's terms take {most} at most: no member gets it",
        member_id=agent.context.options.member_id,
        leadership_term_id=module.ingress.log.leadership_term_id,
        log_position=agent.log.position,
        remedy="have the service send it in parts, or give the log longer terms"
        " (aeron.cluster.log.channel)"))
    return 0


# ---- the module's pass ----

cdef void module_state_init(module_state *module) noexcept nogil:
    module.ingress.core = &module.core
    module.ingress.leadership = &module.leadership
    module.control.core = &module.core
    module.consensus.core = &module.core
    module.consensus.leadership = &module.leadership
    module.consensus.members = &module.members
    module.consensus.follower = &module.follower
    module.commit.core = &module.core
    module.commit.leadership = &module.leadership
    module.commit.members = &module.members
    module.follower.core = &module.core
    module.follower.leadership = &module.leadership
    module.follower.members = &module.members
    module.follower.commit = &module.commit
    ingress_init(&module.ingress)
    control_init(&module.control)
    consensus_init(&module.consensus)


cdef inline bint has_others(const module_state *module) noexcept nogil:
    """Return whether there are other members, and no election."""
    return module.members.count > 1 and not module.leadership.is_electing


cdef bint is_requested(const module_state *module) noexcept nogil:
    """Return whether the control toggle has a request that this state allows.

    The toggle's value is checked each time: a request that did not fit the log, or changed twice
    between duty cycles, is not missed.
    """
    cdef int64_t toggle
    if module.control_toggle == NULL or not is_leading(&module.leadership):
        return False
    toggle = load_acquire_i64(module.control_toggle)
    if module.core.state == STATE_SUSPENDED:
        return toggle == TOGGLE_RESUME
    return module.core.state == STATE_ACTIVE and TOGGLE_SUSPEND <= toggle <= TOGGLE_STANDBY_SNAPSHOT


cdef bint has_node_toggled(module_state *module) noexcept nogil:
    """Return whether the node's toggle has changed since the last call of the conductor."""
    cdef int64_t toggle
    if module.node_toggle == NULL:
        return False
    toggle = load_acquire_i64(module.node_toggle)
    if toggle == module.seen_node_toggle:
        return False
    # Stored before the call: a change of the toggle during the call is detected by the next duty
    # cycle.
    module.seen_node_toggle = toggle
    return True


cdef int poll_trackers(module_state *module) except -1 nogil:
    cdef pending_messages *pending
    cdef int32_t length
    cdef int index
    cdef int total = 0
    for index in range(module.control.tracker_count):
        pending = module.control.trackers[index]
        if pending.count != pending.appended_count:
            require(
                0 <= pending.appended_count < pending.count, PLACE,
                "no more messages are appended than retained", pending.appended_count,
                pending.count)
            total += pending_poll(
                pending, module.ingress.log, timestamp_of(&module.core), TRACKER_LIMIT)
            length = pending_skip_too_long(pending, module.ingress.log)
            if length > 0:
                report_too_long(module, pending.service_id, length)
                total += 1
            elif module.ingress.log.failure != 0:
                return raise_log_failure(module.ingress.log)
    return total


cdef bint awaits_leader(const module_state *module) noexcept nogil:
    """Whether a silent leader must be replaced.

    One that is to end has sent all if the termination position is committed. Upstream's follower
    waits for ever for one that was lost before it had committed that.
    """
    return reads_log(&module.core) and (
        module.follower.termination_position == INT64_MAX
        or module.follower.notified_commit_position < module.follower.termination_position)


cdef int check_others(module_state *module) except -1 nogil:
    """Notify Python if too few other members, or not the leader, were active in time."""
    if module.leadership.role == ROLE_LEADER:
        if module.core.state == STATE_ACTIVE and not has_active_quorum(
                module.members.progress, module.members.count, module.members.own_index,
                module.core.now_ns, module.members.heartbeat_timeout_ns):
            return call_on_quorum_lost(module)
    elif (
        awaits_leader(module)
        and module.core.now_ns
        >= module.follower.last_leader_update_ns + module.members.heartbeat_timeout_ns
    ):
        return call_on_leader_timeout(module)
    return 0


cdef int poll_members(module_state *module) except -1 nogil:
    """Poll the other members' messages, then check for silence, even if the poll raised.

    In this order: a member that was paused for a while first reads the messages that it missed.
    """
    cdef int work_count = 0
    require(
        <uint32_t>module.members.own_index < <uint32_t>module.members.count, PLACE,
        "a member is one of the members", module.members.own_index, module.members.count)
    if module.consensus.subscription != NULL:
        work_count += outcome(module, (<plain_consensus_poll>poll_consensus)(&module.consensus))
    if has_others(module):
        work_count += outcome(module, (<plain_step>check_others)(module))
    return work_count


cdef int poll_messages(module_state *module) except -1 nogil:
    cdef int work_count = 0
    cdef int index
    if module.leadership.role != ROLE_LEADER:
        if has_others(module) and reads_log(&module.core):
            work_count += outcome(module, (<plain_follower_step>follow_log)(&module.follower))
    elif module.core.state == STATE_ACTIVE and not module.leadership.is_electing:
        if (
            module.timer_deadline != INT64_MAX
            and timestamp_of(&module.core) >= module.timer_deadline
        ):
            work_count += outcome(module, (<plain_step>call_on_timers_due)(module))
        work_count += outcome(module, (<plain_step>poll_trackers)(module))
    # A follower polls ingress to redirect clients, even while suspended. An entry that it read in
    # the log may have changed the state.
    if not module.leadership.is_electing and (
            module.core.state == STATE_ACTIVE
            or module.core.state == STATE_SUSPENDED and module.leadership.role != ROLE_LEADER):
        for index in range(module.ingress.count):
            work_count += outcome(
                module, (<plain_ingress_poll>poll_ingress)(&module.ingress, index))
    if module.control.subscription != NULL:
        work_count += outcome(module, (<plain_control_poll>poll_control)(&module.control))
    return work_count


cdef void show_leader_activity(module_state *module) noexcept nogil:
    """Store when a follower received the last message of its leader; -1 without a leader."""
    cdef int64_t activity_ms = -1
    cdef int64_t silent_ns
    if (
        module.leadership.role != ROLE_LEADER
        and not module.leadership.is_electing
        and module.leadership.leader_index != NO_MEMBER
    ):
        silent_ns = module.core.now_ns - module.follower.last_leader_update_ns
        activity_ms = epoch_ms(&module.core.clock) - silent_ns // 1_000_000
    if may_count(&module.commit):
        store_opaque_i64(module.leader_activity, activity_ms)


cdef int module_do_work(void *context) except -1 nogil:
    cdef module_state *module = <module_state *>context
    cdef int work_count = 0
    cdef bint is_stamp_failing = False
    cdef bint is_toggled
    module.core.now_ns = nano_time(&module.core.clock)
    module.core.has_timestamp = False
    if may_count(&module.commit):
        track_cycle(&module.tracker, module.core.now_ns)
    if module.stamp != NULL:
        # Together, once a second: tools compare the two.
        if module.core.now_ns >= module.stamp.deadline_ns and module.leader_activity != NULL:
            show_leader_activity(module)
        is_stamp_failing = stamp_activity(module.stamp, module.core.now_ns)
    if module.core.has_user_clock:
        module.core.is_without_time = True  # if it fails
        begin_with_user_clock(module)
        module.core.is_without_time = False
    is_toggled = has_node_toggled(module)
    # If the conductor is called anyway, it consumes the pings of the archive itself.
    if (
        is_toggled or is_stamp_failing or module.is_busy or module.core.now_ns >= module.deadline_ns
        or is_requested(module) or module.archive != NULL and skip_pings(module.archive)
    ):
        work_count += outcome(
            module, (<plain_conductor_call>call_module_conductor)(module, is_stamp_failing))
    if module.consensus.subscription != NULL or module.members.count > 1:
        work_count += poll_members(module)
    work_count += poll_messages(module)
    if module.core.unreported != 0:
        report_ignored(module)
    if module.has_time_consumer:
        work_count += outcome(module, (<plain_step>call_time_consumer)(module))
    if module.core.has_failed:
        return raise_failure(module)
    return work_count


cdef int commit_do_work(void *context) except -1 nogil:
    cdef module_state *module = <module_state *>context
    if module.core.is_without_time:
        return 0  # as upstream: a leader that cannot log anything is replaced
    if module.leadership.role == ROLE_LEADER:
        return commit_as_leader(&module.commit)
    return report_append_position(&module.follower) if has_others(module) else 0


@cython.final
cdef class ModuleAgent(Agent):
    """The agent of a consensus module before the recorder.

    Parameters
    ----------
    conductor : ModuleConductor
        Called when there is work for it: ``do_work``, ``on_ingress``, ``on_service_message``,
        ``on_timers_due``, ``on_committed``; of the other members: ``on_consensus_message``,
        ``is_member``, ``on_log_ended``, ``on_log_lost``, ``on_leader_timeout``, ``on_quorum_lost``,
        ``on_termination_position``.
    context : ConsensusModuleContext
        Provides the clock, the time unit, limits, and the error handler.
    sessions : SessionTable
    log : LogPublisher
    trackers : tuple of PendingServiceMessages
        By service id.
    member_ids : sequence of int
        The ids of all members, in the order of their list, including the context's own.
    stamp : ActivityStamp, optional
        The activity timestamp of the module, written once a second.
    accepts_extension_schemas : bool
        Pass clients' messages of other schemas than the cluster's to the conductor.
    user_clock : callable, optional
        Returns the cluster time, in the context's unit; by default the clock of the seams does.
    time_consumer : callable, optional
        Called at the end of each duty cycle with its cluster time.
    events : EventLog, optional
        Records the positions that other members report, if it is enabled.

    Raises
    ------
    ConfigurationError
        The members are not distinct, too many, or do not include the own one.

    Notes
    -----
    Runs on the same thread as the subscriptions' client and the `CommitAgent`.
    """

    def __cinit__(
            self, conductor not None, context not None, SessionTable sessions not None,
            LogPublisher log not None, trackers not None, *, member_ids not None,
            ActivityStamp stamp=None, bint accepts_extension_schemas=False, user_clock=None,
            time_consumer=None, EventLog events=None):
        cdef PendingServiceMessages tracker
        cdef Clock clock = context.seams.clock
        cdef int index
        self.conductor = conductor
        self.context = context
        self.clock = clock
        self.sessions = sessions
        self.log = log
        self.trackers = tuple(trackers)
        self.stamp = stamp
        self.c.stamp = NULL if stamp is None else &stamp.c
        self.c.ingress.accepts_extension_schemas = accepts_extension_schemas
        self.ingress = []
        self.peers = [None] * MAX_MEMBERS
        self.c.core.clock = clock.c
        self.c.core.time_unit_ns = NS_PER_UNIT[context.time_unit]
        self.user_clock = user_clock
        self.c.core.has_user_clock = user_clock is not None
        self.time_consumer = time_consumer
        self.c.has_time_consumer = time_consumer is not None
        self.c.members.heartbeat_timeout_ns = context.options.leader_heartbeat_timeout_ns
        self.c.members.heartbeat_interval_ns = context.options.leader_heartbeat_interval_ns
        self.c.ingress.fragment_limit = context.options.ingress_fragment_limit
        self.c.follower.log_limit = context.options.log_fragment_limit
        self.c.deadline_ns = INT64_MAX
        self.c.timer_deadline = INT64_MAX
        self.c.commit.uncommitted_position = INT64_MAX
        self.c.follower.sent_append_position = -1
        self.c.follower.lost_position = -1
        self.c.follower.append_position_deadline_ns = INT64_MIN
        self.c.commit.send_deadline_ns = INT64_MIN
        self.c.commit.backtrack_position = -1
        self.c.follower.termination_position = INT64_MAX
        self.c.consensus.image_list_version = -1
        # Positions that arrive late are normal in every election: they are counted without an
        # error.
        self.c.core.reported = <uint32_t>1 << IGNORED_STALE_POSITION
        self.c.ingress.sessions = &sessions.c
        self.c.ingress.log = &log.c
        self.c.core.conductor = <void *>conductor
        self.c.core.agent = <void *>self
        module_state_init(&self.c)
        self.events = events
        if events is not None and (
            is_event_enabled(&events.c, EVENT_APPEND_POSITION)
            or is_event_enabled(&events.c, EVENT_COMMIT_POSITION)
        ):
            consensus_log_positions(&self.c.consensus, &events.c, context.options.member_id)
        self.c.control.trackers = <pending_messages **>calloc(
            len(self.trackers) + 1, sizeof(pending_messages *))
        self.c.members.progress = <member_progress *>calloc(MAX_MEMBERS, sizeof(member_progress))
        self.c.members.peers = <exclusive_publication **>calloc(
            MAX_MEMBERS, sizeof(exclusive_publication *))
        if (
            self.c.control.trackers == NULL
            or self.c.members.progress == NULL
            or self.c.members.peers == NULL
        ):
            raise MemoryError("consensus module: expected room for services and members")
        for index, tracker in enumerate(self.trackers):
            self.c.control.trackers[index] = &tracker.c
        self.c.control.tracker_count = <int32_t>len(self.trackers)
        self.c.commit.trackers = self.c.control.trackers
        self.c.commit.tracker_count = self.c.control.tracker_count
        self.set_members(tuple(member_ids), context.options.member_id)
        self.install_leadership(LeadershipView())
        self.do_work_fn = module_do_work
        self.state = <void *>&self.c

    def __dealloc__(self):
        ingress_free(&self.c.ingress)
        control_free(&self.c.control)
        consensus_free(&self.c.consensus)
        free(self.c.control.trackers)
        free(self.c.members.progress)
        free(self.c.members.peers)

    @property
    def role_name(self):
        return "consensus-module"

    def report_backtrack(self, int64_t position, int64_t committed):
        """Report a quorum position below the commit position."""
        self.context.error_handler(ClusterError(
            f"quorum position went backwards: leaderCommitPosition={committed}"
            f" quorumPosition={position}"))

    def read_cluster_time(self):
        """Return the time of the user's cluster clock."""
        return self.user_clock()

    def defer_error(self, error):
        """Raise an error at the end of this duty cycle, so that all of its work is still done.

        If there are several in one duty cycle, the first is raised, and the others go to the error
        handler.
        """
        if self.c.core.has_failed:
            self.context.error_handler(error)
        else:
            self.failure = error
            self.c.core.has_failed = True

    cdef int set_members(self, tuple ids, own_id) except -1:
        cdef int32_t index
        if own_id not in ids or len(set(ids)) != len(ids) or len(ids) > MAX_MEMBERS:
            raise ConfigurationError(
                "members", f"1 to {MAX_MEMBERS} different ones, {own_id} among them", ids)
        self.c.members.count = <int32_t>len(ids)
        self.c.members.own_index = ids.index(own_id)
        for index, member_id in enumerate(ids):
            member_init(&self.c.members.progress[index], member_id)
        return 0

    cdef int check_not_polling(self, str what) except -1:
        if self.c.core.is_polling:
            raise StateError(f"{what}: expected to be set between polls, found one on the stack")
        return 0

    # ---- leadership ----

    @property
    def leadership(self):
        """The last installed view of the leadership."""
        return self.view

    def install_leadership(self, view not None, progress=(), joined=None):
        """Install another view of the leadership: all of it changes together.

        A member that becomes the leader, or leads another term, sends its commit position to the
        followers immediately.

        Parameters
        ----------
        view : LeadershipView
        progress : sequence of tuple of int
            The members' log positions, by index, in the form of `set_member`; () for no change.
        joined : JoinedLog, optional
            The position at which the log was joined; by default reading continues.

        Raises
        ------
        StateError
            Another reader is installed from within a poll of the current one.
        """
        cdef leadership_view new
        cdef int32_t index
        cdef int64_t log_position, time_of_last_append_ns, log_term_id, _first, _second, _third
        cdef LogAdapter reader = view.log_reader
        cdef const int64_t *recorded = self.recorded_position_of(view.recorded_counter_id)
        for index in (view.leader_index, view.log_leader_index):
            if index != NO_MEMBER:
                self.check_index(index)
        if len(progress) not in (0, self.c.members.count):
            raise ConfigurationError(
                "progress", f"none, or that of {self.c.members.count} members", len(progress))
        for _first, _second, _third in progress:
            pass  # anything else is rejected before a part is installed
        self.set_log_reader(reader)
        new.role = view.role
        new.is_electing = view.is_electing
        new.leader_index = view.leader_index
        new.leadership_term_id = view.leadership_term_id
        new.log_leader_index = view.log_leader_index
        for index, (log_position, time_of_last_append_ns, log_term_id) in enumerate(progress):
            self.set_member(index, log_position, time_of_last_append_ns, log_term_id)
        if is_leading(&new) and (
            not is_leading(&self.c.leadership)
            or new.leadership_term_id != self.c.leadership.leadership_term_id
        ):
            self.c.commit.send_deadline_ns = INT64_MIN
        self.c.leadership = new
        self.c.commit.recorded_position = recorded
        if joined is not None:
            self.c.follower.lost_position = -1
            self.set_notified_commit_position(joined.commit_position)
            self.c.follower.last_leader_update_ns = joined.leader_update_ns
            self.c.follower.sent_append_position = joined.position
            self.c.follower.append_position_deadline_ns = INT64_MIN
        self.view = view

    cdef int set_log_reader(self, LogAdapter reader) except -1:
        if reader is self.log_reader:
            return 0
        if self.log_reader is not None and self.log_reader.c.is_in_event:
            raise StateError("log reader: expected to be set between polls, found one on the stack")
        self.log_reader = reader
        self.c.follower.log_adapter = NULL if reader is None else &reader.c
        return 0

    cdef const int64_t *recorded_position_of(self, counter_id) except? NULL:
        cdef const int64_t *address
        if counter_id is None:
            return NULL
        if self.reader is None:
            raise StateError("recorded position: expected the counters to be set before")
        address = counter_address(&self.reader.reader, counter_id)
        if address == NULL:
            raise ConfigurationError(
                "recorded position", f"a counter below {self.reader.reader.count}", counter_id)
        return address

    # ---- calls of Python, and limits ----

    def set_next(self, int64_t deadline_ns, bint is_busy):
        """Set when to call the conductor next: at a deadline, or in every duty cycle."""
        self.c.deadline_ns = deadline_ns
        self.c.is_busy = is_busy

    def set_state(self, int32_t state):
        """Set the module's state; the numbers are those of its counter."""
        self.c.core.state = state

    def set_timer_deadline(self, int64_t deadline):
        """Set the cluster time at which the next timer is due; 2**63 - 1 for never."""
        self.c.timer_deadline = deadline

    def set_uncommitted_position(self, int64_t position):
        """Set the commit position at which to call ``on_committed`` once; 2**63 - 1 for never."""
        self.c.commit.uncommitted_position = position

    # ---- what is polled ----

    def set_ingress(self, subscriptions):
        """Set the ingress subscriptions: UDP, then IPC; () for none.

        Raises
        ------
        StateError
            It is called from within a poll of one of them.
        """
        cdef Subscription subscription
        self.check_not_polling("ingress")
        added = list(subscriptions)
        if len(added) > MAX_INGRESS:
            raise ValueError(f"ingress: expected at most 2 subscriptions, found {len(added)}")
        self.c.ingress.count = 0
        for subscription in self.ingress:
            subscription.unpin()
        self.ingress = []
        for subscription in added:
            subscription.pin()
            self.ingress.append(subscription)
            self.c.ingress.subscriptions[self.c.ingress.count] = &subscription.poller
            self.c.ingress.count += 1

    def drop_ingress_image(self, int32_t session_id):
        """Drop a partly received message of a closed ingress image."""
        ingress_drop(&self.c.ingress, session_id)

    def set_control(self, Subscription subscription):
        """Poll services' messages from this subscription, or from none.

        Raises
        ------
        StateError
            It is called from within its poll.
        """
        self.check_not_polling("control")
        self.c.control.subscription = NULL
        if self.control is not None:
            self.control.unpin()
        self.control = subscription
        if subscription is not None:
            subscription.pin()
            self.c.control.subscription = &subscription.poller

    def set_consensus(self, Subscription subscription):
        """Poll members' messages from this subscription, or from none.

        Raises
        ------
        StateError
            It is called from within its poll.
        """
        self.check_not_polling("consensus")
        self.c.consensus.subscription = NULL
        consensus_free(&self.c.consensus)
        self.c.consensus.authorization_count = 0
        self.c.consensus.image_list_version = -1
        if self.consensus is not None:
            self.consensus.unpin()
        self.consensus = subscription
        if subscription is not None:
            subscription.pin()
            self.c.consensus.subscription = &subscription.poller

    def drop_consensus_image(self, int32_t session_id):
        """Drop a partly received message of a member's closed image."""
        consensus_drop(&self.c.consensus, session_id)

    def set_peer(self, int32_t index, ExclusivePublication publication):
        """Set the publication to another member, or None.

        Parameters
        ----------
        index : int
            The index in the list of members; never the own one.
        publication : ExclusivePublication or None

        Raises
        ------
        ClosedError
            The publication is closed.
        """
        cdef MappedFile mapping = None
        self.check_index(index)
        if index == self.c.members.own_index:
            raise ValueError(f"peer: expected another member than the own one, {index}")
        if publication is not None:
            mapping = publication.hold()
        self.c.members.peers[index] = NULL if publication is None else &publication.c
        self.peers[index] = (publication, mapping)

    def set_archive(self, Subscription responses):
        """Set the subscription that the conductor polls for answers of the archive."""
        self.archive = responses
        self.c.archive = NULL if responses is None else &responses.poller

    def set_counters(
            self, commit not None, control_toggle not None, node_toggle not None, max_cycle,
            cycle_exceeded, int64_t cycle_threshold_ns, leader_activity=None):
        """Set the counters of the commit position, toggles, duty cycle times and the leader.

        Parameters
        ----------
        commit, control_toggle, node_toggle : Counter or AtomicCounter
        max_cycle, cycle_exceeded : Counter or AtomicCounter
            The longest duty cycle, and the number of those longer than the threshold.
        cycle_threshold_ns : int
        leader_activity : Counter or AtomicCounter, optional
            When the last message of the leader was received, in ms since 1970; written with the
            activity timestamp.
        """
        self.counters = (
            commit, control_toggle, node_toggle, max_cycle, cycle_exceeded, leader_activity)
        if isinstance(commit, Counter):  # of the same client as the others, and closed with them
            self.reader = (<Counter>commit).counters
            self.c.commit.is_closed = &(<Counter>commit).is_closed_
        else:
            self.reader = (<AtomicCounter?>commit).owner
            self.c.commit.is_closed = NULL
        self.c.commit.commit_position = counter_word(commit)
        self.c.control_toggle = counter_word(control_toggle)
        self.c.node_toggle = counter_word(node_toggle)
        self.c.seen_node_toggle = load_acquire_i64(self.c.node_toggle)
        self.c.tracker.max_time_ns = counter_word(max_cycle)
        self.c.tracker.exceeded_count = counter_word(cycle_exceeded)
        self.c.tracker.threshold_ns = cycle_threshold_ns
        self.c.leader_activity = (
            NULL if leader_activity is None else counter_word(leader_activity))

    # ---- the members ----

    cdef int check_index(self, int32_t index) except -1:
        if not 0 <= index < self.c.members.count:
            raise IndexError(f"member: expected below {self.c.members.count}, found {index}")
        return 0

    def set_member(
            self, int32_t index, int64_t log_position, int64_t time_of_last_append_ns,
            int64_t leadership_term_id):
        """Set a member's log position, as last reported.

        Parameters
        ----------
        index : int
            The index in the list of members.
        log_position : int
        time_of_last_append_ns : int
            When it was reported; -1 for never.
        leadership_term_id : int
        """
        cdef member_progress *member
        self.check_index(index)
        member = &self.c.members.progress[index]
        member.log_position = log_position
        member.time_of_last_append_ns = time_of_last_append_ns
        member.leadership_term_id = leadership_term_id

    def member(self, int32_t index):
        """Return a member's log position, as last reported.

        Returns
        -------
        tuple of int
            Log position, the time of its report, and leadership term; -1 for each unknown value.
        """
        cdef member_progress *member
        self.check_index(index)
        member = &self.c.members.progress[index]
        return member.log_position, member.time_of_last_append_ns, member.leadership_term_id

    def set_catching_up(self, int32_t index, bint is_catching_up):
        """Set whether a member reads a replay from this one: Python then receives its positions."""
        self.check_index(index)
        self.c.members.progress[index].is_catching_up = is_catching_up

    # ---- positions and times of a follower ----

    @property
    def notified_commit_position(self):
        """The commit position that the leader sent, in bytes; it never decreases."""
        return self.c.follower.notified_commit_position

    def set_notified_commit_position(self, int64_t position):
        """Raise the notified commit position; a lower one changes nothing."""
        if position > self.c.follower.notified_commit_position:
            self.c.follower.notified_commit_position = position

    @property
    def last_leader_update_ns(self):
        """The time of the leader's last activity."""
        return self.c.follower.last_leader_update_ns

    def set_last_leader_update_ns(self, int64_t now_ns):
        """Record that the leader is active."""
        self.c.follower.last_leader_update_ns = now_ns

    def set_termination_position(self, position):
        """Read up to a position, and call ``on_termination_position`` there once.

        Parameters
        ----------
        position : int or None
            None: no limit.
        """
        self.c.follower.termination_position = INT64_MAX if position is None else position
        self.c.follower.is_termination_reported = False

    def quorum_position(self, int64_t now_ns):
        """Return the position that a majority of active members has, as ``quorum`` does."""
        return quorum_position(
            self.c.members.progress, self.c.members.count, now_ns,
            self.c.members.heartbeat_timeout_ns)

    # ---- when it acts on its own ----

    cdef int64_t timer_due_ns(self) except? -1:
        """Return the monotonic time of a deadline in cluster time."""
        now = epoch_nanos(&self.c.core.clock)
        if self.c.core.has_user_clock:
            now = int(read_user_clock(&self.c.core)) * self.c.core.time_unit_ns
        left = int(self.c.timer_deadline) * self.c.core.time_unit_ns - now
        return min(nano_time(&self.c.core.clock) + left, INT64_MAX)

    cdef int64_t member_due_ns(self) except? -1:
        """Return when a message to another member is due, or its timeout."""
        cdef int32_t leader_index = self.c.leadership.leader_index
        cdef int64_t due_ns = INT64_MAX
        if self.c.leadership.role == ROLE_LEADER:
            if self.c.commit.recorded_position != NULL:
                due_ns = self.c.commit.send_deadline_ns
            if self.c.core.state == STATE_ACTIVE:
                due_ns = min(due_ns, quorum_end_ns(
                    self.c.members.progress, self.c.members.count, self.c.members.own_index,
                    self.c.members.heartbeat_timeout_ns))
            return due_ns
        if leader_index != NO_MEMBER and self.c.members.peers[leader_index] != NULL:
            due_ns = self.c.follower.append_position_deadline_ns
        if awaits_leader(&self.c):
            due_ns = min(
                due_ns,
                self.c.follower.last_leader_update_ns + self.c.members.heartbeat_timeout_ns)
        return due_ns

    @property
    def next_due_ns(self):
        """The earliest time at which a duty cycle has work without received messages.

        Returns
        -------
        int
            On the monotonic clock; -2**63 for the next duty cycle, 2**63 - 1 for never.
        """
        if self.c.is_busy:
            return INT64_MIN
        due_ns = self.c.deadline_ns
        if self.c.stamp != NULL:
            due_ns = min(due_ns, self.c.stamp.deadline_ns)
        if (
            self.c.timer_deadline != INT64_MAX
            and self.c.core.state == STATE_ACTIVE
            and is_leading(&self.c.leadership)
        ):
            due_ns = min(due_ns, self.timer_due_ns())
        if has_others(&self.c):
            due_ns = min(due_ns, self.member_due_ns())
        return due_ns

    # ---- what was dropped ----

    @property
    def ignored(self):
        """The numbers of dropped messages, by kind."""
        return {name: self.c.core.ignored[kind] for kind, (name, _) in enumerate(IGNORED)}

    def on_close(self):
        self.conductor.close()
        self.set_ingress(())
        self.set_control(None)
        self.set_consensus(None)
        self.set_archive(None)
        self.set_log_reader(None)
        for index in range(MAX_MEMBERS):
            self.c.members.peers[index] = NULL
            self.peers[index] = None


@cython.final
cdef class CommitAgent(Agent):
    """The agent of a consensus module after the recorder: it advances the commit position.

    Parameters
    ----------
    agent : ModuleAgent
        On the same thread.
    """

    def __cinit__(self, ModuleAgent agent not None):
        self.agent = agent
        self.do_work_fn = commit_do_work
        self.state = <void *>&agent.c

    @property
    def role_name(self):
        return "consensus-module-commit"
