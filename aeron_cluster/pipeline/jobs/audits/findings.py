"""What an audit finds, and its final report.

No counterpart in Aeron.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["AuditReport", "AuditedMember", "Finding", "FindingKind"]


class FindingKind(StrEnum):
    """What is wrong."""

    DIFFERENT_BYTE = "different byte"
    """A frame is there, and is not that of the others."""
    MISSING_FRAME = "missing frame"
    """The entry is missing, or the one that follows it."""
    EXTRA_FRAME = "extra frame"
    """There is one that the others do not have."""
    UNREADABLE = "unreadable"
    """A frame, a segment or a snapshot is damaged, cut short or not there."""
    TERM_BOUNDARY = "term boundary"
    """A leadership term begins or ends elsewhere than in the recording log."""
    MISSING_TERM = "missing term"
    """A leadership term is in the log alone, or in the recording log alone."""
    STALE_SNAPSHOT = "stale snapshot"
    """It is of another position or term than it is noted for, or others have a newer one."""
    DIFFERENT_SNAPSHOT = "different snapshot"
    """It is not that of the others at its position."""
    MISSING_SNAPSHOT = "missing snapshot"
    """It is noted, and not in the archive."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    Parameters
    ----------
    kind : FindingKind
    member : str
        The member compared with.
    position : int
        Where in the log, in bytes: the first that differs.
    what : str
        The field, or what it is of.
    expected, found : str
    path : str
        The file.
    offset : int
        Where in it, in bytes; -1 where that means nothing.
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
        Of the log.
    start_position, end_position : int
        Of it, in bytes.
    term_count : int
        How many leadership terms begin in it.
    snapshot_count : int
        How many snapshots were read, of services and of the consensus module.
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
    """What an audit came to.

    Parameters
    ----------
    members : tuple of AuditedMember
    committed_position : int
        Up to where the log is known to be committed, in bytes; -1: nowhere.
    compared_length : int
        How many bytes of members' logs were compared with another's and are the same.
    findings : tuple of Finding
        What is wrong; by member the first difference of its log, since the rest may follow of it.
    notes : tuple of str
        What is not wrong and worth to be known.
    """

    members: tuple[AuditedMember, ...]
    committed_position: int
    compared_length: int
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]

    @property
    def is_consistent(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings
