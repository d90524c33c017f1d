"""A batch ends where a message ends, but not before the next message end."""

import struct

import pytest

from aeron_cluster.errors import SegmentError
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline.read import Rows
from aeron_cluster.pipeline.scan.message_boundaries import last_boundary
from aeron_cluster.pipeline.sources.archive_pieces import read_pieces
from aeron_cluster.pipeline.sources.plans import plan_recordings
from tests.unit.pipeline.recording_builder import BEGIN, TERM, RecordingBuilder

FILES = SystemFiles()


pytest.importorskip("pyarrow")


def border(path, begin, target, *, end=None, mode="strict"):
    ends = None if end is None else {0: end}
    (piece,) = read_pieces(FILES, str(path), [0], known_ends=ends)
    return last_boundary(FILES, piece, begin, target, mode)


def test_a_batch_ends_at_the_last_message_end_up_to_the_target(tmp_path):
    written = RecordingBuilder()
    for length in (10, 5000, 20):
        written.message(bytes(length))
    written.put(tmp_path)
    ends = [row[1] for row in written.messages()]
    assert border(tmp_path, 0, ends[1]) == ends[1]
    assert border(tmp_path, 0, ends[1] + 5) == ends[1]
    assert border(tmp_path, 0, ends[1] - 32) == ends[0]
    assert border(tmp_path, 0, 10**9) == ends[2]
    # A request for less than one message returns one.
    assert border(tmp_path, ends[0], ends[0] + 1) == ends[1]
    assert border(tmp_path, ends[0], ends[0]) == ends[0]


def test_an_incomplete_message_is_excluded(tmp_path):
    written = RecordingBuilder()
    written.message(b"first")
    written.message(bytes(5000))
    written.put(tmp_path, is_stopped=False)
    first = written.messages()[0][1]
    last = written.frames[-1].position
    assert border(tmp_path, 0, 10**9, end=last) == first
    assert border(tmp_path, first, 10**9, end=last) == first


def test_terms_before_the_targets_are_not_read(tmp_path):
    written = RecordingBuilder(terms_per_segment=1)
    while written.position < 3 * TERM - 3000:
        written.message(bytes(1000))
    written.put(tmp_path)
    written.segment(tmp_path, 0).unlink()
    assert border(tmp_path, 0, 10**9) == written.position
    assert border(tmp_path, 0, 2 * TERM) == 2 * TERM


def test_damage_ends_the_walk_or_is_passed_by(tmp_path):
    written = RecordingBuilder()
    for _ in range(9):
        written.message(bytes(100))
    written.put(tmp_path)
    written.damage(tmp_path, written.frames[4].position, struct.pack("<i", 17))
    with pytest.raises(SegmentError):
        border(tmp_path, 0, written.position)
    assert border(tmp_path, 0, written.position, mode="permissive") == written.position


def test_damage_after_the_target_cuts_no_message(tmp_path):
    written = RecordingBuilder()
    for _ in range(9):
        written.message(bytes(5000))  # four fragments each, in one term
    written.put(tmp_path)
    damaged = written.frames[-1].position
    written.damage(tmp_path, damaged, struct.pack("<i", 17))
    ends = [row[1] for row in written.messages()]
    assert border(tmp_path, 0, ends[2] + 100) == ends[2]
    assert border(tmp_path, 0, ends[2] + 100, mode="permissive") == ends[2]
    # After the last message end, it is the beginning of the damage.
    assert border(tmp_path, ends[7], ends[7] + 100, mode="permissive") == damaged
    # The target is a frame inside a message.
    middle = border(tmp_path, 0, ends[2] + 1408, mode="permissive")
    found = []
    for begin, end in ((0, middle), (middle, written.position)):
        plan = plan_recordings(
            FILES,
            str(tmp_path),
            [0],
            columns=["position"],
            mode="permissive",
            from_position=begin,
            to_position=end,
            known_ends={0: end},
        )
        found += Rows(FILES, plan).table()["position"].to_pylist()
    assert found == [row[0] for row in written.messages()[:8]]


def test_fragments_without_an_end_are_no_message(tmp_path):
    written = RecordingBuilder()
    written.message(b"first")
    end = written.position
    written.frame(b"half", BEGIN)
    written.put(tmp_path)
    assert border(tmp_path, 0, 10**9) == end
