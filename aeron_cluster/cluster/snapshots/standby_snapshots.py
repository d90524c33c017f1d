"""Snapshots that standbys offer: recorded once the commit position has reached them.

Upstream: the pending standby notifications of SessionManager.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.state.recording_log import EntryType, is_storable_endpoint
from aeron_cluster.errors import ClusterError
from aeron_cluster.memory.agents.waiting import NEVER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aeron_cluster.cluster.state.recording_log import Entry, RecordingLog
    from aeron_cluster.codecs.cluster import StandbySnapshot

__all__ = ["StandbySnapshots", "problem_of"]

# Only authorized senders are accepted; this limits one that repeats its offer.
_MAX_WAITING: Final = 64
_CHECK_INTERVAL_NS: Final = 10_000_000


def problem_of(offered: Sequence[StandbySnapshot.Snapshots], service_count: int) -> str:
    """Return the problem of a snapshot that a standby offers; empty if it is complete."""
    expected = list(range(-1, service_count))
    found = sorted(each.service_id for each in offered)
    if found != expected:
        return f"expected services {expected}, found {found}"
    places = {
        (each.log_position, each.leadership_term_id, each.term_base_log_position)
        for each in offered
    }
    if len(places) != 1:
        return "expected one position in one term"
    for each in offered:
        if each.recording_id < 0 or not is_storable_endpoint(each.archive_endpoint):
            return f"expected a recording and its archive's endpoint, found {each}"
    return ""


class StandbySnapshots:
    """The pending offers.

    Parameters
    ----------
    recording_log : RecordingLog
    delay_ns : int
        How long an offer waits after the commit position has reached it, in ns.
    on_noted : callable
        Called for each recorded offer.
    error_handler : callable
        Called for snapshots that do not belong to this log.
    """

    def __init__(
        self,
        recording_log: RecordingLog,
        delay_ns: int,
        on_noted: Callable[[], object],
        log_event: Callable[[StandbySnapshot.Snapshots], object],
        error_handler: Callable[[Exception], object],
    ) -> None:
        self._log = recording_log
        self._delay_ns = delay_ns
        self._on_noted = on_noted
        self._log_event = log_event
        self._error_handler = error_handler
        self._offers: deque[Sequence[StandbySnapshot.Snapshots]] = deque(maxlen=_MAX_WAITING)
        self._delayed: deque[tuple[int, Sequence[StandbySnapshot.Snapshots]]] = deque(
            maxlen=_MAX_WAITING
        )

    def add(self, offered: Sequence[StandbySnapshot.Snapshots]) -> None:
        """Accept an offer; of too many pending ones the oldest is dropped."""
        self._offers.append(offered)

    def next_deadline_ns(self, now_ns: int) -> int:
        """Return when `do_work` is due."""
        if self._offers:
            return now_ns + _CHECK_INTERVAL_NS
        return self._delayed[0][0] if self._delayed else NEVER

    def do_work(self, commit_position: int, now_ns: int) -> int:
        """Record due offers, up to a commit position; return the number of offers that advanced."""
        work_count = 0
        for _ in range(len(self._offers)):
            offered = self._offers.popleft()
            if offered[0].log_position > commit_position:
                self._offers.append(offered)
                continue
            self._delayed.append((now_ns + self._delay_ns, offered))
            work_count += 1
        while self._delayed and self._delayed[0][0] <= now_ns:
            self._note(self._delayed.popleft()[1])
            work_count += 1
        return work_count

    def _note(self, offered: Sequence[StandbySnapshot.Snapshots]) -> None:
        first = offered[0]
        term = self._log.find_term(first.leadership_term_id)
        if term is None or not _is_within(first, term):
            self._error_handler(
                ClusterError(
                    f"standby snapshot at {first.log_position} of {first.archive_endpoint}:"
                    f" expected term {first.leadership_term_id} to be that of this log,"
                    f" {_extent(term)}, found it to begin at {first.term_base_log_position}; it is"
                    " not used"
                )
            )
            return
        self._invalidate_outdated(offered)
        # A set is valid once its last entry is written.
        for each in sorted(offered, key=lambda one: -one.service_id):
            if not self._is_known(each):
                self._log_event(each)
                self._log.append_snapshot(
                    each.recording_id,
                    each.leadership_term_id,
                    each.term_base_log_position,
                    each.log_position,
                    each.timestamp,
                    each.service_id,
                    each.archive_endpoint,
                )
        self._on_noted()

    def _invalidate_outdated(self, offered: Sequence[StandbySnapshot.Snapshots]) -> None:
        """Invalidate what a standby offered before that it now has in other recordings.

        One that was set up anew replays the log, and takes snapshots at the same positions again.
        The module's entry is first: no set has recordings of both offers.
        """
        for entry in reversed(self._log.entries):
            if any(
                _is_place(entry, each) and entry.recording_id != each.recording_id
                for each in offered
            ):
                self._log.invalidate(entry)

    def _is_known(self, offered: StandbySnapshot.Snapshots) -> bool:
        """Return whether it was recorded before: a set recorded twice is invalid."""
        return any(_is_place(entry, offered) for entry in self._log.entries)


def _is_place(entry: Entry, offered: StandbySnapshot.Snapshots) -> bool:
    return (
        entry.is_valid
        and entry.entry_type is EntryType.STANDBY_SNAPSHOT
        and entry.log_position == offered.log_position
        and entry.service_id == offered.service_id
        and entry.archive_endpoint == offered.archive_endpoint
    )


def _is_within(offered: StandbySnapshot.Snapshots, term: Entry) -> bool:
    base, end = term.term_base_log_position, term.log_position
    return offered.term_base_log_position == base <= offered.log_position and (
        end == NULL_VALUE or offered.log_position <= end
    )


def _extent(term: Entry | None) -> str:
    if term is None:
        return "which lacks it"
    end = "open" if term.log_position == NULL_VALUE else term.log_position
    return f"from {term.term_base_log_position} to {end}"
