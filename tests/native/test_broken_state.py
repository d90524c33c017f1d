"""Deliberately corrupted state stops its agent with the invariant's name, and is not used."""

import errno
import os
import struct
from pathlib import Path

import pytest

from aeron_cluster.archive.recording.recorder import RecordingEnd
from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.assembly import ClusterNode, local_member
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.driver.control.stream_tracking import StreamTracking
from aeron_cluster.driver.media.resolution_socket import ResolutionSocket
from aeron_cluster.driver.send.send_endpoint import SendMode
from aeron_cluster.errors import ClosedError, InvariantViolatedError
from aeron_cluster.logbuffer.local_log import LocalLog
from aeron_cluster.logbuffer.term_appender import AppendStatus
from aeron_cluster.memory.agents.agent import AgentInvoker, PythonAgent
from aeron_cluster.memory.shared.commands import Event
from aeron_cluster.memory.shared.counters import AtomicCounter
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.simulator.world.memory_network import MemoryNetwork
from tests.conftest import VARIANT
from tests.unit.archive.recordings_rig import SEGMENT_LENGTH, TERM_LENGTH, Rig
from tests.unit.client.fake_driver import FakeDriver
from tests.unit.cluster.members_rig import MembersRig, append_position
from tests.unit.cluster.module_rig import ModuleRig
from tests.unit.cluster.streams import Streams
from tests.unit.driver.harness import (
    DATA_PORT,
    LOCAL,
    SECOND,
    Receiving,
    Sending,
    nak_frame,
    status_frame,
)
from tests.unit.driver.test_ipc_publication import Stream
from tests.waiting import await_true

MAX = 2**63 - 1
# Checked only in debug builds (make test VARIANT=debug).
SHORT_LOOPS = []
if VARIANT == "debug":
    SHORT_LOOPS = [
        lambda log: log.offer(b"second"),
        lambda log: log.offer_vectored([b"sec", b"ond"]),
        lambda log: log.try_claim(32),
    ]


@pytest.fixture(scope="module")
def breaker(build_extension):
    return build_extension(Path(__file__).parent / "state_breaker.pyx")


@pytest.fixture
def streams(tmp_path):
    return Streams(tmp_path)


def violation_of(agent):
    """Drive an agent as a runner does until it stops; return the violation, which later passes
    repeat.
    """
    with AgentInvoker([agent]) as invoker:
        with pytest.raises(InvariantViolatedError) as first:
            repeat(invoker.invoke)
        with pytest.raises(InvariantViolatedError) as again:
            invoker.invoke()
    assert again.value is first.value
    return first.value


def repeat(call):
    for _ in range(200):
        call()


# ---- the log buffer ----


@pytest.mark.parametrize(
    "use",
    [
        lambda log: log.append_padding(64),
        lambda log: log.offer_block(bytes(64)),
        *SHORT_LOOPS,
    ],
)
def test_misplaced_appender_writes_nothing(use, breaker):
    log = LocalLog("exclusive", term_length=TERM_LENGTH)
    log.is_connected = True
    log.position_limit = MAX
    assert log.offer(b"first") > 0
    breaker.misplace_log(log, 5)
    before = bytes(memoryview(log))
    with pytest.raises(InvariantViolatedError, match="an appender is at the offset of a frame"):
        use(log)
    assert bytes(memoryview(log)) == before


def test_only_the_active_term_is_rotated(breaker):
    log = LocalLog("exclusive", term_length=TERM_LENGTH)
    log.is_connected = True
    log.position_limit = MAX
    breaker.skip_term(log)
    with pytest.raises(
        InvariantViolatedError, match="the term that is left is the active one: found 1, compared"
    ):
        repeat(lambda: log.offer(b"x" * 1000))


def test_a_subscriber_within_a_frame_reads_nothing(breaker):
    log = LocalLog("exclusive", term_length=TERM_LENGTH)
    log.is_connected = True
    log.position_limit = MAX
    log.offer(b"first")
    breaker.misread(log)
    read = []
    with pytest.raises(
        InvariantViolatedError, match="a subscriber is at the position of a frame: found 5"
    ):
        log.poll(lambda *given: read.append(given), 10)
    assert read == []


@pytest.mark.parametrize(
    ("length", "vector_length"), [(-1, 1 << 31), (-(2**31), (1 << 64) - 1), (1 << 30, 1 << 30)]
)
def test_a_length_that_no_message_has_is_an_invalid_argument(length, vector_length, breaker):
    log = LocalLog(term_length=TERM_LENGTH)
    log.is_connected = True
    log.position_limit = MAX
    before = bytes(memoryview(log))
    found = breaker.offer_lengths(log, length, vector_length)
    assert found == [AppendStatus.INVALID_ARGUMENT] * 4
    assert bytes(memoryview(log)) == before


def test_a_tail_within_a_frame_ends_its_log(breaker):
    log = LocalLog("concurrent", term_length=TERM_LENGTH)
    log.is_connected = True
    breaker.misplace_tail(log)
    with pytest.raises(InvariantViolatedError, match="a tail is the offset of a frame in its term"):
        repeat(lambda: log.offer(b"x" * 1000))


def test_a_log_is_not_rotated_into_a_partition_of_another_term(breaker):
    log = LocalLog("exclusive", term_length=TERM_LENGTH)
    log.is_connected = True
    breaker.mistake_partition(log)
    with pytest.raises(
        InvariantViolatedError,
        match="the next partition was left three terms before: found -1, compared with -2",
    ):
        repeat(lambda: log.offer(b"x" * 1000))


def test_a_scan_for_the_begin_of_a_message_needs_the_frames_before(breaker):
    log = LocalLog("exclusive", term_length=TERM_LENGTH)
    log.is_connected = True
    log.position_limit = MAX
    assert log.offer(b"x") == 64
    log.append_padding(96)
    before = log.producer_position
    mtu_length = 1408
    assert log.offer(bytes(mtu_length)) > 0
    begins = {0: 0, 64: 64, before: before, before + mtu_length: before}
    begins |= {log.producer_position: log.producer_position}
    begins |= {32: -1, before + 32: -1, log.producer_position + 32: -1}
    assert {offset: breaker.message_begin(log, offset) for offset in begins} == begins


def packet(offset, length=64):
    return struct.pack("<iBBHiiiiq", length, 0, 0xC0, 1, offset, 1, 1, 0, 0) + bytes(length - 32)


def test_a_rebuilder_ahead_of_what_it_received_inserts_nothing(breaker):
    log = LocalLog(term_length=TERM_LENGTH)
    assert log.insert(packet(0)) == 1
    breaker.misplace_rebuilder(log, 32)
    before = bytes(memoryview(log))
    with pytest.raises(
        InvariantViolatedError, match="end before the high-water mark: found 96, compared with 64"
    ):
        log.insert(packet(192))
    assert bytes(memoryview(log)) == before


@pytest.mark.parametrize("by", ["insert", "skip_to"])
def test_a_rebuilder_within_a_frame_stays_there(by, breaker):
    log = LocalLog(term_length=TERM_LENGTH)
    assert log.insert(packet(128)) == 1
    breaker.misplace_rebuilder(log, 5)
    call = {"insert": lambda: log.insert(packet(64)), "skip_to": lambda: breaker.skip_to(log, 192)}
    with pytest.raises(InvariantViolatedError, match="frames begin and end at positions of frames"):
        call[by]()
    assert log.contiguous_position == 5


# ---- the driver ----


def test_a_sender_with_too_many_publications_sends_nothing(breaker):
    sending = Sending()
    sending.run()
    sending.log.append(b"x" * 32)
    breaker.shrink_publications(sending.sender)
    sending.sent.clear()
    error = violation_of(sending.sender)
    assert error.invariant == "each publication has an entry"
    assert error.place == "aeron_cluster.driver.send.sender.send_all"
    assert (error.value, error.bound) == (1, 0)
    assert sending.sent == []


def test_a_sender_that_begins_before_its_first_publication_sends_nothing(breaker):
    sending = Sending()
    sending.run()
    breaker.start_before_first(sending.sender)
    sending.sent.clear()
    assert violation_of(sending.sender).invariant == "each publication has an entry"
    assert sending.sent == []


def test_a_sender_with_too_many_endpoints_resolves_none(breaker):
    sending = Sending(is_resolvable=True)
    sending.run()
    breaker.shrink_endpoints(sending.sender)
    sending.clock.advance(10 * SECOND)
    assert violation_of(sending.sender).invariant == "each endpoint has an entry"
    assert sending.events() == []


@pytest.mark.parametrize("count", [-1, 1025])
def test_a_sender_with_too_many_destinations_sends_nothing(count, breaker):
    sending = Sending(mode=SendMode.SEND_MANUAL, has_group_semantics=True)
    breaker.overfill_destinations(sending.endpoint, count)
    error = violation_of(sending.sender)
    assert error.invariant == "each destination has an entry"
    assert (error.value, error.bound) == (count, 1024)
    assert sending.sent == []
    breaker.overfill_destinations(sending.endpoint, 0)


@pytest.mark.parametrize("count", [-1, 1000])
def test_a_sender_with_too_many_retransmissions_ends(count, breaker):
    sending = Sending()
    sending.run()
    breaker.retransmit_too_many(sending.publication, count)
    assert violation_of(sending.sender).invariant == "each retransmission has an entry"


@pytest.mark.parametrize("offset", [-32, TERM_LENGTH])
def test_nothing_is_retransmitted_outside_of_a_term(offset, breaker):
    sending = Sending()
    with pytest.raises(InvariantViolatedError, match="a retransmit begins in its term"):
        breaker.request_at(sending.publication, offset)


def test_an_overfilled_table_of_publications_is_not_searched(breaker):
    sending = Sending()
    sending.run()
    breaker.overfill_table(sending.endpoint)
    sending.network.deliver(
        (LOCAL, DATA_PORT), sending.local, status_frame(sending.log, 0, TERM_LENGTH)
    )
    assert violation_of(sending.sender).invariant == "a table is at most half full"
    assert not sending.publication.has_receivers


def test_a_sender_whose_socket_sends_more_than_it_was_given_ends(breaker):
    sending = Sending()
    sending.deliver(status_frame(sending.log, 0, TERM_LENGTH))
    sending.log.append(b"x" * 32)
    breaker.fault_sender_sockets(sending.endpoint, 2)
    error = violation_of(sending.sender)
    assert error.invariant == "no more is sent than available"
    assert (error.value, error.bound) == (2, 1)
    assert sending.sender_position == 0


@pytest.mark.parametrize(
    ("count", "excess", "invariant"),
    [
        (1000, 0, "no more is received than there are buffers"),
        (1, 1, "a datagram fits its buffer"),
    ],
)
def test_an_agent_whose_socket_receives_too_much_ends(count, excess, invariant, breaker):
    sending, receiving = Sending(), Receiving()
    for agent, fault, endpoint in (
        (sending.sender, breaker.fault_sender_sockets, sending.endpoint),
        (receiving.receiver, breaker.fault_receiver_sockets, receiving.endpoint),
    ):
        agent.do_work()
        fault(endpoint, count, excess)
        assert violation_of(agent).invariant == invariant


@pytest.mark.parametrize(
    ("call", "invariant"),
    [
        ("read_past_writer", "a queue is read up to its written end"),
        ("publish_unclaimed", "a published slot was claimed"),
        ("release_unread", "a released slot was read"),
    ],
)
def test_a_queue_is_written_and_read_in_turn(call, invariant, breaker):
    with pytest.raises(InvariantViolatedError, match=invariant):
        getattr(breaker, call)(Sending().sender)


@pytest.mark.parametrize(
    ("call", "given", "invariant"),
    [
        ("add_to_shrunk_pointers", (), "each pointer has an entry"),
        ("remove_from_shrunk_pointers", (), "each pointer has an entry"),
        ("add_to_shrunk_positions", (), "each position has an entry"),
        ("allocate_no_pages", (), "pages are allocated ahead, within a term"),
        ("remove_from_table", (True, False, False), "a removed entry is in the table"),
        ("remove_from_table", (False, True, False), "a removed entry is in the table"),
        ("remove_from_table", (False, False, True), "a table is at most half full"),
    ],
)
def test_an_invalid_structure_of_an_agent_is_left_unchanged(call, given, invariant, breaker):
    with pytest.raises(InvariantViolatedError, match=invariant):
        getattr(breaker, call)(*given)


