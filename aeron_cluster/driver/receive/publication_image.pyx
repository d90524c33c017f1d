"""A stream that the receiver rebuilds from datagrams.

``PublicationImage``. The receiver inserts packets and moves the high-water mark; the conductor
follows with the rebuild position and schedules, under a change number, status messages and NAKs for
the receiver to send.
"""
cimport cython
from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from aeron_cluster.driver.receive.congestion_control cimport (
    CONGESTION_CONTROL_STATIC,
    congestion_control_init,
    on_rtt_measurement,
    should_measure_rtt,
    update_window,
)
from aeron_cluster.driver.receive.loss_detector cimport LOSS_DUE, LOSS_FOUND, detect_loss
from aeron_cluster.driver.receive.loss_report cimport LossReport, create_loss_entry, record_loss
from aeron_cluster.driver.receive.receive_endpoint cimport (
    MAX_TRANSPORT_COUNT,
    ReceiveEndpoint,
    send_error,
    send_nak,
    send_response_setup,
    send_rtt,
    send_status,
)
from aeron_cluster.driver.streams.agent_events cimport FAULT_CONTENT, TEXT_CAPACITY, drop_packet
from aeron_cluster.driver.streams.counter_values cimport count, value_address
from aeron_cluster.driver.streams.log_pages cimport (
    ALLOCATION_LENGTH,
    allocate_next_pages,
    has_all_pages,
    log_pages,
)
from aeron_cluster.driver.streams.position_set cimport (
    positions_add,
    positions_free,
    positions_max,
    positions_min,
    positions_remove,
)
from aeron_cluster.driver.streams.raw_log cimport RawLog
from aeron_cluster.driver.streams.stream_state cimport STREAM_ACTIVE, STREAM_DRAINING, STREAM_INIT
from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FLAG_EOS,
    FLAG_REVOKED,
    RTT_FLAG_REPLY,
    STATUS_FLAG_EOS,
    compute_position,
    data_header,
    rtt_frame,
    term_id_of_position,
)
from aeron_cluster.logbuffer.gap_scanner cimport gap, scan_loss
from aeron_cluster.logbuffer.log_buffers cimport clean_log, log_buffers
from aeron_cluster.logbuffer.term_rebuilder cimport (
    INSERT_INVALID,
    insert_packet,
    insert_padding,
    packet_extent,
    skip_to,
    term_rebuilder_free,
    term_rebuilder_init,
)
from aeron_cluster.memory.shared.atomic cimport (
    add_release_i64,
    compare_and_set_i32,
    fence_acquire,
    fence_release,
    load_acquire_i32,
    load_acquire_i64,
    load_acquire_u8,
    load_opaque_i64,
    propose_max_release_i64,
    store_opaque_i64,
    store_release_i32,
    store_release_i64,
    store_release_u8,
)
from aeron_cluster.memory.shared.counters cimport CountersManager
from aeron_cluster.memory.shared.counters_layout cimport (
    SYSTEM_ERROR_FRAMES_SENT,
    SYSTEM_FLOW_CONTROL_OVER_RUNS,
    SYSTEM_FLOW_CONTROL_UNDER_RUNS,
    SYSTEM_HEARTBEATS_RECEIVED,
    SYSTEM_IMAGES_REJECTED,
    SYSTEM_LOSS_GAP_FILLS,
    SYSTEM_NAKS_SENT,
    SYSTEM_PUBLICATION_IMAGES_REVOKED,
    SYSTEM_STATUS_MESSAGES_SENT,
)
from aeron_cluster.memory.system.invariants cimport PLACE, holds
from aeron_cluster.memory.system.seams cimport (
    Clock,
    address,
    address_equals,
    address_from,
    clock as c_clock,
    epoch_ms,
    nano_time,
)

from aeron_cluster.errors import ConfigurationError

# Not an enumerator: one beyond the range of int would make its expressions unsigned.
cdef int64_t CONNECTION_TIMEOUT_NS = 5_000_000_000

cdef enum:
    ERROR_IMAGE_REJECTED = 13
    NO_CHANGE = -1
    LOSS_TIMEOUT_MULTIPLE = 3  # of the liveness timeout: of a gap that is not filled


# ---- the receiver's ----

