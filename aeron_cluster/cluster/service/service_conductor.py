"""The Python half of a service container: everything that does not happen per message.

``io.aeron.cluster.service.ClusteredServiceAgent``: start, joining and leaving a log, snapshots,
termination. Each sequence that waits is a `Waiting`; while one is in progress, the log is not read.
"""

from __future__ import annotations

import contextlib
import struct
from collections import deque
from typing import TYPE_CHECKING, Final, TypeVar

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode, is_out_of_space
from aeron_cluster.client.waiting import await_subscription
from aeron_cluster.cluster.members.optional_fields import DEFAULT_ACTION_FLAGS, action_flags
from aeron_cluster.cluster.service.batch_calls import calls_of
from aeron_cluster.cluster.service.checkpoint import CALLBACKS_OF_THE_LOG
from aeron_cluster.cluster.service.client_session import ClientSession
from aeron_cluster.cluster.service.cluster import Cluster, ClusterState
from aeron_cluster.cluster.service.clustered_service import LeadershipTerm, Role
from aeron_cluster.cluster.service.native_calls import NativeCalls
from aeron_cluster.cluster.service.native_service import NativeService
from aeron_cluster.cluster.service.service_agent import ServiceAgent
from aeron_cluster.cluster.service.service_calls import PythonCalls
from aeron_cluster.cluster.service.service_snapshot import (
    SnapshotLoader,
    load_snapshot,
    snapshot_messages,
    take_snapshot,
)
from aeron_cluster.cluster.state.app_version import (
    expected_version,
    is_compatible,
    version_text,
)
from aeron_cluster.cluster.state.mark_file import member_id_in
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.cluster import (
    BooleanType,
    ClusterAction,
    ClusterActionRequest,
    JoinLog,
    NewLeadershipTermEvent,
    RequestServiceAck,
    ServiceAck,
    ServiceTerminationPosition,
    SessionCloseEvent,
    SessionOpenEvent,
)
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.errors import (
    AeronClusterError,
    AgentTerminationError,
    ArchiveError,
    ConductorServiceTimeoutError,
    CorruptError,
    PlatformError,
    RegistrationError,
    ServiceCallbackError,
    ServiceError,
    SnapshotError,
    StalledError,
    StateError,
    UnknownMessageError,
    UserComponentError,
    VersionError,
)
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.agents.report_limiter import ReportLimiter, kind_of_error
from aeron_cluster.memory.agents.user_callback import call_termination_hook
from aeron_cluster.memory.agents.waiting import Task, Waiting
from aeron_cluster.memory.shared.commands import ErrorCode
from aeron_cluster.memory.shared.error_text import describe_error
from aeron_cluster.memory.system.closeable import close_reporting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication, Publication
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.cluster.service.container_context import ContainerContext
    from aeron_cluster.cluster.service.divergence_guard import DivergenceGuard
    from aeron_cluster.cluster.service.service_counters import ServiceCounters
    from aeron_cluster.cluster.state.mark_file import ClusterMarkFile
    from aeron_cluster.logbuffer.message_view import Header, MessageView
    from aeron_cluster.memory.shared.counter_descriptor import CounterDescriptor

__all__ = ["ServiceConductor"]

_WITHOUT_SNAPSHOT: Final = (
    "aeron-cluster invalidate-latest-snapshot has the member start from the snapshot before, and"
    " the log; see docs/operating.md, Damage"
)
_COMMIT_POSITION: Final = 203
_RECOVERY_STATE: Final = 204
_RECOVERY: Final = struct.Struct("<qqqii")
_CLUSTER_ID: Final = struct.Struct("<i")
_RECORDING_ID: Final = struct.Struct("<q")
_CLUSTER_ID_OFFSETS: Final = {_COMMIT_POSITION: 0, _RECOVERY_STATE: 24}
_CHECK_INTERVAL_NS: Final = 1_000_000
_STANDBY_SNAPSHOT: Final = 1
_ACK_ATTEMPTS: Final = 5
_EGRESS_ATTEMPTS: Final = 5
_STALE_POLLS: Final = 100
_STALE_LIMIT: Final = 100
_BACKGROUND_WORK: Final = "do_background_work"
_MAX_KNOWN_FAILURES: Final = 128

