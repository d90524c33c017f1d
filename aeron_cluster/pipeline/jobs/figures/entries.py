"""The entries of a log as NumPy arrays, batch by batch.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from aeron_cluster.codecs.cluster import SessionMessageHeader
from aeron_cluster.pipeline.jobs.figures.outlier_times import without_outlier_times
from aeron_cluster.pipeline.scan.arrow import arrow_batches, plan_schema

if TYPE_CHECKING:
    import numpy.typing as npt

    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.scan.pieces import LeftOut
    from aeron_cluster.pipeline.scan.scan_plan import Plan

__all__ = ["ENTRY_COLUMNS", "ENTRY_TYPES", "Entries", "numbers", "read_entries", "sender_ids"]

ENTRY_COLUMNS: Final = (
    "position",
    "template_id",
    "leadership_term_id",
    "cluster_session_id",
    "timestamp_raw",
    "frame_length",
)
ENTRY_TYPES: Final = (
    "SessionMessage",
    "TimerEvent",
    "SessionOpenEvent",
    "SessionCloseEvent",
    "ClusterActionRequest",
    "NewLeadershipTermEvent",
)
"""The types of all entries with a time."""

# The lengths of the frame header, SBE's header, and the session message header.
_HEADERS_LENGTH: Final = 32 + 8 + 24

# For the sender id of a service's messages, whose top byte has the service id; session ids are not
# negative.
_SERVICE_SHIFT: Final = 56
_SERVICE_MASK: Final = 0x7F


@dataclass(frozen=True, slots=True)
class Entries:
    """Some entries of a log, in order; all arrays have the same length.

    Parameters
    ----------
    positions, templates, terms, sessions, times, lengths : numpy.ndarray
        Times are raw. The session is 0 for an entry without one, and -1 - its id for a service.
        Lengths are those of the payloads of session messages, in bytes.
    """

    positions: npt.NDArray[np.int64]
    templates: npt.NDArray[np.int32]
    terms: npt.NDArray[np.int64]
    sessions: npt.NDArray[np.int64]
    times: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.times)

    def __getitem__(self, wanted: slice | npt.NDArray[Any]) -> Entries:
        """Return a selection of the entries, in the same order."""
        return Entries(
            self.positions[wanted],
            self.templates[wanted],
            self.terms[wanted],
            self.sessions[wanted],
            self.times[wanted],
            self.lengths[wanted],
        )

    def messages(self) -> Entries:
        """Return only the session messages."""
        return self[self.templates == SessionMessageHeader.template_id]

    def of_clients(self) -> Entries:
        """Return only the entries that were not sent by services."""
        return self[self.sessions >= 0]

    def after(self, last: Entries | None) -> Entries:
        """Return these entries with the previous entry prepended."""
        if last is None:
            return self
        return Entries(
            np.append(last.positions, self.positions),
            np.append(last.templates, self.templates),
            np.append(last.terms, self.terms),
            np.append(last.sessions, self.sessions),
            np.append(last.times, self.times),
            np.append(last.lengths, self.lengths),
        )

    def waits(self) -> tuple[npt.NDArray[np.int64], Entries]:
        """Return the time from the previous entry to each entry, in the log's unit.

        Returns
        -------
        tuple of numpy.ndarray and Entries
            The times and their entries; entries of another leader than the previous entry are
            omitted.
        """
        is_of_one = self.terms[1:] == self.terms[:-1]
        return np.diff(self.times)[is_of_one], self[1:][is_of_one]


def read_entries(files: Files, plan: Plan, left_out: list[LeftOut]) -> Iterator[Entries]:
    """Yield the entries of a plan with `ENTRY_COLUMNS` and one range.

    Parameters
    ----------
    files : Files
    plan : Plan
    left_out : list of LeftOut
        Collects the parts that a permissive pass cannot read.

    Raises
    ------
    SegmentError
        The log is damaged, or an entry has an invalid time.
    """
    schema = plan_schema(plan)
    for found in arrow_batches(files, plan, plan.ranges[0], left_out, schema):
        batch = without_outlier_times(files, plan, found, left_out)
        if not batch.num_rows:
            continue
        lengths = numbers(batch, "frame_length").astype(np.int64) - _HEADERS_LENGTH
        yield Entries(
            numbers(batch, "position"),
            numbers(batch, "template_id"),
            numbers(batch, "leadership_term_id"),
            _senders(numbers(batch, "cluster_session_id")),
            numbers(batch, "timestamp_raw"),
            lengths,
        )


def sender_ids(sender: int) -> tuple[int | None, int | None]:
    """Return the session id and the service id of an entry's sender; one or both are None."""
    return (sender or None, None) if sender >= 0 else (None, -1 - sender)


def _senders(sessions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the senders; the different ids of a service's messages are mapped to one."""
    services = sessions >> _SERVICE_SHIFT & _SERVICE_MASK
    return np.where(sessions < 0, -1 - services, sessions)


def numbers(batch: Any, name: str) -> Any:
    """Return a column of numbers as an array, 0 for null."""
    column = batch.column(name)
    return (column.fill_null(0) if column.null_count else column).to_numpy(zero_copy_only=False)
