"""The agent that sends.

``Sender``. A duty cycle: commands, data of every publication, control sockets, re-resolution.
"""
cimport cython
from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.driver.send.network_publication cimport (
    NetworkPublication,
    is_status_rejected,
    network_publication,
    on_publication_error,
    on_publication_nak,
    on_publication_rtt,
    on_publication_status,
    send_publication,
    send_unsent_end,
)
from aeron_cluster.driver.send.send_endpoint cimport (
    SEND_CONNECTED,
    SEND_MANUAL,
    SendEndpoint,
    add_destination,
    destination_of_id,
    remove_destination,
    send_destination,
    send_endpoint,
    track_destination,
)
from aeron_cluster.driver.streams.agent_commands cimport (
    COMMAND_ADD_DESTINATION,
    COMMAND_ADD_ENDPOINT,
    COMMAND_ADD_PUBLICATION,
    COMMAND_CHANGE_ADDRESS,
    COMMAND_REMOVE_DESTINATION,
    COMMAND_REMOVE_ENDPOINT,
    COMMAND_REMOVE_PUBLICATION,
    command,
)
from aeron_cluster.driver.streams.agent_events cimport (
    EVENT_ADDRESS_CHANGED,
    EVENT_ENDPOINT_RELEASED,
    EVENT_PACKET_DROPPED,
    EVENT_PUBLICATION_RELEASED,
    EVENT_RESOLUTION_DUE,
    EVENT_RESPONSE_CONNECTED,
    EVENT_RESPONSE_SETUP,
    FAULT_CONTENT,
    FAULT_LENGTH,
    FAULT_VERSION,
    claim_event,
    drop_packet,
    event,
)
from aeron_cluster.driver.streams.agent_queue cimport queue_peek, queue_publish, queue_release
from aeron_cluster.driver.streams.counter_values cimport count
from aeron_cluster.driver.streams.datagram_agent cimport DatagramAgent, is_resolution_due
from aeron_cluster.driver.streams.pointer_array cimport pointers_add, pointers_free, pointers_remove
from aeron_cluster.driver.streams.stream_table cimport (
    stream_slot,
    table_find,
    table_put,
    table_remove,
)
from aeron_cluster.logbuffer.frames cimport (
    FRAME_ERROR,
    FRAME_HEADER_LENGTH,
    FRAME_NAK,
    FRAME_RESPONSE_SETUP,
    FRAME_RTT_MEASUREMENT,
    FRAME_STATUS_MESSAGE,
    FRAME_VERSION,
    error_frame,
    frame_header,
    nak_frame,
    response_setup_frame,
    rtt_frame,
    status_frame,
)
from aeron_cluster.memory.agents.cycle_tracker cimport track_cycle
from aeron_cluster.memory.shared.counters cimport CountersManager
from aeron_cluster.memory.shared.counters_layout cimport (
    SYSTEM_BYTES_SENT,
    SYSTEM_NAKS_RECEIVED,
    SYSTEM_RESOLUTION_CHANGES,
    SYSTEM_SENDER_CYCLE_TIME_EXCEEDED,
    SYSTEM_SENDER_MAX_CYCLE_TIME,
    SYSTEM_SENDER_PROXY_FAILS,
    SYSTEM_STATUS_MESSAGES_RECEIVED,
    SYSTEM_STATUS_MESSAGES_REJECTED,
)
from aeron_cluster.memory.system.invariants cimport PLACE, holds
from aeron_cluster.memory.system.seams cimport (
    Clock,
    address as c_address,
    address_from,
    address_to,
    datagram,
    nano_time,
)

from aeron_cluster.driver.send.send_events import (
    PublicationErrored,
    PublicationReleased,
    ResponseConnected,
    ResponseSetupReceived,
    SendAddressChanged,
    SendEndpointReleased,
    SendResolutionDue,
)
from aeron_cluster.driver.streams.dropped_packets import Fault, PacketDropped
from aeron_cluster.errors import StateError

# Not an enumerator: one beyond the range of int would make its expressions unsigned.
cdef int64_t IDLE_RESOLUTION_NS = 5_000_000_000