cdef void on_image_packet(
        publication_image *image, int32_t transport_index, const uint8_t *packet, int32_t length,
        const address *source, int64_t now_ns) noexcept nogil:
    cdef const data_header *header = <const data_header *>packet
    cdef log_buffers *log = image.log
    cdef bint is_heartbeat = length == DATA_HEADER_LENGTH and header.frame_length == 0
    cdef int64_t position
    cdef int64_t proposed
    cdef int32_t extent
    if load_acquire_u8(&image.is_rejected):
        return
    if not holds(
        0 <= transport_index < MAX_TRANSPORT_COUNT, PLACE, "each transport has an entry",
        transport_index, MAX_TRANSPORT_COUNT,
    ):
        return
    if not 0 <= header.term_offset < log.term_length or header.term_offset & 31:
        drop_packet(
            image.endpoint.events, image.system_counters, image.endpoint.owner, FAULT_CONTENT,
            packet, length, source)
        return
    position = compute_position(
        header.term_id, header.term_offset, log.position_bits_to_shift, log.initial_term_id)
    proposed = position if is_heartbeat else position + length
    if proposed > image.last_overrun_threshold or proposed > load_acquire_i64(
            &image.writable_end):
        count(image.system_counters, SYSTEM_FLOW_CONTROL_OVER_RUNS, 1)
        return
    if is_heartbeat:
        if position < max(<int64_t>0, image.last_status_position - log.term_length):
            count(image.system_counters, SYSTEM_FLOW_CONTROL_UNDER_RUNS, 1)
            return
        note_activity(image, transport_index, position, source, now_ns)
        if position == image.rebuilder.contiguous_position:
            image.stall_ns = now_ns  # the sender sent nothing that is missing here
        if header.flags & FLAG_EOS:
            on_end_of_stream(image, transport_index, position, header.flags)
        propose_max_release_i64(image.high_water_mark, position)
        count(image.system_counters, SYSTEM_HEARTBEATS_RECEIVED, 1)
        return
    if position < image.last_status_position:
        count(image.system_counters, SYSTEM_FLOW_CONTROL_UNDER_RUNS, 1)
        if position >= image.last_status_position - image.max_window_length:
            track_connection(image, transport_index, source, now_ns)
        if position + packet_extent(packet, length, log.term_length) > (
                image.rebuilder.contiguous_position):
            image.conflict_position = image.rebuilder.contiguous_position
        return
    extent = packet_extent(packet, length, log.term_length)
    if extent == 0:
        drop_packet(
            image.endpoint.events, image.system_counters, image.endpoint.owner, FAULT_CONTENT,
            packet, length, source)
        return
    if insert_packet(&image.rebuilder, position, packet, length, extent) == INSERT_INVALID:
        image.conflict_position = image.rebuilder.contiguous_position
        drop_packet(
            image.endpoint.events, image.system_counters, image.endpoint.owner, FAULT_CONTENT,
            packet, length, source)
        return
    note_activity(image, transport_index, proposed, source, now_ns)
    # Pairs with the conductor's acquire: all frames below it are in the term.
    propose_max_release_i64(image.high_water_mark, proposed)


# A packet keeps the image, with two exceptions, after which only a new image helps:
# - It ends before the complete part of the stream. A sender sends such ones beside others, as
#   retransmissions. If all are, frames were forged ahead of the sender: what it sends is skipped.
# - Its source is not the address of replies. Then a setup frame was forged, and the sender gets no
#   status messages.
# With several destinations one of several senders may be behind the others, and keeps the image
# when these have ended.
cdef inline void note_activity(
        publication_image *image, int32_t transport_index, int64_t end_position,
        const address *source, int64_t now_ns) noexcept nogil:
    track_connection(image, transport_index, source, now_ns)
    if has_several_senders(image) or end_position >= image.rebuilder.contiguous_position and (
            image.endpoint.transports[transport_index].control_address.family != 0
            or address_equals(&image.connections[transport_index].control_address, source)):
        image.last_packet_ns = now_ns


# Without those of removed transports, as a member's after it caught up with its leader.
cdef inline bint has_several_senders(publication_image *image) noexcept nogil:
    cdef int32_t index
    cdef int32_t used_count = 0
    if image.connection_count == 1:
        return False
    for index in range(image.connection_count):
        used_count += image.connections[index].is_used
    return used_count > 1


