# Generated from config.py by tools/generate_options.py. Edit config.py, run it again.
"""The types of options, by keyword."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.credentials import Credentials
    from aeron_cluster.codecs.archive import RecordingSignalEvent
    from aeron_cluster.codecs.channel_uri import ChannelUri
    from aeron_cluster.config import Duration, Size
    from aeron_cluster.memory.agents.idle_strategy import IdleStrategy

__all__ = ["ArchiveClientOptions"]


class ArchiveClientOptions(TypedDict, total=False):
    """The options of `AeronArchive.connect` and `ArchiveClientContext.of`."""

    aeron_dir: str | os.PathLike[str] | None
    """Directory of the driver, which its clients share: aeron.dir (default: that of this user)."""
    control_channel: str | ChannelUri | None
    """Channel for requests to an archive: aeron.archive.control.channel."""
    control_stream_id: int | None
    """Stream of these requests: aeron.archive.control.stream.id (default: 10)."""
    control_response_channel: str | ChannelUri | None
    """Channel on which responses are received: aeron.archive.control.response.channel."""
    control_response_stream_id: int | None
    """Stream of responses: aeron.archive.control.response.stream.id (default: 20)."""
    local_control_channel: str | ChannelUri | None
    """Channel for requests of clients of the same driver: aeron.archive.local.control.channel
    (default: aeron:ipc?term-length=64k)."""
    local_control_stream_id: int | None
    """Stream of these requests: aeron.archive.local.control.stream.id (default: 10)."""
    control_term_buffer_length: Size | None
    """Term length of requests and responses: aeron.archive.control.term.buffer.length (default:
    64k)."""
    control_term_buffer_sparse: bool | None
    """Whether their logs are sparse: aeron.archive.control.term.buffer.sparse (default: True)."""
    control_mtu_length: Size | None
    """Longest frame of requests and responses: aeron.archive.control.mtu.length (default: 1408)."""
    recording_events_channel: str | ChannelUri | None
    """Channel for recording events: aeron.archive.recording.events.channel."""
    recording_events_stream_id: int | None
    """Stream of recording events: aeron.archive.recording.events.stream.id (default: 30)."""
    message_timeout_ns: Duration | None
    """How long to wait for a response: aeron.archive.message.timeout (default: 10s)."""
    message_retry_attempts: int | None
    """Attempts to offer a request; unset: until the message timeout:
    aeron.archive.message.retry.attempts."""
    client_name: str | None
    """Sent to the archive, up to 100 characters: aeron.archive.client.name."""
    credentials: Credentials
    aeron: Aeron | None
    agent_invoker: Callable[[], object] | None
    recording_signal_handler: Callable[[RecordingSignalEvent], object] | None
    error_handler: Callable[[Exception], object]
    idle_strategy: IdleStrategy | str
