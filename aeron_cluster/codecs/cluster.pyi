# Generated from schemas/cluster.xml by tools/generate_codecs.py. Edit it, run the tool.
# mypy: disable-error-code="override"
from collections.abc import Iterable
from enum import IntEnum
from typing import NotRequired, TypedDict, Unpack

from _typeshed import ReadableBuffer, WriteableBuffer

from aeron_cluster.codecs.message import Entry, Message, Schema, Truth

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

SCHEMA: Schema

def decode(buffer: ReadableBuffer, offset: int = 0, length: int | None = None) -> Message: ...
def template_id_of(buffer: ReadableBuffer, offset: int = 0, length: int | None = None) -> int: ...

class BooleanType(Truth):
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

class _SessionMessageHeaderValues(TypedDict):
    leadership_term_id: int
    cluster_session_id: int
    timestamp: int

class SessionMessageHeader(Message):
    leadership_term_id: int
    cluster_session_id: int
    timestamp: int
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

class _SessionEventValues(TypedDict):
    cluster_session_id: int
    correlation_id: int
    leadership_term_id: int
    leader_member_id: int
    code: EventCode | int
    version: NotRequired[int]
    leader_heartbeat_timeout_ns: NotRequired[int]
    detail: NotRequired[str | bytes]

class SessionEvent(Message):
    cluster_session_id: int
    correlation_id: int
    leadership_term_id: int
    leader_member_id: int
    code: EventCode
    version: int
    leader_heartbeat_timeout_ns: int
    detail: str
    def __init__(self, **values: Unpack[_SessionEventValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_SessionEventValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_SessionEventValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_SessionEventValues]) -> bytes: ...

class _SessionConnectRequestValues(TypedDict):
    correlation_id: int
    response_stream_id: int
    version: NotRequired[int]
    response_channel: NotRequired[str | bytes]
    encoded_credentials: NotRequired[ReadableBuffer]
    client_info: NotRequired[str | bytes]

class SessionConnectRequest(Message):
    correlation_id: int
    response_stream_id: int
    version: int
    response_channel: str
    encoded_credentials: bytes
    client_info: str
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

class _SessionCloseRequestValues(TypedDict):
    leadership_term_id: int
    cluster_session_id: int

class SessionCloseRequest(Message):
    leadership_term_id: int
    cluster_session_id: int
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

class _SessionKeepAliveValues(TypedDict):
    leadership_term_id: int
    cluster_session_id: int

class SessionKeepAlive(Message):
    leadership_term_id: int
    cluster_session_id: int
    def __init__(self, **values: Unpack[_SessionKeepAliveValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_SessionKeepAliveValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_SessionKeepAliveValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_SessionKeepAliveValues]) -> bytes: ...

class _NewLeaderEventValues(TypedDict):
    leadership_term_id: int
    cluster_session_id: int
    leader_member_id: int
    ingress_endpoints: NotRequired[str | bytes]

class NewLeaderEvent(Message):
    leadership_term_id: int
    cluster_session_id: int
    leader_member_id: int
    ingress_endpoints: str
    def __init__(self, **values: Unpack[_NewLeaderEventValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_NewLeaderEventValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_NewLeaderEventValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_NewLeaderEventValues]) -> bytes: ...

class _ChallengeValues(TypedDict):
    correlation_id: int
    cluster_session_id: int
    encoded_challenge: NotRequired[ReadableBuffer]

class Challenge(Message):
    correlation_id: int
    cluster_session_id: int
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
    correlation_id: int
    cluster_session_id: int
    encoded_credentials: NotRequired[ReadableBuffer]

class ChallengeResponse(Message):
    correlation_id: int
    cluster_session_id: int
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

class _TimerEventValues(TypedDict):
    leadership_term_id: int
    correlation_id: int
    timestamp: int

class TimerEvent(Message):
    leadership_term_id: int
    correlation_id: int
    timestamp: int
    def __init__(self, **values: Unpack[_TimerEventValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_TimerEventValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_TimerEventValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_TimerEventValues]) -> bytes: ...

