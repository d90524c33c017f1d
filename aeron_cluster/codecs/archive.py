# Generated from schemas/archive.xml by tools/generate_codecs.py. Edit it, run the tool.
"""The messages of schema 101, version 13."""

from enum import IntEnum

from aeron_cluster.codecs.message import Data, Field, Message, Schema, Truth

__all__ = [
    "SCHEMA",
    "ArchiveIdRequest",
    "AttachSegmentsRequest",
    "AuthConnectRequest",
    "BooleanType",
    "BoundedReplayRequest",
    "CatalogHeader",
    "Challenge",
    "ChallengeResponse",
    "CloseSessionRequest",
    "ConnectRequest",
    "ControlResponse",
    "ControlResponseCode",
    "DeleteDetachedSegmentsRequest",
    "DetachSegmentsRequest",
    "ExtendRecordingRequest",
    "ExtendRecordingRequest2",
    "FindLastMatchingRecordingRequest",
    "KeepAliveRequest",
    "ListRecordingRequest",
    "ListRecordingSubscriptionsRequest",
    "ListRecordingsForUriRequest",
    "ListRecordingsRequest",
    "MaxRecordedPositionRequest",
    "MigrateSegmentsRequest",
    "Ping",
    "PurgeRecordingRequest",
    "PurgeSegmentsRequest",
    "RecordingDescriptor",
    "RecordingDescriptorHeader",
    "RecordingPositionRequest",
    "RecordingProgress",
    "RecordingSignal",
    "RecordingSignalEvent",
    "RecordingStarted",
    "RecordingState",
    "RecordingStopped",
    "RecordingSubscriptionDescriptor",
    "ReplayRequest",
    "ReplayTokenRequest",
    "ReplicateRequest",
    "ReplicateRequest2",
    "SourceLocation",
    "StartPositionRequest",
    "StartRecordingRequest",
    "StartRecordingRequest2",
    "StopAllReplaysRequest",
    "StopPositionRequest",
    "StopRecordingByIdentityRequest",
    "StopRecordingRequest",
    "StopRecordingSubscriptionRequest",
    "StopReplayRequest",
    "StopReplicationRequest",
    "TaggedReplicateRequest",
    "TruncateRecordingRequest",
    "UpdateChannelRequest",
    "decode",
    "template_id_of",
]

SCHEMA = Schema(
    name="archive",
    schema_id=101,
    version=13,
    semantic_version="5.2",
    has_frame_length=False,
)
decode = SCHEMA.decode
template_id_of = SCHEMA.template_id_of


class ControlResponseCode(IntEnum):
    OK = 0
    ERROR = 1
    RECORDING_UNKNOWN = 2
    SUBSCRIPTION_UNKNOWN = 3
    NULL_VALUE = -2147483648


class SourceLocation(IntEnum):
    LOCAL = 0
    REMOTE = 1
    NULL_VALUE = -2147483648


class BooleanType(Truth):
    FALSE = 0
    TRUE = 1
    NULL_VALUE = -2147483648


class RecordingSignal(IntEnum):
    START = 0
    STOP = 1
    EXTEND = 2
    REPLICATE = 3
    MERGE = 4
    SYNC = 5
    DELETE = 6
    REPLICATE_END = 7
    NULL_VALUE = -2147483648


class RecordingState(IntEnum):
    INVALID = 0
    VALID = 1
    DELETED = 2
    NULL_VALUE = -2147483648


