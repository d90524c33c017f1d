"""The table of all properties: names, defaults, units and checks.

A value comes from a keyword argument, else from a properties file, else from an environment
variable with the name that Aeron's C driver uses, else from the table. Names and defaults are those
of Aeron 1.51.0.
"""

from __future__ import annotations

import difflib
import getpass
import importlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, assert_never

from aeron_cluster.errors import ConfigurationError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = [
    "ALL_OPTIONS",
    "ARCHIVE_CLIENT_OPTIONS",
    "ARCHIVE_OPTIONS",
    "BACKUP_OPTIONS",
    "CLIENT_OPTIONS",
    "CLUSTER_CLIENT_OPTIONS",
    "CONSENSUS_MODULE_OPTIONS",
    "DRIVER_OPTIONS",
    "DURATION_UNITS",
    "MEMBERSHIP_OPTIONS",
    "SERVICE_CONTAINER_OPTIONS",
    "SURVIVING_CLIENT_OPTIONS",
    "TOOL_OPTIONS",
    "WITHOUT_COUNTERPART",
    "Configuration",
    "Duration",
    "Option",
    "ParsedText",
    "Size",
    "WithOptions",
    "assumed_environment",
    "check_keywords",
    "check_property_names",
    "construct",
    "default_aeron_dir",
    "duration_ns",
    "environment_name",
    "format_duration_ns",
    "format_size",
    "named_object",
    "own_environment",
    "parse_digits",
    "parse_duration_ns",
    "parse_properties",
    "parse_size",
    "resolve",
    "unless_configured",
]

_C = TypeVar("_C", bound="DataclassInstance")

Kind = Literal["size", "duration_ns", "int", "bool", "str", "enum"]

Duration = int | str | timedelta
"""A duration: nanoseconds, a text with its unit (``10s``), or a timedelta."""
Size = int | str
"""A length: bytes, or a text such as ``64k``."""


class ParsedText:
    """A parsed text that an option takes as well as the text: the base class of `ChannelUri`."""

    __slots__ = ()


# More digits than any value has, and far fewer than Python's own limit, which is a ValueError.
_MAX_DIGITS: Final = 100
_SIZE = re.compile(rf"(\d{{1,{_MAX_DIGITS}}})([kKmMgG]?)")
_SIZE_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}
_DURATION = re.compile(rf"(\d{{1,{_MAX_DIGITS}}})(ns|us|ms|s)?", re.IGNORECASE)
_INTEGER = re.compile(rf"\s*[+-]?\d{{1,{_MAX_DIGITS}}}\s*")
DEFAULT_AUTHENTICATOR: Final = "io.aeron.security.DefaultAuthenticatorSupplier"
DURATION_UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_BOOLEANS = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}


def _unread_text(name: str, text: str, suffixes: str = "") -> str:
    """Return upstream's text for a value that cannot be read: of C for a variable, or of Java."""
    if name.startswith("AERON_"):
        return f"{name}={text} is invalid"
    return f"{name}: {text} should end with: {suffixes}." if suffixes and "." in name else ""


def parse_digits(text: str) -> int | None:
    """Return the number of a text of decimal digits, at most 100; None for any other text."""
    return int(text) if text.isdecimal() and len(text) <= _MAX_DIGITS else None


def parse_size(name: str, text: str) -> int:
    """Return the number of bytes for a text like ``64k``; k, m and g are powers of 1024."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise ConfigurationError(
            name, "a size such as 64k", text, upstream=_unread_text(name, text, "k, m, or g")
        )
    return int(found[1]) * _SIZE_UNITS[found[2].lower()]


def parse_duration_ns(name: str, text: str, plain_unit: str = "ns") -> int:
    """Return the nanoseconds for a text like ``10s``; the suffixes are ns, us, ms and s."""
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise ConfigurationError(
            name,
            "a duration such as 10s or 200ms",
            text,
            upstream=_unread_text(name, text, "s, ms, us, or ns"),
        )
    return int(found[1]) * DURATION_UNITS[(found[2] or plain_unit).lower()]


def duration_ns(name: str, value: Any) -> int:  # noqa: ANN401 - whatever was given
    """Return a duration in nanoseconds.

    Parameters
    ----------
    name : str
        The name of the option, for the error.
    value : int, str or timedelta
        Nanoseconds; a text with its unit, such as ``10s``; or a timedelta.

    Raises
    ------
    ConfigurationError
        The text has no unit, or the value is not a duration.
    """
    match value:
        case bool():
            pass
        case int():
            return value
        case timedelta():
            return value // timedelta(microseconds=1) * 1_000
        case str():
            # A text without a unit would mean nanoseconds, which is probably a mistake.
            if not parse_digits(value.strip()):
                return parse_duration_ns(name, value)
        case _:
            pass
    raise ConfigurationError(name, "a time with its unit, such as 10s or 200ms", value)


def format_size(length: int) -> str:
    """Return a size as `parse_size` reads it, with the largest exact suffix."""
    for suffix in ("g", "m", "k"):
        if length and length % _SIZE_UNITS[suffix] == 0:
            return f"{length // _SIZE_UNITS[suffix]}{suffix}"
    return str(length)


def format_duration_ns(duration_ns: int) -> str:
    """Return a duration as `parse_duration_ns` reads it, with the largest exact suffix."""
    for suffix in ("s", "ms", "us"):
        if duration_ns and duration_ns % DURATION_UNITS[suffix] == 0:
            return f"{duration_ns // DURATION_UNITS[suffix]}{suffix}"
    return f"{duration_ns}ns"


# The names of values in upstream's texts for numbers out of range.
_IN_TEXTS: Final[Mapping[str, str]] = {
    "aeron.file.page.size": "filePageSize",
    "aeron.conductor.buffer.length": "conductorBufferLength",
    "aeron.clients.buffer.length": "toClientsBufferLength",
    "aeron.counters.buffer.length": "counterValuesBufferLength",
    "aeron.error.buffer.length": "errorBufferLength",
    "aeron.nak.unicast.retry.delay.ratio": "nakUnicastRetryDelayRatio",
    "aeron.unicast.flow.control.rrwm": "unicastFlowControlRetransmitReceiverWindowMultiple",
    "aeron.multicast.flow.control.rrwm": "multicastFControlRetransmitReceiverWindowMultiple",
}


def _range_text(name: str, value: int, low: int, high: int | None) -> str:
    """Return Java's text for a number that is not allowed; empty if it has none."""
    is_high = high is not None and value > high
    if name.endswith("mtu.length"):
        if is_high:
            return f"mtuLength={value} > MAX_UDP_PAYLOAD_LENGTH={high}"
        header = 32
        if value <= header:
            return f"mtuLength={value} <= HEADER_LENGTH={header}"
        return f"mtuLength={value} is not a multiple of FRAME_ALIGNMENT=32"
    if name.endswith("term.buffer.length"):
        if value < low:
            return f"Term length less than min length of {low}: length={value}"
        if is_high:
            return f"Term length more than max length of {high}: length={value}"
        return f"Term length not a power of 2: length={value}"
    match name:
        case "aeron.archive.segment.file.length":
            fault = "not a power of 2" if value & (value - 1) else "not in valid range"
            return f"segment file length {fault}: {value}"
        case "aeron.archive.file.io.max.length":
            return f"invalid fileIoMaxLength={value}"
        case "aeron.archive.error.buffer.length":
            return f"invalid errorBufferLength={value}"
        case "aeron.archive.message.retry.attempts":
            return f"AeronArchive.Context.messageRetryAttempts must be > 0, got: {value}"
        case "aeron.cluster.service.count":
            return f"service count of range [{low}, {high}]: {value}"
        case "aeron.cluster.service.id":
            return f"service id outside allowed range [{low},{high}]: {value}"
        case _ if name in _IN_TEXTS:
            what = _IN_TEXTS[name]
            if value < low:
                return f"{what} less than min size of {low}: {value}"
            if is_high:
                return f"{what} greater than max size of {high}: {value}"
            return f"{what} not a power of 2: {value}"
        case _:
            return ""


