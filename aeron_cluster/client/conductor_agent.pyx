"""The client conductor's duty cycle, and the driver's events.

``io.aeron.ClientConductor.doWork`` and ``io.aeron.DriverEventsAdapter``.
"""
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc

from aeron_cluster.logbuffer.frames cimport align
from aeron_cluster.memory.shared.atomic cimport (
    compare_and_set_i32,
    load_acquire_i32,
    load_acquire_i64,
    load_opaque_i32,
    load_opaque_i64,
    store_opaque_i32,
    store_opaque_i64,
    store_release_i32,
    store_release_i64,
)
from aeron_cluster.memory.shared.broadcast cimport (
    BROADCAST_LAPPED,
    BROADCAST_NOTHING,
    BROADCAST_OK,
    broadcast_receive,
    broadcast_receiver_init,
)
from aeron_cluster.memory.shared.cnc_file cimport CncFile, cnc_sections
from aeron_cluster.memory.shared.commands cimport (
    ON_AVAILABLE_IMAGE,
    ON_CLIENT_TIMEOUT,
    ON_COUNTER_READY,
    ON_ERROR,
    ON_EXCLUSIVE_PUBLICATION_READY,
    ON_NEXT_AVAILABLE_SESSION_ID,
    ON_OPERATION_SUCCESS,
    ON_PUBLICATION_ERROR,
    ON_PUBLICATION_READY,
    ON_STATIC_COUNTER,
    ON_SUBSCRIPTION_READY,
    ON_UNAVAILABLE_COUNTER,
    ON_UNAVAILABLE_IMAGE,
    available_image_event,
    client_timeout_event,
    counter_event,
    error_event,
    next_session_id_event,
    operation_success_event,
    publication_error_event,
    publication_ready_event,
    subscription_ready_event,
    unavailable_image_event,
)
from aeron_cluster.memory.shared.counters cimport (
    COUNTERS_OK,
    NULL_COUNTER_ID,
    counter_address,
    counter_append_label,
    counter_registration_id,
    counter_state,
    counter_type_id,
    counters_find,
    counters_reader_init,
)
from aeron_cluster.memory.shared.counters_layout cimport (
    COUNTER_ALLOCATED,
    COUNTER_TYPE_CLIENT_HEARTBEAT,
)
from aeron_cluster.memory.shared.heartbeat_watch cimport heartbeat_watch_init, is_silent
from aeron_cluster.memory.shared.ring_buffer cimport RING_OK, ring_consumer_heartbeat_ms, ring_init
from aeron_cluster.memory.system.invariants cimport PLACE, holds
from aeron_cluster.memory.system.seams cimport Clock, epoch_ms, nano_time

from aeron_cluster.errors import CorruptError, MessageError, StateError

cdef enum:
    TEXT_ALIGNMENT = 4  # of the source identity after the log file's name
    IPV4 = 1


cdef int conductor_do_work(void *state) except -1 nogil:
    cdef conductor_pass *cycle = <conductor_pass *>state
    cdef int64_t now_ns
    if load_acquire_i32(&cycle.is_closed):
        return 0
    now_ns = nano_time(&cycle.clock)
    keep_alive(cycle, &cycle.agent_pass_ns, now_ns)
    # Pairs with the release of request_service.
    if (load_opaque_i32(&cycle.event) != NO_EVENT or now_ns >= load_opaque_i64(&cycle.deadline_ns)
            or load_acquire_i32(&cycle.is_service_requested)
            or load_acquire_i64(&cycle.receiver.trailer.tail)
            > load_opaque_i64(&cycle.next_position)):
        return service_conductor(cycle)
    return 0


cdef inline int64_t last_pass_ns(const conductor_pass *cycle) noexcept nogil:
    cdef int64_t by_agent = load_opaque_i64(&cycle.agent_pass_ns)
    cdef int64_t by_caller = load_opaque_i64(&cycle.caller_pass_ns)
    return by_agent if by_agent > by_caller else by_caller


cdef inline void keep_alive(
        conductor_pass *cycle, int64_t *own_pass_ns, int64_t now_ns) noexcept nogil:
    """Send a keep-alive and check the driver's heartbeat, when they are due."""
    if now_ns - last_pass_ns(cycle) > cycle.gap_limit_ns:
        # The time is stored only once the gap is reported: until then the next duty cycle detects
        # it again.
        if check_driver(cycle, now_ns):
            store_opaque_i64(own_pass_ns, now_ns)
        return
    store_opaque_i64(own_pass_ns, now_ns)
    if now_ns >= load_opaque_i64(&cycle.keepalive_deadline_ns):
        check_driver(cycle, now_ns)


