"""Payloads that are JSON objects as columns.

No counterpart in Aeron.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from aeron_cluster.pipeline.payloads.arrow_arrays import pa, placed
from aeron_cluster.pipeline.payloads.field_text import fields_of
from aeron_cluster.pipeline.payloads.field_values import arrays_of, picked_fields
from aeron_cluster.pipeline.payloads.problems import Problems

if TYPE_CHECKING:
    from aeron_cluster.pipeline.payloads.decoder import BadPayload

__all__ = ["JsonDecoder", "json_decoder"]


@dataclass(frozen=True)
class JsonDecoder:
    """Payloads of one JSON object each.

    Made by `json_decoder`.

    Parameters
    ----------
    fields : tuple of pyarrow.Field
        The fields of the object; others are ignored, missing ones are null.
    prefix : str
        A prefix of the columns' names.
    """

    fields: tuple[Any, ...]
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
        """Return the columns of some payloads; see `PayloadDecoder`."""
        problems = Problems(len(payloads))
        values: list[Mapping[str, Any] | None] = []
        for index, payload in enumerate(payloads.to_pylist()):
            value = None
            if payload is not None:
                try:
                    value = json.loads(payload)
                except (ValueError, RecursionError) as error:
                    problems.add(index, _offset_of(error), "payload", "JSON", str(error)[:80])
                else:
                    if not isinstance(value, dict):
                        problems.add(index, 0, "JSON", "an object", type(value).__name__)
                        value = None
            values.append(value)
        arrays = arrays_of(values, self.fields, "JSON", problems)
        problems.report(bad)
        rows = np.arange(len(values))
        return [placed(each, rows, len(values), problems.rows) for each in arrays]


def _offset_of(error: ValueError | RecursionError) -> int:
    """Return the offset in the payload, in bytes of UTF-8."""
    match error:
        case json.JSONDecodeError():
            return len(error.doc[: error.pos].encode(errors="surrogatepass"))
        case UnicodeDecodeError():
            return error.start
        case _:
            return 0


def json_decoder(fields: Any, *, prefix: str = "") -> JsonDecoder:
    """Return a decoder of payloads that are JSON objects.

    Parameters
    ----------
    fields : pyarrow.Schema or str
        The fields of an object: as text ``id int64, legs list<struct<side string>>``.
    prefix : str
        A prefix of the columns' names, to avoid conflicts.

    Raises
    ------
    ConfigurationError
        The text of fields is invalid.
    """
    found = fields_of(fields, "fields") if isinstance(fields, str) else list(pa.schema(fields))
    return JsonDecoder(tuple(each.with_nullable(True) for each in found), prefix)
