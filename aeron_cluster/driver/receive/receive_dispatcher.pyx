"""Dispatch datagrams to images, and handle those without one.

``DataPacketDispatcher``.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.driver.receive.publication_image cimport (
    drain_image,
    on_image_packet,
    on_image_rtt,
    publication_image,
    track_connection,
)
from aeron_cluster.driver.receive.receive_endpoint cimport (
    MAX_PENDING_SETUP_COUNT,
    MAX_SESSION_COUNT,
    elicit_setup,
    pending_setup,
    receive_dispatcher,
    receive_endpoint,
    receive_transport,
)
from aeron_cluster.driver.streams.agent_events cimport (
    EVENT_IMAGE_REQUESTED,
    FAULT_CONTENT,
    FAULT_LENGTH,
    FAULT_SESSION_LIMIT,
    FAULT_VERSION,
    claim_event,
    drop_packet,
    event,
)
from aeron_cluster.driver.streams.agent_queue cimport queue_publish
from aeron_cluster.driver.streams.counter_values cimport count
from aeron_cluster.driver.streams.stream_table cimport (
    stream_slot,
    table_find,
    table_put,
    table_remove,
)
from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FLAG_EOS,
    FRAME_DATA,
    FRAME_HEADER_LENGTH,
    FRAME_PAD,
    FRAME_RTT_MEASUREMENT,
    FRAME_SETUP,
    FRAME_VERSION,
    MAX_UDP_PAYLOAD_LENGTH,
    TERM_MAX_LENGTH,
    TERM_MIN_LENGTH,
    data_header,
    frame_header,
    rtt_frame,
    setup_frame,
)
from aeron_cluster.memory.shared.counters_layout cimport SYSTEM_POSSIBLE_TTL_ASYMMETRY
from aeron_cluster.memory.system.seams cimport address

cdef enum:
    PENDING_SETUP_TIMEOUT_NS = 1000000000


# The state of a session in the table.
cdef enum session_state:
    SESSION_SUBSCRIBED = 1  # the session is subscribed; nothing was received yet
    SESSION_PENDING_SETUP = 2
    SESSION_INIT_IN_PROGRESS = 3
    SESSION_ACTIVE = 4
    SESSION_COOL_DOWN = 5


cdef void dispatch_packet(
        receive_endpoint *endpoint, int32_t transport_index, const uint8_t *packet,
        int32_t length, const address *source, int64_t now_ns) noexcept nogil:
    cdef const frame_header *header = <const frame_header *>packet
    cdef int32_t least
    if length < FRAME_HEADER_LENGTH:
        drop(endpoint, FAULT_LENGTH, packet, length, source)
        return
    if header.version != FRAME_VERSION:
        drop(endpoint, FAULT_VERSION, packet, length, source)
        return
    if header.type == FRAME_DATA or header.type == FRAME_PAD:
        least = DATA_HEADER_LENGTH
    elif header.type == FRAME_SETUP:
        least = sizeof(setup_frame)
    elif header.type == FRAME_RTT_MEASUREMENT:
        least = sizeof(rtt_frame)
    else:
        return  # a type of a later version, or not for receivers
    if length < least:
        drop(endpoint, FAULT_LENGTH, packet, length, source)
    elif header.type == FRAME_SETUP:
        on_setup_packet(endpoint, transport_index, packet, source, now_ns)
    elif header.type == FRAME_RTT_MEASUREMENT:
        on_rtt_packet(endpoint, transport_index, packet, source, now_ns)
    else:
        on_data_packet(endpoint, transport_index, packet, length, source, now_ns)


cdef inline void drop(
        receive_endpoint *endpoint, int32_t why, const uint8_t *packet, int32_t length,
        const address *source) noexcept nogil:
    drop_packet(
        endpoint.events, endpoint.system_counters, endpoint.owner, why, packet, length, source)


cdef inline const address *answer_address(
        receive_endpoint *endpoint, int32_t transport_index, const address *source
) noexcept nogil:
    if endpoint.transports[transport_index].control_address.family != 0:
        return &endpoint.transports[transport_index].control_address
    return source


cdef void on_data_packet(
        receive_endpoint *endpoint, int32_t transport_index, const uint8_t *packet,
        int32_t length, const address *source, int64_t now_ns) noexcept nogil:
    cdef const data_header *header = <const data_header *>packet
    cdef receive_dispatcher *dispatcher = &endpoint.dispatcher
    cdef stream_slot *stream
    cdef stream_slot *session = table_find(
        &dispatcher.sessions, header.stream_id, header.session_id)
    if session != NULL and session.state == SESSION_ACTIVE:
        on_image_packet(
            <publication_image *>session.value, transport_index, packet, length, source, now_ns)
        return
    if session != NULL and session.state != SESSION_SUBSCRIBED or header.flags & FLAG_EOS:
        return
    stream = table_find(&dispatcher.streams, header.stream_id, 0)
    if stream == NULL or dispatcher.sessions.count >= MAX_SESSION_COUNT:
        return
    if session == NULL and not stream.is_subscribed:
        return
    if dispatcher.pending_count == MAX_PENDING_SETUP_COUNT:
        return  # too many setup frames are pending: the session's next datagram tries again
    session = table_put(
        &dispatcher.sessions, header.stream_id, header.session_id, SESSION_PENDING_SETUP)
    if session == NULL:
        return
    session.state = SESSION_PENDING_SETUP
    dispatcher.pending[dispatcher.pending_count].stream_id = header.stream_id
    dispatcher.pending[dispatcher.pending_count].session_id = header.session_id
    dispatcher.pending[dispatcher.pending_count].deadline_ns = now_ns + PENDING_SETUP_TIMEOUT_NS
    dispatcher.pending_count += 1
    elicit_setup(
        endpoint, transport_index, answer_address(endpoint, transport_index, source),
        header.session_id, header.stream_id)


cdef bint is_valid_setup(const setup_frame *frame) noexcept nogil:
    cdef int32_t term_length = frame.term_length
    if not TERM_MIN_LENGTH <= term_length <= TERM_MAX_LENGTH or term_length & (term_length - 1):
        return False
    if not 0 <= frame.term_offset <= term_length or frame.term_offset & 31:
        return False
    if not DATA_HEADER_LENGTH < frame.mtu_length <= MAX_UDP_PAYLOAD_LENGTH or (
            frame.mtu_length & 31):
        return False
    # Term ids wrap: the active one is ahead of the first by less than half their range.
    return frame.active_term_id - frame.initial_term_id >= 0


cdef void on_setup_packet(
        receive_endpoint *endpoint, int32_t transport_index, const uint8_t *packet,
        const address *source, int64_t now_ns) noexcept nogil:
    cdef const setup_frame *frame = <const setup_frame *>packet
    cdef receive_dispatcher *dispatcher = &endpoint.dispatcher
    cdef receive_transport *transport = &endpoint.transports[transport_index]
    cdef stream_slot *session
    cdef stream_slot *stream
    cdef event *slot
    if not is_valid_setup(frame):
        drop(endpoint, FAULT_CONTENT, packet, sizeof(setup_frame), source)
        return
    session = table_find(&dispatcher.sessions, frame.stream_id, frame.session_id)
    if session != NULL and session.state == SESSION_ACTIVE:
        track_connection(
            <publication_image *>session.value, transport_index,
            answer_address(endpoint, transport_index, source), now_ns)
        return
    if session != NULL and session.state > SESSION_PENDING_SETUP:
        return
    stream = table_find(&dispatcher.streams, frame.stream_id, 0)
    if stream == NULL or not stream.is_subscribed and (
            session == NULL or not session.is_subscribed):
        return
    if stream.count + stream.starting_count >= dispatcher.session_limit:
        drop(endpoint, FAULT_SESSION_LIMIT, packet, sizeof(setup_frame), source)
        return
    if session == NULL and dispatcher.sessions.count >= MAX_SESSION_COUNT:
        return
    if transport.is_multicast and transport.multicast_ttl < frame.ttl:
        count(endpoint.system_counters, SYSTEM_POSSIBLE_TTL_ASYMMETRY, 1)
    slot = claim_event(
        endpoint.events, EVENT_IMAGE_REQUESTED, endpoint.owner, endpoint.system_counters)
    if slot == NULL:
        return  # setup frames are repeated
    session = table_put(
        &dispatcher.sessions, frame.stream_id, frame.session_id, SESSION_INIT_IN_PROGRESS)
    if session == NULL:
        return
    session.state = SESSION_INIT_IN_PROGRESS
    stream.starting_count += 1
    drop_pending(dispatcher, frame.stream_id, frame.session_id)
    slot.index = transport_index
    slot.stream_id = frame.stream_id
    slot.session_id = frame.session_id
    slot.initial_term_id = frame.initial_term_id
    slot.active_term_id = frame.active_term_id
    slot.term_offset = frame.term_offset
    slot.term_length = frame.term_length
    slot.mtu_length = frame.mtu_length
    slot.ttl = frame.ttl
    slot.flags = frame.header.flags
    slot.source = source[0]
    slot.control = answer_address(endpoint, transport_index, source)[0]
    queue_publish(endpoint.events)


cdef void on_rtt_packet(
        receive_endpoint *endpoint, int32_t transport_index, const uint8_t *packet,
        const address *source, int64_t now_ns) noexcept nogil:
    cdef const rtt_frame *frame = <const rtt_frame *>packet
    cdef stream_slot *session
    if frame.receiver_id != endpoint.receiver_id and frame.receiver_id != 0:
        return
    session = table_find(&endpoint.dispatcher.sessions, frame.stream_id, frame.session_id)
    if session != NULL and session.state == SESSION_ACTIVE:
        on_image_rtt(
            <publication_image *>session.value, transport_index, packet,
            answer_address(endpoint, transport_index, source), now_ns)


cdef void drop_pending(
        receive_dispatcher *dispatcher, int32_t stream_id, int32_t session_id) noexcept nogil:
    cdef int32_t index
    for index in range(dispatcher.pending_count):
        if (dispatcher.pending[index].stream_id == stream_id
                and dispatcher.pending[index].session_id == session_id):
            dispatcher.pending_count -= 1
            dispatcher.pending[index] = dispatcher.pending[dispatcher.pending_count]
            return


# Called before the state of a session changes.
cdef inline void end_start(receive_dispatcher *dispatcher, stream_slot *session) noexcept nogil:
    cdef stream_slot *stream
    if session.state == SESSION_INIT_IN_PROGRESS:
        stream = table_find(&dispatcher.streams, session.stream_id, 0)
        if stream != NULL:
            stream.starting_count -= 1


# Reset a session to its state before anything was received.
cdef inline void reset_session(receive_dispatcher *dispatcher, stream_slot *session) noexcept nogil:
    end_start(dispatcher, session)
    session.value = NULL
    if session.is_subscribed:
        session.state = SESSION_SUBSCRIBED
    else:
        table_remove(&dispatcher.sessions, session)


cdef bint add_interest(
        receive_endpoint *endpoint, int32_t stream_id, bint has_session, int32_t session_id
) noexcept nogil:
    cdef receive_dispatcher *dispatcher = &endpoint.dispatcher
    cdef stream_slot *session
    cdef stream_slot *stream = table_put(&dispatcher.streams, stream_id, 0, 1)
    if stream == NULL:
        return False
    if not has_session:
        stream.is_subscribed = True
        return True
    session = table_put(&dispatcher.sessions, stream_id, session_id, SESSION_SUBSCRIBED)
    if session == NULL:
        return False
    session.is_subscribed = True
    return True


cdef bint has_session_interest(
        receive_dispatcher *dispatcher, int32_t stream_id) noexcept nogil:
    cdef int32_t index
    for index in range(dispatcher.sessions.capacity):
        if (dispatcher.sessions.slots[index].state != 0
                and dispatcher.sessions.slots[index].stream_id == stream_id
                and dispatcher.sessions.slots[index].is_subscribed):
            return True
    return False


cdef void remove_interest(
        receive_endpoint *endpoint, int32_t stream_id, bint has_session, int32_t session_id,
        int64_t now_ns) noexcept nogil:
    cdef receive_dispatcher *dispatcher = &endpoint.dispatcher
    cdef stream_slot *stream = table_find(&dispatcher.streams, stream_id, 0)
    cdef stream_slot *session
    cdef int32_t index = 0
    if stream == NULL:
        return
    if has_session:
        session = table_find(&dispatcher.sessions, stream_id, session_id)
        if session != NULL:
            session.is_subscribed = False
            if not stream.is_subscribed or session.state == SESSION_SUBSCRIBED:
                end_session(dispatcher, session, now_ns)
    else:
        stream.is_subscribed = False
        while index < dispatcher.sessions.capacity:
            session = &dispatcher.sessions.slots[index]
            if (session.state != 0 and session.stream_id == stream_id
                    and not session.is_subscribed):
                end_session(dispatcher, session, now_ns)  # empties the slot, or fills it again
            else:
                index += 1
    if not stream.is_subscribed and stream.count == 0 and (
            not has_session_interest(dispatcher, stream_id)):
        table_remove(&dispatcher.streams, stream)


# Forget a session without subscriptions. Its image still sends the end of the stream; a later
# subscription gets a new image at the next set-up frame.
cdef void end_session(
        receive_dispatcher *dispatcher, stream_slot *session, int64_t now_ns) noexcept nogil:
    cdef publication_image *image
    cdef stream_slot *stream
    if session.state == SESSION_ACTIVE:
        image = <publication_image *>session.value
        drain_image(image, now_ns)
        image.is_in_dispatcher = False
        stream = table_find(&dispatcher.streams, session.stream_id, 0)
        if stream != NULL:
            stream.count -= 1
    end_start(dispatcher, session)
    drop_pending(dispatcher, session.stream_id, session.session_id)
    table_remove(&dispatcher.sessions, session)


cdef bint has_interest(receive_endpoint *endpoint) noexcept nogil:
    return endpoint.dispatcher.streams.count > 0


cdef bint dispatch_to_image(publication_image *image) noexcept nogil:
    cdef receive_dispatcher *dispatcher = &image.endpoint.dispatcher
    cdef stream_slot *session = table_put(
        &dispatcher.sessions, image.stream_id, image.session_id, SESSION_ACTIVE)
    cdef stream_slot *stream = table_put(&dispatcher.streams, image.stream_id, 0, 1)
    if session == NULL or stream == NULL:
        return False
    drop_pending(dispatcher, image.stream_id, image.session_id)
    if session.state == SESSION_ACTIVE and session.value != NULL:
        (<publication_image *>session.value).is_in_dispatcher = False
        stream.count -= 1
    end_start(dispatcher, session)
    session.state = SESSION_ACTIVE
    session.value = image
    image.is_in_dispatcher = True
    stream.count += 1
    return True


cdef void forget_image(publication_image *image) noexcept nogil:
    cdef receive_dispatcher *dispatcher = &image.endpoint.dispatcher
    cdef stream_slot *session
    cdef stream_slot *stream
    if not image.is_in_dispatcher:
        return
    image.is_in_dispatcher = False
    session = table_find(&dispatcher.sessions, image.stream_id, image.session_id)
    stream = table_find(&dispatcher.streams, image.stream_id, 0)
    if stream != NULL:
        stream.count -= 1
    if session == NULL:
        return
    if image.is_end_of_stream:
        reset_session(dispatcher, session)
    elif stream != NULL and (stream.is_subscribed or session.is_subscribed):
        session.value = NULL
        session.state = SESSION_COOL_DOWN
    else:
        table_remove(&dispatcher.sessions, session)
    if stream != NULL and not stream.is_subscribed and stream.count == 0 and (
            not has_session_interest(dispatcher, image.stream_id)):
        table_remove(&dispatcher.streams, stream)


cdef void forget_state(
        receive_endpoint *endpoint, int32_t stream_id, int32_t session_id, int32_t state
) noexcept nogil:
    cdef stream_slot *session = table_find(
        &endpoint.dispatcher.sessions, stream_id, session_id)
    if session != NULL and session.state == state:
        reset_session(&endpoint.dispatcher, session)


cdef void forget_init_in_progress(
        receive_endpoint *endpoint, int32_t stream_id, int32_t session_id) noexcept nogil:
    forget_state(endpoint, stream_id, session_id, SESSION_INIT_IN_PROGRESS)


cdef void forget_cool_down(
        receive_endpoint *endpoint, int32_t stream_id, int32_t session_id) noexcept nogil:
    forget_state(endpoint, stream_id, session_id, SESSION_COOL_DOWN)


cdef int check_setups(receive_endpoint *endpoint, int64_t now_ns) noexcept nogil:
    cdef receive_dispatcher *dispatcher = &endpoint.dispatcher
    cdef receive_transport *transport
    cdef pending_setup *pending
    cdef int work_count = 0
    cdef int32_t index
    for index in range(dispatcher.pending_count - 1, -1, -1):
        pending = &dispatcher.pending[index]
        if now_ns - pending.deadline_ns < 0:
            continue
        forget_state(endpoint, pending.stream_id, pending.session_id, SESSION_PENDING_SETUP)
        dispatcher.pending_count -= 1
        pending[0] = dispatcher.pending[dispatcher.pending_count]
        work_count += 1
    for index in range(endpoint.transport_count):
        transport = &endpoint.transports[index]
        if (transport.is_polled and transport.has_explicit_control
                and now_ns - transport.setup_deadline_ns >= 0 and has_interest(endpoint)):
            transport.setup_deadline_ns = now_ns + PENDING_SETUP_TIMEOUT_NS
            elicit_setup(endpoint, index, &transport.control_address, 0, 0)
            work_count += 1
    return work_count
