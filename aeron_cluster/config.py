"""The one table of options: property names, defaults, units and checks.

An option is looked up as a keyword argument, then in properties (a ``.properties`` file of Java's,
or a mapping), then in the environment, spelled as Aeron's C driver spells it
(``aeron.client.name``: ``AERON_CLIENT_NAME``), and is its default otherwise.
"""

import difflib
import getpass
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from aeron_cluster.errors import ConfigurationError

__all__ = [
    "CLIENT",
    "Option",
    "boolean",
    "default_aeron_dir",
    "duration_ms",
    "duration_ns",
    "integer",
    "read_properties",
    "resolve",
    "size",
    "text",
]

_DURATION_UNITS: Final = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_SIZE_UNITS: Final = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


class Option(NamedTuple):
    """One option: its keyword, its property, and how a text or value of it is read.

    Parameters
    ----------
    keyword : str
        The keyword argument; a quantity ends in its unit (``driver_timeout_ns``).
    name : str
        Aeron's property name.
    default : object
        The value where nobody gives one; a function without arguments is called for it.
    read : Callable
        Makes the value of a text or a keyword's value; raises `ValueError` with what was expected.
    """

    keyword: str
    name: str
    default: object
    read: Callable[[object], Any]

    @property
    def environment_name(self) -> str:
        """The variable that Aeron's C driver reads."""
        return self.name.replace(".", "_").upper()


def text(value: object) -> str:
    """Read a text."""
    if isinstance(value, str | os.PathLike):
        return os.fspath(value) if isinstance(value, os.PathLike) else value
    raise ValueError("a text")


def boolean(value: object) -> bool:
    """Read true or false."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in {"true", "false"}:
        return value.lower() == "true"
    raise ValueError("true or false")


def _scaled(value: object, units: Mapping[str, int], plain: int, expected: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        if value >= 0:
            return value
    elif isinstance(value, str):
        digits = value.strip().rstrip("".join(units) + "".join(units).upper())
        unit = value.strip()[len(digits) :].lower()
        if digits.isascii() and digits.isdigit() and (not unit or unit in units):
            return int(digits) * (units[unit] if unit else plain)
    raise ValueError(expected)


def size(value: object) -> int:
    """Read a number of bytes: digits, optionally followed by k, m or g."""
    return _scaled(value, _SIZE_UNITS, 1, "a size in bytes: digits, optionally with k, m or g")


def duration_ns(value: object) -> int:
    """Read a duration; a number is ns, a text may end in ns, us, ms or s (default ns)."""
    return _scaled(value, _DURATION_UNITS, 1, "a duration: digits, optionally with ns, us, ms or s")


def duration_ms(value: object) -> int:
    """Read a duration whose property is plain milliseconds; the keyword's number is ns."""
    expected = "a duration: digits (ms), optionally with ns, us, ms or s"
    return _scaled(value, _DURATION_UNITS, _DURATION_UNITS["ms"], expected)


def integer(low: int, high: int) -> Callable[[object], int]:
    """Return a reader of integers from ``low`` to ``high``."""

    def read(value: object) -> int:
        try:
            number = int(value) if isinstance(value, int | str) else None
        except ValueError:
            number = None
        if number is None or isinstance(value, bool) or not low <= number <= high:
            raise ValueError(f"an integer from {low} to {high}")
        return number

    return read


def _limited(read: Callable[[object], str | int], limit: int) -> Callable[[object], str | int]:
    def checked(value: object) -> str | int:
        result = read(value)
        if (len(result) if isinstance(result, str) else result) > limit:
            raise ValueError(f"at most {limit}")
        return result

    return checked


def default_aeron_dir() -> str:
    """Return the directory that drivers and clients of this user share unless told otherwise."""
    shared = Path("/dev/shm")  # noqa: S108 - where Aeron's drivers put it
    parent = shared if shared.is_dir() else Path(tempfile.gettempdir())
    return str(parent / f"aeron-{getpass.getuser()}")


CLIENT: Final = (
    Option("aeron_dir", "aeron.dir", default_aeron_dir, text),
    Option("driver_timeout_ns", "aeron.driver.timeout", 10_000_000_000, duration_ms),
    Option("client_name", "aeron.client.name", "", _limited(text, 100)),
    Option(
        "idle_sleep_duration_ns",
        "aeron.client.idle.sleep.duration",
        16_000_000,
        _limited(duration_ns, 1_000_000_000),
    ),
    Option(
        "resource_linger_duration_ns",
        "aeron.client.resource.linger.duration",
        3_000_000_000,
        duration_ns,
    ),
    Option("close_linger_duration_ns", "aeron.client.close.linger.duration", 0, duration_ns),
)


def resolve(
    options: Iterable[Option],
    keywords: Mapping[str, object],
    properties: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the value of each option under its keyword.

    Parameters
    ----------
    options : Iterable[Option]
        A part of the table.
    keywords : Mapping[str, object]
        What the caller gave; a value of None counts as not given.
    properties : Mapping[str, str], optional
        Properties, as `read_properties` gives them.
    environment : Mapping[str, str], optional
        The environment; that of the process by default.

    Raises
    ------
    ConfigurationError
        If a keyword is unknown or a value makes no sense; it names where the value came from.
    """
    table = {option.keyword: option for option in options}
    for keyword in keywords:
        if keyword not in table:
            near = difflib.get_close_matches(keyword, table, 1, 0.3)
            hint = f"nearest: {near[0]}" if near else ""
            raise ConfigurationError("option", "a known option", keyword, hint)
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    for keyword, option in table.items():
        sources = (
            (keyword, keywords.get(keyword)),
            (option.name, (properties or {}).get(option.name)),
            (option.environment_name, environment.get(option.environment_name)),
        )
        for source, given in sources:
            if given is None:
                continue
            try:
                values[keyword] = option.read(given)
            except ValueError as refused:
                raise ConfigurationError(source, str(refused), given) from None
            break
        else:
            values[keyword] = option.default() if callable(option.default) else option.default
    return values


def read_properties(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read a properties file: ``name=value`` lines, ``#`` and ``!`` start comments."""
    found: dict[str, str] = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        name, separator, value = line.strip().partition("=")
        if name and separator and name[0] not in "#!":
            found[name.strip()] = value.strip()
    return found
