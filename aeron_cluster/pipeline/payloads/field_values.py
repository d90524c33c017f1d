"""Values of Python, one mapping a payload, as columns.

No counterpart in Aeron. It is an object a value: for what cannot be read otherwise.
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

__all__ = ["UNFIT", "arrays_of", "picked_fields", "would_be_cut"]

# What Arrow raises for a value that is not of its type; its own errors are among these.
UNFIT = (ValueError, TypeError, OverflowError, pa.ArrowException)


def picked_fields(fields: Sequence[Any], names: Iterable[str]) -> tuple[Any, ...]:
    """Return some of the fields, in the order of their names."""
    by_name = {each.name: each for each in fields}
    wanted = tuple(names)
    for name in wanted:
        if name not in by_name:
            raise ConfigurationError("columns", f"some of {', '.join(by_name)}", name)
    return tuple(by_name[name] for name in wanted)


def arrays_of(
    values: list[Mapping[str, Any] | None], fields: Sequence[Any], what: str, problems: Problems
) -> list[Any]:
    """Return the columns of some mappings; what a mapping does not have is null.

    Parameters
    ----------
    values : list of mapping
        None for no values.
    fields : sequence of pyarrow.Field
    what : str
        Their fields, for problems.
    problems : Problems
    """
    arrays = []
    for field in fields:
        column = [None if value is None else value.get(field.name) for value in values]
        for index, value in enumerate(column):
            if value is not None and would_be_cut(value, field.type):
                _refuse(column, index, field, what, problems)
        try:
            arrays.append(pa.array(column, field.type))
        except UNFIT:
            arrays.append(_with_what_fits(column, field, what, problems))
    return arrays


def _with_what_fits(column: list[Any], field: Any, what: str, problems: Problems) -> Any:
    for index, value in enumerate(column):
        try:
            pa.array([value], field.type)
        except UNFIT:
            _refuse(column, index, field, what, problems)
    return pa.array(column, field.type)


def _refuse(column: list[Any], index: int, field: Any, what: str, problems: Problems) -> None:
    problems.add(index, 0, f"{what}: {field.name}", field.type, repr(column[index])[:80])
    column[index] = None


def would_be_cut(value: Any, arrow_type: Any) -> bool:
    """Return whether a fraction is in place of a whole number: Arrow would truncate it."""
    types = pa.types
    if types.is_integer(arrow_type) or types.is_timestamp(arrow_type) or types.is_date(arrow_type):
        return isinstance(value, (float, np.floating, Decimal))
    if types.is_list(arrow_type):
        is_some = isinstance(value, (list, tuple, set, frozenset, np.ndarray))
        return is_some and any(would_be_cut(each, arrow_type.value_type) for each in value)
    if types.is_struct(arrow_type):
        known = _fields_in(value)
        return any(would_be_cut(known.get(each.name), each.type) for each in arrow_type)
    return False


def _fields_in(value: Any) -> Mapping[Any, Any]:
    """Return the fields of what Arrow takes for a struct: a mapping, or pairs."""
    if isinstance(value, Mapping):
        return value
    try:
        return dict(value) if isinstance(value, (list, tuple)) else {}
    except (TypeError, ValueError):
        return {}  # none: that is refused by Arrow
