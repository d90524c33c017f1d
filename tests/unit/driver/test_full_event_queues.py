"""Events of sender and receiver that the conductor has not polled: others wait, or are repeated."""

import struct

import pytest

from aeron_cluster.driver.receive.receive_events import (
    ImageReleased,
    ImageRequested,
    ReceiveEndpointReleased,
    ReceiveResolutionDue,
    TransportReleased,
)
from aeron_cluster.driver.send.flow_control import FlowControlStrategy
from aeron_cluster.driver.send.flow_control_options import FlowControlOptions
from aeron_cluster.driver.send.send_endpoint import SendMode
from aeron_cluster.driver.send.send_events import (
    PublicationErrored,
    PublicationReleased,
    ResponseConnected,
    ResponseSetupReceived,
    SendEndpointReleased,
    SendResolutionDue,
)
from aeron_cluster.driver.streams.dropped_packets import PacketDropped
from aeron_cluster.driver.streams.stream_state import StreamState
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from tests.unit.driver.harness import (
    DATA_PORT,
    LOCAL,
    MS,
    RESPONSE_SETUP,
    SECOND,
    SESSION_ID,
    STREAM_ID,
    Receiving,
    Sending,
    error_frame,
    setup_frame,
    status_frame,
)

CAPACITY = 256
OTHER_STREAM = STREAM_ID + 1
SEND_SETUP = 0x80
SHORT = b"\0" * 7


def lost(side):
    return side.counters[SystemCounter.SYSTEM_CONDUCTOR_PROXY_FAILS]


class TestReceiver:
    def request_images(self, receiving, count):
        """Send setup frames of sessions from 1000 on, one per pass."""
        for session_id in range(1000, 1000 + count):
            frame = bytearray(setup_frame(receiving.stream))
            struct.pack_into("<ii", frame, 12, session_id, OTHER_STREAM)
            receiving.network.deliver(receiving.source, (LOCAL, DATA_PORT), bytes(frame))
            receiving.receiver.do_work()

    def fill(self, receiving, count=CAPACITY):
        receiving.receiver.add_subscription(receiving.endpoint, OTHER_STREAM)
        receiving.run()
        self.request_images(receiving, count)

    @pytest.fixture
    def running(self):
        receiving = Receiving()
        receiving.create_image()
        receiving.run()
        return receiving

    def test_a_stream_is_requested_by_a_later_setup_frame(self):
        receiving = Receiving()
        self.fill(receiving, CAPACITY + 44)
        assert [each.session_id for each in receiving.events()] == [*range(1000, 1256)]
        assert lost(receiving) == 44
        self.request_images(receiving, CAPACITY + 44)
        assert [each.session_id for each in receiving.events()] == [*range(1256, 1300)]

    def test_a_silent_image_ends_once_that_can_be_reported(self, running):
        self.fill(running)
        running.run(10 * SECOND + 1)
        assert running.image.state == StreamState.STREAM_ACTIVE
        assert len(running.events()) == CAPACITY
        running.run()
        assert running.image.state == StreamState.STREAM_DRAINING
        assert running.events() == [ImageReleased(running.image)]

    def test_a_transport_and_an_endpoint_are_removed_once_that_can_be_reported(self, running):
        second = running.endpoint.open_transport(bind=(LOCAL, 41000))
        running.receiver.add_transport(running.endpoint, second)
        self.fill(running)
        running.receiver.remove_transport(running.endpoint, second)
        running.run()
        running.network.deliver(
            running.source, (LOCAL, 41000), running.stream.frame(0, b"still received")
        )
        running.run()
        assert running.consume() == [b"still received"]
        running.receiver.remove_endpoint(running.endpoint)
        found = []
        while (event := running.receiver.poll_event()) is not None:
            found.append(event)
            running.run()  # one more event has space
        assert all(isinstance(each, ImageRequested) for each in found[:CAPACITY])
        assert found[CAPACITY:] == [
            TransportReleased(running.endpoint, second),
            ImageReleased(running.image),
            ReceiveEndpointReleased(running.endpoint),
        ]

    def test_an_invalid_packet_is_reported_by_a_later_one(self, running):
        self.fill(running)
        for count in (1, 2):
            running.deliver(SHORT)
            assert running.counters[SystemCounter.SYSTEM_INVALID_PACKETS] == count
        assert not [each for each in running.events() if isinstance(each, PacketDropped)]
        running.deliver(SHORT)
        running.deliver(SHORT)
        [event] = running.events()
        assert isinstance(event, PacketDropped)

    def test_a_silent_control_name_is_resolved_once_that_can_be_requested(self):
        receiving = Receiving(control_address=(LOCAL, 50000))
        self.fill(receiving)
        receiving.run(6 * SECOND)
        assert len(receiving.events()) == CAPACITY
        receiving.run(SECOND)
        assert receiving.events() == [ReceiveResolutionDue(receiving.endpoint, 0)]


