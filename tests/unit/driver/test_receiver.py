"""Received datagrams and the frames sent in return, byte for byte."""

import struct

import pytest

from aeron_cluster.driver.receive.loss_report import LossReport
from aeron_cluster.driver.receive.receive_endpoint import ReceiveEndpoint
from aeron_cluster.driver.receive.receive_events import (
    ImageReleased,
    ImageRequested,
    ReceiveEndpointReleased,
    ReceiveResolutionDue,
    TransportReleased,
)
from aeron_cluster.driver.streams.datagram_agent import DatagramAgent
from aeron_cluster.driver.streams.dropped_packets import Fault, PacketDropped
from aeron_cluster.driver.streams.stream_state import StreamState
from aeron_cluster.errors import ConfigurationError, StateError
from aeron_cluster.memory.agents.agent import AgentInvoker
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from aeron_cluster.memory.system.address import Address
from tests.unit.driver.harness import (
    DATA_PORT,
    LOCAL,
    MS,
    MTU_LENGTH,
    RECEIVER_ID,
    RESPONSE_SETUP,
    RTT,
    SECOND,
    SESSION_ID,
    STATUS,
    STREAM_ID,
    TERM_LENGTH,
    Log,
    Receiving,
    error_frame,
    heartbeat,
    nak_frame,
    setup_frame,
    status_frame,
)

WINDOW = TERM_LENGTH // 2
ELICIT = STATUS.pack(36, 0, 0x80, 3, SESSION_ID, STREAM_ID, 0, 0, 0, RECEIVER_ID)


@pytest.fixture
def receiving():
    return Receiving()


@pytest.fixture
def running(receiving):
    receiving.create_image()
    receiving.run()
    return receiving


def data(receiving, position, payload=b"x" * (MTU_LENGTH - 32)):
    return receiving.stream.frame(position, payload)


def status(receiving, position, window=WINDOW, **options):
    return status_frame(receiving.stream, position, window, **options)


def invalid(receiving):
    return receiving.counters[SystemCounter.SYSTEM_INVALID_PACKETS]


class TestSetup:
    def test_data_of_an_unknown_session_elicits_a_setup_once_a_second(self, receiving):
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID)
        assert receiving.deliver(data(receiving, 0)) == [ELICIT]
        assert receiving.deliver(data(receiving, 0)) == []
        receiving.run(999 * MS)
        assert receiving.deliver(data(receiving, 0)) == []
        receiving.run(1 * MS)
        assert receiving.deliver(data(receiving, 0)) == [ELICIT]

    def test_unwanted_data_is_ignored(self, receiving):
        assert receiving.deliver(data(receiving, 0)) == []
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID + 1)
        assert receiving.deliver(data(receiving, 0)) == []

    def test_the_end_of_an_unknown_stream_elicits_nothing(self, receiving):
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID)
        assert receiving.deliver(heartbeat(receiving.stream, 0, flags=0xE0)) == []

    def test_a_session_may_be_subscribed_alone(self, receiving):
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID, SESSION_ID + 1)
        assert receiving.deliver(data(receiving, 0)) == []
        assert receiving.deliver(setup_frame(receiving.stream)) == []
        assert receiving.events() == []
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID, SESSION_ID)
        assert receiving.deliver(data(receiving, 0)) == [ELICIT]

    def test_a_setup_requests_an_image_from_the_conductor_once(self, receiving):
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID)
        position = 5 * TERM_LENGTH + 64
        receiving.deliver(setup_frame(receiving.stream, position, flags=0xC0))
        assert receiving.events() == [
            ImageRequested(
                receiving.endpoint,
                0,
                SESSION_ID,
                STREAM_ID,
                7,
                12,
                64,
                TERM_LENGTH,
                MTU_LENGTH,
                0,
                0xC0,
                receiving.source,
                receiving.source,
            )
        ]
        receiving.deliver(setup_frame(receiving.stream, position))
        receiving.deliver(data(receiving, 0))
        assert receiving.events() == []
        receiving.receiver.remove_init_in_progress(receiving.endpoint, STREAM_ID, SESSION_ID)
        receiving.deliver(setup_frame(receiving.stream, position))
        assert len(receiving.events()) == 1

    @pytest.mark.parametrize(
        ("offset", "value"),
        [
            (8, -32),
            (8, 33),
            (8, TERM_LENGTH + 32),
            (24, 6),
            (28, TERM_LENGTH // 2),
            (28, TERM_LENGTH + 64),
            (28, -(1 << 31)),
            (32, 32),
            (32, 1409),
            (32, 1 << 20),
            (32, -64),
        ],
    )
    def test_an_impossible_setup_is_invalid(self, receiving, offset, value):
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID)
        frame = bytearray(setup_frame(receiving.stream))
        struct.pack_into("<i", frame, offset, value)
        receiving.deliver(bytes(frame))
        receiving.deliver(bytes(frame))
        assert receiving.events() == [
            PacketDropped(receiving.endpoint, receiving.source, 5, 40, Fault.CONTENT)
        ]
        assert invalid(receiving) == 2

    def test_a_setup_is_requested_from_an_explicit_control_address_each_second(self):
        receiving = Receiving(control_address=(LOCAL, 50000))
        anybody = STATUS.pack(36, 0, 0x80, 3, 0, 0, 0, 0, 0, RECEIVER_ID)
        assert receiving.run() == []  # no subscription yet
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID)
        assert receiving.run() == [anybody]
        assert receiving.run(999 * MS) == []
        assert receiving.run(1 * MS) == [anybody]
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID, SESSION_ID)
        assert receiving.run() == [ELICIT]
        receiving.receiver.request_setup(receiving.endpoint, STREAM_ID, SESSION_ID)
        assert receiving.run() == [ELICIT]

    def test_a_silent_control_name_is_resolved_again(self):
        receiving = Receiving(control_address=(LOCAL, 50001))
        receiving.run()
        receiving.run(6 * SECOND)
        assert receiving.events() == [ReceiveResolutionDue(receiving.endpoint, 0)]
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID)
        receiving.receiver.change_control_address(receiving.endpoint, 0, (LOCAL, 50000))
        assert len(receiving.run()) == 1

    def test_an_image_beyond_the_limit_is_reported(self):
        receiving = Receiving(session_limit=1)
        receiving.create_image()
        receiving.stream.session_id += 1
        receiving.deliver(setup_frame(receiving.stream))
        assert receiving.events() == [
            PacketDropped(receiving.endpoint, receiving.source, 5, 40, Fault.SESSION_LIMIT)
        ]
        assert invalid(receiving) == 0
        # The conductor counts the first one.
        assert receiving.counters[SystemCounter.SYSTEM_ERRORS] == 0
        receiving.deliver(setup_frame(receiving.stream))
        assert receiving.events() == []
        assert receiving.counters[SystemCounter.SYSTEM_ERRORS] == 1

    def test_images_being_created_count(self):
        receiving = Receiving(session_limit=2)
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID)
        receiving.run()

        def request(count):
            for _ in range(count):
                receiving.stream.session_id += 1
                setup = setup_frame(receiving.stream)
                receiving.network.deliver(receiving.source, (LOCAL, DATA_PORT), setup)
            receiving.run()
            receiving.run()
            return [each for each in receiving.events() if isinstance(each, ImageRequested)]

        first, second = request(5)
        receiving.receiver.remove_init_in_progress(
            receiving.endpoint, first.stream_id, first.session_id
        )
        receiving.answer(second)
        receiving.run()
        assert len(request(5)) == 1

    def test_unwanted_sessions_of_a_stream_leave_space_for_other_streams(self):
        receiving = Receiving()
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID, 99)
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID + 1)
        receiving.run()
        frame = bytearray(data(receiving, 0, b"x"))
        for session_id in range(1000, 1000 + 65536):
            struct.pack_into("<i", frame, 12, session_id)
            receiving.network.deliver(receiving.source, (LOCAL, DATA_PORT), bytes(frame))
            if session_id % 16 == 0:
                receiving.receiver.do_work()
        receiving.run()
        receiving.stream.stream_id = STREAM_ID + 1
        receiving.deliver(setup_frame(receiving.stream))
        assert [type(each) for each in receiving.events()] == [ImageRequested]

    def test_sessions_that_were_subscribed_alone_leave_space_for_others(self, receiving):
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID)
        for session_id in range(1000, 1000 + 65536):
            receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID, session_id)
            receiving.receiver.remove_subscription(receiving.endpoint, STREAM_ID, session_id)
            receiving.receiver.do_work()
        receiving.deliver(setup_frame(receiving.stream))
        [request] = receiving.events()
        assert request.session_id == SESSION_ID

    def test_more_unknown_sessions_than_remembered_are_harmless(self, receiving):
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID)
        for session_id in range(3000):
            receiving.stream.session_id = 1000 + session_id
            receiving.network.deliver(
                receiving.source, (LOCAL, DATA_PORT), data(receiving, 0, b"x")
            )
            if session_id % 100 == 0:
                receiving.run()
        for _ in range(200):
            receiving.run()
        receiving.stream.session_id = SESSION_ID
        receiving.run(2 * SECOND)
        receiving.run(2 * SECOND)
        assert receiving.deliver(data(receiving, 0)) == [ELICIT]


