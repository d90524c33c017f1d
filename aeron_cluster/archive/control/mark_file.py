"""The archive's mark file: its owner, its control channel, and its errors.

``io.aeron.archive.ArchiveMarkFile``.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, Self

from aeron_cluster.archive.recording.recorder import PositionSlots
from aeron_cluster.codecs.archive_mark import MarkFileHeader
from aeron_cluster.codecs.mark_header import (
    add_message_header,
    has_message_header,
    message_header,
)
from aeron_cluster.errors import VersionError
from aeron_cluster.memory.agents.file_error_log import FileErrorLog, save_errors
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.shared.mark_file import SILENT_AFTER_MS, MarkFile, MarkFileLayout, OldForm
from aeron_cluster.memory.system.file_access import check_directory
from aeron_cluster.memory.system.process import ProcessIdentity

if TYPE_CHECKING:
    from aeron_cluster.archive.context import ArchiveContext
    from aeron_cluster.memory.shared.activity_stamp import ActivityStamp
    from aeron_cluster.memory.system.seams import Clock, File

__all__ = [
    "ARCHIVE_MARK_FILE",
    "HEADER_LENGTH",
    "LINK_FILE",
    "OLD_SCHEMA_VERSION",
    "VERSION",
    "ArchiveMarkFile",
    "owner_record",
]

ARCHIVE_MARK_FILE: Final = "archive-mark.dat"
LINK_FILE: Final = "archive-mark.lnk"
HEADER_LENGTH: Final = 8192
VERSION: Final = 3 << 16 | 1 << 8

_LAYOUT: Final = MarkFileLayout(
    header_length=HEADER_LENGTH, version=8, activity_timestamp=16, pid=32, owner=96
)
# The parts of the header around the fields that MarkFile writes.
_PARTS: Final = ((0, 8), (12, 16), (24, 32), (40, 96))
_VARIABLE_OFFSET: Final = 136
_STRING_COUNT: Final = 4  # after that offset, each preceded by its length
OLD_SCHEMA_VERSION: Final = 1
_INT32: Final = struct.Struct("<i")
_INT64: Final = struct.Struct("<q")
_OLD_HEADER_LENGTH_OFFSET: Final = 44
_PADDING: Final = slice(4, 8)  # in the old form, between version and activity timestamp
# The upper half of the header, which the format leaves unused unless the channels are very long.
_SLOTS_OFFSET: Final = 4096
_SLOTS_LENGTH: Final = HEADER_LENGTH - _SLOTS_OFFSET


class ArchiveMarkFile:
    """A mark file that this archive owns.

    Parameters
    ----------
    mark_file : MarkFile
        Claimed.
    error_buffer_length : int
        Bytes of the error log after the header.
    boot : int
        The boot id of the machine.
    clock : Clock

    Attributes
    ----------
    acknowledged : dict of int to int
        The position up to which a killed archive had completed each recording, by recording id, if
        only the kill can have interrupted its writes.
    slots : PositionSlots or None
        The positions of this archive's recordings, from `write_header` on.
    """

    def __init__(
        self, mark_file: MarkFile, error_buffer_length: int, boot: int, clock: Clock
    ) -> None:
        self._mark_file = mark_file
        self.acknowledged = _acknowledged(mark_file.previous_header, boot)
        self.slots: PositionSlots | None = None
        self._error_log = FileErrorLog(mark_file.file, HEADER_LENGTH, error_buffer_length, clock)

    @classmethod
    def claim(cls, context: ArchiveContext) -> Self:
        """Claim the directory, unless an active archive uses it.

        Raises
        ------
        DirectoryInUseError
            An active archive uses it; the error has its process id.
        VersionError
            If the file has another major version.
        CorruptError
            If it is not a mark file.
        """
        options = context.options
        files = context.seams.files
        directory = options.mark_file_dir or context.archive_dir
        link = f"{context.archive_dir}/{LINK_FILE}"
        if directory != context.archive_dir:
            check_directory(files, directory, "mark file directory")
            files.make_directory(directory, parents=True)
            files.replace(link, directory.encode("ascii", "replace"))
        elif files.exists(link):
            files.remove(link)
        path = f"{directory}/{ARCHIVE_MARK_FILE}"

        def check(version: int, _header: bytes) -> None:
            if version != 0 and version >> 16 != VERSION >> 16:
                raise VersionError(path, _LAYOUT.version, "version", VERSION, version)

        boot = context.seams.processes.own_identity().boot

        def clear_slots(file: File, header: bytes) -> None:
            # Written before the machine restarted, if at all: no longer valid. Cleared before the
            # owner is of this boot: a start killed in between would make them valid again.
            if not _acknowledged(header, boot):
                file.write_at(bytes(_SLOTS_LENGTH), _SLOTS_OFFSET)

        page = options.file_page_size
        length = HEADER_LENGTH + options.error_buffer_length
        mark_file = MarkFile.claim(
            files,
            path,
            -(-length // page) * page,
            _LAYOUT,
            clock=context.seams.clock,
            timeout_ms=SILENT_AFTER_MS,
            check=check,
            processes=context.seams.processes,
            old_form=_OLD_FORM,
            before_owner=clear_slots,
        )
        try:
            if mark_file.previous_header:
                entries = FileErrorLog.read(mark_file.file, HEADER_LENGTH)
                save_errors(files, f"{directory}/archive", entries, context.epoch_ms())
            found = cls(mark_file, options.error_buffer_length, boot, context.seams.clock)
        except BaseException:
            mark_file.close()
            raise
        return found

    @property
    def path(self) -> str:
        """The path of the mark file."""
        return self._mark_file.path

    @property
    def activity_stamp(self) -> ActivityStamp:
        """The stamp with which an agent updates the activity timestamp without the GIL."""
        return self._mark_file.activity_stamp

    def write_header(self, context: ArchiveContext, aeron_dir: str) -> None:
        """Write this process's identity, after unfinished recordings were repaired."""
        options = context.options
        body = MarkFileHeader.encode_body(
            version=0,
            activity_timestamp=0,
            start_timestamp=context.epoch_ms(),
            pid=0,
            control_stream_id=options.control_stream_id,
            local_control_stream_id=options.local_control_stream_id,
            events_stream_id=options.recording_events_stream_id,
            header_length=HEADER_LENGTH,
            error_buffer_length=options.error_buffer_length,
            archive_id=context.archive_id,
            control_channel=options.control_channel or "",
            local_control_channel=options.local_control_channel,
            events_channel=options.recording_events_channel or "",
            aeron_directory=aeron_dir,
        )
        header = message_header(MarkFileHeader) + body
        # Those of an earlier archive were used for the repair; what follows may contradict them.
        self._mark_file.file.write_at(bytes(_SLOTS_LENGTH), _SLOTS_OFFSET)
        if len(header) <= _SLOTS_OFFSET:
            self._mapping = MappedFile.of(self._mark_file.file, 0, HEADER_LENGTH, writable=True)
            self.slots = PositionSlots(self._mapping, _SLOTS_OFFSET, _SLOTS_LENGTH)
        for begin, end in _PARTS:
            self._mark_file.write_header(header[begin:end], begin)
        self._mark_file.write_header(header[_VARIABLE_OFFSET:], _VARIABLE_OFFSET)

    def signal_ready(self) -> None:
        """Signal that the archive is ready."""
        self._mark_file.signal_ready(VERSION)

    def record_error(self, error: BaseException, now_ms: int) -> None:
        """Add an error to the log; the time is in ms since 1970."""
        self._error_log.record(error, now_ms)

    def close(self) -> None:
        """Release the directory."""
        self._mark_file.close()


