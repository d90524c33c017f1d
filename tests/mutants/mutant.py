"""A plausible mistake, as an edit of one source file."""

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
        """Return a file's content with the edit applied."""
        return source[: self.start] + self.new + source[self.end :]


@dataclass(frozen=True)
class Mutant:
    """A mistake in a file.

    Parameters
    ----------
    name : str
        Stable while the function and the mistake are; the key of the results.
    file : str
        The path relative to the root of the sources.
    line : int
        The line of its start, from 1.
    function : str
        The function with its class; empty in statements of the module.
    operator : str
        The kind of the mistake; ``catalogue`` for a real bug.
    old, new : str
        The replaced text and its replacement.
    edit : Edit
    rule : str
        The name of the rule that it breaks.
    is_promise : bool
        Whether it breaks a promise of the cluster, so that the seeds alone should detect it.
    source : str
        The origin of a real bug.
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
        """Whether it needs a build."""
        return not self.file.endswith(".py")

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.operator}: {self.old} -> {self.new or 'nothing'}"


def identified(mutants: Iterable[Mutant]) -> list[Mutant]:
    """Return mutants with unique names; equal ones of a function are numbered."""
    seen: Counter[tuple[str, ...]] = Counter()
    named = []
    for each in mutants:
        what = (each.file, each.function, each.operator, each.old, each.new)
        key = "\0".join([*what, str(seen[what])])
        seen[what] += 1
        named.append(replace(each, name=hashlib.sha256(key.encode()).hexdigest()[:10]))
    return named