class _SessionOpenEventValues(TypedDict):
    leadership_term_id: int
    correlation_id: int
    cluster_session_id: int
    timestamp: int
    response_stream_id: int
    response_channel: NotRequired[str | bytes]
    encoded_principal: NotRequired[ReadableBuffer]

class SessionOpenEvent(Message):
    leadership_term_id: int
    correlation_id: int
    cluster_session_id: int
    timestamp: int
    response_stream_id: int
    response_channel: str
    encoded_principal: bytes
    def __init__(self, **values: Unpack[_SessionOpenEventValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_SessionOpenEventValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_SessionOpenEventValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_SessionOpenEventValues]) -> bytes: ...

class _SessionCloseEventValues(TypedDict):
    leadership_term_id: int
    cluster_session_id: int
    timestamp: int
    close_reason: CloseReason | int

class SessionCloseEvent(Message):
    leadership_term_id: int
    cluster_session_id: int
    timestamp: int
    close_reason: CloseReason
    def __init__(self, **values: Unpack[_SessionCloseEventValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_SessionCloseEventValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_SessionCloseEventValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_SessionCloseEventValues]) -> bytes: ...

class _ClusterActionRequestValues(TypedDict):
    leadership_term_id: int
    log_position: int
    timestamp: int
    action: ClusterAction | int
    flags: NotRequired[int]

class ClusterActionRequest(Message):
    leadership_term_id: int
    log_position: int
    timestamp: int
    action: ClusterAction
    flags: int
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

class _NewLeadershipTermEventValues(TypedDict):
    leadership_term_id: int
    log_position: int
    timestamp: int
    term_base_log_position: int
    leader_member_id: int
    log_session_id: int
    time_unit: NotRequired[ClusterTimeUnit | int]
    app_version: NotRequired[int]

class NewLeadershipTermEvent(Message):
    leadership_term_id: int
    log_position: int
    timestamp: int
    term_base_log_position: int
    leader_member_id: int
    log_session_id: int
    time_unit: ClusterTimeUnit
    app_version: int
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

class _MembershipChangeEventValues(TypedDict):
    leadership_term_id: int
    log_position: int
    timestamp: int
    leader_member_id: int
    cluster_size: int
    change_type: ChangeType | int
    member_id: int
    cluster_members: NotRequired[str | bytes]

class MembershipChangeEvent(Message):
    leadership_term_id: int
    log_position: int
    timestamp: int
    leader_member_id: int
    cluster_size: int
    change_type: ChangeType
    member_id: int
    cluster_members: str
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

class _AdminRequestValues(TypedDict):
    leadership_term_id: int
    cluster_session_id: int
    correlation_id: int
    request_type: AdminRequestType | int
    payload: NotRequired[ReadableBuffer]

class AdminRequest(Message):
    leadership_term_id: int
    cluster_session_id: int
    correlation_id: int
    request_type: AdminRequestType
    payload: bytes
    def __init__(self, **values: Unpack[_AdminRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_AdminRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_AdminRequestValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_AdminRequestValues]) -> bytes: ...

class _AdminResponseValues(TypedDict):
    cluster_session_id: int
    correlation_id: int
    request_type: AdminRequestType | int
    response_code: AdminResponseCode | int
    message: NotRequired[str | bytes]
    payload: NotRequired[ReadableBuffer]

class AdminResponse(Message):
    cluster_session_id: int
    correlation_id: int
    request_type: AdminRequestType
    response_code: AdminResponseCode
    message: str
    payload: bytes
    def __init__(self, **values: Unpack[_AdminResponseValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_AdminResponseValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_AdminResponseValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_AdminResponseValues]) -> bytes: ...

class _CloseSessionValues(TypedDict):
    cluster_session_id: int

