"""An archive's replay equals its files, for every reader."""

from types import SimpleNamespace

import pytest

from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.errors import ConfigurationError, OperationError
from aeron_cluster.pipeline import read_recording
from aeron_cluster.pipeline.scan.arrow import arrow_batches
from aeron_cluster.pipeline.scan.message_boundaries import last_boundary
from aeron_cluster.pipeline.scan.pieces import Piece
from aeron_cluster.pipeline.scan.replayed_segments import (
    ArchiveSession,
    RemoteArchive,
    ReplayedSegments,
    remote_piece,
)
from aeron_cluster.pipeline.sources.plans import cut_plan, plan_pieces
from tests.waiting import await_true

pa = pytest.importorskip("pyarrow")

TERM = 64 * 1024
COUNT = 400


@pytest.fixture
def remote(tmp_path, shm_dir, free_port):
    """Run an archive that records; its content is the offered messages."""
    channel = f"aeron:udp?endpoint=localhost:{free_port()}"
    options = {
        "archive_dir": str(tmp_path / "archive"),
        "segment_file_length": 2 * TERM,
        "control_channel": channel,
        "replication_channel": "aeron:udp?endpoint=localhost:0",
        "threading_mode": "SHARED",
    }
    driver_options = {"aeron_dir": str(shm_dir / "driver"), "threading_mode": "SHARED"}
    with ArchivingMediaDriver.launch(driver=driver_options, archive=options) as both:
        found = RemoteArchive(channel, both.driver.aeron_dir)
        with (
            found.connect() as archive,
            archive.add_recorded_publication("aeron:ipc?term-length=64k", 77) as publication,
        ):
            for index in range(COUNT):
                message = bytes([index % 256]) * (index * 11 % 3000)
                await_true(lambda: publication.offer(message) > 0, "a free place")  # noqa: B023
            position = publication.position
            await_true(lambda: archive.get_max_recorded_position(0) == position, "all recorded")
            yield found


def rows(plan, files):
    left_out = []
    batches = [
        batch
        for part in plan.ranges
        for batch in arrow_batches(files, plan.with_ranges((part,)), part, left_out)
    ]
    assert left_out == []
    return pa.Table.from_batches(batches)


def test_rows_are_those_of_the_files(remote, tmp_path):
    files = read_recording(tmp_path / "archive", 0)
    names = [name for name in files.schema.names if name != "session_id"]
    with remote.connect() as archive:
        piece = remote_piece(archive, 0)
        segments = ReplayedSegments(archive, remote.replay_channel, piece)
        plan = cut_plan(segments, plan_pieces(segments, [piece]), TERM)
        assert len(plan.ranges) > 5
        found = rows(plan, segments)
        # For readers of files only, the last frame may be torn.
        whole = files.table()
        assert found.num_rows == COUNT
        assert found.select(names).slice(0, whole.num_rows) == whole.select(names)
        assert found["session_id"].unique().to_pylist() == whole["session_id"].unique().to_pylist()
        segments.close()
        segments.close()


def test_part_is_read_without_its_predecessors(remote, tmp_path):
    positions = read_recording(tmp_path / "archive", 0, columns=["position"]).table()["position"]
    first = next(index for index, each in enumerate(positions) if each.as_py() >= 2 * TERM)
    begin, end = positions[first].as_py(), positions[350].as_py()
    for path in (tmp_path / "archive").glob("0-0.rec"):
        path.unlink()
    with remote.connect() as archive:
        piece = remote_piece(archive, 0, (begin, end))
        segments = ReplayedSegments(archive, remote.replay_channel, piece)
        found = rows(plan_pieces(segments, [piece], columns=["position"]), segments)
        assert found["position"].to_pylist() == positions.to_pylist()[first:350]
        assert last_boundary(segments, piece, begin, end - 32) == positions[349].as_py()
        segments.close()


def test_recordings_missing_in_the_archive_are_rejected(remote):
    with remote.connect() as archive:
        with pytest.raises(ConfigurationError, match="recording_id: expected one of the archive"):
            remote_piece(archive, 7)
        piece = remote_piece(archive, 0, (0, 1 << 30))
        segments = ReplayedSegments(archive, remote.replay_channel, piece)
        with pytest.raises(OperationError):
            segments.open("0-536870912.rec").read_into(memoryview(bytearray(64)), 0)
        segments.close()


def test_ended_session_is_opened_again(remote):
    session = ArchiveSession(remote)
    first = session.archive()
    assert session.archive() is first
    first.close()
    second = session.archive()
    assert second is not first
    assert second.get_start_position(0) == 0
    session.close()
    session.close()


def test_an_ended_archive_is_no_damage_of_a_file(remote):
    with remote.connect() as archive:
        end = archive.get_max_recorded_position(0)
        piece = remote_piece(archive, 0, (end - 32, end + 32))
        segments = ReplayedSegments(archive, remote.replay_channel, piece)
        archive.context.message_timeout_ns = 50_000_000
        with pytest.raises(OperationError):
            segments.read_into(memoryview(bytearray(64)), end - 32)
        segments.close()


class SilentArchive:
    """An archive that accepts a replay, and sends nothing of it.

    Attributes
    ----------
    unresolved
        The number of questions until the port of the subscription is known.
    """

    def __init__(self, unresolved=0):
        self.unresolved = unresolved
        self.now_ns = 0
        self.polls = 0
        self.replays = []
        self.closed = 0
        self.context = SimpleNamespace(message_timeout_ns=1_000_000_000)
        self.aeron = SimpleNamespace(
            context=SimpleNamespace(now_ns=lambda: self.now_ns),
            add_subscription=self.subscription,
        )

    def subscription(self, _channel, _stream_id):
        return SimpleNamespace(
            try_resolve_channel_endpoint_port=self.resolve,
            image_by_session_id=lambda _: None,
            close=self.close,
        )

    def resolve(self):
        self.unresolved -= 1
        return None if self.unresolved >= 0 else "aeron:udp?endpoint=localhost:7"

    def start_replay(self, recording_id, channel, _stream_id, **bounds):
        self.replays.append((recording_id, channel, bounds))
        return 9

    def poll(self):
        self.polls += 1
        self.now_ns += 400_000_000

    def close(self):
        self.closed += 1


@pytest.mark.parametrize("unresolved", [0, 2])
def test_replay_that_sends_nothing_is_an_error_after_the_timeout(unresolved):
    archive = SilentArchive(unresolved)
    piece = Piece("archive", 3, 0, 4096, 0, TERM, TERM, 1, 100)
    segments = ReplayedSegments(archive, "aeron:udp?endpoint=localhost:0", piece)
    text = "recording 3: expected a replay to continue at position 64, found nothing for 1 s"
    with pytest.raises(OperationError, match=text):
        segments.open("3-0.rec").read_into(memoryview(bytearray(64)), 64)
    channel = "aeron:udp?endpoint=localhost:7"
    assert archive.replays == [(3, channel, {"position": 64, "length": 4032})]
    # It is polled while the port is unknown, and for the whole timeout afterwards.
    assert archive.polls == unresolved + 3
    segments.close()
    assert archive.closed == 1


def test_replay_without_a_port_is_an_error_after_the_timeout():
    archive = SilentArchive(unresolved=1000)
    piece = Piece("archive", 3, 0, 4096, 0, TERM, TERM, 1, 100)
    segments = ReplayedSegments(archive, "aeron:udp?endpoint=localhost:0", piece)
    with pytest.raises(OperationError, match="found nothing for 1 s"):
        segments.read_into(memoryview(bytearray(64)), 0)
    assert (archive.replays, archive.closed) == ([], 1)
