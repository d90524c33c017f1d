"""Runs ours and Java's in turns, and stores every round of both.

A ratio of two figures of one run on one machine is meaningful; a figure alone is not. Each side is
started several times in alternation, so that other load of the machine affects both.
"""

import json
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from benchmarks.machine import machine

Rounds = dict[str, list[float]]  # by figure
Side = TypeVar("Side")


@dataclass(frozen=True)
class Goal:
    """A figure, its unit, and the required ratio to Java's.

    With a ratio of None the figure is only for comparison.
    """

    name: str
    unit: str
    ratio: float | None
    more_is_better: bool = False
    # If starts have two modes (see RESULTS.md), only the fastest start of each side shows
    # something about the code.
    fastest_start: bool = False


@dataclass
class Figure:
    """The rounds of both sides, a list per start."""

    goal: Goal
    ours: list[list[float]] = field(default_factory=list)
    java: list[list[float]] = field(default_factory=list)

    def value(self, starts: list[list[float]]) -> float:
        """Return the value of one side: the median of all rounds, or of the best start."""
        if self.goal.fastest_start:
            best = max if self.goal.more_is_better else min
            return best(statistics.median(rounds) for rounds in starts)
        return statistics.median(value for rounds in starts for value in rounds)

    @property
    def ratio(self) -> float:
        """Ours over Java's."""
        return self.value(self.ours) / self.value(self.java)

    @property
    def is_reached(self) -> bool:
        """Whether the goal is reached."""
        if self.goal.ratio is None:
            return True
        if self.goal.more_is_better:
            return self.ratio >= self.goal.ratio
        return self.ratio <= self.goal.ratio

    def __str__(self) -> str:
        sides = " ".join(f"{spread(side, self.value(side)):>28}" for side in (self.ours, self.java))
        found = f"{self.goal.name:36} {self.goal.unit:8} {sides} {self.ratio:7.3f}"
        if self.goal.ratio is None:
            return found
        sign = ">=" if self.goal.more_is_better else "<="
        verdict = "reached" if self.is_reached else "MISSED"
        return f"{found} {sign} {self.goal.ratio:<4} {verdict}"


def spread(starts: list[list[float]], value: float) -> str:
    """Return a value with the range of all its rounds."""
    rounds = [one for start in starts for one in start]
    return f"{value:,.4g} [{min(rounds):,.4g}..{max(rounds):,.4g}]"


def rotate(sides: Sequence[Side], starts: int) -> Iterator[Side]:
    """Yield the sides in turn the given number of times; each time another one is first."""
    for start in range(starts):
        first = start % len(sides)
        yield from (*sides[first:], *sides[:first])


def alternate(
    goals: Iterable[Goal], ours: Callable[[], Rounds], java: Callable[[], Rounds], starts: int
) -> list[Figure]:
    """Start both sides ``starts`` times, one after the other; the first to start alternates."""
    figures = {goal.name: Figure(goal) for goal in goals}
    for side, name in rotate(((ours, "ours"), (java, "java")), starts):
        for figure, rounds in side().items():
            getattr(figures[figure], name).append(rounds)
    return list(figures.values())


def as_json(figures: list[Figure]) -> str:
    """Return everything that was measured, for later comparison."""
    rounds = [
        {"name": one.goal.name, "unit": one.goal.unit, "ours": one.ours, "java": one.java}
        for one in figures
    ]
    return json.dumps({"machine": machine(), "figures": rounds}, indent=1)
