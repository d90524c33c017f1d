"""Reads a plan that filters of the query narrowed: for those who asked for it.

Spark keeps one plan for each load: whoever filters the same frame twice gets rows of one filter
for both (seen with Spark 4.3). That is why nobody gets this unasked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.datasource import (
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    LessThan,
    LessThanOrEqual,
)

from aeron_cluster.pipeline.plans import MESSAGE_TYPES
from aeron_cluster.pipeline.spark.batch_reader import BatchReader

if TYPE_CHECKING:
    from aeron_cluster.pipeline.spark.options import SourceOptions

__all__ = ["PushedReader", "narrow"]

_MAX: Final = 2**63 - 1


class PushedReader(BatchReader):
    """Reads rows of a plan that has the bounds of a query's filters, too.

    Every filter is given back: Spark applies it to what is left, so that a bound that is too wide
    does no harm.
    """

    def pushFilters(self, filters: list[Filter]) -> list[Filter]:  # noqa: N802 - Spark's name
        """Take what can be gone to from filters that all must hold."""
        self._narrower = narrow(self._options, filters)
        return filters


def narrow(options: SourceOptions, filters: Sequence[Filter]) -> dict[str, Any]:
    """Return the arguments of a plan that hold what options and filters both select.

    Parameters
    ----------
    options : SourceOptions
    filters : sequence of Filter
        All of them hold.
    """
    found = dict(options.selection)
    session = "cluster_session_id" if options.is_log else "session_id"
    term = "leadership_term_id" if options.is_log else "term_id"
    for each in filters:
        column = getattr(each, "attribute", ())
        if column == ("position",):
            _bound(found, "position", each, 0)
        elif column == (term,) and options.is_log:
            _bound(found, "term", each, -_MAX)
        elif column == (session,):
            _choose(found, "sessions", each, lambda value: isinstance(value, int))
        elif column == ("message_type",) and options.is_log:
            _choose(found, "message_types", each, lambda name: name in MESSAGE_TYPES)
    return {name: value for name, value in found.items() if value != options.selection.get(name)}


def _bound(found: dict[str, Any], name: str, each: Filter, lowest: int) -> None:
    """Narrow ``from_`` and ``to_``, of which the second is not included."""
    match each:
        case EqualTo(_, value):
            begin, end = value, value + 1
        case GreaterThanOrEqual(_, value):
            begin, end = value, _MAX
        case GreaterThan(_, value):
            begin, end = value + 1, _MAX
        case LessThan(_, value):
            begin, end = lowest, value
        case LessThanOrEqual(_, value):
            begin, end = lowest, value + 1
        case _:
            return
    old_begin = found.get(f"from_{name}", lowest)
    old_end = found.get(f"to_{name}", _MAX)
    found[f"from_{name}"] = begin = min(max(begin, old_begin, lowest), _MAX)
    found[f"to_{name}"] = max(min(end, old_end), begin)


def _choose(found: dict[str, Any], name: str, each: Filter, fits: Callable[[Any], bool]) -> None:
    """Narrow a choice; one of nothing at all is left to Spark."""
    match each:
        case EqualTo(_, value):
            values = [value]
        case In(_, values):
            pass
        case _:
            return
    old = found.get(name)
    chosen = [value for value in values if fits(value) and (old is None or value in old)]
    if chosen:
        found[name] = tuple(chosen)
