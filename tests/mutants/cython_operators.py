"""Mutants of a Cython file: edits of single tokens and statements of its functions.

Each edit changes one logical line, so that `switch` can build both versions.
"""

import re
import tokenize
from collections.abc import Iterator

from tests.mutants.logical_lines import LogicalLine, Token, logical_lines
from tests.mutants.mutant import Edit, Mutant, identified
from tests.mutants.python_operators import SYNC

__all__ = ["mutants_of_cython"]

_COMPARISONS = {
    "<": ("comparison off by one", "<="),
    "<=": ("comparison off by one", "<"),
    ">": ("comparison off by one", ">="),
    ">=": ("comparison off by one", ">"),
    "==": ("comparison inverted", "!="),
    "!=": ("comparison inverted", "=="),
    "and": ("and for or", "or"),
    "or": ("and for or", "and"),
    "+=": ("plus for minus", "-="),
    "-=": ("plus for minus", "+="),
    "+": ("plus for minus", "-"),
    "-": ("plus for minus", "+"),
    "True": ("constant changed", "False"),
    "False": ("constant changed", "True"),
}
_HEADS = ("if", "elif", "while")
# The first words of lines that are not removed.
_OTHER_HEADS = (
    "for", "else", "try", "except", "finally", "with", "class", "def", "cpdef", "import", "from",
    "cimport", "@", "raise", "assert", "global", "nonlocal", "del", "async",
)  # fmt: skip
# Checks, in every build or in debug builds.
_CHECK = re.compile(r"\b(?:require|holds)\(|\bIS_DEBUG\b")
_UNIT = re.compile(r"\w*_(?:ns|ms|us)$")
_CALL = re.compile(r"[\w.]+\(.*\)$", re.DOTALL)
_ASSIGNMENT = re.compile(r"[\w.]+(?:\.\w+|\[[^=\]]*\])\s*[-+]?=(?!=)")
_NUMBER = re.compile(r"\d+$")


def mutants_of_cython(file: str, source: bytes) -> list[Mutant]:
    """Return all mutants of a Cython file, in its order.

    Parameters
    ----------
    file : str
        The path, relative to the root.
    source : bytes
    """
    lines = list(logical_lines(source))
    found: list[Mutant] = []
    for index, line in enumerate(lines):
        if not line.function or line.words[0] in _OTHER_HEADS or _CHECK.search(line.text):
            continue
        before = lines[index - 1] if index else line
        after = lines[index + 1] if index + 1 < len(lines) else line
        for operator, edit in _edits(source, line, before, after):
            found.append(
                Mutant(
                    "",
                    file,
                    source.count(b"\n", 0, edit.start) + 1,
                    line.function,
                    operator,
                    " ".join(line.text.split()),
                    " ".join(_changed(source, line, edit).split()),
                    edit,
                )
            )
    return identified(found)


def _changed(source: bytes, line: LogicalLine, edit: Edit) -> str:
    return (source[line.start : edit.start] + edit.new + source[edit.end : line.end]).decode()


def _edits(
    source: bytes, line: LogicalLine, before: LogicalLine, after: LogicalLine
) -> Iterator[tuple[str, Edit]]:
    words = line.words
    if words[0] == "cdef" and "=" not in words:
        return
    whole = (line.start, line.end)
    if words[0] in _HEADS:
        test = source[line.tokens[1].start : line.tokens[-1].start].decode()
        if words[0] != "while" and not {"==", "!="} & {*words}:
            inverted = f"not ({test.rstrip()})".encode()
            yield "condition inverted", Edit(line.tokens[1].start, line.tokens[-1].start, inverted)
        yield from _dropped(line)
    elif words[0] in ("return", "continue", "break"):
        is_early = before.indent < line.indent and before.words[0] == "if"
        if is_early and after.indent < line.indent and after.words[0] not in ("else", "elif"):
            yield "early return removed", Edit(*whole, b"pass")
    elif _CALL.match(line.text):
        operator = "sync removed" if SYNC.search(line.text) else "call removed"
        yield operator, Edit(*whole, b"pass")
    elif _ASSIGNMENT.match(line.text) and words[0] != "cdef":
        yield "assignment removed", Edit(*whole, b"pass")
    for index, token in enumerate(line.tokens):
        yield from _token_edits(line, index, token)


def _token_edits(line: LogicalLine, index: int, token: Token) -> Iterator[tuple[str, Edit]]:
    previous = line.tokens[index - 1].text if index else ""
    following = line.tokens[index + 1].text if index + 1 < len(line.tokens) else ""
    place = (token.start, token.end)
    if _is_of_cast(line, index):
        return
    if token.text in _COMPARISONS:
        is_sign = token.text in "+-" and not re.match(r"[\w)\]]", previous[-1:])
        if not is_sign and previous not in ("return", "except"):
            operator, new = _COMPARISONS[token.text]
            yield operator, Edit(*place, new.encode())
    elif token.kind == tokenize.NUMBER and _NUMBER.match(token.text):
        value = int(token.text)
        for other in sorted({value + 1, value - 1, 0} - {value}):
            is_divisor = previous in ("/", "//", "%")
            if not (previous == "-" and other < 0) and (other or not is_divisor):
                yield "constant changed", Edit(*place, str(other).encode())
    elif (
        token.kind == tokenize.NAME
        and _UNIT.match(token.text)
        and following not in ("=", "(", ".", "+=", "-=")
        and previous not in ("&", ".", "->")
    ):
        yield "unit changed", Edit(*place, f"({token.text} * 1000)".encode())


def _is_of_cast(line: LogicalLine, index: int) -> bool:
    """Return whether a token is of ``<type>``, ``<type *>`` or ``<unsigned type>``."""
    words = line.words
    if words[index] == ">":
        begin = index
        while begin and words[begin - 1] not in ("<", "(", "and", "or", "=", "return"):
            begin -= 1
        return begin > 0 and words[begin - 1] == "<" and _is_cast_at(words, begin - 1)
    return words[index] == "<" and _is_cast_at(words, index)


def _is_cast_at(words: tuple[str, ...], index: int) -> bool:
    """Return whether a ``<`` begins a cast, which follows no operand."""
    previous = words[index - 1] if index else ""
    return not re.match(r"[\w)\]]", previous[-1:]) or previous in (
        "return", "and", "or", "not", "if", "elif", "while", "else", "in",
    )  # fmt: skip


def _dropped(line: LogicalLine) -> Iterator[tuple[str, Edit]]:
    """Drop one operand of an ``and`` or ``or`` of the outermost level."""
    tokens = line.tokens[1:-1]
    if tokens and tokens[0].text == "(" and _closing(tokens, 0) == len(tokens) - 1:
        tokens = tokens[1:-1]
    depth = 0
    operators = []
    for index, token in enumerate(tokens):
        depth += (token.text in "([") - (token.text in ")]")
        if depth == 0 and token.text in ("and", "or"):
            operators.append(index)
    if len({tokens[each].text for each in operators}) != 1:
        return
    for number, operator in enumerate(operators):
        if number == 0:
            yield "condition dropped", Edit(tokens[0].start, tokens[operator + 1].start, b"")
        end = operators[number + 1] if number + 1 < len(operators) else len(tokens)
        yield "condition dropped", Edit(tokens[operator - 1].end, tokens[end - 1].end, b"")


def _closing(tokens: tuple[Token, ...], index: int) -> int:
    depth = 0
    for place in range(index, len(tokens)):
        depth += (tokens[place].text in "([") - (tokens[place].text in ")]")
        if depth == 0:
            return place
    return -1