cdef enum:
    COMMAND_LIMIT = 8  # per duty cycle
    CONTROL_BATCH_COUNT = 4


cdef int sender_do_work(void *state) except -1 nogil:
    return sender_duty_cycle(<sender *>state)


cdef int sender_duty_cycle(sender *agent) noexcept nogil:
    cdef int64_t now_ns = nano_time(&agent.common.clock)
    cdef int work_count
    cdef int bytes_sent
    cdef bint is_urgent = False
    track_cycle(&agent.common.tracker, now_ns)
    work_count = run_commands(agent, now_ns)
    bytes_sent = send_all(agent, now_ns, &is_urgent)
    if bytes_sent > 0:
        agent.pass_count += 1
    # An unneeded system call would delay replies to received messages: while no publication waits
    # for a status message, control sockets are polled less often.
    if (is_urgent or agent.pass_count >= agent.status_poll_ratio
            or now_ns - agent.control_deadline_ns >= 0):
        work_count += poll_control(agent, now_ns)
        agent.pass_count = 0
        agent.control_deadline_ns = now_ns + agent.control_interval_ns
    if is_resolution_due(&agent.common, now_ns):
        check_resolution(agent, now_ns)
    return work_count + bytes_sent


cdef int send_all(sender *agent, int64_t now_ns, bint *is_urgent) noexcept nogil:
    cdef int32_t total = agent.publications.count
    cdef int32_t index
    cdef int bytes_sent = 0
    cdef network_publication *publication
    if total == 0:
        return 0
    if not holds(
        agent.start >= 0 and total <= agent.publications.capacity, PLACE,
        "each publication has an entry", total, agent.publications.capacity,
    ):
        return 0
    index = agent.start
    if index >= total:
        index = 0
    agent.start = index + 1
    for _ in range(total):
        publication = <network_publication *>agent.publications.items[index]
        bytes_sent += send_publication(publication, now_ns)
        if publication.awaits_status:
            publication.awaits_status = False
            is_urgent[0] = True
        index += 1
        if index == total:
            index = 0
    if bytes_sent > 0:
        count(agent.common.system_counters, SYSTEM_BYTES_SENT, bytes_sent)
    return bytes_sent


cdef int poll_control(sender *agent, int64_t now_ns) noexcept nogil:
    cdef int32_t index
    cdef int received
    cdef int item
    cdef int work_count = 0
    cdef int64_t handle
    cdef send_endpoint *endpoint
    for index in range(agent.common.endpoints.count):
        endpoint = <send_endpoint *>agent.common.endpoints.items[index]
        handle = endpoint.control_handle if endpoint.control_handle >= 0 else endpoint.handle
        if handle < 0:
            continue
        received = endpoint.network.ops.receive(
            endpoint.network.state, handle, agent.common.batch, CONTROL_BATCH_COUNT)
        if not holds(
            received <= CONTROL_BATCH_COUNT, PLACE, "no more is received than there are buffers",
            received, CONTROL_BATCH_COUNT,
        ):
            return work_count
        for item in range(received):
            dispatch_control(agent, endpoint, &agent.common.batch[item], now_ns)
            work_count += 1
    return work_count


cdef inline network_publication *publication_of(
        send_endpoint *endpoint, int32_t stream_id, int32_t session_id) noexcept nogil:
    cdef stream_slot *slot = table_find(&endpoint.publications, stream_id, session_id)
    return <network_publication *>slot.value if slot != NULL else NULL


cdef inline void drop(
        sender *agent, send_endpoint *endpoint, int32_t why, const datagram *item
) noexcept nogil:
    drop_packet(
        &agent.common.events, agent.common.system_counters, endpoint.owner, why, item.data,
        item.length, &item.address)


