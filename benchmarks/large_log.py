"""Writes logs of any length, term by term: gigabytes in seconds, without holding them in memory."""

from pathlib import Path

import numpy as np

from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.archive.storage.segments import segment_name
from aeron_cluster.codecs.cluster import SessionMessageHeader
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.pipeline.recording_builder import HEADER, PAD, WHOLE, aligned

INITIAL_TERM_ID, SESSION_ID, STREAM_ID, MTU_LENGTH = 7, 11, 100, 1408
DATA = 1
TERM_OFFSET_INDEX, TERM_ID_INDEX = 2, 5  # in a header of 32-bit words


class LargeLog:
    """A log of session messages of one length, with one segment per term.

    Parameters
    ----------
    archive_dir : Path
        The directory to write to.
    length : int
        The maximum length, in bytes of the stream: the log ends with the last message before it.
    message_length : int
        The length of a client's message, in bytes.
    term_length : int

    Attributes
    ----------
    rows : int
        The number of messages.
    position : int
        The end position.
    """

    def __init__(
        self, archive_dir: Path, length: int, message_length: int, term_length: int
    ) -> None:
        self.term_length = term_length
        header = SessionMessageHeader.encode(
            leadership_term_id=0, cluster_session_id=1, timestamp=1_700_000_000_000
        )
        payload = header + bytes(message_length)
        frame_length = HEADER.size + len(payload)
        step = aligned(frame_length)
        a_term = term_length // step
        head = HEADER.pack(frame_length, 0, WHOLE, DATA, 0, SESSION_ID, STREAM_ID, 0, 0)
        frames = np.frombuffer(bytearray((head + payload).ljust(step, b"\0") * a_term), "<i4")
        frames = frames.reshape(a_term, step // 4)
        frames[:, TERM_OFFSET_INDEX] = np.arange(a_term) * step
        terms, rest = divmod(length, term_length)
        last = rest // step
        self.rows = terms * a_term + last
        self.position = terms * term_length + last * step
        self._add(archive_dir)
        for term in range(terms + (last > 0)):
            count = a_term if term < terms else last
            frames[:, TERM_ID_INDEX] = INITIAL_TERM_ID + term
            with self.segment(archive_dir, term * term_length).open("wb") as file:
                frames[:count].tofile(file)
                if count == a_term and (left := term_length - a_term * step):
                    file.write(self._padding(term, a_term * step, left))
                file.truncate(term_length)

    def _add(self, archive_dir: Path) -> None:
        archive_dir.mkdir(parents=True, exist_ok=True)
        with Catalog(SystemFiles(), str(archive_dir), capacity=4096) as catalog:
            recording_id = catalog.add(
                start_position=0,
                start_timestamp=1,
                initial_term_id=INITIAL_TERM_ID,
                segment_file_length=self.term_length,
                term_buffer_length=self.term_length,
                mtu_length=MTU_LENGTH,
                session_id=SESSION_ID,
                stream_id=STREAM_ID,
                stripped_channel="aeron:ipc",
                original_channel="aeron:ipc",
                source_identity="aeron:ipc",
            )
            catalog.stop(recording_id, self.position, 99)

    @staticmethod
    def _padding(term: int, offset: int, length: int) -> bytes:
        term_id = INITIAL_TERM_ID + term
        return HEADER.pack(length, 0, WHOLE, PAD, offset, SESSION_ID, STREAM_ID, term_id, 0)

    def segment(self, archive_dir: Path, position: int) -> Path:
        """Return the path of the segment file of a position."""
        return archive_dir / segment_name(0, position - position % self.term_length)
