"""What a member checks of its log and latest snapshot before its first election."""

from types import SimpleNamespace

import pytest

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.cluster.module import recovery
from aeron_cluster.cluster.module.recovery import _check_services
from aeron_cluster.errors import (
    ArchiveError,
    CorruptError,
    DamagedRecordingError,
    LogMismatchError,
    SnapshotError,
)


def context(services):
    return SimpleNamespace(options=SimpleNamespace(service_count=services, member_id=2))


def of_services(count):
    trackers = [SimpleNamespace(service_id=each) for each in range(count)]
    return SimpleNamespace(trackers=trackers, log_position=1088, leadership_term_id=3)


@pytest.mark.parametrize(("services", "found"), [(1, 1), (3, 3), (3, 2), (0, 1), (0, 0), (1, 0)])
def test_snapshot_of_no_more_services_is_loaded(services, found):
    _check_services(context(services), of_services(found))


@pytest.mark.parametrize(("services", "found"), [(1, 2), (2, 3), (0, 2)])
def test_snapshot_of_more_services_is_refused(services, found):
    with pytest.raises(LogMismatchError) as raised:
        _check_services(context(services), of_services(found))
    assert f"expected {services} services, found {found}" in str(raised.value)
    assert "as many services as took its snapshot" in str(raised.value)
    assert (raised.value.member_id, raised.value.is_damage) == (2, False)


# ---- the end of the log ----

UNKNOWN = ArchiveError("unknown recording", ArchiveErrorCode.UNKNOWN_RECORDING)
FAILED = ArchiveError("it failed", ArchiveErrorCode.GENERIC)


def result(steps):
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def end_of_log(
    monkeypatch, *, members=1, recording_id=-1, stopped=None, recordings=(), snapshots=()
):
    """Return the end of the log of a member, with the given answers of its archive."""

    def list_recordings(_archive, fragment, stream_id, _count):
        assert (fragment, stream_id) == ("alias=log", 100)
        yield
        return [
            SimpleNamespace(recording_id=index, start_position=start, stop_position=stop)
            for index, (start, stop) in enumerate(recordings)
        ]

    def stop():
        yield
        if isinstance(stopped, Exception):
            raise stopped
        return stopped

    monkeypatch.setattr(recovery, "list_recordings_for_uri", list_recordings)
    return result(
        recovery._end_of_log(
            SimpleNamespace(
                options=SimpleNamespace(member_id=2, log_stream_id=100), members=[None] * members
            ),
            None,
            SimpleNamespace(
                path="recording.log",
                entries=[
                    SimpleNamespace(is_valid_snapshot=True, log_position=each) for each in snapshots
                ],
                find_last_term=lambda: SimpleNamespace(leadership_term_id=3),
            ),
            SimpleNamespace(recording_id=recording_id, stop=stop, stop_earlier=lambda: iter(())),
        )
    )


def test_the_end_of_a_log_is_that_of_its_stopped_recording(monkeypatch):
    assert end_of_log(monkeypatch, recording_id=7, stopped="descriptor") == "descriptor"


def test_a_log_that_the_archive_does_not_know_is_reported_as_missing(monkeypatch):
    for members in (1, 3):
        with pytest.raises(LogMismatchError) as raised:
            end_of_log(monkeypatch, members=members, recording_id=7, stopped=UNKNOWN)
        error = raised.value
        assert (error.member_id, error.leadership_term_id, error.is_damage) == (2, 3, True)
        assert "found 7, which it does not know" in str(error)
        # Only with other members may it start without them: it would lose the log.
        assert "directories as they were" in error.remedy
        assert ("or without either" in error.remedy) == (members > 1)


def test_another_error_of_the_archive_does_not_mean_that_the_log_is_missing(monkeypatch):
    with pytest.raises(ArchiveError) as raised:
        end_of_log(monkeypatch, recording_id=7, stopped=FAILED)
    assert raised.value is FAILED


@pytest.mark.parametrize(
    ("members", "recordings", "is_blank"),
    [
        (1, [], True),
        (1, [(0, 0), (640, 640)], True),
        (1, [(0, 0), (640, 704)], False),
        (3, [(0, 640)], True),  # the others have it
    ],
)
def test_a_member_alone_does_not_start_blank_with_a_log_in_its_archive(
    monkeypatch, members, recordings, is_blank
):
    if is_blank:
        assert end_of_log(monkeypatch, members=members, recordings=recordings) is None
        return
    with pytest.raises(LogMismatchError, match="recording 1 of 64 bytes of log") as raised:
        end_of_log(monkeypatch, members=members, recordings=recordings)
    assert (raised.value.log_position, raised.value.is_damage) == (704, True)


@pytest.mark.parametrize(("snapshots", "is_seeded"), [([0, 0], True), ([64, 64], False)])
def test_a_member_alone_starts_with_a_log_in_its_archive_if_it_was_seeded(
    monkeypatch, snapshots, is_seeded
):
    steps = {"recordings": [(640, 704)], "snapshots": snapshots}
    if is_seeded:
        assert end_of_log(monkeypatch, **steps) is None
        return
    with pytest.raises(LogMismatchError, match="expected the terms"):
        end_of_log(monkeypatch, **steps)


# ---- the snapshot ----


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (UNKNOWN, "recording 12: unknown recording"),
        (CorruptError("snapshot", 64, "mark", "BEGIN", 7), "recording 12: snapshot at 64"),
        (DamagedRecordingError(12, 64, "checksum mismatch"), "recording 12: checksum mismatch"),
    ],
    ids=["missing", "corrupt", "damaged"],
)
def test_a_snapshot_that_cannot_be_loaded_is_named(monkeypatch, error, text):
    with pytest.raises(SnapshotError) as raised:
        load(monkeypatch, error)
    assert str(raised.value).count(text) == 1
    assert (raised.value.member_id, raised.value.log_position) == (2, 1088)
    assert raised.value.__cause__ is error


def test_another_error_of_the_archive_does_not_mean_that_the_snapshot_is_damaged(monkeypatch):
    with pytest.raises(ArchiveError) as raised:
        load(monkeypatch, FAILED)
    assert raised.value is FAILED


def load(monkeypatch, error):
    def replay(*_):
        yield
        raise error

    monkeypatch.setattr(recovery, "_replay", replay)
    snapshot = SimpleNamespace(
        recording_id=12, log_position=1088, leadership_term_id=3, service_id=-1
    )
    return result(recovery._load(context(1), None, None, snapshot))