class TestStatusMessages:
    def test_the_first_is_sent_at_once_then_every_200_ms(self, receiving):
        receiving.create_image()
        assert receiving.run() == [status(receiving, 0)]
        assert receiving.run(199 * MS) == []
        assert receiving.run(1 * MS) == [status(receiving, 0)]

    def test_carries_the_group_tag(self):
        receiving = Receiving(group_tag=-3)
        receiving.create_image()
        (frame,) = receiving.run()
        assert frame == status(receiving, 0, group_tag=-3)
        assert len(frame) == 44

    def test_a_consumed_quarter_of_the_window_is_reported(self, running):
        """'threshold window/4': more than that past the last schedule sends one more."""
        sent = []
        for position in range(0, 8 * MTU_LENGTH, MTU_LENGTH):
            running.deliver(data(running, position))
            running.consume()
            sent += running.run() + running.run()
        consumed = next(
            position for position in range(0, TERM_LENGTH, MTU_LENGTH) if position > WINDOW // 4
        )
        assert sent == [status(running, consumed)]
        assert running.counters[SystemCounter.SYSTEM_STATUS_MESSAGES_SENT] == 2

    def test_names_the_response_session(self, running):
        running.image.set_response_session_id(77)
        assert running.run(200 * MS) == [
            status(running, 0),
            RESPONSE_SETUP.pack(20, 0, 0, 11, SESSION_ID, STREAM_ID, 77),
        ]
        running.image.set_response_session_id(None)
        assert running.run(200 * MS) == [status(running, 0)]

    def test_a_subscriber_ahead_of_the_received_data_moves_the_image(self, running):
        position = 12 * MTU_LENGTH
        running.counters[running.subscriber] = position
        running.run()
        assert running.run() == [status(running, position)]
        running.deliver(data(running, position, b"next"))
        running.deliver(data(running, 0, b"before it"))
        assert running.consume() == [b"next"]
        assert running.counters[SystemCounter.SYSTEM_FLOW_CONTROL_UNDER_RUNS] == 1
        assert invalid(running) == 0

    def test_status_messages_stop_when_a_newer_image_replaces_it(self, running):
        running.image.stop_status_messages()
        assert running.run(SECOND) == []

    def test_the_transport_count_is_sent_to_subscribers(self, running):
        assert struct.unpack_from("<i", running.log.memory, running.log.meta + 140) == (1,)