# Whether the sender is ahead of the complete part of the stream, and its end stays the same: the
# sender cannot retransmit from within a frame, where forged frames may end. Only a new image helps.
# Without a conflict that may be the loss of NAKs, so it takes longer.
cdef inline bint is_stuck(publication_image *image, int64_t now_ns) noexcept nogil:
    cdef int64_t position = image.rebuilder.contiguous_position
    cdef int64_t timeout_ns = image.liveness_timeout_ns
    if (position != image.stall_position
            or load_opaque_i64(image.high_water_mark) <= position):
        image.stall_position = position
        image.stall_ns = now_ns
        return False
    if position != image.conflict_position:
        timeout_ns *= LOSS_TIMEOUT_MULTIPLE
    return now_ns - (image.stall_ns + timeout_ns) > 0


cdef void track_connection(
        publication_image *image, int32_t transport_index, const address *source, int64_t now_ns
) noexcept nogil:
    cdef image_connection *connection = &image.connections[transport_index]
    if not connection.is_used:
        add_connection(image, transport_index, source, now_ns)
    connection.last_activity_ns = now_ns
    connection.last_frame_ns = now_ns


cdef void add_connection(
        publication_image *image, int32_t transport_index, const address *remote, int64_t now_ns
) noexcept nogil:
    cdef image_connection *connection = &image.connections[transport_index]
    memset(connection, 0, sizeof(image_connection))
    connection.is_used = True
    connection.last_activity_ns = now_ns
    connection.last_frame_ns = now_ns
    # An explicit control address comes first; otherwise replies are sent to the source.
    if image.endpoint.transports[transport_index].control_address.family != 0:
        connection.control_address = image.endpoint.transports[transport_index].control_address
    else:
        connection.control_address = remote[0]
    if transport_index >= image.connection_count:
        image.connection_count = transport_index + 1


cdef void drop_connection(publication_image *image, int32_t transport_index) noexcept nogil:
    memset(&image.connections[transport_index], 0, sizeof(image_connection))


cdef void on_end_of_stream(
        publication_image *image, int32_t transport_index, int64_t position, uint8_t flags
) noexcept nogil:
    cdef image_connection *connection = &image.connections[transport_index]
    cdef int64_t end = position
    cdef int32_t index
    connection.is_end_of_stream = True
    connection.end_of_stream_position = position
    if image.is_end_of_stream:
        return
    for index in range(image.connection_count):
        connection = &image.connections[index]
        if connection.is_used:
            if not connection.is_end_of_stream:
                return
            if connection.end_of_stream_position > end:
                end = connection.end_of_stream_position
    image.is_end_of_stream = True
    if flags & FLAG_REVOKED:
        store_release_u8(&image.log.metadata.is_publication_revoked, 1)
        count(image.system_counters, SYSTEM_PUBLICATION_IMAGES_REVOKED, 1)
    # Pairs with the subscriber's acquire; the revoked flag is already stored.
    store_release_i64(&image.log.metadata.end_of_stream_position, end)


cdef void on_image_rtt(
        publication_image *image, int32_t transport_index, const uint8_t *packet,
        const address *source, int64_t now_ns) noexcept nogil:
    cdef const rtt_frame *frame = <const rtt_frame *>packet
    if frame.header.flags & RTT_FLAG_REPLY:
        send_rtt(
            image.endpoint, transport_index, source, image.session_id, image.stream_id,
            frame.echo_timestamp_ns, image.endpoint.receiver_id, 0)
    elif frame.echo_timestamp_ns == image.congestion.last_rtt_request_ns:
        # The result is not used here: the window is updated separately.
        on_rtt_measurement(
            &image.congestion, now_ns - frame.echo_timestamp_ns - frame.reception_delta_ns)


cdef bint is_image_connected(publication_image *image, int64_t now_ns) noexcept nogil:
    if load_acquire_u8(&image.is_release_requested):
        return False
    if is_stuck(image, now_ns):
        return False
    return now_ns - (image.last_packet_ns + image.liveness_timeout_ns) <= 0


cdef void drain_image(publication_image *image, int64_t now_ns) noexcept nogil:
    cdef int32_t state = load_acquire_i32(&image.state)
    # The conductor may activate the image at the same time: check once more.
    while state <= STREAM_ACTIVE:
        if compare_and_set_i32(&image.state, state, STREAM_DRAINING):
            store_release_u8(&image.is_rebuilding, False)
            store_release_i64(&image.state_change_ns, now_ns)
            return
        state = load_acquire_i32(&image.state)


