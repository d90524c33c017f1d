"""Parse, check and build the URIs that name Aeron channels.

``io.aeron.ChannelUri``, ``io.aeron.ChannelUriStringBuilder``.

Form: ``["aeron-spy:"] "aeron:" media ["?" key "=" value {"|" key "=" value}]``.

Reading is as lenient as Java's (unknown keys are kept, values are parsed on demand), except that
the medium is checked immediately. `ChannelUri.validate` checks a user's own URI: it names the first
invalid part and the nearest valid one. A key that Aeron does not know is kept and ignored, as Java
and C do, and logged once; `ChannelUri.build` rejects it.
"""

import difflib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple, Self, TypeAlias, TypeVar

from aeron_cluster.codecs.frame_layout import (
    FRAME_ALIGNMENT,
    MAX_MTU_LENGTH,
    MAX_TERM_LENGTH,
    MIN_TERM_LENGTH,
)
from aeron_cluster.config import DURATION_UNITS, ParsedText
from aeron_cluster.errors import ConfigurationError, StreamParameterError

_log = logging.getLogger(__name__)

MAX_LENGTH: Final = 4095
SPY_PREFIX: Final = "aeron-spy"
SCHEME: Final = "aeron"
MEDIA: Final = ("udp", "ipc")
TAG_PREFIX: Final = "tag:"
RESERVED_OFFSET: Final = -8
PROTOTYPE_CORRELATION_ID: Final = -2

MIN_MTU_LENGTH: Final = 32
MAX_RESEND: Final = 256

_CACHE_SIZE: Final = 512
_INT32: Final = range(-(2**31), 2**31)
_INT64: Final = range(-(2**63), 2**63)
_MAX_DIGITS: Final = 19  # of the largest integer of 64 bits
_SIZE_UNITS: Final = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}

ParameterValue: TypeAlias = str | int | bool
_T = TypeVar("_T")
_D = TypeVar("_D")


class _ParseError(Exception):
    """The expectation of a parser; `ChannelUri` adds the place."""

    def __init__(self, expected: str, hint: str = "", upstream: str = "") -> None:
        super().__init__(expected)
        self.expected = expected
        self.hint = hint
        self.upstream = upstream


def _digits(text: str) -> int | None:
    is_number = text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS
    return int(text) if is_number else None


def _integer(text: str, limits: range, name: str) -> int:
    magnitude = _digits(text.removeprefix("-"))
    value = -magnitude if magnitude and text.startswith("-") else magnitude
    if value is None or value not in limits:
        raise _ParseError(name)
    return value


def _int32(text: str) -> int:
    return _integer(text, _INT32, "an integer of 32 bits")


def _int64(text: str) -> int:
    return _integer(text, _INT64, "an integer of 64 bits")


def _size(text: str) -> int:
    unit = _SIZE_UNITS.get(text[-1:].lower())
    count = _digits(text if unit is None else text[:-1])
    if count is None or count * (unit or 1) not in _INT64:
        raise _ParseError("a size in bytes: digits, optionally followed by k, m or g")
    return count * (unit or 1)


def _duration(text: str) -> int:
    digits = text.rstrip("nNuUmMsS")
    unit = DURATION_UNITS.get(text[len(digits) :].lower() or "ns")
    count = _digits(digits)
    if unit is None or count is None or count not in _INT64:
        raise _ParseError("a duration: digits, optionally followed by ns, us, ms or s (default ns)")
    return min(count * unit, _INT64[-1])  # saturates, as TimeUnit does


def _boolean(text: str) -> bool:
    if text.lower() not in {"true", "false"}:
        raise _ParseError("true or false")
    return text.lower() == "true"


def _group(text: str) -> bool | None:
    return None if text == "infer" else _boolean(text)


def _text(text: str) -> str:
    return text


def _offset(text: str) -> int:
    if text == "reserved":
        return RESERVED_OFFSET
    try:
        return _int32(text)
    except _ParseError:
        raise _ParseError("an offset in bytes, or reserved") from None


def _correlation_id(text: str) -> int:
    if text == "prototype":
        return PROTOTYPE_CORRELATION_ID
    try:
        value = _int64(text)
    except _ParseError:
        value = _INT64[0]
    if value < -1:
        raise _ParseError(
            "a correlation id of at least -1, or prototype",
            upstream="invalid response-correlation-id, must be a number greater than or equal to "
            "-1, or 'prototype'",
        )
    return value


