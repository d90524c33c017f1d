# Generated from schemas/archive.xml by tools/generate_codecs.py. Edit it, run the tool.
# mypy: disable-error-code="override"
from enum import IntEnum
from typing import NotRequired, TypedDict, Unpack

from _typeshed import ReadableBuffer, WriteableBuffer

from aeron_cluster.codecs.message import Message, Schema, Truth

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

SCHEMA: Schema

def decode(buffer: ReadableBuffer, offset: int = 0, length: int | None = None) -> Message: ...
def template_id_of(buffer: ReadableBuffer, offset: int = 0, length: int | None = None) -> int: ...

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

class _ControlResponseValues(TypedDict):
    control_session_id: int
    correlation_id: int
    relevant_id: int
    code: ControlResponseCode | int
    version: NotRequired[int]
    error_message: NotRequired[str | bytes]

class ControlResponse(Message):
    control_session_id: int
    correlation_id: int
    relevant_id: int
    code: ControlResponseCode
    version: int
    error_message: str
    def __init__(self, **values: Unpack[_ControlResponseValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ControlResponseValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ControlResponseValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ControlResponseValues]) -> bytes: ...

class _ConnectRequestValues(TypedDict):
    correlation_id: int
    response_stream_id: int
    version: NotRequired[int]
    response_channel: NotRequired[str | bytes]

class ConnectRequest(Message):
    correlation_id: int
    response_stream_id: int
    version: int
    response_channel: str
    def __init__(self, **values: Unpack[_ConnectRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ConnectRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ConnectRequestValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ConnectRequestValues]) -> bytes: ...

class _CloseSessionRequestValues(TypedDict):
    control_session_id: int

class CloseSessionRequest(Message):
    control_session_id: int
    def __init__(self, **values: Unpack[_CloseSessionRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_CloseSessionRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_CloseSessionRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_CloseSessionRequestValues]) -> bytes: ...

class _StartRecordingRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    stream_id: int
    source_location: SourceLocation | int
    channel: NotRequired[str | bytes]

class StartRecordingRequest(Message):
    control_session_id: int
    correlation_id: int
    stream_id: int
    source_location: SourceLocation
    channel: str
    def __init__(self, **values: Unpack[_StartRecordingRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_StartRecordingRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_StartRecordingRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_StartRecordingRequestValues]) -> bytes: ...

class _StopRecordingRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    stream_id: int
    channel: NotRequired[str | bytes]

class StopRecordingRequest(Message):
    control_session_id: int
    correlation_id: int
    stream_id: int
    channel: str
    def __init__(self, **values: Unpack[_StopRecordingRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_StopRecordingRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_StopRecordingRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_StopRecordingRequestValues]) -> bytes: ...

class _ReplayRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int
    position: int
    length: int
    replay_stream_id: int
    file_io_max_length: int
    replay_token: int
    replay_channel: NotRequired[str | bytes]

class ReplayRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    position: int
    length: int
    replay_stream_id: int
    file_io_max_length: int
    replay_token: int
    replay_channel: str
    def __init__(self, **values: Unpack[_ReplayRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ReplayRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ReplayRequestValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ReplayRequestValues]) -> bytes: ...

class _StopReplayRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    replay_session_id: int

class StopReplayRequest(Message):
    control_session_id: int
    correlation_id: int
    replay_session_id: int
    def __init__(self, **values: Unpack[_StopReplayRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_StopReplayRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_StopReplayRequestValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_StopReplayRequestValues]) -> bytes: ...

class _ListRecordingsRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    from_recording_id: int
    record_count: int

class ListRecordingsRequest(Message):
    control_session_id: int
    correlation_id: int
    from_recording_id: int
    record_count: int
    def __init__(self, **values: Unpack[_ListRecordingsRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ListRecordingsRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_ListRecordingsRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ListRecordingsRequestValues]) -> bytes: ...

class _ListRecordingsForUriRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    from_recording_id: int
    record_count: int
    stream_id: int
    channel: NotRequired[str | bytes]

class ListRecordingsForUriRequest(Message):
    control_session_id: int
    correlation_id: int
    from_recording_id: int
    record_count: int
    stream_id: int
    channel: str
    def __init__(self, **values: Unpack[_ListRecordingsForUriRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ListRecordingsForUriRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_ListRecordingsForUriRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ListRecordingsForUriRequestValues]) -> bytes: ...

class _ListRecordingRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int

class ListRecordingRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    def __init__(self, **values: Unpack[_ListRecordingRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ListRecordingRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_ListRecordingRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ListRecordingRequestValues]) -> bytes: ...

class _ExtendRecordingRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int
    stream_id: int
    source_location: SourceLocation | int
    channel: NotRequired[str | bytes]

class ExtendRecordingRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    stream_id: int
    source_location: SourceLocation
    channel: str
    def __init__(self, **values: Unpack[_ExtendRecordingRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ExtendRecordingRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_ExtendRecordingRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ExtendRecordingRequestValues]) -> bytes: ...

class _RecordingPositionRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int

class RecordingPositionRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    def __init__(self, **values: Unpack[_RecordingPositionRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_RecordingPositionRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_RecordingPositionRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_RecordingPositionRequestValues]) -> bytes: ...

class _TruncateRecordingRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int
    position: int

class TruncateRecordingRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    position: int
    def __init__(self, **values: Unpack[_TruncateRecordingRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_TruncateRecordingRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_TruncateRecordingRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_TruncateRecordingRequestValues]) -> bytes: ...

class _StopRecordingSubscriptionRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    subscription_id: int

class StopRecordingSubscriptionRequest(Message):
    control_session_id: int
    correlation_id: int
    subscription_id: int
    def __init__(self, **values: Unpack[_StopRecordingSubscriptionRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_StopRecordingSubscriptionRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_StopRecordingSubscriptionRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_StopRecordingSubscriptionRequestValues]) -> bytes: ...

class _StopPositionRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int

class StopPositionRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    def __init__(self, **values: Unpack[_StopPositionRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_StopPositionRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_StopPositionRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_StopPositionRequestValues]) -> bytes: ...

class _FindLastMatchingRecordingRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    min_recording_id: int
    session_id: int
    stream_id: int
    channel: NotRequired[str | bytes]

class FindLastMatchingRecordingRequest(Message):
    control_session_id: int
    correlation_id: int
    min_recording_id: int
    session_id: int
    stream_id: int
    channel: str
    def __init__(self, **values: Unpack[_FindLastMatchingRecordingRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_FindLastMatchingRecordingRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_FindLastMatchingRecordingRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_FindLastMatchingRecordingRequestValues]) -> bytes: ...

class _ListRecordingSubscriptionsRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    pseudo_index: int
    subscription_count: int
    apply_stream_id: BooleanType | int
    stream_id: int
    channel: NotRequired[str | bytes]

class ListRecordingSubscriptionsRequest(Message):
    control_session_id: int
    correlation_id: int
    pseudo_index: int
    subscription_count: int
    apply_stream_id: BooleanType
    stream_id: int
    channel: str
    def __init__(self, **values: Unpack[_ListRecordingSubscriptionsRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ListRecordingSubscriptionsRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_ListRecordingSubscriptionsRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ListRecordingSubscriptionsRequestValues]) -> bytes: ...

class _BoundedReplayRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int
    position: int
    length: int
    limit_counter_id: int
    replay_stream_id: int
    file_io_max_length: int
    replay_token: int
    replay_channel: NotRequired[str | bytes]

class BoundedReplayRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    position: int
    length: int
    limit_counter_id: int
    replay_stream_id: int
    file_io_max_length: int
    replay_token: int
    replay_channel: str
    def __init__(self, **values: Unpack[_BoundedReplayRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_BoundedReplayRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_BoundedReplayRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_BoundedReplayRequestValues]) -> bytes: ...

class _StopAllReplaysRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int

class StopAllReplaysRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    def __init__(self, **values: Unpack[_StopAllReplaysRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_StopAllReplaysRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_StopAllReplaysRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_StopAllReplaysRequestValues]) -> bytes: ...

class _CatalogHeaderValues(TypedDict):
    version: int
    length: int
    next_recording_id: int
    alignment: int
    reserved: int

class CatalogHeader(Message):
    version: int
    length: int
    next_recording_id: int
    alignment: int
    reserved: int
    def __init__(self, **values: Unpack[_CatalogHeaderValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_CatalogHeaderValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_CatalogHeaderValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_CatalogHeaderValues]) -> bytes: ...

class _RecordingDescriptorHeaderValues(TypedDict):
    length: int
    state: RecordingState | int
    checksum: int
    reserved: int

