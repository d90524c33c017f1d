"""The recording log of a member: its terms and snapshots, with their recordings.

Upstream: RecordingLog. The file has no header; entries stand back to back, each padded to a
multiple of 64 bytes::

     0 recording id          i64      32 timestamp, cluster time unit  i64
     8 leadership term id    i64      40 service id                    i32
    16 term base position    i64      44 type, sign bit: invalid       i32
    24 log position          i64      48 archive endpoint (standby snapshots only)

It is read completely when opened, and kept in memory, sorted; appends and changes are written
through the file seam immediately, and synced as configured. An incomplete last entry was never
published: it is skipped with a log message, and overwritten by the next one.
"""

from __future__ import annotations

import logging
import struct
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.state.state_file import StateFile
from aeron_cluster.cluster.state.term_bound import MAX_TERMS_AHEAD, is_credible
from aeron_cluster.errors import CorruptError, OtherServicesError, StateError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "CONSENSUS_MODULE_SERVICE_ID",
    "FILE_NAME",
    "Entry",
    "EntryType",
    "RecordingLog",
    "is_storable_endpoint",
]

_log = logging.getLogger(__name__)

FILE_NAME = "recording.log"
CONSENSUS_MODULE_SERVICE_ID = -1

_ALIGNMENT = 64
_SECTOR = 512
_FIXED = struct.Struct("<qqqqqii")
_ENDPOINT_OFFSET = 48
_MAX_ENDPOINT_LENGTH = 4044
_INVALID_FLAG = 1 << 31
_REMOVED = 0xFFFFFFFF
_TERM_ID_OFFSET = 8
_BASE_POSITION_OFFSET = 16
_LOG_POSITION_OFFSET = 24
_SERVICE_ID_OFFSET = 40
_TYPE_OFFSET = 44


class EntryType(IntEnum):
    """The type of an entry."""

    TERM = 0
    SNAPSHOT = 1
    STANDBY_SNAPSHOT = 2


_SORT_RANK = {EntryType.TERM: 0, EntryType.STANDBY_SNAPSHOT: 1, EntryType.SNAPSHOT: 2}


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry.

    Parameters
    ----------
    recording_id, leadership_term_id : int
    term_base_log_position : int
        The base position of the term, in bytes.
    log_position : int
        The end of a term, -1 while it is open; the position of a snapshot.
    timestamp : int
        The timestamp, in the cluster's time unit.
    service_id : int
        The service of a snapshot; -1 for the consensus module's and for terms.
    entry_type : EntryType
    is_valid : bool
    entry_index : int
        Its index in the file, including removed entries.
    offset : int
        Its offset in the file.
    archive_endpoint : str
        The archive endpoint of a standby snapshot.
    """

    recording_id: int
    leadership_term_id: int
    term_base_log_position: int
    log_position: int
    timestamp: int
    service_id: int
    entry_type: EntryType
    is_valid: bool = True
    entry_index: int = -1
    offset: int = -1
    archive_endpoint: str = ""

    @property
    def is_valid_term(self) -> bool:
        """Whether this is a valid term."""
        return self.is_valid and self.entry_type is EntryType.TERM

    @property
    def is_valid_snapshot(self) -> bool:
        """Whether this is a valid snapshot of this node."""
        return self.is_valid and self.entry_type is EntryType.SNAPSHOT

    def encode(self) -> bytes:
        """Return the bytes of the entry in the file, padded with zeros."""
        kind = int(self.entry_type) | (0 if self.is_valid else _INVALID_FLAG)
        fixed = _FIXED.pack(
            self.recording_id,
            self.leadership_term_id,
            self.term_base_log_position,
            self.log_position,
            self.timestamp,
            self.service_id,
            kind - (1 << 32) if kind & _INVALID_FLAG else kind,
        )
        if self.entry_type is EntryType.STANDBY_SNAPSHOT:
            endpoint = self.archive_endpoint.encode("ascii")
            fixed += struct.pack("<i", len(endpoint)) + endpoint
        return fixed + bytes(-len(fixed) % _ALIGNMENT)


def _sort_key(entry: Entry) -> tuple[int, ...]:
    rank = _SORT_RANK[entry.entry_type]
    if entry.entry_type is EntryType.TERM:
        tie: tuple[int, int] = (entry.entry_index, 0)
    else:
        tie = (entry.log_position, -entry.service_id)
    return (entry.leadership_term_id, entry.term_base_log_position, rank, *tie)


def _place(entry: Entry) -> tuple[object, ...]:
    """Return the fields that identify a snapshot: all except recording and time."""
    return (
        entry.entry_type,
        entry.leadership_term_id,
        entry.term_base_log_position,
        entry.log_position,
        entry.service_id,
        entry.archive_endpoint,
    )


def _is_torn(data: bytes, offset: int) -> bool:
    """Return whether the file ends within the entry: in its fixed part or in its endpoint."""
    if len(data) - offset < _ALIGNMENT:
        return True
    kind, size = struct.unpack_from("<ii", data, offset + _TYPE_OFFSET)
    if kind != EntryType.STANDBY_SNAPSHOT:
        return False
    endpoint = data[offset + _ENDPOINT_OFFSET + 4 : offset + _ENDPOINT_OFFSET + 4 + size]
    return (
        len(endpoint) < size <= _MAX_ENDPOINT_LENGTH
        # If other entries follow, they are not text: then its length is damaged.
        and endpoint.isascii()
        and b"\0" not in endpoint
    )


def is_storable_endpoint(archive_endpoint: str) -> bool:
    """Return whether an entry can name an archive's endpoint."""
    return 0 < len(archive_endpoint) <= _MAX_ENDPOINT_LENGTH and archive_endpoint.isascii()


