"""The container between a log, the module's messages and a Python service."""

import ctypes
import gc
import mmap
import struct
import time
from types import SimpleNamespace

import pytest

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.client.publication import BufferClaim
from aeron_cluster.cluster.service.client_session import ClientSession
from aeron_cluster.cluster.service.cluster import Cluster
from aeron_cluster.cluster.service.clustered_service import ClusteredService, Role
from aeron_cluster.cluster.service.service_counters import ServiceCounters
from aeron_cluster.cluster.state.mark_file import ClusterMarkFile
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.codecs.cluster import (
    CancelTimer,
    CloseReason,
    CloseSession,
    ClusterTimeUnit,
    RequestServiceAck,
    ScheduleTimer,
    SessionMessageHeader,
)
from aeron_cluster.codecs.cluster_mark import MarkFileHeader
from aeron_cluster.errors import (
    AgentTerminationError,
    BufferUsageError,
    CallbackError,
    ClosedError,
    ConfigurationError,
    DirectoryInUseError,
    LostRequestsError,
    MessageError,
    ModuleEndedError,
    PlatformError,
    RegistrationError,
    ServiceCallbackError,
    ServiceError,
    StalledError,
    StateError,
    UnknownMessageError,
    VersionError,
)
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.shared.commands import ErrorCode
from aeron_cluster.memory.shared.counters_layout import CounterType
from aeron_cluster.memory.shared.mark_file import Presence
from aeron_cluster.memory.system.seams import Seams, SystemFiles
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.unit.cluster.service.container_rig import (
    EGRESS_STREAM_ID,
    FOLLOWER,
    LEADER,
    LOG_STREAM_ID,
    TERM_ID,
    TIME,
    Calls,
    Working,
)

KINDS = ("on_start", "on_role_change", "on_terminate", "do_background_work")


def raising(error):
    def fail(*_):
        raise type(error)(*error.args)

    return fail


# ---- start ----


def test_a_service_sees_the_options_of_its_container(rig):
    cluster = rig.start(Calls())
    assert cluster.context is rig.container.context
    assert cluster.context.service_id == cluster.service_id


def test_starts_from_nothing_and_acknowledges_with_its_client(rig):
    service = Calls()
    cluster = rig.start(service)
    assert service.calls == [("on_start", None)]
    assert (cluster.log_position, cluster.time, cluster.role) == (0, TIME, Role.FOLLOWER)
    assert (cluster.member_id, cluster.service_id) == (-1, 0)
    assert cluster.client_sessions == ()


def test_waits_for_the_counters_of_its_own_cluster(rig):
    service = Calls()
    rig.aeron.add_counter(203, "another's", struct.pack("<i", 9))
    rig.launch(service)
    rig.rest()
    assert service.calls == []
    rig.recover()
    assert rig.ack()[:2] == (0, 0)


def test_a_commit_position_is_the_modules_when_its_registration_id_is_set_late(rig):
    # A Java driver sets a counter's registration id after its state is visible as allocated.
    service = Calls()
    rig.recover()
    found = rig.commit_position
    with CncFile.open(SystemFiles(), rig.directory / "driver" / "cnc.dat") as cnc:
        counters = cnc.counters_manager()
        counters.set_registration_id(found.counter_id, 0)
        rig.launch(service)
        rig.rest()
        counters.set_registration_id(found.counter_id, found.registration_id)
    assert rig.ack()[:2] == (0, 0)
    rig.rest()
    assert rig.ended == 0


def test_failed_service_start_is_acknowledged_and_ends_the_container(rig):
    service = Calls()
    service.on["on_start"] = raising(ValueError("no"))
    rig.recover()
    container = rig.launch(service)
    assert rig.ack() == (0, 0, -1)
    rig.until(lambda: container.is_terminated)
    assert rig.ended == 1
    assert "failed to start" in str(container.failure)
    (error,) = rig.errors
    assert isinstance(error, ServiceCallbackError)
    assert (error.callback, error.log_position) == ("on_start", 0)
    assert isinstance(error.__cause__, ValueError)
    assert container.failure.__cause__ is error
    assert service.named("on_terminate") == []


def test_its_counters_are_named_as_upstreams(rig):
    rig.start(Calls())
    found = {
        counter.type_id: (counter.label, counter.key[:8])
        for counter in rig.aeron.counters_reader.counters()
        if 215 <= counter.type_id <= 237
    }
    key = struct.pack("<ii", 0, 0)
    who = "clusterId=0 serviceId=0"
    assert found == {
        215: (f"Cluster Container Errors - {who} version=1.51.0 commit=9773cba37e", key),
        218: (f"Cluster container max cycle time in ns - {who}", key),
        219: (
            f"Cluster container work cycle time exceeded count: threshold=100ms - {who}",
            key,
        ),
        236: (f"Clustered service max snapshot duration in ns - {who}", key),
        237: (
            f"Clustered service max snapshot duration exceeded count: threshold=1s - {who}",
            key,
        ),
    }


def test_its_mark_file_identifies_it(rig):
    rig.start(Calls())
    path = rig.directory / "cluster" / "cluster-mark-service-0.dat"

    def mark():
        return MarkFileHeader.decode(path.read_bytes()[:8192])

    found = mark()
    assert (found.service_id, found.member_id, found.cluster_id) == (0, -1, 0)
    assert found.service_name == "clustered-service-0-0"
    assert found.control_channel == "aeron:ipc?term-length=128k"
    assert found.activity_timestamp > 0
    rig.join()
    rig.until(lambda: mark().member_id == 5)
    rig.stop()
    assert mark().activity_timestamp == -1


def test_error_is_reported_even_if_its_log_cannot_store_it(rig, monkeypatch):
    rig.start(Calls())
    failure, error = OSError(5, "no errors are recorded"), ValueError("bad")

    def reject(*_):
        raise failure

    monkeypatch.setattr(ClusterMarkFile, "record_error", reject)
    rig.container._conductor.report(error)
    assert rig.errors == [failure, error]


def presence(rig):
    (service,) = ClusterDirectory(str(rig.directory / "cluster")).services()
    return service.presence


