"""A stream whose recording is purged before or while it is read."""

import json
from dataclasses import replace

import pytest

from aeron_cluster.errors import PurgedError, SegmentError
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline.read import Rows
from aeron_cluster.pipeline.scan.pieces import Range
from aeron_cluster.pipeline.sources.archive_pieces import read_pieces
from aeron_cluster.pipeline.sources.plans import plan_recordings
from aeron_cluster.pipeline.spark.on_purge import OnPurge
from tests.unit.pipeline.recording_builder import TERM, RecordingBuilder

FILES = SystemFiles()
END = 4 * TERM


@pytest.fixture
def archive(tmp_path):
    written = RecordingBuilder(terms_per_segment=1)
    while written.position < END:
        written.message(bytes(1000))
    written.put(tmp_path / "archive")
    return written, tmp_path / "archive"


def plan_of(archive, begin=0, end=END):
    return plan_recordings(
        FILES, str(archive[1]), [0], columns=["position"], from_position=begin, to_position=end
    )


def piece_of(archive):
    (piece,) = read_pieces(FILES, str(archive[1]), [0])
    return piece


def purge(archive, count):
    written, path = archive
    written.start = count * TERM
    written.frames = [frame for frame in written.frames if frame.position >= written.start]
    for file in path.iterdir():
        file.unlink()
    written.put(path)


def missing(archive, position):
    """Return a task's error about a missing segment."""
    path = str(archive[0].segment(archive[1], position))
    resume = (position // TERM + 1) * TERM
    return SegmentError(0, path, 0, "segment file", "an existing one", "none", resume)


def test_an_existing_file_is_read(archive, tmp_path):
    skip = OnPurge(is_skipped=True, report_dir=str(tmp_path / "report"))
    assert skip.bounds(piece_of(archive), (64, END)) == (64, END)
    assert skip.bounds(piece_of(archive), (-1, END)) == (0, END)
    assert not (tmp_path / "report").exists()


def test_purged_data_is_an_error_or_skipped(archive, tmp_path):
    purge(archive, 2)
    piece = piece_of(archive)
    with pytest.raises(PurgedError) as caught:
        OnPurge(is_skipped=False, report_dir=None).bounds(piece, (64, END))
    assert (caught.value.position, caught.value.start_position) == (64, 2 * TERM)
    skip = OnPurge(is_skipped=True, report_dir=str(tmp_path / "report"))
    assert skip.bounds(piece, (64, END)) == (2 * TERM, END)
    assert skip.bounds(piece, (-1, END)) == (2 * TERM, END)
    (report,) = (tmp_path / "report").iterdir()
    reported = json.loads(report.read_text())
    assert (reported["recording_id"], reported["from_position"], reported["to_position"]) == (
        0,
        64,
        2 * TERM,
    )
    # The whole range.
    assert skip.bounds(piece, (64, TERM)) == (TERM, TERM)


def test_a_part_purged_while_it_is_read_is_an_error_or_skipped(archive):
    plan = plan_of(archive)
    purge(archive, 2)
    with pytest.raises(PurgedError):
        OnPurge(is_skipped=False, report_dir=None).rest(FILES, plan, missing(archive, TERM))
    skip = OnPurge(is_skipped=True, report_dir=None)
    (part,) = skip.rest(FILES, plan, missing(archive, TERM)).ranges
    assert (part.from_position, part.to_position) == (2 * TERM, END)
    short = plan.with_ranges((Range(plan.ranges[0].piece, 0, TERM),))
    assert skip.rest(FILES, short, missing(archive, 0)).ranges == ()


def test_rows_returned_before_are_not_reported_as_skipped(archive, tmp_path):
    pytest.importorskip("pyarrow")
    written, path = archive
    plan = plan_of(archive)
    found = [row[0] for row in written.messages()]
    rows = Rows(FILES, replace(plan, max_rows=50)).batches()
    given = next(rows)["position"].to_pylist()
    for file in (written.segment(path, each * TERM) for each in (0, 1, 2)):
        file.unlink()
    with pytest.raises(SegmentError) as caught:
        given.extend(place for batch in rows for place in batch["position"].to_pylist())
    # An open segment is read and returned completely.
    assert given == [place for place in found if place < TERM]
    purge(archive, 3)
    skip = OnPurge(is_skipped=True, report_dir=str(tmp_path / "report"))
    (part,) = skip.rest(FILES, plan, caught.value).ranges
    assert (part.from_position, part.to_position) == (3 * TERM, END)
    (report,) = (tmp_path / "report").iterdir()
    reported = json.loads(report.read_text())
    assert (reported["from_position"], reported["to_position"]) == (TERM, 3 * TERM)


def test_missing_segment_outside_of_a_purge_is_damage(archive):
    plan = plan_of(archive)
    archive[0].segment(archive[1], TERM).unlink()
    skip = OnPurge(is_skipped=True, report_dir=None)
    assert skip.rest(FILES, plan, missing(archive, TERM)) is None
    other = SegmentError(0, "0-0.rec", 0, "frame length", "32", "17", TERM)
    assert skip.rest(FILES, plan, other) is None
