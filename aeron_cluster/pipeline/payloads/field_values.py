"""Converts Python values, a mapping for each payload, to columns.

No counterpart in Aeron. It creates an object for each value, so it is only for formats without a
faster reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.payloads.arrow_arrays import pa

if TYPE_CHECKING:
    from aeron_cluster.pipeline.payloads.problems import Problems

__all__ = ["CONVERSION_ERRORS", "arrays_of", "picked_fields", "would_be_truncated"]

# The exceptions of Arrow for a value of the wrong type.
CONVERSION_ERRORS = (ValueError, TypeError, OverflowError, pa.ArrowException)


def picked_fields(fields: Sequence[Any], names: Iterable[str]) -> tuple[Any, ...]:
    """Return the fields with some names, in the order of the names."""
    by_name = {each.name: each for each in fields}
    wanted = tuple(names)
    for name in wanted:
        if name not in by_name:
            raise ConfigurationError("columns", f"some of {', '.join(by_name)}", name)
    return tuple(by_name[name] for name in wanted)


def arrays_of(
    values: list[Mapping[str, Any] | None], fields: Sequence[Any], what: str, problems: Problems
) -> list[Any]:
    """Return the columns of some mappings; missing values are null.

    Parameters
    ----------
    values : list of mapping
        The mappings; None means that all values are null.
    fields : sequence of pyarrow.Field
    what : str
        The kind of value, for problems.
    problems : Problems
    """
    arrays = []
    for field in fields:
        column = [None if value is None else value.get(field.name) for value in values]
        for index, value in enumerate(column):
            if value is not None and would_be_truncated(value, field.type):
                _reject(column, index, field, what, problems)
        try:
            arrays.append(pa.array(column, field.type))
        except CONVERSION_ERRORS:
            arrays.append(_with_valid_values(column, field, what, problems))
    return arrays


def _with_valid_values(column: list[Any], field: Any, what: str, problems: Problems) -> Any:
    for index, value in enumerate(column):
        try:
            pa.array([value], field.type)
        except CONVERSION_ERRORS:
            _reject(column, index, field, what, problems)
    return pa.array(column, field.type)


def _reject(column: list[Any], index: int, field: Any, what: str, problems: Problems) -> None:
    problems.add(index, 0, f"{what}: {field.name}", field.type, repr(column[index])[:80])
    column[index] = None


def would_be_truncated(value: Any, arrow_type: Any) -> bool:
    """Return whether a value for an integer has a fraction, which Arrow would truncate."""
    types = pa.types
    if types.is_integer(arrow_type) or types.is_timestamp(arrow_type) or types.is_date(arrow_type):
        return isinstance(value, (float, np.floating, Decimal))
    if types.is_list(arrow_type):
        is_sequence = isinstance(value, (list, tuple, set, frozenset, np.ndarray))
        return is_sequence and any(
            would_be_truncated(each, arrow_type.value_type) for each in value
        )
    if types.is_struct(arrow_type):
        known = _fields_in(value)
        return any(would_be_truncated(known.get(each.name), each.type) for each in arrow_type)
    return False


def _fields_in(value: Any) -> Mapping[Any, Any]:
    """Return the fields of a value that Arrow accepts as a struct: a mapping, or pairs."""
    if isinstance(value, Mapping):
        return value
    try:
        return dict(value) if isinstance(value, (list, tuple)) else {}
    except (TypeError, ValueError):
        return {}  # not a struct: Arrow rejects it
