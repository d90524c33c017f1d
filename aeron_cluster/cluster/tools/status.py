"""The status of a member: its directory, its counters and its view of the cluster."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Final, TypeVar

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.backup.counters import (
    BACKUP_ERRORS_TYPE,
    BACKUP_STATE_TYPE,
    LIVE_LOG_POSITION_TYPE,
    NEXT_QUERY_TYPE,
    SNAPSHOTS_RETRIEVED_TYPE,
    BackupState,
)
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.module_counters import (
    COMMIT_POSITION_TYPE,
    CONTROL_TOGGLE_TYPE,
    ELECTION_COUNT_TYPE,
    ELECTION_STATE_TYPE,
    ERRORS_TYPE,
    LEADER_ACTIVITY_TYPE,
    LEADERSHIP_TERM_ID_TYPE,
    LOG_START_TYPE,
    MODULE_STATE_TYPE,
    NEXT_SNAPSHOT_TYPE,
    NODE_ROLE_TYPE,
    SESSION_TYPE,
    SNAPSHOT_COUNT_TYPE,
    TIMED_OUT_CLIENTS_TYPE,
    heartbeat_timeout_of,
)
from aeron_cluster.cluster.state.recording_log import CONSENSUS_MODULE_SERVICE_ID
from aeron_cluster.cluster.tools.archive_access import find_archive_dir
from aeron_cluster.cluster.tools.membership import MIN_TIMEOUT_NS, query_membership
from aeron_cluster.cluster.tools.node_counters import NodeCounters, has_cluster_id
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.errors import AeronClusterError, CorruptError, MissingFileError
from aeron_cluster.memory.shared.counters_layout import CounterType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.cluster.state.recording_log import Entry
    from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory, Component
    from aeron_cluster.cluster.tools.membership import ClusterMembership
    from aeron_cluster.memory.shared.counter_descriptor import CounterDescriptor
    from aeron_cluster.memory.shared.error_text import ErrorLogEntry
    from aeron_cluster.memory.system.seams import Files

__all__ = [
    "BackupStatus",
    "DiskUse",
    "LiveStatus",
    "NodeStatus",
    "RecordedStatus",
    "ServiceStatus",
    "SessionStatus",
    "SnapshotStatus",
    "read_status",
]

SILENT_S: Final = 2.0
"""A member counts as silent if it has not been active for this many seconds."""

_CONTAINER_ERRORS_TYPE: Final = 215
_MAX_DEPTH: Final = 4  # our directories are not deeper, and links may form a cycle
_RECORDING_ID: Final = struct.Struct("<q")
_SESSION_ID_OF_RECORDING: Final = struct.Struct("<8xi")
_SESSION_ID_OF_SUBSCRIBER: Final = struct.Struct("<8xi")
_CLUSTER_SESSION_ID: Final = struct.Struct("<4xq")
_SERVICE_ID: Final = struct.Struct("<4xi")
_SERVICE_OF_LOG: Final = re.compile(r"alias=log-sc-(\d+)")
_SESSION_LABEL: Final = re.compile(r"cluster-session: (.*) - clusterId=-?\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStatus:
    """A session that a member serves.

    Parameters
    ----------
    cluster_session_id : int
        -1 for a session that is not a client's, such as a backup's.
    about : str
        Its identity, from the mark file and the member's list.
    """

    cluster_session_id: int
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceStatus:
    """A service of a member.

    Parameters
    ----------
    service_id : int
    name : str
    presence : str
        The presence of its container.
    log_position : int
        Its position in the log, in bytes; -1 if it reads none.
    lag : int
        Its lag behind the commit position, in bytes; -1 if one of them is unknown.
    error_count : int
        The number of errors that its container counted.
    """

    service_id: int
    name: str
    presence: str
    log_position: int
    lag: int
    error_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveStatus:
    """The counters of a running member, and its view of the others.

    Parameters
    ----------
    state : ConsensusModuleState
    role : Role
    election_state : ElectionState
        CLOSED if none runs.
    election_count : int
    leadership_term_id : int
    commit_position : int
        The commit position known to this member, in bytes.
    append_position : int
        The recorded position of its own log, in bytes; -1 if it records none.
    lag : int
        The lag of the commit position behind the append position, in bytes; -1 if one of them is
        unknown.
    control_toggle : ControlToggle
        The pending request to the cluster.
    error_count, snapshot_count, timed_out_clients : int
        The count since the member started.
    next_snapshot_ms : int
        The time of the next scheduled snapshot, in ms since 1970; -1 on followers, or if none are
        scheduled.
    log_start_position : int
        The start of its log, in bytes; -1 without scheduled purges, or unknown.
    leader_activity_ms : int
        When a follower received the last message of its leader, in ms since 1970, stored once a
        second; -1 if it does not follow one, or if the member is of Java.
    leader_heartbeat_timeout_ns : int
        The silence of a leader after which this member starts an election; -1 if unknown.
    sessions : tuple of SessionStatus
    membership : ClusterMembership, optional
        None if it was not queried, or did not answer.
    """

    state: ConsensusModuleState
    role: Role
    election_state: ElectionState
    election_count: int
    leadership_term_id: int
    commit_position: int
    append_position: int
    lag: int
    control_toggle: ControlToggle
    error_count: int
    snapshot_count: int
    timed_out_clients: int
    next_snapshot_ms: int
    log_start_position: int
    leader_activity_ms: int
    leader_heartbeat_timeout_ns: int
    sessions: tuple[SessionStatus, ...]
    membership: ClusterMembership | None

    @property
    def is_leader(self) -> bool:
        """Whether the member leads, and its election is over."""
        return self.role is Role.LEADER and self.election_state is ElectionState.CLOSED


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupStatus:
    """The counters of a running backup.

    Parameters
    ----------
    state : BackupState
    live_log_position : int
        The position of its copy of the log, in bytes; -1 if none yet.
    next_query_ms : int
        The time of its next query, in ms since 1970; -1 if unknown.
    error_count, snapshots_retrieved : int
        The count since it started.
    """

    state: BackupState
    live_log_position: int
    next_query_ms: int
    error_count: int
    snapshots_retrieved: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotStatus:
    """A snapshot in the recording log.

    Parameters
    ----------
    log_position : int
        Its log position, in bytes.
    leadership_term_id : int
    timestamp : int
        The timestamp, in the cluster's time unit.
    is_valid : bool
    recording_ids : tuple of int
        The consensus module's, then the services' by their ids.
    """

    log_position: int
    leadership_term_id: int
    timestamp: int
    is_valid: bool
    recording_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedStatus:
    """The content of the recording log.

    Parameters
    ----------
    log_recording_id : int
        -1 for a member without a past.
    term_count : int
    last_term_id, last_term_base_log_position : int
        -1 for a member without a past; the position in bytes.
    snapshots : tuple of SnapshotStatus
        The snapshots, the latest first.
    """

    log_recording_id: int
    term_count: int
    last_term_id: int
    last_term_base_log_position: int
    snapshots: tuple[SnapshotStatus, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskUse:
    """The disk use of a directory, and the free space of its file system.

    Parameters
    ----------
    path : str
    file_count : int
    length : int
        The length of all its files, in bytes; sparse ones, as the driver's logs, use less.
    allocated : int
        The space that they use, on disk or in shared memory, in bytes.
    usable : int
        The usable space of its file system, in bytes.
    """

    path: str
    file_count: int
    length: int
    allocated: int
    usable: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStatus:
    """The status of a member.

    Parameters
    ----------
    directory : str
        The cluster directory.
    read_ms : int
        When its mark file was read, in ms since 1970.
    component : Component
    services : tuple of ServiceStatus
    live : LiveStatus, optional
        None if no member runs.
    backup : BackupStatus, optional
        None if no backup runs.
    recorded : RecordedStatus, optional
        None if it has no recording log yet.
    disk : tuple of DiskUse
    errors : tuple of str and ErrorLogEntry
        The distinct errors of the member, its services and its driver, with their sources; the
        latest first.
    problems : tuple of str
        The parts that could not be read, with the reasons.
    """

    directory: str
    read_ms: int
    component: Component
    services: tuple[ServiceStatus, ...]
    live: LiveStatus | None
    backup: BackupStatus | None
    recorded: RecordedStatus | None
    disk: tuple[DiskUse, ...]
    errors: tuple[tuple[str, ErrorLogEntry], ...]
    problems: tuple[str, ...] = ()

    @property
    def member_id(self) -> int:
        """The member's id, or -1."""
        return self.component.header.member_id

    @property
    def inactive_s(self) -> float:
        """How long the member had been silent; it updates its mark file each second."""
        return _inactive_s(self.component, self.read_ms)

    @property
    def is_silent(self) -> bool:
        """Whether it had been silent for so long that it may have stopped."""
        return self.inactive_s >= SILENT_S

    @property
    def leader_inactive_s(self) -> float:
        """How long a follower had received nothing from its leader; 0 if it cannot know."""
        if self.live is None or self.live.leader_activity_ms < 0 or self.is_silent:
            return 0
        return max(self.read_ms - self.live.leader_activity_ms, 0) / 1000