class TestInsertion:
    def test_subscribers_read_the_received_data(self, running):
        running.deliver(data(running, 0, b"hello"))
        assert running.image.rebuild_position == 64
        assert running.consume() == [b"hello"]

    def test_several_frames_of_one_datagram(self, running):
        first = data(running, 0, b"a" * 32)
        second = data(running, 64, b"b" * 10)
        running.deliver(first + second)
        assert running.consume() == [b"a" * 32, b"b" * 10]
        assert running.image.rebuild_position == 128

    def test_a_duplicate_changes_nothing(self, running):
        running.deliver(data(running, 0, b"first"))
        running.deliver(data(running, 0, b"other"))
        assert running.consume() == [b"first"]

    def test_padding_moves_the_rebuild_position_beyond_the_high_water_mark(self, running):
        frame = bytearray(running.stream.frame(0, b"", type=0))
        struct.pack_into("<i", frame, 0, 4096)
        running.deliver(bytes(frame))
        assert running.image.high_water_mark == 32
        assert running.image.rebuild_position == 4096

    def test_overlapping_datagrams_are_rejected_and_counted(self, running):
        """Two frames of an unknown session made the second's payload read as a length."""
        running.deliver(data(running, 0, b"x" * 192))
        running.deliver(data(running, 320, b"y" * 32))
        invalid = running.counters[SystemCounter.SYSTEM_INVALID_PACKETS]
        mark = running.image.high_water_mark
        before = bytes(running.log.memory)
        for position, length in ((192, 32), (288, 64), (320, 64), (224, 1000)):
            running.deliver(data(running, position, b"z" * length))
        assert running.counters[SystemCounter.SYSTEM_INVALID_PACKETS] == invalid + 4
        assert bytes(running.log.memory) == before
        assert running.image.high_water_mark == mark
        running.deliver(data(running, 224, b"w" * 64) + data(running, 320, b"y" * 32))
        assert running.consume() == [b"x" * 192, b"w" * 64, b"y" * 32]
        dropped = [each for each in running.events() if isinstance(each, PacketDropped)]
        assert len(dropped) == 1

    def test_image_blocked_by_a_forged_frame_is_replaced(self, running):
        """A frame forged ahead of the stream blocks the data after it."""
        running.deliver(data(running, 64, b"forged" * 5))
        first, second = data(running, 0, b"x" * 32), data(running, 64, b"y" * 96)
        running.deliver(first)
        running.deliver(heartbeat(running.stream, 192))
        for _ in range(11):
            assert running.image.state == StreamState.STREAM_ACTIVE
            running.run(SECOND)
            running.deliver(second)
            running.deliver(heartbeat(running.stream, 192))
        running.run(1)
        assert running.image.state != StreamState.STREAM_ACTIVE
        assert ImageReleased(running.image) in running.events()
        assert running.consume() == [b"x" * 32, b"forged" * 5]

    def test_image_moved_ahead_of_its_sender_by_forged_frames_is_replaced(self, running):
        """All data before the forged frames' end is skipped, and the sender's heartbeats, from
        before it, kept the image.
        """
        running.deliver(data(running, 0, b"x" * 32))
        running.deliver(data(running, 64, b"forged" * 200))
        assert running.consume() == [b"x" * 32, b"forged" * 200]
        running.run(SECOND)
        for _ in range(10):
            assert running.image.state == StreamState.STREAM_ACTIVE
            running.deliver(data(running, 64, b"y" * 32))
            running.deliver(heartbeat(running.stream, 128))
            running.run(SECOND)
        assert running.image.state != StreamState.STREAM_ACTIVE
        assert ImageReleased(running.image) in running.events()
        assert running.consume() == []

    def end_within(self, running, seconds, position):
        """The sender sends heartbeats only; the image ends after so many seconds, no earlier."""
        for _ in range(seconds):
            assert running.image.state == StreamState.STREAM_ACTIVE
            running.deliver(heartbeat(running.stream, position))
            running.run(SECOND)
        running.run(SECOND)
        assert running.image.state != StreamState.STREAM_ACTIVE
        assert ImageReleased(running.image) in running.events()

    def test_image_with_a_forged_end_within_a_frame_is_replaced(self, running):
        """The sender cannot retransmit from within a frame, and all it sent then kept the image."""
        running.deliver(data(running, 0, b"x" * 32))
        running.deliver(data(running, 64, b"f" * 160))
        running.deliver(data(running, 64, b"y" * 32))
        running.deliver(data(running, 128, b"y" * 224))  # across the forged end, 256
        running.run()
        running.deliver(data(running, 384, b"y" * 32))
        assert running.image.high_water_mark == 448
        assert running.consume() == [b"x" * 32, b"f" * 160]
        self.end_within(running, 10, 448)

    def test_image_with_a_consumed_forged_end_within_a_frame_is_replaced(self, running):
        for position in range(0, 12 * MTU_LENGTH, MTU_LENGTH):
            running.deliver(data(running, position))
        running.consume()
        running.run()
        running.run()
        end = running.image.rebuild_position
        running.deliver(data(running, end - 64, b"y" * 96))
        assert running.counters[SystemCounter.SYSTEM_FLOW_CONTROL_UNDER_RUNS] == 1
        running.deliver(data(running, end + 64, b"y" * 32))
        self.end_within(running, 10, end + 128)

    def test_image_with_a_gap_that_stays_is_replaced(self, running):
        """The frame across the forged end may have been lost; so may NAKs, for some time."""
        running.deliver(data(running, 0, b"f" * 160))
        running.deliver(data(running, 384, b"y" * 32))
        self.end_within(running, 30, 448)

    def test_an_idle_image_survives_a_forged_heartbeat_ahead(self, running):
        running.deliver(data(running, 0, b"x" * 32))
        running.deliver(heartbeat(running.stream, 16384))
        running.deliver(data(running, 32, b"forged"))  # within the first frame
        for _ in range(40):
            running.deliver(heartbeat(running.stream, 64))
            running.run(SECOND)
        assert running.image.state == StreamState.STREAM_ACTIVE

    def test_image_that_another_source_set_up_is_replaced(self, receiving):
        """It sends its status messages to that source, so its sender is not connected."""
        other = Address(LOCAL, 50009)
        receiving.network.open(bind=other)
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID)
        receiving.deliver(setup_frame(receiving.stream), source=other)
        (request,) = receiving.events()
        receiving.answer(request)
        assert receiving.run() == []
        for _ in range(3):
            receiving.deliver(heartbeat(receiving.stream, 0), source=other)
            receiving.run(SECOND)
        receiving.deliver(data(receiving, 0, b"x" * 32))
        self.end_within(receiving, 9, 64)
        receiving.receiver.remove_cool_down(receiving.endpoint, STREAM_ID, SESSION_ID)
        receiving.deliver(setup_frame(receiving.stream, 64))
        (request,) = receiving.events()
        assert request.source == receiving.source

    def test_sources_may_change_where_replies_go_to_a_control_address(self):
        receiving = Receiving(control_address=(LOCAL, 50000))
        receiving.create_image()
        other = Address(LOCAL, 50009)
        for _ in range(30):
            receiving.deliver(heartbeat(receiving.stream, 0), source=other)
            receiving.run(SECOND)
        assert receiving.image.state == StreamState.STREAM_ACTIVE

    @pytest.mark.parametrize("is_idle", [False, True])
    def test_an_active_image_survives_forged_frames(self, running, is_idle):
        running.deliver(data(running, 0, b"x" * 96))
        position = 128
        for _ in range(30):
            running.deliver(data(running, position - 32, b"forged" * 5))  # overlaps existing data
            running.run(SECOND)
            if not is_idle:
                running.deliver(data(running, position, b"y" * 32))
                position += 64
            running.deliver(heartbeat(running.stream, position))
        assert running.counters[SystemCounter.SYSTEM_INVALID_PACKETS] == 30
        assert running.image.state == StreamState.STREAM_ACTIVE

    def test_beyond_half_a_term_is_an_over_run(self, running):
        running.deliver(data(running, WINDOW, b"x" * 32))
        assert running.counters[SystemCounter.SYSTEM_FLOW_CONTROL_OVER_RUNS] == 1
        assert running.image.high_water_mark == 0
        running.deliver(data(running, WINDOW - 64, b"x" * 32))
        assert running.image.high_water_mark == WINDOW

    def test_loss_before_the_last_status_message_is_an_under_run(self, running):
        for position in range(0, 16 * MTU_LENGTH, MTU_LENGTH):
            running.deliver(data(running, position))
            running.consume()
            running.run()
        running.deliver(data(running, 0))
        assert running.counters[SystemCounter.SYSTEM_FLOW_CONTROL_UNDER_RUNS] == 1

    def test_a_heartbeat_moves_the_mark_and_so_reveals_a_gap(self, running):
        running.deliver(heartbeat(running.stream, 4096))
        assert running.image.high_water_mark == 4096
        assert running.image.rebuild_position == 0
        assert running.counters[SystemCounter.SYSTEM_HEARTBEATS_RECEIVED] == 1

    @pytest.mark.parametrize(
        ("offset", "form", "value"),
        [
            (0, "<i", 31),
            (0, "<i", -64),
            (0, "<i", 1 << 30),
            (8, "<i", -32),
            (8, "<i", 8),
            (8, "<i", TERM_LENGTH),
            (8, "<i", TERM_LENGTH - 32),
            (4, "<B", 1),
        ],
    )
    def test_unfit_frame_is_invalid(self, running, offset, form, value):
        frame = bytearray(data(running, 0, b"x" * 64))
        struct.pack_into(form, frame, offset, value)
        running.deliver(bytes(frame))
        running.run()
        assert running.image.rebuild_position == 0
        assert bytes(running.log.memory[: 3 * TERM_LENGTH]) == bytes(3 * TERM_LENGTH)

    def test_terms_before_the_first_are_dropped(self, running):
        frame = bytearray(data(running, 0, b"x"))
        struct.pack_into("<i", frame, 20, 6)
        running.deliver(bytes(frame))
        assert bytes(running.log.memory[: 3 * TERM_LENGTH]) == bytes(3 * TERM_LENGTH)


