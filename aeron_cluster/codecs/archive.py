# Generated from schemas/archive.xml by tools/generate_codecs.py. Edit it, run the tool.
# mypy: disable-error-code="override"
"""The messages of schema 101, version 13."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from aeron_cluster.codecs.message import BooleanEnum, Data, Field, Message, Schema

if TYPE_CHECKING:
    from typing import NotRequired, TypedDict, Unpack

    from _typeshed import ReadableBuffer, WriteableBuffer

    class _ControlResponseValues(TypedDict):
        control_session_id: int
        correlation_id: int
        relevant_id: int
        code: ControlResponseCode | int
        version: NotRequired[int]
        error_message: NotRequired[str | bytes]

    class _ConnectRequestValues(TypedDict):
        correlation_id: int
        response_stream_id: int
        version: NotRequired[int]
        response_channel: NotRequired[str | bytes]

    class _CloseSessionRequestValues(TypedDict):
        control_session_id: int

    class _StartRecordingRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        stream_id: int
        source_location: SourceLocation | int
        channel: NotRequired[str | bytes]

    class _StopRecordingRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        stream_id: int
        channel: NotRequired[str | bytes]

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

    class _StopReplayRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        replay_session_id: int

    class _ListRecordingsRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        from_recording_id: int
        record_count: int

    class _ListRecordingsForUriRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        from_recording_id: int
        record_count: int
        stream_id: int
        channel: NotRequired[str | bytes]

    class _ListRecordingRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int

    class _ExtendRecordingRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int
        stream_id: int
        source_location: SourceLocation | int
        channel: NotRequired[str | bytes]

    class _RecordingPositionRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int

    class _TruncateRecordingRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int
        position: int

    class _StopRecordingSubscriptionRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        subscription_id: int

    class _StopPositionRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int

    class _FindLastMatchingRecordingRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        min_recording_id: int
        session_id: int
        stream_id: int
        channel: NotRequired[str | bytes]

    class _ListRecordingSubscriptionsRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        pseudo_index: int
        subscription_count: int
        apply_stream_id: BooleanType | int
        stream_id: int
        channel: NotRequired[str | bytes]

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

    class _StopAllReplaysRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int

    class _CatalogHeaderValues(TypedDict):
        version: int
        length: int
        next_recording_id: int
        alignment: int
        reserved: int

    class _RecordingDescriptorHeaderValues(TypedDict):
        length: int
        state: RecordingState | int
        checksum: int
        reserved: int

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

    class _RecordingSubscriptionDescriptorValues(TypedDict):
        control_session_id: int
        correlation_id: int
        subscription_id: int
        stream_id: int
        stripped_channel: NotRequired[str | bytes]

    class _RecordingSignalEventValues(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int
        subscription_id: int
        position: int
        signal: RecordingSignal | int

    class _ReplicateRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        src_recording_id: int
        dst_recording_id: int
        src_control_stream_id: int
        src_control_channel: NotRequired[str | bytes]
        live_destination: NotRequired[str | bytes]

    class _StopReplicationRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        replication_id: int

    class _StartPositionRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int

    class _DetachSegmentsRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int
        new_start_position: int

    class _DeleteDetachedSegmentsRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int

    class _PurgeSegmentsRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int
        new_start_position: int

    class _AttachSegmentsRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int

    class _MigrateSegmentsRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        src_recording_id: int
        dst_recording_id: int

    class _AuthConnectRequestValues(TypedDict):
        correlation_id: int
        response_stream_id: int
        version: NotRequired[int]
        response_channel: NotRequired[str | bytes]
        encoded_credentials: NotRequired[ReadableBuffer]
        client_info: NotRequired[str | bytes]

    class _ChallengeValues(TypedDict):
        control_session_id: int
        correlation_id: int
        version: NotRequired[int]
        encoded_challenge: NotRequired[ReadableBuffer]

    class _ChallengeResponseValues(TypedDict):
        control_session_id: int
        correlation_id: int
        encoded_credentials: NotRequired[ReadableBuffer]

    class _KeepAliveRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int

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

    class _StartRecordingRequest2Values(TypedDict):
        control_session_id: int
        correlation_id: int
        stream_id: int
        source_location: SourceLocation | int
        auto_stop: BooleanType | int
        channel: NotRequired[str | bytes]

    class _ExtendRecordingRequest2Values(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int
        stream_id: int
        source_location: SourceLocation | int
        auto_stop: BooleanType | int
        channel: NotRequired[str | bytes]

    class _StopRecordingByIdentityRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int

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

    class _MaxRecordedPositionRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int

    class _ArchiveIdRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int

    class _RecordingStartedValues(TypedDict):
        recording_id: int
        start_position: int
        session_id: int
        stream_id: int
        channel: NotRequired[str | bytes]
        source_identity: NotRequired[str | bytes]

    class _RecordingProgressValues(TypedDict):
        recording_id: int
        start_position: int
        position: int

    class _RecordingStoppedValues(TypedDict):
        recording_id: int
        start_position: int
        stop_position: int

    class _PurgeRecordingRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int

    class _ReplayTokenRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int

    class _PingValues(TypedDict):
        control_session_id: int

    class _UpdateChannelRequestValues(TypedDict):
        control_session_id: int
        correlation_id: int
        recording_id: int
        channel: NotRequired[str | bytes]


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


class BooleanType(BooleanEnum):
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
    control_session_id: int
    correlation_id: int
    relevant_id: int
    code: ControlResponseCode
    version: int
    error_message: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ControlResponseValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ControlResponseValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_ControlResponseValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ControlResponseValues]) -> bytes: ...


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
    correlation_id: int
    response_stream_id: int
    version: int
    response_channel: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ConnectRequestValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ConnectRequestValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_ConnectRequestValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ConnectRequestValues]) -> bytes: ...


class CloseSessionRequest(Message):
    """``CloseSessionRequest``, client to archive."""

    __slots__ = ("control_session_id",)
    name = "CloseSessionRequest"
    schema = SCHEMA
    template_id = 3
    block_length = 8
    fields = (Field("control_session_id", "q", 0, -9223372036854775808),)
    control_session_id: int

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    stream_id: int
    source_location: SourceLocation
    channel: str

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    stream_id: int
    channel: str

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    recording_id: int
    position: int
    length: int
    replay_stream_id: int
    file_io_max_length: int
    replay_token: int
    replay_channel: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ReplayRequestValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ReplayRequestValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ReplayRequestValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ReplayRequestValues]) -> bytes: ...


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
    control_session_id: int
    correlation_id: int
    replay_session_id: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_StopReplayRequestValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_StopReplayRequestValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_StopReplayRequestValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_StopReplayRequestValues]) -> bytes: ...


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
    control_session_id: int
    correlation_id: int
    from_recording_id: int
    record_count: int

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    from_recording_id: int
    record_count: int
    stream_id: int
    channel: str

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    recording_id: int

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    recording_id: int
    stream_id: int
    source_location: SourceLocation
    channel: str

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    recording_id: int

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    recording_id: int
    position: int

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    subscription_id: int

    if TYPE_CHECKING:

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
        def encode_body(
            cls, **values: Unpack[_StopRecordingSubscriptionRequestValues]
        ) -> bytes: ...


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
    control_session_id: int
    correlation_id: int
    recording_id: int

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    min_recording_id: int
    session_id: int
    stream_id: int
    channel: str

    if TYPE_CHECKING:

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
        def encode_body(
            cls, **values: Unpack[_FindLastMatchingRecordingRequestValues]
        ) -> bytes: ...


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
    control_session_id: int
    correlation_id: int
    pseudo_index: int
    subscription_count: int
    apply_stream_id: BooleanType
    stream_id: int
    channel: str

    if TYPE_CHECKING:

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
        def encode_body(
            cls, **values: Unpack[_ListRecordingSubscriptionsRequestValues]
        ) -> bytes: ...


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

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    recording_id: int

    if TYPE_CHECKING:

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
    version: int
    length: int
    next_recording_id: int
    alignment: int
    reserved: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_CatalogHeaderValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_CatalogHeaderValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_CatalogHeaderValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_CatalogHeaderValues]) -> bytes: ...


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
    length: int
    state: RecordingState
    checksum: int
    reserved: int

    if TYPE_CHECKING:

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

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    subscription_id: int
    stream_id: int
    stripped_channel: str

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    recording_id: int
    subscription_id: int
    position: int
    signal: RecordingSignal

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    src_recording_id: int
    dst_recording_id: int
    src_control_stream_id: int
    src_control_channel: str
    live_destination: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ReplicateRequestValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ReplicateRequestValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_ReplicateRequestValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ReplicateRequestValues]) -> bytes: ...


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
    control_session_id: int
    correlation_id: int
    replication_id: int

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    recording_id: int

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    recording_id: int
    new_start_position: int

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    recording_id: int

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    recording_id: int
    new_start_position: int

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    recording_id: int

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    src_recording_id: int
    dst_recording_id: int

    if TYPE_CHECKING:

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
    correlation_id: int
    response_stream_id: int
    version: int
    response_channel: str
    encoded_credentials: bytes
    client_info: str

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    version: int
    encoded_challenge: bytes

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ChallengeValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ChallengeValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ChallengeValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ChallengeValues]) -> bytes: ...


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
    control_session_id: int
    correlation_id: int
    encoded_credentials: bytes

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ChallengeResponseValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ChallengeResponseValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_ChallengeResponseValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ChallengeResponseValues]) -> bytes: ...


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
    control_session_id: int
    correlation_id: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_KeepAliveRequestValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_KeepAliveRequestValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_KeepAliveRequestValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_KeepAliveRequestValues]) -> bytes: ...


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
    control_session_id: int
    correlation_id: int
    src_recording_id: int
    dst_recording_id: int
    channel_tag_id: int
    subscription_tag_id: int
    src_control_stream_id: int
    src_control_channel: str
    live_destination: str

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    stream_id: int
    source_location: SourceLocation
    auto_stop: BooleanType
    channel: str

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    recording_id: int
    stream_id: int
    source_location: SourceLocation
    auto_stop: BooleanType
    channel: str

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    recording_id: int

    if TYPE_CHECKING:

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

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ReplicateRequest2Values]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ReplicateRequest2Values]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_ReplicateRequest2Values],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ReplicateRequest2Values]) -> bytes: ...


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
    control_session_id: int
    correlation_id: int
    recording_id: int

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ArchiveIdRequestValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ArchiveIdRequestValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_ArchiveIdRequestValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ArchiveIdRequestValues]) -> bytes: ...


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
    recording_id: int
    start_position: int
    session_id: int
    stream_id: int
    channel: str
    source_identity: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_RecordingStartedValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_RecordingStartedValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_RecordingStartedValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_RecordingStartedValues]) -> bytes: ...


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
    recording_id: int
    start_position: int
    position: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_RecordingProgressValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_RecordingProgressValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_RecordingProgressValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_RecordingProgressValues]) -> bytes: ...


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
    recording_id: int
    start_position: int
    stop_position: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_RecordingStoppedValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_RecordingStoppedValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_RecordingStoppedValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_RecordingStoppedValues]) -> bytes: ...


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
    control_session_id: int
    correlation_id: int
    recording_id: int

    if TYPE_CHECKING:

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
    control_session_id: int
    correlation_id: int
    recording_id: int

    if TYPE_CHECKING:

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


class Ping(Message):
    """``Ping``, archive to client. Since version 11."""

    __slots__ = ("control_session_id",)
    name = "Ping"
    schema = SCHEMA
    template_id = 106
    block_length = 8
    fields = (Field("control_session_id", "q", 0, -9223372036854775808),)
    control_session_id: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_PingValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_PingValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_PingValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_PingValues]) -> bytes: ...


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
    control_session_id: int
    correlation_id: int
    recording_id: int
    channel: str

    if TYPE_CHECKING:

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