_T = TypeVar("_T")


class ServiceConductor:
    """Starts a service, joins it to logs, snapshots and ends it.

    Parameters
    ----------
    context : ContainerContext
    aeron : Aeron
    mark_file : ClusterMarkFile
    counters : ServiceCounters
    guard : DivergenceGuard or None
        The guard that hashes the service's effects.
    to_module : Publication
        The requests of the consensus module.
    control : Subscription
        The publication to the module.

    Attributes
    ----------
    agent : ServiceAgent
        The native half, which checks whether work is due.
    failure : Exception or None
        The reason of an end without `close`.
    """

    def __init__(
        self,
        context: ContainerContext,
        aeron: Aeron,
        mark_file: ClusterMarkFile,
        counters: ServiceCounters,
        guard: DivergenceGuard | None,
        to_module: Publication,
        control: Subscription,
    ) -> None:
        self.failure: AgentTerminationError | None = None
        self._context = context
        self._aeron = aeron
        self._clock = context.seams.clock
        self._mark_file = mark_file
        self._stamp = mark_file.activity_stamp
        self._counters = counters
        self._guard = guard
        self._to_module = to_module
        self._control = control
        self._assembler = FragmentAssembler(self._on_control)
        self._ack_id = 0
        self._join_requests: deque[JoinLog] = deque()
        self._snapshot_flags = 0
        self._ending: AgentTerminationError | None = None
        self._is_closed = False
        self._longest_stall_ns = 0
        self._longest_callback = (0, "")
        self._stall: StalledError | None = None
        self._check_recording: Callable[[], None] | None = None
        self._known_failures: dict[str, ServiceCallbackError] = {}
        self._limiter = ReportLimiter(self._clock)
        self._cluster = cluster = Cluster(to_module, aeron, context.service_id)
        cluster.context = context
        self._state = ClusterState(cluster)
        self.agent = ServiceAgent(
            self,
            cluster,
            control,
            aeron.conductor_agent,
            aeron.counters_reader,
            mark_file.activity_stamp,
            self._clock,
            IdleStrategy(context.options.idle_strategy),
            context.options.log_fragment_limit,
            context.service_name,
        )
        self._calls: PythonCalls | NativeCalls
        if isinstance(context.service, NativeService):
            self._calls = NativeCalls(cluster, self.on_failure, context.service)
        else:
            self._calls = calls_of(cluster, self.on_failure, context.service)
        self.agent.set_service(self._calls)
        if guard is not None:
            self.agent.set_guard(guard)
        self._task: Task[None] | None = Task(self._start())

    # ---- the pass ----

    def do_work(self) -> int:
        """Do due work; called by the agent when there is any."""
        self._check_components()
        if self._ending is not None:
            return self._end(self._ending)
        if self._task is not None:
            return self._continue()
        agent = self.agent
        work_count = self._poll_control()
        if self._join_requests and not agent.is_joined:
            self._begin(self._join(self._poll_join_request()))
        elif self._is_reached(agent.termination_position):
            self._begin(self._terminate())
        elif self._is_reached(agent.ack_position):
            agent.ack_position = NULL_VALUE
            self._begin(self._ack(self._next_ack_id(), NULL_VALUE))
        else:
            return work_count
        return work_count + 1 + self._continue()

    def _poll_control(self) -> int:
        try:
            return self._control.poll(self._assembler, 1)
        except AgentTerminationError:
            raise
        except Exception as error:  # noqa: BLE001 - only for this message; due work continues
            self.report(error)
            return 1

    def _is_reached(self, position: int) -> bool:
        return position != NULL_VALUE and self._cluster.log_position >= position

    def _check_components(self) -> None:
        """Check that the components the container depends on are active."""
        try:
            self._stamp.check()
        except OSError as error:
            self.report(error)
        if self._guard is not None:
            for report in self._guard.take_reports():
                self.report(report)
        for unreported in self._cluster.take_unreported():
            # Clients can cause these errors at any rate.
            if self._limiter.admit(kind_of_error(unreported)).is_due:
                self.report(unreported)
        if self.agent.is_client_closed:
            self._stop_without_client()
        elif self.agent.is_module_inactive and self._ending is None:
            closed = StateError(
                "commit-pos counter unexpectedly closed: the consensus module ended"
            )
            self._record(closed)
            # Expected, as upstream: the module reports the cause.
            self._stop("the consensus module ended", closed, is_expected=True)

    def _stop_without_client(self) -> None:
        """End, after reporting what stalled the container if its driver timed it out."""
        failure = self._aeron.failure
        if isinstance(failure, ConductorServiceTimeoutError):
            self.on_client_error(failure)  # a client provided by the user does not report it
        self._stop("the client of the driver was closed", self._stall or failure)

    def on_client_error(self, error: Exception) -> None:
        """Report a client's error; for a stall that closed it, with place and cause."""
        if not isinstance(error, ConductorServiceTimeoutError):
            self.report(error)
        elif self._stall is None:
            self._stall = self._stalled(error)
            self.report(self._stall)

    def _stalled(self, failure: ConductorServiceTimeoutError) -> StalledError:
        cluster = self._cluster
        taken_ns, callback = self._longest_callback
        stalled = StalledError(
            self._context.service_name,
            failure.gap_ns,
            failure.limit_ns,
            f"{callback} took {taken_ns / 1e9:.1f} s"
            if 2 * taken_ns > failure.gap_ns
            else "something else on its thread took too long, or the process was stopped",
            member_id=self._member_id,
            leadership_term_id=cluster.leadership_term_id,
            log_position=cluster.log_position,
        )
        stalled.__cause__ = failure
        return stalled

    def _begin(self, steps: Waiting[None]) -> None:
        self._task = Task(steps)
        self.agent.is_busy = True

    def _continue(self) -> int:
        task = self._task
        assert task is not None
        try:
            task.do_work()
        except AgentTerminationError as error:
            self._ending = self._ending or error
            self.agent.begin_end()
        except Exception as error:  # noqa: BLE001 - a failed sequence does not end the container
            self.report(error)
        if not task.is_done:
            return 0
        self._task = None
        self.agent.is_busy = self._ending is not None
        return 1

    # ---- what failed ----

    def report(self, error: Exception) -> None:
        """Count an error, record it in the error log, and call the handler."""
        self._counters.count_error()
        self._record(error)
        self._context.error_handler(error)

    def _record(self, error: Exception) -> None:
        if self._is_closed:
            return
        self._mark_file.record_or_report(error, self._clock.epoch_ms(), self._context.error_handler)

    def on_stall(self, taken_ns: int) -> None:
        """Report callbacks that delay the log, and again once the delay has doubled."""
        if taken_ns > self._longest_callback[0]:
            self._longest_callback = taken_ns, "the log in one pass"
        if taken_ns < 2 * self._longest_stall_ns:
            return
        self._longest_stall_ns = taken_ns
        cluster = self._cluster
        self.report(
            ServiceError(
                f"{self._context.service_name} handles messages of the log in one pass for"
                f" {taken_ns / 1e9:.1f} s so far",
                member_id=cluster.member_id,
                leadership_term_id=cluster.leadership_term_id,
                log_position=cluster.log_position,
                remedy="do long work outside of callbacks: no client is answered meanwhile",
            )
        )

    def check_recording(self) -> None:
        """Raise in a service that waits to write its snapshot after the recording ended.

        Raises
        ------
        StateError
            The recording ended.
        """
        if self._check_recording is not None:
            self._check_recording()

    def on_failure(
        self, error: BaseException, callback: str, cluster_session_id: int | None = None
    ) -> None:
        """Report what a callback raised, and apply the configured policy.

        The error log counts repeated failures, with the place of the first one.
        """
        if isinstance(error, AgentTerminationError):
            self._ending = self._ending or error
            self.agent.begin_end()
            return
        if self._guard is not None and callback in CALLBACKS_OF_THE_LOG:
            self._guard.note_failure(CALLBACKS_OF_THE_LOG[callback], self._cluster.time)
        failure = self._named(error, callback, cluster_session_id)
        kind = f"{callback}: {describe_error(error)}"
        known = self._known_failures.get(kind)
        if known is None and len(self._known_failures) < _MAX_KNOWN_FAILURES:
            self._known_failures[kind] = known = failure
        self._counters.count_error()
        self._record(known or failure)
        # Background work is called in every duty cycle, and may fail in each.
        if known is failure or callback != _BACKGROUND_WORK:
            self._context.error_handler(failure)
        if self._context.on_callback_error == "terminate":
            self._stop(str(failure), failure)

    def _named(
        self, error: BaseException, callback: str, cluster_session_id: int | None = None
    ) -> ServiceCallbackError:
        """Describe where a callback raised something."""
        if isinstance(error, ServiceCallbackError):
            return error
        failure = ServiceCallbackError(
            self._context.service_name,
            callback,
            self._cluster.log_position,
            cluster_session_id,
            member_id=self._member_id,
            leadership_term_id=self._cluster.leadership_term_id,
        )
        failure.__cause__ = error
        return failure

    @property
    def _member_id(self) -> int:
        """Return the member's id, which the module sends with its first log."""
        found = self._cluster.member_id
        if found != NULL_VALUE:
            return found
        return member_id_in(self._context.seams.files, self._context.cluster_dir)

    def _call(self, callback: Callable[..., object], *arguments: object) -> None:
        """Call the service; exceptions are reported, except a `KeyboardInterrupt`."""
        begin_ns = self._clock.nano_time()
        try:
            callback(*arguments)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a service raises
            sessions = (each.id for each in arguments if isinstance(each, ClientSession))
            self.on_failure(error, callback.__name__, next(sessions, None))
        finally:
            self._note_duration(callback.__name__, begin_ns)

    def _call_within(self, callback: Callable[[_T], object], argument: _T) -> None:
        """Call the service within a sequence, which ends with the exception, always an `Exception`.

        A `GeneratorExit` of a service would look like the end of the sequence.
        """
        begin_ns = self._clock.nano_time()
        try:
            callback(argument)
        except (AgentTerminationError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise self._named(error, callback.__name__) from error
        finally:
            self._note_duration(callback.__name__, begin_ns)

    def _note_duration(self, callback: str, begin_ns: int) -> None:
        """Record the longest callback, to report it if the driver times the container out."""
        self._longest_callback = max(
            self._longest_callback, (self._clock.nano_time() - begin_ns, callback)
        )

    def _stop(
        self, reason: str, cause: BaseException | None = None, *, is_expected: bool = False
    ) -> None:
        """Request the container to end in the next duty cycle."""
        if self._ending is None:
            self._ending = AgentTerminationError(
                f"{self._context.service_name}: {reason}", is_expected=is_expected
            )
            self._ending.__cause__ = cause
        self.agent.begin_end()

    # ---- start ----

    def _await_counter(self, type_id: int) -> Waiting[CounterDescriptor]:
        offset = _CLUSTER_ID_OFFSETS[type_id]
        while True:
            for counter in self._aeron.counters_reader.counters(type_id):
                (cluster_id,) = _CLUSTER_ID.unpack_from(
                    counter.key.ljust(offset + _CLUSTER_ID.size, b"\0"), offset
                )
                # A Java driver publishes a counter before it sets its registration id, by which its
                # end is detected.
                if cluster_id == self._context.cluster_id and counter.registration_id != 0:
                    return counter
            check_ns = self._clock.nano_time() + _CHECK_INTERVAL_NS
            while self._clock.nano_time() < check_ns:
                yield

    def _start(self) -> Waiting[None]:
        context, agent = self._context, self.agent
        commit_position = yield from self._await_counter(_COMMIT_POSITION)
        agent.follow_commit_position(commit_position.counter_id)
        recovery = yield from self._await_counter(_RECOVERY_STATE)
        term_id, log_position, time, _, count = _RECOVERY.unpack_from(recovery.key)
        self._state.begin(log_position, time, term_id)
        if self._guard is not None:
            self._write(self._guard.begin, log_position)
        failure: Exception | None = None
        try:
            if term_id == NULL_VALUE:
                self._call_within(self._calls.on_start, None)
            else:
                yield from self._load_snapshot(
                    _snapshot_recording_id(recovery.key, count, context.service_id)
                )
        except Exception as error:  # noqa: BLE001 - whatever a service raises
            failure = error
        self._drop_join_requests()
        yield from self._ack(
            self._next_ack_id(), self._aeron.client_id if failure is None else NULL_VALUE
        )
        if failure is not None:
            if not isinstance(failure, AgentTerminationError):
                self.report(failure)
            cause = failure
            if term_id != NULL_VALUE:
                cause = self._snapshot_error(failure, term_id, log_position)
            why = str(cause)
            if not isinstance(cause, AeronClusterError):
                why = f"{type(cause).__name__}: {why}"
            raise AgentTerminationError(
                f"failed to start service={context.options.service_id} logPosition={log_position},"
                f" {context.service_name}: {why}"
            ) from cause
        agent.is_active = True

    def _snapshot_error(self, error: Exception, term_id: int, log_position: int) -> Exception:
        """Return an error with a remedy, if the snapshot is the cause."""
        what = "its snapshot cannot be loaded"
        if isinstance(error, ArchiveError):
            if error.code != ArchiveErrorCode.UNKNOWN_RECORDING:
                return error
            what = "its snapshot is missing in the archive"
        elif not isinstance(error, (CorruptError, StateError)):
            return error
        found = SnapshotError(
            f"{what}: {error}",
            member_id=self._cluster.member_id,
            leadership_term_id=term_id,
            log_position=log_position,
            remedy=_WITHOUT_SNAPSHOT,
        )
        found.__cause__ = error
        return found

    def _drop_join_requests(self) -> None:
        """Drop requests of an ended module that are still in its stream.

        The current module requests nothing before the first acknowledgement, and all later
        acknowledgements would be out of sequence.
        """
        for _ in range(_STALE_POLLS):
            if self._control.poll(self._assembler, _STALE_LIMIT) == 0:
                break
        self._join_requests.clear()
        self.agent.is_joining = False

    def _load_snapshot(self, recording_id: int) -> Waiting[None]:
        context = self._context
        loader = SnapshotLoader(self._state.add_session)

        def read_state(image: Image) -> None:
            _check_version("snapshot", context, loader.app_version)
            self._state.set_time_unit(loader.time_unit)
            self._call_within(self._calls.on_start, image)

        yield from load_snapshot(
            context.local_archive(self._aeron, self.report),
            self._aeron,
            recording_id,
            context.options.replay_channel,
            context.options.replay_stream_id,
            loader,
            read_state,
        )

    # ---- to the consensus module ----

    def _next_ack_id(self) -> int:
        ack_id, self._ack_id = self._ack_id, self._ack_id + 1
        return ack_id

    def _ack(self, ack_id: int, relevant_id: int, attempts: int | None = None) -> Waiting[None]:
        """Acknowledge the position, by default with retries until it is sent."""
        message = ServiceAck.encode(
            log_position=self._cluster.log_position,
            timestamp=self._cluster.time,
            ack_id=ack_id,
            relevant_id=relevant_id,
            service_id=self._context.service_id,
        )
        while not self._to_module.offer(message):
            if attempts is not None:
                attempts -= 1
                if attempts == 0:
                    return
            yield

    # ---- from the consensus module ----

    def _on_control(self, message: MessageView, _: Header) -> None:
        try:
            decoded = codecs.decode(bytes(message))
        except UnknownMessageError as error:
            self.report(error)
            return
        match decoded:
            case JoinLog():
                self.agent.cap(decoded.log_position)
                self.agent.is_joining = True
                self._join_requests.append(decoded)
            case ServiceTerminationPosition():
                self.agent.termination_position = decoded.log_position
            case RequestServiceAck():
                self.agent.ack_position = decoded.log_position
            case _:
                pass

    # ---- its files ----

    def _write(self, write: Callable[[int], object], value: int) -> None:
        """Write to a file without which the service continues; report a failure."""
        try:
            write(value)
        except OSError as error:
            self.report(error)

    # ---- logs ----

    def _poll_join_request(self) -> JoinLog:
        """Return the last request; the module has abandoned earlier ones."""
        requests = self._join_requests
        while len(requests) > 1:
            requests.popleft()
            self._next_ack_id()
        self.agent.is_joining = False
        return requests.popleft()

    def _join(self, request: JoinLog) -> Waiting[None]:
        context, agent = self._context, self.agent
        # Used even if the log cannot be joined: the module distinguishes requests by it.
        ack_id = self._next_ack_id()
        role = Role(request.role)
        if role is not Role.LEADER:
            self._disconnect_egress()
        is_standby = request.is_standby == BooleanType.TRUE
        self._snapshot_flags = _STANDBY_SNAPSHOT if is_standby else 0
        channel = ChannelUri.parse(request.log_channel).with_params(
            alias=f"log-sc-{context.service_id}"
        )
        subscription = yield from await_subscription(
            self._aeron, str(channel), request.log_stream_id
        )
        try:
            image = yield from self._await_log(subscription, request.log_session_id)
            if image is None:
                self._close(subscription.close)
                return
            self._check_contiguous(image.join_position, request.log_position)
            agent.join(image, request.max_log_position)
        except BaseException:
            self._close(subscription.close)
            raise
        yield from self._ack(ack_id, NULL_VALUE)
        self._state.set_member_id(request.member_id)
        if self._guard is not None:
            self._write(self._guard.set_member_id, request.member_id)
        self._write(self._mark_file.set_member_id, request.member_id)
        if role is Role.LEADER:
            if context.options.service_responder and request.is_startup != BooleanType.TRUE:
                yield from self._connect_egress(self._cluster.client_sessions)
            for session in self._cluster.client_sessions:
                session.reset_closing()
        self._set_role(role)

    def _check_contiguous(self, joined: int, requested: int) -> None:
        expected = self._cluster.log_position
        for what, found in (("image", joined), ("request", requested)):
            if found != expected:
                error = StateError(
                    f"Cluster log must be contiguous: expected its {what} at position {expected},"
                    f" found {found}"
                )
                if requested > expected:
                    # The module never goes back. Upstream's waits without a timeout.
                    self._stop("a part of the log is lost", error)
                raise error

    def _await_log(self, subscription: Subscription, session_id: int) -> Waiting[Image | None]:
        """Wait for a log; return None if the module requests another log, or the end.

        Its publication may be closed before this container has subscribed to it.
        """
        while (image := subscription.image_by_session_id(session_id)) is None:
            self._control.poll(self._assembler, 1)
            if self._join_requests or self._is_reached(self.agent.termination_position):
                return None
            yield
        return image

    def on_log_ended(self) -> None:
        """Send nothing to clients any more: the log has ended, and is read as far as committed."""
        self._disconnect_egress()

    def on_log_done(self) -> None:
        """Leave the open log, which was read up to the next one."""
        subscription = self.agent.leave()
        self._disconnect_egress()
        if subscription is not None:
            self._close(subscription.close)
        self._set_role(Role.FOLLOWER)

    def _set_role(self, role: Role) -> None:
        if self._cluster.role is not role:
            self._state.set_role(role)
            self._call(self._calls.on_role_change, role)

    def _connect_egress(self, sessions: Iterable[ClientSession]) -> Waiting[None]:
        """Connect sessions; egresses that fail for a local cause are requested again a few times.

        Upstream does not retry: such a session receives no answers while this member leads.
        """
        waiting = list(sessions)
        for _ in range(_EGRESS_ATTEMPTS):
            if waiting:
                waiting = yield from self._try_to_connect(waiting)

    def _try_to_connect(self, sessions: list[ClientSession]) -> Waiting[list[ClientSession]]:
        """Connect sessions; return those that may be connected later."""
        waiting = []
        failed = []
        for session in sessions:
            try:
                registration_id = self._aeron.async_add_publication(
                    session.response_channel, session.response_stream_id
                )
            except AeronClusterError as error:
                self.report(error)
            else:
                waiting.append((session, registration_id))
        for session, registration_id in waiting:
            try:
                while (egress := self._aeron.get_publication(registration_id)) is None:
                    yield
            except AeronClusterError as error:
                # As upstream: the session is open, but offers to it are not sent.
                self.report(error)
                if _is_transient(error):
                    failed.append(session)
            else:
                session.connect(egress)
        return failed

    def _disconnect_egress(self) -> None:
        for session in self._cluster.client_sessions:
            self._close(session.disconnect)

    # ---- events of the log ----

    def on_session_open(self, event: SessionOpenEvent) -> None:
        """Open a session; on the leader its egress is connected before the service is called."""
        if self._cluster.get_client_session(event.cluster_session_id) is not None:
            self.report(
                StateError(
                    f"clashing open clusterSessionId={event.cluster_session_id}"
                    f" logPosition={self._cluster.log_position}: expected no open session, found"
                    " one"
                )
            )
            return
        session = self._state.add_session(event)
        if self._cluster.role is Role.LEADER and self._context.options.service_responder:
            self._begin(self._open(session))
        else:
            self._call(self._calls.on_session_open, session)

    def _open(self, session: ClientSession) -> Waiting[None]:
        yield from self._connect_egress((session,))
        self._call(self._calls.on_session_open, session)

    def on_session_close(self, event: SessionCloseEvent) -> None:
        """Close a session; an unknown one is only reported."""
        session = self._state.remove_session(event.cluster_session_id)
        if session is None:
            self.report(
                StateError(
                    f"unknown session close: clusterSessionId={event.cluster_session_id}"
                    f" logPosition={self._cluster.log_position}: expected an open session, found"
                    " none"
                )
            )
            return
        self._close(session.disconnect)
        self._call(self._calls.on_session_close, session, event.close_reason)

    def on_new_leadership_term(self, event: NewLeadershipTermEvent) -> None:
        """Apply a new term, unless it has an incompatible application version."""
        try:
            _check_version("log", self._context, event.app_version)
        except (UserComponentError, VersionError) as error:
            self.report(error)
            self._stop("the log is of another application version", error)
            return
        term = LeadershipTerm.of(event)
        self._state.begin_term(term.leadership_term_id, term.timestamp, term.time_unit)
        self._call(self._calls.on_new_leadership_term_event, term)

    def on_action(self, event: ClusterActionRequest) -> None:
        """Take a snapshot, if the action requests one of this container."""
        flags = action_flags(event)
        if event.action is ClusterAction.SNAPSHOT and self._guard is not None:
            # Also if it is for standbys: all members have checkpoints at the same positions.
            self._write(self._guard.mark_snapshot, event.leadership_term_id)
        if event.action is ClusterAction.SNAPSHOT and (
            flags == DEFAULT_ACTION_FLAGS or flags & self._snapshot_flags != 0
        ):
            self._begin(self._snapshot(event.leadership_term_id))

    def _snapshot(self, leadership_term_id: int) -> Waiting[None]:
        context, cluster = self._context, self._cluster
        begin_ns = self._clock.nano_time()
        recording_id = NULL_VALUE
        failure: Exception | None = None

        def write_state(publication: ExclusivePublication, check: Callable[[], None]) -> None:
            self._check_recording = check
            self.agent.is_recording = True
            try:
                self._call_within(self._calls.on_take_snapshot, publication)
            finally:
                self.agent.is_recording = False

        try:
            recording_id = yield from take_snapshot(
                context.local_archive(self._aeron, self.report),
                self._aeron,
                context.options.snapshot_channel,
                context.options.snapshot_stream_id,
                snapshot_messages(
                    cluster.client_sessions,
                    log_position=cluster.log_position,
                    leadership_term_id=leadership_term_id,
                    time_unit=cluster.time_unit,
                    app_version=context.app_version,
                ),
                write_state,
            )
        except Exception as error:  # noqa: BLE001 - whatever a service raises
            failure = error
        self._counters.count_snapshot(
            self._clock.nano_time() - begin_ns, context.options.service_snapshot_threshold_ns
        )
        yield from self._ack(self._next_ack_id(), recording_id)
        if failure is not None:
            self.on_failure(failure, "on_take_snapshot")
            cause = failure.__cause__ if isinstance(failure, ServiceCallbackError) else failure
            if isinstance(cause, Exception) and is_out_of_space(cause):
                self._stop("no room for a snapshot", cause)

    # ---- the end ----

    def _terminate(self) -> Waiting[None]:
        agent, cluster = self.agent, self._cluster
        if cluster.log_position != agent.termination_position:
            self.report(
                StateError(
                    f"service terminate: logPosition={cluster.log_position}, expected"
                    f" terminationPosition={agent.termination_position}"
                )
            )
        agent.termination_position = NULL_VALUE
        agent.is_active = False
        self._call(self._calls.on_terminate)
        yield from self._ack(self._next_ack_id(), NULL_VALUE, _ACK_ATTEMPTS)
        self._stop("terminated by the consensus module", is_expected=True)

    def _end(self, reason: AgentTerminationError) -> int:
        self.failure = reason
        try:
            self.close()
        except Exception as error:  # noqa: BLE001 - it ends for its own reason
            self.report(error)
        finally:
            call_termination_hook(self._context.termination_hook, self._context.error_handler)
        if self._context.threading_mode != "INVOKER":
            raise reason
        # The caller that drives the agent may drive others that continue.
        return 1

    def close(self) -> None:
        """Notify the service, leave the log and the directory. Closing again does nothing."""
        if self._is_closed:
            return
        if self._task is not None:
            self._task.close()
            self._task = None
        agent = self.agent
        try:
            if agent.is_active and not agent.is_client_closed:
                agent.is_active = False
                self._call(self._calls.on_terminate)
        finally:  # also after a KeyboardInterrupt
            self._leave()

    def _leave(self) -> None:
        agent = self.agent
        agent.end()
        subscription = agent.leave()
        with contextlib.ExitStack() as stack:  # also after an exception of the error handler
            if self._context.aeron is None:
                stack.callback(self._close, self._aeron.close)
            stack.callback(self._close, self._mark_file.close)
            stack.callback(self._set_closed)
            for each in (self._calls, self._to_module, self._control, subscription):
                if each is not None:
                    stack.callback(self._close, each.close)
            stack.callback(self._disconnect_egress)

    def _set_closed(self) -> None:
        self._is_closed = True

    def _close(self, close: Callable[[], object]) -> None:
        close_reporting(close, self.report)


def _is_transient(error: AeronClusterError) -> bool:
    """Return whether creating or mapping an egress failed for a cause other than its channel."""
    return isinstance(error, PlatformError) or (
        isinstance(error, RegistrationError) and error.code == ErrorCode.ERROR_GENERIC
    )


def _snapshot_recording_id(recovery_key: bytes, count: int, service_id: int) -> int:
    if service_id >= count:
        raise StateError(
            f"recovery state: expected a snapshot of service {service_id},"
            f" found those of {count} services"
        )
    (found,) = _RECORDING_ID.unpack_from(
        recovery_key, _RECOVERY.size + _RECORDING_ID.size * service_id
    )
    return int(found)


def _check_version(what: str, context: ContainerContext, found: int) -> None:
    own, validator = context.app_version, context.app_version_validator
    if not is_compatible(validator, own, found):
        raise VersionError(
            what, -1, "application version", expected_version(validator, own), version_text(found)
        )