def _inactive_s(component: Component, read_ms: int) -> float:
    return (read_ms - component.header.activity_timestamp) / 1000


@dataclass(slots=True)
class _Findings:
    """Collects the status, and the problems of reading it."""

    directory: ClusterDirectory
    component: Component
    problems: list[str] = field(default_factory=list)
    errors: list[tuple[str, ErrorLogEntry]] = field(default_factory=list)
    positions: dict[int, int] = field(default_factory=dict)
    error_counts: dict[int, int] = field(default_factory=dict)

    def miss(self, error: AeronClusterError) -> None:
        self.problems.append(str(error))


def read_status(
    directory: ClusterDirectory,
    *,
    query_members: bool = True,
    timeout_ns: int = 0,
    archive_dir: str | None = None,
) -> NodeStatus:
    """Read the status of a member, running or not.

    Parameters
    ----------
    directory : ClusterDirectory
    query_members : bool
        Whether to query a running member's view of the others; one that is silent is not queried.
    timeout_ns : int
        The longest wait for its mark file, and for its answer, which is at least a second.
    archive_dir : str, optional
        The archive's directory; by default that beside the cluster directory.

    Raises
    ------
    MissingFileError
        No member ever used the directory.
    CorruptError, VersionError
        A mark file or the recording log is damaged, or has another version.
    """
    component = directory.component(timeout_ns)
    read_ms = directory.seams.clock.epoch_ms()
    containers = directory.services(component, timeout_ns)
    found = _Findings(directory, component)
    _add_errors(found, containers)
    recorded = _recorded(directory)
    live = backup = None
    counters = _counters(found) if component.is_alive else None
    if counters is None:
        pass
    elif component.header.component_type is ClusterComponentType.BACKUP:
        backup = _backup(found, counters)
    else:
        log_recording_id = recorded.log_recording_id if recorded else NULL_VALUE
        live = _live(found, counters, log_recording_id)
        if live is not None and query_members:
            live = replace(live, membership=_membership(found, read_ms, timeout_ns))
    return NodeStatus(
        directory=directory.path,
        read_ms=read_ms,
        component=component,
        services=tuple(_service(found, container, live) for container in containers),
        live=live,
        backup=backup,
        recorded=recorded,
        disk=_disk(found, archive_dir),
        errors=tuple(sorted(found.errors, key=lambda one: -one[1].last_observation_ms)),
        problems=tuple(found.problems),
    )


