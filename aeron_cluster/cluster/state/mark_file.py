"""The mark file of a consensus module, a service container or a backup.

Upstream: ClusterMarkFile. The layout is that of ``codecs.cluster_mark``: an SBE header, a block
of 128 bytes, six strings, and at 8192 a distinct error log. A file without the SBE header, as Aeron
wrote it up to 1.46.7, is converted when a component takes it over.
"""

from __future__ import annotations

import contextlib
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, Self

from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.codecs.cluster_mark import ClusterComponentType, MarkFileHeader
from aeron_cluster.codecs.mark_header import (
    MESSAGE_HEADER_LENGTH,
    add_message_header,
    decode_mark_header,
    has_message_header,
    message_header,
)
from aeron_cluster.errors import (
    AeronClusterError,
    ConfigurationError,
    CorruptError,
    UnreachableFileError,
    VersionError,
)
from aeron_cluster.memory.agents.file_error_log import FileErrorLog, save_errors
from aeron_cluster.memory.shared.mark_file import SILENT_AFTER_MS, MarkFile, MarkFileLayout, OldForm
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.memory.system.file_access import check_directory

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Callable

    from aeron_cluster.memory.shared.activity_stamp import ActivityStamp
    from aeron_cluster.memory.shared.error_text import ErrorLogEntry
    from aeron_cluster.memory.system.process import Processes
    from aeron_cluster.memory.system.seams import Clock, Files, Seams

__all__ = [
    "HEADER_LENGTH_OFFSET",
    "MAX_HEADER_LENGTH",
    "ClusterMarkFile",
    "MarkFileContent",
    "claim_directories",
    "decode_header",
    "find_mark_file",
    "link_mark_file",
    "mark_file_name",
]

VERSION: Final = 3 << 8
HEADER_LENGTH: Final = 8192
PAGE_LENGTH: Final = 4096
FAILED_START: Final = -1

_LAYOUT: Final = MarkFileLayout(
    header_length=HEADER_LENGTH, version=8, activity_timestamp=16, pid=32, owner=96
)
# The parts of the header around the fields that MarkFile writes.
_PARTS: Final = ((0, 8), (12, 16), (24, 32), (40, 96), (128, HEADER_LENGTH))
_MEMBER_ID_OFFSET: Final = 64
_CANDIDATE_TERM_ID: Final = struct.Struct("<q")
_CANDIDATE_TERM_ID_OFFSET: Final = 40
_COMPONENT_TYPE_OFFSET: Final = 12
HEADER_LENGTH_OFFSET: Final = 72
_INT32: Final = struct.Struct("<i")
_COMPONENT_TYPES: Final = frozenset(ClusterComponentType) - {ClusterComponentType.NULL_VALUE}
# A file without an SBE header has every field eight bytes earlier.
_OLD_SCHEMA_VERSION: Final = 1
_OLD_COMPONENT_TYPE_OFFSET: Final = _COMPONENT_TYPE_OFFSET - MESSAGE_HEADER_LENGTH
_OLD_HEADER_LENGTH_OFFSET: Final = HEADER_LENGTH_OFFSET - MESSAGE_HEADER_LENGTH
_MIN_HEADER_LENGTH: Final = 128
MAX_HEADER_LENGTH: Final = 64 * 1024

_SERVICE_MARK_PREFIX: Final = "cluster-mark-service-"


def mark_file_name(service_id: int | None = None) -> str:
    """Return the file's name: a service container's, or without an id a consensus module's."""
    if service_id is None:
        return "cluster-mark.dat"
    return f"{_SERVICE_MARK_PREFIX}{service_id}.dat"


def _link(cluster_dir: str, service_id: int | None) -> str:
    return f"{cluster_dir}/{mark_file_name(service_id).removesuffix('.dat')}.lnk"


def link_mark_file(
    files: Files, cluster_dir: str, mark_file_dir: str, service_id: int | None = None
) -> None:
    """Link the mark file in the cluster's directory, if it is elsewhere.

    Parameters
    ----------
    files : Files
    cluster_dir, mark_file_dir : str
        Absolute.
    service_id : int, optional
        By default the consensus module's.
    """
    link = _link(cluster_dir, service_id)
    if mark_file_dir != cluster_dir:
        files.replace(link, mark_file_dir.encode("ascii", "surrogateescape"))
    elif files.exists(link):
        files.remove(link)