class CloseSession(Message):
    cluster_session_id: int
    def __init__(self, **values: Unpack[_CloseSessionValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_CloseSessionValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_CloseSessionValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_CloseSessionValues]) -> bytes: ...

class _ScheduleTimerValues(TypedDict):
    correlation_id: int
    deadline: int

class ScheduleTimer(Message):
    correlation_id: int
    deadline: int
    def __init__(self, **values: Unpack[_ScheduleTimerValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ScheduleTimerValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ScheduleTimerValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ScheduleTimerValues]) -> bytes: ...

class _CancelTimerValues(TypedDict):
    correlation_id: int

class CancelTimer(Message):
    correlation_id: int
    def __init__(self, **values: Unpack[_CancelTimerValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_CancelTimerValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_CancelTimerValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_CancelTimerValues]) -> bytes: ...

class _ServiceAckValues(TypedDict):
    log_position: int
    timestamp: int
    ack_id: int
    relevant_id: int
    service_id: int

class ServiceAck(Message):
    log_position: int
    timestamp: int
    ack_id: int
    relevant_id: int
    service_id: int
    def __init__(self, **values: Unpack[_ServiceAckValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ServiceAckValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ServiceAckValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ServiceAckValues]) -> bytes: ...

class _ClusterMembersQueryValues(TypedDict):
    correlation_id: int
    extended: NotRequired[BooleanType | int]

class ClusterMembersQuery(Message):
    correlation_id: int
    extended: BooleanType
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

class _RemoveMemberValues(TypedDict):
    member_id: int
    is_passive: BooleanType | int

class RemoveMember(Message):
    member_id: int
    is_passive: BooleanType
    def __init__(self, **values: Unpack[_RemoveMemberValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_RemoveMemberValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_RemoveMemberValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_RemoveMemberValues]) -> bytes: ...

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

class JoinLog(Message):
    log_position: int
    max_log_position: int
    member_id: int
    log_session_id: int
    log_stream_id: int
    is_startup: BooleanType
    role: int
    is_standby: BooleanType
    log_channel: str
    def __init__(self, **values: Unpack[_JoinLogValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_JoinLogValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_JoinLogValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_JoinLogValues]) -> bytes: ...

class _ClusterMembersResponseValues(TypedDict):
    correlation_id: int
    leader_member_id: int
    active_members: NotRequired[str | bytes]
    passive_followers: NotRequired[str | bytes]

class ClusterMembersResponse(Message):
    correlation_id: int
    leader_member_id: int
    active_members: str
    passive_followers: str
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

class _ServiceTerminationPositionValues(TypedDict):
    log_position: int

class ServiceTerminationPosition(Message):
    log_position: int
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

class ClusterMembersExtendedResponse(Message):
    class ActiveMembers(Entry):
        leadership_term_id: int
        log_position: int
        time_of_last_append_ns: int
        member_id: int
        ingress_endpoint: str
        consensus_endpoint: str
        log_endpoint: str
        catchup_endpoint: str
        archive_endpoint: str
        def __init__(
            self, **values: Unpack[_ClusterMembersExtendedResponseActiveMembersValues]
        ) -> None: ...

    class PassiveMembers(Entry):
        leadership_term_id: int
        log_position: int
        time_of_last_append_ns: int
        member_id: int
        ingress_endpoint: str
        consensus_endpoint: str
        log_endpoint: str
        catchup_endpoint: str
        archive_endpoint: str
        def __init__(
            self, **values: Unpack[_ClusterMembersExtendedResponsePassiveMembersValues]
        ) -> None: ...

    correlation_id: int
    current_time_ns: int
    leader_member_id: int
    member_id: int
    active_members: list[ClusterMembersExtendedResponse.ActiveMembers]
    passive_members: list[ClusterMembersExtendedResponse.PassiveMembers]
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

class _RequestServiceAckValues(TypedDict):
    log_position: int