def _session(text: str) -> int:
    if text.startswith(TAG_PREFIX):
        return _int64(text.removeprefix(TAG_PREFIX))
    try:
        return _int32(text)
    except _ParseError:
        raise _ParseError("an integer of 32 bits, or tag:<tag>") from None


def _tags(text: str) -> tuple[int | None, int | None]:
    expected = "<channel tag>[,<entity tag>], integers of 64 bits other than -1"
    channel, _, entity = text.partition(",")
    try:
        tags = [_int64(part.strip()) if part.strip() else None for part in (channel, entity)]
    except _ParseError:
        raise _ParseError(expected) from None
    if -1 in tags:
        raise _ParseError(expected)
    return tags[0], tags[1]


def _nearest_name(text: str, choices: Iterable[str]) -> str:
    near = difflib.get_close_matches(text, choices, 1, 0.3)
    return f"nearest: {near[0]}" if near else ""


def _choice(*choices: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in choices:
            raise _ParseError(f"one of {', '.join(choices)}", _nearest_name(text, choices))
        return text

    return parse


def _endpoint(text: str) -> str:
    _split_endpoint(text)
    return text


def _split_endpoint(text: str) -> tuple[str, int]:
    expected = "host:port, or [address]:port for IPv6"
    host, colon, port = text.rpartition(":")
    if host.startswith("["):
        if not host.endswith("]") or ":" not in host:
            raise _ParseError(expected)
        host = host[1:-1]
    elif ":" in host:
        raise _ParseError(expected)
    if not (host and colon and (number := _digits(port)) is not None and number < 2**16):
        raise _ParseError(expected)
    return host, number


def parse_socket_address(name: str, text: str) -> tuple[str, int]:
    """Return host and port of a text; the host of IPv6 is without its brackets.

    Parameters
    ----------
    name : str
        The option, for errors.
    text : str

    Raises
    ------
    ConfigurationError
        The text is not a host and a port.
    """
    try:
        return _split_endpoint(text)
    except _ParseError as error:
        raise ConfigurationError(name, error.expected, text, error.hint) from None


def _size_text(value: int) -> str:
    for unit, factor in reversed(_SIZE_UNITS.items()):
        if value and value % factor == 0:
            return f"{value // factor}{unit}"
    return str(value)


def _duration_text(value_ns: int) -> str:
    for unit, factor in reversed(DURATION_UNITS.items()):
        if value_ns and value_ns % factor == 0:
            return f"{value_ns // factor}{unit}"
    return f"{value_ns}ns"


def _boolean_text(value: bool) -> str:
    return "true" if value else "false"


class _Parameter(NamedTuple):
    """How one parameter is parsed and, from a number or truth value, formatted."""

    parse: Callable[[str], object]
    write: Callable[..., str] = str
    limits: range | None = None


_SIZE_INT32 = range(2**31)
# In the order in which ChannelUriStringBuilder writes them.
_PARAMETERS: Final[dict[str, _Parameter]] = {
    "tags": _Parameter(_tags),
    "endpoint": _Parameter(_endpoint),
    "interface": _Parameter(_text),
    "control": _Parameter(_endpoint),
    "control-mode": _Parameter(_choice("manual", "dynamic", "response")),
    "mtu": _Parameter(
        _size, _size_text, range(MIN_MTU_LENGTH, MAX_MTU_LENGTH + 1, FRAME_ALIGNMENT)
    ),
    "term-length": _Parameter(_size, _size_text, range(MIN_TERM_LENGTH, MAX_TERM_LENGTH + 1)),
    "init-term-id": _Parameter(_int32),
    "term-id": _Parameter(_int32),
    "term-offset": _Parameter(_int32, str, range(0, MAX_TERM_LENGTH + 1, FRAME_ALIGNMENT)),
    "session-id": _Parameter(_session),
    "ttl": _Parameter(_int32, str, range(256)),
    "reliable": _Parameter(_boolean, _boolean_text),
    "linger": _Parameter(_duration, _duration_text),
    "alias": _Parameter(_text),
    "cc": _Parameter(_text),
    "fc": _Parameter(_text),
    "gtag": _Parameter(_int64),
    "sparse": _Parameter(_boolean, _boolean_text),
    "eos": _Parameter(_boolean, _boolean_text),
    "tether": _Parameter(_boolean, _boolean_text),
    "group": _Parameter(_group, _boolean_text),
    "rejoin": _Parameter(_boolean, _boolean_text),
    "ssc": _Parameter(_boolean, _boolean_text),
    "so-sndbuf": _Parameter(_size, _size_text, _SIZE_INT32),
    "so-rcvbuf": _Parameter(_size, _size_text, _SIZE_INT32),
    "rcv-wnd": _Parameter(_size, _size_text, _SIZE_INT32),
    "media-rcv-ts-offset": _Parameter(_offset),
    "channel-rcv-ts-offset": _Parameter(_offset),
    "channel-snd-ts-offset": _Parameter(_offset),
    "response-endpoint": _Parameter(_endpoint),
    "response-correlation-id": _Parameter(_correlation_id),
    "nak-delay": _Parameter(_duration, _duration_text),
    "untethered-window-limit-timeout": _Parameter(_duration, _duration_text),
    "untethered-linger-timeout": _Parameter(_duration, _duration_text),
    "untethered-resting-timeout": _Parameter(_duration, _duration_text),
    "max-resend": _Parameter(_int32, str, range(1, MAX_RESEND + 1)),
    "stream-id": _Parameter(_int32),
    "pub-wnd": _Parameter(_size, _size_text, _SIZE_INT32),
}
PARAMETERS: Final = tuple(_PARAMETERS)
# Upstream's drivers report these with the generic error code.
_OF_STREAMS: Final = frozenset(
    (
        "mtu",
        "term-length",
        "linger",
        "pub-wnd",
        *("reliable", "sparse", "eos", "tether", "group", "rejoin", "ssc"),
        *(f"untethered-{each}-timeout" for each in ("window-limit", "linger", "resting")),
    )
)
_RANK: Final = {key: rank for rank, key in enumerate(_PARAMETERS)}


def _unread_text(key: str, text: str) -> str:
    """Return upstream's text for a value that cannot be read; empty if it has none."""
    match _PARAMETERS[key].parse if key in _PARAMETERS else None:
        case parse if parse is _duration:
            return f"{key}: {text} should end with: s, ms, us, or ns."
        case parse if parse is _size:
            return f"{key}: {text} should end with: k, m, or g."
        case parse if parse in (_boolean, _group):
            return f"could not parse {key}={text} as bool from URI"
        case parse if parse in (_int32, _session):
            return f"invalid {key}, must be a number"
        case parse if parse is _int64:
            return f"'{key}' does not contain a valid long value"
        case parse if parse is _offset:
            return "timestamp offset must be a valid integer or the 'reserved' keyword"
        case parse if parse is _endpoint:
            return _endpoint_text(text)
        case _:
            return ""


def _endpoint_text(text: str) -> str:
    host, colon, port = text.rpartition(":")
    if text.startswith("["):
        return f"[address]:port is required for ipv6: {text}"
    if not (colon and host):
        return f"address:port is required for ipv4: {text}"
    return f"port out of range:{port}" if port.isdigit() else f"invalid format: {text}"


def _limit_text(key: str, value: int, channel: "ChannelUri") -> str:
    """Return upstream's text for a number out of its limits; empty if it has none."""
    match key:
        case "mtu" if value > MAX_MTU_LENGTH:
            return f"mtuLength={value} > MAX_UDP_PAYLOAD_LENGTH={MAX_MTU_LENGTH}"
        case "mtu" if value < MIN_MTU_LENGTH:
            return f"mtuLength={value} <= HEADER_LENGTH={MIN_MTU_LENGTH}"
        case "mtu":
            return f"mtuLength={value} is not a multiple of FRAME_ALIGNMENT={FRAME_ALIGNMENT}"
        case "term-length" if value < MIN_TERM_LENGTH:
            return f"Term length less than min length of {MIN_TERM_LENGTH}: length={value}"
        case "term-length" if value > MAX_TERM_LENGTH:
            return f"Term length more than max length of {MAX_TERM_LENGTH}: length={value}"
        case "term-offset" if value % FRAME_ALIGNMENT and 0 < value < MAX_TERM_LENGTH:
            return f"term-offset={value} must be a multiple of FRAME_ALIGNMENT: channel={channel}"
        case "term-offset":
            return f"term-offset={value} out of range: channel={channel}"
        case "max-resend":
            return f"invalid max-resend={value}, must be > 0 and <= {MAX_RESEND}"
        case _:
            return ""


def _nearest_key(key: str) -> str:
    return _nearest_name(key, _PARAMETERS)


@lru_cache(_CACHE_SIZE)
def _log_unknown(key: str) -> None:
    hint = _nearest_key(key)
    _log.warning(
        "channel URI: parameter %.100r is not known to Aeron and ignored%s",
        key,
        f" ({hint})" if hint else "",
    )


def _limits_text(limits: range) -> str:
    multiple = f", a multiple of {limits.step}" if limits.step > 1 else ""
    return f"{limits[0]} to {limits[-1]}{multiple}"


def _nearest(limits: range, value: int) -> int:
    if value <= limits[0]:
        return limits[0]
    if value >= limits[-1]:
        return limits[-1]
    return limits[round((value - limits[0]) / limits.step)]


class ChannelUri(ParsedText):
    """An Aeron channel URI; immutable, compares by its parts.

    Parameters
    ----------
    media : str
        ``"udp"`` or ``"ipc"``.
    params : Mapping of str to str, optional
        Parameters by their URI keys.
    is_spy : bool, optional
        Whether the URI subscribes to a publication of the same driver.
    """

    __slots__ = ("_is_valid", "_params", "is_spy", "media")

    media: str
    is_spy: bool

    def __init__(
        self, media: str, params: Mapping[str, str] | None = None, *, is_spy: bool = False
    ) -> None:
        if media not in MEDIA:
            raise ConfigurationError(
                "channel URI: media",
                "udp or ipc",
                media,
                _nearest_name(media, MEDIA),
                upstream=f"unknown media: {media}",
            )
        self.media = media
        self.is_spy = is_spy
        self._is_valid = False  # not known yet
        self._params = dict(
            sorted((params or {}).items(), key=lambda item: _RANK.get(item[0], len(_RANK)))
        )

    @classmethod
    # A driver, its clients and an archive have few channels, and parse each of them many times.
    @lru_cache(_CACHE_SIZE)
    def parse(cls, uri: str) -> Self:
        """Read `uri`; a key given twice has its last value.

        Returns
        -------
        ChannelUri

        Raises
        ------
        ConfigurationError
            The text is not a channel URI; the message has the part and the index.
        """
        if len(uri) > MAX_LENGTH:
            raise ConfigurationError(
                f"channel URI {uri[:40]}...",
                f"at most {MAX_LENGTH} characters",
                f"{len(uri)}",
                upstream=f"URI length ({len(uri)}) exceeds max supported length ({MAX_LENGTH}): "
                f"{uri[:MAX_LENGTH]}",
            )
        if not uri.isascii():
            index, found = next((at, each) for at, each in enumerate(uri) if not each.isascii())
            raise ConfigurationError(f"channel URI {uri!a} at index {index}", "ASCII", found)
        is_spy = uri.startswith(f"{SPY_PREFIX}:")
        start = len(SPY_PREFIX) + 1 if is_spy else 0
        if not uri.startswith(f"{SCHEME}:", start):
            raise ConfigurationError(
                f"channel URI {uri!r} at index {start}",
                "'aeron:'",
                uri[start:],
                upstream=f"Aeron URIs must start with 'aeron:', found: {uri}",
            )
        start += len(SCHEME) + 1
        media, question, rest = uri[start:].partition("?")
        params: dict[str, str] = {}
        index = start + len(media) + 1
        for part in rest.split("|") if question else ():
            key, equals, value = part.partition("=")
            if not (key and equals):
                is_open = part and not equals and index + len(part) == len(uri)
                raise ConfigurationError(
                    f"channel URI {uri!r} at index {index}",
                    "key=value",
                    part,
                    upstream=f"no more input found, state=PARAMS_KEY in {uri}"
                    if is_open
                    else ""
                    if key
                    else f"invalid end of key at index {index} in {uri}",
                )
            params[key] = value
            index += len(part) + 1
        return cls(media, params, is_spy=is_spy)

    @classmethod
    def build(cls, media: str, *, is_spy: bool = False, **params: ParameterValue | None) -> Self:
        """Build a URI from parameters named as in the URI with ``_`` for ``-``.

        Sizes are in bytes and durations in nanoseconds, and are written with the largest unit that
        keeps them exact. ``None`` omits a parameter. The result is checked as `validate` does, and
        a parameter that Aeron does not know is rejected.

        Returns
        -------
        ChannelUri

        Raises
        ------
        ConfigurationError
            A parameter is unknown or its value is invalid.
        """
        return cls(media, is_spy=is_spy).with_params(**params).validate(ignores_unknown=False)

    def _unknown_keys(self) -> list[str]:
        return [key for key in self._params if key not in _PARAMETERS]

    @property
    def is_udp(self) -> bool:
        """Whether the medium is UDP."""
        return self.media == "udp"

    @property
    def is_ipc(self) -> bool:
        """Whether the medium is shared memory."""
        return self.media == "ipc"

    @property
    def params(self) -> dict[str, str]:
        """A copy of the parameters, in canonical order."""
        return dict(self._params)

    def with_params(
        self,
        params: Mapping[str, ParameterValue | None] | None = None,
        /,
        **more: ParameterValue | None,
    ) -> Self:
        """Return a URI with changed parameters; those that are ``None`` are removed.

        `params` has URI keys, keywords have ``_`` for ``-``. Numbers and truth values are written
        in the parameter's format.

        Raises
        ------
        ConfigurationError
            A value contains ``|``, which is not possible in a channel URI.
        """
        merged = dict(self._params)
        changes = dict(params or {}) | {key.replace("_", "-"): more[key] for key in more}
        for key, value in changes.items():
            if value is None:
                merged.pop(key, None)
                continue
            text = value if isinstance(value, str) else self._write(key, value)
            if not key or "|" in key + text or "=" in key:
                raise ConfigurationError(
                    f"channel URI: parameter {key!r}",
                    "no '|', no '=' in a key",
                    text,
                )
            merged[key] = text
        return type(self)(self.media, merged, is_spy=self.is_spy)

    def diff(self, other: "ChannelUri") -> dict[str, tuple[str | None, str | None]]:
        """Return what differs in another channel: both values, by parameter.

        Parameters
        ----------
        other : ChannelUri
            The other channel; a parameter that one of them lacks is None.

        Notes
        -----
        Different media have the key ``media``, and one that is a spy has the key ``prefix``.
        """
        own = {"prefix": "aeron-spy" if self.is_spy else None, "media": self.media, **self._params}
        others = {
            "prefix": "aeron-spy" if other.is_spy else None,
            "media": other.media,
            **other.params,
        }
        return {
            key: (own.get(key), others.get(key))
            for key in (*own, *(key for key in others if key not in own))
            if own.get(key) != others.get(key)
        }

    def with_alias(self, transform: Callable[[str | None], str | None]) -> Self:
        """Return the channel with another alias.

        Parameters
        ----------
        transform : Callable[[str or None], str or None]
            Called with the present alias, or None; returns the new one, or None for no alias.
        """
        return self.with_params(alias=transform(self._params.get("alias")))

    @staticmethod
    def _write(key: str, value: int) -> str:
        if isinstance(value, bool):
            return _boolean_text(value)
        parameter = _PARAMETERS.get(key)
        return str(value) if parameter is None else parameter.write(value)

    def get(self, key: str, default: str | None = None) -> str | None:
        """Return the text of parameter `key`, or `default`."""
        return self._params.get(key, default)

    def size(self, key: str, default: _D) -> int | _D:
        """Return parameter `key` in bytes."""
        return self._typed(key, _size, default)

    def duration_ns(self, key: str, default: _D) -> int | _D:
        """Return parameter `key` in nanoseconds; a number without a unit is nanoseconds."""
        return self._typed(key, _duration, default)

    def boolean(self, key: str, default: _D) -> bool | _D:
        """Return parameter `key` as a truth value; ``infer`` (of ``group``) counts as absent."""
        if key == "group" and self._params.get(key) == "infer":
            return default
        return self._typed(key, _boolean, default)

    def int32(self, key: str, default: _D) -> int | _D:
        """Return parameter `key` as an integer of 32 bits."""
        return self._typed(key, _int32, default)

    def int64(self, key: str, default: _D) -> int | _D:
        """Return parameter `key` as an integer of 64 bits."""
        return self._typed(key, _int64, default)

    def timestamp_offset(self, key: str) -> int | None:
        """Return parameter `key` as an offset in bytes; `RESERVED_OFFSET` for ``reserved``."""
        return self._typed(key, _offset, None)

    def socket_address(self, key: str) -> tuple[str, int] | None:
        """Return host and port of parameter `key`; the host of IPv6 is without its brackets."""
        return self._typed(key, _split_endpoint, None)

    @property
    def session_id(self) -> int | None:
        """The fixed session id, or ``None`` when it is missing or a tag."""
        return (
            None if self.session_id_tag is not None else self._typed("session-id", _session, None)
        )

    @property
    def session_id_tag(self) -> int | None:
        """The tag of the publication that provides the session id, or ``None``."""
        is_tagged = self._params.get("session-id", "").startswith(TAG_PREFIX)
        return self._typed("session-id", _session, None) if is_tagged else None

    @property
    def channel_tag(self) -> int | None:
        """The tag of the channel, or ``None``."""
        return self._typed("tags", _tags, (None, None))[0]

    @property
    def entity_tag(self) -> int | None:
        """The tag of the publication or subscription, or ``None``."""
        return self._typed("tags", _tags, (None, None))[1]

    @property
    def response_correlation_id(self) -> int | None:
        """The linked correlation id; `PROTOTYPE_CORRELATION_ID` for ``prototype``; or ``None``."""
        return self._typed("response-correlation-id", _correlation_id, None)

    def initial_position(self, position: int, initial_term_id: int, term_length: int) -> Self:
        """Return this URI for a publication that starts at `position` (bytes).

        Raises
        ------
        ConfigurationError
            `position` is negative or not a multiple of 32, or `term_length` is not a term length.
        """
        if position < 0 or position % FRAME_ALIGNMENT:
            raise self._error("position", f"a multiple of {FRAME_ALIGNMENT} from 0", str(position))
        self._check_term_length(term_length)
        term_id = (initial_term_id + position // term_length + 2**31) % 2**32 - 2**31
        return self.with_params(
            {
                "init-term-id": initial_term_id,
                "term-id": term_id,
                "term-offset": position % term_length,
                "term-length": str(term_length),
            }
        )

    def with_resolved_port(self, resolved_endpoint: str) -> Self:
        """Return this URI with the port of `resolved_endpoint` if its own is 0.

        A URI without an endpoint gets `resolved_endpoint`.

        Raises
        ------
        ConfigurationError
            `resolved_endpoint` has no port, or port 0.
        """
        _, colon, port = resolved_endpoint.rpartition(":")
        if not colon or port == "0":
            raise self._error(
                "resolved endpoint", "host:port with a port above 0", resolved_endpoint
            )
        endpoint = self._params.get("endpoint")
        if endpoint is None:
            return self.with_params(endpoint=resolved_endpoint)
        if endpoint.endswith(":0"):
            return self.with_params(endpoint=f"{endpoint[:-2]}:{port}")
        return self

    def destination(self, endpoint: str) -> Self:
        """Return the URI of a destination at `endpoint`: only with this medium and interface."""
        return type(self)(self.media).with_params(
            endpoint=endpoint, interface=self._params.get("interface")
        )

    def validate(self, *, ignores_unknown: bool = True) -> Self:
        """Check every parameter and their combination; return this URI.

        Parameters
        ----------
        ignores_unknown : bool, optional
            Whether a key that Aeron does not know is ignored, and logged once with the nearest
            known one; otherwise it is rejected.

        Returns
        -------
        ChannelUri

        Raises
        ------
        ConfigurationError
            The first parameter with an invalid value (and the nearest valid one), or an impossible
            combination.
        """
        if self._is_valid:
            return self
        for key, text in self._params.items():
            parameter = _PARAMETERS.get(key)
            if parameter is None:
                if not ignores_unknown:
                    raise self._error(
                        f"parameter {key!r}", "a known parameter", key, _nearest_key(key)
                    )
                _log_unknown(key)
                continue
            value = self._typed(key, parameter.parse, None)
            limits = parameter.limits
            if limits is not None and isinstance(value, int) and value not in limits:
                hint = f"nearest: {parameter.write(_nearest(limits, value))}"
                upstream = _limit_text(key, value, self)
                raise self._error(
                    f"parameter {key!r}", _limits_text(limits), text, hint, upstream, key=key
                )
        term_length = self.size("term-length", None)
        if term_length is not None:
            self._check_term_length(term_length)
        self._check_initial_position(term_length)
        self._check_endpoints()
        self._is_valid = True
        return self

    def _check_term_length(self, term_length: int) -> None:
        if not MIN_TERM_LENGTH <= term_length <= MAX_TERM_LENGTH or term_length & (term_length - 1):
            bounded = min(max(term_length, MIN_TERM_LENGTH), MAX_TERM_LENGTH)
            low = 1 << (bounded.bit_length() - 1)
            near = low if bounded - low <= 2 * low - bounded else 2 * low
            raise self._error(
                "parameter 'term-length'",
                "a power of two from 64k to 1g",
                str(term_length),
                f"nearest: {_size_text(near)}",
                _limit_text("term-length", term_length, self)
                or f"Term length not a power of 2: length={term_length}",
                key="term-length",
            )

    def _check_initial_position(self, term_length: int | None) -> None:
        initial_term_id = self.int32("init-term-id", None)
        term_id = self.int32("term-id", None)
        term_offset = self.int32("term-offset", None)
        if initial_term_id is None and term_id is None and term_offset is None:
            return
        if initial_term_id is None or term_id is None or term_offset is None:
            given = [key for key in ("init-term-id", "term-id", "term-offset") if key in self]
            raise self._error(
                "parameters",
                "all or none of init-term-id, term-id, term-offset",
                ", ".join(given),
                upstream="params must be used as a complete set: init-term-id term-id term-offset"
                f" channel={self}",
            )
        if (term_id - initial_term_id) % 2**32 >= 2**31:
            raise self._error(
                "parameter 'term-id'",
                f"at most 2^31 - 1 after init-term-id {initial_term_id}",
                str(term_id),
                upstream=f"difference greater than 2^31 - 1: init-term-id={initial_term_id} when"
                f" term-id={term_id} channel={self}",
            )
        if term_length is not None and term_offset > term_length:
            raise self._error(
                "parameter 'term-offset'",
                f"at most term-length {term_length}",
                str(term_offset),
                upstream=f"term-offset={term_offset} > term-length={term_length}: channel={self}",
            )

    def _check_endpoints(self) -> None:
        if not self.is_udp:
            return
        mode = self._params.get("control-mode")
        if mode == "dynamic" and "control" not in self:
            raise self._error(
                "parameter 'control'",
                "host:port, since control-mode=dynamic",
                "none",
                upstream=f"explicit control expected with dynamic control mode: {self}",
            )
        if not {"endpoint", "control", "tags"} & self._params.keys() and mode is None:
            unknown = self._unknown_keys()
            raise self._error(
                "parameters",
                "endpoint, control, tags or control-mode for UDP",
                f"{unknown[0]}, which is ignored" if unknown else "none of them",
                _nearest_key(unknown[0]) if unknown else "",
                "URIs for UDP must specify an endpoint, control, tags, or"
                f" control-mode=manual/response: {self}",
            )

    def _typed(self, key: str, parse: Callable[[str], _T], default: _D) -> _T | _D:
        text = self._params.get(key)
        if text is None:
            return default
        try:
            return parse(text)
        except _ParseError as error:
            upstream = error.upstream or _unread_text(key, text)
            raise self._error(
                f"parameter {key!r}", error.expected, text, error.hint, upstream, key=key
            ) from None

    def _error(
        self,
        part: str,
        expected: str,
        found: str,
        hint: str = "",
        upstream: str = "",
        *,
        key: str = "",
    ) -> ConfigurationError:
        kind = StreamParameterError if key in _OF_STREAMS else ConfigurationError
        return kind(f"channel URI {str(self)!r}: {part}", expected, found, hint, upstream=upstream)

    def __contains__(self, key: object) -> bool:
        return key in self._params

    def __iter__(self) -> Iterator[str]:
        return iter(self._params)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ChannelUri):
            return NotImplemented
        return (self.media, self.is_spy, self._params) == (other.media, other.is_spy, other._params)

    def __hash__(self) -> int:
        return hash((self.media, self.is_spy, frozenset(self._params.items())))

    def __repr__(self) -> str:
        return f"ChannelUri.parse({str(self)!r})"

    def __str__(self) -> str:
        """Return the URI in canonical order: as Java's builder writes it, unknown keys last."""
        prefix = f"{SPY_PREFIX}:" if self.is_spy else ""
        params = "|".join(f"{key}={value}" for key, value in self._params.items())
        return f"{prefix}{SCHEME}:{self.media}{'?' if params else ''}{params}"
