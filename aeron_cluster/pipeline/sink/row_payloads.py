"""The payloads and keys of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from aeron_cluster.errors import RowError
from aeron_cluster.pipeline.optional_packages import require

__all__ = ["Chunk", "RowColumns", "chunks"]


@dataclass(frozen=True, slots=True)
class RowColumns:
    """The columns of the written rows.

    Parameters
    ----------
    payload : str
        The column of payloads: binary or text.
    key : str, optional
        The column of keys, in ascending order.
    """

    payload: str
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk of rows.

    Parameters
    ----------
    first_row : int
        The index of the first row in its partition.
    payloads : list of bytes
    keys : pyarrow.Array, optional
    """

    first_row: int
    payloads: list[bytes]
    keys: Any = None

    def key_of(self, row: int) -> object:
        """Return the key of a row of the chunk; None if rows have no keys."""
        return None if self.keys is None else self.keys[row - self.first_row].as_py()


def chunks(batches: Iterable[Any], columns: RowColumns, partition: int) -> Iterator[Chunk]:
    """Yield the rows of a partition in chunks.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch
    columns : RowColumns
    partition : int
        The index of the partition.

    Raises
    ------
    RowError
        A payload or a key is null, or keys do not ascend.
    """
    pa = require("pyarrow", "spark")
    row, last_key = 0, None
    for batch in batches:
        if not batch.num_rows:
            continue
        payloads = _whole(batch, columns.payload, partition, row)
        keys = None
        if columns.key is not None:
            keys = _whole(batch, columns.key, partition, row)
            _check_order(keys, last_key, partition, row)
            last_key = keys[len(keys) - 1]
        # Text is sent as UTF-8, Arrow's encoding.
        yield Chunk(row, payloads.cast(pa.binary()).to_pylist(), keys)
        row += batch.num_rows


def _whole(batch: Any, name: str, partition: int, first_row: int) -> Any:
    """Return a column after checking that it has no nulls."""
    compute = require("pyarrow.compute", "spark")
    column = batch.column(batch.schema.get_field_index(name))
    if column.null_count:
        row = first_row + compute.index(column.is_null(), True).as_py()
        raise RowError(partition, row, name, "a value", "null")
    return column


def _check_order(keys: Any, last_key: Any, partition: int, first_row: int) -> None:
    """Check that keys ascend."""
    compute = require("pyarrow.compute", "spark")
    if last_key is not None and not compute.less(last_key, keys[0]).as_py():
        raise _out_of_order(partition, first_row, last_key, keys[0])
    is_above = compute.less(keys.slice(0, len(keys) - 1), keys.slice(1))
    place = compute.index(is_above, False).as_py()
    if place >= 0:
        raise _out_of_order(partition, first_row + place + 1, keys[place], keys[place + 1])


def _out_of_order(partition: int, row: int, last_key: Any, key: Any) -> RowError:
    return RowError(
        partition,
        row,
        "key",
        f"one above {last_key.as_py()!r}",
        repr(key.as_py()),
        "rows must be sorted by unique keys: sortWithinPartitions",
    )
