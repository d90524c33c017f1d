"""The recordings a stream may follow, and where its batches may end."""

import json
import struct
from types import SimpleNamespace

import pytest

pytest.importorskip("pyarrow")

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.pipeline.spark import followed
from aeron_cluster.pipeline.spark.followed import Followed, follow
from aeron_cluster.pipeline.spark.options import parse_options
from tests.unit.pipeline.logs import log_of_every_kind
from tests.unit.pipeline.recording_builder import RecordingBuilder


@pytest.fixture
def log():
    return log_of_every_kind()


@pytest.fixture
def node(log, tmp_path):
    return log.write_node(tmp_path / "node", snapshots=[320])


def follow_all(path, **options):
    return follow(Seams(), parse_options({"path": str(path), **options}))


def test_a_stream_follows_one_member():
    options = parse_options({"paths": json.dumps(["node0", "node1", "node2"])})
    with pytest.raises(ConfigurationError, match=r"path: expected one member's .* found 3"):
        follow(Seams(), options)


@pytest.mark.parametrize("recording", ["log", "log:0"])
def test_log_is_followed_up_to_its_commit_position(log, node, recording):
    (one,) = follow_all(node, recording=recording)
    base = log.bases[1][1]
    assert (one.recording_id, one.begin(), one.end()) == (0, 0, base)
    # What is recorded after it may become committed: no error.
    assert one.next_boundary(log.position, base, log.position) == log.position
    one.close()
    one.close()


def test_log_whose_entries_are_assumed_committed_is_followed_up_to_its_end(log, node):
    for path in (node, node / "archive"):
        (one,) = follow_all(path, assume_committed="true", recording="log:0")
        assert one.end() == log.position
        one.close()


def test_commit_position_of_an_archive_alone_is_unknown(log, tmp_path):
    log.put(tmp_path / "alone")
    text = "cluster_dirs: expected the cluster directory, .*give assume_committed=true"
    with pytest.raises(ConfigurationError, match=text):
        follow_all(tmp_path / "alone", recording="log:0")


def test_each_recording_is_followed(tmp_path):
    ends = {}
    for count in (1, 2, 3):
        written = RecordingBuilder()
        for _ in range(count):
            written.message(bytes(100))
        ends[written.put(tmp_path)] = written.position
    assert {one.recording_id: one.end() for one in follow_all(tmp_path, recording="all")} == ends
    assert [one.recording_id for one in follow_all(tmp_path, recording="0,2")] == [0, 2]


def test_selected_part_may_begin_later(tmp_path):
    written = RecordingBuilder(start=64)
    for _ in range(5):
        written.message(bytes(100))
    written.put(tmp_path)
    for wanted, found in ((0, 64), (64, 64), (65, 224), (224, 224)):
        (one,) = follow_all(tmp_path, recording="0", from_position=str(wanted))
        assert one.begin() == found


def test_checkpoint_beyond_the_end_is_rejected(tmp_path):
    written = RecordingBuilder().message(bytes(100))
    written.put(tmp_path)
    (one,) = follow_all(tmp_path, recording="0")
    text = "checkpoint: expected up to 160, where recording 0 ends, found 320 .is the checkpoint of"
    with pytest.raises(ConfigurationError, match=text):
        one.next_boundary(320, one.end(), 1000)
    assert one.next_boundary(160, one.end(), 160) == 160


@pytest.mark.parametrize(
    ("is_archive_live", "is_module_live", "is_rejected"),
    [(True, None, False), (False, True, False), (False, False, True), (False, None, True)],
)
def test_running_node_may_recover_what_the_checkpoint_has(
    tmp_path, monkeypatch, is_archive_live, is_module_live, is_rejected
):
    class End(SimpleNamespace):
        def position(self, *_):
            return 160

        def close(self):
            closed.append(self)

    closed = []
    recorded = End(is_live=is_archive_live)
    monkeypatch.setattr(followed, "RecordedEnd", lambda *_: recorded)
    committed = None if is_module_live is None else End(is_live=is_module_live)
    options = parse_options({"path": str(tmp_path)})
    one = Followed(Seams(), options, str(tmp_path), 0, committed)
    assert one.end() == 160
    if is_rejected:
        with pytest.raises(ConfigurationError, match="checkpoint: expected up to 160"):
            one.next_boundary(320, 160, 1000)
    else:
        assert one.next_boundary(320, 160, 1000) == 320
    one.close()
    assert closed == [each for each in (recorded, committed) if each is not None]


def test_batch_ends_with_the_last_whole_message(tmp_path):
    written = RecordingBuilder()
    for _ in range(5):
        written.message(bytes(100))
    written.put(tmp_path)
    (one,) = follow_all(tmp_path, recording="0")
    end = one.end()
    assert [one.next_boundary(0, end, target) for target in (160, 319, 320, end)] == [
        160,
        160,
        320,
        800,
    ]
    # The same question is answered without a read, until one of its numbers changes.
    written.damage(tmp_path, 160, struct.pack("<i", 17))
    assert one.next_boundary(0, end, end) == 800
