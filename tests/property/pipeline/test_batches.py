"""For any growth of a recording and any batch size, batches give the rows of one pass."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline.read import Rows
from aeron_cluster.pipeline.scan.message_boundaries import last_boundary
from aeron_cluster.pipeline.sources.archive_pieces import read_pieces
from aeron_cluster.pipeline.sources.plans import plan_recordings
from tests.property.pipeline.test_partitions import COLUMNS, STEPS, rows, write
from tests.unit.pipeline.recording_builder import TERM, aligned

pytest.importorskip("pyarrow")

FILES = SystemFiles()


@settings(max_examples=60)
@given(
    start=st.sampled_from([0, 96, 3 * TERM + 64]),
    terms_per_segment=st.integers(1, 2),
    steps=STEPS,
    seen=st.lists(st.floats(0, 1), max_size=6).map(sorted),
    max_length=st.one_of(st.integers(1, 10_000), st.integers(10_000, 3 * TERM)),
)
def test_batches_make_the_rows_of_one_pass(start, terms_per_segment, steps, seen, max_length):
    with tempfile.TemporaryDirectory() as directory:
        written = write(start, TERM, terms_per_segment, steps)
        recording_id = written.put(Path(directory), is_stopped=False)
        ends = [each.position + aligned(each.length) for each in written.frames]
        known = [ends[int(each * (len(ends) - 1))] for each in seen] if ends else []
        found = []
        begin = start
        for end in [*known, written.position]:
            while True:
                known_ends = {recording_id: end}
                (piece,) = read_pieces(FILES, directory, [recording_id], known_ends=known_ends)
                border = last_boundary(FILES, piece, begin, min(begin + max_length, end))
                assert begin <= border <= end
                if border == begin:
                    break
                plan = plan_recordings(
                    FILES,
                    directory,
                    [recording_id],
                    columns=COLUMNS,
                    from_position=begin,
                    to_position=border,
                    known_ends={recording_id: border},
                )
                found += rows(Rows(FILES, plan).table())
                begin = border
        assert found == written.messages()