def test_a_failed_start_is_in_the_mark_file_until_the_next_start(rig, monkeypatch):
    rig.recover()
    with monkeypatch.context() as patch:
        patch.setattr(ServiceCounters, "add", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            rig.launch(Calls())
    assert presence(rig) is Presence.FAILED_TO_START
    rig.launch(Calls())
    assert presence(rig) is Presence.RUNNING
    rig.stop()
    assert presence(rig) is Presence.CLOSED


def test_a_directory_in_use_is_rejected(rig):
    rig.start(Calls())
    with pytest.raises(DirectoryInUseError):
        rig.launch(Calls())


def test_a_mark_file_elsewhere_is_linked(rig):
    marks = rig.directory / "marks"
    rig.recover()
    rig.launch(Calls(), mark_file_dir=str(marks))
    link = rig.directory / "cluster" / "cluster-mark-service-0.lnk"
    assert link.read_text() == str(marks)
    assert (marks / "cluster-mark-service-0.dat").exists()


@pytest.mark.parametrize(
    "options",
    [
        {"threading_mode": "DEDICATED"},
        {"on_callback_error": "ignore"},
        {"service": object()},
        {"service": None},
        {"service": None, "service_class_name": "no.such:Thing"},
        {"service": None, "service_class_name": "struct:Struct"},
        {"service_id": 10},
        {"control_channel": "aeron:none"},
    ],
)
def test_an_invalid_value_is_rejected(rig, options):
    with pytest.raises(ConfigurationError):
        rig.launch(**{"service": Calls()} | options)


def test_a_service_may_be_named(rig):
    rig.recover()
    rig.launch(None, service_class_name=f"{Calls.__module__}:Calls")
    assert rig.ack()[:2] == (0, 0)


# ---- logs ----


def test_joins_a_log_and_reports_the_role(rig):
    service = Calls()
    cluster = rig.start(service)
    assert rig.join(LEADER) == (0, 1, -1)
    rig.until(lambda: service.named("on_role_change"))
    assert service.named("on_role_change") == [[Role.LEADER]]
    assert (cluster.member_id, cluster.role) == (5, Role.LEADER)


def test_reads_no_further_than_is_committed(rig):
    service = Calls()
    cluster = rig.lead(service)
    rig.message(-5, b"one")
    first = rig.position
    rig.message(-5, b"two")
    rig.rest()
    assert service.named("on_session_message") == []
    rig.commit(first)
    assert [values[2] for values in service.named("on_session_message")] == [b"one"]
    assert cluster.log_position == first
    rig.commit()
    assert [values[2] for values in service.named("on_session_message")] == [b"one", b"two"]


@pytest.mark.parametrize("limit", [1, 3, 50])
def test_a_pass_reads_no_more_fragments_than_its_limit(rig, limit):
    """Other agents of the thread work between passes, and requests of the module are read."""
    service = Calls()
    rig.lead(service, log_fragment_limit=limit)
    for _ in range(120):
        rig.message(-5, b"one")
    rig.commit_position.set(rig.position)
    counts = []

    def is_read():
        before = len(service.named("on_session_message"))
        rig.step()
        counts.append(len(service.named("on_session_message")) - before)
        return before + counts[-1] == 120

    rig.until(is_read)
    assert max(counts) == limit


def test_each_message_has_its_own_time(rig):
    service = Calls()
    rig.lead(service)
    times = [TIME, TIME, TIME + 1, TIME]
    for each in times:
        rig.message(-5, b"", timestamp=each)
    rig.commit()
    assert [values[1] for values in service.named("on_session_message")] == times


def test_a_fragmented_message_is_delivered_once_it_is_fully_committed(rig):
    service = Calls()
    rig.lead(service)
    before = rig.position
    payload = bytes(range(256)) * 20
    rig.message(-5, payload)
    rig.commit_position.set(before + 2000)
    rig.rest()
    assert service.named("on_session_message") == []
    rig.commit()
    assert service.named("on_session_message") == [[None, TIME, payload]]


def test_a_term_brings_its_unit_and_id(rig):
    service = Calls()
    cluster = rig.start(service)
    rig.join()
    rig.term(time_unit=ClusterTimeUnit.NANOS)
    rig.commit()
    ((term,),) = service.named("on_new_leadership_term_event")
    assert (term.leadership_term_id, term.term_base_log_position) == (TERM_ID, 0)
    assert term.log_position == rig.position == cluster.log_position
    assert (cluster.time_unit, cluster.leadership_term_id) == (ClusterTimeUnit.NANOS, TERM_ID)


def test_a_log_of_another_major_version_ends_the_container(rig):
    container = None
    rig.start(Calls())
    container = rig.container
    rig.join()
    rig.term(app_version=1 << 16)
    rig.commit_position.set(rig.position)
    rig.until(lambda: container.is_terminated)
    (error,) = rig.errors
    assert isinstance(error, VersionError)


def test_leaves_an_ended_log_and_joins_the_next(rig):
    service = Calls()
    cluster = rig.lead(service)
    rig.open(1)
    rig.commit()
    session = service.sessions[1]
    assert session.is_connected or session.offer(b"x") is not None
    service.calls.clear()
    assert rig.join(FOLLOWER) == (rig.position, 2, -1)
    rig.until(lambda: service.named("on_role_change"))
    assert service.named("on_role_change") == [[Role.FOLLOWER]]
    assert session.offer(b"mocked") == 1
    rig.message(1, b"after")
    rig.commit()
    assert service.named("on_session_message") == [[session, TIME, b"after"]]
    assert cluster.client_sessions == (session,)


def subscriber_positions(rig):
    """Return the labels of subscribers' positions in streams of the log."""
    counters = rig.aeron.counters_reader
    found = [each.label for each in counters.counters(CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION)]
    return [label for label in found if f" {LOG_STREAM_ID} " in label]


@pytest.mark.parametrize("roles", [(LEADER, FOLLOWER), (FOLLOWER, LEADER), (FOLLOWER, FOLLOWER)])
def test_a_container_subscribes_to_no_log_that_it_has_left(rig, roles):
    """An unread subscription would limit the next log's publisher."""
    service = Calls()
    rig.start(service)
    for role in roles * 2:
        rig.join(role)
        rig.message(-5, b"of this log")
        rig.commit()
        rig.rest()
        assert len(subscriber_positions(rig)) == 1
    assert len(service.named("on_session_message")) == 4
    assert rig.errors == []


def test_previous_log_is_read_up_to_the_start_of_the_next(rig):
    service = Calls()
    rig.lead(service)
    rig.message(-5, b"read")
    start = rig.position
    rig.log.offer(b"\0" * 64)  # never committed
    rig.position = start
    rig.commit_position.set(start)
    assert rig.join(FOLLOWER)[0] == start
    assert [values[2] for values in service.named("on_session_message")] == [b"read"]


def close_log(rig, way):
    """End the log as its publisher, and wait until no image of it is left."""
    session_id = rig.log.session_id
    if way == "revoked":
        rig.log.revoke()
    else:
        rig.log.close()
    rig.log = None

    def is_closed():
        labels = subscriber_positions(rig)
        return not any(f" {session_id} {LOG_STREAM_ID} " in label for label in labels)

    if way == "revoked":
        rig.until(is_closed)


@pytest.mark.parametrize("way", ["revoked", "closed"])
@pytest.mark.parametrize("length", [10, 5000])
def test_the_rest_of_a_closed_log_is_read_before_the_next(rig, way, length):
    """The module has read and committed it, and its next log begins after it."""
    service = Calls()
    rig.lead(service)
    rig.message(-5, b"read")
    rig.commit()
    payloads = [bytes([number]) * length for number in range(5)]
    for each in payloads:
        rig.message(-5, each)
    close_log(rig, way)
    rig.rest()
    assert len(service.named("on_session_message")) == 1
    rig.commit_position.set(rig.position)
    assert rig.join(FOLLOWER)[0] == rig.position
    found = [bytes(values[2]) for values in service.named("on_session_message")]
    assert found == [b"read", *payloads]
    assert rig.errors == []


def test_what_was_not_committed_of_a_closed_log_is_not_read(rig):
    service = Calls()
    rig.lead(service)
    rig.message(-5, b"read")
    end = rig.position
    rig.message(-5, b"replaced")
    close_log(rig, "revoked")
    rig.commit_position.set(end)
    rig.position = end
    assert rig.join(FOLLOWER)[0] == end
    rig.message(-5, b"next")
    rig.commit()
    found = [bytes(values[2]) for values in service.named("on_session_message")]
    assert found == [b"read", b"next"]


def test_log_with_a_damaged_frame_is_left_for_the_next_one(rig):
    service = Calls()
    rig.lead(service)
    rig.message(-5, b"read")
    rig.commit()
    end = rig.position
    rig.message(-5, b"damaged")
    logs = rig.directory / "driver" / "publications"
    with (logs / f"{rig.log.registration_id}.logbuffer").open("r+b") as file:
        file.seek(end)
        file.write((7).to_bytes(4, "little"))
    rig.commit_position.set(rig.position)
    rig.until(lambda: rig.errors)
    assert "frame length 7" in str(rig.errors[0])
    rig.commit_position.set(end)
    rig.position = end
    assert rig.join(FOLLOWER)[0] == end
    rig.message(-5, b"next")
    rig.commit()
    found = [bytes(values[2]) for values in service.named("on_session_message")]
    assert found == [b"read", b"next"]


@pytest.mark.parametrize("way", ["revoked", "closed"])
def test_a_container_ends_if_a_part_of_the_log_is_lost(rig, way):
    """It could not join any log any more, and neither could its member."""
    rig.lead(Calls())
    container = rig.container
    close_log(rig, way)
    rig.position += 32
    rig.join(FOLLOWER, ack=False)
    rig.until(lambda: container.is_terminated)
    assert "expected its image at position" in str(rig.errors[0])
    assert rig.observed == []


def test_an_image_that_begins_too_late_is_rejected(rig):
    """Only the request has the module's position: the image may have been joined too late."""
    rig.lead(Calls())
    start, ask = rig.position, rig.ask_to_join

    def ask_at_the_start(**values):
        rig.position = start
        ask(**values)

    rig.position += 32
    rig.ask_to_join = ask_at_the_start
    rig.join(FOLLOWER, ack=False)
    rig.until(lambda: rig.errors)
    assert f"expected its image at position {start}" in str(rig.errors[0])
    rig.ask_to_join = ask
    assert rig.join(FOLLOWER) == (start, 3, -1)


def test_a_log_that_begins_too_early_is_rejected(rig):
    service = Calls()
    rig.lead(service)
    rig.message(-5, b"read")
    rig.commit()
    rig.position -= 32
    rig.join(FOLLOWER, ack=False)
    rig.until(lambda: rig.errors)
    assert "expected its image at position" in str(rig.errors[0])
    assert rig.observed == []
    assert not rig.container.is_terminated


def test_missing_log_is_abandoned_for_the_next(rig):
    """Its number is used, so the module can match the acknowledgement with the next log."""
    service = Calls()
    rig.lead(service)
    rig.ask_to_join(log_session_id=1)
    rig.rest()
    assert rig.observed == []
    assert rig.join(FOLLOWER) == (rig.position, 3, -1)


def test_a_log_abandoned_meanwhile_is_skipped(rig):
    """The previous log is still open when the module replaces the next log with another one."""
    service = Calls()
    rig.lead(service)
    rig.message(-5, b"slow")
    rig.ask_to_join(log_session_id=1)
    rig.ask_to_join(log_session_id=2)
    rig.rest()
    assert rig.observed == []
    rig.commit_position.set(rig.position)
    assert rig.join(FOLLOWER) == (rig.position, 4, -1)
    assert [values[2] for values in service.named("on_session_message")] == [b"slow"]


@pytest.mark.parametrize("count", [1, 250])
def test_requests_of_a_lost_module_use_no_number(rig, count):
    rig.launch(Calls())
    for session_id in range(count):
        rig.ask_to_join(log_session_id=session_id)
    rig.recover()
    assert rig.ack()[:2] == (0, 0)
    assert rig.join() == (0, 1, -1)
    assert rig.errors == []


def test_a_rejected_log_uses_its_number(rig):
    rig.lead(Calls())
    rig.position -= 32
    rig.join(FOLLOWER, ack=False)
    rig.until(lambda: rig.errors)
    rig.position += 32
    assert rig.join(FOLLOWER) == (rig.position, 3, -1)


def test_ends_while_waiting_for_a_missing_log(rig):
    service = Calls()
    rig.lead(service)
    container = rig.container
    rig.ask_to_join(log_session_id=1)
    rig.rest()
    rig.terminate_at(rig.position)
    rig.until(lambda: container.is_terminated)
    assert service.named("on_terminate")


@pytest.mark.parametrize("way", ["control", "log"])
def test_undecodable_messages_are_reported_and_the_pass_continues(rig, way):
    service = Working()
    rig.lead(service)
    if way == "control":
        rig.until(lambda: rig.to_services.offer(b"bad"))
    else:
        rig.commit_position.set(rig.append(b"bad"))

    def work_in_each_pass():
        before = len(service.named("do_background_work"))
        rig.step()
        assert len(service.named("do_background_work")) == before + 1
        return rig.errors

    rig.until(work_in_each_pass)
    (error,) = rig.errors
    assert isinstance(error, MessageError)
    rig.rest()
    assert rig.errors == [error]


def test_an_unknown_request_of_the_module_is_reported_and_the_next_one_handled(rig):
    rig.lead(Calls())
    unknown = struct.pack("<HHHH", 8, 9999, 111, 16) + bytes(8)
    rig.until(lambda: rig.to_services.offer(unknown))
    rig.notify(RequestServiceAck, log_position=rig.position)
    assert rig.ack() == (rig.position, 2, -1)
    (error,) = rig.errors
    assert isinstance(error, UnknownMessageError)
    assert "9999" in str(error)


def test_error_handler_may_end_the_container_at_a_request_of_the_module(rig):
    ending = []

    def end(error):
        ending.append(error)
        raise AgentTerminationError("of the handler")

    rig.start(Calls(), error_handler=end)
    unknown = struct.pack("<HHHH", 8, 9999, 111, 16) + bytes(8)
    rig.until(lambda: rig.to_services.offer(unknown))
    with pytest.raises(AgentTerminationError, match="of the handler"):
        rig.until(lambda: False, 10)
    assert isinstance(ending[0], UnknownMessageError)


def test_a_message_of_another_schema_is_reported_and_skipped(rig):
    service = Calls()
    rig.lead(service)
    rig.append(struct.pack("<HHHH", 8, 1, 999, 0) + bytes(8))
    rig.message(-5, b"next")
    rig.commit()
    assert [values[2] for values in service.named("on_session_message")] == [b"next"]
    assert "999" in str(rig.errors[0])


def test_an_unknown_message_is_skipped(rig):
    service = Calls()
    rig.lead(service)
    rig.append(struct.pack("<HHHH", 8, 25, 111, 16) + bytes(8))
    rig.message(-5, b"next")
    rig.commit()
    assert [values[2] for values in service.named("on_session_message")] == [b"next"]
    assert rig.errors == []


# ---- sessions ----


def egress_of(rig):
    messages = []
    subscription = rig.aeron.add_subscription("aeron:ipc?term-length=64k", EGRESS_STREAM_ID)

    def poll():
        subscription.poll(lambda message, _: messages.append(bytes(message)))
        return messages

    return poll


def test_the_leader_answers_under_the_session_header(rig):
    poll = egress_of(rig)
    service = Calls()
    service.on["on_session_open"] = lambda session, _: offered.append(session.is_connected)
    offered = []
    rig.lead(service)
    rig.open(17, principal=b"me")
    rig.message(17, b"ping", timestamp=TIME + 7)

    def answer(session, _, message):
        while not (position := session.offer(message + b"!")):
            service.cluster.idle()
        offered.append(position)

    service.on["on_session_message"] = answer
    rig.commit()
    assert offered[0] is True  # connected before the service was called
    assert offered[1] > 0
    (answer,) = rig.until(poll)
    header = SessionMessageHeader.decode(answer)
    assert (header.leadership_term_id, header.cluster_session_id) == (TERM_ID, 17)
    assert header.timestamp == TIME + 7
    assert answer[32:] == b"ping!"
    session = service.sessions[17]
    assert (session.encoded_principal, session.response_stream_id) == (b"me", EGRESS_STREAM_ID)
    assert session.response_channel == "aeron:ipc?term-length=64k"


def test_the_leader_claims_in_place(rig):
    poll = egress_of(rig)
    service = Calls()
    rig.lead(service)
    rig.open(17)
    rig.message(17, b"")

    def answer(session, *_):
        claim = BufferClaim()
        while not session.try_claim(4, claim):
            service.cluster.idle()
        with pytest.raises(StateError):
            session.try_claim(4, claim)
        claim.put(b"ping", 32)
        claim.commit()

    service.on["on_session_message"] = answer
    rig.commit()
    (found,) = rig.until(poll)
    assert found[32:] == b"ping"
    assert rig.errors == []


def test_undeliverable_answer_counts_as_sent_on_every_member(rig):
    poll = egress_of(rig)
    service = Calls()
    rig.lead(service)
    rig.open(17)
    rig.message(17, b"")
    results = []

    def answer(session, *_):
        results.extend(session.offer(bytes(length)) for length in (9000, 9001))
        claim = BufferClaim()
        results.append(session.try_claim(8000, claim))
        assert len(claim) == 8032
        claim.put(b"y" * 8000, 32)
        claim.commit()
        while not session.offer(b"short"):
            service.cluster.idle()

    service.on["on_session_message"] = answer
    rig.commit()
    (found,) = rig.until(poll)
    assert found[32:] == b"short"
    assert results == [1, 1, 1]
    (error,) = rig.errors
    assert isinstance(error, ServiceError)
    assert "session 17 was not sent a message" in str(error)
    assert "expected at most 8192 bytes" in str(error)


def test_errors_reported_by_a_service_are_logged_and_limited(rig):
    service = Calls()
    rig.lead(service)
    rig.open(17)
    for _ in range(9):
        rig.message(17, b"")
    service.on["on_session_message"] = lambda *_: service.cluster.report(
        LostRequestsError(
            7,
            2,
            3,
            service_id=0,
            member_id=0,
            leadership_term_id=3,
            log_position=len(service.calls),
        )
    )
    rig.commit()
    rig.until(lambda: len(service.named("on_session_message")) == 9)
    rig.until(lambda: not service.cluster.unreported)
    assert [type(each) for each in rig.errors] == [LostRequestsError] * 3
    assert "lacks requests 2 to 3" in str(rig.errors[0])


@pytest.mark.parametrize("is_checked", [False, True])
def test_an_error_handler_is_not_called_inside_a_callback(rig, is_checked):
    # The same call succeeds on the other members, so there is nothing to report for them.
    poll = egress_of(rig)
    service = Calls()
    steps = []

    def handle(error):
        steps.append(type(error))
        time.time()  # not allowed for a checked service

    rig.lead(service, check_determinism=is_checked, error_handler=handle)
    rig.open(17)
    rig.message(17, b"")

    def answer(session, *_):
        steps.append(session.offer(bytes(9000)))
        steps.append("after")

    service.on["on_session_message"] = answer
    rig.commit()
    rig.until(lambda: len(steps) == 3)
    assert steps == [1, "after", ServiceError]
    assert poll() == []


def test_a_follower_mocks_offers(rig):
    service = Calls()
    rig.start(service)
    rig.join(FOLLOWER)
    rig.term()
    rig.open(17)
    rig.message(17, b"")
    rig.commit()
    session = service.sessions[17]
    assert not session.is_connected
    assert session.offer(b"x") == 1
    claim = BufferClaim()
    assert session.try_claim(100, claim) == 1
    assert len(claim) == 132
    claim.put(b"y" * 100, 32)
    claim.commit()
    with pytest.raises(MessageError):
        session.try_claim(65536, claim)


@pytest.mark.parametrize("length", [65505, -5])
def test_a_claim_of_an_offline_cluster_must_fit_one_frame(length):
    with pytest.raises(MessageError, match=rf"at most 65440 bytes, found {length}$"):
        Cluster(None, None, 0).try_claim(length, BufferClaim())


@pytest.mark.parametrize("end", [BufferClaim.commit, BufferClaim.abort])
def test_an_open_claim_outlives_the_cluster_whose_memory_it_is(end):
    claim = BufferClaim()
    for _ in range(20):
        assert Cluster(None, None, 0).try_claim(100, claim) > 0
        gc.collect()
        claim.put(b"y" * 100, 32)
        assert bytes(claim)[32:] == b"y" * 100
        end(claim)
        # The next one would have memory that was written after it was freed.
        taken = [bytearray(65_504) for _ in range(4)]
        assert not any(map(any, taken))


def test_the_memory_for_claims_is_freed_with_its_cluster():
    class Heap(ctypes.Structure):
        _fields_ = [(f"field_{index}", ctypes.c_size_t) for index in range(10)]

    info = ctypes.CDLL(None).mallinfo2
    info.restype = Heap
    before = info().field_7  # the bytes in use
    claims = [BufferClaim() for _ in range(200)]
    for claim in claims:
        assert Cluster(None, None, 0).try_claim(100, claim) > 0
        claim.commit()
    assert info().field_7 - before < 1 << 20  # 64 kB each


def test_session_without_a_working_channel_is_open_anyway(rig):
    service = Calls()
    rig.lead(service)
    rig.open(1, channel="aeron:udp?endpoint=localhost")
    rig.commit()
    rig.until(lambda: service.sessions)
    assert len(rig.errors) == 1
    assert not service.sessions[1].offer(b"x")


@pytest.mark.parametrize(
    ("error", "failures", "attempts", "is_connected"),
    [
        (PlatformError(5, "no", "log"), 3, 3, True),
        (PlatformError(5, "no", "log"), 9, 5, False),
        (RegistrationError("the driver could not", ErrorCode.ERROR_GENERIC), 3, 3, True),
        (RegistrationError("no such host", ErrorCode.ERROR_UNKNOWN_HOST), 3, 1, False),
    ],
)
def test_failed_egress_is_requested_again(
    rig, monkeypatch, error, failures, attempts, is_connected
):
    poll = egress_of(rig)
    service = Calls()
    rig.lead(service)
    aeron = rig.container.cluster.aeron
    get, left = aeron.get_publication, [error] * failures

    def get_publication(registration_id):
        found = get(registration_id)
        if found is not None and left:
            found.close()
            raise left.pop()
        return found

    monkeypatch.setattr(aeron, "get_publication", get_publication)
    rig.open(1)
    rig.commit()
    session = rig.until(lambda: service.sessions.get(1))
    rig.rest()
    assert bool(session.is_connected) == is_connected
    assert poll() == []
    assert rig.errors == [error] * attempts


def test_session_with_a_closed_egress_receives_nothing(rig):
    """Its client is gone, or its driver; the session is closed by its timeout."""
    service = Calls()
    cluster = rig.lead(service)
    rig.open(1)
    rig.commit()
    session = rig.until(lambda: service.sessions.get(1))
    egress = rig.aeron.add_publication("aeron:ipc?term-length=64k", EGRESS_STREAM_ID)

    def send():
        session.connect(egress)
        egress.close()
        claim = BufferClaim()
        return [
            session.offer(b"x"),
            session.offer(bytes(100_000)),
            session.offer_vectored([b"x", b"y"]),
            session.try_claim(4, claim),
        ]

    assert during(rig, service, send) == [NotSent.NOT_CONNECTED] * 4
    assert cluster.get_client_session(1) is session
    assert rig.errors == []


def test_only_a_container_creates_sessions():
    with pytest.raises(TypeError, match="only created by the container"):
        ClientSession()


def test_sessions_and_the_cluster_show_what_they_are(rig):
    service = Calls()
    cluster = rig.lead(service)
    rig.open(17)
    rig.commit()
    session = rig.until(lambda: service.sessions.get(17))
    assert repr(session) == "<ClientSession 17 stream=102 aeron:ipc?term-length=64k>"
    assert during(rig, service, session.close) is True
    assert repr(session) == "<ClientSession 17 stream=102 aeron:ipc?term-length=64k closing>"
    assert repr(cluster) == f"<Cluster member 5 service 0 LEADER at {rig.position}>"
    assert "terminated" not in repr(rig.container)
    rig.container.close()
    assert repr(rig.container).endswith(" closed>")


def test_nothing_waits_without_a_running_container():
    with pytest.raises(ClosedError, match="expected the container to run"):
        Cluster(None, None, 0).idle()


def test_sessions_are_found_by_id_and_in_order_until_they_close(rig):
    service = Calls()
    cluster = rig.lead(service)
    for session_id in (3, 1, 40, 2):
        rig.open(session_id)
    rig.commit()
    rig.until(lambda: len(service.sessions) == 4)
    assert [session.id for session in cluster.client_sessions] == [1, 2, 3, 40]
    assert cluster.get_client_session(3) is service.sessions[3]
    assert cluster.get_client_session(5) is None
    rig.close_session(3, CloseReason.TIMEOUT)
    rig.commit()
    assert service.named("on_session_close") == [[service.sessions[3], TIME, CloseReason.TIMEOUT]]
    assert [session.id for session in cluster.client_sessions] == [1, 2, 40]
    assert not service.sessions[3].offer(b"late")


def test_a_session_opened_twice_or_never_is_reported(rig):
    service = Calls()
    rig.lead(service)
    rig.open(1)
    rig.open(1)
    rig.close_session(2)
    rig.commit()
    rig.until(lambda: len(rig.errors) == 2)
    assert "clashing open clusterSessionId=1 " in str(rig.errors[0])
    assert "unknown session close: clusterSessionId=2 " in str(rig.errors[1])
    assert len(service.named("on_session_open")) == 1


def test_session_table_grows(rig):
    service = Calls()
    cluster = rig.start(service)
    rig.join(FOLLOWER)
    rig.term()
    for session_id in range(100):
        rig.open(session_id)
        rig.commit()
    assert [session.id for session in cluster.client_sessions] == list(range(100))
    for session_id in range(0, 100, 2):
        rig.close_session(session_id)
        rig.commit()
    assert [session.id for session in cluster.client_sessions] == list(range(1, 100, 2))


def test_an_unknown_session_is_missing(rig):
    service = Calls()
    rig.lead(service)
    rig.message(77, b"who")
    rig.commit()
    assert service.named("on_session_message") == [[None, TIME, b"who"]]


# ---- to the module ----


def during(rig, service, call):
    """Run a call in a message's callback; return its result."""
    results = []
    service.on["on_session_message"] = lambda *_: results.append(call())
    rig.message(-5, b"")
    rig.commit()
    (result,) = results
    return result


def test_offers_to_the_cluster_without_a_session(rig):
    service = Calls()
    cluster = rig.lead(service, service_id=0)
    assert during(rig, service, lambda: cluster.offer(b"to all")) > 0
    found = rig.next(SessionMessageHeader)
    assert (found.cluster_session_id, found.leadership_term_id) == (0, TERM_ID)
    assert rig.payload == b"to all"
    long = bytes(8000)
    assert during(rig, service, lambda: cluster.offer(long)) > 0
    rig.next(SessionMessageHeader)
    assert rig.payload == long


def test_claims_to_the_cluster(rig):
    service = Calls()
    cluster = rig.lead(service)

    def claim():
        claim = BufferClaim()
        assert cluster.try_claim(3, claim) > 0
        claim.put(b"abc", 32)
        claim.commit()

    during(rig, service, claim)
    rig.next(SessionMessageHeader)
    assert rig.payload == b"abc"


def test_an_open_claim_is_not_claimed_again(rig):
    """Its space in the module's stream would never be committed."""
    service = Calls()
    cluster = rig.lead(service)

    def claim_twice():
        claim = BufferClaim()
        assert cluster.try_claim(3, claim) > 0
        with pytest.raises(StateError, match="committed or aborted"):
            cluster.try_claim(4, claim)
        claim.put(b"abc", 32)
        claim.commit()

    during(rig, service, claim_twice)
    rig.next(SessionMessageHeader)
    assert rig.payload == b"abc"


def test_requests_without_a_consensus_module_are_errors(rig):
    service = Calls()
    cluster = rig.lead(service)
    rig.open(4)
    rig.commit()
    rig.until(lambda: service.sessions)
    rig.from_services.close()
    rig.from_services = SimpleNamespace(poll=lambda *_: 0)
    rig.rest()  # until the driver has noticed

    def send():
        for call in (
            lambda: cluster.offer(b"message"),
            lambda: cluster.offer_vectored([b"a", b"b"]),
            lambda: cluster.try_claim(3, BufferClaim()),
            lambda: cluster.schedule_timer(1, 1),
            lambda: cluster.cancel_timer(1),
            service.sessions[4].close,
        ):
            with pytest.raises(ModuleEndedError, match="expected a running one"):
                call()

    during(rig, service, send)
    assert not service.sessions[4].is_closing
    assert rig.errors == []


def test_a_service_that_finds_no_consensus_module_gets_no_further_event(rig):
    service = Calls()
    cluster = rig.lead(service)
    rig.from_services.close()
    rig.from_services = SimpleNamespace(poll=lambda *_: 0)
    rig.rest()  # until the driver has noticed
    service.on["on_session_message"] = lambda *_: cluster.offer(b"message")
    rig.message(-5, b"one")
    rig.message(-5, b"never")
    rig.commit()
    assert [values[2] for values in service.named("on_session_message")] == [b"one"]
    rig.until(lambda: rig.ended)
    assert isinstance(rig.container.failure, ModuleEndedError)
    assert rig.errors == []


@pytest.mark.parametrize(
    "call",
    [
        lambda cluster: cluster.offer(b"message"),
        lambda cluster: cluster.offer_vectored([b"a", b"b"]),
        lambda cluster: cluster.try_claim(3, BufferClaim()),
        lambda cluster: cluster.schedule_timer(1, 1),
    ],
)
def test_a_request_after_the_client_was_closed_is_no_failure_of_a_service(rig, call):
    service = Calls()
    cluster = rig.lead(service, divergence_interval=1)

    def lose_the_driver(*_):
        rig.container._aeron.close()
        call(cluster)

    service.on["on_session_message"] = lose_the_driver
    rig.message(-5, b"one")
    rig.message(-5, b"never")
    rig.commit_position.set(rig.position)
    rig.until(lambda: rig.ended)
    assert [values[2] for values in service.named("on_session_message")] == [b"one"]
    assert isinstance(rig.container.failure, AgentTerminationError)
    assert rig.errors == []
    assert rig.container.divergence_guard.effect_count == 0


def test_rejects_offers_the_log_can_never_accept(rig):
    service = Calls()
    cluster = rig.lead(service)

    def rejected():
        assert cluster.max_payload_length == 8160
        with pytest.raises(MessageError, match="at most 8160 bytes, an eighth of a term") as info:
            cluster.offer(bytes(8161))
        with pytest.raises(MessageError, match="found 8161"):
            cluster.try_claim(8161, BufferClaim())
        assert info.value.found == 8161
        return cluster.offer(bytes(8160))

    assert during(rig, service, rejected) > 0
    rig.next(SessionMessageHeader)
    assert rig.payload == bytes(8160)


def test_a_message_of_2_gib_is_rejected(rig):
    service = Calls()
    cluster = rig.lead(service)
    rig.open(4)
    rig.commit()
    session = rig.until(lambda: service.sessions.get(4))

    def send():
        with mmap.mmap(-1, 1 << 31) as message:
            for sender in (cluster, session):
                for call in (sender.offer, lambda each, of=sender: of.offer_vectored([b"", each])):
                    with pytest.raises(MessageError, match="below 2 GiB, found 2147483648"):
                        call(message)

    during(rig, service, send)
    assert rig.observed == []


def test_schedules_and_cancels_timers_and_they_fire_by_the_log(rig):
    service = Calls()
    cluster = rig.lead(service)
    assert during(rig, service, lambda: cluster.schedule_timer(8, TIME + 5)) is True
    position = cluster.log_position
    assert during(rig, service, lambda: cluster.cancel_timer(9)) is True
    scheduled = rig.next(ScheduleTimer)
    assert (scheduled.correlation_id, scheduled.deadline) == (8, TIME + 5)
    assert rig.reserved_value == position + 1
    assert rig.next(CancelTimer).correlation_id == 9
    rig.timer(8, TIME + 6)
    rig.commit()
    assert service.named("on_timer_event") == [[8, TIME + 6]]
    assert cluster.time == TIME + 6


def test_closes_sessions(rig):
    service = Calls()
    cluster = rig.lead(service)
    rig.open(4)
    rig.commit()
    rig.until(lambda: service.sessions)
    session = service.sessions[4]
    assert not session.is_closing
    assert during(rig, service, session.close) is True
    assert session.is_closing
    assert rig.next(CloseSession).cluster_session_id == 4
    assert during(rig, service, lambda: cluster.close_client_session(4)) is True
    assert rig.observed == []  # it was requested already


def test_closing_an_unknown_session_is_an_error(rig):
    service = Calls()
    cluster = rig.lead(service)

    def close():
        with pytest.raises(StateError, match="session 5"):
            cluster.close_client_session(5)

    during(rig, service, close)


def test_a_closed_session_is_not_closed_again(rig):
    service = Calls()
    rig.lead(service)
    rig.open(4)
    rig.close_session(4)
    rig.commit()
    rig.until(lambda: service.named("on_session_close"))
    assert during(rig, service, service.sessions[4].close) is True
    rig.rest()
    assert rig.observed == []


def test_close_of_a_session_is_attempted_three_times_under_back_pressure(rig):
    service = Working()
    cluster = rig.lead(service)
    rig.open(4)
    rig.commit()
    session = rig.until(lambda: service.sessions.get(4))

    def close():
        while cluster.offer(bytes(1000)):
            pass
        idled = len(service.named("do_background_work"))
        result = session.close()
        return result, len(service.named("do_background_work")) - idled

    assert during(rig, service, close) == (False, 2)
    assert not session.is_closing
    rig.rest()
    assert during(rig, service, session.close) is True
    assert rig.next(CloseSession).cluster_session_id == 4


def test_back_pressure_is_no_error(rig):
    service = Calls()
    cluster = rig.lead(service)

    def fill():
        while cluster.offer(bytes(1000)):
            pass
        return cluster.schedule_timer(1, 1), cluster.cancel_timer(1), cluster.offer(b"")

    results = during(rig, service, fill)
    assert not any(results)
    assert rig.errors == []


def test_acknowledges_on_request(rig):
    service = Calls()
    rig.lead(service)
    rig.notify(RequestServiceAck, log_position=rig.position)
    assert rig.ack() == (rig.position, 2, -1)


@pytest.mark.parametrize("name", KINDS)
def test_callbacks_outside_the_log_may_not_send(rig, name):
    service = Working()
    rejected = []

    def attempt(*_):
        cluster = service.cluster
        calls = [
            lambda: cluster.offer(b""),
            lambda: cluster.try_claim(1, BufferClaim()),
            lambda: cluster.schedule_timer(1, 1),
            lambda: cluster.cancel_timer(1),
            lambda: cluster.close_client_session(1),
        ]
        if 1 in service.sessions:
            calls.append(lambda: service.sessions[1].offer(b""))
            calls.append(lambda: service.sessions[1].try_claim(1, BufferClaim()))
        for call in calls:
            with pytest.raises(CallbackError, match=name) as caught:
                call()
            rejected.append(caught.value.callback)

    service.on[name] = attempt
    rig.lead(service)
    rig.open(1)
    rig.commit()
    rig.terminate_at(rig.position)
    rig.until(lambda: rig.ended)
    assert rejected
    assert set(rejected) == {name}
    assert rig.errors == []


# ---- exceptions of callbacks ----


def test_a_failed_callback_is_reported_with_its_place_and_the_next_message_follows(rig):
    service = Calls()
    rig.lead(service)
    rig.open(9)
    rig.commit()
    service.on["on_session_message"] = raising(ValueError("bad order"))
    position = rig.message(9, b"one")
    rig.message(9, b"two")
    rig.commit()
    assert [values[2] for values in service.named("on_session_message")] == [b"one", b"two"]
    first, second = rig.errors
    assert isinstance(first, ServiceCallbackError)
    assert (first.callback, first.log_position) == ("on_session_message", position)
    assert first.cluster_session_id == 9
    assert str(first.__cause__) == "bad order"
    assert second.log_position == rig.position
    log = (rig.directory / "cluster" / "cluster-mark-service-0.dat").read_bytes()
    assert b"ValueError: bad order" in log
    assert b"test_container.py" in log  # the traceback
    assert f"log position {position}, session 9".encode() in log
    assert log.count(b"ValueError: bad order") == 1  # the second is an observation of the first
    (errors,) = [
        counter.value for counter in rig.aeron.counters_reader.counters() if counter.type_id == 215
    ]
    assert errors == 2


def test_each_callback_of_the_log_may_fail(rig):
    service = Calls()
    for name in (
        "on_session_open",
        "on_session_close",
        "on_timer_event",
        "on_role_change",
        "on_new_leadership_term_event",
        "on_terminate",
    ):
        service.on[name] = raising(ValueError(name))
    rig.lead(service)
    rig.open(1)
    rig.close_session(1)
    rig.timer(1)
    rig.commit()
    rig.terminate_at(rig.position)
    rig.until(lambda: rig.ended)
    assert {error.callback for error in rig.errors} == set(service.on)
    sessions = {error.callback: error.cluster_session_id for error in rig.errors}
    assert {name for name, session in sessions.items() if session == 1} == {
        "on_session_open",
        "on_session_close",
    }


class NoException(BaseException):
    pass


no_exceptions = pytest.mark.parametrize(
    "raised", [SystemExit(3), GeneratorExit("done"), NoException("mine")], ids=repr
)


@no_exceptions
def test_a_base_exception_is_reported_as_such(rig, raised):
    service = Working()
    for name in (
        "on_session_open",
        "on_session_close",
        "on_session_message",
        "on_timer_event",
        "on_take_snapshot",
        "on_role_change",
        "on_terminate",
        "on_new_leadership_term_event",
        "do_background_work",
    ):
        service.on[name] = raising(raised)
    rig.lead(service)
    rig.open(1)
    rig.message(1, b"one")
    rig.message(1, b"two")
    rig.close_session(1)
    rig.timer(1)
    rig.action()
    rig.commit()
    assert rig.ack() == (rig.position, 2, -1)  # of the failed snapshot
    rig.terminate_at(rig.position)
    rig.until(lambda: rig.ended)
    assert [values[2] for values in service.named("on_session_message")] == [b"one", b"two"]
    assert {error.callback for error in rig.errors} == set(service.on)
    for error in rig.errors:
        assert isinstance(error, ServiceCallbackError)
        assert type(error.__cause__) is type(raised)
    (error,) = (each for each in rig.errors if each.callback == "on_timer_event")
    assert (error.member_id, error.leadership_term_id) == (5, TERM_ID)
    assert "fix the service wherever it runs" in str(error)
    assert rig.container.failure.is_expected


@no_exceptions
def test_base_exception_in_the_start_of_a_service_is_named(rig, raised):
    service = Calls()
    service.on["on_start"] = raising(raised)
    rig.recover()
    container = rig.launch(service)
    assert rig.ack() == (0, 0, -1)
    rig.until(lambda: container.is_terminated)
    (error,) = rig.errors
    assert (error.callback, error.log_position) == ("on_start", 0)
    assert type(error.__cause__) is type(raised)
    assert "failed to start" in str(container.failure)


@no_exceptions
def test_a_base_exception_ends_the_container_where_configured(rig, raised):
    service = Calls()
    rig.lead(service, on_callback_error="terminate")
    service.on["on_session_message"] = raising(raised)
    rig.message(-5, b"one")
    rig.message(-5, b"two")
    rig.commit()
    rig.until(lambda: rig.ended)
    assert len(service.named("on_session_message")) == 1
    assert isinstance(rig.container.failure.__cause__, ServiceCallbackError)


@pytest.mark.parametrize(
    "name", ["on_session_message", "on_timer_event", "on_session_open", "do_background_work"]
)
def test_a_keyboard_interrupt_propagates_and_the_container_can_be_driven_again(rig, name):
    service = Working()
    rig.lead(service)
    rig.open(1)
    rig.commit()
    service.on[name] = raising(KeyboardInterrupt())
    rig.open(2)
    rig.timer(1)
    rig.message(1, b"one")
    rig.commit_position.set(rig.position)
    with pytest.raises(KeyboardInterrupt):
        rig.until(lambda: False)
    service.on.clear()
    rig.message(1, b"two")
    rig.commit()
    # It is not delivered again, like any message whose callback raised.
    assert [values[2] for values in service.named("on_session_message")] == [b"one", b"two"]
    assert rig.errors == []
    rig.stop()
    assert len(service.named("on_terminate")) == 1


def test_a_keyboard_interrupt_at_the_end_leaves_nothing_open(rig):
    service = Calls()
    rig.lead(service)
    service.on["on_terminate"] = raising(KeyboardInterrupt())
    aeron = rig.container.cluster.aeron
    with pytest.raises(KeyboardInterrupt):
        rig.stop()
    rig.container.close()
    assert len(service.named("on_terminate")) == 1
    assert aeron.is_closed
    rig.container = None
    rig.recover()
    rig.launch(Calls())  # the mark file is released


def test_terminating_hook_ends_the_containers_invoker(rig):
    rig.lead(Calls(), termination_hook=raising(AgentTerminationError("all of it")))
    rig.commit_position.close()
    with pytest.raises(AgentTerminationError, match="all of it"):
        rig.until(lambda: False)
    assert rig.container.is_terminated


@pytest.mark.parametrize("raised", [ValueError("no"), SystemExit(3)], ids=repr)
def test_raising_hook_does_not_change_the_end(rig, raised):
    rig.lead(Calls(), termination_hook=raising(raised))
    rig.commit_position.close()
    rig.until(lambda: rig.container.is_terminated and len(rig.errors) > 0)
    assert "module ended" in str(rig.container.failure)
    error = rig.errors[-1]
    assert type(error.__cause__ or error) is type(raised)


def test_a_failed_callback_ends_the_container_where_configured(rig):
    service = Calls()
    rig.lead(service, on_callback_error="terminate")
    service.on["on_session_message"] = raising(ValueError("bad order"))
    rig.message(-5, b"one")
    rig.message(-5, b"two")
    rig.commit()
    rig.until(lambda: rig.ended)
    assert len(service.named("on_session_message")) == 1
    assert isinstance(rig.container.failure.__cause__, ServiceCallbackError)
    assert len(service.named("on_terminate")) == 1
    assert rig.container.cluster.aeron.is_closed


def test_a_raising_error_handler_does_not_change_the_policy(rig):
    service = Calls()
    handler = raising(ValueError("of the handler"))
    rig.lead(service, on_callback_error="terminate", error_handler=handler)
    service.on["on_session_message"] = raising(ValueError("bad order"))
    rig.message(-5, b"one")
    rig.message(-5, b"two")
    rig.commit()
    rig.until(lambda: rig.ended)
    assert len(service.named("on_session_message")) == 1
    assert isinstance(rig.container.failure.__cause__, ServiceCallbackError)


def test_a_termination_always_ends_it(rig):
    service = Calls()
    rig.lead(service)
    service.on["on_timer_event"] = raising(AgentTerminationError("enough"))
    rig.timer(1)
    rig.message(-5, b"never")
    rig.commit()
    rig.until(lambda: rig.ended)
    assert str(rig.container.failure) == "enough"
    assert service.named("on_session_message") == []
    assert rig.errors == []


@pytest.mark.parametrize("length", [10, 5000])
def test_a_retained_view_is_an_error_and_stays_readable(rig, length):
    service = Calls()
    rig.lead(service)
    kept = []
    service.on["view"] = lambda message: kept.append(memoryview(message))
    for index in range(3):
        rig.message(-5, bytes([index]) * length)
    rig.commit()
    assert len(rig.errors) == 3
    for error in rig.errors:
        assert isinstance(error.__cause__, BufferUsageError)
        assert "Calls.on_session_message" in str(error.__cause__)
    service.on.clear()
    rig.message(-5, b"\xff" * length)
    rig.commit()
    rig.stop()
    assert [len(view) for view in kept] == [length] * 3
    assert [view[0] for view in kept] == [0, 1, 2]


def test_view_cannot_be_read_after_its_callback(rig):
    service = Calls()
    rig.lead(service)
    kept = []
    service.on["view"] = kept.append
    rig.message(-5, b"one")
    rig.message(-5, b"two")
    rig.commit()
    assert rig.errors == []
    for view in kept:
        with pytest.raises(BufferUsageError):
            bytes(view)


# ---- waiting ----


def test_others_work_during_a_waiting_callback(rig):
    poll = egress_of(rig)
    service = Calls()
    rig.lead(service)
    rig.open(1)
    rig.commit()
    rig.until(lambda: service.sessions)
    count = 0

    def flood(session, *_):
        nonlocal count
        for _ in range(200):
            while not session.offer(bytes(1000)):
                # The client reads only because it runs during the callback.
                poll()
                service.cluster.idle()
            count += 1

    service.on["on_session_message"] = flood
    rig.message(1, b"")
    rig.commit()
    assert count == 200
    rig.until(lambda: len(poll()) == 200)


def test_client_works_during_a_waiting_callback_of_an_agent_driven_alone(rig):
    service = Calls()
    rig.lead(service)
    rig.open(1)
    rig.commit()
    rig.until(lambda: service.sessions)
    added = []

    def add(*_):
        aeron = service.cluster.aeron
        registration_id = aeron.async_add_subscription("aeron:ipc", 7)
        while not added:
            rig.step()
            service.cluster.idle()
            found = aeron.get_subscription(registration_id)
            added.extend([] if found is None else [found])

    service.on["on_session_message"] = add
    rig.message(1, b"")
    rig.commit_position.set(rig.position)
    agent = rig.container.agents[-1]
    rig._drive(rig.both.agents)
    for _ in range(100):
        agent.do_work()
    assert added


def test_background_work_continues_while_a_callback_waits_and_may_not_wait_itself(rig):
    service = Working()
    rig.lead(service)
    raised = []

    def wait(*_):
        service.calls.clear()
        for _ in range(3):
            service.cluster.idle()

    def work(_):
        with pytest.raises(CallbackError, match="do_background_work"):
            service.cluster.idle()
        raised.append(True)

    service.on["on_timer_event"] = wait
    service.on["do_background_work"] = work
    rig.timer(1)
    rig.commit()
    assert len(service.named("do_background_work")) >= 3
    assert raised
    assert rig.errors == []


def test_a_service_whose_callback_ends_the_container_is_not_called_for_background_work(rig):
    service = Working()
    rig.lead(service)
    counts = []

    def end(*_):
        counts.append(len(service.named("do_background_work")))
        raise AgentTerminationError("the module has ended")

    service.on["on_session_message"] = end
    rig.message(-5, b"one")
    rig.commit()
    rig.until(lambda: rig.ended)
    assert counts == [len(service.named("do_background_work"))]


def test_background_work_receives_the_monotonic_time(rig):
    service = Working()
    rig.lead(service)

    def wait(*_):
        for _ in range(3):
            service.cluster.idle()

    service.on["on_timer_event"] = wait
    service.calls.clear()
    began_ns = time.monotonic_ns()
    rig.timer(1)
    rig.commit()
    ended_ns = time.monotonic_ns()
    times = [now_ns for (now_ns,) in service.named("do_background_work")]
    assert len(times) > 3
    assert began_ns <= min(times) <= max(times) <= ended_ns


@pytest.fixture
def clock(rig, monkeypatch):
    """A clock for the container alone: a little more than a millisecond passes in each step."""
    clock, step = VirtualClock(time.monotonic_ns(), time.time_ns()), rig.step

    def tick():
        clock.advance(1_100_000)
        step()

    monkeypatch.setattr(rig, "step", tick)
    return clock


@pytest.fixture
def clock_ahead(rig, monkeypatch):
    """A clock for the container alone: the machine's, and later by what a test adds."""
    clock, step = VirtualClock(time.monotonic_ns(), time.time_ns()), rig.step
    before_ns = time.monotonic_ns()

    def tick():
        nonlocal before_ns
        now_ns = time.monotonic_ns()
        clock.advance(now_ns - before_ns)
        before_ns = now_ns
        step()

    monkeypatch.setattr(rig, "step", tick)
    return clock


def test_mark_file_shows_activity_during_and_after_a_waiting_callback(rig, clock_ahead):
    """Otherwise tools, and other processes, would take the container for ended."""
    clock, interval_ns = clock_ahead, 1_000_000_000
    path = rig.directory / "cluster" / "cluster-mark-service-0.dat"
    service = Calls()
    rig.lead(service, seams=Seams(clock=clock))

    def check_activity():
        header = MarkFileHeader.decode(path.read_bytes()[:8192])
        assert header.activity_timestamp == clock.epoch_ms()

    def wait(*_):
        for _ in range(2):
            clock.advance(interval_ns)
            service.cluster.idle()
            check_activity()

    service.on["on_timer_event"] = wait
    rig.timer(1)
    rig.commit()
    for _ in range(2):
        clock.advance(interval_ns)
        rig.step()
        check_activity()
    assert len(service.named("on_timer_event")) == 1


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("on_start", lambda _: None),
        ("on_role_change", lambda rig: rig.join(ack=False)),
        ("on_new_leadership_term_event", lambda rig: (rig.join(), rig.term())),
        ("on_session_open", lambda rig: (rig.join(), rig.open(1))),
        ("on_take_snapshot", lambda rig: (rig.join(), rig.action())),
        (None, lambda rig: rig.join()),
    ],
)
def test_container_that_its_driver_timed_out_names_the_callback_that_took_long(
    rig, clock, name, begin
):
    def take_long(*_):
        clock.advance(700_000_000_000)

    service = Calls()
    service.on["on_start"] = lambda _: clock.advance(1_000_000_000)
    if name is not None:
        service.on[name] = take_long
    rig.recover()
    rig.launch(service, seams=Seams(clock=clock))
    if name != "on_start":
        rig.ack()
    begin(rig)
    rig.commit_position.set(rig.position)
    if name is None:
        rig.rest()
        take_long()
    rig.until(lambda: rig.ended)
    (stalled,) = [each for each in rig.errors if isinstance(each, StalledError)]
    reason = "something else on its thread" if name is None else f"{name} took 700.0 s"
    assert reason in str(stalled)
    assert (stalled.stalled_ns // 1_000_000_000, stalled.limit_ns) == (700, 600_000_000_000)


def test_container_on_a_given_client_reports_that_its_driver_timed_it_out(rig, clock):
    service, ended = Calls(), []
    aeron = Aeron.connect(
        aeron_dir=str(rig.directory / "driver"),
        use_conductor_invoker=True,
        driver_invoker=rig._drive_both,
        seams=Seams(clock=clock),
        error_handler=ended.append,
    )
    with aeron:
        rig.lead(service, aeron=aeron, seams=Seams(clock=clock))
        clock.advance(700_000_000_000)
        rig.until(lambda: rig.ended)
        (stalled,) = [each for each in rig.errors if isinstance(each, StalledError)]
        assert stalled.stalled_ns // 1_000_000_000 == 700
        assert rig.container.failure.__cause__ is stalled
        assert stalled.__cause__ is aeron.failure


def test_failures_that_always_differ_are_counted_and_not_reported_without_end(rig):
    """Background work may fail in each duty cycle: it would fill the user's log, and memory."""
    service = Working()
    rig.lead(service)
    service.calls.clear()

    def fail(now_ns):
        raise ValueError(f"not at {now_ns}")

    service.on["do_background_work"] = fail
    rig.until(lambda: len(service.named("do_background_work")) >= 200)
    assert 100 < len(rig.errors) < 150
    service.on["do_background_work"] = raising(ValueError("something new"))
    rig.rest()
    assert len(rig.errors) < 150
    (errors,) = [
        counter.value for counter in rig.aeron.counters_reader.counters() if counter.type_id == 215
    ]
    assert errors == len(service.named("do_background_work"))


def test_repeated_failures_of_background_work_are_reported_once_and_counted_each_time(rig):
    service = Working()
    rig.lead(service)
    service.on["do_background_work"] = raising(ValueError("always"))
    service.calls.clear()
    rig.until(lambda: len(service.named("do_background_work")) >= 20)
    (error,) = rig.errors
    assert error.callback == "do_background_work"
    assert isinstance(error.__cause__, ValueError)


def test_a_service_without_background_work_has_no_background_pass(rig):
    service = Calls()
    rig.lead(service)
    assert type(service).do_background_work is ClusteredService.do_background_work
    rig.rest()
    assert service.named("do_background_work") == []


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (lambda rig: rig.commit_position.close(), "the consensus module has ended"),
        (lambda rig: rig.container.cluster.aeron.close(), "the client of the driver was closed"),
        (lambda rig: rig.container._conductor.agent.begin_end(), "the container ends"),
    ],
    ids=["module", "client", "container"],
)
def test_waiting_ends_with_its_reason(rig, end, reason):
    service = Calls()
    rig.lead(service)
    raised = []

    def wait(*_):
        end(rig)
        try:
            while True:
                service.cluster.idle()
        except AgentTerminationError as error:
            raised.append(error)
            raise

    service.on["on_timer_event"] = wait
    rig.timer(1)
    rig.commit()
    rig.until(lambda: rig.ended)
    assert [str(each) for each in raised] == [reason]
    assert rig.container.failure is raised[0]


