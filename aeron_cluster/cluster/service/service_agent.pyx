"""The container's loop: check what is due, without the GIL, and read the log up to its limit.

``io.aeron.cluster.service.ClusteredServiceAgent`` and ``BoundedLogAdapter``: their steady state.
The rest is in service_conductor.py.
"""
cimport cython
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t

from aeron_cluster.client.counter cimport counter_word
from aeron_cluster.client.image cimport Image, has_frames
from aeron_cluster.client.subscription cimport Subscription, image_list
from aeron_cluster.cluster.service.cluster cimport Cluster
from aeron_cluster.cluster.service.divergence_guard cimport DivergenceGuard
from aeron_cluster.cluster.service.host cimport begin_event, cluster_host, find_session
from aeron_cluster.cluster.service.service_calls cimport COLLECTED_LIMIT, ServiceCalls
from aeron_cluster.codecs.cluster_codecs cimport (
    CLUSTER_ACTION_REQUEST_TEMPLATE_ID,
    NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID,
    SCHEMA_ID,
    SESSION_CLOSE_EVENT_TEMPLATE_ID,
    SESSION_MESSAGE_HEADER_TEMPLATE_ID,
    SESSION_OPEN_EVENT_TEMPLATE_ID,
    TIMER_EVENT_TEMPLATE_ID,
    session_message_header_cluster_session_id,
    session_message_header_timestamp,
    timer_event_correlation_id,
    timer_event_timestamp,
)
from aeron_cluster.codecs.sbe cimport sbe_message, sbe_wrap
from aeron_cluster.codecs.session_header cimport SESSION_HEADER_LENGTH
from aeron_cluster.logbuffer.fragment_assembler cimport (
    assemble_controlled,
    assembler_init,
    assembler_move,
)
from aeron_cluster.logbuffer.image_poller cimport (
    ABORT,
    BREAK,
    CONTINUE,
    bounded_controlled_poll,
    end_position,
    frame_view,
    image_poller,
    image_poller_init,
)
from aeron_cluster.memory.agents.agent cimport Agent, run_others
from aeron_cluster.memory.agents.cycle_tracker cimport track_cycle
from aeron_cluster.memory.agents.idle_strategy cimport IdleStrategy, idle
from aeron_cluster.memory.shared.activity_stamp cimport ActivityStamp, stamp_activity
from aeron_cluster.memory.shared.atomic cimport (
    load_acquire_i32,
    load_acquire_i64,
    load_opaque_i64,
)
from aeron_cluster.memory.shared.counters cimport (
    CountersReader,
    counter_address,
    counter_registration_id,
    counter_state,
)
from aeron_cluster.memory.shared.counters_layout cimport COUNTER_ALLOCATED
from aeron_cluster.memory.system.invariants cimport PLACE, require
from aeron_cluster.memory.system.seams cimport Clock, nano_time

from aeron_cluster.codecs.cluster import (
    ClusterActionRequest,
    NewLeadershipTermEvent,
    SessionCloseEvent,
    SessionOpenEvent,
)
from aeron_cluster.errors import (
    AgentTerminationError,
    CallbackError,
    MessageError,
    UnknownMessageError,
)


cdef enum:
    TICK_NS = 1_000_000
    STALLED_CYCLES = 10
    NULL_POSITION = -1


# The types of the steps of a pass: an exception of one is reported, and the remaining steps are
# still done in this pass.
ctypedef int (*plain_call)(container_state *state) noexcept nogil
ctypedef int (*plain_read)(container_state *state, int64_t now_ns) noexcept nogil


cdef int raise_pending() except -1:
    return -1


cdef int report_failed_step(container_state *state) except -1 with gil:
    """Report a step's exception; an error that ends the container propagates."""
    try:
        raise_pending()
    except AgentTerminationError:
        raise
    except Exception as error:
        (<object>state.conductor).on_client_error(error)
    return 1


cdef inline int outcome(container_state *state, int result) except -1 nogil:
    """Return a step's work count, even if it raised."""
    return result if result != -1 else report_failed_step(state)


