"""Shrinking of a failing run: events are removed while it fails in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.simulator.trials.trial import run_trial

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.simulator.trials.other_hashes import OtherHashes
    from aeron_cluster.simulator.trials.outcome import Outcome
    from aeron_cluster.simulator.trials.settings import Settings

__all__ = ["shrink"]


def shrink(
    outcome: Outcome,
    settings: Settings,
    *,
    max_runs: int = 60,
    on_run: Callable[[int, int], object] | None = None,
    other_hashes: OtherHashes | None = None,
) -> Outcome:
    """Remove events from a failing run while it fails in the same way.

    Parameters
    ----------
    outcome : Outcome
        The failed outcome.
    settings : Settings
    max_runs : int
    on_run : callable, optional
        Called after each run with the number of runs, and of remaining events.
    other_hashes : OtherHashes, optional
        As for `run_trial`.

    Returns
    -------
    Outcome
        The outcome of a plan from which no event can be removed, unless the runs were used up.
    """
    runs = 0
    parts = 2
    if outcome.plan.events:
        # Check whether it fails without any event.
        without = run_trial(
            outcome.seed, settings, outcome.plan.only(()), other_hashes=other_hashes
        )
        runs += 1
        if on_run is not None:
            on_run(runs, 0)
        if without.invariant == outcome.invariant:
            outcome = without
    while len(outcome.plan.events) > 0 and runs < max_runs:
        events = outcome.plan.events
        parts = min(parts, len(events))
        size = -(-len(events) // parts)
        for begin in range(0, len(events), size):
            rest = [*events[:begin], *events[begin + size :]]
            again = run_trial(
                outcome.seed, settings, outcome.plan.only(rest), other_hashes=other_hashes
            )
            runs += 1
            if on_run is not None:
                on_run(runs, len(rest))
            if again.invariant == outcome.invariant:
                outcome = again
                parts = max(parts - 1, 2)
                break
            if runs == max_runs:
                break
        else:
            if size == 1:
                break
            parts = min(2 * parts, len(events))
    return outcome
