"""The sender's frames and their times, byte for byte, against a receiver played by the test."""

import itertools
import struct

import pytest

from aeron_cluster.driver.send.flow_control import FlowControlStrategy
from aeron_cluster.driver.send.flow_control_options import FlowControlOptions
from aeron_cluster.driver.send.network_publication import NetworkPublication
from aeron_cluster.driver.send.send_endpoint import SendEndpoint, SendMode
from aeron_cluster.driver.send.send_events import (
    PublicationErrored,
    PublicationReleased,
    ResponseConnected,
    ResponseSetupReceived,
    SendEndpointReleased,
    SendResolutionDue,
)
from aeron_cluster.driver.streams.dropped_packets import Fault
from aeron_cluster.errors import ClosedError, ConfigurationError, StateError
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import UdpNetwork
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
    STREAM_ID,
    TERM_LENGTH,
    Counters,
    Log,
    Sending,
    error_frame,
    heartbeat,
    nak_frame,
    setup_frame,
    status_frame,
)

SEND_SETUP = 0x80
END_OF_STREAM = 0x40


@pytest.fixture
def sending():
    return Sending()


def connect(sending, window=32768, position=0):
    sending.deliver(status_frame(sending.log, position, window))
    sending.run()  # the first heartbeat is due at once


def of_type(datagrams, kind):
    return [each for each in datagrams if struct.unpack_from("<H", each, 6)[0] == kind]


def test_a_setup_frame_is_sent_first_and_again_until_it_is_answered(sending):
    expected = bytes.fromhex(
        "28000000 00 00 0500 00000000 0b000000 16000000 07000000 07000000 00000100 80050000 "
        "00000000"
    )
    assert expected == setup_frame(sending.log)
    assert sending.run() == [expected]
    assert sending.run(99 * MS) == []
    assert sending.run(1 * MS) == [expected]
    connect(sending)
    assert of_type(sending.run(100 * MS), 5) == []


def test_setup_frames_to_several_receivers_become_rarer_until_every_100_ms():
    sending = Sending(has_group_semantics=True)
    sent_ms = [now_ms for now_ms in range(2000) if sending.run(1 * MS if now_ms else 0)]
    gaps_ms = [after - before for before, after in itertools.pairwise(sent_ms)]
    assert sent_ms[0] == 0
    assert gaps_ms[0] == 5
    assert gaps_ms == sorted(gaps_ms)
    # A late receiver waits for an eighth of the elapsed time, and for the first gap.
    assert all(gap <= sent / 8 + 7 for gap, sent in zip(gaps_ms, sent_ms, strict=False))
    assert gaps_ms[-1] == 100


def test_a_setup_frame_has_the_senders_position():
    position = 4 * TERM_LENGTH + 4096
    sending = Sending(start_position=position)
    assert sending.run() == [setup_frame(sending.log, position)]


def test_no_data_before_the_first_status_message(sending):
    sending.log.append(b"hello")
    assert of_type(sending.run(), 1) == []
    assert sending.sender_position == 0


def test_datagram_equals_the_log(sending):
    connect(sending)
    sending.log.append(b"hello")
    (datagram,) = sending.run()
    expected = bytes.fromhex(
        "25000000 00 c0 0100 00000000 0b000000 16000000 07000000 0000000000000000"
    ) + b"hello".ljust(32, b"\0")
    assert datagram == expected
    assert sending.sender_position == 64
    assert sending.counters[SystemCounter.SYSTEM_BYTES_SENT] >= 64


def test_small_messages_share_a_datagram_up_to_the_mtu(sending):
    connect(sending)
    for index in range(50):
        sending.log.append(bytes([index]) * 32)
    datagrams = sending.run()
    assert [len(each) for each in datagrams] == [MTU_LENGTH, MTU_LENGTH, 50 * 64 - 2 * MTU_LENGTH]
    assert sending.sender_position == 50 * 64


@pytest.mark.parametrize(("max_batch_count", "sent"), [(1, 1), (3, 3), (8, 8), (16, 12)])
def test_datagrams_of_a_pass_are_limited(max_batch_count, sent):
    sending = Sending(max_batch_count=max_batch_count)
    connect(sending, 131072)
    for _ in range(12):
        sending.log.append(b"x" * (MTU_LENGTH - 32))
    assert len(sending.run()) == sent


def test_a_forged_window_ends_with_a_term(sending):
    connect(sending, (1 << 31) - 1)
    assert sending.sender_limit == TERM_LENGTH


def test_only_the_header_of_padding_is_sent(sending):
    connect(sending, 131072)
    while sending.sender_position < TERM_LENGTH - 1024:
        sending.log.append(b"x" * (1024 - 32))
        sending.run()
    sending.log.pad(1024)
    (datagram,) = sending.run()
    assert len(datagram) == 32
    assert struct.unpack_from("<iBBHi", datagram) == (1024, 0, 0xC0, 0, TERM_LENGTH - 1024)
    assert sending.sender_position == TERM_LENGTH


def test_unfinished_frame_is_not_sent(sending):
    connect(sending)
    sending.log.append(b"hello")
    struct.pack_into("<i", sending.log.memory, 0, -37)
    assert sending.run() == []
    assert sending.sender_position == 0


