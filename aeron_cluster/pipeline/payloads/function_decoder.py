"""Payloads that a function of the user's reads.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from traceback import format_exception_only
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.payloads.arrow_arrays import pa, placed
from aeron_cluster.pipeline.payloads.field_text import fields_of
from aeron_cluster.pipeline.payloads.field_values import (
    arrays_of,
    picked_fields,
    would_be_cut,
)
from aeron_cluster.pipeline.payloads.problems import Problems

if TYPE_CHECKING:
    from aeron_cluster.pipeline.payloads.decoder import BadPayload

__all__ = ["FunctionDecoder", "function_decoder"]

Per = Literal["message", "batch"]


@dataclass(frozen=True)
class FunctionDecoder:
    """Payloads that a function turns into values.

    Made by `function_decoder`.

    Parameters
    ----------
    function : callable
    fields : tuple of pyarrow.Field
        The fields that the function returns.
    per : str
        ``message``: it takes the bytes of one payload and returns a mapping, or None for no values.
        ``batch``: it takes a `pyarrow.BinaryArray` and returns a mapping of arrays as long as that.
    prefix : str
        A prefix of the columns' names.
    """

    function: Callable[[Any], Any]
    fields: tuple[Any, ...]
    per: Per = "message"
    prefix: str = ""

    def arrow_fields(self) -> list[Any]:
        """Return the columns as `pyarrow.Field`."""
        return [each.with_name(f"{self.prefix}{each.name}") for each in self.fields]

    def pick(self, names: Iterable[str]) -> Self:
        """Return a decoder of some of the columns."""
        wanted = picked_fields(self.arrow_fields(), names)
        cut = len(self.prefix)
        return replace(self, fields=tuple(each.with_name(each.name[cut:]) for each in wanted))

    def decode(self, payloads: Any, bad: list[BadPayload] | None = None) -> list[Any]:
        """Return the columns of some payloads; see `PayloadDecoder`.

        Notes
        -----
        An exception of a function of one payload means that it cannot be read; one of a batch
        raises goes through.
        """
        if self.per == "batch":
            return self._decode_batch(payloads)
        problems = Problems(len(payloads))
        values: list[Mapping[str, Any] | None] = []
        for index, payload in enumerate(payloads.to_pylist()):
            value = None
            if payload is not None:
                try:
                    value = self.function(payload)
                except Exception as error:  # noqa: BLE001 - every exception is reported
                    # Its text is the user's, too, and may raise.
                    found = " ".join("".join(format_exception_only(error)).split())[:200]
                    problems.add(index, 0, "payload", "one that the function reads", found)
                else:
                    if value is not None and not isinstance(value, Mapping):
                        problems.add(index, 0, "result", "a mapping", type(value).__name__)
                        value = None
            values.append(value)
        arrays = arrays_of(values, self.fields, "result", problems)
        problems.report(bad)
        rows = np.arange(len(values))
        return [placed(each, rows, len(values), problems.rows) for each in arrays]

    def _decode_batch(self, payloads: Any) -> list[Any]:
        found = self.function(payloads)
        arrays = []
        for field in self.fields:
            values = found[field.name]
            if isinstance(values, (list, tuple)) and any(
                would_be_cut(each, field.type) for each in values
            ):
                raise ConfigurationError(
                    f"result of the function: {field.name}",
                    f"values of type {field.type}",
                    "some that would be cut",
                )
            array = pa.array(values, field.type)
            if isinstance(array, pa.ChunkedArray):
                array = array.combine_chunks()
            if array.type != field.type or len(array) != len(payloads):
                raise ConfigurationError(
                    f"result of the function: {field.name}",
                    f"{len(payloads)} values of type {field.type}",
                    f"{len(array)} of {array.type}",
                )
            arrays.append(array)
        return arrays


def function_decoder(
    function: Callable[[Any], Any], fields: Any, *, per: Per = "message", prefix: str = ""
) -> FunctionDecoder:
    """Return a decoder that is a function.

    Parameters
    ----------
    function : callable
        The function; one of a module can be pickled, see `FunctionDecoder`.
    fields : pyarrow.Schema or str
        The fields of its results: as text ``id int64, legs list<struct<side string>>``.
    per : str
        ``message`` or ``batch``.
    prefix : str
        A prefix of the columns' names, to avoid conflicts.

    Raises
    ------
    ConfigurationError
        The text of fields, or an option, is invalid.
    """
    if per not in get_args(Per):
        raise ConfigurationError("per", "message or batch", per)
    found = fields_of(fields, "fields") if isinstance(fields, str) else list(pa.schema(fields))
    return FunctionDecoder(function, tuple(each.with_nullable(True) for each in found), per, prefix)