cdef void dispatch_control(
        sender *agent, send_endpoint *endpoint, const datagram *item, int64_t now_ns
) noexcept nogil:
    cdef const uint8_t *packet = item.data
    cdef int32_t length = item.length
    cdef const frame_header *header = <const frame_header *>packet
    cdef int32_t least
    if not holds(
        length <= item.capacity, PLACE, "a datagram fits its buffer", length, item.capacity
    ):
        return
    if length < FRAME_HEADER_LENGTH:
        drop(agent, endpoint, FAULT_LENGTH, item)
        return
    if header.version != FRAME_VERSION:
        drop(agent, endpoint, FAULT_VERSION, item)
        return
    if header.type == FRAME_STATUS_MESSAGE:
        least = sizeof(status_frame)
    elif header.type == FRAME_NAK:
        least = sizeof(nak_frame)
    elif header.type == FRAME_ERROR:
        least = sizeof(error_frame)
    elif header.type == FRAME_RTT_MEASUREMENT:
        least = sizeof(rtt_frame)
    elif header.type == FRAME_RESPONSE_SETUP:
        least = sizeof(response_setup_frame)
    else:
        return  # a type of a later version, or not for senders
    if length < least:
        drop(agent, endpoint, FAULT_LENGTH, item)
    elif header.type == FRAME_STATUS_MESSAGE:
        on_status_packet(agent, endpoint, item, now_ns)
    elif header.type == FRAME_NAK:
        on_nak_packet(agent, endpoint, item, now_ns)
    elif header.type == FRAME_ERROR:
        on_error_packet(endpoint, item, now_ns)
    elif header.type == FRAME_RTT_MEASUREMENT:
        on_rtt_packet(endpoint, packet, now_ns)
    else:
        on_response_setup_packet(agent, endpoint, packet)


cdef void on_status_packet(
        sender *agent, send_endpoint *endpoint, const datagram *item, int64_t now_ns
) noexcept nogil:
    cdef const status_frame *frame = <const status_frame *>item.data
    cdef network_publication *publication = publication_of(
        endpoint, frame.stream_id, frame.session_id)
    count(agent.common.system_counters, SYSTEM_STATUS_MESSAGES_RECEIVED, 1)
    if publication != NULL and is_status_rejected(publication, item.data):
        count(agent.common.system_counters, SYSTEM_STATUS_MESSAGES_REJECTED, 1)
        return
    endpoint.last_status_message_ns = now_ns
    track_destination(endpoint, frame.receiver_id, &item.address, now_ns)
    if publication != NULL:
        on_publication_status(publication, item.data, item.length, &item.address, now_ns)


cdef void on_nak_packet(
        sender *agent, send_endpoint *endpoint, const datagram *item, int64_t now_ns
) noexcept nogil:
    cdef const nak_frame *frame = <const nak_frame *>item.data
    cdef network_publication *publication = publication_of(
        endpoint, frame.stream_id, frame.session_id)
    if publication == NULL:
        return
    count(agent.common.system_counters, SYSTEM_NAKS_RECEIVED, 1)
    if not on_publication_nak(publication, item.data, now_ns):
        drop(agent, endpoint, FAULT_CONTENT, item)


cdef void on_error_packet(
        send_endpoint *endpoint, const datagram *item, int64_t now_ns) noexcept nogil:
    cdef const error_frame *frame = <const error_frame *>item.data
    cdef network_publication *publication = publication_of(
        endpoint, frame.stream_id, frame.session_id)
    if publication != NULL:
        on_publication_error(publication, item.data, item.length, &item.address, now_ns)


cdef void on_rtt_packet(
        send_endpoint *endpoint, const uint8_t *packet, int64_t now_ns) noexcept nogil:
    cdef const rtt_frame *frame = <const rtt_frame *>packet
    cdef network_publication *publication = publication_of(
        endpoint, frame.stream_id, frame.session_id)
    if publication != NULL:
        on_publication_rtt(publication, packet, now_ns)


cdef void on_response_setup_packet(
        sender *agent, send_endpoint *endpoint, const uint8_t *packet) noexcept nogil:
    cdef const response_setup_frame *frame = <const response_setup_frame *>packet
    cdef network_publication *publication = publication_of(
        endpoint, frame.stream_id, frame.session_id)
    cdef event *slot
    if publication == NULL or publication.response_correlation_id == -1:
        return
    slot = claim_event(
        &agent.common.events, EVENT_RESPONSE_SETUP, publication.owner, agent.common.system_counters)
    if slot != NULL:
        slot.id = frame.response_session_id
        queue_publish(&agent.common.events)