def find_mark_file(files: Files, cluster_dir: str, service_id: int | None = None) -> str:
    """Return the path of a component's mark file, resolving a link file."""
    link = _link(cluster_dir, service_id)
    directory = cluster_dir
    if files.exists(link):
        directory = files.read(link).decode("ascii", "surrogateescape").strip()
    return f"{directory}/{mark_file_name(service_id)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkFileContent:
    """The user of the directory, as shown by tools.

    Parameters
    ----------
    component_type : ClusterComponentType
    cluster_id, member_id, service_id : int
        A service's member id is -1 until it joined a log; a module's service id is -1.
    archive_stream_id, service_stream_id, consensus_module_stream_id, ingress_stream_id : int
    aeron_directory, control_channel, ingress_channel, service_name : str
    authenticator, services_cluster_dir : str
    candidate_term_id : int
        The term of the module's last vote, stored by versions without a node state file; -1 keeps
        the file's value.
    """

    component_type: ClusterComponentType
    cluster_id: int = 0
    member_id: int = NULL_VALUE
    service_id: int = NULL_VALUE
    archive_stream_id: int = 10
    service_stream_id: int = 104
    consensus_module_stream_id: int = 105
    ingress_stream_id: int = NULL_VALUE
    aeron_directory: str = ""
    control_channel: str = ""
    ingress_channel: str = ""
    service_name: str = ""
    authenticator: str = ""
    services_cluster_dir: str = ""
    candidate_term_id: int = NULL_VALUE


