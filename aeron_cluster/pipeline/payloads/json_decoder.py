"""Decodes payloads that are JSON objects into columns.

No counterpart in Aeron.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aeron_cluster.pipeline.payloads.fields_decoder import MappingDecoder, nullable_fields

if TYPE_CHECKING:
    from aeron_cluster.pipeline.payloads.problems import Problems

__all__ = ["JsonDecoder", "json_decoder"]


@dataclass(frozen=True)
class JsonDecoder(MappingDecoder):
    """Payloads of one JSON object each.

    Created by `json_decoder`.

    Parameters
    ----------
    fields : tuple of pyarrow.Field
        The fields of the object; other fields are ignored, missing fields are null.
    prefix : str
        A prefix of the columns' names.
    """

    WHAT = "JSON"

    def _mapping(self, index: int, payload: bytes, problems: Problems) -> Mapping[str, Any] | None:
        try:
            value = json.loads(payload)
        except (ValueError, RecursionError) as error:
            problems.add(index, _offset_of(error), "payload", "JSON", str(error)[:80])
            return None
        if not isinstance(value, dict):
            problems.add(index, 0, "JSON", "an object", type(value).__name__)
            return None
        return value


def _offset_of(error: ValueError | RecursionError) -> int:
    """Return the offset in the payload, in UTF-8 bytes."""
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
        The fields of an object; also as text, such as ``id int64, legs list<struct<side string>>``.
    prefix : str
        A prefix of the columns' names, to avoid conflicts.

    Raises
    ------
    ConfigurationError
        The text of fields is invalid.
    """
    return JsonDecoder(nullable_fields(fields), prefix)