cdef int run_image(publication_image *image, int64_t now_ns) noexcept nogil:
    cdef int work_count = 0
    if not holds(
        0 <= image.connection_count <= MAX_TRANSPORT_COUNT, PLACE, "each connection has an entry",
        image.connection_count, MAX_TRANSPORT_COUNT,
    ):
        return 0
    if (image.is_end_of_stream and load_acquire_i32(&image.state) == STREAM_ACTIVE
            and load_acquire_i64(image.rebuild_position) >= load_opaque_i64(
                image.high_water_mark)):
        image.is_sending_end_of_stream = True
        image.status_deadline_ns = now_ns
        drain_image(image, now_ns)
    work_count += send_pending_status(image, now_ns)
    work_count += process_pending_loss(image)
    if should_measure_rtt(&image.congestion, now_ns):
        work_count += request_rtt(image, now_ns)
    return work_count


# A single connection always counts; of several, those that received something recently.
cdef inline bint is_answered(
        publication_image *image, image_connection *connection, int64_t now_ns) noexcept nogil:
    if not connection.is_used:
        return False
    if image.connection_count == 1:
        return True
    return now_ns - (connection.last_activity_ns + CONNECTION_TIMEOUT_NS) <= 0


cdef int send_pending_status(publication_image *image, int64_t now_ns) noexcept nogil:
    cdef int64_t change
    cdef int64_t position
    cdef int64_t window
    cdef int64_t response_session_id
    cdef bint is_due = now_ns - image.status_deadline_ns >= 0
    cdef int32_t index
    cdef int32_t live_count = 0
    cdef int32_t term_id
    cdef int32_t term_offset
    cdef log_buffers *log = image.log
    cdef image_connection *connection
    if not load_acquire_u8(&image.sends_status_messages):
        return 0
    if load_acquire_u8(&image.is_rejected):
        if is_due:
            send_rejection(image, now_ns)
        return is_due
    change = load_acquire_i64(&image.end_status_change)
    if change == image.last_status_change and not is_due:
        return 0
    position = load_opaque_i64(&image.next_status_position)
    window = load_opaque_i64(&image.next_status_window)
    fence_acquire()
    if load_opaque_i64(&image.begin_status_change) != change:
        return 0  # the conductor is writing: the next duty cycle reads the complete change
    term_id = term_id_of_position(position, log.position_bits_to_shift, log.initial_term_id)
    term_offset = <int32_t>(position & (log.term_length - 1))
    response_session_id = load_acquire_i64(&image.response_session_id)
    for index in range(image.connection_count):
        connection = &image.connections[index]
        if is_answered(image, connection, now_ns):
            send_status(
                image.endpoint, index, &connection.control_address, image.session_id,
                image.stream_id, term_id, term_offset, <int32_t>window,
                STATUS_FLAG_EOS if is_draining(image) else 0)
            if response_session_id != INT64_MIN and is_due:
                send_response_setup(
                    image.endpoint, index, &connection.control_address, image.session_id,
                    image.stream_id, <int32_t>response_session_id)
        if connection.is_used and (
                now_ns - (connection.last_frame_ns + image.liveness_timeout_ns) <= 0):
            live_count += 1
    count(image.system_counters, SYSTEM_STATUS_MESSAGES_SENT, 1)
    image.last_status_change = change
    image.last_status_position = position
    if position > image.rebuilder.contiguous_position:
        skip_to(&image.rebuilder, position)
    image.last_overrun_threshold = position + log.term_length // 2
    image.status_deadline_ns = now_ns + image.status_message_timeout_ns
    if load_acquire_i32(&log.metadata.active_transport_count) != live_count:
        store_release_i32(&log.metadata.active_transport_count, live_count)
    return 1


cdef inline bint is_draining(publication_image *image) noexcept nogil:
    return image.is_sending_end_of_stream or load_acquire_i32(&image.state) > STREAM_ACTIVE


cdef void send_rejection(publication_image *image, int64_t now_ns) noexcept nogil:
    cdef int32_t index
    cdef image_connection *connection
    image.status_deadline_ns = now_ns + image.status_message_timeout_ns
    for index in range(image.connection_count):
        connection = &image.connections[index]
        if is_answered(image, connection, now_ns):
            send_error(
                image.endpoint, index, &connection.control_address, image.session_id,
                image.stream_id, ERROR_IMAGE_REJECTED, image.rejection_text,
                image.rejection_length)
            count(image.system_counters, SYSTEM_ERROR_FRAMES_SENT, 1)


