"""Channels of an archive: stripped channels, recording channels, keys of subscriptions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.codecs.archive import SourceLocation
from aeron_cluster.codecs.channel_uri import ChannelUri

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["is_response_channel", "recording_channel", "stripped_channel", "subscription_key"]

# The parameters of stripped channels, as in upstream's `ArchiveConductor.strippedChannelBuilder`.
_KEPT: Final = frozenset(
    (
        "tags",
        "endpoint",
        "interface",
        "control",
        "control-mode",
        "session-id",
        "ttl",
        "alias",
        "cc",
        "fc",
        "gtag",
        "tether",
        "group",
        "rejoin",
        "so-sndbuf",
        "so-rcvbuf",
        "rcv-wnd",
        "media-rcv-ts-offset",
        "channel-rcv-ts-offset",
        "channel-snd-ts-offset",
        "response-endpoint",
        "response-correlation-id",
        "stream-id",
    )
)
_SIZES: Final = ("so-sndbuf", "so-rcvbuf", "rcv-wnd")
_KEY: Final = ("endpoint", "interface", "control", "session-id", "tags")


def stripped_channel(channel: ChannelUri) -> ChannelUri:
    """Return a channel with only the parameters in `_KEPT`, without a spy's prefix."""

    def kept() -> Iterator[tuple[str, str | int]]:
        for key, value in channel.params.items():
            if key in _SIZES:
                yield key, channel.size(key, 0)
            elif key in _KEPT:
                yield key, value

    return ChannelUri(channel.media).with_params(dict(kept()))


def recording_channel(channel: ChannelUri, source_location: SourceLocation) -> ChannelUri:
    """Return the channel to subscribe to: a spy's, if the publisher uses the same driver."""
    stripped = stripped_channel(channel)
    if source_location is SourceLocation.LOCAL and channel.is_udp:
        return ChannelUri(stripped.media, stripped.params, is_spy=True)
    return stripped


def subscription_key(channel: ChannelUri, stream_id: int) -> str:
    """Return the key of a recording subscription; of the parameters only `_KEY` count."""
    parts = (f"{key}={value}" for key in _KEY if (value := channel.get(key)) is not None)
    return f"{stream_id}:{channel.media}?{'|'.join(parts)}"


def is_response_channel(channel: ChannelUri) -> bool:
    """Return whether a publication on the channel sends responses to one image only."""
    return channel.get("control-mode") == "response"