class RecordingDescriptorHeader(Message):
    length: int
    state: RecordingState
    checksum: int
    reserved: int
    def __init__(self, **values: Unpack[_RecordingDescriptorHeaderValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_RecordingDescriptorHeaderValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_RecordingDescriptorHeaderValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_RecordingDescriptorHeaderValues]) -> bytes: ...

class _RecordingDescriptorValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int
    start_timestamp: int
    stop_timestamp: int
    start_position: int
    stop_position: int
    initial_term_id: int
    segment_file_length: int
    term_buffer_length: int
    mtu_length: int
    session_id: int
    stream_id: int
    stripped_channel: NotRequired[str | bytes]
    original_channel: NotRequired[str | bytes]
    source_identity: NotRequired[str | bytes]

class RecordingDescriptor(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    start_timestamp: int
    stop_timestamp: int
    start_position: int
    stop_position: int
    initial_term_id: int
    segment_file_length: int
    term_buffer_length: int
    mtu_length: int
    session_id: int
    stream_id: int
    stripped_channel: str
    original_channel: str
    source_identity: str
    def __init__(self, **values: Unpack[_RecordingDescriptorValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_RecordingDescriptorValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_RecordingDescriptorValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_RecordingDescriptorValues]) -> bytes: ...

class _RecordingSubscriptionDescriptorValues(TypedDict):
    control_session_id: int
    correlation_id: int
    subscription_id: int
    stream_id: int
    stripped_channel: NotRequired[str | bytes]

class RecordingSubscriptionDescriptor(Message):
    control_session_id: int
    correlation_id: int
    subscription_id: int
    stream_id: int
    stripped_channel: str
    def __init__(self, **values: Unpack[_RecordingSubscriptionDescriptorValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_RecordingSubscriptionDescriptorValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_RecordingSubscriptionDescriptorValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_RecordingSubscriptionDescriptorValues]) -> bytes: ...

class _RecordingSignalEventValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int
    subscription_id: int
    position: int
    signal: RecordingSignal | int

class RecordingSignalEvent(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    subscription_id: int
    position: int
    signal: RecordingSignal
    def __init__(self, **values: Unpack[_RecordingSignalEventValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_RecordingSignalEventValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_RecordingSignalEventValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_RecordingSignalEventValues]) -> bytes: ...

class _ReplicateRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    src_recording_id: int
    dst_recording_id: int
    src_control_stream_id: int
    src_control_channel: NotRequired[str | bytes]
    live_destination: NotRequired[str | bytes]

class ReplicateRequest(Message):
    control_session_id: int
    correlation_id: int
    src_recording_id: int
    dst_recording_id: int
    src_control_stream_id: int
    src_control_channel: str
    live_destination: str
    def __init__(self, **values: Unpack[_ReplicateRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ReplicateRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ReplicateRequestValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ReplicateRequestValues]) -> bytes: ...

class _StopReplicationRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    replication_id: int

class StopReplicationRequest(Message):
    control_session_id: int
    correlation_id: int
    replication_id: int
    def __init__(self, **values: Unpack[_StopReplicationRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_StopReplicationRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_StopReplicationRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_StopReplicationRequestValues]) -> bytes: ...

class _StartPositionRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int

class StartPositionRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    def __init__(self, **values: Unpack[_StartPositionRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_StartPositionRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_StartPositionRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_StartPositionRequestValues]) -> bytes: ...

class _DetachSegmentsRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int
    new_start_position: int

class DetachSegmentsRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    new_start_position: int
    def __init__(self, **values: Unpack[_DetachSegmentsRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_DetachSegmentsRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_DetachSegmentsRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_DetachSegmentsRequestValues]) -> bytes: ...

class _DeleteDetachedSegmentsRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int

class DeleteDetachedSegmentsRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    def __init__(self, **values: Unpack[_DeleteDetachedSegmentsRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_DeleteDetachedSegmentsRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_DeleteDetachedSegmentsRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_DeleteDetachedSegmentsRequestValues]) -> bytes: ...

class _PurgeSegmentsRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int
    new_start_position: int

class PurgeSegmentsRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    new_start_position: int
    def __init__(self, **values: Unpack[_PurgeSegmentsRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_PurgeSegmentsRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_PurgeSegmentsRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_PurgeSegmentsRequestValues]) -> bytes: ...

class _AttachSegmentsRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int

class AttachSegmentsRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    def __init__(self, **values: Unpack[_AttachSegmentsRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_AttachSegmentsRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_AttachSegmentsRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_AttachSegmentsRequestValues]) -> bytes: ...

class _MigrateSegmentsRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    src_recording_id: int
    dst_recording_id: int

class MigrateSegmentsRequest(Message):
    control_session_id: int
    correlation_id: int
    src_recording_id: int
    dst_recording_id: int
    def __init__(self, **values: Unpack[_MigrateSegmentsRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_MigrateSegmentsRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_MigrateSegmentsRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_MigrateSegmentsRequestValues]) -> bytes: ...

class _AuthConnectRequestValues(TypedDict):
    correlation_id: int
    response_stream_id: int
    version: NotRequired[int]
    response_channel: NotRequired[str | bytes]
    encoded_credentials: NotRequired[ReadableBuffer]
    client_info: NotRequired[str | bytes]

class AuthConnectRequest(Message):
    correlation_id: int
    response_stream_id: int
    version: int
    response_channel: str
    encoded_credentials: bytes
    client_info: str
    def __init__(self, **values: Unpack[_AuthConnectRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_AuthConnectRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_AuthConnectRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_AuthConnectRequestValues]) -> bytes: ...

class _ChallengeValues(TypedDict):
    control_session_id: int
    correlation_id: int
    version: NotRequired[int]
    encoded_challenge: NotRequired[ReadableBuffer]

class Challenge(Message):
    control_session_id: int
    correlation_id: int
    version: int
    encoded_challenge: bytes
    def __init__(self, **values: Unpack[_ChallengeValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ChallengeValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ChallengeValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ChallengeValues]) -> bytes: ...

class _ChallengeResponseValues(TypedDict):
    control_session_id: int
    correlation_id: int
    encoded_credentials: NotRequired[ReadableBuffer]

class ChallengeResponse(Message):
    control_session_id: int
    correlation_id: int
    encoded_credentials: bytes
    def __init__(self, **values: Unpack[_ChallengeResponseValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ChallengeResponseValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ChallengeResponseValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ChallengeResponseValues]) -> bytes: ...

class _KeepAliveRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int

class KeepAliveRequest(Message):
    control_session_id: int
    correlation_id: int
    def __init__(self, **values: Unpack[_KeepAliveRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_KeepAliveRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_KeepAliveRequestValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_KeepAliveRequestValues]) -> bytes: ...

class _TaggedReplicateRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    src_recording_id: int
    dst_recording_id: int
    channel_tag_id: int
    subscription_tag_id: int
    src_control_stream_id: int
    src_control_channel: NotRequired[str | bytes]
    live_destination: NotRequired[str | bytes]

class TaggedReplicateRequest(Message):
    control_session_id: int
    correlation_id: int
    src_recording_id: int
    dst_recording_id: int
    channel_tag_id: int
    subscription_tag_id: int
    src_control_stream_id: int
    src_control_channel: str
    live_destination: str
    def __init__(self, **values: Unpack[_TaggedReplicateRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_TaggedReplicateRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_TaggedReplicateRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_TaggedReplicateRequestValues]) -> bytes: ...

class _StartRecordingRequest2Values(TypedDict):
    control_session_id: int
    correlation_id: int
    stream_id: int
    source_location: SourceLocation | int
    auto_stop: BooleanType | int
    channel: NotRequired[str | bytes]

class StartRecordingRequest2(Message):
    control_session_id: int
    correlation_id: int
    stream_id: int
    source_location: SourceLocation
    auto_stop: BooleanType
    channel: str
    def __init__(self, **values: Unpack[_StartRecordingRequest2Values]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_StartRecordingRequest2Values]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_StartRecordingRequest2Values],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_StartRecordingRequest2Values]) -> bytes: ...