# ---- the end ----


def test_ends_at_the_given_position(rig):
    service = Calls()
    rig.lead(service)
    rig.message(-5, b"last")
    rig.terminate_at(rig.position)
    rig.rest()
    assert service.named("on_terminate") == []
    rig.commit()
    assert rig.ack() == (rig.position, 2, -1)
    rig.until(lambda: rig.ended)
    assert service.calls[-1] == ("on_terminate", service.cluster)
    assert rig.errors == []
    assert rig.container.is_terminated


def test_ends_at_once_where_the_position_is_passed(rig):
    service = Calls()
    rig.lead(service)
    rig.terminate_at(0)
    rig.until(lambda: rig.ended)
    assert len(service.named("on_terminate")) == 1
    assert "terminationPosition=0" in str(rig.errors[0])


def test_ends_when_the_module_ended(rig):
    service = Calls()
    rig.lead(service)
    rig.commit_position.close()
    rig.until(lambda: rig.ended)
    assert "consensus module" in str(rig.container.failure)
    assert rig.container.failure.is_expected
    assert rig.container.cluster.aeron.is_closed
    log = (rig.directory / "cluster" / "cluster-mark-service-0.dat").read_bytes()
    assert b"commit-pos counter" in log


def test_ends_when_its_client_is_closed_and_notifies_nothing(rig):
    service = Calls()
    cluster = rig.lead(service)
    cluster.aeron.close()
    rig.until(lambda: rig.ended)
    assert "client" in str(rig.container.failure)
    assert not rig.container.failure.is_expected
    assert service.named("on_terminate") == []


