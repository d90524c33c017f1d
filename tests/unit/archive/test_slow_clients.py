"""Clients that do not read the archive's answers: what waits, what is rejected, when they end."""

import contextlib

import pytest

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.codecs.archive import (
    ArchiveIdRequest,
    ControlResponseCode,
    ListRecordingRequest,
    ListRecordingsForUriRequest,
    ListRecordingsRequest,
    ListRecordingSubscriptionsRequest,
    UpdateChannelRequest,
)
from aeron_cluster.errors import ClosedError
from tests.unit.archive.pair_rig import MS, Pair, S
from tests.unit.archive.recordings_rig import DESCRIPTION

# More than the window of a response stream has room for.
COUNT = 600
LAST_STREAM_ID = 77


@pytest.fixture
def pair():
    with contextlib.closing(Pair(src={"connect_timeout_ns": 5 * S})) as made:
        yield made


@pytest.fixture
def side(pair):
    """The side of an archive with many recordings."""
    side = pair.src
    side.close()
    with Catalog(side.machine.files, "/data") as catalog:
        for number in range(COUNT):
            stream_id = LAST_STREAM_ID if number == COUNT - 1 else 1
            catalog.add(start_position=0, **DESCRIPTION | {"stream_id": stream_id})
            catalog.stop(number, 0, 1)
    side.restart()
    side.connect()
    return side


def drive_for(pair, duration_ns):
    """Drive everything for a virtual time; no client of an archive is polled."""
    end_ns = pair.world.time.now_ns + duration_ns
    pair.run_until(lambda: pair.world.time.now_ns >= end_ns, 2 * duration_ns)


def request_list(archive, count=COUNT):
    """Request descriptors of recordings, and read none."""
    return archive.request(ListRecordingsRequest, count, from_recording_id=0, record_count=count)


def await_answer(pair, archive, request):
    def answer():
        archive.poll()
        return archive.take_answer(request)

    found = []
    pair.run_until(lambda: found.append(answer()) or found[-1] is not None)
    return found[-1]


def ids_of(answer):
    return [each.recording_id for each in answer.descriptors]


def test_answers_wait_until_the_client_polls(pair):
    archive = pair.src.archive
    requests = []
    while len(requests) < COUNT:
        drive_for(pair, 1)
        request = archive.request(ArchiveIdRequest)
        requests += [] if request is None else [request]
    drive_for(pair, S)
    for request in requests:
        answer = await_answer(pair, archive, request)
        assert answer.response.relevant_id == archive.archive_id
    drive_for(pair, 10 * S)
    assert archive.get_max_recorded_position(pair.src.finished(1)[0]) > 0
    assert pair.src.errors == []


def test_client_whose_answers_wait_too_long_loses_its_session(pair):
    archive = pair.src.archive
    other = pair.src.connect()
    sent = 0
    while sent < COUNT:
        drive_for(pair, 1)
        sent += archive.request(ArchiveIdRequest) is not None
    drive_for(pair, 4 * S)
    assert pair.src.errors == []
    assert archive.is_connected
    pair.run_until(lambda: not archive.is_connected, 2 * S)
    [error] = pair.src.errors
    assert "failed to send response for more than connectTimeoutMs=5000" in str(error)
    with pytest.raises(ClosedError):
        archive.get_start_position(0)
    assert other.list_recordings(0, 10) == []


def test_client_that_reads_no_pings_loses_its_session():
    options = {"connect_timeout_ns": 5 * S, "session_liveness_check_interval_ns": 10 * MS}
    with contextlib.closing(Pair(src=options)) as pair:
        archive = pair.src.archive
        pair.run_until(lambda: not archive.is_connected)
        [error] = pair.src.errors
        assert "failed to send" in str(error)


def test_client_that_does_not_read_its_list_loses_its_session(pair, side):
    """Not even a keepalive can be sent to it."""
    archive, other = side.archive, side.connect()
    request_list(archive)
    pair.run_until(lambda: side.errors or not archive.is_connected)
    assert "failed to send response" in str(side.errors[0])
    assert len(other.list_recordings(0, 10)) == 10


def test_list_continues_as_its_reader_does(pair, side):
    request = request_list(side.archive, COUNT + 1)
    drive_for(pair, S)
    answer = await_answer(pair, side.archive, request)
    assert ids_of(answer) == list(range(COUNT))
    assert answer.response.code is ControlResponseCode.RECORDING_UNKNOWN
    assert answer.response.relevant_id == COUNT


def test_list_of_fewer_recordings_than_exist_ends_at_its_count(pair, side):
    answer = await_answer(pair, side.archive, request_list(side.archive, COUNT - 100))
    assert ids_of(answer) == list(range(COUNT - 100))
    assert answer.response is None


def test_recordings_purged_during_a_list_are_not_in_it(pair, side):
    archive, other = side.archive, side.connect()
    request = request_list(archive, COUNT)
    drive_for(pair, S)
    other.purge_recording(0)
    other.purge_recording(COUNT - 2)
    answer = await_answer(pair, archive, request)
    # The first one was sent before it was purged.
    assert ids_of(answer) == [*range(COUNT - 2), COUNT - 1]


def test_match_after_many_others_is_listed(pair, side):
    request = side.archive.request(
        ListRecordingsForUriRequest,
        2,
        from_recording_id=0,
        record_count=2,
        stream_id=LAST_STREAM_ID,
        channel="aeron:ipc",
    )
    answer = await_answer(pair, side.archive, request)
    assert ids_of(answer) == [COUNT - 1]
    assert answer.response.code is ControlResponseCode.RECORDING_UNKNOWN


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (ListRecordingsRequest, {"from_recording_id": 0, "record_count": 1}),
        (ListRecordingRequest, {"recording_id": 0}),
        (
            ListRecordingsForUriRequest,
            {"from_recording_id": 0, "record_count": 1, "stream_id": 1, "channel": ""},
        ),
        (
            ListRecordingSubscriptionsRequest,
            {
                "pseudo_index": 0,
                "subscription_count": 1,
                "apply_stream_id": False,
                "stream_id": 0,
                "channel": "",
            },
        ),
        (UpdateChannelRequest, {"recording_id": 0, "channel": "aeron:ipc?alias=new"}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_second_list_of_a_session_is_rejected_until_the_first_was_sent(pair, side, kind, fields):
    archive = side.archive
    first = request_list(archive)
    drive_for(pair, S)
    second = archive.request(kind, 1, **fields)
    drive_for(pair, S)
    listed = await_answer(pair, archive, first)
    assert ids_of(listed) == list(range(COUNT))
    rejected = await_answer(pair, archive, second).response
    assert rejected.code is ControlResponseCode.ERROR
    assert rejected.relevant_id == ArchiveErrorCode.ACTIVE_LISTING
    assert rejected.error_message == "active listing already in progress"
    again = await_answer(pair, archive, archive.request(kind, 1, **fields))
    assert again.response is None or again.response.code is not ControlResponseCode.ERROR


def test_list_ends_with_its_session(pair, side):
    archive, other = side.archive, side.connect()
    request_list(archive)
    drive_for(pair, S)
    archive.close()
    pair.run_until(lambda: side.counter("Archive Control Sessions") == 1)
    drive_for(pair, 10 * S)
    assert side.errors == []
    assert len(other.list_recordings(0, COUNT)) == COUNT
