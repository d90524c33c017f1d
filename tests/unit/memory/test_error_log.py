"""The distinct error log: each error once, and no reads outside of it."""

import struct

import pytest

from aeron_cluster.errors import ClosedError, ConfigurationError
from aeron_cluster.memory.shared.error_log import DistinctErrorLog, read_error_log
from aeron_cluster.memory.shared.error_text import ErrorLogEntry, describe_error


def test_record_has_aerons_layout():
    memory = bytearray(1024)
    log = DistinctErrorLog(memory)

    log.record("first", now_ms=100)
    log.record("second error", now_ms=200)
    log.record("first", now_ms=300)

    assert memory[:32] == struct.pack("<iiqq5s3x", 29, 2, 300, 100, b"first")
    assert memory[32:72] == struct.pack("<iiqq12s4x", 36, 1, 200, 200, b"second error")
    assert not any(memory[72:])


def test_the_same_error_is_counted():
    log = DistinctErrorLog(bytearray(1024))
    for now_ms in (1, 2, 5):
        assert log.record("again", now_ms=now_ms)
    assert log.record("other", now_ms=4)

    assert log.entries() == [ErrorLogEntry(3, 1, 5, "again"), ErrorLogEntry(1, 4, 4, "other")]
    assert log.entries(since_ms=5) == [ErrorLogEntry(3, 1, 5, "again")]


def test_full_log_rejects_new_errors_and_counts_known_ones():
    memory = bytearray(64)
    log = DistinctErrorLog(memory)
    assert log.record("known", now_ms=1)
    assert not log.record("much too long for it", now_ms=2)
    assert log.record("known", now_ms=3)
    assert log.record("fits", now_ms=4)
    assert not log.record("", now_ms=5)

    assert [entry.text for entry in log.entries()] == ["known", "fits"]


def test_a_message_already_in_the_log_is_recognised():
    memory = bytearray(1024)
    DistinctErrorLog(memory).record("old", now_ms=1)

    log = DistinctErrorLog(memory)
    log.record("old", now_ms=2)
    log.record("new", now_ms=3)

    assert log.entries() == [ErrorLogEntry(2, 1, 2, "old"), ErrorLogEntry(1, 3, 3, "new")]


def test_a_log_without_room_for_another_error_is_read_to_its_end():
    memory = bytearray(64)
    first = DistinctErrorLog(memory)
    for text in ("one", "two"):
        assert first.record(text, now_ms=1)
    reopened = DistinctErrorLog(memory)
    assert reopened.record("two", now_ms=2)
    assert not reopened.record("", now_ms=3)
    assert reopened.entries() == [ErrorLogEntry(1, 1, 1, "one"), ErrorLogEntry(2, 1, 2, "two")]


def raised(error, cause=None):
    try:
        raise error from cause
    except type(error) as caught:
        return caught


def test_an_exception_is_reported_with_its_place_and_causes():
    text = describe_error(raised(ConfigurationError("x", 1, 2), raised(KeyError("key"))))

    lines = text.split("\n")
    assert lines[0] == "aeron_cluster.errors.ConfigurationError: x: expected 1, found 2"
    assert lines[1].startswith("\tat raised (")
    assert "test_error_log.py:" in lines[1]
    assert lines[2] == "Caused by: KeyError: 'key'"


@pytest.mark.parametrize(
    ("module", "file", "expected"),
    [
        ("orders.books.limits", "orders/books/limits.py", "orders/books/limits.py"),
        ("orders.books", "orders/books/__init__.py", "orders/books/__init__.py"),
        ("orders", "orders.py", "orders.py"),
        ("__main__", "orders/books/run.py", "run.py"),
        ("orders.books.limits", "<string>", "<string>"),
    ],
)
def test_the_text_does_not_depend_on_the_directory_of_the_sources(module, file, expected):
    def text_in(directory):
        path = file if file.startswith("<") else f"{directory}/{file}"
        names = {"__name__": module}
        exec(compile("def fail():\n    raise ValueError('big')", path, "exec"), names)
        with pytest.raises(ValueError, match="big") as found:
            names["fail"]()
        return describe_error(found.value)

    text = text_in("/srv/site-packages")
    assert text == text_in("/data/a/checkout/of/a/longer/name")
    assert text.split("\n")[1] == f"\tat fail ({expected}:2)"


def test_the_same_exception_from_the_same_place_is_one_error():
    log = DistinctErrorLog(bytearray(8192))
    for now_ms in range(3):
        log.record(raised(ValueError("of its kind")), now_ms=now_ms)
    log.record(raised(ValueError("another")), now_ms=9)

    assert [entry.observation_count for entry in log.entries()] == [3, 1]


def test_deep_and_circular_errors_are_cut():
    def recurse(depth):
        if depth == 0:
            raise RecursionError("deep")
        recurse(depth - 1)

    with pytest.raises(RecursionError) as deep:
        recurse(200)
    assert 25 <= len(describe_error(deep.value).split("\n")) <= 40

    one, two = ValueError("one"), ValueError("two")
    one.__cause__, two.__cause__ = two, one
    assert describe_error(one).count("Caused by") < 300


def test_non_ascii_text_is_escaped():
    log = DistinctErrorLog(bytearray(1024))
    log.record("naïve ☃", now_ms=1)
    assert log.entries()[0].text == "na\\xefve \\u2603"


@pytest.mark.parametrize("length", [-1, -(2**31), 1, 23, 1025, 2**31 - 1])
def test_invalid_length_ends_the_log(length):
    memory = bytearray(1024)
    log = DistinctErrorLog(memory)
    log.record("first", now_ms=1)
    log.record("second", now_ms=2)
    struct.pack_into("<i", memory, 32, length)

    assert [entry.text for entry in read_error_log(memory)] == ["first"]
    before = bytes(memory)
    reopened = DistinctErrorLog(memory)
    if length > 0:
        assert not reopened.record("new", now_ms=3)
        assert bytes(memory) == before


def test_reads_a_read_only_buffer():
    memory = bytearray(64)
    DistinctErrorLog(memory).record("seen", now_ms=1)
    assert read_error_log(bytes(memory)) == [ErrorLogEntry(1, 1, 1, "seen")]
    assert read_error_log(b"") == []


def test_rejects_an_unfit_buffer():
    with pytest.raises(ConfigurationError, match="24 to 2147483647 bytes"):
        DistinctErrorLog(bytearray(23))
    with pytest.raises(ConfigurationError):
        DistinctErrorLog(memoryview(bytearray(64))[4:])
    with pytest.raises(BufferError):
        DistinctErrorLog(bytes(64))


def test_a_closed_log_rejects_writes_and_retains_its_memory():
    memory = bytearray(64)
    log = DistinctErrorLog(memory)
    log.close()

    assert log.closed
    with pytest.raises(ClosedError):
        log.record("x", now_ms=0)
    with pytest.raises(ClosedError):
        log.entries()
    with pytest.raises(BufferError):
        memory.append(0)
    del log
    memory.append(0)
