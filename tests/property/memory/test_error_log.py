"""The distinct error log compared with a dictionary, and with damage."""

import struct

from hypothesis import given, settings
from hypothesis import strategies as st

from aeron_cluster.memory.shared.error_log import DistinctErrorLog, read_error_log
from aeron_cluster.memory.shared.error_text import ErrorLogEntry

TEXTS = st.sampled_from(["", "a", "b", "ab", "x" * 7, "y" * 8, "z" * 9, "long " * 20])


@given(
    capacity=st.integers(3, 64).map(lambda words: 8 * words),
    records=st.lists(st.tuples(st.one_of(TEXTS, st.integers(0, 99).map(str)), st.integers(0, 9))),
    restart_at=st.integers(0, 20),
)
@settings(deadline=None)
def test_it_is_a_dictionary_of_bounded_size(capacity, records, restart_at):
    memory = bytearray(capacity)
    log = DistinctErrorLog(memory)
    model, used = {}, 0
    for number, (text, now_ms) in enumerate(records):
        if number == restart_at:
            log = DistinctErrorLog(memory)
        needed = 24 + len(text)
        fits = text in model or used + needed <= capacity
        assert log.record(text, now_ms=now_ms) == fits
        if fits:
            if text not in model:
                used += (needed + 7) & ~7
            count, first, _ = model.get(text, (0, now_ms, 0))
            model[text] = (count + 1, first, now_ms)

    expected = [ErrorLogEntry(*fields, text) for text, fields in model.items()]
    assert log.entries() == read_error_log(memory) == expected
    since = [entry for entry in expected if entry.last_observation_ms >= 5]
    assert log.entries(since_ms=5) == since


@given(
    damage=st.lists(
        st.tuples(
            st.integers(0, 63),
            st.one_of(st.integers(-(2**31), 2**31 - 1), st.integers(0, 300)),
        ),
        min_size=1,
        max_size=8,
    ),
    late=st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_damage_is_never_followed_outside_the_log(damage, late):
    guarded = bytearray(b"\xa5" * (64 + 256 + 64))
    memory = memoryview(guarded)[64:-64]
    memory[:] = bytes(256)
    log = DistinctErrorLog(memory)
    for text in ("one", "two", "three"):
        log.record(text, now_ms=1)
    for index, value in damage:
        struct.pack_into("<i", memory, 4 * index, value)
    if late:
        log = DistinctErrorLog(memory)

    for number in range(20):
        log.record(f"more {number}", now_ms=2)
        log.record("one", now_ms=3)
    assert sum(len(entry.text) + 24 for entry in log.entries()) <= 256
    assert guarded[:64] == guarded[-64:] == b"\xa5" * 64
