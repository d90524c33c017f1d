"""Our archive client with a Java archive and with ours."""

import struct
import time
from contextlib import ExitStack

import pytest

from aeron_cluster.archive.archive import Archive
from aeron_cluster.archive.client.archive_client import AeronArchive
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.protocol.replay_lengths import REPLAY_ALL_AND_STOP
from aeron_cluster.client import Aeron
from aeron_cluster.codecs import archive as codecs
from aeron_cluster.codecs.archive import RecordingSignal
from aeron_cluster.errors import ArchiveError, ClosedError, TimeoutExpiredError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy

TIMEOUT_S = 120
CHANNEL = "aeron:ipc?term-length=64k"
STREAM_ID = 1001
COUNT = 3_000


@pytest.fixture
def driver(java, shm_dir):
    java.start("Driver", dir=shm_dir / "driver", idle="backoff").await_event("READY")
    return shm_dir / "driver"


@pytest.fixture
def aeron(driver):
    with Aeron.connect(aeron_dir=driver) as client:
        yield client


@pytest.fixture(params=["java", "ours"])
def control(request, java, driver, shm_dir, free_port):
    """Start an archive; return its UDP control channel."""
    port = free_port()
    channel = f"aeron:udp?endpoint=localhost:{port}"
    with ExitStack() as stack:
        if request.param == "java":
            java.start(
                "Archive",
                dir=driver,
                archiveDir=shm_dir / "archive",
                driver="false",
                port=port,
                segment=128 * 1024,
                idle="backoff",
            ).await_event("READY", TIMEOUT_S)
        else:
            stack.enter_context(
                Archive.launch(
                    aeron_dir=str(driver),
                    archive_dir=str(shm_dir / "archive"),
                    control_channel=channel,
                    replication_channel="aeron:udp?endpoint=localhost:0",
                    segment_file_length=128 * 1024,
                    threading_mode="SHARED",
                )
            )
        yield channel


@pytest.fixture
def signals():
    return []


@pytest.fixture(params=["ipc", "udp"])
def archive(request, aeron, control, signals):
    is_ipc = request.param == "ipc"
    with AeronArchive.connect(
        aeron=aeron,
        control_channel="aeron:ipc" if is_ipc else control,
        control_response_channel="aeron:ipc" if is_ipc else "aeron:udp?endpoint=localhost:0",
        message_timeout_ns=120_000_000_000,
        recording_signal_handler=signals.append,
    ) as client:
        yield client


def until(condition, poll=lambda: 0):
    deadline = time.monotonic() + TIMEOUT_S
    idle = IdleStrategy("backoff")
    while not (value := condition()):
        assert time.monotonic() < deadline, "timeout"
        idle.idle(poll())
    return value


def message(number):
    return struct.pack("<q", number) * (1 + number % 40)


def record(archive, signals, count=COUNT):
    """Record a publication until everything is written; return the recording's id and end."""
    publication = archive.add_recorded_exclusive_publication(CHANNEL, STREAM_ID)
    for number in range(count):
        until(lambda number=number: publication.offer(message(number)))
    end = publication.position
    started = until(lambda: [s for s in signals if s.signal is RecordingSignal.START], archive.poll)
    recording_id = started[-1].recording_id
    until(lambda: archive.get_recording_position(recording_id) == end)
    publication.close()
    until(
        lambda: [s for s in signals if s.signal is RecordingSignal.STOP],
        archive.poll,
    )
    return recording_id, end


