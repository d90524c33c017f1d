"""Loops over one hot function each, without the GIL, on a populated structure.

The instruction counts (``counts.py``) and the codec ratio (``benchmarks.ratio``) run the same
loops. Each does `count` operations on its arena and returns something that depends on all of them,
so that no compiler leaves any out.
"""
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset, strlen

from aeron_cluster.client.publication cimport exclusive_publication
from aeron_cluster.client.subscription cimport image_list, subscription_poller
from aeron_cluster.cluster.agent.leadership_view cimport NO_MEMBER, ROLE_LEADER
from aeron_cluster.cluster.agent.module_agent cimport (
    commit_do_work,
    module_do_work,
    module_state,
    module_state_init,
)
from aeron_cluster.cluster.agent.module_core cimport STATE_ACTIVE
from aeron_cluster.cluster.log.log_adapter cimport log_adapter, log_adapter_init
from aeron_cluster.cluster.log.log_publisher cimport append_session_message, log_publisher
from aeron_cluster.cluster.members.consensus_publisher cimport (
    send_append_position,
    send_commit_position,
)
from aeron_cluster.cluster.members.member_progress cimport member_init, member_progress
from aeron_cluster.cluster.state.session_table cimport session_entry, session_slot, session_table
from aeron_cluster.codecs.cluster_codecs cimport (
    SCHEMA_ID,
    SCHEMA_VERSION,
    SESSION_MESSAGE_HEADER_TEMPLATE_ID,
    SESSION_OPEN_EVENT_BLOCK_LENGTH,
    SESSION_OPEN_EVENT_TEMPLATE_ID,
    session_message_header_begin,
    session_message_header_cluster_session_id,
    session_message_header_leadership_term_id,
    session_message_header_put_cluster_session_id,
    session_message_header_put_leadership_term_id,
    session_message_header_put_timestamp,
    session_message_header_timestamp,
    session_open_event_correlation_id,
    session_open_event_read_encoded_principal,
    session_open_event_read_response_channel,
    session_open_event_response_stream_id,
)
from aeron_cluster.codecs.sbe cimport (
    message_header,
    sbe_begin,
    sbe_message,
    sbe_reader,
    sbe_reader_after,
    sbe_wrap,
    sbe_write_data,
    sbe_writer,
)
from aeron_cluster.codecs.session_header cimport SESSION_HEADER_LENGTH, put_session_header
from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    LOG_EXCLUSIVE_PUBLICATION,
    data_header,
    log_file_length,
    log_metadata,
)
from aeron_cluster.logbuffer.image_poller cimport (
    frame_view,
    image_poller,
    image_poller_init,
    poll,
)
from aeron_cluster.logbuffer.log_buffers cimport log_buffers, log_buffers_create
from aeron_cluster.logbuffer.term_appender cimport (
    buffer_claim,
    claim_commit,
    claim_payload,
    concurrent_appender,
    concurrent_appender_init,
    concurrent_offer,
    exclusive_appender,
    exclusive_appender_init,
    exclusive_offer,
    exclusive_try_claim,
)
from aeron_cluster.logbuffer.term_rebuilder cimport (
    insert_packet,
    packet_extent,
    term_rebuilder,
    term_rebuilder_free,
    term_rebuilder_init,
)
from aeron_cluster.memory.shared.broadcast cimport (
    broadcast_receive,
    broadcast_receiver,
    broadcast_receiver_init,
    broadcast_transmit,
    broadcast_transmitter,
    broadcast_transmitter_init,
)
from aeron_cluster.memory.shared.ring_buffer cimport (
    one_to_one_read,
    one_to_one_write,
    ring_buffer,
    ring_init,
    ring_read,
    ring_write,
)
from aeron_cluster.memory.system.seams cimport SystemClock, nano_time

cdef enum:
    ARENA_LENGTH = 1 << 21  # four logs
    RING_LENGTH = (1 << 16) + 768
    BROADCAST_LENGTH = (1 << 16) + 128
    MESSAGE_LENGTH = 64
    TERM_LENGTH = 1 << 17
    PAYLOAD_LENGTH = 32
    FRAME_LENGTH = 64
    POLLED = 8
    TERM_OPERATIONS = 1000  # fit into one term: a new log is created after them

    SESSION_SLOTS = 64