class _ExtendRecordingRequest2Values(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int
    stream_id: int
    source_location: SourceLocation | int
    auto_stop: BooleanType | int
    channel: NotRequired[str | bytes]

class ExtendRecordingRequest2(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    stream_id: int
    source_location: SourceLocation
    auto_stop: BooleanType
    channel: str
    def __init__(self, **values: Unpack[_ExtendRecordingRequest2Values]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ExtendRecordingRequest2Values]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_ExtendRecordingRequest2Values],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ExtendRecordingRequest2Values]) -> bytes: ...

class _StopRecordingByIdentityRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int

class StopRecordingByIdentityRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    def __init__(self, **values: Unpack[_StopRecordingByIdentityRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_StopRecordingByIdentityRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_StopRecordingByIdentityRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_StopRecordingByIdentityRequestValues]) -> bytes: ...

class _ReplicateRequest2Values(TypedDict):
    control_session_id: int
    correlation_id: int
    src_recording_id: int
    dst_recording_id: int
    stop_position: int
    channel_tag_id: int
    subscription_tag_id: int
    src_control_stream_id: int
    file_io_max_length: int
    replication_session_id: int
    src_control_channel: NotRequired[str | bytes]
    live_destination: NotRequired[str | bytes]
    replication_channel: NotRequired[str | bytes]
    encoded_credentials: NotRequired[ReadableBuffer]
    src_response_channel: NotRequired[str | bytes]