class ControlResponse(Message):
    """``ControlResponse``, archive to client."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "relevant_id",
        "code",
        "version",
        "error_message",
    )
    name = "ControlResponse"
    schema = SCHEMA
    template_id = 1
    block_length = 32
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("relevant_id", "q", 16, -9223372036854775808),
        Field("code", "i", 24, -2147483648, enum=ControlResponseCode),
        Field("version", "i", 28, 0, since=4, is_optional=True),
    )
    data = (Data("error_message", is_text=True),)


class ConnectRequest(Message):
    """``ConnectRequest``, client to archive."""

    __slots__ = (
        "correlation_id",
        "response_stream_id",
        "version",
        "response_channel",
    )
    name = "ConnectRequest"
    schema = SCHEMA
    template_id = 2
    block_length = 16
    fields = (
        Field("correlation_id", "q", 0, -9223372036854775808),
        Field("response_stream_id", "i", 8, -2147483648),
        Field("version", "i", 12, 0, since=2, is_optional=True),
    )
    data = (Data("response_channel", is_text=True),)


class CloseSessionRequest(Message):
    """``CloseSessionRequest``, client to archive."""

    __slots__ = ("control_session_id",)
    name = "CloseSessionRequest"
    schema = SCHEMA
    template_id = 3
    block_length = 8
    fields = (Field("control_session_id", "q", 0, -9223372036854775808),)


class StartRecordingRequest(Message):
    """``StartRecordingRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "stream_id",
        "source_location",
        "channel",
    )
    name = "StartRecordingRequest"
    schema = SCHEMA
    template_id = 4
    block_length = 24
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("stream_id", "i", 16, -2147483648),
        Field("source_location", "i", 20, -2147483648, enum=SourceLocation),
    )
    data = (Data("channel", is_text=True),)


class StopRecordingRequest(Message):
    """``StopRecordingRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "stream_id",
        "channel",
    )
    name = "StopRecordingRequest"
    schema = SCHEMA
    template_id = 5
    block_length = 20
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("stream_id", "i", 16, -2147483648),
    )
    data = (Data("channel", is_text=True),)


class ReplayRequest(Message):
    """``ReplayRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
        "position",
        "length",
        "replay_stream_id",
        "file_io_max_length",
        "replay_token",
        "replay_channel",
    )
    name = "ReplayRequest"
    schema = SCHEMA
    template_id = 6
    block_length = 56
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
        Field("position", "q", 24, -9223372036854775808),
        Field("length", "q", 32, -9223372036854775808),
        Field("replay_stream_id", "i", 40, -2147483648),
        Field("file_io_max_length", "i", 44, -2147483648, since=7),
        Field("replay_token", "q", 48, -9223372036854775808, since=10),
    )
    data = (Data("replay_channel", is_text=True),)


class StopReplayRequest(Message):
    """``StopReplayRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "replay_session_id",
    )
    name = "StopReplayRequest"
    schema = SCHEMA
    template_id = 7
    block_length = 24
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("replay_session_id", "q", 16, -9223372036854775808),
    )


class ListRecordingsRequest(Message):
    """``ListRecordingsRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "from_recording_id",
        "record_count",
    )
    name = "ListRecordingsRequest"
    schema = SCHEMA
    template_id = 8
    block_length = 28
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("from_recording_id", "q", 16, -9223372036854775808),
        Field("record_count", "i", 24, -2147483648),
    )


class ListRecordingsForUriRequest(Message):
    """``ListRecordingsForUriRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "from_recording_id",
        "record_count",
        "stream_id",
        "channel",
    )
    name = "ListRecordingsForUriRequest"
    schema = SCHEMA
    template_id = 9
    block_length = 32
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("from_recording_id", "q", 16, -9223372036854775808),
        Field("record_count", "i", 24, -2147483648),
        Field("stream_id", "i", 28, -2147483648),
    )
    data = (Data("channel", is_text=True),)


class ListRecordingRequest(Message):
    """``ListRecordingRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
    )
    name = "ListRecordingRequest"
    schema = SCHEMA
    template_id = 10
    block_length = 24
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
    )


class ExtendRecordingRequest(Message):
    """``ExtendRecordingRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
        "stream_id",
        "source_location",
        "channel",
    )
    name = "ExtendRecordingRequest"
    schema = SCHEMA
    template_id = 11
    block_length = 32
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
        Field("stream_id", "i", 24, -2147483648),
        Field("source_location", "i", 28, -2147483648, enum=SourceLocation),
    )
    data = (Data("channel", is_text=True),)


class RecordingPositionRequest(Message):
    """``RecordingPositionRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
    )
    name = "RecordingPositionRequest"
    schema = SCHEMA
    template_id = 12
    block_length = 24
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
    )


class TruncateRecordingRequest(Message):
    """``TruncateRecordingRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
        "position",
    )
    name = "TruncateRecordingRequest"
    schema = SCHEMA
    template_id = 13
    block_length = 32
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
        Field("position", "q", 24, -9223372036854775808),
    )


class StopRecordingSubscriptionRequest(Message):
    """``StopRecordingSubscriptionRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "subscription_id",
    )
    name = "StopRecordingSubscriptionRequest"
    schema = SCHEMA
    template_id = 14
    block_length = 24
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("subscription_id", "q", 16, -9223372036854775808),
    )


