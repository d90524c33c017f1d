"""Read a recording from its segment files, by position.

Upstream: the file side of ``RecordingReader``.
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
    """Reads from the segments of a recording, one open at a time.

    Parameters
    ----------
    files : Files
        The file seam, or anything whose ``open(path)`` gives something to ``read_into``.
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
        """Fill a buffer from a position, to the end of its segment and of the recording at most.

        Returns
        -------
        int
            The number of bytes read; fewer if the file is truncated.

        Raises
        ------
        SegmentError
            The segment is not there or cannot be read.
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
            raise self.error(position, "segment file", "one that is there", "none") from None
        except OSError as error:
            found = error.strerror or str(error)
            raise self.error(position, "segment file", "one that can be read", found) from error

    def error(self, position: int, what: str, expected: object, found: object) -> SegmentError:
        """Return an exception for what is wrong at a position."""
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
