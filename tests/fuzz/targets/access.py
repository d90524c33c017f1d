"""Files of users, permissions and credentials: read again when they change, or rejected."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from aeron_cluster.cluster.security.access_file import AccessFile
from aeron_cluster.cluster.security.file_credentials import FileCredentials
from aeron_cluster.cluster.security.policy_file import parse_policy
from aeron_cluster.cluster.security.users_file import PasswordHash, parse_users
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from tests.fuzz.mutator import Mutator, TextMutator
from tests.fuzz.target import Feed, Target

__all__ = ["TARGETS", "IgnoredFileError"]

_PATH: Final = "/data/access"
_CHECKED_AGAIN_MS: Final = 1_000
_SHARE: Final = 8
_HASHES: Final = [
    str(PasswordHash(14, 8, 1, bytes(range(16)), bytes(range(100, 132)))),
    str(PasswordHash(10, 1, 4, b"\xff" * 64, b"\xfb\xf0" * 32)),
]
_USERS: Final = [
    f"# the users\nalice:{_HASHES[0]}\n\n  bob:{_HASHES[1]}\r\n",
    f"trader-1:{_HASHES[0]}\nÄnne:{_HASHES[1]}\n",
]
_POLICIES: Final = [
    "# who may\nadmin:  connect snapshot\nbackup-1: backup\n*:connect\n",
    "a:b: 111.26.0 *.3\nstandby:standby\nroot: all\nnobody:\n",
]
_CREDENTIALS: Final = ["alice:a password\n", "bob:ü\r\nsecond line"]
_WORDS: Final = (
    *("$scrypt$", "ln=14", ",r=8", ",p=1", "ln=99", "r=0", "=", "/+", "alice:", "bob:", "*:"),
    *("connect", "snapshot", "backup", "standby", "all", "111.26.0", "99999.*", "*.*.*"),
    *("\r", "\r\n", "\x1c", "\x85", "\xa0", "\u2028", "\ufeff", "#"),
)


class IgnoredFileError(Exception):
    """An invalid file was not reported, or changed what applies."""


def _drawn(corpus: Sequence[str], seed: int) -> Iterator[bytes]:
    """Yield damaged texts and damaged bytes, in turns."""
    texts = TextMutator(corpus, _WORDS, seed)
    data = Mutator([each.encode() for each in corpus], seed)
    while True:
        yield texts.draw().encode("utf-8")
        yield data.draw()


def _of_access_file(
    name: str, corpus: Sequence[str], parse: Callable[[str, bytes], object]
) -> Target:
    """Return a target of a file that a running node reads again: an invalid one is reported, and
    its earlier content applies.
    """

    @contextlib.contextmanager
    def begin(seed: int) -> Iterator[Feed]:
        files = MemoryFiles(directories=("/data",))
        files.replace(_PATH, corpus[0].encode())
        reported: list[Exception] = []
        file = AccessFile(files, _PATH, parse, reported.append, 0)
        now_ms, failure = 0, ""
        inputs = _drawn(corpus, seed)

        def feed() -> bool:
            nonlocal now_ms, failure
            before, data = file.value(now_ms), next(inputs)
            files.replace(_PATH, data)
            reported.clear()
            now_ms += _CHECKED_AGAIN_MS
            after = file.value(now_ms)
            try:
                expected = parse(_PATH, data)
            except AeronClusterError as error:
                if after is not before:
                    raise IgnoredFileError(f"another content applies: {data!r}") from None
                if not reported and str(error) != failure:
                    raise IgnoredFileError(f"not reported: {data!r}") from None
                failure = str(error)
                return False
            failure = ""
            if after != expected or reported:
                raise IgnoredFileError(f"it does not apply: {data!r}, {reported}")
            return True

        yield feed

    return Target(name, begin, share=_SHARE)


def _users(path: str, data: bytes) -> object:
    users = parse_users(path, data)
    for each in users.values():
        # What is written for a user is what was read.
        assert PasswordHash.parse(str(each)) == each
    return users


@contextlib.contextmanager
def _begin_credentials(seed: int) -> Iterator[Feed]:
    files = MemoryFiles(directories=("/data",))
    inputs = _drawn(_CREDENTIALS, seed)

    def feed() -> bool:
        files.replace(_PATH, next(inputs))
        found = FileCredentials(files, _PATH).encoded_credentials()
        assert found
        assert b"\n" not in found
        return True

    yield feed


TARGETS = (
    _of_access_file("users files", _USERS, _users),
    _of_access_file("policy files", _POLICIES, parse_policy),
    Target("credentials files", _begin_credentials, share=_SHARE),
)
