"""Any bytes as names of drivers: decoded within their limits, or rejected."""

import struct

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.codecs.resolution_frames import ResolutionEntry, decode_frame, encode_frames
from aeron_cluster.errors import MessageError

LIMIT = 50
ENTRIES = st.builds(
    ResolutionEntry,
    name=st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=20),
    host=st.one_of(st.binary(min_size=4, max_size=4), st.binary(min_size=16, max_size=16)),
    port=st.integers(0, 65535),
    age_ms=st.integers(-(2**31), 2**31 - 1),
    is_self=st.booleans(),
)


@st.composite
def damaged_frames(draw):
    """Draw a frame with some bytes replaced, removed or added; its length may still be right."""
    [frame] = encode_frames(draw(st.lists(ENTRIES, min_size=1, max_size=5)), 65504)
    data = bytearray(frame)
    for _ in range(draw(st.integers(0, 3))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    data = data[: draw(st.integers(4, len(data)))] + draw(st.binary(max_size=20))
    if draw(st.booleans()):
        struct.pack_into("<i", data, 0, len(data))
    return bytes(data)


@given(st.one_of(st.binary(max_size=200), damaged_frames()))
def test_any_bytes_are_decoded_or_rejected(data):
    try:
        entries = decode_frame(data, LIMIT)
    except MessageError:
        return
    assert len(entries) <= LIMIT
    for entry in entries:
        assert len(entry.host) in {4, 16}
        assert 0 < len(entry.name) <= 512
        assert 0 <= entry.port <= 65535
    assert sum(16 * (1 + (len(each.name) + 5) // 16) for each in entries) <= 2 * len(data)


@given(st.lists(ENTRIES, max_size=20), st.integers(64, 500))
def test_frames_return_the_entries_that_fit(entries, mtu_length):
    frames = list(encode_frames(entries, mtu_length))
    assert all(len(frame) <= mtu_length for frame in frames)
    decoded = [entry for frame in frames for entry in decode_frame(frame, LIMIT)]
    assert decoded == [
        each
        for each in entries
        if 8 + 40 + len(each.name) <= mtu_length
        or (8 + (10 + len(each.host) + len(each.name) + 7) // 8 * 8 <= mtu_length)
    ]