def test_heartbeats_every_100_ms_of_silence(sending):
    connect(sending)
    assert sending.run(50 * MS) == []
    assert sending.run(50 * MS) == [heartbeat(sending.log, 0)]
    sending.log.append(b"hello")
    sending.run()
    assert sending.run(99 * MS) == []
    assert sending.run(1 * MS) == [heartbeat(sending.log, 64)]
    assert sending.counters[SystemCounter.SYSTEM_HEARTBEATS_SENT] >= 3


def test_no_heartbeat_before_a_receiver_is_known(sending):
    sending.run()
    assert of_type(sending.run(SECOND), 1) == []


@pytest.mark.parametrize(("signals", "flags"), [(True, 0xE0), (False, 0xC0)])
def test_heartbeats_carry_the_end_of_the_stream(signals, flags):
    sending = Sending(signals_end_of_stream=signals)
    connect(sending)
    sending.publication.set_end_of_stream()
    for _ in range(2):
        assert sending.run(99 * MS) == []
        assert sending.run(1 * MS) == [heartbeat(sending.log, 0, flags=flags)]


def test_the_end_of_the_stream_is_sent_an_interval_after_the_last_data(sending):
    """Meanwhile all readers reach the last position, before one of them closes the image."""
    connect(sending)
    sending.run(99 * MS)
    sending.log.append(b"x" * 32)
    assert len(of_type(sending.run(), 1)) == 1
    sending.publication.set_end_of_stream()
    assert sending.run(99 * MS) == []
    assert sending.run(1 * MS) == [heartbeat(sending.log, 64, flags=0xE0)]


def ends_of_driver(sending):
    sending.sent.clear()
    sending.sender.send_unsent_ends()
    return [data for _, data in sending.sent]


def test_a_closed_driver_sends_the_ends_that_were_not_due(sending):
    assert ends_of_driver(sending) == []
    connect(sending)
    assert ends_of_driver(sending) == []
    sending.publication.set_end_of_stream()
    assert ends_of_driver(sending) == [heartbeat(sending.log, 0, flags=0xE0)]
    assert ends_of_driver(sending) == []


def test_a_closed_driver_repeats_no_end_that_a_heartbeat_had(sending):
    connect(sending)
    sending.publication.set_end_of_stream()
    assert len(sending.run(100 * MS)) == 1
    assert ends_of_driver(sending) == []


def test_a_removed_publication_sends_an_end_that_was_not_due(sending):
    connect(sending)
    sending.publication.set_end_of_stream()
    assert sending.sender.remove_publication(sending.publication)
    assert sending.run() == [heartbeat(sending.log, 0, flags=0xE0)]


def test_a_revoked_stream_is_marked_even_without_the_end(sending):
    connect(sending)
    sending.log.memory[sending.log.meta + 496] = 1
    assert sending.run(200 * MS) == [heartbeat(sending.log, 0, flags=0xF0)]