class StopPositionRequest(Message):
    """``StopPositionRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
    )
    name = "StopPositionRequest"
    schema = SCHEMA
    template_id = 15
    block_length = 24
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
    )


class FindLastMatchingRecordingRequest(Message):
    """``FindLastMatchingRecordingRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "min_recording_id",
        "session_id",
        "stream_id",
        "channel",
    )
    name = "FindLastMatchingRecordingRequest"
    schema = SCHEMA
    template_id = 16
    block_length = 32
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("min_recording_id", "q", 16, -9223372036854775808),
        Field("session_id", "i", 24, -2147483648),
        Field("stream_id", "i", 28, -2147483648),
    )
    data = (Data("channel", is_text=True),)


class ListRecordingSubscriptionsRequest(Message):
    """``ListRecordingSubscriptionsRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "pseudo_index",
        "subscription_count",
        "apply_stream_id",
        "stream_id",
        "channel",
    )
    name = "ListRecordingSubscriptionsRequest"
    schema = SCHEMA
    template_id = 17
    block_length = 32
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("pseudo_index", "i", 16, -2147483648),
        Field("subscription_count", "i", 20, -2147483648),
        Field("apply_stream_id", "i", 24, -2147483648, enum=BooleanType),
        Field("stream_id", "i", 28, -2147483648),
    )
    data = (Data("channel", is_text=True),)


class BoundedReplayRequest(Message):
    """``BoundedReplayRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
        "position",
        "length",
        "limit_counter_id",
        "replay_stream_id",
        "file_io_max_length",
        "replay_token",
        "replay_channel",
    )
    name = "BoundedReplayRequest"
    schema = SCHEMA
    template_id = 18
    block_length = 60
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
        Field("position", "q", 24, -9223372036854775808),
        Field("length", "q", 32, -9223372036854775808),
        Field("limit_counter_id", "i", 40, -2147483648),
        Field("replay_stream_id", "i", 44, -2147483648),
        Field("file_io_max_length", "i", 48, -2147483648, since=7),
        Field("replay_token", "q", 52, -9223372036854775808, since=10),
    )
    data = (Data("replay_channel", is_text=True),)


class StopAllReplaysRequest(Message):
    """``StopAllReplaysRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
    )
    name = "StopAllReplaysRequest"
    schema = SCHEMA
    template_id = 19
    block_length = 24
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
    )


class CatalogHeader(Message):
    """``CatalogHeader``, a record in a file."""

    __slots__ = (
        "version",
        "length",
        "next_recording_id",
        "alignment",
        "reserved",
    )
    name = "CatalogHeader"
    schema = SCHEMA
    template_id = 20
    block_length = 32
    fields = (
        Field("version", "i", 0, -2147483648),
        Field("length", "i", 4, -2147483648),
        Field("next_recording_id", "q", 8, -9223372036854775808),
        Field("alignment", "i", 16, -2147483648),
        Field("reserved", "b", 31, -128),
    )


class RecordingDescriptorHeader(Message):
    """``RecordingDescriptorHeader``, a record in a file."""

    __slots__ = (
        "length",
        "state",
        "checksum",
        "reserved",
    )
    name = "RecordingDescriptorHeader"
    schema = SCHEMA
    template_id = 21
    block_length = 32
    fields = (
        Field("length", "i", 0, -2147483648),
        Field("state", "i", 4, -2147483648, enum=RecordingState),
        Field("checksum", "i", 8, -2147483648),
        Field("reserved", "b", 31, -128),
    )


class RecordingDescriptor(Message):
    """``RecordingDescriptor``, archive to client."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
        "start_timestamp",
        "stop_timestamp",
        "start_position",
        "stop_position",
        "initial_term_id",
        "segment_file_length",
        "term_buffer_length",
        "mtu_length",
        "session_id",
        "stream_id",
        "stripped_channel",
        "original_channel",
        "source_identity",
    )
    name = "RecordingDescriptor"
    schema = SCHEMA
    template_id = 22
    block_length = 80
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
        Field("start_timestamp", "q", 24, -9223372036854775808),
        Field("stop_timestamp", "q", 32, -9223372036854775808),
        Field("start_position", "q", 40, -9223372036854775808),
        Field("stop_position", "q", 48, -9223372036854775808),
        Field("initial_term_id", "i", 56, -2147483648),
        Field("segment_file_length", "i", 60, -2147483648),
        Field("term_buffer_length", "i", 64, -2147483648),
        Field("mtu_length", "i", 68, -2147483648),
        Field("session_id", "i", 72, -2147483648),
        Field("stream_id", "i", 76, -2147483648),
    )
    data = (
        Data("stripped_channel", is_text=True),
        Data("original_channel", is_text=True),
        Data("source_identity", is_text=True),
    )


