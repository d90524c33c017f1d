"""The entries of a log as arrays of numbers, batch by batch.

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
"""All that have a time."""

# Of the frame, of SBE's header, and of the block with the message's sender.
_HEADERS_LENGTH: Final = 32 + 8 + 24

# Of the id that each message of a service has: a session's is never below 0.
_SERVICE_SHIFT: Final = 56
_SERVICE_MASK: Final = 0x7F


@dataclass(frozen=True, slots=True)
class Entries:
    """Some entries of a log, in its order; all arrays are of the same length.

    Parameters
    ----------
    positions, templates, terms, sessions, times, lengths : numpy.ndarray
        Times are raw. Sessions are 0 where an entry has none, and -1 - its id for a service;
        lengths are those of payloads of session messages, in bytes.
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
        """Return some of them, in the same order."""
        return Entries(
            self.positions[wanted],
            self.templates[wanted],
            self.terms[wanted],
            self.sessions[wanted],
            self.times[wanted],
            self.lengths[wanted],
        )

    def messages(self) -> Entries:
        """Return only the messages of sessions."""
        return self[self.templates == SessionMessageHeader.template_id]

    def of_clients(self) -> Entries:
        """Return only the entries that are not of services."""
        return self[self.sessions >= 0]

    def after(self, last: Entries | None) -> Entries:
        """Return these with the previous entry before them."""
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
        """Return the time from the previous entry to each, in the log's unit.

        Returns
        -------
        tuple of numpy.ndarray and Entries
            The times, and the entries: those of the same leader as the previous entry.
        """
        is_of_one = self.terms[1:] == self.terms[:-1]
        return np.diff(self.times)[is_of_one], self[1:][is_of_one]


def read_entries(files: Files, plan: Plan, left_out: list[LeftOut]) -> Iterator[Entries]:
    """Yield the entries of a plan of `ENTRY_COLUMNS`, which has one range.

    Parameters
    ----------
    files : Files
    plan : Plan
    left_out : list of LeftOut
        Collects the parts that a permissive pass could not read.

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
    """Return the session id and the service id of an entry's sender; at least one is None."""
    return (sender or None, None) if sender >= 0 else (None, -1 - sender)


def _senders(sessions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the senders: messages of services have their own ids, which are merged."""
    services = sessions >> _SERVICE_SHIFT & _SERVICE_MASK
    return np.where(sessions < 0, -1 - services, sessions)


def numbers(batch: Any, name: str) -> Any:
    """Return a column of numbers as an array, 0 for null."""
    column = batch.column(name)
    return (column.fill_null(0) if column.null_count else column).to_numpy(zero_copy_only=False)