def test_never_exceeds_the_receivers_window(sending):
    """Of 131072 bytes 93 full frames fit; the rest is back pressure, once an episode."""
    connect(sending, 131072 // 4)
    frames = 0
    for _ in range(40):
        sending.log.append(b"x" * (MTU_LENGTH - 32))
        frames += len(sending.run())
    assert frames == 32768 // MTU_LENGTH
    assert sending.sender_position == frames * MTU_LENGTH
    assert sending.counters[sending.back_pressure_id] == 1
    assert sending.counters[SystemCounter.SYSTEM_SENDER_FLOW_CONTROL_LIMITS] == 1
    connect(sending, 32768, sending.sender_position)
    sending.run()
    assert sending.sender_position > frames * MTU_LENGTH


def test_a_status_message_connects_the_publisher(sending):
    assert not sending.publication.is_connected
    connect(sending)
    assert sending.publication.is_connected
    assert sending.publication.has_receivers
    assert sending.publication.publisher_limit == TERM_LENGTH // 2
    assert sending.counters[SystemCounter.SYSTEM_STATUS_MESSAGES_RECEIVED] == 1


def test_receiver_silent_for_5_s_is_disconnected(sending):
    connect(sending)
    sending.run(5 * SECOND)
    assert sending.publication.has_receivers
    sending.run(1)
    assert not sending.publication.has_receivers
    sending.run()
    assert not sending.publication.is_connected
    assert sending.publication.publisher_limit == 0


def test_a_status_message_far_from_the_sender_is_rejected(sending):
    sending.deliver(status_frame(sending.log, TERM_LENGTH // 2 + 32, 4096))
    assert sending.counters[SystemCounter.SYSTEM_STATUS_MESSAGES_REJECTED] == 1
    assert sending.sender_limit == 0
    sending.deliver(status_frame(sending.log, TERM_LENGTH // 2, 4096))
    assert sending.sender_limit == TERM_LENGTH // 2 + 4096


def test_receivers_beyond_the_stored_ones_do_not_limit_the_sender():
    sending = Sending(
        has_group_semantics=True,
        flow_control=FlowControlOptions(FlowControlStrategy.FLOW_CONTROL_MIN),
    )
    for receiver_id in range(1024):
        sending.deliver(status_frame(sending.log, 0, 8192, receiver_id=receiver_id))
    for receiver_id in (2000, 2001):
        sending.deliver(status_frame(sending.log, 0, 4096, receiver_id=receiver_id))
    assert sending.counters[sending.receivers_id] == 1024
    assert sending.sender_limit == 8192
    sending.deliver(error_frame(b"no", receiver_id=2000))  # of an unknown receiver
    assert sending.events() == []
    sending.deliver(error_frame(b"no", receiver_id=1023))
    sending.deliver(status_frame(sending.log, 0, 4096, receiver_id=2000))
    sending.deliver(error_frame(b"no", receiver_id=2000))
    assert len(sending.events()) == 2


def test_a_status_message_that_requests_a_setup_is_answered_with_one(sending):
    connect(sending)
    sending.run(100 * MS)
    sending.deliver(status_frame(sending.log, 0, 0, flags=SEND_SETUP))
    assert of_type(sending.run(), 5) == [setup_frame(sending.log)]
    assert of_type(sending.run(100 * MS), 5) == []  # once while a receiver is alive


def test_an_ended_stream_is_not_set_up_again(sending):
    connect(sending)
    sending.publication.set_end_of_stream()
    sending.deliver(status_frame(sending.log, 0, 0, flags=SEND_SETUP))
    assert of_type(sending.run(100 * MS), 5) == []


def test_the_receivers_end_of_stream_shortens_a_unicast_linger(sending):
    connect(sending)
    sending.deliver(status_frame(sending.log, 0, 4096, flags=END_OF_STREAM))
    assert sending.publication.has_unicast_end_of_stream
    assert not sending.publication.has_receivers


def test_a_receiver_after_the_one_that_ended_needs_the_whole_linger(sending):
    connect(sending)
    sending.deliver(status_frame(sending.log, 0, 4096, flags=END_OF_STREAM))
    sending.deliver(status_frame(sending.log, 0, 4096, receiver_id=6))
    assert not sending.publication.has_unicast_end_of_stream
    assert sending.publication.has_receivers
    sending.deliver(status_frame(sending.log, 0, 4096, receiver_id=6, flags=END_OF_STREAM))
    assert sending.publication.has_unicast_end_of_stream


def test_end_of_stream_of_one_group_member_does_not_shorten_the_linger():
    sending = Sending(
        has_group_semantics=True,
        flow_control=FlowControlOptions(FlowControlStrategy.FLOW_CONTROL_MAX),
    )
    connect(sending)
    sending.deliver(status_frame(sending.log, 0, 4096, flags=END_OF_STREAM))
    assert not sending.publication.has_unicast_end_of_stream


class TestRetransmit:
    def fill(self, sending, count=8):
        connect(sending)
        for index in range(count):
            sending.log.append(bytes([index]) * (MTU_LENGTH - 32))
            sending.run()

    def test_a_nak_is_answered_with_the_frames_at_once(self, sending):
        self.fill(sending)
        resent = sending.deliver(nak_frame(sending.log, MTU_LENGTH, 2 * MTU_LENGTH))
        assert [each[32] for each in resent] == [1, 2]
        assert sending.counters[sending.naks_id] == 1
        assert sending.counters[SystemCounter.SYSTEM_NAKS_RECEIVED] == 1
        assert sending.counters[SystemCounter.SYSTEM_RETRANSMITS_SENT] == 1
        assert sending.counters[SystemCounter.SYSTEM_RETRANSMITTED_BYTES] == 2 * MTU_LENGTH
        assert sending.sender_position == 8 * MTU_LENGTH

    def test_a_resend_ends_before_a_frame_that_its_publisher_has_overwritten(self, sending):
        self.fill(sending)
        struct.pack_into("<i", sending.log.memory, sending.log.at(2 * MTU_LENGTH), 0)
        resent = sending.deliver(nak_frame(sending.log, MTU_LENGTH, 2 * MTU_LENGTH))
        assert [each[32] for each in resent] == [1]

    def test_a_repeated_nak_is_ignored_for_10_ms(self, sending):
        self.fill(sending)
        nak = nak_frame(sending.log, MTU_LENGTH, 2 * MTU_LENGTH)
        assert len(sending.deliver(nak)) == 2
        assert sending.deliver(nak) == []
        sending.clock.advance(9 * MS)
        assert sending.deliver(nak_frame(sending.log, 2 * MTU_LENGTH, MTU_LENGTH)) == []
        sending.run(1 * MS)
        assert len(sending.deliver(nak)) == 2

    def test_a_new_gap_of_the_one_receiver_replaces_the_old(self, sending):
        self.fill(sending)
        assert len(sending.deliver(nak_frame(sending.log, 0, MTU_LENGTH))) == 1
        assert len(sending.deliver(nak_frame(sending.log, 4 * MTU_LENGTH, MTU_LENGTH))) == 1
        assert len(sending.deliver(nak_frame(sending.log, 0, MTU_LENGTH))) == 1

    def test_retransmits_of_a_group_can_overflow_their_pool(self):
        sending = Sending(
            has_group_semantics=True,
            max_resend=2,
            flow_control=FlowControlOptions(FlowControlStrategy.FLOW_CONTROL_MAX),
        )
        self.fill(sending)
        for index in range(3):
            sending.deliver(nak_frame(sending.log, index * MTU_LENGTH, MTU_LENGTH))
        assert sending.counters[SystemCounter.SYSTEM_RETRANSMITS_SENT] == 2
        assert sending.counters[SystemCounter.SYSTEM_RETRANSMIT_OVERFLOW] == 1

    @pytest.mark.parametrize("max_resend", [0, 257])
    def test_the_number_of_retransmits_has_limits(self, max_resend):
        with pytest.raises(ConfigurationError, match="max-resend: expected 1 to 256"):
            Sending(max_resend=max_resend)

    def test_retransmit_waits_for_its_delay(self):
        sending = Sending(retransmit_delay_ns=5 * MS)
        self.fill(sending)
        assert sending.deliver(nak_frame(sending.log, 0, MTU_LENGTH)) == []
        assert sending.run(4 * MS) == []
        assert len(sending.run(1 * MS)) == 1

    @pytest.mark.parametrize(
        ("offset", "length"), [(-32, 32), (TERM_LENGTH - 31, 32), (0, -1), (-(1 << 31), 1 << 30)]
    )
    def test_a_nak_outside_its_term_is_invalid(self, sending, offset, length):
        self.fill(sending)
        frame = bytearray(nak_frame(sending.log, 0, 0))
        struct.pack_into("<ii", frame, 20, offset, length)
        assert sending.deliver(bytes(frame)) == []
        assert sending.counters[SystemCounter.SYSTEM_INVALID_PACKETS] == 1

    def test_unsent_data_is_not_resent(self, sending):
        self.fill(sending)
        assert sending.deliver(nak_frame(sending.log, 8 * MTU_LENGTH, MTU_LENGTH)) == []
        assert sending.deliver(nak_frame(sending.log, TERM_LENGTH, MTU_LENGTH)) == []

    def test_a_nak_within_a_frame_is_not_answered(self, sending):
        """A message containing bytes that look like a frame would be sent as one."""
        inside = sending.log.frame(0, b"made up" * 4)
        position = sending.log.position
        sending.log.append(bytes(64) + inside + bytes(200))
        sending.deliver(status_frame(sending.log, 0, TERM_LENGTH // 2))
        sending.run()
        assert sending.sender_position > position
        assert sending.deliver(nak_frame(sending.log, position + 96, 64)) == []
        assert len(sending.deliver(nak_frame(sending.log, position, 64))) == 1

    def test_a_nak_of_no_length_is_ignored(self, sending):
        self.fill(sending)
        assert sending.deliver(nak_frame(sending.log, 0, 0)) == []
        assert sending.counters[SystemCounter.SYSTEM_INVALID_PACKETS] == 0

    def test_one_nak_gets_a_bounded_answer(self):
        sending = Sending(
            flow_control=FlowControlOptions(
                FlowControlStrategy.FLOW_CONTROL_UNICAST, retransmit_window_multiple=1
            )
        )
        connect(sending, 131072)
        for _ in range(40):
            sending.log.append(b"x" * (MTU_LENGTH - 32))
            sending.run()
        resent = sending.deliver(nak_frame(sending.log, 11 * MTU_LENGTH, TERM_LENGTH))
        assert len(resent) == -(-(TERM_LENGTH // 2) // MTU_LENGTH)


def test_a_round_trip_request_is_answered(sending):
    connect(sending)
    request = RTT.pack(40, 0, 0x80, 6, SESSION_ID, STREAM_ID, 123456789, 0, 77)
    assert sending.deliver(request) == [
        RTT.pack(40, 0, 0, 6, SESSION_ID, STREAM_ID, 123456789, 0, 77)
    ]
    assert sending.deliver(RTT.pack(40, 0, 0, 6, SESSION_ID, STREAM_ID, 1, 0, 77)) == []


def test_an_error_of_a_live_receiver_is_reported_once(sending):
    connect(sending)
    sending.deliver(error_frame(b"no thanks", group_tag=5))
    (event,) = sending.events()
    assert event == PublicationErrored(
        sending.publication,
        -1,
        SESSION_ID,
        STREAM_ID,
        RECEIVER_ID,
        5,
        Address(LOCAL, DATA_PORT),
        13,
        "no thanks",
    )
    assert not sending.events()
    sending.deliver(error_frame(b"no thanks"))
    assert sending.events() == []
    assert sending.counters[SystemCounter.SYSTEM_ERROR_FRAMES_RECEIVED] == 2
    connect(sending)
    sending.deliver(error_frame(b"no thanks"))
    assert len(sending.events()) == 1


def test_the_text_of_an_error_is_cut_to_the_received_length(sending):
    connect(sending)
    frame = bytearray(error_frame(b"x" * 10))
    struct.pack_into("<i", frame, 36, 1 << 30)
    sending.deliver(bytes(frame))
    (event,) = sending.events()
    assert event.text == "x" * 10


def test_a_response_setup_is_passed_to_the_conductor():
    sending = Sending(response_correlation_id=77)
    (frame,) = sending.run()
    assert frame[5] == 0x80  # requests a response
    connect(sending)
    sending.deliver(RESPONSE_SETUP.pack(20, 0, 0, 11, SESSION_ID, STREAM_ID, -5))
    assert sending.events() == [ResponseSetupReceived(sending.publication, -5)]


def test_a_response_is_sent_to_the_requester():
    sending = Sending(mode=SendMode.SEND_RESPONSE, is_response=True, response_correlation_id=1)
    assert sending.run(100 * MS) == []
    assert sending.counters[SystemCounter.SYSTEM_SHORT_SENDS] >= 1
    client = (LOCAL, 45000)
    sending.deliver(status_frame(sending.log, 0, 0, flags=SEND_SETUP), source=client)
    assert sending.run(100 * MS) == [setup_frame(sending.log)]
    assert sending.sent[0][0] == Address(*client)
    sending.deliver(status_frame(sending.log, 0, 4096), source=client)
    assert sending.events() == [ResponseConnected(sending.publication)]


class TestDestinations:
    def manual(self):
        sending = Sending(
            mode=SendMode.SEND_MANUAL,
            has_group_semantics=True,
            flow_control=FlowControlOptions(FlowControlStrategy.FLOW_CONTROL_MAX),
        )
        sending.sender.add_destination(sending.endpoint, (LOCAL, 41000), 100)
        sending.sender.add_destination(sending.endpoint, (LOCAL, 41001), 101)
        return sending

    def test_every_datagram_goes_to_each_destination(self):
        sending = self.manual()
        sending.run()
        assert sorted(target.port for target, _ in sending.sent) == [41000, 41001]
        assert sending.sent[0][1][5] == 0x40  # a group
        assert sending.counters[sending.destinations_id] == 2

    def test_destinations_are_removed_by_id(self):
        sending = self.manual()
        sending.sender.remove_destination(sending.endpoint, 100)
        sending.run(100 * MS)
        assert [target.port for target, _ in sending.sent] == [41001]
        sending.sender.remove_destination(sending.endpoint, 101)
        assert sending.run(100 * MS) == []
        assert sending.counters[sending.destinations_id] == 0

    def test_unknown_destinations_are_removed_and_moved_without_effect(self):
        sending = self.manual()
        sending.sender.remove_destination(sending.endpoint, 102)
        sending.sender.change_address(sending.endpoint, (LOCAL, 42000), 102)
        sending.sender.change_address(sending.endpoint, (LOCAL, 42001), 101)
        sending.run(100 * MS)
        assert sorted(target.port for target, _ in sending.sent) == [41000, 42001]
        sending.sender.remove_destination(sending.endpoint, 101)
        sending.run(100 * MS)
        assert [target.port for target, _ in sending.sent] == [41000]
        assert sending.endpoint.destination_count == 1

    @pytest.mark.parametrize("mode", [SendMode.SEND_MANUAL, SendMode.SEND_DYNAMIC])
    def test_destinations_are_limited(self, mode):
        sending = Sending(
            mode=mode,
            has_group_semantics=True,
            flow_control=FlowControlOptions(FlowControlStrategy.FLOW_CONTROL_MAX),
        )
        status = status_frame(sending.log, 0, 0, flags=SEND_SETUP)
        for port in range(41000, 41000 + 1030):
            if mode == SendMode.SEND_MANUAL:
                assert sending.sender.add_destination(sending.endpoint, (LOCAL, port), port)
                sending.run()
            else:
                sending.network.deliver((LOCAL, port), sending.local, status)
                sending.sender.do_work()
        assert sending.counters[sending.destinations_id] == 1024
        sending.run(100 * MS)
        ports = [target.port for target, _ in sending.sent]
        assert sorted(ports) == [*range(41000, 42024)]

    def test_a_status_message_from_another_source_is_not_a_destinations(self):
        sending = self.manual()
        sending.deliver(status_frame(sending.log, 0, 4096), source=(LOCAL, 41009))
        sending.deliver(error_frame(b"no"), source=(LOCAL, 41009))
        (event,) = sending.events()
        assert event.destination_id == -1

    def test_an_endpoint_has_one_of_the_modes(self):
        with pytest.raises(ConfigurationError, match="mode: expected a SendMode"):
            Sending(mode=9)

    def test_a_closed_endpoint_has_no_address(self):
        sending = self.manual()
        sending.sender.remove_publication(sending.publication)
        sending.sender.remove_endpoint(sending.endpoint)
        sending.run()
        assert len(sending.events()) == 2
        sending.publication.close()
        sending.endpoint.close()
        assert sending.endpoint.local_address is None
        assert sending.endpoint.buffer_lengths == (0, 0)
        with pytest.raises(StateError, match="not the sender's"):
            sending.sender.add_destination(sending.endpoint, (LOCAL, 41000), 100)

    def test_manual_destinations_never_time_out(self):
        sending = self.manual()
        sending.run()
        assert len(sending.run(3600 * SECOND)) == 2

    def test_an_error_names_the_destination(self):
        sending = self.manual()
        sending.deliver(status_frame(sending.log, 0, 4096), source=(LOCAL, 41001))
        sending.deliver(error_frame(b"no"), source=(LOCAL, 41001))
        (event,) = sending.events()
        assert event.destination_id == 101

    def test_a_destination_whose_receiver_started_again_is_known_by_its_address(self):
        sending = self.manual()
        for receiver_id in (5, 6):
            sending.deliver(
                status_frame(sending.log, 0, 4096, receiver_id=receiver_id), source=(LOCAL, 41001)
            )
            sending.run(4 * SECOND)
        assert sending.events() == [SendResolutionDue(sending.endpoint, 100)]
        sending.deliver(error_frame(b"no", receiver_id=6), source=(LOCAL, 41001))
        (event,) = sending.events()
        assert event.destination_id == 101

    def test_a_silent_destination_is_resolved_again_and_may_move(self):
        sending = self.manual()
        sending.run()
        sending.run(6 * SECOND)
        assert sending.events() == [
            SendResolutionDue(sending.endpoint, 100),
            SendResolutionDue(sending.endpoint, 101),
        ]
        sending.sender.change_address(sending.endpoint, (LOCAL, 42000), 100)
        sending.run(100 * MS)
        assert sorted(target.port for target, _ in sending.sent) == [41001, 42000]
        assert sending.counters[SystemCounter.SYSTEM_RESOLUTION_CHANGES] == 1

    def test_dynamic_destinations_are_added_by_status_message_and_removed_after_5_s(self):
        sending = Sending(
            mode=SendMode.SEND_DYNAMIC,
            has_group_semantics=True,
            flow_control=FlowControlOptions(FlowControlStrategy.FLOW_CONTROL_MAX),
        )
        assert sending.run() == []  # without a receiver the data counts as sent
        wildcard_status = status_frame(
            sending.log, 0, 0, flags=SEND_SETUP, session_id=0, stream_id=0
        )
        sending.deliver(wildcard_status, source=(LOCAL, 41000))
        assert sending.counters[sending.destinations_id] == 1
        sending.run(100 * MS)
        assert [target.port for target, _ in sending.sent] == [41000]
        sending.deliver(wildcard_status, source=(LOCAL, 41000))
        assert sending.counters[sending.destinations_id] == 1
        sending.run(5 * SECOND)
        assert sending.counters[sending.destinations_id] == 1
        sending.run(100 * MS)
        assert sending.counters[sending.destinations_id] == 0
        assert sending.sent == []

    def test_nothing_is_sent_twice_to_a_dynamic_destination_that_started_again(self):
        sending = Sending(
            mode=SendMode.SEND_DYNAMIC,
            has_group_semantics=True,
            flow_control=FlowControlOptions(FlowControlStrategy.FLOW_CONTROL_MAX),
        )
        for receiver_id in (5, 6):
            sending.deliver(
                status_frame(sending.log, 0, 4096, receiver_id=receiver_id), source=(LOCAL, 41000)
            )
        assert sending.counters[sending.destinations_id] == 1
        sending.run(100 * MS)
        assert [target.port for target, _ in sending.sent] == [41000]


class TestSpies:
    def test_a_spy_holds_the_limit_but_does_not_connect(self, sending):
        spy = sending.counters.new("sub-pos")
        sending.publication.add_spy(spy)
        sending.run()
        assert not sending.publication.is_connected
        connect(sending, 131072)
        for _ in range(10):
            sending.log.append(b"x" * 992)
            sending.run()
        assert sending.publication.publisher_limit == TERM_LENGTH // 2
        sending.counters[spy] = 5120
        sending.run()
        assert sending.publication.publisher_limit == TERM_LENGTH // 2 + 5120

    def test_spies_may_count_as_a_connection(self):
        sending = Sending(spies_simulate_connection=True)
        spy = sending.counters.new("sub-pos")
        sending.publication.add_spy(spy)
        assert sending.publication.update_connected()
        sending.run()
        assert sending.publication.publisher_limit == TERM_LENGTH // 2
        sending.log.append(b"hello")
        sending.counters[spy] = 64
        sending.run()
        assert sending.sender_position == 64
        assert sending.publication.publisher_limit == TERM_LENGTH // 2 + 64
        sending.publication.remove_spy(spy)
        assert not sending.publication.update_connected()

    def test_a_draining_publication_waits_for_its_spies(self, sending):
        spy = sending.counters.new("sub-pos")
        sending.publication.add_spy(spy)
        assert not sending.publication.are_spies_at(64)
        sending.counters[spy] = 64
        assert sending.publication.are_spies_at(64)


def test_the_limit_stays_while_a_dirty_term_is_ahead(sending):
    """'cleanPos 0 and newLimit 196700 (term 3)': the limit waits until the term was cleaned."""
    connect(sending, 32768)
    while sending.sender_position < 3 * TERM_LENGTH:
        sending.log.append(b"x" * (MTU_LENGTH - 32))
        sending.run()
        connect(sending, 32768, sending.sender_position)
        limit = sending.publication.publisher_limit
        for position in range(sending.log.position, limit, 32):
            where = sending.log.at(position)
            assert sending.log.memory[where : where + 32] == bytes(32), (position, limit)
    assert sending.publication.clean_position >= sending.sender_position - 2 * TERM_LENGTH


@pytest.mark.parametrize(
    ("window_length", "dirty_passes"), [(TERM_LENGTH // 2, 1), (2 * TERM_LENGTH, 3)]
)
def test_the_limit_waits_for_the_cleaning_of_terms_that_were_sent_at_once(
    window_length, dirty_passes
):
    sending = Sending(window_length=window_length)
    connect(sending)
    while sending.sender_position < 2 * TERM_LENGTH + 40_000:
        sending.log.append(b"x" * (1024 - 32))
        sending.sender.do_work()
        frame = status_frame(sending.log, sending.sender_position, 32768)
        sending.network.deliver((LOCAL, DATA_PORT), sending.local, frame)
        sending.sender.do_work()
    before = sending.publication.publisher_limit
    cleaned = []
    for _ in range(dirty_passes):
        sending.publication.update_limits()
        assert sending.publication.publisher_limit == before
        cleaned.append(sending.publication.clean_position)
    assert cleaned[0] == TERM_LENGTH
    sending.publication.update_limits()
    # The longer window would end in the term after the next, of which two others are in use.
    moves = window_length < TERM_LENGTH
    limit = sending.sender_position + window_length if moves else before
    assert sending.publication.publisher_limit == limit
    assert sending.publication.clean_position == sending.sender_position - TERM_LENGTH


def test_a_publisher_blocked_in_an_earlier_term_is_unblocked(sending):
    connect(sending)
    struct.pack_into("<i", sending.log.memory, 0, -TERM_LENGTH)
    sending.log.position = TERM_LENGTH
    sending.log.set_tail(TERM_LENGTH)
    now = sending.clock.nano_time()
    assert not sending.publication.check_blocked_publisher(now)
    assert sending.publication.check_blocked_publisher(now + 16 * SECOND)
    assert sending.counters[SystemCounter.SYSTEM_UNBLOCKED_PUBLICATIONS] == 1


def test_a_blocked_publisher_is_unblocked_at_the_senders_position(sending):
    connect(sending)
    struct.pack_into("<i", sending.log.memory, 0, -160)
    sending.log.position = 160
    sending.log.set_tail(160)
    now = sending.clock.nano_time()
    assert not sending.publication.check_blocked_publisher(now)
    assert sending.publication.check_blocked_publisher(now + 16 * SECOND)
    assert sending.counters[SystemCounter.SYSTEM_UNBLOCKED_PUBLICATIONS] == 1
    assert len(of_type(sending.run(), 0)) == 1
    assert sending.sender_position == 160


def test_removed_objects_are_released(sending):
    sending.run()
    assert sending.sender.remove_publication(sending.publication)
    assert sending.sender.remove_endpoint(sending.endpoint)
    assert sending.run(SECOND) == []
    assert sending.events() == [
        PublicationReleased(sending.publication),
        SendEndpointReleased(sending.endpoint),
    ]
    with pytest.raises(StateError):
        sending.sender.remove_publication(sending.publication)
    sending.publication.close()
    sending.endpoint.close()
    assert not sending.endpoint.is_open


@pytest.mark.parametrize("removed_first", [0, 1])
def test_a_publication_may_follow_another_of_its_session(sending, removed_first):
    """The first one lingers until its removal, and must not end the dispatch to the second."""
    sending.run()
    second = add_second(sending)
    first = sending.publication
    order = [first, second]
    sending.sender.remove_publication(order[removed_first])
    sending.run()
    assert sending.events() == [PublicationReleased(order[removed_first])]
    sending.deliver(status_frame(sending.log, 0, 32768))
    assert second.has_receivers == (removed_first == 0)
    assert not first.has_receivers
    sending.sender.remove_publication(order[1 - removed_first])
    sending.run()
    released = [each for each in sending.events() if isinstance(each, PublicationReleased)]
    assert released == [PublicationReleased(order[1 - removed_first])]


def add_second(sending):
    """Add a publication with the session and stream of the first one."""
    counters = sending.counters
    second = NetworkPublication(
        Log().raw,
        counters.manager,
        sending.endpoint,
        FlowControlOptions(FlowControlStrategy.FLOW_CONTROL_UNICAST),
        registration_id=10,
        session_id=SESSION_ID,
        stream_id=STREAM_ID,
        mtu_length=MTU_LENGTH,
        window_length=TERM_LENGTH // 2,
        start_position=0,
        publisher_position_id=counters.new(),
        publisher_limit_id=counters.new(),
        sender_position_id=counters.new(),
        sender_limit_id=counters.new(),
        back_pressure_id=counters.new(),
        naks_received_id=counters.new(),
        is_exclusive=False,
        now_ns=sending.clock.nano_time(),
        response_correlation_id=77,
    )
    assert sending.sender.add_publication(second)
    sending.run()
    return second


def test_the_parts_of_a_sender_are_those_that_were_given(sending):
    second = add_second(sending)
    assert (second.response_correlation_id, sending.publication.response_correlation_id) == (77, -1)
    assert second.endpoint is sending.publication.endpoint is sending.endpoint
    assert sending.publication.log is sending.log.raw
    assert (sending.endpoint.registration_id, sending.endpoint.mode) == (2, SendMode.SEND_CONNECTED)
    raw = sending.log.raw
    assert raw.length == len(sending.log.memory)
    assert (raw.term_length, raw.initial_term_id) == (TERM_LENGTH, 7)
    assert raw.has_all_pages
    assert not raw.is_closed
    connect(sending, 4096)
    assert (second.sender_limit, sending.publication.sender_limit) == (4096, 0)
    assert not sending.publication.is_end_of_stream
    sending.publication.set_end_of_stream()
    assert sending.publication.is_end_of_stream
    for _ in range(2):
        raw.close()
        assert raw.is_closed


@pytest.mark.parametrize(
    "strategy", [FlowControlStrategy.FLOW_CONTROL_MIN, FlowControlStrategy.FLOW_CONTROL_TAGGED]
)
def test_receivers_and_destinations_need_no_counters(strategy):
    sending = Sending(
        mode=SendMode.SEND_MANUAL,
        has_group_semantics=True,
        flow_control=FlowControlOptions(strategy, group_tag=5),
        flow_control_receivers_id=-1,
    )
    plain = SendEndpoint(
        sending.network, sending.counters.manager, registration_id=3, mode=SendMode.SEND_MANUAL
    )
    plain.open(bind=(LOCAL, 50001))
    sending.sender.add_endpoint(plain)
    assert sending.sender.add_destination(plain, (LOCAL, 41000), 1)
    sending.sender.add_destination(sending.endpoint, (LOCAL, DATA_PORT), 100)
    sending.run()
    assert plain.destination_count == 1
    sending.deliver(status_frame(sending.log, 0, 4096, group_tag=5))
    assert sending.sender_limit == 4096


def test_an_endpoint_without_a_socket_is_not_polled(sending):
    closed = SendEndpoint(
        sending.network, sending.counters.manager, registration_id=3, mode=SendMode.SEND_CONNECTED
    )
    assert sending.sender.add_endpoint(closed)
    sending.deliver(status_frame(sending.log, 0, 4096))
    assert sending.sender_limit == 4096
    assert not closed.is_open


def test_the_control_socket_of_a_group_is_polled_instead_of_that_of_the_data():
    sending = Sending()
    group = ("224.0.1.2", 40124)
    multicast = SendEndpoint(
        sending.network,
        sending.counters.manager,
        registration_id=3,
        mode=SendMode.SEND_CONNECTED,
        has_group_semantics=True,
    )
    multicast.open(
        bind=(LOCAL, 50001),
        connect=("224.0.1.1", 40124),
        control_bind=("0.0.0.0", 40124),
        control_group=group,
    )
    sending.sender.add_endpoint(multicast)
    sending.run()
    before = sending.counters[SystemCounter.SYSTEM_INVALID_PACKETS]
    assert sending.network.deliver((LOCAL, 41000), group, bytes(7)) == 1
    sending.run()
    assert sending.counters[SystemCounter.SYSTEM_INVALID_PACKETS] == before + 1


def test_a_full_queue_declines_and_is_counted(sending):
    while sending.sender.free_command_count:
        assert sending.sender.remove_destination(sending.endpoint, 1)
    sender, endpoint, publication = sending.sender, sending.endpoint, sending.publication
    for count, call in enumerate(
        (
            lambda: sender.add_endpoint(endpoint),
            lambda: sender.remove_endpoint(endpoint),
            lambda: sender.add_publication(publication),
            lambda: sender.remove_publication(publication),
            lambda: sender.add_destination(endpoint, (LOCAL, 41000), 1),
            lambda: sender.remove_destination(endpoint, 1),
            lambda: sender.change_address(endpoint, (LOCAL, 41000)),
        ),
        1,
    ):
        assert not call()
        assert sending.counters[SystemCounter.SYSTEM_SENDER_PROXY_FAILS] == count
    sending.run()
    assert sender.remove_publication(publication)


def test_an_endpoint_whose_control_socket_cannot_be_opened_leaves_no_socket_open():
    endpoint = SendEndpoint(
        UdpNetwork(), Counters().manager, registration_id=1, mode=SendMode.SEND_CONNECTED
    )
    local = (LOCAL, 0)
    with pytest.raises(OSError, match="Invalid argument") as raised:
        endpoint.open(bind=local, control_bind=local, control_group=local)  # not of a group
    assert raised.value.filename.startswith("control socket")
    assert not endpoint.is_open
    endpoint.open(bind=local)
    assert endpoint.is_open
    endpoint.close()


def test_counters_of_a_publication_exist():
    with pytest.raises(ConfigurationError, match="counter id: expected -1 or below 128, found 128"):
        Sending(publisher_limit_id=128)


def test_a_closed_log_is_rejected(sending):
    sending.log.raw.close()
    with pytest.raises(ClosedError, match="a log"):
        _ = sending.log.raw.is_connected


def test_a_silent_named_receiver_is_resolved_again():
    sending = Sending()
    sending.endpoint = None
    assert sending.run(6 * SECOND) is not None
    assert sending.events() == []  # its address was given as a literal


@pytest.mark.parametrize(
    "packet",
    [
        b"",
        b"\0" * 7,
        struct.pack("<iBBH", 36, 1, 0, 3) + bytes(28),
        struct.pack("<iBBH", 36, 0, 0, 3) + bytes(27),
        struct.pack("<iBBH", 28, 0, 0, 2) + bytes(19),
        struct.pack("<iBBH", 40, 0, 0, 4) + bytes(31),
        struct.pack("<iBBH", 40, 0, 0, 6) + bytes(31),
        struct.pack("<iBBH", 20, 0, 0, 11) + bytes(11),
    ],
)
def test_short_or_unknown_control_frames_are_counted_and_reported_once(sending, packet):
    sending.deliver(packet)
    sending.deliver(packet)
    assert sending.counters[SystemCounter.SYSTEM_INVALID_PACKETS] == 2
    (event,) = sending.events()
    assert event.endpoint is sending.endpoint
    assert event.length == len(packet)
    assert event.fault in (Fault.LENGTH, Fault.VERSION)


def test_unknown_types_are_left_unchanged(sending):
    sending.deliver(struct.pack("<iBBH", 8, 0, 0, 0x77))
    assert sending.counters[SystemCounter.SYSTEM_INVALID_PACKETS] == 0
