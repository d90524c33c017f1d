"""Leadership terms, and the times between the last entry of one and the first of the next.

No counterpart in Aeron.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.pipeline.jobs.figures.log_events import LogEvents
    from aeron_cluster.pipeline.jobs.figures.log_waits import LogWaits, TermFlow

__all__ = ["TermLife", "term_lives"]


@dataclass(frozen=True, slots=True)
class TermLife:
    """One leadership term.

    Parameters
    ----------
    term : int
    leader : int, optional
        The leader; None if the term does not begin in this part of the log.
    flow : TermFlow
    handover : int, optional
        The time from the last entry of the previous term to the first of this one, in the log's
        unit; measured with two clocks if the leader changed. None for the first term, and if the
        clocks give a negative time.
    """

    term: int
    leader: int | None
    flow: TermFlow
    handover: int | None


def term_lives(waits: LogWaits, events: LogEvents) -> list[TermLife]:
    """Return the terms with entries in a log, in order."""
    leaders = {
        row["leadership_term_id"]: row["new_leadership_term"]["leader_member_id"]
        for row in events.terms
    }
    found: list[TermLife] = []
    previous: TermFlow | None = None
    for term, flow in sorted(waits.terms.items(), key=lambda each: each[1].first_position):
        handover = None if previous is None else flow.first_time - previous.last_time
        if handover is not None and handover < 0:
            handover = None
        found.append(TermLife(term, leaders.get(term), flow, handover))
        previous = flow
    return found
