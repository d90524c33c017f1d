"""Services on recorded logs, without a cluster."""

import random
import struct
import sys
from dataclasses import replace
from typing import ClassVar

import pytest

from aeron_cluster.client.publication import BufferClaim
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.divergence_guard import Effect, fold_word, payload_digest
from aeron_cluster.cluster.service.native_service import NativeService
from aeron_cluster.cluster.service.offline import host as host_module
from aeron_cluster.cluster.service.offline.host import OfflineHost
from aeron_cluster.cluster.service.offline.source import (
    OfflineSource,
    SnapshotPlace,
    read_snapshot_file,
    write_snapshot_file,
)
from aeron_cluster.errors import (
    AgentTerminationError,
    ClosedError,
    ConfigurationError,
    CorruptError,
    NondeterminismError,
    ServiceCallbackError,
    StateError,
)
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.memory.system.seams import SystemFiles
from benchmarks.native.build import build_service
from tests.unit.cluster.recorded_log import (
    TERM_ID,
    TIME,
    RecordedLog,
    closed,
    message,
    opened,
    snapshot_action,
    term,
    timer,
)

NUMBER = struct.Struct("<q")


class Adder(ClusteredService):
    """Sums numbers, sends each sum, and causes one effect of every other kind."""

    def __init__(self):
        self.observed = []
        self.sum = 0
        self.is_terminated = False

    def on_start(self, cluster, snapshot_image):
        self.cluster = cluster

        def read(state, _header):
            (self.sum,) = NUMBER.unpack_from(bytes(state))

        if snapshot_image is not None:
            assembler = FragmentAssembler(read)
            while not snapshot_image.is_end_of_stream:
                cluster.idle(snapshot_image.poll(assembler, 10))

    def on_session_open(self, session, timestamp):
        self.observed.append(("open", session.id, timestamp))
        assert self.cluster.schedule_timer(session.id, timestamp + 10)

    def on_session_close(self, session, _timestamp, close_reason):
        self.observed.append(("close", session.id, close_reason.name))
        assert self.cluster.cancel_timer(session.id)

    def on_session_message(self, session, _timestamp, message, header):
        assert header.position == self.cluster.log_position
        self.observed.append(("message", session and session.id, bytes(message)[:8]))
        if session is None:
            return
        self.sum += NUMBER.unpack_from(message)[0]
        assert session.offer(NUMBER.pack(self.sum)) == 1
        if self.sum % 5 == 0:
            assert self.cluster.offer(b"five")

    def on_timer_event(self, correlation_id, _timestamp):
        self.observed.append(("timer", correlation_id))
        assert self.cluster.get_client_session(correlation_id).close()

    def on_new_leadership_term_event(self, term):
        self.observed.append(("term", term.leadership_term_id, term.log_position))

    def on_take_snapshot(self, snapshot_publication):
        while not snapshot_publication.offer(NUMBER.pack(self.sum)):
            self.cluster.idle()

    def on_terminate(self, _cluster):
        self.is_terminated = True


def numbers(count, session_id=1):
    return [message(session_id, NUMBER.pack(index)) for index in range(count)]


def a_log(tmp_path, count=5, **options):
    return RecordedLog(
        tmp_path / "archive",
        [term(), opened(1), *numbers(count), timer(1), closed(1)],
        **options,
    )


def run(source, service=None, **options):
    """Return the service after its run, its host and its effects."""
    effects = []
    service = Adder() if service is None else service
    with OfflineHost(service, source, on_effect=effects.append, **options) as host:
        position = host.run()
    return service, host, effects, position


def test_reads_fragments_with_checksums_in_session_ids(tmp_path):
    events = [term(), opened(1), message(1, NUMBER.pack(7) + bytes(5000)), closed(1)]
    log = RecordedLog(tmp_path / "archive", events)
    (segment,) = (tmp_path / "archive").glob("*.rec")
    frames = bytearray(segment.read_bytes())
    at = 0
    while length := struct.unpack_from("<i", frames, at)[0]:
        struct.pack_into("<i", frames, at + 12, at)
        at += (length + 31) & ~31
    assert at > 5000 + 4 * 32
    segment.write_bytes(frames)
    service, *_ = run(log.source)
    assert service.sum == 7


