"""Rows of jobs as Arrow tables.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from aeron_cluster.pipeline.optional_packages import require

__all__ = ["job_table", "micros"]


def job_table(columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[Any]]) -> Any:
    """Return rows as a `pyarrow.Table`.

    Parameters
    ----------
    columns : sequence of (str, str)
        Names and types: ``time`` is a timestamp in us, UTC; other types have Arrow's names.
    rows : iterable of sequence
        The values in the order of the columns; times as returned by `micros`.
    """
    pa = require("pyarrow", "arrow")
    made = {"time": pa.timestamp("us", tz="UTC"), "bool": pa.bool_()}
    types = [made[kind] if kind in made else getattr(pa, kind)() for _, kind in columns]
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    arrays = [
        pa.array(column, pa.int64()).cast(kind)
        if pa.types.is_timestamp(kind)
        else pa.array(column, kind)
        for column, kind in zip(values, types, strict=True)
    ]
    return pa.Table.from_arrays(arrays, names=[name for name, _ in columns])


def micros(time: int | None, units: int) -> int | None:
    """Return a raw time in us since 1970, rounded down.

    Parameters
    ----------
    time : int, optional
    units : int
        Time units per second.
    """
    return None if time is None else time * 1_000_000 // units
