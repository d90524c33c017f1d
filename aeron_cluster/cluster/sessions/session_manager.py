"""The client sessions of a cluster member: how they open, work and close.

SessionManager. The leader opens and closes sessions and appends these events to the log; a follower
applies the events of the log, without connections to clients, so that it can take over at any time.

A connect request ends in one of four ways. A follower redirects it; a leader rejects it for its
version or for the limit, or passes it to the authenticator, which rejects or accepts it. An
accepted one is open once its open event is in the log. A session to be closed becomes CLOSING
immediately, and is removed when its close event is in the log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.context.extension import ClusterClientSession, notify_extension
from aeron_cluster.cluster.members.members import NULL_VALUE, ingress_endpoints
from aeron_cluster.cluster.members.time_unit import time_unit_name
from aeron_cluster.cluster.security.policy_file import ConnectPolicy
from aeron_cluster.cluster.sessions.cluster_session import (
    NODE_TERMINATED,
    ClusterSession,
    SessionState,
)
from aeron_cluster.cluster.sessions.egress_publisher import EgressPublisher
from aeron_cluster.cluster.sessions.pending_sessions import PendingSessions
from aeron_cluster.cluster.sessions.rejected_sessions import RejectedSessions
from aeron_cluster.cluster.sessions.session_egress import SessionEgress
from aeron_cluster.cluster.sessions.uncommitted_sessions import UncommittedSessions
from aeron_cluster.cluster.state.module_snapshot import SessionRecord
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.cluster import (
    AdminRequest,
    AdminRequestType,
    AdminResponseCode,
    ChallengeResponse,
    CloseReason,
    EventCode,
    SessionCloseEvent,
    SessionCloseRequest,
    SessionConnectRequest,
    SessionOpenEvent,
)
from aeron_cluster.codecs.session_protocol import PROTOCOL_VERSION
from aeron_cluster.errors import (
    ConfigurationError,
    MessageError,
    SessionRejectedError,
    UnknownMessageError,
)
from aeron_cluster.events.codes import ClusterEvent
from aeron_cluster.memory.agents.user_callback import as_exception
from aeron_cluster.memory.agents.waiting import NEVER

if TYPE_CHECKING:
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.image import Image
    from aeron_cluster.cluster.context.extension import ConsensusModuleExtension
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.log.log_publisher import LogPublisher
    from aeron_cluster.cluster.members.members import Member
    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.cluster.state.session_table import SessionTable

__all__ = ["SessionManager", "major_version", "version_text"]

# The longest delay until a session that waits for driver, client or log is checked.
_CHECK_INTERVAL_NS: Final = 1_000_000
_MAJOR: Final = 16
_LIMIT_DETAIL: Final = "concurrent session limit"
_AUTHORISATION: Final = "authorisation_service"
_NOT_AUTHORISED: Final = "session not authorised"


class SessionManager:
    """All sessions of a member.

    Parameters
    ----------
    context : ConsensusModuleContext
    aeron : Aeron
        The module's own client.
    sessions : SessionTable
        The native half's table of open sessions.
    log : LogPublisher
    counters : ModuleCounters
    members : sequence of Member
    on_admin_snapshot : Callable
        Requests a snapshot; returns whether it could be requested.
    forward : Callable
        Passes a follower's message to the leader.
    extension : ConsensusModuleExtension, optional
        Notified of sessions.

    Attributes
    ----------
    next_session_id : int
        The id for the next connect request.
    next_committed_session_id : int
        One more than the highest committed session id; stored in snapshots.
    limits, authenticator, egress_publisher
        Limits, authentication and answers of clients without a session yet, and of backups.

    Notes
    -----
    Only the module's conductor calls it. Times are ns on the monotonic clock.
    """

    def __init__(
        self,
        context: ConsensusModuleContext,
        aeron: Aeron,
        sessions: SessionTable,
        log: LogPublisher,
        counters: ModuleCounters,
        members: Sequence[Member],
        *,
        on_admin_snapshot: Callable[[], bool],
        forward: Callable[[bytes], object],
        extension: ConsensusModuleExtension | None = None,
    ) -> None:
        options = context.options
        self.next_session_id = 1
        self.next_committed_session_id = 1
        self._context = context
        self._aeron = aeron
        self._table = sessions
        self._log = log
        self._timed_out = counters.timed_out_clients
        self._ingress_endpoints = ingress_endpoints(tuple(members))
        self._on_admin_snapshot = on_admin_snapshot
        self._forward = forward
        self._extension = extension
        self._cluster_id = int(options.cluster_id)
        self._member_id = int(options.member_id)
        self._max_sessions = int(options.max_sessions)
        self._session_timeout_ns = int(options.session_timeout_ns)
        self._response_channels = context.make_response_channels()
        self.limits = context.make_connect_limits(counters.rejected_connects.increment)
        self.egress_publisher = EgressPublisher(int(options.leader_heartbeat_timeout_ns))
        self._redirected = RejectedSessions(self.egress_publisher, self._session_timeout_ns)
        self._rejected = RejectedSessions(self.egress_publisher, self._session_timeout_ns)
        self.authenticator = context.authenticator_supplier()
        self._pending = PendingSessions(
            self.authenticator,
            self.egress_publisher,
            self._session_timeout_ns,
            context.epoch_ms,
            context.error_handler,
            self._timed_out.increment,
        )
        self._sessions: dict[int, ClusterSession] = {}
        self._unsettled: set[int] = set()
        self._uncommitted = UncommittedSessions()
        self._lost_ingress: list[int] = []
        self._is_leader = False
        self._is_active = False
        self._leader_member_id = NULL_VALUE
        self._leadership_term_id = NULL_VALUE
        self._is_busy = False
        self._now_ns = 0

    def __len__(self) -> int:
        return len(self._sessions)

    def __repr__(self) -> str:
        return (
            f"<SessionManager open={len(self._sessions)} pending={len(self._pending)}"
            f" redirected={len(self._redirected)} rejected={len(self._rejected)}>"
        )

    def session(self, session_id: int) -> ClusterSession | None:
        """Return an open or closing session."""
        return self._sessions.get(session_id)

    def client_session(
        self, session_id: int, now_ns: Callable[[], int]
    ) -> ClusterClientSession | None:
        """Return an open or closing session for an extension, or None.

        Parameters
        ----------
        session_id : int
        now_ns : Callable[[], int]
            Returns the current time in ns.
        """
        session = self._sessions.get(session_id)
        if session is None:
            return None

        def send(message: bytes) -> bool:
            return session.egress is not None and session.egress.send(message)

        def keep_alive() -> None:
            if session_id in self._sessions:
                self._table.touch(session_id, now_ns())

        return ClusterClientSession(
            cluster_session_id=session_id,
            is_open=session.is_open,
            encoded_principal=session.encoded_principal,
            response_channel=session.response_channel,
            response_stream_id=session.response_stream_id,
            send=send,
            keep_alive=keep_alive,
        )

    # ---- leadership ----

    def set_role(self, *, is_leader: bool, leader_member_id: int, leadership_term_id: int) -> None:
        """Record the leader and its term."""
        self._is_leader = is_leader
        self._leader_member_id = leader_member_id
        self._leadership_term_id = leadership_term_id
        self._is_busy = True

    def set_active(self, is_active: bool) -> None:
        """Set whether the module is ACTIVE and no election runs: a leader works only then."""
        self._is_active = is_active
        self._is_busy = True
        if self._is_active_leader:
            self._close_lost()

    @property
    def _is_active_leader(self) -> bool:
        return self._is_leader and self._is_active

    # ---- when to call ----

    @property
    def is_busy(self) -> bool:
        """Whether there is work in the next duty cycle."""
        return self._is_busy

    def next_deadline_ns(self) -> int:
        """Return when `do_work` is due: for a timeout, or a check."""
        deadline_ns = NEVER
        if self._is_waiting:
            deadline_ns = self._now_ns + _CHECK_INTERVAL_NS
        if self._is_active_leader:
            earliest_ns = self._table.earliest_activity_ns() + self._session_timeout_ns + 1
            deadline_ns = min(deadline_ns, earliest_ns)
        return deadline_ns

    @property
    def _is_waiting(self) -> bool:
        return bool(
            self._redirected
            or self._rejected
            or (self._is_active_leader and (self._pending or self._unsettled))
        )

    def do_work(self, now_ns: int) -> int:
        """Advance all sessions; return the work count."""
        self._now_ns = now_ns
        work_count = 0
        for sessions in (self._redirected, self._rejected):
            work_count += sessions.do_work(now_ns, self._leadership_term_id, self._leader_member_id)
        if self._is_active_leader:
            work_count += self._pending.do_work(
                now_ns, lambda session: self._open(session, now_ns), self._rejected.add
            )
            work_count += self._check_sessions(now_ns)
        self._is_busy = work_count > 0 and self._is_waiting
        return work_count

    # ---- what clients request ----

    def on_ingress(self, message: bytes, image: Image, now_ns: int) -> bool:
        """Handle a message of a client that is neither for the services nor a keep-alive.

        Returns
        -------
        bool
            Always True, as requests are never delivered again. Messages for another role or term
            are dropped.

        Raises
        ------
        MessageError
            The bytes are not a message.
        """
        try:
            request = codecs.decode(message)
        except UnknownMessageError:
            return True  # of a newer client
        match request:
            case SessionConnectRequest():
                self._on_connect(request, image, now_ns)
            case SessionCloseRequest() if self._is_current(request.leadership_term_id):
                self._on_close_request(request, image)
            case ChallengeResponse() if self._is_leader:
                self._is_busy |= self._pending.on_challenge_response(
                    request.cluster_session_id,
                    request.correlation_id,
                    request.encoded_credentials,
                    now_ns,
                    image.correlation_id,
                )
            case ChallengeResponse():
                self._forward(message)
            case AdminRequest() if self._is_current(request.leadership_term_id):
                self._on_admin_request(request, image)
            case _:
                pass
        return True

    def _is_current(self, leadership_term_id: int) -> bool:
        return self._is_leader and leadership_term_id == self._leadership_term_id

    def _on_connect(self, request: SessionConnectRequest, image: Image, now_ns: int) -> None:
        # Checked before anything is allocated for an unknown client.
        channel = self._response_channel(request, image.source_identity)
        if channel is None:
            return
        admission = self.limits.admit(image.source_identity)
        if admission is None:
            return
        session_id = NULL_VALUE
        if self._is_leader:
            session_id = self.next_session_id
            self.next_session_id += 1
        try:
            session = self._connecting_session(session_id, request, channel, image, now_ns)
        except BaseException:
            admission.release()
            raise
        session.admission = admission
        version = request.version
        if not self._is_leader:
            session.redirect(self._ingress_endpoints)
            self._redirected.add(session)
        elif major_version(version) != major_version(PROTOCOL_VERSION):
            self._reject(
                session,
                f"invalid client version {version_text(version)},"
                f" cluster is {version_text(PROTOCOL_VERSION)}",
            )
        elif self._is_full:
            self._reject(session, _LIMIT_DETAIL)
        else:
            session.ingress_image = image.correlation_id
            self._pending.add(session, request.encoded_credentials)
        self._is_busy = True

    @property
    def _is_full(self) -> bool:
        return len(self._sessions) >= self._max_sessions

    def _response_channel(self, request: SessionConnectRequest, source: str) -> str | None:
        try:
            return self._response_channels.refine(
                request.response_channel, request.response_stream_id, source
            )
        except ConfigurationError as error:
            self.limits.reject(source, error)
            return None

    def _connecting_session(
        self,
        session_id: int,
        request: SessionConnectRequest,
        channel: str,
        image: Image,
        now_ns: int,
    ) -> ClusterSession:
        session = self._new_session(
            session_id, request.response_stream_id, channel, request.correlation_id
        )
        session.last_activity_ns = now_ns
        info = f"sourceIdentity={image.source_identity} sessionId={image.session_id}"
        self._connect(session, f"{request.client_info} {info}" if request.client_info else info)
        return session

    def _new_session(
        self, session_id: int, response_stream_id: int, response_channel: str, correlation_id: int
    ) -> ClusterSession:
        return ClusterSession(
            session_id,
            response_stream_id,
            response_channel,
            correlation_id,
            events=self._context.events,
            member_id=self._context.options.member_id,
        )

    def _connect(self, session: ClusterSession, info: str) -> None:
        session.egress = SessionEgress(
            self._aeron,
            session.response_channel,
            session.response_stream_id,
            cluster_id=self._cluster_id,
            cluster_session_id=session.session_id,
            info=info,
            report=self._report,
        )

    def _reject(self, session: ClusterSession, detail: str) -> None:
        self._send_rejection(session, detail)
        self._rejected.add(session)

    def _send_rejection(self, session: ClusterSession, detail: str) -> None:
        session.reject(EventCode.ERROR, detail)
        # As tools know it.
        text = f"WARN - ERROR {detail}, clusterMemberId={self._member_id}"
        self._report(SessionRejectedError(text, EventCode.ERROR, session.correlation_id))

    def _own_session(self, session_id: int, image: Image) -> ClusterSession | None:
        """Return the open session of an image's client; None if it belongs to another client.

        Session ids are sequential and can be guessed. After an election a session is linked to the
        image of its next keep-alive.
        """
        session = self._sessions.get(session_id)
        if session is None or not session.is_open:
            return None
        its_image = self._table.ingress_image(session_id)
        return session if its_image in (NULL_VALUE, image.correlation_id) else None

    def _on_close_request(self, request: SessionCloseRequest, image: Image) -> None:
        session = self._own_session(request.cluster_session_id, image)
        if session is not None:
            self._closing(session, CloseReason.CLIENT_ACTION)
            session.disconnect()
            self._log_close(session)

    def _on_admin_request(self, request: AdminRequest, image: Image) -> None:
        session = self._own_session(request.cluster_session_id, image)
        if session is None:
            return
        kind = _admin_request_name(request.request_type)
        code, text = AdminResponseCode.OK, ""
        if not self._is_authorised(request, session):
            code = AdminResponseCode.UNAUTHORISED_ACCESS
            text = f"Execution of the {kind} request was not authorised"
        elif request.request_type is not AdminRequestType.SNAPSHOT:
            code, text = AdminResponseCode.ERROR, f"Unknown request type: {kind}"
        elif not self._on_admin_snapshot():
            code = AdminResponseCode.ERROR
            text = "Failed to switch ClusterControl to the ToggleState.SNAPSHOT state"
        session.add_admin_response(request, code, text)
        self._notify_client(session)

    def _is_authorised(self, request: AdminRequest, session: ClusterSession) -> bool:
        try:
            return self._context.authorisation_service(
                codecs.SCHEMA.schema_id,
                request.template_id,
                request.request_type,
                session.encoded_principal,
            )
        except BaseException as error:  # noqa: BLE001 - the user's; raising does not allow
            self._report(as_exception(_AUTHORISATION, error))
            return False

    # ---- opening and closing, at the leader ----

    def _open(self, session: ClusterSession, now_ns: int) -> bool:
        assert session.egress is not None
        if not self._may_connect(session):
            session.reject(EventCode.AUTHENTICATION_REJECTED, _NOT_AUTHORISED)
            return False
        if self._is_full:
            # Other sessions were accepted since its request.
            self._send_rejection(session, _LIMIT_DETAIL)
            return False
        if not session.egress.has_window:
            return False
        timestamp = self._context.cluster_time()
        try:
            position = self._log.append_session_open(
                session.correlation_id,
                session.session_id,
                timestamp,
                session.response_stream_id,
                session.response_channel,
                session.encoded_principal,
            )
        except MessageError as error:
            # Channel and principal are longer than the log's short terms allow.
            self._report(error)
            session.reject(EventCode.ERROR, "session does not fit into the log")
            return False
        if position < 0:
            return False
        self._context.events.record(
            ClusterEvent.APPEND_SESSION_OPEN,
            session_id=session.session_id,
            leadership_term_id=self._leadership_term_id,
            log_position=position,
            timestamp=timestamp,
            member_id=self._context.options.member_id,
            time_unit=time_unit_name(self._context.time_unit),
        )
        session.open(position)
        self._sessions[session.session_id] = session
        self._table.put(
            session.session_id,
            is_open=True,
            last_activity_ns=now_ns,
            ingress_image=session.ingress_image,
        )
        self._uncommitted.add_opened(session)
        self._notify_client(session)
        if self._extension is not None:
            notify_extension(self._report, self._extension.on_session_opened, session.session_id)
        return True

    def _may_connect(self, session: ClusterSession) -> bool:
        policy: object = self._context.authorisation_service
        if not isinstance(policy, ConnectPolicy):
            return True
        try:
            return policy.may_connect(session.encoded_principal)
        except BaseException as error:  # noqa: BLE001 - the user's; raising does not allow
            self._report(as_exception(_AUTHORISATION, error))
            return False

    def _closing(self, session: ClusterSession, reason: CloseReason) -> None:
        session.closing(reason)
        self._table.set_open(session.session_id, False)
        self._unsettled.add(session.session_id)
        self._is_busy = True

    def _log_close(self, session: ClusterSession) -> bool:
        """Append the close event of a CLOSING session and release it, if the log accepts it."""
        timestamp = self._context.cluster_time()
        position = self._log.append_session_close(
            session.session_id, timestamp, session.close_reason
        )
        if position < 0:
            return False
        self._context.events.record(
            ClusterEvent.APPEND_SESSION_CLOSE,
            session_id=session.session_id,
            leadership_term_id=self._leadership_term_id,
            timestamp=timestamp,
            member_id=self._context.options.member_id,
            close_reason=session.close_reason,
            time_unit=time_unit_name(self._context.time_unit),
        )
        # Sent once without retry: closing its egress has the same meaning.
        self._send_event(session, EventCode.CLOSED, session.close_reason.name)
        if session.close_reason is CloseReason.TIMEOUT:
            self._timed_out.increment()
        session.closed_log_position = position
        self._uncommitted.add_closed(session)
        self._remove(session)
        if self._extension is not None:
            on_closed = self._extension.on_session_closed
            notify_extension(self._report, on_closed, session.session_id, session.close_reason)
        return True

    def _remove(self, session: ClusterSession) -> None:
        del self._sessions[session.session_id]
        self._unsettled.discard(session.session_id)
        self._table.remove(session.session_id)
        session.close("closed")

    def _check_sessions(self, now_ns: int) -> int:
        overdue_ns = now_ns - self._session_timeout_ns
        if self._table.earliest_activity_ns() < overdue_ns:
            for session in self._sessions.values():
                if (
                    session.is_open
                    and self._table.last_activity_ns(session.session_id) < overdue_ns
                ):
                    self._closing(session, CloseReason.TIMEOUT)
        work_count = 0
        for session_id in sorted(self._unsettled):
            session = self._sessions[session_id]
            if session.state is SessionState.CLOSING:
                work_count += self._log_close(session)
            else:
                work_count += self._notify_client(session)
        return work_count

    def _notify_client(self, session: ClusterSession) -> bool:
        """Send pending events to an open session's client; return whether all were sent."""
        egress = session.egress
        if egress is not None:
            egress.poll()
            if egress.failure is not None:
                self._report(egress.failure)
                session.disconnect()
        if session.egress is None:
            # It has no egress. An inactive client times out; messages of an active one are
            # accepted.
            session.drop_pending_events()
        if session.is_open_event_pending:
            session.is_open_event_pending = not self._send_event(session, EventCode.OK, "")
        if session.is_new_leader_event_pending and not session.is_open_event_pending:
            session.is_new_leader_event_pending = not self.egress_publisher.send_new_leader(
                session, self._leadership_term_id, self._member_id, self._ingress_endpoints
            )
        while session.admin_responses and self.egress_publisher.send_admin_response(
            session, *session.admin_responses[0]
        ):
            session.admin_responses.popleft()
        if session.is_settled:
            self._unsettled.discard(session.session_id)
            return True
        self._unsettled.add(session.session_id)
        return False

    def _send_event(self, session: ClusterSession, code: EventCode, detail: str) -> bool:
        return self.egress_publisher.send_event(
            session, self._leadership_term_id, self._member_id, code, detail
        )

    # ---- services, the driver and snapshots ----

    def on_service_close(self, cluster_session_id: int, now_ns: int) -> None:
        """Close a session at a service's request; a follower waits for the log."""
        del now_ns
        session = self._sessions.get(cluster_session_id)
        if session is not None and session.is_open:
            self._closing(session, CloseReason.SERVICE_ACTION)
            if self._is_active_leader:
                self._log_close(session)

    def on_image_unavailable(self, image_correlation_id: int) -> None:
        """Close the sessions of a closed ingress image.

        Notes
        -----
        While the leader is not active, it can neither notify them nor append to the log: this is
        done later.
        """
        for session in self._pending.of_image(image_correlation_id):
            self._release_session(session, CloseReason.TIMEOUT.name)
        if self._is_leader:
            self._lost_ingress += [
                session_id
                for session_id in self._sessions
                if self._table.ingress_image(session_id) == image_correlation_id
            ]
            if self._is_active:
                self._close_lost()

    def _close_lost(self) -> None:
        for session_id in self._lost_ingress:
            session = self._sessions.get(session_id)
            if session is not None and session.is_open:
                self._closing(session, CloseReason.TIMEOUT)
        self._lost_ingress.clear()

    def _release_session(self, session: ClusterSession, detail: str) -> None:
        self._send_event(session, EventCode.CLOSED, detail)
        session.close(detail)

    def after_snapshot(self, begin_ns: int, now_ns: int) -> None:
        """Exclude the time of a snapshot from session timeouts: no messages were read.

        Upstream restarts the timeouts: with frequent snapshots no session would ever time out.
        """
        taken_ns = now_ns - begin_ns
        for session_id in self._sessions:
            active_ns = self._table.last_activity_ns(session_id)
            self._table.touch(session_id, min(active_ns + taken_ns, now_ns))

    # ---- the log, as a follower or in a replay ----

    def on_replay_open(self, event: SessionOpenEvent, log_position: int) -> None:
        """Open the session that a leader opened; `log_position` is after the event."""
        session_id = event.cluster_session_id
        session = self._new_session(
            session_id, event.response_stream_id, event.response_channel, event.correlation_id
        )
        session.encoded_principal = event.encoded_principal
        session.open(log_position)
        self._keep(session)
        self.next_session_id = max(self.next_session_id, session_id + 1)
        self.next_committed_session_id = max(self.next_committed_session_id, session_id + 1)
        if self._extension is not None:
            notify_extension(self._report, self._extension.on_session_opened, session_id)

    def on_replay_close(self, event: SessionCloseEvent) -> None:
        """Close the session that a leader closed."""
        session = self._sessions.get(event.cluster_session_id)
        if session is not None:
            if session.is_open:
                session.closing(event.close_reason)
            self._remove(session)
            if self._extension is not None:
                on_closed = self._extension.on_session_closed
                notify_extension(self._report, on_closed, session.session_id, event.close_reason)

    def _keep(self, session: ClusterSession) -> None:
        """Add a session without a connected client to the main list."""
        self._sessions[session.session_id] = session
        # The next leader restarts its timeout.
        self._table.put(session.session_id, is_open=session.is_open, last_activity_ns=0)
        if not session.is_open:
            self._unsettled.add(session.session_id)

    def load(self, records: Iterable[SessionRecord], next_session_id: int) -> None:
        """Load the sessions of a snapshot; those with a close reason are CLOSING."""
        for record in records:
            session = self._new_session(
                record.cluster_session_id,
                record.response_stream_id,
                record.response_channel,
                record.correlation_id,
            )
            session.opened_log_position = record.opened_log_position
            if record.close_reason is CloseReason.NULL_VALUE:
                session.open(record.opened_log_position)
            else:
                session.closing(record.close_reason)
            self._keep(session)
            next_session_id = max(next_session_id, session.session_id + 1)
        self.next_session_id = self.next_committed_session_id = next_session_id

    def records(self) -> list[SessionRecord]:
        """Return the sessions for a snapshot: every open or closing one, by id."""
        return [
            SessionRecord(
                cluster_session_id=session.session_id,
                correlation_id=session.correlation_id,
                opened_log_position=session.opened_log_position,
                response_stream_id=session.response_stream_id,
                response_channel=session.response_channel,
                close_reason=session.close_reason,
            )
            for _, session in sorted(self._sessions.items())
        ]

    # ---- a new leader ----

    def become_leader(self, leadership_term_id: int, *, is_startup: bool, now_ns: int) -> None:
        """Take over the sessions, as the leader of a term.

        Parameters
        ----------
        leadership_term_id : int
        is_startup : bool
            Whether the member leads for the first time since its start. Then every session is
            closed, as upstream does, without a notification of its client. Otherwise each client is
            notified of the new leader.
        now_ns : int
        """
        self.set_role(
            is_leader=True,
            leader_member_id=self._member_id,
            leadership_term_id=leadership_term_id,
        )
        for session in self._sessions.values():
            if not session.is_open:
                continue
            if is_startup:
                self._closing(session, CloseReason.TIMEOUT)
                continue
            session.disconnect()
            self._connect(session, session.response_channel)
            session.is_new_leader_event_pending = True
            self._unsettled.add(session.session_id)
        self._table.touch_all(now_ns)

    def prepare_for_new_leadership(self, log_position: int) -> None:
        """Release sessions that an election may undo: all that were opened after `log_position`.

        Notes
        -----
        Called before `restore_uncommitted`. Other sessions are kept, and the next leader connects
        to their clients. Until it is elected, this member does not lead.
        """
        for session in self._pending.remove_all():
            self._release_session(session, "election")
        for session in list(self._sessions.values()):
            if session.opened_log_position > log_position:
                self._send_event(session, EventCode.CLOSED, "election")
                self._remove(session)
            else:
                self._table.link(session.session_id, NULL_VALUE)
                session.disconnect()
        self._lost_ingress.clear()
        self._is_leader = False
        self._is_busy = True

    def restore_uncommitted(self, commit_position: int) -> None:
        """Undo uncommitted changes: closed sessions are CLOSING again."""
        self.on_committed(commit_position)
        for session in self._uncommitted.restore():
            # A session with an uncommitted open event is not restored.
            if session.opened_log_position <= commit_position:
                session.restore_closing()
                self._keep(session)

    def on_committed(self, position: int) -> None:
        """Apply committed changes."""
        session_id = self._uncommitted.sweep(position)
        self.next_committed_session_id = max(self.next_committed_session_id, session_id + 1)

    @property
    def first_uncommitted_position(self) -> int:
        """The commit position at which `on_committed` is due, or `NO_POSITION`."""
        return self._uncommitted.first_position

    # ---- the end ----

    def close(self) -> None:
        """Close every connection to a client. Calling it again does nothing."""
        for session in [*self._pending.remove_all(), *self._sessions.values()]:
            session.close(NODE_TERMINATED)
        self._pending.close()
        self._sessions.clear()
        self._unsettled.clear()
        self._table.clear()
        self._redirected.close()
        self._rejected.close()

    def _report(self, error: Exception) -> None:
        self._context.error_handler(error)


def major_version(version: int) -> int:
    """Return the part of a protocol version that must match."""
    return version >> _MAJOR


def version_text(version: int) -> str:
    """Return a protocol version as text."""
    return f"{version >> _MAJOR & 0xFF}.{version >> 8 & 0xFF}.{version & 0xFF}"


def _admin_request_name(request_type: AdminRequestType) -> str:
    return "NULL_VAL" if request_type is AdminRequestType.NULL_VALUE else request_type.name
