"""Parses the values of options; errors name the option.

No counterpart in Aeron.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.files.urls import local

__all__ = [
    "Ends",
    "Parser",
    "as_is",
    "directory",
    "ends",
    "flag",
    "numbers",
    "one_of",
    "positive",
    "seconds",
    "time",
    "whole",
    "words",
]

# Archive directory, recording and end position.
Ends: TypeAlias = tuple[tuple[str, int, int], ...]
Parser: TypeAlias = Callable[[str, str], Any]


def flag(name: str, text: str) -> bool:
    """Return a bool for ``true`` or ``false``, case-insensitive."""
    if text.lower() not in ("true", "false"):
        raise ConfigurationError(name, "true or false", text)
    return text.lower() == "true"


def whole(name: str, text: str) -> int:
    """Return an integer."""
    try:
        return int(text)
    except ValueError:
        raise ConfigurationError(name, "a whole number", text) from None


def positive(name: str, text: str) -> int:
    """Return a positive integer."""
    value = whole(name, text)
    if value <= 0:
        raise ConfigurationError(name, "a number above 0", text)
    return value


def seconds(name: str, text: str) -> float:
    """Return a number of seconds."""
    try:
        return float(text)
    except ValueError:
        raise ConfigurationError(name, "a number of seconds", text) from None


def as_is(_name: str, text: str) -> str:
    """Return the text unchecked; its consumer checks it."""
    return text


def directory(name: str, text: str) -> str:
    """Return an absolute path, as tasks run in other directories."""
    return local(name, text)


def one_of(*known: str) -> Parser:
    """Return a parser that accepts one of some words."""

    def parse(name: str, text: str) -> str:
        if text not in known:
            raise ConfigurationError(name, " or ".join(known), text)
        return text

    return parse


def words(_name: str, text: str) -> tuple[str, ...]:
    """Return words that are separated by commas."""
    return tuple(word for each in text.split(",") if (word := each.strip()))


def numbers(name: str, text: str) -> tuple[int, ...]:
    """Return integers that are separated by commas."""
    return tuple(whole(name, word) for word in words(name, text))


def time(_name: str, text: str) -> int | str:
    """Return a raw time, or a text that is later parsed as ISO 8601."""
    try:
        return int(text)
    except ValueError:
        return text


def ends(name: str, text: str) -> Ends:
    """Decode the recording ends that `load` stored as JSON."""
    try:
        return tuple((str(place), int(id_), int(end)) for place, id_, end in json.loads(text))
    except (TypeError, ValueError):
        raise ConfigurationError(name, "the value set by `load`", text) from None