def owner_record(pid: int, header: bytes) -> ProcessIdentity | None:
    """Return the owner's identity in a header; None if the owner is Java's."""
    record = header[_LAYOUT.owner : _LAYOUT.owner + ProcessIdentity.LENGTH]
    return ProcessIdentity.unpack(pid, record)


def _pid_of(header: bytes) -> int:
    (pid,) = _INT64.unpack_from(header, _LAYOUT.pid)
    return int(pid)


def is_old_form(head: bytes) -> bool:
    """Return whether a header has the old form, without an SBE message header."""
    if has_message_header(head, MarkFileHeader) or any(head[_PADDING]) or not any(head):
        return False
    if owner_record(_pid_of(head), head) is not None:
        return False  # claimed by an archive of ours that has not written its header yet
    (header_length,) = _INT32.unpack_from(head, _OLD_HEADER_LENGTH_OFFSET)
    # 0 before schema version 1, or if its owner was killed before it wrote the length.
    return header_length in (0, HEADER_LENGTH)


def _convert(head: bytes) -> bytes:
    return add_message_header(head, MarkFileHeader, OLD_SCHEMA_VERSION)


_OLD_FORM: Final = OldForm(is_old_form, _convert)


def _acknowledged(header: bytes, boot: int) -> dict[int, int]:
    if len(header) < HEADER_LENGTH or boot == 0:
        return {}
    owner = owner_record(_pid_of(header), header)
    if owner is None or owner.boot != boot or _has_long_channels(header):
        return {}
    return PositionSlots.read(header[_SLOTS_OFFSET:])


def _has_long_channels(header: bytes) -> bool:
    """Return whether the header's strings reach into the part for the slots."""
    end = _VARIABLE_OFFSET
    for _ in range(_STRING_COUNT):
        if end + _INT32.size > _SLOTS_OFFSET:
            return True
        (length,) = _INT32.unpack_from(header, end)
        end += _INT32.size + max(0, length)
    return end > _SLOTS_OFFSET