def test_recorded_data_is_listed_and_replayed_completely(archive, signals):
    recording_id, end = record(archive, signals)
    assert archive.get_start_position(recording_id) == 0
    assert archive.get_stop_position(recording_id) == end
    assert archive.get_max_recorded_position(recording_id) == end
    (listed,) = archive.list_recordings()
    assert (listed.recording_id, listed.stream_id, listed.stop_position) == (
        *(recording_id, STREAM_ID),
        end,
    )
    for again in (
        archive.list_recording(recording_id),
        archive.list_recordings_for_uri("aeron:ipc", STREAM_ID)[0],
    ):
        assert again.as_dict() | {"correlation_id": listed.correlation_id} == listed.as_dict()
    assert archive.list_recording(recording_id + 1) is None
    assert archive.list_recordings_for_uri("aeron:ipc", STREAM_ID + 1) == []
    assert (
        archive.find_last_matching_recording(0, "aeron:ipc", STREAM_ID, listed.session_id)
        == recording_id
    )
    assert archive.find_last_matching_recording(0, "aeron:udp", STREAM_ID, 1) == -1
    received = []
    with archive.replay(recording_id, "aeron:ipc", 2002, length=REPLAY_ALL_AND_STOP) as replay:
        until(
            lambda: len(received) == COUNT,
            lambda: replay.poll(lambda payload, _: received.append(bytes(payload)), 100),
        )
    assert received == [message(number) for number in range(COUNT)]


def test_recording_is_truncated_at_a_frame_and_extended(archive, aeron, signals):
    recording_id, _ = record(archive, signals)
    with pytest.raises(ArchiveError) as caught:
        archive.truncate_recording(recording_id, 7)
    assert caught.value.code == ArchiveErrorCode.INVALID_POSITION
    archive.truncate_recording(recording_id, 0)
    until(lambda: any(s.signal is RecordingSignal.DELETE for s in signals), archive.poll)
    assert archive.get_stop_position(recording_id) == 0
    descriptor = archive.list_recording(recording_id)
    subscription_id = archive.extend_recording(recording_id, CHANNEL, STREAM_ID, auto_stop=True)
    channel = f"{CHANNEL}|init-term-id={descriptor.initial_term_id}|"
    with aeron.add_exclusive_publication(
        f"{channel}term-id={descriptor.initial_term_id}|term-offset=0", STREAM_ID
    ) as publication:
        until(lambda: publication.offer(b"again"))
        end = publication.position
        until(lambda: archive.get_recording_position(recording_id) == end)
    until(lambda: archive.get_stop_position(recording_id) == end)
    assert not archive.try_stop_recording(subscription_id)
    until(lambda: any(s.signal is RecordingSignal.EXTEND for s in signals), archive.poll)


def test_rejections_carry_the_archives_code_and_text(archive):
    with pytest.raises(ArchiveError, match="unknown recording id: 77") as caught:
        archive.get_start_position(77)
    assert caught.value.code == ArchiveErrorCode.UNKNOWN_RECORDING
    with pytest.raises(ArchiveError) as caught:
        archive.stop_recording_channel("aeron:ipc", 5)
    assert caught.value.code == ArchiveErrorCode.UNKNOWN_SUBSCRIPTION
    subscription_id = archive.start_recording("aeron:ipc", 77)
    assert [s.subscription_id for s in archive.list_recording_subscriptions(stream_id=77)] == [
        subscription_id
    ]
    with pytest.raises(ArchiveError) as caught:
        archive.start_recording("aeron:ipc", 77)
    assert caught.value.code == ArchiveErrorCode.ACTIVE_SUBSCRIPTION
    assert archive.try_stop_recording(subscription_id)


def test_an_agent_sends_a_request_without_waiting(archive):
    correlation_id = until(lambda: archive.request(codecs.StartPositionRequest, recording_id=5))
    answer = until(lambda: archive.take_answer(correlation_id), archive.poll)
    assert answer.response.relevant_id == ArchiveErrorCode.UNKNOWN_RECORDING
    assert answer.response.code is codecs.ControlResponseCode.ERROR


def test_a_closed_session_rejects_requests(archive):
    archive.close()
    archive.close()
    with pytest.raises(ClosedError, match="was closed"):
        archive.get_start_position(0)


def test_a_missing_archive_is_reported_with_the_step(aeron):
    with pytest.raises(TimeoutExpiredError, match="AWAIT_CONNECTED"):
        AeronArchive.connect(
            aeron=aeron,
            control_channel="aeron:udp?endpoint=localhost:1",
            control_response_channel="aeron:udp?endpoint=localhost:0",
            message_timeout_ns=10_000_000_000,  # the driver's answers use part of the timeout
        )