# ---- what is due ----

cdef bint is_module_inactive(const container_state *state) noexcept nogil:
    """Whether the followed commit position was freed, or belongs to another module."""
    return state.commit_position != NULL and (
        counter_state(state.counters, state.commit_counter_id) != COUNTER_ALLOCATED
        or counter_registration_id(state.counters, state.commit_counter_id)
        != state.commit_registration_id
    )


cdef bint is_client_closed(const container_state *state) noexcept nogil:
    return load_acquire_i32(&state.host.to_module.is_closed) != 0


cdef bint has_control_message(const container_state *state) noexcept nogil:
    cdef const image_list *images = state.control.current
    cdef int32_t index
    if images == NULL:
        return False
    for index in range(images.count):
        if has_frames(images.pollers[index]):
            return True
    return False


cdef bint is_due(container_state *state, int64_t now_ns) noexcept nogil:
    """Whether the Python half has work; most conditions are checked once a millisecond."""
    cdef int64_t log_position = state.host.table.log_position
    if now_ns - state.last_tick_ns <= TICK_NS:
        return state.is_busy
    state.last_tick_ns = now_ns
    return (
        stamp_activity(state.stamp, now_ns)
        or state.is_busy
        or is_client_closed(state)
        or is_module_inactive(state)
        or has_control_message(state)
        or (state.host.guard != NULL and state.host.guard.has_report)
        or state.host.has_unreported
        or (state.is_joining and state.log == NULL)
        or (state.termination_position != NULL_POSITION
            and log_position >= state.termination_position)
        or (state.ack_position != NULL_POSITION and log_position >= state.ack_position)
    )


cdef int call_container(container_state *state) except -1 with gil:
    return (<object>state.conductor).do_work()


# ---- the log ----

cdef inline int64_t log_limit(const container_state *state) noexcept nogil:
    # Pairs with the module's release, before which the log is committed.
    cdef int64_t limit = load_acquire_i64(state.commit_position)
    return limit if limit < state.max_log_position else state.max_log_position


cdef inline bint has_committed(const container_state *state) noexcept nogil:
    return (
        not load_acquire_i32(&state.log.is_closed)
        and load_opaque_i64(state.log.subscriber_position) < log_limit(state)
        and has_frames(state.log)
    )


cdef int64_t position_read(const container_state *state) except? -1:
    """The position up to which the service has read the open log."""
    cdef Image image = <Image>state.log.context
    cdef int64_t position = state.rest_position if state.log == &state.rest else image.position
    # A callback may have closed the image, before the poll could store its position.
    return max(position, state.host.table.log_position)


cdef int read_rest(container_state *state) except -1 with gil:
    """Continue with the part of a closed log that the service has not read.

    The module may have read and committed more of it, and the next log begins where the module is:
    without the rest, the service could not join it. The container keeps the log mapped.
    """
    cdef image_poller *closed = state.log
    state.rest_position = position_read(state)
    image_poller_init(
        &state.rest, closed.log, &state.rest_position, closed.context, closed.owner)
    state.rest.give_up = closed.give_up
    state.log = &state.rest
    return 0


cdef int call_log_ended(container_state *state) except -1 with gil:
    state.is_end_known = True
    (<object>state.conductor).on_log_ended()
    return 1


cdef int call_log_done(container_state *state) except -1 with gil:
    (<object>state.conductor).on_log_done()
    return 1


cdef int end_log(container_state *state) except -1 nogil:
    """Leave a log that was read up to the next one, or read the rest of one that was closed."""
    cdef int64_t position
    if state.log.is_given_up:
        return call_log_done(state)
    if load_acquire_i32(&state.log.is_closed):
        # With its client closed, the container ends, and services cannot answer.
        return 0 if is_client_closed(state) else read_rest(state)
    position = load_opaque_i64(state.log.subscriber_position)
    if position >= state.max_log_position:
        return call_log_done(state)
    if (
        position < load_acquire_i64(&state.log.log.metadata.end_of_stream_position)
        and state.log != &state.rest
    ):
        return 0
    if state.is_joining and not has_frames(state.log):
        return call_log_done(state)  # a part is lost: the join finds out
    # Until the next log is requested, the module may still commit more of this one.
    return 0 if state.is_end_known else call_log_ended(state)