class TestLoss:
    def lose(self, receiving):
        """'Received 1408-byte frames at 0, 4224, 7040 (missing 1408, 2816, 5632).'"""
        for position in (0, 4224, 7040):
            receiving.network.deliver(
                receiving.source, (LOCAL, DATA_PORT), data(receiving, position)
            )
        # A quiet socket delivers one datagram, then all available ones.
        return receiving.run() + receiving.run()

    def test_the_first_gap_is_requested_after_a_microsecond(self, running):
        assert self.lose(running) == []
        assert running.image.rebuild_position == 1408
        assert running.image.high_water_mark == 8448
        assert running.run(999) == []
        running.run(1)  # the conductor finds it expired
        assert running.run() == [nak_frame(running.stream, 1408, 2816)]
        assert running.counters[running.naks_id] == 1
        assert running.counters[SystemCounter.SYSTEM_NAKS_SENT] == 1

    def test_nak_is_repeated_every_100_microseconds_until_the_gap_changes(self, running):
        self.lose(running)
        running.run(1000)
        assert len(running.run()) == 1
        assert running.run(50_000) == []
        running.run(50_000)
        assert running.run() == [nak_frame(running.stream, 1408, 2816)]
        running.deliver(data(running, 1408))
        running.run(1000)
        assert running.run() == [nak_frame(running.stream, 2816, 1408)]
        running.deliver(data(running, 2816))
        assert running.image.rebuild_position == 5632
        running.run(1000)
        assert running.run() == [nak_frame(running.stream, 5632, 1408)]
        running.deliver(data(running, 5632))
        assert running.image.rebuild_position == 8448
        running.run(SECOND // 10)
        assert running.run(1000) == []

    def test_an_unreliable_image_fills_the_gap(self):
        receiving = Receiving(is_reliable=False)
        receiving.create_image()
        receiving.run()
        self.lose(receiving)
        receiving.run()
        receiving.run()
        receiving.run()
        assert receiving.image.rebuild_position == 8448
        assert receiving.counters[SystemCounter.SYSTEM_LOSS_GAP_FILLS] == 2
        assert len(receiving.consume()) == 3
        assert receiving.counters[SystemCounter.SYSTEM_NAKS_SENT] == 0

    def test_data_received_before_its_gap_is_filled_is_retained(self):
        receiving = Receiving(is_reliable=False)
        receiving.create_image()
        receiving.run()
        self.lose(receiving)  # and find the gap, which the next pass fills
        receiving.network.deliver(
            receiving.source, (LOCAL, DATA_PORT), data(receiving, 1408) + data(receiving, 2816)
        )
        for _ in range(4):
            receiving.run()
        assert receiving.image.rebuild_position == 8448
        assert receiving.counters[SystemCounter.SYSTEM_LOSS_GAP_FILLS] == 1
        assert len(receiving.consume()) == 5

    def test_data_received_after_its_gap_was_filled_is_skipped(self):
        receiving = Receiving(is_reliable=False)
        receiving.create_image()
        receiving.run()
        receiving.deliver(data(receiving, 256, b"after"))
        for _ in range(3):
            receiving.run(MS)
        assert receiving.image.rebuild_position == 320
        receiving.deliver(data(receiving, 0, b"late" * 8) + data(receiving, 64, b"late"))
        receiving.deliver(data(receiving, 192, b"x" * 32) + data(receiving, 256, b"after"))
        receiving.deliver(data(receiving, 320, b"next"))
        assert receiving.consume() == [b"after", b"next"]
        assert receiving.counters[SystemCounter.SYSTEM_INVALID_PACKETS] == 0

    def test_the_loss_report_has_an_entry_an_image(self):
        memory = bytearray(4096)
        receiving = Receiving(loss_report=LossReport(memory))
        receiving.create_image()
        receiving.run()
        self.lose(receiving)
        receiving.run(1000)
        receiving.run(100_000)
        now_ms = receiving.clock.epoch_ms()
        count, lost, first, last, session, stream = struct.unpack_from("<qqqqii", memory)
        assert (count, lost, session, stream) == (1, 2816, SESSION_ID, STREAM_ID)
        assert first == last == now_ms
        channel = b"aeron:udp?endpoint=127.0.0.1:40123"
        assert struct.unpack_from("<i", memory, 40) == (len(channel),)
        assert memory[44 : 44 + len(channel)] == channel
        source = b"127.0.0.1:50000"
        at = 44 + (len(channel) + 3 & ~3)
        assert struct.unpack_from("<i", memory, at) == (len(source),)
        assert memory[at + 4 : at + 4 + len(source)] == source
        receiving.deliver(data(receiving, 1408))
        receiving.deliver(data(receiving, 2816))
        receiving.run(1000)
        assert struct.unpack_from("<qq", memory) == (2, 2816 + 1408)

    def test_losses_are_not_reported_without_space_for_an_entry(self):
        memory = bytearray(128)
        report = LossReport(memory)
        for index in range(2):
            receiving = Receiving(loss_report=report)
            receiving.create_image()
            receiving.run()
            self.lose(receiving)
            receiving.run(1000)
            before = bytes(memory)
            assert receiving.run() == [nak_frame(receiving.stream, 1408, 2816)]
            receiving.deliver(data(receiving, 1408) + data(receiving, 2816))
            receiving.run(1000)
            assert (bytes(memory) == before) is (index == 1)
        assert struct.unpack_from("<qq", memory) == (2, 2816 + 1408)


class TestEndOfStream:
    def test_a_drained_image_sends_end_of_stream_and_waits_in_draining(self, running):
        running.deliver(data(running, 0, b"last"))
        running.consume()
        assert running.deliver(heartbeat(running.stream, 64, flags=0xE0)) != []
        assert running.image.is_end_of_stream
        assert running.image.state == StreamState.STREAM_DRAINING
        assert running.log.raw.end_of_stream_position == 64
        assert running.image.is_drained
        answers = running.run(200 * MS)
        assert [each[5] for each in answers] == [0x40]

    def test_an_end_beyond_the_received_data_waits_for_the_rest(self, running):
        running.deliver(heartbeat(running.stream, 64, flags=0xE0))
        assert running.image.state == StreamState.STREAM_ACTIVE
        running.deliver(data(running, 0, b"last"))
        running.run()
        assert running.image.state == StreamState.STREAM_DRAINING
        assert running.consume() == [b"last"]

    def test_a_draining_image_accepts_subscriptions_until_it_is_consumed(self, running):
        running.deliver(data(running, 0, b"last"))
        running.deliver(heartbeat(running.stream, 64, flags=0xE0))
        assert running.image.state == StreamState.STREAM_DRAINING
        assert running.image.is_accepting_subscriptions
        running.consume()
        assert not running.image.is_accepting_subscriptions

    def test_a_revoked_stream_is_marked_before_its_end_is_known(self, running):
        running.deliver(heartbeat(running.stream, 0, flags=0xF0))
        assert running.image.is_revoked
        assert running.counters[SystemCounter.SYSTEM_PUBLICATION_IMAGES_REVOKED] == 1

    def test_after_the_end_the_session_may_return_at_once(self, running):
        running.deliver(heartbeat(running.stream, 0, flags=0xE0))
        running.image.request_release()
        running.run()
        assert running.events() == [ImageReleased(running.image)]
        assert running.deliver(data(running, 0)) == [ELICIT]


class TestLiveness:
    def test_10_s_of_silence_end_an_image(self, running):
        running.run(10 * SECOND)
        assert running.events() == []
        running.run(1)
        assert running.events() == [ImageReleased(running.image)]
        assert running.image.state == StreamState.STREAM_DRAINING

    def test_a_lost_session_cools_down_until_it_is_allowed_again(self, running):
        running.run(10 * SECOND + 1)
        assert running.events() == [ImageReleased(running.image)]
        assert running.deliver(data(running, 0)) == []
        running.deliver(setup_frame(running.stream))
        assert running.events() == []
        running.receiver.remove_cool_down(running.endpoint, STREAM_ID, SESSION_ID)
        assert running.deliver(data(running, 0)) == [ELICIT]

    def test_setups_do_not_keep_the_image_alive(self, running):
        running.run(6 * SECOND)
        running.deliver(setup_frame(running.stream))
        running.run(4 * SECOND + 1)
        assert running.events() == [ImageReleased(running.image)]

    def test_a_new_subscriber_receives_the_session_while_the_image_drains(self, running):
        running.receiver.remove_subscription(running.endpoint, STREAM_ID)
        running.run()
        assert running.deliver(data(running, 0)) == []
        running.receiver.add_subscription(running.endpoint, STREAM_ID)
        assert running.deliver(data(running, 0)) == [ELICIT]
        running.deliver(setup_frame(running.stream))
        [requested] = running.events()
        assert isinstance(requested, ImageRequested)
        running.image.request_release()  # must not end the dispatch to the new one
        running.run()
        assert running.events() == [ImageReleased(running.image)]
        running.deliver(setup_frame(running.stream))
        assert running.events() == []

    def test_an_image_without_subscribers_is_drained(self, running):
        running.receiver.remove_subscription(running.endpoint, STREAM_ID)
        running.run()
        assert running.image.state == StreamState.STREAM_DRAINING
        running.image.request_release()
        running.run()
        assert running.events() == [ImageReleased(running.image)]
        assert running.deliver(data(running, 0)) == []

    def test_a_session_subscribed_alone_outlives_the_streams_subscription(self, running):
        running.receiver.add_subscription(running.endpoint, STREAM_ID, SESSION_ID)
        running.receiver.remove_subscription(running.endpoint, STREAM_ID)
        running.run()
        assert running.image.state == StreamState.STREAM_ACTIVE
        running.receiver.remove_subscription(running.endpoint, STREAM_ID, SESSION_ID)
        running.run()
        assert running.image.state == StreamState.STREAM_DRAINING

    def test_a_stream_subscribed_as_a_whole_outlives_a_sessions_subscription(self, running):
        running.receiver.add_subscription(running.endpoint, STREAM_ID, SESSION_ID)
        running.receiver.remove_subscription(running.endpoint, STREAM_ID, SESSION_ID)
        running.receiver.remove_subscription(running.endpoint, STREAM_ID, SESSION_ID + 1)
        running.run()
        assert running.image.state == StreamState.STREAM_ACTIVE

    def test_sessions_of_other_streams_outlive_a_streams_subscription(self, running):
        running.receiver.add_subscription(running.endpoint, STREAM_ID + 1)
        running.receiver.add_subscription(running.endpoint, STREAM_ID + 2, SESSION_ID)
        running.run()
        frames = {}
        for stream_id in (STREAM_ID + 1, STREAM_ID + 2):
            running.stream.stream_id = stream_id
            frames[stream_id] = data(running, 0)
            assert len(running.deliver(frames[stream_id])) == 1
        running.receiver.remove_subscription(running.endpoint, STREAM_ID + 1)
        running.run()
        assert running.image.state == StreamState.STREAM_ACTIVE
        running.run(2 * SECOND)
        assert running.deliver(frames[STREAM_ID + 1]) == []
        assert len(running.deliver(frames[STREAM_ID + 2])) == 1

    def test_an_unknown_subscription_is_removed_without_effect(self, running):
        running.receiver.remove_subscription(running.endpoint, STREAM_ID + 1)
        running.receiver.remove_subscription(running.endpoint, STREAM_ID + 1, SESSION_ID)
        running.run()
        assert running.image.state == StreamState.STREAM_ACTIVE
        assert running.endpoint.transport_count == 1

    def test_a_newer_image_of_the_session_receives_its_packets(self, running):
        first = running.image
        first.stop_status_messages()
        running.receiver.remove_init_in_progress(running.endpoint, STREAM_ID, SESSION_ID)
        setup = setup_frame(running.stream)
        request = ImageRequested(
            running.endpoint,
            0,
            SESSION_ID,
            STREAM_ID,
            *struct.unpack_from("<ii", setup, 20),
            0,
            TERM_LENGTH,
            MTU_LENGTH,
            0,
            0,
            running.source,
            running.source,
        )
        second = running.answer(request)
        running.deliver(data(running, 0, b"to the newer one"))
        assert (first.rebuild_position, second.rebuild_position) == (0, 64)
        first.request_release()
        running.run()
        assert running.events() == [ImageReleased(first)]
        running.deliver(data(running, 64, b"and more"))
        assert running.consume() == [b"to the newer one", b"and more"]


class TestRejection:
    def test_an_error_frame_replaces_the_status_message(self, running):
        running.image.reject("not for us")
        assert running.run(199 * MS) == []
        assert running.run(1 * MS) == [error_frame(b"not for us")]
        assert running.run(200 * MS) == [error_frame(b"not for us")]
        assert running.counters[SystemCounter.SYSTEM_ERROR_FRAMES_SENT] == 2
        assert running.counters[SystemCounter.SYSTEM_IMAGES_REJECTED] == 1

    def test_only_the_first_reason_is_sent_with_the_group_tag(self):
        receiving = Receiving(group_tag=-3)
        receiving.create_image()
        receiving.run()
        receiving.image.reject("not for us")
        receiving.image.reject("another reason")
        (frame,) = receiving.run(200 * MS)
        assert frame == error_frame(b"not for us", group_tag=-3)
        assert receiving.counters[SystemCounter.SYSTEM_IMAGES_REJECTED] == 1

    def test_packets_of_a_rejected_image_are_ignored_until_it_ends(self, running):
        running.image.reject("not for us")
        running.deliver(data(running, 0))
        assert running.image.high_water_mark == 0
        running.run(10 * SECOND + 1)
        assert running.events() == [ImageReleased(running.image)]

    def test_reason_has_a_maximum_length(self, running):
        running.image.reject("x" * 1023)
        with pytest.raises(ConfigurationError):
            running.image.reject("x" * 1024)


class TestDestinations:
    def test_one_image_merges_all_its_transports(self, running):
        second = running.endpoint.open_transport(bind=(LOCAL, 41000), registration_id=7)
        assert running.receiver.add_transport(running.endpoint, second)
        running.run()
        running.deliver(data(running, 0, b"one"))
        running.network.deliver(running.source, (LOCAL, 41000), data(running, 64, b"two"))
        running.run()
        assert running.consume() == [b"one", b"two"]
        assert len(running.run(200 * MS)) == 2  # each live transport is answered
        assert struct.unpack_from("<i", running.log.memory, running.log.meta + 140) == (2,)

    def test_a_socket_opened_after_its_endpoint_was_added_waits_for_its_own_command(
        self, receiving
    ):
        """The conductor opens it while the receiver adds the endpoint."""
        second = receiving.endpoint.open_transport(bind=(LOCAL, 41000), registration_id=7)
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID)
        receiving.run()
        frame = data(receiving, 0)
        receiving.network.deliver(receiving.source, (LOCAL, 41000), frame)
        assert receiving.run() == []
        receiving.receiver.add_transport(receiving.endpoint, second)
        assert receiving.run() == [ELICIT]

    def test_silent_transports_are_not_answered(self, running):
        second = running.endpoint.open_transport(bind=(LOCAL, 41000), registration_id=7)
        running.receiver.add_transport(running.endpoint, second)
        running.run()
        running.network.deliver(running.source, (LOCAL, 41000), data(running, 0, b"once"))
        running.run()
        assert len(running.run(200 * MS)) == 2
        for _ in range(8):
            running.run(SECOND)
            running.deliver(heartbeat(running.stream, 64))
        running.answers()
        assert len(running.run(200 * MS)) == 1
        running.image.reject("no")
        assert running.run(200 * MS) == [error_frame(b"no")]
        assert running.counters[SystemCounter.SYSTEM_ERROR_FRAMES_SENT] == 1

    def test_the_end_of_several_transports_is_the_last_one(self, running):
        second = running.endpoint.open_transport(bind=(LOCAL, 41000))
        running.receiver.add_transport(running.endpoint, second)
        running.run()
        running.deliver(data(running, 0, b"last"))
        running.network.deliver(running.source, (LOCAL, 41000), heartbeat(running.stream, 0))
        running.run()
        running.deliver(heartbeat(running.stream, 64, flags=0xE0))
        assert not running.image.is_end_of_stream
        running.network.deliver(
            running.source, (LOCAL, 41000), heartbeat(running.stream, 0, flags=0xE0)
        )
        running.run()
        assert running.image.end_of_stream_position == 64

    def test_replies_are_sent_to_a_newly_resolved_control_address(self):
        receiving = Receiving(control_address=(LOCAL, 50001))
        receiving.create_image()
        receiving.run()
        assert receiving.run(200 * MS) == []
        receiving.receiver.change_control_address(receiving.endpoint, 0, (LOCAL, 50000))
        receiving.run()
        receiving.answers()
        assert receiving.run(200 * MS) == [status(receiving, 0)]

    def test_nothing_is_sent_to_a_control_name_without_an_address(self):
        receiving = Receiving(control_address=(LOCAL, 50000))
        receiving.create_image()
        receiving.run()
        receiving.receiver.change_control_address(receiving.endpoint, 0, None)
        receiving.run()
        receiving.answers()
        assert receiving.run(SECOND) == []
        assert receiving.counters[SystemCounter.SYSTEM_SHORT_SENDS] == 0

    def test_sockets_of_an_endpoint_are_limited(self, receiving):
        for port in range(41000, 41063):
            receiving.endpoint.open_transport(bind=(LOCAL, port))
        with pytest.raises(ConfigurationError, match="expected at most 64 of a subscription"):
            receiving.endpoint.open_transport(bind=(LOCAL, 42000))
        assert receiving.endpoint.transport_count == 64
        receiving.endpoint.close_transport(5)
        assert receiving.endpoint.open_transport(bind=(LOCAL, 42000)) == 5

    def test_a_wrong_control_address_leaves_no_socket_open(self, receiving):
        for _ in range(2):
            with pytest.raises(ValueError, match="not an address"):
                receiving.endpoint.open_transport(
                    bind=(LOCAL, 41000), control_address=("not an address", 1)
                )
        assert receiving.endpoint.open_transport(bind=(LOCAL, 41000)) == 1

    @pytest.mark.parametrize(("ttl", "count"), [(4, 0), (5, 1)])
    def test_a_sender_with_a_longer_reach_than_replies_is_counted(self, receiving, ttl, count):
        group = receiving.endpoint.open_transport(
            bind=("0.0.0.0", 41000),
            multicast_group=("224.0.1.1", 41000),
            multicast_interface=(LOCAL, 0),
            multicast_ttl=4,
        )
        receiving.receiver.add_transport(receiving.endpoint, group)
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID)
        receiving.run()
        frame = setup_frame(receiving.stream, ttl=ttl)
        assert receiving.network.deliver(receiving.source, ("224.0.1.1", 41000), frame) == 1
        receiving.run()
        (request,) = receiving.events()
        assert request.ttl == ttl
        assert receiving.counters[SystemCounter.SYSTEM_POSSIBLE_TTL_ASYMMETRY] == count

    def test_transports_with_differently_cut_streams_are_merged(self, running):
        second = running.endpoint.open_transport(bind=(LOCAL, 41000), registration_id=7)
        assert running.receiver.add_transport(running.endpoint, second)
        running.run()
        frames = [data(running, 64 * n, bytes([n]) * 32) for n in range(6)]
        running.deliver(frames[0] + frames[1])
        for part in (frames[1] + frames[2], frames[4] + frames[5], frames[2] + frames[3]):
            running.network.deliver(running.source, (LOCAL, 41000), part)
            running.run()
        running.deliver(b"".join(frames[3:5]))
        assert running.consume() == [bytes([n]) * 32 for n in range(6)]
        assert running.counters[SystemCounter.SYSTEM_INVALID_PACKETS] == 0

    def test_image_is_kept_by_a_sender_behind_one_that_has_ended(self, running):
        second = running.endpoint.open_transport(bind=(LOCAL, 41000))
        running.receiver.add_transport(running.endpoint, second)
        running.run()
        running.deliver(data(running, 0, b"x" * 32))
        assert running.consume() == [b"x" * 32]
        for _ in range(25):
            running.network.deliver(running.source, (LOCAL, 41000), heartbeat(running.stream, 0))
            running.run(SECOND)
        assert running.image.state == StreamState.STREAM_ACTIVE

    def test_image_of_the_last_transport_ends_once_moved_ahead_of_its_sender(self, running):
        second = running.endpoint.open_transport(bind=(LOCAL, 41000))
        running.receiver.add_transport(running.endpoint, second)
        running.run()
        running.network.deliver(running.source, (LOCAL, 41000), data(running, 0, b"x" * 32))
        running.run()
        running.receiver.remove_transport(running.endpoint, second)
        running.run()
        running.deliver(data(running, 64, b"forged"))
        for _ in range(11):
            assert running.image.state == StreamState.STREAM_ACTIVE
            running.deliver(heartbeat(running.stream, 64))
            running.run(SECOND)
        running.run(SECOND)
        assert running.image.state != StreamState.STREAM_ACTIVE

    def test_stream_ends_once_all_transports_end(self, running):
        second = running.endpoint.open_transport(bind=(LOCAL, 41000))
        running.receiver.add_transport(running.endpoint, second)
        running.run()
        running.network.deliver(running.source, (LOCAL, 41000), heartbeat(running.stream, 0))
        running.run()
        running.deliver(heartbeat(running.stream, 0, flags=0xE0))
        assert not running.image.is_end_of_stream
        running.network.deliver(
            running.source, (LOCAL, 41000), heartbeat(running.stream, 0, flags=0xE0)
        )
        running.run()
        assert running.image.is_end_of_stream

    def test_a_removed_transport_is_released_and_its_slot_used_again(self, running):
        second = running.endpoint.open_transport(bind=(LOCAL, 41000))
        running.receiver.add_transport(running.endpoint, second)
        running.run()
        assert running.endpoint.local_address(second) == Address(LOCAL, 41000)
        running.receiver.remove_transport(running.endpoint, second)
        running.run()
        assert running.events() == [TransportReleased(running.endpoint, second)]
        running.endpoint.close_transport(second)
        assert running.endpoint.transport_count == 1
        assert running.endpoint.open_transport(bind=(LOCAL, 41001)) == second
        with pytest.raises(ConfigurationError):
            running.receiver.add_transport(running.endpoint, 5)

    def test_an_image_continues_by_a_transport_in_the_slot_of_a_removed_one(self, running):
        second = running.endpoint.open_transport(bind=(LOCAL, 41000), registration_id=7)
        running.receiver.add_transport(running.endpoint, second)
        running.run()
        running.network.deliver(running.source, (LOCAL, 41000), data(running, 0, b"one"))
        running.run()
        running.receiver.remove_transport(running.endpoint, 0)
        running.run()
        running.endpoint.close_transport(0)
        # A gap is requested by the transport that is left.
        running.answers()
        running.network.deliver(running.source, (LOCAL, 41000), data(running, 128, b"three"))
        sent = [each for delay_ns in (0, SECOND, 0) for each in running.run(delay_ns)]
        found = [each for each in sent if each[6] == 2]
        assert found == [nak_frame(running.stream, 64, 64)]
        assert running.endpoint.open_transport(bind=(LOCAL, 41001), registration_id=8) == 0
        running.receiver.add_transport(running.endpoint, 0)
        running.run()
        running.network.deliver(running.source, (LOCAL, 41001), data(running, 64, b"two"))
        running.run()
        assert running.consume() == [b"one", b"two", b"three"]
        running.answers()
        assert len(running.run(200 * MS)) == 2

    def test_an_image_added_after_the_removal_of_its_transport_does_not_use_the_slot(
        self, receiving
    ):
        """The conductor may close the socket while the receiver sends, and open another one."""
        receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID)
        receiving.deliver(setup_frame(receiving.stream))
        (request,) = receiving.events()
        receiving.receiver.remove_transport(receiving.endpoint, 0)
        receiving.run()
        assert receiving.events() == [TransportReleased(receiving.endpoint, 0)]
        receiving.answer(request)
        receiving.endpoint.close_transport(0)
        assert receiving.endpoint.open_transport(bind=(LOCAL, 41000)) == 0
        receiving.receiver.add_transport(receiving.endpoint, 0)
        assert receiving.run(200 * MS) == []
        receiving.network.deliver(receiving.source, (LOCAL, 41000), data(receiving, 0, b"one"))
        receiving.run()
        assert receiving.consume() == [b"one"]

    def test_a_control_address_is_that_of_one_transport_of_one_endpoint(self, running):
        other = ReceiveEndpoint(
            running.network, running.counters.manager, registration_id=2, receiver_id=RECEIVER_ID
        )
        other.open_transport(bind=(LOCAL, 41000))
        second = running.endpoint.open_transport(bind=(LOCAL, 41001))
        running.receiver.add_endpoint(other)
        running.receiver.add_transport(running.endpoint, second)
        for endpoint, index in ((other, 0), (running.endpoint, second)):
            assert running.receiver.change_control_address(endpoint, index, (LOCAL, 50001))
        running.run()
        running.answers()
        assert running.run(200 * MS) == [status(running, 0)]
        assert running.receiver.remove_endpoint(other)
        running.run()
        assert running.events() == [ReceiveEndpointReleased(other)]
        other.close()

    @pytest.mark.parametrize("index", [-1, 1, 64])
    def test_a_transport_that_is_not_open_is_rejected(self, receiving, index):
        endpoint = receiving.endpoint
        for call in (endpoint.local_address, endpoint.buffer_lengths, endpoint.close_transport):
            with pytest.raises(ConfigurationError, match=f"transport: .*'?{index}'?$"):
                call(index)