def _add_errors(found: _Findings, containers: Sequence[Component]) -> None:
    module = found.component.header.component_type.name.lower().replace("_", " ")
    found.errors += [(module, error) for error in found.component.errors]
    for container in containers:
        whose = f"service {container.header.service_id}"
        found.errors += [(whose, error) for error in container.errors]


# ---- from the counters ----


def _counters(found: _Findings) -> list[CounterDescriptor] | None:
    header = found.component.header
    seams = found.directory.seams
    try:
        with NodeCounters(seams, header.aeron_directory, header.cluster_id) as counters:
            found.errors += [("driver", error) for error in counters.driver_errors]
            return counters.all()
    except AeronClusterError as error:
        found.miss(error)
        return None


def _own(found: _Findings, every: Sequence[CounterDescriptor]) -> list[CounterDescriptor]:
    cluster_id = found.component.header.cluster_id
    return [each for each in every if has_cluster_id(each, cluster_id)]


def _backup(found: _Findings, every: Sequence[CounterDescriptor]) -> BackupStatus | None:
    values = {each.type_id: each.value for each in _own(found, every)}
    if BACKUP_STATE_TYPE not in values:
        found.problems.append(
            f"{found.component.header.aeron_directory}: its driver has no counters of a backup;"
            " it is starting, or ending"
        )
        return None
    try:
        state = _known(BackupState, values[BACKUP_STATE_TYPE])
    except CorruptError as error:
        found.miss(error)
        return None
    return BackupStatus(
        state=state,
        live_log_position=values.get(LIVE_LOG_POSITION_TYPE, NULL_VALUE),
        next_query_ms=values.get(NEXT_QUERY_TYPE, NULL_VALUE),
        error_count=values.get(BACKUP_ERRORS_TYPE, 0),
        snapshots_retrieved=values.get(SNAPSHOTS_RETRIEVED_TYPE, 0),
    )


