"""Chooses which seeds to run, by what their faults reached in earlier ones.

``python -m tests.coverage.seeds`` measures how much of the rarely reached code the seeds with each
kind of fault reached, relative to all seeds. A plan is drawn in a hundredth of the time of its run,
so plans are drawn for more seeds than are run. A chosen seed stays what it is: its number repeats
it.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

__all__ = ["CHOICES", "read_weights", "score", "steered"]

CHOICES: Final = 4
"""How many seeds one is chosen from."""


def read_weights(path: Path, mode: str) -> dict[str, float]:
    """Return the weight of each kind of fault in a mode; 1 is that of an average seed.

    Raises
    ------
    ConfigurationError
        The file has no weights of the mode.
    """
    try:
        weights = json.loads(path.read_text(encoding="utf-8"))[mode]["weights"]
        return {str(kind): float(weight) for kind, weight in weights.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        expected = f"an object with {mode}.weights, a number for each kind of fault"
        raise ConfigurationError("--steer", expected, str(path), repr(error)) from error


def score(plan: FaultPlan, weights: Mapping[str, float]) -> float:
    """Return how promising a plan is: by how much its kinds of faults exceed an average seed."""
    kinds = {type(event).__name__ for event in plan.events}
    return sum(weights.get(kind, 1.0) - 1.0 for kind in sorted(kinds))


def steered(
    seeds: Iterable[int], settings: Settings, weights: Mapping[str, float]
) -> Iterator[int]:
    """Yield the seeds to run, in order: one as it comes, then the best of the next `CHOICES`.

    Parameters
    ----------
    seeds : iterable of int
        The candidates.
    settings : Settings
        Those of the runs.
    weights : mapping of str to float
        As from `read_weights`.
    """
    source = iter(seeds)
    for seed in source:
        yield seed
        candidates = list(itertools.islice(source, CHOICES))
        if candidates:
            yield max(candidates, key=lambda each: score(Trial(each, settings).plan, weights))
