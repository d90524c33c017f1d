"""The configuration of a persistent subscription.

``io.aeron.archive.client.PersistentSubscription.Context``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, Self, Unpack

from aeron_cluster.archive.client.client_context import ArchiveClientContext
from aeron_cluster.archive.persistent.listener import PersistentSubscriptionListener
from aeron_cluster.archive.persistent.options import PersistentSubscriptionOptions
from aeron_cluster.archive.protocol.channels import is_response_channel
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.config import check_keywords
from aeron_cluster.errors import ConfigurationError

if TYPE_CHECKING:
    from aeron_cluster.client.counter import Counter

__all__ = ["FROM_LIVE", "FROM_START", "PersistentSubscriptionContext"]

FROM_START: Final = NULL_VALUE
"""Start with the first message of the recording."""
FROM_LIVE: Final = -2
"""Start with the live stream, without a replay."""

_MEDIA_MISMATCH: Final = (
    "Channel media type mismatch. When using `control-mode=response`, the `replayChannel` media"
    " type must match the media type for the archive control channel."
)


@dataclass(kw_only=True)
class PersistentSubscriptionContext:
    """The options of a persistent subscription, in addition to those of its archive client.

    Parameters
    ----------
    recording_id : int
        The recording of the stream.
    live_channel : str
        The channel on which the stream is published.
    live_stream_id : int
    replay_channel : str
        The channel for replays: with a port, with port 0 (any free one), or with
        ``control-mode=response``; the archive and this subscription use it.
    replay_stream_id : int
    archive : ArchiveClientContext
        The options of the session with the archive, with its ``aeron`` and ``aeron_dir``.
    start_position : int
        The position of the first message, in bytes; `FROM_START` or `FROM_LIVE`.
    listener : PersistentSubscriptionListener
    state_counter, join_difference_counter : Counter, optional
        The counters of the state, and of the distance to the live stream when it was found; by
        default they are created.
    live_left_counter, live_joined_counter : Counter, optional
        The counters of losses and joins of the live stream; by default they are created.
    """

    recording_id: int
    live_channel: str
    live_stream_id: int
    replay_channel: str
    replay_stream_id: int
    archive: ArchiveClientContext
    start_position: int = FROM_LIVE
    listener: PersistentSubscriptionListener = field(default_factory=PersistentSubscriptionListener)
    state_counter: Counter | None = None
    join_difference_counter: Counter | None = None
    live_left_counter: Counter | None = None
    live_joined_counter: Counter | None = None

    @classmethod
    def of(
        cls,
        *,
        properties: Mapping[str, str] | None = None,
        **options: Unpack[PersistentSubscriptionOptions],
    ) -> Self:
        """Create a context; other options are those of `ArchiveClientContext`.

        Raises
        ------
        ConfigurationError
            If an option is unknown, missing or invalid.
        """
        check_keywords(options, PersistentSubscriptionOptions.__annotations__)
        own = {each.name for each in fields(cls)} - {"archive"}
        own_options: dict[str, Any] = {
            name: value for name, value in options.items() if name in own
        }
        client_options: dict[str, Any] = {
            name: value for name, value in options.items() if name not in own
        }
        for name, upstream in _REQUIRED.items():
            if own_options.get(name) in (None, ""):
                raise ConfigurationError(
                    name, "a value", own_options.get(name), upstream=f"{upstream} must be set"
                )
        context = cls(
            archive=ArchiveClientContext.of(properties=properties, **client_options), **own_options
        )
        context.conclude()
        return context

    def conclude(self) -> None:
        """Check the combination of options, and complete the channel for replays."""
        if self.recording_id < 0:
            raise ConfigurationError(
                "recording_id",
                "at least 0",
                self.recording_id,
                upstream=f"invalid recordingId {self.recording_id}",
            )
        if self.start_position < FROM_LIVE:
            raise ConfigurationError(
                "start_position",
                "a position, FROM_START or FROM_LIVE",
                self.start_position,
                upstream=f"invalid startPosition {self.start_position}",
            )
        live, replay = ChannelUri.parse(self.live_channel), ChannelUri.parse(self.replay_channel)
        control = ChannelUri.parse(self.archive.control_channel)
        if is_response_channel(replay) and replay.is_ipc != control.is_ipc:
            raise ConfigurationError(
                "replay_channel",
                f"one of aeron:{control.media}",
                str(replay),
                upstream=_MEDIA_MISMATCH,
            )
        self.live_channel = str(live)
        # A lost replay is requested again; its image must not be replaced by another one.
        self.replay_channel = str(replay.with_params(rejoin=False))


_REQUIRED: Final = {
    "recording_id": "recordingId",
    "live_stream_id": "liveStreamId",
    "live_channel": "liveChannel",
    "replay_channel": "replayChannel",
    "replay_stream_id": "replayStreamId",
}