cdef void check_resolution(sender *agent, int64_t now_ns) noexcept nogil:
    cdef int32_t index
    cdef int32_t item
    cdef send_endpoint *endpoint
    cdef send_destination *destination
    if not holds(
        agent.common.endpoints.count <= agent.common.endpoints.capacity, PLACE,
        "each endpoint has an entry", agent.common.endpoints.count,
        agent.common.endpoints.capacity,
    ):
        return
    for index in range(agent.common.endpoints.count):
        endpoint = <send_endpoint *>agent.common.endpoints.items[index]
        if endpoint.mode == SEND_CONNECTED and endpoint.is_resolvable and (
                now_ns - (endpoint.last_status_message_ns + IDLE_RESOLUTION_NS) > 0):
            if not request_resolution(agent, endpoint, -1):
                return
            endpoint.last_status_message_ns = now_ns
        elif endpoint.mode == SEND_MANUAL:
            for item in range(endpoint.destination_count):
                destination = &endpoint.destinations[item]
                if (now_ns - (destination.last_activity_ns + IDLE_RESOLUTION_NS) > 0
                        and now_ns - destination.resolution_deadline_ns >= 0):
                    if not request_resolution(agent, endpoint, destination.registration_id):
                        return
                    destination.resolution_deadline_ns = now_ns + IDLE_RESOLUTION_NS


cdef bint request_resolution(
        sender *agent, send_endpoint *endpoint, int64_t destination_id) noexcept nogil:
    cdef event *slot = claim_event(
        &agent.common.events, EVENT_RESOLUTION_DUE, endpoint.owner, agent.common.system_counters)
    if slot == NULL:
        return False
    slot.id = destination_id
    queue_publish(&agent.common.events)
    return True


# ---- commands ----

# One loop for both agents would call run_command by a pointer.
cdef int run_commands(sender *agent, int64_t now_ns) noexcept nogil:
    cdef int work_count = 0
    cdef command *item
    while work_count < COMMAND_LIMIT:
        item = <command *>queue_peek(&agent.common.commands)
        if item == NULL or not run_command(agent, item, now_ns):
            break
        queue_release(&agent.common.commands)
        work_count += 1
    return work_count


# Returns False to retry the command in the next duty cycle: there is no space for its event.
cdef bint run_command(sender *agent, command *item, int64_t now_ns) noexcept nogil:
    cdef network_publication *publication
    cdef send_endpoint *endpoint
    cdef send_destination *destination
    cdef stream_slot *slot
    cdef event *answer = NULL
    if item.type == COMMAND_REMOVE_ENDPOINT or item.type == COMMAND_REMOVE_PUBLICATION:
        answer = claim_event(
            &agent.common.events, EVENT_ENDPOINT_RELEASED, NULL, agent.common.system_counters)
        if answer == NULL:
            return False
    if item.type == COMMAND_ADD_PUBLICATION:
        publication = <network_publication *>item.subject
        slot = table_put(
            &publication.endpoint.publications, publication.stream_id, publication.session_id, 1)
        if slot == NULL or pointers_add(&agent.publications, publication) < 0:
            return False
        slot.value = publication
        return True
    if item.type == COMMAND_REMOVE_PUBLICATION:
        publication = <network_publication *>item.subject
        send_unsent_end(publication, now_ns)
        pointers_remove(&agent.publications, publication)
        slot = table_find(
            &publication.endpoint.publications, publication.stream_id, publication.session_id)
        if slot != NULL and slot.value == publication:
            table_remove(&publication.endpoint.publications, slot)
        answer.type = EVENT_PUBLICATION_RELEASED
        answer.subject = publication.owner
        queue_publish(&agent.common.events)
        return True
    endpoint = <send_endpoint *>item.subject
    if item.type == COMMAND_ADD_ENDPOINT:
        endpoint.last_status_message_ns = now_ns
        return pointers_add(&agent.common.endpoints, endpoint) == 0
    if item.type == COMMAND_REMOVE_ENDPOINT:
        pointers_remove(&agent.common.endpoints, endpoint)
        answer.subject = endpoint.owner
        queue_publish(&agent.common.events)
    elif item.type == COMMAND_ADD_DESTINATION:
        add_destination(endpoint, &item.address, item.id, now_ns)
    elif item.type == COMMAND_REMOVE_DESTINATION:
        remove_destination(endpoint, item.id)
    elif item.type == COMMAND_CHANGE_ADDRESS:
        if item.id == -1:
            return connect_again(agent, endpoint, &item.address)
        destination = destination_of_id(endpoint, item.id)
        if destination != NULL:
            destination.address = item.address
            destination.has_receiver_id = False
        count(agent.common.system_counters, SYSTEM_RESOLUTION_CHANGES, 1)
    return True


