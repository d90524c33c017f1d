"""Change a catalog's frames in place, in any state, for tools; the archive must be stopped.

Upstream: the writable Catalog of ArchiveTool. Nothing is moved: `Catalog` itself does that.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.storage.catalog import (
    CATALOG_NAME,
    CHECKSUMS_OFFSET,
    STATE_OFFSET,
    STOP_POSITION_OFFSET,
    STOP_TIMESTAMP_OFFSET,
    packed_checksums,
)
from aeron_cluster.codecs.frame_layout import FRAME_HEADER_LENGTH
from aeron_cluster.memory.system.closeable import Closeable

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.archive.storage.catalog import FrameChecksums, Recording
    from aeron_cluster.codecs.archive import RecordingState
    from aeron_cluster.memory.system.seams import Files

__all__ = ["CatalogEditor"]

_I32: Final = struct.Struct("<i")
_I64: Final = struct.Struct("<q")
_CHECKSUM_OFFSET: Final = 8


class CatalogEditor(Closeable):
    """The catalog of a stopped archive, open for changes.

    Parameters
    ----------
    files : Files
    directory : str
        The archive directory.
    writable : bool
        Whether it may be changed; by default it may.
    """

    def __init__(self, files: Files, directory: str, *, writable: bool = True) -> None:
        self._file = files.open(f"{directory}/{CATALOG_NAME}", write=writable)
        self._is_writable = writable

    def set_state(self, recording: Recording, state: RecordingState) -> None:
        """Change the state of a frame."""
        self._file.write_at(_I32.pack(state), recording.offset + STATE_OFFSET)

    def stop(
        self,
        recording: Recording,
        position: int,
        timestamp: int,
        checksum: Callable[[bytes], int] | None,
    ) -> None:
        """Store the position and time (epoch ms) of a recording's end.

        Parameters
        ----------
        recording : Recording
        position, timestamp : int
        checksum : callable, optional
            The function for the checksum of its descriptor; by default the checksum is unchanged.
        """
        start = recording.offset + FRAME_HEADER_LENGTH
        self._file.write_at(_I64.pack(timestamp), start + STOP_TIMESTAMP_OFFSET)
        self._file.write_at(_I64.pack(position), start + STOP_POSITION_OFFSET)
        if checksum is not None:
            self.update_checksum(recording, checksum)

    def update_checksum(self, recording: Recording, checksum: Callable[[bytes], int]) -> None:
        """Store the checksum of a descriptor as it is now."""
        body = self.body(recording)
        self._file.write_at(_I32.pack(checksum(body)), recording.offset + _CHECKSUM_OFFSET)

    def set_frames(self, recording: Recording, frames: FrameChecksums) -> None:
        """Store the checksum code of a recording's frames."""
        notes = packed_checksums(recording.descriptor.session_id, frames)
        self._file.write_at(notes, recording.offset + CHECKSUMS_OFFSET)

    def body(self, recording: Recording) -> bytes:
        """Return the bytes of a descriptor in the file, with its padding."""
        return self._file.read_at(recording.length, recording.offset + FRAME_HEADER_LENGTH)

    def close(self) -> None:
        """Sync and close the file. Calling it again does nothing."""
        if self._is_writable:
            self._is_writable = False
            self._file.sync()
        self._file.close()
