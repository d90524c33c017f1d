import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.archive.storage.segments import base_position, segment_bases, segment_name
from aeron_cluster.memory.system.seams import SystemFiles

TERM = 64 * 1024


@pytest.mark.parametrize(
    ("start", "position", "segment", "base"),
    [
        (0, 0, TERM, 0),
        (0, TERM, TERM, TERM),
        (0, 3 * TERM - 32, 2 * TERM, 2 * TERM),
        (197632, 197632, 2 * TERM, 196608),
        (197632, 196608 + 2 * TERM, 2 * TERM, 196608 + 2 * TERM),
    ],
)
def test_segments_count_from_the_term_of_the_start(start, position, segment, base):
    assert base_position(start, position, TERM, segment) == base


@given(st.integers(0, 2**40), st.integers(0, 2**40), st.integers(0, 4))
def test_a_position_lies_in_its_segment(start, distance, doublings):
    segment = TERM << doublings
    base = base_position(start, start + distance, TERM, segment)
    assert base <= start + distance < base + segment
    assert base % TERM == 0


def test_lists_the_segments_of_one_recording_in_order(tmp_path):
    for name in ("1-131072.rec", "1-0.rec", "11-0.rec", "1-x.rec", "1-65536.rec.del", "1-"):
        (tmp_path / name).touch()
    assert segment_bases(SystemFiles(), str(tmp_path), 1) == [0, 131072]
    assert segment_name(1, 131072) == "1-131072.rec"
