"""Creates decoders from text options, such as Spark's.

No counterpart in Aeron.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.payloads.arrow_decoder import arrow_decoder
from aeron_cluster.pipeline.payloads.field_text import fields_of
from aeron_cluster.pipeline.payloads.function_decoder import function_decoder
from aeron_cluster.pipeline.payloads.json_decoder import json_decoder
from aeron_cluster.pipeline.payloads.sbe_decoder import sbe_decoder

if TYPE_CHECKING:
    from aeron_cluster.pipeline.payloads.decoder import PayloadDecoder

__all__ = ["PAYLOAD_OPTIONS", "decoder_from_options"]

# The options of each kind in addition to `payload` and `payload_prefix`.
PAYLOAD_OPTIONS: Final = {
    "sbe": ("payload_schema", "payload_message", "payload_unknown", "payload_enums"),
    "json": ("payload_schema",),
    "arrow": ("payload_schema", "payload_rows"),
    "python": ("payload_schema", "payload_function", "payload_per"),
}


def decoder_from_options(
    options: Mapping[str, str], *, widened: bool = True
) -> PayloadDecoder | None:
    """Return the decoder that the options specify, or None.

    Parameters
    ----------
    options : mapping of str
        ``payload`` is ``sbe``, ``json``, ``arrow`` or ``python``; ``payload_schema`` is the path of
        an SBE schema, or for other kinds the columns as text. Options that do not begin with
        ``payload`` are ignored. Names and kinds are case-insensitive.
    widened : bool
        Convert SBE's unsigned numbers to wider signed ones, which Spark requires.

    Raises
    ------
    ConfigurationError
        An option is missing, does not belong to the kind, or is invalid.
    MissingFileError, SchemaError
        The SBE schema is missing or invalid.
    """
    selected = {key.lower(): value for key, value in options.items()}
    selected = {key: value for key, value in selected.items() if key.startswith("payload")}
    kind = selected.pop("payload", "").lower()
    if not kind:
        if selected:
            raise ConfigurationError("payload", f"one of {', '.join(PAYLOAD_OPTIONS)}", "none")
        return None
    if kind not in PAYLOAD_OPTIONS:
        raise ConfigurationError("payload", f"one of {', '.join(PAYLOAD_OPTIONS)}", kind)
    known = ("payload_prefix", *PAYLOAD_OPTIONS[kind])
    for key in selected:
        if key not in known:
            raise ConfigurationError(key, f"for {kind} some of {', '.join(known)}", selected[key])
    if "payload_schema" not in selected:
        raise ConfigurationError("payload_schema", f"one for {kind}", "none")
    schema = selected["payload_schema"]
    prefix = selected.get("payload_prefix", "")
    if kind == "sbe":
        return sbe_decoder(
            schema,
            selected.get("payload_message"),
            prefix=prefix,
            unknown=_one_of(selected, "payload_unknown", "error", "null"),
            enums=_one_of(selected, "payload_enums", "names", "values"),
            widened=widened,
        )
    fields = fields_of(schema, "payload_schema")
    if kind == "json":
        return json_decoder(fields, prefix=prefix)
    if kind == "arrow":
        rows = _one_of(selected, "payload_rows", "one", "many")
        return arrow_decoder(fields, rows=rows, prefix=prefix)
    per = _one_of(selected, "payload_per", "message", "batch")
    function = _function(selected.get("payload_function", ""))
    return function_decoder(function, fields, per=per, prefix=prefix)


def _one_of(selected: Mapping[str, str], key: str, *words: str) -> Any:
    """Return an option with a fixed set of values; the first value is the default."""
    word = selected.get(key, words[0]).lower()
    if word not in words:
        raise ConfigurationError(key, " or ".join(words), word)
    return word


def _function(path: str) -> Callable[[Any], Any]:
    """Import a function by its module and name."""
    module, _, name = path.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        expected = "module:function that can be imported"
        raise ConfigurationError("payload_function", expected, path, str(error)) from error
    if not callable(found):
        raise ConfigurationError("payload_function", "a function", path)
    return found  # type: ignore[no-any-return]