# Nothing in these loops raises: a -1 would be visible in the result.
ctypedef int (*pass_function)(void *context) noexcept nogil

ctypedef int64_t (*loop)(uint8_t *arena, int64_t count) noexcept nogil


cdef int64_t bench_session_message_header(uint8_t *arena, int64_t count) noexcept nogil:
    """Write one session message header and read another, as for each message of a cluster."""
    cdef int64_t i, seen = 0
    cdef sbe_writer writer
    cdef sbe_message message
    cdef uint8_t *body
    for i in range(count):
        writer.at = arena + (i & 63) * 32
        writer.limit = writer.at + 32
        body = session_message_header_begin(&writer)
        if body == NULL:
            return -1
        session_message_header_put_leadership_term_id(body, i)
        session_message_header_put_cluster_session_id(body, i + 1)
        session_message_header_put_timestamp(body, i + 2)
        if not sbe_wrap(&message, arena + ((i + 32) & 63) * 32, 32):
            continue
        if message.template_id == SESSION_MESSAGE_HEADER_TEMPLATE_ID:
            seen += (
                session_message_header_leadership_term_id(
                    message.body, message.block_length, message.version)
                + session_message_header_cluster_session_id(
                    message.body, message.block_length, message.version)
                + session_message_header_timestamp(
                    message.body, message.block_length, message.version)
            )
    return seen


cdef int64_t bench_session_open_event(uint8_t *arena, int64_t count) noexcept nogil:
    """Read a message with two variable parts, which remain in place, as for each new session."""
    cdef int64_t i, seen = 0
    cdef const char *channel = b"aeron:udp?endpoint=localhost:20121|term-length=64k"
    cdef const char *principal = b"alice"
    cdef message_header header
    cdef sbe_writer writer
    cdef sbe_reader reader
    cdef sbe_message message
    cdef const uint8_t *data = NULL
    cdef uint8_t *body
    header.block_length = SESSION_OPEN_EVENT_BLOCK_LENGTH
    header.template_id = SESSION_OPEN_EVENT_TEMPLATE_ID
    header.schema_id = SCHEMA_ID
    header.version = SCHEMA_VERSION
    for i in range(8):
        writer.at = arena + i * 1024
        writer.limit = writer.at + 1024
        body = sbe_begin(&writer, header)
        memset(body, 0, SESSION_OPEN_EVENT_BLOCK_LENGTH)
        sbe_write_data(&writer, channel, <uint32_t>strlen(channel))
        sbe_write_data(&writer, principal, <uint32_t>strlen(principal))

    for i in range(count):
        if not sbe_wrap(&message, arena + (i & 7) * 1024, 1024):
            continue
        reader = sbe_reader_after(&message)
        seen += (
            session_open_event_correlation_id(message.body, message.block_length, message.version)
            + session_open_event_response_stream_id(
                message.body, message.block_length, message.version)
        )
        seen += session_open_event_read_response_channel(&reader, message.version, &data)
        seen += session_open_event_read_encoded_principal(&reader, message.version, &data)
        seen += data[0]
    return seen


cdef void on_message(
        int32_t message_type, const uint8_t *data, int32_t length, void *context) noexcept nogil:
    (<int64_t *>context)[0] += length + data[0] + message_type


cdef int64_t bench_many_to_one_ring(uint8_t *arena, int64_t count) noexcept nogil:
    """Write 64 bytes to the command ring and read them, as for each request of a client to its
    driver.
    """
    cdef ring_buffer ring
    cdef uint8_t message[MESSAGE_LENGTH]
    cdef int64_t i, seen = 0
    ring_init(&ring, arena, RING_LENGTH)
    for i in range(count):
        message[0] = <uint8_t>i
        ring_write(&ring, 7, message, MESSAGE_LENGTH)
        ring_read(&ring, on_message, &seen, 1)
    return seen