def _is_of_leader(counter: CounterDescriptor) -> bool:
    return counter.type_id == LEADER_ACTIVITY_TYPE


def _live(
    found: _Findings, every: Sequence[CounterDescriptor], log_recording_id: int
) -> LiveStatus | None:
    header = found.component.header
    own = _own(found, every)
    values = {each.type_id: each.value for each in own}
    if MODULE_STATE_TYPE not in values or LEADERSHIP_TERM_ID_TYPE not in values:
        found.problems.append(
            f"{header.aeron_directory}: its driver has no counters of a consensus module with"
            f" clusterId={header.cluster_id}; the member is starting, or ending"
        )
        return None
    _add_services(found, own)
    append_position = _append_position(found, every, log_recording_id)
    commit_position = values.get(COMMIT_POSITION_TYPE, NULL_VALUE)
    try:
        return LiveStatus(
            state=_known(ConsensusModuleState, values[MODULE_STATE_TYPE]),
            role=_known(Role, values.get(NODE_ROLE_TYPE, Role.FOLLOWER)),
            election_state=_known(
                ElectionState, values.get(ELECTION_STATE_TYPE, ElectionState.INIT)
            ),
            election_count=values.get(ELECTION_COUNT_TYPE, 0),
            leadership_term_id=values[LEADERSHIP_TERM_ID_TYPE],
            commit_position=commit_position,
            append_position=append_position,
            lag=_distance(append_position, commit_position),
            control_toggle=_known(
                ControlToggle, values.get(CONTROL_TOGGLE_TYPE, ControlToggle.INACTIVE)
            ),
            error_count=values.get(ERRORS_TYPE, 0),
            snapshot_count=values.get(SNAPSHOT_COUNT_TYPE, 0),
            timed_out_clients=values.get(TIMED_OUT_CLIENTS_TYPE, 0),
            next_snapshot_ms=values.get(NEXT_SNAPSHOT_TYPE, NULL_VALUE),
            log_start_position=values.get(LOG_START_TYPE, NULL_VALUE),
            leader_activity_ms=values.get(LEADER_ACTIVITY_TYPE, NULL_VALUE),
            leader_heartbeat_timeout_ns=next(
                (heartbeat_timeout_of(each.key) for each in own if _is_of_leader(each)), NULL_VALUE
            ),
            sessions=_sessions(own),
            membership=None,
        )
    except CorruptError as error:
        found.miss(error)
        return None


_Kind = TypeVar("_Kind", bound=IntEnum)


def _known(kind: type[_Kind], value: int) -> _Kind:
    """Return a counter's value; a newer version may have values unknown here."""
    try:
        return kind(value)
    except ValueError:
        known = f"one of {', '.join(str(each.value) for each in kind)}"
        raise CorruptError("counters", 0, kind.__name__, known, value) from None


def _distance(ahead: int, behind: int) -> int:
    return max(ahead - behind, 0) if ahead >= 0 and behind >= 0 else NULL_VALUE


def _sessions(own: Sequence[CounterDescriptor]) -> tuple[SessionStatus, ...]:
    found = []
    for counter in own:
        if counter.type_id != SESSION_TYPE:
            continue
        (session_id,) = _CLUSTER_SESSION_ID.unpack_from(counter.key)
        label = _SESSION_LABEL.fullmatch(counter.label)
        about = label[1] if label else counter.label
        found.append(SessionStatus(cluster_session_id=session_id, about=about))
    return tuple(sorted(found, key=lambda session: session.cluster_session_id))


def _add_services(found: _Findings, own: Sequence[CounterDescriptor]) -> None:
    for counter in own:
        if counter.type_id == _CONTAINER_ERRORS_TYPE:
            (service_id,) = _SERVICE_ID.unpack_from(counter.key)
            found.error_counts[service_id] = counter.value


def _append_position(
    found: _Findings, every: Sequence[CounterDescriptor], log_recording_id: int
) -> int:
    """Return the recorded position of the log; also collect the services' positions."""
    session_id = None
    position = NULL_VALUE
    for counter in every:
        if counter.type_id == CounterType.COUNTER_TYPE_ARCHIVE_RECORDING_POSITION:
            (recording_id,) = _RECORDING_ID.unpack_from(counter.key)
            if recording_id == log_recording_id:
                (session_id,) = _SESSION_ID_OF_RECORDING.unpack_from(counter.key)
                position = counter.value
    for counter in every:
        if counter.type_id == CounterType.COUNTER_TYPE_SUBSCRIBER_POSITION:
            service = _SERVICE_OF_LOG.search(counter.label)
            (log_session_id,) = _SESSION_ID_OF_SUBSCRIBER.unpack_from(counter.key)
            if service and log_session_id == session_id:
                found.positions[int(service[1])] = counter.value
    return position


