"""Channels, lists of endpoints and members, properties files, options."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence

from aeron_cluster import config
from aeron_cluster.cluster.members.members import parse_members
from aeron_cluster.cluster_client.context import parse_ingress_endpoints
from aeron_cluster.codecs.channel_uri import ChannelUri
from tests.fuzz.mutator import TextMutator
from tests.fuzz.target import Feed, Target
from tests.golden.vectors import channel_uri_vectors

__all__ = ["TARGETS"]

_MEMBERS = "|".join(f"{i},h{i}:1,h{i}:2,h{i}:3,h{i}:4,h{i}:5" for i in range(3))
_WORDS = ("aeron:udp?", "aeron:ipc", "aeron-spy:", "endpoint=", "localhost:", "127.0.0.1", "[::1]")
_VALUES = ("64k", "1g", "10s", "250ms", "true", "false", "-1", "0", "9223372036854775807", "1e3")
_NAMES_ONE_IN = 61
_KINDS = tuple({type(each.default): each for each in config.ALL_OPTIONS}.values())


def _of_text(
    name: str,
    corpus: Callable[[], Sequence[str]],
    parse: Callable[[str], object],
    words: Sequence[str] = _WORDS,
    share: int = 8,
) -> Target:
    @contextlib.contextmanager
    def begin(seed: int) -> Iterator[Feed]:
        mutator = TextMutator(corpus(), words, seed)
        yield lambda: parse(mutator.draw()) is not None

    return Target(name, begin, share=share)


@functools.cache
def _uris() -> list[str]:
    return [vector["uri"] for vector in channel_uri_vectors()]


@functools.cache
def _keys() -> list[str]:
    return [*_WORDS, *{f"{key}=" for uri in _uris() for key in _keys_of(uri)}]


def _keys_of(uri: str) -> list[str]:
    return [part.split("=")[0] for part in uri.partition("?")[2].split("|")]


def _channel(text: str) -> object:
    channel = ChannelUri.parse(text).validate()
    return str(channel), repr(channel)


def _file() -> list[str]:
    lines = [f"{each.name}={each.default}" for each in config.ALL_OPTIONS[::7]]
    return ["\n".join(lines[first : first + 12]) for first in range(0, len(lines), 12)]


@functools.cache
def _options() -> dict[str, config.Option]:
    return {each.name: each for each in config.ALL_OPTIONS}


def _settings() -> list[str]:
    return [f"{name}={value}" for name in _options() for value in _VALUES]


def _setting(text: str) -> object:
    """Parse a property, or any text as the value of one."""
    name, _, value = text.partition("=")
    option = _options().get(name)
    if option is None:
        if len(text) % _NAMES_ONE_IN == 0:  # to find the nearest name takes long
            config.check_property_names([name])
        option = _KINDS[len(text) % len(_KINDS)]
    option.parse(value)
    return True


TARGETS = (
    _of_text("channels", _uris, _channel, share=4),
    _of_text("lists of members", lambda: [_MEMBERS, _MEMBERS.split("|")[0]], parse_members),
    _of_text(
        "lists of endpoints",
        lambda: ["localhost:9001,localhost:9011", "0=a:1,1=b:2,2=[::1]:3"],
        parse_ingress_endpoints,
    ),
    _of_text("properties files", _file, config.parse_properties, ("\\u00e9", "\\", "#", "!")),
    _of_text("options", _settings, _setting, _VALUES),
)
