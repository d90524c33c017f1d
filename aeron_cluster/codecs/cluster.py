# Generated from schemas/cluster.xml by tools/generate_codecs.py. Edit it, run the tool.
# mypy: disable-error-code="override"
"""The messages of schema 111, version 16."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar

from aeron_cluster.codecs.message import BooleanEnum, Data, Entry, Field, Message, Schema

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NotRequired, TypedDict, Unpack

    from _typeshed import ReadableBuffer, WriteableBuffer

    class _SessionMessageHeaderValues(TypedDict):
        leadership_term_id: int
        cluster_session_id: int
        timestamp: int

    class _SessionEventValues(TypedDict):
        cluster_session_id: int
        correlation_id: int
        leadership_term_id: int
        leader_member_id: int
        code: EventCode | int
        version: NotRequired[int]
        leader_heartbeat_timeout_ns: NotRequired[int]
        detail: NotRequired[str | bytes]

    class _SessionConnectRequestValues(TypedDict):
        correlation_id: int
        response_stream_id: int
        version: NotRequired[int]
        response_channel: NotRequired[str | bytes]
        encoded_credentials: NotRequired[ReadableBuffer]
        client_info: NotRequired[str | bytes]

    class _SessionCloseRequestValues(TypedDict):
        leadership_term_id: int
        cluster_session_id: int

    class _SessionKeepAliveValues(TypedDict):
        leadership_term_id: int
        cluster_session_id: int

    class _NewLeaderEventValues(TypedDict):
        leadership_term_id: int
        cluster_session_id: int
        leader_member_id: int
        ingress_endpoints: NotRequired[str | bytes]

    class _ChallengeValues(TypedDict):
        correlation_id: int
        cluster_session_id: int
        encoded_challenge: NotRequired[ReadableBuffer]

    class _ChallengeResponseValues(TypedDict):
        correlation_id: int
        cluster_session_id: int
        encoded_credentials: NotRequired[ReadableBuffer]

    class _TimerEventValues(TypedDict):
        leadership_term_id: int
        correlation_id: int
        timestamp: int

    class _SessionOpenEventValues(TypedDict):
        leadership_term_id: int
        correlation_id: int
        cluster_session_id: int
        timestamp: int
        response_stream_id: int
        response_channel: NotRequired[str | bytes]
        encoded_principal: NotRequired[ReadableBuffer]

    class _SessionCloseEventValues(TypedDict):
        leadership_term_id: int
        cluster_session_id: int
        timestamp: int
        close_reason: CloseReason | int

    class _ClusterActionRequestValues(TypedDict):
        leadership_term_id: int
        log_position: int
        timestamp: int
        action: ClusterAction | int
        flags: NotRequired[int]

    class _NewLeadershipTermEventValues(TypedDict):
        leadership_term_id: int
        log_position: int
        timestamp: int
        term_base_log_position: int
        leader_member_id: int
        log_session_id: int
        time_unit: NotRequired[ClusterTimeUnit | int]
        app_version: NotRequired[int]

    class _MembershipChangeEventValues(TypedDict):
        leadership_term_id: int
        log_position: int
        timestamp: int
        leader_member_id: int
        cluster_size: int
        change_type: ChangeType | int
        member_id: int
        cluster_members: NotRequired[str | bytes]

    class _AdminRequestValues(TypedDict):
        leadership_term_id: int
        cluster_session_id: int
        correlation_id: int
        request_type: AdminRequestType | int
        payload: NotRequired[ReadableBuffer]

    class _AdminResponseValues(TypedDict):
        cluster_session_id: int
        correlation_id: int
        request_type: AdminRequestType | int
        response_code: AdminResponseCode | int
        message: NotRequired[str | bytes]
        payload: NotRequired[ReadableBuffer]

    class _CloseSessionValues(TypedDict):
        cluster_session_id: int

    class _ScheduleTimerValues(TypedDict):
        correlation_id: int
        deadline: int

    class _CancelTimerValues(TypedDict):
        correlation_id: int

    class _ServiceAckValues(TypedDict):
        log_position: int
        timestamp: int
        ack_id: int
        relevant_id: int
        service_id: int

    class _ClusterMembersQueryValues(TypedDict):
        correlation_id: int
        extended: NotRequired[BooleanType | int]

    class _RemoveMemberValues(TypedDict):
        member_id: int
        is_passive: BooleanType | int

    class _JoinLogValues(TypedDict):
        log_position: int
        max_log_position: int
        member_id: int
        log_session_id: int
        log_stream_id: int
        is_startup: BooleanType | int
        role: int
        is_standby: NotRequired[BooleanType | int]
        log_channel: NotRequired[str | bytes]

    class _ClusterMembersResponseValues(TypedDict):
        correlation_id: int
        leader_member_id: int
        active_members: NotRequired[str | bytes]
        passive_followers: NotRequired[str | bytes]

    class _ServiceTerminationPositionValues(TypedDict):
        log_position: int

    class _ClusterMembersExtendedResponseValues(TypedDict):
        correlation_id: int
        current_time_ns: int
        leader_member_id: int
        member_id: int
        active_members: NotRequired[Iterable[ClusterMembersExtendedResponse.ActiveMembers]]
        passive_members: NotRequired[Iterable[ClusterMembersExtendedResponse.PassiveMembers]]

    class _ClusterMembersExtendedResponseActiveMembersValues(TypedDict):
        leadership_term_id: int
        log_position: int
        time_of_last_append_ns: int
        member_id: int
        ingress_endpoint: NotRequired[str | bytes]
        consensus_endpoint: NotRequired[str | bytes]
        log_endpoint: NotRequired[str | bytes]
        catchup_endpoint: NotRequired[str | bytes]
        archive_endpoint: NotRequired[str | bytes]

    class _ClusterMembersExtendedResponsePassiveMembersValues(TypedDict):
        leadership_term_id: int
        log_position: int
        time_of_last_append_ns: int
        member_id: int
        ingress_endpoint: NotRequired[str | bytes]
        consensus_endpoint: NotRequired[str | bytes]
        log_endpoint: NotRequired[str | bytes]
        catchup_endpoint: NotRequired[str | bytes]
        archive_endpoint: NotRequired[str | bytes]

    class _RequestServiceAckValues(TypedDict):
        log_position: int

    class _CanvassPositionValues(TypedDict):
        log_leadership_term_id: int
        log_position: int
        leadership_term_id: int
        follower_member_id: int
        protocol_version: NotRequired[int]

    class _RequestVoteValues(TypedDict):
        log_leadership_term_id: int
        log_position: int
        candidate_term_id: int
        candidate_member_id: int
        protocol_version: NotRequired[int]

    class _VoteValues(TypedDict):
        candidate_term_id: int
        log_leadership_term_id: int
        log_position: int
        candidate_member_id: int
        follower_member_id: int
        vote: BooleanType | int

    class _NewLeadershipTermValues(TypedDict):
        log_leadership_term_id: int
        next_leadership_term_id: int
        next_term_base_log_position: int
        next_log_position: int
        leadership_term_id: int
        term_base_log_position: int
        log_position: int
        leader_recording_id: int
        timestamp: int
        leader_member_id: int
        log_session_id: int
        app_version: NotRequired[int]
        is_startup: BooleanType | int
        commit_position: int

    class _AppendPositionValues(TypedDict):
        leadership_term_id: int
        log_position: int
        follower_member_id: int
        flags: int

    class _CommitPositionValues(TypedDict):
        leadership_term_id: int
        log_position: int
        leader_member_id: int

    class _CatchupPositionValues(TypedDict):
        leadership_term_id: int
        log_position: int
        follower_member_id: int
        catchup_endpoint: NotRequired[str | bytes]

    class _StopCatchupValues(TypedDict):
        leadership_term_id: int
        follower_member_id: int

    class _AddPassiveMemberValues(TypedDict):
        correlation_id: int
        member_endpoints: NotRequired[str | bytes]

    class _ClusterMembersChangeValues(TypedDict):
        correlation_id: int
        leader_member_id: int
        active_members: NotRequired[str | bytes]
        passive_members: NotRequired[str | bytes]

    class _SnapshotRecordingQueryValues(TypedDict):
        correlation_id: int
        request_member_id: int

    class _SnapshotRecordingsValues(TypedDict):
        correlation_id: int
        snapshots: NotRequired[Iterable[SnapshotRecordings.Snapshots]]
        member_endpoints: NotRequired[str | bytes]

    class _SnapshotRecordingsSnapshotsValues(TypedDict):
        recording_id: int
        leadership_term_id: int
        term_base_log_position: int
        log_position: int
        timestamp: int
        service_id: int

    class _JoinClusterValues(TypedDict):
        leadership_term_id: int
        member_id: int

    class _TerminationPositionValues(TypedDict):
        leadership_term_id: int
        log_position: int

    class _TerminationAckValues(TypedDict):
        leadership_term_id: int
        log_position: int
        member_id: int

    class _BackupQueryValues(TypedDict):
        correlation_id: int
        response_stream_id: int
        version: NotRequired[int]
        log_position: NotRequired[int]
        response_channel: NotRequired[str | bytes]
        encoded_credentials: NotRequired[ReadableBuffer]

    class _BackupResponseValues(TypedDict):
        correlation_id: int
        log_recording_id: int
        log_leadership_term_id: int
        log_term_base_log_position: int
        last_leadership_term_id: int
        last_term_base_log_position: int
        commit_position_counter_id: int
        leader_member_id: int
        member_id: int
        snapshots: NotRequired[Iterable[BackupResponse.Snapshots]]
        cluster_members: NotRequired[str | bytes]

    class _BackupResponseSnapshotsValues(TypedDict):
        recording_id: int
        leadership_term_id: int
        term_base_log_position: int
        log_position: int
        timestamp: int
        service_id: int

    class _HeartbeatRequestValues(TypedDict):
        correlation_id: int
        response_stream_id: int
        response_channel: NotRequired[str | bytes]
        encoded_credentials: NotRequired[ReadableBuffer]

    class _HeartbeatResponseValues(TypedDict):
        correlation_id: int

    class _StandbySnapshotValues(TypedDict):
        correlation_id: int
        version: int
        response_stream_id: int
        snapshots: NotRequired[Iterable[StandbySnapshot.Snapshots]]
        response_channel: NotRequired[str | bytes]
        encoded_credentials: NotRequired[ReadableBuffer]

    class _StandbySnapshotSnapshotsValues(TypedDict):
        recording_id: int
        leadership_term_id: int
        term_base_log_position: int
        log_position: int
        timestamp: int
        service_id: int
        archive_endpoint: NotRequired[str | bytes]

    class _SnapshotMarkerValues(TypedDict):
        type_id: int
        log_position: int
        leadership_term_id: int
        index: int
        mark: SnapshotMark | int
        time_unit: NotRequired[ClusterTimeUnit | int]
        app_version: NotRequired[int]

    class _ClientSessionValues(TypedDict):
        cluster_session_id: int
        response_stream_id: int
        response_channel: NotRequired[str | bytes]
        encoded_principal: NotRequired[ReadableBuffer]

    class _ClusterSessionValues(TypedDict):
        cluster_session_id: int
        correlation_id: int
        opened_log_position: int
        time_of_last_activity: int
        close_reason: CloseReason | int
        response_stream_id: int
        response_channel: NotRequired[str | bytes]

    class _TimerValues(TypedDict):
        correlation_id: int
        deadline: int

    class _ConsensusModuleValues(TypedDict):
        next_session_id: int
        next_service_session_id: NotRequired[int]
        log_service_session_id: NotRequired[int]
        pending_message_capacity: NotRequired[int]

    class _ClusterMembersValues(TypedDict):
        member_id: int
        high_member_id: int
        cluster_members: NotRequired[str | bytes]

    class _PendingMessageTrackerValues(TypedDict):
        next_service_session_id: int
        log_service_session_id: int
        pending_message_capacity: NotRequired[int]
        service_id: int


__all__ = [
    "SCHEMA",
    "AddPassiveMember",
    "AdminRequest",
    "AdminRequestType",
    "AdminResponse",
    "AdminResponseCode",
    "AppendPosition",
    "BackupQuery",
    "BackupResponse",
    "BooleanType",
    "CancelTimer",
    "CanvassPosition",
    "CatchupPosition",
    "Challenge",
    "ChallengeResponse",
    "ChangeType",
    "ClientSession",
    "CloseReason",
    "CloseSession",
    "ClusterAction",
    "ClusterActionRequest",
    "ClusterMembers",
    "ClusterMembersChange",
    "ClusterMembersExtendedResponse",
    "ClusterMembersQuery",
    "ClusterMembersResponse",
    "ClusterSession",
    "ClusterTimeUnit",
    "CommitPosition",
    "ConsensusModule",
    "EventCode",
    "HeartbeatRequest",
    "HeartbeatResponse",
    "JoinCluster",
    "JoinLog",
    "MembershipChangeEvent",
    "NewLeaderEvent",
    "NewLeadershipTerm",
    "NewLeadershipTermEvent",
    "PendingMessageTracker",
    "RemoveMember",
    "RequestServiceAck",
    "RequestVote",
    "ScheduleTimer",
    "ServiceAck",
    "ServiceTerminationPosition",
    "SessionCloseEvent",
    "SessionCloseRequest",
    "SessionConnectRequest",
    "SessionEvent",
    "SessionKeepAlive",
    "SessionMessageHeader",
    "SessionOpenEvent",
    "SnapshotMark",
    "SnapshotMarker",
    "SnapshotRecordingQuery",
    "SnapshotRecordings",
    "StandbySnapshot",
    "StopCatchup",
    "TerminationAck",
    "TerminationPosition",
    "Timer",
    "TimerEvent",
    "Vote",
    "decode",
    "template_id_of",
]

SCHEMA = Schema(
    name="cluster",
    schema_id=111,
    version=16,
    semantic_version="5.4",
    has_frame_length=False,
)
decode = SCHEMA.decode
template_id_of = SCHEMA.template_id_of


class BooleanType(BooleanEnum):
    FALSE = 0
    TRUE = 1
    NULL_VALUE = -2147483648


class EventCode(IntEnum):
    OK = 0
    ERROR = 1
    REDIRECT = 2
    AUTHENTICATION_REJECTED = 3
    CLOSED = 4
    NULL_VALUE = -2147483648


class CloseReason(IntEnum):
    CLIENT_ACTION = 0
    SERVICE_ACTION = 1
    TIMEOUT = 2
    NULL_VALUE = -2147483648


class ClusterAction(IntEnum):
    SUSPEND = 0
    RESUME = 1
    SNAPSHOT = 2
    NULL_VALUE = -2147483648


class SnapshotMark(IntEnum):
    BEGIN = 0
    SECTION = 1
    END = 2
    NULL_VALUE = -2147483648


class ChangeType(IntEnum):
    JOIN = 0
    QUIT = 1
    NULL_VALUE = -2147483648


class ClusterTimeUnit(IntEnum):
    MILLIS = 0
    MICROS = 1
    NANOS = 2
    NULL_VALUE = -2147483648


class AdminRequestType(IntEnum):
    SNAPSHOT = 0
    NULL_VALUE = -2147483648


class AdminResponseCode(IntEnum):
    OK = 0
    ERROR = 1
    UNAUTHORISED_ACCESS = 2
    NULL_VALUE = -2147483648


class SessionMessageHeader(Message):
    """``SessionMessageHeader``."""

    __slots__ = (
        "leadership_term_id",
        "cluster_session_id",
        "timestamp",
    )
    name = "SessionMessageHeader"
    schema = SCHEMA
    template_id = 1
    block_length = 24
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("cluster_session_id", "q", 8, -9223372036854775808),
        Field("timestamp", "q", 16, -9223372036854775808),
    )
    leadership_term_id: int
    cluster_session_id: int
    timestamp: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_SessionMessageHeaderValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_SessionMessageHeaderValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_SessionMessageHeaderValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_SessionMessageHeaderValues]) -> bytes: ...


class SessionEvent(Message):
    """``SessionEvent``."""

    __slots__ = (
        "cluster_session_id",
        "correlation_id",
        "leadership_term_id",
        "leader_member_id",
        "code",
        "version",
        "leader_heartbeat_timeout_ns",
        "detail",
    )
    name = "SessionEvent"
    schema = SCHEMA
    template_id = 2
    block_length = 44
    fields = (
        Field("cluster_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("leadership_term_id", "q", 16, -9223372036854775808),
        Field("leader_member_id", "i", 24, -2147483648),
        Field("code", "i", 28, -2147483648, enum=EventCode),
        Field("version", "i", 32, 0, since=6, is_optional=True),
        Field(
            "leader_heartbeat_timeout_ns", "q", 36, -9223372036854775808, since=13, is_optional=True
        ),
    )
    data = (Data("detail", is_text=True),)
    cluster_session_id: int
    correlation_id: int
    leadership_term_id: int
    leader_member_id: int
    code: EventCode
    version: int
    leader_heartbeat_timeout_ns: int
    detail: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_SessionEventValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_SessionEventValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_SessionEventValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_SessionEventValues]) -> bytes: ...


class SessionConnectRequest(Message):
    """``SessionConnectRequest``."""

    __slots__ = (
        "correlation_id",
        "response_stream_id",
        "version",
        "response_channel",
        "encoded_credentials",
        "client_info",
    )
    name = "SessionConnectRequest"
    schema = SCHEMA
    template_id = 3
    block_length = 16
    fields = (
        Field("correlation_id", "q", 0, -9223372036854775808),
        Field("response_stream_id", "i", 8, -2147483648),
        Field("version", "i", 12, 0, since=2, is_optional=True),
    )
    data = (
        Data("response_channel", is_text=True),
        Data("encoded_credentials", is_text=False),
        Data("client_info", is_text=True, since=14),
    )
    correlation_id: int
    response_stream_id: int
    version: int
    response_channel: str
    encoded_credentials: bytes
    client_info: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_SessionConnectRequestValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_SessionConnectRequestValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_SessionConnectRequestValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_SessionConnectRequestValues]) -> bytes: ...


class SessionCloseRequest(Message):
    """``SessionCloseRequest``."""

    __slots__ = (
        "leadership_term_id",
        "cluster_session_id",
    )
    name = "SessionCloseRequest"
    schema = SCHEMA
    template_id = 4
    block_length = 16
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("cluster_session_id", "q", 8, -9223372036854775808),
    )
    leadership_term_id: int
    cluster_session_id: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_SessionCloseRequestValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_SessionCloseRequestValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_SessionCloseRequestValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_SessionCloseRequestValues]) -> bytes: ...


class SessionKeepAlive(Message):
    """``SessionKeepAlive``."""

    __slots__ = (
        "leadership_term_id",
        "cluster_session_id",
    )
    name = "SessionKeepAlive"
    schema = SCHEMA
    template_id = 5
    block_length = 16
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("cluster_session_id", "q", 8, -9223372036854775808),
    )
    leadership_term_id: int
    cluster_session_id: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_SessionKeepAliveValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_SessionKeepAliveValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_SessionKeepAliveValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_SessionKeepAliveValues]) -> bytes: ...


class NewLeaderEvent(Message):
    """``NewLeaderEvent``."""

    __slots__ = (
        "leadership_term_id",
        "cluster_session_id",
        "leader_member_id",
        "ingress_endpoints",
    )
    name = "NewLeaderEvent"
    schema = SCHEMA
    template_id = 6
    block_length = 20
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("cluster_session_id", "q", 8, -9223372036854775808),
        Field("leader_member_id", "i", 16, -2147483648),
    )
    data = (Data("ingress_endpoints", is_text=True),)
    leadership_term_id: int
    cluster_session_id: int
    leader_member_id: int
    ingress_endpoints: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_NewLeaderEventValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_NewLeaderEventValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_NewLeaderEventValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_NewLeaderEventValues]) -> bytes: ...


class Challenge(Message):
    """``Challenge``."""

    __slots__ = (
        "correlation_id",
        "cluster_session_id",
        "encoded_challenge",
    )
    name = "Challenge"
    schema = SCHEMA
    template_id = 7
    block_length = 16
    fields = (
        Field("correlation_id", "q", 0, -9223372036854775808),
        Field("cluster_session_id", "q", 8, -9223372036854775808),
    )
    data = (Data("encoded_challenge", is_text=False),)
    correlation_id: int
    cluster_session_id: int
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
    """``ChallengeResponse``."""

    __slots__ = (
        "correlation_id",
        "cluster_session_id",
        "encoded_credentials",
    )
    name = "ChallengeResponse"
    schema = SCHEMA
    template_id = 8
    block_length = 16
    fields = (
        Field("correlation_id", "q", 0, -9223372036854775808),
        Field("cluster_session_id", "q", 8, -9223372036854775808),
    )
    data = (Data("encoded_credentials", is_text=False),)
    correlation_id: int
    cluster_session_id: int
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


class TimerEvent(Message):
    """``TimerEvent``."""

    __slots__ = (
        "leadership_term_id",
        "correlation_id",
        "timestamp",
    )
    name = "TimerEvent"
    schema = SCHEMA
    template_id = 20
    block_length = 24
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("timestamp", "q", 16, -9223372036854775808),
    )
    leadership_term_id: int
    correlation_id: int
    timestamp: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_TimerEventValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_TimerEventValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_TimerEventValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_TimerEventValues]) -> bytes: ...


class SessionOpenEvent(Message):
    """``SessionOpenEvent``."""

    __slots__ = (
        "leadership_term_id",
        "correlation_id",
        "cluster_session_id",
        "timestamp",
        "response_stream_id",
        "response_channel",
        "encoded_principal",
    )
    name = "SessionOpenEvent"
    schema = SCHEMA
    template_id = 21
    block_length = 36
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("cluster_session_id", "q", 16, -9223372036854775808),
        Field("timestamp", "q", 24, -9223372036854775808),
        Field("response_stream_id", "i", 32, -2147483648),
    )
    data = (
        Data("response_channel", is_text=True),
        Data("encoded_principal", is_text=False),
    )
    leadership_term_id: int
    correlation_id: int
    cluster_session_id: int
    timestamp: int
    response_stream_id: int
    response_channel: str
    encoded_principal: bytes

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_SessionOpenEventValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_SessionOpenEventValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_SessionOpenEventValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_SessionOpenEventValues]) -> bytes: ...


class SessionCloseEvent(Message):
    """``SessionCloseEvent``."""

    __slots__ = (
        "leadership_term_id",
        "cluster_session_id",
        "timestamp",
        "close_reason",
    )
    name = "SessionCloseEvent"
    schema = SCHEMA
    template_id = 22
    block_length = 28
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("cluster_session_id", "q", 8, -9223372036854775808),
        Field("timestamp", "q", 16, -9223372036854775808),
        Field("close_reason", "i", 24, -2147483648, enum=CloseReason),
    )
    leadership_term_id: int
    cluster_session_id: int
    timestamp: int
    close_reason: CloseReason

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_SessionCloseEventValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_SessionCloseEventValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_SessionCloseEventValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_SessionCloseEventValues]) -> bytes: ...


class ClusterActionRequest(Message):
    """``ClusterActionRequest``."""

    __slots__ = (
        "leadership_term_id",
        "log_position",
        "timestamp",
        "action",
        "flags",
    )
    name = "ClusterActionRequest"
    schema = SCHEMA
    template_id = 23
    block_length = 32
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("log_position", "q", 8, -9223372036854775808),
        Field("timestamp", "q", 16, -9223372036854775808),
        Field("action", "i", 24, -2147483648, enum=ClusterAction),
        Field("flags", "i", 28, -2147483648, since=11, is_optional=True),
    )
    leadership_term_id: int
    log_position: int
    timestamp: int
    action: ClusterAction
    flags: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ClusterActionRequestValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ClusterActionRequestValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_ClusterActionRequestValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ClusterActionRequestValues]) -> bytes: ...


class NewLeadershipTermEvent(Message):
    """``NewLeadershipTermEvent``."""

    __slots__ = (
        "leadership_term_id",
        "log_position",
        "timestamp",
        "term_base_log_position",
        "leader_member_id",
        "log_session_id",
        "time_unit",
        "app_version",
    )
    name = "NewLeadershipTermEvent"
    schema = SCHEMA
    template_id = 24
    block_length = 48
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("log_position", "q", 8, -9223372036854775808),
        Field("timestamp", "q", 16, -9223372036854775808),
        Field("term_base_log_position", "q", 24, -9223372036854775808),
        Field("leader_member_id", "i", 32, -2147483648),
        Field("log_session_id", "i", 36, -2147483648),
        Field("time_unit", "i", 40, -2147483648, since=4, is_optional=True, enum=ClusterTimeUnit),
        Field("app_version", "i", 44, 0, since=4, is_optional=True),
    )
    leadership_term_id: int
    log_position: int
    timestamp: int
    term_base_log_position: int
    leader_member_id: int
    log_session_id: int
    time_unit: ClusterTimeUnit
    app_version: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_NewLeadershipTermEventValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_NewLeadershipTermEventValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_NewLeadershipTermEventValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_NewLeadershipTermEventValues]) -> bytes: ...


class MembershipChangeEvent(Message):
    """``MembershipChangeEvent``."""

    __slots__ = (
        "leadership_term_id",
        "log_position",
        "timestamp",
        "leader_member_id",
        "cluster_size",
        "change_type",
        "member_id",
        "cluster_members",
    )
    name = "MembershipChangeEvent"
    schema = SCHEMA
    template_id = 25
    block_length = 40
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("log_position", "q", 8, -9223372036854775808),
        Field("timestamp", "q", 16, -9223372036854775808),
        Field("leader_member_id", "i", 24, -2147483648),
        Field("cluster_size", "i", 28, -2147483648),
        Field("change_type", "i", 32, -2147483648, enum=ChangeType),
        Field("member_id", "i", 36, -2147483648),
    )
    data = (Data("cluster_members", is_text=True),)
    leadership_term_id: int
    log_position: int
    timestamp: int
    leader_member_id: int
    cluster_size: int
    change_type: ChangeType
    member_id: int
    cluster_members: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_MembershipChangeEventValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_MembershipChangeEventValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_MembershipChangeEventValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_MembershipChangeEventValues]) -> bytes: ...


class AdminRequest(Message):
    """``AdminRequest``."""

    __slots__ = (
        "leadership_term_id",
        "cluster_session_id",
        "correlation_id",
        "request_type",
        "payload",
    )
    name = "AdminRequest"
    schema = SCHEMA
    template_id = 26
    block_length = 28
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("cluster_session_id", "q", 8, -9223372036854775808),
        Field("correlation_id", "q", 16, -9223372036854775808),
        Field("request_type", "i", 24, -2147483648, enum=AdminRequestType),
    )
    data = (Data("payload", is_text=False),)
    leadership_term_id: int
    cluster_session_id: int
    correlation_id: int
    request_type: AdminRequestType
    payload: bytes

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_AdminRequestValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_AdminRequestValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_AdminRequestValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_AdminRequestValues]) -> bytes: ...


class AdminResponse(Message):
    """``AdminResponse``."""

    __slots__ = (
        "cluster_session_id",
        "correlation_id",
        "request_type",
        "response_code",
        "message",
        "payload",
    )
    name = "AdminResponse"
    schema = SCHEMA
    template_id = 27
    block_length = 24
    fields = (
        Field("cluster_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("request_type", "i", 16, -2147483648, enum=AdminRequestType),
        Field("response_code", "i", 20, -2147483648, enum=AdminResponseCode),
    )
    data = (
        Data("message", is_text=True),
        Data("payload", is_text=False),
    )
    cluster_session_id: int
    correlation_id: int
    request_type: AdminRequestType
    response_code: AdminResponseCode
    message: str
    payload: bytes

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_AdminResponseValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_AdminResponseValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_AdminResponseValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_AdminResponseValues]) -> bytes: ...


class CloseSession(Message):
    """``CloseSession``."""

    __slots__ = ("cluster_session_id",)
    name = "CloseSession"
    schema = SCHEMA
    template_id = 30
    block_length = 8
    fields = (Field("cluster_session_id", "q", 0, -9223372036854775808),)
    cluster_session_id: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_CloseSessionValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_CloseSessionValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_CloseSessionValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_CloseSessionValues]) -> bytes: ...


class ScheduleTimer(Message):
    """``ScheduleTimer``."""

    __slots__ = (
        "correlation_id",
        "deadline",
    )
    name = "ScheduleTimer"
    schema = SCHEMA
    template_id = 31
    block_length = 16
    fields = (
        Field("correlation_id", "q", 0, -9223372036854775808),
        Field("deadline", "q", 8, -9223372036854775808),
    )
    correlation_id: int
    deadline: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ScheduleTimerValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ScheduleTimerValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ScheduleTimerValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ScheduleTimerValues]) -> bytes: ...


class CancelTimer(Message):
    """``CancelTimer``."""

    __slots__ = ("correlation_id",)
    name = "CancelTimer"
    schema = SCHEMA
    template_id = 32
    block_length = 8
    fields = (Field("correlation_id", "q", 0, -9223372036854775808),)
    correlation_id: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_CancelTimerValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_CancelTimerValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_CancelTimerValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_CancelTimerValues]) -> bytes: ...


class ServiceAck(Message):
    """``ServiceAck``."""

    __slots__ = (
        "log_position",
        "timestamp",
        "ack_id",
        "relevant_id",
        "service_id",
    )
    name = "ServiceAck"
    schema = SCHEMA
    template_id = 33
    block_length = 36
    fields = (
        Field("log_position", "q", 0, -9223372036854775808),
        Field("timestamp", "q", 8, -9223372036854775808),
        Field("ack_id", "q", 16, -9223372036854775808),
        Field("relevant_id", "q", 24, -9223372036854775808),
        Field("service_id", "i", 32, -2147483648),
    )
    log_position: int
    timestamp: int
    ack_id: int
    relevant_id: int
    service_id: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ServiceAckValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ServiceAckValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ServiceAckValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ServiceAckValues]) -> bytes: ...


class ClusterMembersQuery(Message):
    """``ClusterMembersQuery``."""

    __slots__ = (
        "correlation_id",
        "extended",
    )
    name = "ClusterMembersQuery"
    schema = SCHEMA
    template_id = 34
    block_length = 12
    fields = (
        Field("correlation_id", "q", 0, -9223372036854775808),
        Field("extended", "i", 8, -2147483648, since=5, is_optional=True, enum=BooleanType),
    )
    correlation_id: int
    extended: BooleanType

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ClusterMembersQueryValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ClusterMembersQueryValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_ClusterMembersQueryValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ClusterMembersQueryValues]) -> bytes: ...


class RemoveMember(Message):
    """``RemoveMember``. Deprecated since version 12."""

    __slots__ = (
        "member_id",
        "is_passive",
    )
    name = "RemoveMember"
    schema = SCHEMA
    template_id = 35
    block_length = 8
    fields = (
        Field("member_id", "i", 0, -2147483648),
        Field("is_passive", "i", 4, -2147483648, enum=BooleanType),
    )
    member_id: int
    is_passive: BooleanType

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_RemoveMemberValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_RemoveMemberValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_RemoveMemberValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_RemoveMemberValues]) -> bytes: ...


class JoinLog(Message):
    """``JoinLog``."""

    __slots__ = (
        "log_position",
        "max_log_position",
        "member_id",
        "log_session_id",
        "log_stream_id",
        "is_startup",
        "role",
        "is_standby",
        "log_channel",
    )
    name = "JoinLog"
    schema = SCHEMA
    template_id = 40
    block_length = 40
    fields = (
        Field("log_position", "q", 0, -9223372036854775808),
        Field("max_log_position", "q", 8, -9223372036854775808),
        Field("member_id", "i", 16, -2147483648),
        Field("log_session_id", "i", 20, -2147483648),
        Field("log_stream_id", "i", 24, -2147483648),
        Field("is_startup", "i", 28, -2147483648, enum=BooleanType),
        Field("role", "i", 32, -2147483648),
        Field("is_standby", "i", 36, -2147483648, since=16, is_optional=True, enum=BooleanType),
    )
    data = (Data("log_channel", is_text=True),)
    log_position: int
    max_log_position: int
    member_id: int
    log_session_id: int
    log_stream_id: int
    is_startup: BooleanType
    role: int
    is_standby: BooleanType
    log_channel: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_JoinLogValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_JoinLogValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_JoinLogValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_JoinLogValues]) -> bytes: ...


class ClusterMembersResponse(Message):
    """``ClusterMembersResponse``."""

    __slots__ = (
        "correlation_id",
        "leader_member_id",
        "active_members",
        "passive_followers",
    )
    name = "ClusterMembersResponse"
    schema = SCHEMA
    template_id = 41
    block_length = 12
    fields = (
        Field("correlation_id", "q", 0, -9223372036854775808),
        Field("leader_member_id", "i", 8, -2147483648),
    )
    data = (
        Data("active_members", is_text=True),
        Data("passive_followers", is_text=True),
    )
    correlation_id: int
    leader_member_id: int
    active_members: str
    passive_followers: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ClusterMembersResponseValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ClusterMembersResponseValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_ClusterMembersResponseValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ClusterMembersResponseValues]) -> bytes: ...


class ServiceTerminationPosition(Message):
    """``ServiceTerminationPosition``."""

    __slots__ = ("log_position",)
    name = "ServiceTerminationPosition"
    schema = SCHEMA
    template_id = 42
    block_length = 8
    fields = (Field("log_position", "q", 0, -9223372036854775808),)
    log_position: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ServiceTerminationPositionValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ServiceTerminationPositionValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_ServiceTerminationPositionValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ServiceTerminationPositionValues]) -> bytes: ...


class ClusterMembersExtendedResponse(Message):
    """``ClusterMembersExtendedResponse``."""

    __slots__ = (
        "correlation_id",
        "current_time_ns",
        "leader_member_id",
        "member_id",
        "active_members",
        "passive_members",
    )
    name = "ClusterMembersExtendedResponse"
    schema = SCHEMA
    template_id = 43
    block_length = 24
    fields = (
        Field("correlation_id", "q", 0, -9223372036854775808),
        Field("current_time_ns", "q", 8, -9223372036854775808),
        Field("leader_member_id", "i", 16, -2147483648),
        Field("member_id", "i", 20, -2147483648),
    )

    class ActiveMembers(Entry):
        """``activeMembers``."""

        __slots__ = (
            "leadership_term_id",
            "log_position",
            "time_of_last_append_ns",
            "member_id",
            "ingress_endpoint",
            "consensus_endpoint",
            "log_endpoint",
            "catchup_endpoint",
            "archive_endpoint",
        )
        name = "ClusterMembersExtendedResponse.ActiveMembers"
        schema = SCHEMA
        block_length = 28
        fields = (
            Field("leadership_term_id", "q", 0, -9223372036854775808),
            Field("log_position", "q", 8, -9223372036854775808),
            Field("time_of_last_append_ns", "q", 16, -9223372036854775808),
            Field("member_id", "i", 24, -2147483648),
        )
        data = (
            Data("ingress_endpoint", is_text=True),
            Data("consensus_endpoint", is_text=True),
            Data("log_endpoint", is_text=True),
            Data("catchup_endpoint", is_text=True),
            Data("archive_endpoint", is_text=True),
        )
        leadership_term_id: int
        log_position: int
        time_of_last_append_ns: int
        member_id: int
        ingress_endpoint: str
        consensus_endpoint: str
        log_endpoint: str
        catchup_endpoint: str
        archive_endpoint: str

        if TYPE_CHECKING:

            def __init__(
                self, **values: Unpack[_ClusterMembersExtendedResponseActiveMembersValues]
            ) -> None: ...

    class PassiveMembers(Entry):
        """``passiveMembers``."""

        __slots__ = (
            "leadership_term_id",
            "log_position",
            "time_of_last_append_ns",
            "member_id",
            "ingress_endpoint",
            "consensus_endpoint",
            "log_endpoint",
            "catchup_endpoint",
            "archive_endpoint",
        )
        name = "ClusterMembersExtendedResponse.PassiveMembers"
        schema = SCHEMA
        block_length = 28
        fields = (
            Field("leadership_term_id", "q", 0, -9223372036854775808),
            Field("log_position", "q", 8, -9223372036854775808),
            Field("time_of_last_append_ns", "q", 16, -9223372036854775808),
            Field("member_id", "i", 24, -2147483648),
        )
        data = (
            Data("ingress_endpoint", is_text=True),
            Data("consensus_endpoint", is_text=True),
            Data("log_endpoint", is_text=True),
            Data("catchup_endpoint", is_text=True),
            Data("archive_endpoint", is_text=True),
        )
        leadership_term_id: int
        log_position: int
        time_of_last_append_ns: int
        member_id: int
        ingress_endpoint: str
        consensus_endpoint: str
        log_endpoint: str
        catchup_endpoint: str
        archive_endpoint: str

        if TYPE_CHECKING:

            def __init__(
                self, **values: Unpack[_ClusterMembersExtendedResponsePassiveMembersValues]
            ) -> None: ...

    groups: ClassVar[tuple[tuple[str, type[Entry]], ...]] = (
        ("active_members", ActiveMembers),
        ("passive_members", PassiveMembers),
    )
    correlation_id: int
    current_time_ns: int
    leader_member_id: int
    member_id: int
    active_members: list[ClusterMembersExtendedResponse.ActiveMembers]
    passive_members: list[ClusterMembersExtendedResponse.PassiveMembers]

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ClusterMembersExtendedResponseValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ClusterMembersExtendedResponseValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_ClusterMembersExtendedResponseValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ClusterMembersExtendedResponseValues]) -> bytes: ...


class RequestServiceAck(Message):
    """``requestServiceAck``."""

    __slots__ = ("log_position",)
    name = "RequestServiceAck"
    schema = SCHEMA
    template_id = 108
    block_length = 8
    fields = (Field("log_position", "q", 0, -9223372036854775808),)
    log_position: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_RequestServiceAckValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_RequestServiceAckValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_RequestServiceAckValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_RequestServiceAckValues]) -> bytes: ...


class CanvassPosition(Message):
    """``CanvassPosition``."""

    __slots__ = (
        "log_leadership_term_id",
        "log_position",
        "leadership_term_id",
        "follower_member_id",
        "protocol_version",
    )
    name = "CanvassPosition"
    schema = SCHEMA
    template_id = 50
    block_length = 32
    fields = (
        Field("log_leadership_term_id", "q", 0, -9223372036854775808),
        Field("log_position", "q", 8, -9223372036854775808),
        Field("leadership_term_id", "q", 16, -9223372036854775808),
        Field("follower_member_id", "i", 24, -2147483648),
        Field("protocol_version", "i", 28, 0, since=9, is_optional=True),
    )
    log_leadership_term_id: int
    log_position: int
    leadership_term_id: int
    follower_member_id: int
    protocol_version: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_CanvassPositionValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_CanvassPositionValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_CanvassPositionValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_CanvassPositionValues]) -> bytes: ...


class RequestVote(Message):
    """``RequestVote``."""

    __slots__ = (
        "log_leadership_term_id",
        "log_position",
        "candidate_term_id",
        "candidate_member_id",
        "protocol_version",
    )
    name = "RequestVote"
    schema = SCHEMA
    template_id = 51
    block_length = 32
    fields = (
        Field("log_leadership_term_id", "q", 0, -9223372036854775808),
        Field("log_position", "q", 8, -9223372036854775808),
        Field("candidate_term_id", "q", 16, -9223372036854775808),
        Field("candidate_member_id", "i", 24, -2147483648),
        Field("protocol_version", "i", 28, 0, since=9, is_optional=True),
    )
    log_leadership_term_id: int
    log_position: int
    candidate_term_id: int
    candidate_member_id: int
    protocol_version: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_RequestVoteValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_RequestVoteValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_RequestVoteValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_RequestVoteValues]) -> bytes: ...


class Vote(Message):
    """``Vote``."""

    __slots__ = (
        "candidate_term_id",
        "log_leadership_term_id",
        "log_position",
        "candidate_member_id",
        "follower_member_id",
        "vote",
    )
    name = "Vote"
    schema = SCHEMA
    template_id = 52
    block_length = 36
    fields = (
        Field("candidate_term_id", "q", 0, -9223372036854775808),
        Field("log_leadership_term_id", "q", 8, -9223372036854775808),
        Field("log_position", "q", 16, -9223372036854775808),
        Field("candidate_member_id", "i", 24, -2147483648),
        Field("follower_member_id", "i", 28, -2147483648),
        Field("vote", "i", 32, -2147483648, enum=BooleanType),
    )
    candidate_term_id: int
    log_leadership_term_id: int
    log_position: int
    candidate_member_id: int
    follower_member_id: int
    vote: BooleanType

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_VoteValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_VoteValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_VoteValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_VoteValues]) -> bytes: ...


class NewLeadershipTerm(Message):
    """``NewLeadershipTerm``."""

    __slots__ = (
        "log_leadership_term_id",
        "next_leadership_term_id",
        "next_term_base_log_position",
        "next_log_position",
        "leadership_term_id",
        "term_base_log_position",
        "log_position",
        "leader_recording_id",
        "timestamp",
        "leader_member_id",
        "log_session_id",
        "app_version",
        "is_startup",
        "commit_position",
    )
    name = "NewLeadershipTerm"
    schema = SCHEMA
    template_id = 53
    block_length = 96
    fields = (
        Field("log_leadership_term_id", "q", 0, -9223372036854775808),
        Field("next_leadership_term_id", "q", 8, -9223372036854775808),
        Field("next_term_base_log_position", "q", 16, -9223372036854775808),
        Field("next_log_position", "q", 24, -9223372036854775808),
        Field("leadership_term_id", "q", 32, -9223372036854775808),
        Field("term_base_log_position", "q", 40, -9223372036854775808),
        Field("log_position", "q", 48, -9223372036854775808),
        Field("leader_recording_id", "q", 56, -9223372036854775808),
        Field("timestamp", "q", 64, -9223372036854775808),
        Field("leader_member_id", "i", 72, -2147483648),
        Field("log_session_id", "i", 76, -2147483648),
        Field("app_version", "i", 80, 0, is_optional=True),
        Field("is_startup", "i", 84, -2147483648, enum=BooleanType),
        Field("commit_position", "q", 88, -9223372036854775808, since=15),
    )
    log_leadership_term_id: int
    next_leadership_term_id: int
    next_term_base_log_position: int
    next_log_position: int
    leadership_term_id: int
    term_base_log_position: int
    log_position: int
    leader_recording_id: int
    timestamp: int
    leader_member_id: int
    log_session_id: int
    app_version: int
    is_startup: BooleanType
    commit_position: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_NewLeadershipTermValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_NewLeadershipTermValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_NewLeadershipTermValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_NewLeadershipTermValues]) -> bytes: ...


class AppendPosition(Message):
    """``AppendPosition``."""

    __slots__ = (
        "leadership_term_id",
        "log_position",
        "follower_member_id",
        "flags",
    )
    name = "AppendPosition"
    schema = SCHEMA
    template_id = 54
    block_length = 21
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("log_position", "q", 8, -9223372036854775808),
        Field("follower_member_id", "i", 16, -2147483648),
        Field("flags", "B", 20, 255, since=8),
    )
    leadership_term_id: int
    log_position: int
    follower_member_id: int
    flags: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_AppendPositionValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_AppendPositionValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_AppendPositionValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_AppendPositionValues]) -> bytes: ...


class CommitPosition(Message):
    """``CommitPosition``."""

    __slots__ = (
        "leadership_term_id",
        "log_position",
        "leader_member_id",
    )
    name = "CommitPosition"
    schema = SCHEMA
    template_id = 55
    block_length = 20
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("log_position", "q", 8, -9223372036854775808),
        Field("leader_member_id", "i", 16, -2147483648),
    )
    leadership_term_id: int
    log_position: int
    leader_member_id: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_CommitPositionValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_CommitPositionValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_CommitPositionValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_CommitPositionValues]) -> bytes: ...


class CatchupPosition(Message):
    """``CatchupPosition``."""

    __slots__ = (
        "leadership_term_id",
        "log_position",
        "follower_member_id",
        "catchup_endpoint",
    )
    name = "CatchupPosition"
    schema = SCHEMA
    template_id = 56
    block_length = 20
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("log_position", "q", 8, -9223372036854775808),
        Field("follower_member_id", "i", 16, -2147483648),
    )
    data = (Data("catchup_endpoint", is_text=True),)
    leadership_term_id: int
    log_position: int
    follower_member_id: int
    catchup_endpoint: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_CatchupPositionValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_CatchupPositionValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_CatchupPositionValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_CatchupPositionValues]) -> bytes: ...


class StopCatchup(Message):
    """``StopCatchup``."""

    __slots__ = (
        "leadership_term_id",
        "follower_member_id",
    )
    name = "StopCatchup"
    schema = SCHEMA
    template_id = 57
    block_length = 12
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("follower_member_id", "i", 8, -2147483648),
    )
    leadership_term_id: int
    follower_member_id: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_StopCatchupValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_StopCatchupValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_StopCatchupValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_StopCatchupValues]) -> bytes: ...


class AddPassiveMember(Message):
    """``AddPassiveMember``. Deprecated since version 12."""

    __slots__ = (
        "correlation_id",
        "member_endpoints",
    )
    name = "AddPassiveMember"
    schema = SCHEMA
    template_id = 70
    block_length = 8
    fields = (Field("correlation_id", "q", 0, -9223372036854775808),)
    data = (Data("member_endpoints", is_text=True),)
    correlation_id: int
    member_endpoints: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_AddPassiveMemberValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_AddPassiveMemberValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_AddPassiveMemberValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_AddPassiveMemberValues]) -> bytes: ...


class ClusterMembersChange(Message):
    """``ClusterMembersChange``. Deprecated since version 12."""

    __slots__ = (
        "correlation_id",
        "leader_member_id",
        "active_members",
        "passive_members",
    )
    name = "ClusterMembersChange"
    schema = SCHEMA
    template_id = 71
    block_length = 12
    fields = (
        Field("correlation_id", "q", 0, -9223372036854775808),
        Field("leader_member_id", "i", 8, -2147483648),
    )
    data = (
        Data("active_members", is_text=True),
        Data("passive_members", is_text=True),
    )
    correlation_id: int
    leader_member_id: int
    active_members: str
    passive_members: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ClusterMembersChangeValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ClusterMembersChangeValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_ClusterMembersChangeValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ClusterMembersChangeValues]) -> bytes: ...


class SnapshotRecordingQuery(Message):
    """``SnapshotRecordingQuery``. Deprecated since version 12."""

    __slots__ = (
        "correlation_id",
        "request_member_id",
    )
    name = "SnapshotRecordingQuery"
    schema = SCHEMA
    template_id = 72
    block_length = 12
    fields = (
        Field("correlation_id", "q", 0, -9223372036854775808),
        Field("request_member_id", "i", 8, -2147483648),
    )
    correlation_id: int
    request_member_id: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_SnapshotRecordingQueryValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_SnapshotRecordingQueryValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_SnapshotRecordingQueryValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_SnapshotRecordingQueryValues]) -> bytes: ...


class SnapshotRecordings(Message):
    """``SnapshotRecordings``. Deprecated since version 12."""

    __slots__ = (
        "correlation_id",
        "snapshots",
        "member_endpoints",
    )
    name = "SnapshotRecordings"
    schema = SCHEMA
    template_id = 73
    block_length = 8
    fields = (Field("correlation_id", "q", 0, -9223372036854775808),)

    class Snapshots(Entry):
        """``snapshots``."""

        __slots__ = (
            "recording_id",
            "leadership_term_id",
            "term_base_log_position",
            "log_position",
            "timestamp",
            "service_id",
        )
        name = "SnapshotRecordings.Snapshots"
        schema = SCHEMA
        block_length = 44
        fields = (
            Field("recording_id", "q", 0, -9223372036854775808),
            Field("leadership_term_id", "q", 8, -9223372036854775808),
            Field("term_base_log_position", "q", 16, -9223372036854775808),
            Field("log_position", "q", 24, -9223372036854775808),
            Field("timestamp", "q", 32, -9223372036854775808),
            Field("service_id", "i", 40, -2147483648),
        )
        recording_id: int
        leadership_term_id: int
        term_base_log_position: int
        log_position: int
        timestamp: int
        service_id: int

        if TYPE_CHECKING:

            def __init__(self, **values: Unpack[_SnapshotRecordingsSnapshotsValues]) -> None: ...

    groups: ClassVar[tuple[tuple[str, type[Entry]], ...]] = (("snapshots", Snapshots),)
    data = (Data("member_endpoints", is_text=True),)
    correlation_id: int
    snapshots: list[SnapshotRecordings.Snapshots]
    member_endpoints: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_SnapshotRecordingsValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_SnapshotRecordingsValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_SnapshotRecordingsValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_SnapshotRecordingsValues]) -> bytes: ...


class JoinCluster(Message):
    """``JoinCluster``. Deprecated since version 12."""

    __slots__ = (
        "leadership_term_id",
        "member_id",
    )
    name = "JoinCluster"
    schema = SCHEMA
    template_id = 74
    block_length = 12
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("member_id", "i", 8, -2147483648),
    )
    leadership_term_id: int
    member_id: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_JoinClusterValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_JoinClusterValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_JoinClusterValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_JoinClusterValues]) -> bytes: ...


class TerminationPosition(Message):
    """``TerminationPosition``."""

    __slots__ = (
        "leadership_term_id",
        "log_position",
    )
    name = "TerminationPosition"
    schema = SCHEMA
    template_id = 75
    block_length = 16
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("log_position", "q", 8, -9223372036854775808),
    )
    leadership_term_id: int
    log_position: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_TerminationPositionValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_TerminationPositionValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_TerminationPositionValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_TerminationPositionValues]) -> bytes: ...


class TerminationAck(Message):
    """``TerminationAck``."""

    __slots__ = (
        "leadership_term_id",
        "log_position",
        "member_id",
    )
    name = "TerminationAck"
    schema = SCHEMA
    template_id = 76
    block_length = 20
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("log_position", "q", 8, -9223372036854775808),
        Field("member_id", "i", 16, -2147483648),
    )
    leadership_term_id: int
    log_position: int
    member_id: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_TerminationAckValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_TerminationAckValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_TerminationAckValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_TerminationAckValues]) -> bytes: ...


class BackupQuery(Message):
    """``BackupQuery``."""

    __slots__ = (
        "correlation_id",
        "response_stream_id",
        "version",
        "log_position",
        "response_channel",
        "encoded_credentials",
    )
    name = "BackupQuery"
    schema = SCHEMA
    template_id = 77
    block_length = 24
    fields = (
        Field("correlation_id", "q", 0, -9223372036854775808),
        Field("response_stream_id", "i", 8, -2147483648),
        Field("version", "i", 12, 0, since=2, is_optional=True),
        Field("log_position", "q", 16, -9223372036854775808, since=16, is_optional=True),
    )
    data = (
        Data("response_channel", is_text=True),
        Data("encoded_credentials", is_text=False),
    )
    correlation_id: int
    response_stream_id: int
    version: int
    log_position: int
    response_channel: str
    encoded_credentials: bytes

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_BackupQueryValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_BackupQueryValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_BackupQueryValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_BackupQueryValues]) -> bytes: ...


class BackupResponse(Message):
    """``BackupResponse``."""

    __slots__ = (
        "correlation_id",
        "log_recording_id",
        "log_leadership_term_id",
        "log_term_base_log_position",
        "last_leadership_term_id",
        "last_term_base_log_position",
        "commit_position_counter_id",
        "leader_member_id",
        "member_id",
        "snapshots",
        "cluster_members",
    )
    name = "BackupResponse"
    schema = SCHEMA
    template_id = 78
    block_length = 60
    fields = (
        Field("correlation_id", "q", 0, -9223372036854775808),
        Field("log_recording_id", "q", 8, -9223372036854775808),
        Field("log_leadership_term_id", "q", 16, -9223372036854775808),
        Field("log_term_base_log_position", "q", 24, -9223372036854775808),
        Field("last_leadership_term_id", "q", 32, -9223372036854775808),
        Field("last_term_base_log_position", "q", 40, -9223372036854775808),
        Field("commit_position_counter_id", "i", 48, -2147483648),
        Field("leader_member_id", "i", 52, -2147483648),
        Field("member_id", "i", 56, -2147483648, since=10),
    )

    class Snapshots(Entry):
        """``snapshots``."""

        __slots__ = (
            "recording_id",
            "leadership_term_id",
            "term_base_log_position",
            "log_position",
            "timestamp",
            "service_id",
        )
        name = "BackupResponse.Snapshots"
        schema = SCHEMA
        block_length = 44
        fields = (
            Field("recording_id", "q", 0, -9223372036854775808),
            Field("leadership_term_id", "q", 8, -9223372036854775808),
            Field("term_base_log_position", "q", 16, -9223372036854775808),
            Field("log_position", "q", 24, -9223372036854775808),
            Field("timestamp", "q", 32, -9223372036854775808),
            Field("service_id", "i", 40, -2147483648),
        )
        recording_id: int
        leadership_term_id: int
        term_base_log_position: int
        log_position: int
        timestamp: int
        service_id: int

        if TYPE_CHECKING:

            def __init__(self, **values: Unpack[_BackupResponseSnapshotsValues]) -> None: ...

    groups: ClassVar[tuple[tuple[str, type[Entry]], ...]] = (("snapshots", Snapshots),)
    data = (Data("cluster_members", is_text=True),)
    correlation_id: int
    log_recording_id: int
    log_leadership_term_id: int
    log_term_base_log_position: int
    last_leadership_term_id: int
    last_term_base_log_position: int
    commit_position_counter_id: int
    leader_member_id: int
    member_id: int
    snapshots: list[BackupResponse.Snapshots]
    cluster_members: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_BackupResponseValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_BackupResponseValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_BackupResponseValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_BackupResponseValues]) -> bytes: ...


class HeartbeatRequest(Message):
    """``HeartbeatRequest``."""

    __slots__ = (
        "correlation_id",
        "response_stream_id",
        "response_channel",
        "encoded_credentials",
    )
    name = "HeartbeatRequest"
    schema = SCHEMA
    template_id = 79
    block_length = 12
    fields = (
        Field("correlation_id", "q", 0, -9223372036854775808),
        Field("response_stream_id", "i", 8, -2147483648),
    )
    data = (
        Data("response_channel", is_text=True),
        Data("encoded_credentials", is_text=False),
    )
    correlation_id: int
    response_stream_id: int
    response_channel: str
    encoded_credentials: bytes

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_HeartbeatRequestValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_HeartbeatRequestValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_HeartbeatRequestValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_HeartbeatRequestValues]) -> bytes: ...


class HeartbeatResponse(Message):
    """``HeartbeatResponse``."""

    __slots__ = ("correlation_id",)
    name = "HeartbeatResponse"
    schema = SCHEMA
    template_id = 80
    block_length = 8
    fields = (Field("correlation_id", "q", 0, -9223372036854775808),)
    correlation_id: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_HeartbeatResponseValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_HeartbeatResponseValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_HeartbeatResponseValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_HeartbeatResponseValues]) -> bytes: ...


class StandbySnapshot(Message):
    """``StandbySnapshot``. Since version 11."""

    __slots__ = (
        "correlation_id",
        "version",
        "response_stream_id",
        "snapshots",
        "response_channel",
        "encoded_credentials",
    )
    name = "StandbySnapshot"
    schema = SCHEMA
    template_id = 81
    block_length = 16
    fields = (
        Field("correlation_id", "q", 0, -9223372036854775808),
        Field("version", "i", 8, -2147483648),
        Field("response_stream_id", "i", 12, -2147483648),
    )

    class Snapshots(Entry):
        """``snapshots``."""

        __slots__ = (
            "recording_id",
            "leadership_term_id",
            "term_base_log_position",
            "log_position",
            "timestamp",
            "service_id",
            "archive_endpoint",
        )
        name = "StandbySnapshot.Snapshots"
        schema = SCHEMA
        block_length = 44
        fields = (
            Field("recording_id", "q", 0, -9223372036854775808),
            Field("leadership_term_id", "q", 8, -9223372036854775808),
            Field("term_base_log_position", "q", 16, -9223372036854775808),
            Field("log_position", "q", 24, -9223372036854775808),
            Field("timestamp", "q", 32, -9223372036854775808),
            Field("service_id", "i", 40, -2147483648),
        )
        data = (Data("archive_endpoint", is_text=True),)
        recording_id: int
        leadership_term_id: int
        term_base_log_position: int
        log_position: int
        timestamp: int
        service_id: int
        archive_endpoint: str

        if TYPE_CHECKING:

            def __init__(self, **values: Unpack[_StandbySnapshotSnapshotsValues]) -> None: ...

    groups: ClassVar[tuple[tuple[str, type[Entry]], ...]] = (("snapshots", Snapshots),)
    data = (
        Data("response_channel", is_text=True),
        Data("encoded_credentials", is_text=False),
    )
    correlation_id: int
    version: int
    response_stream_id: int
    snapshots: list[StandbySnapshot.Snapshots]
    response_channel: str
    encoded_credentials: bytes

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_StandbySnapshotValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_StandbySnapshotValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_StandbySnapshotValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_StandbySnapshotValues]) -> bytes: ...


class SnapshotMarker(Message):
    """``SnapshotMarker``."""

    __slots__ = (
        "type_id",
        "log_position",
        "leadership_term_id",
        "index",
        "mark",
        "time_unit",
        "app_version",
    )
    name = "SnapshotMarker"
    schema = SCHEMA
    template_id = 100
    block_length = 40
    fields = (
        Field("type_id", "q", 0, -9223372036854775808),
        Field("log_position", "q", 8, -9223372036854775808),
        Field("leadership_term_id", "q", 16, -9223372036854775808),
        Field("index", "i", 24, -2147483648),
        Field("mark", "i", 28, -2147483648, enum=SnapshotMark),
        Field("time_unit", "i", 32, -2147483648, since=4, is_optional=True, enum=ClusterTimeUnit),
        Field("app_version", "i", 36, 0, since=4, is_optional=True),
    )
    type_id: int
    log_position: int
    leadership_term_id: int
    index: int
    mark: SnapshotMark
    time_unit: ClusterTimeUnit
    app_version: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_SnapshotMarkerValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_SnapshotMarkerValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_SnapshotMarkerValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_SnapshotMarkerValues]) -> bytes: ...


class ClientSession(Message):
    """``ClientSession``."""

    __slots__ = (
        "cluster_session_id",
        "response_stream_id",
        "response_channel",
        "encoded_principal",
    )
    name = "ClientSession"
    schema = SCHEMA
    template_id = 102
    block_length = 12
    fields = (
        Field("cluster_session_id", "q", 0, -9223372036854775808),
        Field("response_stream_id", "i", 8, -2147483648),
    )
    data = (
        Data("response_channel", is_text=True),
        Data("encoded_principal", is_text=False),
    )
    cluster_session_id: int
    response_stream_id: int
    response_channel: str
    encoded_principal: bytes

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ClientSessionValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ClientSessionValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ClientSessionValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ClientSessionValues]) -> bytes: ...


class ClusterSession(Message):
    """``ClusterSession``."""

    __slots__ = (
        "cluster_session_id",
        "correlation_id",
        "opened_log_position",
        "time_of_last_activity",
        "close_reason",
        "response_stream_id",
        "response_channel",
    )
    name = "ClusterSession"
    schema = SCHEMA
    template_id = 103
    block_length = 40
    fields = (
        Field("cluster_session_id", "q", 0, -9223372036854775808),
        Field("correlation_id", "q", 8, -9223372036854775808),
        Field("opened_log_position", "q", 16, -9223372036854775808),
        Field("time_of_last_activity", "q", 24, -9223372036854775808),
        Field("close_reason", "i", 32, -2147483648, enum=CloseReason),
        Field("response_stream_id", "i", 36, -2147483648),
    )
    data = (Data("response_channel", is_text=True),)
    cluster_session_id: int
    correlation_id: int
    opened_log_position: int
    time_of_last_activity: int
    close_reason: CloseReason
    response_stream_id: int
    response_channel: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ClusterSessionValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ClusterSessionValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_ClusterSessionValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ClusterSessionValues]) -> bytes: ...


class Timer(Message):
    """``Timer``."""

    __slots__ = (
        "correlation_id",
        "deadline",
    )
    name = "Timer"
    schema = SCHEMA
    template_id = 104
    block_length = 16
    fields = (
        Field("correlation_id", "q", 0, -9223372036854775808),
        Field("deadline", "q", 8, -9223372036854775808),
    )
    correlation_id: int
    deadline: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_TimerValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_TimerValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_TimerValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_TimerValues]) -> bytes: ...


class ConsensusModule(Message):
    """``ConsensusModule``."""

    __slots__ = (
        "next_session_id",
        "next_service_session_id",
        "log_service_session_id",
        "pending_message_capacity",
    )
    name = "ConsensusModule"
    schema = SCHEMA
    template_id = 105
    block_length = 28
    fields = (
        Field("next_session_id", "q", 0, -9223372036854775808),
        Field("next_service_session_id", "q", 8, -9223372036854775808, since=3, is_optional=True),
        Field("log_service_session_id", "q", 16, -9223372036854775808, since=3, is_optional=True),
        Field("pending_message_capacity", "i", 24, 0, since=3, is_optional=True),
    )
    next_session_id: int
    next_service_session_id: int
    log_service_session_id: int
    pending_message_capacity: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ConsensusModuleValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ConsensusModuleValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_ConsensusModuleValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ConsensusModuleValues]) -> bytes: ...


class ClusterMembers(Message):
    """``ClusterMembers``."""

    __slots__ = (
        "member_id",
        "high_member_id",
        "cluster_members",
    )
    name = "ClusterMembers"
    schema = SCHEMA
    template_id = 106
    block_length = 8
    fields = (
        Field("member_id", "i", 0, -2147483648),
        Field("high_member_id", "i", 4, -2147483648),
    )
    data = (Data("cluster_members", is_text=True),)
    member_id: int
    high_member_id: int
    cluster_members: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ClusterMembersValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ClusterMembersValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_ClusterMembersValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ClusterMembersValues]) -> bytes: ...


class PendingMessageTracker(Message):
    """``PendingMessageTracker``."""

    __slots__ = (
        "next_service_session_id",
        "log_service_session_id",
        "pending_message_capacity",
        "service_id",
    )
    name = "PendingMessageTracker"
    schema = SCHEMA
    template_id = 107
    block_length = 24
    fields = (
        Field("next_service_session_id", "q", 0, -9223372036854775808),
        Field("log_service_session_id", "q", 8, -9223372036854775808),
        Field("pending_message_capacity", "i", 16, 0, is_optional=True),
        Field("service_id", "i", 20, -2147483648),
    )
    next_service_session_id: int
    log_service_session_id: int
    pending_message_capacity: int
    service_id: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_PendingMessageTrackerValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_PendingMessageTrackerValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_PendingMessageTrackerValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_PendingMessageTrackerValues]) -> bytes: ...
