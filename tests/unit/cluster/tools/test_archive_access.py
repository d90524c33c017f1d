"""Recordings of a running member's archive, as tools read them."""

import contextlib
from types import SimpleNamespace

import pytest

from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.archive.client.archive_client import AeronArchive
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.tools import archive_access
from aeron_cluster.cluster.tools.archive_access import RunningArchive
from aeron_cluster.errors import (
    ArchiveError,
    ConfigurationError,
    OperationError,
    TimeoutExpiredError,
)
from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.waiting import await_true

IPC = {"control_channel": "aeron:ipc", "control_response_channel": "aeron:ipc"}


@pytest.fixture
def aeron_dir(shm_dir, tmp_path):
    with ArchivingMediaDriver.launch(
        driver={"aeron_dir": str(shm_dir / "driver"), "threading_mode": "SHARED"},
        archive={
            "archive_dir": str(tmp_path / "archive"),
            "threading_mode": "SHARED",
            "control_channel_enabled": False,
            "replication_channel": "aeron:udp?endpoint=localhost:0",
            "segment_file_length": 128 << 10,
            "low_storage_space_threshold": 0,
        },
    ) as both:
        yield both.driver.aeron_dir


def record(aeron, messages):
    with contextlib.closing(AeronArchive.connect(aeron=aeron, **IPC)) as archive:
        publication = archive.add_recorded_exclusive_publication("aeron:ipc?term-length=64k", 1001)
        for message in messages:
            assert publication.offer(message)
        end = publication.position
        publication.close()
        await_true(
            lambda: archive.list_recording(0).stop_position == end, "the end of the recording"
        )


def test_a_recording_is_replayed_over_the_tools_channel(aeron_dir, monkeypatch):
    monkeypatch.setenv("AERON_CLUSTER_TOOL_REPLAY_CHANNEL", "aeron:ipc?alias=of-the-tool")
    monkeypatch.setenv("AERON_CLUSTER_TOOL_REPLAY_STREAM_ID", "7777")
    with Aeron.connect(aeron_dir=aeron_dir) as aeron:
        record(aeron, [b"one", b"two"])
        with RunningArchive(Seams(), aeron_dir, 10) as archive:
            messages = archive.messages(0)
            assert next(messages)[0] == b"one"
            labels = [each.label for each in aeron.counters_reader.counters()]
            assert any(" 7777 " in label and "alias=of-the-tool" in label for label in labels)
            assert [message for message, _ in messages] == [b"two"]


def test_an_unknown_recording_is_not_replayed(aeron_dir):
    with RunningArchive(Seams(), aeron_dir, 10) as archive:
        assert archive.find(5) is None
        with pytest.raises(OperationError, match="recording 5: the archive does not know it"):
            next(archive.messages(5))


def test_a_client_of_an_archive_that_rejects_it_is_closed(aeron_dir, monkeypatch):
    connected, error = [], ArchiveError("of the test")

    def connect(*, aeron, **_):
        connected.append(aeron)
        raise error

    monkeypatch.setattr(archive_access.AeronArchive, "connect", connect)
    with pytest.raises(ArchiveError) as raised:
        RunningArchive(Seams(), aeron_dir, 10)
    assert raised.value is error
    assert connected[0].is_closed


@pytest.mark.parametrize("has_image", [True, False])
def test_a_replay_that_makes_no_progress_is_abandoned(has_image):
    clock = VirtualClock()

    def wait(*_):
        clock.advance(1_000_000_000)
        return 0

    image = SimpleNamespace(poll=wait, is_closed=False, is_end_of_stream=False)
    archive = object.__new__(RunningArchive)
    archive._seams = Seams(clock=clock)
    subscription = SimpleNamespace(
        image_by_session_id=lambda _: image if has_image else wait() or None
    )
    with pytest.raises(TimeoutExpiredError, match="recording 5: expected its replay to continue"):
        list(archive._poll(subscription, 7, 5))
    assert clock.nano_time() > 10_000_000_000


def test_an_invalid_replay_channel_is_rejected_by_name(monkeypatch):
    monkeypatch.setenv("AERON_CLUSTER_TOOL_REPLAY_CHANNEL", "aeron:nowhere")
    with pytest.raises(ConfigurationError):
        RunningArchive(Seams(), "/nowhere", 10)
