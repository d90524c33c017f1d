"""The lines of a Python mutant's statement: without them a run is the same as on the original.

Python reports a statement at any line of its expressions, and a lambda or a comprehension in it at
its own. What is executed as a module is imported, and what changes how a function is called, is
reported at no line of a later run: such a mutant has no lines.
"""

import ast
from collections.abc import Iterator
from types import CodeType

from tests.mutants.mutant import Mutant

__all__ = ["statement_lines"]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Place = tuple[int, int]


def statement_lines(mutant: Mutant, source: bytes) -> frozenset[int] | None:
    """Return the lines one of which a run executes if it executes what a mutant changes.

    Parameters
    ----------
    mutant : Mutant
    source : bytes
        The original content of its file.

    Returns
    -------
    frozenset of int or None
        None if no lines are known: each run may differ.
    """
    edit = mutant.edit
    if mutant.is_compiled or _changes_kind(source[edit.start : edit.end], edit.new):
        return None
    module = ast.parse(source)
    path = _path(module, _place(source, edit.start), _place(source, edit.end))
    function = next((each for each in reversed(path) if isinstance(each, _FUNCTIONS)), None)
    # Decorators, defaults and statements of a class or module.
    if function is None or _place(source, edit.start) < _begin(function.body[0]):
        return None
    body = frozenset(range(function.body[0].lineno, _last(function) + 1))
    # A real bug may change more than the statement in which it begins.
    if path[-1] is function or mutant.operator == "catalogue":
        return body
    lines = frozenset(_own_lines(path[-1]))
    return lines if lines & _lines_of_code(source, mutant.file) else body


def _changes_kind(old: bytes, new: bytes) -> bool:
    """Return whether a function may become a generator, or no longer be one."""
    return (b"yield" in old) != (b"yield" in new)


def _place(source: bytes, offset: int) -> _Place:
    """Return line and column of an offset, as of syntax trees."""
    return source.count(b"\n", 0, offset) + 1, offset - (source.rfind(b"\n", 0, offset) + 1)


def _begin(node: ast.stmt) -> _Place:
    return node.lineno, node.col_offset


def _end(node: ast.stmt) -> _Place:
    assert node.end_col_offset is not None
    return _last(node), node.end_col_offset


def _last(node: ast.stmt | ast.expr | ast.pattern) -> int:
    assert node.end_lineno is not None
    return node.end_lineno


def _path(module: ast.Module, start: _Place, end: _Place) -> list[ast.stmt]:
    """Return the statements that contain a range, from the outermost to the innermost."""
    found: list[ast.stmt] = []
    inner: ast.stmt | None = None
    while True:
        inside = _statements(inner or module)
        inner = next((each for each in inside if _begin(each) <= start and end <= _end(each)), None)
        if inner is None:
            return found
        found.append(inner)


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements directly within one."""
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.stmt):
            yield each
        elif isinstance(each, (ast.excepthandler, ast.match_case)):
            yield from _statements(each)


def _own_lines(node: ast.stmt) -> Iterator[int]:
    """Yield the lines of a statement that are not of the statements within."""
    if next(_statements(node), None) is None:
        yield from range(node.lineno, _last(node) + 1)
        return
    yield node.lineno
    yield from _lines_of_head(node)


def _lines_of_head(node: ast.AST) -> Iterator[int]:
    for each in ast.iter_child_nodes(node):
        if isinstance(each, (ast.expr, ast.pattern)):
            yield from range(each.lineno, _last(each) + 1)
        elif not isinstance(each, ast.stmt):
            yield from _lines_of_head(each)


def _lines_of_code(source: bytes, file: str) -> set[int]:
    """Return the lines that have code: of the others nothing is reported."""
    found: set[int] = set()
    rest = [compile(source, file, "exec", dont_inherit=True)]
    while rest:
        code = rest.pop()
        found |= {line for _, _, line in code.co_lines() if line is not None}
        rest += [each for each in code.co_consts if isinstance(each, CodeType)]
    return found