def test_receives_logged_messages_and_reports_its_effects(tmp_path):
    log = a_log(tmp_path)
    service, host, effects, position = run(log.source)
    assert position == log.positions[-1]
    assert service.observed[0] == ("term", TERM_ID, 96)
    assert [each[0] for each in service.observed] == [
        *("term", "open"),
        *["message"] * 5,
        *("timer", "close"),
    ]
    assert [(each.effect, each.id) for each in effects] == [
        (Effect.SCHEDULE_TIMER, 1),
        (Effect.EGRESS, 1),
        (Effect.CLUSTER_MESSAGE, 0),
        *[(Effect.EGRESS, 1)] * 4,
        (Effect.CLUSTER_MESSAGE, 0),
        (Effect.CLOSE_SESSION, 1),
        (Effect.CANCEL_TIMER, 1),
    ]
    assert effects[0].value == TIME + 10
    assert effects[-3].payload == b"five"
    assert effects[1].log_position == log.positions[2]
    assert {each.timestamp for each in effects} == {TIME}
    assert effects[-1].hash == host.guard.hash != 0
    assert host.guard.effect_count == len(effects)
    assert service.is_terminated


def test_the_same_log_gives_the_same_hash(tmp_path):
    log = a_log(tmp_path, 200)
    first, second = (run(log.source, interval=1)[1] for _ in range(2))
    assert first.guard.hash == second.guard.hash
    assert first.guard.checkpoints() == second.guard.checkpoints()
    assert [each.position for each in first.guard.checkpoints()] == log.positions


def test_different_effect_changes_the_hash_from_there_on(tmp_path):
    log = a_log(tmp_path, 300)
    differing = random.Random(7).randrange(300)

    class Odd(Adder):
        def on_session_message(self, session, timestamp, message, header):
            if NUMBER.unpack_from(message)[0] == differing:
                self.sum += 1
                super().on_session_message(session, timestamp, message, header)
                self.sum -= 1
            else:
                super().on_session_message(session, timestamp, message, header)

    (_, good, *_), (_, bad, *_) = run(log.source, interval=1), run(log.source, Odd(), interval=1)
    where = log.positions[2 + differing]
    for position in log.positions:
        one, other = good.guard.checkpoint_at(position), bad.guard.checkpoint_at(position)
        assert one.differs_from(other) == (position >= where), position
        assert (one.interval_hash != other.interval_hash) == (position == where)


def test_reads_across_segments_and_messages_in_fragments(tmp_path):
    payloads = [NUMBER.pack(index) * (1 + index * 7 % 900) for index in range(150)]
    log = RecordedLog(
        tmp_path / "archive", [term(), opened(1), *(message(1, each) for each in payloads)]
    )
    service, *_, position = run(log.source)
    assert position == log.positions[-1] > 3 * 128 * 1024
    assert service.sum == sum(range(150))


@pytest.mark.parametrize("is_stopped", [True, False])
def test_runs_until_a_position(tmp_path, is_stopped):
    log = a_log(tmp_path, is_stopped=is_stopped)
    service = Adder()
    with OfflineHost(service, log.source) as host:
        assert host.run(until=log.positions[3]) == log.positions[3]
        assert [each[0] for each in service.observed] == ["term", "open", "message", "message"]
        assert host.run(until=log.positions[4] + 32) == log.positions[4]
        assert host.run() == log.positions[-1]
        assert host.run() == log.positions[-1]
    assert len(service.observed) == len(log.positions)