cdef int process_pending_loss(publication_image *image) noexcept nogil:
    cdef int64_t change = load_acquire_i64(&image.end_loss_change)
    cdef gap lost
    cdef int32_t index
    cdef image_connection *connection
    if change == image.last_loss_change:
        return 0
    lost.term_id = image.loss_term_id
    lost.term_offset = image.loss_term_offset
    lost.length = <int32_t>image.loss_length
    fence_acquire()
    if load_opaque_i64(&image.begin_loss_change) != change:
        return 0
    image.last_loss_change = change
    if load_acquire_u8(&image.log.metadata.is_publication_revoked):
        return 0
    if not image.is_reliable:
        if insert_padding(&image.rebuilder, &lost):
            count(image.system_counters, SYSTEM_LOSS_GAP_FILLS, 1)
        return 1
    for index in range(image.connection_count):
        connection = &image.connections[index]
        if connection.is_used:
            send_nak(
                image.endpoint, index, &connection.control_address, image.session_id,
                image.stream_id, lost.term_id, lost.term_offset, lost.length)
    count(image.system_counters, SYSTEM_NAKS_SENT, 1)
    add_release_i64(image.naks_sent, 1)
    return 1


cdef int request_rtt(publication_image *image, int64_t now_ns) noexcept nogil:
    cdef int32_t index
    cdef image_connection *connection
    for index in range(image.connection_count):
        connection = &image.connections[index]
        if is_answered(image, connection, now_ns):
            send_rtt(
                image.endpoint, index, &connection.control_address, image.session_id,
                image.stream_id, now_ns, image.endpoint.receiver_id, RTT_FLAG_REPLY)
    return 1


# ---- the conductor's ----

cdef bint is_image_steady(publication_image *image) noexcept nogil:
    return (
        load_acquire_i32(&image.state) == STREAM_ACTIVE
        and not load_acquire_u8(&image.log.metadata.is_publication_revoked)
    )


cdef int track_rebuild(
        publication_image *image, int64_t now_ns, const c_clock *clock) noexcept nogil:
    cdef int64_t high_water_mark
    cdef int64_t min_position
    cdef int64_t max_position
    cdef int64_t rebuild
    cdef int64_t rebuilt
    cdef int64_t next_status = image.next_status_position
    cdef int32_t window
    cdef bint is_forced = False
    cdef int findings
    cdef gap found
    cdef int work_count = 0
    if image.subscribers.count == 0 or not load_acquire_u8(&image.is_rebuilding):
        return 0
    if not holds(
        image.subscribers.count <= image.subscribers.capacity, PLACE,
        "each subscriber has an entry", image.subscribers.count, image.subscribers.capacity,
    ):
        return 0
    high_water_mark = load_acquire_i64(image.high_water_mark)
    min_position = positions_min(&image.subscribers, INT64_MAX)
    max_position = positions_max(&image.subscribers, 0)
    if not has_all_pages(image.pages):
        work_count = allocate_image_pages(image, min_position)
    if (work_count == 0 and not image.loss.is_active
            and high_water_mark == image.tracked_high_water_mark
            and min_position == image.tracked_min_position
            and max_position == image.tracked_max_position
            and image.congestion.strategy == CONGESTION_CONTROL_STATIC):
        return 0  # no progress, and no gap
    rebuild = max(load_opaque_i64(image.rebuild_position), max_position)
    rebuilt = rebuild
    found.length = 0
    if rebuild < high_water_mark:
        rebuilt = scan_loss(image.log, rebuild, high_water_mark, &found)
    # A scan ends with the term: then the same high-water mark must be scanned again.
    image.tracked_high_water_mark = high_water_mark if rebuilt >= high_water_mark else -1
    image.tracked_min_position = min_position
    image.tracked_max_position = max_position
    findings = detect_loss(&image.loss, &found, now_ns)
    if not holds(
        rebuilt >= rebuild, PLACE, "the rebuild position never decreases", rebuilt, rebuild
    ):
        return work_count
    if propose_max_release_i64(image.rebuild_position, rebuilt):
        work_count += 1
    if findings & LOSS_DUE:
        report_loss(image, epoch_ms(clock))
        publish_loss(image)
        work_count += 1
    window = update_window(
        &image.congestion, now_ns, (findings & LOSS_FOUND) != 0, min_position > next_status,
        &is_forced)
    image.window_length = window
    window = within_image_pages(image, min_position, window)
    if (is_forced or min_position > next_status + window // 4
            or window != image.next_status_window):
        if min_position - image.log.term_length > image.clean_position:
            image.clean_position = clean_log(
                image.log, image.clean_position, min_position - image.log.term_length)
        schedule_status(image, min_position, window)
        work_count += 1
    return work_count


