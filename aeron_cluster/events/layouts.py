"""The binary layouts of events with fields of their own, and the order of the fields in text.

``io.aeron.agent.DriverEventEncoder``, ``ArchiveEventEncoder``, ``ClusterEventEncoder`` and their
dissectors; the flyweights of ``io.aeron.command``. Frames and messages of an archive have none.
"""

from __future__ import annotations

import ipaddress
import re
import struct
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from aeron_cluster.events.codes import ArchiveEvent, ClusterEvent, DriverEvent, Event
from aeron_cluster.memory.shared.commands import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "LAYOUTS",
    "MAX_CAPTURE_LENGTH",
    "Field",
    "Layout",
    "address_text",
    "host_text",
    "make_layout",
]

MAX_CAPTURE_LENGTH: Final = 4079
"""The limit of the captured bytes of an event, in bytes."""

_NUMBERS: Final = {"q": "<q", "i": "<i", "v": "<i", "f": "<B", "b": "<B"}
_STRING_LIMITS: Final = {"s": None, "h": 256, "r": 300}  # texts, host names, reasons
_LENGTH: Final = struct.Struct("<i")
_ELLIPSIS: Final = b"..."
_NO_HOST: Final = "unknown-address"


class Field(NamedTuple):
    """A field of an event.

    Parameters
    ----------
    name : str
        Its name in text.
    keyword : str
        Its name in the code that records it.
    kind : str
        ``q`` i64, ``i`` i32, ``v`` a semantic version, ``f`` flags, ``b`` a truth value; ``s``,
        ``h`` or ``r`` a string; ``a`` a socket address, ``A`` an address without port. Only in
        captured commands: ``p`` a string padded to 4 bytes, ``e`` an error code, ``R`` the flag of
        a revocation, which older clients do not send.
    """

    name: str
    keyword: str
    kind: str


class Layout(NamedTuple):
    """The fields of an event in the order of the record, and how its text shows them.

    Parameters
    ----------
    fields : tuple of Field
    text : tuple of (str, str)
        The names in the order of the text, each with the format of its value.
    surplus : int
        The bytes by which the length in upstream's records exceeds that of the fields.
    """

    fields: tuple[Field, ...]
    text: tuple[tuple[str, str], ...]
    surplus: int = 0

    def encode(self, values: Mapping[str, Any]) -> tuple[bytes, int]:
        """Return the captured bytes of an event, and its length.

        Parameters
        ----------
        values : Mapping
            The values by the fields' keywords.
        """
        parts = [_encoded(field, values[field.keyword]) for field in self.fields]
        length = sum(map(len, parts)) + self.surplus
        excess = length - MAX_CAPTURE_LENGTH
        if excess > 0:
            longest = max(range(len(parts)), key=lambda index: len(parts[index]))
            text = parts[longest][_LENGTH.size :]
            parts[longest] = _string(text, len(text) - excess)
        return b"".join(parts) + bytes(self.surplus if excess <= 0 else 0), length

    def decode(self, data: bytes) -> dict[str, Any]:
        """Return the values of a record's captured bytes, by the fields' names."""
        found: dict[str, Any] = {}
        at = 0
        for field in self.fields:
            found[field.name], at = _decoded(field.kind, data, at)
        return found


def _string(text: bytes, limit: int | None) -> bytes:
    if limit is not None and len(text) > limit:
        text = text[: max(limit - len(_ELLIPSIS), 0)] + _ELLIPSIS
    return _LENGTH.pack(len(text)) + text


def _name(value: object) -> str:
    """Return the text of a state, a pair of states, or a string."""
    match value:
        case None:
            return "null"
        case Enum():
            return value.name
        case (old, new):
            return f"{_name(old)} -> {_name(new)}"
        case _:
            return str(value)


def _host(host: str | None) -> bytes:
    packed = b"" if host is None else ipaddress.ip_address(host).packed
    return _LENGTH.pack(len(packed)) + packed


