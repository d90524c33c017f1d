"""The directory of a cluster member, and the components that use it, by its mark files.

Upstream: the part of ClusterToolOperator that finds and opens mark files.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.state.mark_file import (
    FAILED_START,
    HEADER_LENGTH_OFFSET,
    MAX_HEADER_LENGTH,
    decode_header,
    find_mark_file,
    mark_file_name,
)
from aeron_cluster.cluster.state.recording_log import FILE_NAME as RECORDING_LOG_NAME
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.codecs.cluster_mark import SCHEMA, MarkFileHeader
from aeron_cluster.codecs.mark_header import OLD_BLOCK_LENGTH, has_message_header
from aeron_cluster.errors import (
    CorruptError,
    DirectoryInUseError,
    MessageError,
    MissingFileError,
    StateError,
    TimeoutExpiredError,
    VersionError,
)
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.shared.error_log import read_error_log
from aeron_cluster.memory.shared.mark_file import Presence, presence_of
from aeron_cluster.memory.system.process import ProcessIdentity
from aeron_cluster.memory.system.seams import Seams

if TYPE_CHECKING:
    from aeron_cluster.memory.shared.error_text import ErrorLogEntry
    from aeron_cluster.memory.system.seams import Files

__all__ = ["ClusterDirectory", "Component", "Presence", "read_component"]

_SBE_HEADER: Final = struct.Struct("<HHHH")
_MIN_HEADER_LENGTH: Final = 8 + MarkFileHeader.block_length
_MAX_ERROR_LOG_LENGTH: Final = 1 << 30
_INITIAL_READ_LENGTH: Final = 8192  # more than the longest header
# In the file, after the message header; files of the old form have none.
_VERSION_OFFSET: Final = 8
_ERROR_LOG_LENGTH_OFFSET: Final = 76
_OWNER_OFFSET: Final = 96
# Message header, component type, activity, start time, process, owner.
_WRITTEN_FIRST: Final = ((0, 8), (12, 40), (96, 128))
_SERVICE_PREFIX: Final = "cluster-mark-service-"
_RECHECK_INTERVAL_NS: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A component described by its mark file: consensus module, service container or backup.

    Parameters
    ----------
    path : str
        The mark file.
    header : MarkFileHeader
    schema_version, block_length : int
        The schema version of its writer; -1 for the old form without a schema.
    presence : Presence
        When it was read.
    errors : tuple of ErrorLogEntry
        The distinct error log.
    """

    path: str
    header: MarkFileHeader
    schema_version: int
    block_length: int
    presence: Presence
    errors: tuple[ErrorLogEntry, ...]

    @property
    def is_alive(self) -> bool:
        """Whether its process uses the directory now."""
        return self.presence.is_alive


def read_component(seams: Seams, path: str) -> Component:
    """Read a mark file that may be written at the same time.

    Raises
    ------
    MissingFileError
        It is missing.
    CorruptError, VersionError
        It is not a mark file of a cluster, or has another major version.
    """
    try:
        file = seams.files.open(path)
    except FileNotFoundError:
        raise MissingFileError(
            path, "a cluster mark file", "is this the cluster directory of a member that ran?"
        ) from None
    with file:
        head = file.read_at(_INITIAL_READ_LENGTH, 0)
        header, schema_version, block_length = _decode(path, head)
        if not 0 <= header.error_buffer_length <= _MAX_ERROR_LOG_LENGTH:
            raise CorruptError(
                path,
                _ERROR_LOG_LENGTH_OFFSET - (0 if schema_version >= 0 else _SBE_HEADER.size),
                "error log length",
                f"0 to {_MAX_ERROR_LOG_LENGTH}",
                header.error_buffer_length,
            )
        log = file.read_at(header.error_buffer_length, header.header_length)
    return Component(
        path=path,
        header=header,
        schema_version=schema_version,
        block_length=block_length,
        presence=_presence(seams, header, head),
        errors=tuple(read_error_log(log)),
    )


class _UnwrittenHeaderError(CorruptError):
    """A mark file without a header: its owner has claimed it, and is about to write the header."""