class ReplicateRequest2(Message):
    control_session_id: int
    correlation_id: int
    src_recording_id: int
    dst_recording_id: int
    stop_position: int
    channel_tag_id: int
    subscription_tag_id: int
    src_control_stream_id: int
    file_io_max_length: int
    replication_session_id: int
    src_control_channel: str
    live_destination: str
    replication_channel: str
    encoded_credentials: bytes
    src_response_channel: str
    def __init__(self, **values: Unpack[_ReplicateRequest2Values]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ReplicateRequest2Values]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ReplicateRequest2Values]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ReplicateRequest2Values]) -> bytes: ...

class _MaxRecordedPositionRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int

class MaxRecordedPositionRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    def __init__(self, **values: Unpack[_MaxRecordedPositionRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_MaxRecordedPositionRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_MaxRecordedPositionRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_MaxRecordedPositionRequestValues]) -> bytes: ...

class _ArchiveIdRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int

class ArchiveIdRequest(Message):
    control_session_id: int
    correlation_id: int
    def __init__(self, **values: Unpack[_ArchiveIdRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ArchiveIdRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ArchiveIdRequestValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ArchiveIdRequestValues]) -> bytes: ...

class _RecordingStartedValues(TypedDict):
    recording_id: int
    start_position: int
    session_id: int
    stream_id: int
    channel: NotRequired[str | bytes]
    source_identity: NotRequired[str | bytes]

class RecordingStarted(Message):
    recording_id: int
    start_position: int
    session_id: int
    stream_id: int
    channel: str
    source_identity: str
    def __init__(self, **values: Unpack[_RecordingStartedValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_RecordingStartedValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_RecordingStartedValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_RecordingStartedValues]) -> bytes: ...

class _RecordingProgressValues(TypedDict):
    recording_id: int
    start_position: int
    position: int

class RecordingProgress(Message):
    recording_id: int
    start_position: int
    position: int
    def __init__(self, **values: Unpack[_RecordingProgressValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_RecordingProgressValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_RecordingProgressValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_RecordingProgressValues]) -> bytes: ...

class _RecordingStoppedValues(TypedDict):
    recording_id: int
    start_position: int
    stop_position: int

class RecordingStopped(Message):
    recording_id: int
    start_position: int
    stop_position: int
    def __init__(self, **values: Unpack[_RecordingStoppedValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_RecordingStoppedValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_RecordingStoppedValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_RecordingStoppedValues]) -> bytes: ...

class _PurgeRecordingRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int

class PurgeRecordingRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    def __init__(self, **values: Unpack[_PurgeRecordingRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_PurgeRecordingRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_PurgeRecordingRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_PurgeRecordingRequestValues]) -> bytes: ...

class _ReplayTokenRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int

class ReplayTokenRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    def __init__(self, **values: Unpack[_ReplayTokenRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ReplayTokenRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_ReplayTokenRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ReplayTokenRequestValues]) -> bytes: ...

class _PingValues(TypedDict):
    control_session_id: int

class Ping(Message):
    control_session_id: int
    def __init__(self, **values: Unpack[_PingValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_PingValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_PingValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_PingValues]) -> bytes: ...

class _UpdateChannelRequestValues(TypedDict):
    control_session_id: int
    correlation_id: int
    recording_id: int
    channel: NotRequired[str | bytes]

class UpdateChannelRequest(Message):
    control_session_id: int
    correlation_id: int
    recording_id: int
    channel: str
    def __init__(self, **values: Unpack[_UpdateChannelRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_UpdateChannelRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls,
        buffer: WriteableBuffer,
        offset: int = 0,
        /,
        **values: Unpack[_UpdateChannelRequestValues],
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_UpdateChannelRequestValues]) -> bytes: ...
