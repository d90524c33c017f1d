"""What is fuzzed: one parser, its valid inputs, and the errors with which it may reject others."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from aeron_cluster.errors import AeronClusterError

__all__ = ["Feed", "Finding", "Result", "Target"]

Feed = Callable[[], bool]
"""Draws an input and passes it to the parser; returns whether it was accepted."""


@dataclass(frozen=True)
class Finding:
    """An error that is not a typed one, with the place that raised it."""

    place: str
    text: str


@dataclass
class Result:
    """What became of some inputs.

    Attributes
    ----------
    accepted, rejected : int
    findings : dict of str to Finding
        The first one of each place.
    """

    accepted: int = 0
    rejected: int = 0
    findings: dict[str, Finding] = field(default_factory=dict)


@dataclass(frozen=True)
class Target:
    """A parser.

    Parameters
    ----------
    name : str
    begin : callable
        From a seed: a context manager around a `Feed`.
    errors : tuple of type
        With which it rejects an input.
    renewal : int
        The number of inputs after which it begins anew, with another seed: what it has received
        may have ended a stream, for example.
    share : int
        Its part of all inputs; slow ones have a smaller one.
    """

    name: str
    begin: Callable[[int], AbstractContextManager[Feed]]
    errors: tuple[type[BaseException], ...] = (AeronClusterError,)
    renewal: int = 20_000
    share: int = 16

    def run(self, seed: int, count: int) -> Result:
        """Feed inputs to it, from a seed."""
        result = Result()
        left = count
        while left > 0:
            amount = min(left, self.renewal)
            try:
                with self.begin(seed) as feed:
                    for _ in range(amount):
                        self._feed(feed, result)
            except Exception as error:  # noqa: BLE001 - what it finds in the end
                _note(error, result)
            left -= amount
            seed += 1
        return result

    def _feed(self, feed: Feed, result: Result) -> None:
        try:
            if feed():
                result.accepted += 1
            else:
                result.rejected += 1
        except self.errors:
            result.rejected += 1
        except Exception as error:  # noqa: BLE001 - any other one is what is looked for
            result.rejected += 1
            _note(error, result)


def _note(error: Exception, result: Result) -> None:
    place = _place(error)
    result.findings.setdefault(place, Finding(place, traceback.format_exc()))


def _place(error: Exception) -> str:
    frames: Iterator[traceback.FrameSummary] = reversed(traceback.extract_tb(error.__traceback__))
    frame = next(frames)
    return f"{type(error).__name__} at {frame.filename.split('/')[-1]}:{frame.lineno}"
