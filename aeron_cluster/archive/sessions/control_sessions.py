"""All control sessions, their ids, and their replay tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.sessions.control_session import ConnectDetails, ControlSession
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.errors import AgentTerminationError, OperationError
from aeron_cluster.memory.agents.user_callback import call_user

if TYPE_CHECKING:
    from aeron_cluster.archive.context import ArchiveContext
    from aeron_cluster.archive.sessions.orphans import Orphans
    from aeron_cluster.archive.sessions.session_watch import SessionWatch
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.security import Authenticator

__all__ = ["ControlSessions"]


@dataclass(frozen=True, slots=True)
class _Token:
    session: ControlSession
    recording_id: int
    deadline_ns: int


class ControlSessions:
    """The control sessions by id.

    Parameters
    ----------
    context : ArchiveContext
    aeron : Aeron
        The archive's own client.
    authenticator : Authenticator
    orphans : Orphans
        Closes driver resources that are no longer needed when they arrive.
    count : Callable[[int], object]
        Notified of the count whenever it changes.
    reject_image : Callable[[Image, str], None]
        Rejects the image of a misbehaving client.
    """

    def __init__(
        self,
        context: ArchiveContext,
        aeron: Aeron,
        authenticator: Authenticator,
        orphans: Orphans,
        count: Callable[[int], object],
        reject_image: Callable[[Image, str], None],
    ) -> None:
        self._context = context
        self._aeron = aeron
        self._authenticator = authenticator
        self._orphans = orphans
        self._count = count
        self._reject_image = reject_image
        self._sessions: dict[int, ControlSession] = {}
        self._tokens: dict[int, _Token] = {}
        self._next_id = context.seams.random.below(2**31)

    @property
    def is_busy(self) -> bool:
        """Whether there may be work in every pass."""
        return any(session.is_busy for session in self._sessions.values())

    def find(self, session_id: int) -> ControlSession | None:
        """Return a session by its id."""
        return self._sessions.get(session_id)

    def open(self, details: ConnectDetails, encoded_credentials: bytes) -> None:
        """Open a session for a connecting client, unless the authenticator raises."""
        session_id = self.next_id()
        session = ControlSession(
            self._context,
            self._aeron,
            self._authenticator,
            self._orphans,
            session_id,
            details,
            self._context.seams.clock.nano_time(),
        )
        try:
            call_user(
                "authenticator",
                self._authenticator.on_connect_request,
                session_id,
                encoded_credentials,
                self._context.epoch_ms(),
            )
        except BaseException:
            session.close(self._reject_image)
            raise
        self._sessions[session_id] = session
        self._count(len(self._sessions))

    def next_id(self) -> int:
        """Return an id that no session or other entity of the archive has."""
        found = self._next_id
        self._next_id += 1
        return found

    # ---- tokens ----

    def new_token(self, session: ControlSession, recording_id: int) -> int:
        """Return a token for the session in replay requests of a recording."""
        token = NULL_VALUE
        while token == NULL_VALUE or token in self._tokens:
            token = self._context.seams.random.below(2**63)
        deadline_ns = self._context.seams.clock.nano_time() + self._context.connect_timeout_ns
        self._tokens[token] = _Token(session, recording_id, deadline_ns)
        return token

    def by_token(self, token: int, recording_id: int) -> ControlSession | None:
        """Return the session of a token, or None if it is unknown or expired."""
        found = self._tokens.get(token)
        if found is None or found.recording_id != recording_id:
            return None
        if self._context.seams.clock.nano_time() >= found.deadline_ns:
            return None
        return found.session

    def _expire_tokens(self, now_ns: int) -> None:
        self._tokens = {
            token: each
            for token, each in self._tokens.items()
            if now_ns < each.deadline_ns and not each.session.is_done
        }

    # ---- the passes ----

    def do_work(self, now_ns: int) -> int:
        """Do what is due, the newest session first; return the work count."""
        if self._tokens:
            self._expire_tokens(now_ns)
        work_count = 0
        for session_id in reversed(tuple(self._sessions)):
            session = self._sessions[session_id]
            try:
                work_count += session.do_work(now_ns)
            except AgentTerminationError:
                raise
            except Exception as error:  # noqa: BLE001 - of one client: the others are served
                self._context.error_handler(error)
                session.end(f"it failed: {error}")
            if session.is_done:
                self._end(session)
        return work_count

    @property
    def watches(self) -> tuple[SessionWatch, ...]:
        """The states of the active sessions, for checks without the GIL."""
        watches = (session.watch for session in self._sessions.values())
        return tuple(watch for watch in watches if watch is not None)

    def next_deadline_ns(self, now_ns: int) -> int:
        """Return when the next session is due."""
        return min(
            (session.next_deadline_ns(now_ns) for session in self._sessions.values()),
            default=2**63 - 1,
        )

    def _end(self, session: ControlSession) -> None:
        del self._sessions[session.session_id]
        session.close(self._reject_image)
        self._count(len(self._sessions))
        if not session.is_orderly:
            self._context.error_handler(
                OperationError(
                    f"controlSessionId={session.session_id} terminated: {session.abort_reason}",
                    ArchiveErrorCode.GENERIC,
                )
            )

    def close(self) -> None:
        """End all sessions."""
        for session in tuple(self._sessions.values()):
            session.end("the archive was closed")
            self._end(session)