def _encoded(field: Field, value: Any) -> bytes:  # noqa: ANN401 - as the kind requires
    if field.kind in _NUMBERS:
        return struct.pack(_NUMBERS[field.kind], value)
    if field.kind in _STRING_LIMITS:
        text = _name(value).encode("ascii", "replace")
        return _string(text, _STRING_LIMITS[field.kind])
    if field.kind == "a":
        return _LENGTH.pack(value[1]) + _host(value[0])
    return _host(value)


def _decoded(kind: str, data: bytes, at: int) -> tuple[Any, int]:
    if kind in _NUMBERS:
        layout = struct.Struct(_NUMBERS[kind])
        (value,) = layout.unpack_from(data, at)
        return (bool(value) if kind == "b" else value), at + layout.size
    if kind == "a":
        return address_text(data, at)
    if kind == "e":
        return _error_name(_LENGTH.unpack_from(data, at)[0]), at + _LENGTH.size
    if kind == "R":
        return (data[at] == 1 if at < len(data) else None), at + 8
    (length,) = _LENGTH.unpack_from(data, at)
    end = at + _LENGTH.size + length
    part = data[at + _LENGTH.size : end]
    if kind == "p":
        end += -length % 4
    return (host_text(part) if kind == "A" else part.decode("ascii", "replace")), end


def _error_name(code: int) -> str:
    """Return upstream's name of an error code."""
    match code:
        case ErrorCode.ERROR_CHANNEL_ENDPOINT:
            return "CHANNEL_ENDPOINT_ERROR"
        case ErrorCode.ERROR_GENERIC:
            return "GENERIC_ERROR"
        case _:
            known = code in list(ErrorCode)
            return ErrorCode(code if known else -1).name.removeprefix("ERROR_")


def host_text(packed: bytes) -> str:
    """Return an address as upstream prints it."""
    match len(packed):
        case 4:
            return ".".join(map(str, packed))
        case 16:
            return f"[{':'.join(f'{word:x}' for word in struct.unpack('>8H', packed))}]"
        case _:
            return _NO_HOST


def address_text(data: bytes, at: int) -> tuple[str, int]:
    """Return the socket address at an offset as upstream prints it, and its end."""
    port, length = struct.unpack_from("<ii", data, at)
    end = at + 8 + length
    return f"{host_text(data[at + 8 : end])}:{port}", end


_SNAKE: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def make_layout(fields: str, text: str = "", surplus: int = 0) -> Layout:
    """Create a layout.

    Parameters
    ----------
    fields : str
        ``name:kind`` of each field.
    text : str
        The names in the order of the text: ``name`` is shown as ``name=value``, ``=name`` is shown
        as the value, ``"name`` with quotes; ``name={}`` has the format itself. By default the
        fields in their order, as ``name=value``.
    """
    pairs = [each.split(":") for each in fields.split()]
    known = tuple(Field(name, _SNAKE.sub("_", name).lower(), kind) for name, kind in pairs)
    shown = []
    for each in text.split() or [field.name for field in known]:
        if "{" in each:
            shown.append((each.partition("=")[0], each))
        elif each[0] == '"':
            shown.append((each[1:], f'{each[1:]}="{{}}"'))
        elif each[0] == "=":
            shown.append((each[1:], "{}"))
        else:
            shown.append((each, f"{each}={{}}"))
    return Layout(known, tuple(shown), surplus)


