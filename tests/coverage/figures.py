"""The figures of both halves: Python's by coverage.py, and that of compiled modules by gcov."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.coverage.compiled import Compiled

__all__ = ["COMPILED", "PYTHON", "Figures", "Source", "by_package", "of_compiled", "of_python"]

PYTHON: Final = "Python"
COMPILED: Final = "Cython"


@dataclass
class Figures:
    """Counts of lines and branches."""

    lines: int = 0
    covered_lines: int = 0
    branches: int = 0
    covered_branches: int = 0

    def add(self, other: "Figures") -> None:
        self.lines += other.lines
        self.covered_lines += other.covered_lines
        self.branches += other.branches
        self.covered_branches += other.covered_branches


@dataclass
class Source:
    """A file: its figures, and the lines that did not run."""

    file: str
    half: str
    figures: Figures
    missing: list[int] = field(default_factory=list)

    @property
    def package(self) -> str:
        parts = self.file.split("/")
        return "include" if parts[0] == "include" else parts[1] if len(parts) > 2 else "-"


def of_python(report: Path) -> list[Source]:
    """Read the report of coverage.py in JSON."""
    files: dict[str, Any] = json.loads(report.read_text())["files"]
    found = []
    for name, each in sorted(files.items()):
        total = each["summary"]
        figures = Figures(
            total["num_statements"],
            total["covered_lines"],
            total["num_branches"],
            total["covered_branches"],
        )
        found.append(Source(name, PYTHON, figures, each["missing_lines"]))
    return found


def of_compiled(counts: dict[str, Compiled]) -> list[Source]:
    """Return the figures of compiled sources."""
    found = []
    for name, each in sorted(counts.items()):
        outcomes = [count for outcome in each.branches.values() for count in outcome]
        figures = Figures(
            len(each.lines),
            sum(count > 0 for count in each.lines.values()),
            len(outcomes),
            sum(count > 0 for count in outcomes),
        )
        missing = sorted(line for line, count in each.lines.items() if count == 0)
        found.append(Source(name, COMPILED, figures, missing))
    return found


def by_package(sources: Iterable[Source]) -> dict[str, dict[str, Figures]]:
    """Return the totals by package and half, and those of ``all``."""
    found: dict[str, dict[str, Figures]] = {}
    for each in sources:
        for package in (each.package, "all"):
            halves = found.setdefault(package, {})
            halves.setdefault(each.half, Figures()).add(each.figures)
    return {name: found[name] for name in [*sorted({*found} - {"all"}), "all"] if name in found}
