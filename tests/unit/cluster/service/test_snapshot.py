"""Snapshots of a service: the recorded messages and the restored state."""

import errno
import struct

import pytest

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.protocol.recording_pos import POSITION_COUNTER_TYPE
from aeron_cluster.cluster.service import service_conductor
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.cluster import (
    ClusterAction,
    ClusterTimeUnit,
    SnapshotMark,
    SnapshotMarker,
)
from aeron_cluster.errors import (
    ArchiveError,
    InsufficientSpaceError,
    ServiceCallbackError,
    SnapshotError,
    StateError,
    TimeoutExpiredError,
    VersionError,
)
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.cluster.service.container_rig import (
    FOLLOWER,
    TERM_ID,
    TIME,
    Calls,
    ContainerRig,
)

BLOCK = 16 << 10


class Remembering(Calls):
    """A service whose state is its messages: written in each snapshot, read at the start."""

    def __init__(self):
        super().__init__()
        self.messages = []
        self.on["on_session_message"] = lambda _, __, message: self.messages.append(message)
        self.on["on_take_snapshot"] = self._write
        self.on["on_start"] = self._read

    def _write(self, publication):
        for message in self.messages:
            while not publication.offer(message):
                self.cluster.idle()

    def _read(self, image):
        if image is None:
            return
        assert not image.is_closed
        while not image.is_end_of_stream:
            self.cluster.idle(
                image.poll(lambda message, _: self.messages.append(bytes(message)), 10)
            )


def snapshot(rig, **options):
    """Request a snapshot; return its recording's id."""
    position = rig.action(**options)
    rig.commit()
    found, _, recording_id = rig.ack()
    assert found == position
    return recording_id


def test_is_recorded_in_upstreams_format(rig):
    service = Remembering()
    rig.lead(service)
    principal = bytes(range(256)) * 16  # longer than a frame
    rig.open(9)
    rig.open(2, principal=principal)
    rig.message(-5, b"state")
    rig.commit()
    recording_id = snapshot(rig)
    assert recording_id >= 0
    begin, first, second, end, state = rig.recording(recording_id)
    for data, mark in ((begin, SnapshotMark.BEGIN), (end, SnapshotMark.END)):
        marker = SnapshotMarker.decode(data)
        assert (marker.type_id, marker.mark, marker.index) == (2, mark, 0)
        assert (marker.log_position, marker.leadership_term_id) == (rig.position, TERM_ID)
        assert (marker.time_unit, marker.app_version) == (ClusterTimeUnit.MILLIS, 1)
    sessions = [codecs.ClientSession.decode(data) for data in (first, second)]
    assert [session.cluster_session_id for session in sessions] == [2, 9]
    assert sessions[0].encoded_principal == principal
    assert sessions[1].response_channel == "aeron:ipc?term-length=64k"
    assert state == b"state"


def test_log_pauses_during_a_snapshot(rig):
    service = Remembering()
    rig.lead(service)
    position = rig.action()
    rig.message(-5, b"after")
    rig.commit()
    assert rig.ack()[0] == position
    rig.until(lambda: service.messages)
    kinds = [name for name, *_ in service.calls]
    assert kinds.index("on_take_snapshot") < kinds.index("on_session_message")


def test_a_restart_has_the_same_state(rig):
    service = Remembering()
    rig.lead(service)
    rig.open(2, principal=b"me")
    rig.message(-5, b"one")
    rig.message(-5, b"two" * 1000)
    rig.commit()
    service.messages[1] = service.messages[1][:900]
    recording_id = snapshot(rig)
    position = rig.position
    rig.stop()
    rig.recover(recording_id, position=position, term_id=TERM_ID)
    restored = Remembering()
    rig.launch(restored)
    assert rig.ack() == (position, 0, rig.container.cluster.aeron.client_id)
    assert restored.messages == service.messages
    cluster = restored.cluster
    assert (cluster.log_position, cluster.time) == (position, TIME)
    assert (cluster.leadership_term_id, cluster.time_unit) == (TERM_ID, ClusterTimeUnit.MILLIS)
    (session,) = cluster.client_sessions
    assert (session.id, session.encoded_principal) == (2, b"me")
    rig.join()
    rig.message(2, b"three")
    rig.commit()
    assert restored.messages[-1] == b"three"
    assert restored.named("on_session_open") == []


def test_sessions_of_a_restart_are_connected_when_it_leads_but_not_at_its_start(rig):
    rig.lead(Remembering())
    rig.open(2)
    rig.commit()
    recording_id = snapshot(rig)
    position = rig.position
    rig.stop()
    rig.recover(recording_id, position=position, term_id=TERM_ID)
    restored = Remembering()
    rig.launch(restored)
    rig.ack()
    egress = rig.aeron.add_subscription("aeron:ipc?term-length=64k", 102)
    rig.join(is_startup=True)
    rig.rest()
    (session,) = restored.cluster.client_sessions
    assert not session.is_connected
    rig.join()
    rig.until(lambda: session.is_connected)
    egress.close()


