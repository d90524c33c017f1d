"""Queries of backups and standbys to a member: each is a session with one answer.

Upstream: sessions of the actions BACKUP, HEARTBEAT and STANDBY_SNAPSHOT in SessionManager and
ConsensusModuleAgent. Leader and followers answer alike, since none of it is in the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, assert_never

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.members.message_events import log_standby_snapshot
from aeron_cluster.cluster.members.optional_fields import queried_log_position
from aeron_cluster.cluster.sessions.cluster_session import (
    NODE_TERMINATED,
    ClusterSession,
    SessionAction,
)
from aeron_cluster.cluster.sessions.pending_sessions import PendingSessions
from aeron_cluster.cluster.sessions.rejected_sessions import RejectedSessions
from aeron_cluster.cluster.sessions.session_egress import SessionEgress
from aeron_cluster.cluster.sessions.session_manager import major_version, version_text
from aeron_cluster.cluster.snapshots.standby_snapshots import StandbySnapshots, problem_of
from aeron_cluster.cluster.state.backup_response import backup_response
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.cluster import (
    BackupQuery,
    EventCode,
    HeartbeatRequest,
    StandbySnapshot,
)
from aeron_cluster.codecs.session_protocol import PROTOCOL_VERSION
from aeron_cluster.errors import ConfigurationError, SessionRejectedError
from aeron_cluster.memory.agents.user_callback import as_exception

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.image import Image
    from aeron_cluster.cluster.agent.module_status import ModuleStatus
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.members.members import Member
    from aeron_cluster.cluster.sessions.session_manager import SessionManager
    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.cluster.state.recording_log import RecordingLog

__all__ = ["BackupSessions"]

_Request: TypeAlias = BackupQuery | HeartbeatRequest | StandbySnapshot

_CHECK_INTERVAL_NS: Final = 1_000_000
_State = ConsensusModuleState
_REQUEST_NAMES: Final = {
    SessionAction.BACKUP: "BackupQuery",
    SessionAction.HEARTBEAT: "Heartbeat",
    SessionAction.STANDBY_SNAPSHOT: "StandbySnapshot",
}
# Queries are answered only in the first state; in the other two they wait for it.
_ACTIVE_STATES: Final = (_State.ACTIVE, _State.SUSPENDED, _State.SNAPSHOT)


class BackupSessions:
    """The queries that a member has not answered yet.

    Parameters
    ----------
    context : ConsensusModuleContext
    aeron : Aeron
    counters : ModuleCounters
    recording_log : RecordingLog
    sessions : SessionManager
    status : ModuleStatus
    members : sequence of Member
        The content of answers to backups.

    Notes
    -----
    Their senders are not members: they are authenticated, and wait within the same limits as
    connecting clients.

    Upstream's sessions of this kind all have the id -1, so authenticators and challenge responses
    cannot distinguish them. Here each has its own id, below -1, and a response is accepted only
    from the source of the query.
    """

    def __init__(
        self,
        *,
        context: ConsensusModuleContext,
        aeron: Aeron,
        counters: ModuleCounters,
        recording_log: RecordingLog,
        sessions: SessionManager,
        status: ModuleStatus,
        members: Sequence[Member],
    ) -> None:
        self._context = context
        self._aeron = aeron
        self._counters = counters
        self._recording_log = recording_log
        self._sessions = sessions
        self._status = status
        self._context = context
        options = context.options
        self._clients = clients = sessions
        self._members = "|".join(map(str, members))
        self._member_id = int(options.member_id)
        self._cluster_id = int(options.cluster_id)
        self._service_count = int(options.service_count)
        session_timeout_ns = int(options.session_timeout_ns)
        self._response_channels = context.make_backup_response_channels()
        self._rejected = RejectedSessions(clients.egress_publisher, session_timeout_ns)
        self._pending = PendingSessions(
            clients.authenticator,
            clients.egress_publisher,
            session_timeout_ns,
            context.epoch_ms,
            context.error_handler,
            counters.timed_out_clients.increment,
        )
        self._standby_snapshots = StandbySnapshots(
            recording_log,
            int(options.standby_snapshot_notification_processing_delay_ns),
            self._count_standby_snapshot,
            self._log_standby_snapshot,
            context.error_handler,
        )
        self._next_id = NULL_VALUE - 1
        self._is_busy = False
        self._now_ns = 0

    def __repr__(self) -> str:
        return f"<BackupSessions pending={len(self._pending)} rejected={len(self._rejected)}>"

    # ---- when to call ----

    @property
    def is_busy(self) -> bool:
        """Whether there is work in the next duty cycle."""
        return self._is_busy

    def next_deadline_ns(self) -> int:
        """Return when `do_work` is due next."""
        if self._is_waiting:
            return self._now_ns + _CHECK_INTERVAL_NS
        return self._standby_snapshots.next_deadline_ns(self._now_ns)

    @property
    def _is_waiting(self) -> bool:
        return bool(self._rejected or (self._status.is_active and self._pending))

    def do_work(self, now_ns: int) -> int:
        """Advance all sessions, while no election runs; return the work count."""
        self._now_ns = now_ns
        status = self._status
        work_count = 0
        if status.is_active:
            work_count += self._pending.do_work(now_ns, self._answer, self._rejected.add)
        work_count += self._standby_snapshots.do_work(self._counters.commit_position.get(), now_ns)
        work_count += self._rejected.do_work(
            now_ns, status.leadership_term_id, status.leader_member_id
        )
        self._is_busy = work_count > 0 and self._is_waiting
        return work_count

    # ---- requests ----

    def on_request(self, request: _Request, image: Image, now_ns: int) -> None:
        """Handle a query, while no election runs."""
        if self._status.state not in _ACTIVE_STATES:
            return
        limits, source = self._clients.limits, image.source_identity
        try:
            channel = self._response_channels.refine(
                request.response_channel, request.response_stream_id, source
            )
        except ConfigurationError as error:
            limits.reject(source, error)
            return
        admission = limits.admit(source)
        if admission is None:
            return
        try:
            session = self._connecting_session(request, channel, image, now_ns)
        except BaseException:
            admission.release()
            raise
        session.admission = admission
        # A heartbeat request has no version field: assume the schema's.
        version = PROTOCOL_VERSION
        if not isinstance(request, codecs.HeartbeatRequest):
            version = request.version
        if major_version(version) == major_version(PROTOCOL_VERSION):
            self._pending.add(session, request.encoded_credentials)
        else:
            self._send_rejection(
                session,
                EventCode.ERROR,
                f"invalid client version {version_text(version)},"
                f" cluster={version_text(PROTOCOL_VERSION)}",
            )
            self._rejected.add(session)
        self._is_busy = True

    def _connecting_session(
        self, request: _Request, channel: str, image: Image, now_ns: int
    ) -> ClusterSession:
        session = ClusterSession(
            self._next_id,
            request.response_stream_id,
            channel,
            request.correlation_id,
            action=_action(request),
            events=self._context.events,
            member_id=self._context.options.member_id,
        )
        self._next_id -= 1
        session.request = request
        session.ingress_image = image.correlation_id
        session.last_activity_ns = now_ns
        session.egress = SessionEgress(
            self._aeron,
            channel,
            request.response_stream_id,
            cluster_id=self._cluster_id,
            # The id that tools expect.
            cluster_session_id=NULL_VALUE,
            info=f"{session.action.name} sourceIdentity={image.source_identity}"
            f" sessionId={image.session_id}",
            report=self._context.error_handler,
        )
        return session

    def on_challenge_response(
        self, response: codecs.ChallengeResponse, image: Image, now_ns: int
    ) -> None:
        """Handle a challenge response, from the source of the query."""
        session = self._pending.find(response.cluster_session_id)
        if session is None or session.ingress_image != image.correlation_id:
            return
        self._is_busy |= self._pending.on_challenge_response(
            response.cluster_session_id,
            response.correlation_id,
            response.encoded_credentials,
            now_ns,
            image.correlation_id,
        )

    # ---- responses ----

    def _answer(self, session: ClusterSession) -> bool:
        """Answer and release a query; return False if that must be retried."""
        is_offer = session.action is SessionAction.STANDBY_SNAPSHOT
        if is_offer and not self._context.options.accept_standby_snapshots:
            self._send_rejection(
                session, EventCode.ERROR, "Not configured to accept StandbySnapshot"
            )
            return False
        if not self._is_authorised(session):
            kind = _REQUEST_NAMES[session.action]
            self._send_rejection(
                session, EventCode.AUTHENTICATION_REJECTED, f"Not authorised for {kind}"
            )
            return False
        if is_offer:
            return self._record_offer(session)
        message = self._message(session)
        assert session.egress is not None
        if message is None or not session.egress.send(message):
            return False
        session.close("done")
        return True

    def _record_offer(self, session: ClusterSession) -> bool:
        """Record a standby's offer; as in Java, success is not answered."""
        offer = session.request
        assert isinstance(offer, codecs.StandbySnapshot)
        if problem := problem_of(offer.snapshots, self._service_count):
            self._send_rejection(session, EventCode.ERROR, f"invalid StandbySnapshot: {problem}")
            return False
        self._standby_snapshots.add(offer.snapshots)
        session.close("done")
        return True

    def _message(self, session: ClusterSession) -> bytes | None:
        if session.action is SessionAction.HEARTBEAT:
            return codecs.HeartbeatResponse.encode(correlation_id=session.correlation_id)
        log = self._recording_log
        term = log.find_last_term()
        if term is None:
            return None  # there is no log yet
        query = session.request
        assert isinstance(query, codecs.BackupQuery)
        snapshots = log.find_snapshots_at_or_below(queried_log_position(query), self._service_count)
        return backup_response(
            session.correlation_id,
            term,
            snapshots,
            commit_position_counter_id=self._counters.commit_position.counter_id,
            leader_member_id=self._status.leader_member_id,
            member_id=self._member_id,
            cluster_members=self._members,
        )

    def _log_standby_snapshot(self, snapshot: StandbySnapshot.Snapshots) -> None:
        context = self._context
        log_standby_snapshot(context.events, snapshot, self._member_id, context.time_unit)

    def _count_standby_snapshot(self) -> None:
        counter = self._counters.standby_snapshots
        assert counter is not None
        counter.increment()

    def _is_authorised(self, session: ClusterSession) -> bool:
        assert session.request is not None
        try:
            return self._context.authorisation_service(
                codecs.SCHEMA.schema_id,
                session.request.template_id,
                None,
                session.encoded_principal,
            )
        except BaseException as error:  # noqa: BLE001 - the user's; raising does not allow
            self._context.error_handler(as_exception("authorisation_service", error))
            return False

    def _send_rejection(self, session: ClusterSession, code: EventCode, detail: str) -> None:
        session.reject(code, detail)
        # The id that tools expect.
        text = f"WARN - {code.name} {detail}, clusterMemberId={self._member_id}"
        self._context.error_handler(SessionRejectedError(text, code, session.correlation_id))

    def close(self) -> None:
        """Release everything. Calling it again does nothing."""
        for session in self._pending.remove_all():
            session.close(NODE_TERMINATED)
        self._rejected.close()


def _action(request: _Request) -> SessionAction:
    match request:
        case codecs.BackupQuery():
            return SessionAction.BACKUP
        case codecs.HeartbeatRequest():
            return SessionAction.HEARTBEAT
        case codecs.StandbySnapshot():
            return SessionAction.STANDBY_SNAPSHOT
        case _:
            assert_never(request)