cdef int allocate_image_pages(publication_image *image, int64_t position) noexcept nogil:
    """Allocate the pages of the window and some more, so that the window need not shrink."""
    cdef int made = allocate_next_pages(
        image.pages, position + image.window_length + ALLOCATION_LENGTH)
    if made:
        # Pairs with the acquire in on_image_packet: the pages are allocated.
        store_release_i64(&image.writable_end, writable_end(image.pages))
    return made


cdef inline int64_t writable_end(const log_pages *pages) noexcept nogil:
    return INT64_MAX if has_all_pages(pages) else pages.end - pages.slack


cdef inline int32_t within_image_pages(
        publication_image *image, int64_t position, int32_t window) noexcept nogil:
    cdef int64_t room
    if has_all_pages(image.pages):
        return window
    room = image.pages.end - image.pages.slack - position
    return <int32_t>max(min(<int64_t>window, room), <int64_t>0)


cdef inline void schedule_status(
        publication_image *image, int64_t position, int64_t window) noexcept nogil:
    cdef int64_t change = image.begin_status_change + 1
    store_opaque_i64(&image.begin_status_change, change)
    fence_release()
    store_opaque_i64(&image.next_status_position, position)
    store_opaque_i64(&image.next_status_window, window)
    # Pairs with the receiver's acquire, before it reads the fields in between.
    store_release_i64(&image.end_status_change, change)


cdef inline void publish_loss(publication_image *image) noexcept nogil:
    cdef int64_t change = image.begin_loss_change + 1
    store_opaque_i64(&image.begin_loss_change, change)
    fence_release()
    image.loss_term_id = image.loss.term_id
    image.loss_term_offset = image.loss.term_offset
    image.loss_length = image.loss.length
    store_release_i64(&image.end_loss_change, change)


cdef void report_loss(publication_image *image, int64_t now_ms) noexcept nogil:
    cdef int32_t end = image.loss.term_offset + image.loss.length
    cdef int64_t bytes_lost = image.loss.length
    if image.report == NULL:
        return
    if image.has_reported and image.reported_term_id == image.loss.term_id:
        if image.loss.term_offset < image.reported_limit:
            # Of a gap that overlaps a reported one, only the rest counts.
            bytes_lost = max(end - image.reported_limit, 0)
        image.reported_limit = max(image.reported_limit, end)
    else:
        image.reported_term_id = image.loss.term_id
        image.reported_limit = end
    if image.report_entry != NULL:
        if bytes_lost > 0:
            record_loss(image.report_entry, bytes_lost, now_ms)
    elif not image.has_reported:
        image.report_entry = create_loss_entry(
            image.report, bytes_lost, now_ms, image.session_id, image.stream_id,
            image.report_text, image.channel_length, image.source_length)
    image.has_reported = True