cdef int64_t bench_one_to_one_ring(uint8_t *arena, int64_t count) noexcept nogil:
    """Write 64 bytes to a ring of one producer and read them, as for commands between two
    agents.
    """
    cdef ring_buffer ring
    cdef uint8_t message[MESSAGE_LENGTH]
    cdef int64_t i, seen = 0
    ring_init(&ring, arena, RING_LENGTH)
    for i in range(count):
        message[0] = <uint8_t>i
        one_to_one_write(&ring, 7, message, MESSAGE_LENGTH)
        one_to_one_read(&ring, on_message, &seen, 1)
    return seen


cdef int64_t bench_broadcast(uint8_t *arena, int64_t count) noexcept nogil:
    """Transmit 64 bytes and receive them, as for each response of a driver to its clients."""
    cdef broadcast_transmitter transmitter
    cdef broadcast_receiver receiver
    cdef uint8_t message[MESSAGE_LENGTH]
    cdef uint8_t scratch[MESSAGE_LENGTH]
    cdef int32_t message_type = 0
    cdef int64_t i, seen = 0
    broadcast_transmitter_init(&transmitter, arena, BROADCAST_LENGTH)
    broadcast_receiver_init(&receiver, arena, BROADCAST_LENGTH)
    for i in range(count):
        message[0] = <uint8_t>i
        broadcast_transmit(&transmitter, 7, message, MESSAGE_LENGTH)
        seen += broadcast_receive(&receiver, &message_type, scratch, MESSAGE_LENGTH)
    return seen


cdef void new_log(log_buffers *log, uint8_t *arena, int64_t done) noexcept nogil:
    cdef log_metadata settings
    cdef int64_t length = log_file_length(TERM_LENGTH, 4096)
    if done > 0:
        memset(arena, 0, length)
    memset(&settings, 0, sizeof(settings))
    settings.term_length = TERM_LENGTH
    settings.mtu_length = 1408
    settings.page_size = 4096
    settings.type = LOG_EXCLUSIVE_PUBLICATION
    log_buffers_create(log, arena, length, &settings, 7, 8, 0, 0)