def test_a_pointer_is_removed_once(breaker):
    assert breaker.remove_unknown_pointer() == [False, 1, True, 0]


# Not an invariant: the system rejects a datagram, for example to a destination without a route.
@pytest.mark.parametrize("result", [-errno.EPERM, 0])
def test_data_that_the_socket_does_not_accept_is_not_sent(result, breaker):
    sending = Sending()
    sending.deliver(status_frame(sending.log, 0, TERM_LENGTH))
    sending.log.append(b"x" * 32)
    before = sending.counters[SystemCounter.SYSTEM_SHORT_SENDS]
    breaker.fault_sender_sockets(sending.endpoint, result)
    sending.run()
    assert sending.sender_position == 0
    assert sending.counters[SystemCounter.SYSTEM_SHORT_SENDS] > before


@pytest.mark.parametrize(("result", "sender_position"), [(-errno.EPERM, 64), (0, 0), (1, 64)])
def test_a_failing_destination_does_not_delay_the_others_as_a_slow_one_does(
    result, sender_position, breaker
):
    """It recovers what it missed by NAKs."""
    sending = Sending(mode=SendMode.SEND_MANUAL, has_group_semantics=True)
    sending.sender.add_destination(sending.endpoint, (LOCAL, DATA_PORT), 100)
    sending.deliver(status_frame(sending.log, 0, TERM_LENGTH))
    sending.log.append(b"x" * 32)
    before = sending.counters[SystemCounter.SYSTEM_SHORT_SENDS]
    breaker.fault_sender_sockets(sending.endpoint, result)
    sending.run()
    assert sending.sender_position == sender_position
    assert (sending.counters[SystemCounter.SYSTEM_SHORT_SENDS] > before) == (result < 1)


def test_a_retransmission_that_the_socket_rejects_is_not_counted(breaker):
    sending = Sending()
    sending.deliver(status_frame(sending.log, 0, TERM_LENGTH))
    sending.log.append(b"x" * 32)
    sending.run()
    assert sending.sender_position == 64
    sending.network.deliver((LOCAL, DATA_PORT), sending.local, nak_frame(sending.log, 0, 64))
    sending.sender.do_work()
    assert sending.counters[SystemCounter.SYSTEM_RETRANSMITTED_BYTES] == 64
    sending.clock.advance(SECOND)
    sending.sender.do_work()
    sending.network.deliver((LOCAL, DATA_PORT), sending.local, nak_frame(sending.log, 0, 64))
    breaker.fault_sender_sockets(sending.endpoint, -errno.EPERM)
    sending.sender.do_work()
    assert sending.counters[SystemCounter.SYSTEM_RETRANSMITTED_BYTES] == 64


def test_a_failed_poll_of_a_resolution_socket_raises_once(breaker):
    network = MemoryNetwork()
    socket = ResolutionSocket(network, Address(LOCAL, 0), poll_interval_ns=SECOND)
    assert not breaker.poll_resolution_socket(socket, 0)
    breaker.fault_resolution_socket(socket, -errno.ENETDOWN)
    assert not breaker.poll_resolution_socket(socket, SECOND - 1)
    assert breaker.poll_resolution_socket(socket, SECOND)
    with pytest.raises(OSError, match=os.strerror(errno.ENETDOWN)):
        socket.take()
    assert socket.take() is None


def test_overfilled_queue_is_not_read(breaker):
    sending = Sending()
    sending.run()
    breaker.overfill_commands(sending.sender)
    error = violation_of(sending.sender)
    assert error.invariant == "a queue holds no more than its capacity"


def test_a_sender_with_too_many_receivers_ends(breaker):
    sending = Sending()
    sending.run()
    breaker.overfill_receivers(sending.publication)
    assert violation_of(sending.sender).invariant == "each receiver has an entry"


