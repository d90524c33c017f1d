"""Reads a recording from its segment files, by position.

Upstream: the file access of ``RecordingReader``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.archive.storage.segments import segment_name
from aeron_cluster.errors import SegmentError
from aeron_cluster.memory.system.closeable import Closeable

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import File, Files
    from aeron_cluster.pipeline.scan.pieces import Piece

__all__ = ["SegmentReader"]


class SegmentReader(Closeable):
    """Reads the segments of a recording; one is open at a time.

    Parameters
    ----------
    files : Files
        The file seam, or another object whose ``open(path)`` returns an object with ``read_into``.
    piece : Piece
    """

    def __init__(self, files: Files, piece: Piece) -> None:
        self._files = files
        self._piece = piece
        self._file: File | None = None
        self._base = -1

    def close(self) -> None:
        """Close the open segment. Calling it again does nothing."""
        file, self._file, self._base = self._file, None, -1
        if file is not None:
            file.close()

    def read_into(self, buffer: bytearray, position: int) -> int:
        """Fill a buffer from a position, at most to the end of the segment and of the recording.

        Returns
        -------
        int
            The number of bytes read; fewer if the file is truncated.

        Raises
        ------
        SegmentError
            The segment is missing or unreadable.
        """
        piece = self._piece
        base = piece.segment_base(position)
        end = min(base + piece.segment_length, piece.end_position)
        try:
            if self._file is None or base != self._base:
                self.close()
                self._file = self._files.open(self._path(base))
                self._base = base
            with memoryview(buffer) as view, view[: end - position] as wanted:
                return self._file.read_into(wanted, position - base)
        except FileNotFoundError:
            raise self.error(position, "segment file", "an existing one", "none") from None
        except OSError as error:
            found = error.strerror or str(error)
            raise self.error(position, "segment file", "one that can be read", found) from error

    def error(self, position: int, what: str, expected: object, found: object) -> SegmentError:
        """Return an exception for a problem at a position."""
        piece = self._piece
        base = piece.segment_base(position)
        if what in ("segment file", "length of the file"):
            resume = base + piece.segment_length
        else:
            resume = piece.term_begin(position) + piece.term_length
        return SegmentError(
            piece.recording_id, self._path(base), position - base, what, expected, found, resume
        )

    def _path(self, base: int) -> str:
        piece = self._piece
        return f"{piece.archive_dir}/{segment_name(piece.recording_id, base)}"