cdef int poll_log(container_state *state, int32_t fragment_limit) except -1 nogil:
    require(
        state.commit_position != NULL, PLACE, "a log is read up to a commit position",
        state.commit_registration_id, 0)
    return bounded_controlled_poll(
        state.log, assemble_controlled, state.assembler, log_limit(state), fragment_limit)


cdef inline int deliver(container_state *state) except -1 nogil:
    """Pass on the messages collected so far, if the service takes several at once."""
    return 0 if state.calls.deliver == NULL else state.calls.deliver(state.calls.service)


cdef int poll_python_batch(container_state *state) except -1 with gil:
    """Pass a batch of committed messages to a service in Python, holding the GIL once.

    A service that takes several at once reads them after the poll has moved the position: they are
    of one term, and a driver only cleans what is a whole term before that position.
    """
    cdef int32_t fragment_limit = state.fragment_limit
    if state.calls.deliver == NULL:
        return poll_log(state, fragment_limit)
    try:
        return poll_log(state, max(fragment_limit, <int32_t>COLLECTED_LIMIT))
    finally:
        deliver(state)


cdef inline int next_action(const container_state *state) noexcept nogil:
    # A sequence in progress, or the end, has precedence over the next message.
    return BREAK if state.is_busy or state.is_ended else CONTINUE


cdef int raise_malformed(container_state *state, int32_t length) except -1 with gil:
    raise MessageError(
        f"log message at {state.host.table.log_position}", "a message header and its block", length)


cdef int raise_foreign(container_state *state, int schema_id) except -1 with gil:
    raise UnknownMessageError(
        f"log message at {state.host.table.log_position}", f"schema {<int>SCHEMA_ID}", schema_id)


