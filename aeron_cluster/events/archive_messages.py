"""Captured messages of an archive, as values.

The half of ``io.aeron.agent.ArchiveEventDissector`` about messages.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.codecs import archive as codecs
from aeron_cluster.events.codes import ArchiveEvent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aeron_cluster.codecs.message import Message

__all__ = ["MESSAGE_EVENTS", "describe_message"]

_SNAKE: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_REQUEST: Final = "controlSessionId correlationId"
_RECORDING: Final = f"{_REQUEST} recordingId"
_MESSAGES: Final[Mapping[ArchiveEvent, tuple[type[Message], str]]] = {
    ArchiveEvent.CMD_IN_CONNECT: (
        codecs.ConnectRequest,
        "correlationId responseStreamId version responseChannel",
    ),
    ArchiveEvent.CMD_IN_CLOSE_SESSION: (codecs.CloseSessionRequest, "controlSessionId"),
    ArchiveEvent.CMD_IN_START_RECORDING: (
        codecs.StartRecordingRequest,
        f"{_REQUEST} streamId sourceLocation channel",
    ),
    ArchiveEvent.CMD_IN_STOP_RECORDING: (
        codecs.StopRecordingRequest,
        f"{_REQUEST} streamId channel",
    ),
    ArchiveEvent.CMD_IN_REPLAY: (
        codecs.ReplayRequest,
        f"{_RECORDING} position length replayStreamId replayChannel",
    ),
    ArchiveEvent.CMD_IN_STOP_REPLAY: (codecs.StopReplayRequest, f"{_REQUEST} replaySessionId"),
    ArchiveEvent.CMD_IN_LIST_RECORDINGS: (
        codecs.ListRecordingsRequest,
        f"{_REQUEST} fromRecordingId recordCount",
    ),
    ArchiveEvent.CMD_IN_LIST_RECORDINGS_FOR_URI: (
        codecs.ListRecordingsForUriRequest,
        f"{_REQUEST} fromRecordingId recordCount streamId channel",
    ),
    ArchiveEvent.CMD_IN_LIST_RECORDING: (codecs.ListRecordingRequest, _RECORDING),
    ArchiveEvent.CMD_IN_EXTEND_RECORDING: (
        codecs.ExtendRecordingRequest,
        f"{_RECORDING} streamId sourceLocation channel",
    ),
    ArchiveEvent.CMD_IN_RECORDING_POSITION: (codecs.RecordingPositionRequest, _RECORDING),
    ArchiveEvent.CMD_IN_TRUNCATE_RECORDING: (
        codecs.TruncateRecordingRequest,
        f"{_RECORDING} position",
    ),
    ArchiveEvent.CMD_IN_STOP_RECORDING_SUBSCRIPTION: (
        codecs.StopRecordingSubscriptionRequest,
        f"{_REQUEST} subscriptionId",
    ),
    ArchiveEvent.CMD_IN_STOP_POSITION: (codecs.StopPositionRequest, _RECORDING),
    ArchiveEvent.CMD_IN_FIND_LAST_MATCHING_RECORD: (
        codecs.FindLastMatchingRecordingRequest,
        f"{_REQUEST} minRecordingId sessionId streamId channel",
    ),
    ArchiveEvent.CMD_IN_LIST_RECORDING_SUBSCRIPTIONS: (
        codecs.ListRecordingSubscriptionsRequest,
        f"{_REQUEST} pseudoIndex applyStreamId subscriptionCount streamId channel",
    ),
    ArchiveEvent.CMD_IN_START_BOUNDED_REPLAY: (
        codecs.BoundedReplayRequest,
        f"{_RECORDING} position length limitCounterId replayStreamId replayChannel",
    ),
    ArchiveEvent.CMD_IN_STOP_ALL_REPLAYS: (codecs.StopAllReplaysRequest, _RECORDING),
    ArchiveEvent.CMD_IN_REPLICATE: (
        codecs.ReplicateRequest,
        f"{_REQUEST} srcRecordingId dstRecordingId srcControlStreamId srcControlChannel"
        " liveDestination",
    ),
    ArchiveEvent.CMD_IN_STOP_REPLICATION: (
        codecs.StopReplicationRequest,
        f"{_REQUEST} replicationId",
    ),
    ArchiveEvent.CMD_IN_START_POSITION: (codecs.StartPositionRequest, _RECORDING),
    ArchiveEvent.CMD_IN_DETACH_SEGMENTS: (codecs.DetachSegmentsRequest, _RECORDING),
    ArchiveEvent.CMD_IN_DELETE_DETACHED_SEGMENTS: (
        codecs.DeleteDetachedSegmentsRequest,
        _RECORDING,
    ),
    ArchiveEvent.CMD_IN_PURGE_SEGMENTS: (
        codecs.PurgeSegmentsRequest,
        f"{_RECORDING} newStartPosition",
    ),
    ArchiveEvent.CMD_IN_ATTACH_SEGMENTS: (codecs.AttachSegmentsRequest, _RECORDING),
    ArchiveEvent.CMD_IN_MIGRATE_SEGMENTS: (
        codecs.MigrateSegmentsRequest,
        f"{_REQUEST} srcRecordingId dstRecordingId",
    ),
    ArchiveEvent.CMD_IN_AUTH_CONNECT: (
        codecs.AuthConnectRequest,
        "correlationId responseStreamId version responseChannel encodedCredentialsLength",
    ),
    ArchiveEvent.CMD_IN_KEEP_ALIVE: (codecs.KeepAliveRequest, _REQUEST),
    ArchiveEvent.CMD_IN_TAGGED_REPLICATE: (
        codecs.TaggedReplicateRequest,
        f"{_REQUEST} srcRecordingId dstRecordingId channelTagId subscriptionTagId"
        " srcControlStreamId srcControlChannel liveDestination",
    ),
    ArchiveEvent.CMD_OUT_RESPONSE: (
        codecs.ControlResponse,
        f"{_REQUEST} relevantId code version errorMessage",
    ),
    ArchiveEvent.CMD_IN_START_RECORDING2: (
        codecs.StartRecordingRequest2,
        f"{_REQUEST} streamId sourceLocation autoStop channel",
    ),
    ArchiveEvent.CMD_IN_EXTEND_RECORDING2: (
        codecs.ExtendRecordingRequest2,
        f"{_RECORDING} streamId sourceLocation autoStop channel",
    ),
    ArchiveEvent.CMD_IN_STOP_RECORDING_BY_IDENTITY: (
        codecs.StopRecordingByIdentityRequest,
        _RECORDING,
    ),
    ArchiveEvent.CMD_IN_PURGE_RECORDING: (codecs.PurgeRecordingRequest, _RECORDING),
    ArchiveEvent.CMD_IN_REPLICATE2: (
        codecs.ReplicateRequest2,
        f"{_REQUEST} srcRecordingId dstRecordingId stopPosition channelTagId subscriptionTagId"
        " srcControlStreamId srcControlChannel liveDestination replicationChannel",
    ),
    ArchiveEvent.RECORDING_SIGNAL: (
        codecs.RecordingSignalEvent,
        f"{_RECORDING} subscriptionId position signal",
    ),
    ArchiveEvent.CMD_IN_REQUEST_REPLAY_TOKEN: (codecs.ReplayTokenRequest, _RECORDING),
    ArchiveEvent.CMD_IN_MAX_RECORDED_POSITION: (codecs.MaxRecordedPositionRequest, _RECORDING),
}

MESSAGE_EVENTS: Final[Mapping[int, ArchiveEvent]] = {
    message.template_id: event for event, (message, _) in _MESSAGES.items()
}
"""The events of messages, by their template ids."""


def describe_message(event: ArchiveEvent, data: bytes) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of a message, in the order of the text."""
    kind, names = _MESSAGES[event]
    message = kind.decode(data)
    for name in names.split():
        if name == "encodedCredentialsLength":
            yield name, len(message.encoded_credentials)  # type: ignore[attr-defined]  # its event's
        else:
            value = getattr(message, _SNAKE.sub("_", name).lower())
            yield name, value.name if isinstance(value, Enum) else value
