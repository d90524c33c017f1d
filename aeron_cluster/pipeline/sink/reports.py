"""Reports of written rows as plain values, for a partition and for a whole write."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from aeron_cluster.errors import CorruptError

__all__ = [
    "MAX_REJECTED_ROWS",
    "PartReport",
    "Promise",
    "RejectedRow",
    "WriteReport",
    "combine_reports",
]

Promise: TypeAlias = Literal["applied", "offered"]

# The number of rejected rows that are listed individually.
MAX_REJECTED_ROWS = 10


@dataclass(frozen=True, slots=True)
class RejectedRow:
    """A row that the service rejected or failed to handle.

    Parameters
    ----------
    partition, row : int
    key : str
        The id; empty if rows have none.
    reason : str
        The service's reason.
    """

    partition: int
    row: int
    key: str
    reason: str

    def __str__(self) -> str:
        key = f" (key {self.key})" if self.key else ""
        return f"partition {self.partition}, row {self.row}{key}: {self.reason}"


@dataclass(frozen=True, slots=True)
class PartReport:
    """The report of a partition.

    Parameters
    ----------
    write_id : str
    partition, attempt : int
    client_id : int
        The client id of the partition; 0 if rows are only offered.
    rows : int
        All rows of the partition.
    acknowledged : int
        The acknowledged rows: applied, or rejected.
    applied_before : int
        Rows that the service had from an earlier attempt; they were not resent.
    offered : int
        Rows that the cluster's ingress accepted, without acknowledgement.
    rejected : int
        The rejected rows among the acknowledged ones.
    first_rejected : tuple of RejectedRow
        Up to `MAX_REJECTED_ROWS` of them.
    sessions, resends : int
        The number of sessions, and of resent rows.

    Notes
    -----
    Rejections among the rows of an earlier attempt are known only to that attempt.
    """

    write_id: str
    partition: int
    attempt: int
    client_id: int = 0
    rows: int = 0
    acknowledged: int = 0
    applied_before: int = 0
    offered: int = 0
    rejected: int = 0
    first_rejected: tuple[RejectedRow, ...] = ()
    sessions: int = 0
    resends: int = 0


@dataclass(frozen=True, slots=True)
class WriteReport:
    """The report of the rows of a write, or of a batch of a stream.

    Parameters
    ----------
    write_id : str
    batch_id : int
        The id of the batch; -1 without one.
    promise : Promise
        What was waited for: that the service applied each row, or that the ingress accepted it.
    is_complete : bool
        Whether all partitions were written.
    parts : int
        The number of partitions.
    rows, acknowledged, applied_before, offered, rejected, sessions, resends : int
        As for a partition.
    first_rejected : tuple of RejectedRow
    unconfirmed : int
        The number of rows of earlier attempts that may have been rejected: their answers were lost
        with their writer.
    """

    write_id: str
    batch_id: int
    promise: Promise
    is_complete: bool
    parts: int
    rows: int
    acknowledged: int
    applied_before: int
    offered: int
    rejected: int
    first_rejected: tuple[RejectedRow, ...]
    sessions: int
    resends: int
    unconfirmed: int

    @property
    def file_name(self) -> str:
        """The file name of the report of this write or batch."""
        return self._name(is_complete=self.is_complete)

    def write(self, directory: Path) -> WriteReport:
        """Write the report as JSON, replacing an earlier report of the same write.

        Returns
        -------
        WriteReport
            The report, including the rejected rows of earlier incomplete attempts. The file also
            has the rejected rows of a complete attempt; they need not be reported again.
        """
        directory.mkdir(parents=True, exist_ok=True)
        partial = directory / self._name(is_complete=False)
        merged = self.with_earlier(_read(partial))
        written = (
            merged.with_earlier(_read(directory / self.file_name)) if self.is_complete else merged
        )
        path = directory / self.file_name
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(asdict(written)) + "\n")
        temporary.replace(path)
        if self.is_complete and self.promise == "applied":
            partial.unlink(missing_ok=True)
        return merged

    def _name(self, *, is_complete: bool) -> str:
        batch = f"-{self.batch_id:020d}" if self.batch_id >= 0 else ""
        return f"written-{self.write_id}{batch}{'' if is_complete else '-partial'}.json"

    def with_earlier(self, earlier: WriteReport | None) -> WriteReport:
        """Return the report with the rejected rows of an earlier report of the same write."""
        if earlier is None or (self.is_complete and not self.applied_before):
            return self  # the service has forgotten the earlier attempt
        confirmed = earlier.acknowledged + earlier.applied_before - earlier.unconfirmed
        return replace(
            self,
            rejected=earlier.rejected + self.rejected,
            first_rejected=(*earlier.first_rejected, *self.first_rejected)[:MAX_REJECTED_ROWS],
            unconfirmed=max(self.unconfirmed - confirmed, 0),
        )


def _read(path: Path) -> WriteReport | None:
    """Return the report in a file; None without one."""
    try:
        found = json.loads(path.read_text())
        rejected = tuple(RejectedRow(**each) for each in found["first_rejected"])
        return WriteReport(**{**found, "first_rejected": rejected})
    except FileNotFoundError:
        return None
    except (KeyError, TypeError, ValueError):
        raise CorruptError(str(path), 0, "report", "one of this version", "another") from None


def combine_reports(
    parts: Sequence[PartReport], batch_id: int, promise: Promise, *, is_complete: bool
) -> WriteReport:
    """Return the report of a write from the reports of its partitions, at least one."""

    def total(name: str) -> Any:
        return sum(getattr(part, name) for part in parts)

    rejected = [row for part in parts for row in part.first_rejected]
    return WriteReport(
        write_id=parts[0].write_id,
        batch_id=batch_id,
        promise=promise,
        is_complete=is_complete,
        parts=len(parts),
        rows=total("rows"),
        acknowledged=total("acknowledged"),
        applied_before=total("applied_before"),
        offered=total("offered"),
        rejected=total("rejected"),
        first_rejected=tuple(rejected[:MAX_REJECTED_ROWS]),
        sessions=total("sessions"),
        resends=total("resends"),
        unconfirmed=total("applied_before"),
    )
