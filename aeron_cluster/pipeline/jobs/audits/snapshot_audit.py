"""Compare snapshots with their entries and with other members' snapshots.

No counterpart in Aeron. Snapshots of services are compared byte for byte. Those of the consensus
module contain times of each member, so only sessions and timers are compared.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, TypeAlias

from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.archive.storage.recording_reader import read_recording
from aeron_cluster.cluster.state.recording_log import CONSENSUS_MODULE_SERVICE_ID
from aeron_cluster.codecs.cluster import (
    SCHEMA,
    ClusterSession,
    SnapshotMark,
    SnapshotMarker,
    Timer,
)
from aeron_cluster.errors import CorruptError, MessageError, PlatformError
from aeron_cluster.pipeline.jobs.audits.findings import Finding, FindingKind

if TYPE_CHECKING:
    from aeron_cluster.cluster.state.recording_log import Entry
    from aeron_cluster.codecs.archive import RecordingDescriptor
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.jobs.member_log import MemberLog

__all__ = ["ReadSnapshot", "compare_snapshots", "find_stale", "read_snapshots"]

# The log position and the service id.
_Place: TypeAlias = tuple[int, int]

_RECORDING_OFFSET: Final = 0
_BASE_OFFSET: Final = 16


@dataclass(frozen=True, slots=True)
class ReadSnapshot:
    """A snapshot.

    Parameters
    ----------
    entry : Entry
        Its entry in the recording log.
    descriptor : RecordingDescriptor
    digests : array of int
        The digests of the compared messages.
    """

    entry: Entry
    descriptor: RecordingDescriptor
    digests: array[int]

    @property
    def place(self) -> _Place:
        """The log position and the service of the snapshot."""
        return self.entry.log_position, self.entry.service_id


def _name(entry: Entry) -> str:
    if entry.service_id == CONSENSUS_MODULE_SERVICE_ID:
        return f"snapshot {entry.recording_id} of the consensus module"
    return f"snapshot {entry.recording_id} of service {entry.service_id}"


def read_snapshots(files: Files, log: MemberLog) -> tuple[list[ReadSnapshot], list[Finding]]:
    """Read the snapshots of a member's recording log; return them, and the findings."""
    archive_dir = log.directories.archive_dir
    with Catalog(files, archive_dir, writable=False) as catalog:
        descriptors = {each.descriptor.recording_id: each.descriptor for each in catalog}
    read: list[ReadSnapshot] = []
    found: list[Finding] = []
    for entry in log.snapshots:
        found += _check_term(log, entry)
        descriptor = descriptors.get(entry.recording_id)
        if descriptor is None:
            found.append(
                Finding(
                    FindingKind.MISSING_SNAPSHOT,
                    log.name,
                    entry.log_position,
                    _name(entry),
                    f"recording {entry.recording_id} in {archive_dir}",
                    "none",
                    log.recording_log_path,
                    entry.offset + _RECORDING_OFFSET,
                )
            )
            continue
        snapshot = ReadSnapshot(entry, descriptor, array("Q"))
        finding = _read(files, log, snapshot)
        if finding is None:
            read.append(snapshot)
        else:
            found.append(finding)
    return read, found


def _check_term(log: MemberLog, entry: Entry) -> list[Finding]:
    term = log.terms.get(entry.leadership_term_id)
    if term is None or term.term_base_log_position == entry.term_base_log_position:
        return []
    return [
        Finding(
            FindingKind.TERM_BOUNDARY,
            log.name,
            entry.log_position,
            f"start of leadership term {entry.leadership_term_id} at {_name(entry)}",
            f"{term.term_base_log_position}, as the term has it",
            str(entry.term_base_log_position),
            log.recording_log_path,
            entry.offset + _BASE_OFFSET,
        )
    ]


def _read(files: Files, log: MemberLog, snapshot: ReadSnapshot) -> Finding | None:
    """Compute the digests of a snapshot; return a finding if it is wrong."""
    entry = snapshot.entry
    archive_dir = log.directories.archive_dir
    is_begun = is_ended = False
    try:
        for message, _ in read_recording(files, archive_dir, snapshot.descriptor):
            marker = _marker(message)
            if not is_begun:
                if marker is None:
                    return _unreadable(log, entry, "first message", "a marker", "none")
                found = marker.log_position, marker.leadership_term_id
                expected = entry.log_position, entry.leadership_term_id
                if found != expected:
                    return Finding(
                        FindingKind.STALE_SNAPSHOT,
                        log.name,
                        entry.log_position,
                        _name(entry),
                        f"that of position {expected[0]} in leadership term {expected[1]}",
                        f"that of position {found[0]} in leadership term {found[1]}",
                        archive_dir,
                    )
                is_begun = True
            elif marker is not None and marker.mark is SnapshotMark.END:
                is_ended = True
            part = _compared(entry, message)
            if part is not None:
                snapshot.digests.append(_digest(part))
    except (CorruptError, MessageError) as error:
        return _unreadable(log, entry, "message", "one that can be read", str(error))
    except (PlatformError, OSError) as error:
        return _unreadable(log, entry, "segment file", "an existing one", str(error))
    if not is_ended:
        return _unreadable(log, entry, "end", "a marker", "none")
    if entry.service_id == CONSENSUS_MODULE_SERVICE_ID:
        snapshot.digests[:] = array("Q", sorted(snapshot.digests))  # maps have no order
    return None


