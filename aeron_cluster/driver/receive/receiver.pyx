"""The agent that receives.

``Receiver``. A duty cycle: commands, data sockets, then each image's status messages and NAKs,
eliciting missing setup frames, re-resolution.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.driver.receive.publication_image cimport (
    PublicationImage,
    drain_image,
    drop_connection,
    is_image_connected,
    publication_image,
    run_image,
)
from aeron_cluster.driver.receive.receive_dispatcher cimport (
    add_interest,
    check_setups,
    dispatch_packet,
    dispatch_to_image,
    forget_cool_down,
    forget_image,
    forget_init_in_progress,
    has_interest,
    remove_interest,
)
from aeron_cluster.driver.receive.receive_endpoint cimport (
    MAX_TRANSPORT_COUNT,
    ReceiveEndpoint,
    elicit_setup,
    receive_endpoint,
    receive_transport,
)
from aeron_cluster.driver.streams.agent_commands cimport (
    COMMAND_ADD_ENDPOINT,
    COMMAND_ADD_IMAGE,
    COMMAND_ADD_SUBSCRIPTION,
    COMMAND_ADD_TRANSPORT,
    COMMAND_CHANGE_ADDRESS,
    COMMAND_REMOVE_COOL_DOWN,
    COMMAND_REMOVE_ENDPOINT,
    COMMAND_REMOVE_INIT_IN_PROGRESS,
    COMMAND_REMOVE_SUBSCRIPTION,
    COMMAND_REMOVE_TRANSPORT,
    COMMAND_REQUEST_SETUP,
    command,
)
from aeron_cluster.driver.streams.agent_events cimport (
    EVENT_ENDPOINT_RELEASED,
    EVENT_IMAGE_RELEASED,
    EVENT_IMAGE_REQUESTED,
    EVENT_PACKET_DROPPED,
    EVENT_RESOLUTION_DUE,
    EVENT_TRANSPORT_RELEASED,
    claim_event,
    event,
)
from aeron_cluster.driver.streams.agent_queue cimport queue_peek, queue_publish, queue_release
from aeron_cluster.driver.streams.counter_values cimport count
from aeron_cluster.driver.streams.datagram_agent cimport DatagramAgent, is_resolution_due
from aeron_cluster.driver.streams.datagram_limits cimport MAX_RECEIVE_COUNT
from aeron_cluster.driver.streams.pointer_array cimport pointers_add, pointers_free, pointers_remove
from aeron_cluster.memory.agents.cycle_tracker cimport track_cycle
from aeron_cluster.memory.shared.counters cimport CountersManager
from aeron_cluster.memory.shared.counters_layout cimport (
    SYSTEM_BYTES_RECEIVED,
    SYSTEM_RECEIVER_CYCLE_TIME_EXCEEDED,
    SYSTEM_RECEIVER_MAX_CYCLE_TIME,
    SYSTEM_RECEIVER_PROXY_FAILS,
    SYSTEM_RESOLUTION_CHANGES,
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

from aeron_cluster.driver.receive.receive_events import (
    ImageReleased,
    ImageRequested,
    ReceiveEndpointReleased,
    ReceiveResolutionDue,
    TransportReleased,
)
from aeron_cluster.driver.streams.dropped_packets import Fault, PacketDropped
from aeron_cluster.errors import StateError

# Not an enumerator: one beyond the range of int would make its expressions unsigned.
cdef int64_t IDLE_RESOLUTION_NS = 5_000_000_000

cdef enum:
    COMMAND_LIMIT = 8  # per duty cycle


cdef int receiver_do_work(void *state) except -1 nogil:
    return receiver_duty_cycle(<receiver *>state)


cdef int receiver_duty_cycle(receiver *agent) noexcept nogil:
    cdef int64_t now_ns = nano_time(&agent.common.clock)
    cdef int work_count
    cdef int32_t index
    track_cycle(&agent.common.tracker, now_ns)
    work_count = run_commands(agent, now_ns)
    work_count += poll_data(agent, now_ns)
    # From the last one: a removed image is replaced by one that was already polled.
    for index in range(agent.images.count - 1, -1, -1):
        work_count += image_duty_cycle(
            agent, <publication_image *>agent.images.items[index], now_ns)
    for index in range(agent.common.endpoints.count):
        work_count += check_setups(<receive_endpoint *>agent.common.endpoints.items[index], now_ns)
    if is_resolution_due(&agent.common, now_ns):
        check_resolution(agent, now_ns)
    return work_count


cdef int poll_data(receiver *agent, int64_t now_ns) noexcept nogil:
    cdef int32_t index
    cdef int32_t transport_index
    cdef int item
    cdef int received
    cdef int packet_count = 0
    cdef int64_t byte_count = 0
    cdef receive_endpoint *endpoint
    cdef receive_transport *transport
    cdef const datagram *packet
    for index in range(agent.common.endpoints.count):
        endpoint = <receive_endpoint *>agent.common.endpoints.items[index]
        if not holds(
            0 <= endpoint.transport_count <= MAX_TRANSPORT_COUNT, PLACE,
            "each transport has an entry", endpoint.transport_count, MAX_TRANSPORT_COUNT,
        ):
            return packet_count
        for transport_index in range(endpoint.transport_count):
            transport = &endpoint.transports[transport_index]
            if not transport.is_polled:
                continue
            received = endpoint.network.ops.receive(
                endpoint.network.state, transport.handle, agent.common.batch, transport.batch_count)
            if not holds(
                received <= transport.batch_count, PLACE,
                "no more is received than there are buffers", received, transport.batch_count,
            ):
                return packet_count
            # One buffer costs least for a quiet socket; a busy socket gets all of them.
            transport.batch_count = agent.max_batch_count if received > 0 else 1
            for item in range(received):
                packet = &agent.common.batch[item]
                if not holds(
                    0 <= packet.length <= packet.capacity, PLACE, "a datagram fits its buffer",
                    packet.length, packet.capacity,
                ):
                    return packet_count
                byte_count += packet.length
                transport.last_activity_ns = now_ns
                dispatch_packet(
                    endpoint, transport_index, packet.data, packet.length, &packet.address, now_ns)
            if received > 0:
                packet_count += received
    if byte_count > 0:
        count(agent.common.system_counters, SYSTEM_BYTES_RECEIVED, byte_count)
    return packet_count


cdef int image_duty_cycle(
        receiver *agent, publication_image *image, int64_t now_ns) noexcept nogil:
    cdef event *slot
    if not holds(
        image.rebuilder.contiguous_position <= image.rebuilder.high_water_position, PLACE,
        "contiguous frames end before the high-water mark", image.rebuilder.contiguous_position,
        image.rebuilder.high_water_position,
    ):
        return 0
    if is_image_connected(image, now_ns):
        return run_image(image, now_ns)
    slot = claim_event(
        &agent.common.events, EVENT_IMAGE_RELEASED, image.owner, agent.common.system_counters)
    if slot == NULL:
        return 0
    forget_image(image)
    drain_image(image, now_ns)
    pointers_remove(&agent.images, image)
    queue_publish(&agent.common.events)
    return 1


cdef void check_resolution(receiver *agent, int64_t now_ns) noexcept nogil:
    cdef int32_t index
    cdef int32_t transport_index
    cdef receive_endpoint *endpoint
    cdef receive_transport *transport
    cdef event *slot
    for index in range(agent.common.endpoints.count):
        endpoint = <receive_endpoint *>agent.common.endpoints.items[index]
        for transport_index in range(endpoint.transport_count):
            transport = &endpoint.transports[transport_index]
            if (not transport.is_polled or not transport.has_explicit_control
                    or now_ns - (transport.last_activity_ns + IDLE_RESOLUTION_NS) <= 0
                    or now_ns - transport.resolution_deadline_ns < 0):
                continue
            slot = claim_event(
                &agent.common.events, EVENT_RESOLUTION_DUE, endpoint.owner,
                agent.common.system_counters)
            if slot == NULL:
                return
            slot.index = transport_index
            queue_publish(&agent.common.events)
            transport.resolution_deadline_ns = now_ns + IDLE_RESOLUTION_NS


# ---- commands ----

# One loop for both agents would call run_command by a pointer.
cdef int run_commands(receiver *agent, int64_t now_ns) noexcept nogil:
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
cdef bint run_command(receiver *agent, command *item, int64_t now_ns) noexcept nogil:
    cdef receive_endpoint *endpoint
    cdef int32_t index
    if item.type == COMMAND_ADD_IMAGE:
        return add_image(agent, <publication_image *>item.subject, now_ns)
    endpoint = <receive_endpoint *>item.subject
    if item.type == COMMAND_ADD_ENDPOINT:
        for index in range(item.index):
            start_transport(endpoint, index, now_ns)
        return pointers_add(&agent.common.endpoints, endpoint) == 0
    if item.type == COMMAND_REMOVE_ENDPOINT:
        return remove_endpoint(agent, endpoint, now_ns)
    if item.type == COMMAND_ADD_TRANSPORT:
        start_transport(endpoint, item.index, now_ns)
        if endpoint.transports[item.index].has_explicit_control and has_interest(endpoint):
            elicit_setups(endpoint, item.index, 0, 0, now_ns)
    elif item.type == COMMAND_REMOVE_TRANSPORT:
        return remove_transport(agent, endpoint, item.index)
    elif item.type == COMMAND_CHANGE_ADDRESS:
        endpoint.transports[item.index].control_address = item.address
        update_connections(agent, endpoint, item.index)
        count(agent.common.system_counters, SYSTEM_RESOLUTION_CHANGES, 1)
    elif item.type == COMMAND_ADD_SUBSCRIPTION:
        if not add_interest(endpoint, item.stream_id, item.has_session, item.session_id):
            return False
        for index in range(endpoint.transport_count):
            if endpoint.transports[index].is_polled:
                elicit_setups(
                    endpoint, index, item.session_id if item.has_session else 0,
                    item.stream_id if item.has_session else 0, now_ns)
    elif item.type == COMMAND_REMOVE_SUBSCRIPTION:
        remove_interest(endpoint, item.stream_id, item.has_session, item.session_id, now_ns)
    elif item.type == COMMAND_REQUEST_SETUP:
        for index in range(endpoint.transport_count):
            if endpoint.transports[index].is_polled:
                elicit_setups(endpoint, index, item.session_id, item.stream_id, now_ns)
    elif item.type == COMMAND_REMOVE_INIT_IN_PROGRESS:
        forget_init_in_progress(endpoint, item.stream_id, item.session_id)
    else:
        forget_cool_down(endpoint, item.stream_id, item.session_id)
    return True


cdef void start_transport(
        receive_endpoint *endpoint, int32_t transport_index, int64_t now_ns) noexcept nogil:
    cdef receive_transport *transport = &endpoint.transports[transport_index]
    if not transport.is_used or transport.is_polled:
        return
    if transport_index >= endpoint.transport_count:
        endpoint.transport_count = transport_index + 1
    transport.batch_count = 1
    transport.last_activity_ns = now_ns
    transport.resolution_deadline_ns = now_ns + IDLE_RESOLUTION_NS
    transport.setup_deadline_ns = now_ns
    transport.is_polled = True


# Before the first packet, only an explicit control address of the channel is known.
cdef void elicit_setups(
        receive_endpoint *endpoint, int32_t transport_index, int32_t session_id,
        int32_t stream_id, int64_t now_ns) noexcept nogil:
    cdef receive_transport *transport = &endpoint.transports[transport_index]
    if not transport.has_explicit_control:
        return
    if session_id == 0 and stream_id == 0:
        transport.setup_deadline_ns = now_ns  # the next duty cycle elicits them
    else:
        elicit_setup(
            endpoint, transport_index, &transport.control_address, session_id, stream_id)


cdef bint add_image(receiver *agent, publication_image *image, int64_t now_ns) noexcept nogil:
    cdef int32_t index
    if pointers_add(&agent.images, image) < 0:
        return False
    if not dispatch_to_image(image):
        pointers_remove(&agent.images, image)
        return False
    image.last_packet_ns = now_ns
    # The set-up frame's transport may have been removed since.
    for index in range(image.connection_count):
        if not image.endpoint.transports[index].is_polled:
            drop_connection(image, index)
    return True


cdef bint remove_endpoint(
        receiver *agent, receive_endpoint *endpoint, int64_t now_ns) noexcept nogil:
    cdef int32_t index
    cdef publication_image *image
    cdef event *slot
    for index in range(agent.images.count - 1, -1, -1):
        image = <publication_image *>agent.images.items[index]
        if image.endpoint != endpoint:
            continue
        slot = claim_event(
            &agent.common.events, EVENT_IMAGE_RELEASED, image.owner, agent.common.system_counters)
        if slot == NULL:
            return False
        forget_image(image)
        drain_image(image, now_ns)
        pointers_remove(&agent.images, image)
        queue_publish(&agent.common.events)
    slot = claim_event(
        &agent.common.events, EVENT_ENDPOINT_RELEASED, endpoint.owner, agent.common.system_counters)
    if slot == NULL:
        return False
    for index in range(endpoint.transport_count):
        endpoint.transports[index].is_polled = False
    pointers_remove(&agent.common.endpoints, endpoint)
    queue_publish(&agent.common.events)
    return True


cdef bint remove_transport(
        receiver *agent, receive_endpoint *endpoint, int32_t transport_index) noexcept nogil:
    cdef int32_t index
    cdef publication_image *image
    cdef event *slot = claim_event(
        &agent.common.events, EVENT_TRANSPORT_RELEASED, endpoint.owner,
        agent.common.system_counters)
    if slot == NULL:
        return False
    endpoint.transports[transport_index].is_polled = False
    for index in range(agent.images.count):
        image = <publication_image *>agent.images.items[index]
        if image.endpoint == endpoint:
            drop_connection(image, transport_index)
    slot.index = transport_index
    queue_publish(&agent.common.events)
    return True


cdef void update_connections(
        receiver *agent, receive_endpoint *endpoint, int32_t transport_index) noexcept nogil:
    cdef int32_t index
    cdef publication_image *image
    for index in range(agent.images.count):
        image = <publication_image *>agent.images.items[index]
        if image.endpoint == endpoint and image.connections[transport_index].is_used:
            image.connections[transport_index].control_address = (
                endpoint.transports[transport_index].control_address)


@cython.final
cdef class Receiver(DatagramAgent):
    """The agent that receives datagrams into images, and sends status messages and NAKs.

    Methods for the conductor: each enqueues a command, or returns False if the queue is full (retry
    in the next duty cycle).

    Parameters
    ----------
    clock
        The clock.
    counters
        The driver's counters.
    resolution_interval_ns
        The interval of re-resolution of inactive addresses, in ns; 0 for never.
    cycle_threshold_ns
        A longer duty cycle is counted, in ns.
    max_batch_count
        The number of datagrams received per call, 1 to 16.
    """

    def __cinit__(
        self,
        Clock clock not None,
        CountersManager counters not None,
        *,
        int64_t resolution_interval_ns=1_000_000_000,
        int64_t cycle_threshold_ns=100_000_000,
        int32_t max_batch_count=MAX_RECEIVE_COUNT,
    ):
        self.begin(
            &self.c.common, clock, counters, MAX_RECEIVE_COUNT, resolution_interval_ns,
            cycle_threshold_ns)
        self.count_with(
            SYSTEM_RECEIVER_MAX_CYCLE_TIME, SYSTEM_RECEIVER_CYCLE_TIME_EXCEEDED,
            SYSTEM_RECEIVER_PROXY_FAILS)
        self.c.max_batch_count = min(max(max_batch_count, 1), <int32_t>MAX_RECEIVE_COUNT)
        self.do_work_fn = receiver_do_work
        self.state = &self.c

    def __dealloc__(self):
        pointers_free(&self.c.images)

    @property
    def role_name(self):
        return "receiver"

    def _check_retained(self, ReceiveEndpoint endpoint not None):
        if <size_t>endpoint.c not in self._retained:
            raise StateError(f"receive endpoint {endpoint.c.registration_id}: not the receiver's")

    def add_endpoint(self, ReceiveEndpoint endpoint not None):
        """Add an endpoint; the receiver polls its sockets."""
        cdef command *item = self._command(COMMAND_ADD_ENDPOINT, endpoint.c)
        if item == NULL:
            return False
        # A slot beyond these may be written while the receiver reads: it has a command of its own.
        item.index = endpoint.used_slot_count()
        endpoint.c.events = &self.c.common.events
        self._retained[<size_t>endpoint.c] = endpoint
        queue_publish(&self.c.common.commands)
        return True

    def remove_endpoint(self, ReceiveEndpoint endpoint not None):
        """``ReceiveEndpointReleased`` follows, after its images' ``ImageReleased``."""
        return self._send(COMMAND_REMOVE_ENDPOINT, endpoint, 0, 0, None)

    def add_transport(self, ReceiveEndpoint endpoint not None, int32_t transport_index):
        """Add a socket that was opened later to an endpoint."""
        endpoint._check_transport(transport_index)
        return self._send(COMMAND_ADD_TRANSPORT, endpoint, transport_index, 0, None)

    def remove_transport(self, ReceiveEndpoint endpoint not None, int32_t transport_index):
        """Stop polling a socket; ``TransportReleased`` follows."""
        endpoint._check_transport(transport_index)
        return self._send(COMMAND_REMOVE_TRANSPORT, endpoint, transport_index, 0, None)

    def change_control_address(
            self, ReceiveEndpoint endpoint not None, int32_t transport_index, address):
        """Send to a newly resolved control address from now on."""
        cdef c_address found
        cdef command *item
        self._check_retained(endpoint)
        endpoint._check_transport(transport_index)
        address_from(address, &found)
        item = self._command(COMMAND_CHANGE_ADDRESS, endpoint.c)
        if item == NULL:
            return False
        item.index = transport_index
        item.address = found
        queue_publish(&self.c.common.commands)
        return True

    def add_subscription(
            self, ReceiveEndpoint endpoint not None, int32_t stream_id, session_id=None):
        """Add interest in a stream, or in one session of it."""
        return self._send(COMMAND_ADD_SUBSCRIPTION, endpoint, 0, stream_id, session_id)

    def remove_subscription(
            self, ReceiveEndpoint endpoint not None, int32_t stream_id, session_id=None):
        """Remove interest in a stream, or in one session of it."""
        return self._send(COMMAND_REMOVE_SUBSCRIPTION, endpoint, 0, stream_id, session_id)

    def request_setup(
            self, ReceiveEndpoint endpoint not None, int32_t stream_id, int32_t session_id):
        """Elicit a set-up frame from the explicit control address."""
        return self._send(COMMAND_REQUEST_SETUP, endpoint, 0, stream_id, session_id)

    def remove_init_in_progress(
            self, ReceiveEndpoint endpoint not None, int32_t stream_id, int32_t session_id):
        """Report that no image was created for an ``ImageRequested``."""
        return self._send(COMMAND_REMOVE_INIT_IN_PROGRESS, endpoint, 0, stream_id, session_id)

    def remove_cool_down(
            self, ReceiveEndpoint endpoint not None, int32_t stream_id, int32_t session_id):
        """Allow a lost session to have an image again."""
        return self._send(COMMAND_REMOVE_COOL_DOWN, endpoint, 0, stream_id, session_id)

    def _send(
            self, int32_t type, ReceiveEndpoint endpoint not None, int32_t index,
            int32_t stream_id, session_id):
        cdef command *item
        cdef int32_t session = 0 if session_id is None else session_id
        self._check_retained(endpoint)
        item = self._command(type, endpoint.c)
        if item == NULL:
            return False
        item.index = index
        item.stream_id = stream_id
        item.has_session = session_id is not None
        item.session_id = session
        queue_publish(&self.c.common.commands)
        return True

    def add_image(self, PublicationImage image not None):
        """Dispatch a session's frames to its image.

        ``ImageReleased`` follows once the receiver has dropped it: after the liveness timeout, or
        after ``PublicationImage.request_release``.
        """
        self._check_retained(image._endpoint)
        if self._command(COMMAND_ADD_IMAGE, image._open()) == NULL:
            return False
        self._retained[<size_t>image.c] = image
        queue_publish(&self.c.common.commands)
        return True

    def poll_event(self):
        """Return the receiver's next event, or None."""
        cdef event *slot = <event *>queue_peek(&self.c.common.events)
        if slot == NULL:
            return None
        subject = <object>slot.subject
        if slot.type == EVENT_IMAGE_REQUESTED:
            result = ImageRequested(
                subject, slot.index, slot.session_id, slot.stream_id, slot.initial_term_id,
                slot.active_term_id, slot.term_offset, slot.term_length, slot.mtu_length,
                slot.ttl, slot.flags, address_to(&slot.source), address_to(&slot.control))
        elif slot.type == EVENT_IMAGE_RELEASED:
            result = ImageReleased(subject)
            self._retained.pop(<size_t>(<PublicationImage>subject).c, None)
        elif slot.type == EVENT_ENDPOINT_RELEASED:
            result = ReceiveEndpointReleased(subject)
            self._retained.pop(<size_t>(<ReceiveEndpoint>subject).c, None)
        elif slot.type == EVENT_PACKET_DROPPED:
            result = PacketDropped(
                subject, address_to(&slot.source), slot.index, slot.term_length,
                Fault(slot.error_code))
        elif slot.type == EVENT_TRANSPORT_RELEASED:
            result = TransportReleased(subject, slot.index)
        else:
            result = ReceiveResolutionDue(subject, slot.index)
        queue_release(&self.c.common.events)
        return result
