"""Tasks of every size give the rows of one plain pass, for recordings of any content."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.pipeline.test_partitions import STEPS, write
from tests.unit.pipeline.recording_builder import TERM

pytest.importorskip("pyspark")

from aeron_cluster.pipeline.spark import load

COLUMNS = ["recording_id", "position", "end_position", "flags", "payload"]

# A query takes at least half a second, so one query reads many recordings.
recordings = st.lists(
    st.tuples(
        st.integers(0, 5 * TERM // 32).map(lambda count: count * 32),
        st.sampled_from([TERM, 2 * TERM]),
        st.sampled_from([1, 2, 4]),
        STEPS,
        st.booleans(),
    ),
    min_size=6,
    max_size=12,
)


@settings(max_examples=8)
@given(
    recordings=recordings,
    length=st.integers(20_000, 4 * TERM),
    is_assembled=st.booleans(),
    is_purged=st.booleans(),
    part=st.tuples(st.integers(0, 4 * TERM), st.integers(0, 8 * TERM)),
)
def test_every_size_of_tasks_gives_the_rows_of_one_plain_pass(
    spark, recordings, length, is_assembled, is_purged, part
):
    with tempfile.TemporaryDirectory() as directory:
        begin, end = min(part), max(part)
        wanted = []
        for start, term_length, terms_per_segment, steps, is_stopped in recordings:
            written = write(start, term_length, terms_per_segment, steps)
            recording_id = written.put(Path(directory), is_stopped=is_stopped)
            plain = written.messages if is_assembled else written.whole_frames
            wanted += [(recording_id, *row) for row in plain(begin, end)]
        if is_purged:  # segments before the requested rows may be missing
            for path in Path(directory).glob("*.rec"):
                if int(path.stem.split("-")[1]) + 6 * TERM <= begin:
                    path.unlink()
        frame = load(
            spark,
            directory,
            recording="all",
            columns=COLUMNS,
            assembled=is_assembled,
            from_position=begin,
            to_position=end,
            range_length=length,
        )
        assert sorted(map(tuple, frame.collect())) == sorted(wanted)