cdef int on_log_message(
        void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    cdef container_state *state = <container_state *>context
    cdef cluster_host *host = state.host
    cdef sbe_message wrapped
    cdef int64_t session_id, time
    cdef const uint8_t *user_payload
    cdef int32_t user_length
    if not sbe_wrap(&wrapped, payload, length):
        return raise_malformed(state, length)
    if wrapped.schema_id != SCHEMA_ID:
        return raise_foreign(state, wrapped.schema_id)
    if wrapped.template_id == SESSION_MESSAGE_HEADER_TEMPLATE_ID:
        time = session_message_header_timestamp(
            wrapped.body, wrapped.block_length, wrapped.version)
        session_id = session_message_header_cluster_session_id(
            wrapped.body, wrapped.block_length, wrapped.version)
        user_payload = wrapped.body + wrapped.block_length
        user_length = <int32_t>(wrapped.limit - user_payload)
        if state.calls.collect != NULL:
            state.calls.collect(
                state.calls.service, end_position(header), time, session_id, user_payload,
                user_length, header)
            return next_action(state)
        host.table.time = time
        begin_event(host, end_position(header), time)
        state.calls.on_message(
            state.calls.service, find_session(host, session_id), session_id, user_payload,
            user_length, header)
        return next_action(state)
    deliver(state)
    if next_action(state) == BREAK:
        return ABORT
    if wrapped.template_id == TIMER_EVENT_TEMPLATE_ID:
        host.table.time = timer_event_timestamp(
            wrapped.body, wrapped.block_length, wrapped.version)
        begin_event(host, end_position(header), host.table.time)
        state.calls.on_timer(
            state.calls.service, timer_event_correlation_id(
                wrapped.body, wrapped.block_length, wrapped.version))
        return next_action(state)
    if (
        wrapped.template_id == SESSION_OPEN_EVENT_TEMPLATE_ID
        or wrapped.template_id == SESSION_CLOSE_EVENT_TEMPLATE_ID
        or wrapped.template_id == CLUSTER_ACTION_REQUEST_TEMPLATE_ID
        or wrapped.template_id == NEW_LEADERSHIP_TERM_EVENT_TEMPLATE_ID
    ):
        begin_event(host, end_position(header), -<int64_t>wrapped.template_id)
        call_log_event(state, payload, length, wrapped.template_id)
        return next_action(state)
    return CONTINUE


cdef int call_log_event(
        container_state *state, const uint8_t *payload, int32_t length, int template_id
) except -1 with gil:
    """Call the Python half for an event that is not a user's message."""
    cdef bytes copy = payload[:length]
    conductor = <object>state.conductor
    if template_id == SESSION_OPEN_EVENT_TEMPLATE_ID:
        event = SessionOpenEvent.decode(copy)
        state.host.table.time = event.timestamp
        conductor.on_session_open(event)
    elif template_id == SESSION_CLOSE_EVENT_TEMPLATE_ID:
        event = SessionCloseEvent.decode(copy)
        state.host.table.time = event.timestamp
        conductor.on_session_close(event)
    elif template_id == CLUSTER_ACTION_REQUEST_TEMPLATE_ID:
        event = ClusterActionRequest.decode(copy)
        state.host.table.time = event.timestamp
        conductor.on_action(event)
    else:
        event = NewLeadershipTermEvent.decode(copy)
        conductor.on_new_leadership_term(event)
    return 0


# ---- the pass ----

cdef int call_background_work(container_state *state, int64_t now_ns) except -1 with gil:
    return state.calls.do_background_work(state.calls.service, now_ns)


cdef inline int run_background_work(container_state *state, int64_t now_ns) except -1 nogil:
    cdef int work_count
    # A callback that ends the container was cut off: the service may be in an invalid state.
    if (
        state.calls.do_background_work == NULL
        or not state.is_active
        or state.is_ending
        or state.host.is_in_background
    ):
        return 0
    state.host.is_in_background = True
    if state.calls.needs_gil:
        work_count = call_background_work(state, now_ns)
    else:
        work_count = state.calls.do_background_work(state.calls.service, now_ns)
    state.host.is_in_background = False
    return work_count


cdef int call_on_stall(container_state *state, int64_t taken_ns) except -1 with gil:
    (<object>state.conductor).on_stall(taken_ns)
    return 0


cdef int call_while_recording(container_state *state) except -1 with gil:
    (<object>state.conductor).check_recording()
    return 0


cdef inline int read_log(container_state *state, int64_t now_ns) except -1 nogil:
    """Pass the service its share of the log."""
    cdef int polled = 0
    cdef int64_t taken_ns
    state.reading_since_ns = now_ns
    if not state.calls.needs_gil:
        polled = poll_log(state, state.fragment_limit)
    elif has_committed(state):
        polled = poll_python_batch(state)
    state.reading_since_ns = 0
    if polled > 0:
        taken_ns = nano_time(&state.clock) - now_ns
        if taken_ns > state.stall_ns:
            call_on_stall(state, taken_ns)
    return polled


cdef int container_do_work(void *context) except -1 nogil:
    cdef container_state *state = <container_state *>context
    cdef int64_t now_ns = nano_time(&state.clock)
    cdef int work_count = 0
    cdef int polled = 0
    if state.is_ended:
        return 0
    track_cycle(&state.tracker, now_ns)
    # An exception may have left these set.
    state.host.is_in_background = False
    state.reading_since_ns = 0
    if is_due(state, now_ns):
        work_count = outcome(state, (<plain_call>call_container)(state))
    if state.log != NULL and not state.is_busy and not state.is_ended:
        polled = outcome(state, (<plain_read>read_log)(state, now_ns))
        if polled == 0 and not state.is_busy:
            polled = outcome(state, (<plain_call>end_log)(state))
        work_count += polled
    return work_count + run_background_work(state, now_ns)


cdef int raise_ending(container_state *state) except -1 with gil:
    if state.is_ending:
        reason = "the container ends"
    elif is_client_closed(state):
        reason = "the client of the driver was closed"
    else:
        reason = "the consensus module has ended"
    raise AgentTerminationError(reason)


cdef int raise_waiting() except -1 with gil:
    raise CallbackError("idle", "do_background_work")


cdef int idle_in_callback(void *context, int work_count) except -1 nogil:
    """Idle within a callback: other agents of the thread and the activity stamp continue."""
    cdef container_state *state = <container_state *>context
    cdef int64_t now_ns
    if state.host.is_in_background:
        return raise_waiting()
    if state.is_ending:
        return raise_ending(state)
    if state.cycle[0] != NULL:
        work_count += run_others(state.cycle[0])
    else:
        work_count += state.client_work(state.client_state)
    if state.is_recording:
        call_while_recording(state)
    now_ns = nano_time(&state.clock)
    if now_ns - state.last_tick_ns > TICK_NS:
        state.last_tick_ns = now_ns
        stamp_activity(state.stamp, now_ns)
        if is_client_closed(state) or is_module_inactive(state):
            return raise_ending(state)
        if state.reading_since_ns != 0 and now_ns - state.reading_since_ns > state.stall_ns:
            call_on_stall(state, now_ns - state.reading_since_ns)
    work_count += run_background_work(state, now_ns)
    idle(state.strategy, work_count)
    return 0


@cython.final
cdef class ServiceAgent(Agent):
    """The agent of a service's container.

    Parameters
    ----------
    conductor : ServiceConductor
        The Python half.
    cluster : Cluster
    control : Subscription
        The requests of the consensus module, polled by the Python half.
    client : Agent
        The agent of the Aeron client's conductor.
    counters : CountersReader
    stamp : ActivityStamp
        The activity stamp of the mark file.
    clock : Clock
    strategy : IdleStrategy
        The idle strategy of waiting callbacks.
    fragment_limit : int
        The highest number of fragments of the log per pass.
    name : str
        The name of the service.

    Notes
    -----
    Runs on one thread with the client, driven by the same runner.
    """

    def __cinit__(
            self, conductor not None, Cluster cluster not None, Subscription control not None,
            Agent client not None, CountersReader counters not None, ActivityStamp stamp not None,
            Clock clock not None, IdleStrategy strategy not None, int32_t fragment_limit,
            str name not None):
        self.conductor = conductor
        self.cluster = cluster
        self.control = control
        self.client = client
        self.counters = counters
        self.stamp = stamp
        self.clock_owner = clock
        self.strategy = strategy
        self.name = name
        self.c.host = &cluster.c
        self.c.counters = &counters.reader
        self.c.control = &control.poller
        self.c.stamp = &stamp.c
        self.c.clock = clock.c
        self.c.strategy = &strategy.c
        self.c.cycle = &self.cycle
        self.c.client_work = client.do_work_fn
        self.c.client_state = client.state
        self.c.fragment_limit = fragment_limit
        self.c.stall_ns = INT64_MAX
        self.c.max_log_position = INT64_MAX
        self.c.termination_position = NULL_POSITION
        self.c.ack_position = NULL_POSITION
        self.c.last_tick_ns = nano_time(&self.c.clock)
        self.c.is_busy = True
        self.c.conductor = <void *>conductor
        cluster.c.agent = &self.c
        cluster.c.idle = idle_in_callback
        self.do_work_fn = container_do_work
        self.state = <void *>&self.c

    def __dealloc__(self):
        if self.cluster is not None:
            self.cluster.c.idle = NULL
            self.cluster.c.agent = NULL
            self.cluster.c.guard = NULL

    @property
    def role_name(self):
        return self.name

    def on_close(self):
        self.conductor.close()

    # ---- set by the Python half ----

    def set_service(self, ServiceCalls calls not None):
        """Set the service."""
        self.calls = calls
        self.c.calls = &calls.c
        assembler_init(&calls.assembler, on_log_message, &self.c, <void *>calls)
        self.c.assembler = &calls.assembler

    def set_cycle_counters(self, max_time, exceeded, int64_t threshold_ns):
        """Set the counters of cycle times."""
        self.cycle_counters = (max_time, exceeded)
        self.c.tracker.max_time_ns = counter_word(max_time)
        self.c.tracker.exceeded_count = counter_word(exceeded)
        self.c.tracker.threshold_ns = threshold_ns
        self.c.stall_ns = STALLED_CYCLES * threshold_ns

    def set_guard(self, DivergenceGuard guard not None):
        """Set the guard that hashes the service's effects."""
        self.guard = guard
        self.c.host.guard = &guard.c

    def follow_commit_position(self, int32_t counter_id):
        """Set the counter that bounds the log."""
        self.c.commit_counter_id = counter_id
        self.c.commit_registration_id = counter_registration_id(self.c.counters, counter_id)
        self.c.commit_position = counter_address(self.c.counters, counter_id)

    def join(self, Image image not None, int64_t max_log_position):
        """Poll an image of the log from now on, to a position."""
        self.log_mapping = image.hold()
        self.image = image
        # The log of a member that was killed while recording may end within a message.
        assembler_move(self.c.assembler, self.left_session_id, image.log.session_id)
        self.c.max_log_position = max_log_position
        self.c.is_end_known = False
        # The same on every member: the leader's log has the term length of the recording.
        self.c.host.max_payload_length = image.log.max_message_length - SESSION_HEADER_LENGTH
        self.c.log = &image.poller

    def cap(self, int64_t max_log_position):
        """Set the position up to which the open log is read."""
        self.c.max_log_position = max_log_position

    def leave(self):
        """Stop polling the log; return its subscription, or None."""
        cdef Image image = self.image
        if image is None:
            return None
        self.c.host.table.log_position = position_read(&self.c)
        self.c.log = NULL
        self.image = None
        self.log_mapping = None
        self.left_session_id = image.log.session_id
        return image.subscription

    def begin_end(self):
        """Request a call of the Python half in the next pass, and end waits of callbacks."""
        self.c.is_ending = True
        self.c.is_busy = True

    def end(self):
        """Stop working."""
        self.c.is_ending = True
        self.c.is_ended = True
        self.c.is_active = False

    @property
    def is_ended(self):
        """Whether `end` was called."""
        return self.c.is_ended

    @property
    def is_joined(self):
        """Whether a log is open."""
        return self.c.log != NULL

    @property
    def is_module_inactive(self):
        """Whether the consensus module's commit position counter was closed."""
        return is_module_inactive(&self.c)

    @property
    def is_client_closed(self):
        """Whether the Aeron client was closed."""
        return is_client_closed(&self.c)

    @property
    def is_busy(self):
        """Whether each pass calls the Python half, instead of reading the log."""
        return self.c.is_busy

    @is_busy.setter
    def is_busy(self, bint value):
        self.c.is_busy = value

    @property
    def is_recording(self):
        """Whether the Python half checks the recording while a callback waits."""
        return self.c.is_recording

    @is_recording.setter
    def is_recording(self, bint value):
        self.c.is_recording = value

    @property
    def is_joining(self):
        """Whether the Python half is called once no log is open."""
        return self.c.is_joining

    @is_joining.setter
    def is_joining(self, bint value):
        self.c.is_joining = value

    @property
    def is_active(self):
        """Whether the service has started."""
        return self.c.is_active

    @is_active.setter
    def is_active(self, bint value):
        self.c.is_active = value

    @property
    def termination_position(self):
        """The position at which the log ends for this service; -1 if not set."""
        return self.c.termination_position

    @termination_position.setter
    def termination_position(self, int64_t value):
        self.c.termination_position = value

    @property
    def ack_position(self):
        """The position of a requested acknowledgement; -1: none."""
        return self.c.ack_position

    @ack_position.setter
    def ack_position(self, int64_t value):
        self.c.ack_position = value
