"""The parameters of a replication besides its source.

``io.aeron.archive.client.ReplicationParams``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.errors import ConfigurationError

if TYPE_CHECKING:
    from aeron_cluster.codecs.channel_uri import ChannelUri

__all__ = ["ReplicationParams"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplicationParams:
    """The options of a replication, with Aeron's defaults: the whole recording, into a new one.

    Parameters
    ----------
    dst_recording_id : int
        The stopped recording to extend; -1: a new one.
    stop_position : int
        The position to stop at, in bytes; -1: when the source ends.
    replication_channel : str or ChannelUri
        The channel on which the archive receives the replay; empty: as the archive is configured.
    live_destination : str or ChannelUri
        The live stream to merge with; empty: none.
    src_response_channel : str or ChannelUri
        The channel on which the source archive answers; empty: as the archive is configured.
    channel_tag_id, subscription_tag_id : int
        Tags of the recorded subscription, for adding destinations to it; -1: untagged.
    file_io_max_length : int
        The longest read of the source, in bytes; -1: the source archive's default.
    replication_session_id : int
        Session id of the replayed stream; -1: that of the source recording.
    encoded_credentials : bytes
        The credentials for the source archive.
    """

    dst_recording_id: int = NULL_VALUE
    stop_position: int = NULL_VALUE
    replication_channel: str | ChannelUri = ""
    live_destination: str | ChannelUri = ""
    src_response_channel: str | ChannelUri = ""
    channel_tag_id: int = NULL_VALUE
    subscription_tag_id: int = NULL_VALUE
    file_io_max_length: int = NULL_VALUE
    replication_session_id: int = NULL_VALUE
    encoded_credentials: bytes = b""

    def fields(
        self, src_recording_id: int, src_control_stream_id: int, src_control_channel: str
    ) -> dict[str, object]:
        """Return the fields of a ``ReplicateRequest2``, without its two ids.

        Raises
        ------
        ConfigurationError
            Both a live destination and a session id were given: the live stream has one.
        """
        if str(self.live_destination) and self.replication_session_id != NULL_VALUE:
            raise ConfigurationError(
                "replication_session_id",
                "none together with a live destination",
                self.replication_session_id,
            )
        return {
            "src_recording_id": src_recording_id,
            "dst_recording_id": self.dst_recording_id,
            "stop_position": self.stop_position,
            "channel_tag_id": self.channel_tag_id,
            "subscription_tag_id": self.subscription_tag_id,
            "src_control_stream_id": src_control_stream_id,
            "file_io_max_length": self.file_io_max_length,
            "replication_session_id": self.replication_session_id,
            "src_control_channel": src_control_channel,
            "live_destination": str(self.live_destination),
            "replication_channel": str(self.replication_channel),
            "encoded_credentials": self.encoded_credentials,
            "src_response_channel": str(self.src_response_channel),
        }