@pytest.mark.parametrize(
    ("state", "accepts"),
    [
        (StreamState.STREAM_INIT, True),
        (StreamState.STREAM_ACTIVE, True),
        (StreamState.STREAM_DRAINING, True),
        (StreamState.STREAM_LINGER, False),
        (StreamState.STREAM_DONE, False),
    ],
)
def test_a_subscription_may_join_an_image_until_it_is_drained(running, state, accepts):
    running.deliver(data(running, 0, b"unread"))
    running.image.state = state
    assert running.image.is_accepting_subscriptions == accepts
    running.consume()
    drained = accepts and state != StreamState.STREAM_DRAINING
    assert running.image.is_accepting_subscriptions == drained


def test_setups_that_are_awaited_are_of_a_stream_and_a_session(receiving):
    others = [Log(stream_id=STREAM_ID + 1), Log(session_id=SESSION_ID + 1)]
    for stream_id in (STREAM_ID, STREAM_ID + 1):
        receiving.receiver.add_subscription(receiving.endpoint, stream_id)
    streams = [receiving.stream, *others]
    for each in streams:
        assert len(receiving.deliver(each.frame(0, b"x"))) == 1  # a setup frame is elicited
        assert receiving.deliver(each.frame(0, b"x")) == []
    for each in reversed(streams):
        receiving.deliver(setup_frame(each))
        (request,) = receiving.events()
        assert (request.session_id, request.stream_id) == (each.session_id, each.stream_id)
        receiving.answer(request)
        receiving.run()
        assert receiving.events() == []


