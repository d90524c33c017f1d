"""The findings of an audit, and its report.

No counterpart in Aeron.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["AuditReport", "AuditedMember", "Finding", "FindingKind"]


class FindingKind(StrEnum):
    """The kinds of findings."""

    DIFFERENT_BYTE = "different byte"
    """A frame differs from that of the other members."""
    MISSING_FRAME = "missing frame"
    """An entry is missing at this position."""
    EXTRA_FRAME = "extra frame"
    """The other members do not have this entry."""
    UNREADABLE = "unreadable"
    """A frame, a segment or a snapshot is damaged, truncated or missing."""
    TERM_BOUNDARY = "term boundary"
    """A leadership term begins or ends at another position than in the recording log."""
    MISSING_TERM = "missing term"
    """A leadership term is only in the log, or only in the recording log."""
    STALE_SNAPSHOT = "stale snapshot"
    """The snapshot's position or term is not that of its entry, or others have a newer one."""
    DIFFERENT_SNAPSHOT = "different snapshot"
    """The snapshot differs from those of other members at its position."""
    MISSING_SNAPSHOT = "missing snapshot"
    """The snapshot has an entry, but is not in the archive."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding.

    Parameters
    ----------
    kind : FindingKind
    member : str
        The other member of the comparison.
    position : int
        The log position of the first difference, in bytes.
    what : str
        The field or the object.
    expected, found : str
    path : str
        The file.
    offset : int
        The offset in it, in bytes; -1 if not applicable.
    """

    kind: FindingKind
    member: str
    position: int
    what: str
    expected: str
    found: str
    path: str = ""
    offset: int = -1

    def __str__(self) -> str:
        where = f" ({self.path}{f' at {self.offset}' if self.offset >= 0 else ''})"
        return (
            f"{self.member}: {self.kind} at position {self.position}{where if self.path else ''}:"
            f" {self.what}: expected {self.expected}, found {self.found}"
        )


@dataclass(frozen=True, slots=True)
class AuditedMember:
    """A member whose log was read.

    Parameters
    ----------
    name, archive_dir : str
    recording_id : int
        The recording of the log.
    start_position, end_position : int
        The bounds of the log, in bytes.
    term_count : int
        The number of leadership terms that begin in the log.
    snapshot_count : int
        The number of snapshots read, of services and of the consensus module.
    """

    name: str
    archive_dir: str
    recording_id: int
    start_position: int
    end_position: int
    term_count: int
    snapshot_count: int


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The result of an audit.

    Parameters
    ----------
    members : tuple of AuditedMember
    committed_position : int
        The known commit position, in bytes; -1 if unknown.
    compared_length : int
        The number of bytes of members' logs that were compared and are equal.
    findings : tuple of Finding
        The findings; for each log only the first difference, because it may cause others.
    notes : tuple of str
        Notes: remarks that are not findings.
    """

    members: tuple[AuditedMember, ...]
    committed_position: int
    compared_length: int
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]

    @property
    def is_consistent(self) -> bool:
        """Whether there are no findings."""
        return not self.findings