def _is_unwritten(head: bytes) -> bool:
    """Return whether a file has at most what is written before the length of its header.

    That is what `MarkFile.claim` writes, then message header, component type and start time.
    """
    rest = bytearray(head)
    for begin, end in _WRITTEN_FIRST:
        rest[begin:end] = bytes(len(rest[begin:end]))
    if not head:
        return True
    begins = not any(head[: _SBE_HEADER.size]) or has_message_header(head, MarkFileHeader)
    return len(head) >= _MIN_HEADER_LENGTH and begins and not any(rest)


def _decode(path: str, head: bytes) -> tuple[MarkFileHeader, int, int]:
    if _is_unwritten(head):
        raise _UnwrittenHeaderError(path, 0, "mark file header", "a header", "none yet")
    if len(head) < _MIN_HEADER_LENGTH:
        raise CorruptError(path, 0, "length", f"at least {_MIN_HEADER_LENGTH}", len(head))
    block_length, template_id, schema_id, version = _SBE_HEADER.unpack_from(head)
    if (template_id, schema_id) != (MarkFileHeader.template_id, SCHEMA.schema_id):
        return _decode_old(path, head), -1, OLD_BLOCK_LENGTH
    try:
        header = MarkFileHeader.decode(head)
    except MessageError as error:
        raise CorruptError(path, 0, "header", error.expected, error.found) from error
    _check_version(path, _VERSION_OFFSET, header)
    if not _MIN_HEADER_LENGTH <= header.header_length <= MAX_HEADER_LENGTH:
        expected = f"{_MIN_HEADER_LENGTH} to {MAX_HEADER_LENGTH}"
        raise CorruptError(
            path, HEADER_LENGTH_OFFSET, "header length", expected, header.header_length
        )
    return header, version, block_length


def _decode_old(path: str, head: bytes) -> MarkFileHeader:
    """Read the form that mark files had before they began with a message header."""
    expected = f"template {MarkFileHeader.template_id} of schema {SCHEMA.schema_id}"
    try:
        header = decode_header(head)
    except MessageError as error:
        raise CorruptError(path, 0, "mark file header", expected, "another file") from error
    is_old_form = (
        header.component_type in (1, 2, 3, 4)
        and header.version in range(FAILED_START, 1 << 16)
        and OLD_BLOCK_LENGTH <= header.header_length <= MAX_HEADER_LENGTH
    )
    if not is_old_form:
        raise CorruptError(path, 0, "mark file header", expected, "another file")
    return header


def _check_version(path: str, offset: int, header: MarkFileHeader) -> None:
    if header.version != FAILED_START and header.version >> 16 != 0:
        raise VersionError(path, offset, "version", "0.x.y", hex(header.version))


def _presence(seams: Seams, header: MarkFileHeader, head: bytes) -> Presence:
    if header.version == FAILED_START:
        return Presence.FAILED_TO_START
    identity = ProcessIdentity.unpack(
        header.pid, head[_OWNER_OFFSET : _OWNER_OFFSET + ProcessIdentity.LENGTH]
    )
    return presence_of(seams, header.version, header.activity_timestamp, identity)