class RecordingSubscriptionDescriptor(Message):
    """``RecordingSubscriptionDescriptor``, archive to client."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "subscription_id",
        "stream_id",
        "stripped_channel",
    )
    name = "RecordingSubscriptionDescriptor"
    schema = SCHEMA
    template_id = 23
    block_length = 28
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("subscription_id", "q", 16, -9223372036854775808),
        Field("stream_id", "i", 24, -2147483648),
    )
    data = (Data("stripped_channel", is_text=True),)


class RecordingSignalEvent(Message):
    """``RecordingSignalEvent``, archive to client."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
        "subscription_id",
        "position",
        "signal",
    )
    name = "RecordingSignalEvent"
    schema = SCHEMA
    template_id = 24
    block_length = 44
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
        Field("subscription_id", "q", 24, -9223372036854775808),
        Field("position", "q", 32, -9223372036854775808),
        Field("signal", "i", 40, -2147483648, enum=RecordingSignal),
    )


class ReplicateRequest(Message):
    """``ReplicateRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "src_recording_id",
        "dst_recording_id",
        "src_control_stream_id",
        "src_control_channel",
        "live_destination",
    )
    name = "ReplicateRequest"
    schema = SCHEMA
    template_id = 50
    block_length = 36
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("src_recording_id", "q", 16, -9223372036854775808),
        Field("dst_recording_id", "q", 24, -9223372036854775808),
        Field("src_control_stream_id", "i", 32, -2147483648),
    )
    data = (
        Data("src_control_channel", is_text=True),
        Data("live_destination", is_text=True),
    )


class StopReplicationRequest(Message):
    """``StopReplicationRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "replication_id",
    )
    name = "StopReplicationRequest"
    schema = SCHEMA
    template_id = 51
    block_length = 24
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("replication_id", "q", 16, -9223372036854775808),
    )


class StartPositionRequest(Message):
    """``StartPositionRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
    )
    name = "StartPositionRequest"
    schema = SCHEMA
    template_id = 52
    block_length = 24
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
    )


class DetachSegmentsRequest(Message):
    """``DetachSegmentsRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
        "new_start_position",
    )
    name = "DetachSegmentsRequest"
    schema = SCHEMA
    template_id = 53
    block_length = 32
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
        Field("new_start_position", "q", 24, -9223372036854775808),
    )


class DeleteDetachedSegmentsRequest(Message):
    """``DeleteDetachedSegmentsRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
    )
    name = "DeleteDetachedSegmentsRequest"
    schema = SCHEMA
    template_id = 54
    block_length = 24
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
    )


class PurgeSegmentsRequest(Message):
    """``PurgeSegmentsRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
        "new_start_position",
    )
    name = "PurgeSegmentsRequest"
    schema = SCHEMA
    template_id = 55
    block_length = 32
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
        Field("new_start_position", "q", 24, -9223372036854775808),
    )


class AttachSegmentsRequest(Message):
    """``AttachSegmentsRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
    )
    name = "AttachSegmentsRequest"
    schema = SCHEMA
    template_id = 56
    block_length = 24
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
    )


class MigrateSegmentsRequest(Message):
    """``MigrateSegmentsRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "src_recording_id",
        "dst_recording_id",
    )
    name = "MigrateSegmentsRequest"
    schema = SCHEMA
    template_id = 57
    block_length = 32
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("src_recording_id", "q", 16, -9223372036854775808),
        Field("dst_recording_id", "q", 24, -9223372036854775808),
    )


