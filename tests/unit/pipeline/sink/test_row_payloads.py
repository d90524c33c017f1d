"""Which rows are sent and which are rejected."""

import pytest

from aeron_cluster.errors import RowError
from aeron_cluster.pipeline.sink.row_payloads import RowColumns, chunks

pa = pytest.importorskip("pyarrow")


def batch(keys, payloads=None, key_type=None):
    payloads = [b"%d" % index for index in range(len(keys))] if payloads is None else payloads
    return pa.record_batch({"k": pa.array(keys, key_type), "payload": pa.array(payloads)})


def test_rows_are_counted_over_all_batches():
    found = list(
        chunks([batch([1, 2]), batch([], [], pa.int64()), batch([5])], RowColumns("payload"), 0)
    )
    assert [(each.first_row, each.payloads) for each in found] == [(0, [b"0", b"1"]), (2, [b"0"])]
    assert found[0].key_of(1) is None


def test_text_is_sent_as_utf_8():
    (chunk,) = chunks([batch([1], ["größer"])], RowColumns("payload"), 0)
    assert chunk.payloads == ["größer".encode()]


def test_key_belongs_to_its_row():
    found = list(chunks([batch([1, 2]), batch([5, 7])], RowColumns("payload", "k"), 0))
    assert [found[0].key_of(1), found[1].key_of(2), found[1].key_of(3)] == [2, 5, 7]


@pytest.mark.parametrize(
    ("batches", "text"),
    [
        ([[3, 2]], "partition 4, row 1: key: expected one above 3, found 2"),
        ([[1, 2, 2]], "partition 4, row 2: key: expected one above 2, found 2"),
        ([[1, 2], [2, 3]], "partition 4, row 2: key: expected one above 2, found 2"),
        ([[1], [5, 4]], "partition 4, row 2: key: expected one above 5, found 4"),
        ([[1, 2], [3, None]], "partition 4, row 3: k: expected a value, found null"),
        ([[b"b", b"a"]], "row 1: key: expected one above b'b', found b'a'"),
    ],
)
def test_unsorted_keys_are_rejected(batches, text):
    with pytest.raises(RowError) as error:
        list(chunks([batch(keys) for keys in batches], RowColumns("payload", "k"), 4))
    assert text in str(error.value)


@pytest.mark.parametrize("keys", [["a", "b", "ä", "𝄞"], [b"", b"\x00", b"\x7f", b"\x80", b"\xff"]])
def test_text_and_bytes_ascend_as_spark_sorts_them(keys):
    assert len(list(chunks([batch(keys)], RowColumns("payload", "k"), 0))) == 1


def test_a_null_payload_is_reported_by_its_row():
    rows = chunks([batch([1]), batch([2, 3], [b"a", None])], RowColumns("payload"), 1)
    with pytest.raises(RowError, match="partition 1, row 2: payload: expected a value, found null"):
        list(rows)