def test_a_failed_snapshot_is_reported_to_the_module_and_the_service_continues(rig):
    service = Remembering()

    def fail(_):
        raise ValueError("no")

    service.on["on_take_snapshot"] = fail
    rig.lead(service)
    assert snapshot(rig) == -1
    (error,) = rig.errors
    assert isinstance(error, ServiceCallbackError)
    assert (error.callback, error.log_position) == ("on_take_snapshot", rig.position)
    rig.message(-5, b"after")
    rig.commit()
    assert service.messages == [b"after"]


def test_a_counter_is_the_same_recordings_when_its_registration_id_is_set_late(rig):
    # A Java driver sets a counter's registration id after its state is visible as allocated.
    service = Remembering()
    path = rig.directory / "driver" / "cnc.dat"

    def wait_meanwhile(_):
        found = rig.aeron.counters_reader.counters(POSITION_COUNTER_TYPE)
        assert found
        with CncFile.open(SystemFiles(), path) as cnc:
            counters = cnc.counters_manager()
            for counter in found:
                counters.set_registration_id(counter.counter_id, counter.registration_id + 1)
        service.cluster.idle()

    service.on["on_take_snapshot"] = wait_meanwhile
    rig.lead(service)
    assert snapshot(rig) >= 0
    assert rig.errors == []


def test_a_counter_of_another_owner_is_ignored(rig):
    service = Remembering()
    path = rig.directory / "driver" / "cnc.dat"

    def lose_counter(_):
        (found,) = rig.aeron.counters_reader.counters(POSITION_COUNTER_TYPE)
        with CncFile.open(SystemFiles(), path) as cnc:
            counters = cnc.counters_manager()
            counters.free(found.counter_id, now_ms=0)
            counters.set_value(found.counter_id, 1 << 40)

    service.on["on_take_snapshot"] = lose_counter
    rig.lead(service)
    assert snapshot(rig) == -1
    (error,) = rig.errors
    assert isinstance(error.__cause__, StateError)
    assert "recording stopped unexpectedly" in str(error.__cause__)


def test_a_snapshot_without_an_archive_fails(rig):
    service = Remembering()
    rig.lead(service, archive={"control_stream_id": 4711, "message_timeout_ns": "100ms"})
    assert snapshot(rig) == -1
    (error,) = rig.errors
    assert isinstance(error.__cause__, TimeoutExpiredError)


@pytest.mark.parametrize(
    ("flags", "is_standby", "is_taken"),
    [
        (1, False, False),
        (1, True, True),
        (-(2**31), False, True),  # null: a log from before schema version 11
        (-2, False, False),
    ],
)
def test_standby_snapshot_is_taken_only_by_standbys(rig, flags, is_standby, is_taken):
    service = Remembering()
    rig.start(service)
    rig.join(FOLLOWER, is_standby=is_standby)
    rig.action(flags=flags)
    rig.commit()
    rig.rest()
    assert bool(service.named("on_take_snapshot")) == is_taken


def test_other_actions_are_not_for_services(rig):
    service = Remembering()
    rig.lead(service)
    rig.action(ClusterAction.SUSPEND)
    rig.action(ClusterAction.RESUME)
    rig.commit()
    assert rig.observed == []


def test_the_duration_is_counted(rig):
    service = Remembering()
    rig.lead(service, service_snapshot_threshold_ns=0)
    snapshot(rig)

    def value(type_id):
        return next(
            counter.value
            for counter in rig.aeron.counters_reader.counters()
            if counter.type_id == type_id
        )

    rig.until(lambda: value(236) > 0)
    assert value(237) == 1


def restart_from(rig, messages):
    """Return why a container fails to load a recording of these messages."""
    recording_id = rig.record(messages)
    rig.recover(recording_id, position=0, term_id=TERM_ID)
    container = rig.launch(Remembering())
    assert rig.ack() == (0, 0, -1)
    rig.until(lambda: container.is_terminated)
    (error,) = rig.errors
    return error


def marker(mark, type_id=2, app_version=1):
    return SnapshotMarker.encode(
        type_id=type_id,
        log_position=0,
        leadership_term_id=TERM_ID,
        index=0,
        mark=mark,
        time_unit=ClusterTimeUnit.MILLIS,
        app_version=app_version,
    )


@pytest.mark.parametrize(
    ("messages", "kind", "words"),
    [
        ([marker(SnapshotMark.BEGIN, type_id=1)], StateError, "type"),
        ([marker(SnapshotMark.END)], StateError, "begin"),
        ([marker(SnapshotMark.BEGIN), marker(SnapshotMark.BEGIN)], StateError, "one begin"),
        ([marker(SnapshotMark.BEGIN)], StateError, "the end of the recording"),
        (
            [marker(SnapshotMark.BEGIN, app_version=2 << 16), marker(SnapshotMark.END)],
            VersionError,
            "application version",
        ),
        ([struct.pack("<HHHH", 0, 1, 999, 0)], ValueError, "999"),
    ],
)
def test_foreign_recording_is_rejected_as_a_snapshot(rig, messages, kind, words):
    error = restart_from(rig, messages)
    assert isinstance(error, kind)
    assert words in str(error)