def test_a_publication_is_not_cleaned_ahead_of_its_sender(breaker):
    sending = Sending()
    sending.run()
    breaker.clean_ahead(sending.publication)
    sending.publication.update_limits()
    error = violation_of(sending.sender)  # the violation is raised by this thread's next pass
    assert error.invariant == "unsent data is not cleaned"


def test_an_exception_of_the_pass_with_a_violation_is_its_cause(breaker):
    sending = Sending()
    sending.run()
    breaker.clean_ahead(sending.publication)
    sending.publication.update_limits()
    error = violation_of(PythonAgent(FailingAgent()))
    assert error.invariant == "unsent data is not cleaned"
    assert isinstance(error.__cause__, RuntimeError)


class FailingAgent:
    def do_work(self):
        raise RuntimeError("of the same pass")


def test_a_handler_that_fails_for_a_violation_ends_the_pass_and_the_agents(breaker):
    sending = Sending()
    sending.run()
    breaker.start_before_first(sending.sender)

    def fail(*_):
        raise ValueError("mine")

    with AgentInvoker([sending.sender], error_handler=fail) as invoker:
        with pytest.raises(ValueError, match="mine"):
            invoker.invoke()
        with pytest.raises(InvariantViolatedError, match="each publication has an entry"):
            invoker.invoke()


def test_a_packet_of_an_endpoint_without_an_agent_is_only_counted(breaker):
    sending = Sending()
    before = sending.counters[SystemCounter.SYSTEM_INVALID_PACKETS]
    breaker.drop_without_agent(sending.endpoint)
    assert sending.counters[SystemCounter.SYSTEM_INVALID_PACKETS] == before + 1
    assert sending.events() == []


def test_a_receiver_with_an_image_ahead_of_itself_ends(breaker):
    receiving = Receiving()
    image = receiving.create_image()
    breaker.rebuild_ahead(image)
    error = violation_of(receiving.receiver)
    assert error.invariant == "contiguous frames end before the high-water mark"
    assert (error.value, error.bound) == (32, 0)


@pytest.mark.parametrize("count", [-1, 65])
def test_a_receiver_with_too_many_transports_or_connections_ends(count, breaker):
    receiving = Receiving()
    receiving.receiver.do_work()
    breaker.overfill_transports(receiving.endpoint, count)
    assert violation_of(receiving.receiver).invariant == "each transport has an entry"
    breaker.overfill_transports(receiving.endpoint, 1)
    receiving = Receiving()
    image = receiving.create_image()
    breaker.overfill_connections(image, count)
    assert violation_of(receiving.receiver).invariant == "each connection has an entry"
    breaker.overfill_connections(image, 1)


@pytest.mark.parametrize("index", [-1, 64])
def test_a_packet_of_an_unknown_transport_is_not_inserted(index, breaker):
    receiving = Receiving()
    image = receiving.create_image()
    with pytest.raises(InvariantViolatedError, match="each transport has an entry"):
        breaker.receive_by_transport(image, index)


def test_stream_tracking_with_too_many_subscribers_ends(breaker):
    receiving = Receiving()
    breaker.shrink_subscribers(receiving.create_image())
    assert violation_of(receiving.tracking).invariant == "each subscriber has an entry"
    stream = Stream()
    stream.subscribe()
    breaker.shrink_ipc_subscribers(stream.publication)
    tracking = StreamTracking(receiving.clock)
    tracking.add_ipc_publication(stream.publication)
    assert violation_of(tracking).invariant == "each subscriber has an entry"


def test_stream_tracking_with_too_many_publications_ends(breaker):
    sending = Sending()
    tracking = StreamTracking(sending.clock)
    tracking.add_network_publication(sending.publication)
    breaker.shrink_network_publications(tracking)
    assert violation_of(tracking).invariant == "each publication has an entry"


def test_stream_tracking_with_too_many_images_ends(breaker):
    receiving = Receiving()
    receiving.create_image()
    breaker.shrink_images(receiving.tracking)
    assert violation_of(receiving.tracking).invariant == "each image has an entry"


