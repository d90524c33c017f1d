"""Decodes payloads in Arrow's IPC stream format into columns.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.payloads.arrow_arrays import list_array, pa, placed, struct_array
from aeron_cluster.pipeline.payloads.field_values import picked_fields
from aeron_cluster.pipeline.payloads.fields_decoder import (
    FieldsDecoder,
    nullable_fields,
    nullable_type,
)
from aeron_cluster.pipeline.payloads.problems import Problems

if TYPE_CHECKING:
    from aeron_cluster.pipeline.payloads.decoder import BadPayload

__all__ = ["ArrowDecoder", "arrow_decoder"]

RowsOf = Literal["one", "many"]
_UNREADABLE = (pa.ArrowException, OSError, ValueError, KeyError, TypeError)


@dataclass(frozen=True)
class ArrowDecoder(FieldsDecoder):
    """Payloads of one stream of record batches each.

    Created by `arrow_decoder`.

    Parameters
    ----------
    fields : tuple of pyarrow.Field
        The fields of the batches; other fields are ignored.
    prefix : str
        A prefix of the columns' names.
    rows : str
        ``one`` where each payload has one row, whose values are the columns; ``many`` where it has
        any number: then there is one column, of lists of structs.
    """

    rows: RowsOf = "one"

    def arrow_fields(self) -> list[Any]:
        """Return the columns as `pyarrow.Field`."""
        if self.rows == "many":
            return [pa.field(f"{self.prefix}rows", pa.list_(pa.struct(self.fields)))]
        return super().arrow_fields()

    def select(self, names: Iterable[str]) -> Self:
        """Return a decoder of some of the columns."""
        if self.rows == "one":
            return super().select(names)
        picked_fields(self.arrow_fields(), names)  # rejects other names
        return self

    def decode(self, payloads: Any, bad: list[BadPayload] | None = None) -> list[Any]:
        """Return the columns of some payloads; see `PayloadDecoder`."""
        problems = Problems(len(payloads))
        schema = pa.schema(self.fields)
        tables = [schema.empty_table()]
        ends = np.zeros(len(payloads), np.int64)
        rows = []
        total = 0
        for index, payload in enumerate(payloads):
            if payload.is_valid:
                table = self._read(index, payload.as_buffer(), schema, problems)
                if table is not None:
                    rows.append(index)
                    tables.append(table)
                    total += table.num_rows
            ends[index] = total
        problems.report(bad)
        whole = pa.concat_tables(tables).combine_chunks()
        columns = [_one_chunk(column) for column in whole.columns]
        row_indexes = np.array(rows, np.int64)
        if self.rows == "one":
            return [placed(each, row_indexes, len(payloads), problems.rows) for each in columns]
        (field,) = self.arrow_fields()
        present = np.zeros(len(payloads), np.bool_)
        present[row_indexes] = True
        entries = struct_array(field.type.value_type, columns, total)
        return [list_array(field.type, ends, entries, present)]

    def _read(self, index: int, payload: Any, schema: Any, problems: Problems) -> Any:
        try:
            with pa.ipc.open_stream(payload) as reader:
                table = reader.read_all()
            table.validate(full=True)
            table = table.select(schema.names)
        except _UNREADABLE as error:
            problems.add(index, 0, "payload", "a stream of Arrow", str(error)[:80])
            return None
        columns = []
        # A stream's fields may be declared not null; the columns can always be null.
        for wanted, column in zip(schema.types, table.columns, strict=True):
            is_same = column.type == wanted
            if not is_same and nullable_type(column.type) != wanted:
                problems.add(index, 0, "type in the stream of Arrow", wanted, column.type)
                return None
            columns.append(column if is_same else column.cast(wanted))
        if self.rows == "one" and table.num_rows != 1:
            problems.add(index, 0, "rows", "one", table.num_rows)
            return None
        return pa.Table.from_arrays(columns, schema=schema)


def _one_chunk(column: Any) -> Any:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)


def arrow_decoder(fields: Any, *, rows: RowsOf = "one", prefix: str = "") -> ArrowDecoder:
    """Return a decoder of payloads in Arrow's IPC stream format.

    Parameters
    ----------
    fields : pyarrow.Schema or str
        The fields of the batches; also as text, such as ``id int64, legs list<struct<side
        string>>``.
    rows : str
        ``one`` if each payload has one row; ``many`` for a column ``rows`` of lists of structs.
    prefix : str
        A prefix of the columns' names, to avoid conflicts.

    Raises
    ------
    ConfigurationError
        The text of fields, or an option, is invalid.
    """
    if rows not in get_args(RowsOf):
        raise ConfigurationError("rows", "one or many", rows)
    found = nullable_fields(fields)
    if not found:
        raise ConfigurationError("fields", "at least one", "none")
    return ArrowDecoder(found, prefix, rows)
