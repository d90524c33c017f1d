"""Corrupt the internal state of agents, as a defect or a stray write would."""

from libc.errno cimport EINVAL
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from aeron_cluster.archive.recording.recorder cimport (
    Recorder,
    RecordingSession,
    recording_session,
)
from aeron_cluster.archive.replay.replayer cimport ReplaySession
from aeron_cluster.client.conductor_agent cimport ConductorAgent
from aeron_cluster.client.image cimport Image
from aeron_cluster.client.publication cimport ExclusivePublication
from aeron_cluster.cluster.agent.module_agent cimport ModuleAgent
from aeron_cluster.cluster.log.log_adapter cimport LogAdapter
from aeron_cluster.cluster.service.service_agent cimport ServiceAgent
from aeron_cluster.cluster.state.session_table cimport SessionTable
from aeron_cluster.driver.control.stream_tracking cimport StreamTracking
from aeron_cluster.driver.media.resolution_socket cimport ResolutionSocket, poll_resolutions
from aeron_cluster.driver.receive.publication_image cimport PublicationImage, on_image_packet
from aeron_cluster.driver.receive.receive_endpoint cimport ReceiveEndpoint
from aeron_cluster.driver.send.network_publication cimport NetworkPublication
from aeron_cluster.driver.send.retransmit cimport on_nak
from aeron_cluster.driver.send.send_endpoint cimport SendEndpoint
from aeron_cluster.driver.send.sender cimport Sender
from aeron_cluster.driver.streams.agent_events cimport FAULT_CONTENT, drop_packet
from aeron_cluster.driver.streams.agent_queue cimport (
    queue_claim,
    queue_publish,
    queue_release,
    spsc_queue,
)
from aeron_cluster.driver.streams.ipc_publication cimport IpcPublication
from aeron_cluster.driver.streams.log_pages cimport allocate_pages, log_pages
from aeron_cluster.driver.streams.pointer_array cimport (
    pointer_array,
    pointers_add,
    pointers_free,
    pointers_remove,
)
from aeron_cluster.driver.streams.position_set cimport position_set, positions_add
from aeron_cluster.driver.streams.stream_table cimport (
    stream_slot,
    stream_table,
    table_free,
    table_put,
    table_remove,
)
from aeron_cluster.logbuffer cimport term_rebuilder
from aeron_cluster.logbuffer.local_log cimport LocalLog
from aeron_cluster.logbuffer.term_appender cimport (
    byte_vector,
    concurrent_offer,
    concurrent_offer_vectored,
    exclusive_offer,
    exclusive_offer_vectored,
)
from aeron_cluster.logbuffer.term_scanner cimport scan_message_begin
from aeron_cluster.memory.system.invariants cimport check_violations
from aeron_cluster.memory.system.seams cimport address, datagram, datagram_ops


def shrink_publications(Sender sender not None):
    """Give a sender more publications than entries for them."""
    sender.c.publications.capacity = 0


def start_before_first(Sender sender not None):
    """Let a sender begin its pass before its first publication."""
    sender.c.start = -1


def shrink_endpoints(Sender sender not None):
    sender.c.common.endpoints.capacity = 0


def overfill_commands(Sender sender not None):
    """Give a sender's queue more commands than its capacity."""
    sender.c.common.commands.tail_seen = sender.c.common.commands.head + 1_000_000


def clean_ahead(NetworkPublication publication not None):
    """Move a publication's clean position past its sender position."""
    publication.c.clean_position = 1 << 40


def overfill_receivers(NetworkPublication publication not None):
    publication.c.receiver_count = 1_000_000


def retransmit_too_many(NetworkPublication publication not None, int32_t count):
    publication.c.retransmits.active_count = count


def overfill_destinations(SendEndpoint endpoint not None, int32_t count):
    endpoint.c.destination_count = count


def overfill_table(SendEndpoint endpoint not None):
    """Give an endpoint's table of publications more entries than it has room for."""
    endpoint.c.publications.count = 1000


def overfill_transports(ReceiveEndpoint endpoint not None, int32_t count):
    endpoint.c.transport_count = count


def overfill_connections(PublicationImage image not None, int32_t count):
    image.c.connection_count = count


def shrink_subscribers(PublicationImage image not None):
    image.c.subscribers.capacity = 0


def shrink_ipc_subscribers(IpcPublication publication not None):
    publication.c.subscribers.capacity = 0


def shrink_network_publications(StreamTracking tracking not None):
    tracking.c.network_publications.capacity = 0


def rebuild_ahead(PublicationImage image not None):
    """Move an image's rebuild position past its high-water mark."""
    image.c.rebuilder.contiguous_position = image.c.rebuilder.high_water_position + 32


