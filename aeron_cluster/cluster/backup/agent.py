"""The steps of a cluster backup.

Upstream: ClusterBackupAgent. It queries a member, copies the snapshots that it lacks, records the
member's log as it is committed, adds both to its own recording log, and queries again at intervals.
A failure ends the round: its resources are released, and after a delay another member is queried.

::

    BACKUP_QUERY -> [SNAPSHOT_RETRIEVE ->] LIVE_LOG_RECORD -> LIVE_LOG_REPLAY
         ^                                                          |
         +---- BACKING_UP <- UPDATE_RECORDING_LOG <-----------------+

    any -> RESET_BACKUP -> BACKUP_QUERY

A later round keeps the live recording, and passes its first state immediately. Terms and snapshots
are noted once the recorded log covers them, except by the first round.
"""

from __future__ import annotations

import struct
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from aeron_cluster.archive.client.replication_params import ReplicationParams
from aeron_cluster.archive.protocol.error_codes import is_out_of_space
from aeron_cluster.archive.protocol.recording_pos import find_counter_by_session, is_active
from aeron_cluster.archive.waiting import connect_archive, list_recording, send_request
from aeron_cluster.client.waiting import (
    await_counter,
    await_exclusive_publication,
    await_subscription,
)
from aeron_cluster.cluster.backup.answers import BackupAnswers
from aeron_cluster.cluster.backup.counters import (
    BACKUP_ERRORS_TYPE,
    BACKUP_STATE_TYPE,
    LIVE_LOG_POSITION_TYPE,
    NEXT_QUERY_TYPE,
    SNAPSHOTS_RETRIEVED_TYPE,
    BackupState,
)
from aeron_cluster.cluster.backup.source import (
    first_replay_position,
    is_acceptable,
    missing_snapshots,
    new_terms,
)
from aeron_cluster.cluster.log.recording_replication import RecordingReplication
from aeron_cluster.cluster.members.members import NULL_VALUE, find_member, parse_members
from aeron_cluster.cluster.members.optional_fields import LATEST
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.archive import (
    BoundedReplayRequest,
    ExtendRecordingRequest2,
    SourceLocation,
    StartRecordingRequest2,
    StopRecordingByIdentityRequest,
    StopRecordingSubscriptionRequest,
    StopReplayRequest,
)
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.cluster import EventCode
from aeron_cluster.codecs.session_protocol import PROTOCOL_VERSION
from aeron_cluster.errors import (
    AeronClusterError,
    AgentTerminationError,
    ClusterError,
    MessageError,
    TimeoutExpiredError,
    UnknownMessageError,
)
from aeron_cluster.events.codes import ClusterEvent
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.memory.agents.user_callback import call_termination_hook
from aeron_cluster.memory.agents.waiting import Task, Waiting, until
from aeron_cluster.memory.system.closeable import close_reporting
from aeron_cluster.memory.system.version import VERSION_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.archive.client.archive_client import AeronArchive
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.counter import Counter
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.cluster.backup.context import BackupContext
    from aeron_cluster.cluster.state.recording_log import RecordingLog
    from aeron_cluster.codecs.archive import RecordingSignalEvent
    from aeron_cluster.codecs.cluster import BackupResponse
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["BackupAgent"]

_T = TypeVar("_T")
_FRAGMENT_LIMIT: Final = 10
_NULL_TIMESTAMP: Final = -1
_NS_PER_MS: Final = 1_000_000


class _Closeable(Protocol):
    def close(self) -> object: ...


class _Live:
    """The live recording of the log."""

    def __init__(
        self, source: AeronArchive, member_id: int, subscription_id: int, replay_id: int
    ) -> None:
        self.source = source
        self.member_id = member_id
        self.subscription_id = subscription_id
        self.replay_id = replay_id
        self.counter_id = NULL_VALUE
        self.recording_id = NULL_VALUE