def test_an_image_of_a_subscription_that_ended_meanwhile_leaves_nothing(receiving):
    subscribe = receiving.receiver.add_subscription
    subscribe(receiving.endpoint, STREAM_ID)
    receiving.deliver(setup_frame(receiving.stream))
    (request,) = receiving.events()
    receiving.receiver.remove_subscription(receiving.endpoint, STREAM_ID)
    receiving.run()
    image = receiving.answer(request)
    receiving.run()
    image.request_release()
    receiving.run()
    assert receiving.events() == [ImageReleased(image)]
    receiving.tracking.remove_image(image)
    assert receiving.deliver(setup_frame(receiving.stream)) == []
    assert receiving.events() == []
    subscribe(receiving.endpoint, STREAM_ID)
    receiving.deliver(setup_frame(receiving.stream))
    (again,) = receiving.events()
    assert again.session_id == request.session_id


def test_an_image_is_rebuilt_without_the_tracking_of_all_streams(running):
    running.network.deliver(running.source, (LOCAL, DATA_PORT), data(running, 0, b"x" * 32))
    running.receiver.do_work()
    assert running.image.high_water_mark == 64
    assert running.image.rebuild_position == 0
    assert running.image.track_rebuild(running.clock) == 1
    assert running.image.rebuild_position == 64
    assert running.image.track_rebuild(running.clock) == 0


