"""The messages of sessions in a part of a log: counts, times and gaps.

No counterpart in Aeron. Parts of a log are merged in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from aeron_cluster.pipeline.jobs.figures.entries import Entries, read_entries
from aeron_cluster.pipeline.jobs.figures.longest import Longest, Pause
from aeron_cluster.pipeline.jobs.figures.timeline import Timeline

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.scan.pieces import LeftOut
    from aeron_cluster.pipeline.scan.scan_plan import Plan

__all__ = ["SessionFlow", "SessionFlows", "scan_sessions"]


@dataclass(slots=True)
class SessionFlow:
    """The messages of one session.

    Parameters
    ----------
    count, length : int
        The number of messages, and the bytes of their payloads.
    first_time, first_position, last_time, last_position : int
        The raw times of the first and the last message.
    gap : int
        The longest time between two messages, in the log's unit.
    gap_position : int
        The position of the message that ended that gap; -1 for none.
    """

    count: int
    length: int
    first_time: int
    first_position: int
    last_time: int
    last_position: int
    gap: int = 0
    gap_position: int = -1

    def append(self, later: SessionFlow) -> int:
        """Add the session's next messages; return the gap before them."""
        pause = later.first_time - self.last_time
        for gap, position in ((pause, later.first_position), (later.gap, later.gap_position)):
            if gap > self.gap:
                self.gap, self.gap_position = gap, position
        self.count += later.count
        self.length += later.length
        self.last_time, self.last_position = later.last_time, later.last_position
        return pause


@dataclass(slots=True)
class SessionFlows:
    """The messages of all sessions.

    Parameters
    ----------
    timeline : Timeline
        The timeline of ``messages`` and ``bytes``.
    sessions : dict of int to SessionFlow
    gaps : Longest
        The longest gaps between messages of a session.
    left_out : list of LeftOut
    """

    timeline: Timeline
    sessions: dict[int, SessionFlow] = field(default_factory=dict)
    gaps: Longest = field(default_factory=Longest)
    left_out: list[LeftOut] = field(default_factory=list)

    def append(self, later: SessionFlows) -> None:
        """Add the next part."""
        self.timeline.add(later.timeline)
        self.gaps.add(later.gaps)
        self.left_out += later.left_out
        for session, flow in later.sessions.items():
            self._append(session, flow)

    def count(self, entries: Entries) -> None:
        """Add the next messages."""
        lengths = entries.lengths
        self.timeline.put(entries.times, messages=np.ones_like(lengths), bytes=lengths)
        order = np.argsort(entries.sessions, kind="stable")
        sessions, times = entries.sessions[order], entries.times[order]
        positions = entries.positions[order]
        is_first = np.append(True, sessions[1:] != sessions[:-1])
        begins = np.flatnonzero(is_first)
        ends = np.append(begins[1:], len(sessions))
        pauses = np.append(0, np.diff(times))
        pauses[is_first] = 0
        self.gaps.put(pauses, times, positions, sessions)
        totals = np.add.reduceat(lengths[order], begins).tolist()
        for begin, end, total in zip(begins.tolist(), ends.tolist(), totals, strict=True):
            longest = begin + int(pauses[begin:end].argmax())
            gap = int(pauses[longest])
            flow = SessionFlow(
                end - begin,
                total,
                int(times[begin]),
                int(positions[begin]),
                int(times[end - 1]),
                int(positions[end - 1]),
                max(gap, 0),
                int(positions[longest]) if gap > 0 else -1,
            )
            self._append(int(sessions[begin]), flow)

    def _append(self, session: int, flow: SessionFlow) -> None:
        known = self.sessions.get(session)
        if known is None:
            self.sessions[session] = flow
        else:
            pause = known.append(flow)
            self.gaps.keep(Pause(pause, flow.first_time, flow.first_position, session))


def scan_sessions(units: int, interval_s: float | None, files: Files, plan: Plan) -> SessionFlows:
    """Return the messages sent in a part of a log.

    Parameters
    ----------
    units : int
        Time units per second.
    interval_s : float, optional
        Of the timeline.
    files : Files
    plan : Plan
        A plan with `ENTRY_COLUMNS`, only messages, and one range.
    """
    found = SessionFlows(Timeline(units, ("messages", "bytes"), (), interval_s))
    for entries in read_entries(files, plan, found.left_out):
        found.count(entries)
    return found