class BackupAgent:
    """The agent of a backup.

    Parameters
    ----------
    context : BackupContext
    aeron : Aeron
        The backup's own client, driven on the same thread.
    recording_log : RecordingLog
    stamp : callable
        ``stamp(now_ns)`` updates the activity timestamp.
    on_ready : callable
        Called once the backup has started.

    Attributes
    ----------
    state : BackupState
    live_log_position : int
        The recorded position of the log, in bytes; -1 if unknown.
    """

    role_name = "cluster-backup"

    def __init__(
        self,
        context: BackupContext,
        aeron: Aeron,
        recording_log: RecordingLog,
        stamp: Callable[[int], object],
        on_ready: Callable[[], object],
    ) -> None:
        self.state = BackupState.BACKUP_QUERY
        self.live_log_position = NULL_VALUE
        self.errors: Counter | None = None
        self._context = context
        self._aeron = aeron
        self._recording_log = recording_log
        self._stamp = stamp
        self._on_ready = on_ready
        self._clock = context.seams.clock
        self._endpoints = context.consensus_endpoints
        random = context.seams.random
        for index in range(len(self._endpoints) - 1, 0, -1):
            other = random.below(index + 1)
            each = self._endpoints
            each[index], each[other] = each[other], each[index]
        self._excluded: str | None = None
        self._query_publication: ExclusivePublication | None = None
        self._answers: list[BackupResponse | Exception] = []
        self._correlation_id = NULL_VALUE
        self._archive: AeronArchive | None = None
        self._source: AeronArchive | None = None
        self._source_error: Exception | None = None
        self._replication: RecordingReplication | None = None
        # The copies of rounds that failed before they were recorded, by term, position, service.
        self._unrecorded: dict[tuple[int, int, int], int] = {}
        self._live: _Live | None = None
        self._subscription: Subscription | None = None
        self._response_channel = ""
        self._assembler = FragmentAssembler(self._on_message)
        self._questions = BackupAnswers(aeron, recording_log, context.error_handler)
        self._task = Task(self._run())

    # ---- the passes ----

    def do_work(self) -> int:
        """Advance as far as possible; return the work count."""
        try:
            return self._do_work()
        except AgentTerminationError:
            call_termination_hook(self._context.termination_hook, self._context.error_handler)
            raise

    def _do_work(self) -> int:
        now_ns = self._clock.nano_time()
        if self._aeron.is_closed:
            failure = self._aeron.failure or "not by the backup"
            raise AgentTerminationError(f"unexpected Aeron close: {failure}")
        self._stamp(now_ns)
        work_count = 0
        state = self.state
        if self._archive is not None:
            work_count += self._archive.poll()
            if not self._archive.is_connected:
                raise AgentTerminationError("local archive not connected: it closed the session")
        if self._source is not None:
            work_count += self._source.poll()
        if self._subscription is not None:
            work_count += self._subscription.poll(self._assembler, _FRAGMENT_LIMIT)
        work_count += self._questions.do_work(now_ns)
        self._task.do_work()
        return work_count + (self.state is not state)

    def _enter(self, state: BackupState) -> None:
        if state is not self.state:
            self._context.events.record(
                ClusterEvent.CLUSTER_BACKUP_STATE_CHANGE,
                member_id=NULL_VALUE,
                states=(self.state, state),
                reason="",
            )
        self.state = state
        self._state_counter.set(state)

    def _notify(self, event: str, *values: object) -> None:
        """Call the listener; what it raises does not affect the backup."""
        listener = self._context.events_listener
        if listener is None:
            return
        try:
            getattr(listener, event)(*values)
        except Exception as error:  # noqa: BLE001 - the user's
            self._context.error_handler(error)

    def _run(self) -> Waiting[None]:
        try:
            yield from self._start()
        except AgentTerminationError:
            raise
        except Exception as error:
            # As upstream, whose launch or onStart fails.
            self._context.error_handler(error)
            raise AgentTerminationError(f"backup: cannot start: {error}") from error
        while True:
            try:
                while True:
                    yield from self._run_round()
            except AgentTerminationError:
                raise
            except Exception as error:
                # Any error, including one of the user's credentials: the next round starts over.
                if is_out_of_space(error):
                    raise AgentTerminationError(f"backup: {error}") from error
                self._context.error_handler(error)
                self._notify("on_possible_failure", error)
            self._enter(BackupState.RESET_BACKUP)
            yield from self._reset()
            pause_ns = self._context.options.backup_cool_down_interval_ns
            until_ns = self._clock.nano_time() + pause_ns
            while self._clock.nano_time() < until_ns:
                yield

    def _start(self) -> Waiting[None]:
        context, options = self._context, self._context.options
        key = struct.pack("<i", options.cluster_id)

        def add(type_id: int, name: str, end: str = "") -> Waiting[Counter]:
            label = f"{name} - clusterId={options.cluster_id}{end}"
            return await_counter(self._aeron, type_id, label, key)

        self._state_counter = yield from add(BACKUP_STATE_TYPE, "ClusterBackup State")
        self._position_counter = yield from add(
            LIVE_LOG_POSITION_TYPE, "ClusterBackup live log position"
        )
        self._next_query = yield from add(
            NEXT_QUERY_TYPE, "ClusterBackup next query deadline in ms"
        )
        self.errors = yield from add(BACKUP_ERRORS_TYPE, "ClusterBackup Errors", f" {VERSION_TEXT}")
        self._retrieved = yield from add(
            SNAPSHOTS_RETRIEVED_TYPE, "ClusterBackup snapshots retrieved"
        )
        self._next_query.set(context.epoch_ms() - 1)
        endpoint = context.consensus_endpoint
        channel = ChannelUri.parse(options.consensus_channel).with_params(endpoint=endpoint)
        self._subscription = subscription = yield from await_subscription(
            self._aeron, channel, options.consensus_stream_id
        )
        if endpoint.endswith(":0"):
            bound = yield from until(lambda: subscription.resolved_endpoint)
            channel = channel.with_params(endpoint=f"{endpoint[:-2]}:{bound.rpartition(':')[2]}")
        self._response_channel = str(channel)
        self._archive = yield from connect_archive(
            context.archive_context(self._on_signal), self._aeron
        )
        self._on_ready()

    def _within(self, what: str, steps: Waiting[_T]) -> Waiting[_T]:
        """Run steps within the progress timeout."""
        deadline_ns = self._clock.nano_time() + self._context.options.backup_progress_timeout_ns
        while True:
            if self._source_error is not None:
                error, self._source_error = self._source_error, None
                raise ClusterError(f"cluster archive error: {error}") from error
            try:
                next(steps)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            if self._clock.nano_time() > deadline_ns:
                steps.close()
                raise TimeoutExpiredError(f"progress has stalled: backup: {what}")
            yield

    # ---- a round ----

    def _run_round(self) -> Waiting[None]:
        self._enter(BackupState.BACKUP_QUERY)
        self._notify("on_backup_query")
        response = yield from self._query()
        members = parse_members(response.cluster_members)
        supplier = find_member(members, response.member_id)
        if self._live is not None and self._live.member_id != supplier.member_id:
            raise ClusterError(
                f"backup: expected an answer of member {self._live.member_id}, which supplies the"
                f" log, found one of member {supplier.member_id}"
            )
        if self._source is None:
            self._source = yield from self._within(
                f"connecting to the archive at {supplier.archive_endpoint}",
                connect_archive(
                    self._context.cluster_archive_context(
                        supplier.archive_endpoint,
                        self._on_source_error,
                        supplier.archive_response_endpoint,
                    ),
                    self._aeron,
                ),
            )
        wanted = missing_snapshots(self._recording_log.entries, response.snapshots)
        self._notify("on_backup_response", members, supplier, wanted)
        copies: list[tuple[BackupResponse.Snapshots, int]] = []
        if wanted:
            self._enter(BackupState.SNAPSHOT_RETRIEVE)
            for snapshot in wanted:
                copy_id = yield from self._copy_once(snapshot)
                copies.append((snapshot, copy_id))
        self._enter(BackupState.LIVE_LOG_RECORD)
        if self._live is None:
            yield from self._within("recording the log", self._record(response, wanted))
        else:
            self._enter(BackupState.LIVE_LOG_REPLAY)
        if self._recording_log.find_last_term() is not None:
            yield from self._await_log(response, wanted)
        self._enter(BackupState.UPDATE_RECORDING_LOG)
        self._update_recording_log(response, copies)
        self._unrecorded.clear()
        self._notify(
            "on_updated_recording_log", self._recording_log, [snapshot for snapshot, _ in copies]
        )
        next_ms = self._context.epoch_ms()
        next_ms += self._context.options.backup_interval_ns // _NS_PER_MS
        self._next_query.set(next_ms)
        self._enter(BackupState.BACKING_UP)
        # Tools set the counter to query sooner.
        while self._context.epoch_ms() <= self._next_query.get():
            self._watch()
            yield

    def _await_log(
        self, response: BackupResponse, snapshots: list[BackupResponse.Snapshots]
    ) -> Waiting[None]:
        """Wait until the recorded log covers what is to be noted in the recording log.

        A node that starts from this backup then is refused if the log ends before that. Until then
        it starts from what was noted before; a first round has to note where the log is.
        """
        positions = [snapshot.log_position for snapshot in snapshots]
        position = max([response.last_term_base_log_position, *positions])
        while self.live_log_position < position:
            self._watch()
            yield

    def _watch(self) -> None:
        """Publish the recorded position."""
        assert self._live is not None
        live, counters = self._live, self._aeron.counters_reader
        position = counters.value(live.counter_id)
        if not is_active(counters, live.counter_id, live.recording_id):
            raise ClusterError(
                f"log recording counter unexpectedly unavailable: recording {live.recording_id}"
            )
        if self._source_error is not None:
            error, self._source_error = self._source_error, None
            raise ClusterError(f"cluster archive error: {error}") from error
        if position > self.live_log_position:
            self._notify("on_live_log_progress", live.recording_id, live.counter_id, position)
        self.live_log_position = position
        self._position_counter.propose_max(position)

    # ---- the query ----

    def _query(self) -> Waiting[BackupResponse]:
        while True:
            if self._query_publication is None:
                yield from self._within("reaching a member", self._connect_next())
            response = yield from self._query_member()
            if response is None:
                self._disconnect()
                continue
            options = self._context.options
            if response.member_id is None or response.member_id < 0:
                raise ClusterError(
                    "onBackupResponse(): memberId is null, retrying for compatible node"
                )
            if not is_acceptable(
                options.backup_source_type, response.leader_member_id, response.member_id
            ):
                self._disconnect(is_excluded=True)
                raise ClusterError(
                    f"backup: expected a member of source type {options.backup_source_type},"
                    f" found member {response.member_id} with leader {response.leader_member_id}"
                )
            self._questions.set_members(response.cluster_members)
            return response

    def _connect_next(self) -> Waiting[None]:
        endpoint = self._endpoints.pop(0)
        self._endpoints.append(endpoint)
        if endpoint == self._excluded and len(self._endpoints) > 1:
            endpoint = self._endpoints.pop(0)
            self._endpoints.append(endpoint)
        options = self._context.options
        channel = ChannelUri.parse(options.consensus_channel).with_params(endpoint=endpoint)
        self._query_publication = yield from await_exclusive_publication(
            self._aeron, channel, options.consensus_stream_id
        )

    def _disconnect(self, *, is_excluded: bool = False) -> None:
        if is_excluded and self._endpoints:
            self._excluded = self._endpoints[-1]
        publication, self._query_publication = self._query_publication, None
        self._close(publication)

    def _query_member(self) -> Waiting[BackupResponse | None]:
        """Send the query, and return the answer, or None if none arrives in time."""
        assert self._query_publication is not None
        context, options = self._context, self._context.options
        deadline_ns = self._clock.nano_time() + options.backup_response_timeout_ns
        self._answers.clear()
        self._correlation_id = self._aeron.next_correlation_id()
        query = codecs.BackupQuery.encode(
            correlation_id=self._correlation_id,
            response_stream_id=options.consensus_stream_id,
            version=PROTOCOL_VERSION,
            log_position=LATEST,
            response_channel=self._response_channel,
            encoded_credentials=context.credentials.encoded_credentials(),
        )
        is_sent = False
        while self._clock.nano_time() < deadline_ns:
            if not is_sent:
                is_sent = self._query_publication.offer(query) > 0
            if self._answers:
                answer = self._answers.pop(0)
                if isinstance(answer, Exception):
                    raise answer
                return answer
            yield
        return None

    def _on_message(self, view: MessageView, _: Header) -> None:
        try:
            message = codecs.decode(bytes(view))
        except (UnknownMessageError, MessageError):
            return
        match message:
            case codecs.BackupResponse() if message.correlation_id == self._correlation_id:
                self._answers.append(message)
            case codecs.Challenge() if message.correlation_id == self._correlation_id:
                self._answer_challenge(message)
            case codecs.SessionEvent() if message.correlation_id == self._correlation_id:
                if message.code is EventCode.REDIRECT:
                    self._disconnect(is_excluded=True)
                self._answers.append(ClusterError(f"{message.code.name}: {message.detail}"))
            case codecs.BackupQuery():
                self._questions.on_query(message, self.live_log_position, self._clock.nano_time())
            case _:
                pass

    def _answer_challenge(self, challenge: codecs.Challenge) -> None:
        if self._query_publication is None:
            return  # too late: no request is pending
        try:
            credentials = self._context.credentials.on_challenge(challenge.encoded_challenge)
        except Exception as error:  # noqa: BLE001 - the user's; it ends the round
            self._answers.append(error)
            return
        self._correlation_id = self._aeron.next_correlation_id()
        self._query_publication.offer(
            codecs.ChallengeResponse.encode(
                correlation_id=self._correlation_id,
                cluster_session_id=challenge.cluster_session_id,
                encoded_credentials=credentials,
            )
        )

    # ---- the snapshots ----

    def _on_signal(self, signal: RecordingSignalEvent) -> None:
        if self._replication is not None:
            self._replication.on_signal(signal)

    def _on_source_error(self, error: Exception) -> None:
        self._source_error = error

    def _copy_once(self, snapshot: BackupResponse.Snapshots) -> Waiting[int]:
        """Return the recording of a snapshot's copy, of an earlier round if that failed later."""
        assert self._archive is not None
        place = snapshot.leadership_term_id, snapshot.log_position, snapshot.service_id
        copy_id = self._unrecorded.get(place)
        if copy_id is None or (yield from list_recording(self._archive, copy_id)) is None:
            copy_id = self._unrecorded[place] = yield from self._retrieve(snapshot)
        return copy_id

    def _retrieve(self, snapshot: BackupResponse.Snapshots) -> Waiting[int]:
        """Copy a snapshot; return the recording of the copy, after checking its length."""
        assert self._archive is not None
        assert self._source is not None
        options, source = self._context.options, self._source.context
        self._replication = replication = RecordingReplication(
            self._archive,
            snapshot.recording_id,
            source.control_stream_id,
            source.control_channel,
            ReplicationParams(replication_channel=str(self._context.catchup_channel)),
            progress_timeout_ns=options.replication_progress_timeout_ns,
            progress_interval_ns=options.replication_progress_interval_ns
            or options.replication_progress_timeout_ns // 10,
            now_ns=self._clock.nano_time(),
        )
        try:
            while not replication.is_done:
                replication.poll(self._clock.nano_time())
                yield
        finally:
            self._replication = None
            self._close(replication)
        original = yield from list_recording(self._source, snapshot.recording_id)
        copy = yield from list_recording(self._archive, replication.recording_id)
        if original is None or copy is None or original.stop_position != copy.stop_position:
            raise ClusterError(
                f"backup: snapshot in recording {snapshot.recording_id} of service"
                f" {snapshot.service_id}: expected its copy to end at"
                f" {original and original.stop_position}, found {copy and copy.stop_position}"
            )
        return replication.recording_id

    # ---- the log ----

    def _record(
        self, response: BackupResponse, snapshots: list[BackupResponse.Snapshots]
    ) -> Waiting[None]:
        """Record a replay of the member's archive in the local archive."""
        context, options = self._context, self._context.options
        archive, source = self._archive, self._source
        assert archive is not None
        assert source is not None
        recording_id = self._recording_log.find_last_term_recording_id()
        start = first_replay_position(options.backup_initial_replay_start, snapshots)
        if recording_id != NULL_VALUE:
            start = yield from self._stop_position(archive, recording_id)
        session_id = context.seams.random.below(2**31)
        channel = context.catchup_channel.with_params({"session-id": session_id})
        values: dict[str, object] = {
            "stream_id": options.log_stream_id,
            "source_location": SourceLocation.REMOTE,
            "auto_stop": True,
        }
        # Binds a port until the archive's own subscription shares it by its tag.
        port_holder: Subscription | None = None
        recorded = str(channel)
        try:
            if context.catchup_endpoint.endswith(":0"):
                tags = (self._aeron.next_correlation_id(), self._aeron.next_correlation_id())
                tagged = channel.with_params(tags=f"{tags[0]},{tags[1]}")
                opened = yield from await_subscription(self._aeron, tagged, options.log_stream_id)
                port_holder = opened
                endpoint = yield from until(lambda: opened.resolved_endpoint)
                recorded = str(tagged.with_params(endpoint=None))
                channel = channel.with_params(endpoint=endpoint)
            if recording_id == NULL_VALUE:
                subscription_id = yield from send_request(
                    archive, StartRecordingRequest2, channel=recorded, **values
                )
            else:
                subscription_id = yield from send_request(
                    archive,
                    ExtendRecordingRequest2,
                    recording_id=recording_id,
                    channel=recorded,
                    **values,
                )
        finally:
            self._close(port_holder)
        self._live = live = _Live(source, response.member_id, subscription_id, NULL_VALUE)
        self._enter(BackupState.LIVE_LOG_REPLAY)
        live.replay_id = yield from send_request(
            source,
            BoundedReplayRequest,
            recording_id=response.log_recording_id,
            position=start,
            length=NULL_VALUE,
            limit_counter_id=response.commit_position_counter_id,
            replay_stream_id=options.log_stream_id,
            file_io_max_length=NULL_VALUE,
            replay_token=NULL_VALUE,
            replay_channel=str(channel),
        )
        live.counter_id, live.recording_id = yield from until(
            lambda: find_counter_by_session(
                self._aeron.counters_reader, session_id, archive.archive_id
            )
        )

    def _stop_position(self, archive: AeronArchive, recording_id: int) -> Waiting[int]:
        """Return the stop position of the log's recording, once it has ended.

        If this process did not stop it, nobody else does: after a kill beside its archive it is
        active as long as the member replays.
        """
        is_stopped = False
        while True:
            descriptor = yield from list_recording(archive, recording_id)
            if descriptor is None:
                raise AgentTerminationError(
                    f"backup: recording {recording_id} of the log: unknown to its archive"
                )
            if descriptor.stop_position != NULL_VALUE:
                return descriptor.stop_position
            if not is_stopped:
                is_stopped = True
                yield from send_request(
                    archive, StopRecordingByIdentityRequest, recording_id=recording_id
                )
            yield

    def _update_recording_log(
        self, response: BackupResponse, copies: list[tuple[BackupResponse.Snapshots, int]]
    ) -> None:
        assert self._live is not None
        log, recording_id = self._recording_log, self._live.recording_id
        before, after = new_terms(log.entries, response, [snapshot for snapshot, _ in copies])
        for term_id, base in before:
            log.append_term(recording_id, term_id, base, _NULL_TIMESTAMP)
        # As members: the set is valid once the last entry is written, the consensus module's.
        for snapshot, copy_id in sorted(copies, key=lambda copy: -copy[0].service_id):
            log.append_snapshot(
                copy_id,
                snapshot.leadership_term_id,
                snapshot.term_base_log_position,
                snapshot.log_position,
                snapshot.timestamp,
                snapshot.service_id,
            )
        for term_id, base in after:
            log.append_term(recording_id, term_id, base, _NULL_TIMESTAMP)
        if copies:
            self._retrieved.increment()

    # ---- the end ----

    def _reset(self) -> Waiting[None]:
        """Release everything; failures of requests are ignored here, those of closing reported."""
        self._disconnect()
        replication, self._replication = self._replication, None
        self._close(replication)
        live, self._live = self._live, None
        if live is not None and self._archive is not None:
            yield from self._suppress_errors(
                send_request(
                    self._archive,
                    StopRecordingSubscriptionRequest,
                    subscription_id=live.subscription_id,
                )
            )
            if live.replay_id != NULL_VALUE and live.source.is_connected:
                yield from self._suppress_errors(
                    send_request(live.source, StopReplayRequest, replay_session_id=live.replay_id)
                )
        source, self._source = self._source, None
        self._close(source)
        self._source_error = None

    def _suppress_errors(self, steps: Waiting[int]) -> Waiting[None]:
        try:
            yield from steps
        except AgentTerminationError:
            raise
        except AeronClusterError:
            return

    def _close(self, resource: _Closeable | None) -> None:
        if resource is not None:
            close_reporting(resource.close, self._context.error_handler)

    def close(self) -> None:
        """Stop and release everything. Calling it again does nothing."""
        self._task.close()
        if self.errors is not None and not self._state_counter.is_closed:
            self._enter(BackupState.CLOSED)
        self._disconnect()
        self._questions.close()
        live, self._live = self._live, None
        if live is not None and self._archive is not None and self._archive.is_connected:
            stop = partial(self._archive.post, StopRecordingSubscriptionRequest)
            close_reporting(
                partial(stop, subscription_id=live.subscription_id), self._context.error_handler
            )
        parts = self._source, self._archive, self._subscription
        self._source = self._archive = self._subscription = None
        for each in parts:
            self._close(each)