class RequestServiceAck(Message):
    log_position: int
    def __init__(self, **values: Unpack[_RequestServiceAckValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_RequestServiceAckValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_RequestServiceAckValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_RequestServiceAckValues]) -> bytes: ...

class _CanvassPositionValues(TypedDict):
    log_leadership_term_id: int
    log_position: int
    leadership_term_id: int
    follower_member_id: int
    protocol_version: NotRequired[int]

class CanvassPosition(Message):
    log_leadership_term_id: int
    log_position: int
    leadership_term_id: int
    follower_member_id: int
    protocol_version: int
    def __init__(self, **values: Unpack[_CanvassPositionValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_CanvassPositionValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_CanvassPositionValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_CanvassPositionValues]) -> bytes: ...

class _RequestVoteValues(TypedDict):
    log_leadership_term_id: int
    log_position: int
    candidate_term_id: int
    candidate_member_id: int
    protocol_version: NotRequired[int]

class RequestVote(Message):
    log_leadership_term_id: int
    log_position: int
    candidate_term_id: int
    candidate_member_id: int
    protocol_version: int
    def __init__(self, **values: Unpack[_RequestVoteValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_RequestVoteValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_RequestVoteValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_RequestVoteValues]) -> bytes: ...

class _VoteValues(TypedDict):
    candidate_term_id: int
    log_leadership_term_id: int
    log_position: int
    candidate_member_id: int
    follower_member_id: int
    vote: BooleanType | int

class Vote(Message):
    candidate_term_id: int
    log_leadership_term_id: int
    log_position: int
    candidate_member_id: int
    follower_member_id: int
    vote: BooleanType
    def __init__(self, **values: Unpack[_VoteValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_VoteValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_VoteValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_VoteValues]) -> bytes: ...

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

class NewLeadershipTerm(Message):
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
    def __init__(self, **values: Unpack[_NewLeadershipTermValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_NewLeadershipTermValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_NewLeadershipTermValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_NewLeadershipTermValues]) -> bytes: ...

class _AppendPositionValues(TypedDict):
    leadership_term_id: int
    log_position: int
    follower_member_id: int
    flags: int

class AppendPosition(Message):
    leadership_term_id: int
    log_position: int
    follower_member_id: int
    flags: int
    def __init__(self, **values: Unpack[_AppendPositionValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_AppendPositionValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_AppendPositionValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_AppendPositionValues]) -> bytes: ...

class _CommitPositionValues(TypedDict):
    leadership_term_id: int
    log_position: int
    leader_member_id: int

class CommitPosition(Message):
    leadership_term_id: int
    log_position: int
    leader_member_id: int
    def __init__(self, **values: Unpack[_CommitPositionValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_CommitPositionValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_CommitPositionValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_CommitPositionValues]) -> bytes: ...

class _CatchupPositionValues(TypedDict):
    leadership_term_id: int
    log_position: int
    follower_member_id: int
    catchup_endpoint: NotRequired[str | bytes]

class CatchupPosition(Message):
    leadership_term_id: int
    log_position: int
    follower_member_id: int
    catchup_endpoint: str
    def __init__(self, **values: Unpack[_CatchupPositionValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_CatchupPositionValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_CatchupPositionValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_CatchupPositionValues]) -> bytes: ...

class _StopCatchupValues(TypedDict):
    leadership_term_id: int
    follower_member_id: int

class StopCatchup(Message):
    leadership_term_id: int
    follower_member_id: int
    def __init__(self, **values: Unpack[_StopCatchupValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_StopCatchupValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_StopCatchupValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_StopCatchupValues]) -> bytes: ...

class _AddPassiveMemberValues(TypedDict):
    correlation_id: int
    member_endpoints: NotRequired[str | bytes]

class AddPassiveMember(Message):
    correlation_id: int
    member_endpoints: str
    def __init__(self, **values: Unpack[_AddPassiveMemberValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_AddPassiveMemberValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_AddPassiveMemberValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_AddPassiveMemberValues]) -> bytes: ...