cdef bint connect_again(
        sender *agent, send_endpoint *endpoint, const c_address *remote) noexcept nogil:
    cdef int result
    cdef event *slot = claim_event(
        &agent.common.events, EVENT_ADDRESS_CHANGED, endpoint.owner, agent.common.system_counters)
    if slot == NULL:
        return False
    result = endpoint.network.ops.connect(endpoint.network.state, endpoint.handle, remote)
    slot.error_code = -result
    slot.source = remote[0]
    queue_publish(&agent.common.events)
    if result == 0:
        count(agent.common.system_counters, SYSTEM_RESOLUTION_CHANGES, 1)
    return True


@cython.final
cdef class Sender(DatagramAgent):
    """The agent that sends data, setup frames, heartbeats and retransmits, and polls for replies.

    The methods are the conductor's: each leaves a command and returns False where the queue is
    full (retry in the next duty cycle). A command never blocks.

    Parameters
    ----------
    clock
        The clock.
    counters
        The driver's counters.
    status_poll_ratio
        The number of duty cycles with sent data after which control sockets are polled anyway.
    control_interval_ns
        The longest interval of polling control sockets, in ns; they are polled in each duty cycle
        while a publication waits for a status message.
    resolution_interval_ns
        The interval of re-resolution of inactive addresses, in ns; 0 for never.
    cycle_threshold_ns
        A longer duty cycle is counted, in ns.
    """

    def __cinit__(
        self,
        Clock clock not None,
        CountersManager counters not None,
        *,
        int32_t status_poll_ratio=6,
        int64_t control_interval_ns=10_000,
        int64_t resolution_interval_ns=1_000_000_000,
        int64_t cycle_threshold_ns=100_000_000,
    ):
        self.begin(
            &self.c.common, clock, counters, CONTROL_BATCH_COUNT, resolution_interval_ns,
            cycle_threshold_ns)
        self.count_with(
            SYSTEM_SENDER_MAX_CYCLE_TIME, SYSTEM_SENDER_CYCLE_TIME_EXCEEDED,
            SYSTEM_SENDER_PROXY_FAILS)
        self.c.status_poll_ratio = status_poll_ratio
        self.c.control_interval_ns = control_interval_ns
        self.c.control_deadline_ns = nano_time(&self.c.common.clock)
        self.do_work_fn = sender_do_work
        self.state = &self.c

    def __dealloc__(self):
        pointers_free(&self.c.publications)

    @property
    def role_name(self):
        return "sender"

    def send_unsent_ends(self):
        """Send the ends of streams for which no heartbeat was due: after the last duty cycle."""
        cdef int64_t now_ns = nano_time(&self.c.common.clock)
        cdef int32_t index
        for index in range(self.c.publications.count):
            send_unsent_end(<network_publication *>self.c.publications.items[index], now_ns)

    def add_endpoint(self, SendEndpoint endpoint not None):
        """Add an endpoint for sending and polling."""
        if self._command(COMMAND_ADD_ENDPOINT, &endpoint.c) == NULL:
            return False
        endpoint.c.events = &self.c.common.events
        self._retained[<size_t>&endpoint.c] = endpoint
        queue_publish(&self.c.common.commands)
        return True

    def _check_retained(self, SendEndpoint endpoint not None):
        if <size_t>&endpoint.c not in self._retained:
            raise StateError(f"send endpoint {endpoint.c.registration_id}: not the sender's")

    def remove_endpoint(self, SendEndpoint endpoint not None):
        """``SendEndpointReleased`` follows; its publications must have been released."""
        self._check_retained(endpoint)
        if self._command(COMMAND_REMOVE_ENDPOINT, &endpoint.c) == NULL:
            return False
        queue_publish(&self.c.common.commands)
        return True

    def add_publication(self, NetworkPublication publication not None):
        """Add a publication to send; its endpoint was added before."""
        self._check_retained(publication._endpoint)
        if self._command(COMMAND_ADD_PUBLICATION, publication._open()) == NULL:
            return False
        self._retained[<size_t>publication.c] = publication
        queue_publish(&self.c.common.commands)
        return True

    def remove_publication(self, NetworkPublication publication not None):
        """Stop sending a publication; ``PublicationReleased`` follows."""
        if <size_t>publication.c not in self._retained:
            raise StateError(f"publication {publication.c.registration_id}: not the sender's")
        if self._command(COMMAND_REMOVE_PUBLICATION, publication.c) == NULL:
            return False
        queue_publish(&self.c.common.commands)
        return True

    def add_destination(
            self, SendEndpoint endpoint not None, address, int64_t registration_id):
        """Send to one more destination of a manual endpoint; without an address not yet."""
        return self._send_address(COMMAND_ADD_DESTINATION, endpoint, address, registration_id)

    def remove_destination(self, SendEndpoint endpoint not None, int64_t registration_id):
        """Remove the destination with a registration id."""
        return self._send_address(COMMAND_REMOVE_DESTINATION, endpoint, None, registration_id)

    def change_address(
            self, SendEndpoint endpoint not None, address, int64_t destination_id=-1):
        """Send to a newly resolved address from now on.

        ``SendAddressChanged`` follows if it is the endpoint's own.
        """
        return self._send_address(COMMAND_CHANGE_ADDRESS, endpoint, address, destination_id)

    def _send_address(self, int32_t type, SendEndpoint endpoint, remote, int64_t id):
        cdef c_address found
        cdef command *item
        self._check_retained(endpoint)
        address_from(remote, &found)
        item = self._command(type, &endpoint.c)
        if item == NULL:
            return False
        item.id = id
        item.address = found
        queue_publish(&self.c.common.commands)
        return True

    def poll_event(self):
        """Return the sender's next event, or None."""
        cdef event *slot = <event *>queue_peek(&self.c.common.events)
        if slot == NULL:
            return None
        subject = <object>slot.subject
        if slot.type == EVENT_ENDPOINT_RELEASED:
            result = SendEndpointReleased(subject)
            self._retained.pop(<size_t>&(<SendEndpoint>subject).c, None)
        elif slot.type == EVENT_PUBLICATION_RELEASED:
            result = PublicationReleased(subject)
            self._retained.pop(<size_t>(<NetworkPublication>subject).c, None)
        elif slot.type == EVENT_RESOLUTION_DUE:
            result = SendResolutionDue(subject, slot.id)
        elif slot.type == EVENT_ADDRESS_CHANGED:
            result = SendAddressChanged(subject, address_to(&slot.source), slot.error_code)
        elif slot.type == EVENT_RESPONSE_SETUP:
            result = ResponseSetupReceived(subject, <int32_t>slot.id)
        elif slot.type == EVENT_RESPONSE_CONNECTED:
            result = ResponseConnected(subject)
        elif slot.type == EVENT_PACKET_DROPPED:
            result = PacketDropped(
                subject, address_to(&slot.source), slot.index, slot.term_length,
                Fault(slot.error_code))
        else:
            result = PublicationErrored(
                subject, slot.id, slot.session_id, slot.stream_id, slot.receiver_id,
                slot.group_tag if slot.has_group_tag else None, address_to(&slot.source),
                slot.error_code,
                PyUnicode_DecodeASCII(<char *>slot.text, slot.text_length, "replace"))
        queue_release(&self.c.common.events)
        return result
