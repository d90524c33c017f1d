"""The users of a cluster and the hashes of their passwords.

No counterpart upstream. A line is a name, a colon and a hash in the common PHC string format::

    alice:$scrypt$ln=14,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$9l5kU3Zp...

``ln`` is the logarithm of scrypt's cost N; salt and hash are Base64 without padding. Empty lines
and lines that begin with ``#`` are ignored.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from dataclasses import dataclass, field
from typing import Final, Self

from aeron_cluster.cluster.security.access_file import entries
from aeron_cluster.errors import AccessFileError, ConfigurationError

__all__ = [
    "SALT_LENGTH",
    "PasswordHash",
    "Users",
    "check_name",
    "parse_users",
    "with_user",
    "without_user",
]

SALT_LENGTH: Final = 16
"""Bytes of a new hash's salt."""

_HASH_LENGTH: Final = 32
_DEFAULT_LOG_COST: Final = 14
_FORM: Final = re.compile(
    r"\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)", re.ASCII
)
_NAME: Final = re.compile(r"[^\s:#*,\x00-\x1f\x7f]{1,128}")
# The limit of memory for a hash: a file must not make the node exhaust its memory.
_MAX_MEMORY: Final = 64 << 20
_MAX_PARALLELISM: Final = 4
_LOG_COSTS: Final = range(10, 18)
_SALT_LENGTHS: Final = range(8, 65)
_HASH_LENGTHS: Final = range(16, 65)


@dataclass(frozen=True, slots=True)
class PasswordHash:
    """The hash of a password.

    Parameters
    ----------
    log_cost, block_size, parallelism : int
        The parameters of scrypt: log2 N, r and p.
    salt, digest : bytes
    """

    log_cost: int
    block_size: int
    parallelism: int
    salt: bytes = field(repr=False)
    digest: bytes = field(repr=False)

    @classmethod
    def of(cls, password: bytes, salt: bytes, *, log_cost: int = _DEFAULT_LOG_COST) -> Self:
        """Hash a password: about 50 ms of work and 16 MiB with the default cost."""
        unhashed = cls(log_cost, 8, 1, salt, bytes(_HASH_LENGTH))
        return cls(log_cost, 8, 1, salt, unhashed._scrypt(password))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a hash.

        Raises
        ------
        ValueError
            The text is not a hash; the message states what was expected, but not the text.
        """
        found = _FORM.fullmatch(text)
        if found is None:
            raise ValueError("a hash as $scrypt$ln=14,r=8,p=1$salt$hash")
        log_cost, block_size, parallelism = (int(each) for each in found.groups()[:3])
        if (
            log_cost not in _LOG_COSTS
            or not 1 <= parallelism <= _MAX_PARALLELISM
            or not 0 < 128 * block_size << log_cost <= _MAX_MEMORY
        ):
            raise ValueError(
                f"ln from {_LOG_COSTS[0]} to {_LOG_COSTS[-1]}, p from 1 to {_MAX_PARALLELISM}"
                f" and at most {_MAX_MEMORY >> 20} MiB"
            )
        salt, digest = _decode(found[4]), _decode(found[5])
        if len(salt) not in _SALT_LENGTHS or len(digest) not in _HASH_LENGTHS:
            raise ValueError("a salt of 8 to 64 bytes and a hash of 16 to 64")
        return cls(log_cost, block_size, parallelism, salt, digest)

    def __str__(self) -> str:
        return (
            f"$scrypt$ln={self.log_cost},r={self.block_size},p={self.parallelism}"
            f"${_encode(self.salt)}${_encode(self.digest)}"
        )

    def matches(self, password: bytes) -> bool:
        """Return whether a password matches; takes the full time of the hash in any case."""
        return hmac.compare_digest(self._scrypt(password), self.digest)

    def _scrypt(self, password: bytes) -> bytes:
        memory = 128 * self.block_size * ((1 << self.log_cost) + self.parallelism + 2)
        return hashlib.scrypt(
            password,
            salt=self.salt,
            n=1 << self.log_cost,
            r=self.block_size,
            p=self.parallelism,
            maxmem=memory + (1 << 20),
            dklen=len(self.digest),
        )


Users = dict[str, PasswordHash]
"""Password hashes by name."""


def parse_users(path: str, data: bytes) -> Users:
    """Read a file of users.

    Raises
    ------
    AccessFileError
        A line is malformed, or a name occurs twice; the error names file and line.
    """
    users: Users = {}
    for number, line in entries(path, data):
        name, colon, text = line.partition(":")
        if not colon:
            raise AccessFileError(path, number, "name:hash", "no colon")
        if _NAME.fullmatch(name) is None:
            raise AccessFileError(path, number, "a name without blanks, commas, * or #", repr(name))
        if name in users:
            raise AccessFileError(path, number, "each name once", f"{name!r} again")
        try:
            users[name] = PasswordHash.parse(text)
        except ValueError as error:
            raise AccessFileError(path, number, str(error), f"something else of {name!r}") from None
    return users


def check_name(name: str) -> str:
    """Return a valid name of a user.

    Raises
    ------
    ConfigurationError
        The name is invalid.
    """
    if _NAME.fullmatch(name) is None:
        raise ConfigurationError("user", "a name without blanks, commas, colons, * or #", name)
    return name


def with_user(path: str, data: bytes, name: str, password: PasswordHash) -> bytes:
    """Return a file's content with a user added or changed; comments are kept.

    Raises
    ------
    AccessFileError
        The file is not a file of users.
    ConfigurationError
        The name is invalid.
    """
    line = f"{check_name(name)}:{password}".encode()
    if name in parse_users(path, data):
        return b"\n".join(line if _names(each, name) else each for each in data.split(b"\n"))
    return data + (b"\n" if data and not data.endswith(b"\n") else b"") + line + b"\n"


def without_user(path: str, data: bytes, name: str) -> bytes:
    """Return a file's content without a user; comments are kept.

    Raises
    ------
    AccessFileError
        The file is not a file of users.
    """
    parse_users(path, data)
    return b"\n".join(each for each in data.split(b"\n") if not _names(each, name))


def _names(line: bytes, name: str) -> bool:
    # As the users are parsed: text has more white space than ASCII's.
    return line.decode().strip().startswith(f"{name}:")


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii").rstrip("=")


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        raise ValueError("salt and hash in Base64 without padding") from None
