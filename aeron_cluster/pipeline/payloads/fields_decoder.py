"""The common part of decoders whose columns are Arrow fields.

No counterpart in Aeron.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from aeron_cluster.pipeline.payloads.arrow_arrays import pa, placed
from aeron_cluster.pipeline.payloads.field_text import fields_of
from aeron_cluster.pipeline.payloads.field_values import arrays_of, picked_fields
from aeron_cluster.pipeline.payloads.problems import Problems

if TYPE_CHECKING:
    from aeron_cluster.pipeline.payloads.decoder import BadPayload

__all__ = ["FieldsDecoder", "MappingDecoder", "nullable_fields", "nullable_type"]


def nullable_fields(fields: Any) -> tuple[Any, ...]:
    """Return fields that may be null, from a `pyarrow.Schema` or its text."""
    found = fields_of(fields, "fields") if isinstance(fields, str) else list(pa.schema(fields))
    return tuple(map(_nullable, found))


def nullable_type(arrow_type: Any) -> Any:
    """Return a type whose inner fields may be null: those of a payload without values are."""
    if pa.types.is_struct(arrow_type):
        return pa.struct([_nullable(each) for each in arrow_type])
    if pa.types.is_list(arrow_type):
        return pa.list_(_nullable(arrow_type.value_field))
    return arrow_type


def _nullable(field: Any) -> Any:
    return field.with_type(nullable_type(field.type)).with_nullable(True)


@dataclass(frozen=True)
class FieldsDecoder:
    """A decoder with a column for each field; a base class.

    Parameters
    ----------
    fields : tuple of pyarrow.Field
        The fields of a payload.
    prefix : str
        A prefix of the columns' names.
    """

    fields: tuple[Any, ...]
    prefix: str

    def arrow_fields(self) -> list[Any]:
        """Return the columns as `pyarrow.Field`."""
        return [each.with_name(f"{self.prefix}{each.name}") for each in self.fields]

    def select(self, names: Iterable[str]) -> Self:
        """Return a decoder of some of the columns."""
        wanted = picked_fields(self.arrow_fields(), names)
        cut = len(self.prefix)
        return replace(self, fields=tuple(each.with_name(each.name[cut:]) for each in wanted))


@dataclass(frozen=True)
class MappingDecoder(FieldsDecoder):
    """A decoder that makes a mapping of each payload; a base class."""

    WHAT: ClassVar[str]
    """The mappings, for problems."""

    def decode(self, payloads: Any, bad: list[BadPayload] | None = None) -> list[Any]:
        """Return the columns of some payloads; see `PayloadDecoder`."""
        problems = Problems(len(payloads))
        values = [
            None if payload is None else self._mapping(index, payload, problems)
            for index, payload in enumerate(payloads.to_pylist())
        ]
        arrays = arrays_of(values, self.fields, self.WHAT, problems)
        problems.report(bad)
        rows = np.arange(len(values))
        return [placed(each, rows, len(values), problems.rows) for each in arrays]

    @abstractmethod
    def _mapping(self, index: int, payload: bytes, problems: Problems) -> Mapping[str, Any] | None:
        """Return the values of a payload; None for no values, or after adding a problem."""