cdef int on_fragment(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    (<int64_t *>context)[0] += length + payload[0]
    return 0


cdef int64_t bench_exclusive_offer(uint8_t *arena, int64_t count) noexcept nogil:
    """Offer 32 bytes on an exclusive publication."""
    cdef log_buffers log
    cdef exclusive_appender appender
    cdef int64_t limit = INT64_MAX
    cdef uint8_t[PAYLOAD_LENGTH] message
    cdef int64_t i, position = 0
    memset(message, 0, PAYLOAD_LENGTH)
    for i in range(count):
        if i % TERM_OPERATIONS == 0:
            new_log(&log, arena, i)
            exclusive_appender_init(&appender, &log, &limit)
        message[0] = <uint8_t>i
        position += exclusive_offer(&appender, message, PAYLOAD_LENGTH)
    return position


cdef int64_t bench_exclusive_claim(uint8_t *arena, int64_t count) noexcept nogil:
    """Claim 32 bytes, write and commit them, without a copy."""
    cdef log_buffers log
    cdef exclusive_appender appender
    cdef buffer_claim claim
    cdef int64_t limit = INT64_MAX
    cdef int64_t i, position = 0
    for i in range(count):
        if i % TERM_OPERATIONS == 0:
            new_log(&log, arena, i)
            exclusive_appender_init(&appender, &log, &limit)
        position += exclusive_try_claim(&appender, PAYLOAD_LENGTH, &claim)
        claim_payload(&claim)[0] = <uint8_t>i
        claim_commit(&claim)
    return position


cdef int64_t bench_concurrent_offer(uint8_t *arena, int64_t count) noexcept nogil:
    """Offer 32 bytes on a stream that any thread may write to."""
    cdef log_buffers log
    cdef concurrent_appender appender
    cdef int64_t limit = INT64_MAX
    cdef uint8_t[PAYLOAD_LENGTH] message
    cdef int64_t i, position = 0
    memset(message, 0, PAYLOAD_LENGTH)
    for i in range(count):
        if i % TERM_OPERATIONS == 0:
            new_log(&log, arena, i)
            concurrent_appender_init(&appender, &log, &limit)
        message[0] = <uint8_t>i
        position += concurrent_offer(&appender, message, PAYLOAD_LENGTH)
    return position


cdef int64_t bench_offer_and_poll(uint8_t *arena, int64_t count) noexcept nogil:
    """Offer 32 bytes eight times and poll once; the figure is per message."""
    cdef log_buffers log
    cdef exclusive_appender appender
    cdef image_poller poller
    cdef int64_t limit = INT64_MAX
    cdef int64_t subscriber_position = 0
    cdef uint8_t[PAYLOAD_LENGTH] message
    cdef int64_t i, seen = 0
    memset(message, 0, PAYLOAD_LENGTH)
    for i in range(count):
        if i % TERM_OPERATIONS == 0:
            new_log(&log, arena, i)
            exclusive_appender_init(&appender, &log, &limit)
            subscriber_position = 0
            image_poller_init(&poller, &log, &subscriber_position, NULL, NULL)
        message[0] = <uint8_t>i
        exclusive_offer(&appender, message, PAYLOAD_LENGTH)
        if i % POLLED == POLLED - 1 and poll(&poller, on_fragment, &seen, POLLED) < 0:
            return -1
    return seen


cdef int64_t bench_insert_packet(uint8_t *arena, int64_t count) noexcept nogil:
    """Check a packet of one message and insert it into its term, as for each datagram of a
    receiver.
    """
    cdef log_buffers log
    cdef uint8_t[FRAME_LENGTH] packet
    cdef data_header *header = <data_header *>packet
    cdef term_rebuilder rebuilder
    cdef int64_t i, inserted = 0
    cdef int32_t extent
    rebuilder.received = NULL
    memset(packet, 0, FRAME_LENGTH)
    header.frame_length = DATA_HEADER_LENGTH + PAYLOAD_LENGTH
    header.flags = 0xC0
    header.type = 1
    header.session_id = 7
    header.stream_id = 8
    for i in range(count):
        if i % TERM_OPERATIONS == 0:
            new_log(&log, arena, i)
            term_rebuilder_free(&rebuilder)
            if term_rebuilder_init(&rebuilder, &log, 0) < 0:
                break
        header.term_offset = <int32_t>(i % TERM_OPERATIONS) * FRAME_LENGTH
        extent = packet_extent(packet, FRAME_LENGTH, TERM_LENGTH)
        if extent > 0:
            inserted += insert_packet(
                &rebuilder, header.term_offset, packet, FRAME_LENGTH, extent)
    term_rebuilder_free(&rebuilder)
    return inserted


cdef int64_t fixed_time(void *state) noexcept nogil:
    return 1_000_000_000


# A settled leader with a client's ingress and the log in one arena, and ten sessions.
cdef struct module_bench:
    module_state module
    log_publisher publisher
    session_table sessions
    session_entry entries[SESSION_SLOTS]
    subscription_poller subscription
    image_list images
    image_poller *pollers[1]
    image_poller ingress_poller
    log_buffers ingress_log
    log_buffers log
    exclusive_appender client
    exclusive_publication log_publication
    member_progress members[3]
    exclusive_publication *peers[3]
    int64_t limit
    int64_t ingress_position
    int64_t commit_position
    int64_t recorded_position


cdef void new_module_logs(module_bench *bench, uint8_t *arena, int64_t done) noexcept nogil:
    new_log(&bench.ingress_log, arena, done)
    new_log(&bench.log, arena + ARENA_LENGTH // 2, done)
    exclusive_appender_init(&bench.client, &bench.ingress_log, &bench.limit)
    exclusive_appender_init(&bench.log_publication.appender, &bench.log, &bench.limit)
    bench.ingress_position = 0
    image_poller_init(
        &bench.ingress_poller, &bench.ingress_log, &bench.ingress_position, NULL, NULL)


cdef void new_module(module_bench *bench) noexcept nogil:
    cdef module_state *module = &bench.module
    cdef int64_t id
    cdef uint64_t slot
    memset(bench, 0, sizeof(module_bench))
    bench.limit = INT64_MAX
    bench.publisher.to = &bench.log_publication
    bench.publisher.leadership_term_id = 3
    bench.sessions.entries = bench.entries
    bench.sessions.mask = SESSION_SLOTS - 1
    for id in range(1, 11):
        slot = session_slot(&bench.sessions, id)
        while bench.entries[slot].is_used:
            slot = (slot + 1) & bench.sessions.mask
        bench.entries[slot].id = id
        bench.entries[slot].is_open = bench.entries[slot].is_used = True
    bench.pollers[0] = &bench.ingress_poller
    bench.images.pollers = bench.pollers
    bench.images.count = 1
    bench.subscription.current = &bench.images
    module_state_init(module)
    module.core.clock.nano_time = fixed_time
    module.core.clock.epoch_nanos = fixed_time
    module.core.time_unit_ns = 1_000_000
    module.deadline_ns = module.timer_deadline = INT64_MAX
    module.commit.uncommitted_position = INT64_MAX
    module.follower.termination_position = INT64_MAX
    module.leadership.leader_index = NO_MEMBER
    module.members.heartbeat_timeout_ns = 10_000_000_000
    module.ingress.sessions = &bench.sessions
    module.ingress.log = &bench.publisher
    module.leadership.role = ROLE_LEADER
    module.core.state = STATE_ACTIVE
    module.members.count = 1
    module.members.progress = bench.members
    module.members.peers = bench.peers
    module.ingress.subscriptions[0] = &bench.subscription
    module.ingress.count = 1
    module.ingress.fragment_limit = 50
    module.commit.commit_position = &bench.commit_position
    module.commit.recorded_position = &bench.recorded_position


cdef int64_t bench_ingress_to_log(uint8_t *arena, int64_t count) noexcept nogil:
    """Offer 32 bytes with a session's header eight times, and append them to the log in one pass.

    The figure is per message, and includes the client's part, which is `exclusive_offer`.
    """
    cdef module_bench bench
    cdef uint8_t[SESSION_HEADER_LENGTH + PAYLOAD_LENGTH] message
    cdef int64_t i
    cdef int64_t taken = 0
    cdef int found
    new_module(&bench)
    memset(message, 0, SESSION_HEADER_LENGTH + PAYLOAD_LENGTH)
    for i in range(count):
        if i % TERM_OPERATIONS == 0:
            new_module_logs(&bench, arena, i)
        put_session_header(message, 3, 1 + i % 10, 0)
        exclusive_offer(&bench.client, message, SESSION_HEADER_LENGTH + PAYLOAD_LENGTH)
        if i % POLLED == POLLED - 1:
            found = (<pass_function>module_do_work)(&bench.module)
            taken += found
    return taken


cdef int64_t bench_append_session_message(uint8_t *arena, int64_t count) noexcept nogil:
    """Append 32 bytes to the log with the leader's header, the last step of ingress."""
    cdef module_bench bench
    cdef uint8_t[PAYLOAD_LENGTH] message
    cdef int64_t i, position = 0
    new_module(&bench)
    memset(message, 0, PAYLOAD_LENGTH)
    for i in range(count):
        if i % TERM_OPERATIONS == 0:
            new_module_logs(&bench, arena, i)
        position += append_session_message(&bench.publisher, 1, i, message, PAYLOAD_LENGTH)
    return position


cdef int64_t bench_module_idle_pass(uint8_t *arena, int64_t count) noexcept nogil:
    """Do a pass of both agents in which nothing is due, as in an idle node."""
    cdef module_bench bench
    cdef int64_t _i, work_count = 0
    new_module(&bench)
    new_module_logs(&bench, arena, 0)
    for _i in range(count):
        work_count += (<pass_function>module_do_work)(&bench.module)
        work_count += (<pass_function>commit_do_work)(&bench.module)
    return work_count + 1


cdef int64_t bench_commit_of_three(uint8_t *arena, int64_t count) noexcept nogil:
    """Commit the position of a majority of three members, which advances with each pass."""
    cdef module_bench bench
    cdef int64_t i, work_count = 0
    new_module(&bench)
    bench.module.members.count = 3
    for i in range(count):
        bench.recorded_position = (i + 2) * FRAME_LENGTH
        bench.members[1].log_position = (i + 1) * FRAME_LENGTH
        bench.members[1].time_of_last_append_ns = 1_000_000_000
        work_count += (<pass_function>commit_do_work)(&bench.module)
    return work_count


# One of three members, between the streams from and to the others.
cdef struct members_bench:
    module_bench one
    subscription_poller subscription
    image_list images
    image_poller *pollers[1]
    image_poller consensus_poller
    log_buffers from_others
    log_buffers to_others[2]
    exclusive_publication others  # the messages of the other members, all on one stream
    exclusive_publication peers[2]
    int64_t consensus_position
    image_poller log_poller
    log_adapter reader
    int64_t read_position


cdef void new_members_logs(members_bench *bench, uint8_t *arena, int64_t done) noexcept nogil:
    cdef int i
    new_log(&bench.from_others, arena, done)
    exclusive_appender_init(&bench.others.appender, &bench.from_others, &bench.one.limit)
    bench.consensus_position = 0
    image_poller_init(
        &bench.consensus_poller, &bench.from_others, &bench.consensus_position, NULL, NULL)
    for i in range(2):
        new_log(&bench.to_others[i], arena + ARENA_LENGTH // 4 * (i + 1), done)
        exclusive_appender_init(
            &bench.peers[i].appender, &bench.to_others[i], &bench.one.limit)
    new_log(&bench.one.log, arena + ARENA_LENGTH // 4 * 3, done)
    exclusive_appender_init(
        &bench.one.log_publication.appender, &bench.one.log, &bench.one.limit)
    bench.read_position = 0
    image_poller_init(&bench.log_poller, &bench.one.log, &bench.read_position, NULL, NULL)


cdef void new_members(members_bench *bench, int32_t leader_index) noexcept nogil:
    cdef module_state *module = &bench.one.module
    cdef int i
    memset(bench, 0, sizeof(members_bench))
    new_module(&bench.one)
    module.members.count = 3
    for i in range(3):
        member_init(&bench.one.members[i], i)
        bench.one.members[i].log_position = 0
        bench.one.members[i].time_of_last_append_ns = 1_000_000_000
    for i in range(2):
        bench.one.peers[1 + i] = &bench.peers[i]
    module.leadership.leader_index = leader_index
    module.leadership.leadership_term_id = 3
    module.follower.last_leader_update_ns = 1_000_000_000
    module.members.heartbeat_interval_ns = 200_000_000
    module.follower.log_limit = 50
    module.consensus.authorizations[0].members = 0xff
    module.consensus.authorization_count = 1
    bench.pollers[0] = &bench.consensus_poller
    bench.images.pollers = bench.pollers
    bench.images.count = 1
    bench.subscription.current = &bench.images
    module.consensus.subscription = &bench.subscription
    log_adapter_init(&bench.reader)
    bench.reader.poller = &bench.log_poller
    bench.reader.sessions = &bench.one.sessions
    module.follower.log_adapter = &bench.reader
    # Clients are measured by another loop.
    module.ingress.count = 0


cdef int64_t bench_leader_of_three(uint8_t *arena, int64_t count) noexcept nogil:
    """Receive a follower's position, commit it and notify both followers: a leader's work per
    message.
    """
    cdef members_bench bench
    cdef int64_t i, work_count = 0
    new_members(&bench, 0)
    for i in range(count):
        if i % TERM_OPERATIONS == 0:
            new_members_logs(&bench, arena, i)
        bench.one.recorded_position = (i + 2) * FRAME_LENGTH
        send_append_position(&bench.others, 3, (i + 1) * FRAME_LENGTH, 1 + i % 2, 0)
        work_count += (<pass_function>module_do_work)(&bench.one.module)
        work_count += (<pass_function>commit_do_work)(&bench.one.module)
    # The count is right only if every position was committed and sent.
    return work_count if bench.one.commit_position == count * FRAME_LENGTH else -1


cdef int64_t bench_follower_of_three(uint8_t *arena, int64_t count) noexcept nogil:
    """Read a committed message and report the next position to the leader: a follower's work per
    message.
    """
    cdef members_bench bench
    cdef uint8_t[PAYLOAD_LENGTH] message
    cdef int64_t i, position
    cdef int64_t work_count = 0
    new_members(&bench, 1)
    bench.one.module.leadership.role = 0
    memset(message, 0, PAYLOAD_LENGTH)
    for i in range(count):
        if i % TERM_OPERATIONS == 0:
            new_members_logs(&bench, arena, i)
            # Begin a new log.
            bench.one.commit_position = bench.one.module.follower.notified_commit_position = 0
            bench.one.module.follower.sent_append_position = 0
        position = append_session_message(
            &bench.one.publisher, 1 + i % 10, i, message, PAYLOAD_LENGTH)
        bench.one.recorded_position = position
        send_commit_position(&bench.others, 3, position, 1)
        work_count += (<pass_function>module_do_work)(&bench.one.module)
        work_count += (<pass_function>commit_do_work)(&bench.one.module)
        if bench.one.commit_position != position:
            return -1
    return work_count


cdef int64_t bench_follower_idle_pass(uint8_t *arena, int64_t count) noexcept nogil:
    """Do a pass of both agents of a follower that has nothing new."""
    cdef members_bench bench
    cdef int64_t _i, work_count = 0
    new_members(&bench, 1)
    bench.one.module.leadership.role = 0
    bench.one.module.follower.append_position_deadline_ns = INT64_MAX
    new_members_logs(&bench, arena, 0)
    for _i in range(count):
        work_count += (<pass_function>module_do_work)(&bench.one.module)
        work_count += (<pass_function>commit_do_work)(&bench.one.module)
    return work_count + 1


cdef struct named_loop:
    const char *name
    loop run


cdef enum:
    LOOP_COUNT = 17

cdef named_loop[LOOP_COUNT] LOOPS


cdef void add_loop(int index, const char *name, loop run) noexcept:
    LOOPS[index].name = name
    LOOPS[index].run = run


add_loop(0, b"session_message_header", bench_session_message_header)
add_loop(1, b"session_open_event", bench_session_open_event)
add_loop(2, b"many_to_one_ring", bench_many_to_one_ring)
add_loop(3, b"one_to_one_ring", bench_one_to_one_ring)
add_loop(4, b"broadcast", bench_broadcast)
add_loop(5, b"exclusive_offer", bench_exclusive_offer)
add_loop(6, b"exclusive_claim", bench_exclusive_claim)
add_loop(7, b"concurrent_offer", bench_concurrent_offer)
add_loop(8, b"offer_and_poll", bench_offer_and_poll)
add_loop(9, b"insert_packet", bench_insert_packet)
add_loop(10, b"ingress_to_log", bench_ingress_to_log)
add_loop(11, b"append_session_message", bench_append_session_message)
add_loop(12, b"module_idle_pass", bench_module_idle_pass)
add_loop(13, b"commit_of_three", bench_commit_of_three)
add_loop(14, b"leader_of_three", bench_leader_of_three)
add_loop(15, b"follower_of_three", bench_follower_of_three)
add_loop(16, b"follower_idle_pass", bench_follower_idle_pass)

NAMES = tuple([(<bytes>LOOPS[index].name).decode() for index in range(LOOP_COUNT)])


def run(str name not None, int64_t count):
    """Do `count` operations; return the time, in ns."""
    cdef loop operation = LOOPS[NAMES.index(name)].run
    cdef SystemClock clock = SystemClock()
    cdef int64_t began, elapsed, outcome
    cdef uint8_t *arena = <uint8_t *>calloc(1, ARENA_LENGTH)
    if arena is NULL:
        raise MemoryError
    try:
        with nogil:
            began = nano_time(&clock.c)
            outcome = operation(arena, count)
            elapsed = nano_time(&clock.c) - began
    finally:
        free(arena)
    if outcome <= 0:  # an operation failed: its time would be meaningless
        raise AssertionError(f"{name}: expected every operation to succeed, the sum is {outcome}")
    return elapsed