def test_message_ending_past_the_limit_is_not_delivered(tmp_path):
    log = RecordedLog(
        tmp_path / "archive", [term(), opened(1), message(1, bytes(5000)), message(1, bytes(8))]
    )
    service = Adder()
    with OfflineHost(service, log.source) as host:
        assert host.run(until=log.positions[2] - 32) == log.positions[1]
        assert len(service.observed) == 2
        assert host.run() == log.positions[3]
    assert len(service.observed) == 4


def test_recovers_from_its_own_snapshot(tmp_path):
    log = a_log(tmp_path, 50)
    files = SystemFiles()
    path = str(tmp_path / "state")
    with OfflineHost(Adder(), log.source) as host:
        middle = host.run(until=log.positions[20])
        write_snapshot_file(files, path, host.take_snapshot())
        rest = host.run()
        expected = host.cluster.time, rest
    messages = list(read_snapshot_file(files, path))
    place = SnapshotPlace(middle, TERM_ID, TIME, -1)
    service = Adder()
    with OfflineHost(service, log.source, snapshot=place, messages=messages) as host:
        assert [each.id for each in host.sessions] == [1]
        assert service.sum == sum(range(19))
        assert host.run() == rest
        assert (host.cluster.time, rest) == expected
    assert service.sum == sum(range(50))


def test_takes_a_snapshot_after_each_message(tmp_path):
    log = a_log(tmp_path, 20)
    with OfflineHost(Adder(), log.source) as host:
        found = []
        for position in log.positions:
            host.run(until=position)
            found.append(list(host.take_snapshot()))
    assert len(found) == len(log.positions) > 20
    assert found[-1] != found[-2]


class Hoarder(Adder):
    """A service with a snapshot of many messages."""

    STATE: ClassVar = [bytes([index % 251]) * (1 + index * 97 % 40_000) for index in range(200)]
    state: list[bytes]

    def on_start(self, cluster, snapshot_image):
        self.cluster = cluster
        self.state = []
        if snapshot_image is not None:
            assembler = FragmentAssembler(lambda each, _: self.state.append(bytes(each)))
            while not snapshot_image.is_end_of_stream:
                snapshot_image.poll(assembler, 10)

    def on_take_snapshot(self, snapshot_publication):
        for each in self.STATE:
            while not snapshot_publication.offer(each):
                self.cluster.idle()


def test_a_large_snapshot_is_restored_completely(tmp_path):
    log = a_log(tmp_path)
    with OfflineHost(Hoarder(), log.source) as host:
        position = host.run()
        messages = list(host.take_snapshot())
    assert sum(map(len, messages)) > 1_900_000
    service = Hoarder()
    place = SnapshotPlace(position, TERM_ID, TIME, -1)
    with OfflineHost(service, log.source, snapshot=place, messages=messages) as host:
        host.run()
    assert service.state == Hoarder.STATE


def test_a_snapshot_without_space_ends_with_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(host_module, "MAX_TERM_LENGTH", 1 << 19)
    with OfflineHost(Hoarder(), a_log(tmp_path).source) as host:
        with pytest.raises(StateError, match="snapshot: expected at most 1572832 bytes, found"):
            list(host.take_snapshot())
        monkeypatch.undo()
        assert sum(map(len, host.take_snapshot())) > 1_900_000


def test_log_beginning_later_needs_a_snapshot(tmp_path):
    log = a_log(tmp_path, start=4096)
    with pytest.raises(StateError, match="begins at 4096, expected a snapshot"):
        OfflineHost(Adder(), log.source)
    early = SnapshotPlace(1024, TERM_ID, TIME, -1)
    with pytest.raises(StateError, match="expected to find what follows the snapshot at 1024"):
        OfflineHost(Adder(), log.source, snapshot=early, messages=[])


def test_an_archive_without_the_recording_is_rejected(tmp_path):
    log = a_log(tmp_path)
    with pytest.raises(StateError, match="expected recording 7 of the log, found 0"):
        OfflineSource.of_recording(SystemFiles(), str(log.path), 7)