def _membership(found: _Findings, read_ms: int, timeout_ns: int) -> ClusterMembership | None:
    seams, component = found.directory.seams, found.component
    if (silent_s := _inactive_s(component, read_ms)) >= SILENT_S:
        found.problems.append(
            f"member {component.header.member_id} has been silent for {silent_s:.1f} s: it was not"
            " queried for its view of the members"
        )
        return None
    # A member that stopped just now, with its driver, must not delay the others' status.
    limit_ns = max(timeout_ns, MIN_TIMEOUT_NS)
    try:
        return query_membership(seams, component, limit_ns=limit_ns)
    except AeronClusterError as error:
        found.miss(error)
        return None


def _service(found: _Findings, container: Component, live: LiveStatus | None) -> ServiceStatus:
    service_id = container.header.service_id
    position = found.positions.get(service_id, NULL_VALUE)
    return ServiceStatus(
        service_id=service_id,
        name=container.header.service_name,
        presence=container.presence.name,
        log_position=position,
        lag=_distance(live.commit_position, position) if live else NULL_VALUE,
        error_count=found.error_counts.get(service_id, 0),
    )


# ---- from the files ----


def _recorded(directory: ClusterDirectory) -> RecordedStatus | None:
    try:
        with directory.open_recording_log() as log:
            entries = log.entries
            term = log.find_last_term()
    except MissingFileError:
        return None
    return RecordedStatus(
        log_recording_id=term.recording_id if term else NULL_VALUE,
        term_count=sum(entry.is_valid_term for entry in entries),
        last_term_id=term.leadership_term_id if term else NULL_VALUE,
        last_term_base_log_position=term.term_base_log_position if term else NULL_VALUE,
        snapshots=_snapshots(entries),
    )


def _snapshots(entries: Sequence[Entry]) -> tuple[SnapshotStatus, ...]:
    """Group the entries by snapshot, those of the services before the module's."""
    found: list[SnapshotStatus] = []
    services: list[Entry] = []
    for entry in entries:
        if entry.entry_type.name != "SNAPSHOT":
            services.clear()
        elif entry.service_id != CONSENSUS_MODULE_SERVICE_ID:
            services.append(entry)
        else:
            whole = [each for each in services if each.log_position == entry.log_position]
            ids = [each.recording_id for each in reversed(whole)]
            found.append(
                SnapshotStatus(
                    log_position=entry.log_position,
                    leadership_term_id=entry.leadership_term_id,
                    timestamp=entry.timestamp,
                    is_valid=entry.is_valid and all(each.is_valid for each in whole),
                    recording_ids=(entry.recording_id, *ids),
                )
            )
            services.clear()
    return tuple(reversed(found))


def _disk(found: _Findings, archive_dir: str | None) -> tuple[DiskUse, ...]:
    directory = found.directory
    paths = [directory.path, archive_dir or find_archive_dir(directory)]
    if found.component.is_alive:
        paths.append(found.component.header.aeron_directory)
    uses = []
    for path in paths:
        if path is None:
            found.problems.append(
                "the archive's directory is not known: give it with --archive-dir to see its disk"
                " use"
            )
            continue
        try:
            uses.append(_disk_use(directory.seams.files, path))
        except AeronClusterError as error:
            found.miss(error)
    return tuple(uses)


def _disk_use(files: Files, path: str) -> DiskUse:
    count = length = allocated = 0
    pending = [(path, 0)]
    while pending:
        where, depth = pending.pop()
        for name in files.list(where):
            each = f"{where}/{name}"
            if files.is_file(each):
                count += 1
                length += _length(files, each)
                allocated += files.allocated_space(each)
            elif files.is_directory(each) and depth < _MAX_DEPTH:
                pending.append((each, depth + 1))
    usable = files.usable_space(path)
    return DiskUse(path=path, file_count=count, length=length, allocated=allocated, usable=usable)


def _length(files: Files, path: str) -> int:
    try:
        with files.open(path) as file:
            return file.length
    except FileNotFoundError:
        return 0  # removed meanwhile, like a segment or log