@cython.final
cdef class PublicationImage:
    """One stream that the receiver rebuilds from datagrams.

    It starts in INIT, with all positions at `join_position`. `control_address` is the source of the
    setup frame, or the explicit control address of the channel.
    """

    def __cinit__(
        self,
        RawLog log not None,
        CountersManager counters not None,
        ReceiveEndpoint endpoint not None,
        loss_delay not None,
        congestion_control not None,
        *,
        int64_t correlation_id,
        int32_t session_id,
        int32_t stream_id,
        int32_t mtu_length,
        int64_t join_position,
        int32_t transport_index,
        control_address,
        str source_identity not None,
        str channel not None,
        int32_t high_water_mark_id,
        int32_t rebuild_position_id,
        int32_t naks_sent_id,
        bint is_reliable=True,
        bint has_group_semantics=False,
        bint requests_response_setup=False,
        int64_t liveness_timeout_ns=10_000_000_000,
        int64_t status_message_timeout_ns=200_000_000,
        LossReport loss_report=None,
        int64_t now_ns,
    ):
        cdef publication_image *c
        cdef address remote
        cdef bytes channel_bytes = channel.encode("ascii", "replace")
        cdef bytes source_bytes = source_identity.encode("ascii", "replace")
        if not 0 <= transport_index < MAX_TRANSPORT_COUNT:
            raise ConfigurationError("transport", "the index of one", transport_index)
        c = <publication_image *>calloc(1, sizeof(publication_image))
        if c == NULL:
            raise MemoryError
        self.c = c
        c.log = log.pointer()
        if term_rebuilder_init(&c.rebuilder, c.log, join_position) < 0:
            raise MemoryError
        c.endpoint = endpoint.c
        c.owner = <void *>self
        self._log = log
        self._counters = counters
        self._endpoint = endpoint
        self._loss_report = loss_report
        self.source_identity = source_identity
        c.correlation_id = correlation_id
        self.session_id = c.session_id = session_id
        self.stream_id = c.stream_id = stream_id
        c.mtu_length = mtu_length
        c.is_reliable = is_reliable
        c.has_group_semantics = has_group_semantics
        c.requests_response_setup = requests_response_setup
        c.liveness_timeout_ns = liveness_timeout_ns
        c.status_message_timeout_ns = status_message_timeout_ns
        c.system_counters = <uint8_t *>value_address(counters, 0)
        c.high_water_mark = value_address(counters, high_water_mark_id)
        c.rebuild_position = value_address(counters, rebuild_position_id)
        c.naks_sent = value_address(counters, naks_sent_id)
        congestion_control_init(
            &c.congestion, congestion_control, counters, mtu_length, c.log.term_length, now_ns)
        c.max_window_length = c.congestion.max_window_length
        c.loss.delay.is_multicast = loss_delay.is_multicast
        c.loss.delay.delay_ns = loss_delay.delay_ns if is_reliable else 0
        c.loss.delay.retry_delay_ns = loss_delay.retry_delay_ns if is_reliable else 0
        c.loss.delay.group_size = loss_delay.group_size
        c.loss.delay.max_backoff_ns = loss_delay.max_backoff_ns
        if loss_delay.is_multicast and is_reliable:
            self._random = loss_delay.random
            if self._random is None:
                raise ConfigurationError("random", "one to draw a group's delays from", None)
            c.loss.delay.random = &self._random.c
        else:
            c.loss.delay.is_multicast = False
        if loss_report is not None:
            c.report = &loss_report.c
            self._report_text = channel_bytes + source_bytes
            c.report_text = <uint8_t *>self._report_text
            c.channel_length = <int32_t>len(channel_bytes)
            c.source_length = <int32_t>len(source_bytes)
        c.last_status_position = join_position
        c.last_overrun_threshold = join_position + c.log.term_length // 2
        c.last_status_change = NO_CHANGE
        c.status_deadline_ns = now_ns
        c.last_packet_ns = now_ns
        c.stall_position = join_position
        c.stall_ns = now_ns
        c.conflict_position = -1
        c.next_status_position = join_position
        c.pages = &log.pages
        c.writable_end = writable_end(c.pages)
        c.window_length = initial_window(c)
        c.next_status_window = within_image_pages(c, join_position, c.window_length)
        c.response_session_id = INT64_MIN
        c.clean_position = join_position
        c.tracked_high_water_mark = -1
        c.state_change_ns = now_ns
        c.state = STREAM_INIT
        c.is_rebuilding = True
        c.sends_status_messages = True
        address_from(control_address, &remote)
        add_connection(c, transport_index, &remote, now_ns)
        store_release_i64(c.high_water_mark, join_position)
        store_release_i64(c.rebuild_position, join_position)

    def __dealloc__(self):
        if self.c != NULL:
            positions_free(&self.c.subscribers)
            term_rebuilder_free(&self.c.rebuilder)
            free(self.c)
            self.c = NULL

    cdef publication_image *_open(self) except NULL:
        self._check_open()
        return self.c

    @property
    def correlation_id(self):
        return self.c.correlation_id

    @property
    def endpoint(self):
        return self._endpoint

    @property
    def state(self):
        """Return a ``StreamState``; the receiver only sets DRAINING, the conductor all others."""
        return load_acquire_i32(&self.c.state)

    @state.setter
    def state(self, int32_t value):
        store_release_i32(&self.c.state, value)

    @property
    def time_of_last_state_change_ns(self):
        return load_acquire_i64(&self.c.state_change_ns)

    @time_of_last_state_change_ns.setter
    def time_of_last_state_change_ns(self, int64_t value):
        store_release_i64(&self.c.state_change_ns, value)

    @property
    def rebuild_position(self):
        return load_acquire_i64(self._open().rebuild_position)

    @property
    def high_water_mark(self):
        return load_acquire_i64(self._open().high_water_mark)

    @property
    def window_length(self):
        """Return the last scheduled receiver window, in bytes."""
        return self.c.next_status_window

    @property
    def is_rejected(self):
        """Return whether a subscriber rejected it."""
        return load_acquire_u8(&self.c.is_rejected) == 1

    @property
    def is_end_of_stream(self):
        """Return whether the end of the stream is known."""
        return self.end_of_stream_position != INT64_MAX

    @property
    def end_of_stream_position(self):
        """Return the position at which the stream ends, in bytes; the largest one if unknown."""
        return load_acquire_i64(&self._open().log.metadata.end_of_stream_position)

    @property
    def is_accepting_subscriptions(self):
        """Return whether a new subscription may join."""
        cdef int32_t state = load_acquire_i32(&self.c.state)
        if self.c.subscribers.count == 0:
            return False
        return state <= STREAM_ACTIVE or (state == STREAM_DRAINING and not self.is_drained)

    @property
    def is_drained(self):
        """Return whether every subscriber has consumed all rebuilt frames."""
        cdef publication_image *c = self._open()
        cdef int64_t rebuilt = load_acquire_i64(c.rebuild_position)
        return positions_min(&c.subscribers, rebuilt) >= rebuilt

    @property
    def join_position(self):
        """Return the start position of a new subscriber."""
        cdef publication_image *c = self._open()
        return positions_min(&c.subscribers, load_acquire_i64(c.rebuild_position))

    @property
    def subscriber_count(self):
        return self.c.subscribers.count

    def add_subscriber(self, int32_t counter_id):
        """Count a subscriber's position from now on."""
        if positions_add(&self._open().subscribers, value_address(self._counters, counter_id)) < 0:
            raise MemoryError

    def remove_subscriber(self, int32_t counter_id):
        """Remove a subscriber's position."""
        positions_remove(&self._open().subscribers, value_address(self._counters, counter_id))

    def max_subscriber_position(self):
        """Return the position of the most advanced subscriber, 0 without any."""
        return positions_max(&self._open().subscribers, 0)

    def activate(self):
        """Enter ACTIVE; called once the subscribers were notified."""
        compare_and_set_i32(&self.c.state, STREAM_INIT, STREAM_ACTIVE)

    def deactivate(self, int64_t now_ns):
        """Stop rebuilding and enter DRAINING."""
        drain_image(self._open(), now_ns)

    def request_release(self):
        """Request the receiver to drop the image; ``ImageReleased`` follows."""
        store_release_u8(&self.c.is_release_requested, True)

    def stop_status_messages(self):
        """Stop sending status messages: a newer image of the session sends them."""
        store_release_u8(&self.c.sends_status_messages, False)

    def set_response_session_id(self, session_id):
        """Send the session of the response publication to the sender; None stops it."""
        store_release_i64(
            &self.c.response_session_id, INT64_MIN if session_id is None else session_id)

    def reject(self, str reason not None):
        """Reject the stream: error frames are sent instead of status messages.

        Only the first reason is used. A reason has at most 1023 characters.
        """
        cdef bytes text = reason.encode("ascii", "replace")
        cdef publication_image *c = self._open()
        if len(text) >= TEXT_CAPACITY:
            raise ConfigurationError("reason", "at most 1023 characters", reason)
        if load_acquire_u8(&c.is_rejected):
            return
        c.rejection_length = <int32_t>len(text)
        memcpy(c.rejection_text, <const uint8_t *>text, c.rejection_length)
        # Pairs with the receiver's acquire: the text is complete.
        store_release_u8(&c.is_rejected, True)
        count(c.system_counters, SYSTEM_IMAGES_REJECTED, 1)

    @property
    def requests_response_setup(self):
        """Return whether the set-up frame requested a response publication."""
        return bool(self.c.requests_response_setup)

    def track_rebuild(self, Clock clock not None):
        """Run the image's part of stream tracking; return a work count."""
        return track_rebuild(self._open(), nano_time(&clock.c), &clock.c)


cdef int32_t initial_window(publication_image *image) noexcept nogil:
    if image.congestion.strategy == CONGESTION_CONTROL_STATIC:
        return image.congestion.max_window_length
    return image.congestion.congestion_window * image.mtu_length