def test_other_messages_of_a_snapshot_are_skipped(rig):
    """Later versions may write more."""
    unknown = struct.pack("<HHHH", 8, 9999, 111, 16) + bytes(8)
    messages = [
        marker(SnapshotMark.BEGIN),
        unknown,
        marker(SnapshotMark.SECTION),
        marker(SnapshotMark.END),
    ]
    recording_id = rig.record(messages)
    rig.recover(recording_id, position=1088, term_id=TERM_ID)
    rig.launch(Remembering())
    assert rig.ack() == (1088, 0, rig.container.cluster.aeron.client_id)
    assert rig.errors == []


def ended(rig):
    """Return the error that ended a container in its start."""
    assert rig.ack()[2] == -1
    rig.until(lambda: rig.ended)
    return rig.container.failure.__cause__


def test_a_snapshot_that_the_archive_does_not_have_is_named_with_a_remedy(rig):
    rig.recover(99, position=1088, term_id=TERM_ID)
    rig.launch(Calls())
    error = ended(rig)
    assert isinstance(error, SnapshotError)
    assert "its snapshot is missing in the archive" in str(error)
    assert (error.leadership_term_id, error.log_position) == (TERM_ID, 1088)
    assert error.remedy


def test_a_snapshot_without_this_service_is_rejected(rig):
    """It was taken by fewer services."""
    rig.recover(99, position=1088, term_id=TERM_ID)
    rig.launch(Calls(), service_id=1)
    assert "expected a snapshot of service 1, found those of 1 services" in str(ended(rig))


@pytest.mark.parametrize(
    "error", [ArchiveError("busy", ArchiveErrorCode.GENERIC), LookupError("of the service")]
)
def test_another_failure_of_the_start_is_not_blamed_on_the_snapshot(rig, error):
    rig.start(Calls())
    rig.join()
    rig.term()
    rig.commit()
    recording_id, position = snapshot(rig), rig.position
    rig.stop()
    rig.recover(recording_id, position=position, term_id=TERM_ID)
    service = Calls()

    def fail(_):
        raise error

    service.on["on_start"] = fail
    rig.launch(service)
    found = ended(rig)
    assert error in (found, found.__cause__)
    assert not isinstance(found, SnapshotError)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ArchiveError("busy", ArchiveErrorCode.GENERIC), "Calls: busy (code 0)"),
        (LookupError("of a reader"), "LookupError: of a reader"),
    ],
)
def test_another_failure_of_a_snapshots_replay_is_named(rig, monkeypatch, error, text):
    def fail(*_):
        raise error
        yield

    monkeypatch.setattr(service_conductor, "load_snapshot", fail)
    rig.recover(99, position=1088, term_id=TERM_ID)
    rig.launch(Calls())
    assert ended(rig) is error
    assert text.removeprefix("Calls: ") in str(rig.container.failure)


@pytest.mark.parametrize(
    "error",
    [
        InsufficientSpaceError(errno.ENOSPC, "no space", "/data"),
        ArchiveError("no space", ArchiveErrorCode.STORAGE_SPACE),
    ],
)
def test_a_snapshot_without_space_ends_the_container(rig, error):
    """Each further one would fail as well, and the log could never be purged."""
    service = Calls()
    rig.lead(service)

    def fail(_):
        raise error

    service.on["on_take_snapshot"] = fail
    assert snapshot(rig) == -1
    rig.until(lambda: rig.ended)
    assert "no room for a snapshot" in str(rig.container.failure)
    assert rig.container.failure.__cause__ is error


def test_snapshot_of_256_mib_is_written_and_read_on_one_thread(tmp_path, shm_dir):
    """The driver and the archive run on the thread occupied by the callbacks."""
    block = bytes(range(256)) * (BLOCK // 256)
    count = (256 << 20) // BLOCK

    class Large(Calls):
        read = 0

        def on_take_snapshot(self, snapshot_publication):
            for _ in range(count):
                while not snapshot_publication.offer(block):
                    self.cluster.idle()

        def on_start(self, cluster, snapshot_image):
            super().on_start(cluster, snapshot_image)
            if snapshot_image is None:
                return
            assembler = FragmentAssembler(self._take)
            while not snapshot_image.is_end_of_stream:
                cluster.idle(snapshot_image.poll(assembler, 100))

        def _take(self, message, _):
            assert len(message) == BLOCK
            self.read += 1

    rig = ContainerRig(shm_dir, archive_dir=str(tmp_path / "archive"), segment_file_length=64 << 20)
    channel = "aeron:ipc?term-length=16m"
    try:
        rig.recover()
        rig.launch(Large(), snapshot_channel=channel, replay_channel=channel)
        rig.ack()
        rig.join()
        rig.term()
        rig.commit()
        recording_id = snapshot(rig)
        assert recording_id >= 0, rig.errors
        position = rig.position
        rig.stop()
        rig.recover(recording_id, position=position, term_id=TERM_ID)
        restored = Large()
        rig.launch(restored, snapshot_channel=channel, replay_channel=channel)
        rig.ack()
        assert restored.read == count
        assert rig.errors == []
    finally:
        rig.close()