class TestSender:
    def fill(self, sending, count=CAPACITY):
        """Cause events: each error of a receiver that has sent a status message is one."""
        for _ in range(count):
            sending.deliver(status_frame(sending.log, 0, 4096, receiver_id=5))
            sending.deliver(error_frame(b"no", receiver_id=5))

    def manual(self):
        sending = Sending(
            mode=SendMode.SEND_MANUAL,
            has_group_semantics=True,
            flow_control=FlowControlOptions(FlowControlStrategy.FLOW_CONTROL_MAX),
        )
        sending.sender.add_destination(sending.endpoint, (LOCAL, 41000), 100)
        sending.run()
        return sending

    def test_an_error_without_space_is_counted(self):
        sending = Sending()
        self.fill(sending, CAPACITY + 3)
        assert lost(sending) == 3
        events = sending.events()
        assert len(events) == CAPACITY
        assert all(isinstance(each, PublicationErrored) for each in events)

    def test_an_error_without_space_is_reported_by_the_receivers_next_one(self):
        sending = Sending()
        self.fill(sending)
        rejection = error_frame(b"no", receiver_id=5)
        sending.deliver(status_frame(sending.log, 0, 4096, receiver_id=5))
        sending.deliver(rejection)
        assert len(sending.events()) == CAPACITY
        sending.deliver(rejection)
        sending.deliver(rejection)
        [event] = sending.events()
        assert event.receiver_id == 5

    def test_objects_are_removed_once_that_can_be_reported(self):
        sending = Sending()
        self.fill(sending)
        sending.sender.remove_publication(sending.publication)
        sending.sender.remove_endpoint(sending.endpoint)
        assert sending.run(100 * MS) != []  # the publication is still sent
        found = []
        while (event := sending.sender.poll_event()) is not None:
            found.append(event)
            sending.run()
        assert found[CAPACITY:] == [
            PublicationReleased(sending.publication),
            SendEndpointReleased(sending.endpoint),
        ]
        assert sending.run(SECOND) == []

    @pytest.mark.parametrize("is_manual", [True, False])
    def test_a_silent_name_is_resolved_once_that_can_be_requested(self, is_manual):
        sending = self.manual() if is_manual else Sending(is_resolvable=True)
        self.fill(sending)
        sending.run(6 * SECOND)
        assert len(sending.events()) == CAPACITY
        sending.run(SECOND)
        destination_id = 100 if is_manual else -1
        assert sending.events() == [SendResolutionDue(sending.endpoint, destination_id)]

    def test_a_response_setup_is_reported_by_a_later_one(self):
        sending = Sending(response_correlation_id=77)
        frame = RESPONSE_SETUP.pack(20, 0, 0, 11, SESSION_ID, STREAM_ID, -5)
        self.fill(sending)
        sending.deliver(frame)
        assert len(sending.events()) == CAPACITY
        sending.deliver(frame)
        assert sending.events() == [ResponseSetupReceived(sending.publication, -5)]

    def test_a_connected_response_is_reported_by_a_later_status_message(self):
        sending = Sending(mode=SendMode.SEND_RESPONSE, is_response=True, response_correlation_id=1)
        client = (LOCAL, 45000)
        # Its errors are events as well as its connections.
        for _ in range(CAPACITY // 2):
            sending.deliver(status_frame(sending.log, 0, 4096, receiver_id=5), source=client)
            sending.deliver(error_frame(b"no", receiver_id=5), source=client)
            sending.run(6 * SECOND)
        sending.deliver(status_frame(sending.log, 0, 4096), source=client)
        assert ResponseConnected(sending.publication) in sending.events()
        sending.deliver(status_frame(sending.log, 0, 4096), source=client)
        assert sending.events() == [ResponseConnected(sending.publication)]