# ---- the client ----


def test_client_with_an_invalid_heartbeat_counter_ends(breaker, shm_dir):
    driver = FakeDriver(shm_dir / "driver")
    with Aeron.connect(
        aeron_dir=driver.directory, use_conductor_invoker=True, driver_invoker=driver.do_work
    ) as aeron:
        breaker.mistake_heartbeat(aeron.conductor_agent)
        error = violation_of(aeron.conductor_agent)
    assert error.invariant == "a heartbeat is one of the counters"


def test_misplaced_exclusive_publication_raises_from_its_call(breaker, streams):
    stream = streams.stream()
    assert stream.publication.offer(b"first")
    breaker.misplace_publication(stream.publication)
    before = stream.bytes[:]
    with pytest.raises(InvariantViolatedError, match="is at the offset of a frame"):
        stream.publication.append_padding(64)
    assert stream.bytes[:] == before


# ---- the archive ----


@pytest.fixture
def rig(tmp_path):
    made = Rig(tmp_path)
    yield made
    made.recorder.on_close()
    made.replayer.on_close()


@pytest.mark.parametrize("distance", [32, -32, 5])
def test_misplaced_recording_writes_nothing(distance, rig, breaker):
    log = rig.log()
    session = rig.record(log)
    log.offer(b"first")
    rig.drain()
    recorded, before = session.position, rig.segment(0)
    breaker.move_recording(session, distance)
    log.offer(b"second")
    error = violation_of(rig.recorder)
    assert error.invariant == "a source is read at the end of its file"
    assert error.place == "aeron_cluster.archive.recording.recorder.record"
    assert (error.value, error.bound) == (recorded, recorded + distance)
    assert session.is_broken
    assert session.position == recorded
    assert rig.segment(0) == before
    assert log.subscriber_position == recorded  # the unwritten data can still be read
    assert rig.recorder.take_finished() == []  # and the recording is not ended


@pytest.mark.parametrize("value", [5, 32, 1 << 40])
def test_reused_position_counter_is_left_to_its_new_owner(value, rig, shm_dir):
    """After a long pause of the process its driver has timed it out and reused its counters."""
    driver = FakeDriver(shm_dir / "driver")
    errors = []
    aeron = Aeron.connect(
        aeron_dir=driver.directory,
        use_conductor_invoker=True,
        driver_invoker=driver.do_work,
        error_handler=errors.append,
    )
    publication = aeron.add_exclusive_publication("aeron:ipc", 1001)
    subscription = aeron.add_subscription("aeron:ipc", 1001)
    counter_id = driver.available_image(
        subscription.registration_id,
        publication.registration_id,
        driver.directory / f"{publication.registration_id}.logbuffer",
    )
    aeron.conductor_agent_invoker.invoke()
    (image,) = subscription.images
    session = rig.record(image)
    publication.offer(b"first")
    rig.recorder.do_work()
    recorded, before = session.position, rig.segment(0)
    assert recorded == image.position == 64
    driver.counters.free(counter_id, now_ms=0)
    assert driver.counters.allocate("another", 1, now_ms=1 << 40, registration_id=7) == counter_id
    other = AtomicCounter(driver.counters, counter_id)
    other.set(value)
    publication.offer(b"second")
    for _ in range(3):
        assert rig.recorder.do_work() == 0
    assert value % 32 == 0 or image.bounded_poll(lambda *_: None, MAX) == 0
    assert (session.position, session.is_broken, rig.segment(0)) == (recorded, False, before)
    driver.event(Event.ON_CLIENT_TIMEOUT, "<q", aeron.client_id)
    aeron.conductor_agent_invoker.invoke()
    assert aeron.is_closed
    assert [type(error) for error in errors] == [ClosedError]
    rig.recorder.do_work()
    assert [each.end for each in rig.recorder.take_finished()] == [
        RecordingEnd.RECORDING_STREAM_ENDED
    ]
    assert other.get() == value