class ClusterMarkFile(Closeable):
    """A mark file that this process owns.

    Parameters
    ----------
    mark_file : MarkFile
        Claimed.
    error_log : FileErrorLog
        The length of the error log after its header.
    candidate_term_id : int
        The term of the module's last vote in a file of an older version, or -1.
    """

    def __init__(
        self, mark_file: MarkFile, error_log: FileErrorLog, candidate_term_id: int = NULL_VALUE
    ) -> None:
        self.candidate_term_id = candidate_term_id
        self._mark_file = mark_file
        self._error_log = error_log
        self._is_ready = False

    @classmethod
    def claim(
        cls,
        files: Files,
        directory: str,
        content: MarkFileContent,
        *,
        clock: Clock,
        error_buffer_length: int = 1024 * 1024,
        processes: Processes | None = None,
    ) -> Self:
        """Claim the directory, unless an active process uses it.

        Parameters
        ----------
        files, clock
            The seams.
        directory : str
            The directory of the file.
        content : MarkFileContent
        error_buffer_length : int
            Bytes of the error log after the header.
        processes : Processes, optional
            By default the system's.

        Raises
        ------
        DirectoryInUseError
            An active process uses it; the error has its id.
        VersionError, CorruptError
            The existing file has another major version, or belongs to another component, or is not
            a mark file.
        ConfigurationError
            The strings do not fit the header.
        """
        service_id = content.service_id if content.service_id >= 0 else None
        path = f"{directory}/{mark_file_name(service_id)}"
        header = _encode(content, clock.epoch_ms(), error_buffer_length)

        def check(version: int, header: bytes) -> None:
            if version not in (0, FAILED_START) and version >> 16 != VERSION >> 16:
                raise VersionError(path, _LAYOUT.version, "version", "0.x.y", hex(version))
            if version != 0 or _has_header(header):
                _check_component(path, header, content.component_type)

        length = -(-(HEADER_LENGTH + error_buffer_length) // PAGE_LENGTH) * PAGE_LENGTH
        mark_file = MarkFile.claim(
            files,
            path,
            length,
            _LAYOUT,
            clock=clock,
            timeout_ms=SILENT_AFTER_MS,
            check=check,
            processes=processes,
            old_form=_OLD_FORM,
        )
        try:
            previous = mark_file.previous_header
            if _has_header(previous) and content.candidate_term_id == NULL_VALUE:
                at, size = _CANDIDATE_TERM_ID_OFFSET, _CANDIDATE_TERM_ID.size
                header = header[:at] + previous[at : at + size] + header[at + size :]
            for begin, end in _PARTS:
                mark_file.write_header(header[begin:end], begin)
            if mark_file.previous_header:
                entries = _previous_errors(mark_file)
                prefix = f"{directory}/{content.component_type.name}"
                save_errors(files, prefix, entries, clock.epoch_ms())
            error_log = FileErrorLog(mark_file.file, HEADER_LENGTH, error_buffer_length, clock)
        except BaseException:
            mark_file.close()
            raise
        (candidate_term_id,) = _CANDIDATE_TERM_ID.unpack_from(header, _CANDIDATE_TERM_ID_OFFSET)
        return cls(mark_file, error_log, candidate_term_id)

    def __repr__(self) -> str:
        return f"ClusterMarkFile({self.path!r})"

    @property
    def path(self) -> str:
        """The file."""
        return self._mark_file.path

    @property
    def activity_stamp(self) -> ActivityStamp:
        """The stamp with which an agent updates the activity timestamp without the GIL."""
        return self._mark_file.activity_stamp

    def signal_ready(self) -> None:
        """Signal that the component has started."""
        self._mark_file.signal_ready(VERSION)
        self._is_ready = True

    def signal_failed_start(self) -> None:
        """Signal that the component failed to start, and release the directory."""
        try:
            self._mark_file.signal_ready(FAILED_START)
        finally:
            self._mark_file.close()

    def end(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        """Release the directory, after an error of the start with `signal_failed_start`."""
        if error is None or self._is_ready:
            self.close()
            return
        with contextlib.suppress(OSError):  # the error of the start is the one to report
            self.signal_failed_start()

    def update_activity(self, now_ms: int) -> None:
        """Signal that the component is active; ms since 1970, at least once a second."""
        self._mark_file.update_activity(now_ms)

    def set_member_id(self, member_id: int) -> None:
        """Record the member of a service, once it has joined a log."""
        self._mark_file.write_header(struct.pack("<i", member_id), _MEMBER_ID_OFFSET)

    def record_error(self, error: BaseException, now_ms: int) -> None:
        """Add an error to the log; ms since 1970."""
        self._error_log.record(error, now_ms)

    def record_or_report(
        self, error: BaseException, now_ms: int, report: Callable[[Exception], object]
    ) -> None:
        """Add an error to the log; report a failure to do so, as the caller handles the error."""
        try:
            self.record_error(error, now_ms)
        except OSError as failure:
            report(failure)

    def close(self) -> None:
        """Release the directory. Calling it again does nothing."""
        self._mark_file.close()


def _encode(content: MarkFileContent, start_timestamp: int, error_buffer_length: int) -> bytes:
    header = message_header(MarkFileHeader) + MarkFileHeader.encode_body(
        version=0,
        component_type=content.component_type,
        activity_timestamp=0,
        start_timestamp=start_timestamp,
        pid=0,
        candidate_term_id=content.candidate_term_id,
        archive_stream_id=content.archive_stream_id,
        service_stream_id=content.service_stream_id,
        consensus_module_stream_id=content.consensus_module_stream_id,
        ingress_stream_id=content.ingress_stream_id,
        member_id=content.member_id,
        service_id=content.service_id,
        header_length=HEADER_LENGTH,
        error_buffer_length=error_buffer_length,
        cluster_id=content.cluster_id,
        aeron_directory=content.aeron_directory,
        control_channel=content.control_channel,
        ingress_channel=content.ingress_channel,
        service_name=content.service_name,
        authenticator=content.authenticator,
        services_cluster_dir=content.services_cluster_dir,
    )
    if len(header) > HEADER_LENGTH:
        raise ConfigurationError(
            "mark file strings", f"at most {HEADER_LENGTH} bytes with the header", len(header)
        )
    return header.ljust(HEADER_LENGTH, b"\0")


def decode_header(head: bytes) -> MarkFileHeader:
    """Decode a mark file's header, with or without an SBE header before it.

    Raises
    ------
    MessageError
        It is not such a header.
    """
    return decode_mark_header(head, MarkFileHeader, _OLD_SCHEMA_VERSION)


def is_old_form(head: bytes) -> bool:
    """Return whether a header is of the form without an SBE header."""
    if has_message_header(head, MarkFileHeader) or not _has_header(head):
        return False
    (component_type,) = _INT32.unpack_from(head, _OLD_COMPONENT_TYPE_OFFSET)
    (header_length,) = _INT32.unpack_from(head, _OLD_HEADER_LENGTH_OFFSET)
    # The length is 0 if the owner was killed before it wrote it.
    return component_type in _COMPONENT_TYPES and (
        header_length == 0 or _MIN_HEADER_LENGTH <= header_length <= MAX_HEADER_LENGTH
    )


def _convert(head: bytes) -> bytes:
    return add_message_header(head, MarkFileHeader, _OLD_SCHEMA_VERSION)


_OLD_FORM: Final = OldForm(is_old_form, _convert)


def member_id_in(files: Files, cluster_dir: str) -> int:
    """Return the member id in the module's mark file; -1 if it has none.

    Raises
    ------
    UnreachableFileError
        The directory is on a file system that does not respond.
    """
    try:
        with files.open(find_mark_file(files, cluster_dir)) as file:
            return decode_header(file.read_at(HEADER_LENGTH, 0)).member_id
    except UnreachableFileError:
        raise
    except (OSError, AeronClusterError):
        return NULL_VALUE


def _previous_errors(mark_file: MarkFile) -> list[ErrorLogEntry]:
    (header_length,) = _INT32.unpack_from(mark_file.previous_header, HEADER_LENGTH_OFFSET)
    # A header of another length moves the error log, which this header has then overwritten.
    is_in_place = header_length in (0, HEADER_LENGTH)
    return FileErrorLog.read(mark_file.file, HEADER_LENGTH) if is_in_place else []


def _has_header(header: bytes) -> bool:
    """Return whether the header was completed: its owner may have been killed before that."""
    return any(header[:MESSAGE_HEADER_LENGTH])


def _check_component(path: str, header: bytes, wanted: ClusterComponentType) -> None:
    """Reject a file of another kind of component; a module may take over a backup's."""
    if not has_message_header(header, MarkFileHeader):
        raise CorruptError(path, 0, "header", "a mark file of a cluster", header[:8].hex(" "))
    (value,) = _INT32.unpack_from(header, _COMPONENT_TYPE_OFFSET)
    if value not in _COMPONENT_TYPES:
        raise CorruptError(path, _COMPONENT_TYPE_OFFSET, "component type", wanted.name, value)
    found = ClusterComponentType(value)
    allowed = {wanted, ClusterComponentType.UNKNOWN}
    if wanted is ClusterComponentType.CONSENSUS_MODULE:
        allowed.add(ClusterComponentType.BACKUP)
    if found not in allowed:
        raise CorruptError(path, _COMPONENT_TYPE_OFFSET, "component type", wanted.name, found.name)


class _DirectoryContext(Protocol):
    """The context of a component that owns a cluster directory."""

    @property
    def cluster_dir(self) -> str: ...
    @property
    def mark_file_dir(self) -> str: ...
    @property
    def seams(self) -> Seams: ...
    def mark_file_content(self) -> MarkFileContent: ...


def claim_directories(
    stack: contextlib.ExitStack,
    context: _DirectoryContext,
    *,
    error_buffer_length: int,
    is_emptied: bool = False,
) -> ClusterMarkFile:
    """Create the directories of a member or backup, and claim its mark file for the stack.

    Parameters
    ----------
    stack : ExitStack
    context : BackupContext or ConsensusModuleContext
    error_buffer_length : int
    is_emptied : bool
        Whether everything else in the cluster directory is removed, once no active process uses it;
        except for the mark files of services, whose containers may be active.

    Raises
    ------
    DirectoryInUseError
        An active process uses them.
    """
    files, directory, mark_file_dir = (
        context.seams.files,
        context.cluster_dir,
        context.mark_file_dir,
    )
    for each in dict.fromkeys((directory, mark_file_dir)):
        check_directory(files, each, "cluster directory")
        files.make_directory(each, parents=True)
    mark_file = ClusterMarkFile.claim(
        files,
        mark_file_dir,
        context.mark_file_content(),
        clock=context.seams.clock,
        error_buffer_length=error_buffer_length,
        processes=context.seams.processes,
    )
    stack.push(mark_file.end)
    if is_emptied:
        for name in files.list(directory):
            is_of_service = name.startswith(_SERVICE_MARK_PREFIX)
            if f"{directory}/{name}" != mark_file.path and not is_of_service:
                files.remove_tree(f"{directory}/{name}")
    link_mark_file(files, directory, mark_file_dir)
    return mark_file
