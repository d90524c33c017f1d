"""Permissions of principals, from a file.

No counterpart upstream, which only has the interface. A line is a principal, a colon and its
permissions::

    # who       may
    admin:      connect snapshot
    trader-1:   connect
    backup-1:   backup
    *:          connect

``*`` is every principal without its own line. A permission is ``connect`` (open a session),
``snapshot`` (request a snapshot, as an administrator), ``backup`` (a backup's queries), ``standby``
(offer a standby's snapshot), ``all``, or a message by the numbers of its schema, its template and
optionally its type, such as ``111.26.0``; ``*`` stands for any number. Everything else is rejected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from aeron_cluster.cluster.security.access_file import AccessFile, entries
from aeron_cluster.codecs.cluster import (
    SCHEMA,
    AdminRequest,
    AdminRequestType,
    BackupQuery,
    HeartbeatRequest,
    SessionConnectRequest,
    StandbySnapshot,
)
from aeron_cluster.errors import AccessFileError

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Clock, Files

__all__ = ["ConnectPolicy", "Policy", "PolicyFile", "parse_policy"]

_ANY: Final = -1
_Rule = tuple[int, int, int]
"""Schema, template and type; each may be `_ANY`."""

Policy = Mapping[str, frozenset[_Rule]]
"""The rules by principal."""


def _of_cluster(template_id: int, type_: int = _ANY) -> _Rule:
    return SCHEMA.schema_id, template_id, type_


_WORDS: Final[dict[str, frozenset[_Rule]]] = {
    "all": frozenset({(_ANY, _ANY, _ANY)}),
    "connect": frozenset({_of_cluster(SessionConnectRequest.template_id)}),
    "snapshot": frozenset({_of_cluster(AdminRequest.template_id, AdminRequestType.SNAPSHOT)}),
    "backup": frozenset(
        {_of_cluster(BackupQuery.template_id), _of_cluster(HeartbeatRequest.template_id)}
    ),
    "standby": frozenset({_of_cluster(StandbySnapshot.template_id)}),
}
_NUMBERS: Final = re.compile(r"(\d{1,5}|\*)\.(\d{1,5}|\*)(?:\.(\d{1,9}|\*))?", re.ASCII)
# Other content is not shown: the file may be one of users, with password hashes.
_SHOWN: Final = re.compile(r"[\w.,*-]{1,24}", re.ASCII)
_EVERY_USER: Final = "*"
_NO_RULES: Final[frozenset[_Rule]] = frozenset()


@runtime_checkable
class ConnectPolicy(Protocol):
    """An authorisation service that also authorises opening sessions; upstream's does not."""

    def may_connect(self, encoded_principal: bytes) -> bool:
        """Return whether an authenticated principal may open a session."""


class PolicyFile:
    """An authorisation service configured by a file.

    Parameters
    ----------
    path : str
        The file; a change applies a second later.
    files : Files
    clock : Clock
    report : Callable[[Exception], object]
        Called with an error when the file has become invalid or unsafe; its earlier content applies
        until it is fixed.

    Raises
    ------
    AccessFileError
        The file is invalid or unsafe; the error names file and line.
    """

    def __init__(
        self, path: str, files: Files, clock: Clock, report: Callable[[Exception], object]
    ) -> None:
        self._clock = clock
        self._file: AccessFile[Policy] = AccessFile(
            files, path, parse_policy, report, clock.epoch_ms()
        )

    def __repr__(self) -> str:
        return f"<PolicyFile {self._file.path}>"

    def __call__(
        self, protocol_id: int, action_id: int, type_: object, encoded_principal: bytes
    ) -> bool:
        """Return whether a principal may make a request."""
        number = int(type_) if isinstance(type_, int) else _ANY
        return any(
            schema in (_ANY, protocol_id)
            and template in (_ANY, action_id)
            and kind in (_ANY, number)
            for schema, template, kind in self._rules(encoded_principal)
        )

    def may_connect(self, encoded_principal: bytes) -> bool:
        """Return whether an authenticated principal may open a session."""
        return self(SCHEMA.schema_id, SessionConnectRequest.template_id, None, encoded_principal)

    def _rules(self, encoded_principal: bytes) -> frozenset[_Rule]:
        policy = self._file.value(self._clock.epoch_ms())
        try:
            name = bytes(encoded_principal).decode("utf-8")
        except UnicodeDecodeError:
            name = _EVERY_USER
        own = policy.get(name)
        return policy.get(_EVERY_USER, _NO_RULES) if own is None else own


def parse_policy(path: str, data: bytes) -> Policy:
    """Parse a file of permissions.

    Raises
    ------
    AccessFileError
        A line is malformed, or a principal occurs twice; the error names file and line.
    """
    policy: dict[str, frozenset[_Rule]] = {}
    for number, line in entries(path, data):
        name, colon, text = line.rpartition(":")
        name = name.strip()
        if not colon or not name:
            raise AccessFileError(path, number, "principal: permissions", _shown(line))
        if name in policy:
            raise AccessFileError(path, number, "each principal once", f"{name!r} again")
        policy[name] = frozenset().union(*(_rules(path, number, word) for word in text.split()))
    return policy


def _shown(text: str) -> str:
    return repr(text) if _SHOWN.fullmatch(text) else "something else"


def _rules(path: str, number: int, word: str) -> frozenset[_Rule]:
    if word in _WORDS:
        return _WORDS[word]
    found = _NUMBERS.fullmatch(word)
    if found is None:
        words = ", ".join(_WORDS)
        raise AccessFileError(path, number, f"one of {words}, or schema.template", _shown(word))
    schema, template, kind = (_ANY if each in (None, "*") else int(each) for each in found.groups())
    return frozenset({(schema, template, kind)})
