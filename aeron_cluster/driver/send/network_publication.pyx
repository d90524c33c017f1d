"""A stream of the sender: data, setup frames, heartbeats, retransmits, and its receivers.

``NetworkPublication``.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from aeron_cluster.driver.send.flow_control cimport (
    MAX_RECEIVER_COUNT,
    flow_control_free,
    flow_control_init,
    has_required_receivers,
    on_error,
    on_idle,
    on_setup,
    on_status_message,
    on_trigger_setup,
)
from aeron_cluster.driver.send.retransmit cimport (
    MAX_RESEND_COUNT,
    on_nak,
    process_retransmit_timeouts,
)
from aeron_cluster.driver.send.send_endpoint cimport (
    SEND_MANUAL,
    SendEndpoint,
    destination_of_receiver,
    send_datagrams,
    send_destination,
)
from aeron_cluster.driver.streams.agent_events cimport (
    EVENT_PUBLICATION_ERROR,
    EVENT_RESPONSE_CONNECTED,
    claim_event,
    event,
)
from aeron_cluster.driver.streams.agent_queue cimport queue_publish
from aeron_cluster.driver.streams.counter_values cimport count, system_counter, value_address
from aeron_cluster.driver.streams.log_pages cimport (
    allocate_pages_ahead,
    has_all_pages,
    within_pages,
)
from aeron_cluster.driver.streams.position_set cimport (
    positions_add,
    positions_free,
    positions_max,
    positions_min,
    positions_remove,
)
from aeron_cluster.driver.streams.published_log cimport is_moving, progress_init
from aeron_cluster.driver.streams.raw_log cimport RawLog
from aeron_cluster.driver.streams.stream_state cimport STREAM_ACTIVE
from aeron_cluster.events.event_log cimport EventSource, log_resend
from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    ERROR_FLAG_HAS_GROUP_TAG,
    FLAG_EOS,
    FLAG_REVOKED,
    FLAG_UNFRAGMENTED,
    FRAME_DATA,
    FRAME_RTT_MEASUREMENT,
    FRAME_SETUP,
    FRAME_VERSION,
    RTT_FLAG_REPLY,
    SETUP_FLAG_GROUP,
    SETUP_FLAG_SEND_RESPONSE_SETUP,
    STATUS_FLAG_EOS,
    STATUS_FLAG_SEND_SETUP,
    STATUS_FRAME_WITH_TAG_LENGTH,
    compute_position,
    data_header,
    error_frame,
    index_of_position,
    nak_frame,
    rtt_frame,
    setup_frame,
    status_frame,
    term_id_of_position,
)
from aeron_cluster.logbuffer.log_buffers cimport clean_log, log_buffers, producer_position
from aeron_cluster.logbuffer.term_scanner cimport scan_for_availability
from aeron_cluster.memory.shared.atomic cimport (
    add_release_i64,
    load_acquire_i32,
    load_acquire_i64,
    load_acquire_u8,
    load_opaque_i64,
    propose_max_release_i64,
    store_release_i32,
    store_release_i64,
    store_release_u8,
)
from aeron_cluster.memory.shared.counters cimport CountersManager
from aeron_cluster.memory.shared.counters_layout cimport (
    SYSTEM_ERROR_FRAMES_RECEIVED,
    SYSTEM_HEARTBEATS_SENT,
    SYSTEM_RETRANSMITS_SENT,
    SYSTEM_RETRANSMITTED_BYTES,
    SYSTEM_RETRANSMIT_OVERFLOW,
    SYSTEM_SENDER_FLOW_CONTROL_LIMITS,
    SYSTEM_SHORT_SENDS,
)
from aeron_cluster.memory.system.invariants cimport PLACE, holds
from aeron_cluster.memory.system.seams cimport address, datagram

from aeron_cluster.errors import ConfigurationError

# Upstream's interval between setup frames is 100 ms, as is ours without group semantics. With them
# it starts at 5 ms and grows by an eighth per setup frame, so that a receiver that joins soon after
# the publication starts is set up sooner.
cdef enum:
    MIN_SETUP_INTERVAL_NS = 5000000
    MAX_SETUP_INTERVAL_NS = 100000000
    HEARTBEAT_INTERVAL_NS = 100000000
    RETRANSMIT_WINDOW_LENGTH = 131072  # the default window, regardless of the configuration


# ---- the sender's ----

cdef int send_publication(network_publication *publication, int64_t now_ns) noexcept nogil:
    cdef int64_t position = load_opaque_i64(publication.sender_position)
    cdef int sent
    if not publication.has_initial_connection or publication.is_setup_elicited:
        check_setup(publication, position, now_ns)
    sent = send_data(publication, position, now_ns)
    if sent == 0:
        sent = check_heartbeat(publication, position, now_ns)
        update_limit_when_idle(publication, position, now_ns)
        expire_receivers(publication, now_ns)
    process_retransmit_timeouts(&publication.retransmits, now_ns, resend, publication)
    return sent


cdef int send_data(
        network_publication *publication, int64_t position, int64_t now_ns) noexcept nogil:
    cdef log_buffers *log = publication.log
    cdef datagram datagrams[MAX_BATCH_COUNT]
    cdef int32_t advances[MAX_BATCH_COUNT]
    cdef int64_t window = load_opaque_i64(publication.sender_limit) - position
    cdef const uint8_t *term = log.terms[index_of_position(position, log.position_bits_to_shift)]
    cdef int32_t offset = <int32_t>(position & (log.term_length - 1))
    cdef int32_t available = 0
    cdef int32_t padding
    cdef int32_t total = 0
    cdef int item_count = 0
    cdef int sent
    cdef int item
    while window > 0 and item_count < publication.max_batch_count:
        padding = 0
        available = scan_for_availability(
            term, offset, <int32_t>min(window, <int64_t>publication.mtu_length),
            log.term_length, &padding)
        if available <= 0:
            break
        datagrams[item_count].data = <uint8_t *>term + offset
        datagrams[item_count].length = available
        datagrams[item_count].address.family = 0
        advances[item_count] = available + padding
        item_count += 1
        offset += available + padding
        window -= available + padding
        if padding > 0 or offset >= log.term_length:
            break
    if not holds(
        offset <= log.term_length, PLACE, "sent data ends within its term", offset,
        log.term_length,
    ):
        return 0
    if item_count == 0:
        if window <= 0 or available < 0:
            publication.awaits_status = True
            if publication.tracks_back_pressure:
                publication.tracks_back_pressure = False
                add_release_i64(publication.back_pressure_events, 1)
                count(publication.system_counters, SYSTEM_SENDER_FLOW_CONTROL_LIMITS, 1)
        return 0
    sent = send_datagrams(
        publication.endpoint, &publication.response_address, datagrams, item_count, now_ns)
    if not holds(
        sent <= item_count, PLACE, "no more is sent than available", sent, item_count
    ):
        return 0
    if sent < item_count:
        record_short_send(publication)
    for item in range(sent):
        total += advances[item]
    if sent > 0:
        publication.heartbeat_deadline_ns = now_ns + HEARTBEAT_INTERVAL_NS
        publication.tracks_back_pressure = True
        # Pairs with the conductor's acquire: the log before it may be cleaned.
        store_release_i64(publication.sender_position, position + total)
    return total


cdef inline void record_short_send(network_publication *publication) noexcept nogil:
    publication.awaits_status = True
    count(publication.system_counters, SYSTEM_SHORT_SENDS, 1)


cdef bint send_one(
        network_publication *publication, const void *data, int32_t length, int64_t now_ns
) noexcept nogil:
    cdef datagram item
    item.data = <uint8_t *>data
    item.length = length
    item.address.family = 0
    if send_datagrams(
            publication.endpoint, &publication.response_address, &item, 1, now_ns) == 1:
        return True
    record_short_send(publication)
    return False


cdef void check_setup(
        network_publication *publication, int64_t position, int64_t now_ns) noexcept nogil:
    cdef log_buffers *log = publication.log
    cdef setup_frame frame
    if now_ns - publication.setup_deadline_ns < 0:
        return
    publication.setup_deadline_ns = now_ns + publication.setup_interval_ns
    publication.setup_interval_ns = min(
        publication.setup_interval_ns + publication.setup_interval_ns // 8,
        <int64_t>MAX_SETUP_INTERVAL_NS)
    memset(&frame, 0, sizeof(frame))
    frame.header.frame_length = sizeof(setup_frame)
    frame.header.version = FRAME_VERSION
    frame.header.type = FRAME_SETUP
    if publication.has_group_semantics:
        frame.header.flags |= SETUP_FLAG_GROUP
    if publication.response_correlation_id != -1 and not publication.is_response:
        frame.header.flags |= SETUP_FLAG_SEND_RESPONSE_SETUP
    frame.term_offset = <int32_t>(position & (log.term_length - 1))
    frame.session_id = publication.session_id
    frame.stream_id = publication.stream_id
    frame.initial_term_id = log.initial_term_id
    frame.active_term_id = term_id_of_position(
        position, log.position_bits_to_shift, log.initial_term_id)
    frame.term_length = log.term_length
    frame.mtu_length = publication.mtu_length
    frame.ttl = publication.multicast_ttl
    send_one(publication, &frame, sizeof(frame), now_ns)
    if publication.is_setup_elicited:
        on_setup(
            &publication.flow_control, load_opaque_i64(publication.sender_limit), now_ns)
        if publication.receiver_count > 0:
            publication.is_setup_elicited = False


cdef int check_heartbeat(
        network_publication *publication, int64_t position, int64_t now_ns) noexcept nogil:
    # The end of a stream is sent with a heartbeat, so at least an interval after the last data. In
    # that time all readers of an image reach its last position: Java's archive closes an image at
    # its end, and then no longer signals SYNC for that position.
    if not publication.has_initial_connection or now_ns - publication.heartbeat_deadline_ns < 0:
        return 0
    return send_heartbeat(publication, position, now_ns)


cdef int send_heartbeat(
        network_publication *publication, int64_t position, int64_t now_ns) noexcept nogil:
    cdef log_buffers *log = publication.log
    cdef data_header frame
    cdef bint is_end = load_acquire_u8(&publication.is_end_of_stream)
    publication.heartbeat_deadline_ns = now_ns + HEARTBEAT_INTERVAL_NS
    memset(&frame, 0, sizeof(frame))
    frame.version = FRAME_VERSION
    frame.flags = FLAG_UNFRAGMENTED
    if load_acquire_u8(&log.metadata.is_publication_revoked):
        frame.flags |= FLAG_EOS | FLAG_REVOKED
    elif publication.signals_end_of_stream and is_end:
        frame.flags |= FLAG_EOS
    frame.type = FRAME_DATA
    frame.term_offset = <int32_t>(position & (log.term_length - 1))
    frame.session_id = publication.session_id
    frame.stream_id = publication.stream_id
    frame.term_id = term_id_of_position(
        position, log.position_bits_to_shift, log.initial_term_id)
    if not send_one(publication, &frame, sizeof(frame), now_ns):
        return 0
    publication.is_end_sent = is_end
    count(publication.system_counters, SYSTEM_HEARTBEATS_SENT, 1)
    return sizeof(frame)


cdef void send_unsent_end(network_publication *publication, int64_t now_ns) noexcept nogil:
    if (publication.has_initial_connection and not publication.is_end_sent
            and load_acquire_u8(&publication.is_end_of_stream)):
        send_heartbeat(publication, load_opaque_i64(publication.sender_position), now_ns)


cdef void update_limit_when_idle(
        network_publication *publication, int64_t position, int64_t now_ns) noexcept nogil:
    cdef int64_t limit
    if (publication.spies_simulate_connection and publication.receiver_count == 0
            and load_acquire_i32(&publication.spies.count) > 0):
        position = positions_max(&publication.spies, position)
        propose_max_release_i64(publication.sender_position, position)
        limit = on_idle(&publication.flow_control, position, now_ns)
    else:
        limit = on_idle(
            &publication.flow_control, load_opaque_i64(publication.sender_limit), now_ns)
    publish_limit(publication, limit)


cdef inline void publish_limit(network_publication *publication, int64_t limit) noexcept nogil:
    if limit != load_opaque_i64(publication.sender_limit):
        store_release_i64(publication.sender_limit, limit)
    store_release_u8(
        &publication.has_required_receivers, has_required_receivers(&publication.flow_control))


cdef void expire_receivers(network_publication *publication, int64_t now_ns) noexcept nogil:
    cdef int32_t index
    if not holds(
        0 <= publication.receiver_count <= MAX_RECEIVER_COUNT, PLACE, "each receiver has an entry",
        publication.receiver_count, MAX_RECEIVER_COUNT,
    ):
        return
    for index in range(publication.receiver_count - 1, -1, -1):
        if now_ns - (publication.receivers[index].time_ns + publication.connection_timeout_ns) > 0:
            drop_receiver(publication, index)
    if publication.receiver_count == 0 and publication.has_receivers:
        store_release_u8(&publication.has_receivers, False)


cdef inline void drop_receiver(network_publication *publication, int32_t index) noexcept nogil:
    publication.receiver_count -= 1
    publication.receivers[index] = publication.receivers[publication.receiver_count]


cdef inline int32_t index_of_receiver(
        network_publication *publication, int64_t receiver_id) noexcept nogil:
    cdef int32_t index
    for index in range(publication.receiver_count):
        if publication.receivers[index].receiver_id == receiver_id:
            return index
    return -1


cdef void resend(
        void *context, int32_t term_id, int32_t term_offset, int32_t length) noexcept nogil:
    cdef network_publication *publication = <network_publication *>context
    cdef log_buffers *log = publication.log
    cdef int64_t sender = load_opaque_i64(publication.sender_position)
    cdef int64_t position = compute_position(
        term_id, term_offset, log.position_bits_to_shift, log.initial_term_id)
    cdef int64_t bottom = sender - log.term_length // 2 - log.max_message_length
    cdef const uint8_t *term
    cdef const data_header *frame
    cdef int32_t available
    cdef int32_t padding
    cdef int64_t total = 0
    if position < 0 or position < bottom or position >= sender or term_offset & 31:
        return
    term = log.terms[index_of_position(position, log.position_bits_to_shift)]
    frame = <const data_header *>(term + term_offset)
    if frame.term_offset != term_offset or frame.term_id != term_id:
        return  # within a frame: there is no frame header at this offset
    log_resend(&publication.events, term_id, term_offset, length)
    # Each iteration sends at least one frame, so it ends with the term.
    while total < length and position + total < sender:
        padding = 0
        available = scan_for_availability(
            term, term_offset, publication.mtu_length, log.term_length, &padding)
        if available <= 0 or not send_one(publication, term + term_offset, available, 0):
            break
        term_offset += available + padding
        total += available + padding
        if term_offset >= log.term_length:
            break
    count(publication.system_counters, SYSTEM_RETRANSMITS_SENT, 1)
    count(publication.system_counters, SYSTEM_RETRANSMITTED_BYTES, total)


cdef inline int64_t status_position(
        network_publication *publication, const status_frame *frame) noexcept nogil:
    return compute_position(
        frame.consumption_term_id, frame.consumption_term_offset,
        publication.log.position_bits_to_shift, publication.log.initial_term_id)


cdef bint is_status_rejected(
        network_publication *publication, const uint8_t *packet) noexcept nogil:
    cdef const status_frame *frame = <const status_frame *>packet
    cdef int64_t distance
    if frame.header.flags & STATUS_FLAG_SEND_SETUP:
        return False
    distance = status_position(publication, frame) - load_opaque_i64(publication.sender_position)
    return (distance if distance >= 0 else -distance) > publication.log.term_length // 2


cdef void on_publication_status(
        network_publication *publication, const uint8_t *packet, int32_t length,
        const address *source, int64_t now_ns) noexcept nogil:
    cdef const status_frame *frame = <const status_frame *>packet
    cdef bint has_tag = (
        length >= STATUS_FRAME_WITH_TAG_LENGTH
        and frame.header.frame_length >= STATUS_FRAME_WITH_TAG_LENGTH)
    cdef bint is_end_of_stream = (frame.header.flags & STATUS_FLAG_EOS) != 0
    cdef int64_t group_tag = 0
    cdef int64_t limit
    if has_tag:
        memcpy(&group_tag, packet + sizeof(status_frame), sizeof(group_tag))
    if frame.header.flags & STATUS_FLAG_SEND_SETUP:
        if not load_acquire_u8(&publication.is_end_of_stream):
            publication.is_setup_elicited = True
            on_trigger_setup(&publication.flow_control, has_tag, group_tag, now_ns)
        if publication.is_response:
            publication.response_address = source[0]
        return
    track_receiver(publication, frame.receiver_id, is_end_of_stream, now_ns)
    publication.has_initial_connection = True
    limit = on_status_message(
        &publication.flow_control, status_position(publication, frame),
        # Receivers request half a term at most. The bound is looser, but a forged window still
        # cannot end flow control.
        min(max(frame.receiver_window_length, 0), publication.log.term_length),
        frame.receiver_id, is_end_of_stream, has_tag, group_tag,
        load_opaque_i64(publication.sender_limit), now_ns)
    publish_limit(publication, limit)
    write_connected(publication, has_subscribers(publication))


cdef void track_receiver(
        network_publication *publication, int64_t receiver_id, bint is_end_of_stream,
        int64_t now_ns) noexcept nogil:
    cdef int32_t index = index_of_receiver(publication, receiver_id)
    cdef bint has_receivers
    cdef event *slot
    if is_end_of_stream:
        if index >= 0:
            drop_receiver(publication, index)
        if not publication.has_group_semantics:
            store_release_u8(&publication.has_unicast_end_of_stream, True)
    else:
        # Another receiver may still need retransmits.
        store_release_u8(&publication.has_unicast_end_of_stream, False)
        if index >= 0:
            publication.receivers[index].time_ns = now_ns
        elif publication.receiver_count < MAX_RECEIVER_COUNT:
            publication.receivers[publication.receiver_count].receiver_id = receiver_id
            publication.receivers[publication.receiver_count].time_ns = now_ns
            publication.receiver_count += 1
    has_receivers = publication.receiver_count > 0
    if has_receivers == publication.has_receivers:
        return
    if has_receivers and publication.is_response and publication.endpoint.events != NULL:
        slot = claim_event(
            publication.endpoint.events, EVENT_RESPONSE_CONNECTED, publication.owner,
            publication.system_counters)
        if slot == NULL:
            return  # the next status message repeats it
        queue_publish(publication.endpoint.events)
    store_release_u8(&publication.has_receivers, has_receivers)


cdef bint on_publication_nak(
        network_publication *publication, const uint8_t *packet, int64_t now_ns) noexcept nogil:
    cdef const nak_frame *frame = <const nak_frame *>packet
    cdef int32_t window = min(RETRANSMIT_WINDOW_LENGTH, publication.log.term_length // 2)
    cdef int64_t max_length = (
        <int64_t>window * publication.flow_control.retransmit_window_multiple)
    add_release_i64(publication.naks_received, 1)
    if (frame.length < 0 or not (
            0 <= frame.term_offset <= publication.log.term_length - DATA_HEADER_LENGTH)):
        return False
    on_nak(
        &publication.retransmits, frame.term_id, frame.term_offset, frame.length,
        publication.log.term_length,
        <int32_t>min(max_length, <int64_t>publication.log.term_length), now_ns, resend,
        publication)
    return True


cdef void on_publication_error(
        network_publication *publication, const uint8_t *packet, int32_t length,
        const address *source, int64_t now_ns) noexcept nogil:
    cdef const error_frame *frame = <const error_frame *>packet
    cdef bint has_tag = (frame.header.flags & ERROR_FLAG_HAS_GROUP_TAG) != 0
    cdef int32_t index = index_of_receiver(publication, frame.receiver_id)
    cdef int32_t text_length
    cdef send_destination *destination
    cdef event *slot = NULL
    count(publication.system_counters, SYSTEM_ERROR_FRAMES_RECEIVED, 1)
    on_error(&publication.flow_control, frame.receiver_id, has_tag, frame.group_tag)
    if index < 0:
        return
    if publication.endpoint.events != NULL:
        slot = claim_event(
            publication.endpoint.events, EVENT_PUBLICATION_ERROR, publication.owner,
            publication.system_counters)
        if slot == NULL:
            return  # the receiver's next error frame repeats it
    drop_receiver(publication, index)
    if slot == NULL:
        return
    text_length = min(frame.error_length, length - <int32_t>sizeof(error_frame))
    text_length = min(max(text_length, 0), 1023)
    slot.session_id = frame.session_id
    slot.stream_id = frame.stream_id
    slot.receiver_id = frame.receiver_id
    slot.has_group_tag = has_tag
    slot.group_tag = frame.group_tag
    slot.error_code = frame.error_code
    slot.source = source[0]
    slot.id = -1
    if publication.endpoint.mode == SEND_MANUAL:
        destination = destination_of_receiver(publication.endpoint, frame.receiver_id, source)
        if destination != NULL:
            slot.id = destination.registration_id
    slot.text_length = text_length
    memcpy(slot.text, packet + sizeof(error_frame), text_length)
    queue_publish(publication.endpoint.events)


cdef void on_publication_rtt(
        network_publication *publication, const uint8_t *packet, int64_t now_ns) noexcept nogil:
    cdef const rtt_frame *frame = <const rtt_frame *>packet
    cdef rtt_frame reply
    if not frame.header.flags & RTT_FLAG_REPLY:
        return
    memset(&reply, 0, sizeof(reply))
    reply.header.frame_length = sizeof(rtt_frame)
    reply.header.version = FRAME_VERSION
    reply.header.type = FRAME_RTT_MEASUREMENT
    reply.session_id = publication.session_id
    reply.stream_id = publication.stream_id
    reply.echo_timestamp_ns = frame.echo_timestamp_ns
    reply.receiver_id = frame.receiver_id
    send_one(publication, &reply, sizeof(reply), now_ns)


# ---- the conductor's ----

cdef inline bint has_subscribers(network_publication *publication) noexcept nogil:
    if (publication.spies_simulate_connection
            and load_acquire_i32(&publication.spies.count) > 0):
        return True
    return (load_acquire_u8(&publication.has_receivers)
            and load_acquire_u8(&publication.has_required_receivers))


# Written by the sender and by the conductor: either may be late by a duty cycle, but not longer.
cdef inline void write_connected(
        network_publication *publication, bint is_connected) noexcept nogil:
    if load_acquire_i32(&publication.log.metadata.is_connected) != is_connected:
        store_release_i32(&publication.log.metadata.is_connected, is_connected)


cdef bint check_network_publication(
        network_publication *publication, int64_t now_ns) noexcept nogil:
    if (
        publication.state != STREAM_ACTIVE
        or load_acquire_u8(&publication.log.metadata.is_publication_revoked)
    ):
        return False
    write_connected(publication, has_subscribers(publication))
    return publication.progress.is_exclusive or is_moving(
        &publication.progress, publication.log, load_acquire_i64(publication.sender_position),
        now_ns)


cdef int update_publication_limits(network_publication *publication) noexcept nogil:
    cdef log_buffers *log = publication.log
    cdef int64_t producer = producer_position(log)
    cdef int64_t sender
    cdef int64_t consumer
    cdef int64_t limit
    cdef int work_count = 0
    if producer != load_opaque_i64(publication.publisher_position):
        store_release_i64(publication.publisher_position, producer)
    if publication.state != STREAM_ACTIVE:
        return 0
    sender = load_acquire_i64(publication.sender_position)
    if not holds(
        publication.clean_position <= sender, PLACE, "unsent data is not cleaned",
        publication.clean_position, sender,
    ):
        return 0
    if has_subscribers(publication):
        consumer = positions_min(&publication.spies, sender)
        limit = consumer + publication.window_length
        if not has_all_pages(publication.pages):
            work_count = allocate_pages_ahead(publication.pages, producer, limit)
            limit = within_pages(publication.pages, limit)
        if limit <= load_opaque_i64(publication.publisher_limit):
            return work_count
        clean(publication, consumer - log.term_length)
        if is_dirty_ahead(publication, limit):
            return work_count
        store_release_i64(publication.publisher_limit, limit)
        return 1
    if load_opaque_i64(publication.publisher_limit) > sender:
        write_connected(publication, False)
        store_release_i64(publication.publisher_limit, sender)
        clean(publication, sender - log.term_length)
        return 1
    return 0


cdef inline void clean(network_publication *publication, int64_t limit) noexcept nogil:
    if limit > publication.clean_position:
        publication.clean_position = clean_log(
            publication.log, publication.clean_position, limit)


# The limit must not enter a term with a partition that is not cleaned yet.
cdef inline bint is_dirty_ahead(network_publication *publication, int64_t limit) noexcept nogil:
    cdef log_buffers *log = publication.log
    cdef int64_t distance = (
        (limit >> log.position_bits_to_shift)
        - (publication.clean_position >> log.position_bits_to_shift))
    if distance < 2:
        return False
    return distance > 2 or publication.clean_position & (log.term_length - 1) == 0


@cython.final
cdef class NetworkPublication(PublishedLog):
    """One stream of the sender: the struct shared by the agents, and the conductor's calls.

    It starts in ACTIVE and unconnected, with all positions at `start_position`.
    """

    def __cinit__(
        self,
        RawLog log not None,
        CountersManager counters not None,
        SendEndpoint endpoint not None,
        flow_control not None,
        *,
        int64_t registration_id,
        int32_t session_id,
        int32_t stream_id,
        int32_t mtu_length,
        int32_t window_length,
        int64_t start_position,
        int32_t publisher_position_id,
        int32_t publisher_limit_id,
        int32_t sender_position_id,
        int32_t sender_limit_id,
        int32_t back_pressure_id,
        int32_t naks_received_id,
        int32_t flow_control_receivers_id=-1,
        bint is_exclusive,
        bint signals_end_of_stream=True,
        bint spies_simulate_connection=False,
        int32_t max_batch_count=8,
        bint is_response=False,
        int64_t response_correlation_id=-1,
        int32_t multicast_ttl=0,
        int32_t max_resend=16,
        int64_t retransmit_delay_ns=0,
        int64_t retransmit_linger_ns=10_000_000,
        int64_t connection_timeout_ns=5_000_000_000,
        int64_t unblock_timeout_ns=15_000_000_000,
        int64_t now_ns,
        EventSource events=None,
    ):
        cdef network_publication *c
        if not 1 <= max_resend <= MAX_RESEND_COUNT:
            raise ConfigurationError("max-resend", "1 to 256", max_resend)
        c = <network_publication *>calloc(1, sizeof(network_publication))
        if c == NULL:
            raise MemoryError
        self.c = c
        c.log = log.pointer()
        c.pages = &log.pages
        c.endpoint = &endpoint.c
        c.owner = <void *>self
        self._log = log
        self._counters = counters
        self._endpoint = endpoint
        self._progress = &c.progress
        self.registration_id = c.registration_id = registration_id
        c.response_correlation_id = response_correlation_id
        self.session_id = c.session_id = session_id
        self.stream_id = c.stream_id = stream_id
        c.mtu_length = mtu_length
        c.multicast_ttl = multicast_ttl
        c.window_length = window_length
        c.signals_end_of_stream = signals_end_of_stream
        c.spies_simulate_connection = spies_simulate_connection
        c.is_response = is_response
        c.max_batch_count = min(max(max_batch_count, 1), <int32_t>MAX_BATCH_COUNT)
        c.has_group_semantics = endpoint.c.has_group_semantics
        c.connection_timeout_ns = connection_timeout_ns
        self._system_counters = c.system_counters = <uint8_t *>value_address(counters, 0)
        c.publisher_position = value_address(counters, publisher_position_id)
        c.publisher_limit = value_address(counters, publisher_limit_id)
        c.sender_position = value_address(counters, sender_position_id)
        c.sender_limit = value_address(counters, sender_limit_id)
        c.back_pressure_events = value_address(counters, back_pressure_id)
        c.naks_received = value_address(counters, naks_received_id)
        if events is not None:
            self._events = events
            c.events = events.c
        flow_control_init(
            &c.flow_control, flow_control, counters, flow_control_receivers_id, &c.events)
        c.receivers = <live_receiver *>calloc(MAX_RECEIVER_COUNT, sizeof(live_receiver))
        if c.receivers == NULL:
            raise MemoryError
        c.retransmits.has_group_semantics = c.has_group_semantics
        c.retransmits.action_count = max_resend if c.has_group_semantics else 1
        c.retransmits.delay_ns = retransmit_delay_ns
        c.retransmits.linger_ns = retransmit_linger_ns
        c.retransmits.overflows = system_counter(c.system_counters, SYSTEM_RETRANSMIT_OVERFLOW)
        c.setup_deadline_ns = now_ns
        c.setup_interval_ns = (
            MIN_SETUP_INTERVAL_NS if c.has_group_semantics else MAX_SETUP_INTERVAL_NS)
        c.heartbeat_deadline_ns = now_ns
        c.has_required_receivers = has_required_receivers(&c.flow_control)
        c.state = STREAM_ACTIVE
        c.clean_position = start_position
        progress_init(&c.progress, start_position, unblock_timeout_ns, is_exclusive, now_ns)
        store_release_i64(c.publisher_position, start_position)
        store_release_i64(c.publisher_limit, start_position)
        store_release_i64(c.sender_limit, start_position)
        store_release_i64(c.sender_position, start_position)

    def __dealloc__(self):
        if self.c != NULL:
            positions_free(&self.c.spies)
            flow_control_free(&self.c.flow_control)
            free(self.c.receivers)
            free(self.c)
            self.c = NULL

    cdef network_publication *_open(self) except NULL:
        self._check_open()
        return self.c

    cdef int64_t _read_position(self) noexcept:
        return load_acquire_i64(self.c.sender_position)

    @property
    def response_correlation_id(self):
        return self.c.response_correlation_id

    @property
    def endpoint(self):
        return self._endpoint

    @property
    def state(self):
        """Return a ``StreamState``, which only the conductor reads and writes."""
        return self.c.state

    @state.setter
    def state(self, int32_t value):
        self.c.state = value

    @property
    def linger_start_ns(self):
        """Return when the publication entered LINGER, in ns."""
        return self.c.linger_start_ns

    @linger_start_ns.setter
    def linger_start_ns(self, int64_t value):
        self.c.linger_start_ns = value

    @property
    def sender_position(self):
        return load_acquire_i64(self._open().sender_position)

    @property
    def sender_limit(self):
        return load_acquire_i64(self._open().sender_limit)

    @property
    def publisher_limit(self):
        return load_acquire_i64(self._open().publisher_limit)

    @property
    def clean_position(self):
        return self.c.clean_position

    @property
    def has_receivers(self):
        """Return whether a status message was received within the connection timeout."""
        return load_acquire_u8(&self.c.has_receivers) == 1

    @property
    def has_subscribers(self):
        """Return whether there are receivers (with the required group), or spies in their place."""
        return bool(has_subscribers(self.c))

    @property
    def has_unicast_end_of_stream(self):
        """Return whether the one receiver acknowledged the end of the stream."""
        return load_acquire_u8(&self.c.has_unicast_end_of_stream) == 1

    @property
    def is_end_of_stream(self):
        return load_acquire_u8(&self.c.is_end_of_stream) == 1

    def set_end_of_stream(self):
        """Set the end of the stream in the sender's heartbeats."""
        store_release_u8(&self.c.is_end_of_stream, True)

    def set_publisher_limit(self, int64_t position):
        """Set the limit, regardless of the receivers' windows."""
        store_release_i64(self._open().publisher_limit, position)

    def update_connected(self):
        """Write the connected flag of the log; return it."""
        cdef network_publication *c = self._open()
        cdef bint is_connected = has_subscribers(c)
        write_connected(c, is_connected)
        return bool(is_connected)

    def set_connected(self, bint is_connected):
        """Set the connected flag of the log, regardless of its receivers."""
        write_connected(self._open(), is_connected)

    def add_spy(self, int32_t counter_id):
        """Include a spy's position in the publisher's limit."""
        if positions_add(&self._open().spies, value_address(self._counters, counter_id)) < 0:
            raise MemoryError

    def remove_spy(self, int32_t counter_id):
        """Remove a spy's position."""
        positions_remove(&self._open().spies, value_address(self._counters, counter_id))

    def are_spies_at(self, int64_t position):
        """Return whether every spy has consumed up to a position."""
        return positions_min(&self._open().spies, position) >= position

    def update_limits(self):
        """Publish the publisher's position and limit, clean consumed terms; return a work count."""
        return update_publication_limits(self._open())