cdef bint check_driver(conductor_pass *cycle, int64_t now_ns) noexcept nogil:
    """Do what is due, unless another thread does or an event is pending; return whether it did."""
    cdef bint is_free
    # Pairs with the release at the end.
    if not compare_and_set_i32(&cycle.is_checking, 0, 1):
        return False
    # Pairs with the release of take_event: the times there are read before they are written.
    is_free = load_acquire_i32(&cycle.event) == NO_EVENT
    if is_free:
        # Pairs with the acquire of take_event: the times are written before their event.
        store_release_i32(&cycle.event, find_event(cycle, now_ns))
    store_release_i32(&cycle.is_checking, 0)
    return is_free


cdef ConductorEvent find_event(conductor_pass *cycle, int64_t now_ns) noexcept nogil:
    cdef int64_t gap_ns = now_ns - last_pass_ns(cycle)
    cdef int64_t now_ms, heartbeat_ms
    cdef int32_t heartbeat_id
    if gap_ns > cycle.gap_limit_ns:
        cycle.gap_ns = gap_ns
        return SERVICE_GAP
    if now_ns < cycle.keepalive_deadline_ns:
        return NO_EVENT  # the other thread has just done it
    store_opaque_i64(&cycle.keepalive_deadline_ns, now_ns + cycle.keepalive_interval_ns)
    heartbeat_ms = ring_consumer_heartbeat_ms(&cycle.to_driver)
    if heartbeat_ms == -1:
        return DRIVER_CLOSED
    if is_silent(&cycle.driver, heartbeat_ms, now_ns):
        cycle.silence_ns = now_ns - cycle.driver.changed_ns
        return DRIVER_TIMED_OUT
    now_ms = epoch_ms(&cycle.clock)
    if cycle.heartbeat_id == NULL_COUNTER_ID:
        heartbeat_id = counters_find(
            &cycle.counters, COUNTER_TYPE_CLIENT_HEARTBEAT, cycle.client_id)
        if heartbeat_id == NULL_COUNTER_ID:
            return NO_EVENT
        store_opaque_i32(&cycle.heartbeat_id, heartbeat_id)
        store_release_i64(counter_address(&cycle.counters, heartbeat_id), now_ms)
        return HEARTBEAT_FOUND
    if not holds(
        0 <= cycle.heartbeat_id < cycle.counters.count, PLACE,
        "a heartbeat is one of the counters", cycle.heartbeat_id, cycle.counters.count,
    ):
        return NO_EVENT
    if not is_heartbeat(cycle):
        return HEARTBEAT_LOST
    store_release_i64(counter_address(&cycle.counters, cycle.heartbeat_id), now_ms)
    return NO_EVENT


cdef bint is_heartbeat(conductor_pass *cycle) noexcept nogil:
    """Return whether the record is still the one that the driver created for this client."""
    return (
        counter_state(&cycle.counters, cycle.heartbeat_id) == COUNTER_ALLOCATED
        and counter_type_id(&cycle.counters, cycle.heartbeat_id) == COUNTER_TYPE_CLIENT_HEARTBEAT
        and counter_registration_id(&cycle.counters, cycle.heartbeat_id) == cycle.client_id
    )


cdef int service_conductor(conductor_pass *cycle) except -1 with gil:
    conductor = (<ConductorAgent>cycle.agent).conductor
    return 0 if conductor is None else conductor.try_service()  # None: closed meanwhile