def test_an_agent_without_queues_has_no_work():
    with pytest.raises(StateError, match="DatagramAgent: no work function is set"):
        AgentInvoker([DatagramAgent()])


def test_the_parts_of_a_receiver_are_those_that_were_given(running):
    assert running.endpoint.registration_id == 1
    assert running.endpoint.receiver_id == RECEIVER_ID
    assert running.image.endpoint is running.endpoint
    assert running.image.correlation_id == 3
    assert running.image.log is running.log.raw
    assert running.image.subscriber_count == 1
    running.image.remove_subscriber(running.subscriber)
    assert running.image.subscriber_count == 0
    assert not running.image.is_accepting_subscriptions


def test_a_round_trip_request_of_the_sender_is_answered(running):
    request = RTT.pack(40, 0, 0x80, 6, SESSION_ID, STREAM_ID, 5, 0, RECEIVER_ID)
    assert running.deliver(request) == [
        RTT.pack(40, 0, 0, 6, SESSION_ID, STREAM_ID, 5, 0, RECEIVER_ID)
    ]
    elsewhere = RTT.pack(40, 0, 0x80, 6, SESSION_ID, STREAM_ID, 5, 0, 1)
    assert running.deliver(elsewhere) == []


def test_a_removed_endpoint_releases_its_images_first(running):
    running.receiver.remove_endpoint(running.endpoint)
    running.run()
    assert running.events() == [
        ImageReleased(running.image),
        ReceiveEndpointReleased(running.endpoint),
    ]
    running.tracking.remove_image(running.image)
    running.image.close()
    running.endpoint.close()
    with pytest.raises(StateError):
        running.receiver.add_subscription(running.endpoint, STREAM_ID)


