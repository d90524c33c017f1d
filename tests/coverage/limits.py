"""The least coverage of each half: below it, ``make coverage`` fails."""

from collections.abc import Iterable
from typing import Final

from tests.coverage.figures import COMPILED, PYTHON, Source, by_package

__all__ = ["LINES", "OUTCOMES", "below"]

LINES: Final = 95
"""In percent of the lines."""
OUTCOMES: Final = 90
"""In percent of the branches."""


def below(sources: Iterable[Source]) -> list[str]:
    """Return what is below its limit in the totals of Python and of Cython.

    A half without any line was not measured, which is below its limit too.
    """
    halves = by_package(sources).get("all", {})
    found = []
    for half in (PYTHON, COMPILED):
        it = halves.get(half)
        if it is None or not it.lines:
            found.append(f"{half}: not measured")
            continue
        for name, covered, total, least in (
            ("lines", it.covered_lines, it.lines, LINES),
            ("branches", it.covered_branches, it.branches, OUTCOMES),
        ):
            if 100 * covered < least * total:
                share = f"{100 * covered / total:.2f} %"
                found.append(f"{half}: {share} of the {name}, at least {least} % are required")
    return found