_TEXT: Final = make_layout("text:s", "=text")
_RECEIVER: Final = make_layout("receiverCount:i receiverId:q sessionId:i streamId:i channel:s")
_ADDRESS: Final = make_layout("address:a", "=address")
_NAK: Final = make_layout(
    "address:a sessionId:i streamId:i termId:i termOffset:i length:i channel:s"
)
_REVOKE: Final = make_layout("revokedPos:q sessionId:i streamId:i channel:s")
_STATE: Final = make_layout("memberId:i states:s reason:s", 'memberId =states "reason')
_COMMAND: Final = "clientId:q correlationId:q"
_ADD_PUBLICATION: Final = make_layout(
    f"{_COMMAND} streamId:i channel:s", "streamId clientId correlationId channel"
)
_REMOVE: Final = make_layout(
    f"{_COMMAND} registrationId:q", "registrationId clientId correlationId"
)
_PUBLICATION_READY: Final = make_layout(
    "correlationId:q registrationId:q sessionId:i streamId:i publicationLimitCounterId:i"
    " channelStatusCounterId:i logFileName:s",
    "sessionId streamId publicationLimitCounterId channelStatusCounterId correlationId"
    " registrationId logFileName",
)
_CLIENT: Final = make_layout(_COMMAND)
_DESTINATION: Final = make_layout(
    f"{_COMMAND} registrationCorrelationId:q channel:s",
    "registrationCorrelationId clientId correlationId channel",
)
_COUNTER: Final = make_layout("correlationId:q counterId:i")
_PERSISTENT: Final = "recordingId:q replayChannel:s replayStreamId:i liveChannel:s liveStreamId:i"

