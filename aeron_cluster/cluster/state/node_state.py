"""The node state file of a member: the term of its last vote.

Upstream: NodeStateFile. ``node-state.dat`` holds a version, then framed records up to a footer::

     0 version i32, padding i32
     8 record header (16 bytes), candidate term id i64, timestamp i64 (epoch ms), log position i64
    48 record header (16 bytes): the footer

Each record header names its template and the length of its frame; frames are aligned to 8.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.state.state_file import StateFile
from aeron_cluster.codecs.node_state import (
    SCHEMA,
    CandidateTerm,
    NodeStateFooter,
    NodeStateHeader,
    decode,
)
from aeron_cluster.errors import CorruptError, MessageError, VersionError

__all__ = ["FILE_NAME", "CandidateTermState", "NodeState"]

FILE_NAME: Final = "node-state.dat"
VERSION: Final = 3 << 8
_FILE_LENGTH = 1024 * 1024
_FIRST_RECORD = 8
_FRAME_LENGTH_OFFSET = 8
_ALIGNMENT = 8
_NO_PROMISE = (
    CandidateTerm.encode(
        candidate_term_id=NULL_VALUE, timestamp=NULL_VALUE, log_position=NULL_VALUE
    )
    + NodeStateFooter.encode()
)


@dataclass(frozen=True, slots=True)
class CandidateTermState:
    """The promise of a member when it last was a candidate or voted.

    Parameters
    ----------
    candidate_term_id : int
        The member no longer votes in this term or below; -1 if it never voted.
    timestamp : int
        When, in epoch ms.
    log_position : int
        In bytes: of a vote, the end of the candidate's log; of a candidate, its own log position,
        up to which it had processed the log.
    """

    candidate_term_id: int = NULL_VALUE
    timestamp: int = NULL_VALUE
    log_position: int = NULL_VALUE


class NodeState(StateFile):
    """The node state file of one member; its parameters are those of `StateFile`.

    Attributes
    ----------
    is_new : bool
        Whether the file was created now.

    Raises
    ------
    CorruptError
        The file is not a node state file; the error names file and offset.
    VersionError
        When another major version wrote it.
    """

    NAME = FILE_NAME

    def _load(self, *, writable: bool) -> None:
        self.is_new = writable and self._is_unfinished()
        if self.is_new:
            self._create()
        self._record_offset, self._state = self._read()

    def __repr__(self) -> str:
        return f"NodeState({self._path!r}, candidate_term_id={self._state.candidate_term_id})"

    @property
    def candidate_term(self) -> CandidateTermState:
        """The last promise."""
        return self._state

    def update(self, candidate_term_id: int, log_position: int, timestamp: int) -> None:
        """Store a promise over any content; the term itself is written last."""
        body = self._record_offset + SCHEMA.header_length
        self._file.write_at(struct.pack("<qq", timestamp, log_position), body + 8)
        self._file.write_at(struct.pack("<q", candidate_term_id), body)
        self._sync()
        self._state = CandidateTermState(candidate_term_id, timestamp, log_position)

    def propose(self, candidate_term_id: int, log_position: int, timestamp: int) -> int:
        """Store a promise if its term is above the stored one.

        Returns
        -------
        int
            The highest promised term: this one or the stored one.
        """
        if candidate_term_id > self._state.candidate_term_id:
            self.update(candidate_term_id, log_position, timestamp)
        return self._state.candidate_term_id

    def _is_unfinished(self) -> bool:
        """Return whether the process creating the file was killed before it wrote the version."""
        data = self._file.read_at(self._file.length, 0)
        if len(data) not in (0, _FILE_LENGTH):
            return False
        blank = bytes(_FIRST_RECORD) + _NO_PROMISE
        # The write may have been interrupted.
        return all(found in (0, wanted) for found, wanted in zip(data, blank, strict=False)) and (
            not any(data[len(blank) :])
        )

    def _create(self) -> None:
        self._file.truncate(_FILE_LENGTH)
        self._file.write_at(_NO_PROMISE, _FIRST_RECORD)
        # The version is written last: a file without one is incomplete.
        self._file.write_at(NodeStateHeader.encode_body(version=VERSION, padding=0), 0)
        self._sync()

    def _read(self) -> tuple[int, CandidateTermState]:
        data = self._file.read_at(self._file.length, 0)
        if len(data) < _FIRST_RECORD:
            raise CorruptError(self._path, 0, "length", f"at least {_FIRST_RECORD}", len(data))
        version = NodeStateHeader.decode_body(data).version
        if version >> 16 != VERSION >> 16 or version == 0:
            raise VersionError(self._path, 0, "version", "0.x.y, not 0.0.0", hex(version))
        found: tuple[int, CandidateTermState] | None = None
        offset = _FIRST_RECORD
        while True:
            length = self._frame_length(data, offset)
            try:
                record = decode(data, offset, length)
            except MessageError as error:
                raise CorruptError(
                    self._path, offset, "record", error.expected, error.found
                ) from error
            if isinstance(record, NodeStateFooter):
                break
            if isinstance(record, CandidateTerm):
                state = CandidateTermState(
                    record.candidate_term_id, record.timestamp, record.log_position
                )
                found = (offset, state)
            offset += -(-length // _ALIGNMENT) * _ALIGNMENT
        if found is None:
            raise CorruptError(self._path, offset, "footer", "a candidate term before it", "none")
        return found

    def _frame_length(self, data: bytes, offset: int) -> int:
        room = len(data) - offset
        if room < SCHEMA.header_length:
            raise CorruptError(self._path, offset, "record", "a footer", "the end of the file")
        (length,) = struct.unpack_from("<i", data, offset + _FRAME_LENGTH_OFFSET)
        if not SCHEMA.header_length <= length <= room:
            expected = f"from {SCHEMA.header_length} to {room}"
            at = offset + _FRAME_LENGTH_OFFSET
            raise CorruptError(self._path, at, "frame length", expected, length)
        return int(length)
