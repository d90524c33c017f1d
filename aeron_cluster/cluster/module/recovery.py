"""Recover the state of a member from its directory and archive.

Upstream: the recovery plan, the snapshot, and the services' first acknowledgement in
ConsensusModuleAgent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.waiting import begin_replay, list_recordings_for_uri
from aeron_cluster.client.waiting import await_subscription
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.state.module_counters import add_recovery_counter
from aeron_cluster.cluster.state.module_snapshot import ModuleState, load_module_snapshot, read_rest
from aeron_cluster.cluster.state.recovery_plan import plan_recovery
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import (
    ArchiveError,
    CorruptError,
    DamagedRecordingError,
    LogMismatchError,
    OtherServicesError,
    PurgedLogError,
    ServiceError,
    SnapshotError,
    StateError,
)
from aeron_cluster.memory.agents.waiting import Waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.archive.client.archive_client import AeronArchive
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.log.log_recording import LogRecording
    from aeron_cluster.cluster.log.service_link import ServiceLink
    from aeron_cluster.cluster.state.recording_log import Entry, RecordingLog
    from aeron_cluster.cluster.state.recovery_plan import RecoveryPlan
    from aeron_cluster.codecs.archive import RecordingDescriptor

__all__ = ["Recovered", "recover"]

_UNCHANGED = "start it with its archive and cluster directories as they were"
_UNCHANGED_OR_BLANK = (
    f"{_UNCHANGED}, or without either: then it copies all from the others; where these have"
    " purged some of it, start it from a backup (aeron-cluster restore)"
)
_AS_MANY_SERVICES = "start it with as many services as took its snapshot"
_MAX_RECORDINGS = 1000

_Loaded: TypeAlias = tuple[ModuleState, tuple[bytes, ...] | None]
# An open end: all of the recording.
_WHOLE_RECORDING = -1
_WITHOUT_SNAPSHOT = (
    "aeron-cluster invalidate-latest-snapshot makes it start from the previous snapshot and the"
    " log; see docs/operating.md, Damage"
)


@dataclass(frozen=True, kw_only=True)
class Recovered:
    """The state of a member before its first election.

    Parameters
    ----------
    log_leadership_term_id, term_base_log_position : int
        The last term of its log, and the term's base position.
    log_position : int
        The log position of module and services: the snapshot's.
    append_position : int
        The end of the log's recording, in bytes.
    snapshot : ModuleState, optional
    service_client_ids : dict of int to int
        The Aeron clients of its services; the member ends with them.
    extension_snapshot : tuple of bytes, or None
        The messages of an extension in the snapshot.
    """

    log_leadership_term_id: int
    term_base_log_position: int
    log_position: int
    append_position: int
    snapshot: ModuleState | None
    service_client_ids: dict[int, int]
    extension_snapshot: tuple[bytes, ...] | None


def recover(
    context: ConsensusModuleContext,
    aeron: Aeron,
    archive: AeronArchive,
    recording_log: RecordingLog,
    recording: LogRecording,
    services: ServiceLink,
    begin_control: Callable[[], None],
) -> Waiting[Recovered]:
    """Load the latest snapshot, and wait until the services loaded theirs.

    Parameters
    ----------
    context : ConsensusModuleContext
    aeron : Aeron
    archive : AeronArchive
    recording_log : RecordingLog
    recording : LogRecording
    services : ServiceLink
    begin_control : callable
        Called before the services are notified of the recovery: from then on the module reads what
        they send.

    Raises
    ------
    ServiceError
        A service could not start.
    SnapshotError
        The module's snapshot cannot be loaded.
    LogMismatchError
        The log's recording contradicts the recording log.
    """
    descriptor = yield from _end_of_log(context, archive, recording_log, recording)
    plan = _plan(context, recording_log, descriptor)
    services.skip_earlier_messages()
    begin_control()
    recovery_counter = yield from add_recovery_counter(context.options.cluster_id, aeron, plan)
    try:
        snapshot = extension_snapshot = None
        if plan.snapshot is not None:
            snapshot, extension_snapshot = yield from _load(context, aeron, archive, plan.snapshot)
            _check_services(context, snapshot)
        acks = yield from services.await_acks(plan.snapshot_position)
    finally:
        recovery_counter.close()
    failed = [ack.service_id for ack in acks if ack.relevant_id == NULL_VALUE]
    if failed:
        raise ServiceError(
            f"failed to start clustered service(s) {failed}",
            member_id=context.options.member_id,
            leadership_term_id=plan.last_leadership_term_id,
            log_position=plan.snapshot_position,
            remedy=f"their error logs have the cause; {_WITHOUT_SNAPSHOT}"
            if plan.snapshot
            else "their error logs have the cause",
        )
    return Recovered(
        log_leadership_term_id=plan.last_leadership_term_id,
        term_base_log_position=plan.last_term_base_log_position,
        log_position=plan.snapshot_position,
        append_position=plan.appended_log_position,
        snapshot=snapshot,
        service_client_ids={ack.relevant_id: ack.service_id for ack in acks},
        extension_snapshot=extension_snapshot,
    )


def _end_of_log(
    context: ConsensusModuleContext,
    archive: AeronArchive,
    recording_log: RecordingLog,
    recording: LogRecording,
) -> Waiting[RecordingDescriptor | None]:
    """Return the extent of the log in the archive; None if there is no log yet."""
    options = context.options
    yield from recording.stop_earlier()
    if recording.recording_id != NULL_VALUE:
        try:
            # A killed process left the recording active: only stopping it gives its end.
            return (yield from recording.stop())
        except ArchiveError as error:
            if error.code != ArchiveErrorCode.UNKNOWN_RECORDING:
                raise
            term = recording_log.find_last_term()
            raise LogMismatchError(
                f"{recording_log.path}: expected a recording of the log that the archive has, found"
                f" {recording.recording_id}, which it does not know",
                member_id=options.member_id,
                leadership_term_id=term.leadership_term_id if term else NULL_VALUE,
                log_position=NULL_VALUE,
                remedy=_UNCHANGED_OR_BLANK if len(context.members) > 1 else _UNCHANGED,
                is_damage=True,
            ) from error
    if len(context.members) > 1:
        return None  # the other members have it
    if _is_seeded(recording_log):
        return None  # the log in the archive was given up
    # No other member has it: a blank start would silently lose acknowledged data.
    logs = yield from list_recordings_for_uri(
        archive, "alias=log", options.log_stream_id, _MAX_RECORDINGS
    )
    for log in logs:
        length = log.stop_position - log.start_position
        if length > 0:
            raise LogMismatchError(
                f"{recording_log.path}: expected the terms of recording {log.recording_id} of"
                f" {length} bytes of log, found none",
                member_id=options.member_id,
                leadership_term_id=NULL_VALUE,
                log_position=log.stop_position,
                remedy="put the recording log back, or start blank without the archive's directory",
                is_damage=True,
            )
    return None


def _is_seeded(recording_log: RecordingLog) -> bool:
    """Return whether a snapshot was moved to the beginning of a new log; none is taken there."""
    return any(each.is_valid_snapshot and each.log_position == 0 for each in recording_log.entries)


def _plan(
    context: ConsensusModuleContext,
    recording_log: RecordingLog,
    descriptor: RecordingDescriptor | None,
) -> RecoveryPlan:
    term = recording_log.find_last_term()
    try:
        plan = plan_recovery(recording_log, context.options.service_count).with_log(descriptor)
        plan.check_replay()
    except StateError as error:
        raise LogMismatchError(
            str(error),
            member_id=context.options.member_id,
            leadership_term_id=term.leadership_term_id if term else NULL_VALUE,
            log_position=descriptor.stop_position if descriptor else NULL_VALUE,
            remedy=_AS_MANY_SERVICES
            if isinstance(error, OtherServicesError)
            else _UNCHANGED_OR_BLANK
            if len(context.members) > 1
            else _UNCHANGED,
            is_damage=not isinstance(error, OtherServicesError | PurgedLogError),
        ) from error
    return plan


def _load(
    context: ConsensusModuleContext, aeron: Aeron, archive: AeronArchive, snapshot: Entry
) -> Waiting[_Loaded]:
    try:
        return (yield from _replay(context, aeron, archive, snapshot.recording_id))
    except (CorruptError, ArchiveError) as error:
        if isinstance(error, ArchiveError) and error.code != ArchiveErrorCode.UNKNOWN_RECORDING:
            raise
        is_named = isinstance(error, DamagedRecordingError)
        raise SnapshotError(
            str(error) if is_named else f"recording {snapshot.recording_id}: {error}",
            member_id=context.options.member_id,
            leadership_term_id=snapshot.leadership_term_id,
            log_position=snapshot.log_position,
            remedy=_WITHOUT_SNAPSHOT,
        ) from error


def _check_services(context: ConsensusModuleContext, snapshot: ModuleState) -> None:
    """Check that the snapshot has no more services: their messages would be lost without a note."""
    count = int(context.options.service_count)
    found = max((each.service_id + 1 for each in snapshot.trackers), default=0)
    # Each snapshot has the numbers of a service 0, even without services.
    if found > max(count, 1):
        raise LogMismatchError(
            f"snapshot at {snapshot.log_position}: expected {count} services, found {found}",
            member_id=context.options.member_id,
            leadership_term_id=snapshot.leadership_term_id,
            log_position=snapshot.log_position,
            remedy=_AS_MANY_SERVICES,
        )


def _replay(
    context: ConsensusModuleContext, aeron: Aeron, archive: AeronArchive, recording_id: int
) -> Waiting[_Loaded]:
    options = context.options
    replay = yield from begin_replay(
        archive,
        recording_id=recording_id,
        position=0,
        length=_WHOLE_RECORDING,
        replay_stream_id=options.replay_stream_id,
        file_io_max_length=NULL_VALUE,
        replay_token=NULL_VALUE,
        replay_channel=options.replay_channel,
    )
    channel = ChannelUri.parse(options.replay_channel).with_params(session_id=replay.session_id)
    subscription = yield from await_subscription(aeron, channel, options.replay_stream_id)
    try:
        image = yield from replay.await_image(subscription)
        try:
            state = yield from load_module_snapshot(
                image,
                context.app_version,
                context.time_unit,
                validator=context.app_version_validator,
            )
        except CorruptError:
            yield from replay.check(image)
            raise
        if context.extension is None:
            return state, None
        rest = yield from read_rest(image)
        yield from replay.check(image)
        return state, rest
    finally:
        replay.close()
        subscription.close()