LAYOUTS: Final[Mapping[Event, Layout]] = {
    DriverEvent.CMD_IN_ADD_PUBLICATION: _ADD_PUBLICATION,
    DriverEvent.CMD_IN_ADD_EXCLUSIVE_PUBLICATION: _ADD_PUBLICATION,
    DriverEvent.CMD_IN_REMOVE_PUBLICATION: make_layout(
        f"{_COMMAND} registrationId:q revoke:R", "registrationId clientId correlationId revoke"
    ),
    DriverEvent.CMD_IN_ADD_SUBSCRIPTION: make_layout(
        f"{_COMMAND} registrationCorrelationId:q streamId:i channel:s",
        "streamId registrationCorrelationId clientId correlationId channel",
    ),
    DriverEvent.CMD_IN_REMOVE_SUBSCRIPTION: _REMOVE,
    DriverEvent.CMD_IN_REMOVE_COUNTER: _REMOVE,
    DriverEvent.CMD_OUT_PUBLICATION_READY: _PUBLICATION_READY,
    DriverEvent.CMD_OUT_EXCLUSIVE_PUBLICATION_READY: _PUBLICATION_READY,
    DriverEvent.CMD_OUT_AVAILABLE_IMAGE: make_layout(
        "correlationId:q sessionId:i streamId:i subscriptionRegistrationId:q"
        " subscriberPositionId:i logFileName:p sourceIdentity:s",
        "sessionId streamId subscriberPositionId subscriptionRegistrationId correlationId"
        " sourceIdentity logFileName",
    ),
    DriverEvent.CMD_OUT_ON_OPERATION_SUCCESS: make_layout("correlationId:q"),
    DriverEvent.CMD_IN_KEEPALIVE_CLIENT: _CLIENT,
    DriverEvent.CMD_IN_CLIENT_CLOSE: _CLIENT,
    DriverEvent.CMD_OUT_ON_UNAVAILABLE_IMAGE: make_layout(
        "correlationId:q subscriptionRegistrationId:q streamId:i channel:s",
        "streamId correlationId subscriptionRegistrationId channel",
    ),
    DriverEvent.CMD_IN_ADD_DESTINATION: _DESTINATION,
    DriverEvent.CMD_IN_REMOVE_DESTINATION: _DESTINATION,
    DriverEvent.CMD_IN_ADD_RCV_DESTINATION: _DESTINATION,
    DriverEvent.CMD_IN_REMOVE_RCV_DESTINATION: _DESTINATION,
    DriverEvent.CMD_IN_REMOVE_DESTINATION_BY_ID: make_layout(
        f"{_COMMAND} resourceRegistrationId:q destinationRegistrationId:q",
        "resourceRegistrationId destinationRegistrationId",
    ),
    DriverEvent.CMD_OUT_ERROR: make_layout("offendingCommandCorrelationId:q errorCode:e message:s"),
    DriverEvent.CMD_IN_ADD_COUNTER: make_layout(
        f"{_COMMAND} typeId:i keyBuffer:p labelBuffer:s",
        "typeId keyBufferOffset keyBufferLength labelBufferOffset labelBufferLength clientId"
        " correlationId",
    ),
    DriverEvent.CMD_OUT_SUBSCRIPTION_READY: make_layout("correlationId:q channelStatusCounterId:i"),
    DriverEvent.CMD_OUT_COUNTER_READY: _COUNTER,
    DriverEvent.CMD_OUT_ON_UNAVAILABLE_COUNTER: _COUNTER,
    DriverEvent.CMD_OUT_ON_CLIENT_TIMEOUT: make_layout("clientId:q"),
    DriverEvent.CMD_IN_TERMINATE_DRIVER: make_layout(
        f"{_COMMAND} tokenBufferLength:i", "clientId tokenBufferLength"
    ),
    DriverEvent.CMD_IN_REJECT_IMAGE: make_layout(
        f"{_COMMAND} imageCorrelationId:q position:q reason:s"
    ),
    DriverEvent.REMOVE_PUBLICATION_CLEANUP: make_layout("sessionId:i streamId:i channel:s"),
    DriverEvent.REMOVE_SUBSCRIPTION_CLEANUP: make_layout("streamId:i id:q channel:s"),
    DriverEvent.REMOVE_IMAGE_CLEANUP: make_layout("sessionId:i streamId:i id:q channel:s"),
    DriverEvent.SEND_CHANNEL_CREATION: _TEXT,
    DriverEvent.RECEIVE_CHANNEL_CREATION: _TEXT,
    DriverEvent.SEND_CHANNEL_CLOSE: _TEXT,
    DriverEvent.RECEIVE_CHANNEL_CLOSE: _TEXT,
    DriverEvent.TEXT_DATA: _TEXT,
    DriverEvent.UNTETHERED_SUBSCRIPTION_STATE_CHANGE: make_layout(
        "subscriptionId:q streamId:i sessionId:i states:s",
        "subscriptionId streamId sessionId =states",
    ),
    DriverEvent.NAME_RESOLUTION_NEIGHBOR_ADDED: _ADDRESS,
    DriverEvent.NAME_RESOLUTION_NEIGHBOR_REMOVED: _ADDRESS,
    DriverEvent.FLOW_CONTROL_RECEIVER_ADDED: _RECEIVER,
    DriverEvent.FLOW_CONTROL_RECEIVER_REMOVED: _RECEIVER,
    DriverEvent.NAME_RESOLUTION_RESOLVE: make_layout(
        "isReResolution:b durationNs:q resolver:h name:h address:A",
        "resolver durationNs name isReResolution address",
    ),
    DriverEvent.NAME_RESOLUTION_LOOKUP: make_layout(
        "isReLookup:b durationNs:q resolver:h name:h resolvedName:h",
        "resolver durationNs name isReLookup resolvedName",
    ),
    DriverEvent.NAME_RESOLUTION_HOST_NAME: make_layout("durationNs:q hostName:h"),
    DriverEvent.NAK_SENT: _NAK,
    DriverEvent.NAK_RECEIVED: _NAK,
    DriverEvent.RESEND: make_layout(
        "sessionId:i streamId:i termId:i termOffset:i length:i channel:s"
    ),
    DriverEvent.PUBLICATION_REVOKE: _REVOKE,
    DriverEvent.PUBLICATION_IMAGE_REVOKE: _REVOKE,
    ArchiveEvent.REPLICATION_SESSION_STATE_CHANGE: make_layout(
        "replicationId:q srcRecordingId:q dstRecordingId:q position:q states:s reason:s",
        'replicationId srcRecordingId dstRecordingId position =states "reason',
    ),
    ArchiveEvent.CONTROL_SESSION_STATE_CHANGE: make_layout(
        "controlSessionId:q states:s reason:s", 'controlSessionId =states "reason'
    ),
    ArchiveEvent.REPLAY_SESSION_ERROR: make_layout("sessionId:q recordingId:q errorMessage:s"),
    ArchiveEvent.CATALOG_RESIZE: Layout(
        (
            Field("catalogLength", "catalog_length", "q"),
            Field("newCatalogLength", "new_catalog_length", "q"),
        ),
        (("catalogLength", "{} bytes =>"), ("newCatalogLength", "{} bytes")),
    ),
    ArchiveEvent.REPLICATION_SESSION_DONE: make_layout(
        "controlSessionId:q replicationId:q srcRecordingId:q replayPosition:q srcStopPosition:q"
        " dstRecordingId:q dstStopPosition:q position:q isClosed:b isEndOfStream:b isSynced:b"
    ),
    ArchiveEvent.REPLAY_SESSION_STATE_CHANGE: make_layout(
        "replaySessionId:q recordingId:q position:q states:s reason:s",
        'replaySessionId replayId sessionId recordingId position =states "reason',
    ),
    ArchiveEvent.RECORDING_SESSION_STATE_CHANGE: make_layout(
        "recordingId:q position:q states:s reason:s", 'recordingId position =states "reason'
    ),
    ArchiveEvent.PERSISTENT_SUBSCRIPTION_STATE_CHANGE: make_layout(
        f"{_PERSISTENT} states:s",
        "recordingId replayChannel replayStreamId liveChannel liveStreamId =states",
    ),
    ArchiveEvent.PERSISTENT_SUBSCRIPTION_JOINED_LIVE: make_layout(
        f"{_PERSISTENT} liveSessionId:i joinPosition:q"
    ),
    ArchiveEvent.PERSISTENT_SUBSCRIPTION_LEFT_LIVE: make_layout(f"{_PERSISTENT} livePosition:q"),
    ClusterEvent.ELECTION_STATE_CHANGE: make_layout(
        "candidateTermId:q leadershipTermId:q logPosition:q logLeadershipTermId:q appendPosition:q"
        " catchupPosition:q memberId:i leaderId:i states:s reason:r",
        "memberId =states leaderId candidateTermId leadershipTermId logPosition"
        ' logLeadershipTermId appendPosition catchupPosition "reason',
    ),
    ClusterEvent.NEW_LEADERSHIP_TERM: make_layout(
        "logLeadershipTermId:q nextLeadershipTermId:q nextTermBaseLogPosition:q nextLogPosition:q"
        " leadershipTermId:q termBaseLogPosition:q logPosition:q commitPosition:q"
        " leaderRecordingId:q timestamp:q memberId:i leaderId:i logSessionId:i appVersion:v"
        " isStartup:b",
        "memberId logLeadershipTermId nextLeadershipTermId nextTermBaseLogPosition nextLogPosition"
        " leadershipTermId termBaseLogPosition logPosition commitPosition leaderRecordingId"
        " timestamp leaderId logSessionId appVersion isStartup",
    ),
    ClusterEvent.STATE_CHANGE: _STATE,
    ClusterEvent.ROLE_CHANGE: _STATE,
    ClusterEvent.CLUSTER_BACKUP_STATE_CHANGE: _STATE,
    ClusterEvent.CANVASS_POSITION: make_layout(
        "logLeadershipTermId:q logPosition:q leadershipTermId:q followerMemberId:i"
        " protocolVersion:v memberId:i",
        "memberId logLeadershipTermId logPosition leadershipTermId followerMemberId"
        " protocolVersion",
    ),
    ClusterEvent.REQUEST_VOTE: make_layout(
        "logLeadershipTermId:q logPosition:q candidateTermId:q candidateId:i protocolVersion:v"
        " memberId:i",
        "memberId logLeadershipTermId logPosition candidateTermId candidateId protocolVersion",
    ),
    ClusterEvent.CATCHUP_POSITION: make_layout(
        "leadershipTermId:q logPosition:q followerMemberId:i memberId:i catchupEndpoint:s",
        "memberId leadershipTermId logPosition followerMemberId catchupEndpoint",
    ),
    ClusterEvent.STOP_CATCHUP: make_layout(
        "leadershipTermId:q followerMemberId:i memberId:i",
        "memberId leadershipTermId followerMemberId",
    ),
    ClusterEvent.TRUNCATE_LOG_ENTRY: make_layout(
        "logLeadershipTermId:q leadershipTermId:q candidateTermId:q commitPosition:q logPosition:q"
        " appendPosition:q oldPosition:q newPosition:q memberId:i state:s",
        "memberId state logLeadershipTermId leadershipTermId candidateTermId commitPosition"
        " logPosition appendPosition oldPosition newPosition",
    ),
    ClusterEvent.REPLAY_NEW_LEADERSHIP_TERM: make_layout(
        "leadershipTermId:q logPosition:q timestamp:q termBaseLogPosition:q memberId:i appVersion:i"
        " isInElection:b timeUnit:s",
        "memberId isInElection leadershipTermId logPosition termBaseLogPosition appVersion"
        " timestamp timeUnit",
    ),
    ClusterEvent.APPEND_POSITION: make_layout(
        "leadershipTermId:q logPosition:q followerMemberId:i memberId:i flags:f",
        "memberId leadershipTermId logPosition followerMemberId flags=0b{}",
    ),
    ClusterEvent.COMMIT_POSITION: make_layout(
        "leadershipTermId:q logPosition:q leaderId:i memberId:i",
        "memberId leadershipTermId logPosition leaderId",
    ),
    ClusterEvent.APPEND_SESSION_CLOSE: make_layout(
        "sessionId:q leadershipTermId:q timestamp:q memberId:i closeReason:s timeUnit:s",
        "memberId sessionId closeReason leadershipTermId timestamp timeUnit",
    ),
    ClusterEvent.APPEND_SESSION_OPEN: make_layout(
        "sessionId:q leadershipTermId:q logPosition:q timestamp:q memberId:i timeUnit:s",
        "memberId sessionId leadershipTermId logPosition timestamp timeUnit",
    ),
    ClusterEvent.TERMINATION_POSITION: make_layout(
        "logLeadershipTermId:q logPosition:q memberId:i",
        "memberId logLeadershipTermId logPosition",
    ),
    ClusterEvent.TERMINATION_ACK: make_layout(
        "logLeadershipTermId:q logPosition:q memberId:i senderMemberId:i",
        "memberId logLeadershipTermId logPosition senderMemberId",
    ),
    ClusterEvent.SERVICE_ACK: make_layout(
        "logPosition:q timestamp:q ackId:q relevantId:q memberId:i serviceId:i timeUnit:s",
        "memberId logPosition timestamp timeUnit ackId relevantId serviceId",
    ),
    ClusterEvent.REPLICATION_ENDED: make_layout(
        "srcRecordingId:q dstRecordingId:q position:q memberId:i hasSynced:b purpose:s channel:s",
        "memberId purpose channel srcRecordingId dstRecordingId position hasSynced",
    ),
    ClusterEvent.STANDBY_SNAPSHOT_NOTIFICATION: make_layout(
        "recordingId:q leadershipTermId:q termBaseLeadershipPosition:q logPosition:q timestamp:q"
        " memberId:i serviceId:i timeUnit:s archiveEndpoint:s",
        "memberId recordingId leadershipTermId termBaseLeadershipPosition logPosition timestamp"
        " timeUnit serviceId archiveEndpoint",
        surplus=8,
    ),
    ClusterEvent.NEW_ELECTION: make_layout(
        "leadershipTermId:q logPosition:q appendPosition:q memberId:i reason:r",
        'memberId leadershipTermId logPosition appendPosition "reason',
    ),
    ClusterEvent.CLUSTER_SESSION_STATE_CHANGE: make_layout(
        "sessionId:q memberId:i action:s states:s reason:s",
        'memberId sessionId action =states "reason',
        surplus=4,
    ),
    ClusterEvent.VOTE: make_layout(
        "logLeadershipTermId:q logPosition:q candidateTermId:q candidateId:i voterId:i memberId:i"
        " vote:b",
        "memberId logLeadershipTermId logPosition candidateTermId candidateId voterId vote",
    ),
    ClusterEvent.SNAPSHOT_ENTRY_INVALIDATION: make_layout(
        "memberId:i entryIndex:i recordingId:q logPosition:q serviceId:i"
    ),
}
"""The layouts of events with fields of their own."""
