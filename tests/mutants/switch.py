"""Build many mutants of Cython files at once: each line has the original and its mutants.

A condition becomes ``(1 if (mutated) else 0) if ac_mutant == 7 else (1 if (original) else 0)``, a
statement an ``if ac_mutant == 7:`` with both; a declaration with a value is split into declaration
and assignment first.
"""

import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.logical_lines import LogicalLine, logical_lines
from tests.mutants.mutant import Mutant

__all__ = ["HEADER", "MODULE", "Switched", "switched", "uncompilable"]

HEADER = Path(__file__).with_name("mutant.h")
MODULE = """\
cdef extern from "aeron_cluster/mutant.h" nogil:
    int ac_mutant
"""
_IMPORT = b"from aeron_cluster.mutant cimport ac_mutant\n"
_DECLARATION = re.compile(r"cdef\s+(?P<type>.+?[\s*])(?P<name>\w+)\s*=(?!=)", re.DOTALL)
_HEADS = ("if", "elif", "while")


@dataclass(frozen=True)
class Switched:
    """A file's content with mutants in it.

    Parameters
    ----------
    source : bytes
    places : dict
        The first and last line of each mutant there, by its name.
    impossible : tuple of str
        The names of mutants on lines that cannot have a switch.
    """

    source: bytes
    places: Mapping[str, tuple[int, int]]
    impossible: tuple[str, ...]


def switched(source: bytes, mutants: Iterable[Mutant], numbers: Mapping[str, int]) -> Switched:
    """Put mutants into their file, each selected by its number.

    Parameters
    ----------
    source : bytes
    mutants : iterable of Mutant
    numbers : dict
        The number of each mutant, above 0, by its name.
    """
    wanted: dict[int, list[Mutant]] = defaultdict(list)
    lines = list(logical_lines(source))
    impossible = []
    for mutant in mutants:
        line = next((each for each in lines if _holds(each, mutant)), None)
        if line is None or not line.function:
            impossible.append(mutant.name)
        else:
            wanted[line.start].append(mutant)
    parts: list[bytes] = []
    places: dict[str, tuple[int, int]] = {}
    at = _after_docstring(lines)
    parts.append(source[:at] + _IMPORT)
    for line in lines:
        found = wanted.get(line.start)
        if found is None:
            continue
        variants = [(numbers[each.name], _mutated(source, line, each)) for each in found]
        text = _with_switch(line, variants)
        if text is None:
            impossible += [each.name for each in found]
            continue
        parts.append(source[at : line.start])
        first = b"".join(parts).count(b"\n") + 1
        parts.append(text.encode())
        at = line.end
        for each in found:
            places[each.name] = (first, first + text.count("\n"))
    parts.append(source[at:])
    return Switched(b"".join(parts), places, tuple(impossible))


def _holds(line: LogicalLine, mutant: Mutant) -> bool:
    return line.start <= mutant.edit.start and mutant.edit.end <= line.end


def _after_docstring(lines: list[LogicalLine]) -> int:
    """Return the line of the first import: after docstring, comments and directives."""
    return next(each.start for each in lines if each.words[0] in ("from", "cimport", "cdef"))


def _mutated(source: bytes, line: LogicalLine, mutant: Mutant) -> str:
    edit = mutant.edit
    return (source[line.start : edit.start] + edit.new + source[edit.end : line.end]).decode()


def _with_switch(line: LogicalLine, variants: list[tuple[int, str]]) -> str | None:
    head = line.words[0]
    if head in _HEADS:
        return _of_condition(head, line, variants)
    indent = " " * line.indent
    if head != "cdef":
        return _of_statement(indent, line.text, variants)
    found = _DECLARATION.match(line.text)
    is_constant = found is not None and found["type"].startswith("const ")
    if found is None or (is_constant and "*" not in found["type"]):
        return None
    kind = found["type"].strip()
    # A declaration of several names cannot have a switch.
    if "," in kind or _has_outer_comma(line.text[found.end() :]):
        return None
    if not all(_DECLARATION.match(text) for _, text in variants):
        return None
    begin = found.start("name")
    rest = [(number, text[begin:]) for number, text in variants]
    space = "" if kind.endswith("*") else " "
    declared = f"cdef {kind}{space}{found['name']}\n{indent}"
    return declared + _of_statement(indent, line.text[begin:], rest)


def _of_condition(head: str, line: LogicalLine, variants: list[tuple[int, str]]) -> str | None:
    if line.words[-1] != ":":
        return None
    text = _truth(line.text[len(head) : -1])
    for number, changed in variants:
        if not (changed.startswith(head) and changed.endswith(":")):
            return None
        text = f"{_truth(changed[len(head) : -1])} if ac_mutant == {number} else ({text})"
    return f"{head} {text}:"


def _truth(condition: str) -> str:
    return f"(1 if ({condition.strip()}) else 0)"


def _of_statement(indent: str, text: str, variants: list[tuple[int, str]]) -> str:
    parts = []
    for index, (number, changed) in enumerate(variants):
        word = "elif" if index else "if"
        start = indent if index else ""
        parts.append(f"{start}{word} ac_mutant == {number}:\n{indent}    {changed}\n")
    return f"{''.join(parts)}{indent}else:\n{indent}    {text}"


def _has_outer_comma(text: str) -> bool:
    depth = 0
    for each in text:
        depth += (each in "([{") - (each in ")]}")
        if depth == 0 and each == ",":
            return True
    return False


def uncompilable(file: str, root: Path, places: Mapping[str, tuple[int, int]]) -> dict[str, str]:
    """Compile a switched file to C, and return which mutants Cython rejects, and why.

    Parameters
    ----------
    file : str
        The path, relative to the root of a tree with all its imports.
    root : Path
    places : dict
        The lines of the mutants.

    Raises
    ------
    ValueError
        The compilation failed for another reason than a mutant.
    """
    errors = _errors_of(file, root)
    found = {
        name: message
        for name, (first, last) in places.items()
        for line, message in errors
        if first <= line <= last
    }
    if errors and not found:
        raise ValueError(f"{file}:{errors[0][0]}: {errors[0][1]}")
    return found


def _errors_of(file: str, root: Path) -> list[tuple[int, str]]:
    source = file
    if file.endswith(".pxd"):
        # Inline functions of a ``.pxd`` are compiled in each module that imports it.
        source = "importing.pyx"
        module = file.removesuffix(".pxd").replace("/", ".")
        (root / source).write_text(f"cimport {module}\n")
    command = [sys.executable, "-m", "cython", "-3", "-I", ".", "-X", "cdivision=True"]
    done = subprocess.run(
        [*command, source, "-o", "importing.c"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return []
    pattern = rf"^(?:\./)?{re.escape(file)}:(\d+):\d+: (?!.*warning)(.*)$"
    found = re.findall(pattern, done.stderr, re.MULTILINE)
    return [(int(line), message) for line, message in found] or [(0, done.stderr.strip()[-400:])]
