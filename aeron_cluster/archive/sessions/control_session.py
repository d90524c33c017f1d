"""A client's control session: connect, responses, and end.

``io.aeron.archive.ControlSession``.

::

    INIT -> CONNECTING -> CONNECTED -> [CHALLENGED ->] AUTHENTICATED -> ACTIVE
                              |             |               |             |
                              +-> REJECTED -+---------------+-> DONE <----+

In INIT the response publication and the session's counter are awaited, in CONNECTING a subscriber
of the publication. CONNECTED calls the authenticator; AUTHENTICATED repeats the response until the
client sends a request, since the first one may be lost before the client's image exists.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable
from enum import IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple, assert_never

from aeron_cluster.archive.protocol.channels import is_response_channel, stripped_channel
from aeron_cluster.archive.protocol.error_codes import PROTOCOL_VERSION, ArchiveErrorCode
from aeron_cluster.archive.sessions.session_watch import SessionWatch
from aeron_cluster.codecs.archive import (
    Challenge,
    ControlResponse,
    ControlResponseCode,
    Ping,
    RecordingSignal,
    RecordingSignalEvent,
)
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import (
    ClosedError,
    DriverTimeoutError,
    MaxPositionExceededError,
    RegistrationError,
)
from aeron_cluster.events.captures import capture_message
from aeron_cluster.events.codes import ArchiveEvent
from aeron_cluster.memory.agents.user_callback import call_user
from aeron_cluster.memory.agents.waiting import NEVER
from aeron_cluster.memory.shared.counter_descriptor import MAX_LABEL_LENGTH

if TYPE_CHECKING:
    from aeron_cluster.archive.context import ArchiveContext
    from aeron_cluster.archive.sessions.orphans import Orphans
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.counter import Counter
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.client.security import Authenticator

__all__ = ["ConnectDetails", "ControlSession", "ControlSessionState"]

_CONTROL_SESSION_COUNTER_TYPE: Final = 113
_SEND_ATTEMPTS: Final = 3
_RESEND_INTERVAL_NS: Final = 200_000_000
# The longest delay until a silently lost client is detected.
_CHECK_INTERVAL_NS: Final = 100_000_000
_REJECTED_TEXT: Final = "authentication rejected"


class ControlSessionState(IntEnum):
    """What a session waits for."""

    INIT = 0
    CONNECTING = 1
    CONNECTED = 2
    CHALLENGED = 3
    AUTHENTICATED = 4
    ACTIVE = 5
    REJECTED = 6
    DONE = 7


class ConnectDetails(NamedTuple):
    """The connect request of a client."""

    correlation_id: int
    response_stream_id: int
    response_channel: ChannelUri
    version: int
    client_info: str
    image: Image  # of the request


class ControlSession:
    """One client's session.

    Parameters
    ----------
    context : ArchiveContext
    aeron : Aeron
        The archive's own client.
    authenticator : Authenticator
    orphans : Orphans
        Closes driver resources that are no longer needed when they arrive.
    session_id : int
    details : ConnectDetails
    now_ns : int

    Attributes
    ----------
    encoded_principal : bytes
        Its principal, from the authenticator.
    listing : object or None
        The list that is sent to it record by record; at most one.
    """

    def __init__(
        self,
        context: ArchiveContext,
        aeron: Aeron,
        authenticator: Authenticator,
        orphans: Orphans,
        session_id: int,
        details: ConnectDetails,
        now_ns: int,
    ) -> None:
        self.session_id = session_id
        self.details = details
        self.encoded_principal = b""
        self.listing: object | None = None
        self._context = context
        self._aeron = aeron
        self._authenticator = authenticator
        self._orphans = orphans
        self._state = ControlSessionState.INIT
        self._pending: deque[bytes] = deque()
        self._deadline_ns: int | None = now_ns + context.connect_timeout_ns
        self._resend_ns = now_ns
        self._ping = Ping.encode(control_session_id=session_id)
        self._ping_ns = now_ns + context.session_liveness_check_interval_ns
        self._watch: SessionWatch | None = None
        self._abort_reason = ""
        self._is_orderly = True
        self._publication: ExclusivePublication | None = None
        self._counter: Counter | None = None
        self._publication_id = aeron.async_add_exclusive_publication(
            self._response_channel(), details.response_stream_id
        )
        try:
            self._counter_id = aeron.async_add_counter(
                _CONTROL_SESSION_COUNTER_TYPE,
                self._label(),
                struct.pack("<qq", context.archive_id, session_id),
            )
        except BaseException:
            aeron.abandon(self._publication_id)
            raise

    def _response_channel(self) -> ChannelUri:
        requested = self.details.response_channel
        context = self._context
        channel = stripped_channel(requested).with_params(
            term_length=requested.size("term-length", context.control_term_buffer_length),
            mtu=requested.size("mtu", context.control_mtu_length),
            sparse=requested.boolean("sparse", context.control_term_buffer_sparse),
        )
        if is_response_channel(requested):
            channel = channel.with_params(response_correlation_id=self.details.image.correlation_id)
        return channel

    def _label(self) -> str:
        image = self.details.image
        end = (
            f" sourceIdentity={image.source_identity} sessionId={image.session_id}"
            f" - archiveId={self._context.archive_id}"
        )
        begin = f"control-session: {self.details.client_info}"
        return begin[: MAX_LABEL_LENGTH - len(end)] + end

    def __repr__(self) -> str:
        return f"<ControlSession {self.session_id} {self._state.name}>"

    @property
    def state(self) -> ControlSessionState:
        """What it waits for."""
        return self._state

    @property
    def is_done(self) -> bool:
        """Whether it has ended."""
        return self._state is ControlSessionState.DONE

    @property
    def abort_reason(self) -> str:
        """The reason of its end."""
        return self._abort_reason

    @property
    def is_orderly(self) -> bool:
        """Whether it ended normally, without a reason to log a warning."""
        return self._is_orderly

    @property
    def is_busy(self) -> bool:
        """Whether there may be work in every pass."""
        return bool(self._pending) or self._state in (
            ControlSessionState.INIT,
            ControlSessionState.CONNECTING,
            ControlSessionState.CONNECTED,
            ControlSessionState.CHALLENGED,
        )

    @property
    def watch(self) -> SessionWatch | None:
        """Its state for checks without the GIL, while it is active."""
        return self._watch if self._state is ControlSessionState.ACTIVE else None

    def next_deadline_ns(self, now_ns: int) -> int:
        """Return its next deadline, even if its watch detects nothing."""
        if self.watch is not None and self.watch.is_quiet:
            return NEVER
        return now_ns + _CHECK_INTERVAL_NS

    def _enter(self, state: ControlSessionState, reason: str) -> None:
        self._context.events.record(
            ArchiveEvent.CONTROL_SESSION_STATE_CHANGE,
            control_session_id=self.session_id,
            states=(self._state, state),
            reason=reason,
        )
        self._state = state

    # ---- the passes ----

    def do_work(self, now_ns: int) -> int:
        """Do what is due; return the work count."""
        if self.details.image.is_closed:
            self._end("control request publication image unavailable")
            return 1
        match self._state:
            case ControlSessionState.INIT:
                return self._init(now_ns)
            case ControlSessionState.CONNECTING:
                return self._connecting(now_ns)
            case ControlSessionState.CONNECTED:
                return self._connected(now_ns)
            case ControlSessionState.CHALLENGED:
                return self._challenged(now_ns)
            case ControlSessionState.AUTHENTICATED:
                return self._authenticated(now_ns)
            case ControlSessionState.ACTIVE:
                return self._active(now_ns)
            case ControlSessionState.REJECTED:
                return self._rejected(now_ns)
            case ControlSessionState.DONE:
                return 0
            case _:
                assert_never(self._state)

    def _init(self, now_ns: int) -> int:
        try:
            if self._publication is None:
                self._publication = self._aeron.get_exclusive_publication(self._publication_id)
            if self._counter is None:
                self._counter = self._aeron.get_counter(self._counter_id)
        except (RegistrationError, DriverTimeoutError, OSError) as error:
            self._fail(str(error))
            return 1
        if self._publication is None or self._counter is None:
            return self._check_deadline(now_ns)
        self._counter.set(self.session_id)
        self._deadline_ns = now_ns + self._context.connect_timeout_ns
        self._enter(ControlSessionState.CONNECTING, "connecting")
        return 1

    def _connecting(self, now_ns: int) -> int:
        assert self._publication is not None
        if not self._publication.is_connected:
            return self._check_deadline(now_ns)
        self._enter(ControlSessionState.CONNECTED, "connected")
        self._resend_ns = now_ns
        return 1 + self._connected(now_ns)

    def _check_deadline(self, now_ns: int) -> int:
        if self._deadline_ns is None or now_ns < self._deadline_ns:
            return 0
        if self._state in (ControlSessionState.AUTHENTICATED, ControlSessionState.ACTIVE):
            timeout_ms = self._context.connect_timeout_ns // 1_000_000
            self._fail(f"failed to send response for more than connectTimeoutMs={timeout_ms}")
        else:
            self._fail(f"failed to establish initial connection: state={self._state.name}")
        return 1

    def _is_resend_due(self, now_ns: int) -> bool:
        if now_ns < self._resend_ns:
            return False
        self._resend_ns = now_ns + _RESEND_INTERVAL_NS
        return True

    def _connected(self, now_ns: int) -> int:
        if self._is_lost() or self._check_deadline(now_ns):
            return 1
        if not self._is_resend_due(now_ns):
            return 0
        if self.details.version >> 16 != PROTOCOL_VERSION >> 16:
            version = self.details.version
            found = f"{version >> 16 & 0xFF}.{version >> 8 & 0xFF}.{version & 0xFF}"
            # Repeated until the deadline: the client may not be connected yet.
            self._offer_response(
                self.details.correlation_id,
                self.session_id,
                ControlResponseCode.ERROR,
                f"invalid client version {found}, archive is 1.12.0",
            )
            return 1
        on_connected = self._authenticator.on_connected_session
        call_user("authenticator", on_connected, self, self._context.epoch_ms())
        return 1

    def _challenged(self, now_ns: int) -> int:
        if self._is_lost() or self._check_deadline(now_ns):
            return 1
        on_challenged = self._authenticator.on_challenged_session
        call_user("authenticator", on_challenged, self, self._context.epoch_ms())
        return 1

    def _authenticated(self, now_ns: int) -> int:
        if self._is_lost():
            return 1
        work_count = self._send_pending(now_ns)
        if self._is_resend_due(now_ns):
            self._offer_response(
                self.details.correlation_id, self.session_id, ControlResponseCode.OK, ""
            )
            work_count += 1
        return work_count

    def _active(self, now_ns: int) -> int:
        if self._is_lost():
            return 1
        assert self._watch is not None
        work_count = self._send_pending(now_ns)
        if now_ns >= self._watch.ping_ns:
            self._watch.ping_ns = now_ns + self._context.session_liveness_check_interval_ns
            if self._offer(self._ping):
                self._deadline_ns = None
            elif self._deadline_ns is None:
                self._deadline_ns = now_ns + self._context.connect_timeout_ns
            work_count += 1
        # Deadlines are checked here; otherwise the watch does all this.
        self._watch.is_quiet = self._deadline_ns is None and not self._pending
        return work_count + self._check_deadline(now_ns)

    def _rejected(self, now_ns: int) -> int:
        if self._is_lost() or self._check_deadline(now_ns):
            return 1
        if self._is_resend_due(now_ns):
            self._offer_response(
                self.details.correlation_id,
                ArchiveErrorCode.AUTHENTICATION_REJECTED,
                ControlResponseCode.ERROR,
                _REJECTED_TEXT,
            )
            return 1
        return 0

    def _is_lost(self) -> bool:
        if self._publication is None or self._publication.is_connected:
            return False
        self._end("control response publication is not connected")
        return True

    # ---- authentication: the session is the authenticator's SessionProxy ----

    def challenge(self, encoded_challenge: bytes) -> bool:
        """Challenge the client; return False if the challenge could not be sent."""
        message = Challenge.encode(
            control_session_id=self.session_id,
            correlation_id=self.details.correlation_id,
            version=PROTOCOL_VERSION,
            encoded_challenge=encoded_challenge,
        )
        if not self._offer(message):
            return False
        self._enter(ControlSessionState.CHALLENGED, "challenged")
        return True

    def authenticate(self, encoded_principal: bytes) -> bool:
        """Accept the client; return False if the response could not be sent."""
        if not self._offer_response(
            self.details.correlation_id, self.session_id, ControlResponseCode.OK, ""
        ):
            return False
        self.encoded_principal = encoded_principal
        self._deadline_ns = None
        self._enter(ControlSessionState.AUTHENTICATED, "authenticated")
        return True

    def reject(self) -> None:
        """Reject the client."""
        self._enter(ControlSessionState.REJECTED, _REJECTED_TEXT)

    def on_challenge_response(self, correlation_id: int, encoded_credentials: bytes) -> None:
        """Handle the response to a challenge; the next response refers to it."""
        if self._state is not ControlSessionState.CHALLENGED:
            return
        details = self.details
        self.details = ConnectDetails(
            correlation_id,
            details.response_stream_id,
            details.response_channel,
            details.version,
            details.client_info,
            details.image,
        )
        call_user(
            "authenticator",
            self._authenticator.on_challenge_response,
            self.session_id,
            encoded_credentials,
            self._context.epoch_ms(),
        )

    def try_activate(self) -> bool:
        """Record that the client sent a request; return whether it is authorized."""
        if self._state is ControlSessionState.AUTHENTICATED:
            assert self._publication is not None
            self._watch = SessionWatch(
                self._publication,
                self.details.image,
                self._ping,
                self._ping_ns,
                self._context.session_liveness_check_interval_ns,
            )
            self._enter(ControlSessionState.ACTIVE, "active")
        return self._state is ControlSessionState.ACTIVE

    # ---- responses ----

    def send_ok(self, correlation_id: int, relevant_id: int = 0) -> None:
        """Respond that a request succeeded; `relevant_id` is its result."""
        self.send_response(correlation_id, relevant_id, ControlResponseCode.OK)

    def send_error(self, correlation_id: int, code: int, message: str) -> None:
        """Respond that a request failed."""
        self.send_response(correlation_id, code, ControlResponseCode.ERROR, message)

    def send_response(
        self, correlation_id: int, relevant_id: int, code: ControlResponseCode, message: str = ""
    ) -> None:
        """Send a response now, or queue it until flow control allows."""
        self._send(self._response(correlation_id, relevant_id, code, message))

    def send_signal(
        self,
        correlation_id: int,
        recording_id: int,
        subscription_id: int,
        position: int,
        signal: RecordingSignal,
    ) -> None:
        """Send the outcome of a recording."""
        self._send(
            RecordingSignalEvent.encode(
                control_session_id=self.session_id,
                correlation_id=correlation_id,
                recording_id=recording_id,
                subscription_id=subscription_id,
                position=position,
                signal=signal,
            )
        )

    def try_send(self, message: bytes) -> bool:
        """Send a message of a listing; return False if it must be retried."""
        return not self._pending and self._offer(message)

    def _response(
        self, correlation_id: int, relevant_id: int, code: ControlResponseCode, message: str
    ) -> bytes:
        return ControlResponse.encode(
            control_session_id=self.session_id,
            correlation_id=correlation_id,
            relevant_id=relevant_id,
            code=code,
            version=PROTOCOL_VERSION,
            error_message=message,
        )

    def _offer_response(
        self, correlation_id: int, relevant_id: int, code: ControlResponseCode, message: str
    ) -> bool:
        return self._offer(self._response(correlation_id, relevant_id, code, message))

    def _send(self, message: bytes) -> None:
        if self.is_done:
            return
        if self._pending or not self._offer(message):
            self._pending.append(message)

    def _send_pending(self, now_ns: int) -> int:
        if not self._pending:
            return 0
        if self._offer(self._pending[0]):
            self._pending.popleft()
            self._deadline_ns = None
            return 1
        if self._deadline_ns is None:
            self._deadline_ns = now_ns + self._context.connect_timeout_ns
        return self._check_deadline(now_ns)

    def _offer(self, message: bytes) -> bool:
        if self._publication is None:
            return False
        try:
            is_sent = any(self._publication.offer(message) for _ in range(_SEND_ATTEMPTS))
        except (ClosedError, MaxPositionExceededError) as error:
            self._fail(str(error))
            return False
        if is_sent:
            capture_message(self._context.events, message)
        return is_sent

    # ---- the end ----

    def end(self, reason: str) -> None:
        """End it on the client's request."""
        self._end(reason)

    def _end(self, reason: str) -> None:
        if self._state is not ControlSessionState.DONE:
            self._abort_reason = reason
            self._enter(ControlSessionState.DONE, reason)

    def _fail(self, reason: str) -> None:
        if self._state is not ControlSessionState.DONE:
            self._is_orderly = False
            self._end(reason)

    def close(self, reject_image: Callable[[Image, str], None]) -> None:
        """Release its resources; the request image of a misbehaving client is rejected."""
        if not self.is_done:
            self._enter(ControlSessionState.DONE, "")
        self._pending.clear()
        if self._publication is None:
            self._orphans.drop(self._aeron.get_exclusive_publication, self._publication_id)
        if self._counter is None:
            self._orphans.drop(self._aeron.get_counter, self._counter_id)
        if self._publication is not None and not self._publication.is_closed:
            self._publication.revoke()
        if self._counter is not None:
            self._counter.close()
        if not self._is_orderly and not self.details.image.is_closed:
            reject_image(self.details.image, self._abort_reason)