def _unreadable(log: MemberLog, entry: Entry, what: str, expected: str, found: str) -> Finding:
    return Finding(
        FindingKind.UNREADABLE,
        log.name,
        entry.log_position,
        f"{_name(entry)}: {what}",
        expected,
        found,
        log.directories.archive_dir,
    )


def _marker(message: bytes) -> SnapshotMarker | None:
    try:
        if SCHEMA.template_id_of(message) == SnapshotMarker.template_id:
            return SnapshotMarker.decode(message)
    except MessageError:
        return None  # a message of the service
    return None


def _compared(entry: Entry, message: bytes) -> bytes | None:
    """Return the part of a message that is equal on every member; None without such a part."""
    if entry.service_id != CONSENSUS_MODULE_SERVICE_ID:
        return message
    match SCHEMA.template_id_of(message):
        case ClusterSession.template_id:
            it = ClusterSession.decode(message)
            return repr(
                (
                    it.cluster_session_id,
                    it.opened_log_position,
                    it.response_stream_id,
                    it.response_channel,
                )
            ).encode()
        case Timer.template_id:
            timer = Timer.decode(message)
            return repr((timer.correlation_id, timer.deadline)).encode()
        case _:
            return None


def _digest(data: bytes) -> int:
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def find_stale(logs: Sequence[MemberLog]) -> list[Finding]:
    """Return findings for members that lack a newer snapshot which at least half of them have.

    It was lost, or not taken because the member was stopped: its next start must read more of the
    log.
    """
    found: list[Finding] = []
    services = {each.service_id for log in logs for each in log.snapshots}
    for service_id in sorted(services):
        latest = [
            max((e.log_position for e in log.snapshots if e.service_id == service_id), default=-1)
            for log in logs
        ]
        position = sorted(latest, reverse=True)[(len(logs) - 1) // 2]
        for log, own in zip(logs, latest, strict=True):
            if own < position <= log.piece.end_position and log.directories.cluster_dir is not None:
                is_module = service_id == CONSENSUS_MODULE_SERVICE_ID
                what = "the consensus module" if is_module else f"service {service_id}"
                found.append(
                    Finding(
                        FindingKind.STALE_SNAPSHOT,
                        log.name,
                        position,
                        f"latest snapshot of {what}",
                        f"one of position {position}, as others have",
                        "none" if own < 0 else f"one of position {own}",
                        log.recording_log_path,
                    )
                )
    return found


def compare_snapshots(
    files: Files, logs: Sequence[MemberLog], snapshots: Sequence[Sequence[ReadSnapshot]]
) -> list[Finding]:
    """Return findings for snapshots that differ from others at their positions.

    If a majority is equal, the others are wrong; without a majority, all but the first member's.
    """
    by_place: dict[_Place, list[tuple[MemberLog, ReadSnapshot]]] = {}
    for log, own in zip(logs, snapshots, strict=True):
        for each in {snapshot.place: snapshot for snapshot in own}.values():
            by_place.setdefault(each.place, []).append((log, each))
    found: list[Finding] = []
    for place in sorted(by_place):
        held = by_place[place]
        groups: list[list[tuple[MemberLog, ReadSnapshot]]] = []
        for log, each in held:
            for group in groups:
                if group[0][1].digests == each.digests:
                    group.append((log, each))
                    break
            else:
                groups.append([(log, each)])
        groups.sort(key=len, reverse=True)
        for group in groups[1:]:
            found += [_difference(files, groups[0][0], each) for each in group]
    return found


def _difference(
    files: Files,
    known: tuple[MemberLog, ReadSnapshot],
    diverged: tuple[MemberLog, ReadSnapshot],
) -> Finding:
    (other, theirs), (log, own) = known, diverged
    pairs = zip(own.digests, theirs.digests, strict=False)
    shorter = min(len(own.digests), len(theirs.digests))
    index = next((at for at, (a, b) in enumerate(pairs) if a != b), shorter)
    what = f"{_name(own.entry)}: message {index}"
    if own.entry.service_id == CONSENSUS_MODULE_SERVICE_ID:
        what = f"{_name(own.entry)}: sessions and timers"
        expected = f"the {len(theirs.digests)} of {other.name}"
        found = f"{len(own.digests)}, not the same"
    else:
        a = _message(files, log, own, index)
        b = _message(files, other, theirs, index)
        at = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
        at = min(len(a), len(b)) if at is None else at
        what += f", byte {at}"
        expected = f"{_byte(b, at)} as {other.name} has it"
        found = _byte(a, at)
    return Finding(
        FindingKind.DIFFERENT_SNAPSHOT,
        log.name,
        own.entry.log_position,
        what,
        expected,
        found,
        log.directories.archive_dir,
    )


def _message(files: Files, log: MemberLog, snapshot: ReadSnapshot, index: int) -> bytes:
    messages = read_recording(files, log.directories.archive_dir, snapshot.descriptor)
    for at, (message, _) in enumerate(messages):
        if at == index:
            return message
    return b""


def _byte(message: bytes, at: int) -> str:
    return f"0x{message[at]:02x}" if at < len(message) else "the end"