def default_aeron_dir() -> str:
    """Return the default directory of the driver and its clients."""
    parent = Path("/dev/shm")  # noqa: S108 - Aeron's place on Linux
    if not parent.is_dir():
        import tempfile  # noqa: PLC0415 - rarely needed, and slow to import

        parent = Path(tempfile.gettempdir())
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user id without an entry
        user = "default"
    return str(parent / f"aeron-{user}")


def environment_name(name: str) -> str:
    """Return the environment variable from which Aeron's C driver reads a property."""
    return name.replace(".", "_").upper()


@dataclass(frozen=True)
class Option:
    """One property.

    Parameters
    ----------
    name : str
        Aeron's property name.
    kind : str
        The type of its text: ``size`` (bytes), ``duration_ns``, ``int``, ``bool``, ``str`` or
        ``enum``.
    default : object
        The default value, or a function that returns it; None means unset.
    doc : str
        A description.
    minimum, maximum : int, optional
        The lowest and the highest value allowed.
    multiple_of : int
        A number must be a multiple of this.
    power_of_two : bool
        Whether a number must be a power of two.
    choices : tuple of str
        An enum's values.
    keyword : str
        The keyword argument; by default derived from the name.
    environment : str
        The environment variable; by default derived from the name.
    plain_unit : str
        The unit of a duration's text without a suffix.
    secret : bool
        Whether the value must not be shown.
    """

    name: str
    kind: Kind
    default: Any
    doc: str
    minimum: int | None = None
    maximum: int | None = None
    multiple_of: int = 1
    power_of_two: bool = False
    choices: tuple[str, ...] = ()
    keyword: str = ""
    environment: str = ""
    plain_unit: str = "ns"
    secret: bool = False

    def __post_init__(self) -> None:
        if not self.keyword:
            words = self.name
            for prefix in ("aeron.archive.", "aeron.cluster.", "cluster.", "aeron."):
                if words.startswith(prefix):
                    words = words.removeprefix(prefix)
                    break
            words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", words).replace(".", "_").lower()
            if self.kind == "duration_ns" and not words.endswith("_ns"):
                words += "_ns"
            object.__setattr__(self, "keyword", words)
        if not self.environment:
            object.__setattr__(self, "environment", environment_name(self.name))

    def parse(self, text: str, called: str | None = None) -> Any:  # noqa: ANN401 - kind decides
        """Parse and check a text; return the value.

        Parameters
        ----------
        text : str
            The text, as in a properties file.
        called : str, optional
            The name of the option in errors; by default its own.
        """
        name = called or self.name
        value = self._read(name, text)
        if isinstance(value, int) and not self._fits(value):
            raise self._out_of_range(name, value, text)
        return self.check(value, name)

    def _read(self, name: str, text: str) -> Any:  # noqa: ANN401 - kind decides
        match self.kind:
            case "size":
                return parse_size(name, text)
            case "duration_ns":
                return parse_duration_ns(name, text, self.plain_unit)
            case "int":
                if _INTEGER.fullmatch(text) is None:
                    upstream = _unread_text(name, text)
                    raise ConfigurationError(name, self.expected, text, upstream=upstream)
                return int(text)
            case "bool":
                if text.strip().lower() not in _BOOLEANS:
                    upstream = _unread_text(name, text)
                    raise ConfigurationError(name, self.expected, text, upstream=upstream)
                return _BOOLEANS[text.strip().lower()]
            case "enum":
                return text.strip()
            case "str":
                return text
            case _:
                assert_never(self.kind)

    def check(self, value: Any, called: str | None = None) -> Any:  # noqa: ANN401 - kind decides
        """Check a value and return it; a text is parsed first, unless the option is a text.

        Raises
        ------
        ConfigurationError
            The value is not allowed.
        """
        name = called or self.name
        if value is None:
            return None
        if self.kind == "duration_ns" and isinstance(value, str | timedelta):
            value = duration_ns(name, value)
        if isinstance(value, str) and self.kind not in ("str", "enum"):
            return self.parse(value, name)
        match self.kind:
            case "enum":
                value = getattr(value, "name", value)
                if not isinstance(value, str) or value.upper() not in self.choices:
                    near = difflib.get_close_matches(str(value).upper(), self.choices, 1)
                    hint = f"did you mean {near[0]}?" if near else ""
                    upstream = _unread_text(name, str(value))
                    raise ConfigurationError(name, self.expected, value, hint, upstream=upstream)
                return value.upper()
            case "bool" | "str":
                wanted: type = bool if self.kind == "bool" else str
                if wanted is str and isinstance(value, os.PathLike):
                    value = os.fspath(value)
                elif isinstance(value, ParsedText) and self.keyword.endswith("channel"):
                    value = str(value)
                if not isinstance(value, wanted):
                    raise ConfigurationError(name, self.expected, value)
            case _:
                if not isinstance(value, int) or isinstance(value, bool):
                    raise ConfigurationError(name, self.expected, value)
                if not self._fits(value):
                    raise self._out_of_range(name, value, value)
        return value

    def _out_of_range(self, name: str, value: int, found: object) -> ConfigurationError:
        return ConfigurationError(
            name,
            self.expected,
            found,
            self._nearest(value),
            upstream=_range_text(self.name, value, self.minimum or 0, self.maximum),
        )

    def _fits(self, value: int) -> bool:
        return (
            (self.minimum is None or value >= self.minimum)
            and (self.maximum is None or value <= self.maximum)
            and value % self.multiple_of == 0
            and not (self.power_of_two and (value <= 0 or value & (value - 1)))
        )

    def _nearest(self, value: int) -> str:
        """Return as text the allowed value that is nearest to a rejected one."""
        if self.minimum is not None:
            value = max(value, self.minimum)
        if self.maximum is not None:
            value = min(value, self.maximum)
        below = value - value % self.multiple_of
        above = below + self.multiple_of
        if self.power_of_two:
            below = 1 << max(value.bit_length() - 1, 0)
            above = 2 * below
        found = [each for each in (below, above) if self._fits(each)]
        near = min(found, key=lambda each: abs(each - value))
        return f"nearest: {self._show(near)}"

    def _show(self, value: int) -> str:
        match self.kind:
            case "size":
                return format_size(value)
            case "duration_ns":
                return format_duration_ns(value)
            case _:
                return str(value)

    @property
    def expected(self) -> str:
        """A description of the allowed values."""
        match self.kind:
            case "enum":
                return "one of " + ", ".join(self.choices)
            case "bool":
                return "true or false"
            case "str":
                return "a text"
            case "size":
                return self._describe("a size")
            case "duration_ns":
                return self._describe("a duration")
            case "int":
                return self._describe("a whole number")
            case _:
                assert_never(self.kind)

    def _describe(self, what: str) -> str:
        words = [what]
        if self.minimum is not None:
            words.append(f">= {self._show(self.minimum)}")
        if self.maximum is not None:
            words.append(f"<= {self._show(self.maximum)}")
        if self.multiple_of > 1:
            words.append(f"a multiple of {self.multiple_of}")
        if self.power_of_two:
            words.append("a power of two")
        return ", ".join(words)


class Configuration(Mapping[str, Any]):
    """The values that `resolve` found, by keyword: as items and as attributes.

    Parameters
    ----------
    values : dict
        From keyword to value.
    origins : dict
        From keyword to origin: ``keyword``, ``properties``, ``environment`` or ``default``.
    """

    def __init__(self, values: dict[str, Any], origins: dict[str, str]) -> None:
        self._values = values
        self._origins = origins
        # As plain attributes, which are fast: components read some of them in each pass.
        self.__dict__.update(values)

    def __getitem__(self, keyword: str) -> Any:  # noqa: ANN401 - each option has its own type
        return self._values[keyword]

    def __getattr__(self, keyword: str) -> Any:  # noqa: ANN401 - each option has its own type
        raise AttributeError(f"no option has the keyword {keyword!r}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def origin(self, keyword: str) -> str:
        """Return the origin of a value: keyword, properties, environment or default."""
        return self._origins[keyword]

    def is_given(self, keyword: str) -> bool:
        """Return whether the option was given; otherwise it has the default of the table."""
        return self._origins[keyword] != "default"


class WithOptions:
    """A context with the values of a table: each is also an attribute, by its keyword."""

    options: Configuration

    def __getattr__(self, keyword: str) -> Any:  # noqa: ANN401 - each option has its own type
        if keyword == "options":  # not set yet
            raise AttributeError(keyword)
        return getattr(self.options, keyword)


_assumed: Final[ContextVar[Mapping[str, str] | None]] = ContextVar("environment", default=None)


@contextmanager
def assumed_environment(environment: Mapping[str, str]) -> Iterator[None]:
    """Replace the environment variables in a block: simulated machines have their own."""
    token = _assumed.set(environment)
    try:
        yield
    finally:
        _assumed.reset(token)


def own_environment() -> Mapping[str, str]:
    """Return those environment variables of this process that options may use, by name."""
    assumed = _assumed.get()
    if assumed is not None:
        return assumed
    # As bytes: access as text would encode and decode each one.
    return {
        os.fsdecode(name): os.fsdecode(value)
        for name, value in os.environb.items()
        if name.startswith((b"AERON_", b"CLUSTER_"))
    }


def resolve(
    options: Iterable[Option],
    keywords: Mapping[str, Any],
    properties: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Configuration:
    """Return a value for each option.

    Parameters
    ----------
    options : iterable of Option
        A component's table.
    keywords : mapping
        The given keyword arguments; a value of None counts as not given.
    properties : mapping, optional
        From property name to text: a properties file, or several merged.
    environment : mapping, optional
        By default, this process's.

    Raises
    ------
    ConfigurationError
        An unknown keyword, an unknown property, or a value that is not allowed; the error has the
        nearest valid one.
    """
    table = tuple(options)
    properties = {} if properties is None else properties
    if not isinstance(properties, Mapping):
        raise ConfigurationError(
            "properties", "a mapping, as parse_properties reads it from a file's text", properties
        )
    variables = own_environment() if environment is None else environment
    check_keywords(keywords, [option.keyword for option in table])
    if properties:
        check_property_names(name for name in properties if name.startswith("aeron."))
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for option in table:
        if keywords.get(option.keyword) is not None:
            value = option.check(keywords[option.keyword], option.keyword)
            if option.name in properties:
                option.parse(properties[option.name])  # validates overridden values too
            origin = "keyword"
        elif option.name in properties:
            value, origin = option.parse(properties[option.name]), "properties"
        elif variables.get(option.environment):
            value = option.parse(variables[option.environment], option.environment)
            origin = "environment"
        else:
            value = option.default() if callable(option.default) else option.default
            origin = "default"
        values[option.keyword] = value
        origins[option.keyword] = origin
    return Configuration(values, origins)


def unless_configured(properties: Mapping[str, str], **defaults: object) -> dict[str, Any]:
    """Return those options, by keyword, that neither a property nor the environment sets."""
    environment = own_environment()
    resolved = {
        option.keyword
        for option in ALL_OPTIONS
        if option.name in properties or environment.get(option.environment)
    }
    return {keyword: value for keyword, value in defaults.items() if keyword not in resolved}


def construct(
    kind: type[_C],
    options: Iterable[Option],
    given: Mapping[str, Any],
    properties: Mapping[str, str] | None = None,
) -> _C:
    """Create a dataclass whose fields are options of a table, or other arguments.

    Parameters
    ----------
    kind : type
        The dataclass; an option of the table without a field is only checked.
    options : iterable of Option
        The table.
    given : mapping
        Keyword arguments for either.
    properties : mapping, optional
        As for `resolve`.

    Raises
    ------
    ConfigurationError
        As for `resolve`.
    """
    table = tuple(options)
    names = {field.name for field in fields(kind)}
    others = names - {option.keyword for option in table}
    handed = {
        name: duration_ns(name, value) if name.endswith("_ns") else value
        for name, value in given.items()
        if name in others
    }
    own_options = {name: value for name, value in given.items() if name not in others}
    found = resolve(table, own_options, properties)
    return kind(**{name: found[name] for name in names & found.keys()}, **handed)


def check_keywords(given: Iterable[str], known: Iterable[str]) -> None:
    """Reject an unknown keyword of a component.

    Raises
    ------
    ConfigurationError
        The keyword is unknown; the error has the nearest valid one.
    """
    _reject_unknown(given, list(known), "a keyword of this component")


def named_object(name: str, text: str | None, expected: str) -> Any:  # noqa: ANN401 - any object
    """Return the object that the value of an option names, as ``module:name``.

    Upstream's options of this kind have the name of a Java class.

    Parameters
    ----------
    name : str
        The name of the option, for the error.
    text : str or None
        The value: a module that Python can import, and a name in it, such as ``security:Users``.
    expected : str
        A description of the values, for the error.

    Raises
    ------
    ConfigurationError
        The value has another form, or there is no such module or name.
    """
    module, _, path = (text or "").partition(":")
    if not module or not path:
        raise ConfigurationError(name, expected, text)
    try:
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(name, expected, text, str(error)) from error
    return found


def check_property_names(names: Iterable[str]) -> None:
    """Reject a property that is unknown in Aeron.

    Raises
    ------
    ConfigurationError
        The property is unknown; the error has the nearest valid one.
    """
    given = list(names)
    for name in given:
        if name in WITHOUT_COUNTERPART:
            raise ConfigurationError(name, f"it unset, since {WITHOUT_COUNTERPART[name]}", name)
    _reject_unknown(given, [option.name for option in ALL_OPTIONS], "a property of Aeron")


WITHOUT_COUNTERPART: Final = {
    "aeron.event.log.reader.classname": "each component writes the lines of its events itself",
    "aeron.debug.timeout": "it is for debuggers of Java",
    "aeron.cluster.tool.delay": "it is read nowhere: the delay is an argument of backup-query",
    "aeron.fallback.logger": "messages are logged by Python's logging",
    "aeron.secure.random.algorithm": "random numbers are the system's",
    "aeron.use.windows.high.res.timer": "it is for Windows",
}
"""Properties of Aeron that mean nothing here, and the reasons."""


def _reject_unknown(given: Iterable[str], known: list[str], expected: str) -> None:
    names = set(known)
    for name in given:
        if name not in names:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else ""
            raise ConfigurationError(name, expected, name, hint)


_BLANKS = " \t\f"
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_PLAIN_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def parse_properties(text: str) -> dict[str, str]:
    r"""Return the properties in the text of a Java properties file.

    Parameters
    ----------
    text : str
        Lines ``name=value`` or ``name: value``; ``#`` and ``!`` begin comments, a backslash at the
        end of a line continues it on the next line, ``\t``, ``\n``, ``\uXXXX`` and the like are
        escapes.
    """
    found: dict[str, str] = {}
    whole = ""
    for raw in re.split(r"\r\n|\r|\n", text):
        line = raw.lstrip(_BLANKS)
        if not whole and (not line or line[0] in "#!"):
            continue
        whole += line
        if (len(line) - len(line.rstrip("\\"))) % 2 == 1:
            whole = whole[:-1]
            continue
        _add_property(whole, found)
        whole = ""
    if whole:
        _add_property(whole, found)
    return found


def _add_property(line: str, found: dict[str, str]) -> None:
    end = 0
    while end < len(line) and line[end] not in "=:" + _BLANKS:
        end += 2 if line[end] == "\\" else 1
    rest = line[end:].lstrip(_BLANKS)
    if rest[:1] in ("=", ":"):
        rest = rest[1:].lstrip(_BLANKS)
    found[_unescape(line[:end])] = _unescape(rest)


def _unescape(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) > 1:
            return chr(int(code[1:], 16))
        return _PLAIN_ESCAPES.get(code, code)

    return _ESCAPE.sub(plain, text)


# ---- the tables ----

_K, _M, _G = 1024, 1024**2, 1024**3
_US, _MS, _S = 1_000, 1_000_000, 1_000_000_000
_INT32_MAX = 2**31 - 1


def _size(
    name: str,
    default: int,
    doc: str,
    low: int | None = 0,
    high: int | None = None,
    **more: Any,  # noqa: ANN401 - fields of Option
) -> Option:
    return Option(name, "size", default, doc, minimum=low, maximum=high, **more)


def _time(
    name: str,
    default: int | None,
    doc: str,
    low: int = 0,
    high: int | None = None,
    **more: Any,  # noqa: ANN401 - fields of Option
) -> Option:
    return Option(name, "duration_ns", default, doc, minimum=low, maximum=high, **more)


def _int(
    name: str,
    default: int | None,
    doc: str,
    low: int | None = None,
    high: int | None = None,
    **more: Any,  # noqa: ANN401 - fields of Option
) -> Option:
    return Option(name, "int", default, doc, minimum=low, maximum=high, **more)


def _flag(name: str, default: bool, doc: str, **more: Any) -> Option:  # noqa: ANN401
    return Option(name, "bool", default, doc, **more)


def _text(name: str, default: str | None, doc: str, **more: Any) -> Option:  # noqa: ANN401
    return Option(name, "str", default, doc, **more)


def _enum(name: str, choices: str, doc: str, **more: Any) -> Option:  # noqa: ANN401
    """Create an option with a list of allowed words; the first one is the default."""
    words = tuple(choices.split())
    return Option(name, "enum", words[0], doc, choices=words, **more)


def _stream(name: str, default: int | None, doc: str, **more: Any) -> Option:  # noqa: ANN401
    return _int(name, default, doc, -(2**31), _INT32_MAX, **more)


_AERON_DIR = Option(
    "aeron.dir",
    "str",
    default_aeron_dir,
    "directory of the driver, which its clients share",
    keyword="aeron_dir",
)
_DRIVER_TIMEOUT = _time(
    "aeron.driver.timeout",
    10 * _S,
    "a driver without a heartbeat for this long is considered dead",
    plain_unit="ms",
)
_PRE_TOUCH = _flag(
    "aeron.pre.touch.mapped.memory",
    False,
    "touch each page when it is mapped",
    environment="AERON_CLIENT_PRE_TOUCH_MAPPED_MEMORY",
)
_FILE_PAGE_SIZE = _size(
    "aeron.file.page.size",
    4 * _K,
    "page size to which file lengths are rounded up",
    4 * _K,
    _G,
    power_of_two=True,
)
_EVENT_OUTPUT = (
    _text(
        "aeron.event.log.filename",
        None,
        "file to which logged events are appended; unset: standard output",
    ),
    _size(
        "aeron.event.buffer.length",
        8 * _M,
        "buffer of logged events, from which other processes read the recent ones",
        64 * _K,
        _G,
        power_of_two=True,
    ),
)


def _events(name: str) -> tuple[Option, ...]:
    return (
        _text(name, None, "events to log: names and numbers, separated by commas, or all"),
        _text(f"{name}.disable", None, "events to leave out of them"),
        *_EVENT_OUTPUT,
    )


def _idle(agent: str, default: str, name: str = "") -> Option:
    return _text(name or f"aeron.{agent}.idle.strategy", default, f"how the {agent} agent waits")


def _cpu(agent: str) -> Option:
    return _int(
        f"aeron.{agent}.cpu.affinity",
        -1,
        f"processor that the {agent} thread is pinned to; -1: any",
        -1,
    )


CLIENT_OPTIONS = (
    _AERON_DIR,
    _DRIVER_TIMEOUT,
    _PRE_TOUCH,
    _text("aeron.client.name", "", "shown in the heartbeat counter's label, up to 100 characters"),
    _time(
        "aeron.client.idle.sleep.duration", 16 * _MS, "time between the conductor's passes", 0, _S
    ),
    _time(
        "aeron.client.resource.linger.duration",
        3 * _S,
        "how long an unavailable image or a closed publication stays mapped",
    ),
    _time("aeron.client.close.linger.duration", 0, "how long close waits for other threads"),
)

DRIVER_OPTIONS = (
    _AERON_DIR,
    _DRIVER_TIMEOUT,
    _flag("aeron.dir.warn.if.exists", False, "log a warning when the directory exists already"),
    _flag("aeron.dir.delete.on.start", False, "delete the directory of an ended driver on start"),
    _flag("aeron.dir.delete.on.shutdown", False, "delete the directory on close"),
    # Buffers and files.
    _size("aeron.conductor.buffer.length", _M + 768, "commands to the driver", _M + 768),
    _size("aeron.clients.buffer.length", _M + 128, "events to the clients", _M + 128),
    _size("aeron.counters.buffer.length", 8 * _M, "counter values", _M, 500 * _M),
    _size("aeron.error.buffer.length", 4 * _M, "distinct error log", 4 * _M, _INT32_MAX),
    _size("aeron.loss.report.buffer.length", _M, "loss report", 4 * _K, _G),
    _FILE_PAGE_SIZE,
    _size(
        "aeron.term.buffer.length",
        16 * _M,
        "length of each of a network publication's three terms",
        64 * _K,
        _G,
        power_of_two=True,
    ),
    _size(
        "aeron.ipc.term.buffer.length",
        64 * _M,
        "length of each of an IPC publication's three terms",
        64 * _K,
        _G,
        power_of_two=True,
    ),
    _flag("aeron.term.buffer.sparse.file", True, "allocate a log's pages only when they are used"),
    _flag("aeron.perform.storage.checks", True, "check the free space before creating a log"),
    _size(
        "aeron.low.file.store.warning.threshold",
        160 * _M,
        "free space below which a warning is logged",
    ),
    _size("aeron.mtu.length", 1408, "longest frame on the wire", 64, 65504, multiple_of=32),
    _size("aeron.ipc.mtu.length", 1408, "longest frame of IPC", 64, 65504, multiple_of=32),
    _size(
        "aeron.publication.term.window.length",
        0,
        "how far a publisher may be ahead; 0: half a term",
    ),
    _size(
        "aeron.ipc.publication.term.window.length",
        0,
        "how far an IPC publisher may be ahead; 0: half a term",
    ),
    _size("aeron.rcv.initial.window.length", 128 * _K, "receiver window", 256, _INT32_MAX),
    _size("aeron.socket.so_rcvbuf", 128 * _K, "SO_RCVBUF; 0: the system's", 0, _INT32_MAX),
    _size("aeron.socket.so_sndbuf", 0, "SO_SNDBUF; 0: the system's", 0, _INT32_MAX),
    _int("aeron.socket.multicast.ttl", 0, "hops of multicast; 0: the system's", 0, 255),
    # Timeouts and intervals.
    _time("aeron.timer.interval", _S, "time between the conductor's checks of timeouts"),
    _time("aeron.client.liveness.timeout", 10 * _S, "timeout of an inactive client"),
    _time("aeron.image.liveness.timeout", 10 * _S, "timeout of an inactive image"),
    _time(
        "aeron.publication.unblock.timeout",
        15 * _S,
        "time after which an unfinished claim is replaced by padding",
    ),
    _time(
        "aeron.publication.connection.timeout",
        5 * _S,
        "time without a status message after which it is not connected",
    ),
    _time("aeron.publication.linger.timeout", 5 * _S, "how long a drained publication lingers"),
    _time("aeron.counters.free.to.reuse.timeout", _S, "time before a freed counter is reused"),
    _time("aeron.rcv.status.message.timeout", 200 * _MS, "longest time between status messages"),
    _time(
        "aeron.untethered.window.limit.timeout",
        5 * _S,
        "how long a slow untethered subscriber limits the publisher",
    ),
    _time(
        "aeron.untethered.linger.timeout",
        None,
        "how long it then lingers; unset: as the window limit timeout",
    ),
    _time("aeron.untethered.resting.timeout", 10 * _S, "how long it then rests before it rejoins"),
    _time(
        "aeron.flow.control.receiver.timeout",
        5 * _S,
        "time after which a silent receiver no longer counts",
    ),
    _time("aeron.nak.unicast.delay", _US, "delay of the first NAK for a gap"),
    _int(
        "aeron.nak.unicast.retry.delay.ratio",
        100,
        "factor by which the delay of further NAKs is longer",
        1,
    ),
    _int("aeron.nak.multicast.group.size", 10, "receivers that may send the same NAK", 1),
    _time("aeron.nak.multicast.max.backoff", 10 * _MS, "longest random delay of a NAK"),
    _time("aeron.retransmit.unicast.delay", 0, "delay of a retransmit"),
    _time(
        "aeron.retransmit.unicast.linger",
        10 * _MS,
        "time after a retransmit in which NAKs for it are ignored",
    ),
    _time(
        "aeron.driver.reresolution.check.interval",
        _S,
        "time between checks of the names of silent endpoints",
    ),
    _time(
        "aeron.driver.resolver.neighbor.timeout",
        10 * _S,
        "time after which a silent driver and its name are forgotten",
        _MS,
    ),
    _time(
        "aeron.driver.resolver.self.resolution.interval",
        _S,
        "interval of announcing the own name to other drivers",
        _MS,
    ),
    _time(
        "aeron.driver.resolver.neighbor.resolution.interval",
        2 * _S,
        "interval of passing on the names of other drivers",
        _MS,
    ),
    _time(
        "aeron.driver.resolver.bootstrap.neighbor.resolution.interval",
        10 * _S,
        "interval of looking up bootstrap neighbours that are silent",
        _MS,
    ),
    _time(
        "aeron.driver.conductor.cycle.threshold",
        100 * _MS,
        "duration above which a pass is counted",
    ),
    _time(
        "aeron.driver.sender.cycle.threshold", 100 * _MS, "duration above which a pass is counted"
    ),
    _time(
        "aeron.driver.receiver.cycle.threshold", 100 * _MS, "duration above which a pass is counted"
    ),
    _time(
        "aeron.name.resolver.threshold",
        5 * _S,
        "duration above which a resolution is counted",
        environment="AERON_DRIVER_NAME_RESOLVER_THRESHOLD",
    ),
    # Behaviour and limits.
    _enum(
        "aeron.threading.mode",
        "DEDICATED SHARED_NETWORK SHARED INVOKER",
        "how the driver's agents share threads",
    ),
    _idle("conductor", "backoff"),
    _idle("sender", "backoff"),
    _idle("receiver", "backoff"),
    _idle("sharednetwork", "backoff"),
    _idle("shared", "backoff"),
    _flag("aeron.driver.connect", True, "connect the socket of a publication with an endpoint"),
    _flag("aeron.driver.async.executor.enabled", True, "resolve names on a separate thread"),
    *(
        _text(
            f"aeron.{agent}.idle.strategy.init.args",
            None,
            f"arguments of the {agent} agent's idle strategy",
        )
        for agent in ("conductor", "sender", "receiver", "sharednetwork", "shared")
    ),
    _text(
        "aeron.driver.async.executor.idle.strategy",
        None,
        "rejected: the executor has no idle strategy",
    ),
    _text(
        "aeron.driver.async.executor.idle.strategy.init.args",
        None,
        "rejected: the executor has no idle strategy",
    ),
    _int("aeron.send.to.status.poll.ratio", 6, "sends between polls for status messages", 1),
    _int("aeron.driver.resource.free.limit", 10, "logs freed per pass", 1),
    _int(
        "aeron.driver.stream.session.limit",
        _INT32_MAX,
        "highest number of images of a stream",
        1,
        _INT32_MAX,
    ),
    _int("aeron.max.resend", 16, "concurrent retransmits of one publication", 1, 256),
    _flag("aeron.spies.simulate.connection", False, "spies alone connect a publication"),
    _flag("aeron.reliable.stream", True, "request retransmits of lost data"),
    _flag("aeron.tether.subscriptions", True, "slow subscribers limit the publisher"),
    _flag("aeron.rejoin.stream", True, "an image may become available again after a timeout"),
    _enum(
        "aeron.receiver.group.consideration",
        "INFER FORCE_TRUE FORCE_FALSE",
        "whether receivers are a group",
    ),
    _int("aeron.receiver.group.tag", None, "tag in a status, for tagged flow control"),
    _int("aeron.flow.control.group.tag", -1, "group tag that the sender requires"),
    _int(
        "aeron.flow.control.group.min.size", 0, "receivers needed before a sender is connected", 0
    ),
    _int("aeron.unicast.flow.control.rrwm", 16, "retransmit window multiple of unicast", 1),
    _int("aeron.multicast.flow.control.rrwm", 4, "retransmit window multiple of groups", 1),
    _text("aeron.unicast.FlowControl.supplier", "max", "flow control of unicast"),
    _text(
        "aeron.unicast.flow.control.strategy", None, "the same, by the class name of the strategy"
    ),
    _text("aeron.multicast.FlowControl.supplier", "max", "flow control of groups"),
    _text(
        "aeron.multicast.flow.control.strategy", None, "the same, by the class name of the strategy"
    ),
    _text(
        "aeron.PreferredMulticastFlowControl.asf",
        None,
        "flow control group tag as 8 bytes in hexadecimal, the lowest first; deprecated upstream",
    ),
    _text(
        "aeron.flow.control.sm.applicationSpecificFeedback",
        None,
        "receiver group tag as 8 bytes in hexadecimal, the lowest first; deprecated upstream",
    ),
    _text("aeron.CongestionControl.supplier", "static", "congestion control"),
    _flag("aeron.CubicCongestionControl.measureRtt", False, "measure round trips for it"),
    _time(
        "aeron.CubicCongestionControl.initialRtt",
        100 * _US,
        "assumed round trip before the first measurement",
    ),
    _flag("aeron.CubicCongestionControl.tcpMode", False, "share a link fairly with TCP"),
    _stream(
        "aeron.publication.reserved.session.id.low",
        -1,
        "first session id that is never chosen automatically",
    ),
    _stream(
        "aeron.publication.reserved.session.id.high",
        1000,
        "last session id that is never chosen automatically",
    ),
    _text("aeron.sender.wildcard.port.range", None, "ports to use for port 0, as low and high"),
    _text("aeron.receiver.wildcard.port.range", None, "ports to use for port 0, as low and high"),
    _text("aeron.driver.resolver.name", None, "the driver's name, which it announces to others"),
    _text(
        "aeron.driver.resolver.interface",
        None,
        "host:port to exchange names with other drivers; none: they are not exchanged",
    ),
    _text(
        "aeron.driver.resolver.bootstrap.neighbor",
        None,
        "up to 20 other drivers, as host:port separated by commas, to announce the name to first",
    ),
    _text(
        "aeron.name.resolver.supplier",
        "default",
        "default, csv_table, or driver, which needs aeron.driver.resolver.interface",
    ),
    _text(
        "aeron.name.resolver.init.args",
        None,
        "arguments of csv_table: rows name,host,host separated by bars",
    ),
    _text("aeron.SendChannelEndpoint.supplier", "default", "sending endpoints"),
    _text("aeron.ReceiveChannelEndpoint.supplier", "default", "receiving endpoints"),
    _text("aeron.udp.channel.transport.bindings.media", "default", "sockets"),
    _text("aeron.conductor.udp.channel.transport.bindings.media", "default", "sockets"),
    _text("aeron.driver.dynamic.libraries", None, "rejected: none are loaded"),
    _text("aeron.agent.on.start.function", None, "rejected: none is called"),
    _flag("aeron.enable.experimental.features", False, "as upstream; at present without effect"),
    _text(
        "aeron.driver.termination.validator",
        "deny",
        "which clients may end the driver: allow, deny, or module:function(directory, token)",
    ),
    # Injected losses.
    _text("aeron.udp.channel.incoming.interceptors", None, "loss, fixed-loss, multi-gap-loss"),
    _text("aeron.udp.channel.outgoing.interceptors", None, "the same"),
    _text("aeron.udp.channel.transport.bindings.loss.args", None, "rate, seed, recv-msg-mask"),
    _text(
        "aeron.udp.channel.transport.bindings.fixed.loss.args",
        None,
        "term-id, term-offset, length",
    ),
    _text(
        "aeron.udp.channel.transport.bindings.multi.gap.loss.args",
        None,
        "term-id, gap-radix, gap-length, total-gaps",
    ),
    *(
        option
        for side in ("send", "receive")
        for what in ("data", "control")
        for option in (
            _text(f"aeron.debug.{side}.{what}.loss.rate", "0.0", "rate of random losses, 0 to 1"),
            _int(f"aeron.debug.{side}.{what}.loss.seed", -1, "seed of these losses"),
        )
    ),
    _flag("aeron.print.configuration", False, "print all options on start"),
    # Properties that only the C driver has.
    _int("aeron.receiver.io.vector.capacity", 16, "datagrams received in one call", 1, 16),
    _int("aeron.sender.io.vector.capacity", 16, "datagrams sent in one call", 1, 16),
    _int(
        "aeron.network.publication.max.messages.per.send",
        8,
        "datagrams of one publication sent in one call",
        1,
        16,
    ),
    _cpu("conductor"),
    _cpu("sender"),
    _cpu("receiver"),
    *_events("aeron.event.log"),
)

_ARCHIVE_DIR = _text(
    "aeron.archive.dir", "aeron-archive", "recordings and catalog", keyword="archive_dir"
)
_ARCHIVE_CONTROL = (
    _text("aeron.archive.control.channel", None, "channel for requests to an archive"),
    _stream("aeron.archive.control.stream.id", 10, "stream of these requests"),
)
_LOCAL_CONTROL = (
    _text(
        "aeron.archive.local.control.channel",
        "aeron:ipc?term-length=64k",
        "channel for requests of clients of the same driver",
    ),
    _stream("aeron.archive.local.control.stream.id", 10, "stream of these requests"),
)
_CONTROL_TERM = (
    _size(
        "aeron.archive.control.term.buffer.length",
        64 * _K,
        "term length of requests and responses",
        64 * _K,
        _G,
        power_of_two=True,
    ),
    _flag("aeron.archive.control.term.buffer.sparse", True, "whether their logs are sparse"),
    _size(
        "aeron.archive.control.mtu.length",
        1408,
        "longest frame of requests and responses",
        64,
        65504,
        multiple_of=32,
    ),
)
_RECORDING_EVENTS = (
    _text("aeron.archive.recording.events.channel", None, "channel for recording events"),
    _stream("aeron.archive.recording.events.stream.id", 30, "stream of recording events"),
)

ARCHIVE_CLIENT_OPTIONS = (
    _AERON_DIR,
    *_ARCHIVE_CONTROL,
    _text(
        "aeron.archive.control.response.channel", None, "channel on which responses are received"
    ),
    _stream("aeron.archive.control.response.stream.id", 20, "stream of responses"),
    *_LOCAL_CONTROL,
    *_CONTROL_TERM,
    *_RECORDING_EVENTS,
    _time("aeron.archive.message.timeout", 10 * _S, "how long to wait for a response"),
    _int(
        "aeron.archive.message.retry.attempts",
        None,
        "attempts to offer a request; unset: until the message timeout",
        1,
    ),
    _text("aeron.archive.client.name", "", "sent to the archive, up to 100 characters"),
)

ARCHIVE_OPTIONS = (
    _AERON_DIR,
    _FILE_PAGE_SIZE,
    _ARCHIVE_DIR,
    _flag("aeron.archive.dir.delete.on.start", False, "delete the archive's directory on start"),
    _text("aeron.archive.mark.file.dir", None, "directory of the mark file; unset: the archive's"),
    _int(
        "aeron.archive.id",
        None,
        "id of the archive; unset: the Aeron client's id",
        keyword="archive_id",
    ),
    *_ARCHIVE_CONTROL,
    _flag("aeron.archive.control.channel.enabled", True, "whether the control channel is open"),
    *_LOCAL_CONTROL,
    *_CONTROL_TERM,
    _flag("aeron.archive.recording.events.enabled", False, "publish recording events"),
    *_RECORDING_EVENTS,
    _text(
        "aeron.archive.replication.channel",
        None,
        "channel on which replicated streams are received",
    ),
    _size(
        "aeron.archive.segment.file.length",
        128 * _M,
        "length of each segment of a recording",
        64 * _K,
        _G,
        power_of_two=True,
    ),
    _size(
        "aeron.archive.file.io.max.length",
        _M,
        "highest number of bytes of one read or write",
        4 * _K,
    ),
    _int("aeron.archive.file.sync.level", 0, "0 none, 1 data, 2 all, after each block", 0, 2),
    _int("aeron.archive.catalog.file.sync.level", 0, "the same for the catalog", 0, 2),
    _size("aeron.archive.catalog.capacity", _M, "initial length of the catalog", 64, _INT32_MAX),
    _size(
        "aeron.archive.low.storage.space.threshold",
        128 * _M,
        "free space below which recordings are stopped",
    ),
    _int("aeron.archive.max.concurrent.recordings", 20, "concurrent recordings", 1),
    _int("aeron.archive.max.concurrent.replays", 20, "concurrent replays", 1),
    _time(
        "aeron.archive.connect.timeout", 5 * _S, "how long a connecting client may take to answer"
    ),
    _time(
        "aeron.archive.session.liveness.check.interval",
        _S,
        "time between liveness checks of clients",
    ),
    _time("aeron.archive.replay.linger.timeout", 5 * _S, "how long a finished replay lingers"),
    _time(
        "aeron.archive.conductor.cycle.threshold",
        100 * _MS,
        "duration above which a pass is counted",
    ),
    _time(
        "aeron.archive.recorder.cycle.threshold",
        100 * _MS,
        "duration above which a pass is counted",
    ),
    _time(
        "aeron.archive.replayer.cycle.threshold",
        100 * _MS,
        "duration above which a pass is counted",
    ),
    _enum(
        "aeron.archive.threading.mode",
        "DEDICATED SHARED INVOKER",
        "how the archive's agents share threads",
    ),
    _text("aeron.archive.idle.strategy", "backoff", "idle strategy of the archive's agents"),
    _text(
        "aeron.archive.recorder.idle.strategy",
        None,
        "idle strategy of the recorder; unset: the archive's",
    ),
    _text(
        "aeron.archive.replayer.idle.strategy",
        None,
        "idle strategy of the replayer; unset: the archive's",
    ),
    _size("aeron.archive.error.buffer.length", _M, "distinct error log", _M, _INT32_MAX),
    _text(
        "aeron.archive.record.checksum",
        None,
        "checksum of what is recorded: CRC-32C, CRC-32, none; unset: none, in a cluster's CRC-32C",
    ),
    _text(
        "aeron.archive.replay.checksum",
        None,
        "to verify on replay: recorded (where there is one), a checksum, none; unset: none, in a"
        " cluster's recorded",
    ),
    _text(
        "aeron.archive.authenticator.supplier",
        DEFAULT_AUTHENTICATOR,
        "authenticates clients: module:function that returns an Authenticator",
    ),
    *_events("aeron.event.archive.log"),
    _text(
        "aeron.archive.authorisation.service.supplier",
        None,
        "authorises requests: ALLOW_ALL, DENY_ALL, or module:function that returns an"
        " AuthorisationService; unset: all are allowed",
    ),
    _int("aeron.archive.max.catalog.entries", 8192, "accepted for compatibility, not used", 1),
)

_CLUSTER_DIR = _text(
    "aeron.cluster.dir", "aeron-cluster", "directory of a member", keyword="cluster_dir"
)
_CLUSTER_PLACE = (
    _AERON_DIR,
    _FILE_PAGE_SIZE,
    _int(
        "aeron.cluster.id",
        0,
        "id of the cluster among clusters",
        0,
        _INT32_MAX,
        keyword="cluster_id",
    ),
    _CLUSTER_DIR,
    _text("aeron.cluster.mark.file.dir", None, "directory of the mark files; unset: the cluster's"),
)
_CLUSTER_SERVICE_LINK = (
    _text("aeron.cluster.replay.channel", "aeron:ipc", "channel for replays of log and snapshots"),
    _stream("aeron.cluster.replay.stream.id", 103, "stream of these replays"),
    _text(
        "aeron.cluster.control.channel",
        "aeron:ipc?term-length=128k",
        "channel between module and services",
    ),
    _stream("aeron.cluster.service.stream.id", 104, "stream from the module to services"),
    _stream("aeron.cluster.consensus.module.stream.id", 105, "stream from services to the module"),
    _text(
        "aeron.cluster.snapshot.channel",
        "aeron:ipc?alias=snapshot",
        "channel for writing snapshots",
    ),
    _int("aeron.cluster.log.fragment.limit", 50, "fragments of the log polled per pass", 1),
    _text("aeron.cluster.idle.strategy", "backoff", "idle strategy of the cluster's agents"),
)
_CLUSTER_INGRESS = (
    _text("aeron.cluster.ingress.channel", None, "channel from clients to the leader"),
    _stream("aeron.cluster.ingress.stream.id", 101, "stream of ingress"),
)
_CLUSTER_PEERS = (
    _text("aeron.cluster.consensus.channel", "aeron:udp", "channel between members"),
    _stream("aeron.cluster.consensus.stream.id", 108, "stream between members"),
)
_REPLICATION = (
    _time(
        "aeron.cluster.replication.progress.timeout",
        10 * _S,
        "time without progress after which a replication fails",
    ),
    _time(
        "aeron.cluster.replication.progress.interval",
        None,
        "time between checks of its progress; unset: a tenth of the timeout",
    ),
)
_CLUSTER_ERRORS = _size("aeron.cluster.error.buffer.length", _M, "distinct error log", _M)
_CLUSTER_MEMBERS = _text(
    "aeron.cluster.members", None, "endpoints of all members", keyword="cluster_members"
)
_MEMBER_ID = _int("aeron.cluster.member.id", 0, "id of this member")

MEMBERSHIP_OPTIONS = (_CLUSTER_MEMBERS, _MEMBER_ID)

CONSENSUS_MODULE_OPTIONS = (
    *_CLUSTER_PLACE,
    *_CLUSTER_SERVICE_LINK,
    *_CLUSTER_INGRESS,
    *_CLUSTER_PEERS,
    *_REPLICATION,
    _CLUSTER_ERRORS,
    _CLUSTER_MEMBERS,
    _MEMBER_ID,
    *_events("aeron.event.cluster.log"),
    _text("aeron.cluster.member.endpoints", "", "endpoints of this member, compared with the list"),
    _int(
        "aeron.cluster.appointed.leader.id", -1, "only this member becomes a candidate; -1: all", -1
    ),
    _text(
        "aeron.cluster.services.dir",
        None,
        "directory of the services' mark files; unset: the cluster's",
    ),
    _flag("aeron.cluster.ingress.ipc.allowed", False, "accept IPC clients at the leader"),
    _int("aeron.cluster.ingress.fragment.limit", 50, "fragments of ingress polled per pass", 1),
    _text("aeron.cluster.egress.channel", None, "replaces the clients' response channels"),
    _text(
        "aeron.cluster.log.channel",
        "aeron:udp?term-length=64m",
        "channel of the log from leader to followers",
    ),
    _stream("aeron.cluster.log.stream.id", 100, "stream of the log"),
    _flag("aeron.cluster.log.control.enable", True, "bind the log's control address"),
    _flag("aeron.cluster.consensus.control.enable", True, "bind members' control addresses"),
    _flag(
        "aeron.cluster.consensus.source.check",
        True,
        "accept consensus messages from the members' hosts only",
    ),
    _text(
        "aeron.cluster.consensus.source.hosts",
        "",
        "hosts and networks of backups and standbys, which send requests to members (not Aeron's)",
    ),
    _time(
        "aeron.cluster.consensus.source.resolution.interval",
        _S,
        "shortest time between resolutions of the members' names",
        1,
    ),
    _text(
        "aeron.cluster.replication.channel",
        None,
        "channel on which snapshots and logs are replicated",
    ),
    _text(
        "aeron.cluster.follower.catchup.channel",
        "aeron:udp",
        "channel of replays to a lagging member",
    ),
    _text(
        "aeron.cluster.leader.archive.control.channel",
        "aeron:udp?term-length=64k",
        "channel for requests to the leader's archive",
    ),
    _stream("aeron.cluster.snapshot.stream.id", 107, "stream of the module's snapshots"),
    _int("aeron.cluster.service.count", 1, "number of services of each member", 0, 10),
    _int("aeron.cluster.max.sessions", 10, "highest number of concurrent sessions", 1),
    _int(
        "aeron.cluster.max.pending.sessions",
        None,
        "pending connect requests; unset: twice the sessions, at least 256",
        1,
    ),
    _int(
        "aeron.cluster.max.pending.sessions.per.source",
        None,
        "pending connect requests of one host; unset: the sessions, at least 64",
        1,
    ),
    _time("aeron.cluster.session.timeout", 10 * _S, "timeout of an inactive client"),
    _time("aeron.cluster.leader.heartbeat.timeout", 10 * _S, "timeout of an inactive leader"),
    _time(
        "aeron.cluster.leader.heartbeat.interval", 200 * _MS, "interval of a leader's heartbeats"
    ),
    _time(
        "aeron.cluster.startup.canvass.timeout",
        60 * _S,
        "how long to wait for all members on start",
    ),
    _time("aeron.cluster.election.timeout", _S, "timeout of a ballot"),
    _time(
        "aeron.cluster.election.status.interval",
        100 * _MS,
        "interval of sending positions in an election",
    ),
    _time(
        "aeron.cluster.termination.timeout",
        10 * _S,
        "how long members and services may take to end",
    ),
    _time("aeron.cluster.cycle.threshold", 100 * _MS, "duration above which a pass is counted"),
    _time(
        "aeron.cluster.total.snapshot.threshold", _S, "duration above which a snapshot is counted"
    ),
    _time(
        "aeron.cluster.snapshot.interval",
        0,
        "time between scheduled snapshots; 0: only on request (not Aeron's)",
    ),
    _int(
        "aeron.cluster.snapshots.kept",
        0,
        "snapshots kept: older ones and the log before them are purged; 0: all stay (not Aeron's)",
        0,
    ),
    _text(
        "aeron.cluster.purge.backups",
        "",
        "consensus endpoints of backups that must have the log before it is purged (not Aeron's)",
    ),
    _time(
        "aeron.cluster.wheel.tick.resolution", 8 * _MS, "duration of a tick of the timer wheel", 1
    ),
    _int("aeron.cluster.ticks.per.wheel", 128, "ticks of the timer wheel", 1),
    _text(
        "aeron.cluster.timer.service.supplier",
        "io.aeron.cluster.WheelTimerServiceSupplier",
        "keeps timers in a wheel, a heap, or module:function, a TimerServiceSupplier",
    ),
    _text(
        "aeron.cluster.clock",
        "io.aeron.cluster.MillisecondClusterClock",
        "unit of cluster time, or module:Class of a ClusterClock",
    ),
    _text(
        "aeron.cluster.authenticator.supplier",
        DEFAULT_AUTHENTICATOR,
        "authenticates clients: module:function that returns an Authenticator",
    ),
    _text("aeron.cluster.authenticator.file", None, "file of users and hashes of their passwords"),
    _text(
        "aeron.cluster.authorisation.service.supplier",
        None,
        "authorises requests: ALLOW_ALL, DENY_ALL, or module:function that returns an"
        " AuthorisationService; unset: those of backups",
    ),
    _text("aeron.cluster.authorisation.file", None, "file of each principal's permissions"),
    _flag("aeron.cluster.accept.standby.snapshots", False, "use snapshots that standbys took"),
    _time(
        "aeron.cluster.standby.snapshot.notification.processing.delay",
        0,
        "delay before a standby's snapshot is checked",
    ),
    _text(
        "aeron.cluster.consensus.module.agent.role.name",
        None,
        "name of the agent; unset: consensus-module-<cluster id>-<member id>",
    ),
    _text(
        "aeron.cluster.consensus.module.extension",
        None,
        "module:Class of a ConsensusModuleExtension, instead of services",
    ),
    _int(
        "aeron.cluster.file.sync.level", 0, "sync of the recording log: 0 none, 1 data, 2 all", 0, 2
    ),
)

SERVICE_CONTAINER_OPTIONS = (
    *_CLUSTER_PLACE,
    *_CLUSTER_SERVICE_LINK,
    _int("aeron.cluster.service.id", 0, "id of this service", 0, 9),
    _text(
        "aeron.cluster.service.name",
        None,
        "name of the service; unset: clustered-service-<cluster id>-<service id>",
    ),
    _text("aeron.cluster.service.class.name", None, "the service as module:Class"),
    _flag("aeron.cluster.service.responder", True, "connect egress while leader"),
    _stream("aeron.cluster.snapshot.stream.id", 106, "of the services' snapshots"),
    _size("aeron.cluster.service.error.buffer.length", _M, "length of the distinct error log", _M),
    _time(
        "aeron.cluster.service.cycle.threshold", 100 * _MS, "duration above which a pass is counted"
    ),
    _time(
        "aeron.cluster.service.snapshot.threshold", _S, "duration above which a snapshot is counted"
    ),
    _text(
        "aeron.cluster.service.delegating.error.handler",
        None,
        "module:function that is called with each error",
    ),
    _size(
        "aeron.cluster.service.divergence.interval",
        0,
        "bytes of log between checkpoints of the service's effects; 0: none (not Aeron's)",
        keyword="divergence_interval",
    ),
)

CLUSTER_CLIENT_OPTIONS = (
    _AERON_DIR,
    *_CLUSTER_INGRESS,
    _time("aeron.cluster.message.timeout", 5 * _S, "how long to wait for an answer"),
    _text(
        "aeron.cluster.ingress.endpoints",
        None,
        "ingress endpoints of the members, as id=host:port,...",
    ),
    _text("aeron.cluster.egress.channel", None, "channel on which the cluster answers"),
    _stream("aeron.cluster.egress.stream.id", 102, "stream of egress"),
    _text("aeron.cluster.client.name", "", "sent to the cluster"),
)

SURVIVING_CLIENT_OPTIONS = (
    _int(
        "aeron.cluster.client.window.length",
        256,
        "highest number of unanswered requests",
        1,
        keyword="window_length",
    ),
    _time(
        "aeron.cluster.client.resend.timeout",
        _S,
        "time after which an unanswered request is resent",
        1,
        keyword="resend_timeout_ns",
    ),
    _time(
        "aeron.cluster.client.silence.timeout",
        5 * _S,
        "time after which a silent service is probed over another session",
        1,
        keyword="silence_timeout_ns",
    ),
    _time(
        "aeron.cluster.client.keep.alive.interval",
        _S,
        "interval of keep-alives",
        1,
        keyword="keep_alive_interval_ns",
    ),
    _time(
        "aeron.cluster.client.reconnect.min.interval",
        50 * _MS,
        "delay between the first two connection attempts; doubled each time",
        1,
        keyword="reconnect_min_interval_ns",
    ),
    _time(
        "aeron.cluster.client.reconnect.max.interval",
        5 * _S,
        "longest delay between connection attempts",
        1,
        keyword="reconnect_max_interval_ns",
    ),
    _time(
        "aeron.cluster.client.reconnect.timeout",
        0,
        "time without a message from the service after which the client fails; 0: never",
        keyword="reconnect_timeout_ns",
    ),
)

BACKUP_OPTIONS = (
    *_CLUSTER_PLACE,
    *_CLUSTER_PEERS,
    *_REPLICATION,
    _CLUSTER_ERRORS,
    _CLUSTER_MEMBERS,
    _MEMBER_ID,
    *_events("aeron.event.cluster.log"),
    _text("aeron.cluster.idle.strategy", "backoff", "idle strategy of the backup's agent"),
    _text("aeron.cluster.replication.channel", None, "channel on which snapshots are replicated"),
    _stream("aeron.cluster.log.stream.id", 100, "stream of the replayed log"),
    _text("aeron.cluster.consensus.endpoints", "", "consensus endpoints of the members to query"),
    _text(
        "aeron.cluster.backup.catchup.endpoint", None, "endpoint that receives log and snapshots"
    ),
    _text(
        "aeron.cluster.backup.catchup.channel",
        "aeron:udp?alias=backup|cc=cubic|so-sndbuf=512k|so-rcvbuf=512k|rcv-wnd=512k",
        "template of the channel for that endpoint",
    ),
    _time("aeron.cluster.backup.interval", 3600 * _S, "time between queries"),
    _time(
        "aeron.cluster.backup.response.timeout",
        5 * _S,
        "how long to wait for the response to a query",
    ),
    _time(
        "aeron.cluster.backup.progress.timeout",
        10 * _S,
        "time without progress after which a step fails",
    ),
    _time("aeron.cluster.backup.cool.down.interval", 30 * _S, "delay after a failure"),
    _enum("aeron.cluster.backup.source.type", "ANY LEADER FOLLOWER", "which members to query"),
    _enum(
        "cluster.backup.initial.replay.start",
        "BEGINNING LATEST_SNAPSHOT",
        "position at which a first backup starts",
    ),
)

TOOL_OPTIONS = (
    _CLUSTER_DIR,
    _text("aeron.cluster.mark.file.dir", None, "directory of the mark files; unset: the cluster's"),
    _time("aeron.cluster.tool.timeout", 0, "how long to wait for an answer"),
    _text("aeron.cluster.tool.replay.channel", "aeron:ipc", "channel for replays of a recording"),
    _stream("aeron.cluster.tool.replay.stream.id", 103, "stream of these replays"),
)

ALL_OPTIONS = tuple(
    dict.fromkeys(
        (
            *CLIENT_OPTIONS,
            *DRIVER_OPTIONS,
            *ARCHIVE_CLIENT_OPTIONS,
            *ARCHIVE_OPTIONS,
            *CONSENSUS_MODULE_OPTIONS,
            *SERVICE_CONTAINER_OPTIONS,
            *CLUSTER_CLIENT_OPTIONS,
            *SURVIVING_CLIENT_OPTIONS,
            *BACKUP_OPTIONS,
            *TOOL_OPTIONS,
        )
    )
)
