"""The times between entries of a log, by the clock of the leader that stamped both entries.

No counterpart in Aeron. The time between entries of two leaders is not measured, as their clocks
differ. Parts of a log are merged in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from aeron_cluster.pipeline.jobs.figures.distribution import Distribution
from aeron_cluster.pipeline.jobs.figures.entries import Entries, read_entries
from aeron_cluster.pipeline.jobs.figures.longest import Longest
from aeron_cluster.pipeline.jobs.figures.timeline import Timeline
from aeron_cluster.pipeline.scan.log_times import NS_PER_S

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.scan.pieces import LeftOut
    from aeron_cluster.pipeline.scan.scan_plan import Plan

__all__ = ["LogWaits", "TermFlow", "scan_waits"]


@dataclass(slots=True)
class TermFlow:
    """The figures of one leadership term.

    Parameters
    ----------
    entries, messages, length : int
        The counts of entries and messages, and the bytes of the messages' payloads.
    first_time, first_position, last_time, last_position : int
        The raw times and positions of its first and last entry.
    longest : int
        The longest wait in the term, in the log's unit.
    """

    entries: int
    messages: int
    length: int
    first_time: int
    first_position: int
    last_time: int
    last_position: int
    longest: int = 0

    def append(self, later: TermFlow) -> None:
        """Add the next part of the term."""
        self.entries += later.entries
        self.messages += later.messages
        self.length += later.length
        self.longest = max(self.longest, later.longest)
        self.last_time, self.last_position = later.last_time, later.last_position


@dataclass(slots=True)
class LogWaits:
    """The times between entries of a log.

    Parameters
    ----------
    timeline : Timeline
        The timeline of ``entries``, and of the ``longest`` wait in the log's unit.
    of_entries, of_messages : Distribution
        The distributions of waits between entries, and between session messages.
    terms : dict of int to TermFlow
    longest : Longest
        The longest waits between entries.
    steps_back : int
        How often a leader's clock stepped back.
    largest_step_back : int
        The largest step, in the log's unit.
    left_out : list of LeftOut
    first, last : Entries, optional
        The first and the last entry.
    first_message, last_message : Entries, optional
        The first and the last session message.
    """

    timeline: Timeline
    of_entries: Distribution
    of_messages: Distribution
    terms: dict[int, TermFlow] = field(default_factory=dict)
    longest: Longest = field(default_factory=Longest)
    steps_back: int = 0
    largest_step_back: int = 0
    left_out: list[LeftOut] = field(default_factory=list)
    first: Entries | None = None
    last: Entries | None = None
    first_message: Entries | None = None
    last_message: Entries | None = None

    @classmethod
    def empty(cls, units: int, interval_s: float | None) -> Self:
        """Return empty figures.

        Parameters
        ----------
        units : int
            Time units per second.
        interval_s : float, optional
            Of the timeline.
        """
        unit_ns = NS_PER_S // units
        timeline = Timeline(units, ("entries",), ("longest",), interval_s)
        return cls(timeline, Distribution(unit_ns), Distribution(unit_ns))

    def append(self, later: LogWaits) -> None:
        """Add the next part of the log."""
        for term, flow in later.terms.items():
            self._append_term(term, flow)
        if later.first is not None:
            self._count_waits(later.first.after(self.last))
            self._note(later.first, later.last)
        if later.first_message is not None:
            self._count_messages(later.first_message.after(self.last_message))
            self._note_messages(later.first_message, later.last_message)
        self.timeline.add(later.timeline)
        self.of_entries.add(later.of_entries)
        self.of_messages.add(later.of_messages)
        self.longest.add(later.longest)
        self.steps_back += later.steps_back
        self.largest_step_back = max(self.largest_step_back, later.largest_step_back)
        self.left_out += later.left_out

    def count(self, entries: Entries) -> None:
        """Add the next entries."""
        zeros = np.zeros_like(entries.times)
        self.timeline.put(entries.times, entries=np.ones_like(zeros), longest=zeros)
        terms = entries.terms
        begins = np.flatnonzero(np.append(True, terms[1:] != terms[:-1])).tolist()
        for begin, end in zip(begins, [*begins[1:], len(terms)], strict=True):
            self._append_term(int(terms[begin]), _term_flow(entries[begin:end]))
        self._count_waits(entries.after(self.last))
        self._note(entries[:1], entries[-1:])
        messages = entries.messages()
        if len(messages):
            self._count_messages(messages.after(self.last_message))
            self._note_messages(messages[:1], messages[-1:])

    def _count_waits(self, entries: Entries) -> None:
        waits, after = entries.waits()
        is_back = waits < 0
        if is_back.any():
            self.steps_back += int(is_back.sum())
            self.largest_step_back = max(self.largest_step_back, -int(waits.min()))
            waits = np.where(is_back, 0, waits)
        self.of_entries.record(waits)
        self.longest.put(waits, after.times, after.positions, after.sessions)
        self.timeline.put(after.times, entries=np.zeros_like(waits), longest=waits)
        for term in np.unique(after.terms).tolist():
            known = self.terms[term]
            known.longest = max(known.longest, int(waits[after.terms == term].max()))

    def _count_messages(self, messages: Entries) -> None:
        waits, _ = messages.waits()
        self.of_messages.record(np.maximum(waits, 0))

    def _note(self, first: Entries, last: Entries | None) -> None:
        self.first = first if self.first is None else self.first
        self.last = last

    def _note_messages(self, first: Entries, last: Entries | None) -> None:
        self.first_message = first if self.first_message is None else self.first_message
        self.last_message = last

    def _append_term(self, term: int, flow: TermFlow) -> None:
        known = self.terms.get(term)
        if known is None:
            self.terms[term] = flow
        else:
            known.append(flow)


def scan_waits(units: int, interval_s: float | None, files: Files, plan: Plan) -> LogWaits:
    """Return the waits of a part of a log.

    Parameters
    ----------
    units : int
        Time units per second.
    interval_s : float, optional
        Of the timeline.
    files : Files
    plan : Plan
        A plan with `ENTRY_COLUMNS`, `ENTRY_TYPES` and one range.
    """
    found = LogWaits.empty(units, interval_s)
    for entries in read_entries(files, plan, found.left_out):
        found.count(entries)
    return found


def _term_flow(entries: Entries) -> TermFlow:
    messages = entries.messages()
    return TermFlow(
        len(entries),
        len(messages),
        int(messages.lengths.sum()),
        int(entries.times[0]),
        int(entries.positions[0]),
        int(entries.times[-1]),
        int(entries.positions[-1]),
    )