class RecordingLog(StateFile):
    """The recording log of one member; its parameters are those of `StateFile`.

    Raises
    ------
    CorruptError
        The file is not a recording log; the error names file and offset.
    """

    NAME = FILE_NAME

    def __repr__(self) -> str:
        return f"RecordingLog({self._path!r}, entries={len(self._entries)})"

    # ---- reading ----

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every entry that was not removed: by term, base position, kind, then position."""
        return tuple(self._entries)

    def _load(self, *, writable: bool) -> None:  # noqa: ARG002 - an empty file needs no content
        data = self._file.read_at(self._file.length, 0)
        self._entries, self._next_entry_index, self._end = self._decode(data)
        self._torn_length = max(0, len(data) - self._end)
        if self._torn_length > 0:
            _log.warning(
                "%s at %d: skipped %d bytes of an incomplete entry",
                self._path,
                self._end,
                self._torn_length,
            )
        recording_id = NULL_VALUE
        for entry in self._entries:
            if entry.entry_type is not EntryType.TERM:
                continue
            if entry.recording_id == NULL_VALUE:
                raise CorruptError(self._path, entry.offset, "recording id", "not -1", -1)
            if recording_id not in (NULL_VALUE, entry.recording_id):
                raise CorruptError(
                    self._path,
                    entry.offset,
                    "recording id",
                    f"{recording_id}, as in the terms before",
                    entry.recording_id,
                )
            recording_id = entry.recording_id
        self._entries.sort(key=_sort_key)
        for before, entry in pairwise(self._entries):
            if not is_credible(entry.leadership_term_id, before.leadership_term_id):
                raise CorruptError(
                    self._path,
                    entry.offset + _TERM_ID_OFFSET,
                    "leadership term id",
                    f"at most {before.leadership_term_id + MAX_TERMS_AHEAD}",
                    entry.leadership_term_id,
                )

    def _decode(self, data: bytes) -> tuple[list[Entry], int, int]:
        entries: list[Entry] = []
        index = 0
        offset = 0
        # A power loss may keep the length of a file without what was written at its end. No entry
        # is all zeros: that of a term has a service id of -1.
        written = len(data.rstrip(b"\0"))
        while offset < written and not _is_torn(data, offset):
            *values, raw_kind = _FIXED.unpack_from(data, offset)
            kind = raw_kind & 0xFFFFFFFF
            length = _ALIGNMENT
            if kind != _REMOVED:
                entry, length = self._decode_entry(data, offset, values, kind, index)
                entries.append(entry)
            index += 1
            offset += length
        return entries, index, offset

    def _decode_entry(
        self, data: bytes, offset: int, values: list[int], kind: int, index: int
    ) -> tuple[Entry, int]:
        try:
            entry_type = EntryType(kind & ~_INVALID_FLAG)
        except ValueError:
            raise CorruptError(
                self._path, offset + _TYPE_OFFSET, "entry type", "0, 1 or 2", kind & ~_INVALID_FLAG
            ) from None
        endpoint = ""
        length = _ALIGNMENT
        if entry_type is EntryType.STANDBY_SNAPSHOT:
            start = offset + _ENDPOINT_OFFSET
            (size,) = struct.unpack_from("<i", data, start)
            if not 0 <= size <= min(_MAX_ENDPOINT_LENGTH, len(data) - start - 4):
                raise CorruptError(
                    self._path, start, "archive endpoint length", "inside the file", size
                )
            endpoint = data[start + 4 : start + 4 + size].decode("ascii", "replace")
            length = -(-(_ENDPOINT_OFFSET + 4 + size) // _ALIGNMENT) * _ALIGNMENT
        recording_id, term_id, base, position, timestamp, service_id = values
        for name, at, lowest, value in (
            ("leadership term id", _TERM_ID_OFFSET, 0, term_id),
            ("term base log position", _BASE_POSITION_OFFSET, NULL_VALUE, base),
            ("log position", _LOG_POSITION_OFFSET, NULL_VALUE, position),
            ("service id", _SERVICE_ID_OFFSET, CONSENSUS_MODULE_SERVICE_ID, service_id),
        ):
            if value < lowest:
                raise CorruptError(self._path, offset + at, name, f"at least {lowest}", value)
        entry = Entry(
            recording_id,
            term_id,
            base,
            position,
            timestamp,
            service_id,
            entry_type,
            not kind & _INVALID_FLAG,
            index,
            offset,
            endpoint,
        )
        return entry, length

    def find_last_term(self) -> Entry | None:
        """Return the last valid term, or None."""
        return next((entry for entry in reversed(self._entries) if entry.is_valid_term), None)

    def find_last_term_recording_id(self) -> int:
        """Return the recording of the log, or -1 if no term names it."""
        last = self.find_last_term()
        return last.recording_id if last else NULL_VALUE

    def find_term(self, leadership_term_id: int) -> Entry | None:
        """Return the valid entry of a term, or None."""
        return next(
            (
                entry
                for entry in self._entries
                if entry.is_valid_term and entry.leadership_term_id == leadership_term_id
            ),
            None,
        )

    def find_term_end(self, leadership_term_id: int, open_end: int) -> int | None:
        """Return the end position of a term, in bytes, or None if the log does not have the term.

        Parameters
        ----------
        leadership_term_id : int
        open_end : int
            The result for a term without a recorded end.
        """
        entry = self.find_term(leadership_term_id)
        if entry is None:
            return None
        return open_end if entry.log_position == NULL_VALUE else entry.log_position

    def get_term(self, leadership_term_id: int) -> Entry:
        """Return the valid entry of a term.

        Raises
        ------
        StateError
            There is no such entry.
        """
        entry = self.find_term(leadership_term_id)
        if entry is None:
            raise StateError(f"unknown leadershipTermId={leadership_term_id} in {self._path}")
        return entry

    def find_latest_snapshots(self, service_count: int) -> tuple[Entry, ...]:
        """Return the newest snapshot to recover from, the consensus module's first.

        Parameters
        ----------
        service_count : int

        Returns
        -------
        tuple of Entry
            The consensus module's, then service 0's, 1's and so on; empty without a snapshot. A
            set whose last entry was never written is skipped.

        Raises
        ------
        StateError
            The file begins in the middle of a set.
        """
        for index in range(len(self._entries) - 1, -1, -1):
            module = self._entries[index]
            if module.is_valid_snapshot and module.service_id == CONSENSUS_MODULE_SERVICE_ID:
                return (module, *self._services_before(index, module, service_count))
        return ()

    def _services_before(self, index: int, module: Entry, count: int) -> list[Entry]:
        found: list[Entry] = []
        taken = {
            each.service_id
            for each in self._entries[:index]
            if each.entry_type is EntryType.SNAPSHOT
            and each.log_position == module.log_position
            and each.service_id != CONSENSUS_MODULE_SERVICE_ID
        }
        place = index - 1
        while len(found) < count:
            if place < 0:
                # An incomplete set is damaged; a complete smaller set was taken by fewer services.
                kind = OtherServicesError if len(found) == len(taken) > 0 else StateError
                raise kind(
                    f"{self._path}: snapshot at {module.log_position}: expected {count} services, "
                    f"found {len(found)}"
                )
            entry = self._entries[place]
            if (
                entry.entry_type is EntryType.SNAPSHOT
                and entry.service_id == len(found)
                and entry.leadership_term_id == module.leadership_term_id
                and entry.log_position == module.log_position
            ):
                found.append(entry)
            place -= 1
        return found

    def find_dependents(self, entry: Entry) -> list[Entry]:
        """Return the consensus module's valid entries from which a recovery would load this one.

        Empty unless it is a service's, and the last one of its service and position.
        """
        if entry.service_id == CONSENSUS_MODULE_SERVICE_ID:
            return []
        if next(each for each in reversed(self._entries) if _place(each) == _place(entry)) != entry:
            return []
        module = replace(entry, service_id=CONSENSUS_MODULE_SERVICE_ID)
        return [each for each in self._entries if each.is_valid and _place(each) == _place(module)]

    def find_snapshots(self, service_count: int) -> list[tuple[Entry, ...]]:
        """Return every complete, valid snapshot.

        Returns
        -------
        list of tuple of Entry
            For each the services' entries from the highest id down, then the consensus module's. If
            a member ended before writing the last entry and took the snapshot again, the last entry
            of each service, as used by recovery.
        """
        sets: dict[tuple[int, int], dict[int, Entry]] = {}
        for entry in self._entries:
            if entry.is_valid_snapshot:
                place = entry.leadership_term_id, entry.log_position
                sets.setdefault(place, {})[entry.service_id] = entry
        ids = range(service_count - 1, CONSENSUS_MODULE_SERVICE_ID - 1, -1)
        return [
            tuple(entries[service_id] for service_id in ids)
            for entries in sets.values()
            if all(service_id in entries for service_id in ids)
        ]

    def find_snapshots_at_or_below(
        self, log_position: int, service_count: int
    ) -> tuple[Entry, ...]:
        """Return the newest complete snapshot up to a position; if all are above it, the lowest.

        Parameters
        ----------
        log_position : int
            The log position, in bytes.
        service_count : int

        Returns
        -------
        tuple of Entry
            The services' entries from the highest id down, then the consensus module's; empty
            without a snapshot.
        """
        sets = self.find_snapshots(service_count)
        below = [entries for entries in sets if entries[-1].log_position <= log_position]
        return tuple(below[-1] if below else sets[0] if sets else ())

    def find_latest_standby_snapshots(self, service_count: int) -> dict[str, tuple[Entry, ...]]:
        """Return the newest complete snapshot of each standby, by its archive's endpoint.

        Parameters
        ----------
        service_count : int

        Returns
        -------
        dict of str to tuple of Entry
            For each the services' entries from the highest id down, then the consensus module's.
        """
        sets: dict[tuple[str, int], list[Entry]] = {}
        for entry in self._entries:
            if entry.is_valid and entry.entry_type is EntryType.STANDBY_SNAPSHOT:
                sets.setdefault((entry.archive_endpoint, entry.log_position), []).append(entry)
        ids = list(range(service_count - 1, CONSENSUS_MODULE_SERVICE_ID - 1, -1))
        latest: dict[str, tuple[Entry, ...]] = {}
        for (endpoint, _), entries in sorted(sets.items(), key=lambda each: each[0][1]):
            if [entry.service_id for entry in entries] == ids:
                latest[endpoint] = tuple(entries)
        return latest

    # ---- changes ----

    def append_term(
        self,
        recording_id: int,
        leadership_term_id: int,
        term_base_log_position: int,
        timestamp: int,
    ) -> Entry:
        """Append a term; its base becomes the end of the previous term.

        Raises
        ------
        StateError
            The term already exists, or the log has another recording.
        """
        if self.find_term(leadership_term_id) is not None:
            raise StateError(
                f"duplicate TERM entry for leadershipTermId={leadership_term_id} in {self._path}"
            )
        known = next((entry for entry in self._entries if entry.entry_type is EntryType.TERM), None)
        if recording_id == NULL_VALUE or (known and known.recording_id != recording_id):
            expected = known.recording_id if known else "a valid one"
            raise StateError(
                f"invalid TERM recordingId={recording_id}, expected recordingId={expected} in"
                f" {self._path}"
            )
        if self.find_term(leadership_term_id - 1) is not None:
            self.commit_log_position(leadership_term_id - 1, term_base_log_position)
        following = self.find_term(leadership_term_id + 1)
        return self._append(
            Entry(
                recording_id,
                leadership_term_id,
                term_base_log_position,
                following.term_base_log_position if following else NULL_VALUE,
                timestamp,
                NULL_VALUE,
                EntryType.TERM,
            )
        )

    def append_snapshot(
        self,
        recording_id: int,
        leadership_term_id: int,
        term_base_log_position: int,
        log_position: int,
        timestamp: int,
        service_id: int,
        archive_endpoint: str | None = None,
    ) -> Entry:
        """Append a snapshot, or make an invalidated one of the same position valid again.

        Services are appended first, from the highest id down, then the consensus module (-1): a set
        is valid once its last entry is written.

        Parameters
        ----------
        recording_id, leadership_term_id : int
        term_base_log_position, log_position : int
            The base position of the term, and the snapshot's position, in bytes.
        timestamp : int
            The timestamp, in the cluster's time unit.
        service_id : int
        archive_endpoint : str, optional
            The archive endpoint, if a standby has the snapshot in its own archive.

        Raises
        ------
        StateError
            The recording id is invalid.
        ValueError
            The endpoint is missing.
        """
        if recording_id == NULL_VALUE:
            raise StateError(
                f"invalid recordingId={recording_id} in {self._path}, expected a valid one"
            )
        if archive_endpoint is not None and not is_storable_endpoint(archive_endpoint):
            raise ValueError(
                f"{self._path}: archive endpoint: expected 1 to {_MAX_ENDPOINT_LENGTH} characters"
                f" of ASCII, found {archive_endpoint[:64]!r}"
            )
        wanted = Entry(
            recording_id,
            leadership_term_id,
            term_base_log_position,
            log_position,
            timestamp,
            service_id,
            EntryType.SNAPSHOT if archive_endpoint is None else EntryType.STANDBY_SNAPSHOT,
            archive_endpoint=archive_endpoint or "",
        )
        for index, entry in enumerate(self._entries):
            if not entry.is_valid and _place(entry) == _place(wanted):
                restored = replace(wanted, entry_index=entry.entry_index, offset=entry.offset)
                self._write(restored.encode(), restored.offset)
                self._entries[index] = restored
                return restored
        return self._append(wanted)

    def commit_log_position(self, leadership_term_id: int, log_position: int) -> None:
        """Set the end of a term.

        Raises
        ------
        StateError
            The term is missing or invalid.
        """
        entry = self.get_term(leadership_term_id)
        if entry.log_position != log_position:
            self._write(struct.pack("<q", log_position), entry.offset + _LOG_POSITION_OFFSET)
            index = self._entries.index(entry)
            self._entries[index] = replace(entry, log_position=log_position)

    def ensure_coherent(
        self,
        recording_id: int,
        initial_leadership_term_id: int,
        initial_term_base_log_position: int,
        leadership_term_id: int,
        term_base_log_position: int,
        log_position: int,
        timestamp: int,
    ) -> None:
        """Append a term, and missing terms before it as empty ones.

        The last term ends at the new one's base. An end that it has already may be outdated: a
        member that ended noted it, and copied more of that term when it started again. Upstream
        keeps that end, and gives it to the new term as its base.

        Parameters
        ----------
        recording_id : int
            The recording of the log; nothing is done while it is -1.
        initial_leadership_term_id, initial_term_base_log_position : int
            The start of this member's log, for a file without terms.
        leadership_term_id, term_base_log_position : int
            The term; an unknown base is -1.
        log_position : int
            The end position of the term, or -1.
        timestamp : int
            The timestamp, in the cluster's time unit.

        Raises
        ------
        StateError
            An open term precedes it, and its base is unknown.
        """
        if recording_id == NULL_VALUE:
            return
        last = self.find_last_term()
        if last is None:
            first, base = max(0, initial_leadership_term_id), initial_term_base_log_position
            missing = range(first, leadership_term_id)
            self._append_empty_terms(recording_id, missing, base, term_base_log_position, timestamp)
            self.append_term(recording_id, leadership_term_id, term_base_log_position, timestamp)
        elif last.leadership_term_id < leadership_term_id:
            is_known = term_base_log_position != NULL_VALUE
            end = term_base_log_position if is_known else last.log_position
            if end == NULL_VALUE:
                raise StateError(
                    f"Prior term was not committed: term {last.leadership_term_id} is open and"
                    f" the base of term {leadership_term_id} is unknown in {self._path}"
                )
            self.commit_log_position(last.leadership_term_id, end)
            missing = range(last.leadership_term_id + 1, leadership_term_id)
            self._append_empty_terms(recording_id, missing, end, end, timestamp)
            self.append_term(recording_id, leadership_term_id, end, timestamp)
        if log_position != NULL_VALUE:
            self.commit_log_position(leadership_term_id, log_position)

    def _append_empty_terms(
        self, recording_id: int, terms: range, base: int, end: int, timestamp: int
    ) -> None:
        """Append terms that all begin at the same base; only the last one may have another end."""
        if len(terms) > MAX_TERMS_AHEAD:
            raise StateError(
                f"{self._path}: expected at most {MAX_TERMS_AHEAD} terms to be missing, found"
                f" {len(terms)}, up to term {terms[-1]}"
            )
        self._append_placed(
            [
                Entry(
                    recording_id,
                    term,
                    base,
                    end if term == terms[-1] else base,
                    timestamp,
                    NULL_VALUE,
                    EntryType.TERM,
                    entry_index=self._next_entry_index + place,
                    offset=self._end + place * _ALIGNMENT,
                )
                for place, term in enumerate(terms)
            ]
        )

    def invalidate_latest_snapshot(self) -> bool:
        """Mark the newest snapshot of the node and its services as invalid.

        Returns
        -------
        bool
            False if there is no such entry.

        Raises
        ------
        StateError
            The snapshot's term is unknown.
        """
        position = None
        for index in range(len(self._entries) - 1, -1, -1):
            module = self._entries[index]
            if (
                not module.is_valid
                or module.entry_type is EntryType.TERM
                or module.service_id != CONSENSUS_MODULE_SERVICE_ID
            ):
                continue
            if position is not None and module.log_position < position:
                break
            position = module.log_position
            self.get_term(module.leadership_term_id)
            self._invalidate_set(index)
        return position is not None

    def _invalidate_set(self, index: int) -> None:
        service_id = CONSENSUS_MODULE_SERVICE_ID
        kind = self._entries[index].entry_type
        while (
            index >= 0
            and self._entries[index].service_id == service_id
            and self._entries[index].entry_type is kind
        ):
            self.invalidate(self._entries[index])
            service_id += 1
            index -= 1

    def invalidate_terms_after(self, leadership_term_id: int) -> None:
        """Mark later terms as invalid, the last one first."""
        for entry in reversed(self.entries):
            if entry.is_valid_term and entry.leadership_term_id > leadership_term_id:
                self.invalidate(entry)

    def invalidate(self, entry: Entry) -> None:
        """Mark an entry of this log as invalid."""
        index = self._entries.index(entry)
        invalid = replace(entry, is_valid=False)
        flags = invalid.encode()[_TYPE_OFFSET : _TYPE_OFFSET + 4]
        self._write(flags, entry.offset + _TYPE_OFFSET)
        self._entries[index] = invalid

    def _append(self, entry: Entry) -> Entry:
        placed = replace(entry, entry_index=self._next_entry_index, offset=self._end)
        self._append_placed([placed])
        return placed

    def _append_placed(self, entries: Sequence[Entry]) -> None:
        """Append entries with set offsets; those in one sector share one write and one sync.

        After a power loss, the second of two unsynced sectors may be stored without the first.
        """
        if self._torn_length > 0:
            self._file.truncate(self._end)  # it may be longer than the entry that overwrites it
            self._torn_length = 0
        try:
            for _, group in groupby(entries, lambda entry: entry.offset // _SECTOR):
                of_sector = list(group)
                data = b"".join([entry.encode() for entry in of_sector])
                try:
                    self._write(data, self._end)
                except OSError:
                    # A part of it may be written, and be longer than the next entry.
                    self._torn_length = len(data)
                    raise
                self._next_entry_index += len(of_sector)
                self._end += len(data)
                self._entries += of_sector
        finally:
            self._entries.sort(key=_sort_key)

    def _write(self, data: bytes, offset: int) -> None:
        self._file.write_at(data, offset)
        self._sync()
