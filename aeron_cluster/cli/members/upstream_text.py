"""The output of upstream's ClusterTool, for runbooks and scripts that were written for it.

Times are in the local time zone, as in upstream's output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.cli.options.frames import hex_dump
from aeron_cluster.cli.options.member import format_time
from aeron_cluster.cluster.state.recording_log import Entry, EntryType
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.cluster import (
    CloseReason,
    ClusterSession,
    ClusterTimeUnit,
    ConsensusModule,
    PendingMessageTracker,
    SessionMessageHeader,
    SnapshotMark,
    SnapshotMarker,
    Timer,
)
from aeron_cluster.codecs.cluster_mark import SCHEMA, MarkFileHeader
from aeron_cluster.codecs.frame_layout import FRAME_ALIGNMENT, FRAME_HEADER_LENGTH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aeron_cluster.cluster.state.recovery_plan import RecordedLog, RecoveryPlan
    from aeron_cluster.cluster.tools.cluster_directory import Component
    from aeron_cluster.cluster.tools.membership import ClusterMembership, MemberView
    from aeron_cluster.cluster.tools.recovery import ModuleSnapshot
    from aeron_cluster.memory.shared.error_text import ErrorLogEntry

__all__ = [
    "backup_query",
    "component",
    "errors",
    "membership",
    "module_snapshot",
    "recording_log",
    "recovery_plan",
    "type_line",
]

_TIME_UNITS: Final = {
    ClusterTimeUnit.MILLIS: "MILLISECONDS",
    ClusterTimeUnit.MICROS: "MICROSECONDS",
    ClusterTimeUnit.NANOS: "NANOSECONDS",
    ClusterTimeUnit.NULL_VALUE: "MILLISECONDS",
}


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(map(str.capitalize, rest))


def _java_bool(value: bool) -> str:
    return str(value).lower()


# ---- mark files ----


def type_line(component: Component, now_ms: int) -> str:
    """Return the line above each component."""
    header = component.header
    return (
        f"Type: {header.component_type.name} {format_time(now_ms, '%H:%M:%S')}"
        f" (start: {format_time(header.start_timestamp)},"
        f" activity: {format_time(header.activity_timestamp)})"
    )


def component(component: Component) -> str:
    """Return a mark file's header."""
    header = component.header
    values = []
    for name in MarkFileHeader.__slots__:
        value = getattr(header, name)
        text = f"'{value}'" if isinstance(value, str) else getattr(value, "name", value)
        values.append(f"{_camel(name)}={text}")
    return (
        f"[MarkFileHeader](sbeTemplateId={MarkFileHeader.template_id}"
        f"|sbeSchemaId={SCHEMA.schema_id}|sbeSchemaVersion={max(component.schema_version, 0)}"
        f"|sbeBlockLength={component.block_length}):{'|'.join(values)}"
    )


def errors(found: Sequence[ErrorLogEntry]) -> Iterator[str]:
    """Yield the lines of an error log."""
    for error in found:
        yield ""
        yield (
            f"{error.observation_count} observations from {_log_time(error.first_observation_ms)}"
            f" to {_log_time(error.last_observation_ms)} for:"
        )
        yield error.text
    yield ""
    # Upstream prints the letter O instead of 0; scripts expect it.
    yield f"{len(found)} distinct errors observed." if found else "O distinct errors observed"


def _log_time(epoch_ms: int) -> str:
    return format_time(epoch_ms, f"%Y-%m-%d %H:%M:%S.{epoch_ms % 1000:03d}%z")


def backup_query(deadline_ms: int, now_ms: int, *, is_set: bool) -> str:
    """Return when a backup queries next."""
    what = "setting next" if is_set else "next"
    # Upstream prints the date of the deadline in both cases.
    day, time = format_time(deadline_ms, "%Y-%m-%d"), format_time(now_ms, "%H:%M:%S")
    return f"{day} {time} {what}: {format_time(deadline_ms)}"


# ---- recording log ----


def _entry(entry: Entry) -> str:
    endpoint = ""
    if entry.entry_type is EntryType.STANDBY_SNAPSHOT:
        endpoint = f", archiveEndpoint={entry.archive_endpoint}"
    return (
        f"Entry{{recordingId={entry.recording_id}, leadershipTermId={entry.leadership_term_id},"
        f" termBaseLogPosition={entry.term_base_log_position}, logPosition={entry.log_position},"
        f" timestamp={entry.timestamp}, serviceId={entry.service_id},"
        f" type={entry.entry_type.name}, isValid={_java_bool(entry.is_valid)},"
        f" entryIndex={entry.entry_index}{endpoint}}}"
    )


def recording_log(entries: Sequence[Entry]) -> str:
    """Return the entries of a recording log, and the index of each term in them."""
    index = ", ".join(
        f"{entry.leadership_term_id}={place}"
        for place, entry in enumerate(entries)
        if entry.is_valid_term
    )
    return f"RecordingLog{{entries=[{', '.join(map(_entry, entries))}], cacheIndex={{{index}}}}}"


def _snapshot(entry: Entry) -> str:
    return (
        f"Snapshot[recordingId={entry.recording_id}, leadershipTermId={entry.leadership_term_id},"
        f" termBaseLogPosition={entry.term_base_log_position}, logPosition={entry.log_position},"
        f" timestamp={entry.timestamp}, serviceId={entry.service_id}]"
    )


