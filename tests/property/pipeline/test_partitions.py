"""For any content of a recording, every partition gives the rows of one plain pass."""

import pickle
import struct
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline.read import Rows
from aeron_cluster.pipeline.scan.arrow import arrow_batches
from aeron_cluster.pipeline.sources.plans import cut_plan, plan_recordings
from tests.unit.pipeline.recording_builder import BEGIN, END, TERM, WHOLE, RecordingBuilder, aligned

pa = pytest.importorskip("pyarrow")

COLUMNS = ["position", "end_position", "flags", "payload"]

messages = st.tuples(st.just("message"), st.integers(0, 7000))
aborted = st.tuples(st.just("aborted"), st.integers(32, 3000))
fragments = st.tuples(st.sampled_from([0, BEGIN, END, WHOLE]), st.integers(0, 1376))
ends = st.tuples(st.just("end of term"), st.just(0))
STEPS = st.lists(
    st.tuples(st.one_of(messages, messages, aborted, fragments, ends), st.integers(1, 12)),
    max_size=12,
)


def write(start, term_length, terms_per_segment, steps):
    written = RecordingBuilder(start, term_length=term_length, terms_per_segment=terms_per_segment)
    for (what, length), count in steps:
        for index in range(count):
            payload = bytes([index + 1]) * length
            match what:
                case "message":
                    written.message(payload)
                case "aborted":
                    written.aborted(min(length, written.room))
                case "end of term":
                    written.aborted(written.room)
                case flags:
                    written.frame(payload[: written.room - 32], flags)
    return written


def cut_rows(plan, length):
    """Read each part separately, as tasks in other processes do."""
    files = SystemFiles()
    pieces = cut_plan(files, plan, length)
    left_out = []
    batches = [
        batch
        for part in pickle.loads(pickle.dumps(pieces)).ranges
        for batch in arrow_batches(files, pieces, part, left_out)
    ]
    return pa.Table.from_batches(batches, Rows(files, plan).schema), left_out, pieces


def rows(table):
    return list(zip(*(table[name].to_pylist() for name in COLUMNS), strict=True))


@settings(max_examples=60)
@given(
    start=st.integers(0, 5 * TERM // 32).map(lambda count: count * 32),
    term_length=st.sampled_from([TERM, 2 * TERM]),
    terms_per_segment=st.integers(1, 3),
    steps=STEPS,
    length=st.one_of(st.integers(64, 5000), st.integers(5000, 4 * TERM)),
    is_assembled=st.booleans(),
    is_stopped=st.booleans(),
    part=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_every_cut_gives_the_rows_of_one_plain_pass(
    start, term_length, terms_per_segment, steps, length, is_assembled, is_stopped, part
):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory)
        written = write(start, term_length, terms_per_segment, steps)
        written.put(path, is_stopped=is_stopped)
        span = written.position - start
        begin, end = sorted(start + int(each * span) for each in part)
        plan = plan_recordings(
            SystemFiles(),
            directory,
            columns=COLUMNS,
            is_assembled=is_assembled,
            from_position=begin,
            to_position=end,
        )
        plain = written.messages if is_assembled else written.whole_frames
        assert rows(Rows(SystemFiles(), plan).table()) == plain(begin, end)
        table, left_out, pieces = cut_rows(plan, length)
        assert rows(table) == plain(begin, end)
        assert left_out == []
        for one, other in zip(pieces.ranges, pieces.ranges[1:], strict=False):
            assert one.to_position == other.from_position


@settings(max_examples=60)
@given(
    start=st.sampled_from([0, 96, TERM]),
    terms_per_segment=st.integers(1, 2),
    steps=STEPS,
    length=st.one_of(st.integers(64, 5000), st.integers(5000, 4 * TERM)),
    damages=st.lists(
        st.tuples(st.floats(0, 1), st.sampled_from(["zeros", "length", "cut", "gone"])),
        min_size=1,
        max_size=3,
    ),
)
def test_every_split_of_damage_retains_the_same_rest(
    start, terms_per_segment, steps, length, damages
):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory)
        written = write(start, TERM, terms_per_segment, steps)
        written.message(b"last")
        written.put(path)
        for where, what in damages:
            frame = written.frames[min(int(where * len(written.frames)), len(written.frames) - 1)]
            segment = written.segment(path, frame.position)
            if not segment.exists() or segment.stat().st_size < written.segment_length:
                continue
            match what:
                case "zeros":
                    written.damage(path, frame.position, bytes(32))
                case "length":
                    written.damage(path, frame.position, struct.pack("<i", 17))
                case "cut":
                    with segment.open("r+b") as file:
                        file.truncate(frame.position - written.base(frame.position))
                case "gone":
                    segment.unlink()
        plan = plan_recordings(SystemFiles(), directory, columns=COLUMNS, mode="permissive")
        reading = Rows(SystemFiles(), plan)
        found = rows(reading.table())
        gaps = [(each.from_position, each.to_position) for each in reading.left_out]

        # The rows read and the parts left out are the whole.
        def is_read(row):
            return all(row[1] <= begin or row[0] >= end for begin, end in gaps)

        assert found == [row for row in written.messages() if is_read(row)]
        read = {row[0] for row in written.whole_frames()}
        for begin, end in gaps:
            assert begin < end
            assert begin in read or any(frame.position == begin for frame in written.frames)

        table, left_out, _ = cut_rows(plan, length)
        assert rows(table) == found
        assert merged((each.from_position, each.to_position) for each in left_out) == merged(gaps)


def merged(gaps):
    """Join adjacent gaps, since a partition boundary may lie inside one."""
    found = []
    for begin, end in sorted(gaps):
        if found and found[-1][1] == begin:
            found[-1] = (found[-1][0], end)
        else:
            found.append((begin, end))
    return found


def test_the_model_writes_the_lengths_it_records():
    written = write(96, TERM, 1, [(("message", 100), 3), (("aborted", 40), 1)])
    assert written.position == 96 + 3 * aligned(132) + 64
