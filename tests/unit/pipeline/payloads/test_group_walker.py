"""The walker receives offsets of payloads; offsets outside of the data are rejected."""

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("pyarrow")  # the package needs it
walker = pytest.importorskip("aeron_cluster.pipeline.payloads.group_walker")

DATA = np.zeros(10, np.uint8)


def longs(*numbers):
    return np.array(numbers, np.int64)


def a_walker():
    return walker.GroupWalker([(0, 0, 0, 0, 0, 0, 1, 0, 0, 1)], [(2, 0, 2, 0)], False)


@pytest.mark.parametrize(("begin", "end"), [(-1, 5), (5, 4), (0, 11), (2**62, 2**62)])
def test_payloads_outside_of_the_data_are_rejected(begin, end):
    with pytest.raises(ValueError, match="expected it within 10 bytes"):
        a_walker().walk(DATA, longs(begin), longs(end), np.zeros(1, np.int32))


def test_payload_without_bytes_lacks_its_parts():
    nothing = np.zeros(0, np.uint8)
    failures = a_walker().walk(nothing, longs(0), longs(0), np.zeros(1, np.int32))
    assert [(index, at) for index, at, *_ in failures] == [(0, 0)]
    assert a_walker().walk(nothing, longs(), longs(), np.zeros(0, np.int32)) == []


def test_arrays_of_different_lengths_are_rejected():
    with pytest.raises(ValueError, match="as many"):
        a_walker().walk(DATA, longs(0, 1), longs(1), np.zeros(1, np.int32))
    with pytest.raises(ValueError, match="as many"):
        walker.gather(DATA, longs(0, 1), longs(1))


@pytest.mark.parametrize(("begin", "length"), [(-1, 1), (0, 11), (10, 1), (2**62, 2**62)])
def test_parts_outside_of_the_data_are_rejected(begin, length):
    with pytest.raises(ValueError, match="expected it within 10 bytes"):
        walker.gather(DATA, longs(begin), longs(length))


def test_parts_without_a_length_are_empty_wherever_they_are():
    values, offsets = walker.gather(DATA, longs(99, 3), longs(-1, 2))
    assert bytes(values) == bytes(2)
    assert np.frombuffer(offsets, np.int32).tolist() == [0, 0, 2]


def test_parts_of_2_gib_are_rejected():
    count = 40_000
    many = np.zeros(60_000, np.uint8)
    with pytest.raises(ValueError, match="2 GiB"):
        walker.gather(many, np.zeros(count, np.int64), np.full(count, 60_000, np.int64))


@pytest.mark.parametrize(
    ("levels", "parts"),
    [
        ([(0, 0, 0, 0, 0, 0, 1, 1, 0, 0)], []),  # a missing group
        ([(0, 0, 0, 0, 0, 0, 0, 1, 0, 0)], []),  # a group inside itself
        ([(0, 0, 0, 0, 0, 0, 1, 0, 0, 1)], []),  # a missing part
        ([(0, 0, 0, 0, 0, 0, 1, 0, -1, 1)], [(2, 0, 2, 0)]),  # a part before the first
        ([(0, 0, 0, 0, 0, 0, 1, 0, 0, 1)], [(2, -1, 2, 0)]),  # a length before its header
        ([(0, 0, 0, 0, 0, 0, 1, 0, 0, 1)], [(2, 1, 2, 0)]),  # a length after its header
        ([(0, 0, 0, 0, 0, 0, 1, 0, 0, 1)], [(3, 0, 3, 0)]),  # a number of three bytes
        ([(0, 0, 0, 0, 0, 0, 1, 1, 0, 0), (4, 0, 2, 3, 2, 0, 2, 0, 0, 0)], []),
    ],
)
def test_invalid_layouts_are_rejected(levels, parts):
    with pytest.raises(ValueError, match="expected"):
        walker.GroupWalker(levels, parts, False)


def test_only_existing_groups_and_data_can_be_taken():
    for number in (-1, 0, 1):
        with pytest.raises(IndexError):
            a_walker().take_group(number)
    for number in (-1, 1):
        with pytest.raises(IndexError):
            a_walker().take_data(number)