def test_a_damaged_frame_is_named(tmp_path):
    log = a_log(tmp_path)
    with (log.path / "0-0.rec").open("r+b") as file:
        file.seek(log.positions[3])
        file.write(struct.pack("<i", 7))
    with (
        OfflineHost(Adder(), log.source) as host,
        pytest.raises(CorruptError, match=f"at {log.positions[3]}: frame length 7"),
    ):
        host.run()


def test_log_ending_before_its_recording_is_reported(tmp_path):
    log = a_log(tmp_path)
    with (log.path / "0-0.rec").open("r+b") as file:
        file.seek(log.positions[3])
        file.write(bytes(4))
    with (
        OfflineHost(Adder(), log.source) as host,
        pytest.raises(CorruptError, match=f"frame None, expected up to {log.positions[-1]}"),
    ):
        host.run()


def damage(log, offset, content):
    with (log.path / "0-0.rec").open("r+b") as file:
        file.seek(offset)
        file.write(content)


@pytest.mark.parametrize(
    ("offset", "content", "text"),
    [
        (8, struct.pack("<i", 7), "term offset 7, expected"),
        (6, struct.pack("<H", 5), "frame type 5, expected 0 or 1"),
    ],
)
def test_a_damaged_field_of_a_frame_is_named(tmp_path, offset, content, text):
    log = a_log(tmp_path)
    damage(log, log.positions[3] + offset, content)
    with (
        OfflineHost(Adder(), log.source) as host,
        pytest.raises(CorruptError, match=f"at {log.positions[3] + offset}: {text}"),
    ):
        host.run()


def test_a_log_of_a_killed_archive_ends_with_its_last_written_frame(tmp_path):
    log = a_log(tmp_path, is_stopped=False)
    damage(log, log.positions[3], bytes(4096))
    service, _, _, position = run(log.source)
    assert (position, len(service.observed)) == (log.positions[3], 4)
    (log.path / "0-0.rec").unlink()
    service, _, _, position = run(log.source)
    assert (position, service.observed) == (0, [])


@pytest.mark.parametrize("is_stopped", [True, False])
@pytest.mark.parametrize("rest", [0, 16, 40])
def test_the_end_of_a_truncated_segment_is_named(tmp_path, is_stopped, rest):
    log = a_log(tmp_path, is_stopped=is_stopped)
    with (log.path / "0-0.rec").open("r+b") as file:
        file.truncate(log.positions[3] + rest)
    with (
        OfflineHost(Adder(), log.source) as host,
        pytest.raises(CorruptError, match=f"0-0.rec at {log.positions[3]}: frame .*a whole one"),
    ):
        host.run()


@pytest.mark.parametrize("count", [0, 1])
def test_a_truncated_snapshot_is_rejected(tmp_path, count):
    log = a_log(tmp_path)
    with OfflineHost(Adder(), log.source) as host:
        host.run()
        messages = list(host.take_snapshot())[:count]
    place = SnapshotPlace(log.positions[-1], TERM_ID, TIME, 12)
    with pytest.raises(StateError, match="snapshot 12: expected the end of its sessions"):
        OfflineHost(Adder(), log.source, snapshot=place, messages=messages)


def test_a_snapshot_that_is_not_in_the_archive_is_named(tmp_path):
    log = a_log(tmp_path)
    place = SnapshotPlace(log.positions[-1], TERM_ID, TIME, 12)
    with pytest.raises(StateError, match="archive: no recording 12"):
        OfflineHost(Adder(), log.source, snapshot=place)


FRAME = struct.Struct("<iBBHiiiiq")
DATA, PAD = 1, 0
BEGIN, END = 0x80, 0x40


