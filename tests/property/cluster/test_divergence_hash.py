"""The hash of a service's effects, compared with a slow Python version, and its sensitivity."""

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.cluster.service.divergence_guard import fold_word, payload_digest

K1, K2, MASK = 0xD6E8FEB86659FD93, 0xA3B195354A39B70D, 2**64 - 1
words = st.integers(0, MASK)


def slow_fold(value, word):
    value = (value ^ word) * K1 & MASK
    value ^= value >> 32
    return (value * K2 + 1) & MASK


def slow_digest(data):
    lanes = [K2 * (2 * index + 1) & MASK for index in range(4)]
    whole = len(data) // 32 * 32
    for begin in range(0, whole, 8):
        word = int.from_bytes(data[begin : begin + 8], "little")
        lane = (lanes[begin // 8 % 4] ^ word) * K1 & MASK
        lanes[begin // 8 % 4] = (lane << 29 | lane >> 35) & MASK
    value = slow_fold(0, len(data))
    if whole:
        for lane in lanes:
            value = slow_fold(value, lane)
    for begin in range(whole, len(data), 8):
        value = slow_fold(value, int.from_bytes(data[begin : begin + 8], "little"))
    return value


@given(words, words)
def test_fold_equals_the_slow_one(value, word):
    assert fold_word(value, word) == slow_fold(value, word)


@given(st.binary(max_size=300))
def test_digest_equals_the_slow_one(data):
    assert payload_digest(data) == slow_digest(data)


@given(st.lists(st.binary(max_size=80), max_size=8))
def test_digest_does_not_depend_on_the_split_of_a_payload(parts):
    assert payload_digest(*parts) == payload_digest(b"".join(parts))


@given(st.binary(min_size=1, max_size=300), st.data())
def test_every_bit_of_a_payload_counts(data, draw):
    bit = draw.draw(st.integers(0, 8 * len(data) - 1))
    other = bytearray(data)
    other[bit // 8] ^= 1 << bit % 8
    assert payload_digest(bytes(other)) != payload_digest(data)


@given(st.binary(max_size=100))
def test_digest_depends_on_the_length(data):
    assert payload_digest(data + b"\0") != payload_digest(data)


@given(words, words, words)
def test_fold_is_injective(value, word, other):
    assert (fold_word(value, word) == fold_word(value, other)) == (word == other)
    assert (fold_word(word, value) == fold_word(other, value)) == (word == other)
