"""A mistake that somebody could make, as an edit of one source file."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

__all__ = ["Edit", "Mutant", "identified"]


@dataclass(frozen=True)
class Edit:
    """Bytes of a file that are replaced.

    Parameters
    ----------
    start, end : int
        Offsets in bytes.
    new : bytes
    """

    start: int
    end: int
    new: bytes

    def applied(self, source: bytes) -> bytes:
        """Return a file's content with it."""
        return source[: self.start] + self.new + source[self.end :]


@dataclass(frozen=True)
class Mutant:
    """A mistake in a file.

    Parameters
    ----------
    name : str
        The same as long as the function and the mistake are: results are kept by it.
    file : str
        Relative to the sources' root.
    line : int
        Where it begins, from 1.
    function : str
        With its class; empty in a module's own statements.
    operator : str
        What was done, ``catalogue`` for a real bug.
    old, new : str
        What is replaced, and by what.
    edit : Edit
    rule : str
        Which rule it breaks.
    is_promise : bool
        Whether it breaks what a cluster promises, so that the seeds alone should find it.
    source : str
        Of a real bug: where it was.
    """

    name: str
    file: str
    line: int
    function: str
    operator: str
    old: str
    new: str
    edit: Edit
    rule: str = ""
    is_promise: bool = False
    source: str = ""

    @property
    def is_compiled(self) -> bool:
        """Whether a build is needed."""
        return not self.file.endswith(".py")

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.operator}: {self.old} -> {self.new or 'nothing'}"


def identified(mutants: Iterable[Mutant]) -> list[Mutant]:
    """Return mutants with names of their own; equal ones of a function are numbered."""
    seen: Counter[tuple[str, ...]] = Counter()
    named = []
    for each in mutants:
        what = (each.file, each.function, each.operator, each.old, each.new)
        key = "\0".join([*what, str(seen[what])])
        seen[what] += 1
        named.append(replace(each, name=hashlib.sha256(key.encode()).hexdigest()[:10]))
    return named