def shrink_images(StreamTracking tracking not None):
    tracking.c.images.capacity = 0


def move_recording(RecordingSession session not None, int64_t distance):
    """Move a recording's position away from that of its file."""
    session.c.position += distance


def move_segment(RecordingSession session not None, int64_t distance):
    session.c.segment_base += distance


def move_first_recording(Recorder recorder not None, int64_t distance):
    """Move the first recording of a running recorder; return its id, -1 if it has none yet."""
    cdef recording_session *session = <recording_session *>recorder.c.common.sessions.session
    if session == NULL:
        return -1
    session.position += distance
    return session.recording_id


def move_replay(ReplaySession session not None, int64_t distance):
    session.c.position += distance


def rename_member(ModuleAgent agent not None):
    """Give a module the id of a member that does not exist."""
    agent.c.members.own_index = 1000


def append_too_many(ModuleAgent agent not None, int service_id):
    """Count more of a service's messages as appended than are retained."""
    agent.c.control.trackers[service_id].appended_count = (
        agent.c.control.trackers[service_id].count + 1)


def read_elsewhere(LogAdapter reader not None, Image image not None):
    """Make a follower read another log."""
    reader.c.poller = &image.poller


def forget_sessions(SessionTable table not None):
    table.c.count = 0


def read_ahead(ServiceAgent agent not None):
    """Move a service's read position past the commit position."""
    agent.cluster.c.table.log_position = 1 << 40


def mistake_heartbeat(ConductorAgent agent not None):
    """Make a client write its heartbeats to a counter that does not exist."""
    agent.c.heartbeat_id = 1 << 30
    agent.c.keepalive_deadline_ns = 0


def misplace_publication(ExclusivePublication publication not None):
    """Move a publication's position into a frame."""
    publication.c.appender.term_offset += 5


def misplace_log(LocalLog log not None, int32_t distance):
    log.exclusive.term_offset += distance


def skip_term(LocalLog log not None):
    """Move a publication's log to another term than its appender."""
    log.log.metadata.active_term_count += 1


def misread(LocalLog log not None):
    """Move a subscriber's position into a frame."""
    log.position += 5


def misplace_tail(LocalLog log not None):
    """Move the shared tail of a log's first term into a frame."""
    log.log.metadata.tail_counters[0] += 5


def mistake_partition(LocalLog log not None):
    """Make a log's next partition that of another term."""
    log.log.metadata.tail_counters[1] += 1 << 32


def misplace_rebuilder(LocalLog log not None, int64_t distance):
    """Move the position up to which all packets were inserted."""
    log.rebuilder.contiguous_position += distance


# ---- calls that no part of the program makes ----

def receive_by_transport(PublicationImage image not None, int32_t transport_index):
    """Pass a data header to an image, as from a transport."""
    cdef uint8_t[32] packet
    cdef address source
    memset(packet, 0, sizeof(packet))
    memset(&source, 0, sizeof(source))
    on_image_packet(image.c, transport_index, packet, sizeof(packet), &source, 0)
    check_violations()


cdef void resend_nothing(
        void *_context, int32_t _term_id, int32_t _term_offset, int32_t _length) noexcept nogil:
    pass


def request_at(NetworkPublication publication not None, int32_t term_offset):
    """Request a retransmission at an offset."""
    cdef int32_t term_length = publication.c.log.term_length
    on_nak(
        &publication.c.retransmits, 0, term_offset, 32, term_length, term_length, 0, resend_nothing,
        NULL)
    check_violations()


def read_past_writer(Sender sender not None):
    """Claim a slot of a queue that was read further than it was written."""
    cdef spsc_queue *queue = &sender.c.common.events
    queue.head_seen = queue.tail + 1
    assert queue_claim(queue) == NULL
    check_violations()


def publish_unclaimed(Sender sender not None):
    """Publish a slot of a full queue; return its tail."""
    cdef spsc_queue *queue = &sender.c.common.events
    queue.head_seen = queue.tail - queue.capacity
    queue_publish(queue)
    check_violations()


def release_unread(Sender sender not None):
    queue_release(&sender.c.common.events)
    check_violations()


def drop_without_agent(SendEndpoint endpoint not None):
    """Drop a packet of an endpoint that no agent has."""
    cdef uint8_t[8] packet
    cdef address source
    memset(packet, 0, sizeof(packet))
    memset(&source, 0, sizeof(source))
    drop_packet(NULL, endpoint.c.system_counters, NULL, FAULT_CONTENT, packet, 8, &source)


def add_to_shrunk_pointers():
    cdef pointer_array pointers
    memset(&pointers, 0, sizeof(pointers))
    pointers.count = 1
    assert pointers_add(&pointers, <void *>&pointers) == -1
    check_violations()


