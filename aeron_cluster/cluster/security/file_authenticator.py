"""Authenticates clients by a name and a password in a file.

No counterpart upstream, which only has the interface. Credentials are ``name:password`` in UTF-8,
as in upstream's samples; the principal is the name.
"""

from __future__ import annotations

import hmac
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.client.security import UNDECIDED_MS
from aeron_cluster.cluster.security.access_file import AccessFile
from aeron_cluster.cluster.security.users_file import SALT_LENGTH, PasswordHash, Users, parse_users
from aeron_cluster.memory.system.task_executor import Task, TaskExecutor

if TYPE_CHECKING:
    from aeron_cluster.client.security import SessionProxy
    from aeron_cluster.memory.system.seams import Clock, Files, Random

__all__ = ["FileAuthenticator", "FileAuthenticatorSupplier"]

# The limit of passwords passed to the thread and not hashed yet, about 50 ms each; the others wait
# here, as many as the module admits clients without a session.
_MAX_HASHING: Final = 256
_MAX_CREDENTIALS: Final = 4096


class _Request:
    """A request of a session that is not decided yet.

    Parameters
    ----------
    name : str
    now_ms : int
        The time of the request.

    Attributes
    ----------
    answer : bool or Task, optional
        Whether the password is right; None until the thread is to check it.
    is_over : bool
        Whether the session has ended: its password is not hashed any more.
    """

    __slots__ = ("answer", "begun_ms", "is_over", "name")

    def __init__(self, name: str, now_ms: int) -> None:
        self.name = name
        self.begun_ms = now_ms
        self.answer: Task[bool] | bool | None = None
        self.is_over = False


class FileAuthenticator:
    """Authenticates users by a file with salted hashes of their passwords.

    Parameters
    ----------
    path : str
        The file; `aeron_cluster.cluster.security.users_file` describes its format, and
        ``aeron-cluster users`` writes it. A change applies to clients that connect a second later;
        open sessions stay open.
    files : Files
    clock : Clock
        The clock for checks of the file.
    random : Random
        The random source for a key that is not in any file.
    report : Callable[[Exception], object]
        Called with an error when the file has become invalid or unsafe.
    is_threaded : bool
        Hash on a separate thread, which starts with the first password and does not delay the
        module's duty cycle. False: hash immediately, as required in a simulation.

    Raises
    ------
    AccessFileError
        The file is invalid or unsafe.

    Notes
    -----
    An unknown name takes as long as a wrong password. A user authenticated before, with the
    same password, is accepted again without hashing: after a failover all clients reconnect at the
    same time.
    """

    def __init__(
        self,
        path: str,
        files: Files,
        clock: Clock,
        random: Random,
        report: Callable[[Exception], object],
        *,
        is_threaded: bool = True,
    ) -> None:
        self._file: AccessFile[Users] = AccessFile(
            files, path, parse_users, report, clock.epoch_ms()
        )
        self._executor = TaskExecutor("aeron-authenticator") if is_threaded else None
        self._key = b"".join(random.next().to_bytes(8, "little") for _ in range(4))
        # For unknown names: the hash of no password.
        self._unknown_user = PasswordHash(14, 8, 1, self._key[:SALT_LENGTH], self._key)
        # By name: the requested hash, and a digest of its password.
        self._verified: dict[str, tuple[PasswordHash, bytes]] = {}
        # By session id, oldest first.
        self._undecided: dict[int, _Request] = {}
        # The checks that the thread is to do next, and those passed to it, oldest first.
        self._waiting: deque[tuple[_Request, Callable[[], bool]]] = deque()
        self._hashing: deque[Task[bool]] = deque()

    def __repr__(self) -> str:
        return f"<FileAuthenticator {self._file.path}>"

    def on_connect_request(self, session_id: int, encoded_credentials: bytes, now_ms: int) -> None:
        """Begin to check the password of the user."""
        # Those whose end was not reported.
        while self._undecided:
            oldest = next(iter(self._undecided))
            if now_ms - self._undecided[oldest].begun_ms < UNDECIDED_MS:
                break
            self.on_session_ended(oldest)
        name, colon, password = bytes(encoded_credentials[: _MAX_CREDENTIALS + 1]).partition(b":")
        request = _Request(name.decode("utf-8", "replace"), now_ms)
        self._undecided[session_id] = request
        if colon and len(encoded_credentials) <= _MAX_CREDENTIALS:
            self._begin_check(request, password)
        else:
            request.answer = False

    def _begin_check(self, request: _Request, password: bytes) -> None:
        known = self._file.value(request.begun_ms).get(request.name, self._unknown_user)
        token = hmac.digest(self._key, password, "sha256")
        before = self._verified.get(request.name)
        if before is not None and before[0] == known and hmac.compare_digest(before[1], token):
            request.answer = True
        elif self._executor is None:
            request.answer = self._check(request, known, password, token)
        else:
            self._waiting.append((request, partial(self._check, request, known, password, token)))
            self._advance(self._executor)

    def _advance(self, executor: TaskExecutor) -> None:
        """Pass as many checks to the thread as it has room for."""
        while self._hashing and self._hashing[0].done():
            self._hashing.popleft()
        while self._waiting and len(self._hashing) < _MAX_HASHING:
            request, check = self._waiting.popleft()
            if not request.is_over:
                request.answer = task = executor.submit(check)
                self._hashing.append(task)

    def _check(self, request: _Request, known: PasswordHash, password: bytes, token: bytes) -> bool:
        if request.is_over or not known.matches(password) or known is self._unknown_user:
            return False
        self._verified[request.name] = known, token
        return True

    def on_challenge_response(
        self, session_id: int, encoded_credentials: bytes, now_ms: int
    ) -> None:
        """Do nothing: no session is challenged."""

    def on_connected_session(self, proxy: SessionProxy, now_ms: int) -> None:  # noqa: ARG002
        """Accept or reject the session, once the result is known."""
        request = self._undecided.get(proxy.session_id)
        if request is None:
            proxy.reject()
            return
        if self._executor is not None:
            self._advance(self._executor)
        answer = request.answer
        if answer is None or not (isinstance(answer, bool) or answer.done()):
            return  # called again
        if not (answer if isinstance(answer, bool) else answer.result()):
            proxy.reject()
        elif not proxy.authenticate(request.name.encode()):
            return  # called again
        del self._undecided[proxy.session_id]

    def on_session_ended(self, session_id: int) -> None:
        """Drop the request of a session that ended before it was decided."""
        request = self._undecided.pop(session_id, None)
        if request is not None:
            request.is_over = True

    def on_challenged_session(self, proxy: SessionProxy, now_ms: int) -> None:  # noqa: ARG002
        """Reject the session: this authenticator never challenges."""
        proxy.reject()

    def close(self) -> None:
        """Stop hashing. Calling it again does nothing."""
        if self._executor is not None:
            self._executor.close()


class FileAuthenticatorSupplier:
    """Creates the authenticator of a module: an ``authenticator_supplier``.

    Parameters
    ----------
    path : str
        The file of users.
    files, clock, random, report, is_threaded
        As for `FileAuthenticator`.
    """

    def __init__(
        self,
        path: str,
        files: Files,
        clock: Clock,
        random: Random,
        report: Callable[[Exception], object],
        *,
        is_threaded: bool,
    ) -> None:
        self._make = partial(
            FileAuthenticator, path, files, clock, random, report, is_threaded=is_threaded
        )

    def __call__(self) -> FileAuthenticator:
        """Read the file."""
        return self._make()