class _ClusterMembersChangeValues(TypedDict):
    correlation_id: int
    leader_member_id: int
    active_members: NotRequired[str | bytes]
    passive_members: NotRequired[str | bytes]

class ClusterMembersChange(Message):
    correlation_id: int
    leader_member_id: int
    active_members: str
    passive_members: str
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

class _SnapshotRecordingQueryValues(TypedDict):
    correlation_id: int
    request_member_id: int

class SnapshotRecordingQuery(Message):
    correlation_id: int
    request_member_id: int
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

class SnapshotRecordings(Message):
    class Snapshots(Entry):
        recording_id: int
        leadership_term_id: int
        term_base_log_position: int
        log_position: int
        timestamp: int
        service_id: int
        def __init__(self, **values: Unpack[_SnapshotRecordingsSnapshotsValues]) -> None: ...

    correlation_id: int
    snapshots: list[SnapshotRecordings.Snapshots]
    member_endpoints: str
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

class _JoinClusterValues(TypedDict):
    leadership_term_id: int
    member_id: int

class JoinCluster(Message):
    leadership_term_id: int
    member_id: int
    def __init__(self, **values: Unpack[_JoinClusterValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_JoinClusterValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_JoinClusterValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_JoinClusterValues]) -> bytes: ...

class _TerminationPositionValues(TypedDict):
    leadership_term_id: int
    log_position: int

class TerminationPosition(Message):
    leadership_term_id: int
    log_position: int
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

class _TerminationAckValues(TypedDict):
    leadership_term_id: int
    log_position: int
    member_id: int

class TerminationAck(Message):
    leadership_term_id: int
    log_position: int
    member_id: int
    def __init__(self, **values: Unpack[_TerminationAckValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_TerminationAckValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_TerminationAckValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_TerminationAckValues]) -> bytes: ...

class _BackupQueryValues(TypedDict):
    correlation_id: int
    response_stream_id: int
    version: NotRequired[int]
    log_position: NotRequired[int]
    response_channel: NotRequired[str | bytes]
    encoded_credentials: NotRequired[ReadableBuffer]

class BackupQuery(Message):
    correlation_id: int
    response_stream_id: int
    version: int
    log_position: int
    response_channel: str
    encoded_credentials: bytes
    def __init__(self, **values: Unpack[_BackupQueryValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_BackupQueryValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_BackupQueryValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_BackupQueryValues]) -> bytes: ...

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

class BackupResponse(Message):
    class Snapshots(Entry):
        recording_id: int
        leadership_term_id: int
        term_base_log_position: int
        log_position: int
        timestamp: int
        service_id: int
        def __init__(self, **values: Unpack[_BackupResponseSnapshotsValues]) -> None: ...

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
    def __init__(self, **values: Unpack[_BackupResponseValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_BackupResponseValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_BackupResponseValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_BackupResponseValues]) -> bytes: ...

class _HeartbeatRequestValues(TypedDict):
    correlation_id: int
    response_stream_id: int
    response_channel: NotRequired[str | bytes]
    encoded_credentials: NotRequired[ReadableBuffer]

class HeartbeatRequest(Message):
    correlation_id: int
    response_stream_id: int
    response_channel: str
    encoded_credentials: bytes
    def __init__(self, **values: Unpack[_HeartbeatRequestValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_HeartbeatRequestValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_HeartbeatRequestValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_HeartbeatRequestValues]) -> bytes: ...

class _HeartbeatResponseValues(TypedDict):
    correlation_id: int

class HeartbeatResponse(Message):
    correlation_id: int
    def __init__(self, **values: Unpack[_HeartbeatResponseValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_HeartbeatResponseValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_HeartbeatResponseValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_HeartbeatResponseValues]) -> bytes: ...

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