def test_a_recorded_snapshot_is_read_without_its_padding(tmp_path):
    """The first segment of a recording may be read as a file of a snapshot."""
    frames = [(DATA, BEGIN, b"one "), (DATA, 0, b"two "), (DATA, END, b"three")]
    frames += [(PAD, BEGIN | END, bytes(64)), (DATA, BEGIN | END, b"next")]
    content = b"".join(
        FRAME.pack(32 + len(payload), 0, flags, kind, 0, 1, 1, 0, 0)
        + payload.ljust(-(-len(payload) // 32) * 32, b"\0")
        for kind, flags, payload in frames
    )
    path = tmp_path / "snapshot"
    for rest in (b"", bytes(4096)):  # the end of the file, or the unwritten rest of a segment
        path.write_bytes(content + rest)
        found = list(read_snapshot_file(SystemFiles(), str(path)))
        assert found == [b"one two three", b"next"]


def test_a_snapshot_is_found_by_the_id_of_its_recording(tmp_path):
    log = a_log(tmp_path)
    places = [SnapshotPlace(96, TERM_ID, TIME, 12), SnapshotPlace(192, TERM_ID, TIME, 14)]
    source = replace(log.source, snapshots=tuple((0, place) for place in places))
    assert source.find_snapshot(0, "latest") == places[1]
    for place in places:
        assert source.find_snapshot(0, place.recording_id) == place
    with pytest.raises(StateError, match="expected snapshot 13, found 12 at 96, 14 at 192"):
        source.find_snapshot(0, 13)
    with pytest.raises(StateError, match="service 1: expected snapshot latest, found none"):
        source.find_snapshot(1, "latest")


class Failing(Adder):
    def on_timer_event(self, _correlation_id, _timestamp):
        raise ValueError("no such timer")


def test_a_failure_ends_the_run_unless_a_user_requests_it(tmp_path):
    log = a_log(tmp_path)
    with OfflineHost(Failing(), log.source) as host, pytest.raises(ServiceCallbackError) as raised:
        host.run()
    assert raised.value.callback == "on_timer_event"
    assert raised.value.log_position == log.positions[-2]
    failures = []
    _, failing, effects, _ = run(log.source, Failing(), on_failure=failures.append)
    assert [each.callback for each in failures] == ["on_timer_event"]
    assert [each.effect for each in effects][-2:] == [Effect.CALLBACK_FAILED, Effect.CANCEL_TIMER]
    # The failed event counts: on members where it did not fail, the state differs.
    assert failing.guard.hash != run(log.source)[1].guard.hash


class Exiting(Adder):
    def on_timer_event(self, _correlation_id, _timestamp):
        sys.exit(3)


CALLS = {
    "on_new_leadership_term_event": None,
    "on_session_open": 1,
    "on_session_close": 1,
    "on_session_message": 1,
    "on_timer_event": None,
}


def raising(name, error):
    def fail(*_):
        raise error

    return type("Raising", (Adder,), {name: fail})()


@pytest.mark.parametrize("name", CALLS)
def test_a_failure_names_its_callback_and_session_and_the_next_event_follows(tmp_path, name):
    error, failures = ValueError("no"), []
    log = a_log(tmp_path, 1)
    service, host, *_ = run(log.source, raising(name, error), on_failure=failures.append)
    (failure,) = failures
    assert (failure.callback, failure.cluster_session_id) == (name, CALLS[name])
    assert failure.__cause__ is error
    assert failure.leadership_term_id == TERM_ID
    assert len(service.observed) == len(log.positions) - 1
    assert host.guard.hash != run(log.source)[1].guard.hash


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("error", [KeyboardInterrupt(), AgentTerminationError("over")], ids=repr)
def test_an_interrupt_and_a_termination_end_the_run(tmp_path, name, error):
    service, failures = raising(name, error), []
    with (
        OfflineHost(service, a_log(tmp_path, 1).source, on_failure=failures.append) as host,
        pytest.raises(type(error)) as raised,
    ):
        host.run()
    assert raised.value is error
    assert failures == []


def test_exiting_service_fails_like_any_other(tmp_path):
    failures = []
    run(a_log(tmp_path).source, Exiting(), on_failure=failures.append)
    assert [each.callback for each in failures] == ["on_timer_event"]
    assert isinstance(failures[0].__cause__, SystemExit)


def test_an_exception_of_an_observer_ends_the_run(tmp_path):
    def reject(_):
        raise LookupError("no more")

    log = a_log(tmp_path)
    with (
        OfflineHost(Adder(), log.source, on_effect=reject) as host,
        pytest.raises(LookupError, match="no more"),
    ):
        host.run()


def test_an_observer_that_failed_is_called_no_more(tmp_path):
    observed = []

    def reject(effect):
        observed.append(effect)
        raise LookupError("no more")

    class Twice(Adder):
        def on_session_open(self, session, _timestamp):
            for each in (b"one", b"two"):
                session.offer(each)

    with (
        OfflineHost(Twice(), a_log(tmp_path).source, on_effect=reject) as host,
        pytest.raises(LookupError, match="no more"),
    ):
        host.run()
    assert [each.payload for each in observed] == [b"one"]


def test_a_session_opened_twice_or_never_is_skipped(tmp_path):
    log = RecordedLog(
        tmp_path / "archive", [term(), opened(1), opened(1), closed(2), closed(1), closed(1)]
    )
    service, host, *_ = run(log.source)
    assert [each[:2] for each in service.observed] == [
        ("term", TERM_ID),
        ("open", 1),
        ("close", 1),
    ]
    assert host.sessions == ()


def test_a_closed_host_notifies_its_service_once(tmp_path):
    class Counting(Adder):
        ends = 0

        def on_terminate(self, _cluster):
            self.ends += 1

    service = Counting()
    with OfflineHost(service, a_log(tmp_path).source) as host:
        host.close()
    host.close()
    assert service.ends == 1


class Clocked(Adder):
    def on_timer_event(self, correlation_id, _timestamp):
        import time  # noqa: PLC0415

        super().on_timer_event(correlation_id, int(time.time()))


def test_a_clock_in_a_callback_is_rejected(tmp_path):
    log = a_log(tmp_path)
    with (
        OfflineHost(Clocked(), log.source, check_determinism=True) as host,
        pytest.raises(ServiceCallbackError) as raised,
    ):
        host.run()
    cause = raised.value.__cause__
    assert isinstance(cause, NondeterminismError)
    assert (cause.call, cause.callback) == ("time.time", "on_timer_event")
    assert cause.log_position == log.positions[-2]
    service, *_ = run(log.source, check_determinism=True)
    assert service.observed[-1][0] == "close"


class Claimer(Adder):
    """Claims instead of offering."""

    def on_session_message(self, session, _timestamp, message, _header):
        claim = BufferClaim()
        if session is None:
            return
        number = NUMBER.unpack_from(message)[0]
        assert session.try_claim(8, claim) == 1
        claim.put(NUMBER.pack(number), 32)
        claim.commit()
        assert self.cluster.try_claim(8, claim) == 1
        claim.put(NUMBER.pack(number), 32)
        claim.commit()


def test_open_claims_keep_their_content_whatever_is_sent_meanwhile(tmp_path):
    class Both(Adder):
        def on_session_message(self, session, timestamp, message, _header):
            number = NUMBER.unpack_from(message)[0]
            claims = BufferClaim(), BufferClaim()
            for claim, payload in zip(claims, (b"first", b"second"), strict=True):
                assert session.try_claim(len(payload), claim) == 1
                claim.put(payload, 32)
            assert self.cluster.schedule_timer(number, timestamp + 1)
            for claim in claims:
                claim.commit()

    log = a_log(tmp_path)
    _, _, effects, _ = run(log.source, Both())
    committed = [each for each in effects if each.effect is Effect.CLAIM_COMMITTED]
    assert [(each.id, each.payload) for each in committed] == [(1, b"first"), (1, b"second")] * 5


def test_the_unwritten_part_of_a_claim_is_zero_as_in_a_leaders_log(tmp_path):
    class Part(Adder):
        def on_session_message(self, session, _timestamp, message, _header):
            number = NUMBER.unpack_from(message)[0]
            for payload, length in ((b"\xff" * 40000, 40000), (NUMBER.pack(number), 40000)):
                claim = BufferClaim()
                assert session.try_claim(length, claim) == 1
                claim.put(payload, 32)
                claim.commit()

    log = a_log(tmp_path)
    _, _, effects, _ = run(log.source, Part())
    committed = [each.payload for each in effects if each.effect is Effect.CLAIM_COMMITTED]
    assert committed[1::2] == [NUMBER.pack(number).ljust(40000, b"\0") for number in range(5)]


def test_claims_count_by_their_committed_content(tmp_path):
    log = a_log(tmp_path)
    _, host, effects, _ = run(log.source, Claimer(), interval=1)
    kinds = [each.effect for each in effects if each.log_position == log.positions[4]]
    assert kinds == [Effect.EGRESS_CLAIM, Effect.CLAIM_COMMITTED, Effect.CLUSTER_MESSAGE]
    payloads = [each.payload for each in effects if each.effect is Effect.CLAIM_COMMITTED]
    assert payloads == [NUMBER.pack(number) for number in range(5)]

    class Other(Claimer):
        def on_session_message(self, session, _timestamp, message, _header):
            claim = BufferClaim()
            if session is not None:
                number = NUMBER.unpack_from(message)[0]
                assert session.try_claim(8, claim) == 1
                claim.put(NUMBER.pack(number + (number == 2)), 32)
                claim.commit()
                assert self.cluster.try_claim(8, claim) == 1
                claim.put(NUMBER.pack(number), 32)
                claim.commit()

    _, other, *_ = run(log.source, Other(), interval=1)
    assert host.guard.hash == other.guard.hash  # claims have their own buffer
    different = [
        position
        for position in log.positions
        if host.guard.checkpoint_at(position).differs_from(other.guard.checkpoint_at(position))
    ]
    assert different == [log.positions[4]]


def test_a_native_service_runs_and_hashes_as_well(tmp_path):
    library = build_service("echo_service", tmp_path)
    log = RecordedLog(tmp_path / "archive", [term(), opened(1), *numbers(100), snapshot_action()])

    class Echo(ClusteredService):
        def on_session_message(self, session, _timestamp, message, _header):
            if session is not None:
                session.offer(message)

    native = NativeService.load(library, "echo_service")
    _, host, effects, _ = run(log.source, native, interval=1)
    assert [each.effect for each in effects] == [Effect.EGRESS] * 100
    _, python, *_ = run(log.source, Echo(), interval=1)
    assert host.guard.hash == python.guard.hash
    assert host.guard.checkpoints() == python.guard.checkpoints()
    assert native.is_closed
    with pytest.raises(ConfigurationError, match="a service in Python"):
        OfflineHost(NativeService.load(library, "echo_service"), log.source, check_determinism=True)


def test_the_hash_is_the_same_on_every_machine(tmp_path):
    _, host, effects, _ = run(a_log(tmp_path).source)
    value = 0
    for each in effects:
        effect = 0
        for word in (each.effect, each.id, each.value):
            effect = fold_word(effect, word)
        if each.payload is not None:
            effect = fold_word(effect, payload_digest(each.payload))
        for word in (each.log_position, each.timestamp):
            effect = fold_word(effect, word)
        value = fold_word(value, effect)
        assert each.hash == value
    assert f"{host.guard.hash:016x}" == f"{value:016x}" == "ae303d21e7abb97f"


def test_service_may_not_close_the_publication_of_its_snapshot(tmp_path):
    class Closing(Adder):
        def on_take_snapshot(self, snapshot_publication):
            with snapshot_publication:
                super().on_take_snapshot(snapshot_publication)

    log = a_log(tmp_path)
    with OfflineHost(Closing(), log.source) as host:
        host.run()
        with pytest.raises(ClosedError, match="used after it was closed"):
            list(host.take_snapshot())
