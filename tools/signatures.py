"""Reads the C function declarations of Cython sources, for the checks that use them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_CLASS = re.compile(r"\s*(?:cdef\s+)?class\s+(\w+)")
_START = re.compile(r"\s*c(?:p)?def\s.*\(")
_FUNCTION = re.compile(
    r"^\s*(?P<kind>cdef|cpdef)\s+(?!class\b|struct\b|enum\b|union\b|extern\b|packed\b)"
    r"(?P<inline>inline\s+)?(?P<returns>[\w.\s\[\]]*?\**\s*)(?P<name>\w+)\s*"
    r"\((?P<arguments>.*?)\)(?P<tail>[^():=]*|[^():=]*except\b[^:]*)(?P<body>:|$)"
)


@dataclass(frozen=True)
class Signature:
    """One ``cdef`` or ``cpdef`` function outside an extern block."""

    line: int
    owner: str  # the class, or ""
    name: str
    returns: str
    tail: str  # the text after the parameters: nogil, noexcept, except
    is_definition: bool

    @property
    def has_exception_clause(self) -> bool:
        """Whether it has an exception clause."""
        return re.search(r"\b(?:noexcept|except)\b", self.tail) is not None

    @property
    def is_hot(self) -> bool:
        """Whether it is declared ``noexcept nogil``."""
        return {"noexcept", "nogil"} <= set(self.tail.split()) and "with gil" not in self.tail

    @property
    def takes_gil(self) -> bool:
        """Whether it is declared ``with gil``: callable without the GIL, which it takes."""
        return "with gil" in self.tail


def bare(text: str) -> str:
    """Blank comments and the content of strings, without moving lines."""
    pattern = r'(?s:"""(?:\\.|[^\\])*?""")|#[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, lambda match: '""' + "\n" * match[0].count("\n"), text)


def signatures(text: str) -> Iterator[Signature]:
    """Yield every C function that a ``.pyx`` or ``.pxd`` declares or defines."""
    extern: int | None = None
    classes: list[tuple[int, str]] = []
    pending: list[str] = []
    start = indent = 0
    for number, line in enumerate(bare(text).splitlines(), 1):
        if pending:
            pending.append(line.strip())
        else:
            if not line.strip():
                continue
            indent = len(line) - len(line.lstrip())
            if extern is not None and indent <= extern:
                extern = None
            while classes and indent <= classes[-1][0]:
                classes.pop()
            if named := _CLASS.match(line):
                classes.append((indent, named[1]))
            if re.match(r"\s*cdef\s+extern\b", line):
                extern = indent
            if extern is not None or not _START.match(line):
                continue
            pending, start = [line], number
        joined = " ".join(pending)
        if joined.count("(") != joined.count(")"):
            continue
        pending = []
        if match := _FUNCTION.match(joined):
            owner = classes[-1][1] if classes else ""
            returns = match["returns"].strip()
            yield Signature(
                start, owner, match["name"], returns, match["tail"], match["body"] == ":"
            )


def mangled(path: Path, signature: Signature) -> str:
    """Return the name that Cython gives the function in C.

    Parameters
    ----------
    path
        The source, relative to the parent folder of the package.
    signature
        A function of the source.
    """
    parts = [*path.with_suffix("").parts]
    if parts[-1] == "__init__":
        parts.pop()
    *scope, last = [f"{len(part)}{part}" for part in parts]
    prefix = "__pyx_f_" + "_".join([*scope, last])
    owner = f"_{len(signature.owner)}{signature.owner}" if signature.owner else ""
    return f"{prefix}{owner}_{signature.name}"