def remove_from_shrunk_pointers():
    cdef pointer_array pointers
    memset(&pointers, 0, sizeof(pointers))
    pointers.count = 1
    assert not pointers_remove(&pointers, <void *>&pointers)
    check_violations()


def remove_unknown_pointer():
    """Remove a pointer that is not in an array of one; return what the calls returned."""
    cdef pointer_array pointers
    cdef int first = 1, other = 2
    memset(&pointers, 0, sizeof(pointers))
    pointers_add(&pointers, <void *>&first)
    results = [
        bool(pointers_remove(&pointers, <void *>&other)), pointers.count,
        bool(pointers_remove(&pointers, <void *>&first)), pointers.count,
    ]
    pointers_free(&pointers)
    return results


def add_to_shrunk_positions():
    cdef position_set positions
    cdef int64_t position = 0
    memset(&positions, 0, sizeof(positions))
    positions.count = 1
    assert positions_add(&positions, &position) == -1
    check_violations()


def remove_from_table(bint is_empty_slot, bint is_elsewhere, bint is_overfull):
    """Remove an entry of a table of one: an empty one, one that is elsewhere, or of a table with
    more entries than half of its capacity.
    """
    cdef stream_table table
    cdef stream_slot *slot
    memset(&table, 0, sizeof(table))
    slot = table_put(&table, 1, 2, 1)
    if is_empty_slot:
        slot.state = 0
    if is_elsewhere:
        slot = table.slots + table.capacity
    if is_overfull:
        table.count = table.capacity
    table_remove(&table, slot)
    table_free(&table)
    check_violations()


def allocate_no_pages():
    """Allocate pages up to where they are allocated already."""
    cdef log_pages pages
    memset(&pages, 0, sizeof(pages))
    pages.term_length = 65536
    pages.unit_length = 4096
    pages.end = 8192
    assert allocate_pages(&pages, 8192) == EINVAL
    assert pages.end == 8192
    check_violations()


def skip_to(LocalLog log not None, int64_t position):
    """Stop expecting packets below a position."""
    term_rebuilder.skip_to(&log.rebuilder, position)
    check_violations()


def offer_lengths(LocalLog log not None, int32_t length, size_t vector_length):
    """Offer messages of a length without content; return what each function of a log returned."""
    cdef uint8_t[8] data
    cdef byte_vector[2] vectors
    cdef int i
    memset(data, 0, sizeof(data))
    for i in range(2):
        vectors[i].data = data
        vectors[i].length = vector_length
    return [
        concurrent_offer(&log.shared, data, length),
        concurrent_offer_vectored(&log.shared, vectors, 2),
        exclusive_offer(&log.exclusive, data, length),
        exclusive_offer_vectored(&log.exclusive, vectors, 2),
    ]


# ---- the scan of a term ----

def message_begin(LocalLog log not None, int32_t term_offset):
    """Return the start of the message that contains an offset of a log's first term."""
    return scan_message_begin(log.log.terms[0], term_offset)


# ---- sockets ----

# The table of a network whose calls return a number regardless of what they did.
cdef datagram_ops faulty_ops
cdef int returned_count
cdef int32_t excess_length  # of a received datagram, beyond its buffer


cdef int faulty_send(
        void *_state, int64_t _handle, datagram *_datagrams, int _count) noexcept nogil:
    return returned_count


cdef int faulty_receive(
        void *_state, int64_t _handle, datagram *datagrams, int _count) noexcept nogil:
    datagrams[0].length = datagrams[0].capacity + excess_length
    return returned_count


cdef const datagram_ops *make_faulty(const datagram_ops *ops, int count, int32_t excess):
    global faulty_ops, returned_count, excess_length
    faulty_ops = ops[0]
    faulty_ops.send = faulty_send
    faulty_ops.receive = faulty_receive
    returned_count = count
    excess_length = excess
    return &faulty_ops


def fault_sender_sockets(SendEndpoint endpoint not None, int count, int32_t excess=0):
    """Make the sockets of a send endpoint return a number of datagrams."""
    endpoint.c.network.ops = make_faulty(endpoint.c.network.ops, count, excess)


def fault_receiver_sockets(ReceiveEndpoint endpoint not None, int count, int32_t excess=0):
    endpoint.c.network.ops = make_faulty(endpoint.c.network.ops, count, excess)


def fault_resolution_socket(ResolutionSocket socket not None, int count):
    socket.c.network.ops = make_faulty(socket.c.network.ops, count, 0)


def poll_resolution_socket(ResolutionSocket socket not None, int64_t now_ns):
    """Poll as the conductor's agent does; return whether there is something to handle."""
    return bool(poll_resolutions(&socket.c, now_ns))