def _log(log: RecordedLog) -> str:
    return (
        f"Log[recordingId={log.recording_id}, leadershipTermId={log.leadership_term_id},"
        f" termBaseLogPosition={log.term_base_log_position}, logPosition={log.log_position},"
        f" startPosition={log.start_position}, stopPosition={log.stop_position},"
        f" initialTermId={log.initial_term_id}, termBufferLength={log.term_buffer_length},"
        f" mtuLength={log.mtu_length}, sessionId={log.session_id}]"
    )


def recovery_plan(plan: RecoveryPlan) -> str:
    """Return the recovery plan of a member."""
    snapshots = ", ".join(map(_snapshot, plan.snapshots))
    return (
        f"RecoveryPlan[lastLeadershipTermId={plan.last_leadership_term_id},"
        f" lastTermBaseLogPosition={plan.last_term_base_log_position},"
        f" appendedLogPosition={plan.appended_log_position},"
        f" committedLogPosition={plan.committed_log_position}, snapshots=[{snapshots}],"
        f" log={_log(plan.log) if plan.log else 'null'}]"
    )


# ---- members ----


def _member(member: MemberView) -> str:
    return (
        f"ClusterMember{{id={member.member_id}, isBallotSent=false,"
        f" isLeader={_java_bool(member.is_leader)}, leadershipTermId={member.leadership_term_id},"
        f" logPosition={member.log_position}, candidateTermId=-1, catchupReplaySessionId=-1,"
        f" correlationId=-1, timeOfLastAppendPositionNs={member.time_of_last_append_ns},"
        f" ingressEndpoint='{member.ingress_endpoint}',"
        f" consensusEndpoint='{member.consensus_endpoint}', logEndpoint='{member.log_endpoint}',"
        f" catchupEndpoint='{member.catchup_endpoint}',"
        f" archiveEndpoint='{member.archive_endpoint}', endpoints='{member.endpoints}',"
        " publication=null, vote=null}"
    )


def membership(found: ClusterMembership) -> str:
    """Return a member's view of its cluster."""
    members = ", ".join(map(_member, found.active_members))
    return (
        f"currentTimeNs={found.current_time_ns}, leaderMemberId={found.leader_member_id},"
        f" memberId={found.member_id}, activeMembers=[{members}]"
    )


# ---- the consensus module's snapshot ----


def module_snapshot(snapshot: ModuleSnapshot, member_id: int) -> Iterator[str]:
    """Yield the lines of a snapshot."""
    for message, position in snapshot.messages:
        yield from _record(message, position, snapshot.term_buffer_length)
    yield (
        f"Consensus Module Snapshot End: memberId={member_id}"
        f" recordingId={snapshot.entry.recording_id} length={snapshot.length}"
    )


def _record(message: bytes, position: int, term_length: int) -> Iterator[str]:
    if codecs.SCHEMA.template_id_of(message) not in codecs.SCHEMA.messages:
        return
    match codecs.decode(message):
        case SnapshotMarker(mark=SnapshotMark.BEGIN) as begin:
            unit = _TIME_UNITS[begin.time_unit]
            yield f"Snapshot: appVersion={begin.app_version} timeUnit={unit}"
        case SnapshotMarker(mark=SnapshotMark.END):
            yield f"End Snapshot, offset={_offset(message, position, term_length)}," + (
                f" length={len(message)}"
            )
            yield hex_dump(message)
        case ConsensusModule() as module:
            yield (
                f"Consensus Module State: nextSessionId={module.next_session_id}"
                f" nextServiceSessionId={module.next_service_session_id}"
                f" logServiceSessionId={module.log_service_session_id}"
                f" pendingMessageCapacity={module.pending_message_capacity}"
            )
            yield hex_dump(message)
        case ClusterSession() as session:
            reason = session.close_reason
            yield (
                f"Cluster Session: clusterSessionId={session.cluster_session_id}"
                f" correlationId={session.correlation_id}"
                f" openedLogPosition={session.opened_log_position}"
                f" timeOfLastActivity={session.time_of_last_activity}"
                f" closeReason={'NULL_VAL' if reason is CloseReason.NULL_VALUE else reason.name}"
                f" responseStreamId={session.response_stream_id}"
                f" responseChannel={session.response_channel}"
            )
        case Timer() as timer:
            yield f"Timer: correlationId={timer.correlation_id} deadline={timer.deadline}"
        case PendingMessageTracker() as tracker:
            yield (
                f"Pending Message Tracker: nextServiceSessionId={tracker.next_service_session_id}"
                f" logServiceSessionId={tracker.log_service_session_id}"
                f" pendingMessageCapacity={tracker.pending_message_capacity}"
                f" serviceId={tracker.service_id}"
            )
        case SessionMessageHeader() as header:
            yield (
                f"Pending Message: length={len(message)}"
                f" clusterSessionId={header.cluster_session_id}"
            )
        case _:
            return


def _offset(message: bytes, position: int, term_length: int) -> int:
    """Return the offset in its term of a message of one frame."""
    frame_length = -(-(FRAME_HEADER_LENGTH + len(message)) // FRAME_ALIGNMENT) * FRAME_ALIGNMENT
    return (position - frame_length) % term_length + FRAME_HEADER_LENGTH
