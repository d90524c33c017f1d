"""Timers of a while without faults fire at their time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError

if TYPE_CHECKING:
    from aeron_cluster.simulator.members.journal import Journal

__all__ = ["check_punctual_timers"]

_MAX_LATENESS_MS: Final = 250
# Timestamps of this century are below these in ms and in us.
_LIMITS: Final = ((10**14, 1), (10**17, 1_000))
_OF_NANOS: Final = 1_000_000


def check_punctual_timers(journal: Journal, begin: int, begin_ms: int) -> None:
    """Check that timers fire soon after their time, and after they were set.

    Parameters
    ----------
    journal : Journal
    begin : int
        The index of its first entry since when nothing has been wrong, and one member has led.
    begin_ms : int
        The leader's time then, in ms since 1970: entries that it had appended before may have been
        committed since.

    Raises
    ------
    InvariantError
        One fired late.
    """
    entries = journal.entries
    if begin >= len(entries):
        return
    first = entries[begin].timestamp
    ticks_a_ms = next((ticks for limit, ticks in _LIMITS if first < limit), _OF_NANOS)
    begin_timestamp = max(first, begin_ms * ticks_a_ms)
    fired = {each.key for each in entries[begin:] if each.kind == "timer"}
    if not fired:
        return
    timestamps = {each.position: each.timestamp for each in entries}
    settings: dict[int, list[tuple[int, int]]] = {}
    for (at, correlation_id), deadline in journal.settings.items():
        if correlation_id in fired and deadline is not None:
            settings.setdefault(correlation_id, []).append((at, deadline))
    for entry in entries[begin:]:
        if entry.kind != "timer":
            continue
        # Of those that it may be the event of, the one that is due last.
        due = max(
            (
                max(deadline, timestamps.get(at, 0))
                for at, deadline in settings.get(entry.key, ())
                if at < entry.position and deadline <= entry.timestamp
            ),
            default=entry.timestamp,
        )
        # What was overdue when the leader began is not late.
        if due >= begin_timestamp and entry.timestamp - due > _MAX_LATENESS_MS * ticks_a_ms:
            raise InvariantError("timers fire in time", f"{entry}, due at {due}")