class AuthConnectRequest(Message):
    """``AuthConnectRequest``, client to archive."""

    __slots__ = (
        "correlation_id",
        "response_stream_id",
        "version",
        "response_channel",
        "encoded_credentials",
        "client_info",
    )
    name = "AuthConnectRequest"
    schema = SCHEMA
    template_id = 58
    block_length = 16
    fields = (
        Field("correlation_id", "q", 0, -9223372036854775808),
        Field("response_stream_id", "i", 8, -2147483648),
        Field("version", "i", 12, 0, is_optional=True),
    )
    data = (
        Data("response_channel", is_text=True),
        Data("encoded_credentials", is_text=False),
        Data("client_info", is_text=True, since=12),
    )


class Challenge(Message):
    """``Challenge``, archive to client."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "version",
        "encoded_challenge",
    )
    name = "Challenge"
    schema = SCHEMA
    template_id = 59
    block_length = 20
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("version", "i", 16, 0, is_optional=True),
    )
    data = (Data("encoded_challenge", is_text=False),)


class ChallengeResponse(Message):
    """``ChallengeResponse``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "encoded_credentials",
    )
    name = "ChallengeResponse"
    schema = SCHEMA
    template_id = 60
    block_length = 16
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
    )
    data = (Data("encoded_credentials", is_text=False),)


class KeepAliveRequest(Message):
    """``KeepAliveRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
    )
    name = "KeepAliveRequest"
    schema = SCHEMA
    template_id = 61
    block_length = 16
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
    )


class TaggedReplicateRequest(Message):
    """``TaggedReplicateRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "src_recording_id",
        "dst_recording_id",
        "channel_tag_id",
        "subscription_tag_id",
        "src_control_stream_id",
        "src_control_channel",
        "live_destination",
    )
    name = "TaggedReplicateRequest"
    schema = SCHEMA
    template_id = 62
    block_length = 52
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("src_recording_id", "q", 16, -9223372036854775808),
        Field("dst_recording_id", "q", 24, -9223372036854775808),
        Field("channel_tag_id", "q", 32, -9223372036854775808),
        Field("subscription_tag_id", "q", 40, -9223372036854775808),
        Field("src_control_stream_id", "i", 48, -2147483648),
    )
    data = (
        Data("src_control_channel", is_text=True),
        Data("live_destination", is_text=True),
    )


class StartRecordingRequest2(Message):
    """``StartRecordingRequest2``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "stream_id",
        "source_location",
        "auto_stop",
        "channel",
    )
    name = "StartRecordingRequest2"
    schema = SCHEMA
    template_id = 63
    block_length = 28
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("stream_id", "i", 16, -2147483648),
        Field("source_location", "i", 20, -2147483648, enum=SourceLocation),
        Field("auto_stop", "i", 24, -2147483648, enum=BooleanType),
    )
    data = (Data("channel", is_text=True),)


class ExtendRecordingRequest2(Message):
    """``ExtendRecordingRequest2``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
        "stream_id",
        "source_location",
        "auto_stop",
        "channel",
    )
    name = "ExtendRecordingRequest2"
    schema = SCHEMA
    template_id = 64
    block_length = 36
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
        Field("stream_id", "i", 24, -2147483648),
        Field("source_location", "i", 28, -2147483648, enum=SourceLocation),
        Field("auto_stop", "i", 32, -2147483648, enum=BooleanType),
    )
    data = (Data("channel", is_text=True),)


