"""Authenticates clients by a name and a password in a file.

No counterpart upstream, which only has the interface. Credentials are ``name:password`` in UTF-8,
as in upstream's samples; the principal is the name.
"""

from __future__ import annotations

import hmac
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

# Sessions that end before they are answered are not reported.
# The limit of passwords waiting to be hashed, about 50 ms each: further ones are rejected
# immediately.
_MAX_WAITING: Final = 256
_MAX_CREDENTIALS: Final = 4096


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
        # By session id, oldest first: the result, its user, and the time of the request.
        self._undecided: dict[int, tuple[Task[bool] | bool, str, int]] = {}

    def __repr__(self) -> str:
        return f"<FileAuthenticator {self._file.path}>"

    def on_connect_request(self, session_id: int, encoded_credentials: bytes, now_ms: int) -> None:
        """Begin to check the password of the user."""
        while self._undecided:
            oldest = next(iter(self._undecided))
            if now_ms - self._undecided[oldest][2] < UNDECIDED_MS:
                break
            del self._undecided[oldest]
        name, colon, password = bytes(encoded_credentials[: _MAX_CREDENTIALS + 1]).partition(b":")
        answer: Task[bool] | bool = False
        user = name.decode("utf-8", "replace")
        if colon and len(encoded_credentials) <= _MAX_CREDENTIALS:
            answer = self._check_password(user, password, now_ms)
        self._undecided[session_id] = answer, user, now_ms

    def _check_password(self, name: str, password: bytes, now_ms: int) -> Task[bool] | bool:
        users = self._file.value(now_ms)
        known = users.get(name, self._unknown_user)
        token = hmac.digest(self._key, password, "sha256")
        before = self._verified.get(name)
        if before is not None and before[0] == known and hmac.compare_digest(before[1], token):
            return True
        if sum(not isinstance(each[0], bool) for each in self._undecided.values()) >= _MAX_WAITING:
            return False
        if self._executor is None:
            return self._check(name, known, password, token)
        return self._executor.submit(self._check, name, known, password, token)

    def _check(self, name: str, known: PasswordHash, password: bytes, token: bytes) -> bool:
        if not known.matches(password) or known is self._unknown_user:
            return False
        self._verified[name] = known, token
        return True

    def on_challenge_response(
        self, session_id: int, encoded_credentials: bytes, now_ms: int
    ) -> None:
        """Do nothing: no session is challenged."""

    def on_connected_session(self, proxy: SessionProxy, now_ms: int) -> None:
        """Accept or reject the session, once the result is known."""
        answer, name, _ = self._undecided.get(proxy.session_id, (False, "", now_ms))
        if not isinstance(answer, bool):
            if not answer.done():
                return  # called again
            answer = answer.result()
            self._undecided[proxy.session_id] = answer, name, now_ms
        if not answer:
            proxy.reject()
        elif not proxy.authenticate(name.encode()):
            return  # called again
        self._undecided.pop(proxy.session_id, None)

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