def test_close_notifies_the_service_once(rig):
    service = Calls()
    rig.lead(service)
    container = rig.container
    rig.stop()
    container.close()
    assert service.named("on_terminate") == [[service.cluster]]
    with pytest.raises(AgentTerminationError):
        service.cluster.idle()


def test_an_error_after_the_close_is_only_reported(rig):
    """The mark file may belong to the next container."""
    rig.lead(Calls())
    conductor = rig.container._conductor
    rig.stop()
    before = (rig.directory / "cluster" / "cluster-mark-service-0.dat").read_bytes()
    error = ValueError("late")
    conductor.report(error)
    assert rig.errors == [error]
    assert (rig.directory / "cluster" / "cluster-mark-service-0.dat").read_bytes() == before


def test_an_idle_container_calls_its_python_half_only_when_due(rig):
    """Each such call takes the interpreter lock."""
    service = Working()
    rig.lead(service)
    rig.rest()
    agent = rig.container._conductor.agent
    flags = []

    def note(*_):
        flags.append((agent.is_busy, agent.is_joining, agent.is_recording, agent.is_ended))

    service.on["do_background_work"] = note
    rig.until(lambda: flags)
    assert set(flags) == {(False, False, False, False)}
    service.on.clear()
    service.on["on_take_snapshot"] = note
    flags.clear()
    rig.action()
    rig.commit()
    # While the snapshot is written, its recording is checked.
    rig.until(lambda: flags)
    assert [each[2] for each in flags] == [True]
    rig.ack()
    rig.stop()
    note()
    assert flags[-1][2:] == (False, True)