def test_a_full_queue_declines_and_is_counted(running):
    receiver, endpoint, image = running.receiver, running.endpoint, running.image
    while receiver.free_command_count:
        assert receiver.remove_cool_down(endpoint, STREAM_ID, 1)
    for count, call in enumerate(
        (
            lambda: receiver.add_endpoint(endpoint),
            lambda: receiver.remove_endpoint(endpoint),
            lambda: receiver.add_transport(endpoint, 0),
            lambda: receiver.remove_transport(endpoint, 0),
            lambda: receiver.change_control_address(endpoint, 0, (LOCAL, 50000)),
            lambda: receiver.add_subscription(endpoint, STREAM_ID),
            lambda: receiver.remove_subscription(endpoint, STREAM_ID),
            lambda: receiver.request_setup(endpoint, STREAM_ID, 1),
            lambda: receiver.remove_init_in_progress(endpoint, STREAM_ID, 1),
            lambda: receiver.add_image(image),
        ),
        1,
    ):
        assert not call()
        assert running.counters[SystemCounter.SYSTEM_RECEIVER_PROXY_FAILS] == count
    running.run()
    assert receiver.remove_subscription(endpoint, STREAM_ID)


def test_the_slowest_of_many_subscribers_decides_the_window(running):
    others = [running.counters.new("sub-pos") for _ in range(20)]
    for each in others:
        running.image.add_subscriber(each)
    for position in range(0, 12 * MTU_LENGTH, MTU_LENGTH):
        running.deliver(data(running, position))
    running.consume()
    for each in others[:-1]:
        running.counters[each] = running.image.rebuild_position
    running.run()
    assert running.run(200 * MS) == [status(running, 0)]
    for _ in range(2):  # the second time it is no subscriber
        running.image.remove_subscriber(others[-1])
    running.run()
    assert running.run() == [status(running, 12 * MTU_LENGTH)]


def test_an_image_is_of_one_of_the_transports(receiving):
    receiving.image_options = {"transport_index": 64}
    with pytest.raises(ConfigurationError, match="transport: expected the index of one, found 64"):
        receiving.create_image()


def test_sessions_are_limited(receiving):
    receiving.receiver.add_subscription(receiving.endpoint, STREAM_ID)
    receiving.run()
    setup = bytearray(setup_frame(receiving.stream))
    found = 0
    for session_id in range(65536 + 32):
        struct.pack_into("<i", setup, 12, session_id)
        receiving.network.deliver(receiving.source, (LOCAL, DATA_PORT), bytes(setup))
        if session_id % 16 == 15:
            receiving.receiver.do_work()
            while receiving.receiver.poll_event() is not None:
                found += 1
    while receiving.receiver.do_work():
        found += len(receiving.events())
    assert found == 65536
    receiving.receiver.remove_init_in_progress(receiving.endpoint, STREAM_ID, 5)
    receiving.run()
    assert receiving.deliver(bytes(setup)) == []
    (request,) = receiving.events()
    assert request.session_id == 65536 + 31


@pytest.mark.parametrize(
    "packet",
    [
        b"",
        b"\0" * 7,
        struct.pack("<iBBH", 32, 1, 0xC0, 1) + bytes(24),
        struct.pack("<iBBH", 32, 0, 0xC0, 1) + bytes(23),
        struct.pack("<iBBH", 40, 0, 0, 5) + bytes(31),
        struct.pack("<iBBH", 40, 0, 0, 6) + bytes(31),
    ],
)
def test_short_or_foreign_frames_are_counted_and_dropped(running, packet):
    running.deliver(packet)
    assert invalid(running) == 1


def test_unknown_types_are_left_unchanged(running):
    running.deliver(struct.pack("<iBBH", 8, 0, 0, 0x77))
    assert invalid(running) == 0


def test_a_late_subscriber_joins_where_the_image_is(running):
    running.deliver(data(running, 0))
    assert running.image.join_position == 0
    running.consume()
    assert running.image.join_position == MTU_LENGTH
    assert running.image.is_accepting_subscriptions
