"""The purge rule, compared with a naive one that checks every byte a reader needs."""

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.cluster.snapshots.purge_rule import LogExtent, kept_snapshots, purge_position

TERM = 64
FRAME = 32
positions = st.integers(0, 60).map(lambda each: each * FRAME)


@st.composite
def logs(draw):
    start, length = draw(positions), draw(positions)
    return LogExtent(
        start_position=start,
        end_position=start + length,
        term_buffer_length=TERM,
        segment_file_length=TERM * draw(st.sampled_from([1, 2, 4])),
    )


snapshots = st.lists(positions, max_size=6)
held = st.lists(st.one_of(st.just(-1), positions), max_size=4)


def segments(extent):
    """Return the base of each segment file of the recording, without a purged first part."""
    base = extent.start_position - extent.start_position % TERM
    while base <= extent.end_position:
        yield max(base, extent.start_position), base + extent.segment_file_length
        base += extent.segment_file_length


def naive_purge_position(extent, positions, kept, known):
    """Purge segment by segment, as long as no byte of it is needed."""
    readers = list(known)
    newest = list(dict.fromkeys(sorted(positions, reverse=True)))[:kept]
    readers += newest if len(newest) == kept else [-1]
    start = extent.start_position
    for first, end in segments(extent):
        bytes_needed = [reader < end for reader in readers]
        # The current or next segment to be written is retained too.
        if any(bytes_needed) or extent.end_position < end:
            return first
        start = end
    return start


@given(logs(), snapshots, st.integers(1, 4), held)
def test_only_log_needed_by_no_member_is_purged(extent, positions, kept, known):
    position = purge_position(extent, positions, kept, known)
    assert position == naive_purge_position(extent, positions, kept, known)


@given(logs(), snapshots, st.integers(1, 4), held)
def test_purge_position_is_safe_for_snapshots_peers_and_segments(extent, positions, kept, known):
    position = purge_position(extent, positions, kept, known)
    newest = kept_snapshots(positions, kept)
    assert position >= extent.start_position
    if position > extent.start_position:
        assert len(newest) == kept
        assert all(position <= each for each in (*newest, *known, extent.end_position))
        assert position == extent.segment_base(position)


@given(logs(), snapshots, st.integers(1, 4), held, positions)
def test_a_member_with_less_log_never_purges_more(extent, positions, kept, known, less):
    before = purge_position(extent, positions, kept, known)
    assert purge_position(extent, positions, kept, [*known, less]) <= before
    assert purge_position(extent, positions, kept + 1, known) <= before
    assert purge_position(extent, positions, kept, [*known, -1]) == extent.start_position


@given(logs(), snapshots, st.integers(1, 4), held)
def test_purge_position_is_stable_after_a_purge(extent, positions, kept, known):
    position = purge_position(extent, positions, kept, known)
    rest = LogExtent(
        start_position=position,
        end_position=max(extent.end_position, position),
        term_buffer_length=TERM,
        segment_file_length=extent.segment_file_length,
    )
    assert purge_position(rest, positions, kept, known) == position