cdef class ConductorAgent(Agent):
    """Drives a `ClientConductor`: takes the GIL only for an event, a deadline or an error.

    Parameters
    ----------
    cnc : CncFile
        The driver's.
    clock : Clock
        The client's CnC file.
    conductor : ClientConductor
        The Python half.
    client_id : int
        The client's id at the driver.
    keepalive_interval_ns : int
        The interval of keep-alives and checks of the driver's heartbeat, in ns.
    driver_timeout_ns : int
        The driver timeout, in ns.
    """

    def __init__(
            self, CncFile cnc not None, Clock clock not None, conductor, *,
            int64_t client_id, int64_t keepalive_interval_ns, int64_t driver_timeout_ns):
        cdef cnc_sections sections = cnc.sections
        if broadcast_receiver_init(
                &self.c.receiver, sections.to_clients, sections.to_clients_length) != BROADCAST_OK:
            raise CorruptError(
                cnc.path, sections.to_clients - <uint8_t *>sections.header, "event buffer length",
                "a power of two and its trailer", sections.to_clients_length)
        if ring_init(&self.c.to_driver, sections.to_driver, sections.to_driver_length) != RING_OK:
            raise CorruptError(
                cnc.path, sections.to_driver - <uint8_t *>sections.header, "command ring length",
                "a power of two and its trailer", sections.to_driver_length)
        if counters_reader_init(
                &self.c.counters, sections.counters_metadata, sections.counters_metadata_length,
                sections.counters_values, sections.counters_values_length) != COUNTERS_OK:
            raise CorruptError(
                cnc.path, sections.counters_metadata - <uint8_t *>sections.header,
                "counters length", "four times that of the values",
                sections.counters_metadata_length)
        self.scratch_length = <int32_t>(self.c.receiver.capacity // 8)
        self.scratch = <uint8_t *>malloc(self.scratch_length)
        if self.scratch == NULL:
            raise MemoryError
        self.cnc = cnc
        self.clock_owner = clock
        self.conductor = conductor
        self.c.clock = clock.c
        self.c.client_id = client_id
        self.c.keepalive_interval_ns = keepalive_interval_ns
        self.c.gap_limit_ns = sections.header.client_liveness_timeout_ns
        self.c.agent_pass_ns = self.c.caller_pass_ns = nano_time(&self.c.clock)
        self.c.keepalive_deadline_ns = self.c.agent_pass_ns
        heartbeat_watch_init(
            &self.c.driver, driver_timeout_ns, ring_consumer_heartbeat_ms(&self.c.to_driver),
            self.c.agent_pass_ns)
        self.c.next_position = self.c.receiver.next_position
        self.c.deadline_ns = INT64_MAX
        self.c.heartbeat_id = NULL_COUNTER_ID
        self.c.agent = <void *>self
        self.do_work_fn = conductor_do_work
        self.state = &self.c

    def __dealloc__(self):
        free(self.scratch)

    @property
    def role_name(self):
        """The name of its thread."""
        return "aeron-client-conductor"

    def on_close(self):
        """Close the client: its runner stops."""
        if self.conductor is not None:
            self.conductor.close()

    def set_deadline(self, int64_t deadline_ns):
        """Set the next call of the Python half: at ``deadline_ns``, or for an earlier event."""
        store_opaque_i64(&self.c.deadline_ns, deadline_ns)

    def request_service(self):
        """Request that the Python half be called in the next pass. Any thread."""
        # Pairs with the acquire in conductor_do_work.
        store_release_i32(&self.c.is_service_requested, 1)

    def begin_service(self):
        """Clear the request; later requests cause another call."""
        store_release_i32(&self.c.is_service_requested, 0)

    def keep_alive(self):
        """Do due heartbeats; for a caller that holds the client's lock."""
        keep_alive(&self.c, &self.c.caller_pass_ns, nano_time(&self.c.clock))

    def take_event(self):
        """Return and clear the event for the Python half."""
        cdef int32_t event = load_acquire_i32(&self.c.event)
        if event == NO_EVENT:
            return ConductorEvent.NO_EVENT
        self.taken_gap_ns = self.c.gap_ns
        self.taken_silence_ns = self.c.silence_ns
        store_release_i32(&self.c.event, NO_EVENT)
        return ConductorEvent(event)

    @property
    def gap_ns(self):
        """The time between two passes that the event reports, in ns."""
        return self.taken_gap_ns

    @property
    def silence_ns(self):
        """The time without a heartbeat of the driver that the event reports, in ns."""
        return self.taken_silence_ns

    @property
    def gap_limit_ns(self):
        """The longest time without a pass before the driver times the client out, in ns."""
        return self.c.gap_limit_ns

    @property
    def heartbeat_id(self):
        """The id of the client's heartbeat counter; -1 until it exists."""
        return load_opaque_i32(&self.c.heartbeat_id)

    def append_to_heartbeat_label(self, bytes text not None):
        """Append this client's identity to the counter's label."""
        if self.heartbeat_id != NULL_COUNTER_ID:
            counter_append_label(
                &self.c.counters, self.heartbeat_id, <const char *>text, <int32_t>len(text))

    def close(self):
        """Stop: nothing is due from now on."""
        store_release_i32(&self.c.is_closed, 1)
        self.conductor = None

    def receive(self):
        """Dispatch the next event to the conductor.

        Returns
        -------
        bool
            False if there was none.

        Raises
        ------
        StateError
            If events were lost: the driver lapped this client in the buffer.
        CorruptError
            If the content of the buffer is invalid.
        MessageError
            If an event is too short for its type.
        """
        cdef int32_t kind = 0, length
        if load_acquire_i32(&self.c.is_closed):
            return False
        length = broadcast_receive(&self.c.receiver, &kind, self.scratch, self.scratch_length)
        store_opaque_i64(&self.c.next_position, self.c.receiver.next_position)
        if length >= 0:
            self._dispatch(kind, length)
            return True
        if length == BROADCAST_NOTHING:
            return False
        if length == BROADCAST_LAPPED:
            raise StateError(
                "events of the media driver were lost: expected this client to be serviced before"
                " the driver wrapped around its buffer")
        raise CorruptError(
            self.cnc.path, self.c.receiver.next_position, "event buffer",
            "valid records", f"status {length}")

    cdef int _dispatch(self, int32_t kind, int32_t length) except -1:
        cdef const uint8_t *data = self.scratch
        cdef object to = self.conductor
        cdef const error_event *error
        cdef const available_image_event *available
        cdef const publication_ready_event *publication
        cdef const unavailable_image_event *unavailable
        cdef const subscription_ready_event *subscription
        cdef const counter_event *counter
        cdef const publication_error_event *rejected
        cdef const next_session_id_event *session
        cdef int32_t offset
        if kind == ON_AVAILABLE_IMAGE:
            check(length, sizeof(available_image_event), kind)
            available = <const available_image_event *>data
            offset = sizeof(available_image_event)
            log_file = text_at(data, offset, available.log_file_length, length, kind)
            offset += align(available.log_file_length, TEXT_ALIGNMENT)
            check(length, offset + <int32_t>sizeof(int32_t), kind)
            identity = text_at(
                data, offset + <int32_t>sizeof(int32_t), (<const int32_t *>(data + offset))[0],
                length, kind)
            to.on_available_image(
                available.correlation_id, available.session_id, available.stream_id,
                available.subscription_registration_id, available.subscriber_position_id,
                log_file, identity)
        elif kind == ON_UNAVAILABLE_IMAGE:
            check(length, sizeof(unavailable_image_event), kind)
            unavailable = <const unavailable_image_event *>data
            to.on_unavailable_image(
                unavailable.correlation_id, unavailable.subscription_registration_id)
        elif kind == ON_PUBLICATION_READY or kind == ON_EXCLUSIVE_PUBLICATION_READY:
            check(length, sizeof(publication_ready_event), kind)
            publication = <const publication_ready_event *>data
            log_file = text_at(
                data, sizeof(publication_ready_event), publication.log_file_length, length, kind)
            to.on_publication_ready(
                publication.correlation_id, publication.registration_id,
                publication.publication_limit_counter_id, publication.channel_status_id, log_file,
                kind == ON_EXCLUSIVE_PUBLICATION_READY)
        elif kind == ON_SUBSCRIPTION_READY:
            check(length, sizeof(subscription_ready_event), kind)
            subscription = <const subscription_ready_event *>data
            to.on_subscription_ready(subscription.correlation_id, subscription.channel_status_id)
        elif kind == ON_OPERATION_SUCCESS:
            check(length, sizeof(operation_success_event), kind)
            to.on_operation_success((<const operation_success_event *>data).correlation_id)
        elif kind == ON_ERROR:
            check(length, sizeof(error_event), kind)
            error = <const error_event *>data
            to.on_error(
                error.offending_correlation_id, error.error_code,
                text_at(data, sizeof(error_event), error.message_length, length, kind))
        elif kind == ON_COUNTER_READY or kind == ON_STATIC_COUNTER:
            check(length, sizeof(counter_event), kind)
            counter = <const counter_event *>data
            to.on_counter_ready(
                counter.correlation_id, counter.counter_id, kind == ON_STATIC_COUNTER)
        elif kind == ON_UNAVAILABLE_COUNTER:
            check(length, sizeof(counter_event), kind)
            counter = <const counter_event *>data
            to.on_unavailable_counter(counter.correlation_id, counter.counter_id)
        elif kind == ON_CLIENT_TIMEOUT:
            check(length, sizeof(client_timeout_event), kind)
            to.on_client_timeout((<const client_timeout_event *>data).client_id)
        elif kind == ON_PUBLICATION_ERROR:
            check(length, sizeof(publication_error_event), kind)
            rejected = <const publication_error_event *>data
            to.on_publication_error(
                rejected.registration_id, rejected.destination_registration_id, rejected.session_id,
                rejected.stream_id, rejected.receiver_id, rejected.group_tag,
                bytes(rejected.address[:4 if rejected.address_type == IPV4 else 16]), rejected.port,
                rejected.error_code,
                text_at(
                    data, sizeof(publication_error_event), rejected.message_length, length, kind))
        elif kind == ON_NEXT_AVAILABLE_SESSION_ID:
            check(length, sizeof(next_session_id_event), kind)
            session = <const next_session_id_event *>data
            to.on_next_available_session_id(session.correlation_id, session.session_id)
        return 0


cdef int check(int32_t length, int64_t expected, int32_t kind) except -1:
    if length < expected:
        raise MessageError(f"driver event {kind:#06x}", f"at least {expected} bytes", length)
    return 0


cdef str text_at(
        const uint8_t *data, int32_t offset, int32_t text_length, int32_t length, int32_t kind):
    if text_length < 0 or text_length > length - offset:
        raise MessageError(
            f"driver event {kind:#06x}", f"a text of at most {length - offset} bytes",
            text_length, offset)
    return (<const char *>data)[offset:offset + text_length].decode("utf-8", "replace")
