"""The seeds of a measurement as rows of a record, as ``aeron-cluster sim --record`` adds them."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aeron_cluster.cli.sim.record import Record, RunInProgress, Tally
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.outcome import Outcome

__all__ = ["Measured"]


class Measured:
    """The seeds that were measured now.

    Parameters
    ----------
    path : Path or None
        The record; None if there is none.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._outcomes: dict[str, list[Outcome]] = defaultdict(list)

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a row of `executed_lines`."""
        if "seed" not in row:
            return
        outcome = Outcome(
            seed=row["seed"],
            plan=FaultPlan(),
            failure=row.get("failure", ""),
            invariant=row.get("invariant", ""),
            virtual_ns=row["virtual_ns"],
            counts=row["faults"],
        )
        self._outcomes[row["mode"]].append(outcome)

    def write(self, commit: str) -> None:
        """Add a row for each mode to the record."""
        if self._path is None:
            return
        for mode, outcomes in self._outcomes.items():
            tally = Tally()
            for each in outcomes:
                tally.add(each)
            seeds = sorted(each.seed for each in outcomes)
            RunInProgress(Record(self._path), commit, mode, 0).write(seeds, tally)