class StopRecordingByIdentityRequest(Message):
    """``StopRecordingByIdentityRequest``, client to archive."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
    )
    name = "StopRecordingByIdentityRequest"
    schema = SCHEMA
    template_id = 65
    block_length = 24
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
    )


class ReplicateRequest2(Message):
    """``ReplicateRequest2``, client to archive. Since version 6."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "src_recording_id",
        "dst_recording_id",
        "stop_position",
        "channel_tag_id",
        "subscription_tag_id",
        "src_control_stream_id",
        "file_io_max_length",
        "replication_session_id",
        "src_control_channel",
        "live_destination",
        "replication_channel",
        "encoded_credentials",
        "src_response_channel",
    )
    name = "ReplicateRequest2"
    schema = SCHEMA
    template_id = 66
    block_length = 68
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("src_recording_id", "q", 16, -9223372036854775808),
        Field("dst_recording_id", "q", 24, -9223372036854775808),
        Field("stop_position", "q", 32, -9223372036854775808),
        Field("channel_tag_id", "q", 40, -9223372036854775808),
        Field("subscription_tag_id", "q", 48, -9223372036854775808),
        Field("src_control_stream_id", "i", 56, -2147483648),
        Field("file_io_max_length", "i", 60, -2147483648, since=7),
        Field("replication_session_id", "i", 64, -2147483648, since=8),
    )
    data = (
        Data("src_control_channel", is_text=True),
        Data("live_destination", is_text=True),
        Data("replication_channel", is_text=True),
        Data("encoded_credentials", is_text=False, since=8),
        Data("src_response_channel", is_text=True, since=10),
    )


class MaxRecordedPositionRequest(Message):
    """``MaxRecordedPositionRequest``, client to archive. Since version 9."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
    )
    name = "MaxRecordedPositionRequest"
    schema = SCHEMA
    template_id = 67
    block_length = 24
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
    )


class ArchiveIdRequest(Message):
    """``ArchiveIdRequest``, client to archive. Since version 9."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
    )
    name = "ArchiveIdRequest"
    schema = SCHEMA
    template_id = 68
    block_length = 16
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
    )


class RecordingStarted(Message):
    """``RecordingStarted``, archive to subscribers of recording events."""

    __slots__ = (
        "recording_id",
        "start_position",
        "session_id",
        "stream_id",
        "channel",
        "source_identity",
    )
    name = "RecordingStarted"
    schema = SCHEMA
    template_id = 101
    block_length = 24
    fields = (
        Field("recording_id", "q", 0, -9223372036854775808),
        Field("start_position", "q", 8, -9223372036854775808),
        Field("session_id", "i", 16, -2147483648),
        Field("stream_id", "i", 20, -2147483648),
    )
    data = (
        Data("channel", is_text=True),
        Data("source_identity", is_text=True),
    )


class RecordingProgress(Message):
    """``RecordingProgress``, archive to subscribers of recording events."""

    __slots__ = (
        "recording_id",
        "start_position",
        "position",
    )
    name = "RecordingProgress"
    schema = SCHEMA
    template_id = 102
    block_length = 24
    fields = (
        Field("recording_id", "q", 0, -9223372036854775808),
        Field("start_position", "q", 8, -9223372036854775808),
        Field("position", "q", 16, -9223372036854775808),
    )


class RecordingStopped(Message):
    """``RecordingStopped``, archive to subscribers of recording events."""

    __slots__ = (
        "recording_id",
        "start_position",
        "stop_position",
    )
    name = "RecordingStopped"
    schema = SCHEMA
    template_id = 103
    block_length = 24
    fields = (
        Field("recording_id", "q", 0, -9223372036854775808),
        Field("start_position", "q", 8, -9223372036854775808),
        Field("stop_position", "q", 16, -9223372036854775808),
    )


class PurgeRecordingRequest(Message):
    """``PurgeRecordingRequest``, client to archive. Since version 5."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
    )
    name = "PurgeRecordingRequest"
    schema = SCHEMA
    template_id = 104
    block_length = 24
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
    )


class ReplayTokenRequest(Message):
    """``ReplayTokenRequest``, client to archive. Since version 10."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
    )
    name = "ReplayTokenRequest"
    schema = SCHEMA
    template_id = 105
    block_length = 24
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
    )


class Ping(Message):
    """``Ping``, archive to client. Since version 11."""

    __slots__ = ("control_session_id",)
    name = "Ping"
    schema = SCHEMA
    template_id = 106
    block_length = 8
    fields = (Field("control_session_id", "q", 0, -9223372036854775808),)


class UpdateChannelRequest(Message):
    """``UpdateChannelRequest``, client to archive. Since version 13."""

    __slots__ = (
        "control_session_id",
        "correlation_id",
        "recording_id",
        "channel",
    )
    name = "UpdateChannelRequest"
    schema = SCHEMA
    template_id = 107
    block_length = 24
    fields = (
        Field("control_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("recording_id", "q", 16, -9223372036854775808),
    )
    data = (Data("channel", is_text=True),)
