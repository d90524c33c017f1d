"""``docs/coverage.md``: the figures by package, and the uncovered lines with their reasons."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import pairwise
from pathlib import Path
from typing import Final

from tests.coverage.figures import COMPILED, PYTHON, Figures, Source, by_package

__all__ = ["PAGE", "REASONS", "Group", "grouped", "page", "ranges", "read_groups"]

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "coverage.md"
HEAD: Final = Path(__file__).with_name("page_head.md")
REASONS: Final = Path(__file__).with_name("reasons.toml")
LEFT: Final = "No measured test reaches them"
HEADERS: Final = {
    PYTHON: ("Python lines", "covered", "branches"),
    COMPILED: ("Cython lines", "covered", "outcomes"),
}


@dataclass(frozen=True)
class Group:
    """Uncovered lines of one reason.

    Attributes
    ----------
    name : str
    reason : str
    files : tuple of str
        Patterns of names.
    text : str
        A pattern of the line, or of the nearest lines above with less indentation.
    """

    name: str
    reason: str
    files: tuple[str, ...] = ("*",)
    text: str = ""

    def holds(self, file: str, number: int, lines: Sequence[str]) -> bool:
        """Return whether a line of a file belongs to it."""
        if not any(fnmatch(file, pattern) for pattern in self.files):
            return False
        return any(re.search(self.text, line) for line in _with_blocks(number, lines))


def _with_blocks(number: int, lines: Sequence[str]) -> Iterable[str]:
    """Yield a line, and the lines that open the blocks in which it is."""
    line = lines[number - 1]
    yield line
    indent = len(line) - len(line.lstrip())
    is_continued = False
    for above in reversed(lines[: number - 1]):
        width = len(above) - len(above.lstrip())
        if above.strip() and (width < indent or (is_continued and width == indent)):
            yield above
            indent = width
            is_continued = above.lstrip().startswith(")")  # the end of a condition of several lines


def read_groups(path: Path = REASONS) -> list[Group]:
    """Return the groups, the first that holds counts."""
    return [
        Group(each["name"], each["reason"], tuple(each.get("files", ["*"])), each.get("text", ""))
        for each in tomllib.loads(path.read_text())["group"]
    ]


def grouped(
    sources: Iterable[Source], groups: Sequence[Group], root: Path = ROOT
) -> dict[str, dict[str, list[int]]]:
    """Return the uncovered lines by group and file; those of no group are `LEFT`."""
    found: dict[str, dict[str, list[int]]] = {each.name: {} for each in groups} | {LEFT: {}}
    for source in sources:
        lines = (root / source.file).read_text().splitlines()
        for number in source.missing:
            holds = (each.name for each in groups if each.holds(source.file, number, lines))
            found[next(holds, LEFT)].setdefault(source.file, []).append(number)
    return found


def ranges(numbers: Sequence[int]) -> str:
    """Return line numbers as ``3, 7-9``."""
    begins = [numbers[0], *(b for a, b in pairwise(numbers) if b != a + 1)]
    ends = [*(a for a, b in pairwise(numbers) if b != a + 1), numbers[-1]]
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(begins, ends, strict=True))


def _percent(covered: int, total: int) -> str:
    return f"{100 * covered / total:.1f} %" if total else "-"


def _cells(figures: Figures | None) -> list[str]:
    if figures is None:
        return ["-"] * len(HEADERS[PYTHON])
    return [
        f"{figures.lines:,}",
        _percent(figures.covered_lines, figures.lines),
        _percent(figures.covered_branches, figures.branches),
    ]


def page(
    sources: Sequence[Source], ran: Mapping[str, str], left: Sequence[str], commit: str
) -> str:
    """Return the page.

    Parameters
    ----------
    sources : sequence of Source
    ran : mapping of str to str
        What each measured part of the tests ran.
    left : sequence of str
        The parts that were not measured.
    commit : str
    """
    groups = read_groups()
    both = by_package(sources)
    shown = [half for half in HEADERS if half in both["all"]]
    measured = f"{', '.join(f'`{part}` ({outcome})' for part, outcome in ran.items())}."
    missing = [f"`{part}`" for part in left]
    missing += [f"{half} files" for half in HEADERS if half not in shown]
    if missing:
        measured += f"\nNot measured: {', '.join(missing)}."
    headers = [header for half in shown for header in HEADERS[half]]
    lines = [
        HEAD.read_text().replace("COMMIT", commit).replace("RAN.", measured),
        "## Figures\n",
        f"| package | {' | '.join(headers)} |",
        f"| --- |{' ---: |' * len(headers)}",
    ]
    for package, halves in both.items():
        cells = [cell for half in shown for cell in _cells(halves.get(half))]
        name = {"-": "`config.py`, `errors.py` and others", "all": "all"}.get(
            package, f"`{package}/`"
        )
        lines.append(f"| {name} | {' | '.join(cells)} |")
    total = Figures()
    for each in both["all"].values():
        total.add(each)
    covered = _percent(total.covered_lines, total.lines)
    branches = _percent(total.covered_branches, total.branches)
    lines.append(f"\n{' and '.join(shown)}: {covered} of {total.lines:,} lines, {branches} of")
    lines.append(f"{total.branches:,} branches.\n")
    lines.append("## Lines that no measured test runs\n")
    found = grouped(sources, groups)
    lines += ["| lines | group | reason |", "| ---: | --- | --- |"]
    reasons = {each.name: each.reason for each in groups} | {
        LEFT: "Not examined yet; parts of the tests that were not measured may run them."
    }
    for name, files in found.items():
        count = sum(map(len, files.values()))
        if count:
            lines.append(f"| {count} | {name} | {reasons[name]} |")
    for name, files in found.items():
        if files:
            lines += [f"\n### {name}\n"]
            lines += [f"- `{file}`: {ranges(numbers)}" for file, numbers in files.items()]
    return "\n".join(lines) + "\n"