class ClusterDirectory:
    """The directory of a member.

    Parameters
    ----------
    directory : str
        The cluster directory, or the directory of a node, which contains it as ``cluster``.
    seams : Seams, optional
        Time and files; by default the system's.

    Attributes
    ----------
    path : str
        The cluster directory.
    seams : Seams

    Raises
    ------
    MissingFileError
        There is no such directory.
    """

    def __init__(self, directory: str, seams: Seams | None = None) -> None:
        self.seams = Seams() if seams is None else seams
        if not self._files.is_directory(directory):
            raise MissingFileError(
                directory, "a cluster directory", "give the cluster directory of a member"
            )
        inside = f"{directory}/cluster"
        is_node = not self._has_member_files(directory) and self._files.is_directory(inside)
        self.path = inside if is_node else directory.rstrip("/") or "/"

    def __repr__(self) -> str:
        return f"ClusterDirectory({self.path!r})"

    @property
    def _files(self) -> Files:
        return self.seams.files

    def _has_member_files(self, directory: str) -> bool:
        names = (RECORDING_LOG_NAME, mark_file_name(), "cluster-mark.lnk")
        return any(self._files.exists(f"{directory}/{name}") for name in names)

    # ---- its components ----

    @property
    def has_component(self) -> bool:
        """Whether a consensus module or a backup has a mark file."""
        return self._files.exists(find_mark_file(self._files, self.path))

    def component(self, timeout_ns: int = 0) -> Component:
        """Return the consensus module, or the backup.

        Parameters
        ----------
        timeout_ns : int
            The longest wait for its mark file, its header, and the end of its start; 0 for none.

        Raises
        ------
        MissingFileError
            It has no mark file.
        CorruptError, VersionError
            The file is not a mark file of a cluster, or has another major version.
        """
        return self._await_component(self.path, None, timeout_ns)

    def started_component(self, timeout_ns: int = 0) -> Component:
        """Return the consensus module, or the backup, for callers that communicate with it.

        Raises
        ------
        TimeoutExpiredError
            It is still starting.
        StateError
            It failed to start.
        MissingFileError, CorruptError, VersionError
            As for `component`.
        """
        try:
            found = self.component(timeout_ns)
        except _UnwrittenHeaderError as error:
            if timeout_ns == 0:
                raise
            raise TimeoutExpiredError(
                f"{error.path}: no header was written to it; wait for the member's start"
            ) from error
        if found.presence is Presence.STARTING:
            raise TimeoutExpiredError(f"{found.path}: the member is still starting; wait for it")
        if found.presence is Presence.FAILED_TO_START:
            raise StateError(f"{found.path}: the member failed to start; see its error log")
        return found

    def services(self, component: Component | None = None, timeout_ns: int = 0) -> list[Component]:
        """Return the service containers.

        Parameters
        ----------
        component : Component, optional
            The module; its mark file may name another directory for those of its services.
        timeout_ns : int
            The longest wait for each one's header, and the end of its start; 0 for none.

        Raises
        ------
        CorruptError, VersionError
            As for `component`.
        """
        directory = self.path
        if component is not None and component.header.services_cluster_dir:
            directory = component.header.services_cluster_dir
        if not self._files.is_directory(directory):
            return []
        ids = set()
        for name in self._files.list(directory):
            stem, dot, ending = name.rpartition(".")
            number = stem.removeprefix(_SERVICE_PREFIX)
            if dot and stem != number and number.isdecimal() and ending in ("dat", "lnk"):
                ids.add(int(number))
        return [
            self._await_component(directory, each, timeout_ns)
            for each in sorted(ids)
            if self._files.exists(find_mark_file(self._files, directory, each))
        ]

    def _await_component(
        self, directory: str, service_id: int | None, timeout_ns: int
    ) -> Component:
        idle = IdleStrategy("sleep-ns", sleep_period_ns=_RECHECK_INTERVAL_NS)
        deadline_ns = self.seams.clock.nano_time() + timeout_ns
        while True:
            is_over = self.seams.clock.nano_time() >= deadline_ns
            path = find_mark_file(self._files, directory, service_id)
            if is_over or self._files.exists(path):
                try:
                    found = read_component(self.seams, path)
                    if is_over or found.presence is not Presence.STARTING:
                        return found
                except _UnwrittenHeaderError:
                    if is_over:
                        raise
            idle.idle()

    def check_not_in_use(self) -> None:
        """Raise if an active process uses the files to be changed.

        Raises
        ------
        DirectoryInUseError
            A module or a backup uses the directory.
        """
        if not self.has_component:
            return
        component = self.component()
        if component.is_alive:
            raise DirectoryInUseError(
                self.path, component.header.pid, "stop the member first, or wait until it has ended"
            )

    # ---- its recording log ----

    def open_recording_log(self, *, writable: bool = False) -> RecordingLog:
        """Open the recording log.

        Raises
        ------
        MissingFileError
            It is missing.
        CorruptError
            It is not a recording log.
        """
        path = f"{self.path}/{RECORDING_LOG_NAME}"
        if not self._files.exists(path):
            raise MissingFileError(
                path, "a recording log", "is this the cluster directory of a member that ran?"
            )
        return RecordingLog(self._files, self.path, sync_level=2, writable=writable)
