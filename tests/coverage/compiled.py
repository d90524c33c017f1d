"""Coverage of compiled modules: gcov's counts of the generated C, returned to the Cython lines.

Cython writes the place of each statement before its C. A condition of the source is recognized by
the form of its C, ``if (__pyx_t_1) {``; all other branches of the C belong to checks for errors and
to reference counts, and are not counted. In ``a and b`` each operand is a condition.
"""

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

__all__ = ["Compiled", "places", "read"]

_MARK: Final = re.compile(r'^\s*/\* "([^"]+)":(\d+)$')
# The end of a statement's C: clean-up after errors, and what all functions have.
_END: Final = re.compile(
    r"^\s*(__pyx_L\d+\w*(?<!bool_binop_done):;|/\* function exit code \*/|/\* #### Code section)"
)
# A temporary, or a variable or member of type bint.
_VALUE: Final = r"__pyx_(?:t_\d+|v_\w+(?:(?:\.|->)\w+|\[[\w>.-]+\])*)"
_IF: Final = re.compile(rf"^\s*if \((?:(?:un)?likely\()?\(?!?[( ]*{_VALUE}\)* (?:\{{|break;)$")
_LOOP: Final = re.compile(r"^\s*for \(__pyx_t_[^;]*;[^;]+;[^;]*\) \{$")
_SWITCH: Final = re.compile(r"^\s*switch \((?!__pyx_nargs)")
# Loops over imported names, and checks of arguments and sliced views: no conditions of the source.
_CHECK: Final = re.compile(
    r"__pyx_imported_names|__Pyx_ArgsSlice|__pyx_t_\d+ == \(\(PyObject ?\*\)Py_None\)"
)
_LESS: Final = re.compile(r"^__pyx_t_\d+ = \(__pyx_t_\d+ [<>] __pyx_t_\d+\);$")
_TEMPORARY: Final = re.compile(r"__pyx_(?:t|L)_?\d+")


@dataclass(frozen=True)
class Place:
    """The source of a line of generated C.

    Attributes
    ----------
    file : str
    line : int
    condition : str
        Empty unless the C tests a condition of the source: distinguishes those of a line.
    """

    file: str
    line: int
    condition: str = ""


@dataclass
class Compiled:
    """Counts of a source file.

    Attributes
    ----------
    lines : dict of int to int
        How often each line with code ran.
    branches : dict
        By line and condition, how often each outcome was taken.
    """

    lines: dict[int, int] = field(default_factory=dict)
    branches: dict[tuple[int, str], list[int]] = field(default_factory=dict)

    def add_line(self, line: int, count: int) -> None:
        self.lines[line] = max(self.lines.get(line, 0), count)

    def add_branches(self, key: tuple[int, str], counts: list[int]) -> None:
        before = self.branches.get(key, [0] * len(counts))
        if len(before) == len(counts):
            self.branches[key] = [a + b for a, b in zip(before, counts, strict=True)]


def places(text: str) -> Iterator[tuple[int, Place]]:
    """Yield the numbers of lines of generated C that belong to statements of our sources."""
    now: tuple[str, int] | None = None
    before = shown = ""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if mark := _MARK.match(line):
            now = (mark[1], int(mark[2])) if mark[1].startswith("aeron_cluster/") else None
            # The comment shows the statement and its neighbours.
            shown = "".join(lines[number : number + 4])
        elif _END.match(line):
            now = None
        elif now is not None and line.strip():
            is_condition = (_IF.match(line) or _LOOP.match(line) or _SWITCH.match(line)) and not (
                _CHECK.search(before)
                or (_LESS.match(before) and re.search(r"\b(min|max)\(", shown))
                or _is_half_of_chain(before, lines[number : number + 3])
            )
            condition = _TEMPORARY.sub("_", f"{before} {line.strip()}") if is_condition else ""
            yield number, Place(*now, condition)
        if line.strip():
            before = line.strip()


def _is_half_of_chain(before: str, after: list[str]) -> bool:
    """Return whether C compares the first two of ``a < b < c``: together they are one condition."""
    name = before.partition(" = ")[0]
    rest = [line.strip() for line in after if line.strip()]
    return rest[1:2] == ["}"] and rest[0].startswith(f"{name} = (")


def _counts(data: Path, root: Path) -> Iterable[dict[str, Any]]:
    command = ["gcov", "--json-format", "--stdout", "--branch-probabilities", str(data)]
    done = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        yield from json.loads(line)["files"]


def read(objects: Path, root: Path) -> dict[str, Compiled]:
    """Return the counts of ``.pyx``, ``.pxd`` and ``.h`` files from a folder of gcov's files.

    A module that was never loaded has no counts, but its notes; its lines count as not run.
    """
    found: dict[str, Compiled] = defaultdict(Compiled)
    for notes in sorted(objects.rglob("*.gcno")):
        data = notes.with_suffix(".gcda")
        for each in _counts(data if data.exists() else notes, root):
            name = each["file"]
            path = (root / name).resolve()
            if name.endswith(".c"):
                _add_generated(path, each["lines"], found)
            elif path.is_relative_to(root / "include"):
                _add_header(found[str(path.relative_to(root))], each["lines"])
    # Of a module that was removed, the build folder still has the objects.
    present = {name: it for name, it in found.items() if (root / name).exists()}
    for name, compiled in present.items():
        _remove_beyond(len((root / name).read_text().splitlines()), compiled)
    return present


def _remove_beyond(end: int, compiled: Compiled) -> None:
    """Remove what Cython places after a module's last line: the end of its start-up."""
    compiled.lines = {line: it for line, it in compiled.lines.items() if line <= end}
    compiled.branches = {key: it for key, it in compiled.branches.items() if key[0] <= end}


def _add_generated(path: Path, lines: list[dict[str, Any]], found: dict[str, Compiled]) -> None:
    where = dict(places(path.read_text(errors="replace")))
    for each in lines:
        place = where.get(each["line_number"])
        if place is None:
            continue
        compiled = found[place.file]
        compiled.add_line(place.line, each["count"])
        counts = _taken(each)
        if place.condition and len(counts) > 1:
            compiled.add_branches((place.line, place.condition), counts)


def _add_header(compiled: Compiled, lines: list[dict[str, Any]]) -> None:
    for each in lines:
        compiled.add_line(each["line_number"], each["count"])
        if len(counts := _taken(each)) > 1:
            compiled.add_branches((each["line_number"], ""), counts)


def _taken(line: dict[str, Any]) -> list[int]:
    return [branch["count"] for branch in line["branches"] if not branch["throw"]]
