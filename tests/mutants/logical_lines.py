"""The logical lines of a Cython source, each with its function.

Cython has its own grammar, but Python's tokens: lines are joined within parentheses, and strings
and comments are the same as in Python.
"""

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["LogicalLine", "Token", "logical_lines"]

_SCOPE = re.compile(
    r"(?:cdef\s+)?class\s+(?P<type>\w+)"
    r"|(?:async\s+)?def\s+(?P<function>\w+)"
    r"|(?:cdef|cpdef)\s+[^=]*?(?P<c_function>\w+)\s*\(.*:$",
    re.DOTALL,
)
_UNSEEN = (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.NEWLINE)


@dataclass(frozen=True)
class Token:
    """A token, with its offsets in bytes."""

    kind: int
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class LogicalLine:
    """A statement, or the head of a compound one.

    Parameters
    ----------
    line : int
        The number of the first line, from 1.
    indent : int
    function : str
        The function with its class; empty outside functions.
    text : str
    tokens : tuple of Token
        Without comments.
    """

    line: int
    indent: int
    function: str
    text: str
    tokens: tuple[Token, ...]

    @property
    def start(self) -> int:
        """The offset of its start, in bytes."""
        return self.tokens[0].start

    @property
    def end(self) -> int:
        """The offset of its end, in bytes."""
        return self.tokens[-1].end

    @property
    def words(self) -> tuple[str, ...]:
        """The texts of its tokens."""
        return tuple(each.text for each in self.tokens)


def logical_lines(source: bytes) -> Iterator[LogicalLine]:
    """Yield the logical lines of code of a source, in order."""
    starts = [0]
    for raw in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(raw))
    scopes: list[tuple[int, str, bool]] = []  # indent, name, is a function
    tokens: list[Token] = []
    first = (0, 0)
    for each in tokenize.generate_tokens(io.StringIO(source.decode()).readline):
        if each.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
            if tokens and not _is_text(tokens):
                line = _line(source, first, tokens, scopes)
                yield line
            tokens = []
        elif each.type not in _UNSEEN and each.string.strip():
            if not tokens:
                first = each.start
            row, column = each.start
            start = starts[row - 1] + len(each.line.splitlines()[0][:column].encode())
            tokens.append(Token(each.type, each.string, start, start + len(each.string.encode())))


def _is_text(tokens: list[Token]) -> bool:
    return all(each.kind == tokenize.STRING for each in tokens)


def _line(
    source: bytes,
    first: tuple[int, int],
    tokens: list[Token],
    scopes: list[tuple[int, str, bool]],
) -> LogicalLine:
    row, indent = first
    while scopes and scopes[-1][0] >= indent:
        scopes.pop()
    text = source[tokens[0].start : tokens[-1].end].decode()
    is_inside = any(is_function for _, _, is_function in scopes)
    function = ".".join(name for _, name, _ in scopes) if is_inside else ""
    if text.endswith(":") and (found := _SCOPE.match(text)):
        name = found["type"] or found["function"] or found["c_function"]
        scopes.append((indent, name, not found["type"]))
    return LogicalLine(row, indent, function, text, tuple(tokens))