def test_a_block_outside_its_segment_is_not_written(rig, breaker):
    log = rig.log()
    session = rig.record(log)
    rig.drain()
    before = rig.segment(0)
    breaker.move_segment(session, SEGMENT_LENGTH)
    log.offer(b"first")
    assert violation_of(rig.recorder).invariant == "a block lies within its segment"
    assert rig.segment(0) == before


def test_misplaced_replay_publishes_nothing(rig, breaker):
    log = rig.log(session_id=1, stream_id=10)
    recorded = rig.record(log)
    for _ in range(100):
        log.offer(b"x" * 100)
        rig.drain()
    target = rig.log(session_id=9, stream_id=20)
    session = rig.replay(target, 0, recorded.position)
    breaker.move_replay(session, 32)
    error = violation_of(rig.replayer)
    assert error.invariant == "a replay publishes at its read position"
    assert target.producer_position == 0


# ---- the consensus module ----


def test_module_missing_from_its_members_ends(streams, breaker):
    rig = MembersRig(streams)
    rig.agent.do_work()
    breaker.rename_member(rig.agent)
    rig.emit(1, append_position(64, 1))
    assert violation_of(rig.agent).invariant == "a member is one of the members"
    assert rig.agent.member(1)[0] != 64  # the module no longer reads


def test_module_with_too_many_appended_messages_ends(streams, breaker):
    rig = ModuleRig(streams)
    breaker.append_too_many(rig.agent, 0)
    error = violation_of(rig.agent)
    assert error.invariant == "no more messages are appended than retained"
    assert (error.value, error.bound) == (1, 0)


def test_follower_reading_past_its_recording_commits_nothing(streams, breaker):
    rig = MembersRig(streams, leader=1)
    rig.follow()
    rig.settle()
    position = rig.log.append_timer(7, 5)
    rig.recorded.set(position)
    rig.agent.set_notified_commit_position(position)
    ahead = rig.log_stream.image()
    ahead.position = position + 32
    rig.then_of_event = lambda: breaker.read_elsewhere(rig.reader, ahead)
    error = violation_of(rig.agent)
    assert error.invariant == "the commit position is recorded here"
    assert (error.value, error.bound) == (position + 32, position)
    assert rig.commit_position.get() == 0


def test_wrong_session_count_removes_no_session(streams, breaker):
    rig = ModuleRig(streams)
    rig.sessions.put(5, is_open=True, last_activity_ns=0)
    breaker.forget_sessions(rig.sessions)
    with pytest.raises(InvariantViolatedError, match="a table is at most half full: found 0"):
        rig.sessions.remove(5)
    assert 5 in rig.sessions


# ---- a node ----


class Echo(ClusteredService):
    def on_session_message(self, session, timestamp, message, header):
        """Do nothing."""


@pytest.mark.parametrize("layout", ["one", "each"])
def test_node_with_a_broken_recorder_ends_and_recovers(layout, tmp_path, free_port, breaker):
    member = local_member(0, "localhost", free_port(10))
    given = {
        "directory": tmp_path / "data",
        "members": member,
        "properties": {"aeron.cluster.log.channel": "aeron:udp?term-length=1m"},
        "threads": layout,
    }
    with ClusterNode.launch(Echo(), **given) as node:
        recorder = next(
            each for each in node.archive.agents if each.role_name == "archive-recorder"
        )
        await_true(lambda: node.consensus_module.is_leading, "a leader")
        # Its position counter, for which a leader waits, exists before the recorder has it.
        recording_id = -1

        def is_moved():
            nonlocal recording_id
            recording_id = breaker.move_first_recording(recorder, 4096)
            return recording_id >= 0

        await_true(is_moved, "a recording")
        await_true(lambda: not node.is_running, "the end of the node")
        failure = node.failure
        assert isinstance(failure, InvariantViolatedError)
        assert failure.invariant == "a source is read at the end of its file"
    with Catalog(SystemFiles(), str(tmp_path / "data" / "archive"), writable=False) as catalog:
        stop_position = catalog.get(recording_id).descriptor.stop_position
    assert stop_position == -1  # detected at the next start
    with ClusterNode.launch(Echo(), **given) as node:
        await_true(lambda: node.consensus_module.is_leading, "a leader")
        assert node.failure is None
