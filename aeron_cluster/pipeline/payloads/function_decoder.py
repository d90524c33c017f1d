"""Decodes payloads with a user's function.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from traceback import format_exception_only
from typing import TYPE_CHECKING, Any, Literal, get_args

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.payloads.arrow_arrays import pa
from aeron_cluster.pipeline.payloads.field_values import would_be_truncated
from aeron_cluster.pipeline.payloads.fields_decoder import (
    MappingDecoder,
    nullable_fields,
    nullable_type,
)

if TYPE_CHECKING:
    from aeron_cluster.pipeline.payloads.decoder import BadPayload
    from aeron_cluster.pipeline.payloads.problems import Problems

__all__ = ["FunctionDecoder", "function_decoder"]

Per = Literal["message", "batch"]


@dataclass(frozen=True)
class FunctionDecoder(MappingDecoder):
    """Payloads that a function turns into values.

    Created by `function_decoder`.

    Parameters
    ----------
    fields : tuple of pyarrow.Field
        The fields that the function returns.
    prefix : str
        A prefix of the columns' names.
    function : callable
    per : str
        ``message``: it takes the bytes of one payload and returns a mapping, or None for no values.
        ``batch``: it takes a `pyarrow.BinaryArray` and returns a mapping of arrays as long as that.
    """

    WHAT = "result"

    function: Callable[[Any], Any]
    per: Per = "message"

    def decode(self, payloads: Any, bad: list[BadPayload] | None = None) -> list[Any]:
        """Return the columns of some payloads; see `PayloadDecoder`.

        Notes
        -----
        If a function for ``message`` raises, the payload cannot be read. An exception of a function
        for ``batch`` is propagated.
        """
        return (
            super().decode(payloads, bad) if self.per == "message" else self._decode_batch(payloads)
        )

    def _mapping(self, index: int, payload: bytes, problems: Problems) -> Mapping[str, Any] | None:
        try:
            value = self.function(payload)
        except Exception as error:  # noqa: BLE001 - every exception is reported
            # Its text is the user's, too, and may raise.
            found = " ".join("".join(format_exception_only(error)).split())[:200]
            problems.add(index, 0, "payload", "one that the function reads", found)
            return None
        if value is not None and not isinstance(value, Mapping):
            problems.add(index, 0, "result", "a mapping", type(value).__name__)
            return None
        return value

    def _decode_batch(self, payloads: Any) -> list[Any]:
        found = self.function(payloads)
        arrays = []
        for field in self.fields:
            values = found[field.name]
            if isinstance(values, (list, tuple)) and any(
                would_be_truncated(each, field.type) for each in values
            ):
                raise ConfigurationError(
                    f"result of the function: {field.name}",
                    f"values of type {field.type}",
                    "some that would be truncated",
                )
            is_arrow = isinstance(values, (pa.Array, pa.ChunkedArray))
            if is_arrow and nullable_type(values.type) == field.type:
                values = values.cast(field.type)
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
    """Return a decoder that calls a function.

    Parameters
    ----------
    function : callable
        The function; only functions of modules can be pickled; see `FunctionDecoder`.
    fields : pyarrow.Schema or str
        The fields of its results; also as text, such as ``id int64, legs list<struct<side
        string>>``.
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
    return FunctionDecoder(nullable_fields(fields), prefix, function, per)
