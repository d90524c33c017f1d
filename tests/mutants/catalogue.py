"""Real bugs of upstream, other systems and this project, kept as edits of the current sources.

A file of ``catalogue/`` has the bugs of one subject; each entry::

    [[bug]]
    name = "vote-of-an-earlier-term"
    bug = "What is wrong, in a sentence."
    source = "Where it was: a commit, an issue, a report."
    rule = "elections"
    promise = true
    file = "aeron_cluster/cluster/election/messages.py"
    old = "the current text, which occurs once"
    new = "the text with the bug"

In a Cython file old and new are within one logical line.
"""

import ast
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT
from tests.mutants.logical_lines import logical_lines
from tests.mutants.mutant import Edit, Mutant
from tests.mutants.rules import RULES

__all__ = ["CATALOGUE", "Bug", "catalogued_mutants"]

_NAMED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
CATALOGUE = Path(__file__).with_name("catalogue")


@dataclass(frozen=True, kw_only=True)
class Bug:
    """An entry."""

    name: str
    bug: str
    source: str
    rule: str
    file: str
    old: str
    new: str
    promise: bool = True

    def mutant(self) -> Mutant:
        """Return the bug as an edit of the current source.

        Raises
        ------
        ValueError
            It no longer applies.
        """
        source = (ROOT / self.file).read_bytes()
        old = self.old.encode()
        if source.count(old) != 1:
            raise ValueError(f"{self.name}: {source.count(old)} times in {self.file}, expected 1")
        start = source.index(old)
        edit = _smallest(Edit(start, start + len(old), self.new.encode()), old)
        line = source.count(b"\n", 0, edit.start) + 1
        if self.file.endswith(".py"):
            function = _function_at(source, line)
        else:
            lines = [each for each in logical_lines(source) if each.start <= edit.start]
            function = lines[-1].function
        return Mutant(
            self.name,
            self.file,
            line,
            function,
            "catalogue",
            " ".join(self.old.split()),
            " ".join(self.new.split()),
            edit,
            self.rule,
            self.promise,
            self.source,
        )


def _function_at(source: bytes, line: int) -> str:
    """Return the qualified name of a Python file's function at a line; empty outside of one."""
    names: list[str] = []
    body: list[ast.AST] = [ast.parse(source)]
    while body:
        node = body.pop()
        for inner in ast.iter_child_nodes(node):
            if getattr(inner, "lineno", line + 1) <= line <= inner.end_lineno:
                body.append(inner)
                if isinstance(inner, _NAMED):
                    names.append(inner.name)
    return ".".join(names)


def _smallest(edit: Edit, old: bytes) -> Edit:
    """Strip the common begin and end of old and new."""
    new = edit.new
    before = _common(old, new)
    after = _common(old[before:][::-1], new[before:][::-1])
    return Edit(edit.start + before, edit.end - after, new[before : len(new) - after])


def _common(one: bytes, other: bytes) -> int:
    """Return the length of the common prefix."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def read_bugs() -> list[Bug]:
    """Return all entries, in the order of files and in them."""
    return [
        Bug(**given)
        for path in sorted(CATALOGUE.glob("*.toml"))
        for given in tomllib.loads(path.read_text())["bug"]
    ]


def catalogued_mutants() -> list[Mutant]:
    """Return all entries as mutants."""
    names = {rule.name for rule in RULES}
    bugs = read_bugs()
    for each in bugs:
        if each.rule not in names:
            raise ValueError(f"{each.name}: no rule {each.rule}")
    return [each.mutant() for each in bugs]