class StandbySnapshot(Message):
    class Snapshots(Entry):
        recording_id: int
        leadership_term_id: int
        term_base_log_position: int
        log_position: int
        timestamp: int
        service_id: int
        archive_endpoint: str
        def __init__(self, **values: Unpack[_StandbySnapshotSnapshotsValues]) -> None: ...

    correlation_id: int
    version: int
    response_stream_id: int
    snapshots: list[StandbySnapshot.Snapshots]
    response_channel: str
    encoded_credentials: bytes
    def __init__(self, **values: Unpack[_StandbySnapshotValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_StandbySnapshotValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_StandbySnapshotValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_StandbySnapshotValues]) -> bytes: ...

class _SnapshotMarkerValues(TypedDict):
    type_id: int
    log_position: int
    leadership_term_id: int
    index: int
    mark: SnapshotMark | int
    time_unit: NotRequired[ClusterTimeUnit | int]
    app_version: NotRequired[int]

class SnapshotMarker(Message):
    type_id: int
    log_position: int
    leadership_term_id: int
    index: int
    mark: SnapshotMark
    time_unit: ClusterTimeUnit
    app_version: int
    def __init__(self, **values: Unpack[_SnapshotMarkerValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_SnapshotMarkerValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_SnapshotMarkerValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_SnapshotMarkerValues]) -> bytes: ...

class _ClientSessionValues(TypedDict):
    cluster_session_id: int
    response_stream_id: int
    response_channel: NotRequired[str | bytes]
    encoded_principal: NotRequired[ReadableBuffer]

class ClientSession(Message):
    cluster_session_id: int
    response_stream_id: int
    response_channel: str
    encoded_principal: bytes
    def __init__(self, **values: Unpack[_ClientSessionValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ClientSessionValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ClientSessionValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ClientSessionValues]) -> bytes: ...

class _ClusterSessionValues(TypedDict):
    cluster_session_id: int
    correlation_id: int
    opened_log_position: int
    time_of_last_activity: int
    close_reason: CloseReason | int
    response_stream_id: int
    response_channel: NotRequired[str | bytes]

class ClusterSession(Message):
    cluster_session_id: int
    correlation_id: int
    opened_log_position: int
    time_of_last_activity: int
    close_reason: CloseReason
    response_stream_id: int
    response_channel: str
    def __init__(self, **values: Unpack[_ClusterSessionValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ClusterSessionValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ClusterSessionValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ClusterSessionValues]) -> bytes: ...

class _TimerValues(TypedDict):
    correlation_id: int
    deadline: int

class Timer(Message):
    correlation_id: int
    deadline: int
    def __init__(self, **values: Unpack[_TimerValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_TimerValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_TimerValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_TimerValues]) -> bytes: ...

class _ConsensusModuleValues(TypedDict):
    next_session_id: int
    next_service_session_id: NotRequired[int]
    log_service_session_id: NotRequired[int]
    pending_message_capacity: NotRequired[int]

class ConsensusModule(Message):
    next_session_id: int
    next_service_session_id: int
    log_service_session_id: int
    pending_message_capacity: int
    def __init__(self, **values: Unpack[_ConsensusModuleValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ConsensusModuleValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ConsensusModuleValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ConsensusModuleValues]) -> bytes: ...

class _ClusterMembersValues(TypedDict):
    member_id: int
    high_member_id: int
    cluster_members: NotRequired[str | bytes]

class ClusterMembers(Message):
    member_id: int
    high_member_id: int
    cluster_members: str
    def __init__(self, **values: Unpack[_ClusterMembersValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ClusterMembersValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ClusterMembersValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ClusterMembersValues]) -> bytes: ...

class _PendingMessageTrackerValues(TypedDict):
    next_service_session_id: int
    log_service_session_id: int
    pending_message_capacity: NotRequired[int]
    service_id: int

class PendingMessageTracker(Message):
    next_service_session_id: int
    log_service_session_id: int
    pending_message_capacity: int
    service_id: int
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
