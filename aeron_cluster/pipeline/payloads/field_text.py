"""Columns described by text, for options that must be texts.

No counterpart in Aeron. For example ``id int64, price double, legs list<struct<side string>>``; a
colon may separate a name and its type. The type names of Spark SQL are also accepted.
"""

from __future__ import annotations

import re
from typing import Any, Final

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.payloads.arrow_arrays import pa

__all__ = ["fields_of"]

_TYPES: Final = {
    "bool": pa.bool_(),
    "boolean": pa.bool_(),
    "int8": pa.int8(),
    "tinyint": pa.int8(),
    "int16": pa.int16(),
    "smallint": pa.int16(),
    "int32": pa.int32(),
    "int": pa.int32(),
    "int64": pa.int64(),
    "bigint": pa.int64(),
    "long": pa.int64(),
    "uint8": pa.uint8(),
    "uint16": pa.uint16(),
    "uint32": pa.uint32(),
    "uint64": pa.uint64(),
    "float": pa.float32(),
    "float32": pa.float32(),
    "double": pa.float64(),
    "float64": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}
_TOKEN: Final = re.compile(r"\s*(?:(\w+)|(`[^`]+`)|([<>,:()]))")
_MAX_DEPTH: Final = 32


def fields_of(text: str, option: str) -> list[Any]:
    """Return columns as `pyarrow.Field`.

    Parameters
    ----------
    text : str
    option : str
        The source of the text, for the error.

    Raises
    ------
    ConfigurationError
        The text is malformed.
    """
    return _Reader(text, option).fields("")


class _Reader:
    """Parses the text."""

    def __init__(self, text: str, option: str) -> None:
        self._text = text
        self._option = option
        self._tokens: list[str] = []
        self._depth = 0
        at = 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._error(f"a name or one of <>,:() at {at}", text[at:])
            self._tokens.append(match[1] or match[2] or match[3])
            at = match.end()
        self._tokens.append("")

    def fields(self, end: str) -> list[Any]:
        """Return fields up to a token."""
        found: list[Any] = []
        while True:
            name = self._next().strip("`")
            if not re.search(r"\w", name) or any(each.name == name for each in found):
                raise self._error("a name that is not used yet", name or "the end")
            if self._tokens[0] == ":":
                self._next()
            found.append(pa.field(name, self._type()))
            after = self._next()
            if after == end:
                return found
            if after != ",":
                raise self._error(f"a comma or {end or 'the end'}", after or "the end")

    def _type(self) -> Any:
        name = self._next().lower()
        if name in ("list", "array", "struct"):
            self._depth += 1
            if self._depth > _MAX_DEPTH:
                raise self._error(f"types at most {_MAX_DEPTH} deep", "deeper ones")
            self._expect("<")
            if name == "struct":
                found = pa.struct(self.fields(">"))
            else:
                found = pa.list_(self._type())
                self._expect(">")
            self._depth -= 1
            return found
        if name == "decimal":
            self._expect("(")
            precision = self._next()
            self._expect(",")
            scale = self._next()
            self._expect(")")
            try:
                return pa.decimal128(int(precision), int(scale))
            except ValueError:
                found = f"decimal({precision},{scale})"
                raise self._error("decimal(precision,scale)", found) from None
        if name not in _TYPES:
            known = ", ".join((*_TYPES, "decimal(p,s)", "list<..>", "struct<..>"))
            raise self._error(f"one of {known}", name or "the end")
        return _TYPES[name]

    def _next(self) -> str:
        return self._tokens.pop(0) if len(self._tokens) > 1 else self._tokens[0]

    def _expect(self, wanted: str) -> None:
        found = self._next()
        if found != wanted:
            raise self._error(wanted, found or "the end")

    def _error(self, expected: str, found: str) -> ConfigurationError:
        return ConfigurationError(self._option, expected, found, f"in {self._text!r}")
