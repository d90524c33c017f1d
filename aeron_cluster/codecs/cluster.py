# Generated from schemas/cluster.xml by tools/generate_codecs.py. Edit it, run the tool.
"""The messages of schema 111, version 16."""

from enum import IntEnum

from aeron_cluster.codecs.message import Data, Entry, Field, Message, Schema, Truth

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


class CloseSession(Message):
    """``CloseSession``."""

    __slots__ = ("cluster_session_id",)
    name = "CloseSession"
    schema = SCHEMA
    template_id = 30
    block_length = 8
    fields = (Field("cluster_session_id", "q", 0, -9223372036854775808),)


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


class CancelTimer(Message):
    """``CancelTimer``."""

    __slots__ = ("correlation_id",)
    name = "CancelTimer"
    schema = SCHEMA
    template_id = 32
    block_length = 8
    fields = (Field("correlation_id", "q", 0, -9223372036854775808),)


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


class ServiceTerminationPosition(Message):
    """``ServiceTerminationPosition``."""

    __slots__ = ("log_position",)
    name = "ServiceTerminationPosition"
    schema = SCHEMA
    template_id = 42
    block_length = 8
    fields = (Field("log_position", "q", 0, -9223372036854775808),)


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

    groups = (
        ("active_members", ActiveMembers),
        ("passive_members", PassiveMembers),
    )


class RequestServiceAck(Message):
    """``requestServiceAck``."""

    __slots__ = ("log_position",)
    name = "RequestServiceAck"
    schema = SCHEMA
    template_id = 108
    block_length = 8
    fields = (Field("log_position", "q", 0, -9223372036854775808),)


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

    groups = (("snapshots", Snapshots),)
    data = (Data("member_endpoints", is_text=True),)


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

    groups = (("snapshots", Snapshots),)
    data = (Data("cluster_members", is_text=True),)


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


class HeartbeatResponse(Message):
    """``HeartbeatResponse``."""

    __slots__ = ("correlation_id",)
    name = "HeartbeatResponse"
    schema = SCHEMA
    template_id = 80
    block_length = 8
    fields = (Field("correlation_id", "q", 0, -9223372036854775808),)


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

    groups = (("snapshots", Snapshots),)
    data = (
        Data("response_channel", is_text=True),
        Data("encoded_credentials", is_text=False),
    )


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
