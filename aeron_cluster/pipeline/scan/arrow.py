"""Conversion to Arrow: schemas, and record batches over the columns without copying."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from aeron_cluster.pipeline.optional_packages import require
from aeron_cluster.pipeline.scan.pieces import LeftOut
from aeron_cluster.pipeline.scan.range_scan import scan_range

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.columns.column_definitions import Column
    from aeron_cluster.pipeline.scan.pieces import Range
    from aeron_cluster.pipeline.scan.range_scan import FilledColumn
    from aeron_cluster.pipeline.scan.scan_plan import Plan

__all__ = [
    "arrow_batches",
    "arrow_schema",
    "left_out_schema",
    "left_out_table",
    "plan_schema",
]


def arrow_schema(columns: Iterable[Column]) -> Any:
    """Return columns as a `pyarrow.Schema`."""
    pa = require("pyarrow", "arrow")
    return pa.schema([_field(pa, column) for column in columns])


def plan_schema(plan: Plan) -> Any:
    """Return the columns of a plan's rows as a `pyarrow.Schema`."""
    scanned = arrow_schema(plan.columns)
    return scanned if plan.payload is None else plan.payload.schema(scanned)


def arrow_batches(
    files: Files, plan: Plan, part: Range, left_out: list[LeftOut], schema: Any = None
) -> Iterator[Any]:
    """Yield a range as `pyarrow.RecordBatch`.

    Parameters
    ----------
    files : Files
    plan : Plan
    part : Range
        A range of the plan.
    left_out : list of LeftOut
        Collects the parts that a permissive pass cannot read.
    schema : pyarrow.Schema, optional
        The result of `plan_schema`, if already known.

    Raises
    ------
    SegmentError, PayloadError
        The data are damaged, and the pass is strict.
    """
    pa = require("pyarrow", "arrow")
    schema = schema or plan_schema(plan)
    scanned = schema if plan.payload is None else arrow_schema(plan.columns)
    types = [each.type for each in scanned]
    for row_count, filled in scan_range(files, plan, part, left_out):
        arrays = _arrays(pa, types, plan.columns, row_count, iter(filled))
        if plan.payload is not None:
            columns = dict(zip(scanned.names, arrays, strict=True))
            bad = None if plan.mode == "strict" else left_out
            arrays = plan.payload.decode(columns, part.piece, bad)
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def left_out_schema() -> Any:
    """Return the columns of `left_out_table` as a `pyarrow.Schema`."""
    pa = require("pyarrow", "arrow")
    types = {"int": pa.int64(), "str": pa.string()}
    return pa.schema(
        [pa.field(each.name, types[str(each.type)], nullable=False) for each in fields(LeftOut)]
    )


def left_out_table(left_out: Iterable[LeftOut]) -> Any:
    """Return the parts that permissive passes could not read, as a `pyarrow.Table`."""
    pa = require("pyarrow", "arrow")
    schema = left_out_schema()
    rows = [{name: getattr(row, name) for name in schema.names} for row in left_out]
    return pa.Table.from_pylist(rows, schema=schema)


def _field(pa: Any, column: Column) -> Any:
    return pa.field(column.name, _type(pa, column), nullable=column.is_nullable)


def _type(pa: Any, column: Column) -> Any:
    match column.arrow_type:
        case "struct":
            return pa.struct([_field(pa, field) for field in column.fields])
        case "timestamp":
            return pa.timestamp("us", tz="UTC")
        case "bool":
            return pa.bool_()
        case name:
            return getattr(pa, name)()


def _arrays(
    pa: Any,
    types: Sequence[Any],
    columns: Sequence[Column],
    row_count: int,
    filled: Iterator[FilledColumn],
) -> list[Any]:
    arrays = []
    for arrow_type, column in zip(types, columns, strict=True):
        null_count, validity, values, offsets = next(filled)
        valid = pa.py_buffer(validity) if validity is not None and null_count else None
        if column.fields:
            children = _arrays(
                pa, [each.type for each in arrow_type], column.fields, row_count, filled
            )
            buffers = [valid]
        elif offsets is not None:
            children = None
            buffers = [valid, pa.py_buffer(offsets), pa.py_buffer(values)]
        else:
            children = None
            buffers = [valid, pa.py_buffer(values)]
        arrays.append(
            pa.Array.from_buffers(
                arrow_type, row_count, buffers, null_count=null_count, children=children
            )
        )
    return arrays
